"""Parse equations that players type, and check them by the rules of an `Equation`.

`read_symbols` reads a text of any length, `read_line` also checks the length, and `read_equation`
also the rules and the values of both sides.
"""

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

# Unknown characters of a pattern.
_UNKNOWN = (GAP, ".", "?")
_SIGN_OF_NUMBER = re.compile(rf"(?:^|[^0-9\s])\s*({MINUS_PATTERN})")
_LONE_ZERO = re.compile(r"(?<![0-9])0+(?![0-9])")
_LEADING_ZERO = re.compile(r"(?<![0-9])0[0-9]+")


def symbol_signs(equation: Equation, style: str = "ascii") -> str:
    """Return the characters of `Equation.symbols` in a style of formulas, in the same order."""
    signs = [style_by_name(style).sign(operator) for operator in equation.operators]
    return "".join((DIGITS, *signs, EQUALS))


def read_symbols(text: str, equation: Equation, *, pattern: bool = False) -> tuple[int | None, ...]:
    """Return the characters of a text as indices in `Equation.symbols`; spaces are skipped.

    >>> read_symbols("9×8-7 = 65", Equation()), read_symbols("..=1", Equation(), pattern=True)
    ((9, 12, 8, 10, 7, 14, 6, 5), (None, None, 14, 1))
    """
    spellings, symbols = dict(symbol_spellings(equation)), equation.symbols
    codes: list[int | None] = []
    for character in normalise(text):
        if character.isspace():
            continue
        if pattern and character in _UNKNOWN:
            codes.append(None)
        elif character in spellings:
            codes.append(symbols.index(spellings[character]))
        else:
            signs = " ".join(symbol_signs(equation)[len(DIGITS) :])
            known = {"text": quoted(character), "known": signs}
            raise RefusedError(message("equation.character", **known))
    return tuple(codes)


def read_line(text: str, equation: Equation, *, pattern: bool = False) -> tuple[int | None, ...]:
    """Return the characters of an equation as indices in `Equation.symbols`; spaces are skipped."""
    codes = read_symbols(text, equation, pattern=pattern)
    if len(codes) != equation.length:
        values = {"text": quoted(text), "length": equation.length}
        raise RefusedError(message("equation.length", count=len(codes), **values))
    return codes


def read_equation(text: str, equation: Equation) -> tuple[int, ...]:
    """Return the characters of a right equation as indices in `Equation.symbols`."""
    symbols = read_line(text, equation)
    equals_signs = [place for place, character in enumerate(normalise(text)) if character == EQUALS]
    if not equals_signs:
        raise MalformedFormulaError(message("equation.no_equals"), text, 0, 1)
    if len(equals_signs) > 1:
        reason = message("equation.several_equals")
        raise MalformedFormulaError(reason, text, equals_signs[1], 1)
    [equals_place] = equals_signs
    left_value = _value_of(text, 0, equals_place, equation)
    right_value = _value_of(text, equals_place + 1, len(text), equation)
    _check_sides(text, equals_place, equation)
    if left_value != right_value:
        reason = message("equation.unequal", left=left_value, right=right_value)
        raise FormulaError(reason, text, 0, len(text), "value")
    return tuple(symbol for symbol in symbols if symbol is not None)


def _check_sides(text: str, equals_place: int, equation: Equation) -> None:
    """Raise IllegalFormulaError if a side of an equation has a kind that the record forbids."""
    spans = {"left": (0, equals_place), "right": (equals_place + 1, len(text))}
    kinds = tuple(_kind_of(text[start:end]) for start, end in spans.values())
    allowed_left, allowed_right = zip(*equation.sides, strict=True)
    for side, kind, allowed in zip(spans, kinds, (allowed_left, allowed_right), strict=True):
        if kind not in allowed:
            part = "number" if kind == NUMBER else "operator"
            start, end = spans[side]
            reason = message(f"equation.{side}_{part}")
            raise IllegalFormulaError(reason, text, start, end - start)
    if kinds not in equation.sides:
        raise IllegalFormulaError(message("equation.no_operator"), text, 0, len(text))


def _kind_of(side: str) -> str:
    return NUMBER if normalise(side).strip().isdecimal() else FORMULA


def _value_of(text: str, start: int, end: int, equation: Equation) -> Exact:
    side = text[start:end]
    try:
        statement = parse_statement(side, equation.game)
        _check_numbers(side, statement, equation)
        return statement.value_in(equation.game, [*statement.numbers, 0], "ascii")
    except FormulaError as error:
        # The error has a position in the side; the caller needs it in the whole text.
        position = start + error.position
        raise type(error)(error.message, text, position, error.length, error.code) from None


def _check_numbers(side: str, statement: Statement, equation: Equation) -> None:
    """Raise IllegalFormulaError for a number of one side of an equation that the record forbids."""
    if min(statement.numbers) < 0:
        sign = _SIGN_OF_NUMBER.search(normalise(side))
        position = sign.start(1) if sign else 0
        raise IllegalFormulaError(message("equation.own_sign"), side, position, 1, "sign")
    digits = normalise(side)
    match = None if equation.leading_zeros else _LEADING_ZERO.search(digits)
    reason = message("step.leading_zero", step=match[0]) if match else None
    if match is None and not equation.lone_zeros and _kind_of(side) == FORMULA:
        match, reason = _LONE_ZERO.search(digits), message("equation.lone_zero")
    if match is not None and reason is not None:
        raise IllegalFormulaError(reason, side, match.start(), len(match[0]), "number")
