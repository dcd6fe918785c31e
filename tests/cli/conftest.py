"""The fixture `run`: a command line in this process, in a temporary folder."""

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

# It keeps a function that the fixture `idle` replaces.
import crisps24.equation_puzzles.deals  # noqa: F401
from crisps24.cli.program import main


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[Any]:
        if self.out.startswith("["):
            return list(json.loads(self.out))
        if self.out.startswith("{"):
            return [json.loads(line) for line in self.out.splitlines()]
        return list(csv.DictReader(io.StringIO(self.out)))


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a line, and more words; without `typed`, stdin is empty."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, *words: str, typed: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8"))
        capsys.readouterr()
        return Ran(main([*shlex.split(line), *words]), *capsys.readouterr())

    return run


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a survey or all targets are computed."""

    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing must be computed")

    # Patch `difficulties` first: it imports `surveys`, and would keep the failing function.
    monkeypatch.setattr("crisps24.surveys.difficulties.survey_difficulty", work)
    monkeypatch.setattr("crisps24.surveys.surveys.survey", work)
    monkeypatch.setattr("crisps24.enumeration.enumeration.count_all_targets", work)


def text_of(lines: list[Any] | str) -> str:
    """Return the text of a file: of lines, of which those that are not text are JSON."""
    if isinstance(lines, str):
        return lines
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
