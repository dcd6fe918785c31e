"""Counts that end, or say so: the work of a count is estimated before it is begun."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from crisps24 import GAMES, Game, count, counts, formulas
from crisps24.cli.program import main
from crisps24.rows import counting, tails
from crisps24.rows.counting import Table, Tables
from crisps24.rows.places import places_of
from crisps24.rows.work import Estimate

CRISPS = GAMES["crisps"]


def looked_at(game: Game, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many pairs of values a count of one target really looks at."""
    pairs, some = 0, counting.pieces_of

    def counted(left: Table, right: Table) -> Iterator[Table]:
        nonlocal pairs
        for piece in some(left, right):
            pairs += len(piece.values) * len(right.values)
            yield piece

    for room in (counting, tails):
        monkeypatch.setattr(room, "pieces_of", counted)
    tables = Tables(game, places_of(game, None, False))
    tails.Tails(tables, 143).total()
    monkeypatch.undo()
    return pairs


@pytest.mark.parametrize("length", [8, 10, 12, 14])
def test_the_estimate_is_near_what_is_looked_at(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = replace(CRISPS, length=length)
    real = looked_at(game, monkeypatch)
    estimate = Estimate(Tables(game, places_of(game, None, False))).of_one(length)
    assert real / 3 < estimate < 3 * real


ENDLESS: list[dict[str, Any]] = [
    {"length": 50},
    {"length": 99},
    {"length": 16, "fractions": True},
    {"numbers": tuple(range(1, 1001)), "length": 6},
    {"length": 12, "join": True, "fractions": True, "negatives": True},
]


@pytest.mark.parametrize("changes", ENDLESS, ids=lambda changes: str(changes)[-40:])
def test_a_count_that_would_not_end_is_refused_at_once(changes: dict[str, Any]) -> None:
    game = replace(CRISPS, name=f"endless {changes}"[:40], **changes)
    began = time.process_time()
    for ask in (lambda: count(24, game), lambda: counts(game), lambda: next(formulas(24, game))):
        with pytest.raises(ValueError, match=r"are the limit: .* would fit \(--work none counts"):
            ask()
    # No speed is measured here: it would be for ever otherwise.
    assert time.process_time() - began < 30


def test_what_would_fit_is_told_and_fits() -> None:
    with pytest.raises(ValueError, match="are the limit: 19 numbers would fit"):
        count(24, replace(CRISPS, length=50))
    with pytest.raises(ValueError, match="1,000,000 are the limit: 10 numbers would fit"):
        count(24, replace(CRISPS, length=12), work=1_000_000)
    assert count(143, replace(CRISPS, length=10), work=1_000_000) == 99_562_577_090


def test_any_work_is_done_where_it_is_asked_for() -> None:
    game = replace(CRISPS, length=12)
    with pytest.raises(ValueError, match="are the limit"):
        count(143, game, work=10)
    assert count(143, game, work=None) == 99_324_917_812_252


def test_long_rows_of_little_work_are_counted() -> None:
    assert count(99, Game("ones", (1,), 99, operators=("+",))) == 1
    assert count(0, replace(CRISPS, numbers=(0, 1), length=40)) > 10**20


def test_the_command_takes_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "24", "--length", "50"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("crisps24: counting 50 numbers would look at about ")
    assert told.count("\n") == 1
    assert main(["count", "143", "--length", "12", "--work", "10"]) == 2
    assert "and 10 are the limit" in capsys.readouterr().err
    assert main(["count", "143", "--length", "12", "--work", "none", "--format", "csv"]) == 0
    assert "143,99324917812252," in capsys.readouterr().out
    assert main(["count", "143", "--work", "much"]) == 2
    assert "'much' is no limit: a whole number from 1 would be, or none" in capsys.readouterr().err
    assert main(["count", "--help"]) == 0
    assert "5,000,000,000" in capsys.readouterr().out
