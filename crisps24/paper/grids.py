"""Grids: cards of one size in the cells of a page, as large as possible.

The page has lines to cut the cards out, or each card has lines to write on.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crisps24.drawing.drawings import GREY, Drawing, Line, Shape

# Around a card, and above each line to write on.
_AROUND, _WRITING = 2, 9
# There are lines at the right of a card where so much is left, and so far from it.
_BESIDE, _APART = 50, 6


class Box(NamedTuple):
    """Where something stands on a page."""

    x: float
    y: float
    width: float
    height: float


class Grid(NamedTuple):
    """The cells of a page."""

    body: Box
    """Where they are."""
    across: int
    down: int
    writing: int | None
    """How many lines there are to write on below each card, at least; None to cut it out."""

    @property
    def cell(self) -> tuple[float, float]:
        """How wide and how high a cell is."""
        return self.body.width / self.across, self.body.height / self.down

    def place(self, place: int) -> Box:
        """Return where the card of a cell may be, the cells being counted row by row."""
        row, column = divmod(place, self.across)
        width, height = self.cell
        x, y = self.body.x + column * width, self.body.y + row * height
        return Box(x + _AROUND, y + _AROUND, width - 2 * _AROUND, height - 2 * _AROUND)

    def laid(self, cards: Sequence[Drawing]) -> Iterator[Shape]:
        """Yield the cards of a page, each in its cell, and the lines."""
        if self.writing is None:
            yield from self._cuts(len(cards))
        for place, card in enumerate(cards):
            yield from _laid(card, self.place(place), self.writing)

    def _cuts(self, count: int) -> Iterator[Line]:
        """Yield the lines along which the cells of so many cards are cut."""
        columns, rows = min(count, self.across), -(-count // self.across)
        (left, top, *_), (width, height) = self.body, self.cell
        right, bottom = left + columns * width, top + rows * height
        for column in range(columns + 1):
            x = left + column * width
            yield Line(x, top, x, bottom, line=0.2, colour=GREY, dash=1.5)
        for row in range(rows + 1):
            y = top + row * height
            yield Line(left, y, right, y, line=0.2, colour=GREY, dash=1.5)


def grid_for(count: int, card: Drawing, body: Box, writing: int | None) -> Grid:
    """Return the grid of so many cells, all of them used, in which such a card is the largest.

    >>> cells = grid_for(12, Drawing(60, 60, ()), Box(12, 12, 186, 260), writing=1)
    >>> cells.across, cells.down
    (3, 4)
    """
    widths = [across for across in range(1, count + 1) if count % across == 0]
    grids = [Grid(body, across, count // across, writing) for across in widths]
    return max(grids, key=lambda grid: _fit(card, grid.place(0), writing)[0])


def _fit(card: Drawing, cell: Box, writing: int | None) -> tuple[float, float]:
    """Return the scale of a card, and the width to write in at its right, if there is enough."""
    scale = min(cell.width / card.width, cell.height / card.height)
    beside = cell.width - scale * card.width
    if writing is None:
        return scale, 0
    if beside >= _BESIDE:
        return scale, beside
    below = (cell.height - writing * _WRITING) / card.height
    return min(scale, max(below, 0)), 0


def _laid(card: Drawing, cell: Box, writing: int | None) -> Iterator[Shape]:
    """Yield a card in its cell: in the middle to be cut out, else above or left of its lines."""
    scale, beside = _fit(card, cell, writing)
    wide, high = scale * card.width, scale * card.height
    x = cell.x if beside else cell.x + (cell.width - wide) / 2
    y = cell.y + (cell.height - high) / 2 if writing is None else cell.y
    yield card.placed(x, y, scale)
    if beside:
        yield from _lines(Box(x + wide + _APART, y, beside - _APART, cell.height))
    elif writing is not None:
        yield from _lines(Box(cell.x, y + high, cell.width, cell.height - high))


def _lines(box: Box) -> Iterator[Line]:
    """Yield as many lines to write on as fit into a box."""
    for place in range(1, int(box.height / _WRITING + 0.01) + 1):
        y = box.y + place * _WRITING
        yield Line(box.x, y, box.x + box.width, y, line=0.2, colour=GREY)
