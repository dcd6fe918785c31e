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
from itertools import chain
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from crisps24.errors import RefusedError
from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    Partitions,
    levels_for,
    plans_for,
)
from crisps24.hands.costs import operand_kinds, size_bits, step_features, step_weights
from crisps24.hands.goals import root_hands
from crisps24.messages.message import Message, message
from crisps24.output.executors import process_count
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.partitions import largest_parts
from crisps24.rules.ratios import (
    Column,
    Floats,
    Ints,
    distinct_rows,
    integer_columns,
    integer_dtype,
    join_columns,
    mask_indices,
    reduce_column,
    run_start_mask,
    sum_weights,
)
from crisps24.rules.work import Budget

# Values cached by all processes together, some hundred MB; above it, a process clears its chart.
# Hands come in lexicographic order, so that the sub-hands of the next ones are soon there again.
MAX_CACHED_VALUES = 20_000_000
# Results collected before equal ones are merged.
_MIN_RESULTS_TO_MERGE = 1_000_000
# Bytes per result that is not merged yet.
_BYTES_PER_RESULT = 120

# From values and the indices of their hands to a mask of the values to keep.
ValueFilter = Callable[[Column, Ints], Any]


class WeightedValues(NamedTuple):
    """Distinct values, each with the weight of all routes to it: columns."""

    values: Column
    weights: Floats


class _LevelResults(NamedTuple):
    """Results of one level, not merged: columns."""

    hands: Ints
    """The index of the hand of each."""
    values: Column
    level: int
    weights: Floats | None = None


class ValueChart(Chart):
    """The distinct values of sub-hands of one game, computed on demand and cached.

    Args:
        game: A game whose operators are rational functions with two operands, or join digits.
        numbers: The numbers of a hand, or the largest that a hand can have; they decide
            between 32 bits, 64 bits and Python's own integers.
        in_order: Whether the numbers of a hand keep their order.
        weighted: Whether to compute weights of routes.
        within: The first and the last value that the last steps can make, to save time.
        max_right_size: The size above which a sub-hand is never a right operand.
        count_routes: Whether the weight of each step is 1, so that weights count routes; routes
            with results below zero count too.
        filter_of: Returns a filter of the values on routes, from hands of one size.
        budget: Limits pairs and bytes.

    Raises:
        RefusedError: The game has other operators, or a minus sign before any expression. Every
            method that computes values raises it too, if the budget is exceeded.
    """

    def __init__(
        self,
        game: Game,
        numbers: Sequence[int],
        in_order: bool = False,
        *,
        weighted: bool = False,
        within: tuple[Exact, Exact] | None = None,
        max_right_size: int | None = None,
        count_routes: bool = False,
        filter_of: Callable[[Sequence[Hand]], ValueFilter] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._weighted, self._counts_routes = weighted or count_routes, count_routes
        operators = game.row_operators
        unsupported: list[Message | str]
        unsupported = [each.name for each in operators if each.scalar_only and self._weighted]
        unsupported += [each.name for each in operators if each.arity == 1]
        unsupported += [message("line.signed")] * game.signed
        if unsupported:
            key = "rules.no_difficulty" if weighted else "rules.no_results"
            raise RefusedError(message(key, sign=unsupported[0]))
        if within is not None and not game.fractions:
            within = ceil(within[0]), floor(within[1])
        self._within, self._max_right_size = within, max_right_size
        self._filter_of = filter_of
        # Routes have any grouping, as the formulas of numbers in a fixed order.
        levels = levels_for(game, in_order or self._weighted)
        both_sides = self._weighted and not in_order
        self._plans = plans_for(levels, _plans_for_routes if both_sides else _plans_of)
        every = tuple(range(len(levels)))
        self._lefts = tuple(dict.fromkeys([every, *(plan.left for plan in self._plans)]))
        self._sides = tuple(dict.fromkeys([*self._lefts, *(plan.right for plan in self._plans)]))
        runs_of_side = {side: [range(run, run + 1)] for run, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), in_order, runs_of_side, budget)

    def clear(self) -> None:
        """Remove all sub-hands and their values."""
        super().clear()
        self._weights = self.new_column(np.empty(0))
        self._kinds = self.new_column(np.empty(0, np.uint8))
        # The indices of hands whose entries contain the ends of routes.
        self._ends: dict[Hand, int] = {}

    def values_of(self, hand: Hand) -> Column:
        """Return the distinct values that a sub-hand makes with all its numbers, ascending.

        Fractions are in lowest terms and in no particular order. The hand is sorted unless
        `in_order`. Values are computed if they are not cached; RefusedError over the budget.
        """
        if hand not in self.index_of:
            self.add_hands([hand])
        values: Column = self.values[self.slice_of(self.index_of[hand])]
        return values

    def last_step_values(self, hands: Sequence[Hand]) -> Iterator[tuple[Ints, Column]]:
        """Yield the values that hands make with all their numbers, by computing only last steps.

        This costs less than `values_of` for hands that are not parts of larger hands: the results
        are neither stored nor compared, so the same value can come several times, and fractions are
        not in lowest terms. Values outside `within` are left out. The values of all smaller parts
        are computed and stored first. RefusedError over the budget is raised while iterating.

        Args:
            hands: Hands of two numbers or more, sorted unless `in_order`.

        Yields:
            (indices, values): columns of the index of the hand in `hands`, and the value.
        """
        self._clear_if_full()
        self.add_hands({part for hand in hands for part in largest_parts(hand, self.in_order)})
        for batch in self.batches(self._plans, self.partitions(hands)):
            for step in self.legal_steps(self._plans, batch, self._is_end):
                yield step.pairs.hands[step.rows], step.values

    def weighted_values(self, hands: Sequence[Hand]) -> Iterator[WeightedValues]:
        """Return an iterator of the values of each hand, with the share of each value.

        A person who combines numbers at random makes a value with a certain probability, which its
        share estimates: the weight of all routes to the value, divided by the n! arrangements of
        the cards (by 1 if they keep their order). If not all numbers are required, shares are added
        over all sets of cards. With `count_routes` and a fixed order, the share is the number of
        written forms instead.

        All hands are computed in this call, which can raise RefusedError over the budget. The chart
        needs `weighted` or `count_routes`.

        Args:
            hands: Hands, sorted unless `in_order`.
        """
        self._clear_if_full()
        ends = {root for hand in hands for root in self._roots(hand)} - self._ends.keys()
        self.add_hands({part for root in ends for part in largest_parts(root, self.in_order)}, ends)
        return map(self._sum_over_roots, hands)

    def _roots(self, hand: Hand) -> dict[Hand, float]:
        """Return the `root_hands` of a hand with their factors, all 1 if routes are counted."""
        roots = root_hands(hand, self.game, self.in_order)
        # Choices of equal numbers give the same written forms.
        return dict.fromkeys(roots, 1.0) if self._counts_routes else roots

    def _sum_over_roots(self, hand: Hand) -> WeightedValues:
        """Return the values of a hand with their shares, added over the cards that can be used.

        If not all numbers are required, 1 2 3 also has the values of 1 2, of 3 and so on. The
        values of all these sub-hands must be in the chart.
        """
        roots = self._roots(hand)
        if len(roots) == 1:
            [(root, factor)] = roots.items()
            run = self.slice_of(self._ends[root])
            return WeightedValues(self.values[run], self._weights[run] * factor)
        indices = np.array([self._ends[root] for root in roots], np.int64)
        runs = self._runs_in(indices, range(1))
        positions, factors = runs.positions, np.array(list(roots.values())).repeat(runs.lengths)
        [values], weights = sum_weights(self._weights[positions] * factors, self.values[positions])
        return WeightedValues(values, weights)

    def _clear_if_full(self) -> None:
        if len(self.values) * process_count() > MAX_CACHED_VALUES:
            self.clear()

    def _missing(self, hands: Iterable[Hand]) -> set[Hand]:
        """Return the given sub-hands, and those of their parts, that are not in the chart."""
        missing: set[Hand] = set()
        stack = list(hands)
        while stack:
            hand = stack.pop()
            # If a sub-hand is in the chart, so are all its parts.
            if hand not in self.index_of and hand not in missing:
                missing.add(hand)
                stack += largest_parts(hand, self.in_order)
        return missing

    def add_hands(self, hands: Iterable[Hand], ends: Collection[Hand] = ()) -> None:
        """Compute the values of sub-hands and of all their parts, unless they are in the chart.

        Args:
            hands: Sub-hands whose values can be operands of further steps.
            ends: Sub-hands whose values are answers: no step follows. Their parts must be in the
                chart or in `hands`.

        Raises:
            RefusedError: The budget is exceeded.
        """
        operands = self._missing(hands)
        groups: dict[tuple[int, bool, bool], list[Hand]] = {}
        for hand in sorted(operands.union(ends)):
            groups.setdefault((len(hand), hand in operands, hand in ends), []).append(hand)
        for (size, as_operand, as_end), group in sorted(groups.items()):
            if size == 1:
                values = self._column([number for (number,) in group])
                dealt = _LevelResults(np.arange(len(group)), values, 0, np.ones(len(group)))
                operand_buffer, end_buffer = _ResultBuffer(self.budget), _ResultBuffer(self.budget)
                operand_buffer.add(dealt)
                end_buffer.add(self._only_ends(dealt))
                self._store(group, operand_buffer, end_buffer, as_operand, as_end)
                continue
            for batch, pairs in self.hand_batches(self._plans, self.partitions(group)):
                first, last = batch.hands[[0, -1]].tolist()
                batch = batch._replace(hands=batch.hands - first)
                batch_hands = group[first : last + 1]
                is_small = pairs <= _MIN_RESULTS_TO_MERGE
                parts = [batch] if is_small else self.batches(self._plans, batch)
                buffers = self._results(batch_hands, parts, as_operand, as_end)
                self._store(batch_hands, *buffers, as_operand, as_end)

    def _results(
        self, hands: Sequence[Hand], batches: Iterable[Partitions], as_operand: bool, as_end: bool
    ) -> tuple["_ResultBuffer", "_ResultBuffer"]:
        """Compute the values of hands twice: as operands of further steps, and as answers.

        Both differ in weight: an operand costs its size, an answer does not; and only an answer
        must be within the limits of the chart. Raises RefusedError over the budget.

        Args:
            hands: Hands of one size.
            batches: The partitions of these hands into two parts.
            as_operand: Whether to compute operands.
            as_end: Whether to compute answers; only charts with weights do.

        Returns:
            (operands, answers), in which the same value can be there several times.
        """
        operands, ends = _ResultBuffer(self.budget), _ResultBuffer(self.budget)
        useful = self._filter_of and self._filter_of(hands)
        only = partial(self._on_route, last=not as_operand, useful=useful)
        steps = (
            self.legal_steps(self._plans, batch, only if self._weighted else None)
            for batch in batches
        )
        for level, operator, pairs, rows, values in chain.from_iterable(steps):
            indices, values = pairs.hands[rows], reduce_column(values)
            if not self._weighted:
                operands.add(_LevelResults(indices, values, level))
                continue
            left, right = pairs.left[rows], pairs.right[rows]
            weights = self._weights[left] * self._weights[right]
            if operator.commutes:
                # The mirror images of the other pairs are among the pairs.
                weights[np.searchsorted(rows, pairs.unmirrored_count) :] /= 2
            if not self._counts_routes:
                sides = pairs.left_values[rows], pairs.right_values[rows]
                kinds = self._kinds[left], self._kinds[right]
                weights *= step_weights(step_features(operator, *sides, values, kinds))
            if as_end:
                ends.add(self._only_ends(_LevelResults(indices, values, level, weights)))
            if as_operand:
                # Only intermediate results cost their size.
                if not (operator.joins or self._counts_routes):
                    weights = weights * np.exp2(-size_bits(values))
                operands.add(_LevelResults(indices, values, level, weights))
        return operands, ends

    def _on_route(self, values: Column, hands: Ints, last: bool, useful: ValueFilter | None) -> Any:
        """Return a mask of the results that can be part of a route: True for all.

        Routes have no result below zero. `useful` is a filter of values (None: keep all). With
        `last`, the result must be an answer within the limits of the chart.
        """
        natural = values >= 0 if self.game.negatives and not self._counts_routes else True
        if useful is not None:
            natural = useful(values, hands) & natural
        return natural & self._is_end(values) if last else natural

    def _is_end(self, values: Column, _: Ints | None = None) -> Any:
        if self._within is None:
            return True
        first, last = self._within
        return values == first if first == last else (values >= first) & (values <= last)

    def _only_ends(self, results: _LevelResults) -> _LevelResults:
        """Return the results that are within the limits of the chart."""
        rows = mask_indices(self._is_end(results.values), len(results.hands))
        weights = None if results.weights is None else results.weights[rows]
        return _LevelResults(results.hands[rows], results.values[rows], results.level, weights)

    def _store(
        self,
        hands: Sequence[Hand],
        operands: "_ResultBuffer",
        ends: "_ResultBuffer",
        as_operand: bool,
        as_end: bool,
    ) -> None:
        """Add the results of hands of one size to the chart, as operands, as answers, or as both.

        Raises RefusedError over the budget.
        """
        if as_operand:
            on_right = self._max_right_size is None or len(hands[0]) <= self._max_right_size
            sides = self._sides if on_right else self._lefts
            self.index_of.update(zip(hands, self._add_runs(hands, operands, sides), strict=True))
        if as_end:
            every = self._lefts[:1]
            self._ends.update(zip(hands, self._add_runs(hands, ends, every), strict=True))

    def _add_runs(
        self, hands: Sequence[Hand], buffer: "_ResultBuffer", sides: Sequence[Levels]
    ) -> range:
        """Append the results of hands to the chart, and return the indices of their entries.

        A side is the set of levels of results that can stand on one side of an operator, such as
        the left of a minus. The chart gets one run of values for each hand and side. Raises
        RefusedError over the budget.
        """
        results = buffer.columns(self._no_results())
        if len(sides) > 1:
            results = results.merged()
        starts = np.full((len(hands), len(self._sides)), len(self.values))
        stops = starts.copy()
        for run, side in enumerate(sides):
            columns = results.of_side(side) if len(sides) > 1 else results.merged(levels=False)
            first, indices = len(self.values), np.arange(len(hands))
            starts[:, run] = first + np.searchsorted(columns.hands, indices)
            stops[:, run] = first + np.searchsorted(columns.hands, indices, "right")
            self.values.extend(columns.values)
            if columns.weights is not None:
                self._weights.extend(columns.weights)
                self._kinds.extend(operand_kinds(columns.values))
        return self.add_entries(hands, starts, stops)

    def _no_results(self) -> _LevelResults:
        weights = np.zeros(0) if self._weighted else None
        return _LevelResults(np.zeros(0, np.int64), self._column([]), 0, weights)


class _ResultColumns(NamedTuple):
    """Results of several levels: columns."""

    hands: Ints
    values: Column
    levels: Ints
    weights: Floats | None

    @classmethod
    def of(cls, results: Sequence[_LevelResults]) -> "_ResultColumns":
        """Return the columns of one block of results or more, one after another; not merged."""
        hands = [block.hands for block in results]
        counts = [len(indices) for indices in hands]
        levels = np.repeat([block.level for block in results], counts)
        values = join_columns([block.values for block in results])
        weights = [block.weights for block in results if block.weights is not None]
        all_weights = np.concatenate(weights) if weights else None
        return cls(np.concatenate(hands), values, levels, all_weights)

    def followed_by(self, others: "_ResultColumns") -> "_ResultColumns":
        """Return these results and then the others; a value can be in both."""
        weights = None
        if self.weights is not None and others.weights is not None:
            weights = np.concatenate([self.weights, others.weights])
        return _ResultColumns(
            np.concatenate([self.hands, others.hands]),
            join_columns([self.values, others.values]),
            np.concatenate([self.levels, others.levels]),
            weights,
        )

    def merged(self, levels: bool = True) -> "_ResultColumns":
        """Return results in which each value of a hand is there once per level, in order.

        The weights of equal values are added. Without `levels`, each value of a hand is there once,
        and its level is 0.
        """
        columns = self.hands, self.values, *([self.levels] if levels else [])
        weights = None
        if self.weights is None:
            hands, values, *rest = distinct_rows(*columns)
        else:
            (hands, values, *rest), weights = sum_weights(self.weights, *columns)
        return _ResultColumns(hands, values, rest[0] if levels else np.zeros_like(hands), weights)

    def of_side(self, side: Levels) -> "_ResultColumns":
        """Return the results of some levels, in which each value of a hand is there once.

        The weights of equal values are added. Only a result of `merged` with levels can be given;
        the levels of the returned results mean nothing.
        """
        is_in_side = np.zeros(max(*side, int(self.levels.max(initial=0))) + 1, bool)
        is_in_side[list(side)] = True
        rows = is_in_side[self.levels].nonzero()[0]
        is_first = run_start_mask(self.hands[rows])
        for part in integer_columns(self.values[rows]):
            is_first |= run_start_mask(part)
        starts = is_first.nonzero()[0]
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and len(starts):
            weights = np.add.reduceat(weights, starts)
        rows = rows[starts]
        return _ResultColumns(self.hands[rows], self.values[rows], self.levels[rows], weights)


class _ResultBuffer:
    """Results of some hands; equal ones are merged whenever their number has doubled."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._blocks: list[_LevelResults] = []
        self._merged: _ResultColumns | None = None
        self._count, self._max_count = 0, _MIN_RESULTS_TO_MERGE

    def add(self, results: _LevelResults) -> None:
        """Add results; many are merged. Raises RefusedError over the budget."""
        if not len(results.hands):
            return
        self._blocks.append(results)
        self._count += len(results.hands)
        if self._count > self._max_count:
            merged = self.columns(results).merged()
            self._merged, self._count = merged, len(merged.hands)
            self._blocks.clear()
            self._max_count = max(_MIN_RESULTS_TO_MERGE, 2 * self._count)

    def columns(self, empty: _LevelResults) -> _ResultColumns:
        """Return all results; the same value can be there several times.

        If there are none, return columns of the types of `empty`. Raises RefusedError over the
        budget.
        """
        self._budget.check_bytes(self._count * _BYTES_PER_RESULT)
        if self._merged is None:
            return _ResultColumns.of(self._blocks or [empty])
        if not self._blocks:
            return self._merged
        return self._merged.followed_by(_ResultColumns.of(self._blocks))


def _plans_of(level: Level) -> list[OperandPlan]:
    return [OperandPlan(level.lefts, level.rights, level.one_order)]


def _plans_for_routes(level: Level) -> list[OperandPlan]:
    """Return the plans of a level on all routes: levels for both sides, and for the left only."""
    left_only = tuple(index for index in level.lefts if index not in level.rights)
    both = OperandPlan(level.rights, level.rights, larger_left=True)
    return [both, OperandPlan(left_only, level.rights)]
