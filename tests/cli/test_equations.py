"""The command equations, and missing operators in solve."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from crisps24.cli.program import main

PUZZLE = "equations --guess 9*8-7=65 --seen gyybbgyb"


def run(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(shlex.split(words))
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("equations --length 5 --limit 3", "1-1=0\n1+1=2\n1+2=3\n"),
        ("equations --length 5 --limit 1 --style crisps --with x", "1x1=1\n"),
        (PUZZLE, "9/2*8=36\n9/3*6=18\n9/6*8=12\n"),
        (f"{PUZZLE} --without 3", "9/6*8=12\n"),
        (f"{PUZZLE} --known 9?3..___", "9/3*6=18\n"),
        ("equations --left formula --right formula --length 7 --limit 1", "1-1=1-1\n"),
        (
            "equations --length 5 --limit 1 --format csv --game crisps",
            "equation,left,right\n1-1=0,1-1,0\n",
        ),
    ],
)
def test_equations_are_listed(words: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words, capsys) == (0, shown, "")


@pytest.mark.parametrize(
    ("words", "count"),
    [("", 17_723), ("--game crisps", 17_162), ("--no-fractions --no-negatives", 17_162)],
)
def test_equations_are_counted(words: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(f"equations --count --format json {words}", capsys)
    assert json.loads(out) == [{"length": 8, "equations": count}]


def test_best_guess_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run("equations --best --format json", capsys)
    opening = {"guess": "48-32=16", "left": 17_723, "expected": 31.11, "worst": 111}
    assert json.loads(out) == [opening]
    _, out, _ = run(f"{PUZZLE} --best --style unicode --format json", capsys)
    assert json.loads(out) == [{"guess": "9÷2×8=36", "left": 3, "expected": 1.0, "worst": 1}]


def test_progress_bar_of_the_best_guess_ends_full(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[tuple[int, bool]] = []
    done: list[int] = []

    @contextmanager
    def bar(_what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], object]]:
        bars.append((total, shown))
        yield done.append

    monkeypatch.setattr("crisps24.cli.equations.progress_bar", bar)
    monkeypatch.setattr("crisps24.cli.equations._MIN_PAIRS_FOR_PROGRESS", 9)
    # Three equations are left, which is exactly the limit on work.
    assert run(f"{PUZZLE} --best --work 9", capsys)[0] == 0
    assert bars == [(9, True)]
    assert sum(done) == 9


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("equations --length 11", 2, "5 to 10 characters, not 11: there are too many longer ones"),
        ("equations --guess 9*8-7=65", 2, "add a --seen for each --guess"),
        ("equations --guess 9*8 --seen gyb", 2, "'9*8' has 3 characters, not 8"),
        (
            "equations --known 1^______",
            2,
            "'^' is not in these equations (only digits and - + * / =)",
        ),
        ("equations --best --count", 2, "--best shows one guess: it takes no --count"),
        ("equations --work 5", 2, "--work limits --best"),
        ("equations --count --limit 5", 2, "--count shows a number: it takes no --limit"),
        ("equations --best --length 9 --without 0", 2, "or add --work none"),
        ("equations --game game24", 2, "does not group by precedence"),
        ("equations --left number", 2, "an equation needs an operator"),
        (f"{PUZZLE} --known 1_______", 1, "no equation is left"),
        ("equations --length 4", 2, "5 to 10 characters, not 4"),
        ("equations --with ==", 1, "no equation found"),
        ("solve '4 _ 3 = 8' --all", 2, "no --all"),
        ("solve '4 _ 3 = 8' --parentheses", 2, "no --parentheses"),
        ("solve '4 _ = 8'", 2, "malformed: a number is missing before ="),
        ("solve '4 _ 3 = 8'", 1, "no operators make the equation true"),
    ],
)
def test_impossible_call_is_refused_in_one_line(
    words: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = run(words, capsys)
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert message in err


def test_missing_operators_are_filled_in(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run('solve "4 _ 3 _ 8 _ 4 = 24"', capsys)
    assert (status, err) == (0, "")
    assert out.split("\n")[2:] == [
        "4 + 3 x 8 - 4 = 24",
        "4 x 3 + 8 + 4 = 24",
        "4 x 3 x 8 : 4 = 24",
        "",
        "3 ways",
        "",
    ]
    status, out, err = run("solve 6 _ 2 = 8 _ 4 --style unicode --format jsonl", capsys)
    assert [json.loads(line)["formula"] for line in out.splitlines()] == [
        "6 − 2 = 8 − 4",
        "6 × 2 = 8 + 4",
    ]
    assert (status, err) == (0, "\n2 ways\n")
