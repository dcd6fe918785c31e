"""Missing signs as text: numbers in a row, with `_` for each sign between them that is missing."""

import re
from dataclasses import dataclass

from crisps24.equation_puzzles.records import EQUALS, GAP
from crisps24.messages.message import message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.grammar import MAX_NUMBER_LENGTH, normalise_formula
from crisps24.notation.spellings import Spellings, spellings_of
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS


@dataclass(frozen=True, slots=True)
class Gaps:
    """Numbers in a row and the signs between them, of which some are missing.

    >>> from crisps24 import GAMES
    >>> read_gaps("4_3 * 8_4=24", GAMES["crisps"])
    Gaps(numbers=(4, 3, 8, 4, 24), signs=(None, 'x', None, '='))
    >>> str(_)
    '4 _ 3 x 8 _ 4 = 24'
    """

    numbers: tuple[int, ...]
    signs: tuple[str | None, ...]
    """Operators by their names, and `=`; None for one that is missing."""

    def __str__(self) -> str:
        words = [str(self.numbers[0])]
        for sign, number in zip(self.signs, self.numbers[1:], strict=True):
            words += [GAP if sign is None else sign, str(number)]
        return " ".join(words)


def read_gaps(text: str, game: Game) -> Gaps:
    """Return the numbers of a text and the signs between them.

    Where there is no `=`, it is one of those that are missing.

    Raises `FormulaError`, located in the text, for what is no such row, and where nothing is
    missing.
    """
    numbers: list[int] = []
    signs: list[str | None] = []
    line = normalise_formula(text)
    spellings = spellings_of((), tuple(OPERATORS.values()), joins=False)
    word = re.compile(rf"\s*(?:([0-9]+)|({GAP}|{EQUALS}|{spellings.sign_pattern})|(\S)|$)")
    at = 0
    while found := word.match(line, at):
        number, sign, strange = found.groups()
        start, end = found.span(found.lastindex or 0)
        wants_number, ended = len(numbers) == len(signs), not found.lastindex
        if ended and not wants_number:
            break
        if ended or strange or wants_number != bool(number):
            raise _misplaced(found, text)
        if number:
            if len(number) > MAX_NUMBER_LENGTH:
                reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
                raise MalformedFormulaError(reason, text, start, end - start, "number")
            numbers.append(int(number))
        else:
            signs.append(_sign_of(sign, spellings, game, text, start))
        at = end
    if signs.count(EQUALS) > 1:
        reason = message("equation.several_equals")
        raise MalformedFormulaError(reason, text, line.rindex(EQUALS))
    if None not in signs:
        reason = message("equation.no_gap", gap=GAP)
        raise MalformedFormulaError(reason, text, 0, len(text))
    return Gaps(tuple(numbers), tuple(signs))


def _sign_of(sign: str, spellings: Spellings, game: Game, text: str, start: int) -> str | None:
    """Return the name of a sign, None for a gap."""
    if sign in (GAP, EQUALS):
        return None if sign == GAP else sign
    operator = spellings.operators[sign]
    if operator.name not in game.operators:
        known = " ".join(game.operators)
        reason = message("formula.no_operator", sign=sign, known=known)
        raise IllegalFormulaError(reason, text, start, len(sign))
    return operator.name


def _misplaced(found: re.Match[str], text: str) -> FormulaError:
    """Return what is said of a word that stands where another has to."""
    number, sign, strange = found.groups()
    start, end = found.span(found.lastindex or 0)
    if strange:
        reason, code = (
            message("formula.not_part", sign=escape_unprintable(text[start:end])),
            "character",
        )
    elif number:
        reason, code = message("equation.sign_missing", gap=GAP, number=number), ""
    else:
        reason, code = message("formula.number_missing_before", after=sign), ""
        if not sign:
            reason = message("equation.number_missing_at_end")
    return MalformedFormulaError(reason, text, start, end - start, code)
