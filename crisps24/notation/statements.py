"""Read text as statements: a formula, usual or Polish, with the target that it states.

Texts of one shape are parsed once. A shape is the text with a 1 for each number and one space for
any white space: what is right or wrong in it is so in the text, at columns that are mapped here.
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

# A shape takes some 2 KB, and 9 at most.
MAX_CACHED_SHAPES = 1 << 13
# What needs parentheses is shown where it is no longer.
_LONGEST_SHOWN = 60

# Where each character of a shape, and its end, is in a text.
Columns = Sequence[int]
# Those of a text that is its own shape.
_OWN_COLUMNS: Columns = range(sys.maxsize)


class Statement(NamedTuple):
    """A formula as it was read: a tree that other texts may share, and what this one has.

    `number_of` gives the numbers for those of the tree, and `columns` the columns of the text.
    """

    text: str
    tree: Expression
    parts: Parts
    number_of: Callable[[Number], int]
    columns: Columns
    target: Exact | None = None
    formula: str = ""
    """What the text was turned into, where it is no formula itself; see `workings`."""
    minus_zero: Number | None = None
    """A 0 with a minus before it, in a game that has no numbers below zero."""
    plan: EvaluationPlan | None = None
    """How the tree is worked out in the game that it was read in."""
    style: str = "cards"
    """The style in which its expression is printed: that of the game."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the formula, from left to right."""
        return [self.number_of(leaf) for leaf in self.parts.numbers]

    def card_numbers(self, game: Game, card: Sequence[int] | None = None) -> list[int]:
        """Return the numbers as they are dealt: 3 for the -3 that nobody dealt.

        >>> from crisps24 import GAMES
        >>> parse_statement("-3 + 27", GAMES["cards"]).card_numbers(GAMES["cards"], (27, 3))
        [3, 27]
        """
        numbers, used = self.numbers, []
        if not game.negatives or min(numbers) >= 0:
            return numbers
        there = Counter(game.numbers if card is None else card)
        for number in numbers:
            if number < 0 and there[number] < 1:
                number = -number
            there[number] -= card is not None
            used.append(number)
        return used

    @property
    def expression(self) -> Expression:
        """The tree of this text alone, with its numbers and its columns."""
        if self.number_of is leaf_value:
            return self.tree
        return _filled(self.tree, self.number_of, self.columns, self.style)

    def span_of(self, part: Expression) -> TextSpan:
        """Return where a part of the tree stands in the text."""
        start, end = part.span
        return self.columns[start], self.columns[end]

    def value_in(self, game: Game, dealt: Sequence[Exact] = (), style: str | None = None) -> Exact:
        """Return the value of the formula; numbers that are `dealt` may be used besides the game's.

        Errors are written in `style`, by default that of the game.

        >>> from crisps24 import GAMES
        >>> parse_statement("10 + 3", GAMES["crisps"]).value_in(GAMES["crisps"], (10, 3))
        13

        Raises `IllegalFormulaError` for the first thing in it that the game objects to.
        """
        if self.minus_zero is not None:
            found: Exact | Violation = Violation(
                self.minus_zero, message("formula.no_negatives"), "sign"
            )
        else:
            found = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if isinstance(found, Violation) and game.negatives:
            # What is dealt may stand there below zero as well.
            below = [each for each in self.numbers if each < 0]
            dealt = (*dealt, *(each for each in below if -each in game.numbers or -each in dealt))
            found = evaluate_tree(self.tree, game, self.number_of, dealt, self.plan, style)
        if not isinstance(found, Violation):
            return found
        part, reason, code = found
        start, end = self.span_of(part)
        if isinstance(part, Operation) and part.operator not in game.row_operators:
            first, last = self.span_of(part.left)[1], self.span_of(part.right)[0]
            if sign := self.text[first:last].strip():
                start = self.text.index(sign, first)
                end = start + len(sign)
        raise IllegalFormulaError(reason, self.text, start, end - start, code)


def _filled(
    part: Expression, number_of: Callable[[Number], int], at: Columns, style: str
) -> Expression:
    span = at[part.span[0]], at[part.span[1]]
    if isinstance(part, Number):
        return type(part)(number_of(part), span)
    first, links = split_chain(part)
    tree = _filled(first, number_of, at, style)
    for link in links:
        right = _filled(link.right, number_of, at, style)
        span = at[link.span[0]], at[link.span[1]]
        tree = Operation(link.operator, tree, right, span, style)
    return tree


def statement_of(text: str, expression: Expression) -> Statement:
    """Return a tree as what was read from a text that it was made of, or of what it prints."""
    return Statement(text, expression, parts_of(expression), leaf_value, _OWN_COLUMNS)


def parse(text: str, game: Game | str = "crisps") -> Expression:
    """Parse a formula into a tree, by the precedence of the game.

    Any spacing, any spelling of the signs and a `= target` at the end are read; whether the
    numbers and the steps are legal is for `evaluate` to say.

    >>> parse("2+8×9")
    parse('2 + 8 x 9', 'digits')

    Raises `MalformedFormulaError` for what is no formula, and `IllegalFormulaError` for
    parentheses in a game that has none.
    """
    game = find_game(game)
    return parse_statement(formula_text(text), game).expression


def parse_statement(text: str, game: Game, line: str | None = None) -> Statement:
    """Read a formula, and the target that it states.

    >>> from crisps24 import GAMES
    >>> statement = parse_statement("12 + 3 = 15", GAMES["cards"])
    >>> statement.numbers, statement.target
    ([12, 3], 15)

    `line` is the text as `normalise_formula` has it, where that is known.

    Raises what `parse` raises.
    """
    line = normalise_formula(text, game.extra_operators) if line is None else line
    operators = tuple(OPERATORS.values()) + game.extra_operators
    # A longer text is its own shape. It may have a number of too many digits, which could not be
    # seen in another.
    if len(text) <= MAX_CACHED_LENGTH:
        shape, places, at = _placed(mask_digits(line), game, operators)
    else:
        shape = _parsed(line, game)
        places, at = shape.places, _OWN_COLUMNS
    if shape.fault is not None:
        start, end, tell = shape.fault
        # What ends after the end of the text is told where the text ends.
        start, end = (at[min(column, len(at) - 1)] for column in (start, end))
        raise tell(FormulaParser(text, game, joins=game.join, line=line), start, end)
    numbers = _numbers([line[start:end] for start, end in places], game)
    target = None if shape.target is None else _target(shape.target, text, line, at)
    statement = Statement(
        *(text, shape.tree, shape.parts, lambda leaf: numbers[leaf.value], at, target),
        plan=shape.plan,
        style=game.style,
    )
    if 0 in numbers and not game.negatives:
        statement = statement._replace(minus_zero=_minus_zero(statement))
    if (FRACTION_MARK in line or "{" in line) and not game.parentheses:
        tree = fit_to_game(statement.expression, game, text, 0, len(text))
        statement = statement_of(text, tree)._replace(target=target)
    return statement


def _minus_zero(statement: Statement) -> Number | None:
    """Return the first 0 with a minus before it."""
    for leaf in statement.parts.numbers:
        start, _ = statement.span_of(leaf)
        # In parentheses it begins with them.
        begin = statement.text[start:].lstrip("([{ ")
        if statement.number_of(leaf) == 0 and re.match(MINUS_PATTERN, begin):
            return leaf
    return None


def _numbers(words: Sequence[str], game: Game) -> list[int]:
    """Return the numbers that words of a formula stand for, digits or letters."""
    return [int(word) if word.isdecimal() else _number_named(word, game) for word in words]


def _number_named(word: str, game: Game) -> int:
    if not word:
        # Nothing is before a minus that stands before a formula.
        return 0
    if word.isdecimal():
        return int(word)
    named = dict(game.letters).get(word.upper())
    return -_number_named(word[1:].lstrip(), game) if named is None else named


def _target(span: TextSpan, text: str, line: str, columns: Columns = _OWN_COLUMNS) -> Exact:
    """Return the target that is stated there; raise `MalformedFormulaError` for none."""
    try:
        # Nothing is behind the target.
        stated = line.partition("=")[2].strip()
        whole = stated.isdecimal() and len(stated) <= MAX_NUMBER_LENGTH
        return int(stated) if whole else parse_value(stated)
    except ValueError:
        start, end = (columns[column] for column in span)
    stated = (line if "\\" in text or "/" in line else text)[start:end]
    try:
        return parse_value(stated)
    except ValueError:
        reason = message("formula.target_no_number", word=quoted(stated))
        raise MalformedFormulaError(reason, text, start, end - start) from None


class _Shape(NamedTuple):
    """What the grammar makes of a shape: a tree whose numbers are places, or a fault."""

    tree: Expression = Number(0)
    parts: Parts = Parts([], [])
    places: Sequence[TextSpan] = ()
    """Where the number of each place stands."""
    target: TextSpan | None = None
    fault: tuple[int, int, ErrorFactory] | None = None
    plan: EvaluationPlan | None = None
    """How the tree is worked out in the game."""


class _Pieces(NamedTuple):
    """What the characters of a shape stand for in the texts of a game."""

    digits: re.Pattern[str]
    """What a 1 stands for."""
    letters: re.Pattern[str] | None
    """What the first letter of the game stands for; None where letters stand for themselves."""
    letter: str
    every: re.Pattern[str]
    """What any character does."""

    def shape_of(self, text: str) -> str:
        """Return the shape of a text."""
        shape = self.digits.sub("1", " ".join(text.split()))
        return shape if self.letters is None else self.letters.sub(self.letter, shape)

    def columns_of(self, text: str) -> Columns:
        """Return where the characters of its shape are in a text."""
        first = len(text) - len(text.lstrip())
        return list(accumulate(map(len, self.every.findall(text.strip())), initial=first))


@lru_cache(maxsize=16)
def _pieces(game: Game, operators: Sequence[Operator]) -> _Pieces:
    # Where digits are joined each is a number of its own.
    digits = "[0-9]" if game.join else "[0-9]+"
    names = "".join(name + name.lower() for name, _ in game.letters)
    spelled = "".join(spellings_of(game.letters, operators, joins=True).operators)
    letters = f"[{names}]" if names and not set(names) & set(spelled) else ""
    return _Pieces(
        re.compile(digits),
        re.compile(letters) if letters else None,
        names[:1],
        re.compile(rf"{digits}|\s+|\S"),
    )


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _remembered(words: str, game: Game, _operators: Sequence[Operator]) -> _Shape:
    return _parsed(words, game)


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _placed(
    line: str, game: Game, operators: Sequence[Operator]
) -> tuple[_Shape, Sequence[TextSpan], Columns]:
    """Return the shape of a line, and the columns of its numbers and of its characters."""
    pieces = _pieces(game, operators)
    shape, at = _remembered(pieces.shape_of(line), game, operators), pieces.columns_of(line)
    # A tree is worked out over and over, and a number stands where its span says.
    return shape, [(at[start], at[end]) for start, end in shape.places], at


def _parsed(text: str, game: Game) -> _Shape:
    """Have the grammar read a line, but for its numbers."""
    reader = FormulaParser(text, game, joins=game.join, line=text)
    try:
        tree, target = reader.parse()
    except ParseError as found:
        return _Shape(fault=found.args)
    return _Shape(
        tree, parts_of(tree), reader.number_spans, target, plan=plan_evaluation(tree, game)
    )


def fit_to_game(tree: Expression, game: Game, text: str, start: int, end: int) -> Expression:
    """Return a tree that was not read from a row of signs as a game can have it.

    Without parentheses that is the tree of its own row, or one that needs none: 8 + (3 - 1) is
    8 + 3 - 1. `start` and `end` say where in a text it comes from.

    Raises `IllegalFormulaError` where the game has no such tree.
    """
    if game.parentheses:
        return tree
    printed = text_of(tree)
    try:
        row = parse(printed.replace("(", "").replace(")", ""), game)
    except FormulaError as error:
        raise IllegalFormulaError(error.message, text, start, end - start, "operator") from None
    for each in (tree, _in_a_row(tree)):
        if each == row:
            return each
    key = "formula.needs_parentheses" if "(" in printed else "formula.other_order"
    if len(printed) <= _LONGEST_SHOWN:
        reason = message(key, formula=printed)
    else:
        reason = message(f"{key}_long")
    raise IllegalFormulaError(reason, text, start, end - start, "operator")


def _in_a_row(tree: Expression) -> Expression:
    """Return a tree without the parentheses that change nothing, as those in 8 + (3 - 1)."""
    if isinstance(tree, Number):
        return tree
    first, links = split_chain(tree)
    made = _in_a_row(first)
    for link in links:
        right, operator = _in_a_row(link.right), link.operator
        inner, more = split_chain(right)
        one_chain = {operator.name, operator.inverse} if operator.inverse else set()
        if not (operator.commutes and all(each.operator.name in one_chain for each in more)):
            inner, more = right, []
        made = Operation(operator, made, inner, link.span, link.style)
        for each in more:
            made = Operation(each.operator, made, each.right, link.span, link.style)
    return made


class _Waiting(NamedTuple):
    """An operator that waits for operands, its column, and the operands read so far."""

    operator: Operator
    start: int
    operands: list[tuple[Expression, int]]
    """Trees, each with its depth of nesting."""


def parse_polish(text: str, game: Game) -> Statement:
    """Read a formula in Polish notation, operators first, and the target that it states.

    >>> from crisps24 import GAMES
    >>> statement = parse_polish("/ 8 - 3 / 8 3 = 24", GAMES["cards"])
    >>> str(statement.expression), statement.target
    ('8 / (3 - 8 / 3)', 24)

    Raises `MalformedFormulaError` where it is none, and `IllegalFormulaError` where it would need
    parentheses and the game has none.
    """
    reader = FormulaParser(text, game, joins=game.join)
    if len(text) > MAX_FORMULA_LENGTH:
        _fail(too_long_message(text), text, 0)
    formula, sign, stated = reader.line.partition("=")
    places = _polish_tree(reader, formula.rstrip())
    numbers = _numbers([reader.line[slice(*span)] for span in reader.number_spans], game)
    filled = _filled(places, lambda leaf: numbers[leaf.value], _OWN_COLUMNS, game.style)
    statement = statement_of(text, fit_to_game(filled, game, text, 0, len(text)))
    if not sign:
        return statement
    start = len(reader.line) - len(stated.lstrip())
    if not stated.strip():
        _fail(TARGET_MISSING, text, start)
    end = start + len(stated.strip())
    return statement._replace(target=_target((start, end), text, reader.line))


def _polish_tree(reader: FormulaParser, line: str) -> Expression:
    waiting: list[_Waiting] = []
    found: tuple[Expression, int] | None = None
    for word, (start, end) in _words(reader, line):
        if found is not None:
            reason = message("formula.complete_before", word=word)
            _fail(reason, reader.text, start, end - start)
        operator = reader.spellings.operators.get(word)
        if operator is not None:
            waiting.append(_Waiting(operator, start, []))
            continue
        if len(word) > MAX_NUMBER_LENGTH:
            reason = message("formula.number_too_long", most=MAX_NUMBER_LENGTH)
            _fail(reason, reader.text, start, len(word))
        found = reader.build_number(word, start), 0
        while waiting and found is not None:
            waiting[-1].operands.append(found)
            full = len(waiting[-1].operands) == waiting[-1].operator.arity
            found = _closed(waiting.pop(), reader) if full else None
    if found is None:
        missing = message("formula.none")
        if line.strip():
            missing = message("formula.number_missing_after", before=line[-1])
        _fail(missing, reader.text, len(line))
    return found[0]


def _words(reader: FormulaParser, line: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the signs, numbers and letters of a line and where they stand."""
    spellings = reader.spellings
    numbers = (f"{MINUS_PATTERN}?[0-9]+", *spellings.number_patterns)
    kinds = filter(None, (*numbers, spellings.sign_pattern, spellings.letter_pattern))
    word = re.compile(rf" *({'|'.join(kinds)})")
    at = 0
    while at < len(line):
        found = word.match(line, at)
        if found is None:
            at += len(line[at:]) - len(line[at:].lstrip())
            _fail(
                message("formula.not_part", sign=escape_unprintable(reader.text[at])),
                reader.text,
                at,
            )
        yield found[1], found.span(1)
        at = found.end()


def _closed(done: _Waiting, reader: FormulaParser) -> tuple[Expression, int]:
    """Return an operator with its operands, which are nested as parentheses would be."""
    if done.operator.arity == 1:
        [(operand, depth)] = done.operands
        after = done.operator.postfix
        nothing = reader.build_no_operand(operand.span[1] if after else done.start), 0
        done.operands[:] = [(operand, depth), nothing] if after else [nothing, (operand, depth)]
    (left, left_depth), (right, right_depth) = done.operands
    alike = isinstance(left, Operation) and left.operator.precedence == done.operator.precedence
    depth = max(left_depth + (not alike), right_depth + 1)
    if depth > MAX_NESTING:
        reason = message("formula.too_deep", most=MAX_NESTING)
        _fail(reason, reader.text, done.start)
    span = (done.start, right.span[1])
    return Operation(done.operator, left, right, span, reader.game.style), depth


def _fail(reason: Message, text: str, column: int, length: int = 1) -> NoReturn:
    raise MalformedFormulaError(reason, text, column, length)
