r"""Text to tree: the grammar of formulas, with located errors.

    statement = formula [ "=" target ]
    formula   = term { ("+" | "-") term }
    term      = operand { ("x" | ":") operand }
    operand   = [ "-" ] ( number | "(" formula ")" | "[" formula "]" )

If an operator binds tighter than a product, the minus stands in front of all of it:

    operand   = [ "-" ] power
    power     = root { "^" [ "-" ] root }
    root      = { "√" } factorial
    factorial = ( number | "(" formula ")" | "[" formula "]" ) [ "!" ]

`formula`, `term` and the lines of the second block are levels of precedence, which `tokens` makes
from the records of operators. In a game that joins digits, a number is a chain of digits, which
binds tightest. A formula in parentheses is parsed before the formula around it, innermost first,
and is one operand there: in `(4 + 4) x 3`, columns 0 to 6 are parsed first. So no input makes the
grammar recurse. The braces of LaTeX's \frac{8}{3} are handled in the same way.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from typing import Any, NoReturn

from crisps24.messages.message import Count, Message, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.spellings import (
    DIVISION,
    GROUP_FILL,
    GROUP_START,
    all_spellings,
    syntax_for,
)
from crisps24.notation.trees import Expression, NoOperand, Number, Operation, leaf_index, numbers_of
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.games import Game
from crisps24.rules.operators import JOIN, MINUS, MINUS_PATTERN, OPERATORS, Operator

# A range of columns in a text: the first column and the column after the last.
TextSpan = tuple[int, int]

# Characters of a formula.
MAX_FORMULA_LENGTH = 10_000
# Digits of a number.
MAX_NUMBER_LENGTH = 100
# Levels of parentheses, and of operators that nest without parentheses.
MAX_NESTING = 100
# Characters of a text whose parse is cached.
MAX_CACHED_LENGTH = 64
TARGET_MISSING = message("formula.target_missing")

# Opening bracket to closing bracket.
CLOSING_BRACKETS = {"(": ")", "[": "]"}

_SPACE = re.compile(r"\s")
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
    tree, _ = parser.parse()
    return tree


# Returns the error for a range of columns of a text.
ErrorFactory = Callable[["FormulaParser", int, int], FormulaError]


class ParseError(Exception):
    """A text cannot be parsed. `args` are the span and the factory of the error.

    Texts of the same shape fail at the same place, so the error itself is made later, of each text.
    """

    def __init__(self, start: int, end: int, make_error: ErrorFactory) -> None:
        super().__init__(start, end, make_error)


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
        self.groups: dict[int, Expression] = {}
        """First column of a parsed group to its tree."""
        self.number_spans: list[TextSpan] = []
        self.start = 0
        """The column of the part that is parsed."""
        self.rest = self.line
        """The line, in which a parsed group is one operand."""
        self.nested_operators = 0
        """Number of operators whose operand can be nested in the operand of another one."""

    def parse(self) -> tuple[Expression, TextSpan | None]:
        """Return the tree of the text, and the columns of its target or None; call this once."""
        if len(self.text) > MAX_FORMULA_LENGTH:
            raise self.fault(too_long_message(self.text), MAX_FORMULA_LENGTH, code="too-long")
        for reserved in (GROUP_START, GROUP_FILL):
            if reserved in self.line:
                self.fail_at(self.line.index(reserved))
        pairs = self.match_brackets()
        parentheses = [start for start, _, _ in pairs if self.line[start] in CLOSING_BRACKETS]
        if parentheses and not self.game.parentheses:
            reason, start = message("formula.no_parentheses"), min(parentheses)
            raise self.fault(reason, start, kind=IllegalFormulaError, code="operator")
        for start, end, fraction in pairs:
            [token] = self.tokenize(start + 1, end)
            tree = self.build(token)
            if fraction:
                # These are the braces of a denominator: the group is the whole fraction.
                start, numerator_start = fraction
                tree = self.build_operation(self.groups[numerator_start], DIVISION, tree)
            self.groups[start] = tree
            # Replace the group by one operand of the same length, so that columns do not move.
            group = GROUP_START + GROUP_FILL * (end - start)
            self.rest = self.rest[:start] + group + self.rest[end + 1 :]
        token, *target = self.tokenize(0, len(self.rest), has_target=True)
        expression = self.build(token)
        if self.game.grouping == "tail":
            expression = _group_tail(expression, self)
        return expression, target[0].span() if target else None

    def match_brackets(self) -> list[tuple[int, int, TextSpan | None]]:
        """Return the columns of the two brackets of each pair, inner pairs first.

        The columns of (4 + 4) x 3 are [(0, 6, None)]. For the braces of a denominator, the third
        item has the columns where the fraction and the brace of its numerator start.
        """
        pairs: list[tuple[int, int, TextSpan | None]] = []
        # Brackets that are not closed yet: the column; the columns where a fraction (and for a
        # denominator also its numerator) starts; whether the bracket is a brace.
        opened: list[tuple[int, tuple[int, ...], bool]] = []
        braced_signs = self.syntax.braced_signs if "{" in self.line else ()
        # Column where a numerator ends: the columns where its fraction and its brace start.
        numerators: dict[int, TextSpan] = {}
        # The last column before the current one that is not a space.
        previous = 0
        for column, character in enumerate(self.line):
            is_brace = character == "{"
            starts_numerator = is_brace and self.line[previous] == FRACTION_MARK
            fraction: tuple[int, ...] = (previous,) if starts_numerator else ()
            if is_brace and not starts_numerator:
                # This is a denominator, if a numerator ends before it.
                fraction = numerators.get(previous, ())
            # An operand in braces, such as that of a root; a line has no line feed.
            starts_operand = is_brace and self.line[: previous + 1].endswith(braced_signs or "\n")
            if character in CLOSING_BRACKETS or fraction or starts_operand:
                opened.append((column, fraction, is_brace))
                if len(opened) > MAX_NESTING:
                    reason = message("formula.too_deep", most=MAX_NESTING)
                    raise self.fault(reason, column, code="too-deep")
            elif character in CLOSING_BRACKETS.values() or (
                character == "}" and opened and opened[-1][2]
            ):
                if not opened:
                    raise self.fault(message("formula.not_opened", sign=character), column)
                start, fraction, _ = opened.pop()
                opening = self.line[start]
                if CLOSING_BRACKETS.get(opening, "}") != character:
                    reason = message("formula.not_matched", sign=character, opening=opening)
                    raise self.fault(reason, column)
                pairs.append((start, column, (fraction[0], fraction[1]) if fraction[1:] else None))
                if len(fraction) == 1:
                    numerators[column] = (fraction[0], start)
            if character != " ":
                previous = column
        if opened:
            start, *_ = opened[-1]
            raise self.fault(message("formula.not_closed", sign=self.line[start]), start)
        return pairs

    def tokenize(self, start: int, end: int, *, has_target: bool = False) -> list[Any]:
        """Return the token of a part of the line without parentheses, and that of its target."""
        from crisps24.notation.grammar import run_grammar, run_grammar_cached

        self.start, text = start, self.rest[start:end]
        run = run_grammar_cached if len(text) <= MAX_CACHED_LENGTH else run_grammar
        tokens = run(self.syntax, text, has_target=has_target)
        if isinstance(tokens, int):
            self.fail_at(start + tokens)
        return tokens

    def build(self, token: Any) -> Expression:
        """Return the tree of a token: the match of an operand, or a `Chain`."""
        if isinstance(token, re.Match):
            return self.build_operand(token[0], self.start + token.start())
        kind, tokens = token
        if kind == "minus":
            sign, operand = tokens
            return self.add_optional_minus(sign, self.build(operand))
        signs, parts = (
            (tokens[:-1], tokens[-1:]) if kind == "before" else (tokens[1::2], tokens[::2])
        )
        if kind in ("before", "right"):
            # Each of these operators is computed within the operand of the one before it.
            self.nested_operators += len(signs)
            if self.nested_operators > MAX_NESTING:
                reason = message("formula.operators_too_deep", most=MAX_NESTING)
                raise self.fault(reason, self.start, code="too-deep")
        operands = [self.build(part) for part in parts]
        if kind == "after":
            [tree], [sign] = operands, signs
            return self.build_operation(
                tree, sign[1], self.build_no_operand(self.start + sign.end())
            )
        if kind == "left":
            tree, *others = operands
            for sign, operand in zip(signs, others, strict=True):
                # A minus after an operator belongs to the next operand.
                tree = self.build_operation(tree, sign[1], self.add_optional_minus(sign, operand))
            return tree
        tree = operands.pop()
        for sign in reversed(signs):
            if kind == "before":
                left = self.build_no_operand(self.start + sign.start())
                tree = self.build_operation(left, sign[1], tree)
            else:
                # Here the minus belongs to everything after it: 2 ^ -3 ^ 2 is 2 ^ (-(3 ^ 2)).
                right = self.add_optional_minus(sign, tree)
                tree = self.build_operation(operands.pop(), sign[1], right)
        return tree

    def build_operand(self, text: str, column: int) -> Expression:
        """Return the tree of a number, a letter or a group, with or without a minus sign."""
        # Spaces after a minus do not count. Most texts are short: do not count their digits.
        if len(text) > MAX_NUMBER_LENGTH and sum(map(str.isdecimal, text)) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            raise self.fault(reason, column, len(text), code="number")
        unsigned = text[1:].lstrip() if text[0] in MINUS.spellings else text
        end = column + len(text)
        unsigned_start = end - len(unsigned)
        if unsigned[0] == GROUP_START:
            # A formula in parentheses, which was parsed earlier.
            tree: Expression = replace(self.groups[unsigned_start], span=(unsigned_start, end))
        elif self.splits and len(unsigned) > 1:
            tree = self.build_number(unsigned, unsigned_start)
        else:
            # With its minus: the game can have negative numbers.
            return self.build_number(text, column)
        return tree if unsigned_start == column else self.build_minus(column, tree)

    def build_no_operand(self, column: int) -> NoOperand:
        """Return the empty operand at a column; it counts as a number of the tree."""
        self.number_spans.append((column, column))
        return NoOperand(len(self.number_spans) - 1, (column, column))

    def build_minus(self, column: int, tree: Expression) -> Operation:
        span = (column, tree.span[1])
        return Operation(MINUS, self.build_no_operand(column), tree, span, self.game.style)

    def add_optional_minus(self, sign: re.Match[str], tree: Expression) -> Expression:
        """Return the operand after a sign; if the sign ends with a minus, with this minus."""
        if not sign[2]:
            return tree
        column, (start, end) = self.start + sign.start(2), tree.span
        if isinstance(tree, Number) and self.rest[start] != GROUP_START:
            self.number_spans[leaf_index(tree)] = column, end
            return replace(tree, span=(column, end))
        return self.build_minus(column, tree)

    def build_number(self, text: str, column: int) -> Expression:
        """Return the tree of a number: an operation for `.5`, and for `12` if it is split."""
        for operator in self.syntax.literal_operators:
            before, after = operator.affixes
            digits = text[len(before) : len(text) - len(after)]
            if digits.isdecimal() and text == operator.spell(digits):
                tree = self.build_number(digits, column + len(before))
                span = (column, column + len(text))
                empty_operand = self.build_no_operand(column)
                return Operation(operator, empty_operand, tree, span, self.game.style)
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
                self.require_digits(part)
        return Operation(operator, left, right, span, self.game.style)

    def require_digits(self, part: Expression) -> None:
        start, end = part.span
        is_digit = isinstance(part, Number) and self.text[start:end].isdecimal()
        if not is_digit and not (isinstance(part, Operation) and part.operator.joins):
            raise ParseError(start, end, FormulaParser.join_error)

    def fail_at(self, column: int) -> NoReturn:
        raise ParseError(column, column + 1, FormulaParser.syntax_error)

    def fault(
        self,
        reason: Message,
        column: int,
        length: int = 1,
        kind: type[FormulaError] = MalformedFormulaError,
        code: str = "",
    ) -> ParseError:
        """Return an error with a reason; without a `code`, the text decides it."""

        def make_error(parser: FormulaParser, start: int, end: int) -> FormulaError:
            is_malformed = kind is MalformedFormulaError
            error_code = code or (parser.error_code() if is_malformed else "")
            return kind(reason, parser.text, start, end - start, error_code)

        return ParseError(column, column + length, make_error)

    def join_error(self, start: int, end: int) -> FormulaError:
        reason = message("formula.joins_no_digit", part=self.text[start:end])
        return IllegalFormulaError(reason, self.text, start, end - start, "number")

    def syntax_error(self, column: int, _: int) -> FormulaError:
        """Return the error for the column where the text stops being a formula."""
        # Skip spaces: the problem is the next character.
        column += len(self.line[column:]) - len(self.line[column:].lstrip())
        sign = self.sign_at(column)
        # The sign or the character after the column, and the one before it; empty at the ends.
        after = sign or self.line[column : column + 1]
        before = self.sign_before(column) or self.line[:column].rstrip()[-1:]
        if power := self.power_at(column):
            start, end = power
            reason = message("formula.power", sign=self.line[start:end])
            return MalformedFormulaError(reason, self.text, start, end - start, "power")
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
        return MalformedFormulaError(reason, self.text, column, code=self.error_code())

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
        # The grammar parses the first character of ** as a sign, so start one column earlier.
        for start in range(max(0, column - 1), column + 1):
            power = _POWER.match(self.line, start)
            if power and power.end() > column and power[0] not in self.syntax.operators:
                return power.span()
        return None

    def sign_at(self, column: int) -> str:
        sign = re.match(self.syntax.sign_pattern, self.line[column:])
        return sign[0] if sign else ""

    def sign_before(self, column: int) -> str:
        line = self.line[:column].rstrip()
        return next((sign for sign in self.syntax.signs if line.endswith(sign)), "")


def too_long_message(text: str) -> Message:
    return message("formula.too_long", size=Count(len(text)), most=Count(MAX_FORMULA_LENGTH))


def _group_tail(expression: Expression, parser: FormulaParser) -> Expression:
    """Regroup `4 + 3 x 8 - 5` to 4 + (3 x 8 - 5), as the original program of game24 does."""
    number_count = len(numbers_of(expression))
    if number_count != 4:
        reason = message("formula.needs_length", count=number_count)

        def make_error(failed_parser: FormulaParser, *_: int) -> FormulaError:
            text = failed_parser.text
            return IllegalFormulaError(reason, text, 0, len(text))

        raise ParseError(0, 0, make_error)
    match expression:
        # In 4 + 3 x 8 - 5 these are 5 after the operator -, and 4 before the operator +.
        case Operation(
            last_operator,
            Operation(first_operator, first_number, Operation() as product, _),
            last_number,
            span,
        ):
            style = parser.game.style
            tail_span = (product.span[0], last_number.span[1])
            tail = Operation(last_operator, product, last_number, tail_span, style)
            return Operation(first_operator, first_number, tail, span, style)
    return expression
