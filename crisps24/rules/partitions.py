"""Sub-hands and partitions: every way to take a hand apart, each once.

A sub-hand is a tuple of numbers, sorted unless their order matters. Equal numbers are
interchangeable, so (1, 1, 2) has 4 partitions into two parts, not 6. A hand of n different numbers
has 2^n - 1 sub-hands and 2^n - 2 partitions; in order it has n - 1 partitions.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, combinations, pairwise, product
from operator import itemgetter

from crisps24.rules.games import Hand

_Selector = Callable[[Hand], Hand]


def sub_hands(hand: Hand, in_order: bool = False) -> list[Hand]:
    """Return every non-empty sub-hand of a hand, itself included, by size and then ascending.

    >>> sub_hands((1, 1, 2))
    [(1,), (2,), (1, 1), (1, 2), (1, 1, 2)]

    Args:
        hand: The numbers, in any order.
        in_order: Keep the order of the hand in each sub-hand. The numbers of a sub-hand do not have
            to be neighbours.
    """
    hand = hand if in_order else tuple(sorted(hand))
    sizes = range(1, len(hand) + 1)
    return [part for size in sizes for part in sorted(set(combinations(hand, size)))]


def partitions(hand: Hand, in_order: bool = False) -> list[tuple[Hand, Hand]]:
    """Return the ordered pairs (left, right) of non-empty sub-hands that make up a sorted hand.

    >>> partitions((1, 1, 2))
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]

    With `in_order`, the hand need not be sorted, and is only cut between two neighbours.
    """
    if in_order:
        return [(hand[:size], hand[size:]) for size in range(1, len(hand))]
    # The selectors only depend on which neighbours are equal, so most hands share cached ones.
    return [(left(hand), right(hand)) for left, right in _selectors(_equals_previous(hand))]


def sub_hand_closure(hands: Iterable[Hand], in_order: bool = False) -> list[Hand]:
    """Return the hands and all parts of their partitions, recursively, by size and then ascending.

    The hands are sorted, unless `in_order`. A hand of n different numbers has 2^n - 1 parts with
    itself, or n (n + 1) / 2 with `in_order`.

    >>> sub_hand_closure([(1, 2, 3)], in_order=True)
    [(1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3)]
    """
    closure: set[Hand] = set()
    waiting = list(hands)
    while waiting:
        hand = waiting.pop()
        if hand not in closure:
            closure.add(hand)
            waiting += largest_parts(hand, in_order)
    return sorted(closure, key=lambda hand: (len(hand), hand))


def largest_parts(hand: Hand, in_order: bool) -> set[Hand]:
    """Return the parts of a hand with one number less; none if the hand has one number.

    With `in_order` these are the hand without its first and without its last number. Otherwise the
    hand is sorted.
    """
    if len(hand) == 1:
        return set()
    return {hand[1:], hand[:-1]} if in_order else set(combinations(hand, len(hand) - 1))


def _equals_previous(hand: Hand) -> tuple[bool, ...]:
    return (False, *(a == b for a, b in pairwise(hand)))


@cache
def _selectors(equals_previous: tuple[bool, ...]) -> list[tuple[_Selector, _Selector]]:
    """Return functions that select the left and the right part of each partition of a hand."""
    starts = [index for index, equal in enumerate(equals_previous) if not equal]
    runs = zip(starts, [*starts[1:], len(equals_previous)], strict=True)
    # Of a run of equal numbers, the left part has the first 0, 1, 2, ...
    choices = [[range(start, stop) for stop in range(start, end + 1)] for start, end in runs]
    lefts = sorted(
        (tuple(chain(*chosen)) for chosen in product(*choices)), key=lambda left: (len(left), left)
    )
    indices = range(len(equals_previous))
    return [
        (_selector(left), _selector([index for index in indices if index not in left]))
        for left in lefts[1:-1]
    ]


def _selector(indices: Sequence[int]) -> _Selector:
    return (
        itemgetter(*indices) if len(indices) > 1 else itemgetter(slice(indices[0], indices[0] + 1))
    )
