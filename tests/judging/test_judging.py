"""Verdicts on answers of people and models: the judge, a second judge and a table agree."""

import ast
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import crisps24
from crisps24 import Puzzle
from tests.judging import second as second_judge
from tests.judging import second_reading, second_retraction
from tests.judging.mutants import mutants
from tests.judging.table import Row, rows
from tests.sampling import in_one_test, only_in_long_run

ROWS = rows()
# The judge of the package.
JUDGE = getattr(crisps24, "judge", None)
NEEDS_JUDGE = pytest.mark.skipif(JUDGE is None, reason="there is no judge yet")
CODES = {
    "right": "ok no-solution",
    "wrong": "value numbers numbers-missing stated rounded solvable undecided",
    "illegal": "remainder below-zero zero division-by-zero sign operator",
    "malformed": "character number decimal power latex two-signs two-answers too-long too-deep "
    "not-a-formula",
    "none": "no-answer retracted not-text too-long",
}
# Damaged answers per run; set JUDGED=100000 for a long run.
MUTANTS = int(os.environ.get("JUDGED", "500"))


def describe_row(row: Row) -> str:
    return f"{row.part}, {row.shape}: {row.game} {row.hand} {row.target} {str(row.text)[:200]!r}"


def by_first(text: Any, row: Row) -> tuple[str, str, float]:
    """Return verdict, code and score of the judge of the package."""
    assert JUDGE is not None
    game: Any = row.game
    judgement = JUDGE(text, Puzzle(row.hand, row.target, game))
    return judgement.verdict, judgement.code, judgement.score


def by_second(text: Any, row: Row) -> list[tuple[str, str]]:
    return second_judge.judgements(text, row.hand, row.target, second_reading.RULES[row.game])


def describe(differ: list[tuple[Any, ...]]) -> str:
    """Return the number of differences and the 40 shortest texts."""
    shortest = sorted(differ, key=lambda difference: len(difference[0]))[:40]
    return "\n".join([f"{len(differ)} differ:", *map(str, shortest)])


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


@only_in_long_run
def test_the_second_judge_agrees_with_the_table() -> None:
    differ = [
        (describe_row(row), result)
        for row in ROWS
        if (result := by_second(row.text, row))[0] != (row.verdict, row.code)
    ]
    assert differ == []


@pytest.mark.parametrize("module", [second_judge, second_reading, second_retraction])
def test_the_second_judge_imports_no_package_code_and_runs_no_text(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"eval", "exec", "compile", "__import__", "open", "getattr"}
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= {
        *("re", "collections", "collections.abc", "fractions", "functools", "itertools", "typing"),
        *(second_reading.__name__, second_retraction.__name__),
    }


def test_an_answer_right_for_the_second_judge_is_wrong_for_another_target() -> None:
    for row, text in mutants(MUTANTS, seed=24):
        result = by_second(text, row)
        assert result[0][1] in CODES[result[0][0]].split()
        if result == [("right", "ok")]:
            other = row._replace(target=row.target + 1)
            assert by_second(text, other)[0][0] == "wrong", (describe_row(row), text)
            more = row._replace(hand=(*row.hand, 97))
            needed = second_reading.RULES[row.game].all_numbers
            assert (by_second(text, more) == result) != needed, (describe_row(row), text)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"<answer>(1+2+3)*4</answer>", ("right", "ok")),
        ("(1 + 2 + 3) × 4 = 24".encode(), ("right", "ok")),
        (b"(1+2+3)*4 = 25", ("wrong", "stated")),
        (b"\xff\xfe\x00", ("none", "no-answer")),
        (object(), ("none", "not-text")),
        (iter("24"), ("none", "not-text")),
    ],
)
def test_bytes_are_decoded_and_other_objects_are_not_text(
    given: Any, expected: tuple[str, str]
) -> None:
    row = ROWS[0]._replace(hand=(1, 2, 3, 4), game="free")
    assert by_second(given, row)[0] == expected
    if JUDGE is not None:
        assert by_first(given, row)[:2] == expected


@NEEDS_JUDGE
def test_the_judge_agrees_with_the_table() -> None:
    differ = [
        (describe_row(row), result)
        for row in ROWS
        if (result := by_first(row.text, row))
        != (row.verdict, row.code, float(row.verdict == "right"))
    ]
    assert not differ, describe(differ)


@NEEDS_JUDGE
def test_the_judges_agree_on_verdicts_and_codes() -> None:
    differ: list[tuple[Any, ...]] = []
    for row, text in mutants(MUTANTS, seed=21):
        verdict, code, score = by_first(text, row)
        assert score == float(verdict == "right")
        result = by_second(text, row)
        alike = (verdict == "right") == (result[0][0] == "right")
        if not alike or (verdict, code) not in result:
            differ.append((text, describe_row(row), verdict, code, result))
    assert not differ, describe(differ)


# Regressions found with damaged answers: text, hand, target, game, verdict and code.
REGRESSIONS = [
    ("−28 + 86 + 9\n\n−28 + 86 + 9", (86, 28, 9), 67, "free", "right ok"),
    ("(1+2+3)*4\\ == 24", (1, 2, 3, 4), 24, "free", "right ok"),
    ("(7\n- 8 / 8) * 4", (4, 7, 8, 8), 24, "free", "right ok"),
    # Half of a mark, and a repeated formula with a space of LaTeX at its end.
    ("\\boxed{```\n9 * 8 / 6 * 2\n``}", (9, 8, 6, 2), 24, "crisps", "right ok"),
    ("<answer>`\n4 + 3 * 8 - 4\n</answer>\n", (4, 3, 8, 4), 24, "crisps", "right ok"),
    ("(1+2+3)*4=24\\ \n\n(1+2+3)*4=24", (1, 2, 3, 4), 24, "free", "right ok"),
    ("803 = 100 * 8 +\\, 3; 803 = 100 * 8 + 3", (100, 8, 3), 803, "free", "right ok"),
    ("\\boxed{**Final Answer: 44 + 19 + 35**.}", (44, 19, 35), 98, "free", "right ok"),
    ("\\boxed\t{8 / (3 - 8 / 3)}", (3, 3, 8, 8), 24, "free", "right ok"),
    ("8/3 = 8 / 3, 3 - 8/3 = 1 / 3, 8/(1/3)", (3, 3, 8, 8), 24, "free", "right ok"),
    ("8/3 = 8\\ /\\,3, 3 - 8/3 = 1/3, 8/(1/3)", (3, 3, 8, 8), 24, "free", "right ok"),
    ("5 x (5 - A : 5) = 5 x (5 - A : 5)", (1, 5, 5, 5), 24, "cards", "right ok"),
    (
        *("$$\n\\frac{10 \\times 10 - 4}{4} = 24\n{10 \\times 10 - 4}{4} = 24\n$$", (4, 4, 10, 10)),
        *(24, "cards", "right ok"),
    ),
    # Layouts of models: lists, numbered steps, other labels, tokens of chats.
    ("- 8 / (3 - 8 / 3) = 24", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("Here:\n- (10-6)*4+8 = 24\n- uses all numbers", (4, 6, 8, 10), 24, "cards", "right ok"),
    ("1. 10 - 6 = 4\n2. 4 * 4 = 16\n3. 16 + 8 = 24", (4, 6, 8, 10), 24, "cards", "right ok"),
    (
        "Step 1: 10 - 6 = 4\nStep 2: 4 * 4 = 16\nStep 3: 16 + 8 = 24",
        *((4, 6, 8, 10), 24, "cards", "right ok"),
    ),
    ("10 - 6 = 4\n4 * 4 = 16\n16 + 8 = 24\nDone!", (4, 6, 8, 10), 24, "cards", "right ok"),
    ("4*(10-6)+8=24\n8+4*(10-6)=24", (4, 6, 8, 10), 24, "cards", "right ok"),
    ("**Solution:** `8/(3-8/3)`", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("A: 8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("A:8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "wrong numbers"),
    ("答案：8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("Ответ: 8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("<|im_start|>assistant\n8/(3-8/3)<|im_end|>", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("8/(3-8/3)</s>", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("8/(3-8/3)</s></s>", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("8/(3-8/3)<|im_end|>\n<|endoftext|>", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("<thinking>8*3</thinking>8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("#### 8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("✅ 8/(3-8/3) = 24", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("\\boxed{8/(3-8/3) = 24 \\checkmark}", (3, 3, 8, 8), 24, "cards", "right ok"),
    # Claims, with and without numbers.
    ("8/(3-8/3)\n\nSo there is no solution.", (3, 3, 8, 8), 24, "cards", "wrong solvable"),
    ("No solution exists for 1, 1, 1 and 1.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("There is no way to make 24 from 1, 1, 1, 1.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("This puzzle has no solution.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    # A minus in a game without negative numbers, in a step and without an operand.
    ("-75 + 50 = 125, 125 * 6 = 750", (75, 50, 25, 6), 725, "countdown", "illegal sign"),
    ("-0 + 8 * 3", (0, 8, 3), 24, "countdown", "illegal sign"),
    ("8 * 3 - -00", (0, 8, 3), 24, "countdown", "illegal sign"),
    ("－０ + 8 * 3", (0, 8, 3), 24, "countdown", "illegal sign"),
    ("8 * 3 - (\t-0)", (0, 8, 3), 24, "countdown", "illegal sign"),
    ("-0 + 8 * 3", (0, 8, 3), 24, "free", "right ok"),
    ("8 / 3 = 8/3\n3/- 8/3 = 1", (3, 3, 8, 8), 24, "free", "wrong numbers-missing"),
    (
        "1 / 5 = 1/5\n5 /- 1/5 = 24/5\n5 * 24/5 = 24",
        (5, 1, 5, 5),
        24,
        "countdown",
        "illegal remainder",
    ),
    ("1 / 5 = 1/5\n-0 + 5 = 5", (5, 1, 5, 5), 24, "countdown", "illegal remainder"),
    # Fraction results with spaces; and after a division, which makes them two numbers.
    ("8 / 3 = 8/3\n3 - 8 / 3 = 1/3\n8 / (1 / 3) = 24", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("5 - 1/5 = 24/5, 5 * 24 / 5 = 24", (1, 5, 5, 5), 24, "cards", "right ok"),
    ("1 / 5 = 1/5, 5 - 1 / 5 = 24 / 5, 24 / 5 * 5", (1, 5, 5, 5), 24, "cards", "right ok"),
    ("8 / 3 = 8/3, 64 / 8 / 3 = 24", (3, 8, 64), 24, "free", "wrong numbers"),
    # Steps that each have a full stop or a mark.
    ("55 + 36 = 91.\n91 - 7 = 84.\n84 - 19 = 65.", (19, 36, 55, 7), 65, "free", "right ok"),
    (
        "<answer>$10 - 6 = 4$.\n$4 * 4 = 16$.\n$16 + 8 = 24$.</answer>",
        *((4, 6, 8, 10), 24, "cards", "right ok"),
    ),
    # A last line that uses no result is a separate answer.
    ("75 + 50 = 125; 125 - 27 = 98\n\n44 + 19 + 35", (44, 19, 35), 98, "free", "right ok"),
    ("10 - 6 = 4\n4 * 4 = 16\n16 + 8 = 24\n(10-6)*4+8", (4, 6, 8, 10), 24, "cards", "right ok"),
    ("10 - 6 = 4\n4 * 4 = 16\n16 + 8 = 24\n8 * 3", (4, 6, 8, 10), 24, "cards", "wrong numbers"),
    # In one mark, steps are one working, even if the last uses no result.
    (
        "<answer>1 / 5 = 1/5\n5 - 1/5 = 4/5\n5 * 24/5 = 24</answer>",
        *((1, 5, 5, 5), 24, "cards", "wrong stated"),
    ),
    ("- no solution", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("（１＋２）×４＋0x２", (1, 2, 2, 4), 12, "free", "malformed number"),
    # A malformed part is reported before a wrong one, in any place.
    ("1 + 5 + 5 + 5 = 16.5 + 5 + 5 = 16", (1, 5, 5, 5), 24, "cards", "malformed decimal"),
    ("Here:\n\n44+1.019+35", (44, 19, 35), 98, "free", "malformed decimal"),
    (
        "<answer>1+2+3+4\n1;2*3*4\n(1+2+3)*4</answer>",
        (1, 2, 3, 4),
        24,
        "free",
        "malformed two-answers",
    ),
]


@in_one_test(("text", "hand", "target", "game", "expected"), REGRESSIONS)
def test_regressions_found_with_damaged_answers(
    text: str, hand: tuple[int, ...], target: int, game: str, expected: str
) -> None:
    row = ROWS[0]._replace(hand=hand, target=Fraction(target), game=game)
    assert " ".join(by_first(text, row)[:2]) == expected
    assert tuple(expected.split()) in by_second(text, row)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ([{"type": "text", "text": "So <answer>"}, {"text": "(1+2+3)*4</answer>"}], "ok"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "1+2+3*4"}], "value"),
        ([{"type": "text", "text": None}, "24", 24], "no-answer"),
        ([], "not-text"),
        ({"text": "(1+2+3)*4"}, "not-text"),
    ],
)
def test_the_text_of_a_chat_message_can_have_parts(content: Any, code: str) -> None:
    row = ROWS[0]._replace(hand=(1, 2, 3, 4), target=Fraction(24), game="free")
    chat = [{"role": "user", "content": "24?"}, {"role": "assistant", "content": content}]
    assert by_first(chat, row)[1] == code


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


# Formula, target, and the divisor of a score of 0.5.
PARTIAL = [
    ("1000000000 x 1", 10**9, None),
    ("1000000000 x 1", 10**9 + 1, 2),
    ("1000000000 x 1", 0, 10**9 + 1),
    ("1000000000 + 1", 0, 10**9 + 1),
    ("1000000000 - 1", 0, 10**9),
]


@pytest.mark.parametrize(("formula", "target", "divisor"), PARTIAL)
def test_partial_credit_is_constant_from_a_gap_of_a_billion(
    formula: str, target: int, divisor: int | None
) -> None:
    result = crisps24.puzzle_of((10**9, 1), target, "free").judge(formula, partial=0.5)
    assert result.score == (1.0 if divisor is None else 0.5 / divisor)
    assert result.code == ("ok" if divisor is None else "value")


BOLD = [
    ("**8/(3-8/3)\n**", "right"),
    ("**\n8/(3-8/3)\n**", "right"),
    ("**8/3 = 8/3\n3 - 8/3 = 1/3\n8/(1/3) = 24**", "right"),
    ("**8/3 = 8/3**\n**3 - 8/3 = 1/3**\n**8/(1/3) = 24**", "right"),
    ("**8/3 = 8/3**\n3 - 8/3 = 1/3\n**8/(1/3) = 24**", "right"),
    ("**(8 + 8) x 3**\n**8/(3-8/3)**", "right"),
    ("**8/(3-8/3)**\n**(8 + 8) x 3**", "wrong"),
]


@pytest.mark.parametrize(("text", "verdict"), BOLD)
def test_bold_can_cover_one_line_or_several(text: str, verdict: str) -> None:
    for mark in ("**", "__", "`"):
        assert crisps24.judge(text.replace("**", mark), "cards:3.3.8.8=24").verdict == verdict, mark
