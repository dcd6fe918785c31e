"""Parse text into statements: a formula, infix or Polish, with the target after `=`.

Texts of the same shape are parsed once. The shape of a text has a 1 for each number and one space
for each run of white space: `12 + 3 = 15` and `4  + 6 = 10` have the shape `1 + 1 = 1`. If the
grammar accepts a shape, it accepts all its texts. The tree of a shape has indices instead of
numbers; the columns of the shape are mapped to the columns of each text. Texts of more than
`MAX_CACHED_LENGTH` characters are parsed directly.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, NoReturn

from crisps24.errors import quoted
from crisps24.messages.message import Message, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.evaluation import (
    EvaluationPlan,
    Violation,
    evaluate_tree,
    leaf_value,
    plan_evaluation,
)
from crisps24.notation.grammar import (
    FRACTION_MARK,
    MAX_CACHED_LENGTH,
    MAX_FORMULA_LENGTH,
    MAX_NESTING,
    MAX_NUMBER_LENGTH,
    TARGET_MISSING,
    ErrorFactory,
    FormulaParser,
    ParseError,
    TextSpan,
    normalise_formula,
    too_long_message,
)
from crisps24.notation.spellings import spellings_of
from crisps24.notation.trees import (
    Expression,
    Number,
    Operation,
    Parts,
    formula_text,
    parts_of,
    split_chain,
    text_of,
)
from crisps24.rules.characters import escape_unprintable, mask_digits
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, find_game
from crisps24.rules.operators import MINUS_PATTERN, OPERATORS, Operator
from crisps24.rules.words import parse_value

# Each shape takes about 2 KB of memory, at most 9 KB.
MAX_CACHED_SHAPES = 1 << 13
# Characters of a formula that a message quotes.
_MAX_QUOTED_LENGTH = 60

# Index: a column of a shape, or its end. Value: the column in a text.
Columns = Sequence[int]
# The columns of a text that is its own shape.
_SAME_COLUMNS: Columns = range(sys.maxsize)


class Statement(NamedTuple):
    """A parsed formula: a tree that texts of the same shape share, and the data of this text."""

    text: str
    tree: Expression
    """The shared tree; `expression` is the tree with the numbers of this text."""
    parts: Parts
    """The parts of `tree`."""
    number_of: Callable[[Number], int]
    """The number of a leaf of `tree`."""
    columns: Columns
    """The column of the text for each column of `tree`."""
    target: Exact | None = None
    """The number after `=`, None without one."""
    formula: str = ""
    """The formula of a working (see `workings`); empty for a text that is a formula."""
    negative_zero: Number | None = None
    """The first 0 with a minus before it, if the game has no negative numbers."""
    plan: EvaluationPlan | None = None
    """The plan of the tree in the game that the text was parsed for."""
    style: str = "cards"
    """The style in which `expression` is printed: that of the game."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the formula, from left to right."""
        return [self.number_of(leaf) for leaf in self.parts.numbers]

    def card_numbers(self, game: Game, card: Sequence[int] | None = None) -> list[int]:
        """Return the numbers of the formula as cards, in order: 3 for a -3 that is not on the card.

        Other numbers are not checked. Without a card, each number of the game is available any
        number of times.

        >>> from crisps24 import GAMES
        >>> parse_statement("-3 + 27", GAMES["cards"]).card_numbers(GAMES["cards"], (27, 3))
        [3, 27]
        """
        numbers, cards = self.numbers, []
        if not game.negatives or min(numbers) >= 0:
            return numbers
        counts = Counter(game.numbers if card is None else card)
        for number in numbers:
            if number < 0 and counts[number] < 1:
                number = -number
            counts[number] -= card is not None
            cards.append(number)
        return cards

    @property
    def expression(self) -> Expression:
        """The tree of this text, with its numbers and its columns."""
        if self.number_of is leaf_value:
            return self.tree
        return _fill(self.tree, self.number_of, self.columns, self.style)

    def span_of(self, part: Expression) -> TextSpan:
        """Return the span in the text of a part of the tree."""
        start, end = part.span
        return self.columns[start], self.columns[end]

    def value_in(self, game: Game, dealt: Sequence[Exact] = (), style: str | None = None) -> Exact:
        """Return the value of the formula: an int if it is whole, else a Fraction.

        >>> from crisps24 import GAMES
        >>> parse_statement("10 + 3", GAMES["crisps"]).value_in(GAMES["crisps"], (10, 3))
        13

        Args:
            game: its numbers, operators and rules are allowed.
            dealt: numbers that are allowed besides those of the game.
            style: the style of steps in messages; by default that of the game.

        Raises:
            IllegalFormulaError: for the first number, operator or step that breaks a rule.
        """
        result: Exact | Violation
        if self.negative_zero is not None:
            result = Violation(self.negative_zero, message("formula.no_negatives"), "sign")
        else:
            result = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if isinstance(result, Violation) and game.negatives:
            # A number that is dealt can also be used with a minus.
            negative = [number for number in self.numbers if number < 0]
            usable = [number for number in negative if -number in game.numbers or -number in dealt]
            dealt = (*dealt, *usable)
            result = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if not isinstance(result, Violation):
            return result
        part, reason, code = result
        start, end = self.span_of(part)
        if isinstance(part, Operation) and part.operator not in game.row_operators:
            first, last = self.span_of(part.left)[1], self.span_of(part.right)[0]
            if sign := self.text[first:last].strip():
                start = self.text.index(sign, first)
                end = start + len(sign)
        raise IllegalFormulaError(reason, self.text, start, end - start, code)


def _fill(
    part: Expression, number_of: Callable[[Number], int], columns: Columns, style: str
) -> Expression:
    """Return a copy of a tree with other numbers and columns, printed in a style.

    `columns` has the new column of each column of the tree.
    """
    span = columns[part.span[0]], columns[part.span[1]]
    if isinstance(part, Number):
        return type(part)(number_of(part), span)
    first, links = split_chain(part)
    tree = _fill(first, number_of, columns, style)
    for link in links:
        right = _fill(link.right, number_of, columns, style)
        span = columns[link.span[0]], columns[link.span[1]]
        tree = Operation(link.operator, tree, right, span, style)
    return tree


def statement_of(text: str, expression: Expression) -> Statement:
    """Return the statement of a tree whose numbers and columns are already those of a text."""
    return Statement(text, expression, parts_of(expression), leaf_value, _SAME_COLUMNS)


def parse(text: str, game: Game | str = "crisps") -> Expression:
    """Parse a formula into a tree, by the operator precedence of the game.

    Spaces are optional, all spellings of operators are accepted, and a target after `=` is ignored.
    Whether numbers and steps are legal is checked by `evaluate`.

    >>> parse("2+8×9")
    parse('2 + 8 x 9', 'digits')

    Args:
        text: at most 10,000 characters, with at most 100 levels of parentheses and 100 digits per
            number.
        game: a game or its name.

    Raises:
        MalformedFormulaError: if the text is not a formula.
        IllegalFormulaError: for parentheses in a game without parentheses, for joined operands
            that are not digits, and in game24 for other than 4 numbers.
        RefusedError: for an unknown game.
    """
    game = find_game(game)
    return parse_statement(formula_text(text), game).expression


def parse_statement(text: str, game: Game, line: str | None = None) -> Statement:
    """Parse a formula, with or without a target after `=`.

    `line` is the result of `normalise_formula`, if known.

    >>> from crisps24 import GAMES
    >>> statement = parse_statement("12 + 3 = 15", GAMES["cards"])
    >>> statement.numbers, statement.target
    ([12, 3], 15)

    Raises:
        MalformedFormulaError: if the text is not a formula, or the target is not a number.
        IllegalFormulaError: as in `parse`.
    """
    line = normalise_formula(text, game.extra_operators) if line is None else line
    operators = tuple(OPERATORS.values()) + game.extra_operators
    # A longer text is its own shape. It can have a number of too many digits, which is not visible
    # in a shape.
    if len(text) <= MAX_CACHED_LENGTH:
        shape, number_spans, columns = _locate_shape(mask_digits(line), game, operators)
    else:
        shape = _parse_shape(line, game)
        number_spans, columns = shape.number_spans, _SAME_COLUMNS
    if shape.error is not None:
        start, end, make_error = shape.error
        # A span can end after the end of the text.
        start, end = (columns[min(column, len(columns) - 1)] for column in (start, end))
        raise make_error(FormulaParser(text, game, joins=game.join, line=line), start, end)
    numbers = _parse_numbers([line[start:end] for start, end in number_spans], game)
    target = None
    if shape.target is not None:
        target = _parse_target(shape.target, text, line, columns)
    statement = Statement(
        *(text, shape.tree, shape.parts, lambda leaf: numbers[leaf.value], columns, target),
        plan=shape.plan,
        style=game.style,
    )
    if 0 in numbers and not game.negatives:
        statement = statement._replace(negative_zero=_find_negative_zero(statement))
    if (FRACTION_MARK in line or "{" in line) and not game.parentheses:
        tree = fit_to_game(statement.expression, game, text, 0, len(text))
        statement = statement_of(text, tree)._replace(target=target)
    return statement


def _find_negative_zero(statement: Statement) -> Number | None:
    """Return the first 0 with a minus before it, None without one."""
    for leaf in statement.parts.numbers:
        start, _ = statement.span_of(leaf)
        # The span of a number in parentheses includes them.
        word = statement.text[start:].lstrip("([{ ")
        if statement.number_of(leaf) == 0 and re.match(MINUS_PATTERN, word):
            return leaf
    return None


def _parse_numbers(words: Sequence[str], game: Game) -> list[int]:
    """Return the numbers of words: digits, letters of the game, or nothing (0)."""
    return [int(word) if word.isdecimal() else _parse_number(word, game) for word in words]


def _parse_number(word: str, game: Game) -> int:
    """Return the number of a word: digits or a letter, with or without a minus; 0 if empty."""
    if not word:
        # The missing operand of a unary minus.
        return 0
    if word.isdecimal():
        return int(word)
    number = dict(game.letters).get(word.upper())
    return -_parse_number(word[1:].lstrip(), game) if number is None else number


def _parse_target(span: TextSpan, text: str, line: str, columns: Columns = _SAME_COLUMNS) -> Exact:
    """Return the target of a line; raise `MalformedFormulaError` if it is not a number.

    Args:
        span: the columns of the target in the shape.
        text: the text that an error quotes and marks.
        line: the result of `normalise_formula`.
        columns: the column of the text for each column of the shape.
    """
    try:
        # The target is the last part of the line.
        word = line.partition("=")[2].strip()
        is_short_number = word.isdecimal() and len(word) <= MAX_NUMBER_LENGTH
        return int(word) if is_short_number else parse_value(word)
    except ValueError:
        start, end = (columns[column] for column in span)
    word = (line if "\\" in text or "/" in line else text)[start:end]
    try:
        return parse_value(word)
    except ValueError:
        reason = message("formula.target_no_number", word=quoted(word))
        raise MalformedFormulaError(reason, text, start, end - start) from None


class _Shape(NamedTuple):
    """The parse of a shape: a tree whose numbers are indices into `number_spans`, or an error."""

    tree: Expression = Number(0)
    parts: Parts = Parts([], [])
    number_spans: Sequence[TextSpan] = ()
    target: TextSpan | None = None
    error: tuple[int, int, ErrorFactory] | None = None
    """The arguments of a `ParseError`."""
    plan: EvaluationPlan | None = None


class _ShapePatterns(NamedTuple):
    """The patterns that reduce a text of a game to its shape."""

    number: re.Pattern[str]
    """A number, which becomes 1."""
    letter: re.Pattern[str] | None
    """A letter of the game, which becomes `first_letter`; None if letters are kept."""
    first_letter: str
    piece: re.Pattern[str]
    """The piece of a text that becomes one character of its shape."""

    def shape_of(self, text: str) -> str:
        """Return the shape of a text."""
        shape = self.number.sub("1", " ".join(text.split()))
        return shape if self.letter is None else self.letter.sub(self.first_letter, shape)

    def columns_of(self, text: str) -> Columns:
        """Return the column in a text of each character of its shape, and of its end."""
        first = len(text) - len(text.lstrip())
        return list(accumulate(map(len, self.piece.findall(text.strip())), initial=first))


@lru_cache(maxsize=16)
def _shape_patterns(game: Game, operators: Sequence[Operator]) -> _ShapePatterns:
    """Return the patterns of a game; letters are kept if one is also the sign of an operator."""
    # In a game that joins digits, each digit is a number.
    number = "[0-9]" if game.join else "[0-9]+"
    names = "".join(name + name.lower() for name, _ in game.letters)
    signs = "".join(spellings_of(game.letters, operators, joins=True).operators)
    letter = f"[{names}]" if names and not set(names) & set(signs) else ""
    return _ShapePatterns(
        re.compile(number),
        re.compile(letter) if letter else None,
        names[:1],
        re.compile(rf"{number}|\s+|\S"),
    )


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _parse_shape_cached(shape: str, game: Game, _operators: Sequence[Operator]) -> _Shape:
    return _parse_shape(shape, game)


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _locate_shape(
    line: str, game: Game, operators: Sequence[Operator]
) -> tuple[_Shape, Sequence[TextSpan], Columns]:
    """Return the parsed shape of a line, the spans of its numbers, and its columns; all cached.

    The columns map each column of the shape to one of the line; the spans are columns of the line.
    An error is part of the shape, not raised, and the spans are then empty. The arguments must be
    hashable.
    """
    patterns = _shape_patterns(game, operators)
    shape = _parse_shape_cached(patterns.shape_of(line), game, operators)
    columns = patterns.columns_of(line)
    return shape, [(columns[start], columns[end]) for start, end in shape.number_spans], columns


def _parse_shape(text: str, game: Game) -> _Shape:
    """Return the parse of a shape, or a shape with the error; nothing is raised."""
    parser = FormulaParser(text, game, joins=game.join, line=text)
    try:
        tree, target = parser.parse()
    except ParseError as error:
        return _Shape(error=error.args)
    plan = plan_evaluation(tree, game)
    return _Shape(tree, parts_of(tree), parser.number_spans, target, plan=plan)


def fit_to_game(tree: Expression, game: Game, text: str, start: int, end: int) -> Expression:
    """Return a tree from steps, LaTeX or Polish notation as a tree that the game can have.

    In a game with parentheses that is the tree itself. Otherwise its parentheses are removed if
    they change nothing: 8 + (3 - 1) becomes 8 + 3 - 1. `text[start:end]` is the source of the tree,
    which the error marks.

    Raises:
        IllegalFormulaError: if the tree needs parentheses or another order of steps.
    """
    if game.parentheses:
        return tree
    printed = text_of(tree)
    try:
        row = parse(printed.replace("(", "").replace(")", ""), game)
    except FormulaError as error:
        raise IllegalFormulaError(error.message, text, start, end - start, "operator") from None
    for candidate in (tree, _flatten_sums(tree)):
        if candidate == row:
            return candidate
    key = "formula.needs_parentheses" if "(" in printed else "formula.other_order"
    if len(printed) <= _MAX_QUOTED_LENGTH:
        reason = message(key, formula=printed)
    else:
        reason = message(f"{key}_long")
    raise IllegalFormulaError(reason, text, start, end - start, "operator")


def _flatten_sums(tree: Expression) -> Expression:
    """Return a tree without parentheses that change nothing: 8 + (3 - 1), 8 x (6 : 3)."""
    if isinstance(tree, Number):
        return tree
    first, links = split_chain(tree)
    flat = _flatten_sums(first)
    for link in links:
        right, operator = _flatten_sums(link.right), link.operator
        inner, inner_links = split_chain(right)
        chain_operators = {operator.name, operator.inverse} if operator.inverse else set()
        is_chain = all(inner_link.operator.name in chain_operators for inner_link in inner_links)
        if not (operator.commutes and is_chain):
            inner, inner_links = right, []
        flat = Operation(operator, flat, inner, link.span, link.style)
        for inner_link in inner_links:
            flat = Operation(inner_link.operator, flat, inner_link.right, link.span, link.style)
    return flat


class _PendingOperator(NamedTuple):
    """An operator in Polish notation that waits for operands."""

    operator: Operator
    start: int
    """Its column."""
    operands: list[tuple[Expression, int]]
    """The operands parsed so far, each with its depth of nesting."""


def parse_polish(text: str, game: Game) -> Statement:
    """Parse a formula in Polish notation (operators first), with or without a target after `=`.

    >>> from crisps24 import GAMES
    >>> statement = parse_polish("/ 8 - 3 / 8 3 = 24", GAMES["cards"])
    >>> str(statement.expression), statement.target
    ('8 / (3 - 8 / 3)', 24)

    Raises:
        MalformedFormulaError: if the text is not a formula in Polish notation.
        IllegalFormulaError: if it needs parentheses, in a game without parentheses.
    """
    parser = FormulaParser(text, game, joins=game.join)
    if len(text) > MAX_FORMULA_LENGTH:
        _fail(too_long_message(text), text, 0)
    formula, sign, target = parser.line.partition("=")
    tree = _parse_polish_tree(parser, formula.rstrip())
    numbers = _parse_numbers([parser.line[slice(*span)] for span in parser.number_spans], game)
    tree = _fill(tree, lambda leaf: numbers[leaf.value], _SAME_COLUMNS, game.style)
    statement = statement_of(text, fit_to_game(tree, game, text, 0, len(text)))
    if not sign:
        return statement
    start = len(parser.line) - len(target.lstrip())
    if not target.strip():
        _fail(TARGET_MISSING, text, start)
    end = start + len(target.strip())
    return statement._replace(target=_parse_target((start, end), text, parser.line))


def _parse_polish_tree(parser: FormulaParser, line: str) -> Expression:
    """Return the tree of a line in Polish notation; its numbers are indices into `number_spans`.

    Raises MalformedFormulaError if the line is not one complete formula.
    """
    stack: list[_PendingOperator] = []
    complete: tuple[Expression, int] | None = None
    for word, (start, end) in _split_words(parser, line):
        if complete is not None:
            reason = message("formula.complete_before", word=word)
            _fail(reason, parser.text, start, end - start)
        operator = parser.spellings.operators.get(word)
        if operator is not None:
            stack.append(_PendingOperator(operator, start, []))
            continue
        if len(word) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            _fail(reason, parser.text, start, len(word))
        complete = parser.build_number(word, start), 0
        while stack and complete is not None:
            stack[-1].operands.append(complete)
            has_operands = len(stack[-1].operands) == stack[-1].operator.arity
            complete = _complete(stack.pop(), parser) if has_operands else None
    if complete is None:
        reason = message("formula.none")
        if line.strip():
            reason = message("formula.number_missing_after", before=line[-1])
        _fail(reason, parser.text, len(line))
    return complete[0]


def _split_words(parser: FormulaParser, line: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the signs, numbers and letters of a line with their spans.

    Raises MalformedFormulaError at the first other character.
    """
    spellings = parser.spellings
    numbers = (f"{MINUS_PATTERN}?[0-9]+", *spellings.number_patterns)
    kinds = filter(None, (*numbers, spellings.sign_pattern, spellings.letter_pattern))
    pattern = re.compile(rf" *({'|'.join(kinds)})")
    column = 0
    while column < len(line):
        word = pattern.match(line, column)
        if word is None:
            column += len(line[column:]) - len(line[column:].lstrip())
            sign = escape_unprintable(parser.text[column])
            _fail(message("formula.not_part", sign=sign), parser.text, column)
        yield word[1], word.span(1)
        column = word.end()


def _complete(pending: _PendingOperator, parser: FormulaParser) -> tuple[Expression, int]:
    """Return the operation of an operator that has all its operands, and its depth of nesting.

    An operator with one operand also gets a `NoOperand`, which is added to `pending.operands` and
    to the spans of the parser. Raises MalformedFormulaError for more than 100 levels.
    """
    if pending.operator.arity == 1:
        [(operand, depth)] = pending.operands
        after = pending.operator.postfix
        missing = parser.build_no_operand(operand.span[1] if after else pending.start), 0
        pending.operands[:] = [(operand, depth), missing] if after else [missing, (operand, depth)]
    (left, left_depth), (right, right_depth) = pending.operands
    precedence = pending.operator.precedence
    is_chain = isinstance(left, Operation) and left.operator.precedence == precedence
    depth = max(left_depth + (not is_chain), right_depth + 1)
    if depth > MAX_NESTING:
        reason = message("formula.too_deep", most=MAX_NESTING)
        _fail(reason, parser.text, pending.start)
    span = (pending.start, right.span[1])
    return Operation(pending.operator, left, right, span, parser.game.style), depth


def _fail(reason: Message, text: str, column: int, length: int = 1) -> NoReturn:
    raise MalformedFormulaError(reason, text, column, length)
