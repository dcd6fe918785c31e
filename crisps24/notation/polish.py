"""Polish notation: operators before their two operands, as the style of that name prints it.

Owns how it is read; the signs and the letters are those of the grammar, and what it means is for
the same evaluator to say.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from crisps24.notation.errors import MalformedFormulaError
from crisps24.notation.grammar import (
    DEEPEST_NESTING,
    LONGEST_FORMULA,
    LONGEST_NUMBER,
    NO_TARGET,
    Reader,
    Span,
)
from crisps24.notation.judging import fitted
from crisps24.notation.statements import Reading, reading_of
from crisps24.notation.tokens import by_spelling, spelled
from crisps24.notation.trees import Expression, Operation
from crisps24.rules.games import Game
from crisps24.rules.operators import BELOW_ZERO, Operator


class _Operand(NamedTuple):
    """A part of the formula, and how deep it is nested."""

    tree: Expression
    depth: int


class _Open(NamedTuple):
    """An operator that waits for operands, where it stands, and those that it has."""

    operator: Operator
    start: int
    operands: list[_Operand]


def read_polish(text: str, game: Game) -> Reading:
    """Read a formula in Polish notation, and the target that it states.

    >>> from crisps24 import GAMES
    >>> reading = read_polish("/ 8 - 3 / 8 3 = 24", GAMES["cards"])
    >>> str(reading.expression), reading.target
    ('8 / (3 - 8 / 3)', 24)

    Raises `MalformedFormulaError` where it is none, and `IllegalFormulaError` where it would need
    parentheses and the game has none.
    """
    reader = Reader(text, game, joins=game.join)
    if len(text) > LONGEST_FORMULA:
        _fail(f"{len(text):,} characters; a formula has at most {LONGEST_FORMULA:,}", text, 0)
    formula, sign, _ = reader.line.partition("=")
    tree = fitted(_tree(reader, formula.rstrip()), game, text, 0, len(text))
    target = None
    if sign:
        stated = reader.line[len(formula) + 1 :]
        start = len(reader.line) - len(stated.lstrip())
        if not stated.strip():
            _fail(NO_TARGET, text, start)
        target = reader.target((start, start + len(stated.strip())))
    return reading_of(text, tree)._replace(target=target)


def _tree(reader: Reader, line: str) -> Expression:
    waiting: list[_Open] = []
    found: _Operand | None = None
    for word, (start, end) in _words(reader, line):
        if found is not None:
            _fail(f"the formula is complete before {word}", reader.text, start, end - start)
        operator = by_spelling(reader.operators).get(word)
        if operator is not None:
            waiting.append(_Open(operator, start, []))
            continue
        found = _Operand(_number(reader, word, start), 0)
        while waiting and found is not None:
            waiting[-1].operands.append(found)
            found = _closed(waiting.pop(), reader) if len(waiting[-1].operands) > 1 else None
    if found is None:
        missing = f"a number is missing after {line[-1]}" if line.strip() else "there is no formula"
        _fail(missing, reader.text, len(line))
    return found.tree


def _words(reader: Reader, line: str) -> Iterator[tuple[str, Span]]:
    """Yield the signs, numbers and letters of a line and where they stand."""
    letters = "".join(reader.letters)
    names = f"|[{letters}{letters.lower()}]" if letters else ""
    word = re.compile(rf" *({BELOW_ZERO}?[0-9]+|{spelled(reader.operators)}{names})")
    at = 0
    while at < len(line):
        found = word.match(line, at)
        if found is None:
            at += len(line[at:]) - len(line[at:].lstrip())
            _fail(f"{reader.text[at]!r} is not part of a formula", reader.text, at)
        yield found[1], found.span(1)
        at = found.end()


def _number(reader: Reader, word: str, start: int) -> Expression:
    if len(word) > LONGEST_NUMBER:
        _fail(f"a number of more than {LONGEST_NUMBER} digits", reader.text, start, len(word))
    if reader.splits and len(word) > 1 and word.isdecimal():
        return reader.joined(word, start)
    return reader.number(word, start)


def _closed(done: _Open, reader: Reader) -> _Operand:
    """Return an operator with its two operands, which are nested as parentheses would be."""
    left, right = done.operands
    alike = isinstance(left.tree, Operation) and (
        left.tree.operator.precedence == done.operator.precedence
    )
    depth = max(left.depth + (not alike), right.depth + 1)
    if depth > DEEPEST_NESTING:
        _fail(f"it is nested deeper than {DEEPEST_NESTING}", reader.text, done.start)
    span = (done.start, right.tree.span[1])
    tree = Operation(done.operator, left.tree, right.tree, span, reader.game.signs)
    return _Operand(tree, depth)


def _fail(reason: str, text: str, column: int, length: int = 1) -> NoReturn:
    raise MalformedFormulaError(reason, text, column, length)
