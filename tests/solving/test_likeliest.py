"""The likeliest route to a solution, compared with every order of the terms of its formula."""

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, evaluate, parse, solve
from crisps24.hands.costs import step_bits
from crisps24.notation.evaluation import Step, evaluation_steps, leaf_evaluator
from crisps24.notation.trees import Expression, Number
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.ratios import make_column
from crisps24.solving.forms import is_neutral_step
from crisps24.solving.likeliest import hints, likeliest_route
from crisps24.solving.solver import solve_many
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, HALF, game_of, numbers_used, solvable
from tests.sampling import in_one_test
from tests.solving.chains_oracle import way_of
from tests.tables import cells_of


def is_complete(route: list[Step], expression: Expression, game: Game) -> bool:
    """Return whether each step uses numbers of the hand or earlier results, and the route all."""
    values: list[Exact] = [] if game.join else [*numbers_used(expression)]
    for _, left, right, result, legal in route:
        for value in (left, right) if not game.join else ():
            values.remove(int_if_whole(value))
        values.append(int_if_whole(result))
        assert legal
    return game.join or values == [evaluate(expression, game)]


def route_cost(route: list[Step], game: Game) -> float:
    total = 0.0
    for step in route:
        left, right, result = (make_column([v], game.fractions, object) for v in step[1:4])
        last = step is route[-1]
        total += float(step_bits(step.operation.operator, left, right, result, last)[0])
    return total


def counts_of(steps: Iterable[Step]) -> tuple[Counter[str], int]:
    """Return how often each operator is used, without joins, and steps such as 24 + 0."""
    counted = [(step, step.operation.operator) for step in steps]
    names = Counter(operator.name for _, operator in counted if not operator.joins)
    return names, sum(is_neutral_step(each, step.left, step.right) for step, each in counted)


def assert_is_route_of(route: list[Step], expression: Expression, game: Game) -> None:
    assert is_complete(route, expression, game)
    steps = list(evaluation_steps(expression, game, leaf_evaluator(game)))
    operators, neutral = zip(*(counts_of(steps) for steps in (route, steps)), strict=True)
    assert operators[0] == operators[1]
    assert neutral[0] <= neutral[1]


@HALF
@given(solvable(), st.data())
def test_route_has_the_least_cost_of_all_orders(
    drawn: tuple[tuple[int, ...], Rules, Exact], data: st.DataObject
) -> None:
    hand, rules, target = drawn
    game, in_order = replace(game_of(hand, rules), in_order=rules.in_order), rules.in_order
    solution = data.draw(st.sampled_from(list(solve(hand, target, game))))
    route = likeliest_route(solution, game)
    assert_is_route_of(route, solution, game)
    oracle = way_of(solution, game, in_order)
    if oracle is not None and route:
        assert route_cost(route, game) == pytest.approx(oracle.route.bits_at_the_end, abs=1e-9)
        assert all(step.result >= 0 for step in route)


@pytest.mark.parametrize("name", ["countdown", "numble", "krypto"])
def test_route_of_larger_hand_has_the_least_cost(name: str) -> None:
    game, draw = GAMES[name], random.Random(1)
    hands = [tuple(draw.sample(game.numbers, game.length)) for _ in range(6)]
    solved = solve_many(list(zip(hands, [draw.randint(1, 100) for _ in hands], strict=True)), game)
    first = [solution.expression for ranked in solved for solution in ranked[:12]]
    assert len(first) > 40
    for solution in first:
        route, oracle = likeliest_route(solution, game), way_of(solution, game, in_order=False)
        assert_is_route_of(route, solution, game)
        assert oracle is not None
        assert route_cost(route, game) == pytest.approx(oracle.route.bits_at_the_end, abs=1e-9)


@in_one_test(("text", "game", "steps"), *cells_of("likeliest-routes.txt"))
def test_hints_of_named_formulas(text: str, game: str, steps: str) -> None:
    expression = Number(24) if text == "24" else parse(text, game)
    assert hints(expression, GAMES[game]) == steps.split(", ")


def test_hints_keep_the_order_of_numbers() -> None:
    game = replace(GAMES["digits"], in_order=True)
    assert {str(solution): hints(solution, game) for solution in solve((2, 3, 4), 14, game)} == {
        "2 x (3 + 4)": ["3 + 4 = 7", "2 x 7 = 14"],
        "2 + 3 x 4": ["3 x 4 = 12", "2 + 12 = 14"],
    }


def test_joining_digits_is_not_a_step() -> None:
    game = game_of((1, 2, 3), FREE._replace(join=True))
    assert hints(parse("12 + 3", game), game) == ["12 + 3 = 15"]
    assert hints(parse("123", game), game) == ["123"]
