"""`robomata.spark` on a local cluster of two executors: both work, and give the same answers as a single process."""

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import CRATE, Frontier, needs, run

needs("PySpark")
needs("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import robomata
from robomata import PolicySet

pytestmark = pytest.mark.cluster

COPIES = 4
PARTS = ["protocol", "host", "port", "path", "query"]


@pytest.fixture(scope="module")
def parquet(frontier: Frontier, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frontier, repeated, in several files, with whole URLs and with parts."""
    folder = tmp_path_factory.mktemp("urls")
    for copy in range(COPIES):
        ids = [copy * len(frontier.urls) + i for i in range(len(frontier.urls))]
        table = {"id": ids, "url": frontier.urls, **dict(zip(PARTS, zip(*map(split, frontier.urls))))}
        pq.write_table(pa.table(table, schema=SCHEMA), folder / f"{copy}.parquet")
    return folder


TYPES = [pa.int32() if part == "port" else pa.string() for part in PARTS]
SCHEMA = pa.schema([("id", pa.int64()), ("url", pa.string()), *zip(PARTS, TYPES)])


def split(url: str | None) -> tuple[str | int | None, ...]:
    """The parts of a URL, as in Common Crawl's index."""
    if url is None:
        return (None,) * 5
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port, parts.path, parts.query or None


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A separate SPARK_HOME, because executors write their work and logs to folders in it."""
    folder = tmp_path_factory.mktemp("spark")
    installed = find_spec("pyspark")
    assert installed and installed.origin
    for entry in Path(installed.origin).parent.iterdir():
        if entry.name != "work":
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture(scope="module")
def bundle(policies: PolicySet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, and another one that replaces a copy of it."""
    path = tmp_path_factory.mktemp("bundle") / "policies.bundle"
    policies.save(path)
    PolicySet.build({"https://site0.example": b"User-agent: *\nDisallow: /\n"}).save(f"{path}.other")
    return path


def on_spark(home: Path, *arguments: object, **environment: str) -> str:
    shutil.which("java") or pytest.fail("Spark needs Java 17, and there is no java")
    return run(
        *arguments,
        seconds=900,
        SPARK_HOME=str(home),
        SPARK_LOCAL_IP="127.0.0.1",
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_DRIVER_PYTHON=sys.executable,
        PYTHONHASHSEED="0",
        **environment,
    )


def submit(master: str, attempts: int = 1) -> str:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.codegen.wholeStage": "false",
        "spark.scheduler.minRegisteredResourcesRatio": "1",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
        "spark.locality.wait": "0s",
        "spark.task.maxFailures": str(attempts),
    }
    return " ".join(["--master", master, *(f"--conf {key}={value}" for key, value in settings.items()), "pyspark-shell"])


@pytest.fixture(scope="module")
def results(home: Path, bundle: Path, frontier: Frontier, parquet: Path) -> dict:
    arguments = [CRATE / "tests/spark_job.py", bundle, frontier.agent, parquet]
    return json.loads(on_spark(home, *arguments, PYSPARK_SUBMIT_ARGS=submit("local-cluster[2,1,1024]")))


@pytest.fixture(scope="module")
def expected(policies: PolicySet, frontier: Frontier) -> list[dict]:
    """The answers of a single process."""
    parts = [pa.array(part, data_type) for part, data_type in zip(zip(*map(split, frontier.urls)), TYPES)]
    answers = {
        "allowed": policies.allowed(frontier.urls, frontier.agent),
        "verdict": policies.check(frontier.urls, frontier.agent),
        "allowed_parts": policies.allowed_parts(*parts, frontier.agent),
        "verdict_parts": policies.check_parts(*parts, frontier.agent),
    }
    columns = [array.to_pylist() for array in answers.values()]
    return [dict(zip(answers, row)) for row in zip(*columns)] * COPIES


def test_both_workers_work(results: dict) -> None:
    workers = {row["worker"] for row in results["columns"]}
    assert len(workers) == 2, workers


def test_columns_say_what_a_single_process_says(results: dict, expected: list[dict]) -> None:
    assert [without(row, "id", "worker") for row in results["columns"]] == expected
    said = {row["verdict"]["verdict"] for row in expected if row["verdict"] is not None}
    assert said >= {"allow", "disallow", "unknown", "invalid"}


def test_sql_says_what_a_single_process_says(results: dict, expected: list[dict]) -> None:
    assert [without(row, "id") for row in results["sql"]] == expected


def test_a_filter_keeps_what_is_allowed(results: dict, expected: list[dict]) -> None:
    assert results["filtered"] == sum(row["allowed"] is True for row in expected) > 0


def test_workers_say_what_they_are(results: dict, policies: PolicySet) -> None:
    assert results["build"] == [{"id": 0, "build": {"version": robomata.__version__, "hash": policies.hash}}]


@pytest.mark.parametrize("way", ["column", "sql"])
def test_a_bundle_that_was_replaced_is_an_error(results: dict, policies: PolicySet, way: str) -> None:
    message = results["stale"][way]
    assert "policies.bundle.replaced" in message and policies.hash in message, message


@pytest.mark.parametrize("way", ["column", "sql"])
def test_a_bundle_that_was_cut_off_is_an_error(results: dict, way: str) -> None:
    message = results["stale"][f"truncated {way}"]
    assert "policies.bundle.replaced: not a valid policy bundle" in message, message


def test_a_registered_bundle_stays_pinned_when_another_is_registered(results: dict, expected: list[dict]) -> None:
    assert [row["allowed"] for row in results["after another"]] == [row["allowed"] for row in expected]


def test_workers_refuse_a_bundle_that_the_driver_did_not_pin(results: dict, policies: PolicySet, bundle: Path) -> None:
    message = results["not pinned"]
    assert "the driver did not pin this bundle" in message and f"{bundle}#{policies.hash}" in message, message


def test_the_crawler_is_a_literal_in_sql(results: dict) -> None:
    assert "agent: expected a literal text" in results["not a literal"]


def test_only_a_usage_may_follow_the_columns(policies: PolicySet, bundle: Path) -> None:
    from robomata.spark import _function_of_literals

    def ask(method: str, *arguments: str | int | None) -> list[bool | None]:
        return _function_of_literals(method, {}).func(*(pa.array([argument]) for argument in arguments)).to_pylist()

    url, parts = ["https://site1.example/open"], ["https", "site1.example", None, "/open"]
    query = [PolicySet.open(bundle).pinned_path, "ExampleBot"]
    assert ask("allowed", *query, *url) == ask("allowed", *query, *url, "crawl") == [True]
    # The query of a URL may be any text.
    for text in [None, "search", "ai-train"]:
        assert ask("allowed_parts", *query, *parts, text, None) == ask("allowed_parts", *query, *parts, text, "crawl") == [True]
    for arguments in [[], [*url, "crawl", "x"]]:
        with pytest.raises(ValueError, match="expected bundle, agent, url and optionally a usage, found"):
            ask("allowed", *query, *arguments)
    # The query, the usage, or both were forgotten; or there is something else.
    for arguments in [[*parts, "ai-train"], [*parts, None], parts, [*parts, None, "crawl", "x"]]:
        with pytest.raises(ValueError, match=r"path, query and a usage \(NULL for none\), found"):
            ask("allowed_parts", *query, *arguments)
    for method, arguments in [("allowed", [*url, None]), ("allowed_parts", [*parts, None, "train"])]:
        with pytest.raises(ValueError, match="usage"):
            ask(method, *query, *arguments)


def test_the_driver_finds_mistakes_before_a_query_runs(policies: PolicySet, bundle: Path, tmp_path: Path) -> None:
    from pyspark.errors import PySparkRuntimeError

    from robomata.spark import robots_allowed, robots_verdict_parts

    other = tmp_path / "other.bundle"
    PolicySet.build({}, agents=["OtherBot"]).save(other)
    here, absent = PolicySet.open(bundle).pinned_path, f"{tmp_path / 'absent.bundle'}#{policies.hash}"
    mistakes = [
        ([here, absent], {"agent": ""}, ValueError, "the crawler's name is empty"),
        ([here, absent], {"usage": "train"}, ValueError, "unknown usage 'train'"),
        ([bundle, here], {"agent": "my bot"}, ValueError, "my bot"),
        ([bundle, here], {"usage": "ai-train"}, ValueError, "do not answer about ai-train"),
        ([other], {"agent": "ExampleBot"}, ValueError, "other.bundle: .*ExampleBot"),
        ([f"{other}#{policies.hash}"], {}, ValueError, "other.bundle: another bundle"),
        ([tmp_path / "absent.bundle"], {}, FileNotFoundError, "absent.bundle"),
    ]
    for bundles, changes, error, message in mistakes:
        arguments = {"agent": "ExampleBot", **changes}
        for name in bundles:
            with pytest.raises(error, match=message):
                robots_allowed(name, url="url", **arguments)
            with pytest.raises(error, match=message):
                robots_verdict_parts(name, protocol="p", host="h", port="o", path="a", query="q", **arguments)
    for name, usage in [(bundle, None), (here, "crawl"), (absent, None), (absent, "ai-train")]:
        # There is no session in this process.
        with pytest.raises(PySparkRuntimeError):
            robots_allowed(name, "ExampleBot", "url", usage=usage)


def test_the_driver_finds_arguments_of_another_type(policies: PolicySet, bundle: Path, tmp_path: Path) -> None:
    from robomata.spark import robots_allowed

    here, absent = PolicySet.open(bundle).pinned_path, f"{tmp_path / 'absent.bundle'}#{policies.hash}"
    column = object()
    types = {"agent": [column, ["ExampleBot"], None], "usage": [column, 1], "now": [column, True, "2026"], "bundle": [column, None]}
    for argument, values in types.items():
        for name in [bundle, here, absent]:
            for value in values:
                with pytest.raises(TypeError, match="expected|not an instance of 'str'"):
                    robots_allowed(**{"bundle": name, "agent": "ExampleBot", "url": "url", argument: value})


def without(row: dict, *names: str) -> dict:
    return {name: value for name, value in row.items() if name not in names}


def test_a_worker_and_an_executor_that_are_killed_are_made_up_for(
    home: Path, bundle: Path, frontier: Frontier, parquet: Path, expected: list[dict], tmp_path: Path
) -> None:
    killed = tmp_path / "killed"
    arguments = [CRATE / "tests/spark_job.py", bundle, frontier.agent, parquet, killed]
    rows = json.loads(on_spark(home, *arguments, PYSPARK_SUBMIT_ARGS=submit("local-cluster[2,1,1024]", attempts=4)))
    assert killed.read_text() not in {row["executor"] for row in rows}
    assert Path(f"{killed}.worker").read_text().isdigit()
    answers = [{name: row[name] for name in ("allowed", "verdict")} for row in expected]
    assert [without(row, "id", "executor") for row in rows] == answers


def test_spark_connect_says_the_same(
    home: Path, bundle: Path, frontier: Frontier, parquet: Path, expected: list[dict]
) -> None:
    needs("grpcio", "grpc")
    arguments = [CRATE / "tests/spark_job.py", bundle, frontier.agent, parquet]
    PolicySet.build({"https://site0.example": b"User-agent: *\nDisallow: /\n"}).save(f"{bundle}.other")
    results = json.loads(on_spark(home, *arguments, SPARK_REMOTE="local[2]"))
    assert [without(row, "id", "worker") for row in results["columns"]] == expected
    assert [without(row, "id") for row in results["sql"]] == expected
    assert [row["allowed"] for row in results["after another"]] == [row["allowed"] for row in expected]
