"""Integers of one width on all machines: the default of numpy has 32 bits in a browser.

Each array of integers states its type, which is int64 unless its values need less or more. Only the
indices that numpy returns, and the counts that `repeat_rows` and `sum_by_index` pass to it, have
the width of the machine's addresses: no array has more rows.
"""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[Any]
_Rows = TypeVar("_Rows")
_INT64, _ADDRESS = np.dtype(np.int64), np.dtype(np.intp)


def int_range(first: int, end: int | None = None) -> _Array:
    """Return the integers of `range(first)`, or of `range(first, end)`."""
    return np.arange(first, end, dtype=_INT64)


def running_sums(integers: _Array) -> _Array:
    """Return the sums of the first items: those of 3, 1 and 2 are 3, 4 and 6."""
    # Twice as fast as np.cumsum.
    return np.add.accumulate(integers, dtype=np.int64)


def repeat_rows(column: _Rows, times: _Array) -> _Rows:
    """Return an array, or a column of fractions, with row i repeated `times[i]` times."""
    array: Any = column
    repeated: _Rows = array.repeat(times if times.dtype is _ADDRESS else times.astype(_ADDRESS))
    return repeated


def sum_by_index(indices: _Array, weights: _Array | None = None, length: int = 0) -> _Array:
    """Return for each index its number of rows, or the sum of their weights."""
    sums = np.bincount(indices.astype(_ADDRESS, copy=False), weights, length)
    return sums if weights is not None else sums.astype(np.int64, copy=False)
