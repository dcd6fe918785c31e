"""Everything that hands make: sub-hands, their distinct results and how each comes about.

The results of all sub-hands of some hands stand in one pool, each at a place of its own: those of
a sub-hand together, by level (see `chart`, which says what has to meet what). Two results of a
sub-hand are one solution where their fingerprints agree. Sub-hands of one size are made
together, in a few operations on columns, so that their number does not depend on the hands, and
what several hands have in common is made once. Each result knows all its derivations, from which
`forms` reads its plainest form. Owns the search; knows no text, no order of plainness, and no
operator by its name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crisps24.hands.asks import Asks, Keep, leading_of, tops_of, widest_of
from crisps24.hands.blocks import Blocks, Pairs, pairs_of, portions
from crisps24.hands.chart import Level, levels_for
from crisps24.hands.fingerprints import Elements, KeptPrints, grouped_prints, prints_of
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import (
    Column,
    Ints,
    column_of,
    held,
    ints_for,
    joined,
    reduced,
)
from crisps24.rules.splits import splits


class Made(NamedTuple):
    """Results as they are made, a column each: of which node, from which places, what.

    A node is a level of a sub-hand, counted through all sub-hands of one size.
    """

    nodes: Ints
    operators: Ints
    left: Ints
    right: Ints
    prints: Elements
    values: Column


# One way to a result: an operator, and the places in the pool that it joins.
Derivation = tuple[Operator, int, int]


@dataclass(frozen=True, slots=True)
class Results:
    """The distinct results of all sub-hands of one size.

    The derivations of result r are entries `first[r]` to `first[r + 1]` of `operators` (places
    in `known`), `left` and `right` (places in the pool). `nodes` says of which node each is, in
    ascending order. `at` is the place of result 0 in the pool.
    """

    at: int
    values: Column
    prints: Elements
    nodes: Ints
    first: Ints
    known: Sequence[Operator]
    operators: Ints
    left: Ints
    right: Ints

    def derivations(self, result: int) -> Iterator[Derivation]:
        """Return each way to a result; nothing for a number as it is dealt."""
        at = slice(self.first[result], self.first[result + 1])
        operators = map(self.known.__getitem__, self.operators[at].tolist())
        return zip(operators, self.left[at].tolist(), self.right[at].tolist(), strict=True)


class Kept(NamedTuple):
    """What is kept of the results of a size: which of them, and what each answers."""

    results: Results
    which: Sequence[int]
    asks: Sequence[int]


class Pool:
    """The results of the sub-hands of some hands under one game, built size by size.

    The hands are sorted where the order does not matter.
    """

    def __init__(self, hands: Sequence[Hand], game: Game, in_order: bool = False) -> None:
        self.game = game
        self.in_order = in_order
        self._levels = levels_for(game, in_order)
        self._known = [operator for level in self._levels for operator in level.operators]
        tops = dict.fromkeys(top for hand in hands for top in tops_of(hand, game, in_order))
        self._tops = sorted({len(top) for top in tops})
        self._wanted = self._wanted_of(list(tops))
        numbers = [number for (number,) in sorted(self._wanted[1])]
        self.values = column_of(numbers, game.fractions, ints_for(widest_of(hands), game))
        self._prints = KeptPrints(prints_of(numbers))
        # For each sub-hand the places in the pool where its levels begin, and where the last one
        # ends. A number is of the first level, and the others are empty.
        places = np.arange(len(numbers))[:, None]
        self._starts: Ints = np.concatenate([places, *[places + 1] * len(self._levels)], axis=1)
        self._index_of: dict[Hand, int] = {(number,): place for place, number in enumerate(numbers)}
        none = np.empty(0, np.int64)
        first = np.zeros(len(numbers) + 1, np.int64)
        nodes = np.arange(len(numbers)) * len(self._levels)
        prints = self._prints.elements
        self.sizes = [Results(0, self.values, prints, nodes, first, self._known, none, none, none)]

    def _wanted_of(self, tops: Sequence[Hand]) -> list[dict[Hand, int]]:
        """Return the sub-hands by size, with the last level of each that is of any use."""
        last = len(self._levels) - 1
        left_of, right_of = [0], [0]
        for level in self._levels[1:]:
            left_of.append(max(left_of[-1], level.lefts[-1]))
            right_of.append(max(right_of[-1], *(run[-1] for run in level.rights)))
        wanted: list[dict[Hand, int]] = [{} for _ in range(max(map(len, tops)) + 1)]
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

    def hands(self, size: int) -> list[Hand]:
        """Return the sub-hands of a size, in the order of their places."""
        of_size = self._wanted[size] if size < len(self._wanted) else {}
        return sorted(of_size) if size == 1 else list(of_size)

    def build(self, size: int) -> None:
        """Fill the pool with the results of all sub-hands up to a size."""
        for larger in range(len(self.sizes) + 1, size + 1):
            self._add(larger, None)

    def _add(self, size: int, keep: Keep | None) -> None:
        """Add the results of all sub-hands of a size, or those to keep."""
        results = self._make(size, keep)
        wanted = self._wanted[size]
        for hand in wanted:
            self._index_of[hand] = len(self._index_of)
        levels = np.arange(len(self._levels) + 1)
        nodes = np.arange(len(wanted))[:, None] * len(self._levels) + levels
        starts = np.searchsorted(results.nodes, nodes)
        self._starts = np.concatenate((self._starts, results.at + starts))
        self.values = joined([self.values, results.values])
        self._prints.add(results.prints)
        self.sizes.append(results)

    def kept(
        self, keep_of: Callable[[Sequence[Hand]], Keep], asked: Asks | None = None
    ) -> Iterator[Kept]:
        """Yield what to keep of each size, smaller ones first; `keep_of` tells it of sub-hands.

        Larger sub-hands are looked at only when they are asked for; as the whole of a solution
        only the results that are kept are made at all, and what only leads to these only where
        it does, if it is told what is `asks`.
        """
        for size in self._tops:
            if size == self._tops[-1] and asked is not None and not self.game.negatives:
                self._build_leading(size - 1, asked)
            self.build(size - 1)
            keep = keep_of(self.hands(size))
            if size == 1:
                results = self.sizes[0]
                rows, asks = keep(results.values, np.arange(len(results.prints)))
            else:
                results = self._make(size, keep)
                rows, asks = np.arange(len(results.nodes)), results.nodes // len(self._levels)
            yield Kept(results, rows.tolist(), asks.tolist())

    def _build_leading(self, size: int, asked: Asks) -> None:
        """Fill the pool up to a size of which only what leads to a target is of use."""
        if size > len(self.sizes):
            self.build(size - 1)
            if size > 1:
                self._add(size, leading_of(asked, size, self.hands(size)))

    def results_at(self, place: int) -> tuple[Results, int]:
        """Return the results of the size that a place of the pool is of, and which one it is."""
        results = next(results for results in reversed(self.sizes) if results.at <= place)
        return results, place - results.at

    def _make(self, size: int, keep: Keep | None = None) -> Results:
        """Make the distinct results of every sub-hand of a size, or those to keep."""
        made = self._made(size, keep)
        order, first = grouped_prints(made.nodes, made.prints)
        return Results(
            at=len(self._prints.elements),
            values=made.values[order[first]],
            prints=made.prints[order[first]],
            nodes=made.nodes[order[first]],
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
            for some in portions(blocks):
                pairs = pairs_of(some)
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
        nodes = pairs.nodes[at]
        if keep is not None:
            # What is kept is told apart by what it answers, and not by its sub-hand.
            places, own = np.divmod(nodes, len(self._levels))
            kept, asks = keep(values, places)
            at, values, nodes = at[kept], values[kept], asks * len(self._levels) + own[kept]
        code = np.full(len(at), self._known.index(operator), np.int8)
        values = reduced(values)
        left, right = pairs.left[at], pairs.right[at]
        prints = self._prints.made(operator, left, right, values)
        return Made(nodes, code, left, right, prints, values)
