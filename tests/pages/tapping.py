"""The taps that solve a puzzle: the displayed numbers and signs of the likeliest steps."""

import re

from crisps24.puzzle import Puzzle


def taps_of(puzzle: Puzzle) -> list[tuple[str, str, str]]:
    """Return the taps of each step: a number, a sign, a number."""
    taps = []
    for step in puzzle.hints():
        left, sign, right = re.split(r" ([^0-9.]) ", step.partition(" = ")[0])
        taps.append((left.strip("()"), sign, right.strip("()")))
    return taps
