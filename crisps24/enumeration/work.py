"""Estimate the cost of a count before it starts, in pairs of values.

A table costs one pair for each two values of the parts of its spans. The sizes of short spans are
found by making their tables, which the count needs anyway; those of longer spans are extrapolated
from the growth of the last three. `count_budget` refuses a count that is estimated to exceed its
limit, and names a length that fits.
"""

from collections.abc import Callable
from dataclasses import replace
from math import factorial, log

from crisps24.enumeration.counting import Tables
from crisps24.enumeration.places import FREE_PLACE, AnyOrder, InOrder, Places
from crisps24.rules.work import MAX_TABLE_BYTES, Budget, too_many_pairs

# Pairs of one table that is made to know its size: some tenths of a second.
_SAMPLE_PAIRS = 1 << 21
# Counts of at most this many rows need no estimate; a card has more tables for its rows.
_MIN_ESTIMATED_ROWS = 1 << 40
_MIN_ESTIMATED_CARD_ROWS = 1 << 24
# Sizes are not extrapolated beyond this.
_MAX_SIZE = 1e60


class CountEstimate:
    """The sizes of the tables of some rows, known or extrapolated, and the pairs they cost.

    A size is the number of values of a table; the mean over the spans of a length if numbers are
    given. Estimates are within a factor of 3 for free numbers. Creating an estimate makes the
    tables of short spans, which raises RefusedError if their budget is spent.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.weight = tables.weight
        length = len(tables.places.row)
        self._spans = [tables.places.spans(size) for size in range(1, length + 1)]
        self._sizes: list[list[float]] = []
        # Sizes with extrapolated ones, by level and by how many are known.
        self._extended: dict[tuple[int, int], list[float]] = {}
        for level in range(tables.top_level + 1):
            self._sizes.append(self._sample(level))

    def _sample(self, level: int) -> list[float]:
        """Measure how many values short parts of a row can have, by making their tables.

        Item 0 of the result is the mean number of values for parts of 1 number, item 1 for parts of
        2 numbers, and so on. The list ends before the first length above 2 whose tables would cost
        more than 2^21 weighted pairs of values. At the top level it ends at half of the row, but
        not before 2 numbers. Raises RefusedError if the budget of the tables is spent.

        Args:
            level: The operators to use: those of the `level` tightest groups, such as x and : for
                level 1, and also + and - for level 2. With level 0, only single numbers.
        """
        sizes: list[float] = []
        length = len(self.tables.places.row)
        self._sizes.append(sizes)
        top = level == self.tables.top_level
        for size in range(1, max(2, length // 2) + 1 if top else length + 1):
            spans = self._spans[size - 1]
            pairs = self.table_pairs(level, size) * self.weight * len(spans)
            if size > 2 and pairs > _SAMPLE_PAIRS:
                break
            values = sum(len(self.tables.table(level, span).values) for span in spans)
            sizes.append(values / len(spans))
        self._sizes.pop()
        return sizes

    def size(self, level: int, length: int) -> float:
        """Estimate how many different values `length` neighbouring numbers can have.

        Short lengths were measured. The sizes of longer ones are extrapolated, up to about 1e60:
        from the measured sizes 2, 6 and 18, for example, the size for 5 numbers is 162. If fewer
        than three sizes are known, the last one is returned, or 0 without any.

        Args:
            level: Only the operators of the `level` tightest groups are used (0: none).
            length: How many numbers are combined, at least 1.
        """
        sizes = self._sizes[level]
        if length <= len(sizes):
            return sizes[length - 1]
        if len(sizes) < 3 or sizes[-1] == 0:
            return sizes[-1] if sizes else 0
        extended = self._extended.setdefault((level, len(sizes)), list(sizes))
        while len(extended) < length and extended[-1] < _MAX_SIZE:
            extended.append(extended[-1] * _growth(extended))
        return extended[min(length, len(extended)) - 1]

    def table_pairs(self, level: int, length: int) -> float:
        """Return the pairs (unweighted) that one table of a level over `length` numbers costs."""
        if level == 0:
            return 0
        count, size_of = self.tables.places.count_partitions, self.size
        return len(self.tables.operators(level, None)) * sum(
            count(length, size) * size_of(level, length - size) * size_of(level - 1, size)
            for size in range(1, length)
        )

    def all_targets(self, length: int) -> float:
        """Return the weighted pairs of a count of all targets of rows of `length` numbers."""
        return self.weight * (self._term_pairs(length) + self._sum_pairs(length))

    def first_target(self, length: int) -> float:
        """Return the weighted pairs of a count of one target of rows of `length` numbers.

        They include the tables that further targets share.
        """
        shared = self._term_pairs(length) + self._sum_pairs(length // 2)
        return self.weight * shared + self.further_target(length)

    def further_target(self, length: int) -> float:
        """Return the weighted pairs of a count of one more target of rows of `length` numbers."""
        return self.weight * self._suffix_pairs(length)

    def _term_pairs(self, length: int) -> float:
        """Return the pairs (unweighted) of tables below the top level, up to `length` numbers."""
        lengths, levels = range(1, length + 1), range(1, self.tables.top_level)
        return sum(
            len(self._spans[size - 1]) * self.table_pairs(level, size)
            for level in levels
            for size in lengths
        )

    def _sum_pairs(self, longest: int) -> float:
        """Estimate the pairs of values to combine for the tables with all operators.

        There are such tables for 1 number, 2 numbers, and so on up to `longest` numbers. If the
        order of the numbers is given, each length has one table, for the first numbers of the row;
        otherwise it has one for each choice of numbers. The pairs are not weighted.
        """
        in_order = isinstance(self.tables.places, InOrder)
        return sum(
            self.table_pairs(self.tables.top_level, size)
            * (1 if in_order else len(self._spans[size - 1]))
            for size in range(1, longest + 1)
        )

    def _suffix_pairs(self, length: int) -> float:
        """Estimate the pairs of values to combine when one target is searched backwards.

        The search makes a table for each suffix, which is the end of a row: with the target 24 and
        the suffix `+ 4`, the sum before it is 20. To make a table, the values of the first term of
        the suffix are combined with the sums before the suffix or with those after the term,
        whichever are fewer. The pairs are not weighted.

        Args:
            length: The number of numbers of a row.
        """
        top = self.tables.top_level
        sums = [self.size(top, max(1, min(size, length - size))) for size in range(length + 1)]
        count_partitions, pairs = self.tables.places.count_partitions, 0.0
        for suffix in range(1, length):
            for size in range(1, suffix + 1):
                # The first term of the suffix has `size` numbers.
                after = sums[suffix - size]
                before = sums[length - suffix] if length - suffix <= suffix else after
                joined = self.size(top - 1, size) * min(after, before)
                pairs += count_partitions(length, suffix) * count_partitions(suffix, size) * joined
        return pairs * len(self.tables.operators(top, None))


def _growth(sizes: list[float]) -> float:
    """Estimate the factor from the last size to the next one, from the last three sizes.

    The result is at least 1. If the factors between the sizes do not fall, the last one is
    returned. If they fall towards 1, the next one falls at the same rate; the part over 1 falls at
    most as fast as 1 / length.

    >>> _growth([2.0, 6.0, 18.0])
    3.0
    >>> _growth([1.0, 4.0, 9.0])
    1.9375

    Args:
        sizes: Three sizes or more, for the lengths 1, 2, 3 and so on.
    """
    length = len(sizes)
    before, last = (sizes[index] / sizes[index - 1] - 1 for index in (-2, -1))
    if last <= 0 or before <= last:
        return 1 + max(last, 0)
    exponent = min(1.0, log(before / last) / log(length / (length - 1)))
    return 1 + float(last * (length / (length + 1)) ** exponent)


def count_budget(
    tables: Tables,
    work: int | None,
    *,
    every: bool,
    progress: Callable[[int], object] | None = None,
) -> Budget:
    """Return a budget that limits the work of counting formulas; refuse a count that is too large.

    The cost of a large count is estimated first. The estimate makes tables of short spans, which
    the count needs too. Small counts are not estimated.

    Args:
        tables: The tables that the count will use.
        work: The limit in weighted pairs of values (None: no limit).
        every: Whether all targets are counted, which is more work than counting one.
        progress: Called during the count with the number of pairs that were just computed.

    Raises:
        RefusedError: The estimate exceeds the limit; the error names the largest length that fits.
    """
    length = len(tables.places.row)
    search = f"counting {length} numbers"
    memory = None if work is None else MAX_TABLE_BYTES
    budget = Budget(search, work=work, memory=memory, progress=progress)
    if work is None or not _needs_estimate(tables):
        return budget
    with tables.using_budget(budget):
        estimate = CountEstimate(tables)
    pairs_of = estimate.all_targets if every else estimate.first_target
    pairs = pairs_of(length)
    if pairs <= work:
        return budget
    longest = 0
    for shorter in range(1, length):
        estimate.weight = _shorter(tables, shorter).weight
        if pairs_of(shorter) > work:
            break
        longest = shorter
    fits = f"{longest} numbers" if longest > 1 else "fewer numbers to choose from"
    raise too_many_pairs(search, pairs, work, fits)


def expected_pairs(tables: Tables, targets: int | None) -> int:
    """Return the estimated pairs (unweighted) that a count of some targets computes.

    0 if the count is small. `targets` is how many targets are counted, None for all. Makes tables
    of short spans, which the count needs too; RefusedError if the budget of the tables is spent.
    """
    if targets == 0 or not _needs_estimate(tables):
        return 0
    estimate, length = CountEstimate(tables), len(tables.places.row)
    pairs = estimate.all_targets(length)
    if targets is not None:
        pairs = estimate.first_target(length) + (targets - 1) * estimate.further_target(length)
    return int(min(pairs, _MAX_SIZE) / estimate.weight)


def _shorter(tables: Tables, length: int) -> Tables:
    """Return new, empty tables of the first `length` places."""
    places = tables.places
    if isinstance(places, InOrder):
        first: Places = InOrder(places.numbers, places.row[:length])
    else:
        first = AnyOrder(places.row[:length])
    return Tables(replace(tables.game, length=length), first)


def _needs_estimate(tables: Tables) -> bool:
    """Return whether there are so many possible rows that counting them could take long.

    These are over 2^40 rows if the numbers are free, and over 2^24 rows for given cards. Four
    numbers from 1 to 9 with four operators are at most (4 x 9)^4 rows, about 2^21: not many.
    """
    places, length = tables.places, len(tables.places.row)
    operators = len(tables.game.row_operators)
    if isinstance(places, AnyOrder):
        return bool(operators ** (length - 1) * factorial(length) > _MIN_ESTIMATED_CARD_ROWS)
    if places.row != (FREE_PLACE,) * length:
        return bool(operators ** (length - 1) > _MIN_ESTIMATED_CARD_ROWS)
    return bool((operators * len(places.numbers)) ** length > _MIN_ESTIMATED_ROWS)
