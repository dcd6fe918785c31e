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
    search: Message | str, pairs: float, max_pairs: float, smaller_search: Message | str
) -> RefusedError:
    """Return the error for a search that combines more pairs of values than its limit.

    To combine 2 and 3 by one operator is one pair. The number of pairs measures how long a search
    takes.

    Args:
        search: The search, as the subject of the sentence of the error.
        pairs: The pairs that the search needs, or has already computed.
        max_pairs: The limit of pairs.
        smaller_search: A search that stays below the limit, as advice to the user.

    >>> search = message("work.reach", count=50)
    >>> print(too_many_pairs(search, 1e20, 10, message("rules.count", count=5)))
    finding all results of 50 numbers needs about 10^20 pairs of values (limit 10): 5 numbers \
would fit, or add --work none
    """
    limit = Count(max_pairs)
    values = {"search": search, "pairs": _format_pairs(pairs), "limit": limit}
    return RefusedError(message("work.pairs", **values, fits=smaller_search), _ADVICE)


def too_many_bytes(
    search: Message | str, table_bytes: float, smaller_search: Message | str
) -> RefusedError:
    """Return the error for a search whose tables do not fit in memory.

    A table holds the values that some of the numbers can make.

    Args:
        search: The search, as the subject of the sentence of the error.
        table_bytes: The size of its tables in bytes.
        smaller_search: A search that fits in memory, as advice to the user.

    >>> search = message("work.solve", count=17)
    >>> error = too_many_bytes(search, MAX_TABLE_BYTES + 1, message("rules.count", count=16))
    >>> error.reason
    'solving 17 numbers needs about 2.1 GB of memory (limit 2 GB): 16 numbers would fit'
    """
    # The size in gigabytes, rounded up to one decimal place.
    gigabytes = Tenths(ceil((table_bytes + _PROGRAM_BYTES) / 1e8) / 10)
    limit = MAX_MEMORY // _GIGABYTE
    values = {"search": search, "size": gigabytes, "limit": limit}
    return RefusedError(message("work.memory", **values, fits=smaller_search), _ADVICE)


def _format_pairs(pairs: float) -> Count | str:
    """Return a number of pairs of values for a message: as a count, or as a power of ten.

    A power of ten is used from 10^15; it is rounded down.

    >>> _format_pairs(2e20)
    '10^20'
    """
    if pairs < 10**15:
        return Count(pairs)
    # `pairs` can be infinite.
    exponent = len(str(int(min(pairs, 1e300)))) - 1
    return f"10^{exponent}"


class Budget:
    """The work and the memory that a search has used so far, with a limit for both.

    A search combines values by an operator, such as 2 and 3 to 2 + 3 = 5: each two values are one
    pair, and the work is the number of pairs. `pairs` is the work so far. The memory is that of
    tables, which keep the computed values: `kept_bytes` is their size, in bytes.

    One budget is shared by all tables of a search. If a limit is exceeded, RefusedError is raised:

    >>> budget = Budget(message("work.solve", count=9), work=100)
    >>> budget.add_pairs(99)
    >>> budget.add_pairs(2)
    Traceback (most recent call last):
        ...
    crisps24.errors.RefusedError: solving 9 numbers needs about 101 pairs of values (limit 100): \
fewer numbers would fit, or add --work none
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
        """Create a budget of a search that has not yet computed anything.

        Args:
            search: The search, as the subject of the sentence of an error.
            work: The largest number of pairs of values to combine (None: no limit). A slow pair,
                such as one of fractions, counts several times.
            memory: The largest size of all tables, in bytes (None: no limit).
            progress: A function that is called with the number of pairs just computed, many times
                during the search.
            expected: How many pairs the search is expected to compute, for a display of progress.
        """
        self.search, self.expected = search, expected
        # The pairs computed so far, and the bytes of the tables that are kept now.
        self.pairs: float = 0
        self.kept_bytes = 0
        self._max_pairs, self._max_bytes, self._progress = work, memory, progress
        if Budget.on_create is not None:
            Budget.on_create(self)

    def add_pairs(self, pairs: int, weight: float = 1) -> None:
        """Add pairs of values that were just combined to the work of this search.

        Args:
            pairs: How many pairs were combined.
            weight: How often each pair counts: its time relative to a sum of two 64-bit integers.

        Raises:
            RefusedError: All pairs so far exceed the limit. They are counted nevertheless.
        """
        self.pairs += pairs * weight
        if self._max_pairs is not None and self.pairs > self._max_pairs:
            raise too_many_pairs(self.search, self.pairs, self._max_pairs, _FEWER_NUMBERS)
        if self._progress is not None:
            self._progress(pairs)

    def add_bytes(self, size: int) -> None:
        """Add the size of a new table, in bytes, to the memory of this search.

        A negative size is that of a table that was freed. Raises RefusedError if a positive size
        makes the sum exceed the limit; it is counted nevertheless.
        """
        self.kept_bytes += size
        if size > 0 and self._max_bytes is not None and self.kept_bytes > self._max_bytes:
            self._refuse(self.kept_bytes)

    def check_bytes(self, size: int) -> None:
        """Raise RefusedError unless there is memory for temporary arrays of `size` bytes.

        The arrays and the tables counted so far must stay within the limit together. The arrays
        are not counted, since they are freed soon.
        """
        if self._max_bytes is not None and self.kept_bytes + size > self._max_bytes:
            self._refuse(self.kept_bytes + size)

    def _refuse(self, size: float) -> NoReturn:
        """Raise the error for tables of `size` bytes, which do not fit in memory."""
        raise too_many_bytes(self.search, size, _FEWER_NUMBERS)


class TableMemory:
    """The size of one table, counted in the budget of a search until this object is freed.

    A budget is the count of all bytes that the tables of a search need, with a limit.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    def add(self, size: int) -> None:
        """Add `size` bytes to this table and its budget.

        Raises RefusedError if the limit of the budget is exceeded; they are added nevertheless.
        """
        self._size += size
        self._budget.add_bytes(size)

    def move_to(self, budget: Budget) -> None:
        """Count the bytes of this table in another budget from now on, and not in the old one.

        A budget counts the bytes of all tables of a search, with a limit. Raises RefusedError if
        these bytes exceed the limit of the new budget, which counts them nevertheless.
        """
        self._budget.add_bytes(-self._size)
        self._budget = budget
        budget.add_bytes(self._size)

    def __del__(self) -> None:
        self._budget.add_bytes(-self._size)


def pair_weight(fractions: bool, python_ints: bool) -> int:
    """Return how long it takes to combine two values, relative to a sum of two 64-bit integers.

    It is 1 for 64-bit integers, 6 for fractions of them, 10 for Python integers and 400 for
    fractions of Python integers.

    Args:
        fractions: The values are fractions, as pairs of integers.
        python_ints: The integers are Python's own, because 64 bits are not enough.
    """
    return _PAIR_WEIGHTS[fractions, python_ints]


# The weight by (fractions, python_ints).
_PAIR_WEIGHTS = {(False, False): 1, (True, False): 6, (False, True): 10, (True, True): 400}
