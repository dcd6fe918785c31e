"""Expressions as trees, formulas as rows, and the printer of both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.errors import MalformedFormulaError
from crisps24.notation.styles import Style, style_named
from crisps24.rules.games import GAMES, Game
from crisps24.rules.operators import JOIN, MINUS, SIGN_PRECEDENCE, Operator

_MINUS = MINUS.spellings


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an expression, equal to another of the same value wherever it stands.

    `span` is where it stands in the text it was read from, first column and the one after the
    last.
    """

    value: int
    span: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)
    game: Game | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class NoOperand(Number):
    """What a minus before a formula is taken from, or an operator has beside its one operand.

    It is no number, and worth 0.
    """

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation:
    """Two expressions joined by an operator.

    Two are equal when they are the same tree, which is when they print alike. `str` writes it in
    the style `style`, that of its game, with the fewest parentheses that keep the tree; `repr`
    is the call that rebuilds it. `game` is that of which it is a solution, if it is one.

    >>> from crisps24.rules.operators import OPERATORS
    >>> four_plus_four = Operation(OPERATORS["+"], Number(4), Number(4))
    >>> Operation(OPERATORS["x"], Number(3), four_plus_four)
    parse('3 x (4 + 4)', 'digits')
    """

    operator: Operator
    left: "Expression"
    right: "Expression"
    span: tuple[int, int] = (0, 0)
    style: str = "cards"
    game: Game | None = None

    @property
    def is_notation(self) -> bool:
        """Whether it is how a number is written, and no step: digits joined, or a minus before."""
        return self.operator.joins or self.is_unary_minus

    @property
    def is_unary_minus(self) -> bool:
        """Whether it is a minus before something, which takes that from nothing."""
        return isinstance(self.left, NoOperand) and self.operator.arity == 2

    @property
    def operands(self) -> "tuple[Expression, ...]":
        """What it works on: two expressions, or the one beside its operator."""
        return tuple(each for each in (self.left, self.right) if not isinstance(each, NoOperand))

    def __reduce__(self) -> tuple[Any, ...]:
        # In a row: as a tree a long formula would be too deep to be pickled.
        return _tree_of, (_row_of(self), self.game)

    def __str__(self) -> str:
        return text_of(self, self.style)

    def __repr__(self) -> str:
        if self.game is None or self.game == GAMES.get(self.game.name):
            return f"parse({text_of(self)!r}, {self.game.name if self.game else 'digits'!r})"
        return f"parse({text_of(self)!r}, {self.game!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and text_of(self) == text_of(other)

    def __hash__(self) -> int:
        return hash(text_of(self))


Expression = Number | Operation


def negate(expression: Expression, style: str) -> Operation:
    """Return an expression with a minus before it, in a style.

    >>> str(negate(Number(4), "cards"))
    '-(4)'
    """
    return Operation(MINUS, NoOperand(0), expression, style=style)


def negation_needs_parentheses(precedence: Any) -> Any:
    """Return whether what binds so needs parentheses behind a minus before it, or where."""
    return precedence <= SIGN_PRECEDENCE


def _row_of(tree: Operation) -> list[Any]:
    """Return a tree as numbers and operators in a row, each of these after its operands."""
    row: list[Any] = []
    ahead: list[Expression] = [tree]
    while ahead:
        part = ahead.pop()
        if isinstance(part, Number):
            row.append(part)
        else:
            row.append((part.operator, part.span, part.style))
            ahead += [part.left, part.right]
    return row[::-1]


def _tree_of(row: Sequence[Any], game: Game | None = None) -> Expression:
    """Return the tree of such a row, as a solution of a game."""
    made: list[Expression] = []
    for part in row:
        if isinstance(part, Number):
            made.append(part)
        else:
            operator, span, signs = part
            right, left = made.pop(), made.pop()
            made.append(Operation(operator, left, right, span, signs))
    return made[0] if game is None else replace(made[0], game=game)


@dataclass(frozen=True, slots=True)
class Formula:
    """Numbers and operators in a row, without parentheses: one combination.

    Digits with `|` between them are joined: they are printed as the number that they make.

    >>> str(Formula((2, 8, 9, 1), ("x", "x", "-"))), str(Formula((1, 2, 3), ("|", "+")))
    ('2 x 8 x 9 - 1', '12 + 3')
    """

    numbers: tuple[int, ...]
    operators: tuple[str, ...]

    def __post_init__(self) -> None:
        try:
            alternate = len(self.operators) == len(self.numbers) - 1
        except (TypeError, OverflowError):
            raise KindError("a formula is a tuple of numbers and one of operators") from None
        if not alternate:
            numbers, operators = len(self.numbers), len(self.operators)
            raise RefusedError(
                f"invalid formula: {numbers} numbers and {operators} operators"
                " (expected one operator between each two numbers)"
            )

    def __str__(self) -> str:
        parts = [str(self.numbers[0])]
        for operator, number in zip(self.operators, self.numbers[1:], strict=True):
            parts.append(str(number) if operator == JOIN.name else f" {operator} {number}")
        return "".join(parts)


class Parts(NamedTuple):
    """The numbers and the operations of an expression, from left to right."""

    numbers: list[Number]
    operations: list[Operation]


def parts_of(expression: Expression) -> Parts:
    """Return all parts of an expression.

    >>> from crisps24 import parse
    >>> [part.operator.name for part in parts_of(parse("4 + 3 x 8 - 4")).operations]
    ['+', 'x', '-']
    """
    parts = Parts([], [])
    _gather(expression, parts)
    return parts


def _gather(expression: Expression, parts: Parts) -> None:
    if isinstance(expression, Number):
        if not isinstance(expression, NoOperand):
            parts.numbers.append(expression)
        return
    first, links = split_chain(expression)
    _gather(first, parts)
    for link in links:
        parts.operations.append(link)
        _gather(link.right, parts)


def numbers_of(expression: Expression) -> list[Number]:
    """Return the numbers of an expression from left to right.

    >>> from crisps24 import parse
    >>> [number.value for number in numbers_of(parse("4 + 3 x 8 - 4"))]
    [4, 3, 8, 4]
    """
    return parts_of(expression).numbers


def split_chain(expression: Expression) -> tuple[Expression, list[Operation]]:
    """Split a tree along its left edge at its own precedence: `a - b + c` into a, [- b, + c].

    Walking chains instead of nodes keeps recursion as deep as the parentheses are, however
    long the formula is.
    """
    links: list[Operation] = []
    while isinstance(expression, Operation) and (
        not links or expression.operator.precedence == links[-1].operator.precedence
    ):
        links.append(expression)
        expression = expression.left
    return expression, links[::-1]


def text_of(
    expression: Expression, style: str = "cards", leaf: Callable[[Number], str] = str
) -> str:
    r"""Print an expression in a style of `STYLES`, with the fewest parentheses that keep it.

    `leaf` writes a number.

    >>> from crisps24 import parse
    >>> text_of(parse("8 / ((3 - (8 / 3)))", "digits"), "unicode")
    '8 ÷ (3 − 8 ÷ 3)'
    >>> text_of(parse("8 / (3 - 8 / 3)", "digits"), "polish")
    '/ 8 - 3 / 8 3'
    >>> print(text_of(parse("8 / (3 - 8 / 3)", "digits"), "latex"))
    \frac{8}{3 - \frac{8}{3}}

    Raises ValueError for an unknown style, listing the known ones.
    """
    return _print(expression, style_named(style), leaf)


def _print(expression: Expression, style: Style, leaf: Callable[[Number], str]) -> str:
    if isinstance(expression, Number):
        return "" if isinstance(expression, NoOperand) else leaf(expression)
    first, links = split_chain(expression)
    if style.prefix:
        parts: tuple[Expression, ...] = (first, *(link.right for link in links))
        if links[0].operator.arity == 1:
            parts = tuple(part for part in parts if not isinstance(part, NoOperand))
        operands = [_print(part, style, leaf) or "0" for part in parts]
        if links[0].operator.joins:
            return style.format_operation(links[0].operator, "", "".join(operands))
        return " ".join([style.sign(link.operator) for link in reversed(links)] + operands)
    # In pieces, so that a long chain is not copied at each of its operators.
    pieces = [_print_operand(first, links[0].operator, 0, style, leaf)]
    if links[0].is_unary_minus:
        pieces = [_print_below_zero(links.pop(0), style, leaf)]
    for place, link in enumerate(links):
        right = _print_operand(link.right, link.operator, 1, style, leaf)
        if place and (link.operator.to_right or link.operator.arity == 1):
            # It is no chain to be read from the left.
            pieces = [style.parenthesize("".join(pieces))]
        if link.operator.name in style.frames:
            pieces = [style.format_operation(link.operator, "".join(pieces), right)]
        else:
            pieces.append(style.format_operation(link.operator, "", right))
    return "".join(pieces)


def _print_below_zero(operation: Operation, style: Style, leaf: Callable[[Number], str]) -> str:
    """Print a minus before a formula, which it holds as it does a number."""
    text = _print(operation.right, style, leaf)
    if isinstance(operation.right, Number) or not (
        operation.right.operator.precedence > SIGN_PRECEDENCE
        or style.frames_sides(operation.right.operator, 0, 1)
    ):
        text = style.parenthesize(text)
    return f"{style.sign(operation.operator)}{text}"


def _print_operand(
    operand: Expression,
    operator: Operator,
    right: int,
    style: Style,
    leaf: Callable[[Number], str],
) -> str:
    """Print the operand on the left (0) or right (1) of an operator, in parentheses if needed."""
    text = _print(operand, style, leaf)
    if style.frames_sides(operator, right):
        return text
    tight = operator.precedence > SIGN_PRECEDENCE
    if isinstance(operand, Number):
        return style.parenthesize(text) if tight and text[:1] in _MINUS else text
    if style.frames_sides(operand.operator, 0, 1) and not tight:
        return text
    precedence = operand.operator.precedence
    if tight and operand.is_unary_minus:
        precedence = SIGN_PRECEDENCE
    # The operand on the right binds tighter than its operator, the one on the left at least as
    # tightly; the other way round if the operator groups to the right.
    bare = precedence >= operator.precedence + (right != operator.to_right)
    if operator.arity == 1 and not operator.after:
        # What it stands before may begin with another one, as what stands after may not end so.
        bare = precedence >= operator.precedence
    return text if bare else style.parenthesize(text)


def formula_text(formula: object) -> str:
    """Return a formula as it could have been typed: text as it is, a row or a tree printed.

    >>> formula_text("8×3"), formula_text(Formula((8, 3), ("x",)))
    ('8×3', '8 x 3')

    Raises `MalformedFormulaError` for anything else.
    """
    if isinstance(formula, str):
        return formula
    try:
        if isinstance(formula, Operation):
            # Not in the style of its game, which may be none that is read.
            return text_of(formula)
        if isinstance(formula, Formula | Number):
            return str(formula)
    except (ValueError, TypeError, LookupError, RecursionError):
        # Made by hand, of what no formula has: numbers of 5,000 digits, or no numbers.
        pass
    shown = quoted(formula)
    reason = message("formula.no_text", value=shown)
    raise MalformedFormulaError(reason, shown, 0, len(shown))
