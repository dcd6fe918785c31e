"""The forecast of a search of a hand: its pairs and its bytes, before it starts.

The measure is pairs of values that meet, as where rows are counted, and values that are kept. Of a
few numbers of the hand all that they make is known at little cost; what more of them make is taken
to go on growing so. Owns the estimate, and how many numbers are never too many.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb, inf, sqrt
from typing import NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch, has_inverses
from crisps24.hands.by_function import FUNCTION_WEIGHT, FunctionChart
from crisps24.hands.by_value import ValueChart
from crisps24.hands.chart import Chart
from crisps24.hands.goals import bounding_hand, root_hands
from crisps24.hands.shortest import ShortestForms, operator_weight
from crisps24.messages.message import message
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, obeys_result_rules
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import integer_dtype
from crisps24.rules.splits import sub_hand_closure
from crisps24.rules.work import MAX_TABLE_BYTES, Budget, pair_weight, too_many_bytes, too_many_pairs

# Of so many numbers all that they make is looked at; by value of some such sub-hands, from all over
# those that so many numbers of the hand have.
_SAMPLE, _SAMPLES, _SAMPLED = 5, 6, 10
# And of so many where an operator of one number closes each, and where they are a row in order
# without parentheses.
_CLOSED_SAMPLE, _ROW_SAMPLE = 3, 8
# What is kept of a value in bytes, of a whole number, a fraction and one of Python's own integers;
# and of a function.
_BYTES, _PAIRED_BYTES, _LONG_BYTES, _FUNCTION_BYTES = 40, 80, 120, 120
# For each target a sub-hand has so many values that lead to it, by all operators and sides.
_ASKED = 8
# What values take while they are made, before equal ones are one, as a part of that.
_MADE = 0.5
# What is told of a hand as a whole, in bytes: a value, as a whole number of Python's or a fraction;
# and a function with all its steps, whose numbers keep their order or do not.
_TOLD, _PAIRED_TOLD, _ORDERED_TOLD, _FUNCTION_TOLD = 100, 300, 120, 200
# A value with its form takes so many bytes; one that is told more, and as long as so many pairs.
_FORM_BYTES, _FORM_TOLD, _FORM = 120, 1400, 3000


def typical_hand(game: Game) -> Hand:
    """Return a hand of a game, its numbers from all over those that there are.

    >>> from crisps24 import GAMES
    >>> typical_hand(GAMES["krypto"])
    (1, 6, 11, 16, 21)
    """
    numbers, count = game.numbers, game.length
    if len(numbers) < count:
        return tuple(sorted((numbers * count)[:count]))
    return tuple(numbers[at * len(numbers) // count] for at in range(count))


class SearchTask(NamedTuple):
    """What is asked of a hand, as far as its work goes."""

    search: str
    """The key of the message that names the search, with the value `count`."""
    functions: bool = False
    """Whether functions are told apart, or values alone."""
    back: bool = False
    """Whether it is for some targets, from which one can go back."""
    forms: bool = False
    """Whether a form of each value is kept."""
    last: bool = False
    """Whether of what last steps make little is kept."""
    told: bool = False
    """Whether all that the hand makes as a whole is told."""


SOLVE = SearchTask("work.solve", functions=True, back=True)
REACH = SearchTask("work.reach")
REACH_TARGETS = SearchTask("work.targets", back=True)
LIST_VALUES = REACH._replace(told=True)
COUNT_SOLUTIONS = SearchTask("work.ways", functions=True, told=True)
LIST_FORMS = SearchTask("work.forms", forms=True, told=True)
# Of so many numbers at most, with operators that are no rational functions, and with some of one
# number.
_USUAL, _USUAL_CLOSED = 6, 4


def is_rational(game: Game) -> bool:
    """Return whether the solutions of a game can be told apart: as rational functions.

    >>> from crisps24 import GAMES
    >>> is_rational(GAMES["cards"]), is_rational(replace(GAMES["cards"], signed=True))
    (True, False)
    """
    return not game.signed and all(operator.rational for operator in game.row_operators)


def is_small(count: int, game: Game, in_order: bool) -> bool:
    """Return whether a hand of so many numbers is never too much work.

    >>> from crisps24 import GAMES
    >>> is_small(6, GAMES["cards"], False), is_small(7, GAMES["cards"], False)
    (True, False)
    """
    many = count > _USUAL or (count > _USUAL_CLOSED and _is_closed(game))
    if many and not is_rational(game):
        return False
    if game.parentheses or not in_order:
        return count <= (5 if (game.join or game.decimals) and not in_order else 6)
    return count <= (12 if not game.join else 10) - (
        game.fractions and not game.all_numbers and (1 if game.join else 2)
    )


def is_small_query(query: HandQuery) -> bool:
    """Return whether a query is never too much work."""
    return is_small(len(query.hand), query.game, query.in_order)


def _is_closed(game: Game) -> bool:
    return any(operator.arity == 1 for operator in _beyond_digits(game))


def _beyond_digits(game: Game) -> list[Operator]:
    """Return the operators that meet what hands make, and not its digits alone."""
    return [operator for operator in game.row_operators if not operator.joins]


def backward_search_for(
    query: HandQuery, targets: Collection[Exact], budget: Budget
) -> BackwardSearch | None:
    """Return what is of use for targets of a hand where that is less work to know than all is."""
    hand, game, in_order = query.numbers, query.rules, query.in_order
    if is_small_query(query) or not has_inverses(game):
        return None
    tops = dict.fromkeys(root_hands(hand, game, in_order), targets)
    return BackwardSearch(tops, game, in_order, budget=budget)


def budget_for(
    query: HandQuery, aim: SearchTask, *, targets: Collection[Exact] = (), times: int = 1
) -> Budget:
    """Return the budget of a query, asked so many times, for some targets (default: one).

    Raises ValueError, with what would fit, if a forecast says that it takes too much work.
    """
    game, in_order, work, count = query.game, query.in_order, query.work, len(query.hand)
    search = message(aim.search, count=count)
    if work is None:
        return Budget(search, memory=None)
    if is_small_query(query):
        return Budget(search)
    load = CostEstimate(query.numbers, game, aim, in_order, targets)
    pairs, kept = load.of(count)
    if times * pairs <= work and kept <= MAX_TABLE_BYTES:
        return Budget(search, work=work, expected=times * pairs)
    fits = count - 1
    while not is_small(fits, game, in_order) and not _fits(load.of(fits), work / times):
        fits -= 1
    if times * pairs > work:
        raise too_many_pairs(search, times * pairs, work, message("rules.count", count=fits))
    raise too_many_bytes(search, kept, message("rules.count", count=fits))


def plan_targets(
    query: HandQuery, targets: Collection[Exact]
) -> tuple[Budget, BackwardSearch | None]:
    """Return the budget of finding which targets a query makes, and what is of use for these.

    That is None if it is less work to find all values. Raises what `budget_for` raises.
    """
    aim = REACH
    if not is_small_query(query) and has_inverses(query.game):
        loads = [
            (CostEstimate(query.numbers, query.game, each, query.in_order, targets), each)
            for each in (REACH_TARGETS, REACH)
        ]
        costs = [(load.of(len(query.hand)), each) for load, each in loads]
        _, aim = min(costs, key=lambda cost: (not _fits(cost[0], query.work or inf), cost[0][0]))
    budget = budget_for(query, aim, targets=targets)
    return budget, backward_search_for(query, targets, budget) if aim.back else None


def _fits(load: tuple[float, float], work: float) -> bool:
    return load[0] <= work and load[1] <= MAX_TABLE_BYTES


class CostEstimate:
    """What hands of so many numbers of one hand take, as far as can be seen."""

    def __init__(
        self,
        hand: Hand,
        game: Game,
        aim: SearchTask,
        in_order: bool,
        targets: Collection[Exact] = (),
    ) -> None:
        """Look at a few numbers of the hand."""
        self._game = game
        # Each target has its own functions, but in a range most values lead to many targets.
        goals = max(len(targets), 1)
        self._targets = goals if aim.functions else sqrt(goals)
        self._to_zero = 0 in targets and obeys_result_rules(0, game)
        self._in_order = in_order
        apart = is_rational(game)
        self._forms = aim.forms
        self._back = aim.back and apart and has_inverses(game) and not aim.forms
        self._functions = aim.functions and apart and not (self._back or aim.forms)
        self._hand, self._last = hand, aim.last
        read = ShortestForms if self._forms else FunctionChart if self._functions else ValueChart
        some = _some_of(hand, game, in_order, read)
        self._sizes = [*_known_sizes(some, game, in_order, read)]
        long = integer_dtype(hand, game) is object
        self._signs = len(game.row_operators)
        self._weight = pair_weight(game.fractions, long) * self._signs
        self._weight *= FUNCTION_WEIGHT if self._functions else 1
        self._bytes = _PAIRED_BYTES if game.fractions else _BYTES
        self._bytes = _LONG_BYTES if long else self._bytes
        told = _PAIRED_TOLD if game.fractions or long else _TOLD
        if self._functions:
            self._bytes = _FUNCTION_BYTES
            told = _ORDERED_TOLD if in_order else _FUNCTION_TOLD
        self._form = _FORM * (self._forms and aim.told)
        if self._forms:
            self._bytes, told = _FORM_BYTES, _FORM_TOLD
            self._weight *= operator_weight(game)
        self._told = told * aim.told

    def of(self, count: int) -> tuple[float, float]:
        """Return the pairs that meet for so many numbers, and the bytes that are kept."""
        hands = _hands(self._hand[:count], self._in_order and self._game.all_numbers)
        known = max(count // 2, 1) if self._back else count - 1
        if self._back and self._to_zero:
            # Three numbers often make 0, and beside it all values of the others lead to 0.
            known = max(known, count - 3)
        pairs = sum(
            hands[size] * self._met(size, hands) for size in range(2, known + 1 + (not self._back))
        )
        whole = self._forms and not self._last
        kept = sum(hands[size] * self._size(size) for size in range(1, known + 1 + whole))
        for size in range(2, count + 1) if self._back else ():
            asked = self._targets * min(self._size(count - size + 1), self._size(size))
            met = sum(
                self._ways(size, small, hands) * self._size(small)
                for small in range(1, size // 2 + 1)
            )
            pairs += 4 * hands[size] * asked * met
            kept += _ASKED * hands[size] * asked
        if known > 1 and not (self._back or self._forms or self._functions):
            # What a sub-hand makes is told apart when all of it is there.
            kept += _MADE * self._met(known, hands) * self._signs
        told = self._size(count)
        if self._functions and not self._game.all_numbers:
            told = sum(hands[size] * self._size(size) for size in range(1, count + 1))
        return (
            pairs * self._weight + told * self._form,
            kept * self._bytes + told * self._told,
        )

    def _met(self, size: int, hands: Sequence[int]) -> float:
        """Return how many pairs meet to make all of a sub-hand."""
        return sum(
            self._ways(size, left, hands) * self._size(left) * self._size(size - left)
            for left in range(1, size)
        )

    def _ways(self, size: int, part: int, hands: Sequence[int]) -> int:
        """Return in how many ways a part is taken of a sub-hand, at most."""
        return 1 if self._in_order else min(comb(size, part), hands[part])

    def _size(self, count: int) -> float:
        """Return how much so many numbers make, on the average."""
        while len(self._sizes) < count:
            before, last = (self._sizes[at] / max(self._sizes[at - 1], 1) for at in (-2, -1))
            # The growth of values goes on growing, less and less; that of functions as it does.
            more = max(last - before, 0) / (1 if self._functions else 2)
            self._sizes.append(min(self._sizes[-1] * (last + more), 1e60))
        return self._sizes[count - 1]


def _some_of(hand: Hand, game: Game, in_order: bool, read: type[Chart]) -> tuple[Hand, ...]:
    """Return sub-hands of a few numbers, from all over a hand."""
    few = _ROW_SAMPLE if in_order and not game.parentheses else _SAMPLE
    few = _CLOSED_SAMPLE if _is_closed(game) else few
    hand = hand if in_order else tuple(sorted(hand))
    if len(hand) <= few:
        return (hand,)
    if in_order and (game.all_numbers or read is not ValueChart):
        spans = [hand[first : first + few] for first in range(len(hand) - few + 1)]
        return tuple(spans) if read is ValueChart else (spans[(len(spans) - 1) // 2],)
    if read is not ValueChart:
        return (_spread(hand, few),)
    every = list(dict.fromkeys(combinations(_spread(hand, min(len(hand), _SAMPLED)), few)))
    return tuple(every[:: -(-len(every) // _SAMPLES)])


def _spread(hand: Hand, count: int) -> Hand:
    """Return so many numbers from all over a hand."""
    return tuple(hand[at * (len(hand) - 1) // (count - 1)] for at in range(count))


@lru_cache(64)
def _known_sizes(
    some: tuple[Hand, ...], game: Game, in_order: bool, read: type[Chart]
) -> tuple[float, ...]:
    """Return how much numbers of some hands make, on the average, by how many they are."""
    found: list[list[int]] = [[] for _ in some[0]]
    if read is FunctionChart:
        # The chart of every sub-hand as a whole has all results of each.
        every = sub_hand_closure(some, in_order)
        chart = FunctionChart(every, replace(game, all_numbers=True), in_order, routes=False)
        chart.build(len(some[0]))
        for size, results in enumerate(chart.tables, 1):
            found[size - 1] = [len(results.nodes) // len(chart.hands_of_size(size))]
    else:
        values: ValueChart | ShortestForms
        if read is ValueChart:
            values = ValueChart(game, bounding_hand(some), in_order)
            values.add_hands(some)
        else:
            values = ShortestForms(game, some[0], in_order)
            values.forms_of(some[0])
        for hand, index in values.index_of.items():
            run = values.slice_of(index)
            found[len(hand) - 1].append(run.stop - run.start)
    return tuple(max(1.0, float(np.mean(each or [1]))) for each in found)


def _hands(hand: Hand, spans: bool) -> list[int]:
    """Return how many sub-hands there are of each size: spans, or any of its numbers.

    >>> _hands((1, 1, 2), False), _hands((1, 1, 2), True)
    ([1, 2, 2, 1], [1, 3, 2, 1])
    """
    if spans:
        return [1, *range(len(hand), 0, -1)]
    counts = [1] + [0] * len(hand)
    for times in Counter(hand).values():
        counts = [sum(counts[max(0, size - times) : size + 1]) for size in range(len(counts))]
    return counts
