"""Test the shortest form of each value, with many operators, against a brute force."""

import os
import re
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

import crisps24
from crisps24 import GAMES, Game, evaluate, plainest, reachable
from crisps24.hands.shortest import relative_step_time
from crisps24.notation.evaluation import evaluation_steps, leaf_evaluator
from crisps24.notation.trees import numbers_of, parts_of, text_of
from crisps24.rules.exact import Exact
from tests import shortest_oracle
from tests.sampling import EVERY, in_one_test
from tests.shortest_oracle import Rules

# For longer tests set CRISPS24_HANDS=200.
HANDS = int(os.environ.get("CRISPS24_HANDS", "12"))
SETS = [
    Rules("+-x:^!√", join=True, decimals=True, repeating=True),
    Rules("+-x:^!√", decimals=True, signed=True),
    Rules("+-x:^"),
    Rules("+-x:^", join=True, in_order=True),
    Rules("-x√!", repeating=True, nesting=1),
    Rules("+^√", signed=True, nesting=3),
    Rules("+-x:^!", fractions=False, negatives=False),
    Rules("+-x:^!√", parentheses=False, join=True, in_order=True),
    Rules("+-x:^√", parentheses=False, join=True, decimals=True, negatives=False),
    Rules("+-x:!", bits=10),
]
FOURS = replace(GAMES["digits"], numbers=tuple(range(10)), operators=(*"-+x:^√!",))
FOURS = replace(FOURS, join=True, decimals=True, signed=True)


def game_of(rules: Rules) -> Game:
    values = rules._asdict() | {"operators": tuple(rules.operators)}
    del values["in_order"]
    return replace(GAMES["digits"], numbers=tuple(range(10)), **values)


@in_one_test("rules", *SETS)
def test_values_and_costs_of_forms_agree_with_brute_force(rules: Rules) -> None:
    random = Random(str(rules))
    game = game_of(rules)
    for _ in range(HANDS // len(SETS)):
        longest = 4 if random.random() < 0.25 or HANDS > 20 else 3
        hand = tuple(random.randrange(10) for _ in range(random.randint(2, longest)))
        expected = shortest_oracle.plainest(hand, rules)
        found = plainest(hand, game, in_order=rules.in_order)
        assert set(found) == set(expected), hand
        assert reachable(hand, game, in_order=rules.in_order) == set(expected)
        for value, form in random.sample(list(found.items()), min(40, len(found))):
            assert evaluate(form) == value
            assert evaluate(str(form), game) == value
            numbers = [number.value for number in numbers_of(form)]
            assert numbers == list(hand) if rules.in_order else sorted(numbers) == sorted(hand)
            steps = evaluation_steps(form, game, leaf_evaluator(game))
            made = [step.result for step in steps if not step.operation.operator.joins]
            # A number after a unary minus is in parentheses, which count as no pair.
            pairs_shown = re.sub(r"-\(([0-9.…]+)\)", r"-\1", text_of(form)).count("(")
            below = sum(value < 0 for value in made)
            assert (len(made), pairs_shown, below) == expected[value], (hand, value, form)
            assert crisps24.parse(text_of(form), game) == form


@in_one_test(
    ("hand", "operators", "signed", "text"),
    # An equally short form that binds more tightly saves parentheses.
    ((1, 5, 6), "-:√", False, "5 / √.16"),
    ((2, 2, 9), "-+:√!", True, "-(√9 + 2 / 2)!"),
    ((1, 2, 5, 6), "-:^", True, "-6 ^ (2 ^ 1 - 5)"),
    # Equal numbers of signs and parentheses, but fewer results below zero.
    ((1, 2, 8), "-^", False, "(8 - 1) ^ 2"),
    ((2, 4, 9), "-x√", False, "2 - √(9 x 4)"),
    ((1, 2, 3), "-+x:", True, "-(1 / 2 / 3)"),
)
def test_the_plainest_of_equally_short_forms_is_returned(
    hand: tuple[int, ...], operators: str, signed: bool, text: str
) -> None:
    game = replace(FOURS, operators=(*operators,), signed=signed, decimals="." in text)
    assert str(plainest(hand, replace(game, join=game.decimals))[evaluate(text, FOURS)]) == text


@pytest.mark.parametrize("signed", [False, True])
def test_wanted_values_have_the_same_forms_as_all_values(signed: bool) -> None:
    rules = Rules("+-x:^", join=True, signed=signed, in_order=True)
    game, hand = game_of(rules), (1, 2, 3, 4, 5)[: 4 if signed and not EVERY else 5]
    expected = shortest_oracle.plainest(hand, rules)
    wanted: list[Exact] = [*range(-20, 400), Fraction(1, 3), Fraction(-7, 2), 10**30]
    known = {value for value in wanted if value in expected}
    assert {3, -20, Fraction(1, 3), Fraction(-7, 2)} < known < set(wanted)
    assert reachable(hand, game, True, only=wanted) == known
    found = plainest(hand, game, in_order=True, only=wanted)
    assert set(found) == known
    every = plainest(hand, game, in_order=True).items()
    assert found == {value: form for value, form in every if value in known}
    for value, form in found.items():
        signs = [each for each in parts_of(form).operations if not each.operator.joins]
        assert (evaluate(form), len(signs)) == (value, expected[value][0])


def test_wanted_values_include_results_of_unary_operators_on_last_steps() -> None:
    game = replace(GAMES["digits"], operators=("+", "!", "√"))
    every = plainest((3, 4, 9), game)
    wanted: list[Exact] = [5, 24, 720, 3_628_800, Fraction(1, 2)]
    found = plainest((3, 4, 9), game, only=wanted)
    assert found == {value: form for value, form in every.items() if value in wanted}
    assert list(found) == [5, 24, 720, 3_628_800]


# The integers from 0 to 11,111 that 1 to 9 in order do not make, with and without unary minus:
# I. J. Taneja, Crazy sequential representation, https://arxiv.org/abs/1302.1479.
@pytest.mark.skipif(not EVERY, reason="a minute, and more than a gigabyte")
@pytest.mark.parametrize(
    ("signed", "missed"),
    [(True, [10958]), (False, [9926, 10589, 10606, 10838, 10955, 10958, 11027])],
)
def test_one_to_nine_in_order_make_all_but_the_published(signed: bool, missed: list[int]) -> None:
    game = game_of(Rules("+-x:^", join=True, signed=signed))
    found = plainest(range(1, 10), game, in_order=True, only=range(11112))
    assert [target for target in range(11112) if target not in found] == missed
    for value, form in Random(7).sample(list(found.items()), 500):
        assert evaluate(str(form), game) == value


def test_too_much_work_is_refused_with_the_size_that_fits() -> None:
    in_order = game_of(Rules("+-x:^", join=True, signed=True))
    with pytest.raises(ValueError, match=r"10 numbers .* 9 numbers would fit"):
        reachable(range(10), in_order, True, only=[24])
    # Without wanted values, all values are kept and returned with a form.
    with pytest.raises(ValueError, match=r"9 numbers .* GB of memory .*: 7 numbers would fit"):
        plainest(range(1, 10), in_order, in_order=True)
    with pytest.raises(ValueError, match=r"6 numbers needs .*: 4 numbers would fit"):
        plainest(range(1, 7), FOURS, only=[24])
    assert set(plainest((4, 4, 4, 4), FOURS, only=[24], work=1)) == {24}
    with pytest.raises(ValueError, match=r"\(limit 1\): 4 numbers would fit"):
        plainest((5,) * 5, FOURS, only=[24], work=1)


@pytest.mark.parametrize(
    ("number", "most", "missed"),
    [(4, 100, [73, 77, 87, 93, 99]), (2, 30, []), (9, 61, []), (5, 39, [39])],
)
def test_four_equal_digits_make_known_integers(number: int, most: int, missed: list[int]) -> None:
    found = reachable((number,) * 4, FOURS)
    assert [target for target in range(most + 1) if target not in found] == missed


def test_five_fives_make_all_integers_up_to_171() -> None:
    assert set(range(172)) <= reachable((5,) * 5, FOURS)


def test_the_smallest_integers_that_the_first_digits_do_not_make() -> None:
    game = replace(GAMES["digits"], numbers=tuple(range(10)), operators=(*"-+x:^",), join=True)
    least = []
    for last in range(6):
        found = reachable(tuple(range(last + 1)), game, only=range(1200))
        least.append(next(target for target in range(1, 1200) if target not in found))
    assert least == [1, 2, 4, 25, 175, 1099]


def test_solving_without_rational_functions_is_refused_with_the_reason() -> None:
    for game in (FOURS, replace(GAMES["cards"], signed=True)):
        with pytest.raises(ValueError, match="not all solutions can be found") as refused:
            crisps24.solve((4, 4), 8, game)
        with pytest.raises(ValueError, match="only one formula for each result"):
            crisps24.count_solutions((4, 4), game)
        with pytest.raises(ValueError, match="only one formula for each result"):
            crisps24.closest((4, 4), 8, game)
        assert ("^" if game is FOURS else "a minus sign before any number") in str(refused.value)


@in_one_test(
    ("operators", "signed", "reason"),
    ("+x√", False, "√"),
    ("-+x:", True, "a minus sign before any number or bracket"),
)
def test_difficulty_needs_rational_functions(operators: str, signed: bool, reason: str) -> None:
    game = replace(GAMES["digits"], operators=(*operators,), signed=signed, length=7)
    message = f"with {reason}, the results of all hands are unknown"
    with pytest.raises(ValueError, match=message):
        crisps24.difficulty(range(1, 8), 24, game)
    with pytest.raises(ValueError, match=message):
        crisps24.deal(game, 1, seed=1)


def test_unary_minus_is_counted_as_work() -> None:
    rational = replace(GAMES["digits"], signed=True)
    with pytest.raises(ValueError, match=r"7 numbers needs about .*: 6 numbers would fit"):
        plainest(range(1, 8), rational, work=1)


def test_steps_are_slow_if_decimals_meet_another_operator_of_one_number() -> None:
    digits = GAMES["digits"]
    assert relative_step_time(digits) == 1
    assert relative_step_time(replace(digits, decimals=True)) == 1
    assert relative_step_time(replace(digits, operators=(*"+-x:!",), decimals=True)) == 100


@pytest.mark.parametrize("parentheses", [True, False])
def test_without_a_binary_operator_several_numbers_make_nothing(parentheses: bool) -> None:
    game = replace(GAMES["cards"], operators=("!",), parentheses=parentheses)
    made = {3, 6, 720} if parentheses else {3, 6}
    assert reachable((3, 3), game) == set()
    assert reachable((3, 3), replace(game, all_numbers=False)) == made
