"""Finding every formula that makes a target, block by block, in file order.

Rows are found as keys, backwards from the target along the tables of `counting`: what is found
of a piece of a row is joined by all to all with what is found of the next, by one broadcast sum.
Owns the search; the grammar, which has to agree to what comes out, is not known here.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from crisps24.enumeration.counting import Joined, SuffixTables, Tables, suffix_tables_of
from crisps24.enumeration.keys import Block, Layout
from crisps24.enumeration.places import AnyOrder, InOrder, Place, Span
from crisps24.rules.exact import Exact
from crisps24.rules.ratios import Ints, group_rows

# Rows that a block has at most: some MB at a time; who wants the first rows soon gets few first.
BLOCK_ROWS = 1 << 20
FIRST_ROWS = 1 << 18
# Bytes of keys that are remembered.
_MEMORY = 1 << 26

_Sort = TypeVar("_Sort")


class _Memory:
    """Keys found before, forgotten all at once when they are too many."""

    def __init__(self, dtype: Any) -> None:
        self.known: dict[Hashable, Ints] = {}
        self.size = 0
        self.nothing = np.empty(0, dtype)

    def keep(self, name: Hashable, found: Iterable[Ints]) -> Ints:
        """Gather what was found into one column and remember it by a name."""
        keys = np.concatenate([self.nothing, *found])
        if self.size + keys.nbytes > _MEMORY:
            self.known.clear()
            self.size = 0
        self.known[name] = keys
        self.size += keys.nbytes
        return keys


class _Steps(Generic[_Sort]):
    """Every step to the values of a table, by value: of which sort it is, and its two sides.

    A sort is a cut and the operator there, as the caller makes them.
    """

    def __init__(self, steps: Iterable[tuple[_Sort, Joined]]) -> None:
        some = [(sort, pairs) for sort, pairs in steps if len(pairs.values)]
        self._sorts = [sort for sort, _ in some]
        self._at: dict[int, tuple[int, int]] = {}
        if some:
            columns = [pairs for _, pairs in some]
            values = np.concatenate([pairs.values for pairs in columns])
            order, starts = group_rows(values)
            bounds = pairwise([*starts.tolist(), len(values)])
            self._at = dict(zip(values[order[starts]].tolist(), bounds, strict=True))
            sizes = [len(pairs.values) for pairs in columns]
            self._sort = np.repeat(np.arange(len(columns)), sizes)[order]
            self._left = np.concatenate([pairs.left for pairs in columns])[order]
            self._right = np.concatenate([pairs.right for pairs in columns])[order]

    def to(self, value: int) -> Iterator[tuple[_Sort, int, int]]:
        """Yield (sort, left, right) of the steps to a value."""
        if value in self._at:
            start, end = self._at[value]
            columns = (self._sort[start:end], self._left[start:end], self._right[start:end])
            for sort, left, right in zip(*(column.tolist() for column in columns), strict=True):
                yield self._sorts[sort], left, right


class _Chain:
    """The keys of the chains of one level over one span, found backwards from where they end.

    They do not depend on a target, so that they are kept from one to the next.
    """

    def __init__(self, chains: "_Chains", level: int, span: Span) -> None:
        self.chains = chains
        self.layout = chains.layout
        self.memory = chains.memory
        self.level = level
        self.span = span
        tables = chains.tables
        # Single numbers: their codes by value.
        self.codes: dict[int, int] | None = None
        if level == 0:
            alone = tables.places.alone(span) if len(span) == 1 else {}
            self.codes = {tables.codec.encode(number) or 0: code for number, code in alone.items()}
        # What binds tighter over the same span, where there is any.
        tighter = level > 0 and len(tables.of(level - 1, span).values)
        self.below = chains.of(level - 1, span) if tighter else None
        self._steps: _Steps[_ChainSort] | None = None

    def ending(self, value: int, after: int) -> Ints:
        """Return the keys of chains to a value, with so many numbers of the row after them."""
        name = (self, value, after)
        known = self.memory.known.get(name)
        return self.memory.keep(name, self._find(value, after)) if known is None else known

    def _find(self, value: int, after: int) -> Iterator[Ints]:
        key_of = self.layout.key_of
        if self.codes is not None:
            yield np.array([key_of(self.codes[value], 0, after)], self.layout.dtype)
            return
        if self.below is not None:
            yield self.below.ending(value, after)
        if self._steps is None:
            self._steps = _Steps(self.chains.steps(self.level, self.span))
        for sort, before, last in self._steps.to(value):
            if sort.right.codes is not None:
                # One number: its key is added at once to all that it ends.
                key = key_of(sort.right.codes[last], sort.operator, after)
                yield sort.left.ending(before, after + 1) + key
            else:
                sign = key_of(0, sort.operator, after + sort.size - 1)
                right = sort.right.ending(last, after) + sign
                yield crossed(sort.left.ending(before, after + sort.size), right)


class _ChainSort(NamedTuple):
    """A last step of chains: what is on both sides, the code of its operator, the right's size."""

    left: _Chain
    right: _Chain
    operator: int
    size: int


class _Chains:
    """All chains of some tables; `shared` as in `Tables`."""

    def __init__(self, tables: Tables, layout: Layout, shared: "_Chains | None" = None) -> None:
        self.tables = tables
        self.layout = layout
        self.shared = shared
        self.memory = _Memory(layout.dtype)
        operators = tables.game.row_operators
        self.codes = {operator: code for code, operator in enumerate(operators)}
        self._known: dict[tuple[int, Span], _Chain] = {}

    def of(self, level: int, span: Span) -> _Chain:
        """Return the chains of a level over a span."""
        if self.shared is not None and self.shared.tables.places.has(span):
            return self.shared.of(level, span)
        if (level, span) not in self._known:
            self._known[level, span] = _Chain(self, level, span)
        return self._known[level, span]

    def steps(self, level: int, span: Span) -> Iterator[tuple[_ChainSort, Joined]]:
        """Yield the last steps of the chains of a level over a span."""
        for cut, operator, pairs in self.tables.chains(level, span):
            on_left, on_right = self.tables.sides(level)
            left, right = self.of(on_left, cut.left), self.of(on_right, cut.right)
            yield _ChainSort(left, right, self.codes[operator], len(cut.right)), pairs


class _TermSort(NamedTuple):
    """A first step of the last places of rows: its terms, operator, and the places after it."""

    terms: _Chain
    operator: int
    rest: Span


class _Finder:
    """Finds the keys of the rows that make one target."""

    def __init__(
        self, chains: _Chains, back: SuffixTables, shared: "_Finder | None" = None
    ) -> None:
        self.chains = chains
        self.tables = chains.tables
        self.layout = chains.layout
        self.back = back
        self.shared = shared
        self.memory = _Memory(chains.layout.dtype)
        self._steps: dict[Span, _Steps[_TermSort]] = {}

    def with_places(self, places: InOrder) -> "_Finder":
        """Return a finder for the same rows with some of their first places given."""
        tables = Tables(self.tables.game, places, self.tables)
        chains = _Chains(tables, self.layout, self.chains)
        return _Finder(chains, SuffixTables(tables, self.back.target, self.back), self)

    def beginning(self, total: int, rest: Span) -> Ints:
        """Return the keys of the last places of rows that go on from a sum."""
        if not rest:
            return np.zeros(1, self.layout.dtype)
        if self.shared is not None and self.shared.tables.places.ends_with(rest):
            return self.shared.beginning(total, rest)
        name = (id(self), total, rest)
        known = self.memory.known.get(name)
        return self.memory.keep(name, self._find(total, rest)) if known is None else known

    def _find(self, total: int, rest: Span) -> Iterator[Ints]:
        if rest not in self._steps:
            self._steps[rest] = _Steps(self._steps_of(rest))
        for sort, term, sum_after in self._steps[rest].to(total):
            sign = self.layout.key_of(0, sort.operator, len(rest) - 1)
            terms = sort.terms.ending(term, len(sort.rest))
            yield crossed(terms + sign, self.beginning(sum_after, sort.rest))

    def _steps_of(self, rest: Span) -> Iterator[tuple[_TermSort, Joined]]:
        for cut, operator, pairs in self.back.steps(rest):
            terms = self.chains.of(self.tables.top - 1, cut.left)
            yield _TermSort(terms, self.chains.codes[operator], cut.right), pairs

    def keys(self) -> Ints:
        """Return the keys of all rows, ascending."""
        found = [np.empty(0, self.layout.dtype)]
        for cut, values, _ in self.back.firsts():
            terms = self.chains.of(self.tables.top - 1, cut.left)
            for value in values.tolist():
                term = terms.ending(value, len(cut.right))
                found.append(crossed(term, self.beginning(value, cut.right)))
        keys = np.concatenate(found)
        if self.layout.dtype == object or not len(keys) or keys.max() > np.iinfo(np.uint32).max:
            keys.sort()
            return keys
        # Half as many bits are sorted in little more than half the time.
        return np.sort(keys.astype(np.uint32)).astype(self.layout.dtype)


def crossed(left: Ints, right: Ints) -> Ints:
    """Join every key of the left with every key of the right."""
    if len(left) == 1 or len(right) == 1:
        return left + right
    return (left[:, None] + right[None, :]).ravel()


@lru_cache(maxsize=2)
def _chain_finders_of(tables: Tables, fixed: int) -> _Chains:
    game = tables.game
    length, numbers = len(tables.places.whole), len(tables.places.numbers)
    return _Chains(tables, Layout(length, numbers, len(game.row_operators), fixed))


class Part(NamedTuple):
    """Some rows that make a target, all that begin alike: their places, and how many they are."""

    whole: tuple[Place, ...]
    rows: int


def find_blocks(
    tables: Tables, target: Exact, parts: Sequence[Part] | None = None
) -> Iterator[Block]:
    """Yield the rows of all formulas that make the target, or of some parts, in file order.

    Where they are many, they are split by their first numbers, and rows that have all their
    numbers in common by their first operators; how many rows there are is known beforehand.
    """
    finder = _row_finder_of(tables, target)
    if finder is None:
        return
    places, layout = tables.places, finder.layout
    if isinstance(places, AnyOrder):
        # A card's rows are few enough to be found at once.
        yield Block(layout, (), finder.keys())
        return
    wholes = [places.whole] if parts is None else [part.whole for part in parts]
    first_rows = min(FIRST_ROWS, BLOCK_ROWS)
    for found in _narrowed(finder, wholes, chain([first_rows], repeat(BLOCK_ROWS))):
        given = (place.number for place in found.tables.places.whole if place.number is not None)
        block = Block(layout, tuple(places.codes[number] for number in given), found.keys())
        yield block.whole(layout) if layout.leaves_none_out() else block


def find_parts(tables: Tables, target: Exact, most: int) -> Iterator[Part]:
    """Yield the parts of the rows that make the target, in file order, of so many rows at most."""
    finder = _row_finder_of(tables, target)
    if finder is not None:
        for found in _narrowed(finder, [tables.places.whole], repeat(most)):
            yield Part(found.tables.places.whole, found.back.total())


@lru_cache(maxsize=1)
def _row_finder_of(tables: Tables, target: Exact) -> _Finder | None:
    """Return the finder of a target, the same one each time, which remembers what it found."""
    integer = tables.codec.encode(target)
    if integer is None:
        return None
    back = suffix_tables_of(tables, integer)
    many = back.total() > BLOCK_ROWS
    fixed = _chain_finders_of(tables, 0).layout.fixed_for_speed() if many else 0
    return _Finder(_chain_finders_of(tables, fixed), back)


def _narrowed(
    finder: _Finder, wholes: Sequence[tuple[Place, ...]], mosts: Iterator[int]
) -> Iterator[_Finder]:
    """Yield finders of the rows of some parts, each of fewer rows than the next of `mosts`."""
    tables = finder.tables
    waiting, most = [*reversed(wholes)], next(mosts)
    while waiting:
        whole = waiting.pop()
        asked = finder
        if whole != tables.places.whole:
            asked = finder.with_places(InOrder(tables.places.numbers, whole))
        rows = asked.back.total()
        given = sum(place.number is not None for place in whole)
        enough = rows <= most and given >= finder.layout.fixed
        more = [] if enough else _narrower(whole, tables)
        if rows and more:
            waiting += reversed(more)
        elif rows:
            yield asked
            most = next(mosts)


def _narrower(whole: tuple[Place, ...], tables: Tables) -> list[tuple[Place, ...]]:
    """Return a row with its first free number given, or else the first operator, each way."""
    for at, place in enumerate(whole):
        if place.number is None:
            given = [place._replace(number=number) for number in tables.places.numbers]
            return [(*whole[:at], one, *whole[at + 1 :]) for one in given]
    for at, place in enumerate(whole[1:], 1):
        if place.operator is None:
            given = [place._replace(operator=one.name) for one in tables.game.row_operators]
            return [(*whole[:at], one, *whole[at + 1 :]) for one in given]
    return []
