"""The limits of a search: pairs of values computed, and bytes kept.

A search is refused in one sentence, by a forecast before it starts or by its budget while it runs.
Owns the limits, the sentence, and the budget that every engine reports to. The forecasts are in
`solving.work` and `enumeration.work`.
"""

from collections.abc import Callable
from math import ceil
from typing import Any, NoReturn

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, Message, Tenths, message

# Pairs of values that a search can compute by default: some minutes.
DEFAULT_WORK = 5_000_000_000
# The same if an answer is due within seconds: for a page, and to prove a claim that is judged.
QUICK_WORK = 20_000_000
# Bytes of memory of all processes of a call.
MAX_MEMORY = 2_000_000_000
# Bytes of memory that Python and numpy take.
_PROGRAM = 200_000_000
_GIGABYTE = 1_000_000_000
# The key of the text that commands print: the reason, and what only a command can do about it.
_ADVICE = "advice.work"
_FEWER = message("work.fewer")
# Bytes that a search can keep.
MAX_TABLE_BYTES = MAX_MEMORY - _PROGRAM


def check_work_limit(work: Any) -> None:
    """Raise TypeError unless the limit of a search is a number, or None for no limit."""
    if not isinstance(work, int | float | None):
        raise KindError(f"{quoted(work)} is no limit of work: a whole number is, or None for none")


def too_many_pairs(
    search: Message | str, pairs: float, work: float, fits: Message | str
) -> RefusedError:
    """Return the error that refuses a search of so many pairs; `fits` is a search that fits.

    >>> search = message("work.reach", count=50)
    >>> print(too_many_pairs(search, 1e20, 10, message("rules.count", count=5)))
    finding all results of 50 numbers needs about 10^20 pairs of values (limit 10): 5 numbers \
would fit, or add --work none
    """
    values = {"search": search, "pairs": _rounded(pairs), "limit": Count(work), "fits": fits}
    return RefusedError(message("work.pairs", **values), _ADVICE)


def too_many_bytes(search: Message | str, kept: float, fits: Message | str) -> RefusedError:
    """Return the error that refuses a search that keeps so many bytes; `fits` is one that fits.

    >>> search = message("work.solve", count=17)
    >>> error = too_many_bytes(search, MAX_TABLE_BYTES + 1, message("rules.count", count=16))
    >>> error.reason
    'solving 17 numbers needs about 2.1 GB of memory (limit 2 GB): 16 numbers would fit'
    """
    size = Tenths(ceil((kept + _PROGRAM) / 1e8) / 10)
    values = {"search": search, "size": size, "limit": MAX_MEMORY // _GIGABYTE, "fits": fits}
    return RefusedError(message("work.memory", **values), _ADVICE)


def _rounded(pairs: float) -> Count | str:
    if pairs < 10**15:
        return Count(pairs)
    digits = len(str(int(min(pairs, 1e300)))) - 1
    return f"10^{digits}"


class Budget:
    """Counts the pairs that a search computes and the bytes that it keeps, and enforces limits.

    A search has one budget for all its tables. A table made without one gets its own, so that no
    table grows without limit by an omission.

    >>> budget = Budget(message("work.solve", count=9), work=100)
    >>> budget.compute(99)
    >>> budget.compute(2)
    Traceback (most recent call last):
        ...
    crisps24.errors.RefusedError: solving 9 numbers needs about 101 pairs of values (limit 100): \
fewer numbers would fit, or add --work none
    """

    # Called with each new budget, for a display of progress.
    on_create: Callable[["Budget"], object] | None = None

    def __init__(
        self,
        search: Message | str = "this search",
        *,
        work: float | None = None,
        memory: float | None = MAX_TABLE_BYTES,
        progress: Callable[[int], object] | None = None,
        expected: float = 0,
    ) -> None:
        """Start with nothing computed; `work` limits pairs, `memory` bytes, None for no limit.

        `progress` is called with the pairs that were just computed; `expected` is the forecast.
        """
        self.search, self.expected = search, expected
        self.pairs: float = 0
        self.kept = 0
        self._work, self._memory, self._progress = work, memory, progress
        if Budget.on_create is not None:
            Budget.on_create(self)

    def add_pairs(self, pairs: int, weight: float = 1) -> None:
        """Count pairs, each as expensive as `weight` sums of 64 bits.

        Raises RefusedError if these are more than the limit.
        """
        self.pairs += pairs * weight
        if self._work is not None and self.pairs > self._work:
            raise too_many_pairs(self.search, self.pairs, self._work, _FEWER)
        if self._progress is not None:
            self._progress(pairs)

    def add_bytes(self, size: int) -> None:
        """Count bytes that are kept from now on; below zero, bytes that are freed.

        Raises RefusedError if these are more than the limit.
        """
        self.kept += size
        if size > 0 and self._memory is not None and self.kept > self._memory:
            self._refuse(self.kept)

    def check_bytes(self, size: int) -> None:
        """Check that so many bytes can be used for a moment, before they are allocated.

        Raises RefusedError if these are more than the limit.
        """
        if self._memory is not None and self.kept + size > self._memory:
            self._refuse(self.kept + size)

    def _refuse(self, size: float) -> NoReturn:
        raise too_many_bytes(self.search, size, _FEWER)


class TableMemory:
    """The bytes that one table keeps: counted in a budget until the table is freed."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    def add(self, size: int) -> None:
        """Count more bytes. Raises RefusedError if these are more than the budget allows."""
        self._size += size
        self._budget.add_bytes(size)

    def move_to(self, budget: Budget) -> None:
        """Count the bytes in another budget from now on."""
        self._budget.add_bytes(-self._size)
        self._budget = budget
        budget.add_bytes(self._size)

    def __del__(self) -> None:
        self._budget.add_bytes(-self._size)


def pair_weight(paired: bool, long: bool) -> int:
    """Return how many times as long a pair takes as sums of 64 bits do.

    That is of fractions in pairs, of Python's own integers, and of both.
    """
    return _WEIGHTS[paired, long]


_WEIGHTS = {(False, False): 1, (True, False): 6, (False, True): 10, (True, True): 400}
