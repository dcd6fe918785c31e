"""The weights of values and functions, and the shares of solutions, against all routes."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game
from crisps24.hands import forest
from crisps24.hands.by_function import FunctionChart
from crisps24.hands.by_value import ValueChart
from crisps24.hands.goals import Goal, GoalSet, values_one_step_from
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Hand
from crisps24.rules.ratios import exact_values
from crisps24.solving.ranking import Solution
from crisps24.solving.solver import solutions, solve_many
from crisps24.solving.values import count_solutions
from tests.difficulty import routes_oracle
from tests.hands import dealing
from tests.hands.dealing import HALF, Dealt, dealt, game_of
from tests.hands.dealing import added_operators as added_operators
from tests.sampling import in_one_test, some

CARDS, CRISPS, COUNTDOWN = GAMES["cards"], GAMES["crisps"], GAMES["countdown"]


def check_weights(hand: Hand, game: Game, in_order: bool = False, by_value: bool = False) -> None:
    """Compare the weights of values and, unless `by_value`, of functions with all routes."""
    hand, game = hand if in_order else tuple(sorted(hand)), replace(game, in_order=in_order)
    expected = routes_oracle.weights(hand, game, in_order)
    [weighted] = ValueChart(game, hand, weighted=True).weighted_values([hand])
    of_values = dict(zip(exact_values(weighted.values), weighted.weights.tolist(), strict=True))
    sums = {value: fsum(of_value.values()) for value, of_value in expected.items()}
    assert of_values == pytest.approx(sums, rel=1e-9, abs=0)
    puzzles = [] if by_value else [Goal(hand, int_if_whole(value)) for value in expected]
    if puzzles:
        goals, chart = GoalSet(puzzles, game), FunctionChart([hand] * len(puzzles), game)
        kept = list(chart.kept_results(lambda hands: goals.selector_for(hands), goals))
        weights = forest.solution_weights(chart, kept, goals, range(len(puzzles)))
        for (_, value), found in zip(puzzles, weights, strict=True):
            every = sorted(expected[value].values())
            assert sorted(found.values()) == pytest.approx(every, rel=1e-9, abs=0)


@pytest.mark.parametrize("name", dealing.DISTINCT_GAMES)
@pytest.mark.parametrize("hand", dealing.WEIGHED_HANDS, ids=str)
def test_weights_are_the_sums_over_all_routes(name: str, hand: Hand) -> None:
    game = GAMES[name]
    for changed in (game, replace(game, parentheses=not game.parentheses)):
        for each in (changed, replace(changed, all_numbers=not game.all_numbers)):
            check_weights(hand, each)


@in_one_test("hand", (0, 0), (0, 1, 1), (0, 0, 2, 2), (0, 1, 2, 10))
def test_weights_of_hands_with_zeros_and_ones(hand: Hand) -> None:
    for game in (GAMES["make10"], replace(CRISPS, numbers=tuple(range(11)))):
        for zero in (True, False):
            check_weights(hand, replace(game, zero=zero))


@HALF
@given(dealt())
def test_weights_under_any_rules(dealt: Dealt) -> None:
    hand, rules = dealt
    check_weights(hand, game_of(hand, rules), rules.in_order)


@dealing.FEW
@given(dealt(st.sampled_from(["-+x:~", "+~", "-~", "-+v"])))
def test_weights_with_added_operators(dealt: Dealt) -> None:
    hand, rules = dealt
    check_weights(hand, game_of(hand, rules), rules.in_order, by_value="v" in rules.operators)


def test_weights_of_five_numbers_and_of_very_large_ones() -> None:
    for name, hand in some(dealing.FIVE_NUMBER_HANDS, 2):
        check_weights(hand, GAMES[name])
    large = (3, 10**20, 10**20 + 1)
    check_weights(large, replace(CARDS, numbers=large, letters=()))


def test_a_solution_that_needs_a_result_below_zero_has_share_0() -> None:
    found = solutions((1, 3, 6, 6), 24, "digits", in_order=True)
    assert str(found[-1].expression) == "(1 - 3 + 6) x 6"
    assert found[-1].share == 0
    assert sum(each.share for each in found) == pytest.approx(1)


Puzzles = list[tuple[Hand, Exact]]


def have_equal_fields(some: list[Solution], others: list[Solution]) -> bool:
    told = [[(str(each.expression), each.value, each.equivalence_class) for each in one]
            for one in (some, others)]  # fmt: skip
    shares = [each.share for each in some] == pytest.approx([each.share for each in others])
    return told[0] == told[1] and bool(shares)


PUZZLES: Puzzles = [
    *(((2, 4, 8, 10), 24), ((10, 8, 4, 2), 24), ((2, 4, 8, 10), 10), ((1, 1, 1, 1), 24)),
    *(((1, 2, 3), 6), ((3,), 3), ((3,), 4), ((1, 4, 7, 13), 24), ((1, 2, 3), Fraction(3, 2))),
    *(((1, 2, 3), 10**30), ((1, 2, 3), -2), ((8, 8, 3, 3), 24)),
]


@pytest.mark.parametrize("game", [CARDS, CRISPS, GAMES["krypto"], COUNTDOWN], ids=str)
def test_puzzles_solved_together_have_the_solutions_of_each(game: Game) -> None:
    game = replace(game, numbers=tuple(range(1, 14)), repeats=True)
    for in_order in (False, True):
        together = list(solve_many(PUZZLES, game, in_order=in_order))
        assert len(together) == len(PUZZLES)
        for (hand, target), found in zip(PUZZLES, together, strict=True):
            assert have_equal_fields(found, solutions(hand, target, game, in_order=in_order))


def test_many_puzzles_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.solving.solver._WORK_PER_BATCH", 300)
    taken: list[int] = []

    def puzzles() -> Iterator[tuple[Hand, int]]:
        for number in range(1, 8):
            taken.append(number)
            yield (number, 2, 3, 4), 24

    found = solve_many(puzzles(), "cards")
    assert not taken
    assert have_equal_fields(next(found), solutions((1, 2, 3, 4), 24, "cards"))
    assert taken == [1, 2]
    assert len(list(found)) == 6
    assert not list(solve_many([], "cards"))
    with pytest.raises(ValueError, match="-1 is less than zero"):
        list(solve_many([((1, 2), 3), ((-1, 1), 1)], "countdown"))


@HALF
@given(dealt(st.sampled_from(["-+x:", "-x", "+:", "-+x:~"])), st.data())
def test_the_filter_loses_no_solution(dealt: Dealt, data: st.DataObject) -> None:
    hand, rules = dealt
    rules = rules._replace(fractions=any(isinstance(number, Fraction) for number in hand))
    game, in_order = game_of(hand, rules), rules.in_order
    counts = count_solutions(hand, game, in_order=in_order)
    if counts:
        target = data.draw(st.sampled_from(sorted(counts)))
        with pytest.MonkeyPatch.context() as patch:
            expected = solutions(hand, target, game, in_order=in_order)
            patch.setattr("crisps24.hands.goals._MIN_FILTERED_SIZE", 1)
            patch.setattr("crisps24.hands.chart.PAIRS_PER_BATCH", 5)
            assert have_equal_fields(expected, solutions(hand, target, game, in_order=in_order))
        assert len(expected) == counts[target]


def test_no_filter_loses_a_solution_with_a_result_below_zero() -> None:
    game = replace(GAMES["make10"], parentheses=False, fractions=False)
    found = solutions((7, 1, 9, 5, 4), -2, game, in_order=True)
    assert [str(each.expression) for each in found] == ["7 - 1 - 9 + 5 - 4", "7 + 1 - 9 - 5 + 4"]


def test_values_one_step_away_follow_from_operators_and_inverses() -> None:
    assert values_one_step_from(24, 5, CRISPS) == {19, 29, 120}
    assert values_one_step_from(10, 20, COUNTDOWN) == {2, 10, 30, 200}
    assert values_one_step_from(24, 0, CRISPS) is None
    assert values_one_step_from(24, 5, replace(CRISPS, operators=("-", "~"))) is None
    assert values_one_step_from(24, 5, replace(CRISPS, operators=("-",))) == {19, 29}


def test_without_parentheses_only_prefixes_have_sums_and_differences() -> None:
    hand, game = tuple(range(1, 10)), replace(CRISPS, in_order=True)
    chart = FunctionChart([hand], game)
    goals = GoalSet([Goal(hand, 24)], game)
    assert list(chart.kept_results(lambda hands: goals.selector_for(hands), goals))
    for size, results in enumerate(chart.tables[1:], 2):
        nodes = np.unique(results.nodes[results.nodes % chart.level_count == chart.level_count - 1])
        hands = [chart.hands_of_size(size)[node // chart.level_count] for node in nodes]
        assert hands == [hand[:size]]
