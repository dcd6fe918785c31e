"""Rows as integers: every formula that makes a target, part by part, in file order.

A row is one integer, its key: the numbers first, by their places in the game's list, then the
operators, so that ascending keys are the order of a results file. Two pieces of a formula are
joined by adding their keys, and all of these by all of those by one broadcast sum. Owns how
keys are laid out and how they are found; knows the tables of `counting`, not the grammar.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from crisps24.counting import Chains, Column, Tables, Tails, tables_of, tails_of
from crisps24.expressions import DIVIDE, MINUS, OPERATORS, PLUS, TIMES
from crisps24.games import Exact, Game

# Rows that a part of the output has on average, at most: some MB at a time.
PART_ROWS = 1 << 18
# Bytes of keys that are remembered between parts.
_MEMORY = 1 << 26

_CODE = {operator: code for code, operator in enumerate(OPERATORS)}
_SIGNS = {-1: _CODE[MINUS], 1: _CODE[PLUS]}


class Layout:
    """Where the numbers and operators of a row are in its key.

    The last number is counted as having 0 numbers after it. Where the first numbers of all the
    rows are the same (`fixed` of them), they are left out of the key.
    """

    def __init__(self, length: int, numbers: int, fixed: int = 0) -> None:
        self.length = length
        self.fixed = fixed
        self.number_bits = max(1, (numbers - 1).bit_length())
        self.operator_bits = 2 * (length - 1)
        bits = self.number_bits * (length - fixed) + self.operator_bits
        # Python's integers, slower, where 64 bits are too few.
        self.dtype = np.int64 if bits < 63 else object

    def key_of(self, number: int, operator: int, after: int) -> int:
        """Return the key of one number and the operator before it, so many numbers after it."""
        number_key = number << (self.operator_bits + self.number_bits * after)
        return number_key | operator << 2 * after

    def numbers_of(self, keys: Column) -> list[Column]:
        """Return a column of places in the game's list for each number that is not fixed."""
        mask = (1 << self.number_bits) - 1
        shifts = (self.operator_bits + self.number_bits * after for after in range(self.length))
        columns = [((keys >> shift) & mask).astype(np.intp) for shift in shifts]
        return columns[: self.length - self.fixed][::-1]

    def operators_of(self, keys: Column) -> list[Column]:
        """Return a column of codes, the places in `OPERATORS`, for each operator."""
        columns = [((keys >> 2 * after) & 3).astype(np.intp) for after in range(self.length - 1)]
        return columns[::-1]

    def patterns_of(self, keys: Column) -> Column:
        """Return the operators of each row as one integer."""
        return keys & ((1 << self.operator_bits) - 1)


class Part(NamedTuple):
    """Rows in file order that begin with the same numbers: the places of these, and the keys."""

    layout: Layout
    first: tuple[int, ...]
    keys: Column


class _Memory:
    """Keys found before, forgotten all at once when they are too many."""

    def __init__(self, dtype: Any) -> None:
        self.known: dict[Hashable, Column] = {}
        self.size = 0
        self.nothing = np.empty(0, dtype)

    def keep(self, name: Hashable, found: Iterable[Column]) -> Column:
        """Gather what was found into one column and remember it by a name."""
        keys = np.concatenate([self.nothing, *found])
        if self.size + keys.nbytes > _MEMORY:
            self.known.clear()
            self.size = 0
        self.known[name] = keys
        self.size += keys.nbytes
        return keys


class _ChainRows:
    """The keys of chains of `x` and `:`, found backwards from the value where a chain ends.

    `firsts` maps a value to the place of the number that begins a term with it; it is empty
    for a chain that goes on from a number of the fixed part.
    """

    def __init__(
        self, chains: Chains, firsts: dict[int, int], layout: Layout, memory: _Memory
    ) -> None:
        self.chains = chains
        self.firsts = firsts
        self.layout = layout
        self.memory = memory
        self._values: dict[int, Column] = {}

    def values(self, taken: int, dtype: Any) -> Column:
        """Return the values that chains end with after so many numbers, ascending."""
        if taken not in self._values:
            self._values[taken] = np.array(sorted(self.chains.at(taken)), dtype)
        return self._values[taken]

    def ending(self, taken: int, value: int, after: int) -> Column:
        """Return the keys of chains to a value, with so many numbers of the row after them."""
        name = (id(self), taken, value, after)
        known = self.memory.known.get(name)
        return self.memory.keep(name, self._find(taken, value, after)) if known is None else known

    def _find(self, taken: int, value: int, after: int) -> Iterator[Column]:
        layout = self.layout
        if taken == 0:
            yield np.zeros(1, layout.dtype)
            return
        if taken == 1 and self.firsts:
            yield np.array([layout.key_of(self.firsts[value], 0, after)], layout.dtype)
            return
        before = self.chains.at(taken - 1)
        for place, number in enumerate(self.chains.numbers):
            if number == 0:
                factors = list(before) if value == 0 else []
            else:
                factors = [value // number] if value % number == 0 else []
                if value * number in before:
                    last = layout.key_of(place, _CODE[DIVIDE], after)
                    yield self.ending(taken - 1, value * number, after + 1) + last
            for factor in factors:
                if factor in before:
                    last = layout.key_of(place, _CODE[TIMES], after)
                    yield self.ending(taken - 1, factor, after + 1) + last


class _TailRows:
    """The keys of the tails of rows: from a partial sum to the target."""

    def __init__(self, tails: Tails, terms: _ChainRows, layout: Layout, memory: _Memory) -> None:
        self.tails = tails
        self.terms = terms
        self.layout = layout
        self.memory = memory
        self._links: dict[int, dict[int, list[tuple[int, int, int, int]]]] = {}

    def beginning(self, total: int, to_go: int) -> Column:
        """Return the keys of tails of so many numbers that go on from a partial sum."""
        if to_go == 0:
            return np.zeros(1, self.layout.dtype)
        name = (total, to_go)
        known = self.memory.known.get(name)
        return self.memory.keep(name, self._find(total, to_go)) if known is None else known

    def _find(self, total: int, to_go: int) -> Iterator[Column]:
        for length, sign, term, sum_after in self._links_of(to_go).get(total, ()):
            after = to_go - length
            operator = self.layout.key_of(0, _SIGNS[sign], to_go - 1)
            terms = self.terms.ending(length, term, after) + operator
            yield _crossed(terms, self.beginning(sum_after, after))

    def _links_of(self, to_go: int) -> dict[int, list[tuple[int, int, int, int]]]:
        """Return which term, of how many numbers, with which sign, leads from a sum to which."""
        if to_go not in self._links:
            links: dict[int, list[tuple[int, int, int, int]]] = {}
            for length, sign, (values, sums, terms, _) in self.tails.joined(to_go):
                for total, term, after in zip(
                    values.tolist(), terms.tolist(), sums.tolist(), strict=True
                ):
                    links.setdefault(total, []).append((length, sign, term, after))
            self._links[to_go] = links
        return self._links[to_go]


def _crossed(left: Column, right: Column) -> Column:
    """Join every key of the left with every key of the right."""
    return (left[:, None] + right[None, :]).ravel()


# The sum so far, the sign of the open term, and its value; None where it has no number yet.
_Start = tuple[int, int, int | None]


class _Pieces:
    """The keys of terms and open terms in one game and layout, whatever the target."""

    def __init__(self, tables: Tables, layout: Layout) -> None:
        self.tables = tables
        self.layout = layout
        self.memory = _Memory(layout.dtype)
        firsts = {number * tables.unit: place for place, number in enumerate(tables.numbers)}
        self.terms = _ChainRows(tables.terms, firsts, layout, self.memory)
        self._open: dict[int, _ChainRows] = {}

    def chains(self, value: int | None) -> _ChainRows:
        """Return the chains that go on from an open term, or all terms where none is open."""
        if value is None:
            return self.terms
        if value not in self._open:
            chains = Chains(self.tables.numbers, {value: 1})
            self._open[value] = _ChainRows(chains, {}, self.layout, self.memory)
        return self._open[value]


@lru_cache(maxsize=2)
def _pieces_of(game: Game, fixed: int) -> _Pieces:
    tables = tables_of(game)
    return _Pieces(tables, Layout(game.length, len(tables.numbers), fixed))


class _Finder:
    """Finds the keys of the rows that make one target, for each choice of first numbers."""

    def __init__(self, pieces: _Pieces, tails: Tails) -> None:
        self.pieces = pieces
        self.tables = pieces.tables
        self.layout = pieces.layout
        self.tails = tails
        memory = _Memory(self.layout.dtype)
        self.tail_rows = _TailRows(tails, pieces.terms, self.layout, memory)

    def keys(self, first: tuple[int, ...]) -> Column:
        """Return the keys of the rows that begin with the numbers at these places, ascending."""
        found = [
            _crossed(np.array(operators, self.layout.dtype), keys)
            for (total, sign, value), operators in self._starts(first).items()
            for keys in self._endings(total, sign, self.pieces.chains(value), len(first))
        ]
        keys = np.concatenate([np.empty(0, self.layout.dtype), *found])
        keys.sort()
        return keys

    def _starts(self, first: tuple[int, ...]) -> Mapping[_Start, list[int]]:
        """Work out the first numbers under all operators.

        Returns (sum so far, sign and value of the term that is still open) to the keys of the
        operators; with no first numbers the open term has no value yet.
        """
        if not first:
            return {(0, 1, None): [0]}
        numbers, unit = self.tables.numbers, self.tables.unit
        starts: dict[_Start, list[int]] = {(0, 1, numbers[first[0]] * unit): [0]}
        for index, place in enumerate(first[1:], 1):
            number, after = numbers[place], self.layout.length - 1 - index
            longer: dict[_Start, list[int]] = {}
            for (total, sign, value), operators in starts.items():
                assert value is not None
                closed = total + sign * value
                states = {TIMES: (total, sign, value * number)}
                if number and value % number == 0:
                    states[DIVIDE] = (total, sign, value // number)
                if closed >= 0 or self.tables.game.negatives:
                    states[MINUS] = (closed, -1, number * unit)
                    states[PLUS] = (closed, 1, number * unit)
                for operator, state in states.items():
                    key = self.layout.key_of(0, _CODE[operator], after)
                    longer.setdefault(state, []).extend(key + earlier for earlier in operators)
            starts = longer
        return starts

    def _endings(self, total: int, sign: int, chains: _ChainRows, fixed: int) -> Iterator[Column]:
        """Yield the keys of what follows an open term: the rest of it, then a tail."""
        free = self.layout.length - fixed
        for taken in range(free + 1):
            to_go = free - taken
            values = chains.values(taken, self.tables.dtype)
            closed = total + sign * values
            live = np.isin(closed, self.tails.after(to_go).values)
            for value, after in zip(values[live].tolist(), closed[live].tolist(), strict=True):
                tail = self.tail_rows.beginning(after, to_go)
                yield _crossed(chains.ending(taken, value, to_go), tail)


def parts(game: Game, target: Exact) -> Iterator[Part]:
    """Yield the rows of all formulas of the game that make the target, in file order.

    Where they are many, they are split by their first numbers, so that a part is of some
    `PART_ROWS` rows on average; the count tells beforehand how many numbers that takes.
    """
    tables = tables_of(game)
    units = tables.in_units(target)
    if units is None:
        return
    tails = tails_of(game, units)
    total, length, choices = tails.total(), game.length, len(tables.numbers)
    fixed = 0
    while fixed < length - 1 and total > PART_ROWS * choices**fixed:
        fixed += 1
    if total:
        finder = _Finder(_pieces_of(game, fixed), tails)
        for first in product(range(choices), repeat=fixed):
            keys = finder.keys(first)
            if len(keys):
                yield Part(finder.layout, first, keys)
