"""Encodings of values as integers, so that tables can sort and match exact values.

Equal values have equal codes. `WholeNumberCodec` leaves whole numbers unchanged.
`FixedPointCodec` counts fractions in units of 1 / `unit`, if all denominators of a game divide one
unit: with unit 12, the code of 3/4 is 9. It takes a third of the time of `FractionCodec`, which
packs the numerator and the denominator, in lowest terms, into one integer: with 8 bits for the
denominator, the code of 3/4 is 3 << 8 | 4. Codes have 64 bits if all codes of a game fit, else they
are Python integers.
"""

from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from crisps24.enumeration.places import InOrder, Places
from crisps24.errors import RefusedError
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.operators import Bounds
from crisps24.rules.ratios import Ints, Ratios, integer_bound


class FixedPointCodec:
    """Fractions as multiples of 1 / `unit`."""

    def __init__(self, unit: int, bounds: Bounds) -> None:
        self.unit = unit
        """The code of 1, if larger values have larger codes; else 0."""
        # Sums of two values within the bounds must fit, too.
        self.dtype: Any = np.int64 if 2 * unit * max(map(abs, bounds)) < 2**62 else object

    def encode(self, value: Exact) -> int | None:
        """Return the code of a value, None if no value of the game can be equal to it."""
        units = value * self.unit
        return units.numerator if units.denominator == 1 else None

    def decode(self, codes: Ints) -> Any:
        return FixedPointColumn(codes, np.asarray(self.unit, self.dtype))

    def encode_column(self, values: Any) -> Ints:
        return np.asarray(values.numerators)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        return [int_if_whole(Fraction(units, self.unit)) for units in codes.tolist()]


class WholeNumberCodec(FixedPointCodec):
    """Whole numbers, which are their own codes."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(1, bounds)

    def decode(self, codes: Ints) -> Any:
        return codes

    def encode_column(self, values: Any) -> Ints:
        return np.asarray(values)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        return list(codes.tolist())


class FractionCodec:
    """Fractions in lowest terms, as numerator << `bits` plus denominator."""

    unit = 0

    def __init__(self, bound: int) -> None:
        # No numerator or denominator is larger than the bound.
        self.bits = bound.bit_length() + 1
        self.dtype: Any = np.int64 if 2 * self.bits < 63 else object
        self._part_dtype: Any = np.int64 if bound < 2**62 else object

    def encode(self, value: Exact) -> int | None:
        if max(abs(value.numerator), value.denominator).bit_length() >= self.bits:
            return None
        return (value.numerator << self.bits) + value.denominator

    def decode(self, codes: Ints) -> Any:
        parts = codes >> self.bits, codes & ((1 << self.bits) - 1)
        return Ratios(*(part.astype(self._part_dtype, copy=False) for part in parts))

    def encode_column(self, values: Any) -> Ints:
        ratios: Ratios = values.reduced()
        numerators = np.asarray(ratios.numerators).astype(self.dtype, copy=False)
        denominators = np.asarray(ratios.denominators).astype(self.dtype, copy=False)
        return np.asarray((numerators << self.bits) + denominators)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        mask = (1 << self.bits) - 1
        return [int_if_whole(Fraction(code >> self.bits, code & mask)) for code in codes.tolist()]


class FixedPointColumn(Ratios):
    """Fractions with one unit, in which all results are whole; right operands of x are numbers."""

    __slots__ = ()

    def __getitem__(self, rows: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.numerators[rows], self.denominators)

    def __add__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.numerators + self._units_of(other), self.denominators)

    def __sub__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.numerators - self._units_of(other), self.denominators)

    def __mul__(self, other: Any) -> "FixedPointColumn":
        whole = self._units_of(other) // self.denominators
        return FixedPointColumn(self.numerators * whole, self.denominators)

    def __truediv__(self, other: Any) -> "FixedPointColumn":
        whole = self._units_of(other) // self.denominators
        return FixedPointColumn(self.numerators // whole, self.denominators)

    def _crossed(self, other: Any) -> tuple[Any, Any]:
        return self.numerators, self._units_of(other)

    def _units_of(self, other: Any) -> Any:
        """Return a column, an int or an array of whole numbers in units."""
        if isinstance(other, FixedPointColumn):
            return other.numerators
        whole = other if isinstance(other, int) else np.asarray(other, self.numerators.dtype)
        return whole * self.denominators


ValueCodec = FixedPointCodec | FractionCodec


def codec_for(game: Game, places: Places, bounds: Bounds) -> ValueCodec:
    """Return the fastest encoding of the values of a game's rows, which are within bounds."""
    if not game.fractions:
        return WholeNumberCodec(bounds)
    operators = game.row_operators
    numbers_by_place = [tuple(places.number_codes((place,))) for place in places.row]
    # No operator is before the first place of a row in order.
    divisors = numbers_by_place[1:] if isinstance(places, InOrder) else numbers_by_place
    factors = [operator.denominator_factor for operator in operators]
    # The right operand of x and : is always a number if all looser operators can be undone, as
    # sums and differences can.
    _, *looser_levels = game.operator_levels
    only_sums_are_looser = all(operator.undo for level in looser_levels for operator in level)
    if only_sums_are_looser and all(factors) and game.max_bits is None:
        # All denominators divide the product of those that each place can add.
        unit = prod(factor(numbers) for numbers in divisors for factor in factors if factor)
        return FixedPointCodec(unit, bounds)
    bound = integer_bound([max(numbers, key=abs) for numbers in numbers_by_place], game)
    if bound is None:
        unbounded = next(operator.name for operator in operators if operator.max_growth is None)
        reason = f"how large fractions grow under {unbounded} is not known"
        raise RefusedError(f"{game.name}: {reason}")
    return FractionCodec(bound)
