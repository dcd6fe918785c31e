"""Forecasts against the pairs that the searches themselves count."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from crisps24 import GAMES, count_solutions, plainest, reachable, solve
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import HandQuery
from crisps24.rules.work import Budget
from crisps24.solving.work import COUNT_SOLUTIONS, LIST_FORMS, LIST_VALUES, SOLVE, Forecast

CARDS, KRYPTO, COUNTDOWN = GAMES["cards"], GAMES["krypto"], GAMES["countdown"]
ROWS = replace(GAMES["crisps"], numbers=tuple(range(1, 14)))


SEVEN = (1, 3, 7, 11, 16, 20, 23)
# Tasks, with the searches that they stand for, games and hands.
SEARCHES: dict[str, tuple[Any, Any, Game, Hand, bool]] = {
    "values": (LIST_VALUES, reachable, COUNTDOWN, (2, 5, 8, 9, 10, 25, 75), False),
    "fractions": (LIST_VALUES, reachable, CARDS, (1, 3, 4, 6, 9, 11), False),
    "in order": (LIST_VALUES, reachable, CARDS, SEVEN, True),
    "rows": (LIST_VALUES, reachable, ROWS, tuple(range(1, 14)), True),
    "functions": (COUNT_SOLUTIONS, count_solutions, KRYPTO, SEVEN[:6], False),
    "backward": (SOLVE, partial(solve, target=24), KRYPTO, SEVEN, False),
    "forms": (LIST_FORMS, plainest, COUNTDOWN, (2, 5, 8, 10, 25), False),
    "powers": (LIST_FORMS, plainest, replace(CARDS, operators=(*"-+x:^",)), (2, 3, 5, 7), False),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_forecast_has_the_order_of_magnitude_of_the_counted_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, find, game, hand, in_order = SEARCHES[name]
    budgets: list[Budget] = []
    monkeypatch.setattr(Budget, "on_create", budgets.append)
    game = replace(game, in_order=in_order)
    len(find(hand, game=game))
    forecast = Forecast(HandQuery(hand, game), task).cost(len(hand)).pairs
    counted = sum(budget.pairs for budget in budgets)
    assert counted / 3 < forecast < 20 * counted
