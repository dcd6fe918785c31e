r"""Text to tree: the parser of what people write, with located errors.

    statement = formula [ "=" target ]
    formula   = operand { operator formula }
    operand   = { sign } ( number | "(" formula ")" | "[" formula "]" )

The parser climbs by precedence: the operand after an operator goes on with all operators that bind
tighter (also with equal ones, if they group to the right). A minus stands in front of an operand,
or of a power if the game has operators that bind tighter than a product. Parentheses are one
operand. The braces of LaTeX's \frac{8}{3} are read in the same way. In a game without parentheses,
the tree of a line without brackets is that of the `grammar`, which defines these formulas; the
parser then only finds the fault of a line that the grammar refuses.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial, reduce
from typing import Any, NoReturn

from crisps24.messages.message import Count, Message, message
from crisps24.notation.errors import IllegalFormulaError, MalformedFormulaError
from crisps24.notation.spellings import DIVISION, all_spellings, syntax_for
from crisps24.notation.trees import Expression, NoOperand, Number, Operation, leaf_index, numbers_of
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.games import Game
from crisps24.rules.operators import (
    JOIN,
    MINUS,
    MINUS_PATTERN,
    OPERATORS,
    SIGN_PRECEDENCE,
    Operator,
)
from crisps24.rules.words import VULGAR_FRACTIONS

# A range of columns in a text: the first column and the column after the last.
TextSpan = tuple[int, int]

# Characters of a formula: the stack of a browser has room for the tree of 4,000 numbers, and this
# is at most 3,000.
MAX_FORMULA_LENGTH = 6_000
# Digits of a number.
MAX_NUMBER_LENGTH = 100
# Levels of parentheses, and of operators that nest without parentheses.
MAX_NESTING = 100
# Characters of a text whose parse is cached.
MAX_CACHED_LENGTH = 64
TARGET_MISSING = message("formula.target_missing")

# Opening bracket to closing bracket; braces belong to LaTeX.
CLOSING_BRACKETS = {"(": ")", "[": "]"}
_CLOSING = CLOSING_BRACKETS | {"{": "}"}

_SPACE = re.compile(r"\s")
_SPACES, _EQUALS, _BRACE = re.compile(" *"), re.compile(" *="), re.compile(r" *\{")
_BRACKET, _PARENTHESIS = re.compile(r"[()\[\]{}]"), re.compile(r"[(\[]")
_STATED_TARGET = re.compile(rf" *((?:{MINUS_PATTERN} *)?[0-9./∕⁄{VULGAR_FRACTIONS}]+)")
# Replaces the command of a LaTeX fraction, which the two pairs of braces after it belong to. The
# character is from the private use area: in the text of a user it is not part of a formula.
FRACTION_MARK = "\ue000"
# A fraction of two numbers.
LATEX_FRACTION = re.compile(rf"{FRACTION_MARK}\s*\{{\s*([0-9]+)\s*\}}\s*\{{\s*([0-9]+)\s*\}}")
# A fraction with a digit without braces: \frac83, \frac8{3 - 1} or \frac{8}3.
_UNBRACED_FRACTION = re.compile(
    rf"{FRACTION_MARK}\s*(?:([0-9])\s*(?:([0-9])|(?=\{{))|\{{\s*([0-9]+)\s*\}}\s*([0-9]))"
)
_LATEX_TARGET = re.compile(rf"(=\s*(?:{MINUS_PATTERN}\s*)?){LATEX_FRACTION.pattern}")
# On one line only: the next line can be the next step.
_SPACED_TARGET = re.compile(rf"(=\s*(?:{MINUS_PATTERN}\s*)?)([0-9]+)[^\S\r\n]*/[^\S\r\n]*([0-9]+)")
_INNERMOST_FRACTION = re.compile(rf"{FRACTION_MARK}\s*\{{([^{{}}]+)\}}\s*\{{([^{{}}]+)\}}")
# Commands of LaTeX. Group 1 matches commands that only add space or size brackets.
_COMMAND = re.compile(
    r"(\\(?:left|right)(?=\s*[()\[\]])|\\[,;:! ]|\\q?quad(?![A-Za-z]))|\\[A-Za-z]++"
)
_FRACTION_START = re.compile(rf" *{FRACTION_MARK}(?= *\{{)")
_LATEX = re.compile(rf"[\\{FRACTION_MARK}]")
# Error codes of a text that is not a formula, in order: the first pattern that matches decides.
_ERROR_PATTERNS = {
    "power": re.compile(r"\*\s*\*|\^|[²³¹⁰⁴-⁹]"),
    "decimal": re.compile(r"\.\s*[0-9]|[0-9]\s*\."),
    "number": re.compile(r"[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]"),
}
# Powers as users type them; they have a message of their own.
_POWER = re.compile(r"\*\*|\^|(?<=[0-9a-zA-Z)\]])[²³⁴-⁹]")


@lru_cache(maxsize=4)
def _latex_commands(operators: Sequence[Operator]) -> dict[str, str]:
    commands = {
        spelling: operator.name
        for operator in operators
        for spelling in all_spellings(operator)
        if spelling[0] == "\\"
    }
    return commands | dict.fromkeys((r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"), FRACTION_MARK)


def normalise_formula(text: str, extra_operators: Sequence[Operator] = ()) -> str:
    r"""Replace LaTeX commands and full-width characters by the signs that the parser knows.

    The result has the length of the text, so that errors have the same column. A fraction of two
    whole numbers after `=` becomes a word; other LaTeX fractions keep their braces, and their
    command becomes `FRACTION_MARK`. Unknown commands stay.
    """
    line = normalise(text)
    if FRACTION_MARK in line:
        line = line.replace(FRACTION_MARK, "\\")
    if "\\" in line:
        commands = _latex_commands((*OPERATORS.values(), *extra_operators))
        line = _COMMAND.sub(partial(_replace_command, commands), line)
        line = _UNBRACED_FRACTION.sub(_add_braces, line)
        line = _LATEX_TARGET.sub(_join_fraction, line)
    if "=" in line and "/" in line:
        line = _SPACED_TARGET.sub(_join_fraction, line)
    return line


def _replace_command(signs: Mapping[str, str], command: re.Match[str]) -> str:
    sign = " " if command[1] else signs.get(command[0], command[0])
    return sign.ljust(len(command[0]))


def _add_braces(fraction: re.Match[str]) -> str:
    """Return a LaTeX fraction with its digits in braces, in the spaces of its command."""
    numerator, denominator = fraction[1] or fraction[3], fraction[2] or fraction[4]
    braced = f"{FRACTION_MARK}{{{numerator}}}" + (f"{{{denominator}}}" if denominator else "")
    return braced.ljust(len(fraction[0]))


def _join_fraction(target: re.Match[str]) -> str:
    equals, numerator, denominator = target.groups()
    return f"{equals}{numerator}/{denominator}".ljust(len(target[0]))


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Return the tree of a formula without parentheses, whose numbers are 0, 1, 2, …."""
    words = (f"{operator} {position}" for position, operator in enumerate(operators, 1))
    text = " ".join(("0", *words))
    joins_digits = JOIN.name in operators
    # Position 12 is one number here, not the joined digits 1 and 2: do not split it.
    parser = FormulaParser(text, game, joins_digits=joins_digits, splits=False)
    tree = parser.parse_by_grammar()
    if tree is None:
        parser.fail_at(0)
    return parser.grouped(tree)


class FormulaParser:
    """The parser of one text. The numbers of its tree are indices into `number_spans`.

    With `splits`, the number 12 is parsed as the joined digits 1 and 2, if the game joins digits.
    """

    def __init__(
        self,
        text: str,
        game: Game,
        *,
        joins_digits: bool,
        splits: bool = True,
        line: str | None = None,
    ) -> None:
        self.text = text
        self.game = game
        self.splits = joins_digits and splits
        operators = tuple(OPERATORS.values()) + game.extra_operators
        self.syntax = syntax_for(game.letters, operators, joins_digits=joins_digits)
        # One space for each white-space character, so that columns do not move.
        self.line = _SPACE.sub(
            " ", normalise_formula(text, game.extra_operators) if line is None else line
        )
        self.number_spans: list[TextSpan] = []
        self.column = 0
        """Where the next operand or operator starts."""
        self.nested_operators = 0
        """Number of operators whose operand can be nested in the operand of another one."""

    def parse(self) -> tuple[Expression, TextSpan | None]:
        """Return the tree of the text, and the columns of its target or None; call this once."""
        if len(self.text) > MAX_FORMULA_LENGTH:
            reason = too_long_message(self.text)
            raise self.fault(reason, MAX_FORMULA_LENGTH, code="too-long")
        has_groups = self.check_brackets()
        needs_grammar = not self.game.parentheses and not has_groups
        tree = self.parse_by_grammar() if needs_grammar else None
        try:
            expression, target = tree or self.parse_expression(), None
        except RecursionError:
            # Python allows 1,000 nested calls, and 1 + 2 x (1 + 2 x (... takes 12 for each level.
            reason = message("formula.too_deep", most=MAX_NESTING // 2)
            raise self.fault(reason, 0, code="too-deep") from None
        if self.take(_EQUALS) and not (target := self.take(_STATED_TARGET)):
            self.fail_at(self.column)
        if self.line[self.column :].strip(" ") or (needs_grammar and tree is None):
            self.fail_at(self.column)
        return self.grouped(expression), target.span(1) if target else None

    def parse_by_grammar(self) -> Expression | None:
        """Return the tree that the grammar gives the line before `=`, None if it gives none."""
        from crisps24.notation.grammar import token_of

        formula = self.line.partition("=")[0]
        token = token_of(formula, self.syntax)
        self.column = 0 if token is None else len(formula)
        return None if token is None else self.build(token)

    def build(self, token: Any) -> Expression:
        """Return the tree of a token of the grammar."""
        if isinstance(token, re.Match):
            number = self.build_number(token[2], token.start(2))
            return self.build_minus(token.start(1), number) if token[1] else number
        kind, tokens = token
        if kind == "minus":
            sign, operand = tokens
            return self.build_minus(sign.start(2), self.build(operand))
        if kind == "before":
            *signs, operand = tokens
            tree = self.build(operand)
            for sign in reversed(signs):
                self.count_nested_operator()
                tree = self.build_operation(self.build_no_operand(sign.start()), sign[1], tree)
            return tree
        signs, operands = tokens[1::2], [self.build(part) for part in tokens[::2]]
        if kind == "after":
            [tree], [sign] = operands, signs
            return self.build_operation(tree, sign[1], self.build_no_operand(sign.end()))
        if kind == "left":
            tree, *others = operands
            for sign, right in zip(signs, others, strict=True):
                # A minus after an operator belongs to the next operand.
                right = self.build_minus(sign.start(2), right) if sign[2] else right
                tree = self.build_operation(tree, sign[1], right)
            return tree
        tree = operands.pop()
        for sign in reversed(signs):
            self.count_nested_operator()
            # Here the minus belongs to everything after it: 2 ^ -3 ^ 2 is 2 ^ (-(3 ^ 2)).
            right = self.build_minus(sign.start(2), tree) if sign[2] else tree
            tree = self.build_operation(operands.pop(), sign[1], right)
        return tree

    def grouped(self, expression: Expression) -> Expression:
        """Regroup `4 + 3 x 8 - 5` to 4 + (3 x 8 - 5) in a game with the grouping `tail`."""
        if self.game.grouping != "tail":
            return expression
        number_count = len(numbers_of(expression))
        if number_count != 4:
            reason = message("formula.needs_length", count=number_count)
            raise IllegalFormulaError(reason, self.text, 0, len(self.text))
        match expression:
            # In 4 + 3 x 8 - 5 these are 5 after the operator -, and 4 before the operator +.
            case Operation(
                last_operator,
                Operation(first_operator, first_number, Operation() as product, _),
                last_number,
                span,
            ):
                tail_span = (product.span[0], last_number.span[1])
                tail = Operation(last_operator, product, last_number, tail_span)
                return Operation(first_operator, first_number, tail, span)
        return expression

    def check_brackets(self) -> bool:
        """Return whether the line has brackets; raise FormulaError unless they are balanced."""
        has_braces = FRACTION_MARK in self.line or bool(self.syntax.braced_signs)
        closing = _CLOSING if has_braces else CLOSING_BRACKETS
        opened: list[int] = []
        for bracket in _BRACKET.finditer(self.line):
            sign, column = bracket[0], bracket.start()
            if sign in closing:
                opened.append(column)
                if len(opened) > MAX_NESTING:
                    reason = message("formula.too_deep", most=MAX_NESTING)
                    raise self.fault(reason, column, code="too-deep")
            elif sign in closing.values():
                if not opened:
                    raise self.fault(message("formula.not_opened", sign=sign), column)
                opening = self.line[opened.pop()]
                if closing[opening] != sign:
                    reason = message("formula.not_matched", sign=sign, opening=opening)
                    raise self.fault(reason, column)
        if opened:
            raise self.fault(message("formula.not_closed", sign=self.line[opened[-1]]), opened[-1])
        parenthesis = _PARENTHESIS.search(self.line)
        if parenthesis and not self.game.parentheses:
            reason, start = message("formula.no_parentheses"), parenthesis.start()
            raise IllegalFormulaError(reason, self.text, start)
        return parenthesis is not None or (has_braces and "{" in self.line)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.line, self.column)
        if match:
            self.column = match.end()
        return match

    def parse_expression(self, least: float = 0) -> Expression:
        """Return the tree of what starts here, as far as operators have a precedence or more."""
        tightest = SIGN_PRECEDENCE if self.syntax.has_tight_operators else math.inf
        minus = self.take(self.syntax.minus) if least <= tightest + 1 else None
        if minus is None:
            return self.parse_unsigned(least)
        tree = self.build_minus(minus.start(1), self.parse_unsigned(tightest + 1))
        return self.climb(tree, least, tightest)

    def parse_unsigned(self, least: float) -> Expression:
        """Return the tree of an expression without a minus in front."""
        sign = self.syntax.sign.match(self.line, self.column)
        operator = self.syntax.operators[sign[1]] if sign else MINUS
        if not sign or operator.arity == 2 or operator.postfix:
            return self.climb(self.parse_operand(), least)
        level = operator.precedence
        if level < least:
            self.fail_at(self.column)
        self.count_nested_operator()
        self.column = sign.end()
        right = self.parse_unsigned(level) if operator.is_tight else self.parse_expression(level)
        no_operand = self.build_no_operand(sign.start(1))
        return self.climb(self.build_operation(no_operand, sign[1], right), least, level - 1)

    def climb(self, tree: Expression, least: float, most: float = math.inf) -> Expression:
        """Return the tree of an operand with the operators behind it, between two precedences."""
        while sign := self.syntax.sign.match(self.line, self.column):
            operator = self.syntax.operators[sign[1]]
            is_behind = operator.arity == 2 or operator.postfix
            if not (is_behind and least <= operator.precedence <= most):
                break
            self.column, most = sign.end(), operator.precedence
            if operator.postfix:
                tree = self.build_operation(tree, sign[1], self.build_no_operand(sign.end()))
                most -= 1
                continue
            if operator.right_associative:
                self.count_nested_operator()
            # A minus after a tight operator belongs to all of its operand.
            minus = self.take(self.syntax.minus) if operator.is_tight else None
            parse = self.parse_unsigned if operator.is_tight else self.parse_expression
            right = parse(most + (not operator.right_associative))
            right = self.build_minus(minus.start(1), right) if minus else right
            tree = self.build_operation(tree, sign[1], right)
        return tree

    def parse_operand(self) -> Expression:
        """Return the tree of a number, a fraction or a group."""
        if number := self.take(self.syntax.operand):
            return self.build_number(number[1], number.start(1))
        self.take(_SPACES)
        start = self.column
        if not self.take(_FRACTION_START):
            return _placed(self.parse_group(), (start, self.column))
        numerator = self.parse_group()
        if not _BRACE.match(self.line, self.column):
            self.fail_at(start)
        tree = self.build_operation(numerator, DIVISION, self.parse_group())
        return _placed(tree, (start, self.column))

    def parse_group(self) -> Expression:
        """Return the tree in brackets; braces enclose a part of a fraction or an operand."""
        self.take(_SPACES)
        opening = self.line[self.column : self.column + 1]
        braced = FRACTION_MARK, "}", *self.syntax.braced_signs
        is_wrong_brace = opening == "{" and not self.line[: self.column].rstrip().endswith(braced)
        if opening not in _CLOSING or is_wrong_brace:
            self.fail_at(self.column)
        self.column += 1
        tree = self.parse_expression()
        self.take(_SPACES)
        if not self.line.startswith(_CLOSING[opening], self.column):
            self.fail_at(self.column)
        self.column += 1
        return tree

    def count_nested_operator(self) -> None:
        """Count an operator that is computed within the operand of the one before it."""
        self.nested_operators += 1
        if self.nested_operators > MAX_NESTING:
            reason = message("formula.operators_too_deep", most=MAX_NESTING)
            raise self.fault(reason, self.column, code="too-deep")

    def build_no_operand(self, column: int) -> NoOperand:
        """Return the empty operand at a column; it counts as a number of the tree."""
        self.number_spans.append((column, column))
        return NoOperand(len(self.number_spans) - 1, (column, column))

    def build_minus(self, column: int, tree: Expression) -> Expression:
        """Return a tree with the minus at a column; a number that is no group has it itself."""
        start, end = tree.span
        if isinstance(tree, Number) and self.line[start] not in "([{":
            self.number_spans[leaf_index(tree)] = column, end
            return _placed(tree, (column, end))
        no_operand = self.build_no_operand(column)
        return Operation(MINUS, no_operand, tree, (column, end))

    def build_number(self, text: str, column: int) -> Expression:
        """Return the tree of a number: an operation for `.5`, and for `12` if it is split."""
        if len(text) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            raise self.fault(reason, column, len(text), code="number")
        for operator in self.syntax.literal_operators:
            before, after = operator.affixes
            digits = text[len(before) : len(text) - len(after)]
            if digits.isdecimal() and text == operator.spell(digits):
                tree = self.build_number(digits, column + len(before))
                span = (column, column + len(text))
                empty_operand = self.build_no_operand(column)
                return Operation(operator, empty_operand, tree, span)
        if self.splits and len(text) > 1 and text.isdecimal():
            parts = (self.build_number(digit, at) for at, digit in enumerate(text, column))
            return reduce(lambda left, part: self.build_operation(left, JOIN.name, part), parts)
        self.number_spans.append((column, column + len(text)))
        return Number(len(self.number_spans) - 1, self.number_spans[-1])

    def build_operation(self, left: Expression, sign: str, right: Expression) -> Operation:
        operator, span = self.syntax.operators[sign], (left.span[0], right.span[1])
        if operator.joins and self.splits:
            if isinstance(right, Operation) and right.operator.joins:
                # 1 | 23 is (1 | 2) | 3: digits are joined from left to right.
                joined = self.build_operation(left, sign, right.left)
                return self.build_operation(joined, sign, right.right)
            for part in (left, right):
                start, end = part.span
                is_digit = isinstance(part, Number) and self.text[start:end].isdecimal()
                if not is_digit and not (isinstance(part, Operation) and part.operator.joins):
                    reason = message("formula.joins_no_digit", part=self.text[start:end])
                    raise IllegalFormulaError(reason, self.text, start, end - start, "number")
        return Operation(operator, left, right, span)

    def fault(
        self,
        reason: Message,
        column: int,
        length: int = 1,
        code: str = "",
    ) -> MalformedFormulaError:
        """Return an error with a reason; without a `code`, the text decides it."""
        code = code or self.error_code()
        return MalformedFormulaError(reason, self.text, column, length, code)

    def fail_at(self, column: int) -> NoReturn:
        """Raise the error for the column where the text stops being a formula."""
        # Skip spaces: the problem is the next character.
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        sign = re.match(self.syntax.sign_pattern, self.line[column:])
        # The sign or the character after the column, and the one before it; empty at the ends.
        after, line_before = self.line[column : column + 1], self.line[:column].rstrip()
        after = sign[0] if sign else after
        signs_before = (each for each in self.syntax.signs if line_before.endswith(each))
        before = next(signs_before, line_before[-1:])
        if power := self.power_at(column):
            start, end = power
            reason = message("formula.power", sign=self.line[start:end])
            raise self.fault(reason, start, end - start, "power")
        if not self.line.strip():
            reason = message("formula.none")
        elif "=" in self.line[:column]:
            text_after = self.line[column:].strip()
            key = "formula.target_once" if "=" in text_after else "formula.target_only"
            reason = message(key) if text_after else TARGET_MISSING
        elif re.match(r"[0-9(\[]", after) or after.upper() in self.syntax.letters:
            reason = message("formula.operator_missing", after=after)
        elif after and not sign and after not in ")]=":
            reason = message("formula.not_part", sign=escape_unprintable(self.text[column]))
        elif before and after:
            reason = message("formula.number_missing_between", before=before, after=after)
        elif before:
            reason = message("formula.number_missing_after", before=before)
        else:
            reason = message("formula.number_missing_before", after=after)
        raise self.fault(reason, column)

    def error_code(self) -> str:
        """Return the code of the problem of a text that is not a formula."""
        line = self.line
        # Complete LaTeX fractions are not the problem. Replace them from the inside outwards.
        for _ in range(MAX_NESTING if FRACTION_MARK in line else 0):
            line, count = _INNERMOST_FRACTION.subn(r"(\1)/(\2)", line)
            if not count:
                break
        if _LATEX.search(line):
            return "latex"
        text = normalise(self.text)
        # Signs and marks that the game has, such as the dot of .5, are not the problem either.
        literals = self.syntax.literal_operators
        marks = (mark for operator in literals for mark in operator.affixes if mark)
        for known_sign in (*self.syntax.braced_signs, *marks):
            text = text.replace(known_sign, "+")
        codes = (code for code, pattern in _ERROR_PATTERNS.items() if pattern.search(text))
        return next(codes, "") or self.syntax.error_code(line)

    def power_at(self, column: int) -> TextSpan | None:
        """Return the columns of a power sign, such as ** or ², that covers a column; else None."""
        # The parser takes the first character of ** for a sign, so start one column earlier.
        for start in range(max(0, column - 1), column + 1):
            power = _POWER.match(self.line, start)
            if power and power.end() > column and power[0] not in self.syntax.operators:
                return power.span()
        return None


def _placed(tree: Expression, span: TextSpan) -> Expression:
    """Return a tree with another span; `replace` takes five times as long."""
    if isinstance(tree, Number):
        return type(tree)(tree.value, span)
    return Operation(tree.operator, tree.left, tree.right, span)


def too_long_message(text: str) -> Message:
    return message("formula.too_long", size=Count(len(text)), most=Count(MAX_FORMULA_LENGTH))
