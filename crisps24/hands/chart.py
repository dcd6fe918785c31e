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

What a rule or points of whole formulas need to know of a part, how often it uses each operator, is
its *state*. Results of one level with different states are kept apart: their level is that of the
precedence class, plus the number of classes times the index of the state.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.rows import GrowingColumn, Runs, join, select, split_runs
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, is_inverse_pair
from crisps24.rules.partitions import left_parts
from crisps24.rules.ratios import Column, Ints, make_column, mask_indices
from crisps24.rules.widths import int_range, repeat_rows, running_sums
from crisps24.rules.work import Budget, pair_weight

# Pairs of operands computed at once; sized to stay in the CPU cache.
PAIRS_PER_BATCH = 200_000
# Pairs of two sub-hands above which the longer side is split into several runs.
MAX_PAIRS_PER_SPLIT = 10 * PAIRS_PER_BATCH

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


def levels_for(game: Game, all_groupings: bool = False) -> tuple[Level, ...]:
    """Return the precedence levels of a game, each with the levels that its operands can have.

    With parentheses, a - (b - c) is left out if a + c - b is equal and also allowed: the right
    operand of - and + has no - or +, nor that of x and : a product. `all_groupings` keeps it.

    >>> from crisps24 import GAMES
    >>> [level.rights for level in levels_for(GAMES["crisps"])]
    [(), (0,), (0, 1)]
    >>> [level.rights for level in levels_for(GAMES["digits"])]
    [(), (0, 2), (0, 1)]
    """
    all_levels = tuple(range(len(game.operator_levels) + 1))
    levels = [Level((), (), (), one_order=False)]
    for index, operators in enumerate(game.operator_levels, 1):
        tighter, tighter_or_equal = all_levels[:index], all_levels[: index + 1]
        first = operators[0]
        can_reorder = not all_groupings and is_inverse_pair(operators) and game.reorders_chains
        lefts, rights, one_order = all_levels, all_levels, not (game.in_order or all_groupings)
        if first.arity == 1:
            rights, one_order = (), False
            # The operand of a decimal point is digits, never an expression in parentheses.
            if first.joins or not game.parentheses:
                lefts = tighter if first.postfix or first.joins else tighter_or_equal
        elif first.right_associative and not game.parentheses:
            # 2 ^ 3 ^ 2 means 2 ^ (3 ^ 2).
            lefts, rights, one_order = tighter, tighter_or_equal, False
        elif first.joins or not game.parentheses:
            # 8 - 3 - 2 means (8 - 3) - 2; digits are joined from left to right too.
            lefts, rights, one_order = tighter_or_equal, tighter, can_reorder
        elif can_reorder:
            rights = tighter + all_levels[index + 1 :]
        levels.append(Level(operators, lefts, rights, one_order))
    return tuple(levels)


def answer_levels(game: Game, levels: Sequence[Level], state_count: int) -> Levels:
    """Return the levels that a whole formula can have: in some games it cannot be a number."""
    return tuple(
        index
        for index in range(len(levels) * state_count)
        for place in [index % len(levels)]
        if not (game.nontrivial and (not place or levels[place].operators[0].joins))
    )


class OperandPlan(NamedTuple):
    """The levels of precedence that the two operands of some operators can have."""

    left: Levels
    right: Levels
    larger_left: bool = False
    """Whether commuting operators need only the pairs with the larger sub-hand on the left."""
    size: int | None = None
    """The size of the hands that have such operands, if it is known from their states."""


# The operators of each plan, each after the index of its level.
OperandPlans = Mapping[OperandPlan, Sequence[tuple[int, Operator]]]

# The operators that a part of a formula uses, in ascending order; () if they do not matter.
State = tuple[str, ...]


def states_of(game: Game, most_steps: int | None = None) -> tuple[State, ...]:
    """Return the states of the parts of formulas, those with fewer operators first.

    They matter in games with each operator at most once, and for points: then the caller gives the
    most steps of a formula.
    """
    if most_steps is None and not game.once:
        return ((),)
    names = sorted(operator.name for operator in game.row_operators if not operator.joins)
    choices: Any = combinations if game.once else combinations_with_replacement
    most_steps = len(names) if most_steps is None else most_steps
    return tuple(chain(*(choices(names, count) for count in range(most_steps + 1))))


def one_plan_of(level: Level) -> list[OperandPlan]:
    return [OperandPlan(level.lefts, level.rights, level.one_order)]


# For the 70 states of mathador this takes 5 ms.
@lru_cache(64)
def plans_for(
    levels: Sequence[Level],
    plans_of: Callable[[Level], Sequence[OperandPlan]],
    states: Sequence[State],
) -> OperandPlans:
    """Group the operators of a game by the levels of their operands, to compute pairs once."""
    plans: dict[OperandPlan, list[tuple[int, Operator]]] = {}
    for index, level in enumerate(levels):
        if not level.operators:
            continue
        operators = [(index, operator) for operator in level.operators]
        for plan in plans_of(level):
            if plan.left and plan.right:
                plans.setdefault(plan, []).extend(operators)
    return plans if len(states) == 1 else _plans_by_state(plans, len(levels), states)


def _plans_by_state(plans: OperandPlans, level_count: int, states: Sequence[State]) -> OperandPlans:
    """Return a plan for each two states that the operands can have."""
    first_levels = {state: index * level_count for index, state in enumerate(states)}
    most_steps = len(states[-1])
    has_joins = any(operator.joins for _, operator in chain(*plans.values()))
    plans_by_state: dict[OperandPlan, list[tuple[int, Operator]]] = {}
    for left, right in product(states, repeat=2):
        if len(left) + len(right) > most_steps:
            continue
        size = None if has_joins else len(left) + len(right) + 2
        for plan, operators in plans.items():
            shifted = OperandPlan(
                tuple(first_levels[left] + level for level in plan.left),
                tuple(first_levels[right] + level for level in plan.right),
                plan.larger_left,
                size,
            )
            for level, operator in operators:
                used = left + right if operator.joins else (*left, *right, operator.name)
                first = first_levels.get(tuple(sorted(used)))
                if first is not None:
                    plans_by_state.setdefault(shifted, []).append((first + level, operator))
    return plans_by_state


def plans_of_size(plans: OperandPlans, size: int) -> OperandPlans:
    """Return the plans that hands of a size need."""
    return {plan: plans[plan] for plan in plans if plan.size in (None, size)}


class Partitions(NamedTuple):
    """Partitions of hands, by index in a list, into sub-hands, by index in the chart: columns."""

    hands: Ints
    left: Ints
    right: Ints
    larger: Ints
    """1 if the left sub-hand has more numbers, -1 if the right one has, else 0."""


class OperandPairs:
    """Pairs of operands by position; a left operand is followed by all its right ones."""

    def __init__(self, values: GrowingColumn, hands: Ints, lefts: Runs, rights: Runs) -> None:
        self._left, self._repeats, self.right = lefts.cross_join(rights)
        self.hands = repeat_rows(hands, lefts.lengths * rights.lengths)
        self.left_values: Column = repeat_rows(values[self._left], self._repeats)
        self.right_values: Column = values[self.right]
        self.commuting_count = self.unmirrored_count = len(self.hands)
        """How many of the first pairs are enough for commuting operators, and how many of the
        first pairs lack a mirror image (right, left) among the pairs."""

    @cached_property
    def left(self) -> Ints:
        return repeat_rows(self._left, self._repeats)


class StepResults(NamedTuple):
    """The legal results of one operator on pairs of operands: columns."""

    level: int
    operator: Operator
    pairs: OperandPairs
    rows: Ints
    """The row of `pairs` of each result."""
    values: Column
    """The results; fractions are not in lowest terms."""


class Chart:
    """A column store of the results of sub-hands, with the joins of their operands.

    `runs_of_side` has the numbers of the runs with the levels of a side of an operator.
    """

    def __init__(
        self,
        game: Game,
        dtype: Any,
        runs_of_side: Mapping[Levels, Sequence[range]],
        budget: Budget | None = None,
    ) -> None:
        self.game = game
        self.budget = Budget() if budget is None else budget
        self._weight = pair_weight(game.fractions, dtype is object)
        self._dtype = dtype
        self._runs_of_side = runs_of_side
        stops = (run.stop for runs in runs_of_side.values() for run in runs)
        self._run_count = max(stops, default=1)
        self.clear()

    def clear(self) -> None:
        self.index_of: dict[Hand, int] = {}
        self.values = self.new_column(self._column([]))
        # A row for each sub-hand: the starts of its runs, their stops, and last its size.
        self._entries = self.new_column(np.empty((0, 2 * self._run_count + 1), np.int64))
        self._max_results = 0

    def new_column(self, column: Any) -> GrowingColumn:
        return GrowingColumn(column, self.budget)

    def _column(self, numbers: Sequence[Exact]) -> Column:
        return make_column(numbers, self.game.fractions, self._dtype)

    def add_entries(self, hands: Sequence[Hand], starts: Ints, stops: Ints) -> range:
        """Record the runs of some hands: a row of starts and of stops for each."""
        first_index = len(self._entries)
        hand_sizes = np.array([[len(hand)] for hand in hands], np.int64)
        self._entries.extend(np.concatenate((starts, stops, hand_sizes), axis=1))
        result_counts = (stops - starts).sum(axis=1)
        self._max_results = max(self._max_results, int(result_counts.max(initial=0)))
        return range(first_index, first_index + len(hands))

    def stored(self) -> tuple[Sequence[Hand], Ints, Column]:
        """Return the stored sub-hands, the starts and stops of their runs, and all values."""
        return [*self.index_of], self._entries[[*self.index_of.values()]][:, :-1], self.values[:]

    def restore(self, hands: Sequence[Hand], entries: Ints, values: Column) -> None:
        """Fill an empty chart with what `stored` returned."""
        self.values.extend(values)
        indices = self.add_entries(hands, *np.hsplit(entries, 2))
        self.index_of.update(zip(hands, indices, strict=True))

    def slice_of(self, index: int, run: int = 0) -> slice:
        """Return the positions of a run of the sub-hand with an index."""
        return slice(*self._entries[index, [run, self._run_count + run]].tolist())

    def partitions(self, hands: Sequence[Hand]) -> Partitions:
        """Return all ways to divide each hand into two stored parts, hand after hand."""
        index_of = self.index_of
        parts_of_hands = [left_parts(hand, self.game.in_order) for hand in hands]
        pair_counts = np.array([len(parts) for parts in parts_of_hands], np.int64)
        hand_indices = repeat_rows(np.arange(len(hands), dtype=np.int32), pair_counts)
        left = np.array([index_of[part] for part in chain(*parts_of_hands)], np.int64)
        if self.game.in_order:
            right_parts = (hand[size:] for hand in hands for size in range(1, len(hand)))
            right = np.array([index_of[part] for part in right_parts], np.int64)
        else:
            # The right parts of a hand are its left parts in reverse order.
            mirrors = 2 * running_sums(pair_counts) - pair_counts - 1
            right = left[repeat_rows(mirrors, pair_counts) - int_range(len(left))]
        larger = np.sign(self._entries[left, -1] - self._entries[right, -1])
        return Partitions(hand_indices, left, right, larger)

    def batches(
        self, plans: OperandPlans, partitions: Partitions, *, whole_hands: bool = False
    ) -> Iterator[Partitions]:
        """Yield partitions in batches of about `PAIRS_PER_BATCH` pairs, or of whole hands."""
        if self._max_pairs(plans, partitions) <= PAIRS_PER_BATCH:
            yield partitions
            return
        pair_counts = self.count_pairs(plans, partitions)
        if not whole_hands and pair_counts.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            piece_counts = -(-pair_counts // PAIRS_PER_BATCH)
            partitions = self._split_longer_sides(partitions, piece_counts)
            pair_counts = self.count_pairs(plans, partitions)
        for rows in batches_of(pair_counts, partitions.hands if whole_hands else None):
            yield select(partitions, rows)

    def _max_pairs(self, plans: OperandPlans, partitions: Partitions) -> int:
        """Return a bound of `count_pairs` at once; a hand of four takes a quarter less."""
        return len(partitions.hands) * self._max_results**2 * len(plans)

    def count_pairs(self, plans: OperandPlans, partitions: Partitions) -> Ints:
        lefts, rights = partitions.left, partitions.right
        pair_counts: Ints = sum(
            self._count_operands(lefts, plan.left) * self._count_operands(rights, plan.right)
            for plan in plans
        )
        return pair_counts

    def _split_longer_sides(self, partitions: Partitions, piece_counts: Ints) -> Partitions:
        """Replace partitions by pieces of them, with nearly equal parts of the longer side."""
        left_spans = self._spanning_runs(partitions.left)
        right_spans = self._spanning_runs(partitions.right)
        left_is_longer = left_spans.lengths >= right_spans.lengths
        tables = []
        for side, parts, spans, is_longer in (
            ("left", partitions.left, left_spans, left_is_longer),
            ("right", partitions.right, right_spans, ~left_is_longer),
        ):
            rows = is_longer.nonzero()[0]
            sources, pieces = split_runs(select(spans, rows), piece_counts[rows])
            rows = rows[sources]
            entries = self._entries[parts[rows]].copy()
            piece_starts = pieces.starts[:, None]
            piece_stops = piece_starts + pieces.lengths[:, None]
            entries[:, :-1] = np.clip(entries[:, :-1], piece_starts, piece_stops)
            piece_indices = len(self._entries) + int_range(len(entries))
            self._entries.extend(entries)
            tables.append(select(partitions, rows)._replace(**{side: piece_indices}))
        return join(tables)

    def _spanning_runs(self, indices: Ints) -> Runs:
        """Return, for each hand with an index, the shortest run with all its results."""
        entries = self._entries[indices]
        starts = entries[:, : self._run_count].min(1)
        stops = entries[:, self._run_count : -1].max(1)
        return Runs(starts, stops - starts)

    def steps(
        self,
        plans: OperandPlans,
        partitions: Partitions,
        value_filter: Callable[[Column, Ints], Any] | None = None,
    ) -> Iterator[StepResults]:
        """Yield the legal results of each operator on all pairs, or those that a filter keeps."""
        batches = self.batches(plans, partitions)
        for plan, batch in ((plan, batch) for batch in batches for plan in plans):
            pairs, operators = self._operand_pairs(plan, batch), plans[plan]
            self.budget.add_pairs(len(pairs.hands) * len(operators), self._weight)
            for level, operator in operators:
                # 2 + 3 makes 3 + 2 unnecessary; such mirror images are the last pairs.
                needed = slice(pairs.commuting_count if operator.commutes else None)
                lefts, rights = pairs.left_values[needed], pairs.right_values[needed]
                values, is_legal = operator.operate(lefts, rights, self.game)
                if value_filter is not None:
                    is_legal = is_legal & value_filter(values, pairs.hands[needed])
                rows = mask_indices(is_legal, len(values))
                values = values if is_legal is True else values[rows]
                yield StepResults(level, operator, pairs, rows, values)

    def _operand_pairs(self, plan: OperandPlan, partitions: Partitions) -> OperandPairs:
        """Return the pairs of operands of all partitions, mirror images of `larger_left` last."""
        if plan.larger_left:
            partitions = select(partitions, np.argsort(-partitions.larger, kind="stable"))
        blocks = [
            (
                partitions.hands,
                *self._runs_in(partitions.left, left_run),
                *self._runs_in(partitions.right, right_run),
            )
            for left_run in self._runs_of_side[plan.left]
            for right_run in self._runs_of_side[plan.right]
        ]
        columns = map(np.concatenate, zip(*blocks, strict=True)) if blocks[1:] else blocks[0]
        hands, left_starts, left_lengths, right_starts, right_lengths = columns
        lefts, rights = Runs(left_starts, left_lengths), Runs(right_starts, right_lengths)
        pairs = OperandPairs(self.values, hands, lefts, rights)
        if plan.larger_left:
            # Such plans have one run on each side, so that pairs are in the order of partitions.
            pair_counts = left_lengths * right_lengths
            pairs.commuting_count = int(pair_counts[partitions.larger >= 0].sum())
            pairs.unmirrored_count = int(pair_counts[partitions.larger > 0].sum())
        return pairs

    def _count_operands(self, indices: Ints, side: Levels) -> Any:
        return sum(self._runs_in(indices, run).lengths for run in self._runs_of_side[side])

    def _runs_in(self, indices: Ints, run_range: range) -> Runs:
        """Return a range of runs, which are neighbours, as one run, for each hand with an index."""
        starts = self._entries[indices, run_range.start]
        stops = self._entries[indices, self._run_count + run_range.stop - 1]
        return Runs(starts, stops - starts)


def batches_of(sizes: Ints, groups: Ints | None = None) -> Iterator[slice]:
    """Yield slices of at most `PAIRS_PER_BATCH`, or of one larger row; a group stays together."""
    sums = running_sums(sizes)
    start = sum_before = 0
    while start < len(sums):
        stop = int(np.searchsorted(sums, sum_before + PAIRS_PER_BATCH, "right"))
        stop = max(start + 1, stop)
        if groups is not None:
            stop = int(np.searchsorted(groups, groups[stop - 1], "right"))
        yield slice(start, stop)
        start, sum_before = stop, int(sums[stop - 1])
