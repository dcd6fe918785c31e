"""Terms and sums: how many formulas make a target, without looking at one of them.

A formula without parentheses is a signed sum of terms, and a term is a chain of `x` and `:`.
How many terms of k numbers have the value t, and how many ways lead from a partial sum to the
target with r numbers more, are small tables; this room owns them. It knows games and nothing
else.

Every value is an integer here. Where a game has fractions, values are counted in units of
1/D, with D a multiple of every denominator that can come up, so that the same integer
arithmetic is exact for both kinds of games: "the division leaves no remainder" is then always
true in the one, and the rule of the game in the other.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.rules.games import Exact, Game, simplest

Column = npt.NDArray[Any]

# Pairs of values that are held at once before they are merged, about 25 MB.
_MERGE_AT = 1 << 20
# Values that a table may have, about 150 MB.
_MOST_VALUES = 1 << 23


class Table(NamedTuple):
    """Values, ascending and each once, and the number of ways to each."""

    values: Column
    ways: Column


class Joined(NamedTuple):
    """Sums met by terms, one entry a pair: what comes out, of what, and in how many ways."""

    values: Column
    sums: Column
    terms: Column
    ways: Column


class Chains:
    """Chains of `x` and `:`, by how many numbers they have taken: value to ways.

    `levels[0]` is where a chain begins: a term has its first number at level 1 instead.
    """

    def __init__(self, numbers: tuple[int, ...], *levels: dict[int, int]) -> None:
        self.numbers = numbers
        self.levels = list(levels)

    def at(self, taken: int) -> dict[int, int]:
        """Return value to ways, for chains that have taken so many numbers."""
        while len(self.levels) <= taken:
            ways: dict[int, int] = {}
            for value, count in self.levels[-1].items():
                for number in self.numbers:
                    ways[value * number] = ways.get(value * number, 0) + count
                    if number and value % number == 0:
                        quotient = value // number
                        ways[quotient] = ways.get(quotient, 0) + count
            self.levels.append(ways)
        return self.levels[taken]


class Tables:
    """The tables of one game, built up as far as they are asked for."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.numbers = tuple(sorted(set(game.numbers)))
        divisors = [abs(number) for number in self.numbers if number] if game.fractions else []
        self.unit = lcm(*divisors) ** (game.length - 1)
        self.terms = Chains(self.numbers, {}, {number * self.unit: 1 for number in self.numbers})
        self._bounds: list[tuple[int, int]] = [(0, 0)]
        largest = max(map(abs, self.bounds(game.length)))
        # Two values are added before the result is looked at: both have to fit.
        self.dtype: Any = np.int64 if 2 * largest < 2**62 else object
        self._terms: dict[int, Table] = {}
        self._sums: list[Table] = []

    def in_units(self, value: Exact) -> int | None:
        """Return a value counted in units, or None where it is not a whole number of them."""
        units = Fraction(value) * self.unit
        return units.numerator if units.denominator == 1 else None

    def bounds(self, length: int) -> tuple[int, int]:
        """Return limits that no sum of so many numbers is below or above."""
        while len(self._bounds) <= length:
            n = len(self._bounds)
            lows, highs = [], []
            for k in range(1, n + 1):
                values = self.terms.at(k)
                least, most = min(values), max(values)
                low, high = self._bounds[n - k]
                # A sum begins with a term, and goes on with a term added or taken away.
                lows.append(least if k == n else low + min(least, -most))
                highs.append(most if k == n else high + max(most, -least))
            low = min(lows) if self.game.negatives else 0
            self._bounds.append((low, max(highs)))
        return self._bounds[length]

    def terms_of(self, length: int) -> Table:
        """Return the terms of so many numbers."""
        if length not in self._terms:
            ways = self.terms.at(length)
            values = sorted(ways)
            counts = [ways[value] for value in values]
            table = Table(np.array(values, self.dtype), np.array(counts, self.ways_dtype(length)))
            self._terms[length] = table
        return self._terms[length]

    def ways_dtype(self, length: int) -> Any:
        """Return what holds any number of ways to take so many numbers: 64 bits or Python's."""
        return np.int64 if (4 * len(self.numbers)) ** length < 2**62 else object

    def sums_of(self, length: int) -> Table:
        """Return the sums of so many numbers: every formula of that length, by value."""
        for n in range(len(self._sums) + 1, length + 1):
            first = self.terms_of(n)
            joined = (
                pairs
                for k in range(1, n)
                for sign in (-1, 1)
                for pairs in self.join(self._sums[n - k - 1], k, sign, n, n)
            )
            self._sums.append(merged(first, joined))
        return self._sums[length - 1]

    def join(
        self, sums: Table, length: int, sign: int, within: int, taken: int
    ) -> Iterator[Joined]:
        """Add or take away every term of a length from every sum, some sums at a time.

        Only what lies within the bounds of sums of `within` numbers is returned; `taken` is how
        many numbers the outcome has taken in all, which tells how large the ways may get.
        """
        low, high = self.bounds(within)
        terms = self.terms_of(length)
        if len(sums.values):
            # Terms too large or too small for any of the sums are left out beforehand.
            least, most = sums.values[0], sums.values[-1]
            reach = (low - most, high - least) if sign > 0 else (least - high, most - low)
            kept = slice(
                np.searchsorted(terms.values, reach[0]),
                np.searchsorted(terms.values, reach[1], side="right"),
            )
            terms = Table(terms.values[kept], terms.ways[kept])
        dtype = self.ways_dtype(taken)
        term_ways = terms.ways.astype(dtype)
        some = max(1, _MERGE_AT // max(1, len(terms.values)))
        for start in range(0, len(sums.values), some):
            part = slice(start, start + some)
            values = sums.values[part, None] + sign * terms.values[None, :]
            rows, columns = np.nonzero((values >= low) & (values <= high))
            ways = sums.ways[part].astype(dtype)[rows] * term_ways[columns]
            found = values[rows, columns], sums.values[part][rows], terms.values[columns]
            yield Joined(*found, ways)


class Tails:
    """Ways from a partial sum to one target: `after(r)` maps the sum to them, r numbers to go.

    Only sums that the numbers before can make, as far as bounds tell, are in the tables; so
    they stay small at both ends: few numbers to go reach little, few numbers before make little.
    """

    def __init__(self, tables: Tables, target: int) -> None:
        self.tables = tables
        self.target = target
        low, high = tables.bounds(tables.game.length)
        values = [target] if low <= target <= high else []
        self._levels = [Table(np.array(values, tables.dtype), np.ones(len(values), np.int64))]

    def after(self, to_go: int) -> Table:
        """Return the partial sums with so many numbers to go, and their ways to the target."""
        for r in range(len(self._levels), to_go + 1):
            empty = Table(*(column[:0] for column in self._levels[0]))
            self._levels.append(merged(empty, (joined for _, _, joined in self.joined(r))))
        return self._levels[to_go]

    def joined(self, to_go: int) -> Iterator[tuple[int, int, Joined]]:
        """Yield (k, sign, pairs): how sums with so many numbers to go take a next term.

        In a pair, `values` is the sum before the term, `terms` the term of k numbers that
        follows with its sign, `sums` the sum after it.
        """
        before = self.tables.game.length - to_go
        for k in range(1, to_go + 1):
            for sign in (-1, 1):
                sums = self.after(to_go - k)
                for pairs in self.tables.join(sums, k, -sign, before, to_go):
                    yield k, sign, pairs

    def total(self) -> int:
        """Return the number of formulas that make the target."""
        length = self.tables.game.length
        ways = 0
        for k in range(1, length + 1):
            terms, tails = self.tables.terms_of(k), self.after(length - k)
            if len(tails.values):
                places = np.searchsorted(tails.values, terms.values)
                places[places == len(tails.values)] = 0
                met = tails.values[places] == terms.values
                dtype = self.tables.ways_dtype(length)
                each = terms.ways[met].astype(dtype) * tails.ways[places[met]].astype(dtype)
                ways += int(each.sum())
        return ways


def merged(first: Table, joined: Iterator[Joined]) -> Table:
    """Gather a table and pairs into one table, adding up the ways of equal values."""
    values, ways, size = [first.values], [first.ways], 0
    for pairs in joined:
        values.append(pairs.values)
        ways.append(pairs.ways)
        size += len(pairs.values)
        if size > _MERGE_AT:
            table = _summed(np.concatenate(values), np.concatenate(ways))
            values, ways, size = [table.values], [table.ways], 0
    return _summed(np.concatenate(values), np.concatenate(ways))


def _summed(values: Column, ways: Column) -> Table:
    if not len(values):
        return Table(values, ways)
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    if len(starts) > _MOST_VALUES:
        raise ValueError(f"so many numbers make more than {_MOST_VALUES:,} values: too long a game")
    return Table(values[starts], np.add.reduceat(ways[order], starts))


@lru_cache(maxsize=16)
def tables_of(game: Game) -> Tables:
    """Return the tables of a game, the same ones each time."""
    return Tables(game)


@lru_cache(maxsize=16)
def tails_of(game: Game, target: int) -> Tails:
    """Return the tails of a target, in units, the same ones each time."""
    return Tails(tables_of(game), target)


def count_terms_and_sums(target: Exact, game: Game) -> int:
    """Return how many formulas of the game make the target, exactly, at any size.

    >>> from crisps24 import GAMES
    >>> count_terms_and_sums(143, GAMES["crisps"])
    48
    """
    units = tables_of(game).in_units(target)
    return 0 if units is None else tails_of(game, units).total()


def counts_of_terms_and_sums(game: Game) -> dict[Exact, int]:
    """Return every target that the game reaches, ascending, with how many formulas make it."""
    tables = tables_of(game)
    values, ways = tables.sums_of(game.length)
    if tables.unit == 1:
        return dict(zip(values.tolist(), ways.tolist(), strict=True))
    targets = (simplest(Fraction(value, tables.unit)) for value in values.tolist())
    return dict(zip(targets, ways.tolist(), strict=True))
