"""Values as integers, equal where the values are, so that tables sort and match them as such.

Whole values are themselves. Fractions whose denominators all divide one number, the unit, are
counted in units of 1 / it; others are pairs of numerator and denominator in one integer. Owns
which of the three serves a game, and how it is turned into what operators work on, and back.
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
    """How the values of a game are written as integers."""

    dtype: Any
    ordered: bool
    """Whether larger values are larger integers."""

    def encode(self, value: Exact) -> int | None:
        """Return the integer of a value, None where it is none of the game's."""

    def encode_limits(self, limits: Bounds) -> Bounds:
        """Return limits of values as limits of integers, where these are ordered."""

    def decode(self, integers: Ints) -> Any:
        """Return what operators work on."""

    def encode_column(self, values: Any) -> Ints:
        """Return what operators made as integers again."""

    def decode_exact(self, integers: Ints) -> list[Exact]:
        """Return the values one by one."""


class FixedPointCodec:
    """Fractions counted in units of 1 / `unit`."""

    ordered = True

    def __init__(self, unit: int, limits: Bounds) -> None:
        self.unit = unit
        self.dtype = _holding(self.encode_limits(limits))

    def encode(self, value: Exact) -> int | None:
        """Return how many units a value is."""
        units = Fraction(value) * self.unit
        return units.numerator if units.denominator == 1 else None

    def encode_limits(self, limits: Bounds) -> Bounds:
        """Return the limits in units."""
        return limits[0] * self.unit, limits[1] * self.unit

    def decode(self, integers: Ints) -> Any:
        """Return a column that operators take for fractions."""
        return FixedPointColumn(integers, self.unit)

    def encode_column(self, values: Any) -> Ints:
        """Return how many units the values are."""
        return np.asarray(values.units)

    def decode_exact(self, integers: Ints) -> list[Exact]:
        """Return the values one by one."""
        if self.unit == 1:
            return list(integers.tolist())
        return [int_if_whole(Fraction(units, self.unit)) for units in integers.tolist()]


class WholeNumberCodec(FixedPointCodec):
    """Whole values."""

    def __init__(self, limits: Bounds) -> None:
        super().__init__(1, limits)

    def decode(self, integers: Ints) -> Any:
        """Return the integers as they are."""
        return integers

    def encode_column(self, values: Any) -> Ints:
        """Return the values as they are."""
        return np.asarray(values)


class FractionCodec:
    """Fractions as numerator and denominator, in lowest terms, in one integer."""

    ordered = False

    def __init__(self, bound: int) -> None:
        """Begin with the bound that no numerator and no denominator is above."""
        self.bits = bound.bit_length() + 1
        self.dtype: Any = np.int64 if 2 * self.bits < 63 else object
        self._wide: Any = np.int64 if bound < 2**62 else object

    def encode(self, value: Exact) -> int | None:
        """Return a value's pair in one integer."""
        if max(abs(value.numerator), value.denominator).bit_length() >= self.bits:
            return None
        return (value.numerator << self.bits) + value.denominator

    def encode_limits(self, limits: Bounds) -> Bounds:
        """Raise TypeError: these integers have another order than the values."""
        raise TypeError(f"pairs have no limits such as {limits}")

    def decode(self, integers: Ints) -> Any:
        """Return a column of fractions."""
        mask = (1 << self.bits) - 1
        pair = (integers >> self.bits, integers & mask)
        return Ratios(*(part.astype(self._wide, copy=False) for part in pair))

    def encode_column(self, values: Any) -> Ints:
        """Return each fraction's pair in one integer."""
        ratios: Ratios = values.reduced()
        above = np.asarray(ratios.numerators).astype(self.dtype, copy=False)
        below = np.asarray(ratios.denominators).astype(self.dtype, copy=False)
        return np.asarray((above << self.bits) + below)

    def decode_exact(self, integers: Ints) -> list[Exact]:
        """Return the values one by one."""
        mask = (1 << self.bits) - 1
        pairs = ((pair >> self.bits, pair & mask) for pair in integers.tolist())
        return [int_if_whole(Fraction(above, below)) for above, below in pairs]


class FixedPointColumn(DividesExactly):
    """A column of fractions as whole numbers of units; the right of `x` and `:` is whole.

    Whoever chooses the unit sees to it that all that comes of the column is whole in it.
    """

    __slots__ = ("unit", "units")

    def __init__(self, units: Ints, unit: int) -> None:
        self.units = units
        self.unit = unit

    @property
    def numerators(self) -> Ints:
        """The numerators, over `denominators`, not in lowest terms."""
        return self.units

    @property
    def denominators(self) -> Ints:
        """The unit, for each of them."""
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
        if isinstance(other, FixedPointColumn):
            return other.units
        if isinstance(other, int):
            return other * self.unit
        # A column of these, as wide as the units.
        return np.asarray(other, self.units.dtype) * self.unit


def codec_for(game: Game, places: Places, limits: Bounds) -> ValueCodec:
    """Return how the values of a game's rows are best written as integers."""
    if not game.fractions:
        return WholeNumberCodec(limits)
    _, *looser = game.operator_levels
    # A product of two fractions in units is none in units: all but sums have numbers on the right.
    sums = all(operator.undo is not None for level in looser for operator in level)
    if (
        sums
        and game.max_bits is None
        and all(operator.denominator_factor is not None for operator in game.row_operators)
    ):
        return FixedPointCodec(_unit_of(game, places), limits)
    largest = [max(numbers, key=abs) for numbers in _numbers_by_place(places)]
    bound = integer_bound(largest, game)
    if bound is None:
        [operator, *_] = [each.name for each in game.row_operators if each.max_growth is None]
        raise RefusedError(f"{game.name}: how large fractions grow under {operator} is not known")
    return FractionCodec(bound)


def _unit_of(game: Game, places: Places) -> int:
    """Return what every denominator divides: the product of what each place may bring in.

    In order the first place brings in nothing, since no operator stands before it.
    """
    return prod(
        operator.denominator_factor(numbers)
        for numbers in _numbers_by_place(places)[isinstance(places, InOrder) :]
        for operator in game.row_operators
        if operator.denominator_factor is not None
    )


def _numbers_by_place(places: Places) -> list[Sequence[int]]:
    if isinstance(places, InOrder):
        return [tuple(places.alone((place,))) for place in places.whole]
    return [(number,) for number in places.whole]


def _holding(limits: Bounds) -> Any:
    """Return what holds the sum of any two values within limits: 64 bits or Python's integers."""
    return np.int64 if 2 * max(map(abs, limits)) < 2**62 else object
