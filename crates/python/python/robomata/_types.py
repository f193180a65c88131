"""The types of robomata's answers: named tuples, which can be unpacked, compared, pickled and printed.

An answer has no truth value: a named tuple is always true, so ``if robots.check(url, agent)`` would allow everything.

Comparisons are those of tuples. An answer that is compared with a text, such as ``robots.check(url, agent) != "disallow"``, or
with a bool is a ValueError: it equals none, so that the comparison would hold for a prohibition, too. Verdicts have no useful
order, and some cannot be compared: sort them by one of their fields.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeVar

__all__ = [
    "Explanation",
    "MatchingRule",
    "Pace",
    "Permission",
    "RequestRate",
    "SiteSummary",
    "Source",
    "Standing",
    "Verdict",
    "VerdictRow",
    "VisitTime",
]


_Answer = TypeVar("_Answer")


def _compared_by(field: str) -> Callable[[type[_Answer]], type[_Answer]]:
    """Makes it an error to compare an answer with what its ``field`` is compared with, and never an answer.

    This is no TypeError, because pandas catches that of a row, and takes the row for one that differs.
    """

    def decorated(answer: type[_Answer]) -> type[_Answer]:
        def checked(compare: Callable[[Any, object], Any]) -> Callable[[Any, object], Any]:
            def compared(self: object, other: object) -> Any:
                if isinstance(other, (str, bytes, bool)):
                    what = f"a {type(other).__name__} is compared with the {answer.__name__}"
                    raise ValueError(f"{what}, which it never equals: compare {field}")
                return compare(self, other)

            return compared

        for name in ("__eq__", "__ne__"):
            setattr(answer, name, checked(getattr(answer, name)))
        return answer

    return decorated


@_compared_by("its field 'verdict'")
class Verdict(NamedTuple):
    """The answer for one URL."""

    #: ``allow``, ``disallow``, ``defer`` (the robots.txt is temporarily unavailable), ``unknown`` (no policy is known for
    #: the site) or ``invalid`` (the text is not a URL to which a policy can apply).
    verdict: str
    #: The line of the deciding rule in the robots.txt, from 1 on; None if no line decided.
    line: int | None
    #: What decided: ``rule``, ``no-rule``, ``robots-txt``, ``unavailable``, ``unreachable``, ``restricted``,
    #: ``undeterminable``, ``tdmrep`` (a tdmrep.json, for the usage ``tdm``), ``deferred``, ``unknown`` or ``invalid``.
    reason: str

    @property
    def allowed(self) -> bool:
        """Is the verdict ``allow``?"""
        return self.verdict == "allow"

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict has no truth value: use its property 'allowed'")


@_compared_by("row['verdict']")
class VerdictRow(dict[str, Any]):
    """A row of a column of verdicts, with the keys ``verdict``, ``line`` and ``reason``. It has no truth value either."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a row of verdicts has no truth value: compare row['verdict'] with 'allow'")


class MatchingRule(NamedTuple):
    """A rule that matches the URL."""

    #: The line of the rule, from 1 on.
    line: int
    #: ``allow`` or ``disallow``.
    access: str
    #: The pattern in normal form.
    pattern: str
    #: The length that is compared with that of other rules.
    length: int


@_compared_by("'verdict.verdict'")
class Explanation(NamedTuple):
    """An answer with the rules and the group that led to it. ``str()`` formats it as readable text, in which
    control characters and invisible characters are escaped."""

    url: str
    #: The answer.
    verdict: Verdict
    #: The dialect of the evaluation.
    dialect: str
    #: The path and query as they were compared; None if the text is not a URL.
    target: str | None
    #: The group that applies: ``*``, or a product token as first written in the file; None if no group applies. Several
    #: tokens whose groups are merged are separated by commas.
    group: str | None
    #: The number of rules in the groups that apply.
    rule_count: int
    #: The matching rules, the deciding one first.
    matching: tuple[MatchingRule, ...]

    def __bool__(self) -> NoReturn:
        raise TypeError("an Explanation has no truth value: use 'verdict.allowed'")

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
        # Texts of the site and of the URL are no lines of their own, and no commands to a terminal.
        return "\n".join(map(_visible, lines))


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class RequestRate(NamedTuple):
    """``Request-rate``: a number of requests per number of seconds, optionally only at some hours (UTC)."""

    requests: int
    seconds: float
    start_time: datetime.time | None
    end_time: datetime.time | None


class VisitTime(NamedTuple):
    """``Visit-time``: the hours (UTC) at which a crawler may visit. A window that ends before it begins spans midnight."""

    start_time: datetime.time
    end_time: datetime.time


class Pace(NamedTuple):
    """How fast a crawler may fetch from a site, and when."""

    #: Seconds from the beginning of one fetch to the beginning of the next, within the limits; None if nothing asks for a
    #: delay.
    delay: float | None
    #: ``crawl-delay``, ``request-rate`` or ``default``; the outcome of the fetch (``unreachable``, …) if there is no
    #: robots.txt to obey; None if nothing asks for a delay.
    source: str | None
    #: The line of the robots.txt, from 1 on.
    line: int | None
    #: The hours in this line. The last minute belongs to them.
    hours: VisitTime | None
    #: The seconds that the line asks for.
    asked: float | None
    #: ``raised`` or ``capped`` if a limit changed them.
    limit: str | None
    #: The hours of visits; None for any. The last minute belongs to them.
    visit_time: VisitTime | None
    #: The seconds until these hours begin, 0 during them; None without an instant.
    opens_in: int | None


class Source(NamedTuple):
    """The place of a statement."""

    #: The vocabulary of the statement: ``robots``, ``acap``, ``noindex``, ``ai-control``, ``content-signal`` or
    #: ``content-usage``; in pages also ``robots-meta``, and there and in a tdmrep.json ``tdmrep``.
    vocabulary: str
    #: The line in the robots.txt, a referenced file or the page, or the number of the header, or of the rule of the
    #: tdmrep.json, from 1 on.
    line: int
    #: ``robots-txt``, ``referenced``, ``tdmrep-json``, ``meta``, ``element`` or ``header``.
    place: str = "robots-txt"


@_compared_by("its field 'applies'")
class Standing(NamedTuple):
    """What applies to a site because of the fetch of its robots.txt."""

    #: ``rules`` (of this robots.txt), ``last-good-copy`` (the rules of an earlier one), ``unrestricted``, ``restricted``,
    #: ``deferred`` or ``unknown``.
    applies: str
    #: The time at which this changes; None if it does not change until the next fetch.
    until: datetime.datetime | None
    #: The time at which the robots.txt should be fetched again.
    refetch: datetime.datetime
    #: Should the robots.txt be fetched again before the next visit?
    due: bool
    #: A sentence that names the deciding section.
    why: str

    def __bool__(self) -> NoReturn:
        raise TypeError("a Standing has no truth value: use its fields 'applies' and 'due'")


@_compared_by("its field 'permission'")
class Permission(NamedTuple):
    """The permission for one usage of a resource."""

    #: ``permitted``, ``unspecified`` (the site does not mention the usage), ``deferred`` or ``prohibited``.
    permission: str
    #: The reason, as a keyword.
    reason: str
    #: The statement that decided; None if there is none.
    source: Source | None
    #: The restrictions of a permission, as ACAP qualifiers; all of them apply. A prohibition by TDMRep has its policy
    #: here: ``terms=URL``.
    qualifiers: tuple[str, ...]
    #: The facts that are missing; the answer is not final without them.
    lacks: tuple[str, ...]

    def __bool__(self) -> NoReturn:
        raise TypeError("a Permission has no truth value: compare its field 'permission' with 'permitted' or 'prohibited'")


class SiteSummary(NamedTuple):
    """A site of a policy set."""

    #: ``https://example.com``.
    site: str
    #: The outcome of its newest robots.txt: ``rules``, ``redirected``, ``unavailable``, ``unreachable``, ``restricted`` or
    #: ``deferred``.
    outcome: str
    #: The time of the first capture; None if unknown.
    first: datetime.datetime | None
    #: The time of the last capture; None if unknown.
    last: datetime.datetime | None
    #: The number of versions of its robots.txt.
    versions: int
