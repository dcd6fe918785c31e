"""Example: train a policy by turns, with an exact oracle for each turn.

Other than the result of the whole play, `can_still_win` says after each turn whether that turn kept
the puzzle solvable: so each turn gets its own reward. The policy here chooses a step by a few
properties of its result (a log-linear model), and learns by policy gradients (REINFORCE, Williams,
1992) with the mean of the turn as baseline. A language model takes the place of `Policy`.

`python -m tests.training.train_by_turns` trains 20 steps of 64 plays, and prints a line for each.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from crisps24 import Episode, Puzzle, deal
from crisps24.puzzles.episodes import Observation

STEPS, PLAYS, RATE = 20, 64, 4.0
# A left number, an operator, a right number.
Action = tuple[int | Fraction, str, int | Fraction]


class Turn(NamedTuple):
    """What a turn adds to the gradient, and whether it kept the puzzle solvable."""

    place: int
    gradient: Any
    kept: bool


def actions_of(seen: Observation) -> list[Action]:
    return [
        (left, sign, right)
        for left, right in sorted({*permutations(seen.left, 2)})
        for sign in "+-x:"
        if (sign in "-:" or left >= right) and (sign != ":" or right)
    ]


def features_of(action: Action, target: int) -> list[float]:
    left, sign, right = action
    values = {"+": left + right, "-": left - right, "x": left * right}
    value = Fraction(left) / right if sign == ":" else Fraction(values[sign])
    is_factor = value > 0 and value.denominator == 1 and target % value == 0
    marks = [value == target, value.denominator == 1, value < 0, value > 2 * target, is_factor]
    return [*map(float, marks), *(float(sign == each) for each in "+-x:")]


class Policy:
    def __init__(self, seed: int) -> None:
        self.random, self.weights = np.random.default_rng(seed), np.zeros(9)

    def choose(self, actions: Sequence[Action], target: int) -> tuple[Action, Any]:
        """Return an action, and the gradient of the logarithm of its chance."""
        features = np.array([features_of(action, target) for action in actions])
        chances = np.exp(features @ self.weights)
        chances /= chances.sum()
        chosen = int(self.random.choice(len(actions), p=chances))
        return actions[chosen], features[chosen] - chances @ features


def play(puzzle: Puzzle, policy: Policy) -> Iterator[Turn]:
    """Play a puzzle to its first turn after which it cannot be won."""
    seen = (episode := Episode(puzzle)).observation
    while seen.can_still_win and not seen.done:
        place = len(seen.left)
        action, gradient = policy.choose(actions_of(seen), int(puzzle.target))
        seen = episode.step(action)
        yield Turn(place, gradient, seen.can_still_win)


def train(steps: int = STEPS, seed: int = 24) -> Iterator[float]:
    """Train a policy, and yield for each step the part of its turns that kept a puzzle solvable."""
    policy, puzzles = Policy(seed), deal("cards", 400, seed=seed)
    for _ in range(steps):
        dealt = policy.random.choice(len(puzzles), PLAYS)
        turns = [turn for index in dealt for turn in play(puzzles[int(index)], policy)]
        for place in {turn.place for turn in turns}:
            same = [turn for turn in turns if turn.place == place]
            mean = sum(turn.kept for turn in same) / len(same)
            gradient = sum((turn.kept - mean) * turn.gradient for turn in same)
            policy.weights += RATE * gradient / len(same)
        yield sum(turn.kept for turn in turns) / len(turns)


if __name__ == "__main__":
    for number, kept in enumerate(train(), 1):
        print(f"step {number}: {kept:.0%} of the turns kept the puzzle solvable")
