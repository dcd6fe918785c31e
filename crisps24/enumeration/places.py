"""Which numbers a row has: place by place in an order, or those of a card in any order.

A *span* is some neighbouring places of a row, and all that tables are kept by. In order it is a
tuple of places, each with one number or free for any number of the game; in any order it is a
sorted tuple of the numbers that fill it. Owns how a span is cut in two; a cut has the operator
between its two sides where that is given, else None.
"""

from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

from crisps24.rules.games import Game, Hand
from crisps24.rules.splits import partitions

Span = tuple[Any, ...]
# Numbers in a row, at most; on a card in any order and in order, at most.
MAX_ROW_NUMBERS = 99
MAX_CARD_NUMBERS = 7
MAX_CARD_NUMBERS_IN_ORDER = 12


class Place(NamedTuple):
    """One place of a row: its number and the operator before it, None where any may stand."""

    number: int | None = None
    operator: str | None = None


ANY_NUMBERS = Place()


class Cut(NamedTuple):
    """A span cut in two, with the operator between, None where it may be any."""

    left: Span
    right: Span
    operator: str | None = None


class InOrder:
    """Places one after the other, each free or with its number."""

    def __init__(self, numbers: tuple[int, ...], whole: tuple[Place, ...]) -> None:
        self.numbers = numbers
        self.whole = whole
        self.codes = {number: code for code, number in enumerate(numbers)}

    def alone(self, span: Span) -> dict[int, int]:
        """Return the numbers that may stand at the one place of a span, each with its code.

        A code is a place in `numbers`; where the number is given it is 0, and left out of keys.
        """
        [place] = span
        return self.codes if place.number is None else {place.number: 0}

    def cuts(self, span: Span) -> list[Cut]:
        """Return every cut of a span with something on both sides."""
        sizes = range(1, len(span))
        return [Cut(span[:size], _bare(span[size:]), span[size].operator) for size in sizes]

    def heads(self, rest: Span) -> list[Cut]:
        """Return every first stretch of the last places of a row, and what follows it.

        The operator is the one before all of it.
        """
        sizes = range(1, len(rest) + 1)
        return [Cut(_bare(rest[:size]), rest[size:], rest[0].operator) for size in sizes]

    def spans(self, size: int) -> list[Span]:
        """Return the spans of so many places that tables may be made of."""
        starts = range(len(self.whole) - size + 1)
        return sorted({_bare(self.whole[at : at + size]) for at in starts}, key=str)

    def ways_to_cut(self, _length: int, _size: int) -> int:
        """Return in how many ways a span of some length is cut with so many places on the right."""
        return 1

    def before(self, rest: Span) -> Span:
        """Return the places of the row before its last ones."""
        return self.whole[: len(self.whole) - len(rest)]

    def has(self, span: Span) -> bool:
        """Return whether a span is one of this row's, whatever the operator before it."""
        return span in self._spans

    def ends_with(self, rest: Span) -> bool:
        """Return whether the last places of this row are these."""
        return self.whole[len(self.whole) - len(rest) :] == rest

    @cached_property
    def _spans(self) -> frozenset[Span]:
        length = len(self.whole)
        ends = ((at, end) for at in range(length) for end in range(at + 1, length + 1))
        return frozenset(_bare(self.whole[at:end]) for at, end in ends)


class AnyOrder:
    """The numbers of a card, each used once, in whatever order."""

    def __init__(self, card: Hand) -> None:
        self.whole: Span = tuple(sorted(card))
        self.numbers = tuple(sorted(set(card)))
        self.codes = {number: code for code, number in enumerate(self.numbers)}

    def alone(self, span: Span) -> dict[int, int]:
        """Return the one number of a span with its code; see `InOrder.alone`."""
        return {span[0]: self.codes[span[0]]}

    def cuts(self, span: Span) -> list[Cut]:
        """Return every way to share the numbers of a span out to two sides."""
        return [Cut(left, right) for left, right in partitions(span)]

    def heads(self, rest: Span) -> list[Cut]:
        """Return the same, and the whole with nothing to follow."""
        return [*self.cuts(rest), Cut(rest, ())]

    def spans(self, size: int) -> list[Span]:
        """Return the spans of so many numbers."""
        return sorted(set(combinations(self.whole, size)))

    def ways_to_cut(self, length: int, size: int) -> int:
        """Return in how many ways so many of some numbers can be chosen, at most."""
        return comb(length, size)

    def before(self, rest: Span) -> Span:
        """Return the numbers of the card that are not these."""
        left = list(self.whole)
        for number in rest:
            left.remove(number)
        return tuple(left)

    def has(self, _: Span) -> bool:
        """Return whether a span is one of this card's: tables are shared by nobody else."""
        return True

    def ends_with(self, _: Span) -> bool:
        """Return whether a row may end with these numbers."""
        return True


Places = InOrder | AnyOrder


def places_of(game: Game, card: Hand | None, in_order: bool) -> Places:
    """Return the places of a game's rows, or of a card's."""
    if card is None:
        return InOrder(game.numbers, (ANY_NUMBERS,) * game.length)
    if in_order:
        return InOrder(game.numbers, tuple(map(Place, card)))
    return AnyOrder(card)


def _bare(span: Span) -> Span:
    """Return a span without the operator before it, which its tables do not depend on."""
    first = span[0]
    return span if first.operator is None else (Place(first.number), *span[1:])
