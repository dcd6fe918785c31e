"""Which values a hand makes: sub-hands as sets of values, shared between hands.

Owns the sets; `pools` owns the functions behind the values, and the two must agree. Every
sub-hand keeps what it makes with all its numbers, in one of four roles. A sum takes any value
and adds or takes away a term, that is a product or a number; a product takes any value and
multiplies or divides it by a sum or a number; `pools` says why that is enough. Without
parentheses the same holds with fewer values in the roles: the left of a product is a term, its
right a single number.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.solver import check_hand
from crisps24.notation.trees import OPERATORS, TIMES
from crisps24.rules.games import Exact, Game, Hand, find_game
from crisps24.rules.ratios import (
    Column,
    column_of,
    distinct,
    exact_values,
    ints_for,
    joined,
    repeated,
)


class Part(NamedTuple):
    """What a sub-hand makes with all its numbers, by the place where it may stand."""

    values: Column
    """Anything: the left of `+` and `-`."""
    terms: Column
    """A product or a number: the right of `+` and `-`."""
    dividends: Column
    """The left of `x` and `:`."""
    factors: Column
    """The right of `x` and `:`."""


class Parts:
    """The parts of the hands of one game, each worked out once and kept."""

    def __init__(self, game: Game, numbers: Sequence[int], longest_right: int) -> None:
        """Begin with no parts.

        `numbers` are those of a hand, or the largest that a hand may have; parts of more than
        `longest_right` numbers are never wanted on the right of an operator.
        """
        self.game = game
        self.longest_right = longest_right
        self.dtype = ints_for(numbers, game.fractions)
        self._parts: dict[Hand, Part] = {}

    def of(self, hand: Hand) -> Part:
        """Return what a sub-hand, sorted, makes."""
        part = self._parts.get(hand)
        if part is None:
            part = self._parts[hand] = self._make(hand)
        return part

    def _make(self, hand: Hand) -> Part:
        if len(hand) == 1:
            number = column_of(hand, self.game.fractions, self.dtype)
            return Part(number, number, number, number)
        sums, products = self.last_steps(hand)
        free = self.game.parentheses
        if free and len(hand) > self.longest_right:
            values = distinct(joined([*sums, *products]))
            return Part(values, values[:0], values, values[:0])
        added, terms = distinct(joined(sums)), distinct(joined(products))
        values = distinct(joined([added, terms]))
        return Part(values, terms, values, added) if free else Part(values, terms, terms, added[:0])

    def last_steps(self, hand: Hand, least: int = 0) -> tuple[list[Column], list[Column]]:
        """Return the results of every last step of a hand: of `-` and `+`, of `x` and `:`.

        `+` and `x` commute, so they take the smaller part on the right only. A left part that
        is below `least` throughout is of no use to `-` and `:` in natural numbers, where these
        make nothing larger; their results below `least` may be left out for that.
        """
        large: list[tuple[Part, Part]] = []
        small: list[tuple[Part, Part]] = []
        for size, take_left, take_right in _splits(hand):
            part = self.of(take_left(hand))
            if 2 * size >= len(hand):
                large.append((part, self.of(take_right(hand))))
            elif not least or part.values[-1] >= least:
                small.append((part, self.of(take_right(hand))))
        sums = _pairs(
            [(left.values, right.terms) for left, right in large],
            [(left.values, right.terms) for left, right in small],
        )
        products = _pairs(
            [(left.dividends, right.factors) for left, right in large],
            [(left.dividends, right.factors) for left, right in small],
        )
        results: tuple[list[Column], list[Column]] = ([], [])
        for operator in OPERATORS:
            product = operator.precedence == TIMES.precedence
            left, right, larger = products if product else sums
            if operator.commutes:
                left, right = left[:larger], right[:larger]
            made, legal = operator.operate(left, right, self.game)
            results[product].append(made if legal is True else made[np.flatnonzero(legal)])
        return results


def reachable(numbers: Sequence[int], game: Game | str = "crisps") -> set[Exact]:
    """Return every value that a hand makes: ints, and Fractions where they are not whole.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]

    Raises ValueError for a hand that the game cannot have, see `solver.check_hand`.
    """
    game = find_game(game)
    hand = tuple(sorted(check_hand(numbers, game)))
    parts = Parts(game, hand, len(hand) - 1)
    wholes = [hand] if game.all_numbers else sub_hands(hand)
    return {value for whole in wholes for value in exact_values(parts.of(whole).values)}


def sub_hands(hand: Hand) -> list[Hand]:
    """Return every sub-hand of a sorted hand, smaller ones first, but the empty one."""
    sizes = range(1, len(hand) + 1)
    return [part for size in sizes for part in sorted(set(combinations(hand, size)))]


@cache
def _splits_of(repeats: tuple[bool, ...]) -> list[tuple[int, Any, Any]]:
    """Return the ways to split a sorted hand in two, as getters, each way once.

    `repeats[i]` says that number i is the number before it again.
    """
    label = np.cumsum([not repeat for repeat in repeats]).tolist()
    places = range(len(repeats))
    seen, splits = set(), []
    for size in range(1, len(repeats)):
        for left in combinations(places, size):
            key = tuple(label[place] for place in left)
            if key not in seen:
                seen.add(key)
                right = [place for place in places if place not in left]
                splits.append((size, _getter(left), _getter(right)))
    return splits


def _getter(places: Sequence[int]) -> Any:
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))


def _splits(hand: Hand) -> list[tuple[int, Any, Any]]:
    return _splits_of((False, *(a == b for a, b in pairwise(hand))))


def _pairs(
    large: list[tuple[Column, Column]], small: list[tuple[Column, Column]]
) -> tuple[Column, Column, int]:
    """Return all pairs of each (left, right) as two long columns, and how many are of `large`.

    The shorter side of a pair is repeated entry by entry in one operation for all splits; the
    longer one is taken as often as that, whole.
    """
    lefts: list[Column] = []
    times: list[int] = []
    for left, right in large:
        lefts += [left] * len(right)
        times += [len(left)] * len(right)
    rights = [repeated(joined([right for _, right in large]), times)]
    count = len(rights[0])
    if small:
        times = []
        for left, right in small:
            rights += [right] * len(left)
            times += [len(right)] * len(left)
        lefts.append(repeated(joined([left for left, _ in small]), times))
    return (joined(lefts) if lefts else rights[0]), joined(rights), count
