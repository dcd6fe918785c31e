"""How solutions are shown: the plainest form of each, the equivalence classes, and the order.

A solution is a rational function of the numbers of a hand. Many expressions can write it; the
plainest has the fewest parentheses, then the fewest negative results, then the larger numbers
first: of 4 + 8 and 8 + 4 it is 8 + 4. Of a chart with all derivations, `PlainestForms` finds it by
dynamic programming, once for each sub-result.

Some solutions differ only in neutral steps: multiplying or dividing by 1, or adding or subtracting
0. `Reducer` removes these steps. Two solutions are equivalent if the reduced functions are the
same and the removed operands are the same functions: (13 - 7) x 4 x 1 is equivalent to
(13 - 7 x 1) x 4, since both reduce to (13 - 7) x 4, with the removed operand 1.

Solutions with fewer numbers come first, then the likelier equivalence classes. In a class, fewer
divisions come first, then fewer parentheses, then the larger share. `hands.forest` computes the
weights that shares are made of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from sys import maxsize
from typing import Any, NamedTuple, overload

from crisps24.hands.by_function import Derivation, FunctionChart, ResultTable
from crisps24.hands.costs import neutral_element
from crisps24.hands.fingerprints import Residue, evaluation_point
from crisps24.notation.evaluation import exact_value
from crisps24.notation.trees import Expression, Number, Operation, text_of
from crisps24.output.tables import Row, render
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.operators import Operator, Value
from crisps24.rules.ratios import value_at

# The precedence of numbers, also of numbers joined from digits: above that of any operator.
_NUMBER_PRECEDENCE = maxsize


class Form(NamedTuple):
    """An expression with the properties by which it is compared with other ways to write it."""

    expression: Expression
    value: Exact
    operands: tuple[Any, ...]
    """A triple for each operand of the last chain: whether it is subtracted or divided by, its
    value negated (so that the largest comes first), and its own operands."""
    precedence: int = _NUMBER_PRECEDENCE
    parentheses: int = 0
    """Number of pairs of parentheses."""
    divisions: int = 0
    """Number of divisions."""
    negatives: int = 0
    """Number of negative results of steps."""
    fractions: bool = False
    """Whether the result of a step is not a whole number."""
    largest: Exact = 0
    """The largest absolute result of a step before the last one."""
    has_neutral_step: bool = False
    """Whether a step leaves one of its operands unchanged; see `is_neutral_step`."""


def plainness_key(form: Form) -> tuple[Any, ...]:
    """Return the sort key of a form, which is an expression with its properties.

    Of several ways to write one solution, the plainest has the smallest key: it has the fewest
    pairs of parentheses, then the fewest negative results of steps, then larger numbers first.
    """
    return form.parentheses, form.negatives, form.operands, form.largest


def simplicity_key(form: Form) -> tuple[Any, ...]:
    """Return the key that sorts different solutions, simpler arithmetic first.

    A form is an expression with its properties. Forms without fractions come first, then those with
    smaller results of steps, then those with fewer negative results, then fewer parentheses.
    """
    return form.fractions, form.largest, form.negatives, form.parentheses, form.operands


class _Parts(NamedTuple):
    """An operator and two forms, before they are joined to a form; sorted by the counts."""

    parentheses: int
    negatives: int
    operator: Operator
    left: Form
    right: Form


class PlainestForms:
    """The plainest forms of the results in a chart; each is computed once and cached."""

    def __init__(self, chart: FunctionChart) -> None:
        self.chart = chart
        self._cache: dict[int, Form] = {}

    def form_of(self, table: ResultTable, row: int, value: Exact) -> Form:
        """Return the plainest of all expressions that make one result of a hand.

        The plainest expression has the fewest parentheses, then the fewest negative results, then
        larger numbers first: 10 + 8 + 4 + 2. Of equally plain ones, the first is returned.

        A result can be made in several ways by an operator from two smaller results: here from
        10 + 8 + 4 and 2, from 10 + 8 + 2 and 4, and so on. These ways are its derivations. A result
        without derivations is a number of the hand.

        Args:
            table: The table that has the result: one of the tables of the chart.
            row: The row of the result in the table.
            value: The value of the result.
        """
        candidates = [self._parts_of(derivation) for derivation in table.derivations(row)]
        if not candidates:
            return _number_form(Number(value), value)
        if len(candidates) > 1:
            # Keep only the candidates with the fewest (parentheses, negatives).
            fewest = min(parts[:2] for parts in candidates)
            candidates = [parts for parts in candidates if parts[:2] == fewest]
        # The least chain has larger numbers first, since chains have negated values.
        chains = [_chain_of(parts) for parts in candidates]
        plainest_chain = min(chains)
        plainest_parts = candidates[chains.index(plainest_chain)]
        operands, largest = plainest_chain
        return _operation_form(plainest_parts, operands, largest, value, self.chart.game.style)

    def _parts_of(self, derivation: Derivation) -> _Parts:
        """Return an operator with its two operands, each written in the plainest way.

        The returned tuple also has two counts: the pairs of parentheses of the whole formula, and
        the steps in both operands whose result is below zero. For x with the operands 10 - 2 and 4,
        the formula is (10 - 2) x 4: the counts are 1 and 0. For - with 3 - 8 and 4, the formula is
        3 - 8 - 4: the counts are 0 and 1, since 3 - 8 is below zero.

        Args:
            derivation: The operator, and the positions of its left and right operand in the chart,
                which is the table of all results.
        """
        operator, left_position, right_position = derivation
        left, right = self._form_at(left_position), self._form_at(right_position)
        # Both operands can have parentheses inside. Each gets one more pair if it binds less
        # tightly than the operator; the right one also if it binds equally tightly: 9 - (4 - 2).
        parentheses = left.parentheses + right.parentheses
        parentheses += left.precedence < operator.precedence
        parentheses += right.precedence <= operator.precedence
        return _Parts(parentheses, left.negatives + right.negatives, operator, left, right)

    def _form_at(self, position: int) -> Form:
        """Return the plainest expression of a result, with its properties; it is cached.

        The position is an index in the chart, which is the table of all results.
        """
        if position not in self._cache:
            table, row = self.chart.table_at(position)
            self._cache[position] = self.form_of(table, row, value_at(table.values, row))
        return self._cache[position]


def _number_form(expression: Expression, value: Exact) -> Form:
    """Return the form of a number of the hand, or of one that is joined from digits."""
    return Form(expression, value, ((False, -value, ()),))


def _operation_form(
    parts: _Parts, operands: tuple[Any, ...], largest: Exact, value: Exact, style: str
) -> Form:
    """Return the form of an operation: its expression, with properties to compare forms by.

    Args:
        parts: The operator, and the forms of the operands.
        operands: The operands of the last chain, such as 10, 8 and 4 of 10 + 8 + 4.
        largest: The largest absolute result before the operation.
        value: The result of the operation.
        style: The style that the expression is printed in, which decides how the signs look.
    """
    parentheses, negatives, operator, left, right = parts
    expression = Operation(operator, left.expression, right.expression, style=style)
    if operator.joins:
        # Digits that are joined, such as 1 and 2 to 12, count as a number.
        return _number_form(expression, value)
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
        left.has_neutral_step
        or right.has_neutral_step
        or is_neutral_step(operator, left.value, right.value),
    )


def _chain_of(parts: _Parts) -> tuple[tuple[Any, ...], Exact]:
    """Return the operands of a chain of operations, and its largest result before the last one.

    A chain is a run of operators of one precedence without parentheses, such as 10 + 8 - 4. Its
    description is a sort key: chains with larger numbers first are smaller.

    Args:
        parts: The last operation of the chain: here - with the forms of 10 + 8 and of 4.

    Returns:
        (operands, largest): a tuple for each operand, and the largest absolute result of the
            earlier operations, here 18. The tuple has whether the operand is subtracted or divided
            by, its value times -1, and its own operands, if it is a chain itself. For 10 + 8 - 4,
            the tuples start with (False, -10), (False, -8) and (True, -4). Joined digits give
            ((), 0).
    """
    _, _, operator, left, right = parts
    if operator.joins:
        return (), 0
    chain = left.operands
    if left.precedence != operator.precedence:
        # The left operand belongs to no chain of this precedence: a new chain starts with it.
        chain = ((False, -left.value, left.operands),)
    largest = max(left.largest, right.largest)
    for form in (left, right):
        if form.precedence != _NUMBER_PRECEDENCE:
            largest = max(largest, form.value, -form.value)
    return (*chain, (not operator.commutes, -right.value, right.operands)), largest


def is_neutral_step(operator: Operator, left: Exact, right: Exact) -> bool:
    """Return whether a step leaves one of its operands unchanged: + 0, - 0, x 1, : 1.

    >>> from crisps24.rules.operators import OPERATORS
    >>> [is_neutral_step(OPERATORS["-"], *pair) for pair in ((3, 0), (0, 3))]
    [True, False]
    """
    neutral = neutral_element(operator)
    return neutral is not None and (right == neutral or (operator.commutes and left == neutral))


class Reduction(NamedTuple):
    """An expression without its neutral steps."""

    value: Value
    residue: Residue
    """The reduced function, evaluated at a random point modulo a prime."""
    removed: tuple[int, ...]
    """The fingerprints of the operands of the removed steps, in ascending order."""

    @property
    def key(self) -> tuple[int, ...]:
        """The key of the equivalence class: the fingerprints of the residue and the operands."""
        return self.residue.number, *self.removed


class Reducer:
    """Removes the neutral steps of expressions of one game; caches common sub-expressions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        # Keys are ids, since comparing expressions is slow. The expression is kept alive with its
        # reduction, so that no other expression gets its id.
        self._cache: dict[int, tuple[Expression, Reduction]] = {}

    def reduce(self, expression: Expression) -> Reduction:
        """Return an expression without its neutral steps, such as x 1 or + 0, as a `Reduction`.

        A neutral step leaves one of its operands unchanged. So (13 - 7) x 4 x 1 is reduced to
        (13 - 7) x 4, and the operand 1 is recorded as removed. The expression must be legal.
        """
        if not isinstance(expression, Operation):
            number = expression.value
            return Reduction(exact_value(number, self.game), Residue(evaluation_point(number)), ())
        left, right = self._reduce_cached(expression.left), self._reduce_cached(expression.right)
        return self._combine(expression.operator, left, right)

    def _reduce_cached(self, expression: Expression) -> Reduction:
        """Return what `reduce` returns, from the cache if the same object was reduced before."""
        entry = self._cache.get(id(expression))
        if entry is None:
            entry = expression, self.reduce(expression)
            self._cache[id(expression)] = entry
        return entry[1]

    def _combine(self, operator: Operator, left: Reduction, right: Reduction) -> Reduction:
        """Return the reduction of an operation from the reductions of its operands.

        A reduction is an expression without the steps that change nothing. A neutral operand, such
        as the 1 of 24 x 1 or the 0 of 0 + 24, is removed: the function of the other operand stays.
        If both are neutral, the right one is removed.
        """
        value = operator.arithmetic(left.value, right.value)
        if operator.joins:
            # A joined number counts as a number of the hand.
            return Reduction(value, Residue(evaluation_point(int(value))), ())
        neutral = neutral_element(operator)
        removed = left.removed + right.removed
        if right.value == neutral:
            return _without_operand(left, right, value, removed)
        if left.value == neutral and operator.commutes:
            return _without_operand(right, left, value, removed)
        # No operand is neutral: compute the function of the operation.
        residue: Residue = operator.arithmetic(left.residue, right.residue)
        return Reduction(value, residue, tuple(sorted(removed)))


def _without_operand(
    rest: Reduction, operand: Reduction, value: Value, removed: tuple[int, ...]
) -> Reduction:
    """Return the reduction of a step that leaves one operand unchanged, such as 24 x 1.

    A reduction is an expression without such neutral steps: here only 24 stays, and 1 is recorded
    as removed. A removed operand is recorded by its fingerprint, an integer that identifies it.

    Args:
        rest: The reduction of the operand that stays, here of 24.
        operand: The reduction of the neutral operand, here of 1.
        value: The value of the step.
        removed: The fingerprints of the operands that were removed in both sides before.
    """
    all_removed = sorted((*removed, operand.residue.number))
    return Reduction(value, rest.residue, tuple(all_removed))


# Decimals to which shares are rounded before they are compared. Shares of classes that differ by
# less are equal for people; shares of solutions only by the rounding errors of floats.
_CLASS_SHARE_DECIMALS = 3
_SOLUTION_SHARE_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Solution:
    """One distinct solution of a hand; `str` returns its formula."""

    expression: Expression
    """The plainest form of the solution."""
    value: Exact
    """The value of the solution: the target."""
    share: float
    """The probability that a person finds this solution, from 0 to 1; the shares of all solutions
    add up to 1. It is 0 if every route to the solution has a negative result."""
    equivalence_class: int
    """The equivalence class, numbered from 0. Solutions of one class differ only in multiplying or
    dividing by 1 and adding or subtracting 0."""

    def __str__(self) -> str:
        return str(self.expression)


# The orders of solutions: by all criteria of `rank_solutions`; by share only, if there are too many
# to rank; without shares, if computing them exceeds the limit.
LIKELIEST = "likeliest first"
BY_SHARE = "by share alone"
PLAIN = "in plain order"


class RankedSolutions(NamedTuple):
    """The requested solutions of a hand, in order."""

    solutions: Sequence[Solution]
    total: int
    """Number of solutions of the hand, including solutions that were not requested."""
    order: str = LIKELIEST
    """The criterion for the first solutions: `LIKELIEST`, `BY_SHARE` or `PLAIN`."""


class Solutions(Sequence[Expression]):
    """The solutions of one hand as expressions, likeliest first; computed at first use.

    The first use can raise RefusedError (see `solver.solve`). `next` returns one after the other. A
    notebook shows them as a table.
    """

    def __init__(self, find: Callable[[], RankedSolutions], game: Game) -> None:
        """Store the function that computes the solutions, which is called at most once.

        Args:
            find: The function.
            game: The game, whose style the expressions are printed in.
        """
        self._find = find
        self.game = game
        self._next = 0

    @cached_property
    def _ranked(self) -> RankedSolutions:
        return self._find()

    @property
    def details(self) -> Sequence[Solution]:
        """The solutions in the same order, with share and equivalence class."""
        return self._ranked.solutions

    @property
    def total(self) -> int:
        """Number of solutions of the hand; more than `len()` if only the first were requested."""
        return self._ranked.total

    @property
    def order(self) -> str:
        """The order of the solutions, and of the choice of the first ones.

        It is "likeliest first". If only the first of more than 20,000 solutions were requested, it
        is "by share alone", or "in plain order" if computing shares takes too much work.
        """
        return self._ranked.order

    def __getstate__(self) -> dict[str, Any]:
        # The function that finds the solutions cannot be pickled.
        return {"_ranked": self._ranked, "game": self.game, "_next": self._next}

    def __len__(self) -> int:
        return len(self.details)

    @overload
    def __getitem__(self, place: int) -> Expression: ...

    @overload
    def __getitem__(self, place: slice) -> list[Expression]: ...

    def __getitem__(self, place: int | slice) -> Expression | list[Expression]:
        if isinstance(place, slice):
            return [
                replace(solution.expression, game=self.game) for solution in self.details[place]
            ]
        return replace(self.details[place].expression, game=self.game)

    def __next__(self) -> Expression:
        if self._next == len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __eq__(self, other: object) -> bool:
        """Return whether game, solutions and order are equal; pickling preserves equality."""
        if not isinstance(other, Solutions):
            return NotImplemented
        return self.game == other.game and self._ranked == other._ranked

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return render(self._rows()) if self.details else "no solution"

    def _repr_html_(self) -> str:
        return render(self._rows(), "html", ["expression", "value", "share"])

    def _rows(self) -> list[Row]:
        return [
            {
                "expression": text_of(solution.expression, self.game.style),
                "value": solution.value,
                "share": round(solution.share, 6),
            }
            for solution in self.details
        ]


class UnrankedSolution(NamedTuple):
    """A solution before its share is known: its numbers, its function, and its plainest form."""

    size: int
    """How many numbers of the hand the solution uses."""
    fingerprint: int
    """The fingerprint of its function."""
    form: Form


def rank_solutions(
    solutions: Sequence[UnrankedSolution], weights: Mapping[int, float], reducer: Reducer
) -> list[Solution]:
    """Return solutions with their shares and equivalence classes, likeliest first.

    The share of a solution is its weight, divided by the sum of all weights. Solutions that differ
    only in neutral steps, such as x 1 or + 0, are of one equivalence class. Solutions with fewer
    numbers come first, then classes with a larger share, to 3 decimals. In a class, and among
    classes with equal shares, fewer divisions come first, then fewer parentheses, then the larger
    share. Solutions with equal properties keep their order.

    Args:
        solutions: The solutions, smaller hands first, then simpler forms.
        weights: How likely people find each solution, by its fingerprint (0 if it is missing). If
            all weights are 0, so are the shares.
        reducer: Computes the equivalence classes, and caches expressions.
    """
    total = sum(weights.values())
    shares = [weights.get(solution.fingerprint, 0.0) / (total or 1.0) for solution in solutions]
    # Equivalent solutions have equal keys. A solution without a neutral step, which is the usual
    # case, needs no reduction: its key is its fingerprint.
    class_keys = [
        reducer.reduce(form.expression).key if form.has_neutral_step else (fingerprint,)
        for _, fingerprint, form in solutions
    ]
    class_shares: dict[tuple[int, ...], float] = {}
    for class_key, share in zip(class_keys, shares, strict=True):
        class_shares[class_key] = class_shares.get(class_key, 0.0) + share

    def order(index: int) -> tuple[float, ...]:
        size, _, form = solutions[index]
        return (
            size,
            -round(class_shares[class_keys[index]], _CLASS_SHARE_DECIMALS),
            form.divisions,
            form.parentheses,
            -round(shares[index], _SOLUTION_SHARE_DECIMALS),
        )

    ranked_indices = sorted(range(len(solutions)), key=order)
    # Number the classes from 0, in the order of their first solutions.
    ranked_keys = dict.fromkeys(class_keys[index] for index in ranked_indices)
    class_numbers = {class_key: number for number, class_key in enumerate(ranked_keys)}
    ranked_solutions = []
    for index in ranked_indices:
        form, class_number = solutions[index].form, class_numbers[class_keys[index]]
        solution = Solution(form.expression, form.value, shares[index], class_number)
        ranked_solutions.append(solution)
    return ranked_solutions


def canonical_solutions(solutions: Iterable[Solution]) -> list[Solution]:
    """Return one solution for each equivalence class: the first one, in the order of the solutions.

    Solutions of one class differ only in multiplying or dividing by 1 and adding or subtracting 0.

    >>> from crisps24.solving.solver import solutions
    >>> ranked = solutions((1, 4, 7, 13), 24, "cards")
    >>> len(ranked), len(canonical_solutions(ranked))
    (20, 2)
    """
    first: dict[int, Solution] = {}
    for solution in solutions:
        first.setdefault(solution.equivalence_class, solution)
    return list(first.values())
