"""Test the values that hands reach, published sets among them, and the cache of sub-hands."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from crisps24 import GAMES, RefusedError, count_solutions, evaluate, reachable, solve
from crisps24.hands import by_value
from crisps24.hands.by_value import ValueChart
from crisps24.rules.games import game_for_numbers
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.partitions import largest_parts
from crisps24.rules.ratios import exact_values
from crisps24.rules.work import Budget
from tests.graded import difficulties

DIGITS = GAMES["digits"]


def test_four_fours_make_the_whole_numbers_of_oeis_a171827() -> None:
    values = reachable((4, 4, 4, 4), DIGITS)
    assert sorted(value for value in values if isinstance(value, int) and value >= 0) == [
        *range(10), 12, 15, 16, 17, 20, 24, 28, 32, 36, 48, 60, 64, 68, 80, 128, 256
    ]  # fmt: skip


def test_values_of_sub_hands_are_cached_for_later_hands() -> None:
    chart = ValueChart(replace(DIGITS, length=3), (9, 9, 9), max_right_size=2)
    values = exact_values(chart.values_of((1, 2, 3)))
    size = len(chart.values)
    assert exact_values(chart.values_of((1, 2, 3))) == values
    assert set(exact_values(chart.values_of((1, 2)))) == reachable((1, 2), DIGITS)
    assert len(chart.values) == size


def test_each_of_several_processes_caches_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for count in (1, 3):
        monkeypatch.setattr(by_value, "process_count", lambda count=count: count)
        chart = ValueChart(replace(DIGITS, length=3), (9, 9, 9), max_right_size=2)
        list(chart.weighted_values([(1, 2, 3)]))
        monkeypatch.setattr(by_value, "MAX_CACHED_VALUES", 2 * len(chart.values))
        list(chart.weighted_values([(4, 5, 6)]))
        sizes.append(len(chart.index_of))
        monkeypatch.undo()
    assert sizes[0] > sizes[1]


def test_an_operator_with_large_results_gets_wide_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = lambda left, right: (0, 1000 * left[1] * right[1])  # noqa: E731
    flags: Any = {"commutes": True, "max_growth": 1000, "rational": True, "takes_columns": True}
    thousandfold = Operator("k", ("k",), 2, lambda a, b: 1000 * a * b, bounds, **flags)
    monkeypatch.setitem(OPERATORS, "k", thousandfold)
    for fractions in (False, True):
        game = replace(GAMES["crisps"], operators=("k",), fractions=fractions)
        for size in (2, 3, 4, 5, 6):
            hand = (99,) * size
            [made] = count_solutions(hand, game)
            assert reachable(hand, game) == {made} == {99**size * 1000 ** (size - 1)}


@pytest.mark.parametrize("name", ["crisps", "digits", "countdown", "krypto"])
@pytest.mark.parametrize("hand", [(0, 3), (0, 0, 5), (0, 2, 8, 9)])
def test_a_zero_that_the_game_does_not_have_can_be_dealt(name: str, hand: tuple[int, ...]) -> None:
    game = GAMES[name]
    with_zero = replace(game, numbers=(0, *game.numbers))
    reached = reachable(hand, game)
    assert reached == reachable(hand, with_zero) == set(count_solutions(hand, game))
    assert set(difficulties(hand, game)) <= reached
    for target in sorted(reached)[:3]:
        for solution in solve(hand, target, game):
            assert evaluate(solution, with_zero) == target


@pytest.mark.parametrize("within", [(1, 1), (0, 9), (10, 40), (101, 999), (5, 10**12)])
@pytest.mark.parametrize("name", ["countdown", "numble", "crisps", "krypto"])
def test_windows_find_all_values_within_limits(
    name: str, within: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisps24.hands.chart.PAIRS_PER_BATCH", 1_000)
    numbers, rng = (0, *GAMES[name].numbers), Random(53)
    game = game_for_numbers(numbers, GAMES[name])
    hands = [tuple(sorted(rng.sample(numbers, size))) for size in (2, 3, 4, 5)]
    found, pairs = [], []
    for has_windows in (True, False):
        budget = Budget()
        chart = ValueChart(game, max(hands, key=sum), within=within, budget=budget)
        chart._has_windows &= has_windows
        steps = chart.last_step_values(hands)
        tables = ((rows.tolist(), exact_values(values)) for rows, values in steps)
        found.append({pair for table in tables for pair in zip(*table, strict=True)})
        pairs.append(budget.pairs)
    assert found[0] == found[1]
    assert pairs[0] < pairs[1] or within != (101, 999)


@pytest.mark.parametrize(("pairs", "size"), [(945_000, 0), (0, 9_935_000)])
def test_windows_count_in_the_budget(pairs: int, size: int) -> None:
    hand, budget = (2, 3, 5, 7, 11, 13), Budget(work=10**6, memory=10**7)
    chart = ValueChart(GAMES["countdown"], hand, within=(101, 999), budget=budget)
    chart.add_hands(largest_parts(hand, in_order=False))
    budget.add_pairs(pairs)
    budget.add_bytes(size)
    with pytest.raises(RefusedError):
        list(chart.last_step_values([hand]))
