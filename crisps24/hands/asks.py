"""What is asked of hands: which targets of which sub-hands, in columns.

A puzzle is a hand and a target. Where not all numbers have to be used, every sub-hand may be the
whole of a solution, and one sub-hand may be that of several puzzles with different targets. Owns
these questions, an *ask* each: a sub-hand and a target.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.cuts import tops_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ratios import Column, Ints, Ratios, bound_for, column_of, ints_for


class Ask(NamedTuple):
    """A hand, sorted where the order does not matter, and what is to be made of it."""

    hand: Hand
    target: Exact


class Matches(NamedTuple):
    """The rows that were asked for, and which ask each answers: columns."""

    rows: Ints
    asks: Ints


# Values, and the places of the sub-hands that they are made of, to those to keep.
Keep = Callable[[Column, Ints], Matches]


class Asks:
    """The asks of some puzzles of one game."""

    def __init__(self, puzzles: Sequence[Ask], game: Game, in_order: bool = False) -> None:
        self.puzzles = puzzles
        self.game = game
        self.in_order = in_order
        numbers = widest_of(puzzle.hand for puzzle in puzzles)
        self.dtype = ints_for(numbers, game)
        """The integers that hold all that the numbers make."""
        self._bound = bound_for(numbers, game)
        self.tops: list[dict[Hand, float]] = []
        """For each puzzle the sub-hands that may be a solution; see `tops_of`."""
        self._asks: dict[Ask, int] = {}
        of_hand: dict[Hand, dict[Hand, float]] = {}
        for hand, target in puzzles:
            if hand not in of_hand:
                of_hand[hand] = tops_of(hand, game, in_order)
            self.tops.append(of_hand[hand])
            if self._may_be(target):
                for top in of_hand[hand]:
                    self._asks.setdefault(Ask(top, target), len(self._asks))

    def _may_be(self, target: Exact) -> bool:
        """Return whether a target is within what the numbers can make."""
        if not (self.game.fractions or isinstance(target, int)):
            return False
        least, most = target.denominator, abs(target.numerator)
        return self._bound is None or max(least, most) <= self._bound

    def __len__(self) -> int:
        return len(self._asks)

    @property
    def pairs(self) -> Iterable[Ask]:
        """The asks in order: sub-hands and targets."""
        return self._asks

    def asks_of(self, place: int) -> list[tuple[Hand, int]]:
        """Return the asks of the puzzle at a place, each with its sub-hand."""
        target = self.puzzles[place].target
        pairs = [(top, self._asks.get(Ask(top, target))) for top in self.tops[place]]
        return [(top, ask) for top, ask in pairs if ask is not None]

    def among(self, hands: Sequence[Hand]) -> "Wanted":
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
        return Wanted([self._round(each, len(hands)) for each in rounds])

    def _round(self, asked: dict[int, tuple[Exact, int]], count: int) -> "_Round":
        asks = np.full(count, -1)
        asks[list(asked)] = [ask for _, ask in asked.values()]
        targets = {target for target, _ in asked.values()}
        each = None
        if len(targets) > 1:
            known = [asked[place][0] if place in asked else 0 for place in range(count)]
            each = column_of(known, self.game.fractions, self.dtype)
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

    def matches(self, values: Column, places: Ints) -> Matches:
        """Return which of some values are asked for."""
        wanted: Any = self.target if self.targets is None else self.targets[places]
        rows = self._equal(values, wanted).nonzero()[0]
        asks = self.asks[places[rows]]
        if not self.every:
            some = (asks >= 0).nonzero()[0]
            rows, asks = rows[some], asks[some]
        return Matches(rows, asks)

    def _equal(self, values: Column, wanted: Any) -> Any:
        if not (isinstance(values, Ratios) and self.narrow):
            return values == wanted
        if isinstance(wanted, Ratios):
            over, under = wanted.numerators, wanted.denominators
        else:
            over, under = wanted.numerator, wanted.denominator
        return values.numerators * under == over * values.denominators


class Wanted:
    """What is asked of sub-hands that are told apart by their places."""

    def __init__(self, rounds: Sequence[_Round]) -> None:
        self._rounds = rounds

    def matches(self, values: Column, places: Ints) -> Matches:
        """Return which of some values, each made of the sub-hand at a place, are asked for."""
        if len(self._rounds) == 1:
            return self._rounds[0].matches(values, places)
        none = np.zeros(0, np.int64)
        found = [Matches(none, none), *(each.matches(values, places) for each in self._rounds)]
        return Matches(*map(np.concatenate, zip(*found, strict=True)))


def widest_of(hands: Iterable[Hand]) -> Hand:
    """Return a hand of which each number is at least as large as that of any of the hands.

    >>> widest_of([(1, 9), (3, 4, 5)])
    (9, 4, 3)
    """
    ordered = (sorted(map(abs, hand), reverse=True) for hand in hands)
    return tuple(map(max, zip_longest(*ordered, fillvalue=0)))
