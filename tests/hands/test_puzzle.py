"""Puzzles as values: what makes one again, and what they are made of."""

from dataclasses import replace
from typing import Any

import pytest

from crisps24.hands.puzzle import Puzzle, puzzle_of
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
            Puzzle(replace(GAMES["cards"], target=10), (4, 6), 10, 10, None),
            "Puzzle(game=replace(GAMES['cards'], target=10), hand=(4, 6), target=10, best=10, "
            "difficulty=None)",
        ),
        (
            Puzzle(Game("two", (1, 2), 2), (1, 2), 3, 3, None),
            "Puzzle(game=Game(name='two', numbers=(1, 2), length=2), hand=(1, 2), target=3, "
            "best=3, difficulty=None)",
        ),
    ],
)
def test_a_puzzle_is_told_by_what_makes_it_again(puzzle: Puzzle, told: str) -> None:
    names = {"Puzzle": Puzzle, "puzzle_of": puzzle_of, "Game": Game}
    assert repr(puzzle) == told
    assert eval(told, names | {"GAMES": GAMES, "replace": replace}) == puzzle


def test_a_puzzle_takes_the_name_of_its_game_and_a_list_of_numbers() -> None:
    made: Any = Puzzle("cards", [3, 3, 8, 8], 24, 24, None)  # type: ignore[arg-type]
    assert made == puzzle_of("cards:3.3.8.8=24")
