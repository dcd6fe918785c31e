"""Options that choose puzzles: commands deal the same puzzles as the library."""

from pathlib import Path
from typing import Any

from crisps24.puzzle import puzzle_of
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from tests.commands import Run

CALLS: dict[str, dict[str, Any]] = {
    "cards": {},
    "cards --rising": {"rising": True},
    "cards --level 2..4 --rising": {"conditions": Conditions(levels=range(2, 5)), "rising": True},
    "cards --target 20": {"target": 20},
    "countdown --targets 300..400": {"targets": range(300, 401)},
    "cards --plain --essential --solutions 1..2": {
        "conditions": Conditions(plain=True, essential=True, solutions=range(1, 3))
    },
    "cards --length 3..5": {"conditions": Conditions(lengths=range(3, 6))},
    "cards --length 3": {"conditions": Conditions(lengths=range(3, 4))},
    "countdown --length 3..4 --large 1 --target 50": {
        "target": 50,
        "conditions": Conditions(lengths=range(3, 5), large=1),
    },
}


def test_command_deals_the_same_puzzles_as_the_library(run: Run) -> None:
    for words, arguments in CALLS.items():
        rows = run(f"deal {words} --count 6 --seed 5 --format json").rows
        expected = list(deal(words.split()[0], 6, seed=5, **arguments))
        assert [row["id"] for row in rows] == [puzzle.id for puzzle in expected], words
        bits = [row["bits"] for row in rows]
        assert (bits == sorted(bits)) == arguments.get("rising", False)


PRINTED = (
    *("--target 24", "--targets 20..30", "--level 2..3", "--length 3..4", "--solutions 1..3"),
    *("--solutions 1..3 --essential", "--plain", "--closest", "--repeat", "--trivial", "--steps 3"),
    *("--used 4", "--unsolvable 50%", "--needs-fractions", "--no-needs-fractions"),
    "--no-needs-negatives",
)


def test_printed_command_has_each_condition(run: Run) -> None:
    for options in (*PRINTED, "--large 0", "--whole"):
        game = {"--large 0": "countdown", "--whole": "fractions24"}.get(options, "digits")
        line = f"crisps24 deal {game} --count 1 --seed 7 {options}"
        ran = run(line.removeprefix("crisps24 "))
        assert ran.out.endswith(f": {line}\n"), (line, ran.out, ran.err)


def test_sheet_of_several_lengths_has_no_number_of_cards(run: Run) -> None:
    assert run("sheet cards --length 3..4 --count 6 --seed 1 --out a.html").status == 0
    assert "Use all numbers once each, with" in Path("a.html").read_text()


def test_needs_options_choose_what_is_printed_and_played(run: Run) -> None:
    line = "cards --count 3 --seed 1 --needs-fractions --no-zero"
    dealt = run(f"deal {line} --format json").rows
    for words in ("sheet {} --out a.html", "page {} --out b.html", "quiz {} --out c.gift"):
        assert run(words.format(line)).status == 0, words
    # The rules are those of the puzzles, not of the game.
    assert "but not zero" in Path("a.html").read_text()
    played = Path("b.html").read_text()
    for row in dealt:
        puzzle = puzzle_of(row["id"])
        assert puzzle.needs_fractions
        assert str([*map(str, puzzle.hand)]).replace("'", '"') in played
