"""Sub-hands: what a hand can be taken apart into, each way once.

A sub-hand is a tuple of numbers, sorted where their order does not matter. Equal numbers are
interchangeable: ways that differ in which of them is taken are one. Both packages above use
this: rows of a card, and what a hand makes.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, combinations, pairwise, product
from operator import itemgetter

from crisps24.rules.games import Hand

_Take = Callable[[Hand], Hand]


def sub_hands(hand: Hand, in_order: bool = False) -> list[Hand]:
    """Return every sub-hand of a hand but the empty one, itself included, smaller ones first.

    >>> sub_hands((1, 1, 2))
    [(1,), (2,), (1, 1), (1, 2), (1, 1, 2)]

    `in_order` keeps the order of the hand, which need not be sorted then; what is left out may
    be anywhere in it.
    """
    hand = hand if in_order else tuple(sorted(hand))
    sizes = range(1, len(hand) + 1)
    return [part for size in sizes for part in sorted(set(combinations(hand, size)))]


def partitions(hand: Hand, in_order: bool = False) -> list[tuple[Hand, Hand]]:
    """Return the ways to split a sorted hand in two, neither empty: (left, right).

    >>> partitions((1, 1, 2))
    [((1,), (1, 2)), ((2,), (1, 1)), ((1, 1), (2,)), ((1, 2), (1,))]

    `in_order` cuts it in two, between neighbours.
    """
    if in_order:
        return [(hand[:size], hand[size:]) for size in range(1, len(hand))]
    # Which numbers are equal is all that matters, and few hands differ in that.
    return [(left(hand), right(hand)) for left, right in _takes(_repeats(hand))]


def sub_hand_closure(hands: Iterable[Hand], in_order: bool = False) -> list[Hand]:
    """Return hands and all that they are taken apart into, over and over, smaller ones first.

    >>> sub_hand_closure([(1, 2, 3)], in_order=True)
    [(1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3)]
    """
    found: set[Hand] = set()
    left = list(hands)
    while left:
        hand = left.pop()
        if hand not in found:
            found.add(hand)
            left += largest_parts(hand, in_order)
    return sorted(found, key=lambda hand: (len(hand), hand))


def largest_parts(hand: Hand, in_order: bool) -> set[Hand]:
    """Return the parts of a hand with one number less, of which all smaller ones are parts."""
    if len(hand) == 1:
        return set()
    return {hand[1:], hand[:-1]} if in_order else set(combinations(hand, len(hand) - 1))


def _repeats(hand: Hand) -> tuple[bool, ...]:
    return (False, *(a == b for a, b in pairwise(hand)))


@cache
def _takes(repeats: tuple[bool, ...]) -> list[tuple[_Take, _Take]]:
    """Return the splits of hands in which number i is the one before it again or not."""
    starts = [place for place, repeat in enumerate(repeats) if not repeat]
    runs = zip(starts, [*starts[1:], len(repeats)], strict=True)
    some = [[range(start, last) for last in range(start, end + 1)] for start, end in runs]
    lefts = sorted(
        (tuple(chain(*taken)) for taken in product(*some)), key=lambda left: (len(left), left)
    )
    places = range(len(repeats))
    return [
        (_taker(left), _taker([place for place in places if place not in left]))
        for left in lefts[1:-1]
    ]


def _taker(places: Sequence[int]) -> _Take:
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
