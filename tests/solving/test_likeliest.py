"""The likeliest route to a solution: a working of it, step by step, and held to every tree."""

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, check, evaluate, parse, solve
from crisps24.hands.costs import step_bits
from crisps24.notation.evaluation import Step
from crisps24.notation.trees import Expression, Number, numbers_of
from crisps24.notation.workings import read_working
from crisps24.rules.deals import hands_of
from crisps24.rules.exact import Exact, simplest
from crisps24.rules.ratios import column_of
from crisps24.solving.likeliest import hints, route_of
from crisps24.solving.solver import solve_many
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, HALF, game_of, solvable, used
from tests.hands.weights_oracle import Chains, chains_of, least_bits


def chains_in(expression: Expression) -> Chains:
    """Return the chains of an expression; digits that are joined are a number."""
    if isinstance(expression, Number):
        return expression.value
    if expression.operator.joins:
        return int("".join(str(digit.value) for digit in numbers_of(expression)))
    left, right = chains_in(expression.left), chains_in(expression.right)
    return chains_of(expression.operator.name, left, right)


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
def test_a_route_can_be_worked_and_no_working_of_the_solution_is_likelier(
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
    hand = numbers if in_order else tuple(sorted(numbers))
    least = least_bits(hand, game, in_order, chains_in(solution))
    if least is None:
        assert any(step.result < 0 for step in route)
    elif route:
        assert bits_of(route, game) == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert all(step.result >= 0 for step in route)


def test_the_hints_of_a_card_are_a_working_of_the_solution_that_is_shown() -> None:
    shown = next(solve((4, 3, 8, 4)))
    assert str(shown) == "8 x 3 + 4 - 4"
    lines = hints(shown, GAMES["crisps"])
    assert chains_in(shown) in worked(lines, (4, 3, 8, 4))
    assert "4 : 4 = 1" not in lines


# One hand of so many, how many of them have a solution, and at most how many solutions have steps
# that can be read in another way whatever their order: 6 - 2 = 4, 4 + 2 = 6, 6 x 4 = 24 is
# (4 + 2) x (6 - 2), or (6 - 2 + 2) x 4.
SOME = [("cards", 9, 152, 1), ("digits", 5, 77, 0), ("crisps", 4, 41, 0)]
EVERY = [("cards", 1, 1362, 20), ("digits", 1, 404, 5), ("crisps", 1, 195, 0)]


@pytest.mark.parametrize(
    ("name", "apart", "hands", "ambiguous"), EVERY if "CRISPS24_EVERY" in os.environ else SOME
)
def test_the_hints_of_every_solution_of_every_hand_have_its_chains(
    name: str, apart: int, hands: int, ambiguous: int
) -> None:
    game, solvable = GAMES[name], 0
    for found in solve_many([(hand, 24) for hand in list(hands_of(game))[::apart]], game):
        solvable += bool(found)
        for place, solution in enumerate(found):
            lines, chains = hints(solution.expression, game), chains_in(solution.expression)
            assert chains in worked(lines, used(solution.expression)), (lines, solution)
            if chains_in(read_working(", ".join(lines), game).expression) != chains:
                assert place > 0
                ambiguous -= 1
    assert solvable == hands
    assert ambiguous >= 0


def worked(lines: Sequence[str], dealt: Sequence[int]) -> list[Chains]:
    """Return the chains of every formula that some steps with numbers dealt may stand for."""
    ends: list[list[tuple[Fraction, Chains]]] = [[(Fraction(each), each) for each in dealt]]
    for line in lines:
        left, sign, right, _, result = line.replace("(", "").replace(")", "").split()
        sign = {"/": ":"}.get(sign, sign)
        ends = [
            [*rest, (Fraction(result), chains_of(sign, one[1], other[1]))]
            for there in ends
            for one, other in permutations(there, 2)
            if (one[0], other[0]) == (Fraction(left), Fraction(right))
            for rest in [[each for each in there if each is not one and each is not other]]
        ]
    return [end[0][1] for end in ends if len(end) == 1]


def test_without_parentheses_no_sum_is_a_factor() -> None:
    crisps = GAMES["crisps"]
    for hand in hands_of(crisps)[:: 1 if "CRISPS24_EVERY" in os.environ else 4]:
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
    assert hints(expression, GAMES[game]) == lines


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
