"""Fingerprints: equal for equal rational functions, and for no others but by a wild chance.

A fingerprint is an expression worked out modulo the prime 2^61 - 1 on random stand-ins for the
numbers dealt, equal numbers sharing one. Two expressions that are equal as rational functions
have equal fingerprints, however they are written; two different ones of degree d agree for at
most d of the 2^61 choices of a stand-in (J. T. Schwartz, 1980; R. Zippel, 1979). Owns the
arithmetic of that field on numpy columns; what an operator does to them is its record's.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.rules.exact import DividesExactly
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Ints, exact_values

Elements = npt.NDArray[np.uint64]

PRIME = 2**61 - 1

_U = np.uint64
_P = _U(PRIME)
_LOW_31, _LOW_30 = _U(2**31 - 1), _U(2**30 - 1)
_1, _30, _31, _61 = _U(1), _U(30), _U(31), _U(61)
# Columns so short that Python's own integers are less work.
_FEW = 64


class FingerprintColumn(DividesExactly):
    """A column of fingerprints, so that the arithmetic of an operator works on them as well.

    `inverses` may give their inverses, for one who knows them already; it is asked where
    something is divided by them.

    >>> dealt = FingerprintColumn(fingerprints_of([2, 3]))
    >>> bool((((dealt + dealt) / 2 - dealt).elements == 0).all())
    True
    """

    __slots__ = ("_inverses", "elements")

    def __init__(self, elements: Elements, inverses: Callable[[], Elements] | None = None) -> None:
        self.elements = elements
        self._inverses = inverses

    def __add__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_reduced(self.elements + _elements(other)))

    __radd__ = __add__

    def __sub__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_reduced(self.elements + (_P - _elements(other))))

    def __mul__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_product(self.elements, _elements(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        if isinstance(other, FingerprintColumn):
            return FingerprintColumn(_product(self.elements, other.inverses()))
        return self * pow(other, -1, PRIME)

    def inverses(self) -> Elements:
        """Return 1 / x for each of them; none may be 0."""
        return inverses(self.elements) if self._inverses is None else self._inverses()


class Residue(DividesExactly):
    """One fingerprint, so that the arithmetic of an operator works on it as well.

    >>> two, three = Residue(2), Residue(3)
    >>> ((three * two - two) / two).number
    2
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number % PRIME

    def __add__(self, other: "Residue | int") -> "Residue":
        return Residue(self.number + _number(other))

    __radd__ = __add__

    def __sub__(self, other: "Residue | int") -> "Residue":
        return Residue(self.number - _number(other))

    def __mul__(self, other: "Residue | int") -> "Residue":
        return Residue(self.number * _number(other))

    __rmul__ = __mul__

    def __truediv__(self, other: "Residue | int") -> "Residue":
        return Residue(self.number * pow(_number(other), -1, PRIME))


def _number(other: "Residue | int") -> int:
    return other.number if isinstance(other, Residue) else other


class FingerprintTable:
    """The fingerprints of results that stand at places, each inverse worked out once."""

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self._inverses = np.zeros_like(elements)

    def add(self, elements: Elements) -> None:
        """Put more of them after the last."""
        self.elements = np.concatenate((self.elements, elements))
        self._inverses = np.concatenate((self._inverses, np.zeros_like(elements)))

    def made(self, operator: Operator, left: Ints, right: Ints, values: Column) -> Elements:
        """Return the fingerprints of the values that an operator makes of pairs of places."""
        if operator.joins:
            # A joined number is a number of its own.
            return fingerprints_of([int(value) for value in exact_values(values)])
        rights = FingerprintColumn(self.elements[right], lambda: self._inverses_at(right))
        made: FingerprintColumn = operator.arithmetic(
            FingerprintColumn(self.elements[left]), rights
        )
        return made.elements

    def _inverses_at(self, places: Ints) -> Elements:
        wanted = np.zeros(len(self.elements), bool)
        wanted[places] = True
        wanted = np.flatnonzero(wanted & (self._inverses == 0))
        self._inverses[wanted] = inverses(self.elements[wanted])
        return self._inverses[places]


@lru_cache(maxsize=1 << 12)
def evaluation_point(number: int) -> int:
    """Return what stands for a number: random, and the same each time."""
    return Random(f"crisps24 {number}").randrange(2, PRIME)


def fingerprints_of(numbers: Sequence[int]) -> Elements:
    """Return the fingerprints of numbers as they are dealt, or joined of digits."""
    return np.array([evaluation_point(number) for number in numbers], _U)


def inverses(prints: Elements) -> Elements:
    """Return 1 / x modulo the prime for each x, which is not 0.

    Two neighbours share one inversion, over and over (P. L. Montgomery, 1987): of 1 / (a b)
    are made 1 / a and 1 / b with two products.
    """
    if len(prints) <= _FEW:
        return np.array(_inverses(prints.tolist()), _U)
    half = len(prints) // 2
    left, right, rest = prints[:half], prints[half : 2 * half], prints[2 * half :]
    both = inverses(_product(left, right))
    return np.concatenate((_product(both, right), _product(both, left), inverses(rest)))


def _inverses(values: list[int]) -> list[int]:
    """Return 1 / x for a few integers x, all with one inversion, in the same way."""
    products = list(accumulate(values, lambda left, right: left * right % PRIME, initial=1))
    inverse = pow(products[-1], -1, PRIME)
    found = []
    for value, before in zip(values[::-1], products[-2::-1], strict=True):
        found.append(inverse * before % PRIME)
        inverse = inverse * value % PRIME
    return found[::-1]


def _elements(other: FingerprintColumn | int) -> Any:
    return other.elements if isinstance(other, FingerprintColumn) else _U(other % PRIME)


def _reduced(values: Elements) -> Elements:
    # 2^61 is 1 modulo the prime: the bits above come back at the bottom.
    values = (values & _P) + (values >> _61)
    # Of what is below the prime the difference wraps round, and is larger.
    np.minimum(values, values - _P, out=values)
    return values


def _product(left: Elements, right: Elements) -> Elements:
    """Return products modulo the prime, put together from halves of 31 bits.

    With a = a1 2^31 + a0 and b likewise, a b is a1 b1 2^62 + (a1 b0 + a0 b1) 2^31 + a0 b0, where
    2^62 counts as 2 and the middle part m 2^31 as (m >> 30) + (m mod 2^30) 2^31.
    """
    left_high, left_low = left >> _31, left & _LOW_31
    right_high, right_low = right >> _31, right & _LOW_31
    middle = left_high * right_low + left_low * right_high
    high = (left_high * right_high) << _1
    return _reduced(high + (middle >> _30) + ((middle & _LOW_30) << _31) + left_low * right_low)
