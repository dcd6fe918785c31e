"""Questions for Moodle as GIFT text, marked as plain text so that Moodle does not read HTML."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

# Characters that GIFT requires to be escaped.
_SPECIAL = re.compile(r"[\\~=#{}:]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with one right answer and wrong ones."""

    title: str
    text: str
    answers: tuple[str, ...]
    """All answers, in the order of display."""
    right: int
    """The index of the right answer."""
    short_text: str = field(default="", compare=False)
    """The text for programs that allow few characters; empty if `text` is short."""

    @property
    def key(self) -> str:
        """The right answer."""
        return self.answers[self.right]


def gift_of(questions: Iterable[Question], comment: str = "") -> Iterator[str]:
    """Yield the lines of a file with multiple-choice questions in GIFT, a text format of Moodle."""
    if comment:
        yield f"// {_in_line(comment)}"
        yield ""
    for question in questions:
        yield f"::{_escaped(question.title)}::[plain]{_escaped(question.text)} {{"
        for index, answer in enumerate(question.answers):
            yield f"{'=' if index == question.right else '~'}{_escaped(answer)}"
        yield "}"
        yield ""


def _in_line(text: str) -> str:
    """Return a text as one line, since an empty line in a text would end the question."""
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", _in_line(text))
