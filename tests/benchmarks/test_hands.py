"""Times to solve and survey hands, one at a time and together."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import pytest

from crisps24 import (
    GAMES,
    count_solutions,
    count_written,
    plainest,
    reachable,
    solve,
    solve_many,
    survey,
)
from crisps24.output.executors import processes
from crisps24.rules.deals import list_hands
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import grade_many
from tests.benchmarks.test_rows import measure, run
from tests.graded import difficulties
from tests.hands.test_shortest import FOURS

HAND = (2, 5, 8, 10, 25, 75)
COUNTDOWN = GAMES["countdown"]
TEN_TO_ONE = tuple(range(10, 0, -1))
# The operators of four fours and powers, without decimals, for 1 to 9 in order.
WITH_POWERS = replace(FOURS, operators=("-", "+", "x", ":", "^"), decimals=False)
# A game with only 210 hands.
FEW_TILES = replace(COUNTDOWN, numbers=(1, 2, 3, 4, 5, 6, 7, 25, 50, 100))
SEVEN_TILES = (*HAND, 9)
SEVEN_NUMBERS = (1, 3, 7, 11, 16, 20, 23)


def written_and_distinct() -> tuple[int, int]:
    [written] = count_written(TEN_TO_ONE, [2026], "cards").values()
    return written, solve(TEN_TO_ONE, 2026, "cards", in_order=True, first=1).total


@pytest.mark.parametrize(
    ("name", "find", "expected"),
    [
        ("written 10 numbers", lambda: count_written(TEN_TO_ONE, [2026], "cards"), {2026: 30_885}),
        ("written, distinct 10 numbers", written_and_distinct, (30_885, 1334)),
        (
            "ways 9 in order",
            lambda: count_solutions(range(1, 10), "cards", in_order=True, only=[100]),
            {100: 1641},
        ),
        (
            "forms of 9 in order",
            lambda: len(plainest(range(1, 10), WITH_POWERS, in_order=True, only=range(11_112))),
            11_111,
        ),
        ("solve 7 tiles", lambda: len(solve(SEVEN_TILES, 431, COUNTDOWN)), 278),
        ("solve 7 krypto", lambda: len(solve(SEVEN_NUMBERS, 24, "krypto")), 2811),
        (
            "solve 8 krypto",
            lambda: solve((*SEVEN_NUMBERS, 25), 24, "krypto", first=20).total,
            52_531,
        ),
        ("solve 8 cards", lambda: solve(range(1, 9), 24, "cards", first=20).total, 898_569),
    ],
)
def test_large_hand(
    benchmark: Any, cold: Any, name: str, find: Callable[[], Any], expected: object
) -> None:
    assert measure(benchmark, name, find, long=True, setup=cold, rounds=1) == expected


@pytest.mark.parametrize(
    ("name", "find", "size"),
    [
        ("solve 4 numbers", lambda: list(solve((2, 4, 8, 10), 24, "cards")), 11),
        ("reachable 6 numbers", lambda: reachable(HAND, COUNTDOWN), 11_206),
        ("plainest of 6 numbers", lambda: [next(solve(HAND, 431, COUNTDOWN))], 1),
        ("solve 6 numbers", lambda: list(solve(HAND, 431, COUNTDOWN)), 6),
        ("ways 6 numbers", lambda: count_solutions(HAND, COUNTDOWN, within=(101, 999)), 899),
        ("difficulty 6 numbers", lambda: difficulties(HAND, COUNTDOWN, within=(101, 999)), 899),
        ("forms of four fours", lambda: plainest([4] * 4, FOURS, only=range(101)), 96),
        ("forms of five fives", lambda: plainest([5] * 5, FOURS, only=range(172)), 172),
        ("solve 6 numbers, fractions", lambda: list(solve(range(1, 7), 24, "digits")), 1778),
    ],
)
def test_hand(benchmark: Any, cold: Any, name: str, find: Callable[[], Any], size: int) -> None:
    assert len(measure(benchmark, name, find, setup=cold)) == size


def test_all_card_hands(benchmark: Any, cold: Any) -> None:
    hands = list(combinations_with_replacement(range(1, 14), 4))

    def solve_all() -> int:
        return sum(any(list(solve(hand, 24, "cards"))) for hand in hands)

    assert measure(benchmark, "solve all cards", solve_all, long=True, setup=cold, rounds=1) == 1362


def test_all_card_hands_with_shares_and_levels(benchmark: Any, cold: Any) -> None:
    puzzles = [(hand, 24) for hand in combinations_with_replacement(range(1, 14), 4)]

    def grade_targets() -> int:
        solutions = solve_many(puzzles, "cards")
        grades = grade_many([(HandQuery(hand, GAMES["cards"]), target) for hand, target in puzzles])
        pairs = zip(solutions, grades, strict=True)
        return sum(bool(grade.level and listed[0].share) for listed, grade in pairs if grade)

    assert measure(benchmark, "grade all cards", grade_targets, setup=cold) == 1362


def test_solve_command(benchmark: Any) -> None:
    command = ["-m", "crisps24", "solve", "3", "3", "8", "8", "--game", "cards"]
    measure(benchmark, "solve 3 3 8 8", lambda: run(*command))


@pytest.mark.parametrize(("name", "last"), [("crisps", 100), ("digits", 3024), ("cards", 100)])
def test_survey(benchmark: Any, cold: Any, name: str, last: int) -> None:
    surveyed = measure(
        benchmark, f"survey {name}", lambda: survey(name, range(last + 1)), setup=cold, rounds=3
    )
    assert surveyed.solvable.any()


def test_survey_of_countdown(benchmark: Any) -> None:
    def on_two_processes() -> int:
        with processes(2) as executor:
            return int(survey(COUNTDOWN, executor=executor).solvable.sum())

    solvable = measure(benchmark, "survey countdown", on_two_processes, long=True, rounds=1)
    assert solvable == 10_858_746


def test_survey_of_krypto(benchmark: Any) -> None:
    def on_two_processes() -> int:
        with processes(2) as executor:
            return len(survey("krypto", executor=executor).hands)

    assert measure(benchmark, "survey krypto", on_two_processes, long=True, rounds=1) == 118_755


@pytest.mark.parametrize("length", [4, 5, 6])
def test_survey_growth(benchmark: Any, cold: Any, length: int) -> None:
    game = replace(GAMES["numble"], length=length)
    surveyed = measure(
        benchmark,
        f"survey {length} numbers",
        lambda: survey(game),
        long=length > 5,
        setup=cold,
        rounds=1,
    )
    assert len(surveyed.hands) == len(list_hands(game))


def test_hands_together(benchmark: Any, cold: Any) -> None:
    assert len(list_hands(FEW_TILES)) == 210
    measure(benchmark, "hands shared", lambda: survey(FEW_TILES), setup=cold, rounds=3)


def test_hands_one_at_a_time(benchmark: Any, cold: Any) -> None:
    # Without --benchmark-enable, a few hands show that the benchmark works.
    hands = list_hands(FEW_TILES)[:: 20 if benchmark.disabled else 1]
    measure(
        benchmark,
        "hands alone",
        lambda: [reachable(hand, FEW_TILES) for hand in hands],
        setup=cold,
        rounds=1,
    )
