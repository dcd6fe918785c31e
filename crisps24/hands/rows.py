"""Tables of rows: named tuples whose columns have one item per row.

A column is a numpy array or a column of fractions; `select` and `join` leave all other items of a
table as they are, such as the operator of all its rows. `RowBuffer` collects the rows of a search,
and merges equal ones whenever their number has grown by a factor; `GrowingColumn` is a column
to which rows are only appended. Both count their bytes in the budget of the search. `Runs` are a
table of row numbers: consecutive rows of another table.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from crisps24.rules.ratios import Ints, Ratios, column_bytes, integer_columns, join_columns
from crisps24.rules.widths import int_range, repeat_rows, running_sums
from crisps24.rules.work import Budget, TableMemory

_Table = TypeVar("_Table", bound=tuple[Any, ...])
_COLUMNS = (np.ndarray, Ratios)
# Rows that are collected before equal ones are merged.
MIN_ROWS_TO_MERGE = 1_000_000


def select(table: _Table, rows: Any) -> _Table:
    """Return some rows of a table, given as indices, a mask or a slice."""
    kind: Any = type(table)
    selected: _Table = kind(*[item[rows] if isinstance(item, _COLUMNS) else item for item in table])
    return selected


def join(tables: Sequence[_Table]) -> _Table:
    """Return the rows of one or more tables as one; items that are no columns are of the first."""
    if len(tables) > 1:
        tables = [table for table in tables if len(table[0])] or tables[:1]
    if len(tables) == 1:
        return tables[0]
    kind: Any = type(tables[0])
    items = zip(*tables, strict=True)
    joined: _Table = kind(
        *(join_columns(item) if isinstance(item[0], _COLUMNS) else item[0] for item in items)
    )
    return joined


class RowBuffer(Generic[_Table]):
    """Rows of a search; `merge` merges equal ones when their number has grown by `growth`."""

    def __init__(
        self,
        empty: _Table,
        merge: Callable[[_Table], _Table],
        budget: Budget,
        row_bytes: int,
        growth: float = 2,
    ) -> None:
        self._empty, self._merge, self._growth = empty, merge, growth
        self._memory, self._row_bytes = TableMemory(budget), row_bytes
        self._tables: list[_Table] = []
        self._count, self._max_count = 0, MIN_ROWS_TO_MERGE

    def add(self, table: _Table) -> None:
        if not len(table[0]):
            return
        self._tables.append(table)
        self._change_count(len(table[0]))
        if self._count > self._max_count:
            merged = self._merge(self.pop_all())
            self._max_count = max(MIN_ROWS_TO_MERGE, int(self._growth * len(merged[0])))
            self.add(merged)

    def pop_all(self) -> _Table:
        """Remove and return all rows; equal ones can recur."""
        tables, self._tables = self._tables or [self._empty], []
        self._change_count(-self._count)
        return join(tables)

    def _change_count(self, change: int) -> None:
        self._count += change
        self._memory.add(change * self._row_bytes)


class GrowingColumn:
    """A column of ints, floats, rows of ints, or fractions, whose bytes count in a budget."""

    def __init__(self, column: Any, budget: Budget) -> None:
        self._arrays = integer_columns(column)
        self._column = column
        self._budget, self._kept_bytes = budget, TableMemory(budget)

    def __len__(self) -> int:
        return len(self._column)

    def extend(self, column: Any) -> None:
        """Append rows, in amortized constant time for each."""
        old_count, new_count = len(self), len(self) + len(column)
        self._kept_bytes.add(column_bytes(column))
        if new_count > len(self._arrays[0]):
            # Old and new arrays exist together while rows are copied.
            self._budget.check_bytes(column_bytes(self._column))
            longer_arrays = [
                np.empty((2 * new_count, *array.shape[1:]), array.dtype) for array in self._arrays
            ]
            for longer_array, array in zip(longer_arrays, self._arrays, strict=True):
                longer_array[:old_count] = array[:old_count]
            self._arrays = tuple(longer_arrays)
        for array, new_rows in zip(self._arrays, integer_columns(column), strict=True):
            array[old_count:new_count] = new_rows
        used_arrays = [array[:new_count] for array in self._arrays]
        self._column = Ratios(*used_arrays) if isinstance(column, Ratios) else used_arrays[0]

    def __getitem__(self, rows: Any) -> Any:
        return self._column[rows]


class Runs(NamedTuple):
    """Runs of consecutive integers, such as positions: the first of each, and the length."""

    starts: Ints
    lengths: Ints

    @property
    def positions(self) -> Ints:
        """The integers of all runs, one run after another."""
        ends = running_sums(self.lengths)
        # Each integer is its index in the result plus an offset that is constant in a run.
        positions: Ints = repeat_rows(self.starts - ends + self.lengths, self.lengths)
        positions += int_range(len(positions))
        return positions

    def cross_join(self, others: "Runs") -> tuple[Ints, Ints, Ints]:
        """Pair each integer of a run with each integer of the run in the same row of `others`.

        Return these integers, the number of pairs of each, and the other integer of each pair:
        [10, 11], [3, 3] and [70, 71, 72, 70, 71, 72] for 10 and 11 with 70 to 72.
        """
        repeats = repeat_rows(others.lengths, self.lengths)
        inner = Runs(repeat_rows(others.starts, self.lengths), repeats)
        return self.positions, repeats, inner.positions


def split_runs(runs: Runs, counts: Ints) -> tuple[Ints, Runs]:
    """Cut runs into pieces of nearly equal length, none empty; return their rows and the pieces."""
    counts = np.minimum(counts, runs.lengths)
    sources = repeat_rows(int_range(len(counts)), counts)
    run_starts, run_lengths = runs.starts[sources], runs.lengths[sources]
    piece_counts = counts[sources]
    first_pieces = (running_sums(counts) - counts)[sources]
    piece_numbers = int_range(len(sources)) - first_pieces
    starts = run_starts + run_lengths * piece_numbers // piece_counts
    stops = run_starts + run_lengths * (piece_numbers + 1) // piece_counts
    return sources, Runs(starts, stops - starts)
