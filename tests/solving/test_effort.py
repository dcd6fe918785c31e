"""How hard hands are: held to the slow program, and to what is said of it."""

from dataclasses import replace
from fractions import Fraction
from math import log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, Game, reachable, solve
from crisps24.hands.by_value import ValueChart
from crisps24.hands.costs import COSTS
from crisps24.rules.games import Hand
from crisps24.rules.ratios import exact_values
from crisps24.solving.effort import (
    Difficulty,
    DifficultyModel,
    difficulty,
    estimate_seconds,
    level_cutoffs,
    level_of,
)
from tests.difficulty import routes_oracle
from tests.graded import difficulties
from tests.hands.dealing import (
    DISTINCT_GAMES,
    FEW,
    FIVE_NUMBER_HANDS,
    HALF,
    WEIGHED_HANDS,
    Dealt,
    dealt,
    game_of,
)
from tests.hands.dealing import added_operators as added_operators

CARDS, CRISPS, COUNTDOWN = GAMES["cards"], GAMES["crisps"], GAMES["countdown"]
PLAYED = [name for name in GAMES if name != "game24"]
EACH_GAME = pytest.mark.parametrize("name", PLAYED)


def shares(hand: Hand, game: Game, in_order: bool = False) -> dict[int | Fraction, float]:
    """Return the share of tries that end with each value, as the package has it."""
    hand = hand if in_order else tuple(sorted(hand))
    [routes] = ValueChart(game, hand, in_order, weighted=True).weighted_values([hand])
    return dict(zip(exact_values(routes.values), routes.weights.tolist(), strict=True))


def agrees(hand: Hand, game: Game, in_order: bool = False) -> None:
    expected = routes_oracle.weights(hand, game, in_order)
    assert shares(hand, game, in_order) == pytest.approx(expected, rel=1e-9, abs=0)


# The weights, against the slow program.


@pytest.mark.parametrize("name", DISTINCT_GAMES)
@pytest.mark.parametrize("hand", WEIGHED_HANDS, ids=str)
def test_the_weights_are_those_of_all_trees(name: str, hand: Hand) -> None:
    game = GAMES[name]
    for changed in (game, replace(game, parentheses=not game.parentheses)):
        agrees(hand, changed)
        agrees(hand, replace(changed, all_numbers=not game.all_numbers))


@pytest.mark.parametrize("hand", [(0, 0), (0, 1, 1), (0, 0, 2, 2), (0, 1, 2, 10)], ids=str)
def test_zeros_and_ones_are_weighed_as_well(hand: Hand) -> None:
    for game in (GAMES["make10"], replace(CRISPS, numbers=tuple(range(11)))):
        for zero in (True, False):
            agrees(hand, replace(game, zero=zero))


@pytest.mark.parametrize(("name", "hand"), FIVE_NUMBER_HANDS, ids=str)
def test_five_numbers_are_weighed_as_four_are(name: str, hand: Hand) -> None:
    agrees(hand, GAMES[name])


@HALF
@given(dealt())
def test_any_rules_are_kept_on_every_route(dealt: Dealt) -> None:
    hand, rules = dealt
    agrees(hand, game_of(hand, rules), rules.in_order)


@FEW
@given(dealt(st.sampled_from(["-+x:~", "+~", "-+v"])))
def test_an_operator_that_is_added_costs_what_any_does(dealt: Dealt) -> None:
    hand, rules = dealt
    agrees(hand, game_of(hand, rules), rules.in_order)


@settings(max_examples=settings().max_examples // 16)
@given(st.lists(st.integers(1, 13), min_size=5, max_size=5), st.sampled_from(["krypto", "crisps"]))
def test_any_five_numbers_are_weighed_so(numbers: list[int], name: str) -> None:
    agrees(tuple(numbers), GAMES[name])


def test_hands_done_together_have_the_weights_of_each_alone() -> None:
    hands = [(1, 1, 2, 3), (1, 2, 3), (1, 2, 3, 3), (3, 3, 3, 3), (2, 3)]
    for game in (CARDS, replace(COUNTDOWN, length=4), CRISPS):
        together = ValueChart(game, (3, 3, 3, 3), weighted=True)
        for _ in range(2):
            for hand, routes in zip(hands, together.weighted_values(hands), strict=True):
                found = zip(exact_values(routes.values), routes.weights.tolist(), strict=True)
                assert dict(found) == pytest.approx(shares(hand, game), rel=1e-12)


def test_what_is_kept_is_forgotten_when_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.hands.by_value.MAX_CACHED_VALUES", 10)
    efforts = DifficultyModel(CARDS, (9, 9, 9, 9))
    first, second, again = (
        [*efforts.difficulties([hand])] for hand in [(1, 2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 4)]
    )
    assert first == again != second


def test_very_large_numbers_have_weights_too() -> None:
    agrees((10**20, 10**20 + 1, 3), replace(CARDS, numbers=(3, 10**20, 10**20 + 1), letters=()))
    assert difficulties((10**70, 10**70 + 1, 10**69, 3), "digits")
    # No float holds these.
    assert 10**400 + 3 in difficulties((10**400, 3), "digits")


# Ways are counted so.


def test_ways_are_counted_as_the_model_says() -> None:
    game = replace(CARDS, operators=("-",))
    # 1 - 1 and the other card minus the first, both equal, by 2! arrangements.
    assert shares((3, 3), game) == {0: 2 * 2 ** -COSTS["equal"].bits / 2}
    assert shares((1, 3), game) == {2: 2 ** -COSTS["one"].bits / 2}
    # One way for a + b, be they equal or not; a carry in the units counts in the last step too.
    game = replace(CARDS, operators=("+",))
    assert shares((3, 4), game) == {7: 0.5}
    assert shares((7, 13), game) == {20: 0.5 * 2 ** -COSTS["carry"].bits}
    assert shares((6, 8), game) == {14: 0.5 * 2 ** -COSTS["carry"].bits}
    assert shares((4, 13), game) == {17: 0.5}


def test_where_not_all_are_used_sets_of_cards_are_added_up() -> None:
    game = replace(COUNTDOWN, operators=("+",))
    assert shares((5, 4), game) == {5: 1, 4: 1, 9: 0.5}
    assert shares((9, 9), replace(game, operators=(":",)))[9] == 2


def test_without_parentheses_only_routes_that_can_be_written_count() -> None:
    game = replace(CRISPS, operators=("+",))
    in_rows, free = (
        shares((2, 4, 8), game)[14],
        shares((2, 4, 8), replace(game, parentheses=True))[14],
    )
    assert in_rows == free
    # Of (a + b) + (c + d) and ((a + b) + c) + d the latter alone.
    four = (2, 4, 8, 30)
    assert shares(four, game)[44] < shares(four, replace(game, parentheses=True))[44]


def test_a_joined_number_is_a_number_dealt() -> None:
    game = replace(GAMES["digits"], numbers=tuple(range(10)), join=True, operators=("+",))
    assert shares((1, 5), game)[15] == 0.5
    assert shares((5, 5), game)[55] == 1
    assert shares((1, 5), game, in_order=True) == {15: 1, 6: 2 ** -COSTS["one"].bits}


# Bits, levels, seconds.

GOLDEN: dict[Hand, tuple[float, int]] = {
    (3, 8, 8, 8): (-2.851, 1),
    (1, 2, 3, 4): (0.27, 1),
    (4, 4, 8, 8): (3.232, 2),
    (2, 4, 8, 10): (3.653, 2),
    (2, 6, 8, 8): (4.527, 3),
    (3, 6, 8, 13): (4.834, 3),
    (3, 3, 5, 7): (7.17, 5),
    (1, 5, 5, 5): (8.9, 5),
    (3, 3, 8, 8): (10.23, 5),
    (1, 3, 4, 6): (11.65, 5),
}


@pytest.mark.parametrize("hand", GOLDEN, ids=str)
def test_named_hands_are_as_hard_as_they_were(hand: Hand) -> None:
    found = difficulty(hand, 24, "cards")
    assert found is not None
    assert (found.bits, found.level) == GOLDEN[hand]
    assert difficulty(hand[::-1], 24, "cards") == found


@EACH_GAME
def test_bits_are_minus_the_logarithm_of_the_weights_and_what_is_beside(name: str) -> None:
    game, hand = GAMES[name], (1, 3, 4, 8)
    weights = routes_oracle.weights(hand, game)
    for target, found in difficulties(hand, name).items():
        bits = -log2(weights[target])
        bits += 0.5 * log2(1 + target)
        if game.target is not None:
            bits -= 0.5 * log2(1 + game.target)
        assert found.bits == pytest.approx(bits, abs=0.00051)
        assert found.bits == round(found.bits, 3)
        assert found.level == level_of(found.bits, game)
    for target in (0, 4, 24, 96):
        assert difficulty(hand, target, name) == difficulties(hand, name).get(target)


def test_every_target_that_is_made_without_going_below_zero_has_a_difficulty() -> None:
    for name in PLAYED:
        found = difficulties((2, 3, 8), name)
        assert [*found] == sorted(found)
        above = {value for value in reachable((2, 3, 8), name) if value >= 0}
        assert set(found) == above
    assert [*difficulties((2, 3, 8), "cards", within=(20, 24))] == [
        value for value in difficulties((2, 3, 8), "cards") if 20 <= value <= 24
    ]


def test_what_cannot_be_made_has_none() -> None:
    assert difficulty((1, 1, 1, 1), 24) is None
    assert difficulty((1, 2), -1, "cards") is None
    assert difficulty((1, 2), Fraction(1, 2), "crisps") is None
    assert difficulty((1, 2), Fraction(1, 2), "cards") is not None
    assert difficulty((1, 2), 10**30, "cards") is None


def test_what_is_made_by_results_below_zero_alone_has_none() -> None:
    assert [*map(str, solve((2, 5, 27), 24, "digits", in_order=True))]
    assert difficulty((2, 5, 27), 24, "digits", in_order=True) is None


def test_levels_begin_where_the_table_says_and_other_numbers_and_targets_keep_them() -> None:
    assert [level_of(bits, CARDS) for bits in (1.699, 1.7, 3.9, 5.6, 7.1)] == [1, 2, 3, 4, 5]
    assert level_of(10, replace(CARDS, numbers=(1, 2, 99), letters=(), style="unicode")) == 5
    assert level_of(10, replace(CARDS, repeats=False, length=3)) == 5
    assert level_of(10, COUNTDOWN) == 1
    assert level_of(10, replace(COUNTDOWN, length=5, target=200)) == 1
    assert level_of(10, replace(CARDS, target=None)) == 5
    assert level_of(10, Game("mine", (1, 2), 2)) == 5
    assert level_of(10, Game("mine", (1, 2), 2, target=None)) is None


CHANGES: list[dict[str, Any]] = [
    {"operators": ("-", "+")},
    {"parentheses": False},
    {"fractions": False},
    {"negatives": False},
    {"zero": False},
    {"all_numbers": False},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_with_other_operators_or_rules_there_are_bits_and_no_level(changes: dict[str, Any]) -> None:
    changed = replace(CARDS, **changes)
    assert level_cutoffs(changed) is None
    assert {level_of(bits, changed) for bits in (0, 99)} == {None}
    found = difficulty((1, 2, 3, 4), 10, changed)
    assert found is not None
    assert (found.level, found.seconds) == (None, None)
    assert found.bits == difficulties((1, 2, 3, 4), changed)[10].bits
    # A game of one's own has the levels of one with its rules.
    assert level_of(10, replace(CARDS, name="mine")) == 5
    same = any(each != "cards" and as_ruled(each) == as_ruled("cards", changes) for each in PLAYED)
    assert same or level_of(10, replace(changed, name="mine")) is None


def as_ruled(name: str, changes: dict[str, Any] | None = None) -> Game:
    """Return a game with the numbers, the targets and the name of another."""
    own: dict[str, Any] = {
        "name": "mine",
        "numbers": (1, 2),
        "length": 2,
        "repeats": True,
        "letters": (),
    }
    own |= {"target": 24, "targets": (0, 100), "large": ()}
    game: Game = replace(GAMES[name], **own, **(changes or {}))
    return game


def test_a_plain_sum_is_not_hard_where_nothing_but_sums_can_be_made() -> None:
    found = difficulty((3, 4, 8, 9), 24, replace(CRISPS, operators=("-", "+")))
    assert found is not None
    assert found.level is None
    # To keep the order is another rule as well.
    in_order = difficulty((4, 3, 8, 9), 24, CRISPS, in_order=True)
    assert in_order is not None
    assert in_order.level is None


def test_a_changed_game_counts_targets_as_the_one_it_was_made_from() -> None:
    changed = replace(CARDS, target=None)
    assert difficulty((1, 2, 3, 4), 24, changed) == replace_seconds(
        difficulty((1, 2, 3, 4), 24, "cards")
    )


def replace_seconds(found: Difficulty | None) -> Difficulty | None:
    return found and replace(found, seconds=None)


def test_seconds_are_told_for_puzzles_that_people_were_timed_at() -> None:
    def seconds(hand: Hand, target: int, game: Game | str, in_order: bool = False) -> float | None:
        found = difficulty(hand, target, game, in_order=in_order)
        assert found is not None
        return found.seconds

    assert seconds((3, 3, 8, 8), 24, "cards") == seconds((3, 3, 8, 8), 24, "digits")
    easy, hard = seconds((1, 2, 3, 4), 24, "cards"), seconds((3, 3, 8, 8), 24, "cards")
    assert easy is not None
    assert hard is not None
    assert 4 < easy < 10 < 30 < hard
    assert seconds((1, 2, 3, 4), 10, "cards") is None
    assert seconds((1, 2, 3, 4), 24, "crisps") is None
    assert seconds((1, 2, 3, 4), 24, "cards", in_order=True) is None
    assert seconds((3, 8), 24, "cards") is None
    assert seconds((1, 1, 2, 22), 24, "cards") is None
    assert seconds((1, 2, 3, 4), 24, replace(CARDS, negatives=False)) is None


# What cannot be asked.


@pytest.mark.parametrize(
    ("hand", "game", "why"),
    [
        ((), "cards", "the hand is empty"),
        (tuple(range(1, 40)), "cards", "needs about"),
        ((-1, 1), "cards", "-1 is not in this game"),
        ((1.5, 2), "cards", "1.5 is not a whole number"),
        ((1, 2), "game24", "game24 has no hands"),
        ((1, 2), "chess", "unknown game 'chess'"),
    ],
)
def test_a_hand_that_the_game_cannot_have_is_refused(hand: Hand, game: str, why: str) -> None:
    for call in (lambda: difficulty(hand, 24, game), lambda: difficulties(hand, game)):
        with pytest.raises(ValueError, match=why):
            call()


def test_a_target_that_is_not_exact_is_refused() -> None:
    with pytest.raises(TypeError, match="is not exact"):
        difficulty((1, 2), 0.5, "cards")  # type: ignore[arg-type]  # what is told of it


def test_seconds_are_told_to_a_tenth() -> None:
    told = [estimate_seconds(tenth / 10) for tenth in range(120)]
    assert told == sorted(told)
    assert all(f"{seconds:.1f}" == str(seconds) for seconds in told)
    assert {round(seconds % 1, 1) for seconds in told} >= {0.1, 0.3, 0.5, 0.7, 0.9}
