"""Everything that a hand makes: sub-hands, their distinct results and how each comes about.

The results of all sub-hands of a hand stand in the rows of one pool. A *sub-hand* is a sorted
tuple of numbers (in order: a tuple as dealt). Its rows are its products, a single number among
them, then its sums. A sum is any row plus or minus a product; a product is a product, or a sum
in parentheses, times or divided by a number, or a sum in parentheses. No other grouping is
needed: a - (b - c) is a + c - b and a : (b : c) is a x c : b, which are legal where the first
are; brute force agrees in the tests. In order nothing moves, so there parentheses may stand
around any right operand.

Two rows of a sub-hand are one solution where their fingerprints agree. Sub-hands of one size
are made together, in a few operations on columns, so that their number does not depend on the
hand. Each row knows all its derivations, from which `solver` reads its plainest form. Owns the
search; knows no text and no order of plainness.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np

from crisps24.hands.fingerprints import Prints, combined, inverses, prints_of
from crisps24.notation.trees import DIVIDE, OPERATORS, TIMES, Operator
from crisps24.rules.games import Game, Hand
from crisps24.rules.ratios import Column, Ints, column_of, ints_for, joined, reduced

Block = tuple[int, int, int, int, int]
Keep = Callable[[Column], Any]

_PRODUCTS = tuple(operator for operator in OPERATORS if operator.precedence == TIMES.precedence)
_SUMS = tuple(operator for operator in OPERATORS if operator not in _PRODUCTS)


@dataclass(frozen=True, slots=True)
class Rows:
    """The distinct results of all sub-hands of one size.

    The derivations of row r are entries `first[r]` to `first[r + 1]` of `operators` (places in
    `OPERATORS`), `left` and `right` (rows of the pool). `starts` holds where the products and
    the sums of each sub-hand begin. `at` is the place of row 0 in the pool.
    """

    at: int
    values: Column
    prints: Prints
    starts: list[int]
    first: Ints
    operators: Ints
    left: Ints
    right: Ints

    def derivations(self, row: int) -> Iterator[tuple[int, int, int]]:
        """Yield (operator, left, right) of each way to a row; nothing for a number."""
        at = slice(self.first[row], self.first[row + 1])
        columns = (self.operators[at], self.left[at], self.right[at])
        return zip(*(column.tolist() for column in columns), strict=True)


@dataclass(frozen=True, slots=True)
class _Span:
    """Where the rows of a sub-hand are in the pool: its products, then its sums, then no more."""

    products: int
    sums: int
    end: int


class Pool:
    """The rows of one hand's sub-hands under one game, built size by size."""

    def __init__(self, hand: Sequence[int], game: Game, in_order: bool = False) -> None:
        self.game = game
        self.in_order = in_order
        self.hand = tuple(hand) if in_order else tuple(sorted(hand))
        self._levels = self._wanted(self._tops())
        numbers = [number for (number,) in sorted(self._levels[1])]
        dtype = ints_for(self.hand, game.fractions)
        self.values = column_of(numbers, game.fractions, dtype)
        self.prints = prints_of(numbers)
        self._inverses = np.zeros_like(self.prints)
        self._spans: dict[Hand, _Span] = {}
        for row, number in enumerate(numbers):
            self._spans[(number,)] = _Span(row, row + 1, row + 1)
        none = np.empty(0, np.int64)
        first = np.zeros(len(numbers) + 1, np.int64)
        self.sizes = [Rows(0, self.values, self.prints, [], first, none, none, none)]

    def _tops(self) -> list[Hand]:
        """Return the sub-hands that may be the whole of a solution."""
        if self.game.all_numbers:
            return [self.hand]
        if self.in_order:
            sizes = range(1, len(self.hand) + 1)
            return sorted({top for size in sizes for top in combinations(self.hand, size)})
        return [part for part, _ in _parts(self.hand)]

    def _wanted(self, tops: Sequence[Hand]) -> list[dict[Hand, bool]]:
        """Return the sub-hands by size, and whether their sums are of any use."""
        levels: list[dict[Hand, bool]] = [{} for _ in range(len(self.hand) + 1)]
        for top in tops:
            levels[len(top)][top] = True
        free = self.game.parentheses
        for level in levels[:1:-1]:
            for hand, sums in level.items():
                for left, right in _splits(hand, self.in_order):
                    lefts, rights = levels[len(left)], levels[len(right)]
                    lefts[left] = sums or free or lefts.get(left, False)
                    rights[right] = free or rights.get(right, False)
        return levels

    def build(self, size: int) -> None:
        """Fill the pool with the rows of all sub-hands up to a size."""
        for larger in range(len(self.sizes) + 1, size + 1):
            rows = self._make(larger)
            for node, hand in enumerate(self._levels[larger]):
                starts = rows.starts[2 * node : 2 * node + 3]
                self._spans[hand] = _Span(*(rows.at + start for start in starts))
            self.values = joined([self.values, rows.values])
            self.prints = np.concatenate((self.prints, rows.prints))
            self._inverses = np.concatenate((self._inverses, np.zeros_like(rows.prints)))
            self.sizes.append(rows)

    def kept(self, keep: Keep) -> Iterator[tuple[Rows, list[int]]]:
        """Yield (rows, which of them) of the results to keep, by how many numbers they use.

        Larger sub-hands are looked at only when they are asked for; at the largest size only
        the results that are kept are made at all.
        """
        whole = len(self.hand)
        for size in range(whole if self.game.all_numbers else 1, whole + 1):
            self.build(size - 1)
            if size == 1:
                rows = self.sizes[0]
                yield rows, np.flatnonzero(keep(rows.values)).tolist()
            else:
                rows = self._make(size, keep)
                yield rows, list(range(len(rows.prints)))

    def rows_of(self, row: int) -> tuple[Rows, int]:
        """Return the rows of the size where a row of the pool is, and its place there."""
        rows = next(rows for rows in reversed(self.sizes) if rows.at <= row)
        return rows, row - rows.at

    def _make(self, size: int, keep: Keep | None = None) -> Rows:
        """Make the distinct results of every sub-hand of a size, those to keep."""
        products, sums = self._blocks(size)
        found = [
            *self._results(products, _PRODUCTS, keep),
            *self._results(sums, _SUMS, keep),
        ]
        nodes, operators, left, right, prints = (
            np.concatenate([result[place] for result in found]) for place in range(5)
        )
        values = joined([result[5] for result in found])
        order = np.lexsort((prints, nodes))
        nodes, prints = nodes[order], prints[order]
        new = np.ones(len(order), bool)
        new[1:] = (prints[1:] != prints[:-1]) | (nodes[1:] != nodes[:-1])
        first = np.flatnonzero(new)
        starts = np.searchsorted(nodes[first], np.arange(2 * len(self._levels[size]) + 1))
        return Rows(
            at=len(self.prints),
            values=values[order[first]],
            prints=prints[first],
            starts=starts.tolist(),
            first=np.append(first, len(order)),
            operators=operators[order],
            left=left[order],
            right=right[order],
        )

    def _blocks(self, size: int) -> tuple[list[Block], list[Block]]:
        """Return what meets what in the sub-hands of a size, for products and for sums.

        A block (node, a, la, b, lb) says that each of la rows from a meets each of lb rows from
        b; nodes are the products of the first sub-hand, its sums, the products of the next, ….
        """
        free = self.game.parentheses
        loose = free and self.in_order
        products: list[Block] = []
        sums: list[Block] = []
        for node, (hand, with_sums) in enumerate(self._levels[size].items()):
            for part, rest in _splits(hand, self.in_order):
                a, b = self._spans[part], self._spans[rest]
                if with_sums:
                    right_end = b.end if loose else b.sums
                    left = (a.products, a.end - a.products)
                    sums.append((2 * node + 1, *left, b.products, right_end - b.products))
                if free or len(rest) == 1:
                    right = b.products if loose or len(rest) == 1 else b.sums
                    left = (a.products, (a.end if free else a.sums) - a.products)
                    products.append((2 * node, *left, right, b.end - right))
        return products, sums

    def _results(
        self, blocks: list[Block], operators: Sequence[Operator], keep: Keep | None
    ) -> Iterator[tuple[Ints, Ints, Ints, Ints, Prints, Column]]:
        """Yield (nodes, operator, left, right, prints, values) of the legal results to keep."""
        nodes, left, right = _pairs(blocks)
        left_values, right_values = self.values[left], self.values[right]
        for operator in operators:
            values, legal = operator.operate(left_values, right_values, self.game)
            at = np.flatnonzero(np.broadcast_to(legal, len(nodes)))
            values = values[at]
            if keep is not None:
                kept = np.flatnonzero(keep(values))
                at, values = at[kept], values[kept]
            a, b = left[at], right[at]
            code = np.full(len(at), OPERATORS.index(operator), np.int8)
            yield nodes[at], code, a, b, self._combined(operator, a, b), reduced(values)

    def _combined(self, operator: Operator, left: Ints, right: Ints) -> Prints:
        """Return the fingerprints of pairs of rows, inverting each divisor once."""
        if operator is not DIVIDE:
            return combined(operator, self.prints[left], self.prints[right])
        wanted = np.zeros(len(self.prints), bool)
        wanted[right] = True
        wanted = np.flatnonzero(wanted & (self._inverses == 0))
        self._inverses[wanted] = inverses(self.prints[wanted])
        return combined(operator, self.prints[left], self._inverses[right])


def _pairs(blocks: list[Block]) -> tuple[Ints, Ints, Ints]:
    """Return (node, left row, right row) of every pair in the blocks."""
    node, left, lefts, right, rights = np.array(blocks, np.int64).reshape(-1, 5).T
    sizes = lefts * rights
    starts = np.cumsum(sizes) - sizes
    place = np.arange(sizes.sum()) - np.repeat(starts, sizes)
    i, j = np.divmod(place, np.repeat(rights, sizes))
    return np.repeat(node, sizes), i + np.repeat(left, sizes), j + np.repeat(right, sizes)


@lru_cache(maxsize=1 << 14)
def _parts(hand: Hand) -> list[tuple[Hand, Hand]]:
    """Return every sub-hand of a sorted hand but the empty one, with what is left of it."""
    counts = sorted(Counter(hand).items())
    parts = []
    for taken in product(*(range(count + 1) for _, count in counts)):
        some = zip(counts, taken, strict=True)
        part = tuple(number for (number, _), take in some for _ in range(take))
        left = zip(counts, taken, strict=True)
        rest = tuple(number for (number, count), take in left for _ in range(count - take))
        parts.append((part, rest))
    return parts[1:]


@lru_cache(maxsize=1 << 14)
def _splits(hand: Hand, in_order: bool) -> list[tuple[Hand, Hand]]:
    """Return the ways to split a hand in two."""
    if in_order:
        return [(hand[:size], hand[size:]) for size in range(1, len(hand))]
    return _parts(hand)[:-1]
