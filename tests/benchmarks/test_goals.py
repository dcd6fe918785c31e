"""Each figure is within its limit, and its work returns what it should.

A sort before and after the work measures how much slower this machine is than a quiet one, and
seconds are divided by that. Without `--benchmark-enable`, only the work that takes less than half a
second runs, once.
"""

from pkgutil import resolve_name
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from tests.benchmarks.goals import GOALS, Goal, Work

# Caches that are cleared between calls.
CACHES = (
    *("rules.partitions:_selectors", "notation.parser:parse_pattern"),
    *("notation.statements:_locate_shape", "notation.statements:_parse_shape"),
    *("enumeration.counting:suffix_tables_of", "enumeration.enumeration:_enumerate_rows"),
    *("enumeration.finding:_chain_finders_of", "enumeration.finding:_row_finder_of"),
    *("equation_puzzles.search:equation_keys", "hands.fingerprints:evaluation_point"),
    "surveys.surveys:_thread_cache.rows_for",
)

# Seconds that `sort_texts` takes on the quiet machine of the limits.
_SECONDS_OF_SORT = 0.015


def sort_texts() -> list[str]:
    return sorted(map(str, range(100_000)))


def clear_caches() -> None:
    for name in CACHES:
        resolve_name(f"crisps24.{name}").cache_clear()


def seconds_of(work: Work, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        clear_caches()
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.label)
def test_goal(goal: Goal, benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    is_long = goal.rounds == 1 or goal.items or goal.limit >= 0.5 or goal.reference
    if benchmark.disabled:
        if is_long:
            pytest.skip("it takes seconds: add --benchmark-enable")
        assert benchmark(goal.work) == goal.expected
        return
    if goal.rounds > 1:
        goal.work()
    sorts = seconds_of(sort_texts, 5)
    result = benchmark.pedantic(goal.work, setup=clear_caches, rounds=goal.rounds)
    assert result == goal.expected
    slowness = max(1, (sorts + seconds_of(sort_texts, 5)) / 2 / _SECONDS_OF_SORT)
    seconds = benchmark.stats.stats.median
    figure = goal.items * slowness / seconds if goal.items else seconds / slowness
    if goal.reference:
        goal.reference()
        figure = seconds / seconds_of(goal.reference, goal.rounds)
    is_met = figure >= goal.limit if goal.items else figure <= goal.limit
    with capsys.disabled():
        status = "met" if is_met else "**missed**"
        print(f"\n| {goal.label} | {text(goal, figure)} | {text(goal, goal.limit)} | {status} |")
    assert is_met


def text(goal: Goal, figure: float) -> str:
    if goal.items:
        return f"{figure:,.0f} a second"
    if goal.reference:
        return f"{figure:.2f} times" if figure >= 1 / 3 else f"{1 / figure:.0f} times faster"
    return f"{1000 * figure:.1f} ms" if figure < 0.1 else f"{figure:.2f} s"
