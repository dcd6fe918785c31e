"""Queries of hands: validated once, when they are made."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from crisps24 import GAMES, RefusedError
from crisps24.puzzle import Puzzle
from crisps24.rules.games import game_for_numbers
from crisps24.rules.queries import HandQuery, target_for
from crisps24.solving.effort import grade
from crisps24.solving.solver import find_solutions
from crisps24.solving.values import find_closest
from tests.sampling import in_one_test

JOINED = replace(GAMES["crisps"], join=True)


@in_one_test(
    ("numbers", "game", "limit", "error"),
    [
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
        ((1, 2), "cards", "much", r"invalid work limit 'much' \(expected a number, or None .*\)"),
    ],
)
def test_an_invalid_query_is_refused_in_one_sentence(
    numbers: Any, game: Any, limit: Any, error: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{error}$") as refused:
        HandQuery.from_arguments(numbers, game, work=limit)
    assert "\n" not in str(refused.value)


def test_a_query_has_sorted_numbers_and_the_effective_game() -> None:
    query = HandQuery.from_arguments("8 0 8 3", "Chiffres")
    assert (query.hand, query.numbers) == ((8, 0, 8, 3), (0, 3, 8, 8))
    assert query.game is GAMES["countdown"]
    assert query.effective_game == game_for_numbers((0,), GAMES["countdown"]) != query.game
    assert replace(query, in_order=True).numbers == query.hand
    assert {query, HandQuery((8, 0, 8, 3), GAMES["countdown"])} == {query}
    with pytest.raises(FrozenInstanceError):
        query.hand = (1,)  # type: ignore[misc]


def test_the_default_target_is_that_of_the_game() -> None:
    assert (target_for(GAMES["cards"], None), target_for(GAMES["cards"], 7)) == (24, 7)
    with pytest.raises(RefusedError, match=r"^countdown has no fixed target: add one$"):
        target_for(GAMES["countdown"], None)


def test_functions_that_take_a_query_do_not_validate_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = HandQuery.from_arguments((1, 1, 1, 1), "cards")
    puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    validated_queries: list[HandQuery] = []
    validate = HandQuery.__post_init__

    def record_and_validate(query: HandQuery) -> None:
        validated_queries.append(query)
        validate(query)

    monkeypatch.setattr(HandQuery, "__post_init__", record_and_validate)
    for module in ("games.find_game", "deals.to_hand", "exact.to_exact"):
        monkeypatch.setattr(f"crisps24.rules.{module}", None)
        monkeypatch.setattr(f"crisps24.rules.queries.{module.split('.')[1]}", None)
    assert find_solutions(query, 24) == []
    assert [*find_closest(query, 24)] == [4]
    assert grade(query, 24) is None
    assert validated_queries == []
    assert puzzle.hints()[0] == "8 / 3 = 8/3"
    assert puzzle.row()["level"] == 5
    assert [*puzzle.closest] == [24]
    assert puzzle.judge("no solution").code == "solvable"
    assert validated_queries == [puzzle.query]
