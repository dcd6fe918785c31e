"""Parse rows with missing signs: numbers, with `_` for each missing sign between them."""

import re
from dataclasses import dataclass

from crisps24.equation_puzzles.records import EQUALS, GAP
from crisps24.messages.message import message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.parser import MAX_NUMBER_LENGTH, normalise_formula
from crisps24.notation.spellings import Syntax, syntax_for
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS


@dataclass(frozen=True, slots=True)
class Gaps:
    """Numbers in a row and the signs between them; at least one sign is missing.

    >>> from crisps24 import GAMES
    >>> read_gaps("4_3 * 8_4=24", GAMES["crisps"])
    Gaps(numbers=(4, 3, 8, 4, 24), signs=(None, 'x', None, '='))
    >>> str(_)
    '4 _ 3 x 8 _ 4 = 24'
    """

    numbers: tuple[int, ...]
    signs: tuple[str | None, ...]
    """Names of operators, and `=`; None for a missing sign."""

    def __str__(self) -> str:
        words = [str(self.numbers[0])]
        for sign, number in zip(self.signs, self.numbers[1:], strict=True):
            words += [GAP if sign is None else sign, str(number)]
        return " ".join(words)


def read_gaps(text: str, game: Game) -> Gaps:
    """Parse a row of numbers and signs, in which `_` is a missing sign."""
    numbers: list[int] = []
    signs: list[str | None] = []
    line = normalise_formula(text)
    syntax = syntax_for((), tuple(OPERATORS.values()), joins_digits=False)
    word = re.compile(rf"\s*(?:([0-9]+)|({GAP}|{EQUALS}|{syntax.sign_pattern})|(\S)|$)")
    position = 0
    while match := word.match(line, position):
        number, sign, unknown = match.groups()
        start, end = match.span(match.lastindex or 0)
        # Numbers and signs come in turn, and a number comes first and last.
        needs_number = len(numbers) == len(signs)
        at_end = not match.lastindex
        if at_end and not needs_number:
            break
        if at_end or unknown or needs_number != bool(number):
            raise _misplaced(match, text)
        if number:
            if len(number) > MAX_NUMBER_LENGTH:
                reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
                raise MalformedFormulaError(reason, text, start, end - start, "number")
            numbers.append(int(number))
        else:
            signs.append(_sign_of(sign, syntax, game, text, start))
        position = end
    if signs.count(EQUALS) > 1:
        reason = message("equation.several_equals")
        raise MalformedFormulaError(reason, text, line.rindex(EQUALS))
    if None not in signs:
        reason = message("equation.no_gap", gap=GAP)
        raise MalformedFormulaError(reason, text, 0, len(text))
    return Gaps(tuple(numbers), tuple(signs))


def _sign_of(sign: str, syntax: Syntax, game: Game, text: str, start: int) -> str | None:
    """Return the name of an operator, `=` itself, or None for a missing sign."""
    if sign in (GAP, EQUALS):
        return None if sign == GAP else sign
    operator = syntax.operators[sign]
    if operator.name not in game.operators:
        known = " ".join(game.operators)
        reason = message("formula.no_operator", sign=sign, known=known)
        raise IllegalFormulaError(reason, text, start, len(sign))
    return operator.name


def _misplaced(match: re.Match[str], text: str) -> FormulaError:
    """Return the error for a word that cannot stand in its place of a row of numbers and signs."""
    number, sign, unknown = match.groups()
    start, end = match.span(match.lastindex or 0)
    if unknown:
        character = escape_unprintable(text[start:end])
        reason, code = message("formula.not_part", sign=character), "character"
    elif number:
        reason, code = message("equation.sign_missing", gap=GAP, number=number), ""
    else:
        reason, code = message("formula.number_missing_before", after=sign), ""
        if not sign:
            reason = message("equation.number_missing_at_end")
    return MalformedFormulaError(reason, text, start, end - start, code)
