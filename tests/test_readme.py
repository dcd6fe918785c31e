"""The README cannot go stale: its commands are run, and its tables are worked out again.

With CRISPS24_UPDATE_README=1 in the environment the outputs are written into it instead.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crisps24 import count
from crisps24.cli.program import cli
from tests.benchmarks.goals import GOALS

TOP = Path(__file__).parent.parent
README = TOP / "README.md"
RESULTS = TOP / "results" / "README.md"
FIGURES = TOP / "tests" / "benchmarks" / "README.md"
UPDATE = "CRISPS24_UPDATE_README" in os.environ


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder in which the commands of the README are run, one after the other."""
    return tmp_path_factory.mktemp("readme")


def blocks(kind: str, document: Path = README) -> Iterator[str]:
    for found in re.finditer(rf"^```{kind}\n(.*?)^```$", document.read_text(), re.M | re.S):
        yield found[1]


def run(command: str, folder: Path) -> str:
    """Return what a command prints, results and complaints, as on a terminal."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join(lines)


@pytest.mark.parametrize("document", [README, RESULTS], ids=lambda path: path.parent.name)
def test_commands_print_what_is_shown(document: Path, folder: Path) -> None:
    text = document.read_text()
    for block in blocks("console", document):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        assert parts[0] == ""
        printed = [
            (command, run(command, folder), shown)
            for command, shown in zip(parts[1::2], parts[2::2], strict=True)
        ]
        if UPDATE:
            new = "".join(f"$ {command}\n{out}\n" for command, out, _ in printed)
            text = text.replace(block, re.sub(r"\n\n(?=\$ |\Z)", "\n", new))
        else:
            for command, out, shown in printed:
                assert out.rstrip() == shown.rstrip(), command
    if UPDATE:
        document.write_text(text)


def test_the_api_in_ten_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    parser = doctest.DocTestParser()
    for block in blocks("pycon"):
        test = parser.get_doctest(block, {}, "README.md", "README.md", 0)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        assert test.examples
        assert runner.run(test).failed == 0


def test_the_table_of_values_that_are_off() -> None:
    rows = re.findall(r"^\| ([0-9]+) \| ([0-9,]+) \| ([0-9,]+) \|$", RESULTS.read_text(), re.M)
    found = [tuple(int(cell.replace(",", "")) for cell in row) for row in rows]
    assert found == [(target, count(target), count(target, "game24")) for target in range(18)]


def test_every_command_is_shown() -> None:
    text = README.read_text()
    for name in cli.commands:
        assert f"`crisps24 {name}" in text
    assert len(text.splitlines()) <= 250


def test_every_figure_of_the_benchmark_is_there() -> None:
    text = FIGURES.read_text()
    for goal in GOALS:
        assert f"| {goal.what} |" in text
