"""Powers, roots and factorials: exact or None, for single values and for columns.

A power of fractions is a root and an integer power: (8/27)^(2/3) is the third root of 8/27, which
is 2/3, squared. The result is exact only if that root is: 2^(1/2) has none. The size of a result is
checked before it is computed.

The functions of columns take the numerators and denominators a/b of left and c/d of right operands,
in lowest terms and below 2^31, and the largest integer of a result. They return the rows that have
an exact result which is not too large, ascending, with its numerators and denominators. The same
five arguments are those of all `Operator.column_arithmetic`.
"""

from fractions import Fraction
from math import factorial
from typing import Any

from crisps24.rules.exact import Exact

MAX_EXPONENT = 1000
MAX_FACTORIAL_OPERAND = 20


def integer_root(value: int, degree: int) -> int:
    """Return the root of a whole number, rounded down; `degree` is 2 for the square root."""
    # A binary search: the root is from `low` to `high`. A value of 30 bits has a third root of at
    # most 10 bits; `bits` is rounded up.
    bits = -(-value.bit_length() // degree)
    low, high = 0, 1 << bits
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= value:
            low = middle
        else:
            high = middle - 1
    return low


def exact_root(value: Exact, degree: int) -> Fraction | None:
    """Return the root of a value that is not negative, or None if it is irrational."""
    if value < 0:
        return None
    if degree >= max(value.numerator, value.denominator).bit_length():
        # 2^degree is larger than both integers, so only 0 and 1 have whole roots.
        return Fraction(value) if value in (0, 1) else None
    numerator = integer_root(value.numerator, degree)
    denominator = integer_root(value.denominator, degree)
    is_exact = numerator**degree == value.numerator and denominator**degree == value.denominator
    return Fraction(numerator, denominator) if is_exact else None


def is_small_power(base: Exact, exponent: Exact, max_bits: int | None) -> bool:
    """Return whether a power has a small exponent, and perhaps less than `max_bits` bits."""
    log2_base = max(abs(base.numerator), base.denominator).bit_length() - 1
    whole_exponent = abs(exponent.numerator) // exponent.denominator
    if whole_exponent > MAX_EXPONENT:
        return False
    return max_bits is None or log2_base * whole_exponent < max_bits


def exact_power(base: Exact, exponent: Exact) -> Exact | None:
    """Return a power of any size, or None if it is irrational, 0^0, 0^-1, or a root below zero."""
    has_root = exponent.denominator > 1
    root = exact_root(base, exponent.denominator) if has_root else Fraction(base)
    if root is None or (root == 0 and exponent <= 0):
        return None
    return root**exponent.numerator


def exact_powers(a: Any, b: Any, c: Any, d: Any, largest: int) -> tuple[Any, Any, Any]:
    """Compute powers (a/b)^(c/d).

    The check of the size rounds c/d down, so a power with a fractional exponent can be larger.
    """
    import numpy as np

    exponents, base_sizes = abs(c) // d, np.maximum(abs(a), b)
    # max_bases[n] is the largest base whose n-th power is at most `largest`. The power 0 takes any
    # base. An exponent above the number of bits, which has the last entry, only takes 1.
    bits = largest.bit_length()
    roots_of_largest = [integer_root(largest, power) for power in range(1, bits + 1)]
    max_bases = np.array([1 << 62, *roots_of_largest, 1], np.int64)
    # Leave out the powers that are too large, 0^0, and roots of negative numbers.
    computable = base_sizes <= max_bases[np.minimum(exponents, bits + 1)]
    computable &= (exponents <= MAX_EXPONENT) & ((d < 32) | (base_sizes == 1))
    computable &= (a != 0) | (c > 0)
    computable &= (d == 1) | (a >= 0)
    [rows] = computable.nonzero()
    numerators, denominators, exponents, degrees = (integers[rows] for integers in (a, b, c, d))
    # A fractional exponent is a root of that degree, which must be exact, and a whole exponent.
    [fractional] = (degrees > 1).nonzero()
    degrees = degrees[fractional]
    is_exact = np.ones(len(rows), bool)
    for integers in (numerators, denominators):
        roots = _nearest_roots(integers[fractional], degrees)
        is_exact[fractional] &= _integer_powers(roots, degrees) == integers[fractional]
        integers[fractional] = roots
    exponents = exponents[is_exact]
    tops = _integer_powers(numerators[is_exact], abs(exponents))
    bottoms = _integer_powers(denominators[is_exact], abs(exponents))
    # A negative exponent swaps both; the sign stays with the numerator.
    is_swapped = exponents < 0
    return (
        rows[is_exact],
        np.where(is_swapped, np.sign(tops) * bottoms, tops),
        np.where(is_swapped, abs(tops), bottoms),
    )


def exact_square_roots(_a: Any, _b: Any, c: Any, d: Any, _largest: int) -> tuple[Any, Any, Any]:
    """Compute the square roots of c/d."""
    numerators, denominators = _nearest_roots(c, 2), _nearest_roots(d, 2)
    is_exact = (numerators * numerators == c) & (denominators * denominators == d)
    [rows] = is_exact.nonzero()
    return rows, numerators[rows], denominators[rows]


def exact_factorials(a: Any, b: Any, _c: Any, _d: Any, _largest: int) -> tuple[Any, Any, Any]:
    """Compute the factorials of a/b, from 0 to 20."""
    import numpy as np

    [rows] = ((b == 1) & (a >= 0) & (a <= MAX_FACTORIAL_OPERAND)).nonzero()
    factorials = np.array([*map(factorial, range(MAX_FACTORIAL_OPERAND + 1))], np.int64)
    return rows, factorials[a[rows]], b[rows]


def _nearest_roots(values: Any, degrees: Any) -> Any:
    """Return the roots of ints below 2^31, rounded to whole numbers; 0 for negative ones."""
    import numpy as np

    return np.rint(np.maximum(values, 0) ** (1 / degrees)).astype(np.int64)


def _integer_powers(values: Any, exponents: Any) -> Any:
    """Return powers of arrays of ints, for exponents that are not negative."""
    import numpy as np

    # Smaller exponents give the same powers of -1, 0 and 1 faster.
    return values ** np.where(abs(values) > 1, exponents, 2 - exponents % 2)
