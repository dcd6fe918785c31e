"""Sub-hands and partitions: every way to take a hand apart, each once.

A sub-hand is a tuple of numbers, sorted unless their order matters. Equal numbers are
interchangeable, so (1, 1, 2) has 4 partitions into a left and a right part, not 6. A hand of n
different numbers has 2^n - 1 sub-hands and 2^n - 2 partitions. With `in_order`, sub-hands are runs
of neighbours, n (n + 1) / 2 of them, and the left part is the start of the hand: n - 1 partitions.
Hands are sorted, unless `in_order`.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from itertools import chain, combinations, product
from operator import eq, itemgetter
from typing import Any, TypeVar

from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand

_Number = TypeVar("_Number", bound=Exact)
_Selector = Callable[[Any], Any]


def partitions(
    hand: tuple[_Number, ...], in_order: bool = False
) -> list[tuple[tuple[_Number, ...], tuple[_Number, ...]]]:
    """Return all pairs (left part, right part) of a hand.

    >>> partitions((1, 1, 2))
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]
    """
    if in_order:
        return [(hand[:size], hand[size:]) for size in range(1, len(hand))]
    # The partitions only depend on which neighbours are equal, so most hands share cached ones.
    selectors = _selectors(_equals_previous(hand))
    return [(select_left(hand), select_right(hand)) for select_left, select_right in selectors]


def left_parts(hand: tuple[_Number, ...], in_order: bool = False) -> list[tuple[_Number, ...]]:
    """Return the left part of each of the `partitions` of a sorted hand, in the same order.

    The right parts are the same in reverse order, but not with `in_order`.
    """
    if in_order:
        return [hand[:size] for size in range(1, len(hand))]
    return [select_left(hand) for select_left, _ in _selectors(_equals_previous(hand))]


def sub_hand_closure(
    hands: Iterable[Hand], in_order: bool = False, known: Container[Hand] = ()
) -> list[Hand]:
    """Return hands and all their sub-hands that are not `known`, each once, the smallest first."""
    closure: set[Hand] = set()
    waiting_hands = list(hands)
    while waiting_hands:
        hand = waiting_hands.pop()
        if hand not in closure and hand not in known:
            closure.add(hand)
            # Smaller parts are parts of these.
            waiting_hands += largest_parts(hand, in_order)
    return sorted(closure, key=lambda hand: (len(hand), hand))


def largest_parts(hand: Hand, in_order: bool) -> set[Hand]:
    """Return the sub-hands of a hand with one number less."""
    if len(hand) == 1:
        return set()
    return {hand[1:], hand[:-1]} if in_order else set(combinations(hand, len(hand) - 1))


def _equals_previous(hand: tuple[_Number, ...]) -> tuple[bool, ...]:
    return (False, *map(eq, hand, hand[1:]))


@cache
def _selectors(equals_previous: tuple[bool, ...]) -> list[tuple[_Selector, _Selector]]:
    """Return pairs of functions that take the left and the right part out of a hand."""
    # A run is a group of equal numbers: its first index, and the index after its last.
    starts = [index for index, is_equal in enumerate(equals_previous) if not is_equal]
    ends = [*starts[1:], len(equals_previous)]
    choices_by_run = [
        [range(start, stop) for stop in range(start, end + 1)]
        for start, end in zip(starts, ends, strict=True)
    ]
    left_parts = [tuple(chain(*choice)) for choice in product(*choices_by_run)]
    left_parts.sort(key=lambda indices: (len(indices), indices))
    selectors = []
    # The first left part is empty and the last is the whole hand: leave both out.
    for left_part in left_parts[1:-1]:
        right_part = [index for index in range(len(equals_previous)) if index not in left_part]
        selectors.append((_selector(left_part), _selector(right_part)))
    return selectors


def _selector(indices: Sequence[int]) -> _Selector:
    """Return a function that returns the numbers of a hand at some indices, as a tuple."""
    if len(indices) > 1:
        return itemgetter(*indices)
    # With one index, `itemgetter` returns a number; with a slice, a tuple.
    return itemgetter(slice(indices[0], indices[0] + 1))
