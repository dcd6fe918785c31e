"""The places of a row, and how they are split: in order, or the numbers of a card in any order.

A *row* is a formula without parentheses: numbers with an operator between any two. A *span* is a
part of a row; the tables of `counting` have one entry per span. If the order is fixed, a span is
a tuple of neighbouring `Place`s, each with a given number or free for any number of the game. If
any order is allowed, a span is a sorted tuple of numbers. For example, the span (2, 5, 7) of
a card splits into 2 | 5 7, 5 | 2 7, 7 | 2 5, 2 5 | 7, 2 7 | 5 and 5 7 | 2; the same numbers in
order split only into 2 | 5 7 and 2 5 | 7.
"""

from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

from crisps24.rules.exact import whole_numbers
from crisps24.rules.games import Game, Hand
from crisps24.rules.partitions import partitions

Span = tuple[Any, ...]
# Limits of a game's rows, and of cards. In any order, a card of 7 numbers has 5,040 orders.
MAX_ROW_NUMBERS = 99
MAX_CARD_NUMBERS = 7
MAX_CARD_NUMBERS_IN_ORDER = 12


class Place(NamedTuple):
    """One place of a row: its number and the operator before it, None for any."""

    number: int | None = None
    operator: str | None = None


FREE_PLACE = Place()


class Partition(NamedTuple):
    """Two parts of a span, and the operator between them, None for any."""

    left: Span
    right: Span
    operator: str | None = None


class InOrder:
    """The places of a row in a fixed order; `numbers` are those of the game."""

    def __init__(self, numbers: tuple[int, ...], row: tuple[Place, ...]) -> None:
        self.numbers = numbers
        self.row = row
        self.codes = {number: code for code, number in enumerate(numbers)}

    def number_codes(self, span: Span) -> dict[int, int]:
        """Return {number: code} for one place; keys leave out a given number: code 0."""
        [place] = span
        return self.codes if place.number is None else {place.number: 0}

    def partitions(self, span: Span) -> list[Partition]:
        sizes = range(1, len(span))
        return [
            Partition(span[:size], _without_operator(span[size:]), span[size].operator)
            for size in sizes
        ]

    def first_terms(self, suffix: Span) -> list[Partition]:
        """Return all ways to split the end of a row: its operator, first term and the rest."""
        operator_before = suffix[0].operator
        return [
            Partition(_without_operator(suffix[:size]), suffix[size:], operator_before)
            for size in range(1, len(suffix) + 1)
        ]

    def spans(self, size: int) -> list[Span]:
        """Return the distinct spans of `size` places."""
        starts = range(len(self.row) - size + 1)
        row = self.row
        return sorted({_without_operator(row[start : start + size]) for start in starts}, key=str)

    def count_partitions(self, _length: int, _right_size: int) -> int:
        return 1

    def complement(self, suffix: Span) -> Span:
        return self.row[: len(self.row) - len(suffix)]

    def contains(self, span: Span) -> bool:
        """Return whether the row has these places, whatever operator is before them."""
        return span in self._spans

    def has_suffix(self, suffix: Span) -> bool:
        return self.row[len(self.row) - len(suffix) :] == suffix

    @cached_property
    def _spans(self) -> frozenset[Span]:
        bounds = combinations(range(len(self.row) + 1), 2)
        return frozenset(_without_operator(self.row[start:end]) for start, end in bounds)


class AnyOrder:
    """The numbers of a card, each used once, in any order; the methods are those of `InOrder`."""

    def __init__(self, card: tuple[int, ...]) -> None:
        self.row: Span = tuple(sorted(card))
        self.numbers = tuple(sorted(set(card)))
        self.codes = {number: code for code, number in enumerate(self.numbers)}

    def number_codes(self, span: Span) -> dict[int, int]:
        return {span[0]: self.codes[span[0]]}

    def partitions(self, span: Span) -> list[Partition]:
        return [Partition(left, right) for left, right in partitions(span)]

    def first_terms(self, suffix: Span) -> list[Partition]:
        return [*self.partitions(suffix), Partition(suffix, ())]

    def spans(self, size: int) -> list[Span]:
        return sorted(set(combinations(self.row, size)))

    def count_partitions(self, length: int, right_size: int) -> int:
        """Return how many partitions of distinct numbers have `right_size` numbers on the right."""
        return comb(length, right_size)

    def complement(self, suffix: Span) -> Span:
        rest = list(self.row)
        for number in suffix:
            rest.remove(number)
        return tuple(rest)

    def contains(self, _: Span) -> bool:
        return True

    def has_suffix(self, _: Span) -> bool:
        return True


Places = InOrder | AnyOrder


def places_of(game: Game, card: Hand | None) -> Places:
    """Return the places of the rows of a game, or of a card."""
    if card is None:
        return InOrder(whole_numbers(game.numbers), (FREE_PLACE,) * game.length)
    if game.in_order:
        return InOrder(whole_numbers(game.numbers), tuple(map(Place, whole_numbers(card))))
    return AnyOrder(whole_numbers(card))


def _without_operator(span: Span) -> Span:
    """Return a span without the operator before it, which changes no values."""
    first = span[0]
    return span if first.operator is None else (Place(first.number), *span[1:])
