"""Forecasts against the searches themselves: counted pairs in each run, times in benchmarks.

Run with `--benchmark-enable` after a change of an engine: a weight is right if weighted pairs of
all kinds take about the same time.
"""

from dataclasses import replace
from operator import itemgetter
from statistics import median
from time import process_time
from typing import Any

import pytest

from crisps24 import GAMES, count_solutions, plainest, reachable, solve
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import HandQuery
from crisps24.rules.work import Budget
from crisps24.solving.work import COUNT_SOLUTIONS, LIST_FORMS, LIST_VALUES, SOLVE, Forecast

CARDS, KRYPTO, COUNTDOWN = GAMES["cards"], GAMES["krypto"], GAMES["countdown"]
ROWS = replace(GAMES["crisps"], numbers=tuple(range(1, 14)))


def solve_for_24(hand: Hand, **options: Any) -> object:
    return solve(hand, 24, **options)


SEVEN = (1, 3, 7, 11, 16, 20, 23)
# Tasks, with the searches that they stand for, games and hands.
SEARCHES: dict[str, tuple[Any, Any, Game, Hand, bool]] = {
    "values": (LIST_VALUES, reachable, COUNTDOWN, (2, 5, 8, 9, 10, 25, 75), False),
    "fractions": (LIST_VALUES, reachable, CARDS, (1, 3, 4, 6, 9, 11), False),
    "in order": (LIST_VALUES, reachable, CARDS, SEVEN, True),
    "rows": (LIST_VALUES, reachable, ROWS, tuple(range(1, 14)), True),
    "functions": (COUNT_SOLUTIONS, count_solutions, KRYPTO, SEVEN[:6], False),
    "backward": (SOLVE, solve_for_24, KRYPTO, SEVEN, False),
    "forms": (LIST_FORMS, plainest, COUNTDOWN, (2, 5, 8, 10, 25), False),
    "powers": (LIST_FORMS, plainest, replace(CARDS, operators=(*"-+x:^",)), (2, 3, 5, 7), False),
}


def search(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float, float]:
    """Return the forecast pairs of a search, those counted, and the seconds that it took."""
    task, find, game, hand, in_order = SEARCHES[name]
    budgets: list[Budget] = []
    monkeypatch.setattr(Budget, "on_create", budgets.append)
    start = process_time()
    len(find(hand, game=game, in_order=in_order))
    seconds = process_time() - start
    forecast = Forecast(HandQuery(hand, game, in_order), task).cost(len(hand)).pairs
    return forecast, sum(budget.pairs for budget in budgets), seconds


@pytest.mark.parametrize("name", SEARCHES)
def test_forecast_has_the_order_of_magnitude_of_the_counted_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forecast, counted, _ = search(name, monkeypatch)
    assert counted / 3 < forecast < 20 * counted


def test_forecast_pairs_of_all_kinds_take_about_the_same_time(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not pytestconfig.getoption("benchmark_enable"):
        pytest.skip("it measures times: add --benchmark-enable")
    rates = {}
    # Forms of a small hand take most of the time to be written.
    for name in SEARCHES.keys() - {"forms", "powers"}:
        forecast, _, seconds = min((search(name, monkeypatch) for _ in range(3)), key=itemgetter(2))
        rates[name] = seconds / forecast
    usual = median(rates.values())
    assert all(usual / 10 < rate < 10 * usual for rate in rates.values()), rates
