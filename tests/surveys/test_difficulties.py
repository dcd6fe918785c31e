"""How hard all hands of a game are: what is told of each hand is what is told of it alone."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from crisps24 import GAMES, VersionError, solutions, solve
from crisps24.cli.program import main
from crisps24.hands.effort import difficulty
from crisps24.rules.deals import hands_of
from crisps24.surveys.answers import write_answers
from crisps24.surveys.difficulties import difficulties_of_hands, grade_chunk


def test_a_hand_among_others_is_as_hard_as_alone() -> None:
    found = difficulties_of_hands("crisps", 10)
    for hand, graded in found.graded:
        assert difficulty(hand, 10, "crisps") == graded
    for hand in found.others:
        assert list(solve(hand, 10, "crisps")) == []
    assert sorted([*(hand for hand, _ in found.graded), *found.others]) == hands_of(GAMES["crisps"])


def test_hands_are_told_from_easy_to_hard_and_levels_hold_them_all() -> None:
    found = difficulties_of_hands("cards")
    bits = [graded.bits for _, graded in found.graded]
    assert bits == sorted(bits)
    assert len(bits) == 1362
    rows = found.by_level()
    assert [row["level"] for row in rows] == [1, 2, 3, 4, 5, None]
    assert sum(row["hands"] for row in rows) == 1820
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    for row, after in pairwise(rows[:5]):
        assert row["least bits"] <= row["most bits"] < after["least bits"]
    assert "<table>" in found._repr_html_()


def test_many_workers_say_what_one_says() -> None:
    game = replace(GAMES["crisps"], length=5)
    told: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        shared = difficulties_of_hands(game, 7, executor=executor, progress=told.append)
    alone = difficulties_of_hands(game, 7)
    assert (shared.graded, shared.others) == (alone.graded, alone.others)
    assert sum(told) == len(hands_of(game))


def test_another_version_is_refused() -> None:
    with pytest.raises(VersionError):
        grade_chunk("0", GAMES["crisps"], 24, [])


def test_a_game_that_nobody_can_win_has_one_row() -> None:
    found = difficulties_of_hands(replace(GAMES["crisps"], operators=("-",), length=2), 100)
    assert found.graded == []
    assert [row["hands"] for row in found.by_level()] == [45]


WRONG = [
    ("countdown --difficulty", "countdown deals its targets: give one with --target"),
    ("cards crisps --difficulty", "--difficulty is for one GAME"),
    ("cards --difficulty --best", "it takes no --best"),
    ("cards --difficulty --unsolvable --target 24", "it takes no --unsolvable"),
    ("cards --difficulty --by target", "it takes no --by target"),
    ("cards --difficulty --targets 1..2", "it takes no --targets"),
]


@pytest.mark.parametrize(("words", "told"), WRONG)
def test_what_does_not_go_with_difficulty_is_refused(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["survey", *words.split()]) == 2
    assert told in capsys.readouterr().err


def test_the_command_shows_levels_and_hands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "levels.svg"
    assert main(["survey", "crisps", "--difficulty", "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[2:7]] == ["1", "2", "3", "4", "5"]
    assert "level 5" in plot.read_text()
    assert main(["survey", "crisps", "--difficulty", "--by", "hand", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "numbers,bits,level,seconds"
    assert len(lines) == 196


@pytest.mark.parametrize("name", ["answers.csv", "answers.tsv", "answers.jsonl", "answers"])
def test_answers_are_of_the_kind_that_their_name_says(name: str, tmp_path: Path) -> None:
    game = GAMES["crisps"]
    path = tmp_path / name
    told: list[int] = []
    assert write_answers(path, 24, game, progress=told.append) == 195
    lines = path.read_text().splitlines()
    assert sum(told) == 495
    if name.endswith("jsonl"):
        rows = [json.loads(line) for line in lines]
        assert [tuple(row["numbers"]) for row in rows] == hands_of(game)
        for row in rows:
            found = solutions(row["numbers"], 24, game)
            hard = difficulty(row["numbers"], 24, game)
            assert row["expression"] == (str(found[0].expression) if found else None)
            assert row["solutions"] == len(found)
            assert row["level"] == (hard and hard.level)
    else:
        between = "," if name.endswith("csv") else "\t"
        assert lines[0].split(between) == ["Num1", "Num2", "Num3", "Num4", "Answer"]
        assert [line.split(between)[:4] for line in lines[1:]] == [
            list(map(str, hand)) for hand in hands_of(game)
        ]
        assert sum("No answer" not in line for line in lines[1:]) == 195
