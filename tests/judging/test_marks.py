"""Marks: the last marked answer counts, whatever marks it, in texts and in their mirrors."""

import json
from itertools import product
from pathlib import Path

from crisps24 import puzzle_of
from tests.sampling import in_one_test, some

PUZZLE = puzzle_of("cards:1.2.3.4=24")
RIGHT, WRONG = "(1+2+3)*4", "(1+2+3)+4"
# Marks with {} for an answer, which are on lines of their own unless they are sentences.
MARKS = [
    *("<answer>{}</answer>", "So it is <answer>{}</answer>, which works.", r"$\boxed{{{}}}$"),
    *(r"The answer is $\boxed{{{}}}$.", "Answer: {}", "**Final Answer: {}**", "**Answer**: `{}`"),
    *("The answer is {}.", "Final expression: {}", "Eindantwoord: {}", "Answer:\n{}"),
    *("**Solution**\n\n`{}`", "### Final Answer\n\n{}", "# Corrected answer:\n**{}**", "**{}**"),
    *('{{"answer": "{}"}}', '```json\n{{"answer": "{}"}}\n```', "```\n{}\n```"),
    *("```python\nprint({})\n```", "__{}__"),
]
SENTENCES = [
    *("So the answer is {}.", "Therefore, the correct answer is **{}**.", "Thus my solution: {}"),
    *("So the final answer is therefore {} = 24, which works.", "The correct answer is:\n{}"),
    *("Die richtige Antwort lautet {}.", "La respuesta correcta es {}.", "正确答案是 {}。"),
    *("That means the solution should be {}.", "I was wrong, so the right answer is {}."),
]
BETWEEN = ["\n", "\n\nWait, better:\n\n", "\nI used all numbers. Let me think: 1 + 2 = 3.\n"]
BETWEEN_SENTENCES = [*BETWEEN, " Wait, I have a better idea. ", "\n\nHold on, 4 comes twice. "]


def mixtures(first: str, second: str) -> list[str]:
    cases = [*product([*MARKS, *SENTENCES], BETWEEN, MARKS)]
    cases += product([*MARKS, *SENTENCES], BETWEEN_SENTENCES, SENTENCES)
    return [one.format(first) + between + other.format(second) for one, between, other in cases]


def test_the_last_marked_answer_counts() -> None:
    for first, second in ((RIGHT, WRONG), (WRONG, RIGHT), (RIGHT, "1*2*3*4")):
        texts = some(mixtures(first, second), 700)
        failed = [text for text in texts if bool(PUZZLE.judge(text)) != (second != WRONG)]
        assert not failed, f"{len(failed)} fail: {failed[:3]}"


@in_one_test(
    ("text", "code"),
    # In one line without a word between them, or one inside the other.
    (f"<answer>{RIGHT}</answer> \\boxed{{{WRONG}}}", "two-answers"),
    (f"\\boxed{{{WRONG}}}, <answer>{RIGHT}</answer>", "two-answers"),
    (f"<answer>{WRONG} \\boxed{{{RIGHT}}}</answer>", "two-answers"),
    (f"<answer>\\boxed{{{RIGHT}}} {WRONG}</answer>", "two-answers"),
    (f"Answer: {RIGHT} <answer>{WRONG}</answer>", "two-answers"),
    (f"**Answer:** {WRONG} or \\boxed{{{RIGHT}}}", "two-answers"),
    (f"Answer: {WRONG} / Answer: {RIGHT}", "two-answers"),
    (f"<answer>{WRONG}</answer>\nor\n\\boxed{{{RIGHT}}}", "two-answers"),
    (f"Answer: {RIGHT}. Or 8 * 3.", "found"),
    # Those that agree are one.
    (f"<answer>{RIGHT}</answer> \\boxed{{{RIGHT} = 24}}", "ok"),
    (f"<answer>{WRONG}</answer>, no: \\boxed{{{RIGHT}}}", "ok"),
    # A bare number beside another kind of mark, a check and prose state no answer.
    (f"<answer>{RIGHT}</answer> = \\boxed{{24}}", "ok"),
    (f"### Final Answer\n{RIGHT}\n\nIt makes \\boxed{{24}}.", "ok"),
    (f"<answer>{RIGHT}</answer>\nAnswer: see above", "ok"),
    (f"Answer: {RIGHT}\n```python\nassert {RIGHT} == 24\n```", "ok"),
    (f"<answer>{RIGHT}</answer>\nSolution: I add 1 + 2 + 3 = 6, and then 6 * 4.", "ok"),
    (f"<answer>{RIGHT}</answer>\nSolution:\n1 + 2 = 3\n3 + 3 = 6\n6 * 4 = 24", "ok"),
    # But another formula does, although it cannot be read.
    (f"<answer>{RIGHT}</answer>\nAnswer: sqrt(16) * (1+2+3)", "character"),
    # Doubts, questions and conditions.
    (f"Answer: {RIGHT}\nBut you may think that the answer is not {WRONG}.", "ok"),
    (f"Answer: {RIGHT}\nIs the answer {WRONG}?", "ok"),
    (f"Answer: {RIGHT}\nIf the answer is {WRONG}, it makes 10.", "ok"),
    ("The answer is 1 + 2 = 3\n3 + 3 = 6\n6 * 4 = 24", "ok"),
    ("So the answer is 1 + 2 = 3\n3 + 3 = 6\n6 * 4 = 24", "ok"),
)
def test_marks_beside_each_other_have_one_code(text: str, code: str) -> None:
    assert PUZZLE.judge(text).code == code


def test_texts_with_two_answers_have_the_verdict_that_a_reader_expects() -> None:
    """They were written without a look at the code."""
    path = Path(__file__).parents[1] / "data" / "contradictions.json"
    cases = json.loads(path.read_text(encoding="utf-8"))
    right = {"right": True, "wrong": False, "two answers": False}
    differ = [
        case["text"]
        for case in cases
        if bool(puzzle_of(f"cards:{case['hand']}={case['target']}").judge(case["text"]))
        != right[case["expect"]]
    ]
    assert (len(cases), differ) == (120, [])
