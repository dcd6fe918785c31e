"""Compare the rows of a file with those of a game: wrong, twice, late or missing.

Legal rows that ascend are *in order*; a legal row that is not larger than one before it is *late*.
If all are in order, and as many as are counted, the file is complete, and no row of the game is
generated. Otherwise both are merged: of rows in order only the starts of runs are kept, so that
memory grows with the disorder of a file and not with its length.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crisps24.enumeration.enumeration import DisagreementError
from crisps24.rules.ratios import Ints

# Rows that are judged together, so that the work a pattern of operators takes is shared by many.
TOGETHER = 1 << 22


class Lined(NamedTuple):
    """The keys of some rows, and the lines that they are in, ascending."""

    keys: Ints
    lines: Ints

    def those(self, which: Ints | slice) -> "Lined":
        """Return some of them."""
        return Lined(self.keys[which], self.lines[which])


class Settled(NamedTuple):
    """What became of the rows of a file.

    `wrong` are the first rows that the game does not give, `all_wrong` is how many there are;
    `twice` are there already, in the lines `first`; `behind` belong further up; `missing` are the
    first keys that are not there, `lacking` is how many are not.
    """

    wrong: Lined
    all_wrong: int
    twice: Lined
    first: Ints
    behind: Lined
    missing: Ints
    lacking: int


class Ledger:
    """The rows of one file, block by block.

    `legal` says of any keys whether the game gives them, `expected` gives all that it does,
    ascending, `total` of them; so many wrong and missing rows are named at most.
    """

    def __init__(
        self,
        legal: Callable[[Ints], Ints],
        expected: Callable[[], Iterator[Ints]],
        total: int,
        most_wrong: int,
        most_missing: int,
    ) -> None:
        """Begin with no rows."""
        self._legal = legal
        self._expected = expected
        self._total = total
        self._most_wrong = most_wrong
        self._most_missing = most_missing
        self._waiting: list[Lined] = []
        self._wrong = _joined([])
        self._all_wrong = 0
        # The largest key so far; rows in order that have no rank yet, and how many there are in
        # all; runs of those where rank and line go on by one: both of the first, and how many.
        self._largest: Ints = np.array([-1])
        self._in_order = _joined([])
        self._ordered = 0
        self._runs: list[Ints] = [np.array([[-1], [0], [0]])]
        self._late: list[Lined] = []
        # How many rows in order are before each late one.
        self._before: list[Ints] = [np.empty(0, np.int64)]
        # Some expected keys, the rank of the first, and those that follow.
        self._piece: Ints = np.array([-1])
        self._rank = -1
        self._pieces = filter(len, expected())

    def add(self, rows: Lined) -> None:
        """Take the next rows."""
        self._waiting.append(rows)
        if sum(len(each.keys) for each in self._waiting) >= TOGETHER:
            self._judge()
            self._keep_runs()

    def _judge(self) -> None:
        """Judge all rows that wait."""
        rows, self._waiting = _joined(self._waiting), []
        legal = self._legal(rows.keys)
        if not legal.all():
            wrong, rows = rows.those(~legal), rows.those(legal)
            self._all_wrong += len(wrong.keys)
            self._wrong = _joined([self._wrong, wrong]).those(slice(self._most_wrong))
        largest = np.maximum.accumulate(np.concatenate((self._largest, rows.keys)))
        self._largest = largest[-1:].copy()
        in_order = rows.keys > largest[:-1]
        if not in_order.all():
            self._late.append(rows.those(~in_order))
            self._before.append(self._ordered + np.cumsum(in_order)[~in_order])
            rows = rows.those(in_order)
        self._in_order = rows
        self._ordered += len(rows.keys)

    def _keep_runs(self) -> None:
        """Keep of the rows in order that were judged last where their runs begin."""
        rows, self._in_order = self._in_order, _joined([])
        while len(rows.keys):
            end = int(np.searchsorted(rows.keys, self._piece[-1], side="right"))
            (keys, lines), rows = rows.those(slice(end)), rows.those(slice(end, None))
            ranks = self._rank + _places_of(keys, self._piece)
            starts = np.flatnonzero(np.diff(ranks, prepend=-2) - 1 | np.diff(lines, prepend=-2) - 1)
            sizes = np.diff(starts, append=len(ranks))
            self._runs.append(np.array([ranks[starts], lines[starts], sizes]))
            if len(rows.keys):
                self._rank += len(self._piece)
                # Behind the last one there is none of these.
                self._piece = next(self._pieces, rows.keys[-1:] + 1)

    def settle(self) -> Settled:
        """Say what became of the rows, when all are in."""
        self._judge()
        late, self._late = _joined(self._late), []
        before = np.concatenate(self._before)
        lacking = self._total - self._ordered
        if not (lacking or len(late.keys)):
            return Settled(self._wrong, self._all_wrong, late, late.lines, late, late.keys, 0)
        distinct, at, group = np.unique(late.keys, return_index=True, return_inverse=True)
        met, missing = self._looked_up(distinct)
        # A key that is not met in order is there in its first late row.
        first = np.where(met, met, late.lines[at])[group]
        there = first == late.lines
        twice, late, before = late.those(~there), late.those(there), before[there]
        # The row before it that is there is in order, and so is larger, or the late one before.
        larger = late.keys < np.concatenate((late.keys[:1], late.keys[:-1]))
        behind = late.those(larger | (np.diff(before, prepend=-1) > 0))
        lacking -= len(late.keys)
        return Settled(self._wrong, self._all_wrong, twice, first[~there], behind, missing, lacking)

    def _looked_up(self, late: Ints) -> tuple[Ints, Ints]:
        """Return the lines in which keys are in order, 0 for none, and the first missing ones."""
        starts, lines, sizes = np.concatenate(self._runs, axis=1)
        ordered = self._in_order
        found, missing = [np.empty(0, np.int64)], late[:0]
        most = min(self._most_missing, self._total - self._ordered)
        rank = 0
        for keys in filter(len, self._expected()):
            if not len(late) and len(missing) == most:
                break
            ranks = np.arange(rank, rank + len(keys))
            run = np.searchsorted(starts, ranks, side="right") - 1
            offset = ranks - starts[run]
            there = np.where(offset < sizes[run], lines[run] + offset, 0)
            end = int(np.searchsorted(ordered.keys, keys[-1], side="right"))
            there[_places_of(ordered.keys[:end], keys)] = ordered.lines[:end]
            ordered = ordered.those(slice(end, None))
            end = int(np.searchsorted(late, keys[-1], side="right"))
            at = _places_of(late[:end], keys)
            found.append(there[at])
            there[at] = 1
            missing = np.concatenate((missing, keys[there == 0]))[:most]
            rank, late = rank + len(keys), late[end:]
        else:
            _refuse_unfound(not len(late) and not len(ordered.keys))
        return np.concatenate(found), missing


def _places_of(keys: Ints, piece: Ints) -> Ints:
    """Return where keys are in a piece of those expected, which none is above."""
    at = np.searchsorted(piece, keys)
    _refuse_unfound((piece[at] == keys).all())
    return at


def _refuse_unfound(found: bool) -> None:
    if not found:
        raise DisagreementError("internal error: the grammar agrees to a row that is not found")


def _joined(some: list[Lined]) -> Lined:
    nothing = Lined(np.empty(0, np.int64), np.empty(0, np.int64))
    keys, lines = (np.concatenate(columns) for columns in zip(nothing, *some, strict=True))
    return Lined(keys, lines)
