"""Fingerprints: hashes of rational functions, equal for equal functions.

A fingerprint is the value of an expression modulo the prime 2^61 - 1, with a random point in
place of each number dealt; equal numbers share a point (polynomial identity testing). If the
points of 2 and 3 are p and q, then 2 + 3 and 3 + 2 have the fingerprint p + q, but 2 x 3 has p q.
Expressions that are equal as rational functions have equal fingerprints. Two different functions
of degree d agree for at most d of the 2^61 choices of a point (J. T. Schwartz, 1980; R. Zippel,
1979), so that different functions are taken for equal with a chance of about d / 2^61.

The classes here have arithmetic operators, so that the record of an operator works on
fingerprints as on numbers. All arithmetic takes constant time for each fingerprint; an inversion
costs about three products, and is computed once for each result.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.rules.exact import DividesExactly, Exact
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Ints, exact_values

Elements = npt.NDArray[np.uint64]
"""A column of integers modulo the prime: from 0 to PRIME - 1."""

PRIME = 2**61 - 1

_U = np.uint64
_P = _U(PRIME)
_LOW_31_BITS, _LOW_30_BITS = _U(2**31 - 1), _U(2**30 - 1)
_1, _30, _31, _61 = _U(1), _U(30), _U(31), _U(61)
# Up to this length, a column is inverted faster with Python's own integers.
_MAX_ROWS_FOR_PYTHON = 64


class FingerprintColumn(DividesExactly):
    """A column of fingerprints with the arithmetic modulo the prime; no divisor can be 0.

    `inverses` returns their inverses, if these are known.
    """

    __slots__ = ("_inverses", "elements")

    def __init__(self, elements: Elements, inverses: Callable[[], Elements] | None = None) -> None:
        self.elements = elements
        self._inverses = inverses

    def __add__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_reduce(self.elements + _elements(other)))

    __radd__ = __add__

    def __sub__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_reduce(self.elements + (_P - _elements(other))))

    def __mul__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        return FingerprintColumn(_multiply(self.elements, _elements(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: "FingerprintColumn | int") -> "FingerprintColumn":
        if isinstance(other, FingerprintColumn):
            return FingerprintColumn(_multiply(self.elements, other.inverses()))
        return self * pow(other, -1, PRIME)

    def inverses(self) -> Elements:
        return inverses(self.elements) if self._inverses is None else self._inverses()


class Residue(DividesExactly):
    """One fingerprint with the same arithmetic; a divisor that is 0 raises ValueError."""

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
    """A growing column of fingerprints, with their inverses: computed once, they save 7 %."""

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        # 0 if an inverse is not computed yet.
        self._inverses = np.zeros_like(elements)

    def extend(self, elements: Elements) -> None:
        self.elements = np.concatenate((self.elements, elements))
        self._inverses = np.concatenate((self._inverses, np.zeros_like(elements)))

    def combine(self, operator: Operator, left: Ints, right: Ints, values: Column) -> Elements:
        """Return the fingerprints of the results of an operator on operands given by index."""
        # A number that is joined from digits has a fingerprint of its own.
        if operator.joins:
            return fingerprints_of(exact_values(values))
        left_operands = FingerprintColumn(self.elements[left])
        right_operands = FingerprintColumn(self.elements[right], lambda: self._inverses_at(right))
        results: FingerprintColumn = operator.arithmetic(left_operands, right_operands)
        return results.elements

    def _inverses_at(self, positions: Ints) -> Elements:
        """Return the inverse of the fingerprint at each position; none can be 0."""
        is_needed = np.zeros(len(self.elements), bool)
        is_needed[positions] = True
        missing = np.flatnonzero(is_needed & (self._inverses == 0))
        self._inverses[missing] = inverses(self.elements[missing])
        return self._inverses[positions]


# A hand of four takes 13 % longer without this cache.
@lru_cache(maxsize=1 << 12)
def evaluation_point(number: Exact) -> int:
    """Return the random point for a number dealt, the same in each process and each version."""
    return Random(f"crisps24 {number}").randrange(2, PRIME)


def fingerprints_of(numbers: Sequence[Exact]) -> Elements:
    """Return the fingerprints of numbers that are dealt or joined from digits."""
    return np.array([evaluation_point(number) for number in numbers], _U)


def inverses(elements: Elements) -> Elements:
    """Return the inverse of each integer modulo the prime; ValueError for 0.

    Numbers share an inversion in pairs (P. L. Montgomery, 1987): from y = 1 / (a b) follow 1 / a =
    y b and 1 / b = y a. So n inversions cost about 3 n products.
    """
    if len(elements) <= _MAX_ROWS_FOR_PYTHON:
        return np.array(_inverses(elements.tolist()), _U)
    half = len(elements) // 2
    left, right, unpaired = elements[:half], elements[half : 2 * half], elements[2 * half :]
    products = inverses(_multiply(left, right))
    pairs = _multiply(products, right), _multiply(products, left)
    return np.concatenate((*pairs, inverses(unpaired)))


def _inverses(numbers: list[int]) -> list[int]:
    """Return the inverses of a few numbers, from that of their product."""
    products = list(accumulate(numbers, lambda left, right: left * right % PRIME, initial=1))
    inverse_product = pow(products[-1], -1, PRIME)
    reversed_inverses = []
    for number, product_before in zip(numbers[::-1], products[-2::-1], strict=True):
        reversed_inverses.append(inverse_product * product_before % PRIME)
        inverse_product = inverse_product * number % PRIME
    return reversed_inverses[::-1]


def _elements(other: FingerprintColumn | int) -> Any:
    return other.elements if isinstance(other, FingerprintColumn) else _U(other % PRIME)


def _reduce(values: Elements) -> Elements:
    # 2^61 is 1 modulo the prime, so that the bits above the lowest 61 are added to these.
    values = (values & _P) + (values >> _61)
    # If a value is below the prime, the unsigned difference wraps around and is larger.
    np.minimum(values, values - _P, out=values)
    return values


def _multiply(left: Elements, right: Elements) -> Elements:
    """Return the products of two columns modulo the prime 2^61 - 1, in 64 bits.

    With halves of 31 bits, a b is a1 b1 2^62 + (a1 b0 + a0 b1) 2^31 + a0 b0. Modulo the prime, 2^62
    is 2, and m 2^31 is (m >> 30) + (m mod 2^30) 2^31, because 2^61 is 1.
    """
    left_high, left_low = left >> _31, left & _LOW_31_BITS
    right_high, right_low = right >> _31, right & _LOW_31_BITS
    middle = left_high * right_low + left_low * right_high
    high = (left_high * right_high) << _1
    middle = (middle >> _30) + ((middle & _LOW_30_BITS) << _31)
    return _reduce(high + middle + left_low * right_low)
