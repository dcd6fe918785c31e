"""Cards: the drawing of a puzzle, for paper, notebooks and pages.

Four numbers make a round card, as in bags of crisps: the numbers at its four sides, turned
outwards, and the target in the middle. Other hands are tiles in rows below the target. One to five
dots show the level.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import cos, gcd, radians, sin
from types import MappingProxyType

from crisps24.drawing.drawings import (
    BLACK,
    PALE,
    WHITE,
    Circle,
    Drawing,
    Line,
    Rectangle,
    Shape,
    StackedFraction,
    Text,
)
from crisps24.drawing.fractions import fitting_number, line_shapes, line_width, number_shape
from crisps24.drawing.lettering import fitting, width_of
from crisps24.messages.message import ENGLISH, Language, message
from crisps24.messages.numbers import number_in_words

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
# The largest size of a fraction next to such numbers, also on a card with bars below fractions, its
# largest width, and the gap between a fraction and the bar below it, in sizes of the fraction.
_FRACTION_SIZE = 11
_FRACTION_SIZE_WITH_BAR = 10
_FRACTION_WIDTH = 15
_FRACTION_BAR_GAP = 0.1
# The largest size of a target that is a fraction, on a round card and above tiles.
_TARGET_FRACTION_SIZE = 10
_TILE_TARGET_FRACTION_SIZE = 8
# Smaller answers on backs take two lines.
_MIN_BACK_SIZE = 5
# A card with tiles, in millimetres: the side of a tile, the gap between tiles, the margin of the
# card, the margin of a number in its tile, the height above the tiles, and the smallest width.
_TILE = 12
_TILE_SIZE = 7.5
_GAP = 1.2
_MARGIN = 3
_TILE_MARGIN = 1.1
_HEAD = 20.5
_MIN_WIDTH = 46
_TILES_PER_ROW = 6


def card_of(
    hand: Sequence[int | Fraction],
    target: int | Fraction,
    level: int | None = None,
    number: int | None = None,
    *,
    upright: bool = False,
    language: Language = ENGLISH,
    faces: Mapping[int | Fraction, str] = MappingProxyType({}),
) -> Drawing:
    """Return the drawing of a puzzle: a round card for four numbers, tiles for other hands.

    The numbers in `faces` are shown as these texts.

    >>> card_of((3, 3, 8, 8), 24, 5).about
    'make 24 from 3, 3, 8 and 8; level 5 of 5'
    """
    about = describe_card(hand, target, language)
    if level:
        graded = message("page.level", level=level)
        about = language.text("list.then", first=about, then=graded)
    card_shape = CARD_SHAPES.get(len(hand), _tile_card)
    if upright:
        card_shape = UPRIGHT_SHAPES.get(len(hand), card_shape)
    texts = [faces.get(number, str(number)) for number in hand]
    width, height, shapes = card_shape(texts, str(target), level, number)
    return Drawing(width, height, tuple(shapes), about, language.name)


def card_back(card: Drawing, text: str, level: int | None, number: int) -> Drawing:
    """Return the back of a card: a text, and the dots of a level below it."""
    middle, width = card.width / 2, 0.86 * card.width
    lines = [text]
    size = min(8.0, 8.0 * width / line_width(text, 8))
    if size < _MIN_BACK_SIZE and " = " in text:
        # A long answer has its value in a second line.
        before, _, value = text.rpartition(" = ")
        lines = [before, f"= {value}"]
        size = min(8.0, *(8.0 * width / line_width(line, 8) for line in lines))
    top = card.height / 2 - (len(lines) - 1) * size
    shapes: list[Shape] = [
        shape
        for index, line in enumerate(lines)
        for shape in line_shapes(line, middle, top + 2 * index * size, size, "middle")
    ]
    shapes += _level_dots(middle, card.height / 2 + 12, level)
    shapes.append(_corner_number(number))
    return Drawing(card.width, card.height, tuple(shapes), f"{number}: {text}", card.language)


def level_legend(language: Language) -> Drawing:
    """Return what the dots of the levels mean, as one line: easy to hard."""
    x, shapes = 0.0, list[Shape]()
    width = len(_COLOURS) * _DOT_DISTANCE
    words = [*language.levels.items(), *ENGLISH.levels.items()]
    for level in (min(_COLOURS), max(_COLOURS)):
        word = next(word for word, other in words if other == level)
        shapes += [*_level_dots(x + width / 2, 2, level), Text(x + width + 1, 2, word, 3.6)]
        x += width + width_of(word, 3.6) + 5
    return Drawing(x - 4, 4, tuple(shapes), language=language.name)


def describe_card(
    hand: Sequence[int | Fraction], target: int | Fraction, language: Language = ENGLISH
) -> str:
    """Return the description of a puzzle for screen readers, with fractions in words."""
    numbers = tuple(number_in_words(number, language) for number in hand)
    goal = target if isinstance(target, int) else number_in_words(target, language)
    return language.text("task.card", target=goal, hand=numbers)


def _round_card(
    hand: Sequence[str],
    target: str,
    level: int | None,
    number: int | None,
    *,
    upright: bool = False,
) -> tuple[float, float, list[Shape]]:
    """Return the width, the height and the shapes of a round card for four numbers."""
    middle = _WIDTH / 2
    shapes: list[Shape] = [Circle(middle, middle, _OUTER_RADIUS, line=0.5, fill=WHITE)]
    # Four lines from the inner circle to the edge separate the numbers.
    for angle in range(45, 360, 90):
        inner_end = _from_middle(angle, _INNER_RADIUS)
        outer_end = _from_middle(angle, _OUTER_RADIUS)
        shapes.append(Line(*inner_end, *outer_end, line=0.25, colour=PALE))
    shapes.append(Circle(middle, middle, _INNER_RADIUS, line=0.5))
    # The numbers have one size, and the fractions have one. An upright number has less width,
    # between the middle and the edge.
    fraction_width = 12.5 if upright else _FRACTION_WIDTH
    has_bars = not upright and any("/" in text and _is_ambiguous(text) for text in hand)
    limit = _FRACTION_SIZE_WITH_BAR if has_bars else _FRACTION_SIZE
    sizes = _number_sizes(hand, 13, 12.5 if upright else 20, limit, fraction_width)
    for side_angle, text, size in zip(range(0, 360, 90), hand, sizes, strict=True):
        turn = 0 if upright else side_angle
        x, y = _from_middle(side_angle, _NUMBER_RADIUS)
        shape = number_shape(text, x, y, size, "middle", turn=turn)
        shapes.append(shape)
        if _is_ambiguous(text) and not upright:
            if isinstance(shape, StackedFraction):
                width, distance = shape.width, shape.height / 2 + _FRACTION_BAR_GAP * size
            else:
                width, distance = width_of(text, size), _BAR_DISTANCE * size
            shapes.append(_underline(turn, width, _NUMBER_RADIUS - distance))
    # The target is a little above the middle if dots are below it.
    target_y = middle - 1.8 if level else middle
    target_size = fitting_number(target, 11, 18, (_TARGET_FRACTION_SIZE, 14), bold=True)
    shapes.append(number_shape(target, middle, target_y, target_size, "middle", bold=True))
    shapes += _level_dots(middle, middle + 6.2, level)
    if number is not None:
        shapes.append(_corner_number(number))
    return _WIDTH, _WIDTH, shapes


def _corner_number(number: int) -> Text:
    return Text(1, 3, str(number), fitting(str(number), 4, 11))


def _number_sizes(
    hand: Sequence[str], size: float, width: float, fraction_size: float, fraction_width: float
) -> list[float]:
    """Return the size of each number of a hand: equal for fractions, and for other numbers."""
    largest = (fraction_size, fraction_width)
    sizes = [fitting_number(text, size, width, largest) for text in hand]
    # On tiles, a long number such as 100 does not shrink the others.
    kinds = ["/" in text or (size == _TILE_SIZE and len(text)) for text in hand]
    smallest = {
        kind: min(own for own, other in zip(sizes, kinds, strict=True) if other == kind)
        for kind in set(kinds)
    }
    return [smallest[kind] for kind in kinds]


def _from_middle(degrees: float, distance: float) -> tuple[float, float]:
    """Return the point (x, y) of a round card in a direction and at a distance from its middle."""
    angle = radians(degrees)
    return _WIDTH / 2 + distance * sin(angle), _WIDTH / 2 - distance * cos(angle)


def _is_ambiguous(number: str) -> bool:
    """Return whether a number becomes another number when the paper is turned upside down."""
    upside_down = number.translate(_UPSIDE_DOWN)[::-1]
    parts = upside_down.split("/")
    if not set(number) <= set("01689/") or upside_down == number:
        return False
    # A fraction has to become another one in lowest terms.
    is_lowest = parts[1:] != ["1"] and gcd(*map(int, parts)) == 1
    return (is_lowest or not parts[1:]) and not any(part.startswith("0") for part in parts)


def _underline(turn: float, width: float, distance: float) -> Line:
    """Return the bar below a number of a round card, which shows its lower side, as in 6 and 9."""
    x, y = _from_middle(turn, distance)
    half_length = width * _BAR_HALF
    across, down = cos(radians(turn)) * half_length, sin(radians(turn)) * half_length
    return Line(x - across, y - down, x + across, y + down, line=_BAR_LINE)


def _tile_card(
    hand: Sequence[str], target: str, level: int | None, number: int | None
) -> tuple[float, float, list[Shape]]:
    """Return the width, the height and the shapes of a card with tiles, in millimetres."""
    rows = [hand[start : start + _TILES_PER_ROW] for start in range(0, len(hand), _TILES_PER_ROW)]
    width = max(_MIN_WIDTH, _length(len(rows[0])) + 2 * _MARGIN)
    height = _HEAD + _length(len(rows)) + _MARGIN
    middle = width / 2
    target_size = fitting_number(target, 9, 23, (_TILE_TARGET_FRACTION_SIZE, 23), bold=True)
    shapes: list[Shape] = [
        Rectangle(0.5, 0.5, width - 1, height - 1, corner=4, line=0.4, fill=WHITE),
        Rectangle(middle - 13, 3, 26, 11.5, corner=2, line=0.5),
        number_shape(target, middle, 8.75, target_size, "middle", bold=True),
        *_level_dots(middle, 17.2, level),
    ]
    tile_width = _TILE - 2 * _TILE_MARGIN
    sizes = _number_sizes(hand, _TILE_SIZE, tile_width, _TILE_SIZE, tile_width)
    for row_index, row in enumerate(rows):
        # Each row is centred; the last one can be shorter.
        left = middle - _length(len(row)) / 2
        row_sizes = sizes[row_index * _TILES_PER_ROW :]
        for column_index, (text, size) in enumerate(zip(row, row_sizes, strict=False)):
            x = left + column_index * (_TILE + _GAP)
            y = _HEAD + row_index * (_TILE + _GAP)
            shapes.append(Rectangle(x, y, _TILE, _TILE, corner=1.2, line=0.4))
            shapes.append(number_shape(text, x + _TILE / 2, y + _TILE / 2, size, "middle"))
    if number is not None:
        shapes.append(Text(3, 5.5, str(number), fitting(str(number), 5.5, middle - 17)))
    return width, height, shapes


def _length(tile_count: int) -> float:
    """Return the length of a row of tiles with the gaps between them, in millimetres."""
    return tile_count * (_TILE + _GAP) - _GAP


def _level_dots(x: float, y: float, level: int | None) -> Iterator[Circle]:
    """Yield five dots in a row whose middle is (x, y), in the colour of a level."""
    if not level:
        return
    colour = _COLOURS[level]
    for index in range(len(_COLOURS)):
        # Dot 2 is in the middle of dots 0 to 4.
        offset = (index - (len(_COLOURS) - 1) / 2) * _DOT_DISTANCE
        fill = colour if index < level else None
        yield Circle(x + offset, y, _DOT_RADIUS, line=_DOT_LINE, colour=colour, fill=fill)


# A function of the hand, the target, the level and the number on the sheet that returns the width,
# the height and the shapes of a card.
CardShape = Callable[
    [Sequence[str], str, int | None, int | None], tuple[float, float, Iterable[Shape]]
]
# The function for each size of a hand (default: tiles).
CARD_SHAPES: dict[int, CardShape] = {4: _round_card}
# The functions for `upright` numbers, if they differ.
UPRIGHT_SHAPES: dict[int, CardShape] = {4: partial(_round_card, upright=True)}
