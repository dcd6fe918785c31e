"""The slow, obvious program for difficulty: every tree over the cards, one by one.

It is the specification that `hands.by_value` and `hands.costs` are held to, and shares nothing with
them but the bits of the table. A route is a binary tree over the cards, told apart by their
places; values are ints and `Fraction`s, and nothing is added up before the end.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import factorial, log2
from typing import NamedTuple

from crisps24.hands.costs import COSTS
from crisps24.rules.games import Game

_BINDS = {"+": 1, "-": 1, "x": 2, ":": 2, "~": 2, "v": 1}
_COMMUTES = "+x~v"
_NUMBER = 3

Value = int | Fraction
_MAKE: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "x": operator.mul,
    ":": Fraction,
    "~": lambda a, b: Fraction(a + b, 2),
    "v": min,
}


class Route(NamedTuple):
    """One order of work, as an operand of further steps and as the end of a route."""

    value: Value
    binds: int
    bits: float
    bits_at_the_end: float


def weights(hand: tuple[int, ...], game: Game, in_order: bool = False) -> dict[Value, float]:
    """Return the share of tries that end with each value."""
    sizes = [len(hand)] if game.all_numbers else range(1, len(hand) + 1)
    game = replace(game, all_numbers=True)
    found: dict[Value, float] = {}
    for size in sizes:
        for cards in combinations(hand, size):
            arranged = 1 if in_order else factorial(size)
            for route in routes(cards, game, in_order):
                share = 2**-route.bits_at_the_end / arranged
                found[route.value] = found.get(route.value, 0) + share
    return found


@lru_cache(maxsize=200)
def routes(cards: tuple[int, ...], game: Game, in_order: bool) -> list[Route]:
    """Return every route that uses some cards."""
    return list(_routes(cards, game, in_order))


def _routes(cards: tuple[int, ...], game: Game, in_order: bool) -> Iterator[Route]:
    if len(cards) == 1 or game.join:
        for digits in [cards] if in_order else permutations(cards):
            if len(cards) == 1 or digits[0]:
                yield Route(int("".join(map(str, digits))), _NUMBER, 0, 0)
    for left_cards, right_cards in _splits(cards, in_order):
        for left in routes(left_cards, game, in_order):
            for right in routes(right_cards, game, in_order):
                yield from _steps(left, right, game, in_order)


def _splits(
    cards: tuple[int, ...], in_order: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each way to take cards in two; {A, B} and {B, A} are one."""
    if in_order:
        yield from ((cards[:at], cards[at:]) for at in range(1, len(cards)))
        return
    places = range(1, len(cards))
    for size in range(len(cards) - 1):
        for others in combinations(places, size):
            left = (cards[0], *(cards[at] for at in others))
            yield left, tuple(cards[at] for at in places if at not in others)


def _steps(a: Route, b: Route, game: Game, in_order: bool) -> Iterator[Route]:
    for sign in game.operators:
        ways = [(a, b)] if in_order else [(a, b), (b, a)]
        ways = [(left, right) for left, right in ways if _can_be_written(sign, left, right, game)]
        for left, right in ways[:1] if sign in _COMMUTES else ways:
            step = _step(sign, left, right, game)
            if step is not None:
                yield step


def _can_be_written(sign: str, left: Route, right: Route, game: Game) -> bool:
    own = _BINDS[sign]
    return game.parentheses or (left.binds >= own and right.binds > own)


def _step(sign: str, left: Route, right: Route, game: Game) -> Route | None:
    a, b = left.value, right.value
    if sign == ":" and b == 0:
        return None
    value = _MAKE[sign](a, b)
    if value < 0 or (value == 0 and not game.zero):
        return None
    if value.denominator == 1:
        value = int(value)
    elif not game.fractions:
        return None
    before, on_the_way = left.bits + right.bits, _bits(sign, a, b, value)
    size = COSTS["size"].bits * log2(1 + value)
    return Route(value, _BINDS[sign], before + on_the_way + size, before + on_the_way)


def _bits(sign: str, a: Value, b: Value, value: Value) -> float:
    """Return the bits of a step, without the size of its result."""
    if _is_neutral(sign, a, b):
        return COSTS["neutral"].bits
    if sign in "x:" and (a == 0 or b == 0):
        return 0
    if sign in "-:" and a == b:
        return COSTS["equal"].bits
    bits = 0.0
    if a == b:
        bits += COSTS["equal"].bits
    if (b == 1 and sign in "+-") or (a == 1 and sign == "+"):
        bits += COSTS["one"].bits
    if sign == ":":
        bits += COSTS["division"].bits
    if any(each.denominator != 1 for each in (a, b, value)):
        bits += COSTS["fraction"].bits
    elif sign == "+" and a % 10 + b % 10 >= 10:
        bits += COSTS["carry"].bits
    return bits


def _is_neutral(sign: str, a: Value, b: Value) -> bool:
    if sign in "+-":
        return b == 0 or (a == 0 and sign == "+")
    return sign in "x:" and (b == 1 or (a == 1 and sign == "x"))
