"""Hands by their places are those that are listed, and as many."""

from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from math import comb

import pytest

from crisps24 import GAMES, Game
from crisps24.rules.deals import HandIndex, count_hands, list_hands

CRISPS, TILES = GAMES["crisps"], GAMES["countdown"]


@pytest.mark.parametrize(
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
def test_each_place_has_the_hand_that_is_listed_there(game: Game) -> None:
    hands, every = HandIndex.of_game(game), list_hands(game)
    assert hands.count == count_hands(game) == len(every)
    assert [hands.hand_at(place) for place in range(hands.count)] == every
    if len(every) < 50_000:
        drawn = combinations_with_replacement if game.repeats else combinations
        assert every == sorted(set(drawn(game.numbers, game.length)))


def test_more_hands_than_anybody_lists_have_places() -> None:
    hands = HandIndex.of_game(replace(CRISPS, numbers=tuple(range(1, 1001)), length=6))
    assert hands.count == comb(1005, 6)
    assert hands.hand_at(0) == (1,) * 6
    assert hands.hand_at(hands.count - 1) == (1000,) * 6
