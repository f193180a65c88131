"""Unusual arguments, invalid arguments and long inputs."""

import datetime
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from email.message import Message
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import AGENT, needs

from robomata import PolicySet, Robots
from robomata.robotparser import RobotFileParser

BODY = "User-agent: ExampleBot\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n"
SITE = "https://a.example"


@pytest.fixture
def one_site() -> PolicySet:
    return PolicySet.build({SITE: BODY})


@pytest.mark.parametrize("agent", [AGENT, AGENT.lower(), f"{AGENT}/2.1", b"Mozilla/5.0 (compatible; ExampleBot/2.1)", f"No,{AGENT}"])
def test_who_asks_is_named_alike_everywhere(agent: str | bytes, one_site: PolicySet) -> None:
    for path, allowed in [("/x", False), ("/y", True)]:
        assert one_site.check_url(SITE + path, agent).allowed is allowed
        assert one_site.allowed([SITE + path], agent).to_pylist() == [allowed]
        assert Robots.parse(BODY).can_fetch(SITE + path, agent) is allowed


def test_declared_agents_are_asked_for_in_any_case() -> None:
    policies = PolicySet.build({SITE: BODY}, agents=[AGENT])
    assert policies.check_url(SITE + "/x", AGENT.upper()).line == 2


def test_one_url_is_asked_about_with_the_usage() -> None:
    policies = PolicySet.build({SITE: BODY + "Content-Signal: ai-train=no\n"}, agents=["Bot"], usage="ai-train")
    assert not policies.check_url(SITE, "Bot", usage="ai-train").allowed
    with pytest.raises(ValueError, match="do not answer about crawl"):
        policies.check_url(SITE, "Bot")


def test_texts_that_are_no_utf8_are_what_they_were() -> None:
    robots = Robots.parse(b"User-agent: *\nDisallow: /caf\xe9".decode("utf-8", "surrogateescape"))
    assert not robots.can_fetch(b"/caf\xe9", AGENT)
    assert not robots.can_fetch("/caf\udce9", AGENT)
    assert robots.can_fetch("/\ud83d", AGENT)


def test_columns_of_parts_need_not_be_cut_alike(one_site: PolicySet) -> None:
    protocol = pa.chunked_array([["https", "https"], ["https", "http"]])
    host = pa.chunked_array([["a.example"], ["a.example", "a.example"], ["a.example"]]).dictionary_encode()
    port, path = [None, -1, 443, 80], pa.array(["/x", "/y", "/x", "/y"])
    answers = one_site.allowed_parts(protocol, host, port, path, [None] * 4, AGENT)
    assert answers.to_pylist() == [False, True, False, None]
    assert pa.array(answers).to_pylist() == answers.to_pylist() == list(answers)
    with pytest.raises(TypeError, match="path: expected 4 rows, like protocol, found 1"):
        one_site.allowed_parts(protocol, host, port, ["/"], [None] * 4, AGENT)


def test_a_column_of_many_chunks_is_gone_through(one_site: PolicySet) -> None:
    answers = one_site.check(pa.chunked_array([[SITE + "/x"]] * 5000 + [[None]]), AGENT)
    assert len(answers) == 5001 and answers[-1] is None and answers[4999]["line"] == answers[-2]["line"] == 2
    assert sum(answer is not None for answer in answers) == 5000
    with pytest.raises(IndexError):
        answers[5001]


def test_an_empty_column_is_asked_about_as_any(one_site: PolicySet) -> None:
    assert len(one_site.check(pa.chunked_array([], pa.string()), AGENT)) == 0
    for nothing in ([], pa.chunked_array([], pa.string())):
        with pytest.raises(ValueError, match="ai-train"):
            one_site.check(nothing, AGENT, usage="ai-train")


def test_sites_are_gone_through_one_by_one(one_site: PolicySet) -> None:
    sites = one_site.sites()
    assert iter(sites) is sites and next(sites).site == SITE
    assert list(sites) == []


def test_shards_are_identified_by_their_manifest(tmp_path: Path, one_site: PolicySet) -> None:
    one_site.save(tmp_path / "p.bundle")
    (tmp_path / "p.bundle").rename(tmp_path / "p-00000-of-00001.bundle")
    name = tmp_path / "p-*-of-00001.bundle"
    with pytest.raises(FileNotFoundError, match="p-of-00001.shards"):
        PolicySet.open(name)
    (tmp_path / "p-of-00001.shards").write_text(f"{one_site.hash} 0\n")
    shards = PolicySet.open(name)
    assert shards.pinned_path == f"{name}#{shards.hash}" and shards.check_url(SITE + "/x", AGENT).line == 2
    (tmp_path / "p-of-00001.shards").write_text(f"{'0' * 32} 0\n")
    with pytest.raises(ValueError, match=f"p-00000-of-00001.bundle: .*expected {'0' * 32}, found {one_site.hash}"):
        PolicySet.open(name).check_url(SITE, AGENT)


@pytest.mark.parametrize(
    "robots, said",
    [
        ([(SITE, "", 99999)], "item 0, status: expected an HTTP status \\(100 to 999\\), 'no-response' or 'too-many-redirects', found 99999"),
        ([(SITE, ""), (SITE, "", "200")], "item 1, status: "),
        ([(1, "")], "item 0, site: expected str or bytes, found int"),
        ([SITE], r"item 0: expected \(site, body\) or \(site, body, status\), found str"),
        ([(SITE,)], "found 1 fields"),
        ([(SITE, None)], "neither body nor status"),
        ([(SITE, "", None)], "neither body nor status"),
        ([(SITE, "", 200), (SITE, None, 200)], "item 1: .* found no body with status 200 .*'no-response'"),
        ([(SITE, None, 206)], "no body with status 206"),
        ([(SITE + "/.well-known/tdmrep.json", None, 200)], "no body with status 200"),
    ],
)
def test_what_builds_nothing_says_which_item(robots: list, said: str) -> None:
    error = ValueError if ", status: " in said else TypeError
    with pytest.raises(error, match=said):
        PolicySet.build(robots)


@pytest.mark.parametrize("site", [".example.com", "https://.example.com/", "mailto:a@example.com", "a.example/robots.txt", "file:///a", "a b", "", "https://"])
def test_what_is_no_site_is_said(site: str) -> None:
    with pytest.raises(ValueError, match="item 0: '.*': expected"):
        PolicySet.build({site: ""})


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/ads.txt",
        "https://a.example/robots.txt?x",
        "https://a.example/a/robots.txt",
        "https://a.example/?",
        "https://a.example/a/.well-known/tdmrep.json",
        "https://a.example/.well-known/TDMRep.json",
        "https://a.example/.well-known/tdmrep.json?x",
    ],
)
def test_another_file_of_a_site_is_no_robots_txt(url: str) -> None:
    expected = "expected the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json"
    with pytest.raises(ValueError, match=f"item 1: '.*': {expected}"):
        PolicySet.build([(SITE, BODY), (url, b"")])


@pytest.mark.parametrize("url", ["https://a.example", "https://a.example/", "https://a.example/robots.txt", "HTTPS://A.example/#x"])
def test_a_site_is_named_by_its_root_or_its_robots_txt(url: str) -> None:
    assert not PolicySet.build({url: BODY}).check_url("https://a.example/private", "Bot").allowed


def test_a_host_that_was_built_is_contained(one_site: PolicySet) -> None:
    policies = PolicySet.build([("a.example", b""), ("https://b.example", b""), ("c.example:8080", b"")])
    for known in ["a.example", b"A.example.", "http://a.example", "https://a.example/x", "c.example:8080"]:
        assert known in policies, known
    for unknown in ["b.example", ".a.example", "x.example", "a.example/", "", "c.example"]:
        assert unknown not in policies, unknown


def test_a_capture_may_be_any_sequence() -> None:
    assert len(PolicySet.build([[SITE.encode(), BODY], ["https://b.example", None, 404]])) == 2


def test_errors_of_the_system_are_those_of_python(tmp_path: Path, one_site: PolicySet) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        one_site.save(tmp_path / "nowhere" / "p.bundle")
    assert caught.value.filename == str(tmp_path / "nowhere" / "p.bundle")
    with pytest.raises(FileNotFoundError):
        PolicySet.open(tmp_path / "p.bundle")
    with pytest.raises(IsADirectoryError):
        PolicySet.open(tmp_path)
    with pytest.raises(ValueError, match="found -1"):
        one_site.check([], AGENT, threads=-1)


def test_a_fork_in_the_midst_of_a_first_question_is_answered(one_site: PolicySet) -> None:
    # A thread builds on all cores while the main thread forks.
    urls = pa.array([SITE + "/x", SITE + "/y"] * 40_000)
    ended = threading.Event()

    def keep_asking() -> None:
        while not ended.is_set():
            one_site.allowed(urls, AGENT)

    thread = threading.Thread(target=keep_asking)
    thread.start()
    try:
        for _ in range(5):
            inherited[:] = [(one_site, urls)]
            with multiprocessing.get_context("fork").Pool(1) as pool:
                assert pool.apply_async(allowed_count).get(60) == 40_000
    finally:
        ended.set()
        thread.join()


def test_a_process_forked_while_bundles_are_opened_opens_them(one_site: PolicySet, tmp_path: Path) -> None:
    names = [tmp_path / "a.bundle", tmp_path / "b.bundle"]
    for name in names:
        one_site.save(name)
    ended = threading.Event()

    def keep_opening() -> None:
        while not ended.is_set():
            PolicySet.open(names[0])

    threads = [threading.Thread(target=keep_opening) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            process = os.fork()
            if process == 0:
                # A process that waits for a thread that it does not have ends by the signal.
                signal.alarm(60)
                PolicySet.open(names[1])
                os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    finally:
        ended.set()
        for thread in threads:
            thread.join()


inherited: list[tuple[PolicySet, pa.Array]] = []


def allowed_count() -> int:
    [(policies, urls)] = inherited
    return policies.allowed(urls, AGENT).to_pylist().count(True)


def test_a_limit_of_bytes_is_that_of_the_lines_that_count() -> None:
    body = "User-agent: *\nDisallow: /early\n" + "# a comment\n" * (512_000 // 12) + "Disallow: /late\n"
    paths = ["/early", "/late"]
    for dialect in ["rfc9309", "google"]:
        for limit, allowed in [(None, [False, False]), (512_000, [False, True]), (2**32 - 2, [False, False])]:
            robots = Robots.parse(body, dialect=dialect, max_robots_bytes=limit)
            assert [robots.can_fetch(path, AGENT) for path in paths] == allowed
            restored = pickle.loads(pickle.dumps(robots))
            assert [restored.can_fetch(path, AGENT) for path in paths] == allowed
            policies = PolicySet.build({SITE: body}, dialect=dialect, max_robots_bytes=limit)
            assert policies.allowed([SITE + path for path in paths], AGENT).to_pylist() == allowed
            parser = RobotFileParser(dialect=dialect, max_robots_bytes=limit)
            parser.parse(body.splitlines())
            assert [parser.can_fetch(AGENT, path) for path in paths] == allowed
    assert not Robots._restore(body.encode(), "rfc9309", 200).can_fetch("/late", AGENT)
    for wrong in [-1, 0, 511_999, 2**32 - 1, 2**40]:
        expected = f"max_robots_bytes: expected 512000 to 4294967294, found {wrong}"
        for call in [lambda: Robots.parse(body, max_robots_bytes=wrong), lambda: PolicySet.build({}, max_robots_bytes=wrong)]:
            with pytest.raises(ValueError, match=expected):
                call()


def test_a_fetch_without_a_response_allows_nothing() -> None:
    for status, allowed in [("no-response", False), (503, False), ("too-many-redirects", True), (404, True)]:
        robots = Robots.parse(b"", status=status)
        assert (robots.can_fetch("/", AGENT), robots.status) == (allowed, status)
        assert pickle.loads(pickle.dumps(robots)).status == status
        policies = PolicySet.build([(SITE, b"", status)])
        assert policies.allowed([SITE + "/"], AGENT).to_pylist() == [allowed]
    assert Robots.parse(b"").status == 200
    failing = Robots.parse(b"", status="no-response").standing(now=1_800_000_000, failing_since=1_799_996_400)
    assert failing.applies == "restricted"
    for wrong in [None, 0, 1, True, 99, 1000, "200", "No-Response", 200.0]:
        with pytest.raises((TypeError, ValueError), match=r"expected an HTTP status \(100 to 999\), 'no-response' or 'too-many-redirects', found"):
            Robots.parse(b"", status=wrong)


def test_milliseconds_are_no_seconds() -> None:
    robots = Robots.parse(b"", status=503)
    with pytest.raises(ValueError, match=r"expected seconds since 1970, found 1800000000000 \(milliseconds\?\)"):
        robots.standing(now=1_800_000_000_000)


def test_a_time_before_1994_is_a_mistake() -> None:
    robots, policies = Robots.parse(b""), PolicySet.build({SITE: BODY})
    for now in [20_261_128, 0, 1, -1.5, datetime.datetime(1993, 12, 31, tzinfo=datetime.timezone.utc)]:
        for call in [
            lambda: robots.standing(now=now),
            lambda: robots.standing(now=1_800_000_000, fetched=now),
            lambda: robots.permissions("/", AGENT, now=now),
            lambda: policies.check([SITE], AGENT, now=now),
            lambda: policies.check_url(SITE, AGENT, now=now),
        ]:
            with pytest.raises(ValueError, match="expected a time since 1994, found 19"):
                call()
    first = datetime.datetime(1994, 1, 1, tzinfo=datetime.timezone.utc)
    assert robots.standing(now=first).applies == "rules"


def test_a_bool_of_numpy_is_no_time() -> None:
    needs("numpy")
    import numpy as np

    for wrong in [np.True_, np.False_]:
        with pytest.raises(TypeError, match="expected a datetime with a time zone, or seconds"):
            Robots.parse(b"").permissions("/", AGENT, now=wrong)
    assert Robots.parse(b"").permissions("/", AGENT, now=np.int64(1_800_000_000))


def test_numbers_out_of_every_range_are_value_errors(one_site: PolicySet) -> None:
    robots = Robots.parse(b"")
    for wrong in [-1, 2**70, -(2**70)]:
        for call in [
            lambda: robots.standing(now=1_800_000_000, redirects=wrong),
            lambda: Robots.parse(b"", max_robots_bytes=wrong),
            lambda: PolicySet.build({}, max_robots_bytes=wrong),
            lambda: one_site.check([SITE], AGENT, threads=wrong if wrong < 0 else 0),
        ]:
            with pytest.raises(ValueError, match="expected"):
                call()
    assert len(one_site.check([SITE], AGENT, threads=2**70)) == 1
    with pytest.raises(TypeError):
        Robots.parse(b"", max_robots_bytes="1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Robots-Tag: noindex", "")],
        [("X Robots Tag", "noindex")],
        [(" X-Robots-Tag", "noindex")],
        [("X-Robots-Tag\n", "noindex")],
        [("", "noindex")],
        {":status": "200"},
        [("X", "a\r\nX-Robots-Tag: noindex")],
        [("X", "a\nX-Robots-Tag: noindex")],
        [(b"X", b"a\rX-Robots-Tag: noindex")],
        [("X-Robots-Tag", "noindex\r\n")],
    ],
)
def test_what_is_no_header_field_is_an_error(headers: object) -> None:
    with pytest.raises(ValueError, match="headers: '.*': expected a (name|value) of"):
        Robots.parse(b"").permissions("/", AGENT, headers=headers)  # type: ignore[arg-type]


def test_a_header_may_be_folded_and_repeated() -> None:
    pairs = [("X-Robots-Tag", "otherbot: nofollow"), ("x-robots-tag", "nosnippet,\r\n\tnoindex")]
    assert Robots.parse(b"").permissions("/", AGENT, headers=pairs)["index"].permission == "prohibited"
    message = Message()
    for name, value in pairs[:1] + [("X-Robots-Tag", "noindex")]:
        message[name] = value
    for headers in [message, {b"X-Robots-Tag": b"noindex"}]:
        assert Robots.parse(b"").permissions("/", AGENT, headers=headers)["index"].permission == "prohibited"


def test_answers_can_be_hashed() -> None:
    robots = Robots.parse(BODY)
    assert len({robots.explain("/x", AGENT), robots.explain("/x", AGENT)}) == 1
    assert len(set(robots.permissions("/x", AGENT).values())) >= 1


# A plain dict would keep the URLs that are disallowed.
def test_a_row_of_verdicts_has_no_truth_value() -> None:
    policies = PolicySet.build({SITE: "User-agent: *\nDisallow: /private"})
    urls = [f"{SITE}/private", f"{SITE}/", None]
    column = policies.check(urls, AGENT)
    for rows in [column, column.to_pylist(), [column[0]]]:
        with pytest.raises(TypeError, match=r"compare row\['verdict'\] with 'allow'"):
            [url for url, row in zip(urls, rows) if row]
    rows = column.to_pylist()
    assert rows[0] == {"verdict": "disallow", "line": 2, "reason": "rule"} and rows[2] is None
    assert pickle.loads(pickle.dumps(rows)) == rows
    assert pa.array(rows).to_pylist() == pa.Table.from_pylist(rows[:2]).to_pylist() + [None]
    needs("pandas")
    import pandas as pd

    assert list(pd.DataFrame(rows[:2])["verdict"]) == list(pd.json_normalize(rows[:2])["verdict"]) == ["disallow", "allow"]
    needs("polars")
    import polars as pl

    assert pl.DataFrame(rows[:2])["verdict"].to_list() == pl.from_dicts(rows[:2])["verdict"].to_list() == ["disallow", "allow"]
    assert pl.Series(rows).struct.field("line").to_list() == [2, None, None]


@pytest.mark.parametrize("name", ["a-*-of-00002.bundle", "*.bundle", "a-00001-of-00002.bundle", "x.bundle#" + "0" * 32])
def test_a_bundle_is_saved_only_under_a_name_that_opens(name: str, tmp_path: Path, one_site: PolicySet) -> None:
    with pytest.raises(ValueError, match="expected|shard"):
        one_site.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    one_site.save(tmp_path / "x.bundle#1")
    assert len(PolicySet.open(tmp_path / "x.bundle#1")) == len(one_site)


def test_a_bool_is_no_time() -> None:
    robots, policies = Robots.parse(b""), PolicySet.build({SITE: b""})
    for ask in [
        lambda: robots.standing(now=True),
        lambda: robots.permissions("/", AGENT, now=True),
        lambda: robots.pace(AGENT, at=False),
        lambda: policies.allowed([SITE], AGENT, now=True),
        lambda: policies.check_url(SITE, AGENT, now=False),
    ]:
        with pytest.raises(TypeError, match="expected a datetime with a time zone, or seconds since 1970"):
            ask()


def test_compiled_rules_of_a_large_file_are_cached_within_a_limit() -> None:
    rules = "".join(f"Disallow: /{i * 2654435761 % 2**32:x}*{i * 40503 % 65536:x}*b\n" for i in range(180_000))
    robots = Robots.parse("User-agent: *\nDisallow: /x\n" + rules)
    file = sys.getsizeof(robots)
    sizes = []
    for number in range(5):
        assert not robots.can_fetch("/x", f"Bot{number}")
        sizes.append(sys.getsizeof(robots) - file)
    assert 0 < sizes[0] < sizes[1], "compiled rules are cached"
    assert max(sizes) <= 64 * 2**20


class Once:
    """A column whose capsules are created once, although they can be consumed only once."""

    def __init__(self, name: str, column: pa.Array | pa.ChunkedArray) -> None:
        capsules = getattr(column, name)()
        setattr(self, "_capsules", capsules)
        setattr(type(self), name, lambda self, requested_schema=None: self._capsules)


def test_a_capsule_that_is_used_twice_is_an_error(one_site: PolicySet, capfd: pytest.CaptureFixture[str]) -> None:
    array, stream = type("A", (Once,), {}), type("S", (Once,), {})
    for column in (
        array("__arrow_c_array__", pa.array([SITE + "/y"])),
        stream("__arrow_c_stream__", pa.chunked_array([pa.array([SITE + "/y"])])),
    ):
        assert one_site.allowed(column, AGENT).to_pylist() == [True]
        with pytest.raises(ValueError):
            one_site.allowed(column, AGENT)
    assert capfd.readouterr().err == "", "the exception says it"


@pytest.mark.parametrize("key", [5, -1])
def test_a_key_without_a_value_is_an_error(key: int, one_site: PolicySet) -> None:
    keys = pa.array([0, key, None], pa.int32())
    column = pa.DictionaryArray.from_arrays(keys, pa.array([SITE + "/y"]), safe=False)
    with pytest.raises(ValueError):
        one_site.allowed(column, AGENT)


@pytest.mark.parametrize("kind", [pa.string(), pa.binary()])
def test_a_long_value_of_a_dictionary_is_not_copied_for_each_row(kind: pa.DataType, one_site: PolicySet) -> None:
    # The copies would have more than 2 GiB, more than the offsets of the type can address.
    values = pa.array([SITE + "/x", "/" * 300_000], kind)
    keys = pa.array([0] + [1] * 7_200, pa.int32())
    # A long text that is not a URL costs no time.
    allowed = one_site.allowed(pa.DictionaryArray.from_arrays(keys, values), AGENT, threads=1).to_pylist()
    assert allowed == [False] + [None] * 7_200


def test_answers_have_no_truth_value(one_site: PolicySet) -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /x\n")
    for answer, use in (
        (robots.check("/x", AGENT), "use its property 'allowed'"),
        (one_site.check_url(SITE + "/x", AGENT), "use its property 'allowed'"),
        (robots.explain("/x", AGENT), "use 'verdict.allowed'"),
        (robots.permissions("/x", AGENT)["crawl"], "compare its field 'permission'"),
        (robots.standing(now=1_800_000_000), "use its fields 'applies' and 'due'"),
        (one_site.allowed([SITE + "/x"], AGENT), r"use column\[row\]"),
        (one_site.check([], AGENT), r"use column\[row\]"),
    ):
        with pytest.raises(TypeError, match=f"has no truth value: {use}"):
            assert not answer


def test_a_column_without_chunks_has_a_type(one_site: PolicySet) -> None:
    assert one_site.allowed(pa.chunked_array([], pa.string()), AGENT).to_pylist() == []
    with pytest.raises(TypeError, match="expected text"):
        one_site.allowed(pa.chunked_array([], pa.int32()), AGENT)


def test_an_error_of_the_headers_is_raised() -> None:
    class Broken:
        def items(self) -> list[tuple[str, str]]:
            raise RuntimeError("no headers")

        def __iter__(self) -> object:
            return iter([])

    robots = Robots.parse(b"")
    with pytest.raises(RuntimeError, match="no headers"):
        robots.standing(now=1_800_000_000, headers=Broken())  # type: ignore[arg-type]
    for headers in ({"Cache-Control": "max-age=60"}, [("Cache-Control", "max-age=60")]):
        assert robots.standing(now=1_800_000_000, headers=headers).applies == "rules"
