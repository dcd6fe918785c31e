"""Powers, roots and factorials: exact or None, for single values and for columns.

The size of a result is checked before it is computed. Columns are of numerators and denominators of
at most 31 bits, and so are their results.
"""

from fractions import Fraction
from math import factorial
from typing import Any

from crisps24.rules.exact import Exact

# Nothing is raised to a power above this one, and of nothing larger the factorial is taken.
MAX_EXPONENT, MAX_FACTORIAL_OPERAND = 1000, 20


def integer_root(value: int, degree: int) -> int:
    """Return the largest whole number whose power of a degree is not above a whole number.

    >>> integer_root(80, 2), integer_root(1 << 30, 3)
    (8, 1024)
    """
    low, high = 0, 1 << -(-value.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low


def exact_root(value: Exact, degree: int) -> Fraction | None:
    """Return a root where it is exact; None where it is not, and of what is below zero.

    >>> exact_root(Fraction(8, 27), 3), exact_root(2, 2), exact_root(-1, 3)
    (Fraction(2, 3), None, None)
    """
    if value < 0:
        return None
    if degree >= max(value.numerator, value.denominator).bit_length():
        return Fraction(value) if value in (0, 1) else None
    above, below = (integer_root(part, degree) for part in (value.numerator, value.denominator))
    exact_root = above**degree == value.numerator and below**degree == value.denominator
    return Fraction(above, below) if exact_root else None


def is_small_power(left: Exact, right: Exact, longest: int | None) -> bool:
    """Return whether a power may have at most so many bits, so that it can be worked out."""
    size = max(abs(left.numerator), left.denominator).bit_length() - 1
    times = abs(right.numerator) // right.denominator
    return times <= MAX_EXPONENT and (longest is None or size * times < longest)


def exact_power(left: Exact, right: Exact) -> Exact | None:
    """Return a power where it is exact; there is no 0 to the power of 0."""
    base = exact_root(left, right.denominator) if right.denominator > 1 else Fraction(left)
    if base is None or (base == 0 and right <= 0):
        return None
    return base**right.numerator


def exact_powers(a: Any, b: Any, c: Any, d: Any, most: int) -> tuple[Any, Any, Any]:
    """Return where columns of fractions have exact powers that may be short enough, and these."""
    import numpy as np

    times, size = abs(c) // d, np.maximum(abs(a), b)
    # The largest whole number whose power of so many times is short enough: of 0 times any one, of
    # more times than there are bits 1.
    longest = most.bit_length()
    bases = np.array([1 << 62, *(integer_root(most, power) for power in range(1, longest + 1)), 1])
    short = size <= bases[np.minimum(times, longest + 1)]
    short &= (times <= MAX_EXPONENT) & ((d < 32) | (size == 1)) & ((a != 0) | (c > 0))
    short &= (d == 1) | (a >= 0)
    rows = short.nonzero()[0]
    a, b, c, d = (part[rows] for part in (a, b, c, d))
    rooted = (d > 1).nonzero()[0]
    exact = np.ones(len(rows), bool)
    for part in (a, b):
        roots = _roots(part[rooted], d[rooted])
        exact[rooted] &= _raised(roots, d[rooted]) == part[rooted]
        part[rooted] = roots
    rows, a, b, c = (part[exact] for part in (rows, a, b, c))
    above, below = _raised(a, abs(c)), _raised(b, abs(c))
    signs = np.sign(above)
    return rows, np.where(c < 0, signs * below, above), np.where(c < 0, abs(above), below)


def exact_square_roots(_a: Any, _b: Any, c: Any, d: Any, _most: int) -> tuple[Any, Any, Any]:
    """Return where columns of fractions have exact square roots, and these."""
    above, below = _roots(c, 2), _roots(d, 2)
    [rows] = ((above * above == c) & (below * below == d)).nonzero()
    return rows, above[rows], below[rows]


def exact_factorials(a: Any, b: Any, _c: Any, _d: Any, _most: int) -> tuple[Any, Any, Any]:
    """Return where columns of fractions have factorials that are worked out, and these."""
    import numpy as np

    [rows] = ((b == 1) & (a >= 0) & (a <= MAX_FACTORIAL_OPERAND)).nonzero()
    every = np.array([factorial(value) for value in range(MAX_FACTORIAL_OPERAND + 1)])
    return rows, every[a[rows]], b[rows]


def _roots(values: Any, degrees: Any) -> Any:
    """Return the whole numbers that are nearest to roots of some below 2^31, 0 of negative ones."""
    import numpy as np

    return np.rint(np.maximum(values, 0) ** (1 / degrees)).astype(np.int64)


def _raised(values: Any, times: Any) -> Any:
    """Return powers that 64 bits hold, or that of -1, 0 and 1 any number of times above 0."""
    import numpy as np

    return values ** np.where(abs(values) > 1, times, 2 - times % 2)
