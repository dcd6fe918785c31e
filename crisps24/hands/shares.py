"""Shares: the weight of all routes to every solution, kept by sub-hand and fingerprint.

The recursion of `routes` once more: all groupings and orders of work, cards told apart, no result
below zero. What is made is told apart as a function and not by its value, so that each solution
has a weight of its own, and they add up to the weight of the value. Owns this recursion, on
columns and for many hands at once: what sub-hands make stands in columns, those of a sub-hand
together, by level.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.hands.asks import Asks, Keep, leading_of
from crisps24.hands.blocks import Blocks, pairs_of, portions
from crisps24.hands.chart import Level, levels_for
from crisps24.hands.costs import Floats, kinds_of, size_bits, step_features, step_weights
from crisps24.hands.cuts import Cut, cuts
from crisps24.hands.fingerprints import Elements, KeptPrints, grouped_prints, prints_of
from crisps24.rules.games import Hand
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Ints, column_of, held, joined, reduced
from crisps24.rules.splits import sub_hands

# So few pairs are worked out both ways in one operation.
_FEW = 4_000


class _Sides(NamedTuple):
    """What may stand beside the operators of a level: levels."""

    either: range
    """What may stand on either side; nothing where the numbers keep their order."""
    left: range
    """What else may stand on the left."""
    right: range
    """What may stand on the right."""


class _Ways(NamedTuple):
    """Sub-hands that meet, for which of larger ones, and how many times: columns."""

    places: Ints
    left: Ints
    right: Ints
    times: Floats


class _Met(NamedTuple):
    """Pairs of places that meet, of which sub-hand, and how many times each: columns."""

    places: Ints
    left: Ints
    right: Ints
    times: Floats

    def turned(self, count: int) -> "_Met":
        """Return so many of the first pairs the other way round."""
        some = slice(count)
        return _Met(self.places[some], self.right[some], self.left[some], self.times[some])

    def before(self, other: "_Met") -> "_Met":
        """Return the pairs of both."""
        return _Met(*map(np.concatenate, zip(self, other, strict=True)))


class Made(NamedTuple):
    """Results as they are made: of which node, what, and the weight of the routes: columns."""

    nodes: Ints
    values: Column
    prints: Elements
    weights: Floats


class Step(NamedTuple):
    """Results of one operator, and the places of what it joins: columns."""

    made: Made
    operator: Operator
    left: Ints
    right: Ints


class Functions:
    """The functions that sub-hands make without going below zero, and the weight of each."""

    def __init__(self, asked: Asks, best: bool = False) -> None:
        """Work out what the sub-hands of some puzzles make, of which all is kept that is of use.

        `best` keeps the weight of the likeliest route alone, and not that of all together.
        """
        self._best = best
        self.game = asked.game
        self.in_order = asked.in_order
        # Where the numbers keep their order any grouping is tried, and so it is here.
        self._levels = levels_for(self.game, in_order=True)
        # The operators by what may stand beside them, each with its level.
        self._beside: dict[_Sides, list[tuple[int, Operator]]] = {}
        for own, level in enumerate(self._levels):
            for operator in level.operators:
                sides = _sides_of(level, self.in_order)
                self._beside.setdefault(sides, []).append((own, operator))
        wholes = {puzzle.hand for puzzle in asked.puzzles}
        # Where the numbers keep their order, what is left out may be anywhere.
        wholes |= {top for tops in asked.tops for top in tops} if self.in_order else set()
        operands = sorted({part for hand in wholes for part in _parts(hand, self.in_order)})
        numbers = [hand for hand in operands if len(hand) == 1]
        dealt = [number for (number,) in numbers]
        # Only numbers that are dealt may be below zero.
        self._below_zero = min(dealt) < 0
        self.values = column_of(dealt, self.game.fractions, asked.dtype)
        self.prints = KeptPrints(prints_of(dealt))
        self.kinds = kinds_of(self.values)
        self.weights = np.ones(len(dealt))
        self._index_of: dict[Hand, int] = {hand: place for place, hand in enumerate(numbers)}
        # Where the levels of each sub-hand begin, and where the last one ends.
        places = np.arange(len(numbers))[:, None]
        self._starts: Ints = np.concatenate([places, *[places + 1] * len(self._levels)], axis=1)
        largest = max(map(len, operands))
        for size in range(2, largest + 1):
            hands = [hand for hand in operands if len(hand) == size]
            self._add(hands, leading_of(asked, size, hands) if size == largest else None)

    def _add(self, hands: Sequence[Hand], keep: Keep | None) -> None:
        """Add what some sub-hands of one size make, or what of it is to keep."""
        made = _gathered(_joined([step.made for step in self.steps(hands, keep)]), self._best)
        # What is joined of digits is no result that has to be kept in mind.
        own = made.nodes % len(self._levels)
        joins = [any(each.joins for each in level.operators) for level in self._levels]
        sizes = np.where(np.array(joins)[own], 0, size_bits(made.values))
        self.weights = np.concatenate((self.weights, made.weights * np.exp2(-sizes)))
        for hand in hands:
            self._index_of[hand] = len(self._index_of)
        count = len(self._levels)
        nodes = np.arange(len(hands))[:, None] * count + np.arange(count + 1)
        starts = len(self.prints.elements) + np.searchsorted(made.nodes, nodes)
        self._starts = np.concatenate((self._starts, starts))
        self.values = joined([self.values, made.values])
        self.kinds = np.concatenate((self.kinds, kinds_of(made.values)))
        self.prints.add(made.prints)

    def ends(self, hands: Sequence[Hand], keep: Keep) -> Iterator[Made]:
        """Yield what ends the routes of some sub-hands of one size, by what it answers."""
        if len(hands[0]) > 1:
            yield from (step.made for step in self.steps(hands, keep, last=True))
            return
        dealt = np.array([self._index_of[hand] for hand in hands])
        rows, asks = keep(self.values[dealt], np.arange(len(hands)))
        at = dealt[rows]
        yield Made(asks, self.values[at], self.prints.elements[at], self.weights[at])

    def steps(self, hands: Sequence[Hand], keep: Keep | None, last: bool = False) -> Iterator[Step]:
        """Yield what some hands make by one more step, the `last` of a route or not."""
        known = self._index_of
        taken = [(place, *cut) for place, hand in enumerate(hands) for cut in self._cuts(hand)]
        ways = [(place, known[left], known[right]) for place, left, right, _ in taken]
        places, lefts, rights = np.array(ways, np.int64).reshape(-1, 3).T
        every = _Ways(places, lefts, rights, np.array([times for *_, times in taken]))
        for sides, operators in self._beside.items():
            for met, swapped in self._met(sides, every):
                both = [met, met.turned(swapped)] if swapped else [met]
                if swapped <= _FEW:
                    both = [met.before(each) for each in both[1:]] or both
                values = [(self.values[each.left], self.values[each.right]) for each in both]
                once = slice(len(met.places))
                for own, operator in operators:
                    if operator.commutes:
                        left, right = values[0]
                        yield self._worked_out(
                            operator, own, met, (left[once], right[once]), keep, last
                        )
                        continue
                    for pairs, operands in zip(both, values, strict=True):
                        yield self._worked_out(operator, own, pairs, operands, keep, last)

    def part_at(self, place: int) -> tuple[Hand, int]:
        """Return the sub-hand that a place is of, and the level."""
        hands = list(self._index_of)
        index = int(np.searchsorted(self._starts[:, -1], place, "right"))
        return hands[index], int(np.searchsorted(self._starts[index], place, "right")) - 1

    def of_level(self, made: Made, level: int) -> npt.NDArray[np.bool_]:
        """Return which results of a step that is not the last are of a level."""
        own: npt.NDArray[np.bool_] = made.nodes % len(self._levels) == level
        return own

    def _cuts(self, hand: Hand) -> list[Cut]:
        return cuts(hand, self.in_order)

    def _met(self, sides: _Sides, ways: _Ways) -> Iterator[tuple[_Met, int]]:
        """Yield pairs that meet, some at a time, and how many of the first meet either way."""
        runs = self._runs(sides, ways)
        either = len(ways.places) if sides.either else 0
        blocks = (
            runs[0] if len(runs) == 1 else Blocks(*map(np.concatenate, zip(*runs, strict=True)))
        )
        for some in portions(blocks):
            sizes = (some.lefts * some.rights)[:either]
            either -= len(sizes)
            of, left, right = pairs_of(some)
            yield _Met(ways.places[of], left, right, ways.times[of]), int(sizes.sum())

    def _runs(self, sides: _Sides, ways: _Ways) -> list[Blocks]:
        """Return what meets, those first that meet either way."""
        nodes = np.arange(len(ways.places))
        one, other = self._starts[ways.left], self._starts[ways.right]
        met = [(one, sides.either, other)] if sides.either else []
        if sides.left:
            met += [(one, sides.left, other)] + [(other, sides.left, one)] * (not self.in_order)
        runs = []
        for lefts, levels, rights in met:
            left, right = lefts[:, levels.start], rights[:, sides.right.start]
            count, others = lefts[:, levels.stop] - left, rights[:, sides.right.stop] - right
            runs.append(Blocks(nodes, left, count, right, others))
        return runs

    def _worked_out(
        self,
        operator: Operator,
        own: int,
        met: _Met,
        operands: tuple[Column, Column],
        keep: Keep | None,
        last: bool,
    ) -> Step:
        """Return what an operator makes of pairs legally, not below zero, and is to keep."""
        left, right = operands
        values, legal = operator.operate(left, right, self.game)
        if self.game.negatives and (self._below_zero or not operator.stays_positive):
            legal = legal & (values >= 0)
        at = held(legal, len(met.places))
        values, places = values[at], met.places[at]
        if keep is not None:
            rows, places = keep(values, places)
            at, values = at[rows], values[rows]
        nodes = places if last else places * len(self._levels) + own
        pair = met.left[at], met.right[at]
        if not len(at):
            return Step(
                Made(nodes, values, self.prints.elements[:0], self.weights[:0]), operator, *pair
            )
        values = reduced(values)
        weights = self.weights[pair[0]] * self.weights[pair[1]]
        if not self._best:
            weights *= met.times[at]
        kinds = self.kinds[pair[0]], self.kinds[pair[1]]
        flags = step_features(operator, left[at], right[at], values, kinds)
        prints = self.prints.made(operator, *pair, values)
        return Step(
            Made(nodes, values, prints, weights * step_weights(flags, last)), operator, *pair
        )


def weights_of(asked: Asks) -> list[dict[int, float]]:
    """Return for each puzzle the weights of its solutions, by their fingerprints.

    They add up to the share of tries that end so, as `routes` has it. Solutions that are reached
    by results below zero alone are not among them.

    >>> from crisps24 import GAMES
    >>> from crisps24.hands.asks import Ask
    >>> [found] = weights_of(Asks([Ask((2, 3), 6)], GAMES["crisps"]))
    >>> list(found.values())
    [0.7071067811865476]
    """
    of_ask: list[dict[int, float]] = [{} for _ in range(len(asked))]
    for made in _ends(asked):
        for ask, fingerprint, weight in zip(
            made.nodes.tolist(), made.prints.tolist(), made.weights.tolist(), strict=True
        ):
            of_ask[ask][fingerprint] = of_ask[ask].get(fingerprint, 0.0) + weight
    found: list[dict[int, float]] = []
    for place, tops in enumerate(asked.tops):
        summed: dict[int, float] = {}
        for top, ask in asked.asks_of(place):
            for fingerprint, weight in of_ask[ask].items():
                summed[fingerprint] = summed.get(fingerprint, 0.0) + weight * tops[top]
        found.append(summed)
    return found


def _ends(asked: Asks) -> Iterator[Made]:
    """Yield what ends the routes of puzzles, by what it answers."""
    functions = Functions(asked)
    tops = dict.fromkeys(top for each in asked.tops for top in each)
    for size in sorted(set(map(len, tops))):
        hands = [top for top in tops if len(top) == size]
        yield from functions.ends(hands, asked.among(hands).matches)


def _parts(hand: Hand, in_order: bool) -> list[Hand]:
    """Return the smaller sub-hands that routes of a hand go through."""
    if not in_order or len(hand) == 1:
        return sub_hands(hand)[:-1] or [hand]
    spans = combinations(range(len(hand) + 1), 2)
    return list({hand[i:j] for i, j in spans} - {hand})


def _sides_of(level: Level, in_order: bool) -> _Sides:
    """Return what may stand beside the operators of a level."""
    [right] = level.rights
    if in_order:
        return _Sides(range(0), level.lefts, right)
    return _Sides(right, range(right.stop, level.lefts.stop), right)


def _joined(made: Sequence[Made]) -> Made:
    nodes, values, prints, weights = zip(*made, strict=True)
    return Made(
        np.concatenate(nodes), joined(values), np.concatenate(prints), np.concatenate(weights)
    )


def _gathered(made: Made, best: bool) -> Made:
    """Return each function of a node once, with the weights of all routes to it, or the best."""
    order, starts = grouped_prints(made.nodes, made.prints)
    first = order[starts]
    weights = made.weights[order]
    if len(starts):
        together = np.maximum if best else np.add
        weights = together.reduceat(weights, starts)
    return Made(made.nodes[first], made.values[first], made.prints[first], weights)
