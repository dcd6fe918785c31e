"""Overlaps: puzzles of one file that are also in another one, such as test puzzles in training.

Rules are ignored, since a model that knows a solution of a puzzle can repeat it in other games. The
kinds of overlaps are in `OVERLAP_KINDS`; the first one that fits counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd, lcm
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.table_rows import RecordLine
from crisps24.messages.message import message
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from crisps24.training.audits import batched_claims
from crisps24.training.first_rows import FirstRows, puzzle_hash
from crisps24.training.row_claims import ClaimReader, RowClaims


class OverlapKind(NamedTuple):
    """A way in which two puzzles can be the same or similar."""

    message: str
    """The finding about a row, after the line of the other file."""
    meaning: str
    form: Callable[[RowClaims], tuple[Hand, Exact]]
    """Returns numbers and a target, which are equal for puzzles that overlap in this way."""


def _scaled(hand: Hand, target: Exact) -> tuple[Hand, Exact]:
    """Return numbers and a target divided by the largest number that leaves whole numbers."""
    numbers = (*hand, target)
    denominator = lcm(*(number.denominator for number in numbers))
    whole = [int(number * denominator) for number in numbers]
    # If all numbers are 0, so is their divisor.
    divisor = gcd(*whole) or 1
    *scaled, target = (number // divisor for number in whole)
    return tuple(scaled), target


def split_puzzles(
    puzzles: Sequence[Puzzle], sizes: Sequence[Exact], *, is_exact: bool = False
) -> list[list[Puzzle]]:
    """Divide puzzles into parts of some sizes, none of which overlaps with another.

    In each kind of overlap one hand is a multiple of the other, so such puzzles stay together. The
    sizes are about some percentages; or, if they are exact, numbers of puzzles.
    """
    hands = [_scaled(tuple(sorted(puzzle.hand)), 0)[0] for puzzle in puzzles]
    together = Counter(hands)
    order = [*range(len(hands))]
    if is_exact:
        # Groups fit exactly if the largest are placed first, since most are of one puzzle.
        order.sort(key=lambda index: -together[hands[index]])
    parts: list[list[int]] = [[] for _ in sizes]
    part_by_hand: dict[Hand, list[int]] = {}
    for number, index in enumerate(order, 1):
        if (hand := hands[index]) not in part_by_hand:
            # In percent: of the puzzles so far.
            whole, count = (1, 1) if is_exact else (100, number)
            missing = [size * count - whole * len(parts[i]) for i, size in enumerate(sizes)]
            part_by_hand[hand] = parts[missing.index(max(missing))]
        part_by_hand[hand].append(index)
    dealt = [[puzzles[index] for index in sorted(part)] for part in parts]
    if (different := sum(len(set(part)) for part in dealt)) < len(puzzles):
        problem = f"only {different:,} different puzzles satisfy the conditions"
        raise RefusedError(f"{problem}, and parts have no puzzle twice: lower --count")
    wrong = is_exact and [*map(len, dealt)] != [*sizes]
    if wrong or not all(part or not size for part, size in zip(dealt, sizes, strict=True)):
        raise RefusedError(message("deal.split_few", count=len(puzzles)))
    return dealt


OVERLAP_KINDS = {
    "exact": OverlapKind(
        "the same numbers in the same order, and the same target",
        "rows with the same numbers in the same order, and the same target",
        lambda row: (row.hand, row.puzzle.target),
    ),
    "permuted": OverlapKind(
        "the same numbers in another order, and the same target",
        "rows with the same numbers in another order, and the same target",
        lambda row: (row.puzzle.hand, row.puzzle.target),
    ),
    "scaled": OverlapKind(
        "all numbers and the target times the same factor",
        "rows whose numbers and target are a multiple or a part, in any order",
        lambda row: _scaled(row.puzzle.hand, row.puzzle.target),
    ),
    "hand": OverlapKind(
        "the same numbers and another target",
        "rows with the same numbers in any order, and another target",
        # No target is the same for all: any constant does.
        lambda row: (row.puzzle.hand, 0),
    ),
}


class Overlap(NamedTuple):
    """A row whose puzzle is in the other file too, or that cannot be read."""

    line: int
    kind: str
    message: str
    other: int | None = None

    def row(self) -> Row:
        return {"line": self.line, "kind": self.kind, "other": self.other, "told": self.message}


class PuzzleIndex:
    """The puzzles of a file, and the search for other puzzles among them."""

    def __init__(self, reader: ClaimReader) -> None:
        self.reader = reader
        self.counts = Counter[str]()
        self._first_lines = {kind: FirstRows() for kind in OVERLAP_KINDS}

    def add(self, rows: Iterable[RecordLine]) -> Iterator[Overlap]:
        """Add the puzzles of a file; yield the rows that cannot be read."""
        for claims in batched_claims(self._read(rows)):
            yield from (row for row in claims if isinstance(row, Overlap))
            puzzles = [row for row in claims if isinstance(row, RowClaims)]
            for name, kind in OVERLAP_KINDS.items():
                hashes = [puzzle_hash(*kind.form(row)) for row in puzzles]
                self._first_lines[name].add(hashes, [row.line for row in puzzles])

    def find(
        self, rows: Iterable[RecordLine], progress: Callable[[int], object] | None = None
    ) -> Iterator[Overlap]:
        """Yield the rows of another file whose puzzles are among those added."""
        for claims in batched_claims(self._read(rows)):
            self.counts["rows"] += len(claims)
            found = {row.line: row for row in claims if isinstance(row, Overlap)}
            puzzles = [row for row in claims if isinstance(row, RowClaims)]
            for name, kind in OVERLAP_KINDS.items():
                puzzles = [row for row in puzzles if row.line not in found]
                hashes = [puzzle_hash(*kind.form(row)) for row in puzzles]
                firsts = self._first_lines[name].find(hashes)
                for row, first in zip(puzzles, firsts, strict=True):
                    if first:
                        found[row.line] = Overlap(row.line, name, kind.message, first)
            self.counts.update(overlap.kind for overlap in found.values())
            yield from sorted(found.values())
            if progress is not None:
                progress(len(claims))

    def _read(self, rows: Iterable[RecordLine]) -> Iterator[RowClaims | Overlap]:
        for line, claims in self.reader.read_all(rows):
            if isinstance(claims, CrispsError):
                yield Overlap(line, "unreadable", str(claims))
            else:
                yield claims

    def summary(self) -> list[Row]:
        meanings = {"rows": "rows that were compared"}
        meanings |= {name: kind.meaning for name, kind in OVERLAP_KINDS.items()}
        meanings["unreadable"] = "rows that cannot be read"
        return [
            {"what": name, "count": self.counts[name], "meaning": meaning}
            for name, meaning in meanings.items()
        ]

    @property
    def has_overlaps(self) -> bool:
        return any(self.counts[kind] for kind in OVERLAP_KINDS)
