"""An operator that states nothing is used or refused in one sentence by each machine."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game
from crisps24.errors import RefusedError
from crisps24.paper.sheets import Sheet, sheet_pages
from crisps24.player.records import check_playable
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import deal, own_deal
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.surveys.difficulties import survey_difficulty
from crisps24.surveys.surveys import survey

HAND = (1, 2, 3)


@pytest.fixture
def minimum(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setitem(OPERATORS, "v", Operator("v", ("v", "min"), 1, min))
    operators = (*GAMES["cards"].operators, "v")
    return replace(GAMES["cards"], operators=operators, length=3, numbers=(1, 2, 3, 4))


def test_machines_that_need_no_more_use_it(minimum: Game) -> None:
    assert crisps24.check("3 x (2 v 4) - 1", (1, 2, 3, 4), 5, minimum).verdict == "right"
    assert {1, 2, 3} <= crisps24.reachable(HAND, minimum)
    assert crisps24.evaluate("4 min 3", minimum) == 3
    flat = replace(minimum, parentheses=False, fractions=False, negatives=False)
    assert crisps24.count(6, flat) == crisps24.counts(flat)[6] > 0
    assert 6 in crisps24.plainest(HAND, minimum)
    assert survey(minimum, 6).solvable.any()


REFUSING: dict[str, Callable[[Game], Any]] = {
    "solve": lambda game: crisps24.solve(HAND, 6, game),
    "count of solutions": lambda game: crisps24.count_solutions(HAND, game),
    "deal": lambda game: deal(game, seed=1, target=6),
    "difficulty": lambda game: crisps24.difficulty(HAND, 6, game),
    "survey of difficulty": survey_difficulty,
    "sheet": lambda game: [*sheet_pages(own_deal([Puzzle(HAND, 6, game)]), Sheet())],
    "player": check_playable,
}


@pytest.mark.parametrize("machine", REFUSING)
def test_other_machines_refuse_it_in_one_sentence(minimum: Game, machine: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RefusedError, match=r"\bv\b") as refused:
            REFUSING[machine](minimum)
    assert "\n" not in str(refused.value)
