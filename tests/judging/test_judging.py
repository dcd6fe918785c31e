"""Verdicts on answers of people and models, as in two tables."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import crisps24
from crisps24 import Puzzle
from tests.judging.table import Row, rows
from tests.sampling import in_one_test

ROWS = rows()
CODES = {
    "right": "ok no-solution",
    "wrong": "value numbers numbers-missing no-formula stated rounded solvable undecided",
    "illegal": "remainder below-zero zero division-by-zero sign operator",
    "malformed": "character number decimal power latex two-signs too-long too-deep not-a-formula",
    "unread": "unread found two-answers",
    "none": "no-answer retracted not-text too-long",
}


def judge(text: Any, row: Row) -> tuple[str, str, float]:
    game: Any = row.game
    judgement = crisps24.judge(text, Puzzle(row.hand, row.target, game))
    return judgement.verdict, judgement.code, judgement.score


def test_the_table_has_enough_rows_of_each_part() -> None:
    parts = Counter(row.part for row in ROWS)
    assert parts["Honest and right"] >= 300
    assert parts["Honest and wrong"] >= 200
    assert parts["Attacks"] >= 300
    assert len({row.shape for row in ROWS if row.part == "Honest and right"}) >= 60
    assert {row.verdict for row in ROWS if row.part == "Honest and right"} == {"right"}
    assert "right" not in {row.verdict for row in ROWS if row.part != "Honest and right"}


def test_the_table_has_no_repeated_row_and_every_code() -> None:
    counts = Counter((row.game, row.hand, row.target, str(row.text)) for row in ROWS)
    assert [row for row, count in counts.items() if count > 1] == []
    codes = {(verdict, code) for verdict, names in CODES.items() for code in names.split()}
    assert {(row.verdict, row.code) for row in ROWS} == codes


@pytest.mark.parametrize("name", ["answers.txt", "damaged.txt"])
def test_the_judge_agrees_with_the_table(name: str) -> None:
    found = [(row, judge(row.text, row)) for row in rows(name)]
    expected = [(row, (row.verdict, row.code, float(row.verdict == "right"))) for row in rows(name)]
    differ = [one for one, other in zip(found, expected, strict=True) if one != other]
    shortest = sorted(differ, key=lambda difference: len(str(difference)))[:40]
    assert not differ, "\n".join([f"{len(differ)} differ:", *map(str, shortest)])


@in_one_test(
    ("given", "code"),
    (b"<answer>(1+2+3)*4</answer>", "ok"),
    ("(1 + 2 + 3) × 4 = 24".encode(), "ok"),
    (b"(1+2+3)*4 = 25", "stated"),
    (b"\xff\xfe\x00", "no-answer"),
    (object(), "not-text"),
    (iter("24"), "not-text"),
    *(
        ([{"role": "user", "content": "24?"}, {"role": "assistant", "content": parts}], code)
        for parts, code in (
            ([{"type": "text", "text": "So <answer>"}, {"text": "(1+2+3)*4</answer>"}], "ok"),
            ([{"type": "image_url"}, {"type": "text", "text": "1+2+3*4"}], "value"),
            ([{"type": "text", "text": None}, "24", 24], "no-answer"),
            ([], "not-text"),
            ({"text": "(1+2+3)*4"}, "not-text"),
        )
    ),
)
def test_bytes_and_chats_have_a_text_and_other_objects_have_none(given: Any, code: str) -> None:
    row = ROWS[0]._replace(hand=(1, 2, 3, 4), target=Fraction(24), game="free")
    assert judge(given, row)[1] == code


def test_a_fraction_result_of_an_earlier_step_is_one_number() -> None:
    """`8 / 1/3` is 8 / (1/3) after a step with the result 1/3, otherwise (8 / 1) / 3."""
    puzzle = crisps24.puzzle_of("cards:3.3.8.8=24")
    steps = "8/3 = 8/3\n3 - 8/3 = 1/3\n"
    for last in ("8 / 1/3 = 24", "8 / 1/3", "8 ÷ 1/3 = 24"):
        result = puzzle.judge(steps + last)
        assert (result.verdict, result.code, result.value) == ("right", "ok", 24), last
    assert not puzzle.judge("8 / 1/3 = 24")
    # Without spaces it is 8 / 1 / 3, and the hand has no 1.
    assert not puzzle.judge(steps + "8/1/3 = 24")
    assert crisps24.evaluate("8 / 1/3", "free") == Fraction(8, 3)
    # 1/4 is not a result.
    assert not puzzle.judge(steps + "8 / 1/4 = 24")


# The divisor is that of a score of 0.5.
@in_one_test(
    ("formula", "target", "divisor"),
    ("1000000000 x 1", 10**9, None),
    ("1000000000 x 1", 10**9 + 1, 2),
    ("1000000000 x 1", 0, 10**9 + 1),
    ("1000000000 + 1", 0, 10**9 + 1),
    ("1000000000 - 1", 0, 10**9),
)
def test_partial_credit_has_a_limit(formula: str, target: int, divisor: int | None) -> None:
    result = crisps24.puzzle_of((10**9, 1), target, "free").judge(formula, partial=0.5)
    expected = (1.0, "ok") if divisor is None else (0.5 / divisor, "value")
    assert (result.score, result.code) == expected
