"""The plainest form of a solution: which of equal expressions is shown.

That with the fewest parentheses, then the fewest results below zero, then larger numbers first.
Owns what is plain; `pools` finds what there is, and `ranking` puts solutions in order.
"""

from fractions import Fraction
from sys import maxsize
from typing import Any, NamedTuple

from crisps24.hands.costs import neutral_of
from crisps24.hands.pools import Derivation, Pool, Results
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.exact import Exact
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Ratios

# Numbers bind tighter than any operator does, those that are joined of digits as well.
_NUMBER = maxsize


class Form(NamedTuple):
    """An expression with what makes it plain."""

    expression: Expression
    value: Exact
    operands: tuple[Any, ...]
    """Those of its chain: whether one is taken away or divided by, its value negated, so that
    the largest comes first, and its own operands."""
    precedence: int = _NUMBER
    parentheses: int = 0
    """How many pairs are written."""
    divisions: int = 0
    """How many of its operators divide."""
    negatives: int = 0
    """How many results on the way are below zero."""
    fractions: bool = False
    """Whether a result on the way is not whole."""
    largest: Exact = 0
    """The largest result on the way, that of the last step left out."""
    idle: bool = False
    """Whether nothing is worked out in a step of it; see `essence`."""


def plainness(form: Form) -> tuple[Any, ...]:
    """Return what the plainest of equal forms has the least of."""
    return form.parentheses, form.negatives, form.operands, form.largest


def rank(form: Form) -> tuple[Any, ...]:
    """Return what solutions of as many numbers are sorted by."""
    return form.fractions, form.largest, form.negatives, form.parentheses, form.operands


class _Parts(NamedTuple):
    """What an operator joins, and how plain that is before anything else is looked at."""

    parentheses: int
    negatives: int
    operator: Operator
    left: Form
    right: Form


class Forms:
    """The plainest forms of the results in a pool, each worked out once."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._known: dict[int, Form] = {}

    def of(self, results: Results, result: int, value: Exact) -> Form:
        """Return the plainest of all derivations of a result, which is a value."""
        derived = [self._parts(each) for each in results.derivations(result)]
        if not derived:
            return _number_form(Number(int(value)), value)
        if len(derived) > 1:
            least = min(parts[:2] for parts in derived)
            derived = [parts for parts in derived if parts[:2] == least]
        # The rest is looked at only where it decides.
        parts = min(derived, key=_chain_of) if len(derived) > 1 else derived[0]
        return _operation_form(parts, value, self.pool.game.signs)

    def _parts(self, derivation: Derivation) -> _Parts:
        operator, left_place, right_place = derivation
        left, right = self._at(left_place), self._at(right_place)
        own = operator.precedence
        around = (left.precedence < own) + (right.precedence <= own)
        parentheses = left.parentheses + right.parentheses + around
        return _Parts(parentheses, left.negatives + right.negatives, operator, left, right)

    def _at(self, place: int) -> Form:
        if place not in self._known:
            results, result = self.pool.results_at(place)
            self._known[place] = self.of(results, result, _exact_at(results.values, result))
        return self._known[place]


def _exact_at(column: Column, row: int) -> Exact:
    """Return one value of a column in lowest terms."""
    if not isinstance(column, Ratios):
        return int(column[row])
    numerator, denominator = int(column.numerators[row]), int(column.denominators[row])
    return numerator if denominator == 1 else Fraction(numerator, denominator)


def _number_form(expression: Expression, value: Exact) -> Form:
    """Return the form of a number, dealt or joined of digits."""
    return Form(expression, value, ((False, -value, ()),))


def _operation_form(parts: _Parts, value: Exact, signs: str) -> Form:
    """Return the form of an operation on two forms."""
    parentheses, negatives, operator, left, right = parts
    expression = Operation(operator, left.expression, right.expression, signs=signs)
    if operator.joins:
        return _number_form(expression, value)
    operands, largest = _chain_of(parts)
    return Form(
        expression,
        value,
        operands,
        operator.precedence,
        parentheses,
        left.divisions + right.divisions + operator.divides,
        negatives + (value < 0),
        left.fractions or right.fractions or not isinstance(value, int),
        largest,
        left.idle or right.idle or is_idle(operator, left.value, right.value),
    )


def _chain_of(parts: _Parts) -> tuple[tuple[Any, ...], Exact]:
    """Return the operands of the chain that an operation ends, and the largest result before it."""
    _, _, operator, left, right = parts
    if operator.joins:
        return (), 0
    chain = left.operands
    if left.precedence != operator.precedence:
        chain = ((False, -left.value, left.operands),)
    largest = max(left.largest, right.largest)
    for form in (left, right):
        if form.precedence != _NUMBER:
            largest = max(largest, form.value, -form.value)
    return (*chain, (not operator.commutes, -right.value, right.operands)), largest


def is_idle(operator: Operator, left: Exact, right: Exact) -> bool:
    """Return whether a step leaves one of its operands as it is: + 0, - 0, x 1, : 1.

    >>> from crisps24.rules.operators import OPERATORS
    >>> [is_idle(OPERATORS["-"], *pair) for pair in ((3, 0), (0, 3))]
    [True, False]
    """
    neutral = neutral_of(operator)
    return neutral is not None and (right == neutral or (operator.commutes and left == neutral))
