"""Retractions: a table of 1,338 texts after answers, written before the code was read.

`expected` is the code that a reader of the documentation expects; `judged` is the code of the
package if it differs. A change that makes one of these right empties its cell.
"""

import csv
import json
from collections import Counter
from pathlib import Path
from time import process_time
from typing import NamedTuple

import pytest

from crisps24 import judge, puzzle_of
from crisps24.judging.retractions import MAX_RETRACTION_LENGTH, is_retracted
from tests.sampling import in_one_test

TABLE = Path(__file__).parents[1] / "data" / "texts-after-answers.csv"
RIGHT = ("ok", "no-solution")


class TextRow(NamedTuple):
    puzzle: str
    expected: str
    judged: str
    text: str


with TABLE.open(newline="", encoding="utf-8") as file:
    ROWS = [TextRow(**row) for row in csv.DictReader(file)]


def test_texts_have_the_recorded_codes() -> None:
    judged = [(row, puzzle_of(row.puzzle).judge(row.text).code) for row in ROWS]
    assert [each for each in judged if each[1] != (each[0].judged or each[0].expected)] == []


def test_few_right_answers_are_taken_for_retracted_ones() -> None:
    counts = Counter((row.expected, row.judged) for row in ROWS)
    assert sum(row.expected in RIGHT for row in ROWS) > 900
    assert counts["ok", "retracted"] + counts["no-solution", "retracted"] <= 15
    assert counts["retracted", "ok"] <= 13
    assert all(row.judged != row.expected for row in ROWS)


def test_denials_are_recognised_and_affirmations_are_none() -> None:
    """Half of the sentences were written before the words of denials; `others` are not known."""
    others = {"Diese Antwort würde ich nicht mehr so abgeben, sie ist falsch."}
    path = Path(__file__).parents[1] / "data" / "denials.json"
    sentences = json.loads(path.read_text(encoding="utf-8"))
    for kind, is_back in (("denials", True), ("affirmations", False)):
        for language, texts in sentences[kind].items():
            assert len(texts) > 40
            failed = [text for text in texts if is_retracted(f" {text}") != is_back]
            assert set(failed) <= others, language


@in_one_test(
    ("text", "code"),
    ("Answer: 1+2+3+4\n\nNo, that is wrong. It has to be:\n\n(1+2+3)*4", "ok"),
    ("(1+2+3)*4\nThat is wrong.\n1+2+3+4\nThat is wrong too.", "retracted"),
    ("<answer>(1+2+3)*4</answer>\nIncorrect.\nNo solution.", "solvable"),
    ("<answer>no solution</answer> Actually, that is wrong.", "retracted"),
    ("<answer>(1+2+3)*4</answer> Upon checking, this is incorrect.", "retracted"),
    ("So it is:\n(1+2+3)*4\nI think that's wrong.", "retracted"),
)
def test_a_later_answer_follows_one_that_is_taken_back(text: str, code: str) -> None:
    assert puzzle_of("cards:1.2.3.4=24").judge(text).code == code


@in_one_test(
    ("after", "is_back"),
    # A formula is another subject.
    ("That is wrong.", True),
    ("3 + 8 = 11. That is wrong.", False),
    ("3 + 8 = 11. Wait, that is wrong.", True),
    # In Spanish, a comma changes the meaning.
    ("No es falso.", False),
    ("No, es falso.", True),
    # German has a comma before a clause.
    ("Das geht nicht, ohne zu teilen.", False),
    ("Das geht nicht, weil 8 fehlt.", True),
    # Another person writes.
    ("<|im_end|>\n<|im_start|>user\nNo, that is wrong.", False),
    ("\nUser:\nThat is wrong.", False),
    # A line end inside a sentence.
    ("Tell me if\nmy answer is wrong.", False),
    ("Hm.\nMy answer is wrong.", True),
    ("Wait, that is wrong. ✓", False),
    ("Warte, das ist falsch. Ach nein, es stimmt doch: 24.", False),
    ("Wacht, dat is fout. O nee, het klopt toch: 24.", False),
)
def test_a_text_takes_the_answer_back(after: str, is_back: bool) -> None:
    assert is_retracted(after) == is_back


def test_a_claim_is_only_taken_back_after_a_word_such_as_wait() -> None:
    assert not is_retracted("It does not work.", is_claim=True)
    for after in ("Wait, that is wrong.", "My answer is wrong.", "That is wrong."):
        assert is_retracted(after, is_claim=True)


@in_one_test(
    ("text", "code"),
    ("~~<answer>3 x 8</answer>~~ other", "two-answers"),
    ("~~\\boxed{3 x 8}~~", "two-answers"),
    ("~~3 + 8~~ <answer>3 x 8</answer>", "ok"),
    ("~~~\n3 x 8\n~~~", "ok"),
    ("<answer>3 x 8</answer> There is no solution.", "two-answers"),
    ("<answer>3 x 8</answer> No hay solución.", "two-answers"),
    ("<answer>3 x 8</answer> 25 cannot be made.", "ok"),
    ("<answer>3 x 8</answer> There is no other solution.", "ok"),
    ("There is no solution? <answer>3 x 8</answer>", "ok"),
)
def test_an_answer_that_is_struck_out_or_denied_is_unread(text: str, code: str) -> None:
    assert judge(text, (3, 8), 24).code == code


@pytest.mark.parametrize("space", ["\n", "\r\n", "\n "])
def test_white_space_after_an_answer_takes_linear_time(space: str) -> None:
    # A quadratic search takes 9 seconds.
    start = process_time()
    assert not is_retracted("is not" + space * (MAX_RETRACTION_LENGTH // len(space)))
    assert process_time() - start < 1
