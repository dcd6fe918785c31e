"""Questions written as GIFT, and read back like Moodle does."""

import re

from hypothesis import given
from hypothesis import strategies as st

from crisps24.drawing.gift import Question, gift_of


def read_gift(text: str) -> list[Question]:
    lines = [line for line in text.split("\n") if not line.startswith("//")]
    blocks = [block for block in "\n".join(lines).split("\n\n") if block.strip()]
    return [_question(block.strip("\n")) for block in blocks]


# A text in which the signs of GIFT are escaped.
ESCAPED = r"((?:[^\\~=#{}:\n]|\\[\\~=#{}:])*)"


def _question(block: str) -> Question:
    found = re.fullmatch(rf"::{ESCAPED}::\[plain\]{ESCAPED} {{\n((?:[=~]{ESCAPED}\n)*)}}", block)
    assert found, block
    answers = re.findall(f"([=~]){ESCAPED}\n", found[3])
    texts = [found[1], found[2], *(text for _, text in answers)]
    title, text, *bare = (re.sub(r"\\(.)", r"\1", each) for each in texts)
    return Question(title, text, tuple(bare), [sign for sign, _ in answers].index("="))


_SIGNS = st.text("ab \\~=#{}:%/-+[]<>&\n\u00e9", min_size=1, max_size=20)
IN_LINE = _SIGNS.map(lambda text: " ".join(text.split()) or "x")


_QUESTIONS = st.builds(
    lambda title, text, answers, place: Question(title, text, answers, place % len(answers)),
    *(IN_LINE, IN_LINE, st.lists(IN_LINE, min_size=2, max_size=4).map(tuple), st.integers(0, 3)),
)


@given(st.lists(_QUESTIONS, max_size=3), st.text("a:=\n/ {", max_size=12))
def test_written_questions_are_read_back(questions: list[Question], comment: str) -> None:
    assert read_gift("\n".join(gift_of(questions, comment))) == questions


def test_special_characters_of_gift_are_escaped() -> None:
    question = Question("cards:3.8=24", "3 ? 8 = 24 # {now}", ("x", "~"), 0)
    head = r"::cards\:3.8\=24::[plain]3 ? 8 \= 24 \# \{now\} {"
    assert list(gift_of([question])) == [head, "=x", r"~\~", "}", ""]
    assert question.key == "x"
