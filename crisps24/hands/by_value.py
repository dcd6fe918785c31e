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

    hand_indices: Ints
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
        budget: Limits pairs and bytes (default: only bytes, to `MAX_TABLE_BYTES`).

    Raises:
        RefusedError: The game has other operators, or a minus sign before any expression. Every
            method that computes values raises it too, if the search takes more work or memory than
            allowed.
    """

    def __init__(
        self,
        game: Game,
        numbers: Sequence[Exact],
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
        unsupported = [
            operator.name for operator in operators if operator.scalar_only and self._weighted
        ]
        unsupported += [operator.name for operator in operators if operator.arity == 1]
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
        all_levels = tuple(range(len(levels)))
        self._lefts = tuple(dict.fromkeys([all_levels, *(plan.left for plan in self._plans)]))
        self._sides = tuple(dict.fromkeys([*self._lefts, *(plan.right for plan in self._plans)]))
        runs_of_side = {side: [range(run, run + 1)] for run, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), in_order, runs_of_side, budget)

    def clear(self) -> None:
        """Remove all sub-hands and their values."""
        super().clear()
        self._weights = self.new_column(np.empty(0))
        self._kinds = self.new_column(np.empty(0, np.uint8))
        # From a complete hand to the index of the entry of its answers.
        self._answer_index: dict[Hand, int] = {}

    def values_of(self, hand: Hand) -> Column:
        """Return the distinct values that a hand makes with all its numbers, in ascending order.

        For (2, 3) in natural numbers these are 1, 5 and 6. Fractions are in lowest terms and in no
        particular order. The hand must be sorted, unless the order of its numbers is fixed. Values
        are computed when they are first requested, and then cached. Raises RefusedError if the
        search takes more work or memory than allowed.
        """
        if hand not in self.index_of:
            self.add_hands([hand])
        values: Column = self.values[self.slice_of(self.index_of[hand])]
        return values

    def last_step_values(self, hands: Sequence[Hand]) -> Iterator[tuple[Ints, Column]]:
        """Yield the values that some hands make with all their numbers, without storing them.

        A hand is divided into two parts in all ways. The values of the parts are computed and
        stored; then each operator is applied to each value of one part and each value of the other.
        This costs less than `values_of`, because the results are not compared: the same value can
        come several times, and fractions are not in lowest terms. For (2, 3) in natural numbers
        the values are 6, 6, 1, 5 and 5. Values outside the limits `within` of this object are
        left out.

        Args:
            hands: Hands of two numbers or more, sorted unless the order of the numbers is fixed.

        Yields:
            (hand_indices, values): two columns of the same length. They have the index in `hands`
            of a hand, and a value that this hand makes.

        Raises:
            RefusedError: The search takes more work or memory than allowed. It is raised during the
                iteration.
        """
        self._clear_if_full()
        self.add_hands({part for hand in hands for part in largest_parts(hand, self.in_order)})
        for batch in self.batches(self._plans, self.partitions(hands)):
            for step in self.legal_steps(self._plans, batch, self._is_answer):
                yield step.pairs.hands[step.rows], step.values

    def weighted_values(self, hands: Sequence[Hand]) -> Iterator[WeightedValues]:
        """Return an iterator of the values of each hand, with the share of each value.

        A value has a large share if a person who combines numbers at random often makes it. A
        route is one order of steps from the numbers to the value; its weight is high if its steps
        are easy. The share is the weight of all routes to the value, divided by the n! arrangements
        of the n numbers (not divided if their order is fixed). For 2 3 in natural numbers, the
        values 1, 5 and 6 have the share 0.5 each. If the game does not require all numbers, shares
        are added over all choices of numbers.

        With `count_routes`, each route weighs 1. With a fixed order, the share of a value is then
        the number of formulas that make it: 2 for the value 6 of 1 2 3, as 1 + 2 + 3 and 1 x 2 x 3.

        All hands are computed in this call, before the first value is requested. This object must
        have been created with `weighted` or `count_routes`.

        Args:
            hands: Hands, sorted unless the order of the numbers is fixed.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        self._clear_if_full()
        roots = {root for hand in hands for root in self._roots(hand)} - self._answer_index.keys()
        parts = {part for root in roots for part in largest_parts(root, self.in_order)}
        self.add_hands(parts, roots)
        return map(self._values_with_shares, hands)

    def _roots(self, hand: Hand) -> dict[Hand, float]:
        """Return the choices of numbers that an answer can use, each with a factor for its weights.

        A game that requires all numbers has one choice, the whole hand, with the factor 1. In other
        games, 3 3 has the choices (3,) with the factor 2, because either 3 can be used, and (3, 3)
        with the factor 1. If routes are counted, all factors are 1.
        """
        roots = root_hands(hand, self.game, self.in_order)
        # Choices of equal numbers give the same written forms.
        return dict.fromkeys(roots, 1.0) if self._counts_routes else roots

    def _values_with_shares(self, hand: Hand) -> WeightedValues:
        """Return the distinct values of a hand, and the share of each: two columns.

        The share of a value says how often a person who combines the numbers at random makes it.
        For 2 3 in natural numbers, the values 1, 5 and 6 have the share 0.5 each.

        A root is a choice of numbers that an answer can use. If the game does not require all
        numbers, the roots of 1 2 3 are 1, 2, 3, 1 2, 1 3, 2 3 and 1 2 3. The share is then a sum:
        the weight of the value for each root, times the factor of the root. The weights of all
        roots must have been computed.
        """
        roots = self._roots(hand)
        if len(roots) == 1:
            [(root, factor)] = roots.items()
            rows = self.slice_of(self._answer_index[root])
            return WeightedValues(self.values[rows], self._weights[rows] * factor)
        indices = np.array([self._answer_index[root] for root in roots], np.int64)
        runs = self._runs_in(indices, range(1))
        positions = runs.positions
        factors = np.array(list(roots.values())).repeat(runs.lengths)
        # The same value can come from several roots.
        [values], weights = sum_weights(self._weights[positions] * factors, self.values[positions])
        return WeightedValues(values, weights)

    def _clear_if_full(self) -> None:
        """Remove all hands and their values if more than `MAX_CACHED_VALUES` are stored."""
        if len(self.values) * process_count() > MAX_CACHED_VALUES:
            self.clear()

    def _missing_hands(self, hands: Iterable[Hand]) -> set[Hand]:
        """Return those of the given hands, and of all their parts, that are not computed yet.

        A part is a smaller hand. If nothing is computed, (1, 2, 3) has seven missing hands: itself,
        (1, 2), (1, 3), (2, 3), (1,), (2,) and (3,).
        """
        missing: set[Hand] = set()
        stack = list(hands)
        while stack:
            hand = stack.pop()
            # If a hand is computed, so are all its parts.
            if hand not in self.index_of and hand not in missing:
                missing.add(hand)
                stack += largest_parts(hand, self.in_order)
        return missing

    def add_hands(self, hands: Iterable[Hand], answer_hands: Collection[Hand] = ()) -> None:
        """Compute and store the values of hands and of all their parts, unless they are stored.

        A part is a smaller hand: the parts of (1, 2, 3) are 1, 2, 3, (1, 2), (1, 3) and (2, 3). A
        value can be an operand, which a further step uses, or an answer, after which no step
        follows. A hand can need both; operands and answers are stored separately.

        Args:
            hands: Hands whose values can be operands of further steps.
            answer_hands: Hands whose values are answers: no step follows. Their parts must be
                stored already, or be in `hands`.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        operand_hands = self._missing_hands(hands)
        groups: dict[tuple[int, bool, bool], list[Hand]] = {}
        for hand in sorted(operand_hands.union(answer_hands)):
            key = len(hand), hand in operand_hands, hand in answer_hands
            groups.setdefault(key, []).append(hand)
        # Small hands come first: the values of larger hands are made from theirs.
        for (size, has_operands, has_answers), group in sorted(groups.items()):
            if size == 1:
                # The only value of a hand of one number is this number.
                values = self._column([number for (number,) in group])
                numbers = _LevelResults(np.arange(len(group)), values, 0, np.ones(len(group)))
                operands, answers = _ResultBuffer(self.budget), _ResultBuffer(self.budget)
                operands.add(numbers)
                answers.add(self._only_answers(numbers))
                self._store(group, operands, answers, has_operands, has_answers)
                continue
            for batch, pair_count in self.hand_batches(self._plans, self.partitions(group)):
                # The batch has some consecutive hands of the group: number them from 0.
                first, last = batch.hands[[0, -1]].tolist()
                batch = batch._replace(hands=batch.hands - first)
                batch_hands = group[first : last + 1]
                is_small = pair_count <= _MIN_RESULTS_TO_MERGE
                batches = [batch] if is_small else self.batches(self._plans, batch)
                buffers = self._compute(batch_hands, batches, has_operands, has_answers)
                self._store(batch_hands, *buffers, has_operands, has_answers)

    def _compute(
        self,
        hands: Sequence[Hand],
        batches: Iterable[Partitions],
        has_operands: bool,
        has_answers: bool,
    ) -> tuple["_ResultBuffer", "_ResultBuffer"]:
        """Compute the values of some hands, as operands of further steps and as answers.

        For (2, 3) in natural numbers these are 1, 5 and 6. The weight of a value is the product of
        the weights of its two operands and of the step: an easy step weighs more. A value differs
        as an operand and as an answer: only an operand weighs less if it is a large number, and
        only an answer must be within the limits of this object.

        Args:
            hands: Hands of the same number of cards.
            batches: All ways to divide these hands into two parts.
            has_operands: Whether to compute operands.
            has_answers: Whether to compute answers; this needs weights.

        Returns:
            (operands, answers): the values with their weights, each in one buffer. The same value
                can be in a buffer several times.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        operands, answers = _ResultBuffer(self.budget), _ResultBuffer(self.budget)
        route_filter = self._filter_of and self._filter_of(hands)
        is_kept = partial(self._is_on_route, is_last=not has_operands, value_filter=route_filter)
        value_filter = is_kept if self._weighted else None
        steps = (self.legal_steps(self._plans, batch, value_filter) for batch in batches)
        for level, operator, pairs, rows, values in chain.from_iterable(steps):
            hand_indices, values = pairs.hands[rows], reduce_column(values)
            if not self._weighted:
                operands.add(_LevelResults(hand_indices, values, level))
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
            if has_answers:
                results = _LevelResults(hand_indices, values, level, weights)
                answers.add(self._only_answers(results))
            if has_operands:
                # People must remember an operand; a large number is harder to remember.
                if not (operator.joins or self._counts_routes):
                    weights = weights * np.exp2(-size_bits(values))
                operands.add(_LevelResults(hand_indices, values, level, weights))
        return operands, answers

    def _is_on_route(
        self, values: Column, hand_indices: Ints, is_last: bool, value_filter: ValueFilter | None
    ) -> Any:
        """Return a mask of the values that can be part of a route, or True for all values.

        A route is a way from the numbers to an answer: one step after another. It has no value
        below zero, unless this object counts all routes.

        Args:
            values: The values.
            hand_indices: The index of the hand that makes each value.
            is_last: Whether the values must be answers within the limits of this object.
            value_filter: A function of (values, hand_indices) that returns a mask of useful values.
                None means that all are useful.
        """
        mask = values >= 0 if self.game.negatives and not self._counts_routes else True
        if value_filter is not None:
            mask = value_filter(values, hand_indices) & mask
        return mask & self._is_answer(values) if is_last else mask

    def _is_answer(self, values: Column, _: Ints | None = None) -> Any:
        """Return a mask of the values that are within the limits, or True if there are no limits.

        The second argument is ignored: it makes this method a filter of (values, hands).
        """
        if self._within is None:
            return True
        first, last = self._within
        return values == first if first == last else (values >= first) & (values <= last)

    def _only_answers(self, results: _LevelResults) -> _LevelResults:
        """Return the results whose value is within the limits of this object."""
        rows = mask_indices(self._is_answer(results.values), len(results.hand_indices))
        weights = None if results.weights is None else results.weights[rows]
        return _LevelResults(
            results.hand_indices[rows], results.values[rows], results.level, weights
        )

    def _store(
        self,
        hands: Sequence[Hand],
        operands: "_ResultBuffer",
        answers: "_ResultBuffer",
        has_operands: bool,
        has_answers: bool,
    ) -> None:
        """Store the results of some hands, and record where the results of each hand are.

        Args:
            hands: Hands of the same number of cards.
            operands: Results that can be operands of further steps.
            answers: Results of complete hands: no step follows.
            has_operands: Whether to store the operands. The index of each hand is then recorded
                in `index_of`.
            has_answers: Whether to store the answers. The index of each hand is then recorded in
                `_answer_index`.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
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

    def _add_runs(
        self, hands: Sequence[Hand], buffer: "_ResultBuffer", sides: Sequence[Levels]
    ) -> range:
        """Append the results of hands to this chart, and return the indices of the hands in it.

        A side is a set of levels of precedence. For example, if only results of level 0 and 1
        (numbers and products) can be the right operand of a minus, (0, 1) is a side. For each hand
        and side, the chart gets a run: consecutive positions with distinct values. A value that
        fits several sides is stored once for each.

        Args:
            hands: The hands.
            buffer: Their results; the same value can be there several times.
            sides: The sides.

        Raises:
            RefusedError: The search takes more work or memory than allowed.
        """
        results = buffer.columns(self._no_results())
        if len(sides) > 1:
            results = results.merged()
        # Row h, column s has the start and the stop of the run of hand h and side s.
        starts = np.full((len(hands), len(self._sides)), len(self.values))
        stops = starts.copy()
        hand_indices = np.arange(len(hands))
        for run_index, side in enumerate(sides):
            rows = results.with_levels(side) if len(sides) > 1 else results.merged(levels=False)
            # The rows are sorted by hand, so that the rows of a hand are consecutive.
            first = len(self.values)
            starts[:, run_index] = first + np.searchsorted(rows.hand_indices, hand_indices)
            stops[:, run_index] = first + np.searchsorted(rows.hand_indices, hand_indices, "right")
            self.values.extend(rows.values)
            if rows.weights is not None:
                self._weights.extend(rows.weights)
                self._kinds.extend(operand_kinds(rows.values))
        return self.add_entries(hands, starts, stops)

    def _no_results(self) -> _LevelResults:
        """Return a block without results, which has the column types of this object."""
        weights = np.zeros(0) if self._weighted else None
        return _LevelResults(np.zeros(0, np.int64), self._column([]), 0, weights)


class _ResultColumns(NamedTuple):
    """Results of several levels: columns."""

    hand_indices: Ints
    values: Column
    levels: Ints
    weights: Floats | None

    @classmethod
    def from_blocks(cls, blocks: Sequence[_LevelResults]) -> "_ResultColumns":
        """Join blocks of results to one table, in order.

        A result is a value that a hand makes. All results of a block have the same level of
        precedence, for example sums. If two blocks have 3 and 2 results, the table has 5 rows,
        each with the index of the hand, the value, the level of its block, and a weight.

        Args:
            blocks: At least one block. Either all blocks have weights, or none has; then the
                `weights` of the table are None.
        """
        index_columns = [block.hand_indices for block in blocks]
        row_counts = [len(indices) for indices in index_columns]
        levels = np.repeat([block.level for block in blocks], row_counts)
        values = join_columns([block.values for block in blocks])
        weight_columns = [block.weights for block in blocks if block.weights is not None]
        weights = np.concatenate(weight_columns) if weight_columns else None
        return cls(np.concatenate(index_columns), values, levels, weights)

    def followed_by(self, others: "_ResultColumns") -> "_ResultColumns":
        """Return a table with the rows of this table, and then the rows of another.

        Equal rows are not merged: if both tables have the value 24, the new one has it twice. Both
        tables have weights, or neither has.
        """
        weights = None
        if self.weights is not None and others.weights is not None:
            weights = np.concatenate([self.weights, others.weights])
        return _ResultColumns(
            np.concatenate([self.hand_indices, others.hand_indices]),
            join_columns([self.values, others.values]),
            np.concatenate([self.levels, others.levels]),
            weights,
        )

    def merged(self, levels: bool = True) -> "_ResultColumns":
        """Return the table sorted by hand, with equal rows merged to one.

        The weight of a merged row is the sum of the weights of its rows. For example, a hand makes
        24 once as a sum and twice as a product. Then it gets two rows with the value 24: one for
        the level of precedence of sums, and one for that of products.

        Args:
            levels: Whether to separate levels. If False, the hand gets one row 24, with level 0.
        """
        columns = (
            (self.hand_indices, self.values, self.levels)
            if levels
            else (self.hand_indices, self.values)
        )
        weights = None
        if self.weights is None:
            distinct_columns = distinct_rows(*columns)
        else:
            distinct_columns, weights = sum_weights(self.weights, *columns)
        hand_indices, values = distinct_columns[:2]
        merged_levels = distinct_columns[2] if levels else np.zeros_like(hand_indices)
        return _ResultColumns(hand_indices, values, merged_levels, weights)

    def with_levels(self, wanted_levels: Levels) -> "_ResultColumns":
        """Return the rows of some levels of precedence, with each value of a hand only once.

        For example, a hand can have the value 24 as a sum (level 2) and as a product (level 1). For
        the levels (0, 1) the sum is left out. For (0, 1, 2) the two rows become one, whose weight
        is the sum of their weights. The levels of the returned rows mean nothing.

        This table must be a result of `merged`, which puts rows of equal hand and value together.
        """
        largest_level = max(*wanted_levels, int(self.levels.max(initial=0)))
        is_wanted = np.zeros(largest_level + 1, bool)
        is_wanted[list(wanted_levels)] = True
        rows = is_wanted[self.levels].nonzero()[0]
        # A row is the first of its value if the hand or the value differs from the row before.
        is_first = run_start_mask(self.hand_indices[rows])
        for integers in integer_columns(self.values[rows]):
            is_first |= run_start_mask(integers)
        starts = is_first.nonzero()[0]
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and len(starts):
            weights = np.add.reduceat(weights, starts)
        rows = rows[starts]
        return _ResultColumns(
            self.hand_indices[rows], self.values[rows], self.levels[rows], weights
        )


class _ResultBuffer:
    """Results of some hands; equal ones are merged whenever their number has doubled."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._blocks: list[_LevelResults] = []
        self._merged: _ResultColumns | None = None
        self._count, self._max_count = 0, _MIN_RESULTS_TO_MERGE

    def add(self, results: _LevelResults) -> None:
        """Add a block of results to this buffer.

        Whenever the number of results has doubled, equal results are merged to one, which gets the
        sum of their weights. Raises RefusedError if the results need more memory than allowed.
        """
        if not len(results.hand_indices):
            return
        self._blocks.append(results)
        self._count += len(results.hand_indices)
        if self._count > self._max_count:
            merged = self.columns(results).merged()
            self._merged, self._count = merged, len(merged.hand_indices)
            self._blocks.clear()
            self._max_count = max(_MIN_RESULTS_TO_MERGE, 2 * self._count)

    def columns(self, empty: _LevelResults) -> _ResultColumns:
        """Return all results of this buffer as one table.

        A result is a value that a hand makes; equal results can have a row each. Raises
        RefusedError if the results need more memory than allowed.

        Args:
            empty: A block of results. If the buffer is empty, the returned table has no rows, but
                its columns have the types of this block, such as int64.
        """
        self._budget.check_bytes(self._count * _BYTES_PER_RESULT)
        if self._merged is None:
            return _ResultColumns.from_blocks(self._blocks or [empty])
        if not self._blocks:
            return self._merged
        return self._merged.followed_by(_ResultColumns.from_blocks(self._blocks))


def _plans_of(level: Level) -> list[OperandPlan]:
    """Return which results can be the operands of some operators that bind equally tightly.

    The list always has one plan. A plan says which levels of precedence the left operand and the
    right operand can have.
    """
    return [OperandPlan(level.lefts, level.rights, level.one_order)]


def _plans_for_routes(level: Level) -> list[OperandPlan]:
    """Return which results can be the operands of operators that bind equally tightly: two plans.

    A plan says which levels of precedence the left and the right operand can have. The first plan
    has the results that can be on both sides; of 3 + 8 and 8 + 3 it needs only the pair with the
    larger hand on the left. The second plan has on the left the results that can only be there.
    """
    left_only = tuple(index for index in level.lefts if index not in level.rights)
    both_sides = OperandPlan(level.rights, level.rights, larger_left=True)
    return [both_sides, OperandPlan(left_only, level.rights)]
