"""Hints: the likeliest route to a solution, the steps of its formula in an easy order.

The steps of a route are the operations of the formula, with the same operators; parentheses stay.
Only the terms of a *chain*, a run of + and - or of x and : without parentheses, can be combined in
another order. For 13 + 8 + 6 - 3 the route is 6 - 3 = 3, 8 + 3 = 11, 13 + 11 = 24, since small
differences are easiest. Dynamic programming over all *groups* of terms, which are tuples of their
positions, finds the cheapest order by the costs of `hands.costs` in bits: with one more bit, half
as many people try a step. The cheapest way to compute a group is its *working*. Two limits keep the
route close to the formula:

- No step uses a 0 or 1 that another order creates and that leaves a value unchanged: 8 x 3 + 4 - 4
  has no step 24 + 0. A chain that adds and subtracts equal terms, like this one, keeps its order.
- Other chains keep their order, too, unless another order saves half a bit, the cost of a carry.

Of steps that do not depend on each other, the easiest comes first, and a neutral step, such as x 1,
last. The *last* step of a solution has other costs. Steps with negative results cost infinitely
much; if every order has some, the steps are those of the formula from left to right.
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


def hints(expression: Expression, game: Game, *, style: str | None = None) -> list[str]:
    """Return the steps by which a person would likely compute a solution, as texts.

    If the legal expression is a single number, the only text is that number.

    >>> from crisps24 import GAMES, parse
    >>> hints(parse("13 + 8 + 6 - 3", "cards"), GAMES["cards"])
    ['6 - 3 = 3', '8 + 3 = 11', '13 + 11 = 24']
    """
    texts = [describe_step(step, game, style=style) for step in likeliest_route(expression, game)]
    return texts or [text_of(expression, style or game.style)]


def likeliest_route(expression: Expression, game: Game) -> list[Step]:
    """Return the steps by which a person would likely compute a legal expression, in order."""
    game = game_for_numbers([number.value for number in numbers_of(expression)], game)
    working = _working_of(expression, game, last=True)
    tree = expression if working is None else working.tree
    steps = list(evaluation_steps(tree, game, leaf_evaluator(game)))
    # Digits are joined before the first step.
    done = {id(step.operation) for step in steps if step.operation.operator.joins}
    remaining = [step for step in steps if id(step.operation) not in done]
    ordered: list[Step] = []

    def is_possible(step: Step) -> bool:
        operands = (step.operation.left, step.operation.right)
        return all(isinstance(operand, Number) or id(operand) in done for operand in operands)

    def effort(step: Step) -> tuple[bool, bool, float]:
        is_neutral = is_neutral_step(step.operation.operator, step.left, step.right)
        cost = step_cost(step, game, last=len(remaining) == 1)
        return _is_ambiguous(step, remaining), is_neutral, cost

    while remaining:
        easiest = min(filter(is_possible, remaining), key=effort)
        done.add(id(easiest.operation))
        remaining = [step for step in remaining if step is not easiest]
        ordered.append(easiest)
    return ordered


def step_cost(step: Step, game: Game, *, last: bool) -> float:
    """Return the cost of a step in bits; results are cached."""
    if step.result < 0:
        return inf
    values = step.left, step.right, step.result
    return _cached_cost(step.operation.operator, *values, game.fractions, last)


# The hints of a formula take 1.4 ms, and 6.4 without this cache.
@lru_cache(maxsize=4096)
def _cached_cost(
    operator: Operator, left: Exact, right: Exact, result: Exact, fractions: bool, last: bool
) -> float:
    left_column, right_column, result_column = (
        make_column([value], fractions, object) for value in (left, right, result)
    )
    return float(step_bits(operator, left_column, right_column, result_column, last)[0])


def _is_ambiguous(step: Step, remaining: Sequence[Step]) -> bool:
    """Return whether a remaining step uses a number like the result: 13 - 2 after 5 - 3 = 2."""
    for other in remaining:
        operation = other.operation
        for operand, value in (operation.left, other.left), (operation.right, other.right):
            is_number = isinstance(operand, Number) or operand.operator.joins
            is_used = any(part is step.operation for part in parts_of(operation).operations)
            if value == step.result and is_number and not is_used:
                return True
    return False


class _Working(NamedTuple):
    """A way to compute a part of a formula: the cost of all steps, the value, and the tree."""

    bits: float
    value: Exact
    tree: Expression


def _working_of(part: Expression, game: Game, *, last: bool = False) -> _Working | None:
    """Return the likeliest way to compute a part of a formula, or None if no way is legal."""
    if isinstance(part, Number):
        return _Working(0, exact_value(part.value, game), part)
    if part.operator.joins:
        *_, joined = evaluation_steps(part, game, leaf_evaluator(game))
        return _Working(0, joined.result, part)
    return _Chain(part, game).working(last=last)


class _Chain:
    """The terms of a chain, and the likeliest workings of its groups."""

    def __init__(self, root: Operation, game: Game) -> None:
        self._game = game
        self._main_operator, self._operations = _chain_operations(root)
        rights = (operation.right for operation in self._operations)
        self._terms = [self._operations[0].left, *rights]
        # The operators of the terms that are subtracted or divided by.
        self._inverse_operators: dict[tuple[int, ...], Operator] = {
            (position,): operation.operator
            for position, operation in enumerate(self._operations, start=1)
            if operation.operator is not self._main_operator
        }
        self._cache: dict[tuple[int, ...], _Working | None] = {}

    def working(self, *, last: bool) -> _Working | None:
        """Return the likeliest way to compute the chain, or None if no way is legal."""
        workings = [_working_of(term, self._game) for term in self._terms]
        self._cache = {(position,): working for position, working in enumerate(workings)}
        written_working = self._written(last)
        # Terms of equal value cancel: + 4 and - 4, or x 4 and : 4.
        values: dict[bool, set[Exact]] = {True: set(), False: set()}
        for group, working in self._cache.items():
            if working:
                values[group in self._inverse_operators].add(working.value)
        partition_count = len(self._terms) ** 3 if self._game.in_order else 3 ** len(self._terms)
        if values[True] & values[False] or partition_count > _MAX_PARTITIONS:
            return written_working
        all_terms = tuple(range(len(self._terms)))
        likeliest_working = self._likeliest(all_terms, last=last)
        if written_working is None or likeliest_working is None:
            return written_working or likeliest_working
        # If both have negative results, this is NaN, and the comparison below is false.
        saved_bits = round(written_working.bits - likeliest_working.bits, _BITS_DECIMALS)
        return likeliest_working if saved_bits >= _MIN_SAVED_BITS else written_working

    def _written(self, last: bool) -> _Working | None:
        """Return the working in the order of the formula, or None if it is illegal."""
        working = self._cache[(0,)]
        for position, operation in enumerate(self._operations, start=1):
            term = self._cache[(position,)]
            if working is None or term is None:
                return None
            is_last = last and position == len(self._operations)
            working = self._join(operation.operator, working, term, is_last)
        return working

    def _likeliest(self, group: tuple[int, ...], *, last: bool = False) -> _Working | None:
        if group not in self._cache:
            workings = self._workings_of_partitions(group, last)
            self._cache[group] = min(
                workings, key=lambda working: round(working.bits, _BITS_DECIMALS), default=None
            )
        return self._cache[group]

    def _workings_of_partitions(self, group: tuple[int, ...], last: bool) -> Iterator[_Working]:
        """Yield the likeliest way to compute a group for each legal split into two parts."""
        for left_group, right_group in partitions(group, self._game.in_order):
            operator = self._inverse_operators.get(right_group) or self._main_operator
            # A term that is subtracted or divided by cannot be the left part.
            if operator is None or left_group in self._inverse_operators:
                continue
            # Without order, each two parts that are added come twice. Use the split with the larger
            # part on the left, since without parentheses the right one is a single term. Of two
            # terms, the first one of the formula is on the left.
            is_swapped = (len(left_group), right_group) < (len(right_group), left_group)
            if operator is self._main_operator and is_swapped and not self._game.in_order:
                continue
            left, right = self._likeliest(left_group), self._likeliest(right_group)
            if left is None or right is None or not self._can_write(operator, left, right):
                continue
            # A number of the formula can be neutral, but not a result that this order creates, such
            # as the 0 of 4 - 4.
            parts = (left_group, left.value), (right_group, right.value)
            if neutral_element(operator) in [value for group, value in parts if len(group) > 1]:
                continue
            # People write the larger operand first.
            if operator.commutes and not self._game.in_order and left.value < right.value:
                left, right = right, left
            working = self._join(operator, left, right, last)
            if working and working.value >= 0:
                yield working

    def _join(
        self, operator: Operator, left: _Working, right: _Working, last: bool
    ) -> _Working | None:
        """Combine two workings by a last step; return None if the step is illegal."""
        result, legal = operator.operate(left.value, right.value, self._game)
        if not legal:
            return None
        tree = Operation(operator, left.tree, right.tree)
        bits = step_cost(Step(tree, left.value, right.value, result, legal), self._game, last=last)
        return _Working(left.bits + right.bits + bits, result, tree)

    def _can_write(self, operator: Operator, left: _Working, right: _Working) -> bool:
        """Return whether the game can write a step with this operator and these operands."""
        if operator not in self._game.row_operators:
            return False
        left_precedence, right_precedence = (
            inf if isinstance(side.tree, Number) else side.tree.operator.precedence
            for side in (left, right)
        )
        fits = left_precedence >= operator.precedence < right_precedence
        return self._game.parentheses or fits


def _chain_operations(root: Operation) -> tuple[Operator | None, list[Operation]]:
    """Return + or x for the chain that ends in `root`, and its operations from left to right."""
    operator = root.operator
    if not operator.inverse:
        # A power, for example, is a chain of its own.
        return None, [root]
    inverse = OPERATORS[operator.inverse]
    operations: list[Operation] = []
    part: Expression = root
    while isinstance(part, Operation) and part.operator in (operator, inverse):
        operations.append(part)
        part = part.left
    return operator if operator.commutes else inverse, operations[::-1]
