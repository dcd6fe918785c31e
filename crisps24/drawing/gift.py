"""Questions for Moodle as GIFT text, marked as plain text so that nothing is read as HTML."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The characters with a meaning in GIFT.
_MEANS = re.compile(r"[\\~=#{}:]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of which one answer is right and the others are wrong."""

    title: str
    text: str
    answers: tuple[str, ...]
    """All of them, in the order in which they stand."""
    right: int
    """The place of the right one, counted from 0."""

    @property
    def key(self) -> str:
        """The right answer."""
        return self.answers[self.right]

    @property
    def distractors(self) -> tuple[str, ...]:
        """The wrong answers."""
        return self.answers[: self.right] + self.answers[self.right + 1 :]


def gift_of(questions: Iterable[Question], told: str = "") -> Iterator[str]:
    r"""Yield questions as lines of GIFT, behind a comment of what is told of them.

    >>> print(*gift_of([Question("1", "4 + ? = 7", ("= 3", "5"), 0)], "two numbers"), sep="\n")
    // two numbers
    <BLANKLINE>
    ::1::[plain]4 + ? \= 7 {
    =\= 3
    ~5
    }
    <BLANKLINE>
    """
    if told:
        yield f"// {_in_line(told)}"
        yield ""
    for question in questions:
        yield f"::{_escaped(question.title)}::[plain]{_escaped(question.text)} {{"
        for place, answer in enumerate(question.answers):
            yield f"{'=' if place == question.right else '~'}{_escaped(answer)}"
        yield "}"
        yield ""


def _in_line(text: str) -> str:
    """Return a text as one line: an empty line would end the question."""
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _MEANS.sub(lambda found: f"\\{found[0]}", _in_line(text))
