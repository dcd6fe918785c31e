"""Example: puzzles of crisps24, step by step, as an environment of skyrl-gym."""

from typing import Any

from skyrl_gym import register
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from crisps24 import Episode, puzzle_of


class Steps(BaseTextEnv):
    """The last line of each reply is a step; the extras have the id of the puzzle."""

    def __init__(self, env_config: Any, extras: dict[str, Any]) -> None:
        super().__init__()
        self.config = env_config
        self.max_turns = extras.get("max_turns", 12)
        puzzle = puzzle_of(extras["reward_spec"]["ground_truth"])
        self.episode = Episode(puzzle, limit=self.max_turns, process=0.5)

    def step(self, action: str) -> BaseTextEnvStepOutput:
        self.turns += 1
        seen = self.episode.step(action.strip().rpartition("\n")[2])
        content = f"{seen.code}; left: {', '.join(seen.formulas)}"
        return BaseTextEnvStepOutput(
            observations=[] if seen.done else [{"role": "user", "content": content}],
            reward=seen.reward,
            done=seen.done,
            metadata={"code": seen.code, "can_still_win": seen.can_still_win},
        )


register(id="crisps24-steps", entry_point="tests.training.with_skyrl_gym:Steps")
