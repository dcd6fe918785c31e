"""A brute force for shares: the weight of each tree over the cards, by its function.

Its steps and their costs are those of the brute force for difficulty, `routes_oracle`; its
functions are those of the brute force for hands, `hand_oracle`.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

from crisps24.rules.games import Game, Hand
from tests.difficulty import routes_oracle
from tests.difficulty.routes_oracle import Route, Value
from tests.hand_oracle import Function, function_of, stand_in


class Tree(NamedTuple):
    """One order of steps, and its function."""

    route: Route
    function: Function


def weights(hand: Hand, game: Game, in_order: bool = False) -> dict[Value, dict[Function, float]]:
    """Return the weight of each function that ends a route, by its value."""
    sizes = [len(hand)] if game.all_numbers else range(1, len(hand) + 1)
    game = replace(game, all_numbers=True)
    weights_of: dict[Value, dict[Function, float]] = {}
    for size in sizes:
        for cards in combinations(hand, size):
            orders = 1 if in_order else factorial(size)
            for route, function in trees(cards, game, in_order):
                of_value = weights_of.setdefault(route.value, {})
                share = 2**-route.bits_at_the_end / orders
                of_value[function] = of_value.get(function, 0) + share
    return weights_of


@lru_cache(maxsize=200)
def trees(cards: Hand, game: Game, in_order: bool) -> list[Tree]:
    return list(_trees(cards, game, in_order))


def _trees(cards: Hand, game: Game, in_order: bool) -> Iterator[Tree]:
    if len(cards) == 1 or game.join:
        for digits in [cards] if in_order else permutations(cards):
            if len(cards) == 1 or digits[0]:
                number = cards[0] if len(cards) == 1 else int("".join(map(str, digits)))
                yield Tree(Route(number, 3, 0, 0), stand_in(number))
    for left_cards, right_cards in routes_oracle._splits(cards, in_order):
        for left in trees(left_cards, game, in_order):
            for right in trees(right_cards, game, in_order):
                yield from _steps(left, right, game, in_order)


def _steps(a: Tree, b: Tree, game: Game, in_order: bool) -> Iterator[Tree]:
    for sign in game.operators:
        pairs = [(a, b)] if in_order else [(a, b), (b, a)]
        pairs = [
            (left, right)
            for left, right in pairs
            if routes_oracle._can_be_written(sign, left.route, right.route, game)
        ]
        for left, right in pairs[:1] if sign in "+x~v" else pairs:
            step = routes_oracle._step(sign, left.route, right.route, game)
            if step is not None:
                function = function_of(sign, left.function, right.function)
                yield Tree(step, function)
