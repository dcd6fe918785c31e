"""Compare the rows of a file with those of a game: wrong, duplicate, out of order or missing.

This is a streaming merge diff of keys. A legal row is *ascending* if it is larger than all legal
rows before it, else *late*. If all rows are ascending, and there are as many as the game has, the
file is complete, and the rows of the game are not generated. Otherwise both are merged. In a file
with the rows 1 2 4 3 3 5 6 of a game with the rows 1 to 7, the ascending rows are 1 2 4 5 6, the
late ones 3 3: the first 3 is out of order, the second a duplicate, and 7 is missing.

Ascending rows are kept as runs: of consecutive rows of the game in consecutive lines, only the
start and the length. So memory grows with the disorder of a file, not with its length.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crisps24.enumeration.enumeration import DisagreementError
from crisps24.rules.ratios import Ints

# Rows checked together, so that many rows share the work for an operator pattern.
BATCH_ROWS = 1 << 22


class NumberedRows(NamedTuple):
    """The keys of rows, with their line numbers, ascending by line."""

    keys: Ints
    lines: Ints

    def select(self, rows: Ints | slice) -> "NumberedRows":
        """Return the rows of a mask, of indices or of a slice."""
        return NumberedRows(self.keys[rows], self.lines[rows])


class Differences(NamedTuple):
    """The differences between a file and the rows of a game."""

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
    """A comparison of the rows of one file, block by block.

    `legal` returns a mask of the keys that are rows of the game. `expected` yields the keys of all
    rows of the game, ascending, `total` in all; it is called at most twice. At most `max_wrong`
    wrong and `max_missing` missing rows are listed.
    """

    def __init__(
        self,
        legal: Callable[[Ints], Ints],
        expected: Callable[[], Iterator[Ints]],
        total: int,
        max_wrong: int,
        max_missing: int,
    ) -> None:
        """Start without rows."""
        self._legal = legal
        self._expected = expected
        self._total = total
        self._max_wrong = max_wrong
        self._max_missing = max_missing
        self._waiting: list[NumberedRows] = []
        self._wrong = _join([])
        self._wrong_count = 0
        # The largest key so far, ascending rows without a rank yet, and how many have ascended.
        # The rank of a row is its index among the rows of the game.
        self._largest: Ints = np.array([-1])
        self._ascending = _join([])
        self._ascending_count = 0
        # Runs of ascending rows with consecutive ranks and lines: first rank, first line, length.
        self._runs: list[Ints] = [np.array([[-1], [0], [0]])]
        self._late: list[NumberedRows] = []
        # The number of ascending rows before each late row.
        self._ascending_before: list[Ints] = [np.empty(0, np.int64)]
        # A block of expected keys, the rank of its first key, and the next blocks.
        self._block: Ints = np.array([-1])
        self._block_rank = -1
        self._blocks = filter(len, expected())

    def add(self, rows: NumberedRows) -> None:
        """Add the next rows of the file, in the order of their lines.

        Rows are compared 4 million at a time, the last ones by `finish`. Raises DisagreementError
        if a legal row is not among the expected ones, and the errors of `expected`.
        """
        self._waiting.append(rows)
        if sum(len(waiting.keys) for waiting in self._waiting) >= BATCH_ROWS:
            self._sort_out()
            self._compress()

    def _sort_out(self) -> None:
        """Divide the rows that wait into wrong, ascending and late rows.

        A wrong row is not a row of the game. Among the other rows, a row is ascending if its key is
        larger than all keys before it, else late. If the game has the keys 1 to 7, then in
        1 2 4 3 3 9 5 the 9 is wrong, the 3 and the 3 are late, and 1 2 4 5 are ascending.
        """
        rows, self._waiting = _join(self._waiting), []
        legal = self._legal(rows.keys)
        if not legal.all():
            wrong, rows = rows.select(~legal), rows.select(legal)
            self._wrong_count += len(wrong.keys)
            self._wrong = _join([self._wrong, wrong]).select(slice(self._max_wrong))
        # largest[i] is the largest key of all rows before row i.
        largest = np.maximum.accumulate(np.concatenate((self._largest, rows.keys)))
        self._largest = largest[-1:].copy()
        ascending = rows.keys > largest[:-1]
        if not ascending.all():
            self._late.append(rows.select(~ascending))
            before = self._ascending_count + np.cumsum(ascending)[~ascending]
            self._ascending_before.append(before)
            rows = rows.select(ascending)
        self._ascending = rows
        self._ascending_count += len(rows.keys)

    def _compress(self) -> None:
        """Replace the ascending rows that were added last by runs, which need less memory.

        A run is a triple (rank, line, length) for neighbouring lines that have neighbouring rows of
        the game; the rank of a row is its index among all rows of the game. If the game has the
        keys 1 to 7, the keys 1 2 5 6 in lines 1 to 4 become the runs (0, 1, 2) and (4, 3, 2).

        Raises DisagreementError if a row is not among the expected rows of the game.
        """
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
            self._runs.append(np.array([ranks[starts], lines[starts], lengths]))
            if len(rows.keys):
                self._block_rank += len(self._block)
                # No row of the file is in a block after the last one.
                self._block = next(self._blocks, rows.keys[-1:] + 1)

    def finish(self) -> Differences:
        """Return the differences between the file and the game after all rows have been added.

        For a game with the keys 1 to 7 and a file with 1 2 4 3 3 5 6, the first 3 is out of order,
        the second 3 is a duplicate, and 7 is missing. Call this method once. If rows are not in
        order or missing, it generates the rows of the game a second time.

        Raises DisagreementError if a legal row is not among the expected rows of the game.
        """
        self._sort_out()
        late, self._late = _join(self._late), []
        ascending_before = np.concatenate(self._ascending_before)
        missing_count = self._total - self._ascending_count
        if not (missing_count or len(late.keys)):
            return Differences(self._wrong, self._wrong_count, late, late.lines, late, late.keys, 0)
        # Each late key once; the first late row with it; and for each late row its key's index.
        distinct, first, group = np.unique(late.keys, return_index=True, return_inverse=True)
        lines, missing = self._look_up(distinct)
        # If no ascending row has the key, its first late row is not a duplicate.
        first_lines = np.where(lines, lines, late.lines[first])[group]
        is_first = first_lines == late.lines
        duplicates, late = late.select(~is_first), late.select(is_first)
        ascending_before = ascending_before[is_first]
        # The previous row is ascending, and so larger, or it is the previous late row.
        smaller = late.keys < np.concatenate((late.keys[:1], late.keys[:-1]))
        out_of_order = late.select(smaller | (np.diff(ascending_before, prepend=-1) > 0))
        return Differences(
            self._wrong,
            self._wrong_count,
            duplicates,
            first_lines[~is_first],
            out_of_order,
            missing,
            missing_count - len(late.keys),
        )

    def _look_up(self, late: Ints) -> tuple[Ints, Ints]:
        """Find late keys among the ascending rows, and the keys of the game that the file lacks.

        A late key comes after a larger key in the file. For a game with the keys 1 to 7 and a file
        with 1 2 4 3 4, the late keys are 3 and 4; this returns the lines 0 and 3, since 4 is also
        in line 3, and the missing keys 5 6 7.

        Args:
            late: The distinct late keys, ascending.

        Returns:
            (lines, missing): for each late key the line of the ascending row with the same key, or
                0 if there is none; and the first missing keys, ascending.

        Raises:
            DisagreementError: A key of the file is not among the expected keys of the game.
        """
        starts, lines, lengths = np.concatenate(self._runs, axis=1)
        ascending = self._ascending
        late_lines, missing = [np.empty(0, np.int64)], late[:0]
        max_missing = min(self._max_missing, self._total - self._ascending_count)
        rank = 0
        for keys in filter(len, self._expected()):
            if not len(late) and len(missing) == max_missing:
                break
            # Find the run that can contain each expected key, and the place of the key in it.
            ranks = np.arange(rank, rank + len(keys))
            run = np.searchsorted(starts, ranks, side="right") - 1
            offset = ranks - starts[run]
            # The line of each expected key, 0 for none; ascending rows outside runs are added.
            key_lines = np.where(offset < lengths[run], lines[run] + offset, 0)
            end = int(np.searchsorted(ascending.keys, keys[-1], side="right"))
            key_lines[_indices_in(keys, ascending.keys[:end])] = ascending.lines[:end]
            ascending = ascending.select(slice(end, None))
            end = int(np.searchsorted(late, keys[-1], side="right"))
            indices = _indices_in(keys, late[:end])
            late_lines.append(key_lines[indices])
            # A late key is not missing, so it needs any line but 0.
            key_lines[indices] = 1
            missing = np.concatenate((missing, keys[key_lines == 0]))[:max_missing]
            rank, late = rank + len(keys), late[end:]
        else:
            _check_expected(not len(late) and not len(ascending.keys))
        return np.concatenate(late_lines), missing


def _indices_in(block: Ints, keys: Ints) -> Ints:
    """Return the indices of keys in an ascending block of expected keys.

    No key is above the last of the block. Raises DisagreementError if one is not in it.
    """
    indices = np.searchsorted(block, keys)
    _check_expected((block[indices] == keys).all())
    return indices


def _check_expected(expected: bool) -> None:
    """Raise DisagreementError unless `expected`: whether legal rows are among the expected ones."""
    if not expected:
        raise DisagreementError("internal error: the grammar agrees to a row that is not found")


def _join(parts: list[NumberedRows]) -> NumberedRows:
    empty = NumberedRows(np.empty(0, np.int64), np.empty(0, np.int64))
    keys, lines = (np.concatenate(columns) for columns in zip(empty, *parts, strict=True))
    return NumberedRows(keys, lines)
