"""The recipes: each is short, and keeps the URLs that may be fetched, in order."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import CRATE, Frontier, needs, run

needs("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from robomata import PolicySet

RECIPES = sorted(CRATE.glob("recipes/*.py"))
CLUSTER = {"with_spark"}


def test_the_recipes_are_there() -> None:
    assert [recipe.stem for recipe in RECIPES] == ["with_duckdb", "with_polars", "with_pyarrow", "with_spark"]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_a_recipe_is_short(recipe: Path) -> None:
    lines = recipe.read_text("utf-8").splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 130


@pytest.mark.parametrize(
    "recipe",
    [pytest.param(recipe, marks=pytest.mark.cluster if recipe.stem in CLUSTER else ()) for recipe in RECIPES],
    ids=lambda recipe: recipe.stem,
)
def test_a_recipe_keeps_what_is_allowed(
    recipe: Path, policies: PolicySet, bundle: Path, frontier: Frontier, tmp_path: Path
) -> None:
    library = recipe.stem.removeprefix("with_")
    needs({"spark": "PySpark"}.get(library, library))
    urls, allowed = tmp_path / "urls.parquet", tmp_path / "allowed.parquet"
    pq.write_table(pa.table({"id": range(len(frontier.urls)), "url": frontier.urls}), urls)
    master = "--master local[1] --conf spark.ui.enabled=false --conf spark.driver.bindAddress=127.0.0.1 pyspark-shell"
    spark = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYSPARK_SUBMIT_ARGS": master}
    run(recipe, bundle, frontier.agent, urls, allowed, seconds=300, **spark)
    expected = policies.allowed(frontier.urls, frontier.agent).to_pylist()
    kept = [url for url, may in zip(frontier.urls, expected, strict=True) if may]
    assert pq.read_table(allowed)["url"].to_pylist() == kept
    assert 0 < len(kept) < len(frontier.urls)


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe.stem not in CLUSTER], ids=lambda recipe: recipe.stem)
def test_a_recipe_that_fails_keeps_the_complete_output(recipe: Path, bundle: Path, frontier: Frontier, tmp_path: Path) -> None:
    needs(recipe.stem.removeprefix("with_"))
    urls, allowed = tmp_path / "urls.parquet", tmp_path / "allowed.parquet"
    rows = 1 << 16
    pq.write_table(pa.table({"url": [frontier.urls[0]] * 3 * rows}), urls, row_group_size=rows)
    run(recipe, bundle, frontier.agent, urls, allowed)
    complete = allowed.read_bytes()
    # The rows before the last group can be read, evaluated and written.
    last = pq.read_metadata(urls).row_group(2).column(0)
    with open(urls, "r+b") as file:
        file.seek(last.dictionary_page_offset)
        file.write(b"\xff" * last.total_compressed_size)
    for existing in [complete, None]:
        with pytest.raises(AssertionError, match="exit code 1"):
            run(recipe, bundle, frontier.agent, urls, allowed)
        assert (allowed.read_bytes() if allowed.exists() else None) == existing
        allowed.unlink(missing_ok=True)


def verdicts_of(library: str, policies: PolicySet) -> Callable[[Any], Any]:
    """The function `verdicts` of the README's recipe for this library."""
    recipe = re.search(rf"```python\n# {library}.*?\n(def .*?)\n\n", (CRATE / "README.md").read_text("utf-8"), re.DOTALL)
    assert recipe
    needs("pandas")
    import pandas as pd

    names: dict[str, Any] = {"policies": policies, "pa": pa, "pd": pd}
    exec("from __future__ import annotations\n" + recipe[1], names)
    return names["verdicts"]


# The partitions of a Dask frame keep the index of the file, of a filter or of `set_index`.
@pytest.mark.parametrize("index", [None, [7, 5, 3, 1, 0], [2, 1, 0, 4, 3], [0, 0, 0, 1, 1], ["a", "b", "c", "d", "e"]])
def test_each_row_of_a_pandas_frame_gets_its_own_answer(index: list[object] | None) -> None:
    needs("pandas")
    import pandas as pd

    policies = PolicySet.build({"https://example.com": "User-agent: *\nDisallow: /private"})
    urls = ["https://example.com/a", "https://example.com/private", "https://example.com/b", "https://example.net/", None]
    answers = verdicts_of("Dask", policies)(pd.DataFrame({"url": urls}, index=index))
    assert [None if answer is pd.NA else answer for answer in answers["allowed"]] == [True, False, True, None, None]
    assert list(answers.index) == (index or [0, 1, 2, 3, 4])


def test_each_row_of_a_batch_gets_its_own_answer() -> None:
    policies = PolicySet.build({"https://example.com": "User-agent: *\nDisallow: /private"})
    urls = ["https://example.com/private", "https://example.com/"]
    assert verdicts_of("Ray", policies)(pa.table({"url": urls}))["robots"].to_pylist() == [False, True]
