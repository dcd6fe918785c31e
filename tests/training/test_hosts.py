"""Training and evaluation programs run with the puzzles and the judge of crisps24.

Tests of a program that is not installed are skipped; `pip install ".[hosts]"` installs all.
"""

import asyncio
import csv
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from crisps24 import deal
from crisps24.rules.games import FREE_GAME
from crisps24.training.rewards import puzzle_from_row

TOP = Path(__file__).parents[2]
KEYS_FILE = TOP / "tests" / "data" / "reasoning-gym-countdown.csv"


def import_host(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed: the extra `hosts` has it")


def key_rows() -> list[dict[str, str]]:
    with KEYS_FILE.open(newline="") as file:
        return list(csv.DictReader(file))


def test_all_keys_of_reasoning_gym_are_right() -> None:
    # Source: `create_dataset("countdown", size=2000, seed=7)`. Some keys start with a minus.
    rows = key_rows()
    keys = {row["answer"]: puzzle_from_row(row, FREE_GAME).judge(row["answer"]) for row in rows}
    wrong = {key: str(judgement) for key, judgement in keys.items() if not judgement}
    assert (len(rows), wrong) == (2000, {})


def test_keys_are_wrong_for_another_target() -> None:
    for row in key_rows():
        judgement = puzzle_from_row({**row, "target": int(row["target"]) + 1}).judge(row["answer"])
        assert (judgement.verdict, judgement.code, judgement.value) == (
            "wrong",
            "value",
            int(row["target"]),
        )


def test_keys_drawn_by_reasoning_gym_are_right() -> None:
    entries = import_host("reasoning_gym").create_dataset("countdown", size=50, seed=24)
    for entry in entries:
        judgement = puzzle_from_row(entry).judge(entry["answer"])
        assert judgement.verdict == "right", (entry, judgement)


def test_example_data_set_runs_in_reasoning_gym() -> None:
    gym = import_host("reasoning_gym")
    import_module("tests.training.with_reasoning_gym")
    dataset = gym.create_dataset("crisps24-cards", size=5, seed=24)
    puzzles = deal("cards", 5, seed=24)
    for entry, puzzle in zip(dataset, puzzles, strict=True):
        assert entry["metadata"]["id"] == puzzle.id
        assert dataset.score_answer(f"<answer>{entry['answer']} = 24</answer>", entry) == 1.0
        assert dataset.score_answer("abs(24)", entry) == dataset.score_answer(None, entry) == 0.0


def test_example_tasks_run_in_verifiers() -> None:
    vf = import_host("verifiers.v1")
    example = import_module("tests.training.with_verifiers")
    tasks = list(example.Cards(vf.TasksetConfig()))
    assert [task.data.idx for task in tasks] == list(range(20))
    for task, puzzle in zip(tasks, deal("cards", 20, seed=7), strict=True):
        for response, reward in ((f"So {puzzle.answer()}.\n\n{puzzle.answer()}", 1.0), ("24", 0.0)):
            assert task.data.puzzle == puzzle.id
            trace = trace_of(vf, task, response)
            asyncio.run(task.score(trace))
            assert (trace.rewards["solved"].value, trace.last_reply) == (reward, response)


def trace_of(vf: Any, task: Any, response: str) -> Any:
    """Return the trace of an agent that gives one response to a task."""
    graph = import_module("verifiers.v1.graph")
    trace = import_module("verifiers.v1.trace")
    message = vf.AssistantMessage(content=response)
    return vf.Trace(
        task=trace.TraceTask(type=type(task).__name__, data=task.data),
        agent=trace.AgentInfo.model_construct(),
        nodes=[graph.MessageNode(message=message, sampled=True)],
    )


# Runs in a separate process, because warnings of inspect_ai would be errors here. A solver
# replaces the model, because counting the tokens of a model needs a download.
INSPECT_SCRIPT = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver
from tests.training.with_inspect_ai import cards

@solver
def replying(replies):
    async def solve(state, generate):
        state.output = ModelOutput.from_content("none", replies[state.sample_id - 1])
        return state
    return solve

replies = json.load(sys.stdin)
options = {"model": "mockllm/model", "display": "none", "log_dir": sys.argv[1]}
[log] = eval(cards(), solver=replying(replies), **options)
scores = [sample.scores["judged"] for sample in sorted(log.samples, key=lambda sample: sample.id)]
explained = [(score.value, score.explanation) for score in scores]
print(json.dumps([log.status, log.results.scores[0].metrics["accuracy"].value, explained]))
"""


def test_example_task_runs_in_inspect_ai(tmp_path: Path) -> None:
    import_host("inspect_ai")
    wrong = {
        "<answer>24</answer>": "it uses 24, and the hand is ",
        "<answer>1 + 1</answer>": "it uses 1 1, and the hand is ",
        "no solution": "a solution exists",
        "": "there is no answer",
        "I do not know.": "there is no answer",
    }
    puzzles = deal("cards", 20, seed=7)
    replies = [f"<answer>{puzzle.answer()}</answer>" for puzzle in puzzles[:15]]
    process = subprocess.run(
        [sys.executable, "-c", INSPECT_SCRIPT, str(tmp_path)],
        input=json.dumps([*replies, *wrong]),
        capture_output=True,
        text=True,
        check=False,
        cwd=TOP,
    )
    status, accuracy, scores = json.loads(process.stdout)
    assert (status, accuracy) == ("success", 0.75)
    assert scores[:15] == [[1.0, "ok"]] * 15
    assert [score for score, _ in scores[15:]] == [0.0] * 5
    for (_, explanation), reason in zip(scores[15:], wrong.values(), strict=True):
        assert explanation.startswith(reason)


@pytest.mark.parametrize("name", ["reasoning_gym", "verifiers", "inspect_ai"])
def test_training_works_without_any_host(name: str) -> None:
    code = (
        f"import sys; sys.modules[{name!r}] = None; from crisps24.training import audits, rewards;"
        "assert rewards.puzzle_from_row('free:3.8=24').judge('3*8')"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
