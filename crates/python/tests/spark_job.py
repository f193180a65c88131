"""The cluster job for the test of `robomata.spark`: `spark_job.py BUNDLE AGENT PARQUET` prints its results as JSON.

With a fourth argument, a Python worker and an executor are killed in the middle of the query. The pid of the executor is written
to the file of that name, and that of the worker to the same name with `.worker`.

It uses only features of Spark Connect, so it runs on any Spark. PYSPARK_SUBMIT_ARGS or SPARK_REMOTE determines where it runs.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from robomata.spark import register, robots_allowed, robots_allowed_parts, robots_verdict, robots_verdict_parts

PARTS = ["protocol", "host", "port", "path", "query"]


def main(bundle: str, agent: str, parquet: str, killed: str | None = None) -> None:
    spark = SparkSession.builder.getOrCreate()
    try:
        found = after_a_kill(spark, bundle, agent, parquet, killed) if killed else results(spark, bundle, agent, parquet)
        print(json.dumps(found))
    finally:
        spark.stop()


def after_a_kill(spark: SparkSession, bundle: str, agent: str, parquet: str, killed: str) -> list[dict[str, object]]:
    urls = spark.read.parquet(parquet).repartition(4, "id")
    return rows(
        urls.select(
            "id",
            robots_allowed(bundle, agent, "url").alias("allowed"),
            robots_verdict(bundle, agent, "url").alias("verdict"),
            F.arrow_udf(killer(killed), StringType())("url").alias("executor"),
        )
    )


def killer(killed: str) -> Callable[[pa.Array], pa.Array]:
    """A column of the executors' pids. The first call kills its process, a worker of the Python daemon. The second one kills its
    executor, the parent of the daemon."""

    def executor(column: pa.Array) -> pa.Array:
        with open(f"/proc/{os.getppid()}/stat") as stat:
            pid = stat.read().rpartition(")")[2].split()[1]
        for victim, path in [(str(os.getpid()), f"{killed}.worker"), (pid, killed)]:
            try:
                with open(path, "x") as file:
                    file.write(victim)
            except FileExistsError:
                continue
            os.kill(int(victim), signal.SIGKILL)
            time.sleep(600)  # until the daemon notices
            raise AssertionError("the executor is gone, and its Python still works")
        return pa.array([pid] * len(column))

    return executor


def results(spark: SparkSession, bundle: str, agent: str, parquet: str) -> dict[str, object]:
    urls = spark.read.parquet(parquet).repartition(4, "id")
    urls.createOrReplaceTempView("urls")
    columns = urls.select(
        "id",
        robots_allowed(bundle, agent, "url").alias("allowed"),
        robots_verdict(bundle, agent, F.col("url")).alias("verdict"),
        robots_allowed_parts(bundle, agent, *PARTS).alias("allowed_parts"),
        robots_verdict_parts(bundle, agent, *PARTS).alias("verdict_parts"),
        # Requires a session, which determines whether the column is for classic Spark or for Connect.
        F.arrow_udf(worker, StringType())("url").alias("worker"),
    )
    register(spark)
    not_pinned = failure(spark.sql(f"SELECT robots_allowed('{bundle}', '{agent}', url) AS allowed FROM urls"))
    register(spark, bundle)
    sql = spark.sql(
        f"""
        SELECT id, robots_allowed('{bundle}', '{agent}', url) AS allowed, robots_verdict('{bundle}', '{agent}', url) AS verdict,
               robots_allowed_parts('{bundle}', '{agent}', {", ".join(PARTS)}, NULL) AS allowed_parts,
               robots_verdict_parts('{bundle}', '{agent}', {", ".join(PARTS)}, NULL) AS verdict_parts
        FROM urls"""
    )
    return {
        "columns": rows(columns),
        "sql": rows(sql),
        "filtered": urls.where(robots_allowed(bundle, agent, "url")).count(),
        "build": rows(spark.sql(f"SELECT 0 AS id, robots_build('{bundle}') AS build")),
        "not a literal": failure(spark.sql(f"SELECT robots_allowed('{bundle}', url, url) AS allowed FROM urls")),
        "not pinned": not_pinned,
        # Registers another bundle.
        "stale": stale(spark, urls, bundle, agent),
        "after another": rows(spark.sql(f"SELECT id, robots_allowed('{bundle}', '{agent}', url) AS allowed FROM urls")),
    }


def worker(column: pa.Array) -> pa.Array:
    """The executor that does the work: its Python daemon, the parent of the workers."""
    return pa.array([str(os.getppid())] * len(column))


def stale(spark: SparkSession, urls: DataFrame, bundle: str, agent: str) -> dict[str, str]:
    """The errors if the bundle of a query is replaced, or cut off, before the query runs."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(bundle)) as folder:
        replaced, new = (os.path.join(folder, name) for name in ["policies.bundle.replaced", "new"])
        shutil.copyfile(bundle, replaced)
        register(spark, replaced)
        column = urls.select(robots_allowed(replaced, agent, "url").alias("allowed"))
        sql = spark.sql(f"SELECT robots_allowed('{replaced}', '{agent}', url) AS allowed FROM urls")
        found = {}
        for way, source, size in [("", f"{bundle}.other", None), ("truncated ", bundle, os.path.getsize(bundle) - 1)]:
            shutil.copyfile(source, new)
            if size is not None:
                os.truncate(new, size)
            os.replace(new, replaced)
            found |= {f"{way}column": failure(column), f"{way}sql": failure(sql)}
        return found


def failure(frame: DataFrame) -> str:
    try:
        frame.collect()
    except Exception as error:
        return str(error)
    return "no error"


def rows(frame: DataFrame) -> list[dict[str, object]]:
    return [row.asDict(recursive=True) for row in frame.orderBy("id").collect()]


if __name__ == "__main__":
    main(*sys.argv[1:])
