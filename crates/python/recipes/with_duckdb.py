"""Keeps the URLs of a Parquet file that a crawler may fetch: `with_duckdb.py BUNDLE AGENT URLS.parquet ALLOWED.parquet`.

Registers an SQL function that DuckDB calls with Arrow columns.
"""

import sys

import duckdb
import pyarrow as pa

from robomata import PolicySet

bundle, agent, urls, allowed = sys.argv[1:]
policies = PolicySet.open(bundle)


def robots_allowed(urls: pa.ChunkedArray) -> pa.Array:
    return pa.array(policies.allowed(urls, agent))


database = duckdb.connect()
database.create_function("robots_allowed", robots_allowed, ["VARCHAR"], "BOOLEAN", type="arrow", null_handling="special")
database.execute(f"COPY (FROM '{urls}' WHERE robots_allowed(url)) TO '{allowed}' (FORMAT parquet)")
