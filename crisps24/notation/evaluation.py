"""The evaluator: evaluate expressions step by step, on numbers or on columns of numbers.

An expression is flattened once into its leaves and its operations in the order of work; each
operation refers to its operands by index. `4 + 3 x 8 - 4` has the leaves 4, 3, 8, 4 and the steps
`3 x 8`, then `4 + 24`, then `28 - 4`: the operands of `+` and `-` come before `+` and `-`
themselves, otherwise the order is from left to right. A result replaces the value of the first leaf
of its operation. The same steps work on ints, on Fractions and on numpy columns with one row per
formula. The cost is linear in the number of operations.
"""

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
    """One evaluated operation: its operands, its result, and whether it is legal."""

    operation: Operation
    left: Value
    right: Value
    result: Value
    legal: Legal


class Violation(NamedTuple):
    """A part of an expression that breaks a rule of a game, with the reason."""

    part: Expression
    message: Message
    code: str
    """The problem as one word for programs; see `StepRule.code`."""


# The default function from a leaf to its number: the value in the tree.
leaf_value: Callable[[Number], int] = attrgetter("value")


def evaluation_steps(
    expression: Expression, game: Game, leaf: Callable[[Number], Value]
) -> Iterator[Step]:
    """Yield the steps of an expression under the rules of a game, in the order of work.

    Joined digits and a unary minus are steps too, since they can be illegal. The iterator does not
    stop at an illegal step, but the values from that step on are meaningless.

    >>> from crisps24 import GAMES, parse
    >>> tree = parse("4 + 3 x 8 - 4")
    >>> [step.result for step in evaluation_steps(tree, GAMES["crisps"], leaf_value)]
    [24, 28, 24]

    Args:
        expression: the tree to evaluate.
        game: its rules decide which steps are legal.
        leaf: the value of a number: an int or a Fraction (see `leaf_evaluator`), or a numpy
            column with one row per formula.
    """
    leaves, order = _flatten(expression)
    values = [leaf(number) for number in leaves]
    yield from map(Step._make, _run(_plan_steps(order, game), values, game))


# An operation, and the indices of its operands among the values.
_OrderedOperation = tuple[Operation, int, int]


class _PlannedStep(NamedTuple):
    """An operation with everything that is known before the numbers are."""

    operation: Operation
    left: int
    """Index of the left operand among the values; the result replaces it."""
    right: int
    rules: CheckedRules
    """The rules of the game that the step can break."""
    needs_fractions: bool
    """Whether the result of whole operands can be a fraction."""


class EvaluationPlan(NamedTuple):
    """The prepared evaluation of an expression in a game, for any numbers."""

    game: Game
    leaves: Sequence[Number]
    """The numbers from left to right, with each `NoOperand`."""
    steps: Sequence[_PlannedStep]
    has_violation: bool
    """Whether the expression breaks a rule of the game for any numbers."""


def plan_evaluation(expression: Expression, game: Game) -> EvaluationPlan:
    """Return the plan of an expression, which makes `evaluate_tree` faster if used repeatedly."""
    leaves, order = _flatten(expression)
    has_violation = _static_violation(expression, game) is not None
    return EvaluationPlan(game, leaves, _plan_steps(order, game), has_violation)


def _flatten(expression: Expression) -> tuple[list[Number], list[_OrderedOperation]]:
    """Return the leaves of an expression, and its operations in the order of work."""
    leaves: list[Number] = []
    order: list[_OrderedOperation] = []
    _flatten_part(expression, leaves, order)
    return leaves, order


def _flatten_part(part: Expression, leaves: list[Number], order: list[_OrderedOperation]) -> int:
    """Append the leaves and operations of a part to both lists; return its first leaf's index."""
    if isinstance(part, Number):
        leaves.append(part)
        return len(leaves) - 1
    first, links = split_chain(part)
    start = _flatten_part(first, leaves, order)
    chain: list[_OrderedOperation] = []
    for link in links:
        right = _flatten_part(link.right, leaves, order)
        chain += [(link, start, right)]
    order += chain
    return start


def _plan_steps(order: Iterable[_OrderedOperation], game: Game) -> list[_PlannedStep]:
    """Return operations in the same order, each with its rules in a game."""
    return [
        _PlannedStep(
            *(operation, left, right, operation.operator.active_rules(game)),
            game.fractions and not operation.operator.stays_whole,
        )
        for operation, left, right in order
    ]


def _run(
    steps: Iterable[_PlannedStep], values: list[Value], game: Game
) -> Iterator[tuple[Operation, Value, Value, Value, Legal]]:
    """Yield the fields of each `Step`, and replace operands in `values` by results.

    After the last step, `values[0]` is the value of the expression. The iterator does not stop at
    an illegal step, but the values from that step on are meaningless.
    """
    for operation, first, second, rules, needs_fractions in steps:
        left, right = values[first], values[second]
        if needs_fractions:
            # Only here: arithmetic on ints is faster than on Fractions.
            left = Fraction(left) if type(left) is int else left
            right = Fraction(right) if type(right) is int else right
        result, legal = operation.operator.operate(left, right, game, rules)
        yield operation, left, right, result, legal
        values[first] = result


def exact_value(number: int, game: Game) -> Exact:
    """Return a number as a Fraction if the game has fractions, else as an int."""
    return Fraction(number) if game.fractions else number


def leaf_evaluator(
    game: Game, number_of: Callable[[Number], int] = leaf_value
) -> Callable[[Number], Exact]:
    """Return a function from a number of an expression to its `exact_value` in a game."""
    return (lambda leaf: Fraction(number_of(leaf))) if game.fractions else number_of


def evaluate_tree(
    expression: Expression,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    dealt: Collection[Exact] = (),
    plan: EvaluationPlan | None = None,
    style: str | None = None,
) -> Exact | Violation:
    """Return the value of an expression, or the first rule of a game that it breaks.

    The value is an int if it is whole, else a Fraction. Numbers are checked first, then operators,
    then the steps in the order of work. A broken rule is returned as a `Violation`, not raised.

    Args:
        expression: the tree to evaluate.
        game: its numbers, operators and rules are allowed.
        number_of: the number that a leaf stands for.
        dealt: numbers that are allowed besides those of the game.
        plan: the result of `plan_evaluation`; a plan of another game is ignored.
        style: the style of steps in messages; by default that of the game.
    """
    if plan is None or (plan.game is not game and plan.game != game):
        plan = plan_evaluation(expression, game)
    values: list[Value] = [number_of(leaf) for leaf in plan.leaves]
    for leaf, number in zip(plan.leaves, values, strict=True):
        if number not in dealt and number not in game.numbers and not isinstance(leaf, NoOperand):
            known = format_numbers(sorted(set(game.numbers)))
            reason = message("formula.no_number", number=number, known=known)
            return Violation(leaf, reason, "sign" if number < 0 else "number")
    if plan.has_violation and (violation := _static_violation(expression, game, style)):
        return violation
    steps, played = plan.steps, game_for_numbers(dealt, game)
    if played is not game:
        steps = _plan_steps(((step.operation, step.left, step.right) for step in steps), played)
    for step in _run(steps, values, played):
        if not step[-1]:
            operation, left, right, *_ = step
            rule = operation.operator.broken_rule(left, right, played)
            reason = violation_message(Step._make(step), played, number_of, style)
            return Violation(operation, reason, rule.code if rule else "rule")
    return int_if_whole(values[0])


def _static_violation(
    expression: Expression, game: Game, style: str | None = None
) -> Violation | None:
    """Return the first operation that is forbidden in a game for any operands; None without one.

    `style` is that of operators in messages; by default that of the game.
    """
    known = game.row_operators
    for operation in parts_of(expression).operations:
        is_minus = operation.is_unary_minus
        if is_minus and not game.negatives:
            return Violation(operation, message("formula.no_negatives"), "sign")
        if operation.operator not in known and not (game.signed and is_minus):
            sign = style_by_name(style or game.style).sign
            known_signs = " ".join(sign(operator_by_name(name)) for name in game.operators)
            own_sign = sign(operation.operator) or operation.operator.name
            reason = message("formula.no_operator", sign=own_sign, known=known_signs)
            return Violation(operation, reason, "operator")
        if operation.operator.arity == 1 and _depth(operation) > game.nesting:
            reason = message("formula.nested_operators", most=game.nesting)
            return Violation(operation, reason, "operator")
    return None


def _depth(operation: Operation) -> int:
    """Return how many operators with one operand are nested, from this operation inwards.

    A unary minus, and operators that join digits, are not counted.
    """
    depth, part = 0, operation
    while True:
        depth += part.operator.arity == 1 and not part.operator.joins
        [*_, inner] = part.operands
        if not isinstance(inner, Operation):
            return depth
        if inner.operator.arity == 2 and not inner.is_unary_minus:
            return depth
        part = inner


def describe_step(
    step: Step,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    style: str | None = None,
    language: Language = ENGLISH,
) -> str:
    """Return a step with its result (`3 x 8 = 24`), or why it is illegal, in a language.

    The other arguments are those of `violation_message`.
    """
    if not step.legal:
        return violation_message(step, game, number_of, style).text(language)
    known = style_by_name(style or game.style)
    return f"{_format_step(step, known, number_of)} = {known.format_value(step.result)}"


def violation_message(
    step: Step,
    game: Game,
    number_of: Callable[[Number], int] = leaf_value,
    style: str | None = None,
) -> Message:
    """Return the message about the rule that an illegal step breaks; empty for a legal step.

    Args:
        step: a step on exact values, not on columns.
        game: the game whose rule it breaks.
        number_of: the number that a leaf stands for; decimals are shown as written, such as `.5`.
        style: the style of the step in the message; by default that of the game.
    """
    text = _format_step(step, style_by_name(style or game.style), number_of)
    return step.operation.operator.step_problem(step.left, step.right, game, text)


def _format_step(step: Step, style: Style, number_of: Callable[[Number], int]) -> str:
    """Return the operation of a step on its values, without the result: `3 x 8`."""
    operator = step.operation.operator
    left, right = (_format_operand(step, side, style, number_of) for side in (0, 1))
    if operator.arity == 1:
        left, right = (left, "") if operator.postfix else ("", right)
    return style.format_operation(operator, left, right)


def _format_operand(step: Step, side: int, style: Style, number_of: Callable[[Number], int]) -> str:
    """Return the value of an operand (0: left, 1: right); a decimal as written."""
    operation = step.operation
    part, value = ((operation.left, step.left), (operation.right, step.right))[side]
    if isinstance(part, Operation) and part.operator.joins and part.operator.arity == 1:
        return text_of(part, style.name, lambda leaf: str(number_of(leaf)))
    return style.format_side(operation.operator, side, value)
