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

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from crisps24.hands.by_function import FunctionChart, KeptResults, ResultTable
from crisps24.hands.costs import size_bits, step_features, step_weights
from crisps24.hands.goals import GoalSet
from crisps24.hands.rows import Runs
from crisps24.rules.ratios import Floats, Ints, Ratios, integer_columns, join_columns
from crisps24.rules.widths import repeat_rows, sum_by_index

# Bytes per derivation while the weights of all derivations are computed.
_BYTES_PER_DERIVATION = 120


class _DerivationColumns(NamedTuple):
    """The derivations of some results in a table, with the positions of their operands: columns."""

    table: ResultTable
    table_rows: Ints
    """The rows of the results in the table: one for each result, not for each derivation."""
    results: Ints
    """For each derivation, the row of its result in the table."""
    codes: Ints
    left: Ints
    right: Ints

    def sums(self, derivation_weights: Floats) -> Floats:
        row_count = len(self.table.nodes)
        sums: Floats = sum_by_index(self.results, derivation_weights, row_count).astype(float)
        return sums[self.table_rows]


def solution_weights(
    chart: FunctionChart, kept: Sequence[KeptResults], goals: GoalSet, puzzles: Sequence[int]
) -> list[dict[int, float]]:
    """Return the weights of solutions by fingerprint, but of negative results; needs `routes`."""
    wanted_goals = {goal for puzzle in puzzles for _, goal in goals.goals_of(puzzle)}
    kept = [_only_goals(results, wanted_goals) for results in kept]
    # A goal can have several results with one fingerprint: their weights are added.
    weights_by_goal = {goal: defaultdict[int, float](float) for goal in wanted_goals}
    for results, weights in zip(kept, _result_weights(chart, kept), strict=True):
        entries = zip(results.goals, results.fingerprints.tolist(), weights.tolist(), strict=True)
        for goal, fingerprint, weight in entries:
            weights_by_goal[goal][fingerprint] += weight
    weights_by_puzzle: list[dict[int, float]] = [defaultdict(float) for _ in puzzles]
    for puzzle, puzzle_weights in zip(puzzles, weights_by_puzzle, strict=True):
        for sub_hand, goal in goals.goals_of(puzzle):
            # The factor of a sub-hand turns its weights into shares; see `root_hands`.
            factor = goals.roots[puzzle][sub_hand]
            for fingerprint, weight in weights_by_goal[goal].items():
                if weight:
                    puzzle_weights[fingerprint] += weight * factor
    return weights_by_puzzle


def _only_goals(kept: KeptResults, wanted_goals: Collection[int]) -> KeptResults:
    pairs = [
        (row, goal) for row, goal in zip(kept.rows, kept.goals, strict=True) if goal in wanted_goals
    ]
    return kept._replace(rows=[row for row, _ in pairs], goals=[goal for _, goal in pairs])


def _result_weights(chart: FunctionChart, kept: Sequence[KeptResults]) -> list[Floats]:
    last_steps = [
        _derivations_of(results.table, np.asarray(results.rows, np.int64)) for results in kept
    ]
    # From large results to small ones, mark those that are operands of a kept or marked result.
    is_needed = np.zeros(len(chart.values), bool)
    for derivations in last_steps:
        is_needed[derivations.left] = is_needed[derivations.right] = True
    inner_steps: list[_DerivationColumns] = []
    for table in chart.tables[:0:-1]:
        rows = is_needed[table.offset : table.offset + len(table.nodes)].nonzero()[0]
        derivations = _derivations_of(table, rows)
        inner_steps.insert(0, derivations)
        is_needed[derivations.left] = is_needed[derivations.right] = True
    # From small results to large ones, add up the weights of derivations.
    weights = np.zeros(len(chart.values))
    weights[: len(chart.tables[0].nodes)] = 1
    kept_weights: list[Floats] = []
    step_weights_by_size = _weigh_steps(chart, inner_steps, last_steps)
    all_steps = zip([*inner_steps, *last_steps], step_weights_by_size, strict=True)
    for index, (derivations, weights_of_steps) in enumerate(all_steps):
        operand_weights = weights[derivations.left] * weights[derivations.right]
        sums = derivations.sums(operand_weights * weights_of_steps)
        if index < len(inner_steps):
            weights[derivations.table.offset + derivations.table_rows] = sums
        else:
            kept_weights.append(sums)
    # A number of the hand has no derivation, so that its sum is 0 instead of 1.
    for index, results in enumerate(kept):
        if results.size == 1:
            kept_weights[index] = np.ones(len(results.rows))
    return kept_weights


def _weigh_steps(
    chart: FunctionChart,
    inner_steps: Sequence[_DerivationColumns],
    last_steps: Sequence[_DerivationColumns],
) -> list[Floats]:
    """Return the weights of the steps, a column for each item of both sequences."""
    groups = [*inner_steps, *last_steps]
    counts = [len(derivations.left) for derivations in groups]
    chart.budget.check_bytes(sum(counts) * _BYTES_PER_DERIVATION)
    columns = ((group.codes, group.left, group.right) for group in groups)
    codes, left, right = map(np.concatenate, zip(*columns, strict=True))
    results = join_columns([group.table.values[group.results] for group in groups])
    left_values, right_values = chart.values[left], chart.values[right]
    features = np.zeros(len(left), np.uint8)
    joins_digits = np.zeros(len(left), bool)
    for code, operator in enumerate(chart.operators):
        rows = (codes == code).nonzero()[0]
        sides = left_values[rows], right_values[rows]
        features[rows] = step_features(operator, *sides, results[rows])
        joins_digits[rows] = operator.joins
    weights = step_weights(features)
    # The first rows are the inner steps: they also cost the size of their results.
    inner_count = sum(counts[: len(inner_steps)])
    # Results below zero have no size, and weigh nothing.
    numerators, *denominators = integer_columns(results[:inner_count])
    clipped = np.maximum(numerators, 0)
    bits = size_bits(Ratios(clipped, *denominators) if denominators else clipped)
    weights[:inner_count] *= np.exp2(-np.where(joins_digits[:inner_count], 0, bits))
    weights *= np.where(chart.has_mirror(codes, left), 0.5, 1)
    weights *= results >= 0
    return np.split(weights, np.cumsum(counts, dtype=np.int64)[:-1])


def _derivations_of(table: ResultTable, rows: Ints) -> _DerivationColumns:
    """Return all derivations of the results in some rows, also those outside canonical form."""
    first_entries = table.starts[rows]
    entry_counts = table.starts[rows + 1] - first_entries
    entries = Runs(first_entries, entry_counts).positions
    stored_codes = table.codes[entries]
    codes = np.where(stored_codes < 0, ~stored_codes, stored_codes)
    operands = table.left[entries], table.right[entries]
    return _DerivationColumns(table, rows, repeat_rows(rows, entry_counts), codes, *operands)
