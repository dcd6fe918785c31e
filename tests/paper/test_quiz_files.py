"""Quizzes for each program, read back by other readers, and answered by brute force."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest

from crisps24 import RefusedError, deal
from crisps24.cli.screen import WRITTEN_FORMATS
from crisps24.drawing.gift import Question
from crisps24.drawing.qti import qti_of
from crisps24.messages.message import Language
from crisps24.paper.quiz_files import (
    DEFAULT_SECONDS,
    QUIZ_FORMATS,
    Quiz,
    check_quiz,
    find_program,
    programs_for,
)
from crisps24.paper.quizzes import questions
from tests.drawing.test_gift import read_gift
from tests.languages import IN_SOME_LANGUAGES
from tests.paper.test_quizzes import has_one_right_answer, kind_of

# The text of a question, its answers, and which is right.
Read = tuple[str, list[str], int]
EACH_PROGRAM = pytest.mark.parametrize("name", QUIZ_FORMATS)


def file_of(name: str, asked: Sequence[Question], seconds: int = DEFAULT_SECONDS) -> bytes:
    if QUIZ_FORMATS[name].suffixes == ("xlsx",):
        pytest.importorskip("xlsxwriter", reason="the extra crisps24[excel] is missing")
    return b"".join(QUIZ_FORMATS[name].write(Quiz(asked, "a title", "a comment", seconds)))


def sheet_of(data: bytes) -> list[list[Any]]:
    openpyxl = pytest.importorskip("openpyxl")
    [sheet] = openpyxl.load_workbook(io.BytesIO(data)).worksheets
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def present(answers: Sequence[Any]) -> list[str]:
    """Return the texts of answers without the empty ones, which come last."""
    texts = [answer for answer in answers if answer]
    assert list(answers[: len(texts)]) == texts
    assert all(isinstance(text, str) for text in texts)
    return texts


def roots_of(data: bytes) -> dict[str, ElementTree.Element]:
    """Return the files of XML in an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}


def read_canvas(data: bytes) -> Iterator[Read]:
    roots = roots_of(data)
    [resource] = roots.pop("imsmanifest.xml").iterfind(".//{*}resource")
    assert resource.attrib["type"] == "imsqti_xmlv1p2"
    [file] = resource.iterfind("{*}file")
    [(name, root)] = roots.items()
    assert name == file.attrib["href"]
    ids: list[str] = []
    for item in root.iterfind(".//{*}item"):
        shown = {each.attrib["ident"]: each for each in item.iterfind(".//{*}response_label")}
        labels = {id_: unescape(each.findtext(".//{*}mattext", "")) for id_, each in shown.items()}
        ids += [item.attrib["ident"], *labels]
        [right] = item.iterfind(".//{*}varequal")
        kinds = [each.text for each in item.iterfind(".//{*}fieldentry")]
        assert kinds == ["multiple_choice_question", "1"]
        text = unescape(item.findtext("{*}presentation/{*}material/{*}mattext", ""))
        yield text, list(labels.values()), list(labels).index(right.text or "")
    assert len(set(ids)) == len(ids)


def read_blackboard(data: bytes) -> Iterator[Read]:
    for line in data.decode().removesuffix("\n").split("\n"):
        kind, text, *cells = line.split("\t")
        assert kind == "MC"
        marks = cells[1::2]
        assert sorted(marks) == ["correct", *["incorrect"] * (len(marks) - 1)]
        yield text, cells[::2], marks.index("correct")


def read_kahoot(data: bytes) -> Iterator[Read]:
    rows = sheet_of(data)
    assert rows[:7] == [[None] * 8] * 7
    assert rows[7][1:3] == ["Question - max 120 characters", "Answer 1 - max 75 characters"]
    assert rows[7][6] == "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs"
    assert [row[0] for row in rows[8:]] == [*range(1, len(rows) - 7)]
    for row in rows[8:]:
        assert row[6] in (5, 10, 20, 30, 60, 90, 120, 240)
        assert max(map(len, present(row[2:6]))) <= 75
        yield row[1], present(row[2:6]), row[7] - 1


def read_blooket(data: bytes) -> Iterator[Read]:
    assert data.count(b"\r\n") == data.count(b"\n")
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert {len(row) for row in rows} == {8}
    assert rows[0] == ["Blooket Import Template", *[""] * 7]
    assert rows[1][:3] == ["Question #", "Question Text", "Answer 1"]
    for number, row in enumerate(rows[2:], 1):
        assert row[0] == str(number)
        assert 0 < int(row[6]) <= 300
        yield row[1], present(row[2:6]), int(row[7]) - 1


def read_gimkit(data: bytes) -> Iterator[Read]:
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert {len(row) for row in rows} == {5}
    assert rows[0] == ["Gimkit Spreadsheet Import Template", *[""] * 4]
    assert rows[1][:3] == ["Question", "Correct Answer", "Incorrect Answer 1"]
    for text, *answers in rows[2:]:
        yield text, present(answers), 0


def read_wayground(data: bytes) -> Iterator[Read]:
    head, *rows = sheet_of(data)
    assert head[:3] == ["Question Text", "Question Type", "Option 1"]
    last = ("Correct Answer", "Time in seconds", "Image Link", "Answer explanation")
    assert head[6:] == ["Option 5", *last]
    for row in rows:
        assert (row[1], row[8]) == ("Multiple Choice", DEFAULT_SECONDS)
        yield row[0], present(row[2:7]), row[7] - 1


def read_anki(data: bytes) -> Iterator[Read]:
    first, second, *lines = data.decode().removesuffix("\n").split("\n")
    assert (first, second) == ("#separator:tab", "#html:true")
    for line in lines:
        front, back = line.split("\t")
        text, *answers = map(unescape, front.split("<br>"))
        yield text, answers, answers.index(unescape(back))


READERS: dict[str, Callable[[bytes], Iterator[Read]]] = {
    "moodle": lambda data: (
        (each.text, [*each.answers], each.right) for each in read_gift(data.decode())
    ),
    **{"canvas": read_canvas, "blackboard": read_blackboard},
    **{"kahoot": read_kahoot, "blooket": read_blooket, "gimkit": read_gimkit},
    **{"wayground": read_wayground, "anki": read_anki},
}


@EACH_PROGRAM
def test_a_file_asks_questions_with_one_right_answer(name: str) -> None:
    form = QUIZ_FORMATS[name]
    for game in ("cards", "crisps"):
        puzzles = deal(game, 8, seed=11).with_style("unicode")
        asked = [*questions(puzzles, max_text=form.max_text, max_answer=form.max_answer)]
        data = file_of(name, asked)
        assert data == file_of(name, asked)
        kinds = set()
        for puzzle, (text, answers, right) in zip(puzzles, READERS[name](data), strict=True):
            question = Question(puzzle.id, text, tuple(answers), right)
            kinds.add(kind_of(question))
            assert has_one_right_answer(question, kind_of(question)), question
            assert 1 < len(set(answers)) == len(answers) <= 4
            assert len(text) <= (form.max_text or 1_000)
        assert kinds == {"hand", "sign", "step", "value"}


@EACH_PROGRAM
@IN_SOME_LANGUAGES
def test_a_file_has_the_texts_of_its_language(name: str, language: Language) -> None:
    puzzles = deal("countdown", 3, seed=2).with_style(language.style)
    asked = list(questions(puzzles, (), language, max_text=QUIZ_FORMATS[name].max_text))
    read = READERS[name](file_of(name, asked))
    for question, (text, answers, right) in zip(asked, read, strict=True):
        # Programs show each space as one space.
        assert text.split() == question.text.split()
        assert set(answers) == set(question.answers)
        assert answers[right] == question.key


HOSTILE = Question("<i>", 'a "b" <b>&amp; ]]> c', ("=1+1", "<br/>", "@x", "−"), 1)


@pytest.mark.parametrize("name", ["canvas", "kahoot", "wayground"])
def test_signs_of_xml_and_formulas_stay_text(name: str) -> None:
    [(text, answers, right)] = READERS[name](file_of(name, [HOSTILE]))
    assert (text, tuple(answers), right) == (HOSTILE.text, HOSTILE.answers, HOSTILE.right)


@pytest.mark.parametrize("name", ["blooket", "gimkit", "blackboard"])
def test_a_cell_is_never_a_formula(name: str) -> None:
    delimiter = "\t" if name == "blackboard" else ","
    text = file_of(name, [HOSTILE]).decode()
    cells = next(row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if "'@x" in row)
    assert {HOSTILE.text, "'=1+1", "<br/>", "'@x", "−"} <= set(cells)


def test_a_title_of_canvas_is_escaped() -> None:
    root = roots_of(qti_of([HOSTILE], "A \"<b>\" & 'c'"))["quiz/quiz.xml"]
    assert root[0].attrib["title"] == "A \"<b>\" & 'c'"
    assert [item.attrib["title"] for item in root.iterfind(".//{*}item")] == ["<i>"]


def test_two_quizzes_of_canvas_have_different_identifiers() -> None:
    """Canvas would replace the first quiz of a course by the second."""
    other = replace(HOSTILE, text="b")
    idents = set[str | None]()
    for data in (qti_of([HOSTILE], "a"), qti_of([other], "a"), qti_of([HOSTILE], "b")):
        for root in roots_of(data).values():
            found = {each.attrib.get("ident") for each in root.iterfind(".//{*}item")}
            idents |= {root[0].attrib.get("ident"), *found} - {None}
    assert len(idents) == 6


def test_a_suffix_chooses_a_program_or_names_several() -> None:
    assert {suffix: programs_for(suffix) for suffix in WRITTEN_FORMATS["quiz"]} == {
        **{"gift": ["moodle"], "txt": ["moodle"], "zip": ["canvas"]},
        **{"csv": ["blooket", "gimkit"], "xlsx": ["kahoot", "wayground"]},
    }
    assert find_program("Anki") == "anki"
    with pytest.raises(RefusedError, match="unknown program 'quizlet' "):
        find_program("quizlet")


def test_a_program_takes_some_time_limits() -> None:
    check_quiz("gimkit", None)
    check_quiz("blooket", 300)
    pytest.importorskip("xlsxwriter", reason="the extra crisps24[excel] is missing")
    check_quiz("kahoot", 240)
    assert [row[6] for row in sheet_of(file_of("kahoot", [HOSTILE], 90))[8:]] == [90]
    for name, seconds, problem in (
        ("kahoot", 45, "of 45 seconds (expected 5, 10, 20, 30, 60, 90, 120, 240)"),
        ("blooket", 301, "of 301 seconds (expected 1 to 300)"),
        ("anki", 60, "anki has no time limits (expected kahoot, blooket, wayground)"),
    ):
        with pytest.raises(RefusedError) as error:
            check_quiz(name, seconds)
        assert problem in str(error.value)
