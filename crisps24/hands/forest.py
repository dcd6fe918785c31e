"""Weights of solutions: the inside algorithm on the packed forest of `by_function`.

Backward pass: mark the rows that the solutions kept are derived from. Forward pass, by size: the
weight of a row is the sum over its derivations of weight(left) x weight(right) x weight(step); a
number dealt weighs 1, a step below zero 0. Owns these two passes; the model of step weights is that
of `costs`, and the sums agree with those that `by_value` makes without telling functions apart.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from crisps24.hands.by_function import FunctionChart, KeptResults, ResultTable
from crisps24.hands.chart import Runs
from crisps24.hands.costs import size_bits, step_features, step_weights
from crisps24.hands.goals import GoalSet
from crisps24.rules.ratios import Column, Floats, Ints, Ratios, join_columns

# What a way takes while the steps of all ways are weighed together.
_STEP_BYTES = 120


class Ways(NamedTuple):
    """All ways to some of the results of a size: columns of places."""

    of: ResultTable
    which: Ints
    """The results."""
    results: Ints
    """To which of them each way leads."""
    operators: Ints
    left: Ints
    """Places in the chart."""
    right: Ints

    def weights(self, steps: Floats) -> Floats:
        """Return what each of the results weighs, of the weights of all ways to it."""
        sums: Floats = np.bincount(self.results, steps, len(self.of.nodes)).astype(float)
        return sums[self.which]


def weights_of(
    chart: FunctionChart, kept: Sequence[KeptResults], goals: GoalSet, places: Sequence[int]
) -> list[dict[int, float]]:
    """Return for the puzzles at some places the weights of their solutions, by fingerprint.

    `kept` is what the chart keeps of what is asked. The weights add up to the share of tries that
    end so, as `by_value` has it. Solutions that are reached by results below zero alone are not
    among them.
    """
    wanted = {ask for place in places for _, ask in goals.goals_of(place)}
    kept = [_only(each, wanted) for each in kept]
    of_ask: dict[int, dict[int, float]] = {ask: {} for ask in wanted}
    for each, weights in zip(kept, _weighed(chart, kept), strict=True):
        prints = each.table.fingerprints[each.rows].tolist()
        for ask, fingerprint, weight in zip(each.goals, prints, weights.tolist(), strict=True):
            of_ask[ask][fingerprint] = of_ask[ask].get(fingerprint, 0.0) + weight
    found: list[dict[int, float]] = []
    for place in places:
        summed: dict[int, float] = {}
        for top, ask in goals.goals_of(place):
            for fingerprint, weight in of_ask[ask].items():
                if weight:
                    more = weight * goals.roots[place][top]
                    summed[fingerprint] = summed.get(fingerprint, 0.0) + more
        found.append(summed)
    return found


def _only(kept: KeptResults, wanted: Collection[int]) -> KeptResults:
    """Return of what is kept that which answers one of some asks."""
    pairs = [pair for pair in zip(kept.rows, kept.goals, strict=True) if pair[1] in wanted]
    return kept._replace(rows=[one for one, _ in pairs], goals=[ask for _, ask in pairs])


def _weighed(chart: FunctionChart, kept: Sequence[KeptResults]) -> list[Floats]:
    """Return what all routes to each result that is kept weigh, a column for each size."""
    ends = [_ways_to(each.table, np.asarray(each.rows, np.int64)) for each in kept]
    needed = np.zeros(len(chart.values), bool)
    for ways in ends:
        needed[ways.left] = needed[ways.right] = True
    inner: list[Ways] = []
    for results in chart.tables[:0:-1]:
        which = needed[results.offset : results.offset + len(results.nodes)].nonzero()[0]
        inner.insert(0, ways := _ways_to(results, which))
        needed[ways.left] = needed[ways.right] = True
    weights = np.zeros(len(chart.values))
    weights[: len(chart.tables[0].nodes)] = 1
    found: list[Floats] = []
    for ways, steps in zip([*inner, *ends], _steps(chart, inner, ends), strict=True):
        sums = ways.weights(weights[ways.left] * weights[ways.right] * steps)
        if len(found) < len(inner):
            weights[ways.of.offset + ways.which] = sums
        found.append(sums)
    # A number as it is dealt is there without a step.
    dealt = [np.ones(len(each.rows)) for each in kept if each.size == 1]
    return [*dealt, *found[len(inner) + len(dealt) :]]


def _steps(chart: FunctionChart, inner: Sequence[Ways], ends: Sequence[Ways]) -> list[Floats]:
    """Return what every step weighs by itself, 0 where it goes below zero."""
    every = [*inner, *ends]
    chart.budget.check_bytes(sum(len(ways.left) for ways in every) * _STEP_BYTES)
    operators, left, right = (
        np.concatenate([getattr(ways, name) for ways in every])
        for name in ("operators", "left", "right")
    )
    last = sum(len(ways.left) for ways in inner)
    made = join_columns([ways.of.values[ways.results] for ways in every])
    lefts, rights = chart.values[left], chart.values[right]
    flags = np.zeros(len(left), np.uint8)
    joins = np.zeros(len(left), bool)
    for code, operator in enumerate(chart.known):
        at = (operators == code).nonzero()[0]
        flags[at] = step_features(operator, lefts[at], rights[at], made[at])
        joins[at] = operator.joins
    steps = step_weights(flags)
    sizes = size_bits(_not_below_zero(made[:last]))
    steps[:last] *= np.exp2(-np.where(joins[:last], 0, sizes))
    steps *= np.where(chart.mirrored(operators, left), 0.5, 1)
    steps *= made >= 0
    return np.split(steps, np.cumsum([len(ways.left) for ways in every])[:-1])


def _ways_to(results: ResultTable, which: Ints) -> Ways:
    """Return the derivations of some results, those outside the normal form as well."""
    runs = Runs(results.starts[which], results.starts[which + 1] - results.starts[which])
    at = runs.positions
    operators = results.codes[at]
    operators = np.where(operators < 0, ~operators, operators)
    return Ways(
        results, which, which.repeat(runs.lengths), operators, results.left[at], results.right[at]
    )


def _not_below_zero(values: Column) -> Column:
    if isinstance(values, Ratios):
        return Ratios(np.maximum(values.numerators, 0), values.denominators)
    return np.maximum(values, 0)
