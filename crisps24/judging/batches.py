"""Rows of a file in batches that fit in memory, however long the rows are."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from sys import getsizeof
from typing import Any, TypeVar

# A batch ends after the row that makes it longer.
MAX_BATCH_BYTES = 1_000_000

_T = TypeVar("_T")


def memory_of(value: Any) -> int:
    """Return about how many bytes a row takes, with all texts, numbers, lists and objects in it."""
    total, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        total += getsizeof(item)
        if isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, Mapping):
            waiting += item
            waiting += item.values()
        elif isinstance(item, Fraction):
            waiting += item.as_integer_ratio()
    return total


def batches(
    rows: Iterable[_T],
    most: int,
    size_of: Callable[[_T], int] = memory_of,
    most_bytes: int = MAX_BATCH_BYTES,
) -> Iterator[list[_T]]:
    """Yield rows in lists of at most `most` rows, of about `most_bytes`.

    >>> [len(batch) for batch in batches([9, 5, 5, 5, 5], 3, lambda row: row, most_bytes=8)]
    [1, 2, 2]
    """
    batch, size = list[_T](), 0
    for row in rows:
        batch.append(row)
        size += size_of(row)
        if len(batch) == most or size > most_bytes:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
