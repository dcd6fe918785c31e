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

`formula`, `term` and the lines of the second block are generated from the records of operators. In
a game that joins digits, a number is a chain of digits, which binds tightest. A formula in
parentheses is parsed before the formula around it, innermost first, and is one token there. So no
input makes the grammar recurse. The braces of LaTeX's \frac{8}{3} are handled in the same way.

In `(4 + 4) x 3`, columns 0 to 6 are parsed first and then replaced by one token; the remaining line
is a product of this token and 3. The cost is about linear in the length of the text, which is at
most 10,000 characters.
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


def run_grammar(grammar: pp.ParserElement, text: str) -> list[Any] | int:
    """Return the list of tokens of a text, or the column where the grammar does not match."""
    try:
        return grammar.parse_string(text).as_list()
    except pp.ParseBaseException as error:
        return error.loc


# New formulas often contain parts that are not new.
run_grammar_cached = lru_cache(maxsize=1 << 12)(run_grammar)


@lru_cache(maxsize=4)
def _latex_commands(operators: Sequence[Operator]) -> dict[str, str]:
    r"""Return the sign that replaces each LaTeX command, such as `x` for `\times`."""
    commands = {
        spelling: operator.name
        for operator in operators
        for spelling in all_spellings(operator)
        if spelling[0] == "\\"
    }
    return commands | dict.fromkeys((r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"), FRACTION_MARK)


def normalise_formula(text: str, extra_operators: Sequence[Operator] = ()) -> str:
    r"""Replace LaTeX commands and full-width characters by the signs that the parser knows.

    The result has the length of the text: signs are padded with spaces, so that an error in the
    result has the same column in the text. A fraction of two whole numbers after `=` becomes a word
    such as 48/2. Other LaTeX fractions keep their braces, and their command becomes the character
    `FRACTION_MARK`. Unknown commands stay. `extra_operators` has the operators of the game besides
    `+`, `-`, `x` and `:`; their commands, such as `\sqrt`, are only replaced if they are given.

    >>> normalise_formula(r"\left(4 + 4\right) \times 3 = \frac{48}{2}")
    '     (4 + 4      ) x      3 = 48/2        '
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
    """Return the sign of a LaTeX command, padded to its length; an unknown command unchanged."""
    sign = " " if command[1] else signs.get(command[0], command[0])
    return sign.ljust(len(command[0]))


def _add_braces(fraction: re.Match[str]) -> str:
    r"""Return a LaTeX fraction with its digits in braces, padded to the same length.

    The command `\frac` of `\frac83` is already replaced by one character and 4 spaces, so the
    braces of `{8}{3}` fit into these spaces.
    """
    numerator, denominator = fraction[1] or fraction[3], fraction[2] or fraction[4]
    braced = f"{FRACTION_MARK}{{{numerator}}}" + (f"{{{denominator}}}" if denominator else "")
    return braced.ljust(len(fraction[0]))


def _join_fraction(target: re.Match[str]) -> str:
    """Return a fraction after = as one word, padded to the same length: `= 48/2`."""
    equals, numerator, denominator = target.groups()
    return f"{equals}{numerator}/{denominator}".ljust(len(target[0]))


@lru_cache(maxsize=1 << 16)
def parse_pattern(operators: Sequence[str], game: Game) -> Expression:
    """Return the tree of a formula without parentheses, from its operators only.

    The numbers of the tree are 0, 1, 2, …: the positions of the numbers in the formula. So one tree
    serves for all formulas with these operators, and `lru_cache` keeps the last 65,536 trees.
    Raises `ParseError` for an unknown operator, and in the game game24 for a formula that does not
    have 4 numbers.

    >>> from crisps24 import GAMES
    >>> parse_pattern(("+", "x"), GAMES["crisps"])
    parse('0 + 1 x 2', 'digits')
    """
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

    Texts of the same shape fail at the same place, so the error itself is created later, from the
    text of the user. Used only in this package.
    """

    def __init__(self, start: int, end: int, make_error: ErrorFactory) -> None:
        super().__init__(start, end, make_error)


class FormulaParser:
    """The parser of one text. The numbers of its tree are indices into `number_spans`.

    Args:
        text: the formula.
        game: its operators, letters, parentheses and grouping decide what is parsed.
        joins_digits: whether digits can be joined: 1 and 2 to 12.
        splits: whether the number 12 is then parsed as the joined digits 1 and 2.
        line: the result of `normalise_formula`, if known.
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
        self.nested_operators = 0
        """Number of operators whose operand can be nested in the operand of another one."""

    def parse(self) -> tuple[Expression, TextSpan | None]:
        """Parse the text; return its tree, and the columns of the target after `=` or None.

        The numbers of the tree are indices into the list `number_spans`, which has their columns in
        the text: `(4 + 4) x 3` gives the tree (0 + 1) x 2 and the spans (1, 2), (5, 6), (10, 11).
        The text in each pair of brackets is parsed first, and is then one token of the text around
        it. Call this method only once. Raises ParseError if the text is not a formula of the game.
        """
        if len(self.text) > MAX_FORMULA_LENGTH:
            self.fail(too_long_message(self.text), MAX_FORMULA_LENGTH, code="too-long")
        for reserved in (GROUP_START, GROUP_FILL):
            if reserved in self.line:
                self.fail_at(self.line.index(reserved))
        pairs = self.match_brackets()
        parentheses = [start for start, _, _ in pairs if self.line[start] in CLOSING_BRACKETS]
        if parentheses and not self.game.parentheses:
            reason, start = message("formula.no_parentheses"), min(parentheses)
            self.fail(reason, start, kind=IllegalFormulaError, code="operator")
        remaining = self.line
        for start, end, fraction in pairs:
            inner_text = remaining[start + 1 : end]
            [token] = self.tokenize(self.syntax.group_grammar, inner_text, start + 1)
            tree = self.build(token, start + 1)
            if fraction:
                # These are the braces of a denominator: the group is the whole fraction.
                start, numerator_start = fraction
                tree = self.build_operation(self.groups[numerator_start], (DIVISION, tree))
            self.groups[start] = tree
            # Replace the group by one token of the same length, so that columns do not move.
            group_token = GROUP_START + GROUP_FILL * (end - start)
            remaining = remaining[:start] + group_token + remaining[end + 1 :]
        token, *target = self.tokenize(self.syntax.statement_grammar, remaining, 0)
        expression = self.build(token, 0)
        if self.game.grouping == "tail":
            expression = _group_tail(expression, self)
        return expression, target[0].span() if target else None

    def match_brackets(self) -> list[tuple[int, int, TextSpan | None]]:
        r"""Return the columns of the two brackets of each pair, inner pairs first.

        The columns of (4 + 4) x 3 are [(0, 6, None)]. Braces of a LaTeX fraction are pairs too. The
        third item is None, but for the braces of a denominator it has the columns where the
        fraction and the brace of its numerator start: `\frac{8}{3 - 1}` gives [(5, 7, None),
        (8, 14, (0, 5))]. Raises ParseError for a bracket without its partner, and for more than 100
        pairs in each other.
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
                    self.fail(reason, column, code="too-deep")
            elif character in CLOSING_BRACKETS.values() or (
                character == "}" and opened and opened[-1][2]
            ):
                if not opened:
                    self.fail(message("formula.not_opened", sign=character), column)
                start, fraction, _ = opened.pop()
                opening = self.line[start]
                if CLOSING_BRACKETS.get(opening, "}") != character:
                    reason = message("formula.not_matched", sign=character, opening=opening)
                    self.fail(reason, column)
                pairs.append((start, column, (fraction[0], fraction[1]) if fraction[1:] else None))
                if len(fraction) == 1:
                    numerators[column] = (fraction[0], start)
            if character != " ":
                previous = column
        if opened:
            start, *_ = opened[-1]
            self.fail(message("formula.not_closed", sign=self.line[start]), start)
        return pairs

    def tokenize(self, grammar: pp.ParserElement, text: str, start: int) -> list[Any]:
        """Split a text without parentheses into tokens by a grammar.

        A token is a number, a sign, or the list of a part that is computed first: `4 + 3 x 8` gives
        one token, [4, "+", [3, "x", 8]]. `start` is the column of the text within the formula; only
        the error needs it. Results for short texts are cached. Raises ParseError if the grammar
        does not match.
        """
        is_short = len(text) <= MAX_CACHED_LENGTH
        tokens_or_column = (run_grammar_cached if is_short else run_grammar)(grammar, text)
        if isinstance(tokens_or_column, int):
            # This is the column of the text where the grammar does not match.
            self.fail_at(start + tokens_or_column)
        return tokens_or_column

    def build(self, token: Any, start: int) -> Expression:
        """Build the tree of a token that the grammar returned.

        A token is the match of one operand, or a list of operands with signs between them, or
        `TaggedTokens` for other operators: `4 + 3 x 8` is the list [4, "+", [3, "x", 8]]. `start`
        is the column where the text of the tokens starts. The columns of each number are added to
        `number_spans`; its value in the tree is its index there. Raises ParseError for a number
        that is too long, too many levels, or joined parts that are not digits.
        """
        if isinstance(token, TaggedTokens):
            return self.build_tagged(token, start)
        if isinstance(token, list):
            operands = [self.build(operand, start) for operand in token[::2]]
            signs_and_operands = zip(token[1::2], operands[1:], strict=True)
            return reduce(self.build_operation, signs_and_operands, operands[0])
        # The token is the match of one operand, with or without a minus before it.
        column, text = token.start() + start, token[0]
        # Spaces after a minus do not count. Most texts are short: do not count their digits.
        if len(text) > MAX_NUMBER_LENGTH and sum(map(str.isdecimal, text)) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            self.fail(reason, column, len(text), code="number")
        unsigned = text[1:].lstrip() if text[0] in MINUS.spellings else text
        unsigned_start, end = column + len(text) - len(unsigned), column + len(text)
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
        """Return the empty operand at a column, which an operator with one operand needs.

        It counts as a number of the tree, so its empty span is added to `number_spans`.
        """
        self.number_spans.append((column, column))
        return NoOperand(len(self.number_spans) - 1, (column, column))

    def build_minus(self, column: int, tree: Expression) -> Operation:
        """Return the tree of a minus sign at a column that belongs to a whole tree: -(4 + 3)."""
        span = (column, tree.span[1])
        return Operation(MINUS, self.build_no_operand(column), tree, span, self.game.style)

    def build_tagged(self, tagged: TaggedTokens, start: int) -> Expression:
        """Build the tree of tokens whose kind says how they belong together.

        The kind is `minus` for -2 ^ 2, `before` for √16, `after` for 4!, `right` for a chain that
        is computed from the right, such as 2 ^ 3 ^ 2, and `left` for any other chain in which a
        minus can follow an operator. `start` is the column where the text of the tokens starts.
        Raises ParseError for more than 100 operators in each other.
        """
        kind, tokens = tagged
        if kind == "minus":
            tree = self.build(tokens[1], start)
            return self.add_minus(tokens[0].start() + start, tokens[1], tree)
        if kind == "after":
            operand, sign = tokens
            tree = self.build(operand, start)
            empty_operand = self.build_no_operand(start + sign.end())
            return self.build_operation(tree, (sign[0], empty_operand))
        if kind != "left":
            # Each of these operators is computed within the operand of the one before it.
            operator_count = len(tokens) // 2 if kind == "right" else len(tokens) - 1
            self.nested_operators += operator_count
            if self.nested_operators > MAX_NESTING:
                reason = message("formula.operators_too_deep", most=MAX_NESTING)
                self.fail(reason, start, code="too-deep")
        if kind == "before":
            *signs, operand = tokens
            tree = self.build(operand, start)
            for sign in reversed(signs):
                empty_operand = self.build_no_operand(start + sign.start())
                tree = self.build_operation(empty_operand, (sign[0], tree))
            return tree
        # Operands and signs take turns: the tokens of 2 ^ 3 ^ 2 are 2, ^, 3, ^, 2.
        operands, signs = [self.build(operand, start) for operand in tokens[::2]], tokens[1::2]
        if kind == "left":
            # A minus after an operator belongs to the next operand.
            tree = operands[0]
            for sign, right, token in zip(signs, operands[1:], tokens[2::2], strict=True):
                right = self.add_optional_minus(sign, token, right, start)
                tree = self.build_operation(tree, (sign[1], right))
            return tree
        # A minus after an operator belongs to everything after it: 2 ^ -3 ^ 2 is 2 ^ (-(3 ^ 2)).
        tree = operands[-1]
        for index in range(len(signs) - 1, -1, -1):
            token = tokens[-1] if index == len(signs) - 1 else None
            right = self.add_optional_minus(signs[index], token, tree, start)
            tree = self.build_operation(operands[index], (signs[index][1], right))
        return tree

    def add_optional_minus(
        self, sign: "re.Match[str]", token: Any, tree: Expression, start: int
    ) -> Expression:
        """Return the operand after a sign; if the sign ends with a minus, with this minus.

        In `2 ^ -3` the match `sign` is `^ -`, and its group 2 is the minus. `token` is the token of
        the operand, None for an operand of several tokens; `tree` is the tree of the operand;
        `start` is the column where the text of the tokens starts.
        """
        return self.add_minus(start + sign.start(2), token, tree) if sign[2] else tree

    def add_minus(self, column: int, token: Any, tree: Expression) -> Expression:
        """Return an operand with a minus in front; the minus stands at a column.

        The minus before a number becomes part of the number: the columns of `-4` are added to
        `number_spans` instead of those of `4`. Before anything else, such as (4) or 3 + 1, the
        minus becomes an operation. `tree` is the tree of the operand, and `token` its token, which
        shows whether the operand was in parentheses.
        """
        has_no_parentheses = isinstance(token, re.Match) and token[0][0] != GROUP_START
        if has_no_parentheses and isinstance(tree, Number):
            self.number_spans[leaf_index(tree)] = span = (column, tree.span[1])
            return replace(tree, span=span)
        return self.build_minus(column, tree)

    def build_number(self, text: str, column: int) -> Expression:
        """Build the tree of a number, such as `12`, `K` or `.5`, that starts at a column.

        The tree is usually a `Number`, whose columns are added to `number_spans`. It is an
        operation for a number with marks, such as the dot of `.5`, and in a game that joins digits
        for a number of several digits: `12` is 1 | 2 there. The text is not checked: the grammar
        has matched it.
        """
        for operator in self.syntax.literal_operators:
            before, after = operator.affixes
            digits = text[len(before) : len(text) - len(after)]
            if digits.isdecimal() and text == operator.spell(digits):
                tree = self.build_number(digits, column + len(before))
                span = (column, column + len(text))
                empty_operand = self.build_no_operand(column)
                return Operation(operator, empty_operand, tree, span, self.game.style)
        if self.splits and len(text) > 1 and text.isdecimal():
            first_digit, *other_digits = (
                self.build_number(digit, digit_column)
                for digit_column, digit in enumerate(text, column)
            )
            signs_and_digits = ((JOIN.name, digit) for digit in other_digits)
            return reduce(self.build_operation, signs_and_digits, first_digit)
        self.number_spans.append((column, column + len(text)))
        return Number(len(self.number_spans) - 1, self.number_spans[-1])

    def build_operation(
        self, left: Expression, sign_and_right: tuple[str, Expression]
    ) -> Operation:
        """Return the operation of a left operand, a sign and a right operand.

        The sign `|` writes digits next to each other as one number: 1 | 2 is 12. Its operands must
        be digits or joined digits; 1 | 23 becomes (1 | 2) | 3. Raises ParseError for another
        operand of `|`, such as (3 + 4) | 1.
        """
        sign, right = sign_and_right
        operator, span = self.syntax.operators[sign], (left.span[0], right.span[1])
        if operator.joins and self.splits:
            if isinstance(right, Operation) and right.operator.joins:
                # 1 | 23 is (1 | 2) | 3: digits are joined from left to right.
                joined = self.build_operation(left, (sign, right.left))
                return self.build_operation(joined, (sign, right.right))
            for part in (left, right):
                self.require_digits(part)
        return Operation(operator, left, right, span, self.game.style)

    def require_digits(self, part: Expression) -> None:
        """Raise `ParseError` if a part is neither a digit nor joined digits."""
        start, end = part.span
        is_digit = isinstance(part, Number) and self.text[start:end].isdecimal()
        if not is_digit and not (isinstance(part, Operation) and part.operator.joins):
            raise ParseError(start, end, FormulaParser.join_error)

    def fail_at(self, column: int) -> NoReturn:
        """Raise `ParseError` for the column where the grammar does not match."""
        raise ParseError(column, column + 1, FormulaParser.syntax_error)

    def fail(
        self,
        reason: Message,
        column: int,
        length: int = 1,
        kind: type[FormulaError] = MalformedFormulaError,
        code: str = "",
    ) -> NoReturn:
        """Stop the parser with a `ParseError`, from which an error for users is made later.

        Texts with the same signs in the same places, such as `4 + (3` and `8 + (1`, are parsed once
        and share the `ParseError`.

        Args:
            reason: The message of the error, which must not quote the text.
            column: The column where the problem starts.
            length: How many characters are marked as the problem.
            kind: The class of the error for users.
            code: The code of the problem, for programs. By default it is found from the text if
                the text is malformed; otherwise it is the code of `kind`.
        """

        def make_error(parser: FormulaParser, start: int, end: int) -> FormulaError:
            is_malformed = kind is MalformedFormulaError
            error_code = code or (parser.error_code() if is_malformed else "")
            return kind(reason, parser.text, start, end - start, error_code)

        raise ParseError(column, column + length, make_error)

    def join_error(self, start: int, end: int) -> FormulaError:
        """Return the error of a part that cannot be joined."""
        reason = message("formula.joins_no_digit", part=self.text[start:end])
        return IllegalFormulaError(reason, self.text, start, end - start, "number")

    def syntax_error(self, column: int, _: int) -> FormulaError:
        """Return the error for the column where the text stops being a formula; do not raise it.

        The reason is found from the characters before and after the column: `a number is missing
        between + and x` for `4 + x 3`, `an operator is missing before 4` for `3 4`.
        """
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
        r"""Return the code of the problem of a text that is not a formula.

        The code is `latex` for a LaTeX command that is not known (`\sin 4`), `power` (2 ** 3),
        `decimal` (4.5), `number` (1e5), `character` (4 $ 3), `two-signs` (4 + + 3), or else
        `not-a-formula`.
        """
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
        """Return the columns of a power sign, such as ** or ², that covers a column; else None.

        In `2 ** 3` the columns 2 and 3 both return (2, 4): the first column of the sign, and the
        column after its last. A sign that is an operator of the game returns None too.
        """
        # The grammar parses the first character of ** as a sign, so start one column earlier.
        for start in range(max(0, column - 1), column + 1):
            power = _POWER.match(self.line, start)
            if power and power.end() > column and power[0] not in self.syntax.operators:
                return power.span()
        return None

    def sign_at(self, column: int) -> str:
        """Return the spelling of an operator that starts at a column, empty without one."""
        sign = re.match(self.syntax.sign_pattern, self.line[column:])
        return sign[0] if sign else ""

    def sign_before(self, column: int) -> str:
        """Return the spelling of an operator that ends before a column, empty without one."""
        line = self.line[:column].rstrip()
        return next((sign for sign in self.syntax.signs if line.endswith(sign)), "")


def too_long_message(text: str) -> Message:
    """Return the message about a text of more than `MAX_FORMULA_LENGTH` characters."""
    return message("formula.too_long", size=Count(len(text)), most=Count(MAX_FORMULA_LENGTH))


def _group_tail(expression: Expression, parser: FormulaParser) -> Expression:
    """Regroup a tree of 4 numbers as the original program of the game game24 computes it.

    `4 + 3 x 8 - 5` becomes 4 + (3 x 8 - 5): the product and the last number are computed first.
    Trees of another form are returned unchanged. Raises ParseError if the tree does not have 4
    numbers.
    """
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
