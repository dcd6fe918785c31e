"""Terms and sums: how many formulas make a target, without looking at one of them.

A formula without parentheses is a chain of operators that bind loosest, a sum, whose operands are
chains of those that bind tighter, terms, and so on down to single numbers. Which values the
chains of one *level* make, over some places of a row (a span), and in how many ways, is a small
table, made of those of shorter spans; this room owns them (`Tables`). `tails` go on from here.

Values are held as integers (`integers`), what operators do with them is their record's affair,
and which numbers a row has is that of its `places`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from crisps24.errors import RefusedError
from crisps24.rows.integers import Column, Integers, integers_for
from crisps24.rows.places import Cut, Places, Span, places_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Limits, Operator

# Pairs of values that are held at once before they are merged, about 25 MB.
_MERGE_AT = 1 << 20
# Values that a table may have, about 150 MB.
_MOST_VALUES = 1 << 23

_T = TypeVar("_T")


class Table(NamedTuple):
    """Values, ascending as integers and each once, and the number of ways to each."""

    values: Column
    ways: Column


class Joined(NamedTuple):
    """Values met by values, one entry a pair: what comes out, in how many ways, and of what."""

    values: Column
    ways: Column
    left: Column
    right: Column


class Tables:
    """The values of every level over every span of a row, built up as they are asked for.

    `shared` are the tables of a row of which this one has some numbers or operators given.
    """

    def __init__(self, game: Game, places: Places, shared: "Tables | None" = None) -> None:
        self.game = game
        self.places = places
        self.shared = shared
        self.levels = game.levels
        self.top = len(self.levels)
        self._choices = len(game.row_operators) * len(places.numbers)
        self._limits: dict[tuple[int, Span], Limits | None] = {}
        self._tables: dict[tuple[int, Span], Table] = {}
        self._progress: Callable[[int], object] | None = None
        self.integers: Integers
        if shared is not None:
            self.integers = shared.integers
        else:
            self.integers = integers_for(game, places, self.limits(self.top, places.whole))

    @contextmanager
    def telling(self, progress: Callable[[int], object] | None) -> Iterator[None]:
        """Tell a function how many pairs of values were just looked at, for a while."""
        self._progress = progress
        try:
            yield
        finally:
            self._progress = None

    def operators(self, level: int, given: str | None) -> list[Operator]:
        """Return the operators of a level, or of these the one that is given."""
        return [each for each in self.levels[level - 1] if given in (None, each.name)]

    def limits(self, level: int, span: Span) -> Limits:
        """Return limits that no value of a level over a span is outside of."""
        return self._limits_of(level, span) or (0, 0)

    def _limits_of(self, level: int, span: Span) -> Limits | None:
        """Return the limits, or None where there is no value."""
        if self.shared is not None and self.shared.places.has(span):
            return self.shared._limits_of(level, span)
        if (level, span) not in self._limits:
            self._limits[level, span] = self._find_limits(level, span)
        return self._limits[level, span]

    def _find_limits(self, level: int, span: Span) -> Limits | None:
        if level == 0:
            alone = self.places.alone(span) if len(span) == 1 else ()
            return (min(alone), max(alone)) if alone else None
        found = [self._limits_of(level - 1, span)]
        for cut in self.places.cuts(span):
            right = self._limits_of(level - 1, cut.right)
            left = self._limits_of(level, cut.left) if right else None
            if left and right:
                found += [each.limits(left, right) for each in self.operators(level, cut.operator)]
        lows, highs = zip(*filter(None, found), strict=True) if any(found) else ((), ())
        if not lows:
            return None
        return (min(lows) if self.game.negatives else max(0, min(lows))), max(0, *highs)

    def of(self, level: int, span: Span) -> Table:
        """Return the values of a level over a span, and the ways to each.

        Level 0 are the numbers, each higher one the chains of the operators of that level and of
        what binds tighter, single ones among them.
        """
        if self.shared is not None and self.shared.places.has(span):
            return self.shared.of(level, span)
        if (level, span) not in self._tables:
            lower = self.of(level - 1, span) if level else self._alone(span)
            chains = self._chains(level, span, self._outcomes)
            self._tables[level, span] = merged(lower, (found for *_, found in chains))
        return self._tables[level, span]

    def _alone(self, span: Span) -> Table:
        numbers = sorted(self.places.alone(span)) if len(span) == 1 else []
        integers = [self.integers.of(number) for number in numbers]
        values = np.array(integers, self.integers.dtype)
        values.sort()
        return Table(values, np.ones(len(numbers), self.ways_dtype(len(span))))

    def chains(self, level: int, span: Span) -> Iterator[tuple[Cut, Operator, Joined]]:
        """Yield how chains of a level come about whose last operator is of that level."""
        return self._chains(level, span, self.joined)

    def _chains(
        self, level: int, span: Span, join: Callable[[Operator, Table, Table, int], Iterator[_T]]
    ) -> Iterator[tuple[Cut, Operator, _T]]:
        for cut in self.places.cuts(span) if level else ():
            right = self.of(level - 1, cut.right)
            if len(right.values):
                left = self.of(level, cut.left)
                for operator in self.operators(level, cut.operator):
                    for found in join(operator, left, right, len(span)):
                        yield cut, operator, found

    def _outcomes(
        self, operator: Operator, left: Table, right: Table, taken: int
    ) -> Iterator[Table]:
        """Yield the values of every legal step from the left with the right, not merged yet."""
        dtype = self.ways_dtype(taken)
        for some in self.pieces(left, right):
            values, legal = self.operated(operator, some, right)
            ways = some.ways.astype(dtype)[:, None] * right.ways.astype(dtype)[None, :]
            if legal is True:
                yield Table(values.ravel(), ways.ravel())
            else:
                yield Table(values[legal], ways[legal])

    def joined(self, operator: Operator, left: Table, right: Table, taken: int) -> Iterator[Joined]:
        """Yield every legal step from a value on the left with one on the right."""
        dtype = self.ways_dtype(taken)
        for some in self.pieces(left, right):
            values, legal = self.operated(operator, some, right)
            i, j = np.nonzero(np.ones(values.shape, bool) if legal is True else legal)
            ways = some.ways.astype(dtype)[i] * right.ways.astype(dtype)[j]
            yield Joined(values[i, j], ways, some.values[i], right.values[j])

    def operated(self, operator: Operator, left: Table, right: Table) -> tuple[Column, Any]:
        """Return what each value on the left makes with each on the right, and what is legal."""
        of = self.integers.values
        made, legal = operator.operate(
            of(left.values[:, None]), of(right.values[None, :]), self.game
        )
        values = self.integers.integers(made)
        return values, legal if legal is True else np.broadcast_to(legal, values.shape)

    def pieces(self, left: Table, right: Table) -> Iterator[Table]:
        """Yield the left table in pieces of which each makes few enough pairs with the right."""
        size = max(1, _MERGE_AT // max(1, len(right.values)))
        for start in range(0, len(left.values), size):
            some = Table(left.values[start : start + size], left.ways[start : start + size])
            yield some
            if self._progress is not None:
                self._progress(len(some.values) * len(right.values))

    def ways_dtype(self, taken: int) -> Any:
        """Return what holds any number of ways to take so many numbers: 64 bits or Python's."""
        return np.int64 if self._choices**taken < 2**62 else object


def merged(first: Table, found: Iterable[Table | Joined]) -> Table:
    """Gather a table and what was found into one table, adding up the ways of equal values."""
    waiting, size = [first], 0
    for more in found:
        waiting.append(Table(more.values, more.ways))
        size += len(more.values)
        if size > _MERGE_AT:
            waiting, size = [_summed(waiting)], 0
    return _summed(waiting) if size else waiting[0]


def _summed(tables: list[Table]) -> Table:
    values, ways = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    if len(starts) > _MOST_VALUES:
        raise RefusedError(
            f"so many numbers make more than {_MOST_VALUES:,} values: too long a game"
        )
    return Table(values[starts], np.add.reduceat(ways[order], starts))


def found_in(values: Column, wanted: Column) -> tuple[Column, Column]:
    """Return which of the wanted values are among ascending ones, and where there."""
    if not len(values):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    at = np.searchsorted(values, wanted)
    at[at == len(values)] = 0
    met = np.flatnonzero(values[at] == wanted)
    return met, at[met]


@lru_cache(maxsize=16)
def tables_of(game: Game, card: Hand | None = None, in_order: bool = False) -> Tables:
    """Return the tables of a game's rows, or of a card's, the same ones each time."""
    return Tables(game, places_of(game, card, in_order))


def counts_of(tables: Tables) -> dict[Exact, int]:
    """Return every target that is reached, ascending, with how many formulas make it."""
    values, ways = tables.of(tables.top, tables.places.whole)
    counted = zip(tables.integers.exact(values), ways.tolist(), strict=True)
    return dict(counted) if tables.integers.ordered else dict(sorted(counted))
