"""Hints: the likeliest route to a solution, the steps of its formula in an easy order.

The steps of a route are the operations of the formula, with the same operators; parentheses stay.
Only the terms of a chain can be combined in another order. For 13 + 8 + 6 - 3 the route is
6 - 3 = 3, 8 + 3 = 11, 13 + 11 = 24, since small differences are easiest. Dynamic programming over
all subsets of the terms finds the cheapest order by the costs of `hands.costs`. Two limits keep the
route close to the formula:

- No step uses a 0 or 1 that another order creates and that leaves a value unchanged: 8 x 3 + 4 - 4
  has no step 24 + 0. A chain that adds and subtracts equal terms, like this one, keeps its order.
- Other chains keep their order, too, unless another order saves half a bit, the cost of a carry.

Of steps that do not depend on each other, the easiest comes first.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple

from crisps24.hands.costs import neutral_element, step_bits
from crisps24.notation.evaluation import (
    Step,
    describe_step,
    evaluation_steps,
    exact_value,
    leaf_evaluator,
)
from crisps24.notation.trees import Expression, Number, Operation, numbers_of, parts_of, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, game_for_numbers
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.partitions import partitions
from crisps24.rules.ratios import make_column
from crisps24.solving.forms import is_neutral_step

# Largest number of partitions of the terms of a chain into two groups, over all groups; no hand
# that a game deals has more.
_MAX_PARTITIONS = 10_000
# Decimals to which bits are rounded, so that rounding errors do not decide between equal costs.
_BITS_DECIMALS = 9
# Bits that another order has to save to replace the order of the formula.
_MIN_SAVED_BITS = 0.5


def hints(
    expression: Expression, game: Game, *, in_order: bool = False, style: str | None = None
) -> list[str]:
    """Return the steps by which a person would likely compute a solution, as texts.

    If the expression is a single number, the only text is that number.

    Args:
        expression: A legal expression.
        game: The game.
        in_order: Whether the numbers keep their order.
        style: The style of numbers and operators (default: that of the game).

    Raises:
        RefusedError: If the style is unknown.

    >>> from crisps24 import GAMES, parse
    >>> hints(parse("13 + 8 + 6 - 3", "cards"), GAMES["cards"])
    ['6 - 3 = 3', '8 + 3 = 11', '13 + 11 = 24']
    >>> hints(parse("75", "countdown"), GAMES["countdown"])
    ['75']
    """
    route = likeliest_route(expression, game, in_order=in_order)
    texts = [describe_step(step, game, style=style) for step in route]
    return texts or [text_of(expression, style or game.style)]


def likeliest_route(expression: Expression, game: Game, *, in_order: bool = False) -> list[Step]:
    """Return the steps by which a person would likely compute a solution, in order.

    Chains of terms are combined in the easiest order: 13 + 8 + 6 - 3 starts with 6 - 3 = 3. If
    every order has negative results, the steps are those of the expression as it is written. A
    number, dealt or joined from digits, has no steps.

    Of the steps that are possible next, the easiest comes first, and a neutral step, such as x 1,
    comes last. In (5 - 3) x (13 - 2), the step 13 - 2 comes before 5 - 3 = 2: readers would take
    the 2 of 13 - 2 for that result.

    Args:
        expression: A legal expression.
        game: The game.
        in_order: Whether the numbers keep their order.
    """
    game = game_for_numbers([number.value for number in numbers_of(expression)], game)
    working = _working_of(expression, game, in_order, last=True)
    tree = expression if working is None else working.tree
    steps = list(evaluation_steps(tree, game, leaf_evaluator(game)))
    # Digits are joined before the first step.
    done = {id(step.operation) for step in steps if step.operation.operator.joins}
    remaining = [step for step in steps if id(step.operation) not in done]
    ordered: list[Step] = []
    while remaining:
        possible = [step for step in remaining if _is_possible(step.operation, done)]
        last = len(remaining) == 1
        easiest = min(
            possible, key=lambda step: (_is_ambiguous(step, remaining), *_effort(step, game, last))
        )
        done.add(id(easiest.operation))
        remaining = [step for step in remaining if step is not easiest]
        ordered.append(easiest)
    return ordered


def step_cost(step: Step, game: Game, *, last: bool) -> float:
    """Return the cost of a step in bits: how unlikely a person is to try it.

    The cost of a step with a negative result is infinite. `last` is whether the step ends a route,
    which changes its cost. Results are cached.
    """
    if step.result < 0:
        return inf
    values = step.left, step.right, step.result
    return _cached_cost(step.operation.operator, *values, game.fractions, last)


@lru_cache(maxsize=4096)
def _cached_cost(
    operator: Operator, left: Exact, right: Exact, result: Exact, fractions: bool, last: bool
) -> float:
    """Return the cost of the step `left operator right = result` in bits.

    The cost says how unlikely a person is to try the step: with one more bit, half as many try it.
    A division costs 1 bit more than a multiplication.

    Args:
        operator: The operator of the step.
        left: The left operand.
        right: The right operand.
        result: The result, which is not below zero.
        fractions: Whether the game allows fractions.
        last: Whether the step is the last of a solution, which changes its cost.
    """
    left_column, right_column, result_column = (
        make_column([value], fractions, object) for value in (left, right, result)
    )
    return float(step_bits(operator, left_column, right_column, result_column, last)[0])


def _is_possible(operation: Operation, done: set[int]) -> bool:
    """Return whether an operation can be computed now: each operand is a number or is computed.

    `done` has the ids of the operations that are computed.
    """
    operands = (operation.left, operation.right)
    return all(isinstance(operand, Number) or id(operand) in done for operand in operands)


def _is_ambiguous(step: Step, remaining: Sequence[Step]) -> bool:
    """Return whether readers could take a number of the hand for the result of a step.

    In (5 - 3) x (13 - 2), the step 5 - 3 = 2 is ambiguous, since the other step 13 - 2 uses a 2.
    Only remaining steps count, and only steps that do not use the result itself. `remaining` has
    all steps that are not done, including this one.
    """

    def uses_result(operation: Operation) -> bool:
        return any(part is step.operation for part in parts_of(operation).operations)

    for remaining_step in remaining:
        operation = remaining_step.operation
        operands = (operation.left, remaining_step.left), (operation.right, remaining_step.right)
        for operand, value in operands:
            is_number = isinstance(operand, Number) or operand.operator.joins
            if value == step.result and is_number and not uses_result(operation):
                return True
    return False


def _effort(step: Step, game: Game, last: bool) -> tuple[bool, float]:
    """Return a key that is smaller for easier steps: (whether the step is neutral, its cost).

    A step is neutral if it changes nothing, such as 24 x 1. The cost is in bits. `last` says
    whether the step ends the solution, which changes its cost.
    """
    is_neutral = is_neutral_step(step.operation.operator, step.left, step.right)
    return is_neutral, step_cost(step, game, last=last)


class _Working(NamedTuple):
    """A way to compute a part of a formula: the cost of all steps, the value, and the tree."""

    bits: float
    value: Exact
    tree: Expression


def _working_of(
    part: Expression, game: Game, in_order: bool, *, last: bool = False
) -> _Working | None:
    """Return the likeliest way to compute a part of a formula, or None if no way is legal.

    For 13 + 8 + 6 - 3 this is 6 - 3 = 3, 8 + 3 = 11, 13 + 11 = 24. The result is a working: the
    cost of its steps in bits, the value 24, and the expression 13 + (8 + (6 - 3)).

    If every order of steps has a negative result, and the game allows negative results, the steps
    are those of the formula from left to right, and their cost is infinite.

    Args:
        part: A formula, or a part of one.
        game: The game.
        in_order: Whether the numbers keep their order.
        last: Whether the part is the whole formula, so that its last step ends the solution.
    """
    if isinstance(part, Number):
        return _Working(0, exact_value(part.value, game), part)
    if part.operator.joins:
        *_, joined = evaluation_steps(part, game, leaf_evaluator(game))
        return _Working(0, joined.result, part)
    return _Chain(part, game, in_order).working(last=last)


class _Chain:
    """The terms of a chain, such as 13 + 8 + 6 - 3, and the likeliest workings of its groups.

    A group is a tuple of positions of terms. A term that is subtracted or divided by can only be
    the right operand of its operator. So every other group has a term that is added.
    """

    def __init__(self, root: Operation, game: Game, in_order: bool) -> None:
        self._game = game
        self._in_order = in_order
        self._main_operator, self._operations = _chain_operations(root)
        self._terms = [
            self._operations[0].left,
            *(operation.right for operation in self._operations),
        ]
        # The operators of the terms that are subtracted or divided by.
        self._inverse_operators: dict[tuple[int, ...], Operator] = {
            (position,): operation.operator
            for position, operation in enumerate(self._operations, start=1)
            if operation.operator is not self._main_operator
        }
        self._cache: dict[tuple[int, ...], _Working | None] = {}

    def working(self, *, last: bool) -> _Working | None:
        """Return the likeliest way to compute the chain, or None if no way is legal.

        For 13 + 8 + 6 - 3 this is 6 - 3 = 3, 8 + 3 = 11, 13 + 11 = 24. The cost of a way is in
        bits: with one more bit, half as many people try it. The order of the formula is kept if
        another order saves less than half a bit, if terms cancel, as in 8 x 3 + 4 - 4, or if the
        chain is too long to search. `last` says whether the chain is the whole formula.
        """
        workings = [_working_of(term, self._game, self._in_order) for term in self._terms]
        self._cache = {(position,): working for position, working in enumerate(workings)}
        written_working = self._written(last)
        if self._cancels() or self._is_long():
            return written_working
        all_terms = tuple(range(len(self._terms)))
        likeliest_working = self._likeliest(all_terms, last=last)
        if written_working is None or likeliest_working is None:
            return written_working or likeliest_working
        # If both have negative results, this is NaN, and the comparison below is false.
        saved_bits = round(written_working.bits - likeliest_working.bits, _BITS_DECIMALS)
        return likeliest_working if saved_bits >= _MIN_SAVED_BITS else written_working

    def _cancels(self) -> bool:
        """Return whether two terms of equal value cancel: + 4 and - 4, or x 4 and : 4."""
        added_values: set[Exact] = set()
        subtracted_values: set[Exact] = set()
        for group, working in self._cache.items():
            if working:
                values = subtracted_values if group in self._inverse_operators else added_values
                values.add(working.value)
        return not added_values.isdisjoint(subtracted_values)

    def _is_long(self) -> bool:
        """Return whether the chain has over 10,000 partitions, too many to search.

        They are counted as n^3 for n terms in order, else 3^n.
        """
        count = len(self._terms)
        return (count**3 if self._in_order else 3**count) > _MAX_PARTITIONS

    def _written(self, last: bool) -> _Working | None:
        """Return the way to compute the chain in the order of the formula, from left to right.

        It is a working: the cost of its steps in bits, the value, and the expression. If a step has
        a negative result, the cost is infinite. Return None if a term cannot be computed, or if a
        step is illegal. `last` says whether the chain is the whole formula.
        """
        working = self._cache[(0,)]
        for position, operation in enumerate(self._operations, start=1):
            term = self._cache[(position,)]
            if working is None or term is None:
                return None
            is_last = last and position == len(self._operations)
            working = self._join(operation.operator, working, term, is_last)
        return working

    def _likeliest(self, group: tuple[int, ...], *, last: bool = False) -> _Working | None:
        """Return the likeliest way to compute a group of terms, or None if no way is legal.

        A group is a tuple of positions: in 13 + 8 + 6 - 3, the group (1, 2, 3) is 8 + 6 - 3, and it
        is computed as 8 + (6 - 3). Results are cached. The search takes time up to 3^n for n terms.
        `last` says whether the group is the whole formula.
        """
        if group not in self._cache:
            workings = self._workings_of_partitions(group, last)
            self._cache[group] = min(
                workings, key=lambda working: round(working.bits, _BITS_DECIMALS), default=None
            )
        return self._cache[group]

    def _workings_of_partitions(self, group: tuple[int, ...], last: bool) -> Iterator[_Working]:
        """Yield the likeliest way to compute a group of terms for each split into two parts.

        A group is a tuple of positions of terms. In 13 + 8 + 6 - 3, the group (1, 2, 3) is
        8 + 6 - 3. It is computed as (8 + 6) - 3, as 6 + (8 - 3) and as 8 + (6 - 3). A split is left
        out if its last step is illegal or has a negative result, if the game cannot write the step,
        or if one part makes 0 for + or 1 for x, such as 4 - 4. `last` says whether the group is the
        whole formula.
        """
        for left_group, right_group in partitions(group, self._in_order):
            operator = self._inverse_operators.get(right_group) or self._main_operator
            # A term that is subtracted or divided by cannot be the left part.
            if operator is None or left_group in self._inverse_operators:
                continue
            # Without order, each two parts that are added come twice. Use the split with the larger
            # part on the left, since without parentheses the right one is a single term. Of two
            # terms, the first one of the formula is on the left.
            is_swapped = (len(left_group), right_group) < (len(right_group), left_group)
            if operator is self._main_operator and is_swapped and not self._in_order:
                continue
            left, right = self._likeliest(left_group), self._likeliest(right_group)
            if left is None or right is None or not self._can_write(operator, left, right):
                continue
            # A number of the formula can be neutral, but not a result that this order creates, such
            # as the 0 of 4 - 4.
            created_results = []
            if len(left_group) > 1:
                created_results.append(left.value)
            if len(right_group) > 1:
                created_results.append(right.value)
            if neutral_element(operator) in created_results:
                continue
            # People write the larger operand first.
            if operator.commutes and not self._in_order and left.value < right.value:
                left, right = right, left
            working = self._join(operator, left, right, last)
            if working and working.value >= 0:
                yield working

    def _join(
        self, operator: Operator, left: _Working, right: _Working, last: bool
    ) -> _Working | None:
        """Combine two workings by a last step; return None if the step is illegal.

        A working is a cost in bits, a value and an expression. The operator + joins the workings of
        8 and of 6 - 3 to that of 8 + (6 - 3): the value is 11, and the bits are those of both,
        added to those of the step 8 + 3. The bits are infinite if the result is negative. `last`
        says whether the step ends the solution.
        """
        result, legal = operator.operate(left.value, right.value, self._game)
        if not legal:
            return None
        tree = Operation(operator, left.tree, right.tree, style=self._game.style)
        bits = step_cost(Step(tree, left.value, right.value, result, legal), self._game, last=last)
        return _Working(left.bits + right.bits + bits, result, tree)

    def _can_write(self, operator: Operator, left: _Working, right: _Working) -> bool:
        """Return whether the game can write a step with this operator and these operands.

        The game must have the operator. If the step needs parentheses, such as 8 x (6 - 3), the
        game must have parentheses, too.
        """
        if operator not in self._game.row_operators:
            return False
        left_precedence, right_precedence = (
            inf if isinstance(side.tree, Number) else side.tree.operator.precedence
            for side in (left, right)
        )
        precedence = operator.precedence
        needs_parentheses = left_precedence < precedence or right_precedence <= precedence
        return self._game.parentheses or not needs_parentheses


def _chain_operations(root: Operation) -> tuple[Operator | None, list[Operation]]:
    """Return the operator of the chain that ends in `root`, and its operations from left to right.

    A chain is a run of + and -, or of x and :, without parentheses; its operator is + or x. The
    chain 24 - (4 - 4) + 6 - 5 has the operations - (4 - 4), + 6 and - 5. An operator without an
    inverse, such as a power, is a chain of its own, and None is returned as its operator.

    >>> from crisps24 import parse
    >>> operator, operations = _chain_operations(parse("24 - (4 - 4) + 6 - 5", "cards"))
    >>> operator.name, [(step.operator.name, str(step.right)) for step in operations]
    ('+', [('-', '4 - 4'), ('+', '6'), ('-', '5')])
    """
    operator = root.operator
    if not operator.inverse:
        return None, [root]
    inverse = OPERATORS[operator.inverse]
    # Walk down the left operands, from the last operation to the first.
    operations: list[Operation] = []
    part: Expression = root
    while isinstance(part, Operation) and part.operator in (operator, inverse):
        operations.append(part)
        part = part.left
    return operator if operator.commutes else inverse, operations[::-1]
