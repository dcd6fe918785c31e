"""Formulas of a card: its numbers in any order or in the given order, joined or not."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, count, counts, evaluate, formulas
from crisps24.rules.exact import Exact
from tests.oracle import Row, rows_of_card, rules, sorted_by_value
from tests.sampling import examples, in_one_test

CRISPS = GAMES["crisps"]
NINE = tuple(range(1, 10))


def assert_rows_are(
    expected: dict[Exact, list[Row]], targets: Iterable[Exact], game: Game, **card: Any
) -> None:
    """Compare all counts, and the formulas of some targets, with the rows by brute force."""
    counted = counts(game, **card)
    assert counted == {value: len(rows) for value, rows in expected.items()}
    assert list(counted) == sorted(counted)
    for target in targets:
        rows = [(row.numbers, row.operators) for row in formulas(target, game, **card)]
        assert rows == expected.get(target, [])
        assert count(target, game, **card) == len(rows)


def assert_matches_brute_force(card: tuple[int, ...], game: Game, in_order: bool) -> None:
    expected = sorted_by_value(rows_of_card(card, game, in_order), game)
    targets = [*sorted(expected)[:2], *sorted(expected)[-2:], Fraction(10**6)]
    assert_rows_are(expected, targets, game, card=card, in_order=in_order)


@examples(120)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), rules(), st.booleans(), st.booleans())
def test_rows_of_a_card_match_brute_force(
    card: list[int], changes: dict[str, Any], join: bool, in_order: bool
) -> None:
    game = replace(CRISPS, join=join, **changes)
    assert_matches_brute_force(tuple(card[: 5 if in_order else 4]), game, in_order)


def test_cards_of_game24_match_brute_force() -> None:
    game = GAMES["game24"]
    without = replace(game, operators=("-", "x"), zero=False)
    for changed, in_order in ((game, True), (game, False), (without, False)):
        assert_matches_brute_force((9, 2, 1, 5), changed, in_order)
    assert_matches_brute_force((4, 4, 3, 8), game, False)


@in_one_test(
    ("operators", "more", "target", "combinations"),
    # Published since H. E. Dudeney; checked by hand and by brute force.
    ("+-", {}, 100, 11),
    ("-+x:", {"fractions": True, "negatives": True}, 100, 101),
    # https://oeis.org/A066956
    *(
        ("+-", {"negatives": True}, target, combinations)
        for target, combinations in enumerate((11, 26, 11, 18, 8, 21, 12, 17, 8, 22, 12, 21, 11))
    ),
)
def test_counts_of_the_digits_1_to_9_match_published_counts(
    operators: str, more: dict[str, Any], target: int, combinations: int
) -> None:
    game = replace(CRISPS, operators=tuple(operators), join=True, **more)
    assert count(target, game, card=NINE, in_order=True) == combinations
    listed = list(formulas(target, game, card=NINE, in_order=True))
    assert len(set(listed)) == combinations
    for formula in listed:
        assert formula.numbers == NINE
        assert evaluate(formula, game) == target


@in_one_test(
    ("options", "game", "message"),
    ({"card": ()}, CRISPS, "the hand is empty: add at least one number"),
    ({"card": (1, 2.5)}, CRISPS, "2.5 is not a whole number"),
    ({"card": range(13), "in_order": True}, CRISPS, "at most 12 numbers in order, not 13"),
    ({"card": (1, -2)}, CRISPS, "-2 is less than zero, and the results"),
    ({"card": (1, 2, 3)}, GAMES["game24"], "game24 always has four numbers and no brackets"),
    ({"card": (1, 2)}, GAMES["cards"], "cards has parentheses: .*; for a hand use crisps24 solve"),
    ({"card": (1, 2), "in_order": True}, GAMES["cards"], "solve 1 2 --game cards --in-order$"),
    ({"card": (1, 2)}, replace(CRISPS, all_numbers=False), "crisps deals hands of its own"),
    ({"in_order": True}, CRISPS, "in_order keeps the order of a card: give one"),
)
def test_invalid_card_is_refused(options: dict[str, Any], game: Game, message: str) -> None:
    for call in (
        lambda: count(24, game, **options),
        lambda: counts(game, **options),
        lambda: list(formulas(24, game, **options)),
    ):
        with pytest.raises(ValueError, match=message):
            call()
