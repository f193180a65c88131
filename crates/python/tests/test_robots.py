"""`Robots`: one robots.txt, in the shape that Protego's users know."""

import copy
import datetime
import pickle
import threading

import pytest

from robomata import RequestRate, Robots, Verdict, VisitTime

ROBOTS = """\
User-agent: ExampleBot
Disallow: /private
Allow: /private/press$
Crawl-delay: 1.5
Request-rate: 1/10s 1820-1940
Visit-time: 0200-0630

User-agent: *
Disallow: /
Content-Signal: ai-train=no

Sitemap: https://example.com/sitemap.xml
Sitemap: https://example.com/news.xml
Host: www.example.com
"""
HEADER = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)"


@pytest.fixture(params=["str", "bytes"])
def robots(request: pytest.FixtureRequest) -> Robots:
    return Robots.parse(ROBOTS if request.param == "str" else ROBOTS.encode())


@pytest.mark.parametrize("agent", ["ExampleBot", "examplebot", b"ExampleBot", "ExampleBot/2.1", HEADER, HEADER.encode()])
def test_can_fetch_takes_the_url_first(robots: Robots, agent: str | bytes) -> None:
    for url, expected in [("/", True), ("/private/a", False), ("/private/press", True), ("/private/press?a", False)]:
        assert robots.can_fetch(url, agent) is expected
        assert robots.can_fetch("https://example.com" + url, agent) is expected
        assert robots.can_fetch(f"https://example.com{url}".encode(), agent) is expected
    assert robots.can_fetch("/", "OtherBot") is False
    assert robots.can_fetch("/robots.txt", "OtherBot") is True


def test_check_names_the_line_that_decided(robots: Robots) -> None:
    assert robots.check("/private/press", "ExampleBot") == Verdict("allow", 3, "rule")
    assert robots.check("/open", "ExampleBot") == Verdict("allow", None, "no-rule")
    verdict, line, reason = robots.check("/", "OtherBot")
    assert (verdict, line, reason) == ("disallow", 9, "rule")
    assert robots.check("not a URL", "ExampleBot").verdict == "invalid"
    assert not robots.check("not a URL", "ExampleBot").allowed


def test_what_a_file_says_besides(robots: Robots) -> None:
    assert robots.crawl_delay("ExampleBot") == 1.5
    assert robots.crawl_delay("OtherBot") is None
    window = datetime.time(18, 20), datetime.time(19, 40)
    assert robots.request_rate("ExampleBot") == RequestRate(1, 10, *window)
    assert robots.request_rate("OtherBot") is None
    assert robots.visit_time("ExampleBot") == VisitTime(datetime.time(2), datetime.time(6, 30))
    assert robots.visit_time("OtherBot") is None
    assert list(robots.sitemaps) == ["https://example.com/sitemap.xml", "https://example.com/news.xml"]
    assert next(robots.sitemaps) == "https://example.com/sitemap.xml"
    assert robots.preferred_host == "www.example.com"


def test_an_empty_file_says_nothing() -> None:
    robots = Robots.parse("")
    assert robots.can_fetch("/any", "ExampleBot") is True
    assert list(robots.sitemaps) == []
    assert robots.preferred_host is None
    assert robots.crawl_delay("ExampleBot") is None


def test_explain_is_for_people_and_programs(robots: Robots) -> None:
    explanation = robots.explain("https://example.com/private/press", "ExampleBot")
    assert explanation.verdict == robots.check("https://example.com/private/press", "ExampleBot")
    assert explanation.group is not None and explanation.group.lower() == "examplebot"
    assert explanation.target == "/private/press"
    assert [(rule.line, rule.access, rule.pattern) for rule in explanation.matching] == [
        (3, "allow", "/private/press$"),
        (2, "disallow", "/private"),
    ]
    for word in ["allow", "line 3", "/private/press", "rfc9309"]:
        assert word in str(explanation)


def test_permissions_by_usage() -> None:
    robots = Robots.parse("User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /private\n")
    permissions = robots.permissions("https://example.com/a", "ExampleBot")
    assert permissions["ai-train"].permission == "prohibited"
    source = permissions["ai-train"].source
    assert source is not None and (source.vocabulary, source.line) == ("content-signal", 2)
    assert permissions["crawl"].permission == "unspecified"
    assert robots.permissions("/private", "ExampleBot")["crawl"].permission == "prohibited"


@pytest.mark.parametrize(("status", "verdict"), [(200, "disallow"), (404, "allow"), (403, "allow"), (503, "disallow")])
def test_the_status_counts(status: int, verdict: str) -> None:
    assert (
        Robots.parse("User-agent: *\nDisallow: /private", status=status).check("/private", "ExampleBot").verdict == verdict
    )


def test_dialects_read_differently() -> None:
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"
    said = {name: Robots.parse(text, dialect=name).can_fetch("/a/b", "X") for name in ("rfc9309", "google", "koster1996")}
    assert said == {"rfc9309": True, "google": True, "koster1996": False}
    assert Robots.parse(text, dialect="google").dialect == "google"
    with pytest.raises(ValueError, match="nonsense"):
        Robots.parse(text, dialect="nonsense")


def test_wrong_types_are_type_errors(robots: Robots) -> None:
    for wrong in (None, 1, ["User-agent: *"]):
        with pytest.raises(TypeError, match="expected str or bytes, found"):
            Robots.parse(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected str or bytes, found"):
            robots.can_fetch(wrong, "ExampleBot")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected str or bytes, found"):
            robots.can_fetch("/", wrong)  # type: ignore[arg-type]


def test_pickles_and_copies_answer_alike(robots: Robots) -> None:
    for other in (pickle.loads(pickle.dumps(robots)), copy.copy(robots), copy.deepcopy(robots)):
        assert other.check("/private/a", "ExampleBot") == robots.check("/private/a", "ExampleBot")
        assert list(other.sitemaps) == list(robots.sitemaps)


def test_one_file_serves_threads_and_any_number_of_crawlers() -> None:
    # More crawlers than are kept compiled, each with a rule of its own, asked for by four threads at once.
    count = 600
    text = "".join(f"User-agent: bot-{n}\nDisallow: /{n}\n\n" for n in range(count))
    robots = Robots.parse(text)
    wrong: list[tuple[int, int]] = []

    def ask(start: int) -> None:
        for n in range(start, count + start):
            n %= count
            said = robots.can_fetch(f"/{n}", f"bot-{n}"), robots.can_fetch(f"/x{n}", f"bot-{n}")
            if said != (False, True):
                wrong.append((start, n))

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 0, 150, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
