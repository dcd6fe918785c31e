"""Puzzles of one file that are in another one, compared with a brute force."""

from fractions import Fraction
from itertools import islice, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crisps24.training.overlaps import OVERLAP_KINDS, PuzzleIndex
from crisps24.training.row_claims import ClaimReader
from tests.hands.dealing import HALF

_HANDS = st.lists(st.sampled_from([0, 1, 2, 3, 4, 6, "1/2", "3/2", -2]), min_size=1, max_size=3)
PUZZLES = st.lists(st.tuples(_HANDS, st.sampled_from([0, 2, 4, 6, "3/2"])), max_size=6)
Puzzle = tuple[list[Any], Any]


def is_overlap(kind: str, puzzle: Puzzle, other: Puzzle) -> bool:
    hand, target = [Fraction(number) for number in puzzle[0]], Fraction(puzzle[1])
    other_hand, other_target = [Fraction(number) for number in other[0]], Fraction(other[1])
    if kind == "hand":
        return sorted(hand) == sorted(other_hand)
    if kind == "scaled":
        # The factor has to turn some number into another one.
        pairs = product([*hand, target], [*other_hand, other_target])
        factors = {new / old for new, old in pairs if old} | {Fraction(1)}
        scaled = [([f * n for n in other_hand], f * other_target) for f in factors if f > 0]
        return any((sorted(hand), target) == (sorted(numbers), goal) for numbers, goal in scaled)
    if target != other_target:
        return False
    return hand == other_hand if kind == "exact" else sorted(hand) == sorted(other_hand)


def rows_of(puzzles: list[Puzzle]) -> list[tuple[int, dict[str, Any]]]:
    return [(n, {"nums": hand, "target": target}) for n, (hand, target) in enumerate(puzzles, 1)]


@HALF
@given(PUZZLES, PUZZLES)
def test_overlaps_equal_brute_force(train: list[Puzzle], test: list[Puzzle]) -> None:
    index = PuzzleIndex(ClaimReader())
    assert list(index.add(rows_of(test))) == []
    found = [(overlap.line, overlap.kind, overlap.other) for overlap in index.find(rows_of(train))]
    expected: list[tuple[int, str, int]] = []
    for line, puzzle in enumerate(train, 1):
        pairs = product(OVERLAP_KINDS, enumerate(test, 1))
        seen = ((line, kind, n) for kind, (n, other) in pairs if is_overlap(kind, puzzle, other))
        expected += islice(seen, 1)
    assert found == expected
    assert index.has_overlaps == bool(expected)
    counts = {row["what"]: row["count"] for row in index.summary()}
    assert counts["rows"] == len(train)
    for kind in OVERLAP_KINDS:
        assert counts[kind] == sum(kind == name for _, name, _ in expected)


def test_rules_are_ignored_and_unreadable_rows_are_reported() -> None:
    index = PuzzleIndex(ClaimReader())
    zeros = {"nums": [0, 0], "target": 0}
    added: Any = [(1, "# note"), (2, {"id": "countdown:3.8=24"}), (3, {"nums": [3]}), (4, zeros)]
    assert [(row.line, row.kind) for row in index.add(added)] == [(3, "unreadable")]
    rows: list[tuple[int, Any]] = [(1, {"hand": "3 8", "goal": "24"}), (2, {}), (3, "")]
    counts: list[int] = []
    found = list(index.find(rows, counts.append))
    shown = [(row.line, row.kind, row.other) for row in found]
    assert shown == [(1, "exact", 2), (2, "unreadable", None)]
    told = "the same numbers in the same order, and the same target"
    assert found[0].row() == {"line": 1, "kind": "exact", "other": 2, "told": told}
    assert counts == [2]
