"""The rows of a file held against those that a game gives: which are new, late, twice, missing.

Both come in order, by their keys; a row of the file that is no larger than one before it is
*late*. Rows that are where they should be leave nothing behind but where such runs begin, so that
memory grows with the disorder of a file and not with its length; late rows are put in their places
at the end, when what the game gives is gone through once more. Owns this merge of keys; knows
nothing of bytes and sentences.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crisps24.rows.integers import Column

Keys = Callable[[], Iterator[Column]]


class Settled(NamedTuple):
    """What became of the late rows, and what is missing.

    `wrong`, `twice` and `behind` are lines, ascending, of rows that the game does not give, of
    those that are there already (`first` says in which line) and of those that belong further up,
    with their keys. `missing` are the first keys that are missing, `lacking` is how many are.
    """

    wrong: Column
    wrong_keys: Column
    twice: Column
    twice_keys: Column
    first: Column
    behind: Column
    behind_keys: Column
    missing: list[int]
    lacking: int


class Ledger:
    """The rows of one file, block by block."""

    def __init__(
        self,
        expected: Iterator[Column],
        total: int,
        legal: Callable[[Column], Column],
        most_missing: int,
    ) -> None:
        """Begin with no rows.

        `expected` gives the keys there should be, ascending, `total` of them; `legal` says of any
        keys whether they are among those; so many missing ones are named at most.
        """
        self._expected = expected
        self.total = total
        self._legal = legal
        self._most_missing = most_missing
        self._next: Column = np.empty(0, np.int64)
        # How many expected keys are before those in `_next`, and the largest row so far.
        self._rank = 0
        self._largest = -1
        self.met = 0
        self._skipped: list[int] = []
        # Runs of rows where both go on by one: rank and line of the first, and how many.
        self._runs: list[Column] = []
        self._late_keys: list[Column] = []
        self._late_lines: list[Column] = []

    def add(self, keys: Column, lines: Column) -> Column:
        """Take the next rows, with their lines ascending; return which may be legal.

        Of late rows that is said at the end.
        """
        legal = np.ones(len(keys), bool)
        if not len(keys):
            return legal
        if keys[0] > self._largest and bool(np.all(keys[1:] > keys[:-1])):
            self._advance(keys, lines, legal)
            return legal
        above = np.flatnonzero(keys > self._largest)
        if len(above):
            # What is not legal says nothing of how far the file has come.
            legal[above] = self._legal(keys[above])
            keys, lines = keys[legal], lines[legal]
        before = np.maximum.accumulate(np.append(np.array([self._largest], keys.dtype), keys))[:-1]
        new = keys > before
        self._late_keys.append(keys[~new])
        self._late_lines.append(lines[~new])
        self._advance(keys[new], lines[new], np.ones(int(new.sum()), bool))
        return legal

    def _advance(self, keys: Column, lines: Column, legal: Column) -> None:
        """Meet keys larger than all before with those expected; clear `legal` where there is none.

        What is passed over is missing, unless it comes late.
        """
        left = np.arange(len(keys))
        while len(left):
            if not (len(self._next) or self._more()):
                legal[left] = False
                return
            within = int(np.searchsorted(keys[left], self._next[-1], side="right"))
            self._meet(keys, lines, legal, left[:within])
            left = left[within:]
            if len(left) and len(self._next):
                # What is not legal says nothing of how far the file has come.
                if not self._legal(keys[left[:1]])[0]:
                    good = self._legal(keys[left])
                    legal[left[~good]] = False
                    left = left[good]
                if len(left):
                    self._pass()

    def _more(self) -> bool:
        """Have some of the next expected keys at hand; return whether there are any."""
        while not len(self._next):
            more = next(self._expected, None)
            if more is None:
                return False
            self._next = more
        return True

    def _meet(self, keys: Column, lines: Column, legal: Column, which: Column) -> None:
        """Meet some keys, none above the next expected ones."""
        if not len(which):
            return
        at = np.searchsorted(self._next, keys[which])
        met = self._next[np.minimum(at, len(self._next) - 1)] == keys[which]
        legal[which[~met]] = False
        at, which = at[met], which[met]
        if len(at):
            self._keep(self._rank + at, lines[which])
            self._note_skipped(at)
            self._largest = int(keys[which[-1]])
            self.met += len(at)
            self._next = self._next[at[-1] + 1 :]
            self._rank += int(at[-1]) + 1

    def _note_skipped(self, met: Column) -> None:
        if len(self._skipped) < self._most_missing and len(met) <= met[-1]:
            skipped = np.ones(int(met[-1]) + 1, bool)
            skipped[met] = False
            self._skipped += self._next[np.flatnonzero(skipped)].tolist()

    def _pass(self) -> None:
        """Go on behind the expected keys at hand."""
        if len(self._skipped) < self._most_missing:
            self._skipped += self._next[: self._most_missing].tolist()
        self._rank += len(self._next)
        self._next = self._next[:0]

    def _keep(self, ranks: Column, lines: Column) -> None:
        breaks = (np.diff(ranks) != 1) | (np.diff(lines) != 1)
        starts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
        sizes = np.diff(np.append(starts, len(ranks)))
        self._runs.append(np.array([ranks[starts], lines[starts], sizes]))

    def settle(self, expected: Keys) -> Settled:
        """Say what became of the late rows, and what is missing, when all rows are in.

        `expected` gives the expected keys once more.
        """
        late = np.concatenate([self._next[:0], *self._late_keys])
        lines = np.concatenate([np.empty(0, np.int64), *self._late_lines])
        if not len(late):
            lacking = self.total - self.met
            while len(self._skipped) < min(lacking, self._most_missing) and self._more():
                self._pass()
            missing = self._skipped[: self._most_missing]
            return Settled(lines, late, lines, late, lines, lines, late, missing, lacking)
        order = np.argsort(late, kind="stable")
        new_key = np.concatenate(([True], late[order[1:]] != late[order[:-1]]))
        distinct = late[order[new_key]]
        known, met_in, missing = self._found_late(distinct, expected())
        # Of a key that was not met in order, the first late row is the one that is there.
        first = np.where(met_in > 0, met_in, lines[order[new_key]])
        group = np.empty(len(late), np.intp)
        group[order] = np.cumsum(new_key) - 1
        legal, first = known[group], first[group]
        twice = legal & (first != lines)
        there = legal & (first == lines)
        behind = np.flatnonzero(there)[self._behind(late[there], lines[there])]
        return Settled(
            lines[~legal],
            late[~legal],
            lines[twice],
            late[twice],
            first[twice],
            lines[behind],
            late[behind],
            missing,
            self.total - self.met - int(there.sum()),
        )

    def _found_late(
        self, distinct: Column, expected: Iterator[Column]
    ) -> tuple[Column, Column, list[int]]:
        """Return which late keys are expected, where they were met in order, and what is missing.

        Where is a line, 0 for nowhere.
        """
        ranks, lines, sizes = np.concatenate([np.empty((3, 0), np.int64), *self._runs], axis=1)
        known = np.zeros(len(distinct), bool)
        met_in = np.zeros(len(distinct), np.int64)
        missing: list[int] = []
        rank, done = 0, 0
        for keys in expected:
            if done == len(distinct) and len(missing) >= self._most_missing:
                break
            if not len(keys):
                continue
            end = int(np.searchsorted(distinct, keys[-1], side="right"))
            at = np.searchsorted(keys, distinct[done:end])
            is_known = keys[at] == distinct[done:end]
            run = np.searchsorted(ranks, rank + at, side="right") - 1
            offset = rank + at - ranks[run]
            met = is_known & (run >= 0) & (offset < sizes[run])
            known[done:end] = is_known
            met_in[done:end] = np.where(met, lines[run] + offset, 0)
            if len(missing) < self._most_missing:
                there = self._there(ranks, sizes, rank, len(keys))
                there[at[is_known]] = True
                missing += keys[np.flatnonzero(~there)[: self._most_missing]].tolist()
            rank, done = rank + len(keys), end
        return known, met_in, missing[: self._most_missing]

    @staticmethod
    def _there(ranks: Column, sizes: Column, rank: int, count: int) -> Column:
        """Return which of so many expected keys from a rank on were met in order."""
        change = np.zeros(count + 1, np.int64)
        first = np.searchsorted(ranks + sizes, rank, side="right")
        some = slice(first, np.searchsorted(ranks, rank + count))
        np.add.at(change, np.clip(ranks[some] - rank, 0, count), 1)
        np.add.at(change, np.clip(ranks[some] + sizes[some] - rank, 0, count), -1)
        return np.cumsum(change[:-1]) > 0

    def _behind(self, keys: Column, lines: Column) -> Column:
        """Return which late rows are smaller than the row before them that is there."""
        if not len(keys):
            return np.empty(0, bool)
        _, run_lines, sizes = np.concatenate(self._runs, axis=1)
        run = np.searchsorted(run_lines, lines) - 1
        # The row before is the last one met in order, which is larger, or the late one before.
        last_met = run_lines[run] + sizes[run] - 1
        before_is_late = np.concatenate(([False], lines[:-1] > last_met[1:]))
        smaller = np.concatenate(([True], keys[1:] < keys[:-1]))
        return ~before_is_late | smaller
