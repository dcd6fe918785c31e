"""Everything that a hand makes: sub-hands, their distinct results and how each comes about.

The results of all sub-hands of a hand stand in one pool, each at a place of its own: those of
a sub-hand together, by level (see `levels`, which says what has to meet what). Two results of a
sub-hand are one solution where their fingerprints agree. Sub-hands of one size are made
together, in a few operations on columns, so that their number does not depend on the hand. Each
result knows all its derivations, from which `solver` reads its plainest form. Owns the search;
knows no text, no order of plainness, and no operator by its name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.fingerprints import Elements, Prints, inverses, prints_of
from crisps24.hands.levels import Level, levels_for
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import (
    Column,
    Ints,
    column_of,
    exact_values,
    held,
    ints_for,
    joined,
    reduced,
)
from crisps24.rules.splits import splits, sub_hands

# What becomes of values: a mask of those to keep.
Keep = Callable[[Column], Any]


class Blocks(NamedTuple):
    """So many results from one place on, each of which meets so many from another: columns.

    What they make is of the node `nodes`: a level of a sub-hand, counted through all sub-hands
    of one size.
    """

    nodes: Ints
    left: Ints
    lefts: Ints
    right: Ints
    rights: Ints


class Pairs(NamedTuple):
    """Places in the pool that meet, and the node of what they make: columns."""

    nodes: Ints
    left: Ints
    right: Ints


class Made(NamedTuple):
    """Results as they are made, a column each: of which node, from which places, what."""

    nodes: Ints
    operators: Ints
    left: Ints
    right: Ints
    prints: Elements
    values: Column


class Derivation(NamedTuple):
    """One way to a result: an operator, and the places in the pool that it joins."""

    operator: Operator
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Results:
    """The distinct results of all sub-hands of one size.

    The derivations of result r are entries `first[r]` to `first[r + 1]` of `operators` (places
    in `known`), `left` and `right` (places in the pool). `starts` holds where each node begins,
    and the last one ends. `at` is the place of result 0 in the pool.
    """

    at: int
    values: Column
    prints: Elements
    starts: Ints
    first: Ints
    known: Sequence[Operator]
    operators: Ints
    left: Ints
    right: Ints

    def derivations(self, result: int) -> Iterator[Derivation]:
        """Yield each way to a result; nothing for a number as it is dealt."""
        at = slice(self.first[result], self.first[result + 1])
        columns = (self.operators[at], self.left[at], self.right[at])
        for operator, left, right in zip(*(column.tolist() for column in columns), strict=True):
            yield Derivation(self.known[operator], left, right)


class Pool:
    """The results of one hand's sub-hands under one game, built size by size."""

    def __init__(self, hand: Sequence[int], game: Game, in_order: bool = False) -> None:
        self.game = game
        self.in_order = in_order
        self.hand = tuple(hand) if in_order else tuple(sorted(hand))
        self._levels = levels_for(game, in_order)
        self._known = [operator for level in self._levels for operator in level.operators]
        self._wanted = self._wanted_of(self._tops())
        numbers = [number for (number,) in sorted(self._wanted[1])]
        self.values = column_of(numbers, game.fractions, ints_for(self.hand, game))
        self.prints = prints_of(numbers)
        self._inverses = np.zeros_like(self.prints)
        # For each sub-hand the places in the pool where its levels begin, and where the last one
        # ends. A number is of the first level, and the others are empty.
        places = np.arange(len(numbers))[:, None]
        self._starts: Ints = np.concatenate([places, *[places + 1] * len(self._levels)], axis=1)
        self._index_of: dict[Hand, int] = {(number,): place for place, number in enumerate(numbers)}
        none = np.empty(0, np.int64)
        first = np.zeros(len(numbers) + 1, np.int64)
        self.sizes = [
            Results(0, self.values, self.prints, none, first, self._known, none, none, none)
        ]

    def _tops(self) -> list[Hand]:
        """Return the sub-hands that may be the whole of a solution."""
        return [self.hand] if self.game.all_numbers else sub_hands(self.hand, self.in_order)

    def _wanted_of(self, tops: Sequence[Hand]) -> list[dict[Hand, int]]:
        """Return the sub-hands by size, with the last level of each that is of any use."""
        last = len(self._levels) - 1
        left_of, right_of = [0], [0]
        for level in self._levels[1:]:
            left_of.append(max(left_of[-1], level.lefts[-1]))
            right_of.append(max(right_of[-1], *(run[-1] for run in level.rights)))
        wanted: list[dict[Hand, int]] = [{} for _ in range(len(self.hand) + 1)]
        for top in tops:
            wanted[len(top)][top] = last
        for of_size in wanted[:1:-1]:
            for hand, own in of_size.items():
                for left, right in splits(hand, self.in_order) if own else ():
                    lefts, rights = wanted[len(left)], wanted[len(right)]
                    if lefts.get(left, -1) < left_of[own]:
                        lefts[left] = left_of[own]
                    if rights.get(right, -1) < right_of[own]:
                        rights[right] = right_of[own]
        return wanted

    def build(self, size: int) -> None:
        """Fill the pool with the results of all sub-hands up to a size."""
        levels = np.arange(len(self._levels) + 1)
        for larger in range(len(self.sizes) + 1, size + 1):
            results = self._make(larger)
            for hand in self._wanted[larger]:
                self._index_of[hand] = len(self._index_of)
            nodes = np.arange(len(self._wanted[larger]))[:, None] * len(self._levels) + levels
            self._starts = np.concatenate((self._starts, results.at + results.starts[nodes]))
            self.values = joined([self.values, results.values])
            self.prints = np.concatenate((self.prints, results.prints))
            self._inverses = np.concatenate((self._inverses, np.zeros_like(results.prints)))
            self.sizes.append(results)

    def kept(self, keep: Keep) -> Iterator[tuple[Results, list[int]]]:
        """Yield (results, which of them) to keep, by how many numbers they use.

        Larger sub-hands are looked at only when they are asked for; at the largest size only
        the results that are kept are made at all.
        """
        whole = len(self.hand)
        for size in range(whole if self.game.all_numbers else 1, whole + 1):
            self.build(size - 1)
            if size == 1:
                results = self.sizes[0]
                yield results, np.flatnonzero(keep(results.values)).tolist()
            else:
                results = self._make(size, keep)
                yield results, list(range(len(results.prints)))

    def results_at(self, place: int) -> tuple[Results, int]:
        """Return the results of the size that a place of the pool is of, and which one it is."""
        results = next(results for results in reversed(self.sizes) if results.at <= place)
        return results, place - results.at

    def _make(self, size: int, keep: Keep | None = None) -> Results:
        """Make the distinct results of every sub-hand of a size, those to keep."""
        made = self._made(size, keep)
        order = np.lexsort((made.prints, made.nodes))
        nodes, prints = made.nodes[order], made.prints[order]
        new = np.ones(len(order), bool)
        new[1:] = (prints[1:] != prints[:-1]) | (nodes[1:] != nodes[:-1])
        first = np.flatnonzero(new)
        count = len(self._levels) * len(self._wanted[size])
        return Results(
            at=len(self.prints),
            values=made.values[order[first]],
            prints=prints[first],
            starts=np.searchsorted(nodes[first], np.arange(count + 1)),
            first=np.append(first, len(order)),
            known=self._known,
            operators=made.operators[order],
            left=made.left[order],
            right=made.right[order],
        )

    def _made(self, size: int, keep: Keep | None) -> Made:
        """Make every result of a size that is legal and to keep, equal ones each time."""
        found: list[Made] = []
        for level, blocks in self._blocks(size):
            pairs = _pairs(blocks)
            values = self.values[pairs.left], self.values[pairs.right]
            found += [self._worked_out(each, pairs, *values, keep) for each in level.operators]
        *columns, values = zip(*found, strict=True)
        nodes, operators, left, right, prints = map(np.concatenate, columns)
        return Made(nodes, operators, left, right, prints, joined(values))

    def _blocks(self, size: int) -> Iterator[tuple[Level, Blocks]]:
        """Yield what meets what in the sub-hands of a size, level by level."""
        ways = [
            (place, last, self._index_of[left], self._index_of[right])
            for place, (hand, last) in enumerate(self._wanted[size].items())
            for left, right in splits(hand, self.in_order)
        ]
        places, lasts, left_ones, right_ones = np.array(ways, np.int64).reshape(-1, 4).T
        starts, right_starts = self._starts[left_ones], self._starts[right_ones]
        for own, level in enumerate(self._levels[1:], 1):
            nodes = places * len(self._levels) + own
            left = starts[:, 0]
            lefts = (starts[:, level.lefts.stop] - left) * (own <= lasts)
            runs = []
            for run in level.rights:
                right = right_starts[:, run.start]
                runs.append(Blocks(nodes, left, lefts, right, right_starts[:, run.stop] - right))
            columns = zip(*runs, strict=True)
            yield level, runs[0] if len(runs) == 1 else Blocks(*map(np.concatenate, columns))

    def _worked_out(
        self, operator: Operator, pairs: Pairs, lefts: Column, rights: Column, keep: Keep | None
    ) -> Made:
        """Return the legal results to keep of an operator between pairs of places."""
        values, legal = operator.operate(lefts, rights, self.game)
        at = held(legal, len(values))
        values = values if legal is True else values[at]
        if keep is not None:
            kept = keep(values).nonzero()[0]
            at, values = at[kept], values[kept]
        code = np.full(len(at), self._known.index(operator), np.int8)
        values = reduced(values)
        left, right = pairs.left[at], pairs.right[at]
        prints = self._prints_of(operator, left, right, values)
        return Made(pairs.nodes[at], code, left, right, prints, values)

    def _prints_of(self, operator: Operator, left: Ints, right: Ints, values: Column) -> Elements:
        """Return the fingerprints of what an operator makes of pairs of places."""
        if operator.joins:
            # A joined number is a number of its own.
            return prints_of([int(value) for value in exact_values(values)])
        rights = Prints(self.prints[right], lambda: self._inverses_at(right))
        made: Prints = operator.arithmetic(Prints(self.prints[left]), rights)
        return made.elements

    def _inverses_at(self, places: Ints) -> Elements:
        """Return the inverses of fingerprints of the pool, each worked out once."""
        wanted = np.zeros(len(self.prints), bool)
        wanted[places] = True
        wanted = np.flatnonzero(wanted & (self._inverses == 0))
        self._inverses[wanted] = inverses(self.prints[wanted])
        return self._inverses[places]


def _pairs(blocks: Blocks) -> Pairs:
    """Return every pair in the blocks."""
    sizes = blocks.lefts * blocks.rights
    starts = np.cumsum(sizes) - sizes
    place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
    i, j = np.divmod(place, np.repeat(blocks.rights, sizes))
    left, right = np.repeat(blocks.left, sizes), np.repeat(blocks.right, sizes)
    return Pairs(np.repeat(blocks.nodes, sizes), i + left, j + right)
