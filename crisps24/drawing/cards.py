"""Cards: the drawing of a puzzle, for paper, notebooks and pages.

Four numbers make a round card, as in bags of crisps: the numbers at its four sides, turned
outwards, and the target in the middle. Other hands are tiles in rows below the target. One to five
dots show the level.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import cos, radians, sin

from crisps24.drawing.drawings import (
    BLACK,
    PALE,
    WHITE,
    Circle,
    Drawing,
    Line,
    Rectangle,
    Shape,
    Text,
)
from crisps24.drawing.lettering import fitting, width_of
from crisps24.messages.message import ENGLISH, Language, message

# The colour of the dots of each level, dark enough to read.
_COLOURS = {1: "#1b6e33", 2: "#1d4f91", 3: "#7a5200", 4: "#a11d21", 5: BLACK}
# Digits that are digits upside down as well.
_UPSIDE_DOWN = str.maketrans("01689", "01986")

# A round card, in millimetres: its width, its radius, that of the middle, and how far from the
# middle the numbers are.
_WIDTH, _OUTER, _INNER, _AT = 60, 29.5, 11.5, 20.4
# The bar below a number that can be turned: its distance below the middle, in sizes of the number.
_BAR_AT = 0.43
# Half of its length, in widths of the number.
_BAR_HALF = 0.3
# Its thickness in millimetres.
_BAR_LINE = 0.4
# Tiles, and what is around them.
_TILE, _GAP, _PAD, _IN_A_ROW = 12, 1.2, 3, 6
# Between a number and the sides of its tile.
_TILE_MARGIN = 1.1
_HEAD, _NARROWEST = 20.5, 46


def card_of(
    hand: Sequence[int],
    target: int | Fraction,
    level: int | None = None,
    number: int | None = None,
    *,
    upright: bool = False,
    language: Language = ENGLISH,
) -> Drawing:
    """Return the drawing of a puzzle, with the dots of its level (1 to 5), if it has one.

    `number` is its place on a sheet; `upright` turns no number; its title is in a language.

    >>> card_of((3, 3, 8, 8), 24, 5).about
    'make 24 from 3, 3, 8 and 8; level 5 of 5'
    """
    about = language.text("task.card", target=target, hand=tuple(hand))
    if level:
        graded = message("page.level", level=level)
        about = language.text("list.then", first=about, then=graded)
    shape = CARD_SHAPES.get(len(hand), _tiles)
    shape = UPRIGHT_SHAPES.get(len(hand), shape) if upright else shape
    width, height, shapes = shape(list(map(str, hand)), str(target), level, number)
    return Drawing(width, height, tuple(shapes), about, language.name)


def _round_card(
    hand: Sequence[str],
    target: str,
    level: int | None,
    number: int | None,
    *,
    upright: bool = False,
) -> tuple[float, float, list[Shape]]:
    middle = _WIDTH / 2
    shapes: list[Shape] = [Circle(middle, middle, _OUTER, line=0.5, fill=WHITE)]
    for turn in range(45, 360, 90):
        begin, end = _from_middle(turn, _INNER), _from_middle(turn, _OUTER)
        shapes.append(Line(*begin, *end, line=0.25, colour=PALE))
    shapes.append(Circle(middle, middle, _INNER, line=0.5))
    # Next to the middle a number has less width than along the edge.
    size = min(fitting(each, 13, 12.5 if upright else 20) for each in hand)
    for side, each in zip(range(0, 360, 90), hand, strict=True):
        turn = 0 if upright else side
        shapes.append(Text(*_from_middle(side, _AT), each, size, "middle", turn=turn))
        if _may_be_turned(each) and not upright:
            shapes.append(_underline(turn, width_of(each, size), _AT - _BAR_AT * size))
    up, size = 1.8 if level else 0, fitting(target, 11, 18, bold=True)
    shapes.append(Text(middle, middle - up, target, size, "middle", bold=True))
    shapes += _dots(middle, middle + 6.2, level)
    if number is not None:
        shapes.append(Text(1, 3, str(number), fitting(str(number), 4, 11)))
    return _WIDTH, _WIDTH, shapes


def _from_middle(turn: float, far: float) -> tuple[float, float]:
    """Return the point of a round card at an angle from the top and a distance from the middle."""
    angle = radians(turn)
    return _WIDTH / 2 + far * sin(angle), _WIDTH / 2 - far * cos(angle)


def _may_be_turned(number: str) -> bool:
    """Return whether a number is another one upside down, as 6 and 9 are, 16 and 91."""
    turned = number.translate(_UPSIDE_DOWN)[::-1]
    return set(number) <= set("01689") and turned != number and not turned.startswith("0")


def _underline(turn: float, wide: float, far: float) -> Line:
    """Return the line at the foot of a number."""
    x, y = _from_middle(turn, far)
    along, down = cos(radians(turn)) * wide * _BAR_HALF, sin(radians(turn)) * wide * _BAR_HALF
    return Line(x - along, y - down, x + along, y + down, line=_BAR_LINE)


def _tiles(
    hand: Sequence[str], target: str, level: int | None, number: int | None
) -> tuple[float, float, list[Shape]]:
    rows = [hand[at : at + _IN_A_ROW] for at in range(0, len(hand), _IN_A_ROW)]
    width = max(_NARROWEST, _along(len(rows[0])) + 2 * _PAD)
    height = _HEAD + _along(len(rows)) + _PAD
    middle = width / 2
    shapes: list[Shape] = [
        Rectangle(0.5, 0.5, width - 1, height - 1, corner=4, line=0.4, fill=WHITE),
        Rectangle(middle - 13, 3, 26, 11.5, corner=2, line=0.5),
        Text(middle, 8.75, target, fitting(target, 9, 23, bold=True), "middle", bold=True),
        *_dots(middle, 17.2, level),
    ]
    size = min(fitting(each, 7.5, _TILE - 2 * _TILE_MARGIN) for each in hand)
    for down, row in enumerate(rows):
        left = middle - _along(len(row)) / 2
        for across, each in enumerate(row):
            x, y = left + across * (_TILE + _GAP), _HEAD + down * (_TILE + _GAP)
            shapes.append(Rectangle(x, y, _TILE, _TILE, corner=1.2, line=0.4))
            shapes.append(Text(x + _TILE / 2, y + _TILE / 2, each, size, "middle"))
    if number is not None:
        shapes.append(Text(3, 5.5, str(number), fitting(str(number), 5.5, middle - 17)))
    return width, height, shapes


def _along(tiles: int) -> float:
    """Return the length of a row of tiles, with the gaps between them."""
    return tiles * (_TILE + _GAP) - _GAP


def _dots(x: float, y: float, level: int | None) -> Iterator[Circle]:
    """Yield the dots of a level, centred on a point."""
    level = level or 0
    for place in range(level):
        along = (place - (level - 1) / 2) * 3.2
        yield Circle(x + along, y, 1.25, line=0, fill=_COLOURS[level])


# A function of numbers, a target, a level and a place on a sheet that returns the width, the height
# and the shapes of a card.
CardShape = Callable[
    [Sequence[str], str, int | None, int | None], tuple[float, float, Iterable[Shape]]
]
# The shape of a card by the number of its numbers (default: tiles).
CARD_SHAPES: dict[int, CardShape] = {4: _round_card}
# The same for shapes that turn numbers otherwise.
UPRIGHT_SHAPES: dict[int, CardShape] = {4: partial(_round_card, upright=True)}
