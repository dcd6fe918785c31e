"""The command judge: answers from the call, a file or a pipe."""

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import pytest

from crisps24.cli.options import SOURCE
from crisps24.cli.program import main
from crisps24.judging.judge import CODES
from crisps24.output import executors
from tests.cli.test_screen import lines_on_a_terminal
from tests.sampling import some

Ran = tuple[int, str, str]
Run = Callable[..., Ran]
OWN = ("line", "verdict", "code", "score", "value", "formula", "reason")
NESTED = (*OWN, "values")
RIGHT = {"nums": [3, 3, 8, 8], "target": 24, "text": "So <answer>8 / (3 - 8 / 3) = 24</answer>."}


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that judges a file of lines, or runs the words of a call."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, lines: list[Any] | str = "") -> Ran:
        if lines:
            text = lines if isinstance(lines, str) else "\n".join(map(written, lines))
            Path("answers").write_text(text + "\n", errors="surrogateescape")
            words = ("--file", "answers", *words)
        status = main(["judge", *words])
        return status, *capsys.readouterr()

    return run


def written(line: Any) -> str:
    return line if isinstance(line, str) else json.dumps(line)


def rows_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran[1].splitlines()]


# A call, its status, and verdict, code and value of the answer.
SAID: list[tuple[str, int, str, str, object]] = [
    (r"'So \boxed{8 / (3 - 8 / 3)}.' --card '3 3 8 8' --target 24", 0, "right", "ok", 24),
    ("'<answer>3 x 8 = 24</answer>' --card 3,8 --target 24", 0, "right", "ok", 24),
    ("'Answer: 3 x 8' --card cards:3.8=24", 0, "right", "ok", 24),
    ("'3 x 8' --card '3 8' --game cards", 0, "right", "ok", 24),
    ("'no solution' --card '1 1 1 1' --game cards", 0, "right", "no-solution", None),
    ("'1 / 2' --card '1 2' --target 1/2", 0, "right", "ok", "1/2"),
    ("'no solution' --card '3 3 8 8' --game cards", 1, "wrong", "solvable", None),
    ("'3 + 8' --card '3 8' --target 24", 1, "wrong", "value", 11),
    ("'24' --card '3 8' --target 24", 1, "wrong", "numbers", 24),
    ("'8 / 3' --card '8 3' --target 24 --game crisps", 1, "illegal", "remainder", None),
    ("'3 - 8' --card '8 3' --target 24 --game crisps", 1, "illegal", "below-zero", None),
    ("'3 - 3' --card '3 3' --target 24 --game countdown", 1, "illegal", "zero", None),
    ("'3 ** 8' --card '3 8' --target 24", 1, "malformed", "power", None),
    ("'I do not know.' --card '3 8' --target 24", 1, "none", "no-answer", None),
    ("'' --card '3 8' --target 24", 1, "none", "no-answer", None),
]


@pytest.mark.parametrize(("line", "status", "verdict", "code", "value"), SAID)
def test_text_is_judged(
    line: str, status: int, verdict: str, code: str, value: object, run: Run
) -> None:
    ran = run(*shlex.split(line), "--format", "jsonl")
    [row] = rows_of(ran)
    assert (ran[0], row["verdict"], row["code"], row["value"]) == (status, verdict, code, value)
    assert row["score"] == (status == 0)
    assert code in next(codes for name, codes in CODES.items() if name == verdict)
    assert ran[2] == ""


def test_several_texts_are_a_table_and_right_if_all_are_right(run: Run) -> None:
    card = ("--card", "3 8", "--target", "24")
    status, out, err = run("3 x 8", "$3 + 8$", *card)
    assert (status, err) == (1, "")
    assert out.splitlines()[0].split() == ["formula", "value", "verdict", "code", "reason"]
    assert out.splitlines()[2].split() == ["3", "x", "8", "24", "right", "ok"]
    assert out.splitlines()[3].endswith("it makes 11, not 24")
    assert run("3 x 8", "8 * 3", *card)[0] == 0


# A line of a file, with verdict, code and reason.
LINES: list[tuple[Any, str, str | None, str]] = [
    (RIGHT, "right", "ok", ""),
    ({"numbers": [3, 8], "target": 24, "completion": "3*8"}, "right", "ok", ""),
    ({"hand": "3 8", "target": "24", "response": "**3 x 8**."}, "right", "ok", ""),
    ({"card": [3, "8"], "target": 24.0, "formula": "3*8"}, "right", "ok", ""),
    ({"id": "cards:3.8=24", "text": "3*8"}, "right", "ok", ""),
    ({"id": 7, "nums": [3, 8], "target": 24, "text": "3*8"}, "right", "ok", ""),
    ({"nums": [7, 2], "target": "7/2", "text": "7/2"}, "right", "ok", ""),
    # Neither the key of a row nor its question is an answer.
    ({"nums": [3, 8], "target": 24, "answer": "3*8", "output": "3+8"},
     "unreadable", None, 'missing answer (expected completion, response, text); "answer" is'),
    ({"nums": [3, 8], "target": 24, "text": "Make 24.", "response": "3*8"}, "right", "ok", ""),
    (RIGHT | {"answer": "24", "formula": "24"}, "right", "ok", ""),
    (RIGHT | {"text": None, "completion": "3+3+8+8"}, "wrong", "value", "it makes 22, not 24"),
    (
        RIGHT | {"text": [{"role": "assistant", "content": "no"}]},
        *("none", "no-answer", "there is no answer"),
    ),
    (RIGHT | {"text": 24}, "none", "not-text", "the answer is not text"),
    (RIGHT | {"text": ""}, "none", "no-answer", "there is no answer"),
    ({"nums": [3, 8], "target": 24}, "unreadable", None, "missing answer (expected completion, re"),
    ({"nums": [3, 8], "target": 24, "text": None}, "none", "not-text", "the answer is not text"),
    (RIGHT | {"game": "crisps"}, "illegal", "operator", "no brackets in this game"),
    ({"target": 24, "text": "3*8"}, "unreadable", None, "missing hand: add --card, or a column"),
    ({"nums": [3, 8], "text": "3*8"}, "unreadable", None, "missing target: add --target, or a col"),
    (RIGHT | {"game": "chess"}, "unreadable", None, "unknown game 'chess'"),
    (RIGHT | {"nums": [3.5, 8]}, "wrong", "numbers", "3 is not in the hand"),
    (RIGHT | {"numbers": [1, 2]}, "unreadable", None, '"numbers" and "nums" are not the same num'),
    (RIGHT | {"id": "cards:1.2=3"}, "unreadable", None, '"target" is another than that of the puz'),
    ({"nums": [3, 8], "target": float("nan"), "text": "3*8"}, "unreadable", None, "'NaN' is not"),
    ({"nums": [3, 8], "target": float("inf"), "text": "3*8"}, "unreadable", None, "'Infinity' is "),
    ('{"nums": [3, 8], "target": 24, "text": "3*8"', "unreadable", None, "it is not JSON: "),
    ('{"text": "3*8", "text": "3+8"}', "unreadable", None, "one of its names is there twice"),
    ('{"text": ' + "[" * 200 + "]" * 200 + "}", "unreadable", None, "it is nested too deeply"),
    ("3*8", "unreadable", None, "missing hand: add --card, or a column hand or id"),
    # Rules of a line change its game.
    (RIGHT | {"operators": "+-", "parentheses": False}, "illegal", "operator", "no brackets in"),
    (RIGHT | {"operators": "+-"}, "illegal", "operator", "/ is not in this game"),
    (RIGHT | {"fractions": "no"}, "illegal", "remainder", "8 / 3 leaves a remainder of 2"),
    (RIGHT | {"operators": ["-", "/"], "most": 24}, "right", "ok", ""),
    (RIGHT | {"most": 20}, "illegal", "too-large", "8 / (1/3) is 24, more than 20"),
    (RIGHT | {"rules": {"all": "no"}, "text": "3 x 8"}, "right", "ok", ""),
    (RIGHT | {"zero": 7}, "unreadable", None, "zero: invalid value '7' (expected yes or no)"),
]  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_table_can_have_other_delimiters(run: Run, separator: str) -> None:
    rows = [["Name", "Hand", "Target", "Answer"], ["ann", "3 8", "24", "3*8"]]
    table = "\n".join(separator.join(row) for row in rows)
    status, out, _ = run("--format", "jsonl", lines=table)
    assert (status, json.loads(out)["name"], json.loads(out)["code"]) == (0, "ann", "ok")


@pytest.mark.parametrize(("line", "verdict", "code", "reason"), LINES)
def test_line_is_judged_or_unreadable(
    line: Any, verdict: str, code: str | None, reason: str, run: Run
) -> None:
    ran = run("--format", "jsonl", lines=["# a comment", "", line])
    [row] = rows_of(ran)
    assert (row["line"], row["verdict"], row["code"]) == (3, verdict, code)
    assert row["reason"].startswith(reason)
    assert bool(row["reason"]) == bool(reason)
    assert ran[0] == (0 if verdict == "right" else 2 if verdict == "unreadable" else 1)
    assert (f"crisps24: line 3: {reason}" in ran[2]) == (verdict == "unreadable")


def test_call_sets_the_missing_fields_of_a_line(run: Run) -> None:
    lines = [{"text": "3 x 8"}, {"text": "3 x 8", "target": 11}, {"text": "3 x 9", "nums": [3, 9]}]
    ran = run("--card", "3 8", "--target", "24", "--format", "jsonl", lines=lines)
    assert [row["code"] for row in rows_of(ran)] == ["ok", "value", "value"]
    ran = run("--card", "cards:3.8=24", "--format", "jsonl", lines=["# plain", "3 x 8", "3 + 8"])
    assert [row["code"] for row in rows_of(ran)] == ["ok", "value"]


def test_other_fields_are_copied(run: Run) -> None:
    came = {"id": "q7", "model": "m", "score": 5, "weight": [0.5, {"a": None}], "say": "\u202e\x1b"}
    status, out, err = run("--format", "jsonl", lines=[RIGHT | came])
    row = json.loads(out)
    assert status == 0
    assert list(row) == [*RIGHT, "id", "model", "weight", "say", *NESTED]
    # A field must not replace a column of the same name.
    assert row == RIGHT | came | {
        **{"line": 1, "verdict": "right", "code": "ok", "score": 1.0, "value": 24},
        **{"formula": "8 / (3 - 8 / 3)", "reason": "", "values": {}},
    }
    assert out.isascii()
    assert err.split() == ["verdict", "code", "answers", *["-" * 7] * 3, "right", "ok", "1"] or err


CLASS = """\
name,hand,target,answer
ann,3 3 8 8,24,8/(3-8/3)
bob,3 3 8 8,24,8*3
ann,1 1 1 1,24,impossible
"cid, ""the"" kid",1 2 3 4,24,"Answer:
1 x 2 x 3 x 4"
"""
CLASS_TABLE = [
    ["2", "ann", "8/(3-8/3)", "24", "right", "ok"],
    [
        "3",
        "bob",
        "8*3",
        "24",
        "wrong",
        "numbers-missing",
        "3 is used once, not twice, 8 is used once, not twice",
    ],
    ["4", "ann", "right", "no-solution", "there is no solution"],
    ["6", 'cid, "the" kid', "1 x 2 x 3 x 4", "24", "right", "ok"],
]
SUMMARY = """
verdict    code               answers
---------  ---------------  ---------
right      ok                       2
wrong      numbers-missing          1
right      no-solution              1

name              answers    right
--------------  ---------  -------
ann                     2        2
bob                     1        0
cid, "the" kid          1        1
"""


def test_class_has_a_table_with_names_and_a_summary(run: Run) -> None:
    status, out, err = run(lines=CLASS)
    assert (status, err) == (1, "")
    assert out.endswith(SUMMARY)
    head, _, *rows = out.removesuffix(SUMMARY).splitlines()
    assert head.split() == ["line", "name", "formula", "value", "verdict", "code", "reason"]
    assert [re.split(r"\s{2,}", row.strip()) for row in rows] == CLASS_TABLE


def test_class_in_csv_has_the_summary_on_stderr(run: Run) -> None:
    status, out, err = run("--format", "csv", lines=CLASS)
    found = list(csv.DictReader(io.StringIO(out)))
    assert status == 1
    assert err == SUMMARY
    assert list(found[0]) == ["name", "hand", "target", "answer", *OWN]
    assert [row["name"] for row in found] == ["ann", "bob", "ann", 'cid, "the" kid']
    assert [row["line"] for row in found] == ["2", "3", "4", "6"]
    assert [row["score"] for row in found] == ["1.0", "0.0", "1.0", "1.0"]


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_csv_has_the_columns_of_the_first_line(form: str, run: Run) -> None:
    lines = [RIGHT, {"text": "3*8"}, {"numbers": [3, 8], "target": 24, "text": "3*8"}, "{"]
    status, out, _ = run("--format", form, lines=lines)
    found = list(csv.DictReader(io.StringIO(out), delimiter="\t" if form == "tsv" else ","))
    assert status == 2
    assert [row["verdict"] for row in found] == ["right", "unreadable", "right", "unreadable"]
    assert all(list(row) == ["nums", "target", "text", *OWN] for row in found)
    assert [row["nums"] for row in found] == ["3; 3; 8; 8", "", "", ""]
    headless = run("--format", form, "--no-header", lines=lines)[1]
    assert headless == out.split("\n", 1)[1]


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "jsonl", "github"])
def test_every_format_has_all_lines(form: str, run: Run) -> None:
    lines = [RIGHT, "{", RIGHT | {"text": "3 + 3 + 8 + 8"}]
    status, out, err = run("--format", form, lines=lines)
    assert status == 2
    assert [out.count(word) for word in ("unreadable", "it makes 22, not 24")] == [1, 1]
    assert err.startswith("crisps24: line 2: it is not JSON")
    # stdout has only the answers, stderr the summary.
    assert ("answers" in err) == (form in ("csv", "tsv", "json", "jsonl"))
    assert ("answers" in out) == (form in ("table", "github"))
    if form == "json":
        assert [row["line"] for row in json.loads(out)] == [1, 2, 3]


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl"])
def test_file_of_only_comments_has_no_answers(form: str, run: Run) -> None:
    status, out, _ = run("--format", form, lines="# nothing")
    assert status == 0
    assert out.strip() == {"json": "[]", "csv": "verdict,code,score,value,formula,reason"}.get(
        form, ""
    )


def test_long_table_is_printed_in_blocks(run: Run) -> None:
    out = run(lines=[RIGHT] * 1001)[1]
    first, last, summary = out.split("\n\n")
    assert (len(first.splitlines()), len(last.splitlines())) == (1002, 3)
    assert summary.split()[-3:] == ["right", "ok", "1001"]
    # One wide formula does not make a thousand wide lines.
    wide = {"nums": [1, 1], "target": 2, "text": f"1{' ' * 9000}+ 1"}
    assert len(run(lines=[RIGHT] * 500 + [wide] + [RIGHT] * 500)[1]) < 5_000_000


def test_workers_print_the_same_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.cli.judging._LINES_PER_TASK", 7)
    lines = [RIGHT, "{", "# a comment", {"hand": "1 2 3 4", "target": 24, "text": "no solution"}]
    lines += [
        {"nums": [3, 8], "target": 24, "name": f"n{line}", "text": "3*8"} for line in range(99)
    ]
    with executors.processes(2) as both:
        # One process pool serves all cases.
        monkeypatch.setattr(executors, "processes", lambda *_: nullcontext(both))
        for form in ("jsonl", "csv", "table"):
            alone = run("--format", form, lines=lines)
            assert alone[0] == 2
            assert run("--format", form, "--workers", "2", lines=lines) == alone


def judging(*words: str, form: str = "jsonl", **options: Any) -> "subprocess.Popen[str]":
    """Start a process that judges the lines of its stdin."""
    command = [sys.executable, "-m", "crisps24", "judge", "--file", "-", "--format", form, *words]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, text=True, bufsize=1, **pipes | options)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_line_is_judged_before_the_next_is_read(form: str) -> None:
    with judging(form=form) as running:
        assert running.stdin
        assert running.stdout
        for number in range(3):
            running.stdin.write(json.dumps(RIGHT | {"id": f"q{number}"}) + "\n")
            if form == "csv" and not number:
                assert running.stdout.readline().startswith("nums,target,text,id,line,verdict")
            line = running.stdout.readline()
            assert f"q{number}" in line
            assert "right" in line
        running.stdin.close()
        assert running.wait(60) == 0


def test_pipe_that_closes_is_not_an_error(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text((json.dumps(RIGHT) + "\n") * 5_000)
    with path.open() as file, judging(stdin=file) as running:
        assert running.stdout
        assert running.stderr
        assert "right" in running.stdout.readline()
        running.stdout.close()
        assert (running.stderr.read(), running.wait(60)) == ("", 141)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("words", some([("--workers", "2"), ()], 1))
def test_ctrl_c_is_reported_in_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text((json.dumps(RIGHT) + "\n") * 50_000)
    with path.open() as file, judging(*words, stdin=file, start_new_session=True) as running:
        assert running.stdout
        assert "right" in running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, "crisps24: stopped\n")


def test_killed_worker_is_reported_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text((json.dumps(RIGHT) + "\n") * 2_000)
    code = (
        "import os, sys\n"
        "from crisps24.cli import judging\n"
        "from crisps24.cli.program import main\n"
        "if __name__ == '__main__':\n"
        "    judging.judge_batch = os._exit\n"
        "    sys.exit(main(sys.argv[1:]))\n"
    )
    program = tmp_path / "program.py"
    program.write_text(code.replace("os._exit", "killed").replace(
        "if __name__", "def killed(*_):\n    os._exit(1)\n\nif __name__"
    ))  # fmt: skip
    done = subprocess.run(
        [sys.executable, program, "judge", "--file", path, "--workers", "2", "--format", "jsonl"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crisps24: a worker process was killed, perhaps for want of memory\n"


HOSTILE = {
    "name": "\x1b[31mann\x07\u202e",
    "nums": [3, 8],
    "target": 24,
    "text": "Answer: 3 \x1b[2J x \u202e 8",
    "\x9b31m": "\x9b",
}


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "jsonl", "github"])
def test_control_characters_are_escaped_on_a_terminal(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers").write_text(f"{json.dumps(HOSTILE)}\n{{\x1b[31m\n")
    sent = "\n".join(
        lines_on_a_terminal(80, "judge", "--file", "answers", "--format", form, status=2)
    )
    assert sent.replace("\n", "").replace("\t", "").isprintable()
    assert "x1b[31mann" in sent or "u001b[31mann" in sent


@pytest.mark.parametrize("columns", [60, 80])
def test_no_line_of_output_is_wider_than_the_terminal(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = [RIGHT | {"name": f"a person with a long name {line}"} for line in range(3)]
    lines = [*named, RIGHT | {"name": "bob", "text": "3 x 3 x 8 x 8 + 8 - 8 + 100"}]
    Path("answers").write_text("\n".join(map(written, lines)))
    shown = lines_on_a_terminal(columns, "judge", "--file", "answers", status=1)
    assert max(map(len, shown)) <= columns


def test_file_is_closed_if_another_option_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text(json.dumps(RIGHT))
    # A command with refused options never runs, so that it closes nothing.
    with click.Context(click.Command("crisps24")) as around:
        source = SOURCE.convert(str(path), None, click.Context(click.Command("judge"), around))
        assert not source.closed
    assert source.closed
