"""Find where levels begin: `python -m tests.difficulty.fifths`.

Looks at every hand that a game can deal, each distinct one once, and at every target of it that
people can make, and prints the bits that part these puzzles: in fifths where the game deals its
targets, and at the 20th, 50th, 75th and 90th percentile for the card game at 24, by which all
games with a target of their own go. It takes some minutes; names of games as arguments look at
these alone.
"""

import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.hands.effort import Efforts
from crisps24.rules.deals import hands_of
from crisps24.rules.games import GAMES, Game

Counts = npt.NDArray[np.int64]

CARDS = "cards"
PERCENTILES = (20, 50, 75, 90)
FIFTHS = (20, 40, 60, 80)
# Bits are told to 0.001, and none are outside of these.
LEAST, MOST = -100, 200
AT_ONCE = 50


def counted(game: Game) -> Counts:
    """Count the puzzles of a game by their bits, in thousandths from `LEAST`."""
    within = game.targets if game.target is None else (game.target, game.target)
    hands = hands_of(game)
    efforts = Efforts(game, [max(hand[-1] for hand in hands)] * game.length, within=within)
    counts = np.zeros((MOST - LEAST) * 1000, np.int64)
    for at in range(0, len(hands), AT_ONCE):
        found: list[Any] = [bits for _, bits in efforts.bits(hands[at : at + AT_ONCE])]
        places = np.rint((np.concatenate(found) - LEAST) * 1000).astype(np.int64)
        counts += np.bincount(places, minlength=len(counts))
    return counts


def parted(counts: Counts, percents: Sequence[int]) -> list[float]:
    """Return the bits below which so many percent of the puzzles are."""
    below = counts.cumsum()
    places = np.searchsorted(below, [below[-1] * percent / 100 for percent in percents])
    return [place / 1000 + LEAST for place in places.tolist()]


def main(names: Sequence[str]) -> None:
    """Print a line for each game."""
    for name in names:
        begun = perf_counter()
        counts = counted(GAMES[name])
        cuts = parted(counts, PERCENTILES if name == CARDS else FIFTHS)
        told = ", ".join(f"{cut:.3f}" for cut in cuts)
        print(
            f"{name}: {counts.sum():,} puzzles: {told} ({perf_counter() - begun:.0f} s)", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:] or [CARDS, *(name for name, game in GAMES.items() if game.target is None)])
