"""What is too much work, in one measure and one sentence: pairs of values that meet.

Owns the limits where nobody names one, and how what is more is refused. What an ask looks at, those
say who do it, before they begin.
"""

from typing import Any

from crisps24.errors import KindError, RefusedError, quoted

# Pairs of values that may be looked at where nothing else is asked for: some minutes.
MOST_WORK = 5_000_000_000
# And where an answer has seconds: for a page, and to prove a claim of whoever is judged.
QUICK_WORK = 20_000_000


def check_limit(work: Any) -> None:
    """Raise TypeError for what is no limit of work: a number is, or None for none."""
    if not isinstance(work, int | float | None):
        raise KindError(f"{quoted(work)} is no limit of work: a whole number is, or None for none")


def too_much(
    doing: str, pairs: float, work: float, fits: str, anyway: str, *, of: str = "values"
) -> RefusedError:
    """Return the error that refuses so many pairs, of values or others, and says what would fit.

    >>> print(too_much("counting 50 numbers", 1e20, 10, "5 numbers", "counts"))
    counting 50 numbers would look at about 10^20 pairs of values, and 10 are the limit: \
5 numbers would fit (--work none counts all the same)
    """
    return RefusedError(
        f"{doing} would look at about {_rounded(pairs)} pairs of {of}, and {work:,} are the "
        f"limit: {what_fits(fits, anyway)}"
    )


def what_fits(fits: str, anyway: str) -> str:
    """Say what is not too much, and how the rest is done all the same."""
    return f"{fits} would fit (--work none {anyway} all the same)"


def _rounded(pairs: float) -> str:
    if pairs < 10**15:
        return f"{int(pairs):,}"
    digits = len(str(int(min(pairs, 1e300)))) - 1
    return f"10^{digits}"


def weight_of(paired: bool, long: bool) -> int:
    """Return how many times as long a pair takes as sums of 64 bits do.

    That is of fractions in pairs, of Python's own integers, and of both.
    """
    return _WEIGHTS[paired, long]


_WEIGHTS = {(False, False): 1, (True, False): 6, (False, True): 10, (True, True): 400}
