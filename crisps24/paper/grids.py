"""Lay out cards of equal size in the cells of a page, as large as possible.

A grid has either dashed lines to cut the cards out, or lines to write on below or right of each
card. All lengths are in millimetres.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crisps24.drawing.drawings import GREY, Drawing, Line, Shape

# Space around a card in its cell.
_CARD_MARGIN = 2
# Distance between lines to write on.
_LINE_HEIGHT = 9
# Lines go to the right of a card if this width is free there, and below it otherwise.
_MIN_WRITING_WIDTH = 50
# Space between a card and the lines to its right.
_LINE_GAP = 6


class Box(NamedTuple):
    """A rectangle on a page; x and y are its left and top edges."""

    x: float
    y: float
    width: float
    height: float


class Grid(NamedTuple):
    """The cells of a page, in rows and columns."""

    body: Box
    """The part of the page that the cells fill."""
    columns: int
    rows: int
    writing_lines: int | None
    """The minimum number of lines to write on per card; None for cards to cut out."""

    @property
    def cell_size(self) -> tuple[float, float]:
        return self.body.width / self.columns, self.body.height / self.rows

    def cell_box(self, index: int) -> Box:
        """Return the rectangle for a card in a cell, within its margins."""
        row, column = divmod(index, self.columns)
        width, height = self.cell_size
        x, y = self.body.x + column * width, self.body.y + row * height
        margin = _CARD_MARGIN
        return Box(x + margin, y + margin, width - 2 * margin, height - 2 * margin)

    def shapes(self, cards: Sequence[Drawing]) -> Iterator[Shape]:
        """Yield the shapes of a page: each card in its cell, in order, and the lines."""
        if self.writing_lines is None:
            yield from self._cut_lines(len(cards))
        for index, card in enumerate(cards):
            yield from _card_shapes(card, self.cell_box(index), self.writing_lines)

    def backs(self, cards: Sequence[Drawing]) -> Iterator[Shape]:
        """Yield the shapes of the other side of the page, printed over its long edge."""
        for index, card in enumerate(cards):
            row, column = divmod(index, self.columns)
            mirrored = row * self.columns + self.columns - 1 - column
            yield from _card_shapes(card, self.cell_box(mirrored), None)

    def _cut_lines(self, count: int) -> Iterator[Line]:
        """Yield the dashed lines around and between the first `count` cells."""
        columns = min(count, self.columns)
        # The quotient, rounded up: the last row can have fewer cards.
        rows = -(-count // self.columns)
        (left, top, *_), (width, height) = self.body, self.cell_size
        right, bottom = left + columns * width, top + rows * height
        for column in range(columns + 1):
            x = left + column * width
            yield Line(x, top, x, bottom, line=0.2, colour=GREY, dash=1.5)
        for row in range(rows + 1):
            y = top + row * height
            yield Line(left, y, right, y, line=0.2, colour=GREY, dash=1.5)


def grid_for(count: int, card: Drawing, body: Box, writing_lines: int | None) -> Grid:
    """Choose rows and columns for `count` cards of equal size, so that the cards are largest."""
    divisors = [columns for columns in range(1, count + 1) if count % columns == 0]
    grids = [Grid(body, columns, count // columns, writing_lines) for columns in divisors]
    return max(grids, key=lambda grid: _scale_in_cell(card, grid.cell_box(0), writing_lines)[0])


def _scale_in_cell(card: Drawing, cell: Box, writing_lines: int | None) -> tuple[float, float]:
    """Return the scale at which a card fits its cell, and the free width to its right."""
    largest_scale = min(cell.width / card.width, cell.height / card.height)
    free_width = cell.width - largest_scale * card.width
    if writing_lines is None:
        return largest_scale, 0
    if free_width >= _MIN_WRITING_WIDTH:
        return largest_scale, free_width
    height_above_lines = max(cell.height - writing_lines * _LINE_HEIGHT, 0)
    return min(largest_scale, height_above_lines / card.height), 0


def _card_shapes(card: Drawing, cell: Box, writing_lines: int | None) -> Iterator[Shape]:
    """Yield the shapes of a card in a cell of the page: the card, and the lines to write on."""
    scale, free_width = _scale_in_cell(card, cell, writing_lines)
    width, height = scale * card.width, scale * card.height
    x = cell.x if free_width else cell.x + (cell.width - width) / 2
    y = cell.y + (cell.height - height) / 2 if writing_lines is None else cell.y
    yield card.placed(x, y, scale)
    if free_width:
        yield from _lines_in(Box(x + width + _LINE_GAP, y, free_width - _LINE_GAP, cell.height))
    elif writing_lines is not None:
        yield from _lines_in(Box(cell.x, y + height, cell.width, cell.height - height))


def _lines_in(box: Box) -> Iterator[Line]:
    # The added 0.01 keeps the last line if a rounding error makes the box too low for it.
    for number in range(1, int(box.height / _LINE_HEIGHT + 0.01) + 1):
        y = box.y + number * _LINE_HEIGHT
        yield Line(box.x, y, box.x + box.width, y, line=0.2, colour=GREY)
