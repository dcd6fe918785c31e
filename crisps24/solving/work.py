"""Forecast of a hand search: how many pairs of values it computes, and how many bytes it keeps.

The search of a hand combines the values of its sub-hands in pairs. The forecast computes all values
of a few sub-hands of 3 to 8 numbers, which is cheap. It then extrapolates how the number of values
grows with the size of a sub-hand, and adds up the pairs of all partitions of all sub-hands. For
seven cards, for instance, it computes the values of sub-hands of 1 to 5 cards; the growth from 4 to
5 cards gives those of 6 and 7.

A search that exceeds its limit is refused before it starts, with the hand size that would fit.
Hands of up to about six numbers (`is_small`) are never refused, and need no forecast.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb, inf, sqrt
from typing import NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch, allows_backward_search
from crisps24.hands.by_function import FUNCTION_WEIGHT, FunctionChart
from crisps24.hands.by_value import ValueChart
from crisps24.hands.chart import Chart
from crisps24.hands.goals import bounding_hand, root_hands
from crisps24.hands.shortest import ShortestForms, relative_step_time
from crisps24.messages.message import message
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import obeys_result_rules
from crisps24.rules.partitions import sub_hand_closure
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import integer_dtype
from crisps24.rules.work import MAX_TABLE_BYTES, Budget, pair_weight, too_many_bytes, too_many_pairs

# Numbers of a sampled sub-hand: in general, in games with unary operators, and for numbers in order
# without parentheses.
_SAMPLE_SIZE = 5
_UNARY_SAMPLE_SIZE = 3
_ROW_SAMPLE_SIZE = 8
# Sub-hands that are sampled by value, and the numbers of the hand that they are taken from.
_MAX_SAMPLES = 6
_SAMPLED_NUMBERS = 10
# Bytes that a table keeps of a value (a 64-bit integer, a fraction, a Python integer), and of a
# function.
_INT_BYTES = 40
_FRACTION_BYTES = 80
_OBJECT_BYTES = 120
_FUNCTION_BYTES = 120
# Bytes of a result of the whole hand in the answer: an integer; a fraction or Python integer; a
# function of numbers in order; a function of numbers in any order.
_LISTED_INT_BYTES = 100
_LISTED_FRACTION_BYTES = 300
_LISTED_ORDERED_FUNCTION_BYTES = 120
_LISTED_FUNCTION_BYTES = 200
# Bytes of a value with its form, in a table and in the answer; and the time to build a form for the
# answer, in pairs.
_FORM_BYTES = 120
_LISTED_FORM_BYTES = 1400
_LISTED_FORM_PAIRS = 3000
# Goals of a sub-hand per goal and value of the other part, over all operators and both sides.
_GOALS_PER_VALUE = 8
# Pairs of the forward search that take as long as a pair of the backward search.
_BACKWARD_WEIGHT = 4
# Bytes of computed values before duplicates are merged, relative to those of the table.
_UNMERGED_SHARE = 0.5
# Numbers of a hand that is small in games whose solutions are not rational functions: in general,
# and with unary operators.
_MAX_SMALL_IRRATIONAL = 6
_MAX_SMALL_UNARY = 4


def typical_hand(game: Game) -> Hand:
    """Return a hand of a game whose numbers are spread evenly over those of the game, ascending.

    Args:
        game: Gives the numbers to choose from and the length of the hand. Numbers are repeated
            if the game has too few.

    >>> from crisps24 import GAMES
    >>> typical_hand(GAMES["krypto"])
    (1, 6, 11, 16, 21)
    """
    numbers, length = game.numbers, game.length
    if len(numbers) < length:
        return tuple(sorted((numbers * length)[:length]))
    return tuple(numbers[index * len(numbers) // length] for index in range(length))


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


def is_rational(game: Game) -> bool:
    """Return whether every formula of a game only combines numbers by + - x and :.

    Such a formula is a rational function; only for these can equal solutions be recognised. The
    result is False for games with powers, roots or factorials. It is also False if a formula can
    start with a minus sign, which the search does not support.

    >>> from crisps24 import GAMES
    >>> is_rational(GAMES["cards"]), is_rational(replace(GAMES["cards"], signed=True))
    (True, False)
    """
    return not game.signed and all(operator.rational for operator in game.row_operators)


def is_small(count: int, game: Game, in_order: bool) -> bool:
    """Return whether hands of `count` numbers are always cheap to search.

    The limit is 4 to 12 numbers: 6 in most games. Searches of small hands need no forecast, and
    ignore the limit on work.

    Args:
        count: How many numbers the hand has.
        game: The rules: operators, parentheses, fractions, joined digits.
        in_order: Whether the numbers keep their order.

    >>> from crisps24 import GAMES
    >>> is_small(6, GAMES["cards"], False), is_small(7, GAMES["cards"], False)
    (True, False)
    """
    # Most hands are below both limits: then the operators need no check.
    is_long = count > _MAX_SMALL_IRRATIONAL or (
        count > _MAX_SMALL_UNARY and _has_unary_operator(game)
    )
    if is_long and not is_rational(game):
        return False
    if game.parentheses or not in_order:
        can_join_any_digits = (game.join or game.decimals) and not in_order
        return count <= (5 if can_join_any_digits else 6)
    # Numbers in order without parentheses have few formulas.
    limit = 10 if game.join else 12
    if game.fractions and not game.all_numbers:
        limit -= 1 if game.join else 2
    return count <= limit


def is_small_query(query: HandQuery) -> bool:
    """Return whether a hand has so few numbers, usually up to 6, that any search is cheap."""
    return is_small(len(query.hand), query.game, query.in_order)


def _has_unary_operator(game: Game) -> bool:
    return any(operator.arity == 1 and not operator.joins for operator in game.row_operators)


def backward_search_for(
    query: HandQuery, targets: Collection[Exact], budget: Budget
) -> BackwardSearch | None:
    """Find which values of parts of a hand can lead to a target, by undoing steps from the targets.

    A forward search can then skip all other values. For 3 3 8 8 and the target 24, the value 1/3 of
    the part 3 3 8 can lead to it, since 8 / (1/3) = 24; nearly all other values of 3 3 8 cannot.

    Args:
        query: the hand with the rules of its game.
        targets: the values to make.
        budget: the limits of work and memory, from which this call takes what it uses.

    Returns:
        The finished search, or None if the forward search needs no help (a small hand), or if steps
        cannot be undone: in a game without parentheses or with an operator without an inverse.

    Raises:
        RefusedError: If the search takes more work or memory than allowed.
    """
    hand, game, in_order = query.numbers, query.effective_game, query.in_order
    if is_small_query(query) or not allows_backward_search(game):
        return None
    roots = dict.fromkeys(root_hands(hand, game, in_order), targets)
    return BackwardSearch(roots, game, in_order, budget=budget)


def budget_for(
    query: HandQuery, task: SearchTask, *, targets: Collection[Exact] = (), times: int = 1
) -> Budget:
    """Return the limits of a search on pairs and bytes, if a forecast of its cost allows it.

    A pair is two results that the search combines, such as 4 and 6. A forecast takes milliseconds
    to about a second; small hands need none.

    Args:
        query: The hand, and the limit on pairs (`query.work`; None: no limit, no forecast).
        task: The kind of search.
        targets: The targets that matter, if the task has targets (default: one target).
        times: How many searches of this size share the limit on pairs.

    Raises:
        RefusedError: If the forecast exceeds the limit on pairs or on memory; the message says how
            many numbers would fit.
    """
    game, in_order, work, count = query.game, query.in_order, query.work, len(query.hand)
    search = message(task.message_key, count=count)
    if work is None:
        return Budget(search, memory=None)
    if is_small_query(query):
        return Budget(search)
    estimate = CostEstimate(query.numbers, game, task, in_order, targets)
    pairs, size = estimate.pairs_and_bytes(count)
    if times * pairs <= work and size <= MAX_TABLE_BYTES:
        return Budget(search, work=work, expected=times * pairs)
    # The search is refused. Find how many numbers a hand can have within the limits.
    max_count = count - 1
    while not is_small(max_count, game, in_order) and not _is_within_limits(
        estimate.pairs_and_bytes(max_count), work / times
    ):
        max_count -= 1
    advice = message("rules.count", count=max_count)
    if times * pairs > work:
        raise too_many_pairs(search, times * pairs, work, advice)
    raise too_many_bytes(search, size, advice)


def plan_targets(
    query: HandQuery, targets: Collection[Exact]
) -> tuple[Budget, BackwardSearch | None]:
    """Choose the cheaper of two ways to find which targets a hand makes.

    One way computes all values of the hand. The other way starts with a backward search: from the
    target 24 and a 4 of the hand, it finds that the other numbers must make 6, 20, 28 or 96.

    Returns:
        (budget, search): the limits of the search on pairs and bytes; and the backward search,
            which is done in this call, or None for the first way.

    Raises:
        RefusedError: If the cheaper way exceeds the limit on pairs or on memory.
    """
    task = REACH
    if not is_small_query(query) and allows_backward_search(query.game):
        work = query.work or inf

        def cost_key(task: SearchTask) -> tuple[bool, float]:
            estimate = CostEstimate(query.numbers, query.game, task, query.in_order, targets)
            pairs, size = estimate.pairs_and_bytes(len(query.hand))
            # A search within the limits comes first, then the search with fewer pairs.
            return not _is_within_limits((pairs, size), work), pairs

        task = min((REACH_TARGETS, REACH), key=cost_key)
    budget = budget_for(query, task, targets=targets)
    return budget, backward_search_for(query, targets, budget) if task.has_targets else None


def _is_within_limits(pairs_and_bytes: tuple[float, float], work: float) -> bool:
    pairs, size = pairs_and_bytes
    return pairs <= work and size <= MAX_TABLE_BYTES


class CostEstimate:
    """Estimate of the pairs and bytes of a search, for the first numbers of one hand."""

    def __init__(
        self,
        hand: Hand,
        game: Game,
        task: SearchTask,
        in_order: bool,
        targets: Collection[Exact] = (),
    ) -> None:
        """Compute the results of sampled sub-hands of at most 8 numbers: up to about a second.

        Args:
            hand: The numbers, sorted unless they keep their order.
            game: The rules.
            task: The kind of search.
            in_order: Whether the numbers keep their order.
            targets: The targets that matter, if the task has targets (default: one target).
        """
        self._game = game
        # Targets share no functions; nearby targets share most values on the way.
        target_count = max(len(targets), 1)
        self._targets = target_count if task.by_function else sqrt(target_count)
        self._to_zero = 0 in targets and obeys_result_rules(0, game)
        self._in_order = in_order
        rational = is_rational(game)
        self._forms = task.with_forms
        self._backward = (
            task.has_targets and rational and allows_backward_search(game) and not task.with_forms
        )
        self._functions = task.by_function and rational and not (self._backward or task.with_forms)
        self._hand = hand
        self._filters_last_step = task.filters_last_step
        # Sample some sub-hands with the same kind of chart, the table of results, as the search.
        chart_class = (
            ShortestForms if self._forms else FunctionChart if self._functions else ValueChart
        )
        samples = _sample_hands(hand, game, in_order, chart_class)
        # Mean number of results of a sub-hand, by its size from 1.
        self._result_counts = [*_mean_result_counts(samples, game, in_order, chart_class)]
        # The time of a pair and the bytes of a result depend on the kind of search.
        long = integer_dtype(hand, game) is object
        self._operator_count = len(game.row_operators)
        self._pair_weight = pair_weight(game.fractions, long) * self._operator_count
        self._pair_weight *= FUNCTION_WEIGHT if self._functions else 1
        self._result_bytes = _FRACTION_BYTES if game.fractions else _INT_BYTES
        self._result_bytes = _OBJECT_BYTES if long else self._result_bytes
        # Each result that is listed in the answer needs further bytes.
        listed_bytes = _LISTED_FRACTION_BYTES if game.fractions or long else _LISTED_INT_BYTES
        if self._functions:
            self._result_bytes = _FUNCTION_BYTES
            listed_bytes = _LISTED_ORDERED_FUNCTION_BYTES if in_order else _LISTED_FUNCTION_BYTES
        self._listed_form_pairs = _LISTED_FORM_PAIRS * (self._forms and task.lists_results)
        if self._forms:
            self._result_bytes, listed_bytes = _FORM_BYTES, _LISTED_FORM_BYTES
            self._pair_weight *= relative_step_time(game)
        self._listed_bytes = listed_bytes * task.lists_results

    def pairs_and_bytes(self, count: int) -> tuple[float, float]:
        """Estimate the cost of a search for the first `count` numbers of the hand.

        Return (pairs, bytes): how many pairs of results the search combines, and the size of its
        tables. A sub-hand is a selection of numbers of the hand. The results of a sub-hand are
        combined from those of its two parts, pair by pair. A pair counts more if it is slow, and
        once for each operator. For 1 to 7 in the game "cards", listing all values takes about 118
        million pairs and 171 MB.
        """
        spans_only = self._in_order and self._game.all_numbers
        # How many distinct sub-hands there are of 0, 1, 2, ... numbers.
        hand_counts = _sub_hand_counts(self._hand[:count], spans_only)
        # A search keeps all results of sub-hands of up to this number of numbers.
        max_kept_size = max(count // 2, 1) if self._backward else count - 1
        if self._backward and self._to_zero:
            # Three numbers often make 0; any value of the other numbers times 0 makes 0, too.
            max_kept_size = max(max_kept_size, count - 3)
        # A forward search also computes the results of the whole hand.
        max_computed_size = max_kept_size if self._backward else count
        pairs = sum(
            hand_counts[size] * self._pairs_of_hand(size, hand_counts)
            for size in range(2, max_computed_size + 1)
        )
        keeps_last_step = self._forms and not self._filters_last_step
        max_stored_size = max_kept_size + 1 if keeps_last_step else max_kept_size
        results = sum(
            hand_counts[size] * self._result_count(size) for size in range(1, max_stored_size + 1)
        )
        # The goals of a sub-hand are the values from which one step leads toward a target. A
        # backward search combines them with the results of the smaller part of the sub-hand.
        for size in range(2, count + 1) if self._backward else ():
            goals = self._targets * min(
                self._result_count(count - size + 1), self._result_count(size)
            )
            results_of_parts = sum(
                self._partition_count(size, part_size, hand_counts) * self._result_count(part_size)
                for part_size in range(1, size // 2 + 1)
            )
            pairs += _BACKWARD_WEIGHT * hand_counts[size] * goals * results_of_parts
            results += _GOALS_PER_VALUE * hand_counts[size] * goals
        only_values = not (self._backward or self._forms or self._functions)
        if max_kept_size > 1 and only_values:
            # Duplicates are merged only after all values of a sub-hand are computed.
            unmerged = self._pairs_of_hand(max_kept_size, hand_counts) * self._operator_count
            results += _UNMERGED_SHARE * unmerged
        # Results of the answer: those of the whole hand, and of its sub-hands if they count, too.
        listed = self._result_count(count)
        if self._functions and not self._game.all_numbers:
            listed = sum(
                hand_counts[size] * self._result_count(size) for size in range(1, count + 1)
            )
        return (
            pairs * self._pair_weight + listed * self._listed_form_pairs,
            results * self._result_bytes + listed * self._listed_bytes,
        )

    def _pairs_of_hand(self, size: int, hand_counts: Sequence[int]) -> float:
        """Estimate how many pairs of results are combined to make all results of one sub-hand.

        A sub-hand is divided into a left and a right part in every way: 4 numbers into 1 and 3, 2
        and 2, or 3 and 1 numbers. Each result of the left part is combined with each of the right.

        Args:
            size: How many numbers the sub-hand has.
            hand_counts: How many distinct sub-hands of 0, 1, 2, ... numbers the hand has.
        """
        return sum(
            self._partition_count(size, left_size, hand_counts)
            * self._result_count(left_size)
            * self._result_count(size - left_size)
            for left_size in range(1, size)
        )

    def _partition_count(self, size: int, part_size: int, hand_counts: Sequence[int]) -> int:
        """Return in how many ways `part_size` numbers can be taken from a sub-hand of `size`.

        The result is an upper limit. For 2 of 4 numbers it is 6, or 1 if the numbers keep their
        order. `hand_counts` has how many distinct sub-hands of 0, 1, 2, ... numbers the hand has.
        """
        return 1 if self._in_order else min(comb(size, part_size), hand_counts[part_size])

    def _result_count(self, size: int) -> float:
        """Estimate how many results a sub-hand of `size` numbers has on average, at most 1e60.

        Small sizes were sampled. Others are extrapolated: if sub-hands of 3, 4 and 5 numbers have
        51, 487 and 4,425 results, the growth factors are 9.5 and 9.1. The factor never shrinks, so
        6 numbers get 4,425 times 9.1, about 40,200 results.
        """
        # The counts by size, from 1 number; the list grows up to the requested size.
        counts = self._result_counts
        while len(counts) < size:
            growth_before = counts[-2] / max(counts[-3], 1)
            growth = counts[-1] / max(counts[-2], 1)
            # The growth factor increases: for functions as before, for values half as fast.
            increase = max(growth - growth_before, 0) / (1 if self._functions else 2)
            counts.append(min(counts[-1] * (growth + increase), 1e60))
        return counts[size - 1]


def _sample_hands(
    hand: Hand, game: Game, in_order: bool, chart_class: type[Chart]
) -> tuple[Hand, ...]:
    """Choose some parts of a hand as samples, to forecast the cost of a search of the whole hand.

    Each sample has 5 numbers of the hand; 3 if the game has operators such as √ and !; or 8 if the
    numbers keep their order and the game has no parentheses. A hand that is not longer is its own
    only sample. For 1 2 3 4 5 6 7, the samples can be 1 2 3 4 5, 1 2 3 5 7 and so on.

    Args:
        hand: The numbers.
        game: The rules.
        in_order: Whether the numbers keep their order; then a part has neighbouring numbers.
        chart_class: The kind of search. A `ValueChart` is cheap, so it gets up to 6 samples, or all
            parts if the numbers keep their order and are all used. Other charts get one sample.
    """
    size = _SAMPLE_SIZE
    if _has_unary_operator(game):
        size = _UNARY_SAMPLE_SIZE
    elif in_order and not game.parentheses:
        size = _ROW_SAMPLE_SIZE
    hand = hand if in_order else tuple(sorted(hand))
    if len(hand) <= size:
        return (hand,)
    is_cheap = chart_class is ValueChart
    if in_order and (game.all_numbers or not is_cheap):
        spans = [hand[start : start + size] for start in range(len(hand) - size + 1)]
        middle_span = spans[(len(spans) - 1) // 2]
        return tuple(spans) if is_cheap else (middle_span,)
    if not is_cheap:
        return (_spread(hand, size),)
    numbers = _spread(hand, min(len(hand), _SAMPLED_NUMBERS))
    # Selections with the same numbers count once.
    selections = list(dict.fromkeys(combinations(numbers, size)))
    # Take every n-th selection, so that at most `_MAX_SAMPLES` are taken.
    step = -(-len(selections) // _MAX_SAMPLES)
    return tuple(selections[::step])


def _spread(hand: Hand, count: int) -> Hand:
    """Return `count` numbers at equal distances in a hand, with both ends; `count` is above 1.

    >>> _spread((1, 2, 3, 4, 5, 6, 7), 3)
    (1, 4, 7)
    """
    return tuple(hand[index * (len(hand) - 1) // (count - 1)] for index in range(count))


@lru_cache(64)
def _mean_result_counts(
    samples: tuple[Hand, ...], game: Game, in_order: bool, chart_class: type[Chart]
) -> tuple[float, ...]:
    """Count how many results 1, 2, 3, ... numbers of a sample have, on average.

    The samples are searched in this call, without a limit; the answers are cached. Each mean is at
    least 1. Each of the numbers 2 and 3 has one result, itself, and both together make 6 values:
    -1, 2/3, 1, 3/2, 5 and 6.

    Args:
        samples: Hands of equal length.
        game: The rules.
        in_order: Whether the numbers keep their order.
        chart_class: The kind of search, which decides which results are different.

    >>> from crisps24 import GAMES
    >>> _mean_result_counts(((2, 3),), GAMES["cards"], False, ValueChart)
    (1.0, 6.0)
    """
    # The counts of all sub-hands, in a list for each size.
    counts_by_size: list[list[int]] = [[] for _ in samples[0]]
    if chart_class is FunctionChart:
        # With all sub-hands as roots, the chart has all results of each.
        sub_hands = sub_hand_closure(samples, in_order)
        chart = FunctionChart(sub_hands, replace(game, all_numbers=True), in_order, routes=False)
        chart.build(len(samples[0]))
        for size, table in enumerate(chart.tables, 1):
            counts_by_size[size - 1] = [len(table.nodes) // len(chart.hands_of_size(size))]
    else:
        values: ValueChart | ShortestForms
        if chart_class is ValueChart:
            values = ValueChart(game, bounding_hand(samples), in_order)
            values.add_hands(samples)
        else:
            values = ShortestForms(game, samples[0], in_order)
            values.forms_of(samples[0])
        for hand, index in values.index_of.items():
            rows = values.slice_of(index)
            counts_by_size[len(hand) - 1].append(rows.stop - rows.start)
    return tuple(max(1.0, float(np.mean(counts or [1]))) for counts in counts_by_size)


def _sub_hand_counts(hand: Hand, spans: bool) -> list[int]:
    """Return how many sub-hands of 0, 1, 2, ... numbers a hand has.

    A sub-hand is a selection of numbers of the hand; equal selections count once. With `spans`,
    only numbers that follow each other are a sub-hand, and equal sub-hands count separately.

    >>> _sub_hand_counts((1, 1, 2), False), _sub_hand_counts((1, 1, 2), True)
    ([1, 2, 2, 1], [1, 3, 2, 1])
    """
    if spans:
        return [1, *range(len(hand), 0, -1)]
    # Without any number, there is only the empty sub-hand.
    counts = [1] + [0] * len(hand)
    for copies in Counter(hand).values():
        # A number that the hand has several times adds 0 to `copies` numbers to a sub-hand.
        counts = [sum(counts[max(0, size - copies) : size + 1]) for size in range(len(counts))]
    return counts
