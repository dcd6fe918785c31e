"""Count formulas without enumerating them: dynamic programming over (level, span).

Operators of one precedence form a *level*: 1 for the tightest (`x` and `:` in crisps), then looser
ones (`-` and `+`); level 0 are the numbers. `Tables.table(level, span)` is a histogram, value ->
number of formulas, of the *chains* over a span: formulas whose operators are of that level or
tighter. A chain is a shorter chain of its level, an operator, and a chain of the next tighter
level, so that a table is made from those of the splits of its span (CYK parsing of an operator
precedence grammar). With the numbers 2 and 3 in order, level 1 has {6: 1} for 2 x 3, and level 2
also has {5: 1} for 2 + 3.

`SuffixTables` counts one target: a row is a sum of terms, and the tables go back from the target
through the terms of the last places. Only partial sums are kept that the places before can make:
bounded by their limits and, if that is cheaper, by their table (meet in the middle). For the
target 7, the sums before a last term of 3 are 4 (then + 3) and 10 (then - 3).

A table costs one operation per pair of values of the two parts. Counts are exact: int64 if no
count can overflow, else Python integers. Values are codes of `value_codec`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from crisps24.enumeration.places import Partition, Places, Span, places_of
from crisps24.enumeration.value_codec import ValueCodec, codec_for
from crisps24.errors import RefusedError
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Bounds, Operator, obeys_result_rules
from crisps24.rules.ratios import Ints, column_bytes, group_rows
from crisps24.rules.work import Budget, TableMemory, pair_weight

# Pairs of values computed before they are merged into a table, about 25 MB.
_PAIRS_PER_BATCH = 1 << 20
# Values in one table, about 150 MB.
_MAX_VALUES = 1 << 23
# Memory of a merge, as a multiple of the bytes that are merged.
_MERGE_BYTES_FACTOR = 4
# Bytes of one target in a dict of counts.
_BYTES_PER_TARGET = 200
# Steps are cached for the search for rows if they have at most this many pairs: 100 KB per table.
_MAX_CACHED_PAIRS = 1 << 12
# With more pairs than this, filtering by the sums that the places before can make saves time.
_MIN_FILTERED_PAIRS = 1 << 14

_T = TypeVar("_T")


class Table(NamedTuple):
    """Distinct values, as ascending codes, and the number of formulas of each."""

    values: Ints
    counts: Ints


class StepColumns(NamedTuple):
    """Steps in columns: the value, the number of formulas, and the two operands, as codes.

    The steps of `SuffixTables` go backwards: `values` are the sums before a term, `left` are the
    terms, `right` the sums after them.
    """

    values: Ints
    counts: Ints
    left: Ints
    right: Ints


# The steps of one partition and one operator.
StepGroup = tuple[Partition, Operator, StepColumns]


class Tables:
    """The tables of all levels and spans of a row, each made when it is first needed.

    `parent` has the tables of a row with more free numbers or operators, which are reused for
    the spans that both rows have. Raises RefusedError for a game whose loosest operator groups to
    the right, and as `codec_for`.
    """

    def __init__(self, game: Game, places: Places, parent: "Tables | None" = None) -> None:
        self.game = game
        self.places = places
        self.parent = parent
        self.levels = game.operator_levels
        self.top_level = len(self.levels)
        if self.levels[-1][0].right_associative:
            name = self.levels[-1][0].name
            reason = f"{name} needs an operator that binds less tightly"
            raise RefusedError(f"{reason}, and {game.name} has none")
        self._choices = len(game.row_operators) * len(places.numbers)
        self._bounds: dict[tuple[int, Span], Bounds | None] = {}
        self._tables: dict[tuple[int, Span], Table] = {}
        self.budget: Budget = Budget() if parent is None else parent.budget
        self._kept_bytes = TableMemory(self.budget)
        self.codec: ValueCodec
        if parent is not None:
            self.codec = parent.codec
        else:
            self.codec = codec_for(game, places, self.bounds(self.top_level, places.row))
        self.weight = pair_weight(not self.codec.ordered, self.codec.dtype != np.int64)

    def set_budget(self, budget: Budget) -> None:
        """Count computed pairs and kept bytes in a budget from now on."""
        self.budget = budget
        self._kept_bytes.move_to(budget)

    @contextmanager
    def using_budget(self, budget: Budget) -> Iterator[None]:
        """Count computed pairs and kept bytes in a budget within a `with` statement.

        After it, nothing is limited.
        """
        self.set_budget(budget)
        try:
            yield
        finally:
            self.set_budget(Budget(memory=None))

    def operand_levels(self, level: int) -> tuple[int, int]:
        """Return the levels of the left and right operands of steps of a level, from 1."""
        to_right = self.levels[level - 1][0].right_associative
        return (level - 1, level) if to_right else (level, level - 1)

    def operators(self, level: int, name: str | None) -> list[Operator]:
        """Return the operators of a level, or only the one of that name, if it is of the level."""
        return [operator for operator in self.levels[level - 1] if name in (None, operator.name)]

    def bounds(self, level: int, span: Span) -> Bounds:
        """Return bounds (low, high) of the values of a table; (0, 0) if it has none."""
        return self._bounds_of(level, span) or (0, 0)

    def _bounds_of(self, level: int, span: Span) -> Bounds | None:
        if self.parent is not None and self.parent.places.contains(span):
            return self.parent._bounds_of(level, span)
        if (level, span) not in self._bounds:
            self._bounds[level, span] = self._compute_bounds(level, span)
        return self._bounds[level, span]

    def _compute_bounds(self, level: int, span: Span) -> Bounds | None:
        """Return bounds of the values that the chains of a span can have.

        They are computed from the bounds of the parts of the span, and can be wider than
        necessary. None if the span has no chains of the level.
        """
        if level == 0:
            numbers = self.places.number_codes(span) if len(span) == 1 else ()
            return (min(numbers), max(numbers)) if numbers else None
        bounds = [self._bounds_of(level - 1, span)]
        left_level, right_level = self.operand_levels(level)
        for partition in self.places.partitions(span):
            right = self._bounds_of(right_level, partition.right)
            left = self._bounds_of(left_level, partition.left) if right else None
            if left and right:
                operators = self.operators(level, partition.operator)
                bounds += [operator.bounds(left, right) for operator in operators]
        lows, highs = zip(*filter(None, bounds), strict=True) if any(bounds) else ((), ())
        if not lows:
            return None
        low, high = (min(lows) if self.game.negatives else max(0, min(lows))), max(0, *highs)
        if self.game.max_bits is None:
            return low, high
        largest = 1 << self.game.max_bits
        return max(low, -largest), min(high, largest)

    def table(self, level: int, span: Span) -> Table:
        """Return each value that the chains of a span can have, with its number of chains.

        A chain is a row of numbers joined by operators of the level or tighter ones. This table and
        those that it needs are made and stored, if they are missing. Raises RefusedError if the
        budget is spent, or for more than 8 million values.
        """
        if self.parent is not None and self.parent.places.contains(span):
            return self.parent.table(level, span)
        if (level, span) not in self._tables:
            tighter = self.table(level - 1, span) if level else self._number_table(span)
            joins = self._joins(level, span, self._values)
            table = merge_tables(tighter, (values for *_, values in joins), self.budget)
            if table is not tighter:
                self._kept_bytes.add(_table_bytes(table))
            self._tables[level, span] = table
        return self._tables[level, span]

    def _number_table(self, span: Span) -> Table:
        """Return the table of level 0: the numbers of one place, empty for a longer span."""
        numbers = sorted(self.places.number_codes(span)) if len(span) == 1 else []
        values = np.array([self.codec.encode(number) for number in numbers], self.codec.dtype)
        values.sort()
        return Table(values, np.ones(len(numbers), self.count_dtype(len(span))))

    def last_steps(self, level: int, span: Span) -> Iterator[StepGroup]:
        """Yield the last steps of the chains over a span whose last operator is of the level.

        Raises RefusedError if the budget is spent.
        """
        return self._joins(level, span, self._join_steps)

    def _joins(
        self, level: int, span: Span, join: Callable[[Operator, Table, Table, int], Iterator[_T]]
    ) -> Iterator[tuple[Partition, Operator, _T]]:
        """Call `join` for all last steps of a level over a span, and yield what it yields.

        It is called with an operator, the tables of its left and right operands, and the length of
        the span; for example, for `4 + 3 - 8`, with the minus, the values of `4 + 3` and those of
        `8`. Level 0, the single numbers, has no steps. Tables that are missing are made.

        Yields:
            (partition, operator, item): the spans of both operands, the operator, and an item of
                `join`.
        """
        left_level, right_level = self.operand_levels(level) if level else (0, 0)
        for partition in self.places.partitions(span) if level else ():
            right = self.table(right_level, partition.right)
            if len(right.values):
                left = self.table(left_level, partition.left)
                for operator in self.operators(level, partition.operator):
                    for joined in join(operator, left, right, len(span)):
                        yield partition, operator, joined

    def _values(self, operator: Operator, left: Table, right: Table, size: int) -> Iterator[Table]:
        """Yield the results of an operator on all pairs of operands, with their numbers of chains.

        Only legal results; they are not sorted, and a value can come several times. `size` is the
        length of the span. Raises RefusedError if the budget is spent.
        """
        dtype = self.count_dtype(size)
        for batch in self.batches(left, right):
            values, legal = self.operate(operator, batch, right)
            counts = batch.counts.astype(dtype)[:, None] * right.counts.astype(dtype)[None, :]
            if legal is True:
                yield Table(values.ravel(), counts.ravel())
            else:
                yield Table(values[legal], counts[legal])

    def _join_steps(
        self, operator: Operator, left: Table, right: Table, size: int
    ) -> Iterator[StepColumns]:
        """Yield the legal steps of an operator on all pairs of operands: results and both operands.

        `size` is the length of the span. Raises RefusedError if the budget is spent.
        """
        dtype = self.count_dtype(size)
        for batch in self.batches(left, right):
            values, legal = self.operate(operator, batch, right)
            i, j = np.nonzero(np.ones(values.shape, bool) if legal is True else legal)
            counts = batch.counts.astype(dtype)[i] * right.counts.astype(dtype)[j]
            yield StepColumns(values[i, j], counts, batch.values[i], right.values[j])

    def operate(self, operator: Operator, left: Table, right: Table) -> tuple[Ints, Any]:
        """Return the results of an operator on each left value with each right value, as a matrix.

        Returns:
            (values, legal): the results as codes, with a row for each left value; and a mask of the
                results that are legal, or True if all are.
        """
        decode = self.codec.decode
        results, legal = operator.operate(
            decode(left.values[:, None]), decode(right.values[None, :]), self.game
        )
        values = self.codec.encode_column(results)
        return values, legal if legal is True else np.broadcast_to(legal, values.shape)

    def batches(self, left: Table, right: Table) -> Iterator[Table]:
        """Divide the left table so that each part forms at most 2^20 pairs with the right table.

        The pairs are counted in the budget; RefusedError if it is spent.
        """
        size = max(1, _PAIRS_PER_BATCH // max(1, len(right.values)))
        for start in range(0, len(left.values), size):
            batch = Table(left.values[start : start + size], left.counts[start : start + size])
            self.budget.add_pairs(len(batch.values) * len(right.values), self.weight)
            yield batch

    def count_dtype(self, size: int) -> Any:
        """Return a dtype that holds the number of formulas of `size` numbers: int64 or object."""
        return np.int64 if self._choices**size < 2**62 else object


def merge_tables(first: Table, others: Iterable[Table | StepColumns], budget: Budget) -> Table:
    """Return one table of all values, ascending; the counts of equal values are added.

    >>> tables = [Table(np.array(values), np.array([1, 1])) for values in ([3, 5], [5, 4])]
    >>> values, counts = merge_tables(tables[0], tables[1:], Budget())
    >>> values.tolist(), counts.tolist()
    ([3, 4, 5], [1, 1, 2])

    Args:
        first: A table with distinct, ascending values; it is returned if there are no others.
        others: More tables, with values in any order.
        budget: Limits the memory.

    Raises:
        RefusedError: The budget has too little memory, or there are more than 8 million values.
    """
    waiting, size = [first], 0
    for other in others:
        waiting.append(Table(other.values, other.counts))
        size += len(other.values)
        if size > _PAIRS_PER_BATCH:
            waiting, size = [_merge(waiting, budget)], 0
    return _merge(waiting, budget) if size else waiting[0]


def _merge(tables: list[Table], budget: Budget) -> Table:
    """Return one table of all values, ascending; errors as `merge_tables`."""
    budget.check_bytes(_MERGE_BYTES_FACTOR * sum(map(_table_bytes, tables)))
    values, counts = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    order, starts = group_rows(values)
    if len(starts) > _MAX_VALUES:
        raise RefusedError(f"the game is too long: over {_MAX_VALUES:,} values in one table")
    return Table(values[order[starts]], np.add.reduceat(counts[order], starts))


def _table_bytes(table: Table) -> int:
    return sum(column_bytes(column) for column in table)


def match_sorted(values: Ints, queries: Ints) -> tuple[Ints, Ints]:
    """Look up queries in a sorted column: return which are there, and where.

    >>> matches, places = match_sorted(np.array([3, 5, 8]), np.array([5, 6, 3]))
    >>> matches.tolist(), places.tolist()
    ([0, 2], [1, 0])

    Args:
        values: Distinct values, ascending.
        queries: The values to look up, in any order.

    Returns:
        (matches, places): the indices of the queries that are there, ascending; and for each of
            them the index of its value.
    """
    if not len(values):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    places = np.searchsorted(values, queries)
    places[places == len(values)] = 0
    matches = np.flatnonzero(values[places] == queries)
    return matches, places[matches]


@lru_cache(maxsize=16)
def tables_of(game: Game, card: Hand | None = None, in_order: bool = False) -> Tables:
    """Return the tables of the rows of a game or of a card, from a cache."""
    return Tables(game, places_of(game, card, in_order))


def count_by_target(tables: Tables) -> dict[Exact, int]:
    """Return the number of formulas of each target that can be made, ascending by target.

    Raises RefusedError if the budget of the tables is spent.
    """
    values, counts = tables.table(tables.top_level, tables.places.row)
    tables.budget.add_bytes(len(values) * _BYTES_PER_TARGET)
    counted = zip(tables.codec.decode_exact(values), counts.tolist(), strict=True)
    return dict(counted) if tables.codec.ordered else dict(sorted(counted))


class SuffixTables:
    """Tables of one target: sums before the last places of a row -> number of completions.

    `table(suffix)` has only sums that the places before the suffix can make, as far as bounds and
    tables show that. `target` is a code; `parent` is as in `Tables`.
    """

    def __init__(self, tables: Tables, target: int, parent: "SuffixTables | None" = None) -> None:
        self.tables = tables
        self.target = target
        self.parent = parent
        self._kept_bytes = TableMemory(tables.budget)
        self._tables: dict[Span, Table] = {}
        self._steps: dict[Span, list[StepGroup]] = {}

    def table(self, suffix: Span) -> Table:
        """Return the sums before a suffix of the row from which the target can be reached.

        Each sum comes with the number of ways to fill the suffix. For the target 24 and a suffix of
        one place, these are the sums 15 to 33 without 24, with + 9 to - 9 after them. Tables that
        are missing are made. Raises RefusedError if the budget is spent.
        """
        if self.parent is not None and self.parent.tables.places.has_suffix(suffix):
            return self.parent.table(suffix)
        if suffix not in self._tables:
            table = self._sums_before(suffix) if suffix else self._target_table()
            self._kept_bytes.add(_table_bytes(table))
            self._tables[suffix] = table
        return self._tables[suffix]

    def _operands(self, partition: Partition) -> tuple[Table, Table]:
        """Return the terms of the left part, and the sums before the right part."""
        terms = self.tables.table(self.tables.top_level - 1, partition.left)
        return terms, self.table(partition.right)

    def _target_table(self) -> Table:
        """Return the table of the empty suffix: the target, or no value if it cannot be made."""
        low, high = self._bounds(()) or (self.target, self.target)
        within = low <= self.target <= high
        values = np.array([self.target] if within else [], self.tables.codec.dtype)
        values = values[self._allowed(values, ())]
        return Table(values, np.ones(len(values), np.int64))

    def _sums_before(self, suffix: Span) -> Table:
        empty = Table(np.empty(0, self.tables.codec.dtype), np.empty(0, np.int64))
        return merge_tables(empty, (steps for *_, steps in self.steps(suffix)), self.tables.budget)

    def steps(self, suffix: Span) -> Iterable[StepGroup]:
        """Return the steps from sums before a suffix to the sums after its first term.

        In each step, `values` are the sums before the term, `left` are the terms, and `right` the
        sums after it. Few steps are returned as a list, which is cached; many are an iterator.
        Raises RefusedError if the budget is spent.
        """
        if suffix in self._steps:
            return self._steps[suffix]
        prefixes = self.tables.places.prefixes(suffix)
        joins = [(prefix, *self._operands(prefix)) for prefix in prefixes]
        pairs = sum(len(terms.values) * len(sums.values) for _, terms, sums in joins)
        prefix = self._prefix_table(suffix) if pairs > _MIN_FILTERED_PAIRS else None
        steps = self._join(joins, suffix, prefix)
        return steps if pairs > _MAX_CACHED_PAIRS else self._steps.setdefault(suffix, list(steps))

    def _join(
        self, joins: list[tuple[Partition, Table, Table]], suffix: Span, prefix: Table | None
    ) -> Iterator[StepGroup]:
        """Yield the steps of `steps`, computed in the direction that has fewer pairs.

        Raises RefusedError if the budget is spent.

        Args:
            joins: For each possible first term of the suffix: the spans, the values of the term,
                and the sums after it.
            suffix: The suffix.
            prefix: The sums that the places before the suffix can make, or None if they are not
                known.
        """
        for partition, terms, sums in joins:
            if len(terms.values) and len(sums.values):
                forwards = prefix is not None and len(prefix.values) < len(sums.values)
                for operator in self.tables.operators(self.tables.top_level, partition.operator):
                    if forwards or operator.undo is None:
                        steps = self._steps_forwards(operator, terms, sums, suffix)
                    else:
                        steps = self._steps_backwards(operator, terms, sums, suffix, prefix)
                    for columns in steps:
                        yield partition, operator, columns

    def _steps_backwards(
        self, operator: Operator, terms: Table, sums: Table, suffix: Span, prefix: Table | None
    ) -> Iterator[StepColumns]:
        """Yield the steps to known sums after a term: undo the operator to get the sum before.

        If the sum after `+ 4` is 24, the sum before it is 20. With `prefix`, only sums that are in
        this table are kept. Raises RefusedError if the budget is spent.

        Args:
            operator: The operator before the term.
            terms: The values of the term.
            sums: The sums after it.
            suffix: The suffix that starts with the operator.
            prefix: The sums before the suffix, or None.
        """
        decode = self.tables.codec.decode
        dtype = self.tables.count_dtype(len(suffix))
        term_counts = terms.counts.astype(dtype)
        for batch in self.tables.batches(sums, terms):
            undone, legal = operator.undo_step(
                decode(batch.values[:, None]), decode(terms.values[None, :]), self.tables.game
            )
            before = self.tables.codec.encode_column(undone)
            i, j = np.nonzero(self._allowed(before, suffix) & legal)
            if prefix is not None:
                matches, _ = match_sorted(prefix.values, before[i, j])
                i, j = i[matches], j[matches]
            counts = batch.counts.astype(dtype)[i] * term_counts[j]
            yield StepColumns(before[i, j], counts, terms.values[j], batch.values[i])

    def _steps_forwards(
        self, operator: Operator, terms: Table, sums: Table, suffix: Span
    ) -> Iterator[StepColumns]:
        """Yield the steps from known sums before a suffix: apply the operator and the term.

        Only steps whose result is in `sums` are kept. The table of the sums before the suffix is
        made, if it is missing; RefusedError if the budget is spent.

        Args:
            operator: The operator before the term.
            terms: The values of the term.
            sums: The sums after it from which the target can be reached.
            suffix: The suffix that starts with the operator.
        """
        tables = self.tables
        before = tables.table(tables.top_level, tables.places.complement(suffix))
        dtype = tables.count_dtype(len(suffix))
        term_counts, sum_counts = terms.counts.astype(dtype), sums.counts.astype(dtype)
        for batch in tables.batches(before, terms):
            after, legal = tables.operate(operator, batch, terms)
            within = (after >= sums.values[0]) & (after <= sums.values[-1]) & legal
            i, j = np.nonzero(within)
            matches, places = match_sorted(sums.values, after[i, j])
            i, j = i[matches], j[matches]
            counts = term_counts[j] * sum_counts[places]
            yield StepColumns(batch.values[i], counts, terms.values[j], after[i, j])

    def _bounds(self, suffix: Span) -> Bounds | None:
        """Return bounds, as codes, of the sums before a suffix; None if codes are not ordered."""
        tables = self.tables
        if not tables.codec.ordered:
            return None
        prefix = tables.places.complement(suffix)
        return tables.codec.encode_bounds(tables.bounds(tables.top_level, prefix))

    def _allowed(self, sums: Ints, suffix: Span) -> Ints:
        """Return a mask of the sums before a suffix that the rules and the bounds allow."""
        codec, bounds = self.tables.codec, self._bounds(suffix)
        mask = np.ones(sums.shape, bool)
        if bounds is not None:
            mask = (sums >= bounds[0]) & (sums <= bounds[1])
        # Rules about results do not apply to a single number.
        if len(self.tables.places.complement(suffix)) > 1:
            mask &= obeys_result_rules(codec.decode(sums), self.tables.game)
        return mask

    def _prefix_table(self, suffix: Span) -> Table | None:
        """Return the sums of the places before a suffix if these are not more places, else None.

        This is the middle at which forward and backward tables meet; longer ones are larger. The
        table is made if it is missing, which raises RefusedError if the budget is spent.
        """
        prefix = self.tables.places.complement(suffix)
        if len(prefix) > len(suffix):
            return None
        return self.tables.table(self.tables.top_level, prefix)

    def count(self) -> int:
        """Return the number of formulas that make the target; makes tables as `table` does."""
        return sum(int(counts.sum()) for _, _, counts in self.first_terms())

    def first_terms(self) -> Iterator[tuple[Partition, Ints, Ints]]:
        """Yield the first terms of rows that make the target, with their numbers of rows.

        Raises RefusedError if the budget is spent.

        Yields:
            (partition, values, counts): the span of the term and that of the rest of the row; the
                values of the term; and the number of rows that start with a term of each value.
        """
        tables = self.tables
        for partition in tables.places.prefixes(tables.places.row):
            terms, sums = self._operands(partition)
            matches, places = match_sorted(sums.values, terms.values)
            dtype = tables.count_dtype(len(tables.places.row))
            counts = terms.counts[matches].astype(dtype) * sums.counts[places].astype(dtype)
            yield partition, terms.values[matches], counts


@lru_cache(maxsize=2)
def suffix_tables_of(tables: Tables, target: int) -> SuffixTables:
    """Return the suffix tables of a target, given as a code, from a cache."""
    return SuffixTables(tables, target)


def count_formulas(target: Exact, tables: Tables) -> int:
    """Return the exact number of formulas that make a target, 0 if it cannot be made.

    Raises RefusedError if the budget of the tables is spent.

    >>> from crisps24 import GAMES
    >>> count_formulas(143, tables_of(GAMES["crisps"]))
    48
    """
    code = tables.codec.encode(target)
    return 0 if code is None else suffix_tables_of(tables, code).count()
