"""Text to tree: the grammar, with located errors in the words of the game.

Owns precedence and the reading of formulas; whether what was read is legal is not its business.

    statement = formula [ "=" target ]
    formula   = term { ("+" | "-") term }
    term      = operand { ("x" | ":") operand }
    operand   = number | "(" formula ")" | "[" formula "]"

The two middle lines are made from the precedences and spellings of `OPERATORS`, in `tokens`; in a
game that joins digits a number is a chain of them, and the tightest of these lines. A formula in
parentheses is parsed before the one around it and handed to it as one token, innermost first, so
that no input makes the grammar recurse.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any, NamedTuple, NoReturn

import pyparsing as pp

from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.tokens import (
    FILLER,
    LONGEST_REMEMBERED,
    PARSED,
    by_spelling,
    formula_of,
    group_of,
    known_tokens_of,
    spelled,
    spellings_of,
    statement_of,
    tokens_of,
)
from crisps24.notation.trees import Expression, Number, Operation, numbers_of, typed
from crisps24.rules.characters import plain
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, find_game
from crisps24.rules.operators import JOIN, OPERATORS
from crisps24.rules.words import parse_value

# Where something stands in a text: its first column, and the one after the last.
Span = tuple[int, int]

LONGEST_FORMULA = 10_000
LONGEST_NUMBER = 100
DEEPEST_NESTING = 100
NO_TARGET = "after = a target is missing"

# How parentheses may be typed: what opens one to what closes it.
CLOSINGS = {"(": ")", "[": "]"}

_SPACE = re.compile(r"\s")
# How powers may be typed, which are told from what else is part of no formula.
_POWER = re.compile(r"\*\*|\^|(?<=[0-9a-zA-Z)\]])[²³⁴-⁹]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A formula as it was read, and the target that it states, if it does."""

    expression: Expression
    target: Exact | None


def parse(text: str, game: Game | str = "crisps") -> Expression:
    """Read a formula into a tree, grouped by the precedence of the game.

    Any spacing, any spelling of the signs and a `= target` at the end are read; whether the
    numbers and the steps are legal is for `evaluate` to say.

    >>> parse("2+8×9")
    parse('2 + 8 x 9', 'digits')

    Raises `MalformedFormulaError` for what is no formula, and `IllegalFormulaError` for
    parentheses in a game that has none.
    """
    return parse_statement(text, game).expression


def parse_statement(text: str, game: Game | str = "crisps") -> Statement:
    """Read a formula and the target that it states; see `parse`.

    >>> parse_statement("1 x 2 x 3 x 4 = 24").target
    24
    """
    game = find_game(game)
    return Reader(typed(text), game, joins=game.join).statement()


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Read a row of operators into a tree whose numbers are the places 0, 1, 2, … of the row.

    >>> parse_pattern(("+", "x"), find_game("crisps"))
    parse('0 + 1 x 2', 'digits')
    """
    places = (f"{operator} {place}" for place, operator in enumerate(operators, 1))
    # A place of two digits is one place: here digits are joined by their sign alone.
    text = " ".join(("0", *places))
    return Reader(text, game, joins=JOIN.name in operators, splits=False).statement().expression


class Fault(NamedTuple):
    """What is wrong with a text: from which column to which, and what tells it of a text.

    It tells it of another text of the same shape as well, from the columns that are these there.
    """

    start: int
    end: int
    tell: Callable[["Reader", int, int], FormulaError]


class FaultError(Exception):
    """A text cannot be read, for a fault; it never leaves this wing."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Reader:
    """One text on its way to a tree.

    `joins` says whether digits may be joined, and `splits` whether a number of more digits than
    one is read as its digits, joined. With `places` the numbers of the tree are places in that
    list, which is given the spans of the numbers in the text.
    """

    def __init__(
        self,
        text: str,
        game: Game,
        *,
        joins: bool,
        splits: bool = True,
        places: list[Span] | None = None,
    ) -> None:
        self.text = text
        self.game = game
        self.splits = joins and splits
        self.places = places
        self.operators = tuple(each for each in OPERATORS.values() if joins or not each.joins)
        self.letters = dict(game.letters)
        # Every kind of white space is a space, so that columns are what a person counts.
        self.line = _SPACE.sub(" ", plain(text))
        self.parsed: dict[int, Expression] = {}

    def statement(self) -> Statement:
        """Return what was read, or raise what is wrong with it."""
        try:
            expression, stated = self.read()
        except FaultError as found:
            raise self.error(found.fault) from None
        return Statement(expression, self.target(stated.span()) if stated else None)

    def read(self) -> tuple[Expression, re.Match[str] | None]:
        """Return the tree, and where a target is stated, if one is; raise `FaultError`."""
        if len(self.text) > LONGEST_FORMULA:
            size = f"{len(self.text):,} characters"
            self.fail(f"{size}; a formula has at most {LONGEST_FORMULA:,}", LONGEST_FORMULA)
        for reserved in (PARSED, FILLER):
            if reserved in self.line:
                self.stop(self.line.index(reserved))
        pairs = self.pairs()
        if pairs and not self.game.parentheses:
            reason, start = f"{self.game.name} has no parentheses", min(pairs)[0]
            self.fail(reason, start, kind=IllegalFormulaError)
        rest, grammar = self.line, formula_of("".join(self.letters), self.operators)
        for start, end in pairs:
            [token] = self.tokens(group_of(grammar), rest[start + 1 : end], start + 1)
            self.parsed[start] = self.tree(token, start + 1)
            rest = rest[:start] + PARSED + FILLER * (end - start) + rest[end + 1 :]
        token, *stated = self.tokens(statement_of(grammar), rest, 0)
        expression = _GROUPINGS[self.game.grouping](self.tree(token, 0), self)
        return expression, stated[0] if stated else None

    def error(self, fault: Fault) -> FormulaError:
        """Return what is to be raised for a fault of this text."""
        return fault.tell(self, fault.start, fault.end)

    def pairs(self) -> list[tuple[int, int]]:
        """Return where parentheses open and close, inner ones before outer ones."""
        pairs, opened = [], []
        for column, character in enumerate(self.line):
            if character in CLOSINGS:
                opened.append(column)
                if len(opened) > DEEPEST_NESTING:
                    self.fail(f"parentheses are nested deeper than {DEEPEST_NESTING}", column)
            elif character in CLOSINGS.values():
                if not opened:
                    self.fail(f"this {character} closes nothing", column)
                begin = self.line[opened[-1]]
                if CLOSINGS[begin] != character:
                    self.fail(f"this {character} does not close the {begin} before it", column)
                pairs.append((opened.pop(), column))
        if opened:
            self.fail(f"this {self.line[opened[-1]]} is never closed", opened[-1])
        return pairs

    def tokens(self, grammar: pp.ParserElement, text: str, start: int) -> list[Any]:
        """Run the grammar over a text without parentheses that begins at a column."""
        remembered = self.places is not None and len(text) <= LONGEST_REMEMBERED
        found = (known_tokens_of if remembered else tokens_of)(grammar, text)
        if isinstance(found, int):
            self.stop(start + found)
        return found

    def tree(self, token: Any, start: int) -> Expression:
        """Turn what the grammar gathered, a chain or the match of an operand, into a tree."""
        if isinstance(token, list):
            operands = [self.tree(operand, start) for operand in token[::2]]
            links = zip(token[1::2], operands[1:], strict=True)
            return reduce(self.join, links, operands[0])
        column, text = token.start() + start, token[0]
        if text[0] == PARSED:
            return replace(self.parsed[column], span=(column, column + len(text)))
        if len(text) > LONGEST_NUMBER < sum(map(str.isdecimal, text)):
            self.fail(f"a number of more than {LONGEST_NUMBER} digits", column, len(text))
        if self.splits and len(text) > 1 and text.isdecimal():
            return self.joined(text, column)
        return self.number(text, column)

    def number(self, text: str, column: int) -> Number:
        """Return the leaf for a number at a column."""
        span = (column, column + len(text))
        if self.places is None:
            return Number(number_named(text, self.letters), span)
        self.places.append(span)
        return Number(len(self.places) - 1, span)

    def joined(self, text: str, column: int) -> Expression:
        """Return the digits of a number, each a number of the game, as what joins them."""
        first, *others = (self.number(digit, at) for at, digit in enumerate(text, column))
        tree: Expression = first
        for digit in others:
            tree = self.join(tree, (JOIN.name, digit))
        return tree

    def join(self, left: Expression, link: tuple[str, Expression]) -> Operation:
        """Return what a sign and what follows it make of what is before it."""
        sign, right = link
        operator, span = by_spelling(self.operators)[sign], (left.span[0], right.span[1])
        if operator.joins and self.splits:
            if isinstance(right, Operation) and right.operator.joins:
                # 1 | 23 is 12 | 3: digits are joined from left to right.
                return self.join(self.join(left, (sign, right.left)), (sign, right.right))
            for part in (left, right):
                self.refuse_to_join(part)
        return Operation(operator, left, right, span, self.game.signs)

    def refuse_to_join(self, part: Expression) -> None:
        """Refuse what is neither a digit nor a number made of digits."""
        start, end = part.span
        digits = self.text[start:end].isdecimal() if isinstance(part, Number) else False
        if not digits and not (isinstance(part, Operation) and part.operator.joins):
            raise FaultError(Fault(start, end, Reader.no_digit))

    def target(self, span: Span) -> Exact:
        """Return the target that is stated there; raise `MalformedFormulaError` for none."""
        start, end = span
        try:
            return parse_value(self.text[start:end])
        except ValueError as error:
            raise MalformedFormulaError(str(error), self.text, start, end - start) from None

    def stop(self, column: int) -> NoReturn:
        """Refuse a text where the grammar could not go on."""
        raise FaultError(Fault(column, column + 1, Reader.missing))

    def fail(
        self,
        reason: str,
        column: int,
        length: int = 1,
        kind: type[FormulaError] = MalformedFormulaError,
    ) -> NoReturn:
        """Refuse a text for a reason that has no words of it."""

        def tell(reader: Reader, start: int, end: int) -> FormulaError:
            return kind(reason, reader.text, start, end - start)

        raise FaultError(Fault(column, column + length, tell))

    def no_digit(self, start: int, end: int) -> FormulaError:
        """Say that this cannot be joined."""
        reason = f"{self.text[start:end]} is no digit to join"
        return IllegalFormulaError(reason, self.text, start, end - start)

    def missing(self, column: int, _: int) -> FormulaError:
        """Say what is wrong where the grammar could not go on."""
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        sign = self.sign_at(column)
        after = sign or self.line[column : column + 1]
        before = self.sign_before(column) or self.line[:column].rstrip()[-1:]
        place = "between {} and {}" if before and after else "after {}" if before else "before {1}"
        missing = f"a number is missing {place.format(before, after)}"
        if power := self.power_at(column):
            start, end = power
            missing = f"{self.line[start:end]} is a power, which no game has"
            return MalformedFormulaError(missing, self.text, start, end - start)
        if not self.line.strip():
            missing = "there is no formula"
        elif "=" in self.line[:column]:
            more = self.line[column:].strip()
            missing = "after = comes a target, and nothing more" if more else NO_TARGET
        elif re.match(r"[0-9(\[]", after) or after.upper() in self.letters:
            missing = f"an operator is missing before {after}"
        elif after and not sign and after not in ")]=":
            missing = f"{self.text[column]!r} is not part of a formula"
        return MalformedFormulaError(missing, self.text, column)

    def power_at(self, column: int) -> Span | None:
        """Return where the sign of a power is, at a column or around it."""
        # The first half of ** is read as a sign.
        for start in range(max(0, column - 1), column + 1):
            found = _POWER.match(self.line, start)
            if found and found.end() > column and found[0] not in by_spelling(self.operators):
                return found.span()
        return None

    def sign_at(self, column: int) -> str:
        """Return the spelling of an operator that begins at a column, if one does."""
        found = re.match(spelled(self.operators), self.line[column:])
        return found[0] if found else ""

    def sign_before(self, column: int) -> str:
        """Return the spelling of an operator that ends before a column, if one does."""
        line = self.line[:column].rstrip()
        ending = [spelling for spelling in spellings_of(self.operators) if line.endswith(spelling)]
        return ending[0] if ending else ""


def number_named(text: str, letters: Mapping[str, int]) -> int:
    """Return the number that a word of a formula stands for, digits or a letter."""
    if text.isdecimal():
        return int(text)
    named = letters.get(text.upper())
    return -int(text[1:]) if named is None else named


def _standard(expression: Expression, _: Reader) -> Expression:
    return expression


def _tail(expression: Expression, reader: Reader) -> Expression:
    """Group as the original program does: `a + b x c - d` is worked out as a + (b x c - d)."""
    count = len(numbers_of(expression))
    if count != 4:
        reason = f"{reader.game.name} is defined for four numbers only; here are {count}"

        def tell(other: Reader, *_: int) -> FormulaError:
            return IllegalFormulaError(reason, other.text, 0, len(other.text))

        raise FaultError(Fault(0, 0, tell))
    match expression:
        case Operation(last, Operation(first, a, Operation() as product, _), d, span):
            signs = reader.game.signs
            tail = Operation(last, product, d, (product.span[0], d.span[1]), signs)
            return Operation(first, a, tail, span, signs)
    return expression


# How a game groups a row of operators, by its `grouping`.
_GROUPINGS: dict[str, Callable[[Expression, Reader], Expression]] = {
    "standard": _standard,
    "tail": _tail,
}
