"""Training and evaluation programs run with the puzzles and the judge of crisps24.

Tests of a program that is not installed are skipped; `pip install --group hosts` installs five.
"""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crisps24 import RefusedError, deal
from crisps24.rules.games import FREE_GAME
from crisps24.training.host_classes import inspect_scorer, torchrl_transform
from crisps24.training.rewards import puzzle_from_row
from tests.tables import rows_of
from tests.training.train_by_turns import train

TOP = Path(__file__).parents[2]


def import_host(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed: the extra `hosts` has it")


def test_all_keys_of_reasoning_gym_are_right() -> None:
    # Source: `create_dataset("countdown", size=2000, seed=7)`. Some keys start with a minus.
    rows = rows_of("reasoning-gym-countdown.csv")
    keys = {row["answer"]: puzzle_from_row(row, FREE_GAME).judge(row["answer"]) for row in rows}
    wrong = {key: str(judgement) for key, judgement in keys.items() if not judgement}
    assert (len(rows), wrong) == (2000, {})
    for row in rows:
        target = int(row["target"])
        judgement = puzzle_from_row({**row, "target": target + 1}).judge(row["answer"])
        assert (judgement.code, judgement.value) == ("value", target)


def test_a_policy_learns_from_the_oracle_of_turns_in_20_steps() -> None:
    kept = list(train(20, seed=24))
    assert len(kept) == 20
    assert list(train(2, seed=24)) == kept[:2]
    assert sum(kept[-5:]) / 5 > sum(kept[:5]) / 5 + 0.05


def test_keys_drawn_by_reasoning_gym_are_right() -> None:
    for entry in import_host("reasoning_gym").create_dataset("countdown", size=50, seed=24):
        judgement = puzzle_from_row(entry).judge(entry["answer"])
        assert judgement.verdict == "right", (entry, judgement)


def test_example_data_set_runs_in_reasoning_gym() -> None:
    gym = import_host("reasoning_gym")
    import_module("tests.training.with_reasoning_gym")
    dataset = gym.create_dataset("crisps24-cards", size=5, seed=24)
    for entry, puzzle in zip(dataset, deal("cards", 5, seed=24), strict=True):
        assert entry["metadata"]["id"] == puzzle.id
        assert dataset.score_answer(f"<answer>{entry['answer']} = 24</answer>", entry) == 1.0
        assert dataset.score_answer("abs(24)", entry) == dataset.score_answer(None, entry) == 0.0


def test_example_tasks_run_in_verifiers() -> None:
    vf = import_host("verifiers.v1")
    tasks = list(import_module("tests.training.with_verifiers").Cards(vf.TasksetConfig()))
    assert [task.data.idx for task in tasks] == list(range(20))
    for task, puzzle in zip(tasks, deal("cards", 20, seed=7), strict=True):
        for response, reward in ((f"So {puzzle.answer()}.\n\n{puzzle.answer()}", 1.0), ("24", 0.0)):
            assert task.data.puzzle == puzzle.id
            trace = trace_of(vf, task, response)
            asyncio.run(task.score(trace))
            assert (trace.rewards["solved"].value, trace.last_reply) == (reward, response)


def trace_of(vf: Any, task: Any, response: str) -> Any:
    graph = import_module("verifiers.v1.graph")
    trace = import_module("verifiers.v1.trace")
    return vf.Trace(
        task=trace.TraceTask(type=type(task).__name__, data=task.data),
        agent=trace.AgentInfo.model_construct(),
        nodes=[graph.MessageNode(message=vf.AssistantMessage(content=response), sampled=True)],
    )


def test_example_environment_with_turns_runs_in_verifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    # A set of tasks is named by its module.
    monkeypatch.syspath_prepend(Path(__file__).parent)
    vf = import_host("verifiers.v1")
    example = import_module("tests.training.with_verifiers_steps")
    tasks = import_module("tests.training.with_verifiers")
    config = example.StepsConfig(taskset={"id": "with_verifiers_steps"})
    puzzle = tasks.PuzzleData(prompt="Make 24.", puzzle="cards:4.6.8.10=24")
    for replies, reward in (
        (["So\n10 - 6 = 4", "4 x 4 = 16", "16 + 8 = 24"], 0.5),
        (["10 + 6 = 16", "no solution"], -0.5),
    ):
        task = tasks.Make24(puzzle, vf.TaskConfig())
        player = ScriptedPlayer(trace_of(vf, task, ""), replies)
        asyncio.run(example.Steps(config).run(task, SimpleNamespace(player=player)))
        assert player.trace.rewards["steps"].value == reward
        assert player.asked[:2] == [(), (f"ok; left: {player.left}",)]
        assert not player.replies


class ScriptedPlayer:
    """The interaction of an agent of verifiers that has no model."""

    def __init__(self, trace: Any, replies: list[str]) -> None:
        self.trace, self.replies, self.asked = trace, list(replies), list[Any]()
        self.left = "4, 8, 10 - 6" if "-" in replies[0] else "4, 8, 10 + 6"

    def interaction(self, _: Any) -> Any:
        return nullcontext(self)

    async def turn(self, *asked: str) -> Any:
        self.asked.append(asked)
        return SimpleNamespace(last_reply=self.replies.pop(0), terminated=False)


def test_example_environment_runs_in_skyrl_gym() -> None:
    skyrl_gym = import_host("skyrl_gym")
    import_module("tests.training.with_skyrl_gym")
    extras = {"reward_spec": {"ground_truth": "cards:4.6.8.10=24"}, "max_turns": 4}
    for replies, rewards in (
        (["So\n10 - 6 = 4", "4 x 4 = 16", "16 + 8 = 24"], [0, 0, 0.5]),
        (["10 + 6 = 16", "8 - 4 = 4", "undo", "?"], [-0.5, 0, 0, 0]),
    ):
        env = skyrl_gym.make("crisps24-steps", env_config={}, extras=extras)
        prompt, _ = env.init([{"role": "user", "content": "Make 24 of 4, 6, 8 and 10."}])
        assert len(prompt) == 1
        steps = [env.step(reply) for reply in replies]
        assert [step["reward"] for step in steps] == rewards
        assert [step["done"] for step in steps] == [*[False] * (len(steps) - 1), True]
        assert "left: 4, 8, 10 - 6" in str(steps[0]["observations"]) or rewards[0]


def test_example_environment_passes_the_checks_of_gymnasium() -> None:
    checker = import_host("gymnasium.utils.env_checker")
    example = import_module("tests.training.with_gymnasium")
    checker.check_env(example.Steps(), skip_render_check=True)
    env, totals = example.Steps(), []
    for seed in range(5):
        _, _ = env.reset(seed=seed)
        env.action_space.seed(seed)
        done, total = False, 0.0
        while not done:
            _, reward, done, _, _ = env.step(env.action_space.sample())
            total += reward
        totals.append(total)
    assert set(totals) <= {-0.5, 0.5}


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
scores = [sample.scores["crisps24"] for sample in sorted(log.samples, key=lambda sample: sample.id)]
explained = [(score.value, score.explanation) for score in scores]
print(json.dumps([log.status, log.results.scores[0].metrics["accuracy"].value, explained]))
"""


def test_example_task_runs_in_inspect_ai(tmp_path: Path) -> None:
    import_host("inspect_ai")
    wrong = ["<answer>24</answer>", "<answer>1 + 1</answer>", "no solution", "", "I do not know."]
    puzzles = deal("cards", 20, seed=7)
    replies = [f"<answer>{puzzle.answer()}</answer>" for puzzle in puzzles[:15]]
    command = [sys.executable, "-c", INSPECT_SCRIPT, str(tmp_path)]
    replied = json.dumps([*replies, *wrong])
    process = subprocess.run(command, input=replied, capture_output=True, text=True, cwd=TOP)
    status, accuracy, scores = json.loads(process.stdout)
    assert (status, accuracy) == ("success", 0.75)
    assert scores[:15] == [[1.0, "ok"]] * 15
    assert [score for score, _ in scores[15:]] == [0.0] * 5
    reasons = [puzzle.judge(text).reason for puzzle, text in zip(puzzles[15:], wrong, strict=True)]
    assert [explanation for _, explanation in scores[15:]] == reasons
    assert reasons[2:4] == ["a solution exists", "there is no answer"]


def test_torchrl_writes_the_reward_of_each_response() -> None:
    # It ran with 0.14.1; no extra installs it.
    import_host("torchrl")
    command = [sys.executable, "-m", "tests.training.with_torchrl"]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    process = subprocess.run(command, capture_output=True, text=True, cwd=TOP, env=environment)
    assert process.returncode == 0, process.stderr
    written, in_columns, names, refused = json.loads(process.stdout.splitlines()[-1])
    answers, *columns = zip(*written, strict=True)
    assert set(answers) == {"target=198, numbers=18,73,98,9"}
    score = [1.0, pytest.approx(0.5 / (1 + 198 - (98 - 73 - 9 - 18))), 0.0]
    expected = [score, score, [True, False, False], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert list(map(list, columns)) == expected
    assert in_columns == [1.0, pytest.approx(0.5 / 14)]
    assert "answer" not in names
    assert refused.startswith("no column has the numbers of a puzzle (expected id, card")


def test_a_missing_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("inspect_ai.scorer", "tensordict", "torchrl.envs.llm.reward.countdown"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RefusedError, match=r"needs inspect_ai: pip install "):
        inspect_scorer()
    with pytest.raises(RefusedError, match=r"needs torchrl: pip install "):
        torchrl_transform()


def test_training_works_without_any_host() -> None:
    names = "skyrl_gym gymnasium reasoning_gym verifiers inspect_ai trl verl lm_eval torchrl"
    without = f"import sys; sys.modules.update(dict.fromkeys({names.split()}))"
    imports = "from crisps24.training import audits, host_classes, rewards"
    code = f"{without}\n{imports}\nassert rewards.puzzle_from_row('free:3.8=24').judge('3*8')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
