"""Drawings as PNG, painted by matplotlib in its own font: the same picture on every machine."""

import io
from math import cos, radians, sin
from typing import Any

from crisps24.drawing.drawings import (
    MIDDLE,
    Circle,
    Drawing,
    Group,
    Line,
    Shape,
    StackedFraction,
    Text,
)
from crisps24.errors import RefusedError

_MILLIMETRES_PER_INCH = 25.4
_POINTS_PER_MILLIMETRE = 72 / 25.4
_DOTS_PER_INCH = 300
# The anchors of texts, and the names of matplotlib for them.
_HORIZONTAL_ALIGNMENT = {"start": "left", "middle": "center", "end": "right"}


def check_picture(text: str = "") -> None:
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
    """Return the bytes of a PNG file with a drawing, on a white background."""
    check_picture()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = (drawing.width / _MILLIMETRES_PER_INCH, drawing.height / _MILLIMETRES_PER_INCH)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    # The axes fill the picture. Their unit is a millimetre, from the upper left corner.
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for shape in drawing.shapes:
        _paint(axes, shape, 0, 0, 1)
    file = io.BytesIO()
    canvas.print_png(file, metadata={"Software": None, "Description": drawing.about})
    return file.getvalue()


def _paint(axes: Any, shape: Shape, x: float, y: float, scale: float) -> None:
    from matplotlib import patches
    from matplotlib.lines import Line2D

    if isinstance(shape, StackedFraction):
        for fraction_part in shape.parts():
            _paint(axes, fraction_part, x, y, scale)
        return
    left, top = x + scale * shape.x, y + scale * shape.y
    if isinstance(shape, Group):
        for part in shape.shapes:
            _paint(axes, part, left, top, scale * shape.scale)
        return
    if isinstance(shape, Text):
        _paint_text(axes, shape, left, top, scale)
        return
    line_width = scale * shape.line * _POINTS_PER_MILLIMETRE
    if isinstance(shape, Line):
        # matplotlib measures dashes in widths of the line.
        dash = scale * shape.dash * _POINTS_PER_MILLIMETRE / max(line_width, 1e-9)
        dashes: Any = (0, (dash, dash)) if shape.dash else "solid"
        to_x, to_y = x + scale * shape.to_x, y + scale * shape.to_y
        axes.add_line(
            Line2D([left, to_x], [top, to_y], lw=line_width, color=shape.colour, linestyle=dashes)
        )
        return
    edge, face = shape.colour if shape.line else "none", shape.fill or "none"
    colours: dict[str, Any] = {"lw": line_width, "edgecolor": edge, "facecolor": face}
    if isinstance(shape, Circle):
        axes.add_patch(patches.Circle((left, top), scale * shape.radius, **colours))
        return
    corner = scale * shape.corner
    box_style = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
    width, height = scale * shape.width, scale * shape.height
    box = patches.FancyBboxPatch((left, top), width, height, boxstyle=box_style, **colours)
    axes.add_patch(box)


def _paint_text(axes: Any, text: Text, anchor_x: float, anchor_y: float, scale: float) -> None:
    check_picture(text.text)
    angle = radians(text.turn)
    # matplotlib places text by its baseline, which is below the middle of the capitals.
    to_baseline = MIDDLE * text.size * scale
    axes.text(
        anchor_x - to_baseline * sin(angle),
        anchor_y + to_baseline * cos(angle),
        # matplotlib reads text between dollar signs as a formula.
        text.text.replace("$", r"\$"),
        fontsize=text.size * scale * _POINTS_PER_MILLIMETRE,
        fontfamily="DejaVu Sans",
        fontweight="bold" if text.bold else "normal",
        color=text.colour,
        rotation=-text.turn,
        rotation_mode="anchor",
        ha=_HORIZONTAL_ALIGNMENT[text.anchor],
        va="baseline",
    )
