"""Formulas printed, and counted, from the command line: of a game, and of a card."""

import csv
import io
import json
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest

from crisps24 import GAMES, count, formulas
from crisps24.cli.program import main

NINE = ["--card", "1 2 3 4 5 6 7 8 9", "--in-order", "--join"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_formulas_are_printed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "formulas", "143")
    assert (status, err) == (0, "")
    assert out == "".join(f"{formula}\n" for formula in formulas(143))


def test_no_formulas_are_no_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "formulas", "6560") == (0, "", "")
    assert run(capsys, "formulas", "6560", "--format", "json") == (0, "[]\n", "")
    assert run(capsys, "formulas", "6560", "--format", "csv")[1] == "formula,numbers,operators\n"


def test_so_many_are_printed_as_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "formulas", "24", "--length", "9", "--limit", "3")
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    ("style", "first"),
    [
        ("crisps", "2 x 3 : 6"),
        ("ascii", "2 * 3 / 6"),
        ("unicode", "2 × 3 ÷ 6"),
        ("polish", "/ x 2 3 6"),
        ("latex", r"\frac{2 \times 3}{6}"),
    ],
)
def test_formulas_are_printed_in_every_style(
    style: str, first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["formulas", "1", "--card", "2 3 6", "--in-order", "--operators", "x:"]
    assert run(capsys, *words, "--style", style)[1] == f"{first}\n"


def test_formulas_for_programs_have_their_numbers_and_operators(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["formulas", "15", "--card", "1,2,3", "--join", "--in-order"]
    assert json.loads(run(capsys, *words, "--format", "json")[1]) == [
        {"formula": "12 + 3", "numbers": [1, 2, 3], "operators": ["|", "+"]}
    ]
    found = list(csv.DictReader(io.StringIO(run(capsys, *words, "--format", "csv")[1])))
    assert found == [{"formula": "12 + 3", "numbers": "1; 2; 3", "operators": "|; +"}]


def test_the_digits_in_order_are_counted_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["100", *NINE, "--operators", "+-"]
    _, out, _ = run(capsys, "count", *words, "--format", "csv")
    assert out.splitlines()[1] == "100,11,13"
    _, out, _ = run(capsys, "formulas", *words)
    assert len(set(out.splitlines())) == 11
    for line in out.splitlines():
        assert eval(line) == 100


def test_all_that_a_card_makes_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "count", "all", "--card", "4 4 4 4", "--format", "json")
    assert [row["target"] for row in json.loads(out)][:4] == [0, 1, 2, 7]
    _, out, _ = run(capsys, "count", "--top", "1", "--card", "4 4 4 4", "--format", "csv")
    assert out.splitlines()[1] == "0,8,10"


def test_any_rule_is_changed_for_one_call(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--no-zero", "--negatives", "--fractions", "--join"):
        _, out, _ = run(capsys, "count", "24", option, "--format", "csv")
        found = int(out.splitlines()[1].split(",")[1])
        assert found != count(24)
        _, listed, _ = run(capsys, "formulas", "24", option)
        assert len(listed.splitlines()) == found


REFUSED = [
    ("count 24 --parentheses", "--parentheses: rows of numbers have none; solve 4 3 8 4"),
    ("formulas 24 --parentheses", "--parentheses: rows of numbers have none; solve 4 3 8 4"),
    ("formulas 24 --game cards", "cards has parentheses: counts and results files are for"),
    ("formulas all", "all: formulas are printed for one TARGET, a number"),
    ("formulas 0..3", "0..3: formulas are printed for one TARGET, a number"),
    ("formulas twelve", "'twelve': a TARGET is a number"),
    ("formulas", "Missing argument 'TARGET'"),
    ("formulas 24 --limit 0", "Invalid value for '--limit'"),
    ("formulas 24 --format github", "Invalid value for '--format'"),
    ("formulas 24 --in-order", "--in-order keeps the order of a --card: give one"),
    ("count 24 --card '1 2' --length 2", "the --card says which numbers there are: no --length"),
    ("count 24 --card '1 2' --numbers 1..3", "says which numbers there are: no --numbers"),
    ("count 24 --card ''", "the card is empty: give its numbers"),
    ("count 24 --card 'A B'", "'A' is not a whole number"),
    ("count 24 --card '1 2 3 4 5 6 7 8'", "a card has at most 7 numbers (12 in order), not 8"),
    ("count 24 --card '12 3' --join", "only single digits can be joined, and crisps has 12"),
    ("count 24 --operators '|'", "'|' is no operator; they are - + x :"),
    ("count 24 --operators ''", "no operator is given; they are - + x :"),
    ("results 24 --game game24 --join", "game24 is defined for four numbers only"),
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED)
def test_a_wrong_call_is_refused_in_one_line(
    line: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *shlex.split(line))
    assert (status, out) == (2, "")
    assert err.startswith("crisps24: ")
    assert err.count("\n") == 1
    assert sentence in err


def test_a_closed_pipe_ends_the_printing_quietly() -> None:
    program = f"{sys.executable} -m crisps24"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program} formulas 24 --length 7 | head -1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (141, "")
    assert done.stdout == f"{next(formulas(24, replace(GAMES['crisps'], length=7)))}\n"
