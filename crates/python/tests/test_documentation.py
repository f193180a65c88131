"""The examples in the documentation print what they show."""

import doctest
import importlib
from pathlib import Path

import pytest
from conftest import CRATE, needs

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize(("page", "examples"), [("README.md", 15), ("../../docs/python.md", 5)])
def test_a_page_shows_what_comes_out(
    page: str, examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("pyarrow")
    needs("polars")
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(CRATE / page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert done.attempted >= examples and not done.failed


@pytest.mark.parametrize("name", ["robomata", "robomata.robotparser"])
def test_a_modules_documentation_shows_what_comes_out(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted >= 3 and not done.failed


@pytest.mark.parametrize("name", ["Robots", "PolicySet", "Column"])
def test_what_is_public_is_documented(name: str) -> None:
    kind = getattr(importlib.import_module("robomata"), name)
    public = [member for member in vars(kind) if not member.startswith("_")]
    assert kind.__doc__ and len(public) >= 2
    assert [member for member in public if not getattr(kind, member).__doc__] == []
