"""Operators, expressions as trees, formulas as rows; working them out and printing them.

Owns the one evaluator (`steps`) and the one printer (`text_of`). Imports `games` only; knows
neither the grammar that makes trees out of text nor who searches for them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from crisps24.rules.games import Exact, Game, simplest

# A value on the way through the evaluator: an int, a Fraction, a numpy column of ints or a column
# of fractions (`ratios`).
Value = Any
# Whether the value is legal: a bool, or a numpy column of them.
Legal = Any


class FormulaError(ValueError):
    """A formula is not right; the kinds say how.

    Attributes: `text`, the formula; `position`, the 0-based column where the marked part begins;
    `length`, how many characters are marked, at least 1; `reason`, what is wrong.
    """

    kind = "wrong"

    def __init__(self, reason: str, text: str, position: int, length: int = 1) -> None:
        super().__init__(f"{self.kind}: {reason}")
        self.text = text
        self.position = position
        self.length = max(1, length)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.text, self.position, self.length)

    def marked(self, width: int = 78) -> str:
        """Return the formula with carets under the marked part, at most `width` columns wide.

        >>> print(IllegalFormulaError("9 : 7 leaves a remainder of 2", "9 : 7 + 2", 0, 5).marked())
        9 : 7 + 2
        ^^^^^
        """
        first = 0 if len(self.text) <= width else max(0, self.position - width // 3)
        shown = self.text[first : first + width]
        line = "".join(character if character.isprintable() else " " for character in shown)
        column = self.position - first
        return f"{line}\n{' ' * column}{'^' * max(1, min(self.length, len(line) - column))}"


class MalformedFormulaError(FormulaError):
    """The text is no formula at all."""

    kind = "malformed"


class IllegalFormulaError(FormulaError):
    """The formula breaks a rule of the game."""

    kind = "illegal"


@dataclass(frozen=True, slots=True)
class Operator:
    """One of the four operators.

    `name` is its sign in results files; `precedence` is higher where it binds tighter;
    `commutes` says whether its two operands may change places; `operate` takes two values and
    the game and gives the result and whether it is legal. All arithmetic of every room is done
    there, on numbers and on columns alike.

    >>> from crisps24 import GAMES
    >>> DIVIDE.operate(9, 7, GAMES["crisps"])
    (1, False)
    """

    name: str
    spellings: str
    precedence: int
    commutes: bool
    operate: Callable[[Value, Value, Game], tuple[Value, Legal]] = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return operator_named, (self.name,)


def _subtract(left: Value, right: Value, game: Game) -> tuple[Value, Legal]:
    # No other operator makes a result below zero: a game without negatives has no such numbers.
    result = left - right
    return result, True if game.negatives else result >= 0


def _divide(left: Value, right: Value, game: Game) -> tuple[Value, Legal]:
    # Where the divisor is 0 the row is illegal whatever comes out, so there it is made 1.
    divisor = right + (right == 0)
    if game.fractions:
        return left / divisor, right != 0
    quotient = left // divisor
    return quotient, (right != 0) & (quotient * divisor == left)


# In the order of the original's files; everything about operators is read from here.
OPERATORS = (
    Operator("-", "-−", 1, False, _subtract),
    Operator("+", "+", 1, True, lambda left, right, _: (left + right, True)),
    Operator("x", "xX*×·", 2, True, lambda left, right, _: (left * right, True)),
    Operator(":", ":/÷", 2, False, _divide),
)
MINUS, PLUS, TIMES, DIVIDE = OPERATORS


def operator_named(name: str) -> Operator:
    """Return the operator whose sign in results files is `name`; raise KeyError for no sign."""
    return {operator.name: operator for operator in OPERATORS}[name]


# Style: the signs of the four operators, in their order; prefix styles are printed in Polish
# notation, the others as a person writes them.
STYLES = {
    "crisps": "-+x:",
    "cards": "-+x/",
    "ascii": "-+*/",
    "unicode": "−+×÷",
    "polish": "-+x/",
}
PREFIX_STYLES = {"polish"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an expression, equal to another of the same value wherever it stands.

    `span` is where it stands in the text it was read from, first column and the one after the
    last.
    """

    value: int
    span: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation:
    """Two expressions joined by an operator.

    Two are equal when they are the same tree, which is when they print alike. `str` writes it in
    the style `signs`, that of its game, with the fewest parentheses that keep the tree; `repr`
    is the call that rebuilds it.

    >>> Operation(TIMES, Number(3), Operation(PLUS, Number(4), Number(4)))
    parse('3 x (4 + 4)', 'digits')
    """

    operator: Operator
    left: "Expression"
    right: "Expression"
    span: tuple[int, int] = (0, 0)
    signs: str = "cards"

    def __str__(self) -> str:
        return text_of(self, self.signs)

    def __repr__(self) -> str:
        return f"parse({text_of(self)!r}, 'digits')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and text_of(self) == text_of(other)

    def __hash__(self) -> int:
        return hash(text_of(self))


Expression = Number | Operation


@dataclass(frozen=True, slots=True)
class Formula:
    """Numbers and operators in a row, without parentheses: one combination.

    >>> str(Formula((2, 8, 9, 1), ("x", "x", "-")))
    '2 x 8 x 9 - 1'
    """

    numbers: tuple[int, ...]
    operators: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.operators) != len(self.numbers) - 1:
            counts = f"{len(self.numbers)} numbers and {len(self.operators)} operators"
            raise ValueError(f"{counts} are no formula: there is an operator between each two")

    def __str__(self) -> str:
        parts = [str(self.numbers[0])]
        for operator, number in zip(self.operators, self.numbers[1:], strict=True):
            parts += (operator, str(number))
        return " ".join(parts)


class Step(NamedTuple):
    """One operation as it is worked out: what met what, what came out, whether it is legal."""

    operation: Operation
    left: Value
    right: Value
    result: Value
    legal: Legal


def numbers_of(expression: Expression) -> list[Number]:
    """Return the numbers of an expression from left to right.

    >>> from crisps24 import parse
    >>> [number.value for number in numbers_of(parse("4 + 3 x 8 - 4"))]
    [4, 3, 8, 4]
    """
    if isinstance(expression, Number):
        return [expression]
    first, links = chain_of(expression)
    operands = [first, *(link.right for link in links)]
    return [number for operand in operands for number in numbers_of(operand)]


def chain_of(expression: Expression) -> tuple[Expression, list[Operation]]:
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


def steps(expression: Expression, game: Game, leaf: Callable[[Number], Value]) -> Iterator[Step]:
    """Work an expression out under a game, one operation after the other.

    This is the one evaluator. `leaf` gives the value of a number: an int or a Fraction (exact
    where the game has fractions), or a numpy column, for a whole block of rows at once. The
    order is that of precedence: what `+` and `-` join is worked out first, `x` and `:` and what
    is in parentheses alike, from left to right, and then they themselves. After an illegal step
    the values mean nothing.

    >>> from crisps24 import GAMES, parse
    >>> tree = parse("4 + 3 x 8 - 4")
    >>> [step.result for step in steps(tree, GAMES["crisps"], lambda number: number.value)]
    [24, 28, 24]
    """
    yield from _steps(expression, game, leaf, [])


def _steps(
    expression: Expression, game: Game, leaf: Callable[[Number], Value], out: list[Value]
) -> Iterator[Step]:
    """Yield the steps and leave the value at the end of `out`."""
    if isinstance(expression, Number):
        out.append(leaf(expression))
        return
    first, links = chain_of(expression)
    operands: list[Value] = []
    yield from _steps(first, game, leaf, operands)
    for link in links:
        yield from _steps(link.right, game, leaf, operands)
    value = operands[0]
    for link, right in zip(links, operands[1:], strict=True):
        result, legal = link.operator.operate(value, right, game)
        yield Step(link, value, right, result, legal)
        value = result
    out.append(value)


def exact_leaf(game: Game) -> Callable[[Number], Exact]:
    """Return what gives a number its value in a game: an int, or a Fraction to be divided."""
    return lambda number: Fraction(number.value) if game.fractions else number.value


def text_of_value(value: Exact) -> str:
    """Write a value for a sentence; one too long to read is named by its size.

    >>> text_of_value(Fraction(3, 4)), text_of_value(10**5000)
    ('3/4', 'a number of about 5001 digits')
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return (
        str(simplest(value))
        if bits < 256
        else f"a number of about {bits * 30103 // 100000 + 1} digits"
    )


def sentence_of(step: Step, game: Game) -> str:
    """Say a step in the words of the game: what it makes, or why it is illegal."""
    sign = STYLES[game.signs][OPERATORS.index(step.operation.operator)]
    whole = [simplest(value) for value in (step.left, step.right)]
    left, right = (
        text_of_value(value) if isinstance(value, int) else f"({text_of_value(value)})"
        for value in whole
    )
    words = f"{left} {sign} {right}"
    if step.legal:
        return f"{words} = {text_of_value(step.result)}"
    if step.operation.operator is DIVIDE and step.right == 0:
        return f"{words} divides by zero"
    if step.operation.operator is DIVIDE and not game.fractions and step.left % step.right:
        return f"{words} leaves a remainder of {text_of_value(step.left % step.right)}"
    return f"{words} goes below zero"


def text_of(expression: Expression, style: str = "cards") -> str:
    """Print an expression in a style of `STYLES`, with the fewest parentheses that keep it.

    >>> from crisps24 import parse
    >>> text_of(parse("8 / ((3 - (8 / 3)))", "digits"), "unicode")
    '8 ÷ (3 − 8 ÷ 3)'
    >>> text_of(parse("8 / (3 - 8 / 3)", "digits"), "polish")
    '/ 8 - 3 / 8 3'

    Raises ValueError for an unknown style, listing the known ones.
    """
    if style not in STYLES:
        raise ValueError(f"there is no style {style!r}; the styles are {', '.join(STYLES)}")
    signs = dict(zip((operator.name for operator in OPERATORS), STYLES[style], strict=True))
    pieces: list[str] = []
    _print(expression, signs, style in PREFIX_STYLES, pieces)
    return " ".join(pieces).replace("( ", "(").replace(" )", ")")


def _print(expression: Expression, signs: dict[str, str], prefix: bool, out: list[str]) -> None:
    if isinstance(expression, Number):
        out.append(str(expression.value))
        return
    first, links = chain_of(expression)
    if prefix:
        out.extend(signs[link.operator.name] for link in reversed(links))
    _print_operand(first, links[0].operator.precedence - 1, signs, prefix, out)
    for link in links:
        if not prefix:
            out.append(signs[link.operator.name])
        _print_operand(link.right, link.operator.precedence, signs, prefix, out)


def _print_operand(
    operand: Expression, above: int, signs: dict[str, str], prefix: bool, out: list[str]
) -> None:
    """Print an operand, in parentheses where it does not bind tighter than `above`."""
    bare = prefix or isinstance(operand, Number) or operand.operator.precedence > above
    if not bare:
        out.append("(")
    _print(operand, signs, prefix, out)
    if not bare:
        out.append(")")
