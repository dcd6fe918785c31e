"""Backs of cards: what they show, and where, in the drawings and in the PDF."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import pytest

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import PAPERS, Drawing, Group, Shape, Text
from crisps24.errors import RefusedError
from crisps24.paper.papers import Version, render_versions
from crisps24.paper.sheets import Sheet, count_pages, sheet_pages
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.dealing import deal, own_deal

DEALS = {"cards": 5, "countdown": 12, "numble": 3, "krypto": 20}
# Millimetres in a point of a PDF.
POINT = 25.4 / 72


@pytest.mark.parametrize("paper", PAPERS)
def test_fronts_and_backs_agree_when_the_paper_is_turned(paper: str) -> None:
    for name, count in DEALS.items():
        puzzles = deal(name, count, seed=3)
        width = card_of(puzzles[0].hand, puzzles[0].target).width
        sheet = Sheet(paper=paper, backs="target", key=False)
        pages = list(sheet_pages(puzzles, sheet))
        assert len(pages) == count_pages(puzzles, sheet) == 2 * sheet.puzzle_pages(count)
        for front, back in zip(pages[::2], pages[1::2], strict=True):
            shapes = (shapes_of(page, sheet) for page in (front, back))
            cards = [[shape for shape in some if isinstance(shape, Group)] for some in shapes]
            # The last group of a front can be the legend.
            for one, other in zip(*cards, strict=False):
                middles = [side.x + side.scale * width / 2 for side in (one, other)]
                assert sum(middles) == pytest.approx(sheet.size[0], abs=0.1)
                assert (one.y, one.scale) == pytest.approx((other.y, other.scale), abs=0.1)


def shapes_of(page: Drawing, sheet: Sheet) -> Sequence[Shape]:
    """Return the shapes of a page before it is enlarged."""
    if sheet.scale == 1:
        return page.shapes
    [group] = page.shapes
    assert isinstance(group, Group)
    assert group.scale == sheet.scale
    return group.shapes


def lefts_of_numbers(page: Any) -> dict[str, float]:
    """Return where the number of each card of a page of a PDF starts, in millimetres."""
    lefts: dict[str, float] = {}

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], *_: Any) -> None:
        # The number of a card is its last text.
        lefts[text.strip()] = (tm[4] * cm[0] + tm[5] * cm[2] + cm[4]) * POINT

    page.extract_text(visitor_text=visit)
    return {number: lefts[number] for number in "123456"}


@pytest.mark.usefixtures("_reportlab")
@pytest.mark.parametrize("paper", PAPERS)
def test_the_pdf_has_each_back_behind_its_card(paper: str) -> None:
    pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
    puzzles = own_deal([puzzle_of("cards:10.10.11.12=24")] * 6)
    sheet = Sheet(paper=paper, backs="answer", key=False, per_page=6)
    pdf = b"".join(render_versions("pdf", [Version(puzzles, sheet)]))
    front, back = pypdf.PdfReader(BytesIO(pdf)).pages
    assert " ".join(back.extract_text().split()).count(puzzles[0].answer()) == 6
    [page, _] = sheet_pages(puzzles, sheet)
    shapes = shapes_of(page, sheet)
    scale = sheet.scale * next(shape.scale for shape in shapes if isinstance(shape, Group))
    backs = lefts_of_numbers(back)
    for number, left in lefts_of_numbers(front).items():
        # The number is 1 mm from the left of a card of 60 mm.
        middles = [x + scale * 29 for x in (left, backs[number])]
        assert sum(middles) == pytest.approx(PAPERS[paper][0], abs=0.1)


def test_backs_show_the_answer_or_the_target_and_the_level() -> None:
    puzzles = deal("cards", 2, seed=3)
    for shown, parts in (("answer", puzzles.answers()), ("target", ["24", "24"])):
        text = str([*sheet_pages(puzzles, Sheet(backs=shown))][1].shapes)
        assert all(part in text for part in parts)
        assert text.count("Circle") == 10
    with pytest.raises(RefusedError, match="expected answer, target"):
        Sheet(backs="x")
    with pytest.raises(RefusedError, match="single card"):
        Sheet(backs="answer", paper="card")
    for form in ("svg", "png"):
        with pytest.raises(RefusedError, match=r"backs|matplotlib"):
            next(render_versions(form, [Version(puzzles, Sheet(backs="target"))]))


def test_a_long_tile_does_not_shrink_the_others() -> None:
    def sizes(*hand: int) -> dict[str, float]:
        texts = [shape for shape in card_of(hand, 500).shapes if isinstance(shape, Text)]
        return {text.text: text.size for text in texts}

    alone, beside = sizes(1, 2, 3, 4, 75), sizes(100, 2, 3, 4, 75)
    assert beside["100"] < beside["75"] == alone["75"]
