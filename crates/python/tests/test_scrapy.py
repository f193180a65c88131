"""Scrapy with robomata as its parser: a real crawl of a local site, checked against the server's log."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from conftest import CRATE, needs, run

needs("Scrapy")

from scrapy.settings import Settings

from robomata.scrapy import RobotParser

# A first-match parser allows everything below /private; a parser that compares parts of names chooses the group for `Bot`.
ROBOTS = b"""\
User-agent: Bot
Disallow:

User-agent: ExampleBot
Allow: /private
Disallow: /private/
Allow: /private/press$
Disallow: /*?sort=
Crawl-delay: 0.5

User-agent: *
Disallow: /
"""
FETCHED = ["/", "/open", "/private", "/private/press", "/press?page=2", "/%70ublic", "/ä"]
REFUSED = ["/private/diary", "/private/press/2026", "/a?sort=up", "/%70rivate/", "/private/ä"]


@contextmanager
def site(robots: bytes | None) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A site with this robots.txt, by its origin, and its log of (path, User-Agent)."""
    log = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            log.append((self.path, self.headers["User-Agent"]))
            body = robots if self.path == "/robots.txt" else b"<html>a page</html>"
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", log
    finally:
        server.shutdown()
        server.server_close()


def crawl(origin: str, agent: str, paths: list[str]) -> list[str]:
    """The paths that Scrapy passes to its spider."""
    output = run(CRATE / "tests/scrapy_crawl.py", agent, *(origin + path for path in paths))
    return sorted(line.removeprefix(f"fetched {origin}") for line in output.splitlines())


def as_sent(path: str) -> str:
    return path.replace("ä", "%C3%A4")


@pytest.mark.parametrize("agent", ["ExampleBot", "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"])
def test_a_crawl_fetches_what_is_allowed_and_nothing_else(agent: str) -> None:
    with site(ROBOTS) as (origin, log):
        crawled = crawl(origin, agent, FETCHED + REFUSED)
    asked = sorted(path for path, _ in log)
    assert asked == sorted(["/robots.txt", *map(as_sent, FETCHED)])
    assert crawled == sorted(map(as_sent, FETCHED))
    assert {sent for _, sent in log} == {agent}


def test_another_crawler_is_held_to_the_group_for_all() -> None:
    with site(ROBOTS) as (origin, log):
        assert crawl(origin, "OtherBot", ["/", "/open"]) == []
    assert [path for path, _ in log] == ["/robots.txt"]


def test_a_site_without_a_robots_txt_is_open() -> None:
    with site(None) as (origin, log):
        assert crawl(origin, "ExampleBot", ["/private/diary"]) == ["/private/diary"]
    assert [path for path, _ in log] == ["/robots.txt", "/private/diary"]


def test_the_parser_takes_text_and_bytes() -> None:
    parser = RobotParser.from_crawler(crawler(), ROBOTS)
    for agent in ("ExampleBot", b"ExampleBot"):
        for url in ("http://a.example/private/diary", b"http://a.example/private/diary"):
            assert parser.allowed(url, agent) is False
        assert parser.allowed("http://a.example/open", agent) is True
        assert parser.crawl_delay(agent) == 0.5
    assert parser.crawl_delay("OtherBot") is None


# Protego finds the group of the first word, and so does Scrapy's default parser.
@pytest.mark.parametrize("agent", ["ExampleBot 2.0", b"ExampleBot: crawler", "Mozilla/5.0 (X11) Gecko/1 ExampleBot/1.0", "'ExampleBot'"])
def test_a_user_agent_that_names_no_crawler_obeys_the_groups_of_its_words(agent: str | bytes) -> None:
    body = b"User-agent: ExampleBot\nDisallow: /own\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /every\nCrawl-delay: 2\n"
    parser = RobotParser.from_crawler(crawler(), body)
    assert [parser.allowed(f"http://a.example{path}", agent) for path in ("/own", "/every", "/")] == [False, False, True]
    assert parser.crawl_delay(agent) == 9


def test_an_empty_body_allows_all() -> None:
    parser = RobotParser.from_crawler(crawler(), b"")
    assert parser.allowed("http://a.example/private", b"ExampleBot") is True
    assert parser.crawl_delay(b"ExampleBot") is None


# Scrapy allows everything on a site whose parser raises an error.
def test_a_compressed_body_allows_nothing(caplog: pytest.LogCaptureFixture) -> None:
    parser = RobotParser.from_crawler(crawler(), gzip.compress(ROBOTS))
    assert parser.allowed("http://a.example/open", "ExampleBot") is False
    assert parser.crawl_delay("ExampleBot") is None
    assert "found gzip data (decode the body); nothing on the site is allowed" in caplog.text


def test_a_site_that_compresses_its_file_once_more_is_closed() -> None:
    with site(gzip.compress(ROBOTS)) as (origin, log):
        assert crawl(origin, "ExampleBot", ["/", "/open"]) == []
    assert [path for path, _ in log] == ["/robots.txt"]


def test_the_dialect_is_a_setting() -> None:
    body = b"User-agent: *\nDisallow: /a\nAllow: /a\n"
    assert RobotParser.from_crawler(crawler(), body).allowed("http://a.example/a", b"ExampleBot") is True
    old = crawler(ROBOMATA_DIALECT="koster1996")
    assert RobotParser.from_crawler(old, body).allowed("http://a.example/a", b"ExampleBot") is False
    with pytest.raises(ValueError, match="nonsense"):
        RobotParser.from_crawler(crawler(ROBOMATA_DIALECT="nonsense"), body)


def crawler(**settings: str) -> SimpleNamespace:
    return SimpleNamespace(settings=Settings(settings))
