"""Formulas of a card: its numbers in any order or as they are given, joined or not."""

import os
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, Game, count, counts, evaluate, formulas
from tests.drawing_helpers import WORKED
from tests.oracle import rows_of_card, rules, sorted_by_value

CRISPS = GAMES["crisps"]
NINE = tuple(range(1, 10))
SUBSETS = [subset for size in range(1, 5) for subset in combinations(WORKED, size)]


def agree(card: tuple[int, ...], game: Game, in_order: bool) -> None:
    """Hold all that is counted and found of a card to looking at every row of it."""
    expected = sorted_by_value(rows_of_card(card, game, in_order), game)
    found = counts(game, card=card, in_order=in_order)
    assert found == {value: len(rows) for value, rows in expected.items()}
    assert list(found) == sorted(found)
    for target in [*sorted(expected)[:2], *sorted(expected)[-2:], Fraction(10**6)]:
        rows = [
            (row.numbers, row.operators)
            for row in formulas(target, game, card=card, in_order=in_order)
        ]
        assert rows == expected.get(target, [])
        assert count(target, game, card=card, in_order=in_order) == len(rows)


def games(card: tuple[int, ...]) -> Iterator[Game]:
    """Yield games with all subsets of operators, joined or not, by all rules about results.

    Some of them, which are others for each card, where not all are asked for.
    """
    every = list(every_game())
    some = len(every) if "CRISPS24_EVERY" in os.environ else {1: 20, 2: 80}.get(len(card), 40)
    yield from Random(str(card)).sample(every, some)


def every_game() -> Iterator[Game]:
    flags = ("join", "zero", "negatives", "fractions")
    for operators in SUBSETS:
        for chosen in product((False, True), repeat=len(flags)):
            rules: dict[str, Any] = dict(zip(flags, chosen, strict=True))
            yield replace(CRISPS, numbers=tuple(range(10)), operators=operators, **rules)


@pytest.mark.parametrize("card", [(7,), (0,), (3, 0), (2, 4, 0), (1, 2, 3, 4), (4, 0, 2, 1, 2)])
def test_rows_in_order_are_those_of_looking_at_each_whatever_the_rules(
    card: tuple[int, ...],
) -> None:
    for game in games(card):
        agree(card, game, in_order=True)


@pytest.mark.parametrize("card", [(5,), (0, 3), (2, 2, 6), (0, 1, 8)])
def test_rows_in_any_order_are_those_of_looking_at_each_whatever_the_rules(
    card: tuple[int, ...],
) -> None:
    for game in games(card):
        agree(card, game, in_order=False)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=4, max_size=5), rules(), st.booleans(), st.booleans())
def test_rows_of_larger_cards_are_those_of_looking_at_each(
    card: list[int], changes: dict[str, Any], join: bool, in_order: bool
) -> None:
    agree(tuple(card[: 5 if in_order else 4]), replace(CRISPS, join=join, **changes), in_order)


@settings(max_examples=30)
@given(st.lists(st.integers(-30, 99), min_size=1, max_size=4), rules(), st.booleans())
def test_a_card_brings_its_own_numbers(
    card: list[int], changes: dict[str, Any], in_order: bool
) -> None:
    game = replace(CRISPS, **(changes | {"negatives": True}))
    agree(tuple(card), game, in_order)


def test_five_numbers_in_any_order_are_those_of_looking_at_each() -> None:
    agree((1, 3, 3, 0, 8), replace(CRISPS, join=True), in_order=False)
    agree((1, 2, 4, 8, 9), replace(CRISPS, fractions=True, negatives=True), in_order=False)


def test_the_formulas_of_a_card_in_any_order_are_those_of_all_its_orders() -> None:
    every = [str(row) for row in formulas(24) if sorted(row.numbers) == [3, 4, 4, 8]]
    assert [str(row) for row in formulas(24, card=(4, 3, 8, 4))] == every
    in_order = [str(row) for row in formulas(24, card=(4, 3, 8, 4), in_order=True)]
    assert in_order == [
        row for row in every if row.translate({ord(c): "" for c in " -+x:"}) == "4384"
    ]


def test_the_original_plays_cards_by_its_own_grouping() -> None:
    game = GAMES["game24"]
    agree((9, 2, 1, 5), game, in_order=True)
    agree((9, 2, 1, 5), game, in_order=False)
    agree((9, 2, 1, 5), replace(game, operators=("-", "x"), zero=False), in_order=False)


@pytest.mark.parametrize(
    ("operators", "more", "target", "combinations"),
    [
        # As published everywhere since H. E. Dudeney; checked by hand and by brute force.
        ("+-", {}, 100, 11),
        ("-+x:", {"fractions": True, "negatives": True}, 100, 101),
        # https://oeis.org/A066956
        *(
            ("+-", {"negatives": True}, target, combinations)
            for target, combinations in enumerate(
                (11, 26, 11, 18, 8, 21, 12, 17, 8, 22, 12, 21, 11)
            )
        ),
    ],
)
def test_the_digits_from_1_to_9_make_what_is_published(
    operators: str, more: dict[str, Any], target: int, combinations: int
) -> None:
    game = replace(CRISPS, operators=tuple(operators), join=True, **more)
    assert count(target, game, card=NINE, in_order=True) == combinations
    found = list(formulas(target, game, card=NINE, in_order=True))
    assert len(set(found)) == combinations
    for formula in found:
        assert formula.numbers == NINE
        assert evaluate(formula, game) == target


def test_sums_and_products_of_the_first_numbers_have_as_many_values_as_published() -> None:
    # https://oeis.org/A138651
    game = replace(CRISPS, operators=("+", "x"), numbers=tuple(range(1, 11)))
    values = [len(counts(game, card=range(1, n + 1), in_order=True)) for n in range(1, 11)]
    assert values == [1, 2, 3, 7, 14, 26, 52, 104, 201, 379]


def test_twelve_in_order_and_seven_in_any_order_are_as_many_as_are_counted() -> None:
    for card, in_order in [((*NINE, 1, 2, 3), True), ((9, 8, 7, 6, 5, 4, 2), False)]:
        game = replace(CRISPS, negatives=True)
        found = list(formulas(100, game, card=card, in_order=in_order))
        assert len(set(found)) == len(found) == count(100, game, card=card, in_order=in_order)


REFUSED: list[tuple[dict[str, Any], Game, str]] = [
    ({"card": ()}, CRISPS, "the hand is empty: add at least one number"),
    ({"card": (1, 2.5)}, CRISPS, "2.5 is not a whole number"),
    ({"card": range(1, 9)}, CRISPS, r"a card has at most 7 numbers \(12 in order\), not 8"),
    (
        {"card": range(13), "in_order": True},
        CRISPS,
        "a card has at most 12 numbers in order, not 13",
    ),
    ({"card": (1, -2)}, CRISPS, "-2 is less than zero, and the results"),
    ({"card": (1, 12)}, replace(CRISPS, join=True), "only single digits can be joined"),
    ({"card": (1, 2, 3)}, GAMES["game24"], "game24 always has four numbers and no brackets"),
    (
        {"card": (1, 2, 3)},
        GAMES["cards"],
        "cards has parentheses: .*; for a hand use crisps24 solve 1 2 3",
    ),
    ({"card": (1, 2)}, replace(CRISPS, all_numbers=False), "crisps deals hands of its own"),
    ({"in_order": True}, CRISPS, "in_order keeps the order of a card: give one"),
]


@pytest.mark.parametrize(("words", "game", "sentence"), REFUSED)
def test_a_card_that_cannot_be_played_is_refused_in_a_sentence(
    words: dict[str, Any], game: Game, sentence: str
) -> None:
    for ask in (lambda: count(24, game, **words), lambda: counts(game, **words)):
        with pytest.raises(ValueError, match=sentence):
            ask()
    with pytest.raises(ValueError, match=sentence):
        list(formulas(24, game, **words))


@pytest.mark.parametrize("in_order", [True, False])
def test_a_card_is_played_by_a_game_that_deals_no_number_twice(in_order: bool) -> None:
    game = replace(CRISPS, repeats=False)
    with pytest.raises(ValueError, match="results files are for games such as crisps"):
        count(24, game)
    for card in ((4, 3, 8, 4), (1, 2, 3, 4)):
        assert count(24, game, card=card, in_order=in_order) == count(
            24, card=card, in_order=in_order
        )
        assert list(formulas(24, game, card=card, in_order=in_order)) == list(
            formulas(24, card=card, in_order=in_order)
        )
