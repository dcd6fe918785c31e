"""Example: puzzles of crisps24, step by step, as an environment of verifiers with turns."""

import verifiers.v1 as vf

from crisps24 import Episode, puzzle_of
from tests.training.with_verifiers import Cards, Make24

__all__ = ["Cards", "Steps"]


class StepsConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(max_turns=12)


class Steps(vf.Env[StepsConfig]):
    """The last line of each reply is a step; the reward is the sum of those of the steps."""

    async def run(self, task: Make24, agents: vf.Agents) -> None:
        limit = self.config.player.max_turns or 12
        episode = Episode(puzzle_of(task.data.puzzle), limit=limit, process=0.5)
        async with agents.player.interaction(task) as player:
            reply, total = await player.turn(), 0.0
            while not (reply.terminated or episode.observation.done):
                seen = episode.step(reply.last_reply.rpartition("\n")[2])
                total += seen.reward
                if not seen.done:
                    left = ", ".join(seen.formulas)
                    reply = await player.turn(f"{seen.code}; left: {left}")
            player.trace.record_reward("steps", total)
