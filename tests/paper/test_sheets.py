"""Sheets: all puzzles and answers are on paper, nothing overlaps, and what is no sheet is told."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, check
from crisps24.about import __version__
from crisps24.cli.program import main
from crisps24.drawing.drawings import (
    PAPERS,
    Circle,
    Drawing,
    Group,
    Line,
    Rectangle,
    Shape,
    Text,
    html_of,
    svg_of,
)
from crisps24.drawing.lettering import width_of, wrapped
from crisps24.messages.languages import LANGUAGES
from crisps24.output.tables import TABLE_FORMATS
from crisps24.paper.papers import SHEET_FORMATS, signs_of
from crisps24.paper.quizzes import questions
from crisps24.paper.sheets import PER_PAGE, Sheet, _balanced, pages_of
from crisps24.puzzle import PUZZLE_FIELDS
from crisps24.puzzles.conditions import Conditions, deal_command
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.draws import VERSION
from crisps24.puzzles.rows import task_text
from crisps24.rules.games import Game
from tests.puzzles.flat import flat

TOP = Path(__file__).parents[2]
LONG = "Twenty-four: puzzles of four cards for both classes of the fifth form, " * 3
TITLES = ["", "Make 24", LONG[:200], "W" * 200, "Markup: <b>&amp;\"'</text><script>x</script>"]
DEALT = [name for name in GAMES if name != "game24"]
MARGIN = 11.5


@pytest.fixture
def _reportlab() -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str, command: str = "sheet") -> tuple[int, str, str]:
        status = main([command, *words])
        return status, *capsys.readouterr()

    return run


def laid_out(found: Deal, sheet: Sheet) -> list[Drawing]:
    pages = pages_of(found, sheet, found.answers() if sheet.key else ())
    return [flat(page) for page in pages]


def texts(page: Drawing) -> list[str]:
    return [shape.text for shape in page.shapes if isinstance(shape, Text)]


def extent(shape: Shape) -> tuple[float, float, float, float]:
    """Return what a shape takes of the page: left, top, right, bottom."""
    match shape:
        case Circle():
            r = shape.radius
            return shape.x - r, shape.y - r, shape.x + r, shape.y + r
        case Rectangle():
            return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
        case Line():
            xs, ys = sorted([shape.x, shape.to_x]), sorted([shape.y, shape.to_y])
            return xs[0], ys[0], xs[1], ys[1]
        case Group():
            raise TypeError(shape)
        case Text():
            wide, high = width_of(shape.text, shape.size, bold=shape.bold), 0.73 * shape.size
            left = shape.x - wide * {"start": 0, "middle": 0.5, "end": 1}[shape.anchor]
            if shape.turn % 180:
                wide, high = high, wide
                left = shape.x - wide / 2
            return left, shape.y - high / 2, left + wide, shape.y + high / 2


def sheet_of(large_print: bool, per_page: int | None, **asked: Any) -> Sheet:
    return Sheet(large_print=large_print, per_page=None if large_print else per_page, **asked)


sheets = st.builds(
    sheet_of,
    paper=st.sampled_from(list(PAPERS)),
    per_page=st.sampled_from([None, *PER_PAGE]),
    title=st.sampled_from(TITLES),
    name_line=st.booleans(),
    cut_lines=st.booleans(),
    key=st.booleans(),
    dots=st.booleans(),
    upright=st.booleans(),
    large_print=st.booleans(),
    language=st.sampled_from(list(LANGUAGES)),
)


@cache
def a_few(name: str, closest: bool) -> tuple[Deal, list[str]]:
    found = deal(name, 3, seed=3, conditions=Conditions(closest=closest))
    return found, found.answers()


# An answer is wider than the page in letters of that size.
@example(Sheet(paper="a5", large_print=True), "numble", 1, False)
@given(sheets, st.sampled_from(DEALT), st.integers(1, 25), st.booleans())
@settings(max_examples=40)
def test_whatever_is_asked_everything_lies_on_the_page_and_no_text_on_another(
    sheet: Sheet, name: str, count: int, closest: bool
) -> None:
    few, answers = a_few(name, closest)
    found = replace(few, puzzles=tuple(islice(cycle(few), count)))
    key = list(islice(cycle(answers), count)) if sheet.key else ()
    pages = [flat(page) for page in pages_of(found, sheet, key)]
    cards = pages[: sheet.pages(count)]
    assert (len(pages) > len(cards)) == sheet.key
    for place, page in enumerate(pages, 1):
        assert (page.width, page.height) == PAPERS[sheet.paper]
        for shape in page.shapes:
            left, top, right, bottom = extent(shape)
            assert MARGIN <= left <= right <= page.width - MARGIN
            assert MARGIN <= top <= bottom <= page.height - MARGIN
        lettered = [extent(shape) for shape in page.shapes if isinstance(shape, Text)]
        for one, other in combinations(lettered, 2):
            across = min(one[2], other[2]) - max(one[0], other[0])
            down = min(one[3], other[3]) - max(one[1], other[1])
            assert across <= 0.01 or down <= 0.01
        told = texts(page)
        assert sheet.words.text("sheet.page", page=place, count=len(pages)) in told
        assert found.command in " ".join(told)
    on_cards = Counter(text for page in cards for text in texts(page))
    wanted = Counter(str(number) for puzzle in found for number in puzzle.hand)
    wanted.update(str(puzzle.target) for puzzle in found)
    wanted.update(str(number) for number in range(1, count + 1))
    assert wanted <= on_cards
    dots = [
        shape
        for page in cards
        for shape in page.shapes
        if isinstance(shape, Circle) and not shape.line
    ]
    # Where one cannot be made it is not to be told from the others.
    graded = sheet.dots and all(puzzle.best == puzzle.target for puzzle in found)
    assert len(dots) == sum(puzzle.level or 0 for puzzle in found if graded)


@given(st.sampled_from(DEALT), st.integers(0, 99), st.booleans())
@settings(max_examples=15)
def test_every_answer_of_the_key_is_right(name: str, seed: int, closest: bool) -> None:
    found = deal(name, 6, seed=seed, conditions=Conditions(closest=closest))
    [page] = laid_out(found, Sheet(per_page=1))[6:]
    told = texts(page)
    for number, puzzle in enumerate(found, 1):
        at = told.index(str(number), 1)
        assert told[at + 1] == " ".join(map(str, puzzle.hand))
        answer, _, nearest = told[at + 2].partition(", the nearest to ")
        assert check(answer, puzzle.best, puzzle.hand, puzzle.game).verdict == "right"
        assert nearest == ("" if puzzle.best == puzzle.target else str(puzzle.target))


def test_a_key_of_many_pages_has_every_answer_once() -> None:
    found = deal("cards", 200, seed=7)
    pages = laid_out(found, Sheet())
    assert len(pages) == 17 + 3
    told = Counter(text for page in pages[17:] for text in texts(page))
    assert Counter(f"{answer} = 24" for answer in found.answers()) <= told
    assert all(told[str(number)] >= 1 for number in range(1, 201))


def test_what_a_game_has_of_its_own_is_told_at_the_foot_as_far_as_there_is_room() -> None:
    odd = replace(GAMES["cards"], numbers=tuple(range(1, 1500, 2)))
    command = deal_command(odd, 1, 1, Conditions())
    assert len(command) > 3000
    [page] = pages_of(Deal(deal("cards", 1, seed=1).puzzles, odd, 1, command), Sheet(key=False))
    foot = [shape for shape in page.shapes if isinstance(shape, Text)][-5:]
    assert foot[-1].text == "page 1 of 1"
    assert foot[0].text.startswith("crisps24 deal cards --count 1 --seed 1")
    assert foot[3].text.endswith("…")


MAKE = "To make the bold number, use"
# So few that all hands are graded soon.
FEW = {"numbers": (1, 2, 3, 4, 6, 8)}
TOLD = [
    ("crisps", {}, "Use all 4 numbers once each, with + − × ÷ but no brackets, to make 24."),
    ("crisps", {}, "Every result must be a whole number, zero or more."),
    ("cards", {}, "Fractions and negative numbers are allowed on the way."),
    (
        "cards",
        FEW | {"zero": False},
        "Fractions and negative numbers are allowed on the way, but not zero.",
    ),
    (
        "cards",
        FEW | {"fractions": False},
        "Negative numbers are allowed on the way, but not fractions.",
    ),
    (
        "cards",
        FEW | {"negatives": False},
        "Fractions are allowed on the way, but not negative numbers.",
    ),
    (
        "cards",
        FEW | {"negatives": False, "zero": False},
        "on the way, but not negative numbers or zero.",
    ),
    (
        "cards",
        {"operators": ("-", "+")},
        "Use all 4 numbers once each, with + − and brackets, to make 24.",
    ),
    (
        "numble",
        {},
        f"{MAKE} any of the 6 other numbers, at most once each, with + − × ÷ and brackets.",
    ),
    ("numble", {}, "Every result must be a whole number, zero or more."),
    (
        "countdown",
        {},
        f"{MAKE} any of the 6 other numbers, at most once each, with + − × ÷ and brackets.",
    ),
    ("countdown", {}, "Every result must be a whole number greater than zero."),
    ("krypto", {}, f"{MAKE} all 5 other numbers once each, with + − × ÷ and brackets."),
    ("make10", {"join": True}, "You can join digits: 1 and 2 make 12."),
]


@pytest.mark.parametrize(("name", "rules", "told"), TOLD)
def test_the_task_stands_above_the_cards_in_one_line_or_two(
    name: str, rules: dict[str, Any], told: str
) -> None:
    found = deal(replace(GAMES[name], **rules), 3, seed=1).with_style(signs_of(Sheet()))
    for sheet in (Sheet(), Sheet(paper="letter", title="Make 24", name_line=True, cut_lines=True)):
        page, key = laid_out(found, sheet)
        assert told in " ".join(texts(page))
        assert told not in " ".join(texts(key))
        cards = [each for each in page.shapes if isinstance(each, Circle | Rectangle)]
        top = min(extent(each)[1] for each in cards)
        lettered = [each for each in page.shapes if isinstance(each, Text)]
        lines = [each for each in lettered if extent(each)[3] < top and each.size < 3.9]
        assert told in " ".join(line.text for line in lines)
        # Few letters are wider than others: the second line is not a rest of one word.
        assert len(lines) == 1 or (len(lines) == 2 and lines[0].size >= 3.2)
        assert len(lines[-1].text) > 40


GAMES_OF_SIGNS = [*(GAMES[name] for name in DEALT), replace(GAMES["cards"], operators=("+", "x"))]


@pytest.mark.parametrize(
    "game", GAMES_OF_SIGNS, ids=lambda game: f"{game.name}{len(game.operators)}"
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_is_broken_between_signs(game: Game, language: str) -> None:
    style = signs_of(Sheet(language=language))
    task = task_text(game, language=LANGUAGES[language], style=style)
    [signs] = re.findall(r"[-+−×÷·:x/](?:\u00a0[-+−×÷·:x/])+", task)
    assert len(signs.split("\u00a0")) >= len(game.operators)
    broken = 0
    least = width_of(f"{signs}.", 1)
    for width in range(int(least) + 1, 90):
        for lines in (wrapped(task, 1, width), _balanced(task, 1, width, 3)):
            assert "".join(" ".join(lines).split()) == "".join(task.split())
            assert any(signs.replace("\u00a0", " ") in line for line in lines), (width, lines)
            broken += len(lines) > 2
    assert broken > 20


def test_english_paper_has_signs_of_schools_unless_a_style_is_asked_for(
    tmp_path: Path, run: Run
) -> None:
    found = deal("cards", 9, seed=1)
    path = tmp_path / "a.html"
    for options, style in ([], "unicode"), (["--style", "cards"], "cards"):
        words = ["cards", "--seed", "1", "--count", "9", "--out", str(path), *options]
        assert run(*words)[0] == 0
        told = path.read_text()
        assert ("with + − × ÷ and" if style == "unicode" else "with + - x / and") in told
        answers = found.with_style(style).answers()
        assert all(f">{answer} = 24<" in told for answer in answers)
        assert any(sign in "".join(answers) for sign in "÷/")
    # A command that shows rows keeps the signs of its game.
    assert " x " in run("cards", "--seed", "1", "--count", "9", "--answers", command="deal")[1]


def test_a_game_with_optional_numbers_has_each_at_most_once() -> None:
    for name in ("countdown", "numble"):
        for counted in (True, False):
            assert "at most once each, with" in task_text(GAMES[name], counted=counted)
            assert "at most once each, with" in task_text(GAMES[name], 7, counted=counted)
    [question] = questions(deal(replace(GAMES["cards"], all_numbers=False), seed=7), ["hand"])
    assert "at most once each, with" in question.text
    assert "numbers once each, with" in task_text(GAMES["cards"])
    for language, most in MOST_ONCE.items():
        assert most in task_text(GAMES["countdown"], language=LANGUAGES[language])
        assert most not in task_text(GAMES["cards"], language=LANGUAGES[language])


MOST_ONCE = {
    "en": "at most once each",
    "nl": "elk hooguit één keer",
    "es": "cada uno una vez como máximo",
    "de": "jede höchstens einmal",
    "fr": "chacun une fois au plus",
    "zh-Hans": "每个数最多用一次",
}


def test_that_a_target_may_only_be_approached_is_said_where_it_is_so() -> None:
    asked = Conditions(closest=True, large=0)
    found = deal("countdown", 4, seed=1, targets=range(900, 1000), conditions=asked)
    assert any(puzzle.best != puzzle.target for puzzle in found)
    near = "If that is not possible, get as close as you can."
    assert near in " ".join(texts(laid_out(found, Sheet())[0]))
    assert near not in " ".join(texts(laid_out(deal("countdown", 2, seed=1), Sheet())[0]))


def test_lines_to_write_on_or_to_cut_by() -> None:
    found = deal("cards", 12, seed=7)

    def lines(sheet: Sheet, dashed: bool) -> int:
        [page] = laid_out(found, sheet)
        every = [shape for shape in page.shapes if isinstance(shape, Line) and shape.line == 0.2]
        return sum(bool(line.dash) == dashed for line in every)

    for_class, to_cut = Sheet(key=False), Sheet(key=False, cut_lines=True)
    assert lines(for_class, dashed=False) >= 12
    assert lines(for_class, dashed=True) == 0
    # Three across and four down.
    assert lines(to_cut, dashed=True) == 4 + 5
    assert lines(to_cut, dashed=False) == 0


def test_name_and_date_stand_on_lines_of_their_own() -> None:
    [page] = laid_out(deal("cards", 4, seed=7), Sheet(name_line=True, key=False, per_page=4))
    texts = {shape.text: shape for shape in page.shapes if isinstance(shape, Text)}
    told = [texts["Name"], texts["Date"]]
    lines = [shape for shape in page.shapes if isinstance(shape, Line)][:2]
    for text, line in zip(told, lines, strict=True):
        assert text.x < line.x < line.to_x
        assert text.y < line.y == line.to_y
    assert lines[0].to_x < told[1].x


@pytest.mark.parametrize(("length", "least"), [(2, 1), (4, 1), (6, 2)])
def test_there_is_a_line_to_write_on_for_each_three_numbers(length: int, least: int) -> None:
    game = replace(GAMES["cards"], numbers=(1, 2, 3, 4, 6), length=length)
    found = deal(game, 20, seed=7, target=6, conditions=Conditions(repeat=True))
    for count in PER_PAGE:
        [page] = laid_out(replace(found, puzzles=found[:count]), Sheet(key=False, per_page=count))
        lines = [shape for shape in page.shapes if isinstance(shape, Line) and shape.line == 0.2]
        assert len(lines) >= least * count


@pytest.mark.parametrize("title", TITLES)
def test_svg_and_html_of_a_sheet_are_whole_and_need_nothing_from_the_network(title: str) -> None:
    found = deal("countdown", 3, seed=7)
    pages = list(pages_of(found, Sheet(title=title, name_line=True), found.answers()))
    for page in pages:
        root = ElementTree.fromstring(svg_of(page))
        assert [each.text for each in root.iter() if each.tag.endswith("text")] == texts(flat(page))
    made = "\n".join(html_of(pages, title))
    assert made.count("<script") == 1
    assert set(re.findall(r"\w+://[^\"' ]+", made)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(?i)url\(|@import|<[^>]*\s(src|href)=", made)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"paper": "a6"}, "unknown paper 'a6' (expected a4, a5, letter, card)"),
    ({"paper": "x" * 10**6}, f"unknown paper '{'x' * 40}…' (expected a4, a5, letter, card)"),
    ({"paper": "card", "title": "a"}, "a single card is not a page: leave this out: Title"),
    (
        {"paper": "card", "large_print": True},
        "a single card is not a page: leave this out: Large print, two puzzles per page",
    ),
    ({"large_print": True, "per_page": 4}, "large print has 2 puzzles on a page, not 4"),
    ({"per_page": 0}, "cannot put 0 puzzles on a page (expected 1, 2, 4, 6, 9, 12, 20)"),
    (
        {"per_page": 10**7},
        "cannot put 10,000,000 puzzles on a page (expected 1, 2, 4, 6, 9, 12, 20)",
    ),
    ({"title": "x" * 10**6}, "Title: the text is too long (at most 200 characters)"),
    ({"title": "a\x1b[2J"}, "the character \\x1b cannot be printed: leave it out"),
    ({"title": "a\u202eb"}, "the character \\u202e cannot be printed: leave it out"),
]


@pytest.mark.parametrize(("asked", "told"), WRONG)
def test_what_is_no_sheet_is_told(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        Sheet(**asked)


def read_back(path: Path) -> list[str]:
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


FOOT = f"drawing {VERSION}, crisps24 {__version__})"


@pytest.mark.usefixtures("_reportlab")
@pytest.mark.parametrize("name", DEALT)
def test_a_pdf_has_every_hand_target_and_answer(tmp_path: Path, run: Run, name: str) -> None:
    words = [name, "--count", "7", "--seed", "5", "--title", "For 5B <b>", "--name-line"]
    path = tmp_path / "sheet.pdf"
    command = f"crisps24 deal {name} --count 7 --seed 5"
    told = f"{path}\ndrawing {VERSION}: {command}\n"
    assert run(*words, "--per-page", "6", "--out", str(path)) == (0, told, "")
    pages = read_back(path)
    assert len(pages) == 2 + 1
    for number, page in enumerate(pages, 1):
        flat = " ".join(page.split())
        assert command in flat
        assert FOOT in flat
        assert f"page {number} of 3" in flat
        assert "For 5B <b>" in flat
    found = deal(name, 7, seed=5)
    wanted = Counter(str(number) for puzzle in found for number in puzzle.hand)
    wanted.update(str(puzzle.target) for puzzle in found)
    assert wanted <= Counter(" ".join(pages[:2]).split())
    answers = found.with_style("unicode").answers()
    for puzzle, answer in zip(found, answers, strict=True):
        assert f"{answer} = {puzzle.target}" in pages[2]
        assert " ".join(map(str, puzzle.hand)) in pages[2]


@pytest.mark.usefixtures("_reportlab")
def test_the_same_pdf_is_made_again_over_what_was_there(tmp_path: Path, run: Run) -> None:
    path, again = tmp_path / "sheet.pdf", tmp_path / "again.PDF"
    again.write_bytes(b"")
    for place in (path, again):
        status, out, err = run("crisps", "--count", "15", "--seed", "5", "--out", str(place))
        assert (status, out.splitlines()[0]) == (0, str(place))
        assert err == ("" if place is path else f"warning: {again} existed and is overwritten\n")
    assert len(read_back(path)) == 2 + 1
    assert again.read_bytes() == path.read_bytes()
    assert sorted(tmp_path.iterdir()) == [again, path]


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_rows_in_a_file_are_those_of_the_screen(tmp_path: Path, run: Run, form: str) -> None:
    words = ["countdown", "--count", "5", "--seed", "5", "--operators=+-x"]
    path = tmp_path / f"rows.{form}"
    assert run(*words, "--out", str(path), command="deal")[0] == 0
    status, out, _ = run(*words, "--format", form, command="deal")
    assert (status, out) == (0, path.read_bytes().decode())
    if form == "jsonl":
        row = json.loads(out.splitlines()[0])
        assert tuple(row) == PUZZLE_FIELDS


def test_the_key_can_be_left_out_and_an_svg_has_none(tmp_path: Path, run: Run) -> None:
    svg, html = tmp_path / "sheet.svg", tmp_path / "sheet.html"
    assert run("cards", "--count", "3", "--seed", "1", "--out", str(svg))[0] == 0
    root = ElementTree.fromstring(svg.read_bytes())
    assert "page 1 of 1" in [each.text for each in root]
    assert run("cards", "--count", "3", "--seed", "1", "--out", str(html))[0] == 0
    assert html.read_text().count("<svg") == 2
    assert run("cards", "--count", "3", "--seed", "1", "--no-key", "--out", str(html))[0] == 0
    assert html.read_text().count("<svg") == 1
    assert svg.read_text() in html.read_text()


REFUSED = [
    (["--per-page", "2"], "Missing option '--out'"),
    (["--out", "a.csv"], "use crisps24 deal cards --seed 1 --out a.csv"),
    (["--out", "a.pdf", "--format", "csv"], "No such option '--format'"),
    (["--out", "a.doc"], ".pdf, .svg, .png, .html"),
    (["--out", "pdf"], ".pdf, .svg, .png, .html"),
    (["--out", "a.svg", "--class", "a.json"], "--class a.json: "),
    (["--out", "a.html", "--class", "a.html"], "--class a.html: the suffix sets the format"),
    (["--out", "a.svg", "--class", "nowhere/a.csv"], "nowhere: no such folder"),
    (["--out", "nowhere/a.svg", "--class", "a.csv"], "nowhere: no such folder"),
    (
        ["--out", "a.html", "--class", "a.csv", "--count", "101"],
        "mark takes at most 100 puzzles, not 101",
    ),
    (["--out", "nowhere/a.svg"], "nowhere: no such folder"),
    (["--out", "a.svg", "--count", "13"], "13 puzzles take 2 pages, and an .svg has one: put"),
    (["--out", "a.svg", "--count", "21"], "21 puzzles take 2 pages, and an .svg has one: ask"),
    (["--out", "a.html", "--per-page", "0"], "cannot put 0 puzzles on a page"),
    (["--out", "a.html", "--per-page", "x"], "'x' is not a valid integer"),
    (["--out", "a.html", "--title", "\x1b[2J"], r"the character \x1b cannot be printed"),
    (["--out", "a.html", "--title", "x" * 10**6], "Title: the text is too long"),
    (["--out", "a.html", "--count", "10000000"], "expected 1 to 100,000"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED)
def test_what_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, words: Sequence[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run("cards", "--seed", "1", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert len(err) < 300
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_reportlab")
def test_a_title_is_composed_and_its_spaces_are_spaces(tmp_path: Path, run: Run) -> None:
    apart = "L\u2019e\u0301te\u0301\u00a0! A\u030a"
    assert Sheet(title=apart).title == Sheet(title="L\u2019été ! Å").title
    for form in ("svg", "html", "pdf"):
        words = ["cards", "--seed", "1", "--out", str(tmp_path / f"a.{form}"), "--title", apart]
        assert run(*words)[0] == 0
    assert ">L\u2019été ! Å<" in (tmp_path / "a.svg").read_text()


@pytest.mark.usefixtures("_reportlab")
def test_a_title_that_the_font_lacks_is_refused_on_pdf_alone(tmp_path: Path, run: Run) -> None:
    words = ["cards", "--seed", "1", "--title", "ماتيكا", "--out"]
    status, out, err = run(*words, str(tmp_path / "a.pdf"))
    assert (status, out, list(tmp_path.iterdir())) == (2, "", [])
    assert "the letter 'م' (U+0645) is not in the fonts of a PDF" in err
    assert run(*words, str(tmp_path / "a.html"))[0] == 0


# One process for all forms, each of which is told.
DEALING = """
import sys
from crisps24.cli.program import main
for form in sys.argv[1:]:
    command = "sheet" if form in ("pdf", "html", "svg", "png") else "deal"
    assert main([command, "crisps", "--count", "9", "--out", f"a.{form}"]) == 2
sys.exit(2)
"""


def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="no such limits there")
    # A .png is written as they are, and takes long to begin.
    forms = [*(form for form in SHEET_FORMATS if form != "png"), *TABLE_FORMATS]
    if find_spec("reportlab") is None:
        forms.remove("pdf")
    # Without bytecode, which Python would cut off and keep.
    done = subprocess.run(
        [sys.executable, "-B", "-c", DEALING, *forms],
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "".join(f"crisps24: a.{form}: File too large\n" for form in forms)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_place_that_is_no_file_is_told(tmp_path: Path, run: Run) -> None:
    (tmp_path / "full.svg").symlink_to("/dev/full")
    (tmp_path / "folder.svg").mkdir()
    for name in ("full.svg", "folder.svg"):
        status, out, err = run("cards", "--seed", "1", "--out", str(tmp_path / name))
        assert (status, out) == (2, "")
        assert "not a regular file" in err
    assert len(list(tmp_path.iterdir())) == 2


@pytest.fixture
def told() -> list[str]:
    """Give the words of the command that made the sheet of results/, as both READMEs have them."""
    texts = [(folder / "README.md").read_text() for folder in (TOP, TOP / "results")]
    here, there = (re.findall(r"crisps24 (sheet .*--out cards\.pdf)", text) for text in texts)
    [line] = here
    assert here == there
    return shlex.split(line)


@pytest.mark.usefixtures("_reportlab")
def test_the_sheet_of_the_results_is_made_by_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(told) == 0
    shown = TOP / "results" / "cards.pdf"
    if "CRISPS24_UPDATE_README" in os.environ:
        shown.write_bytes(Path("cards.pdf").read_bytes())

    def pages(path: Path) -> list[str]:
        # Made by whichever version was last to change it.
        return [re.sub(r"crisps24 [0-9][^)]*\)", "", page) for page in read_back(path)]

    assert pages(Path("cards.pdf")) == pages(shown)
