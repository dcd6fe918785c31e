"""Brute-force oracle of routes: every order of the terms of each chain of a formula.

Steps and their costs come from the oracle of difficulty, `routes_oracle`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from crisps24.notation.trees import Expression, Number, numbers_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from tests.difficulty import routes_oracle
from tests.difficulty.routes_oracle import Route

_CHAINED = {sign: pair for pair in ("+-", "x:") for sign in pair}
# Bits that another order has to save.
_MIN_SAVED_BITS = 0.5


class Way(NamedTuple):
    route: Route
    is_neutral: bool = False
    """Whether a computed 0 or 1 leaves a value unchanged in one of its steps."""


class Part(NamedTuple):
    way: Way
    inverse: str
    """The operator that subtracts the part or divides by it; empty if it is added."""
    terms: int = 1


def way_of(expression: Expression, game: Game, in_order: bool, *, last: bool = True) -> Way | None:
    """Return the likeliest route of a formula, by the rules of `likeliest`.

    Return None if the formula as written has a negative result.
    """
    number = _number(expression)
    if number is not None:
        return Way(routes_oracle.number_route(number))
    signs, terms = _terms_of(expression)
    signed = zip([way_of(term, game, in_order, last=False) for term in terms], signs, strict=True)
    parts = [Part(way, sign if sign in "-:" else "") for way, sign in signed if way is not None]
    if len(parts) < len(terms):
        return None
    written = parts[0].way
    for sign, part in zip(signs[1:], parts[1:], strict=True):
        joined = _joined(sign, Part(written, ""), part, game)
        if joined is None:
            return None
        written = joined
    added, taken = ({part.way.route.value for part in parts if bool(part.inverse) is is_taken}
                    for is_taken in (False, True))  # fmt: skip
    if added & taken:
        return written
    pair = _CHAINED[signs[1]]
    orders = [way for way in _orders(parts, pair, game, in_order) if not way.is_neutral]
    best = min(orders, key=lambda way: _bits(way, last), default=written)
    saved = round(_bits(written, last) - _bits(best, last), 6)
    return best if saved >= _MIN_SAVED_BITS else written


def _bits(way: Way, last: bool) -> float:
    return way.route.bits_at_the_end if last else way.route.bits


def _number(expression: Expression) -> Exact | None:
    if isinstance(expression, Number):
        return expression.value
    if expression.operator.joins:
        return int("".join(str(digit.value) for digit in numbers_of(expression)))
    return None


def _terms_of(part: Expression) -> tuple[list[str], list[Expression]]:
    """Return the operators and the terms of a chain, up to the first parentheses."""
    assert not isinstance(part, Number)
    pair = _CHAINED[part.operator.name]
    signs, terms = [], []
    while not isinstance(part, Number) and part.operator.name in pair:
        signs.append(part.operator.name)
        terms.append(part.right)
        part = part.left
    return [pair[0], *signs[::-1]], [part, *terms[::-1]]


def _orders(parts: list[Part], pair: str, game: Game, in_order: bool) -> Iterator[Way]:
    """Yield the route of every order in which pairs of parts are joined."""
    if len(parts) == 1:
        yield parts[0].way
    for one, left in enumerate(parts):
        for other, right in enumerate(parts):
            if one == other or left.inverse or (in_order and other != one + 1):
                continue
            joined = _joined(right.inverse or pair[0], left, right, game)
            if joined is not None:
                rest = list(parts)
                rest[one] = Part(joined, "", left.terms + right.terms)
                yield from _orders(rest[:other] + rest[other + 1 :], pair, game, in_order)


def _joined(sign: str, left: Part, right: Part, game: Game) -> Way | None:
    """Return the route that joins two parts, or None if the step is not allowed."""
    one, other = left.way.route, right.way.route
    if sign not in game.operators or not routes_oracle._can_be_written(sign, one, other, game):
        return None
    route = routes_oracle._step(sign, one, other, game)
    if route is None:
        return None
    neutral = 0 if sign in "+-" else 1
    made = {part.way.route.value for part in (left, right) if part.terms > 1}
    return Way(route, left.way.is_neutral or right.way.is_neutral or neutral in made)
