"""Working expressions out, step by step: the one evaluator.

Owns `steps`, which works on numbers and on columns alike, and what is said of a step. What an
operator does and what is legal is its record's; this room owns the order of the work.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

from crisps24.notation.styles import style_named
from crisps24.notation.trees import (
    Expression,
    Nothing,
    Number,
    Operation,
    Parts,
    chain_of,
    parts_of,
)
from crisps24.rules.exact import Exact, simplest
from crisps24.rules.games import Game
from crisps24.rules.operators import Legal, Operator, Value, operator_named
from crisps24.rules.words import format_value


class Step(NamedTuple):
    """One operation as it is worked out: what met what, what came out, whether it is legal."""

    operation: Operation
    left: Value
    right: Value
    result: Value
    legal: Legal


class Objection(NamedTuple):
    """What is wrong with an expression by the rules of a game: which part of it, and why."""

    part: Expression
    reason: str
    code: str
    """What a program tells it by; see `StepRule.code`."""


def steps(expression: Expression, game: Game, leaf: Callable[[Number], Value]) -> Iterator[Step]:
    """Work an expression out under a game, one operation after the other.

    `leaf` gives the value of a number: an int or a Fraction (exact where the game has
    fractions), or a numpy column, for a whole block of rows at once. The order is that of
    precedence: what `+` and `-` join is worked out first, `x` and `:` and what is in parentheses
    alike, from left to right, and then they themselves. Joined digits come as steps too, since
    they can be illegal; in a working they are none. After an illegal step the values mean
    nothing.

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
    for operand in (first, *(link.right for link in links)):
        # Most operands are numbers, which need no walk of their own.
        if isinstance(operand, Number):
            operands.append(leaf(operand))
        else:
            yield from _steps(operand, game, leaf, operands)
    value = operands[0]
    for link, right in zip(links, operands[1:], strict=True):
        result, legal = link.operator.operate(value, right, game)
        yield Step(link, value, right, result, legal)
        value = result
    out.append(value)


def exact_value(number: int, game: Game) -> Exact:
    """Return a number as the evaluator wants it: an int, or a Fraction to be divided."""
    return Fraction(number) if game.fractions else number


# The number of a leaf that has its own.
own_number: Callable[[Number], int] = attrgetter("value")


def exact_leaf(
    game: Game, number_of: Callable[[Number], int] = own_number
) -> Callable[[Number], Exact]:
    """Return what gives a number of an expression its value in a game; see `work_out`."""
    return (lambda leaf: Fraction(number_of(leaf))) if game.fractions else number_of


def work_out(
    expression: Expression,
    game: Game,
    number_of: Callable[[Number], int] = own_number,
    dealt: Collection[Exact] = (),
    parts: Parts | None = None,
) -> Exact | Objection:
    """Return the value of an expression, or the first thing in it that a game objects to.

    `number_of` gives the number that a leaf stands for; numbers that are `dealt` may be used
    besides those of the game. `parts` are those of the expression, where they are known.
    """
    numbers, operations = parts or parts_of(expression)
    for leaf in numbers:
        number = number_of(leaf)
        if number not in dealt and number not in game.numbers:
            reason = f"{format_value(number)} is not a number of {game.name}"
            return Objection(leaf, reason, "sign" if number < 0 else "number")
    known, whole = game.row_operators, True
    for operation in operations:
        whole = whole and operation.operator.stays_whole
        if isinstance(operation.left, Nothing) and operation.is_minus and not game.negatives:
            return Objection(operation, below_zero_sentence(game), "sign")
        if operation.operator not in known and not (game.signed and operation.is_minus):
            return Objection(operation, _foreign_sentence(operation.operator, game), "operator")
        if operation.operator.arity == 1 and _depth(operation) > game.nesting:
            reason = f"{game.name} has operators of one number {game.nesting} deep at most"
            return Objection(operation, reason, "operator")
    game = game_with(dealt, game)
    value = exact_value(number_of(expression), game) if isinstance(expression, Number) else 0
    # Where nothing can leave the whole numbers, fractions of them would only take longer.
    value_of = number_of if whole else exact_leaf(game, number_of)
    for step in steps(expression, game, value_of):
        if not step.legal:
            rule = step.operation.operator.broken_rule(step.left, step.right, game)
            return Objection(step.operation, sentence_of(step, game), rule.code if rule else "rule")
        value = step.result
    return simplest(value)


def _depth(operation: Operation) -> int:
    """Return how often operators of one number follow one another; a minus is none of them."""
    depth, part = 0, operation
    while True:
        depth += part.operator.arity == 1 and not part.operator.joins
        [*_, inner] = part.operands
        if not isinstance(inner, Operation) or (inner.operator.arity == 2 and not inner.is_minus):
            return depth
        part = inner


def game_with(dealt: Collection[Exact], game: Game) -> Game:
    """Return a game as it is played with numbers that it may not have itself.

    What is above zero with its own numbers need not be so with others.
    """
    if game.positive and min(dealt, default=1) <= 0:
        return replace(game, numbers=(*game.numbers, 0))
    return game


def below_zero_sentence(game: Game) -> str:
    """Say that a minus before a number is none of a game's."""
    return f"{game.name} has no numbers below zero"


def _foreign_sentence(operator: Operator, game: Game) -> str:
    style = style_named(game.signs)
    known = " ".join(style.sign(operator_named(name)) for name in game.operators)
    return f"{style.sign(operator) or operator.name} is not an operator of {game.name} ({known})"


def sentence_of(step: Step, game: Game) -> str:
    """Say a step in the words of the game: what it makes, or why it is illegal."""
    style, operator = style_named(game.signs), step.operation.operator
    left, right = style.beside(operator, 0, step.left), style.beside(operator, 1, step.right)
    if operator.arity == 1:
        left, right = (left, "") if operator.after else ("", right)
    words = style.operation(operator, left, right)
    if step.legal:
        return f"{words} = {style.value(step.result)}"
    return f"{words} {operator.objection(step.left, step.right, game)}"
