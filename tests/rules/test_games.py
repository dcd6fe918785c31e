"""Games as data, and the words in which numbers, ranges and hands are given."""

from contextlib import suppress
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game
from crisps24.rules.games import (
    exact,
    find_game,
    format_numbers,
    parse_hand,
    parse_numbers,
    parse_range,
    parse_value,
)

CRISPS = GAMES["crisps"]


def test_every_game_is_found_by_its_own_name() -> None:
    assert [find_game(name) for name in GAMES] == list(GAMES.values())
    assert [game.name for game in GAMES.values()] == list(GAMES)


def test_the_bag_of_crisps_is_the_default_and_has_its_rules() -> None:
    rules = (CRISPS.numbers, CRISPS.length, CRISPS.parentheses, CRISPS.fractions, CRISPS.negatives)
    assert rules == (tuple(range(1, 10)), 4, False, False, False)
    assert next(iter(GAMES)) == "crisps"


def test_the_original_differs_in_how_operators_group_only() -> None:
    assert replace(GAMES["game24"], name="crisps", grouping="standard") == CRISPS


def test_a_game_is_frozen_hashable_and_changed_by_a_copy() -> None:
    with pytest.raises(FrozenInstanceError):
        CRISPS.length = 5  # type: ignore[misc]
    longer = replace(CRISPS, length=5)
    assert (longer.length, CRISPS.length) == (5, 4)
    assert len({CRISPS, replace(longer, length=4), longer}) == 2


def test_numbers_are_sorted_and_each_once_where_they_repeat() -> None:
    assert replace(CRISPS, numbers=(5, 1, 5, 3)).numbers == (1, 3, 5)


def test_numbers_keep_their_copies_where_each_card_is_its_own() -> None:
    assert GAMES["countdown"].numbers.count(10) == 2
    assert GAMES["numble"].numbers.count(10) == 1


NO_GAMES: list[tuple[dict[str, Any], str]] = [
    ({"length": 0}, "the length is 0: a formula has at least one number"),
    ({"numbers": ()}, "crisps needs at least one number"),
    ({"numbers": (-3, 1)}, "the number -3 needs a game with negatives"),
    ({"repeats": False, "length": 10}, "a hand of 10 needs more numbers than crisps has"),
    ({"grouping": "tail", "length": 5}, "crisps is defined for four numbers only"),
    ({"grouping": "tail", "parentheses": True}, "crisps is defined for four numbers only"),
]


@pytest.mark.parametrize(("changes", "sentence"), NO_GAMES)
def test_fields_that_make_no_game_are_refused_in_a_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(CRISPS, **changes)


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"there is no game 'chess'; the games are crisps, game24"):
        find_game("chess")


VALUES: list[tuple[str, int | Fraction]] = [
    ("24", 24),
    ("007", 7),
    ("-5", -5),
    ("−5", -5),
    ("3/4", Fraction(3, 4)),
    ("8/4", 2),
    ("-6/8", Fraction(-3, 4)),
    ("0.75", Fraction(3, 4)),
    (".5", Fraction(1, 2)),
    ("-0.475", Fraction(-19, 40)),
    ("9" * 100, int("9" * 100)),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_a_value_is_read_exactly(text: str, value: int | Fraction) -> None:
    found = parse_value(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "text",
    ["", "x", "1e3", "3/0", "3/-4", "1.", "--5", "+5", "1 2", "٣", "²", "nan", "inf", "9" * 101],
)
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number: 24, -5, 3/4 or 0\.75 would be"):
        parse_value(text)


def test_a_target_is_never_a_float() -> None:
    for target in (24.0, "24", None):
        with pytest.raises(TypeError, match="is not exact: a target is an int or a Fraction"):
            exact(target)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1..9", tuple(range(1, 10))),
        ("0..9", tuple(range(10))),
        ("1,2,5,10", (1, 2, 5, 10)),
        ("1..10,25,50,75,100", (*range(1, 11), 25, 50, 75, 100)),
        ("-2..1", (-2, -1, 0, 1)),
        ("7", (7,)),
    ],
)
def test_numbers_are_read_as_the_option_has_them(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is not a number or a range such as 0..100"),
        ("1..", "'1..' is not a number or a range"),
        ("1...9", "'1...9' is not a number or a range"),
        ("1,,2", "'' is not a number or a range"),
        ("9..1", "the range 9..1 runs downwards; 1..9 would run upwards"),
        ("0..1000", "0..1000 is more than 1,000 numbers"),
        ("0..9999999", "the range 0..9999999 is of more than 1,000,000 numbers"),
    ],
)
def test_what_are_no_numbers_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        parse_numbers(text)


@given(st.lists(st.integers(-20, 20), min_size=1, unique=True).map(sorted))
def test_numbers_are_written_as_they_are_read(numbers: list[int]) -> None:
    assert parse_numbers(format_numbers(numbers)) == tuple(numbers)


@given(st.text(max_size=200))
def test_arbitrary_text_is_a_value_or_a_valueerror(text: str) -> None:
    for read in (parse_value, parse_range, parse_numbers):
        with suppress(ValueError):
            read(text)


def test_a_hand_is_read_with_the_letters_of_its_game() -> None:
    assert parse_hand(["A", "j", "Q", "k", "10"], GAMES["cards"]) == (1, 11, 12, 13, 10)
    with pytest.raises(ValueError, match=r"'Q' is not a whole number$"):
        parse_hand(["Q"], CRISPS)
    with pytest.raises(ValueError, match="'X' is not a whole number or one of A, J, Q, K"):
        parse_hand(["X"], GAMES["cards"])


def test_a_game_is_rebuilt_by_its_repr() -> None:
    assert all(eval(repr(game), {"Game": Game}) == game for game in GAMES.values())
