"""The forecast of a count: its pairs, before it starts.

The measure is pairs of values that meet while tables are made. The sizes of short spans' tables
are known at little cost, and most of them are needed anyway; those of longer ones are taken to go
on growing as the last of these did. Owns the estimate; the tables are `counting`'s.
"""

from collections.abc import Callable
from dataclasses import replace
from math import factorial, log

from crisps24.enumeration.counting import Tables
from crisps24.enumeration.places import ANY_NUMBERS, AnyOrder, InOrder, Places
from crisps24.rules.work import MAX_TABLE_BYTES, Budget, too_many_pairs

# Pairs that are looked at to know sizes: some tenths of a second.
_SAMPLE = 1 << 21
# So few rows are never endless, nor so few of a card, which has more tables than free places have.
_FEW_ROWS, _FEW_OF_CARD = 1 << 40, 1 << 24
# No size is of any interest beyond this.
_ENDLESS = 1e60


class Estimate:
    """The sizes of the tables of some rows, known or expected, and the work they are.

    Where the numbers are given, a size is the mean over the spans of a length.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.weight = tables.weight
        length = len(tables.places.whole)
        self._spans = [tables.places.spans(size) for size in range(1, length + 1)]
        self._sizes: list[list[float]] = []
        # The same with those that are expected behind so many that are known.
        self._longer: dict[tuple[int, int], list[float]] = {}
        for level in range(tables.top + 1):
            self._sizes.append(self._sample(level))

    def _sample(self, level: int) -> list[float]:
        """Return the sizes of tables of a level as far as they cost little."""
        sizes: list[float] = []
        length = len(self.tables.places.whole)
        self._sizes.append(sizes)
        for size in range(1, max(2, length // 2) + 1 if level == self.tables.top else length + 1):
            spans = self._spans[size - 1]
            if size > 2 and self.made(level, size) * self.weight * len(spans) > _SAMPLE:
                break
            sizes.append(
                sum(len(self.tables.of(level, span).values) for span in spans) / len(spans)
            )
        self._sizes.pop()
        return sizes

    def size(self, level: int, length: int) -> float:
        """Return how many values there are, known or expected, of a level over so many places."""
        sizes = self._sizes[level]
        if length <= len(sizes):
            return sizes[length - 1]
        if len(sizes) < 3 or sizes[-1] == 0:
            return sizes[-1] if sizes else 0
        longer = self._longer.setdefault((level, len(sizes)), list(sizes))
        while len(longer) < length and longer[-1] < _ENDLESS:
            longer.append(longer[-1] * _growth(longer))
        return longer[min(length, len(longer)) - 1]

    def made(self, level: int, length: int) -> float:
        """Return how many pairs meet to make the table of a level over a span of so many places."""
        if level == 0:
            return 0
        ways = self.tables.places.ways_to_cut
        return len(self.tables.operators(level, None)) * sum(
            ways(length, size) * self.size(level, length - size) * self.size(level - 1, size)
            for size in range(1, length)
        )

    def of_every(self, length: int) -> float:
        """Return the pairs that meet to count every target of rows of so many numbers."""
        return self.weight * (self._below(length) + self._sums(length))

    def of_one(self, length: int) -> float:
        """Return the pairs that meet to count one target of rows of so many numbers."""
        below = self._below(length) + self._sums(length // 2)
        return self.weight * below + self.of_more(length)

    def of_more(self, length: int) -> float:
        """Return the pairs that meet to count one target more, when the terms are there."""
        return self.weight * self._back(length)

    def _below(self, length: int) -> float:
        """Return the pairs that meet to make the tables below the sums."""
        lengths, levels = range(1, length + 1), range(1, self.tables.top)
        return sum(
            len(self._spans[size - 1]) * self.made(level, size)
            for level in levels
            for size in lengths
        )

    def _sums(self, longest: int) -> float:
        """Return the pairs that meet to make the sums of so many first places, and of fewer."""
        in_order = isinstance(self.tables.places, InOrder)
        return sum(
            self.made(self.tables.top, size) * (1 if in_order else len(self._spans[size - 1]))
            for size in range(1, longest + 1)
        )

    def _back(self, length: int) -> float:
        """Return the pairs that meet on the way back from a target, from the cheaper side."""
        top = self.tables.top
        sums = [self.size(top, max(1, min(size, length - size))) for size in range(length + 1)]
        ways, pairs = self.tables.places.ways_to_cut, 0.0
        for rest in range(1, length):
            for size in range(1, rest + 1):
                after = sums[rest - size]
                before = sums[length - rest] if length - rest <= rest else after
                met = self.size(top - 1, size) * min(after, before)
                pairs += ways(length, rest) * ways(rest, size) * met
        return pairs * len(self.tables.operators(top, None))


def _growth(sizes: list[float]) -> float:
    """Return how many times as large the next size is, going by the last three.

    What grows by powers of the length grows by 1 + p / k at length k, what grows without such
    an end by as much each time: the excess over 1 goes on falling as it fell, at most as 1 / k.
    """
    length = len(sizes)
    before, last = (sizes[at] / sizes[at - 1] - 1 for at in (-2, -1))
    if last <= 0 or before <= last:
        return 1 + max(last, 0)
    falls = min(1.0, log(before / last) / log(length / (length - 1)))
    return 1 + float(last * (length / (length + 1)) ** falls)


def budget_of(
    tables: Tables,
    work: int | None,
    *,
    every: bool,
    progress: Callable[[int], object] | None = None,
) -> Budget:
    """Return the budget of a count.

    `work` is in pairs of values, None for any; `every` says that all targets are counted. Raises
    ValueError, with what would fit, if a forecast says that the count is more work.
    """
    whole = tables.places.whole
    doing = f"counting {len(whole)} numbers"
    memory = None if work is None else MAX_TABLE_BYTES
    budget = Budget(doing, work=work, memory=memory, progress=progress)
    if work is None or not _may_be_endless(tables):
        return budget
    with tables.using(budget):
        estimate = Estimate(tables)
    pairs_of = estimate.of_every if every else estimate.of_one
    pairs = pairs_of(len(whole))
    if pairs <= work:
        return budget
    fits = 0
    for length in range(1, len(whole)):
        estimate.weight = _shorter(tables, length).weight
        if pairs_of(length) > work:
            break
        fits = length
    told = f"{fits} numbers" if fits > 1 else "fewer numbers to choose from"
    raise too_many_pairs(doing, pairs, work, told)


def expected_pairs(tables: Tables, targets: int | None) -> int:
    """Return about how many pairs of values a count of so many targets looks at, None for all.

    0 where they are few.
    """
    if targets == 0 or not _may_be_endless(tables):
        return 0
    estimate, length = Estimate(tables), len(tables.places.whole)
    pairs = estimate.of_every(length)
    if targets is not None:
        pairs = estimate.of_one(length) + (targets - 1) * estimate.of_more(length)
    return int(min(pairs, _ENDLESS) / estimate.weight)


def _shorter(tables: Tables, length: int) -> Tables:
    """Return the tables of rows of fewer places, the first ones."""
    places = tables.places
    if isinstance(places, InOrder):
        first: Places = InOrder(places.numbers, places.whole[:length])
    else:
        first = AnyOrder(places.whole[:length])
    return Tables(replace(tables.game, length=length), first)


def _may_be_endless(tables: Tables) -> bool:
    """Return whether there are so many rows that counting them has to be estimated first."""
    places, length = tables.places, len(tables.places.whole)
    operators = len(tables.game.row_operators)
    if isinstance(places, AnyOrder):
        return bool(operators ** (length - 1) * factorial(length) > _FEW_OF_CARD)
    if places.whole != (ANY_NUMBERS,) * length:
        return bool(operators ** (length - 1) > _FEW_OF_CARD)
    return bool((operators * len(places.numbers)) ** length > _FEW_ROWS)
