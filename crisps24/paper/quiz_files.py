"""Write a quiz as a file for a program of schools: a learning platform, a game or flashcards.

A program is a record in `QUIZ_FORMATS`: the ends of its file names, how they are written, and its
limits. The layouts are those that public exporters write.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from crisps24.drawing.gift import Question, gift_of
from crisps24.drawing.qti import qti_of
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import Count, message
from crisps24.output import workbooks
from crisps24.output.tables import safe_cell

DEFAULT_SECONDS = 60
Cells = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Quiz:
    """Questions, and what only some files have: a title, a comment, seconds for each question."""

    questions: Iterable[Question]
    title: str = ""
    comment: str = ""
    seconds: int = DEFAULT_SECONDS


@dataclass(frozen=True, slots=True)
class QuizFormat:
    suffixes: tuple[str, ...]
    write: Callable[[Quiz], Iterable[bytes]]
    """Yield the bytes of a file."""
    by_suffix: bool = False
    """Whether the suffix of a file name alone chooses this format."""
    max_text: int | None = 120
    """Largest number of characters of a question; None for questions with complete rules."""
    max_answer: int | None = None
    times: Sequence[int] = ()
    """The seconds that a question can have; empty if the program has no time limit."""


# A function from a question, its number and its seconds to a row of a table.
_ToCells = Callable[[Question, int, int], Cells]


def _rows(heads: Sequence[Cells], to_cells: _ToCells, quiz: Quiz) -> Iterator[Cells]:
    yield from heads
    for number, question in enumerate(quiz.questions, 1):
        yield to_cells(question, number, quiz.seconds)


def _text_table(
    delimiter: str, line_end: str, heads: Sequence[Cells], to_cells: _ToCells, quiz: Quiz
) -> Iterator[bytes]:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    for row in _rows(heads, to_cells, quiz):
        texts = [" ".join(str(cell).split()) for cell in row]
        # A single sign is no formula: it stays the answer that pupils see.
        writer.writerow([text if len(text) == 1 else safe_cell(text) for text in texts])
    yield file.getvalue().encode()


def _workbook(heads: Sequence[Cells], to_cells: _ToCells, quiz: Quiz) -> Iterator[bytes]:
    yield workbooks.workbook_of(workbooks.Worksheet(_rows(heads, to_cells, quiz)))


def _padded(texts: Sequence[str], count: int) -> list[str]:
    return [*texts, *[""] * (count - len(texts))]


def _blackboard_cells(question: Question, *_: int) -> Cells:
    pairs = [
        (answer, "correct" if index == question.right else "incorrect")
        for index, answer in enumerate(question.answers)
    ]
    return "MC", question.text, *(cell for pair in pairs for cell in pair)


def _numbered_cells(question: Question, number: int, seconds: int) -> Cells:
    answers = _padded(question.answers, 4)
    return number, question.text, *answers, seconds, question.right + 1


def _gimkit_cells(question: Question, *_: int) -> Cells:
    wrong = [answer for answer in question.answers if answer != question.key]
    return question.text, question.key, *_padded(wrong, 3)


def _wayground_cells(question: Question, _: int, seconds: int) -> Cells:
    answers = _padded(question.answers, 5)
    return question.text, "Multiple Choice", *answers, question.right + 1, seconds, "", ""


def _anki_cells(question: Question, *_: int) -> Cells:
    front = "<br>".join(map(escape, [question.text, *question.answers]))
    return front, escape(question.key)


_BLOOKET_HEADS = (
    ("Blooket Import Template", *[""] * 7),
    (
        *("Question #", "Question Text", "Answer 1", "Answer 2"),
        *("Answer 3 (Optional)", "Answer 4 (Optional)", "Time Limit (sec) (Max: 300 seconds)"),
        "Correct Answer(s) (Only include Answer #)",
    ),
)
_GIMKIT_HEADS = (
    ("Gimkit Spreadsheet Import Template", *[""] * 4),
    (
        *("Question", "Correct Answer", "Incorrect Answer 1"),
        *("Incorrect Answer 2 (Optional)", "Incorrect Answer 3 (Optional)"),
    ),
)
_KAHOOT_TIMES = (5, 10, 20, 30, 60, 90, 120, 240)
# The header is row 8.
_KAHOOT_HEADS = (
    *[()] * 7,
    (
        *("", "Question - max 120 characters"),
        *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
        "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
        "Correct answer(s) - choose at least one",
    ),
)
_WAYGROUND_HEADS = (
    (
        *("Question Text", "Question Type", *(f"Option {number}" for number in range(1, 6))),
        *("Correct Answer", "Time in seconds", "Image Link", "Answer explanation"),
    ),
)

QUIZ_FORMATS: dict[str, QuizFormat] = {
    "moodle": QuizFormat(
        ("gift", "txt"),
        lambda quiz: (f"{line}\n".encode() for line in gift_of(quiz.questions, quiz.comment)),
        by_suffix=True,
        max_text=None,
    ),
    "canvas": QuizFormat(
        ("zip",), lambda quiz: iter([qti_of(quiz.questions, quiz.title)]), by_suffix=True
    ),
    "blackboard": QuizFormat(("txt",), partial(_text_table, "\t", "\n", (), _blackboard_cells)),
    "kahoot": QuizFormat(
        ("xlsx",),
        partial(_workbook, _KAHOOT_HEADS, _numbered_cells),
        max_answer=75,
        times=_KAHOOT_TIMES,
    ),
    "blooket": QuizFormat(
        ("csv",),
        partial(_text_table, ",", "\r\n", _BLOOKET_HEADS, _numbered_cells),
        times=range(1, 301),
    ),
    "gimkit": QuizFormat(("csv",), partial(_text_table, ",", "\r\n", _GIMKIT_HEADS, _gimkit_cells)),
    "wayground": QuizFormat(
        ("xlsx",),
        partial(_workbook, _WAYGROUND_HEADS, _wayground_cells),
        times=range(10, 901),
    ),
    "anki": QuizFormat(
        ("txt",),
        partial(_text_table, "\t", "\n", (("#separator:tab",), ("#html:true",)), _anki_cells),
    ),
}


def find_program(text: str) -> str:
    name = text.lower()
    if name not in QUIZ_FORMATS:
        raise RefusedError(f"unknown program {quoted(text)} (expected {', '.join(QUIZ_FORMATS)})")
    return name


def programs_for(suffix: str) -> list[str]:
    """Return the programs that take files with a suffix: one if the suffix alone chooses it."""
    found = [name for name, form in QUIZ_FORMATS.items() if suffix in form.suffixes]
    return [name for name in found if QUIZ_FORMATS[name].by_suffix] or found


def check_quiz(program: str, seconds: int | None) -> None:
    """Raise RefusedError if a program takes no such time limit, or a package is missing."""
    form = QUIZ_FORMATS[program]
    if seconds is not None and seconds not in form.times:
        timed = ", ".join(name for name, other in QUIZ_FORMATS.items() if other.times)
        if not form.times:
            raise RefusedError(message("quiz.untimed", program=program, known=timed))
        known = ", ".join(map(str, form.times))
        known = f"{form.times[0]} to {form.times[-1]}" if len(form.times) > 9 else known
        given = {"program": program, "given": Count(seconds), "known": known}
        raise RefusedError(message("quiz.seconds", **given))
    if "xlsx" in form.suffixes:
        workbooks.check_workbook()
