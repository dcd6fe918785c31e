"""Corrections of a file of puzzles, from the findings of an audit.

Right values are kept byte for byte, and wrong ones are replaced. Rows that are repeated, unreadable
or unsolvable are left out; an unsolvable row stays if it gives a closest value.
"""

import pickle
from collections.abc import Iterable, Iterator
from itertools import groupby
from tempfile import TemporaryFile
from typing import NamedTuple, Self

from crisps24.training.row_changes import RowChange
from crisps24.training.row_checks import KINDS, Flaw

# The kinds of claims that make a row without a solution complete.
_NEAREST = ("closest", "distance")


class Correction(NamedTuple):
    line: int
    change: RowChange
    """New values by column; None leaves the row out, and an empty dict keeps it."""
    flaws: tuple[Flaw, ...]

    def describe(self, flaw: Flaw) -> str:
        """Return the correction of a flaw in words; empty for one that needs no correction."""
        if self.change is None:
            return "the row is left out"
        if flaw.right:
            right = flaw.right if isinstance(flaw.right, str) else "; ".join(flaw.right)
            return f"{flaw.column} is now {right}"
        kind = KINDS[flaw.kind]
        if kind.drops_row:
            # Without its closest value, the row would be left out.
            return "the row has the closest value"
        return "not corrected" if kind.is_error else ""

    @property
    def leaves_error(self) -> bool:
        return any(self.describe(flaw) == "not corrected" for flaw in self.flaws)


def corrections(flaws: Iterable[Flaw]) -> Iterator[Correction]:
    """Yield the correction of each row that has flaws; flaws of one row follow each other."""
    for line, group in groupby(flaws, key=lambda flaw: flaw.line):
        row_flaws = tuple(group)
        kinds = {flaw.kind for flaw in row_flaws}
        if any(flaw.kind in _NEAREST and flaw.right for flaw in row_flaws):
            # It gets its closest value.
            kinds.discard("unsolvable")
        change = {flaw.column: flaw.right for flaw in row_flaws if flaw.right}
        is_left_out = any(KINDS[kind].drops_row for kind in kinds)
        yield Correction(line, None if is_left_out else change, row_flaws)


class StoredCorrections:
    """The corrections of a file, on disk, since each of millions of rows can be wrong."""

    def __init__(self, corrections: Iterable[Correction]) -> None:
        self.changed_count = self.left_out_count = 0
        self.leaves_error = False
        self._file = TemporaryFile()  # noqa: SIM115 - `__exit__` closes it
        for correction in corrections:
            self.changed_count += bool(correction.change)
            self.left_out_count += correction.change is None
            self.leaves_error |= correction.leaves_error
            pickle.dump(correction, self._file)
        self._unread = iter(self)
        self._next = next(self._unread, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Correction]:
        """Yield the corrections, after the last call of `get`."""
        self._file.seek(0)
        while True:
            try:
                yield pickle.load(self._file)
            except EOFError:
                return

    def get(self, number: int, default: RowChange, /) -> RowChange:
        """Return the change of a row; the numbers of the rows ascend."""
        change = default
        while self._next is not None and self._next.line <= number:
            change = self._next.change if self._next.line == number else default
            self._next = next(self._unread, None)
        return change
