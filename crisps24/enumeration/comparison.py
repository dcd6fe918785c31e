"""Compare the rows of a file with those of a game: wrong, duplicate, out of order or missing.

This is a streaming merge diff of keys: rows as integers. A legal row is *ascending* if it is larger
than all legal rows before it, else *late*. If all legal rows are ascending, and as many as the game
has, none is missing; a file of fewer than `BATCH_ROWS` rows is then not merged with the generated
rows of the game. In a file with the rows 1 2 5 3 4 3 6 of a game with the rows 1 to 7, the
ascending rows are 1 2 5 6, the late ones 3 4 3: the first 3 is out of order, 4 is not, since it
comes after 3, the second 3 is a duplicate, and 7 is missing.

Ascending rows are kept as runs: of consecutive rows of the game in consecutive lines, only the
start and the length. So memory grows with the disorder of a file, not with its length; the keys of
48 million rows alone would be 380 MB.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crisps24.enumeration.enumeration import DisagreementError
from crisps24.rules.ratios import Ints
from crisps24.rules.widths import int_range, running_sums

# Rows checked together, so that many rows share the work for an operator pattern.
BATCH_ROWS = 1 << 22


class NumberedRows(NamedTuple):
    """Rows of a file as keys, with their ascending line numbers."""

    keys: Ints
    lines: Ints

    def select(self, rows: Ints | slice) -> "NumberedRows":
        """Return some of the rows, chosen by a mask, by indices or by a slice."""
        return NumberedRows(self.keys[rows], self.lines[rows])


class Differences(NamedTuple):
    """The differences between the rows of a file and those of a game."""

    wrong: NumberedRows
    """The first rows that are not rows of the game; `wrong_count` is their total number."""
    wrong_count: int
    duplicates: NumberedRows
    """Rows that the file also has in another line: that of `first_lines`."""
    first_lines: Ints
    out_of_order: NumberedRows
    """Rows that belong before their previous row."""
    missing: Ints
    """The first keys that the file does not have; `missing_count` is their total number."""
    missing_count: int


class RowComparison:
    """A comparison of the rows of one file, added in order, with those of a game.

    `find_legal` returns a mask of the keys that are rows of the game. `expected_keys`, called at
    most twice, yields its `expected_count` keys, ascending, in arrays.
    """

    def __init__(
        self,
        find_legal: Callable[[Ints], Ints],
        expected_keys: Callable[[], Iterator[Ints]],
        expected_count: int,
        max_wrong: int,
        max_missing: int,
    ) -> None:
        self._find_legal = find_legal
        self._expected_keys, self._expected_count = expected_keys, expected_count
        self._max_wrong, self._max_missing = max_wrong, max_missing
        self._waiting: list[NumberedRows] = []
        self._wrong, self._wrong_count = _join([]), 0
        self._largest: Ints = np.array([-1], np.int64)
        self._ascending, self._ascending_count = _join([]), 0
        self._late: list[NumberedRows] = []
        # The number of ascending rows before each late row.
        self._ascending_before: list[Ints] = [np.empty(0, np.int64)]
        # Of each run: the rank of its first row (its index in the game), its line, and the length.
        self._runs: list[Ints] = [np.array([[-1], [0], [0]], np.int64)]
        # A block of expected keys, the rank of its first key, and the next blocks.
        self._block: Ints = np.array([-1], np.int64)
        self._block_rank = -1
        self._blocks = filter(len, expected_keys())

    def add(self, rows: NumberedRows) -> None:
        """Add the next rows of the file."""
        self._waiting.append(rows)
        if sum(len(waiting.keys) for waiting in self._waiting) >= BATCH_ROWS:
            self._sort_out()
            self._compress()

    def _sort_out(self) -> None:
        """Divide the rows that were added last into wrong, ascending and late rows."""
        rows, self._waiting = _join(self._waiting), []
        is_legal = self._find_legal(rows.keys)
        if not is_legal.all():
            wrong, rows = rows.select(~is_legal), rows.select(is_legal)
            self._wrong_count += len(wrong.keys)
            self._wrong = _join([self._wrong, wrong]).select(slice(self._max_wrong))
        # Item i is the largest key of all rows before row i; the last item includes all rows.
        largest_before = np.maximum.accumulate(np.concatenate((self._largest, rows.keys)))
        self._largest = largest_before[-1:].copy()
        is_ascending = rows.keys > largest_before[:-1]
        if not is_ascending.all():
            self._late.append(rows.select(~is_ascending))
            ascending_counts = self._ascending_count + running_sums(is_ascending)
            self._ascending_before.append(ascending_counts[~is_ascending])
            rows = rows.select(is_ascending)
        self._ascending = rows
        self._ascending_count += len(rows.keys)

    def _compress(self) -> None:
        """Replace the ascending rows that were added last by runs, which need less memory."""
        rows, self._ascending = self._ascending, _join([])
        while len(rows.keys):
            end = int(np.searchsorted(rows.keys, self._block[-1], side="right"))
            (keys, lines), rows = rows.select(slice(end)), rows.select(slice(end, None))
            ranks = self._block_rank + _indices_in(self._block, keys)
            # A run starts where the rank or the line is not one more than in the row before.
            rank_jumps = np.diff(ranks, prepend=-2) - 1
            line_jumps = np.diff(lines, prepend=-2) - 1
            starts = np.flatnonzero(rank_jumps | line_jumps)
            lengths = np.diff(starts, append=len(ranks))
            self._runs.append(np.array([ranks[starts], lines[starts], lengths], np.int64))
            if len(rows.keys):
                self._block_rank += len(self._block)
                # No row of the file is in a block after the last one.
                self._block = next(self._blocks, rows.keys[-1:] + 1)

    def finish(self) -> Differences:
        """Return the differences after all rows were added; call this once."""
        self._sort_out()
        late, self._late = _join(self._late), []
        ascending_before = np.concatenate(self._ascending_before)
        missing_count = self._expected_count - self._ascending_count
        if not (missing_count or len(late.keys)):
            return Differences(self._wrong, self._wrong_count, late, late.lines, late, late.keys, 0)
        # Look up each late key once. `first_rows` are the first late rows with these keys, and
        # `key_indices` has for each late row the index of its key.
        late_keys, first_rows, key_indices = np.unique(
            late.keys, return_index=True, return_inverse=True
        )
        ascending_lines, missing = self._look_up(late_keys)
        # If no ascending row has the key, its first late row is not a duplicate.
        first_lines = np.where(ascending_lines, ascending_lines, late.lines[first_rows])
        first_lines = first_lines[key_indices]
        is_first = first_lines == late.lines
        duplicates, late = late.select(~is_first), late.select(is_first)
        # A row is out of order if its previous row is larger. This is the previous late row, or an
        # ascending row between both, which is larger than any late row after it.
        smaller = late.keys < np.concatenate((late.keys[:1], late.keys[:-1]))
        after_ascending = np.diff(ascending_before[is_first], prepend=-1) > 0
        out_of_order = late.select(smaller | after_ascending)
        repeated = duplicates, first_lines[~is_first]
        missing_count -= len(late.keys)
        wrong = self._wrong, self._wrong_count
        return Differences(*wrong, *repeated, out_of_order, missing, missing_count)

    def _look_up(self, late_keys: Ints) -> tuple[Ints, Ints]:
        """Return the line of the ascending row with each late key (0: none), and missing keys."""
        run_ranks, run_lines, run_lengths = np.concatenate(self._runs, axis=1)
        ascending = self._ascending
        late_lines, missing = [np.empty(0, np.int64)], late_keys[:0]
        max_missing = min(self._max_missing, self._expected_count - self._ascending_count)
        first_rank = 0
        for keys in filter(len, self._expected_keys()):
            if not len(late_keys) and len(missing) == max_missing:
                break
            ranks = int_range(first_rank, first_rank + len(keys))
            runs = np.searchsorted(run_ranks, ranks, side="right") - 1
            offsets = ranks - run_ranks[runs]
            # The line of each expected key, 0 for none; ascending rows outside runs are added.
            key_lines = np.where(offsets < run_lengths[runs], run_lines[runs] + offsets, 0)
            end = int(np.searchsorted(ascending.keys, keys[-1], side="right"))
            key_lines[_indices_in(keys, ascending.keys[:end])] = ascending.lines[:end]
            ascending = ascending.select(slice(end, None))
            end = int(np.searchsorted(late_keys, keys[-1], side="right"))
            late_indices = _indices_in(keys, late_keys[:end])
            late_lines.append(key_lines[late_indices])
            late_keys = late_keys[end:]
            # A late key is not missing, so it needs any line but 0.
            key_lines[late_indices] = 1
            missing = np.concatenate((missing, keys[key_lines == 0]))[:max_missing]
            first_rank += len(keys)
        else:
            _check_expected(not len(late_keys) and not len(ascending.keys))
        return np.concatenate(late_lines), missing


def _indices_in(expected_keys: Ints, keys: Ints) -> Ints:
    """Return the index of each key in an ascending array; no key is above its last."""
    indices = np.searchsorted(expected_keys, keys).astype(np.int64, copy=False)
    _check_expected((expected_keys[indices] == keys).all())
    return indices


def _check_expected(all_expected: bool) -> None:
    if not all_expected:
        raise DisagreementError("internal error: the grammar agrees to a row that is not found")


def _join(row_lists: list[NumberedRows]) -> NumberedRows:
    no_rows = NumberedRows(np.empty(0, np.int64), np.empty(0, np.int64))
    keys, lines = (np.concatenate(arrays) for arrays in zip(no_rows, *row_lists, strict=True))
    return NumberedRows(keys, lines)
