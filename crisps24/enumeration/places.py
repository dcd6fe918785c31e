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
    """One place of a row: its number and the operator before it, None for any.

    A row is a formula without parentheses.
    """

    number: int | None = None
    operator: str | None = None


FREE_PLACE = Place()


class Partition(NamedTuple):
    """A part of a row, split into two parts: the numbers or places of both.

    `operator` is the name of the operator between them, None for any.
    """

    left: Span
    right: Span
    operator: str | None = None


class InOrder:
    """The places of a row in a fixed order, each free or with a given number.

    `numbers` are the numbers of the game, and `row` are all places. `Span` is a tuple of
    neighbouring places, which is a part of the row.
    """

    def __init__(self, numbers: tuple[int, ...], row: tuple[Place, ...]) -> None:
        self.numbers = numbers
        self.row = row
        self.codes = {number: code for code, number in enumerate(numbers)}

    def number_codes(self, span: Span) -> dict[int, int]:
        """Return {number: code} for the numbers that can stand at one place of the row.

        `span` is a tuple of only this place. The code of a number is its index in `numbers`. A
        given number has code 0, because rows packed into integers leave it out.
        """
        [place] = span
        return self.codes if place.number is None else {place.number: 0}

    def partitions(self, span: Span) -> list[Partition]:
        """Return all splits of neighbouring places into two non-empty parts.

        The shortest left part comes first: three places are split into 1 and 2, then into 2 and 1.
        """
        sizes = range(1, len(span))
        return [
            Partition(span[:size], _without_operator(span[size:]), span[size].operator)
            for size in sizes
        ]

    def first_terms(self, suffix: Span) -> list[Partition]:
        """Return all ways to split the end of a row into its first term and the rest.

        A row is a formula without parentheses, such as 8 - 4 x 2. A place is one of its numbers
        with the operator before it, and both can still be free. The end of two places is split into
        a term of 1 place with 1 left, and a term of 2 places with none left. Operators are not
        tested: for the end `- 4 x 2`, the term 4 is also returned. The operator of each result is
        the one before the term, here -, since the term is subtracted from the sum before it.

        Args:
            suffix: The last places of the row, at least one.
        """
        operator_before = suffix[0].operator
        return [
            Partition(_without_operator(suffix[:size]), suffix[size:], operator_before)
            for size in range(1, len(suffix) + 1)
        ]

    def spans(self, size: int) -> list[Span]:
        """Return the distinct parts of the row that have `size` neighbouring places.

        A place is a number, or any number, with the operator before it. The operator before the
        first place of a part is left out, since it does not change the values of the part.
        """
        starts = range(len(self.row) - size + 1)
        row = self.row
        return sorted({_without_operator(row[start : start + size]) for start in starts}, key=str)

    def count_partitions(self, _length: int, _right_size: int) -> int:
        """Return in how many ways neighbouring places split into two parts of given sizes: 1.

        It is only 1, because the order of the places is fixed.
        """
        return 1

    def complement(self, suffix: Span) -> Span:
        """Return the places of the row before `suffix`, which are its last places."""
        return self.row[: len(self.row) - len(suffix)]

    def contains(self, span: Span) -> bool:
        """Return whether the row has these places, whatever operator is before them."""
        return span in self._spans

    def has_suffix(self, suffix: Span) -> bool:
        """Return whether this row ends with the places of `suffix`."""
        return self.row[len(self.row) - len(suffix) :] == suffix

    @cached_property
    def _spans(self) -> frozenset[Span]:
        bounds = combinations(range(len(self.row) + 1), 2)
        return frozenset(_without_operator(self.row[start:end]) for start, end in bounds)


class AnyOrder:
    """The numbers of a card, each used once, in any order; the methods are those of `InOrder`.

    `Span` is a sorted tuple of some numbers of the card.
    """

    def __init__(self, card: tuple[int, ...]) -> None:
        self.row: Span = tuple(sorted(card))
        self.numbers = tuple(sorted(set(card)))
        self.codes = {number: code for code, number in enumerate(self.numbers)}

    def number_codes(self, span: Span) -> dict[int, int]:
        """Return {number: code} for a single number of the card, given as a tuple of length 1.

        The code of a number is its index in `numbers`.
        """
        return {span[0]: self.codes[span[0]]}

    def partitions(self, span: Span) -> list[Partition]:
        """Return all partitions of some numbers into two non-empty parts.

        The numbers (2, 5) have the partitions 2 | 5 and 5 | 2.
        """
        return [Partition(left, right) for left, right in partitions(span)]

    def first_terms(self, suffix: Span) -> list[Partition]:
        """Return all ways to split the last numbers of a row into the first term and the rest.

        A row is a formula without parentheses. The numbers (2, 5) are split into 2 | 5, 5 | 2 and,
        with an empty rest, 2 5 |, since a product of all numbers is one term. Without numbers,
        the only split is into two empty parts.
        """
        return [*self.partitions(suffix), Partition(suffix, ())]

    def spans(self, size: int) -> list[Span]:
        """Return the distinct choices of `size` numbers of the card.

        >>> AnyOrder((3, 3, 8)).spans(2)
        [(3, 3), (3, 8)]
        """
        return sorted(set(combinations(self.row, size)))

    def count_partitions(self, length: int, right_size: int) -> int:
        """Return how many partitions of distinct numbers have `right_size` numbers on the right.

        `length` is how many numbers are divided; equal numbers have fewer partitions.
        """
        return comb(length, right_size)

    def complement(self, suffix: Span) -> Span:
        """Return the numbers of the card without those of `suffix`, ascending.

        >>> AnyOrder((8, 3, 3)).complement((3,))
        (3, 8)
        """
        rest = list(self.row)
        for number in suffix:
            rest.remove(number)
        return tuple(rest)

    def contains(self, _: Span) -> bool:
        """Return True: callers only ask for numbers of this card, as no two cards share tables."""
        return True

    def has_suffix(self, _: Span) -> bool:
        """Return True: a row can end with any of the numbers."""
        return True


Places = InOrder | AnyOrder


def places_of(game: Game, card: Hand | None, in_order: bool) -> Places:
    """Return the places of the rows of a game, or of a card: which numbers can stand there.

    Without a card, each place can have any number of the game. The order of the card is kept if
    `in_order`.
    """
    if card is None:
        return InOrder(whole_numbers(game.numbers), (FREE_PLACE,) * game.length)
    if in_order:
        return InOrder(whole_numbers(game.numbers), tuple(map(Place, whole_numbers(card))))
    return AnyOrder(whole_numbers(card))


def _without_operator(span: Span) -> Span:
    """Return neighbouring places without the operator before them, which changes no values."""
    first = span[0]
    return span if first.operator is None else (Place(first.number), *span[1:])
