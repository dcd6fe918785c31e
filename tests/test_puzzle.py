"""Puzzles as values: what makes one again, and what they are made of."""

import operator
import pickle
import re
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from crisps24 import puzzle as puzzle_module
from crisps24.errors import RefusedError
from crisps24.puzzle import Puzzle, puzzle_of, solve_puzzles
from crisps24.rules.games import GAMES, Game


@pytest.mark.parametrize(
    ("puzzle", "told"),
    [
        (puzzle_of("cards:3.3.8.8=24"), "puzzle_of('cards:3.3.8.8=24')"),
        (puzzle_of("Chiffres:100.25.8.6.3.1=813"), "puzzle_of('countdown:100.25.8.6.3.1=813')"),
        (
            puzzle_of("cards:1.2.3.4=24,operators=x+,zero=no"),
            "puzzle_of('cards:1.2.3.4=24,operators=+x,zero=no')",
        ),
        (
            Puzzle((4, 6), 10, replace(GAMES["cards"], target=10)),
            "Puzzle(hand=(4, 6), target=10, game=replace(GAMES['cards'], target=10))",
        ),
        (
            Puzzle((1, 2), 3, Game("two", (1, 2), 2)),
            "Puzzle(hand=(1, 2), target=3, game=Game(name='two', numbers=(1, 2), length=2))",
        ),
        (Puzzle((4, 6), 24, in_order=True), "Puzzle(hand=(4, 6), target=24, in_order=True)"),
    ],
)
def test_a_puzzle_is_told_by_what_makes_it_again(puzzle: Puzzle, told: str) -> None:
    names = {"Puzzle": Puzzle, "puzzle_of": puzzle_of, "Game": Game}
    assert repr(puzzle) == told
    assert eval(told, names | {"GAMES": GAMES, "replace": replace}) == puzzle


def test_a_puzzle_takes_the_name_of_its_game_and_a_list_of_numbers() -> None:
    made: Any = Puzzle([3, 3, 8, 8], 24, "cards")  # type: ignore[arg-type]
    assert made == puzzle_of("cards:3.3.8.8=24")


def test_a_puzzle_is_of_an_id_or_of_a_hand() -> None:
    cards = puzzle_of("cards:3.3.8.8=24")
    assert puzzle_of((3, 3, 8, 8), game="cards") == puzzle_of("3 3 8 8", 24, "cards") == cards
    assert puzzle_of("4 3 8 4").game is GAMES["crisps"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            ("cards:3.3.8.8=24", 25),
            "contains a game and a target: add no others",
        ),
        (("cards:3.3.8.8=24", None, "cards"), "contains a game and a target"),
        (((1, 2, 3), None, "countdown"), "countdown has no fixed target: add one"),
        (("word",), "'word' is not the id of a puzzle (expected an id such as cards:3.3.8.8=24)"),
        (((1, 2, 3, 4), 24, "game24"), "game24 has no hands"),
    ],
)
def test_what_is_no_puzzle_is_refused(asked: tuple[Any, ...], told: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(told)):
        puzzle_of(*asked)


def test_what_keeps_its_order_has_no_id() -> None:
    puzzle = Puzzle((2, 3, 4), 10, in_order=True)
    assert [str(each.expression) for each in puzzle.solutions()] == ["2 x 3 + 4"]
    with pytest.raises(RefusedError, match="no id says that the numbers stay in the order given"):
        _ = puzzle.id


def test_nothing_is_worked_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            calls.append(name)
            return function(*args, **named)

        return call

    for name in ("find_solutions", "grade", "find_closest"):
        monkeypatch.setattr(puzzle_module, name, counted(name, getattr(puzzle_module, name)))
    for text, asked in (
        ("cards:3.3.8.8=24", ["find_closest", "find_solutions", "grade"]),
        # How hard the target would be, what is nearest, how hard that is, and what makes it.
        ("cards:1.1.1.1=24", ["find_closest", "find_solutions", "grade", "grade"]),
    ):
        puzzle = puzzle_of(text)
        assert calls == []
        for _ in range(2):
            puzzle.row()
            puzzle.rows(all_solutions=True, closest=True)
            puzzle.hints()
            puzzle.canonical_solutions()
        found = puzzle.closest
        assert puzzle.closest is found
        assert sorted(calls) == asked
        calls.clear()


def test_puzzles_that_are_solved_together_are_as_alone() -> None:
    ids = ("cards:3.3.8.8=24", "cards:1.1.1.1=24", "cards:1.2.3.4=24", "countdown:1.2.3=7")
    together = list(solve_puzzles([puzzle_of(text) for text in ids]))
    alone = [puzzle_of(text) for text in ids]
    assert together == alone
    assert [each.row() for each in together] == [each.row() for each in alone]
    assert all(each.is_solved for each in together)
    # What is solved is not solved again.
    assert all(map(operator.is_, solve_puzzles(together), together))
    assert not together[0].without_solutions().is_solved


def test_solutions_that_are_changed_are_of_nobody_else() -> None:
    puzzle = puzzle_of("cards:3.3.8.8=24")
    puzzle.solutions().clear()
    assert len(puzzle.solutions()) == 1


def test_what_is_known_is_carried_along() -> None:
    puzzle = next(solve_puzzles([puzzle_of("cards:1.2.3.4=24")]))
    for again in (pickle.loads(pickle.dumps(puzzle)), copy(puzzle)):
        assert again == puzzle
        assert hash(again) == hash(puzzle)
        assert again.is_solved
    # Another puzzle is known nothing of.
    assert not replace(puzzle, target=10).is_solved
    assert replace(puzzle, target=10).row()["target"] == 10


def test_a_notebook_shows_the_card() -> None:
    shown = puzzle_of("cards:3.3.8.8=24")._repr_svg_()
    assert ElementTree.fromstring(shown).tag.endswith("svg")
    assert "make 24 from 3, 3, 8 and 8; level 5 of 5" in shown
