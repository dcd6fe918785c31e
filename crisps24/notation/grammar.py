r"""Text to tree: the grammar, with located errors in the words of the game.

    statement = formula [ "=" target ]
    formula   = term { ("+" | "-") term }
    term      = operand { ("x" | ":") operand }
    operand   = [ "-" ] ( number | "(" formula ")" | "[" formula "]" )

Where something binds more tightly than a product, the minus stands before that:

    operand   = [ "-" ] power
    power     = root { "^" [ "-" ] root }
    root      = { "√" } factorial
    factorial = ( number | "(" formula ")" | "[" formula "]" ) [ "!" ]

The two middle lines, and these, are made from the records of operators; in a game that joins
digits a number is a chain of them, and the tightest of these lines. A formula in
parentheses is parsed before the one around it and handed to it as one token, innermost first, so
that no input makes the grammar recurse; so is one in the braces of LaTeX's \frac{8}{3}.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from typing import Any, NoReturn

import pyparsing as pp

from crisps24.messages.message import Count, Message, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.spellings import (
    DIVISION,
    GROUP_FILL,
    GROUP_START,
    TaggedTokens,
    all_spellings,
    spellings_of,
)
from crisps24.notation.trees import Expression, NoOperand, Number, Operation, numbers_of
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.games import Game
from crisps24.rules.operators import JOIN, MINUS, MINUS_PATTERN, OPERATORS, Operator

# Where something stands in a text: its first column, and the one after the last.
TextSpan = tuple[int, int]

MAX_FORMULA_LENGTH = 10_000
MAX_NUMBER_LENGTH = 100
MAX_NESTING = 100
# What is read of longer texts is not remembered.
MAX_CACHED_LENGTH = 64
TARGET_MISSING = message("formula.target_missing")

# How parentheses may be typed: what opens one to what closes it.
CLOSING_BRACKETS = {"(": ")", "[": "]"}

_SPACE = re.compile(r"\s")
# Stands where a fraction of LaTeX begins, which the two braces behind it belong to; in no text is
# it more than a character that is part of no formula.
FRACTION_MARK = "\ue000"
# One of two numbers.
LATEX_FRACTION = re.compile(rf"{FRACTION_MARK}\s*\{{\s*([0-9]+)\s*\}}\s*\{{\s*([0-9]+)\s*\}}")
# One with a digit that has no braces, as in \frac83, \frac8{3 - 1} and \frac{8}3.
_UNBRACED = re.compile(
    rf"{FRACTION_MARK}\s*(?:([0-9])\s*(?:([0-9])|(?=\{{))|\{{\s*([0-9]+)\s*\}}\s*([0-9]))"
)
_TARGET = re.compile(rf"(=\s*(?:{MINUS_PATTERN}\s*)?){LATEX_FRACTION.pattern}")
# On one line: the next one may be a step.
_SPACED_TARGET = re.compile(rf"(=\s*(?:{MINUS_PATTERN}\s*)?)([0-9]+)[^\S\r\n]*/[^\S\r\n]*([0-9]+)")
_WHOLE_FRACTION = re.compile(rf"{FRACTION_MARK}\s*\{{([^{{}}]+)\}}\s*\{{([^{{}}]+)\}}")
# Commands of LaTeX: those that are no more than space, and others.
_COMMAND = re.compile(
    r"(\\(?:left|right)(?=\s*[()\[\]])|\\[,;:! ]|\\q?quad(?![A-Za-z]))|\\[A-Za-z]++"
)
_LATEX = re.compile(rf"[\\{FRACTION_MARK}]")
# What a text that is no formula is told by, where something of this is in it: the first that is.
_FAULTS = {
    "power": re.compile(r"\*\s*\*|\^|[²³¹⁰⁴-⁹]"),
    "decimal": re.compile(r"\.\s*[0-9]|[0-9]\s*\."),
    "number": re.compile(r"[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]"),
}
# How powers may be typed, which are told from what else is part of no formula.
_POWER = re.compile(r"\*\*|\^|(?<=[0-9a-zA-Z)\]])[²³⁴-⁹]")


def run_grammar(grammar: pp.ParserElement, text: str) -> list[Any] | int:
    """Return what a grammar gathers from a text, or the column where it cannot go on."""
    try:
        return grammar.parse_string(text).as_list()
    except pp.ParseBaseException as error:
        return error.loc


# Many formulas that are new have parts that are not.
run_grammar_cached = lru_cache(maxsize=1 << 12)(run_grammar)


@lru_cache(maxsize=4)
def _commands(operators: Sequence[Operator]) -> dict[str, str]:
    """Return commands of LaTeX and what they are typed as otherwise."""
    spelled = {
        each: one.name for one in operators for each in all_spellings(one) if each[0] == "\\"
    }
    return spelled | dict.fromkeys((r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"), FRACTION_MARK)


def normalise_formula(text: str, chosen: Sequence[Operator] = ()) -> str:
    r"""Return a text as it is typed where LaTeX is not, place by place.

    Commands of operators are read that all games know, and of those that are `chosen`.

    >>> normalise_formula(r"\left(4 + 4\right) \times 3 = \frac{48}{2}")
    '     (4 + 4      ) x      3 = 48/2        '
    """
    line = normalise(text)
    if FRACTION_MARK in line:
        line = line.replace(FRACTION_MARK, "\\")
    if "\\" in line:
        line = _COMMAND.sub(partial(_plainly, _commands((*OPERATORS.values(), *chosen))), line)
        line = _UNBRACED.sub(_in_braces, line)
        line = _TARGET.sub(_in_one_word, line)
    if "=" in line and "/" in line:
        line = _SPACED_TARGET.sub(_in_one_word, line)
    return line


def _plainly(signs: Mapping[str, str], command: re.Match[str]) -> str:
    """Return a command of LaTeX as it is typed otherwise, in its width."""
    sign = " " if command[1] else signs.get(command[0], command[0])
    return sign.ljust(len(command[0]))


def _in_braces(fraction: re.Match[str]) -> str:
    """Return a fraction with its digits in braces, in the width that it had."""
    above, below = fraction[1] or fraction[3], fraction[2] or fraction[4]
    braced = f"{FRACTION_MARK}{{{above}}}" + (f"{{{below}}}" if below else "")
    return braced.ljust(len(fraction[0]))


def _in_one_word(target: re.Match[str]) -> str:
    """Return a fraction that is stated as one word, in the width that it had."""
    stated, above, below = target.groups()
    return f"{stated}{above}/{below}".ljust(len(target[0]))


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Read a row of operators into a tree whose numbers are the places 0, 1, 2, … of the row.

    >>> from crisps24 import GAMES
    >>> parse_pattern(("+", "x"), GAMES["crisps"])
    parse('0 + 1 x 2', 'digits')
    """
    places = (f"{operator} {place}" for place, operator in enumerate(operators, 1))
    # A place of two digits is one place: here digits are joined by their sign alone.
    text = " ".join(("0", *places))
    return FormulaParser(text, game, joins=JOIN.name in operators, splits=False).read()[0]


# What tells a fault of a text, from the columns where it is there.
ErrorFactory = Callable[["FormulaParser", int, int], FormulaError]


class ParseError(Exception):
    """A text cannot be read: from which column to which, and what tells it; `args` are these.

    It also holds for other texts of the same shape. Used only in this package.
    """

    def __init__(self, start: int, end: int, tell: ErrorFactory) -> None:
        super().__init__(start, end, tell)


class FormulaParser:
    """One text on its way to a tree, whose numbers are `places`: where each stands in the text.

    `joins` says whether digits may be joined, and `splits` whether a number of more digits than
    one is read as its digits, joined. `line` is the result of `normalise_formula`, if known.
    """

    def __init__(
        self, text: str, game: Game, *, joins: bool, splits: bool = True, line: str | None = None
    ) -> None:
        self.text = text
        self.game = game
        self.splits = joins and splits
        operators = tuple(OPERATORS.values()) + game.chosen
        self.spellings = spellings_of(game.letters, operators, joins=joins)
        # Every kind of white space is a space, so that columns are what a person counts.
        self.line = _SPACE.sub(" ", normalise_formula(text, game.chosen) if line is None else line)
        self.parsed: dict[int, Expression] = {}
        self.places: list[TextSpan] = []
        self.turns = 0
        """How many operators there are whose operand may be nested in that of another."""

    def read(self) -> tuple[Expression, TextSpan | None]:
        """Return the tree, and where a target is stated, if one is; raise `ParseError`."""
        if len(self.text) > MAX_FORMULA_LENGTH:
            self.fail(too_long_message(self.text), MAX_FORMULA_LENGTH, code="too-long")
        for reserved in (GROUP_START, GROUP_FILL):
            if reserved in self.line:
                self.stop(self.line.index(reserved))
        pairs = self.pairs()
        parentheses = [start for start, _, _ in pairs if self.line[start] in CLOSING_BRACKETS]
        if parentheses and not self.game.parentheses:
            reason, start = message("formula.no_parentheses"), min(parentheses)
            self.fail(reason, start, kind=IllegalFormulaError, code="operator")
        rest = self.line
        for start, end, fraction in pairs:
            [token] = self.tokens(self.spellings.group_grammar, rest[start + 1 : end], start + 1)
            tree = self.tree(token, start + 1)
            if fraction:
                start, above = fraction
                tree = self.join(self.parsed[above], (DIVISION, tree))
            self.parsed[start] = tree
            rest = rest[:start] + GROUP_START + GROUP_FILL * (end - start) + rest[end + 1 :]
        token, *stated = self.tokens(self.spellings.statement_grammar, rest, 0)
        expression = self.tree(token, 0)
        if self.game.grouping == "tail":
            expression = _tail(expression, self)
        return expression, stated[0].span() if stated else None

    def pairs(self) -> list[tuple[int, int, TextSpan | None]]:
        """Return where parentheses and braces of fractions open and close, inner pairs first.

        The second pair of a fraction has the columns of the fraction and of its first pair.
        """
        pairs: list[tuple[int, int, TextSpan | None]] = []
        opened: list[tuple[int, tuple[int, ...], bool]] = []
        braced = self.spellings.braced_signs if "{" in self.line else ()
        above: dict[int, TextSpan] = {}
        before = 0
        for column, character in enumerate(self.line):
            brace = character == "{" and self.line[before] == FRACTION_MARK
            fraction: tuple[int, ...] = (before,) if brace else ()
            if character == "{" and not brace:
                fraction = above.get(before, ())
            held = character == "{" and self.line[: before + 1].endswith(braced or "\n")
            if character in CLOSING_BRACKETS or fraction or held:
                opened.append((column, fraction, character == "{"))
                if len(opened) > MAX_NESTING:
                    reason = message("formula.too_deep", most=MAX_NESTING)
                    self.fail(reason, column, code="too-deep")
            elif character in CLOSING_BRACKETS.values() or (
                character == "}" and opened and opened[-1][2]
            ):
                if not opened:
                    self.fail(message("formula.not_opened", sign=character), column)
                start, fraction, _ = opened.pop()
                begin = self.line[start]
                if CLOSING_BRACKETS.get(begin, "}") != character:
                    reason = message("formula.not_matched", sign=character, opening=begin)
                    self.fail(reason, column)
                pairs.append((start, column, (fraction[0], fraction[1]) if fraction[1:] else None))
                if len(fraction) == 1:
                    above[column] = (fraction[0], start)
            before = before if character == " " else column
        if opened:
            start, *_ = opened[-1]
            self.fail(message("formula.not_closed", sign=self.line[start]), start)
        return pairs

    def tokens(self, grammar: pp.ParserElement, text: str, start: int) -> list[Any]:
        """Run the grammar over a text without parentheses that begins at a column."""
        short = len(text) <= MAX_CACHED_LENGTH
        found = (run_grammar_cached if short else run_grammar)(grammar, text)
        if isinstance(found, int):
            self.stop(start + found)
        return found

    def tree(self, token: Any, start: int) -> Expression:
        """Turn what the grammar gathered, a chain or the match of an operand, into a tree."""
        if isinstance(token, TaggedTokens):
            return self.turned(token, start)
        if isinstance(token, list):
            operands = [self.tree(operand, start) for operand in token[::2]]
            links = zip(token[1::2], operands[1:], strict=True)
            return reduce(self.join, links, operands[0])
        column, text = token.start() + start, token[0]
        if len(text) > MAX_NUMBER_LENGTH < sum(map(str.isdecimal, text)):
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            self.fail(reason, column, len(text), code="number")
        operand = text[1:].lstrip() if text[0] in MINUS.spellings else text
        begin, end = column + len(text) - len(operand), column + len(text)
        if operand[0] == GROUP_START:
            tree: Expression = replace(self.parsed[begin], span=(begin, end))
        elif self.splits and len(operand) > 1:
            tree = self.number(operand, begin)
        else:
            # A minus before a number is part of it: there may be one below zero.
            return self.number(text, column)
        return tree if begin == column else self.below(column, tree)

    def nothing(self, column: int) -> NoOperand:
        """Return what is on the other side of an operator with one operand."""
        self.places.append((column, column))
        return NoOperand(len(self.places) - 1, (column, column))

    def below(self, column: int, tree: Expression) -> Operation:
        """Return a minus at a column, and what it stands before."""
        span = (column, tree.span[1])
        return Operation(MINUS, self.nothing(column), tree, span, self.game.style)

    def turned(self, found: TaggedTokens, start: int) -> Expression:
        """Turn what is no chain to be read from the left into a tree."""
        kind, tokens = found
        if kind == "minus":
            return self.signed(tokens[0].start() + start, tokens[1], self.tree(tokens[1], start))
        if kind == "after":
            operand, sign = tokens
            return self.join(self.tree(operand, start), (sign[0], self.nothing(start + sign.end())))
        if kind != "left":
            self.turns += len(tokens) // 2 if kind == "right" else len(tokens) - 1
            if self.turns > MAX_NESTING:
                reason = message("formula.operators_too_deep", most=MAX_NESTING)
                self.fail(reason, start, code="too-deep")
        if kind == "before":
            *signs, operand = tokens
            tree = self.tree(operand, start)
            for sign in reversed(signs):
                tree = self.join(self.nothing(start + sign.start()), (sign[0], tree))
            return tree
        operands, signs = [self.tree(each, start) for each in tokens[::2]], tokens[1::2]
        # A minus stands before all that is to the right of it, or before the next operand.
        chain = list(zip(signs, operands[1:], tokens[2::2], strict=True))
        if kind == "left":
            tree = operands[0]
            for sign, right, token in chain:
                tree = self.join(tree, (sign[1], self.behind(sign, token, right, start)))
            return tree
        tree = operands[-1]
        for place in range(len(signs) - 1, -1, -1):
            token = tokens[-1] if place == len(signs) - 1 else None
            right = self.behind(signs[place], token, tree, start)
            tree = self.join(operands[place], (signs[place][1], right))
        return tree

    def behind(self, sign: "re.Match[str]", token: Any, tree: Expression, start: int) -> Expression:
        """Return what stands behind a sign, with the minus that may come first."""
        return self.signed(start + sign.start(2), token, tree) if sign[2] else tree

    def signed(self, column: int, token: Any, tree: Expression) -> Expression:
        """Return a tree with a minus before it: of a number that stands there alone it is part."""
        alone = isinstance(token, re.Match) and token[0][0] != GROUP_START
        if alone and isinstance(tree, Number):
            self.places[tree.value] = span = (column, tree.span[1])
            return replace(tree, span=span)
        return self.below(column, tree)

    def number(self, text: str, column: int) -> Expression:
        """Return the place of a number at a column, or those of the digits that it joins."""
        for operator in self.spellings.literal_operators:
            before, after = operator.around
            digits = text[len(before) : len(text) - len(after)]
            if digits.isdecimal() and text == operator.spelled(digits):
                tree = self.number(digits, column + len(before))
                span = (column, column + len(text))
                return Operation(operator, self.nothing(column), tree, span, self.game.style)
        if self.splits and len(text) > 1 and text.isdecimal():
            first, *others = (self.number(digit, at) for at, digit in enumerate(text, column))
            return reduce(self.join, ((JOIN.name, digit) for digit in others), first)
        self.places.append((column, column + len(text)))
        return Number(len(self.places) - 1, self.places[-1])

    def join(self, left: Expression, link: tuple[str, Expression]) -> Operation:
        """Return what a sign and what follows it make of what is before it."""
        sign, right = link
        operator, span = self.spellings.operators[sign], (left.span[0], right.span[1])
        if operator.joins and self.splits:
            if isinstance(right, Operation) and right.operator.joins:
                # 1 | 23 is 12 | 3: digits are joined from left to right.
                return self.join(self.join(left, (sign, right.left)), (sign, right.right))
            for part in (left, right):
                self.refuse_to_join(part)
        return Operation(operator, left, right, span, self.game.style)

    def refuse_to_join(self, part: Expression) -> None:
        """Refuse what is neither a digit nor a number made of digits."""
        start, end = part.span
        digits = self.text[start:end].isdecimal() if isinstance(part, Number) else False
        if not digits and not (isinstance(part, Operation) and part.operator.joins):
            raise ParseError(start, end, FormulaParser.no_digit)

    def stop(self, column: int) -> NoReturn:
        """Refuse a text where the grammar could not go on."""
        raise ParseError(column, column + 1, FormulaParser.missing)

    def fail(
        self,
        reason: Message,
        column: int,
        length: int = 1,
        kind: type[FormulaError] = MalformedFormulaError,
        code: str = "",
    ) -> NoReturn:
        """Refuse a text for a reason that has no words of it."""

        def tell(reader: FormulaParser, start: int, end: int) -> FormulaError:
            told = code or (reader.fault() if kind is MalformedFormulaError else "")
            return kind(reason, reader.text, start, end - start, told)

        raise ParseError(column, column + length, tell)

    def no_digit(self, start: int, end: int) -> FormulaError:
        """Say that this cannot be joined."""
        reason = message("formula.joins_no_digit", part=self.text[start:end])
        return IllegalFormulaError(reason, self.text, start, end - start, "number")

    def missing(self, column: int, _: int) -> FormulaError:
        """Say what is wrong where the grammar could not go on."""
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        sign = self.sign_at(column)
        after = sign or self.line[column : column + 1]
        before = self.sign_before(column) or self.line[:column].rstrip()[-1:]
        if power := self.power_at(column):
            start, end = power
            missing = message("formula.power", sign=self.line[start:end])
            return MalformedFormulaError(missing, self.text, start, end - start, "power")
        if not self.line.strip():
            missing = message("formula.none")
        elif "=" in self.line[:column]:
            rest = self.line[column:].strip()
            key = "formula.target_once" if "=" in rest else "formula.target_only"
            missing = message(key) if rest else TARGET_MISSING
        elif re.match(r"[0-9(\[]", after) or after.upper() in self.spellings.letters:
            missing = message("formula.operator_missing", after=after)
        elif after and not sign and after not in ")]=":
            missing = message("formula.not_part", sign=escape_unprintable(self.text[column]))
        elif before and after:
            missing = message("formula.number_missing_between", before=before, after=after)
        elif before:
            missing = message("formula.number_missing_after", before=before)
        else:
            missing = message("formula.number_missing_before", after=after)
        return MalformedFormulaError(missing, self.text, column, code=self.fault())

    def fault(self) -> str:
        """Return what a text that is no formula is told by: one word that stays."""
        line = self.line
        for _ in range(MAX_NESTING if FRACTION_MARK in line else 0):
            line, found = _WHOLE_FRACTION.subn(r"(\1)/(\2)", line)
            if not found:
                break
        if _LATEX.search(line):
            return "latex"
        text = normalise(self.text)
        # What the game has is no fault.
        around = (part for each in self.spellings.literal_operators for part in each.around if part)
        for known in (*self.spellings.braced_signs, *around):
            text = text.replace(known, "+")
        faults = (code for code, pattern in _FAULTS.items() if pattern.search(text))
        return next(faults, "") or self.spellings.fault(line)

    def power_at(self, column: int) -> TextSpan | None:
        """Return where the sign of a power is, at a column or around it."""
        # The first half of ** is read as a sign.
        for start in range(max(0, column - 1), column + 1):
            found = _POWER.match(self.line, start)
            if found and found.end() > column and found[0] not in self.spellings.operators:
                return found.span()
        return None

    def sign_at(self, column: int) -> str:
        """Return the spelling of an operator that begins at a column, if one does."""
        found = re.match(self.spellings.sign_pattern, self.line[column:])
        return found[0] if found else ""

    def sign_before(self, column: int) -> str:
        """Return the spelling of an operator that ends before a column, if one does."""
        line = self.line[:column].rstrip()
        return next((sign for sign in self.spellings.signs if line.endswith(sign)), "")


def too_long_message(text: str) -> Message:
    """Return the message about a text that is longer than a formula may be."""
    return message("formula.too_long", size=Count(len(text)), most=Count(MAX_FORMULA_LENGTH))


def _tail(expression: Expression, reader: FormulaParser) -> Expression:
    """Group as the original program does: `a + b x c - d` is worked out as a + (b x c - d)."""
    count = len(numbers_of(expression))
    if count != 4:
        reason = message("formula.needs_length", count=count)

        def tell(other: FormulaParser, *_: int) -> FormulaError:
            return IllegalFormulaError(reason, other.text, 0, len(other.text))

        raise ParseError(0, 0, tell)
    match expression:
        case Operation(last, Operation(first, a, Operation() as product, _), d, span):
            signs = reader.game.style
            tail = Operation(last, product, d, (product.span[0], d.span[1]), signs)
            return Operation(first, a, tail, span, signs)
    return expression
