import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, NoReturn, Protocol, SupportsIndex, TypeAlias, final

from robomata._types import Explanation, Pace, Permission, RequestRate, SiteSummary, Standing, Verdict, VisitTime

__all__ = ["Column", "PolicySet", "Robots", "__version__"]

__version__: str

_Text: TypeAlias = str | bytes
_Time: TypeAlias = datetime.datetime | float

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _HasItems(Protocol):
    def items(self) -> Iterable[tuple[_Text, _Text]]: ...

_Headers: TypeAlias = _HasItems | Iterable[tuple[_Text, _Text]]
_Texts: TypeAlias = _ArrowArray | _ArrowStream | Iterable[_Text | None]
_Ports: TypeAlias = _ArrowArray | _ArrowStream | Iterable[int | None]
_Status: TypeAlias = int | str
_Item: TypeAlias = tuple[_Text, _Text] | tuple[_Text, _Text | None, _Status | None] | Sequence[Any]

@final
class Robots:
    """A parsed robots.txt."""

    @classmethod
    def parse(
        cls,
        content: _Text,
        *,
        dialect: str = "rfc9309",
        status: _Status = 200,
        max_robots_bytes: int | None = None,
    ) -> Robots: ...
    def can_fetch(self, url: _Text, user_agent: _Text) -> bool: ...
    def check(self, url: _Text, user_agent: _Text) -> Verdict: ...
    def explain(self, url: _Text, user_agent: _Text) -> Explanation: ...
    def permissions(
        self,
        url: _Text,
        user_agent: _Text,
        *,
        page: _Text | None = None,
        headers: _Headers | None = None,
        purpose: str | None = None,
        references: Mapping[str, _Text] | None = None,
        tdmrep: _Text | None = None,
        now: _Time | None = None,
    ) -> dict[str, Permission]: ...
    def standing(
        self,
        *,
        now: _Time,
        fetched: _Time | None = None,
        redirects: int = 0,
        headers: _Headers | None = None,
        last_good_fetched: _Time | None = None,
        failing_since: _Time | None = None,
        unreachable: str = "last-good",
    ) -> Standing: ...
    def crawl_delay(self, user_agent: _Text) -> float | None: ...
    def pace(
        self,
        user_agent: _Text,
        *,
        at: _Time | None = None,
        min_delay: float | None = None,
        max_delay: float | None = None,
        default_delay: float | None = None,
    ) -> Pace: ...
    def request_rate(self, user_agent: _Text) -> RequestRate | None: ...
    def visit_time(self, user_agent: _Text) -> VisitTime | None: ...
    @property
    def sitemaps(self) -> Iterator[str]: ...
    @property
    def preferred_host(self) -> str | None: ...
    @property
    def dialect(self) -> str: ...
    @property
    def status(self) -> _Status: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(
        content: bytes, dialect_name: str, status: _Status, max_robots_bytes: int | None = None
    ) -> Robots: ...

@final
class PolicySet:
    """Compiled policies of many sites."""

    @staticmethod
    def build(
        robots: Mapping[str, _Text] | Mapping[bytes, _Text] | Iterable[_Item],
        *,
        agents: Sequence[str] | None = None,
        dialect: str = "rfc9309",
        usage: str | None = None,
        max_robots_bytes: int | None = None,
    ) -> PolicySet: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> PolicySet: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def check(
        self,
        urls: _Texts,
        agent: _Text,
        *,
        usage: str | None = None,
        now: _Time | None = None,
        threads: int | None = None,
    ) -> Column: ...
    def allowed(
        self,
        urls: _Texts,
        agent: _Text,
        *,
        usage: str | None = None,
        now: _Time | None = None,
        threads: int | None = None,
    ) -> Column: ...
    def check_parts(
        self,
        protocol: _Texts,
        host: _Texts,
        port: _Ports,
        path: _Texts,
        query: _Texts,
        agent: _Text,
        *,
        usage: str | None = None,
        now: _Time | None = None,
        threads: int | None = None,
    ) -> Column: ...
    def allowed_parts(
        self,
        protocol: _Texts,
        host: _Texts,
        port: _Ports,
        path: _Texts,
        query: _Texts,
        agent: _Text,
        *,
        usage: str | None = None,
        now: _Time | None = None,
        threads: int | None = None,
    ) -> Column: ...
    def check_url(self, url: _Text, agent: _Text, *, usage: str | None = None, now: _Time | None = None) -> Verdict: ...
    def pace(
        self,
        urls: _Texts,
        agent: _Text,
        *,
        at: _Time | None = None,
        min_delay: float | None = None,
        max_delay: float | None = None,
        default_delay: float | None = None,
    ) -> Column: ...
    def paces(
        self,
        agent: _Text,
        *,
        at: _Time | None = None,
        min_delay: float | None = None,
        max_delay: float | None = None,
        default_delay: float | None = None,
    ) -> Iterator[tuple[str, Pace]]: ...
    @property
    def hash(self) -> str: ...
    @property
    def pinned_path(self) -> str | None: ...
    @property
    def path(self) -> str | None: ...
    def sites(self) -> Iterator[SiteSummary]: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: _Text, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _restore(name: str, hash: str) -> PolicySet: ...
    @staticmethod
    def _of_bytes(content: bytes) -> PolicySet: ...

@final
class Column:
    """A column of answers in Arrow's layout."""

    def __len__(self) -> int: ...
    def __bool__(self) -> NoReturn: ...
    def __getitem__(self, key: SupportsIndex, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __hash__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def to_pylist(self) -> list[Any]: ...
    @property
    def type(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
