"""Example: puzzles of crisps24 as tasks of verifiers."""

from collections.abc import Iterator

import verifiers.v1 as vf

from crisps24 import deal
from crisps24.training.rewards import verifiers_reward


class PuzzleData(vf.TaskData):
    puzzle: str


class Make24(vf.Task[PuzzleData]):
    @vf.reward
    async def solved(self, trace: vf.Trace) -> float:
        return verifiers_reward(trace, self.data.puzzle)


class Cards(vf.Taskset[Make24]):
    def load(self) -> Iterator[Make24]:
        for puzzle in deal("cards", 20, seed=7):
            prompt = f"Make {puzzle.target} of {puzzle.hand}."
            yield Make24(PuzzleData(prompt=prompt, puzzle=puzzle.id), self.config.task)
