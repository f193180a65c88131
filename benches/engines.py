#!/usr/bin/env python3
"""Compares all engines with a robomata adapter on one question: how many of these URLs may be crawled?

Captures and URLs are generated, compiled to a bundle and written as Parquet files in the shape of Common Crawl's index. Every
engine counts the allowed URLs of all files; all must find the same number before anything is printed. Unless noted
otherwise, figures are for the whole command or call, including reading Parquet. A cluster is started before it is timed.

    python benches/engines.py --programs DIR --cluster DIR [--hosts 200000] [--urls 10000000] [--runs 5]

`--programs` has robomata and corpus (cargo build --release), `--cluster` the programs of crates/cluster. This
Python needs robomata and pyarrow, and polars, duckdb and pyspark to measure them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import robomata

AGENT = "ExampleBot"
FILES = 8
COLUMNS = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"]


def main() -> None:
    arguments = parsed_arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, contextlib.ExitStack() as stack:
        data = Data(Path(folder), arguments)
        engines = list(all_engines(data, arguments, stack))
        rows = []
        # The engines take turns, so that other load on the machine affects all of them equally.
        for run in range(arguments.runs + 1):
            for number, (name, count) in enumerate(engines):
                start = time.perf_counter()
                found = count()
                seconds = time.perf_counter() - start
                if found != data.allowed:
                    sys.exit(f"{name}: {found} URLs are allowed, expected {data.allowed}")
                if run == 0:
                    rows.append((name, []))
                else:
                    rows[number][1].append(seconds)
        print(f"{data.urls} URLs of {data.hosts} hosts, {data.allowed} allowed; {arguments.runs} runs\n")
        print("| engine | s, min | s, median | million URLs/s, by the median |")
        print("|---|--:|--:|--:|")
        for name, seconds in rows:
            median = statistics.median(seconds)
            print(f"| {name} | {min(seconds):.2f} | {median:.2f} | {data.urls / median / 1e6:.2f} |")
        for name, rate in one_by_one(data):
            print(f"| {name} | | | {rate / 1e6:.3f} |")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="the folder of robomata and corpus")
    parser.add_argument("--cluster", type=Path, required=True, help="the folder of robomata-sql, -scheduler, -executor")
    parser.add_argument("--hosts", type=int, default=200_000)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None, help="where data is written meanwhile")
    return parser.parse_args()


class Data:
    """The input files, and the right answer."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.programs = arguments.programs.resolve()
        self.bundle, self.parquet = folder / "policies.bundle", folder / "index"
        captures, urls = folder / "robots.jsonl", folder / "urls.txt"
        size = ["--sites", arguments.hosts, "--urls", arguments.urls, "--order", "grouped"]
        self.run("corpus", "generate", *size, "--robots", captures, "--frontier", urls)
        self.run("robomata", "compile", captures, "--agent", AGENT, "-o", self.bundle)
        # Text in Parquet is UTF-8; some URLs, like some real ones, are not.
        self.lines = list(utf8_lines(urls.read_bytes()))
        urls.write_text("\n".join([*self.lines, ""]), "utf-8")
        self.hosts, self.urls = arguments.hosts, len(self.lines)
        self.write_parquet()
        # The right answer comes from the command, over text: it is independent of the compared engines.
        self.allowed = self.run("robomata", "filter", "--agent", AGENT, "--policies", self.bundle, urls).count(b"\n")
        self.files = sorted(self.parquet.iterdir())
        self.column = ds.dataset(self.parquet).to_table(columns=["url"])["url"]

    def run(self, program: str, *arguments: object) -> bytes:
        command = [self.programs / program, *map(str, arguments)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    def write_parquet(self) -> None:
        self.parquet.mkdir()
        share = -(-self.urls // FILES)
        for number in range(FILES):
            lines = self.lines[number * share : (number + 1) * share]
            parts = [urlsplit(line) for line in lines]
            table = pa.table(
                {
                    "url": lines,
                    "url_protocol": [part.scheme for part in parts],
                    "url_host_name": [part.hostname for part in parts],
                    "url_port": pa.array([part.port for part in parts], pa.int32()),
                    "url_path": [part.path for part in parts],
                    "url_query": [part.query if "?" in line else None for line, part in zip(lines, parts)],
                }
            )
            pq.write_table(table, self.parquet / f"part-{number}.parquet", compression="snappy")


def utf8_lines(bytes: bytes) -> Iterator[str]:
    for line in bytes.split(b"\n"):
        with contextlib.suppress(UnicodeDecodeError):
            if line:
                yield line.decode()


def all_engines(data: Data, arguments: argparse.Namespace, stack: contextlib.ExitStack) -> Iterator[tuple[str, Callable[[], int]]]:
    """Each engine's name, with a function that counts the allowed URLs."""
    policies = robomata.PolicySet.open(data.bundle)
    yield "`robomata filter`, the command", lambda: command(data)
    for threads in (1, None):
        name = f"Python, the column in memory, {threads or 'all'} thread{'' if threads else 's'}"
        yield name, lambda threads=threads: count(policies.allowed(data.column, AGENT, threads=threads))
    yield "pyarrow", lambda: with_pyarrow(data, policies)
    yield "pyarrow, URLs in parts", lambda: with_pyarrow_parts(data, policies)
    if module("polars"):
        yield f"Polars {version('polars')}", lambda: with_polars(data, policies)
    if module("duckdb"):
        yield f"DuckDB {version('duckdb')}", lambda: with_duckdb(data, policies)
    yield "DataFusion (`robomata-sql`)", lambda: sql(data, arguments.cluster, "url")
    yield "DataFusion, URLs in parts", lambda: sql(data, arguments.cluster, ", ".join(COLUMNS))
    scheduler = stack.enter_context(ballista(arguments.cluster, data))
    yield "Ballista, two executors", lambda: sql(data, arguments.cluster, "url", "--scheduler", scheduler, "--partitions", FILES)
    if module("pyspark"):
        frame = stack.enter_context(spark(data))
        yield f"Spark {version('pyspark')}, two workers", frame


def command(data: Data) -> int:
    options = ["--agent", AGENT, "--policies", data.bundle, "--output", "allowed", "--output-format", "tsv"]
    return data.run("robomata", "filter", *options, *data.files).count(b"\n")


def count(allowed: robomata.Column) -> int:
    return pc.sum(pa.chunked_array(allowed)).as_py() or 0


def with_pyarrow(data: Data, policies: robomata.PolicySet) -> int:
    batches = ds.dataset(data.parquet).to_batches(columns=["url"])
    return sum(count(policies.allowed(batch["url"], AGENT)) for batch in batches)


def with_pyarrow_parts(data: Data, policies: robomata.PolicySet) -> int:
    batches = ds.dataset(data.parquet).to_batches(columns=COLUMNS)
    return sum(count(policies.allowed_parts(*batch.columns, AGENT)) for batch in batches)


def with_polars(data: Data, policies: robomata.PolicySet) -> int:
    import polars as pl

    allowed = pl.col("url").map_batches(
        lambda urls: pl.Series(policies.allowed(urls, AGENT)), return_dtype=pl.Boolean, is_elementwise=True
    )
    return pl.scan_parquet(data.parquet).select(allowed.sum()).collect(engine="streaming").item()


def with_duckdb(data: Data, policies: robomata.PolicySet) -> int:
    import duckdb

    database = duckdb.connect()
    database.create_function(
        "robots_allowed",
        lambda urls: pa.array(policies.allowed(urls, AGENT)),
        ["VARCHAR"],
        "BOOLEAN",
        type="arrow",
        null_handling="special",
    )
    query = f"SELECT count(*) FROM '{data.parquet}/*.parquet' WHERE robots_allowed(url)"
    return database.execute(query).fetchone()[0]


def sql(data: Data, programs: Path, columns: str, *options: object) -> int:
    query = f"SELECT count(*) AS allowed FROM index WHERE robots_allowed('{data.bundle}', '{AGENT}', {columns})"
    command = [programs / "robomata-sql", "--table", f"index={data.parquet}", "--format", "json", *options, query]
    found = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout
    return json.loads(found)["allowed"]


@contextlib.contextmanager
def ballista(programs: Path, data: Data) -> Iterator[str]:
    """Starts a scheduler and two executors, with one task each, on this machine. Returns the scheduler's address."""
    processes = []

    def start(program: str, *options: object) -> None:
        with open(data.parquet.parent / f"{program}-{len(processes)}.log", "wb") as log:
            processes.append(subprocess.Popen([programs / program, *map(str, options)], stdout=log, stderr=log))

    try:
        port = free_port()
        start("robomata-scheduler", "--port", port)
        wait_for(port)
        for _ in range(2):
            start("robomata-executor", "--scheduler", f"127.0.0.1:{port}", "--tasks", 1)
        yield f"127.0.0.1:{port}"
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def spark(data: Data) -> Iterator[Callable[[], int]]:
    """Starts Spark with two workers of one core each. Returns a function that counts the allowed URLs."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    from robomata.spark import robots_allowed

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        frame = session.read.parquet(str(data.parquet)).select("url")
        yield lambda: frame.where(robots_allowed(data.bundle, AGENT, "url")).count()
    finally:
        session.stop()


def one_by_one(data: Data) -> Iterator[tuple[str, float]]:
    """URLs per second with one call per URL."""
    urls = data.lines[:: max(1, data.urls // 200_000)]
    policies = robomata.PolicySet.open(data.bundle)
    start = time.perf_counter()
    for url in urls:
        policies.check_url(url, AGENT)
    yield "Python, a call for each URL", len(urls) / (time.perf_counter() - start)


def module(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit(f"port {port} is still closed after {seconds:.0f} seconds")


if __name__ == "__main__":
    main()
