"""How a solution is shown: its plainest form.

A solution is a rational function of the numbers of a hand. Many expressions can write it; the
*plainest form* has the fewest parentheses, then the fewest negative results, then the larger
numbers first: of 4 + 8 and 8 + 4 it is 8 + 4. `PlainestForms` finds it by dynamic programming over
the derivations of a chart; all forms of a row have one precedence, so that each operand can be in
its own plainest form. Larger numbers first is an order of *chains*, runs of operators of one
precedence without parentheses. A chain is the tuple of its operands, which start with whether the
operand is subtracted or divided by, and its value negated: 10 + 8 - 4 has (False, -10, ...),
(False, -8, ...) and (True, -4, ...). So the smallest chain is the plainest.
"""

from sys import maxsize
from typing import Any, NamedTuple

from crisps24.hands.by_function import Derivation, FunctionChart, ResultTable
from crisps24.hands.costs import neutral_element
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.exact import Exact
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import value_at

# The precedence of numbers, also of numbers joined from digits: above that of any operator.
_NUMBER_PRECEDENCE = maxsize


class Form(NamedTuple):
    """An expression with the properties by which it is compared with other ways to write it."""

    expression: Expression
    value: Exact
    operands: tuple[Any, ...]
    """The last chain: for each operand whether it is subtracted or divided by, its value negated,
    and its own operands."""
    precedence: int = _NUMBER_PRECEDENCE
    parentheses: int = 0
    divisions: int = 0
    negatives: int = 0
    """Number of negative results of steps."""
    fractions: bool = False
    """Whether the result of a step is not a whole number."""
    largest: Exact = 0
    """The largest absolute result of a step before the last one."""
    has_neutral_step: bool = False


def plainness_key(form: Form) -> tuple[Any, ...]:
    """Return the sort key of the ways to write one solution, the plainest first."""
    return form.parentheses, form.negatives, form.operands, form.largest


def simplicity_key(form: Form) -> tuple[Any, ...]:
    """Return the sort key of different solutions, simpler arithmetic first."""
    return form.fractions, form.largest, form.negatives, form.parentheses, form.operands


class _Step(NamedTuple):
    """A way to make a result, with the plainest forms of its operands."""

    parentheses: int
    negatives: int
    """Number of negative results before this step."""
    operator: Operator
    left: Form
    right: Form


class PlainestForms:
    """The plainest forms of the results in a chart; each is computed once and cached."""

    def __init__(self, chart: FunctionChart) -> None:
        self.chart = chart
        self._cache: dict[int, Form] = {}

    def form_of(self, table: ResultTable, row: int, value: Exact) -> Form:
        """Return the plainest form of a row of a table; of equally plain ones, the first."""
        steps = [self._step(derivation) for derivation in table.derivations(row)]
        if not steps:
            return _number_form(Number(value), value)
        if len(steps) > 1:
            fewest = min(step[:2] for step in steps)
            steps = [step for step in steps if step[:2] == fewest]
        chains = [_chain_after(step) for step in steps]
        operands, largest = min(chains)
        parentheses, negatives, operator, left, right = steps[chains.index((operands, largest))]
        style = self.chart.game.style
        expression = Operation(operator, left.expression, right.expression, style=style)
        if operator.joins:
            return _number_form(expression, value)
        is_neutral = is_neutral_step(operator, left.value, right.value)
        return Form(
            expression,
            value,
            operands,
            operator.precedence,
            parentheses=parentheses,
            divisions=left.divisions + right.divisions + operator.divides,
            negatives=negatives + (value < 0),
            fractions=left.fractions or right.fractions or not isinstance(value, int),
            largest=largest,
            has_neutral_step=left.has_neutral_step or right.has_neutral_step or is_neutral,
        )

    def _step(self, derivation: Derivation) -> _Step:
        operator, left_position, right_position = derivation
        left, right = self._form_at(left_position), self._form_at(right_position)
        # The right operand also gets parentheses if it binds equally tightly: 9 - (4 - 2).
        parentheses = left.parentheses + (left.precedence < operator.precedence)
        parentheses += right.parentheses + (right.precedence <= operator.precedence)
        return _Step(parentheses, left.negatives + right.negatives, operator, left, right)

    def _form_at(self, position: int) -> Form:
        if position not in self._cache:
            table, row = self.chart.table_at(position)
            self._cache[position] = self.form_of(table, row, value_at(table.values, row))
        return self._cache[position]


def _number_form(expression: Expression, value: Exact) -> Form:
    """Return the form of a number of the hand, or of one that is joined from digits."""
    return Form(expression, value, ((False, -value, ()),))


def _chain_after(step: _Step) -> tuple[tuple[Any, ...], Exact]:
    """Return the operands of the chain that ends with a step, and its largest earlier result."""
    _, _, operator, left, right = step
    if operator.joins:
        return (), 0
    is_continued = left.precedence == operator.precedence
    chain = left.operands if is_continued else ((False, -left.value, left.operands),)
    largest = max(left.largest, right.largest)
    for form in (left, right):
        if form.precedence != _NUMBER_PRECEDENCE:
            largest = max(largest, form.value, -form.value)
    return (*chain, (not operator.commutes, -right.value, right.operands)), largest


def is_neutral_step(operator: Operator, left: Exact, right: Exact) -> bool:
    """Return whether a step leaves one of its operands unchanged: + 0, - 0, x 1, : 1."""
    neutral = neutral_element(operator)
    return neutral is not None and (right == neutral or (operator.commutes and left == neutral))
