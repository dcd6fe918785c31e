"""Solutions as people are shown them: the plainest form of each, and their order.

Of equal expressions that with the fewest parentheses is shown, then that with the fewest results
below zero, then larger numbers first. Solutions are one idea where both what remains of them
without the steps in which nothing is worked out, and what these steps took, are the same
functions: the steps by an operand that leaves the other as it is, by 1 in products and quotients,
by 0 in sums and differences, dealt or made. Owns `Solution` and its order: fewer numbers; then by
the share of all solutions that are the same idea; then, among these, fewer divisions, fewer
parentheses, and the larger share of its own. What is found, and what it weighs, is found
elsewhere; which number is neutral for an operator `costs` says.
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
    """Whether nothing is worked out in a step of it; see `Reducer`."""


def plainness_key(form: Form) -> tuple[Any, ...]:
    """Return what the plainest of equal forms has the least of."""
    return form.parentheses, form.negatives, form.operands, form.largest


def simplicity_key(form: Form) -> tuple[Any, ...]:
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
    """The plainest forms of the results in a chart, each worked out once."""

    def __init__(self, chart: FunctionChart) -> None:
        self.chart = chart
        self._known: dict[int, Form] = {}

    def of(self, results: ResultTable, result: int, value: Exact) -> Form:
        """Return the plainest of all derivations of a result, which is a value."""
        derived = [self._parts(each) for each in results.derivations(result)]
        if not derived:
            return _number_form(Number(int(value)), value)
        if len(derived) > 1:
            least = min(parts[:2] for parts in derived)
            derived = [parts for parts in derived if parts[:2] == least]
        chains = [_chain_of(parts) for parts in derived]
        chain = min(chains)
        return _operation_form(derived[chains.index(chain)], *chain, value, self.chart.game.style)

    def _parts(self, derivation: Derivation) -> _Parts:
        operator, left_place, right_place = derivation
        left, right = self._at(left_place), self._at(right_place)
        own = operator.precedence
        around = (left.precedence < own) + (right.precedence <= own)
        parentheses = left.parentheses + right.parentheses + around
        return _Parts(parentheses, left.negatives + right.negatives, operator, left, right)

    def _at(self, place: int) -> Form:
        if place not in self._known:
            results, result = self.chart.table_at(place)
            self._known[place] = self.of(results, result, value_at(results.values, result))
        return self._known[place]


def _number_form(expression: Expression, value: Exact) -> Form:
    """Return the form of a number, dealt or joined of digits."""
    return Form(expression, value, ((False, -value, ()),))


def _operation_form(
    parts: _Parts, operands: tuple[Any, ...], largest: Exact, value: Exact, signs: str
) -> Form:
    """Return the form of an operation on two forms, with its chain as `_chain_of` tells it."""
    parentheses, negatives, operator, left, right = parts
    expression = Operation(operator, left.expression, right.expression, style=signs)
    if operator.joins:
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
        left.idle or right.idle or is_neutral_step(operator, left.value, right.value),
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


def is_neutral_step(operator: Operator, left: Exact, right: Exact) -> bool:
    """Return whether a step leaves one of its operands as it is: + 0, - 0, x 1, : 1.

    >>> from crisps24.rules.operators import OPERATORS
    >>> [is_neutral_step(OPERATORS["-"], *pair) for pair in ((3, 0), (0, 3))]
    [True, False]
    """
    neutral = neutral_element(operator)
    return neutral is not None and (right == neutral or (operator.commutes and left == neutral))


class Reduction(NamedTuple):
    """An expression without the steps in which nothing is worked out."""

    value: Value
    remains: Residue
    """What remains of it."""
    taken: tuple[int, ...]
    """What these steps took, as fingerprints in ascending order."""

    @property
    def key(self) -> tuple[int, ...]:
        """What two solutions have in common that come down to the same."""
        return self.remains.number, *self.taken


class Reducer:
    """What expressions come down to, of one game: what they have in common is looked at once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        # By identity, since expressions are compared by how they are written. Each is kept, so
        # that no other takes its place.
        self._known: dict[int, tuple[Expression, Reduction]] = {}

    def of(self, expression: Expression) -> Reduction:
        """Return what an expression that is legal comes down to."""
        if not isinstance(expression, Operation):
            number = expression.value
            return Reduction(exact_value(number, self.game), Residue(evaluation_point(number)), ())
        left, right = self._part(expression.left), self._part(expression.right)
        return self._joined(expression.operator, left, right)

    def _part(self, expression: Expression) -> Reduction:
        known = self._known.get(id(expression))
        if known is None:
            known = expression, self.of(expression)
            self._known[id(expression)] = known
        return known[1]

    def _joined(self, operator: Operator, left: Reduction, right: Reduction) -> Reduction:
        value = operator.arithmetic(left.value, right.value)
        if operator.joins:
            # A joined number is a number of its own.
            return Reduction(value, Residue(evaluation_point(int(value))), ())
        neutral = neutral_element(operator)
        taken = left.taken + right.taken
        if right.value == neutral:
            return _taking(left, right, value, taken)
        if left.value == neutral and operator.commutes:
            return _taking(right, left, value, taken)
        remains: Residue = operator.arithmetic(left.remains, right.remains)
        return Reduction(value, remains, tuple(sorted(taken)))


def _taking(one: Reduction, other: Reduction, value: Value, taken: tuple[int, ...]) -> Reduction:
    return Reduction(value, one.remains, tuple(sorted((*taken, other.remains.number))))


# Shares of ideas that differ by less are alike; those of solutions where floats may differ.
_ALIKE, _THE_SAME = 3, 9


@dataclass(frozen=True, slots=True)
class Solution:
    """One distinct solution of a hand; `str` gives its formula."""

    expression: Expression
    """The plainest form of the solution."""
    value: Exact
    """The value of the solution: the target."""
    share: float
    """How likely a person is to find this solution, from 0 to 1; all shares add up to 1. It is 0
    if every route has a result below zero."""
    equivalence_class: int
    """The idea of the solution, numbered from 0. Solutions of one idea differ only in steps by 1
    (in products and quotients) or 0 (in sums and differences)."""

    def __str__(self) -> str:
        return str(self.expression)


# In which order solutions are: by all that `rank_solutions` looks at; where that would be too
# much for the first of many, by their shares alone; and where shares would be too much, plain ones
# first.
LIKELIEST, BY_SHARE, PLAIN = "likeliest first", "by share alone", "in plain order"


class RankedSolutions(NamedTuple):
    """The solutions of a hand that are wanted."""

    solutions: Sequence[Solution]
    total: int
    """How many there are in all."""
    order: str = LIKELIEST
    """How the first of many are chosen: `LIKELIEST`, `BY_SHARE` or `PLAIN`."""


class Solutions(Sequence[Expression]):
    """The solutions of one hand, likeliest first, found when one is first asked for.

    `next` gives one after the other; in a notebook they show themselves as a table.
    """

    def __init__(self, find: Callable[[], RankedSolutions], game: Game) -> None:
        """Begin with a function that finds them, in order."""
        self._find = find
        self.game = game
        self._next = 0

    @cached_property
    def _answers(self) -> RankedSolutions:
        return self._find()

    @property
    def details(self) -> Sequence[Solution]:
        """The same with what is known of each."""
        return self._answers.solutions

    @property
    def total(self) -> int:
        """How many there are in all, where only the first were wanted."""
        return self._answers.total

    @property
    def order(self) -> str:
        """How they are ordered, and the first of many chosen.

        That is "likeliest first"; "by share alone" where there are more than 20,000 of them, and
        "in plain order" where to weigh their routes would be too much work.
        """
        return self._answers.order

    def __getstate__(self) -> dict[str, Any]:
        # How they are found can be told to nobody else; they can.
        return {"_answers": self._answers, "game": self.game, "_next": self._next}

    def __len__(self) -> int:
        return len(self.details)

    @overload
    def __getitem__(self, place: int) -> Expression: ...

    @overload
    def __getitem__(self, place: slice) -> list[Expression]: ...

    def __getitem__(self, place: int | slice) -> Expression | list[Expression]:
        if isinstance(place, slice):
            return [replace(each.expression, game=self.game) for each in self.details[place]]
        return replace(self.details[place].expression, game=self.game)

    def __next__(self) -> Expression:
        if self._next == len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __eq__(self, other: object) -> bool:
        """Return whether the solutions are the same, in one order, as after pickling."""
        if not isinstance(other, Solutions):
            return NotImplemented
        return self.game == other.game and self._answers == other._answers

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return render(self._rows()) if self.details else "no solution"

    def _repr_html_(self) -> str:
        return render(self._rows(), "html", ["expression", "value", "share"])

    def _rows(self) -> list[Row]:
        return [
            {
                "expression": text_of(each.expression, self.game.style),
                "value": each.value,
                "share": round(each.share, 6),
            }
            for each in self.details
        ]


class UnrankedSolution(NamedTuple):
    """A solution as it is found: how many numbers it uses, its function, and its form."""

    size: int
    fingerprint: int
    form: Form


def rank_solutions(
    found: Sequence[UnrankedSolution], weights: Mapping[int, float], known: Reducer
) -> list[Solution]:
    """Return solutions in order, each with its share.

    They come by size, plainer forms first, which decides at last; `weights` are by fingerprint.
    """
    total = sum(weights.values())
    shares = [weights.get(each.fingerprint, 0.0) / (total or 1.0) for each in found]
    ideas = [
        known.of(form.expression).key if form.idle else (fingerprint,)
        for _, fingerprint, form in found
    ]
    of_idea: dict[tuple[int, ...], float] = {}
    for idea, share in zip(ideas, shares, strict=True):
        of_idea[idea] = of_idea.get(idea, 0.0) + share

    def order(place: int) -> tuple[float, ...]:
        size, _, form = found[place]
        return (
            size,
            -round(of_idea[ideas[place]], _ALIKE),
            form.divisions,
            form.parentheses,
            -round(shares[place], _THE_SAME),
        )

    places = sorted(range(len(found)), key=order)
    index = {idea: at for at, idea in enumerate(dict.fromkeys(ideas[place] for place in places))}
    return [
        Solution(form.expression, form.value, shares[place], index[ideas[place]])
        for place in places
        for form in [found[place].form]
    ]


def canonical_solutions(solutions: Iterable[Solution]) -> list[Solution]:
    """Return the first solution of each idea, in the order that they come in.

    >>> from crisps24.solving.solver import solutions
    >>> found = solutions((1, 4, 7, 13), 24, "cards")
    >>> len(found), len(canonical_solutions(found))
    (20, 2)
    """
    first: dict[int, Solution] = {}
    for solution in solutions:
        first.setdefault(solution.equivalence_class, solution)
    return list(first.values())
