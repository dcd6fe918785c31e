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
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.pools import Pool, Rows
from crisps24.notation.trees import OPERATORS, Expression, Number, Operation, Operator
from crisps24.rules.games import Exact, Game, exact, find_game, format_numbers
from crisps24.rules.ratios import Column, Ratios, exact_values

_NUMBER = 1 + max(operator.precedence for operator in OPERATORS)


class _Form(NamedTuple):
    """An expression with what makes it plain.

    `parts` are the operands of its sums or products: whether taken away or divided by, the
    largest value first, and their own parts.
    """

    parentheses: int
    negatives: int
    parts: tuple[Any, ...]
    precedence: int
    value: Exact
    fractions: bool
    largest: Exact
    expression: Expression


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

    Raises ValueError for a hand that the game cannot have, see `check_hand`.
    """
    game = find_game(game)
    hand = check_hand(numbers, game, in_order=in_order)
    return _solutions(Pool(hand, game, in_order), exact(target))


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

    Raises ValueError for a hand that the game cannot have, see `check_hand`.
    """
    game = find_game(game)
    pool = Pool(check_hand(numbers, game, in_order=in_order), game, in_order)
    found = list(pool.kept(partial(_between, within)))
    prints = np.concatenate([rows.prints[which] for rows, which in found])
    values = [value for rows, which in found for value in exact_values(rows.values[which])]
    _, once = np.unique(prints, return_index=True)
    return dict(sorted(Counter(values[row] for row in once.tolist()).items()))


def closest(
    numbers: Sequence[int],
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> dict[Exact, Expression]:
    """Return the reachable values closest to a target, one or two, with the plainest way to each.

    >>> {value: str(way) for value, way in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}

    Raises ValueError for a hand that the game cannot have, see `check_hand`.
    """
    game, target = find_game(game), exact(target)
    pool = Pool(check_hand(numbers, game, in_order=in_order), game, in_order)
    near: set[Exact] = set()
    for _ in pool.kept(partial(_gather_nearest, target, near)):
        pass
    gaps = {value: abs(Fraction(value) - target) for value in near}
    values = sorted(value for value, gap in gaps.items() if gap == min(gaps.values()))
    return {value: next(_solutions(pool, value)) for value in values}


def check_hand(numbers: Sequence[int], game: Game, *, in_order: bool = False) -> tuple[int, ...]:
    """Return the hand if the game can be played with it.

    Raises ValueError, in one sentence, for an empty hand, one of too many numbers or of others
    than whole ones, for zero or a number below zero where the game has none, and for a game that
    has rows alone.
    """
    check_grouping(game)
    for number in numbers:
        if not isinstance(number, Integral):
            raise ValueError(f"{number!r} is not a whole number")
    hand = tuple(map(int, numbers))
    if not hand:
        raise ValueError("the hand is empty: give one number or more")
    most, why = _most_numbers(game, in_order)
    if len(hand) > most:
        raise ValueError(f"{len(hand)} numbers are too many: a hand has at most {most}; {why}")
    for number in hand:
        if (number == 0 and 0 not in game.numbers) or (number < 0 <= game.numbers[0]):
            known = format_numbers(sorted(set(game.numbers)))
            raise ValueError(f"{number} cannot be dealt: the numbers of {game.name} are {known}")
    return hand


def _most_numbers(game: Game, in_order: bool) -> tuple[int, str]:
    """Return how many numbers a hand may have, and why not more."""
    if not in_order or game.parentheses:
        return 6, "six have 793,002 different expressions already (12 in order, no parentheses)"
    if game.fractions and not game.all_numbers:
        return 10, "in order, with fractions and any subset, twelve have sixty million values"
    return 12, "in order there are four times as many expressions with each number"


def check_grouping(game: Game) -> None:
    """Raise ValueError for a game that groups otherwise than precedence and parentheses do."""
    if game.grouping != "standard":
        raise ValueError(f"{game.name} is for results files and formulas; hands are for crisps")


def _solutions(pool: Pool, target: Exact) -> Iterator[Expression]:
    seen: set[int] = set()
    forms = _Forms(pool)
    for rows, which in pool.kept(partial(_between, (target, target))):
        plainest: dict[int, _Form] = {}
        for row in which:
            fingerprint = int(rows.prints[row])
            if fingerprint not in seen:
                form = forms.of(rows, row)
                known = plainest.get(fingerprint, form)
                plainest[fingerprint] = min(known, form, key=_plainness)
        seen.update(plainest)
        yield from (form.expression for form in sorted(plainest.values(), key=_rank))


def _plainness(form: _Form) -> tuple[Any, ...]:
    """Return what the plainest of equal forms has the least of."""
    return form.parentheses, form.negatives, form.parts, form.largest


def _rank(form: _Form) -> tuple[Any, ...]:
    """Return what solutions of as many numbers are sorted by."""
    return form.fractions, form.largest, form.negatives, form.parentheses, form.parts


def _between(within: tuple[Exact, Exact] | None, values: Column) -> Any:
    if within is None:
        return np.ones(len(values), bool)
    return (values >= within[0]) & (values <= within[1])


class _Forms:
    """The plainest forms of the rows of a pool, each worked out once."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._known: dict[int, _Form] = {}

    def of(self, rows: Rows, row: int) -> _Form:
        """Return the plainest of all derivations of a row."""
        [value] = exact_values(rows.values[[row]])
        signs = self.pool.game.signs
        joined = [
            _join(OPERATORS[operator], self._in_pool(left), self._in_pool(right), value, signs)
            for operator, left, right in rows.derivations(row)
        ]
        if joined:
            return min(joined, key=_plainness)
        number = int(value)
        return _Form(0, 0, ((False, -number, ()),), _NUMBER, number, False, 0, Number(number))

    def _in_pool(self, row: int) -> _Form:
        if row not in self._known:
            self._known[row] = self.of(*self.pool.rows_of(row))
        return self._known[row]


def _join(operator: Operator, left: _Form, right: _Form, value: Exact, signs: str) -> _Form:
    """Return the form of an operation on two forms."""
    own = operator.precedence
    parts = left.parts if left.precedence == own else ((False, -left.value, left.parts),)
    inside = [form.value for form in (left, right) if form.precedence != _NUMBER]
    return _Form(
        left.parentheses + right.parentheses + (left.precedence < own) + (right.precedence <= own),
        left.negatives + right.negatives + (value < 0),
        (*parts, (not operator.commutes, -right.value, right.parts)),
        own,
        value,
        left.fractions or right.fractions or not isinstance(value, int),
        max([left.largest, right.largest, *(max(value, -value) for value in inside)]),
        Operation(operator, left.expression, right.expression, signs=signs),
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
