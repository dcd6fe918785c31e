"""Fixtures and texts of the tests of commands."""

import json
from typing import Any
from unittest.mock import Mock

import pytest

# It keeps a function that the fixture `idle` replaces.
import crisps24.equation_puzzles.deals  # noqa: F401


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a survey or all targets are computed."""
    work = Mock(side_effect=AssertionError("nothing must be computed"))
    # Patch `difficulties` first: it imports `surveys`, and would keep the failing function.
    for name in ("surveys.difficulties.survey_difficulty", "surveys.surveys.survey"):
        monkeypatch.setattr(f"crisps24.{name}", work)
    monkeypatch.setattr("crisps24.enumeration.enumeration.count_all_targets", work)


def text_of(lines: list[Any] | str) -> str:
    """Return the text of a file: of lines, of which those that are not text are JSON."""
    if isinstance(lines, str):
        return lines
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
