"""Reward and score functions with the signatures that training programs call.

The programs are trl 1.16.0, verl 0.9.1, TinyZero (commit 95df88f), lm-eval 0.4.13, reasoning-gym
0.1.25, verifiers 0.4.0 and torchrl 0.14.1. Each function reads the puzzle from a row of the data
set, and scores the answer with the judge. All have these arguments:

- `partial`: a legal formula with the right numbers and a wrong value scores `partial` / (1 +
  distance to target). A value above 0 invites models to aim for near values.
- `game`: the game of rows that do not name one.

They raise RefusedError for a row without a puzzle. `host_classes` has the adapters that need
classes of their host.

The last marked answer counts, unless a later sentence takes it back ("Wait, that is wrong."). The
guide `docs/training.md` lists cases that the judge cannot decide.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crisps24.errors import RefusedError, quoted
from crisps24.judging import records
from crisps24.judging.columns import CARD_FIELDS, PUZZLE_OBJECTS, check_columns
from crisps24.judging.judge import Judgement
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, find_game
from crisps24.rules.ids import is_id, parse_id

_TORCHRL_ANSWER = re.compile(r"target\s*=\s*(-?[0-9./]+),\s*numbers\s*=\s*([-0-9./,\s]+)")
_MAX_NAMES = 12
# A TinyZero text starts with the prompt, which ends with this mark.
_ANSWER_START = re.compile(r"Assistant:|<\|im_start\|>assistant")


def puzzle_from_row(
    row: Mapping[str, Any] | str, game: Game | str = FREE_GAME, *, target: Exact | None = None
) -> Puzzle:
    """Return the puzzle in a row: a mapping, JSON of one, or the id of a puzzle.

    A row has a `target` or `goal`, and its numbers in `nums` or another of `columns.CARD_FIELDS`;
    or the `id` of a puzzle. Fields that it lacks are read from an object in it, such as `metadata`,
    or JSON text of one; a target that it lacks is `target`, or that of the game. Null, NaN, and an
    `id` that does not name a puzzle are ignored.

    >>> puzzle_from_row({"nums": [44, 19, 35], "target": 98}).judge("44 + 19 + 35").verdict
    'right'
    """
    record = _puzzle_record(row)
    attempt = records.apply_record(
        record, records.Attempt("", None, target, find_game(game)), parse_id
    )
    if attempt.target is None:
        attempt = attempt._replace(target=attempt.game.target)
    if attempt.card is None or attempt.target is None:
        missing = "numbers" if attempt.card is None else "target"
        fields = row if isinstance(row, Mapping) else record
        names = [str(name) for name, value in fields.items() if value is not None][:_MAX_NAMES]
        raise RefusedError(f"the row has no {missing}: it has {', '.join(names) or 'nothing'}")
    return Puzzle(attempt.card, attempt.target, attempt.game)


def judge_row(
    row: Mapping[str, Any] | str,
    answer: object,
    *,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
) -> Judgement:
    """Judge an answer, as text, bytes or messages of a chat, to the puzzle in a row.

    >>> judge_row({"starting": [3, 8], "goal": 24}, "3 + 8", partial=0.5).score
    0.03571428571428571
    """
    return puzzle_from_row(row, game).judge(answer, partial=partial, strict_equals=True)


def _puzzle_record(row: Mapping[str, Any] | str) -> dict[str, Any]:
    """Return the fields of a row that describe its puzzle, such as `target` and `nums`."""
    record: Mapping[str, Any] | None = row if isinstance(row, Mapping) else None
    if isinstance(row, str):
        record = {"id": row} if is_id(row) else records.parse_record(row.strip())
    if record is None:
        raise RefusedError(f"{quoted(row)} is not a row with numbers and a target")
    return records.puzzle_values(record, _plain_value)


def puzzle_fields(names: Iterable[str]) -> list[str]:
    """Return those of some names that are fields of a puzzle, or of an object with such fields.

    >>> puzzle_fields(["prompt", "nums", "goal"])
    ['nums', 'goal']
    """
    known = {*records.puzzle_field_names(), *(path[0] for path in PUZZLE_OBJECTS)}
    return [name for name in names if name in known]


def _plain_value(value: Any, depth: int = 0) -> Any:
    """Return a value of a table as plain Python: an array as a list, 24.0 as 24, NaN as None."""
    # Numpy arrays, and their values, have this method.
    if hasattr(value, "tolist"):
        value = value.tolist()
    if type(value) in (list, tuple):
        # A list can be in itself.
        if depth == records.MAX_DEPTH:
            raise RefusedError(records.TOO_DEEP)
        return [_plain_value(item, depth + 1) for item in value]
    if isinstance(value, int):
        records.check_digits(value)
    is_nan = isinstance(value, float) and value != value
    if is_nan:
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def trl_reward(
    completions: Sequence[Any],
    *,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
    **columns: Any,
) -> list[float | None]:
    """Return the reward of each completion for TRL: 1.0 if it is right, else 0.0 or partial credit.

    Columns of the data set are lists with one item per completion; a column `game` replaces the
    argument. A row without numbers and id, such as one of another task, has the reward None.

    >>> trl_reward(["<answer>3 x 8</answer>", "24"], nums=[[3, 8], None], target=[24, 24])
    [1.0, None]
    """
    # TRL gives a column of the data set by its name.
    if not isinstance(game, Game | str):
        columns["game"], game = game, FREE_GAME
    puzzle_columns = {name: columns[name] for name in puzzle_fields(columns)}
    check_columns(puzzle_columns)
    given_columns = {name: values for name, values in puzzle_columns.items() if values is not None}
    for name, values in given_columns.items():
        if len(values) != len(completions):
            counts = f"{len(values)} items for {len(completions)} completions"
            raise RefusedError(f"the column {name} has {counts} (expected one for each)")
    rewards = []
    for index, completion in enumerate(completions):
        row = {name: values[index] for name, values in given_columns.items()}
        record, reward = _puzzle_record(row), None
        if not record.keys().isdisjoint(CARD_FIELDS) or is_id(str(record.get("id", ""))):
            reward = judge_row(record, completion, partial=partial, game=game).score
        rewards.append(reward)
    return rewards


def verl_score(
    *,
    solution_str: Any,
    ground_truth: Any,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
    **_: Any,
) -> float:
    """Return the score of a response for verl; `ground_truth` is a row, JSON of one, or an id.

    >>> truth = {"target": 24, "numbers": [3, 8]}
    >>> verl_score(data_source="countdown", solution_str="3 x 8", ground_truth=truth)
    1.0
    """
    return judge_row(ground_truth, solution_str, partial=partial, game=game).score


def tinyzero_score(
    solution_str: str,
    ground_truth: Any,
    method: str = "strict",
    format_score: float = 0.1,
    score: float = 1.0,
    *,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
) -> float:
    """Return the score of a text for TinyZero, judging only the part after the prompt.

    The prompt ends with the first `Assistant:` or `<|im_start|>assistant`. A wrong answer scores
    `format_score` or its partial credit, whichever is more; a text without an answer scores 0.

    >>> truth = {"target": 24, "numbers": [3, 8]}
    >>> [tinyzero_score(f"User: … Assistant: {text}", truth) for text in ("3 x 8", "3 + 8", "Hm.")]
    [1.0, 0.1, 0.0]
    """
    if method != "strict":
        raise RefusedError(f"unknown method {quoted(method)} (expected strict)")
    prompt = _ANSWER_START.search(solution_str) if isinstance(solution_str, str) else None
    response = solution_str[prompt.end() :] if prompt else solution_str
    judgement = judge_row(ground_truth, response, partial=partial, game=game)
    if judgement:
        return score
    return 0.0 if judgement.verdict in ("none", "unread") else max(format_score, judgement.score)


def process_results(
    doc: Mapping[str, Any],
    results: Sequence[Any],
    *,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
) -> dict[str, float]:
    """Return the metric `acc` of a document for lm-eval; only the first result counts.

    >>> process_results({"nums": [3, 8], "target": 24}, ["Answer: 3 x 8"])
    {'acc': 1.0}
    """
    answer = results[0] if results else None
    return {"acc": judge_row(doc, answer, partial=partial, game=game).score}


def reasoning_gym_score(
    answer: str | None,
    entry: Mapping[str, Any],
    *,
    partial: float = 0.0,
    game: Game | str = FREE_GAME,
) -> float:
    """Return the score of an answer, or None, to an entry of reasoning-gym.

    >>> reasoning_gym_score("3 x 8", {"metadata": {"numbers": [3, 8], "target": 24}})
    1.0
    """
    return judge_row(entry, answer, partial=partial, game=game).score


def verifiers_reward(
    trace: Any, row: Any, *, partial: float = 0.0, game: Game | str = FREE_GAME
) -> float:
    """Return the reward of a trace for verifiers, whose `last_reply` is judged.

    >>> from types import SimpleNamespace
    >>> verifiers_reward(SimpleNamespace(last_reply="Answer: 3 x 8"), "cards:3.8=24")
    1.0
    """
    return judge_row(row, trace.last_reply, partial=partial, game=game).score


def torchrl_reward(
    response: str, answer: Any, *, partial: float = 0.0, game: Game | str = FREE_GAME
) -> float:
    """Return the reward of a response for torchrl; `answer` is a row, or that of `CountdownEnv`.

    `host_classes.torchrl_transform` makes a transform of this reward.

    >>> torchrl_reward("<answer>3 x 8</answer>", "target=24, numbers=3,8")
    1.0
    """
    return judge_row(torchrl_row(answer), response, partial=partial, game=game).score


def torchrl_row(answer: Any) -> Any:
    """Return the puzzle in the key `answer` of torchrl as a row; other values are unchanged."""
    match = _TORCHRL_ANSWER.fullmatch(answer) if isinstance(answer, str) else None
    return answer if match is None else {"target": match[1], "nums": match[2]}
