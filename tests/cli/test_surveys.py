"""The command survey: combinations of options, and places of files."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from crisps24 import GAMES, Game, reachable, survey
from tests.commands import Ran, Run


@pytest.fixture
def run(run: Run) -> Run:
    return lambda line: run(f"survey {line}")


def refused(ran: Ran, sentence: str) -> None:
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("crisps24: ")
    assert sentence in ran.err


@pytest.fixture
def _stored(run: Run) -> None:
    assert run("digits --targets 20..30 --out a.sqlite").status == 0


@pytest.mark.usefixtures("_stored")
def test_option_that_a_file_cannot_show_is_refused(run: Run) -> None:
    before = Path("a.sqlite").read_bytes()
    Path("link.png").symlink_to("a.sqlite")
    for options, message in (
        ("--target 31", "--target 31 is not among the targets 20..30"),
        ("--target 24 --best", "--best sorts targets, and 24 is the only one"),
        ("--by large", "--by large: digits has no large numbers"),
        ("--plot link.png", "--from and --plot are the same file"),
        ("--plot ./a.sqlite", "--from and --plot are the same file"),
    ):
        refused(run(f"--from a.sqlite {options}"), message)
    assert Path("a.sqlite").read_bytes() == before


@pytest.mark.usefixtures("_stored")
def test_equivalent_calls_print_the_same(run: Run) -> None:
    for first, second in [
        ("--from a.sqlite --target 24", "digits --target 24"),
        ("--from a.sqlite --target 24 --by hand", "digits --target 24 --by hand"),
        ("--from a.sqlite --target 24 --unsolvable", "digits --target 24 --unsolvable"),
        ("--from a.sqlite --best", "digits --targets 20..30 --best"),
        ("--from a.sqlite --best --by hand", "digits --targets 20..30 --best --by hand"),
        ("crisps digits --targets 0..9 --by target", "crisps digits --targets 0..9"),
        ("numble --length 2 --best", "numble --length 2 --best --by target"),
        ("numble --length 2 --numbers 1..9", "numble --length 2 --numbers 1..9 --by target"),
        ("digits --length 4 --fractions", "digits"),
    ]:
        found = run(first)
        assert (found.status, found) == (0, run(second)), first


MEANS = ["mean bits", "median bits", *(f"level {level}" for level in range(1, 6))]
BITS = ["share", "least bits", "most bits", "example"]
# Options, the columns of the table, and the number of its rows.
HEADS: dict[str, tuple[list[str], int]] = {
    "crisps": (["level", "hands", *BITS], 6),
    "crisps --targets 20..30": (["level", "puzzles", *BITS], 6),
    "crisps --by target": (["target", "hands", *MEANS], 1),
    "crisps --targets 20..30 --by target": (["target", "hands", *MEANS], 11),
    "crisps --by hand": (["numbers", "bits", "level", "seconds"], 195),
    "crisps --targets 20..30 --by hand": (["numbers", "targets", *MEANS], 495),
    "krypto --length 2 --by share": (["share", "bits", "level"], 19),
}


def test_difficulty_is_shown_by_level_target_hand_or_share(run: Run) -> None:
    for line, (heads, rows) in HEADS.items():
        ran = run(f"{line} --difficulty --format csv")
        found = (ran.status, ran.err, list(ran.rows[0]), len(ran.rows))
        assert found == (0, "", heads, rows), line


def test_stored_difficulties_are_shown_as_computed(run: Run, tmp_path: Path) -> None:
    line = "crisps --targets 20..30 --difficulty"
    first = run(line)
    assert run(f"{line} --out a.sqlite").out == first.out
    for options in ("", " --by target", " --by hand", " --by share"):
        assert run(f"--from a.sqlite --difficulty{options}").out == run(line + options).out
    assert run("--from a.sqlite").out == run("crisps --targets 20..30").out
    one = run("--from a.sqlite --difficulty --target 24 --by hand")
    assert one.out == run("crisps --difficulty --by hand").out
    said = "--target 31 is not among the targets 20..30"
    refused(run("--from a.sqlite --difficulty --target 31"), said)
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_distances_are_shown_by_number_of_large_tiles(run: Run) -> None:
    line = "countdown --length 3 --targets 101..120 --distances 4"
    expected = survey(replace(GAMES["countdown"], length=3), range(97, 125)).distances(4).by_large()
    assert run(f"{line} --format json").rows == expected
    pairs = {(row["large"], row["away"]): row["pairs"] for row in expected}
    ran = run(line)
    assert (ran.status, ran.err) == (0, "")
    tables = [table.splitlines() for table in ran.out.rstrip().split("\n\n")]
    heads = [re.split("  +", table[0].strip()) for table in tables]
    names = ["0", "1", "2", "3"]
    ends = (("large", "all"), ("share", "all share"))
    assert heads == [["away", *(f"{name} {what}" for name in names), end] for what, end in ends]
    for row in tables[0][2:]:
        away, *counts = row.split()
        assert counts == [str(pairs[name, away]) for name in (*names, "all")]


def test_distances_of_a_stored_survey(run: Run, tmp_path: Path) -> None:
    line = "countdown --length 3 --targets 101..120 --distances"
    first = run(f"{line} --out a.sqlite")
    assert first.out == run(line).out == run(f"{line} 10").out
    # The file has the targets 91..130.
    assert run("--from a.sqlite --distances").out == first.out
    assert run("--from a.sqlite --distances 10 --by large").out == first.out
    one = run("--from a.sqlite --distances --target 105 --format csv")
    assert one.out == run("countdown --length 3 --target 105 --distances --format csv").out
    wider = run("countdown --length 3 --targets 96..125 --distances 5")
    assert run("--from a.sqlite --distances 5").out == wider.out
    said = "targets 91..130: distances up to 20 need 20 more on both sides"
    refused(run("--from a.sqlite --distances 20"), f"the survey has only the {said}")
    refused(run("--from a.sqlite --distances --target 95"), "need a survey of 85..105, not 91..130")
    held = "it cannot hold one of countdown (3 numbers), 90..131"
    refused(run(f"{line} 11 --out a.sqlite"), held)
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_outputs_in_separate_files_are_written(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    # Twice, to write over the existing files.
    for _ in range(2):
        assert run("--target 24 --out a.sqlite --answers a.tsv --plot a.png").status == 0
        assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite", "a.tsv", "a.png"}


def test_rows_are_sorted_filtered_and_cut(run: Run) -> None:
    lines = "cards --by hand --target 24 --length 3 --format json"
    every = run(lines).rows
    assert run(f"{lines} --solvable no").rows == [row for row in every if not row["reached"]]
    made = [row for row in every if row["reached"]][:3]
    assert run(f"{lines} --solvable yes --top 3").rows == made
    expected = sorted(run("--format json").rows, key=lambda row: -row["fail"])[:4]
    assert run("--sort fail --top 4 --format json").rows == expected
    made = [row for row in run("--length 2 --format json").rows if row["fail"] < 45]
    assert run("--length 2 --format json --solvable yes").rows == made
    none = run("digits --solvable no --targets 0..9 --format csv")
    assert none.out == "target,solvable,share,fail\n"
    hardest = run("cards --difficulty --by hand --length 3 --sort bits --format json").rows
    bits = [row["bits"] for row in hardest]
    known = [each for each in bits if each is not None]
    assert bits == sorted(known, reverse=True) + [None] * (len(bits) - len(known))
    assert run("cards --unsolvable --target 24 --top 1").out.splitlines()[2:] == ["1 1 1 1"]
    refused(run("--sort numbers --by hand"), "no numbers 'numbers' (only reached, share, run)")


def test_values_with_roots_are_those_of_reach_within_its_limits(run: Run) -> None:
    game = replace(GAMES["digits"], operators=("+", "√", "!"), length=2, nesting=1, bits=8)
    words = "digits --operators +√! --length 2 --nesting 1 --bits 8 --targets 0..30"

    def check(options: str, game: Game, targets: range, step: int) -> None:
        for row in run(f"{options} --by hand --format json").rows[::step]:
            hand = tuple(map(int, row["numbers"].split()))
            assert row["reached"] == len(reachable(hand, game) & {*targets})

    check(words, game, range(31), 1)
    check(f"{words} --any-subset", replace(game, all_numbers=False), range(31), 9)
    decimals = replace(GAMES["digits"], decimals=True, length=2)
    check("digits --decimals --length 2 --targets 0..20", decimals, range(21), 9)
    ran = run(f"{words} --by hand --format json")
    limit = "digits: not solvable means not found within numbers of 8 bits and operators of one"
    assert limit in ran.err
    assert limit in run(words).out
    assert "not found" not in run("digits --length 2").out
