"""A drop-in replacement for :mod:`urllib.robotparser` that uses robomata.

>>> from robomata.robotparser import RobotFileParser
>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /private", "Allow: /private/press$"])
>>> parser.can_fetch("ExampleBot", "https://example.com/private/press")
True
"""

from __future__ import annotations

import gzip
import http.client
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from urllib.robotparser import RequestRate

from robomata import Robots

__all__ = ["RobotFileParser"]

_Answer = TypeVar("_Answer")

# The maximum size that is used, also in the dialect ``google``, which has no limit of its own.
_LIMIT = 4 * 1024 * 1024


class RobotFileParser:
    """Reads one robots.txt and answers which URLs a crawler may fetch. The methods and the order of their arguments are those
    of :class:`urllib.robotparser.RobotFileParser`.

    Intended differences:

    * Rules are parsed and matched according to RFC 9309 (or ``dialect``). The longest matching pattern decides, not the first.
      ``*`` and ``$`` are special. All groups of a crawler are merged. An unreserved byte equals its percent-encoding, but a
      reserved byte does not (``/`` and ``%2F``). Blank lines do not end groups.
    * ``useragent`` is a product token or the text of a User-Agent header. The complete token is compared: a group for ``bot``
      does not apply to ``mybot``. A text that names no crawler (an empty text, ``ExampleBot 2.0``, the header of a browser)
      may fetch what the group ``*`` and the groups of all of its words allow, and the longest delay counts;
      :class:`robomata.Robots` raises a ``ValueError`` instead.
    * ``/robots.txt`` itself may always be fetched. The fragment of a URL is ignored. A text that is not a URL may not be
      fetched, and neither may a URL with an invalid host or with control characters, such as a line end. So
      is a text that begins with ``//``: it names a host. Blanks around a URL do not count.
    * A file that is not UTF-8 is not an error. At most ``max_robots_bytes`` of a file are used, by default 4 MiB.
    * :meth:`parse` and :meth:`read` replace the previous rules and the effect of a previous status; urllib adds to them.
    * :meth:`crawl_delay` may have a fraction, and :meth:`request_rate` accepts values such as ``1/10s`` and ``100/15m``.
    * ``str()`` returns the parsed text, not a normalised one. There are no attributes ``entries`` and ``default_entry``.

    As in urllib, nothing may be fetched before a file was read. After status 401 or 403 nothing may be fetched, and after
    another 4xx everything may. Any other error status leaves the previous rules in place, and so does 206, with which only a part
    of the file came. A network failure is raised, also
    :class:`http.client.IncompleteRead` for a body that ends early. A body with ``Content-Encoding: gzip`` is decoded. Any
    other coding is a ``ValueError``, and so is a body that is compressed without such a field, or twice.
    """

    def __init__(self, url: str = "", *, dialect: str = "rfc9309", max_robots_bytes: int | None = None) -> None:
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self._dialect = dialect
        self._max_robots_bytes = _LIMIT if max_robots_bytes is None else max_robots_bytes
        self._body = b""
        # Parse an empty file now, so that a wrong argument raises its error here.
        self._robots = Robots.parse(b"", dialect=dialect, max_robots_bytes=self._max_robots_bytes)
        self.set_url(url)

    def set_url(self, url: str) -> None:
        """Sets the URL of the robots.txt."""
        self.url = url
        self.host, self.path = urllib.parse.urlparse(url)[1:3]

    def read(self) -> None:
        """Fetches the robots.txt and parses it."""
        try:
            with urllib.request.urlopen(self.url) as response:
                # A part of the file says nothing about the rest. The URL of a file has no status.
                body = None if getattr(response, "status", None) == 206 else self._body_of(response)
        except urllib.error.HTTPError as error:
            error.close()
            if 400 <= error.code < 500:
                self.disallow_all = error.code in (401, 403)
                self.allow_all = not self.disallow_all
        else:
            if body is not None:
                self._replace(body)

    def _body_of(self, response: Any) -> bytes:
        # With one byte more, the engine sees that the file is longer, and leaves out the line at the limit.
        limit = self._max_robots_bytes + 1
        body = bytearray()
        decoded = _decoded(response)
        try:
            while len(body) < limit and (piece := decoded.read(limit - len(body))):
                body += piece
        except EOFError as error:
            raise http.client.IncompleteRead(bytes(body)) from error
        # ``http.client`` counts what is missing, but raises no error when the size is limited. Rules would be missing, too.
        missing = getattr(response, "length", None) if len(body) < limit else None
        # A coding of nothing is at least a header.
        if missing or (isinstance(decoded, gzip.GzipFile) and decoded.mtime is None):
            raise http.client.IncompleteRead(bytes(body), missing)
        return bytes(body)

    def parse(self, lines: Iterable[str]) -> None:
        """Parses a robots.txt from its lines, with or without line ends."""
        if isinstance(lines, (str, bytes, bytearray)):
            raise TypeError(f"lines: expected an iterable of lines, found {type(lines).__name__} (use splitlines())")
        text = "\n".join(line.rstrip("\r\n") for line in lines)
        self._replace(_encoded(text))

    def _replace(self, body: bytes) -> None:
        self._robots = Robots.parse(body, dialect=self._dialect, max_robots_bytes=self._max_robots_bytes)
        self._body = body
        self.disallow_all = self.allow_all = False
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """May the crawler ``useragent`` fetch ``url``?"""
        if not isinstance(url, (str, bytes)):
            raise TypeError(f"url: expected str or bytes, found {type(url).__name__}")
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        # urllib treats an empty URL as the root.
        return bool(self.last_checked) and all(answers(self._robots.can_fetch, url or "/", useragent))

    def crawl_delay(self, useragent: str) -> int | float | None:
        """Returns the crawl delay for ``useragent`` in seconds, or ``None``."""
        delay = longest_delay(self._robots, useragent) if self.last_checked else None
        return None if delay is None else _plain(delay)

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Returns the request rate for ``useragent``, or ``None``."""
        rates = [rate for rate in answers(self._robots.request_rate, useragent) if rate] if self.last_checked else []
        rate = max(rates, key=lambda rate: rate.seconds / rate.requests, default=None)
        # urllib's type stubs allow only whole seconds, but fractions are passed on, too.
        return RequestRate(rate.requests, _plain(rate.seconds)) if rate else None  # type: ignore[arg-type]

    def site_maps(self) -> list[str] | None:
        """Returns the sitemaps that the robots.txt names, or ``None`` if there are none."""
        return list(self._robots.sitemaps) or None

    def mtime(self) -> float:
        """Returns the time at which a robots.txt was last parsed, in seconds since 1970, or 0."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time of the last parse to the current time."""
        self.last_checked = time.time()

    def __str__(self) -> str:
        return self._body.decode("utf-8", "replace")


def answers(ask: Callable[..., _Answer], *arguments: str | bytes) -> list[_Answer]:
    """Calls ``ask`` for the crawler that the last argument names. If it names none, calls ``ask`` for every other crawler and
    for each word of the text that is a product token: the libraries that the drop-ins replace accept any text, and find the
    group of ``ExampleBot 2.0``."""
    try:
        return [ask(*arguments)]
    except ValueError:
        *others, agent = arguments
        text = agent if isinstance(agent, str) else agent.decode("utf-8", "replace")
        found = [ask(*others, "*")]
        for word in dict.fromkeys(word.strip(".-") for word in re.findall(r"[\w.-]+", text)):
            try:
                found.append(ask(*others, word))
            except ValueError:
                pass  # no product token
        return found


def longest_delay(robots: Robots, useragent: str | bytes) -> float | None:
    """Returns the crawl delay for ``useragent`` in seconds, or ``None``."""
    delays = answers(robots.crawl_delay, useragent)
    return max((delay for delay in delays if delay is not None), default=None)


def _decoded(response: Any) -> Any:
    """Returns the body of a response as a file. Coded bytes would count as a robots.txt without rules."""
    transfer = _codings(response, "Transfer-Encoding")
    if transfer not in ("", "identity", "chunked"):
        raise ValueError(f"Transfer-Encoding: expected chunked, found '{transfer}' (decode the body and pass its lines to parse)")
    coding = _codings(response, "Content-Encoding")
    if coding in ("", "identity"):
        return response
    if coding in ("gzip", "x-gzip"):
        return gzip.GzipFile(fileobj=response)
    raise ValueError(f"Content-Encoding: expected gzip, found '{coding}' (decode the body and pass its lines to parse)")


def _codings(response: Any, name: str) -> str:
    return ", ".join(response.headers.get_all(name, [])).strip().lower()


def _encoded(text: str) -> bytes:
    """Encodes text as UTF-8. Surrogates become the bytes that urllib could not decode."""
    return text.encode("utf-8", "surrogateescape")


def _plain(number: float) -> int | float:
    """Converts a whole number to ``int``, because urllib returns only whole numbers."""
    return int(number) if number.is_integer() else number
