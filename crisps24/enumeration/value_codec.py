"""Encodings of values as integers, so that tables can sort and match exact values.

Equal values have equal codes. `WholeNumberCodec` leaves whole numbers as they are. `FractionCodec`
packs the numerator and the denominator, in lowest terms, into one integer: with 8 bits for the
denominator, the code of 3/4 is 3 << 8 | 4. Codes have 64 bits if all codes of a game fit, else they
are Python integers.
"""

from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from crisps24.enumeration.places import InOrder, Places
from crisps24.errors import RefusedError
from crisps24.rules.exact import Exact, int_if_whole
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

    def decode(self, codes: Ints) -> Any:
        """Return an array of values that operators can compute with, from their codes."""

    def encode_column(self, values: Any) -> Ints:
        """Return the codes of an array of values that operators have computed."""

    def decode_exact(self, codes: Ints) -> list[Exact]:
        """Return the values as ints and Fractions."""


class WholeNumberCodec:
    """Whole numbers, which are their own codes."""

    ordered = True

    def __init__(self, bounds: Bounds) -> None:
        # Sums of two values within the bounds must fit, too.
        self.dtype: Any = np.int64 if 2 * max(map(abs, bounds)) < 2**62 else object

    def encode(self, value: Exact) -> int | None:
        return value.numerator if value.denominator == 1 else None

    def decode(self, codes: Ints) -> Any:
        return codes

    def encode_column(self, values: Any) -> Ints:
        return np.asarray(values)

    def decode_exact(self, codes: Ints) -> list[Exact]:
        return list(codes.tolist())


class FractionCodec:
    """Fractions in lowest terms, as numerator << `bits` plus denominator."""

    ordered = False

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


def codec_for(game: Game, places: Places, bounds: Bounds) -> ValueCodec:
    """Return the fastest encoding of the values of a game's rows, which are within bounds."""
    if not game.fractions:
        return WholeNumberCodec(bounds)
    if isinstance(places, InOrder):
        largest = [max(places.number_codes((place,)), key=abs) for place in places.row]
    else:
        largest = [*places.row]
    bound = integer_bound(largest, game)
    if bound is None:
        unbounded = [
            operator.name for operator in game.row_operators if operator.max_growth is None
        ]
        reason = f"how large fractions grow under {unbounded[0]} is not known"
        raise RefusedError(f"{game.name}: {reason}")
    return FractionCodec(bound)
