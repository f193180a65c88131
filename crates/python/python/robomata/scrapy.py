"""robomata as Scrapy's robots.txt parser.

In a project's settings::

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robomata.scrapy.RobotParser"
    ROBOMATA_DIALECT = "rfc9309"  # the default; "google" parses files like Googlebot
    ROBOMATA_MAX_ROBOTS_BYTES = 512000  # what is read of a file; by default 4 MiB, and with "google" all of it
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import robotstxt

from robomata import Robots
from robomata.robotparser import answers, longest_delay

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

__all__ = ["RobotParser"]

logger = logging.getLogger(__name__)


class RobotParser(robotstxt.RobotParser):
    """The parser for Scrapy's ``RobotsTxtMiddleware``, implemented by :class:`robomata.Robots`.

    Scrapy parses the body of any response as a robots.txt, regardless of the status. It allows everything on a site whose
    robots.txt could not be fetched, without calling the parser. A body that is still compressed allows nothing. A User-Agent
    that names no crawler, such as ``ExampleBot 2.0`` or a browser's, may fetch what the group ``*`` and the groups of all of
    its words allow.
    """

    def __init__(
        self, robotstxt_body: bytes, *, dialect: str = "rfc9309", max_robots_bytes: int | None = None
    ) -> None:
        try:
            self._robots = Robots.parse(robotstxt_body, dialect=dialect, max_robots_bytes=max_robots_bytes)
        except (ValueError, Warning) as error:
            # Scrapy allows everything on a site whose parser raises an error. A wrong argument raises it here again.
            self._robots = Robots.parse(b"", dialect=dialect, status="no-response", max_robots_bytes=max_robots_bytes)
            logger.error("robots.txt: %s; nothing on the site is allowed", error)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Creates a parser for one body, with the dialect and the limit of the crawler's settings."""
        dialect = crawler.settings.get("ROBOMATA_DIALECT") or "rfc9309"
        limit = crawler.settings.getint("ROBOMATA_MAX_ROBOTS_BYTES") or None
        return cls(robotstxt_body, dialect=dialect, max_robots_bytes=limit)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """May the crawler fetch ``url``?"""
        return all(answers(self._robots.can_fetch, url, user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Returns the crawl delay for the crawler in seconds, or ``None``."""
        return longest_delay(self._robots, user_agent)
