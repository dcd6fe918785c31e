"""Subset dynamic programming over hands: the tables that all readings share.

State: a sub-hand, that is a sorted sub-multiset of the numbers dealt, or a contiguous span where
their order is fixed. Recurrence: the results of a state are all legal `left op right` over all its
bipartitions into two smaller states. Results are rows of a column store. The rows of one state that
may stand on one side of an operator are contiguous (a *run*: start and stop), so that a transition
is a cross join of runs, done in numpy, `PAIRS_PER_BATCH` pairs at a time.

A subclass says by which key the rows of a state are deduplicated and what each row carries:

- `ValueChart`: key value; the number, or summed weight, of its derivations;
- `FunctionChart`: key (level, fingerprint); all its derivations, a packed forest;
- `ShortestForms`: key value; its cheapest derivation, with back pointers.

The *level* of a result is the precedence class of its last operator, tightest first; 0 is a number
dealt. `levels_for` owns which levels may be operands of which: without parentheses that is the
operator-precedence grammar, with them the normal form, which leaves out re-associations such as
a - (b - c) wherever the rules of the game make a + c - b legal too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, is_inverse_pair
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
from crisps24.rules.splits import partitions
from crisps24.rules.work import Budget, TableMemory, pair_weight

# So many pairs are worked out at a time, so that they stay near the processor.
PAIRS_PER_BATCH = 200_000
# Pairs of two sub-hands above which one of the two is cut into pieces.
MAX_PAIRS_PER_SPLIT = 10 * PAIRS_PER_BATCH
# So few pairs, at most, are not worth to look for the shorter side.
_FEW = 20_000

Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """The results whose last step is by one of some operators of one precedence."""

    operators: tuple[Operator, ...]
    """Which operators; none for the numbers dealt."""
    lefts: Levels
    """The levels that may stand on the left of them."""
    rights: Levels
    """The levels that may stand on the right of them."""
    one_order: bool
    """Whether a commuting operator makes nothing more where its operands change places, or
    nothing that others of the level do not make."""


def levels_for(game: Game, in_order: bool = False) -> tuple[Level, ...]:
    """Return the levels of the results of a game, from the numbers dealt upwards.

    With parentheses anything may stand anywhere. But where terms may change places, nothing of
    its own level has to stand on the right of an operator: a - (b - c) is a + c - b and
    a : (b : c) is a x c : b, which are legal where the first are; brute force agrees in the
    tests. Without parentheses what stands on the left binds at least as tightly as the operator,
    and what stands on the right binds tighter.

    >>> from crisps24 import GAMES
    >>> [level.rights for level in levels_for(GAMES["digits"])]
    [(), (0, 2), (0, 1)]
    >>> [level.rights for level in levels_for(GAMES["crisps"])]
    [(), (0,), (0, 1)]
    """
    every = tuple(range(len(game.levels) + 1))
    levels = [Level((), (), (), False)]
    for own, operators in enumerate(game.levels, 1):
        moves, first = _moves(operators, game, in_order), operators[0]
        if first.arity == 1:
            # What is on its one side: a number that it writes is of digits alone, joined or one.
            bare = every[: own + (not first.after and not first.joins)]
            alone = every if game.parentheses and not first.joins else bare
            levels.append(Level(operators, alone, (), one_order=False))
            continue
        if first.to_right and not game.parentheses:
            levels.append(Level(operators, every[:own], every[: own + 1], one_order=False))
            continue
        if not game.parentheses or operators[0].joins:
            # A number is written from left to right; nothing in parentheses is a digit.
            level = Level(operators, every[: own + 1], every[:own], moves)
        elif moves:
            level = Level(operators, every, every[:own] + every[own + 1 :], one_order=True)
        else:
            level = Level(operators, every, every, one_order=not in_order)
        levels.append(level)
    return tuple(levels)


def _moves(operators: Sequence[Operator], game: Game, in_order: bool) -> bool:
    """Return whether the terms that operators of one level chain may be put in another order.

    Not where the numbers keep theirs, nor where an operator lacks its inverse, nor where a rule
    of the game forbids a step that another order might take.
    """
    return not in_order and is_inverse_pair(operators) and game.moves


class OperandPlan(NamedTuple):
    """What meets beside some operators: levels on the left with levels on the right."""

    left: Levels
    right: Levels
    larger: bool = False
    """Whether operators that commute take the larger sub-hand on the left alone."""


# What meets beside which operators, each with its level.
OperandPlans = Mapping[OperandPlan, Sequence[tuple[int, Operator]]]


def plans_for(
    levels: Sequence[Level], sides: Callable[[Level], Sequence[OperandPlan]]
) -> OperandPlans:
    """Return the plans of the operators of levels, those together that meet the same.

    >>> from crisps24 import GAMES
    >>> levels = levels_for(GAMES["cards"])
    >>> plans = plans_for(levels, lambda each: [OperandPlan(each.lefts, each.rights)])
    >>> {plan[:2]: [operator.name for _, operator in beside] for plan, beside in plans.items()}
    {((0, 1, 2), (0, 2)): ['x', ':'], ((0, 1, 2), (0, 1)): ['-', '+']}
    """
    plans: dict[OperandPlan, list[tuple[int, Operator]]] = {}
    for own, level in enumerate(levels):
        for plan in sides(level) if level.operators else ():
            if plan.left and plan.right:
                plans.setdefault(plan, []).extend((own, each) for each in level.operators)
    return plans


class Runs(NamedTuple):
    """Runs of neighbouring places, as compressed sparse rows have them: columns.

    >>> runs, others = Runs(np.array([10]), np.array([2])), Runs(np.array([70]), np.array([3]))
    >>> [each.tolist() for each in runs.cross_join(others)]
    [[10, 11], [3, 3], [70, 71, 72, 70, 71, 72]]
    """

    starts: Ints
    lengths: Ints

    def select(self, rows: Any) -> "Runs":
        """Return some of the runs."""
        return Runs(self.starts[rows], self.lengths[rows])

    @property
    def positions(self) -> Ints:
        """All places, run after run."""
        ends = self.lengths.cumsum()
        offsets = (self.starts - ends + self.lengths).repeat(self.lengths)
        places: Ints = np.arange(len(offsets)) + offsets
        return places

    def cross_join(self, others: "Runs") -> tuple[Ints, Ints, Ints]:
        """Return all pairs of places of each run and the run of `others` in the same row.

        They are the places of these runs, how often each is in a pair, and the places of the
        others in the order of the pairs.
        """
        times = others.lengths.repeat(self.lengths)
        return self.positions, times, Runs(others.starts.repeat(self.lengths), times).positions


class Partitions(NamedTuple):
    """The ways to take hands in two, those of a hand together: columns."""

    hands: Ints
    """Of which hand, by its place among them."""
    left: Ints
    """The sub-hand on the left, by its index in the chart."""
    right: Ints
    larger: Ints
    """1 where the left one has more numbers, 0 where both have as many, -1 elsewhere."""

    def at(self, rows: Any) -> "Partitions":
        """Return some of them."""
        return Partitions(*(column[rows] for column in self))


class CrossJoin(NamedTuple):
    """Every place of some runs with every one of others: columns.

    The shorter runs are outside: each place of theirs stands as often as those inside are many.
    """

    hands: Ints
    sizes: Ints
    """How many pairs there are of each two runs."""
    outside: Ints
    times: Ints
    inside: Ints


class OperandPairs:
    """Places of the chart that meet, what stands there, and of which hand they are: columns."""

    def __init__(
        self, values: "GrowingColumn", on_left: CrossJoin, on_right: CrossJoin | None = None
    ) -> None:
        """Begin with what is outside on the left, and before it what is outside on the right."""
        self._met = on_left, on_right
        self.hands = on_left.hands
        self.lefts: Column = repeat_rows(values[on_left.outside], on_left.times)
        self.rights: Column = values[on_left.inside]
        if on_right is not None:
            self.hands = np.concatenate((on_right.hands, self.hands))
            self.lefts = join_columns([values[on_right.inside], self.lefts])
            outside = repeat_rows(values[on_right.outside], on_right.times)
            self.rights = join_columns([outside, self.rights])
        self.once = self.single = len(self.hands)
        """So many pairs, the first, are enough for operators that commute, and so many of these
        are not there the other way round as well."""

    @cached_property
    def left(self) -> Ints:
        """The places on the left."""
        on_left, on_right = self._met
        left = on_left.outside.repeat(on_left.times)
        return left if on_right is None else np.concatenate((on_right.inside, left))

    @cached_property
    def right(self) -> Ints:
        """The places on the right."""
        on_left, on_right = self._met
        if on_right is None:
            return on_left.inside
        return np.concatenate((on_right.outside.repeat(on_right.times), on_left.inside))


class StepResults(NamedTuple):
    """What an operator makes of pairs where that is legal: columns."""

    level: int
    operator: Operator
    pairs: OperandPairs
    rows: Ints
    """Of which of the pairs."""
    values: Column


class Chart:
    """What sub-hands make, in columns, and how they meet."""

    def __init__(
        self,
        game: Game,
        dtype: Any,
        in_order: bool,
        runs_of: Mapping[Levels, Sequence[range]],
        budget: Budget | None = None,
    ) -> None:
        """Begin with no sub-hands; `runs_of` says for each side of an operator which runs it is.

        All pairs and all columns are counted in the budget.
        """
        self.game = game
        self.budget = Budget() if budget is None else budget
        self._weight = pair_weight(game.fractions, dtype is object)
        self.in_order = in_order
        self._dtype = dtype
        self._runs_of = runs_of
        self._runs = max((run.stop for runs in runs_of.values() for run in runs), default=1)
        self.clear()

    def clear(self) -> None:
        """Forget all sub-hands."""
        self.index_of: dict[Hand, int] = {}
        self.values = self.new_column(self._column([]))
        # A row for each sub-hand: where its runs begin, where they end, how many numbers it has.
        self._rows = self.new_column(np.empty((0, 2 * self._runs + 1), np.int64))
        self._most = 0

    def new_column(self, column: Any) -> "GrowingColumn":
        """Return a column that grows, and is counted in the budget."""
        return GrowingColumn(column, self.budget)

    def _column(self, numbers: Sequence[int]) -> Column:
        return make_column(numbers, self.game.fractions, self._dtype)

    def add_entries(self, hands: Sequence[Hand], starts: Ints, stops: Ints) -> range:
        """Say where the runs of more sub-hands begin and end, a row each; return their indices."""
        first, sizes = len(self._rows), np.array([[len(hand)] for hand in hands], np.int64)
        self._rows.add(np.concatenate((starts, stops, sizes), axis=1))
        self._most = max(self._most, int((stops - starts).sum(axis=1).max(initial=0)))
        return range(first, first + len(hands))

    def slice_of(self, index: int, run: int = 0) -> slice:
        """Return the places of a run of a sub-hand."""
        return slice(*self._rows[index, [run, self._runs + run]].tolist())

    def partitions(self, hands: Sequence[Hand]) -> Partitions:
        """Return the splits of hands, of which all sub-hands are in the chart."""
        known = self.index_of
        taken = [partitions(hand, self.in_order) for hand in hands]
        indices = [known[part] for ways in taken for way in ways for part in way]
        left, right = np.array(indices, np.int64).reshape(-1, 2).T
        places = np.arange(len(hands), dtype=np.int32).repeat([len(ways) for ways in taken])
        larger = np.sign(self._rows[left, -1] - self._rows[right, -1])
        return Partitions(places, left, right, larger)

    def batches(self, plans: OperandPlans, taken: Partitions) -> Iterator[Partitions]:
        """Yield splits, some at a time, so that not too many pairs meet at once."""
        if len(taken.hands) * self._most**2 * len(plans) <= PAIRS_PER_BATCH:
            yield taken
            return
        sizes = self.count_pairs(plans, taken)
        if sizes.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            taken = self._cut(taken, -(-sizes // PAIRS_PER_BATCH))
            sizes = self.count_pairs(plans, taken)
        yield from map(taken.at, batches_of(sizes))

    def hand_batches(
        self, plans: OperandPlans, taken: Partitions
    ) -> Iterator[tuple[Partitions, int]]:
        """Yield splits of whole hands, and how many pairs meet at most, however many that are."""
        most = len(taken.hands) * self._most**2 * len(plans)
        if most <= PAIRS_PER_BATCH:
            yield taken, most
            return
        sizes = self.count_pairs(plans, taken)
        for some in batches_of(sizes, taken.hands):
            yield taken.at(some), int(sizes[some].sum())

    def count_pairs(self, plans: OperandPlans, taken: Partitions) -> Ints:
        """Return how many pairs meet in each of some splits."""
        pairs = [
            self._length(taken.left, plan.left) * self._length(taken.right, plan.right)
            for plan in plans
        ]
        sizes: Ints = sum(pairs[1:], start=pairs[0])
        return sizes

    def _cut(self, taken: Partitions, counts: Ints) -> Partitions:
        """Return splits of which the longer side is cut into so many pieces."""
        spans = [self._spans(side) for side in (taken.left, taken.right)]
        longer = spans[0].lengths >= spans[1].lengths
        found = []
        for name, side, span, chosen in zip(
            ("left", "right"), (taken.left, taken.right), spans, (longer, ~longer), strict=True
        ):
            some = chosen.nonzero()[0]
            of, pieces = split_runs(span.select(some), counts[some])
            some = some[of]
            rows = self._rows[side[some]].copy()
            ends = pieces.starts[:, None], (pieces.starts + pieces.lengths)[:, None]
            rows[:, :-1] = np.clip(rows[:, :-1], *ends)
            places = len(self._rows) + np.arange(len(rows))
            self._rows.add(rows)
            found.append(taken.at(some)._replace(**{name: places}))
        return Partitions(*map(np.concatenate, zip(*found, strict=True)))

    def _spans(self, indices: Ints) -> Runs:
        """Return for each of some sub-hands the run that holds all of its runs."""
        rows = self._rows[indices]
        first = rows[:, : self._runs].min(1)
        return Runs(first, rows[:, self._runs : -1].max(1) - first)

    def legal_steps(
        self,
        plans: OperandPlans,
        taken: Partitions,
        only: Callable[[Column, Ints], Any] | None = None,
    ) -> Iterator[StepResults]:
        """Yield what operators make of splits legally, and of that `only` where a mask says so.

        It is asked of values and of the hands that they are of, by their places.
        """
        for plan, operators in plans.items():
            pairs = self._meet(plan, taken)
            self.budget.compute(len(pairs.hands) * len(operators), self._weight)
            for own, operator in operators:
                some = slice(pairs.once if operator.commutes else None)
                values, legal = operator.operate(pairs.lefts[some], pairs.rights[some], self.game)
                if only is not None:
                    legal = legal & only(values, pairs.hands[some])
                rows = mask_indices(legal, len(values))
                yield StepResults(
                    own, operator, pairs, rows, values if legal is True else values[rows]
                )

    def _meet(self, plan: OperandPlan, taken: Partitions) -> OperandPairs:
        """Return all pairs of a plan, those with the larger sub-hand on the left first if asked.

        Each side is one run then.
        """
        lefts, rights = self._runs_of[plan.left], self._runs_of[plan.right]
        if not plan.larger:
            return OperandPairs(
                self.values, self._every(taken.hands, taken.left, lefts, taken.right, rights)
            )
        taken = taken.at(np.argsort(-taken.larger, kind="stable"))
        single, once = (int((taken.larger >= least).sum()) for least in (1, 0))
        on_right, rest = None, taken
        if len(taken.hands) * self._most**2 > _FEW:
            large, rest = taken.at(slice(once)), taken.at(slice(once, None))
            on_right = self._every(large.hands, large.right, rights, large.left, lefts)
        on_left = self._every(rest.hands, rest.left, lefts, rest.right, rights)
        pairs = OperandPairs(self.values, on_left, on_right)
        sizes = (on_right or on_left).sizes
        pairs.once, pairs.single = int(sizes[:once].sum()), int(sizes[:single].sum())
        return pairs

    def _every(
        self,
        hands: Ints,
        outside: Ints,
        runs: Sequence[range],
        inside: Ints,
        others: Sequence[range],
    ) -> CrossJoin:
        """Return all pairs of places in runs of sub-hands."""
        blocks = [
            (hands, *self._runs_at(outside, run), *self._runs_at(inside, other))
            for run in runs
            for other in others
        ]
        columns = map(np.concatenate, zip(*blocks, strict=True)) if blocks[1:] else blocks[0]
        of, first, count, second, times = columns
        sizes = count * times
        return CrossJoin(
            of.repeat(sizes), sizes, *Runs(first, count).cross_join(Runs(second, times))
        )

    def _length(self, indices: Ints, side: Levels) -> Any:
        """Return how many results of sub-hands may stand on a side."""
        lengths = [self._runs_at(indices, run).lengths for run in self._runs_of[side]]
        return sum(lengths[1:], start=lengths[0])

    def _runs_at(self, indices: Ints, run: range) -> Runs:
        """Return the runs of sub-hands that neighbouring runs of each are together."""
        first = self._rows[indices, run.start]
        return Runs(first, self._rows[indices, self._runs + run.stop - 1] - first)


def split_runs(runs: Runs, counts: Ints) -> tuple[Ints, Runs]:
    """Cut runs into so many pieces each; return of which run each piece is, and the pieces.

    >>> of, pieces = split_runs(Runs(np.array([10, 70]), np.array([5, 3])), np.array([2, 1]))
    >>> of.tolist(), pieces.starts.tolist(), pieces.lengths.tolist()
    ([0, 0, 1], [10, 12, 70], [2, 3, 3])
    """
    counts = np.minimum(counts, runs.lengths)
    of = np.arange(len(counts)).repeat(counts)
    first, length, many = runs.starts[of], runs.lengths[of], counts[of]
    number = np.arange(len(of)) - (counts.cumsum() - counts)[of]
    starts, stops = (first + length * at // many for at in (number, number + 1))
    return of, Runs(starts, stops - starts)


def batches_of(sizes: Ints, together: Ints | None = None) -> Iterator[slice]:
    """Yield rows that make so many pairs each, some at a time, so that not too many meet at once.

    Rows that are of one number in `together`, an ascending column, are not parted.

    >>> [(rows.start, rows.stop) for rows in batches_of(np.array([PAIRS_PER_BATCH, 1, 2]))]
    [(0, 1), (1, 3)]
    """
    ends = sizes.cumsum()
    start = done = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + PAIRS_PER_BATCH, "right")))
        if together is not None:
            stop = int(np.searchsorted(together, together[stop - 1], "right"))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


class GrowingColumn:
    """A column that grows: of ints, floats, rows of ints, or fractions; counted in a budget."""

    def __init__(self, column: Any, budget: Budget) -> None:
        self._parts = integer_columns(column)
        self._held = column
        self._budget, self._kept = budget, TableMemory(budget)

    def __len__(self) -> int:
        return len(self._held)

    def add(self, column: Any) -> None:
        """Put more after the last."""
        size, end = len(self), len(self) + len(column)
        self._kept.add(column_bytes(column))
        if end > len(self._parts[0]):
            # The old columns are there until they are copied.
            self._budget.hold(column_bytes(self._held))
            grown = [np.empty((2 * end, *part.shape[1:]), part.dtype) for part in self._parts]
            for longer, part in zip(grown, self._parts, strict=True):
                longer[:size] = part[:size]
            self._parts = tuple(grown)
        for part, more in zip(self._parts, integer_columns(column), strict=True):
            part[size:end] = more
        held = [part[:end] for part in self._parts]
        self._held = Ratios(*held) if isinstance(column, Ratios) else held[0]

    def __getitem__(self, rows: Any) -> Any:
        return self._held[rows]
