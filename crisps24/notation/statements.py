"""Text to reading, quickly: texts of one shape are parsed once.

Owns what the shape of a text is and how many are remembered; how one is parsed is the grammar's
business alone. A shape is a text too, with a 1 for each number and one space for any white
space: the same is right in it and the same is wrong, at columns that are told apart here.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from crisps24.notation.errors import FormulaError
from crisps24.notation.grammar import Fault, FaultError, Reader, Span, number_named
from crisps24.notation.tokens import LONGEST_REMEMBERED
from crisps24.notation.trees import Expression, Number, Parts, parts_of
from crisps24.rules.characters import plain
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.words import parse_value

# A shape takes some 2 KB, and 9 at most.
MOST_REMEMBERED = 1 << 13

# Where each character of a shape, and its end, is in a text.
Columns = Sequence[int]


class Reading(NamedTuple):
    """A formula as it was read: a tree that other texts may share, and what this one has.

    `columns` gives those of the text for those of the tree; they are seldom asked for.
    """

    text: str
    expression: Expression
    parts: Parts
    number_of: Callable[[Number], int]
    columns: Callable[[], Columns]
    target: Exact | None = None
    formula: str = ""
    """What the text was turned into, where it is no formula itself; see `workings`."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the formula, from left to right."""
        return [self.number_of(leaf) for leaf in self.parts.numbers]

    def span_of(self, part: Expression) -> Span:
        """Return where a part of the tree stands in the text."""
        start, end = part.span
        columns = self.columns()
        return columns[start], columns[end]


class _Shape(NamedTuple):
    """What the grammar makes of a shape: a tree whose numbers are places, or a fault."""

    expression: Expression = Number(0)
    parts: Parts = Parts([], [])
    places: Sequence[Span] = ()
    """Where the number of each place stands."""
    target: Span | None = None
    fault: Fault | None = None
    order: Sequence[int] = ()
    """Which number of a text each place has, counted from the left; nothing where the columns
    have to tell, as of a number below zero."""


class _Pieces(NamedTuple):
    """What the characters of a shape stand for in the texts of a game."""

    digits: re.Pattern[str]
    """What a 1 stands for."""
    letters: re.Pattern[str] | None
    """What the first letter of the game stands for; None where letters stand for themselves."""
    letter: str
    numbers: re.Pattern[str]
    """What either of these does."""
    every: re.Pattern[str]
    """What any character does."""

    def shape_of(self, text: str) -> str:
        """Return the shape of a text."""
        shape = self.digits.sub("1", " ".join(text.split()))
        return shape if self.letters is None else self.letters.sub(self.letter, shape)

    def columns_of(self, text: str) -> Columns:
        """Return where the characters of its shape are in a text."""
        first = len(text) - len(text.lstrip())
        return list(accumulate(map(len, self.every.findall(text.strip())), initial=first))


def reading_of(text: str, expression: Expression) -> Reading:
    """Return a tree as the reading of a text that it was made of, or of what it prints."""
    return Reading(text, expression, parts_of(expression), attrgetter("value"), _own_columns)


def _own_columns() -> Columns:
    """Return the columns of a text that is its own shape."""
    return range(sys.maxsize)


def read(text: str, game: Game, *, remembered: bool = True) -> Reading:
    """Read a formula, and the target that it states.

    What `parse_statement` says of a text is said here, in the same words and of the same places.
    Without `remembered` the text itself is parsed.

    >>> from crisps24 import GAMES
    >>> reading = read("12 + 3 = 15", GAMES["cards"])
    >>> reading.numbers, reading.target
    ([12, 3], 15)

    Raises what `parse` raises.
    """
    line, operators = plain(text), tuple(OPERATORS.values())
    pieces = _pieces(game, operators)
    columns: Callable[[], Columns] = _own_columns
    # A longer text is its own shape. It may have a number of too many digits, which could not be
    # seen in another.
    if remembered and len(text) <= LONGEST_REMEMBERED:
        shape = _remembered(pieces.shape_of(line), game, operators)
        columns = partial(pieces.columns_of, line)
    else:
        shape = _parsed(text, game)
    if shape.fault is not None:
        raise _error(shape.fault, text, game, columns())
    if shape.order:
        found = pieces.numbers.findall(line)
        words = [found[number] for number in shape.order]
    else:
        at = columns()
        words = [line[at[start] : at[end]] for start, end in shape.places]
    letters = dict(game.letters)
    numbers = [number_named(word, letters) for word in words]
    target = None if shape.target is None else _target(shape.target, text, game, columns)
    return Reading(
        text, shape.expression, shape.parts, lambda leaf: numbers[leaf.value], columns, target
    )


def _error(fault: Fault, text: str, game: Game, columns: Columns) -> FormulaError:
    # What ends after the end of the text is told where the text ends.
    start, end = (columns[min(column, len(columns) - 1)] for column in (fault.start, fault.end))
    return fault.tell(Reader(text, game, joins=game.join), start, end)


def _target(span: Span, text: str, game: Game, columns: Callable[[], Columns]) -> Exact:
    try:
        # Nothing is behind the target.
        return _value(plain(text).partition("=")[2].strip())
    except ValueError:
        start, end = (columns()[column] for column in span)
        return Reader(text, game, joins=game.join).target((start, end))


_value = lru_cache(maxsize=1 << 10)(parse_value)


@lru_cache(maxsize=16)
def _pieces(game: Game, operators: Sequence[Operator]) -> _Pieces:
    # Where digits are joined each is a number of its own.
    digits = "[0-9]" if game.join else "[0-9]+"
    names = "".join(name + name.lower() for name, _ in game.letters)
    spelled = "".join(spelling for operator in operators for spelling in operator.spellings)
    letters = f"[{names}]" if names and not set(names) & set(spelled) else ""
    return _Pieces(
        re.compile(digits),
        re.compile(letters) if letters else None,
        names[:1],
        re.compile(f"{digits}|{letters}" if letters else digits),
        re.compile(rf"{digits}|\s+|\S"),
    )


@lru_cache(maxsize=MOST_REMEMBERED)
def _remembered(words: str, game: Game, operators: Sequence[Operator]) -> _Shape:
    shape = _parsed(words, game)
    single = _pieces(game, operators).numbers.fullmatch
    if not all(single(words[start:end]) for start, end in shape.places):
        return shape
    ordered = sorted(shape.places)
    return shape._replace(order=[ordered.index(place) for place in shape.places])


def _parsed(text: str, game: Game) -> _Shape:
    """Have the grammar read a text, but for its numbers."""
    places: list[Span] = []
    try:
        expression, target = Reader(text, game, joins=game.join, places=places).read()
    except FaultError as found:
        return _Shape(fault=found.fault)
    return _Shape(expression, parts_of(expression), places, target.span() if target else None)
