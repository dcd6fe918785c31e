"""Flat drawings: shapes with their positions on the sheet, without groups."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from crisps24.drawing.drawings import Drawing, Group, Shape

# The axis of each coordinate. The other numbers of a shape, except degrees, are lengths.
AXES = {"x": 0, "to_x": 0, "y": 1, "to_y": 1}


def flat(drawing: Drawing) -> Drawing:
    """Return a drawing without groups that looks the same."""
    return replace(drawing, shapes=tuple(_flat(drawing.shapes, (0, 0), 1)))


def _flat(shapes: Iterable[Shape], origin: tuple[float, float], scale: float) -> Iterator[Shape]:
    for shape in shapes:
        moved: dict[str, Any] = {}
        for name in (field.name for field in fields(shape)):
            value = getattr(shape, name)
            if isinstance(value, int | float) and not isinstance(value, bool) and name != "turn":
                moved[name] = value * scale + (origin[AXES[name]] if name in AXES else 0)
        if isinstance(shape, Group):
            yield from _flat(shape.shapes, (moved["x"], moved["y"]), moved["scale"])
        else:
            yield replace(shape, **moved)
