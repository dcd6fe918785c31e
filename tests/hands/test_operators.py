"""Test hands with other operators: some of the four, one that a test adds, no zero results."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, count_solutions, evaluate, parse, reachable, solve
from crisps24.hands.chart import levels_for
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from tests import hand_oracle
from tests.hand_oracle import Rules
from tests.hands.dealing import ALL_FOUR, FREE, HALF, ROWS, Dealt, compare_solutions, dealt, game_of
from tests.hands.dealing import added_operators as added_operators
from tests.sampling import in_one_test

DIGITS = GAMES["digits"]
ROWS_ONLY = {"parentheses": False, "fractions": False, "negatives": False}


def with_one_more(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(["", "-", "+-", ALL_FOUR]).map(lambda others: others + name)


SUBSETS = ["".join(signs) for size in (1, 2, 3) for signs in combinations(ALL_FOUR, size)]
KINDS: list[tuple[Hand, Rules]] = [
    ((1, 2, 3, 4), FREE),
    ((2, 3, 4, 4), ROWS),
    ((1, 2, 3, 6), FREE._replace(fractions=False, negatives=False)),
    ((0, 1, 2, 2), FREE._replace(zero=False)),
    ((-1, 0, 1, 2), ROWS._replace(zero=False)),
    ((1, 2, 6, 6), FREE._replace(in_order=True, all_numbers=False)),
    ((3, 1, 1, 2), ROWS._replace(in_order=True, zero=False)),
    ((0, 1, 2), FREE._replace(join=True)),
    ((2, 0, 4), ROWS._replace(join=True, in_order=True)),
]


@pytest.mark.parametrize("operators", SUBSETS)
@pytest.mark.parametrize(("hand", "rules"), KINDS, ids=str)
def test_some_of_the_operators_match_brute_force(operators: str, hand: Hand, rules: Rules) -> None:
    rules = rules._replace(operators=operators)
    game, expected = game_of(hand, rules), hand_oracle.ways(hand, rules)
    assert count_solutions(hand, game, in_order=rules.in_order) == expected
    assert reachable(hand, game, in_order=rules.in_order) == set(expected)


@in_one_test(
    ("hand", "target", "rules", "in_order", "text"),
    ((2, 4, 8), 4, {"operators": (":",)}, False, "8 / (4 / 2)"),
    ((1, 2, 3, 9), 3, {"operators": ("-",), **ROWS_ONLY}, False, "9 - 3 - 2 - 1"),
    ((1, 1, 1), -1, {"zero": False}, False, "1 - (1 + 1)"),
    ((1, 2, 8), Fraction(19, 4), {"operators": ("+", "~")}, False, "2 ~ 1 ~ 8"),
    ((8, 2, 1), Fraction(19, 4), {"operators": ("+", "~")}, True, "8 ~ (2 ~ 1)"),
    ((8, 2, 1), Fraction(11, 2), {"operators": ("+", "~")}, True, "(8 + 2) ~ 1"),
)
def test_the_only_solution_has_the_necessary_parentheses(
    hand: Hand, target: Exact, rules: dict[str, Any], in_order: bool, text: str
) -> None:
    assert [*map(str, solve(hand, target, replace(DIGITS, **rules), in_order=in_order))] == [text]


@HALF
@given(dealt(with_one_more("~")))
def test_values_with_a_mean_agree_with_brute_force(dealt: Dealt) -> None:
    hand, rules = dealt
    game, expected = game_of(hand, rules), hand_oracle.ways(hand, rules)
    assert count_solutions(hand, game, in_order=rules.in_order) == expected
    assert reachable(hand, game, in_order=rules.in_order) == set(expected)


@HALF
@given(dealt(with_one_more("~")), st.data())
def test_solutions_with_a_mean_are_distinct_and_plainest(dealt: Dealt, data: st.DataObject) -> None:
    hand, rules = dealt
    known = hand_oracle.solutions(hand, rules)
    if known:
        target = data.draw(st.sampled_from(sorted({each.value for each in known.values()})))
        game, functions = game_of(hand, rules), []
        for expression, evaluated, expected in compare_solutions(hand, rules, target):
            assert evaluated.operands == expected.plainest.operands
            assert parse(str(expression), game, hand) == expression
            assert evaluate(expression, game) == target
            functions.append(evaluated.function)
        matching = [function for function, each in known.items() if each.value == target]
        assert sorted(functions) == sorted(matching)


@HALF
@given(dealt(with_one_more("v")))
def test_values_with_a_non_rational_operator_agree_with_brute_force(dealt: Dealt) -> None:
    hand, rules = dealt
    found = reachable(hand, game_of(hand, rules), in_order=rules.in_order)
    assert found == hand_oracle.values(hand, rules)


def test_a_right_operand_has_the_level_of_its_operator_only_in_a_fixed_order() -> None:
    def own_level_on_the_right(game: Game, in_order: bool = False) -> list[bool]:
        levels = levels_for(replace(game, in_order=in_order))
        return [own in each.rights for own, each in enumerate(levels)][1:]

    assert own_level_on_the_right(DIGITS) == [False, False]
    assert own_level_on_the_right(DIGITS, in_order=True) == [True, True]
    assert own_level_on_the_right(GAMES["crisps"], in_order=True) == [False, False]
    assert own_level_on_the_right(replace(DIGITS, zero=False)) == [True, True]
    assert own_level_on_the_right(GAMES["countdown"]) == [False, False]
    assert own_level_on_the_right(replace(DIGITS, operators=("-", "x", ":"))) == [False, True]
    assert own_level_on_the_right(replace(DIGITS, operators=(*ALL_FOUR, "~"))) == [True, False]
    assert own_level_on_the_right(replace(DIGITS, join=True)) == [False, False, False]
