"""The timed puzzles, and the measure by which difficulties are held to them."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.rules.games import GAMES, Hand
from crisps24.rules.ids import parse_id

Floats = npt.NDArray[np.float64]

HERE = Path(__file__).parent


class Timed(NamedTuple):
    """Hands of four cards at 24, each with a solution, and what people did with them."""

    hands: list[Hand]
    seconds: Floats
    """How long those took who solved it, on average."""
    solved: Floats
    """How many percent solved it."""


def timed() -> Timed:
    """Read the timed puzzles; `README.md` says where they are from."""
    with (HERE / "timed-puzzles.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    return Timed(
        [tuple(map(int, line["hand"].split())) for line in lines],
        np.array([float(line["mean_seconds"]) for line in lines]),
        np.array([float(line["solved_percent"]) for line in lines]),
    )


def logged(lines: Iterable[str]) -> Timed:
    """Read what a player did with the timed game's puzzles, of the lines of a log of `play`.

    A hand is timed by the median of the rounds in which it was made without a hint, and solved in
    as many percent of all its rounds. Rounds that were left, other games and other targets tell
    nothing, and neither does a hand that was never made.

    Raises ValueError, with its number, for a line that is no row of such a log.
    """
    rounds: dict[Hand, list[float | None]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            game, hand, target = parse_id(row["id"])
            made = row["result"] == "right" and row["hints"] == 0
            seconds = float(row["seconds"])
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"line {number} is no row of a log: {error}") from None
        # No time at all is a script's.
        tells = row["result"] != "left" and seconds > 0
        if tells and (game, target, len(hand)) == (GAMES["cards"], 24, 4):
            rounds[tuple(sorted(hand))].append(seconds if made else None)
    told = {hand: [each for each in every if each is not None] for hand, every in rounds.items()}
    hands = sorted(hand for hand, times in told.items() if times)
    return Timed(
        hands,
        np.array([median(told[hand]) for hand in hands]),
        np.array([100 * len(told[hand]) / len(rounds[hand]) for hand in hands]),
    )


def beside(reference: Timed, own: Timed, expected: Floats) -> Timed:
    """Return two sets of times as one, those of one player at the pace of all.

    `expected` are the seconds that all would take for the player's hands: the times of the player
    are multiplied by what makes the median of the quotients 1.
    """
    pace = float(np.median(expected / own.seconds))
    return Timed(
        [*reference.hands, *own.hands],
        np.concatenate([reference.seconds, pace * own.seconds]),
        np.concatenate([reference.solved, own.solved]),
    )


def ranks(values: Floats) -> Floats:
    """Return the ranks of values from 0, the mean rank for those that are equal."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = counts.cumsum() - (counts + 1) / 2
    return means[which]


def spearman(left: Floats, right: Floats) -> float:
    """Return Spearman's rank correlation.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 5.0, 99.0]))
    1.0
    """
    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])
