"""Example: puzzles of four numbers, step by step, as an environment of gymnasium.

An action is a pair of places and a sign; the observation is the values that are left, as floats.
"""

from itertools import permutations
from typing import Any

import gymnasium
import numpy as np

from crisps24 import Episode, deal

# A step of two of the four places, or taking the last step back.
ACTIONS = [(one, sign, other) for one, other in permutations(range(4), 2) for sign in "+-x:"]


class Steps(gymnasium.Env[Any, Any]):
    """A new puzzle at each reset."""

    action_space = gymnasium.spaces.Discrete(len(ACTIONS) + 1)
    observation_space = gymnasium.spaces.Box(-1e5, 1e5, (5,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        [puzzle] = deal("cards", seed=int(self.np_random.integers(2**31)))
        self.episode = Episode(puzzle, limit=10, process=0.5)
        return self.shown(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        seen, left = self.episode.observation, self.episode.observation.left
        if action == len(ACTIONS):
            seen = self.episode.undo()
        else:
            one, sign, other = ACTIONS[action]
            # A place without a number is that of a number that no puzzle has.
            values = [left[place] if place < len(left) else -1000 for place in (one, other)]
            seen = self.episode.step((values[0], sign, values[1]))
        return self.shown(), seen.reward, seen.done, False, {"code": seen.code}

    def shown(self) -> Any:
        left = [float(value) for value in self.episode.observation.left]
        target = float(self.episode.puzzle.target)
        return np.array([target, *left, *[0.0] * (4 - len(left))], np.float32)
