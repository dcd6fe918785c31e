"""Planted faults of every kind, in 1,000 rows and five formats: all found, nothing else, fixed."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crisps24.cli.program import main
from crisps24.judging.judge import Judgement
from crisps24.training.audits import Auditor
from crisps24.training.data_files import DataFile
from crisps24.training.rewards import puzzle_from_row
from crisps24.training.row_checks import KINDS, Flaw
from crisps24.training.row_claims import ClaimReader
from tests.sampling import EVERY
from tests.training.planted import Planted, planted_rows
from tests.training.test_data_files import WRITERS, Fields, numbers_of

# Findings that need no correction.
NOTES = {"dealt", "sums", "undecided"}
# 1,000 rows in the long run; their brute force takes 6 seconds.
SHARE = 1 if EVERY else 5


@pytest.fixture(scope="module")
def rows() -> list[Planted]:
    return planted_rows(37, SHARE)


def without_empty(row: Fields) -> Fields:
    return {name: value for name, value in row.items() if value is not None}


def with_text(row: Fields) -> Fields:
    """Return a row as a table has it: an empty cell has no value."""
    return {name: "" if value is None else value for name, value in row.items()}


def write(suffix: str, rows: list[Planted]) -> bytes:
    shape: Any = {"jsonl": without_empty, "json": without_empty, "parquet": dict}
    return WRITERS[suffix]([shape.get(suffix, with_text)(planted.row) for planted in rows])


def flaws_of(path: Path) -> list[Flaw]:
    with path.open("rb") as source:
        file = DataFile(source, path.name, ["nums"])
        return list(Auditor(ClaimReader()).check(file.rows()))


def test_every_kind_is_planted(rows: list[Planted]) -> None:
    assert len(rows) >= 1000 // SHARE
    counts = Counter(kind for planted in rows for kind in planted.kinds)
    assert counts.keys() == KINDS.keys()
    assert all(count >= 10 // SHARE for kind, count in counts.items() if kind != "undecided")
    assert sum(not planted.kinds for planted in rows) > 200 // SHARE


@pytest.mark.parametrize("suffix", WRITERS)
def test_all_faults_are_found_and_nothing_else(
    suffix: str, tmp_path: Path, rows: list[Planted]
) -> None:
    path = tmp_path / f"planted.{suffix}"
    path.write_bytes(write(suffix, rows))
    lines = numbers_of(suffix, [planted.row for planted in rows])
    expected = [
        (line, kind) for line, planted in zip(lines, rows, strict=True) for kind in planted.kinds
    ]
    assert [(flaw.line, flaw.kind) for flaw in flaws_of(path)] == sorted(expected)


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_corrected_file_has_no_faults(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[Planted]
) -> None:
    path, out = tmp_path / f"planted.{suffix}", tmp_path / f"corrected.{suffix}"
    data = write(suffix, rows)
    path.write_bytes(data)
    assert main(["audit", str(path), "--fix", str(out), "--format", "jsonl"]) == 0
    assert path.read_bytes() == data
    changes = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["kind"] for row in changes if not row["change"]} == NOTES
    assert not [row for row in changes if row["change"] == "not corrected"]
    # What is left has no faults: each key is judged, whatever the audit says.
    assert {flaw.kind for flaw in flaws_of(out)} == NOTES
    with out.open("rb") as source:
        corrected = [row for _, row in DataFile(source, out.name, ["nums", "note"]).rows()]
    kept = [planted for planted in rows if not planted.is_left_out]
    assert len(corrected) == len(kept)
    for row, planted in zip(corrected, kept, strict=True):
        assert isinstance(row, dict)
        check_corrected(row, planted)


def check_corrected(row: Fields, planted: Planted) -> None:
    columns = {"key": "answer", "distance": "delta"}
    changed = {columns.get(kind, kind) for kind in planted.kinds} - NOTES
    for name, value in planted.row.items():
        same = row.get(name) in (value, str(value), "" if value is None else value)
        if name == "nums" and isinstance(value, list):
            same = row[name] in (value, " ".join(map(str, value)))
        assert same != (name in changed), (name, row, planted)
    if row.get("answer"):
        plain = {name: value for name, value in row.items() if value not in ("", None)}
        judgement: Judgement = puzzle_from_row(plain).judge(row["answer"])
        assert judgement or row.get("closest") not in (None, "", row["target"])


def test_lines_without_faults_keep_their_bytes(tmp_path: Path, rows: list[Planted]) -> None:
    path, out = tmp_path / "planted.jsonl", tmp_path / "corrected.jsonl"
    path.write_bytes(write("jsonl", rows))
    main(["audit", str(path), "--fix", str(out)])
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [
        line
        for line, planted in zip(lines, rows, strict=True)
        if not planted.is_left_out and NOTES.issuperset(planted.kinds)
    ]
    corrected = out.read_bytes().splitlines(keepends=True)
    assert [line for line in corrected if line in set(kept)] == kept
