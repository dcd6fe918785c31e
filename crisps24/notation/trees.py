"""Expressions as trees, formulas as rows of numbers and operators, and the printer of both.

`8 / (3 - 8 / 3)` is an `Operation` with the operator `:`, the left operand 8 and, as the right
operand, the operation `3 - 8 / 3`. The printer adds parentheses only where the tree needs them: an
operand on the left needs them if it binds less tightly than the operator, an operand on the right
also if it binds equally tightly (the other way round for an operator that groups to the right, such
as `^`). Functions walk a tree in chains of operators of equal precedence, so the depth of recursion
is the depth of the parentheses, not the length of the formula. Printing takes time proportional to
the length of the text times that depth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter, ne
from typing import Any, NamedTuple

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.errors import MalformedFormulaError
from crisps24.notation.styles import Style, style_by_name
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game
from crisps24.rules.operators import JOIN, MINUS, SIGN_PRECEDENCE, Operator, operator_by_name

_MINUS_SIGNS = MINUS.spellings


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an expression. Two are equal if their values are equal.

    `span` is its position in the parsed text: the first column and the column after the last.
    """

    value: Exact
    span: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)
    game: Game | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.value)


# The value of a number in a tree whose numbers are indices, such as the tree of a pattern.
leaf_index: Callable[[Number], int] = attrgetter("value")


@dataclass(frozen=True, slots=True)
class NoOperand(Number):
    """The missing operand of a unary minus or of an operator with one operand.

    It is printed as nothing and has the value 0, so that -3 is evaluated as 0 - 3.
    """

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation:
    """An operator with its two operands, of which one can be `NoOperand`.

    Two operations are equal if they are the same tree; they are then printed alike. `str` prints
    the tree in `style` (the name of a style) with as few parentheses as possible; `repr` is the
    call that creates the tree. `game` is the game of a solution, None for other trees.

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
        """Whether it only writes a value (joined digits, a unary minus) and is not a step."""
        return self.operator.joins or self.is_unary_minus

    @property
    def is_unary_minus(self) -> bool:
        """Whether it is a minus in front of an expression."""
        return isinstance(self.left, NoOperand) and self.operator.arity == 2

    @property
    def operands(self) -> "tuple[Expression, ...]":
        """Its one or two operands, without `NoOperand`."""
        return tuple(part for part in (self.left, self.right) if not isinstance(part, NoOperand))

    def __reduce__(self) -> tuple[Any, ...]:
        # In postfix order: the tree of a long formula is too deep for pickle.
        return _from_postfix, (_to_postfix(self), self.game)

    def __str__(self) -> str:
        return text_of(self, self.style)

    def __repr__(self) -> str:
        known: Game | str | None = self.game and replace(self.game, in_order=False)
        if self.game is None or known == GAMES.get(self.game.name):
            known = self.game.name if self.game else "digits"
        numbers = [number.value for number in numbers_of(self)]
        if all(isinstance(number, int) for number in numbers):
            return f"parse({text_of(self)!r}, {known!r})"
        # Without its numbers, the text 3/4 would be a division.
        return f"parse({text_of(self)!r}, {known!r}, {' '.join(map(str, numbers))!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and text_of(self) == text_of(other)

    def __hash__(self) -> int:
        return hash(text_of(self))


Expression = Number | Operation


def negate(expression: Expression, style: str) -> Operation:
    """Return an expression with a unary minus in front."""
    return Operation(MINUS, NoOperand(0), expression, style=style)


def negation_needs_parentheses(precedence: Any) -> Any:
    """Return whether operands of a precedence, or of many, need parentheses after a unary minus."""
    return precedence <= SIGN_PRECEDENCE


def _to_postfix(tree: Operation) -> list[Any]:
    """Return the numbers and operators of a tree, each operator after its operands."""
    reversed_items: list[Any] = []
    stack: list[Expression] = [tree]
    while stack:
        part = stack.pop()
        if isinstance(part, Number):
            reversed_items.append(part)
        else:
            reversed_items.append((part.operator, part.span, part.style))
            stack += [part.left, part.right]
    return reversed_items[::-1]


def _from_postfix(items: Sequence[Any], game: Game | None = None) -> Expression:
    stack: list[Expression] = []
    for item in items:
        if isinstance(item, Number):
            stack.append(item)
        else:
            operator, span, style = item
            # The two operands are the last trees that were built.
            right, left = stack.pop(), stack.pop()
            stack.append(Operation(operator, left, right, span, style))
    return stack[0] if game is None else replace(stack[0], game=game)


@dataclass(frozen=True, slots=True)
class Formula:
    """Numbers and operators in a row, without parentheses: one combination.

    Digits with `|` between them are joined: they are printed as one number.

    >>> str(Formula((2, 8, 9, 1), ("x", "x", "-"))), str(Formula((1, 2, 3), ("|", "+")))
    ('2 x 8 x 9 - 1', '12 + 3')

    Raises:
        KindError: if an argument has no length.
        RefusedError: if there is not one operator between each two numbers.
    """

    numbers: tuple[int, ...]
    operators: tuple[str, ...]

    def __post_init__(self) -> None:
        try:
            has_right_length = len(self.operators) == len(self.numbers) - 1
        except (TypeError, OverflowError):
            raise KindError("a formula is a tuple of numbers and one of operators") from None
        if not has_right_length:
            numbers, operators = len(self.numbers), len(self.operators)
            raise RefusedError(
                f"invalid formula: {numbers} numbers and {operators} operators"
                " (expected one operator between each two numbers)"
            )

    def __str__(self) -> str:
        words = [str(self.numbers[0])]
        for operator, number in zip(self.operators, self.numbers[1:], strict=True):
            words.append(str(number) if operator == JOIN.name else f" {operator} {number}")
        return "".join(words)


class Parts(NamedTuple):
    """The numbers and the operations of an expression, from left to right."""

    numbers: list[Number]
    operations: list[Operation]


def parts_of(expression: Expression) -> Parts:
    """Return the numbers and the operations of an expression, from left to right."""
    parts = Parts([], [])
    _collect_parts(expression, parts)
    return parts


def _collect_parts(expression: Expression, parts: Parts) -> None:
    if isinstance(expression, Number):
        if not isinstance(expression, NoOperand):
            parts.numbers.append(expression)
        return
    # The tree is read in chains of operators, because that needs less recursion.
    first_operand, chain = split_chain(expression)
    _collect_parts(first_operand, parts)
    for operation in chain:
        parts.operations.append(operation)
        _collect_parts(operation.right, parts)


def repeated_operation(expression: Expression) -> Operation | None:
    """Return the first operation with the operator of an earlier one; joins do not count."""
    used: set[Operator] = set()
    for operation in parts_of(expression).operations:
        if operation.operator in used:
            return operation
        if not operation.operator.joins:
            used.add(operation.operator)
    return None


def is_number(expression: Expression) -> bool:
    """Return whether an expression only writes a number, as 4, 12 from joined digits, or -.4."""
    return all(operation.is_notation for operation in parts_of(expression).operations)


def numbers_of(expression: Expression) -> list[Number]:
    return parts_of(expression).numbers


def split_chain(expression: Expression) -> tuple[Expression, list[Operation]]:
    """Split a chain of operators of equal precedence into its first operand and its operations.

    >>> from crisps24 import parse
    >>> split_chain(parse("1 - 2 + 3 x 4"))
    (Number(value=1), [parse('1 - 2', 'digits'), parse('1 - 2 + 3 x 4', 'digits')])
    """
    operations: list[Operation] = []
    while isinstance(expression, Operation) and (
        not operations or expression.operator.precedence == operations[-1].operator.precedence
    ):
        operations.append(expression)
        expression = expression.left
    return expression, operations[::-1]


# A tree and one with the opposite value; None for a tree that would need a minus before something.
_Both = tuple[Expression | None, Expression | None]


def with_subtractions(part: Expression, is_negated: Callable[[Number], bool]) -> _Both:
    """Return an expression and its opposite, with a subtraction for each minus before something.

    -4 + 28 becomes 28 - 4, and -(12 + 3 x (1 - 13)) becomes 3 x (13 - 1) - 12. `is_negated` tells
    the number -3 from a card -3.
    """
    if isinstance(part, Number):
        if is_negated(part):
            return None, replace(part, value=-part.value)
        return part, None if part.value else part
    if part.is_unary_minus:
        return with_subtractions(part.right, is_negated)[::-1]
    first, chain = split_chain(part)
    operands = [chain.pop(0) if chain[0].is_unary_minus else first]
    operands += [operation.right for operation in chain]
    pairs = [with_subtractions(operand, is_negated) for operand in operands]
    return _join(chain, pairs, False), _join(chain, pairs, True)


def _join(chain: Sequence[Operation], pairs: Sequence[_Both], opposite: bool) -> Any:
    """Return the tree of a chain, or its opposite, from its operands or their opposites."""
    operators, turned = [each.operator for each in chain], [tree is None for tree, _ in pairs]
    is_sum = {operator.name for operator in operators} <= {MINUS.name, MINUS.inverse}
    minuses = [opposite, *((operator.name == MINUS.name) != opposite for operator in operators)]
    if all(map(ne, minuses, turned)) if is_sum else (sum(turned) + opposite) % 2:
        # A minus is left, for the first operand that has an opposite.
        place = next((place for place, pair in enumerate(pairs) if None not in pair), 0)
        turned[place] = not turned[place]
    trees: list[Any] = [pair[is_turned] for pair, is_turned in zip(pairs, turned, strict=True)]
    # A minus can pass the operators of sums and products, which have an inverse.
    is_passed = all(operator.inverse for operator in operators) or not (opposite or any(turned))
    if None in trees or not is_passed:
        return None
    subtracted = [*map(ne, minuses, turned)]
    # What is added comes first.
    order = sorted(range(len(trees)), key=lambda at: is_sum and at != subtracted.index(False))
    tree = trees[order[0]]
    for at in order[1:]:
        name = MINUS.name if subtracted[at] else MINUS.inverse
        operator = operator_by_name(name) if is_sum else operators[at - 1]
        tree = Operation(operator, tree, trees[at], chain[-1].span)
    return tree


def text_of(
    expression: Expression, style: str = "cards", leaf: Callable[[Number], str] | None = None
) -> str:
    r"""Return the text of an expression in a style, with as few parentheses as possible.

    `leaf` returns the text of a `Number`; by default its value.

    >>> from crisps24 import parse
    >>> text_of(parse("8 / ((3 - (8 / 3)))", "digits"), "unicode")
    '8 ÷ (3 − 8 ÷ 3)'
    >>> text_of(parse("8 / (3 - 8 / 3)", "digits"), "polish")
    '/ 8 - 3 / 8 3'
    >>> print(text_of(parse("8 / (3 - 8 / 3)", "digits"), "latex"))
    \frac{8}{3 - \frac{8}{3}}
    """
    return _print(expression, style_by_name(style), leaf)


def _print(expression: Expression, style: Style, leaf: Callable[[Number], str] | None) -> str:
    if isinstance(expression, NoOperand):
        return ""
    if isinstance(expression, Number):
        if leaf is not None:
            return leaf(expression)
        if not isinstance(expression.value, int):
            return style.format_value(expression.value)
        return str(expression) if expression.value >= 0 else style.with_minus(str(expression))
    first_operand, chain = split_chain(expression)
    if style.prefix:
        return _print_prefix(first_operand, chain, style, leaf)
    # A list of pieces, so that the text of a long chain is not copied for each operator.
    pieces = [_print_operand(first_operand, chain[0].operator, 0, style, leaf)]
    if chain[0].is_unary_minus:
        pieces = [_print_unary_minus(chain.pop(0), style, leaf)]
    for index, operation in enumerate(chain):
        operator = operation.operator
        right = _print_operand(operation.right, operator, 1, style, leaf)
        if index and (operator.right_associative or operator.arity == 1):
            # Without parentheses such operators would be read from right to left.
            pieces = [style.parenthesize("".join(pieces))]
        if operator.name in style.frames:
            # A frame, such as that of a LaTeX fraction, also needs the text before the operator.
            pieces = [style.format_operation(operator, "".join(pieces), right)]
        else:
            pieces.append(style.format_operation(operator, "", right))
    return "".join(pieces)


def _print_prefix(
    first_operand: Expression,
    chain: Sequence[Operation],
    style: Style,
    leaf: Callable[[Number], str] | None,
) -> str:
    """Return a chain in Polish notation, all operators first: `8 - 3 + 4` as `+ - 8 3 4`."""
    operands: tuple[Expression, ...] = (first_operand, *(operation.right for operation in chain))
    operator = chain[0].operator
    if operator.arity == 1:
        operands = tuple(part for part in operands if not isinstance(part, NoOperand))
    words = []
    for part in operands:
        if leaf is None and isinstance(part, Number) and not isinstance(part.value, int):
            words.append(style.format_operand(part.value))
        else:
            # The empty operand of a unary minus is written as 0: -3 is `- 0 3`.
            words.append(_print(part, style, leaf) or "0")
    if operator.joins:
        return style.format_operation(operator, "", "".join(words))
    signs = [style.sign(operation.operator) for operation in reversed(chain)]
    return " ".join(signs + words)


def _print_unary_minus(
    operation: Operation, style: Style, leaf: Callable[[Number], str] | None
) -> str:
    """Return the text of a unary minus and its operand: -4, -2 ^ 2, -(2 + 3)."""
    operand = operation.right
    text = _print(operand, style, leaf)
    is_clear_without_parentheses = text.isdigit()
    if isinstance(operand, Operation):
        is_computed_first = operand.operator.precedence > SIGN_PRECEDENCE
        # Sides 0 and 1: the style encloses the left and the right operand.
        is_enclosed = style.frames_sides(operand.operator, 0, 1)
        is_clear_without_parentheses = is_computed_first or is_enclosed
    if not is_clear_without_parentheses:
        text = style.parenthesize(text)
    return f"{style.sign(operation.operator)}{text}"


def _print_operand(
    operand: Expression,
    operator: Operator,
    side: int,
    style: Style,
    leaf: Callable[[Number], str] | None,
) -> str:
    """Return the text of an operand of an operator, in parentheses if it needs them."""
    text = _print(operand, style, leaf)
    if style.frames_sides(operator, side):
        return text
    binds_tighter_than_minus = operator.precedence > SIGN_PRECEDENCE
    if isinstance(operand, Number):
        if leaf is None and not isinstance(operand.value, int):
            return style.format_side(operator, side, operand.value)
        needs_parentheses = binds_tighter_than_minus and text[:1] in _MINUS_SIGNS
        return style.parenthesize(text) if needs_parentheses else text
    if style.frames_sides(operand.operator, 0, 1) and not binds_tighter_than_minus:
        return text
    precedence = operand.operator.precedence
    if binds_tighter_than_minus and operand.is_unary_minus:
        precedence = SIGN_PRECEDENCE
    # On one side, an operand with the precedence of its operator needs no parentheses: 8 - 3 - 1 is
    # (8 - 3) - 1, and 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2).
    is_grouping_side = side == operator.right_associative
    if operator.arity == 1 and not operator.postfix:
        # √√16 can be parsed without parentheses; 3!! cannot.
        is_grouping_side = True
    binds_tighter = precedence > operator.precedence
    binds_equally = precedence == operator.precedence
    if binds_tighter or (binds_equally and is_grouping_side):
        return text
    return style.parenthesize(text)


def formula_text(formula: object) -> str:
    """Return a formula of any type as text that can be parsed."""
    if isinstance(formula, str):
        return formula
    try:
        if isinstance(formula, Operation):
            # Not in the tree's own style: some styles cannot be parsed.
            return text_of(formula)
        if isinstance(formula, Formula | Number):
            return str(formula)
    except (ValueError, TypeError, LookupError, RecursionError):
        # A caller can build a tree from numbers of 5,000 digits, or from other objects.
        pass
    shown = quoted(formula)
    reason = message("formula.no_text", value=shown)
    raise MalformedFormulaError(reason, shown, 0, len(shown))
