"""What robomata answers with: named tuples, so that they unpack, compare, pickle and print as such."""

from __future__ import annotations

import datetime
from typing import NamedTuple

__all__ = [
    "Explanation",
    "MatchingRule",
    "Permission",
    "RequestRate",
    "SiteSummary",
    "Source",
    "Standing",
    "Verdict",
    "VisitTime",
]


class Verdict(NamedTuple):
    """The answer for one URL."""

    #: ``allow``, ``disallow``, ``defer`` (the robots.txt cannot be had for now), ``unknown`` (no policy is known for the
    #: site) or ``invalid`` (the text is no URL that a policy could speak about).
    verdict: str
    #: The deciding rule's line in the robots.txt, from 1 on; None where no line decided.
    line: int | None
    #: What decided: ``rule``, ``no-rule``, ``robots-txt``, ``unavailable``, ``unreachable``, ``restricted``,
    #: ``undeterminable``, ``deferred``, ``unknown`` or ``invalid``.
    reason: str

    @property
    def allowed(self) -> bool:
        """Is it ``allow``?"""
        return self.verdict == "allow"


class MatchingRule(NamedTuple):
    """A rule that matches the URL."""

    #: Its line, from 1 on.
    line: int
    #: ``allow`` or ``disallow``.
    access: str
    #: The pattern in its normal form.
    pattern: str
    #: The length that is compared with other rules'.
    length: int


class Explanation(NamedTuple):
    """Everything that led to an answer. ``str()`` of it is for people."""

    url: str
    #: The answer.
    verdict: Verdict
    #: The dialect in which it was found.
    dialect: str
    #: Path and query as they were compared; None when the text is no URL.
    target: str | None
    #: The group that applies: ``*``, or a product token as the file first has it; None when none does.
    group: str | None
    #: How many rules the groups that apply hold.
    rule_count: int
    #: The rules that match, the deciding one first.
    matching: list[MatchingRule]

    def __str__(self) -> str:
        verdict = self.verdict
        decided = f"line {verdict.line} decides" if verdict.line is not None else verdict.reason
        lines = [
            self.url,
            f"  verdict  {verdict.verdict}: {decided}",
            f"  group    {self.group if self.group is not None else 'none'}",
            f"  target   {self.target if self.target is not None else 'none'}",
            f"  rules    {len(self.matching)} of {self.rule_count} match",
            f"  dialect  {self.dialect}",
        ]
        lines += [f"    line {rule.line}: {rule.access} {rule.pattern}" for rule in self.matching]
        return "\n".join(lines)


class RequestRate(NamedTuple):
    """``Request-rate``: so many requests in so many seconds, perhaps at some hours (UTC) only."""

    requests: int
    seconds: float
    start_time: datetime.time | None
    end_time: datetime.time | None


class VisitTime(NamedTuple):
    """``Visit-time``: the hours (UTC) at which visits are welcome; over midnight where it ends before it begins."""

    start_time: datetime.time
    end_time: datetime.time


class Source(NamedTuple):
    """Where something is said."""

    #: In whose words: ``robots``, ``acap``, ``noindex``, ``content-signal``, ``content-usage``; of pages also
    #: ``robots-meta`` and ``tdm``.
    vocabulary: str
    #: The line in the robots.txt, a referenced file or the page, or the number of the header, from 1 on.
    line: int
    #: ``robots-txt``, ``referenced``, ``meta``, ``element`` or ``header``.
    place: str = "robots-txt"


class Standing(NamedTuple):
    """What applies to a site by how its robots.txt was fetched."""

    #: ``rules`` (of this robots.txt), ``last-good-copy`` (the rules of the one before), ``unrestricted``, ``restricted``,
    #: ``deferred`` or ``unknown``.
    applies: str
    #: When something else applies, or for another reason; None when that takes another fetch.
    until: datetime.datetime | None
    #: When the robots.txt should be fetched again.
    refetch: datetime.datetime
    #: Should it be fetched again before the site is visited?
    due: bool
    #: A sentence with the section that decides.
    why: str


class Permission(NamedTuple):
    """What may be done with a resource."""

    #: ``permitted``, ``unspecified`` (nothing is said), ``deferred`` or ``prohibited``.
    permission: str
    #: Why, in a word.
    reason: str
    #: What was said last and decided; None when nothing was said.
    source: Source | None
    #: The restrictions of a permission, in ACAP's words; all of them hold.
    qualifiers: list[str]
    #: What must be known before the answer is final.
    lacks: list[str]


class SiteSummary(NamedTuple):
    """A site that policies hold."""

    #: ``https://example.com``.
    site: str
    #: What its newest robots.txt came to: ``rules``, ``redirected``, ``unavailable``, ``unreachable``, ``restricted`` or
    #: ``deferred``.
    outcome: str
    #: When it was first captured; None when nobody knows.
    first: datetime.datetime | None
    #: When it was last captured; None when nobody knows.
    last: datetime.datetime | None
    #: How many versions of it are held.
    versions: int
