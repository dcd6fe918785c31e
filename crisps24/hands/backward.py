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
parentheses, and an inverse for each operator (`BACKWARD_SEARCH` in `rules.machines`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.by_value import ValueChart, ValueFilter
from crisps24.hands.chart import MAX_PAIRS_PER_SPLIT, PAIRS_PER_BATCH, batches_of
from crisps24.hands.goals import BloomFilter, hash_column
from crisps24.hands.rows import RowBuffer, Runs, select, split_runs
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS, Operator, StepRule, obeys_result_rules
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
    largest_integer,
    make_column,
    mask_indices,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.widths import int_range, repeat_rows
from crisps24.rules.work import Budget, pair_weight

_MASK_64_BITS = (1 << 64) - 1
# Bytes per wanted value or value of a table, with its sub-hand and keys.
_BYTES_PER_VALUE = 60
_EMPTY = np.zeros(0, np.int64)


class _InverseStep(NamedTuple):
    """The rules of an inverse step: only the arithmetic must be exact."""

    fractions: bool
    positive: bool = False
    step_rules: tuple[StepRule, ...] = ()
    max_bits: int | None = None


class _Sides(NamedTuple):
    """The numbers of a smaller and of a larger part, and whether the smaller is on the right."""

    small: int
    large: int
    small_on_right: bool

    def order(self, small: Any, large: Any) -> tuple[Any, Any]:
        """Return what belongs to the left part, and to the right one."""
        return (large, small) if self.small_on_right else (small, large)


class _PartitionColumns(NamedTuple):
    """Ways to divide sub-hands, given by index, into a smaller and a larger part: columns."""

    whole_hands: Ints
    small_hands: Ints
    """The part with fewer numbers, whose values are all computed."""
    large_hands: Ints
    sides: _Sides


class _ValuesOfHands(NamedTuple):
    """Values, each with the index of its sub-hand, ascending by index: columns."""

    hand_indices: Ints
    values: Column


class _RequiredValues(NamedTuple):
    """What larger parts need: 8 for the wanted value 24 and the small value 3 of 24 = 3 x ?."""

    sides: _Sides
    operator: Operator
    wanted_positions: Ints
    small_positions: Ints
    large_hands: Ints
    values: Column | None
    """The values that the larger parts need; None if any value will do."""


class _Steps(NamedTuple):
    """Steps that make wanted values: columns of positions in the chart, the table of all values."""

    sides: _Sides
    operator: Operator
    result_positions: Ints
    small_positions: Ints
    large_positions: Ints


class BackwardSteps(NamedTuple):
    """Steps by one operator between useful values, as indices in `BackwardSearch.values(size)`."""

    operator: Operator
    sizes: tuple[int, int]
    """The sizes of the left parts and of the right parts."""
    results: Ints
    left: Ints
    right: Ints


class BackwardSearch:
    """The useful values of sub-hands of `roots`, which have targets: those on a path to one."""

    def __init__(
        self, roots: Mapping[Hand, Collection[Exact]], game: Game, *, budget: Budget | None = None
    ) -> None:
        self.hands = sub_hand_closure(roots, game.in_order)
        """The roots and all their sub-hands, smaller ones first."""
        self._game = game
        self._roots = roots
        self._index_of = {hand: index for index, hand in enumerate(self.hands)}
        self._sizes = np.array([len(hand) for hand in self.hands], np.int64)
        largest_hand = self.hands[-1]
        self._max_size = len(largest_hand)
        self._bound = integer_bound(largest_hand, game)
        self._chart = ValueChart(game, largest_hand, budget=budget)
        self._budget = self._chart.budget
        self._weight = pair_weight(game.fractions, self._bound is None)
        computed_size = max(1, self._max_size // 2)
        # If any value of a part will do, all values of its size must be computed first.
        while (required_size := self._search_down(computed_size)) > computed_size:
            computed_size = required_size
        for size in range(computed_size + 1, self._max_size + 1):
            # Store which wanted values the sub-hands of a size can make.
            is_reachable = np.zeros(len(self._chart.values), bool)
            for steps in self._steps(size):
                is_reachable[steps.result_positions] = True
            indices, positions = self._flagged_positions(self._wanted_runs, size, is_reachable)
            self._add_runs(self._reachable_runs, size, indices, self._chart.values[positions])
        self._useful_columns: dict[int, tuple[Ints, Column]] = {}
        self._useful_steps: dict[int, list[_Steps]] = {}
        self._useful_tables = self._mark_useful()

    def values_of(self, hand: Hand) -> list[Exact]:
        """Return the useful values of a sub-hand, ascending."""
        return self._useful_tables[len(hand)].values_of(self._index_of[hand])

    def values(self, size: int) -> tuple[Ints, Column]:
        """Return the useful values of a size, and the indices of their sub-hands, ascending."""
        return self._useful_columns[size]

    def steps(self, size: int) -> Iterator[BackwardSteps]:
        """Yield the steps that make the useful values of a size, by operator."""
        for steps in self._useful_steps[size]:
            small_indices = self._useful_index[steps.small_positions]
            large_indices = self._useful_index[steps.large_positions]
            small_size, large_size, _ = steps.sides
            sizes = steps.sides.order(small_size, large_size)
            left, right = steps.sides.order(small_indices, large_indices)
            yield BackwardSteps(steps.operator, sizes, steps.result_positions, left, right)
            # Commuting operators are searched with the smaller part on the right only.
            if steps.operator.commutes and not self._game.in_order and small_size < large_size:
                yield BackwardSteps(
                    steps.operator, sizes[::-1], steps.result_positions, right, left
                )

    def indices_in(self, hands: Sequence[Hand]) -> Ints:
        """Return a map from indices in `self.hands` to indices in another list; 0 for none."""
        indices = np.zeros(len(self.hands), np.int64)
        indices[[self._index_of[hand] for hand in hands]] = int_range(len(hands))
        return indices

    def find_useful(
        self, hands: Sequence[Hand], indices: Ints, values: Column
    ) -> tuple[Ints, Ints]:
        """Return the rows of useful values of hands of one size, and indices in `values(size)`."""
        hand_indices = np.array([self._index_of[hand] for hand in hands], np.int64)
        return self._useful_tables[len(hands[0])].find(hand_indices[indices], values)

    def filter_for(self, hands: Sequence[Hand]) -> ValueFilter:
        """Return a function that finds the useful values of sub-hands of one size, as a mask."""

        def is_useful(values: Column, indices: Ints) -> Any:
            mask = np.zeros(len(values), bool)
            useful_rows, _ = self.find_useful(hands, indices, values)
            mask[useful_rows] = True
            return mask

        return is_useful

    def _slice_of_size(self, size: int) -> slice:
        return slice(*np.searchsorted(self._sizes, (size, size + 1)).tolist())

    def _search_down(self, computed_size: int) -> int:
        """Compute all values of small sub-hands, then the values wanted of larger ones.

        Return the size up to which all values must be computed first: for 0 x ? = 0 that is larger.
        """
        chart = self._chart
        small_hands = [hand for hand in self.hands if len(hand) <= computed_size]
        chart.add_hands(small_hands)
        self._reachable_runs = Runs(*np.zeros((2, len(self.hands)), np.int64))
        self._wanted_runs = Runs(*np.zeros((2, len(self.hands)), np.int64))
        for index, hand in enumerate(small_hands):
            run = chart.slice_of(chart.index_of[hand])
            self._reachable_runs.starts[index] = run.start
            self._reachable_runs.lengths[index] = run.stop - run.start
        self._reachable_tables: dict[int, _ValueTable] = {}
        # The wanted values of each size; the targets are the first of them.
        no_values = _ValuesOfHands(_EMPTY, self._target_column([]))
        wanted_of_size = [
            RowBuffer(no_values, self._merge_wanted, self._budget, _BYTES_PER_VALUE)
            for _ in range(self._max_size + 1)
        ]
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            hand_indices = np.full(len(values), self._index_of[root], np.int64)
            wanted_of_size[len(root)].add(_ValuesOfHands(hand_indices, values))
        for size in range(self._max_size, computed_size, -1):
            self._add_runs(
                self._wanted_runs, size, *self._merge_wanted(wanted_of_size[size].pop_all())
            )
            for required in self._required_values(size, computed_size):
                large_size = required.sides.large
                if required.values is None:
                    return large_size
                values = reduce_column(required.values)
                legal = obeys_result_rules(values, self._game) & self._is_in_bounds(values)
                rows = mask_indices(legal, len(required.large_hands))
                wanted = _ValuesOfHands(required.large_hands[rows], values[rows])
                wanted_of_size[large_size].add(_distinct(wanted))
        return computed_size

    def _merge_wanted(self, wanted: _ValuesOfHands) -> _ValuesOfHands:
        self._budget.check_bytes(2 * len(wanted.hand_indices) * _BYTES_PER_VALUE)
        return _distinct(wanted)

    def _target_column(self, targets: Collection[Exact]) -> Column:
        """Return targets as an ascending column, without those that the game cannot make."""
        fractions = self._game.fractions
        possible = [target for target in sorted(targets) if fractions or isinstance(target, int)]
        values = make_column(possible, fractions, object)
        return values[mask_indices(self._is_in_bounds(values), len(possible))]

    def _is_in_bounds(self, values: Column) -> Any:
        mask: Any = True
        if self._bound is not None:
            for integers in integer_columns(values):
                mask = (abs(integers) <= self._bound) & mask
        return mask

    def _add_runs(self, runs: Runs, size: int, hand_indices: Ints, values: Column) -> None:
        """Append values, sorted by sub-hand, to the chart, and record the run of each sub-hand."""
        first_row = len(self._chart.values)
        self._chart.values.extend(values)
        size_slice = self._slice_of_size(size)
        boundary_indices = int_range(size_slice.start, size_slice.stop + 1)
        boundaries = first_row + np.searchsorted(hand_indices, boundary_indices)
        runs.starts[size_slice], runs.lengths[size_slice] = boundaries[:-1], np.diff(boundaries)

    def _required_values(self, size: int, computed_size: int) -> Iterator[_RequiredValues]:
        """Yield what larger parts of over `computed_size` numbers need to make wanted values."""
        for partitions_of_size in self._partitions(size, computed_size):
            wanted_runs = select(self._wanted_runs, partitions_of_size.whole_hands)
            for batch, batch_runs in self._batches(partitions_of_size, wanted_runs):
                yield from self._undo_steps(batch, batch_runs)

    def _partitions(self, size: int, max_left_out: int = 0) -> Iterator[_PartitionColumns]:
        """Yield the ways to divide sub-hands of a size with wanted values, by sizes and side."""
        size_slice = self._slice_of_size(size)
        hand_indices = range(size_slice.start, size_slice.stop)
        wanted_hands = [index for index in hand_indices if self._wanted_runs.lengths[index]]
        # Two parts that can be exchanged are in the list in both orders.
        pairs_of = {
            index: partitions(self.hands[index], self._game.in_order) for index in wanted_hands
        }
        max_small_size = min(size // 2, size - max_left_out - 1)
        for small_size in range(1, max_small_size + 1):
            # With two parts of equal size, the left one counts as the larger part.
            has_equal_parts = 2 * small_size == size
            for small_on_right in (True,) if has_equal_parts else (True, False):
                rows = []
                for index in wanted_hands:
                    for left, right in pairs_of[index]:
                        parts = (right, left) if small_on_right else (left, right)
                        if len(parts[0]) == small_size:
                            rows.append((index, *map(self._index_of.__getitem__, parts)))
                whole, small, large = np.array(rows, np.int64).reshape(-1, 3).T
                sides = _Sides(small_size, size - small_size, small_on_right)
                yield _PartitionColumns(whole, small, large, sides)

    def _batches(
        self, partitions_of_size: _PartitionColumns, runs: Runs
    ) -> Iterator[tuple[_PartitionColumns, Runs]]:
        """Divide partitions into batches of about `PAIRS_PER_BATCH` pairs; long runs are cut."""
        reachable_counts = self._reachable_runs.lengths
        pair_counts = runs.lengths * reachable_counts[partitions_of_size.small_hands]
        if pair_counts.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            piece_counts = -(-pair_counts // PAIRS_PER_BATCH)
            partition_rows, runs = split_runs(runs, piece_counts)
            partitions_of_size = select(partitions_of_size, partition_rows)
            pair_counts = runs.lengths * reachable_counts[partitions_of_size.small_hands]
        for rows in batches_of(pair_counts):
            yield select(partitions_of_size, rows), select(runs, rows)

    def _pairs(self, batch: _PartitionColumns, runs: Runs) -> tuple[Ints, Ints, Ints]:
        """Return the positions of the pairs of each run with the smaller part, and how many."""
        small_runs = select(self._reachable_runs, batch.small_hands)
        run_positions, repeats, small_positions = runs.cross_join(small_runs)
        operator_count = len(self._operators(batch.sides))
        self._budget.add_pairs(len(small_positions) * operator_count, self._weight)
        pair_counts = runs.lengths * small_runs.lengths
        return repeat_rows(run_positions, repeats), small_positions, pair_counts

    def _operators(self, sides: _Sides) -> list[Operator]:
        """Return the operators to use with the smaller part on this side: + and x need only one."""
        needs_all = sides.small_on_right or self._game.in_order
        return [each for each in self._game.row_operators if needs_all or not each.commutes]

    def _undo_steps(self, batch: _PartitionColumns, runs: Runs) -> Iterator[_RequiredValues]:
        """Yield the values, some illegal, that larger parts need to make the wanted values."""
        values = self._chart.values
        wanted_positions, small_positions, pair_counts = self._pairs(batch, runs)
        large_hands = repeat_rows(batch.large_hands, pair_counts)
        wanted_values, small_values = _widen(values[wanted_positions], values[small_positions])
        for operator in self._operators(batch.sides):
            if batch.sides.small_on_right or operator.commutes:
                inverse = OPERATORS[operator.inverse]
                left, right = wanted_values, small_values
            else:
                inverse = operator
                left, right = small_values, wanted_values
            required, is_exact = inverse.operate(left, right, _InverseStep(self._game.fractions))
            rows = mask_indices(is_exact, len(large_hands))
            found: list[tuple[Ints, Column | None]] = [(rows, required[rows])]
            if inverse.divides:
                # 0 : 0 has no value, because any value solves 0 x ? = 0.
                rows = ((left == 0) & (right == 0)).nonzero()[0]
                found += [(rows, None)] * bool(len(rows))
            for rows, required_values in found:
                positions = wanted_positions[rows], small_positions[rows]
                yield _RequiredValues(
                    batch.sides, operator, *positions, large_hands[rows], required_values
                )

    def _steps(self, size: int) -> Iterator[_Steps]:
        """Yield the last steps to wanted values, from the larger part or the whole: the fewer."""
        reachable_runs, wanted_runs = self._reachable_runs, self._wanted_runs
        wanted_table = self._table_of(wanted_runs, size)
        for ways in self._partitions(size):
            large_counts = reachable_runs.lengths[ways.large_hands]
            wanted_counts = wanted_runs.lengths[ways.whole_hands]
            is_forward = large_counts < wanted_counts
            forward_ways, backward_ways = select(ways, is_forward), select(ways, ~is_forward)
            large_runs = select(reachable_runs, forward_ways.large_hands)
            for batch, batch_runs in self._batches(forward_ways, large_runs):
                yield from self._forward_steps(batch, batch_runs, wanted_table)
            whole_runs = select(wanted_runs, backward_ways.whole_hands)
            for batch, batch_runs in self._batches(backward_ways, whole_runs):
                for required in self._undo_steps(batch, batch_runs):
                    yield self._confirmed_steps(required)

    def _forward_steps(
        self, batch: _PartitionColumns, large_runs: Runs, wanted_table: "_ValueTable"
    ) -> Iterator[_Steps]:
        """Compute all steps between the values of two parts; yield those with a wanted result."""
        large_positions, small_positions, pair_counts = self._pairs(batch, large_runs)
        whole_hands, values = repeat_rows(batch.whole_hands, pair_counts), self._chart.values
        left, right = batch.sides.order(values[small_positions], values[large_positions])
        for operator in self._operators(batch.sides):
            results, legal = operator.operate(left, right, self._game)
            legal_rows = mask_indices(legal, len(whole_hands))
            wanted_rows, result_positions = wanted_table.find(
                whole_hands[legal_rows], results[legal_rows]
            )
            rows = legal_rows[wanted_rows]
            operands = small_positions[rows], large_positions[rows]
            yield _Steps(batch.sides, operator, result_positions, *operands)

    def _confirmed_steps(self, required: _RequiredValues) -> _Steps:
        """Return the legal steps whose larger part can make its required value."""
        values = self._chart.values
        if required.values is None:
            large_runs = select(self._reachable_runs, required.large_hands)
            rows = repeat_rows(int_range(len(required.large_hands)), large_runs.lengths)
            large_positions = large_runs.positions
        else:
            table = self._reachable_table(required.sides.large)
            rows, large_positions = table.find(required.large_hands, required.values)
        wanted_positions = required.wanted_positions[rows]
        small_positions = required.small_positions[rows]
        left, right = required.sides.order(values[small_positions], values[large_positions])
        results, legal = required.operator.operate(left, right, self._game)
        legal = legal & equal_mask(reduce_column(results), values[wanted_positions])
        legal_rows = mask_indices(legal, len(rows))
        positions = wanted_positions, small_positions, large_positions
        columns = (column[legal_rows] for column in positions)
        return _Steps(required.sides, required.operator, *columns)

    def _reachable_table(self, size: int) -> "_ValueTable":
        if size not in self._reachable_tables:
            table = self._table_of(self._reachable_runs, size)
            self._reachable_tables[size] = table
            self._budget.add_bytes(len(table) * _BYTES_PER_VALUE)
        return self._reachable_tables[size]

    def _table_of(self, runs: Runs, size: int) -> "_ValueTable":
        hand_indices, positions = self._positions(runs, size)
        self._budget.check_bytes(len(positions) * _BYTES_PER_VALUE)
        return _ValueTable(hand_indices, self._chart.values[positions], positions)

    def _positions(self, runs: Runs, size: int) -> tuple[Ints, Ints]:
        """Return the indices of the sub-hands of a size, and the positions of their values."""
        size_slice = self._slice_of_size(size)
        runs = select(runs, size_slice)
        hand_indices = int_range(size_slice.start, size_slice.stop)
        return repeat_rows(hand_indices, runs.lengths), runs.positions

    def _flagged_positions(self, runs: Runs, size: int, flags: Ints) -> tuple[Ints, Ints]:
        hand_indices, positions = self._positions(runs, size)
        rows = flags[positions].nonzero()[0]
        return hand_indices[rows], positions[rows]

    def _mark_useful(self) -> "dict[int, _ValueTable]":
        """Mark targets and operands of useful values, largest first; return tables by size."""
        self._budget.add_bytes(9 * len(self._chart.values))
        is_useful = np.zeros(len(self._chart.values), bool)
        # From the position of a useful value to its index among the useful values of its size.
        self._useful_index = np.zeros(len(is_useful), np.int64)
        for root, targets in self._roots.items():
            values = self._target_column(targets)
            root_indices = np.full(len(values), self._index_of[root], np.int64)
            _, positions = self._reachable_table(len(root)).find(root_indices, values)
            is_useful[positions] = True
        useful_tables = {}
        for size in range(self._max_size, 0, -1):
            hand_indices, positions = self._flagged_positions(self._reachable_runs, size, is_useful)
            self._useful_index[positions] = int_range(len(positions))
            values = self._chart.values[positions]
            self._useful_columns[size] = hand_indices, values
            self._budget.add_bytes(len(hand_indices) * 2 * _BYTES_PER_VALUE)
            useful_tables[size] = _ValueTable(hand_indices, values, int_range(len(hand_indices)))
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


class _ValueTable:
    """The positions of values of sub-hands, by a hash; if two are equal, all get another salt."""

    def __init__(self, hand_indices: Ints, values: Column, positions: Ints) -> None:
        self._salt, hashes = 0, _hash_rows(hand_indices, values, 0)
        while not run_start_mask(np.sort(hashes)).all():
            self._salt += 1
            hashes = _hash_rows(hand_indices, values, self._salt)
        order = np.argsort(hashes)
        self._hashes, self._hand_indices = hashes[order], hand_indices[order]
        self._values, self._positions = values[order], positions[order]
        # Most values to find are not in the table: this filter excludes most of them quickly. Seven
        # numbers with fractions take 5.0 seconds without it, and 4.3 with it.
        self._filter = BloomFilter(values, hand_indices)

    def __len__(self) -> int:
        return len(self._hashes)

    def values_of(self, hand_index: int) -> list[Exact]:
        return sorted(exact_values(self._values[self._hand_indices == hand_index]))

    def find(self, hand_indices: Ints, values: Column) -> tuple[Ints, Ints]:
        """Return the rows of the values that are in the table, ascending, and their positions."""
        if not len(self):
            return _EMPTY, _EMPTY
        likely_rows = self._filter.rows(values, hand_indices)
        hand_indices, values = hand_indices[likely_rows], reduce_column(values[likely_rows])
        hashes = _hash_rows(hand_indices, values, self._salt)
        table_rows = np.minimum(np.searchsorted(self._hashes, hashes), len(self) - 1)
        rows = (self._hashes[table_rows] == hashes).nonzero()[0]
        table_rows = table_rows[rows]
        is_equal = self._hand_indices[table_rows] == hand_indices[rows]
        is_equal &= equal_mask(self._values[table_rows], values[rows])
        return likely_rows[rows[is_equal]], self._positions[table_rows[is_equal]]


def _hash_rows(hand_indices: Ints, values: Column, salt: int) -> Ints:
    hashes = hash_column(hand_indices + (salt << 32))
    for integers in integer_columns(values):
        # Python's own integers can have more than 64 bits: only the lowest 64 are hashed.
        low_bits = integers & _MASK_64_BITS if integers.dtype == object else integers
        hashes = hash_column(hashes ^ low_bits.astype(np.uint64))
    return hashes


def _distinct(values: _ValuesOfHands) -> _ValuesOfHands:
    return _ValuesOfHands(*distinct_rows(*values))


def _widen(left: Column, right: Column) -> tuple[Column, Column]:
    """Return two columns as 64-bit integers, or as Python integers if a step could overflow."""
    fits_64_bits = 4 * largest_integer(left) * largest_integer(right) < 2**62
    dtype = np.int64 if fits_64_bits else object
    return _as_dtype(left, dtype), _as_dtype(right, dtype)


def _as_dtype(values: Column, dtype: Any) -> Column:
    arrays = [integers.astype(dtype) for integers in integer_columns(values)]
    return Ratios(*arrays) if isinstance(values, Ratios) else arrays[0]
