"""Solving a hand: every distinct solution, plainest first; what is reached, and how often.

Two solutions are the same when they are equal as rational functions of the numbers dealt, equal
numbers being interchangeable. Each is shown in its plainest legal form: fewest parentheses, then
fewest results below zero, then larger numbers first. Owns what is plain and what is asked;
`pools` finds what there is.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from sys import maxsize
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.pools import Derivation, Pool, Results
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import Game, find_game
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Ratios, exact_values
from crisps24.rules.words import dealt, format_numbers

# Numbers bind tighter than any operator does, those that are joined of digits as well.
_NUMBER = maxsize


class _Form(NamedTuple):
    """An expression with what makes it plain."""

    expression: Expression
    value: Exact
    operands: tuple[Any, ...]
    """Those of its chain: whether one is taken away or divided by, its value negated, so that
    the largest comes first, and its own operands."""
    precedence: int = _NUMBER
    parentheses: int = 0
    """How many pairs are written."""
    negatives: int = 0
    """How many results on the way are below zero."""
    fractions: bool = False
    """Whether a result on the way is not whole."""
    largest: Exact = 0
    """The largest result on the way, that of the last step left out."""


def solve(
    numbers: Sequence[int],
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> Iterator[Expression]:
    """Yield every distinct solution of a hand, the plainest first.

    Fewer numbers come first where not all have to be used, then solutions without fractions,
    then smaller intermediate results. `in_order` keeps the numbers in the order given.

    >>> print(*solve((3, 3, 8, 8), 24, "cards"))
    8 / (3 - 8 / 3)

    Raises ValueError for a hand that the game cannot have, see `check_hand`, and for a game with an
    operator that is no rational function.
    """
    game = find_game(game)
    return _solutions(_pool_of(numbers, game, in_order), exact(target))


def ways(
    numbers: Sequence[int],
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
) -> dict[Exact, int]:
    """Return every value that a hand makes, with its number of distinct solutions.

    `within` limits the values, first and last, which is less work.

    >>> ways((2, 3))
    {1: 1, 5: 1, 6: 1}

    Raises ValueError for a hand that the game cannot have, see `check_hand`, and for a game with an
    operator that is no rational function.
    """
    game = find_game(game)
    found = list(_pool_of(numbers, game, in_order).kept(partial(_between, within)))
    prints = np.concatenate([results.prints[which] for results, which in found])
    values = [value for results, which in found for value in exact_values(results.values[which])]
    _, once = np.unique(prints, return_index=True)
    return dict(sorted(Counter(values[place] for place in once.tolist()).items()))


def closest(
    numbers: Sequence[int],
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> dict[Exact, Expression]:
    """Return the reachable values closest to a target, one or two, with the plainest way to each.

    A hand that makes nothing has none.

    >>> {value: str(way) for value, way in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}

    Raises ValueError for a hand that the game cannot have, see `check_hand`, and for a game with an
    operator that is no rational function.
    """
    game, target = find_game(game), exact(target)
    pool = _pool_of(numbers, game, in_order)
    near: set[Exact] = set()
    for _ in pool.kept(partial(_gather_nearest, target, near)):
        pass
    gaps = {value: abs(Fraction(value) - target) for value in near}
    values = sorted(value for value, gap in gaps.items() if gap == min(gaps.values()))
    return {value: next(_solutions(pool, value)) for value in values}


def check_hand(numbers: Sequence[int], game: Game, *, in_order: bool = False) -> tuple[int, ...]:
    """Return the hand if the game can be played with it.

    Raises ValueError, in one sentence, for an empty hand, one of too many numbers or of others
    than whole ones, for zero or a number below zero where the game has none, for one of more
    digits where they are joined, and for a game that has rows alone.
    """
    check_grouping(game)
    hand = dealt(numbers)
    most, why = _most_numbers(game, in_order)
    if len(hand) > most:
        raise ValueError(f"{len(hand)} numbers are too many: a hand has at most {most}; {why}")
    for number in hand:
        if game.join and not 0 <= number <= 9:
            raise ValueError(f"only single digits can be joined, and {number} is none")
        if (number == 0 and 0 not in game.numbers) or (number < 0 <= game.numbers[0]):
            known = format_numbers(sorted(set(game.numbers)))
            raise ValueError(f"{number} cannot be dealt: the numbers of {game.name} are {known}")
    return hand


def _most_numbers(game: Game, in_order: bool) -> tuple[int, str]:
    """Return how many numbers a hand may have, and why not more."""
    if game.join and not in_order:
        return 5, "five digits can be joined to 325 numbers already (10 in order, no parentheses)"
    if not in_order or game.parentheses:
        rows = f"{10 if game.join else 12} in order, no parentheses"
        return 6, f"six have 793,002 different expressions already ({rows})"
    any_subset = game.fractions and not game.all_numbers
    if game.join:
        most = 9 if any_subset else 10
        return (
            most,
            "in order, where digits join, there are five times as many expressions with each",
        )
    if any_subset:
        return 10, "in order, with fractions and any subset, twelve have sixty million values"
    return 12, "in order there are four times as many expressions with each number"


def _pool_of(numbers: Sequence[int], game: Game, in_order: bool) -> Pool:
    """Return the pool of a hand that the game can be played with, where solutions can be told."""
    hand = check_hand(numbers, game, in_order=in_order)
    for operator in game.row_operators:
        if not operator.rational:
            raise ValueError(
                f"solutions are told apart as rational functions, and {operator.name} is none: "
                f"what {game.name} reaches can be told, but not how"
            )
    return Pool(hand, game, in_order)


def check_grouping(game: Game) -> None:
    """Raise ValueError for a game that groups otherwise than precedence and parentheses do."""
    if game.grouping != "standard":
        raise ValueError(f"{game.name} is for results files and formulas; hands are for crisps")


def _solutions(pool: Pool, target: Exact) -> Iterator[Expression]:
    seen: set[int] = set()
    forms = _Forms(pool)
    for results, which in pool.kept(partial(_between, (target, target))):
        plainest: dict[int, _Form] = {}
        for result in which:
            fingerprint = int(results.prints[result])
            if fingerprint not in seen:
                form = forms.of(results, result)
                known = plainest.get(fingerprint, form)
                plainest[fingerprint] = min(known, form, key=_plainness)
        seen.update(plainest)
        yield from (form.expression for form in sorted(plainest.values(), key=_rank))


def _plainness(form: _Form) -> tuple[Any, ...]:
    """Return what the plainest of equal forms has the least of."""
    return form.parentheses, form.negatives, form.operands, form.largest


def _rank(form: _Form) -> tuple[Any, ...]:
    """Return what solutions of as many numbers are sorted by."""
    return form.fractions, form.largest, form.negatives, form.parentheses, form.operands


def _between(within: tuple[Exact, Exact] | None, values: Column) -> Any:
    if within is None:
        return np.ones(len(values), bool)
    return (values >= within[0]) & (values <= within[1])


class _Forms:
    """The plainest forms of the results in a pool, each worked out once."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._known: dict[int, _Form] = {}

    def of(self, results: Results, result: int) -> _Form:
        """Return the plainest of all derivations of a result."""
        [value] = exact_values(results.values[[result]])
        derived = [self._derived(each, value) for each in results.derivations(result)]
        return min(derived, key=_plainness) if derived else _number_form(Number(int(value)), value)

    def _derived(self, derivation: Derivation, value: Exact) -> _Form:
        operator, left, right = derivation
        signs = self.pool.game.signs
        return _operation_form(operator, self._at(left), self._at(right), value, signs)

    def _at(self, place: int) -> _Form:
        if place not in self._known:
            self._known[place] = self.of(*self.pool.results_at(place))
        return self._known[place]


def _number_form(expression: Expression, value: Exact) -> _Form:
    """Return the form of a number, dealt or joined of digits."""
    return _Form(expression, value, ((False, -value, ()),))


def _operation_form(
    operator: Operator, left: _Form, right: _Form, value: Exact, signs: str
) -> _Form:
    """Return the form of an operation on two forms."""
    own = operator.precedence
    expression = Operation(operator, left.expression, right.expression, signs=signs)
    if operator.joins:
        return _number_form(expression, value)
    chain = left.operands if left.precedence == own else ((False, -left.value, left.operands),)
    inside = [form.value for form in (left, right) if form.precedence != _NUMBER]
    around = (left.precedence < own) + (right.precedence <= own)
    return _Form(
        expression,
        value,
        operands=(*chain, (not operator.commutes, -right.value, right.operands)),
        precedence=own,
        parentheses=left.parentheses + right.parentheses + around,
        negatives=left.negatives + right.negatives + (value < 0),
        fractions=left.fractions or right.fractions or not isinstance(value, int),
        largest=max([left.largest, right.largest, *(max(value, -value) for value in inside)]),
    )


def _gather_nearest(target: Exact, near: set[Exact], values: Column) -> Any:
    """Add the values nearest to the target to `near`; keep no row."""
    if len(values):
        gaps = _gaps(values, target)
        near.update(exact_values(values[np.flatnonzero(gaps == gaps.min())]))
    return np.zeros(len(values), bool)


def _gaps(values: Column, target: Exact) -> Any:
    """Return how far values are from the target, rounded down to so many parts of 1.

    Rounding down keeps the order, so that the nearest value is always among the least.
    """
    parts, (p, q) = 1 << 20, Fraction(target).as_integer_ratio()
    if isinstance(values, Ratios):
        numerators, denominators = values.numerators, values.denominators
    else:
        numerators, denominators = values, np.ones_like(values)
    gaps = abs(numerators.astype(object) * q - p * denominators.astype(object))
    return gaps * parts // (denominators.astype(object) * q)
