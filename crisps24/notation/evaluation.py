"""The evaluator: compute expressions step by step, on numbers or on columns of numbers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

from crisps24.messages.message import ENGLISH, Language, Message, message
from crisps24.notation.styles import Style, style_by_name
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    parts_of,
    split_chain,
    text_of,
)
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game, game_for_numbers
from crisps24.rules.operators import CheckedRules, Legal, Value, operator_by_name
from crisps24.rules.words import format_numbers


class Step(NamedTuple):
    """One operation as it is worked out: what met what, what came out, whether it is legal."""

    operation: Operation
    left: Value
    right: Value
    result: Value
    legal: Legal


class Violation(NamedTuple):
    """What is wrong with an expression by the rules of a game: which part of it, and why."""

    part: Expression
    message: Message
    code: str
    """The problem as one word for programs; see `StepRule.code`."""


def evaluation_steps(
    expression: Expression, game: Game, leaf: Callable[[Number], Value]
) -> Iterator[Step]:
    """Work an expression out under a game, one operation after the other.

    `leaf` gives the value of a number: an int or a Fraction (exact where the game has
    fractions), or a numpy column, for a whole block of rows at once. The order is that of
    precedence: what `+` and `-` join is worked out first, `x` and `:` and what is in parentheses
    alike, from left to right, and then they themselves. Joined digits come as steps too, since
    they can be illegal; in a working they are none. After an illegal step the values mean
    nothing.

    >>> from crisps24 import GAMES, parse
    >>> tree = parse("4 + 3 x 8 - 4")
    >>> game = GAMES["crisps"]
    >>> [step.result for step in evaluation_steps(tree, game, leaf_value)]
    [24, 28, 24]
    """
    leaves, order = _lined_up(expression)
    yield from map(Step._make, _done(_turns(order, game), [leaf(each) for each in leaves], game))


# An operation, and where its operands are among the values.
_Ordered = tuple[Operation, int, int]


class _Turn(NamedTuple):
    """An operation when its turn comes, and what is known of it before any number is."""

    operation: Operation
    left: int
    """Where its operands are then, among the values: what it makes takes the place of the left."""
    right: int
    asked: CheckedRules
    """The rules of the game to look at."""
    divides: bool
    """Whether it may leave the whole numbers, so that its operands have to be fractions."""


class EvaluationPlan(NamedTuple):
    """What is to be done to work an expression out in a game, whatever its numbers are."""

    game: Game
    leaves: Sequence[Number]
    """Its numbers from left to right, and what stands for none."""
    turns: Sequence[_Turn]
    objects: bool
    """Whether the game objects to it, whatever its numbers are."""


def plan_evaluation(expression: Expression, game: Game) -> EvaluationPlan:
    """Return what is to be done to work an expression out in a game."""
    leaves, order = _lined_up(expression)
    return EvaluationPlan(
        game, leaves, _turns(order, game), _objection_to(expression, game) is not None
    )


def _lined_up(expression: Expression) -> tuple[list[Number], list[_Ordered]]:
    """Return the leaves of an expression, and its operations in the order of work."""
    leaves: list[Number] = []
    order: list[_Ordered] = []
    _line_up(expression, leaves, order)
    return leaves, order


def _line_up(part: Expression, leaves: list[Number], order: list[_Ordered]) -> int:
    """Add the leaves and operations of a part; return its place, that of its first leaf."""
    if isinstance(part, Number):
        leaves.append(part)
        return len(leaves) - 1
    first, links = split_chain(part)
    begin = _line_up(first, leaves, order)
    ready: list[_Ordered] = []
    for link in links:
        right = _line_up(link.right, leaves, order)
        ready += [(link, begin, right)]
    order += ready
    return begin


def _turns(order: Iterable[_Ordered], game: Game) -> list[_Turn]:
    return [
        _Turn(
            *(operation, left, right, operation.operator.asked_in(game)),
            game.fractions and not operation.operator.stays_whole,
        )
        for operation, left, right in order
    ]


def _done(
    turns: Iterable[_Turn], values: list[Value], game: Game
) -> Iterator[tuple[Operation, Value, Value, Value, Legal]]:
    """Yield what each step has, see `Step`; the last result is the first of the values then."""
    for operation, first, second, asked, divides in turns:
        left, right = values[first], values[second]
        if divides:
            # Where nothing can leave the whole numbers, fractions of them would only take longer.
            left = Fraction(left) if type(left) is int else left
            right = Fraction(right) if type(right) is int else right
        result, legal = operation.operator.operate(left, right, game, asked)
        yield operation, left, right, result, legal
        values[first] = result


def exact_value(number: int, game: Game) -> Exact:
    """Return a number as the evaluator wants it: an int, or a Fraction to be divided."""
    return Fraction(number) if game.fractions else number


# The number of a leaf that has its own.
leaf_value: Callable[[Number], int] = attrgetter("value")


def leaf_evaluator(
    game: Game, number_of: Callable[[Number], int] = leaf_value
) -> Callable[[Number], Exact]:
    """Return what gives a number of an expression its value in a game; see `evaluate_tree`."""
    return (lambda leaf: Fraction(number_of(leaf))) if game.fractions else number_of


def evaluate_tree(
    expression: Expression,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    dealt: Collection[Exact] = (),
    work: EvaluationPlan | None = None,
    style: str | None = None,
) -> Exact | Violation:
    """Return the value of an expression, or the first thing in it that a game objects to.

    `number_of` gives the number that a leaf stands for; numbers that are `dealt` may be used
    besides those of the game. `work` is the result of `plan_evaluation`, if known.
    Reasons are written in `style`, by default that of the game.
    """
    if work is None or (work.game is not game and work.game != game):
        work = plan_evaluation(expression, game)
    values: list[Value] = [number_of(leaf) for leaf in work.leaves]
    for leaf, number in zip(work.leaves, values, strict=True):
        if number not in dealt and number not in game.numbers and not isinstance(leaf, NoOperand):
            known = format_numbers(sorted(set(game.numbers)))
            reason = message("formula.no_number", number=number, known=known)
            return Violation(leaf, reason, "sign" if number < 0 else "number")
    if work.objects and (objection := _objection_to(expression, game, style)):
        return objection
    turns, played = work.turns, game_for_numbers(dealt, game)
    if played is not game:
        turns = _turns(((each.operation, each.left, each.right) for each in turns), played)
    for step in _done(turns, values, played):
        if not step[-1]:
            operation, left, right, *_ = step
            rule = operation.operator.broken_rule(left, right, played)
            reason = violation_message(Step._make(step), played, number_of, style)
            return Violation(operation, reason, rule.code if rule else "rule")
    return int_if_whole(values[0])


def _objection_to(expression: Expression, game: Game, style: str | None = None) -> Violation | None:
    """Return the first operation that a game objects to, whatever its operands are."""
    known = game.row_operators
    for operation in parts_of(expression).operations:
        if (
            isinstance(operation.left, NoOperand)
            and operation.is_unary_minus
            and not game.negatives
        ):
            return Violation(operation, message("formula.no_negatives"), "sign")
        if operation.operator not in known and not (game.signed and operation.is_unary_minus):
            sign = style_by_name(style or game.style).sign
            known_signs = " ".join(sign(operator_by_name(name)) for name in game.operators)
            named = sign(operation.operator) or operation.operator.name
            reason = message("formula.no_operator", sign=named, known=known_signs)
            return Violation(operation, reason, "operator")
        if operation.operator.arity == 1 and _depth(operation) > game.nesting:
            reason = message("formula.nested_operators", most=game.nesting)
            return Violation(operation, reason, "operator")
    return None


def _depth(operation: Operation) -> int:
    """Return how often operators of one number follow one another; a minus is none of them."""
    depth, part = 0, operation
    while True:
        depth += part.operator.arity == 1 and not part.operator.joins
        [*_, inner] = part.operands
        if not isinstance(inner, Operation) or (
            inner.operator.arity == 2 and not inner.is_unary_minus
        ):
            return depth
        part = inner


def describe_step(
    step: Step,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    style: str | None = None,
    language: Language = ENGLISH,
) -> str:
    """Return a step with its result, or the message about a broken rule."""
    if not step.legal:
        return violation_message(step, game, number_of, style).text(language)
    known = style_by_name(style or game.style)
    return f"{_written(step, known, number_of)} = {known.format_value(step.result)}"


def violation_message(
    step: Step,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    style: str | None = None,
) -> Message:
    """Return the message about an illegal step.

    `number_of` gives the number that a leaf stands for, for decimals, which are shown as written.
    The default `style` is that of the game.
    """
    written = _written(step, style_by_name(style or game.style), number_of)
    return step.operation.operator.objection(step.left, step.right, game, written)


def _written(step: Step, known: Style, number_of: Callable[[Number], int]) -> str:
    operator = step.operation.operator
    left, right = (_beside(step, side, known, number_of) for side in (0, 1))
    if operator.arity == 1:
        left, right = (left, "") if operator.after else ("", right)
    return known.format_operation(operator, left, right)


def _beside(step: Step, side: int, style: Style, number_of: Callable[[Number], int]) -> str:
    """Return an operand of a step as it is told: by its value, but a decimal as it is written."""
    operation = step.operation
    part, value = ((operation.left, step.left), (operation.right, step.right))[side]
    if isinstance(part, Operation) and part.operator.joins and part.operator.arity == 1:
        return text_of(part, style.name, lambda leaf: str(number_of(leaf)))
    return style.format_side(operation.operator, side, value)
