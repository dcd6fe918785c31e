"""Chi-square tests of dealt puzzles against computed probabilities.

The tests count the expected frequencies, hand by hand or by a formula. The seeds are fixed, so the
same draws pass every time. A statistic exceeds its critical value with probability 1 in 10,000.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod, sqrt
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, Game
from crisps24.puzzles import dealing
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import Hand
from crisps24.solving.effort import Difficulty
from crisps24.surveys.surveys import survey
from tests.hand_oracle import Rules, values

# Beyond so many standard deviations a normal distribution has 1 in 10,000, and 1 in 1,000.
RARE, LESS_RARE = 3.719, 3.090
# Cells in which fewer are expected are put together.
LEAST = 8

# Of cells, chances or what is proportional to them.
Chances = dict[Any, Fraction | int]

DRAWN = 10_000 if "CRISPS24_EVERY" in os.environ else 5_000


def critical(freedom: int, beyond: float = RARE) -> float:
    """Return the value that chi-square exceeds by a chance of 1 in 10,000.

    By the cube root of E. B. Wilson and M. M. Hilferty, "The distribution of chi-square",
    Proceedings of the National Academy of Sciences 17 (1931), 684-688.
    """
    part = 2 / (9 * freedom)
    return freedom * (1 - part + beyond * sqrt(part)) ** 3


@pytest.mark.parametrize(("freedom", "value"), [(4, 18.467), (10, 29.588), (100, 149.449)])
def test_critical_values_equal_the_table(freedom: int, value: float) -> None:
    # Of NIST/SEMATECH, e-Handbook of Statistical Methods, 1.3.6.7.4, for 1 in 1,000.
    assert critical(freedom, LESS_RARE) == pytest.approx(value, rel=0.015)


def statistic(drawn: Sequence[Any], chances: Chances) -> tuple[float, int]:
    """Return chi-square of what was drawn, and its degrees of freedom.

    Neighbouring cells are put together until enough is expected in each.
    """
    whole = sum(chances.values())
    seen = Counter(drawn)
    assert set(seen) <= set(chances)
    cells = [[0.0, 0.0]]
    for cell in sorted(chances):
        if cells[-1][0] >= LEAST:
            cells.append([0.0, 0.0])
        cells[-1][0] += float(chances[cell]) * len(drawn) / whole
        cells[-1][1] += seen[cell]
    rest = cells.pop() if cells[-1][0] < LEAST else [0.0, 0.0]
    cells[-1] = [cells[-1][at] + rest[at] for at in range(2)]
    return sum((many - wanted) ** 2 / wanted for wanted, many in cells), len(cells) - 1


def assert_drawn_by(drawn: Sequence[Any], chances: Chances) -> None:
    found, freedom = statistic(drawn, chances)
    assert freedom >= 4
    assert found < critical(freedom), f"{found:.1f} of {freedom}"


def even(cells: Sequence[Any]) -> Chances:
    return dict.fromkeys(cells, 1)


def told(chances: Chances, what: Callable[[Hand], Any]) -> Chances:
    """Return the chances of something that hands have."""
    found: Chances = {}
    for hand, chance in chances.items():
        found[what(hand)] = found.get(what(hand), 0) + chance
    return found


@pytest.mark.parametrize("name", ["crisps", "digits", "cards", "make10"])
def test_solvable_hands_are_equally_likely(name: str) -> None:
    found = survey(name, GAMES[name].target)
    solvable = [hand for hand, made in zip(found.hands, found.solvable[:, 0], strict=True) if made]
    # Within a deal no hand comes twice, so that it is a little more even than chance.
    drawn = [puzzle.hand for seed in range(150) for puzzle in deal(name, 40, seed=seed)]
    assert_drawn_by(drawn, even(solvable))
    # By their largest numbers too.
    assert_drawn_by([hand[::-1] for hand in drawn], even([hand[::-1] for hand in solvable]))


class AllMade:
    """Difficulties as if every hand made every target, so that hands come as they are drawn."""

    def __init__(self, targets: Sequence[int]) -> None:
        self.graded = dict.fromkeys(targets, Difficulty(1, 1, None))

    def difficulties(self, hands: Sequence[Hand]) -> list[dict[int, Difficulty]]:
        return [self.graded for _ in hands]

    def surprisals(self, hands: Sequence[Hand]) -> list[tuple[Any, Any]]:
        return [(np.array([*self.graded]), np.ones(len(self.graded))) for _ in hands]


@pytest.fixture
def _all_made(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dealing, "_difficulty_model", lambda _, targets: AllMade(targets))
    dealing._graded_hands.cache_clear()
    yield
    dealing._graded_hands.cache_clear()


def drawn_of(game: Game, count: int = DRAWN, large: int | None = None) -> list[Hand]:
    """Return hands of a game as they are drawn, each by itself."""
    asked = Conditions(large=large, repeat=True, trivial=True)
    if large is None and len(game.numbers) < 9:
        # Of few hands each is dealt in its turn.
        return [
            deal(game, 1, seed=seed, target=1, conditions=asked)[0].hand for seed in range(count)
        ]
    return [puzzle.hand for puzzle in deal(game, count, seed=7, target=1, conditions=asked)]


def by_tiles(game: Game) -> Chances:
    """Return the chance of each hand where it is drawn first how many tiles are large.

    Hands are told with the large tiles first, then the others, from large to small.
    """
    large = Counter(number for number in game.numbers if number in game.large)
    small = Counter(number for number in game.numbers if number not in game.large)
    chances: Chances = {}
    for many in range(large.total() + 1):
        parts = []
        for tiles, count in ((large, many), (small, game.length - many)):
            hands = set(combinations(sorted(tiles.elements(), reverse=True), count))
            every = comb(tiles.total(), count)
            parts.append([(hand, Fraction(ways(hand, tiles), every)) for hand in hands])
        for (one, chance), (other, by) in product(*parts):
            chances[one + other] = chance * by / (large.total() + 1)
    assert sum(chances.values()) == 1
    return chances


def ways(hand: Hand, tiles: Counter[int]) -> int:
    """Return in how many ways the numbers of a hand are taken from tiles."""
    return prod(comb(tiles[number], many) for number, many in Counter(hand).items())


@pytest.mark.usefixtures("_all_made")
@pytest.mark.parametrize("name", ["numble", "countdown"])
def test_games_with_tiles_draw_the_number_of_large_tiles_first(name: str) -> None:
    game = GAMES[name]
    drawn, chances = drawn_of(game), by_tiles(game)
    assert_drawn_by(drawn, chances)
    for what in (
        lambda hand: tuple(reversed(hand)),
        lambda hand: sum(number in game.large for number in hand),
    ):
        assert_drawn_by(list(map(what, drawn)), told(chances, what))


@pytest.mark.usefixtures("_all_made")
def test_hands_and_targets_of_krypto_are_equally_likely() -> None:
    game = GAMES["krypto"]
    hands = list(combinations_with_replacement(game.numbers, game.length))
    drawn = drawn_of(game)
    assert_drawn_by(drawn, even(hands))
    assert_drawn_by([hand[::-1] for hand in drawn], even([hand[::-1] for hand in hands]))
    dealt = deal(game, 5_000, seed=7, conditions=Conditions(repeat=True))
    assert_drawn_by([puzzle.target for puzzle in dealt], even(range(1, 26)))


def ranked(most: int, count: int, rank: int) -> Chances:
    """Return the chances of a number of 1 up to `most` to be at a rank among so many of them."""
    return {
        number: Fraction(
            comb(number - 1, rank - 1) * comb(most - number, count - rank), comb(most, count)
        )
        for number in range(rank, most - count + rank + 1)
    }


WIDE: dict[str, Any] = {"numbers": tuple(range(1, 100)), "length": 4}


@pytest.mark.usefixtures("_all_made")
def test_hands_of_changed_numbers_are_equally_likely() -> None:
    plainly = drawn_of(replace(GAMES["numble"], **WIDE))
    repeated = drawn_of(replace(GAMES["cards"], numbers=WIDE["numbers"]))
    # Large numbers that are said to be its own are drawn as such.
    own = drawn_of(replace(GAMES["numble"], name="mine", **WIDE), 2_500)
    for rank in range(1, 5):
        chances = ranked(99, 4, rank)
        assert_drawn_by([hand[rank - 1] for hand in plainly], chances)
        # Of equal numbers each counts for one more than the one before.
        assert_drawn_by([hand[rank - 1] + rank - 1 for hand in repeated], ranked(102, 4, rank))
        found, freedom = statistic([sorted(hand)[rank - 1] for hand in own], chances)
        assert found > 3 * critical(freedom)


HOME = replace(GAMES["countdown"], numbers=(1, 1, 2, 2, 3, 3, 25, 25), length=4)
MORE = replace(GAMES["countdown"], numbers=(*range(1, 10), *range(1, 10), 25, 25, 50), length=5)


@pytest.mark.usefixtures("_all_made")
@pytest.mark.parametrize(("game", "count"), [(HOME, 1_500), (MORE, DRAWN)])
def test_distinct_hands_of_changed_tiles_are_equally_likely(game: Game, count: int) -> None:
    assert_drawn_by(
        drawn_of(game, count), even(sorted(set(combinations(game.numbers, game.length))))
    )


@pytest.mark.usefixtures("_all_made")
@pytest.mark.parametrize("large", [0, 1, 3])
def test_hands_with_a_number_of_large_numbers_are_equally_likely(large: int) -> None:
    every = set(combinations(MORE.numbers, MORE.length))
    chosen = [hand for hand in every if sum(number in MORE.large for number in hand) == large]
    drawn = [tuple(sorted(hand)) for hand in drawn_of(MORE, 5_000, large)]
    assert_drawn_by(drawn, even(chosen))


def test_reachable_targets_outside_the_hand_are_equally_likely() -> None:
    game = replace(GAMES["numble"], numbers=tuple(range(1, 8)), length=3)
    rules = Rules(parentheses=True, fractions=False, negatives=False, all_numbers=False)
    chances: Chances = {}
    for hand in combinations(game.numbers, 3):
        made = sorted(values(hand, rules) & set(range(1, 26)) - set(hand))
        chances |= {(hand, target): Fraction(1, comb(7, 3) * len(made)) for target in made}
    asked = [deal(game, 10, seed=seed, targets=range(1, 26)) for seed in range(800)]
    drawn = [(puzzle.hand, puzzle.target) for dealt in asked for puzzle in dealt]
    assert_drawn_by(drawn, chances)


@pytest.mark.usefixtures("_all_made")
def test_lengths_and_their_hands_are_equally_likely() -> None:
    # Of few hands and of many: 30 numbers make 4,060 hands of three, and 27,405 of four.
    game = replace(GAMES["countdown"], numbers=tuple(range(1, 31)))
    asked = Conditions(lengths=range(2, 5), trivial=True, repeat=True)
    dealt = deal(game, 9_000, seed=7, target=1, conditions=asked)
    drawn = [puzzle.hand for puzzle in dealt]
    assert_drawn_by(
        [(len(hand), place % 2) for place, hand in enumerate(drawn)],
        even(list(product(range(2, 5), range(2)))),
    )
    # Neighbours have nothing to do with one another, nor have lengths and what is drawn of them.
    pairs = zip(drawn[::2], drawn[1::2], strict=True)
    assert_drawn_by(
        [(len(a), len(b)) for a, b in pairs], even(list(product(range(2, 5), repeat=2)))
    )
    for length in range(2, 5):
        some = [hand for hand in drawn if len(hand) == length]
        for rank in range(1, length + 1):
            assert_drawn_by([hand[rank - 1] for hand in some], ranked(30, length, rank))
