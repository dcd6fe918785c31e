"""Commands about hands and surveys: whole outputs, exit statuses and refusals."""

import csv
import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crisps24 import GAMES, count_solutions, reachable
from crisps24.cli.program import main
from tests.graded import difficulties


class Ran(NamedTuple):
    """The result of a call."""

    status: int
    out: str
    err: str


Run = Callable[[str], Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command line in this process, in a temporary folder."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Ran:
        status = main(line.split())
        return Ran(status, *capsys.readouterr())

    return run


def table(text: str) -> str:
    """Take the margin away from an output in this file."""
    return "".join(f"{line[4:]}\n" for line in text.strip("\n").split("\n")[:-1])


OUTPUTS: list[tuple[str, int, str, str]] = [
    (
        "solve 3 3 8 8 --game cards",
        0,
        """
    expression         value
    ---------------  -------
    8 / (3 - 8 / 3)       24

    1 solution, level 5 of 5
    """,
        "",
    ),
    (
        "solve 3 3 7 7 --game cards --steps",
        0,
        """
    expression         value  steps
    ---------------  -------  ----------------
    7 x (3 + 3 / 7)       24  3 / 7 = 3/7
                              3 + (3/7) = 24/7
                              7 x (24/7) = 24

    1 solution, level 5 of 5
    """,
        "",
    ),
    (
        "solve A k q J --game cards --all --style unicode",
        0,
        """
    expression            value    share
    ------------------  -------  -------
    12 × (13 − 11) × 1       24   32.60%
    12 × (13 − 11 × 1)       24    8.92%
    12 × (13 × 1 − 11)       24    8.26%
    12 × (13 − 11) ÷ 1       24   33.03%
    12 × (13 − 11 ÷ 1)       24    8.92%
    12 × (13 ÷ 1 − 11)       24    8.26%

    6 solutions, level 1 of 5
    """,
        "",
    ),
    (
        "solve 1,2,3 --target 2",
        0,
        """
    expression      value
    ------------  -------
    3 + 1 - 2           2

    1 solution, level 1 of 5
    """,
        "",
    ),
    (
        "solve 1 1 1 1",
        1,
        """
    expression       value
    -------------  -------
    1 + 1 + 1 + 1        4
    """,
        "no solution for 24; the closest values are:\n",
    ),
    (
        "solve 3 3 8 8 --game cards --no-fractions --all --style ascii",
        1,
        """
    expression           value
    -----------------  -------
    (8 - 3) * 3 + 8         23
    (8 - 3) * (8 - 3)       25
    """,
        "no solution for 24; the closest values are:\n",
    ),
    (
        "solve 10 9 8 7 6 5 4 3 2 1 --in-order --target 2016",
        1,
        """
    expression                                value
    --------------------------------------  -------
    10 x 9 x 8 x 7 : 6 : 5 x 4 x 3 - 2 + 1     2015
    10 x 9 x 8 x 7 : 6 : 5 x 4 x 3 + 2 - 1     2017
    """,
        "warning: 10 is not in this game (only 1..9); solving it anyway\n"
        "no solution for 2016; the closest values are:\n",
    ),
    (
        "solve 2 5 8 10 25 75 --game numble --target 500",
        0,
        """
    expression      value
    ------------  -------
    25 x 10 x 2       500

    190 solutions, level 1 of 5
    """,
        "",
    ),
    (
        "solve 2 3 9 --any-subset --target 6 --all --style crisps",
        0,
        """
    expression      value    share
    ------------  -------  -------
    9 - 3               6   47.13%
    3 x 2               6   47.13%
    9 x 2 : 3           6    5.73%

    3 solutions
    """,
        "",
    ),
    (
        "solve 2 3 4 --parentheses --target 20 --style polish",
        0,
        """
    expression      value
    ------------  -------
    x + 3 2 4          20

    1 solution
    """,
        "",
    ),
    (
        "reach 2 3 --targets 0..10",
        0,
        """
    reached  3 of 11: 1,5,6
    missed   8 of 11: 0,2..4,7..10
    """,
        "",
    ),
    (
        "reach 2 3 --targets 0..10 --ways",
        0,
        """
      target    ways    level
    --------  ------  -------
           1       1        1
           5       1        1
           6       1        1

    reached  3 of 11: 1,5,6
    missed   8 of 11: 0,2..4,7..10
    """,
        "",
    ),
    (
        "reach 2 5 8 10 25 75 --game numble",
        0,
        """
    reached  899 of 899: 101..999
    missed   0 of 899: none
    """,
        "",
    ),
    (
        "reach 4 9 --operators +^√ --game digits --forms --targets 4..9 --bits 16",
        0,
        """
      target  form
    --------  -------
           5  √9 + √4
           7  4 + √9
           8  √4 ^ √9
           9  √9 ^ √4

    reached  4 of 6: 5,7..9
    missed   2 of 6: 4,6
    No numerator or denominator can be greater than 65535.
    """,
        "",
    ),
    (
        "reach 1 1 --targets 7..9",
        0,
        """
    reached  0 of 3: none
    missed   3 of 3: 7..9
    """,
        "",
    ),
    (
        "survey --targets 22..24",
        0,
        """
      target    solvable    share    fail
    --------  ----------  -------  ------
          22         206   41.62%     289
          23         201   40.61%     294
          24         195   39.39%     300
    """,
        "",
    ),
    (
        "survey crisps digits --targets 22..24",
        0,
        """
      target    crisps solvable    crisps share    crisps fail    digits solvable    digits share    digits fail
    --------  -----------------  --------------  -------------  -----------------  --------------  -------------
          22                206          41.62%            289                315          63.64%            180
          23                201          40.61%            294                297          60.00%            198
          24                195          39.39%            300                404          81.62%             91
    """,  # noqa: E501 - a printed table
        "",
    ),
    (
        "survey digits --targets 0..3 --best",
        0,
        """
      target    solvable    share    fail
    --------  ----------  -------  ------
           2         492   99.39%       3
           0         485   97.98%      10
           3         472   95.35%      23
           1         470   94.95%      25
    """,
        "",
    ),
    (
        "survey digits --distinct-digits --target 24 --unsolvable",
        0,
        """
    unsolvable
    ------------
    1 6 7 8
    3 4 6 7
    """,
        "",
    ),
    (
        "survey cards --target 24",
        0,
        """
      target    solvable    share    fail
    --------  ----------  -------  ------
          24        1362   74.84%     458
    """,
        "",
    ),
    (
        "survey numble --numbers 2,3,5..10,25,50 --workers 1",
        0,
        """
    large      hands    share    every_target    hardest    hardest_share
    -------  -------  -------  --------------  ---------  ---------------
    0             28   98.65%               2        991           67.86%
    1            112   99.83%              56        971           92.86%
    2             70   99.75%              50        961           94.29%
    all          210   99.65%             108        971           93.33%

    hardest targets: 971 (93.33%), 941 (93.81%), 964 (93.81%), 991 (93.81%), 829 (94.29%)
    """,
        "",
    ),
]


@pytest.mark.parametrize(
    ("line", "status", "out", "err"), OUTPUTS, ids=[case[0] for case in OUTPUTS]
)
def test_command_prints_its_table(run: Run, line: str, status: int, out: str, err: str) -> None:
    assert run(line) == (status, table(out), err)


def test_games_prints_all_games(run: Run) -> None:
    rows = {row["name"]: row for row in json.loads(run("games --format json").out)}
    assert list(rows) == list(GAMES)
    keys = ["numbers", "hand", "parentheses", "fractions", "negatives"]
    assert {name: [row[key] for key in keys] for name, row in rows.items()} == {
        "crisps": ["1..9", 4, False, False, False],
        "game24": ["1..9", 4, False, False, False],
        "digits": ["1..9", 4, True, True, True],
        "cards": ["1..13", 4, True, True, True],
        "numble": ["1..10,25,50,75,100 once each", 6, True, False, False],
        "countdown": ["1..10 twice each; 25,50,75,100 once each", 6, True, False, False],
        "make10": ["0..9", 4, True, True, True],
        "krypto": ["1..25", 5, True, False, False],
        "fractions24": ["1..9 and 15 fractions from 1/8 to 7/8", 4, True, True, True],
    }
    assert [name for name, row in rows.items() if not row["zero"]] == ["countdown"]
    assert all(row["about"] == str(GAMES[name].about) for name, row in rows.items())
    assert (rows["krypto"]["operators"], rows["krypto"]["join"]) == (["-", "+", "x", ":"], False)
    assert {name: (row["all numbers used"], row["target"]) for name, row in rows.items()} == {
        "crisps": (True, 24),
        "game24": (True, 24),
        "digits": (True, 24),
        "cards": (True, 24),
        "numble": (False, "101..999"),
        "countdown": (False, "101..999"),
        "make10": (True, 10),
        "krypto": (True, "1..25"),
        "fractions24": (True, 24),
    }


# Other formats.


def test_json_of_a_solution_has_its_keys(run: Run) -> None:
    ran = run("solve 2 3 5 12 --game cards --format json")
    assert json.loads(ran.out) == [
        {
            "numbers": [2, 3, 5, 12],
            "target": 24,
            "expression": "12 / (3 - 5 / 2)",
            "value": 24,
            "exact": True,
            "share": 1.0,
            "solutions": 1,
            "bits": 12.281,
            "level": 5,
        }
    ]
    assert ran.status == 0


def test_json_of_a_closest_value_is_not_exact(run: Run) -> None:
    ran = run("solve 1 1 1 1 --format json")
    assert json.loads(ran.out) == [
        {
            "numbers": [1, 1, 1, 1],
            "target": 24,
            "expression": "1 + 1 + 1 + 1",
            "value": 4,
            "exact": False,
            "share": None,
            "solutions": 0,
            "bits": None,
            "level": None,
        }
    ]
    assert ran.status == 1


def test_json_has_fractions_as_strings_and_steps_as_a_list(run: Run) -> None:
    [row] = json.loads(
        run("solve 2 3 4 5 6 --target -0.475 --game digits --steps --format json").out
    )
    assert (row["target"], row["value"], row["exact"]) == ("-19/40", "-19/40", True)
    assert row["steps"][-1].endswith("= -19/40")
    assert len(row["steps"]) == 4


def test_summary_is_on_stderr_for_formats_of_programs(run: Run) -> None:
    ran = run("solve 2 4 8 10 --game cards --format csv")
    assert [row["expression"] for row in csv.DictReader(io.StringIO(ran.out))] == ["10 + 8 + 4 + 2"]
    assert "11 solutions, level 2 of 5" in ran.err


def test_ways_to_one_target_are_a_table_of_one_row(run: Run) -> None:
    shown = run("reach 3 3 8 8 --game cards --targets 24 --ways").out.splitlines()
    assert shown[2].split() == ["24", "1", "5"]


@pytest.mark.parametrize("with_ways", [False, True])
def test_json_of_reach_has_an_object_per_target(run: Run, with_ways: bool) -> None:
    option = "--ways" if with_ways else ""
    rows = json.loads(
        run(f"reach 1 2 3 25 --game numble --targets 60..90 {option} --format json").out
    )
    made, counted = reachable((1, 2, 3, 25), "numble"), count_solutions((1, 2, 3, 25), "numble")
    expected: list[dict[str, Any]] = [
        {"target": target, "reached": target in made} for target in range(60, 91)
    ]
    if with_ways:
        hard = difficulties((1, 2, 3, 25), "numble")
        for row in expected:
            row["ways"] = counted.get(row["target"], 0)
            known = hard.get(row["target"])
            row["bits"], row["level"] = (known.bits, known.level) if known else (None, None)
    assert rows == expected


def test_json_of_a_survey_has_the_keys_of_its_table(run: Run) -> None:
    [row] = json.loads(run("survey --target 24 --format json").out)
    assert row == {"target": 24, "solvable": 195, "share": 0.393939, "fail": 300}


def test_survey_by_hand_has_a_row_per_hand(run: Run) -> None:
    rows = json.loads(run("survey --targets 0..100 --by hand --best --format json").out)
    assert len(rows) == 495
    assert list(rows[0]) == ["numbers", "reached", "share", "run"]
    reached = [row["reached"] for row in rows]
    assert reached == sorted(reached, reverse=True)


# Options.

SAME = [
    ("solve 1 2 3 4", "solve 1,2,3,4"),
    ("solve 1 11 12 13 --game cards", "solve A J Q K --game cards"),
    ("solve 1 11 12 13 --game cards", "solve a j q k --game cards"),
    ("solve 3 3 8 8 --game cards --target 24", "solve 3 3 8 8 --game cards"),
    ("solve 1 2 --target 1/2 --game cards", "solve 1 2 --target 0.5 --game cards"),
    ("survey", "survey crisps --targets 0..100"),
    ("survey digits --target 24", "survey digits --targets 24"),
    ("survey digits --targets 0..5 --by target", "survey digits digits --targets 0..5"),
]


@pytest.mark.parametrize(("first_line", "second_line"), SAME)
def test_equivalent_calls_print_the_same(run: Run, first_line: str, second_line: str) -> None:
    assert run(first_line) == run(second_line)


NARROWED: list[tuple[str, str, Sequence[str]]] = [
    ("solve 3 4 --target -1 --negatives", "-1", ["3 - 4"]),
    ("solve 3 4 --target 3/4 --fractions", "3/4", ["3 : 4"]),
    ("solve 2 3 4 --target 20 --parentheses", "20", ["(3 + 2) x 4"]),
    ("solve 2 3 4 --target 2 --in-order --all", "2", ["2 x 3 - 4"]),
    ("solve 4 3 2 --target 2 --in-order --all", "2", []),
    ("solve 0 7 8 --numbers 0..9 --target 56", "56", ["8 x 7 + 0"]),
    ("solve 75 25 10 --target 500 --parentheses", "500", ["(75 - 25) x 10"]),
]


@pytest.mark.parametrize(("line", "value", "expressions"), NARROWED)
def test_option_changes_a_rule_for_one_call(
    run: Run, line: str, value: str, expressions: Sequence[str]
) -> None:
    ran = run(f"{line} --format json")
    found = [row for row in json.loads(ran.out) if row["exact"]]
    assert [row["expression"] for row in found] == list(expressions)
    assert {str(row["value"]) for row in found} <= {value}
    assert ran.status == (not expressions)


def test_answers_have_a_line_per_hand(run: Run, tmp_path: Path) -> None:
    ran = run("survey crisps --target 24 --answers answers.tsv")
    assert (ran.status, ran.err) == (0, "answers.tsv: 195 of 495 hands make 24\n")
    lines = (tmp_path / "answers.tsv").read_text().split("\n")
    assert lines[:4] == [
        "Num1\tNum2\tNum3\tNum4\tAnswer",
        "1\t1\t1\t1\tNo answer",
        "1\t1\t1\t2\tNo answer",
        "1\t1\t1\t3\tNo answer",
    ]
    assert "1\t2\t3\t4\t4 x 3 x 2 x 1" in lines
    assert lines[-1] == ""
    assert len(lines) == 1 + 495 + 1
    assert sum(line.endswith("No answer") for line in lines) == 300


def test_answers_of_cards_solve_1362_hands(run: Run, tmp_path: Path) -> None:
    ran = run("survey cards --target 24 --answers answers.tsv")
    assert ran.err == "answers.tsv: 1,362 of 1,820 hands make 24\n"
    answers = (tmp_path / "answers.tsv").read_text().splitlines()
    assert "3\t3\t8\t8\t8 / (3 - 8 / 3)" in answers
    assert "3\t3\t7\t7\t7 x (3 + 3 / 7)" in answers


# A card in one word gives the output of a card with spaces.
IN_ONE_WORD = [
    "solve {} --all",
    "solve {} --in-order",
    "solve {} --game digits --target 25",
    "solve {} --numbers 0..9",
    "reach {} --ways --targets 0..30",
    "count 24 --card {}",
    "count all --card {} --in-order --join",
    "formulas 24 --card {}",
    "formulas 24 --card {} --game game24",
    "check 4+3x8-4 1+2 --card {}",
    "check 4+3x8-4 --strict --card {}",
]


@pytest.mark.parametrize("line", IN_ONE_WORD)
def test_card_in_one_word_is_split_in_games_of_digits(run: Run, line: str) -> None:
    apart = run(line.format("4,3,8,4"))
    assert apart.status in (0, 1)
    assert apart.out
    for word in ("4384", "４３８４"):
        assert run(line.format(word)) == apart


def test_hands_of_files_and_ids_can_be_one_word(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hands").write_text("4384\n4384 -> 25\n４３８４\ncrisps:4384=24\n")
    (tmp_path / "apart").write_text("4 3 8 4\n4 3 8 4 -> 25\n4 3 8 4\ncrisps:4.3.8.4=24\n")
    assert run("solve --file hands") == run("solve --file apart")
    assert run("solve --file hands").status == 0
    assert run("solve crisps:4384=24") == run("solve crisps:4.3.8.4=24")
    (tmp_path / "hands").write_text("3388\n3 3 8 8\n")
    ran = run("solve --file hands --game cards --format csv")
    assert (ran.status, len(ran.out.splitlines())) == (2, 3)
    assert ran.err == "crisps24: line 1: 3388 is one number (did you mean 3 3 8 8?)\n"


REFUSED_WORDS = [
    "solve 3388 --game cards",
    "solve 3388 --game cards --target 3388",
    "solve 3388 --game countdown",
    "solve 3388 --numbers 1..10",
    "solve cards:3388=24",
    "reach 3388 --game cards",
    "check 3+3 --game cards --card 3388",
    "check 3+3 --numbers 1..10 --card 3388",
    "check 3+3 --card cards:3388=24",
    "play cards:3388=24",
]


@pytest.mark.parametrize("line", REFUSED_WORDS)
def test_card_in_one_word_is_refused_in_other_games(run: Run, line: str) -> None:
    ran = run(line)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert "3388 is one number (did you mean 3 3 8 8?)" in ran.err


# Refusals: one line on stderr, nothing on stdout, status 2.

BAD: list[tuple[str, str]] = [
    ("solve", "give NUMBERS, such as 3 3 8 8"),
    ("solve ,", "the hand is empty: add at least one number"),
    ("solve 1 2 x", "'x' is not a whole number"),
    ("solve 1 Q", "'Q' is not a whole number"),
    ("solve 1 X --game cards", "'X' is not a number or one of A, T, J, Q, K"),
    ("solve 3 0,75 3 6 --game cards", "0,75 can be a decimal or two numbers (write 0.75 or 0 75)"),
    ("solve 1.5 2", "1.5 is a fraction, and the results of this game are whole numbers"),
    ("solve -- -1 2", "-1 is less than zero, and the results of this game cannot be (--neg"),
    ("solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards", "solving 12 numbers needs about"),
    (
        "solve 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 --in-order",
        "solving 17 numbers needs about",
    ),
    ("solve 1 --target x", "'x' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("solve 1 --target 1/0", "'1/0' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("solve 1 2 --game numble", "numble has no fixed target: add --target"),
    ("solve 1 2 --game chess", "unknown game 'chess' (expected crisps"),
    ("solve 1 2 --style roman", "'roman' is not one of 'crisps', 'cards', 'ascii'"),
    (
        "solve 1 2 --format morse",
        "unknown format 'morse' (expected table, csv, tsv, json",
    ),
    ("reach", "Missing argument 'NUMBERS...'."),
    ("reach -- -1 1", "-1 is less than zero, and the results of this game cannot be (--neg"),
    ("reach 1 2 --targets 9..1", "the range 9..1 runs downwards (did you mean 1..9?)"),
    ("reach 1 2 --targets x", "'x' is not a number or a range such as 0..100"),
    ("survey chess", "unknown game 'chess' (expected crisps"),
    ("survey --targets 5..1", "the range 5..1 runs downwards (did you mean 1..5?)"),
    ("survey --workers 0", "0 is not in the range x>=1"),
    ("survey --workers 2 --scheduler tcp://a:1", "--workers and --scheduler exclude each other"),
    ("survey --unsolvable", "--unsolvable lists the hands that fail: add --target"),
    ("survey crisps digits --out x.sqlite", "--out takes one GAME"),
    ("survey crisps digits --answers x.tsv", "--answers takes one GAME"),
    ("survey crisps digits --by hand", "--by takes one GAME"),
    ("survey crisps digits --target 24 --unsolvable", "--unsolvable takes one GAME"),
    ("survey digits numble", "the games have different ranges of targets: add --targets"),
    ("survey crisps --from x.sqlite", "--from shows a finished survey"),
    ("survey --from x.sqlite --out y.sqlite", "--from shows a finished survey"),
    ("survey --from x.sqlite --targets 1..2", "--from shows a finished survey"),
    ("survey --from x.sqlite --answers y.tsv", "--from shows a finished survey"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD, ids=[case[0] for case in BAD])
def test_impossible_call_is_reported_in_one_line(
    run: Run, tmp_path: Path, line: str, sentence: str
) -> None:
    ran = run(line)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("crisps24: ")
    assert sentence in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


BEFORE_ANY_WORK = [
    ("survey numble --answers x.tsv", "numble has no fixed target: add --target"),
    ("survey --targets 0..10 --target 24", "--target sets one target: it takes no --targets"),
    (
        "survey numble --targets 0..10 --target 24 --answers x.tsv",
        "--target sets one target: it takes no --targets",
    ),
]


@pytest.mark.parametrize(("line", "sentence"), BEFORE_ANY_WORK)
def test_conflicting_options_are_refused_before_any_work(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, sentence: str
) -> None:
    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing must be computed")

    monkeypatch.setattr("crisps24.surveys.surveys.survey", work)
    ran = run(line)
    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err


def test_unwritable_answers_are_reported_in_one_line(run: Run) -> None:
    ran = run("survey --target 24 --answers nowhere/answers.tsv")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith(": no such folder\n")
    assert len(ran.err.splitlines()) == 1


def test_closed_stdout_is_not_an_error() -> None:
    line = f"{shlex.quote(sys.executable)} -m crisps24 solve 3 3 8 8 --game cards >&-"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_row_of_tsv_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "3", "3", "8", "8", "--game", "cards", "--steps", "--format", "tsv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_negative_numbers_are_numbers_and_unknown_options_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["solve", "-1", "5", "5", "5", "--target", "24"]) == 2
    assert "-1 is less than zero" in capsys.readouterr().err
    assert main(["solve", "-1", "5", "--negatives", "--numbers=-9..9", "--target", "4"]) == 0
    assert main(["solve", "--ball", "1", "2"]) == 2
    assert "No such option '--ball'" in capsys.readouterr().err


def test_hand_without_any_value_is_reported(run: Run) -> None:
    result = run("solve 1 1 --operators - --no-zero --target 24 --format json")
    assert (result.status, result.out.strip()) == (1, "[]")
    assert "no solution for 24; the rules allow no value" in result.err
