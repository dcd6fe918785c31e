"""Test that sheets show all puzzles and answers without overlaps, and refuse invalid options."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from functools import cache
from importlib.util import find_spec
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crisps24 import GAMES, check
from crisps24.about import __version__
from crisps24.cli.program import main
from crisps24.drawing import drawings
from crisps24.drawing.fractions import NumberShape
from crisps24.drawing.lettering import width_of, wrapped
from crisps24.messages.languages import LANGUAGES
from crisps24.output.tables import TABLE_FORMATS
from crisps24.paper.papers import SHEET_FORMATS, sheet_style
from crisps24.paper.quizzes import questions
from crisps24.paper.sheets import PUZZLES_PER_PAGE, Sheet, _balanced, sheet_pages
from crisps24.puzzle import PUZZLE_FIELDS, puzzle_of
from crisps24.puzzles.conditions import Conditions, deal_command
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.draws import VERSION
from crisps24.puzzles.rows import task_text
from crisps24.rules.games import Game
from tests.drawing.test_cards import Extent, extent
from tests.puzzles.flat import flat
from tests.sampling import examples, in_one_test, some

TOP = Path(__file__).parents[2]
LONG = "Twenty-four: puzzles of four cards for both classes of the fifth form, " * 3
TITLES = ["", "Make 24", LONG[:200], "W" * 200, "Markup: <b>&amp;\"'</text><script>x</script>"]
DEALT_GAMES = [name for name in GAMES if name != "game24"]
MARGIN = 11.5


@pytest.fixture
def _reportlab() -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs sheet, or another command, in a temporary folder."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, *words: str, command: str = "sheet") -> tuple[int, str, str]:
        return main([command, *line.split(), *words]), *capsys.readouterr()

    return run


def laid_out(puzzles: Deal, sheet: Sheet) -> list[drawings.Drawing]:
    pages = sheet_pages(puzzles, sheet, puzzles.answers() if sheet.key else ())
    return [flat(page) for page in pages]


def texts(page: drawings.Drawing) -> list[str]:
    return [
        shape.text if isinstance(shape, drawings.Text) else str(shape.value)
        for shape in page.shapes
        if isinstance(shape, NumberShape)
    ]


def bounding_box(shape: drawings.Shape) -> Extent:
    match shape:
        case drawings.Circle():
            r = shape.radius
            return Extent(shape.x - r, shape.y - r, shape.x + r, shape.y + r)
        case drawings.Rectangle():
            return Extent(shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
        case drawings.Line():
            xs, ys = sorted([shape.x, shape.to_x]), sorted([shape.y, shape.to_y])
            return Extent(xs[0], ys[0], xs[1], ys[1])
        case drawings.Group():
            raise TypeError(shape)
    return extent(shape)


def make_sheet(large_print: bool, per_page: int | None, **options: Any) -> Sheet:
    return Sheet(large_print=large_print, per_page=None if large_print else per_page, **options)


sheets = st.builds(
    make_sheet,
    paper=st.sampled_from(list(drawings.PAPERS)),
    per_page=st.sampled_from([None, *PUZZLES_PER_PAGE]),
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
def small_deal(name: str, closest: bool) -> tuple[Deal, list[str]]:
    puzzles = deal(name, 3, seed=3, conditions=Conditions(closest=closest))
    return puzzles, puzzles.answers()


# Here an answer is wider than the page unless its letters are made smaller.
@example(Sheet(paper="a5", large_print=True), "numble", 1, False)
@given(sheets, st.sampled_from(DEALT_GAMES), st.integers(1, 25), st.booleans())
@examples(40)
def test_everything_lies_on_the_page_and_texts_do_not_overlap(
    sheet: Sheet, name: str, count: int, closest: bool
) -> None:
    deal_of_three, answers = small_deal(name, closest)
    puzzles = replace(deal_of_three, puzzles=tuple(islice(cycle(deal_of_three), count)))
    key = list(islice(cycle(answers), count)) if sheet.key else ()
    pages = [flat(page) for page in sheet_pages(puzzles, sheet, key)]
    cards = pages[: sheet.puzzle_pages(count)]
    assert (len(pages) > len(cards)) == sheet.key
    for place, page in enumerate(pages, 1):
        assert (page.width, page.height) == drawings.PAPERS[sheet.paper]
        for shape in page.shapes:
            left, top, right, bottom = bounding_box(shape)
            assert MARGIN <= left <= right <= page.width - MARGIN
            assert MARGIN <= top <= bottom <= page.height - MARGIN
        lettered = [bounding_box(shape) for shape in page.shapes if isinstance(shape, NumberShape)]
        assert not any(first.overlaps(second) for first, second in combinations(lettered, 2))
        page_texts = texts(page)
        assert sheet.words.text("sheet.page", page=place, count=len(pages)) in page_texts
        assert puzzles.command in " ".join(page_texts)
    on_cards = Counter(text for page in cards for text in texts(page))
    wanted = Counter(str(number) for puzzle in puzzles for number in puzzle.hand)
    wanted.update(str(puzzle.target) for puzzle in puzzles)
    wanted.update(str(number) for number in range(1, count + 1))
    assert wanted <= on_cards
    filled_dots = [
        shape
        for page in cards
        for shape in page.shapes
        if isinstance(shape, drawings.Circle) and shape.fill == shape.colour
    ]
    # If one puzzle is unsolvable, no card has dots, which would reveal it.
    graded = sheet.dots and all(puzzle.best == puzzle.target for puzzle in puzzles)
    assert len(filled_dots) == sum(puzzle.level or 0 for puzzle in puzzles if graded)


@given(st.sampled_from(DEALT_GAMES), st.integers(0, 99), st.booleans())
@examples(15)
def test_every_answer_of_the_key_is_right(name: str, seed: int, closest: bool) -> None:
    puzzles = deal(name, 6, seed=seed, conditions=Conditions(closest=closest))
    [page] = laid_out(puzzles, Sheet(per_page=1))[6:]
    # The texts of each row, with parentheses around fractions.
    rows: dict[float, list[str]] = {}
    for shape in page.shapes:
        if isinstance(shape, NumberShape):
            text = shape.text if isinstance(shape, drawings.Text) else f"({shape.value})"
            rows.setdefault(shape.y, []).append(text)
    _, *entries = [" ".join(row) for row in rows.values()]
    for (number, puzzle), entry in zip(enumerate(puzzles, 1), entries, strict=False):
        hand = [str(each) if isinstance(each, int) else f"({each})" for each in puzzle.hand]
        before, start, rest = entry.partition(f"{number} {' '.join(hand)} ")
        assert not before
        assert start
        answer, _, nearest = rest.partition(", the nearest to ")
        assert check(answer, puzzle.best, puzzle.hand, puzzle.game).verdict == "right"
        assert nearest == ("" if puzzle.best == puzzle.target else str(puzzle.target))


def test_a_long_key_has_every_answer() -> None:
    puzzles = deal("cards", 200, seed=7)
    pages = laid_out(puzzles, Sheet())
    assert len(pages) == 17 + 3
    counts = Counter(text for page in pages[17:] for text in texts(page))
    assert Counter(f"{answer} = 24" for answer in puzzles.answers()) <= counts
    assert all(counts[str(number)] >= 1 for number in range(1, 201))


def test_a_long_command_is_shortened_in_the_foot() -> None:
    long_game = replace(GAMES["cards"], numbers=tuple(range(1, 1500, 2)))
    command = deal_command(long_game, 1, 1, Conditions())
    assert len(command) > 3000
    [page] = sheet_pages(
        Deal(deal("cards", 1, seed=1).puzzles, long_game, 1, command), Sheet(key=False)
    )
    foot = [shape for shape in page.shapes if isinstance(shape, drawings.Text)][-5:]
    assert foot[-1].text == "page 1 of 1"
    assert foot[0].text.startswith("crisps24 deal cards --count 1 --seed 1")
    assert foot[3].text.endswith("…")


MAKE = "To make the bold number, use"
# Few numbers, so that grading all hands is fast.
FEW: dict[str, Any] = {"numbers": (1, 2, 3, 4, 6, 8)}
OPTIONAL = f"{MAKE} any of the 6 other numbers, at most once each, with + − × ÷ and brackets."
WAY, WHOLE = "allowed on the way", "Every result must be a whole number"
TASKS: list[tuple[str, dict[str, Any], str]] = [
    ("crisps", {}, "Use all 4 numbers once each, with + − × ÷ but no brackets, to make 24."),
    ("crisps", {}, f"{WHOLE}, zero or more."),
    ("cards", {}, f"Fractions and negative numbers are {WAY}."),
    ("cards", {"zero": False}, f"Fractions and negative numbers are {WAY}, but not zero."),
    ("cards", {"fractions": False}, f"Negative numbers are {WAY}, but not fractions."),
    ("cards", {"negatives": False}, f"Fractions are {WAY}, but not negative numbers."),
    ("cards", {"negatives": False, "zero": False}, "but not negative numbers or zero."),
    ("cards", {"operators": ("-", "+")}, "once each, with + − and brackets, to make 24."),
    ("numble", {}, OPTIONAL),
    ("numble", {}, f"{WHOLE}, zero or more."),
    ("countdown", {}, OPTIONAL),
    ("countdown", {}, f"{WHOLE} greater than zero."),
    ("krypto", {}, f"{MAKE} all 5 other numbers once each, with + − × ÷ and brackets."),
    ("make10", {"join": True}, "You can join digits: 1 and 2 make 12."),
]


@in_one_test(("name", "rules", "task"), TASKS)
def test_the_task_takes_at_most_two_lines_above_the_cards(
    name: str, rules: dict[str, Any], task: str
) -> None:
    few = FEW if name == "cards" and rules else {}
    puzzles = deal(replace(GAMES[name], **few, **rules), 3, seed=1)
    puzzles = puzzles.with_style(sheet_style(Sheet()))
    for sheet in (Sheet(), Sheet(paper="letter", title="Make 24", name_line=True, cut_lines=True)):
        page, key = laid_out(puzzles, sheet)
        assert task in " ".join(texts(page))
        assert task not in " ".join(texts(key))
        cards = [
            shape
            for shape in page.shapes
            if isinstance(shape, drawings.Circle | drawings.Rectangle)
        ]
        top = min(bounding_box(shape)[1] for shape in cards)
        lettered = [shape for shape in page.shapes if isinstance(shape, drawings.Text)]
        lines = [shape for shape in lettered if bounding_box(shape)[3] < top and shape.size < 3.9]
        assert task in " ".join(line.text for line in lines)
        # Lines are balanced: the second one is not a single word.
        assert len(lines) == 1 or (len(lines) == 2 and lines[0].size >= 3.2)
        assert len(lines[-1].text) > 40


# Every fifth width, or with CRISPS24_EVERY every one.
WIDTH_STEP = 1 if "CRISPS24_EVERY" in os.environ else 5
GAMES_OF_SIGNS = [
    *(GAMES[name] for name in DEALT_GAMES),
    replace(GAMES["cards"], operators=("+", "x")),
]


@pytest.mark.parametrize(
    "game", GAMES_OF_SIGNS, ids=lambda game: f"{game.name}{len(game.operators)}"
)
@pytest.mark.parametrize("language", some(LANGUAGES, 2))
def test_no_line_is_broken_between_signs(game: Game, language: str) -> None:
    style = sheet_style(Sheet(language=language))
    task = task_text(game, language=LANGUAGES[language], style=style)
    [signs] = re.findall(r"[-+−×÷·:x/](?:\u00a0[-+−×÷·:x/])+", task)
    assert len(signs.split("\u00a0")) >= len(game.operators)
    broken = 0
    least = width_of(f"{signs}.", 1)
    for width in range(int(least) + 1, 90, WIDTH_STEP):
        for lines in (wrapped(task, 1, width), _balanced(task, 1, width, 3)):
            assert "".join(" ".join(lines).split()) == "".join(task.split())
            assert any(signs.replace("\u00a0", " ") in line for line in lines), (width, lines)
            broken += len(lines) > 2
    assert broken > 20 / WIDTH_STEP


def test_english_paper_has_school_signs_unless_a_style_is_given(run: Run) -> None:
    puzzles = deal("cards", 9, seed=1)
    for options, style in ("", "unicode"), ("--style cards", "cards"):
        assert run(f"cards --seed 1 --count 9 --out a.html {options}")[0] == 0
        html = Path("a.html").read_text()
        assert ("with + − × ÷ and" if style == "unicode" else "with + - x / and") in html
        answers = puzzles.with_style(style).answers()
        assert all(f">{answer} = 24<" in html for answer in answers)
        assert any(sign in "".join(answers) for sign in "÷/")
    # A command that prints rows keeps the signs of its game.
    assert " x " in run("cards --seed 1 --count 9 --answers", command="deal")[1]


def test_the_task_of_optional_numbers_says_at_most_once_each() -> None:
    for name in ("countdown", "numble"):
        for counted in (True, False):
            assert "at most once each, with" in task_text(GAMES[name], counted=counted)
            assert "at most once each, with" in task_text(GAMES[name], 7, counted=counted)
    [question] = questions(deal(replace(GAMES["cards"], all_numbers=False), seed=7), ["hand"])
    assert "at most once each, with" in question.text
    assert "numbers once each, with" in task_text(GAMES["cards"])
    for language, most in {
        **{"en": "at most once each", "nl": "elk hooguit één keer"},
        **{"es": "cada uno una vez como máximo", "de": "jede höchstens einmal"},
        **{"fr": "chacun une fois au plus", "zh-Hans": "每个数最多用一次"},
    }.items():
        assert most in task_text(GAMES["countdown"], language=LANGUAGES[language])
        assert most not in task_text(GAMES["cards"], language=LANGUAGES[language])


def test_the_task_asks_for_the_closest_value_only_if_needed() -> None:
    options = Conditions(closest=True, large=0)
    puzzles = deal("countdown", 4, seed=1, targets=range(900, 1000), conditions=options)
    assert any(puzzle.best != puzzle.target for puzzle in puzzles)
    near = "If that is not possible, get as close as you can."
    assert near in " ".join(texts(laid_out(puzzles, Sheet())[0]))
    assert near not in " ".join(texts(laid_out(deal("countdown", 2, seed=1), Sheet())[0]))


def test_a_sheet_has_lines_to_write_on_or_to_cut() -> None:
    puzzles = deal("cards", 12, seed=7)

    def lines(sheet: Sheet, dashed: bool) -> int:
        [page] = laid_out(puzzles, sheet)
        every = [
            shape for shape in page.shapes if isinstance(shape, drawings.Line) and shape.line == 0.2
        ]
        return sum(bool(line.dash) == dashed for line in every)

    for_class, to_cut = Sheet(key=False), Sheet(key=False, cut_lines=True)
    assert lines(for_class, dashed=False) >= 12
    assert lines(for_class, dashed=True) == 0
    # Lines around three columns and four rows.
    assert lines(to_cut, dashed=True) == 4 + 5
    assert lines(to_cut, dashed=False) == 0


def test_name_and_date_have_separate_lines() -> None:
    [page] = laid_out(deal("cards", 4, seed=7), Sheet(name_line=True, key=False, per_page=4))
    texts = {shape.text: shape for shape in page.shapes if isinstance(shape, drawings.Text)}
    labels = [texts["Name"], texts["Date"]]
    lines = [shape for shape in page.shapes if isinstance(shape, drawings.Line)][:2]
    for text, line in zip(labels, lines, strict=True):
        assert text.x < line.x < line.to_x
        assert text.y < line.y == line.to_y
    assert lines[0].to_x < labels[1].x


def test_each_three_numbers_have_a_line_to_write_on() -> None:
    for length, least in ((2, 1), (4, 1), (6, 2)):
        game = replace(GAMES["cards"], numbers=(1, 2, 3, 4, 6), length=length)
        dealt = deal(game, 20, seed=7, target=6, conditions=Conditions(repeat=True))
        for count in PUZZLES_PER_PAGE:
            puzzles = replace(dealt, puzzles=dealt[:count])
            [page] = laid_out(puzzles, Sheet(key=False, per_page=count))
            lines = [
                each for each in page.shapes if isinstance(each, drawings.Line) and each.line == 0.2
            ]
            assert len(lines) >= least * count


def test_svg_and_html_are_complete_and_load_nothing() -> None:
    puzzles = deal("countdown", 3, seed=7)
    for title in TITLES:
        pages = list(sheet_pages(puzzles, Sheet(title=title, name_line=True), puzzles.answers()))
        for page in pages:
            root = ElementTree.fromstring(drawings.svg_of(page))
            found = [element.text for element in root.iter() if element.tag.endswith("text")]
            assert found == texts(flat(page))
        made = "\n".join(drawings.html_of(pages, title))
        assert made.count("<script") == 1
        assert set(re.findall(r"\w+://[^\"' ]+", made)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"(?i)url\(|@import|<[^>]*\s(src|href)=", made)


def read_back(path: Path) -> list[str]:
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


FOOT = f"drawing {VERSION}, crisps24 {__version__})"


@pytest.mark.usefixtures("_reportlab")
@pytest.mark.parametrize("name", some(DEALT_GAMES, 3))
def test_a_pdf_has_every_hand_target_and_answer(run: Run, name: str) -> None:
    command = f"crisps24 deal {name} --count 7 --seed 5"
    line = f"{name} --count 7 --seed 5 --name-line --per-page 6 --out sheet.pdf --title"
    assert run(line, "For 5B <b>") == (0, f"sheet.pdf\ndrawing {VERSION}: {command}\n", "")
    pages = read_back(Path("sheet.pdf"))
    assert len(pages) == 2 + 1
    for number, page in enumerate(pages, 1):
        for text in (command, FOOT, f"page {number} of 3", "For 5B <b>"):
            assert text in " ".join(page.split())
    puzzles = deal(name, 7, seed=5)
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
def test_a_pdf_is_reproducible_and_replaces_an_existing_file(run: Run) -> None:
    Path("again.PDF").write_bytes(b"")
    for place, said in (("a.pdf", ""), ("again.PDF", "warning: again.PDF existed and is over")):
        status, out, err = run("crisps --count 15 --seed 5 --out", place)
        assert (status, out.splitlines()[0]) == (0, place)
        assert err.startswith(said)
        assert bool(err) == bool(said)
    assert len(read_back(Path("a.pdf"))) == 2 + 1
    assert Path("again.PDF").read_bytes() == Path("a.pdf").read_bytes()
    assert len(list(Path().iterdir())) == 2


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_rows_in_a_file_equal_those_on_screen(run: Run, form: str) -> None:
    line = "countdown --count 5 --seed 5 --operators=+-x"
    assert run(f"{line} --out rows.{form}", command="deal")[0] == 0
    status, out, _ = run(f"{line} --format {form}", command="deal")
    assert (status, out) == (0, Path(f"rows.{form}").read_bytes().decode())
    if form == "jsonl":
        assert tuple(json.loads(out.splitlines()[0])) == PUZZLE_FIELDS


def test_the_key_can_be_left_out_and_an_svg_has_none(run: Run) -> None:
    line = "cards --count 3 --seed 1 --out"
    assert run(f"{line} a.svg")[0] == 0
    svg = Path("a.svg").read_text()
    assert "page 1 of 1" in [element.text for element in ElementTree.fromstring(svg)]
    for options, count in (("", 2), ("--no-key", 1)):
        assert run(f"{line} a.html {options}")[0] == 0
        assert Path("a.html").read_text().count("<svg") == count
    assert svg in Path("a.html").read_text()


@pytest.mark.usefixtures("_reportlab")
def test_accents_and_spaces_of_a_title_are_normalised(run: Run) -> None:
    apart = "L\u2019e\u0301te\u0301\u00a0! A\u030a"
    assert Sheet(title=apart).title == Sheet(title="L\u2019été ! Å").title
    for form in ("svg", "html", "pdf"):
        assert run(f"cards --seed 1 --out a.{form} --title", apart)[0] == 0
    assert ">L\u2019été ! Å<" in Path("a.svg").read_text()


@pytest.mark.usefixtures("_reportlab")
def test_a_letter_missing_in_the_font_is_refused_only_for_pdf(run: Run) -> None:
    status, out, err = run("cards --seed 1 --title ماتيكا --out a.pdf")
    assert (status, out, list(Path().iterdir())) == (2, "", [])
    assert "the letter 'م' (U+0645) is not in the fonts of a PDF" in err
    assert run("cards --seed 1 --title ماتيكا --out a.html")[0] == 0


# One process writes all formats; each one prints an error.
DEAL_TO_FILES = """
import sys
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
    done = subprocess.run(
        [sys.executable, "-B", "-c", DEAL_TO_FILES, *forms],
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
def test_an_output_path_that_is_not_a_regular_file_is_refused(run: Run) -> None:
    Path("full.svg").symlink_to("/dev/full")
    Path("folder.svg").mkdir()
    for name in ("full.svg", "folder.svg"):
        status, out, err = run("cards --seed 1 --out", name)
        assert (status, out, "not a regular file" in err) == (2, "", True)
    assert len(list(Path().iterdir())) == 2


@pytest.fixture
def readme_command() -> list[str]:
    """Return the command line of results/cards.pdf, after checking that both READMEs show it."""
    texts = [(folder / "README.md").read_text() for folder in (TOP, TOP / "results")]
    here, there = (re.findall(r"crisps24 (sheet .*--out cards\.pdf)", text) for text in texts)
    [line] = here
    assert here == there
    return shlex.split(line)


@pytest.mark.usefixtures("_reportlab")
def test_the_command_in_the_readme_makes_the_sheet_in_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readme_command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(readme_command) == 0
    shown = TOP / "results" / "cards.pdf"
    if "CRISPS24_UPDATE_README" in os.environ:
        shown.write_bytes(Path("cards.pdf").read_bytes())

    def pages(path: Path) -> list[str]:
        # The stored file can come from an older version of the program.
        return [re.sub(r"crisps24 [0-9][^)]*\)", "", page) for page in read_back(path)]

    assert pages(Path("cards.pdf")) == pages(shown)


FRACTION_LABELS = {
    "en": "page 2 of 2. 1: make 24 from 3, three quarters, 3 and 6: 6 ÷ (3 ÷ 3 − three quarters)",
    "de": "Seite 2 von 2. 1: bilde 24 aus 3, drei Viertel, 3 und 6: 6 : (3 : 3 − drei Viertel)",
}


@pytest.mark.parametrize("language", FRACTION_LABELS)
def test_fractions_are_stacked_on_a_sheet_and_in_words_for_screen_readers(language: str) -> None:
    sheet = Sheet(language=language)
    puzzle = puzzle_of("fractions24:3.3/4.3.6=24").with_style(sheet_style(sheet))
    puzzles = replace(deal("fractions24", seed=1), puzzles=(puzzle,))
    cards, key = laid_out(puzzles, sheet)
    stacked = [
        [str(shape.value) for shape in page.shapes if isinstance(shape, drawings.StackedFraction)]
        for page in (cards, key)
    ]
    # The key has it in the hand and in the answer.
    assert stacked == [["3/4"], ["3/4", "3/4"]]
    assert key.about == f"{FRACTION_LABELS[language]} = 24"
    in_words = FRACTION_LABELS[language].rpartition(":")[0].partition("1:")[2].strip()
    assert in_words.split(" 6")[0] in cards.about


def test_a_checked_sheet_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Sheet().paper = "none"  # type: ignore[misc]
    # tests/cli/test_refusals.py has other options.
    with pytest.raises(ValueError, match="cannot put 10,000,000 puzzles on a page"):
        Sheet(per_page=10**7)
    with pytest.raises(ValueError, match=r"^unknown paper 'x{40}…' "):
        Sheet(paper="x" * 10**6)
    with pytest.raises(ValueError, match=r"the character \\u202e cannot be printed"):
        Sheet(title="a\u202eb")
    with pytest.raises(ValueError, match="leave this out: Large print, two puzzles per page"):
        Sheet(paper="card", large_print=True)
