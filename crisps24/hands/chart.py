"""The chart: a dynamic programming table over the sub-hands of hands.

State: a sub-hand, that is a sorted sub-multiset of the numbers dealt, or a contiguous span if
their order is fixed. Recurrence: the results of a state are all legal `left op right` over all
partitions into two smaller states. For the hand 1 2 3 in natural numbers, (1, 2) has the results
1 + 2, 2 - 1, 1 x 2 and 2 : 1, which are 3, 1, 2 and 2; together with the results of (1, 3) and
(2, 3) and the three numbers they give the results of (1, 2, 3).

Results are rows of a column store, and the index of a row is its *position*. The results of one
state that can be an operand on one side of an operator are consecutive: a *run*. So the pairs of
operands of a partition are cross joins of runs, computed by numpy in batches of
`PAIRS_PER_BATCH` pairs. Time is proportional to the number of pairs, counted in a budget.

A subclass decides by which key the results of a state are distinct, and the data of a row:

- `ValueChart`: key value; the number or the summed weight of its derivations;
- `FunctionChart`: key (level, fingerprint); all its derivations, a packed forest;
- `ShortestForms`: key value; its cheapest derivation, with back pointers.

The *level* of a result is the precedence class of its last operator, tightest first; 0 is a
number dealt. `levels_for` decides which levels can be operands of each level. Without parentheses
that is the operator-precedence grammar. With them it is a canonical form, which leaves out equal
expressions such as a - (b - c) if the rules of the game also allow a + c - b.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, is_inverse_pair
from crisps24.rules.partitions import partitions
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    column_bytes,
    integer_columns,
    join_columns,
    make_column,
    mask_indices,
    repeat_rows,
)
from crisps24.rules.work import Budget, TableMemory, pair_weight

# Pairs of operands computed at once; sized to stay in the CPU cache.
PAIRS_PER_BATCH = 200_000
# Pairs of two sub-hands above which the longer side is split into several runs.
MAX_PAIRS_PER_SPLIT = 10 * PAIRS_PER_BATCH
# Pairs above which it pays to find the shorter side of each join.
_MIN_PAIRS_TO_COMPARE = 20_000

Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """The results whose last operator has one precedence class."""

    operators: tuple[Operator, ...]
    """The operators of the class; () for the numbers dealt."""
    lefts: Levels
    """The levels that can be a left operand."""
    rights: Levels
    """The levels that can be a right operand; () for an operator with one operand."""
    one_order: bool
    """Whether one order of two operands is enough for a commuting operator."""


def levels_for(game: Game, in_order: bool = False) -> tuple[Level, ...]:
    """Return the levels of the results of a game: the numbers dealt, then the tightest operators.

    With parentheses, any level can be an operand. But if terms can be reordered, the right
    operand never has the level of its operator: a - (b - c) is a + c - b, and a : (b : c) is
    a x c : b, which are legal whenever the first are. Without parentheses, a left operand binds
    at least as tightly as the operator, and a right operand binds tighter.

    >>> from crisps24 import GAMES
    >>> [level.rights for level in levels_for(GAMES["digits"])]
    [(), (0, 2), (0, 1)]
    >>> [level.rights for level in levels_for(GAMES["crisps"])]
    [(), (0,), (0, 1)]
    """
    every = tuple(range(len(game.operator_levels) + 1))
    levels = [Level((), (), (), False)]
    for index, operators in enumerate(game.operator_levels, 1):
        tighter, at_least = every[:index], every[: index + 1]
        first = operators[0]
        reorders = not in_order and is_inverse_pair(operators) and game.reorders_chains
        if first.arity == 1:
            # The operand of a decimal point is digits, never an expression in parentheses.
            if game.parentheses and not first.joins:
                operands = every
            else:
                operands = tighter if first.postfix or first.joins else at_least
            level = Level(operators, operands, (), one_order=False)
        elif first.right_associative and not game.parentheses:
            level = Level(operators, tighter, at_least, one_order=False)
        elif first.joins or not game.parentheses:
            # Digits are joined from left to right.
            level = Level(operators, at_least, tighter, one_order=reorders)
        elif reorders:
            level = Level(operators, every, tighter + every[index + 1 :], one_order=True)
        else:
            level = Level(operators, every, every, one_order=not in_order)
        levels.append(level)
    return tuple(levels)


class OperandPlan(NamedTuple):
    """The levels of the operands of some operators."""

    left: Levels
    right: Levels
    larger_left: bool = False
    """Whether commuting operators need only the pairs with the larger sub-hand on the left."""


# Plans of operands, each with its operators and their levels.
OperandPlans = Mapping[OperandPlan, Sequence[tuple[int, Operator]]]


def plans_for(
    levels: Sequence[Level], plans_of: Callable[[Level], Sequence[OperandPlan]]
) -> OperandPlans:
    """Return which levels each operator takes as left and right operands, as a mapping.

    The keys are plans (left levels, right levels); the values are the operators with that plan,
    each with its own level. Operators with the same plan use the same pairs of operands, which are
    then computed once.

    >>> from crisps24 import GAMES
    >>> levels = levels_for(GAMES["cards"])
    >>> plans = plans_for(levels, lambda level: [OperandPlan(level.lefts, level.rights)])
    >>> {plan[:2]: [operator.name for _, operator in pairs] for plan, pairs in plans.items()}
    {((0, 1, 2), (0, 2)): ['x', ':'], ((0, 1, 2), (0, 1)): ['-', '+']}

    Args:
        levels: The levels of the game.
        plans_of: Returns the plans of a level; one with an empty side is left out.
    """
    plans: dict[OperandPlan, list[tuple[int, Operator]]] = {}
    for index, level in enumerate(levels):
        for plan in plans_of(level) if level.operators else ():
            if plan.left and plan.right:
                pairs = [(index, operator) for operator in level.operators]
                plans.setdefault(plan, []).extend(pairs)
    return plans


class Runs(NamedTuple):
    """Runs of consecutive positions, as the rows of a compressed sparse matrix: columns.

    >>> runs, others = Runs(np.array([10]), np.array([2])), Runs(np.array([70]), np.array([3]))
    >>> [column.tolist() for column in runs.cross_join(others)]
    [[10, 11], [3, 3], [70, 71, 72, 70, 71, 72]]
    """

    starts: Ints
    lengths: Ints

    def select(self, rows: Any) -> "Runs":
        """Return the runs of some rows, given as indices, a mask or a slice."""
        return Runs(self.starts[rows], self.lengths[rows])

    @property
    def positions(self) -> Ints:
        """The positions of all runs, one run after another."""
        ends = self.lengths.cumsum()
        offsets = (self.starts - ends + self.lengths).repeat(self.lengths)
        positions: Ints = np.arange(len(offsets)) + offsets
        return positions

    def cross_join(self, others: "Runs") -> tuple[Ints, Ints, Ints]:
        """Return all pairs of positions of each run with the run in the same row of `others`.

        Returns:
            (outer, repeats, inner): the positions of these runs, the number of pairs of each,
            and the positions of the other runs, one for each pair. The outer positions of the
            pairs are `outer.repeat(repeats)`.
        """
        repeats = others.lengths.repeat(self.lengths)
        return self.positions, repeats, Runs(others.starts.repeat(self.lengths), repeats).positions


class Partitions(NamedTuple):
    """Partitions of hands into two sub-hands, those of a hand together: columns."""

    hands: Ints
    """The index of the hand in a list of hands."""
    left: Ints
    """The index of the left sub-hand in the chart."""
    right: Ints
    """The index of the right sub-hand in the chart."""
    larger: Ints
    """1 if the left sub-hand has more numbers, -1 if the right one has, else 0."""

    def select(self, rows: Any) -> "Partitions":
        """Return the partitions of some rows, given as indices, a mask or a slice."""
        return Partitions(*(column[rows] for column in self))


class CrossJoin(NamedTuple):
    """All pairs of positions of some runs with others: columns.

    The outer runs should be the shorter ones.
    """

    hands: Ints
    """The index of the hand of each pair."""
    sizes: Ints
    """The number of pairs of each two runs."""
    outer: Ints
    repeats: Ints
    """The number of pairs of each outer position."""
    inner: Ints
    """The inner position of each pair."""


class OperandPairs:
    """Pairs of operands: their positions in the chart, their values, and their hands: columns.

    Args:
        values: The values of the chart.
        by_left: A join with the left operands outside.
        by_right: A join with the right operands outside; its pairs come first.
    """

    def __init__(
        self, values: "GrowingColumn", by_left: CrossJoin, by_right: CrossJoin | None = None
    ) -> None:
        self._joins = by_left, by_right
        self.hands = by_left.hands
        self.left_values: Column = repeat_rows(values[by_left.outer], by_left.repeats)
        self.right_values: Column = values[by_left.inner]
        if by_right is not None:
            self.hands = np.concatenate((by_right.hands, self.hands))
            self.left_values = join_columns([values[by_right.inner], self.left_values])
            outer = repeat_rows(values[by_right.outer], by_right.repeats)
            self.right_values = join_columns([outer, self.right_values])
        self.commuting_count = self.unmirrored_count = len(self.hands)
        """How many of the first pairs are enough for commuting operators, and how many of the
        first pairs lack a mirror image (right, left) among the pairs."""

    @cached_property
    def left(self) -> Ints:
        """The positions of the left operands."""
        by_left, by_right = self._joins
        left = by_left.outer.repeat(by_left.repeats)
        return left if by_right is None else np.concatenate((by_right.inner, left))

    @cached_property
    def right(self) -> Ints:
        """The positions of the right operands."""
        by_left, by_right = self._joins
        if by_right is None:
            return by_left.inner
        return np.concatenate((by_right.outer.repeat(by_right.repeats), by_left.inner))


class StepResults(NamedTuple):
    """The legal results of one operator on pairs of operands: columns."""

    level: int
    """The level of the operator."""
    operator: Operator
    pairs: OperandPairs
    rows: Ints
    """The row of `pairs` of each result."""
    values: Column
    """The results; fractions are not in lowest terms."""


class Chart:
    """A column store of the results of sub-hands, with the joins of their operands.

    Args:
        game: The game whose operators and rules apply.
        dtype: The integers of the values: int32, int64, or object for Python's own.
        in_order: Whether the numbers of a hand keep their order.
        runs_of_side: For each tuple of levels that is a side of a plan, which runs of a
            sub-hand contain its results.
        budget: Counts all pairs and all bytes, and raises RefusedError above its limits.
    """

    def __init__(
        self,
        game: Game,
        dtype: Any,
        in_order: bool,
        runs_of_side: Mapping[Levels, Sequence[range]],
        budget: Budget | None = None,
    ) -> None:
        self.game = game
        self.budget = Budget() if budget is None else budget
        self._weight = pair_weight(game.fractions, dtype is object)
        self.in_order = in_order
        self._dtype = dtype
        self._runs_of_side = runs_of_side
        stops = (run.stop for runs in runs_of_side.values() for run in runs)
        self._run_count = max(stops, default=1)
        self.clear()

    def clear(self) -> None:
        """Remove all sub-hands and their results."""
        self.index_of: dict[Hand, int] = {}
        self.values = self.new_column(self._column([]))
        # A row for each sub-hand: the starts of its runs, their stops, and its size.
        self._entries = self.new_column(np.empty((0, 2 * self._run_count + 1), np.int64))
        # The most results of a sub-hand, in all its runs together.
        self._max_results = 0

    def new_column(self, column: Any) -> "GrowingColumn":
        """Return a column that can grow and is counted in the budget."""
        return GrowingColumn(column, self.budget)

    def _column(self, numbers: Sequence[int]) -> Column:
        return make_column(numbers, self.game.fractions, self._dtype)

    def add_entries(self, hands: Sequence[Hand], starts: Ints, stops: Ints) -> range:
        """Store at which positions of the chart the results of sub-hands are; return their indices.

        An entry is a row of numbers: where each run of results of the sub-hand starts and stops,
        and how many numbers the sub-hand has.

        Args:
            hands: The sub-hands. The caller adds them to `index_of`.
            starts: The first position of each run, a row for each sub-hand.
            stops: The position after each run, a row for each sub-hand.

        Raises:
            RefusedError: The budget is exceeded.
        """
        first, sizes = len(self._entries), np.array([[len(hand)] for hand in hands], np.int64)
        self._entries.extend(np.concatenate((starts, stops, sizes), axis=1))
        counts = (stops - starts).sum(axis=1)
        self._max_results = max(self._max_results, int(counts.max(initial=0)))
        return range(first, first + len(hands))

    def slice_of(self, index: int, run: int = 0) -> slice:
        """Return the positions of one run of the sub-hand with an index."""
        return slice(*self._entries[index, [run, self._run_count + run]].tolist())

    def partitions(self, hands: Sequence[Hand]) -> Partitions:
        """Return all partitions of hands into two parts, hand after hand.

        For (1, 2, 3) these are 1 and (2, 3), 2 and (1, 3), 3 and (1, 2), and the same with the
        parts exchanged. All parts must be in the chart.
        """
        index_of = self.index_of
        splits_of = [partitions(hand, self.in_order) for hand in hands]
        indices = [index_of[part] for pairs in splits_of for pair in pairs for part in pair]
        left, right = np.array(indices, np.int64).reshape(-1, 2).T
        counts = [len(pairs) for pairs in splits_of]
        hand_indices = np.arange(len(hands), dtype=np.int32).repeat(counts)
        larger = np.sign(self._entries[left, -1] - self._entries[right, -1])
        return Partitions(hand_indices, left, right, larger)

    def batches(self, plans: OperandPlans, partitions: Partitions) -> Iterator[Partitions]:
        """Yield partitions of hands in batches of about `PAIRS_PER_BATCH` pairs of operands each.

        A partition with too many pairs comes several times, each time with another part of its
        longer side; these parts are added to the chart. Raises RefusedError over the budget.
        """
        if self._max_pairs(plans, partitions) <= PAIRS_PER_BATCH:
            yield partitions
            return
        sizes = self.count_pairs(plans, partitions)
        if sizes.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            partitions = self._split_longer_sides(partitions, -(-sizes // PAIRS_PER_BATCH))
            sizes = self.count_pairs(plans, partitions)
        yield from map(partitions.select, batches_of(sizes))

    def hand_batches(
        self, plans: OperandPlans, partitions: Partitions
    ) -> Iterator[tuple[Partitions, int]]:
        """Yield partitions in batches; those of one hand are never divided over two batches.

        A batch has about `PAIRS_PER_BATCH` pairs of operands, but more if one hand has more.

        Args:
            plans: The levels of the operands.
            partitions: The partitions, with those of a hand together, hands ascending.

        Yields:
            (partitions, pairs): a batch, and an upper bound of its number of pairs.
        """
        most = self._max_pairs(plans, partitions)
        if most <= PAIRS_PER_BATCH:
            yield partitions, most
            return
        sizes = self.count_pairs(plans, partitions)
        for rows in batches_of(sizes, partitions.hands):
            yield partitions.select(rows), int(sizes[rows].sum())

    def _max_pairs(self, plans: OperandPlans, partitions: Partitions) -> int:
        """Return an upper bound of the pairs of partitions that costs nothing to compute."""
        return len(partitions.hands) * self._max_results**2 * len(plans)

    def count_pairs(self, plans: OperandPlans, partitions: Partitions) -> Ints:
        """Return the number of pairs of operands of each partition, over all plans."""
        lefts, rights = partitions.left, partitions.right
        pairs = [
            self._count_operands(lefts, plan.left) * self._count_operands(rights, plan.right)
            for plan in plans
        ]
        sizes: Ints = sum(pairs[1:], start=pairs[0])
        return sizes

    def _split_longer_sides(self, partitions: Partitions, counts: Ints) -> Partitions:
        """Cut the longer side of each partition into pieces, and return a partition for each.

        `counts` has the number of pieces for each partition. The pieces are added to the chart as
        entries of their own. Raises RefusedError over the budget.
        """
        sides = partitions.left, partitions.right
        spans = [self._spanning_runs(side) for side in sides]
        left_is_longer = spans[0].lengths >= spans[1].lengths
        results = []
        for name, side, span, mask in zip(
            ("left", "right"), sides, spans, (left_is_longer, ~left_is_longer), strict=True
        ):
            rows = mask.nonzero()[0]
            sources, parts = split_runs(span.select(rows), counts[rows])
            rows = rows[sources]
            entries = self._entries[side[rows]].copy()
            limits = parts.starts[:, None], (parts.starts + parts.lengths)[:, None]
            entries[:, :-1] = np.clip(entries[:, :-1], *limits)
            indices = len(self._entries) + np.arange(len(entries))
            self._entries.extend(entries)
            results.append(partitions.select(rows)._replace(**{name: indices}))
        return Partitions(*map(np.concatenate, zip(*results, strict=True)))

    def _spanning_runs(self, indices: Ints) -> Runs:
        """Return for each sub-hand the shortest run that contains all its runs."""
        entries = self._entries[indices]
        starts = entries[:, : self._run_count].min(1)
        return Runs(starts, entries[:, self._run_count : -1].max(1) - starts)

    def legal_steps(
        self,
        plans: OperandPlans,
        partitions: Partitions,
        only: Callable[[Column, Ints], Any] | None = None,
    ) -> Iterator[StepResults]:
        """Compute each operator on all pairs of operands, and yield the legal results.

        The time is proportional to pairs times operators, which is counted in the budget.

        Args:
            plans: The operators, by the levels of their operands.
            partitions: Partitions of hands; see `batches` for a suitable number.
            only: A function of values and the indices of their hands; it returns a mask of the
                results to yield (None: all).

        Raises:
            RefusedError: More pairs than the budget allows.
        """
        for plan, operators in plans.items():
            pairs = self._operand_pairs(plan, partitions)
            self.budget.add_pairs(len(pairs.hands) * len(operators), self._weight)
            for level, operator in operators:
                some = slice(pairs.commuting_count if operator.commutes else None)
                lefts, rights = pairs.left_values[some], pairs.right_values[some]
                values, legal = operator.operate(lefts, rights, self.game)
                if only is not None:
                    legal = legal & only(values, pairs.hands[some])
                rows = mask_indices(legal, len(values))
                values = values if legal is True else values[rows]
                yield StepResults(level, operator, pairs, rows, values)

    def _operand_pairs(self, plan: OperandPlan, partitions: Partitions) -> OperandPairs:
        """Return all pairs of a left and a right operand in all partitions.

        If the plan has `larger_left`, the pairs are sorted: first those whose left part has more
        numbers, then those with parts of equal sizes, then the others. A commuting operator needs
        only the first two kinds, since the others are their mirror images.
        """
        lefts, rights = self._runs_of_side[plan.left], self._runs_of_side[plan.right]
        if not plan.larger_left:
            sides = (partitions.left, lefts), (partitions.right, rights)
            return OperandPairs(self.values, self._cross_join(partitions.hands, *sides))
        partitions = partitions.select(np.argsort(-partitions.larger, kind="stable"))
        larger_count, count = (int((partitions.larger >= least).sum()) for least in (1, 0))
        by_right, rest = None, partitions
        if len(partitions.hands) * self._max_results**2 > _MIN_PAIRS_TO_COMPARE:
            large, rest = partitions.select(slice(count)), partitions.select(slice(count, None))
            by_right = self._cross_join(large.hands, (large.right, rights), (large.left, lefts))
        by_left = self._cross_join(rest.hands, (rest.left, lefts), (rest.right, rights))
        pairs = OperandPairs(self.values, by_left, by_right)
        sizes = (by_right or by_left).sizes
        pairs.commuting_count = int(sizes[:count].sum())
        pairs.unmirrored_count = int(sizes[:larger_count].sum())
        return pairs

    def _cross_join(
        self,
        hands: Ints,
        outer: tuple[Ints, Sequence[range]],
        inner: tuple[Ints, Sequence[range]],
    ) -> CrossJoin:
        """Return each pair of a result of one sub-hand and a result of another, row by row.

        Args:
            hands: The hand of each row.
            outer: The indices of the sub-hands whose results change slowly, and their runs.
            inner: The indices of the sub-hands whose results change fast, and their runs.
        """
        (outer_indices, outer_runs), (inner_indices, inner_runs) = outer, inner
        blocks = [
            (hands, *self._runs_in(outer_indices, one), *self._runs_in(inner_indices, other))
            for one in outer_runs
            for other in inner_runs
        ]
        columns = map(np.concatenate, zip(*blocks, strict=True)) if blocks[1:] else blocks[0]
        hands, starts, lengths, inner_starts, inner_lengths = columns
        sizes = lengths * inner_lengths
        join = Runs(starts, lengths).cross_join(Runs(inner_starts, inner_lengths))
        return CrossJoin(hands.repeat(sizes), sizes, *join)

    def _count_operands(self, indices: Ints, side: Levels) -> Any:
        """Return the number of results of each sub-hand that can be operands on a side."""
        lengths = [self._runs_in(indices, run).lengths for run in self._runs_of_side[side]]
        return sum(lengths[1:], start=lengths[0])

    def _runs_in(self, indices: Ints, run: range) -> Runs:
        """Return for each sub-hand one run: the union of consecutive runs."""
        starts = self._entries[indices, run.start]
        return Runs(starts, self._entries[indices, self._run_count + run.stop - 1] - starts)


def split_runs(runs: Runs, counts: Ints) -> tuple[Ints, Runs]:
    """Cut runs of positions into parts of nearly equal length, none of them empty.

    >>> sources, parts = split_runs(Runs(np.array([10, 70]), np.array([5, 3])), np.array([2, 1]))
    >>> sources.tolist(), parts.starts.tolist(), parts.lengths.tolist()
    ([0, 0, 1], [10, 12, 70], [2, 3, 3])

    Args:
        runs: The runs.
        counts: The number of parts of each run; a run of n positions has at most n parts.

    Returns:
        (sources, parts): for each part the row of the run that it comes from, and the parts in
            order.
    """
    counts = np.minimum(counts, runs.lengths)
    sources = np.arange(len(counts)).repeat(counts)
    first, length, count = runs.starts[sources], runs.lengths[sources], counts[sources]
    number = np.arange(len(sources)) - (counts.cumsum() - counts)[sources]
    starts, stops = (first + length * part // count for part in (number, number + 1))
    return sources, Runs(starts, stops - starts)


def batches_of(sizes: Ints, groups: Ints | None = None) -> Iterator[slice]:
    """Divide rows into batches of at most `PAIRS_PER_BATCH` pairs, and yield each as a slice.

    A row with more pairs is a batch of its own.

    >>> [(rows.start, rows.stop) for rows in batches_of(np.array([PAIRS_PER_BATCH, 1, 2]))]
    [(0, 1), (1, 3)]

    Args:
        sizes: The number of pairs of each row.
        groups: An ascending column: rows with the same number stay in one batch, which can then be
            larger.
    """
    ends = sizes.cumsum()
    start = done = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + PAIRS_PER_BATCH, "right")))
        if groups is not None:
            stop = int(np.searchsorted(groups, groups[stop - 1], "right"))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


class GrowingColumn:
    """A column that can be extended, of ints, floats, rows of ints, or fractions.

    Its bytes are counted in a budget. Extending takes amortized time proportional to the rows
    added.
    """

    def __init__(self, column: Any, budget: Budget) -> None:
        self._parts = integer_columns(column)
        self._column = column
        self._budget, self._kept_bytes = budget, TableMemory(budget)

    def __len__(self) -> int:
        return len(self._column)

    def extend(self, column: Any) -> None:
        """Append the rows of a column.

        If the arrays are full, the rows are copied to arrays twice as large. Raises RefusedError if
        the budget lacks the bytes.
        """
        size, end = len(self), len(self) + len(column)
        self._kept_bytes.add(column_bytes(column))
        if end > len(self._parts[0]):
            # Old and new arrays exist together while rows are copied.
            self._budget.check_bytes(column_bytes(self._column))
            arrays = [np.empty((2 * end, *part.shape[1:]), part.dtype) for part in self._parts]
            for array, part in zip(arrays, self._parts, strict=True):
                array[:size] = part[:size]
            self._parts = tuple(arrays)
        for part, more in zip(self._parts, integer_columns(column), strict=True):
            part[size:end] = more
        views = [part[:end] for part in self._parts]
        self._column = Ratios(*views) if isinstance(column, Ratios) else views[0]

    def __getitem__(self, rows: Any) -> Any:
        return self._column[rows]
