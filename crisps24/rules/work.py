"""The limits of a search: pairs of values computed, and bytes of tables.

A search that is too large is refused twice: by a forecast before it starts, and by its `Budget`
while it runs. The forecasts are in `solving.work` and `enumeration.work`.
"""

from collections.abc import Callable
from math import ceil
from typing import Any, NoReturn

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, Message, Tenths, message

# Pairs of values that a search computes by default: some minutes.
DEFAULT_WORK = 5_000_000_000
# Pairs of values if an answer is due within seconds: for pages and for claims that are judged.
QUICK_WORK = 20_000_000
# Bytes of memory of all processes of a call.
MAX_MEMORY = 2_000_000_000
# Bytes of memory of Python and numpy themselves.
_PROGRAM_BYTES = 200_000_000
_GIGABYTE = 1_000_000_000
# Bytes of the tables of a search.
MAX_TABLE_BYTES = MAX_MEMORY - _PROGRAM_BYTES
# The key of the text that commands print: the reason, and advice that only applies to commands.
_ADVICE = "advice.work"
_FEWER_NUMBERS = message("work.fewer")


def check_work_limit(work: Any) -> None:
    """Raise KindError unless the limit of a search is an int, a float, or None for no limit."""
    if not isinstance(work, int | float | None):
        raise KindError(
            f"invalid work limit {quoted(work)} (expected a number, or None for no limit)"
        )


def too_many_pairs(
    search: Message | str, pairs: float, work: float, fits: Message | str
) -> RefusedError:
    """Return the error for a search that takes too long: more steps than its limit.

    The work of a search is the number of pairs of values that it combines.

    Args:
        search: The search, as the subject of the sentence of the error.
        pairs: The pairs that the search needs, or has already computed.
        work: The limit of pairs.
        fits: A smaller search that stays below the limit, as advice to the user.

    >>> search = message("work.reach", count=50)
    >>> print(too_many_pairs(search, 1e20, 10, message("rules.count", count=5)))
    finding all results of 50 numbers needs about 10^20 pairs of values (limit 10): 5 numbers \
would fit, or add --work none
    """
    values = {"search": search, "pairs": _format_pairs(pairs), "limit": Count(work), "fits": fits}
    return RefusedError(message("work.pairs", **values), _ADVICE)


def too_many_bytes(search: Message | str, table_bytes: float, fits: Message | str) -> RefusedError:
    """Return the error for a search whose tables do not fit in memory.

    Args:
        search: The search, as the subject of the sentence of the error.
        table_bytes: The size of its tables in bytes.
        fits: A smaller search that fits in memory, as advice to the user.

    >>> search = message("work.solve", count=17)
    >>> error = too_many_bytes(search, MAX_TABLE_BYTES + 1, message("rules.count", count=16))
    >>> error.reason
    'solving 17 numbers needs about 2.1 GB of memory (limit 2 GB): 16 numbers would fit'
    """
    # The size in gigabytes, rounded up to one decimal place.
    gigabytes = Tenths(ceil((table_bytes + _PROGRAM_BYTES) / 1e8) / 10)
    limit = MAX_MEMORY // _GIGABYTE
    values = {"search": search, "size": gigabytes, "limit": limit, "fits": fits}
    return RefusedError(message("work.memory", **values), _ADVICE)


def _format_pairs(pairs: float) -> Count | str:
    """Return a number of pairs for a message: as a count, or from 10^15 as a power of ten.

    >>> _format_pairs(2e20)
    '10^20'
    """
    if pairs < 10**15:
        return Count(pairs)
    # `pairs` can be infinite.
    exponent = len(str(int(min(pairs, 1e300)))) - 1
    return f"10^{exponent}"


class Budget:
    """The pairs that a search has computed and the bytes of its tables, with a limit for both.

    A search has one budget for all its tables. A table without a budget of its search has one of
    its own with the default limit of bytes.

    >>> budget = Budget(message("work.solve", count=9), work=100)
    >>> budget.add_pairs(99)
    >>> budget.add_pairs(2)
    Traceback (most recent call last):
        ...
    crisps24.errors.RefusedError: solving 9 numbers needs about 101 pairs of values (limit 100): \
fewer numbers would fit, or add --work none
    """

    # Called with each new budget, if set: for a display of progress.
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
        """Create a budget of a search that has not yet computed anything.

        Args:
            search: The search, as the subject of the sentence of an error.
            work: The largest number of pairs (None: no limit). A slow pair counts several times,
                by the weight of `add_pairs`.
            memory: The largest size of all tables, in bytes (None: no limit).
            progress: A function that each `add_pairs` calls with its number of pairs.
            expected: How many pairs the search is expected to compute, for a display of progress.
        """
        self.search, self.expected = search, expected
        self.pairs: float = 0
        self.kept_bytes = 0
        self._work, self._memory, self._progress = work, memory, progress
        if Budget.on_create is not None:
            Budget.on_create(self)

    def add_pairs(self, pairs: int, weight: float = 1) -> None:
        """Add computed pairs of values to the count of this search.

        `weight` is the time of one pair, relative to the sum of two 64-bit integers: each pair
        counts `weight` times.

        Raises RefusedError if all pairs so far exceed the limit. The pairs are counted
        nevertheless.
        """
        self.pairs += pairs * weight
        if self._work is not None and self.pairs > self._work:
            raise too_many_pairs(self.search, self.pairs, self._work, _FEWER_NUMBERS)
        if self._progress is not None:
            self._progress(pairs)

    def add_bytes(self, size: int) -> None:
        """Count allocated bytes; a negative size counts freed bytes.

        Raises RefusedError if the bytes grow and their sum exceeds the limit; they are counted
        nevertheless.
        """
        self.kept_bytes += size
        if size > 0 and self._memory is not None and self.kept_bytes > self._memory:
            self._refuse(self.kept_bytes)

    def check_bytes(self, size: int) -> None:
        """Check that temporary arrays of a size in bytes fit; count nothing.

        Raises RefusedError if the counted bytes and these exceed the limit.
        """
        if self._memory is not None and self.kept_bytes + size > self._memory:
            self._refuse(self.kept_bytes + size)

    def _refuse(self, size: float) -> NoReturn:
        raise too_many_bytes(self.search, size, _FEWER_NUMBERS)


class TableMemory:
    """The bytes of one table, counted in a budget until this object is freed."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    def add(self, size: int) -> None:
        """Count more bytes, as `Budget.add_bytes` does."""
        self._size += size
        self._budget.add_bytes(size)

    def move_to(self, budget: Budget) -> None:
        """Count the bytes in another budget from now on; free them in the old one.

        Raises RefusedError if they exceed the limit of the new budget, which counts them
        nevertheless.
        """
        self._budget.add_bytes(-self._size)
        self._budget = budget
        budget.add_bytes(self._size)

    def __del__(self) -> None:
        self._budget.add_bytes(-self._size)


def pair_weight(fractions: bool, python_ints: bool) -> int:
    """Return the time of a pair of values relative to a sum of 64-bit integers: 1, 6, 10 or 400.

    Args:
        fractions: The values are fractions, as pairs of integers.
        python_ints: The integers are Python's own, because 64 bits are not enough.
    """
    return _PAIR_WEIGHTS[fractions, python_ints]


_PAIR_WEIGHTS = {(False, False): 1, (True, False): 6, (False, True): 10, (True, True): 400}
