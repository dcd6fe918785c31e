"""Drawings: shapes on a sheet, in millimetres from its upper left corner, as SVG and HTML.

Text is escaped, invisible characters are refused, and pages do not load other files.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import chain
from math import cos, radians, sin
from typing import Literal

from crisps24.drawing.lettering import width_of
from crisps24.errors import RefusedError
from crisps24.messages.message import ENGLISH, message

# The width and the height of papers, in millimetres; a poster is A1.
PAPERS = {
    **{"a4": (210.0, 297.0), "a5": (148.0, 210.0), "letter": (215.9, 279.4)},
    **{"a3": (297.0, 420.0), "poster": (594.0, 841.0)},
}
BLACK = "#000000"
GREY = "#707070"
PALE = "#c8c8c8"
WHITE = "#ffffff"
# The height of the middle of digits and capitals above the baseline, in sizes of the font.
MIDDLE = 0.36
# Parts of a stacked fraction, as multiples of its size: the size of its digits, the distance from
# the bar to the middle of the digits, the part of the bar on each side of the digits, and the
# thickness of the bar.
_DIGITS = 0.7
_DIGITS_DISTANCE = 0.38
_OVERHANG = 0.05
_BAR_WIDTH = 0.055
# The length of its minus sign, and the gap before the bar, as multiples of its size.
_MINUS_LENGTH = 0.4
_GAP = 0.17
# The bar of bold digits is thicker by this factor.
_BOLD_BAR = 1.5
# The part of a text or fraction before its x, by anchor.
PART_BEFORE_ANCHOR = {"start": 0.0, "middle": 0.5, "end": 1.0}
# The part of a text that is at its x.
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Circle:
    x: float
    y: float
    radius: float
    line: float = 0.3
    """The width of its outline; 0 for none."""
    colour: str = BLACK
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle; x and y are its upper left corner, `corner` is the radius of its corners."""

    x: float
    y: float
    width: float
    height: float
    corner: float = 0
    line: float = 0.3
    colour: str = BLACK
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    x: float
    y: float
    to_x: float
    to_y: float
    line: float = 0.3
    colour: str = BLACK
    dash: float = 0
    """The length of its dashes and of the gaps between them; 0 for a solid line."""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, turned about (x, y); `y` is the middle height of its capitals."""

    x: float
    y: float
    text: str
    size: float
    anchor: Anchor = "start"
    bold: bool = False
    turn: float = 0
    """Degrees, clockwise."""
    colour: str = BLACK

    def __post_init__(self) -> None:
        """Replace no-break spaces by spaces, and refuse unprintable characters."""
        # Drawn text does not wrap, so no-break spaces are not needed.
        text = self.text.replace("\u00a0", " ").replace("\u202f", " ")
        object.__setattr__(self, "text", text)
        for character in self.text:
            if not character.isprintable():
                code = character.encode("unicode_escape").decode()
                raise RefusedError(message("paper.character", text=code))


@dataclass(frozen=True, slots=True)
class StackedFraction:
    """A fraction with a bar between its numerator and its denominator, turned about (x, y)."""

    x: float
    y: float
    numerator: str
    denominator: str
    size: float
    """The size of the text next to it; its own digits are smaller."""
    anchor: Anchor = "start"
    bold: bool = False
    turn: float = 0
    """Degrees, clockwise."""
    colour: str = BLACK
    minus: bool = False
    """Whether a minus sign is before it."""

    @property
    def value(self) -> Fraction:
        """Its value."""
        value = Fraction(int(self.numerator), int(self.denominator))
        return -value if self.minus else value

    @property
    def bar_width(self) -> float:
        digits = (self.numerator, self.denominator)
        size = _DIGITS * self.size
        widest = max(width_of(text, size, bold=self.bold) for text in digits)
        return widest + 2 * _OVERHANG * self.size

    @property
    def width(self) -> float:
        """Its width with the minus sign, in any common font."""
        return self.bar_width + (_MINUS_LENGTH + _GAP) * self.size * self.minus

    @property
    def height(self) -> float:
        """The height from the feet of the denominator to the top of the numerator."""
        return 2 * self.size * (_DIGITS_DISTANCE + MIDDLE * _DIGITS)

    def parts(self) -> Iterator["Text | Line"]:
        """Yield the texts and lines that show the fraction, from left to right and downwards."""
        line = _BAR_WIDTH * self.size * (_BOLD_BAR if self.bold else 1)
        # Positions from the anchor, before the fraction is turned.
        x = -self.width * PART_BEFORE_ANCHOR[self.anchor]
        if self.minus:
            yield self._line(x, x + _MINUS_LENGTH * self.size, line)
            x += (_MINUS_LENGTH + _GAP) * self.size
        middle, distance = x + self.bar_width / 2, _DIGITS_DISTANCE * self.size
        yield self._digits(self.numerator, middle, -distance)
        yield self._line(x, x + self.bar_width, line)
        yield self._digits(self.denominator, middle, distance)

    def _digits(self, text: str, x: float, y: float) -> Text:
        size = _DIGITS * self.size
        return Text(*self._turned(x, y), text, size, "middle", self.bold, self.turn, self.colour)

    def _line(self, x: float, to_x: float, line: float) -> Line:
        return Line(*self._turned(x, 0), *self._turned(to_x, 0), line=line, colour=self.colour)

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of a point that is at (x, y) from the anchor before the turn."""
        sine, cosine = sin(radians(self.turn)), cos(radians(self.turn))
        return self.x + (x * cosine - y * sine), self.y + (x * sine + y * cosine)


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes of another drawing, scaled, with its upper left corner at (x, y)."""

    x: float
    y: float
    scale: float
    shapes: tuple["Shape", ...]


Shape = Circle | Rectangle | Line | Text | StackedFraction | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a sheet; later shapes cover earlier ones."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    about: str = ""
    """A description for screen readers."""
    language: str = ENGLISH.name
    """The language of its texts, as a tag: `nl`."""

    def placed(self, x: float, y: float, scale: float) -> Group:
        return Group(x, y, scale, self.shapes)


def svg_of(drawing: Drawing) -> str:
    """Return a drawing as the text of an `<svg>` element, with a line for each shape."""
    width, height = _format_number(drawing.width), _format_number(drawing.height)
    # Screen readers read the title of an element with the role `img`, in its language.
    role = ' role="img"' if drawing.about else ""
    language = "" if drawing.language == ENGLISH.name else f' lang="{drawing.language}"'
    title_lines = [f"<title>{escape(drawing.about)}</title>"] if drawing.about else []
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif"{role}{language}>'
    )
    return "\n".join([opening, *title_lines, *map(_svg_element, drawing.shapes), "</svg>"])


def _svg_element(shape: Shape) -> str:
    match shape:
        case Circle():
            return _element(
                "circle", cx=shape.x, cy=shape.y, r=shape.radius, **_fill_attributes(shape)
            )
        case Rectangle():
            size = {"width": shape.width, "height": shape.height, "rx": shape.corner}
            return _element("rect", x=shape.x, y=shape.y, **size, **_fill_attributes(shape))
        case Line():
            ends = {"x1": shape.x, "y1": shape.y, "x2": shape.to_x, "y2": shape.to_y}
            return _element(
                "line", **ends, **_line_attributes(shape), stroke_dasharray=shape.dash or None
            )
        case Text():
            return _text_element(shape)
        case StackedFraction():
            return _element("g", "\n".join(map(_svg_element, shape.parts())))
        case Group():
            x, y = _format_number(shape.x), _format_number(shape.y)
            transform = f"translate({x} {y}) scale({shape.scale:.4f})"
            return _element("g", "\n".join(map(_svg_element, shape.shapes)), transform=transform)


def _fill_attributes(shape: Circle | Rectangle) -> dict[str, str | float]:
    fill: dict[str, str | float] = {"fill": shape.fill or "none"}
    return fill | (_line_attributes(shape) if shape.line else {})


def _line_attributes(shape: Circle | Rectangle | Line) -> dict[str, str | float]:
    return {"stroke": shape.colour, "stroke_width": shape.line}


def _text_element(shape: Text) -> str:
    """Return a text as an SVG element, without the attributes that have their default in SVG."""
    rotation = " ".join(map(_format_number, (shape.turn, shape.x, shape.y)))
    return _element(
        "text",
        escape(shape.text, quote=False),
        x=shape.x,
        y=shape.y + MIDDLE * shape.size,
        font_size=shape.size,
        text_anchor=None if shape.anchor == "start" else shape.anchor,
        font_weight="bold" if shape.bold else None,
        fill=None if shape.colour == BLACK else shape.colour,
        transform=f"rotate({rotation})" if shape.turn else None,
    )


def _element(name: str, inside: str = "", /, **attributes: str | float | None) -> str:
    """Return the text of an SVG element with its attributes, without those that are None."""
    opening = name
    for attribute, value in attributes.items():
        if value is not None:
            value_text = value if isinstance(value, str) else _format_number(value)
            opening += f' {attribute.replace("_", "-")}="{value_text}"'
    return f"<{opening}>{inside}</{name}>" if inside else f"<{opening}/>"


def _format_number(number: float) -> str:
    """Return a number as text with at most two decimals, without zeros at the end."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


# Each drawing is a page of its size in print, and a sheet on a grey background on a screen.
_STYLE = """\
@page { size: WIDTHmm HEIGHTmm; margin: 0 }
body { margin: 0 }
h1 { position: absolute; inset: 0; margin: 0; overflow: hidden; clip-path: inset(50%) }
svg { display: block; overflow: hidden }
@media screen {
  body { background: #ddd }
  svg { background: #fff; margin: 8mm auto; max-width: 96vw; height: auto }
}
@media print { svg + svg { break-before: page } }"""


def html_of(drawings: Iterable[Drawing], title: str) -> Iterator[str]:
    """Yield the parts of an HTML document in which each drawing is printed on a sheet of paper."""
    other_drawings = iter(drawings)
    first = next(other_drawings, None)
    if first is None:
        return
    style = _STYLE.replace("WIDTH", _format_number(first.width))
    style = style.replace("HEIGHT", _format_number(first.height))
    yield f'<!DOCTYPE html>\n<html lang="{first.language}">\n<head>\n<meta charset="utf-8">'
    yield f"<title>{escape(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>"
    # Screen readers read the heading, which is hidden on the sheets.
    yield f"<main>\n<h1>{escape(title)}</h1>"
    yield from map(svg_of, chain([first], other_drawings))
    yield "</main>"
    yield '<script>addEventListener("load", () => print())</script>\n</body>\n</html>'
