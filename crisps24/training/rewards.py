"""Rewards and scores, each with the signature that its host calls.

The hosts: trl 1.16.0, verl 0.9.1, TinyZero (commit 95df88f), lm-eval 0.4.13. They also read the
puzzle from a row; the judge scores the answer.

A later sentence that takes an answer back ("Wait, that is wrong.") is not seen: it can be about any
other attempt, and only its meaning says about which. The last marked answer counts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crisps24.errors import RefusedError, quoted
from crisps24.judging.records import Attempt, apply_record, parse_record, rule_fields
from crisps24.puzzle import Puzzle
from crisps24.rules.games import FREE_GAME, Game, find_game
from crisps24.rules.ids import is_id, parse_id

# What a row may say of its puzzle: what its numbers are called, and all but its rules.
_CARDS = ("nums", "numbers", "hand", "card")
PUZZLE_FIELD_NAMES = ("id", "game", *_CARDS, "target")
# In TinyZero a text has the prompt as well: what comes after one of these is answered.
_PROMPT = re.compile(r"Assistant:|<\|im_start\|>assistant")


def puzzle_from_row(row: Mapping[str, Any] | str, game: Game | str = FREE_GAME) -> Puzzle:
    """Return the puzzle of a row, or of an id: in a game of one's own where the row says none.

    A row has a `target`, and its numbers as `nums`, `numbers`, `hand` or `card`; or the `id` of a
    puzzle; what it does not say its `metadata` may. Numbers may be a list, text, or an array. An
    `id` that is no puzzle's is left aside, and so is what is null, or NaN, as tables have it.

    >>> puzzle_from_row({"nums": [44, 19, 35], "target": 98}).judge("44 + 19 + 35").verdict
    'right'

    Raises ValueError, in one sentence, for a row without a puzzle, or with one and another.
    """
    told = _told(row)
    asked = apply_record(told, Attempt("", None, None, find_game(game)), parse_id)
    if asked.card is None or asked.target is None:
        missing = "numbers" if asked.card is None else "target"
        raise RefusedError(f"the row has no {missing}: it has {', '.join(told) or 'nothing'}")
    return Puzzle(asked.card, asked.target, asked.game)


def _told(row: Mapping[str, Any] | str) -> dict[str, Any]:
    """Return the fields of a row that name its puzzle."""
    told: Mapping[str, Any] | None = row if isinstance(row, Mapping) else None
    if isinstance(row, str):
        told = {"id": row} if is_id(row) else parse_record(row.strip())
    if told is None:
        raise RefusedError(f"{quoted(row)} is no row with numbers and a target")
    inner = told.get("metadata")
    if isinstance(inner, Mapping):
        told = {**inner, **told}
    named = {name: _listed(told[name]) for name in _names() if name in told}
    return {name: value for name, value in named.items() if value is not None}


def _names() -> Iterable[str]:
    """Return the fields of a row that are read: those of its puzzle, and the rules it changes."""
    return dict.fromkeys((*PUZZLE_FIELD_NAMES, "rules", *rule_fields()))


def _listed(value: Any) -> Any:
    """Return a value of a row as JSON would have it, be it an array or of one.

    A table makes floats of its whole numbers where one of them is missing.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if type(value) in (list, tuple):
        return [_listed(each) for each in value]
    if isinstance(value, float) and (value != value or value.is_integer()):
        return None if value != value else int(value)
    return value


def trl_reward(
    completions: Sequence[Any], *, partial: float = 0.0, **columns: Any
) -> list[float | None]:
    """Return the reward of each completion, as TRL asks for them: 1.0 where it is right, else 0.0.

    `columns` are those of the data set, a list each, and whatever else TRL gives. None stands for a
    row that has no numbers, as where several tasks are mixed. `partial` is that of `Puzzle.judge`.

    >>> trl_reward(["<answer>3 x 8</answer>", "24"], nums=[[3, 8], None], target=[24, 24])
    [1.0, None]

    Raises ValueError, in one sentence, for a row whose numbers are no puzzle, and if no column can
    have numbers.
    """
    named = {name: columns[name] for name in (*_names(), "metadata") if name in columns}
    if named.keys().isdisjoint((*_CARDS, "id", "metadata")):
        expected = ", ".join((*_CARDS, "id"))
        raise RefusedError(
            f"no column has the numbers of a puzzle (expected {expected} or metadata)"
        )
    given = {name: column for name, column in named.items() if column is not None}
    return [
        _reward(completion, {name: column[place] for name, column in given.items()}, partial)
        for place, completion in enumerate(completions)
    ]


def _reward(completion: Any, row: dict[str, Any], partial: float) -> float | None:
    told = _told(row)
    if told.keys().isdisjoint(_CARDS) and not is_id(str(told.get("id", ""))):
        return None
    return puzzle_from_row(told).judge(completion, partial=partial).score


def verl_score(*, solution_str: Any, ground_truth: Any, partial: float = 0.0, **_: Any) -> float:
    """Return the score of a response as verl asks for it, by name.

    `ground_truth` is a row, or JSON of one; the data source and what else there is are let be.
    `partial` is that of `Puzzle.judge`.

    >>> truth = {"target": 24, "numbers": [3, 8]}
    >>> verl_score(data_source="countdown", solution_str="3 x 8", ground_truth=truth)
    1.0

    Raises ValueError for a ground truth that is no puzzle: a run should not begin with one.
    """
    return puzzle_from_row(ground_truth).judge(solution_str, partial=partial).score


def tinyzero_score(
    solution_str: str,
    ground_truth: Any,
    method: str = "strict",
    format_score: float = 0.1,
    score: float = 1.0,
    *,
    partial: float = 0.0,
) -> float:
    """Return the score of a text as TinyZero asks for it: what comes after the prompt is judged.

    `score` where it is right, `format_score` where there is an answer that is not, and 0 where
    there is none; the one `method` is `strict`. `partial` is that of `Puzzle.judge`: it replaces
    `format_score` where it is more.

    >>> truth = {"target": 24, "numbers": [3, 8]}
    >>> [tinyzero_score(f"User: … Assistant: {text}", truth) for text in ("3 x 8", "3 + 8", "Hm.")]
    [1.0, 0.1, 0.0]
    """
    if method != "strict":
        raise RefusedError(f"there is no method {quoted(method)}: answers are judged strictly")
    prompt = _PROMPT.search(solution_str) if isinstance(solution_str, str) else None
    said = solution_str[prompt.end() :] if prompt else solution_str
    found = puzzle_from_row(ground_truth).judge(said, partial=partial)
    if found:
        return score
    return 0.0 if found.verdict == "none" else max(format_score, found.score)


def process_results(
    doc: Mapping[str, Any], results: Sequence[Any], *, partial: float = 0.0
) -> dict[str, float]:
    """Return the metric of a document as lm-eval asks for it: `acc`, 1.0 where it is right.

    `partial` is that of `Puzzle.judge`.

    >>> process_results({"nums": [3, 8], "target": 24}, ["Answer: 3 x 8"])
    {'acc': 1.0}
    """
    answer = results[0] if results else None
    return {"acc": puzzle_from_row(doc).judge(answer, partial=partial).score}
