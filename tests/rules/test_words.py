"""Parsers and formatters of numbers, hands, ranges and operators."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count, repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game
from crisps24.rules import words
from crisps24.rules.characters import split_words
from crisps24.rules.deals import deal_problem, format_hand, parse_hand, to_hand
from crisps24.rules.operators import OPERATORS
from tests.drawing_helpers import ARITHMETIC_SIGNS
from tests.sampling import in_one_test

CRISPS = GAMES["crisps"]


def read_crisps(text: str) -> tuple[Any, ...]:
    return parse_hand(text.split(), CRISPS)


def read_cards(text: str) -> tuple[Any, ...]:
    return parse_hand(text.split(), GAMES["cards"])


READ: dict[Callable[[str], Any], dict[str, Any]] = {
    words.parse_value: {
        **{"24": 24, "007": 7, "-5": -5, "−5": -5, "–5": -5, "－２４": -24, "- 5": -5, "8/4": 2},
        **dict.fromkeys(("3/4", "0.75", "３／４", "3∕4", "０．７５"), Fraction(3, 4)),
        **{"-6/8": Fraction(-3, 4), ".5": Fraction(1, 2), "-0.475": Fraction(-19, 40)},
        "9" * 100: int("9" * 100),
    },
    words.parse_numbers: {
        "1..9": tuple(range(1, 10)),
        "0..9": tuple(range(10)),
        "1,2,5,10": (1, 2, 5, 10),
        "1..10,25,50,75,100": (*range(1, 11), 25, 50, 75, 100),
        "-2..1": (-2, -1, 0, 1),
        "7": (7,),
        "１，２、５": (1, 2, 5),
        "−2..–1": (-2, -1),
    },
    words.parse_limit: {
        **{"none": None, "None": None, "1": 1, "2,000": 2000, "1_000": 1000, "００７": 7},
        f"{10**29:,}": 10**29,
    },
    words.parse_operators: {
        **{"+-": ("+", "-"), "−,+": ("-", "+"), "++-+": ("+", "-"), "＋、－": ("+", "-")},
        **dict.fromkeys(("× ÷", "* /", "⋅ ∕"), ("x", ":")),
        **{"-+x:": ("-", "+", "x", ":"), " + , X ": ("+", "x"), "·": ("x",), "–": ("-",)},
    },
    read_cards: {"A j Q k 10": (1, 11, 12, 13, 10), "Ｑ ｔ T 10": (12, 10, 10, 10)},
    read_crisps: {"３ １０ –5 －６": (3, 10, -5, -6)},
}


@in_one_test(
    ("read", "text", "value"),
    *((read, text, value) for read, values in READ.items() for text, value in values.items()),
)
def test_a_text_is_read_exactly(read: Callable[[str], Any], text: str, value: Any) -> None:
    parsed = read(text)
    assert (parsed, type(parsed)) == (value, type(value))


SIGNS = "(expected - + x : ^ √ !)"
LONG = "a number has more than 30 digits"
NO_LIMIT = "(expected a whole number from 1, or none)"
REFUSED: dict[Callable[[str], Any], dict[str, str]] = {
    words.parse_value: dict.fromkeys(
        (*"x²٣", "", "1e3", "3/0", "3/-4", "1.", "--5", "+5", "1 2", "nan", "inf", "9" * 101),
        "is not a number (write 24, -5, 3/4 or 0.75)",
    ),
    words.parse_numbers: {
        **dict.fromkeys(("", "1,,2"), "'' is not a number or a range such as 0..100"),
        **{text: f"'{text}' is not a number or a range" for text in ("1..", "1...9")},
        **dict.fromkeys(("9..1", "\n9..1\t"), "the range 9..1 runs downwards (did you mean 1..9?)"),
        "1..9,\n0..1000": "'1..9, 0..1000' has more than 1,000 numbers",
        "0..1000": "'0..1000' has more than 1,000 numbers",
        "0..9999999": "the range 0..9999999 has more than 1,000,000 numbers",
    },
    words.parse_limit: dict.fromkeys(("", "0", "-1", "1.5", "1__2", "12_", "1" * 31), NO_LIMIT),
    words.parse_operators: {
        **dict.fromkeys(("", " , "), f"an operator is missing {SIGNS}"),
        "+ and -": f"unknown operator 'and -' {SIGNS}",
        **{f"+{name}": f"unknown operator '{name}' {SIGNS}" for name in "$|5"},
        "-" + "?" * 99: f"unknown operator '{'?' * 20}' {SIGNS}",
    },
    read_cards: {"X": "'X' is not a number or one of A, T, J, Q, K", "1" * 31: LONG},
    read_crisps: {**{name: f"'{name}' is not a whole number" for name in "QT"}, "1" * 31: LONG},
}


@in_one_test(
    ("read", "text", "sentence"),
    *((read, text, said) for read, texts in REFUSED.items() for text, said in texts.items()),
)
def test_an_invalid_text_is_refused(read: Callable[[str], Any], text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read(text)


def test_a_range_has_at_most_a_million_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert words.MAX_RANGE_LENGTH == 1_000_000
    assert words.parse_range("-500000..499999") == range(-500_000, 500_000)
    with pytest.raises(ValueError, match="has more than 1,000,000 numbers"):
        words.parse_range("-500000..500000")
    monkeypatch.setattr(words, "MAX_RANGE_LENGTH", 1_000)
    longest, too_many = list(range(1_000)), list(range(1_001))
    assert len(words.to_values(longest)) == len(words.to_range(longest, "a survey")) == 1_000
    with pytest.raises(ValueError, match="at most 1,000 values can be named"):
        words.to_values(too_many)
    for targets in (range(1_001), too_many):
        with pytest.raises(ValueError, match="a survey has at most 1,000 targets, not 1,001"):
            words.to_range(targets, "a survey")


ONE_NUMBER = replace(GAMES["countdown"], length=1)


@in_one_test(
    ("text", "game", "hand"),
    ("4384", CRISPS, (4, 3, 8, 4)),
    ("４３８４", CRISPS, (4, 3, 8, 4)),
    ("-7", CRISPS, (-7,)),
    ("K", GAMES["cards"], (13,)),
    ("25", ONE_NUMBER, (25,)),
)
def test_word_is_split_in_games_of_digits(text: str, game: Game, hand: tuple[int, ...]) -> None:
    assert parse_hand(split_words(text), game) == to_hand(text, game) == hand


@given(st.sampled_from(list(GAMES.values())), st.data())
def test_suggested_numbers_are_of_the_game_and_the_word(game: Game, data: st.DataObject) -> None:
    """The suggestion need not be the dealt hand: a word can have several splits."""
    whole = [number for number in game.numbers if isinstance(number, int)]
    numbers = st.lists(st.sampled_from(whole), min_size=game.length, max_size=game.length)
    hand = data.draw(numbers)
    word = "".join(map(str, hand))
    if game.has_only_digits:
        assert parse_hand([word], game) == tuple(hand)
        return
    with pytest.raises(ValueError, match=r"did you mean [0-9 ]+\?") as caught:
        parse_hand([word], game)
    suggestion = re.findall("[0-9]+", str(caught.value))[1:]
    assert "".join(suggestion) == word
    assert len(suggestion) == game.length
    assert set(map(int, suggestion)) <= set(game.numbers)


def test_an_empty_hand_and_one_with_fractions_are_refused() -> None:
    assert to_hand([4, 3], CRISPS) == (4, 3)
    # An endless iterator is read up to the first number too many.
    refused: list[tuple[Any, str]] = [([], "the hand is empty: add at least one number")]
    refused += [([1.5], "1.5 is not a whole number"), (count(1), "a hand has at most 99 numbers")]
    for numbers, sentence in refused:
        with pytest.raises(ValueError, match=re.escape(sentence)):
            to_hand(numbers, CRISPS)
    with pytest.raises(TypeError, match="is not exact"):
        words.to_values(repeat(0.5))  # type: ignore[arg-type]


DEAL_PROBLEMS: list[tuple[str, tuple[int, ...], str]] = [
    ("crisps", (4, 3, 8, 4), ""),
    ("crisps", (10, 3, 3, 3), "10 is not in this game (only 1..9)"),
    ("crisps", (1, 2, 3, 4, 5), "crisps deals 4 numbers, not 5"),
    ("countdown", (25, 50, 10, 10, 3, 6), ""),
    ("countdown", (25, 50, 25, 100, 3, 6), "countdown has 25 once, not twice"),
    ("countdown", (3, 3, 3, 100, 3, 6), "countdown has 3 twice, not 4 times"),
    ("countdown", (11, 50, 25, 100, 3, 6), "11 is not in this game (only 1..10,25,50,75,100)"),
    ("mathador", (20, 4, 12, 6, 8), ""),
    ("mathador", (7, 8, 9, 10, 11),
     "no die is left for 11 (the dice have 4, 6, 8, 12 and 20 faces)"),
]  # fmt: skip


@in_one_test(("name", "hand", "reason"), *DEAL_PROBLEMS)
def test_impossible_hand_is_explained(name: str, hand: tuple[int, ...], reason: str) -> None:
    assert str(deal_problem(hand, GAMES[name]) or "") == reason


@given(st.sampled_from(list(GAMES.values())), st.data())
def test_a_dealt_hand_has_no_deal_problem(game: Game, data: st.DataObject) -> None:
    numbers = st.lists(st.sampled_from(game.numbers), min_size=game.length, max_size=game.length)
    hand = data.draw(numbers if game.repeats else st.permutations(game.numbers))[: game.length]
    if game.dice:
        hand = data.draw(st.tuples(*(st.integers(1, die) for die in game.dice)).map(list))
    assert deal_problem(hand, game) is None
    assert deal_problem(hand[1:], game, complete=False) is None
    assert deal_problem(hand[1:], game) is not None
    assert deal_problem([*hand, hand[0]], game, complete=False) is not None


NUMBERS = st.integers(-(10**29), 10**29)
# Values of each kind, their formatter and their parser.
WORDS: dict[str, tuple[st.SearchStrategy[Any], Callable[..., str], Callable[[str], Any]]] = {
    "value": (st.one_of(NUMBERS, st.fractions(-100, 100)), words.format_value, words.parse_value),
    "hand": (
        # One number of several digits would be split into its digits.
        st.lists(NUMBERS, min_size=2).map(tuple) | st.tuples(st.integers(-(10**29), 9)),
        format_hand,
        lambda text: parse_hand(text.split(), CRISPS),
    ),
    "range": (
        st.builds(lambda first, more: range(first, first + more), NUMBERS, st.integers(1, 10**6)),
        words.format_range,
        words.parse_range,
    ),
    "numbers": (
        st.lists(st.integers(-20, 20), min_size=1, max_size=50).map(tuple),
        words.format_numbers,
        words.parse_numbers,
    ),
    "limit": (st.integers(1, 10**29) | st.none(), words.format_limit, words.parse_limit),
    "operators": (
        st.lists(st.sampled_from(ARITHMETIC_SIGNS), min_size=1, unique=True).map(tuple),
        words.format_operators,
        words.parse_operators,
    ),
}


@pytest.mark.parametrize("word", WORDS)
@given(data=st.data())
def test_formatted_values_are_read_as_the_same_values(word: str, data: st.DataObject) -> None:
    values, write, read = WORDS[word]
    value = data.draw(values)
    parsed = read(write(value))
    assert parsed == value
    assert parsed is None or isinstance(parsed, Fraction | int | range | tuple)


def test_the_operator_that_joins_and_the_digits_of_a_long_value_are_not_formatted() -> None:
    assert words.format_operators(OPERATORS) == "- + x :"
    assert words.format_value(2**254) == str(2**254)
    for value in (10**5000, Fraction(1, 10**5000)):
        assert words.format_value(value) == "a number of about 5001 digits"
