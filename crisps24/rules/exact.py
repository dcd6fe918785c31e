"""Exact values, one at a time: an int, or a Fraction if the value is not whole."""

from fractions import Fraction
from numbers import Rational
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, message

Exact = int | Fraction
# No number, target or part of one is as large as this: Python writes no more digits.
VALUE_LIMIT = 10**4000


class DividesExactly:
    """The mark of what is divided without a remainder: columns of fractions, fingerprints."""

    __slots__ = ()


_DIVIDED = (Fraction, DividesExactly)


def divide(left: Any, right: Any) -> Any:
    """Divide: whole numbers and columns of them rounding down, everything else exactly.

    >>> divide(7, 2), divide(Fraction(7), 2)
    (3, Fraction(7, 2))
    """
    return left / right if isinstance(left, _DIVIDED) else left // right


def to_exact(value: Rational | Exact) -> Exact:
    """Return a target as an int, or a Fraction where it is not whole.

    >>> to_exact(24), to_exact(Fraction(6, 8))
    (24, Fraction(3, 4))

    Raises TypeError for a float: what it stands for is not exact; ValueError for one of more than
    4,000 digits.
    """
    if type(value) is int and -VALUE_LIMIT < value < VALUE_LIMIT:
        return value
    if not isinstance(value, Rational):
        raise KindError(f"{quoted(value)} is not exact: a target is an int or a Fraction")
    above, below = int(value.numerator), int(value.denominator)
    if max(abs(above), below) >= VALUE_LIMIT:
        raise RefusedError(message("formula.number_too_long", most=Count(4000)))
    return above if below == 1 else Fraction(above, below)


def int_if_whole(value: Exact) -> Exact:
    """Return a whole fraction as an int, any other value as it is.

    >>> int_if_whole(Fraction(8, 2)), int_if_whole(Fraction(1, 2))
    (4, Fraction(1, 2))
    """
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator
