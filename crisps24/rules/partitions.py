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
    """Return all selections of one or more numbers of a hand, each once.

    Short selections come first, and those of one length are in ascending order. Equal numbers are
    interchangeable. The last selection is the whole hand.

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
    # The selectors only depend on which neighbours are equal, so most hands share cached ones.
    return [(left(hand), right(hand)) for left, right in _selectors(_equals_previous(hand))]


def sub_hand_closure(hands: Iterable[Hand], in_order: bool = False) -> list[Hand]:
    """Return some hands and all their parts, each once: the smallest hands first.

    A part of a hand is a selection of its numbers; with `in_order` it is a run of neighbours. Hands
    of one length are in ascending order. The given hands must be sorted, except with `in_order`.
    A hand of n different numbers has 2^n - 1 parts, itself included, or n (n + 1) / 2 with
    `in_order`. (1, 2, 3) has no part (1, 3) in order:

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
    """Return pairs of functions that divide a sorted hand into a left and a right part.

    There is one pair of functions for each way to divide the hand. `equals_previous` says for each
    number whether it equals the number before. For (1, 1, 2) it is (False, True, False):

    >>> [(left((1, 1, 2)), right((1, 1, 2))) for left, right in _selectors((False, True, False))]
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]
    """
    # A run is a group of equal numbers: its first index, and the index after its last.
    starts = [index for index, equal in enumerate(equals_previous) if not equal]
    runs = zip(starts, [*starts[1:], len(equals_previous)], strict=True)
    # The left part takes the first 0, 1, 2, ... numbers of each run.
    choices = [[range(start, stop) for stop in range(start, end + 1)] for start, end in runs]
    lefts = sorted(
        (tuple(chain(*chosen)) for chosen in product(*choices)), key=lambda left: (len(left), left)
    )
    # The first left part is empty and the last is the whole hand: leave both out.
    indices = range(len(equals_previous))
    return [
        (_selector(left), _selector([index for index in indices if index not in left]))
        for left in lefts[1:-1]
    ]


def _selector(indices: Sequence[int]) -> _Selector:
    return (
        itemgetter(*indices) if len(indices) > 1 else itemgetter(slice(indices[0], indices[0] + 1))
    )
