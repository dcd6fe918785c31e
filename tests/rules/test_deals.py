"""The index of the hands of a game, compared with their list."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

import pytest

from crisps24 import GAMES, Game
from crisps24.rules.deals import HandIndex, count_hands, deal_problem, largest_numbers, list_hands
from crisps24.rules.games import Hand, change_rules
from crisps24.rules.ids import format_id, has_exact_id, parse_id
from tests.sampling import EVERY, in_one_test

CRISPS, TILES, DICE = GAMES["crisps"], GAMES["countdown"], GAMES["mathador"]


def throws(dice: Iterable[int]) -> list[Hand]:
    """Return all throws of some dice, each sorted."""
    return [tuple(sorted(hand)) for hand in product(*(range(1, die + 1) for die in dice))]


def with_dice(*dice: int) -> Game:
    return replace(DICE, numbers=tuple(range(1, max(dice) + 1)), length=len(dice), dice=dice)


@in_one_test(
    "game",
    *GAMES.values(),
    replace(CRISPS, length=1),
    replace(CRISPS, numbers=(7,)),
    replace(TILES, length=22),
    replace(TILES, length=24),
    replace(TILES, numbers=(1, 1, 1, 2, 25), length=3),
    *(with_dice(*dice) for dice in ((1,), (6, 6), (7, 1, 3, 3))),
    replace(DICE, repeats=False),
)
def test_the_hand_at_each_index_is_the_listed_one(game: Game) -> None:
    hands, listed = HandIndex.of_game(game), list_hands(game)
    assert hands.count == count_hands(game) == len(listed)
    step = 1 if EVERY else 1 + hands.count // 5_000
    assert [hands.hand_at(index) for index in range(0, hands.count, step)] == listed[::step]
    if len(listed) < 50_000:
        choices = combinations_with_replacement if game.repeats else combinations
        made = set(choices(game.numbers, game.length))
        assert listed == sorted(made.intersection(throws(game.dice)) if game.dice else made)


def test_a_hand_of_dice_is_a_throw() -> None:
    every = throws(DICE.dice)
    assert (len(every), len(set(every)), count_hands(DICE)) == (46_080, 7_760, 7_760)
    assert largest_numbers(DICE) == [4, 6, 8, 12, 20]
    for size in range(1, 6):
        parts = {part for hand in set(every) for part in combinations(hand, size)}
        hands = [*combinations_with_replacement(DICE.numbers, size)][:: 1 if EVERY else 23]
        for hand in hands:
            problem = deal_problem(hand, DICE, complete=False)
            assert (problem is None) == (hand in parts)
            assert problem is None or problem == deal_problem(hand[::-1], DICE, complete=False)


@in_one_test("changes", {"numbers": range(1, 20)}, {"length": 4}, {"numbers": (1, 2), "length": 2})
def test_other_numbers_are_no_throws(changes: dict[str, Any]) -> None:
    game = change_rules(DICE, changes)
    assert replace(DICE, **changes, dice=()) == game
    with pytest.raises(ValueError, match="the dice of mathador do not fit its numbers"):
        replace(DICE, **changes)
    assert parse_id(format_id(game, (1, 2), 3)) == (game, (1, 2), 3)
    assert change_rules(DICE, {"numbers": DICE.numbers, "length": 5}) == DICE
    assert (has_exact_id(game), has_exact_id(replace(DICE, dice=()))) == (True, False)


def test_hands_that_are_too_many_to_list_have_an_index() -> None:
    hands = HandIndex.of_game(replace(CRISPS, numbers=tuple(range(1, 1001)), length=6))
    assert hands.count == comb(1005, 6)
    assert [hands.hand_at(index) for index in (0, hands.count - 1)] == [(1,) * 6, (1000,) * 6]


def test_counting_hands_stops_above_the_limit() -> None:
    assert len(list_hands(GAMES["crisps"], 495)) == 495
    with pytest.raises(ValueError, match="crisps has more than 494 hands"):
        list_hands(GAMES["crisps"], 494)


def test_no_hands_are_dealt_in_order() -> None:
    game = replace(CRISPS, in_order=True)
    for deals in (count_hands, largest_numbers):
        with pytest.raises(ValueError, match="crisps deals no hands in order"):
            deals(game)
