"""Sheets of every language and paper, in every format; large print, upright numbers, one card."""

import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from crisps24 import GAMES, check
from crisps24.cli.program import main
from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import PAPERS, Drawing, Line, Text, svg_of
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Language
from crisps24.notation.styles import STYLES
from crisps24.paper.papers import SHEET_FORMATS, painted, signs_of
from crisps24.paper.sheets import Sheet, pages_of
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.rows import task_text
from tests.puzzles.flat import flat

EACH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
EACH_PAPER = pytest.mark.parametrize("paper", PAPERS)
# Forty points in millimetres.
FORTY = 40 * 25.4 / 72


@pytest.fixture(scope="module")
def cards() -> Deal:
    return deal("cards", 4, seed=7)


def lettered(page: Drawing) -> list[Text]:
    return [shape for shape in flat(page).shapes if isinstance(shape, Text)]


def squeezed(text: str) -> str:
    """Return a text without what parts its words, which lines and fonts may do in their own way."""
    return re.sub(r"\s", "", text)


def words_on(found: Deal, language: Language) -> list[str]:
    """Return what a sheet with a title and a key has to say."""
    target = found.game.target
    page = [language.text("sheet.page", page=number, count=2) for number in (1, 2)]
    key = language.text("sheet.key_of", title="Title")
    return [
        language.text("sheet.name"),
        language.text("sheet.date"),
        *page,
        key,
        task_text(found.game, target, language=language, style=found[0].style),
    ]


@EACH
@EACH_PAPER
def test_a_sheet_says_all_in_its_language(cards: Deal, language: Language, paper: str) -> None:
    sheet = Sheet(paper=paper, title="Title", name_line=True, language=language.name)
    found = cards.with_style(signs_of(sheet))
    answers = found.answers()
    wanted = [*words_on(found, language), *answers]
    html = b"".join(painted("html", found, sheet, answers)).decode()
    assert f'<html lang="{language.name}">' in html
    bare = squeezed(re.sub("<[^>]+>", "", html))
    svg = b"".join(painted("svg", found, sheet)).decode()
    assert ElementTree.fromstring(svg).get("lang", "en") == language.name
    for each in wanted:
        assert squeezed(each) in bare
    for each in words_on(found, language):
        if each == language.text("sheet.name"):
            assert each in svg


@EACH
def test_a_pdf_says_all_in_its_language(cards: Deal, language: Language) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    sheet = Sheet(title="Title", name_line=True, language=language.name)
    found = cards.with_style(signs_of(sheet))
    answers = found.answers()
    read = pypdf.PdfReader(io.BytesIO(b"".join(painted("pdf", found, sheet, answers))))
    said = squeezed("".join(page.extract_text() for page in read.pages))
    for each in [*words_on(found, language), *answers]:
        assert squeezed(each) in said
    assert read.trailer["/Root"].get("/Lang", "en") == language.name
    fonts = [font for page in read.pages for font in page["/Resources"]["/Font"].values()]
    # Of this machine or of the reader.
    chinese = any("BitstreamVera" not in font.get_object()["/BaseFont"] for font in fonts)
    assert chinese == (language.name == "zh-Hans")


@EACH
def test_answers_are_in_the_signs_of_the_schools_and_are_right(
    cards: Deal, language: Language
) -> None:
    found = cards.with_style(signs_of(Sheet(language=language.name)))
    own = {"/": ":"} if language.style in ("dot", "colon") else {"/": "÷"}
    own |= {"x": "·" if language.style == "dot" else "×", "-": "−"}
    table = str.maketrans(own)
    for puzzle, answer, plain in zip(found, found.answers(), cards.answers(), strict=True):
        assert answer == plain.translate(table)
        assert check(answer, 24, puzzle.hand, puzzle.game).verdict == "right"
        assert puzzle.id == cards[found.puzzles.index(puzzle)].id
    assert found.command == cards.command
    assert cards.with_style("") is cards


def test_a_style_is_asked_for_whatever_the_language_and_has_to_be_of_signs() -> None:
    german = Sheet(language="DE-at")
    assert (german.language, signs_of(german), signs_of(german, "colon")) == ("de", "dot", "colon")
    with pytest.raises(ValueError, match=r"unknown style 'latex' \(expected crisps"):
        signs_of(german, "latex")
    for name, style in STYLES.items():
        assert style.is_typeable == (name not in ("latex", "polish"))


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_large_print_has_figures_of_forty_points(paper: str) -> None:
    for name in ("crisps", "cards", "digits", "make10"):
        found = deal(name, 3, seed=1)
        pages = list(pages_of(found, Sheet(large_print=True, paper=paper, key=False)))
        assert len(pages) == 2
        for page, puzzles in zip(pages, (found[:2], found[2:]), strict=True):
            large = Counter(text.text for text in lettered(page) if text.size >= FORTY)
            wanted = [number for puzzle in puzzles for number in (*puzzle.hand, puzzle.target)]
            assert Counter(map(str, wanted)) <= large
            task = next(text for text in lettered(page) if "24" in text.text or "10" in text.text)
            assert task.size >= 18 * 25.4 / 72


def test_upright_numbers_are_not_turned_and_need_no_line_below() -> None:
    found = deal("cards", 4, seed=7)
    upright = list(pages_of(found, Sheet(upright=True, key=False)))
    assert any(text.turn for page in pages_of(found, Sheet(key=False)) for text in lettered(page))
    assert not any(text.turn for page in upright for text in lettered(page))
    card = card_of((6, 9, 16, 4), 24)
    turned = [shape for shape in card.shapes if isinstance(shape, Line) and shape.line == 0.4]
    assert len(turned) == 3
    card = card_of((6, 9, 16, 4), 24, upright=True)
    assert not [shape for shape in card.shapes if isinstance(shape, Line) and shape.line == 0.4]


def test_without_dots_no_level_is_told() -> None:
    found = deal("cards", 2, seed=7)
    for dots in (True, False):
        [page] = pages_of(found, Sheet(dots=dots, key=False))
        assert ("#1b6e33" in svg_of(page)) == dots


def test_on_small_paper_there_are_fewer() -> None:
    assert Sheet(paper="a5").on_page(12) == 6
    assert Sheet(paper="a5", per_page=12).on_page(12) == 12
    assert Sheet(large_print=True).on_page(12) == 2


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["sheet", *words])
        return status, *capsys.readouterr()

    return run


def test_one_card_alone_is_its_drawing(run: Run) -> None:
    puzzle = deal("cards", 1, seed=7)[0]
    words = ["cards", "--seed", "7", "--paper", "card", "--out", "card.svg"]
    assert run(*words)[0] == 0
    drawn = card_of(puzzle.hand, puzzle.target, puzzle.level)
    assert Path("card.svg").read_text() == f"{svg_of(drawn)}\n"
    assert run(*words, "--no-dots", "--upright", "--language", "nl")[0] == 0
    nl = LANGUAGES["nl"]
    drawn = card_of(puzzle.hand, puzzle.target, upright=True, language=nl)
    assert Path("card.svg").read_text() == f"{svg_of(drawn)}\n"
    assert "<title>maak 24 met 1, 6, 6 en 12</title>" in svg_of(drawn)
    assert run(*words[:-1], "card.html")[0] == 0


def test_a_png_is_a_picture_of_the_drawing(run: Run) -> None:
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")
    from matplotlib.image import imread

    for game, paper in (("krypto", "a5"), ("cards", "card")):
        words = [game, "--seed", "7", "--paper", paper, "--out", "card.png"]
        assert run(*words)[0] == 0
        picture = imread("card.png")
        wide, high = PAPERS.get(paper, (60, 60))
        assert abs(picture.shape[1] - wide / 25.4 * 300) <= 1
        assert abs(picture.shape[0] - high / 25.4 * 300) <= 1
        # Ink is where the target is, and none in the corner.
        ink = 1 - picture[..., :3].min(axis=2)
        assert ink[:5, :5].max() < 0.02
        assert 0.005 < ink.mean() < 0.2
    again = Path("card.png").read_bytes()
    assert run(*words)[0] == 0
    assert Path("card.png").read_bytes() == again


REFUSED: list[tuple[list[str], str]] = [
    (["--language", "xx", "--out", "a.svg"], "unknown language 'xx' (expected en (English), nl"),
    (["--language", "nl"], "Missing option '--out'"),
    (["--out", "a.csv"], "use crisps24 deal cards --seed 1 --out a.csv"),
    (
        ["--style", "latex", "--out", "a.svg"],
        "unknown style 'latex' (expected crisps",
    ),
    (["--paper", "card", "--count", "2", "--out", "a.svg"], "a single card is one puzzle, not 2"),
    (["--paper", "card", "--title", "a", "--out", "a.svg"], "a single card is not a page"),
    (["--count", "13", "--out", "a.png"], "13 puzzles take 2 pages, and a .png has one: put"),
    (["--count", "20", "--out", "a.png"], "a .png has one: put up to 20 on a page, or write .pdf"),
    (["--count", "21", "--out", "a.png"], "a .png has one: ask for fewer, or write .pdf"),
    (["--language", "zh", "--out", "a.png"], "the font of a .png has no letter"),
    (["--title", "数", "--out", "a.png"], "the font of a .png has no letter '数' (U+6570)"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED)
def test_what_is_no_sheet_is_refused_in_one_line(run: Run, words: list[str], told: str) -> None:
    if "a.png" in words:
        pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")
    status, out, err = run("cards", "--seed", "1", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert list(Path().iterdir()) == []


def test_a_style_is_that_of_answers_in_rows_and_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        return main(["deal", "cards", "--seed", "7", "--count", "2", *words]), *capsys.readouterr()

    assert "8 × (2 + 4 : 4)" in run("--style", "colon", "--answers")[1]
    assert '"answer": "8 · (2 + 4 : 4)"' in run("--style", "dot", "--format", "jsonl")[1]
    status, out, err = run("--style", "dot")
    assert (status, out) == (2, "")
    assert "--style sets the signs of solutions: add --answers" in err
    assert run("--style", "ascii", "--out", "a.csv")[0] == 0
    assert "8 * (2 + 4 / 4)" in Path("a.csv").read_text()


def test_the_help_lists_the_papers_that_there_are(run: Run) -> None:
    told = " ".join(run("--help")[1].split())
    assert f"{', '.join(PAPERS)}; or card: a single card" in told
    assert set(LANGUAGES) <= set(re.findall(r"[\w-]+", told))


def test_a_deal_of_other_games_is_written_in_a_style_as_well() -> None:
    game: Any = replace(GAMES["cards"], length=3)
    found = deal(game, 2, seed=7).with_style("unicode")
    assert {puzzle.style for puzzle in found} == {"unicode"}
    assert [puzzle.level for puzzle in found] == [puzzle.level for puzzle in deal(game, 2, seed=7)]
    assert "png" in SHEET_FORMATS
