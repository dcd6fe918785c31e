"""Encodings of values as integers, so that tables can sort and match exact values.

Equal values have equal codes. `WholeNumberCodec` leaves whole numbers as they are.
`FixedPointCodec` counts fractions in units of 1 / `unit`, if all denominators of a game divide one
unit: with unit 12, the code of 3/4 is 9. `FractionCodec` packs the numerator and the denominator,
in lowest terms, into one integer: with 8 bits for the denominator, the code of 3/4 is 3 << 8 | 4.
The first two keep the order of values. Codes have 64 bits if all codes of a game fit, else they
are Python integers.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, Protocol

import numpy as np

from crisps24.enumeration.places import InOrder, Places
from crisps24.errors import RefusedError
from crisps24.rules.exact import DividesExactly, Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.operators import Bounds
from crisps24.rules.ratios import Ints, Ratios, integer_bound


class ValueCodec(Protocol):
    """An encoding of the values of a game as integers, the codes of the values."""

    dtype: Any
    ordered: bool
    """Whether larger values have larger codes."""

    def encode(self, value: Exact) -> int | None:
        """Return the code of a value, None if no value of the game can be equal to it."""

    def encode_bounds(self, bounds: Bounds) -> Bounds:
        """Return the codes of a lowest and a highest value; only if `ordered`."""

    def decode(self, codes: Ints) -> Any:
        """Return an array of values that operators can compute with, from their codes."""

    def encode_column(self, values: Any) -> Ints:
        """Return the codes of an array of values that operators have computed."""

    def decode_exact(self, codes: Ints) -> list[Exact]:
        """Return the values as ints and Fractions."""


class FixedPointCodec:
    """Fractions as multiples of 1 / `unit`."""

    ordered = True

    def __init__(self, unit: int, bounds: Bounds) -> None:
        self.unit = unit
        self.dtype = _dtype_for(self.encode_bounds(bounds))

    def encode(self, value: Exact) -> int | None:
        """Return how many units a value is, None if it is not a whole number of units.

        With the unit 1/12, the value 3/4 is 9 units; for 1/5 the result is None.
        """
        units = Fraction(value) * self.unit
        return units.numerator if units.denominator == 1 else None

    def encode_bounds(self, bounds: Bounds) -> Bounds:
        """Return a lowest and a highest value in units."""
        return bounds[0] * self.unit, bounds[1] * self.unit

    def decode(self, codes: Ints) -> Any:
        """Return an array of fractions that operators can compute with."""
        return FixedPointColumn(codes, self.unit)

    def encode_column(self, values: Any) -> Ints:
        """Return the number of units of each fraction of an array."""
        return np.asarray(values.units)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        """Return the values as ints and Fractions."""
        if self.unit == 1:
            return list(codes.tolist())
        return [int_if_whole(Fraction(units, self.unit)) for units in codes.tolist()]


class WholeNumberCodec(FixedPointCodec):
    """Whole numbers, which are their own codes."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(1, bounds)

    def decode(self, codes: Ints) -> Any:
        """Return the codes, which are the values."""
        return codes

    def encode_column(self, values: Any) -> Ints:
        """Return the values, which are their own codes."""
        return np.asarray(values)


class FractionCodec:
    """Fractions in lowest terms, as numerator << `bits` plus denominator."""

    ordered = False

    def __init__(self, bound: int) -> None:
        """Encode fractions whose numerator and denominator are at most `bound`."""
        self.bits = bound.bit_length() + 1
        self.dtype: Any = np.int64 if 2 * self.bits < 63 else object
        self._part_dtype: Any = np.int64 if bound < 2**62 else object

    def encode(self, value: Exact) -> int | None:
        """Pack a fraction into one integer; None if its numerator or denominator is too large.

        No value of the game can be equal to such a fraction. With 8 bits for the denominator, the
        integer of 3/4 is 3 << 8 | 4, which is 772.
        """
        if max(abs(value.numerator), value.denominator).bit_length() >= self.bits:
            return None
        return (value.numerator << self.bits) + value.denominator

    def encode_bounds(self, bounds: Bounds) -> Bounds:
        """Raise TypeError: a larger fraction can have a smaller code, so codes have no bounds."""
        raise TypeError(f"pairs have no limits such as {bounds}")

    def decode(self, codes: Ints) -> Any:
        """Return an array of fractions that operators can compute with."""
        mask = (1 << self.bits) - 1
        pair = (codes >> self.bits, codes & mask)
        return Ratios(*(part.astype(self._part_dtype, copy=False) for part in pair))

    def encode_column(self, values: Any) -> Ints:
        """Pack each fraction of an array into one integer; they need not be in lowest terms."""
        ratios: Ratios = values.reduced()
        numerators = np.asarray(ratios.numerators).astype(self.dtype, copy=False)
        denominators = np.asarray(ratios.denominators).astype(self.dtype, copy=False)
        return np.asarray((numerators << self.bits) + denominators)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        """Return the values as ints and Fractions."""
        mask = (1 << self.bits) - 1
        pairs = ((code >> self.bits, code & mask) for code in codes.tolist())
        return [int_if_whole(Fraction(numerator, denominator)) for numerator, denominator in pairs]


class FixedPointColumn(DividesExactly):
    """An array of fractions as multiples of 1 / `unit`.

    The right operand of `x` and `:` must be whole, and every result must be whole in units:
    `_unit_of` chooses the unit accordingly.
    """

    __slots__ = ("unit", "units")

    def __init__(self, units: Ints, unit: int) -> None:
        self.units = units
        self.unit = unit

    @property
    def numerators(self) -> Ints:
        """The numerators over `denominators`, not in lowest terms."""
        return self.units

    @property
    def denominators(self) -> Ints:
        """The unit, once for each fraction."""
        return np.full_like(self.units, self.unit)

    def __getitem__(self, rows: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.units[rows], self.unit)

    def __add__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.units + self._in_units(other), self.unit)

    def __sub__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.units - self._in_units(other), self.unit)

    def __mul__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.units * (self._in_units(other) // self.unit), self.unit)

    def __truediv__(self, other: Any) -> "FixedPointColumn":
        return FixedPointColumn(self.units // (self._in_units(other) // self.unit), self.unit)

    def __eq__(self, other: object) -> Any:
        return self.units == self._in_units(other)

    def __ne__(self, other: object) -> Any:
        return self.units != self._in_units(other)

    def __ge__(self, other: Any) -> Any:
        return self.units >= self._in_units(other)

    def __le__(self, other: Any) -> Any:
        return self.units <= self._in_units(other)

    def _in_units(self, other: Any) -> Any:
        """Return an int or an array, of fractions or of whole numbers, in units."""
        if isinstance(other, FixedPointColumn):
            return other.units
        if isinstance(other, int):
            return other * self.unit
        # A column of whole numbers, converted to the dtype of the units.
        return np.asarray(other, self.units.dtype) * self.unit


def codec_for(game: Game, places: Places, bounds: Bounds) -> ValueCodec:
    """Return the fastest encoding of the values of a game's rows as integers.

    In crisps, which has no fractions, a value is its own code. Fractions are counted in units, such
    as twelfths, or packed as numerator and denominator.

    Args:
        game: The game.
        places: The places of the rows, with the numbers that each can have.
        bounds: The lowest and the highest value of the rows.

    Raises:
        RefusedError: The game allows fractions, and has an operator without a known bound on
            numerators and denominators.
    """
    if not game.fractions:
        return WholeNumberCodec(bounds)
    # Units are only possible if the right operand of x and : is always a whole number. So all
    # operators that bind less tightly must be sums and differences, which can be undone.
    _, *looser_levels = game.operator_levels
    only_sums_are_looser = all(
        operator.undo is not None for level in looser_levels for operator in level
    )
    has_known_denominators = all(
        operator.denominator_factor is not None for operator in game.row_operators
    )
    if only_sums_are_looser and has_known_denominators and game.max_bits is None:
        return FixedPointCodec(_unit_of(game, places), bounds)
    largest_numbers = [max(numbers, key=abs) for numbers in _numbers_by_place(places)]
    bound = integer_bound(largest_numbers, game)
    if bound is None:
        unbounded = [
            operator.name for operator in game.row_operators if operator.max_growth is None
        ]
        reason = f"how large fractions grow under {unbounded[0]} is not known"
        raise RefusedError(f"{game.name}: {reason}")
    return FractionCodec(bound)


def _unit_of(game: Game, places: Places) -> int:
    """Return a whole number that the denominators of all values of a game's rows divide.

    Only division makes denominators. With the numbers 2 3 4 in this order, the first one is never
    divided by, and the others give 3 x 4: all values are whole numbers of twelfths, and the result
    is 12. In any order, each number can be a divisor: the result is 24.
    """
    numbers_by_place = _numbers_by_place(places)
    # No operator is before the first place of a row in order.
    divisors = numbers_by_place[1:] if isinstance(places, InOrder) else numbers_by_place
    return prod(
        operator.denominator_factor(numbers)
        for numbers in divisors
        for operator in game.row_operators
        if operator.denominator_factor is not None
    )


def _numbers_by_place(places: Places) -> list[Sequence[int]]:
    """Return the numbers that each place of a row can have; for a card, its single number."""
    if isinstance(places, InOrder):
        return [tuple(places.number_codes((place,))) for place in places.row]
    return [(number,) for number in places.row]


def _dtype_for(bounds: Bounds) -> Any:
    """Return int64 if it holds the sum of any two integers within the bounds, else object."""
    return np.int64 if 2 * max(map(abs, bounds)) < 2**62 else object
