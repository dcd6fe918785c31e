"""Fixtures and texts of the tests of commands."""

import json
from typing import Any

import pytest

# It keeps a function that the fixture `idle` replaces.
import crisps24.equation_puzzles.deals  # noqa: F401


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
