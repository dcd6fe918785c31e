"""Estimate the cost of a count before it starts, in pairs of values.

A table costs one pair for each two values of the parts of its spans. The sizes of short spans are
found by making their tables, which the count needs anyway; those of longer spans are extrapolated
from the growth of the last three. `budget_for_count` refuses a count that is estimated to exceed
its limit, and names a length that fits.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from math import factorial, log
from typing import Any

from crisps24.enumeration.counting import Tables
from crisps24.enumeration.places import FREE_PLACE, AnyOrder, InOrder
from crisps24.rules.work import MAX_FORECAST, MAX_TABLE_BYTES, Budget, too_many_pairs

# Pairs of one table that is made to know its size: some tenths of a second.
_SAMPLE_PAIRS = 1 << 21
# Counts of at most this many possible rows need no estimate; a card has more tables for its rows.
_MAX_SMALL_ROWS = 1 << 38
_MAX_SMALL_CARD_ROWS = 1 << 24


class CountEstimate:
    """An estimate of the pairs of values that a count combines, within a factor of 3."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.weight = tables.weight
        length = len(tables.places.row)
        # The parts of a row of 1 number, of 2 numbers, and so on.
        self._spans = [tables.places.spans(size) for size in range(1, length + 1)]
        # The mean numbers of values by level, of tables of 1 number, of 2 numbers, and so on.
        self._sizes: list[list[float]] = []
        for level in range(tables.top_level + 1):
            self._sizes.append([])
            self._sample(level, length)

    def _sample(self, level: int, length: int) -> None:
        """Measure the sizes of short spans, up to about 2^21 pairs a table; extrapolate others."""
        sizes = self._sizes[level]
        is_top_level = level == self.tables.top_level
        for size in range(1, (max(2, length // 2) if is_top_level else length) + 1):
            spans = self._spans[size - 1]
            pairs = self.table_pairs(level, size) * self.weight * len(spans)
            if size > 2 and pairs > _SAMPLE_PAIRS:
                break
            value_count = sum(len(self.tables.table(level, span).values) for span in spans)
            sizes.append(value_count / len(spans))
        is_known = len(sizes) >= 3 and sizes[-1] > 0
        while len(sizes) < length:
            grows = is_known and sizes[-1] < MAX_FORECAST
            sizes.append(sizes[-1] * (_growth(sizes) if grows else 1))

    def size(self, level: int, length: int) -> float:
        """Return the mean number of values of the tables of a level and a length."""
        return self._sizes[level][length - 1]

    def table_pairs(self, level: int, length: int) -> float:
        """Return the pairs of values that the table of `length` numbers combines."""
        if level == 0:
            return 0
        pairs: float = 0
        for right_length in range(1, length):
            splits = self.tables.places.count_partitions(length, right_length)
            left_size = self.size(level, length - right_length)
            pairs += splits * left_size * self.size(level - 1, right_length)
        return len(self.tables.operators(level, None)) * pairs

    def all_targets(self, length: int) -> float:
        """Return the work of counting all targets."""
        return self.weight * (self._term_pairs(length) + self._sum_pairs(length))

    def first_target(self, length: int) -> float:
        """Return the work of counting a first target, with tables that others share."""
        shared = self._term_pairs(length) + self._sum_pairs(length // 2)
        return self.weight * shared + self.further_target(length)

    def further_target(self, length: int) -> float:
        return self.weight * self._suffix_pairs(length)

    def _term_pairs(self, max_length: int) -> float:
        pairs: float = 0
        for level in range(1, self.tables.top_level):
            for length in range(1, max_length + 1):
                # Each part of a row with this many numbers has a table of its own.
                table_count = len(self._spans[length - 1])
                pairs += table_count * self.table_pairs(level, length)
        return pairs

    def _sum_pairs(self, max_length: int) -> float:
        in_order = isinstance(self.tables.places, InOrder)
        return sum(
            self.table_pairs(self.tables.top_level, length)
            * (1 if in_order else len(self._spans[length - 1]))
            for length in range(1, max_length + 1)
        )

    def _suffix_pairs(self, length: int) -> float:
        top_level = self.tables.top_level
        # sums[n] is the number of sums between the first n and the other numbers of a row. They are
        # made from the side that has fewer numbers.
        sums = [
            self.size(top_level, max(1, min(count, length - count))) for count in range(length + 1)
        ]
        count_partitions, pairs = self.tables.places.count_partitions, 0.0
        for end_length in range(1, length):
            for term_length in range(1, end_length + 1):
                sums_after = sums[end_length - term_length]
                sums_before = sums_after
                if length - end_length <= end_length:
                    sums_before = sums[length - end_length]
                term_pairs = self.size(top_level - 1, term_length) * min(sums_after, sums_before)
                ends = count_partitions(length, end_length)
                pairs += ends * count_partitions(end_length, term_length) * term_pairs
        return pairs * len(self.tables.operators(top_level, None))


def _growth(sizes: list[float]) -> float:
    """Estimate the factor to the next size: growth, the factor minus 1, falls on like a power."""
    # At most like 1 / length: after 1, 4, 9 growth was 3, then 1.25, and is next 1.25 x 3 / 4.
    length = len(sizes)
    previous_growth = sizes[-2] / sizes[-3] - 1
    last_growth = sizes[-1] / sizes[-2] - 1
    if last_growth <= 0 or previous_growth <= last_growth:
        return 1 + max(last_growth, 0)
    exponent = min(1.0, log(previous_growth / last_growth) / log(length / (length - 1)))
    return 1 + float(last_growth * (length / (length + 1)) ** exponent)


def budget_for_count(
    tables: Tables,
    work: int | None,
    *,
    all_targets: bool,
    progress: Callable[[int], object] | None = None,
) -> Budget:
    """Return the limits of a count; refuse one that exceeds them, and name a length that fits."""
    length = len(tables.places.row)
    description = f"counting {length} numbers"
    memory = None if work is None else MAX_TABLE_BYTES
    budget = Budget(description, work=work, memory=memory, progress=progress)
    if work is None or not _needs_estimate(tables):
        return budget
    with tables.using_budget(budget):
        estimate = CountEstimate(tables)
    pairs_of_length = estimate.all_targets if all_targets else estimate.first_target
    pairs = pairs_of_length(length)
    if pairs <= work:
        return budget

    def fits(shorter: int) -> bool:
        # The values of short rows can fit in fewer bits, which makes their pairs cheaper.
        places, is_ordered = tables.places, isinstance(tables.places, InOrder)
        row: Any = places.row[:shorter]
        first_places = InOrder(places.numbers, row) if is_ordered else AnyOrder(row)
        estimate.weight = Tables(replace(tables.game, length=shorter), first_places).weight
        return pairs_of_length(shorter) <= work

    max_length = len(list(takewhile(fits, range(1, length))))
    advice = f"{max_length} numbers" if max_length > 1 else "fewer numbers to choose from"
    raise too_many_pairs(description, pairs, work, advice)


def expected_pairs(tables: Tables, target_count: int | None) -> int:
    """Estimate the pairs of values of a count of some targets (None: all); 0 for a small game."""
    if target_count == 0 or not _needs_estimate(tables):
        return 0
    estimate, length = CountEstimate(tables), len(tables.places.row)
    if target_count is None:
        pairs = estimate.all_targets(length)
    else:
        further_targets = (target_count - 1) * estimate.further_target(length)
        pairs = estimate.first_target(length) + further_targets
    return int(min(pairs, MAX_FORECAST) / estimate.weight)


def _needs_estimate(tables: Tables) -> bool:
    """Return whether a game or a card has too many possible rows to count them quickly."""
    places, length = tables.places, len(tables.places.row)
    orders, most = 1, _MAX_SMALL_CARD_ROWS
    if isinstance(places, AnyOrder):
        orders = factorial(length)
    elif places.row == (FREE_PLACE,) * length:
        orders, most = len(places.numbers) ** length, _MAX_SMALL_ROWS
    operator_count = len(tables.game.row_operators)
    return bool(operator_count ** (length - 1) * orders > most)
