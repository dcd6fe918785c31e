"""The command audit: findings, summaries, formats and errors."""

import csv
import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from crisps24 import deal
from crisps24.cli.program import main
from crisps24.output import executors
from tests.cli.test_screen import lines_on_a_terminal

Told = tuple[int, str, str]
Run = Callable[..., Told]

PUZZLES: list[Any] = [
    {"nums": [44, 19, 35], "target": 98, "answer": "44 + 19 + 35"},
    {"nums": [3, 3, 8, 8], "target": 24, "answer": "8 / (3 - 8 / 3)"},
    {"numbers": [8, 3, 8, 3], "target": 24, "answer": "8 * 3"},
    {"hand": "1 1 1 1", "target": "24"},
]
TABLE = """\
  line  kind        told
------  ----------  -------------------------------------------------------------------
     1  sums        + and - suffice
     3  duplicate   the puzzle of line 2 again
     3  key         the key is numbers-missing: 3 is used once, not twice, 8 is used once, not twice
     4  unsolvable  there is no solution
"""


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that audits a file of lines, or runs the words of a call."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, lines: list[Any] | str = "") -> Told:
        if lines:
            Path("puzzles").write_text(lines if isinstance(lines, str) else text_of(lines))
            words = ("puzzles", *words)
        status = main(["audit", *words])
        return status, *capsys.readouterr()

    return run


def text_of(lines: list[Any]) -> str:
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines)


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        ({}, []),
        ({"operators": "+-x"}, ["unsolvable"]),
        ({"rules": {"fractions": "no"}}, ["unsolvable"]),
        ({"fractions": "perhaps"}, ["unreadable"]),
    ],
)
def test_the_rules_of_a_line_change_its_game(
    rules: dict[str, Any], kinds: list[str], run: Run
) -> None:
    line = {"nums": [3, 3, 8, 8], "target": 24}
    out = run("--format", "jsonl", lines=[line | rules, line | {"target": 48}])[1]
    assert [json.loads(row)["kind"] for row in out.split("\n") if row] == kinds


def counted(out: str) -> dict[str, str]:
    """Return the counts of the summary."""
    rows = [line.rsplit(None, 1) for line in out.rpartition("\n\n")[2].splitlines()[2:]]
    return {row[0].strip(): row[1] for row in rows if "parted" not in row[0]}


def test_a_file_is_reported_line_by_line_and_summed_up(run: Run) -> None:
    status, out, err = run(lines=PUZZLES)
    assert (status, err) == (1, "")
    told = out.partition("\n\n")[0].splitlines()
    assert [line.split() for line in told[2:]] == [line.split() for line in TABLE.splitlines()[2:]]
    found = counted(out)
    assert (found["rows"], found["different puzzles"], found["rows with a key"]) == ("4", "3", "3")
    assert [found[kind] for kind in ("unsolvable", "key", "duplicate", "sums")] == ["1"] * 4
    assert "bits: one more is a puzzle that half as many tries solve" in out


def test_a_file_without_a_flaw_is_summed_up_alone(run: Run) -> None:
    status, out, err = run("--solutions", lines=[json.dumps(PUZZLES[1])])
    assert (status, err) == (0, "")
    assert out.splitlines()[0].split() == ["what", "count"]
    assert counted(out)["1 solution"] == "1"


# Duplicates and easy puzzles do not change the status; wrong and unreadable lines do.
STATUSES: list[tuple[list[Any], int]] = [
    (PUZZLES[:1], 0),
    ([PUZZLES[1]] * 2, 0),
    (PUZZLES[2:3], 1),
    (PUZZLES[3:], 1),
    ([*PUZZLES, "{"], 2),
    (["# nothing"], 0),
    ([{"nums": [1, 1, 1, 2, 2, 2, 7], "target": 16}], 0),
]


@pytest.mark.parametrize(("lines", "status"), STATUSES)
def test_the_status_says_whether_a_file_is_well(lines: list[Any], status: int, run: Run) -> None:
    assert run(lines=lines)[0] == status


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_programs_get_every_flaw(form: str, run: Run) -> None:
    lines = [*PUZZLES, *[PUZZLES[0]] * 30]
    status, out, err = run("--format", form, lines=lines)
    found: list[Any]
    if form == "json":
        found = json.loads(out)
    elif form == "jsonl":
        found = [json.loads(line) for line in out.splitlines()]
    else:
        delimiter = "\t" if form == "tsv" else ","
        found = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
    assert (status, err, len(found)) == (1, "", 34)
    assert all(list(row) == ["line", "kind", "told", "code"] for row in found)
    assert [str(row["line"]) for row in found[:4]] == ["1", "3", "3", "4"]
    assert found[2]["code"] == "numbers-missing"
    shown = run(lines=lines)[1]
    assert "\nand 14 more: --format jsonl has all\n" in shown


def test_a_table_of_puzzles_is_read(run: Run) -> None:
    status, out, _ = run("--format", "csv", lines="hand,target,answer\n3 8,24,3*8\n3 8,25,\n")
    assert (status, out) == (1, "line,kind,told,code\n3,unsolvable,there is no solution,\n")


def test_a_game_is_that_of_the_call_where_a_line_says_none(run: Run) -> None:
    assert run(lines=[PUZZLES[1]])[0] == 0
    for words in (["--game", "crisps"], ["--no-zero", "--operators", "+-"], ["--most", "8"]):
        assert run(*words, lines=[PUZZLES[1]])[0] == 1
    assert run("--game", "crisps", lines=[PUZZLES[1] | {"game": "cards"}])[0] == 0


WRONG: list[tuple[str, str]] = [
    ("", "Missing argument 'FILE'"),
    ("nowhere", "'nowhere': No such file or directory"),
    ("empty", "the file has no line"),
    ("prose", "line 1 is no JSON, and names no column of id, nums, numbers, hand, card"),
    ("--workers 0 puzzles", "'--workers'"),
    ("--format nope puzzles", "unknown format 'nope'"),
    ("--game chess puzzles", "unknown game 'chess'"),
    ("none --plot bits.png", "--plot: no puzzle has a difficulty to draw"),
    ("none --plot bits.txt", "bits.txt"),
]


@pytest.mark.parametrize(("line", "sentence"), WRONG)
def test_a_wrong_call_is_refused_in_one_line(line: str, sentence: str, run: Run) -> None:
    if "--plot" in line:
        pytest.importorskip("matplotlib", reason="figures need the extra `plot`")
    Path("empty").write_text("\n")
    Path("prose").write_text("What is made of 3 and 8?\n")
    Path("none").write_text(text_of(PUZZLES[3:]))
    status, _, err = run(*shlex.split(line))
    assert (status, err.count("\n")) == (2, 1)
    assert sentence in err
    assert not Path("bits.png").exists()


def test_the_bits_are_drawn(run: Run) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra `plot`")
    cards = [{"id": puzzle.id} for puzzle in deal("cards", 12, seed=7)]
    status, out, err = run("--plot", "bits.svg", lines=[*cards, *PUZZLES[:2]])
    assert (status, err) == (0, "")
    assert Path("bits.svg").read_text().startswith("<?xml")
    assert sum(int(many) for name, many in counted(out).items() if "level" in name) == 12
    assert (
        run("--plot", "bits.svg", lines=cards)[2]
        == "warning: bits.svg existed and is overwritten\n"
    )


def test_workers_print_the_same_bytes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.training.audits.PUZZLES_PER_CHUNK", 3)
    lines = [{"id": puzzle.id} for puzzle in deal("cards", 12, seed=7)] + PUZZLES
    with executors.processes(2) as both:
        # One process pool serves all cases.
        monkeypatch.setattr(executors, "processes", lambda *_: nullcontext(both))
        for form in ("table", "csv"):
            alone = run("--format", form, "--solutions", lines=lines)
            assert run("--format", form, "--solutions", "--workers", "2", lines=lines) == alone


def test_a_pipe_is_a_file_and_may_be_closed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(text_of(PUZZLES).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    status, out, err = run("-", "--format", "csv")
    assert (status, err, out.count("\n")) == (1, "", 5)
    command = [sys.executable, "-m", "crisps24", "audit", "-", "--format", "csv"]
    told: dict[str, Any] = {"input": text_of(PUZZLES), "text": True, "check": False, "timeout": 60}
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as gone:
        gone.wait()
        closed = subprocess.run(command, stdout=gone.stdin, stderr=subprocess.PIPE, **told)
    assert (closed.returncode, closed.stderr) == (141, "")


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "github"])
def test_no_format_sends_a_terminal_what_it_obeys(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = {"nums": "\x1b[31m\x07\u202e", "target": 3, "answer": "\x9b31m"}
    Path("puzzles").write_text(json.dumps(line))
    lines = lines_on_a_terminal(80, "audit", "puzzles", "--format", form, status=2)
    sent = "\n".join(lines)
    assert sent.replace("\n", "").isprintable()
    assert "x1b[31m" in sent or "u001b[31m" in sent


@pytest.mark.parametrize("columns", [60, 80])
def test_nothing_is_wider_than_the_terminal(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("puzzles").write_text(text_of([*PUZZLES, {}, {"name" * 50: 1}]))
    lines = lines_on_a_terminal(columns, "audit", "puzzles", "--solutions", status=2)
    assert max(len(line) for line in lines if "namename" not in line) <= columns


def test_a_bar_ends_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("puzzles").write_text(text_of([*PUZZLES, "# comment", "{"]))
    bars = [line for line in lines_on_a_terminal(60, "audit", "puzzles", status=2) if "[" in line]
    assert "puzzles" in bars[0]
    assert bars[-1].endswith("6/6")
