"""solve: one hand with its level, shares and hints, and a file of hands."""

import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from crisps24 import GAMES
from crisps24.cli import screen, solving
from crisps24.solving import solver
from crisps24.solving.effort import difficulty
from tests.commands import Run
from tests.sampling import in_one_test
from tests.tables import lines_of


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    path = tmp_path / "hands.txt"
    text = "\ufeff# hands of the 24 game\r\n\r\n3 3 8 8\r\nA,K,3,4 -> 24  # letters\n1 2 4 5 = 10\n"
    path.write_bytes(text.encode())
    return path


def test_no_parentheses_gets_no_suggestion_of_a_game_with_them(run: Run) -> None:
    for words in ("3 3 8 8 --game cards --no-parentheses", "cards:3.3.8.8=24,parentheses=no"):
        ran = run(f"solve {words}")
        assert (ran.status, ran.err) == (1, "no solution for 24; the closest values are:\n")


def test_solution_only_through_negative_numbers_has_no_level(run: Run) -> None:
    words = "solve 1 3 --target -2 --negatives"
    assert run(words).out.endswith("\n1 solution, no level: people do not go below zero\n")
    [row] = run(f"{words} --format json").rows
    assert (row["expression"], row["bits"], row["level"]) == ("1 - 3", None, None)


def test_all_solutions_of_the_game_without_a_name(run: Run) -> None:
    # The command formulas does not take this game, so that no number of formulas is printed.
    assert run("solve 44 19 35 --game free --target 10 --all").out.endswith("\n1 solution\n")


def test_essential_shows_one_solution_per_idea(run: Run) -> None:
    words = "solve 1 4 7 13 --game cards"
    assert len(run(f"{words} --all --format json").rows) == 20
    rows = run(f"{words} --all --essential --format json").rows
    assert 1 < len(rows) < 6
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    assert {row["solutions"] for row in rows} == {len(rows)}
    said = f"\n{len(rows)} essential solutions, level 1 of 5\n"
    assert run(f"{words} --essential").out.endswith(said)


def test_hints_are_first_steps(run: Run) -> None:
    words = "solve 3 6 8 13 --game cards"
    assert run(f"{words} --hint") == (0, "6 - 3 = 3\n", "")
    assert run(f"{words} --hints 9").out.splitlines()[-1].endswith("= 24")
    assert run(f"{words} --hints 2").out.count("\n") == 2
    assert run(f"{words} --hint --format json").rows == [{"step": "6 - 3 = 3"}]
    assert run("solve 1 1 1 1 --hint") == (1, "", "no solution for 24\n")


def test_one_formula_is_shown_if_solutions_are_not_merged(run: Run) -> None:
    words = "solve 2 3 9 --game digits --operators -^√! --target"
    ran = run(f"{words} 25 --all --steps")
    assert ran.status == 0
    assert ran.out.splitlines()[2:] == [
        "3 ^ √9 - 2         25  √9 = 3",
        "                       3 ^ 3 = 27",
        "                       27 - 2 = 25",
    ]
    assert "solutions are not listed: this is the plainest formula" in ran.err
    ran = run(f"{words} 77 --format csv")
    assert (ran.status, ran.out) == (1, "expression,value,steps\n")
    assert "no formula makes 77. No numerator or denominator can be greater than" in ran.err
    ran = run("reach 4 4 --game digits --operators +-! --ways --targets 7..9 --format csv")
    assert ran.out.splitlines() == ["target,reached,form", "7,false,", "8,true,4 + 4", "9,false,"]
    assert "--ways counts solutions" in ran.err


def test_all_solutions_show_why_their_shares_do_not_descend(run: Run) -> None:
    out = run("solve 10 11 11 13 --game cards --all").out
    assert [line.split()[-1] for line in out.splitlines()[2:9]] == ["50.16%"] * 6 + ["49.84%"]
    assert out.endswith("\nlargest group share first: a group differs only by steps with 1 or 0\n")
    for words in ("10 11 11 13 --game cards --essential", "4 3 8 4"):
        assert "group" not in run(f"solve {words} --all").out
    assert "group" not in run("solve 10 11 11 13 --game cards --all --format json").out


def test_a_file_of_hands_is_one_table(run: Run, hands: Path) -> None:
    status, out, err = run("solve", "--file", str(hands), "--game", "cards")
    assert (status, err) == (0, "")
    lines = [line.split("  ") for line in out.splitlines()]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert rows[0] == ["line", "hand", "target", "solution", "solutions", "level"]
    assert rows[2][1:] == ["3 3 8 8", "24", "8 / (3 - 8 / 3)", "1", "5"]
    assert [row[1:3] for row in rows[3:]] == [["1 13 3 4", "24"], ["1 2 4 5", "10"]]


@in_one_test("form", "json", "jsonl", "csv")
@in_one_test("every", "", " --all")
def test_rows_of_a_file_equal_single_calls(form: str, every: str, run: Run, hands: Path) -> None:
    options = f"--game cards --format {form}{every}"
    calls = (f"solve {hand} {options}" for hand in ("3 3 8 8", "1 13 3 4", "1 2 4 5 --target 10"))
    expected = [row for call in calls for row in run(call).rows]
    rows = run(f"solve --file {hands} {options}").rows
    assert [{key: row[key] for key in expected[0]} for row in rows] == expected
    assert {row["verdict"] for row in rows} <= {"solved", "unsolved"}
    assert [int(row["line"]) for row in rows] == sorted(int(row["line"]) for row in rows)


def test_unreadable_line_is_reported_and_others_are_solved(run: Run) -> None:
    long, many = "1 " * 60_000, " ".join(map(str, range(1, 40)))
    Path("hands").write_text(f"3 3 8 8\n3 x\n1 1 1 1\n{long}\n{many}\n1 2 = 3 = 4\n1 2 -> ?\n= 4\n")
    ran = run("solve --file hands --game cards --format jsonl")
    assert (ran.status, [row["line"] for row in ran.rows]) == (2, [*range(1, 9)])
    verdicts = ["solved", "unreadable", "unsolved", *["unreadable"] * 5]
    assert [row["verdict"] for row in ran.rows] == verdicts
    assert ran.rows[0]["expression"] == "8 / (3 - 8 / 3)"
    said = [f"crisps24: line {row['line']}: {row['reason']}" for row in ran.rows if row["reason"]]
    lines = ran.err.splitlines()
    assert [line[: len(start)] for line, start in zip(lines, said, strict=True)] == said
    assert len(said) == 6
    assert "it is longer than 100,000 bytes" in said[1]
    assert lines[2].endswith("cards deals 4 numbers, not 39 (--length 39)")


def test_game_without_a_fixed_target_needs_one_per_hand(run: Run) -> None:
    Path("hands").write_text("75 50 2 3 8 7 -> 812\n75 50 2 3 8 7\n75 50 2 3 8 7 = 813\n")
    words = "solve --file hands --game countdown --format jsonl"
    ran = run(words)
    said = "line 2: countdown has no fixed target: add one after =, or --target\n"
    assert (ran.status, ran.err) == (2, f"crisps24: {said}")
    assert [row["target"] for row in ran.rows] == [812, None, 813]
    for row in ran.rows[::2]:
        hard = difficulty((75, 50, 2, 3, 8, 7), row["target"], "countdown")
        assert hard is not None
        assert (row["bits"], row["level"]) == (hard.bits, hard.level)
    assert run(f"{words} --target 100").status == 0


def test_many_hands_are_solved_in_batches(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("hands").write_text("".join(f"{a} {b} 4 6\n" for a in range(1, 10) for b in range(1, 10)))
    words = "solve --file hands --game digits --format csv"
    expected = run(words)
    monkeypatch.setattr(solving, "_HANDS_PER_BATCH", 7)
    assert run(words) == expected
    assert expected.out.count("\n") == 82


def test_long_table_keeps_widths_of_first_rows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["3 3 8 8", "1 1 1 1", "x", "1 2 3 4", "3 5 7 7 -> 9", "6 6 6 6", "1 1 2 2 -> 10"]
    Path("hands").write_text("\n".join(lines))
    forms = ("table", "github", "json", "jsonl", "csv")
    words = "solve --file hands --game cards --format"
    whole = {form: run(f"{words} {form}").out.splitlines() for form in forms}
    monkeypatch.setattr(solving, "_HANDS_PER_BATCH", 2)
    monkeypatch.setattr(screen, "MAX_TABLE_ROWS", 3)
    parts = {form: run(f"{words} {form}").out.splitlines() for form in forms}
    assert [parts[form] for form in forms[2:]] == [whole[form] for form in forms[2:]]
    assert parts["table"] == whole["table"]
    # A table of another form ends, and another begins.
    assert parts["github"][:5] == whole["github"][:5]
    assert [line[:6] for line in parts["github"][5:8]] == ["", "|   li", "|-----"]


@in_one_test("form", "table", "github", "csv", "json")
def test_rows_without_a_solution_have_no_points(form: str, run: Run) -> None:
    for game, hand in (("mathador", "1 1 1 1 1"), ("cards", "1 1 1 1")):
        Path("hands").write_text(f"mathador:1.2.3.4.6=30\n{hand} -> 99\nx\n")
        ran = run(f"solve --file hands --game {game} --format {form}")
        assert (ran.status, ran.err.count("\n")) == (2, 1), ran.err


def test_every_game_solves_a_file(run: Run) -> None:
    for name, game in GAMES.items():
        hand = f"{' '.join(map(str, game.numbers[: game.length]))} -> 10\n"
        ran = run(f"solve --file - --game {name}", typed=hand.encode())
        assert (ran.status == 2) == (name == "game24"), (name, ran.err)


IDS = {
    "digits:1.2.3=3,operators=+,all=no": (
        "1 2 3 --game digits --target 3 --operators + --any-subset"
    ),
    "cards:3.3.8.8=24": "3 3 8 8 --game cards",
    "countdown:75.50.2.3.8.7=812": "75 50 2 3 8 7 --game countdown --target 812",
    "cards:1.1.1.1=24": "1 1 1 1 --game cards",
}


def test_puzzle_is_solved_by_its_id(run: Run) -> None:
    for puzzle, words in IDS.items():
        for more in ("", "--all --format json", "--hint", "--style unicode", "--steps"):
            assert run(f"solve {puzzle} {more}") == run(f"solve {words} {more}"), (puzzle, more)


# counted.txt has a call, the number of solutions, and the command for their formulas: nothing
# where no command prints them.
def test_summary_shows_the_command_that_prints_the_formulas(run: Run) -> None:
    for line in lines_of("cli/counted.txt"):
        words, solved, *printing = line.split(" => ")
        status, out, err = run(f"solve {words}")
        assert status == 0, err
        last = out.splitlines()[-1]
        assert re.match(rf"{solved}(,| \(|$)", last), last
        match = re.search(r"\(([0-9]+) formulas?: crisps24 (.*)\)(, |$)", last)
        assert bool(match) == bool(printing), words
        if match is not None:
            assert printing[0] in last
            assert len(run(match[2]).out.splitlines()) == int(match[1]), words


def test_equal_hands_are_solved_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [(1, 2, 3, 4), (4, 3, 8, 4), (4, 4, 3, 8), (9, 9, 9, 1), (2, 1, 3, 4), (1, 2, 3, 4)]
    text = "\n".join(" ".join(map(str, hand)) for hand in hands * 100 + [(1, 1, 1, 1)])
    Path("hands.txt").write_text(text)
    find_many = Mock(wraps=solver.find_many)
    monkeypatch.setattr("crisps24.puzzle.find_many", find_many)
    call = "solve --file hands.txt --format jsonl"
    alone = run(call)
    assert sum(len(call.args[0]) for call in find_many.call_args_list) == 4
    assert [row["line"] for row in alone.rows] == list(range(1, 602))
    assert [row["numbers"] for row in alone.rows][:6] == [list(hand) for hand in hands]
    for hand, row in zip(hands, alone.rows, strict=False):
        [single] = run(f"solve {' '.join(map(str, hand))} --format jsonl").rows
        assert row["exact"] is False or row | single == row
    monkeypatch.setattr("crisps24.cli.solving._HANDS_PER_TASK", 2)
    assert run(f"{call} --workers 2") == alone
    assert "add --file" in run("solve 3 3 8 8 --workers 2").err


def test_parquet_is_read_as_other_files_are(run: Run) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    columns = {"nums": [[3, 3, 8, 8], [1, 2, 3, 4]], "formula": ["8/(3-8/3)", "1+2+3+4"]}
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), "a.parquet")
    expected = {"solve": ["solved"] * 2, "check": ["right", "wrong"], "judge": ["right", "wrong"]}
    for command, verdicts in expected.items():
        ran = run(f"{command} --file a.parquet --game cards --target 24 --format jsonl")
        assert [row["verdict"] for row in ran.rows] == verdicts, ran.err


def test_reach_without_a_limit_says_what_it_needs(run: Run) -> None:
    ran = run("reach 1 2 3 4 5 6 7 --game countdown --targets 1..9 --work none")
    assert re.search(r"this search needs about [\d,]+ pairs of values and 0\.\d GB", ran.err)
    assert "needs about" not in run("reach 1 2 3 4 --work none").err


def test_hand_that_needs_parentheses_names_the_game(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hands.txt").write_text("4 7 8 8\n3 3 8 8\n")
    said = "crisps has no parentheses; --game cards "
    assert run("reach 1 2 3 4").err == f"{said}makes 13 of the missed\n"
    assert run("solve --file hands.txt").err == f"{said}has a solution\n"
    for line in ("reach 1 2 3 4 --targets 1..15", "solve --file hands.txt --no-parentheses"):
        assert run(line).err == ""
    assert run("reach 1 2 3 4 --game crisps").err == ""
