"""Evaluates robots.txt files: which URLs may a crawler fetch? For one URL, or for billions.

One robots.txt:

    >>> from robomata import Robots
    >>> robots = Robots.parse("User-agent: *\\nDisallow: /private\\nAllow: /private/press$")
    >>> robots.can_fetch("https://example.com/private/press", "ExampleBot")
    True
    >>> robots.check("https://example.com/private/x", "ExampleBot")
    Verdict(verdict='disallow', line=2, reason='rule')

Many sites and columns of URLs:

    >>> from robomata import PolicySet
    >>> policies = PolicySet.build({"https://example.com": "User-agent: *\\nDisallow: /private"})
    >>> policies.allowed(["https://example.com/private", "https://example.com/", None], "ExampleBot").to_pylist()
    [False, True, None]

``robomata.robotparser`` is a drop-in replacement for :mod:`urllib.robotparser`, and ``robomata.scrapy`` for Scrapy's parser.
``robomata.spark`` has functions for Spark columns.
"""

from robomata._robomata import Column, PolicySet, Robots, __version__
from robomata._types import (
    Explanation,
    MatchingRule,
    Pace,
    Permission,
    RequestRate,
    SiteSummary,
    Source,
    Standing,
    Verdict,
    VisitTime,
)

__all__ = [
    "Column",
    "Explanation",
    "MatchingRule",
    "Pace",
    "Permission",
    "PolicySet",
    "RequestRate",
    "Robots",
    "SiteSummary",
    "Source",
    "Standing",
    "Verdict",
    "VisitTime",
    "__version__",
]
