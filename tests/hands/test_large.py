"""Test large hands against a brute force in C, and backward search against full charts.

Set `CRISPS24_HANDS=50` in the environment for 50 random hands of each game: an hour of CPU time.
"""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import crisps24
from crisps24 import GAMES, Game, count_solutions, count_written, reachable, solutions
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from crisps24.solving import work
from crisps24.solving.values import closest
from tests.compiling import compiled

CARDS, COUNTDOWN, KRYPTO = (GAMES[name] for name in ("cards", "countdown", "krypto"))
HANDS_PER_GAME = int(os.environ.get("CRISPS24_HANDS", "0"))
TWO_TO_64 = 1 << 64


class BruteForceResult(NamedTuple):
    written: int
    distinct: int
    values: int
    sum: int
    near: int
    """The number of values from 0 to below 500 that are multiples of 1/2."""
    near_sum: int
    largest: int
    """The largest integer."""


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., BruteForceResult]:
    """Compile the brute force; return a function of (hand, target, game, in_order)."""
    source = Path(__file__).with_name("large_oracle.c")
    program = compiled(source, tmp_path_factory.mktemp("oracle"))

    def run(hand: Hand, target: int, game: Game, *, in_order: bool = False) -> BruteForceResult:
        rules = (game.fractions, game.negatives, game.zero, game.all_numbers, in_order)
        line = " ".join(map(str, (*map(int, rules), target, *hand)))
        process = subprocess.run([program], input=line, capture_output=True, text=True, check=True)
        return BruteForceResult(*map(int, process.stdout.split()))

    return run


def count_and_hash(values: set[Exact]) -> tuple[int, int]:
    """Return the number of values, and the sum of their hashes as the brute force computes it."""
    sums = (
        (numerator * 0x9E3779B97F4A7C15 % TWO_TO_64)
        ^ (denominator * 0xBF58476D1CE4E5B9 % TWO_TO_64)
        for numerator, denominator in (value.as_integer_ratio() for value in values)
    )
    return len(values), sum(sums) % TWO_TO_64


def random_hands(*names: str, length: int = 7) -> list[tuple[Hand, int, Game]]:
    random, hands = Random(f"{names} {length}"), []
    for game in [GAMES[name] for name in names for _ in range(HANDS_PER_GAME)]:
        pick = random.choices if game.repeats else random.sample
        hands.append((tuple(pick(game.numbers, k=length)), random.randint(*game.targets), game))
    return hands


SEVEN_NUMBERS: list[tuple[Hand, int, Game]] = [
    ((1, 1, 2, 2, 5, 25, 25), 431, COUNTDOWN),
    ((1, 1, 7, 11, 11, 20, 20), 24, KRYPTO),
    ((1, 1, 5, 5, 5, 5, 5), 24, CARDS),
    *random_hands("countdown", "krypto", "numble"),
    *random_hands("cards", "digits", "make10"),
]


@pytest.mark.parametrize(("hand", "target", "game"), SEVEN_NUMBERS, ids=str)
def test_seven_numbers_agree_with_brute_force(
    oracle: Callable[..., BruteForceResult], hand: Hand, target: int, game: Game
) -> None:
    expected = oracle(hand, target, game)
    assert len(solutions(hand, target, game)) == expected.distinct
    assert count_solutions(hand, game, only=[target]).get(target, 0) == expected.distinct
    assert reachable(hand, game, only=[target, 2]) >= ({target} if expected.distinct else set())
    near = count_and_hash(reachable(hand, game, only=[Fraction(n, 2) for n in range(1000)]))
    assert near == (expected.near, expected.near_sum)
    # With fractions, these hands make up to two million values.
    if not game.fractions or expected.values < 100_000:
        assert count_and_hash(reachable(hand, game)) == (expected.values, expected.sum)
    assert [*closest(hand, 10**9, game)] == [expected.largest]


IN_ORDER: list[tuple[Hand, int, Game]] = [((10, 9, 8, 7, 6, 5, 4), 101, CARDS)]
IN_ORDER += [((7, 1, 6, 2, 5, 3, 4, 8), 24, COUNTDOWN), *random_hands("cards", "krypto", length=8)]


@pytest.mark.parametrize(("hand", "target", "game"), IN_ORDER, ids=str)
def test_numbers_in_order_agree_with_brute_force(
    oracle: Callable[..., BruteForceResult], hand: Hand, target: int, game: Game
) -> None:
    expected = oracle(hand, target, game, in_order=True)
    assert count_written(hand, [target], game) == {target: expected.written}
    assert len(solutions(hand, target, game, in_order=True)) == expected.distinct
    assert count_and_hash(reachable(hand, game, in_order=True)) == (expected.values, expected.sum)


def test_ten_to_one_have_the_published_numbers_of_written_forms() -> None:
    # 44,499 for 2016: P. Norvig, Countdown to 2016. The others were computed here.
    hand = tuple(range(10, 0, -1))
    counts = count_written(hand, [2016, 2017, 2026], CARDS)
    assert counts == {2016: 44_499, 2017: 13_834, 2026: 30_885}
    first = crisps24.solve(hand, 2017, CARDS, in_order=True, first=5)
    assert (len(first), first.total, first.order) == (5, 652, "likeliest first")


def test_one_to_nine_make_100_in_1641_ways_with_parentheses() -> None:
    assert count_solutions(range(1, 10), CARDS, in_order=True, only=[100]) == {100: 1641}


def test_written_forms_are_distinct_and_make_the_target() -> None:
    texts = [str(form) for form in crisps24.written_forms((8, 7, 6, 5, 4, 3, 2), 24, CARDS)]
    assert count_written((8, 7, 6, 5, 4, 3, 2), [24], CARDS) == {24: len(texts)}
    assert len(set(texts)) == len(texts) > 500
    # Evaluate the forms as Python expressions.
    for text in (text.replace("x", "*") for text in texts):
        exact = "".join(f"Fraction({char})" if char.isdigit() else char for char in text)
        assert eval(exact, {"Fraction": Fraction}) == 24


GAMES_AND_CHANGES: list[tuple[Game, dict[str, Any]]] = [
    (CARDS, {}),
    (COUNTDOWN, {}),
    (KRYPTO, {}),
    (GAMES["make10"], {"negatives": False}),
    (CARDS, {"fractions": False, "all_numbers": False}),
    (CARDS, {"most": 30}),
    (CARDS, {"zero": False}),
    (CARDS, {"operators": ("-", "+", "x")}),
]


def all_answers(hand: Hand, target: Exact, game: Game, in_order: bool) -> list[object]:
    found = solutions(hand, target, game, in_order=in_order)
    hard = crisps24.difficulty(hand, target, game, in_order=in_order)
    wanted = [target, 1, 7]
    return [
        [(str(each.expression), round(each.share, 9), each.equivalence_class) for each in found],
        hard and round(hard.bits, 6),
        count_solutions(hand, game, in_order=in_order, only=wanted),
        reachable(hand, game, in_order, only=wanted),
        reachable(hand, game, in_order),
        {value: str(way) for value, way in closest(hand, target, game, in_order=in_order).items()},
        count_written(hand, wanted, game) if in_order else None,
    ]


# Without CRISPS24_HANDS, a quarter of the cases.
ALL_CASES = [(*rules, in_order) for rules in GAMES_AND_CHANGES for in_order in (False, True)]
CASES = ALL_CASES if HANDS_PER_GAME else [*ALL_CASES[::8], *ALL_CASES[5::8]]


@pytest.mark.parametrize(("game", "changes", "in_order"), CASES)
def test_backward_search_gives_the_same_answers(
    monkeypatch: pytest.MonkeyPatch, game: Game, changes: dict[str, Any], in_order: bool
) -> None:
    rules = replace(game, **changes)
    random = Random(f"{rules!r} {in_order}")
    queries: list[tuple[Hand, Exact, Game, bool]] = []
    for length in (1, 3, 4, *[2, 3, 4, 5] * bool(HANDS_PER_GAME)):
        pick = random.choices if rules.repeats else random.sample
        hand = tuple(pick(rules.numbers, k=length))
        values = sorted(reachable(hand, rules, in_order), key=lambda each: (abs(each - 24), each))
        unreachable = [Fraction(1, 2), 10**7] if rules.fractions else [10**7]
        targets = [0, *values[:1], *unreachable * (length > 3)]
        queries += [(hand, target, rules, in_order) for target in targets]
    expected_answers = [all_answers(*query) for query in queries]
    # Treat all hands as large.
    monkeypatch.setattr(work, "is_small", lambda *_: False)
    for query, expected in zip(queries, expected_answers, strict=True):
        assert all_answers(*query) == expected, query
