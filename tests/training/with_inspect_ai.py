"""An example: puzzles of ours as a task of inspect_ai."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

from crisps24 import deal, judge


@scorer(metrics=[accuracy()])
def judged() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        found = judge(state.output.completion, target.text)
        return Score(value=found.score, answer=found.answer, explanation=found.reason or found.code)

    return score


@task
def cards() -> Task:
    dealt = deal("cards", 20, seed=7)
    asked = [Sample(f"Make {each.target} of {each.hand}.", target=each.id) for each in dealt]
    return Task(asked, scorer=judged())
