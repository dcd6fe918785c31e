"""Searches of a hand, compared with a brute-force oracle and with published results."""

import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from crisps24 import GAMES, closest, count_solutions, evaluate, parse, reachable, solve
from crisps24.notation.trees import Operation
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from tests import hand_oracle
from tests.drawing_helpers import short_fractions
from tests.hand_oracle import Rules
from tests.hands import dealing
from tests.hands.dealing import HALF, Dealt, dealt, game_of, numbers_used, solvable
from tests.sampling import in_one_test
from tests.tables import rows_of


@HALF
@given(dealt())
def test_count_solutions_equals_number_of_functions(dealt: Dealt) -> None:
    hand, rules = dealt
    result = count_solutions(hand, game_of(hand, rules), in_order=rules.in_order)
    assert result == hand_oracle.ways(hand, rules)
    assert list(result) == sorted(result)


@HALF
@given(dealt())
def test_reachable_equals_values_of_all_expressions(dealt: Dealt) -> None:
    hand, rules = dealt
    result = reachable(hand, game_of(hand, rules), in_order=rules.in_order)
    assert result == hand_oracle.values(hand, rules)


@HALF
@example(((4, 4, 3, 2), Rules(False, True, False, True, in_order=True, join=True), 6))
@given(solvable())
def test_each_function_has_one_solution_in_plainest_form(drawn: tuple[Any, Rules, Exact]) -> None:
    hand, rules, target = drawn
    known = hand_oracle.solutions(hand, rules)
    expected = [function for function, each in known.items() if each.value == target]
    functions, sizes = [], []
    for expression, made, best in dealing.compare_solutions(hand, rules, target):
        functions.append(made.function)
        sizes.append(len(numbers_used(expression)))
        # No equal expression has fewer parentheses or numbers, or, with as many, fewer negative
        # results or larger numbers first.
        fractions = sum(isinstance(number, Fraction) for number in numbers_used(expression))
        pairs = str(expression).count("(") - fractions * isinstance(expression, Operation)
        assert pairs == made.parentheses == best.parentheses
        assert sizes[-1] == best.used
        assert made.below_zero == best.plainest.below_zero
        assert made.operands == best.plainest.operands
    assert sorted(functions) == sorted(expected)
    # Fewer numbers come first.
    assert sizes == sorted(sizes)


@HALF
@given(solvable())
def test_parsed_solution_makes_the_target_from_the_hand(drawn: tuple[Any, Rules, Exact]) -> None:
    hand, rules, target = drawn
    game = game_of(hand, rules)
    for expression in dealing.solve_with_rules(hand, rules, target):
        assert parse(str(expression), game, hand) == expression
        assert evaluate(expression, game) == target
        size = len(hand) if rules.all_numbers else len(numbers_used(expression))
        numbers = numbers_used(expression) if rules.in_order else sorted(numbers_used(expression))
        assert tuple(numbers) in combinations(hand if rules.in_order else sorted(hand), size)


@given(dealt(), st.one_of(st.integers(-20, 150), short_fractions(-20, 150, 12)))
def test_closest_returns_values_with_the_least_distance(dealt: Dealt, target: Exact) -> None:
    hand, rules = dealt
    values = hand_oracle.ways(hand, rules)
    assume(values)
    distances = {value: abs(Fraction(value) - target) for value in values}
    least = min(distances.values())
    result = closest(hand, target, game_of(hand, rules), in_order=rules.in_order)
    assert list(result) == sorted(value for value in values if distances[value] == least)
    for value, expression in result.items():
        assert expression == dealing.solve_with_rules(hand, rules, value)[0]


@given(dealt(), st.integers(-10, 30), st.integers(0, 30))
def test_count_solutions_within_limits_is_part_of_all(dealt: Dealt, first: int, width: int) -> None:
    hand, rules = dealt
    game, last = game_of(hand, rules), first + width
    some = count_solutions(hand, game, in_order=rules.in_order, within=(first, last))
    every = count_solutions(hand, game, in_order=rules.in_order)
    assert some == {value: count for value, count in every.items() if first <= value <= last}


@HALF
@given(
    st.lists(st.integers(10**9, 10**30), min_size=2, max_size=3),
    dealing.drawn_rules(dealing.OPERATOR_SETS),
)
def test_large_integers_are_exact(numbers: list[int], rules: Rules) -> None:
    hand, rules = tuple(numbers), rules._replace(join=False)
    game = game_of(hand, rules)
    assert count_solutions(hand, game, in_order=rules.in_order) == hand_oracle.ways(hand, rules)
    assert reachable(hand, game, rules.in_order) == hand_oracle.values(hand, rules)


TILES = st.permutations(GAMES["countdown"].numbers).map(lambda tiles: tuple(tiles[:6]))


@dealing.FEW
@given(TILES, st.integers(101, 999))
def test_solutions_of_six_numbers_are_legal_and_complete(hand: Hand, target: int) -> None:
    result = list(solve(hand, target, "countdown"))
    assert len(result) == count_solutions(hand, "countdown", within=(target, target)).get(target, 0)
    assert bool(result) == (target in reachable(hand, "countdown"))
    assert len(set(map(str, result))) == len(result)
    for expression in result:
        assert evaluate(expression, "countdown") == target
        numbers = sorted(numbers_used(expression))
        assert tuple(numbers) in combinations(sorted(hand), len(numbers))


def test_solvable_hands_equal_those_of_the_solver_in_go() -> None:
    for row in rows_of("go-cases.csv"):
        assert any(solve(row["numbers"], 24, "cards")) == (row["solvable"] == "yes"), row


TEN_TO_ONE = tuple(range(10, 0, -1))


@in_one_test(
    ("hand", "target", "game", "plainest"),
    ((3, 3, 8, 8), 24, "cards", "8 / (3 - 8 / 3)"),
    ((7, 3, 3, 7), 24, "cards", "7 x (3 + 3 / 7)"),
    ((1, 2, 3, 4), 24, "crisps", "4 x 3 x 2 x 1"),
    (TEN_TO_ONE, 2017, "crisps", "10 x 9 x 8 x 7 : 6 : 5 x 4 x 3 + 2 - 1"),
    ((2, 5, 8, 10, 25, 75), 500, "numble", "25 x 10 x 2"),
    # 3 + 2 - 2 is the same function.
    ((3, 2, 2), 3, "countdown", "3"),
    # The sign of division is that of the game.
    ((8, 2, 3), 12, "crisps", "8 x 3 : 2"),
    ((8, 2, 3), 12, "cards", "8 x 3 / 2"),
)
def test_plainest_comes_first(hand: tuple[int, ...], target: int, game: str, plainest: str) -> None:
    assert str(next(solve(hand, target, game, in_order=hand == TEN_TO_ONE))) == plainest


def test_no_formula_of_ten_to_one_makes_2016() -> None:
    assert not list(solve(TEN_TO_ONE, 2016, "crisps", in_order=True))
    assert list(closest(TEN_TO_ONE, 2016, "crisps", in_order=True)) == [2015, 2017]


def test_equally_plain_forms_in_order_are_one_solution() -> None:
    # 2 + 2 - 2 and 2 x 2 / 2 are the same function, with the same numbers in the same places.
    hand = (3, 2, 2, 2)
    found = list(solve(hand, 6, "digits", in_order=True))
    assert len(found) == count_solutions(hand, "digits", in_order=True).get(6)


def test_output_does_not_depend_on_the_hash_seed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    script = (
        "from crisps24 import solve, closest, count_solutions\n"
        "print(*solve((1, 3, 4, 6, 9, 25), 137, 'countdown'), sep='\\n')\n"
        "print(closest((1, 1, 5, 5), 24), count_solutions((2, 3, 7), 'digits'))"
    )
    exec(script, {})
    call = [sys.executable, "-c", script]
    ran = subprocess.run(call, env={"PYTHONHASHSEED": "1"}, capture_output=True, check=True)
    assert ran.stdout == capfdbinary.readouterr().out
