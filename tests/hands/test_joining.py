"""Hands whose digits may be joined to numbers."""

from dataclasses import replace

import pytest

from crisps24 import GAMES, closest, count_solutions, evaluate, parse, reachable, solve, survey
from crisps24.notation.checking import working
from crisps24.notation.trees import Number, Operation
from crisps24.rules.operators import JOIN
from tests import hand_oracle
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, ROWS, game_of

DIGITS = replace(GAMES["digits"], numbers=tuple(range(10)), join=True)
IN_A_ROW = replace(DIGITS, parentheses=False)
ONE_TO_NINE = tuple(range(1, 10))


def test_of_four_digits_as_many_hands_make_a_target_as_was_published() -> None:
    """Of P. Norvig's 65 counts, of 715 hands, digits joined or not, six are known here."""
    found = survey(DIGITS, range(65))
    counts = found.solvable.sum(axis=0).tolist()
    published = {0: 706, 1: 665, 2: 670, 13: 541, 24: 536, 64: 406}
    assert len(found.hands) == 715
    assert {target: counts[target] for target in published} == published
    # One hand after the other tells the same.
    for hand, made in list(zip(found.hands, found.solvable, strict=True))[::40]:
        assert reachable(hand, DIGITS) & set(range(65)) == set(made.nonzero()[0].tolist())


def test_of_four_digits_that_are_not_joined_as_many_make_a_target_as_was_published() -> None:
    # 466 for 24: P. Norvig, Countdown.ipynb; the others: M. Dominus, Miscellanea about 24 Puzzles.
    found = survey(replace(DIGITS, join=False), range(6562)).solvable.sum(axis=0).tolist()
    published = {24: 466, 126: 156, 128: 93, 416: 8, 417: 0, 418: 0, 419: 0, 420: 23, 6561: 1}
    assert {target: found[target] for target in published} == published
    assert found.index(0) == 417
    assert max(found[25:]) < 466


def test_a_joined_number_is_a_number_of_its_own() -> None:
    found = [str(way) for way in solve((1, 2, 3), 15, DIGITS)]
    assert {"12 + 3", "13 + 2"} <= set(found)
    assert count_solutions((1, 2), replace(DIGITS, operators=("+",))) == {3: 1, 12: 1, 21: 1}


def test_a_joined_number_is_what_joins_its_digits_from_left_to_right() -> None:
    [found] = solve((1, 2, 3), 123, DIGITS)
    one_two = Operation(JOIN, Number(1), Number(2))
    assert str(found) == "123"
    assert found == Operation(JOIN, one_two, Number(3))
    assert evaluate(found, DIGITS) == evaluate("123", DIGITS) == 123


def test_a_joined_number_is_no_step_and_no_result_on_the_way() -> None:
    # As results on the way, 13 and 21 would put the sum with the smaller of them first.
    game = replace(DIGITS, operators=("+",))
    found = list(solve((1, 2, 3), 24, game))
    assert [str(way) for way in found] == ["23 + 1", "21 + 3"]
    assert working(found[0], game) == ["23 + 1 = 24"]
    assert working(parse("123", game), game) == []


def test_no_joined_number_begins_with_zero_and_all_others_are_made() -> None:
    alone = replace(DIGITS, operators=("+",), zero=False)
    assert reachable((0, 0, 1), replace(alone, operators=("x",))) == {100}
    assert reachable((0, 5), alone) == {5, 50}
    assert reachable((0, 5), alone, in_order=True) == {5}


def test_digits_that_are_left_out_are_not_missed_between_those_that_are_joined() -> None:
    game = replace(DIGITS, all_numbers=False)
    assert 13 in reachable((1, 2, 3), game, in_order=True)
    assert "13" in map(str, solve((1, 2, 3), 13, game, in_order=True))


def test_1_to_9_in_order_make_100_in_11_ways_with_plus_and_minus() -> None:
    game = replace(IN_A_ROW, operators=("+", "-"))
    found = [str(way) for way in solve(ONE_TO_NINE, 100, game, in_order=True)]
    assert len(found) == len(set(found)) == 11
    assert "123 - 45 - 67 + 89" in found


def test_1_to_9_in_order_make_100_in_101_ways_with_all_four() -> None:
    within = (100, 100)
    assert count_solutions(ONE_TO_NINE, IN_A_ROW, in_order=True, within=within) == {100: 101}


def test_a_hand_of_one_digit_has_nothing_to_join() -> None:
    assert reachable((7,), DIGITS) == {7}
    assert [str(way) for way in solve((7,), 7, DIGITS, in_order=True)] == ["7"]


@pytest.mark.parametrize("rules", [FREE, ROWS], ids=["parentheses", "rows"])
@pytest.mark.parametrize("hand", [(1, 2, 3, 4), (0, 0, 1, 1), (5, 5, 5, 5), (9, 0, 8, 7)], ids=str)
def test_four_digits_make_what_the_slow_program_makes_of_them(
    hand: tuple[int, ...], rules: Rules
) -> None:
    for in_order in (False, True):
        kept = rules._replace(join=True, in_order=in_order)
        game, expected = game_of(hand, kept), hand_oracle.ways(hand, kept)
        assert count_solutions(hand, game, in_order=in_order) == expected
        assert reachable(hand, game, in_order=in_order) == set(expected)


def test_the_closest_value_may_be_a_joined_number() -> None:
    game = replace(DIGITS, operators=("+",))
    assert {value: str(way) for value, way in closest((2, 3), 30, game).items()} == {32: "32"}


@pytest.mark.parametrize("number", [10, -1])
def test_what_is_no_digit_cannot_be_dealt_where_digits_are_joined(number: int) -> None:
    for call in (
        lambda: solve((1, number), 24, DIGITS),
        lambda: count_solutions((1, number), DIGITS, in_order=True),
        lambda: reachable((1, number), DIGITS),
    ):
        with pytest.raises(ValueError, match=f"only single digits can be joined, not {number}"):
            call()
