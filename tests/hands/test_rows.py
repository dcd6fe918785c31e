"""Rows in order without parentheses, and what their charts leave out."""

import numpy as np

from crisps24 import GAMES
from crisps24.hands.by_function import FunctionChart
from crisps24.hands.goals import Goal, GoalSet


def test_only_the_start_of_a_row_without_parentheses_is_a_sum() -> None:
    hand, game = tuple(range(1, 10)), GAMES["crisps"]
    chart = FunctionChart([hand], game, in_order=True)
    goals = GoalSet([Goal(hand, 24)], game, True)
    assert list(chart.kept_results(lambda hands: goals.query_for(hands).select, goals))
    for size, results in enumerate(chart.tables[1:], 2):
        nodes = np.unique(results.nodes[results.nodes % chart.level_count == chart.level_count - 1])
        assert [chart.hands_of_size(size)[node // chart.level_count] for node in nodes] == [
            hand[:size]
        ]
