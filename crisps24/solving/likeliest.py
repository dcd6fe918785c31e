"""The likeliest route to a solution: the working of it that costs a person least.

A solution has many workings, and the plainest form shows one of them. 13 + 8 + 6 - 3 is found as
13 + 8 = 21, 6 - 3 = 3, 21 + 3 = 24. It stays the same solution: what is joined is what the solution
joins, and only the terms of a chain are grouped anew. Owns which working that is, and the order of
its steps, for hints.
"""

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from crisps24.hands.costs import step_bits
from crisps24.notation.evaluation import Step, exact_leaf, exact_value, sentence_of
from crisps24.notation.evaluation import steps as steps_of
from crisps24.notation.trees import Expression, Number, Operation, numbers_of, parts_of, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, game_with
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.ratios import column_of
from crisps24.rules.splits import splits
from crisps24.solving.forms import is_idle

# Ways to take the terms of a chain in two, over all that lead to it: more than any hand has.
_MOST_CUTS = 10_000
# Workings whose bits differ by less are alike.
_ALIKE = 9


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
    route = route_of(expression, game, in_order=in_order)
    told = [sentence_of(step, game, style=style) for step in route]
    return told or [text_of(expression, style or game.style)]


def route_of(expression: Expression, game: Game, *, in_order: bool = False) -> list[Step]:
    """Return the steps of the likeliest route to a solution, in an order in which they can be done.

    They join what it joins: only the terms of a chain are grouped anew, where the game may. Of
    those that can be done next the easiest comes first, and what leaves a number as it is last;
    but a result comes after what is done with a number dealt that is equal. Where every working
    has results below zero they are those of the expression itself.
    """
    game = game_with([each.value for each in numbers_of(expression)], game)
    found = _working_of(expression, game, in_order, last=True)
    likeliest = expression if found is None else found.tree
    every = list(steps_of(likeliest, game, exact_leaf(game)))
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


def bits_of(step: Step, game: Game, *, last: bool) -> float:
    """Return what a step costs a person; `last` where it ends a route.

    Nobody goes below zero before doing anything else.
    """
    if step.result < 0:
        return inf
    left, right, result = (
        column_of([value], game.fractions, object) for value in (step.left, step.right, step.result)
    )
    return float(step_bits(step.operation.operator, left, right, result, last)[0])


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
    idle = is_idle(step.operation.operator, step.left, step.right)
    return idle, bits_of(step, game, last=last)


class _Working(NamedTuple):
    """How a part of a solution is worked out."""

    bits: float
    value: Exact
    tree: Expression


class _Term(NamedTuple):
    """A term of a chain, and whether it is taken away, or divided by."""

    part: Expression
    taken: bool


def _working_of(
    part: Expression, game: Game, in_order: bool, *, last: bool = False
) -> _Working | None:
    """Return the likeliest working of a part of a solution, its last step that of a route or not.

    None where all have results below zero, or are too many to be looked at.
    """
    if isinstance(part, Number):
        return _Working(0, exact_value(part.value, game), part)
    if part.operator.joins:
        *_, joined = steps_of(part, game, exact_leaf(game))
        return _Working(0, joined.result, part)
    return _Chain(part, game, in_order).working(last=last)


class _Chain:
    """The chain of terms that an operation ends, and the likeliest workings of some of them."""

    def __init__(self, whole: Operation, game: Game, in_order: bool) -> None:
        self._game = game
        self._in_order = in_order
        self._operators = _chained(whole.operator)
        self._terms = _terms_of(whole, self._operators)
        # What has no inverse is a chain of its own, of two terms.
        moves = len(self._operators) > 1 or whole.operator.commutes
        self._keeps_order = in_order or not moves
        # By the places of the terms, and whether what is added in them is to be taken away.
        self._known: dict[tuple[tuple[int, ...], bool], _Working | None] = {}

    def working(self, *, last: bool) -> _Working | None:
        """Return the likeliest working of the chain, its last step that of a route or not."""
        count = len(self._terms)
        if (count**3 if self._in_order else 3**count) > _MOST_CUTS:
            return None
        for place, (part, taken) in enumerate(self._terms):
            self._known[(place,), taken] = _working_of(part, self._game, self._in_order)
            self._known[(place,), not taken] = None
        return self._likeliest(tuple(range(count)), turned=False, last=last)

    def _likeliest(
        self, places: tuple[int, ...], *, turned: bool, last: bool = False
    ) -> _Working | None:
        key = places, turned
        if key not in self._known:
            found = self._workings(places, turned, last)
            self._known[key] = min(found, key=lambda each: round(each.bits, _ALIKE), default=None)
        return self._known[key]

    def _workings(self, places: tuple[int, ...], turned: bool, last: bool) -> Iterator[_Working]:
        """Yield the workings of some terms by what their last step joins, each the likeliest."""
        for one, other in splits(places, self._keeps_order):
            # Which is left and which is right is looked at below.
            if not self._keeps_order and (len(one), one) < (len(other), other):
                continue
            for operator in self._operators:
                takes = operator is not self._operators[0]
                for ends in [(one, other), (other, one)][: 1 + (takes and not self._in_order)]:
                    left = self._likeliest(ends[0], turned=turned)
                    right = self._likeliest(ends[1], turned=turned != takes)
                    if left and right:
                        yield from self._joined(operator, left, right, last)

    def _joined(
        self, operator: Operator, left: _Working, right: _Working, last: bool
    ) -> Iterator[_Working]:
        """Yield two workings and the step that joins them, if that is legal and can be written."""
        swaps = operator.commutes and not self._in_order
        if not (self._fits(operator, left, right) or (swaps and self._fits(operator, right, left))):
            return
        if swaps and left.value < right.value:
            left, right = right, left
        result, legal = operator.operate(left.value, right.value, self._game)
        if legal and result >= 0:
            tree = Operation(operator, left.tree, right.tree, signs=self._game.style)
            step = Step(tree, left.value, right.value, result, legal)
            bits = left.bits + right.bits + bits_of(step, self._game, last=last)
            yield _Working(bits, result, tree)

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


def _chained(operator: Operator) -> tuple[Operator, ...]:
    """Return the operators of the chains that an operator is of, the one that adds first.

    >>> from crisps24.rules.operators import OPERATORS
    >>> [each.name for each in _chained(OPERATORS[":"])], len(_chained(OPERATORS["|"]))
    (['x', ':'], 1)
    """
    if not operator.inverse:
        return (operator,)
    inverse = OPERATORS[operator.inverse]
    return (operator, inverse) if operator.commutes else (inverse, operator)


def _terms_of(whole: Operation, operators: Sequence[Operator]) -> list[_Term]:
    """Take an operation apart, down to what is not joined by the operators of its chain."""
    if len(operators) == 1:
        return [_Term(whole.left, False), _Term(whole.right, False)]
    terms: list[_Term] = []
    ahead = [_Term(whole, False)]
    while ahead:
        part, taken = ahead.pop()
        if isinstance(part, Operation) and part.operator in operators:
            turned = taken != (part.operator is operators[1])
            ahead += [_Term(part.right, turned), _Term(part.left, taken)]
        else:
            terms.append(_Term(part, taken))
    return terms
