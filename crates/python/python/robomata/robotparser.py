"""A drop-in for :mod:`urllib.robotparser`, answered by robomata.

>>> from robomata.robotparser import RobotFileParser
>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /private", "Allow: /private/press$"])
>>> parser.can_fetch("ExampleBot", "https://example.com/private/press")
True
"""

from __future__ import annotations

import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.robotparser import RequestRate

from robomata import Robots

__all__ = ["RobotFileParser"]

_Answer = TypeVar("_Answer")

# More than this is read of no robots.txt. It is the engine's own limit and one byte, so that the engine sees what was cut.
_LIMIT = 4 * 1024 * 1024 + 1


class RobotFileParser:
    """Reads one robots.txt and says what a crawler may fetch; methods and argument order are those of
    :class:`urllib.robotparser.RobotFileParser`.

    What differs, all of it on purpose:

    * Rules are read and matched as RFC 9309 says (or ``dialect``): the longest pattern decides and not the first, ``*`` and ``$``
      are special, all groups of a crawler are merged, an unreserved byte equals its percent-encoding and a reserved one
      (``/`` and ``%2F``) does not, blank lines end nothing.
    * ``useragent`` is a product token or the text of a User-Agent header. Its token is compared whole: a group for ``bot`` is
      not for ``mybot``. What names no crawler (an empty text, the header of a browser) gets the rules for every other crawler,
      where :class:`robomata.Robots` raises a ``ValueError``.
    * ``/robots.txt`` itself may always be fetched; a URL's fragment takes no part; what is no URL may not be fetched.
    * A file that is not UTF-8 is no error, and no more than 4 MiB of a file are used.
    * :meth:`parse` and :meth:`read` replace what was known, where urllib adds to it; what a status said is forgotten, too.
    * :meth:`crawl_delay` may have a fraction, and :meth:`request_rate` takes ``1/10s``, ``100/15m`` and the like.
    * ``str()`` is the text that was parsed, not an account of it. There is no ``entries`` and no ``default_entry``.

    What does not: nothing may be fetched before a file was read, after 401 and 403 nothing may, after another 4xx everything.
    After any other status what was known stays known, and a failure of the network is raised.
    """

    def __init__(self, url: str = "", *, dialect: str = "rfc9309") -> None:
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self._dialect = dialect
        self._body = b""
        # Parsed already, so that a dialect that does not exist is said here.
        self._robots = Robots.parse(b"", dialect=dialect)
        self.set_url(url)

    def set_url(self, url: str) -> None:
        """Says where the robots.txt is."""
        self.url = url
        self.host, self.path = urllib.parse.urlparse(url)[1:3]

    def read(self) -> None:
        """Fetches the robots.txt and parses it."""
        try:
            with urllib.request.urlopen(self.url) as response:
                body = response.read(_LIMIT)
        except urllib.error.HTTPError as error:
            error.close()
            if 400 <= error.code < 500:
                self.disallow_all = error.code in (401, 403)
                self.allow_all = not self.disallow_all
        else:
            self._know(body)

    def parse(self, lines: Iterable[str]) -> None:
        """Parses a robots.txt that is given as its lines, with or without their ends."""
        text = "\n".join(line.rstrip("\r\n") for line in lines)
        self._know(_encoded(text))

    def _know(self, body: bytes) -> None:
        self._robots = Robots.parse(body, dialect=self._dialect)
        self._body = body
        self.disallow_all = self.allow_all = False
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """May the crawler ``useragent`` fetch ``url``?"""
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        # urllib takes the empty text for the root.
        return bool(self.last_checked) and asked(self._robots.can_fetch, url or "/", useragent)

    def crawl_delay(self, useragent: str) -> int | float | None:
        """Seconds between two requests, when the robots.txt asks ``useragent`` for them."""
        delay = asked(self._robots.crawl_delay, useragent) if self.last_checked else None
        return None if delay is None else _plain(delay)

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Requests in a number of seconds, when the robots.txt asks ``useragent`` for that."""
        rate = asked(self._robots.request_rate, useragent) if self.last_checked else None
        # The stubs of urllib know no fractions; whoever asks for half a second is to be heard all the same.
        return RequestRate(rate.requests, _plain(rate.seconds)) if rate else None  # type: ignore[arg-type]

    def site_maps(self) -> list[str] | None:
        """The sitemaps that the robots.txt names; ``None`` when there is none."""
        return list(self._robots.sitemaps) or None

    def mtime(self) -> float:
        """When a robots.txt was last parsed, in seconds since 1970; 0 for never."""
        return self.last_checked

    def modified(self) -> None:
        """Says that the robots.txt was parsed just now."""
        self.last_checked = time.time()

    def __str__(self) -> str:
        return self._body.decode("utf-8", "replace")


def asked(ask: Callable[..., _Answer], *arguments: str | bytes) -> _Answer:
    """The answer to the crawler that the last argument names. Where it names none, that to every other crawler: the
    libraries whose places the drop-ins take refuse no text."""
    try:
        return ask(*arguments)
    except ValueError:
        return ask(*arguments[:-1], "*")


def _encoded(text: str) -> bytes:
    """Text in UTF-8; bytes that were none are surrogates where it was decoded as urllib decodes files and paths."""
    return text.encode("utf-8", "surrogateescape")


def _plain(number: float) -> int | float:
    """urllib knows whole numbers only; where a number is whole, it looks as urllib's."""
    return int(number) if number.is_integer() else number
