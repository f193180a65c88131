"""`Robots`: one robots.txt, with an API like Protego's."""

import bz2
import copy
import datetime
import gzip
import operator
import pickle
import threading
from types import MappingProxyType

import pytest

from robomata import PolicySet, RequestRate, Robots, Source, Verdict, VisitTime
from robomata._types import VerdictRow

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


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster1996", "yandex", "acap"])
@pytest.mark.parametrize(
    "url",
    [
        r"https://example.com\private",
        "https://example.com:99999/x",
        "https://a b/x",
        "https:///x",
        "//example.com/private",
        "https://*.example.com/x",
        "https://256.0.0.1/x",
        "example.com/x",
        "https://example.com/pri\tvate",
        "https://example.com/x\n",
        "",
    ],
)
def test_a_text_that_is_no_url_may_not_be_fetched(url: str, dialect: str) -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /private", dialect=dialect)
    assert robots.can_fetch("/x", "ExampleBot") is True
    for _ in range(2):  # also with the cached rules
        assert robots.can_fetch(url, "ExampleBot") is False
        assert robots.check(url, "ExampleBot").verdict == "invalid"
    explanation = robots.explain(url, "ExampleBot")
    assert (explanation.verdict.verdict, explanation.target, list(explanation.matching)) == ("invalid", None, [])
    with pytest.raises(ValueError, match="expected an absolute URL"):
        robots.permissions(url, "ExampleBot")


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "yandex"])
def test_blanks_around_a_url_do_not_count(dialect: str) -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /*.pdf$", dialect=dialect)
    for url in ["https://example.com/a.pdf ", " /a.pdf\t", "\thttps://example.com/a.pdf"]:
        assert robots.check(url, "ExampleBot") == Verdict("disallow", 2, "rule")
        assert robots.explain(url, "ExampleBot").target == "/a.pdf"


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


def test_explanations_as_text_have_one_line_for_each_text() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /%0A%1B[2J", dialect="koster1996")
    text = str(robots.explain("/%0A%1B[2J", "ExampleBot"))
    assert len(text.splitlines()) == 7 and "\x1b" not in text
    assert "  target   /\\n\\x1b[2J" in text


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
    # More crawlers than the cache holds, each with its own rule, used by four threads at the same time.
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


def test_a_schedule_binds_the_names_directly_above_it() -> None:
    robots = Robots.parse("User-agent: a\nCrawl-delay: 10\nRequest-rate: 1/5\n\nUser-agent: *\nDisallow: /\nVisit-time: 0100-0200\n")
    assert not robots.can_fetch("/x", "a"), "a Crawl-delay does not end the group"
    assert robots.crawl_delay("a") == 10
    assert robots.request_rate("a") == RequestRate(1, 5, None, None)
    assert robots.crawl_delay("b") is None
    assert robots.request_rate("b") is None
    assert robots.visit_time("b") is not None
    assert robots.visit_time("a") is None


def test_what_applies_by_the_fetch_until_when_and_why() -> None:
    noon = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    standing = Robots.parse(ROBOTS).standing(now=noon)
    assert (standing.applies, standing.until, standing.due) == ("rules", noon + day, False)
    assert Robots.parse(ROBOTS).standing(now=noon, fetched=noon - 2 * day).applies == "unknown"
    hour = Robots.parse(ROBOTS).standing(now=noon.timestamp(), headers={"Cache-Control": "max-age=3600"})
    assert hour.until == hour.refetch == noon + datetime.timedelta(hours=1)
    assert Robots.parse(ROBOTS).standing(now=noon, redirects=6).applies == "rules"
    google = Robots.parse(ROBOTS, dialect="google")
    assert google.standing(now=noon, redirects=6).applies == "unrestricted"
    moved = Robots.parse("", status=301)
    assert moved.standing(now=noon, headers={"Location": "/robots.txt"}).applies == "unknown"
    failed = Robots.parse("", status=503)
    assert failed.standing(now=noon).applies == "restricted"
    assert "RFC 9309, 2.3.1.4" in failed.standing(now=noon).why
    assert failed.standing(now=noon, failing_since=noon - 31 * day).applies == "unrestricted"
    old = noon - 10 * day
    assert failed.standing(now=noon, last_good_fetched=old).applies == "last-good-copy"
    assert failed.standing(now=noon, last_good_fetched=old, unreachable="disallow").applies == "restricted"
    assert "redirect" not in Robots.parse("", status=304).standing(now=noon).why
    week = Robots.parse(ROBOTS, dialect="koster1996").standing(now=noon)
    assert week.until == noon + 7 * day
    with pytest.raises(ValueError, match="time zone"):
        failed.standing(now=datetime.datetime(2026, 11, 22))
    with pytest.raises(ValueError, match="unreachable"):
        failed.standing(now=noon, unreachable="hope")
    with pytest.raises(ValueError, match="leaves no choice"):
        Robots.parse("", status=503, dialect="google").standing(now=noon, unreachable="disallow")
    for name in ["failing_since", "last_good_fetched"]:
        with pytest.raises(ValueError, match="expected a time since 1994"):
            failed.standing(now=noon, **{name: 0})


def test_permissions_of_a_tdmrep_json() -> None:
    file = '[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://example.com/p"}]'
    robots = Robots.parse("User-agent: *\nDisallow:\n")
    for tdmrep in [file, file.encode()]:
        tdm = robots.permissions("/a", "ExampleBot", tdmrep=tdmrep)["tdm"]
        assert (tdm.permission, tdm.qualifiers) == ("prohibited", ("terms=https://example.com/p",))
        assert tdm.source == Source("tdmrep", 1, "tdmrep-json")
    headers = {"tdm-reservation": "0"}
    tdm = robots.permissions("/a", "ExampleBot", tdmrep=file, headers=headers)["tdm"]
    assert tdm.source == Source("tdmrep", 1, "header")
    assert robots.permissions("/a", "ExampleBot", tdmrep="[")["tdm"].permission == "unspecified"


def test_permissions_of_a_page_its_headers_and_the_circumstances() -> None:
    robots = Robots.parse("User-agent: *\nDisallow:\n")
    page = "<title>x</title>\n<meta name=robots content=noindex>"
    index = robots.permissions("/a", "ExampleBot", page=page)["index"]
    assert (index.permission, index.source) == ("prohibited", Source("robots-meta", 2, "meta"))
    assert robots.permissions("/a", "ExampleBot", page=page.encode())["index"] == index
    for headers in [{"X-Robots-Tag": "noindex"}, [("X-Robots-Tag", b"noindex")]]:
        assert robots.permissions("/a", "ExampleBot", headers=headers)["index"].permission == "prohibited"

    acap = Robots.parse(
        "ACAP-crawler: *\nACAP-allow-preserve: / time-limit=until-2007-12-31\nACAP-usage-purpose: ads\nACAP-disallow-index: /\n"
        "ACAP-crawler: *\nACAP-permissions-reference: /more.txt\n",
        dialect="acap",
    )
    preserve = acap.permissions("/a", "ExampleBot", now=1_100_000_000)["preserve"]
    assert preserve.permission == "permitted" and preserve.lacks == ("referenced=/more.txt",)
    for late in [{"now": 1_700_000_000}, {}]:
        expired = acap.permissions("/a", "ExampleBot", **late)["preserve"]
        assert (expired.permission, expired.reason) == ("prohibited", "expired")
    assert acap.permissions("/a", "ExampleBot")["index"].permission == "unspecified"
    assert acap.permissions("/a", "ExampleBot", purpose="ads")["index"].permission == "prohibited"
    more = {"/more.txt": "ACAP-crawler: *\nACAP-disallow-follow: /\n"}
    follow = acap.permissions("/a", "ExampleBot", references=more)["follow"]
    assert (follow.permission, follow.source) == ("prohibited", Source("acap", 2, "referenced"))


def test_texts_that_name_no_crawler_are_refused() -> None:
    robots = Robots.parse("User-agent: GPTBot\nDisallow: /\n")
    assert not robots.can_fetch("/", "Mozilla/5.0 (compatible; GPTBot/1.0)")
    for text in ["", "Google bot", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/60.0"]:
        with pytest.raises(ValueError, match="product token"):
            robots.can_fetch("/", text)
        with pytest.raises(ValueError, match="product token"):
            PolicySet.build({"example.com": ""}, agents=[text])
    assert Robots.parse("", dialect="acap").can_fetch("/", "Google News")


PAGE = '<meta name="robots" content="noindex"><p>text'


@pytest.mark.parametrize(
    ("page", "headers", "expected"),
    [
        (gzip.compress(PAGE.encode()), {"Content-Encoding": "gzip"}, "found gzip data"),
        (bz2.compress(PAGE.encode()), {}, "found bzip2 data"),
        (b"\x0b\x05\x80<\x01\x02\x03\x04", {"Content-Encoding": "br"}, 'content coding "br"'),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE, {}, "found a response with its status line"),
        (PAGE.encode()[:9], {"content-length": str(len(PAGE))}, f"expected {len(PAGE)} bytes, as Content-Length says, found 9"),
        (b"", {}, "an empty page, or a fetch that failed"),
        ("", {"Content-Length": "0"}, "an empty page, or a fetch that failed"),
    ],
)
def test_what_is_not_the_whole_page_is_refused(page: str | bytes, headers: dict[str, str], expected: str) -> None:
    # Its prohibitions would be missing.
    with pytest.raises(ValueError, match=f"^page: .*{expected}"):
        Robots.parse("").permissions("/", "ExampleBot", page=page, headers=headers)


@pytest.mark.parametrize(
    ("page", "headers"),
    [
        (PAGE.encode(), {"Content-Length": str(len(PAGE))}),
        # The client decoded it, and kept the headers.
        (PAGE.encode(), {"Content-Length": "9999", "Content-Encoding": "gzip"}),
        (PAGE.encode(), {"Content-Length": "20"}),
        # Its encoding and its line ends were others.
        (PAGE, {"Content-Length": "9999"}),
        (PAGE.encode("utf-16"), {}),
    ],
)
def test_a_decoded_page_is_read(page: str | bytes, headers: dict[str, str]) -> None:
    permissions = Robots.parse("").permissions("/", "ExampleBot", page=page, headers=headers)
    assert permissions["index"].permission == "prohibited"


def test_a_tdmrep_json_with_an_error_is_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    robots = Robots.parse("")
    reserved = '[{"location": "/", "tdm-reservation": 1}]'
    assert robots.permissions("/", "ExampleBot", tdmrep=reserved)["tdm"].permission == "prohibited"
    assert not recwarn
    for tdmrep, expected in [(reserved[:-9], "not JSON"), ("{}", "not an array"), ('[{"location": "/"}]', "rule 1")]:
        with pytest.warns(UserWarning, match=f"tdmrep.json.*{expected}"):
            assert robots.permissions("/", "ExampleBot", tdmrep=tdmrep)["tdm"].permission == "unspecified"
    with pytest.raises(ValueError, match="tdmrep: expected JSON, found no bytes"):
        robots.permissions("/", "ExampleBot", tdmrep="")


def test_references_are_any_mapping() -> None:
    robots = Robots.parse("ACAP-crawler: *\nACAP-permissions-reference: more", dialect="acap")
    more = "ACAP-crawler: *\nACAP-disallow-index: /"
    for references in [{"more": more}, MappingProxyType({"more": more.encode()})]:
        robots.permissions("/", "ExampleBot", references=references)
    with pytest.raises(TypeError, match="references: expected a mapping of locators to files, found list"):
        robots.permissions("/", "ExampleBot", references=[("more", more)])  # type: ignore[arg-type]


@pytest.mark.parametrize("other", ["disallow", b"disallow", True, False])
def test_an_answer_is_not_compared_with_what_it_never_equals(other: object) -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /")
    answers = [
        robots.check("/", "ExampleBot"),
        robots.explain("/", "ExampleBot"),
        robots.permissions("/", "ExampleBot")["crawl"],
        robots.standing(now=1_800_000_000),
        VerdictRow(robots.check("/", "ExampleBot")._asdict()),
    ]
    for answer in answers:
        for compare in [operator.eq, operator.ne]:
            with pytest.raises(ValueError, match="which it never equals: compare "):
                compare(answer, other)
            with pytest.raises(ValueError, match="which it never equals: compare "):
                compare(other, answer)
        copied = pickle.loads(pickle.dumps(answer))
        assert copied == answer and not copied != answer and answer is not None
    for answer in answers[:-1]:
        assert isinstance(answer, tuple) and answer == tuple(answer) and len({answer, tuple(answer)}) == 1
    assert answers[-1] == robots.check("/", "ExampleBot")._asdict()
