"""Adapters that are objects of their host, which is imported when they are made.

The hosts are inspect_ai 0.3.285 and torchrl 0.14.1. `partial` and `game` are those of `rewards`.
"""

from typing import Any

from crisps24.errors import RefusedError
from crisps24.judging.columns import check_columns
from crisps24.rules.games import FREE_GAME, Game
from crisps24.training.rewards import judge_row, puzzle_fields, torchrl_row


def inspect_scorer(*, partial: float = 0.0, game: Game | str = FREE_GAME) -> Any:
    """Return a scorer of inspect_ai, a program that measures language models.

    The target of a sample has the puzzle: an id, or a row as JSON. The score has the answer that
    was judged, and the reason as its explanation.

    Raises:
        RefusedError: inspect_ai is not installed; while it scores, a target is not a puzzle.
    """
    try:
        from inspect_ai.scorer import Score, accuracy, scorer
    except ImportError:
        raise RefusedError("the scorer needs inspect_ai: pip install inspect-ai") from None

    @scorer(metrics=[accuracy()], name="crisps24")  # type: ignore[untyped-decorator, unused-ignore]
    def judged() -> Any:
        async def score(state: Any, target: Any) -> Any:
            output = state.output.completion
            judgement = judge_row(target.text, output, partial=partial, game=game)
            explanation = judgement.reason or judgement.code
            return Score(value=judgement.score, answer=judgement.answer, explanation=explanation)

        return score

    return judged()


def torchrl_transform(
    *, partial: float = 0.0, game: Game | str = FREE_GAME, **settings: Any
) -> Any:
    """Return a transform of torchrl that writes the reward of each response.

    It takes the place of `CountdownRewardParser`: append it to an environment that is made with
    `compute_reward=False`. The puzzle is in the key `answer`, in the forms of
    `rewards.torchrl_reward`, or in keys of a row, such as `nums` and `target`. It writes the keys
    of that parser: `reward` and `reward_right` have the score, `success` whether the answer is
    right, `reward_answer` whether the text has an answer, and `reward_think` whether it has
    thoughts.

    Args:
        partial, game: see `rewards`.
        settings: the arguments of `CountdownRewardParser`, such as `tokenizer` and `in_keys`;
            `format_reward` and `correct_reward` have no effect.

    Raises:
        RefusedError: torchrl is not installed; at a step, no key has a puzzle.
    """
    try:
        from tensordict import NonTensorStack, TensorDict
        from torchrl.envs.llm.reward.countdown import CountdownRewardParser
    except ImportError:
        raise RefusedError("the transform needs torchrl: pip install torchrl") from None

    class PuzzleReward(CountdownRewardParser):  # type: ignore[misc, unused-ignore]
        """Judges responses with crisps24; the base class reads them from the environment."""

        def _step(self, tensordict: Any, next_tensordict: Any) -> Any:
            self._maybe_get_in_keys()
            puzzle_key = self.in_keys[1]
            if next_tensordict.batch_dims > 1 or puzzle_key in next_tensordict.keys(True):
                return super()._step(tensordict, next_tensordict)
            # The base class reads one key: give it the rows that the columns have.
            names = puzzle_fields(next_tensordict.keys())
            check_columns(names)
            columns = [next_tensordict[name] for name in names]
            rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
            next_tensordict.set(puzzle_key, NonTensorStack(*rows))
            try:
                return super()._step(tensordict, next_tensordict)
            finally:
                next_tensordict.pop(puzzle_key)

        @staticmethod
        def extract_tags(text: str) -> tuple[str, str]:
            # The judge reads the whole response.
            return text.partition("</think>")[0] if "</think>" in text else "", text

        @staticmethod
        def _parse_ground_truth(answer: Any) -> tuple[Any, None]:
            return torchrl_row(answer), None

        def _single_correctness_reward(
            self, target: Any, _numbers: None, expression: str, cot: str
        ) -> Any:
            # The base class calls this with the row as the target and the text as the expression.
            judgement = judge_row(target, expression, partial=partial, game=game)
            return TensorDict(
                reward_answer=float(judgement.verdict not in ("none", "unread")),
                reward_think=float(bool(cot)),
                reward_right=judgement.score,
                reward=judgement.score,
                success=bool(judgement),
            )

    return PuzzleReward(**settings)
