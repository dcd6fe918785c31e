"""The shortest form of each value that a hand makes, for games with whatever operators.

Where operators are no rational functions nothing tells functions apart, and of each value one form
is told: that of the fewest signs of operators, then of the fewest parentheses, then of the fewest
results below zero. Of a sub-hand another is kept beside it that binds more tightly, and may save
parentheses further on. Operators of one number close what each sub-hand makes, as deep as the game
has it. What meets what is the chart's; a form is kept as the places of its operands.
"""

from collections.abc import Collection, Iterator, Sequence
from math import floor
from typing import Any, NamedTuple

import numpy as np

from crisps24.errors import RefusedError
from crisps24.hands.by_value import ValueFilter
from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    Partitions,
    levels_for,
    plans_for,
)
from crisps24.messages.message import Count, message
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    negate,
    negation_needs_parentheses,
)
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, obeys_result_rules
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    exact_values,
    group_rows,
    integer_columns,
    integer_dtype,
    join_columns,
    mask_indices,
    reduce_column,
    value_at,
)
from crisps24.rules.splits import sub_hand_closure, sub_hands
from crisps24.rules.work import Budget

# Results that are kept, about 700 MB.
MAX_FORMS = 20_000_000
# Results gathered before equal ones are merged.
_GATHERED = 2_000_000
# Time of a pair whose values an operator makes one at a time, in pairs of columns.
_BY_ONE = 100
# Bytes per result until equal ones are merged.
_MADE_BYTES = 120
# So many results of a sub-hand at most meet others at once.
_PIECE = 500
# What a sign costs, a pair of parentheses, a result below zero, and the smaller number first.
_SIGN, _PAIR, _BELOW, _SMALLER = 1 << 24, 1 << 16, 1 << 8, 1
# Numbers bind tighter than any operator does.
_NUMBER = 1 << 10
_NOBODY = -1
# Nothing costs so much, and no game has so many levels.
_NEVER, _LEVEL_BITS = 1 << 32, 5
# No column of 64 bits has so large a value.
_TOO_LARGE = 1 << 62


class _Some(NamedTuple):
    """Results of one hand: columns."""

    values: Column
    costs: Ints
    levels: Ints
    codes: Ints
    """Which operator made each, by its place in the table; -1 for a number dealt."""
    left: Ints
    """The places of the operands."""
    right: Ints

    def at(self, rows: Any) -> "_Some":
        """Return some of them."""
        return _Some(self.values[rows], *(column[rows] for column in self[1:]))

    def cheapest(self, spare: int = 0) -> "_Some":
        """Return each value where it costs least, as `cheapest_rows` has it."""
        return self.at(self.cheapest_rows(np.arange(len(self.costs)), spare))

    def cheapest_rows(self, among: Ints, spare: int) -> Ints:
        """Return in which of some rows each value costs least, and binds tightest of those.

        Those that bind more tightly come with them, where they cost less than `spare` more.
        """
        order, starts = group_rows(self.values[among])
        order = among[order]
        if not spare:
            return _cheapest_of(self.costs, order, starts)
        rows = _cheapest_of(self.costs << _LEVEL_BITS | self.levels, order, starts)
        if len(rows) < len(order):
            counts = np.diff(starts, append=len(order))
            [at] = (self.levels[order] < self.levels[rows].repeat(counts)).nonzero()
            most = self.costs[rows[np.searchsorted(starts, at, "right") - 1]] + spare
            tighter = order[at][self.costs[order[at]] < most]
            if len(tighter):
                rows = np.concatenate([rows, self.cheapest_rows(tighter, spare)])
        return rows


def _cheapest_of(costs: Ints, order: Ints, starts: Ints) -> Ints:
    """Return for each group of rows, in an order, the first of those that cost least."""
    if not len(order):
        return order
    places = len(order).bit_length()
    marked = costs[order] << places | np.arange(len(order))
    rows: Ints = order[np.minimum.reduceat(marked, starts) & ((1 << places) - 1)]
    return rows


def _some(values: Column, costs: Ints, level: int, code: int, left: Ints, right: Ints) -> _Some:
    """Return results of one operator as they are kept."""
    kinds = (np.full(len(costs), each, np.int8) for each in (level, code))
    return _Some(values, costs, *kinds, *(side.astype(np.int32) for side in (left, right)))


def _all(found: Sequence[_Some]) -> _Some:
    found = [each for each in found if len(each.costs)] or found[:1]
    if len(found) == 1:
        return found[0]
    values, *others = zip(*found, strict=True)
    return _Some(join_columns(values), *(np.concatenate(each) for each in others))


class ShortestForms(Chart):
    """What the sub-hands of one hand make, each value with the cheapest way to it."""

    def __init__(
        self,
        game: Game,
        numbers: Sequence[int],
        in_order: bool = False,
        *,
        budget: Budget | None = None,
    ) -> None:
        """Begin with no sub-hands; `numbers` are those of the hand, `budget` limits the search."""
        if game.signed and not game.parentheses:
            raise RefusedError(message("rules.signed_brackets", game=game.name))
        levels = levels_for(game, in_order)
        self._alone = [(own, each) for own, each in enumerate(levels) if _is_alone(each)]
        self._written = [each for each in self._alone if each[1].operators[0].joins]
        self._alone = [each for each in self._alone if each not in self._written]
        self._plans = plans_for(
            levels, lambda each: [OperandPlan(each.lefts, each.rights, each.one_order)]
        )
        self._levels = tuple(range(len(levels)))
        sides = [self._levels, *(side for plan in self._plans for side in plan[:2])]
        self._sides: tuple[Levels, ...] = tuple(dict.fromkeys(sides))
        # The levels of numbers, dealt or written of digits, which alone are digits of others.
        self._numbers = [
            own for own, each in enumerate(levels) if not own or each.operators[0].joins
        ]
        self._bindings = np.array(
            [_NUMBER, *(_binding_of(level.operators[0]) for level in levels[1:])]
        )
        self._operators = tuple(each for level in levels for each in level.operators)
        # What binds more tightly may save a pair of parentheses, where there are any.
        self._spare = _PAIR if game.parentheses else 0
        runs_of = {side: [range(at, at + 1)] for at, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), in_order, runs_of, budget)
        self._weight *= operator_weight(game)

    @property
    def can_filter(self) -> bool:
        """Whether last steps alone make what is wanted, no operator of one number after them."""
        return not self._alone

    def clear(self) -> None:
        """Forget all sub-hands."""
        super().clear()
        self._pieces: dict[int, list[int]] = {}
        kinds = (np.int64, np.int8, np.int8, np.int32, np.int32)
        self._kept = [self.new_column(np.empty(0, kind)) for kind in kinds]

    def forms_of(self, hand: Hand, only: ValueFilter | None = None) -> tuple[Column, range]:
        """Return the values that a sub-hand makes with all its numbers, and their places.

        `only` says of values which are wanted of it, where it is no part of anything.
        """
        for part in sub_hand_closure([hand], self.in_order):
            if part not in self.index_of:
                self._add(part, only if part == hand else None)
        run = self.slice_of(self.index_of[hand])
        return self.values[run], range(run.start, run.stop)

    def best_forms(self, hand: Hand, wanted: Collection[Exact] | None = None) -> dict[Exact, int]:
        """Return all values that a hand makes, and where the form of each is that costs least.

        The hand is sorted where the order does not matter. Where some are `wanted` these are told
        at least.
        """
        found: dict[Exact, int] = {}
        tops = [hand] if self.game.all_numbers else sub_hands(hand, self.in_order)
        only = None if wanted is None or not self.can_filter else self._among(wanted)
        for top in sorted(dict.fromkeys(tops), key=len):
            values, places = self.forms_of(top, only if top == hand else None)
            costs = self._kept[0]
            rows = _cheapest_of(costs[places.start : places.stop], *group_rows(values))
            forms = zip(exact_values(values[rows]), (rows + places.start).tolist(), strict=True)
            if not found:
                found = dict(forms)
                continue
            for value, place in forms:
                if value not in found or costs[place] < costs[found[value]]:
                    found[value] = place
        return found

    def expression(self, place: int) -> Expression:
        """Return the form of the result at a place."""
        _, _, code, left, right = (int(column[place]) for column in self._kept)
        if code == _NOBODY:
            return Number(int(value_at(self.values[:], place)))
        if code == len(self._operators):
            return negate(self.expression(right), self.game.style)
        before, behind = (NoOperand(0) if at < 0 else self.expression(at) for at in (left, right))
        return Operation(self._operators[code], before, behind, style=self.game.style)

    def _among(self, wanted: Collection[Exact]) -> ValueFilter:
        """Return what says of values which are wanted, or are with a minus before them."""
        every: set[Exact] = {*wanted}
        if self.game.signed:
            every |= {-value for value in wanted}
        if self._dtype is not object:
            every = {value for value in every if -_TOO_LARGE < value < _TOO_LARGE}
        floors = np.array(sorted({floor(value) for value in every}), self._dtype)
        fractions = any(value.denominator > 1 for value in every)

        def among(values: Column, _: Ints) -> Any:
            if not isinstance(values, Ratios):
                return np.isin(values, floors)
            above, below = integer_columns(values)
            down = above // below
            mask = np.isin(down, floors)
            if not fractions:
                return mask & (down * below == above)
            rows = mask.nonzero()[0]
            mask[rows] = [value in every for value in exact_values(values[rows])]
            return mask

        return among

    def _add(self, hand: Hand, only: ValueFilter | None = None) -> None:
        """Work out a sub-hand of which all parts are there."""
        # Without operators of two numbers, nothing is made of several.
        waiting = [self._of_number(hand[0]).at(slice(0, 0))]
        most = _GATHERED
        for made in self._made(hand, only):
            waiting.append(made)
            if sum(len(each.costs) for each in waiting) > most:
                waiting = [self._cheapest(waiting)]
                most = max(_GATHERED, len(waiting[0].costs) * 4 // 3)
        begin = len(self.values)
        found = self._cheapest(waiting)
        # What writes a number is no operator that nests.
        found = _all([found, self._cheapest(self._closed(found, begin, self._written))])
        known = [self._signed(found)]
        for _ in range(self.game.nesting if self._alone else 0):
            first = self._keep(known[-1])
            closed = self._cheapest(self._closed(known[-1], first, self._alone))
            known.append(self._signed(self._new(known, closed)))
        self._keep(known[-1])
        self._put(hand, known, begin)

    def _made(self, hand: Hand, only: ValueFilter | None) -> Iterator[_Some]:
        """Yield what is made of two parts of a hand, or is dealt."""
        if len(hand) == 1:
            yield self._of_number(hand[0])
            return
        costs = self._kept[0]
        for taken in self.batches(self._plans, self.partitions([hand])):
            for level, operator, pairs, rows, values in self.legal_steps(self._plans, taken, only):
                left, right = pairs.left[rows], pairs.right[rows]
                step = self._cost(operator, left, right)
                if operator.commutes and not self.in_order:
                    other = self._cost(operator, right, left)
                    turned, step = other < step, np.minimum(step, other)
                    left, right = np.where(turned, right, left), np.where(turned, left, right)
                made = costs[left] + costs[right] + step
                yield self._cheap(level, operator, reduce_column(values), made, left, right)

    def _of_number(self, number: int) -> _Some:
        none = np.full(1, _NOBODY)
        return _some(self._column([number]), np.zeros(1, np.int64), 0, _NOBODY, none, none)

    def _cost(self, operator: Operator, left: Ints, right: Ints) -> Any:
        """Return what a step costs beside its operands."""
        if operator.joins:
            return 0
        own, levels = operator.precedence, self._kept[1]
        around = (self._bindings[levels[left]] < own + operator.right_associative).astype(np.int64)
        around += self._bindings[levels[right]] < own + (not operator.right_associative)
        cost: Ints = _SIGN + _PAIR * around
        if operator.commutes:
            cost += _SMALLER * np.asarray(self.values[left] < self.values[right])
        return cost

    def _cheap(
        self, level: int, operator: Operator, values: Column, costs: Any, left: Ints, right: Ints
    ) -> _Some:
        [above, *_] = integer_columns(values)
        costs = costs + _BELOW * (above < 0)
        code = self._operators.index(operator)
        return _some(values, costs, level, code, left, right).cheapest()

    def _closed(self, some: _Some, first: int, levels: Sequence[tuple[int, Level]]) -> list[_Some]:
        """Return what operators of one number make of results that are kept from a place on."""
        found = [some.at(slice(0, 0))]
        self._hold(len(some.costs) * sum(len(level.operators) for _, level in levels))
        for own, level in levels:
            may = np.flatnonzero(np.isin(some.levels, level.lefts))
            for operator in level.operators:
                values, legal = operator.operate(some.values[may], some.values[may], self.game)
                at = mask_indices(legal, len(may))
                rows = may[at]
                pair = self._bindings[some.levels[rows]] < level.operators[0].precedence
                pair |= operator.postfix & (some.levels[rows] == own)
                costs = some.costs[rows] + (0 if operator.joins else _SIGN) + _PAIR * pair
                none, places = np.full(len(rows), _NOBODY), rows + first
                sides = (places, none) if operator.postfix else (none, places)
                found.append(self._cheap(own, operator, reduce_column(values[at]), costs, *sides))
        return found

    def _signed(self, some: _Some) -> _Some:
        """Return results, to be kept next, and what a minus before them makes where there is one.

        What is dearer than a minus before its opposite is left out.
        """
        if not self.game.signed or not len(some.costs):
            return some
        self._hold(len(some.costs))
        sizes: Any = abs(some.values)
        order, starts = group_rows(sizes)
        [above, *_] = integer_columns(some.values)
        apart = negation_needs_parentheses(self._bindings[some.levels])
        dearer = some.costs + _SIGN + _BELOW * (above > 0) + _PAIR * apart
        kept, turned = np.ones(len(order), bool), []
        counts, loosest = np.diff(starts, append=len(order)), len(self._bindings) - 1
        for sign in (1, -1):
            # What each value costs, and what a minus before its opposite does.
            there, before = sign * above > 0, sign * above < 0
            costs, minus = np.where(there, some.costs, _NEVER), np.where(before, dearer, _NEVER)
            rows = _cheapest_of(minus, order, starts)
            better = minus[rows] < np.minimum.reduceat(costs[order], starts)
            turned.append(rows[better])
            limit = np.where(better, minus[rows], _NEVER).repeat(counts)
            # Beside a product the minus goes before that, and needs no more parentheses than here.
            spared = some.levels[order] < loosest
            limit += _PAIR * (spared & ~(apart[order] & apart[rows].repeat(counts)))
            kept[order[there[order] & (costs[order] >= limit)]] = False
        of = np.concatenate(turned)
        values = some.values[of] * -1
        legal = mask_indices(obeys_result_rules(values, self.game), len(of))
        of, values = of[legal], values[legal]
        places = len(self.values) + (kept.cumsum() - 1)[of]
        code = len(self._operators)
        below = _some(values, dearer[of], loosest, code, np.full(len(of), _NOBODY), places)
        return _all([some.at(kept), below])

    def _new(self, known: Sequence[_Some], found: _Some) -> _Some:
        """Return what is not known already for as little; where levels matter, all of it."""
        if not self.game.parentheses:
            return found
        both = _all([*known, found])
        # What is known comes first where both cost the same.
        size = len(both.costs)
        rows = np.sort(both.cheapest_rows(np.arange(size), self._spare))
        first = size - len(found.costs)
        return found.at(rows[rows >= first] - first)

    def _cheapest(self, found: list[_Some]) -> _Some:
        """Return each value once, or once for each level that matters, and forget the others."""
        self._hold(sum(len(each.costs) for each in found))
        every = _all(found)
        found.clear()
        numbers = self._numbers if self.game.parentheses else self._levels
        groups = [every.levels == level for level in numbers]
        groups.append(~np.any(groups, axis=0))
        rows = [every.cheapest_rows(each.nonzero()[0], self._spare) for each in groups]
        return every.at(np.concatenate(rows))

    def _hold(self, count: int) -> None:
        self.budget.check_bytes(count * _MADE_BYTES)

    def _keep(self, some: _Some) -> int:
        """Put results into the chart; return the place of the first."""
        first = len(self.values)
        if first + len(some.costs) > MAX_FORMS:
            raise RefusedError(message("work.values", most=Count(MAX_FORMS)))
        self.values.extend(some.values)
        for kept, more in zip(self._kept, some[1:], strict=True):
            kept.extend(more)
        return first

    def _put(self, hand: Hand, known: Sequence[_Some], begin: int) -> None:
        """Say what a sub-hand makes, kept from a place on, that may stand on each side."""
        starts, stops = (np.zeros((1, len(self._sides)), np.int64) for _ in range(2))
        end = len(self.values)
        for at, side in enumerate(self._sides):
            if side == self._levels and self.game.parentheses:
                starts[0, at], stops[0, at] = begin, end
                continue
            some = _all([each.at(np.isin(each.levels, side)) for each in known])
            starts[0, at] = self._keep(some.cheapest(self._spare))
            stops[0, at] = len(self.values)
        [self.index_of[hand]] = self.add_entries([hand], starts, stops)
        sizes = stops - starts
        count = -(-int(sizes.max()) // _PIECE)
        pieces = [
            self.add_entries(
                [hand], starts + sizes * at // count, starts + sizes * (at + 1) // count
            )[0]
            for at in range(count)
        ]
        self._pieces[self.index_of[hand]] = pieces or [self.index_of[hand]]

    def partitions(self, hands: Sequence[Hand]) -> Partitions:
        """Return the splits of hands, of what each side makes a piece at a time."""
        taken, known = super().partitions(hands), self._pieces
        rows = [
            (at, left, right)
            for at, (lefts, rights) in enumerate(zip(taken.left, taken.right, strict=True))
            for left in known[lefts]
            for right in known[rights]
        ]
        places, left, right = np.array(rows, np.int64).reshape(-1, 3).T
        return taken.select(places)._replace(left=left, right=right)


def operator_weight(game: Game) -> int:
    """Return how many times as long a pair takes as with operators that take columns.

    >>> from crisps24 import GAMES
    >>> from crisps24.rules.ids import with_rules
    >>> operator_weight(GAMES["digits"])
    1
    >>> changes = {"operators": "+-x:!", "decimals": "yes"}
    >>> operator_weight(with_rules(GAMES["digits"], changes))
    100
    """
    # Decimals that are closed make many times what three numbers show of it.
    closed = any(each.arity == 1 and not each.joins for each in game.row_operators)
    signs = [each for each in game.row_operators if closed or not each.joins]
    return _BY_ONE if any(each.scalar_only and not each.column_arithmetic for each in signs) else 1


def _is_alone(level: Level) -> bool:
    return bool(level.operators) and level.operators[0].arity == 1


def _binding_of(operator: Operator) -> int:
    return _NUMBER if operator.joins else operator.precedence
