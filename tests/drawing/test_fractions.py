"""Fractions are stacked in every kind of file, and lines with fractions stay in order."""

import io
from fractions import Fraction
from math import hypot
from xml.etree import ElementTree

import pytest

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import Drawing, Line, StackedFraction, Text, svg_of
from crisps24.drawing.fractions import line_in_words, line_shapes, line_width
from crisps24.drawing.pdfs import pdf_of
from crisps24.drawing.pictures import png_of
from crisps24.messages.languages import LANGUAGES
from tests.sampling import in_one_test
from tests.tables import cells_of


def label_of(shape: Text | StackedFraction) -> str:
    return shape.text if isinstance(shape, Text) else f"[{shape.value}]"


@in_one_test(("text", "labels"), *cells_of("stacked.txt"))
def test_fractions_of_a_line_are_stacked(text: str, labels: str) -> None:
    shapes = line_shapes(text, 10, 5, 4)
    assert " ".join(map(label_of, shapes)) == labels
    assert all(shape.y == 5 for shape in shapes)
    # The parts of the line are in order, and its end is at the anchor.
    assert [shape.x for shape in shapes] == sorted(shape.x for shape in shapes)
    moved = line_shapes(text, 10, 5, 4, "end")
    end = 10 if len(shapes) == 1 else shapes[0].x - line_width(text, 4)
    assert moved[0].x == pytest.approx(end)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_fraction_turns_about_its_bar(turn: float) -> None:
    fraction = StackedFraction(5, 7, "3", "4", 10, "middle", turn=turn, minus=True)
    assert fraction.value == Fraction(-3, 4)
    minus, numerator, bar, denominator = fraction.parts()
    assert isinstance(minus, Line)
    assert isinstance(bar, Line)
    assert isinstance(numerator, Text)
    assert isinstance(denominator, Text)
    # The ends of the minus sign and of the bar are the ends of the fraction.
    assert hypot(minus.x - bar.to_x, minus.y - bar.to_y) == pytest.approx(fraction.width)
    middle = (minus.x + bar.to_x) / 2, (minus.y + bar.to_y) / 2
    assert middle == pytest.approx((5, 7))
    assert hypot(numerator.x - denominator.x, numerator.y - denominator.y) < fraction.height
    assert {part.turn for part in (numerator, denominator)} == {turn}


def test_fraction_is_in_every_kind_of_file() -> None:
    card = card_of((3, Fraction(3, 4), 3, 6), 24)
    assert card.about == "make 24 from 3, three quarters, 3 and 6"
    root = ElementTree.fromstring(svg_of(card))
    [group] = [each for each in root if each.tag.endswith("}g")]
    assert [each.tag.rpartition("}")[2] for each in group] == ["text", "line", "text"]
    assert [each.text for each in group] == ["3", None, "4"]
    pytest.importorskip("reportlab", reason="PDFs need the extra `sheets`")
    pypdf = pytest.importorskip("pypdf")
    read = pypdf.PdfReader(io.BytesIO(pdf_of([card], "a")))
    assert sorted(read.pages[0].extract_text().split()) == ["24", "3", "3", "3", "4", "6"]
    pytest.importorskip("matplotlib", reason="pictures need the extra `plot`")
    stacked = tuple(each for each in card.shapes if isinstance(each, StackedFraction))
    assert png_of(Drawing(60, 60, stacked)) != png_of(Drawing(60, 60, ()))


def test_line_is_in_words_of_the_language() -> None:
    text = "(3/4) : ((1/8) − (3/4) : 8) = −2/3"
    words = "drei Viertel : (ein Achtel − drei Viertel : 8) = minus zwei Drittel"
    assert line_in_words(text, LANGUAGES["de"]) == words
