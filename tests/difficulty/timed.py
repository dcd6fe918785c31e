"""The timed puzzles, and the rank correlation that compares difficulties with them."""

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


class TimedPuzzles(NamedTuple):
    """Solvable hands of four cards with target 24, and the results of the people who tried them."""

    hands: list[Hand]
    seconds: Floats
    """The mean time of the people who solved each hand."""
    solved: Floats
    """The percentage of people who solved each hand."""


def read_timed_puzzles() -> TimedPuzzles:
    """Return the timed puzzles of `timed-puzzles.csv`; `README.md` has their source."""
    with (HERE / "timed-puzzles.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    return TimedPuzzles(
        [tuple(map(int, line["hand"].split())) for line in lines],
        np.array([float(line["mean_seconds"]) for line in lines]),
        np.array([float(line["solved_percent"]) for line in lines]),
    )


def read_log(lines: Iterable[str]) -> TimedPuzzles:
    """Return a player's times for hands of four cards with target 24, from a log of `play`.

    The time of a hand is the median over the rounds in which it was solved without a hint; its
    percentage is the number of such rounds divided by all its rounds. Rounds that the player left,
    other games and other targets are skipped, and so are hands that were never solved.

    Raises:
        ValueError: if a line is not a row of such a log; the message has its number.
    """
    rounds: dict[Hand, list[float | None]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            game, hand, target = parse_id(row["id"])
            is_solved = row["result"] == "right" and row["hints"] == 0
            seconds = float(row["seconds"])
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"line {number} is not a row of a log: {error}") from None
        # Only a script answers in 0 seconds.
        counts = row["result"] != "left" and seconds > 0
        if counts and (game, target, len(hand)) == (GAMES["cards"], 24, 4):
            rounds[tuple(sorted(hand))].append(seconds if is_solved else None)
    times = {
        hand: [seconds for seconds in results if seconds is not None]
        for hand, results in rounds.items()
    }
    hands = sorted(hand for hand in times if times[hand])
    return TimedPuzzles(
        hands,
        np.array([median(times[hand]) for hand in hands]),
        np.array([100 * len(times[hand]) / len(rounds[hand]) for hand in hands]),
    )


def combine_times(reference: TimedPuzzles, player: TimedPuzzles, expected: Floats) -> TimedPuzzles:
    """Return both sets of times as one, the player's times scaled to the average pace.

    `expected` has the seconds that people take for the player's hands on average. The factor makes
    the median of scaled time / expected equal to 1.
    """
    pace = float(np.median(expected / player.seconds))
    return TimedPuzzles(
        [*reference.hands, *player.hands],
        np.concatenate([reference.seconds, pace * player.seconds]),
        np.concatenate([reference.solved, player.solved]),
    )


def ranks(values: Floats) -> Floats:
    """Return the ranks of values, from 0; equal values get their mean rank."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = counts.cumsum() - (counts + 1) / 2
    return means[indices]


def spearman(left: Floats, right: Floats) -> float:
    """Return Spearman's rank correlation.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 5.0, 99.0]))
    1.0
    """
    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])
