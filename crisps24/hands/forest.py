"""The forest: all routes to the solutions that were found, and what they weigh.

Search first, weigh later. Where a chart knows the derivations in the normal form alone, the other
routes are what has a result of an operator's own level on its right: a - (b - c), a - (b + c). They
make no further function, so they are looked for from the solutions downwards, and only where they
make what leads to one. Then weights go up from the numbers dealt, as `by_value` has them. Owns this
walk down and up; what a step costs, `costs` says.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from crisps24.hands.asks import Asks, Likely
from crisps24.hands.by_function import ByFunction, Kept, Results
from crisps24.hands.chart import runs_from
from crisps24.hands.costs import size_bits, step_features, step_weights
from crisps24.hands.fingerprints import Elements
from crisps24.rules.ratios import Column, Floats, Ints, Ratios, grouped, joined


class Ways(NamedTuple):
    """Ways to results: to which, by which operators, from which places of the chart: columns."""

    results: Ints
    operators: Ints
    left: Ints
    right: Ints

    def before(self, other: "Ways") -> "Ways":
        """Return those of both."""
        return Ways(*map(np.concatenate, zip(self, other, strict=True)))


class Ends(NamedTuple):
    """The last steps of routes, what each answers, and what it makes: columns."""

    ways: Ways
    asks: Ints
    prints: Elements
    values: Column


class Forest:
    """All routes to what is kept of the results of a chart, each way with its weight."""

    def __init__(self, chart: ByFunction, kept: Sequence[Kept], asks: Asks) -> None:
        """Find them."""
        self._chart = chart
        self._asks = asks
        self._needed = np.zeros(len(chart.values), bool)
        self.ends = [self._ends(each) for each in kept if each.size > 1]
        for ends in self.ends:
            self._need(ends.ways)
        inner: list[Ways] = []
        for size in range(len(chart.sizes), 1, -1):
            inner.insert(0, self._inner(size))
            self._need(inner[0])
        self.ways = [*inner, *(ends.ways for ends in self.ends)]
        """The ways to all that is needed, smaller sub-hands first, and then the ends."""
        self.weights: list[Floats] = self._weigh(len(inner)) if self.ways else []
        """Those of each of the ways."""

    def _need(self, ways: Ways) -> None:
        self._needed[ways.left] = self._needed[ways.right] = True

    def _ends(self, kept: Kept) -> Ends:
        """Return all last steps to what is kept of a size."""
        chart, results = self._chart, kept.results
        which = np.asarray(kept.which, np.int64)
        ask_of = np.zeros(len(results.nodes), np.int64)
        ask_of[which] = kept.asks
        ways = _ways_to(results, which)
        ends = Ends(
            ways, ask_of[ways.results], results.prints[ways.results], results.values[ways.results]
        )
        if results.every or not len(which):
            return ends
        hands, wanted = chart.hands(kept.size), set(kept.asks)
        tops = {top for ask, (top, _) in enumerate(self._asks.pairs) if ask in wanted}
        places = np.array([place for place, hand in enumerate(hands) if hand in tops])
        made = chart.outside(kept.size, places, self._asks.among(hands).matches)
        # A sub-hand may answer others as well.
        asks = made.nodes // chart.count
        rows = np.isin(asks, kept.asks).nonzero()[0]
        more = (column[rows] for column in (asks, made.operators, made.left, made.right))
        return Ends(
            ways.before(Ways(*more)),
            np.concatenate((ends.asks, asks[rows])),
            np.concatenate((ends.prints, made.prints[rows])),
            joined([ends.values, made.values[rows]]),
        )

    def _inner(self, size: int) -> Ways:
        """Return all ways to what is needed of a size."""
        results = self._chart.sizes[size - 1]
        which = self._needed[results.at : results.at + len(results.nodes)].nonzero()[0]
        ways = _ways_to(results, which)
        if len(which) and not results.every:
            ways = ways.before(self._outside(size, results, which))
        return ways._replace(results=ways.results + results.at)

    def _outside(self, size: int, results: Results, which: Ints) -> Ways:
        """Return the ways outside the normal form to some results of a size."""
        nodes, prints = results.nodes[which], results.prints[which]
        hands = nodes // self._chart.count
        likely = Likely(results.values[which], hands)
        made = self._chart.outside(size, np.unique(hands), likely.matches)
        # What is looked for comes before what is made, and there is one of it.
        order, starts = grouped(
            np.concatenate((nodes, made.nodes)), np.concatenate((prints, made.prints))
        )
        first = order[starts].repeat(np.diff(starts, append=len(order)))
        at = ((order >= len(which)) & (first < len(which))).nonzero()[0]
        rows = order[at] - len(which)
        return Ways(which[first[at]], made.operators[rows], made.left[rows], made.right[rows])

    def _weigh(self, inner: int) -> list[Floats]:
        """Return the weights of all ways, of which so many sizes are inner ones."""
        weights = np.zeros(len(self._chart.values))
        weights[: len(self._chart.sizes[0].nodes)] = 1
        found = []
        for at, (ways, steps) in enumerate(zip(self.ways, self._steps(inner), strict=True)):
            each = weights[ways.left] * weights[ways.right] * steps
            found.append(each)
            if at >= inner or not len(each):
                continue
            first = int(ways.results.min())
            sums = np.bincount(ways.results - first, each)
            weights[first : first + len(sums)] = sums
        return found

    def _steps(self, inner: int) -> list[Floats]:
        """Return what every step weighs by itself, 0 where it goes below zero."""
        chart = self._chart
        results, operators, left, right = map(np.concatenate, zip(*self.ways, strict=True))
        last = sum(len(ways.left) for ways in self.ways[:inner])
        made = joined([chart.values[results[:last]], *(ends.values for ends in self.ends)])
        lefts, rights = chart.values[left], chart.values[right]
        flags = np.zeros(len(left), np.uint8)
        joins = np.zeros(len(left), bool)
        for code, operator in enumerate(chart.known):
            at = (operators == code).nonzero()[0]
            flags[at] = step_features(operator, lefts[at], rights[at], made[at])
            joins[at] = operator.joins
        steps = step_weights(flags)
        sizes = size_bits(_not_below_zero(made[:last]))
        steps[:last] *= np.exp2(-np.where(joins[:last], 0, sizes))
        steps *= np.where(chart.mirrored(operators, left), 0.5, 1)
        steps *= made >= 0
        return np.split(steps, np.cumsum([len(ways.left) for ways in self.ways])[:-1])


def weights_of(
    chart: ByFunction, kept: Sequence[Kept], asks: Asks, places: Sequence[int]
) -> list[dict[int, float]]:
    """Return for the puzzles at some places the weights of their solutions, by fingerprint.

    `kept` is what the chart keeps of what is asked. The weights add up to the share of tries that
    end so, as `by_value` has it. Solutions that are reached by results below zero alone are not
    among them.
    """
    wanted = {ask for place in places for _, ask in asks.asks_of(place)}
    kept = [_only(each, wanted) for each in kept]
    forest = Forest(chart, kept, asks)
    of_ask: dict[int, dict[int, float]] = {ask: {} for ask in wanted}
    for each in kept[:1] if kept[0].size == 1 else ():
        for row, ask in zip(each.which, each.asks, strict=True):
            of_ask[ask][int(each.results.prints[row])] = 1.0
    for ends, weights in zip(forest.ends, forest.weights[-len(forest.ends) :], strict=True):
        rows = zip(ends.asks.tolist(), ends.prints.tolist(), weights.tolist(), strict=True)
        for ask, fingerprint, weight in rows:
            of_ask[ask][fingerprint] = of_ask[ask].get(fingerprint, 0.0) + weight
    found: list[dict[int, float]] = []
    for place in places:
        summed: dict[int, float] = {}
        for top, ask in asks.asks_of(place):
            for fingerprint, weight in of_ask[ask].items():
                if weight:
                    more = weight * asks.tops[place][top]
                    summed[fingerprint] = summed.get(fingerprint, 0.0) + more
        found.append(summed)
    return found


def _only(kept: Kept, wanted: Collection[int]) -> Kept:
    """Return of what is kept that which answers one of some asks."""
    pairs = [pair for pair in zip(kept.which, kept.asks, strict=True) if pair[1] in wanted]
    return kept._replace(which=[one for one, _ in pairs], asks=[ask for _, ask in pairs])


def _ways_to(results: Results, which: Ints) -> Ways:
    """Return the derivations of some results, those outside the normal form as well."""
    counts = results.first[which + 1] - results.first[which]
    at = runs_from(results.first[which], counts)
    operators = results.operators[at]
    operators = np.where(operators < 0, ~operators, operators)
    return Ways(which.repeat(counts), operators, results.left[at], results.right[at])


def _not_below_zero(values: Column) -> Column:
    if isinstance(values, Ratios):
        return Ratios(np.maximum(values.numerators, 0), values.denominators)
    return np.maximum(values, 0)
