"""Backward search: the values of sub-hands that lie on a path to a target.

It is for large hands, whose full tables do not fit into memory. It meets in the middle, in four
passes over the sizes of sub-hands:

1. forward: compute all values of sub-hands of up to half the numbers (`ValueChart`);
2. backward: from a value wanted of a sub-hand and a value of its smaller part, the inverse
   operator gives the only value that makes the larger part useful (any value for 0 / 0);
3. forward: keep the wanted values that can be reached;
4. backward: keep the values on a path to a target, and the steps between them.

For 3 3 8 8 with target 24, one partition is 3 and (3, 8, 8). So pass 2 wants of (3, 8, 8) the
values 21, 27, -21, 8, 72 and 1/8: with 3, one operation makes 24. In the end the only useful
value of (3, 8) is 8/3, for 8 / (3 - 8/3).

The result, `BackwardSearch`, is an exact filter of values by sub-hand for `by_function` and
`by_value`. Lookups are joins on sorted 64-bit hashes (`_ValueTable`) behind a Bloom filter. Time
is proportional to the pairs of wanted values and values of smaller parts. The game needs
parentheses, and an inverse for each operator (`allows_backward_search`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.by_value import ValueChart, ValueFilter
from crisps24.hands.chart import MAX_PAIRS_PER_SPLIT, PAIRS_PER_BATCH, Runs, batches_of, split_runs
from crisps24.hands.goals import BloomFilter, hash_column
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS, Operator, ResultRule, StepRule, obeys_result_rules
from crisps24.rules.partitions import partitions, sub_hand_closure
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    distinct_rows,
    equal_mask,
    exact_values,
    integer_bound,
    integer_columns,
    join_columns,
    largest_integer,
    make_column,
    mask_indices,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.work import Budget, pair_weight

_MASK_64_BITS = (1 << 64) - 1
# Bytes per wanted value, with its sub-hand and keys.
_BYTES_PER_WANTED_VALUE = 60
# Bytes per value of a table, with its sub-hand and keys.
_BYTES_PER_TABLE_VALUE = 60
# Wanted values above which equal ones are merged, whenever their number has doubled.
_MIN_VALUES_TO_MERGE = 1_000_000
_EMPTY = np.zeros(0, np.int64)


class _InverseStep(NamedTuple):
    """The rules of an inverse step: only the arithmetic must be exact."""

    fractions: bool
    positive: bool = False
    result_rules: tuple[ResultRule, ...] = ()
    operand_rules: tuple[StepRule, ...] = ()
    max_bits: int | None = None


class _PartitionColumns(NamedTuple):
    """Partitions of sub-hands, by the indices of sub-hands: columns."""

    whole: Ints
    small: Ints
    """The part with fewer numbers, whose values are all known."""
    large: Ints
    sizes: tuple[int, int]
    """The sizes of the smaller parts and of the larger ones."""
    small_on_right: bool

    def select(self, rows: Any) -> "_PartitionColumns":
        columns = {name: getattr(self, name)[rows] for name in self._fields[:3]}
        return self._replace(**columns)


class _RequiredValues(NamedTuple):
    """The values that larger parts need to make wanted values with smaller parts: columns."""

    sizes: tuple[int, int]
    """The sizes of the smaller parts and of the larger ones."""
    operator: Operator
    small_on_right: bool
    results: Ints
    """The positions of the wanted values."""
    small: Ints
    """The positions of the values of the smaller parts."""
    large: Ints
    """The indices of the larger parts."""
    values: Column | None
    """The values that the larger parts need; None if any value will do."""


class _Steps(NamedTuple):
    """Steps that make wanted values, by the positions of values: columns."""

    sizes: tuple[int, int]
    operator: Operator
    small_on_right: bool
    results: Ints
    small: Ints
    large: Ints


class BackwardSteps(NamedTuple):
    """Steps by one operator that make useful values from useful values: columns.

    Values are identified by their indices in `BackwardSearch.values` for the size.
    """

    operator: Operator
    sizes: tuple[int, int]
    """The sizes of the left parts and of the right parts."""
    results: Ints
    left: Ints
    right: Ints


def allows_backward_search(game: Game) -> bool:
    """Return whether a backward search is possible: parentheses, and an inverse operator for each.

    >>> from crisps24 import GAMES
    >>> allows_backward_search(GAMES["cards"]), allows_backward_search(GAMES["crisps"])
    (True, False)
    """
    return game.parentheses and all(operator.inverse for operator in game.row_operators)


class BackwardSearch:
    """The useful values of sub-hands: those on a path to a target, all computed when created.

    Args:
        roots: The sub-hands that can be complete solutions, each with its targets. Hands are
            sorted unless `in_order`.
        game: A game for which `allows_backward_search` is true.
        in_order: Whether the numbers of a hand keep their order.
        budget: Limits pairs and bytes.

    Raises:
        RefusedError: The search exceeds the budget.

    >>> from crisps24 import GAMES
    >>> search = BackwardSearch({(3, 3, 8, 8): [24]}, GAMES["cards"])
    >>> {hand: search.values_of(hand) for hand in search.hands if len(hand) == 2}
    {(3, 3): [], (3, 8): [Fraction(8, 3)], (8, 8): []}
    """

    def __init__(
        self,
        roots: Mapping[Hand, Collection[Exact]],
        game: Game,
        in_order: bool = False,
        *,
        budget: Budget | None = None,
    ) -> None:
        self.hands = sub_hand_closure(roots, in_order)
        """The roots and all their sub-hands, smaller ones first."""
        self._game = game
        self._in_order = in_order
        self._roots = roots
        self._index_of = {hand: index for index, hand in enumerate(self.hands)}
        self._sizes = np.array([len(hand) for hand in self.hands])
        largest_hand = self.hands[-1]
        self._max_size = len(largest_hand)
        self._bound = integer_bound(largest_hand, game)
        self._chart = ValueChart(game, largest_hand, in_order, budget=budget)
        self._budget = self._chart.budget
        self._weight = pair_weight(game.fractions, self._bound is None)
        known_size = max(1, self._max_size // 2)
        while (size := self._search_down(known_size)) > known_size:
            # If any value will do, all values of the larger part must be known.
            known_size = size
        for size in range(known_size + 1, self._max_size + 1):
            self._keep_reachable(size)
        self._useful_columns: dict[int, tuple[Ints, Column]] = {}
        self._useful_steps: dict[int, list[_Steps]] = {}
        self._useful_tables = self._mark_useful()

    def values_of(self, hand: Hand) -> list[Exact]:
        """Return the useful values of a sub-hand of the roots, ascending; [] if it has none."""
        return self._useful_tables[len(hand)].values_of(self._index_of[hand])

    def values(self, size: int) -> tuple[Ints, Column]:
        """Return the useful values of the sub-hands of a size: columns.

        Returns:
            (indices, values): the index of the sub-hand of each value, ascending, as `indices_in`
            uses them, and the value in lowest terms.
        """
        return self._useful_columns[size]

    def steps(self, size: int) -> Iterator[BackwardSteps]:
        """Yield the steps that make the useful values of all sub-hands of one size.

        Each item has the steps of one operator, and can be empty. Of a + b and b + a, and of a x b
        and b x a, both are yielded, unless the order of the numbers is fixed. For 3 3 8 8 and the
        target 24, the only step of size 2 is 8 / 3.
        """
        for sizes, operator, small_on_right, results, small, large in self._useful_steps[size]:
            smalls, larges = self._useful_index[small], self._useful_index[large]
            ends = (larges, smalls) if small_on_right else (smalls, larges)
            steps = BackwardSteps(
                operator, sizes[::-1] if small_on_right else sizes, results, *ends
            )
            yield steps
            if operator.commutes and not self._in_order and sizes[0] < sizes[1]:
                yield steps._replace(sizes=steps.sizes[::-1], left=steps.right, right=steps.left)

    def indices_in(self, hands: Sequence[Hand]) -> Ints:
        """Return a map from the indices of `values` to indices in a list of sub-hands.

        Entry i is the index in `hands` of the sub-hand with index i, and 0 if it is not there.
        """
        indices = np.zeros(len(self.hands), np.int64)
        indices[[self._index_of[hand] for hand in hands]] = np.arange(len(hands))
        return indices

    def find(self, hands: Sequence[Hand], indices: Ints, values: Column) -> tuple[Ints, Ints]:
        """Return the rows of useful values, and their places in the table of useful values.

        Args:
            hands: Sub-hands of one size.
            indices: For each value, the index in `hands` of the sub-hand that makes it.
            values: The values to look up; fractions need not be in lowest terms.

        Returns:
            (rows, places): the rows of `values` that are useful, ascending; and for each of these,
                its index in the columns that `values(size)` returns.
        """
        table, hand_indices = self._useful_table(hands)
        return table.find(hand_indices[indices], values)

    def filter_for(self, hands: Sequence[Hand]) -> ValueFilter:
        """Return a function that says which values of some sub-hands are useful.

        The function takes values and, for each, the index in `hands` of its sub-hand; it returns a
        mask of the useful ones. All sub-hands must have the same size.
        """
        table, hand_indices = self._useful_table(hands)

        def is_useful(values: Column, indices: Ints) -> Any:
            mask = np.zeros(len(values), bool)
            mask[table.find(hand_indices[indices], values)[0]] = True
            return mask

        return is_useful

    def _useful_table(self, hands: Sequence[Hand]) -> "tuple[_ValueTable, Ints]":
        """Return the table of useful values of the size of `hands`, and the indices of `hands`."""
        indices = np.array([self._index_of[hand] for hand in hands])
        return self._useful_tables[len(hands[0])], indices

    def _slice_of_size(self, size: int) -> slice:
        return slice(*np.searchsorted(self._sizes, (size, size + 1)).tolist())

    def _search_down(self, known_size: int) -> int:
        """Compute the values of small sub-hands, then the wanted values of larger ones.

        These are passes 1 and 2. A value of a sub-hand is wanted if one step with a value of the
        other part makes a wanted value of both parts together; the targets are the first wanted
        values. If the other value does not matter, as in 0 x anything = 0, all values of that
        sub-hand would be wanted. Then the pass stops and returns the size of that sub-hand: the
        caller repeats it with this size as `known_size`. Raises RefusedError over the budget.

        Args:
            known_size: The size up to which all values of sub-hands are computed.

        Returns:
            `known_size` if the pass is complete, else the size for the next attempt.
        """
        chart, game = self._chart, self._game
        small = [hand for hand in self.hands if len(hand) <= known_size]
        chart.add_hands(small)
        # For each sub-hand, the runs of its reachable values and of its wanted values.
        self._known, self._wanted = (Runs(*np.zeros((2, len(self.hands)), int)) for _ in range(2))
        for index, hand in enumerate(small):
            run = chart.slice_of(chart.index_of[hand])
            self._known.starts[index], self._known.lengths[index] = run.start, run.stop - run.start
        self._known_tables: dict[int, _ValueTable] = {}
        no_values = self._target_column([])
        wanted = [_WantedValues(no_values, self._budget) for _ in range(self._max_size + 1)]
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            wanted[len(root)].add(np.full(len(values), self._index_of[root]), values)
        for size in range(self._max_size, known_size, -1):
            self._add_runs(self._wanted, size, *wanted[size].pop_all())
            for required in self._required_values(size, known_size):
                large_size = required.sizes[1]
                if required.values is None:
                    return large_size
                values = reduce_column(required.values)
                legal = obeys_result_rules(values, game) & self._is_in_bounds(values)
                rows = mask_indices(legal, len(required.large))
                wanted[large_size].add(*_distinct([(required.large[rows], values[rows])]))
        return known_size

    def _target_column(self, targets: Collection[Exact]) -> Column:
        """Return targets as a column, ascending, without those that the game cannot make."""
        fractions = self._game.fractions
        possible = [target for target in sorted(targets) if fractions or isinstance(target, int)]
        values = make_column(possible, fractions, object)
        return values[mask_indices(self._is_in_bounds(values), len(possible))]

    def _is_in_bounds(self, values: Column) -> Any:
        """Return a mask of the values that the numbers are large enough to make; True for all."""
        mask: Any = True
        for part in integer_columns(values):
            mask = (self._bound is None or abs(part) <= self._bound) & mask
        return mask

    def _add_runs(self, runs: Runs, size: int, hands: Ints, values: Column) -> None:
        """Append values of the sub-hands of one size to the chart, and note where they are.

        Raises RefusedError over the budget.

        Args:
            runs: Gets the first position and the number of the values of each sub-hand.
            size: The size of the sub-hands.
            hands: For each value, the index of its sub-hand, ascending.
            values: The values.
        """
        of_size, first = self._slice_of_size(size), len(self._chart.values)
        self._chart.values.extend(values)
        indices = np.arange(of_size.start, of_size.stop + 1)
        ends = first + np.searchsorted(hands, indices)
        runs.starts[of_size], runs.lengths[of_size] = ends[:-1], np.diff(ends)

    def _required_values(self, size: int, min_size: int) -> Iterator[_RequiredValues]:
        """Yield the values that larger parts need, so that sub-hands make their wanted values.

        The other part of the sub-hand is the smaller one, whose values are known. For example, if
        (3, 8, 8) should make 21 and its part (3,) makes 3, then (8, 8) must make 18, 24, -18, 63, 7
        or 1/7. Larger parts of up to `min_size` numbers are left out. Raises RefusedError over the
        budget.

        Args:
            size: The size of the sub-hands.
            min_size: The size up to which the values of all parts are known.
        """
        for columns in self._partitions(size, min_size):
            wanted = self._wanted.select(columns.whole)
            for batch in self._batches(columns, wanted):
                yield from self._undo_steps(*batch)

    def _partitions(self, size: int, min_size: int = 0) -> Iterator[_PartitionColumns]:
        """Yield the partitions of sub-hands of one size into two parts, as columns.

        Each item has all partitions with the same sizes and the smaller part on the same side. Only
        sub-hands with wanted values are included. For (3, 8, 8) the partitions are 3 with (8, 8),
        and 8 with (3, 8), each with the smaller part on the left and on the right. Partitions whose
        larger part has at most `min_size` numbers are left out.
        """
        of_size = self._slice_of_size(size)
        indices = range(of_size.start, of_size.stop)
        wanted = [index for index in indices if self._wanted.lengths[index]]
        pairs_of = {index: partitions(self.hands[index], self._in_order) for index in wanted}
        for small_size in range(1, min(size // 2, size - min_size - 1) + 1):
            # Partitions into equal sizes are in the list in both orders.
            for on_right in (True, False)[: 1 + (2 * small_size < size)]:
                rows = [
                    (index, self._index_of[part], self._index_of[rest])
                    for index in wanted
                    for part, rest in (pair[::-1] if on_right else pair for pair in pairs_of[index])
                    if len(part) == small_size
                ]
                whole, small, large = np.array(rows, np.int64).reshape(-1, 3).T
                sizes = small_size, size - small_size
                yield _PartitionColumns(whole, small, large, sizes, on_right)

    def _batches(
        self, columns: _PartitionColumns, runs: Runs
    ) -> Iterator[tuple[_PartitionColumns, Runs]]:
        """Divide partitions into batches of about `PAIRS_PER_BATCH` pairs of values each.

        A pair is a value of the run of a partition and a value of its smaller part. A partition
        with more than `MAX_PAIRS_PER_SPLIT` pairs is divided over several batches.

        Args:
            columns: Partitions of sub-hands.
            runs: For each partition, a range of positions in the chart: of the values of its larger
                part, or of the wanted values of the whole sub-hand.
        """
        pairs = runs.lengths * self._known.lengths[columns.small]
        if pairs.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            sources, runs = split_runs(runs, -(-pairs // PAIRS_PER_BATCH))
            columns = columns.select(sources)
            pairs = runs.lengths * self._known.lengths[columns.small]
        for rows in batches_of(pairs):
            yield columns.select(rows), runs.select(rows)

    def _pairs(self, columns: _PartitionColumns, runs: Runs) -> tuple[Ints, Ints, Ints]:
        """Return each pair of a value in a run and a value of the smaller part, by their positions.

        Raises RefusedError over the budget.

        Returns:
            (run_positions, small_positions, pair_counts): the positions in the chart of the two
                values of each pair, partition after partition; and the number of pairs of each
                partition.
        """
        known = self._known.select(columns.small)
        outer, repeats, inner = runs.cross_join(known)
        operators = len(self._operators(columns.small_on_right))
        self._budget.add_pairs(len(inner) * operators, self._weight)
        return outer.repeat(repeats), inner, runs.lengths * known.lengths

    def _operators(self, small_on_right: bool) -> list[Operator]:
        """Return the operators to use in partitions with the smaller part on this side.

        Unless the order is fixed, commuting operators are used only with it on the right.
        """
        # If an operator commutes, partitions with the smaller part on the right are enough.
        operators = self._game.row_operators
        every = small_on_right or self._in_order
        return [operator for operator in operators if every or not operator.commutes]

    def _undo_steps(self, columns: _PartitionColumns, runs: Runs) -> Iterator[_RequiredValues]:
        """Yield, for each operator, the values that larger parts need to make wanted values.

        The inverse operator computes them: if 3 x ? should be 24, then ? is 24 / 3. The values can
        be illegal in the game. They are None where every value will do, as in 0 x ? = 0. Raises
        RefusedError over the budget.

        Args:
            columns: Partitions of sub-hands.
            runs: The wanted values of each whole sub-hand.
        """
        wanted, small, pairs = self._pairs(columns, runs)
        large, values = columns.large.repeat(pairs), self._chart.values
        results, smalls = _widen(values[wanted], values[small])
        on_right = columns.small_on_right
        for operator in self._operators(on_right):
            inverse, operands = operator, (smalls, results)
            if on_right or operator.commutes:
                inverse, operands = OPERATORS[operator.inverse], (results, smalls)
            required, legal = inverse.operate(*operands, _InverseStep(self._game.fractions))
            rows = mask_indices(legal, len(large))
            common = columns.sizes, operator, on_right
            yield _RequiredValues(*common, wanted[rows], small[rows], large[rows], required[rows])
            if inverse.divides:
                rows = ((operands[0] == 0) & (operands[1] == 0)).nonzero()[0]
                if len(rows):
                    yield _RequiredValues(*common, wanted[rows], small[rows], large[rows], None)

    def _steps(self, size: int) -> Iterator[_Steps]:
        """Yield the steps that make the wanted values of the sub-hands of one size.

        There are two ways to find them: compute every step between values of the two parts, or undo
        the wanted values with the values of the smaller part. Each partition takes the way with
        fewer pairs of values. Raises RefusedError over the budget.
        """
        wanted = self._table_of(self._wanted, size)
        for columns in self._partitions(size):
            fewer = self._known.lengths[columns.large] < self._wanted.lengths[columns.whole]
            runs = self._known.select(columns.large[fewer])
            for batch in self._batches(columns.select(fewer), runs):
                yield from self._forward_steps(*batch, wanted)
            runs = self._wanted.select(columns.whole[~fewer])
            for batch in self._batches(columns.select(~fewer), runs):
                for required in self._undo_steps(*batch):
                    yield self._confirmed_steps(required)

    def _forward_steps(
        self, columns: _PartitionColumns, runs: Runs, wanted: "_ValueTable"
    ) -> Iterator[_Steps]:
        """Compute each step between values of two parts, and yield those whose result is wanted.

        Raises RefusedError over the budget.

        Args:
            columns: Partitions of sub-hands.
            runs: The values of the larger part of each partition.
            wanted: The wanted values, by sub-hand.
        """
        large, small, pairs = self._pairs(columns, runs)
        whole, values = columns.whole.repeat(pairs), self._chart.values
        ends = values[large], values[small]
        left, right = ends if columns.small_on_right else ends[::-1]
        for operator in self._operators(columns.small_on_right):
            results, legal = operator.operate(left, right, self._game)
            rows = mask_indices(legal, len(whole))
            wanted_rows, positions = wanted.find(whole[rows], results[rows])
            rows = rows[wanted_rows]
            common = columns.sizes, operator, columns.small_on_right
            yield _Steps(*common, positions, small[rows], large[rows])

    def _confirmed_steps(self, required: _RequiredValues) -> _Steps:
        """Return the legal steps among required ones: those whose larger part can make its value.

        `_undo_steps` computes what the larger part must be worth. This method looks that value up,
        does the step by the rules of the game, and compares the result with the wanted value.
        Raises RefusedError over the budget.
        """
        values = self._chart.values
        if required.values is None:
            known = self._known.select(required.large)
            rows, large = np.arange(len(required.large)).repeat(known.lengths), known.positions
        else:
            table = self._known_table(required.sizes[1])
            rows, large = table.find(required.large, required.values)
        wanted, small = required.results[rows], required.small[rows]
        left, right = (large, small) if required.small_on_right else (small, large)
        results, legal = required.operator.operate(values[left], values[right], self._game)
        legal = legal & equal_mask(reduce_column(results), values[wanted])
        rows = mask_indices(legal, len(rows))
        return _Steps(*required[:3], wanted[rows], small[rows], large[rows])

    def _known_table(self, size: int) -> "_ValueTable":
        """Return the table of reachable values of the sub-hands of a size, from a cache.

        Raises RefusedError over the budget.
        """
        if size not in self._known_tables:
            self._known_tables[size] = self._table_of(self._known, size)
            self._budget.add_bytes(len(self._known_tables[size]) * _BYTES_PER_TABLE_VALUE)
        return self._known_tables[size]

    def _table_of(self, runs: Runs, size: int) -> "_ValueTable":
        hands, positions = self._positions(runs, size)
        self._budget.check_bytes(len(positions) * _BYTES_PER_TABLE_VALUE)
        return _ValueTable(hands, self._chart.values[positions], positions)

    def _positions(self, runs: Runs, size: int) -> tuple[Ints, Ints]:
        """Return columns (index of sub-hand, position) of all values in runs of a size."""
        of_size = self._slice_of_size(size)
        runs = runs.select(of_size)
        return np.arange(of_size.start, of_size.stop).repeat(runs.lengths), runs.positions

    def _flagged_positions(self, runs: Runs, size: int, flags: Ints) -> tuple[Ints, Ints]:
        """Return columns (index of sub-hand, position) of the flagged values in runs of a size.

        `flags` has a bool for each position in the chart.
        """
        hands, positions = self._positions(runs, size)
        rows = flags[positions].nonzero()[0]
        return hands[rows], positions[rows]

    def _keep_reachable(self, size: int) -> None:
        """Add the wanted values of one size that a legal step makes to the known values.

        This is pass 3; all smaller sizes must be done before. Raises RefusedError over the budget.
        """
        is_reachable = np.zeros(len(self._chart.values), bool)
        for steps in self._steps(size):
            is_reachable[steps.results] = True
        hands, positions = self._flagged_positions(self._wanted, size, is_reachable)
        self._add_runs(self._known, size, hands, self._chart.values[positions])

    def _mark_useful(self) -> "dict[int, _ValueTable]":
        """Keep the values on a path to a target and the steps between them, from the targets down.

        This is pass 4. It stores the columns and the steps of the useful values in this object, and
        replaces the wanted values. Raises RefusedError over the budget.

        Returns:
            For each size, a table of the useful values of its sub-hands.
        """
        self._budget.add_bytes(9 * len(self._chart.values))
        is_useful = np.zeros(len(self._chart.values), bool)
        # From the position of a useful value to its index in the columns of its size.
        self._useful_index = np.zeros(len(is_useful), np.int64)
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            indices = np.full(len(values), self._index_of[root])
            _, positions = self._known_table(len(root)).find(indices, values)
            is_useful[positions] = True
        tables = {}
        for size in range(self._max_size, 0, -1):
            hands, positions = self._flagged_positions(self._known, size, is_useful)
            self._useful_index[positions] = np.arange(len(positions))
            values = self._chart.values[positions]
            self._useful_columns[size] = hands, values
            self._budget.add_bytes(len(hands) * 2 * _BYTES_PER_TABLE_VALUE)
            tables[size] = _ValueTable(hands, values, np.arange(len(hands)))
            first = len(self._chart.values)
            self._add_runs(self._wanted, size, hands, values)
            self._useful_steps[size] = []
            for steps in self._steps(size):
                self._budget.add_bytes(3 * steps.results.nbytes)
                is_useful[steps.small] = is_useful[steps.large] = True
                self._useful_steps[size].append(steps._replace(results=steps.results - first))
        return tables


class _WantedValues:
    """The distinct wanted values of sub-hands of one size."""

    def __init__(self, no_values: Column, budget: Budget) -> None:
        self._budget = budget
        self._blocks = [(_EMPTY, no_values)]
        self._count, self._max_count = 0, _MIN_VALUES_TO_MERGE

    def add(self, hands: Ints, values: Column) -> None:
        """Add values with the indices of their sub-hands; RefusedError over the budget."""
        self._blocks.append((hands, values))
        self._charge(len(hands))
        if self._count > self._max_count:
            self._merge()
            self._max_count = max(_MIN_VALUES_TO_MERGE, 2 * self._count)

    def pop_all(self) -> tuple[Ints, Column]:
        """Remove and return the distinct (index, value) rows, ascending by index."""
        self._merge()
        self._charge(-self._count)
        return self._blocks.pop()

    def _charge(self, count: int) -> None:
        self._count += count
        self._budget.add_bytes(count * _BYTES_PER_WANTED_VALUE)

    def _merge(self) -> None:
        self._budget.check_bytes(self._count * _BYTES_PER_WANTED_VALUE)
        self._blocks = [_distinct(self._blocks)]
        self._charge(len(self._blocks[0][0]) - self._count)


class _ValueTable:
    """A lookup table from distinct (index of sub-hand, value) rows to positions.

    Rows are sorted by a 64-bit hash; if two hashes are equal, all rows are hashed again with
    another salt.
    """

    def __init__(self, hands: Ints, values: Column, positions: Ints) -> None:
        self._salt, keys = 0, _hash_rows(hands, values, 0)
        while not run_start_mask(np.sort(keys)).all():
            self._salt += 1
            keys = _hash_rows(hands, values, self._salt)
        order = np.argsort(keys)
        self._keys, self._hands = keys[order], hands[order]
        self._values, self._positions = values[order], positions[order]
        # Most values to find are not in the table.
        self._likely = BloomFilter(values, hands)

    def __len__(self) -> int:
        return len(self._keys)

    def values_of(self, hand: int) -> list[Exact]:
        return sorted(exact_values(self._values[self._hands == hand]))

    def find(self, hands: Ints, values: Column) -> tuple[Ints, Ints]:
        """Return the rows of the values that are in the table, ascending, and their positions.

        `hands` has, for each value, the index of its sub-hand: the table has values by sub-hand.
        """
        if not len(self):
            return _EMPTY, _EMPTY
        likely = self._likely.rows(values, hands)
        hands, values = hands[likely], reduce_column(values[likely])
        keys = _hash_rows(hands, values, self._salt)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        rows = (self._keys[places] == keys).nonzero()[0]
        places = places[rows]
        is_equal = self._hands[places] == hands[rows]
        is_equal &= equal_mask(self._values[places], values[rows])
        return likely[rows[is_equal]], self._positions[places[is_equal]]


def _hash_rows(hands: Ints, values: Column, salt: int) -> Ints:
    """Return a 64-bit hash of each pair of a sub-hand's index and a value.

    Another `salt` gives other hashes, for the rare case that two different pairs have the same.
    """
    keys = hash_column(hands + (salt << 32))
    for part in integer_columns(values):
        words = part & _MASK_64_BITS if part.dtype == object else part
        keys = hash_column(keys ^ words.astype(np.uint64))
    return keys


def _distinct(blocks: Sequence[tuple[Ints, Column]]) -> tuple[Ints, Column]:
    """Return the distinct (index, value) rows of one block or more, ascending by index."""
    hands = np.concatenate([block_hands for block_hands, _ in blocks])
    hands, values = distinct_rows(hands, join_columns([values for _, values in blocks]))
    return hands, values


def _widen(values: Column, others: Column) -> tuple[Column, Column]:
    """Return two columns as 64-bit integers, or as Python integers if a step could overflow."""
    is_narrow = 4 * largest_integer(values) * largest_integer(others) < 2**62
    wide = np.int64 if is_narrow else object
    return _as_dtype(values, wide), _as_dtype(others, wide)


def _as_dtype(values: Column, dtype: Any) -> Column:
    if isinstance(values, Ratios):
        return Ratios(*(part.astype(dtype) for part in integer_columns(values)))
    return values.astype(dtype)
