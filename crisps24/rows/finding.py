"""Rows as integers: every formula that makes a target, part by part, in file order.

A row is one integer, its key: the numbers first, by their places in the game's list, then the
operators, so that ascending keys are the order of a results file. Two pieces of a formula are
joined by adding their keys, and all of these by all of those by one broadcast sum. Owns how
keys are laid out and how they are found; knows the tables of `counting`, not the grammar.
"""

from collections.abc import Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from crisps24.notation.trees import DIVIDE, MINUS, OPERATORS, PLUS, TIMES
from crisps24.rows.counting import Chains, Column, Tables, Tails, tables_of, tails_of
from crisps24.rules.games import Exact, Game

# Rows that a part of the output has at most: some MB at a time.
PART_ROWS = 1 << 19
# Bytes of keys that are remembered between parts.
_MEMORY = 1 << 26

_CODE = {operator: code for code, operator in enumerate(OPERATORS)}
_SIGNS = {-1: _CODE[MINUS], 1: _CODE[PLUS]}


class Layout:
    """Where the numbers and operators of a row are in its key.

    The last number is counted as having 0 numbers after it. Where the first numbers of some rows
    are the same they are left out of the key; `fixed` says how many they are at least.
    """

    def __init__(self, length: int, numbers: int, fixed: int = 0) -> None:
        self.length = length
        self.number_bits = max(1, (numbers - 1).bit_length())
        self.operator_bits = 2 * (length - 1)
        bits = self.number_bits * (length - fixed) + self.operator_bits
        # Python's integers, slower, where 64 bits are too few.
        self.dtype = np.int64 if bits < 63 else object

    def fixed_for_speed(self) -> int:
        """Return how many numbers have to be fixed for keys of 64 bits, at most all."""
        excess = self.number_bits * self.length + self.operator_bits - 62
        return min(self.length, max(0, -(-excess // self.number_bits)))

    def key_of(self, number: int, operator: int, after: int) -> int:
        """Return the key of one number and the operator before it, so many numbers after it."""
        number_key = number << (self.operator_bits + self.number_bits * after)
        return number_key | operator << 2 * after

    def numbers_of(self, keys: Column, free: int) -> list[Column]:
        """Return a column of places in the game's list for each of the last `free` numbers."""
        mask = (1 << self.number_bits) - 1
        shifts = (self.operator_bits + self.number_bits * after for after in range(free))
        return [(keys >> shift) & mask for shift in shifts][::-1]

    def operators_of(self, keys: Column) -> list[Column]:
        """Return a column of codes, the places in `OPERATORS`, for each operator."""
        return [(keys >> 2 * after) & 3 for after in range(self.length - 1)][::-1]


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
    if len(left) == 1 or len(right) == 1:
        return left + right
    return (left[:, None] + right[None, :]).ravel()


# The sum so far, the sign of the open term, and its value; None where it has no number yet.
_State = tuple[int, int, int | None]


class _Opening:
    """The first numbers of rows, worked out under all operators, or under those given.

    `levels` has, for each number but the first, each state to the ways into it: the state before
    and the operator. States that cannot reach the target any more are left out. `ways` counts
    the operators that lead to each of the last states, which is how often they are merged.
    """

    def __init__(self, fixed: int, state: _State) -> None:
        self.fixed = fixed
        self.levels: list[dict[_State, list[tuple[_State, int]]]] = []
        self.ways = {state: 1}

    def extend(self, links: Iterable[tuple[_State, _State, int]]) -> None:
        """Add a level: (state before, state after, operator)."""
        level: dict[_State, list[tuple[_State, int]]] = {}
        ways: dict[_State, int] = {}
        for before, after, code in links:
            level.setdefault(after, []).append((before, code))
            ways[after] = ways.get(after, 0) + self.ways[before]
        self.levels.append(level)
        self.ways = ways

    def keys(self, state: _State, layout: Layout) -> Column:
        """Return the keys of the operators that lead to one of the last states."""
        known: dict[tuple[int, _State], Column] = {}

        def lead_to(level: int, state: _State) -> Column:
            if level == 0:
                return np.zeros(1, layout.dtype)
            if (level, state) not in known:
                after = layout.length - 1 - level
                known[level, state] = np.concatenate(
                    [
                        lead_to(level - 1, before) + layout.key_of(0, code, after)
                        for before, code in self.levels[level - 1][state]
                    ]
                )
            return known[level, state]

        return lead_to(len(self.levels), state)


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

    def open(self, first: tuple[int, ...], codes: tuple[int, ...] = ()) -> _Opening:
        """Work out the numbers at these places, the first operators given or all free."""
        if not first:
            return _Opening(0, (0, 1, None))
        numbers, unit = self.tables.numbers, self.tables.unit
        opening = _Opening(len(first), (0, 1, numbers[first[0]] * unit))
        for index, place in enumerate(first[1:], 1):
            given = codes[index - 1 : index]
            opening.extend(
                (state, after, code)
                for state in opening.ways
                for after, code in self._steps(state, numbers[place], self.layout.length - index)
                if not given or code in given
            )
        return opening

    def _steps(self, state: _State, number: int, to_go: int) -> Iterator[tuple[_State, int]]:
        """Yield where a number leads from a state, and with which operator."""
        total, sign, value = state
        assert value is not None
        yield (total, sign, value * number), _CODE[TIMES]
        if number and value % number == 0:
            yield (total, sign, value // number), _CODE[DIVIDE]
        closed = total + sign * value
        reach = max(map(abs, self.tables.bounds(to_go)))
        legal = closed >= 0 or self.tables.game.negatives
        if legal and abs(self.tails.target - closed) <= reach:
            begun = number * self.tables.unit
            yield (closed, -1, begun), _CODE[MINUS]
            yield (closed, 1, begun), _CODE[PLUS]

    def count(self, opening: _Opening) -> int:
        """Return how many rows begin with an opening."""
        rows = 0
        for state, ways in opening.ways.items():
            for chains, taken, to_go, live, closed in self._endings(state, opening.fixed):
                tails = self.tails.after(to_go)
                ends = chains.chains.at(taken)
                for value, place in zip(
                    live.tolist(), np.searchsorted(tails.values, closed), strict=True
                ):
                    rows += ways * ends[value] * int(tails.ways[place])
        return rows

    def keys(self, opening: _Opening) -> Column:
        """Return the keys of the rows that begin with an opening, ascending."""
        found = [np.empty(0, self.layout.dtype)]
        for state in opening.ways:
            lead: Column | None = None
            for chains, taken, to_go, live, closed in self._endings(state, opening.fixed):
                if lead is None and len(live):
                    lead = opening.keys(state, self.layout)
                for value, after in zip(live.tolist(), closed.tolist(), strict=True):
                    tail = self.tail_rows.beginning(after, to_go)
                    end = _crossed(chains.ending(taken, value, to_go), tail)
                    found.append(end if lead is None else _crossed(lead, end))
        keys = np.concatenate(found)
        keys.sort()
        return keys

    def _endings(
        self, state: _State, fixed: int
    ) -> Iterator[tuple[_ChainRows, int, int, Column, Column]]:
        """Yield how the open term of a state may end.

        That is: chains, numbers taken, numbers to go after it, the values that lead to the
        target, and the sums that they make.
        """
        total, sign, value = state
        chains = self.pieces.chains(value)
        free = self.layout.length - fixed
        for taken in range(free + 1):
            values = chains.values(taken, self.tables.dtype)
            closed = total + sign * values
            live = np.isin(closed, self.tails.after(free - taken).values)
            if live.any():
                yield chains, taken, free - taken, values[live], closed[live]


def parts(game: Game, target: Exact) -> Iterator[Part]:
    """Yield the rows of all formulas of the game that make the target, in file order.

    Where they are many, they are split by their first numbers, and rows that have all their
    numbers in common by their first operators; how many rows there are is known beforehand.
    """
    tables = tables_of(game)
    units = tables.in_units(target)
    if units is None:
        return
    tails = tails_of(game, units)
    length, choices = game.length, len(tables.numbers)
    total = tails.total()
    fixed = Layout(length, choices).fixed_for_speed() if total > PART_ROWS else 0
    finder = _Finder(_pieces_of(game, fixed), tails)
    waiting: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ())]
    while waiting:
        first, codes = waiting.pop()
        opening = finder.open(first, codes)
        rows = finder.count(opening) if first else total
        if rows and len(first) >= fixed and (rows <= PART_ROWS or len(codes) == length - 1):
            yield Part(finder.layout, first, finder.keys(opening))
        elif rows and len(first) < length:
            waiting += [((*first, place), ()) for place in reversed(range(choices))]
        elif rows:
            waiting += [(first, (*codes, code)) for code in reversed(range(len(OPERATORS)))]
