"""Puzzles as values: how to make, print, copy and solve them; cached results."""

import json
import operator
import pickle
import re
from copy import copy
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from crisps24 import check, deal, solve
from crisps24 import puzzle as puzzle_module
from crisps24.errors import RefusedError
from crisps24.output.tables import render
from crisps24.puzzle import FIELD_GETTERS, Puzzle, puzzle_of, solve_puzzles
from crisps24.rules.games import GAMES, Game
from tests.sampling import in_one_test


def test_repr_of_puzzle_is_code_that_makes_it_again() -> None:
    names = {"Puzzle": Puzzle, "puzzle_of": puzzle_of, "Game": Game}
    for text in (
        "puzzle_of('cards:3.3.8.8=24')",
        "puzzle_of('cards:1.2.3.4=24,operators=+x,zero=no')",
        # Without a drawn target, the closest value is not right.
        "Puzzle(hand=(4, 6), target=10, game=replace(GAMES['countdown'], target=10))",
        "Puzzle(hand=(1, 2), target=3, game=Game(name='two', numbers=(1, 2), length=2))",
        "Puzzle(hand=(4, 6), target=24, in_order=True)",
    ):
        assert repr(eval(text, names | {"GAMES": GAMES, "replace": replace})) == text
    for text, name in (
        ("Chiffres:100.25.8.6.3.1=813", "countdown:100.25.8.6.3.1=813"),
        ("cards:1.2.3.4=24,operators=x+,zero=no", "cards:1.2.3.4=24,operators=+x,zero=no"),
    ):
        assert repr(puzzle_of(text)) == f"puzzle_of('{name}')"


def test_puzzle_of_accepts_id_or_hand() -> None:
    cards = puzzle_of("cards:3.3.8.8=24")
    assert puzzle_of((3, 3, 8, 8), game="cards") == puzzle_of("3 3 8 8", 24, "cards") == cards
    assert puzzle_of("4 3 8 4").game is GAMES["crisps"]
    assert Puzzle([3, 3, 8, 8], 24, "cards") == cards


def test_puzzle_of_refuses_invalid_arguments() -> None:
    refused: dict[tuple[Any, ...], str] = {
        ("cards:3.3.8.8=24", 25): "contains a game and a target: add no others",
        ("cards:3.3.8.8=24", None, "cards"): "contains a game and a target",
        ((1, 2, 3), None, "countdown"): "countdown has no fixed target: add one",
        ("word",): "'word' is not the id of a puzzle (expected an id such as cards:3.3.8.8=24)",
        ((1, 2, 3, 4), 24, "game24"): "game24 has no hands",
    }
    for arguments, reason in refused.items():
        with pytest.raises(RefusedError, match=re.escape(reason)):
            puzzle_of(*arguments)


def test_id_of_puzzle_in_order_is_refused() -> None:
    puzzle = Puzzle((2, 3, 4), 10, in_order=True)
    assert puzzle == Puzzle((2, 3, 4), 10, puzzle.game) != Puzzle((2, 3, 4), 10)
    assert [str(solution) for solution in puzzle.solutions()] == ["2 x 3 + 4"]
    with pytest.raises(RefusedError, match="keeps the order of its numbers has no id"):
        _ = puzzle.id


def test_each_search_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("find_closest", "find_solutions", "grade")
    for text, counts in (
        ("cards:3.3.8.8=24", {"find_closest": 1, "find_solutions": 1, "grade": 1}),
        # The target and the nearest value are both graded.
        ("cards:1.1.1.1=24", {"find_closest": 1, "find_solutions": 1, "grade": 2}),
    ):
        searches = {name: Mock(wraps=getattr(puzzle_module, name)) for name in names}
        for name, search in searches.items():
            monkeypatch.setattr(puzzle_module, name, search)
        puzzle = puzzle_of(text)
        for _ in range(2):
            puzzle.row()
            puzzle.rows(all_solutions=True, closest=True)
            puzzle.hints()
            puzzle.solutions(nearest=True, canonical=True)
        assert puzzle.closest is puzzle.closest
        assert {name: search.call_count for name, search in searches.items()} == counts


def test_puzzles_solved_together_equal_puzzles_solved_separately() -> None:
    ids = ("cards:3.3.8.8=24", "cards:1.1.1.1=24", "cards:1.2.3.4=24", "countdown:1.2.3=7")
    together, separate = [*solve_puzzles([*map(puzzle_of, ids)])], [*map(puzzle_of, ids)]
    assert together == separate
    assert [puzzle.row() for puzzle in together] == [puzzle.row() for puzzle in separate]
    assert all(puzzle.is_solved for puzzle in together)
    # Solved puzzles are returned unchanged.
    assert all(map(operator.is_, solve_puzzles(together), together))
    assert not together[0].without_solutions().is_solved


@pytest.mark.parametrize("name", ["cards:1.1.1.1=24", "countdown:1.1.2.2.25.75=284"])
def test_unsolvable_puzzle_has_no_level_whether_or_not_best_was_read(name: str) -> None:
    puzzle, read = puzzle_of(name), puzzle_of(name)
    assert read.best != read.target
    together = list(solve_puzzles([puzzle, read]))
    assert [each.level for each in together] == [None, None]
    assert together[0].difficulty == together[1].difficulty == puzzle_of(name).difficulty


def test_copies_keep_computed_results() -> None:
    puzzle = next(solve_puzzles([puzzle_of("cards:1.2.3.4=24")]))
    for again in (pickle.loads(pickle.dumps(puzzle)), copy(puzzle)):
        assert (again, hash(again), again.is_solved) == (puzzle, hash(puzzle), True)
    # A puzzle with another target has other results.
    assert not replace(puzzle, target=10).is_solved
    assert replace(puzzle, target=10).row()["target"] == 10


def test_cached_results_of_a_copy_do_not_reach_the_original() -> None:
    puzzle = puzzle_of("cards:3.3.8.8=24")
    known = puzzle.with_cached(best=23, difficulty=None)
    assert (known.best, known.solvable, known.difficulty, known.level) == (23, False, None, None)
    assert (puzzle.best, puzzle.solvable, puzzle.level) == (24, True, 5)
    # Neither do solutions that a copy computes, nor changes of a list of solutions.
    fresh = puzzle_of("cards:3.3.8.8=24")
    assert not fresh.is_solved
    assert fresh.with_cached(best=23).solutions() == []
    fresh.solutions().clear()
    assert len(fresh.solutions()) == 1
    with pytest.raises(TypeError):
        puzzle.with_cached(unknown=1)


def test_puzzle_with_other_style_or_limit_keeps_solutions() -> None:
    puzzle = next(solve_puzzles([puzzle_of("cards:3.3.8.8=24")]))
    assert puzzle.with_style("unicode").is_solved
    limited = puzzle.with_work(7)
    assert (limited.is_solved, limited.work, limited.query.work) == (True, 7, 7)


@in_one_test(
    "hand",
    *((3.0, 3, 8, 8), ["3", 3.0, Fraction(8), Decimal(8)], "3 3.0 8 8"),
    *(np.array([3, 3, 8, 8], dtype=kind) for kind in (np.int64, np.float32)),
)
def test_whole_numbers_of_any_type_are_a_hand(hand: Any) -> None:
    for puzzle in (Puzzle(hand, 24, "cards"), puzzle_of(hand, 24, "cards")):
        assert puzzle.hand == (3, 3, 8, 8)
        assert {*map(type, puzzle.hand)} == {int}
    assert check("8 / (3 - 8 / 3)", hand, 24, "cards").right
    assert len(solve(hand, 24, "cards")) == 1


def test_the_default_target_of_the_game_is_not_part_of_a_puzzle() -> None:
    for name, changes in (("digits", {"target": 42}), ("cards", {"target": None, "most": 90})):
        puzzle = Puzzle((1, 2, 3, 4), 24, replace(GAMES[name], **changes))
        made = puzzle_of(puzzle.id)
        assert (made, hash(made), repr(made)) == (puzzle, hash(puzzle), repr(puzzle))
    assert puzzle not in (Puzzle((1, 2, 3, 4), 24, name), puzzle.hand)


def test_nearest_values_are_no_solutions() -> None:
    puzzle = Puzzle((1, 1, 1, 1), 24)
    assert puzzle.solutions() == puzzle.solutions() == []
    assert {solution.value for solution in puzzle.solutions(nearest=True)} == {puzzle.best} == {4}
    row = puzzle.row(("best", "solutions", "answer", "bits", "solvable"))
    assert list(row.values()) == [4, 0, "no solution", None, False]
    # In a game that accepts the closest value, its formula is the answer.
    row = puzzle_of("countdown:1.1.2.2.25.75=284").row(("best", "solutions", "answer"))
    assert list(row.values()) == [283, 4, "(75 + 2) x (2 + 1 + 1) - 25"]


def test_rows_are_json() -> None:
    puzzle = Puzzle((Fraction(3, 4), 8, Fraction(1, 4), 1), Fraction(97, 12), "fractions24")
    rows = [
        puzzle.row([*FIELD_GETTERS]),
        *puzzle.rows(all_solutions=True, closest=True, steps=True),
        check("3/4 + 8 / 3", target=1, game="fractions24").row(),
        puzzle.check("3/4 + 1/3").row(),
        puzzle.judge("3/4 + 1/3").row(),
        *deal("fractions24", 2, seed=1).rows(fields=("metadata", "reward_model", "extra_info")),
    ]
    for row in rows:
        # Files have the same values.
        assert json.loads(json.dumps(row)) == json.loads(render([row], "jsonl"))
    assert puzzle_of((6, "3/4", 3, 3), game="cards").hand == (6, Fraction(3, 4), 3, 3)
    with pytest.raises(RefusedError, match="'x' is not a number"):
        puzzle_of((6, "x"), game="fractions24")
