"""Rows in order without parentheses, and what their charts leave out."""

import numpy as np

from crisps24 import GAMES
from crisps24.hands.asks import Ask, Asks
from crisps24.hands.by_function import ByFunction


def test_only_the_start_of_a_row_without_parentheses_is_a_sum() -> None:
    hand, game = tuple(range(1, 10)), GAMES["crisps"]
    chart = ByFunction([hand], game, in_order=True)
    asks = Asks([Ask(hand, 24)], game, True)
    assert list(chart.kept(lambda hands: asks.among(hands).matches, asks))
    for size, results in enumerate(chart.sizes[1:], 2):
        nodes = np.unique(results.nodes[results.nodes % chart.count == chart.count - 1])
        assert [chart.hands(size)[node // chart.count] for node in nodes] == [hand[:size]]
