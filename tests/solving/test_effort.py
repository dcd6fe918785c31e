"""Difficulty: small weights, bits, levels, seconds and refusals."""

from dataclasses import replace
from fractions import Fraction
from math import fsum, log2
from typing import Any

import pytest

from crisps24 import GAMES, Game, reachable, solve
from crisps24.hands.by_value import ValueChart
from crisps24.rules.games import Hand
from crisps24.rules.ratios import exact_values
from crisps24.solving import effort
from tests.difficulty import routes_oracle
from tests.graded import difficulties
from tests.sampling import in_one_test

CARDS, CRISPS, COUNTDOWN = GAMES["cards"], GAMES["crisps"], GAMES["countdown"]
PLAYED = [name for name in GAMES if name != "game24"]


def shares(hand: Hand, game: Game) -> dict[int | Fraction, float]:
    """Return the probability that a random attempt ends with each value."""
    [weighted] = ValueChart(game, hand, weighted=True).weighted_values([hand])
    return dict(zip(exact_values(weighted.values), weighted.weights.tolist(), strict=True))


def test_hands_in_one_table_have_the_same_weights_as_separately() -> None:
    hands = [(1, 1, 2, 3), (1, 2, 3), (1, 2, 3, 3), (3, 3, 3, 3), (2, 3)]
    for game in (CARDS, replace(COUNTDOWN, length=4), CRISPS):
        together = ValueChart(game, (3, 3, 3, 3), weighted=True)
        for _ in range(2):
            for hand, weighted in zip(hands, together.weighted_values(hands), strict=True):
                result = zip(exact_values(weighted.values), weighted.weights.tolist(), strict=True)
                assert dict(result) == pytest.approx(shares(hand, game), rel=1e-12)


def test_table_is_cleared_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.hands.by_value.MAX_CACHED_VALUES", 10)
    efforts = effort.DifficultyModel(CARDS, (9, 9, 9, 9))
    hands = [(1, 2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 4)]
    first, second, again = ([*efforts.difficulties([hand])] for hand in hands)
    assert first == again != second


def test_weights_of_very_large_numbers() -> None:
    assert difficulties((10**70, 10**70 + 1, 10**69, 3), "digits")
    # These numbers overflow a float.
    assert 10**400 + 3 in difficulties((10**400, 3), "digits")


@pytest.mark.parametrize("name", PLAYED)
def test_bits_are_surprisal_plus_size_of_target(name: str) -> None:
    game, hand = GAMES[name], (1, 3, 4, 8)
    weights = {value: fsum(of.values()) for value, of in routes_oracle.weights(hand, game).items()}
    for target, result in difficulties(hand, name).items():
        bits = -log2(weights[target])
        bits += 0.5 * log2(1 + target)
        if game.target is not None:
            bits -= 0.5 * log2(1 + game.target)
        assert result.bits == pytest.approx(bits, abs=0.00051)
        assert result.bits == round(result.bits, 3)
        assert result.level == effort.level_of(result.bits, game)
    for target in (0, 4, 24, 96):
        assert effort.difficulty(hand, target, name) == difficulties(hand, name).get(target)


def test_every_target_reachable_without_negative_results_has_a_difficulty() -> None:
    for name in PLAYED:
        result = difficulties((2, 3, 8), name)
        assert [*result] == sorted(result)
        assert set(result) == {value for value in reachable((2, 3, 8), name) if value >= 0}
    every = difficulties((2, 3, 8), "cards")
    within = [*difficulties((2, 3, 8), "cards", within=(20, 24))]
    assert within == [value for value in every if 20 <= value <= 24]


def test_difficulty_of_unreachable_target_is_none() -> None:
    assert effort.difficulty((1, 1, 1, 1), 24) is None
    assert effort.difficulty((1, 2), -1, "cards") is None
    assert effort.difficulty((-1,), -1, "cards") is effort.difficulty((-5,), -5, "cards") is None
    assert effort.difficulty((1, 2), Fraction(1, 2), "crisps") is None
    assert effort.difficulty((1, 2), Fraction(1, 2), "cards") is not None
    assert effort.difficulty((1, 2), 10**30, "cards") is None


def test_difficulty_is_none_if_every_solution_has_a_negative_result() -> None:
    assert [*map(str, solve((2, 5, 27), 24, "digits", in_order=True))]
    assert effort.difficulty((2, 5, 27), 24, "digits", in_order=True) is None


def test_levels_follow_cutoffs_also_with_other_numbers_and_targets() -> None:
    assert [effort.level_of(bits, CARDS) for bits in (1.699, 1.7, 3.9, 5.6, 7.1)] == [1, 2, 3, 4, 5]
    assert effort.level_of(10, replace(CARDS, numbers=(1, 2, 9), letters=(), style="unicode")) == 5
    # The costs of steps with 99 or 1/2 are not known.
    assert effort.level_of(10, replace(CARDS, numbers=(1, 2, 99))) is None
    assert effort.level_of(10, replace(CARDS, numbers=(1, 2, Fraction(1, 2)))) is None
    assert effort.level_of(10, replace(CARDS, repeats=False, length=3)) == 5
    assert effort.level_of(10, COUNTDOWN) == 1
    assert effort.level_of(10, replace(COUNTDOWN, length=5, target=200)) == 1
    assert effort.level_of(10, replace(CARDS, target=None)) == 5
    # An unnamed game has the levels of a named game with its rules.
    for own in (replace(CARDS, name="mine"), Game("mine", (1, 2), 2)):
        assert effort.level_of(10, own) == 5
    assert effort.level_of(10, Game("mine", (1, 2), 2, operators=("-", "+"))) is None
    assert effort.level_of(10, Game("mine", (1, 2), 2, target=None)) is None


FLAGS = ("parentheses", "fractions", "negatives", "zero", "all_numbers")


@in_one_test("changes", {"operators": ("-", "+")}, *({flag: False} for flag in FLAGS))
def test_other_operators_or_rules_have_the_levels_of_the_game(changes: dict[str, Any]) -> None:
    changed = replace(CARDS, **changes)
    assert effort.level_cutoffs(changed) == CARDS.cutoffs
    result: Any = effort.difficulty((1, 2, 3, 4), 10, changed)
    assert (result.level, result.seconds) == (effort.level_of(result.bits, CARDS), None)
    assert result.bits == difficulties((1, 2, 3, 4), changed)[10].bits


def test_keeping_the_order_is_a_change_of_the_rules() -> None:
    in_order: Any = effort.difficulty((4, 3, 8, 9), 24, CRISPS, in_order=True)
    assert in_order.level is None


def test_changed_game_keeps_the_reference_target() -> None:
    result: Any = effort.difficulty((1, 2, 3, 4), 24, "cards")
    changed = replace(CARDS, target=None)
    assert effort.difficulty((1, 2, 3, 4), 24, changed) == replace(result, seconds=None)


def test_seconds_are_known_for_measured_puzzles_only() -> None:
    def seconds(hand: Hand, target: int, game: Game | str, in_order: bool = False) -> Any:
        result: Any = effort.difficulty(hand, target, game, in_order=in_order)
        return result.seconds

    assert seconds((3, 3, 8, 8), 24, "cards") == seconds((3, 3, 8, 8), 24, "digits")
    easy, hard = seconds((1, 2, 3, 4), 24, "cards"), seconds((3, 3, 8, 8), 24, "cards")
    assert 4 < easy < 10 < 30 < hard
    assert seconds((1, 2, 3, 4), 10, "cards") is None
    assert seconds((1, 2, 3, 4), 24, "crisps") is None
    assert seconds((1, 2, 3, 4), 24, "cards", in_order=True) is None
    assert seconds((3, 8), 24, "cards") is None
    assert seconds((1, 1, 2, 22), 24, "cards") is None
    assert seconds((1, 2, 3, 4), 24, replace(CARDS, negatives=False)) is None


@in_one_test(
    ("hand", "game", "reason"),
    ((), "cards", "the hand is empty"),
    (tuple(range(1, 40)), "cards", "needs about"),
    ((1, 2), "game24", "game24 has no hands"),
)
def test_invalid_hand_is_refused(hand: Hand, game: str, reason: str) -> None:
    for call in (lambda: effort.difficulty(hand, 24, game), lambda: difficulties(hand, game)):
        with pytest.raises(ValueError, match=reason):
            call()
    with pytest.raises(TypeError, match="is not exact"):
        effort.difficulty((1, 2), 0.5, "cards")  # type: ignore[arg-type]


def test_seconds_are_rounded_to_tenths() -> None:
    seconds_of_bits = [effort.estimate_seconds(tenth / 10) for tenth in range(120)]
    assert seconds_of_bits == sorted(seconds_of_bits)
    assert all(f"{seconds:.1f}" == str(seconds) for seconds in seconds_of_bits)
    assert {round(seconds % 1, 1) for seconds in seconds_of_bits} >= {0.1, 0.3, 0.5, 0.7, 0.9}
