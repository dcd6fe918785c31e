"""The command survey: combinations of options, and places of files."""

import errno
import json
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES, survey
from crisps24.cli.program import main


class Ran:
    """The result of a call."""

    def __init__(self, line: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.status = main(["survey", *line.split()])
        self.out, self.err = capsys.readouterr()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)
    return lambda line: Ran(line, capsys)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if anything is computed."""

    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing must be computed")

    # Patch `difficulties` first: it imports `surveys`, and would keep the failing function.
    monkeypatch.setattr("crisps24.surveys.difficulties.survey_difficulty", work)
    monkeypatch.setattr("crisps24.surveys.surveys.survey", work)


def refused(ran: Ran, sentence: str) -> None:
    """Require that a call was refused in one line that says so."""
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("crisps24: ")
    assert sentence in ran.err
    assert len(ran.err.splitlines()) == 1


# Conflicting options.

RULE = {
    "source": "--from shows a finished survey",
    "hard": "--difficulty shows difficulties",
}
FROM_NOTHING = [
    *("crisps", "--targets 1..2", "--distinct-digits", "--out b.sqlite"),
    *("--answers b.tsv", "--workers 1", "--scheduler tcp://a:1", "--length 3", "--numbers 1..4"),
    *("--parentheses", "--no-fractions", "--negatives", "--any-subset", "--no-zero", "--join"),
]
APART = [
    *((f"--from a.sqlite {other}", RULE["source"], other.split()[0]) for other in FROM_NOTHING),
    ("--from a.sqlite --operators -", RULE["source"], "--operators"),
    ("--targets 0..9 --target 5", "--target sets one target", "--targets"),
    ("--targets 0..9 --target 0", "--target sets one target", "--targets"),
    ("digits --difficulty --best", RULE["hard"], "--best"),
    ("digits --difficulty --target 9 --unsolvable", RULE["hard"], "--unsolvable"),
    ("digits --difficulty --answers b.tsv", RULE["hard"], "--answers"),
    ("numble --difficulty --by large", RULE["hard"], "--by large"),
    ("digits --difficulty --target 9 --targets 0..9", "--target sets one target", "--targets"),
    ("numble --distances --difficulty", "--distances shows pairs", "--difficulty"),
    ("numble --distances --best", "--distances shows pairs", "--best"),
    ("numble --distances --target 500 --unsolvable", "--distances shows pairs", "--unsolvable"),
    ("numble --distances --by target", "--distances shows pairs", "--by target"),
    ("numble --distances --by hand", "--distances shows pairs", "--by hand"),
    ("--target 24 --unsolvable --best", "--unsolvable lists hands", "--best"),
    ("--target 24 --unsolvable --by hand", "--unsolvable lists hands", "--by"),
]


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("line", "rule", "other"), APART, ids=[line for line, _, _ in APART])
def test_ignored_survey_option_is_refused_by_name(
    run: Any, tmp_path: Path, line: str, rule: str, other: str
) -> None:
    ran = run(line)
    refused(ran, rule)
    output = {"crisps": "GAME"}.get(other, other)
    assert f": it takes no {output} (" in ran.err
    assert not list(tmp_path.iterdir())


ALONE = [
    ("--unsolvable", "--unsolvable lists the hands that fail: add --target"),
    ("--workers 2 --scheduler tcp://a:1", "--workers and --scheduler exclude each other"),
    ("--best --target 24", "--best sorts targets, and 24 is the only one"),
    ("--best --targets 7", "--best sorts targets, and 7 is the only one"),
    ("numble --best --by large", "--best sorts targets or hands: it takes no --by large"),
    ("crisps --by large", "--by large: crisps has no large numbers"),
    ("crisps --by share", "--by share needs difficulties: add --difficulty"),
    (
        "countdown --targets 1..999999 --difficulty",
        "13,243 hands of countdown and 999,999 targets are more than a survey of difficulty holds; "
        "2,533 targets would fit",
    ),
    ("numble --numbers 1..9 --by large", "--by large: numble (numbers 1..9) has no large numbers"),
    ("crisps digits --by hand", "--by takes one GAME"),
    ("crisps digits --answers b.tsv", "--answers takes one GAME"),
    ("crisps digits --out b.sqlite", "--out takes one GAME"),
    ("crisps digits --target 5 --unsolvable", "--unsolvable takes one GAME"),
    ("crisps digits --difficulty", "--difficulty takes one GAME"),
    ("numble --answers b.tsv", "numble has no fixed target: add --target"),
    ("crisps --targets 0..9 --answers b.tsv", "--target 24 is not among the targets 0..9"),
    ("crisps numble", "the games have different ranges of targets: add --targets"),
    ("chess", "unknown game 'chess'"),
    ("countdown numble --distances", "--distances takes one GAME"),
    ("cards --distances", "distances need a game with whole values: cards has fractions"),
    ("countdown --distances 0", "invalid distance 0 (expected 1 to 100)"),
    ("countdown --distances 101", "invalid distance 101 (expected 1 to 100)"),
    ("countdown --distances -1", "No such option '-1'"),
    (
        "--distances countdown",
        "'countdown' is not a whole number: name the game before --distances",
    ),
    ("crisps --distances --by large", "--by large: crisps has no large numbers"),
    (
        "countdown --targets 1..81077 --distances 5",
        "13,243 hands of countdown and 81,082 targets are more than a survey holds",
    ),
    ("crisps --numbers 1..99 --join", "only single digits can be joined"),
    ("crisps --length 40", "crisps has more than 12,000,000 hands"),
    (
        "numble --targets 0..999999",
        "3,003 hands of numble and 1,000,000 targets are more than a survey holds; "
        "357,556 targets would fit",
    ),
    ("crisps numble --targets 0..999999", "3,003 hands of numble and 1,000,000 targets are more"),
]


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("line", "message"), ALONE, ids=[line for line, _ in ALONE])
def test_impossible_survey_is_refused_before_any_work(
    run: Any, tmp_path: Path, line: str, message: str
) -> None:
    refused(run(line), message)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def stored(run: Any) -> str:
    """Give the name of the file of a survey of digits, 20..30."""
    assert run("digits --targets 20..30 --out a.sqlite").status == 0
    return "a.sqlite"


OF_A_FILE = [
    ("--target 31", "--target 31 is not among the targets 20..30"),
    ("--target 24 --best", "--best sorts targets, and 24 is the only one"),
    ("--by large", "--by large: digits has no large numbers"),
]


@pytest.mark.parametrize(("options", "message"), OF_A_FILE)
def test_option_that_a_file_cannot_show_is_refused(
    run: Any, stored: str, options: str, message: str
) -> None:
    refused(run(f"--from {stored} {options}"), message)


# Options that mean something together.

SAME = [
    ("--from a.sqlite --target 24", "digits --target 24"),
    ("--from a.sqlite --target 24 --by hand", "digits --target 24 --by hand"),
    ("--from a.sqlite --target 24 --unsolvable", "digits --target 24 --unsolvable"),
    ("--from a.sqlite --best", "digits --targets 20..30 --best"),
    ("--from a.sqlite --best --by hand", "digits --targets 20..30 --best --by hand"),
    ("crisps digits --targets 0..9 --by target", "crisps digits --targets 0..9"),
    ("numble --length 2 --best", "numble --length 2 --best --by target"),
    ("numble --length 2 --numbers 1..9", "numble --length 2 --numbers 1..9 --by target"),
    ("digits --length 4 --fractions", "digits"),
]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("first_line", "second_line"), SAME)
def test_equivalent_calls_print_the_same(run: Any, first_line: str, second_line: str) -> None:
    first, second = run(first_line), run(second_line)
    assert (first.status, first.out, first.err) == (second.status, second.out, second.err)
    assert first.status == 0


def test_best_targets_come_first(run: Any) -> None:
    rows = json.loads(run("crisps digits --targets 0..30 --best --format json").out)
    counts = [row["crisps solvable"] for row in rows]
    assert counts == sorted(counts, reverse=True) != sorted(counts)


# How hard hands and targets are.

LEVELS = [f"level {level}" for level in range(1, 6)]
HEADS = [
    ("crisps", ["level", "hands", "share", "least bits", "most bits", "example"]),
    (
        "crisps --targets 20..30",
        ["level", "puzzles", "share", "least bits", "most bits", "example"],
    ),
    ("crisps --by target", ["target", "hands", "mean bits", "median bits", *LEVELS]),
    (
        "crisps --targets 20..30 --by target",
        ["target", "hands", "mean bits", "median bits", *LEVELS],
    ),
    ("crisps --by hand", ["numbers", "bits", "level", "seconds"]),
    (
        "crisps --targets 20..30 --by hand",
        ["numbers", "targets", "mean bits", "median bits", *LEVELS],
    ),
    ("krypto --length 2 --by share", ["share", "bits", "level"]),
]
ROWS = [6, 6, 1, 11, 195, 495, 19]


@pytest.mark.parametrize(
    ("line", "heads", "rows"), [(*each, n) for each, n in zip(HEADS, ROWS, strict=True)]
)
def test_difficulty_is_shown_by_level_target_hand_or_share(
    run: Any, line: str, heads: list[str], rows: int
) -> None:
    ran = run(f"{line} --difficulty --format csv")
    assert (ran.status, ran.err) == (0, "")
    shown = ran.out.splitlines()
    assert shown[0].split(",") == heads
    assert len(shown) == 1 + rows


def test_stored_difficulties_are_shown_as_computed(run: Any, tmp_path: Path) -> None:
    line = "crisps --targets 20..30 --difficulty"
    first = run(line)
    assert run(f"{line} --out a.sqlite").out == first.out
    for options in ("", " --by target", " --by hand", " --by share"):
        assert run(f"--from a.sqlite --difficulty{options}").out == run(line + options).out
    assert run("--from a.sqlite").out == run("crisps --targets 20..30").out
    one = run("--from a.sqlite --difficulty --target 24 --by hand")
    assert one.out == run("crisps --difficulty --by hand").out
    output = "--target 31 is not among the targets 20..30"
    refused(run("--from a.sqlite --difficulty --target 31"), output)
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_target_that_people_cannot_make_has_no_bits(run: Any) -> None:
    line = "crisps --length 2 --operators - --target 99 --difficulty"
    shown = [run(f"{line} --format csv{by}") for by in ("", " --by target", " --by hand")]
    assert [ran.status for ran in shown] == [0, 0, 0]
    assert shown[0].out == "level,hands,share,example\n,45,1.0,1 1\n"
    assert shown[1].out.splitlines()[1] == "99,0,,"
    assert shown[2].out == "bits,level\n"
    assert "nobody        45  100.00%  1 1" in run(line).out


def test_other_operators_or_rules_have_bits_and_no_level(run: Any) -> None:
    line = "crisps --operators=+- --difficulty --format csv"
    heads = [run(f"{line}{by}").out.splitlines()[0] for by in (" --by target", " --by hand")]
    assert heads == ["target,hands,mean bits,median bits", "numbers,bits,level,seconds"]
    rows = json.loads(run(line.replace("csv", "json")).out)
    assert [(row["level"], row["hands"]) for row in rows] == [(None, 31), (None, 464)]
    rows = json.loads(run(line.replace("csv", "json --by hand")).out)
    assert {(row["level"], row["seconds"]) for row in rows} == {(None, None)}
    assert all(row["bits"] > 0 for row in rows)
    run("crisps --operators=+- --difficulty --out a.sqlite")
    assert run("--from a.sqlite --difficulty --by hand --format csv").out == (
        run(f"{line} --by hand").out
    )


@pytest.mark.parametrize("columns", [60, 80])
def test_tables_of_difficulty_fit_a_terminal(
    run: Any, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisps24.cli.screen.terminal_width", lambda: columns)
    for by in ("", " --by target", " --by hand", " --by share"):
        shown = run(f"crisps --targets 20..22 --difficulty{by}").out.splitlines()
        assert max(map(len, shown)) <= columns


# The rules are changed for one call.


def test_options_change_the_rules_of_all_named_games(run: Any) -> None:
    line = "crisps digits --length 2 --numbers 2..5 --operators +- --no-zero --targets 0..9"
    rows = json.loads(run(f"{line} --format json").out)
    for name in ("crisps", "digits"):
        less = replace(GAMES[name], length=2, numbers=(2, 3, 4, 5))
        found = survey(replace(less, operators=("-", "+"), zero=False), range(10)).by_target()
        assert [row[f"{name} solvable"] for row in rows] == [row["solvable"] for row in found]


def test_changed_game_is_stored_with_its_rules(run: Any) -> None:
    line = "crisps --length 3 --fractions --any-subset --targets 0..9 --out a.sqlite"
    first = run(line)
    assert (first.status, run(line).out) == (0, first.out)
    assert run("--from a.sqlite").out == first.out
    with closing(sqlite3.connect("a.sqlite")) as connection:
        [(text,)] = connection.execute("SELECT game FROM survey")
    game = json.loads(text)
    changed = game["name"], game["length"], game["fractions"], game["all_numbers"]
    assert changed == ("crisps", 3, True, False)
    refused(
        run("crisps --targets 0..9 --out a.sqlite"),
        "a.sqlite is a survey of crisps (3 numbers, fractions, any subset), 0..9; "
        "it cannot hold one of crisps, 0..9",
    )


# How far the closest values are.


def test_distances_are_shown_by_number_of_large_tiles(run: Any) -> None:
    ran = run("countdown --length 3 --targets 101..120 --distances 4")
    assert (ran.status, ran.err) == (0, "")
    tables = [table.splitlines() for table in ran.out.rstrip().split("\n\n")]
    heads = [re.split("  +", table[0].strip()) for table in tables]
    names = ["0", "1", "2", "3"]
    assert heads[0] == ["away", *(f"{name} large" for name in names), "all"]
    assert heads[1] == ["away", *(f"{name} share" for name in names), "all share"]
    for table in tables:
        assert [line.split()[0] for line in table[2:]] == ["0", "1", "2", "3", "4", "5+"]
        assert max(map(len, table)) <= 80
    game = replace(GAMES["countdown"], length=3)
    expected = survey(game, range(97, 125)).distances(4).by_large()
    data = run("countdown --length 3 --targets 101..120 --distances 4 --format json")
    assert json.loads(data.out) == expected
    pairs = {(row["large"], row["away"]): row["pairs"] for row in expected}
    for line in tables[0][2:]:
        away, *counts = line.split()
        assert counts == [str(pairs[name, away]) for name in (*names, "all")]


def test_distances_of_a_game_without_large_tiles_are_those_of_all_hands(run: Any) -> None:
    ran = run("crisps --length 3 --distances --format csv")
    assert ran.out.splitlines()[0] == "large,hands,away,pairs,share"
    assert len(ran.out.splitlines()) == 13
    assert all(line.startswith("all,165,") for line in ran.out.splitlines()[1:])


def test_distances_of_a_stored_survey(run: Any, tmp_path: Path) -> None:
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
    refused(
        run("--from a.sqlite --distances 20"),
        "the survey has only the targets 91..130: distances up to 20 need 20 more on both sides",
    )
    refused(run("--from a.sqlite --distances --target 95"), "need a survey of 85..105, not 91..130")
    refused(
        run(f"{line} 11 --out a.sqlite"), "it cannot hold one of countdown (3 numbers), 90..131"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


@pytest.mark.parametrize("columns", [60, 80])
def test_tables_of_distances_fit_a_terminal(
    run: Any, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisps24.cli.screen.terminal_width", lambda: columns)
    shown = run("countdown --length 4 --targets 101..120 --distances").out.splitlines()
    assert max(map(len, shown)) <= columns
    assert any(line.startswith("11+") for line in shown)


# Places of files.


PLACES = ("s.png", "./s.png", "folder/../s.png", "other/s.png", "link.png", "hard.png")
OUTPUTS = [("--out", "--answers"), ("--out", "--plot"), ("--answers", "--plot")]


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize(("option", "other_option"), OUTPUTS)
@pytest.mark.parametrize("exists", [True, False])
def test_two_outputs_in_one_file_are_refused(
    run: Any, tmp_path: Path, option: str, other_option: str, name: str, exists: bool
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "other").symlink_to(tmp_path)
    (tmp_path / "link.png").symlink_to(tmp_path / "s.png")
    if exists or name == "hard.png":
        (tmp_path / "s.png").write_bytes(b"before")
        os.link(tmp_path / "s.png", tmp_path / "hard.png")
    for line in (f"{option} s.png {other_option} {name}", f"{option} {name} {other_option} s.png"):
        output = f"{option} and {other_option} are the same file: give each its own"
        refused(run(f"--target 24 {line}"), output)
    assert {path.name for path in tmp_path.iterdir()} >= {"folder", "other", "link.png"}
    if exists:
        assert (tmp_path / "s.png").read_bytes() == b"before"


def test_output_over_the_shown_file_is_refused(run: Any, stored: str) -> None:
    before = Path(stored).read_bytes()
    Path("link.png").symlink_to(stored)
    for plot in ("link.png", "./a.sqlite"):
        output = "--from and --plot are the same file"
        refused(run(f"--from {stored} --plot {plot}"), output)
    assert Path(stored).read_bytes() == before


@pytest.mark.usefixtures("idle")
def test_output_over_a_journal_is_refused(run: Any) -> None:
    refused(run("--out a.png --plot a.png-journal"), "--out and --plot are the same file")


def test_outputs_in_separate_files_are_written(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    line = "--target 24 --out a.sqlite --answers a.tsv --plot a.png"
    assert run(line).status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite", "a.tsv", "a.png"}
    # Once more, over the existing files.
    assert run(line).status == 0


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("name", ["a.txt", "a.xlsx", "a.png"])
def test_answers_need_a_known_format(run: Any, tmp_path: Path, name: str) -> None:
    refused(run(f"--target 24 --answers {name}"), f"--answers {name}: the suffix sets the format")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse temporary files, like a read-only disk."""
    open_file = Path.open

    def refuse(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if set(mode) & set("wax"):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return open_file(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)


@pytest.mark.usefixtures("idle", "read_only")
@pytest.mark.parametrize("option", ["--answers", "--plot"])
def test_read_only_folder_is_reported_by_name_before_any_work(run: Any, option: str) -> None:
    pytest.importorskip("matplotlib")
    name = "a.png" if option == "--plot" else "a.tsv"
    ran = run(f"--target 24 {option} {name}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"crisps24: {name}: Read-only file system\n"
