"""Rewards and scores, called as each training program calls them, with its forms of rows."""

import inspect
import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crisps24 import GAMES, CrispsError, Puzzle, RefusedError
from crisps24.rules.games import FREE_GAME
from crisps24.training import rewards
from crisps24.training.audits import audit
from crisps24.training.rewards import judge_row, puzzle_from_row, tinyzero_score, trl_reward
from crisps24.training.row_claims import ClaimReader
from tests.sampling import in_one_test

PUZZLE = Puzzle((44, 19, 35), 98, FREE_GAME)
RIGHT = "<think>44 + 19 = 63.</think> <answer>44 + 19 + 35 = 98</answer>"
WRONG = r"\boxed{44 + 35 - 19}"
NO_ANSWER = "I do not know."
TEXTS = {RIGHT: 1.0, WRONG: 0.0, NO_ANSWER: 0.0, "no solution": 0.0, "": 0.0}

# The same puzzle in the forms of files, tables and arrays.
ROW: dict[str, Any] = {"nums": [44, 19, 35], "target": 98}
ROWS: dict[str, Any] = {
    "Countdown-Tasks": ROW,
    "TinyZero": {"target": 98, "numbers": np.array([44, 19, 35])},
    "array of objects": {"target": np.int64(98), "numbers": np.array([44, 19, 35], dtype=object)},
    "array without dimensions": {"target": np.array(98), "nums": (44, 19, 35)},
    "floats of a table": {"target": 98.0, "nums": np.array([44.0, 19.0, 35.0]), "id": float("nan")},
    "text": {"hand": "44 19 35", "target": "98", "answer": "44 + 19 + 35", "name": "ann"},
    "numbers that are text": {"card": ["44", "19", "35"], "target": "196/2"},
    "id": {"id": "free:44.19.35=98"},
    "id of another format": {"id": "row 7", "nums": [44, 19, 35], "target": 98, "game": None},
    "id that is a number": {"id": 7, "numbers": [44, 19, 35], "nums": [35, 19, 44], "target": 98},
    "reasoning-gym": {"metadata": {**ROW, "difficulty": {"target": (10, 100)}}},
    "field before metadata": ROW | {"metadata": {"nums": [1, 2], "target": 3}},
    "null before metadata": {"nums": None, "target": float("nan"), "metadata": ROW},
    "JSON of decimals": ' {"nums": [44, 19, 35], "target": 98.0} ',
    "only an id": "free:44.19.35=98",
}


def as_trl(text: Any, row: dict[str, Any], **options: Any) -> float | None:
    """Call the reward as the GRPOTrainer of trl does, with the columns of the data set by name."""
    columns: dict[str, Any] = {name: [value] for name, value in row.items()}
    options |= {"trainer_state": SimpleNamespace(global_step=7), "environments": None}
    options |= {"log_extra": print, "log_metric": print, "completion_ids": [[1, 2, 3]]}
    # A column `game` replaces the argument, as with `functools.partial`.
    [reward] = trl_reward(prompts=["Make it."], completions=[text], **options | columns)
    return reward


def as_verl(text: Any, row: Any, **options: Any) -> float:
    """Call the score as the reward manager of verl does."""
    options |= {"extra_info": {"index": 3, "num_turns": None}, "reward_router_address": None}
    options |= {"data_source": "countdown", "reward_model_tokenizer": None}
    return rewards.verl_score(solution_str=text, ground_truth=row, **options)


def as_tinyzero(text: str, row: Any, **options: Any) -> float:
    """Call the score as the reward manager of TinyZero does, with the prompt in the text."""
    prompt = "Use <answer> </answer> tags, as <answer> (1 + 2) / 3 </answer>.\nAssistant: I see.\n"
    options |= {"solution_str": prompt + text, "format_score": 0.0}
    return tinyzero_score(ground_truth=row, **options)


# Each adapter as a function of an answer and a row, with the other arguments.
ADAPTERS: dict[str, Callable[..., float | None]] = {
    "trl": as_trl,
    "verl": as_verl,
    "tinyzero": as_tinyzero,
    "lm-eval": lambda text, row, **options: rewards.process_results(row, [text], **options)["acc"],
    "reasoning-gym": lambda text, row, **options: rewards.reasoning_gym_score(
        text, {"metadata": row}, **options
    ),
    "verifiers": lambda text, row, **options: rewards.verifiers_reward(
        SimpleNamespace(last_reply=text), row, **options
    ),
    "torchrl": rewards.torchrl_reward,
    "judge_row": lambda text, row, **options: judge_row(row, text, **options).score,
}
# Every program but one, which reads only `metadata`, accepts rows that are mappings.
HOSTS = [name for name in ADAPTERS if name != "reasoning-gym"]


@in_one_test("row", *ROWS)
def test_puzzle_is_read_from_any_form_of_row(row: str) -> None:
    puzzle = puzzle_from_row(ROWS[row])
    assert (sorted(puzzle.hand), puzzle.target, puzzle.game) == ([19, 35, 44], 98, FREE_GAME)
    assert all(type(number) is int for number in (*puzzle.hand, puzzle.target))


def test_game_of_the_row_wins_over_the_default() -> None:
    row = {"nums": [3, 3, 8, 8], "target": 24}
    assert puzzle_from_row(row).game.name == "free"
    assert puzzle_from_row(row, "cards").game.name == "cards"
    assert puzzle_from_row(row | {"game": "countdown"}, "cards").game.name == "countdown"
    assert puzzle_from_row("cards:3.3.8.8=24,zero=no", "crisps").game.zero is False
    assert puzzle_from_row({"nums": [1, 2], "target": "1/2"}).target == Fraction(1, 2)


def test_game_of_the_call_has_the_target_of_rows_without_one() -> None:
    row = {"nums": [3, 8]}
    assert rewards.reasoning_gym_score("3 x 8", {"metadata": row}, game="cards") == 1
    assert trl_reward(["3 x 8"], nums=[[3, 8]], game="cards") == [1]
    assert puzzle_from_row(row | {"game": "make10"}).target == 10
    assert puzzle_from_row(row, "cards", target=11).target == 11
    with pytest.raises(RefusedError, match="no target"):
        puzzle_from_row(row, "countdown")


def test_ground_truth_can_be_text() -> None:
    truth = '{"target": 11, "numbers": [3, 8]}'
    for row in ({"ground_truth": truth}, {"reward_model": {"ground_truth": truth}}):
        assert judge_row(row, "3 + 8").verdict == "right"
        assert ClaimReader().read(1, row).keys == ()


@in_one_test("host", *HOSTS)
def test_row_can_change_rules_of_its_game(host: str) -> None:
    row = {"nums": [3, 3, 8, 8], "target": 24}
    answer = "<answer>8 / (3 - 8 / 3)</answer>"
    rules: list[dict[str, Any]] = [
        *({"operators": "+-*"}, {"operators": np.array(["+", "-"])}, {"fractions": np.False_}),
        *({"rules": {"fractions": "no"}}, {"metadata": {"rules": {"fractions": "no"}}}),
    ]
    assert ADAPTERS[host](answer, row) == 1.0
    assert [ADAPTERS[host](answer, row | changed) for changed in rules] == [0.0] * len(rules)


@in_one_test(
    ("row", "message"),
    ({}, "the row has no numbers: it has nothing"),
    ({"nums": [44, 19]}, "the row has no target: it has nums"),
    ({"nums": None, "target": 98}, "the row has no numbers: it has target"),
    ({"nums": [1, 2], "target": 2.5}, '"target" has to be a number, or text'),
    ({"nums": [1, float("inf")], "target": 3}, '"nums" has to be a list of'),
    ({"nums": np.ones((2, 2)), "target": 3}, '"nums" has to be a list of numbers'),
    ({"nums": np.array([]), "target": 3}, "the card is empty"),
    (ROW | {"zero": 7}, "zero: invalid value '7' .expected yes or no"),
    ({"nums": [1, 2], "numbers": [1, 3], "target": 3}, '"numbers" and "nums" are not'),
    ({"id": "free:1.2=3", "target": 4}, '"target" is another than that of the puz'),
    ({"id": "chess:1.2=3"}, "unknown game 'chess'"),
    (None, "None is not a row with numbers and a target"),
    ('{"nums": [44, 19', "it is not JSON: "),
    ('{"nums": [1, 2], "target": NaN}', "'NaN' is not a number"),
    ('{"nums": ' + "[" * 100_000, "it is nested too deeply"),
    ("", "'' is not a row with numbers and a target"),
)
def test_row_without_a_puzzle_is_refused(row: Any, message: str) -> None:
    for call in (puzzle_from_row, lambda row: as_verl(RIGHT, row)):
        with pytest.raises(RefusedError, match=f"^{message}") as error:
            call(row)
        assert "\n" not in str(error.value)


@in_one_test("host", *HOSTS)
def test_every_host_has_the_score_of_the_judge(host: str) -> None:
    for row in (row for row in ROWS.values() if isinstance(row, dict)):
        assert {text: ADAPTERS[host](text, row) for text in TEXTS} == TEXTS


@given(
    st.text("0123456789+-*/()= .<>answer\\boxed{}\n", max_size=60) | st.text(max_size=40),
    st.sampled_from(["{}", "<answer>{}</answer>", r"\boxed{{{}}}", "44 + 19 + 35{}"]),
)
@example("", "{}")
@example(" = 98", "44 + 19 + 35{}")
def test_any_text_has_the_score_of_the_judge(text: str, template: str) -> None:
    response = template.format(text)
    judgement = PUZZLE.judge(response)
    assert [as_trl(response, ROW), as_verl(response, ROW)] == [judgement.score] * 2
    score = tinyzero_score(f"Assistant:{response}", ROW, format_score=0.25, score=2.0)
    assert score == (2.0 if judgement else 0.0 if judgement.verdict in ("none", "unread") else 0.25)


@in_one_test("value", None, [], [{}], {"role": "assistant"}, b"\xff")
def test_value_that_is_not_text_scores_zero(value: Any) -> None:
    assert [as_trl(value, ROW), as_verl(value, ROW)] == [0.0] * 2
    assert rewards.process_results(ROW, [value]) == {"acc": 0.0}
    assert tinyzero_score(value, ROW) == 0.0
    assert rewards.process_results(ROW, []) == {"acc": 0.0}


def test_trl_gives_chats_and_many_rows_and_takes_floats() -> None:
    right, wrong = ([{"role": "assistant", "content": text}] for text in (RIGHT, WRONG))
    hands = [[44, 19, 35], [44, 19, 35], [1, 2], [35, 44, 19]]
    given = trl_reward(completions=[right, wrong, right, right], nums=hands, target=[98, 98, 3, 98])
    assert given == [1.0, 0.0, 0.0, 1.0]
    assert all(type(reward) is float for reward in given)


def test_trl_gets_none_for_another_task_and_an_error_for_an_invalid_row() -> None:
    columns: dict[str, Any] = {
        "nums": [[44, 19, 35], None, None, float("nan"), None],
        "target": [98.0, None, "Paris", 7.0, None],
        "id": [None, "q2", 3, None, "free:44.19.35=98"],
        "metadata": [None] * 5,
    }
    assert trl_reward(completions=[RIGHT] * 5, **columns) == [1.0, None, None, None, 1.0]
    assert trl_reward(completions=[RIGHT], nums=None) == [None]
    with pytest.raises(ValueError, match="the row has no target: it has nums"):
        trl_reward(completions=[RIGHT], nums=[[44, 19, 35]])


def test_trl_refuses_columns_without_numbers() -> None:
    names = "card, hand, numbers, nums, starting, cards, digits, metadata, ground_truth, "
    message = f"no column has the numbers of a puzzle (expected id, {names}reward_model, doc, gts)"
    tables: list[dict[str, Any]] = [{}, {"values": [[44, 19, 35]], "target": [98]}]
    for columns in tables:
        with pytest.raises(CrispsError, match=re.escape(message)):
            trl_reward(completions=[RIGHT], **columns)
    assert trl_reward(completions=[RIGHT], metadata=[{"values": [1]}]) == [None]
    with pytest.raises(CrispsError, match="nums has 1 items for 2 completions"):
        trl_reward(completions=[RIGHT, RIGHT], nums=[[3, 8]], target=[24, 24])


@in_one_test("name", *ADAPTERS)
def test_every_host_takes_partial_credit_and_a_game(name: str) -> None:
    adapter, near = ADAPTERS[name], r"\boxed{44 - 35 + 19}"
    assert PUZZLE.judge(near, partial=0.5).score == pytest.approx(0.5 / 71)
    assert adapter(near, ROW, partial=0.5) == pytest.approx(0.5 / 71)
    assert adapter(near, ROW) == adapter("44 + 19", ROW, partial=0.5) == 0.0
    assert adapter(RIGHT, ROW) == adapter(RIGHT, ROW, partial=0.5) == 1.0
    # Countdown allows unused numbers, and no fractions.
    subset, row = "<answer>3 * 8</answer>", {"nums": [3, 8, 5], "target": 24}
    assert adapter(subset, row) == 0.0
    assert adapter(subset, row, game="countdown") == 1.0
    assert adapter(subset, row, game=GAMES["countdown"]) == 1.0
    assert adapter(subset, row | {"game": "cards"}, game="countdown") == 0.0
    with pytest.raises(CrispsError, match="unknown game 'chess'"):
        adapter(subset, row, game="chess")


@in_one_test("name", *ADAPTERS)
def test_every_host_refuses_a_row_without_a_known_column(name: str) -> None:
    with pytest.raises(CrispsError, match=r"no column has the numbers|the row has no numbers"):
        ADAPTERS[name](RIGHT, {"prompt": "Make 98.", "target": 98})


def test_tinyzero_gives_the_score_of_a_format_or_partial_credit() -> None:
    near = r"\boxed{44 - 35 + 19}"
    assert tinyzero_score(near, ROW, partial=0.5) == tinyzero_score(WRONG, ROW) == 0.1


def test_the_answer_of_torchrl_is_a_row() -> None:
    assert rewards.torchrl_row("cards:3.8=24") == "cards:3.8=24"
    assert rewards.torchrl_row(ROW) == ROW
    assert rewards.torchrl_row("target=-1/2, numbers=3, -8") == {"target": "-1/2", "nums": "3, -8"}


def test_tinyzero_judges_only_the_text_after_the_first_prompt() -> None:
    for marker in ("Assistant:", "<|im_start|>assistant"):
        prompt = f"<answer>44 + 19 + 35</answer> {marker}\n"
        assert tinyzero_score(prompt + NO_ANSWER, ROW) == 0.0
        assert tinyzero_score(prompt + WRONG, ROW, "strict", 0.3, 5.0) == 0.3
        assert tinyzero_score(f"{prompt}{marker} {RIGHT}", ROW, "strict", 0.3, 5.0) == 5.0
    with pytest.raises(ValueError, match=r"unknown method 'flexible' \(expected strict\)"):
        tinyzero_score(RIGHT, ROW, "flexible")
    assert list(inspect.signature(tinyzero_score).parameters) == [
        *("solution_str", "ground_truth", "method", "format_score", "score", "partial", "game")
    ]


def test_dealt_row_is_a_row_of_a_data_set() -> None:
    for row in (PUZZLE.row(), json.dumps(PUZZLE.row())):
        assert puzzle_from_row(row).id == PUZZLE.id
        assert as_verl(PUZZLE.answer(), row) == 1.0


ENDLESS: list[Any] = [3]
ENDLESS.append(ENDLESS)
DEEP: list[Any] = [3]
for _ in range(100_000):
    DEEP = [DEEP]
UNREADABLE = {"deep": DEEP, "endless": ENDLESS, "long": 10**5000}


@in_one_test(("field", "value"), *product(("nums", "target", "rules", "game", "id"), UNREADABLE))
def test_deep_endless_and_long_values_are_refused(field: str, value: str) -> None:
    row: dict[str, Any] = {"nums": [3, 8], "target": 24, field: UNREADABLE[value]}
    for judge in (as_trl, as_verl):
        with pytest.raises(CrispsError):
            judge("3*8", row)
    assert {flaw.kind for flaw in audit([(1, row)]).flaws} == {"unreadable"}


@in_one_test("value", *UNREADABLE)
def test_deep_endless_and_long_claims_are_findings(value: str) -> None:
    for field in ("answer", "closest", "level", "solvable"):
        row = {"id": "cards:3.8=24", field: UNREADABLE[value]}
        assert {flaw.kind for flaw in audit([(1, row)]).flaws} <= {"unreadable", "key"}
    assert judge_row({"nums": [3, 8], "target": 24}, UNREADABLE[value]).verdict == "none"
