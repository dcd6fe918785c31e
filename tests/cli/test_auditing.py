"""The command audit: findings, summaries, formats and errors."""

import csv
import io
import json
import re
import shutil
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

CallResult = tuple[int, str, str]
Run = Callable[..., CallResult]

PUZZLES: list[Any] = [
    {"nums": [44, 19, 35], "target": 98, "answer": "44 + 19 + 35"},
    {"nums": [3, 3, 8, 8], "target": 24, "answer": "8 / (3 - 8 / 3)"},
    {"numbers": [8, 3, 8, 3], "target": 24, "answer": "8 * 3"},
    {"hand": "1 1 1 1", "target": "24"},
]
COLUMNS = "columns read: hand = nums or numbers or hand, target = target, key = answer"
TABLE = """\
  line  kind        told
------  ----------  -------------------------------------------------------------------
     1  sums        + and - are enough
     3  duplicate   the same puzzle as line 2
     3  key         the key is wrong: 3 is used once, not twice, 8 is used once, not twice
     4  unsolvable  there is no solution
"""


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that audits a file of lines, or runs the words of a call."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, lines: list[Any] | str = "") -> CallResult:
        if lines:
            Path("puzzles").write_text(lines if isinstance(lines, str) else text_of(lines))
            words = ("puzzles", *words)
        status = main(["audit", *words])
        return status, *capsys.readouterr()

    return run


def text_of(lines: list[Any]) -> str:
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        ({}, []),
        ({"operators": "+-x"}, ["unsolvable"]),
        ({"rules": {"fractions": "no"}}, ["unsolvable"]),
        ({"fractions": "perhaps"}, ["unreadable"]),
    ],
)
def test_rules_of_a_line_change_its_game(rules: dict[str, Any], kinds: list[str], run: Run) -> None:
    line = {"nums": [3, 3, 8, 8], "target": 24}
    out = run("--format", "jsonl", lines=[line | rules, line | {"target": 48}])[1]
    assert [json.loads(row)["kind"] for row in out.split("\n") if row] == kinds


def counted(out: str) -> dict[str, str]:
    """Return the counts of the summary."""
    rows = [re.split(r"\s{2,}", line) for line in out.rpartition("\n\n")[2].splitlines()[2:]]
    return {row[0]: row[1] for row in rows if len(row) == 3}


def test_table_lists_flaws_and_a_summary(run: Run) -> None:
    status, out, err = run(lines=PUZZLES)
    assert (status, err) == (1, "")
    columns, table_text, _ = out.split("\n\n")
    assert columns == COLUMNS
    table = table_text.splitlines()
    assert [line.split() for line in table[2:]] == [line.split() for line in TABLE.splitlines()[2:]]
    counts = counted(out)
    assert (counts["rows"], counts["different puzzles"], counts["rows with a key"]) == (
        "4",
        "3",
        "3",
    )
    assert [counts[kind] for kind in ("unsolvable", "key", "duplicate", "sums")] == ["1"] * 4
    assert "bits: one more is a puzzle that half as many tries solve" in out


def test_file_without_flaws_shows_only_the_summary(run: Run) -> None:
    status, out, err = run("--solutions", lines=[json.dumps(PUZZLES[1])])
    assert (status, err) == (0, "")
    assert out.splitlines()[2].split() == ["what", "count", "meaning"]
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
def test_exit_status_shows_whether_a_file_has_errors(
    lines: list[Any], status: int, run: Run
) -> None:
    assert run(lines=lines)[0] == status


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_formats_for_programs_list_every_flaw(form: str, run: Run) -> None:
    lines = [*PUZZLES, *[PUZZLES[0]] * 30]
    status, out, err = run("--format", form, lines=lines)
    rows: list[Any]
    if form == "json":
        rows = json.loads(out)
    elif form == "jsonl":
        rows = [json.loads(line) for line in out.splitlines()]
    else:
        delimiter = "\t" if form == "tsv" else ","
        rows = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
    assert (status, err, len(rows)) == (1, f"{COLUMNS}\n", 34)
    assert all(list(row) == ["line", "kind", "told", "code", "right"] for row in rows)
    assert [str(row["line"]) for row in rows[:4]] == ["1", "3", "3", "4"]
    assert rows[2]["code"] == "numbers-missing"
    table = run(lines=lines)[1]
    assert "\nand 14 more: --format jsonl has all\n" in table


def test_table_of_puzzles_is_parsed(run: Run) -> None:
    status, out, _ = run("--format", "csv", lines="hand,target,answer\n3 8,24,3*8\n3 8,25,\n")
    assert (status, out) == (
        1,
        "line,kind,told,code,right\n3,unsolvable,there is no solution,,\n",
    )


def test_line_without_a_game_has_the_game_of_the_call(run: Run) -> None:
    assert run(lines=[PUZZLES[1]])[0] == 0
    for words in (["--game", "crisps"], ["--no-zero", "--operators", "+-"], ["--most", "8"]):
        assert run(*words, lines=[PUZZLES[1]])[0] == 1
    assert run("--game", "crisps", lines=[PUZZLES[1] | {"game": "cards"}])[0] == 0


@pytest.mark.parametrize("name", ["bits.png", "bits.txt"])
def test_figure_that_cannot_be_drawn_is_refused_in_one_line(name: str, run: Run) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra `plot`")
    said = "--plot: no puzzle has a difficulty to draw" if name == "bits.png" else name
    status, _, err = run("--plot", name, lines=PUZZLES[3:])
    assert (status, err.count("\n"), said in err) == (2, 1, True)
    assert not Path(name).exists()


COUNTDOWN = {"starting": [10, 3, 5, 8, 3, 7], "goal": 506, "closest": 507, "delta": 1}
UNCHECKED = "closest values are not checked without --game NAME\n"


def test_closest_values_are_checked_only_in_a_game_with_a_name(run: Run) -> None:
    # 506 is 8 x 7 x 3 x 3 + 10 / 5; a public data set has this row.
    columns = "columns read: hand = starting, target = goal, closest = closest, distance = delta\n"
    status, out, err = run("--format", "csv", lines=[COUNTDOWN])
    assert (status, out, err) == (0, "line,kind,told,code,right\n", columns + UNCHECKED)
    status, out, err = run("--format", "csv", "--game", "countdown", lines=[COUNTDOWN])
    assert (status, err) == (1, columns)
    assert out.splitlines() == [
        "line,kind,told,code,right",
        '1,closest,"the closest value is 506, not 507",,506',
        '1,distance,"the distance is 0, not 1",,0',
    ]
    assert run(lines=[COUNTDOWN | {"game": "countdown"}])[0] == 1
    status, out, err = run(lines=[COUNTDOWN])
    assert (status, err) == (0, UNCHECKED)
    assert out.startswith(columns)


def test_columns_can_be_named(run: Run) -> None:
    lines = "Zahlen;Ziel;Schlüssel;best\n3 8;24;3+8;23\n"
    names = ["--hand-column", "Zahlen", "--target-column", "ziel", "--key-column", "Schlüssel"]
    status, out, _ = run(*names, lines=lines)
    assert status == 1
    # In a table, upper and lower case make no difference.
    columns = "hand = Zahlen, target = ziel, key = Schlüssel, closest = best"
    assert out.startswith(f"columns read: {columns}\n")
    assert " key is wrong: it makes 11, not 23" in out
    assert run(*names, "--fix", "fixed", lines="Zahlen;Ziel;Schlüssel\n3 8;24;3+8\n")[0] == 0
    assert Path("fixed").read_text() == "Zahlen;Ziel;Schlüssel\n3 8;24;8*3\n"
    status, _, err = run("--key-column", "formula", lines=lines.replace("Zahlen", "nums"))
    assert (status, err.count("\n")) == (2, 1)
    assert "puzzles: --key-column: the file has no column 'formula'" in err


def test_several_files_share_their_puzzles(run: Run) -> None:
    Path("b.csv").write_text("nums,target\n8 8 3 3,24\n")
    status, out, err = run("b.csv", "--format", "jsonl", lines=PUZZLES[1:2])
    assert status == 0
    assert err.splitlines() == [
        "puzzles: columns read: hand = nums, target = target, key = answer",
        "b.csv: columns read: hand = nums, target = target",
    ]
    [row] = map(json.loads, out.splitlines())
    assert (row["file"], row["line"], row["told"]) == (
        *("b.csv", 2, "the same puzzle as line 1 of puzzles"),
    )


def test_fix_writes_a_corrected_file_and_lists_each_change(run: Run) -> None:
    lines = [*PUZZLES[:2], PUZZLES[1] | {"nums": [3, 3, 7, 7], "answer": "3*7+3"}, *PUZZLES[2:]]
    status, out, err = run("--fix", "fixed", lines=lines)
    assert (status, err) == (0, "")
    assert "answer is now 7*(3+3/7)" in out
    assert out.endswith("fixed: 1 rows changed, 2 left out\n")
    texts = Path("puzzles").read_text().splitlines()
    assert Path("fixed").read_text().splitlines() == [
        *texts[:2],
        texts[2].replace("3*7+3", "7*(3+3/7)"),
    ]
    Path("fixed").write_text("old")
    status, out, err = run("--fix", "fixed", "--format", "csv", lines=lines)
    assert [row["change"] for row in csv.DictReader(io.StringIO(out))] == [
        *("", "answer is now 7*(3+3/7)", *["the row is left out"] * 3),
    ]
    assert err.splitlines()[1:] == [
        "replaced fixed",
        "fixed: 1 rows changed, 2 left out",
    ]


def test_a_wrong_value_without_a_right_one_stays_wrong(run: Run) -> None:
    # Without a game, what the closest value can be is unknown.
    lines = [{"nums": [1, 1], "target": 24, "closest": 7, "answer": "1+1"}]
    status, out, _ = run("--fix", "fixed", "--format", "jsonl", lines=lines)
    assert (status, json.loads(out)["change"]) == (1, "not corrected")
    assert Path("fixed").read_bytes() == Path("puzzles").read_bytes()


def test_a_pipe_cannot_be_fixed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["echo", json.dumps(PUZZLES[0])], stdout=subprocess.PIPE) as echo:
        assert echo.stdout is not None
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(echo.stdout))
        status, _, err = run("-", "--fix", "fixed")
    assert (status, "a pipe cannot be copied: give the name of a file" in err) == (2, True)


def test_an_interrupted_copy_leaves_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from crisps24.training import data_files

    def copy(_: Any, out: Any, changes: Any, columns: Any) -> None:
        out.write(f"{changes.get(1, {})} {columns}".encode())
        raise OSError("the disk is full")

    monkeypatch.setattr(data_files, "JSON_LINES", data_files.JSON_LINES._replace(copy=copy))
    forms = tuple(form._replace(copy=copy) for form in data_files.DATA_FORMATS)
    monkeypatch.setattr(data_files, "DATA_FORMATS", forms)
    status, _, err = run("--fix", "fixed", lines=PUZZLES)
    assert (status, "the disk is full" in err) == (2, True)
    assert sorted(path.name for path in Path().iterdir()) == ["puzzles"]


OVERLAPS = """\
puzzles: columns read: hand = nums, target = target, key = answer
test.tsv: columns read: hand = starting, target = goal

file       line  kind      other  told
-------  ------  ------  -------  ------------------------------------
puzzles       2  hand          2  the same numbers and another target

what          count  meaning
"""


def test_training_is_compared_with_test(run: Run) -> None:
    Path("test.tsv").write_text("starting\tgoal\n8 8 3 3\t23\n5 5\t10\n")
    status, out, err = run("--against", "test.tsv", lines=PUZZLES[:2])
    assert (status, err) == (1, "")
    assert [line.split() for line in out.splitlines()[:6] if "--" not in line] == [
        line.split() for line in OVERLAPS.splitlines()[:6] if "--" not in line
    ]
    assert out.endswith("other: the first such line of test.tsv\n")
    assert all(row[2] for row in map(str.split, out.splitlines()[10:-1]))
    status, out, err = run("--against", "test.tsv", "--format", "csv", lines=PUZZLES[:1])
    assert (status, out) == (0, "file,line,kind,other,told\n")
    status, out, err = run("--against", "test.tsv", "--format", "json", lines=[*PUZZLES[:2], {}])
    assert status == 2
    assert [row["kind"] for row in json.loads(out)] == ["hand", "unreadable"]


def test_plot_shows_the_bits(run: Run) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra `plot`")
    cards = [{"id": puzzle.id} for puzzle in deal("cards", 12, seed=7)]
    status, out, err = run("--plot", "bits.svg", lines=[*cards, *PUZZLES[:2]])
    assert (status, err) == (0, "")
    assert Path("bits.svg").read_text().startswith("<?xml")
    assert sum(int(count) for name, count in counted(out).items() if "level" in name) == 12
    assert run("--plot", "bits.svg", lines=cards)[2] == "replaced bits.svg\n"


def test_workers_print_the_same_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.training.audits.PUZZLES_PER_CHUNK", 3)
    lines = [{"id": puzzle.id} for puzzle in deal("cards", 12, seed=7)] + PUZZLES
    with executors.processes(2) as pool:
        # One process pool serves all cases.
        monkeypatch.setattr(executors, "processes", lambda *_: nullcontext(pool))
        for form in ("table", "csv"):
            expected = run("--format", form, "--solutions", lines=lines)
            assert run("--format", form, "--solutions", "--workers", "2", lines=lines) == expected


def test_input_can_be_a_pipe_and_output_can_be_closed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(text_of(PUZZLES).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    status, out, err = run("-", "--format", "csv")
    assert (status, err.count("\n"), out.count("\n")) == (1, 1, 5)
    command = [sys.executable, "-m", "crisps24", "audit", "-", "--format", "csv"]
    options: dict[str, Any] = {
        "input": text_of(PUZZLES),
        "text": True,
        "check": False,
        "timeout": 60,
    }
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as reader:
        reader.wait()
        result = subprocess.run(command, stdout=reader.stdin, stderr=subprocess.PIPE, **options)
    assert (result.returncode, result.stderr) == (141, err)


@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "github"])
def test_control_characters_are_escaped_on_a_terminal(
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
def test_no_line_of_output_is_wider_than_the_terminal(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("puzzles").write_text(text_of([*PUZZLES, {}, {"name" * 50: 1}]))
    lines = lines_on_a_terminal(columns, "audit", "puzzles", "--solutions", status=2)
    assert max(len(line) for line in lines if "namename" not in line) <= columns


def test_progress_bar_ends_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("puzzles").write_text(text_of([*PUZZLES, "# comment", "{"]))
    bars = [line for line in lines_on_a_terminal(60, "audit", "puzzles", status=2) if "[" in line]
    assert "puzzles" in bars[0]
    assert bars[-1].endswith("5/5")


@pytest.mark.skipif(not shutil.which("sh"), reason="there is no shell")
def test_no_command_writes_its_input(tmp_path: Path) -> None:
    path = tmp_path / "a"
    text = text_of(PUZZLES[:1])
    path.write_text(text)
    (tmp_path / "b").hardlink_to(path)
    for line in (
        *(
            "audit - --fix a < a",
            "audit b --fix a",
            "judge --file a >> a",
            "check --file - <> a >&0",
        ),
        *("mark a --out b", "solve --file b >> a"),
    ):
        command = f"{sys.executable} -m crisps24 {line}"
        call = subprocess.run(
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (call.returncode, "read and written" in call.stderr) == (2, True), line
        assert path.read_text() == text


def test_names_are_escaped(run: Run) -> None:
    name = "a\x1b[31m"
    Path(name).write_text(text_of(PUZZLES))
    for words in (["--against", name], ["--fix", f"{name}b"]):
        _, out, err = run(*words, lines=PUZZLES)
        assert "\x1b" not in out + err
        assert "\\x1b" in out
