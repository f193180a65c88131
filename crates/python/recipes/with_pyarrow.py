"""Keeps the URLs of a Parquet file that a crawler may fetch: `with_pyarrow.py BUNDLE AGENT URLS.parquet ALLOWED.parquet`.

Processes the file in batches, so it may be larger than memory. An error leaves an incomplete ALLOWED.parquet.partial.
"""

import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq

from robomata import PolicySet

bundle, agent, urls, allowed = sys.argv[1:]
policies = PolicySet.open(bundle)
with pq.ParquetFile(urls) as source, pq.ParquetWriter(f"{allowed}.partial", source.schema_arrow) as kept:
    for batch in source.iter_batches(batch_size=1 << 16):
        kept.write_batch(batch.filter(pa.array(policies.allowed(batch["url"], agent))))
os.replace(f"{allowed}.partial", allowed)
