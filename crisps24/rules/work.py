"""The limits of a search: pairs of values computed, and bytes of tables.

To combine 2 and 3 by one operator is one *pair*: the number of pairs, the *work*, measures how long
a search takes. Tables keep the computed values. A search that is too large is refused twice, with
RefusedError: by a forecast before it starts, and by its `Budget` while it runs. The forecasts are
in `solving.work` and `enumeration.work`.
"""

from collections.abc import Callable
from contextlib import suppress
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
MAX_TABLE_BYTES = MAX_MEMORY - _PROGRAM_BYTES
# Forecasts are not extrapolated beyond this.
MAX_FORECAST = 1e60
# The key of the text that commands print: the reason, and advice that only applies to commands.
_ADVICE = "advice.work"
_FEWER_NUMBERS = message("work.fewer")


def check_work_limit(work: Any) -> None:
    """Raise KindError unless a limit is None, or a number from 0: neither True nor NaN."""
    if work is not None and not (type(work) in (int, float) and work >= 0):
        raise KindError(
            f"invalid work limit {quoted(work)} (expected a number from 0, or None for no limit)"
        )


def too_many_pairs(
    search: Message | str, pairs: float, max_pairs: float, smaller_search: Message | str
) -> RefusedError:
    """Return the error for a search, the subject of its sentence, with a smaller one as advice."""
    limit = Count(max_pairs)
    values = {"search": search, "pairs": _format_pairs(pairs), "limit": limit}
    return RefusedError(message("work.pairs", **values, fits=smaller_search), _ADVICE)


def too_many_bytes(
    search: Message | str, table_bytes: float, smaller_search: Message | str
) -> RefusedError:
    """Return the error for a search whose tables do not fit in memory, as `too_many_pairs`."""
    # The size in gigabytes, rounded up to one decimal place.
    gigabytes = Tenths(ceil((table_bytes + _PROGRAM_BYTES) / 1e8) / 10)
    limit = MAX_MEMORY // _GIGABYTE
    values = {"search": search, "size": gigabytes, "limit": limit}
    return RefusedError(message("work.memory", **values, fits=smaller_search), _ADVICE)


def _format_pairs(pairs: float) -> Count | str:
    """Return a number of pairs as a count, or from 10^15 as a power of ten, rounded down."""
    if pairs < 10**15:
        return Count(pairs)
    # `pairs` can be infinite.
    exponent = len(str(int(min(pairs, 1e300)))) - 1
    return f"10^{exponent}"


class Budget:
    """The pairs and the bytes that a search has used so far, with a limit for both.

    One budget is shared by all tables of a search. What exceeds a limit is counted nevertheless.
    """

    # A function that is called with each new budget, so that a command can show the progress of
    # all searches (None: nothing is called).
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
        """Create the budget of a search, the subject of the sentence of an error.

        `work` limits the pairs and `memory` the bytes of all tables (None: no limit). `progress` is
        called with each number of pairs just computed; `expected` is how many there will be.
        """
        self.search, self.expected = search, expected
        # The pairs computed so far, and the bytes of the tables that are kept now.
        self.pairs: float = 0
        self.kept_bytes = 0
        self._max_pairs, self._max_bytes, self._progress = work, memory, progress
        if Budget.on_create is not None:
            Budget.on_create(self)

    def add_pairs(self, pairs: int, weight: float = 1) -> None:
        """Add pairs that were just combined; `weight` is their time, as of `pair_weight`."""
        self.pairs += pairs * weight
        if self._max_pairs is not None and self.pairs > self._max_pairs:
            raise too_many_pairs(self.search, self.pairs, self._max_pairs, _FEWER_NUMBERS)
        if self._progress is not None:
            self._progress(pairs)

    def add_bytes(self, size: int) -> None:
        """Add the size of a new table; a negative size is that of a table that was freed."""
        self.kept_bytes += size
        if size > 0 and self._max_bytes is not None and self.kept_bytes > self._max_bytes:
            self._refuse(self.kept_bytes)

    def check_bytes(self, size: int) -> None:
        """Raise RefusedError unless there is memory for temporary arrays, which are not counted."""
        if self._max_bytes is not None and self.kept_bytes + size > self._max_bytes:
            self._refuse(self.kept_bytes + size)

    def _refuse(self, size: float) -> NoReturn:
        raise too_many_bytes(self.search, size, _FEWER_NUMBERS)


class TableMemory:
    """The size of one table, counted in the budget of a search until this object is freed."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    def add(self, size: int) -> None:
        self._size += size
        self._budget.add_bytes(size)

    def move_to(self, budget: Budget) -> None:
        """Count the bytes of this table in another budget from now on."""
        self._budget.add_bytes(-self._size)
        self._budget = budget
        budget.add_bytes(self._size)

    def __del__(self) -> None:
        with suppress(AttributeError):  # Ctrl-C can end the constructor.
            self._budget.add_bytes(-self._size)


def pair_weight(fractions: bool, python_ints: bool) -> int:
    """Return how long it takes to combine two values, relative to a sum of two 64-bit integers."""
    if fractions:
        return 400 if python_ints else 6
    return 10 if python_ints else 1
