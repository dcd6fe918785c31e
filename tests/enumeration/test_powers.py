"""Rows with an operator that groups to the right are counted and found as looking at each does."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from crisps24 import GAMES, Game, count, counts, formulas
from crisps24.rules.exact import Exact
from tests.oracle import Row, rows, rows_of_card
from tests.shortest_oracle import Rules, worked_out

CHANGES: list[dict[str, Any]] = [
    {},
    {"fractions": True},
    {"negatives": True, "bits": 8},
    {"operators": ("+", "^"), "join": True},
    {"operators": ("-", "+", "x", ":"), "bits": 6, "fractions": True},
]


def value_of(numbers: tuple[int, ...], operators: tuple[str, ...], game: Game) -> Exact | None:
    """Return what a row makes: powers from the right, the others from the left."""
    rules = Rules("", fractions=game.fractions, negatives=game.negatives, bits=game.max_bits or 99)
    values: list[Exact] = [*map(Fraction, numbers)]
    signs = [*operators]
    for level, step in (("|", 1), ("^", -1), ("x:", 1), ("+-", 1)):
        while left := [at for at, sign in enumerate(signs) if sign in level]:
            at = left[::step][0]
            one, other = values[at : at + 2]
            if level == "|":
                result = one * 10 + other if one else None
            else:
                result = worked_out(signs[at], (one, other), rules)
            if result is None:
                return None
            values[at : at + 2] = [result]
            del signs[at]
    return values[0]


def sorted_by_value(some: Iterator[Row], game: Game) -> dict[Exact, list[Row]]:
    found: dict[Exact, list[Row]] = {}
    for row in some:
        value = value_of(*row, game)
        if value is not None:
            found.setdefault(value, []).append(row)
    return found


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_rows_with_powers_are_those_of_looking_at_each(changes: dict[str, Any]) -> None:
    game = replace(
        GAMES["crisps"],
        **{"name": f"powers {changes}", "operators": (*"-+x:^",)} | changes,
        numbers=(0, 1, 2, 3),
        length=3,
    )
    expected = sorted_by_value(rows(game), game)
    assert counts(game) == {value: len(found) for value, found in expected.items()}
    for target in sorted(expected)[::9]:
        found = [(row.numbers, row.operators) for row in formulas(target, game)]
        assert found == expected[target]
        assert count(target, game) == len(found)
    for in_order in (False, True):
        card = (1, 2, 3, 2)
        expected = sorted_by_value(rows_of_card(card, game, in_order), game)
        some = counts(game, card=card, in_order=in_order)
        assert some == {value: len(found) for value, found in expected.items()}


def test_what_cannot_be_counted_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="where another operator binds less tightly"):
        count(8, replace(GAMES["crisps"], operators=("^",)))
    with pytest.raises(ValueError, match="has an operator of one number, !"):
        count(8, replace(GAMES["crisps"], operators=("+", "!")))
