"""Counting formulas without enumerating them: dynamic programming over (level, span).

`Tables.of(level, span)` is a histogram, value -> number of sub-formulas, of all chains of operators
of one precedence level over a span of places. It is made from the cuts of the span: a chain is a
shorter chain of its level, an operator, and a chain of the next tighter level (CYK on an
operator-precedence grammar). Tables are memoised by game and card.

`SuffixTables` counts one target by a backward pass over the top level alone. Its state is the span
still to come, its frontier the partial sums before it with their number of completions. The
frontier is pruned by bounds on values, and by the forward table of the places before if that is
the smaller (meet in the middle).

Counts are exact: 64 bits where no count can overflow, else Python integers. Values are encoded as
integers (`integers`), a step is the operator's record, the numbers allowed are those of `places`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from crisps24.enumeration.places import Cut, Places, Span, places_of
from crisps24.enumeration.value_codec import ValueCodec, codec_for
from crisps24.errors import RefusedError
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Bounds, Operator, obeys_result_rules
from crisps24.rules.ratios import Ints, column_bytes, group_rows
from crisps24.rules.work import Budget, TableMemory, pair_weight

# Pairs of values that are held at once before they are merged, about 25 MB.
_MERGE_AT = 1 << 20
# Values that a table may have, about 150 MB.
_MOST_VALUES = 1 << 23
# Memory of merging, in sizes of what is merged.
_TIMES_MERGED = 4
# Bytes per target in a dict.
_TOLD_BYTES = 200

_T = TypeVar("_T")


class Table(NamedTuple):
    """Values, ascending as integers and each once, and the number of ways to each."""

    values: Ints
    ways: Ints


class Joined(NamedTuple):
    """Values met by values, one entry a pair: what comes out, in how many ways, and of what."""

    values: Ints
    ways: Ints
    left: Ints
    right: Ints


class Tables:
    """The values of every level over every span of a row, built up as they are asked for.

    `shared` are the tables of a row of which this one has some numbers or operators given.
    """

    def __init__(self, game: Game, places: Places, shared: "Tables | None" = None) -> None:
        self.game = game
        self.places = places
        self.shared = shared
        self.levels = game.operator_levels
        self.top = len(self.levels)
        if self.levels[-1][0].right_associative:
            name = self.levels[-1][0].name
            raise RefusedError(
                f"what {name} makes is counted where another operator binds less tightly, "
                f"and {game.name} has none"
            )
        self._choices = len(game.row_operators) * len(places.numbers)
        self._limits: dict[tuple[int, Span], Bounds | None] = {}
        self._tables: dict[tuple[int, Span], Table] = {}
        self.budget: Budget = Budget() if shared is None else shared.budget
        self._kept = TableMemory(self.budget)
        self.codec: ValueCodec
        if shared is not None:
            self.codec = shared.codec
        else:
            self.codec = codec_for(game, places, self.limits(self.top, places.whole))
        self.weight = pair_weight(not self.codec.ordered, self.codec.dtype != np.int64)

    def use(self, budget: Budget) -> None:
        """Count what is computed and kept in a budget from now on."""
        self.budget = budget
        self._kept.move_to(budget)

    @contextmanager
    def using(self, budget: Budget) -> Iterator[None]:
        """Count what is computed and kept in a budget, for a while."""
        self.use(budget)
        try:
            yield
        finally:
            self.use(Budget(memory=None))

    def sides(self, level: int) -> tuple[int, int]:
        """Return which chains stand left and right of the last operator of a chain of a level."""
        to_right = self.levels[level - 1][0].right_associative
        return (level - 1, level) if to_right else (level, level - 1)

    def operators(self, level: int, given: str | None) -> list[Operator]:
        """Return the operators of a level, or of these the one that is given."""
        return [each for each in self.levels[level - 1] if given in (None, each.name)]

    def limits(self, level: int, span: Span) -> Bounds:
        """Return limits that no value of a level over a span is outside of."""
        return self._limits_of(level, span) or (0, 0)

    def _limits_of(self, level: int, span: Span) -> Bounds | None:
        """Return the limits, or None where there is no value."""
        if self.shared is not None and self.shared.places.has(span):
            return self.shared._limits_of(level, span)
        if (level, span) not in self._limits:
            self._limits[level, span] = self._find_limits(level, span)
        return self._limits[level, span]

    def _find_limits(self, level: int, span: Span) -> Bounds | None:
        if level == 0:
            alone = self.places.alone(span) if len(span) == 1 else ()
            return (min(alone), max(alone)) if alone else None
        found = [self._limits_of(level - 1, span)]
        on_left, on_right = self.sides(level)
        for cut in self.places.cuts(span):
            right = self._limits_of(on_right, cut.right)
            left = self._limits_of(on_left, cut.left) if right else None
            if left and right:
                found += [each.bounds(left, right) for each in self.operators(level, cut.operator)]
        lows, highs = zip(*filter(None, found), strict=True) if any(found) else ((), ())
        if not lows:
            return None
        low, high = (min(lows) if self.game.negatives else max(0, min(lows))), max(0, *highs)
        if self.game.max_bits is None:
            return low, high
        most = 1 << self.game.max_bits
        return max(low, -most), min(high, most)

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
            found = merged(lower, (found for *_, found in chains), self.budget)
            if found is not lower:
                self._kept.add(_size_of(found))
            self._tables[level, span] = found
        return self._tables[level, span]

    def _alone(self, span: Span) -> Table:
        numbers = sorted(self.places.alone(span)) if len(span) == 1 else []
        integers = [self.codec.encode(number) for number in numbers]
        values = np.array(integers, self.codec.dtype)
        values.sort()
        return Table(values, np.ones(len(numbers), self.ways_dtype(len(span))))

    def chains(self, level: int, span: Span) -> Iterator[tuple[Cut, Operator, Joined]]:
        """Yield how chains of a level come about whose last operator is of that level."""
        return self._chains(level, span, self.joined)

    def _chains(
        self, level: int, span: Span, join: Callable[[Operator, Table, Table, int], Iterator[_T]]
    ) -> Iterator[tuple[Cut, Operator, _T]]:
        on_left, on_right = self.sides(level) if level else (0, 0)
        for cut in self.places.cuts(span) if level else ():
            right = self.of(on_right, cut.right)
            if len(right.values):
                left = self.of(on_left, cut.left)
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

    def operated(self, operator: Operator, left: Table, right: Table) -> tuple[Ints, Any]:
        """Return what each value on the left makes with each on the right, and what is legal."""
        of = self.codec.decode
        made, legal = operator.operate(
            of(left.values[:, None]), of(right.values[None, :]), self.game
        )
        values = self.codec.encode_column(made)
        return values, legal if legal is True else np.broadcast_to(legal, values.shape)

    def pieces(self, left: Table, right: Table) -> Iterator[Table]:
        """Yield the left table in pieces of which each makes few enough pairs with the right."""
        size = max(1, _MERGE_AT // max(1, len(right.values)))
        for start in range(0, len(left.values), size):
            some = Table(left.values[start : start + size], left.ways[start : start + size])
            self.budget.add_pairs(len(some.values) * len(right.values), self.weight)
            yield some

    def ways_dtype(self, taken: int) -> Any:
        """Return what holds any number of ways to take so many numbers: 64 bits or Python's."""
        return np.int64 if self._choices**taken < 2**62 else object


def merged(first: Table, found: Iterable[Table | Joined], budget: Budget) -> Table:
    """Gather a table and what was found into one table, adding up the ways of equal values."""
    waiting, size = [first], 0
    for more in found:
        waiting.append(Table(more.values, more.ways))
        size += len(more.values)
        if size > _MERGE_AT:
            waiting, size = [_summed(waiting, budget)], 0
    return _summed(waiting, budget) if size else waiting[0]


def _summed(tables: list[Table], budget: Budget) -> Table:
    budget.check_bytes(_TIMES_MERGED * sum(map(_size_of, tables)))
    values, ways = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    order, starts = group_rows(values)
    if len(starts) > _MOST_VALUES:
        raise RefusedError(
            f"so many numbers make more than {_MOST_VALUES:,} values: too long a game"
        )
    return Table(values[order[starts]], np.add.reduceat(ways[order], starts))


def _size_of(table: Table) -> int:
    return sum(column_bytes(column) for column in table)


def found_in(values: Ints, wanted: Ints) -> tuple[Ints, Ints]:
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


def count_by_target(tables: Tables) -> dict[Exact, int]:
    """Return every target that is reached, ascending, with how many formulas make it."""
    values, ways = tables.of(tables.top, tables.places.whole)
    tables.budget.add_bytes(len(values) * _TOLD_BYTES)
    counted = zip(tables.codec.decode_exact(values), ways.tolist(), strict=True)
    return dict(counted) if tables.codec.ordered else dict(sorted(counted))


# Steps of so few pairs are kept for those who find rows along them, about 100 KB a table; and of
# so many it is worth to find beforehand which sums there are on the other side.
_FEW, _MANY = 1 << 12, 1 << 14


class SuffixTables:
    """Ways from a sum to one target: `after(rest)` maps the sum to them, with `rest` to go.

    Only sums that the places before can make, as far as that is known, are in the tables.
    """

    def __init__(self, tables: Tables, target: int, shared: "SuffixTables | None" = None) -> None:
        """Begin with a target, as an integer; `shared` as in `Tables`."""
        self.tables = tables
        self.target = target
        self.shared = shared
        self._kept = TableMemory(tables.budget)
        self._tables: dict[Span, Table] = {}
        self._steps: dict[Span, list[tuple[Cut, Operator, Joined]]] = {}

    def after(self, rest: Span) -> Table:
        """Return the sums with some places to go, and their ways to the target."""
        if self.shared is not None and self.shared.tables.places.ends_with(rest):
            return self.shared.after(rest)
        if rest not in self._tables:
            found = self._sums_before(rest) if rest else self._targets()
            self._kept.add(_size_of(found))
            self._tables[rest] = found
        return self._tables[rest]

    def _targets(self) -> Table:
        low, high = self._limits(()) or (self.target, self.target)
        values = np.array(
            [self.target] if low <= self.target <= high else [], self.tables.codec.dtype
        )
        values = values[self._allowed(values, ())]
        return Table(values, np.ones(len(values), np.int64))

    def _sums_before(self, rest: Span) -> Table:
        nothing = Table(np.empty(0, self.tables.codec.dtype), np.empty(0, np.int64))
        return merged(nothing, (pairs for *_, pairs in self.steps(rest)), self.tables.budget)

    def steps(self, rest: Span) -> Iterable[tuple[Cut, Operator, Joined]]:
        """Return how sums with some places to go take a next term.

        In a pair, `values` is the sum before the term, `left` the term, `right` the sum after it.
        """
        if rest in self._steps:
            return self._steps[rest]
        heads = [
            (cut, self.tables.of(self.tables.top - 1, cut.left), self.after(cut.right))
            for cut in self.tables.places.heads(rest)
        ]
        pairs = sum(len(terms.values) * len(sums.values) for _, terms, sums in heads)
        found = self._found(heads, rest, self._known(rest) if pairs > _MANY else None)
        return found if pairs > _FEW else self._steps.setdefault(rest, list(found))

    def _found(
        self, heads: list[tuple[Cut, Table, Table]], rest: Span, known: Table | None
    ) -> Iterator[tuple[Cut, Operator, Joined]]:
        """Yield the steps of terms and the sums after them."""
        for cut, terms, sums in heads:
            if len(terms.values) and len(sums.values):
                # From the side that has fewer sums: before the term, or after it.
                fewer = known is not None and len(known.values) < len(sums.values)
                for operator in self.tables.operators(self.tables.top, cut.operator):
                    if fewer or operator.undo is None:
                        found = self._tried(operator, terms, sums, rest)
                    else:
                        found = self._undone(operator, terms, sums, rest, known)
                    for step in found:
                        yield cut, operator, step

    def _undone(
        self, operator: Operator, terms: Table, sums: Table, rest: Span, known: Table | None
    ) -> Iterator[Joined]:
        """Yield steps from the sum after a term back to the only one there can be before it."""
        of = self.tables.codec.decode
        dtype = self.tables.ways_dtype(len(rest))
        term_ways = terms.ways.astype(dtype)
        for some in self.tables.pieces(sums, terms):
            undone, legal = operator.undo_step(
                of(some.values[:, None]), of(terms.values[None, :]), self.tables.game
            )
            before = self.tables.codec.encode_column(undone)
            i, j = np.nonzero(self._allowed(before, rest) & legal)
            if known is not None:
                met, _ = found_in(known.values, before[i, j])
                i, j = i[met], j[met]
            ways = some.ways.astype(dtype)[i] * term_ways[j]
            yield Joined(before[i, j], ways, terms.values[j], some.values[i])

    def _tried(self, operator: Operator, terms: Table, sums: Table, rest: Span) -> Iterator[Joined]:
        """Yield steps from every sum that the places before make to those after a term."""
        tables = self.tables
        before = tables.of(tables.top, tables.places.before(rest))
        dtype = tables.ways_dtype(len(rest))
        term_ways, sum_ways = terms.ways.astype(dtype), sums.ways.astype(dtype)
        for some in tables.pieces(before, terms):
            after, legal = tables.operated(operator, some, terms)
            within = (after >= sums.values[0]) & (after <= sums.values[-1]) & legal
            i, j = np.nonzero(within)
            met, at = found_in(sums.values, after[i, j])
            i, j = i[met], j[met]
            yield Joined(some.values[i], term_ways[j] * sum_ways[at], terms.values[j], after[i, j])

    def _limits(self, rest: Span) -> Bounds | None:
        """Return limits, as integers, of sums with some places to go, if these are ordered."""
        tables = self.tables
        if not tables.codec.ordered:
            return None
        return tables.codec.encode_limits(tables.limits(tables.top, tables.places.before(rest)))

    def _allowed(self, sums: Ints, rest: Span) -> Ints:
        """Return which sums the rules and the limits allow with some places to go."""
        codec, limits = self.tables.codec, self._limits(rest)
        within = np.ones(sums.shape, bool)
        if limits is not None:
            within = (sums >= limits[0]) & (sums <= limits[1])
        # A single number is no result: rules about results do not concern it.
        if len(self.tables.places.before(rest)) > 1:
            within &= obeys_result_rules(codec.decode(sums), self.tables.game)
        return within

    def _known(self, rest: Span) -> Table | None:
        """Return all sums that the places before make, where they are fewer than those to go.

        Forwards and backwards meet in the middle: beyond it, each way has more values than ends.
        """
        before = self.tables.places.before(rest)
        return self.tables.of(self.tables.top, before) if len(before) <= len(rest) else None

    def total(self) -> int:
        """Return the number of formulas that make the target."""
        return sum(int(ways.sum()) for _, _, ways in self.firsts())

    def firsts(self) -> Iterator[tuple[Cut, Ints, Ints]]:
        """Yield the first terms of rows that make the target: where, values, ways to the target."""
        tables = self.tables
        for cut in tables.places.heads(tables.places.whole):
            terms, sums = tables.of(tables.top - 1, cut.left), self.after(cut.right)
            met, at = found_in(sums.values, terms.values)
            dtype = tables.ways_dtype(len(tables.places.whole))
            yield (
                cut,
                terms.values[met],
                terms.ways[met].astype(dtype) * sums.ways[at].astype(dtype),
            )


@lru_cache(maxsize=2)
def suffix_tables_of(tables: Tables, target: int) -> SuffixTables:
    """Return the way back from a target, as an integer, the same one each time."""
    return SuffixTables(tables, target)


def count_formulas(target: Exact, tables: Tables) -> int:
    """Return how many formulas make a target, exactly, at any size.

    >>> from crisps24 import GAMES
    >>> from crisps24.enumeration.counting import tables_of
    >>> count_formulas(143, tables_of(GAMES["crisps"]))
    48
    """
    integer = tables.codec.encode(target)
    return 0 if integer is None else suffix_tables_of(tables, integer).total()
