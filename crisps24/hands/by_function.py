"""The chart by function: the distinct rational functions of sub-hands, with all derivations.

The key of a row is (level, fingerprint): two expressions are the same solution if they are equal
as rational functions of the numbers dealt, which is decided by polynomial identity testing
(`fingerprints`). So 1 + 2 + 3 is one row of (1, 2, 3), with three derivations: (1 + 2) + 3,
(1 + 3) + 2 and (2 + 3) + 1, each an operator and the positions of two operands.

Tables are built bottom-up, all sub-hands of one size together, and shared by all hands of a
batch. Derivations are stored in compressed sparse rows: a packed forest (AND-OR graph), from
which `forms` takes the plainest tree and `forest` sums weights. Derivations outside the canonical
form (see `chart`) add no function, only weight. With `routes` they are stored too, with the
complement of the code of their operator.

Time and memory are proportional to the pairs of functions of two parts, over all partitions. A
filter by value (`backward`) joins only pairs on its steps, which makes large hands possible.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    Runs,
    batches_of,
    levels_for,
    plans_for,
)
from crisps24.hands.fingerprints import Elements, FingerprintTable, fingerprints_of
from crisps24.hands.goals import GoalSet, Selector, bounding_hand, one_step_filter, root_hands
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.partitions import sub_hand_closure
from crisps24.rules.ratios import (
    Column,
    Ints,
    group_rows,
    integer_dtype,
    join_columns,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.work import Budget

# Time per pair of functions, in times per pair of values.
FUNCTION_WEIGHT = 10
# Bytes per derivation, while equal functions are merged.
_BYTES_PER_DERIVATION = 170

# An operator, and the positions of its left and right operands.
Derivation = tuple[Operator, int, int]


class _Derivations(NamedTuple):
    """Derivations of results that are not merged yet: columns.

    A *node* is a level of a sub-hand: the index of the sub-hand among those of its size, times
    the number of levels, plus the level.
    """

    nodes: Ints
    codes: Ints
    left: Ints
    right: Ints
    fingerprints: Elements
    values: Column


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The distinct results of all sub-hands of one size: columns, a row for each result.

    A *node* is a level of a sub-hand: the index of the sub-hand among those of its size, times
    the number of levels, plus the level. In tables of selected results (`KeptResults`), the
    number of a goal takes the place of the index.
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
    """The position of the left operand of each derivation."""
    right: Ints

    def derivations(self, row: int) -> list[Derivation]:
        """Return the derivations of a result in canonical form; [] for a number dealt."""
        part, operators = slice(*self.starts[row : row + 2].tolist()), self.operators
        codes, left = self.codes[part].tolist(), self.left[part].tolist()
        entries = zip(codes, left, self.right[part].tolist(), strict=True)
        return [(operators[code], one, other) for code, one, other in entries if code >= 0]


class _ResultsByValue:
    """The positions of results by value, for the values that a backward search has kept.

    Few values lead to a target, so that joins along its steps have far fewer pairs than joins of
    all functions.
    """

    def __init__(self, search: BackwardSearch) -> None:
        self._search = search
        # By size: positions, and the run of those with each value.
        self._by_size: dict[int, tuple[Ints, Runs]] = {}

    def add(self, hands: Sequence[Hand], results: ResultTable, level_count: int) -> None:
        """Group the results of all sub-hands of one size by value, for the method `pairs`.

        Only results whose value the backward search has kept are stored.

        Args:
            hands: The sub-hands of the size.
            results: Their results.
            level_count: The number of levels of the chart: the node of a result is the index of its
                sub-hand times this number, plus its level.
        """
        hand_indices = results.nodes // level_count
        rows, values = self._search.find(hands, hand_indices, results.values)
        order = np.argsort(values, kind="stable")
        value_hands, _ = self._search.values(len(hands[0]))
        starts = np.searchsorted(values[order], np.arange(len(value_hands) + 1))
        runs = Runs(starts[:-1], np.diff(starts))
        self._by_size[len(hands[0])] = results.offset + rows[order], runs

    def count_pairs(self, steps: BackwardSteps) -> int:
        """Return the number of pairs of results on some steps."""
        (_, left), (_, right) = (self._by_size[size] for size in steps.sizes)
        return int(left.lengths[steps.left] @ right.lengths[steps.right])

    def pairs(self, steps: BackwardSteps, rows: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield the pairs of results that can be the two operands of some steps, in batches.

        A step says which values its operands have; each value can be made by many results. For
        example, the step 4 x 6 pairs each way to make 4 with each way to make 6.

        Args:
            steps: Steps of the backward search; results of both sizes must have been added.
            rows: The rows of the steps to use.

        Yields:
            (indices, left, right): for each pair the index in `rows` of its step, and the positions
                in the chart of the two results.
        """
        (lefts, left_runs), (rights, right_runs) = (self._by_size[size] for size in steps.sizes)
        left, right = left_runs.select(steps.left[rows]), right_runs.select(steps.right[rows])
        sizes = left.lengths * right.lengths
        for batch in batches_of(sizes):
            outer, repeats, inner = left.select(batch).cross_join(right.select(batch))
            indices = np.arange(batch.start, batch.stop).repeat(sizes[batch])
            yield indices, lefts[outer].repeat(repeats), rights[inner]


class _StepBatch(NamedTuple):
    """Legal results of one operator, with the positions of their operands: columns."""

    level: int
    operator: Operator
    keys: Ints
    """The index of the hand of each result, or the number of its goal."""
    left: Ints
    right: Ints
    values: Column


class KeptResults(NamedTuple):
    """The selected results of one size."""

    size: int
    table: ResultTable
    rows: Sequence[int]
    """The selected rows of the table."""
    goals: Sequence[int]
    """The number of the goal of each row."""


class FunctionChart(Chart):
    """The functions of the sub-hands of some hands of one game, built size by size.

    Args:
        hands: The hands; sorted unless `in_order`.
        game: A game whose operators are rational functions.
        in_order: Whether the numbers of a hand keep their order.
        routes: Whether to store the derivations outside canonical form too, which weights need.
        search: A backward search for the roots of these hands; only its values are computed.
        budget: Limits pairs and bytes.

    Raises:
        RefusedError: The budget is exceeded, in any method that computes results.
    """

    def __init__(
        self,
        hands: Sequence[Hand],
        game: Game,
        in_order: bool = False,
        *,
        routes: bool = True,
        search: BackwardSearch | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._hands, self._search = hands, search
        self.levels = levels_for(game, in_order)
        # Routes have any grouping, as the formulas of numbers in a fixed order.
        all_groupings = levels_for(game, in_order=True)
        self._has_routes = routes or all_groupings == self.levels
        levels = all_groupings if routes else self.levels
        # For each operator code, a mask of the levels of its right operands; all, and canonical.
        self._right_levels = _right_levels_of(levels)
        self._canonical = _right_levels_of(self.levels) if levels != self.levels else None
        self.level_count = len(self.levels)
        self.operators = [operator for level in self.levels for operator in level.operators]
        self._codes = {operator: code for code, operator in enumerate(self.operators)}
        self._plans, runs_of_side = _plans_of(levels)
        dtype = integer_dtype(bounding_hand(hands), game)
        super().__init__(game, dtype, in_order, runs_of_side, budget)
        self._weight *= FUNCTION_WEIGHT
        roots = dict.fromkeys(root for hand in hands for root in root_hands(hand, game, in_order))
        self._root_sizes = sorted({len(root) for root in roots})
        self._hands_by_size = self._closure_by_size(roots)
        # Without parentheses, the left operand of the loosest operators is a prefix of the
        # formula. So no other span needs results with these operators.
        is_formula = in_order and not game.parentheses
        self._prefixes = {
            root[:size] for root in roots for size in range(1, len(root) + 1) if is_formula
        }
        dealt = [number for (number,) in self._hands_by_size[1]]
        self.fingerprints = FingerprintTable(fingerprints_of(dealt))
        empty = np.empty(0, np.int64)
        self.tables: list[ResultTable] = []
        """The results by size, from 1 to the largest size computed."""
        self._results_by_value = _ResultsByValue(search) if search else None
        self._levels = self.new_column(np.zeros(0, np.int8))
        self._add(
            1,
            ResultTable(
                offset=0,
                values=self._column(dealt),
                fingerprints=self.fingerprints.elements,
                nodes=np.arange(len(dealt)) * self.level_count,
                starts=np.zeros(len(dealt) + 1, np.int64),
                operators=self.operators,
                codes=empty,
                left=empty,
                right=empty,
            ),
        )

    def with_routes(self) -> "FunctionChart":
        """Return this chart if it has all routes, else a new, empty one of the same hands."""
        if self._has_routes:
            return self
        options: Any = {"search": self._search, "budget": self.budget}
        return FunctionChart(self._hands, self.game, self.in_order, **options)

    def _closure_by_size(self, roots: Iterable[Hand]) -> list[list[Hand]]:
        """Return the roots and all their sub-hands by size, from 0 (which has none)."""
        hands: list[list[Hand]] = [[] for _ in range(self._root_sizes[-1] + 1)]
        for part in sub_hand_closure(roots, self.in_order):
            hands[len(part)].append(part)
        return hands

    def hands_of_size(self, size: int) -> list[Hand]:
        """Return the sub-hands of a size, in the order of the nodes; [] above the largest."""
        return self._hands_by_size[size] if size < len(self._hands_by_size) else []

    def build(self, size: int) -> None:
        """Compute all results of all sub-hands of up to `size` numbers, unless they are there.

        They are added to the chart. Raises RefusedError over the budget.
        """
        for next_size in range(len(self.tables) + 1, size + 1):
            self._add(next_size, self._compute(next_size))

    def _add(self, size: int, results: ResultTable) -> None:
        """Append the results of all sub-hands of the next size to the chart.

        Raises RefusedError over the budget.
        """
        hands = self.hands_of_size(size)
        nodes = np.arange(len(hands) * self.level_count + 1)
        ends = results.offset + np.searchsorted(results.nodes, nodes)
        starts, stops = (part.reshape(-1, self.level_count) for part in (ends[:-1], ends[1:]))
        self.index_of.update(zip(hands, self.add_entries(hands, starts, stops), strict=True))
        self.values.extend(results.values)
        if size > 1:
            self.fingerprints.extend(results.fingerprints)
        self.tables.append(results)
        self._levels.extend((results.nodes % self.level_count).astype(np.int8))
        if self._results_by_value is not None:
            self._results_by_value.add(hands, results, self.level_count)

    def kept_results(
        self, selector_for: Callable[[Sequence[Hand]], Selector], goals: GoalSet | None = None
    ) -> Iterator[KeptResults]:
        """Yield the selected results of the complete hands, smaller sizes first.

        A hand has complete results of several sizes if not all of its numbers are required. Each
        size is computed when it is requested; of the largest, only the selected results are.

        Args:
            selector_for: A function that takes the sub-hands of one size and returns a filter of
                values, which selects results.
            goals: If given, the results one size smaller are limited too: to values that one
                operation can turn into a target (see `one_step_filter`).

        Raises:
            RefusedError: The budget is exceeded.
        """
        for size in self._root_sizes:
            can_filter = self._search is None and not self.game.negatives
            if size == self._root_sizes[-1] and goals is not None and can_filter:
                self._build_filtered(size - 1, goals)
            self.build(size - 1)
            selector = selector_for(self.hands_of_size(size))
            if size == 1:
                results = self.tables[0]
                rows, numbers = selector(results.values, np.arange(len(results.nodes)))
            else:
                results = self._compute(size, selector)
                rows = np.arange(len(results.nodes))
                numbers = results.nodes // self.level_count
            yield KeptResults(size, results, rows.tolist(), numbers.tolist())

    def count_known_solutions(self, size: int, goals: GoalSet, enough: int) -> int:
        """Return how many solutions have only parts of up to `size` numbers: a cheap lower bound.

        It is used to refuse a hand with too many solutions early. The results of parts of up to
        `size` numbers are computed and stored. Only solutions with all numbers are counted. Raises
        RefusedError over the budget.

        Args:
            size: The largest size of the two operands of the last step.
            goals: The targets of each hand.
            enough: The count that matters. If the bound is probably smaller, the result is 0. It is
                also 0 without a backward search, and for hands of one number.
        """
        hands = self.hands_of_size(self._root_sizes[-1])
        if self._results_by_value is None or self._search is None or len(hands[0]) == 1:
            return 0
        self.build(size)
        steps = [steps for steps in self._search.steps(len(hands[0])) if max(steps.sizes) <= size]
        # Few pairs make the same function, so that 1.5 times as many pairs are nearly always
        # enough.
        if 2 * sum(map(self._results_by_value.count_pairs, steps)) < 3 * enough:
            return 0
        derivations = self._derive(hands, goals.query_for(hands).select, size)
        self.budget.add_bytes(-len(derivations.nodes) * _BYTES_PER_DERIVATION)
        fingerprints = np.sort(derivations.fingerprints)
        return int(run_start_mask(fingerprints).sum())

    def _build_filtered(self, size: int, goals: GoalSet) -> None:
        """Compute and add sizes up to `size`, the last only with values one step from a goal.

        A last size that is there is not changed. Raises RefusedError over the budget.
        """
        self.build(size - 1)
        if size > len(self.tables):
            selector = one_step_filter(goals, size, self.hands_of_size(size))
            self._add(size, self._compute(size, selector))

    def table_at(self, position: int) -> tuple[ResultTable, int]:
        """Return (table, row) of a position in the chart, which must have a result."""
        tables = reversed(self.tables)
        table = next(table for table in tables if table.offset <= position)
        return table, position - table.offset

    def levels_at(self, positions: Ints) -> Ints:
        """Return the level of each position in the chart."""
        levels: Ints = self._levels[positions]
        return levels

    def _compute(self, size: int, selector: Selector | None = None) -> ResultTable:
        """Return the results of all sub-hands of one size; the caller adds them to the chart.

        Two results are different if they differ in sub-hand, level or function. With a selector,
        only selected results are returned, and they are different by goal instead of sub-hand. All
        smaller sizes must be in the chart. Raises RefusedError over the budget.
        """
        derivations = self._derive(self.hands_of_size(size), selector)
        order, starts = group_rows(derivations.nodes, derivations.fingerprints)
        codes, left, right = (column[order] for column in derivations[1:4])
        if self._canonical is not None:
            is_canonical = self._canonical[codes, self.levels_at(right)]
            codes = np.where(is_canonical, codes, ~codes)
        rows = order[starts]
        return ResultTable(
            len(self.values),
            derivations.values[rows],
            derivations.fingerprints[rows],
            derivations.nodes[rows],
            np.append(starts, len(order)),
            self.operators,
            codes,
            left,
            right,
        )

    def _derive(
        self, hands: Sequence[Hand], selector: Selector | None, max_part: int | None = None
    ) -> _Derivations:
        """Return every legal way to make a result of hands of one size from two parts.

        The same function can come several times: 1 + 2 + 3 comes as (1 + 2) + 3, (1 + 3) + 2 and (2
        + 3) + 1. With a selector, only selected results are returned. The memory of the rows stays
        counted in the budget. Raises RefusedError over the budget.

        Args:
            hands: Hands of one size.
            selector: A filter of values (None: no filter).
            max_part: With a backward search, the largest size of an operand (None: no limit).
        """
        empty = np.zeros(0, np.int64)
        no_elements, no_values = self.fingerprints.elements[:0], self.values[:0]
        blocks = [_Derivations(empty, empty, empty, empty, no_elements, no_values)]
        steps = (
            self._all_steps(hands, selector)
            if self._search is None
            else self._backward_steps(hands, selector, max_part)
        )
        for level, operator, keys, left, right, values in steps:
            elements = self.fingerprints.combine(operator, left, right, values)
            codes = np.full(len(keys), self._codes[operator], np.int8)
            nodes = keys * self.level_count + level
            blocks.append(_Derivations(nodes, codes, left, right, elements, values))
        *columns, values_of_blocks = zip(*blocks, strict=True)
        nodes, codes, left, right, elements = map(np.concatenate, columns)
        return _Derivations(nodes, codes, left, right, elements, join_columns(values_of_blocks))

    def _all_steps(self, hands: Sequence[Hand], selector: Selector | None) -> Iterator[_StepBatch]:
        """Yield the legal results of all pairs of operands, in batches.

        All parts of the hands must be in the chart. Raises RefusedError over the budget.

        Args:
            hands: Hands of one size.
            selector: A filter of values (None: no filter).
        """
        partitions = self.partitions(hands)
        is_prefix = np.array([not self._prefixes or hand in self._prefixes for hand in hands])
        for plan, operators in self._plans.items():
            plans, plan_partitions = {plan: operators}, partitions
            if operators[0][0] == self.level_count - 1 and not is_prefix.all():
                plan_partitions = partitions.select(is_prefix[partitions.hands].nonzero()[0])
            for batch in self.batches(plans, plan_partitions):
                for level, operator, pairs, rows, values in self.legal_steps(plans, batch):
                    keys = pairs.hands[rows]
                    if selector is not None:
                        # Selected results are distinct by goal, not by sub-hand.
                        selected, keys = selector(values, keys)
                        rows, values = rows[selected], values[selected]
                    if len(rows):
                        self.budget.add_bytes(len(rows) * _BYTES_PER_DERIVATION)
                        left, right = pairs.left[rows], pairs.right[rows]
                        values = reduce_column(values)
                        yield _StepBatch(level, operator, keys, left, right, values)

    def _backward_steps(
        self, hands: Sequence[Hand], selector: Selector | None, max_part: int | None
    ) -> Iterator[_StepBatch]:
        """Yield the results of the steps that the backward search found useful, in batches.

        Raises RefusedError over the budget.

        Args:
            hands: Hands of one size.
            selector: A filter of values (None: no filter).
            max_part: Steps with an operand of more numbers are left out (None: no limit).
        """
        assert self._search is not None
        assert self._results_by_value is not None
        level_of = {
            operator: index
            for index, level in enumerate(self.levels)
            for operator in level.operators
        }
        value_hands, all_values = self._search.values(len(hands[0]))
        hand_indices = self._search.indices_in(hands)[value_hands]
        for steps in self._search.steps(len(hands[0])):
            if max_part is not None and max(steps.sizes) > max_part:
                continue
            self.budget.add_pairs(len(steps.results), self._weight)
            keys, values = hand_indices[steps.results], all_values[steps.results]
            rows = np.arange(len(keys))
            if selector is not None:
                rows, keys = selector(values, keys)
                values = values[rows]
            operator = steps.operator
            allowed = self._right_levels[self._codes[operator]]
            for indices, left, right in self._results_by_value.pairs(steps, rows):
                is_allowed = allowed[self.levels_at(right)].nonzero()[0]
                self.budget.add_bytes(len(is_allowed) * _BYTES_PER_DERIVATION)
                indices, left, right = indices[is_allowed], left[is_allowed], right[is_allowed]
                level = level_of[operator]
                yield _StepBatch(level, operator, keys[indices], left, right, values[indices])

    def has_mirror(self, codes: Ints, left: Ints) -> Any:
        """Return a mask of the derivations that are stored with their operands swapped too.

        For example, 2 + 3 and 3 + 2. If the order of the numbers is fixed, there are none. The
        chart must have all routes.

        Args:
            codes: The operator code of each derivation.
            left: The position of its left operand.
        """
        if self.in_order:
            return np.zeros(len(left), bool)
        commutes = np.array([operator.commutes for operator in self.operators], bool)
        return commutes[codes] & self._right_levels[codes, self.levels_at(left)]


@lru_cache(64)
def _plans_of(levels: Sequence[Level]) -> tuple[OperandPlans, dict[Levels, list[range]]]:
    """Return the plans of levels, and the runs of each side; a run is one level."""
    plans = plans_for(levels, lambda level: [OperandPlan(level.lefts, level.rights)])
    sides = {side for plan in plans for side in plan[:2]}
    every = tuple(range(len(levels)))
    return plans, {side: _consecutive_runs(side) for side in (*sides, every)}


@lru_cache(64)
def _right_levels_of(levels: Sequence[Level]) -> Any:
    """Return a mask for each operator, in order, of the levels that its right operand can have."""
    masks = [
        [index in level.rights for index in range(len(levels))]
        for level in levels
        for _ in level.operators
    ]
    return np.array(masks, bool).reshape(-1, len(levels))


def _consecutive_runs(side: Levels) -> list[range]:
    """Return ascending levels as ranges of consecutive levels."""
    offsets = {level: level - index for index, level in enumerate(side)}
    runs = (list(run) for _, run in groupby(side, offsets.__getitem__))
    return [range(run[0], run[-1] + 1) for run in runs]
