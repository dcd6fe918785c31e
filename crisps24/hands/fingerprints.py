"""Fingerprints: equal for equal rational functions, and for no others but by a wild chance.

A fingerprint is an expression worked out modulo the prime 2^61 - 1 on random stand-ins for the
numbers dealt, equal numbers sharing one. Two expressions that are equal as rational functions
have equal fingerprints, however they are written; two different ones of degree d agree for at
most d of the 2^61 choices of a stand-in (J. T. Schwartz, 1980; R. Zippel, 1979). Owns the
arithmetic of that field on numpy columns.
"""

from functools import lru_cache
from random import Random

import numpy as np
import numpy.typing as npt

from crisps24.notation.trees import MINUS, PLUS, Operator

Prints = npt.NDArray[np.uint64]

PRIME = 2**61 - 1

_U = np.uint64
_P = _U(PRIME)
_LOW_31, _LOW_30 = _U(2**31 - 1), _U(2**30 - 1)
_1, _30, _31, _61 = _U(1), _U(30), _U(31), _U(61)
# Columns so short that each inverse alone is less work than sharing them.
_FEW = 24


@lru_cache(maxsize=1 << 12)
def stand_in(number: int) -> int:
    """Return what stands for a number: random, and the same each time."""
    return Random(f"crisps24 {number}").randrange(2, PRIME)


def prints_of(numbers: list[int]) -> Prints:
    """Return the fingerprints of numbers as they are dealt."""
    return np.array([stand_in(number) for number in numbers], _U)


def combined(operator: Operator, left: Prints, right: Prints) -> Prints:
    """Return the fingerprints of operations; for `:`, `right` holds inverses."""
    if operator is PLUS:
        return _reduced(left + right)
    if operator is MINUS:
        return _reduced(left + (_P - right))
    return _product(left, right)


def inverses(prints: Prints) -> Prints:
    """Return 1 / x modulo the prime for each x, which is not 0.

    Two neighbours share one inversion, over and over (P. L. Montgomery, 1987): of 1 / (a b)
    are made 1 / a and 1 / b with two products.
    """
    if len(prints) <= _FEW:
        return np.array([pow(value, -1, PRIME) for value in prints.tolist()], _U)
    half = len(prints) // 2
    left, right, rest = prints[:half], prints[half : 2 * half], prints[2 * half :]
    both = inverses(_product(left, right))
    return np.concatenate((_product(both, right), _product(both, left), inverses(rest)))


def _reduced(values: Prints) -> Prints:
    # 2^61 is 1 modulo the prime: the bits above come back at the bottom.
    values = (values & _P) + (values >> _61)
    return np.where(values >= _P, values - _P, values)


def _product(left: Prints, right: Prints) -> Prints:
    """Return products modulo the prime, put together from halves of 31 bits.

    With a = a1 2^31 + a0 and b likewise, a b is a1 b1 2^62 + (a1 b0 + a0 b1) 2^31 + a0 b0, where
    2^62 counts as 2 and the middle part m 2^31 as (m >> 30) + (m mod 2^30) 2^31.
    """
    left_high, left_low = left >> _31, left & _LOW_31
    right_high, right_low = right >> _31, right & _LOW_31
    middle = left_high * right_low + left_low * right_high
    high = (left_high * right_high) << _1
    return _reduced(high + (middle >> _30) + ((middle & _LOW_30) << _31) + left_low * right_low)
