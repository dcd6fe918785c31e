"""Rows have the requested fields and compute no others; prompts run no code."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from crisps24 import GAMES, check
from crisps24.puzzle import FIELD_GETTERS, PUZZLE_FIELDS, puzzle_of
from crisps24.puzzles import rows as row_module
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.rows import Prompt, deal_rows
from crisps24.solving.solver import find_many
from tests.sampling import in_one_test

HARD = puzzle_of("cards:3.3.8.8=24")
UNIFORM = replace(GAMES["countdown"], numbers=tuple(range(1, 100)), all_numbers=True)
ALL_FIELDS = (*FIELD_GETTERS, "fifth", "question", "prompt", "metadata")

FIRST: dict[str, Any] = {"id": "cards:3.3.8.8=24", "game": "cards", "rules": {}}
# The values of all fields of 3 3 8 8.
FIELD_VALUES: dict[str, Any] = {
    **FIRST,
    **{name: [3, 3, 8, 8] for name in ("hand", "nums", "numbers")},
    **{"target": 24, "best": 24, "bits": 12.0, "level": 5, "solutions": 1},
    "answer": "8 / (3 - 8 / 3)",
    "points": None,
    **{"solvable": True, "steps": 3, "used": 4, "needs_fractions": True, "needs_negatives": False},
    **{"shape": "right", "tree": "(.(.(..)))", "depth": 3, "shapes": ["right"], "depths": [3]},
    "fifth": 1,
    "question": "The numbers are 3, 3, 8, 8. Use all 4 numbers once each, "
    "with + - x / and brackets, to make 24. Fractions and negative numbers are allowed on the way."
    "\nWrite your formula between <answer> and </answer>.",
    "prompt": "3 3 8 8?",
    "metadata": FIRST | {"numbers": [3, 3, 8, 8], "target": 24, "bits": 12.0, "level": 5},
}


def test_every_field_has_its_value() -> None:
    assert tuple(FIELD_VALUES) == ALL_FIELDS
    graded = HARD.with_cached(difficulty=replace(HARD.difficulty, bits=12.0))  # type: ignore[type-var]
    [row] = deal_rows([graded], ALL_FIELDS, prompt=Prompt("{hand}?"))
    assert row["question"] == row["prompt"] == "3 3 8 8?"
    [default] = deal_rows([graded], ["question"])
    assert row | default == FIELD_VALUES
    # Fields are in the requested order.
    [row] = deal_rows([graded], ALL_FIELDS[::-1])
    assert tuple(row) == ALL_FIELDS[::-1]


def test_row_has_the_requested_fields() -> None:
    assert tuple(HARD.row()) == PUZZLE_FIELDS
    assert HARD.row(["target", "nums"]) == {"target": 24, "nums": [3, 3, 8, 8]}
    assert list(deal_rows([HARD])) == [HARD.row()]
    assert "(" not in puzzle_of("cards:4.3.8.4=24").row(["answer"], plain=True)["answer"]


@pytest.mark.parametrize("field", ALL_FIELDS)
def test_unrequested_fields_are_not_computed(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solved = Mock(wraps=find_many)
    monkeypatch.setattr("crisps24.puzzle.find_many", solved)
    assert len(list(deal("cards", 3, seed=1).rows(fields=[field]))) == 3
    needed = "solutions answer points steps used shape tree depth shapes depths"
    assert solved.called == (field in needed.split())


def test_rows_are_the_same_with_an_executor() -> None:
    conditions = Conditions(lengths=range(3, 5))
    dealt = deal(UNIFORM, 45, seed=7, targets=range(10, 101), conditions=conditions)
    with ThreadPoolExecutor(2) as executor:
        rows = list(dealt.rows(executor, fields=ALL_FIELDS, template="{id}"))
    assert rows == list(dealt.rows(fields=ALL_FIELDS, template="{id}"))
    for row, puzzle in zip(rows, dealt, strict=True):
        assert row["prompt"] == puzzle.id == row["metadata"]["id"]
        assert f",length={len(puzzle.hand)}," in puzzle.id
        assert check(row["answer"], row["nums"], row["target"], puzzle.game).verdict == "right"
        assert row["metadata"]["fifth"] == row["fifth"]
        assert "level" not in row["metadata"]


@pytest.mark.parametrize("count", [1, 2, 5, 12, 60])
def test_fifths_are_relative_to_the_deal(count: int) -> None:
    rows = list(deal("cards", count, seed=count).rows(fields=["bits", "fifth"]))
    for row in rows:
        easier = sum(other["bits"] < row["bits"] for other in rows)
        # In the first fifth, fewer than a fifth of all puzzles are easier, and so on.
        assert row["fifth"] == 1 + 5 * easier // len(rows)
    assert len({row["fifth"] for row in rows}) == min(count, 5)


@in_one_test(
    ("text", "message"),
    ("", "unknown field '' .expected id, game, rules, hand, nums, numbers, target"),
    ("nums,x", "unknown field 'x' .expected id, .*, answer, .*fifth, question, prompt, met"),
    ("NUMS", "unknown field 'NUMS'"),
    ("nums,target, nums", "the field nums is given twice"),
)
def test_unknown_field_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        row_module.parse_fields(text)
    with pytest.raises(ValueError, match=f"^{message}"):
        list(deal_rows([HARD], [name.strip() for name in text.split(",")]))


# Templates with their prompts for 3 3 8 8 and 24.
@in_one_test(
    ("template", "prompt"),
    ("", ""),
    ("{numbers}|{nums}|{hand}", "3, 3, 8, 8|[3, 3, 8, 8]|3 3 8 8"),
    ("{target}, {game}, {id}, {operators}", "24, cards, cards:3.3.8.8=24, + - x /"),
    (r"in \boxed{} or \boxed{{answer}}", r"in \boxed{} or \boxed{answer}"),
    ("{{numbers} {{{target}}} { numbers }", "{3, 3, 8, 8 {24} { numbers }"),
    ('{"make": {"of": {nums}}}', '{"make": {"of": [3, 3, 8, 8]}}'),
    *[("{target.__class__} {target[0]} %(target)s $target",) * 2],
    ("{rules}", row_module.task_text(GAMES["cards"], 24).replace("\u00a0", " ")),
)
def test_only_placeholders_of_a_template_are_filled(template: str, prompt: str) -> None:
    row_module.check_template(template)
    assert Prompt(template).fill(HARD) == prompt


@pytest.mark.parametrize("name", ["answer", "solutions", "Target", "x", "__class__", "z" * 99])
def test_unknown_placeholder_is_refused(name: str) -> None:
    known = ", ".join(f"{{{placeholder}}}" for placeholder in row_module.PLACEHOLDERS)
    for template in (f"{{{name}}}", f"{{numbers}} {{{{{{{name}}}}}}}"):
        with pytest.raises(ValueError, match=r"^unknown placeholder ") as error:
            list(deal_rows([HARD], ["prompt"], prompt=Prompt(template)))
        # Messages show at most 40 characters of a name.
        shortened = name[:40]
        text = f"{{{{{shortened}}}}}"
        expected = f"{{{shortened}}} in the prompt (expected {known}); write {text} for the text"
        assert expected in str(error.value)
