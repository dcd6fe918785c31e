"""Find all formulas that make a target, as blocks of keys in file order.

The search goes backwards through the tables of `counting`: from the target to all last steps that
lead to it, and from their operands on to shorter spans, as in an AND-OR graph. For the target 24 of
the row 4 3 8 4, a last step is 28 - 4; 28 comes from 4 + 24, and 24 from 3 x 8. The keys of a step
are the cross sum of the keys of its two operands, plus the key of the operator. Keys of a value of
a span are cached, since many routes share them.

Cost: about one addition per row and span, and memory for the keys of a block. The grammar confirms
the rows later, in `enumeration`.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from crisps24.enumeration.counting import StepColumns, SuffixTables, Tables, suffix_tables_of
from crisps24.enumeration.keys import Block, Layout
from crisps24.enumeration.places import AnyOrder, InOrder, Place, Span
from crisps24.rules.exact import Exact
from crisps24.rules.ratios import Ints, group_rows

# Rows in a block, at most: 8 MB of keys. The first block is smaller, so that it comes sooner.
BLOCK_ROWS = 1 << 20
FIRST_BLOCK_ROWS = 1 << 18
# Bytes of keys in a cache; a full cache is cleared.
_CACHE_BYTES = 1 << 26

_Step = TypeVar("_Step")


class _KeyCache:
    """A cache of key columns, cleared when it is full."""

    def __init__(self, dtype: Any) -> None:
        self.columns: dict[Hashable, Ints] = {}
        self.size = 0
        self.empty = np.empty(0, dtype)

    def store(self, name: Hashable, columns: Iterable[Ints]) -> Ints:
        """Join columns of keys into one, store it under a name, and return it.

        Without columns, the result is empty. If it does not fit, all other columns are removed
        first.
        """
        keys = np.concatenate([self.empty, *columns])
        if self.size + keys.nbytes > _CACHE_BYTES:
            self.columns.clear()
            self.size = 0
        self.columns[name] = keys
        self.size += keys.nbytes
        return keys


class _StepIndex(Generic[_Step]):
    """The steps of a table, indexed by the value that they lead to.

    Each (step, columns) is a kind of step, such as a partition and its operator, with its operands.
    """

    def __init__(self, steps: Iterable[tuple[_Step, StepColumns]]) -> None:
        pairs = [(step, columns) for step, columns in steps if len(columns.values)]
        self._steps = [step for step, _ in pairs]
        self._bounds: dict[int, tuple[int, int]] = {}
        if pairs:
            parts = [columns for _, columns in pairs]
            values = np.concatenate([columns.values for columns in parts])
            order, starts = group_rows(values)
            bounds = pairwise([*starts.tolist(), len(values)])
            self._bounds = dict(zip(values[order[starts]].tolist(), bounds, strict=True))
            sizes = [len(columns.values) for columns in parts]
            self._step = np.repeat(np.arange(len(parts)), sizes)[order]
            self._left = np.concatenate([columns.left for columns in parts])[order]
            self._right = np.concatenate([columns.right for columns in parts])[order]

    def steps_to(self, value: int) -> Iterator[tuple[_Step, int, int]]:
        """Yield each step whose result is a value, with the values of its two operands.

        All values are codes; see `value_codec`.
        """
        if value in self._bounds:
            start, end = self._bounds[value]
            columns = (self._step[start:end], self._left[start:end], self._right[start:end])
            for step, left, right in zip(*(column.tolist() for column in columns), strict=True):
                yield self._steps[step], left, right


class _ChainFinder:
    """Finds the keys of the chains of one level over one span.

    The keys do not depend on the target, so that they are cached for all targets. Creating a finder
    makes the tables of tighter levels over the span, if they are missing.
    """

    def __init__(self, finders: "_ChainFinders", level: int, span: Span) -> None:
        self.finders = finders
        self.layout = finders.layout
        self.cache = finders.cache
        self.level = level
        self.span = span
        tables = finders.tables
        # The codes of single numbers by value, at level 0 only.
        self.number_codes: dict[int, int] | None = None
        if level == 0:
            codes = tables.places.number_codes(span) if len(span) == 1 else {}
            encode = tables.codec.encode
            self.number_codes = {encode(number) or 0: code for number, code in codes.items()}
        # The chains of the next tighter level, if the span has any.
        tighter = level > 0 and len(tables.table(level - 1, span).values)
        self.tighter = finders.finder(level - 1, span) if tighter else None
        self._index: _StepIndex[_ChainStep] | None = None

    def keys(self, value: int, after: int) -> Ints:
        """Return the keys of all chains that make a value: formulas packed into integers, unsorted.

        A key has the numbers and operators of the chain, shifted to their place in the row. Keys
        are cached. Tables that are missing are made, which raises RefusedError if the budget is
        spent.

        Args:
            value: The value, as a code.
            after: The number of places of the row that follow the chain; it decides the shift.
        """
        name = (self, value, after)
        keys = self.cache.columns.get(name)
        return self.cache.store(name, self._find(value, after)) if keys is None else keys

    def _find(self, value: int, after: int) -> Iterator[Ints]:
        """Yield the keys of all chains that make a value, as one column for each last step.

        The last step of 3 x 8 x 1, for example, multiplies 24 by 1. The keys of a step are all sums
        of a key of its left operand and a key of its right operand, plus the key of the operator.
        The arguments are those of `keys`.
        """
        key_of = self.layout.key_of
        if self.number_codes is not None:
            yield np.array([key_of(self.number_codes[value], 0, after)], self.layout.dtype)
            return
        if self.tighter is not None:
            yield self.tighter.keys(value, after)
        if self._index is None:
            self._index = _StepIndex(self.finders.last_steps(self.level, self.span))
        for step, left_value, right_value in self._index.steps_to(value):
            if step.right.number_codes is not None:
                # A right operand of one number has one key, which includes the operator.
                key = key_of(step.right.number_codes[right_value], step.operator, after)
                yield step.left.keys(left_value, after + 1) + key
            else:
                operator_key = key_of(0, step.operator, after + step.right_size - 1)
                right = step.right.keys(right_value, after) + operator_key
                yield cross_sum(step.left.keys(left_value, after + step.right_size), right)


class _ChainStep(NamedTuple):
    """A kind of last step: the chains of both operands, the operator code, the right length."""

    left: _ChainFinder
    right: _ChainFinder
    operator: int
    right_size: int


class _ChainFinders:
    """The chain finders of all levels and spans of some tables; `parent` is as in `Tables`."""

    def __init__(
        self, tables: Tables, layout: Layout, parent: "_ChainFinders | None" = None
    ) -> None:
        self.tables = tables
        self.layout = layout
        self.parent = parent
        self.cache = _KeyCache(layout.dtype)
        operators = tables.game.row_operators
        self.operator_codes = {operator: code for code, operator in enumerate(operators)}
        self._finders: dict[tuple[int, Span], _ChainFinder] = {}

    def finder(self, level: int, span: Span) -> _ChainFinder:
        """Return the finder of the chains of a level over a span, always the same object."""
        if self.parent is not None and self.parent.tables.places.contains(span):
            return self.parent.finder(level, span)
        if (level, span) not in self._finders:
            self._finders[level, span] = _ChainFinder(self, level, span)
        return self._finders[level, span]

    def last_steps(self, level: int, span: Span) -> Iterator[tuple[_ChainStep, StepColumns]]:
        """Yield the last steps of the chains of a level over a span, with finders of the operands.

        Raises RefusedError if the budget of the tables is spent.

        Yields:
            (kind, columns): the finders of both operands with the operator, and the values of the
                steps.
        """
        left_level, right_level = self.tables.operand_levels(level)
        for partition, operator, columns in self.tables.last_steps(level, span):
            left = self.finder(left_level, partition.left)
            right = self.finder(right_level, partition.right)
            code = self.operator_codes[operator]
            yield _ChainStep(left, right, code, len(partition.right)), columns


class _TermStep(NamedTuple):
    """A kind of first step of a suffix: its terms, the operator code, and the places after it."""

    terms: _ChainFinder
    operator: int
    rest: Span


class _RowFinder:
    """Finds the keys of the rows that make one target; `parent` is as in `Tables`."""

    def __init__(
        self, chains: _ChainFinders, suffixes: SuffixTables, parent: "_RowFinder | None" = None
    ) -> None:
        self.chains = chains
        self.tables = chains.tables
        self.layout = chains.layout
        self.suffixes = suffixes
        self.parent = parent
        self.cache = _KeyCache(chains.layout.dtype)
        self._indexes: dict[Span, _StepIndex[_TermStep]] = {}

    def with_places(self, places: InOrder) -> "_RowFinder":
        """Return a finder of only the rows with the given numbers and operators.

        It uses the tables of this finder. `places` are the places of the row.
        """
        tables = Tables(self.tables.game, places, self.tables)
        chains = _ChainFinders(tables, self.layout, self.chains)
        return _RowFinder(chains, SuffixTables(tables, self.suffixes.target, self.suffixes), self)

    def suffix_keys(self, total: int, suffix: Span) -> Ints:
        """Return the keys of all ends of a row that lead from a sum to the target, unsorted.

        For example, after the sum 20 the ends `+ 4` and `- 4 + 8` lead to 24. The keys are cached.
        Raises RefusedError if the budget is spent.

        Args:
            total: The sum of the terms before, as a code.
            suffix: The places of the end. If it is empty, the result is one key, 0; then `total`
                must be the target, which is not checked.
        """
        if not suffix:
            return np.zeros(1, self.layout.dtype)
        if self.parent is not None and self.parent.tables.places.has_suffix(suffix):
            return self.parent.suffix_keys(total, suffix)
        name = (id(self), total, suffix)
        keys = self.cache.columns.get(name)
        return self.cache.store(name, self._find(total, suffix)) if keys is None else keys

    def _find(self, total: int, suffix: Span) -> Iterator[Ints]:
        """Yield the keys of `suffix_keys` as one column for each next term and sum after it."""
        if suffix not in self._indexes:
            self._indexes[suffix] = _StepIndex(self._first_steps(suffix))
        for step, term, sum_after in self._indexes[suffix].steps_to(total):
            operator_key = self.layout.key_of(0, step.operator, len(suffix) - 1)
            terms = step.terms.keys(term, len(step.rest))
            yield cross_sum(terms + operator_key, self.suffix_keys(sum_after, step.rest))

    def _first_steps(self, suffix: Span) -> Iterator[tuple[_TermStep, StepColumns]]:
        for partition, operator, columns in self.suffixes.steps(suffix):
            terms = self.chains.finder(self.tables.top_level - 1, partition.left)
            yield _TermStep(terms, self.chains.operator_codes[operator], partition.right), columns

    def keys(self) -> Ints:
        """Return the keys of all rows that make the target, ascending.

        Raises RefusedError if the budget is spent.
        """
        columns = [np.empty(0, self.layout.dtype)]
        for partition, values, _ in self.suffixes.first_terms():
            terms = self.chains.finder(self.tables.top_level - 1, partition.left)
            for value in values.tolist():
                term_keys = terms.keys(value, len(partition.right))
                columns.append(cross_sum(term_keys, self.suffix_keys(value, partition.right)))
        keys = np.concatenate(columns)
        if self.layout.dtype == object or not len(keys) or keys.max() > np.iinfo(np.uint32).max:
            keys.sort()
            return keys
        # Sorting 32 bits takes little more than half the time of 64 bits.
        return np.sort(keys.astype(np.uint32)).astype(self.layout.dtype)


def cross_sum(left: Ints, right: Ints) -> Ints:
    """Return the sum of each left key with each right key: those of the first left key come first.

    >>> cross_sum(np.array([10, 20]), np.array([1, 2])).tolist()
    [11, 12, 21, 22]
    """
    if len(left) == 1 or len(right) == 1:
        return left + right
    return (left[:, None] + right[None, :]).ravel()


@lru_cache(maxsize=2)
def _chain_finders_of(tables: Tables, fixed: int) -> _ChainFinders:
    game = tables.game
    length, numbers = len(tables.places.row), len(tables.places.numbers)
    return _ChainFinders(tables, Layout(length, numbers, len(game.row_operators), fixed))


class Part(NamedTuple):
    """The rows of a target that share their first numbers or operators.

    `places` are those of the row with the shared ones given, `row_count` is how many rows match.
    """

    places: tuple[Place, ...]
    row_count: int


def find_blocks(
    tables: Tables, target: Exact, parts: Sequence[Part] | None = None
) -> Iterator[Block]:
    """Yield all rows that make a target, in file order, as blocks of keys.

    A block has all rows with the same first numbers and, if these are too many, with the same first
    operators. It has at most 2^20 rows, the first one 2^18. Each block is found when it is
    requested, and none is empty. The grammar has not confirmed the rows yet.

    A card in any order is different: it has one block, which can be empty, or none.

    Args:
        tables: The tables of values of the search.
        target: The target.
        parts: Only these parts of the rows (None: all); ignored for a card in any order.

    Raises:
        RefusedError: While iterating, if the search exceeds the budget of the tables.
    """
    finder = _row_finder_of(tables, target)
    if finder is None:
        return
    places, layout = tables.places, finder.layout
    if isinstance(places, AnyOrder):
        yield Block(layout, (), finder.keys())
        return
    rows = [places.row] if parts is None else [part.places for part in parts]
    first_rows = min(FIRST_BLOCK_ROWS, BLOCK_ROWS)
    for small in _subdivide(finder, rows, chain([first_rows], repeat(BLOCK_ROWS))):
        given = (place.number for place in small.tables.places.row if place.number is not None)
        block = Block(layout, tuple(places.codes[number] for number in given), small.keys())
        yield block.with_full_keys(layout) if layout.fits_int64() else block


def find_parts(tables: Tables, target: Exact, max_rows: int) -> Iterator[Part]:
    """Divide the rows that make a target into parts of at most `max_rows` rows, in file order.

    Parts are counted, which is much faster than finding their rows; none is empty. The rows of a
    card in any order cannot be divided: do not call it for one. Raises RefusedError if the search
    exceeds the budget of the tables.
    """
    finder = _row_finder_of(tables, target)
    if finder is not None:
        for small in _subdivide(finder, [tables.places.row], repeat(max_rows)):
            yield Part(small.tables.places.row, small.suffixes.count())


@lru_cache(maxsize=1)
def _row_finder_of(tables: Tables, target: Exact) -> _RowFinder | None:
    """Return the finder of a target, with its caches; None if no value can equal the target.

    The rows are counted here, which raises RefusedError if the budget is spent.
    """
    code = tables.codec.encode(target)
    if code is None:
        return None
    suffixes = suffix_tables_of(tables, code)
    many = suffixes.count() > BLOCK_ROWS
    fixed = _chain_finders_of(tables, 0).layout.fixed_for_int64() if many else 0
    return _RowFinder(_chain_finders_of(tables, fixed), suffixes)


def _subdivide(
    finder: _RowFinder, rows: Sequence[tuple[Place, ...]], max_rows: Iterator[int]
) -> Iterator[_RowFinder]:
    """Yield finders of parts of some rows, in file order; no part is empty.

    A part with too many rows is divided by its next free number, or by its next free operator if
    all numbers are given. Raises RefusedError if the budget is spent.

    Args:
        finder: The finder of all rows.
        rows: The places of each group of rows to divide.
        max_rows: The most rows of the first part, of the second, and so on.
    """
    tables = finder.tables
    waiting, limit = [*reversed(rows)], next(max_rows)
    while waiting:
        row = waiting.pop()
        small = finder
        if row != tables.places.row:
            small = finder.with_places(InOrder(tables.places.numbers, row))
        row_count = small.suffixes.count()
        given = sum(place.number is not None for place in row)
        small_enough = row_count <= limit and given >= finder.layout.fixed
        narrower = [] if small_enough else _narrower(row, tables)
        if row_count and narrower:
            waiting += reversed(narrower)
        elif row_count:
            yield small
            limit = next(max_rows)


def _narrower(row: tuple[Place, ...], tables: Tables) -> list[tuple[Place, ...]]:
    """Return copies of a row, one for each choice of its first free number or operator.

    A free operator is chosen only if all numbers are given. The choices are in file order; the list
    is empty if no number and no operator is free.
    """
    for index, place in enumerate(row):
        if place.number is None:
            given = [place._replace(number=number) for number in tables.places.numbers]
            return [(*row[:index], choice, *row[index + 1 :]) for choice in given]
    for index, place in enumerate(row[1:], 1):
        if place.operator is None:
            operators = tables.game.row_operators
            given = [place._replace(operator=operator.name) for operator in operators]
            return [(*row[:index], choice, *row[index + 1 :]) for choice in given]
    return []
