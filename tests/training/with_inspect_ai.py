"""Example: puzzles of crisps24 as a task of inspect_ai."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from crisps24 import deal, judge


@scorer(metrics=[accuracy()])
def judged() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        judgement = judge(state.output.completion, target.text)
        explanation = judgement.reason or judgement.code
        return Score(value=judgement.score, answer=judgement.answer, explanation=explanation)

    return score


@task
def cards() -> Task:
    puzzles = deal("cards", 20, seed=7)
    samples = [Sample(f"Make {p.target} of {p.hand}.", target=p.id) for p in puzzles]
    return Task(samples, scorer=judged())
