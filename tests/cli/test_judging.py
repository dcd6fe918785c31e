"""The command judge: answers from the call, a file or a pipe."""

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import pytest

from crisps24.cli.options import SOURCE
from crisps24.judging.judge import CODES
from crisps24.judging.rows import NESTED_KEYS
from crisps24.output import executors
from tests.cli.conftest import text_of
from tests.commands import Run
from tests.sampling import in_one_test

OWN = ("line", "verdict", "code", "score", "value", "formula", "reason")
RIGHT = {"nums": [3, 3, 8, 8], "target": 24, "text": "So <answer>8 / (3 - 8 / 3) = 24</answer>."}


@pytest.fixture
def judge(run: Run) -> Run:
    def judge(words: str, lines: list[Any] | str) -> Any:
        Path("answers").write_text(text_of(lines))
        return run(f"judge --file answers {words}")

    return judge


# A call, its status, and verdict, code and value of the answer.
SAID: list[tuple[str, int, str, str, object]] = [
    (r"'So \boxed{8 / (3 - 8 / 3)}.' --card '3 3 8 8' --target 24", 0, "right", "ok", 24),
    ("'Answer: 3 x 8' --card cards:3.8=24", 0, "right", "ok", 24),
    ("'3 x 8' --card '3 8' --game cards", 0, "right", "ok", 24),
    ("'no solution' --card '1 1 1 1' --game cards", 0, "right", "no-solution", None),
    ("'1 / 2' --card '1 2' --target 1/2", 0, "right", "ok", "1/2"),
    ("'no solution' --card '3 3 8 8' --game cards", 1, "wrong", "solvable", None),
    ("'3 + 8' --card '3 8' --target 24", 1, "wrong", "value", 11),
    ("'8 / 3' --card '8 3' --target 24 --game crisps", 1, "illegal", "remainder", None),
    # Decimal commas.
    ("'0,75 x 8 : (1/4) x 1' --card '3/4 8 1/4 1' --game fractions24", 0, "right", "ok", 24),
    ("'0,75 x 8 : (1/4) + 1' --card '3/4 8 1/4 1' --game fractions24", 1, "wrong", "value", 25),
    ("'8*3=24,0' --card '3 8' --game cards", 0, "right", "ok", 24),
    ("'Answer: 3 : 4 = 0,75' --card '3 4' --target 0,75", 0, "right", "ok", "3/4"),
    ("'3 : 4 = 0,75; 0,75 x 32 = 24,0' --card '3 4 32' --target 24", 0, "right", "ok", 24),
    ("'3*8,4*6' --card '3 8 4 6' --target 24", 1, "unread", "unread", None),
    ("'3 ** 8' --card '3 8' --target 24", 1, "malformed", "power", None),
    ("'' --card '3 8' --target 24", 1, "none", "no-answer", None),
]


@pytest.mark.parametrize("words", ["deal cards --chat", "deal countdown"])
def test_rows_of_a_deal_are_judged(words: str, run: Run) -> None:
    run(f"{words} --count 3 --seed 7 --out dealt.jsonl")
    dealt = [json.loads(line) for line in Path("dealt.jsonl").read_text().splitlines()]
    reply = [{"role": "assistant", "content": "no solution"}]
    Path("answers").write_text(text_of([{**row, "completion": reply} for row in dealt]))
    ran = run("judge --file answers --format jsonl")
    assert [row["code"] for row in ran.rows] == ["solvable"] * 3
    assert run("mark answers --out marks.csv").status == 1
    assert "missing answer" in run("judge --file dealt.jsonl --format jsonl").err


@in_one_test("case", *SAID)
def test_text_is_judged(case: Any, run: Run) -> None:
    line, status, verdict, code, value = case
    ran = run(f"judge {line} --format jsonl")
    [row] = ran.rows
    found = (ran.status, row["verdict"], row["code"], row["value"], row["score"], ran.err)
    assert found == (status, verdict, code, value, status == 0, "")
    assert code in CODES[verdict]


def test_several_texts_are_a_table_and_right_if_all_are_right(run: Run) -> None:
    card = "--card '3 8' --target 24"
    status, out, err = run(f"judge '3 x 8' '$3 + 8$' {card}")
    assert (status, err) == (1, "")
    assert out.splitlines()[0].split() == ["formula", "value", "verdict", "code", "reason"]
    assert out.splitlines()[2].split() == ["3", "x", "8", "24", "right", "ok"]
    assert out.splitlines()[3].endswith("it makes 11, not 24")
    assert run(f"judge '3 x 8' '8 * 3' {card}").status == 0


def test_tables_for_people_are_in_their_language_and_data_is_in_english(run: Run) -> None:
    Path("class.csv").write_text("name,cards:3.8=24\nAnn,3 - 8\n")
    english = re.compile(r"\b(line|formula|verdict|reason|answers|right|wrong|points)\b(?!;)")
    for line in (
        "check '3 - 8 = 24' --game cards --steps",
        "check '3 x 8' --game mathador --card '3 8 1 1 1' --target 24",
        "judge '3 - 8' --card cards:3.8=24",
        *("judge --file class.csv", "mark class.csv --out marks.html"),
    ):
        for form in ("table", "github", "html", "grid"):
            out = run(f"{line} --format {form} --language nl").out
            assert "oordeel" in out, line
            assert not english.search(out), out
        for form in () if "mark" in line else ("csv", "jsonl"):
            [row] = run(f"{line} --format {form} --language nl").rows
            assert row["verdict"] in ("wrong", "right"), line
            assert "uitkomst" not in row
    assert "antwoorden" in run("judge --file class.csv --format csv --language nl").err


# A line of a file, with verdict, code and reason; tests/judging/test_records.py has more.
LINES: list[tuple[Any, str, str | None, str]] = [
    ({"numbers": [3, 8], "target": 24, "completion": "3*8"}, "right", "ok", ""),
    ({"hand": "3 8", "target": "24", "response": "**3 x 8**."}, "right", "ok", ""),
    ({"card": [3, "8"], "target": 24.0, "formula": "3*8"}, "right", "ok", ""),
    ({"id": "cards:3.8=24", "text": "3*8"}, "right", "ok", ""),
    ({"nums": [3, 8], "target": 24, "output": "3*8"}, "right", "ok", ""),
    # Neither the key of a row nor its question is an answer.
    ({"nums": [3, 8], "target": 24, "answer": "3*8", "question": "3+8"},
     "unreadable", None,
     "missing answer (expected completion, response, generation, prediction, …; it has nums, tar"),
    ({"nums": [3, 8], "target": 24, "text": "Make 24.", "response": "3*8"}, "right", "ok", ""),
    (RIGHT | {"answer": "24", "formula": "24"}, "right", "ok", ""),
    (RIGHT | {"text": None, "completion": "3+3+8+8"}, "wrong", "value", "it makes 22, not 24"),
    (RIGHT | {"text": 24}, "none", "not-text", "the answer is not text"),
    ({"nums": [3, 8], "target": 24}, "unreadable", None, "missing answer (expected completion, re"),
    ({"nums": [3, 8], "target": 24, "text": None}, "none", "not-text", "the answer is not text"),
    ({"target": 24, "text": "3*8"}, "unreadable", None, "missing hand: add --card, or a column"),
    ({"nums": [3, 8], "text": "3*8"}, "unreadable", None, "missing target: add --target, or a col"),
    (RIGHT | {"id": "cards:1.2=3"}, "unreadable", None, '"target" is another than that of the puz'),
    ('{"nums": [3, 8], "target": 24, "text": "3*8"', "unreadable", None, "it is not JSON: "),
    ("3*8", "unreadable", None, "missing hand: add --card, or a column hand or id"),
    (RIGHT | {"operators": "+-"}, "illegal", "operator", "/ is not in this game"),
]  # fmt: skip


@in_one_test("case", *LINES)
def test_line_is_judged_or_unreadable(case: Any, judge: Run) -> None:
    line, verdict, code, reason = case
    ran = judge("--format jsonl", ["# a comment", "", line])
    [row] = ran.rows
    assert (row["line"], row["verdict"], row["code"]) == (3, verdict, code)
    assert row["reason"].startswith(reason)
    assert bool(row["reason"]) == bool(reason)
    assert ran.status == (0 if verdict == "right" else 2 if verdict == "unreadable" else 1)
    assert (f"crisps24: line 3: {reason}" in ran.err) == (verdict == "unreadable")


def test_call_sets_the_missing_fields_of_a_line(judge: Run) -> None:
    lines = [{"text": "3 x 8"}, {"text": "3 x 8", "target": 11}, {"text": "3 x 9", "nums": [3, 9]}]
    rows = judge("--card '3 8' --target 24 --format jsonl", lines).rows
    assert [row["code"] for row in rows] == ["ok", "value", "value"]
    rows = judge("--card cards:3.8=24 --format jsonl", ["# plain", "3 x 8", "3 + 8"]).rows
    assert [row["code"] for row in rows] == ["ok", "value"]


def test_other_fields_are_copied(judge: Run) -> None:
    came = {"id": "q7", "model": "m", "score": 5, "weight": [0.5, {"a": None}], "say": "\u202e\x1b"}
    ran = judge("--format jsonl", [RIGHT | came])
    [row] = ran.rows
    kept = ["id", "model", "input_score", "weight", "say"]
    assert list(row) == [*RIGHT, *kept, *OWN, *NESTED_KEYS]
    # A field must not replace a column of the same name.
    assert row == RIGHT | came | {
        "input_score": 5,
        **{"line": 1, "verdict": "right", "code": "ok", "score": 1.0, "value": 24},
        **{"formula": "8 / (3 - 8 / 3)", "reason": "", "values": {}},
        **{"shape": "right", "tree": "(.(.(..)))", "depth": 3},
    }
    assert ran.out.isascii()
    said, _, summary = ran.err.partition("\n")
    assert said == "kept as input_score: score"
    assert summary.replace("-", "").split() == ["verdict", "code", "answers", "right", "ok", "1"]


CLASS = """\
name,hand,target,answer
ann,3 3 8 8,24,8/(3-8/3)
bob,3 3 8 8,24,8*3
ann,1 1 1 1,24,impossible
"cid, ""the"" kid",1 2 3 4,24,"Answer:
1 x 2 x 3 x 4"
"""
TOLD = "3 is used once, not twice, 8 is used once, not twice"
CLASS_TABLE = [
    ["2", "ann", "8/(3-8/3)", "24", "right", "ok"],
    ["3", "bob", "8*3", "24", "wrong", "numbers-missing", TOLD],
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


def test_class_has_a_table_with_names_and_a_summary(judge: Run) -> None:
    status, out, err = judge("", CLASS)
    assert (status, err) == (1, "")
    assert out.endswith(SUMMARY)
    head, _, *rows = out.removesuffix(SUMMARY).splitlines()
    assert head.split() == ["line", "name", "formula", "value", "verdict", "code", "reason"]
    assert [re.split(r"\s{2,}", row.strip()) for row in rows] == CLASS_TABLE
    for sign in ";\t":
        ran = judge("--format csv", CLASS.replace(",", sign).replace(f"cid{sign}", "cid,"))
        assert (ran.status, ran.err) == (1, SUMMARY)
        assert list(ran.rows[0]) == ["name", "hand", "target", "answer", *OWN]
        names = [(row["line"], row["name"]) for row in ran.rows]
        assert names == [(row[0], row[1]) for row in CLASS_TABLE]
        assert [row["score"] for row in ran.rows] == ["1.0", "0.0", "1.0", "1.0"]


def test_csv_has_the_columns_of_the_first_line(judge: Run) -> None:
    lines = [RIGHT, {"text": "3*8"}, {"numbers": [3, 8], "target": 24, "text": "3*8"}, "{"]
    ran = judge("--format csv", lines)
    assert (ran.status, [row["verdict"] for row in ran.rows]) == (2, ["right", "unreadable"] * 2)
    assert all(list(row) == ["nums", "target", "text", *OWN] for row in ran.rows)
    assert [row["nums"] for row in ran.rows] == ["3; 3; 8; 8", "", "", ""]


EMPTY = {"json": "[]", "csv": "verdict,code,score,value,formula,reason"}


@in_one_test("form", "table", "csv", "tsv", "json", "jsonl", "github")
def test_every_format_has_all_lines(form: str, judge: Run) -> None:
    status, out, err = judge(f"--format {form}", [RIGHT, "{", RIGHT | {"text": "3 + 3 + 8 + 8"}])
    assert status == 2
    # For programs stdout has only the answers, and stderr the summary.
    is_data = form in ("csv", "tsv", "json", "jsonl")
    assert [out.count(word) for word in ("unreadable", "it makes 22, not 24")] == [2 - is_data, 1]
    assert err.startswith("crisps24: line 2: it is not JSON")
    assert ("answers" in err, "answers" in out) == (is_data, not is_data)
    status, out, _ = judge(f"--format {form}", "# nothing")
    shown = EMPTY.get("csv" if form == "tsv" else form, "")
    assert (status, out.strip().replace("\t", ",")) == (0, shown)


def test_workers_print_the_same_output(judge: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.cli.judging._LINES_PER_TASK", 7)
    lines = [RIGHT, "{", "# a comment", {"hand": "1 2 3 4", "target": 24, "text": "no solution"}]
    lines += [RIGHT | {"name": f"n{line}", "text": "3*8"} for line in range(99)]
    with executors.processes(2) as both:
        # One process pool serves all cases.
        monkeypatch.setattr(executors, "processes", lambda *_: nullcontext(both))
        for form in ("jsonl", "csv", "table"):
            alone = judge(f"--format {form}", lines)
            assert alone.status == 2
            assert judge(f"--format {form} --workers 2", lines) == alone


# Options of a command, typed lines, and a part of the row of each.
STREAMED = {
    "judge": {json.dumps(RIGHT | {"id": id_}): f"{id_}.*right" for id_ in ("q1", "q2")},
    "check": {"1 + 1 = 2": "right", '{"formula": "1 + 2", "target": 3}': "right", "5": "5"},
    "solve --game cards": {
        **{"3 3 8 8": r"8 / \(3 - 8 / 3\)", "1 1 1 1": "unsolved", "abc": "unreadable.*'abc'"},
        **{'{"nums": "abc", "id": "q7", "x": [1]}': r"q7.*\[1\].*unreadable"},
    },
}


ROW_CALLS = [
    ("judge", "jsonl"),
    ("judge", "csv"),
    ("check", "csv"),
    ("solve --game cards", "jsonl"),
]


@pytest.mark.parametrize(("call", "form"), ROW_CALLS)
def test_row_is_printed_before_the_next_line_is_read(call: str, form: str) -> None:
    command = [sys.executable, "-m", "crisps24", *call.split(), "--file", "-", "--format", form]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, **pipes) as running:
        assert running.stdin
        assert running.stdout
        for number, (line, row) in enumerate(STREAMED[call].items()):
            # Half a line waits for its other half.
            for half in (line[:3], f"{line[3:]}\n"):
                running.stdin.write(half)
                running.stdin.flush()
            if form == "csv" and not number:
                assert ",verdict" in running.stdout.readline()
            assert re.search(row, running.stdout.readline())
        running.stdin.close()
        running.stdout.read()
        assert running.wait(60) == (2 if call.startswith("solve") else 0)


def test_file_is_closed_if_another_option_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.touch()
    # A command with refused options never runs, so that it closes nothing.
    with click.Context(click.Command("crisps24")) as around:
        source = SOURCE.convert(str(path), None, click.Context(click.Command("judge"), around))
        assert not source.closed
    assert source.closed
