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
    """Ways to divide sub-hands into a smaller and a larger part: columns, a row for each way.

    A sub-hand is given by its index in `BackwardSearch.hands`.
    """

    whole_hands: Ints
    small_hands: Ints
    """The part with fewer numbers, whose values are all computed."""
    large_hands: Ints
    part_sizes: tuple[int, int]
    """How many numbers each smaller part has, and how many each larger part."""
    small_on_right: bool
    """Whether the smaller part is the right operand."""

    def select(self, rows: Any) -> "_PartitionColumns":
        """Return the partitions in some rows, given as indices, a mask or a slice."""
        return self._replace(
            whole_hands=self.whole_hands[rows],
            small_hands=self.small_hands[rows],
            large_hands=self.large_hands[rows],
        )


class _RequiredValues(NamedTuple):
    """The values that larger parts need to make wanted values with smaller parts: columns.

    For 24 = 3 x ?, a row has the wanted value 24, the value 3 of the smaller part, and the required
    value 8 of the larger part.
    """

    part_sizes: tuple[int, int]
    """How many numbers each smaller part has, and how many each larger part."""
    operator: Operator
    small_on_right: bool
    """Whether the smaller part is the right operand."""
    wanted_positions: Ints
    """The positions of the wanted values in the chart, which is the table of all values."""
    small_positions: Ints
    """The positions of the values of the smaller parts in the chart."""
    large_hands: Ints
    """The indices of the larger parts in `BackwardSearch.hands`."""
    values: Column | None
    """The values that the larger parts need; None if any value will do."""


class _Steps(NamedTuple):
    """Steps that make wanted values: columns of positions in the chart, the table of all values."""

    part_sizes: tuple[int, int]
    """How many numbers each smaller part has, and how many each larger part."""
    operator: Operator
    small_on_right: bool
    """Whether the smaller part is the right operand."""
    result_positions: Ints
    small_positions: Ints
    large_positions: Ints


class BackwardSteps(NamedTuple):
    """Steps by one operator between values that occur in solutions: columns.

    A value is given by its index in the columns that `BackwardSearch.values(size)` returns, for the
    size of its sub-hand.
    """

    operator: Operator
    sizes: tuple[int, int]
    """The sizes of the left parts and of the right parts."""
    results: Ints
    left: Ints
    right: Ints


def allows_backward_search(game: Game) -> bool:
    """Return whether a game allows a backward search.

    The game must have parentheses, and each operator must have an inverse, as + has -. Then an
    operand follows from the result and the other operand. The game crisps has no parentheses:

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
        budget: Limits pairs and bytes (default: only bytes, to `MAX_TABLE_BYTES`).

    Raises:
        RefusedError: The search takes more work or memory than allowed.

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
        computed_size = max(1, self._max_size // 2)
        # If any value of a part will do, all values of its size must be computed first.
        while (required_size := self._search_down(computed_size)) > computed_size:
            computed_size = required_size
        for size in range(computed_size + 1, self._max_size + 1):
            self._keep_reachable(size)
        self._useful_columns: dict[int, tuple[Ints, Column]] = {}
        self._useful_steps: dict[int, list[_Steps]] = {}
        self._useful_tables = self._mark_useful()

    def values_of(self, hand: Hand) -> list[Exact]:
        """Return the values of a sub-hand that occur in a solution, ascending; [] if it has none.

        For 3 3 8 8 with target 24, (3, 8) has only 8/3: the solution is 8 : (3 - 8 : 3).
        """
        return self._useful_tables[len(hand)].values_of(self._index_of[hand])

    def values(self, size: int) -> tuple[Ints, Column]:
        """Return the values of the sub-hands of a size that occur in a solution, as columns.

        For 3 3 8 8 with target 24, the useful values of one number are 3 and 8, those of the
        sub-hands (3,) and (8,), which are the first two of `self.hands`. So `values(1)` returns the
        indices 0 and 1, and the values 3 and 8. A value of two sub-hands has two rows.

        Returns:
            (indices, values): the index in `self.hands` of the sub-hand of each value, ascending,
                and the value in lowest terms.
        """
        return self._useful_columns[size]

    def steps(self, size: int) -> Iterator[BackwardSteps]:
        """Yield the steps that make the useful values of all sub-hands of `size` numbers.

        A value is useful if it occurs in a solution. Each item has the steps of one operator, and
        can be empty. For 3 3 8 8 with target 24, the only step of size 2 is 8 : 3, that of size 3
        is 3 - 8/3, and that of size 4 is 8 : 1/3. A step of + or x is also yielded with its two
        operands exchanged, unless the order of the numbers is fixed.
        """
        for steps in self._useful_steps[size]:
            small_indices = self._useful_index[steps.small_positions]
            large_indices = self._useful_index[steps.large_positions]
            small_size, large_size = steps.part_sizes
            if steps.small_on_right:
                sizes, left, right = (large_size, small_size), large_indices, small_indices
            else:
                sizes, left, right = (small_size, large_size), small_indices, large_indices
            yield BackwardSteps(steps.operator, sizes, steps.result_positions, left, right)
            # The search uses commuting operators with the smaller part on the right only.
            if steps.operator.commutes and not self._in_order and small_size < large_size:
                yield BackwardSteps(
                    steps.operator, sizes[::-1], steps.result_positions, right, left
                )

    def indices_in(self, hands: Sequence[Hand]) -> Ints:
        """Return a map from indices in `self.hands` to indices in another list of sub-hands.

        Entry i is the index in `hands` of the sub-hand `self.hands[i]`, or 0 if it is not in that
        list. For 3 3 8 8, `self.hands` starts with (3,), (8,), (3, 3), (3, 8) and (8, 8). For the
        list (3, 8), (8, 8) the map is 0, 0, 0, 0, 1, 0, 0, 0.
        """
        indices = np.zeros(len(self.hands), np.int64)
        indices[[self._index_of[hand] for hand in hands]] = np.arange(len(hands))
        return indices

    def find_useful(
        self, hands: Sequence[Hand], indices: Ints, values: Column
    ) -> tuple[Ints, Ints]:
        """Find out which values are useful, that is, occur in a solution.

        For 3 3 8 8 with target 24, the only solution is 8 : (3 - 8 : 3), so that 8/3 is the only
        useful value of the sub-hand (3, 8). For the values 11, 8/3 and 24 of (3, 8), this returns
        ([1], [0]): the value in row 1 is useful, and is number 0 of the useful values of all
        sub-hands with two numbers.

        Args:
            hands: Sub-hands of one size.
            indices: For each value, the index in `hands` of the sub-hand that makes it.
            values: The values to look up; fractions need not be in lowest terms.

        Returns:
            (rows, useful_indices): the rows of `values` that are useful, ascending; and for each of
                these, its index in the columns that `self.values(size)` returns.
        """
        # The table has the useful values of all sub-hands of this size. It identifies a sub-hand by
        # its index in `self.hands`, which `hand_indices` has for each of `hands`.
        table, hand_indices = self._useful_table(hands)
        return table.find(hand_indices[indices], values)

    def filter_for(self, hands: Sequence[Hand]) -> ValueFilter:
        """Return a function that finds the useful values of some sub-hands, as a mask.

        A value is useful if it occurs in a solution. The function takes a column of values and, for
        each value, the index in `hands` of its sub-hand. It returns True for each useful value and
        False for the others. For 3 3 8 8 with target 24 and the values 11, 8/3 and 24 of (3, 8), it
        returns False, True, False. All sub-hands must have the same size.
        """
        table, hand_indices = self._useful_table(hands)

        def is_useful(values: Column, indices: Ints) -> Any:
            mask = np.zeros(len(values), bool)
            useful_rows, _ = table.find(hand_indices[indices], values)
            mask[useful_rows] = True
            return mask

        return is_useful

    def _useful_table(self, hands: Sequence[Hand]) -> "tuple[_ValueTable, Ints]":
        """Return a lookup table of useful values, and the index in `self.hands` of each of `hands`.

        All `hands` have the same size. The table has the values that occur in a solution, for all
        sub-hands of this size.
        """
        indices = np.array([self._index_of[hand] for hand in hands])
        return self._useful_tables[len(hands[0])], indices

    def _slice_of_size(self, size: int) -> slice:
        """Return the slice of `self.hands` that has the sub-hands of `size` numbers."""
        return slice(*np.searchsorted(self._sizes, (size, size + 1)).tolist())

    def _search_down(self, computed_size: int) -> int:
        """Compute all values of small sub-hands, then the values that are wanted of larger ones.

        A value of a sub-hand is wanted if one step with a value of the other numbers can lead from
        it to a target, or to another wanted value. For 3 3 8 8 with target 24, the wanted values of
        (3, 8, 8) are -21, 1/8, 8, 21, 27 and 72: one step with 3 turns each of them into 24. The
        sub-hands are searched from the largest to the smallest.

        If the other value is 0, any value leads from 0 x ? to 0, so that all values of the sub-hand
        are wanted. In this case the search stops: all values of this size must be computed first.

        Args:
            computed_size: All values of sub-hands of up to this many numbers are computed.

        Returns:
            `computed_size` if the search is complete. Otherwise a larger size, with which the
            caller must call this method again.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        chart = self._chart
        small_hands = [hand for hand in self.hands if len(hand) <= computed_size]
        chart.add_hands(small_hands)
        # For each sub-hand, where its reachable values and its wanted values are in the chart.
        self._reachable_runs = Runs(*np.zeros((2, len(self.hands)), int))
        self._wanted_runs = Runs(*np.zeros((2, len(self.hands)), int))
        for index, hand in enumerate(small_hands):
            run = chart.slice_of(chart.index_of[hand])
            self._reachable_runs.starts[index] = run.start
            self._reachable_runs.lengths[index] = run.stop - run.start
        self._reachable_tables: dict[int, _ValueTable] = {}
        # The wanted values of each size; the targets are the first of them.
        no_values = self._target_column([])
        wanted_of_size = [_WantedValues(no_values, self._budget) for _ in range(self._max_size + 1)]
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            wanted_of_size[len(root)].add(np.full(len(values), self._index_of[root]), values)
        for size in range(self._max_size, computed_size, -1):
            self._add_runs(self._wanted_runs, size, *wanted_of_size[size].pop_all())
            for required in self._required_values(size, computed_size):
                _, large_size = required.part_sizes
                if required.values is None:
                    return large_size
                values = reduce_column(required.values)
                legal = obeys_result_rules(values, self._game) & self._is_in_bounds(values)
                rows = mask_indices(legal, len(required.large_hands))
                distinct_values = _distinct([(required.large_hands[rows], values[rows])])
                wanted_of_size[large_size].add(*distinct_values)
        return computed_size

    def _target_column(self, targets: Collection[Exact]) -> Column:
        """Return targets as a column, ascending, without those that the game cannot make.

        Fractions are left out if the game has none, and targets that are too large for the numbers:
        of 24, 1/2 and 100,000,000 for 3 3 8 8 in the game countdown, only 24 is returned.
        """
        fractions = self._game.fractions
        possible = [target for target in sorted(targets) if fractions or isinstance(target, int)]
        values = make_column(possible, fractions, object)
        return values[mask_indices(self._is_in_bounds(values), len(possible))]

    def _is_in_bounds(self, values: Column) -> Any:
        """Return a mask of the values that the numbers are large enough to make; True for all.

        Both the numerator and the denominator of a fraction must be within the bound.
        """
        mask: Any = True
        if self._bound is not None:
            for integers in integer_columns(values):
                mask = (abs(integers) <= self._bound) & mask
        return mask

    def _add_runs(self, runs: Runs, size: int, hand_indices: Ints, values: Column) -> None:
        """Append values of the sub-hands of one size to the chart, and record where they are.

        The chart is a long column of values. The values of a sub-hand are a run: consecutive rows,
        given by the first row and the number of rows. If the chart has 100 values and those of the
        sub-hands 5, 5 and 7 are appended, then the run of sub-hand 5 is (100, 2), that of 6 is
        (102, 0), and that of 7 is (102, 1).

        Args:
            runs: The object that records the run of each sub-hand.
            size: The number of numbers of each sub-hand.
            hand_indices: For each value, the index of its sub-hand, ascending.
            values: The values.

        Raises:
            RefusedError: The search takes more memory than allowed.
        """
        first_row = len(self._chart.values)
        self._chart.values.extend(values)
        size_slice = self._slice_of_size(size)
        boundary_indices = np.arange(size_slice.start, size_slice.stop + 1)
        # The values of sub-hand i come before those of sub-hand i + 1.
        boundaries = first_row + np.searchsorted(hand_indices, boundary_indices)
        runs.starts[size_slice], runs.lengths[size_slice] = boundaries[:-1], np.diff(boundaries)

    def _required_values(self, size: int, computed_size: int) -> Iterator[_RequiredValues]:
        """Yield the values that the larger part of a sub-hand needs to make a wanted value.

        A sub-hand is some numbers of the hand. Its value is wanted if it can lead to a target, the
        value of a solution. It is divided into two parts in all ways. The values of the smaller
        part are computed already, and the operators are undone: if (3, 8, 8) should make 21 and one
        part is 3, then (8, 8) must make 18 for 18 + 3, 24 for 24 - 3, 7 for 7 x 3, 63 for 63 : 3,
        -18 for 3 - -18, or 1/7 for 3 : 1/7.

        Args:
            size: Sub-hands of this many numbers are divided.
            computed_size: Larger parts of at most this many numbers are left out, because all
                their values are computed already.

        Yields:
            Columns for one operator and some of the ways to divide: each row has a wanted value, a
                value of the smaller part, and the value that the larger part needs. For 24 = 3 x ?
                these are 24, 3 and 8.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        for partitions_of_size in self._partitions(size, computed_size):
            wanted_runs = self._wanted_runs.select(partitions_of_size.whole_hands)
            for batch, batch_runs in self._batches(partitions_of_size, wanted_runs):
                yield from self._undo_steps(batch, batch_runs)

    def _partitions(self, size: int, max_left_out: int = 0) -> Iterator[_PartitionColumns]:
        """Yield all ways to divide the sub-hands of one size into a smaller and a larger part.

        For (3, 8, 8) the ways are 3 with (8, 8), and 8 with (3, 8), each with the smaller part on
        the right and on the left. Each item has the ways with the same sizes of parts and the same
        side: first those with the smaller part on the right, then those with it on the left. Only
        sub-hands that have a wanted value are divided.

        Args:
            size: Sub-hands of this many numbers are divided.
            max_left_out: Ways whose larger part has at most this many numbers are left out.

        Yields:
            Columns with a row for each way: the indices of the sub-hand, of its smaller part and of
                its larger part in `self.hands`; with the sizes of the parts, and the side.
        """
        size_slice = self._slice_of_size(size)
        hand_indices = range(size_slice.start, size_slice.stop)
        wanted_hands = [index for index in hand_indices if self._wanted_runs.lengths[index]]
        # Two parts that can be exchanged are in the list in both orders.
        pairs_of = {index: partitions(self.hands[index], self._in_order) for index in wanted_hands}
        max_small_size = min(size // 2, size - max_left_out - 1)
        for small_size in range(1, max_small_size + 1):
            # With two parts of equal size, the left one counts as the larger part.
            has_equal_parts = 2 * small_size == size
            for small_on_right in (True,) if has_equal_parts else (True, False):
                rows = []
                for index in wanted_hands:
                    for left, right in pairs_of[index]:
                        small, large = (right, left) if small_on_right else (left, right)
                        if len(small) == small_size:
                            rows.append((index, self._index_of[small], self._index_of[large]))
                whole_hands, small_hands, large_hands = np.array(rows, np.int64).reshape(-1, 3).T
                part_sizes = small_size, size - small_size
                yield _PartitionColumns(
                    whole_hands, small_hands, large_hands, part_sizes, small_on_right
                )

    def _batches(
        self, partitions_of_size: _PartitionColumns, runs: Runs
    ) -> Iterator[tuple[_PartitionColumns, Runs]]:
        """Divide partitions into batches of about `PAIRS_PER_BATCH` (200,000) pairs of values.

        A partition divides a sub-hand into a smaller and a larger part. A pair is a value of the
        smaller part and a value of the partition's run, which is a range of rows in the table of
        values. So a run of 3,000 rows and a smaller part with 40 values have 120,000 pairs. Three
        partitions with 120,000, 70,000 and 50,000 pairs give two batches: two partitions, and one.
        A partition with over `MAX_PAIRS_PER_SPLIT` (two million) pairs is divided over several
        batches: its run is cut into pieces.

        Args:
            partitions_of_size: The partitions.
            runs: The run of each partition: the values of its larger part, or the values that are
                wanted of the whole sub-hand.

        Yields:
            (partitions, runs): the partitions of a batch, and the run of each.
        """
        reachable_counts = self._reachable_runs.lengths
        pair_counts = runs.lengths * reachable_counts[partitions_of_size.small_hands]
        if pair_counts.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            # This quotient is rounded up.
            piece_counts = -(-pair_counts // PAIRS_PER_BATCH)
            partition_rows, runs = split_runs(runs, piece_counts)
            partitions_of_size = partitions_of_size.select(partition_rows)
            pair_counts = runs.lengths * reachable_counts[partitions_of_size.small_hands]
        for rows in batches_of(pair_counts):
            yield partitions_of_size.select(rows), runs.select(rows)

    def _pairs(self, batch: _PartitionColumns, runs: Runs) -> tuple[Ints, Ints, Ints]:
        """Pair each value of a run with each value of the smaller part, for each partition.

        A partition divides some numbers of the hand into a smaller and a larger part. A run is a
        range of rows in the chart, the table of all values. If the run of a partition is rows 10
        and 11, and the values of its smaller part are rows 70 to 72, this returns
        ([10, 10, 10, 11, 11, 11], [70, 71, 72, 70, 71, 72], [6]).

        Args:
            batch: The partitions: a row for each of them.
            runs: The run of each partition.

        Returns:
            (run_positions, small_positions, pair_counts): the rows of the two values of each pair,
                partition after partition; and the number of pairs of each partition.

        Raises:
            RefusedError: The search combines more pairs of values than allowed.
        """
        small_runs = self._reachable_runs.select(batch.small_hands)
        run_positions, repeats, small_positions = runs.cross_join(small_runs)
        operator_count = len(self._operators(batch.small_on_right))
        self._budget.add_pairs(len(small_positions) * operator_count, self._weight)
        pair_counts = runs.lengths * small_runs.lengths
        return run_positions.repeat(repeats), small_positions, pair_counts

    def _operators(self, small_on_right: bool) -> list[Operator]:
        """Return the operators to use with the smaller part of a sub-hand on this side.

        A commuting operator needs only one side: 2 + 9 makes 9 + 2 superfluous. So with the smaller
        part on the left, only - and : are used, unless the order of the numbers is fixed.
        """
        operators = self._game.row_operators
        if small_on_right or self._in_order:
            return list(operators)
        return [operator for operator in operators if not operator.commutes]

    def _undo_steps(self, batch: _PartitionColumns, runs: Runs) -> Iterator[_RequiredValues]:
        """Yield the values that one part of a hand needs to make wanted values with the other part.

        A value is wanted if it can lead to a target, the value of a solution. The values of the
        smaller part are known, and those of the larger part are computed: if 3 x ? should be 24,
        the inverse operator gives 24 : 3. If the smaller part is on the left of - or :, the same
        operator does it: for 3 - ? = 24, ? is 3 - 24. Some of these values break the rules of the
        game; the caller must leave them out.

        Args:
            batch: Ways to divide numbers of a hand into a smaller and a larger part: a row each.
            runs: For each row of `batch`, the range of rows in the chart, the table of all values,
                that has the values wanted of all these numbers together.

        Yields:
            Columns for one operator: each row has a wanted value, a value of the smaller part, and
                the value that the larger part needs, such as 24, 3 and 8. If any value will do, as
                in 0 x ? = 0, the column of needed values is None. For some operators there are two
                items.

        Raises:
            RefusedError: The search combines more pairs of values than allowed.
        """
        values = self._chart.values
        wanted_positions, small_positions, pair_counts = self._pairs(batch, runs)
        large_hands = batch.large_hands.repeat(pair_counts)
        wanted_values, small_values = _widen(values[wanted_positions], values[small_positions])
        for operator in self._operators(batch.small_on_right):
            if batch.small_on_right or operator.commutes:
                inverse = OPERATORS[operator.inverse]
                left, right = wanted_values, small_values
            else:
                inverse = operator
                left, right = small_values, wanted_values
            required, is_exact = inverse.operate(left, right, _InverseStep(self._game.fractions))
            rows = mask_indices(is_exact, len(large_hands))
            common = batch.part_sizes, operator, batch.small_on_right
            yield _RequiredValues(
                *common,
                wanted_positions[rows],
                small_positions[rows],
                large_hands[rows],
                required[rows],
            )
            if inverse.divides:
                # 0 : 0 has no value, because any value solves 0 x ? = 0.
                rows = ((left == 0) & (right == 0)).nonzero()[0]
                if len(rows):
                    yield _RequiredValues(
                        *common,
                        wanted_positions[rows],
                        small_positions[rows],
                        large_hands[rows],
                        None,
                    )

    def _steps(self, size: int) -> Iterator[_Steps]:
        """Yield the last steps that make the wanted values of the sub-hands of one size.

        A value is wanted if it can lead to a target. For (3, 3, 8) and the wanted value 1/3, the
        only step is 3 - 8/3. A sub-hand is divided into a smaller and a larger part in all ways,
        and each way is searched by the faster of two methods:

        - Forward: compute all steps between the values of the two parts, and keep those whose
          result is wanted. This is faster if the larger part has 5 values and 100 are wanted.
        - Backward: compute from each wanted value and each value of the smaller part which value of
          the larger part is required, and look it up there.

        Args:
            size: The number of numbers of each sub-hand. The values of all smaller sub-hands must
                be known.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        reachable_runs, wanted_runs = self._reachable_runs, self._wanted_runs
        wanted_table = self._table_of(wanted_runs, size)
        for ways in self._partitions(size):
            large_counts = reachable_runs.lengths[ways.large_hands]
            wanted_counts = wanted_runs.lengths[ways.whole_hands]
            is_forward = large_counts < wanted_counts
            forward_ways, backward_ways = ways.select(is_forward), ways.select(~is_forward)
            large_runs = reachable_runs.select(forward_ways.large_hands)
            for batch, batch_runs in self._batches(forward_ways, large_runs):
                yield from self._forward_steps(batch, batch_runs, wanted_table)
            whole_runs = wanted_runs.select(backward_ways.whole_hands)
            for batch, batch_runs in self._batches(backward_ways, whole_runs):
                for required in self._undo_steps(batch, batch_runs):
                    yield self._confirmed_steps(required)

    def _forward_steps(
        self, batch: _PartitionColumns, large_runs: Runs, wanted_table: "_ValueTable"
    ) -> Iterator[_Steps]:
        """Compute all steps between the values of two parts, and yield those with a wanted result.

        A result is wanted if it can lead to a target. For the parts (3, 8) and 3 of a sub-hand with
        the wanted value 1/3, the values of (3, 8) are -5, 3/8, 5, 8/3, 11 and 24. Of all steps
        between them and 3, only 3 - 8/3 makes 1/3.

        Args:
            batch: Ways to divide sub-hands into a smaller and a larger part: a row for each.
            large_runs: For each row of `batch`, where the values of its larger part are in the
                chart, the table of all values.
            wanted_table: A lookup table that finds the wanted values of each sub-hand.

        Yields:
            The steps of one operator: columns with the positions of the result and of the two
                operands in the chart.

        Raises:
            RefusedError: The search combines more pairs of values than allowed.
        """
        large_positions, small_positions, pair_counts = self._pairs(batch, large_runs)
        whole_hands, values = batch.whole_hands.repeat(pair_counts), self._chart.values
        left, right = values[large_positions], values[small_positions]
        if not batch.small_on_right:
            left, right = right, left
        for operator in self._operators(batch.small_on_right):
            results, legal = operator.operate(left, right, self._game)
            legal_rows = mask_indices(legal, len(whole_hands))
            wanted_rows, result_positions = wanted_table.find(
                whole_hands[legal_rows], results[legal_rows]
            )
            rows = legal_rows[wanted_rows]
            yield _Steps(
                batch.part_sizes,
                operator,
                batch.small_on_right,
                result_positions,
                small_positions[rows],
                large_positions[rows],
            )

    def _confirmed_steps(self, required: _RequiredValues) -> _Steps:
        """Return the steps whose larger part can make its required value, and which are legal.

        A required value is computed backward: to make 24 with 3 on the left, the larger part can
        make 8, for 3 x 8. This method looks 8 up in the values of the larger part. If it is there,
        the step 3 x 8 is computed again by the rules of the game, and its result is compared with
        24. If any value of the larger part will do, all its values are tried.

        Args:
            required: The required values for one operator, each with the wanted value and the value
                of the smaller part.

        Returns:
            The steps, as positions in the chart, the table of all values.

        Raises:
            RefusedError: The search takes more memory than allowed.
        """
        values = self._chart.values
        if required.values is None:
            large_runs = self._reachable_runs.select(required.large_hands)
            rows = np.arange(len(required.large_hands)).repeat(large_runs.lengths)
            large_positions = large_runs.positions
        else:
            _, large_size = required.part_sizes
            table = self._reachable_table(large_size)
            rows, large_positions = table.find(required.large_hands, required.values)
        wanted_positions = required.wanted_positions[rows]
        small_positions = required.small_positions[rows]
        left, right = values[large_positions], values[small_positions]
        if not required.small_on_right:
            left, right = right, left
        results, legal = required.operator.operate(left, right, self._game)
        legal = legal & equal_mask(reduce_column(results), values[wanted_positions])
        legal_rows = mask_indices(legal, len(rows))
        return _Steps(
            required.part_sizes,
            required.operator,
            required.small_on_right,
            wanted_positions[legal_rows],
            small_positions[legal_rows],
            large_positions[legal_rows],
        )

    def _reachable_table(self, size: int) -> "_ValueTable":
        """Return the lookup table of all values that the sub-hands of a size can make.

        The table is computed at the first call for a size, and kept. Raises RefusedError if the
        search takes more memory than allowed.
        """
        if size not in self._reachable_tables:
            table = self._table_of(self._reachable_runs, size)
            self._reachable_tables[size] = table
            self._budget.add_bytes(len(table) * _BYTES_PER_TABLE_VALUE)
        return self._reachable_tables[size]

    def _table_of(self, runs: Runs, size: int) -> "_ValueTable":
        """Return a lookup table of the values in the runs of the sub-hands of a size.

        A run is a range of rows in the chart; `runs` has one for each sub-hand. The table finds the
        row of a value of a sub-hand. Raises RefusedError if it does not fit into the memory limit.
        """
        hand_indices, positions = self._positions(runs, size)
        self._budget.check_bytes(len(positions) * _BYTES_PER_TABLE_VALUE)
        return _ValueTable(hand_indices, self._chart.values[positions], positions)

    def _positions(self, runs: Runs, size: int) -> tuple[Ints, Ints]:
        """Return where the values of the sub-hands of a size are in the chart.

        If the only sub-hands of this size are 5, whose values are in rows 100 and 101 of the chart,
        and 6, with row 102, this returns ([5, 5, 6], [100, 101, 102]).

        Args:
            runs: The first row and the number of rows of each sub-hand of any size.
            size: The number of numbers of the sub-hands.
        """
        size_slice = self._slice_of_size(size)
        runs = runs.select(size_slice)
        hand_indices = np.arange(size_slice.start, size_slice.stop)
        return hand_indices.repeat(runs.lengths), runs.positions

    def _flagged_positions(self, runs: Runs, size: int, flags: Ints) -> tuple[Ints, Ints]:
        """Return where the flagged values of the sub-hands of a size are in the chart.

        If sub-hand 5 has the rows 100 and 101 of the chart, sub-hand 6 has row 102, and rows 101
        and 102 are flagged, this returns ([5, 6], [101, 102]).

        Args:
            runs: The first row and the number of rows of each sub-hand of any size.
            size: The number of numbers of the sub-hands.
            flags: A bool for each row of the chart.
        """
        hand_indices, positions = self._positions(runs, size)
        rows = flags[positions].nonzero()[0]
        return hand_indices[rows], positions[rows]

    def _keep_reachable(self, size: int) -> None:
        """Store which wanted values the sub-hands of one size can make, in `_reachable_runs`.

        A wanted value of some numbers of the hand would lead to a target, but often no step makes
        it. For 3 3 8 8 with target 24, the wanted values of (3, 3, 8) are -16, 1/3, 3, 16, 32 and
        192. Only 1/3 can be made, by 3 - 8/3, so that it becomes the only reachable value of
        (3, 3, 8). All smaller sizes of sub-hands must have been passed to this method before.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        is_reachable = np.zeros(len(self._chart.values), bool)
        for steps in self._steps(size):
            is_reachable[steps.result_positions] = True
        hand_indices, positions = self._flagged_positions(self._wanted_runs, size, is_reachable)
        self._add_runs(self._reachable_runs, size, hand_indices, self._chart.values[positions])

    def _mark_useful(self) -> "dict[int, _ValueTable]":
        """Find the values that occur in a solution, and the steps between them.

        The search goes from the targets down. A target that can be made is useful, and the two
        operands of a step that makes a useful value are useful. For 3 3 8 8 with target 24, the
        step 8 : 1/3 makes 24, so that 8 and 1/3 are useful. The step 3 - 8/3 makes 1/3, so that 3
        and 8/3 are useful.

        The useful values and steps are stored in this object. The useful values also replace the
        wanted values.

        Returns:
            For each size, a lookup table of the useful values of its sub-hands.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        # The two columns below have 1 + 8 bytes for each value.
        self._budget.add_bytes(9 * len(self._chart.values))
        is_useful = np.zeros(len(self._chart.values), bool)
        # From the position of a useful value to its index among the useful values of its size.
        self._useful_index = np.zeros(len(is_useful), np.int64)
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            root_indices = np.full(len(values), self._index_of[root])
            _, positions = self._reachable_table(len(root)).find(root_indices, values)
            is_useful[positions] = True
        useful_tables = {}
        for size in range(self._max_size, 0, -1):
            hand_indices, positions = self._flagged_positions(self._reachable_runs, size, is_useful)
            self._useful_index[positions] = np.arange(len(positions))
            values = self._chart.values[positions]
            self._useful_columns[size] = hand_indices, values
            self._budget.add_bytes(len(hand_indices) * 2 * _BYTES_PER_TABLE_VALUE)
            useful_tables[size] = _ValueTable(hand_indices, values, np.arange(len(hand_indices)))
            # From here on, only the useful values are wanted. They get new positions.
            first_position = len(self._chart.values)
            self._add_runs(self._wanted_runs, size, hand_indices, values)
            self._useful_steps[size] = []
            for steps in self._steps(size):
                self._budget.add_bytes(3 * steps.result_positions.nbytes)
                is_useful[steps.small_positions] = is_useful[steps.large_positions] = True
                result_indices = steps.result_positions - first_position
                self._useful_steps[size].append(steps._replace(result_positions=result_indices))
        return useful_tables


class _WantedValues:
    """A collection of the distinct wanted values of sub-hands of one size.

    Values are added in blocks. Now and then, the blocks are merged into one without duplicates, so
    that the memory stays limited.

    Args:
        no_values: An empty column of the type that the values have.
        budget: Limits the memory.
    """

    def __init__(self, no_values: Column, budget: Budget) -> None:
        self._budget = budget
        self._blocks = [(_EMPTY, no_values)]
        self._count, self._max_count = 0, _MIN_VALUES_TO_MERGE

    def add(self, hand_indices: Ints, values: Column) -> None:
        """Add a block of values, each with the index of its sub-hand.

        Raises RefusedError if the search takes more memory than allowed.
        """
        self._blocks.append((hand_indices, values))
        self._charge(len(hand_indices))
        if self._count > self._max_count:
            self._merge()
            self._max_count = max(_MIN_VALUES_TO_MERGE, 2 * self._count)

    def pop_all(self) -> tuple[Ints, Column]:
        """Remove all values and return the distinct ones: columns (index of sub-hand, value).

        The rows are sorted by index.
        """
        self._merge()
        self._charge(-self._count)
        return self._blocks.pop()

    def _charge(self, count: int) -> None:
        """Count more values, or fewer if `count` is negative, and their memory in the budget."""
        self._count += count
        self._budget.add_bytes(count * _BYTES_PER_WANTED_VALUE)

    def _merge(self) -> None:
        """Replace all blocks of values with one block that has each value of a sub-hand once."""
        self._budget.check_bytes(self._count * _BYTES_PER_WANTED_VALUE)
        merged_indices, merged_values = _distinct(self._blocks)
        self._blocks = [(merged_indices, merged_values)]
        self._charge(len(merged_indices) - self._count)


class _ValueTable:
    """A lookup table: for a sub-hand and a value, it finds the position of the value in the chart.

    The rows of the table are sorted by a 64-bit hash of the pair (sub-hand, value), so that a
    binary search finds a pair. If two pairs have the same hash, all are hashed again with another
    salt, a number that changes all hashes.

    Args:
        hand_indices: The index of the sub-hand of each value.
        values: The values in lowest terms. No pair (sub-hand, value) occurs twice.
        positions: The position of each value.
    """

    def __init__(self, hand_indices: Ints, values: Column, positions: Ints) -> None:
        self._salt, hashes = 0, _hash_rows(hand_indices, values, 0)
        while not run_start_mask(np.sort(hashes)).all():
            self._salt += 1
            hashes = _hash_rows(hand_indices, values, self._salt)
        order = np.argsort(hashes)
        self._hashes, self._hand_indices = hashes[order], hand_indices[order]
        self._values, self._positions = values[order], positions[order]
        # Most values to find are not in the table: this filter excludes most of them quickly.
        self._filter = BloomFilter(values, hand_indices)

    def __len__(self) -> int:
        return len(self._hashes)

    def values_of(self, hand_index: int) -> list[Exact]:
        """Return the values of the sub-hand with an index, ascending."""
        return sorted(exact_values(self._values[self._hand_indices == hand_index]))

    def find(self, hand_indices: Ints, values: Column) -> tuple[Ints, Ints]:
        """Find values in the table.

        If the table has 8/3 for sub-hand 3 at position 70, then the values 11, 8/3 and 24 of this
        sub-hand give ([1], [70]): the value in row 1 is in the table, at position 70.

        Args:
            hand_indices: For each value, the index of its sub-hand.
            values: The values to find; fractions need not be in lowest terms.

        Returns:
            (rows, positions): the rows of the values that are in the table, ascending, and the
                position of each.
        """
        if not len(self):
            return _EMPTY, _EMPTY
        likely_rows = self._filter.rows(values, hand_indices)
        hand_indices, values = hand_indices[likely_rows], reduce_column(values[likely_rows])
        hashes = _hash_rows(hand_indices, values, self._salt)
        table_rows = np.minimum(np.searchsorted(self._hashes, hashes), len(self) - 1)
        rows = (self._hashes[table_rows] == hashes).nonzero()[0]
        table_rows = table_rows[rows]
        # An equal hash is not enough: the sub-hand and the value must be equal.
        is_equal = self._hand_indices[table_rows] == hand_indices[rows]
        is_equal &= equal_mask(self._values[table_rows], values[rows])
        return likely_rows[rows[is_equal]], self._positions[table_rows[is_equal]]


def _hash_rows(hand_indices: Ints, values: Column, salt: int) -> Ints:
    """Return a 64-bit hash of each pair of a sub-hand's index and a value.

    Another `salt` gives other hashes, for the rare case that two different pairs have the same.
    """
    hashes = hash_column(hand_indices + (salt << 32))
    for integers in integer_columns(values):
        # Python's own integers can have more than 64 bits: only the lowest 64 are hashed.
        low_bits = integers & _MASK_64_BITS if integers.dtype == object else integers
        hashes = hash_column(hashes ^ low_bits.astype(np.uint64))
    return hashes


def _distinct(blocks: Sequence[tuple[Ints, Column]]) -> tuple[Ints, Column]:
    """Return the distinct (index of sub-hand, value) rows of some blocks, ascending by index.

    A block is a column of indices and a column of values. The blocks ([5, 3], [24, 8]) and
    ([5, 5], [24, 6]) have the distinct rows (3, 8), (5, 6) and (5, 24).
    """
    hand_indices = np.concatenate([block_indices for block_indices, _ in blocks])
    hand_indices, values = distinct_rows(
        hand_indices, join_columns([values for _, values in blocks])
    )
    return hand_indices, values


def _widen(left: Column, right: Column) -> tuple[Column, Column]:
    """Return two columns of operands as 64-bit integers, or as Python integers if these overflow.

    The bound is 4 times the product of the largest integers: it must be below 2^62.
    """
    fits_64_bits = 4 * largest_integer(left) * largest_integer(right) < 2**62
    dtype = np.int64 if fits_64_bits else object
    return _as_dtype(left, dtype), _as_dtype(right, dtype)


def _as_dtype(values: Column, dtype: Any) -> Column:
    """Return a column with another type of integers, for fractions in both of its parts."""
    if isinstance(values, Ratios):
        return Ratios(*(integers.astype(dtype) for integers in integer_columns(values)))
    return values.astype(dtype)
