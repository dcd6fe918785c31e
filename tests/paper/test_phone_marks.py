"""Results of phones as marks: a table for spreadsheets, pages, and what was hard."""

import pytest

from crisps24 import RefusedError
from crisps24.drawing.drawings import Text
from crisps24.judging.phone_lines import read_phone_page, read_phone_results
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Language
from crisps24.paper.marks import marks_pages
from crisps24.paper.phone_marks import PhoneMarks, phone_marks
from crisps24.paper.sheets import Sheet
from tests.languages import IN_SOME_LANGUAGES
from tests.phones import IDS, line_of, line_of_page, page_file

LINES = [line_of_page("Emil", "5NC"), line_of_page("Ann", "33Q"), line_of_page("", "4")]
LINES.append("crisps24 · 5b · 2 of 3 solved")
RESULTS = read_phone_results("\n".join(LINES), read_phone_page(page_file()))
HEADS = [f"{number} {id_}" for number, id_ in enumerate(IDS, 1)]


def test_rows_have_points_hints_seconds_and_what_was_hard() -> None:
    rows = list(phone_marks(RESULTS).rows())
    seconds = [f"{number} seconds" for number in (1, 2, 3)]
    assert {tuple(row) for row in rows} == {("name", "solved", "hints", "played", *HEADS, *seconds)}
    assert [list(row.values()) for row in rows] == [
        ["Emil", 3, 1, 3, 1, "1 with hints", 1, "15", ">600", ">600"],
        ["Ann", 1, 0, 3, 0, 0, "1 closest", "", "", "15"],
        ["", 1, 0, 1, 1, None, None, "", None, None],
        ["", 2, None, None, *[None] * 6],
        ["solved by", None, None, None, 2, 1, 2, None, None, None],
        ["place, hardest first", None, None, None, 2, 1, 3, None, None, None],
    ]


def test_puzzles_come_from_the_hardest() -> None:
    assert [list(row.values()) for row in phone_marks(RESULTS).puzzle_rows()] == [
        [HEADS[1], 1, 1, 2, ">600"],
        [HEADS[0], 2, 0, 3, "15"],
        [HEADS[2], 2, 0, 2, "15"],
    ]


def texts(marks: PhoneMarks, language: str = "en") -> list[list[str]]:
    pages = marks_pages(marks, Sheet(language=language))
    return [[str(each.text) for each in page.shapes if isinstance(each, Text)] for page in pages]


@IN_SOME_LANGUAGES
def test_pages_have_times_below_ticks_and_solutions(language: Language) -> None:
    table, key = texts(phone_marks(RESULTS, "colon", language), language.name)
    assert {"Emil", "15", "? >600", "≈ 15", language.text("marks.phones_legend")} <= {*table}
    assert language.text("marks.of", right=2, count=3) in table
    hardest, of = language.text("marks.hardest"), language.text("marks.of", right=1, count=2)
    assert {hardest, "8 : (3 − 8 : 3)", of} <= {*key}
    assert [text for text in key if text in ("1", "2", "3")] == ["2", "1", "3"]


def test_without_a_page_puzzles_are_numbers() -> None:
    marks = phone_marks(read_phone_results(line_of("Emil", "53", 12)))
    assert [*next(marks.rows())][4:6] == ["1", "2"]
    assert len(marks.puzzles) == 12
    _, key = texts(marks)
    # No solution of a puzzle that is not known.
    assert key.count("–") == 12


def test_the_same_puzzle_twice_stays_two() -> None:
    twice = read_phone_page(page_file())._replace(puzzles=(IDS[0], IDS[0], IDS[1]))
    marks = phone_marks(read_phone_results(line_of_page("Emil", "535"), twice))
    assert [*next(marks.rows()).values()][4:7] == [1, 0, 1]


def test_nobody_is_refused_in_each_language() -> None:
    with pytest.raises(RefusedError) as refusal:
        phone_marks(RESULTS._replace(pupils=()))
    assert len({refusal.value.sentence(each) for each in LANGUAGES.values()}) == len(LANGUAGES)
