"""Routes: the weight of all ways to every value, kept by sub-hand.

A route is one order of work: a binary tree over the cards, which are told apart even where they
are equal, without a result below zero. Its weight is 2 to the minus bits of its steps (`costs`),
so that the weights of all routes are made of those of the parts, as the values are: a product of
left, right and step. Owns this recursion. Any grouping counts in it, where the other rooms of the
wing keep to a normal form.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.asks import tops_of
from crisps24.hands.chart import Level, levels_for
from crisps24.hands.costs import Floats, size_bits, step_features, step_weights
from crisps24.hands.cuts import Cut, cuts
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    column_of,
    held,
    ints_for,
    joined,
    reduced,
    repeated,
)
from crisps24.rules.splits import sub_hands

# So many pairs are worked out at a time, so that they stay near the processor.
_AT_ONCE = 100_000
# So many values are kept, half a gigabyte, before all are forgotten.
MOST_KEPT = 20_000_000

# Levels of results, by their places among the levels of the game.
_Group = tuple[int, ...]


class Routes(NamedTuple):
    """Values, each once, and the weight of all routes to each: columns."""

    values: Column
    weights: Floats


class _Sides(NamedTuple):
    """What may stand beside the operators of a level: levels."""

    either: _Group
    """What may stand on either side; nothing where the numbers keep their order."""
    left: _Group
    """What else may stand on the left."""
    right: _Group
    """What may stand on the right."""


class _Meeting(NamedTuple):
    """Two sides that meet, for which hand, and how many times."""

    place: int
    left: Routes
    right: Routes
    times: float


class _Pairs(NamedTuple):
    """Every value of one side with every one of the other: columns."""

    places: Ints
    left: Column
    right: Column
    weights: Floats


class _Made(NamedTuple):
    """Results as they are made, and for which hand: columns."""

    places: Ints
    values: Column
    weights: Floats


class SubHandRoutes:
    """The routes of the sub-hands of the hands of one game, each worked out once and kept."""

    def __init__(
        self,
        game: Game,
        numbers: Sequence[int],
        in_order: bool = False,
        within: tuple[Exact, Exact] | None = None,
    ) -> None:
        """Begin with no sub-hands.

        `numbers` are those of a hand, or the largest that a hand may have; `within` limits the
        values at the end of a route, first and last, which is less work.
        """
        self.game = game
        self.in_order = in_order
        if within is not None and not game.fractions:
            within = ceil(within[0]), floor(within[1])
        self._within = within
        # Where the numbers keep their order any grouping is tried, and so it is here.
        self._levels = levels_for(game, in_order=True)
        # The operators by what may stand beside them, each with its level.
        self._beside: dict[_Sides, list[tuple[int, Operator]]] = {}
        for own, level in enumerate(self._levels):
            for operator in level.operators:
                sides = _sides_of(level, in_order)
                self._beside.setdefault(sides, []).append((own, operator))
        self._all: _Group = tuple(range(len(self._levels)))
        groups = [group for sides in self._beside for group in sides if group]
        self._groups = tuple(dict.fromkeys([self._all, *groups]))
        self._dtype = ints_for(numbers, game)
        self._operands: dict[_Group, dict[Hand, Routes]] = {group: {} for group in self._groups}
        self._ends: dict[Hand, Routes] = {}
        self._kept = 0

    def sums(self, hands: Sequence[Hand]) -> Iterator[Routes]:
        """Return for each hand the values that end a route, and the share of tries that end so.

        That is the weight of all routes divided by the arrangements of the cards: n! where they
        have no order. Where not all have to be used, it is added up over all sets of cards. Hands
        are sorted where the order does not matter.
        """
        if self._kept > MOST_KEPT:
            self._forget()
        self._build(hands)
        return map(self._sum, hands)

    def _forget(self) -> None:
        for known in (*self._operands.values(), self._ends):
            known.clear()
        self._kept = 0

    def _sum(self, hand: Hand) -> Routes:
        tops = [(self._ends[top], share) for top, share in self._tops(hand).items()]
        if len(tops) == 1:
            [(routes, share)] = tops
            return Routes(routes.values, routes.weights * share)
        made = [
            _Made(np.zeros(len(routes.weights), np.int64), routes.values, routes.weights * share)
            for routes, share in tops
        ]
        return _gathered(made, 1)[0]

    def _tops(self, hand: Hand) -> dict[Hand, float]:
        return tops_of(hand, self.game, self.in_order)

    def _build(self, hands: Sequence[Hand]) -> None:
        """Work out what the hands need and is not known, smaller sub-hands first."""
        ends = {top for hand in hands for top in self._tops(hand)} - self._ends.keys()
        tops = ends if self.in_order else set(hands)
        operands = {part for top in tops for part in self._parts(top)}
        operands -= self._operands[self._all].keys()
        wanted: dict[tuple[int, bool, bool], list[Hand]] = {}
        for hand in sorted(operands | ends):
            wanted.setdefault((len(hand), hand in operands, hand in ends), []).append(hand)
        for (_, as_operand, as_end), of_size in sorted(wanted.items()):
            for some in self._portions(of_size):
                self._make(some, as_operand, as_end)

    def _parts(self, hand: Hand) -> Iterable[Hand]:
        """Return the smaller sub-hands that routes of a hand go through."""
        if not self.in_order:
            return sub_hands(hand)[:-1]
        return {hand[i:j] for i, j in combinations(range(len(hand) + 1), 2)} - {hand}

    def _portions(self, hands: Sequence[Hand]) -> Iterator[dict[Hand, list[Cut]]]:
        """Yield a few hands at a time with their cuts, so that not too many pairs meet."""
        known = self._operands[self._all]
        some: dict[Hand, list[Cut]] = {}
        pairs = 0
        for hand in hands:
            some[hand] = cuts(hand, self.in_order)
            for left, right, _ in some[hand]:
                pairs += len(known[left].weights) * len(known[right].weights)
            if pairs > _AT_ONCE:
                yield some
                some, pairs = {}, 0
        if some:
            yield some

    def _make(self, some: dict[Hand, list[Cut]], as_operand: bool, as_end: bool) -> None:
        """Work out some hands of one size: as operands of further steps, as ends, or both."""
        hands = list(some)
        operands: list[list[_Made]] = [[] for _ in self._levels]
        ends: list[_Made] = []
        if len(hands[0]) == 1:
            dealt = self._dealt(hands)
            operands[0].append(dealt)
            ends.append(dealt)
        for own, operator, pairs in self._pairs(some.values()):
            made, flags = self._results(operator, pairs, as_operand)
            if as_operand:
                operands[own].append(_weighted(operator, made, flags))
            if as_end:
                ends.append(_weighted(operator, made, flags, last=True))
        if as_operand:
            for group in self._groups:
                self._keep(
                    self._operands[group], hands, [each for own in group for each in operands[own]]
                )
        if as_end:
            self._keep(self._ends, hands, [self._at_end(each) for each in ends])

    def _dealt(self, hands: Sequence[Hand]) -> _Made:
        """Return hands of one number as they are dealt."""
        values = column_of([number for (number,) in hands], self.game.fractions, self._dtype)
        return _Made(np.arange(len(hands)), values, np.ones(len(hands)))

    def _keep(self, known: dict[Hand, Routes], hands: Sequence[Hand], made: list[_Made]) -> None:
        none = column_of([], self.game.fractions, self._dtype)
        made = [each for each in made if len(each.places)] or [
            _Made(np.zeros(0, int), none, np.zeros(0))
        ]
        known.update(zip(hands, _gathered(made, len(hands)), strict=True))
        self._kept += sum(len(each.places) for each in made)

    def _pairs(self, taken: Iterable[list[Cut]]) -> Iterator[tuple[int, Operator, _Pairs]]:
        """Yield what every operator meets, with its level."""
        placed = [(place, cut) for place, of_hand in enumerate(taken) for cut in of_hand]
        for sides, operators in self._beside.items():
            either, ordered = self._meetings(placed, sides)
            if either:
                pairs = _paired(either)
                swapped = pairs._replace(left=pairs.right, right=pairs.left)
                for own, operator in operators:
                    yield own, operator, pairs
                    if not operator.commutes:
                        yield own, operator, swapped
            if ordered:
                pairs = _paired(ordered)
                for own, operator in operators:
                    yield own, operator, pairs

    def _meetings(
        self, placed: Sequence[tuple[int, Cut]], sides: _Sides
    ) -> tuple[list[_Meeting], list[_Meeting]]:
        """Return what meets beside the operators of a level: on either side, and as it stands."""
        either: list[_Meeting] = []
        ordered: list[_Meeting] = []
        for place, (left, right, times) in placed:
            if sides.either:
                known = self._operands[sides.either]
                either.append(_Meeting(place, known[left], known[right], times))
            if sides.left:
                lefts, rights = self._operands[sides.left], self._operands[sides.right]
                ordered.append(_Meeting(place, lefts[left], rights[right], times))
                if not self.in_order:
                    ordered.append(_Meeting(place, lefts[right], rights[left], times))
        return either, ordered

    def _results(self, operator: Operator, pairs: _Pairs, as_operand: bool) -> tuple[_Made, Any]:
        """Return what an operator makes of pairs legally, and the features of these steps."""
        values, legal = operator.operate(pairs.left, pairs.right, self.game)
        if self.game.negatives:
            legal = legal & (values >= 0)
        if not as_operand:
            legal = legal & self._ends_at(values)
        at = held(legal, len(pairs.places))
        values = reduced(values[at])
        flags = step_features(operator, pairs.left[at], pairs.right[at], values)
        return _Made(pairs.places[at], values, pairs.weights[at]), flags

    def _ends_at(self, values: Column) -> Any:
        """Return where values may be at the end of a route."""
        if self._within is None:
            return True
        first, last = self._within
        return values == first if first == last else (values >= first) & (values <= last)

    def _at_end(self, made: _Made) -> _Made:
        at = held(self._ends_at(made.values), len(made.places))
        return _Made(made.places[at], made.values[at], made.weights[at])


def _weighted(operator: Operator, made: _Made, flags: Any, last: bool = False) -> _Made:
    """Return results with the weight of their last step, as the `last` of a route or not."""
    weights = made.weights * step_weights(flags, last)
    if not (last or operator.joins):
        weights *= np.exp2(-size_bits(made.values))
    return made._replace(weights=weights)


def _sides_of(level: Level, in_order: bool) -> _Sides:
    """Return what may stand beside the operators of a level."""
    left, right = tuple(level.lefts), tuple(own for run in level.rights for own in run)
    if in_order:
        return _Sides((), left, right)
    return _Sides(right, tuple(own for own in left if own not in right), right)


def _paired(meetings: Iterable[_Meeting]) -> _Pairs:
    """Return every pair of the sides that meet.

    The right side is repeated entry by entry, in one operation for all; the left one is taken as
    often as that, whole.
    """
    lefts: list[Column] = []
    left_weights: list[Floats] = []
    rights: list[Column] = []
    right_weights: list[Floats] = []
    times: list[int] = []
    places, counts = [], []
    for place, left, right, ways in meetings:
        size = len(right.weights)
        lefts += [left.values] * size
        left_weights += [left.weights] * size
        rights.append(right.values)
        right_weights.append(right.weights * ways)
        times += [len(left.weights)] * size
        places.append(place)
        counts.append(len(left.weights) * size)
    right_column = repeated(joined(rights), times)
    weights = np.repeat(np.concatenate(right_weights), times)
    if lefts:
        weights *= np.concatenate(left_weights)
    return _Pairs(
        np.repeat(places, counts), joined(lefts) if lefts else right_column, right_column, weights
    )


def _gathered(made: Sequence[_Made], count: int) -> list[Routes]:
    """Return the routes of each of so many hands, each value once."""
    places = np.concatenate([each.places for each in made])
    values = joined([each.values for each in made])
    weights = np.concatenate([each.weights for each in made])
    parts = values._pair() if isinstance(values, Ratios) else (values,)
    keys, order = _sorted(_packed([places, *parts]))
    new = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    starts = new.nonzero()[0]
    first = order[starts]
    sums = np.add.reduceat(weights[order], starts) if len(starts) else weights
    values = values[first]
    ends = np.searchsorted(places[first], np.arange(count + 1))
    return [Routes(values[i:j], sums[i:j]) for i, j in pairwise(ends.tolist())]


def _sorted(keys: Ints) -> tuple[Ints, Ints]:
    """Return keys from 0 in ascending order, and where each was."""
    places = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + places > 62:
        order = np.argsort(keys)
        return keys[order], order
    # To sort numbers is quicker than to sort their places, so each takes its own with it.
    together = keys << places | np.arange(len(keys))
    together.sort()
    return together >> places, together & ((1 << places) - 1)


def _packed(parts: Sequence[Ints]) -> Ints:
    """Return one column of integers that is equal, and ordered, as some columns together are."""
    keys, room = np.zeros(len(parts[0]), np.int64), 1
    for part in parts if len(keys) else ():
        least, most = int(part.min()), int(part.max())
        if room * (most - least + 1) >= 2**62:
            keys, part = (np.unique(each, return_inverse=True)[1] for each in (keys, part))
            room, least, most = len(keys), 0, len(part)
        room *= most - least + 1
        keys = keys * (most - least + 1) + (part - least).astype(np.int64)
    return keys
