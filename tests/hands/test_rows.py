"""Test the charts of numbers in order without parentheses."""

import numpy as np

from crisps24 import GAMES
from crisps24.hands.by_function import FunctionChart
from crisps24.hands.goals import Goal, GoalSet


def test_without_parentheses_only_prefixes_have_sums_and_differences() -> None:
    hand, game = tuple(range(1, 10)), GAMES["crisps"]
    chart = FunctionChart([hand], game, in_order=True)
    goals = GoalSet([Goal(hand, 24)], game, True)
    assert list(chart.kept_results(lambda hands: goals.selector_for(hands), goals))
    for size, results in enumerate(chart.tables[1:], 2):
        nodes = np.unique(results.nodes[results.nodes % chart.level_count == chart.level_count - 1])
        assert [chart.hands_of_size(size)[node // chart.level_count] for node in nodes] == [
            hand[:size]
        ]
