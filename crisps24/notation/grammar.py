"""Text to tree: the pyparsing grammar, with located errors in the words of the game.

Owns precedence and the reading of formulas; arithmetic is the evaluator's (`expressions`).

    statement = formula [ "=" target ]
    formula   = term { ("+" | "-") term }
    term      = operand { ("x" | ":") operand }
    operand   = number | "(" formula ")"

The two middle lines are made from the precedences of `OPERATORS`. A formula in parentheses is
parsed before the one around it and handed to it as one token, innermost first, so that no
input makes the grammar recurse.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any, NoReturn

import pyparsing as pp

from crisps24.notation.trees import (
    OPERATORS,
    Expression,
    Formula,
    FormulaError,
    IllegalFormulaError,
    MalformedFormulaError,
    Number,
    Operation,
    exact_leaf,
    numbers_of,
    sentence_of,
    steps,
    text_of_value,
)
from crisps24.rules.games import Exact, Game, find_game, format_numbers, parse_value, simplest

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


@dataclass(frozen=True, slots=True)
class Check:
    """What came of checking a formula.

    `verdict` is `right`, `wrong`, `illegal` or `malformed`; `value` is None where there is
    none; `reason` is empty where all is right; `error` holds the marked part, if there is one.
    """

    formula: str
    value: Exact | None
    verdict: str
    reason: str = ""
    error: FormulaError | None = None


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
    return _Reader(text, find_game(game)).statement()


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Read a row of operators into a tree whose numbers are the places 0, 1, 2, … of the row.

    >>> parse_pattern(("+", "x"), find_game("crisps"))
    parse('0 + 1 x 2', 'digits')
    """
    places = (f"{operator} {place}" for place, operator in enumerate(operators, 1))
    return parse(" ".join(("0", *places)), game)


def evaluate(formula: str | Formula | Expression, game: Game | str = "crisps") -> Exact:
    """Return the value of a formula: an int, or a Fraction where it is not whole.

    >>> evaluate("4 x 3 : 3 x 6"), evaluate("8 / (3 - 8 / 3)", "digits")
    (24, 24)

    Raises what `parse` raises, and `IllegalFormulaError` for a number that the game does not
    have and for the first step that breaks a rule.
    """
    game = find_game(game)
    return _work_out(str(formula), _tree_of(formula, game), game)


def _tree_of(formula: str | Formula | Expression, game: Game) -> Expression:
    return formula if isinstance(formula, Number | Operation) else parse(str(formula), game)


def _work_out(text: str, expression: Expression, game: Game, dealt: Sequence[int] = ()) -> Exact:
    for number in numbers_of(expression):
        if number.value not in game.numbers and number.value not in dealt:
            known = format_numbers(sorted(set(game.numbers)))
            reason = f"{text_of_value(number.value)} is not a number of {game.name} ({known})"
            raise IllegalFormulaError(reason, text, number.span[0], number.span[1] - number.span[0])
    value = exact_leaf(game)(expression) if isinstance(expression, Number) else None
    for step in steps(expression, game, exact_leaf(game)):
        if not step.legal:
            start, end = step.operation.span
            raise IllegalFormulaError(sentence_of(step, game), text, start, end - start)
        value = step.result
    assert value is not None
    return simplest(value)


def working(formula: str | Formula | Expression, game: Game | str = "crisps") -> list[str]:
    """Return the working of a formula, an operation a line, up to the first illegal one.

    >>> working("4 + 3 x 8 - 4")
    ['3 x 8 = 24', '4 + 24 = 28', '28 - 4 = 24']

    Raises what `parse` raises.
    """
    game = find_game(game)
    lines = []
    for step in steps(_tree_of(formula, game), game, exact_leaf(game)):
        lines.append(sentence_of(step, game))
        if not step.legal:
            break
    return lines


def check(
    text: str,
    target: Exact | None = None,
    card: Sequence[int] | None = None,
    game: Game | str = "crisps",
) -> Check:
    """Say whether a formula is right, and if it is not, why.

    It is right when it is legal, makes the target that it states and `target`, and uses each
    number of `card` once and no other, be they numbers of the game or not; what is not given is
    not asked.

    >>> check("4 + 3 x 8 - 4 = 24", card=(4, 3, 8, 4)).verdict
    'right'
    >>> check("2 x 3 = 7").reason
    'it makes 6, not 7'
    """
    game = find_game(game)
    try:
        statement = parse_statement(text, game)
        value = _work_out(text, statement.expression, game, card or ())
    except FormulaError as error:
        return Check(text, None, error.kind, error.reason, error)
    if card is not None:
        used = [number.value for number in numbers_of(statement.expression)]
        if sorted(used) != sorted(card):
            cards = " ".join(map(str, card))
            reason = f"it uses {' '.join(map(str, used))}, and the card is {cards}"
            return Check(text, value, "wrong", reason)
    for wanted in (statement.target, target):
        if wanted is not None and wanted != value:
            made, not_made = text_of_value(value), text_of_value(wanted)
            return Check(text, value, "wrong", f"it makes {made}, not {not_made}")
    return Check(text, value, "right")


class _Reader:
    """One text on its way to a tree."""

    def __init__(self, text: str, game: Game) -> None:
        self.text = text
        self.game = game
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
        rest, letters = self.line, "".join(self.letters)
        for start, end in pairs:
            [token] = self.tokens(_group(letters), rest[start + 1 : end], start + 1)
            self.parsed[start] = self.tree(token, start + 1)
            rest = rest[:start] + _PARSED + _FILLER * (end - start) + rest[end + 1 :]
        token, *stated = self.tokens(_statement(letters), rest, 0)
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
        value = self.letters.get(text.upper()) or int(text.replace("−", "-"))
        return Number(value, (column, column + len(text)))

    def join(self, left: Expression, link: tuple[str, Expression]) -> Operation:
        sign, right = link
        span = left.span[0], right.span[1]
        return Operation(_OPERATOR_OF[sign], left, right, span, self.game.signs)

    def target(self, found: re.Match[str]) -> Exact:
        try:
            return parse_value(found[0])
        except ValueError as error:
            self.fail(str(error), found.start(), len(found[0]))

    def fail_at(self, column: int) -> NoReturn:
        """Say what is wrong where the grammar could not go on."""
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        before, after = self.line[:column].rstrip()[-1:], self.line[column : column + 1]
        place = "between {} and {}" if before and after else "after {}" if before else "before {1}"
        missing = f"a number is missing {place.format(before, after)}"
        if not self.line.strip():
            missing = "there is no formula"
        elif "=" in self.line[:column]:
            missing = "after = comes a target, and nothing more"
        elif re.match("[0-9(]", after) or after.upper() in self.letters:
            missing = f"an operator is missing before {after}"
        elif after and after not in _OPERATOR_OF and after not in ")=":
            missing = f"{after!r} is not part of a formula"
        self.fail(missing, column)

    def fail(self, reason: str, column: int, length: int = 1) -> NoReturn:
        raise MalformedFormulaError(reason, self.text, column, length)


_OPERATOR_OF = {spelling: operator for operator in OPERATORS for spelling in operator.spellings}


@lru_cache(maxsize=8)
def _formula(letters: str) -> pp.ParserElement:
    """Build the grammar of a formula without parentheses, from the tightest operators down."""
    names = f"|[{letters}{letters.lower()}]" if letters else ""
    number = f"[-−]?[0-9]+|{_PARSED}{_FILLER}+{names}"
    operand: pp.ParserElement = pp.Regex(number, as_match=True).set_name("number")
    for precedence in sorted({operator.precedence for operator in OPERATORS}, reverse=True):
        level = (operator for operator in OPERATORS if operator.precedence == precedence)
        sign = pp.Char("".join(operator.spellings for operator in level)).set_name("operator")
        chain = operand + pp.ZeroOrMore(sign - operand)
        operand = chain.set_parse_action(lambda tokens: [list(tokens)] if len(tokens) > 1 else None)
    return operand


@lru_cache(maxsize=8)
def _group(letters: str) -> pp.ParserElement:
    """Build the grammar of what is between two parentheses."""
    return _formula(letters) + pp.StringEnd()


@lru_cache(maxsize=8)
def _statement(letters: str) -> pp.ParserElement:
    target = pp.Regex(r"[-−]?[0-9./]+", as_match=True).set_name("target")
    return _formula(letters) + pp.Optional(pp.Suppress("=") - target) + pp.StringEnd()


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
