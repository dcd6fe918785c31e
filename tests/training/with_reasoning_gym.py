"""Example: puzzles of crisps24 as a data set of reasoning-gym."""

from dataclasses import dataclass
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from crisps24 import deal
from crisps24.training.rewards import reasoning_gym_score


@dataclass
class CardsConfig:
    seed: int = 7
    size: int = 20


class Cards(ProceduralDataset):
    def __init__(self, config: CardsConfig) -> None:
        super().__init__(config, config.seed, config.size)
        self.rows = list(deal("cards", config.size, seed=config.seed).rows())

    def __getitem__(self, idx: int) -> dict[str, Any]:
        row = self.rows[idx]
        question = f"Make {row['target']} of {row['hand']}."
        return {"question": question, "answer": row["answer"], "metadata": row}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        return reasoning_gym_score(answer, entry)


register_dataset("crisps24-cards", Cards, CardsConfig)
