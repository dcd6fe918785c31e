"""What is asked of hands: which targets of which sub-hands, in columns.

A puzzle is a hand and a target. Where not all numbers have to be used, every sub-hand may be the
whole of a solution, and one sub-hand may be that of several puzzles with different targets. Owns
these questions, an *ask* each: a sub-hand and a target.

Of sub-hands of all numbers but one, only what makes a target with this one is of any use, and
most of what they make is not. Which values these are is read from the operators and what undoes
them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, zip_longest
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np

from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    float_bits,
    integer_bound,
    integer_dtype,
    make_column,
)
from crisps24.rules.splits import partitions

# Of smaller sub-hands all is kept: there is not much of it.
_LEAST = 4
# Of values that are looked for one flag in so many (a power of 2) is set, and how many bits the
# number of flags has, at least and at most.
_SPARSE, _LEAST_BITS, _MOST_BITS = 4, 14, 25


class Goal(NamedTuple):
    """A hand, sorted where the order does not matter, and what is to be made of it."""

    hand: Hand
    target: Exact


class Selection(NamedTuple):
    """The rows that were asked for, and which ask each answers: columns."""

    rows: Ints
    goals: Ints


# Values, and the places of the sub-hands that they are made of, to those to keep.
Selector = Callable[[Column, Ints], Selection]


class GoalSet:
    """The asks of some puzzles of one game."""

    def __init__(self, puzzles: Sequence[Goal], game: Game, in_order: bool = False) -> None:
        self.puzzles = puzzles
        self.game = game
        self.in_order = in_order
        self._widest = bounding_hand(puzzle.hand for puzzle in puzzles)
        self._bound = integer_bound(self._widest, game)
        self.roots: list[dict[Hand, float]] = []
        """For each puzzle the sub-hands that may be a solution; see `root_hands`."""
        self._asks: dict[Goal, int] = {}
        of_hand: dict[Hand, dict[Hand, float]] = {}
        for hand, target in puzzles:
            if hand not in of_hand:
                of_hand[hand] = root_hands(hand, game, in_order)
            self.roots.append(of_hand[hand])
            if self._may_be(target):
                for top in of_hand[hand]:
                    self._asks.setdefault(Goal(top, target), len(self._asks))

    def _may_be(self, target: Exact) -> bool:
        """Return whether a target is within what the numbers can make."""
        if not (self.game.fractions or isinstance(target, int)):
            return False
        least, most = target.denominator, abs(target.numerator)
        return self._bound is None or max(least, most) <= self._bound

    def __len__(self) -> int:
        return len(self._asks)

    def __iter__(self) -> Iterator[Goal]:
        """Iterate over the goals in their order."""
        return iter(self._asks)

    def goals_of(self, place: int) -> list[tuple[Hand, int]]:
        """Return the asks of the puzzle at a place, each with its sub-hand."""
        target = self.puzzles[place].target
        pairs = [(top, self._asks.get(Goal(top, target))) for top in self.roots[place]]
        return [(top, ask) for top, ask in pairs if ask is not None]

    def query_for(self, hands: Sequence[Hand]) -> "GoalQuery":
        """Return what is asked of some sub-hands, which are told apart by their places."""
        places = {hand: place for place, hand in enumerate(hands)}
        rounds: list[dict[int, tuple[Exact, int]]] = []
        asked = [0] * len(hands)
        for (top, target), ask in self._asks.items():
            if top in places:
                place = places[top]
                if asked[place] == len(rounds):
                    rounds.append({})
                rounds[asked[place]][place] = target, ask
                asked[place] += 1
        return GoalQuery([self._round(each, len(hands)) for each in rounds])

    def _round(self, asked: dict[int, tuple[Exact, int]], count: int) -> "_Round":
        asks = np.full(count, -1)
        asks[list(asked)] = [ask for _, ask in asked.values()]
        targets = {target for target, _ in asked.values()}
        each = None
        if len(targets) > 1:
            known = [asked[place][0] if place in asked else 0 for place in range(count)]
            each = make_column(known, self.game.fractions, integer_dtype(self._widest, self.game))
        largest = max(max(abs(target.numerator), target.denominator) for target in targets)
        narrow = self._bound is not None and self._bound * largest < np.iinfo(np.int32).max
        return _Round(targets.pop(), each, asks, len(asked) == count, narrow)


class _Round(NamedTuple):
    """At most one ask for each sub-hand."""

    target: Exact
    """That of all of them, if it is one."""
    targets: Column | None
    """Those of each, if they are several."""
    asks: Ints
    """Below 0 where there is none."""
    every: bool
    """Whether each has one."""
    narrow: bool
    """Whether products with a target fit the integers of the values."""

    def select(self, values: Column, places: Ints) -> Selection:
        """Return which of some values are asked for."""
        wanted: Any = self.target if self.targets is None else self.targets[places]
        rows = self._equal(values, wanted).nonzero()[0]
        asks = self.asks[places[rows]]
        if not self.every:
            some = (asks >= 0).nonzero()[0]
            rows, asks = rows[some], asks[some]
        return Selection(rows, asks)

    def _equal(self, values: Column, wanted: Any) -> Any:
        if not (isinstance(values, Ratios) and self.narrow):
            return values == wanted
        if isinstance(wanted, Ratios):
            over, under = wanted.numerators, wanted.denominators
        else:
            over, under = wanted.numerator, wanted.denominator
        return values.numerators * under == over * values.denominators


class GoalQuery:
    """What is asked of sub-hands that are told apart by their places."""

    def __init__(self, rounds: Sequence[_Round]) -> None:
        self._rounds = rounds

    def select(self, values: Column, places: Ints) -> Selection:
        """Return which of some values, each made of the sub-hand at a place, are asked for."""
        if len(self._rounds) == 1:
            return self._rounds[0].select(values, places)
        none = np.zeros(0, np.int64)
        found = [Selection(none, none), *(each.select(values, places) for each in self._rounds)]
        return Selection(*map(np.concatenate, zip(*found, strict=True)))


def bounding_hand(hands: Iterable[Hand]) -> Hand:
    """Return a hand of which each number is at least as large as that of any of the hands.

    >>> bounding_hand([(1, 9), (3, 4, 5)])
    (9, 4, 3)
    """
    ordered = (sorted(map(abs, hand), reverse=True) for hand in hands)
    return tuple(map(max, zip_longest(*ordered, fillvalue=0)))


@lru_cache(1 << 12)
def root_hands(hand: Hand, game: Game, in_order: bool = False) -> dict[Hand, float]:
    """Return the sub-hands that a route may use, and what a weight counts of each; smaller first.

    Weights of sub-hands are kept divided by the arrangements of their equal cards. So that is in
    how many ways cards of the hand can be put in the places of a sub-hand, divided by how all of
    its cards can be arranged, where they have no order.

    >>> from crisps24 import GAMES
    >>> root_hands((3, 3), GAMES["cards"]), root_hands((3, 3), GAMES["countdown"])
    ({(3, 3): 1.0}, {(3,): 2.0, (3, 3): 1.0})
    """
    tops: dict[Hand, float] = {}
    for size in [len(hand)] if game.all_numbers else range(1, len(hand) + 1):
        for top, times in sorted(Counter(combinations(hand, size)).items()):
            alike = prod(map(factorial, map(top.count, set(top))))
            tops[top] = float(times if in_order else times * alike / factorial(size))
    return tops


def values_one_step_from(target: Exact, number: int, game: Game) -> set[int] | None:
    """Return values that hold all of those that make a target with a number; None if any might.

    With a - b = c, a is c + b and b is a - c, and so with any operator and its inverse.

    >>> from crisps24 import GAMES
    >>> sorted(values_one_step_from(24, 4, GAMES["crisps"]))
    [6, 20, 28, 96]
    """
    if number == 0 or not all(operator.inverse for operator in game.row_operators):
        return None
    ends = Fraction(target), Fraction(number)
    names = {name for each in game.row_operators for name in (each.name, each.inverse)}
    values: set[Fraction] = set()
    for operator in map(OPERATORS.__getitem__, names):
        for left, right in (ends, ends[::-1]):
            if right or not operator.divides:
                values.add(operator.arithmetic(left, right))
    return {int(value) for value in values if value >= 0 and value.denominator == 1}


class BloomFilter:
    """Values that are looked for in sub-hands, and a few others that share their flags."""

    def __init__(self, values: Column, places: Ints) -> None:
        near, bits = float_bits(values), len(values).bit_length() + _SPARSE
        self._flags, self._shift = None, np.uint64(64 - min(max(bits, _LEAST_BITS), _MOST_BITS))
        if near is not None:
            self._flags = np.zeros(1 << (64 - int(self._shift)), bool)
            self._flags[hash_column(near ^ hash_column(places)) >> self._shift] = True

    def rows(self, values: Column, places: Ints) -> Ints:
        """Return which of some values may be looked for, in lowest terms or not."""
        near = float_bits(values)
        if near is None or self._flags is None:
            return np.arange(len(places))
        rows: Ints = self._flags[hash_column(near ^ hash_column(places)) >> self._shift].nonzero()[
            0
        ]
        return rows

    def select(self, values: Column, places: Ints) -> Selection:
        """Return the same, each with its place."""
        rows = self.rows(values, places)
        return Selection(rows, places[rows])


def hash_column(column: Ints) -> Ints:
    """Return 64 bits, mixed of others: the same for the same, and hardly ever for two."""
    keys: Ints = column.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys ^= keys >> np.uint64(29)
    return keys


def one_step_filter(asked: GoalSet, size: int, hands: Sequence[Hand]) -> Selector | None:
    """Return what is worth keeping of sub-hands that meet one number and then end.

    None where all might be, or where to tell it would be more work. Values are not below zero.
    """
    game = asked.game
    if game.fractions or size < _LEAST:
        return None
    values: dict[Hand, set[int]] = {hand: set() for hand in hands}
    for top, target in asked:
        for part, other in _both_ways(top, asked.in_order) if len(top) > size else ():
            if len(other) == 1:
                found = values_one_step_from(target, other[0], game)
                if found is None:
                    return None
                values[part] |= found
    sizes = [len(each) for each in values.values()]
    known = np.array([value for each in values.values() for value in sorted(each)], np.int64)
    return BloomFilter(known, np.arange(len(sizes)).repeat(sizes)).select


def _both_ways(hand: Hand, in_order: bool) -> list[tuple[Hand, Hand]]:
    """Return the splits of a hand, each part on either side."""
    taken = partitions(hand, in_order)
    return taken + [(right, left) for left, right in taken] if in_order else taken
