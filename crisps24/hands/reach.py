"""Which values a hand makes: sub-hands as sets of values, shared between hands.

Owns the sets; `pools` owns the functions behind the values, and the two must agree. Of every
sub-hand is kept what it makes with all its numbers, by the sides of operators where that may
stand: `levels` says which these are.
"""

from collections.abc import Sequence
from typing import NamedTuple

from crisps24.hands.levels import Level, levels_for
from crisps24.hands.solver import check_hand
from crisps24.notation.evaluation import game_with
from crisps24.rules.deals import Numbers
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.ratios import (
    Column,
    column_of,
    distinct,
    exact_values,
    held,
    ints_for,
    joined,
    repeated,
)
from crisps24.rules.splits import splits, sub_hands

# So many values are kept, some hundred megabytes, before all are forgotten. Hands come in
# lexicographic order: what the next ones share with the last is soon there again.
MOST_KEPT = 20_000_000


# A column a level.
_Columns = Sequence[Column]


class Sides(NamedTuple):
    """What a sub-hand makes with all its numbers, by where it may stand."""

    lefts: _Columns
    """What may stand on the left of the operators of each level."""
    rights: _Columns
    """What may stand on the right of them."""

    @property
    def values(self) -> Column:
        """All of it: on the left of the last level anything may stand."""
        return self.lefts[-1]


class SubHands:
    """What the sub-hands of the hands of one game make, each worked out once and kept."""

    def __init__(
        self, game: Game, numbers: Sequence[int], longest_right: int, in_order: bool = False
    ) -> None:
        """Begin with no sub-hands.

        `numbers` are those of a hand, or the largest that a hand may have; sub-hands of more
        than `longest_right` numbers are never wanted on the right of an operator.
        """
        self.game = game
        self.in_order = in_order
        self.longest_right = longest_right
        self.levels = levels_for(game, in_order)
        self._lefts = [tuple(level.lefts) for level in self.levels]
        self._rights = [tuple(own for run in level.rights for own in run) for level in self.levels]
        # Many sides are made of the same levels, and are one column then.
        self._left_groups = tuple(dict.fromkeys(self._lefts))
        self._groups = tuple(dict.fromkeys([*self._lefts, *self._rights]))
        self._dtype = ints_for(numbers, game)
        self._known: dict[Hand, Sides] = {}
        self._kept = 0

    def of(self, hand: Hand) -> Sides:
        """Return what a sub-hand makes, a sorted one where the order does not matter."""
        sides = self._known.get(hand)
        if sides is None:
            sides = self._make(hand)
            self._kept += len(sides.values)
            if self._kept > MOST_KEPT:
                self._known.clear()
                self._kept = 0
            self._known[hand] = sides
        return sides

    def _make(self, hand: Hand) -> Sides:
        if len(hand) == 1:
            number = [column_of(hand, self.game.fractions, self._dtype)] * len(self.levels)
            return Sides(number, number)
        made = self.last_steps(hand)
        none = next(column for columns in made for column in columns)[:0]
        if len(hand) > self.longest_right:
            sets = {group: _union(made, group, none) for group in self._left_groups}
            return Sides([sets[group] for group in self._lefts], [none] * len(self.levels))
        # Each level is needed for several sides, so its values are put in order first.
        made = [[distinct(joined(columns))] if columns else [] for columns in made]
        sets = {group: _union(made, group, none, once=True) for group in self._groups}
        return Sides(
            [sets[group] for group in self._lefts], [sets[group] for group in self._rights]
        )

    def last_steps(self, hand: Hand, least: int = 0) -> list[list[Column]]:
        """Return the results of every last step of a hand of two numbers or more, by level.

        Where a commuting operator's operands may change places, it takes the smaller sub-hand
        on the right only. To the others a left one that is below `least` throughout is not
        given: see `surveys`, which knows where none of them makes anything larger.
        """
        large: list[tuple[_Columns, _Columns]] = []
        small: list[tuple[_Columns, _Columns]] = []
        half = len(hand) / 2
        for left, right in splits(hand, self.in_order):
            lefts = self.of(left).lefts
            if len(left) >= half:
                large.append((lefts, self.of(right).rights))
            elif not least or (len(lefts[-1]) and lefts[-1][-1] >= least):
                small.append((lefts, self.of(right).rights))
        results: list[list[Column]] = [[]]
        for own, level in enumerate(self.levels[1:], 1):
            pairs = _pairs(
                [(lefts[own], rights[own]) for lefts, rights in large],
                [(lefts[own], rights[own]) for lefts, rights in small],
            )
            results.append(self._results(level, *pairs))
        return results

    def _results(self, level: Level, left: Column, right: Column, larger: int) -> list[Column]:
        """Return what each operator of a level makes legally of pairs, the `larger` ones first."""
        results = []
        for operator in level.operators:
            some = slice(larger if operator.commutes and level.swaps else None)
            made, legal = operator.operate(left[some], right[some], self.game)
            results.append(made if legal is True else made[held(legal, len(made))])
        return results


def reachable(numbers: Numbers, game: Game | str = "crisps", in_order: bool = False) -> set[Exact]:
    """Return every value that a hand makes: ints, and Fractions where they are not whole.

    `in_order` keeps the numbers in the order given.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]
    >>> sorted(reachable((2, 3), in_order=True))
    [5, 6]

    Raises ValueError for a hand that the game cannot have, see `solver.check_hand`.
    """
    game = find_game(game)
    hand = check_hand(numbers, game, in_order=in_order)
    game = game_with(hand, game)
    hand = hand if in_order else tuple(sorted(hand))
    known = SubHands(game, hand, len(hand) - 1, in_order)
    wholes = [hand] if game.all_numbers else sub_hands(hand, in_order)
    return {value for whole in wholes for value in exact_values(known.of(whole).values)}


def _union(
    made: Sequence[Sequence[Column]], group: Sequence[int], none: Column, once: bool = False
) -> Column:
    """Return the values of a group of levels, each once, or `none`.

    `once` says that a level has each of its own once already.
    """
    columns = [column for own in group for column in made[own] if len(column)]
    if once and len(columns) == 1:
        return columns[0]
    return distinct(joined(columns)) if columns else none


def _pairs(
    large: Sequence[tuple[Column, Column]], small: Sequence[tuple[Column, Column]]
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
