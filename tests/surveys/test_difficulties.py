"""Test the difficulty of all hands of a game against the difficulty of single hands."""

import json
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import crisps24
from crisps24 import GAMES, Difficulties, Game, survey, survey_difficulty
from crisps24.rules.deals import list_hands
from crisps24.rules.games import Hand
from crisps24.solving.effort import difficulty, level_cutoffs
from crisps24.surveys.answers import write_answers
from crisps24.surveys.difficulties import grade_chunk
from tests.graded import difficulties
from tests.sampling import EVERY, in_one_test

NONE = float("nan")


def test_a_hand_in_a_survey_has_the_bits_of_a_single_hand() -> None:
    found = survey_difficulty("crisps", range(9, 12))
    assert found.hands == list_hands(GAMES["crisps"])
    # Each hand at one of the targets, in turn.
    targets = cycle(enumerate(found.targets))
    some = list(zip(found.hands, found.bits.tolist(), strict=True))[:: 1 if EVERY else 7]
    for (hand, row), (place, target) in zip(some, targets, strict=False):
        grade = difficulty(hand, target, "crisps")
        bits = None if np.isnan(row[place]) else row[place]
        assert bits == (grade and grade.bits), (hand, target)
        assert bool(next(crisps24.solve(hand, target, "crisps"), None)) == (bits is not None)


# Short games of all kinds, with targets that some hands make.
@in_one_test(
    ("game", "targets"),
    *((replace(GAMES[name], length=3), range(40)) for name in ("crisps", "digits", "make10")),
    (replace(GAMES["countdown"], length=3), range(101, 160)),
    (replace(GAMES["numble"], length=4, operators=("-", "+")), range(-3, 60)),
    (replace(GAMES["krypto"], length=2, zero=False), range(1, 26)),
    (replace(GAMES["digits"], length=3, negatives=True), range(-20, 20)),
    (replace(GAMES["crisps"], length=3, join=True, all_numbers=False), range(90, 400)),
    (replace(GAMES["digits"], length=2, numbers=(3 * 10**9, 7 * 10**9)), range(3)),
    (replace(GAMES["crisps"], length=1), range(12)),
    (replace(GAMES["digits"], numbers=(-5, -1, 2), length=1), range(-6, 4)),
)
def test_targets_with_bits_are_reachable_without_negatives(game: Game, targets: range) -> None:
    found, made = survey_difficulty(game, targets), survey(game, targets).solvable
    graded = ~np.isnan(found.bits)
    assert not (graded & ~made).any()
    assert game.negatives or (graded == made).all()
    some, within = slice(None, None, 7 if EVERY else 17), (targets[0], targets[-1])
    rows = (zip(targets, row, strict=True) for row in found.bits[some].tolist())
    told = [{target: bits for target, bits in row if bits == bits} for row in rows]
    alone = [difficulties(hand, game, within=within) for hand in found.hands[some]]
    assert told == [{key: row[key].bits for key in row if isinstance(key, int)} for row in alone]


def test_default_targets_are_the_target_or_the_range_of_the_game() -> None:
    assert survey_difficulty(replace(GAMES["crisps"], length=2)).targets == range(24, 25)
    assert survey_difficulty(replace(GAMES["krypto"], length=2)).targets == range(1, 26)


TINY = Difficulties(
    replace(GAMES["countdown"], numbers=(1, 2, 3), length=2),
    range(1, 4),
    [(1, 2), (1, 3), (2, 3)],
    np.array([[1.5, 20, 9], [NONE, 11, NONE], [9, NONE, NONE]]),
)


def test_by_level_counts_puzzles_and_has_the_median_as_example() -> None:
    keys = ["level", "puzzles", "share", "least bits", "most bits", "example"]
    assert [list(row) for row in TINY.by_level()] == [keys] * 4
    assert [list(row.values()) for row in TINY.by_level()] == [
        [1, 3, 0.333333, 1.5, 9.0, "1 2 = 3"],
        [2, 1, 0.111111, 11.0, 11.0, "1 3 = 2"],
        [5, 1, 0.111111, 20.0, 20.0, "1 2 = 2"],
        [None, 4, 0.444444, None, None, "1 3 = 1"],
    ]


def test_bits_at_the_limit_of_a_level_belong_to_the_level_above() -> None:
    cutoffs: Any = level_cutoffs(GAMES["cards"])
    bits = [cutoffs[0] - 1, *cutoffs]
    hands: list[Hand] = [(1, 2, 3, 4)] * len(bits)
    rows = Difficulties(GAMES["cards"], range(24, 25), hands, np.array(bits)[:, None]).by_level()
    assert [(row["level"], row["hands"]) for row in rows] == [(level, 1) for level in range(1, 6)]


def test_by_target_and_by_hand_have_counts_and_difficulties() -> None:
    keys = ["mean bits", "median bits", *(f"level {level}" for level in range(1, 6))]
    assert [list(row) for row in TINY.by_target()] == [["target", "hands", *keys]] * 3
    assert [list(row.values()) for row in TINY.by_target()] == [
        [1, 2, 5.25, 5.25, 2, 0, 0, 0, 0],
        [2, 2, 15.5, 15.5, 0, 1, 0, 0, 1],
        [3, 1, 9.0, 9.0, 1, 0, 0, 0, 0],
    ]
    assert [list(row) for row in TINY.by_hand()] == [["numbers", "targets", *keys]] * 3
    assert [list(row.values()) for row in TINY.by_hand()] == [
        ["1 2", 3, 10.167, 9.0, 2, 0, 0, 0, 1],
        ["1 3", 1, 11.0, 11.0, 0, 1, 0, 0, 0],
        ["2 3", 1, 9.0, 9.0, 1, 0, 0, 0, 0],
    ]


def test_impossible_targets_have_no_bits() -> None:
    none = Difficulties(TINY.game, TINY.targets, TINY.hands, np.full((3, 3), NONE))
    assert [row["mean bits"] for row in none.by_target()] == [None] * 3
    assert [row["puzzles"] for row in none.by_level()] == [9]
    assert none.by_share() == none.only(2).by_hand() == []
    assert none.quantiles([50]) == []


def test_only_returns_the_column_of_a_target() -> None:
    one = TINY.only(1)
    assert [list(row) for row in one.by_hand()] == [["numbers", "bits", "level", "seconds"]] * 2
    rows = [[*row.values()] for row in one.by_hand()]
    assert rows == [["1 2", 1.5, 1, None], ["2 3", 9, 1, None]]
    with pytest.raises(ValueError, match=r"4 is not among the targets 1\.\.3"):
        TINY.only(4)


def test_hands_come_from_easy_to_hard_and_levels_contain_all() -> None:
    found = survey_difficulty("cards")
    hands = found.by_hand()
    assert hands == sorted(hands, key=lambda row: row["bits"])
    assert len(hands) == 1362
    for row in hands[::60]:
        alone: Any = difficulty(row["numbers"].split(), 24, "cards")
        assert [*row.values()][1:] == [alone.bits, alone.level, alone.seconds]
    rows = found.by_level()
    assert [row["level"] for row in rows] == [1, 2, 3, 4, 5, None]
    assert sum(row["hands"] for row in rows) == 1820
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-5)
    for row, after in pairwise(rows[:5]):
        assert row["least bits"] <= row["most bits"] < after["least bits"]
    in_the_middle = [row for row in hands if row["level"] == 2][rows[1]["hands"] // 2]
    assert rows[1]["example"] == in_the_middle["numbers"]
    assert "<table>" in found._repr_html_()


@given(some.lists(some.sampled_from([NONE, *(each / 2 for each in range(9))]), min_size=1))
def test_quantiles_agree_with_counting(bits: list[float]) -> None:
    hands: list[Hand] = [(each,) for each in range(len(bits))]
    found = Difficulties(GAMES["cards"], range(24, 25), hands, np.array([bits]).T)
    known = [each for each in bits if each == each]
    # The smallest bits that a percentage of the values does not exceed.
    shares = {each: 100 * sum(other <= each for other in known) for each in known}
    least = [percent * len(known) for percent in range(5, 100, 5) if known]
    wanted = [min(each for each in known if shares[each] >= share) for share in least]
    assert [row["bits"] for row in found.by_share()] == wanted
    assert found.quantiles(range(5, 100, 5)) == wanted


def test_a_game_without_levels_has_bits() -> None:
    found = survey_difficulty(replace(GAMES["krypto"], name="own", length=2, cutoffs=()))
    assert [row["level"] for row in found.by_level()] == [None, None]
    assert list(found.by_target()[0]) == ["target", "hands", "mean bits", "median bits"]
    assert {row["level"] for row in found.by_share()} == {None}


def test_another_version_is_refused() -> None:
    with pytest.raises(crisps24.VersionError):
        grade_chunk("0", GAMES["crisps"], range(24, 25), [])


def test_the_limit_of_pairs_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.surveys.deals.MAX_GRADED_PAIRS", 3 * 4 + 2)
    assert len(survey_difficulty(TINY.game, range(1, 5)).targets) == 4
    told = "3 hands of countdown and 5 targets are more than a survey of difficulty holds; 4 "
    with pytest.raises(ValueError, match=told):
        survey_difficulty(TINY.game, range(1, 6))


@pytest.mark.parametrize("name", ["answers.csv", "answers.tsv", "answers.jsonl", "answers"])
def test_the_suffix_of_a_file_selects_its_format(name: str, tmp_path: Path) -> None:
    game, path, told = GAMES["crisps"], tmp_path / name, list[int]()
    assert write_answers(path, 24, game, progress=told.append) == 195
    lines = path.read_text().splitlines()
    assert sum(told) == 495
    if name.endswith("jsonl"):
        rows = [json.loads(line) for line in lines]
        assert [tuple(row["numbers"]) for row in rows] == list_hands(game)
        for row in rows[:: 1 if EVERY else 11]:
            found = crisps24.solutions(row["numbers"], 24, game)
            hard = difficulty(row["numbers"], 24, game)
            assert row["expression"] == (str(found[0].expression) if found else None)
            assert (row["solutions"], row["level"]) == (len(found), hard and hard.level)
    else:
        between = "," if name.endswith("csv") else "\t"
        assert lines[0].split(between) == ["Num1", "Num2", "Num3", "Num4", "Answer"]
        assert [tuple(map(int, line.split(between)[:4])) for line in lines[1:]] == list_hands(game)
        assert sum("No answer" not in line for line in lines[1:]) == 195
