"""One row of each kind of finding, in five formats: all are found and corrected, nothing else."""

from pathlib import Path
from typing import Any

import pytest

from crisps24.cli.program import main
from crisps24.training.audits import Auditor
from crisps24.training.data_files import DataFile
from crisps24.training.row_checks import KINDS
from crisps24.training.row_claims import ClaimReader
from tests.training.test_data_files import WRITERS, Fields, cell, numbers_of

COUNTDOWN = {"game": "countdown", "nums": [3, 8], "target": 28, "answer": "3*8"}
# A row, its findings, and what a correction changes in it; None: it leaves the row out.
PLANTED: list[tuple[Fields, list[str], Fields | None]] = [
    ({"nums": [3, 8], "target": 24, "answer": "3 * 8"}, [], {}),
    ({"nums": [3, 9], "target": 25, "answer": "no solution"}, [], {}),
    ({"nums": [3, 9], "target": 26, "solvable": False}, [], {}),
    ({"nums": [3, 9], "target": 24, "answer": "3*9"}, ["unsolvable", "key"], None),
    ({"nums": [5, 5], "target": 25, "solvable": False}, ["solvable"], {"solvable": True}),
    ({"nums": [4, 6], "target": 24, "answer": "(4+6)"}, ["key"], {"answer": "6*4"}),
    ({"nums": [4, 7], "target": 28, "answer": "no solution"}, ["key"], {"answer": "7*4"}),
    (COUNTDOWN | {"closest": 25, "delta": 4}, ["closest"], {"closest": 24}),
    (COUNTDOWN | {"target": 29, "closest": 24, "delta": 4}, ["distance"], {"delta": 5}),
    ({"id": "cards:6.8=48", "level": 5}, ["level"], {"level": 1}),
    ({"nums": [8, 3], "target": 24, "answer": "3+8"}, ["duplicate", "key"], None),
    ({"nums": [3, 8]}, ["unreadable"], None),
    ({"nums": [3, 7], "target": 21, "prompt": "Make 21 from 3 8."}, ["prompt"], None),
    ({"nums": [3, 6], "target": 18, "prompt": "Make 18 from 6 3."}, [], {}),
    ({"nums": list(range(1, 13)), "target": 78, "game": "game24"}, ["undecided"], {}),
    (COUNTDOWN | {"target": 8, "answer": "8"}, ["dealt"], {}),
    ({"nums": [5, 6], "target": 11, "answer": "6 + 5"}, ["sums"], {}),
]
KEYS = ["id", "game", "nums", "target", "answer", "closest", "delta", "solvable", "level", "prompt"]
assert {kind for _, kinds, _ in PLANTED for kind in kinds} == KINDS.keys()


def in_format(suffix: str, row: Fields) -> Fields:
    """Return a row as files of a format have it: tables have empty cells, JSON has no null."""
    if suffix.startswith("json"):
        return row
    cells = {name: cell(suffix, row[name]) if name in row else None for name in KEYS}
    return cells if suffix == "parquet" else {name: text or "" for name, text in cells.items()}


def read(path: Path) -> tuple[list[Any], list[tuple[int, str]]]:
    """Return the rows of a file, and the line and kind of each finding."""
    with path.open("rb") as source:
        rows = list(DataFile(source, path.name, ["nums"]).rows())
    flaws = Auditor(ClaimReader()).check(rows)
    return [row for _, row in rows], [(flaw.line, flaw.kind) for flaw in flaws]


@pytest.mark.parametrize("suffix", WRITERS)
def test_each_kind_is_found_and_corrected_in_each_format(suffix: str, tmp_path: Path) -> None:
    path, out, right = (tmp_path / f"{name}.{suffix}" for name in ("in", "out", "right"))
    rows = [in_format(suffix, row) for row, _, _ in PLANTED]
    path.write_bytes(WRITERS[suffix](rows))
    planted = zip(numbers_of(suffix, rows), PLANTED, strict=True)
    expected = [(n, kind) for n, (_, kinds, _) in planted for kind in kinds]
    assert sorted(read(path)[1]) == sorted(expected)
    assert main(["audit", str(path), "--fix", str(out)]) == 0
    kept = [in_format(suffix, row | new) for row, _, new in PLANTED if new is not None]
    right.write_bytes(WRITERS[suffix](kept))
    assert read(out)[0] == read(right)[0]
    assert {kind for _, kind in read(out)[1]} == {"undecided", "dealt", "sums"}
