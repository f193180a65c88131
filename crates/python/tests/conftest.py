"""Helpers for several tests: generated sites, the folder of shared cases, and a runner that ends the programs it starts."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from robomata import PolicySet

CRATE = Path(__file__).resolve().parent.parent
AGENT = "ExampleBot"


@dataclass(frozen=True)
class Frontier:
    """Sites with their robots.txt, and URLs on them. Some URLs have an unknown site, and some texts are not URLs."""

    robots: dict[str, bytes]
    urls: list[str | None]
    agent: str = AGENT


@pytest.fixture(scope="session")
def frontier() -> Frontier:
    robots = {f"https://site{n}.example": _robots(n) for n in range(20)}
    paths = ["/", "/open", "/private/a", "/private/press", "/a?sort=up", "/b.pdf", "/robots.txt", "/%70rivate/", "/ä", ""]
    urls: list[str | None] = [f"https://site{n}.example{path}" for n in range(22) for path in paths]
    return Frontier(robots, [*urls, None, "", "mailto:a@example.com", "not a URL", "http://site1.example/private"])


def _robots(n: int) -> bytes:
    rules = ["Disallow: /private", "Allow: /private/press$", "Disallow: /*?sort=", "Disallow: /*.pdf$", "Disallow: /"]
    named = f"User-agent: {AGENT}\n{rules[n % 5]}\n\n" if n % 3 == 0 else ""
    return (named + "User-agent: *\n" + "\n".join(rules[: n % 5]) + "\n").encode()


@pytest.fixture(scope="session")
def policies(frontier: Frontier) -> PolicySet:
    return PolicySet.build(frontier.robots)


@pytest.fixture(scope="session")
def bundle(policies: PolicySet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "policies.bundle"
    policies.save(path)
    return path


def shared(*parts: str) -> Path:
    """A path in the folder of shared cases. Without the folder, skips the test, or fails it if the folder is required."""
    folder = Path(os.environ.get("ROBOMATA_SHARED") or CRATE.parents[2] / "shared")
    path = folder.joinpath(*parts)
    if not path.exists():
        if os.environ.get("ROBOMATA_REQUIRE_SHARED"):
            pytest.fail(f"{path} is missing")
        pytest.skip(f"no {path}")
    return path


def needs(library: str, module: str | None = None) -> None:
    """Skips the test without this library, or fails it if libraries are required."""
    if find_spec(module or library.lower()):
        return
    if os.environ.get("ROBOMATA_REQUIRE_LIBRARIES"):
        pytest.fail(f"{library} is not installed", pytrace=False)
    pytest.skip(f"{library} is not installed", allow_module_level=True)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cluster: starts Spark, which takes some minutes")
    # Ending the tests also ends the processes that they started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def run(*arguments: object, seconds: int = 120, **environment: str) -> str:
    """The output of a Python program. The program and its child processes end with the test."""
    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    assert process.returncode == 0, f"{arguments}: exit code {process.returncode}\n{errors[-6000:]}"
    return output
