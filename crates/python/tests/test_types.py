"""The type stubs match the extension module; the package, its recipes and a user's program type-check against them."""

import subprocess
import sys
from pathlib import Path

from conftest import needs

needs("mypy")


def passes(*arguments: object, cwd: Path) -> None:
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    # The type checker runs outside the checkout, so that it finds the installed package.
    passes("mypy.stubtest", "robomata._robomata", "robomata._types", cwd=tmp_path)


def test_the_package_is_typed_throughout(tmp_path: Path) -> None:
    # The types of other packages change between versions, and reading them takes a minute.
    others = ["--follow-imports=skip", "--ignore-missing-imports", "--allow-subclassing-any"]
    passes("mypy", "--strict", *others, "--cache-dir", tmp_path, "-p", "robomata", cwd=tmp_path)


def test_a_users_program_is_checked(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        """
from robomata import PolicySet, Robots, Verdict

allowed: bool = Robots.parse(b"").can_fetch("/", b"Bot")
verdict: Verdict = PolicySet.build({"a.example": ""}).check_url("https://a.example", "Bot")
line: int | None = verdict.line
answers = PolicySet.open("a.bundle").check(["/"], "Bot", threads=1)
Robots.parse(1)  # type: ignore[arg-type]
Robots.parse("").can_fetch("/")  # type: ignore[call-arg]
PolicySet.build([("a.example", None, 404), ("b.example", "", 200)])
PolicySet.build([("a.example", b"")]).check(answers, "Bot", usage="index")
PolicySet.build([("a.example", b"")]).check(["/", b"/", None], "Bot")
"""
    )
    passes("mypy", "--strict", "--cache-dir", tmp_path, program, cwd=tmp_path)
