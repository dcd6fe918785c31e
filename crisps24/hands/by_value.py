"""By value: each value that sub-hands make once, and the weight of all routes to it if asked.

A run of the chart is a side of an operator: each value of some levels once. Where nothing is
weighed the steps are those of the normal form. A route is one order of work: a binary tree over
the cards, which are told apart even where they are equal, without a result below zero. Its weight
is 2 to the minus bits of its steps (`costs`), so that the weights of all routes are made of those
of the parts: a product of left, right and step, with any grouping. Weights are divided by the
arrangements of equal cards, as coefficients of an exponential generating function are: then how
many times cards fall so does not matter.
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
from crisps24.output.executors import processes_sharing
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
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
from crisps24.rules.splits import largest_parts
from crisps24.rules.work import Budget

# So many values are kept by all processes together, some hundred megabytes, before a process
# forgets its own. Hands come in lexicographic order: what the next ones share with the last is
# soon there again.
MAX_CACHED_VALUES = 20_000_000
# Results gathered before equal ones are merged.
_GATHERED = 1_000_000
# Bytes per result until equal ones are merged.
_GATHERED_BYTES = 120

# Which of some values, each of the hand at a place, are worth making.
ValueFilter = Callable[[Column, Ints], Any]


class WeightedValues(NamedTuple):
    """Values, each once, and the weight of all routes to each: columns."""

    values: Column
    weights: Floats


class Reached(NamedTuple):
    """Results as they are made: for which hand, what, and the weight of the routes: columns."""

    hands: Ints
    values: Column
    level: int
    """That of all of them."""
    weights: Floats | None = None


class ValueChart(Chart):
    """What the sub-hands of the hands of one game make, each worked out once and kept."""

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
        """Begin with no sub-hands.

        `numbers` are those of a hand, or the largest that a hand may have; `within` limits the
        values of last steps, first and last, which is less work. Sub-hands of more than
        `max_right_size` numbers are never wanted on the right of an operator.
        Where it is `count_routes`, each step of a route weighs 1, so that routes are counted, those
        below zero as well. `filter_of` says of sub-hands which results are worth making, of routes.
        `budget` limits all of it.
        """
        others: list[Message | str]
        others = [
            each.name for each in game.row_operators if each.scalar_only if weighted or count_routes
        ]
        others += [each.name for each in game.row_operators if each.arity == 1]
        others += [message("line.signed")] * game.signed
        if others:
            key = "rules.no_difficulty" if weighted else "rules.no_results"
            raise RefusedError(message(key, sign=others[0]))
        self._weighed, self._counted, self._useful = (
            weighted or count_routes,
            count_routes,
            filter_of,
        )
        if within is not None and not game.fractions:
            within = ceil(within[0]), floor(within[1])
        self._within, self._longest_right = within, max_right_size
        # Where the numbers keep their order any grouping is tried, and so it is for routes.
        levels = levels_for(game, in_order or self._weighed)
        routes = self._weighed and not in_order
        self._plans = plans_for(levels, _either_side if routes else _as_it_stands)
        every = tuple(range(len(levels)))
        self._lefts = tuple(dict.fromkeys([every, *(plan.left for plan in self._plans)]))
        self._sides = tuple(dict.fromkeys([*self._lefts, *(plan.right for plan in self._plans)]))
        runs_of = {side: [range(at, at + 1)] for at, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), in_order, runs_of, budget)

    def clear(self) -> None:
        """Forget all sub-hands."""
        super().clear()
        self._weights = self.new_column(np.empty(0))
        self._kinds = self.new_column(np.empty(0, np.uint8))
        self._ends: dict[Hand, int] = {}

    def values_of(self, hand: Hand) -> Column:
        """Return all values that a sub-hand makes with all its numbers."""
        if hand not in self.index_of:
            self.add_hands([hand])
        found: Column = self.values[self.slice_of(self.index_of[hand])]
        return found

    def last_step_values(self, hands: Sequence[Hand]) -> Iterator[tuple[Ints, Column]]:
        """Yield what the last steps of hands of two numbers or more make within the limits.

        Not each value once; as columns: of which hand, by its place among them, and the values.
        """
        self._forget()
        self.add_hands({part for hand in hands for part in largest_parts(hand, self.in_order)})
        for taken in self.batches(self._plans, self.partitions(hands)):
            for step in self.legal_steps(self._plans, taken, self._is_end):
                yield step.pairs.hands[step.rows], step.values

    def weighted_values(self, hands: Sequence[Hand]) -> Iterator[WeightedValues]:
        """Return for each hand the values that end a route, and the share of tries that end so.

        That is the weight of all routes divided by the arrangements of the cards: n! where they
        have no order. Where not all have to be used, it is added up over all sets of cards. Hands
        are sorted where the order does not matter.
        """
        self._forget()
        ends = {top for hand in hands for top in self._tops(hand)} - self._ends.keys()
        self.add_hands({part for top in ends for part in largest_parts(top, self.in_order)}, ends)
        return map(self._sum, hands)

    def _tops(self, hand: Hand) -> dict[Hand, float]:
        tops = root_hands(hand, self.game, self.in_order)
        # What is written of equal numbers in other places is written in the same way.
        return dict.fromkeys(tops, 1.0) if self._counted else tops

    def _sum(self, hand: Hand) -> WeightedValues:
        tops = self._tops(hand)
        if len(tops) == 1:
            [(top, share)] = tops.items()
            run = self.slice_of(self._ends[top])
            return WeightedValues(self.values[run], self._weights[run] * share)
        ends = np.array([self._ends[top] for top in tops], np.int64)
        runs = self._runs_in(ends, range(1))
        places, shares = runs.positions, np.array(list(tops.values())).repeat(runs.lengths)
        [values], weights = sum_weights(self._weights[places] * shares, self.values[places])
        return WeightedValues(values, weights)

    def _forget(self) -> None:
        if len(self.values) * processes_sharing() > MAX_CACHED_VALUES:
            self.clear()

    def _missing(self, hands: Iterable[Hand]) -> set[Hand]:
        """Return which of some sub-hands, and of their parts, are not in the chart."""
        found: set[Hand] = set()
        left = list(hands)
        while left:
            hand = left.pop()
            # Where a sub-hand is in the chart all its parts are.
            if hand not in self.index_of and hand not in found:
                found.add(hand)
                left += largest_parts(hand, self.in_order)
        return found

    def add_hands(self, hands: Iterable[Hand], ends: Collection[Hand] = ()) -> None:
        """Work out sub-hands and all their parts, and what ends the routes of some."""
        operands = self._missing(hands)
        wanted: dict[tuple[int, bool, bool], list[Hand]] = {}
        for hand in sorted(operands.union(ends)):
            wanted.setdefault((len(hand), hand in operands, hand in ends), []).append(hand)
        for (size, as_operand, as_end), some in sorted(wanted.items()):
            if size == 1:
                values = self._column([number for (number,) in some])
                dealt = Reached(np.arange(len(some)), values, 0, np.ones(len(some)))
                first, last = _MergedResults(self.budget), _MergedResults(self.budget)
                first.add(dealt)
                last.add(self._at_end(dealt))
                self._keep(some, first, last, as_operand, as_end)
                continue
            for taken, pairs in self.hand_batches(self._plans, self.partitions(some)):
                begin, end = taken.hands[[0, -1]].tolist()
                taken = taken._replace(hands=taken.hands - begin)
                hands = some[begin : end + 1]
                portions = [taken] if pairs <= _GATHERED else self.batches(self._plans, taken)
                made = self._made(hands, portions, as_operand, as_end)
                self._keep(hands, *made, as_operand, as_end)

    def _made(
        self, some: Sequence[Hand], portions: Iterable[Partitions], as_operand: bool, as_end: bool
    ) -> tuple["_MergedResults", "_MergedResults"]:
        """Return what splits of some hands make as operands of further steps, and as ends."""
        operands, ends = _MergedResults(self.budget), _MergedResults(self.budget)
        among = self._useful and self._useful(some)
        only = partial(self._of_use, last=not as_operand, among=among) if self._weighed else None
        steps = (self.legal_steps(self._plans, portion, only) for portion in portions)
        for level, operator, pairs, rows, values in chain.from_iterable(steps):
            hands, values = pairs.hands[rows], reduce_column(values)
            if not self._weighed:
                operands.add(Reached(hands, values, level))
                continue
            left, right = pairs.left[rows], pairs.right[rows]
            weights = self._weights[left] * self._weights[right]
            if operator.commutes:
                # The others are among the pairs the other way round as well.
                weights[np.searchsorted(rows, pairs.unmirrored_count) :] /= 2
            if not self._counted:
                sides = pairs.left_values[rows], pairs.right_values[rows]
                kinds = self._kinds[left], self._kinds[right]
                weights *= step_weights(step_features(operator, *sides, values, kinds))
            if as_end:
                ends.add(self._at_end(Reached(hands, values, level, weights)))
            if as_operand:
                # The size of what ends a route does not count.
                sizes = not (operator.joins or self._counted)
                sized = weights * np.exp2(-size_bits(values)) if sizes else weights
                operands.add(Reached(hands, values, level, sized))
        return operands, ends

    def _of_use(self, values: Column, hands: Ints, last: bool, among: ValueFilter | None) -> Any:
        """Return where results are on a route, or may be at its end."""
        natural = values >= 0 if self.game.negatives and not self._counted else True
        if among is not None:
            natural = among(values, hands) & natural
        return natural & self._is_end(values) if last else natural

    def _is_end(self, values: Column, _: Ints | None = None) -> Any:
        if self._within is None:
            return True
        first, last = self._within
        return values == first if first == last else (values >= first) & (values <= last)

    def _at_end(self, found: Reached) -> Reached:
        rows = mask_indices(self._is_end(found.values), len(found.hands))
        weights = None if found.weights is None else found.weights[rows]
        return Reached(found.hands[rows], found.values[rows], found.level, weights)

    def _keep(
        self,
        hands: Sequence[Hand],
        operands: "_MergedResults",
        ends: "_MergedResults",
        as_operand: bool,
        as_end: bool,
    ) -> None:
        if as_operand:
            on_right = self._longest_right is None or len(hands[0]) <= self._longest_right
            sides = self._sides if on_right else self._lefts
            self.index_of.update(zip(hands, self._put(hands, operands, sides), strict=True))
        if as_end:
            self._ends.update(zip(hands, self._put(hands, ends, self._lefts[:1]), strict=True))

    def _put(
        self, hands: Sequence[Hand], found: "_MergedResults", sides: Sequence[Levels]
    ) -> range:
        """Add what hands make, each value of a side once."""
        made = found.columns(self._none())
        if len(sides) > 1:
            made = made.grouped()
        starts = np.full((len(hands), len(self._sides)), len(self.values))
        stops = starts.copy()
        for at, side in enumerate(sides):
            one = made.of_side(side) if len(sides) > 1 else made.grouped(levels=False)
            begin, places = len(self.values), np.arange(len(hands))
            starts[:, at] = begin + np.searchsorted(one.hands, places)
            stops[:, at] = begin + np.searchsorted(one.hands, places, "right")
            self.values.extend(one.values)
            if one.weights is not None:
                self._weights.extend(one.weights)
                self._kinds.extend(operand_kinds(one.values))
        return self.add_entries(hands, starts, stops)

    def _none(self) -> Reached:
        none = self._column([])
        return Reached(np.zeros(0, np.int64), none, 0, np.zeros(0) if self._weighed else None)


class _Columns(NamedTuple):
    """Results of several levels: columns."""

    hands: Ints
    values: Column
    levels: Ints
    weights: Floats | None

    @classmethod
    def of(cls, found: Sequence[Reached]) -> "_Columns":
        """Return all that was found, one after the other."""
        hands = [each.hands for each in found]
        levels = np.repeat([each.level for each in found], [len(each) for each in hands])
        values = join_columns([each.values for each in found])
        weights = [each.weights for each in found if each.weights is not None]
        together = np.concatenate(weights) if weights else None
        return cls(np.concatenate(hands), values, levels, together)

    def with_others(self, others: "_Columns") -> "_Columns":
        """Return these results and then others."""
        weights = None
        if self.weights is not None and others.weights is not None:
            weights = np.concatenate([self.weights, others.weights])
        return _Columns(
            np.concatenate([self.hands, others.hands]),
            join_columns([self.values, others.values]),
            np.concatenate([self.levels, others.levels]),
            weights,
        )

    def grouped(self, levels: bool = True) -> "_Columns":
        """Return each value of a level of a hand once, in order, or of a hand."""
        columns = self.hands, self.values, *([self.levels] if levels else [])
        weights = None
        if self.weights is None:
            hands, values, *of = distinct_rows(*columns)
        else:
            (hands, values, *of), weights = sum_weights(self.weights, *columns)
        return _Columns(hands, values, of[0] if levels else np.zeros_like(hands), weights)

    def of_side(self, side: Levels) -> "_Columns":
        """Return the values of some levels, each of a hand once; they are in order."""
        among = np.zeros(max(*side, int(self.levels.max(initial=0))) + 1, bool)
        among[list(side)] = True
        rows = among[self.levels].nonzero()[0]
        new = run_start_mask(self.hands[rows])
        for part in integer_columns(self.values[rows]):
            new |= run_start_mask(part)
        return self.once(rows, new.nonzero()[0])

    def once(self, order: Ints, starts: Ints) -> "_Columns":
        """Return the first of each of some groups, with the weights of all."""
        weights = None if self.weights is None else self.weights[order]
        if weights is not None and len(starts):
            weights = np.add.reduceat(weights, starts)
        first = order[starts]
        return _Columns(self.hands[first], self.values[first], self.levels[first], weights)


class _MergedResults:
    """Results of some hands; equal ones are merged as soon as there are many."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._found: list[Reached] = []
        self._merged: _Columns | None = None
        self._count, self._most = 0, _GATHERED

    def add(self, found: Reached) -> None:
        """Add results of one level."""
        if not len(found.hands):
            return
        self._found.append(found)
        self._count += len(found.hands)
        if self._count > self._most:
            merged = self.columns(found).grouped()
            self._merged, self._count = merged, len(merged.hands)
            self._found.clear()
            self._most = max(_GATHERED, 2 * self._count)

    def columns(self, none: Reached) -> _Columns:
        """Return all results; `none` are results of the same kind, for the types of columns."""
        self._budget.check_bytes(self._count * _GATHERED_BYTES)
        if self._merged is None:
            return _Columns.of(self._found or [none])
        if not self._found:
            return self._merged
        return self._merged.with_others(_Columns.of(self._found))


def _as_it_stands(level: Level) -> list[OperandPlan]:
    return [OperandPlan(level.lefts, level.rights, level.one_order)]


def _either_side(level: Level) -> list[OperandPlan]:
    """Return what meets on all routes, what may stand on either side apart."""
    others = tuple(own for own in level.lefts if own not in level.rights)
    return [
        OperandPlan(level.rights, level.rights, larger_left=True),
        OperandPlan(others, level.rights),
    ]
