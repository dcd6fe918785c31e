"""Test distances against a published table, a brute force in C, and single hands."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, CrispsError, Distances, Game, Survey, closest, survey
from crisps24.output.executors import processes
from crisps24.rules.deals import list_hands
from crisps24.rules.games import Hand, change_rules
from tests.compiling import compiled
from tests.sampling import EVERY, in_one_test, only_in_long_run
from tests.tables import rows_of

COUNTDOWN = GAMES["countdown"]
NUMBLE = GAMES["numble"]
# The numbers of pairs of a hand and a target that are 0, 1, ... 10, and 11 or more away, by the
# number of large tiles, as published in "How many Numbers puzzles are there in total?", a thread of
# c4countdown.co.uk. It prints 12258 for two large tiles and a distance of 1: a digit is missing,
# since the 3,690 hands and 899 targets are 3,317,310 pairs.
PUBLISHED = {
    "0": "1963726 353472 65417 26954 15232 9859 7357 5780 4589 3945 3326 102493",
    "1": "4966076 220295 21730 5813 2527 1272 713 470 339 264 217 1676",
    "2": "3192103 112258 8487 1880 865 435 313 207 144 114 78 426",
    "3": "693131 53875 4577 1332 724 461 296 206 139 87 64 268",
    "4": "43710 4661 556 179 112 75 42 28 22 18 16 26",
}


@pytest.fixture(scope="module")
def countdown() -> Survey:
    with processes(2) as executor:
        return survey(COUNTDOWN, range(91, 1010), executor=executor)


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[list[int]]]:
    """Compile the brute force; return a function of (hands, game, targets, most)."""
    source = Path(__file__).with_name("distances_oracle.c")
    program = compiled(source, tmp_path_factory.mktemp("oracle"))

    def run(hands: list[Hand], game: Game, targets: range, most: int) -> list[list[int]]:
        first_words = (int(game.zero), targets[0], targets[-1], most)
        lines = "".join(" ".join(map(str, (*first_words, *hand))) + "\n" for hand in hands)
        process = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
        return [list(map(int, line.split())) for line in process.stdout.splitlines()]

    return run


def counts_by_large(distances: Distances) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for row in distances.by_large():
        counts.setdefault(row["large"], []).append(row["pairs"])
    return counts


@only_in_long_run
def test_counts_of_countdown_are_the_published_ones(countdown: Survey) -> None:
    distances = countdown.distances()
    assert (distances.targets, distances.most) == (range(101, 1000), 10)
    counts = counts_by_large(distances)
    expected = {large: list(map(int, text.split())) for large, text in PUBLISHED.items()}
    every = [sum(column) for column in zip(*expected.values(), strict=True)]
    assert counts == expected | {"all": every}
    assert sum(every) == 13243 * 899


@pytest.fixture(scope="module")
def few_hands() -> Survey:
    """Return a survey of a hand in 300 of Countdown."""
    hands = list_hands(COUNTDOWN)[::300]
    targets = range(91, 1010)
    return Survey(COUNTDOWN, targets, hands, solvable_of(hands, COUNTDOWN, targets))


def test_shares_are_parts_of_the_pairs_of_a_group(few_hands: Survey) -> None:
    rows = few_hands.distances().by_large()
    assert list(rows[25]) == ["large", "hands", "away", "pairs", "share"]
    assert (rows[25]["large"], rows[25]["away"]) == ("2", "1")
    assert [row["away"] for row in rows[:12]] == [*map(str, range(11)), "11+"]
    for row in rows:
        assert row["share"] == round(row["pairs"] / (row["hands"] * 899), 6)


def test_a_smaller_limit_counts_the_larger_distances_together(few_hands: Survey) -> None:
    counts = counts_by_large(few_hands.distances())
    fewer = counts_by_large(few_hands.distances(3, range(101, 1000)))
    assert fewer == {large: [*row[:4], sum(row[4:])] for large, row in counts.items()}
    assert few_hands.distances(3).targets == range(94, 1007)


RESULTS_FILE = Path(__file__).parents[2] / "results" / "countdown-distances.csv"


@only_in_long_run
@pytest.mark.skipif(not RESULTS_FILE.exists(), reason="only the repository has results")
def test_the_results_file_has_these_counts(countdown: Survey) -> None:
    made = countdown.distances().by_large()
    assert rows_of(RESULTS_FILE) == [{name: str(row[name]) for name in row} for row in made]


@in_one_test(
    ("game", "count", "targets", "most", "measured"),
    (COUNTDOWN, 60 if EVERY else 25, range(91, 1010), 10, range(101, 1000)),
    (NUMBLE, 20 if EVERY else 8, range(91, 1010), 10, range(101, 1000)),
    (COUNTDOWN, 10, range(1, 81), 30, range(1, 51)),
    (NUMBLE, 10, range(81), 30, range(51)),
)
def test_random_hands_agree_with_brute_force(
    oracle: Any, game: Game, count: int, targets: range, most: int, measured: range
) -> None:
    hands = sorted(Random(3).sample(list_hands(game), count))
    found = Survey(game, targets, hands, solvable_of(hands, game, targets)).distances(most)
    assert found.targets == measured
    assert found.table.tolist() == oracle(hands, game, measured, most)


def solvable_of(hands: list[Hand], game: Game, targets: range) -> Any:
    """Return which targets some hands make, from a survey of each hand as a game of its own."""
    one = replace(game, name="one", repeats=False, large=())
    return np.array([survey(replace(one, numbers=hand), targets).solvable[0] for hand in hands])


def test_distances_are_those_of_closest() -> None:
    game = replace(COUNTDOWN, length=3, numbers=(1, 2, 5, 9, 25, 50))
    found = survey(game, range(1, 121)).distances(20)
    assert "<th>large" in found._repr_html_()
    assert found.targets == range(1, 101)

    def distance(hand: Hand, target: int) -> Any:
        value: Any = next(iter(closest(hand, target, game)))
        return min(abs(value - target), 21)

    expected = [[distance(hand, target) for target in range(1, 101, 7)] for hand in found.hands]
    assert found.table[:, ::7].tolist() == expected


def test_distances_in_a_game_with_negative_numbers_need_targets_on_both_sides() -> None:
    game = replace(GAMES["digits"], fractions=False, length=2)
    found = survey(game, range(-20, 21)).distances(15)
    assert found.targets == range(-5, 6)
    assert found.table[0].tolist() == [5, 4, 3, 2, 1, 0, 0, 0, 1, 2, 3]


@in_one_test(
    ("changes", "targets", "measured"),
    ({}, range(1, 20), range(1, 10)),
    ({"zero": True}, range(1, 20), None),
    ({"zero": True}, range(20), range(10)),
    ({"numbers": (0, 1, 2, 25)}, range(20), range(10)),
)
def test_no_targets_are_needed_below_the_least_value(
    changes: dict[str, Any], targets: range, measured: range | None
) -> None:
    found = survey(replace(COUNTDOWN, length=2, **changes), targets)
    if measured:
        assert found.distances(10).targets == measured
    else:
        with pytest.raises(CrispsError, match=r"has only the targets 1\.\.19"):
            found.distances(10)


@in_one_test(
    ("arguments", "message"),
    ({"most": True}, "invalid distance True"),
    ({"most": 2.0}, r"invalid distance 2\.0"),
    ({"most": 6}, "the survey has only the targets 20..30: distances up to 6 need 6 more on both"),
    ({"most": 5, "targets": 24}, "distances up to 5 from 24 need a survey of 19..29, not 20..30"),
    ({"most": 5, "targets": ()}, "the range of targets is empty"),
)
def test_impossible_distances_are_refused(arguments: dict[str, Any], message: str) -> None:
    found = survey(replace(COUNTDOWN, length=2), range(20, 31))
    with pytest.raises(CrispsError, match=message):
        found.distances(**arguments)


@in_one_test("name", "digits", "make10")
def test_a_game_with_fractions_has_no_distances(name: str) -> None:
    # The closest value of 1 1 5 5 from 6 could be a fraction, such as 29/5.
    found = survey(replace(GAMES[name], length=2), range(30))
    with pytest.raises(CrispsError, match=f"{name} has fractions, and a survey does not"):
        found.distances(5)


def test_12_37_62_87_as_large_tiles_never_miss_by_more_than_4_with_all_four() -> None:
    targets, game = range(91, 1010), change_rules(COUNTDOWN, {"large": (12, 37, 62, 87)})
    hands = [hand for hand in list_hands(game) if set(game.large) <= set(hand)]
    found = Survey(game, targets, hands, solvable_of(hands, game, targets))
    counts = counts_by_large(found.distances())
    assert sum(counts["4"]) == 55 * 899
    assert round(counts["4"][0] / sum(counts["4"]), 4) == 0.9899
    assert sum(counts["4"][5:]) == 0
