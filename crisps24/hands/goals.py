"""Goals: the targets of sub-hands, and filters that select values for them.

A puzzle is a hand and a target. If a game does not require all numbers, a solution can use any
sub-hand, called a *root*, and a puzzle has a goal (root, target) for each: 3 3 for 6 in
Countdown has the goals ((3,), 6) and ((3, 3), 6). A `GoalSet` numbers the distinct goals of many
puzzles from 0.

Values come in columns, each with the index of its sub-hand. Two filters select their rows:

- `GoalQuery` is exact. It selects the values that are the target of a goal.
- `one_step_filter` is for sub-hands of n - 1 numbers. It keeps the values that are one operation
  with the last number away from the target: to make 24 with a 4 in natural numbers, only 6, 20,
  28 and 96. It is a Bloom filter with one hash, which also selects at most one in 16 others
  (more if it has over two million values).

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

from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.partitions import partitions
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    float_bits,
    integer_bound,
    integer_dtype,
    make_column,
)

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
    With `in_order` the numbers of each hand keep their order; otherwise hands are sorted.

    >>> from crisps24 import GAMES
    >>> goals = GoalSet([Goal((3, 3), 6), Goal((3,), 6)], GAMES["countdown"])
    >>> [tuple(goal) for goal in goals], goals.goals_of(1)
    ([((3,), 6), ((3, 3), 6)], [((3,), 0)])
    """

    def __init__(self, puzzles: Sequence[Goal], game: Game, in_order: bool = False) -> None:
        self.puzzles = puzzles
        self.game = game
        self.in_order = in_order
        self._largest_hand = bounding_hand(puzzle.hand for puzzle in puzzles)
        self._bound = integer_bound(self._largest_hand, game)
        self.roots: list[dict[Hand, float]] = []
        """For each puzzle, the sub-hands that a solution can use; see `root_hands`."""
        self._numbers: dict[Goal, int] = {}
        roots_of: dict[Hand, dict[Hand, float]] = {}
        for hand, target in puzzles:
            if hand not in roots_of:
                roots_of[hand] = root_hands(hand, game, in_order)
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
        """Iterate over the goals by number."""
        return iter(self._numbers)

    def goals_of(self, puzzle: int) -> list[tuple[Hand, int]]:
        """Return (root, number of the goal) for the puzzle with an index, smaller roots first."""
        target = self.puzzles[puzzle].target
        pairs = [(root, self._numbers.get(Goal(root, target))) for root in self.roots[puzzle]]
        return [(root, number) for root, number in pairs if number is not None]

    def query_for(self, hands: Sequence[Hand]) -> "GoalQuery":
        """Return a filter that selects the values that are targets of some sub-hands.

        The filter identifies a sub-hand by its index in `hands`, which must be distinct. If no goal
        belongs to these sub-hands, it selects nothing.
        """
        # A sub-hand can have several goals: the n-th layer has the n-th goal of each sub-hand.
        index_of = {hand: index for index, hand in enumerate(hands)}
        layers: list[dict[int, tuple[Exact, int]]] = []
        counts = [0] * len(hands)
        for (root, target), number in self._numbers.items():
            if root in index_of:
                index = index_of[root]
                if counts[index] == len(layers):
                    layers.append({})
                layers[counts[index]][index] = target, number
                counts[index] += 1
        return GoalQuery([self._layer(layer, len(hands)) for layer in layers])

    def _layer(self, goals: dict[int, tuple[Exact, int]], count: int) -> "_GoalLayer":
        """Return a layer: at most one goal for each of `count` sub-hands, as columns.

        `goals` has (target, number of the goal) by the index of the sub-hand.
        """
        numbers = np.full(count, -1)
        numbers[list(goals)] = [number for _, number in goals.values()]
        distinct_targets = {target for target, _ in goals.values()}
        targets = None
        if len(distinct_targets) > 1:
            of_hands = [goals[index][0] if index in goals else 0 for index in range(count)]
            dtype = integer_dtype(self._largest_hand, self.game)
            targets = make_column(of_hands, self.game.fractions, dtype)
        largest = max(max(abs(target.numerator), target.denominator) for target in distinct_targets)
        narrow = self._bound is not None and self._bound * largest < np.iinfo(np.int32).max
        return _GoalLayer(distinct_targets.pop(), targets, numbers, len(goals) == count, narrow)


class _GoalLayer(NamedTuple):
    """At most one goal for each sub-hand."""

    target: Exact
    """The target of all goals, if they share one."""
    targets: Column | None
    """The target of each sub-hand, or None if all goals share one target."""
    numbers: Ints
    """The number of the goal of each sub-hand; -1 for none."""
    complete: bool
    """Whether each sub-hand has a goal."""
    narrow: bool
    """Whether the integers of the values can hold products with a target."""

    def select(self, values: Column, hands: Ints) -> Selection:
        """Return the rows of the values that are the target of their sub-hand, ascending."""
        targets: Any = self.target if self.targets is None else self.targets[hands]
        rows = self._equal(values, targets).nonzero()[0]
        goals = self.numbers[hands[rows]]
        if not self.complete:
            has_goal = (goals >= 0).nonzero()[0]
            rows, goals = rows[has_goal], goals[has_goal]
        return Selection(rows, goals)

    def _equal(self, values: Column, targets: Any) -> Any:
        """Return a mask of the values that equal the target, or the target in the same row."""
        if not (isinstance(values, Ratios) and self.narrow):
            return values == targets
        if isinstance(targets, Ratios):
            numerators, denominators = targets.numerators, targets.denominators
        else:
            numerators, denominators = targets.numerator, targets.denominator
        return values.numerators * denominators == numerators * values.denominators


class GoalQuery:
    """An exact filter: the values of sub-hands that are the target of a goal.

    A sub-hand can have several goals, so that goals are kept in layers of at most one for each.
    """

    def __init__(self, layers: Sequence[_GoalLayer]) -> None:
        self._layers = layers

    def select(self, values: Column, hands: Ints) -> Selection:
        """Return the rows of the values that are a target of their sub-hand.

        `hands` has the index of the sub-hand of each value. Fractions need not be in lowest
        terms. Rows ascend, and come with the number of the goal; if sub-hands have several
        goals, one ascending sequence of rows follows another.
        """
        if len(self._layers) == 1:
            return self._layers[0].select(values, hands)
        empty = np.zeros(0, np.int64)
        selections = (layer.select(values, hands) for layer in self._layers)
        columns = zip(Selection(empty, empty), *selections, strict=True)
        return Selection(*map(np.concatenate, columns))


def bounding_hand(hands: Iterable[Hand]) -> Hand:
    """Return a hand that bounds others number by number, each sorted by absolute value.

    Its numbers descend. It has as many as the longest hand; no hands give ().

    >>> bounding_hand([(1, 9), (3, 4, 5)])
    (9, 4, 3)
    """
    descending = (sorted(map(abs, hand), reverse=True) for hand in hands)
    return tuple(map(max, zip_longest(*descending, fillvalue=0)))


@lru_cache(1 << 12)
def root_hands(hand: Hand, game: Game, in_order: bool = False) -> dict[Hand, float]:
    """Return the sub-hands that a solution can use, smaller ones first, each with a factor.

    That is only the hand itself if the game requires all numbers. The factor turns the weight of a
    sub-hand in `by_value` into its share of all tries. The weight counts the orders of the cards,
    and is divided by k! for each number that is there k times. So the factor of a sub-hand of n
    cards is the number of ways to choose its cards, times these k!, divided by n!. For one 3 of
    3 3 that is 2 x 1! / 1! = 2. With a fixed order, the factor is the number of ways to choose.

    >>> from crisps24 import GAMES
    >>> root_hands((3, 3), GAMES["cards"]), root_hands((3, 3), GAMES["countdown"])
    ({(3, 3): 1.0}, {(3,): 2.0, (3, 3): 1.0})
    """
    roots: dict[Hand, float] = {}
    for size in [len(hand)] if game.all_numbers else range(1, len(hand) + 1):
        for root, choices in sorted(Counter(combinations(hand, size)).items()):
            repeats = prod(map(factorial, map(root.count, set(root))))
            roots[root] = float(choices if in_order else choices * repeats / factorial(size))
    return roots


def values_one_step_from(target: Exact, number: int, game: Game) -> set[int] | None:
    """Return all whole numbers, 0 or more, that one operation with `number` can turn into a target.

    If a - b = c then a = c + b and b = a - c; any operator with an inverse is solved this way.
    The rules of the game are not checked, so that the set can be too large, never too small.
    Return None if any value might do: `number` is 0, or an operator has no inverse.

    >>> from crisps24 import GAMES
    >>> sorted(values_one_step_from(24, 4, GAMES["crisps"]))
    [6, 20, 28, 96]
    """
    if number == 0 or not all(operator.inverse for operator in game.row_operators):
        return None
    ends = Fraction(target), Fraction(number)
    names = {name for operator in game.row_operators for name in (operator.name, operator.inverse)}
    values: set[Fraction] = set()
    for operator in map(OPERATORS.__getitem__, names):
        for left, right in (ends, ends[::-1]):
            if right or not operator.divides:
                values.add(operator.arithmetic(left, right))
    return {int(value) for value in values if value >= 0 and value.denominator == 1}


class BloomFilter:
    """A set of (value, sub-hand) pairs that answers quickly, with some false positives.

    It has one hash function and 16 to 32 flags for each pair, but at most 32 MB, so that
    usually at most one in 16 pairs outside the set is selected. If a column has integers beyond
    2^53, all its rows are selected. `hands` has the index of the sub-hand of each value.

    >>> values = np.array([6, 20, 28, 96])
    >>> BloomFilter(values, np.zeros(4, int)).rows(np.array([7, 20]), np.zeros(2, int)).tolist()
    [1]
    """

    def __init__(self, values: Column, hands: Ints) -> None:
        bit_patterns, bits = float_bits(values), len(values).bit_length() + _BITS_PER_VALUE
        self._shift = np.uint64(64 - min(max(bits, _MIN_FLAG_BITS), _MAX_FLAG_BITS))
        self._flags = None
        if bit_patterns is not None:
            self._flags = np.zeros(1 << (64 - int(self._shift)), bool)
            self._flags[self._flag_of(bit_patterns, hands)] = True

    def _flag_of(self, bit_patterns: Ints, hands: Ints) -> Ints:
        flags: Ints = hash_column(bit_patterns ^ hash_column(hands)) >> self._shift
        return flags

    def rows(self, values: Column, hands: Ints) -> Ints:
        """Return the rows of the values that are likely in the set, in ascending order.

        Fractions need not be in lowest terms. Each row in the set is returned.
        """
        bit_patterns = float_bits(values)
        if bit_patterns is None or self._flags is None:
            return np.arange(len(hands))
        rows: Ints = self._flags[self._flag_of(bit_patterns, hands)].nonzero()[0]
        return rows

    def select(self, values: Column, hands: Ints) -> Selection:
        """Return what `rows` returns, with the index of the sub-hand of each row."""
        rows = self.rows(values, hands)
        return Selection(rows, hands[rows])


def hash_column(column: Ints) -> Ints:
    """Return a 64-bit hash of each integer of a column (Fibonacci hashing, then a shift).

    Equal integers have equal hashes. Python's own integers must be from 0 to 2^64 - 1, else
    OverflowError is raised.
    """
    hashes: Ints = column.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes ^= hashes >> np.uint64(29)
    return hashes


def one_step_filter(goals: GoalSet, size: int, hands: Sequence[Hand]) -> Selector | None:
    """Return a filter of values of sub-hands that one last operation can turn into a target.

    `hands` are all sub-hands of `size` numbers, one number fewer than the largest roots have; no
    result of the game is below zero. The filter has false positives (see `BloomFilter`). Return
    None if a filter does not pay (sizes below 4, fractions), or if any value can lead to a target.
    """
    game = goals.game
    if game.fractions or size < _MIN_FILTERED_SIZE:
        return None
    values_of: dict[Hand, set[int]] = {hand: set() for hand in hands}
    for root, target in goals:
        for part, other in _ordered_splits(root, goals.in_order) if len(root) > size else ():
            if len(other) == 1:
                values = values_one_step_from(target, other[0], game)
                if values is None:
                    return None
                values_of[part] |= values
    counts = [len(values) for values in values_of.values()]
    column = np.array(
        [value for values in values_of.values() for value in sorted(values)], np.int64
    )
    return BloomFilter(column, np.arange(len(counts)).repeat(counts)).select


def _ordered_splits(hand: Hand, in_order: bool) -> list[tuple[Hand, Hand]]:
    """Return the partitions of a hand into (part, other part), with each part in both places."""
    pairs = partitions(hand, in_order)
    return pairs + [(right, left) for left, right in pairs] if in_order else pairs
