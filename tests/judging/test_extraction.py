"""Extraction: the part of a text that is its answer, for any hand and target."""

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crisps24.judging.candidates import MAX_ANSWER_LENGTH, Candidate
from crisps24.judging.extraction import MAX_TEXT_LENGTH, extract
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import Expression, Number, text_of
from crisps24.rules.exact import Exact
from tests.notation.strategies import TREES
from tests.sampling import in_one_test


# A text, and the sides of its answer.
@in_one_test(
    ("text", "sides"),
    ("(4 + 4) * 3", ("(4 + 4) * 3",)),
    ("1|2 + 12 = 24", ("1|2 + 12", "24")),
    ("24", ("24",)),
    # The grammar refuses these.
    ("3.5 * 8 = 28", ("3.5 * 8", "28")),
    ("(4 + 4) * 3 = 8 * 3 = 24", ("(4 + 4) * 3", "8 * 3", "24")),
    # Text after the token that ends a turn.
    ("4*6<|im_end|>\n3*8", ("3*8",)),
    # Below lines with steps, which it does not continue.
    ("2+6=8\n2+2=4\n8+1=9\n3*8 = 20+4 = 24", ("3*8", "20+4", "24")),
    # With decoration.
    ("*4*6*", ("4*6",)),
    (r"**$\left(4+4\right) \times 3 = 24$**.", (r"\left(4+4\right) \times 3", "24")),
    ("**(4+4)*3.**", ("(4+4)*3",)),
    (r"\dfrac{8}{3-\tfrac{8}{3}} = \frac{48}{2}", (r"\dfrac{8}{3-\tfrac{8}{3}}", r"\frac{48}{2}")),
    # Marked answers.
    ("4*6 is not it. <ANSWER>\n(4+4)*3 = 24\n</Answer> 3*8", ("(4+4)*3", "24")),
    ("<answer>4*6</answer> no, <answer>3*8</answer>", ("3*8",)),
    ("<answer>4*6</answer> <answer>3*8", ("4*6",)),
    ("<answer>4*6</answer> 3*8</answer>", ("4*6",)),
    ("So <answer>3*8\n", ("3*8",)),
    ("Answer: 3 * 8 = 24. I used 3 and 8.", ("3 * 8", "24")),
    ("**Answer:** 0.5 * 48. So I did.", ("0.5 * 48",)),
    (r"\boxed{4*6} or rather \boxed{ (4+4) \times 3 = 24 }!", (r"(4+4) \times 3", "24")),
    (r"\boxed{4*6} \boxed{3*8", ("4*6",)),
    (r"\boxed{24} or \boxed{3*8}", ("3*8",)),
    (r"\boxed{3*8} or \boxed{3 * 8}", ("3 * 8",)),
    ("<answer>4*6 is not</answer> or <answer>3*8</answer>", ("3*8",)),
    (r"{ \boxed{\frac{8}{3-\frac{8}{3}}}", (r"\frac{8}{3-\frac{8}{3}}",)),
    (r"\boxed{24 = \boxed{3*8}}", ("3*8",)),
    (r"<answer>4*6</answer> so \boxed{3*8}", ("3*8",)),
    ("It is:\n```python\n(4+4)*3\n```\nDone: 3*8 it is not.", ("(4+4)*3",)),
    ("I tried 4*6.\n  final ANSWER:  (4+4)*3 = 24.\nI hope this helps, 1+1.", ("(4+4)*3", "24")),
    ("so\n**Answer: (4+4)*3**.\nbye", ("(4+4)*3",)),
    ("Answer： (4+4)*3", ("(4+4)*3",)),
    ("Answer: 4*6\nAnswer: 3*8", ("3*8",)),
    ("Answer: 3*8\n```\n4*6\n```", ("4*6",)),
    ("```\n4*6\n```\nAnswer: 3*8", ("3*8",)),
    (r"\boxed{\text{3*8}}", ("3*8",)),
    # The last line.
    ("4 + 4 = 8\nthen\n8 * 3 = 24\nwhich is it.", ("8 * 3", "24")),
    ("Hm.\n(4+4)*3\n24\n", ("24",)),
    ("<answer>9 * 8 / 6 * 2\n= 24</answer>", ("9 * 8 / 6 * 2", "24")),
    ("4*6</think>Answer: 3*8", ("3*8",)),
    ("<think><answer>4*6</answer></think>\nThus\n3*8", ("3*8",)),
    # Marks inside marks.
    ("<answer>\nSo\n```\nAnswer: $3*8$\n```\n</answer>", ("3*8",)),
    (r"<answer>The answer is \boxed{3*8}.</answer>", ("3*8",)),
)
def test_a_formula_is_extracted(text: str, sides: tuple[str, ...]) -> None:
    result = extract(text)
    assert (result.kind, result.sides, result.code) == ("formula", sides, "")
    assert text[result.start : result.end] == result.text
    assert result.text.startswith(sides[0])
    assert result.text.endswith(sides[-1])


@in_one_test(
    ("text", "formula", "stated"),
    ("24 = (4+4)*3", "(4+4)*3", ("24",)),
    ("(4+4)*3 = 8*3 = 24", "(4+4)*3", ("8*3", "24")),
    ("24 = 24", "24", ("24",)),
    ("8*3 = 8*3", "8*3", ("8*3",)),
    (" 24 = −5 - 3", "−5 - 3", ("24",)),
    (r"24 \, = 3\times 8", r"3\times 8", (r"24 \,",)),
    ("3.0 = 6/2", "6/2", ("3.0",)),
)
def test_the_first_side_that_is_no_number_counts(text: str, formula: str, stated: Any) -> None:
    result = extract(f"<answer>{text}</answer>")
    assert (result.formula, result.stated) == (formula, stated)


@in_one_test(
    ("text", "target"),
    ("**No solution**", None),
    ("There is no solution.", None),
    ("There’s no way to make 24.", 24),
    (r"\boxed{\text{No solution}}", None),
    ("It is impossible to make 24 with these numbers.", 24),
    ("We can't make 7/2", Fraction(7, 2)),
    ("-5 cannot be made", -5),
    ("I tried it all, 4*6 too.\n\nNot possible.\n", None),
)
def test_a_complete_claim_of_no_solution_is_extracted(text: str, target: Exact | None) -> None:
    result = extract(text)
    assert (result.kind, result.target, result.sides) == ("claim", target, ())
    assert text[result.start : result.end] == result.text == result.formula


@in_one_test("text", r"So $\boxed{3*8}$, of $\boxed{4*6}$.", r"<answer>4*6</answer> \boxed{3*8}")
def test_different_marks_are_two_answers(text: str) -> None:
    result = extract(text)
    assert (result.kind, result.code) == ("other", "two-answers")
    assert text[result.start : result.end] == result.text != ""


@in_one_test(
    "text",
    *("\n\n", "I would say 3 x 8.", "3*8 <think>", "<think>a</think> <think> 3*8"),
    *("<answer> ** </answer>", "b\n24 it is", "no solution was found by me, but 3*8 is close"),
    "You can make 24: 3*8.\nIt is not impossible to make 24, you see.",
    *("x" * (MAX_ANSWER_LENGTH + 1) + " and so on", "$3*8$ or $4*6$", "abs(1 - 25)"),
    *("<answer><answer", "<answer>3*8 or", "so ＜answer＞3*8＜/answer＞"),
)
def test_a_text_without_an_answer_has_none(text: str) -> None:
    assert extract(text) == Candidate(code="no-answer")


@in_one_test(
    ("text", "answer"),
    ("<answer>I think 3*8 is it</answer>", "I think 3*8 is it"),
    ("<answer>**3*8</answer>", "**3*8"),
    ("<answer>no solution; no solution</answer>", "no solution; no solution"),
    (r"<answer>\text{24} so</answer>", r"\text{24} so"),
    (r"<answer>\text{8} \times \text{3}</answer>", r"\text{8} \times \text{3}"),
    (r"\boxed{1 + (2}", "1 + (2"),
    ("3 - - - 8", "3 - - - 8"),
    ("<answer>$3*8$ = $24$</answer>", "3*8$ = $24"),
    ("Answer: nothing", "nothing"),
    ("<answer>no solution, so 3*8</answer>", "no solution, so 3*8"),
)
def test_a_marked_answer_that_is_no_formula_is_returned_unchanged(text: str, answer: str) -> None:
    result = extract(text)
    assert (result.kind, result.formula, result.code) == ("other", answer, "")
    assert text[result.start : result.end] == answer


def test_at_most_four_levels_of_marks_are_entered() -> None:
    assert extract("Answer: " * 4 + "3*8").formula == "3*8"
    six = "\\boxed{" * 6 + "3*8" + "}" * 6
    assert extract(f"<answer>{six} (it is)</answer>").formula == "3*8"
    result = extract("Answer: " * 5 + "3*8")
    assert (result.kind, result.text) == ("other", "Answer: 3*8")
    assert extract("<answer>" + "The answer is " * 3 + "3*8</answer>").formula == "3*8"
    assert extract("<answer>" + "The answer is " * 4 + "3*8</answer>").kind == "other"


def test_a_formula_with_too_many_levels_is_not_extracted() -> None:
    deepest = "(" * 100 + "8" + ")" * 100
    assert extract(f"So\n{deepest}\nis it").formula == deepest
    assert extract(f"So\n({deepest})\nis it") == Candidate(code="no-answer")
    assert extract(f"<answer>({deepest})</answer>").kind == "other"


def test_texts_and_answers_have_a_maximum_length() -> None:
    longest = "3*8" + " " * (MAX_TEXT_LENGTH - 3)
    assert extract(longest).formula == "3*8"
    assert extract(longest + " ") == Candidate(code="too-long")
    answer = "+".join("1" * (MAX_ANSWER_LENGTH // 2))
    assert extract(f"<answer>{answer}+</answer>").code == ""
    result = extract(f"<answer>{answer}+11</answer>")
    assert (result.kind, result.code) == ("other", "too-long")
    assert (result.start, result.end) == (8, 8 + MAX_ANSWER_LENGTH + 2)


AROUND = ["{}", "<answer>{}</answer>", "So\n\\boxed{{{}}}", "Answer: {}", "a b\n{} = 24", "**{}**."]
READABLE = [name for name, style in STYLES.items() if style.readable]
STEPS = TREES.filter(lambda tree: not isinstance(tree, Number))


@given(STEPS, st.sampled_from(READABLE), st.sampled_from(AROUND))
def test_any_formula_in_any_style_is_extracted(tree: Expression, style: str, around: str) -> None:
    formula = text_of(tree, style)
    result = extract(around.format(formula))
    assert (result.kind, result.formula) == ("formula", formula)


PIECES = [
    *("<answer>", "</answer>", "</ANSWER>", "<think>", "</think>", "\\boxed{", "```\n", "Answer:"),
    *("The answer is", "**", "$$", "\\(", "\\)", "\\[", "3*8", "(4+4)", "4 + 4 = 8", "8 x 3 = 24"),
    *(" or ", "->", "==", "\\frac{8}{3}", "\\left(", "\\right)", "\\times", "\\,", "no solution"),
    *("无解", "\\text{", "２４", "so", "24", "1/0", "cannot make 1/0"),
    *"}{\n*_`$. ,=✓!-(\ue000\0\ud800＝\\\r\u2028\u200bKİſ",
]
MIXED = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(MIXED | st.text(max_size=200))
def test_the_answer_of_any_text_is_a_part_of_it(text: str) -> None:
    result = extract(text)
    assert text[result.start : result.end] == result.text
    assert result == extract(text)
    assert result.kind in ("formula", "working", "claim", "other", "none")
    assert result.code in ("", "no-answer", "two-answers")
    assert (result.kind == "none") == (result.code == "no-answer") == (result.text == "")
    assert bool(result.sides) == (result.kind == "formula")
    assert result.text == result.text.strip()
    assert len(result.stated) == max(0, len(result.sides) - 1)
