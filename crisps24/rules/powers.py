"""Powers, roots and factorials: exact or None, for single values and for columns.

A power of fractions is a root and an integer power: (8/27)^(2/3) is the third root of 8/27, which
is 2/3, squared. The result is exact only if that root is: 2^(1/2) has none. The size of a result is
checked before it is computed. A column of fractions is two numpy columns, numerators a and
denominators b, in lowest terms and below 2^31; c and d are those of the right operand.
"""

from fractions import Fraction
from math import factorial
from typing import Any

from crisps24.rules.exact import Exact

MAX_EXPONENT = 1000
MAX_FACTORIAL_OPERAND = 20


def integer_root(value: int, degree: int) -> int:
    """Return the root of a whole number, rounded down to a whole number.

    `value` is at least 0. `degree` is at least 1: 2 for the square root, 3 for the third root.

    >>> integer_root(80, 2), integer_root(1 << 30, 3)
    (8, 1024)
    """
    low, high = 0, 1 << -(-value.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low


def exact_root(value: Exact, degree: int) -> Fraction | None:
    """Return the root of an int or a fraction, or None if the root is not a fraction.

    `degree` is 2 for the square root, 3 for the third root. Negative values have no root here.

    >>> exact_root(Fraction(8, 27), 3), exact_root(2, 2), exact_root(-1, 3)
    (Fraction(2, 3), None, None)
    """
    if value < 0:
        return None
    if degree >= max(value.numerator, value.denominator).bit_length():
        return Fraction(value) if value in (0, 1) else None
    above, below = (integer_root(part, degree) for part in (value.numerator, value.denominator))
    is_exact = above**degree == value.numerator and below**degree == value.denominator
    return Fraction(above, below) if is_exact else None


def is_small_power(base: Exact, exponent: Exact, max_bits: int | None) -> bool:
    """Return whether a power is small enough to compute.

    The exponent is at most 1,000 and a lower bound of the length of the result is below `max_bits`
    (None: no limit). The result itself can still have more bits.
    """
    log2_base = max(abs(base.numerator), base.denominator).bit_length() - 1
    times = abs(exponent.numerator) // exponent.denominator
    return times <= MAX_EXPONENT and (max_bits is None or log2_base * times < max_bits)


def exact_power(base: Exact, exponent: Exact) -> Exact | None:
    """Return a power as a Fraction, or None if it is not exact.

    None stands for an irrational power, a root of a negative base, 0^0, and 0 to a negative
    exponent. The size of the result is not limited: check it before by `is_small_power`.

    >>> exact_power(Fraction(8, 27), Fraction(2, 3)), exact_power(0, 0)
    (Fraction(4, 9), None)
    """
    root = exact_root(base, exponent.denominator) if exponent.denominator > 1 else Fraction(base)
    if root is None or (root == 0 and exponent <= 0):
        return None
    return root**exponent.numerator


def exact_powers(a: Any, b: Any, c: Any, d: Any, largest: int) -> tuple[Any, Any, Any]:
    """Compute the powers (a/b)^(c/d) of four arrays of integers, if they are exact and small.

    Returns (rows, numerators, denominators). `rows` are the indices, ascending, of the powers that
    are rational numbers and small enough; the other powers are left out. A power is too large if a
    numerator or denominator is above `largest`, which is below 2^31, or if its exponent is above
    1,000. This check rounds c/d down, so a power with a fractional exponent can still be larger.

    Of (8/27)^(2/3), 2^(1/2) and 2^(-3) the first and the third are exact, 4/9 and 1/8:

    >>> import numpy as np
    >>> columns = map(np.array, ([8, 2, 2], [27, 1, 1], [2, 1, -3], [3, 2, 1]))
    >>> [part.tolist() for part in exact_powers(*columns, 1000)]
    [[0, 2], [4, 1], [9, 8]]
    """
    import numpy as np

    # Leave out the powers that are too large, or have no value: 0^0, or a root below zero.
    times, size = abs(c) // d, np.maximum(abs(a), b)
    # The largest base for each exponent: for exponent 0 any, above the number of bits only 1.
    bits = largest.bit_length()
    bases = np.array([1 << 62, *(integer_root(largest, power) for power in range(1, bits + 1)), 1])
    computable = size <= bases[np.minimum(times, bits + 1)]
    computable &= (times <= MAX_EXPONENT) & ((d < 32) | (size == 1)) & ((a != 0) | (c > 0))
    computable &= (d == 1) | (a >= 0)
    rows = computable.nonzero()[0]
    a, b, c, d = (part[rows] for part in (a, b, c, d))
    # A fractional exponent c/d: replace a/b by its root of degree d, and leave out inexact roots.
    with_root = (d > 1).nonzero()[0]
    is_exact = np.ones(len(rows), bool)
    for part in (a, b):
        roots = _nearest_roots(part[with_root], d[with_root])
        is_exact[with_root] &= _integer_powers(roots, d[with_root]) == part[with_root]
        part[with_root] = roots
    rows, a, b, c = (part[is_exact] for part in (rows, a, b, c))
    # A negative exponent swaps the numerator and the denominator; the sign stays above.
    above, below = _integer_powers(a, abs(c)), _integer_powers(b, abs(c))
    signs = np.sign(above)
    return rows, np.where(c < 0, signs * below, above), np.where(c < 0, abs(above), below)


def exact_square_roots(_a: Any, _b: Any, c: Any, d: Any, _largest: int) -> tuple[Any, Any, Any]:
    """Return (rows, numerators, denominators) of the square roots of c/d, like `exact_powers`."""
    above, below = _nearest_roots(c, 2), _nearest_roots(d, 2)
    [rows] = ((above * above == c) & (below * below == d)).nonzero()
    return rows, above[rows], below[rows]


def exact_factorials(a: Any, b: Any, _c: Any, _d: Any, _largest: int) -> tuple[Any, Any, Any]:
    """Return (rows, numerators, denominators) of the factorials of the whole a/b from 0 to 20."""
    import numpy as np

    [rows] = ((b == 1) & (a >= 0) & (a <= MAX_FACTORIAL_OPERAND)).nonzero()
    factorials = np.array([factorial(value) for value in range(MAX_FACTORIAL_OPERAND + 1)])
    return rows, factorials[a[rows]], b[rows]


def _nearest_roots(values: Any, degrees: Any) -> Any:
    """Return the roots of ints below 2^31 rounded to whole numbers; 0 for negative ints."""
    import numpy as np

    return np.rint(np.maximum(values, 0) ** (1 / degrees)).astype(np.int64)


def _integer_powers(values: Any, exponents: Any) -> Any:
    """Return powers of ints; the exponents of -1, 0 and 1 are reduced to 1 or 2."""
    import numpy as np

    return values ** np.where(abs(values) > 1, exponents, 2 - exponents % 2)
