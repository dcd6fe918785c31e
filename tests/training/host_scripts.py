"""Programs that run the adapters inside their hosts; each prints its result as JSON.

`python -m tests.training.host_scripts HOST FOLDER` runs one; `test_hosts.py` checks what it prints.
They run in separate processes, because some hosts warn, and a warning is an error in a test. No
model is downloaded: a tiny one is made, or answers are fixed.
"""

import asyncio
import json
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

RIGHT, WRONG, NO_ANSWER = "So <answer>3 * 8 = 24</answer>.", r"\boxed{3 + 8}", "I give up."


def run_trl(folder: Path) -> Any:
    """Train a tiny model for one step; return each completion with its columns and its reward."""
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    from crisps24.training.rewards import trl_reward

    words = ["<pad>", "<eos>", *"0123456789+-*/()= ", "Make"]
    tokens = Tokenizer(
        models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<pad>")
    )
    tokens.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="<eos>"
    )
    size: dict[str, Any] = {"n_positions": 64, "n_embd": 8, "n_layer": 1, "n_head": 1}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), **size))
    calls: list[Any] = []

    def reward(completions: list[str], **columns: Any) -> list[float | None]:
        rewards = trl_reward(completions, partial=0.5, game="countdown", **columns)
        calls.append([completions, columns["nums"], columns["target"], rewards])
        return rewards

    rows = [{"prompt": "Make 24", "nums": [3, 8], "target": 24}] * 4
    batch: dict[str, Any] = {"per_device_train_batch_size": 2, "num_generations": 2}
    quiet: dict[str, Any] = {"report_to": [], "save_strategy": "no", "disable_tqdm": True}
    config = GRPOConfig(
        output_dir=str(folder), max_steps=1, max_completion_length=4, use_cpu=True, **batch, **quiet
    )
    trainer = GRPOTrainer(
        model, reward, config, Dataset.from_list(rows), processing_class=tokenizer
    )
    trainer.train()
    return calls


def run_verl(_: Path) -> Any:
    import numpy as np
    import torch
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager

    from crisps24.training.rewards import verl_score

    texts = [RIGHT, WRONG, NO_ANSWER]

    class Tokenizer:
        def decode(self, ids: Any, **_: Any) -> str:
            return texts[int(ids[0])]

    async def scores() -> list[float]:
        compute = partial(verl_score, partial=0.5, game="cards")
        manager = NaiveRewardManager(None, Tokenizer(), compute)
        manager.loop = asyncio.get_running_loop()
        found = []
        for index in range(len(texts)):
            tensors = {"responses": [[index]], "attention_mask": [[1]]}
            truth = {"ground_truth": {"target": 24, "numbers": np.array([3, 8])}}
            others = {"data_source": "cards", "reward_model": truth, "extra_info": {}}
            data = DataProto.from_dict(
                {name: torch.tensor(values) for name, values in tensors.items()},
                non_tensors={name: np.array([value], object) for name, value in others.items()},
            )
            found.append((await manager.run_single(data))["reward_score"])
        return found

    return asyncio.run(scores())


def run_lm_eval(folder: Path) -> Any:
    import lm_eval
    from lm_eval.api.model import LM

    from crisps24.training.rewards import process_results

    class Fixed(LM):  # type: ignore[misc, unused-ignore]
        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            return [RIGHT, WRONG, "no solution"][: len(requests)]

        def loglikelihood(self, requests: Any, **_: Any) -> Any:
            raise NotImplementedError(requests)

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> Any:
            raise NotImplementedError(requests)

    path = folder / "test.jsonl"
    rows = [{"nums": [3, 8], "target": 24}] * 2 + [{"nums": [1, 1], "target": 24}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    task = {
        "task": "cards",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(path)}, "cache_dir": str(folder / "cache")},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "Make {{target}} of {{nums}}.",
        "doc_to_target": "",
        "process_results": partial(process_results, partial=0.5, game="cards"),
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
    }
    results = lm_eval.simple_evaluate(model=Fixed(), tasks=[task], bootstrap_iters=0)
    return results["results"]["cards"]["acc,none"]


def run_torchrl(_: Path) -> Any:
    """Return what the transform writes for four responses, and for rows in columns."""
    import torch
    from tensordict import NonTensorStack, TensorDict
    from torchrl.data.llm import History
    from torchrl.envs.llm import CountdownEnv

    from crisps24 import RefusedError
    from crisps24.training.host_classes import torchrl_transform

    names = ("reward", "reward_right", "success", "reward_answer", "reward_think")
    written = []
    # The first puzzle of this environment is 198 from 18, 73, 98 and 9.
    for text in ("<think>Hm.</think><answer>98+73+9+18 = 198</answer>", "98-73-9-18", NO_ANSWER):
        env = CountdownEnv(seed=1, compute_reward=False)
        env.append_transform(torchrl_transform(partial=0.5, game="free"))
        state = env.reset()
        reply = History(role=["assistant"], content=[text], batch_size=1).unsqueeze(0)
        history = state["history"]
        history.full = history.prompt.extend(reply, inplace=False, dim=-1)
        state["history"] = history
        after = env.step(state)["next"]
        written.append([state["answer"][0], *(after[name].item() for name in names)])

    def step(**columns: Any) -> Any:
        transform = torchrl_transform(
            partial=0.5, in_keys=[("text", "full"), "answer"], input_mode="text"
        )
        before = TensorDict({"text": TensorDict({}, [2])}, [2])
        before["text", "full"] = NonTensorStack(RIGHT, WRONG)
        after = TensorDict({"done": torch.zeros(2, 1, dtype=torch.bool)}, [2])
        for name, values in columns.items():
            after[name] = NonTensorStack(*values)
        return transform._step(before, after)

    in_columns = step(nums=[[3, 8], [3, 8]], goal=[24, 24])
    try:
        step(prompt=["a", "b"])
    except RefusedError as error:
        refused = str(error)
    return [written, in_columns["reward"].flatten().tolist(), sorted(in_columns.keys()), refused]


HOSTS: dict[str, Callable[[Path], Any]] = {
    "trl": run_trl,
    "verl": run_verl,
    "lm_eval": run_lm_eval,
    "torchrl": run_torchrl,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(f"\n{json.dumps(HOSTS[sys.argv[1]](Path(sys.argv[2])))}")
