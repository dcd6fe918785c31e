"""Text to tree: the pyparsing grammar, with located errors in the words of the game.

Owns precedence and the reading of formulas; whether what was read is legal is not its business.

    statement = formula [ "=" target ]
    formula   = term { ("+" | "-") term }
    term      = operand { ("x" | ":") operand }
    operand   = number | "(" formula ")"

The two middle lines are made from the precedences and spellings of `OPERATORS`; in a game that
joins digits a number is a chain of them, and the tightest of these lines. A formula in parentheses
is parsed before the one around it and handed to it as one token, innermost first, so that no
input makes the grammar recurse.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any, NoReturn

import pyparsing as pp

from crisps24.notation.errors import IllegalFormulaError, MalformedFormulaError
from crisps24.notation.trees import Expression, Number, Operation, numbers_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, find_game
from crisps24.rules.operators import JOIN, OPERATORS, Operator, levels_of
from crisps24.rules.words import parse_value

LONGEST_FORMULA = 10_000
LONGEST_NUMBER = 100
DEEPEST_NESTING = 100

# Stand for a formula in parentheses that is parsed already: its first column, and the others.
# No text may hold them.
_PARSED, _FILLER = "\0", "\1"


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
    return _Reader(text, game, joins=game.join).statement()


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Read a row of operators into a tree whose numbers are the places 0, 1, 2, … of the row.

    >>> parse_pattern(("+", "x"), find_game("crisps"))
    parse('0 + 1 x 2', 'digits')
    """
    places = (f"{operator} {place}" for place, operator in enumerate(operators, 1))
    # A place of two digits is one place: here digits are joined by their sign alone.
    text = " ".join(("0", *places))
    return _Reader(text, game, joins=JOIN.name in operators, splits=False).statement().expression


class _Reader:
    """One text on its way to a tree.

    `joins` says whether digits may be joined, and `splits` whether a number of more digits than
    one is read as its digits, joined.
    """

    def __init__(self, text: str, game: Game, *, joins: bool, splits: bool = True) -> None:
        self.text = text
        self.game = game
        self.joins = joins
        self.splits = joins and splits
        self.operators = tuple(each for each in OPERATORS.values() if joins or not each.joins)
        self.letters = dict(game.letters)
        # Every kind of white space is a space, so that columns are what a person counts.
        self.line = "".join(" " if character.isspace() else character for character in text)
        self.parsed: dict[int, Expression] = {}

    def statement(self) -> Statement:
        if len(self.text) > LONGEST_FORMULA:
            size = f"{len(self.text):,} characters"
            self.fail(f"{size}; a formula has at most {LONGEST_FORMULA:,}", LONGEST_FORMULA)
        for reserved in (_PARSED, _FILLER):
            if reserved in self.line:
                self.fail_at(self.line.index(reserved))
        pairs = self.pairs()
        if pairs and not self.game.parentheses:
            reason, start = f"{self.game.name} has no parentheses", min(pairs)[0]
            raise IllegalFormulaError(reason, self.text, start)
        rest, grammar = self.line, _formula("".join(self.letters), self.operators)
        for start, end in pairs:
            [token] = self.tokens(_group(grammar), rest[start + 1 : end], start + 1)
            self.parsed[start] = self.tree(token, start + 1)
            rest = rest[:start] + _PARSED + _FILLER * (end - start) + rest[end + 1 :]
        token, *stated = self.tokens(_statement(grammar), rest, 0)
        expression = _GROUPINGS[self.game.grouping](self.tree(token, 0), self)
        return Statement(expression, self.target(stated[0]) if stated else None)

    def pairs(self) -> list[tuple[int, int]]:
        """Return where parentheses open and close, inner ones before outer ones."""
        pairs, opened = [], []
        for column, character in enumerate(self.line):
            if character == "(":
                opened.append(column)
                if len(opened) > DEEPEST_NESTING:
                    self.fail(f"parentheses are nested deeper than {DEEPEST_NESTING}", column)
            elif character == ")":
                if not opened:
                    self.fail("this ) closes nothing", column)
                pairs.append((opened.pop(), column))
        if opened:
            self.fail("this ( is never closed", opened[-1])
        return pairs

    def tokens(self, grammar: pp.ParserElement, text: str, start: int) -> list[Any]:
        """Run the grammar over a text without parentheses that begins at a column."""
        try:
            return grammar.parse_string(text).as_list()
        except pp.ParseBaseException as error:
            self.fail_at(start + error.loc)

    def tree(self, token: Any, start: int) -> Expression:
        """Turn what the grammar gathered, a chain or the match of an operand, into a tree."""
        if isinstance(token, list):
            operands = [self.tree(operand, start) for operand in token[::2]]
            links = zip(token[1::2], operands[1:], strict=True)
            return reduce(self.join, links, operands[0])
        column, text = token.start() + start, token[0]
        if text[0] == _PARSED:
            return replace(self.parsed[column], span=(column, column + len(text)))
        if len(text.lstrip("-−")) > LONGEST_NUMBER:
            self.fail(f"a number of more than {LONGEST_NUMBER} digits", column, len(text))
        if self.splits and len(text) > 1 and text.isdecimal():
            return self.joined(text, column)
        value = self.letters.get(text.upper()) or int(text.replace("−", "-"))
        return Number(value, (column, column + len(text)))

    def joined(self, text: str, column: int) -> Expression:
        """Return the digits of a number, each a number of the game, as what joins them."""
        first, *others = (Number(int(digit), (at, at + 1)) for at, digit in enumerate(text, column))
        tree: Expression = first
        for digit in others:
            tree = self.join(tree, (JOIN.name, digit))
        return tree

    def join(self, left: Expression, link: tuple[str, Expression]) -> Operation:
        sign, right = link
        operator, span = _by_spelling(self.operators)[sign], (left.span[0], right.span[1])
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
            shown = self.text[start:end]
            raise IllegalFormulaError(f"{shown} is no digit to join", self.text, start, end - start)

    def target(self, found: re.Match[str]) -> Exact:
        try:
            return parse_value(found[0])
        except ValueError as error:
            self.fail(str(error), found.start(), len(found[0]))

    def fail_at(self, column: int) -> NoReturn:
        """Say what is wrong where the grammar could not go on."""
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        sign = self.sign_at(column)
        after = sign or self.line[column : column + 1]
        before = self.sign_before(column) or self.line[:column].rstrip()[-1:]
        place = "between {} and {}" if before and after else "after {}" if before else "before {1}"
        missing = f"a number is missing {place.format(before, after)}"
        if not self.line.strip():
            missing = "there is no formula"
        elif "=" in self.line[:column]:
            missing = "after = comes a target, and nothing more"
        elif re.match("[0-9(]", after) or after.upper() in self.letters:
            missing = f"an operator is missing before {after}"
        elif after and not sign and after not in ")=":
            missing = f"{after!r} is not part of a formula"
        self.fail(missing, column)

    def sign_at(self, column: int) -> str:
        """Return the spelling of an operator that begins at a column, if one does."""
        found = re.match(_spelled(self.operators), self.line[column:])
        return found[0] if found else ""

    def sign_before(self, column: int) -> str:
        """Return the spelling of an operator that ends before a column, if one does."""
        line = self.line[:column].rstrip()
        ending = [spelling for spelling in _spellings(self.operators) if line.endswith(spelling)]
        return ending[0] if ending else ""

    def fail(self, reason: str, column: int, length: int = 1) -> NoReturn:
        raise MalformedFormulaError(reason, self.text, column, length)


@lru_cache(maxsize=8)
def _by_spelling(operators: Sequence[Operator]) -> dict[str, Operator]:
    return {spelling: operator for operator in operators for spelling in operator.spellings}


def _spellings(operators: Iterable[Operator]) -> list[str]:
    """Return all the spellings of operators, the longest first."""
    spellings = [spelling for operator in operators for spelling in operator.spellings]
    return sorted(spellings, key=len, reverse=True)


def _spelled(operators: Iterable[Operator], others: Iterable[Operator] = ()) -> str:
    """Return a pattern of all the spellings of operators, but where one of others is longer."""
    signs, longer = _spellings(operators), _spellings(others)
    if all(len(sign) == 1 for sign in (*signs, *longer)):
        return f"[{re.escape(''.join(signs))}]"
    return "|".join(
        re.escape(sign)
        + "".join(
            f"(?!{re.escape(other.removeprefix(sign))})"
            for other in longer
            if other.startswith(sign) and other not in signs
        )
        for sign in signs
    )


@lru_cache(maxsize=8)
def _formula(letters: str, operators: Sequence[Operator]) -> pp.ParserElement:
    """Build the grammar of a formula without parentheses, from the tightest operators down."""
    names = f"|[{letters}{letters.lower()}]" if letters else ""
    number = f"[-−]?[0-9]+|{_PARSED}{_FILLER}+{names}"
    operand: pp.ParserElement = pp.Regex(number, as_match=True).set_name("number")
    for level in levels_of(operators):
        sign = pp.Regex(_spelled(level, operators)).set_name("operator")
        chain = operand + pp.ZeroOrMore(sign - operand)
        operand = chain.set_parse_action(lambda tokens: [list(tokens)] if len(tokens) > 1 else None)
    return operand


@lru_cache(maxsize=8)
def _group(formula: pp.ParserElement) -> pp.ParserElement:
    """Build the grammar of what is between two parentheses."""
    return formula + pp.StringEnd()


@lru_cache(maxsize=8)
def _statement(formula: pp.ParserElement) -> pp.ParserElement:
    target = pp.Regex(r"[-−]?[0-9./]+", as_match=True).set_name("target")
    return formula + pp.Optional(pp.Suppress("=") - target) + pp.StringEnd()


def _standard(expression: Expression, _: _Reader) -> Expression:
    return expression


def _tail(expression: Expression, reader: _Reader) -> Expression:
    """Group as the original program does: `a + b x c - d` is worked out as a + (b x c - d)."""
    count = len(numbers_of(expression))
    if count != 4:
        reason = f"{reader.game.name} is defined for four numbers only; here are {count}"
        raise IllegalFormulaError(reason, reader.text, 0, len(reader.text))
    match expression:
        case Operation(last, Operation(first, a, Operation() as product, _), d, span):
            signs = reader.game.signs
            tail = Operation(last, product, d, (product.span[0], d.span[1]), signs)
            return Operation(first, a, tail, span, signs)
    return expression


# How a game groups a row of operators, by its `grouping`.
_GROUPINGS: dict[str, Callable[[Expression, _Reader], Expression]] = {
    "standard": _standard,
    "tail": _tail,
}
