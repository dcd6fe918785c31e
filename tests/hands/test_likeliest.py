"""The likeliest route to a solution: worked step by step, and held to every tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, check, evaluate, parse, solve
from crisps24.hands.costs import step_bits
from crisps24.hands.likeliest import hints, route_of
from crisps24.notation.evaluation import Step
from crisps24.notation.trees import Expression, Number
from crisps24.rules.deals import hands_of
from crisps24.rules.exact import Exact, simplest
from crisps24.rules.ratios import column_of
from tests.hand_oracle import Rules, read
from tests.hands.dealing import FREE, HALF, game_of, solvable, used
from tests.hands.weights_oracle import least_bits


def is_worked(route: list[Step], expression: Expression, game: Game) -> bool:
    """Return whether every step uses numbers dealt or results before it, all of them in the end."""
    numbers = list(used(expression)) if not game.join else []
    made: list[Exact] = list(numbers)
    for _, left, right, result, legal in route:
        for value in (left, right) if not game.join else ():
            made.remove(simplest(value))
        made.append(simplest(result))
        assert legal
    target = evaluate(expression, game)
    return game.join or made == [target]


def bits_of(route: list[Step], game: Game) -> float:
    """Return what a route costs."""
    total = 0.0
    for step in route:
        columns = [column_of([value], game.fractions, object) for value in step[1:4]]
        left, right, result = columns
        last = step is route[-1]
        total += float(step_bits(step.operation.operator, left, right, result, last)[0])
    return total


@HALF
@given(solvable(), st.data())
def test_a_route_can_be_worked_and_none_is_likelier(
    drawn: tuple[tuple[int, ...], Rules, Exact], data: st.DataObject
) -> None:
    hand, rules, target = drawn
    game, in_order = game_of(hand, rules), rules.in_order
    solution = data.draw(st.sampled_from(list(solve(hand, target, game, in_order=in_order))))
    route = route_of(solution, game, in_order=in_order)
    assert is_worked(route, solution, game)
    numbers = tuple(used(solution))
    if game.join and len(numbers) < len(hand):
        return
    known = least_bits(numbers if in_order else tuple(sorted(numbers)), game, in_order)
    function = read(str(solution), rules).function
    if function in known and route:
        assert bits_of(route, game) == pytest.approx(known[function], rel=1e-9, abs=1e-9)
        assert all(step.result >= 0 for step in route)


def test_without_parentheses_no_sum_is_a_factor() -> None:
    crisps = GAMES["crisps"]
    assert hints(parse("6 x 4 + 2 - 2"), "crisps") == ["2 : 2 = 1", "4 x 1 = 4", "6 x 4 = 24"]
    for hand in hands_of(crisps):
        for solution in solve(hand, 24, crisps):
            working = ", ".join(hints(solution, crisps))
            assert check(working, 24, hand, crisps).verdict == "right", (solution, working)


NAMED = [
    ("13 + 8 + 6 - 3", "cards", ["6 - 3 = 3", "8 + 3 = 11", "13 + 11 = 24"]),
    ("10 + 8 + 4 + 2", "cards", ["10 + 2 = 12", "8 + 4 = 12", "12 + 12 = 24"]),
    ("(13 - 7) x 4 x 1", "cards", ["13 - 7 = 6", "4 x 1 = 4", "6 x 4 = 24"]),
    ("8 / (3 - 8 / 3)", "cards", ["8 / 3 = 8/3", "3 - (8/3) = 1/3", "8 / (1/3) = 24"]),
    ("3 + 2 + 1", "crisps", ["2 + 1 = 3", "3 + 3 = 6"]),
    ("24", "cards", ["24"]),
    ("2 - 3", "cards", ["2 - 3 = -1"]),
]


@pytest.mark.parametrize(("text", "game", "lines"), NAMED)
def test_hints_are_the_steps_in_the_signs_of_the_game(
    text: str, game: str, lines: list[str]
) -> None:
    expression = Number(24) if text == "24" else parse(text, game)
    assert hints(expression, game) == lines


def test_numbers_in_order_stay_in_order() -> None:
    game = GAMES["digits"]
    found = {str(way): hints(way, game, in_order=True)
             for way in solve((2, 3, 4), 14, game, in_order=True)}  # fmt: skip
    assert found == {
        "2 x (3 + 4)": ["3 + 4 = 7", "2 x 7 = 14"],
        "2 + 3 x 4": ["3 x 4 = 12", "2 + 12 = 14"],
    }


def test_joined_digits_are_no_step() -> None:
    game = game_of((1, 2, 3), FREE._replace(join=True))
    assert hints(parse("12 + 3", game), game) == ["12 + 3 = 15"]
    assert hints(parse("123", game), game) == ["123"]


def test_a_route_of_six_numbers_is_found() -> None:
    game = GAMES["countdown"]
    for solution in list(solve((25, 50, 75, 100, 3, 6), 952, game)):
        route = route_of(solution, game)
        assert is_worked(route, solution, game)
        assert len(route) == len(used(solution)) - 1
