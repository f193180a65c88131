"""The drop-in for `urllib.robotparser`: the behaviour that urllib's users expect, and the intended differences."""

import gzip
import http.client
import threading
import time
import urllib.error
import urllib.robotparser
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from robomata import Robots
from robomata.robotparser import RobotFileParser

ROBOTS = "User-agent: *\nDisallow: /private\nCrawl-delay: 2\nRequest-rate: 3/15\nSitemap: https://example.com/s.xml\n"


class Site:
    """A site on this machine that answers with `status` and `body` from now on."""

    status = 200
    body = ROBOTS.encode()
    headers: dict[str, str] = {}

    def __init__(self, server: HTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_port}/robots.txt"


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(site.status)
            for name, value in site.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(site.body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    site = Site(server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(params=[RobotFileParser, urllib.robotparser.RobotFileParser], ids=["robomata", "urllib"])
def kind(request: pytest.FixtureRequest) -> type[RobotFileParser]:
    """Both parsers: assertions on this fixture also hold for urllib."""
    return request.param


def test_nothing_may_be_fetched_before_a_file_was_read(kind: type[RobotFileParser]) -> None:
    parser = kind("https://example.com/robots.txt")
    assert (parser.host, parser.path, parser.url) == ("example.com", "/robots.txt", "https://example.com/robots.txt")
    assert not parser.can_fetch("ExampleBot", "https://example.com/")
    assert parser.mtime() == 0
    assert parser.crawl_delay("ExampleBot") is None
    assert parser.request_rate("ExampleBot") is None
    assert parser.site_maps() is None
    assert str(parser) == ""


def test_lines_are_parsed(kind: type[RobotFileParser]) -> None:
    parser = kind()
    before = time.time()
    assert parser.parse(ROBOTS.splitlines()) is None
    assert before <= parser.mtime() <= time.time()
    assert parser.can_fetch("ExampleBot", "https://example.com/open") is True
    assert parser.can_fetch("ExampleBot", "https://example.com/private/a") is False
    assert parser.can_fetch("ExampleBot", "") is True
    assert repr(parser.crawl_delay("ExampleBot")) == "2"
    requests, seconds = parser.request_rate("ExampleBot")
    assert (repr(requests), repr(seconds)) == ("3", "15")
    assert repr(parser.request_rate("ExampleBot")) == "RequestRate(requests=3, seconds=15)"
    assert parser.site_maps() == ["https://example.com/s.xml"]
    assert "Disallow: /private" in str(parser)


@pytest.mark.parametrize("url", [None, 0, False, [], (), bytearray(), float("nan")])
def test_what_is_no_text_is_no_url(url: object) -> None:
    parser = RobotFileParser()
    parser.parse(ROBOTS.splitlines())
    for all_of in [{}, {"allow_all": True}, {"disallow_all": True}, {"last_checked": 0}]:
        vars(parser).update(all_of)
        with pytest.raises(TypeError, match="url: expected str or bytes, found"):
            parser.can_fetch("ExampleBot", url)  # type: ignore[arg-type]


def test_an_empty_url_is_the_root() -> None:
    for rule, may in [("/$", False), ("/private", True)]:
        parser = RobotFileParser()
        parser.parse(["User-agent: *", f"Disallow: {rule}"])
        assert [parser.can_fetch("ExampleBot", url) for url in ("", b"", "/")] == [may] * 3  # type: ignore[arg-type]


UNNAMED = [
    "ExampleBot 2.0",
    "ExampleBot v2",
    "ExampleBot: crawler",
    "ExampleBot - contact me@x.com",
    "User-Agent: ExampleBot",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 ExampleBot/1.0",
    "ExampleBot,",
    "'ExampleBot'",
    "The bot is ExampleBot. See x.com",
]


@pytest.mark.parametrize("agent", UNNAMED)
def test_a_text_that_names_no_crawler_obeys_the_groups_of_its_words(agent: str) -> None:
    with pytest.raises(ValueError):
        Robots.parse("").can_fetch("/", agent)
    own = ["User-agent: ExampleBot", "Disallow: /own", "Crawl-delay: 9", "Request-rate: 1/9"]
    every = ["User-agent: *", "Disallow: /every", "Crawl-delay: 2", "Request-rate: 1/2"]
    parser = RobotFileParser()
    parser.parse([*own, "", *every])
    assert [parser.can_fetch(agent, url) for url in ("/own", "/every", "/open")] == [False, False, True]
    assert (parser.crawl_delay(agent), parser.request_rate(agent)) == (9, (1, 9))
    parser.parse(["User-agent: ExampleBot", "Crawl-delay: 1", "Request-rate: 1/1", "Disallow:", "", *every])
    assert [parser.can_fetch(agent, url) for url in ("/own", "/every")] == [True, False]
    assert (parser.crawl_delay(agent), parser.request_rate(agent)) == (2, (1, 2))
    parser.parse(every)
    assert [parser.can_fetch(agent, url) for url in ("/own", "/every")] == [True, False]


def test_lines_may_have_their_ends(kind: type[RobotFileParser]) -> None:
    parser = kind()
    parser.parse(ROBOTS.splitlines(keepends=True))
    assert not parser.can_fetch("ExampleBot", "/private")


def test_modified_sets_the_time(kind: type[RobotFileParser]) -> None:
    parser = kind()
    parser.modified()
    assert time.time() - 60 < parser.mtime() <= time.time()
    assert parser.can_fetch("ExampleBot", "/")


def test_a_file_is_read(site: Site, kind: type[RobotFileParser]) -> None:
    parser = kind()
    parser.set_url(site.url)
    assert parser.read() is None
    assert parser.can_fetch("ExampleBot", "/open") and not parser.can_fetch("ExampleBot", "/private")
    assert parser.mtime() > 0


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
def test_of_a_long_file_the_line_at_the_limit_does_not_count(site: Site, dialect: str) -> None:
    # The limit cuts `Allow: /public` after the slash: as a rule, it would open the site.
    for limit in [None, 512_000, 6_000_000]:
        head, cut = b"User-agent: *\nDisallow: /\n#", b"\nAllow: /public\n"
        length = limit or 4 * 1024 * 1024
        site.body = head + b"x" * (length - len(head) - len(b"\nAllow: /")) + cut
        parser = RobotFileParser(site.url, dialect=dialect, max_robots_bytes=limit)
        parser.read()
        assert not parser.can_fetch("ExampleBot", "/secret") and not parser.can_fetch("ExampleBot", "/public")
        site.body = head + b"x" * (length // 2) + cut
        parser.read()
        assert not parser.can_fetch("ExampleBot", "/secret") and parser.can_fetch("ExampleBot", "/public")


@pytest.mark.parametrize(
    ("status", "fetched"), [(401, False), (403, False), (400, True), (404, True), (410, True), (500, False), (503, False)]
)
def test_a_status_decides(site: Site, kind: type[RobotFileParser], status: int, fetched: bool) -> None:
    site.status = status
    parser = kind(site.url)
    parser.read()
    assert bool(parser.can_fetch("ExampleBot", "/open")) is fetched
    assert parser.mtime() == 0
    assert (parser.disallow_all, parser.allow_all) == (status in (401, 403), fetched)


def test_what_was_known_outlives_a_failure(site: Site, kind: type[RobotFileParser]) -> None:
    parser = kind(site.url)
    parser.read()
    site.status = 503
    parser.read()
    assert parser.can_fetch("ExampleBot", "/open") and not parser.can_fetch("ExampleBot", "/private")


def test_a_part_of_a_file_replaces_nothing(site: Site) -> None:
    parser = RobotFileParser(site.url)
    site.status, site.body = 206, b"User-agent: *\nDisallow: /pri"
    site.headers = {"Content-Range": f"bytes 0-{len(site.body) - 1}/{len(ROBOTS)}"}
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/open") and parser.mtime() == 0, "nothing was read"
    parser.parse(ROBOTS.splitlines())
    site.body = b"User-agent: *\n"
    parser.read()
    assert parser.can_fetch("ExampleBot", "/open") and not parser.can_fetch("ExampleBot", "/private")


def test_a_failure_of_the_network_is_raised(site: Site, kind: type[RobotFileParser]) -> None:
    parser = kind("http://127.0.0.1:1/robots.txt")
    with pytest.raises(urllib.error.URLError):
        parser.read()


def test_the_newest_answer_counts_alone(site: Site) -> None:
    parser = RobotFileParser(site.url)
    parser.read()
    site.status = 403
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/open")
    site.status, site.body = 200, b"User-agent: *\nDisallow: /other\n"
    parser.read()
    assert parser.can_fetch("ExampleBot", "/private") and not parser.can_fetch("ExampleBot", "/other")
    site.status = 404
    parser.read()
    assert parser.can_fetch("ExampleBot", "/other")


@pytest.mark.parametrize("coding", ["gzip", "X-GZIP "])
def test_a_compressed_file_is_decoded(site: Site, coding: str) -> None:
    whole = gzip.compress(b"#" * 79) + gzip.compress(b"\n" + ROBOTS.encode())
    site.headers = {"Content-Encoding": coding}
    site.body = whole
    parser = RobotFileParser(site.url)
    parser.read()
    assert parser.can_fetch("ExampleBot", "/open") and not parser.can_fetch("ExampleBot", "/private")
    # What ends early or is damaged replaces nothing, and neither does an error page of the wrong coding.
    site.body = whole[:-1]
    with pytest.raises(http.client.IncompleteRead):
        parser.read()
    site.body = ROBOTS.encode()
    with pytest.raises(OSError, match="gzip"):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/private"), "the previous rules still apply"


def test_no_more_is_decompressed_than_is_used(site: Site) -> None:
    site.headers = {"Content-Encoding": "gzip"}
    site.body = gzip.compress(b"User-agent: *\nDisallow: /private\n" + b"\n" * 64 * 1024 * 1024)
    parser = RobotFileParser(site.url)
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/private")
    assert len(str(parser)) < 5 * 1024 * 1024


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip"])
def test_another_coding_is_an_error(site: Site, coding: str) -> None:
    site.headers = {"Content-Encoding": coding}
    parser = RobotFileParser(site.url)
    with pytest.raises(ValueError, match=f"expected gzip, found '{coding}'"):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/open"), "nothing was read"


@pytest.mark.parametrize(
    ("headers", "body", "error", "message"),
    [
        ({"Transfer-Encoding": "gzip"}, gzip.compress(ROBOTS.encode()), ValueError, "expected chunked, found 'gzip'"),
        ({"Transfer-Encoding": "gzip, chunked"}, b"0\r\n\r\n", ValueError, "expected chunked, found 'gzip, chunked'"),
        ({"Content-Encoding": "gzip"}, b"", http.client.IncompleteRead, "0 bytes read"),
        ({"Content-Encoding": "gzip", "Content-Length": "0"}, b"", http.client.IncompleteRead, "0 bytes read"),
    ],
)
def test_a_body_that_is_still_coded_is_no_empty_file(
    site: Site, headers: dict[str, str], body: bytes, error: type[Exception], message: str
) -> None:
    parser = RobotFileParser(site.url)
    parser.read()
    site.headers, site.body = headers, body
    with pytest.raises(error, match=message):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/private"), "the previous rules still apply"


@pytest.mark.parametrize("coding", [{}, {"Content-Encoding": "gzip"}])
def test_a_body_that_is_compressed_once_more_replaces_nothing(site: Site, coding: dict[str, str]) -> None:
    parser = RobotFileParser(site.url)
    parser.read()
    once = gzip.compress(ROBOTS.encode())
    site.headers, site.body = coding, gzip.compress(once) if coding else once
    with pytest.raises(ValueError, match="expected a body of text, found gzip data"):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/private"), "the previous rules still apply"
    assert parser.can_fetch("ExampleBot", "/open")


def test_an_empty_file_may_be_compressed_and_chunked(site: Site) -> None:
    for headers, body in [
        ({"Content-Encoding": "gzip"}, gzip.compress(b"")),
        ({"Content-Encoding": "Identity"}, b""),
        ({"Transfer-Encoding": "identity"}, b""),
        ({"Transfer-Encoding": "Chunked"}, b"0\r\n\r\n"),
    ]:
        site.headers, site.body = headers, body
        parser = RobotFileParser(site.url)
        parser.read()
        assert parser.can_fetch("ExampleBot", "/private") and str(parser) == ""


def test_a_file_that_is_not_utf_8_is_read(site: Site) -> None:
    site.body = b"User-agent: *\n# caf\xe9\nDisallow: /private\n"
    parser = RobotFileParser(site.url)
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/private")
    assert "Disallow: /private" in str(parser)


def test_no_more_is_read_than_is_used(site: Site) -> None:
    site.body = b"User-agent: *\nDisallow: /private\n" + b"#" * 79 + b"\n" * 8 * 1024 * 1024 + b"Disallow: /end\n"
    parser = RobotFileParser(site.url)
    parser.read()
    assert not parser.can_fetch("ExampleBot", "/private") and parser.can_fetch("ExampleBot", "/end")
    assert len(str(parser)) < 5 * 1024 * 1024


def test_what_differs() -> None:
    parser = RobotFileParser()
    parser.parse(
        ["User-agent: bot", "Disallow: /", "", "User-agent: *", "Allow: /", "", "Disallow: /*.pdf$", "Crawl-delay: 0.5"]
    )
    assert parser.can_fetch("mybot", "/a"), "names are compared whole"
    assert not parser.can_fetch("mybot", "/a.pdf"), "the longest match decides, a blank line ends nothing"
    assert parser.can_fetch("bot", "/robots.txt"), "the file itself may be fetched"
    assert not parser.can_fetch("Mozilla/5.0 (compatible; bot/1.0)", "/a"), "a header names its crawler"
    assert parser.crawl_delay("mybot") == 0.5
    assert not parser.can_fetch("mybot", "no URL")


def test_the_dialect_may_be_chosen() -> None:
    parser = RobotFileParser(dialect="koster1996")
    parser.parse(["User-agent: *", "Disallow: /a", "Allow: /a/b"])
    assert not parser.can_fetch("ExampleBot", "/a/b")
    with pytest.raises(ValueError, match="nonsense"):
        RobotFileParser(dialect="nonsense")


@pytest.mark.parametrize("sent", [0, 20, len(ROBOTS) - 1])
def test_a_body_that_ends_early_is_an_error(site: Site, kind: type[RobotFileParser], sent: int) -> None:
    parser = kind(site.url)
    parser.read()
    site.headers = {"Content-Length": str(len(ROBOTS))}
    site.body = ROBOTS.encode()[:sent]
    with pytest.raises(http.client.IncompleteRead):
        parser.read()
    assert not parser.can_fetch("ExampleBot", "/private"), "the previous rules still apply"


def test_a_body_with_a_length_is_read_up_to_the_limit(site: Site) -> None:
    site.body = ROBOTS.encode() + b"#" * 79 + b"\n" * 8 * 1024 * 1024 + b"Disallow: /end\n"
    for length in (len(site.body), len(ROBOTS)):
        site.headers = {"Content-Length": str(length)}
        parser = RobotFileParser(site.url)
        parser.read()
        assert not parser.can_fetch("ExampleBot", "/private") and parser.can_fetch("ExampleBot", "/end")


@pytest.mark.parametrize("text", [ROBOTS, ROBOTS.encode(), bytearray(ROBOTS.encode())])
def test_a_text_is_not_its_lines(text: object) -> None:
    with pytest.raises(TypeError, match="lines: expected an iterable of lines, found"):
        RobotFileParser().parse(text)  # type: ignore[arg-type]
