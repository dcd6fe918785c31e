"""Test hands whose digits can be joined to numbers."""

from dataclasses import replace
from typing import Any

import pytest

from crisps24 import GAMES, count_solutions, evaluate, parse, reachable, solve, survey
from crisps24.notation.checking import working
from crisps24.notation.trees import Number, Operation
from crisps24.rules.operators import JOIN
from tests import hand_oracle
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, ROWS, game_of

DIGITS = replace(GAMES["digits"], numbers=tuple(range(10)), join=True)
IN_A_ROW = replace(DIGITS, parentheses=False)
ONE_TO_NINE = tuple(range(1, 10))


def test_counts_of_hands_of_four_joined_digits_are_as_published() -> None:
    """Compare six of P. Norvig's 65 counts, of 715 hands with digits joined or not."""
    result = survey(DIGITS, range(65))
    counts = result.solvable.sum(axis=0).tolist()
    published = {0: 706, 1: 665, 2: 670, 13: 541, 24: 536, 64: 406}
    assert len(result.hands) == 715
    assert {target: counts[target] for target in published} == published
    # Single hands agree with the survey.
    for hand, row in list(zip(result.hands, result.solvable, strict=True))[::40]:
        assert reachable(hand, DIGITS) & set(range(65)) == set(row.nonzero()[0].tolist())


def test_digits_are_joined_from_left_to_right() -> None:
    [solution] = solve((1, 2, 3), 123, DIGITS)
    one_two = Operation(JOIN, Number(1), Number(2))
    assert str(solution) == "123"
    assert solution == Operation(JOIN, one_two, Number(3))
    assert evaluate(solution, DIGITS) == evaluate("123", DIGITS) == 123


def test_joining_is_not_a_step_and_has_no_intermediate_result() -> None:
    # If joined numbers were intermediate results, 21 + 3 would come first.
    game = replace(DIGITS, operators=("+",))
    solutions = list(solve((1, 2, 3), 24, game))
    assert [str(solution) for solution in solutions] == ["23 + 1", "21 + 3"]
    assert working(solutions[0], game) == ["23 + 1 = 24"]
    assert working(parse("123", game), game) == []


def test_1_to_9_in_order_make_100_in_11_ways_with_plus_and_minus() -> None:
    game = replace(IN_A_ROW, operators=("+", "-"))
    texts = [str(solution) for solution in solve(ONE_TO_NINE, 100, game, in_order=True)]
    assert len(texts) == len(set(texts)) == 11
    assert "123 - 45 - 67 + 89" in texts
    # With four operators.
    options: Any = {"in_order": True, "within": (100, 100)}
    assert count_solutions(ONE_TO_NINE, IN_A_ROW, **options) == {100: 101}


@pytest.mark.parametrize("rules", [FREE, ROWS], ids=["parentheses", "rows"])
@pytest.mark.parametrize("hand", [(1, 2, 3, 4), (0, 0, 1, 1), (5, 5, 5, 5), (9, 0, 8, 7)], ids=str)
def test_four_digits_make_the_values_of_brute_force(hand: tuple[int, ...], rules: Rules) -> None:
    for in_order in (False, True):
        joining = rules._replace(join=True, in_order=in_order)
        game, expected = game_of(hand, joining), hand_oracle.ways(hand, joining)
        assert count_solutions(hand, game, in_order=in_order) == expected
        assert reachable(hand, game, in_order=in_order) == set(expected)
