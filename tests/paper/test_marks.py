"""Test the marks of a class as table rows and as pages."""

from functools import cache
from typing import Any

import pytest

from crisps24 import RefusedError
from crisps24.drawing.drawings import PAPERS, Drawing, Text
from crisps24.drawing.lettering import width_of
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH
from crisps24.paper.marks import MAX_MARKED_PUZZLES, MAX_NAMES, Marks, collect_marks, marks_pages
from crisps24.paper.papers import sheet_style
from crisps24.paper.sheets import Sheet
from tests.sampling import some

FIRST, SECOND = "cards:3.3.8.8=24", "cards:1.1.1.1=24"
KEYS = ["name", "right", "answers", "unread", f"1 {FIRST}", f"2 {SECOND}"]


def texts_of(*pages: Drawing) -> list[str]:
    return [shape.text for page in pages for shape in page.shapes if isinstance(shape, Text)]


def row(name: Any, puzzle: str = FIRST, text: str = "8 / (3 - 8 / 3)", **more: Any) -> Any:
    right = {"verdict": "right", "code": "ok", "value": 24, "reason": ""}
    return {"name": name, "puzzle": puzzle, "text": text} | right | more


def wrong(name: Any, puzzle: str = FIRST, text: str = "3 + 3 + 8 + 8", value: int = 22) -> Any:
    fields = {"value": value, "reason": f"it makes {value}, not 24"}
    return row(name, puzzle, text, verdict="wrong", code="value") | fields


def blank(name: Any, puzzle: str = FIRST) -> Any:
    fields = {"reason": "there is no answer", "value": None}
    return row(name, puzzle, "", verdict="none", code="no-answer") | fields


def marked_rows(*rows: Any) -> list[list[Any]]:
    return [list(cells.values()) for cells in collect_marks(rows).rows()]


def test_rows_are_names_columns_are_puzzles_and_the_key_is_last() -> None:
    marks = collect_marks([row("Ann"), wrong("Bo", SECOND), wrong("Bo"), blank("Cy")])
    assert [list(cells) for cells in marks.rows()] == [KEYS] * 4
    assert [list(cells.values()) for cells in marks.rows()] == [
        ["Ann", 1, 1, 0, "right", "no answer"],
        ["Bo", 0, 2, 0, *["3 + 3 + 8 + 8: it makes 22, not 24"] * 2],
        ["Cy", 0, 0, 0, "no answer", "no answer"],
        ["likeliest answer", None, None, None, "8 / (3 - 8 / 3)", "no solution"],
    ]
    assert (marks.count_right(FIRST), marks.count_right(SECOND)) == (1, 0)


def test_points_of_operators_are_added_up() -> None:
    throws = "mathador:2.2.5.8.13=20", "mathador:2.4.4.4.7=35"
    rows = [row("Ann", throws[0], "13 + 5 + 2", points=2), row("Bo", throws[1], "…", points=13)]
    marks = collect_marks(rows)
    assert [[*cells.values()][:6] for cells in marks.rows()] == [
        ["Ann", 1, 1, 0, 2, 26],
        ["Bo", 1, 1, 0, 13, 26],
        ["likeliest answer", None, None, None, None, None],
    ]
    [page, _] = marks_pages(marks, Sheet())
    assert {"points", "2 of 26", "13 of 26"} <= {*texts_of(page)}


def test_a_second_answer_makes_a_second_person_and_blank_rows_are_left_out() -> None:
    rows = marked_rows(row("Ann"), wrong("Ann"), blank(""), row(None))[:-1]
    assert [cells[:3] for cells in rows] == [["Ann", 1, 1], ["Ann", 0, 1], ["", 1, 1]]
    # An answer without a name keeps the blank ones beside it.
    assert marked_rows(blank(""), row("", SECOND))[0][:3] == ["", 1, 1]
    with pytest.raises(RefusedError, match="there is nobody to mark"):
        collect_marks([blank(""), blank(None)])


def test_names_and_answers_are_one_printable_line() -> None:
    names = ["Zoe\u0308  \t Q", "a\u202eb\x1b", "\u0639\u200c\u0644", "x" * 100]
    shown = ["Zo\u00eb Q", r"a\u202eb\x1b", "\u0639\u0644", "x" * 59 + "…"]
    assert [cells[0] for cells in marked_rows(*map(row, names))[:-1]] == shown
    assert marked_rows(wrong("a", text="1\n+\x00" + "2" * 999))[0][4].startswith(r"1 +\x00222")
    assert len(marked_rows(wrong("a", text="2" * 9_999))[0][4]) < 350


def test_too_many_names_or_puzzles_are_refused() -> None:
    with pytest.raises(RefusedError, match=f"at most 1,000 names and {MAX_MARKED_PUZZLES} puzzles"):
        collect_marks(row(str(number)) for number in range(MAX_NAMES + 1))
    ids = (f"cards:1.1.{number}=24" for number in range(1, MAX_MARKED_PUZZLES + 2))
    with pytest.raises(RefusedError, match="give the file in parts"):
        collect_marks(row("a", puzzle) for puzzle in ids)


@cache
def marks_of_class(names: int, puzzles: int) -> Marks:
    ids = [f"cards:3.{1 + number % 13}.{1 + number // 13}=24" for number in range(puzzles)]
    return collect_marks(
        (wrong if number == index else row)(f"<b>{number} & Co</b>", puzzle)
        for number in range(names)
        for index, puzzle in enumerate(ids)
    )


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("names", "puzzles"), [(1, 1), (12, 6), (60, 30), (3, 100)])
def test_texts_are_in_pages_and_mistakes_are_listed(paper: str, names: int, puzzles: int) -> None:
    sheet = Sheet(paper=paper, title="Class " * 9)
    pages = list(marks_pages(marks_of_class(names, puzzles), sheet))
    assert_inside_pages(pages, paper)
    page_texts = texts_of(*pages)
    assert page_texts[-1] == f"page {len(pages)} of {len(pages)}"
    assert page_texts.count("3 + 3 + 8 + 8: it makes 22, not 24") == min(names, puzzles)
    # Each name stands in every block of columns of the table, and once in the list of mistakes.
    column_blocks = -(-puzzles // int((PAPERS[paper][0] - 94) / 9))
    assert sum(text.startswith("<b>0 & Co") for text in page_texts) >= column_blocks + 1
    assert page_texts.count("Answers: the likeliest solutions") == 1


def test_only_the_first_page_with_solutions_has_them_in_words() -> None:
    answers = [wrong(f"{number}", "cards:1/2.3.8.8=24") for number in range(60)]
    pages = list(marks_pages(collect_marks(answers), Sheet()))
    numbers = [f"page {number} of {len(pages)}" for number in range(1, len(pages) + 1)]
    [page] = [page for page, number in zip(pages, numbers, strict=True) if page.about != number]
    assert "Answers: the likeliest solutions" in texts_of(page)
    assert "one half" in page.about


def assert_inside_pages(pages: list[Drawing], paper: str) -> None:
    """Assert that pages have the size of a paper, and that every text is inside its edges."""
    width, height = PAPERS[paper]
    for page in pages:
        assert (page.width, page.height) == (width, height)
        for text in (shape for shape in page.shapes if isinstance(shape, Text)):
            text_width = width_of(text.text, text.size, bold=text.bold)
            shift = {"start": 0.0, "middle": text_width / 2, "end": text_width}[text.anchor]
            assert 10 < text.x - shift < text.x - shift + text_width < width - 10
            assert 10 < text.y < height - 8


@pytest.mark.parametrize("language", some(LANGUAGES, 2))
def test_marks_use_the_language_and_its_signs(language: str) -> None:
    sheet = Sheet(paper="a5", language=language)
    answers = [row("Ann"), wrong("", text="3+3"), row("Bo", SECOND)]
    marks = collect_marks(answers, sheet_style(sheet))
    pages = list(marks_pages(marks, sheet))
    assert_inside_pages(pages, "a5")
    assert {page.language for page in pages} == {language}
    page_texts = texts_of(*pages)
    text = LANGUAGES[language].text
    counts = dict.fromkeys(("marks.key", "marks.wrong", "marks.unsolvable"), 1)
    counts |= {"marks.title": len(pages), "marks.nobody": 2, "marks.right": 2}
    assert {key: page_texts.count(text(key).replace("\u00a0", " ")) for key in counts} == counts
    signs = {"nl": "8 : (3 − 8 : 3)", "en": "8 ÷ (3 − 8 ÷ 3)", "fr": "8 ÷ (3 − 8 ÷ 3)"}
    assert signs.get(language, page_texts[-1]) in page_texts
    # Rows are the same in every language.
    assert "no solution" in [*marks.rows()][-1].values()
    if language != "en":
        english = {str(text) for key, text in ENGLISH.texts.items() if key.startswith("marks.")}
        assert not english & set(page_texts)


def test_pupils_of_one_name_with_two_versions_stay_two() -> None:
    rows = [row("Ann") | {"place": "B1"}, row("Ann", SECOND) | {"place": "A1"}]
    marks = collect_marks([*rows, wrong("Bo") | {"place": "B1"}])
    totals = [(name, marks.total(answers)) for name, answers in marks.names]
    assert totals == [("Ann", (1, 1)), ("Ann", (1, 1)), ("Bo", (0, 1))]
    assert marks.numbered() == [("A1", SECOND), ("B1", rows[0]["puzzle"])]
    assert [marks.count_asked(puzzle) for puzzle in marks.puzzles] == [1, 2]
    both = collect_marks([row("Ann") | {"place": "B1"}, row("Ann", SECOND) | {"place": "B"}])
    assert [(name, both.total(answers)) for name, answers in both.names] == [("Ann", (2, 2))]
    # A file of answers can have a column of this name.
    others = [row("Ann") | {"place": "Berlin"}, row("Ann", SECOND) | {"place": 3}]
    assert collect_marks(others).places == {}
