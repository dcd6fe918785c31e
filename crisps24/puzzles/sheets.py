"""Sheets: puzzles laid out on paper, with a key; the one layout, whatever paints it.

Above the cards stands what is to be done with them. They stand in a grid, numbered as in the key,
with lines to write on where they are not to be cut out. The foot of each page says how to deal the
same puzzles again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.puzzle import Puzzle
from crisps24.outside.cards import card_of
from crisps24.outside.drawings import Anchor, Drawing, Line, Shape, Text
from crisps24.outside.lettering import room_of, wrapped
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.grids import Box, grid_for
from crisps24.puzzles.telling import task_of
from crisps24.rules.characters import composed
from crisps24.rules.deals import format_hand

# Millimetres, across and down.
PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
# Puzzles on a page; and how many where nothing is said, unless fewer hold them all.
PER_PAGE = (1, 2, 4, 6, 9, 12, 20)
_USUAL = 12
LONGEST_TITLE = 200

# Around a page.
_MARGIN = 12
# A line to write on for so many numbers.
_NUMBERS = 3
# A text is in the first size in which it has so many lines, or in the last.
_TITLES, _TITLE_LINES = (8, 7, 6, 5, 4.4, 3.8), 2
_RULES, _RULES_LINES = (3.8, 3.5, 3.2, 2.9, 2.7), 1
_FOOT, _FOOT_LINES = 2.4, 4
# Lettering of the key, the room between what stands side by side, and how its parts are aligned.
_KEY, _BETWEEN = 3.3, 5
_ANCHORS: tuple[Anchor, ...] = ("end", "start", "start")
# A line is so many times as high as its letters, and a line of the key.
_LEADING, _SPACED = 1.35, 1.9


@dataclass(frozen=True, slots=True)
class Sheet:
    """How puzzles are laid out on paper.

    Raises ValueError, in one sentence, for what is no sheet.
    """

    paper: str = "a4"
    """One of `PAPERS`."""
    per_page: int | None = None
    """One of `PER_PAGE`; None for the fewest of them that hold all puzzles, at most 12."""
    title: str = ""
    """What stands at the head of each page, 200 characters at most."""
    name_line: bool = False
    """Whether there is a line for name and date."""
    cut_lines: bool = False
    """Whether there are lines to cut the cards out by, instead of lines to write on."""
    key: bool = True
    """Whether pages with the answers follow."""

    def __post_init__(self) -> None:
        if self.paper not in PAPERS:
            raise RefusedError(
                f"there is no paper {self.paper[:20]!r}: there are {', '.join(PAPERS)}"
            )
        if self.per_page is not None and self.per_page not in PER_PAGE:
            known = ", ".join(map(str, PER_PAGE))
            raise RefusedError(f"{self.per_page:,} puzzles a page: there may be {known}")
        if len(self.title) > LONGEST_TITLE:
            told = f"a title of {len(self.title):,} characters is too long"
            raise RefusedError(f"{told}: {LONGEST_TITLE} are the most")
        object.__setattr__(self, "title", composed(self.title))
        # Refused here, before any work.
        Text(0, 0, self.title, 1)

    def on_page(self, count: int) -> int:
        """Return how many puzzles a page of a sheet of so many has.

        >>> Sheet().on_page(5), Sheet().on_page(13), Sheet(per_page=20).on_page(5)
        (6, 12, 20)
        """
        return self.per_page or next(many for many in PER_PAGE if many >= min(count, _USUAL))

    def pages(self, count: int) -> int:
        """Return how many pages so many puzzles take, without the key.

        >>> Sheet().pages(13), Sheet(per_page=20).pages(13)
        (2, 1)
        """
        return -(-count // self.on_page(count))


def pages_of(deal: Deal, sheet: Sheet, answers: Sequence[str] = ()) -> Iterator[Drawing]:
    """Yield the pages of a sheet, those of the puzzles and then, if it has one, of the key.

    `answers` are those of the puzzles, in order; without a key they are not needed.
    """
    head, foot = _head_of(sheet, _rules_of(deal)), _Foot(deal, sheet)
    key = _Key(deal, answers, sheet, foot.height) if sheet.key else None
    puzzles = sheet.pages(len(deal))
    count = puzzles + (key.pages if key else 0)
    many = sheet.on_page(len(deal))
    writing = None if sheet.cut_lines else max(1, len(deal[0].hand) // _NUMBERS)
    # The impossible has no dots: where one is among them the others have none either.
    graded = all(each.best == each.target for each in deal)
    grid = grid_for(
        many, _card(1, deal[0], graded), _body(sheet, head.height, foot.height), writing
    )
    for page in range(count):
        if key and page >= puzzles:
            shapes = key.page(page - puzzles)
        else:
            first = page * many
            of_page = enumerate(deal[first : first + many], first + 1)
            cards = [_card(place, puzzle, graded) for place, puzzle in of_page]
            shapes = chain(head.shapes, grid.laid(cards))
        told = f"page {page + 1} of {count}"
        yield Drawing(*PAPERS[sheet.paper], (*shapes, *foot.shapes(told)), told)


def _card(number: int, puzzle: Puzzle, graded: bool) -> Drawing:
    return card_of(puzzle.hand, puzzle.target, puzzle.level if graded else None, number)


def _body(sheet: Sheet, head: float, foot: float) -> Box:
    """Return what is left of a page between its head and its foot."""
    width, height = PAPERS[sheet.paper]
    return Box(_MARGIN, _MARGIN + head, width - 2 * _MARGIN, height - 2 * _MARGIN - head - foot)


class _Head(NamedTuple):
    """What stands above the cards, and how high it is."""

    shapes: list[Shape]
    height: float


def _rules_of(deal: Deal) -> str:
    """Return what is to be done with the cards, in words for who solves them."""
    targets = {puzzle.target for puzzle in deal}
    lengths = {len(puzzle.hand) for puzzle in deal}
    target = targets.pop() if len(targets) == 1 else None
    told = task_of(deal[0].game, target, counted=len(lengths) == 1)
    far = any(puzzle.best != puzzle.target for puzzle in deal)
    return f"{told} Where that is not possible, come as near as you can." if far else told


def _head_of(sheet: Sheet, rules: str) -> _Head:
    width, y = PAPERS[sheet.paper][0], float(_MARGIN)
    room = width - 2 * _MARGIN
    lines, size = _title_of(sheet.title, room)
    shapes: list[Shape] = []
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle", bold=True))
        y += size * _LEADING
    if sheet.name_line:
        y += 7
        date = width - _MARGIN - 45
        for text, begin, end in (("Name", _MARGIN, date - 6), ("Date", date, width - _MARGIN)):
            shapes.append(Text(begin, y - 1.4, text, 4))
            shapes.append(Line(begin + 13, y, end, y, line=0.25))
    if shapes:
        y += 3
    lines, size = _fitted(rules, room, _RULES, _RULES_LINES)
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle"))
        y += size * _LEADING
    return _Head(shapes, y + 3 - _MARGIN)


def _title_of(title: str, width: float) -> tuple[list[str], float]:
    """Return a title in lines, and the size of its letters."""
    return _fitted(title, width, _TITLES, _TITLE_LINES, bold=True)


def _fitted(
    text: str, width: float, sizes: Sequence[float], most: int, *, bold: bool = False
) -> tuple[list[str], float]:
    """Return a text in lines, and the first size in which it has at most so many, or the last."""
    for size in sizes:
        lines = wrapped(text, size, width, bold=bold)
        if len(lines) <= most:
            break
    return lines, size


class _Foot:
    """What stands at the foot of each page: how to deal the same again, and which page it is."""

    def __init__(self, deal: Deal, sheet: Sheet) -> None:
        self._width, self._bottom = PAPERS[sheet.paper]
        told = f"{deal.command} (drawing {deal.version}, crisps24 {__version__})"
        self._lines = wrapped(told, _FOOT, self._width - 2 * _MARGIN - 30)
        if len(self._lines) > _FOOT_LINES:
            # A game may have a thousand numbers of its own.
            self._lines = [*self._lines[: _FOOT_LINES - 1], f"{self._lines[_FOOT_LINES - 1]}…"]
        self.height = len(self._lines) * _FOOT * _LEADING + 2

    def shapes(self, page: str) -> Iterator[Shape]:
        y = self._bottom - _MARGIN - _FOOT / 2 - (len(self._lines) - 1) * _FOOT * _LEADING
        for place, line in enumerate(self._lines):
            yield Text(_MARGIN, y + place * _FOOT * _LEADING, line, _FOOT)
        yield Text(self._width - _MARGIN, y, page, _FOOT, "end")


class _Key:
    """The pages of answers: number, hand and answer, in two columns where these fit."""

    def __init__(self, deal: Deal, answers: Sequence[str], sheet: Sheet, foot: float) -> None:
        self._entries = [
            (str(number), format_hand(puzzle.hand), _told(puzzle, answer))
            for number, (puzzle, answer) in enumerate(zip(deal, answers, strict=True), 1)
        ]
        title = f"Key: {sheet.title}" if sheet.title else "Key"
        lines, size = _title_of(title, PAPERS[sheet.paper][0] - 2 * _MARGIN)
        self._head = [
            Text(_MARGIN, _MARGIN + (place + 0.5) * size * _LEADING, line, size, bold=True)
            for place, line in enumerate(lines)
        ]
        self._body = _body(sheet, len(lines) * size * _LEADING + 3, foot)
        self._lay_out()

    def _lay_out(self) -> None:
        """Choose the columns, and where in each of them the parts of an entry begin."""
        numbers, hands, told = (
            max(room_of(entry[part], _KEY) for entry in self._entries) for part in range(3)
        )
        wide = numbers + hands + told + 2 * _BETWEEN
        columns = 2 if 2 * wide + _BETWEEN <= self._body.width else 1
        shrunk = min(1.0, self._body.width / wide)
        self._size = _KEY * shrunk
        self._at = (numbers * shrunk, (numbers + _BETWEEN) * shrunk, (wide - told) * shrunk)
        self._high = self._size * _SPACED
        self._rows = int(self._body.height / self._high)
        self._on_page = self._rows * columns
        self.pages = -(-len(self._entries) // self._on_page)

    def page(self, page: int) -> Iterator[Shape]:
        """Yield what is on a page of the key, counted from 0."""
        yield from self._head
        first = page * self._on_page
        for place, entry in enumerate(self._entries[first : first + self._on_page]):
            column, row = divmod(place, self._rows)
            x = self._body.x + column * (self._body.width + _BETWEEN) / 2
            y = self._body.y + (row + 0.5) * self._high
            for at, anchor, text in zip(self._at, _ANCHORS, entry, strict=True):
                yield Text(x + at, y, text, self._size, anchor)


def _told(puzzle: Puzzle, answer: str) -> str:
    """Return an answer with what it makes."""
    if puzzle.best == puzzle.target:
        return f"{answer} = {puzzle.target}"
    return f"{answer} = {puzzle.best}, the nearest to {puzzle.target}"
