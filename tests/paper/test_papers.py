"""Test sheets in all languages, papers and formats: large print, upright numbers, single cards."""

import io
import os
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crisps24 import GAMES
from crisps24.about import __version__
from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import PAPERS, Drawing, Group, Line, Text, svg_of
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Language
from crisps24.notation.styles import STYLES
from crisps24.output.tables import TABLE_FORMATS
from crisps24.paper.papers import SHEET_FORMATS, Version, render_versions, sheet_style
from crisps24.paper.sheets import Sheet, sheet_pages
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.rows import task_text
from tests.commands import Run
from tests.languages import IN_SOME_LANGUAGES
from tests.puzzles.flat import flat
from tests.sampling import some

# Forty points in millimetres.
FORTY_POINTS = 40 * 25.4 / 72
TOP = Path(__file__).parents[2]
DEALT_GAMES = [name for name in GAMES if name != "game24"]


def texts_on(page: Drawing) -> list[Text]:
    return [shape for shape in flat(page).shapes if isinstance(shape, Text)]


def without_spaces(text: str) -> str:
    """Return a text without white space, which differs between file formats."""
    return re.sub(r"\s", "", text)


def expected_texts(puzzles: Deal, language: Language) -> list[str]:
    return [
        *map(language.text, ("sheet.name", "sheet.date")),
        *(language.text("sheet.page", page=number, count=2) for number in (1, 2)),
        language.text("sheet.key_of", title="Title"),
        task_text(puzzles.game, puzzles.game.target, language=language, style=puzzles[0].style),
    ]


@IN_SOME_LANGUAGES
@pytest.mark.parametrize("paper", PAPERS)
def test_a_sheet_is_in_its_language(language: Language, paper: str) -> None:
    sheet = Sheet(paper=paper, title="Title", name_line=True, language=language.name)
    puzzles = deal("cards", 4, seed=7).with_style(sheet_style(sheet))
    answers = puzzles.answers()
    wanted = [*expected_texts(puzzles, language), *answers]
    version = Version(puzzles, sheet, lambda: answers)
    html = b"".join(render_versions("html", [version])).decode()
    assert f'<html lang="{language.name}">' in html
    html_text = without_spaces(re.sub("<[^>]+>", "", html))
    for text in wanted:
        assert without_spaces(text) in html_text
    svg = b"".join(render_versions("svg", [version])).decode()
    assert ElementTree.fromstring(svg).get("lang", "en") == language.name
    assert language.text("sheet.name") in svg


@IN_SOME_LANGUAGES
def test_a_pdf_is_in_its_language(language: Language) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    sheet = Sheet(title="Title", name_line=True, language=language.name)
    puzzles = deal("cards", 4, seed=7).with_style(sheet_style(sheet))
    answers = puzzles.answers()
    pdf = b"".join(render_versions("pdf", [Version(puzzles, sheet, lambda: answers)]))
    read = pypdf.PdfReader(io.BytesIO(pdf))
    page_text = without_spaces("".join(page.extract_text() for page in read.pages))
    for text in [*expected_texts(puzzles, language), *answers]:
        assert without_spaces(text) in page_text
    assert read.trailer["/Root"].get("/Lang", "en") == language.name
    fonts = [font for page in read.pages for font in page["/Resources"]["/Font"].values()]
    # Of this machine or of the reader.
    chinese = any("BitstreamVera" not in font.get_object()["/BaseFont"] for font in fonts)
    assert chinese == (language.name == "zh-Hans")


def test_a_style_replaces_that_of_the_language_if_it_can_be_typed() -> None:
    german = Sheet(language="DE-at")
    styles = (sheet_style(german), sheet_style(german, "colon"))
    assert (german.language, *styles) == ("de", "dot", "colon")
    with pytest.raises(ValueError, match=r"unknown style 'latex' \(expected crisps"):
        sheet_style(german, "latex")
    for name, style in STYLES.items():
        assert style.is_typeable == (name not in ("latex", "polish"))


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_large_print_has_figures_of_forty_points(paper: str) -> None:
    for name in ("crisps", "cards", "digits", "make10"):
        puzzles = deal(name, 3, seed=1)
        pages = list(sheet_pages(puzzles, Sheet(large_print=True, paper=paper, key=False)))
        assert len(pages) == 2
        for page, on_page in zip(pages, (puzzles[:2], puzzles[2:]), strict=True):
            large = Counter(text.text for text in texts_on(page) if text.size >= FORTY_POINTS)
            wanted = [number for puzzle in on_page for number in (*puzzle.hand, puzzle.target)]
            assert Counter(map(str, wanted)) <= large
            task = next(text for text in texts_on(page) if "24" in text.text or "10" in text.text)
            assert task.size >= 18 * 25.4 / 72
            assert not any(text.turn for text in texts_on(page))


def test_upright_numbers_are_not_turned_or_underlined() -> None:
    puzzles = deal("cards", 4, seed=7)
    upright = list(sheet_pages(puzzles, Sheet(upright=True, key=False)))
    pages = sheet_pages(puzzles, Sheet(key=False))
    assert any(text.turn for page in pages for text in texts_on(page))
    assert not any(text.turn for page in upright for text in texts_on(page))
    for is_upright in (False, True):
        shapes = card_of((6, 9, 16, 4), 24, upright=is_upright).shapes
        turned = [each for each in shapes if isinstance(each, Line) and each.line == 0.4]
        assert len(turned) == (0 if is_upright else 3)


def test_small_paper_and_large_print_have_fewer_puzzles_per_page() -> None:
    assert Sheet(paper="a5").puzzles_on_page(12) == 6
    assert Sheet(paper="a5", per_page=12).puzzles_on_page(12) == 12
    assert Sheet(large_print=True).puzzles_on_page(12) == 2


@pytest.mark.parametrize(("paper", "times"), [("a3", 1.41), ("poster", 2.83)])
def test_wide_paper_is_a4_enlarged(paper: str, times: float) -> None:
    puzzles = deal("cards", 3, seed=1)
    pages = [*sheet_pages(puzzles, Sheet(paper=paper, title="Week"))]
    assert len(pages) == 2
    for page, plain in zip(pages, sheet_pages(puzzles, Sheet(title="Week")), strict=True):
        assert (page.width, page.height) == PAPERS[paper]
        [group] = page.shapes
        assert isinstance(group, Group)
        assert group.scale == pytest.approx(times, abs=0.01)
        titles = [one.shapes[0] for one in (group, plain)]
        assert titles[0] == titles[1]


def test_a_single_card_is_its_drawing(run: Run) -> None:
    [puzzle] = deal("cards", 1, seed=7)
    plain = card_of(puzzle.hand, puzzle.target, puzzle.level)
    dutch = card_of(puzzle.hand, puzzle.target, upright=True, language=LANGUAGES["nl"])
    for options, drawn in (("", plain), ("--no-dots --upright --language nl", dutch)):
        assert run(f"sheet cards --seed 7 --paper card --out card.svg {options}").status == 0
        assert Path("card.svg").read_text() == f"{svg_of(drawn)}\n"
    assert "<title>maak 24 met 1, 3, 4 en 13</title>" in svg_of(dutch)
    assert run("sheet cards --seed 7 --paper card --out card.html").status == 0


def test_a_png_is_a_picture_of_the_drawing(run: Run) -> None:
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")
    from matplotlib.image import imread

    for game, paper in (("krypto", "a5"), ("cards", "card")):
        line = f"sheet {game} --seed 7 --paper {paper} --out card.png"
        assert run(line)[0] == 0
        picture = imread("card.png")
        wide, high = PAPERS.get(paper, (60, 60))
        assert abs(picture.shape[1] - wide / 25.4 * 300) <= 1
        assert abs(picture.shape[0] - high / 25.4 * 300) <= 1
        # Ink is where the target is, and none in the corner.
        ink = 1 - picture[..., :3].min(axis=2)
        assert ink[:5, :5].max() < 0.02
        assert 0.005 < ink.mean() < 0.2
    again = Path("card.png").read_bytes()
    assert run(line)[0] == 0
    assert Path("card.png").read_bytes() == again


def test_a_style_applies_to_answers_in_rows_and_on_screen(run: Run) -> None:
    line = "deal cards --seed 1 --count 2 --style"
    assert "(7 + 2 : 2) × 3" in run(f"{line} colon --answers")[1]
    assert '"answer": "(7 + 2 : 2) · 3"' in run(f"{line} dot --format jsonl")[1]
    status, out, err = run(f"{line} dot")
    assert (status, out) == (2, "")
    assert "--style sets the signs of solutions: add --answers" in err
    assert run(f"{line} ascii --out a.csv")[0] == 0
    assert "(7 + 2 / 2) * 3" in Path("a.csv").read_text()


def read_back(path: Path) -> list[str]:
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


@pytest.mark.usefixtures("_reportlab")
@pytest.mark.parametrize("name", some(DEALT_GAMES, 3))
def test_a_pdf_has_every_hand_target_and_answer(run: Run, name: str) -> None:
    command = f"crisps24 deal {name} --count 7 --seed 5"
    line = f"sheet {name} --count 7 --seed 5 --name-line --per-page 6 --out sheet.pdf --title"
    puzzles = deal(name, 7, seed=5)
    drawing = f"drawing {puzzles.version}"
    assert run(line, "For 5B <b>") == (0, f"sheet.pdf\n{drawing}: {command}\n", "")
    pages = read_back(Path("sheet.pdf"))
    assert len(pages) == 2 + 1
    for number, page in enumerate(pages, 1):
        foot = f"{drawing}, crisps24 {__version__})"
        for text in (command, foot, f"page {number} of 3", "For 5B <b>"):
            assert text in " ".join(page.split())
    numbers = [number for puzzle in puzzles for number in (*puzzle.hand, puzzle.target)]
    # The numerator and the denominator of a fraction are two texts.
    wanted = Counter(digits for number in numbers for digits in str(number).split("/"))
    assert wanted <= Counter(" ".join(pages[:2]).split())
    answers = puzzles.with_style("unicode").answers()
    for puzzle, answer in zip(puzzles, answers, strict=True):
        entry = f"{' '.join(map(str, puzzle.hand))} {answer} = {puzzle.target}"
        if name != "fractions24":
            assert entry in " ".join(pages[2].split())
        # Stacked fractions need no parentheses.
        assert re.sub(r"[\s()/]", "", entry) in re.sub(r"[\s()/]", "", pages[2])


@pytest.mark.usefixtures("_reportlab")
def test_a_letter_missing_in_the_font_is_refused_only_for_pdf(run: Run) -> None:
    line = "sheet cards --seed 1 --title ماتيكا --out"
    for language, said in (
        ("en", "the letter 'م' (U+0645) is not in the fonts of a PDF"),
        ("de", "den Buchstaben „م“ (U+0645) nicht"),
    ):
        status, out, err = run(f"{line} a.pdf --language {language}")
        assert (status, out, said in err, [*Path().iterdir()]) == (2, "", True, [])
    assert run(f"{line} a.html").status == 0


# One process writes all formats; each one prints an error.
DEAL_TO_FILES = """
import sys
from crisps24.about import __version__
from crisps24.cli.program import main
for form in sys.argv[1:]:
    command = "sheet" if form in ("pdf", "html", "svg", "png") else "deal"
    assert main([command, "crisps", "--count", "9", "--out", f"a.{form}"]) == 2
sys.exit(2)
"""


def test_a_full_disk_gives_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system has no file size limits")
    # .png is left out: it is written like the others, and importing matplotlib is slow.
    forms = [*(form for form in SHEET_FORMATS if form != "png"), *TABLE_FORMATS]
    if find_spec("reportlab") is None:
        forms.remove("pdf")
    # -B: the file size limit would truncate bytecode files, which Python then keeps.
    command = [sys.executable, "-B", "-c", DEAL_TO_FILES, *forms]
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (500, 500))
    done = subprocess.run(command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "".join(f"crisps24: a.{form}: File too large\n" for form in forms)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_reportlab")
def test_the_command_in_both_readmes_makes_the_sheet(run: Run) -> None:
    texts = [(folder / "README.md").read_text() for folder in (TOP, TOP / "results")]
    here, there = (re.findall(r"crisps24 (sheet .*--out cards\.pdf)", text) for text in texts)
    assert here == there == here[:1]
    assert run(here[0]).status == 0
    shown = TOP / "results" / "cards.pdf"
    if "CRISPS24_UPDATE_README" in os.environ:
        shown.write_bytes(Path("cards.pdf").read_bytes())

    def pages(path: Path) -> list[str]:
        # The stored file can come from an older version of the program.
        return [re.sub(r"crisps24 [0-9][^)]*\)", "", page) for page in read_back(path)]

    assert pages(Path("cards.pdf")) == pages(shown)
