"""Exact values, one at a time: an int, or a Fraction if the value is not whole.

Columns of exact values are in `ratios`.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, TypeGuard

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, message

Exact = int | Fraction
# Numbers, targets and their numerators and denominators stay below this limit, since Python
# converts integers of at most 4,300 digits to text.
_MAX_DIGITS = 4000
VALUE_LIMIT = 10**_MAX_DIGITS


class DividesExactly:
    """A base class for columns whose `/` is exact: fractions, and their hashes (fingerprints)."""

    __slots__ = ()


_EXACT_DIVISION = (Fraction, DividesExactly)


def divide(left: Any, right: Any) -> Any:
    """Return a quotient: rounded down for ints and arrays of ints, exact for all other values."""
    return left / right if isinstance(left, _EXACT_DIVISION) else left // right


def to_exact(value: Rational | Decimal | Exact) -> Exact:
    """Return a rational number of any type as an int, or as a Fraction if it is not whole.

    Raises KindError for any other value, such as a float.
    """
    if type(value) is int and -VALUE_LIMIT < value < VALUE_LIMIT:
        return value
    if isinstance(value, Decimal) and value.is_finite():
        # A short text can be a long number: 1E+1000000.
        exponent = value.as_tuple().exponent
        if max(abs(value.adjusted()), abs(int(exponent))) >= _MAX_DIGITS:
            raise RefusedError(message("formula.number_too_long", most=Count(_MAX_DIGITS)))
        value = Fraction(value)
    if not isinstance(value, Rational) or isinstance(value, bool):
        raise KindError(f"{quoted(value)} is not exact (expected an int or a Fraction)")
    numerator, denominator = int(value.numerator), int(value.denominator)
    if max(abs(numerator), denominator) >= VALUE_LIMIT:
        raise RefusedError(message("formula.number_too_long", most=Count(_MAX_DIGITS)))
    return numerator if denominator == 1 else Fraction(numerator, denominator)


def check_number(value: Any, least: int = -(10**9)) -> None:
    """Raise KindError unless a value is a number from `least` to 10^9; True and NaN are not."""
    is_number = isinstance(value, int | float | Real) and not isinstance(value, bool)
    if not (is_number and least <= value <= 10**9):
        raise KindError(f"invalid number {quoted(value)} (expected one from {least:,} to 10^9)")


def is_row(values: object) -> TypeGuard[Iterable[Any]]:
    """Return whether values can be the numbers of a row: they are not bytes or a mapping."""
    return isinstance(values, Iterable) and not isinstance(values, Mapping | bytes | bytearray)


def to_json(value: Exact | None) -> int | str | None:
    """Return a value as JSON has it: a fraction is a text."""
    return str(value) if isinstance(value, Fraction) else value


def size_of(value: Exact) -> int:
    """Return the larger of the numerator, without its sign, and the denominator."""
    return max(abs(value.numerator), value.denominator)


def has_fractions(numbers: Iterable[Exact]) -> bool:
    """Return whether one of the numbers is not whole."""
    return not all(isinstance(number, int) for number in numbers)


def whole_numbers(numbers: Iterable[Exact]) -> tuple[int, ...]:
    """Return numbers as a tuple of ints; raise RefusedError for one that is not whole."""
    whole = []
    for number in numbers:
        if not isinstance(number, int):
            raise RefusedError(message("hand.number", text=str(number)))
        whole.append(number)
    return tuple(whole)


def int_if_whole(value: Exact) -> Exact:
    """Return a Fraction with denominator 1 as an int, and all other values unchanged."""
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator
