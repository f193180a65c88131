"""How fast a crawler may fetch: one robots.txt, columns, and all sites."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from robomata import Pace, PolicySet, Robots, VisitTime

ROBOTS = "User-agent: *\nCrawl-delay: 2.5\nRequest-rate: 1/10m 0800-1759\nVisit-time: 0600-2259"
HOURS = VisitTime(datetime.time(8, 0), datetime.time(17, 59))
VISITS = VisitTime(datetime.time(6, 0), datetime.time(22, 59))
EARLY = datetime.datetime(2026, 11, 23, 5, 0, tzinfo=datetime.timezone.utc)


def test_one_robots_txt_has_the_longest_delay_of_the_day() -> None:
    robots = Robots.parse(ROBOTS)
    assert robots.pace("Bot") == Pace(600.0, "request-rate", 3, HOURS, 600.0, None, VISITS, None)
    assert robots.pace("Bot", at=EARLY) == Pace(2.5, "crawl-delay", 2, None, 2.5, None, VISITS, 3600)
    assert robots.pace("Bot", max_delay=60).limit == "capped"
    assert robots.pace("Bot", at=EARLY, min_delay=3).delay == 3


def test_a_default_is_for_sites_that_say_nothing() -> None:
    nothing = (None, None, None, None, None)
    assert Robots.parse("").pace("Bot") == Pace(None, None, None, *nothing)
    assert Robots.parse("").pace("Bot", default_delay=0.25) == Pace(0.25, "default", None, *nothing)
    failed = Robots.parse(ROBOTS, status=503).pace("Bot", default_delay=1)
    assert (failed.delay, failed.source) == (None, "unreachable")


@pytest.mark.parametrize("agents", [None, ["Bot"]])
def test_policies_answer_for_columns_and_for_all_sites(agents: list[str] | None, tmp_path: Path) -> None:
    files = {"https://a.example": ROBOTS, "https://b.example": "User-agent: *\nDisallow: /"}
    PolicySet.build(files, agents=agents).save(tmp_path / "p.bundle")
    policies = PolicySet.open(tmp_path / "p.bundle")
    urls = ["https://a.example/x", "https://b.example/", "https://c.example/", None, "nonsense"]
    rows = policies.pace(urls, "Bot").to_pylist()
    assert rows[0]["delay"] == 600 and rows[0]["hours"] == "08:00-17:59" and rows[0]["visit_time"] == "06:00-22:59"
    assert rows[1]["delay"] is None and rows[2:] == [None, None, None]
    assert [row and row["source"] for row in policies.pace(urls, "Bot", default_delay=1).to_pylist()] == [
        "request-rate",
        "default",
        None,
        None,
        None,
    ]
    assert list(policies.paces("Bot")) == [("https://a.example", Robots.parse(ROBOTS).pace("Bot"))]
    assert {site for site, _ in policies.paces("Bot", default_delay=1)} == set(files)


def test_mistakes_are_refused() -> None:
    policies = PolicySet.build({"https://a.example": ROBOTS}, agents=["Bot"])
    with pytest.raises(ValueError, match="expected min_delay <= default_delay <= max_delay"):
        policies.paces("Bot", min_delay=2, max_delay=1)
    for seconds in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="max_delay: expected seconds"):
            Robots.parse(ROBOTS).pace("Bot", max_delay=seconds)
    with pytest.raises(ValueError, match="OtherBot"):
        policies.pace(["https://a.example/"], "OtherBot")
    with pytest.raises(ValueError, match="OtherBot"):
        list(policies.paces("OtherBot"))
