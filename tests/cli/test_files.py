"""The command line: whole outputs, exit statuses, and what happens when it is stopped."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import Mock

import pytest

from crisps24 import GAMES, __version__, counts
from crisps24.__main__ import main as begin
from crisps24.cli.program import cli
from crisps24.enumeration.format import LineWriter
from tests.commands import Ran, Run
from tests.sampling import in_one_test

PUBLISHED = Path(__file__).parent.parent / "data" / "published-results.143"


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run each test in a temporary folder, and restore the state of the process."""
    monkeypatch.chdir(tmp_path)
    handler, digits = signal.getsignal(signal.SIGTERM), sys.get_int_max_str_digits()
    yield
    signal.signal(signal.SIGTERM, handler)
    sys.set_int_max_str_digits(digits)


RESULTS_TABLE = """\
  target    combinations    lines  file
--------  --------------  -------  -------------------
     143              48       50  results/results.143
      24            2374     2376  results/results.24
"""

SHORT = " written: TARGET without a command means crisps24 results; to play: crisps24 play cards\n"


def test_results_writes_the_files_and_prints_a_table(run: Run) -> None:
    for words in ("results 143 24", "143 24", "results 143 24 143"):
        said = "" if words.startswith("results") else f"2 files are{SHORT}"
        assert run(words) == Ran(0, RESULTS_TABLE, said)
        assert Path("results/results.143").read_bytes() == PUBLISHED.read_bytes()
        assert {path.name for path in Path("results").iterdir()} == {"results.143", "results.24"}
    assert run("24 --dir here").err == f"here/results.24 is{SHORT}"
    ran = run("results 6550..6561 --dir a/b --format csv")
    assert (ran.out.splitlines()[-1], len(ran.rows)) == ("6561,1,3,a/b/results.6561", 12)
    assert Path("a/b/results.6550").read_text().count("\n") == 2


COUNT_TABLE = """\
  target    combinations    lines
--------  --------------  -------
     143              48       50
      24            2374     2376
      78             289      291
"""
HEAD = "target,combinations,lines\n"
COUNTS = {
    "count 143 24 78": COUNT_TABLE,
    "count 143 --format csv": f"{HEAD}143,48,50\n",
    "count 143 143 143..143 --format csv": f"{HEAD}143,48,50\n",
    "count --top 2 --format csv": f"{HEAD}9,5361,5363\n8,5302,5304\n",
    "count 143 --length 10 --format csv": f"{HEAD}143,99562577090,99562577092\n",
    "count --numbers 1,2 --length 2 --fractions --negatives --format csv -- -1 1/2": (
        f"{HEAD}-1,1,3\n1/2,1,3\n"
    ),
    "count 10 --game game24 --format json": (
        '[{"target": 10, "combinations": 4963, "lines": 4965}]\n'
    ),
}


def test_count_prints_the_counts_and_writes_no_file(run: Run) -> None:
    for line, out in COUNTS.items():
        assert run(line) == (0, out, ""), line
    assert list(Path().iterdir()) == []


def test_check_shows_the_steps(run: Run) -> None:
    [row] = run("check 4+3x8-4 --steps --format json").rows
    assert row["steps"] == ["3 x 8 = 24", "4 + 24 = 28", "28 - 4 = 24"]
    out = run("check 4+3x8-4 --steps").out
    assert [line.split("  ")[-1].strip() for line in out.splitlines()[2:]] == row["steps"]
    rows = run("check 4+ '1 + 12' '8 - 9 : 7' --steps --format json").rows
    assert [row["steps"] for row in rows] == [[], [], ["9 : 7 leaves a remainder of 2"]]


FILE = "# a comment\n4 + 3 x 8 - 4 = 24\r\n\n   \n  # another\n1 + 1 = 3\n"


def test_check_reads_a_file_of_formulas(run: Run) -> None:
    expected = (
        "line,id,formula,value,verdict,reason,position\n"
        "2,,4 + 3 x 8 - 4 = 24,24,right,,\n"
        '6,,1 + 1 = 3,2,wrong,"it makes 2, not 3",\n'
    )
    Path("cards.txt").write_text(FILE)
    for name in ("cards.txt", "-"):
        assert run(f"check --file {name} --format csv", typed=FILE.encode()) == Ran(1, expected, "")


VERIFY_TABLE = """\
file           target    combinations  verdict
-----------  --------  --------------  ---------
results.143       143              47  wrong

results.143:
line 4: 2 x 9 x 8 x 1: it makes 144, not 143
missing: 2 x 8 x 9 - 1
missing: 2 x 9 x 8 - 1
"""


def test_verify_lists_twenty_problems_and_counts_the_others(run: Run) -> None:
    path, lines = Path("results.143"), PUBLISHED.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[4], lines[3].replace("-", "x"), *lines[5:]]))
    assert run("verify results.143") == Ran(1, VERIFY_TABLE, "")
    path.write_text("".join(lines[:2]))
    shown = run("verify results.143").out.splitlines()
    assert shown[-21:-19] == ["missing: 2 x 8 x 9 - 1", "missing: 2 x 9 x 8 - 1"]
    assert shown[-1] == "… and 28 more"
    path.write_text("".join(lines))
    shown = run("verify results.143 --target 24").out.splitlines()
    assert shown[-22:-20] == ["… and 28 more", "missing: 1 - 1 + 3 x 8"]
    assert shown[-1] == "… and 2,354 more"


def test_json_of_problems_has_lines_and_positions_or_null(run: Run) -> None:
    Path("results.7").write_text("   i\n  ---\n   8\n")
    [row] = run("verify", "results.7", "--format", "json").rows
    problems = [(each["line"], each["problem"]) for each in row["problems"]]
    assert problems == [(3, "8: it makes 8, not 7"), (None, "missing: 7")]
    rows = run("check", "1 + 9 : 7", "1 = 2", "1 ? 2", "--format", "json").rows
    assert [(row["value"], row["position"]) for row in rows] == [(None, 4), (1, None), (None, 2)]


ERRORS = [(OSError(errno.ENOSPC, "No space left on device"), 2), (MemoryError(), 1)]


@pytest.mark.parametrize(("error", "status"), ERRORS)
def test_failure_while_writing_is_reported_in_one_line(
    error: BaseException, status: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LineWriter, "lines", Mock(side_effect=error))
    ran = run("24")
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert list(Path("results").iterdir()) == []


def test_no_arguments_and_help_show_the_commands(run: Run) -> None:
    for words in ("", "--help", "-h"):
        ran = run(words)
        assert (ran.status, ran.err) == (0, "")
        assert all(f"\n  {name}" in ran.out for name in cli.commands)
    assert run("--version") == Ran(0, f"crisps24 {__version__}\n", "")
    [script] = entry_points(group="console_scripts", name="crisps24")
    assert script.load() is begin


def test_package_runs_as_a_module_in_any_locale() -> None:
    words = "check", "8 ÷ 2 − 1 = 4", "--format", "json"
    call, environment = [sys.executable, "-m", "crisps24", *words], {**os.environ, "LC_ALL": "C"}
    ran = subprocess.run(call, capture_output=True, env=environment)
    assert (ran.returncode, json.loads(ran.stdout)[0]["formula"]) == (1, "8 ÷ 2 − 1 = 4")


def test_count_all_is_fast(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one = Mock(side_effect=AssertionError("23,290 separate counts"))
    monkeypatch.setattr("crisps24.enumeration.enumeration.count", one_by_one)
    [row] = run("count --top 1 --length 7 --format csv").rows
    assert int(row["combinations"]) == max(counts(replace(GAMES["crisps"], length=7)).values())


def test_verify_of_stdin_needs_a_target(run: Run) -> None:
    ran = run("verify - --target 143 --format csv", typed=PUBLISHED.read_bytes())
    assert (ran.status, ran.out.splitlines()[1]) == (0, "'-,143,48,right,")
    ran = run("verify -")
    assert (ran.status, "is not results.TARGET: " in ran.err) == (2, True)


def test_fix_writes_the_right_file_once(run: Run) -> None:
    right = PUBLISHED.read_bytes()
    lines = right.splitlines(keepends=True)
    Path("old.143").write_bytes(b"".join([*lines[:2], lines[3].lstrip(), *lines[4:]]))
    ran = run("verify old.143 --fix new.143")
    assert ran.status == 1
    *_, blanks, missing = ran.out.splitlines()
    assert (blanks, missing) == ("1 row without the blanks at the start", "missing: 2 x 8 x 9 - 1")
    assert ran.err == "new.143 is written: all problems corrected, 1 rows added\n"
    assert Path("new.143").read_bytes() == right
    assert run("verify new.143").status == 0
    for call in ("old.143 --fix ./old.143", "old.143 new.143 --fix a", "- --target 1 --fix -"):
        assert run(f"verify {call}").status == 2
    Path("old.143").write_text("nothing\n")
    ran = run("verify old.143 --fix other")
    assert (ran.status, "old.143 has no row of 143" in ran.err) == (2, True)
    assert not Path("other").exists()


def test_endless_device_is_refused_immediately(run: Run) -> None:
    Path("results.0").symlink_to("/dev/zero")
    ran = run("verify results.0")
    assert ran.status == 1
    assert "line 1: not a results file: over 10,000 bytes long" in ran.out


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without end")
@in_one_test(
    "line",
    *("audit @", "audit rows.jsonl --against @", "audit @ --fix out.jsonl", "audit a.json"),
    *("audit a.parquet", "judge --file @", "check --file @", "check --file @ --encoding utf-8"),
    *("solve --file @", "mark @ --out marks.csv", "deal --file @", "deal --prompt @"),
    *("sheet --file @ --out a.pdf", "quiz --file @ --out a.gift", "page --file @ --out a.html"),
    "play --file @",
)
def test_every_reader_refuses_a_device_without_an_end(line: str, run: Run) -> None:
    Path("rows.jsonl").write_text('{"nums": [3, 3, 8, 8], "target": 24}\n')
    for name in ("a.json", "a.parquet"):
        Path(name).unlink(missing_ok=True)
        Path(name).symlink_to("/dev/zero")
    status, _, err = run(line.replace("@", "/dev/zero"))
    assert (status, err.count("\n")) == (2, 1)
