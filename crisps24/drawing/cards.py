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
# The dots of a level, in millimetres.
_DOT_RADIUS, _DOT_LINE, _DOT_DISTANCE = 1.1, 0.25, 3
# Digits that are also digits upside down.
_UPSIDE_DOWN = str.maketrans("01689", "01986")

# A round card, in millimetres.
_WIDTH = 60
_OUTER_RADIUS = 29.5
_INNER_RADIUS = 11.5
# From the middle of the card to the middle of a number.
_NUMBER_RADIUS = 20.4
# The bar below a number that can be turned: its distance below the middle, in sizes of the number.
_BAR_DISTANCE = 0.43
# Half of its length, in widths of the number.
_BAR_HALF = 0.3
# Its thickness in millimetres.
_BAR_LINE = 0.4
# A card with tiles, in millimetres: the side of a tile, the gap between tiles, the margin of the
# card, the margin of a number in its tile, the height above the tiles, and the smallest width.
_TILE = 12
_GAP = 1.2
_MARGIN = 3
_TILE_MARGIN = 1.1
_HEAD = 20.5
_MIN_WIDTH = 46
_TILES_PER_ROW = 6


def card_of(
    hand: Sequence[int],
    target: int | Fraction,
    level: int | None = None,
    number: int | None = None,
    *,
    upright: bool = False,
    language: Language = ENGLISH,
) -> Drawing:
    """Return the drawing of a puzzle: a round card for four numbers, tiles for other hands.

    Args:
        hand: The numbers, at least one.
        target: The target.
        level: The level (1 to 5), shown as dots; without it, the card has no dots.
        number: The number of the puzzle on its sheet, in the corner.
        upright: Whether all numbers of a round card are upright, not turned outwards.
        language: The language of the description for screen readers, `about`.

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
    shapes: list[Shape] = [Circle(middle, middle, _OUTER_RADIUS, line=0.5, fill=WHITE)]
    for turn in range(45, 360, 90):
        begin, end = _from_middle(turn, _INNER_RADIUS), _from_middle(turn, _OUTER_RADIUS)
        shapes.append(Line(*begin, *end, line=0.25, colour=PALE))
    shapes.append(Circle(middle, middle, _INNER_RADIUS, line=0.5))
    # Next to the middle a number has less width than along the edge.
    size = min(fitting(text, 13, 12.5 if upright else 20) for text in hand)
    for side, text in zip(range(0, 360, 90), hand, strict=True):
        turn = 0 if upright else side
        shapes.append(Text(*_from_middle(side, _NUMBER_RADIUS), text, size, "middle", turn=turn))
        if _is_ambiguous(text) and not upright:
            shapes.append(
                _underline(turn, width_of(text, size), _NUMBER_RADIUS - _BAR_DISTANCE * size)
            )
    up, size = 1.8 if level else 0, fitting(target, 11, 18, bold=True)
    shapes.append(Text(middle, middle - up, target, size, "middle", bold=True))
    shapes += _dots(middle, middle + 6.2, level)
    if number is not None:
        shapes.append(Text(1, 3, str(number), fitting(str(number), 4, 11)))
    return _WIDTH, _WIDTH, shapes


def _from_middle(turn: float, distance: float) -> tuple[float, float]:
    """Return the point of a round card at an angle from the top and a distance from the middle."""
    angle = radians(turn)
    return _WIDTH / 2 + distance * sin(angle), _WIDTH / 2 - distance * cos(angle)


def _is_ambiguous(number: str) -> bool:
    """Return whether a number is another number upside down, such as 6 and 9, or 16 and 91."""
    turned = number.translate(_UPSIDE_DOWN)[::-1]
    return set(number) <= set("01689") and turned != number and not turned.startswith("0")


def _underline(turn: float, width: float, distance: float) -> Line:
    """Return the bar below a number, at a distance from the middle."""
    x, y = _from_middle(turn, distance)
    right, down = cos(radians(turn)) * width * _BAR_HALF, sin(radians(turn)) * width * _BAR_HALF
    return Line(x - right, y - down, x + right, y + down, line=_BAR_LINE)


def _tiles(
    hand: Sequence[str], target: str, level: int | None, number: int | None
) -> tuple[float, float, list[Shape]]:
    rows = [hand[start : start + _TILES_PER_ROW] for start in range(0, len(hand), _TILES_PER_ROW)]
    width = max(_MIN_WIDTH, _length(len(rows[0])) + 2 * _MARGIN)
    height = _HEAD + _length(len(rows)) + _MARGIN
    middle = width / 2
    shapes: list[Shape] = [
        Rectangle(0.5, 0.5, width - 1, height - 1, corner=4, line=0.4, fill=WHITE),
        Rectangle(middle - 13, 3, 26, 11.5, corner=2, line=0.5),
        Text(middle, 8.75, target, fitting(target, 9, 23, bold=True), "middle", bold=True),
        *_dots(middle, 17.2, level),
    ]
    size = min(fitting(text, 7.5, _TILE - 2 * _TILE_MARGIN) for text in hand)
    for down, row in enumerate(rows):
        left = middle - _length(len(row)) / 2
        for across, text in enumerate(row):
            x, y = left + across * (_TILE + _GAP), _HEAD + down * (_TILE + _GAP)
            shapes.append(Rectangle(x, y, _TILE, _TILE, corner=1.2, line=0.4))
            shapes.append(Text(x + _TILE / 2, y + _TILE / 2, text, size, "middle"))
    if number is not None:
        shapes.append(Text(3, 5.5, str(number), fitting(str(number), 5.5, middle - 17)))
    return width, height, shapes


def _length(tiles: int) -> float:
    """Return the length of a row of tiles, with the gaps between them."""
    return tiles * (_TILE + _GAP) - _GAP


def _dots(x: float, y: float, level: int | None) -> Iterator[Circle]:
    """Yield five dots around a point, of which `level` are filled; none without a level."""
    for index in range(len(_COLOURS) if level else 0):
        colour = _COLOURS[level or 0]
        is_filled = index < (level or 0)
        offset = (index - (len(_COLOURS) - 1) / 2) * _DOT_DISTANCE
        yield Circle(
            x + offset,
            y,
            _DOT_RADIUS,
            line=_DOT_LINE,
            colour=colour,
            fill=colour if is_filled else None,
        )


# A function of the hand, the target, the level and the number on the sheet that returns the width,
# the height and the shapes of a card.
CardShape = Callable[
    [Sequence[str], str, int | None, int | None], tuple[float, float, Iterable[Shape]]
]
# The function for each size of a hand (default: tiles).
CARD_SHAPES: dict[int, CardShape] = {4: _round_card}
# The functions for `upright` numbers, if they differ.
UPRIGHT_SHAPES: dict[int, CardShape] = {4: partial(_round_card, upright=True)}
