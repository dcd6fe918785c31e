"""The order of solutions: equivalence classes and shares, and the sequence that users get.

Solutions with more points come first, then those with fewer numbers, then the likelier equivalence
classes. In a class, fewer divisions come first, then fewer parentheses, then the larger share. A
share is the part of a solution of the weights of all routes, which `hands.forest` computes.

Some solutions differ only in *neutral steps*: multiplying or dividing by 1, or adding or
subtracting 0. `reduce_expression` removes them. Two solutions are *equivalent* if the reduced
functions are the same and the removed operands are the same functions: (13 - 7) x 4 x 1 is
equivalent to (13 - 7 x 1) x 4, since both reduce to (13 - 7) x 4, with the removed operand 1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

from crisps24.hands.costs import neutral_element
from crisps24.hands.fingerprints import Residue, evaluation_point
from crisps24.notation.checking import working
from crisps24.notation.evaluation import exact_value
from crisps24.notation.trees import Expression, Operation, text_of
from crisps24.output.tables import Row, render
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game
from crisps24.rules.operators import Value
from crisps24.solving.forms import Form

# Decimals to which shares are rounded before they are compared. Shares of classes that differ by
# less are equal for people; shares of solutions only by the rounding errors of floats.
_CLASS_SHARE_DECIMALS = 3
_SOLUTION_SHARE_DECIMALS = 9
# The orders of solutions: by all criteria of `rank_solutions`, without points or with; by share
# only, if there are too many to rank; without shares, if computing them exceeds the limit.
LIKELIEST = "likeliest first"
MOST_POINTS = "most points first"
BY_SHARE = "by share alone"
PLAIN = "in plain order"


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
    points: int | None = None
    """The points of the expression, in games that give points for operators."""
    game: Game = field(default=FREE_GAME, compare=False, repr=False)
    """The game of its `steps`."""

    def __str__(self) -> str:
        return str(self.expression)

    @property
    def steps(self) -> list[str]:
        """The steps of the expression, such as `3 x 8 = 24`; none for a number."""
        return working(self.expression, self.game)


class RankedSolutions(NamedTuple):
    """The requested solutions of a hand, in order."""

    solutions: Sequence[Solution]
    total: int
    """Number of solutions of the hand, including solutions that were not requested."""
    order: str = LIKELIEST
    """The criterion for the first solutions: one of the constants above."""


class Solutions(Sequence[Expression]):
    """The solutions of one hand as expressions, likeliest first; computed at first use.

    The first use can raise RefusedError (see `solve`). `next` returns one after the other. A
    notebook shows them as a table.
    """

    def __init__(self, find: Callable[[], RankedSolutions], game: Game) -> None:
        """Store the function that computes the solutions; it is called at most once."""
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

        It is "likeliest first", or "most points first" if operators give points. If only the first
        of more than 20,000 solutions were requested, it is "by share alone", or "in plain order" if
        computing shares takes too much work.
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
        if not isinstance(other, Solutions):
            return NotImplemented
        return self.game == other.game and self._ranked == other._ranked

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return render(self._rows()) if self.details else f"no solution in {self.game.name}"

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


# Equal for equivalent solutions: a reduced function and the removed operands, as fingerprints.
ClassKey = tuple[int, ...]


class Reduction(NamedTuple):
    """An expression without its neutral steps."""

    value: Value
    residue: Residue
    """The reduced function, evaluated at a random point modulo a prime."""
    removed: tuple[int, ...]
    """The fingerprints of the operands of the removed steps, in ascending order."""

    @property
    def key(self) -> ClassKey:
        return self.residue.number, *self.removed


def reduce_expression(expression: Expression, game: Game) -> Reduction:
    """Return a legal expression of a game without its neutral steps."""
    if not isinstance(expression, Operation):
        number = expression.value
        return Reduction(exact_value(number, game), Residue(evaluation_point(number)), ())
    operator = expression.operator
    left = reduce_expression(expression.left, game)
    right = reduce_expression(expression.right, game)
    value = operator.arithmetic(left.value, right.value)
    if operator.joins:
        return Reduction(value, Residue(evaluation_point(int(value))), ())
    neutral = neutral_element(operator)
    removed = left.removed + right.removed
    # Of two neutral operands, the right one is removed.
    if right.value == neutral:
        residue, removed = left.residue, (*removed, right.residue.number)
    elif left.value == neutral and operator.commutes:
        residue, removed = right.residue, (*removed, left.residue.number)
    else:
        residue = operator.arithmetic(left.residue, right.residue)
    return Reduction(value, residue, tuple(sorted(removed)))


class UnrankedSolution(NamedTuple):
    """A solution before its share is known."""

    size: int
    """How many numbers of the hand the solution uses."""
    fingerprint: int
    """The fingerprint of its function."""
    form: Form
    points: int | None = None


def rank_solutions(
    solutions: Sequence[UnrankedSolution], weights: Mapping[int, float], game: Game
) -> list[Solution]:
    """Return solutions with their shares of all `weights`, and classes, likeliest first.

    Otherwise equal solutions keep their order: smaller hands first, then simpler forms.
    """
    total = sum(weights.values()) or 1.0
    shares = [weights.get(solution.fingerprint, 0.0) / total for solution in solutions]
    # A solution without a neutral step, which is the usual case, needs no reduction: its key is its
    # fingerprint.
    class_keys = [
        reduce_expression(form.expression, game).key if form.has_neutral_step else (fingerprint,)
        for _, fingerprint, form, _ in solutions
    ]
    class_shares = dict.fromkeys(class_keys, 0.0)
    for class_key, share in zip(class_keys, shares, strict=True):
        class_shares[class_key] += share

    def order(item: tuple[UnrankedSolution, float, ClassKey]) -> tuple[float, ...]:
        (size, _, form, points), share, class_key = item
        class_share = round(class_shares[class_key], _CLASS_SHARE_DECIMALS)
        rounded_share = round(share, _SOLUTION_SHARE_DECIMALS)
        simplicity = form.divisions, form.parentheses
        return -(points or 0), size, -class_share, *simplicity, -rounded_share

    class_numbers: dict[ClassKey, int] = {}
    return [
        Solution(
            form.expression,
            form.value,
            share,
            class_numbers.setdefault(class_key, len(class_numbers)),
            points,
            game,
        )
        for (_, _, form, points), share, class_key in sorted(
            zip(solutions, shares, class_keys, strict=True), key=order
        )
    ]


def canonical_solutions(solutions: Iterable[Solution]) -> list[Solution]:
    """Return the first solution of each equivalence class."""
    first: dict[int, Solution] = {}
    for solution in solutions:
        first.setdefault(solution.equivalence_class, solution)
    return list(first.values())
