"""Chi-square tests of dealt puzzles against computed probabilities.

The tests count the expected frequencies, hand by hand or by a formula. The seeds are fixed, so the
same draws pass every time. A statistic exceeds its critical value with probability 1 in 10,000.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, compress, product
from math import comb, prod, sqrt
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, Game
from crisps24.puzzles import dealing
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from crisps24.solving.effort import Difficulty
from crisps24.surveys.surveys import survey
from tests.hand_oracle import Rules, values
from tests.sampling import EVERY, some

# Standard deviations that a normal variable exceeds with probability 1 in 10,000.
RARE = 3.719
# Cells with smaller expected counts are merged.
MIN_EXPECTED_COUNT = 8

# Probabilities of cells, or weights proportional to them.
Chances = dict[Any, Fraction | int]

HANDS_DRAWN = 10_000 if EVERY else 2_500


def critical(freedom: int) -> float:
    """Return the value that chi-square exceeds with probability 1 in 10,000.

    Source: the cube root approximation of E. B. Wilson and M. M. Hilferty, "The distribution of
    chi-square", Proceedings of the National Academy of Sciences 17 (1931), 684-688.
    """
    variance = 2 / (9 * freedom)
    return freedom * (1 - variance + RARE * sqrt(variance)) ** 3


def statistic(drawn: Sequence[Any], chances: Chances) -> tuple[float, int]:
    """Return chi-square of a sample, and its degrees of freedom, with neighbouring cells merged."""
    total = sum(chances.values())
    observed = Counter(drawn)
    assert set(observed) <= set(chances)
    cells = [[0.0, 0.0]]
    for cell in sorted(chances):
        if cells[-1][0] >= MIN_EXPECTED_COUNT:
            cells.append([0.0, 0.0])
        cells[-1][0] += float(chances[cell]) * len(drawn) / total
        cells[-1][1] += observed[cell]
    rest = cells.pop() if cells[-1][0] < MIN_EXPECTED_COUNT else [0.0, 0.0]
    cells[-1] = [count + more for count, more in zip(cells[-1], rest, strict=True)]
    return sum((count - expected) ** 2 / expected for expected, count in cells), len(cells) - 1


def assert_drawn_by(drawn: Sequence[Any], chances: Chances, *features: Any) -> None:
    """Compare a sample, and some features of what is drawn, with their probabilities."""
    for feature in (lambda cell: cell, *features):
        chi_square, freedom = statistic(list(map(feature, drawn)), distribution(chances, feature))
        assert freedom >= 4
        assert chi_square < critical(freedom), f"{chi_square:.1f} of {freedom}"


def reverse(hand: Hand) -> Hand:
    return hand[::-1]


def uniform(cells: Sequence[Any]) -> Chances:
    return dict.fromkeys(cells, 1)


def distribution(chances: Chances, feature: Callable[[Hand], Any]) -> Chances:
    probabilities: Chances = {}
    for hand, chance in chances.items():
        value = feature(hand)
        probabilities[value] = probabilities.get(value, 0) + chance
    return probabilities


@pytest.mark.parametrize("name", some(["crisps", "digits", "cards", "make10"], 2))
def test_solvable_hands_are_equally_likely(name: str) -> None:
    result = survey(name, GAMES[name].target)
    solvable = [*compress(result.hands, result.solvable[:, 0])]
    # A deal never repeats a hand, so the sample is slightly more uniform than independent draws.
    drawn = [puzzle.hand for seed in range(150) for puzzle in deal(name, 40, seed=seed)]
    # Reversed hands sort by their largest numbers, so other cells are merged.
    assert_drawn_by(drawn, uniform(solvable), reverse)


class AllReachable:
    """A difficulty model in which every hand makes every target, so no draw is rejected."""

    def __init__(self, targets: Sequence[int]) -> None:
        self.graded = dict.fromkeys(targets, Difficulty(1, 1, None))

    def difficulties(self, hands: Sequence[Hand]) -> list[dict[int, Difficulty]]:
        return [self.graded for _ in hands]

    def surprisals(self, hands: Sequence[Hand]) -> list[tuple[Any, Any]]:
        return [(np.array([*self.graded]), np.ones(len(self.graded))) for _ in hands]


@pytest.fixture
def _all_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "_difficulty_model", lambda _, targets: AllReachable(targets))


def drawn_of(game: Game) -> list[Hand]:
    # With so many targets, no hand has all of them.
    options: Any = {"targets": range(1, 1001), "conditions": Conditions(repeat=True, trivial=True)}
    if len(game.numbers) < 9:
        # If hands are few, a deal has every hand before one repeats: deal one hand per seed.
        return [deal(game, 1, seed=seed, **options)[0].hand for seed in range(HANDS_DRAWN)]
    return [puzzle.hand for puzzle in deal(game, HANDS_DRAWN, seed=7, **options)]


def by_tiles(game: Game) -> Chances:
    """Return the probability of each hand if the number of large tiles is drawn first.

    A hand has its large tiles first, then the others, both in descending order.
    """
    large = Counter(number for number in game.numbers if number in game.large)
    small = Counter(number for number in game.numbers if number not in game.large)
    chances: Chances = {}
    for large_count in range(large.total() + 1):
        parts = []
        for tiles, count in ((large, large_count), (small, game.length - large_count)):
            hands = set(combinations(sorted(tiles.elements(), reverse=True), count))
            total = comb(tiles.total(), count)
            parts.append([(hand, Fraction(ways(hand, tiles), total)) for hand in hands])
        for (first, chance), (second, second_chance) in product(*parts):
            chances[first + second] = chance * second_chance / (large.total() + 1)
    assert sum(chances.values()) == 1
    return chances


def ways(hand: Hand, tiles: Counter[Exact]) -> int:
    """Return the number of ways to take the numbers of a hand from the tiles."""
    return prod(comb(tiles[number], count) for number, count in Counter(hand).items())


@pytest.mark.usefixtures("_all_reachable")
@pytest.mark.parametrize("name", some(["countdown", "numble"], 1))
def test_games_with_tiles_draw_the_number_of_large_tiles_first(name: str) -> None:
    game = GAMES[name]
    count_large: Any = lambda hand: sum(number in game.large for number in hand)  # noqa: E731
    assert_drawn_by(drawn_of(game), by_tiles(game), reverse, count_large)


@pytest.mark.usefixtures("_all_reachable")
@pytest.mark.parametrize("dice", [GAMES["mathador"].dice, (2, 3, 3)])
def test_games_with_dice_deal_throws(dice: tuple[int, ...]) -> None:
    numbers = tuple(range(1, max(dice) + 1))
    game = replace(GAMES["mathador"], numbers=numbers, length=len(dice), dice=dice)
    throws = product(*(range(1, die + 1) for die in dice))
    chances: Chances = dict(Counter(tuple(sorted(throw)) for throw in throws))
    assert_drawn_by(drawn_of(game), chances, reverse, sum)


@pytest.mark.usefixtures("_all_reachable")
def test_hands_and_targets_of_krypto_are_equally_likely() -> None:
    game = GAMES["krypto"]
    hands = list(combinations_with_replacement(game.numbers, game.length))
    assert_drawn_by(drawn_of(game), uniform(hands), reverse)
    dealt = deal(game, 5_000, seed=7, conditions=Conditions(repeat=True))
    assert_drawn_by([puzzle.target for puzzle in dealt], uniform(range(1, 26)))


def rank_chances(largest: int, count: int, rank: int) -> Chances:
    """Return the probability of each number at a rank of `count` sorted numbers up to `largest`."""
    return {
        number: Fraction(
            comb(number - 1, rank - 1) * comb(largest - number, count - rank), comb(largest, count)
        )
        for number in range(rank, largest - count + rank + 1)
    }


def test_reachable_targets_outside_the_hand_are_equally_likely() -> None:
    game = replace(GAMES["numble"], numbers=tuple(range(1, 8)), length=3)
    rules = Rules(parentheses=True, fractions=False, negatives=False, all_numbers=False)
    chances: Chances = {}
    for hand in combinations(game.numbers, 3):
        made = sorted(values(hand, rules) & set(range(1, 26)) - set(hand))
        chances |= {(hand, target): Fraction(1, comb(7, 3) * len(made)) for target in made}
    deals = [deal(game, 10, seed=seed, targets=range(1, 26)) for seed in range(800)]
    assert_drawn_by([(puzzle.hand, puzzle.target) for dealt in deals for puzzle in dealt], chances)


@pytest.mark.usefixtures("_all_reachable")
def test_lengths_and_their_hands_are_equally_likely() -> None:
    # 30 numbers have 4,060 hands of 3, which are listed, and 27,405 of 4, which are drawn.
    game = replace(GAMES["countdown"], numbers=tuple(range(1, 31)), large=())
    conditions = Conditions(lengths=range(2, 5), trivial=True, repeat=True)
    drawn = [puzzle.hand for puzzle in deal(game, 9_000, seed=7, target=1, conditions=conditions)]
    places = [(len(hand), index % 2) for index, hand in enumerate(drawn)]
    assert_drawn_by(places, uniform(list(product(range(2, 5), range(2)))))
    # Neighbours are independent of each other, and hands are independent of their lengths.
    pairs = [(len(a), len(b)) for a, b in zip(drawn[::2], drawn[1::2], strict=True)]
    assert_drawn_by(pairs, uniform(list(product(range(2, 5), repeat=2))))
    for length in range(2, 5):
        hands = [hand for hand in drawn if len(hand) == length]
        for rank in range(1, length + 1):
            assert_drawn_by([hand[rank - 1] for hand in hands], rank_chances(30, length, rank))
