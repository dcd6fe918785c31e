"""Marks of a class: who answered what, as rows, and laid out on pages."""

from functools import cache
from typing import Any

import pytest

from crisps24 import RefusedError
from crisps24.drawing.drawings import PAPERS, Drawing, Text, html_of
from crisps24.drawing.lettering import width_of
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH
from crisps24.paper.marks import MOST_COLUMNS, MOST_NAMES, Marks, marks_of, pages_of_marks
from crisps24.paper.papers import signs_of
from crisps24.paper.sheets import Sheet

FIRST, SECOND = "cards:3.3.8.8=24", "cards:1.1.1.1=24"
KEYS = ["name", "right", "answers", f"1 {FIRST}", f"2 {SECOND}"]


def row(name: Any, puzzle: str = FIRST, text: str = "8 / (3 - 8 / 3)", **more: Any) -> Any:
    right = {"verdict": "right", "code": "ok", "value": 24, "reason": ""}
    return {"name": name, "puzzle": puzzle, "text": text} | right | more


def wrong(name: Any, puzzle: str = FIRST, text: str = "3 + 3 + 8 + 8", value: int = 22) -> Any:
    told = {"value": value, "reason": f"it makes {value}, not 24"}
    return row(name, puzzle, text, verdict="wrong", code="value") | told


def blank(name: Any, puzzle: str = FIRST) -> Any:
    told = {"reason": "there is no answer", "value": None}
    return row(name, puzzle, "", verdict="none", code="no-answer") | told


def told_by(*rows: Any) -> list[list[Any]]:
    return [list(each.values()) for each in marks_of(rows).rows()]


def test_names_go_down_and_puzzles_across_and_the_key_is_last() -> None:
    marks = marks_of([row("Ann"), wrong("Bo", SECOND), wrong("Bo"), blank("Cy")])
    assert [list(each) for each in marks.rows()] == [KEYS] * 4
    assert [list(each.values()) for each in marks.rows()] == [
        ["Ann", 1, 1, "right", ""],
        ["Bo", 0, 2, *["3 + 3 + 8 + 8: it makes 22, not 24"] * 2],
        ["Cy", 0, 0, "", ""],
        ["likeliest answer", None, None, "8 / (3 - 8 / 3)", "no solution"],
    ]
    assert (marks.right(FIRST), marks.right(SECOND)) == (1, 0)


def test_who_answers_twice_is_two_of_one_name_and_nobody_is_left_out() -> None:
    assert [each[:3] for each in told_by(row("Ann"), wrong("Ann"), blank(""), row(None))[:-1]] == [
        ["Ann", 1, 1],
        ["Ann", 0, 1],
        ["", 1, 1],
    ]
    with pytest.raises(RefusedError, match="there is nobody to mark"):
        marks_of([blank(""), blank(None)])


def test_a_name_is_one_line_of_what_can_be_seen() -> None:
    names = ["Zoe\u0308  \t Q", "a\u202eb\x1b", "\u0639\u200c\u0644", "x" * 100]
    assert [each[0] for each in told_by(*map(row, names))[:-1]] == [
        "Zo\u00eb Q",
        r"a\u202eb\x1b",
        "\u0639\u0644",
        "x" * 59 + "…",
    ]
    assert told_by(wrong("a", text="1\n+\x00" + "2" * 999))[0][3].startswith(r"1 +\x00222")
    assert len(told_by(wrong("a", text="2" * 9_999))[0][3]) < 350


def test_marks_are_bounded() -> None:
    with pytest.raises(RefusedError, match=f"at most 1,000 names and {MOST_COLUMNS} puzzles"):
        marks_of(row(str(at)) for at in range(MOST_NAMES + 1))
    with pytest.raises(RefusedError, match="give the file in parts"):
        marks_of(row("a", f"cards:1.1.{at}=24") for at in range(1, MOST_COLUMNS + 2))


@cache
def of_class(names: int, puzzles: int) -> Marks:
    """Return marks of which each name has one wrong answer."""
    ids = [f"cards:3.{1 + at % 13}.{1 + at // 13}=24" for at in range(puzzles)]
    return marks_of(
        (wrong if at == place else row)(f"<b>{at} & Co</b>", puzzle)
        for at in range(names)
        for place, puzzle in enumerate(ids)
    )


def texts_of(page: Drawing) -> list[Text]:
    return [shape for shape in page.shapes if isinstance(shape, Text)]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("names", "puzzles"), [(1, 1), (12, 6), (60, 30), (3, 100)])
def test_everything_is_on_paper_once_and_within_it(paper: str, names: int, puzzles: int) -> None:
    pages = list(pages_of_marks(of_class(names, puzzles), Sheet(paper=paper, title="Class " * 9)))
    all_within(pages, paper)
    said = [text.text for page in pages for text in texts_of(page)]
    assert said[-1] == f"page {len(pages)} of {len(pages)}"
    assert said.count("3 + 3 + 8 + 8: it makes 22, not 24") == min(names, puzzles)
    # Once in the table for as many puzzles as fit beside one another, and once with what is wrong.
    blocks = -(-puzzles // 13)
    assert sum(told.startswith("<b>0 & Co") for told in said) >= blocks + 1
    assert said.count("Answers: the likeliest solutions") == 1


def all_within(pages: list[Drawing], paper: str) -> None:
    """Hold that pages are as large as a paper, and that every text is within its edges."""
    width, height = PAPERS[paper]
    for page in pages:
        assert (page.width, page.height) == (width, height)
        for text in texts_of(page):
            long = width_of(text.text, text.size, bold=text.bold)
            shift = {"start": 0.0, "middle": long / 2, "end": long}[text.anchor]
            assert 10 < text.x - shift < text.x - shift + long < width - 10
            assert 10 < text.y < height - 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_marks_are_in_a_language_and_in_the_signs_of_its_schools(language: str) -> None:
    sheet = Sheet(paper="a5", language=language)
    found = [row("Ann"), wrong("", text="3+3"), row("Bo", SECOND)]
    marks = marks_of(found, signs_of(sheet))
    pages = list(pages_of_marks(marks, sheet))
    all_within(pages, "a5")
    assert {page.language for page in pages} == {language}
    said = [text.text for page in pages for text in texts_of(page)]
    text = LANGUAGES[language].text
    once = ("marks.key", "marks.wrong", "marks.unsolvable")
    assert [said.count(text(key).replace("\u00a0", " ")) for key in once] == [1, 1, 1]
    several = {"marks.title": len(pages), "marks.nobody": 2, "marks.right": 2}
    assert {key: said.count(text(key)) for key in several} == several
    signs = {"nl": "8 : (3 − 8 : 3)", "en": "8 ÷ (3 − 8 ÷ 3)", "fr": "8 ÷ (3 − 8 ÷ 3)"}
    assert signs.get(language, said[-1]) in said
    # Rows are the same in every language.
    assert "no solution" in [*marks.rows()][-1].values()
    if language != "en":
        english = {str(text) for key, text in ENGLISH.texts.items() if key.startswith("marks.")}
        assert not english & set(said)


def test_what_a_name_has_of_html_is_text() -> None:
    page = "\n".join(html_of(pages_of_marks(of_class(2, 2), Sheet()), "<Marks>"))
    assert "&lt;b&gt;0 &amp; Co&lt;/b&gt;" in page
    assert "<b>" not in page
    assert "<Marks>" not in page
