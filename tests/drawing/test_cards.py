"""Cards: each number is drawn once, and texts neither overlap nor leave the card."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import puzzle_of
from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import Circle, Drawing, Line, Rectangle, StackedFraction, Text
from crisps24.drawing.fractions import NumberShape
from crisps24.drawing.lettering import width_of
from crisps24.messages.numbers import number_in_words
from crisps24.rules.exact import Exact, int_if_whole
from tests.drawing_helpers import short_fractions
from tests.sampling import in_one_test

README_CARD = Path(__file__).parents[2] / ".github" / "card.svg"
# The height of digits, in sizes of the font.
DIGIT_HEIGHT = 0.73

whole_numbers = st.integers(1, 13) | st.sampled_from([25, 50, 75, 100]) | st.integers(-999, 10**8)
numbers = whole_numbers | short_fractions(-2, 99, 200)
hands = st.lists(numbers, min_size=1, max_size=9)
targets = st.integers(-99, 10**6) | short_fractions(-99, 99, 20)
levels = st.none() | st.integers(1, 5)


class Extent(NamedTuple):
    """The bounding box of a shape."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Extent") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0.01 and down > 0.01


def extent(text: NumberShape) -> Extent:
    """Return the bounding box of a text or fraction that is turned by a multiple of 90 degrees."""
    if isinstance(text, StackedFraction):
        wide, high = text.width, text.height
    else:
        wide, high = width_of(text.text, text.size, bold=text.bold), DIGIT_HEIGHT * text.size
    if text.turn % 180:
        left, wide, high = text.x - high / 2, high, wide
    else:
        left = text.x - wide * {"start": 0, "middle": 0.5, "end": 1}[text.anchor]
    return Extent(left, text.y - high / 2, left + wide, text.y + high / 2)


def dots(card: Drawing) -> list[Circle]:
    return [each for each in card.shapes if isinstance(each, Circle) and each.radius < 2]


def texts(card: Drawing) -> list[NumberShape]:
    return [each for each in card.shapes if isinstance(each, NumberShape)]


def label_of(text: NumberShape) -> str:
    return text.text if isinstance(text, Text) else str(text.value)


def extents_of(card: Drawing) -> Iterator[Extent]:
    """Yield the bounding boxes of the texts, dots and underlines of a card."""
    yield from map(extent, texts(card))
    for each in dots(card):
        r = each.radius + each.line / 2
        yield Extent(each.x - r, each.y - r, each.x + r, each.y + r)
    for line in underlines(card):
        (left, right), (top, bottom) = sorted([line.x, line.to_x]), sorted([line.y, line.to_y])
        half = line.line / 2
        yield Extent(left - half, top - half, right + half, bottom + half)


def underlines(card: Drawing) -> list[Line]:
    return [each for each in card.shapes if isinstance(each, Line) and each.line > 0.3]


@given(hands, targets, levels)
def test_a_card_has_all_numbers_and_the_dots_of_its_level(
    hand: Sequence[Exact], target: Exact, level: int | None
) -> None:
    card = card_of(hand, target, level, 7)
    for shown, numbers in ((card, ["7"]), (card_of(hand, target, level), [])):
        labels = map(label_of, texts(shown))
        assert sorted(labels) == sorted([*map(str, (*hand, target)), *numbers])
    filled = [index < level for index in range(5)] if level else []
    assert [each.fill is not None for each in dots(card)] == filled
    assert (str(target) if isinstance(target, int) else number_in_words(target)) in card.about


@given(hands, targets, levels, st.integers(1, 100_000))
def test_texts_do_not_overlap_and_are_on_the_card(
    hand: Sequence[Exact], target: Exact, level: int | None, number: int
) -> None:
    card = card_of(hand, target, level, number)
    for one, other in combinations(extents_of(card), 2):
        assert not one.overlaps(other)
    for one in extents_of(card):
        assert 0 <= one.left <= one.right <= card.width
        assert 0 <= one.top <= one.bottom <= card.height


@given(st.lists(numbers, min_size=1, max_size=9).filter(lambda hand: len(hand) != 4), targets)
def test_each_number_is_in_its_tile(hand: Sequence[Exact], target: Exact) -> None:
    card = card_of(hand, target)
    _, *boxes = [each for each in card.shapes if isinstance(each, Rectangle)]
    for box, text in zip(boxes, texts(card), strict=True):
        bounds = extent(text)
        assert box.x < bounds.left < bounds.right < box.x + box.width
        assert box.y < bounds.top < bounds.bottom < box.y + box.height


# 16/9 upside down is 6/91; 1/6 is 9/1, and 8/9 is 6/8, which no hand has.
@in_one_test(
    ("numbers", "marked"),
    ("6 9 16 91 68 16/9 6/11", True),
    ("8 69 10 90 -6 1/6 8/9 3/4 -6/11", False),
)
def test_ambiguous_numbers_are_underlined(numbers: str, marked: bool) -> None:
    for number in map(int_if_whole, map(Fraction, numbers.split())):
        assert len(underlines(card_of((number, 2, 3, 4), 24))) == marked, number
        assert not underlines(card_of((number, 2, 3, 4), 24, upright=True))


def test_a_notebook_shows_the_card() -> None:
    puzzle = puzzle_of("cards:3.3.8.8=24")
    root = ElementTree.fromstring(puzzle._repr_svg_())
    assert [each.text for each in root.iter() if each.tag.endswith("text")] == [*"3388", "24"]
    assert root[0].text == "make 24 from 3, 3, 8 and 8; level 5 of 5"
    assert "999" in puzzle_of("countdown:1.1.1.1.1.1=999")._repr_svg_()
    assert "make one half from 7" in card_of((7,), Fraction(1, 2)).about


@pytest.mark.skipif(not README_CARD.exists(), reason="the card of the README is not in the package")
def test_the_card_of_the_readme_is_up_to_date() -> None:
    assert README_CARD.read_text() == puzzle_of("crisps:4.3.8.4=24")._repr_svg_() + "\n"
