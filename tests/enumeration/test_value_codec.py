"""Fractions are counted in units where one unit fits all denominators, else packed as pairs."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from crisps24 import GAMES
from crisps24.enumeration.counting import tables_of
from crisps24.enumeration.value_codec import FractionCodec
from tests.sampling import in_one_test

FRACTIONS = replace(GAMES["crisps"], fractions=True)


# The changed rules, the card, whether its order is fixed, and the unit.
@in_one_test(
    ("changes", "card", "in_order", "unit"),
    ({}, (2, 3, 4), True, 12),
    ({}, (2, 3, 4), False, 24),
    ({}, (0, 6, 6), False, 36),
    ({"numbers": (1, 2, 3), "length": 3}, None, False, 36),
    ({"operators": ("-", "+", "x")}, (2, 3, 4), False, 1),
    ({"fractions": False}, (2, 3, 4), False, 1),
    ({"join": True}, (2, 3, 4), False, 0),
    ({"bits": 20}, (2, 3, 4), False, 0),
)
def test_unit_is_a_multiple_of_all_denominators(
    changes: dict[str, Any], card: tuple[int, ...] | None, in_order: bool, unit: int
) -> None:
    codec = tables_of(replace(FRACTIONS, **changes, in_order=in_order), card).codec
    assert codec.unit == unit
    assert isinstance(codec, FractionCodec) == (unit == 0)
    assert codec.encode(Fraction(1, 5)) == (None if unit else codec.encode(Fraction(2, 10)))
