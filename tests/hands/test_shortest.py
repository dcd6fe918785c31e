"""The shortest form of each value with operators that games choose, held to plain fractions."""

import os
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from crisps24 import GAMES, Game, evaluate, parse
from crisps24.hands.solver import plainest, reachable, solve, ways
from crisps24.notation.trees import numbers_of, parts_of, text_of
from tests import shortest_oracle
from tests.shortest_oracle import Rules

# More by hand: CRISPS24_HANDS=200.
HANDS = int(os.environ.get("CRISPS24_HANDS", "12"))
SETS = [
    Rules("+-x:^!√", join=True),
    Rules("+-x:^!√", decimals=True, signed=True),
    Rules("+-x:^"),
    Rules("+-x:^", join=True, in_order=True),
    Rules("-x√!", repeating=True, nesting=1),
    Rules("+^√", signed=True, nesting=3),
    Rules("+-x:^!", fractions=False, negatives=False),
    Rules("+-x:^!√", parentheses=False, join=True, in_order=True),
    Rules("+-x:^√", parentheses=False, decimals=True, negatives=False),
    Rules("+-x:!", bits=10),
]
FOURS = replace(
    GAMES["digits"],
    numbers=tuple(range(10)),
    operators=("-", "+", "x", ":", "^", "√", "!"),
    join=True,
    decimals=True,
    signed=True,
)


def game_of(rules: Rules) -> Game:
    values = rules._asdict()
    values.pop("in_order")
    values["operators"] = tuple(values["operators"])
    return replace(GAMES["digits"], numbers=tuple(range(10)), **values)


@pytest.mark.parametrize("rules", SETS, ids=str)
def test_values_and_forms_are_those_of_looking_at_all_there_is(rules: Rules) -> None:
    random = Random(str(rules))
    game = game_of(rules)
    for _ in range(max(1, HANDS // len(SETS))):
        longest = 4 if random.random() < 0.25 or HANDS > 20 else 3
        hand = tuple(random.randrange(10) for _ in range(random.randint(2, longest)))
        expected = shortest_oracle.fewest(hand, rules)
        found = plainest(hand, game, in_order=rules.in_order)
        assert set(found) == set(expected), hand
        assert reachable(hand, game, in_order=rules.in_order) == set(expected)
        for value, form in random.sample(list(found.items()), min(40, len(found))):
            assert evaluate(form) == value
            assert evaluate(str(form), game) == value
            numbers = [number.value for number in numbers_of(form)]
            assert numbers == list(hand) if rules.in_order else sorted(numbers) == sorted(hand)
            signs = [each for each in parts_of(form).operations if not each.operator.joins]
            assert len(signs) == expected[Fraction(value)], (hand, value, form)
            assert parse(text_of(form), game) == form


@pytest.mark.parametrize(
    ("number", "most", "missed"),
    [(4, 100, [73, 77, 87, 93, 99]), (2, 30, []), (9, 61, []), (5, 39, [39])],
)
def test_four_alike_make_what_is_known(number: int, most: int, missed: list[int]) -> None:
    found = reachable((number,) * 4, FOURS)
    assert [target for target in range(most + 1) if target not in found] == missed


def test_five_fives_make_all_up_to_171() -> None:
    assert set(range(172)) <= reachable((5,) * 5, FOURS)


def test_the_least_that_the_first_digits_do_not_make() -> None:
    game = replace(GAMES["digits"], numbers=tuple(range(10)), operators=(*"-+x:^",), join=True)
    least = []
    for last in range(5):
        found = reachable(tuple(range(last + 1)), game)
        least.append(next(target for target in range(1, 10**4) if target not in found))
    assert least == [1, 2, 4, 25, 175]


def test_what_needs_functions_is_refused_in_a_sentence() -> None:
    for game in (FOURS, replace(GAMES["cards"], signed=True)):
        with pytest.raises(ValueError, match="are told apart as rational functions") as told:
            solve((4, 4), 8, game)
        with pytest.raises(ValueError, match="can be told, each value with one form of it"):
            ways((4, 4), game)
        assert ("^" if game is FOURS else "a minus before anything") in str(told.value)
