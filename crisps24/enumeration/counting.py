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
from threading import get_ident
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
# The first rows of 9 digits come 12 % sooner.
_MAX_CACHED_PAIRS = 1 << 12
# With more pairs than this, it pays to filter by the sums that the places before can make: a count
# of 12 digits takes 0.24 seconds, and 0.81 without.
_MIN_FILTERED_PAIRS = 1 << 14

_T = TypeVar("_T")


class Table(NamedTuple):
    """The values that formulas can have, as ascending codes, and how many formulas have each."""

    values: Ints
    counts: Ints


class StepArrays(NamedTuple):
    """Many steps, such as 4 + 24 = 28, as arrays: results, numbers of formulas, operands.

    Steps of `SuffixTables` go from the sum before (`values`) by a term (`left`) to that after it.
    """

    values: Ints
    counts: Ints
    left: Ints
    right: Ints


# The steps of one operator between the two parts of one partition.
StepGroup = tuple[Partition, Operator, StepArrays]


class Tables:
    """The tables of the parts of a row, each made when it is needed.

    `parent` has the tables of a row with more free numbers or operators: they are used for the
    spans that both rows have.
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
        self.weight = pair_weight(not self.codec.unit, self.codec.dtype != np.int64)

    def set_budget(self, budget: Budget) -> None:
        """Limit computed pairs of values and kept bytes by a budget from now on."""
        self.budget = budget
        self._kept_bytes.move_to(budget)

    @contextmanager
    def using_budget(self, budget: Budget) -> Iterator[None]:
        self.set_budget(budget)
        try:
            yield
        finally:
            self.set_budget(Budget(memory=None))

    def operand_levels(self, level: int) -> tuple[int, int]:
        """Return the levels of both operands of a level: (2, 1) for the - of 4 x 3 + 8 x 4 - 1."""
        groups_to_right = self.levels[level - 1][0].right_associative
        return (level - 1, level) if groups_to_right else (level, level - 1)

    def operators(self, level: int, name: str | None) -> list[Operator]:
        """Return the operators of a level (1: the tightest); with a `name`, only that operator."""
        return [operator for operator in self.levels[level - 1] if name in (None, operator.name)]

    def bounds(self, level: int, span: Span) -> Bounds:
        """Return limits of the values of a chain over a span; (0, 0) if it has no values."""
        return self._cached_bounds(level, span) or (0, 0)

    def _cached_bounds(self, level: int, span: Span) -> Bounds | None:
        if self.parent is not None and self.parent.places.contains(span):
            return self.parent._cached_bounds(level, span)
        if (level, span) not in self._bounds:
            self._bounds[level, span] = self._compute_bounds(level, span)
        return self._bounds[level, span]

    def _compute_bounds(self, level: int, span: Span) -> Bounds | None:
        """Return limits of the values of a chain, perhaps too wide, or None if it has no values."""
        if level == 0:
            numbers = self.places.number_codes(span) if len(span) == 1 else ()
            return (min(numbers), max(numbers)) if numbers else None
        possible_bounds = [self._cached_bounds(level - 1, span)]
        left_level, right_level = self.operand_levels(level)
        for partition in self.places.partitions(span):
            right = self._cached_bounds(right_level, partition.right)
            left = self._cached_bounds(left_level, partition.left) if right else None
            if left and right:
                operators = self.operators(level, partition.operator)
                possible_bounds += [operator.bounds(left, right) for operator in operators]
        all_bounds = [bounds for bounds in possible_bounds if bounds is not None]
        if not all_bounds:
            return None
        lowest = min(low for low, _ in all_bounds)
        if not self.game.negatives:
            lowest = max(0, lowest)
        highest = max(0, *(high for _, high in all_bounds))
        if self.game.max_bits is None:
            return lowest, highest
        largest_size = 1 << self.game.max_bits
        return max(lowest, -largest_size), min(highest, largest_size)

    def table(self, level: int, span: Span) -> Table:
        """Return the values of the chains of a level over a span, and how many chains have each."""
        if self.parent is not None and self.parent.places.contains(span):
            return self.parent.table(level, span)
        if (level, span) not in self._tables:
            if level:
                tighter = self.table(level - 1, span)
            else:
                # The numbers that one place can have; none for a longer span.
                numbers = self.places.number_codes(span) if len(span) == 1 else ()
                codes = sorted(self.codec.encode(number) or 0 for number in numbers)
                ones = np.ones(len(codes), self.count_dtype(len(span)))
                tighter = Table(np.array(codes, self.codec.dtype), ones)
            joined = self._join_parts(level, span, self._legal_results)
            table = merge_tables(tighter, (results for *_, results in joined), self.budget)
            # Without new values, the table is that of the tighter level, which is stored already.
            if table is not tighter:
                self._kept_bytes.add(_table_bytes(table))
            self._tables[level, span] = table
        return self._tables[level, span]

    def last_steps(self, level: int, span: Span) -> Iterator[StepGroup]:
        """Yield the last steps of all chains of a level over a span, by partition and operator."""
        return self._join_parts(level, span, self._legal_steps)

    def _join_parts(
        self, level: int, span: Span, join: Callable[[Operator, Table, Table, int], Iterator[_T]]
    ) -> Iterator[tuple[Partition, Operator, _T]]:
        """Yield what `join` yields for each partition of a span and each operator of a level."""
        left_level, right_level = self.operand_levels(level) if level else (0, 0)
        for partition in self.places.partitions(span) if level else ():
            right = self.table(right_level, partition.right)
            if len(right.values):
                left = self.table(left_level, partition.left)
                for operator in self.operators(level, partition.operator):
                    for item in join(operator, left, right, len(span)):
                        yield partition, operator, item

    def _legal_results(
        self, operator: Operator, left: Table, right: Table, number_count: int
    ) -> Iterator[Table]:
        """Apply an operator to all pairs of values; yield tables of the legal results."""
        dtype = self.count_dtype(number_count)
        for batch in self.batches(left, right):
            results, legal = self.operate(operator, batch, right)
            counts = batch.counts.astype(dtype)[:, None] * right.counts.astype(dtype)[None, :]
            if legal is True:
                yield Table(results.ravel(), counts.ravel())
            else:
                yield Table(results[legal], counts[legal])

    def _legal_steps(
        self, operator: Operator, left: Table, right: Table, number_count: int
    ) -> Iterator[StepArrays]:
        """Apply an operator to all pairs of values; yield arrays of the legal steps."""
        dtype = self.count_dtype(number_count)
        for batch in self.batches(left, right):
            results, legal = self.operate(operator, batch, right)
            is_legal = np.ones(results.shape, bool) if legal is True else legal
            rows, columns = np.nonzero(is_legal)
            counts = batch.counts.astype(dtype)[rows] * right.counts.astype(dtype)[columns]
            left_values, right_values = batch.values[rows], right.values[columns]
            yield StepArrays(results[rows, columns], counts, left_values, right_values)

    def operate(self, operator: Operator, left: Table, right: Table) -> tuple[Ints, Any]:
        """Return the codes of the results of all pairs as a matrix, with a mask or True for all."""
        decode = self.codec.decode
        results, legal = operator.operate(
            decode(left.values[:, None]), decode(right.values[None, :]), self.game
        )
        values = self.codec.encode_column(results)
        return values, legal if legal is True else np.broadcast_to(legal, values.shape)

    def batches(self, left: Table, right: Table) -> Iterator[Table]:
        """Divide the left table into parts of at most 2^20 pairs with the right; count these."""
        batch_values = max(1, _PAIRS_PER_BATCH // max(1, len(right.values)))
        for start in range(0, len(left.values), batch_values):
            end = start + batch_values
            batch = Table(left.values[start:end], left.counts[start:end])
            self.budget.add_pairs(len(batch.values) * len(right.values), self.weight)
            yield batch

    def count_dtype(self, size: int) -> Any:
        """Return a dtype that holds the number of formulas of `size` numbers: int64 or object."""
        return np.int64 if self._choices**size < 2**62 else object


def merge_tables(first: Table, others: Iterable[Table | StepArrays], budget: Budget) -> Table:
    """Join tables to one, and add up the counts of equal values; `first` is ascending already."""
    waiting_tables, waiting_values = [first], 0
    for other in others:
        waiting_tables.append(Table(other.values, other.counts))
        waiting_values += len(other.values)
        # Merge from time to time, so that equal values do not fill the memory.
        if waiting_values > _PAIRS_PER_BATCH:
            waiting_tables, waiting_values = [_merge(waiting_tables, budget)], 0
    return _merge(waiting_tables, budget) if waiting_values else waiting_tables[0]


def _merge(tables: list[Table], budget: Budget) -> Table:
    budget.check_bytes(_MERGE_BYTES_FACTOR * sum(map(_table_bytes, tables)))
    values, counts = (np.concatenate(arrays) for arrays in zip(*tables, strict=True))
    order, starts = group_rows(values)
    if len(starts) > _MAX_VALUES:
        raise RefusedError(f"the game is too long: over {_MAX_VALUES:,} values in one table")
    return Table(values[order[starts]], np.add.reduceat(counts[order], starts))


def _table_bytes(table: Table) -> int:
    return sum(column_bytes(column) for column in table)


def match_sorted(values: Ints, queries: Ints) -> tuple[Ints, Ints]:
    """Look up numbers in a sorted array: return which of them it has, and at which index."""
    if not len(values):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    indices = np.searchsorted(values, queries)
    # A query above all values is compared with the first value, which is not equal to it.
    indices[indices == len(values)] = 0
    matches = np.flatnonzero(values[indices] == queries)
    return matches, indices[matches]


def tables_of(game: Game, card: Hand | None = None) -> Tables:
    """Return the cached tables of a game's rows, or of a card's rows; threads share none."""
    return _tables_of(game, card, get_ident())


@lru_cache(maxsize=16)
def _tables_of(game: Game, card: Hand | None, _thread: int) -> Tables:
    return Tables(game, places_of(game, card))


def count_by_target(tables: Tables) -> dict[Exact, int]:
    """Return every target that can be made, ascending, with its number of formulas."""
    values, counts = tables.table(tables.top_level, tables.places.row)
    tables.budget.add_bytes(len(values) * _BYTES_PER_TARGET)
    by_target = zip(tables.codec.decode_exact(values), counts.tolist(), strict=True)
    return dict(by_target) if tables.codec.unit else dict(sorted(by_target))


class SuffixTables:
    """The tables of one target: for each end of a row, the sums from which it leads to the target.

    For the target 24 and the last number 4, these are 20 (then + 4) and 28 (then - 4), each with
    the number of ways to fill the end. `parent` is as in `Tables`.
    """

    def __init__(self, tables: Tables, target: int, parent: "SuffixTables | None" = None) -> None:
        self.tables = tables
        self.target = target
        self.parent = parent
        self._kept_bytes = TableMemory(tables.budget)
        self._tables: dict[Span, Table] = {}
        self._steps: dict[Span, list[StepGroup]] = {}

    def table(self, suffix: Span) -> Table:
        """Return the sums before the end of a row from which the target can be reached."""
        if self.parent is not None and self.parent.tables.places.has_suffix(suffix):
            return self.parent.table(suffix)
        if suffix not in self._tables:
            dtype = self.tables.codec.dtype
            if suffix:
                table = Table(np.empty(0, dtype), np.empty(0, np.int64))
                steps = (steps for *_, steps in self.steps(suffix))
                table = merge_tables(table, steps, self.tables.budget)
            else:
                # The target can be too large for 64 bits: then it is no possible sum.
                values = np.array([self.target], object)
                values = values[self._possible_mask(values, ())].astype(dtype)
                table = Table(values, np.ones(len(values), np.int64))
            self._kept_bytes.add(_table_bytes(table))
            self._tables[suffix] = table
        return self._tables[suffix]

    def _operands(self, partition: Partition) -> tuple[Table, Table]:
        """Return the values of the term of a partition, and the sums after it."""
        terms = self.tables.table(self.tables.top_level - 1, partition.left)
        sums_after = self.table(partition.right)
        return terms, sums_after

    def steps(self, suffix: Span) -> Iterable[StepGroup]:
        """Return the steps that add or subtract the first term of the end of a row."""
        if suffix in self._steps:
            return self._steps[suffix]
        first_terms = self.tables.places.first_terms(suffix)
        operands = [(partition, *self._operands(partition)) for partition in first_terms]
        # With many pairs, it saves time to compute first which sums the places before can make, if
        # these are no more places than those of the suffix.
        pairs = sum(len(terms.values) * len(sums.values) for _, terms, sums in operands)
        places_before, sums_before = self.tables.places.complement(suffix), None
        if pairs > _MIN_FILTERED_PAIRS and len(places_before) <= len(suffix):
            sums_before = self.tables.table(self.tables.top_level, places_before)
        steps = self._join_operands(operands, suffix, sums_before)
        return steps if pairs > _MAX_CACHED_PAIRS else self._steps.setdefault(suffix, list(steps))

    def _join_operands(
        self,
        operands: list[tuple[Partition, Table, Table]],
        suffix: Span,
        sums_before: Table | None,
    ) -> Iterator[StepGroup]:
        """Yield the steps to each first term, computed from the side that has fewer sums."""
        for partition, terms, sums in operands:
            if len(terms.values) and len(sums.values):
                forwards = sums_before is not None and len(sums_before.values) < len(sums.values)
                for operator in self.tables.operators(self.tables.top_level, partition.operator):
                    if forwards or operator.undo is None:
                        groups = self._steps_forwards(operator, terms, sums, suffix)
                    else:
                        groups = self._steps_backwards(operator, terms, sums, suffix, sums_before)
                    for steps in groups:
                        yield partition, operator, steps

    def _steps_backwards(
        self,
        operator: Operator,
        terms: Table,
        sums_after: Table,
        suffix: Span,
        sums_before: Table | None,
    ) -> Iterator[StepArrays]:
        """Undo an operator: yield the steps from the sums after a term to those before it."""
        decode = self.tables.codec.decode
        dtype = self.tables.count_dtype(len(suffix))
        term_counts = terms.counts.astype(dtype)
        for batch in self.tables.batches(sums_after, terms):
            undone, legal = operator.undo_step(
                decode(batch.values[:, None]), decode(terms.values[None, :]), self.tables.game
            )
            before = self.tables.codec.encode_column(undone)
            rows, columns = np.nonzero(self._possible_mask(before, suffix) & legal)
            if sums_before is not None:
                matches, _ = match_sorted(sums_before.values, before[rows, columns])
                rows, columns = rows[matches], columns[matches]
            counts = batch.counts.astype(dtype)[rows] * term_counts[columns]
            before_values, after_values = before[rows, columns], batch.values[rows]
            yield StepArrays(before_values, counts, terms.values[columns], after_values)

    def _steps_forwards(
        self, operator: Operator, terms: Table, sums_after: Table, suffix: Span
    ) -> Iterator[StepArrays]:
        """Yield the steps from the sums before a term to those results that are in `sums_after`."""
        tables = self.tables
        sums_before = tables.table(tables.top_level, tables.places.complement(suffix))
        dtype = tables.count_dtype(len(suffix))
        term_counts, sum_counts = terms.counts.astype(dtype), sums_after.counts.astype(dtype)
        lowest, highest = sums_after.values[0], sums_after.values[-1]
        for batch in tables.batches(sums_before, terms):
            results, legal = tables.operate(operator, batch, terms)
            rows, columns = np.nonzero((results >= lowest) & (results <= highest) & legal)
            matches, indices = match_sorted(sums_after.values, results[rows, columns])
            rows, columns = rows[matches], columns[matches]
            counts = term_counts[columns] * sum_counts[indices]
            before_values, after_values = batch.values[rows], results[rows, columns]
            yield StepArrays(before_values, counts, terms.values[columns], after_values)

    def _possible_mask(self, sums: Ints, suffix: Span) -> Ints:
        """Return a mask of the sums that can be before a suffix, by bounds and rules."""
        tables, codec = self.tables, self.tables.codec
        mask = np.ones(sums.shape, bool)
        # Codes of another order have no unit.
        if codec.unit:
            lowest, highest = tables.bounds(tables.top_level, tables.places.complement(suffix))
            mask = (sums >= lowest * codec.unit) & (sums <= highest * codec.unit)
        # Rules about results do not apply to a single number.
        if len(self.tables.places.complement(suffix)) > 1:
            mask &= obeys_result_rules(codec.decode(sums), tables.game)
        return mask

    def count(self) -> int:
        """Return the number of formulas that make the target."""
        return sum(int(counts.sum()) for _, _, counts in self.first_terms())

    def first_terms(self) -> Iterator[tuple[Partition, Ints, Ints]]:
        """Yield partitions with the values of the first terms, and the number of rows of each."""
        tables = self.tables
        dtype = tables.count_dtype(len(tables.places.row))
        for partition in tables.places.first_terms(tables.places.row):
            terms, sums = self._operands(partition)
            matches, indices = match_sorted(sums.values, terms.values)
            counts = terms.counts[matches].astype(dtype) * sums.counts[indices].astype(dtype)
            yield partition, terms.values[matches], counts


@lru_cache(maxsize=2)
def suffix_tables_of(tables: Tables, target: int) -> SuffixTables:
    """Return the object that counts the rows of one target backwards, from their ends."""
    return SuffixTables(tables, target)


def count_formulas(target: Exact, tables: Tables) -> int:
    """Return the number of formulas that make a target, without listing them."""
    target_code = tables.codec.encode(target)
    # None: no value of the game can be equal to the target, such as 1/2 without fractions.
    return 0 if target_code is None else suffix_tables_of(tables, target_code).count()
