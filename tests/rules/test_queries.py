"""Queries of hands: validated once, when they are made."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from crisps24 import GAMES, RefusedError
from crisps24.rules.games import game_for_numbers
from crisps24.rules.queries import HandQuery, target_for
from tests.sampling import in_one_test

JOINED = replace(GAMES["crisps"], join=True)


@in_one_test(
    ("numbers", "game", "limit", "error"),
    ((), "cards", 1, "the hand is empty: add at least one number"),
    ((1.5,), "cards", 1, "1.5 is not a number .*"),
    ("1 two", "cards", 1, "'two' is not a number or one of A, T, J, Q, K"),
    ((1,) * 100, "cards", 1, "a hand has at most 99 numbers"),
    (5, "cards", 1, r"invalid hand 5 \(expected numbers, such as \(4, 3, 8, 4\)\)"),
    ((1, 2), "cardz", 1, r"unknown game 'cardz' \(did you mean cards\? expected .*\)"),
    ((1, 2), 7, 1, r"invalid game 7 \(expected a name, such as cards, or a Game\)"),
    ((1, 2), "game24", 1, r"game24 has no hands \(expected crisps, .*\)"),
    ((-1, 2), "crisps", 1, "-1 is less than zero, .*"),
    ((10, 2), JOINED, 1, "only single digits can be joined, not 10"),
    ((1, 2), "cards", "much", r"invalid work limit 'much' \(expected a number .*, or None .*\)"),
)
def test_an_invalid_query_is_refused(numbers: Any, game: Any, limit: Any, error: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{error}$") as refused:
        HandQuery.from_arguments(numbers, game, work=limit)
    assert "\n" not in str(refused.value)


def test_a_query_has_sorted_numbers_and_the_effective_game() -> None:
    query = HandQuery.from_arguments("8 0 8 3", "Chiffres")
    assert (query.hand, query.numbers) == ((8, 0, 8, 3), (0, 3, 8, 8))
    assert query.game is GAMES["countdown"]
    assert query.effective_game == game_for_numbers((0,), GAMES["countdown"]) != query.game
    assert replace(query, game=replace(query.game, in_order=True)).numbers == query.hand
    assert {query, HandQuery((8, 0, 8, 3), GAMES["countdown"])} == {query}
    with pytest.raises(FrozenInstanceError):
        query.hand = (1,)  # type: ignore[misc]


def test_the_default_target_is_that_of_the_game() -> None:
    assert (target_for(GAMES["cards"], None), target_for(GAMES["cards"], 7)) == (24, 7)
    with pytest.raises(RefusedError, match=r"^countdown has no fixed target: add one$"):
        target_for(GAMES["countdown"], None)
