"""Sub-hands and partitions: every way to take a hand apart, each once.

A sub-hand is a tuple of numbers, sorted unless their order matters. Equal numbers are
interchangeable, so (1, 1, 2) has 4 partitions into two parts, not 6. A hand of n different numbers
has 2^n - 1 sub-hands and 2^n - 2 partitions; in order it has n - 1 partitions.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, combinations, pairwise, product
from operator import itemgetter
from typing import Any, TypeVar

from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand

_Number = TypeVar("_Number", bound=Exact)
_Selector = Callable[[Any], Any]


def sub_hands(hand: tuple[_Number, ...], in_order: bool = False) -> list[tuple[_Number, ...]]:
    """Return all selections of one or more numbers of a hand, each once.

    Equal numbers are interchangeable. Short selections come first, and those of one length are in
    ascending order. The last selection is the whole hand.

    >>> sub_hands((1, 1, 2))
    [(1,), (2,), (1, 1), (1, 2), (1, 1, 2)]

    Args:
        hand: The numbers, in any order.
        in_order: Keep the order of the hand in each selection. The numbers of a selection need not
            be neighbours. By default, each selection is sorted.
    """
    hand = hand if in_order else tuple(sorted(hand))
    sizes = range(1, len(hand) + 1)
    return [part for size in sizes for part in sorted(set(combinations(hand, size)))]


def partitions(
    hand: tuple[_Number, ...], in_order: bool = False
) -> list[tuple[tuple[_Number, ...], tuple[_Number, ...]]]:
    """Return all ways to divide the numbers of a sorted hand into a left and a right part.

    Both parts have at least one number. Equal numbers are interchangeable, so each pair occurs
    once. (left, right) and (right, left) are two different pairs:

    >>> partitions((1, 1, 2))
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]

    With `in_order`, the hand need not be sorted, and the left part is the start of the hand:
    (3, 1, 2) is only divided into (3) and (1, 2), and into (3, 1) and (2).
    """
    if in_order:
        return [(hand[:size], hand[size:]) for size in range(1, len(hand))]
    # The partitions only depend on which neighbours are equal, so most hands share cached ones.
    selectors = _selectors(_equals_previous(hand))
    return [(select_left(hand), select_right(hand)) for select_left, select_right in selectors]


def sub_hand_closure(hands: Iterable[Hand], in_order: bool = False) -> list[Hand]:
    """Return hands together with all their parts, each once, the smallest first.

    A part of a hand is a selection of its numbers. The given hands must be sorted. Hands of one
    length are returned in ascending order:

    >>> sub_hand_closure([(1, 2, 3)])
    [(1,), (2,), (3,), (1, 2), (1, 3), (2, 3), (1, 2, 3)]

    With `in_order`, a part is a run of neighbours, so (1, 3) is left out, and the given hands need
    not be sorted. A hand of n different numbers has 2^n - 1 parts, itself included, and
    n (n + 1) / 2 with `in_order`.
    """
    closure: set[Hand] = set()
    waiting_hands = list(hands)
    while waiting_hands:
        hand = waiting_hands.pop()
        if hand not in closure:
            closure.add(hand)
            # Smaller parts are parts of these.
            waiting_hands += largest_parts(hand, in_order)
    return sorted(closure, key=lambda hand: (len(hand), hand))


def largest_parts(hand: Hand, in_order: bool) -> set[Hand]:
    """Return the parts of a sorted hand with one number less; none if the hand has one number.

    With `in_order`, these are the hand without its first and without its last number, and the hand
    need not be sorted.

    >>> sorted(largest_parts((1, 2, 3), False)), sorted(largest_parts((1, 2, 3), True))
    ([(1, 2), (1, 3), (2, 3)], [(1, 2), (2, 3)])
    """
    if len(hand) == 1:
        return set()
    return {hand[1:], hand[:-1]} if in_order else set(combinations(hand, len(hand) - 1))


def _equals_previous(hand: Hand) -> tuple[bool, ...]:
    """Return for each number of a hand whether it equals the number before."""
    return (False, *(previous == number for previous, number in pairwise(hand)))


@cache
def _selectors(equals_previous: tuple[bool, ...]) -> list[tuple[_Selector, _Selector]]:
    """Return pairs of functions that divide a sorted hand into a left and a right part.

    There is one pair for each way to divide the hand. The first function takes the hand and returns
    the left part, and the second returns the right part. `equals_previous` says for each number of
    the hand whether it equals the number before. For (1, 1, 2) it is (False, True, False):

    >>> [(left((1, 1, 2)), right((1, 1, 2))) for left, right in _selectors((False, True, False))]
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]
    """
    # A run is a group of equal numbers: its first index, and the index after its last.
    starts = [index for index, is_equal in enumerate(equals_previous) if not is_equal]
    ends = [*starts[1:], len(equals_previous)]
    # The left part has the first 0, 1, 2, ... numbers of each run.
    choices_by_run = [
        [range(start, stop) for stop in range(start, end + 1)]
        for start, end in zip(starts, ends, strict=True)
    ]
    # The parts as tuples of indices: short parts first.
    left_parts = [tuple(chain(*choice)) for choice in product(*choices_by_run)]
    left_parts.sort(key=lambda indices: (len(indices), indices))
    selectors = []
    # The first left part is empty and the last is the whole hand: leave both out.
    for left_part in left_parts[1:-1]:
        right_part = [index for index in range(len(equals_previous)) if index not in left_part]
        selectors.append((_selector(left_part), _selector(right_part)))
    return selectors


def _selector(indices: Sequence[int]) -> _Selector:
    """Return a function that returns the numbers of a hand at some indices, as a tuple.

    >>> _selector([0, 2])((4, 3, 8)), _selector([1])((4, 3, 8))
    ((4, 8), (3,))
    """
    if len(indices) > 1:
        return itemgetter(*indices)
    # With one index, `itemgetter` returns a number; with a slice, a tuple.
    return itemgetter(slice(indices[0], indices[0] + 1))
