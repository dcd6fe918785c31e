"""Run the transform inside torchrl, and print as JSON what it writes for responses and for rows.

It runs in a separate process, because torchrl warns, and a warning is an error in a test.
"""

import json
import warnings
from typing import Any

RIGHT, WRONG, NO_ANSWER = "So <answer>3 * 8 = 24</answer>.", r"\boxed{3 + 8}", "I give up."


def run() -> Any:
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(f"\n{json.dumps(run())}")
