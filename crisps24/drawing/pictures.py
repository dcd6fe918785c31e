"""Drawings as PNG, painted by matplotlib in its own font: the same picture on every machine."""

import io
from typing import Any

from crisps24.drawing.drawings import MIDDLE, Circle, Drawing, Group, Line, Shape, Text
from crisps24.errors import RefusedError

_MILLIMETRES_PER_INCH = 25.4
_POINTS_PER_MILLIMETRE = 72 / 25.4
_DOTS_PER_INCH = 300
_ALIGNED = {"start": "left", "middle": "center", "end": "right"}


def check_picture(text: str = "") -> None:
    """Raise RefusedError if matplotlib is missing, or if its font lacks a character of a text."""
    try:
        from matplotlib import font_manager
    except ImportError:
        install = 'pip install "crisps24[plot]"'
        raise RefusedError(f"a .png needs matplotlib, which is missing: {install}") from None
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    for character in text:
        if not font.get_char_index(ord(character)):
            problem = f"the font of a .png has no letter {character!r} (U+{ord(character):04X})"
            raise RefusedError(f"{problem}: write .svg, .html or .pdf")


def png_of(drawing: Drawing) -> bytes:
    """Return a drawing as a PNG with 300 dots per inch, on a white background.

    Raises RefusedError if matplotlib is missing, or if its font lacks a character.
    """
    check_picture()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = (drawing.width / _MILLIMETRES_PER_INCH, drawing.height / _MILLIMETRES_PER_INCH)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for shape in drawing.shapes:
        _paint(axes, shape, 0, 0, 1)
    out = io.BytesIO()
    canvas.print_png(out, metadata={"Software": None, "Description": drawing.about})
    return out.getvalue()


def _paint(axes: Any, shape: Shape, x: float, y: float, scale: float) -> None:
    """Paint a shape on the axes of matplotlib.

    The shape belongs to a drawing, or to a group of shapes, whose upper left corner is at (x, y),
    in millimetres. `scale` multiplies all lengths of the shape. A group paints its own shapes.
    """
    from matplotlib import patches
    from matplotlib.lines import Line2D

    left, top = x + scale * shape.x, y + scale * shape.y
    if isinstance(shape, Group):
        for part in shape.shapes:
            _paint(axes, part, left, top, scale * shape.scale)
        return
    if isinstance(shape, Text):
        _letter(axes, shape, left, top, scale)
        return
    line_width = scale * shape.line * _POINTS_PER_MILLIMETRE
    if isinstance(shape, Line):
        dash = scale * shape.dash * _POINTS_PER_MILLIMETRE / max(line_width, 1e-9)
        dashes: Any = (0, (dash, dash)) if shape.dash else "solid"
        to_x, to_y = x + scale * shape.to_x, y + scale * shape.to_y
        axes.add_line(
            Line2D([left, to_x], [top, to_y], lw=line_width, color=shape.colour, linestyle=dashes)
        )
        return
    face: dict[str, Any] = {"lw": line_width, "edgecolor": shape.colour if shape.line else "none"}
    face |= {"facecolor": shape.fill or "none"}
    if isinstance(shape, Circle):
        axes.add_patch(patches.Circle((left, top), scale * shape.radius, **face))
        return
    corner = scale * shape.corner
    rounded = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
    place = (left, top), scale * shape.width, scale * shape.height
    axes.add_patch(patches.FancyBboxPatch(*place, boxstyle=rounded, **face))


def _letter(axes: Any, shape: Text, left: float, top: float, scale: float) -> None:
    """Paint a text on the axes of matplotlib, with its anchor at (left, top) in millimetres.

    The anchor is at the middle height of the capitals, at the start, middle or end of the text. The
    text turns about it. `scale` multiplies the size of the text.

    Raises RefusedError for a character that the font lacks.
    """
    from math import cos, radians, sin

    check_picture(shape.text)
    turn, down = radians(shape.turn), MIDDLE * shape.size * scale
    axes.text(
        left - down * sin(turn),
        top + down * cos(turn),
        # matplotlib reads text between dollar signs as a formula.
        shape.text.replace("$", r"\$"),
        fontsize=shape.size * scale * _POINTS_PER_MILLIMETRE,
        fontfamily="DejaVu Sans",
        fontweight="bold" if shape.bold else "normal",
        color=shape.colour,
        rotation=-shape.turn,
        rotation_mode="anchor",
        ha=_ALIGNED[shape.anchor],
        va="baseline",
    )
