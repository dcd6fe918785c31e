"""Cuts: the ways to take a hand in two, where cards are told apart even if they are equal.

`rules.splits` has each way once, equal numbers being interchangeable; here it is counted how many
times the cards can fall so. Owns this count: whoever adds up routes takes it from here.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import comb, prod
from operator import itemgetter
from typing import NamedTuple

from crisps24.rules.games import Hand
from crisps24.rules.splits import splits


class Cut(NamedTuple):
    """A way to take a hand in two: the two sub-hands, and how many times the cards fall so."""

    left: Hand
    right: Hand
    times: float


def cuts(hand: Hand, in_order: bool = False) -> list[Cut]:
    """Return the ways to take a hand in two, neither empty; a sorted one unless `in_order`.

    {A, B} and {B, A} are one way, the larger sub-hand on the left. Where the two sub-hands are of
    equal numbers, half as many pairs of them are told apart. `in_order` cuts the hand between
    neighbours.

    >>> for cut in cuts((1, 1, 2)):
    ...     print(cut.left, cut.right, cut.times)
    (1, 1) (2,) 1.0
    (1, 2) (1,) 2.0
    >>> cuts((3, 3, 3, 3))[0]
    Cut(left=(3, 3), right=(3, 3), times=3.0)
    """
    if in_order:
        return [Cut(left, right, 1.0) for left, right in splits(hand, in_order=True)]
    takers = _takers(tuple(a == b for a, b in pairwise(hand)))
    return [Cut(left(hand), right(hand), times) for left, right, times in takers]


_Take = Callable[[Hand], Hand]


@cache
def _takers(repeats: tuple[bool, ...]) -> list[tuple[_Take, _Take, float]]:
    """Return the cuts of hands in which number i + 1 is number i again or not."""
    labels = [0]
    for repeat in repeats:
        labels.append(labels[-1] + (not repeat))
    dealt = Counter(labels)
    takers = []
    for left, right in splits(tuple(labels)) if repeats else ():
        if (len(left), left) >= (len(right), right):
            times = prod(comb(dealt[label], taken) for label, taken in Counter(left).items())
            take, leave = (_taker(_places(part, labels)) for part in (left, right))
            takers.append((take, leave, times / (1 + (left == right))))
    return takers


def _places(part: Sequence[int], labels: Sequence[int]) -> list[int]:
    """Return where in a hand the numbers of a part are, the first ones of those that are equal."""
    seen: Counter[int] = Counter()
    places = []
    for label in part:
        places.append(labels.index(label) + seen[label])
        seen[label] += 1
    return places


def _taker(places: Sequence[int]) -> _Take:
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
