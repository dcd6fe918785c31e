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
        """Return the ways to make the result in a row from two smaller results.

        Each way is (operator, left, right) with the positions of the two operands in the chart. For
        the result 1 + 2 + 3, the operands can be 1 + 2 and 3, 1 + 3 and 2, or 2 + 3 and 1. A number
        of the hand has no derivations: the list is empty. Derivations outside the canonical form,
        such as 1 + (2 + 3), are left out.
        """
        entries = slice(*self.starts[row : row + 2].tolist())
        codes, lefts = self.codes[entries].tolist(), self.left[entries].tolist()
        rights = self.right[entries].tolist()
        # The code of a derivation outside the canonical form is negative.
        return [
            (self.operators[code], left, right)
            for code, left, right in zip(codes, lefts, rights, strict=True)
            if code >= 0
        ]


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
        """Sort the results of all hands of one size by value, so that `pairs` finds them quickly.

        Several results can have the same value: 1 + 2 + 3 and 1 x 2 x 3 both have the value 6, and
        become neighbours. A result is left out if the backward search found that its value cannot
        lead to a target.

        Args:
            hands: The hands, all of the same number of cards.
            results: Their results.
            level_count: The number of levels of precedence. The table `results` has for each result
                a node: the index of its hand times this number, plus its level.
        """
        size = len(hands[0])
        hand_indices = results.nodes // level_count
        # A useful value leads to a target; it is identified by its index among all useful values.
        rows, useful_indices = self._search.find_useful(hands, hand_indices, results.values)
        order = np.argsort(useful_indices, kind="stable")
        useful_hands, _ = self._search.values(size)
        starts = np.searchsorted(useful_indices[order], np.arange(len(useful_hands) + 1))
        runs = Runs(starts[:-1], np.diff(starts))
        self._by_size[size] = results.offset + rows[order], runs

    def count_pairs(self, steps: BackwardSteps) -> int:
        """Return the number of pairs of results that can be the two operands of some steps.

        A step such as 4 x 6 gives the values of its operands. If 2 results have the value 4, and 5
        results have the value 6, this step has 10 pairs.
        """
        left_size, right_size = steps.sizes
        _, left_runs = self._by_size[left_size]
        _, right_runs = self._by_size[right_size]
        return int(left_runs.lengths[steps.left] @ right_runs.lengths[steps.right])

    def pairs(self, steps: BackwardSteps, rows: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield the pairs of results that can be the two operands of some steps, in batches.

        A step such as 4 x 6 gives the values of its operands. If 2 results, 1 + 3 and 8 : 2, have
        the value 4, and 5 results have the value 6, this step has 10 pairs.

        Args:
            steps: Steps by one operator. The results of the sizes of both operands must have been
                added.
            rows: The indices of the steps to use.

        Yields:
            (indices, left, right): three columns with a row for each pair. They have the index in
                `rows` of its step, and the positions in the chart of the left and right result.
        """
        left_size, right_size = steps.sizes
        left_positions, left_runs = self._by_size[left_size]
        right_positions, right_runs = self._by_size[right_size]
        # Each run has the results with the value of the left or right operand of one step.
        lefts = left_runs.select(steps.left[rows])
        rights = right_runs.select(steps.right[rows])
        pair_counts = lefts.lengths * rights.lengths
        for batch in batches_of(pair_counts):
            outer, repeats, inner = lefts.select(batch).cross_join(rights.select(batch))
            indices = np.arange(batch.start, batch.stop).repeat(pair_counts[batch])
            yield indices, left_positions[outer].repeat(repeats), right_positions[inner]


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
        budget: Limits pairs and bytes (default: only bytes, to `MAX_TABLE_BYTES`).

    Raises:
        RefusedError: The search takes more work or memory than allowed, in any method that computes
            results.
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
        """Return lists of the given hands and all their parts; list n has those of n numbers.

        For (2, 3) the lists are [], [(2,), (3,)] and [(2, 3)].
        """
        hands: list[list[Hand]] = [[] for _ in range(self._root_sizes[-1] + 1)]
        for part in sub_hand_closure(roots, self.in_order):
            hands[len(part)].append(part)
        return hands

    def hands_of_size(self, size: int) -> list[Hand]:
        """Return all hands of a size that the chart can have; [] above the largest size."""
        return self._hands_by_size[size] if size < len(self._hands_by_size) else []

    def build(self, size: int) -> None:
        """Compute the results of all hands of up to `size` numbers, and store them in the chart.

        Sizes that are stored already are not computed again. Raises RefusedError if the search
        takes more work or memory than allowed.
        """
        for next_size in range(len(self.tables) + 1, size + 1):
            self._add(next_size, self._compute(next_size))

    def _add(self, size: int, results: ResultTable) -> None:
        """Store the results of all hands of the next size in this chart, the table of all results.

        The results are sorted by node. There is one node for each hand and level of precedence:
        with 3 levels, the first hand has the nodes 0 to 2, the second has 3 to 5. The chart
        records at which positions the results of each node start and stop.

        Args:
            size: The number of cards of the hands: one more than in the last call.
            results: Their results.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        hands = self.hands_of_size(size)
        nodes = np.arange(len(hands) * self.level_count + 1)
        # The results of a node end where those of the next node start.
        limits = results.offset + np.searchsorted(results.nodes, nodes)
        starts = limits[:-1].reshape(-1, self.level_count)
        stops = limits[1:].reshape(-1, self.level_count)
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
        """Yield the results that complete solutions have, one table for each number of cards used.

        In a game that requires all cards, there is one table. Otherwise solutions can use 1, 2, ...
        cards, and the tables come in this order. Each table is computed when it is requested. Of
        the last table, only the selected results are computed.

        Args:
            selector_for: A function that gets a list of hands of one size and returns a selector.
                The selector is a function that gets results and selects some: usually those whose
                value is the target.
            goals: The targets of each hand, or None. If they are given and the game has no results
                below zero, the search is faster: hands that lack one card keep only values that one
                operation can turn into a target (6 is kept for 24 if the missing card is a 4).

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        max_size = self._root_sizes[-1]
        can_filter = self._search is None and not self.game.negatives
        for size in self._root_sizes:
            if size == max_size and goals is not None and can_filter:
                self._build_filtered(size - 1, goals)
            self.build(size - 1)
            selector = selector_for(self.hands_of_size(size))
            if size == 1:
                results = self.tables[0]
                rows, goal_numbers = selector(results.values, np.arange(len(results.nodes)))
            else:
                # Selected results have the number of their goal in place of a hand.
                results = self._compute(size, selector)
                rows = np.arange(len(results.nodes))
                goal_numbers = results.nodes // self.level_count
            yield KeptResults(size, results, rows.tolist(), goal_numbers.tolist())

    def count_known_solutions(self, size: int, goals: GoalSet, enough: int) -> int:
        """Return how many solutions end with a step whose operands have at most `size` numbers.

        With four numbers and `size` 2, (1 + 3) x (2 + 4) = 24 is counted, because both operands of
        x have two numbers. (1 + 2 + 3) x 4 = 24 is not counted. Only solutions with all numbers are
        counted. The count is never larger than the number of all solutions, and fast to compute: a
        caller can refuse a hand with too many solutions early.

        Args:
            size: The largest number of cards in an operand of the last step. The results of all
                smaller hands are computed and stored.
            goals: The targets of each hand.
            enough: The number of solutions that the caller needs. If a quick estimate shows that
                there are probably fewer, the exact count is not computed.

        Returns:
            The count, or 0 if it is probably less than `enough`. Also 0 if this object has no
            backward search, or if the hands have one number.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
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
        derivations = self._derive(hands, goals.query_for(hands).select, size)
        self.budget.add_bytes(-len(derivations.nodes) * _BYTES_PER_DERIVATION)
        # Equal fingerprints mean the same solution: count the distinct ones.
        fingerprints = np.sort(derivations.fingerprints)
        return int(run_start_mask(fingerprints).sum())

    def _build_filtered(self, size: int, goals: GoalSet) -> None:
        """Compute and store the results of hands of up to `size` numbers; filter the largest hands.

        The hands of the goals have one number more. So each hand of `size` numbers lacks one
        number, and keeps only the results that one operation with this number turns into a target.
        For example, to make 24 from 3 3 4 8, the hand 3 3 8 lacks the 4. It keeps only the results
        6 (6 x 4 = 24), 20 (20 + 4), 28 (28 - 4) and 96 (96 : 4). Smaller hands keep all results.
        Sizes that are stored already are not changed.

        Args:
            size: The number of cards in the largest hands of the goals, less one.
            goals: The hands, each with its target.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        self.build(size - 1)
        is_stored = len(self.tables) >= size
        if not is_stored:
            selector = one_step_filter(goals, size, self.hands_of_size(size))
            self._add(size, self._compute(size, selector))

    def table_at(self, position: int) -> tuple[ResultTable, int]:
        """Return the table with the result at a position of the chart, and its row in this table.

        The chart has one table after another. If the first has 4 rows, position 5 is row 1 of the
        second table.
        """
        tables = reversed(self.tables)
        table = next(table for table in tables if table.offset <= position)
        return table, position - table.offset

    def levels_at(self, positions: Ints) -> Ints:
        """Return the level of precedence of the result at each of some positions in the chart."""
        levels: Ints = self._levels[positions]
        return levels

    def _compute(self, size: int, selector: Selector | None = None) -> ResultTable:
        """Return a table of the different results of all hands of `size` numbers.

        Results are functions of the numbers: 1 + 2 + 3 and 3 + 2 + 1 are the same result, but
        1 x 2 x 3 is another one, although its value is 6, too. Equal functions have equal
        fingerprints. The ways to make a result are called its derivations: (1 + 2) + 3,
        (1 + 3) + 2 and (2 + 3) + 1. The table has them all.

        Two results are also different if they belong to different hands, or if their last operators
        have different levels of precedence. With a selector, only the results that it selects are
        returned, and each has the number of its goal (a hand with a target) in place of its hand.

        The results of all smaller hands must be in the chart; those of these hands are added by the
        caller. Raises RefusedError if the search takes more work or memory than allowed.
        """
        derivations = self._derive(self.hands_of_size(size), selector)
        # A node stands for a hand and a level of precedence. Equal results become neighbours.
        order, starts = group_rows(derivations.nodes, derivations.fingerprints)
        codes = derivations.codes[order]
        left, right = derivations.left[order], derivations.right[order]
        if self._canonical is not None:
            # Mark derivations outside the canonical form, such as 1 + (2 + 3), by a negative code.
            is_canonical = self._canonical[codes, self.levels_at(right)]
            codes = np.where(is_canonical, codes, ~codes)
        first_rows = order[starts]
        return ResultTable(
            offset=len(self.values),
            values=derivations.values[first_rows],
            fingerprints=derivations.fingerprints[first_rows],
            nodes=derivations.nodes[first_rows],
            starts=np.append(starts, len(order)),
            operators=self.operators,
            codes=codes,
            left=left,
            right=right,
        )

    def _derive(
        self, hands: Sequence[Hand], selector: Selector | None, max_operand_size: int | None = None
    ) -> _Derivations:
        """Return all ways to make the results of some hands by one operator from two operands.

        The operands are results of two parts of a hand. The same function can be made in several
        ways: 1 + 2 + 3 is made as (1 + 2) + 3, (1 + 3) + 2 and (2 + 3) + 1. Each way is a row of
        the returned columns, with the operator, the positions of the operands and the value. The
        memory of the rows remains counted in the budget, which limits the memory of the search.

        Args:
            hands: Hands of one size.
            selector: A function that selects the results to return, or None for all.
            max_operand_size: With a backward search, the largest number of cards in an operand.
                None means no limit.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        no_indices = np.zeros(0, np.int64)
        no_fingerprints, no_values = self.fingerprints.elements[:0], self.values[:0]
        no_rows = _Derivations(
            no_indices, no_indices, no_indices, no_indices, no_fingerprints, no_values
        )
        blocks = [no_rows]
        batches = (
            self._all_steps(hands, selector)
            if self._search is None
            else self._backward_steps(hands, selector, max_operand_size)
        )
        for level, operator, keys, left, right, values in batches:
            fingerprints = self.fingerprints.combine(operator, left, right, values)
            codes = np.full(len(keys), self._codes[operator], np.int8)
            # A key is the index of a hand, or the number of a goal if there is a selector. A node
            # stands for a key and a level of precedence.
            nodes = keys * self.level_count + level
            blocks.append(_Derivations(nodes, codes, left, right, fingerprints, values))
        *columns, value_columns = zip(*blocks, strict=True)
        nodes, codes, left, right, fingerprints = map(np.concatenate, columns)
        values = join_columns(value_columns)
        return _Derivations(nodes, codes, left, right, fingerprints, values)

    def _all_steps(self, hands: Sequence[Hand], selector: Selector | None) -> Iterator[_StepBatch]:
        """Apply each operator to all pairs of operands of some hands, and yield the legal results.

        The two operands of a step are results of two parts of a hand: for (1, 2, 3) a result of
        (1, 2) and the 3, a result of (1, 3) and the 2, and so on. The results of all parts must be
        stored in this chart already.

        Args:
            hands: Hands of one size.
            selector: A function that selects the results to yield, or None for all.

        Yields:
            Columns for one operator, with a row for each result: its value, the positions of its
            two operands in this chart, and its key. The key is the index of its hand, or the number
            of its goal (a hand with its target) if a selector is given.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        partitions = self.partitions(hands)
        is_prefix = np.array([not self._prefixes or hand in self._prefixes for hand in hands])
        for plan, operators in self._plans.items():
            plans, plan_partitions = {plan: operators}, partitions
            # Without parentheses, only hands at the start of the formula need results with + and -.
            plan_level, _ = operators[0]
            if plan_level == self.level_count - 1 and not is_prefix.all():
                prefix_rows = is_prefix[partitions.hands].nonzero()[0]
                plan_partitions = partitions.select(prefix_rows)
            for batch in self.batches(plans, plan_partitions):
                for level, operator, pairs, rows, values in self.legal_steps(plans, batch):
                    # Each pair of operands comes with the index of its hand.
                    keys = pairs.hands[rows]
                    if selector is not None:
                        # Selected results are distinct by goal, not by hand.
                        selected, keys = selector(values, keys)
                        rows, values = rows[selected], values[selected]
                    if len(rows):
                        self.budget.add_bytes(len(rows) * _BYTES_PER_DERIVATION)
                        left, right = pairs.left[rows], pairs.right[rows]
                        values = reduce_column(values)
                        yield _StepBatch(level, operator, keys, left, right, values)

    def _backward_steps(
        self, hands: Sequence[Hand], selector: Selector | None, max_operand_size: int | None
    ) -> Iterator[_StepBatch]:
        """Yield the results of those steps that a backward search found to lead to a target.

        A step is an operator with the values of its two operands, such as 4 x 6. Several results
        can have such a value: 1 + 3 and 8 : 2 have the value 4. So a step has many pairs of
        operands, and each pair is a row of a yielded item.

        Args:
            hands: Hands of one size.
            selector: A function that selects the results to yield, or None for all.
            max_operand_size: Steps with an operand of more cards are left out. None means no limit.

        Yields:
            Columns for one operator, with a row for each result: its value, the positions of its
            two operands in this chart, and its key. The key is the index of its hand, or the number
            of its goal (a hand with its target) if a selector is given.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        assert self._search is not None
        assert self._results_by_value is not None
        level_of = {
            operator: index
            for index, level in enumerate(self.levels)
            for operator in level.operators
        }
        size = len(hands[0])
        value_hands, all_values = self._search.values(size)
        # From each value to the index in `hands` of the hand that makes it.
        hand_indices = self._search.indices_in(hands)[value_hands]
        for steps in self._search.steps(size):
            if max_operand_size is not None and max(steps.sizes) > max_operand_size:
                continue
            self.budget.add_pairs(len(steps.results), self._weight)
            # `steps.results` has the index of the value that each step makes.
            keys, values = hand_indices[steps.results], all_values[steps.results]
            rows = np.arange(len(keys))
            if selector is not None:
                rows, keys = selector(values, keys)
                values = values[rows]
            operator = steps.operator
            level = level_of[operator]
            allowed_levels = self._right_levels[self._codes[operator]]
            for indices, left, right in self._results_by_value.pairs(steps, rows):
                # Some results must not be right operands, such as b - c in a - (b - c).
                is_allowed = allowed_levels[self.levels_at(right)].nonzero()[0]
                self.budget.add_bytes(len(is_allowed) * _BYTES_PER_DERIVATION)
                indices, left, right = indices[is_allowed], left[is_allowed], right[is_allowed]
                yield _StepBatch(level, operator, keys[indices], left, right, values[indices])

    def has_mirror(self, codes: Ints, left: Ints) -> Any:
        """Return a mask of the derivations that are also stored with their two operands exchanged.

        A derivation is an operator with two operands. The chart has both 2 + 3 and 3 + 2, which
        make the same result; 3 - 2 has no such mirror image. 2 + 2 is its own: it is in the mask,
        but stored once. If the order of the numbers is fixed, no derivation has a mirror image. The
        chart must have been created with `routes`.

        Args:
            codes: For each derivation, the index of its operator in `self.operators`.
            left: For each derivation, the position of its left operand in the chart.
        """
        if self.in_order:
            return np.zeros(len(left), bool)
        commutes = np.array([operator.commutes for operator in self.operators], bool)
        # The left operand can also be on the right if its level of precedence allows it.
        can_be_right = self._right_levels[codes, self.levels_at(left)]
        return commutes[codes] & can_be_right


@lru_cache(64)
def _plans_of(levels: Sequence[Level]) -> tuple[OperandPlans, dict[Levels, list[range]]]:
    """Return which levels of precedence the operands of each operator can have.

    A level is a group of operators that bind equally tightly, such as + and -.

    Returns:
        (plans, runs): `plans` groups the operators by the levels that their left operand and their
            right operand can have. `runs` has each such tuple of levels as a key, and also the
            tuple of all levels. The value is the same levels as ranges of consecutive integers: for
            (0, 2, 3) it is [range(0, 1), range(2, 4)].
    """
    plans = plans_for(levels, lambda level: [OperandPlan(level.lefts, level.rights)])
    level_tuples = {side for plan in plans for side in (plan.left, plan.right)}
    all_levels = tuple(range(len(levels)))
    return plans, {side: _consecutive_runs(side) for side in (*level_tuples, all_levels)}


@lru_cache(64)
def _right_levels_of(levels: Sequence[Level]) -> Any:
    """Return a matrix of bools: the levels of precedence that right operands can have.

    Row i, column j is true if the right operand of operator i can have level j. For example, the
    right operand of - can be a product, but not a sum without parentheses. The rows are in the
    order of the levels, and of the operators in each level.
    """
    masks = [
        [index in level.rights for index in range(len(levels))]
        for level in levels
        for _ in level.operators
    ]
    return np.array(masks, bool).reshape(-1, len(levels))


def _consecutive_runs(side: Levels) -> list[range]:
    """Return ascending integers as ranges of consecutive integers.

    >>> _consecutive_runs((0, 2, 3))
    [range(0, 1), range(2, 4)]
    """
    # An integer minus its index is constant in a run of consecutive integers.
    offsets = {level: level - index for index, level in enumerate(side)}
    runs = (list(run) for _, run in groupby(side, offsets.__getitem__))
    return [range(run[0], run[-1] + 1) for run in runs]
