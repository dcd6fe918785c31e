"""Equations as text: read their characters and check them by the rules of a record."""

import re

from crisps24.equation_puzzles.records import (
    DIGITS,
    EQUALS,
    FORMULA,
    GAP,
    NUMBER,
    Equation,
    symbol_spellings,
)
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.statements import Statement, parse_statement
from crisps24.notation.styles import style_by_name
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN

# Places of a pattern of which nothing is known.
_FREE = (GAP, ".", "?")
_OWN_SIGN = re.compile(rf"(?:^|[^0-9\s])\s*({MINUS_PATTERN})")
_LONE_ZERO = re.compile(r"(?<![0-9])0+(?![0-9])")
_LEADING_ZERO = re.compile(r"(?<![0-9])0[0-9]+")


def symbol_signs(equation: Equation, style: str = "ascii") -> str:
    """Return how the symbols of equations are written, a character each."""
    written = [style_by_name(style).sign(operator) for operator in equation.operators]
    return "".join((DIGITS, *written, EQUALS))


def read_symbols(text: str, equation: Equation, *, pattern: bool = False) -> tuple[int | None, ...]:
    """Return the characters of a text as places in `Equation.symbols`, whatever they say.

    In a `pattern` any of `_`, `.` and `?` is a place of which nothing is known: None.

    >>> read_symbols("9×8-7 = 65", Equation()), read_symbols("..=1", Equation(), pattern=True)
    ((9, 12, 8, 10, 7, 14, 6, 5), (None, None, 14, 1))

    Raises ValueError for other characters. How many there are is not looked at.
    """
    spelled, symbols = dict(symbol_spellings(equation)), equation.symbols
    found: list[int | None] = []
    for character in normalise(text):
        if character.isspace():
            continue
        if pattern and character in _FREE:
            found.append(None)
        elif character in spelled:
            found.append(symbols.index(spelled[character]))
        else:
            signs = " ".join(symbol_signs(equation)[len(DIGITS) :])
            known = {"text": quoted(character), "known": signs}
            raise RefusedError(message("equation.character", **known))
    return tuple(found)


def read_line(text: str, equation: Equation, *, pattern: bool = False) -> tuple[int | None, ...]:
    """Return the same of a text that is as long as equations are.

    Raises ValueError for another length as well.
    """
    found = read_symbols(text, equation, pattern=pattern)
    if len(found) != equation.length:
        values = {"text": quoted(text), "length": equation.length}
        raise RefusedError(message("equation.length", count=len(found), **values))
    return found


def read_equation(text: str, equation: Equation) -> tuple[int, ...]:
    """Return the characters of an equation as places in `Equation.symbols`.

    >>> read_equation("1+2=3", Equation(5))
    (1, 11, 2, 14, 3)
    >>> read_equation("1+2=4", Equation(5))
    Traceback (most recent call last):
    crisps24.notation.errors.FormulaError: wrong: the left side is 3, the right side is 4

    Raises ValueError for a text of other characters, or of more or fewer; `FormulaError`, located
    in the text, for what is no equation by the record.
    """
    symbols = read_line(text, equation)
    places = [place for place, character in enumerate(normalise(text)) if character == EQUALS]
    if len(places) != 1:
        reason = message("equation.several_equals" if places else "equation.no_equals")
        raise MalformedFormulaError(reason, text, places[1] if places else 0, 1)
    sides = {"left": (0, places[0]), "right": (places[0] + 1, len(text))}
    values = [_value_of(text, *span, equation) for span in sides.values()]
    kinds = tuple(_kind_of(text[start:end]) for start, end in sides.values())
    for side, kind, allowed in zip(sides, kinds, zip(*equation.sides, strict=True), strict=True):
        if kind not in allowed:
            what = "number" if kind == NUMBER else "operator"
            start, end = sides[side]
            reason = message(f"equation.{side}_{what}")
            raise IllegalFormulaError(reason, text, start, end - start)
    if kinds not in equation.sides:
        raise IllegalFormulaError(message("equation.no_operator"), text, 0, len(text))
    if values[0] != values[1]:
        reason = message("equation.unequal", left=values[0], right=values[1])
        raise FormulaError(reason, text, 0, len(text), "value")
    return tuple(symbol for symbol in symbols if symbol is not None)


def _kind_of(side: str) -> str:
    return NUMBER if normalise(side).strip().isdecimal() else FORMULA


def _value_of(text: str, start: int, end: int, equation: Equation) -> Exact:
    """Return what a side of a text makes, or say where it is not right."""
    side = text[start:end]
    try:
        statement = parse_statement(side, equation.game)
        _refuse_numbers(side, statement, equation)
        return statement.value_in(equation.game, [*statement.numbers, 0], "ascii")
    except FormulaError as error:
        at = start + error.position
        raise type(error)(error.message, text, at, error.length, error.code) from None


def _refuse_numbers(side: str, statement: Statement, equation: Equation) -> None:
    """Refuse numbers that a side cannot have."""
    if min(statement.numbers) < 0:
        sign = _OWN_SIGN.search(normalise(side))
        at = sign.start(1) if sign else 0
        raise IllegalFormulaError(message("equation.own_sign"), side, at, 1, "sign")
    leading = not equation.leading_zeros and _LEADING_ZERO.search(normalise(side))
    lone = (
        not equation.lone_zeros and _kind_of(side) == FORMULA and _LONE_ZERO.search(normalise(side))
    )
    if found := leading or lone:
        reason = message("equation.lone_zero")
        if leading:
            reason = message("step.leading_zero", step=found[0])
        raise IllegalFormulaError(reason, side, found.start(), len(found[0]), "number")
