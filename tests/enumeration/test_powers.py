"""Rows with an operator that groups to the right: compared with brute force."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from crisps24 import GAMES, Game, count
from crisps24.rules.exact import Exact
from tests.enumeration.test_cards import assert_rows_are
from tests.oracle import Row, rows, rows_of_card
from tests.sampling import in_one_test
from tests.shortest_oracle import Rules, evaluate_step


def value_of(numbers: tuple[int, ...], operators: tuple[str, ...], game: Game) -> Exact | None:
    """Return the value of a row: powers are evaluated from the right, others from the left."""
    rules = Rules("", fractions=game.fractions, negatives=game.negatives, bits=game.max_bits or 99)
    values: list[Exact] = [*map(Fraction, numbers)]
    signs = [*operators]
    for level, step in (("|", 1), ("^", -1), ("x:", 1), ("+-", 1)):
        while places := [place for place, sign in enumerate(signs) if sign in level]:
            place = places[::step][0]
            left, right = values[place : place + 2]
            if level == "|":
                result = left * 10 + right if left else None
            else:
                result = evaluate_step(signs[place], (left, right), rules)
            if result is None:
                return None
            values[place : place + 2] = [result]
            del signs[place]
    return values[0]


def sorted_by_value(rows: Iterator[Row], game: Game) -> dict[Exact, list[Row]]:
    by_value: dict[Exact, list[Row]] = {}
    for row in rows:
        value = value_of(*row, game)
        if value is not None:
            by_value.setdefault(value, []).append(row)
    return by_value


@in_one_test(
    "changes",
    {},
    {"fractions": True},
    {"negatives": True, "bits": 8},
    {"operators": ("+", "^"), "join": True},
    {"operators": ("-", "+", "x", ":"), "bits": 6, "fractions": True},
)
def test_rows_with_powers_match_brute_force(changes: dict[str, Any]) -> None:
    fields = {"name": f"powers {changes}", "operators": (*"-+x:^",)} | changes
    game = replace(GAMES["crisps"], **fields, numbers=(0, 1, 2, 3), length=3)
    expected = sorted_by_value(rows(game), game)
    assert_rows_are(expected, sorted(expected)[::9], game)
    for in_order in (False, True):
        card = (1, 2, 3, 2)
        expected = sorted_by_value(rows_of_card(card, game, in_order), game)
        assert_rows_are(expected, [], game, card=card, in_order=in_order)


def test_operators_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\^ needs an operator that binds less tightly"):
        count(8, replace(GAMES["crisps"], operators=("^",)))
    with pytest.raises(ValueError, match="has an operator of one number, !"):
        count(8, replace(GAMES["crisps"], operators=("+", "!")))
