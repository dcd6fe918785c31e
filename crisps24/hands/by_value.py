"""The chart by value: the distinct values of sub-hands, and on request the weights of routes.

A run of the chart contains one side of an operator: each value of some levels once. Without
weights, the steps are those of the canonical form of `chart`. For example, (2, 3) has the values
1, 5 and 6 in natural numbers; each is stored once for each side on which it can stand.

A *route* is one order of steps: a binary tree over the cards, equal cards being different, with
no result below zero. Its weight is 2 to the minus bits of its steps (`costs`), a product. So the
weight of a value is a sum of products over its partitions, weight(left) x weight(right) x
weight(step), with any grouping of steps. Weights are divided by k! for each number that occurs k
times in a sub-hand, as the coefficients of exponential generating functions are; then the number
of ways to distribute equal cards over the two parts needs no factor.

Time: pairs of values of the two parts, over all partitions. Values stay in the chart for later
hands until there are more than `MAX_CACHED_VALUES`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from math import ceil, floor
from typing import Any, NamedTuple, Self

import numpy as np

from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    OperandPlans,
    Partitions,
    State,
    answer_levels,
    batches_of,
    levels_for,
    one_plan_of,
    plans_for,
    plans_of_size,
    states_of,
)
from crisps24.hands.costs import operand_kinds, size_bits, step_features, step_weights
from crisps24.hands.goals import root_hands
from crisps24.hands.rows import RowBuffer, Runs, select
from crisps24.output.executors import process_count
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import DIFFICULTY, ROUTES, VALUES
from crisps24.rules.operators import Operator
from crisps24.rules.partitions import largest_parts, sub_hand_closure
from crisps24.rules.ratios import (
    Column,
    Floats,
    Ints,
    distinct_rows,
    integer_columns,
    integer_dtype,
    mask_indices,
    reduce_column,
    run_start_mask,
    sum_weights,
)
from crisps24.rules.widths import int_range, repeat_rows, running_sums
from crisps24.rules.work import Budget

# Values cached by all processes together, some hundred MB; above it, a process clears its chart.
MAX_CACHED_VALUES = 20_000_000
# Bytes per result that is not merged yet.
_BYTES_PER_RESULT = 120
_LARGEST_INT32 = 2**31 - 1
# Pairs of a batch that take as much memory as one value with its windows, and as one value in which
# windows are searched.
_PAIRS_PER_OUTER, _PAIRS_PER_INNER = 32, 4

# From values and the indices of their hands to a mask of the values to keep.
ValueFilter = Callable[[Column, Ints], Any]


class WeightedValues(NamedTuple):
    """Distinct values, each with the weight of all routes to it: columns."""

    values: Column
    weights: Floats


class _Results(NamedTuple):
    """Results of hands: columns."""

    hand_indices: Ints
    """The index of the hand of each."""
    values: Column
    levels: Ints
    weights: Floats | None

    @classmethod
    def of_level(cls, hands: Ints, values: Column, level: int, weights: Floats | None) -> Self:
        return cls(hands, values, np.full(len(hands), level, np.int16), weights)

    def merged(self, levels: bool = True) -> "_Results":
        """Return the table sorted by hand, with equal rows merged; `levels` keeps levels apart."""
        columns = self[:3] if levels else self[:2]
        weights = None
        if self.weights is None:
            distinct_columns = distinct_rows(*columns)
        else:
            distinct_columns, weights = sum_weights(self.weights, *columns)
        hand_indices, values = distinct_columns[:2]
        merged_levels = distinct_columns[2] if levels else np.zeros_like(hand_indices)
        return _Results(hand_indices, values, merged_levels, weights)

    def with_levels(self, wanted_levels: Levels) -> "_Results":
        """Return the rows of some levels of a merged table, with each value of a hand only once."""
        largest_level = max(*wanted_levels, int(self.levels.max(initial=0)))
        is_wanted = np.zeros(largest_level + 1, bool)
        is_wanted[list(wanted_levels)] = True
        wanted = select(self, is_wanted[self.levels].nonzero()[0])
        is_first = run_start_mask(wanted.hand_indices)
        for integers in integer_columns(wanted.values):
            is_first |= run_start_mask(integers)
        starts = is_first.nonzero()[0]
        weights = wanted.weights
        if weights is not None and len(starts):
            weights = np.add.reduceat(weights, starts)
        return select(wanted, starts)._replace(weights=weights)


# Hands, the number of values of each of their runs (a row for each hand), and these values.
SharedValues = tuple[Sequence[Hand], Ints, Column]


class _Searched(NamedTuple):
    """Values of runs, ascending in each, and these with the start of the run in the high bits."""

    values: Ints
    keys: Ints


_Buffer = RowBuffer[_Results]


class ValueChart(Chart):
    """The distinct values of sub-hands of one game, computed on demand and cached.

    The numbers are those of a hand, or the largest that a hand can have. Weights of routes are
    computed if `weighted`; with `count_routes` each step weighs 1, also one with a result below
    zero. The last steps make only values `within` two limits. Sub-hands above `max_right_size` are
    never right operands. With `by_operators` values are kept apart by their state. `filter_of`
    makes a filter of the values on routes of hands of one size.
    """

    def __init__(
        self,
        game: Game,
        numbers: Sequence[Exact],
        *,
        weighted: bool = False,
        within: tuple[Exact, Exact] | None = None,
        max_right_size: int | None = None,
        count_routes: bool = False,
        filter_of: Callable[[Sequence[Hand]], ValueFilter] | None = None,
        by_operators: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self._weighted, self._counts_routes = weighted or count_routes, count_routes
        operators = game.row_operators
        (DIFFICULTY if weighted else ROUTES if count_routes else VALUES).check(game)
        if within is not None and not game.fractions:
            within = ceil(within[0]), floor(within[1])
        self._within, self._max_right_size = within, max_right_size
        self._filter_of = filter_of
        # Routes have any grouping, as the formulas of numbers in a fixed order.
        levels = levels_for(game, self._weighted or by_operators)
        both_sides = self._weighted and not game.in_order
        plans_of = _plans_for_routes if both_sides else one_plan_of
        states = states_of(game, len(numbers) - 1 if by_operators else None)
        self._plans = plans_for(levels, plans_of, states)
        count = len(levels)
        answers = answer_levels(game, levels, len(states))
        lefts = [answers, *(plan.left for plan in self._plans)]
        # On request, the levels of each state are sides of their own.
        by_state = {
            tuple(level for level in answers if level // count == i): state
            for i, state in enumerate(states)
        }
        self._lefts = tuple(dict.fromkeys([*lefts, *(by_state if by_operators else ())]))
        self._sides = tuple(dict.fromkeys([*self._lefts, *(plan.right for plan in self._plans)]))
        runs_of_side = {side: [range(run, run + 1)] for run, side in enumerate(self._sides)}
        self._state_runs = [
            (run, by_state[side]) for run, side in enumerate(self._sides) if side in by_state
        ]
        dtype = integer_dtype(numbers, game)
        # Whether the last step combines only values that can give a result within the limits.
        self._has_windows = (
            within is not None
            and within[1] > 0
            and (within[0] > 0 or game.positive)
            and not (game.fractions or game.negatives or game.in_order or self._weighted)
            and dtype is np.int32
            and all(operator.window is not None for operator in operators)
        )
        # Called when the values of some hands are complete.
        self.on_stored: Callable[[], object] | None = None
        super().__init__(game, dtype, runs_of_side, budget)

    def clear(self) -> None:
        super().clear()
        self._weights = self.new_column(np.empty(0))
        self._kinds = self.new_column(np.empty(0, np.uint8))
        weights = np.zeros(0) if self._weighted else None
        self._no_results = _Results.of_level(np.zeros(0, np.int64), self._column([]), 0, weights)
        # The number of values copied from other charts, which have a limit of their own.
        self._shared_count = 0
        self._answer_index: dict[Hand, int] = {}

    def values_of(self, hand: Hand) -> Column:
        """Return the values within the limits of a hand with all its numbers; ints ascend."""
        if hand not in self.index_of:
            self.add_hands([hand])
        values: Column = self.values[self.slice_of(self.index_of[hand])]
        return values if self._within is None else values[self._is_answer(values)]

    def values_by_state(self, hand: Hand) -> Iterator[tuple[State, Column]]:
        """Yield the values of a stored hand in a chart `by_operators`, by those of the formulas."""
        for run, state in self._state_runs:
            rows = self.slice_of(self.index_of[hand], run)
            if rows.start < rows.stop:
                yield state, self.values[rows]

    def share(self, hands: Sequence[Hand]) -> SharedValues:
        """Compute the values of hands, for `add_shared` of charts of the same game and limits."""
        self._clear_if_full()
        self.add_hands(hands)
        entries = self._entries[[self.index_of[hand] for hand in hands]]
        starts, stops = np.hsplit(entries[:, :-1], 2)
        runs = Runs(starts.ravel(), (stops - starts).ravel())
        return hands, stops - starts, self.values[runs.positions]

    def add_shared(self, shared: SharedValues) -> None:
        """Copy the values of hands, unless they are here; compute those of all their parts."""
        hands, lengths, values = shared
        if hands[0] in self.index_of:
            return
        self.add_hands({part for hand in hands for part in largest_parts(hand, self.game.in_order)})
        stops = len(self.values) + running_sums(lengths.ravel()).reshape(lengths.shape)
        self.values.extend(values)
        self._shared_count += len(values)
        self.index_of.update(
            zip(hands, self.add_entries(hands, stops - lengths, stops), strict=True)
        )

    def last_step_values(self, hands: Sequence[Hand]) -> Iterator[tuple[Ints, Column]]:
        """Yield (indices of hands, values), perhaps several times, without storing the values."""
        parts = {part for hand in hands for part in largest_parts(hand, self.game.in_order)}
        if not self.index_of.keys() >= parts:
            self._clear_if_full()
            self.add_hands(parts)
        plans, partitions = plans_of_size(self._plans, len(hands[0])), self.partitions(hands)
        if self.game.nontrivial:
            plans = {
                plan: [step for step in steps if not step[1].joins] for plan, steps in plans.items()
            }
        if self._has_windows and min(map(min, hands)) >= 0:
            yield from self._values_within(plans, partitions)
            return
        for step in self.steps(plans, partitions, self._is_answer):
            yield step.pairs.hands[step.rows], step.values

    def _values_within(
        self, plans: OperandPlans, partitions: Partitions
    ) -> Iterator[tuple[Ints, Column]]:
        """Yield the values of `last_step_values`, from windows of the part with more numbers.

        To reach 101 to 999 by + from 50, only those from 51 to 949 matter. This takes 1.2 seconds
        where all pairs take 1.9 for a survey of numble; 3.3 and 4.4 for countdown.
        """
        for plan, level_operators in plans.items():
            operators = [operator for _, operator in level_operators]
            # 2 + 3 makes 3 + 2 unnecessary.
            unmirrored = [op for op in operators if not (plan.larger_left and op.commutes)]
            [left_run], [right_run] = self._runs_of_side[plan.left], self._runs_of_side[plan.right]
            lefts = self._runs_in(partitions.left, left_run)
            rights = self._runs_in(partitions.right, right_run)
            has_pairs = (lefts.lengths > 0) & (rights.lengths > 0)
            is_right = partitions.larger >= 0
            for outer_is_right, outer, inner, needed, mask in (
                (True, rights, lefts, operators, has_pairs & is_right),
                (False, lefts, rights, unmirrored, has_pairs & ~is_right),
            ):
                rows = mask.nonzero()[0]
                rows = rows[np.argsort(inner.starts[rows])]
                hands = partitions.hands[rows]
                outers, inners = select(outer, rows), select(inner, rows)
                # Neighbours share their inner values.
                searched = inners.lengths * run_start_mask(inners.starts)
                sizes = outers.lengths * _PAIRS_PER_OUTER + searched * _PAIRS_PER_INNER
                for batch in batches_of(sizes):
                    runs = select(outers, batch), *self._copy_runs(select(inners, batch))
                    yield from self._window_values(needed, hands[batch], *runs, outer_is_right)

    def _copy_runs(self, runs: Runs) -> tuple[_Searched, Runs]:
        """Return the values of runs, which ascend, and each run as one of the copy."""
        is_first = run_start_mask(runs.starts)
        distinct = select(runs, is_first)
        values = self.values[distinct.positions]
        starts = running_sums(distinct.lengths) - distinct.lengths
        keys = repeat_rows(starts << 32, distinct.lengths) + values
        self.budget.check_bytes(values.nbytes + keys.nbytes)
        copies = running_sums(is_first) - 1
        return _Searched(values, keys), Runs(starts[copies], runs.lengths)

    def _window_values(
        self,
        operators: Sequence[Operator],
        hands: Ints,
        outer: Runs,
        searched: _Searched,
        inner: Runs,
        outer_is_right: bool,
    ) -> Iterator[tuple[Ints, Column]]:
        """Yield the values within the limits of pairs of two runs of a hand, neither empty."""
        assert self._within is not None
        # No value is larger than 32 bits.
        limits = max(int(self._within[0]), 1), min(int(self._within[1]), _LARGEST_INT32)
        hands = repeat_rows(hands, outer.lengths)
        run_starts = repeat_rows(inner.starts, outer.lengths)
        run_stops = repeat_rows(inner.starts + inner.lengths, outer.lengths)
        smallest, largest = searched.values[run_starts], searched.values[run_stops - 1]
        outer_values = self.values[outer.positions]
        wide_values = outer_values.astype(np.int64)
        for operator in operators:
            assert operator.window is not None
            self.budget.add_pairs(len(outer_values), self._weight)
            lows, highs = operator.window(limits, wide_values, outer_is_right)
            # Leave out empty windows before the search; most windows of small parts are empty.
            is_open = (lows <= largest) & (highs >= smallest) & (lows <= highs)
            starts, stops = run_starts.copy(), run_stops.copy()
            rows = (is_open & (lows > smallest)).nonzero()[0]
            starts[rows] = np.searchsorted(searched.keys, (run_starts[rows] << 32) + lows[rows])
            rows = (is_open & (highs < largest)).nonzero()[0]
            last_keys = (run_starts[rows] << 32) + highs[rows]
            stops[rows] = np.searchsorted(searched.keys, last_keys, "right")
            rows = (is_open & (starts < stops)).nonzero()[0]
            windows = Runs(starts[rows], stops[rows] - starts[rows])
            rules = operator.active_rules(self.game)
            rules = tuple(rule for rule in rules if not rule.holds_above_zero)
            for batch in batches_of(windows.lengths):
                window, window_rows = select(windows, batch), rows[batch]
                inner_operands = searched.values[window.positions]
                outer_operands = repeat_rows(outer_values[window_rows], window.lengths)
                hand_indices = repeat_rows(hands[window_rows], window.lengths)
                self.budget.add_pairs(len(inner_operands), self._weight)
                operands = inner_operands, outer_operands
                left, right = operands if outer_is_right else operands[::-1]
                results, is_legal = operator.operate(left, right, self.game, rules)
                if is_legal is not True:
                    legal_rows = is_legal.nonzero()[0]
                    results, hand_indices = results[legal_rows], hand_indices[legal_rows]
                yield hand_indices, results

    def weighted_values(self, hands: Sequence[Hand]) -> Iterator[WeightedValues]:
        """Return an iterator of the values of each hand with shares; all are computed in this call.

        A share is the weight of all routes to a value, divided by the n! arrangements of n cards
        (not in order), and added over all roots; with `count_routes` the number of formulas.
        """
        self._clear_if_full()
        roots = {root for hand in hands for root in self._roots(hand)} - self._answer_index.keys()
        parts = {part for root in roots for part in largest_parts(root, self.game.in_order)}
        self.add_hands(parts, roots)
        return map(self._values_with_shares, hands)

    def _roots(self, hand: Hand) -> dict[Hand, float]:
        roots = root_hands(hand, self.game)
        # Choices of equal numbers give the same written forms.
        return dict.fromkeys(roots, 1.0) if self._counts_routes else roots

    def _values_with_shares(self, hand: Hand) -> WeightedValues:
        roots = self._roots(hand)
        if len(roots) == 1:
            [(root, factor)] = roots.items()
            rows = self.slice_of(self._answer_index[root])
            return WeightedValues(self.values[rows], self._weights[rows] * factor)
        indices = np.array([self._answer_index[root] for root in roots], np.int64)
        runs = self._runs_in(indices, range(1))
        positions = runs.positions
        factors = repeat_rows(np.array(list(roots.values()), float), runs.lengths)
        # The same value can come from several roots.
        [values], weights = sum_weights(self._weights[positions] * factors, self.values[positions])
        return WeightedValues(values, weights)

    def _clear_if_full(self) -> None:
        if (len(self.values) - self._shared_count) * process_count() > MAX_CACHED_VALUES:
            self.clear()

    def add_hands(self, hands: Iterable[Hand], answer_hands: Collection[Hand] = ()) -> None:
        """Store hands and all their parts as operands, and answers, after which no step follows."""
        # If a hand is computed, so are all its parts.
        operand_hands = {*sub_hand_closure(hands, self.game.in_order, self.index_of)}
        groups: dict[tuple[int, bool, bool], list[Hand]] = {}
        for hand in sorted(operand_hands.union(answer_hands)):
            key = len(hand), hand in operand_hands, hand in answer_hands
            groups.setdefault(key, []).append(hand)
        for (size, has_operands, has_answers), group in sorted(groups.items()):
            if size == 1:
                values = self._column([number for (number,) in group])
                numbers = _Results.of_level(int_range(len(group)), values, 0, np.ones(len(group)))
                operands, answers = self._new_buffer(), self._new_buffer()
                operands.add(numbers)
                is_answer = self._is_on_route(values, numbers.hand_indices, True, None)
                if not self.game.nontrivial:
                    answers.add(select(numbers, mask_indices(is_answer, len(group))))
                self._store(group, operands, answers, has_operands, has_answers)
                continue
            plans = plans_of_size(self._plans, size)
            for batch in self.batches(plans, self.partitions(group), whole_hands=True):
                # The batch has some consecutive hands of the group: number them from 0.
                first, last = batch.hands[[0, -1]].tolist()
                batch = batch._replace(hands=batch.hands - first)
                batch_hands = group[first : last + 1]
                buffers = self._compute(plans, batch_hands, batch, has_operands, has_answers)
                self._store(batch_hands, *buffers, has_operands, has_answers)
                if self.on_stored is not None:
                    self.on_stored()

    def _compute(
        self,
        plans: OperandPlans,
        hands: Sequence[Hand],
        partitions: Partitions,
        has_operands: bool,
        has_answers: bool,
    ) -> tuple[_Buffer, _Buffer]:
        """Return the values of hands, as operands (which cost their size) and as answers."""
        operands, answers = self._new_buffer(), self._new_buffer()
        route_filter = self._filter_of and self._filter_of(hands)
        is_kept = partial(self._is_on_route, is_last=not has_operands, value_filter=route_filter)
        value_filter = is_kept if self._weighted else None
        for level, operator, pairs, rows, values in self.steps(plans, partitions, value_filter):
            hand_indices, values = pairs.hands[rows], reduce_column(values)
            if not self._weighted:
                operands.add(_Results.of_level(hand_indices, values, level, None))
                continue
            left, right = pairs.left[rows], pairs.right[rows]
            weights = self._weights[left] * self._weights[right]
            if operator.commutes:
                # After the first pairs, each pair such as 2 + 3 comes again as 3 + 2.
                weights[np.searchsorted(rows, pairs.unmirrored_count) :] /= 2
            if not self._counts_routes:
                sides = pairs.left_values[rows], pairs.right_values[rows]
                kinds = self._kinds[left], self._kinds[right]
                weights *= step_weights(step_features(operator, *sides, values, kinds))
            if has_answers and not (operator.joins and self.game.nontrivial):
                results = _Results.of_level(hand_indices, values, level, weights)
                kept = mask_indices(self._is_answer(values), len(values))
                answers.add(select(results, kept))
            if has_operands:
                # People must remember an operand; a large number is harder to remember.
                if not (operator.joins or self._counts_routes):
                    weights = weights * np.exp2(-size_bits(values))
                operands.add(_Results.of_level(hand_indices, values, level, weights))
        return operands, answers

    def _is_on_route(
        self, values: Column, hand_indices: Ints, is_last: bool, value_filter: ValueFilter | None
    ) -> Any:
        """Return a mask of the values that can be part of a route, or True for all."""
        mask = values >= 0 if self.game.negatives and not self._counts_routes else True
        if value_filter is not None:
            mask = value_filter(values, hand_indices) & mask
        return mask & self._is_answer(values) if is_last else mask

    def _is_answer(self, values: Column, _: Ints | None = None) -> Any:
        """Return a mask of the values within the limits, or True for all."""
        if self._within is None:
            return True
        first, last = self._within
        return values == first if first == last else (values >= first) & (values <= last)

    def _store(
        self,
        hands: Sequence[Hand],
        operands: _Buffer,
        answers: _Buffer,
        has_operands: bool,
        has_answers: bool,
    ) -> None:
        if has_operands:
            max_size = self._max_right_size
            can_be_right = max_size is None or len(hands[0]) <= max_size
            sides = self._sides if can_be_right else self._lefts
            indices = self._add_runs(hands, operands, sides)
            self.index_of.update(zip(hands, indices, strict=True))
        if has_answers:
            all_levels = self._lefts[:1]
            indices = self._add_runs(hands, answers, all_levels)
            self._answer_index.update(zip(hands, indices, strict=True))

    def _add_runs(self, hands: Sequence[Hand], buffer: _Buffer, sides: Sequence[Levels]) -> range:
        """Append a run for each hand and side; return the indices of the hands in the chart."""
        results = buffer.pop_all()
        if len(sides) > 1:
            results = results.merged()
        starts = np.full((len(hands), len(self._sides)), len(self.values), np.int64)
        stops = starts.copy()
        hand_indices = int_range(len(hands))
        for run_index, side in enumerate(sides):
            rows = results.with_levels(side) if len(sides) > 1 else results.merged(levels=False)
            first = len(self.values)
            starts[:, run_index] = first + np.searchsorted(rows.hand_indices, hand_indices)
            stops[:, run_index] = first + np.searchsorted(rows.hand_indices, hand_indices, "right")
            self.values.extend(rows.values)
            if rows.weights is not None:
                self._weights.extend(rows.weights)
                self._kinds.extend(operand_kinds(rows.values))
        return self.add_entries(hands, starts, stops)

    def _new_buffer(self) -> _Buffer:
        return RowBuffer(self._no_results, _Results.merged, self.budget, _BYTES_PER_RESULT)


def _plans_for_routes(level: Level) -> list[OperandPlan]:
    """Return two plans: of the results that can be on both sides, and on the left only."""
    left_only = tuple(index for index in level.lefts if index not in level.rights)
    both_sides = OperandPlan(level.rights, level.rights, larger_left=True)
    return [both_sides, OperandPlan(left_only, level.rights)]
