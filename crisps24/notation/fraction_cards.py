"""Formulas with the fractions of a hand: `6 / (3 / 3 - 3/4)` for the hand 3 3/4 3 6.

A formula writes the card 3/4 as a quotient of two numbers, as a decimal or as one character. Before
the text is parsed, decimals and characters are replaced by digits of the same length, so that the
grammar reads each as one number, and all columns stay. Then each quotient that can be a fraction of
the hand is replaced in the same way, as many as fit the hand best. In `6 / 3/4`, the 3/4 is no
operand: the formula is (6 / 3) / 4. If the hand needs it to be one, brackets are missing.

Other hands do not need any of this. A formula is parsed once for each choice of quotients: rarely
more than twice.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from crisps24.notation.errors import IllegalFormulaError
from crisps24.notation.parser import LATEX_FRACTION, normalise_formula
from crisps24.notation.spellings import DIVISION
from crisps24.notation.statements import Statement, parse_polish, parse_statement
from crisps24.notation.trees import NoOperand, Operation, parts_of
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.operators import MINUS, MINUS_PATTERN, OPERATORS
from crisps24.rules.words import VULGAR_FRACTIONS, parse_value

# Digits of a number of a quotient; longer numbers are never cards.
_NUMBER = "[0-9]{1,30}"
# A decimal, or a character such as ¾ with or without whole numbers in front: 1½.
_LITERAL = re.compile(
    rf"(?<![0-9.])(?:[0-9]{{0,30}}\.[0-9]{{1,30}}|[0-9]{{0,30}}[{VULGAR_FRACTIONS}])(?![0-9.])"
)
_SIGN = "|".join(map(re.escape, OPERATORS[DIVISION].spellings))
_QUOTIENT = re.compile(
    rf"{LATEX_FRACTION.pattern}|(?<![0-9.])({_NUMBER})\s*(?:{_SIGN})\s*({_NUMBER})(?![0-9.])"
)
# A fraction in brackets, with or without a minus.
_BRACKETED = re.compile(rf"\(\s*({MINUS_PATTERN}?)\s*({_QUOTIENT.pattern}|{_LITERAL.pattern})\s*\)")
# Digits that replace a number of a text.
_MAX_PLACEHOLDER = 60
_DIGITS = frozenset("0123456789")
# Choices of quotients that are tried for one formula.
_MAX_CHOICES = 200


class WrittenNumber(NamedTuple):
    """A number of a text that the grammar would not read as one number, with its columns."""

    start: int
    end: int
    value: Exact


def parse_with_fractions(text: str, game: Game, card: Sequence[Exact] | None) -> Statement:
    """Parse a formula for a card with fractions, as `parse_for_card` does."""
    line = normalise_formula(text, game.extra_operators)
    reader = _Reader(text, game, card, line)
    try:
        plain = reader.parse([])
    except IllegalFormulaError:
        # Only as a number can a fraction of LaTeX be here, in a game without parentheses.
        plain = reader.parse(reader.latex_fractions())
    operands = reader.operands(plain)
    best = reader.best_reading(plain, operands)
    if card is None:
        return best
    if not reader.misfit(best):
        # Of several readings that fit, take the one in which the cards are in brackets, as they are
        # printed: (3/4) is a card, and 3 / 4 a division.
        operands.sort(key=reader.is_bracketed, reverse=True)
        return reader.best_reading(plain, operands) if len(operands) > 1 else best
    # A quotient after a division is no operand, but its writer may have meant one.
    quotients = reader.quotients()
    meant = reader.best_reading(plain, quotients)
    if reader.misfit(meant):
        return best
    unbracketed = next(quotient for quotient in quotients if quotient not in operands)
    return best._replace(unbracketed=line[unbracketed.start : unbracketed.end])


def parse_polish_with_fractions(text: str, game: Game) -> Statement:
    """Parse a formula in Polish notation and fractions in brackets: `- 6 (3/4)`."""
    line = normalise_formula(text, game.extra_operators)
    end = line.find("=") if "=" in line else len(line)
    numbers = [*_bracketed(line, end)]
    # Alone, a fraction is printed without brackets.
    for number in _bracketed(f"({line[:end]})", end + 2):
        if number.start == 0 and number.end == end + 2:
            numbers = [number._replace(end=len(line[:end].rstrip()))]
    numbers += find_literals(with_placeholders(line, numbers, " ")[:end])
    value_by_end = {number.end: number.value for number in numbers}
    return parse_polish(text, game, with_placeholders(line, numbers), value_by_end)


class _Reader:
    """The readings of one formula: with some of its quotients as numbers of the card."""

    def __init__(self, text: str, game: Game, card: Sequence[Exact] | None, line: str) -> None:
        self.text = text
        self.game = game
        self.card = card
        self.line = line
        self.numbers = frozenset(game.numbers if card is None else card)
        self.fractions = {number for number in self.numbers if not isinstance(number, int)}
        # A target after the = is read elsewhere.
        self.end = line.find("=") if "=" in line else len(line)
        self.literals = [*find_literals(line[: self.end])]
        if not game.parentheses:
            # Brackets around a fraction are part of the number: 8 - (3/4).
            self.literals = [*filter(self.is_of_card, _bracketed(line, self.end))]
            bare_line = with_placeholders(line, self.literals, " ")
            self.literals += find_literals(bare_line[: self.end])

    def parse(self, quotients: Sequence[WrittenNumber]) -> Statement:
        """Parse the formula with these quotients, and all decimals, as numbers."""
        written_numbers = [*self.literals, *quotients]
        line = with_placeholders(self.line, written_numbers)
        value_by_end = {number.end: number.value for number in written_numbers}
        return parse_statement(self.text, self.game, line, value_by_end)

    def operands(self, plain: Statement) -> list[WrittenNumber]:
        """Return the quotients of a parsed formula that can be read as fractions of the card.

        Such a quotient is a LaTeX fraction, an operand of its own, or the last factor of a product:
        6 x 3/4 is (6 x 3)/4.
        """
        operands = self.latex_fractions()
        for operation in parts_of(plain.tree).operations:
            left, right = operation.left, operation.right
            if operation.operator.name != DIVISION or isinstance(right, NoOperand):
                continue
            if isinstance(left, Operation) and left.operator.inverse == DIVISION:
                left = left.right
            start, end = plain.span_of(left)[0], plain.span_of(right)[1]
            # The minus of -3/4 stays in front of the fraction.
            while self.line[start] in MINUS.spellings or self.line[start].isspace():
                start += 1
            # With other operands than numbers, the part of the line is no quotient of two numbers.
            if match := _QUOTIENT.fullmatch(self.line, start, end):
                operands.append(_quotient_number(match))
        return sorted(filter(self.is_of_card, operands))

    def latex_fractions(self) -> list[WrittenNumber]:
        fractions = LATEX_FRACTION.finditer(self.line, 0, self.end)
        return [*filter(self.is_of_card, map(_quotient_number, fractions))]

    def is_bracketed(self, number: WrittenNumber) -> bool:
        return self.line[: number.start].rstrip()[-1:] == "("

    def quotients(self) -> list[WrittenNumber]:
        """Return all quotients of the text that have the value of a fraction of the card."""
        numbers = []
        match = _QUOTIENT.search(self.line, 0, self.end)
        while match is not None:
            numbers.append(_quotient_number(match))
            # Quotients can overlap: 6/3/4 has 6/3 and 3/4.
            match = _QUOTIENT.search(self.line, match.start() + 1, self.end)
        return [*filter(self.is_of_card, numbers)]

    def is_of_card(self, number: WrittenNumber) -> bool:
        """Return whether a number, with or without a minus, is a fraction of the card."""
        return number.value in self.fractions or -number.value in self.fractions

    def best_reading(self, plain: Statement, quotients: Sequence[WrittenNumber]) -> Statement:
        """Return the reading whose numbers fit the card best, of equal ones with most quotients."""
        most = len(quotients)
        if self.card is not None:
            most = min(most, sum(number.denominator > 1 for number in self.card))
            if len(plain.numbers) > len(self.card) + most:
                # No choice fits: take the first quotients, so that the reason names few numbers.
                return self.parse(quotients[:most])
        choices = (
            choice for size in range(most, -1, -1) for choice in combinations(quotients, size)
        )
        best, best_misfit = plain, self.misfit(plain) + 1
        for choice in islice(choices, _MAX_CHOICES):
            if any(left.end > right.start for left, right in pairwise(sorted(choice))):
                continue
            try:
                reading = self.parse(choice)
            except IllegalFormulaError:
                continue
            misfit = self.misfit(reading)
            if misfit < best_misfit:
                best, best_misfit = reading, misfit
            if not misfit:
                break
        return best

    def misfit(self, statement: Statement) -> int:
        """Return how many numbers of a formula and of the card, or of the game, differ."""
        if self.card is None:
            numbers = statement.card_numbers(self.game)
            unknown = sum(number not in self.numbers for number in numbers)
            return abs(len(numbers) - self.game.length) + unknown
        used, dealt = Counter(statement.card_numbers(self.game, self.card)), Counter(self.card)
        unused = dealt - used if self.game.all_numbers else Counter()
        return (used - dealt).total() + unused.total()


def find_literals(line: str) -> Iterator[WrittenNumber]:
    """Yield the decimals and the characters such as ¾ of a line."""
    for match in _LITERAL.finditer(line):
        yield WrittenNumber(*match.span(), parse_value(match[0]))


def _bracketed(line: str, end: int) -> Iterator[WrittenNumber]:
    """Yield the fractions in brackets before a column of a line, with their brackets."""
    for match in _BRACKETED.finditer(line, 0, end):
        quotient = _QUOTIENT.fullmatch(match[2])
        value = _quotient_number(quotient).value if quotient else parse_value(match[2])
        yield WrittenNumber(*match.span(), -value if match[1] else value)


def with_placeholders(line: str, numbers: Iterable[WrittenNumber], sign: str = "1") -> str:
    """Return a line in which a sign, repeated, replaces each of some numbers that no digit touches.

    So `2(3/4)` and `½½` are not read as one number.
    """
    for start, end, _ in numbers:
        if not {*line[max(start - 1, 0) : start], *line[end : end + 1]} & _DIGITS:
            # Spaces in front, since the grammar refuses numbers of many digits.
            placeholder = sign * min(end - start, _MAX_PLACEHOLDER)
            line = f"{line[:start]}{placeholder.rjust(end - start)}{line[end:]}"
    return line


def _quotient_number(match: re.Match[str]) -> WrittenNumber:
    """Return the number of a match of `_QUOTIENT`; a quotient by 0 becomes 0, which is no card."""
    numerator, denominator = (int(digits) for digits in match.groups() if digits is not None)
    value = Fraction(numerator, denominator) if denominator else 0
    return WrittenNumber(*match.span(), int_if_whole(value))
