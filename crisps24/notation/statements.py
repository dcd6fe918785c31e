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
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, NoReturn, cast

from crisps24.errors import quoted
from crisps24.messages.message import Message, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.evaluation import (
    EvaluationPlan,
    Violation,
    evaluate_tree,
    leaf_value,
    plan_evaluation,
    repetition,
)
from crisps24.notation.parser import (
    FRACTION_MARK,
    MAX_CACHED_LENGTH,
    MAX_FORMULA_LENGTH,
    MAX_NESTING,
    MAX_NUMBER_LENGTH,
    TARGET_MISSING,
    FormulaParser,
    TextSpan,
    normalise_formula,
    too_long_message,
)
from crisps24.notation.spellings import syntax_for
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    leaf_index,
    numbers_of,
    parts_of,
    split_chain,
    text_of,
    with_subtractions,
)
from crisps24.rules.characters import escape_unprintable, mask_digits
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.operators import MINUS, MINUS_PATTERN, OPERATORS, Operator, operator_by_name
from crisps24.rules.words import parse_value

# Each shape takes about 2 KB of memory, at most 9 KB.
_MAX_CACHED_SHAPES = 1 << 13
# Characters of a formula that a message quotes.
_MAX_QUOTED_LENGTH = 60

# A minus before a number. The span of a number in brackets starts at the brackets.
_MINUS_OF_NUMBER = re.compile(rf"[\s(\[{{]*{MINUS_PATTERN}")

# Index: a column of a shape, or its end. Value: the column in a text.
Columns = Sequence[int]
# The columns of a text that is its own shape.
_SAME_COLUMNS: Columns = range(sys.maxsize)


class Statement(NamedTuple):
    """A parsed formula: a tree that texts of the same shape share, and the data of this text."""

    text: str
    tree: Expression
    """The shared tree; `expression` is the tree with the numbers of this text."""
    leaves: Sequence[Number]
    """The numbers of `tree`, from left to right."""
    number_of: Callable[[Number], Exact]
    """The number of a leaf of `tree`."""
    columns: Columns = _SAME_COLUMNS
    """The column of the text for each column of `tree`."""
    target: Exact | None = None
    """The number after `=`, None without one."""
    formula: str = ""
    """The formula of a working (see `workings`); empty for a text that is a formula."""
    unbracketed: str = ""
    """A quotient such as `3/4` that would be a number of the card, if it were in brackets."""
    negative_zero: Number | None = None
    """The first 0 with a minus before it, if the game has no negative numbers."""
    plan: EvaluationPlan | None = None
    """The plan of the tree in the game that the text was parsed for."""

    @property
    def numbers(self) -> list[Exact]:
        """The numbers of the formula, from left to right."""
        return [self.number_of(leaf) for leaf in self.leaves]

    def card_numbers(self, game: Game, card: Sequence[Exact] | None = None) -> list[Exact]:
        """Return the dealt number that each number of the formula uses.

        -3 uses a dealt 3 if no -3 is left. Without a card, numbers of the game are used any number
        of times.
        """
        numbers = self.numbers
        if not game.negatives or min(numbers) >= 0:
            return numbers
        numbers_left = Counter(game.numbers if card is None else card)
        used_numbers = []
        for number in numbers:
            has_minus_sign = number < 0 and numbers_left[number] < 1
            used_number = -number if has_minus_sign else number
            if card is not None:
                numbers_left[used_number] -= 1
            used_numbers.append(used_number)
        return used_numbers

    @property
    def expression(self) -> Expression:
        """The tree of this text, with its numbers and its columns."""
        return self.tree if self.number_of is leaf_value else self.expression_in("cards")

    def expression_in(self, style: str) -> Expression:
        """Return a copy of `expression` that is printed in a style."""
        return _copy_with_numbers(self.tree, self.number_of, self.columns, style)

    def span_of(self, part: Expression) -> TextSpan:
        start, end = part.span
        return self.columns[start], self.columns[end]

    def value_in(self, game: Game, dealt: Sequence[Exact] = (), style: str | None = None) -> Exact:
        """Return the value of the formula, or raise IllegalFormulaError for the first broken rule.

        `dealt` are numbers that are allowed besides those of the game; with negative numbers, each
        allowed number can have a minus.
        """
        result: Exact | Violation
        if self.negative_zero is not None:
            result = Violation(self.negative_zero, message("formula.no_negatives"), "sign")
        else:
            result = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if isinstance(result, Violation) and game.negatives:
            # A number that is dealt can also be used with a minus: allow -3 if there is a 3.
            negatives = [number for number in self.numbers if number < 0]
            allowed = [
                number for number in negatives if -number in game.numbers or -number in dealt
            ]
            dealt = (*dealt, *allowed)
            result = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if not isinstance(result, Violation):
            return result
        part, reason, code = result
        start, end = self.span_of(part)
        if isinstance(part, Operation) and part.operator not in game.row_operators:
            # Mark only the sign of an unknown operator: the text between its two operands.
            left_end, right_start = self.span_of(part.left)[1], self.span_of(part.right)[0]
            if sign := self.text[left_end:right_start].strip():
                start = self.text.index(sign, left_end)
                end = start + len(sign)
        raise IllegalFormulaError(reason, self.text, start, end - start, code)

    def as_judged(self, game: Game, card: Sequence[Exact] = (), style: str = "") -> "Statement":
        """Return a legal formula as its game judges it: `Game.signed` says what a minus is there.

        Raises IllegalFormulaError for what is not legal then, or not in the order of the card.
        """
        judged, problem = self, cast("Exact | Violation", 0)
        operations = parts_of(self.tree).operations
        has_minus = min(self.numbers) < 0 or any(each.is_unary_minus for each in operations)
        if has_minus and not game.signed:
            tree = self.expression
            used = zip(numbers_of(tree), self.card_numbers(game, card or None), strict=True)
            negated = {id(leaf) for leaf, number in used if leaf.value != number}
            same, _ = with_subtractions(tree, lambda leaf: id(leaf) in negated)
            problem = Violation(tree, message("formula.only_subtracts"), "sign")
            if same is not None:
                judged = statement_of(self.text, same)
                problem = evaluate_tree(same, game, dealt=card, style=style or None)
        cards = iter(card)
        if card and game.in_order and not all(number in cards for number in judged.numbers):
            problem = Violation(self.tree, message("formula.order"), "rule")
        if isinstance(problem, Violation):
            raise IllegalFormulaError(problem.message, self.text, 0, len(self.text), problem.code)
        return judged


def _copy_with_numbers(
    part: Expression,
    number_of: Callable[[Number], Exact],
    columns: Columns = _SAME_COLUMNS,
    style: str = "cards",
) -> Expression:
    """Return a copy of a tree with the numbers and columns of another text."""
    span = columns[part.span[0]], columns[part.span[1]]
    if isinstance(part, Number):
        return type(part)(number_of(part), span)
    # The tree is copied in chains of operators, because that needs less recursion.
    first_operand, chain = split_chain(part)
    tree = _copy_with_numbers(first_operand, number_of, columns, style)
    for operation in chain:
        right = _copy_with_numbers(operation.right, number_of, columns, style)
        span = columns[operation.span[0]], columns[operation.span[1]]
        tree = Operation(operation.operator, tree, right, span, style)
    return tree


def statement_of(text: str, expression: Expression) -> Statement:
    """Return the statement of a tree whose numbers and columns are already those of a text."""
    return Statement(text, expression, numbers_of(expression), leaf_value)


def parse_statement(
    text: str,
    game: Game,
    line: str | None = None,
    value_by_end: Mapping[int, Exact] | None = None,
) -> Statement:
    """Parse a formula, with or without a target after `=`.

    `line` is the normalised text, if it is known. `value_by_end` has the numbers for which it has
    other digits, such as fractions, by the column after the last digit.
    """
    line = normalise_formula(text, game.extra_operators) if line is None else line
    located = None
    if len(text) <= MAX_CACHED_LENGTH:
        operators = tuple(OPERATORS.values()) + game.extra_operators
        located = _locate_shape(mask_digits(line), game, operators)
    if located is None:
        # A long text can have a number of too many digits; an error has the words of its text.
        shape, columns = _parse_line(text, line, game), _SAME_COLUMNS
        located = shape, shape.number_spans, columns
    shape, spans, columns = located
    # Any, so that the numbers of the tree, which are indices, can be used as such.
    numbers: Any = [_parse_number(line[start:end], game) for start, end in spans]
    if value_by_end:
        numbers = _with_values(numbers, line, spans, value_by_end)
    target = None
    if shape.target is not None:
        start, end = shape.target
        target = _parse_target((columns[start], columns[end]), text, line)
    negative_zero = None
    if 0 in numbers and not game.negatives:
        zeros = (leaf for leaf in shape.leaves if numbers[leaf.value] == 0)
        negative_zero = next(
            (zero for zero in zeros if _MINUS_OF_NUMBER.match(line, columns[zero.span[0]])), None
        )
    statement = Statement(
        text,
        shape.tree,
        shape.leaves,
        # The numbers of the tree are indices.
        lambda leaf: numbers[leaf.value],
        columns,
        target,
        negative_zero=negative_zero,
        plan=shape.plan,
    )
    if (FRACTION_MARK in line or "{" in line) and not game.parentheses:
        tree = fit_to_game(statement.expression, game, text, 0, len(text))
        statement = statement_of(text, tree)._replace(target=target)
    return statement


def _with_values(
    numbers: Sequence[Exact],
    line: str,
    spans: Sequence[TextSpan],
    value_by_end: Mapping[int, Exact],
) -> list[Exact]:
    """Return numbers with the values of `value_by_end`, and the minus before these."""
    values = []
    for number, (start, end) in zip(numbers, spans, strict=True):
        value = value_by_end.get(end, number)
        has_minus = end in value_by_end and line[start] in MINUS.spellings
        values.append(-value if has_minus else value)
    return values


def _parse_number(word: str, game: Game) -> int:
    """Return a number, or that of a letter of the game; 0 for the operand that a minus lacks."""
    if not word or word.isdecimal():
        return int(word or 0)
    number = dict(game.letters).get(word.upper())
    return -_parse_number(word[1:].lstrip(), game) if number is None else number


def _parse_target(span: TextSpan, text: str, line: str) -> Exact:
    try:
        # Nearly always, everything after `=` is the number.
        word = line.partition("=")[2].strip()
        is_short_number = word.isdecimal() and len(word) <= MAX_NUMBER_LENGTH
        return int(word) if is_short_number else parse_value(word)
    except ValueError:
        start, end = span
    has_fraction = "\\" in text or "/" in line
    word = (line if has_fraction else text)[start:end]
    try:
        return parse_value(word)
    except ValueError:
        reason = message("formula.target_no_number", word=quoted(word))
        raise MalformedFormulaError(reason, text, start, end - start) from None


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
        shape = self.number.sub("1", " ".join(text.split()))
        return shape if self.letter is None else self.letter.sub(self.first_letter, shape)

    def columns_of(self, text: str) -> Columns:
        """Return the column in a text of each character of its shape, and of its end."""
        first = len(text) - len(text.lstrip())
        return list(accumulate(map(len, self.piece.findall(text.strip())), initial=first))


@lru_cache(maxsize=16)
def _shape_patterns(game: Game, operators: Sequence[Operator]) -> _ShapePatterns:
    """Return the patterns by which the texts of a game are reduced to their shapes.

    A letter such as Q becomes the first letter of the game. Letters are kept if one of them is also
    the sign of an operator.
    """
    # In a game that joins digits, each digit is a number.
    number = "[0-9]" if game.join else "[0-9]+"
    letters = "".join(letter + letter.lower() for letter, _ in game.letters)
    signs = "".join(syntax_for(game.letters, operators, joins_digits=True).operators)
    replaces_letters = letters != "" and not set(letters) & set(signs)
    return _ShapePatterns(
        number=re.compile(number),
        letter=re.compile(f"[{letters}]") if replaces_letters else None,
        first_letter=letters[:1],
        piece=re.compile(rf"{number}|\s+|\S"),
    )


class _Shape(NamedTuple):
    """The parse of a shape, or of a text; its numbers are indices of spans."""

    tree: Expression
    leaves: Sequence[Number]
    number_spans: Sequence[TextSpan]
    target: TextSpan | None
    plan: EvaluationPlan


@lru_cache(maxsize=_MAX_CACHED_SHAPES)
def _parse_shape(shape: str, game: Game, _operators: Sequence[Operator]) -> _Shape | None:
    """Return the parse of a shape; None if it has an error."""
    try:
        return _parse_line(shape, shape, game)
    except FormulaError:
        return None


@lru_cache(maxsize=_MAX_CACHED_SHAPES)
def _locate_shape(
    line: str, game: Game, operators: Sequence[Operator]
) -> tuple[_Shape, Sequence[TextSpan], Columns] | None:
    """Return the parsed shape of a line, the spans of its numbers, and its columns."""
    patterns = _shape_patterns(game, operators)
    shape = _parse_shape(patterns.shape_of(line), game, operators)
    if shape is None:
        return None
    columns = patterns.columns_of(line)
    return shape, [(columns[start], columns[end]) for start, end in shape.number_spans], columns


def _parse_line(text: str, line: str, game: Game) -> _Shape:
    parser = FormulaParser(text, game, joins_digits=game.join, line=line)
    tree, target = parser.parse()
    plan = plan_evaluation(tree, game)
    leaves = [leaf for leaf in plan.leaves if not isinstance(leaf, NoOperand)]
    return _Shape(tree, leaves, parser.number_spans, target, plan)


def fit_to_game(tree: Expression, game: Game, text: str, start: int, end: int) -> Expression:
    """Return a tree without parentheses that change nothing, if the game has none.

    IllegalFormulaError marks `text[start:end]` if the tree needs them, or uses an operator again in
    a game with each once.
    """
    if repeated := repetition(tree, game):
        raise IllegalFormulaError(repeated.message, text, start, end - start, repeated.code)
    if game.parentheses:
        return tree
    # A fraction or a negative number is one number, also with brackets around it.
    bare = _copy_with_numbers(tree, lambda leaf: abs(leaf.value.numerator))
    bare_text, printed = text_of(bare), text_of(tree)
    try:
        without_parentheses = parse_statement(
            bare_text.replace("(", "").replace(")", ""), game
        ).expression
    except FormulaError as error:
        raise IllegalFormulaError(error.message, text, start, end - start, "operator") from None
    # If the parentheses change nothing, one of these trees equals the tree without them.
    if bare == without_parentheses:
        return tree
    if flatten_sums(bare) == without_parentheses:
        return flatten_sums(tree)
    key = "formula.needs_parentheses" if "(" in bare_text else "formula.other_order"
    if len(printed) <= _MAX_QUOTED_LENGTH:
        reason = message(key, formula=printed)
    else:
        reason = message(f"{key}_long")
    raise IllegalFormulaError(reason, text, start, end - start, "operator")


def chain_of(tree: Expression, game: Game) -> str:
    """Return what the rules of a game need to know of a tree; see `workings.Term`."""
    if game.parentheses and not game.once:
        return ""
    operations = parts_of(tree).operations if game.parentheses else split_chain(tree)[1]
    return "".join(sorted({operation.operator.name for operation in operations}))


def join_chains(left: str, operator: Operator, right: str) -> str | None:
    """Return the chain of a step from those of its operands; None if it needs parentheses.

    It decides for one step what `fit_to_game` decides for a tree.
    """
    chains, level = (left, right), operator.precedence
    levels = [operator_by_name(chain[0]).precedence if chain else level + 1 for chain in chains]
    can_flatten = operator.commutes and {*right} <= {operator.name, operator.inverse}
    if min(levels) < level or (levels[1] == level and not can_flatten):
        return None
    same = [chain for chain, own_level in zip(chains, levels, strict=True) if own_level == level]
    return "".join(sorted({operator.name, *"".join(same)}))


def flatten_sums(tree: Expression) -> Expression:
    """Return a tree without the parentheses after + and x that change nothing: 8 + (3 - 1)."""
    if isinstance(tree, Number):
        return tree
    first_operand, chain = split_chain(tree)
    flat = flatten_sums(first_operand)
    for operation in chain:
        operator, right = operation.operator, flatten_sums(operation.right)
        # The right operand 3 - 1 is the first operand 3 and the chain "- 1".
        right_first, right_chain = split_chain(right)
        # After + these are + and -, after x they are x and :.
        allowed_names = {operator.name, operator.inverse} if operator.inverse else set()
        has_allowed_chain = all(inner.operator.name in allowed_names for inner in right_chain)
        if not (operator.commutes and has_allowed_chain):
            # Keep the parentheses around the right operand.
            right_first, right_chain = right, []
        flat = Operation(operator, flat, right_first, operation.span)
        for inner in right_chain:
            flat = Operation(inner.operator, flat, inner.right, operation.span)
    return flat


class _PendingOperator(NamedTuple):
    """An operator in Polish notation that waits for operands."""

    operator: Operator
    start: int
    operands: list[tuple[Expression, int]]
    """The operands parsed so far, each with its depth of nesting."""


def parse_polish(
    text: str,
    game: Game,
    line: str | None = None,
    value_by_end: Mapping[int, Exact] | None = None,
) -> Statement:
    """Parse a formula in Polish notation; the arguments are those of `parse_statement`."""
    parser = FormulaParser(text, game, joins_digits=game.join, line=line)
    if len(text) > MAX_FORMULA_LENGTH:
        _fail(too_long_message(text), text, 0)
    formula, equals_sign, target_text = parser.line.partition("=")
    tree = _parse_polish_tree(parser, formula.rstrip())
    # The numbers of this tree are indices; replace them by the numbers of the text.
    spans = parser.number_spans
    numbers: Sequence[Exact] = [_parse_number(parser.line[slice(*span)], game) for span in spans]
    if value_by_end:
        numbers = _with_values(numbers, parser.line, spans, value_by_end)
    tree = _copy_with_numbers(tree, lambda leaf: numbers[leaf_index(leaf)])
    statement = statement_of(text, fit_to_game(tree, game, text, 0, len(text)))
    if not equals_sign:
        return statement
    start = len(parser.line) - len(target_text.lstrip())
    if not target_text.strip():
        _fail(TARGET_MISSING, text, start)
    end = start + len(target_text.strip())
    return statement._replace(target=_parse_target((start, end), text, parser.line))


def _parse_polish_tree(parser: FormulaParser, line: str) -> Expression:
    """Return the tree of a formula in Polish notation, with indices for numbers."""
    # Operators that wait for operands, and the last complete tree with its depth of nesting.
    stack: list[_PendingOperator] = []
    complete: tuple[Expression, int] | None = None
    for word, (start, end) in _split_words(parser, line):
        if complete is not None:
            reason = message("formula.complete_before", word=word)
            _fail(reason, parser.text, start, end - start)
        operator = parser.syntax.operators.get(word)
        if operator is not None:
            stack.append(_PendingOperator(operator, start, []))
            continue
        if len(word) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            _fail(reason, parser.text, start, len(word))
        complete = parser.build_number(word, start), 0
        # A complete tree is an operand of the last operator, which can complete that one too.
        while stack and complete is not None:
            stack[-1].operands.append(complete)
            has_all_operands = len(stack[-1].operands) == stack[-1].operator.arity
            complete = _build_operation(stack.pop(), parser) if has_all_operands else None
    if complete is None:
        reason = message("formula.none")
        if line.strip():
            reason = message("formula.number_missing_after", before=line[-1])
        _fail(reason, parser.text, len(line))
    return complete[0]


def _split_words(parser: FormulaParser, line: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the signs, numbers and letters of a formula in Polish notation, with their columns."""
    syntax = parser.syntax
    numbers = (f"{MINUS_PATTERN}?[0-9]+", *syntax.number_patterns)
    word_patterns = filter(None, (*numbers, syntax.sign_pattern, syntax.letter_pattern))
    pattern = re.compile(rf" *({'|'.join(word_patterns)})")
    column = 0
    while column < len(line):
        word = pattern.match(line, column)
        if word is None:
            column += len(line[column:]) - len(line[column:].lstrip())
            sign = escape_unprintable(parser.text[column])
            _fail(message("formula.not_part", sign=sign), parser.text, column)
        yield word[1], word.span(1)
        column = word.end()


def _build_operation(pending: _PendingOperator, parser: FormulaParser) -> tuple[Expression, int]:
    """Return an operation and its depth: 1 for the chain 8 + 3 + 4 and 2 for 8 + (3 x 4)."""
    if pending.operator.arity == 1:
        [(operand, _)] = pending.operands
        if pending.operator.postfix:
            pending.operands.append((parser.build_no_operand(operand.span[1]), 0))
        else:
            pending.operands.insert(0, (parser.build_no_operand(pending.start), 0))
    (left, left_depth), (right, right_depth) = pending.operands
    precedence = pending.operator.precedence
    # A chain such as 8 + 3 + 4 needs no parentheses, so its left operand is on the same level.
    is_chain = isinstance(left, Operation) and left.operator.precedence == precedence
    depth = max(left_depth + (not is_chain), right_depth + 1)
    if depth > MAX_NESTING:
        reason = message("formula.too_deep", most=MAX_NESTING)
        _fail(reason, parser.text, pending.start)
    span = (pending.start, right.span[1])
    return Operation(pending.operator, left, right, span), depth


def _fail(reason: Message, text: str, column: int, length: int = 1) -> NoReturn:
    raise MalformedFormulaError(reason, text, column, length)
