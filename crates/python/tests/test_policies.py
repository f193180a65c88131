"""`PolicySet`: built, saved, opened, pickled, used by threads and processes."""

import datetime
import gzip
import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import AGENT, Frontier, needs

needs("pyarrow")

import pyarrow as pa

from robomata import PolicySet, Robots

CLOSED = b"User-agent: *\nDisallow: /\n"
OTHER = {"https://site0.example": CLOSED}


def test_a_mapping_pairs_and_triples_build() -> None:
    site, body = "https://a.example", "User-agent: *\nDisallow: /private\n"
    for robots in (
        {site: body},
        {site: body.encode()},
        [(site, body)],
        [(site, body, 200)],
        [(site, body, None)],
        iter([(site, body)]),
    ):
        policies = PolicySet.build(robots)  # type: ignore[arg-type]
        assert policies.check_url("https://a.example/private", "Bot").line == 2
        assert len(policies) == 1 and "https://a.example/x" in policies and "https://b.example/" not in policies
        assert [site.site for site in policies.sites()] == ["https://a.example"]


@pytest.mark.parametrize("other", ["HTTPS://A.EXAMPLE.:443", "a.example", "https://user@a.example/robots.txt"])
def test_two_files_of_one_site_are_an_error(other: str) -> None:
    with pytest.raises(ValueError, match=r"robots, item 1: https://a\.example has another robots\.txt in item 0"):
        PolicySet.build({"https://a.example": CLOSED, other: b""})
    with pytest.raises(ValueError, match="in item 0"):
        PolicySet.build([("https://a.example", CLOSED, 200), (other, CLOSED, 404)])
    same = PolicySet.build([("https://a.example", CLOSED), (other, CLOSED, 200)])
    assert same.check_url("https://a.example/", "Bot").verdict == "disallow"


def test_addresses_in_every_spelling_are_one_site() -> None:
    policies = PolicySet.build({"http://127.1": b"User-agent: *\nDisallow: /private"})
    urls = [f"http://{host}/private" for host in ("127.0.0.1", "2130706433", "0x7f.1", "127.000.000.001", "256.0.0.1")]
    said = [row["verdict"] for row in policies.check(urls, "Bot").to_pylist()]
    assert said == ["disallow"] * 4 + ["invalid"]
    with pytest.raises(ValueError, match="expected an IPv4 address"):
        PolicySet.build({"https://256.0.0.1": CLOSED})


def test_a_host_stands_for_two_sites() -> None:
    policies = PolicySet.build({"a.example": CLOSED})
    assert sorted(site.site for site in policies.sites()) == ["http://a.example", "https://a.example"]


def test_a_status_says_what_a_body_does_not() -> None:
    sites = {"https://gone.example": 404, "https://broken.example": 503, "https://fine.example": 200}
    policies = PolicySet.build([(site, CLOSED if status == 200 else None, status) for site, status in sites.items()])
    said = [policies.check_url(f"{site}/a", "Bot") for site in sites]
    assert [verdict.verdict for verdict in said] == ["allow", "disallow", "disallow"]
    assert [verdict.reason for verdict in said] == ["unavailable", "unreachable", "rule"]


def test_agents_are_those_that_may_ask() -> None:
    policies = PolicySet.build({"https://a.example": CLOSED}, agents=["OneBot"])
    assert policies.check_url("https://a.example/", "OneBot").verdict == "disallow"
    with pytest.raises(ValueError, match="OtherBot"):
        policies.check_url("https://a.example/", "OtherBot")
    with pytest.raises(ValueError, match="OtherBot"):
        policies.check(["https://a.example/"], "OtherBot")


def test_a_permission_that_a_date_has_ended_is_none() -> None:
    body = (
        "ACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-allow-preserve: /dated/ time-limit=until-2007-12-31\n"
        "ACAP-allow-crawl: /\n"
    )
    policies = PolicySet.build({"https://a.example": body}, agents=["Bot"], dialect="acap", usage="preserve")
    url = "https://a.example/dated/x"
    parts = (["https"], ["a.example"], [None], ["/dated/x"], [None])
    last = datetime.datetime(2007, 12, 31, 23, 59, 59, tzinfo=datetime.timezone.utc)
    for now, verdict in [(None, "disallow"), (last, "allow"), (last.timestamp(), "allow"), (1_199_145_600, "disallow")]:
        asked = {"usage": "preserve", "now": now}
        assert policies.check_url(url, "Bot", **asked).verdict == verdict
        assert policies.allowed([url], "Bot", **asked).to_pylist() == [verdict == "allow"]
        assert policies.check([url], "Bot", **asked).to_pylist()[0]["verdict"] == verdict
        assert policies.allowed_parts(*parts, "Bot", **asked).to_pylist() == [verdict == "allow"]
        assert policies.check_parts(*parts, "Bot", **asked).to_pylist()[0]["verdict"] == verdict
    assert policies.check_url(url, "Bot", usage="preserve").verdict == "disallow"
    with pytest.raises(ValueError, match="time zone"):
        policies.allowed([url], "Bot", usage="preserve", now=last.replace(tzinfo=None))


def test_a_usage_is_asked_about_beside_crawl() -> None:
    body = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /private\n"
    policies = PolicySet.build({"https://a.example": body}, agents=["Bot"], usage="ai-train")
    urls = ["https://a.example/a", "https://a.example/private"]
    assert policies.allowed(urls, "Bot", usage="ai-train").to_pylist() == [False, False]
    with pytest.raises(ValueError, match="nonsense"):
        policies.allowed(urls, "Bot", usage="nonsense")


def test_a_tdmrep_json_counts_for_mining() -> None:
    files = {
        "https://a.example": "User-agent: *\nDisallow: /private\n",
        "https://a.example/.well-known/tdmrep.json": '[{"location": "/news/", "tdm-reservation": 1}]',
    }
    urls = ["https://a.example/", "https://a.example/news/1", "https://a.example/private"]
    mining = PolicySet.build(files, agents=["Bot"], usage="tdm")
    assert mining.allowed(urls, "Bot", usage="tdm").to_pylist() == [True, False, False]
    assert mining.check_url(urls[1], "Bot", usage="tdm").reason == "tdmrep"
    assert PolicySet.build(files, agents=["Bot"]).allowed(urls, "Bot").to_pylist() == [True, True, False]


@pytest.mark.parametrize(
    ("robots", "error", "message"),
    [
        ({"https://a.example": 1}, TypeError, "expected str or bytes, found int"),
        ({"mailto:a@a.example": b""}, ValueError, "mailto:a@a.example"),
        ([("https://a.example",)], TypeError, "item 0: expected"),
        ([("https://a.example", None)], TypeError, "neither body nor status"),
        (["https://a.example"], TypeError, "item 0: expected"),
        (1, TypeError, "int"),
    ],
)
def test_what_cannot_be_built_is_said(robots: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PolicySet.build(robots)  # type: ignore[arg-type]


def test_a_body_that_is_no_text_is_an_error(bundle: Path) -> None:
    warc = b"WARC/1.0\r\nWARC-Type: response\r\n\r\nUser-agent: *\nDisallow: /\n"
    for body, found in [
        (gzip.compress(CLOSED), r"gzip data \(decode the body\)"),
        (b"\x28\xb5\x2f\xfd\x24", r"zstd data \(decode the body\)"),
        (bundle.read_bytes(), r"a bundle \(open it by its name\)"),
        (warc, "captures of many sites"),
    ]:
        for site in ("https://a.example", "https://a.example/.well-known/tdmrep.json"):
            for capture in [(site, body), (site, body, 200)]:
                with pytest.raises(ValueError, match=f"robots, item 1: expected a body of text, found {found}"):
                    PolicySet.build([("https://b.example", b""), capture])
            PolicySet.build([(site, body, 404)])
        with pytest.raises(ValueError, match=f"content: expected a body of text, found {found}"):
            Robots.parse(body)
        assert Robots.parse(body, status=404).can_fetch("/", "Bot")
        with pytest.raises(ValueError, match=f"tdmrep: expected a body of text, found {found}"):
            Robots.parse("").permissions("/", "Bot", tdmrep=body)
        with pytest.raises(ValueError, match=f"references: expected a body of text, found {found}"):
            Robots.parse("").permissions("/", "Bot", references={"a": body})


def test_a_text_without_a_rule_is_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    for text in ["", "# nothing\n", "Disallow: /x", "Sitemap: https://a.example/s.xml", "User-agent: *\nDisallow: /"]:
        Robots.parse(text)
    Robots.parse("<html>", status=404)
    assert not recwarn
    for text in ["<html><p>not found", '{"host": "a.example", "body": "User-agent: *"}', "https://a.example/private\n"]:
        with pytest.warns(UserWarning, match="expected a robots.txt, found text without a rule"):
            assert Robots.parse(text).can_fetch("/", "Bot")


def test_built_texts_without_a_rule_are_one_warning(recwarn: pytest.WarningsRecorder) -> None:
    sites = [f"https://{name}.example" for name in "abcd"]
    PolicySet.build([(sites[0], CLOSED), (sites[1], ""), (sites[2], "Disallow: /x"), (sites[3], "<html>", 404)])
    assert not recwarn
    for body in ["/data/robots.txt", repr(CLOSED), "<html><p>not found"]:
        expected = "^robots, item 1, the first of 2 such items: expected a robots.txt, found text without a rule"
        with pytest.warns(UserWarning, match=expected) as warned:
            PolicySet.build([(sites[0], CLOSED), (sites[1], body), (sites[2], body)])
        assert [Path(warning.filename) for warning in warned] == [Path(__file__)]


def test_a_built_tdmrep_json_with_an_error_is_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    url = "https://a.example/.well-known/tdmrep.json"
    PolicySet.build({url: "["})
    assert not recwarn, "it does not count for crawling"
    for item in [(url, "["), (url, "{}"), (url, "", 200)]:
        with pytest.warns(UserWarning, match="robots, item 0: tdmrep.json: not "):
            PolicySet.build([item], agents=["Bot"], usage="tdm")
    with pytest.raises(ValueError, match="robots, item 0: expected JSON, found no bytes"):
        PolicySet.build({url: ""}, agents=["Bot"], usage="tdm")


def test_other_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="^robots, item 0, status: expected an HTTP status"):
        PolicySet.build([("https://a.example", CLOSED, 99)])
    with pytest.raises(ValueError, match="^dialect: requires agents"):
        PolicySet.build({}, dialect="acap")
    with pytest.raises(ValueError, match="^usage: requires agents"):
        PolicySet.build({}, usage="index")
    with pytest.raises(ValueError, match="nonsense"):
        PolicySet.build({}, dialect="nonsense")
    with pytest.raises(ValueError, match="agents"):
        PolicySet.build({}, agents=[])
    with pytest.raises(ValueError, match="threads"):
        PolicySet.build({}).check([], "Bot", threads=0)


def test_a_saved_bundle_says_the_same(policies: PolicySet, bundle: Path, frontier: Frontier) -> None:
    for path in (bundle, str(bundle)):
        opened = PolicySet.open(path)
        assert opened.hash == policies.hash and len(opened) == len(policies) == len(frontier.robots)
        assert opened.check(frontier.urls, AGENT).to_pylist() == policies.check(frontier.urls, AGENT).to_pylist()
    assert "https://site1.example/x" in opened
    assert str(bundle) in repr(opened)


def test_a_bundle_is_opened_by_a_relative_path_too(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bundle.parent)
    opened = PolicySet.open(bundle.name)
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(opened)).hash == opened.hash


def test_what_is_no_bundle_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.bundle"):
        PolicySet.open(tmp_path / "none.bundle")
    (tmp_path / "wrong.bundle").write_bytes(b"User-agent: *\n" * 100)
    with pytest.raises(ValueError, match="wrong.bundle"):
        PolicySet.open(tmp_path / "wrong.bundle")
    with pytest.raises(OSError, match="nowhere"):
        PolicySet.build({}).save(tmp_path / "nowhere" / "a.bundle")


def test_a_pickled_bundle_is_its_path_and_hash(tmp_path: Path, policies: PolicySet, frontier: Frontier) -> None:
    path = tmp_path / "policies.bundle"
    policies.save(path)
    opened = PolicySet.open(path)
    pickled = pickle.dumps(opened)
    assert len(pickled) < 500 and str(path).encode() in pickled and opened.hash.encode() in pickled
    assert pickle.loads(pickled).check(frontier.urls, AGENT).to_pylist() == opened.check(frontier.urls, AGENT).to_pylist()

    replaced = tmp_path / "other.bundle"
    PolicySet.build(OTHER).save(replaced)
    os.replace(replaced, path)
    with pytest.raises(ValueError, match=f"{path.name}.*expected {opened.hash}"):
        pickle.loads(pickled)
    # An open bundle does not change; opening the path again returns the new file.
    assert opened.hash == policies.hash
    assert PolicySet.open(path).hash == PolicySet.build(OTHER).hash
    path.unlink()
    with pytest.raises(FileNotFoundError, match=path.name):
        pickle.loads(pickled)


def test_an_open_bundle_survives_what_happens_to_its_file(
    tmp_path: Path, bundle: Path, policies: PolicySet, frontier: Frontier
) -> None:
    """A mapped file would end the interpreter with SIGBUS, or change the answers."""
    expected = policies.check(frontier.urls, AGENT).to_pylist()
    whole = bundle.read_bytes()
    for number, change in enumerate(
        [
            lambda path: os.truncate(path, 0),
            lambda path: os.truncate(path, len(whole) // 2),
            lambda path: path.write_bytes(bytes(len(whole))),
            lambda path: path.write_bytes(b"User-agent: *\n"),
            lambda path: path.unlink(),
        ]
    ):
        path = tmp_path / f"{number}.bundle"
        path.write_bytes(whole)
        opened = PolicySet.open(path)
        change(path)
        assert opened.check(frontier.urls, AGENT).to_pylist() == expected, number
        with pytest.raises((ValueError, OSError), match=path.name):
            PolicySet.open(path)


def test_every_damaged_bundle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policies.bundle"
    PolicySet.build(OTHER).save(path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(ValueError, match=path.name):
            PolicySet.open(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=path.name):
            PolicySet.open(path)


def test_a_hash_pins_a_path(tmp_path: Path, bundle: Path, policies: PolicySet) -> None:
    assert PolicySet.open(f"{bundle}#{policies.hash}").hash == policies.hash
    other = PolicySet.build(OTHER).hash
    with pytest.raises(ValueError, match=f"expected {other}, found {policies.hash}"):
        PolicySet.open(f"{bundle}#{other}")


def test_what_was_built_in_memory_is_pickled_whole(policies: PolicySet, frontier: Frontier) -> None:
    other = pickle.loads(pickle.dumps(policies))
    assert other.hash == policies.hash
    assert other.check(frontier.urls, AGENT).to_pylist() == policies.check(frontier.urls, AGENT).to_pylist()


def in_another_process(policies: PolicySet, urls: list[str | None]) -> tuple[int, list]:
    return os.getpid(), policies.check(urls, AGENT).to_pylist()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_open_the_file_themselves(method: str, bundle: Path, frontier: Frontier) -> None:
    opened = PolicySet.open(bundle)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.starmap(in_another_process, [(opened, frontier.urls)] * 4)
    expected = opened.check(frontier.urls, AGENT).to_pylist()
    assert all(pid != os.getpid() and answers == expected for pid, answers in results)


@pytest.mark.parametrize("threads", [None, 1])
def test_a_forked_process_answers(threads: int | None, bundle: Path, frontier: Frontier) -> None:
    # Threads do not survive a fork: a child that waited for its parent's threads would wait forever.
    opened = PolicySet.open(bundle)
    opened.check(pa.array(frontier.urls * 400, pa.string()), AGENT)
    inherited.append((opened, frontier.urls, threads))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        answers = pool.apply_async(as_inherited).get(60)
    assert answers == opened.allowed(frontier.urls, AGENT).to_pylist() * 400


inherited: list[tuple[PolicySet, list[str | None], int | None]] = []


def as_inherited() -> list:
    policies, urls, threads = inherited.pop()
    return policies.allowed(urls * 400, AGENT, threads=threads).to_pylist()


def test_threads_share_policies(policies: PolicySet, frontier: Frontier) -> None:
    column = pa.array(frontier.urls * 50, pa.string())
    expected = policies.check(column, AGENT, threads=1).to_pylist()
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: policies.check(column, AGENT).to_pylist(), range(8)):
            assert answer == expected


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there is no interpreter lock to release")
def test_the_interpreter_is_free_meanwhile(policies: PolicySet, frontier: Frontier) -> None:
    # No thread is forced to release the lock. Another thread runs before the answers are ready only if the check releases it.
    column = pa.array(frontier.urls * 4000, pa.string())
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        assert any(runs_meanwhile(lambda: policies.allowed(column, AGENT, threads=1)) for _ in range(5))
    finally:
        sys.setswitchinterval(interval)


def runs_meanwhile(work) -> bool:
    started, finished = threading.Event(), []

    def run() -> None:
        started.set()
        work()
        finished.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    meanwhile = not finished
    thread.join()
    return meanwhile


def test_shards_are_named_with_a_star(tmp_path: Path, policies: PolicySet, frontier: Frontier) -> None:
    policies.save(tmp_path / "policies.bundle")
    (tmp_path / "policies.bundle").rename(tmp_path / "policies-00000-of-00001.bundle")
    (tmp_path / "policies-of-00001.shards").write_text(f"{policies.hash} 0\n")
    shards = PolicySet.open(tmp_path / "policies-*-of-00001.bundle")
    assert len(shards) == len(policies)
    for answers in (shards.check(frontier.urls, AGENT), pickle.loads(pickle.dumps(shards)).check(frontier.urls, AGENT)):
        assert answers.to_pylist() == policies.check(frontier.urls, AGENT).to_pylist()
    assert shards.check_url("https://site1.example/private", AGENT) == policies.check_url(
        "https://site1.example/private", AGENT
    )


def test_a_shard_that_is_missing_is_said(tmp_path: Path, frontier: Frontier) -> None:
    name = tmp_path / "policies-*-of-00004.bundle"
    with pytest.raises(FileNotFoundError, match="policies-of-00004.shards"):
        PolicySet.open(name)
    (tmp_path / "policies-of-00004.shards").write_text("".join(f"{'0' * 32} {shard}\n" for shard in range(4)))
    with pytest.raises(FileNotFoundError, match=r"policies-0000\d-of-00004.bundle"):
        PolicySet.open(name).check(frontier.urls, AGENT)
    with pytest.raises(ValueError, match="expected a shard name"):
        PolicySet.open(tmp_path / "policies-*.bundle")
