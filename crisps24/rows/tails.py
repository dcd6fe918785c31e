"""From a target backwards: which sums lead to it with some places to go, and in how many ways.

Owns the way back (`Tails`), which touches only sums that can still matter: few places to go reach
little, few places before make little, and in the middle the two are held against each other. The
tables of terms and sums it goes along are those of `counting`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from crisps24.rows.counting import (
    Joined,
    Table,
    Tables,
    found_in,
    merged,
)
from crisps24.rows.integers import Column
from crisps24.rows.places import Cut, Span
from crisps24.rules.exact import Exact
from crisps24.rules.operators import Limits, Operator, allowed

# So few pairs are kept, and all looked at rather than sifted beforehand.
_FEW = 1 << 12
# So many are worth finding out beforehand what there is on the other side.
_MANY = 1 << 14


class Tails:
    """Ways from a sum to one target: `after(rest)` maps the sum to them, with `rest` to go.

    Only sums that the places before can make, as far as that is known, are in the tables.
    """

    def __init__(self, tables: Tables, target: int, shared: "Tails | None" = None) -> None:
        """Begin with a target, as an integer; `shared` as in `Tables`."""
        self.tables = tables
        self.target = target
        self.shared = shared
        self._tables: dict[Span, Table] = {}
        # The steps of tables that are small, for whoever finds rows along them.
        self._steps: dict[Span, list[tuple[Cut, Operator, Joined]]] = {}

    def after(self, rest: Span) -> Table:
        """Return the sums with some places to go, and their ways to the target."""
        if self.shared is not None and self.shared.tables.places.ends_with(rest):
            return self.shared.after(rest)
        if rest not in self._tables:
            self._tables[rest] = self._sums_before(rest) if rest else self._targets()
        return self._tables[rest]

    def _targets(self) -> Table:
        low, high = self._limits(()) or (self.target, self.target)
        values = np.array(
            [self.target] if low <= self.target <= high else [], self.tables.integers.dtype
        )
        values = values[self._allowed(values, ())]
        return Table(values, np.ones(len(values), np.int64))

    def _sums_before(self, rest: Span) -> Table:
        nothing = Table(np.empty(0, self.tables.integers.dtype), np.empty(0, np.int64))
        steps, size = [], 0

        def found() -> Iterator[Joined]:
            nonlocal size
            for step in self._find_steps(rest):
                size += len(step[2].values)
                if size <= _FEW:
                    steps.append(step)
                yield step[2]

        sums = merged(nothing, found())
        if size <= _FEW:
            self._steps[rest] = steps
        return sums

    def steps(self, rest: Span) -> Iterable[tuple[Cut, Operator, Joined]]:
        """Return how sums with some places to go take a next term.

        In a pair, `values` is the sum before the term, `left` the term, `right` the sum after it.
        """
        self.after(rest)
        return self._steps[rest] if rest in self._steps else self._find_steps(rest)

    def _find_steps(self, rest: Span) -> Iterator[tuple[Cut, Operator, Joined]]:
        tables, top = self.tables, self.tables.top
        heads = [
            (cut, tables.of(top - 1, cut.left), self.after(cut.right))
            for cut in tables.places.heads(rest)
        ]
        pairs = sum(len(terms.values) * len(sums.values) for _, terms, sums in heads)
        known = self._known(rest) if pairs > _MANY else None
        for cut, terms, sums in heads:
            if len(terms.values) and len(sums.values):
                # From the side that has fewer sums: before the term, or after it.
                fewer = known is not None and len(known.values) < len(sums.values)
                for operator in tables.operators(top, cut.operator):
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
        assert operator.undo is not None
        of = self.tables.integers.values
        terms = self._within_reach(operator, terms, sums, rest)
        dtype = self.tables.ways_dtype(len(rest))
        term_ways = terms.ways.astype(dtype)
        for some in self.tables.pieces(sums, terms):
            undone = operator.undo(of(some.values[:, None]), of(terms.values[None, :]))
            before = self.tables.integers.integers(undone)
            i, j = np.nonzero(self._allowed(before, rest))
            if known is not None:
                met, _ = found_in(known.values, before[i, j])
                i, j = i[met], j[met]
            ways = some.ways.astype(dtype)[i] * term_ways[j]
            yield Joined(before[i, j], ways, terms.values[j], some.values[i])

    def _within_reach(self, operator: Operator, terms: Table, sums: Table, rest: Span) -> Table:
        """Leave out terms that lead from no possible sum to any of these."""
        integers, limits = self.tables.integers, self._limits(rest)
        few = len(terms.values) * len(sums.values) < _FEW
        if few or limits is None or operator.undo is None:
            return terms
        # The larger the sum after a term, the larger the sum before it.
        ends = (integers.values(sums.values[end]) for end in (0, -1))
        of_terms = integers.values(terms.values)
        least, most = (integers.integers(operator.undo(end, of_terms)) for end in ends)
        kept = np.flatnonzero((most >= limits[0]) & (least <= limits[1]))
        return Table(terms.values[kept], terms.ways[kept])

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

    def _limits(self, rest: Span) -> Limits | None:
        """Return limits, as integers, of sums with some places to go, if these are ordered."""
        tables = self.tables
        if not tables.integers.ordered:
            return None
        return tables.integers.limits(tables.limits(tables.top, tables.places.before(rest)))

    def _allowed(self, sums: Column, rest: Span) -> Column:
        """Return which sums the rules and the limits allow with some places to go."""
        integers, limits = self.tables.integers, self._limits(rest)
        within = np.ones(sums.shape, bool)
        if limits is not None:
            within = (sums >= limits[0]) & (sums <= limits[1])
        # A single number is no result: rules about results do not concern it.
        if len(self.tables.places.before(rest)) > 1:
            within &= allowed(integers.values(sums), self.tables.game)
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

    def firsts(self) -> Iterator[tuple[Cut, Column, Column]]:
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


@lru_cache(maxsize=16)
def tails_of(tables: Tables, target: int) -> Tails:
    """Return the tails of a target, as an integer, the same ones each time."""
    return Tails(tables, target)


def count_of(target: Exact, tables: Tables) -> int:
    """Return how many formulas make a target, exactly, at any size.

    >>> from crisps24 import GAMES
    >>> from crisps24.rows.counting import tables_of
    >>> count_of(143, tables_of(GAMES["crisps"]))
    48
    """
    integer = tables.integers.of(target)
    return 0 if integer is None else tails_of(tables, integer).total()
