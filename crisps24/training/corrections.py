"""Corrections of a file of puzzles, from the findings of an audit.

Right values are kept byte for byte, and wrong ones are replaced. Rows that are repeated, unreadable
or unsolvable are left out; an unsolvable row stays if it gives a closest value.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from crisps24.training.row_changes import RowChange
from crisps24.training.row_checks import KINDS, Flaw

# The kinds of claims that make a row without a solution complete.
_NEAREST = ("closest", "distance")


class Correction(NamedTuple):
    """The correction of one row."""

    line: int
    change: RowChange
    """New values by column; None leaves the row out, and an empty dict keeps it."""
    flaws: tuple[Flaw, ...]

    def describe(self, flaw: Flaw) -> str:
        """Return the correction of a flaw in words; empty for one that needs no correction.

        >>> flaw = Flaw(1, "key", "…", right="3*8", column="answer")
        >>> Correction(1, {"answer": "3*8"}, (flaw,)).describe(flaw)
        'answer is now 3*8'
        """
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
        """Whether a wrong value stays, since the right one is not known."""
        return any(self.describe(flaw) == "not corrected" for flaw in self.flaws)


def corrections(flaws: Iterable[Flaw]) -> Iterator[Correction]:
    """Yield the correction of each row that has flaws; flaws of one row follow each other.

    >>> flaws = [Flaw(1, "sums", "…"), Flaw(2, "duplicate", "…")]
    >>> [correction.change for correction in corrections(flaws)]
    [{}, None]
    """
    for line, group in groupby(flaws, key=lambda flaw: flaw.line):
        row_flaws = tuple(group)
        change = {flaw.column: flaw.right for flaw in row_flaws if flaw.right}
        yield Correction(line, None if _is_left_out(row_flaws) else change, row_flaws)


def _is_left_out(flaws: Iterable[Flaw]) -> bool:
    kinds = {flaw.kind for flaw in flaws}
    if any(flaw.kind in _NEAREST and flaw.right for flaw in flaws):
        # It gets its closest value.
        kinds.discard("unsolvable")
    return any(KINDS[kind].drops_row for kind in kinds)
