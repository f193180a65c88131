"""Keeps the URLs of a Parquet file that a crawler may fetch: `with_polars.py BUNDLE AGENT URLS.parquet ALLOWED.parquet`.

Processes the file in pieces, so it may be larger than memory. An error leaves an incomplete ALLOWED.parquet.partial.
"""

import os
import sys

import polars as pl

from robomata import PolicySet

bundle, agent, urls, allowed = sys.argv[1:]
policies = PolicySet.open(bundle)


def verdicts(urls: pl.Series) -> pl.Series:
    return pl.Series(policies.check(urls, agent))


STRUCT = pl.Struct({"verdict": pl.String, "line": pl.UInt32, "reason": pl.String})
robots = pl.col("url").map_batches(verdicts, return_dtype=STRUCT, is_elementwise=True)
frame = pl.scan_parquet(urls).with_columns(robots=robots)
frame.filter(pl.col("robots").struct.field("verdict") == "allow").sink_parquet(f"{allowed}.partial")
os.replace(f"{allowed}.partial", allowed)
