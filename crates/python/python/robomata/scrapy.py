"""robomata as Scrapy's parser of robots.txt files.

In a project's settings::

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robomata.scrapy.RobotParser"
    ROBOMATA_DIALECT = "rfc9309"  # the default; "google" reads files as Googlebot does
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import robotstxt

from robomata import Robots
from robomata.robotparser import asked

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

__all__ = ["RobotParser"]


class RobotParser(robotstxt.RobotParser):
    """What Scrapy's ``RobotsTxtMiddleware`` asks about a site, answered by :class:`robomata.Robots`.

    Scrapy parses the body of any response as a robots.txt, whatever its status, and allows everything on a site whose
    robots.txt could not be had; this is decided before a parser is asked. A User-Agent that names no crawler, as a
    browser's, gets the rules for every other crawler.
    """

    def __init__(self, robotstxt_body: bytes, *, dialect: str = "rfc9309") -> None:
        self._robots = Robots.parse(robotstxt_body, dialect=dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """The parser of one body, under the dialect of the crawler's settings."""
        return cls(robotstxt_body, dialect=crawler.settings.get("ROBOMATA_DIALECT") or "rfc9309")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """May the crawler fetch ``url``?"""
        return asked(self._robots.can_fetch, url, user_agent)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Seconds between two requests, when the site asks the crawler for them."""
        return asked(self._robots.crawl_delay, user_agent)
