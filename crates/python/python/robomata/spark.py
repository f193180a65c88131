"""robomata in Spark: evaluates columns of URLs with a bundle file, in DataFrames and in SQL.

    >>> from robomata.spark import register, robots_allowed
    >>> urls.where(robots_allowed("/data/policies.bundle", "ExampleBot", "url"))       # doctest: +SKIP
    >>> register(spark, "/data/policies.bundle")                                       # doctest: +SKIP
    >>> spark.sql("SELECT url FROM urls WHERE robots_allowed('/data/policies.bundle', 'ExampleBot', url)")  # doctest: +SKIP

The bundle must have the same path on every machine, for example on a shared file system. Each worker process reads it into
memory once; Spark does not transfer it. Spark does transfer the content hash: a worker that finds a different bundle at the
path fails with an error. A driver without the file gives the hash after the path: ``/data/policies.bundle#<hash>``. Without a
hash, workers refuse to answer, because each of them may have another file. The shards of a bundle are named with a star,
``policies-*-of-00016.bundle``.

The functions that return a column check their arguments at once, with the bundle if the driver has the file. So a mistake is an
error before Spark runs the query and deletes the output that the query overwrites. In SQL, workers check the arguments.

Spark sends rows to the workers as Arrow batches, and :class:`robomata.PolicySet` evaluates them. Permissions that end on a date
are evaluated at ``now``. The default is the time at which the column is created; in SQL, it is the worker's time at each batch.
Spark Connect is supported from Spark 4.1 on.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.functions import arrow_udf
from pyspark.sql.types import BooleanType, DataType, IntegerType, StringType, StructType

import robomata
from robomata import PolicySet

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

__all__ = [
    "register",
    "robots_allowed",
    "robots_allowed_parts",
    "robots_verdict",
    "robots_verdict_parts",
]

# The type of a verdict in Spark, which has no unsigned integers.
_VERDICT = pa.struct([("verdict", pa.string()), ("line", pa.int32()), ("reason", pa.string())])
_TYPES = {
    "allowed": BooleanType(),
    "check": StructType().add("verdict", StringType()).add("line", IntegerType()).add("reason", StringType()),
}
# The hash at the end of a pinned name.
_PIN = re.compile("#[0-9a-fA-F]{32}$")
# The setting with the registered names and their pinned names. Like the functions, it belongs to the session.
_REGISTERED = "robomata.bundles"
_BUILD = StructType().add("version", StringType()).add("hash", StringType())


def robots_allowed(
    bundle: str | os.PathLike[str],
    agent: str,
    url: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """May ``agent`` fetch the URLs of the column ``url``? NULL if the answer is unknown: not a URL, or no policy for the site."""
    return _column("allowed", bundle, agent, [url], usage, now)


def robots_verdict(
    bundle: str | os.PathLike[str],
    agent: str,
    url: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """Returns the verdict on each URL, with the line of the rule and the reason: ``struct<verdict,line,reason>``."""
    return _column("check", bundle, agent, [url], usage, now)


def robots_allowed_parts(
    bundle: str | os.PathLike[str],
    agent: str,
    protocol: Column | str,
    host: Column | str,
    port: Column | str,
    path: Column | str,
    query: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """:func:`robots_allowed` for URLs in parts, as in Common Crawl's index."""
    return _column("allowed_parts", bundle, agent, [protocol, host, port, path, query], usage, now)


def robots_verdict_parts(
    bundle: str | os.PathLike[str],
    agent: str,
    protocol: Column | str,
    host: Column | str,
    port: Column | str,
    path: Column | str,
    query: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """:func:`robots_verdict` for URLs in parts."""
    return _column("check_parts", bundle, agent, [protocol, host, port, path, query], usage, now)


def register(spark: SparkSession, *bundles: str | os.PathLike[str]) -> None:
    """Registers SQL functions: ``robots_allowed(bundle, agent, url)`` and ``robots_verdict(bundle, agent, url)``, which accept a
    usage as last argument; both with ``_parts``, which take protocol, host, port, path, query and usage instead of ``url``, where
    the usage is NULL for none; and ``robots_build(bundle)``, which returns the worker's version of robomata and the content hash
    of its bundle.

    ``bundle``, ``agent`` and the usage must be literals. Queries that name one of ``bundles``, exactly as written here, are
    pinned to its current contents. Another call adds bundles, and pins a bundle again. For other bundles the query must give the
    hash: ``'/data/policies.bundle#<hash>'``. ``robots_build`` does not need it.
    """
    pinned: dict[str, str] = json.loads(spark.conf.get(_REGISTERED, "{}"))
    pinned |= {os.fspath(bundle): _opened(bundle)[0] for bundle in bundles}
    for name, method in [
        ("robots_allowed", "allowed"),
        ("robots_verdict", "check"),
        ("robots_allowed_parts", "allowed_parts"),
        ("robots_verdict_parts", "check_parts"),
    ]:
        spark.udf.register(name, _function_of_literals(method, pinned))
    spark.udf.register("robots_build", _function_of_builds(pinned))
    spark.conf.set(_REGISTERED, json.dumps(pinned))


def _opened(bundle: str | os.PathLike[str]) -> tuple[str, PolicySet | None]:
    """Returns the name under which workers open a bundle: an absolute path, because each worker has its own current directory,
    with the hash. Also returns the bundle, or None if the name has the hash and the driver does not have the file."""
    name = os.path.abspath(bundle)
    try:
        policies = PolicySet.open(name)
    except OSError:
        if not _PIN.search(name):
            raise
        return name, None
    return policies.pinned_path or name, policies


def _column(
    method: str,
    bundle: str | os.PathLike[str],
    agent: str,
    columns: list[Column | str],
    usage: str | None,
    now: datetime.datetime | float | None,
) -> Column:
    name, policies = _opened(bundle)
    # All batches use the same time, on every worker.
    at = time.time() if now is None else now
    if policies is None:
        # Google's dialect refuses the fewest names.
        policies = PolicySet.build({}, agents=[agent], dialect="google", usage=usage)
    # Reports a mistake before Spark runs the query. Without a URL, no shard would be opened.
    policies.allowed(["https://robomata.invalid/"], agent, usage=usage, now=at, threads=1)

    def answers(*batch: pa.Array) -> pa.Array:
        return _answers(method, name, batch, agent, usage, at)

    column: Column = arrow_udf(answers, _type_of(method))(*columns)
    return column


def _function_of_literals(method: str, pinned: dict[str, str]) -> Any:
    in_parts = method.endswith("_parts")
    names = ("protocol", "host", "port", "path", "query") if in_parts else ("url",)
    # With an optional usage, a call that forgets the query would have the usage as query, and would not ask about it.
    usages = (1,) if in_parts else (0, 1)

    def answers(bundle: pa.Array, agent: pa.Array, *batch: pa.Array) -> pa.Array:
        name = _literal(bundle, "bundle")
        columns, rest = batch[: len(names)], batch[len(names) :]
        if len(batch) - len(names) not in usages:
            expected = ", ".join(("bundle", "agent", *names))
            usage = "a usage (NULL for none)" if in_parts else "optionally a usage"
            raise ValueError(f"expected {expected} and {usage}, found {len(batch) + 2} arguments")
        has_usage = bool(rest) and not (in_parts and rest[0].null_count == len(rest[0]))
        asked = _literal(rest[0], "usage") if has_usage else None
        return _answers(method, pinned.get(name, name), columns, _literal(agent, "agent"), asked)

    return arrow_udf(answers, _type_of(method))


def _function_of_builds(pinned: dict[str, str]) -> Any:
    def build(bundle: pa.Array) -> pa.Array:
        name = _literal(bundle, "bundle")
        policies = PolicySet.open(pinned.get(name, name))
        return pa.array([{"version": robomata.__version__, "hash": policies.hash}] * len(bundle))

    return arrow_udf(build, _BUILD)


def _answers(
    method: str, name: str, batch: tuple[Any, ...], agent: str, usage: str | None, now: datetime.datetime | float | None = None
) -> pa.Array:
    # A process opens a bundle once. Opening it again for each batch only checks whether it was replaced.
    policies = PolicySet.open(name)
    if not _PIN.search(name):
        raise ValueError(
            f"{name}: the driver did not pin this bundle, so nothing ensures that all workers have the same file (register the "
            f"bundle at the driver, or write its hash after the name: this worker's file is {policies.pinned_path!r})"
        )
    # A task has one core.
    answers = pa.array(getattr(policies, method)(*batch, agent, usage=usage, now=now, threads=1))
    return answers.cast(_VERDICT) if method.startswith("check") else answers


def _type_of(method: str) -> DataType:
    return _TYPES[method.removesuffix("_parts")]


def _literal(column: pa.Array, name: str) -> str:
    values = column.unique().to_pylist()
    if len(values) != 1 or values[0] is None:
        raise ValueError(f"{name}: expected a literal text, found {values[:2]}")
    return str(values[0])
