"""Formulas printed, counted and checked from the command line: of a game, of a card, of files."""

import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES, count, formulas
from crisps24.cli import screen
from tests import oracle
from tests.commands import Run
from tests.sampling import in_one_test, some
from tests.tables import lines_of

Check = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def check(run: Run) -> Check:
    def checked(text: str | bytes, line: str = "", *words: str) -> tuple[int, list[Any], str]:
        Path("lines").write_bytes(text if isinstance(text, bytes) else text.encode())
        ran = run(f"check --file lines --format jsonl {line}", *words)
        return ran.status, ran.rows, ran.err

    return checked


def test_formulas_prints_one_formula_per_line(run: Run) -> None:
    assert run("formulas 143") == (0, "".join(f"{formula}\n" for formula in formulas(143)), "")
    assert run("formulas 24 --length 9 --limit 3").out.count("\n") == 3
    styled = run("formulas 1 --card '2 3 6' --in-order --operators x: --style latex").out
    assert styled == "\\frac{2 \\times 3}{6}\n"
    for form, out in (("text", ""), ("json", "[]\n"), ("csv", "formula,numbers,operators\n")):
        assert run("formulas 6560 --format", form) == (0, out, "")


def test_targets_that_can_be_a_hand_get_a_hint(run: Run) -> None:
    hands = dict.fromkeys(("1 5 5 5", "1 3 4 6", "1 2 13 4 5 6", "5 5"), True)
    hands |= dict.fromkeys(("1 3 4", "10 20 30 40", "1..4 5 6 7", "1 2 3 4 5 6 7"), False)
    for hand, is_hand in hands.items():
        lines = [f"solve {hand}", f'count --card "{hand}"']
        hint = f"for the hand: crisps24 {lines[0]}, or crisps24 {lines[1]}\n"
        ran = run(f"count {hand}")
        assert (ran.status, ran.err) == (0, hint if is_hand else ""), hand
        assert {run(line).status for line in lines if is_hand} <= {0, 1}


def test_any_rule_can_be_changed_for_one_call(run: Run) -> None:
    for option in ("--no-zero", "--negatives", "--fractions", "--join"):
        [row] = run("count 24 --format csv", option).rows
        assert int(row["combinations"]) != count(24)
        assert len(run("formulas 24", option).out.splitlines()) == int(row["combinations"])


NO_FORMULA = '"formula" has to be there, as text'
KEYS = ["formula", "value", "verdict", "reason", "position"]
OF_LINES = ["line", "id", *KEYS]
# JSON also has the values of the reason, before the position.
IN_JSON = [*OF_LINES[:-1], "values", "position"]


def test_exit_status_of_unreadable_lines_differs_from_wrong_answers(run: Run) -> None:
    for lines, status in (
        ('{"formula": "1 + 1", "target": 2}\n2\n', 0),
        ('{"formula": "1 + 1", "target": 3}\n2\n', 1),
        ('{"formula": "1 + 1", "target": 3}\n{}\n', 2),
        ('{}\n{"formula": "1 + 1"}\n', 2),
    ):
        Path("answers").write_text(lines)
        for form in ("table", "jsonl", "json", "csv"):
            assert run("check --file answers --format", form).status == status, (lines, form)


EACH_LINE = """\
{"formula": "1 + 2", "card": [1, 2], "target": 3, "by": {"ann": [0.75, 1e400]}, "line": 9, "n": 2.0}

# a comment
{"id": "crisps:1.2=3", "formula": "1 + 2", "verdict": "?", "hand": null}
{"id": ["odd"], "formula": "1 + 2"}
{"id": "crisps:1.2=3", "target": 4, "by": "ann", "formula": "1 + 2"}
{"formula": 3, "by": "ann"}
{
1 + 2 = 4
"""
CLASH = '"target" is another than that of the puzzle'
NO_NAME = "it is not JSON: Expecting property name enclosed in double quotes (column 2)"


def row_of(line: int, name: object, formula: str | None, verdict: str, reason: str = "") -> Any:
    value = None if verdict == "unreadable" else 3
    return dict(zip(IN_JSON, (line, name, formula, value, verdict, reason, {}, None), strict=True))


ITS_ROWS = [
    row_of(1, None, "1 + 2", "right")
    | {"card": [1, 2], "target": 3, "by": {"ann": [0.75, "1e400"]}, "input_line": 9, "n": 2.0},
    row_of(4, "crisps:1.2=3", "1 + 2", "right") | {"input_verdict": "?", "hand": None},
    row_of(5, ["odd"], "1 + 2", "legal"),
    row_of(6, "crisps:1.2=3", "1 + 2", "unreadable", CLASH) | {"target": 4, "by": "ann"},
    row_of(7, None, None, "unreadable", NO_FORMULA) | {"by": "ann"},
    row_of(8, None, None, "unreadable", NO_NAME),
    row_of(9, None, "1 + 2 = 4", "wrong", "it makes 3, not 4")
    | {"values": {"value": 3, "target": 4}},
]


# tests/judging/test_records.py has more lines.
def test_each_line_has_one_row_with_its_own_fields(run: Run) -> None:
    Path("answers").write_text(EACH_LINE)
    unread = [each for each in ITS_ROWS if each["verdict"] == "unreadable"]
    said = "".join(f"crisps24: line {each['line']}: {each['reason']}\n" for each in unread)
    call, kept = "check --file answers --format", "kept as input_line: line\n"
    for form in ("json", "jsonl"):
        ran = run(call, form)
        assert (ran.status, ran.rows, ran.err) == (2, ITS_ROWS, kept + said)
        assert [list(each) for each in ran.rows] == [list(each) for each in ITS_ROWS]
    ran = run(call, "csv")
    assert (ran.status, ran.err, list(ran.rows[0])) == (2, said, OF_LINES)
    for name in ("line", "verdict"):
        assert [each[name] for each in ran.rows] == [str(each[name]) for each in ITS_ROWS]
    ids = ["", "crisps:1.2=3", "odd", "crisps:1.2=3", "", "", ""]
    assert [each["id"] for each in ran.rows] == ids
    ran = run(call, "table")
    heads, _, *rows = ran.out.splitlines()
    assert (ran.status, ran.err, heads.split()) == (2, said, OF_LINES[:-1])
    assert [row.split()[0] for row in rows] == [str(each["line"]) for each in ITS_ROWS]
    assert rows[-1].endswith("1 + 2 = 4        3  wrong       it makes 3, not 4")


def test_formulas_of_the_call_have_no_line_number(check: Check, run: Run) -> None:
    _, rows, _ = check("1 + 2", "--steps", "2 + 3")
    assert [(each["line"], each["formula"]) for each in rows] == [(None, "2 + 3"), (1, "1 + 2")]
    [row] = run("check", "2 + 3", "--steps", "--format", "jsonl").rows
    assert list(row) == [*IN_JSON[2:], "steps"]
    [row] = run("check", '{"formula": "1 + 1"}', "--format", "jsonl").rows
    assert row["reason"] == "'{' cannot be part of a formula"


def test_long_table_is_printed_in_parts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "MAX_TABLE_ROWS", 1000)
    path = Path("answers")
    path.write_text("1 + 1 = 2\n" * 1000)
    expected = run("check --file answers").out
    assert len(expected.splitlines()) == 1002
    path.write_text("1 + 1 = 2\n" * 1001)
    out = run("check --file answers").out
    assert out == expected + expected.splitlines()[-1].replace("1000", "1001") + "\n"
    # Lines that do not have the columns of the first start another table.
    path.write_text("1 + 1 = 2\n" * 1000 + '{"id": "cards:1.1=2", "formula": "1 + 1"}\n')
    first, last = run("check --file answers").out.split("\n\n")
    assert first + "\n" == expected
    assert last.split()[:6] == ["line", "id", "formula", "value", "verdict", "reason"]
    # One wide formula does not make many wide lines.
    path.write_text("1 + 1 = 2\n" * 500 + f"1{' ' * 5000}+ 1 = 2\n" + "1 + 1 = 2\n" * 500)
    out = run("check --file answers").out
    assert (out.count("right"), len(out) < 3_000_000) == (1001, True)


MEASURED = """
import sys, tracemalloc
from crisps24.cli.program import main
# The first call imports modules and reads texts.
main(sys.argv[1:])
tracemalloc.start()
main(sys.argv[1:])
print(tracemalloc.get_traced_memory()[1], file=sys.stderr)
"""


def test_file_of_long_formulas_needs_little_memory(tmp_path: Path) -> None:
    # Too many characters for a formula: refused at once, with the whole text.
    path = tmp_path / "answers"
    path.write_text(f"{'x' * 20_000}\n" * 600)
    for form in some(["jsonl", "csv", "json"], 1):
        call = [sys.executable, "-c", MEASURED, "check", "--file", str(path), "--format", form]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        assert done.stdout.count("malformed") == 2 * 600
        # A third of the file: errors wait for the garbage collector, which versions run at will.
        assert int(done.stderr) < 4_000_000


def test_several_formulas_are_checked_separately(run: Run) -> None:
    # A number that names a file is a formula.
    Path("3").touch()
    assert run("check 3 4").status == 0
    for words in (["1 + 2", "3 - -1"], ["1+2", "-3+5", "7"], ["1 +", "2 +"], ["−3 + 5", "(1)"]):
        assert [row["formula"] for row in run("check --format json --", *words).rows] == words


@in_one_test(("words", "verdict"), *(line.split(" => ") for line in lines_of("cli/verdicts.txt")))
def test_formula_is_checked_with_options(words: str, verdict: str, check: Check, run: Run) -> None:
    ran = run(f"check {words} --format json")
    [row] = ran.rows
    assert (ran.status, row["verdict"]) == (verdict in ("wrong", "illegal"), verdict)
    # The first character of a line does not change the verdict.
    formula, *options = shlex.split(words)
    for line in (formula, json.dumps({"formula": formula})):
        assert check(f"\ufeff{line}", "", *options)[1] == [{"line": 1, "id": None} | row]


def test_cards_are_counted_by_their_formulas(run: Run) -> None:
    """The numbers of one line of a results file, and those of none."""
    game = replace(GAMES["crisps"], length=3)
    cards = Counter(tuple(sorted(each.numbers)) for each in formulas(24, game))
    every = run("count 24 --length 3 --by card --format json").rows
    assert {tuple(map(int, row["card"].split())): row["combinations"] for row in every} == cards
    assert [row["combinations"] for row in every] == sorted(cards.values())
    assert len(every) == sum(row["solvable"] for row in run(_SURVEY).rows)
    single = run("count 24 --length 3 --by card --exactly 1 --format json").rows
    assert single == [row for row in every if row["combinations"] == 1]
    none = run("count 24 --length 3 --by card --exactly 0 --format json").rows
    assert len(none) == sum(row["fail"] for row in run(_SURVEY).rows)
    missed = run("count --length 3 --exactly 0 --format json").rows
    assert [row["target"] for row in missed] == [n for n in range(101) if not count(n, game)]
    assert run("count 24..25 --by card").err.startswith("crisps24: --by card takes one TARGET")


_SURVEY = "survey --length 3 --target 24 --format json"


def test_formulas_with_a_minus_before_the_first_number_are_counted(run: Run) -> None:
    game = replace(GAMES["crisps"], negatives=True, length=3, numbers=(0, 1, 2, 3))
    expected: Counter[oracle.Exact] = Counter()
    for numbers, operators in oracle.rows(game):
        # The sign of a number is that of all it is multiplied with.
        for first in (numbers[0], -numbers[0]) if numbers[0] else (0, 0):
            value = oracle.value_of((first, *numbers[1:]), operators, game)
            if value is not None:
                expected[value] += 1
    words = "count all --signed --negatives --length 3 --numbers 0..3 --format json"
    assert {row["target"]: row["combinations"] for row in run(words).rows} == expected
    words = 'count 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join --negatives --operators +-'
    assert run(f"{words} --signed --format csv").out.splitlines()[1] == "100,12,14"
    assert run("count 24 --signed").err.startswith("crisps24: --signed needs + and -")


def test_line_with_a_game_of_its_own_does_not_lack_brackets(run: Run, tmp_path: Path) -> None:
    line = '{"id": "cards:3.3.8.8=24", "formula": "8 / (3 - 8 / 3)"}\n'
    (tmp_path / "ids.jsonl").write_text(line)
    assert run("check --file ids.jsonl").err == ""
    (tmp_path / "lines.txt").write_text("(7 - 8 / 8) x 4\n")
    call = "use crisps24 check --file lines.txt --target 24 --game cards"
    assert run("check --file lines.txt").err.endswith(f"without brackets: {call}\n")
