"""Weights of solutions: the inside algorithm (sum-product) on the packed forest of `by_function`.

Backward pass: mark the rows from which the kept solutions are derived. Forward pass, by size: the
weight of a row is the sum over its derivations of weight(left) x weight(right) x weight(step). A
number dealt weighs 1, and a step with a result below zero weighs 0. The weights of steps are
those of `costs`. For 1 2 3 at 6, the function 1 + 2 + 3 gets the weights of three derivations,
and 1 x 2 x 3 those of three others.

The sum over all solutions of a target is the weight of its value in `by_value`, which does not
distinguish functions; the tests compare both. Time and memory are proportional to the marked
derivations.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from crisps24.hands.by_function import FunctionChart, KeptResults, ResultTable
from crisps24.hands.chart import Runs
from crisps24.hands.costs import size_bits, step_features, step_weights
from crisps24.hands.goals import GoalSet
from crisps24.rules.ratios import Column, Floats, Ints, Ratios, join_columns

# Bytes per derivation while the steps of all derivations are weighed.
_BYTES_PER_STEP = 120


class _DerivationColumns(NamedTuple):
    """All derivations of some results of one size: columns."""

    table: ResultTable
    rows: Ints
    """The rows of the results in the table."""
    results: Ints
    """The row of the result of each derivation."""
    codes: Ints
    """The operator code of each derivation."""
    left: Ints
    """The position of its left operand in the chart."""
    right: Ints

    def sums(self, weights: Floats) -> Floats:
        """Return for each result the sum of the weights of its derivations."""
        sums: Floats = np.bincount(self.results, weights, len(self.table.nodes)).astype(float)
        return sums[self.rows]


def solution_weights(
    chart: FunctionChart, kept: Sequence[KeptResults], goals: GoalSet, puzzles: Sequence[int]
) -> list[dict[int, float]]:
    """Return the weights of the solutions of some puzzles, by fingerprint.

    The weights of a puzzle add up to the share of tries that end with the target, see
    `ValueChart.weighted_values`. Solutions that need a result below zero are left out.

    Args:
        chart: A chart of all hands of the goals, with all routes.
        kept: The results that the chart has kept for the goals.
        goals: The goals of the puzzles.
        puzzles: The indices of the puzzles in `goals.puzzles`; the result has their order.

    Raises:
        RefusedError: The budget of the chart is exceeded.
    """
    wanted = {goal for puzzle in puzzles for _, goal in goals.goals_of(puzzle)}
    kept = [_only_goals(results, wanted) for results in kept]
    weights_of_goal: dict[int, dict[int, float]] = {goal: {} for goal in wanted}
    for results, weights in zip(kept, _result_weights(chart, kept), strict=True):
        fingerprints = results.table.fingerprints[results.rows].tolist()
        entries = zip(results.goals, fingerprints, weights.tolist(), strict=True)
        for goal, fingerprint, weight in entries:
            of_goal = weights_of_goal[goal]
            of_goal[fingerprint] = of_goal.get(fingerprint, 0.0) + weight
    weights_of_puzzles: list[dict[int, float]] = []
    for puzzle in puzzles:
        totals: dict[int, float] = {}
        for root, goal in goals.goals_of(puzzle):
            factor = goals.roots[puzzle][root]
            for fingerprint, weight in weights_of_goal[goal].items():
                if weight:
                    totals[fingerprint] = totals.get(fingerprint, 0.0) + weight * factor
        weights_of_puzzles.append(totals)
    return weights_of_puzzles


def _only_goals(kept: KeptResults, wanted: Collection[int]) -> KeptResults:
    pairs = [pair for pair in zip(kept.rows, kept.goals, strict=True) if pair[1] in wanted]
    return kept._replace(rows=[row for row, _ in pairs], goals=[goal for _, goal in pairs])


def _result_weights(chart: FunctionChart, kept: Sequence[KeptResults]) -> list[Floats]:
    """Return the sum of the weights of all routes to each kept result, a column for each size.

    The columns have the order of `kept` and of its rows. Raises RefusedError over the budget.
    """
    ends = [_derivations_of(each.table, np.asarray(each.rows, np.int64)) for each in kept]
    marked = np.zeros(len(chart.values), bool)
    for columns in ends:
        marked[columns.left] = marked[columns.right] = True
    inner: list[_DerivationColumns] = []
    for table in chart.tables[:0:-1]:
        rows = marked[table.offset : table.offset + len(table.nodes)].nonzero()[0]
        inner.insert(0, columns := _derivations_of(table, rows))
        marked[columns.left] = marked[columns.right] = True
    weights = np.zeros(len(chart.values))
    weights[: len(chart.tables[0].nodes)] = 1
    results: list[Floats] = []
    for columns, steps in zip([*inner, *ends], _weigh_steps(chart, inner, ends), strict=True):
        sums = columns.sums(weights[columns.left] * weights[columns.right] * steps)
        if len(results) < len(inner):
            weights[columns.table.offset + columns.rows] = sums
        results.append(sums)
    # A number dealt needs no step.
    dealt = [np.ones(len(each.rows)) for each in kept if each.size == 1]
    return [*dealt, *results[len(inner) + len(dealt) :]]


def _weigh_steps(
    chart: FunctionChart, inner: Sequence[_DerivationColumns], ends: Sequence[_DerivationColumns]
) -> list[Floats]:
    """Return the weight of the step of each derivation; 0 if its result is below zero.

    There is a column for each of `inner`, then of `ends`; the last steps of routes are in `ends`
    and have no cost of size. Raises RefusedError over the budget.
    """
    blocks = [*inner, *ends]
    counts = [len(columns.left) for columns in blocks]
    chart.budget.check_bytes(sum(counts) * _BYTES_PER_STEP)
    codes, left, right = (
        np.concatenate([getattr(columns, name) for columns in blocks])
        for name in ("codes", "left", "right")
    )
    inner_count = sum(counts[: len(inner)])
    values = join_columns([columns.table.values[columns.results] for columns in blocks])
    lefts, rights = chart.values[left], chart.values[right]
    flags = np.zeros(len(left), np.uint8)
    joins = np.zeros(len(left), bool)
    for code, operator in enumerate(chart.operators):
        rows = (codes == code).nonzero()[0]
        flags[rows] = step_features(operator, lefts[rows], rights[rows], values[rows])
        joins[rows] = operator.joins
    steps = step_weights(flags)
    sizes = size_bits(_clip_at_zero(values[:inner_count]))
    steps[:inner_count] *= np.exp2(-np.where(joins[:inner_count], 0, sizes))
    steps *= np.where(chart.has_mirror(codes, left), 0.5, 1)
    steps *= values >= 0
    return np.split(steps, np.cumsum(counts)[:-1])


def _derivations_of(table: ResultTable, rows: Ints) -> _DerivationColumns:
    """Return all derivations of the results in some rows of a table, in canonical form or not."""
    runs = Runs(table.starts[rows], table.starts[rows + 1] - table.starts[rows])
    entries = runs.positions
    codes = table.codes[entries]
    codes = np.where(codes < 0, ~codes, codes)
    results = rows.repeat(runs.lengths)
    return _DerivationColumns(
        table, rows, results, codes, table.left[entries], table.right[entries]
    )


def _clip_at_zero(values: Column) -> Column:
    if isinstance(values, Ratios):
        return Ratios(np.maximum(values.numerators, 0), values.denominators)
    return np.maximum(values, 0)
