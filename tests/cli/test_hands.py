"""Commands about hands and surveys: whole outputs, exit statuses and refusals."""

import re
from pathlib import Path

import pytest

from crisps24 import GAMES
from tests.commands import Run
from tests.sampling import in_one_test
from tests.tables import lines_of

# Calls with exit status 0, unless there is no solution, and their output; documents have more.
_OUTPUTS = re.split(r"^\$ (.*)\n", "\n".join(lines_of("cli/outputs.txt")) + "\n", flags=re.M)
OUTPUTS = dict(zip(_OUTPUTS[1::2], _OUTPUTS[2::2], strict=True))
_CALLS = ("solve 1 1 1 1", "solve 3 3 8 8 --game cards --no-fractions --all --style ascii")
SAID = dict.fromkeys(_CALLS, "no solution for 24; the closest values are:\n")


@pytest.mark.parametrize("line", OUTPUTS)
def test_command_prints_its_table(run: Run, line: str) -> None:
    assert run(line) == (int(line in SAID), OUTPUTS[line], SAID.get(line, ""))


NUMBERS = {
    **{"crisps": "1..9", "game24": "1..9", "digits": "1..9", "cards": "1..13", "make10": "0..9"},
    **{"krypto": "1..25", "mathador": "a throw of dice with 4,6,8,12,20 faces"},
    "numble": "1..10,25,50,75,100 once each",
    "countdown": "1..10 twice each; 25,50,75,100 once each",
    "fractions24": "1..9 and 15 fractions from 1/8 to 7/8",
}


def test_games_prints_all_games(run: Run) -> None:
    rows = run("games --format json").rows
    assert [row["name"] for row in rows] == list(GAMES)
    assert {row["name"]: row["numbers"] for row in rows} == NUMBERS
    for row, game in zip(rows, GAMES.values(), strict=True):
        flags = game.parentheses, game.fractions, game.negatives, game.all_numbers, game.zero
        keys = "parentheses", "fractions", "negatives", "all numbers used", "zero"
        assert tuple(row[key] for key in keys) == flags
        assert (row["hand"], row["about"]) == (game.length, str(game.about))
        assert (row["operators"], row["join"]) == (list(game.operators), game.join)
    targets = {row["name"]: row["target"] for row in rows}
    shown = {"cards": 24, "numble": "101..999", "krypto": "1..25", "mathador": "0..99"}
    assert targets.items() >= shown.items()


# A card in one word gives the output of a card with spaces.
IN_ONE_WORD = [
    *("solve {} --all", "solve {} --in-order", "solve {} --game digits --target 25"),
    *("solve {} --numbers 0..9", "reach {} --ways --targets 0..30", "count 24 --card {}"),
    *("count all --card {} --in-order --join", "formulas 24 --card {}"),
    *("formulas 24 --card {} --game game24", "check 4+3x8-4 1+2 --card {}"),
    "check 4+3x8-4 --strict --card {}",
]


def test_card_in_one_word_is_split_in_games_of_digits(run: Run) -> None:
    for line in IN_ONE_WORD:
        apart = run(line.format("4,3,8,4"))
        assert (apart.status in (0, 1), apart.out != "") == (True, True)
        for word in ("4384", "４３８４"):
            assert run(line.format(word)) == apart, line


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


DICE = "--game mathador --target 24 --card '3 5 7 9 13'"


# Calls, and parts of what they print.
@in_one_test(
    ("call", "parts"),
    (f"check '7 + 5 + 9 + 3' {DICE}", "24         3  r"),
    (f"check '7 + 5' {DICE} --format json", '"points": 0'),
    ("judge '13 + 9 + 2' --card mathador:2.5.7.9.13=24 --format jsonl", '"points": 2'),
    ("solve 2 5 7 9 13 --game mathador --target 24 --format csv", "points,|,13,22,"),
    ("reach 1 2 --game mathador --targets 4..4", "reached  0 of 1: none"),
    ("check '4 + 3 + 8' --once --format json", '"illegal"|+ is used more than once'),
    ("reach 1 2 3 4 --once --targets 10..11", "reached  2 of 2: 10,11"),
    ("reach 3 3 8 8 --game cards --targets 24 --ways", "24       1        5"),
)
def test_commands_show_points(run: Run, call: str, parts: str) -> None:
    printed = run(call).out
    assert [part for part in parts.split("|") if part not in printed] == []
