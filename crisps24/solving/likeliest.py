"""The likeliest route to a solution: the steps of its formula, in an order that is easy for people.

Owns the rule for the route that pages, `solve --hints`, `play` and `Puzzle.hints` show. The steps
of a route are the operations of the formula, each with its sign, and brackets stay. Only the terms
of a chain can be taken in another order: 13 + 8 + 6 - 3 is found as 6 - 3 = 3, 8 + 3 = 11,
13 + 11 = 24. Two limits keep the route close to the formula:

- No step uses a 0 or 1 that another order made and that leaves a value as it is: 8 x 3 + 4 - 4 has
  no 24 + 0. A chain that takes away a term that it also adds, as this one, keeps its order.
- Other chains keep it too, unless another order saves half a bit, as much as a carry costs.

Steps that do not depend on each other come easiest first.
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
from crisps24.rules.ratios import make_column
from crisps24.rules.splits import partitions
from crisps24.solving.forms import is_neutral_step

# Ways to take the terms of a chain in two, over all that lead to it: more than any hand has.
_MOST_CUTS = 10_000
# Bits are rounded to this many decimals, so that workings that cost the same are alike.
_ALIKE = 9
# Bits that another order has to save to replace the order of the formula.
_CLEARLY = 0.5


def hints(
    expression: Expression, game: Game, *, in_order: bool = False, style: str | None = None
) -> list[str]:
    """Return the steps of the likeliest route to a solution, a sentence each, in a style.

    Where nothing has to be done, since the number is there, the only one is that number.

    >>> from crisps24 import GAMES, parse
    >>> hints(parse("13 + 8 + 6 - 3", "cards"), GAMES["cards"])
    ['6 - 3 = 3', '8 + 3 = 11', '13 + 11 = 24']
    >>> hints(parse("75", "countdown"), GAMES["countdown"])
    ['75']
    """
    route = likeliest_route(expression, game, in_order=in_order)
    told = [describe_step(step, game, style=style) for step in route]
    return told or [text_of(expression, style or game.style)]


def likeliest_route(expression: Expression, game: Game, *, in_order: bool = False) -> list[Step]:
    """Return the steps of the likeliest route to a solution, in an order in which they can be done.

    They are operations of the expression, by the rule above. Of the steps that can be done next the
    easiest comes first, and one that leaves a number as it is comes last; but a result comes after
    a step on a dealt number of the same value. If every order has results below zero, the order
    is that of the expression.
    """
    game = game_for_numbers([each.value for each in numbers_of(expression)], game)
    found = _working_of(expression, game, in_order, last=True)
    likeliest = expression if found is None else found.tree
    every = list(evaluation_steps(likeliest, game, leaf_evaluator(game)))
    # Digits are joined before anything is worked out.
    done = {id(step.operation) for step in every if step.operation.operator.joins}
    left = [step for step in every if id(step.operation) not in done]
    ordered: list[Step] = []
    while left:
        free = [step for step in left if _is_free(step.operation, done)]
        last = len(left) == 1
        easiest = min(free, key=lambda step: (_misleads(step, left), *_effort(step, game, last)))
        done.add(id(easiest.operation))
        left = [step for step in left if step is not easiest]
        ordered.append(easiest)
    return ordered


def step_cost(step: Step, game: Game, *, last: bool) -> float:
    """Return what a step costs a person; `last` where it ends a route.

    Nobody goes below zero before doing anything else.
    """
    if step.result < 0:
        return inf
    values = step.left, step.right, step.result
    return _bits_of(step.operation.operator, *values, game.fractions, last)


@lru_cache(maxsize=4096)
def _bits_of(
    operator: Operator, left: Exact, right: Exact, result: Exact, fractions: bool, last: bool
) -> float:
    """Return what a step costs, remembered, since the solutions of a hand have many steps alike."""
    one, other, made = (make_column([value], fractions, object) for value in (left, right, result))
    return float(step_bits(operator, one, other, made, last)[0])


def _is_free(operation: Operation, done: set[int]) -> bool:
    """Return whether all that an operation joins is dealt or done."""
    operands = (operation.left, operation.right)
    return all(isinstance(each, Number) or id(each) in done for each in operands)


def _misleads(step: Step, left: Sequence[Step]) -> bool:
    """Return whether a step that is left would take a result for a number dealt of that value.

    As steps are read, what is made is used before what is dealt. What is done with the result, and
    after that, does not count.
    """
    return any(
        value == step.result
        and (isinstance(part, Number) or part.operator.joins)
        and all(each is not step.operation for each in parts_of(other.operation).operations)
        for other in left
        for part, value in (
            (other.operation.left, other.left),
            (other.operation.right, other.right),
        )
    )


def _effort(step: Step, game: Game, last: bool) -> tuple[bool, float]:
    """Return what a step costs, and first whether it is one in which nothing is worked out."""
    idle = is_neutral_step(step.operation.operator, step.left, step.right)
    return idle, step_cost(step, game, last=last)


class _Working(NamedTuple):
    """An order of work for a part of a formula."""

    bits: float
    value: Exact
    tree: Expression


def _working_of(
    part: Expression, game: Game, in_order: bool, *, last: bool = False
) -> _Working | None:
    """Return the likeliest working of a part of a formula, its last step that of a route or not.

    Return None if all have results below zero, or if there are too many.
    """
    if isinstance(part, Number):
        return _Working(0, exact_value(part.value, game), part)
    if part.operator.joins:
        *_, joined = evaluation_steps(part, game, leaf_evaluator(game))
        return _Working(0, joined.result, part)
    return _Chain(part, game, in_order).working(last=last)


class _Chain:
    """The terms of a chain, such as 13 + 8 + 6 - 3, and the likeliest workings of groups of them.

    A group is the places of its terms. A term that is taken away, or divided by, is only the right
    operand of its own sign, so that every group has a term that is added.
    """

    def __init__(self, whole: Operation, game: Game, in_order: bool) -> None:
        self._game = game
        self._in_order = in_order
        self._adds, self._links = _links_of(whole)
        self._terms = [self._links[0].left, *(link.right for link in self._links)]
        self._taken: dict[tuple[int, ...], Operator] = {
            (place,): link.operator
            for place, link in enumerate(self._links, start=1)
            if link.operator is not self._adds
        }
        self._known: dict[tuple[int, ...], _Working | None] = {}

    def working(self, *, last: bool) -> _Working | None:
        """Return the likeliest working of the chain, its last step that of a route or not."""
        workings = [_working_of(part, self._game, self._in_order) for part in self._terms]
        self._known = {(place,): working for place, working in enumerate(workings)}
        written = self._written(last)
        if self._cancels() or self._is_long():
            return written
        likeliest = self._likeliest(tuple(range(len(self._terms))), last=last)
        if written is None or likeliest is None:
            return written or likeliest
        # Not a number, and so not enough, if both have results below zero.
        saved = round(written.bits - likeliest.bits, _ALIKE)
        return likeliest if saved >= _CLEARLY else written

    def _cancels(self) -> bool:
        """Return whether a term is added and an equal one is taken away."""
        values: list[set[Exact]] = [set(), set()]
        for place, working in self._known.items():
            if working:
                values[place in self._taken].add(working.value)
        return not values[0].isdisjoint(values[1])

    def _is_long(self) -> bool:
        """Return whether the chain has too many orders."""
        count = len(self._terms)
        return (count**3 if self._in_order else 3**count) > _MOST_CUTS

    def _written(self, last: bool) -> _Working | None:
        """Return the working in the order of the formula, also if results are below zero."""
        found = self._known[(0,)]
        for place, link in enumerate(self._links, start=1):
            term = self._known[(place,)]
            if found is None or term is None:
                return None
            ends = last and place == len(self._links)
            found = self._step(link.operator, found, term, ends)
        return found

    def _likeliest(self, group: tuple[int, ...], *, last: bool = False) -> _Working | None:
        if group not in self._known:
            found = self._workings(group, last)
            self._known[group] = min(found, key=lambda each: round(each.bits, _ALIKE), default=None)
        return self._known[group]

    def _workings(self, group: tuple[int, ...], last: bool) -> Iterator[_Working]:
        """Yield the workings of a group by what their last step joins, each the likeliest."""
        for one, other in partitions(group, self._in_order):
            operator = self._taken.get(other) or self._adds
            # Of two groups that are added, the larger is on the left, since without parentheses the
            # right one is a single term. Of two terms, the first of the formula is.
            turned = operator is self._adds and (len(one), other) < (len(other), one)
            if operator is None or one in self._taken or (turned and not self._in_order):
                continue
            left, right = self._likeliest(one), self._likeliest(other)
            if left is None or right is None or not self._fits(operator, left, right):
                continue
            made = [each.value for each, its in ((left, one), (right, other)) if len(its) > 1]
            if neutral_element(operator) in made:
                continue
            if operator.commutes and not self._in_order and left.value < right.value:
                left, right = right, left
            found = self._step(operator, left, right, last)
            if found and found.value >= 0:
                yield found

    def _step(
        self, operator: Operator, left: _Working, right: _Working, last: bool
    ) -> _Working | None:
        """Return two workings and the step that joins them, or None if that is not legal."""
        result, legal = operator.operate(left.value, right.value, self._game)
        if not legal:
            return None
        tree = Operation(operator, left.tree, right.tree, style=self._game.style)
        bits = step_cost(Step(tree, left.value, right.value, result, legal), self._game, last=last)
        return _Working(left.bits + right.bits + bits, result, tree)

    def _fits(self, operator: Operator, left: _Working, right: _Working) -> bool:
        """Return whether the game has the operation: a sum is no factor without parentheses."""
        if operator not in self._game.row_operators:
            return False
        binds = [
            inf if isinstance(each.tree, Number) else each.tree.operator.precedence
            for each in (left, right)
        ]
        own = operator.precedence
        return self._game.parentheses or (binds[0] >= own and binds[1] > own)


def _links_of(whole: Operation) -> tuple[Operator | None, list[Operation]]:
    """Return the operator that adds in the chain that ends in an operation, and its links.

    The links are along the left edge of the tree, as far as no parentheses are written. An operator
    without an inverse is a chain of its own, in which nothing adds.

    >>> from crisps24 import parse
    >>> adds, links = _links_of(parse("8 x 3 - (4 - 4) + 6 - 5", "cards"))
    >>> adds.name, [(str(link.operator.name), str(link.right)) for link in links]
    ('+', [('-', '4 - 4'), ('+', '6'), ('-', '5')])
    """
    operator = whole.operator
    if not operator.inverse:
        return None, [whole]
    inverse = OPERATORS[operator.inverse]
    links: list[Operation] = []
    part: Expression = whole
    while isinstance(part, Operation) and part.operator in (operator, inverse):
        links.append(part)
        part = part.left
    return operator if operator.commutes else inverse, links[::-1]
