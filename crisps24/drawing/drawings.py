"""Drawings: shapes on a sheet, in millimetres from its upper left, as SVG and printable HTML.

Text is escaped, invisible characters are refused, and nothing is loaded from the network.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Literal

from crisps24.errors import RefusedError
from crisps24.messages.message import ENGLISH, message

# Papers, across and down.
PAPERS = {"a4": (210.0, 297.0), "a5": (148.0, 210.0), "letter": (215.9, 279.4)}
BLACK, GREY, PALE, WHITE = "#000000", "#707070", "#c8c8c8", "#ffffff"
# The middle of digits and capitals is so much of the size above the line that they stand on.
MIDDLE = 0.36
# Which part of a text is at its point.
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle about a point."""

    x: float
    y: float
    radius: float
    line: float = 0.3
    """How wide its line is; 0 for none."""
    colour: str = BLACK
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle from its upper left, with round corners."""

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
    """A line from one point to another."""

    x: float
    y: float
    to_x: float
    to_y: float
    line: float = 0.3
    colour: str = BLACK
    dash: float = 0
    """How long its dashes are, and the gaps between them; 0 for none."""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `y` is the middle of its capitals, and it is turned about its point.

    Raises ValueError, in one sentence, for a character that cannot be seen.
    """

    x: float
    y: float
    text: str
    size: float
    anchor: Anchor = "start"
    bold: bool = False
    turn: float = 0
    """Degrees, with the hands of a clock."""
    colour: str = BLACK

    def __post_init__(self) -> None:
        # Drawn text does not wrap, so that no-break spaces, wide and narrow, are spaces.
        text = self.text.replace("\u00a0", " ").replace("\u202f", " ")
        object.__setattr__(self, "text", text)
        for character in self.text:
            if not character.isprintable():
                code = character.encode("unicode_escape").decode()
                raise RefusedError(message("paper.character", text=code))


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes of another drawing, scaled, with its upper left at a point."""

    x: float
    y: float
    scale: float
    shapes: tuple["Shape", ...]


Shape = Circle | Rectangle | Line | Text | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a sheet, those that come later above those before."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    about: str = ""
    """What there is to see, for those who do not see it."""
    language: str = ENGLISH.name
    """What its words are written in, as the web has it."""

    def placed(self, x: float, y: float, scale: float) -> Group:
        """Return its shapes scaled and with its upper left at a point of another drawing."""
        return Group(x, y, scale, self.shapes)


def svg_of(drawing: Drawing) -> str:
    """Return a drawing as SVG, in its own size.

    >>> print(svg_of(Drawing(20, 10, (Text(10, 5, "3 < 4", 4, "middle"),))))
    <svg xmlns="http://www.w3.org/2000/svg" width="20mm" height="10mm" viewBox="0 0 20 10" \
font-family="sans-serif">
    <text x="10" y="6.44" font-size="4" text-anchor="middle">3 &lt; 4</text>
    </svg>
    """
    width, height = _figure(drawing.width), _figure(drawing.height)
    named = ' role="img"' if drawing.about else ""
    named += "" if drawing.language == ENGLISH.name else f' lang="{drawing.language}"'
    title = [f"<title>{escape(drawing.about)}</title>"] if drawing.about else []
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif"{named}>'
    )
    return "\n".join([opening, *title, *map(_painted, drawing.shapes), "</svg>"])


def _painted(shape: Shape) -> str:
    match shape:
        case Circle():
            return _element("circle", cx=shape.x, cy=shape.y, r=shape.radius, **_filled(shape))
        case Rectangle():
            size = {"width": shape.width, "height": shape.height, "rx": shape.corner}
            return _element("rect", x=shape.x, y=shape.y, **size, **_filled(shape))
        case Line():
            ends = {"x1": shape.x, "y1": shape.y, "x2": shape.to_x, "y2": shape.to_y}
            return _element("line", **ends, **_drawn(shape), stroke_dasharray=shape.dash or None)
        case Text():
            return _lettered(shape)
        case Group():
            moved = f"translate({_figure(shape.x)} {_figure(shape.y)}) scale({shape.scale:.4f})"
            return _element("g", "\n".join(map(_painted, shape.shapes)), transform=moved)


def _filled(shape: Circle | Rectangle) -> dict[str, str | float]:
    return {"fill": shape.fill or "none"} | (_drawn(shape) if shape.line else {})


def _drawn(shape: Circle | Rectangle | Line) -> dict[str, str | float]:
    return {"stroke": shape.colour, "stroke_width": shape.line}


def _lettered(shape: Text) -> str:
    about = " ".join(map(_figure, (shape.turn, shape.x, shape.y)))
    return _element(
        "text",
        escape(shape.text, quote=False),
        x=shape.x,
        y=shape.y + MIDDLE * shape.size,
        font_size=shape.size,
        text_anchor=None if shape.anchor == "start" else shape.anchor,
        font_weight="bold" if shape.bold else None,
        fill=None if shape.colour == BLACK else shape.colour,
        transform=f"rotate({about})" if shape.turn else None,
    )


def _element(name: str, inside: str = "", /, **attributes: str | float | None) -> str:
    """Return an element with those of its attributes that are not None."""
    written = "".join(
        f' {key.replace("_", "-")}="{value if isinstance(value, str) else _figure(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def _figure(number: float) -> str:
    """Return a number to a hundredth, as short as it can be written."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


# Every page is as large as its paper and begins a new one; on a screen they lie on a desk.
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
    """Yield the lines of a page of HTML with drawings of one size, each a sheet of paper.

    It asks to be printed when it is opened, and needs nothing but itself.
    """
    pages = iter(drawings)
    first = next(pages, None)
    if first is None:
        return
    style = _STYLE.replace("WIDTH", _figure(first.width)).replace("HEIGHT", _figure(first.height))
    yield f'<!DOCTYPE html>\n<html lang="{first.language}">\n<head>\n<meta charset="utf-8">'
    yield f"<title>{escape(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>"
    # Who hears the page is told what it is as well.
    yield f"<main>\n<h1>{escape(title)}</h1>"
    yield from map(svg_of, chain([first], pages))
    yield "</main>"
    yield '<script>addEventListener("load", () => print())</script>\n</body>\n</html>'
