"""Two judges and a table: what is said of answers as people and models write them."""

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
from tests.judging import second_reading
from tests.judging.mutants import mutants
from tests.judging.table import Row, rows

ROWS = rows()
# The judge that is held to the table, where there is one already.
JUDGE = getattr(crisps24, "judge", None)
THERE_IS_ONE = pytest.mark.skipif(JUDGE is None, reason="there is no judge yet")
CODES = {
    "right": "ok no-solution",
    "wrong": "value numbers numbers-missing stated rounded solvable undecided",
    "illegal": "remainder below-zero zero division-by-zero sign operator",
    "malformed": "character number decimal power latex two-signs two-answers too-long too-deep "
    "not-a-formula",
    "none": "no-answer not-text too-long",
}
# `JUDGED=100000 pytest tests/judging` takes as many.
MUTANTS = int(os.environ.get("JUDGED", "1200"))


def named(row: Row) -> str:
    return f"{row.part}, {row.shape}: {row.game} {row.hand} {row.target} {str(row.text)[:200]!r}"


def by_first(text: Any, row: Row) -> tuple[str, str, float]:
    """Ask the judge of the package."""
    assert JUDGE is not None
    game: Any = row.game
    said = JUDGE(text, Puzzle(row.hand, row.target, game))
    return said.verdict, said.code, said.score


def by_second(text: Any, row: Row) -> list[tuple[str, str]]:
    return second_judge.judgements(text, row.hand, row.target, second_reading.RULES[row.game])


def told(differ: list[tuple[Any, ...]]) -> str:
    """Say on how many texts the judges differ, and on which, the shortest first."""
    shortest = sorted(differ, key=lambda each: len(each[0]))[:40]
    return "\n".join([f"{len(differ)} differ:", *map(str, shortest)])


def test_the_table_has_what_was_promised() -> None:
    parts = Counter(row.part for row in ROWS)
    assert parts["Honest and right"] >= 300
    assert parts["Honest and wrong"] >= 200
    assert parts["Attacks"] >= 300
    assert len({row.shape for row in ROWS if row.part == "Honest and right"}) >= 60
    assert {row.verdict for row in ROWS if row.part == "Honest and right"} == {"right"}
    assert "right" not in {row.verdict for row in ROWS if row.part != "Honest and right"}


def test_the_table_says_each_thing_once_and_has_every_code() -> None:
    said = Counter((row.game, row.hand, row.target, str(row.text)) for row in ROWS)
    assert [each for each, times in said.items() if times > 1] == []
    codes = {(verdict, code) for verdict, told in CODES.items() for code in told.split()}
    assert {(row.verdict, row.code) for row in ROWS} == codes


def test_the_second_judge_agrees_with_the_table() -> None:
    differ = [
        (named(row), found)
        for row in ROWS
        if (found := by_second(row.text, row))[0] != (row.verdict, row.code)
    ]
    assert differ == []


@pytest.mark.parametrize("module", [second_judge, second_reading])
def test_the_second_judge_has_nothing_of_the_first_and_runs_nothing(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"eval", "exec", "compile", "__import__", "open", "getattr"}
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    }
    assert imported <= {
        *("re", "collections", "collections.abc", "fractions", "functools", "itertools", "typing"),
        second_reading.__name__,
    }


def test_what_the_second_judge_calls_right_makes_no_other_target() -> None:
    for row, text in mutants(MUTANTS, seed=24):
        found = by_second(text, row)
        assert found[0][1] in CODES[found[0][0]].split()
        if found == [("right", "ok")]:
            other = row._replace(target=row.target + 1)
            assert by_second(text, other)[0][0] == "wrong", (named(row), text)
            more = row._replace(hand=(*row.hand, 97))
            needed = second_reading.RULES[row.game].all_numbers
            assert (by_second(text, more) == found) != needed, (named(row), text)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"<answer>(1+2+3)*4</answer>", ("right", "ok")),
        ("(1 + 2 + 3) × 4 = 24".encode(), ("right", "ok")),
        (b"(1+2+3)*4 = 25", ("wrong", "stated")),
        (b"\xff\xfe\x00", ("none", "no-answer")),
        (object(), ("none", "not-text")),
        (iter("24"), ("none", "not-text")),
    ],
)
def test_bytes_are_a_text_and_other_things_are_none(given: Any, said: tuple[str, str]) -> None:
    row = ROWS[0]._replace(hand=(1, 2, 3, 4), game="free")
    assert by_second(given, row)[0] == said
    if JUDGE is not None:
        assert by_first(given, row)[:2] == said


@THERE_IS_ONE
def test_the_judge_agrees_with_the_table() -> None:
    differ = [
        (named(row), found)
        for row in ROWS
        if (found := by_first(row.text, row))
        != (row.verdict, row.code, float(row.verdict == "right"))
    ]
    assert not differ, told(differ)


@THERE_IS_ONE
def test_the_judges_agree_on_what_is_right_and_why_something_is_not() -> None:
    differ: list[tuple[Any, ...]] = []
    for row, text in mutants(MUTANTS, seed=21):
        verdict, code, score = by_first(text, row)
        assert score == float(verdict == "right")
        found = by_second(text, row)
        alike = (verdict == "right") == (found[0][0] == "right")
        if not alike or (verdict, code) not in found:
            differ.append((text, named(row), verdict, code, found))
    assert not differ, told(differ)


# What damaged answers found: (text, hand, target, game, what it is worth).
FOUND = [
    ("−28 + 86 + 9\n\n−28 + 86 + 9", (86, 28, 9), 67, "free", "right ok"),
    ("(1+2+3)*4\\ == 24", (1, 2, 3, 4), 24, "free", "right ok"),
    ("(7\n- 8 / 8) * 4", (4, 7, 8, 8), 24, "free", "right ok"),
    # Half of a mark, and the same once more with a space of LaTeX at its end.
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
    # As models lay out what they say: lists, numbered steps, other labels, marks of chats.
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
    ("<thinking>8*3</thinking>8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("#### 8/(3-8/3)", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("✅ 8/(3-8/3) = 24", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("\\boxed{8/(3-8/3) = 24 \\checkmark}", (3, 3, 8, 8), 24, "cards", "right ok"),
    # Claims, and of which numbers.
    ("8/(3-8/3)\n\nSo there is no solution.", (3, 3, 8, 8), 24, "cards", "wrong solvable"),
    ("No solution exists for 1, 1, 1 and 1.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("There is no way to make 24 from 1, 1, 1, 1.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("This puzzle has no solution.", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    # A minus where there is nothing below zero, in a step and before nothing at all.
    ("-75 + 50 = 125, 125 * 6 = 750", (75, 50, 25, 6), 725, "countdown", "illegal sign"),
    ("-0 + 8 * 3", (0, 8, 3), 24, "countdown", "illegal sign"),
    ("8 * 3 - -00", (0, 8, 3), 24, "countdown", "illegal sign"),
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
    # What was made, with spaces in it; and where it is no number that comes after a division.
    ("8 / 3 = 8/3\n3 - 8 / 3 = 1/3\n8 / (1 / 3) = 24", (3, 3, 8, 8), 24, "cards", "right ok"),
    ("5 - 1/5 = 24/5, 5 * 24 / 5 = 24", (1, 5, 5, 5), 24, "cards", "right ok"),
    ("1 / 5 = 1/5, 5 - 1 / 5 = 24 / 5, 24 / 5 * 5", (1, 5, 5, 5), 24, "cards", "right ok"),
    ("8 / 3 = 8/3, 64 / 8 / 3 = 24", (3, 8, 64), 24, "free", "wrong numbers"),
    # Steps with a stop or a mark each.
    ("55 + 36 = 91.\n91 - 7 = 84.\n84 - 19 = 65.", (19, 36, 55, 7), 65, "free", "right ok"),
    (
        "<answer>$10 - 6 = 4$.\n$4 * 4 = 16$.\n$16 + 8 = 24$.</answer>",
        *((4, 6, 8, 10), 24, "cards", "right ok"),
    ),
    # A last line that goes on with nothing is an answer of its own.
    ("75 + 50 = 125; 125 - 27 = 98\n\n44 + 19 + 35", (44, 19, 35), 98, "free", "right ok"),
    ("10 - 6 = 4\n4 * 4 = 16\n16 + 8 = 24\n(10-6)*4+8", (4, 6, 8, 10), 24, "cards", "right ok"),
    ("10 - 6 = 4\n4 * 4 = 16\n16 + 8 = 24\n8 * 3", (4, 6, 8, 10), 24, "cards", "wrong numbers"),
    # Marked as one, steps are one working, though the last goes on with none.
    (
        "<answer>1 / 5 = 1/5\n5 - 1/5 = 4/5\n5 * 24/5 = 24</answer>",
        *((1, 5, 5, 5), 24, "cards", "wrong stated"),
    ),
    ("- no solution", (1, 1, 1, 1), 24, "cards", "right no-solution"),
    ("（１＋２）×４＋0x２", (0, 1, 2, 2, 4), 12, "free", "malformed number"),
    # What cannot be read comes before what is wrong, wherever it stands.
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


@pytest.mark.parametrize(("text", "hand", "target", "game", "said"), FOUND)
def test_what_damaged_answers_found_stays_found(
    text: str, hand: tuple[int, ...], target: int, game: str, said: str
) -> None:
    row = ROWS[0]._replace(hand=hand, target=Fraction(target), game=game)
    assert " ".join(by_first(text, row)[:2]) == said
    assert tuple(said.split()) in by_second(text, row)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"type": "text", "text": "So <answer>"}, {"text": "(1+2+3)*4</answer>"}], "ok"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "1+2+3*4"}], "value"),
        ([{"type": "text", "text": None}, "24", 24], "no-answer"),
        ([], "not-text"),
        ({"text": "(1+2+3)*4"}, "not-text"),
    ],
)
def test_what_is_said_in_a_chat_may_come_in_parts(content: Any, said: str) -> None:
    row = ROWS[0]._replace(hand=(1, 2, 3, 4), target=Fraction(24), game="free")
    chat = [{"role": "user", "content": "24?"}, {"role": "assistant", "content": content}]
    assert by_first(chat, row)[1] == said


def test_a_fraction_that_an_earlier_step_made_is_one_number() -> None:
    """`8 / 1/3` is 8 / (1/3) below a step that makes 1/3, and (8 / 1) / 3 elsewhere."""
    puzzle = crisps24.puzzle_of("cards:3.3.8.8=24")
    steps = "8/3 = 8/3\n3 - 8/3 = 1/3\n"
    for last in ("8 / 1/3 = 24", "8 / 1/3", "8 ÷ 1/3 = 24"):
        found = puzzle.judge(steps + last)
        assert (found.verdict, found.code, found.value) == ("right", "ok", 24), last
    assert not puzzle.judge("8 / 1/3 = 24")
    # Without spaces it is 8 / 1 / 3, of a 1 that is not there.
    assert not puzzle.judge(steps + "8/1/3 = 24")
    assert crisps24.evaluate("8 / 1/3", "free") == Fraction(8, 3)
    # 1/4 was not made.
    assert not puzzle.judge(steps + "8 / 1/4 = 24")


# The gap, and what a score of 0.5 is divided by.
PARTIAL = [
    ("1000000000 x 1", 10**9, None),
    ("1000000000 x 1", 10**9 + 1, 2),
    ("1000000000 x 1", 0, 10**9 + 1),
    ("1000000000 + 1", 0, 10**9 + 1),
    ("1000000000 - 1", 0, 10**9),
]


@pytest.mark.parametrize(("formula", "target", "part"), PARTIAL)
def test_partial_credit_is_least_from_a_gap_of_a_billion(
    formula: str, target: int, part: int | None
) -> None:
    found = crisps24.puzzle_of((10**9, 1), target, "free").judge(formula, partial=0.5)
    assert found.score == (1.0 if part is None else 0.5 / part)
    assert found.code == ("ok" if part is None else "value")


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
def test_a_bold_mark_is_of_a_line_or_of_several(text: str, verdict: str) -> None:
    for mark in ("**", "__", "`"):
        assert crisps24.judge(text.replace("**", mark), "cards:3.3.8.8=24").verdict == verdict, mark
