"""Test that sheets show all puzzles and answers without overlaps, and refuse invalid options."""

import os
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, cycle, islice
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crisps24 import GAMES, check
from crisps24.drawing import drawings
from crisps24.drawing.cards import card_of
from crisps24.drawing.fractions import NumberShape
from crisps24.drawing.lettering import width_of, wrapped
from crisps24.errors import RefusedError
from crisps24.messages.languages import LANGUAGES
from crisps24.paper.papers import sheet_style
from crisps24.paper.sheets import PUZZLES_PER_PAGE, Sheet, _balanced, sheet_pages
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.conditions import Conditions, deal_command
from crisps24.puzzles.dealing import Deal, deal, own_deal
from crisps24.puzzles.rows import task_text
from crisps24.rules.games import Game
from tests.drawing.test_cards import Extent, extent, label_of
from tests.puzzles.flat import flat
from tests.sampling import examples, in_one_test, some

LONG = "Twenty-four: puzzles of four cards for both classes of the fifth form, " * 3
TITLES = ["", "Make 24", LONG[:200], "W" * 200, "Markup: <b>&amp;\"'</text><script>x</script>"]
DEALT_GAMES = [name for name in GAMES if name != "game24"]
MARGIN = 11.5


def laid_out(puzzles: Deal, sheet: Sheet) -> list[drawings.Drawing]:
    return [flat(page) for page in sheet_pages(puzzles, sheet)]


def texts(page: drawings.Drawing) -> list[str]:
    return [label_of(shape) for shape in page.shapes if isinstance(shape, NumberShape)]


def lines_of(page: drawings.Drawing) -> list[drawings.Line]:
    """Return the lines of a page to write on or to cut."""
    return [each for each in page.shapes if isinstance(each, drawings.Line) and each.line == 0.2]


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


FLAGS = ("name_line", "cut_lines", "key", "dots", "upright", "large_print")
sheets = st.builds(
    make_sheet,
    paper=st.sampled_from(list(drawings.PAPERS)),
    per_page=st.sampled_from([None, *PUZZLES_PER_PAGE]),
    title=st.sampled_from(TITLES),
    language=st.sampled_from(list(LANGUAGES)),
    **dict.fromkeys(FLAGS, st.booleans()),
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
    key = list(islice(cycle(answers), count))
    pages = [flat(page) for page in sheet_pages(puzzles, sheet, lambda: key)]
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
    numbers = [number for puzzle in puzzles for number in (*puzzle.hand, puzzle.target)]
    assert Counter(map(str, [*numbers, *range(1, count + 1)])) <= on_cards
    dots = [each for page in cards for each in page.shapes if isinstance(each, drawings.Circle)]
    filled_dots = [dot for dot in dots if dot.fill == dot.colour]
    # If one puzzle is unsolvable, no card has dots, which would reveal it.
    graded = sheet.dots and all(puzzle.best == puzzle.target for puzzle in puzzles)
    levels = [puzzle.level or 0 for puzzle in puzzles if graded]
    # The legend of each page has one dot and five.
    assert len(filled_dots) == sum(levels) + 6 * len(cards) * any(levels)


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
        answer, _, nearest = re.sub(r": [0-9]+ points?$", "", rest).partition(", the nearest to ")
        assert check(answer, puzzle.hand, puzzle.best, puzzle.game).verdict == "right"
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
    dealt = Deal(deal("cards", 1, seed=1).puzzles, long_game, 1, command)
    [page] = sheet_pages(dealt, Sheet(key=False))
    foot = [shape for shape in page.shapes if isinstance(shape, drawings.Text)][-5:]
    assert foot[-1].text == "page 1 of 1"
    assert foot[0].text.startswith("crisps24 deal cards --count 1 --seed 1")
    assert foot[3].text.endswith("…")


MAKE = "To make the bold number, use"
# Few numbers, so that grading all hands is fast.
FEW: dict[str, Any] = {"numbers": (1, 2, 3, 4, 6, 8)}
OPTIONAL = f"{MAKE} any of the 6 other numbers, at most once each, with + − × ÷ and brackets."
WAY, WHOLE = "allowed on the way", "Every result must be a whole number"


@in_one_test(
    ("name", "rules", "task"),
    ("crisps", {}, "Use all 4 numbers once each, with + − × ÷ but no brackets, to make 24."),
    ("crisps", {}, f"{WHOLE}, zero or more."),
    ("cards", {}, f"Fractions and negative numbers are {WAY}."),
    ("cards", {"zero": False}, f"Fractions and negative numbers are {WAY}, but not zero."),
    ("cards", {"fractions": False}, f"Negative numbers are {WAY}, but not fractions."),
    ("cards", {"negatives": False}, f"Fractions are {WAY}, but not negative numbers."),
    ("cards", {"operators": ("-", "+")}, "once each, with + − and brackets, to make 24."),
    ("numble", {}, OPTIONAL),
    ("countdown", {}, OPTIONAL),
    ("countdown", {}, f"{WHOLE} greater than zero."),
    ("krypto", {}, f"{MAKE} all 5 other numbers once each, with + − × ÷ and brackets."),
    ("make10", {"join": True}, "You can join digits: 1 and 2 make 12."),
)
def test_the_task_has_at_most_two_lines(name: str, rules: dict[str, Any], task: str) -> None:
    few = FEW if name == "cards" and rules else {}
    puzzles = deal(replace(GAMES[name], **few, **rules), 3, seed=1)
    puzzles = puzzles.with_style(sheet_style(Sheet()))
    for sheet in (Sheet(), Sheet(paper="letter", title="Make 24", name_line=True, cut_lines=True)):
        page, key = laid_out(puzzles, sheet)
        assert task in " ".join(texts(page))
        assert task not in " ".join(texts(key))
        drawn = drawings.Circle | drawings.Rectangle
        cards = [shape for shape in page.shapes if isinstance(shape, drawn)]
        top = min(bounding_box(shape)[1] for shape in cards)
        lettered = [shape for shape in page.shapes if isinstance(shape, drawings.Text)]
        lines = [shape for shape in lettered if bounding_box(shape)[3] < top and shape.size < 3.9]
        assert task in " ".join(line.text for line in lines)
        # Lines are balanced: the second one is not a single word.
        assert len(lines) == 1 or (len(lines) == 2 and lines[0].size >= 3.2)
        assert len(lines[-1].text) > 40


# Every fifth width, or with CRISPS24_EVERY every one.
WIDTH_STEP = 1 if "CRISPS24_EVERY" in os.environ else 5
GAMES_OF_SIGNS = [GAMES[name] for name in DEALT_GAMES]
GAMES_OF_SIGNS += [replace(GAMES["cards"], operators=("+", "x"))]


@in_one_test("game", *GAMES_OF_SIGNS)
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


def test_the_task_asks_for_the_closest_value_only_if_needed() -> None:
    options = Conditions(closest=True, large=0)
    puzzles = deal("countdown", 4, seed=1, targets=range(900, 1000), conditions=options)
    assert any(puzzle.best != puzzle.target for puzzle in puzzles)
    near = "If that is not possible, get as close as you can."
    assert near in " ".join(texts(laid_out(puzzles, Sheet())[0]))
    assert near not in " ".join(texts(laid_out(deal("countdown", 2, seed=1), Sheet())[0]))


def test_a_sheet_has_lines_to_write_on_or_to_cut() -> None:
    puzzles = deal("cards", 12, seed=7)

    [for_class] = laid_out(puzzles, Sheet(key=False))
    assert len(lines_of(for_class)) >= 12
    assert not any(line.dash for line in lines_of(for_class))
    [to_cut] = laid_out(puzzles, Sheet(key=False, cut_lines=True))
    assert all(line.dash for line in lines_of(to_cut))
    # Lines around three columns and four rows.
    assert len(lines_of(to_cut)) == 4 + 5


def test_each_three_numbers_have_a_line_to_write_on() -> None:
    for length, least in ((2, 1), (4, 1), (6, 2)):
        game = replace(GAMES["cards"], numbers=(1, 2, 3, 4, 6), length=length)
        dealt = deal(game, 20, seed=7, target=6, conditions=Conditions(repeat=True))
        for count in PUZZLES_PER_PAGE:
            puzzles = replace(dealt, puzzles=dealt[:count])
            [page] = laid_out(puzzles, Sheet(key=False, per_page=count))
            assert len(lines_of(page)) >= least * count


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
    # The key has it in the hand and in the answer.
    for page, count in ((cards, 1), (key, 2)):
        stacked = [each for each in page.shapes if isinstance(each, drawings.StackedFraction)]
        assert [str(each.value) for each in stacked] == ["3/4"] * count
    assert key.about == f"{FRACTION_LABELS[language]} = 24"
    in_words = FRACTION_LABELS[language].rpartition(":")[0].partition("1:")[2].strip()
    assert in_words.split(" 6")[0] in cards.about


def test_faces_are_letters_of_playing_cards_on_cards_and_in_the_key() -> None:
    puzzles = own_deal([puzzle_of("cards:1.10.11.13=24"), puzzle_of("cards:2.2.12.12=24")])
    sheet, key = map(texts, laid_out(puzzles, Sheet(faces=True)))
    assert sheet.count("Q") == 2
    assert {"A", "10", "J", "K", "2"} <= {*sheet}
    assert "A = 1 · J = 11 · Q = 12 · K = 13" in " ".join(sheet)
    assert [text for text in key if text.endswith((" K", " Q"))] == ["A 10 J K", "2 2 Q Q"]
    # Screen readers say the numbers.
    assert "13" in card_of((1, 10, 11, 13), 24, faces={13: "K"}).about
    with pytest.raises(RefusedError, match="the numbers of crisps have no letters"):
        laid_out(deal("crisps", 1, seed=1), Sheet(faces=True))
