"""Columns in, columns out: objects with the Arrow PyCapsule interface and lists give the same answers."""

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Frontier, needs

for library in ("nanoarrow", "pandas", "polars", "pyarrow"):
    needs(library)

import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from robomata import Column, PolicySet, Robots

Make = Callable[[list[str | None]], Any]


class Stream:
    """Only a stream of chunks, as an unknown library may offer."""

    def __init__(self, chunks: pa.ChunkedArray) -> None:
        self.chunks = chunks

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.chunks.__arrow_c_stream__(requested_schema)


def chunked(urls: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array([urls[:3], [], urls[3:4], urls[4:]], pa.string())


def sliced(urls: list[str | None], data_type: pa.DataType) -> pa.Array:
    return pa.array(["before", None, *urls, "behind"], data_type).slice(2, len(urls))


COLUMNS: dict[str, Make] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda urls: (url for url in urls),
    "list of bytes": lambda urls: [url.encode() if url is not None else None for url in urls],
    "pyarrow string": lambda urls: pa.array(urls, pa.string()),
    "pyarrow large_string": lambda urls: pa.array(urls, pa.large_string()),
    "pyarrow string_view": lambda urls: pa.array(urls, pa.string_view()),
    "pyarrow binary": lambda urls: pa.array(urls, pa.binary()),
    "pyarrow binary_view": lambda urls: pa.array(urls, pa.string()).cast(pa.binary_view()),
    "pyarrow dictionary": lambda urls: pa.array(urls, pa.string()).dictionary_encode(),
    "pyarrow sliced": lambda urls: sliced(urls, pa.string()),
    "pyarrow sliced large_string": lambda urls: sliced(urls, pa.large_string()),
    "pyarrow sliced string_view": lambda urls: sliced(urls, pa.string_view()),
    "pyarrow sliced dictionary": lambda urls: sliced(urls, pa.string()).dictionary_encode(),
    "pyarrow chunked": chunked,
    "pyarrow chunked and sliced": lambda urls: chunked(["before", *urls]).slice(1),
    "a stream": lambda urls: Stream(chunked(urls)),
    "polars": pl.Series,
    "polars in chunks": lambda urls: pl.concat([pl.Series(urls[:5]), pl.Series(urls[5:])], rechunk=False),
    "polars sliced": lambda urls: pl.Series(["before", *urls]).slice(1),
    "polars categorical": lambda urls: pl.Series(urls, dtype=pl.Categorical),
    "nanoarrow": lambda urls: na.Array(urls, na.string()),
    "nanoarrow large_string": lambda urls: na.Array(urls, na.large_string()),
    "nanoarrow from chunks": lambda urls: na.Array.from_chunks(
        [na.c_array(urls[:7], na.string()), na.c_array(urls[7:], na.string())]
    ),
}


@pytest.fixture(scope="module")
def expected(policies: PolicySet, frontier: Frontier) -> list[dict | None]:
    """Checks one URL at a time."""
    return [None if url is None else policies.check_url(url, frontier.agent)._asdict() for url in frontier.urls]


def test_the_frontier_meets_every_kind_of_answer(expected: list[dict | None]) -> None:
    said = {row and row["verdict"] for row in expected}
    assert said == {"allow", "disallow", "unknown", "invalid", None}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_answered_alike(
    kind: str, policies: PolicySet, frontier: Frontier, expected: list[dict | None]
) -> None:
    make = COLUMNS[kind]
    assert policies.check(make(frontier.urls), frontier.agent).to_pylist() == expected
    assert policies.allowed(make(frontier.urls), frontier.agent).to_pylist() == [as_boolean(row) for row in expected]


def as_boolean(row: dict | None) -> bool | None:
    return {"allow": True, "disallow": False}.get(row["verdict"]) if row is not None else None


@pytest.mark.parametrize("threads", [None, 1, 2, 3, 100])
def test_any_number_of_threads_answers_alike(
    threads: int | None, policies: PolicySet, frontier: Frontier, expected: list[dict | None]
) -> None:
    times = 400
    whole = pa.array(frontier.urls * times, pa.string())
    for column in (whole, pa.chunked_array([whole.slice(0, 50_000), whole.slice(50_000)])):
        assert policies.check(column, frontier.agent, threads=threads).to_pylist() == expected * times


def test_one_robots_txt_says_the_same_as_many(frontier: Frontier, expected: list[dict | None]) -> None:
    robots = {site: Robots.parse(body) for site, body in frontier.robots.items()}
    compared = 0
    for url, row in zip(frontier.urls, expected, strict=True):
        site = "/".join((url or "").split("/")[:3])
        if site in robots:
            compared += 1
            assert robots[site].check(url or "", frontier.agent)._asdict() == row
    assert compared >= 200


def test_answers_are_columns(policies: PolicySet, frontier: Frontier, expected: list[dict | None]) -> None:
    verdicts, allowed = policies.check(frontier.urls, frontier.agent), policies.allowed(frontier.urls, frontier.agent)
    assert isinstance(verdicts, Column) and isinstance(allowed, Column)
    assert len(verdicts) == len(allowed) == len(frontier.urls)
    assert (verdicts[0], allowed[0], allowed[-1]) == (expected[0], as_boolean(expected[0]), as_boolean(expected[-1]))
    assert list(verdicts) == expected
    for wrong in (len(verdicts), -len(verdicts) - 1):
        with pytest.raises(IndexError):
            verdicts[wrong]
    booleans = [as_boolean(row) for row in expected]
    struct = pa.struct([("verdict", pa.string()), ("line", pa.uint32()), ("reason", pa.string())])
    assert pa.array(verdicts).type == struct and pa.array(allowed).type == pa.bool_()
    pa.array(verdicts).validate(full=True)
    assert pa.array(verdicts).to_pylist() == pa.chunked_array(verdicts).to_pylist() == expected
    assert pl.Series(allowed).to_list() == booleans
    assert pl.Series(verdicts).struct.field("line").to_list() == [row and row["line"] for row in expected]
    assert na.Array(allowed).to_pylist() == booleans


def test_chunks_come_back_as_chunks(policies: PolicySet, frontier: Frontier) -> None:
    column = pa.chunked_array([frontier.urls[:3], frontier.urls[3:]], pa.string())
    answer = pa.chunked_array(policies.allowed(column, frontier.agent))
    assert [len(chunk) for chunk in answer.chunks] == [3, len(frontier.urls) - 3]


@pytest.mark.parametrize(
    "none", [[], pa.array([], pa.string()), pa.chunked_array([], pa.string()), pl.Series([], dtype=pl.String)]
)
def test_no_rows_are_answered_by_none(none: Any, policies: PolicySet, frontier: Frontier) -> None:
    assert policies.check(none, frontier.agent).to_pylist() == []
    assert pa.array(policies.allowed(none, frontier.agent)).type == pa.bool_()


def test_nothing_but_nulls_is_answered_by_nulls(policies: PolicySet, frontier: Frontier) -> None:
    for nulls in ([None, None], pa.nulls(2), pa.nulls(2, pa.string())):
        assert policies.check(nulls, frontier.agent).to_pylist() == [None, None]
        assert policies.allowed(nulls, frontier.agent).to_pylist() == [None, None]


WRONG: dict[str, tuple[Any, str]] = {
    "a text": ("https://example.com/", "urls: expected an Arrow column or an iterable, found str"),
    "bytes": (b"https://example.com/", "urls: expected an Arrow column or an iterable, found bytes"),
    "a number": (1, "urls: expected an Arrow column or an iterable, found int"),
    "none": (None, "urls: expected an Arrow column or an iterable, found NoneType"),
    "a list with a number": (["https://example.com/", 1], "urls, row 1: expected str or bytes, found int"),
    "integers": (pa.array([1]), "expected text"),
    "a dictionary of integers": (pa.array([1]).dictionary_encode(), "expected text"),
    "a list array": (pa.array([["a"]]), "expected text"),
    "integers of polars": (pl.Series([1, 2]), "expected text"),
    "a record batch": (pa.record_batch({"url": ["a"]}), "urls: expected a column, found RecordBatch"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_type_is_a_type_error(kind: str, policies: PolicySet, frontier: Frontier) -> None:
    column, message = WRONG[kind]
    for method in (policies.check, policies.allowed):
        with pytest.raises(TypeError, match=message):
            method(column, frontier.agent)


PARTS: list[tuple[str | None, str | None, int | None, str | None, str | None]] = [
    ("https", "site1.example", None, "/private", None),
    ("https", "site1.example", 443, "/private", None),
    ("https", "site1.example", -1, "/open", ""),
    ("https", "site4.example", None, "/a", "sort=up"),
    ("https", "SITE4.example", None, "/b.pdf", None),
    ("https", "site1.example", None, None, None),
    ("http", "site1.example", None, "/private", None),
    ("https", "site1.example", 8443, "/private", None),
    (None, "site1.example", None, "/private", None),
    ("https", None, None, "/private", None),
    ("https", "site1.example", 70000, "/private", None),
]


@pytest.mark.parametrize(
    "make", [list, lambda part: pa.array(part), lambda part: pl.Series(part)], ids=["list", "pyarrow", "polars"]
)
def test_parts_say_what_whole_urls_say(make: Callable[[list], Any], policies: PolicySet, frontier: Frontier) -> None:
    columns = [make(list(part)) for part in zip(*PARTS, strict=True)]
    verdicts = policies.check_parts(*columns, frontier.agent).to_pylist()
    expected = [joined(*parts) for parts in PARTS]
    assert verdicts == [url and policies.check_url(url, frontier.agent)._asdict() for url in expected]
    assert [None if row is None else row["verdict"] for row in verdicts][:5] == ["disallow", "disallow", "allow", "disallow", "disallow"]
    assert policies.allowed_parts(*columns, frontier.agent).to_pylist() == [as_boolean(row) for row in verdicts]


def joined(protocol: str | None, host: str | None, port: int | None, path: str | None, query: str | None) -> str | None:
    if protocol is None or host is None:
        return None
    number = "" if port in (None, -1) else f":{port}"
    return f"{protocol}://{host}{number}{path or ''}" + ("" if query is None else f"?{query}")


def test_wrong_parts_are_type_errors(policies: PolicySet, frontier: Frontier) -> None:
    good: list[Any] = [["https"], ["site1.example"], [None], ["/"], [None]]
    for place, name in enumerate(["protocol", "host", "port", "path", "query"]):
        for wrong in (pa.array([1.5]), "text", [1.5]):
            with pytest.raises(TypeError, match=name):
                policies.check_parts(*good[:place], wrong, *good[place + 1 :], frontier.agent)
    with pytest.raises(TypeError, match="path"):
        policies.check_parts(["https"], ["a.example"], [None], ["/", "/a"], [None], frontier.agent)


def test_columns_and_parts_read_urls_as_the_command_does() -> None:
    """As in `urls_have_no_blanks_around_them_and_no_control_characters` of the formats."""
    policies = PolicySet.build({"https://a.example": "User-agent: *\nDisallow: /*.pdf$\nDisallow: /private\nDisallow: /?x"})
    urls = {
        "https://a.example/a.pdf ": False,
        "https://a.example/a.pdf\t": False,
        " https://a.example/private": False,
        " https://a.example/b ": True,
        "https://a.example/a.pdf\n": None,
        "https://a.example/pri\tvate": None,
        "https://a.example/private\0": None,
    }
    assert policies.allowed(list(urls), "Bot").to_pylist() == list(urls.values())
    for url, allowed in urls.items():
        assert policies.check_url(url, "Bot").allowed is bool(allowed)
        assert (url in policies) is (allowed is not None)
    parts = [
        (" https", "a.example", None, "/private ", None, False),
        ("https", "a.example", None, "/", "?x", False),
        ("https", "a.example", None, "/a.pdf", "", False),
        ("https", "a.example", None, "private", None, None),
        ("https", "b.example", None, "@a.example/b", None, None),
        ("https", "a.example/", None, "/private", None, None),
    ]
    protocol, host, port, path, query, expected = zip(*parts, strict=True)
    assert policies.allowed_parts(protocol, host, port, path, query, "Bot").to_pylist() == list(expected)


SITE = "https://a.example"


@pytest.fixture
def site() -> PolicySet:
    return PolicySet.build({SITE: "User-agent: *\nDisallow: /x"})


@pytest.mark.parametrize("kind", ["string", "string[pyarrow]", "category", object, pd.ArrowDtype(pa.string())])
def test_a_missing_value_of_pandas_is_a_null(kind: object, site: PolicySet) -> None:
    missing = float("nan") if kind is object else None
    urls = pd.Series([SITE + "/x", missing, SITE + "/y"], dtype=kind)
    assert site.allowed(urls, "Bot").to_pylist() == [False, None, True]
    hosts = pd.Series(["a.example", missing, "a.example"], dtype=kind)
    ports = pd.Series([443, 443, None], dtype="Int64")
    assert site.allowed_parts(["https"] * 3, hosts, ports, ["/x"] * 3, [None] * 3, "Bot").to_pylist() == [False, None, False]
    for item in (1.5, pd.NaT):
        with pytest.raises(TypeError, match="urls, row 0: expected str or bytes, found "):
            site.allowed([item], "Bot")


@pytest.mark.parametrize("rows", [0, 2])
def test_a_column_of_nulls_has_null_answers(rows: int, site: PolicySet) -> None:
    for urls in (pl.Series([None] * rows, dtype=pl.Null), pa.nulls(rows), pd.Series([None] * rows, dtype="string")):
        assert site.allowed(urls, "Bot").to_pylist() == [None] * rows


def test_a_table_is_no_column(site: PolicySet) -> None:
    urls = {"urls": [SITE + "/x"]}
    empty = pa.table({"urls": pa.array([], pa.string())})
    for table in (pl.DataFrame(urls), pa.table(urls), pa.RecordBatch.from_pydict(urls), pd.DataFrame(urls), empty):
        with pytest.raises(TypeError, match=f"urls: expected a column, found {type(table).__name__} "):
            site.allowed(table, "Bot")


def test_answers_are_a_mask_and_no_positions() -> None:
    site = PolicySet.build({"https://a.example": "User-agent: *\nDisallow: /private"})
    urls = ["https://a.example/private", "https://a.example/", "https://a.example/private/x"]
    series = pd.Series(urls)
    answers = site.allowed(urls, "Bot")
    masks: list[Callable[[], Any]] = [
        lambda: np.array(urls)[answers],
        lambda: series[answers],
        lambda: series.iloc[answers.to_pylist()],
        lambda: series.to_frame("url")[answers.to_pylist()].url,
    ]
    for mask in masks:
        assert list(mask()) == urls[1:2]
    # As positions, they would be the rows 0, 1 and 0.
    positions: list[Callable[[], Any]] = [
        lambda: series.iloc[answers],
        lambda: series.to_frame().iloc[answers],
        lambda: series.take(answers),
        lambda: series.to_frame().take(answers),
        lambda: pd.Index(urls).take(answers),
        lambda: np.take(urls, answers),
        lambda: np.asarray(answers, dtype=np.uint8),
        lambda: np.asarray(answers, dtype=float),
    ]
    for position in positions:
        with pytest.raises(TypeError, match="no column of numbers or positions"):
            position()
    arrays = [np.asarray(answers), np.asarray(site.allowed([], "Bot")), np.asarray(site.allowed([None, urls[0]], "Bot"))]
    assert [(array.dtype, array.tolist()) for array in arrays] == [
        (np.dtype(bool), [False, True, False]),
        (np.dtype(bool), []),
        (np.dtype(object), [None, False]),
    ]
    assert np.asarray(site.allowed([None, urls[1]], "Bot"), dtype=bool).tolist() == [False, True]
    assert np.asarray(site.check(urls, "Bot")).tolist() == site.check(urls, "Bot").to_pylist()
    with pytest.raises(ValueError, match="without a copy"):
        answers.__array__(copy=False)


def test_a_column_is_not_compared() -> None:
    site = PolicySet.build({"https://a.example": "User-agent: *\nDisallow: /private"})
    urls = ["https://a.example/private", "https://a.example/"]
    answers, verdicts = site.allowed(urls, "Bot"), site.check(urls, "Bot")
    comparisons: list[Callable[[], Any]] = [
        lambda: verdicts != "disallow",
        lambda: answers == True,  # noqa: E712
        lambda: answers == site.allowed(urls, "Bot"),
        lambda: answers != [False, True],
        # pandas catches a TypeError of a row.
        lambda: pd.Series(list(verdicts)) != "disallow",
        lambda: np.asarray(verdicts) != "disallow",
    ]
    for comparison in comparisons:
        with pytest.raises(ValueError, match="compare"):
            comparison()
    assert answers is not None and answers != None and answers == answers and len({answers, verdicts}) == 2  # noqa: E711


def test_a_column_of_many_chunks_is_answered() -> None:
    # Looking for each chunk from the beginning takes the square of their number.
    site = PolicySet.build({"https://a.example": "User-agent: *\nDisallow: /private"})
    chunks = [[f"https://a.example/{'private' if n % 3 == 0 else 'open'}"] * (n % 2) for n in range(60_000)]
    answers = site.allowed(pa.chunked_array(chunks, pa.string()), "Bot").to_pylist()
    assert answers == [n % 3 != 0 for n in range(1, 60_000, 2)]
    with pytest.raises(IndexError):
        site.allowed([], "Bot")[10**30]
