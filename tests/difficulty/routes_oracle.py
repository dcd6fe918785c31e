"""A brute force for difficulty and shares: enumerates every tree over the cards.

It is the specification of the weights of values and functions and shares only the table of bits
with them. Functions are those of the brute force for hands, `hand_oracle`. A route is a binary tree
over the cards; equal cards at different positions are different. Values are ints and `Fraction`s,
and weights are added only at the end.
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
from crisps24.rules.games import Game, Hand
from tests.hand_oracle import Function, function_of, stand_in

_PRECEDENCE = {"+": 1, "-": 1, "x": 2, ":": 2, "~": 2, "v": 1}
_COMMUTES = "+x~v"
_NUMBER = 3

Value = int | Fraction
_OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "x": operator.mul,
    ":": Fraction,
    "~": lambda a, b: Fraction(a + b, 2),
    "v": min,
}


class Route(NamedTuple):
    """One order of steps, with its bits as an operand and as a complete route."""

    value: Value
    precedence: int
    bits: float
    bits_at_the_end: float
    function: Function


def weights(hand: Hand, game: Game, in_order: bool = False) -> dict[Value, dict[Function, float]]:
    """Return the weight of each function by its value: the sum of 2 ** -bits over its routes."""
    sizes = [len(hand)] if game.all_numbers else range(1, len(hand) + 1)
    game = replace(game, all_numbers=True)
    weights_of: dict[Value, dict[Function, float]] = {}
    for size in sizes:
        for cards in combinations(hand, size):
            orders = 1 if in_order else factorial(size)
            for route in routes(cards, game, in_order):
                of_value = weights_of.setdefault(route.value, {})
                share = 2**-route.bits_at_the_end / orders
                of_value[route.function] = of_value.get(route.function, 0) + share
    return weights_of


@lru_cache(maxsize=200)
def routes(cards: Hand, game: Game, in_order: bool) -> list[Route]:
    """Return every route that uses all the given cards."""
    return list(_routes(cards, game, in_order))


def number_route(number: Value) -> Route:
    return Route(number, _NUMBER, 0, 0, stand_in(number))


def _routes(cards: Hand, game: Game, in_order: bool) -> Iterator[Route]:
    if len(cards) == 1 or game.join:
        for digits in [cards] if in_order else permutations(cards):
            if len(cards) == 1 or digits[0]:
                yield number_route(cards[0] if len(cards) == 1 else int("".join(map(str, digits))))
    for left_cards, right_cards in _splits(cards, in_order):
        for left in routes(left_cards, game, in_order):
            for right in routes(right_cards, game, in_order):
                yield from _steps(left, right, game, in_order)


def _splits(cards: Hand, in_order: bool) -> Iterator[tuple[Hand, Hand]]:
    """Yield each partition of the cards into two parts; {A, B} and {B, A} are one."""
    if in_order:
        yield from ((cards[:split], cards[split:]) for split in range(1, len(cards)))
        return
    positions = range(1, len(cards))
    for size in range(len(cards) - 1):
        for others in combinations(positions, size):
            left = (cards[0], *(cards[position] for position in others))
            yield left, tuple(cards[position] for position in positions if position not in others)


def _steps(a: Route, b: Route, game: Game, in_order: bool) -> Iterator[Route]:
    for sign in game.operators:
        pairs = [(a, b)] if in_order else [(a, b), (b, a)]
        pairs = [(left, right) for left, right in pairs if _can_be_written(sign, left, right, game)]
        for left, right in pairs[:1] if sign in _COMMUTES else pairs:
            step = _step(sign, left, right, game)
            if step is not None:
                yield step


def _can_be_written(sign: str, left: Route, right: Route, game: Game) -> bool:
    precedence = _PRECEDENCE[sign]
    fits = left.precedence >= precedence and right.precedence > precedence
    return game.parentheses or fits


def _step(sign: str, left: Route, right: Route, game: Game) -> Route | None:
    a, b = left.value, right.value
    if sign == ":" and b == 0:
        return None
    value = _OPERATIONS[sign](a, b)
    if value < 0 or (value == 0 and not game.zero):
        return None
    if value.denominator == 1:
        value = int(value)
    elif not game.fractions:
        return None
    bits = left.bits + right.bits + _bits(sign, a, b, value)
    size = COSTS["size"].bits * log2(1 + value)
    function = function_of(sign, left.function, right.function)
    return Route(value, _PRECEDENCE[sign], bits + size, bits, function)


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
    if any(number.denominator != 1 for number in (a, b, value)):
        bits += COSTS["fraction"].bits
    elif sign == "+" and a % 10 + b % 10 >= 10:
        bits += COSTS["carry"].bits
    return bits


def _is_neutral(sign: str, a: Value, b: Value) -> bool:
    if sign in "+-":
        return b == 0 or (a == 0 and sign == "+")
    return sign in "x:" and (b == 1 or (a == 1 and sign == "x"))
