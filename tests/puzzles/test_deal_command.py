"""The command `deal`: tables, files, prompts, and options that contradict each other."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from crisps24 import GAMES
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import Game, change_rules
from tests.commands import Run
from tests.sampling import in_one_test


@pytest.fixture
def run(run: Run) -> Run:
    return lambda line: run(f"deal {line}")


def test_the_command_shows_puzzles_and_their_seed(run: Run) -> None:
    status, out, err = run("cards --count 3 --seed 7")
    lines = out.splitlines()
    assert (status, err, lines[-1]) == (0, "", "drawing 5: crisps24 deal cards --count 3 --seed 7")
    assert lines[0].split() == ["number", "hand", "target", "level", "id"]
    dealt = deal("cards", 3, seed=7)
    assert [line.split()[-1] for line in lines[2:5]] == [puzzle.id for puzzle in dealt]
    hands = [list(map(str, puzzle.hand)) for puzzle in dealt]
    assert [line.split()[1:5] for line in lines[2:5]] == hands
    assert "answer" in run("cards --count 1 --seed 7 --answers")[1].splitlines()[0]


@in_one_test(
    "line",
    "crisps --count 3 --rising --plain --no-zero --numbers 1..6,9",
    "cards --count 3 --level 2..4 --numbers 1..9",
    "cards --repeat --solutions 1..3 --essential --level 2",
    "cards --target 10 --any-subset",
    "free --length 3..4",
    "cards --mix 2,1,0,0,1 --rising",
    "cards --target 10 --any-subset --trivial --numbers 1..99",
    "countdown --targets 100..200 --large 3 --closest",
    "digits --targets=0..5 --length 2 --negatives --operators=-+ --no-parentheses",
)
def test_printed_command_deals_the_same_puzzles(line: str, run: Run) -> None:
    status, out, err = run(f"{line} --seed 11 --format jsonl")
    command = re.sub(r"^drawing 5: crisps24 deal |\n$", "", err)
    assert run(f"{command} --format jsonl") == (status, out, err) == (0, out, err)
    counted = ["--mix", "2,1,0,0,1"] if "--mix" in line else ["--count", str(out.count("\n"))]
    assert command.split()[1:5] == [*counted, "--seed", "11"]


@in_one_test(
    ("prompt", "said"),
    (b"{nmbers}", "unknown placeholder {nmbers} in the prompt (expected {numbers}, {nums}"),
    (b"x" * 100_001, "--prompt: a prompt has at most 100,000 characters"),
    (b"\xff", "--prompt: the file is not in the encoding UTF-8 (expected UTF-8, or"),
)
def test_a_prompt_that_cannot_be_filled_is_refused(prompt: bytes, said: str, run: Run) -> None:
    Path("prompt.txt").write_bytes(prompt)
    status, out, err = run("cards --prompt prompt.txt")
    assert (status, out, err.count("\n"), said in err) == (2, "", 1, True)


COUNTDOWN, DEALT = GAMES["countdown"], "countdown --count 2 --seed 7"


@in_one_test(
    ("game", "command"),
    (replace(GAMES["cards"], target=10), "cards --count 2 --seed 7 --target 10"),
    (replace(COUNTDOWN, targets=(101, 200), zero=True), f"{DEALT} --targets 101..200 --zero"),
    (
        replace(COUNTDOWN, numbers=(1, 2, 3, 4, 5, 6, 25, 50), large=(25,)),
        f"{DEALT} --numbers=1..6,25,50 --large-tiles=25",
    ),
    (change_rules(COUNTDOWN, {"large": (12, 37, 62, 87)}), f"{DEALT} --large-tiles=12,37,62,87"),
)
def test_changed_target_is_part_of_the_command(game: Game, command: str, run: Run) -> None:
    dealt = deal(game, 2, seed=7)
    assert dealt.command == f"crisps24 deal {command}"
    rows = run(f"{command} --format jsonl").rows
    assert [row["id"] for row in rows] == [puzzle.id for puzzle in dealt]


def test_a_prompt_is_made_of_a_file(run: Run) -> None:
    text = "\ufeffMake {target} of {nums}.\n{{numbers}}: \\boxed{}\n"
    Path("prompt.txt").write_text(text, "utf-8")
    prompt = "Make 24 of [3, 3, 8, 8].\n{numbers}: \\boxed{}"
    options = "cards --count 3 --seed 7 --prompt prompt.txt"
    rows = run(f"{options} --fields prompt,question,nums,target --format json").rows
    for row in rows:
        assert row["prompt"] == row["question"] == prompt.replace("[3, 3, 8, 8]", str(row["nums"]))
    # Without --fields, the prompt is added to the default fields.
    default = run("cards --count 3 --seed 7 --format json").rows
    added = [row | {"prompt": other["prompt"]} for row, other in zip(default, rows, strict=True)]
    assert run(f"{options} --format json").rows == added
    assert run(f"{options} --fields id,prompt --out x.csv").status == 0
    with Path("x.csv").open(newline="") as file:
        assert [row["prompt"] for row in csv.DictReader(file)] == [row["prompt"] for row in rows]
