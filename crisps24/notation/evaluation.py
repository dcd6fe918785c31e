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
    is_number,
    parts_of,
    repeated_operation,
    split_chain,
    text_of,
)
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game, game_for_numbers
from crisps24.rules.operators import Legal, StepRule, Value, operator_by_name
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
leaf_value: Callable[[Number], Exact] = attrgetter("value")


def evaluation_steps(
    expression: Expression, game: Game, leaf: Callable[[Number], Value]
) -> Iterator[Step]:
    """Compute an expression, and yield each operation with its result, in the order of work.

    `leaf` returns the value of a `Number`: an int, a Fraction or a numpy column. After an illegal
    operation, the values mean nothing.
    """
    leaves, order = _flatten(expression)
    values = [leaf(number) for number in leaves]
    for fields_of_step in _run_steps(_plan_steps(order, game), values, game):
        yield Step(*fields_of_step)


# An operation, and the indices of its operands among the values.
_OrderedOperation = tuple[Operation, int, int]


class _PlannedStep(NamedTuple):
    """An operation with everything that is known before the numbers are."""

    operation: Operation
    left: int
    """Index of the left operand among the values; the result replaces it."""
    right: int
    rules: Sequence[StepRule]
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
    """Prepare the evaluation of all texts of one form, such as `4 + 3` and `8 + 1`, in a game."""
    leaves, order = _flatten(expression)
    has_violation = _static_violation(expression, game) is not None
    return EvaluationPlan(game, leaves, _plan_steps(order, game), has_violation)


def _flatten(expression: Expression) -> tuple[list[Number], list[_OrderedOperation]]:
    leaves: list[Number] = []
    order: list[_OrderedOperation] = []
    _flatten_part(expression, leaves, order)
    return leaves, order


def _flatten_part(part: Expression, leaves: list[Number], order: list[_OrderedOperation]) -> int:
    """Append the numbers of a part, and its operations in the order of work, to two lists.

    An operand that is an operation has the index of its first number, where its result will be
    stored. `4 + 3 x 8` appends 4, 3, 8 and (`3 x 8`, 1, 2), (`4 + 3 x 8`, 0, 1); it returns 0.
    """
    if isinstance(part, Number):
        leaves.append(part)
        return len(leaves) - 1
    first_operand, chain = split_chain(part)
    first_index = _flatten_part(first_operand, leaves, order)
    chain_order: list[_OrderedOperation] = []
    for operation in chain:
        # This appends the operations within the right operand: they are computed earlier.
        right_index = _flatten_part(operation.right, leaves, order)
        chain_order += [(operation, first_index, right_index)]
    order += chain_order
    return first_index


def _plan_steps(order: Iterable[_OrderedOperation], game: Game) -> list[_PlannedStep]:
    steps = []
    for operation, left, right in order:
        rules = operation.operator.active_rules(game)
        needs_fractions = game.fractions and not operation.operator.stays_whole
        steps.append(_PlannedStep(operation, left, right, rules, needs_fractions))
    return steps


def _run_steps(
    steps: Iterable[_PlannedStep], values: list[Value], game: Game
) -> Iterator[tuple[Operation, Value, Value, Value, Legal]]:
    """Compute the steps in order; each result replaces its left operand in `values`."""
    for operation, left_index, right_index, rules, needs_fractions in steps:
        left, right = values[left_index], values[right_index]
        if needs_fractions:
            # Only here: arithmetic on ints is faster than on Fractions.
            left = Fraction(left) if type(left) is int else left
            right = Fraction(right) if type(right) is int else right
        result, legal = operation.operator.operate(left, right, game, rules)
        yield operation, left, right, result, legal
        values[left_index] = result


def exact_value(number: Exact, game: Game) -> Exact:
    """Return a number as a Fraction if the game has fractions, else as an int."""
    return Fraction(number) if game.fractions else number


def leaf_evaluator(
    game: Game, number_of: Callable[[Number], Exact] = leaf_value
) -> Callable[[Number], Exact]:
    """Return a function from a `Number` to its value: a Fraction if the game has them."""
    return (lambda leaf: Fraction(number_of(leaf))) if game.fractions else number_of


def evaluate_tree(
    expression: Expression,
    game: Game,
    number_of: Callable[[Number], Exact] = leaf_value,
    dealt: Collection[Exact] = (),
    plan: EvaluationPlan | None = None,
    style: str | None = None,
) -> Exact | Violation:
    """Return the value of an expression, or a `Violation`: the first rule of a game that it breaks.

    Numbers, which can also be `dealt`, are checked first, then operators, then the steps in the
    order of work. A plan of another game is ignored.
    """
    if plan is None or (plan.game is not game and plan.game != game):
        plan = plan_evaluation(expression, game)
    values: list[Value] = [number_of(leaf) for leaf in plan.leaves]
    for leaf, number in zip(plan.leaves, values, strict=True):
        is_allowed = number in dealt or number in game.numbers or isinstance(leaf, NoOperand)
        if not is_allowed:
            known_numbers = format_numbers(sorted(set(game.numbers)))
            reason = message("formula.no_number", number=number, known=known_numbers)
            return Violation(leaf, reason, "sign" if number < 0 else "number")
    if plan.has_violation and (violation := _static_violation(expression, game, style)):
        return violation
    # If 0 or a negative number is dealt, results can break rules that the game need not check.
    steps, checked_game = plan.steps, game_for_numbers(dealt, game)
    if checked_game is not game:
        order = ((step.operation, step.left, step.right) for step in steps)
        steps = _plan_steps(order, checked_game)
    for operation, left, right, result, legal in _run_steps(steps, values, checked_game):
        if not legal:
            rule = operation.operator.broken_rule(left, right, checked_game)
            step = Step(operation, left, right, result, legal)
            reason = violation_message(step, checked_game, number_of, style)
            return Violation(operation, reason, rule.code if rule else "rule")
    return int_if_whole(values[0])


def _static_violation(
    expression: Expression, game: Game, style: str | None = None
) -> Violation | None:
    """Return the first operation that a game forbids for all numbers; None if there is none."""
    known_operators, repeated = game.row_operators, repetition(expression, game, style)
    for operation in parts_of(expression).operations:
        is_minus = operation.is_unary_minus
        if is_minus and not game.negatives:
            return Violation(operation, message("formula.no_negatives"), "sign")
        if operation.operator not in known_operators and not (game.signed and is_minus):
            sign = style_by_name(style or game.style).sign
            known_signs = " ".join(sign(operator_by_name(name)) for name in game.operators)
            own_sign = sign(operation.operator) or operation.operator.name
            reason = message("formula.no_operator", sign=own_sign, known=known_signs)
            return Violation(operation, reason, "operator")
        if repeated and operation is repeated.part:
            return repeated
        if operation.operator.arity == 1 and _unary_depth(operation) > game.nesting:
            reason = message("formula.nested_operators", most=game.nesting)
            return Violation(operation, reason, "operator")
    if game.nontrivial and is_number(expression):
        return Violation(expression, message("formula.trivial"), "operator")
    return None


def repetition(expression: Expression, game: Game, style: str | None = None) -> Violation | None:
    """Return the first operation with an operator that a game allows once and came before."""
    operation = repeated_operation(expression) if game.once else None
    if operation is None:
        return None
    sign = style_by_name(style or game.style).sign(operation.operator)
    return Violation(operation, message("formula.operator_twice", sign=sign), "operator")


def _unary_depth(operation: Operation) -> int:
    """Count the operators with one operand that follow each other inwards: 2 for √(√16).

    A unary minus, and the dot of a decimal such as .5, are passed but not counted.
    """
    depth, current = 0, operation
    while True:
        depth += current.operator.arity == 1 and not current.operator.joins
        [*_, inner] = current.operands
        if not isinstance(inner, Operation):
            return depth
        if inner.operator.arity == 2 and not inner.is_unary_minus:
            return depth
        current = inner


def describe_step(
    step: Step,
    game: Game,
    number_of: Callable[[Number], Exact] = leaf_value,
    style: str | None = None,
    language: Language = ENGLISH,
) -> str:
    """Return the text of a step with its result, or the reason why the step is illegal."""
    if not step.legal:
        return violation_message(step, game, number_of, style).text(language)
    step_style = style_by_name(style or game.style)
    return f"{_format_step(step, step_style, number_of)} = {step_style.format_value(step.result)}"


def violation_message(
    step: Step,
    game: Game,
    number_of: Callable[[Number], Exact] = leaf_value,
    style: str | None = None,
) -> Message:
    """Return the message about the rule that an illegal step breaks; empty for a legal step."""
    text = _format_step(step, style_by_name(style or game.style), number_of)
    return step.operation.operator.step_problem(step.left, step.right, game, text)


def _format_step(step: Step, style: Style, number_of: Callable[[Number], Exact]) -> str:
    operator = step.operation.operator
    left, right = (_format_operand(step, side, style, number_of) for side in (0, 1))
    if operator.arity == 1:
        left, right = (left, "") if operator.postfix else ("", right)
    return style.format_operation(operator, left, right)


def _format_operand(
    step: Step, side: int, style: Style, number_of: Callable[[Number], Exact]
) -> str:
    """Return the text of the left (0) or right (1) operand; a decimal is shown as written."""
    operation = step.operation
    part, value = ((operation.left, step.left), (operation.right, step.right))[side]
    if isinstance(part, Operation) and part.operator.joins and part.operator.arity == 1:
        return text_of(part, style.name, lambda leaf: str(number_of(leaf)))
    return style.format_side(operation.operator, side, value)
