"""The command audit: findings, summaries, formats and errors."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crisps24.cli.program import main
from tests.cli.conftest import text_of
from tests.commands import Ran, Run
from tests.sampling import in_one_test

PUZZLES: list[Any] = [
    {"nums": [44, 19, 35], "target": 98, "answer": "44 + 19 + 35"},
    {"nums": [3, 3, 8, 8], "target": 24, "answer": "8 / (3 - 8 / 3)"},
    {"numbers": [8, 3, 8, 3], "target": 24, "answer": "8 * 3"},
    {"hand": "1 1 1 1", "target": "24"},
]
COLUMNS = "columns read: hand = nums or numbers or hand, target = target, key = answer\n"


@pytest.fixture
def audit(run: Run) -> Run:
    def audit(words: str, lines: list[Any] | str) -> Ran:
        Path("puzzles").write_text(text_of(lines))
        return run(f"audit puzzles {words}")

    return audit


def counted(out: str) -> dict[str, str]:
    rows = [re.split(r"\s{2,}", line) for line in out.rpartition("\n\n")[2].splitlines()[2:]]
    return {row[0]: row[1] for row in rows if len(row) == 3}


def test_table_lists_flaws_and_a_summary(audit: Run) -> None:
    status, out, err = audit("", PUZZLES)
    columns, table, _ = out.split("\n\n")
    assert (status, err, f"{columns}\n") == (1, "", COLUMNS)
    rows = [re.split("  +", line.strip()) for line in table.splitlines()[2:]]
    assert [row[:2] for row in rows] == [["3", "duplicate"], ["3", "key"], ["4", "unsolvable"]]
    expected = {"rows": "4", "different puzzles": "3", "rows with a key": "3"}
    expected |= dict.fromkeys(["unsolvable", "key", "duplicate", "sums"], "1")
    assert counted(out).items() >= expected.items()
    assert "bits: one more is a puzzle that half as many tries solve" in out
    status, out, err = audit("--solutions", PUZZLES[1:2])
    assert (status, err) == (0, "")
    what = out.splitlines()[2].split()
    assert (what, counted(out)["1 solution"]) == (["what", "count", "meaning"], "1")


# Duplicates and easy puzzles do not change the status; wrong and unreadable lines do.
@in_one_test(
    ("words", "lines", "status"),
    *(("--fail-on duplicate", PUZZLES[:1], 0), ("--fail-on dealt,sums", PUZZLES[:1], 1)),
    *(("--fail-on duplicate", [PUZZLES[1]] * 2, 1), ("--fail-on x", PUZZLES[:1], 2)),
    *(("", PUZZLES[:1], 0), ("", [PUZZLES[1]] * 2, 0), ("", PUZZLES[2:3], 1), ("", PUZZLES[3:], 1)),
    *(("", [*PUZZLES, "{"], 2), ("", ["# nothing"], 0)),
    ("", [{"nums": [1, 1, 1, 2, 2, 2, 7], "target": 16}], 0),
    # A line without a game has that of the call.
    *((words, PUZZLES[1:2], 1) for words in ("--game crisps", "--no-zero --operators=+-")),
    ("--game crisps", [PUZZLES[1] | {"game": "cards"}], 0),
)
def test_exit_status_shows_errors(words: str, lines: list[Any], status: int, audit: Run) -> None:
    assert audit(words, lines).status == status


def test_formats_for_programs_list_every_flaw(audit: Run, run: Run) -> None:
    lines = [*PUZZLES, *[PUZZLES[0]] * 30]
    for form in ("csv", "json", "jsonl"):
        ran = audit(f"--format {form}", lines)
        assert (ran.status, ran.err, len(ran.rows)) == (1, COLUMNS, 34)
        assert all(list(row) == ["line", "kind", "told", "code", "right"] for row in ran.rows)
        assert [str(row["line"]) for row in ran.rows[:4]] == ["1", "3", "3", "4"]
        assert ran.rows[2]["code"] == "numbers-missing"
        assert run(f"audit - --format {form}", typed=text_of(lines).encode()) == ran
    assert "\nand 13 more: --format jsonl has all\n" in audit("", lines).out


@pytest.mark.parametrize("name", ["bits.png", "bits.txt"])
def test_figure_that_cannot_be_drawn_is_refused_in_one_line(name: str, audit: Run) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra `plot`")
    said = "--plot: no puzzle has a difficulty to draw" if name == "bits.png" else name
    ran = audit(f"--plot {name}", PUZZLES[3:])
    assert (ran.status, ran.err.count("\n"), said in ran.err) == (2, 1, True)
    assert not Path(name).exists()


def test_several_files_share_their_puzzles(audit: Run) -> None:
    Path("b.csv").write_text("nums,target\n8 8 3 3,24\n")
    ran = audit("b.csv --format jsonl", PUZZLES[1:2])
    read = "columns read: hand = nums, target = target"
    assert (ran.status, ran.err) == (0, f"puzzles: {read}, key = answer\nb.csv: {read}\n")
    [row] = ran.rows
    told = "the same puzzle as line 1 of puzzles"
    assert (row["file"], row["line"], row["told"]) == ("b.csv", 2, told)


def test_fix_writes_a_corrected_file_and_lists_each_change(audit: Run) -> None:
    lines = [*PUZZLES[:2], PUZZLES[1] | {"nums": [3, 3, 7, 7], "answer": "3*7+3"}, *PUZZLES[2:]]
    assert audit("--fix fixed", lines).out.endswith("fixed: 1 rows changed, 2 left out\n")
    texts = Path("puzzles").read_text().splitlines()
    texts[2] = texts[2].replace("3*7+3", "7*(3+3/7)")
    assert Path("fixed").read_text().splitlines() == texts[:3]
    Path("fixed").write_text("old")
    ran = audit("--fix fixed --format csv", lines)
    changes = ["", "answer is now 7*(3+3/7)", *["the row is left out"] * 3]
    assert (ran.status, [row["change"] for row in ran.rows]) == (0, changes)
    said = ["replaced fixed", "fixed: 1 rows changed, 2 left out"]
    assert ran.err.splitlines()[1:] == said
    # Without a game, what the closest value can be is unknown.
    wrong = {"nums": [1, 1], "target": 24, "closest": 7, "answer": "1+1"}
    ran = audit("--fix fixed --format jsonl", [wrong])
    assert (ran.status, ran.rows[0]["change"]) == (1, "not corrected")
    assert Path("fixed").read_bytes() == Path("puzzles").read_bytes()


def test_a_pipe_cannot_be_fixed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.write(writing, text_of(PUZZLES).encode())
    os.close(writing)
    with os.fdopen(reading) as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        assert main(["audit", "-", "--fix", "fixed"]) == 2
    assert "a pipe cannot be copied: give the name of a file" in capsys.readouterr().err


def test_an_interrupted_copy_leaves_no_file(audit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from crisps24.training import data_files

    def copy(_: Any, out: Any, changes: Any, columns: Any) -> None:
        out.write(f"{changes.get(1, {})} {columns}".encode())
        raise OSError("the disk is full")

    monkeypatch.setattr(data_files, "JSON_LINES", data_files.JSON_LINES._replace(copy=copy))
    forms = tuple(form._replace(copy=copy) for form in data_files.DATA_FORMATS)
    monkeypatch.setattr(data_files, "DATA_FORMATS", forms)
    ran = audit("--fix fixed", PUZZLES)
    assert (ran.status, "the disk is full" in ran.err) == (2, True)
    assert list(Path().iterdir()) == [Path("puzzles")]


def test_training_is_compared_with_test(audit: Run) -> None:
    # docs/training.md has the table.
    Path("test.tsv").write_text("starting\tgoal\n8 8 3 3\t23\n5 5\t10\n")
    for lines, status, kinds in (
        *((PUZZLES[:2], 1, ["hand"]), (PUZZLES[:1], 0, [])),
        ([*PUZZLES[:2], {}], 2, ["hand", "unreadable"]),
    ):
        ran = audit("--against test.tsv --format csv", lines)
        assert ran.out.startswith("file,line,kind,other,told\n")
        assert (ran.status, [row["kind"] for row in ran.rows]) == (status, kinds)


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no shell")
def test_no_command_writes_its_input(tmp_path: Path) -> None:
    path, text = tmp_path / "a", text_of(PUZZLES[:1])
    path.write_text(text)
    (tmp_path / "b").hardlink_to(path)
    for line in (
        *("audit - --fix a < a", "audit b --fix a", "judge --file a >> a"),
        *("check --file - <> a >&0", "mark a --out b", "solve --file b >> a"),
    ):
        command = f"{sys.executable} -m crisps24 {line}"
        call = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert (call.returncode, "read and written" in call.stderr) == (2, True), line
        assert path.read_text() == text


def test_names_are_escaped(audit: Run) -> None:
    name = "a\x1b[31m"
    Path(name).write_text(json.dumps(PUZZLES[0]))
    for words in (f"--against {name}", f"--fix {name}b"):
        _, out, err = audit(words, PUZZLES)
        assert "\x1b" not in out + err
        assert "\\x1b" in out
