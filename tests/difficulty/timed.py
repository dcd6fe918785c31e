"""The timed puzzles, and the measure by which difficulties are held to them."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.rules.games import Hand

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
