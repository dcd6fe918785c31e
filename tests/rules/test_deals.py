"""The index of the hands of a game, compared with their list."""

from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from math import comb

import pytest

from crisps24 import GAMES, Game
from crisps24.rules.deals import HandIndex, count_hands, list_hands
from tests.sampling import in_one_test

CRISPS, TILES = GAMES["crisps"], GAMES["countdown"]


@in_one_test(
    "game",
    [
        *GAMES.values(),
        replace(CRISPS, length=1),
        replace(CRISPS, numbers=(7,)),
        replace(TILES, length=22),
        replace(TILES, length=24),
        replace(TILES, numbers=(1, 1, 1, 2, 25), length=3),
    ],
    ids=lambda game: f"{game.name} {game.length}",
)
def test_the_hand_at_each_index_is_the_listed_one(game: Game) -> None:
    hands, listed = HandIndex.of_game(game), list_hands(game)
    assert hands.count == count_hands(game) == len(listed)
    assert [hands.hand_at(index) for index in range(hands.count)] == listed
    if len(listed) < 50_000:
        choices = combinations_with_replacement if game.repeats else combinations
        assert listed == sorted(set(choices(game.numbers, game.length)))


def test_hands_that_are_too_many_to_list_have_an_index() -> None:
    hands = HandIndex.of_game(replace(CRISPS, numbers=tuple(range(1, 1001)), length=6))
    assert hands.count == comb(1005, 6)
    assert hands.hand_at(0) == (1,) * 6
    assert hands.hand_at(hands.count - 1) == (1000,) * 6


def test_counting_hands_stops_above_the_limit() -> None:
    assert len(list_hands(GAMES["crisps"], 495)) == 495
    with pytest.raises(ValueError, match="crisps has more than 494 hands"):
        list_hands(GAMES["crisps"], 494)
