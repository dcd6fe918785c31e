"""solve: one hand with its level, shares and hints, and a file of hands."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crisps24 import GAMES, count, formulas
from crisps24.cli import solving
from crisps24.cli.program import main
from crisps24.rules.exact import has_fractions
from crisps24.solving.effort import difficulty
from crisps24.solving.solver import solutions
from tests import hand_oracle
from tests.cli.test_screen import lines_on_a_terminal
from tests.hand_oracle import Rules
from tests.hands.dealing import HALF, dealt, game_of

KEYS = ["numbers", "target", "expression", "value", "exact", "share", "solutions", "bits", "level"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["solve", *words])
    output = capsys.readouterr()
    return status, output.out, output.err


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    path = tmp_path / "hands.txt"
    path.write_bytes(
        b"\xef\xbb\xbf# two hands of the 24 game\r\n\r\n3 3 8 8\r\nA,K,3,4 -> 24  # letters\n"
        b"1 2 4 5 = 10\n"
    )
    return path


def test_no_parentheses_gets_no_suggestion_of_a_game_with_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in ("3 3 8 8 --game cards --no-parentheses", "cards:3.3.8.8=24,parentheses=no"):
        assert main(["solve", *words.split()]) == 1
        assert capsys.readouterr().err == "no solution for 24; the closest values are:\n"


def test_summary_shows_the_level_after_the_number_of_solutions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(capsys, "3", "3", "8", "8", "--game", "cards") == (
        0,
        "expression         value\n---------------  -------\n8 / (3 - 8 / 3)       24\n\n"
        "1 solution, level 5 of 5\n",
        "",
    )


@pytest.mark.parametrize("rules", ["--operators=+-", "--no-zero", "--fractions", "--in-order"])
def test_other_operators_or_rules_have_no_level(
    rules: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["solve", "3", "4", "8", "9", rules]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith((" solution", " solutions"))
    assert main([*words, "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["level"] is None
    assert row["bits"] > 0
    assert main([*words, "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].endswith(f",{row['bits']},")
    (tmp_path / "hands").write_text("3 4 8 9\n")
    assert main(["solve", "--file", str(tmp_path / "hands"), rules, "--format", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["level"] is None


def test_solution_only_through_negative_numbers_has_no_level(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("1", "3", "--target", "-2", "--negatives")
    status, out, _ = run(capsys, *words)
    assert (status, out.splitlines()[-1]) == (
        0,
        "1 solution, no level: people do not go below zero",
    )
    [row] = json.loads(run(capsys, *words, "--format", "json")[1])
    assert (row["expression"], row["bits"], row["level"]) == ("1 - 3", None, None)


def test_all_shows_shares(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("2", "4", "8", "10", "--game", "cards", "--all")
    lines = run(capsys, *words)[1].splitlines()
    assert lines[0].split() == ["expression", "value", "share"]
    assert lines[2].startswith("10 + 8 + 4 + 2 ")
    rows = json.loads(run(capsys, *words, "--format", "json")[1])
    assert [list(row) for row in rows] == [KEYS] * 11
    expected = solutions((2, 4, 8, 10), 24, "cards")
    assert [row["expression"] for row in rows] == [
        str(solution.expression) for solution in expected
    ]
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    grade = difficulty((2, 4, 8, 10), 24, "cards")
    assert grade is not None
    assert {(row["solutions"], row["bits"], row["level"]) for row in rows} == {
        (11, grade.bits, grade.level)
    }


def test_all_solutions_of_the_game_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    # The command formulas does not take this game, so that no number of formulas is printed.
    assert main(["solve", "44", "19", "35", "--game", "free", "--target", "10", "--all"]) == 0
    assert capsys.readouterr().out.endswith("\n1 solution\n")


def test_essential_shows_one_solution_per_idea(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("1", "4", "7", "13", "--game", "cards", "--all", "--format", "json")
    assert len(json.loads(run(capsys, *words)[1])) == 20
    rows = json.loads(run(capsys, *words, "--essential")[1])
    assert 1 < len(rows) < 6
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    assert {row["solutions"] for row in rows} == {len(rows)}
    output = run(capsys, *words[:6], "--essential")[1].splitlines()[-1]
    assert output == f"{len(rows)} essential solutions, level 1 of 5"


def test_hints_are_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("3", "6", "8", "13", "--game", "cards")
    assert run(capsys, *words, "--hint") == (0, "6 - 3 = 3\n", "")
    assert run(capsys, *words, "--hints", "9")[1].splitlines()[-1].endswith("= 24")
    assert len(run(capsys, *words, "--hints", "2")[1].splitlines()) == 2
    assert json.loads(run(capsys, *words, "--hint", "--format", "json")[1]) == [
        {"step": "6 - 3 = 3"}
    ]
    assert run(capsys, "1", "1", "1", "1", "--hint") == (1, "", "no solution for 24\n")


def test_hints_follow_the_plainest_form_if_solutions_are_not_merged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("2", "3", "9", "--game", "digits", "--operators", "-^√!")
    output = ["√9 = 3", "3 ^ 3 = 27", "27 - 2 = 25"]
    for first in (1, 3, 9):
        text = "".join(f"{step}\n" for step in output[:first])
        assert run(capsys, *words, "--target", "25", "--hints", str(first)) == (0, text, "")
    assert run(capsys, *words, "--target", "77", "--hint") == (1, "", "no solution for 77\n")
    assert run(capsys, *words, "--target", "25")[0] == 2


def test_a_file_of_hands_is_one_table(capsys: pytest.CaptureFixture[str], hands: Path) -> None:
    status, out, err = run(capsys, "--file", str(hands), "--game", "cards")
    assert (status, err) == (0, "")
    lines = [line.split("  ") for line in out.splitlines()]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert rows[0] == ["line", "hand", "target", "solution", "solutions", "level"]
    assert rows[2][1:] == ["3 3 8 8", "24", "8 / (3 - 8 / 3)", "1", "5"]
    assert [row[1:3] for row in rows[3:]] == [["1 13 3 4", "24"], ["1 2 4 5", "10"]]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
@pytest.mark.parametrize("every", [False, True])
def test_rows_of_a_file_equal_those_of_single_calls(
    form: str, every: bool, capsys: pytest.CaptureFixture[str], hands: Path
) -> None:
    options = ["--game", "cards", "--format", form, *(["--all"] if every else [])]
    alone = [
        run(capsys, *hand.split(), *options)[1]
        for hand in ("3 3 8 8", "1 13 3 4", "1 2 4 5 --target 10")
    ]
    together = run(capsys, "--file", str(hands), *options)[1]
    if form == "json":
        rows, expected = json.loads(together), [row for one in alone for row in json.loads(one)]
    elif form == "jsonl":
        rows = [json.loads(line) for line in together.splitlines()]
        expected = [json.loads(line) for one in alone for line in one.splitlines()]
    else:
        rows = list(csv.DictReader(io.StringIO(together)))
        expected = [row for one in alone for row in csv.DictReader(io.StringIO(one))]
    assert [{key: row[key] for key in expected[0]} for row in rows] == expected
    assert {row["verdict"] for row in rows} <= {"solved", "unsolved"}
    assert [int(row["line"]) for row in rows] == sorted(int(row["line"]) for row in rows)


def test_unreadable_line_is_reported_and_others_are_solved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hands"
    long = "1 " * 60_000
    many = " ".join(map(str, range(1, 40)))
    path.write_text(f"3 3 8 8\n3 x\n1 1 1 1\n{long}\n{many}\n1 2 = 3 = 4\n1 2 -> ?\n= 4\n")
    status, out, err = run(capsys, "--file", str(path), "--game", "cards", "--format", "jsonl")
    assert status == 2
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["line"] for row in rows] == [*range(1, 9)]
    assert [row["verdict"] for row in rows] == ["solved", "unreadable", "unsolved"] + [
        "unreadable"
    ] * 5
    assert rows[0]["expression"] == "8 / (3 - 8 / 3)"
    assert all(f"line {row['line']}: {row['reason']}" in err for row in rows if row["reason"])
    output = [line.partition(": ")[2] for line in err.splitlines()]
    assert [line.split(":")[0] for line in output] == [f"line {n}" for n in (2, 4, 5, 6, 7, 8)]
    assert "it is longer than 100,000 bytes" in output[1]
    assert "would fit, or add --work none" in output[2]


def test_exit_status_shows_a_hand_without_a_solution(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hands"
    path.write_text("1 1 1 1\n")
    status, out, _ = run(capsys, "--file", str(path))
    assert (status, out.splitlines()[-1].split()) == (1, ["1", *"1111", "24", "none", "0"])


def test_game_without_a_fixed_target_needs_one_per_hand(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hands"
    path.write_text("75 50 2 3 8 7 -> 812\n75 50 2 3 8 7\n75 50 2 3 8 7 = 813\n")
    words = ("--file", str(path), "--game", "countdown", "--format", "jsonl")
    status, out, err = run(capsys, *words)
    assert (status, err) == (
        2,
        "crisps24: line 2: countdown has no fixed target: add one after =, or --target\n",
    )
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["target"] for row in rows] == [812, None, 813]
    del rows[1]
    for row in rows:
        hard = difficulty((75, 50, 2, 3, 8, 7), row["target"], "countdown")
        assert hard is not None
        assert (row["bits"], row["level"]) == (hard.bits, hard.level)
    assert run(capsys, *words, "--target", "100")[0] == 0


WRONG = [
    ("", "give NUMBERS, such as 3 3 8 8"),
    ("3 3 8 8 --file -", "it takes no NUMBERS"),
    ("--file - --hint", "use crisps24 solve 4 3 8 4 --hint"),
    ("--file - --steps", "use crisps24 solve 4 3 8 4 --steps"),
    ("3 3 8 8 --hint --all", "no --all"),
    ("3 3 8 8 --hints 0", "--hints"),
    ("3 3 8 8 --game countdown", "countdown has no fixed target"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_conflicting_options_are_refused(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert message in err


def test_many_hands_are_solved_in_batches(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hands"
    path.write_text("".join(f"{a} {b} 4 6\n" for a in range(1, 10) for b in range(1, 10)))
    words = ("--file", str(path), "--game", "digits", "--format", "csv")
    expected = run(capsys, *words)
    monkeypatch.setattr(solving, "_HANDS_PER_BATCH", 7)
    assert run(capsys, *words) == expected
    assert len(expected[1].splitlines()) == 82


def test_another_program_can_write_a_hand_and_read_its_rows() -> None:
    command = [sys.executable, "-m", "crisps24", "solve", "--file", "-", "--game", "cards"]
    with subprocess.Popen(
        [*command, "--format", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as asked:
        assert asked.stdin is not None
        assert asked.stdout is not None
        for hand, expression in (("3 3 8 8", "8 / (3 - 8 / 3)"), ("1 1 1 1", None)):
            asked.stdin.write(f"{hand}\n")
            asked.stdin.flush()
            assert json.loads(asked.stdout.readline())["expression"] == expression
        for text in ("abc", '{"nums": "abc", "id": "q7", "x": [1]}'):
            asked.stdin.write(f"{text}\n")
            asked.stdin.flush()
            row = json.loads(asked.stdout.readline())
            assert (row["verdict"], row["reason"][:5]) == ("unreadable", "'abc'")
        assert (row["line"], row["id"], row["x"]) == (4, "q7", [1])
        asked.stdin.close()
        assert asked.wait(timeout=60) == 2


def test_every_game_solves_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, game in GAMES.items():
        path = tmp_path / name
        path.write_text(f"{' '.join(map(str, game.numbers[: game.length]))} -> 10\n")
        status, _, err = run(capsys, "--file", str(path), "--game", name)
        assert (status == 2) == (name == "game24"), (name, err)


IDS = {
    "cards:3.3.8.8=24": "3 3 8 8 --game cards",
    "countdown:75.50.2.3.8.7=812": "75 50 2 3 8 7 --game countdown --target 812",
    "cards:1.1.1.1=24": "1 1 1 1 --game cards",
    "digits:1.2.3=3,operators=+,all=no": (
        "1 2 3 --game digits --target 3 --operators + --any-subset"
    ),
}


@pytest.mark.parametrize(("puzzle", "words"), IDS.items())
def test_puzzle_is_solved_by_its_id(
    puzzle: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ("", "--all --format json", "--hint", "--style unicode", "--steps"):
        by_id = run(capsys, puzzle, *more.split())
        assert by_id == run(capsys, *words.split(), *more.split())


def test_invalid_id_or_repeated_setting_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, output in (
        ("cards:3.3.8.8=24 --target 10", "and target: it takes no --target"),
        ("cards:3.3.8.8=24 --game cards", "and target: it takes no --game"),
        ("cards:3.3.8.8=24 --no-zero", "and target: it takes no --no-zero"),
        ("cards:3.3.8.8=24 4", "'cards:3.3.8.8=24 4' is not the id of a puzzle"),
        ("cards:3.3.8=", "is not the id of a puzzle (expected an id such as cards:3.3.8.8=24)"),
        ("chess:3.3.8.8=24", "unknown game 'chess'"),
        ("cards:3.3.8.8=24,king=yes", "unknown rule 'king'"),
    ):
        status, out, err = run(capsys, *words.split())
        assert (status, out, err.count("\n")) == (2, "", 1), words
        assert output in err


def test_file_can_have_ids_of_any_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_text("\n".join([*IDS, "3 3 8 8", "chess:1=2"]))
    status, out, err = run(capsys, "--file", str(path), "--game", "cards", "--format", "jsonl")
    assert (status, err.count("\n")) == (2, 1)
    assert "line 6: unknown game 'chess'" in err
    rows = [json.loads(line) for line in out.splitlines()]
    alone = [run(capsys, puzzle, "--format", "jsonl")[1].splitlines() for puzzle in IDS]
    assert [row["expression"] for row in rows if row["solutions"]] == [
        *(
            json.loads(lines[0])["expression"]
            for puzzle, lines in zip(IDS, alone, strict=True)
            if "1.1.1.1" not in puzzle
        ),
        "8 / (3 - 8 / 3)",
    ]
    assert [row["verdict"] == "unreadable" for row in rows] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("text", "solutions"),
    [
        ("name;hand;target\nann;3 3 8 8;\nbob;1 2 3;6\n;;\n", ["8 / (3 - 8 / 3)", "3 x 2 x 1"]),
        ("Hand\tTarget\n3,8\t11\n", ["8 + 3"]),
        ("id\ncards:3.8=24\n", ["8 x 3"]),
        ("cards:3.8=24\n3 8\n", ["8 x 3", "8 x 3"]),
    ],
)
def test_file_can_be_a_table(
    text: str, solutions: list[str], hands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hands.write_text(text)
    status, out, err = run(capsys, "--file", str(hands), "--game", "cards", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert [row["expression"] for row in rows] == solutions


def test_a_binary_file_is_named_and_not_printed(
    hands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hands.write_bytes(b"PK\3\4\x1b[2J")
    output = run(capsys, "--file", str(hands))
    assert output == (2, "", "crisps24: the file is a zip archive, as of Excel: save it as csv\n")


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl"])
def test_file_without_a_hand_is_refused(
    form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "none.txt"
    path.write_text("\n# none\n")
    status, out, err = run(capsys, "--file", str(path), "--format", form)
    assert (status, out) == (2, "")
    assert "--file is empty (expected a hand" in err


CARD = '2 solutions (36 formulas: crisps24 formulas 24 --card "4 3 8 4")'
# A call, the number of solutions, and the command for their formulas: nothing where no command
# prints them.
TOLD = [
    ("4 3 8 4 --all", "2 solutions", '36 formulas: crisps24 formulas 24 --card "4 3 8 4"'),
    ("4 3 8 4", "2 solutions", ""),
    ("4 3 8 4 --all --in-order", "2 solutions", "3 formulas: "),
    ("4 3 8 4 --all --in-order --target 16", "1 solution", "1 formula: "),
    ("4 3 8 4 --all --negatives", "2 solutions", "--negatives"),
    ("4 3 8 4 --all --operators +-x", "2 solutions", "--operators=-+x"),
    ("4 3 8 4 --all --no-zero", "2 solutions", "--no-zero"),
    ("4 3 8 4 --all --essential", "2 essential solutions", "36 formulas"),
    ("4 3 8 4 --all --parentheses", "4 solutions", ""),
    ("4 3 8 4 --all --any-subset", "3 solutions", ""),
    ("4 3 8 4 --all --game cards", "4 solutions", ""),
    ("4 3 8 4 --all --game cards --no-parentheses", "2 solutions", "--no-parentheses"),
    ("4 3 8 4 --all --game numble --no-parentheses --target 24", "3 solutions", ""),
    ("4 3 8 4 --all --game numble --target 24 --no-parentheses --all-numbers", "2 solutions", ""),
    ("1 2 3 --target 15 --join --all", "2 solutions", "--join"),
    ("1 2 3 --target 15 --join --all --in-order", "1 solution", "--join"),
    ("0 1 2 --target 12 --numbers 0..9 --join --all", "3 solutions", "--join"),
    ("12 30 --numbers 1..50 --target 42 --all", "1 solution", '--card "12 30"'),
    ("0 5 --numbers 0..9 --target 5 --no-zero --all", "2 solutions", "--no-zero"),
    ("3 8 --negatives --target -5 --all", "1 solution", " -- -5"),
    ("1 2 --fractions --target 1/2 --all", "1 solution", "formulas 1/2 "),
    ("5 --target 5 --all", "1 solution", '1 formula: crisps24 formulas 5 --card "5"'),
    ("5 --target 5 --all --game digits --no-parentheses --style unicode", "1 solution", "digits"),
    ("crisps:4.3.8.4=24,negatives=yes --all", "2 solutions", "--negatives"),
    ("crisps:4.3.8.4=24,numbers=1..12,length=5 --all", "2 solutions", "36 formulas"),
]


@pytest.mark.parametrize(("words", "solved", "message"), TOLD, ids=lambda case: case)
def test_summary_shows_the_command_that_prints_the_formulas(
    words: str, solved: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *words.split())
    assert status == 0, err
    last = out.splitlines()[-1]
    assert re.match(rf"{solved}(,| \(|$)", last), last
    match = re.search(r"\(([0-9]+) formulas?: crisps24 (.*)\)(, |$)", last)
    if match is None:
        assert message == ""
        return
    assert message != ""
    assert message in last
    assert main(shlex.split(match[2])) == 0
    assert len(capsys.readouterr().out.splitlines()) == int(match[1])


def test_number_of_formulas_is_shown_only_in_the_summary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, err = run(capsys, "4", "3", "8", "4", "--all", "--format", "json")
    assert len(json.loads(out)) == 2
    assert [list(row) for row in json.loads(out)] == [KEYS] * 2
    assert err == f"\n{CARD}, level 1 of 5\n"


@HALF
@given(dealt(operators=st.just("-+x:")), st.data())
def test_solutions_are_formulas_that_differ_for_other_numbers(
    drawn: tuple[tuple[int, ...], Rules], data: st.DataObject
) -> None:
    hand, rules = drawn
    assume(not has_fractions(hand))
    rules = rules._replace(parentheses=False, all_numbers=True)
    ways = hand_oracle.ways(hand, rules)
    assume(ways)
    target = data.draw(st.sampled_from(sorted(ways)))
    game = game_of(hand, rules)
    functions = [
        hand_oracle.read(str(formula), rules).function
        for formula in formulas(target, game, card=hand, in_order=rules.in_order)
    ]
    assert len(set(functions)) == ways[target]
    assert len(functions) == count(target, game, card=hand, in_order=rules.in_order)


@pytest.mark.parametrize("columns", [10, 30, 47, 80])
def test_reach_wraps_its_lists_between_numbers_on_a_terminal(
    capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    words = ["reach", "2", "5", "8", "--game", "cards", "--targets", "0..90"]
    main(words)
    reached, missed = capsys.readouterr().out.splitlines()
    lines = [line for line in lines_on_a_terminal(columns, *words) if line]
    assert "".join(line[9:] for line in lines) == reached[9:] + missed[9:]
    assert [line[:9] for line in lines if line[0] != " "] == ["reached  ", "missed   "]
    assert max(map(len, lines)) <= max(columns, 29)
    assert all(line.endswith(",") for line in lines if not line.endswith(("80", "90")))
