"""How many numbers a hand may have: as many as are said, and one more is refused."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crisps24 import GAMES, Game, formulas, reachable, solve
from crisps24.hands.solver import check_hand
from tests.hand_oracle import Rules, read

DIGITS = GAMES["digits"]
# Without parentheses, whole numbers, every one used.
ROWS = replace(DIGITS, parentheses=False, fractions=False, negatives=True, all_numbers=True)


def solutions_in(hand: tuple[int, ...], game: Game, in_order: bool) -> object:
    return solve(hand, 24, game, in_order=in_order)


# What is changed of such a game, whether the numbers keep their order, and the most there may be.
MOST: list[tuple[dict[str, Any], bool, int]] = [
    ({}, False, 6),
    ({}, True, 12),
    ({"fractions": True}, True, 12),
    ({"all_numbers": False}, True, 12),
    ({"fractions": True, "all_numbers": False}, True, 10),
    ({"parentheses": True}, True, 6),
    ({"parentheses": True}, False, 6),
    ({"join": True}, False, 5),
    ({"join": True}, True, 10),
    ({"join": True, "fractions": True}, True, 10),
    ({"join": True, "all_numbers": False}, True, 10),
    ({"join": True, "fractions": True, "all_numbers": False}, True, 9),
    ({"join": True, "parentheses": True}, True, 6),
    ({"join": True, "parentheses": True}, False, 5),
]


@pytest.mark.parametrize(("changes", "in_order", "most"), MOST)
def test_as_many_numbers_as_are_said_are_played_and_one_more_is_refused(
    changes: dict[str, Any], in_order: bool, most: int
) -> None:
    game = replace(ROWS, **changes)
    assert check_hand((1,) * most, game, in_order=in_order) == (1,) * most
    told = f"^{most + 1} numbers are too many: a hand has at most {most}; "
    asks: list[Callable[..., object]] = [check_hand, reachable, solutions_in]
    for ask in asks:
        with pytest.raises(ValueError, match=told):
            ask((1,) * (most + 1), game, in_order=in_order)


TEN = [
    (1, 2, 1, 1, 3, 1, 1, 2, 1, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 1),
    (2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
]


@pytest.mark.parametrize("hand", TEN)
def test_the_solutions_of_ten_numbers_in_order_are_the_functions_of_their_formulas(
    hand: tuple[int, ...],
) -> None:
    rules = Rules(
        parentheses=False, fractions=False, negatives=False, all_numbers=True, in_order=True
    )
    rows = formulas(24, card=hand, in_order=True)
    expected = {read(str(row), rules).function for row in rows}
    found = [read(str(way), rules).function for way in solve(hand, 24, in_order=True)]
    assert sorted(found) == sorted(expected)
    assert expected
