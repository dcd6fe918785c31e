"""The shapes of a drawing where they are on its sheet, those of groups among them."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from crisps24.drawing.drawings import Drawing, Group, Shape

# What says where a shape is; all other numbers but degrees say how large it is.
PLACES = {"x": 0, "to_x": 0, "y": 1, "to_y": 1}


def flat(drawing: Drawing) -> Drawing:
    """Return a drawing without groups that is painted as it is."""
    return replace(drawing, shapes=tuple(_flat(drawing.shapes, (0, 0), 1)))


def _flat(shapes: Iterable[Shape], at: tuple[float, float], scale: float) -> Iterator[Shape]:
    for shape in shapes:
        moved: dict[str, Any] = {}
        for name in (field.name for field in fields(shape)):
            value = getattr(shape, name)
            if isinstance(value, int | float) and not isinstance(value, bool) and name != "turn":
                moved[name] = value * scale + (at[PLACES[name]] if name in PLACES else 0)
        if isinstance(shape, Group):
            yield from _flat(shape.shapes, (moved["x"], moved["y"]), moved["scale"])
        else:
            yield replace(shape, **moved)
