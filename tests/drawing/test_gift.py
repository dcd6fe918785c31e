"""Questions written as GIFT, and read back like Moodle does."""

from hypothesis import given
from hypothesis import strategies as st

from crisps24.drawing.gift import Question, gift_of


def read_gift(text: str) -> list[Question]:
    lines = [line for line in text.split("\n") if not line.startswith("//")]
    blocks = [block for block in "\n".join(lines).split("\n\n") if block.strip()]
    return [_question(block.strip("\n")) for block in blocks]


def _question(block: str) -> Question:
    parts, answers, right = {"title": "", "text": ""}, list[str](), -1
    where, at = "begin", 0
    while at < len(block):
        sign = block[at]
        at += 1
        if sign == "\\" and block[at] in "\\~=#{}:":
            sign, at, escaped = block[at], at + 1, True
        else:
            escaped = False
        if not escaped and block.startswith("::", at - 1):
            where = {"begin": "title", "title": "text"}[where]
            at += 1
        elif not escaped and sign == "{":
            assert where == "text"
            where = "answers"
        elif not escaped and sign == "}":
            assert block[at:] == ""
            where = "end"
        elif not escaped and sign in "=~" and where == "answers":
            right = len(answers) if sign == "=" else right
            answers.append("")
        elif where == "answers":
            if answers:
                assert escaped or sign not in "#:"
                answers[-1] += sign
        else:
            assert where in parts, block
            assert escaped or sign not in "#:=~"
            parts[where] += sign
    assert where == "end"
    assert parts["text"].startswith("[plain]")
    comment = parts["text"].removeprefix("[plain]")
    assert comment.endswith(" ")
    trimmed = tuple(answer.removesuffix("\n") for answer in answers)
    return Question(parts["title"], comment[:-1], trimmed, right)


IN_LINE = st.text("ab \\~=#{}:%/-+[]<>&\n\u00e9", min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()) or "x"
)


@given(
    st.lists(
        st.builds(
            lambda title, text, answers, place: Question(
                title, text, tuple(answers), place % len(answers)
            ),
            IN_LINE,
            IN_LINE,
            st.lists(IN_LINE, min_size=2, max_size=4),
            st.integers(0, 3),
        ),
        max_size=3,
    ),
    st.text("a:=\n/ {", max_size=12),
)
def test_written_questions_are_read_back(questions: list[Question], comment: str) -> None:
    assert read_gift("\n".join(gift_of(questions, comment))) == questions


def test_special_characters_of_gift_are_escaped() -> None:
    question = Question("cards:3.8=24", "3 ? 8 = 24 # {now}", ("x", "~"), 0)
    assert list(gift_of([question])) == [
        *(r"::cards\:3.8\=24::[plain]3 ? 8 \= 24 \# \{now\} {", "=x", r"~\~", "}", "")
    ]
    assert (question.key, question.distractors) == ("x", ("~",))
    assert Question("", "", ("a", "b", "c"), 1).distractors == ("a", "c")
