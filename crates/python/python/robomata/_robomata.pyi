from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias, final

from typing_extensions import Self

from robomata._types import Explanation, Permission, RequestRate, SiteSummary, Verdict, VisitTime

__version__: str

_Text: TypeAlias = str | bytes

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Texts: TypeAlias = _ArrowArray | _ArrowStream | Iterable[_Text | None]
_Ports: TypeAlias = _ArrowArray | _ArrowStream | Iterable[int | None]
_Robots: TypeAlias = (
    Mapping[str, _Text] | Iterable[tuple[str, _Text]] | Iterable[tuple[str, _Text | None, int | None]]
)
