"""Goals: the targets of sub-hands, and filters that select values for them.

A puzzle is a hand and a target. If a game does not require all numbers, a solution can use any
sub-hand, called a *root*, and a puzzle has a goal (root, target) for each: 3 3 for 6 in
Countdown has the goals ((3,), 6) and ((3, 3), 6). A `GoalSet` numbers the distinct goals of many
puzzles from 0.

Values come in columns, each with the index of its sub-hand. Two filters select their rows:

- `GoalSet.selector_for` is exact. It selects the values that are the target of a goal.
- `one_step_filter` is for sub-hands of n - 1 numbers. It keeps the values that are one operation
  with the last number away from the target: to make 24 with a 4 in natural numbers, only 6, 20,
  28 and 96. It is a Bloom filter with one hash, which also selects at most one in 16 others
  (more if it has over two million values). Countdown takes 1.6 times as long without it.

Both take time proportional to the number of values.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, zip_longest
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.rows import join
from crisps24.rules.exact import Exact, size_of
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.partitions import partitions
from crisps24.rules.ratios import (
    Column,
    Ints,
    float_bits,
    integer_bound,
    integer_dtype,
    make_column,
)
from crisps24.rules.widths import int_range, repeat_rows

# Size of sub-hands from which a filter of their values pays.
_MIN_FILTERED_SIZE = 4
# A Bloom filter has 2 to this power flags for each value, rounded up.
_BITS_PER_VALUE = 4
# Least and greatest logarithm (base 2) of the number of flags of a Bloom filter.
_MIN_FLAG_BITS, _MAX_FLAG_BITS = 14, 25


class Goal(NamedTuple):
    """A hand, sorted unless its order is fixed, and a target for it."""

    hand: Hand
    target: Exact


class Selection(NamedTuple):
    """Selected rows of a column of values, and the number of a goal for each: columns."""

    rows: Ints
    goals: Ints


# From values and the indices of their sub-hands to the rows to keep.
Selector = Callable[[Column, Ints], Selection]


class GoalSet:
    """The distinct goals of some puzzles of one game, numbered from 0.

    Goals whose target is larger than anything that the numbers can make are left out.
    """

    def __init__(self, puzzles: Sequence[Goal], game: Game) -> None:
        self.puzzles = puzzles
        self.game = game
        self._largest_hand = bounding_hand(puzzle.hand for puzzle in puzzles)
        self._bound = integer_bound(self._largest_hand, game)
        self.roots: list[dict[Hand, float]] = []
        """For each puzzle, the sub-hands that a solution can use; see `root_hands`."""
        self._numbers: dict[Goal, int] = {}
        roots_of: dict[Hand, dict[Hand, float]] = {}
        for hand, target in puzzles:
            if hand not in roots_of:
                roots_of[hand] = root_hands(hand, game)
            self.roots.append(roots_of[hand])
            if self._is_in_bounds(target):
                for root in roots_of[hand]:
                    self._numbers.setdefault(Goal(root, target), len(self._numbers))

    def _is_in_bounds(self, target: Exact) -> bool:
        if not (self.game.fractions or isinstance(target, int)):
            return False
        largest = max(target.denominator, abs(target.numerator))
        return self._bound is None or largest <= self._bound

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Goal]:
        return iter(self._numbers)

    def goals_of(self, puzzle: int) -> list[tuple[Hand, int]]:
        """Return the goals of a puzzle as (sub-hand, number), smaller sub-hands first."""
        target = self.puzzles[puzzle].target
        pairs = [(root, self._numbers.get(Goal(root, target))) for root in self.roots[puzzle]]
        return [(root, number) for root, number in pairs if number is not None]

    def selector_for(self, hands: Sequence[Hand]) -> "Selector":
        """Return an exact filter of the values of some distinct sub-hands, given by index."""
        # A whole column of values is compared with one target for each sub-hand. So the first goals
        # of all sub-hands are a layer, {index of sub-hand: (target, goal number)}, then the second.
        index_of = {hand: index for index, hand in enumerate(hands)}
        layers: list[dict[int, tuple[Exact, int]]] = []
        goal_counts = Counter[int]()
        for (goal_hand, target), goal_number in self._numbers.items():
            if goal_hand in index_of:
                index = index_of[goal_hand]
                if goal_counts[index] == len(layers):
                    layers.append({})
                layers[goal_counts[index]][index] = (target, goal_number)
                goal_counts[index] += 1
        selectors = [self._layer_selector(layer, len(hands)) for layer in layers]
        if len(selectors) == 1:
            return selectors[0]
        no_rows = Selection(np.zeros(0, np.int64), np.zeros(0, np.int64))

        def select_all(values: Column, hand_indices: Ints) -> Selection:
            return join([no_rows, *(select(values, hand_indices) for select in selectors)])

        return select_all

    def _layer_selector(self, goals: dict[int, tuple[Exact, int]], hand_count: int) -> "Selector":
        """Return a filter for at most one goal of each sub-hand, from the index of a sub-hand."""
        goal_numbers = np.full(hand_count, -1, np.int64)
        goal_numbers[list(goals)] = [number for _, number in goals.values()]
        target, *others = {target for target, _ in goals.values()}
        # A sub-hand without a goal gets the target 0, which its goal number -1 cancels.
        all_targets = [goals[index][0] if index in goals else 0 for index in range(hand_count)]
        dtype = integer_dtype(self._largest_hand, self.game)
        targets = make_column(all_targets, self.game.fractions, dtype) if others else None

        def select(values: Column, hand_indices: Ints) -> Selection:
            own_targets: Any = target if targets is None else targets[hand_indices]
            rows = np.asarray(values == own_targets).nonzero()[0]
            numbers = goal_numbers[hand_indices[rows]]
            has_goal = numbers >= 0
            return Selection(rows[has_goal], numbers[has_goal])

        return select


def bounding_hand(hands: Iterable[Hand]) -> Hand:
    """Return (9, 4, 3) for (1, 9) and (3, 4, 5): its numbers are at least as large as theirs."""
    descending_hands = (sorted(map(size_of, hand), reverse=True) for hand in hands)
    return tuple(map(max, zip_longest(*descending_hands, fillvalue=0)))


# All hands of cards take 16 % longer without this cache.
@lru_cache(1 << 12)
def root_hands(hand: Hand, game: Game) -> dict[Hand, float]:
    """Return the sub-hands that a solution can use, smaller ones first, each with a factor.

    >>> from crisps24 import GAMES
    >>> root_hands((3, 3), GAMES["cards"]), root_hands((3, 3), GAMES["countdown"])
    ({(3, 3): 1.0}, {(3,): 2.0, (3, 3): 1.0})

    The factor turns the weight of a root, a sum over the distinct orders of its n cards, into a
    share, a mean over all n! orders for each way to choose the cards. So it is the number of ways,
    times k! / n! if a number occurs k times; in order it is the number of ways.
    """
    sizes = [len(hand)] if game.all_numbers else range(1, len(hand) + 1)
    factors: dict[Hand, float] = {}
    for size in sizes:
        ways_to_choose = Counter(combinations(hand, size))
        for root, ways in sorted(ways_to_choose.items()):
            if game.in_order:
                factors[root] = float(ways)
            else:
                repeats = prod(factorial(root.count(number)) for number in set(root))
                factors[root] = float(ways * repeats / factorial(size))
    return factors


def values_one_step_from(target: Exact, number: Exact, game: Game) -> set[int] | None:
    """Return whole numbers, 0 or more, one operation from a target; None if any value might do."""
    operators = game.row_operators
    if number == 0 or not all(operator.inverse for operator in operators):
        return None
    # Each value is that of an operator or its inverse, in one of both orders: 6 x 4 = 24 by 24 : 4.
    operands = Fraction(target), Fraction(number)
    names = {name for operator in operators for name in (operator.name, operator.inverse)}
    values: set[Fraction] = set()
    for operator in map(OPERATORS.__getitem__, names):
        for left, right in (operands, operands[::-1]):
            if right or not operator.divides:
                values.add(operator.arithmetic(left, right))
    return {int(value) for value in values if value >= 0 and value.denominator == 1}


class BloomFilter:
    """A set of (value, sub-hand) pairs, with 16 to 32 flags for each, but at most 32 MB.

    If a column has integers beyond 2^53, all its rows are selected.
    """

    def __init__(self, values: Column, hands: Ints) -> None:
        bit_patterns = float_bits(values)
        flag_bits = len(values).bit_length() + _BITS_PER_VALUE
        flag_bits = min(max(flag_bits, _MIN_FLAG_BITS), _MAX_FLAG_BITS)
        # The highest bits of a 64-bit hash are the index of its flag.
        self._shift = np.uint64(64 - flag_bits)
        self._flags = None
        if bit_patterns is not None:
            self._flags = np.zeros(1 << flag_bits, bool)
            self._flags[self._flag_of(bit_patterns, hands)] = True

    def _flag_of(self, bit_patterns: Ints, hands: Ints) -> Ints:
        flag_indices: Ints = hash_column(bit_patterns ^ hash_column(hands)) >> self._shift
        return flag_indices

    def rows(self, values: Column, hand_indices: Ints) -> Ints:
        """Return the rows of the values that are likely in the set, ascending."""
        bit_patterns = float_bits(values)
        if bit_patterns is None or self._flags is None:
            return int_range(len(hand_indices))
        return np.flatnonzero(self._flags[self._flag_of(bit_patterns, hand_indices)])

    def select(self, values: Column, hands: Ints) -> Selection:
        rows = self.rows(values, hands)
        return Selection(rows, hands[rows])


def hash_column(column: Ints) -> Ints:
    """Return a 64-bit hash of each integer (Fibonacci hashing, then a shift)."""
    hashes: Ints = column.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes ^= hashes >> np.uint64(29)
    return hashes


def one_step_filter(goals: GoalSet, size: int, hands: Sequence[Hand]) -> Selector | None:
    """Return a filter of the values that are one step from a target; None if it does not pay."""
    game = goals.game
    if game.fractions or size < _MIN_FILTERED_SIZE:
        return None
    values_of: dict[Hand, set[int]] = {hand: set() for hand in hands}
    for root, target in goals:
        if len(root) <= size:
            continue
        splits = partitions(root, game.in_order)
        # Without order, these pairs have both orders already.
        reversed_splits = [(right, left) for left, right in splits if game.in_order]
        for part, rest in splits + reversed_splits:
            if len(rest) == 1:
                values = values_one_step_from(target, rest[0], game)
                if values is None:
                    return None
                values_of[part] |= values
    value_counts = np.array([len(values) for values in values_of.values()], np.int64)
    all_values = [value for values in values_of.values() for value in sorted(values)]
    hand_indices = repeat_rows(int_range(len(value_counts)), value_counts)
    return BloomFilter(np.array(all_values, np.int64), hand_indices).select
