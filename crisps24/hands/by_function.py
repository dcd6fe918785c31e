"""The chart by function: the distinct rational functions of sub-hands, with all derivations.

The key of a row of a sub-hand is (level, fingerprint), with the levels and positions of `chart`:
two expressions are the same solution if they are equal as rational functions of the numbers dealt,
which is decided by polynomial identity testing
(`fingerprints`). So 1 + 2 + 3 is one row of (1, 2, 3), with three derivations: (1 + 2) + 3,
(1 + 3) + 2 and (2 + 3) + 1, each an operator and the positions of two operands.

Tables are built bottom-up, all sub-hands of one size together, and shared by all hands of a
batch. Derivations are stored in compressed sparse rows: a packed forest (AND-OR graph), from
which `forms` takes the plainest tree and `forest` sums weights. Derivations outside the canonical
form (see `chart`) add no function, only weight. With `routes` (see `by_value`) they are stored too,
with the complement of the code of their operator.

Time and memory are proportional to the pairs of functions of two parts, over all partitions. A
filter by value (`backward`) joins only pairs on its steps, which makes large hands possible.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch, BackwardSteps
from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    OperandPlans,
    State,
    batches_of,
    levels_for,
    plans_for,
    plans_of_size,
    states_of,
)
from crisps24.hands.fingerprints import Elements, FingerprintTable, fingerprints_of
from crisps24.hands.goals import GoalSet, Selector, bounding_hand, one_step_filter, root_hands
from crisps24.hands.rows import Runs, join, select
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.partitions import sub_hand_closure
from crisps24.rules.points import scores_operators
from crisps24.rules.ratios import (
    Column,
    Ints,
    group_rows,
    integer_dtype,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.widths import int_range, repeat_rows
from crisps24.rules.work import Budget

# Time per pair of functions, in times per pair of values.
FUNCTION_WEIGHT = 10
# Bytes per derivation, while equal functions are merged.
_BYTES_PER_DERIVATION = 170

# An operator, and the positions of its left and right operands.
Derivation = tuple[Operator, int, int]


class _Derivations(NamedTuple):
    """Derivations of results that are not merged yet: columns.

    A *node* is a level of a sub-hand: its index, times the number of levels, plus the level.
    """

    nodes: Ints
    codes: Ints
    left: Ints
    right: Ints
    fingerprints: Elements
    values: Column


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The distinct results of all sub-hands of one size, sorted by node: columns.

    Tables of selected results have the number of a goal in place of a sub-hand.
    """

    offset: int
    """The position of row 0 in the chart."""
    values: Column
    fingerprints: Elements
    nodes: Ints
    """The node of each result, ascending."""
    starts: Ints
    """The derivations of row r are the entries `starts[r]` to `starts[r + 1]` of the rest."""
    operators: Sequence[Operator]
    """The operators by code."""
    codes: Ints
    """The code of the operator of each derivation, or its complement outside canonical form."""
    left: Ints
    right: Ints

    def derivations(self, row: int) -> list[Derivation]:
        """Return the canonical derivations of the result in a row; [] for a number of the hand."""
        entries = slice(*self.starts[row : row + 2].tolist())
        codes, lefts = self.codes[entries].tolist(), self.left[entries].tolist()
        rights = self.right[entries].tolist()
        return [
            (self.operators[code], left, right)
            for code, left, right in zip(codes, lefts, rights, strict=True)
            if code >= 0
        ]


class _ResultsByValue:
    """The positions of results by value, for the values that a backward search has kept."""

    def __init__(self, search: BackwardSearch) -> None:
        self._search = search
        # By size: positions, and the run of those with each value.
        self._by_size: dict[int, tuple[Ints, Runs]] = {}

    def add(self, hands: Sequence[Hand], results: ResultTable, level_count: int) -> None:
        """Sort the useful results of all hands of one size by value."""
        size = len(hands[0])
        hand_indices = results.nodes // level_count
        # A useful value leads to a target; it is identified by its index among all useful values.
        rows, useful_indices = self._search.find_useful(hands, hand_indices, results.values)
        order = np.argsort(useful_indices, kind="stable")
        useful_hands, _ = self._search.values(size)
        starts = np.searchsorted(useful_indices[order], int_range(len(useful_hands) + 1))
        starts = starts.astype(np.int64, copy=False)
        runs = Runs(starts[:-1], np.diff(starts))
        self._by_size[size] = results.offset + rows[order], runs

    def count_pairs(self, steps: BackwardSteps) -> int:
        left_size, right_size = steps.sizes
        _, left_runs = self._by_size[left_size]
        _, right_runs = self._by_size[right_size]
        return int(left_runs.lengths[steps.left] @ right_runs.lengths[steps.right])

    def pairs(self, steps: BackwardSteps, rows: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield (index of the step in `rows`, left, right) of the pairs of results, in batches."""
        left_size, right_size = steps.sizes
        left_positions, left_runs = self._by_size[left_size]
        right_positions, right_runs = self._by_size[right_size]
        lefts = select(left_runs, steps.left[rows])
        rights = select(right_runs, steps.right[rows])
        pair_counts = lefts.lengths * rights.lengths
        for batch in batches_of(pair_counts):
            outer, repeats, inner = select(lefts, batch).cross_join(select(rights, batch))
            indices = repeat_rows(int_range(batch.start, batch.stop), pair_counts[batch])
            yield indices, repeat_rows(left_positions[outer], repeats), right_positions[inner]


class KeptResults(NamedTuple):
    """The selected results of one size."""

    size: int
    table: ResultTable
    rows: Sequence[int]
    goals: Sequence[int]
    """The number of the goal of each row."""

    @property
    def fingerprints(self) -> Elements:
        return self.table.fingerprints[self.rows]


class FunctionChart(Chart):
    """The functions of the sub-hands of some hands of one game, built size by size.

    With `routes`, derivations outside canonical form are stored too: weights need them. With a
    `search` for the roots of the hands, only its values are computed.
    """

    def __init__(
        self,
        hands: Sequence[Hand],
        game: Game,
        *,
        routes: bool = True,
        search: BackwardSearch | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._hands, self._search = hands, search
        # Routes have any grouping, as the formulas of numbers in a fixed order.
        self.levels, all_groupings = levels_for(game), levels_for(game, all_groupings=True)
        longest = max(map(len, hands))
        by_points = scores_operators(game, longest)
        if by_points:
            self.levels = all_groupings
        self._has_routes = routes or all_groupings == self.levels
        stored_levels = all_groupings if routes else self.levels
        self.states = states_of(game, longest - 1 if by_points else None)
        self.level_count = len(self.levels) * len(self.states)
        self.operators = [operator for level in self.levels for operator in level.operators]
        self._codes = {operator: code for code, operator in enumerate(self.operators)}
        # For each operator code, a mask of the levels of its right operands; all, and canonical.
        self._right_levels = _right_levels_of(stored_levels)
        has_others = stored_levels != self.levels
        self._canonical = _right_levels_of(self.levels) if has_others else None
        self._plans, runs_of_side = _plans_of(stored_levels, self.states)
        dtype = integer_dtype(bounding_hand(hands), game)
        super().__init__(game, dtype, runs_of_side, budget)
        self._weight *= FUNCTION_WEIGHT
        roots = dict.fromkeys(root for hand in hands for root in root_hands(hand, game))
        self._root_sizes = sorted({len(root) for root in roots})
        closure = sub_hand_closure(roots, game.in_order)
        self._hands_by_size = {size: [*hands] for size, hands in groupby(closure, len)}
        # Without parentheses, the left operand of the loosest operators is a prefix of the
        # formula. So no other span needs results with these operators.
        is_formula = game.in_order and not game.parentheses
        self._prefixes = {
            root[:size] for root in roots for size in range(1, len(root) + 1) if is_formula
        }
        self._results_by_value = _ResultsByValue(search) if search else None
        self._level_column = self.new_column(np.zeros(0, np.int16))
        self.tables: list[ResultTable] = []
        """The results by size, from 1 to the largest size computed."""
        dealt = [number for (number,) in self._hands_by_size[1]]
        self.fingerprints = FingerprintTable(fingerprints_of(dealt))
        nodes, starts = int_range(len(dealt)) * self.level_count, np.zeros(len(dealt) + 1, np.int64)
        row_columns = self._column(dealt), self.fingerprints.elements, nodes, starts
        no_derivations = [np.empty(0, np.int64)] * 3
        self._add(1, ResultTable(0, *row_columns, self.operators, *no_derivations))

    def with_routes(self) -> "FunctionChart":
        """Return this chart if it has all routes, else a new, empty one of the same hands."""
        if self._has_routes:
            return self
        options: Any = {"search": self._search, "budget": self.budget}
        return FunctionChart(self._hands, self.game, **options)

    def hands_of_size(self, size: int) -> list[Hand]:
        """Return all hands of a size that the chart can have; [] above the largest size."""
        return self._hands_by_size.get(size, [])

    def build(self, size: int) -> None:
        """Compute the results of all hands of up to `size` numbers, unless they are stored."""
        for next_size in range(len(self.tables) + 1, size + 1):
            self._add(next_size, self._compute(next_size))

    def _add(self, size: int, results: ResultTable) -> None:
        hands = self.hands_of_size(size)
        nodes = int_range(len(hands) * self.level_count + 1)
        limits = results.offset + np.searchsorted(results.nodes, nodes)
        starts = limits[:-1].reshape(-1, self.level_count)
        stops = limits[1:].reshape(-1, self.level_count)
        self.index_of.update(zip(hands, self.add_entries(hands, starts, stops), strict=True))
        self.values.extend(results.values)
        if size > 1:
            self.fingerprints.extend(results.fingerprints)
        self.tables.append(results)
        self._level_column.extend((results.nodes % self.level_count).astype(np.int16))
        if self._results_by_value is not None:
            self._results_by_value.add(hands, results, self.level_count)

    def kept_results(
        self, selector_for: Callable[[Sequence[Hand]], Selector], goals: GoalSet | None = None
    ) -> Iterator[KeptResults]:
        """Yield the selected results of complete solutions, a table for each number of cards.

        If `goals` are given and no result is below zero, hands that lack one card keep only values
        that one operation can turn into a target.
        """
        max_size = self._root_sizes[-1]
        # In a nontrivial game, a selector is for whole formulas.
        can_filter = self._search is None and not (self.game.negatives or self.game.nontrivial)
        for size in self._root_sizes:
            if size == max_size and goals is not None and can_filter:
                self._build_filtered(size - 1, goals)
            self.build(size - 1)
            selector = selector_for(self.hands_of_size(size))
            if size == 1:
                results = self.tables[0]
                rows, goal_numbers = selector(results.values, int_range(len(results.nodes)))
                if self.game.nontrivial:
                    rows, goal_numbers = rows[:0], goal_numbers[:0]
            else:
                results = self._compute(size, selector)
                rows = int_range(len(results.nodes))
                goal_numbers = results.nodes // self.level_count
            yield KeptResults(size, results, rows.tolist(), goal_numbers.tolist())

    def count_known_solutions(self, size: int, goals: GoalSet, enough: int) -> int:
        """Count solutions with operands of up to `size` numbers; 0 if probably not `enough`."""
        hands = self.hands_of_size(self._root_sizes[-1])
        hand_size = len(hands[0])
        if self._results_by_value is None or self._search is None or hand_size == 1:
            return 0
        self.build(size)
        last_steps = [steps for steps in self._search.steps(hand_size) if max(steps.sizes) <= size]
        pair_count = sum(map(self._results_by_value.count_pairs, last_steps))
        # Few pairs make the same solution: 1.5 times as many pairs are nearly always enough.
        if 2 * pair_count < 3 * enough:
            return 0
        derivations = self._derive(hands, goals.selector_for(hands), size)
        self.budget.add_bytes(-len(derivations.nodes) * _BYTES_PER_DERIVATION)
        fingerprints = np.sort(derivations.fingerprints)
        return int(run_start_mask(fingerprints).sum())

    def _build_filtered(self, size: int, goals: GoalSet) -> None:
        """Build hands up to a size; the largest keep only values one step from a target."""
        self.build(size - 1)
        if len(self.tables) < size:
            selector = one_step_filter(goals, size, self.hands_of_size(size))
            self._add(size, self._compute(size, selector))

    def table_at(self, position: int) -> tuple[ResultTable, int]:
        """Return the table with the result at a position, and its row in this table."""
        tables = reversed(self.tables)
        table = next(table for table in tables if table.offset <= position)
        return table, position - table.offset

    def state_of(self, table: ResultTable, row: int) -> State:
        return self.states[int(table.nodes[row]) % self.level_count // len(self.levels)]

    def _classes_at(self, positions: Ints) -> Ints:
        """Return the precedence classes of results: their levels without their states."""
        classes: Ints = self._level_column[positions] % len(self.levels)
        return classes

    def _compute(self, size: int, selector: Selector | None = None) -> ResultTable:
        """Return the different results of all hands of a size, or those of a selector."""
        derivations = self._derive(self.hands_of_size(size), selector)
        order, starts = group_rows(derivations.nodes, derivations.fingerprints)
        codes = derivations.codes[order]
        left, right = derivations.left[order], derivations.right[order]
        if self._canonical is not None:
            is_canonical = self._canonical[codes, self._classes_at(right)]
            codes = np.where(is_canonical, codes, ~codes)
        distinct = select(derivations, order[starts])
        row_columns = distinct.values, distinct.fingerprints, distinct.nodes
        ends = np.append(starts, len(order))
        return ResultTable(len(self.values), *row_columns, ends, self.operators, codes, left, right)

    def _derive(
        self, hands: Sequence[Hand], selector: Selector | None, max_operand_size: int | None = None
    ) -> _Derivations:
        """Return all derivations of the results of hands of one size, charged to the budget."""
        none = np.zeros(0, np.int64)
        no_elements, no_values = self.fingerprints.elements[:0], self.values[:0]
        blocks = [_Derivations(none, none, none, none, no_elements, no_values)]
        if self._search is None:
            blocks += self._all_steps(hands, selector)
        else:
            blocks += self._backward_steps(self._search, hands, selector, max_operand_size)
        return join(blocks)

    def _derivations(
        self, level: int, operator: Operator, keys: Ints, left: Ints, right: Ints, values: Column
    ) -> _Derivations:
        """Return legal steps with their keys, the indices of hands or the numbers of goals."""
        self.budget.add_bytes(len(keys) * _BYTES_PER_DERIVATION)
        fingerprints = self.fingerprints.combine(operator, left, right, values)
        codes = np.full(len(keys), self._codes[operator], np.int8)
        nodes = keys * self.level_count + level
        return _Derivations(nodes, codes, left, right, fingerprints, values)

    def _all_steps(
        self, hands: Sequence[Hand], selector: Selector | None
    ) -> Iterator[_Derivations]:
        """Apply each operator to all pairs of operands of some hands; yield the legal results."""
        partitions = self.partitions(hands)
        is_prefix = np.array([not self._prefixes or hand in self._prefixes for hand in hands], bool)
        for plan, operators in plans_of_size(self._plans, len(hands[0])).items():
            plans, plan_partitions = {plan: operators}, partitions
            # Without parentheses, only hands at the start of the formula need results with + and -.
            plan_level, _ = operators[0]
            is_loosest = plan_level % len(self.levels) == len(self.levels) - 1
            if is_loosest and not is_prefix.all():
                prefix_rows = is_prefix[partitions.hands].nonzero()[0]
                plan_partitions = select(partitions, prefix_rows)
            for level, operator, pairs, rows, values in self.steps(plans, plan_partitions):
                if selector is not None and operator.joins and self.game.nontrivial:
                    continue
                keys = pairs.hands[rows]
                if selector is not None:
                    selected, keys = selector(values, keys)
                    rows, values = rows[selected], values[selected]
                if len(rows):
                    left, right, values = pairs.left[rows], pairs.right[rows], reduce_column(values)
                    yield self._derivations(level, operator, keys, left, right, values)

    def _backward_steps(
        self,
        search: BackwardSearch,
        hands: Sequence[Hand],
        selector: Selector | None,
        max_operand_size: int | None,
    ) -> Iterator[_Derivations]:
        """Yield the results of those steps that a backward search found to lead to a target."""
        assert self._results_by_value is not None
        size = len(hands[0])
        value_hands, all_values = search.values(size)
        # From each value to the index in `hands` of the hand that makes it.
        hand_indices = search.indices_in(hands)[value_hands]
        for steps in search.steps(size):
            if max_operand_size is not None and max(steps.sizes) > max_operand_size:
                continue
            self.budget.add_pairs(len(steps.results), self._weight)
            keys, values = hand_indices[steps.results], all_values[steps.results]
            rows = int_range(len(keys))
            if selector is not None:
                rows, keys = selector(values, keys)
                values = values[rows]
            operator = steps.operator
            level = next(i for i, level in enumerate(self.levels) if operator in level.operators)
            allowed_levels = self._right_levels[self._codes[operator]]
            for indices, left, right in self._results_by_value.pairs(steps, rows):
                # Some results must not be right operands, such as b - c in a - (b - c).
                is_allowed = allowed_levels[self._classes_at(right)].nonzero()[0]
                indices, left, right = indices[is_allowed], left[is_allowed], right[is_allowed]
                keys_of_pairs, results = keys[indices], values[indices]
                yield self._derivations(level, operator, keys_of_pairs, left, right, results)

    def has_mirror(self, codes: Ints, left: Ints) -> Any:
        """Return a mask of the derivations that are also stored with operands exchanged."""
        if self.game.in_order:
            return np.zeros(len(left), bool)
        commutes = np.array([operator.commutes for operator in self.operators], bool)
        # The left operand can also be on the right if its level of precedence allows it.
        can_be_right = self._right_levels[codes, self._classes_at(left)]
        return commutes[codes] & can_be_right


@lru_cache(64)
def _plans_of(
    levels: Sequence[Level], states: Sequence[State]
) -> tuple[OperandPlans, dict[Levels, list[range]]]:
    """Return the operand plans, and for each side of a plan its levels as consecutive ranges."""
    plans = plans_for(levels, lambda level: [OperandPlan(level.lefts, level.rights)], states)
    level_tuples = {side for plan in plans for side in (plan.left, plan.right)}
    all_levels = tuple(range(len(levels) * len(states)))
    return plans, {side: _consecutive_runs(side) for side in (*level_tuples, all_levels)}


def _right_levels_of(levels: Sequence[Level]) -> Any:
    """Return a matrix: whether the right operand of operator i can have level j."""
    masks = [
        [index in level.rights for index in range(len(levels))]
        for level in levels
        for _ in level.operators
    ]
    return np.array(masks, bool).reshape(-1, len(levels))


def _consecutive_runs(side: Levels) -> list[range]:
    """Return ascending integers as ranges: (0, 2, 3) as range(0, 1) and range(2, 4)."""
    # An integer minus its index is constant in a run of consecutive integers.
    offsets = {level: level - index for index, level in enumerate(side)}
    runs = (list(run) for _, run in groupby(side, offsets.__getitem__))
    return [range(run[0], run[-1] + 1) for run in runs]
