"""Find all formulas that make a target, as blocks of keys in file order.

The search goes backwards through the tables of `counting`: from the target to all last steps that
lead to it, and from their operands on to shorter spans, as in an AND-OR graph. For the target 24 of
the row 4 3 8 4, a last step is 28 - 4; 28 comes from 4 + 24, and 24 from 3 x 8. The keys of a step
are the cross sum of the keys of its two operands, plus the key of the operator. Keys of a value of
a span are cached, since many routes share them.

Cost: about one addition per row and span, and memory for the keys of a block. The grammar confirms
the rows later, in `enumeration`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from crisps24.enumeration.counting import StepArrays, SuffixTables, Tables, suffix_tables_of
from crisps24.enumeration.keys import Block, Layout
from crisps24.enumeration.places import AnyOrder, InOrder, Place, Span
from crisps24.rules.exact import Exact
from crisps24.rules.ratios import Ints, group_rows
from crisps24.rules.widths import int_range, repeat_rows

# Rows in a block, at most: 8 MB of keys. The first block is smaller, so that it comes sooner.
BLOCK_ROWS = 1 << 20
FIRST_BLOCK_ROWS = 1 << 18
# Bytes of keys in a cache; a full cache is cleared.
_CACHE_BYTES = 1 << 26

_Step = TypeVar("_Step")


class _KeyCache:
    """Arrays of keys, all cleared when they are more than 64 MB."""

    def __init__(self, dtype: Any) -> None:
        self.arrays: dict[Hashable, Ints] = {}
        self.stored_bytes = 0
        self.empty = np.empty(0, dtype)

    def get(self, name: Hashable, find: Callable[[], Iterable[Ints]]) -> Ints:
        """Return the keys with a name; if they are missing, find, join and store them."""
        keys = self.arrays.get(name)
        if keys is None:
            keys = np.concatenate([self.empty, *find()])
            if self.stored_bytes + keys.nbytes > _CACHE_BYTES:
                self.arrays.clear()
                self.stored_bytes = 0
            self.arrays[name] = keys
            self.stored_bytes += keys.nbytes
        return keys


class _StepIndex(Generic[_Step]):
    """An index of steps by their result. Many steps share a kind, such as the operator."""

    def __init__(self, steps_by_kind: Iterable[tuple[_Step, StepArrays]]) -> None:
        pairs = [(kind, steps) for kind, steps in steps_by_kind if len(steps.values)]
        self._kinds = [kind for kind, _ in pairs]
        # For each result, the range of its steps in the arrays below, which are sorted by result.
        self._ranges: dict[int, tuple[int, int]] = {}
        if pairs:
            arrays = [steps for _, steps in pairs]
            results = np.concatenate([steps.values for steps in arrays])
            order, starts = group_rows(results)
            ranges = pairwise([*starts.tolist(), len(results)])
            self._ranges = dict(zip(results[order[starts]].tolist(), ranges, strict=True))
            sizes = np.array([len(steps.values) for steps in arrays], np.int64)
            self._kind_indices = repeat_rows(int_range(len(arrays)), sizes)[order]
            self._left = np.concatenate([steps.left for steps in arrays])[order]
            self._right = np.concatenate([steps.right for steps in arrays])[order]

    def steps_to(self, result: int) -> Iterator[tuple[_Step, int, int]]:
        """Yield (kind, left operand, right operand) of all steps that have a result."""
        if result in self._ranges:
            rows = slice(*self._ranges[result])
            arrays = self._kind_indices[rows], self._left[rows], self._right[rows]
            for kind, left, right in zip(*(array.tolist() for array in arrays), strict=True):
                yield self._kinds[kind], left, right


class _ChainFinder:
    """Finds the chains of one level and span that make a value, as keys; they fit any target."""

    def __init__(self, finders: "_ChainFinders", level: int, span: Span) -> None:
        self.finders, self.level, self.span = finders, level, span
        self.layout, self.cache = finders.layout, finders.cache
        tables = finders.tables
        self.number_codes: dict[int, int] | None = None
        if level == 0:
            codes = tables.places.number_codes(span) if len(span) == 1 else {}
            encode = tables.codec.encode
            self.number_codes = {encode(number) or 0: code for number, code in codes.items()}
        # The finder of the chains without operators of this level, if the span has any.
        has_tighter = level > 0 and len(tables.table(level - 1, span).values)
        self.tighter = finders.finder(level - 1, span) if has_tighter else None
        self._index: _StepIndex[_ChainStep] | None = None

    def keys(self, value: int, numbers_after: int) -> Ints:
        """Return the chains that make a value, as keys, shifted for the numbers that follow."""
        cache_key = (self, value, numbers_after)
        return self.cache.get(cache_key, lambda: self._find_keys(value, numbers_after))

    def _find_keys(self, value: int, numbers_after: int) -> Iterator[Ints]:
        key_of = self.layout.key_of
        if self.number_codes is not None:
            key = key_of(self.number_codes[value], 0, numbers_after)
            yield np.array([key], self.layout.dtype)
            return
        if self.tighter is not None:
            yield self.tighter.keys(value, numbers_after)
        if self._index is None:
            self._index = _StepIndex(self.finders.last_steps(self.level, self.span))
        for step, left_value, right_value in self._index.steps_to(value):
            if step.right.number_codes is not None:
                # A right operand of one number has one key, which includes the operator.
                key = key_of(step.right.number_codes[right_value], step.operator, numbers_after)
                yield step.left.keys(left_value, numbers_after + 1) + key
            else:
                # The operator stands before the first number of the right operand.
                operator_key = key_of(0, step.operator, numbers_after + step.right_size - 1)
                right_keys = step.right.keys(right_value, numbers_after) + operator_key
                left_keys = step.left.keys(left_value, numbers_after + step.right_size)
                yield cross_sum(left_keys, right_keys)


class _ChainStep(NamedTuple):
    """A kind of last step: the finders of both operands, and the code of the operator."""

    left: _ChainFinder
    right: _ChainFinder
    operator: int
    right_size: int


class _ChainFinders:
    """The finders of all levels and spans; `parent` is as in `Tables`."""

    def __init__(
        self, tables: Tables, layout: Layout, parent: "_ChainFinders | None" = None
    ) -> None:
        self.tables, self.layout, self.parent = tables, layout, parent
        self.cache = _KeyCache(layout.dtype)
        operators = tables.game.row_operators
        self.operator_codes = {operator: code for code, operator in enumerate(operators)}
        self._finders: dict[tuple[int, Span], _ChainFinder] = {}

    def finder(self, level: int, span: Span) -> _ChainFinder:
        if self.parent is not None and self.parent.tables.places.contains(span):
            return self.parent.finder(level, span)
        if (level, span) not in self._finders:
            self._finders[level, span] = _ChainFinder(self, level, span)
        return self._finders[level, span]

    def last_steps(self, level: int, span: Span) -> Iterator[tuple[_ChainStep, StepArrays]]:
        """Yield the last steps of the chains over a span, by kind."""
        left_level, right_level = self.tables.operand_levels(level)
        for partition, operator, steps in self.tables.last_steps(level, span):
            left = self.finder(left_level, partition.left)
            right = self.finder(right_level, partition.right)
            operator_code = self.operator_codes[operator]
            yield _ChainStep(left, right, operator_code, len(partition.right)), steps


class _TermStep(NamedTuple):
    """A kind of first step of a suffix: the finder of the term, its operator, and the rest."""

    terms: _ChainFinder
    operator: int
    rest: Span


class _RowFinder:
    """Finds the rows that make one target, as keys; `parent` is as in `Tables`."""

    def __init__(
        self, chains: _ChainFinders, suffixes: SuffixTables, parent: "_RowFinder | None" = None
    ) -> None:
        self.chains, self.suffixes, self.parent = chains, suffixes, parent
        self.tables, self.layout = chains.tables, chains.layout
        self.cache = _KeyCache(chains.layout.dtype)
        self._indexes: dict[Span, _StepIndex[_TermStep]] = {}

    def with_places(self, places: InOrder) -> "_RowFinder":
        """Return a finder of those rows that have some given numbers and operators."""
        tables = Tables(self.tables.game, places, self.tables)
        chains = _ChainFinders(tables, self.layout, self.chains)
        return _RowFinder(chains, SuffixTables(tables, self.suffixes.target, self.suffixes), self)

    def suffix_keys(self, sum_before: int, suffix: Span) -> Ints:
        """Return the ends of a row that lead from a sum to the target, as keys, unsorted."""
        if not suffix:
            return np.zeros(1, self.layout.dtype)
        if self.parent is not None and self.parent.tables.places.has_suffix(suffix):
            return self.parent.suffix_keys(sum_before, suffix)
        cache_key = (id(self), sum_before, suffix)
        return self.cache.get(cache_key, lambda: self._find_suffix_keys(sum_before, suffix))

    def _find_suffix_keys(self, sum_before: int, suffix: Span) -> Iterator[Ints]:
        if suffix not in self._indexes:
            finder, codes = self.chains.finder, self.chains.operator_codes
            term_level = self.tables.top_level - 1
            self._indexes[suffix] = _StepIndex(
                (_TermStep(finder(term_level, terms), codes[operator], rest), steps)
                for (terms, rest, _), operator, steps in self.suffixes.steps(suffix)
            )
        for step, term, sum_after in self._indexes[suffix].steps_to(sum_before):
            operator_key = self.layout.key_of(0, step.operator, len(suffix) - 1)
            term_keys = step.terms.keys(term, len(step.rest))
            yield cross_sum(term_keys + operator_key, self.suffix_keys(sum_after, step.rest))

    def keys(self) -> Ints:
        """Return all rows that make the target, as ascending keys."""
        key_arrays = [np.empty(0, self.layout.dtype)]
        for partition, values, _ in self.suffixes.first_terms():
            terms = self.chains.finder(self.tables.top_level - 1, partition.left)
            for value in values.tolist():
                term_keys = terms.keys(value, len(partition.right))
                end_keys = self.suffix_keys(value, partition.right)
                key_arrays.append(cross_sum(term_keys, end_keys))
        keys = np.concatenate(key_arrays)
        # Sorting 32 bits takes little more than half the time of 64 bits.
        if self.layout.dtype != object and keys.max(initial=0) <= np.iinfo(np.uint32).max:
            return np.sort(keys.astype(np.uint32)).astype(np.int64)
        return np.sort(keys)


def cross_sum(left_keys: Ints, right_keys: Ints) -> Ints:
    """Return the sum of each left key with each right key."""
    if len(left_keys) == 1 or len(right_keys) == 1:
        return left_keys + right_keys
    return (left_keys[:, None] + right_keys[None, :]).ravel()


@lru_cache(maxsize=2)
def _chain_finders_of(tables: Tables, fixed: int) -> _ChainFinders:
    game = tables.game
    length, numbers = len(tables.places.row), len(tables.places.numbers)
    return _ChainFinders(tables, Layout(length, numbers, len(game.row_operators), fixed))


class Part(NamedTuple):
    """Rows of a target that share their first numbers, or also their first operators."""

    places: tuple[Place, ...]
    row_count: int


def find_blocks(
    tables: Tables, target: Exact, parts: Sequence[Part] | None = None
) -> Iterator[Block]:
    """Yield the rows of a target, or of some parts of it, as blocks of at most 2^20 rows."""
    finder = _row_finder_of(tables, target)
    if finder is None:
        return
    # The rows of a card in any order are few enough for one block.
    places, layout = tables.places, finder.layout
    if isinstance(places, AnyOrder):
        yield Block(layout, (), finder.keys())
        return
    rows = [places.row] if parts is None else [part.places for part in parts]
    first_block_rows = min(FIRST_BLOCK_ROWS, BLOCK_ROWS)
    max_rows = chain([first_block_rows], repeat(BLOCK_ROWS))
    for block_finder in _subdivide(finder, rows, max_rows):
        block_row = block_finder.tables.places.row
        given_numbers = (place.number for place in block_row if place.number is not None)
        prefix = tuple(places.codes[number] for number in given_numbers)
        block = Block(layout, prefix, block_finder.keys())
        yield block.with_full_keys(layout) if layout.fits_int64() else block


def find_parts(tables: Tables, target: Exact, max_rows: int) -> Iterator[Part]:
    """Divide the rows of a target, not of a card in any order, into parts of some rows."""
    finder = _row_finder_of(tables, target)
    if finder is not None:
        for part_finder in _subdivide(finder, [tables.places.row], repeat(max_rows)):
            yield Part(part_finder.tables.places.row, part_finder.suffixes.count())


@lru_cache(maxsize=1)
def _row_finder_of(tables: Tables, target: Exact) -> _RowFinder | None:
    """Return a finder of the rows that make a target, or None if no value can equal it."""
    target_code = tables.codec.encode(target)
    if target_code is None:
        return None
    suffixes = suffix_tables_of(tables, target_code)
    omitted_numbers = 0
    if suffixes.count() > BLOCK_ROWS:
        omitted_numbers = _chain_finders_of(tables, 0).layout.fixed_for_int64()
    return _RowFinder(_chain_finders_of(tables, omitted_numbers), suffixes)


def _subdivide(
    finder: _RowFinder, rows: Sequence[tuple[Place, ...]], max_rows: Iterator[int]
) -> Iterator[_RowFinder]:
    """Divide rows by their next free number or operator, until each part is small enough."""
    tables = finder.tables
    waiting_rows = [*reversed(rows)]
    max_part_rows = next(max_rows)
    while waiting_rows:
        row = waiting_rows.pop()
        part_finder = finder
        if row != tables.places.row:
            part_finder = finder.with_places(InOrder(tables.places.numbers, row))
        row_count = part_finder.suffixes.count()
        given_numbers = sum(place.number is not None for place in row)
        # The finder can leave out some first numbers of its rows: these must be given.
        has_omitted_numbers = given_numbers >= finder.layout.fixed
        is_small_enough = row_count <= max_part_rows and has_omitted_numbers
        smaller_parts = [] if is_small_enough else _rows_with_next_choice(row, tables)
        if row_count and smaller_parts:
            waiting_rows += reversed(smaller_parts)
        elif row_count:
            yield part_finder
            max_part_rows = next(max_rows)


def _rows_with_next_choice(row: tuple[Place, ...], tables: Tables) -> list[tuple[Place, ...]]:
    """Return a copy of a row for each choice of its first free number, or else operator."""
    names = [operator.name for operator in tables.game.row_operators]
    choices: dict[str, Sequence[Any]] = {"number": tables.places.numbers, "operator": names}
    for field, values in choices.items():
        # The first place has no operator before it.
        for index in range(field == "operator", len(row)):
            if getattr(row[index], field) is None:
                places = [row[index]._replace(**{field: value}) for value in values]
                return [(*row[:index], place, *row[index + 1 :]) for place in places]
    return []
