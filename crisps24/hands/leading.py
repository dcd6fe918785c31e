"""What leads to a target in one more step with one number: values worth keeping.

Of sub-hands of all numbers but one, only what makes a target with this one is of any use, and
most of what they make is not. Owns which values these are; it is read from the operators and what
undoes them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from crisps24.hands.asks import Asks, Keep, Matches
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Column, Ints
from crisps24.rules.splits import splits

# Of smaller sub-hands all is kept: there is not much of it.
_LEAST = 4
# A table of so many flags is small.
_MOST_FLAGS = 1 << 24


def leading_to(target: Exact, number: int, game: Game) -> set[int] | None:
    """Return values that hold all of those that make a target with a number; None if any might.

    With a - b = c, a is c + b and b is a - c, and so with any operator and its inverse.

    >>> from crisps24 import GAMES
    >>> sorted(leading_to(24, 4, GAMES["crisps"]))
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


class Leading:
    """The whole values that are worth keeping of each of some sub-hands, by their places."""

    def __init__(self, values: Sequence[set[int]]) -> None:
        self._width = width_of(values)
        self._flags = np.zeros(len(values) * self._width, bool)
        for place, each in enumerate(values):
            self._flags[[place * self._width + value for value in each]] = True

    def matches(self, values: Column, places: Ints) -> Matches:
        """Return which of some values, none of them below zero, are worth keeping."""
        near = np.minimum(cast("Ints", values), self._width - 1)
        rows = self._flags[places * self._width + near].nonzero()[0]
        return Matches(rows, places[rows])


def leading_of(asked: Asks, size: int, hands: Sequence[Hand]) -> Keep | None:
    """Return what is worth keeping of sub-hands that meet one number and then end.

    None where all might be, or where to tell it would be more work. Values are not below zero.
    """
    game = asked.game
    if game.fractions or size < _LEAST:
        return None
    values: dict[Hand, set[int]] = {hand: set() for hand in hands}
    for top, target in asked.pairs:
        for part, other in _both_ways(top, asked.in_order) if len(top) > size else ():
            if len(other) == 1:
                found = leading_to(target, other[0], game)
                if found is None:
                    return None
                values[part] |= found
    least = list(values.values())
    return Leading(least).matches if len(least) * width_of(least) < _MOST_FLAGS else None


def _both_ways(hand: Hand, in_order: bool) -> list[tuple[Hand, Hand]]:
    """Return the splits of a hand, each part on either side."""
    taken = splits(hand, in_order)
    return taken + [(right, left) for left, right in taken] if in_order else taken


def width_of(values: Sequence[set[int]]) -> int:
    """Return how many flags are enough for each set of values, and one for all that are larger."""
    return max((value for each in values for value in each), default=0) + 2
