"""Example: puzzles of crisps24 as a task of inspect_ai."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from crisps24 import deal
from crisps24.training.host_classes import inspect_scorer


@task
def cards() -> Task:
    puzzles = deal("cards", 20, seed=7)
    samples = [Sample(f"Make {p.target} of {p.hand}.", target=p.id) for p in puzzles]
    return Task(samples, scorer=inspect_scorer())
