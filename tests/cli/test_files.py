"""The command line: whole outputs, exit statuses, and what happens when it is stopped."""

import errno
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
from tabulate import tabulate_formats

from crisps24 import GAMES, count, counts, formulas, write_results
from crisps24.__main__ import main as begin
from crisps24.cli.program import cli, main
from crisps24.enumeration.format import LineWriter
from crisps24.output.tables import render
from tests.sampling import in_one_test, some

PUBLISHED = Path(__file__).parent.parent / "data" / "published-results.143"


@dataclass(frozen=True)
class Ran:
    """The result of a call."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run each test in a temporary folder, and restore the state of the process."""
    monkeypatch.chdir(tmp_path)
    handler, digits = signal.getsignal(signal.SIGTERM), sys.get_int_max_str_digits()
    yield
    signal.signal(signal.SIGTERM, handler)
    sys.set_int_max_str_digits(digits)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command line in this process."""

    def run(*words: str) -> Ran:
        status = main(words)
        return Ran(status, *capsys.readouterr())

    return run


def process(*words: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run the command line as a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "crisps24", *words],
        **{"capture_output": True, "text": True, "check": False, "timeout": 60, **options},
    )


RESULTS_TABLE = """\
  target    combinations    lines  file
--------  --------------  -------  -------------------
     143              48       50  results/results.143
      24            2374     2376  results/results.24
"""


SHORT = " written: TARGET without a command means crisps24 results\n"


@pytest.mark.parametrize("words", ["results 143 24", "143 24", "results 143 24 143"])
def test_results_writes_the_files_and_prints_a_table(words: str, run: Run) -> None:
    output = "" if words.startswith("results") else f"2 files are{SHORT}"
    assert run(*words.split()) == Ran(0, RESULTS_TABLE, output)
    assert Path("results/results.143").read_bytes() == PUBLISHED.read_bytes()
    assert sorted(path.name for path in Path("results").iterdir()) == ["results.143", "results.24"]


def test_target_without_a_command_reports_the_written_file(run: Run) -> None:
    for _ in range(2):
        ran = run("24", "--format", "csv", "--dir", "here")
        assert ran.err == f"here/results.24 is{SHORT}"
    assert run("results", "24").err == ""
    assert run("count", "24").err == ""


def test_results_writes_a_range_to_another_folder(run: Run) -> None:
    ran = run("results", "6550..6561", "--dir", "a/b", "--format", "csv")
    assert ran.out.splitlines()[-1] == "6561,1,3,a/b/results.6561"
    assert len(ran.out.splitlines()) == 13
    assert Path("a/b/results.6550").read_text().count("\n") == 2


def test_results_all_writes_every_target_of_the_game(run: Run) -> None:
    rows = json.loads(run("all", "--length", "2", "--format", "json").out)
    assert sum(row["combinations"] for row in rows) == sum(
        1 for row in rows for _ in Path(row["file"]).read_text().splitlines()[2:]
    )
    assert [row["target"] for row in rows] == sorted(row["target"] for row in rows)


def test_results_supports_the_original_game(run: Run) -> None:
    assert run("10", "--game", "game24", "--format", "tsv").out.split()[-4:-1] == [
        "10",
        "4963",
        "4965",
    ]


COUNT_TABLE = """\
  target    combinations    lines
--------  --------------  -------
     143              48       50
      24            2374     2376
      78             289      291
"""
COUNT_CSV = "target,combinations,lines\n143,48,50\n"
COUNTS: list[tuple[str, str]] = [
    ("count 143 24 78", COUNT_TABLE),
    ("count 143 --format csv", COUNT_CSV),
    ("count 143 --format json", '[{"target": 143, "combinations": 48, "lines": 50}]\n'),
    ("count 143 143 143..143 --format csv", COUNT_CSV),
    ("count 6562 --format csv", "target,combinations,lines\n6562,0,2\n"),
    ("count 0..1 --format csv", "target,combinations,lines\n0,3498,3500\n1,4005,4007\n"),
    ("count 10 --game game24 --format csv", "target,combinations,lines\n10,4963,4965\n"),
    (
        "count --top 2 --format csv",
        "target,combinations,lines\n9,5361,5363\n8,5302,5304\n",
    ),
    (
        "count 143 --length 10 --format csv",
        "target,combinations,lines\n143,99562577090,99562577092\n",
    ),
    (
        "count 0 235 --numbers 0..9 --fractions --negatives --format csv",
        "target,combinations,lines\n0,29235,29237\n235,9,11\n",
    ),
    (
        "count --numbers 1,2 --length 2 --fractions --negatives --format csv -- -1 1/2",
        "target,combinations,lines\n-1,1,3\n1/2,1,3\n",
    ),
    (
        "count 1/2 --fractions --length 2 --format json",
        '[{"target": "1/2", "combinations": 4, "lines": 6}]\n',
    ),
]


@pytest.mark.parametrize(("words", "out"), COUNTS, ids=[words for words, _ in COUNTS])
def test_count_prints_the_counts(words: str, out: str, run: Run) -> None:
    assert run(*words.split()) == Ran(0, out, "")


def test_count_prints_a_github_table(run: Run) -> None:
    # The marks of alignment depend on the version of tabulate.
    header, _, row = run("count", "143", "--format", "github").out.splitlines()
    assert header == "|   target |   combinations |   lines |"
    assert row == "|      143 |             48 |      50 |"


def test_count_writes_no_file(run: Run) -> None:
    run("count", "143")
    assert list(Path().iterdir()) == []


def test_count_all_prints_every_target(run: Run) -> None:
    lines = run("count", "all", "--format", "csv").out.splitlines()
    assert len(lines) == 1 + 671
    assert sum(int(line.split(",")[1]) for line in lines[1:]) == 164_130


ILLEGAL = """\
9 : 7 + 2 x 3
^^^^^
illegal: 9 : 7 leaves a remainder of 2

"""
CHECK_TABLE = """\
formula          value  verdict    reason
-------------  -------  ---------  ---------------------------
4+3x8-4=24          24  right
9 : 7 + 2 x 3           illegal    9 : 7 leaves a remainder of 2
1 + 1 = 3            2  wrong      it makes 2, not 3
"""


def test_check_prints_a_table_and_marks_the_error(run: Run) -> None:
    ran = run("check", "4+3x8-4=24", "9 : 7 + 2 x 3", "1 + 1 = 3")
    dashes, wide = "-" * 27, "-" * 29
    assert ran == Ran(1, CHECK_TABLE.replace(dashes, wide), ILLEGAL)


CHECKS: list[tuple[list[str], int, str, str]] = [
    (["4 + 3 x 8 - 4"], 0, "legal", ""),
    (["4 + 3 x 8 - 4 = 24"], 0, "right", ""),
    (["4 + 3 x 8 - 4", "--target", "24"], 0, "right", ""),
    (["4 + 3 x 8 - 4", "--card", "4 3 8 4"], 0, "right", ""),
    (["4 + 3 x 8 - 4", "--card", "8,4,4,3"], 0, "right", ""),
    (["1 + 2"], 0, "legal", ""),
    (["1 + 2 + 3 + 4 + 5 + 6"], 0, "legal", ""),
    (["4 + 3 x 8 - 4", "--target", "25"], 1, "wrong", "it makes 24, not 25"),
    (["8 x 3", "--card", "8 3 1"], 1, "wrong", "1 is not used"),
    (["8 x 3", "--card", "8 8"], 1, "wrong", "3 is not in the hand, 8 is used once, not twice"),
    (["12 + 1"], 1, "illegal", "12 is not in this game (only 1..9)"),
    (["12 + 1", "--numbers", "1..12"], 0, "legal", ""),
    (["9 : 7", "--fractions", "--target", "9/7"], 0, "right", ""),
    (["1 - 2", "--negatives", "--target", "-1"], 0, "right", ""),
    (["9 - 2 x 1 + 5 = 2"], 1, "wrong", "it makes 12, not 2"),
    (["9 - 2 x 1 + 5 = 2", "--game", "game24"], 0, "right", ""),
    (["1 +"], 1, "malformed", "a number is missing after +"),
    ([""], 1, "malformed", "there is no formula"),
]


@pytest.mark.parametrize(
    ("words", "status", "verdict", "reason"), CHECKS, ids=[" ".join(words) for words, *_ in CHECKS]
)
def test_check_shows_a_verdict_and_sets_the_exit_status(
    words: list[str], status: int, verdict: str, reason: str, run: Run
) -> None:
    ran = run("check", *words, "--format", "json")
    [row] = json.loads(ran.out)
    assert (ran.status, row["verdict"], row["reason"], ran.err) == (status, verdict, reason, "")


def test_check_shows_the_steps(run: Run) -> None:
    [row] = json.loads(run("check", "4+3x8-4", "--steps", "--format", "json").out)
    assert row["steps"] == ["3 x 8 = 24", "4 + 24 = 28", "28 - 4 = 24"]
    out = run("check", "4+3x8-4", "--steps").out
    assert [line.split("  ")[-1].strip() for line in out.splitlines()[2:]] == row["steps"]
    [row] = json.loads(run("check", "4+", "--steps", "--format", "json").out)
    assert row["steps"] == []


FILE = "# a comment\n4 + 3 x 8 - 4 = 24\r\n\n   \n  # another\n1 + 1 = 3\n"


def test_check_reads_a_file_of_formulas(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Ran(
        1,
        "line,id,formula,value,verdict,reason,position\n"
        "2,,4 + 3 x 8 - 4 = 24,24,right,,\n"
        '6,,1 + 1 = 3,2,wrong,"it makes 2, not 3",\n',
        "",
    )
    Path("cards.txt").write_bytes(FILE.encode())
    assert run("check", "--file", "cards.txt", "--format", "csv") == expected
    stdin = io.TextIOWrapper(io.BytesIO(FILE.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run("check", "--file", "-", "--format", "csv") == expected


def test_check_of_a_binary_file_shows_malformed_formulas(run: Run) -> None:
    Path("cards.txt").write_bytes(b"\xfe\xfe\n1 + 1\n\0\n")
    ran = run("check", "--file", "cards.txt", "--format", "json")
    assert [row["verdict"] for row in json.loads(ran.out)] == ["malformed", "legal", "malformed"]


def test_verify_accepts_a_right_file(run: Run) -> None:
    run("143")
    assert run("verify", "results/results.143", "--format", "csv") == Ran(
        0, "file,target,combinations,verdict,problems\nresults/results.143,143,48,right,\n", ""
    )


VERIFY_TABLE = """\
file           target    combinations  verdict
-----------  --------  --------------  ---------
results.143       143              47  wrong

results.143:
line 4: 2 x 9 x 8 x 1: it makes 144, not 143
missing: 2 x 8 x 9 - 1
missing: 2 x 9 x 8 - 1
"""


def test_verify_lists_problems(run: Run) -> None:
    lines = PUBLISHED.read_text().splitlines(keepends=True)
    lines[3] = lines[3].replace("-", "x")
    Path("results.143").write_text("".join([*lines[:2], lines[4], lines[3], *lines[5:]]))
    ran = run("verify", "results.143")
    assert ran == Ran(1, VERIFY_TABLE, "")


def test_verify_lists_twenty_problems_and_counts_the_others(run: Run) -> None:
    Path("results.143").write_text("".join(PUBLISHED.read_text().splitlines(keepends=True)[:2]))
    lines = run("verify", "results.143").out.splitlines()
    assert lines[-21:-19] == ["missing: 2 x 8 x 9 - 1", "missing: 2 x 9 x 8 - 1"]
    assert lines[-1] == "… and 28 more"


KEYS: list[tuple[list[str], list[str]]] = [
    (["results", "143"], ["target", "combinations", "lines", "file"]),
    (["count", "143"], ["target", "combinations", "lines"]),
    (["check", "1 + 1 = 2"], ["formula", "value", "verdict", "reason", "values", "position"]),
    (
        ["verify", str(PUBLISHED), "--target", "143"],
        [
            "file",
            "target",
            "combinations",
            "verdict",
            "problems",
        ],
    ),
]


@pytest.mark.parametrize(("words", "keys"), KEYS, ids=[words[0] for words, _ in KEYS])
def test_json_is_a_list_of_objects_with_known_keys(
    words: list[str], keys: list[str], run: Run
) -> None:
    [row] = json.loads(run(*words, "--format", "json").out)
    assert list(row) == keys


def test_json_of_problems_has_lines_and_positions_or_null(run: Run) -> None:
    Path("results.7").write_text("   i\n  ---\n   8\n")
    [row] = json.loads(run("verify", "results.7", "--format", "json").out)
    assert row["problems"] == [
        {"line": 3, "problem": "8: it makes 8, not 7"},
        {"line": None, "problem": "missing: 7"},
    ]
    rows = json.loads(run("check", "1 + 9 : 7", "1 = 2", "1 ? 2", "--format", "json").out)
    assert [(row["value"], row["position"]) for row in rows] == [(None, 4), (1, None), (None, 2)]


@in_one_test("form", tabulate_formats)
def test_every_tabulate_format_is_available(form: str) -> None:
    text = render([{"target": 143, "reason": "a, b"}], form)
    assert "143" in text
    assert "a, b" in text


@pytest.mark.parametrize("words", ["results", "count", "formulas", "count --negatives"])
def test_the_default_target_is_that_of_the_game(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *options = words.split()
    calls = [[name, *target, *options, "--length", "3"] for target in ((), ("24",))]
    first, second = [(main(call), capsys.readouterr().out) for call in calls]
    assert first == second


WRONG_CALLS: list[tuple[str, str]] = [
    ("results abc", "invalid target 'abc' (expected a number, a range such as 0..100, or all)"),
    ("results 24 1e5", "invalid target '1e5' (expected a number, a range such as 0..100, or all)"),
    ("results 100..0", "the range 100..0 runs downwards (did you mean 0..100?)"),
    ("results 0..100000000", "has more than 1,000,000 numbers"),
    ("results -- -5", "-5: targets of crisps cannot be less than zero"),
    ("results 3/4", "3/4: crisps has only whole targets"),
    ("results 3/0", "invalid target '3/0' (expected"),
    ("results 24 --length 0", "0 is not in the range"),
    ("results 24 --length x", "'x' is not a valid integer"),
    ("results 24 --numbers 1..x", "'1..x' is not a number or a range such as 0..100"),
    ("results 24 --numbers=-3..3", "-3 is less than zero, and the results"),
    ("results 24 --game chess", "unknown game 'chess' (expected crisps, game24"),
    ("results 24 --game game24 --length 5", "game24 always has four numbers and no brackets"),
    ("results 24 --game numble", "numble has parentheses"),
    (
        "results 24 --format nope",
        "unknown format 'nope' (expected table, csv, tsv, json",
    ),
    ("results 24 --dir a-file", "Directory 'a-file' is a file"),
    ("results 24 --dir a-file/b", "Not a directory"),
    ("results 24 --nope", "No such option '--nope'."),
    ("nope", "No such command 'nope'."),
    ("--nope", "No such option '--nope'."),
    ("count --game numble --no-parentheses", "numble has no fixed target: give a TARGET"),
    ("count --top 0", "0 is not in the range"),
    ("check", "give a FORMULA"),
    ("check 1+1 --target x", "'x' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("check 1+1 --card x", "'x' is not a whole number"),
    ("check --file missing", "'missing': No such file or directory"),
    ("check --file .", "Is a directory"),
    ("verify", "Missing argument 'FILE...'."),
    ("verify missing", "'missing' does not exist."),
    ("verify .", ". has no results files"),
    ("verify a-file", "the name a-file does not contain the target: add --target"),
    (
        "deal cards --join",
        "joined, not 10 (choose digits: it has the same rules with single digits)",
    ),
    ("solve 4 4 4 4 --game cards --join", "joined, not 10 (choose digits: it has the same rules"),
    ("solve 4 4 4 4 --game krypto --join", "only single digits can be joined, not 10"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG_CALLS, ids=[row[0] for row in WRONG_CALLS])
def test_wrong_call_ends_with_status_2_and_one_line(words: str, sentence: str, run: Run) -> None:
    Path("a-file").touch()
    ran = run(*words.split())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("crisps24: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    assert sentence in ran.err
    assert [path.name for path in Path().iterdir()] == ["a-file"]


@pytest.mark.parametrize(
    ("error", "status"),
    [(OSError(errno.ENOSPC, "No space left on device"), 2), (MemoryError(), 1)],
)
def test_failure_while_writing_is_reported_in_one_line(
    error: BaseException, status: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise error

    monkeypatch.setattr(LineWriter, "lines", fail)
    ran = run("24")
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert list(Path("results").iterdir()) == []


def commands() -> list[tuple[str, click.Command]]:
    found = ((name, cli.get_command(click.Context(cli), name)) for name in cli.commands)
    return [(name, command) for name, command in found if command is not None]


@pytest.mark.parametrize(("name", "command"), commands(), ids=list(cli.commands))
def test_every_command_has_help_with_examples(name: str, command: click.Command, run: Run) -> None:
    assert f"Examples:\n  crisps24 {name}" in (command.help or "")
    ran = run(name, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert f"Usage: crisps24 {name}" in ran.out
    assert all(option.help for option in command.params if isinstance(option, click.Option)), (
        "an option without help"
    )


def test_no_arguments_and_help_show_the_commands(run: Run) -> None:
    for words in ([], ["--help"], ["-h"]):
        ran = run(*words)
        assert (ran.status, ran.err) == (0, "")
        assert all(f"\n  {name}" in ran.out for name in cli.commands)


def test_version_is_that_of_the_package(run: Run) -> None:
    from crisps24 import __version__

    assert run("--version") == Ran(0, f"crisps24 {__version__}\n", "")


def test_script_runs_the_command_line() -> None:
    [script] = entry_points(group="console_scripts", name="crisps24")
    assert script.load() is begin


def test_package_runs_as_a_module(tmp_path: Path) -> None:
    ran = process("results", "143", "24")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, RESULTS_TABLE, "")
    assert (tmp_path / "results" / "results.143").read_bytes() == PUBLISHED.read_bytes()


def test_exit_status_of_the_process_is_that_of_the_call() -> None:
    assert process("check", "1 + 1 = 3").returncode == 1
    wrong = process("results", "abc")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)


def test_unicode_is_printed_in_any_locale() -> None:
    ran = process(
        "check", "8 ÷ 2 − 1", "--format", "json",
        env={**os.environ, "LC_ALL": "C"}, encoding="utf-8",
    )  # fmt: skip
    assert (ran.returncode, json.loads(ran.stdout)[0]["formula"]) == (0, "8 ÷ 2 − 1")


LIGHT = ["--help", "results --help", "results abc", "count 24 --format nope", "--nope"]


def test_help_and_usage_errors_do_not_import_numpy() -> None:
    code = (
        "import sys; from crisps24.cli.program import main\n"
        "for line in sys.argv[1:]: main(line.split()); assert 'numpy' not in sys.modules, line"
    )
    ran = subprocess.run([sys.executable, "-c", code, *LIGHT], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_pipe_that_closes_early_is_not_an_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "crisps24", "count", "all", "--length", "6"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Without a buffer Python does not notice that half of a write went nowhere.
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().split() == [b"target", b"combinations", b"lines"]
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 141


@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], 1))
def test_stopped_run_leaves_only_the_old_file(number: signal.Signals) -> None:
    folder = Path("results")
    folder.mkdir()
    (folder / "results.24").write_text("old")
    # A background job or nohup can disable the signal.
    before = "default_int_handler" if number is signal.SIGINT else "SIG_DFL"
    code = (
        f"import signal, sys; signal.signal({int(number)}, signal.{before}); "
        "from crisps24.cli.program import main; sys.exit(main(['24', '--length', '7']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        until = time.monotonic() + 60
        while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert len(list(folder.iterdir())) == 2
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (128 + number, "")
    assert err == "crisps24: stopped; no file is half-written\n"
    assert [path.name for path in folder.iterdir()] == ["results.24"]
    assert (folder / "results.24").read_text() == "old"


def test_progress_bar_is_shown_only_on_a_terminal() -> None:
    master, slave = pty.openpty()
    try:
        ran = process("143", "24", capture_output=False, stdout=subprocess.PIPE, stderr=slave)
        shown = os.read(master, 10_000).decode()
    finally:
        os.close(slave)
        os.close(master)
    assert ran.stdout == RESULTS_TABLE
    assert "rows" in shown


def test_long_count_shows_progress_on_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.cli.rows._MIN_PAIRS_FOR_PROGRESS", 1000)
    asked = {"143 --length 12": True, "all --top 1 --length 8": True, "143": False}
    for words, shown in asked.items():
        master, slave = pty.openpty()
        try:
            with os.fdopen(os.dup(slave), "w") as stderr, monkeypatch.context() as patch:
                patch.setattr(sys, "stderr", stderr)
                ran = run("count", *words.split())
            os.write(slave, b".")
            output = os.read(master, 10_000).decode()
        finally:
            os.close(slave)
            os.close(master)
        assert ran.status == 0
        assert ran.out
        assert ("pairs of values" in output) == shown
    assert run("count", "143", "--length", "12").err == ""


def test_next_run_removes_files_of_a_killed_run() -> None:
    folder = Path("results")
    command = [sys.executable, "-c", "import sys; from crisps24.cli.program import main; main()"]
    words = ["24", "--length", "6", "--workers", "1"]
    left: list[str] = []
    for _ in range(3):
        with subprocess.Popen([*command, *words], stdout=subprocess.DEVNULL) as running:
            until = time.monotonic() + 60
            while not list(folder.glob(".*")) and time.monotonic() < until:
                time.sleep(0.001)
            running.kill()
        left = [path.name for path in folder.iterdir()]
        if any(name.startswith(".results.24.") for name in left):
            break
    assert any(name.startswith(".results.24.") for name in left)
    assert main(["24", "--length", "5", "--workers", "1"]) == 0
    assert [path.name for path in folder.iterdir()] == ["results.24"]
    combinations = count(24, replace(GAMES["crisps"], length=5))
    assert (folder / "results.24").read_bytes().count(b"\n") == combinations + 2


def test_many_workers_write_the_same_files_as_one(run: Run) -> None:
    words = ["results", "24", "--length", "5", "--workers"]
    assert run(*words, "1", "--dir", "1").err == ""
    assert process(*words, "2", "--dir", "2").stderr == ""
    assert Path("1/results.24").read_bytes() == Path("2/results.24").read_bytes()
    assert run("24", "--workers", "0").status == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed(shell: str) -> None:
    ran = process(env={**os.environ, "_CRISPS24_COMPLETE": f"{shell}_source"})
    if shell == "bash" and "bash" in ran.stderr.lower():
        pytest.skip(f"click does not complete with this bash: {ran.stderr.strip()}")
    assert ran.returncode == 0
    assert "_CRISPS24_COMPLETE" in ran.stdout


def test_plot_without_matplotlib_shows_how_to_install_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = run("count", "all", "--plot", "counts.png")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "crisps24[plot]" in ran.err


def test_library_and_command_list_the_same_formulas(run: Run) -> None:
    run("24", "--length", "3")
    written = Path("results/results.24").read_text().splitlines()[2:]
    assert len(written) == len(set(written))
    assert run("verify", "results/results.24").status == 0
    assert next(formulas(143)).numbers == (2, 8, 9, 1)


def test_count_all_is_fast(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_by_one(*_: Any) -> int:
        raise AssertionError("23,290 separate counts")

    monkeypatch.setattr("crisps24.enumeration.enumeration.count", one_by_one)
    ran = run("count", "--top", "1", "--length", "7", "--format", "csv")
    assert ran.status == 0
    best = max(counts(replace(GAMES["crisps"], length=7)).values())
    assert f",{best}," in ran.out


def test_unlisted_problems_are_counted_and_missing_rows_are_listed(run: Run) -> None:
    path = write_results(143, ".")
    ran = run("verify", str(path), "--target", "24")
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[-22] == "… and 28 more"
    assert lines[-21] == "missing: 1 - 1 + 3 x 8"
    assert lines[-1] == "… and 2,354 more"


def test_illegal_number_has_no_steps(run: Run) -> None:
    ran = run("check", "1 + 12", "8 - 9 : 7", "--steps", "--format", "csv")
    assert ran.status == 1
    first, second = ran.out.splitlines()[1:]
    assert first == "1 + 12,,illegal,12 is not in this game (only 1..9),4,"
    assert second.endswith(",4,9 : 7 leaves a remainder of 2")


def test_verify_of_stdin_needs_a_target(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PUBLISHED.read_bytes())))
    assert main(["verify", "-", "--target", "143", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "'-,143,48,right,"
    assert main(["verify", "-"]) == 2
    assert "the name - does not contain the target: add --target" in capsys.readouterr().err


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("    ", "\t"),
        lambda text: text.replace("   2", " 2", 1),
        lambda text: text + "\n\n",
        lambda text: text[:-1],
    ],
)
def test_other_layout_has_its_own_verdict(
    edit: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.143"
    path.write_bytes(edit(PUBLISHED.read_text()).encode())
    assert main(["verify", str(path), "--format", "csv"]) == 1
    assert ',143,48,"right, but laid out otherwise",' in capsys.readouterr().out
    assert main(["verify", str(path), "--layout", "any"]) == 0
    wrong = PUBLISHED.read_text().replace("8   9   1", "8   9   2", 1)
    path.write_bytes(edit(wrong).encode())
    assert main(["verify", str(path), "--layout", "any"]) == 1


def test_endless_device_is_refused_immediately(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.0"
    path.symlink_to("/dev/zero")
    assert main(["verify", str(path)]) == 1
    assert "line 1: not a results file: over 10,000 bytes long" in capsys.readouterr().out
