"""The public cases of Protego, urllib and Scrapy, answered through Python.

Differences are listed with their reasons: in `corpora/conformance/expected-differences.toml` if the engine differs from a strict
reading of RFC 9309, and in `known-differences.toml` if the source does. An entry that is not needed fails the test.
"""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CRATE, needs, shared

from robomata import Robots
from robomata.robotparser import RobotFileParser, answers

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli", reason="Python 3.10 needs tomli to read the differences")

TABLES = [CRATE.parents[1] / "corpora/conformance/expected-differences.toml", CRATE / "tests/known-differences.toml"]
ASK = {
    "protego": lambda case: may_fetch(Robots.parse(robots(case)), url(case), case["agent"]),
    "cpython": lambda case: lines(case).can_fetch(case["agent"], url(case).decode("utf-8", "surrogateescape")),
    "scrapy": lambda case: of_scrapy(case).allowed(url(case).decode(), case["agent"].encode()),
}


def may_fetch(robots: Robots, url: bytes, agent: str) -> bool:
    """A name that is not a product token is refused, so it may fetch nothing."""
    try:
        return robots.can_fetch(url, agent)
    except ValueError as error:
        assert "product token" in str(error)
        return False


def robots(case: dict) -> bytes:
    return base64.b64decode(case["robots_b64"])


def url(case: dict) -> bytes:
    return base64.b64decode(case["url_b64"]) if "url_b64" in case else case["url"].encode()


def lines(case: dict) -> RobotFileParser:
    parser = RobotFileParser()
    parser.parse(robots(case).decode("utf-8", "surrogateescape").split("\n"))
    return parser


def of_scrapy(case: dict) -> Any:
    needs("Scrapy")
    from robomata.scrapy import RobotParser

    return RobotParser(robots(case))


def cases(name: str) -> list[dict]:
    text = shared("conformance", "cases", f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def differences(path: Path) -> Iterator[dict]:
    for entry in tomllib.loads(path.read_text("utf-8"))["difference"]:
        if entry.get("dialect", "rfc9309") == "rfc9309":
            assert len(entry["reason"]) > 20
            yield from ({**entry, "id": case} for case in entry.get("ids") or [entry["id"]])


@pytest.mark.parametrize("source", ASK)
def test_cases_are_answered_as_their_source_does(source: str) -> None:
    asked = {case["id"]: case for case in cases(source)}
    found = {id: case["expect"] for id, case in asked.items() if ASK[source](case) is not (case["expect"] == "allow")}
    known = {
        entry["id"]: asked[entry["id"]]["expect"] for path in TABLES for entry in differences(path) if is_seen(entry, asked)
    }
    assert found == known
    assert len(found) < len(asked) / 4


def is_seen(entry: dict, asked: dict[str, dict]) -> bool:
    """A case of this source whose boolean answer differs; `invalid` is a refusal."""
    case = asked.get(entry["id"])
    return bool(case) and (entry["we_say"] == "allow") is not (case["expect"] == "allow")


def asides(source: str) -> Iterator[Any]:
    """The expectations other than verdicts; Protego's answers are in Python's notation."""
    for number, case in enumerate(cases(f"{source}.extra")):
        yield number, case, Robots.parse(robots(case)), case["input"].get("agent")


def test_protegos_other_answers() -> None:
    known = tomllib.loads(TABLES[1].read_text("utf-8"))["aside"]
    differing = {case: entry["we_say"] for entry in known for case in entry["ids"]}
    for number, case, robots, agent in asides("protego"):
        operation = case["input"]["op"]
        if operation == "sitemaps":
            assert list(robots.sitemaps) == case["expect"], case
            continue
        said = robots.preferred_host if operation == "preferred_host" else answers(getattr(robots, operation), agent)[0]
        if operation == "request_rate" and said:
            said = said._replace(seconds=int(said.seconds))
        assert differing.get(case["id"]) != case["expect"], case["id"]
        assert str(said) == differing.pop(case["id"], case["expect"]), (number, case)
    assert differing == {}


def test_urllibs_other_answers() -> None:
    for _, case, _, agent in asides("cpython"):
        if case["kind"] == "status":
            continue  # test_robotparser.py asks a server
        parser = lines(case)
        if case["kind"] == "sitemaps":
            assert parser.site_maps() == case["expect"], case
        elif case["kind"] == "crawl_delay":
            assert parser.crawl_delay(agent) == case["expect"], case
        else:
            assert list(parser.request_rate(agent) or ()) == case["expect"], case
