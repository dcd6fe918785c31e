"""Forecast of a hand search: how many pairs of values it computes, and how many bytes it keeps.

The search of a hand combines the results of its sub-hands in pairs. The forecast computes all
results of a few sub-hands of 3 to 8 numbers, which is cheap. It then extrapolates how the number of
results grows with the size of a sub-hand, and adds up the pairs of all partitions of all sub-hands;
the time of a pair and the bytes of a result depend on the kind of chart (see tests/benchmarks).
For seven cards, for instance, it computes the values of sub-hands of 1 to 5 cards; the growth from
4 to 5 cards gives those of 6 and 7.

A search that exceeds its limit is refused before it starts (RefusedError), with the hand size that
would fit. Hands of up to about six numbers (`is_small`) are never refused, and need no forecast.

A *backward search* undoes steps from the targets, to find which values of sub-hands can lead to
one. For 3 3 8 8 and the target 24, the value 1/3 of 3 3 8 can, since 8 / (1/3) = 24; nearly all
others cannot, and the forward search skips them. It pays for large hands and few targets.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch
from crisps24.hands.by_function import FUNCTION_WEIGHT, FunctionChart
from crisps24.hands.by_value import ValueChart
from crisps24.hands.chart import Chart
from crisps24.hands.goals import bounding_hand, root_hands
from crisps24.hands.rows import MIN_ROWS_TO_MERGE
from crisps24.hands.shortest import ShortestForms, has_unary_operator, relative_step_time
from crisps24.messages.message import message
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import BACKWARD_SEARCH, SOLUTIONS
from crisps24.rules.operators import obeys_result_rules
from crisps24.rules.partitions import sub_hand_closure
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import integer_dtype
from crisps24.rules.work import (
    MAX_FORECAST,
    MAX_TABLE_BYTES,
    Budget,
    pair_weight,
    too_many_bytes,
    too_many_pairs,
)

# Sub-hands of a hand that are sampled by value.
_SAMPLES = 6
# Bytes of a result in a table, and in the answer if that lists all results of the hand.
_BYTES = {
    "int": (40, 100),
    "fraction": (80, 300),
    "function": (120, 200),
    "function in order": (120, 120),
    "form": (120, 1400),
}
# Pairs of the forward search that take as long as a pair of the backward search.
_BACKWARD_WEIGHT = 4


class SearchTask(NamedTuple):
    """The properties of a search that its cost depends on."""

    message_key: str
    """The key of the message that names the search; the message takes the value `count`."""
    by_function: bool = False
    """Whether results are distinguished as functions of the numbers, not only by value."""
    has_targets: bool = False
    """Whether only some targets matter, so that a backward search can start from them."""
    with_forms: bool = False
    """Whether each value has a form."""
    filters_last_step: bool = False
    """Whether most results of the last step are discarded at once."""
    lists_results: bool = False
    """Whether the answer contains all results of the whole hand."""


SOLVE = SearchTask("work.solve", by_function=True, has_targets=True)
REACH = SearchTask("work.reach")
REACH_TARGETS = SearchTask("work.targets", has_targets=True)
LIST_VALUES = REACH._replace(lists_results=True)
COUNT_SOLUTIONS = SearchTask("work.ways", by_function=True, lists_results=True)
LIST_FORMS = SearchTask("work.forms", with_forms=True, lists_results=True)


def is_small(count: int, game: Game) -> bool:
    """Return whether hands of `count` numbers are always cheap to search."""
    if game.parentheses or not game.in_order:
        can_join_any_digits = (game.join or game.decimals) and not game.in_order
        most = 5 if can_join_any_digits else 6
    elif game.fractions and not game.all_numbers:
        # Numbers in order without parentheses have few formulas.
        most = 9 if game.join else 10
    else:
        most = 10 if game.join else 12
    if not SOLUTIONS.can_do(game):
        most = min(most, 4 if has_unary_operator(game) else 6)
    return count <= most


def is_small_query(query: HandQuery) -> bool:
    return is_small(len(query.hand), query.game)


def backward_search_for(
    query: HandQuery, targets: Collection[Exact], budget: Budget
) -> BackwardSearch | None:
    """Search backward from targets; None for a small hand, or if steps cannot be undone."""
    hand, game = query.numbers, query.effective_game
    if is_small_query(query) or not BACKWARD_SEARCH.can_do(game):
        return None
    roots = dict.fromkeys(root_hands(hand, game), targets)
    return BackwardSearch(roots, game, budget=budget)


def budget_for(
    query: HandQuery, task: SearchTask, *, targets: Collection[Exact] = (), times: int = 1
) -> Budget:
    """Return the limits of a search, if a forecast of its cost allows it.

    `targets` are those that matter to the task, if any; `times` such searches share the pairs.
    """
    work, count = query.work, len(query.hand)
    search = message(task.message_key, count=count)
    if work is None:
        return Budget(search, memory=None)
    if is_small_query(query):
        return Budget(search)
    forecast = Forecast(query, task, targets)
    cost = forecast.cost(count)
    if cost.fits(work / times):
        return Budget(search, work=work, expected=times * cost.pairs)
    shorter = count - 1
    while not is_small(shorter, query.game):
        if forecast.cost(shorter).fits(work / times):
            break
        shorter -= 1
    advice = message("rules.count", count=shorter)
    if times * cost.pairs > work:
        raise too_many_pairs(search, times * cost.pairs, work, advice)
    raise too_many_bytes(search, cost.size, advice)


def needs_of(query: HandQuery) -> str:
    """Return what the search of all values of a hand needs, as a sentence; "" for a small one."""
    if is_small_query(query):
        return ""
    pairs, size = Forecast(query, LIST_VALUES).cost(len(query.hand))
    return f"this search needs about {pairs:,.0f} pairs of values and {size / 1e9:.1f} GB"


def typical_hand(game: Game) -> Hand:
    """Return a hand of a game whose numbers are spread evenly over those of the game, ascending."""
    numbers, length = game.numbers, game.length
    if len(numbers) < length:
        return tuple(sorted((numbers * length)[:length]))
    return tuple(numbers[index * len(numbers) // length] for index in range(length))


def check_hands(game: Game, count: int, work: int | None, task: SearchTask = REACH) -> None:
    """Raise RefusedError if it takes too much work to find the values of `count` hands."""
    budget_for(HandQuery(typical_hand(game), game, work=work), task, times=count)


def pairs_per_hand(game: Game) -> float:
    """Return a forecast of the pairs of values of a typical hand of a game, also a small one."""
    query = HandQuery(typical_hand(game), game)
    return Forecast(query, REACH, ()).cost(game.length).pairs


def plan_targets(
    query: HandQuery, targets: Collection[Exact]
) -> tuple[Budget, BackwardSearch | None]:
    """Return the budget of the cheaper way to find targets: all values, or a backward search."""
    task = REACH
    if not is_small_query(query) and BACKWARD_SEARCH.can_do(query.game):

        def cost_key(task: SearchTask) -> tuple[bool, float]:
            cost = Forecast(query, task, targets).cost(len(query.hand))
            return not cost.fits(query.work or inf), cost.pairs

        task = min((REACH_TARGETS, REACH), key=cost_key)
    budget = budget_for(query, task, targets=targets)
    return budget, backward_search_for(query, targets, budget) if task.has_targets else None


class SearchCost(NamedTuple):
    pairs: float
    size: float
    """Bytes of tables and answer."""

    def fits(self, work: float) -> bool:
        return self.pairs <= work and self.size <= MAX_TABLE_BYTES


class _SubHands(NamedTuple):
    """The sub-hands of a hand: by size from 0, how many there are, and results of one of them."""

    counts: list[int]
    results: list[float]
    in_order: bool

    def partition_count(self, size: int, part_size: int) -> int:
        return 1 if self.in_order else min(comb(size, part_size), self.counts[part_size])

    def pairs(self, size: int) -> float:
        """Return the pairs of results of the parts of one sub-hand."""
        return sum(
            self.partition_count(size, left) * self.results[left] * self.results[size - left]
            for left in range(1, size)
        )

    def all_pairs(self, max_size: int) -> float:
        return sum(self.counts[size] * self.pairs(size) for size in range(2, max_size + 1))

    def all_results(self, max_size: int) -> float:
        return sum(self.counts[size] * self.results[size] for size in range(1, max_size + 1))


class Forecast:
    """Forecast of the cost of a search, for the first numbers of the hand of a query."""

    def __init__(self, query: HandQuery, task: SearchTask, targets: Collection[Exact] = ()) -> None:
        """Compute the results of sampled sub-hands of at most 8 numbers: up to about a second."""
        self._hand, self._task = query.numbers, task
        self._game = game = query.game
        rational = SOLUTIONS.can_do(game)
        self._backward = task.has_targets and rational and BACKWARD_SEARCH.can_do(game)
        self._functions = task.by_function and rational and not self._backward
        # Targets share no functions; nearby targets share most values on the way.
        target_count = max(len(targets), 1)
        self._targets = target_count if task.by_function else sqrt(target_count)
        self._to_zero = 0 in targets and obeys_result_rules(0, game)
        long = integer_dtype(self._hand, game) is object
        self._pair_weight = pair_weight(game.fractions, long) * len(game.row_operators)
        # Samples have the same kind of chart as the search.
        chart_class: Any = ValueChart
        kind = "fraction" if game.fractions or long else "int"
        if task.with_forms:
            chart_class, kind = ShortestForms, "form"
            self._pair_weight *= relative_step_time(game)
        elif self._functions:
            chart_class = FunctionChart
            kind = "function in order" if game.in_order else "function"
            self._pair_weight *= FUNCTION_WEIGHT
        self._result_bytes, self._listed_bytes = _BYTES[kind]
        samples = _sample_hands(self._hand, game, chart_class)
        # Mean number of results of a sub-hand, by its size from 0; it grows as needed.
        self._results = [0.0, *_mean_result_counts(samples, game, chart_class)]

    def cost(self, count: int) -> SearchCost:
        """Forecast the cost of a search of the first `count` numbers."""
        spans = self._game.in_order and self._game.all_numbers
        self._extend_results(count)
        counts = _sub_hand_counts(self._hand[:count], spans)
        sub_hands = _SubHands(counts, self._results, self._game.in_order)
        search = self._backward_work if self._backward else self._forward_work
        pairs, results = search(sub_hands, count)
        size = results * self._result_bytes
        if self._task.lists_results:
            # Functions of sub-hands are listed, too, if they count.
            lists_sub_hands = self._functions and not self._game.all_numbers
            listed = sub_hands.all_results(count) if lists_sub_hands else self._results[count]
            size += listed * self._listed_bytes
        return SearchCost(pairs * self._pair_weight, size)

    def _forward_work(self, sub_hands: _SubHands, count: int) -> tuple[float, float]:
        """Return the pairs of all sub-hands, and the results that are kept at a time."""
        keeps_hand = self._task.with_forms and not self._task.filters_last_step
        results = sub_hands.all_results(count if keeps_hand else count - 1)
        if count > 2 and not (self._task.with_forms or self._functions):
            # Integers of a sub-hand are merged whenever their number has doubled; fractions need
            # more memory for that.
            merged = 3 * sub_hands.results[count - 1] + MIN_ROWS_TO_MERGE
            pairs = sub_hands.pairs(count - 1)
            results += pairs if self._game.fractions else min(pairs, merged)
        return sub_hands.all_pairs(count), results

    def _backward_work(self, sub_hands: _SubHands, count: int) -> tuple[float, float]:
        """Return the pairs and kept results of two searches that meet at half of the numbers."""
        # Three numbers often make 0; any value of the other numbers times 0 makes 0, too.
        kept_size = max(count // 2, count - 3 if self._to_zero else 1)
        pairs, results = sub_hands.all_pairs(kept_size), sub_hands.all_results(kept_size)
        for size in range(2, count + 1):
            # Goals are values from which one step with a smaller part leads toward a target.
            goals = self._targets * min(self._results[count - size + 1], self._results[size])
            goals *= sub_hands.counts[size]
            results_of_parts = sum(
                sub_hands.partition_count(size, part) * self._results[part]
                for part in range(1, size // 2 + 1)
            )
            pairs += _BACKWARD_WEIGHT * goals * results_of_parts
            results += 2 * len(self._game.row_operators) * goals
        return pairs, results

    def _extend_results(self, size: int) -> None:
        """Extrapolate the mean numbers of results up to those of `size` numbers."""
        results = self._results
        while len(results) <= size:
            growth_before = results[-2] / max(results[-3], 1)
            growth = results[-1] / max(results[-2], 1)
            # The growth factor increases: for functions as before, for values half as fast.
            increase = max(growth - growth_before, 0) / (1 if self._functions else 2)
            results.append(min(results[-1] * (growth + increase), MAX_FORECAST))


def _sample_hands(hand: Hand, game: Game, chart_class: type[Chart]) -> tuple[Hand, ...]:
    """Return some parts of a hand as samples; charts of values are cheap and get several."""
    is_row = game.in_order and not game.parentheses
    size = 3 if has_unary_operator(game) else 8 if is_row else 5
    hand = hand if game.in_order else tuple(sorted(hand))
    if len(hand) <= size:
        return (hand,)
    is_cheap = chart_class is ValueChart
    if game.in_order and (game.all_numbers or not is_cheap):
        spans = [hand[start : start + size] for start in range(len(hand) - size + 1)]
        return tuple(spans) if is_cheap else (spans[(len(spans) - 1) // 2],)
    count = min(len(hand), 2 * size) if is_cheap else size
    # At equal distances, with both ends.
    numbers = (hand[index * (len(hand) - 1) // (count - 1)] for index in range(count))
    parts = list(dict.fromkeys(combinations(numbers, size)))
    return tuple(parts[:: -(-len(parts) // _SAMPLES)])


# A search asks for its forecast up to three times: each takes up to a second.
@lru_cache(64)
def _mean_result_counts(
    samples: tuple[Hand, ...], game: Game, chart_class: type[Chart]
) -> tuple[float, ...]:
    """Return how many results 1, 2, 3, ... numbers of samples of equal length have, on average."""
    counts_by_size: list[list[int]] = [[] for _ in samples[0]]
    if chart_class is FunctionChart:
        # With all sub-hands as roots, the chart has all results of each.
        sub_hands = sub_hand_closure(samples, game.in_order)
        chart = FunctionChart(sub_hands, replace(game, all_numbers=True), routes=False)
        chart.build(len(samples[0]))
        for size, table in enumerate(chart.tables, 1):
            counts_by_size[size - 1] = [len(table.nodes) // len(chart.hands_of_size(size))]
    else:
        values: ValueChart | ShortestForms
        if chart_class is ValueChart:
            values = ValueChart(game, bounding_hand(samples))
            values.add_hands(samples)
        else:
            values = ShortestForms(game, samples[0])
            values.forms_of(samples[0])
        for hand, index in values.index_of.items():
            rows = values.slice_of(index)
            counts_by_size[len(hand) - 1].append(rows.stop - rows.start)
    return tuple(max(1.0, float(np.mean(counts or [1]))) for counts in counts_by_size)


def _sub_hand_counts(hand: Hand, spans: bool) -> list[int]:
    """Return how many distinct sub-hands of 0, 1, 2, ... numbers a hand has, or how many spans."""
    if spans:
        return [1, *range(len(hand), 0, -1)]
    # Without any number, there is only the empty sub-hand.
    counts = [1] + [0] * len(hand)
    for copies in Counter(hand).values():
        # A number that the hand has several times adds 0 to `copies` numbers to a sub-hand.
        counts = [sum(counts[max(0, size - copies) : size + 1]) for size in range(len(counts))]
    return counts
