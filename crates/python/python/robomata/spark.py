"""robomata in Spark: columns of URLs against a bundle file, in DataFrames and in SQL.

    >>> from robomata.spark import register, robots_allowed
    >>> urls.where(robots_allowed("/data/policies.bundle", "ExampleBot", "url"))       # doctest: +SKIP
    >>> register(spark, "/data/policies.bundle")                                       # doctest: +SKIP
    >>> spark.sql("SELECT url FROM urls WHERE robots_allowed('/data/policies.bundle', 'ExampleBot', url)")  # doctest: +SKIP

A bundle lies at the same path on every machine, as on a shared file system; the workers map it into memory by themselves, once
a process, and nothing of it travels through Spark. Its content hash does travel: a worker that finds another bundle at the path
fails and says so. A driver that has no such file names the hash itself, behind the path: ``/data/policies.bundle#<hash>``.
Shards of a bundle are named with a star, ``policies-*-of-00016.bundle``. Rows go to the workers as Arrow batches and are
answered by :class:`robomata.PolicySet`; nothing is decided here. Permissions that end on a date are judged at ``now``, by
default the clock when the column is made; in SQL the clock of the worker at each batch. It works under Spark Connect, too, from Spark 4.1 on.
"""

from __future__ import annotations

import datetime
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

# What a verdict is in Spark, which knows no unsigned integers.
_VERDICT = pa.struct([("verdict", pa.string()), ("line", pa.int32()), ("reason", pa.string())])
_TYPES = {
    "allowed": BooleanType(),
    "check": StructType().add("verdict", StringType()).add("line", IntegerType()).add("reason", StringType()),
}
# What stands behind a name that is pinned.
_PIN = re.compile("#[0-9a-fA-F]{32}$")
_BUILD = StructType().add("version", StringType()).add("hash", StringType())


def robots_allowed(
    bundle: str | os.PathLike[str],
    agent: str,
    url: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """May ``agent`` fetch the URLs of the column ``url``? NULL where no answer is known: no URL, or no policy of its site."""
    return _column("allowed", bundle, agent, [url], usage, now)


def robots_verdict(
    bundle: str | os.PathLike[str],
    agent: str,
    url: Column | str,
    *,
    usage: str | None = None,
    now: datetime.datetime | float | None = None,
) -> Column:
    """The verdict on each URL with the rule's line and the kind of decision: ``struct<verdict,line,reason>``."""
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
    """:func:`robots_allowed` of URLs that are split, as Common Crawl's index has them."""
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
    """:func:`robots_verdict` of URLs that are split."""
    return _column("check_parts", bundle, agent, [protocol, host, port, path, query], usage, now)


def register(spark: SparkSession, *bundles: str | os.PathLike[str]) -> None:
    """Makes SQL know ``robots_allowed(bundle, agent, url)``, ``robots_verdict(bundle, agent, url)``, both with ``_parts`` (in
    place of ``url``: protocol, host, port, path, query) and perhaps a usage as their last argument, and
    ``robots_build(bundle)``, which says a worker's version of robomata and the content hash of its bundle.

    ``bundle``, ``agent`` and the usage are literals. Queries may name ``bundles`` as they are written here, and are pinned to what
    they hold now. Another bundle is taken as it is found, unless it is pinned in the query: ``'/data/policies.bundle#<hash>'``.
    """
    pinned = {os.fspath(bundle): _pinned(bundle) for bundle in bundles}
    for name, method in [
        ("robots_allowed", "allowed"),
        ("robots_verdict", "check"),
        ("robots_allowed_parts", "allowed_parts"),
        ("robots_verdict_parts", "check_parts"),
    ]:
        spark.udf.register(name, _function_of_literals(method, pinned))
    spark.udf.register("robots_build", _function_of_builds(pinned))


def _pinned(bundle: str | os.PathLike[str]) -> str:
    """The name of a bundle wherever it is opened: whole, since a worker's current directory is its own, and with its hash."""
    name = os.path.abspath(bundle)
    if _PIN.search(name):
        return name
    return PolicySet.open(name).pinned_path or name


def _column(
    method: str,
    bundle: str | os.PathLike[str],
    agent: str,
    columns: list[Column | str],
    usage: str | None,
    now: datetime.datetime | float | None,
) -> Column:
    name = _pinned(bundle)
    # One instant for all batches, whichever worker answers them, and whenever.
    at = time.time() if now is None else now

    def answers(*batch: pa.Array) -> pa.Array:
        return _answers(method, name, batch, agent, usage, at)

    column: Column = arrow_udf(answers, _type_of(method))(*columns)
    return column


def _function_of_literals(method: str, pinned: dict[str, str]) -> Any:
    def answers(bundle: pa.Array, agent: pa.Array, *batch: pa.Array) -> pa.Array:
        name = _literal(bundle, "bundle")
        columns = 5 if method.endswith("_parts") else 1
        usage = _literal(batch[columns], "usage") if len(batch) > columns else None
        return _answers(method, pinned.get(name, name), batch[:columns], _literal(agent, "agent"), usage)

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
    # Opened once a process: to open it again for each batch is to look whether it was replaced.
    policies = PolicySet.open(name)
    # A task has one core.
    answers = pa.array(getattr(policies, method)(*batch, agent, usage=usage, now=now, threads=1))
    return answers.cast(_VERDICT) if method.startswith("check") else answers


def _type_of(method: str) -> DataType:
    return _TYPES[method.removesuffix("_parts")]


def _literal(column: pa.Array, name: str) -> str:
    values = column.unique().to_pylist()
    if len(values) != 1 or values[0] is None:
        raise ValueError(f"{name}: a literal text is expected, found {values[:2]}")
    return str(values[0])
