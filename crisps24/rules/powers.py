"""Powers, roots and factorials: exact or none, and never longer than can be worked out.

What would be longer is known before it is worked out. Each has a sieve besides, which leaves out of
columns of numerators and denominators what cannot be legal. Owns this arithmetic, and knows no
operator and no game.
"""

from fractions import Fraction
from typing import Any

from crisps24.rules.exact import Exact

# Nothing is raised to a power above this one, and of nothing larger the factorial is taken.
MOST_POWER, MOST_FACTORIAL = 1000, 20


def root_below(value: int, degree: int) -> int:
    """Return the largest whole number whose power of a degree is not above a whole number.

    >>> root_below(80, 2), root_below(1 << 30, 3)
    (8, 1024)
    """
    low, high = 0, 1 << -(-value.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low


def root(value: Exact, degree: int) -> Fraction | None:
    """Return a root where it is exact; None where it is not, and of what is below zero.

    >>> root(Fraction(8, 27), 3), root(2, 2), root(-1, 3)
    (Fraction(2, 3), None, None)
    """
    if value < 0:
        return None
    if degree >= max(value.numerator, value.denominator).bit_length():
        return Fraction(value) if value in (0, 1) else None
    above, below = (root_below(part, degree) for part in (value.numerator, value.denominator))
    exact_root = above**degree == value.numerator and below**degree == value.denominator
    return Fraction(above, below) if exact_root else None


def is_small_power(left: Exact, right: Exact, longest: int | None) -> bool:
    """Return whether a power may have at most so many bits, so that it can be worked out."""
    size = max(abs(left.numerator), left.denominator).bit_length() - 1
    times = abs(right.numerator) // right.denominator
    return times <= MOST_POWER and (longest is None or size * times < longest)


def power_of(left: Exact, right: Exact) -> Exact | None:
    """Return a power where it is exact; there is no 0 to the power of 0."""
    base = root(left, right.denominator) if right.denominator > 1 else Fraction(left)
    if base is None or (base == 0 and right <= 0):
        return None
    return base**right.numerator


def sift_powers(a: Any, b: Any, c: Any, d: Any, most: int) -> Any:
    """Leave out powers that are too long, in whole numbers alone, and what has no root."""
    import numpy as np

    times, size = abs(c) // d, np.maximum(abs(a), b)
    # The largest whole number whose power of so many times is short enough: of 0 times any, of
    # more times than there are bits 1.
    longest = most.bit_length()
    bases = np.array([most, *(root_below(most, power) for power in range(1, longest + 1)), 1])
    short = size <= bases[np.minimum(times, longest + 1)]
    short &= (times <= MOST_POWER) & ((d <= longest) | (size == 1))
    rooted = (short & (d > 1)).nonzero()[0]
    a, b, d = a[rooted], b[rooted], d[rooted]
    short[rooted] = (a >= 0) & _are_powers(a, d, most) & _are_powers(b, d, most)
    return short


def _are_powers(values: Any, degrees: Any, most: int) -> Any:
    """Return where whole numbers are powers of degrees: floats hold the roots of 31 bits."""
    import numpy as np

    if most >= 1 << 31:
        return np.ones(len(values), bool)
    roots = np.rint(np.maximum(values, 0) ** (1 / degrees)).astype(np.int64)
    # Of a large degree 0 and 1 alone are powers: what is raised to it is no larger than that.
    return roots ** np.where(roots > 1, degrees, 1) == values


def sift_roots(_a: Any, _b: Any, c: Any, d: Any, most: int) -> Any:
    """Leave out what is no square."""
    return _are_powers(c, 2, most) & _are_powers(d, 2, most)


def sift_factorials(a: Any, b: Any, _c: Any, _d: Any, _most: int) -> Any:
    """Leave out what has no factorial that is worked out."""
    return (b == 1) & (a >= 0) & (a <= MOST_FACTORIAL)
