"""Sheets: the layout of puzzles and their key on paper.

The task stands above a grid of numbered cards, with lines to write on or to cut along. The foot of
each page has the command that deals the same puzzles again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from crisps24.about import __version__
from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import PAPERS, Anchor, Drawing, Line, Shape, Text
from crisps24.drawing.lettering import width_of, wrapped
from crisps24.errors import RefusedError, parse_language, quoted
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Count, Language, message
from crisps24.paper.grids import Box, grid_for
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.rows import task_text
from crisps24.rules.characters import compose_accents
from crisps24.rules.deals import format_hand

# One card on paper of its own size, and the options that only a page has.
CARD = "card"
_OF_PAGES = ("per_page", "title", "name_line", "cut_lines", "large_print")
# Puzzles on a page; and how many where nothing is said, unless fewer hold them all.
PER_PAGE = (1, 2, 4, 6, 9, 12, 20)
_USUAL = 12
LONGEST_TITLE = 200

# Around a page.
_MARGIN = 12
# A line to write on for so many numbers.
_NUMBERS = 3
_FOOT, _FOOT_LINES = 2.4, 4
# The gap between columns of the key, and how each column is aligned.
_BETWEEN = 5
_ANCHORS: tuple[Anchor, ...] = ("end", "start", "start")
# A line is so many times as high as its letters, and a line of the key.
_LEADING, _SPACED = 1.35, 1.9


class _Lettering(NamedTuple):
    """The sizes of what stands on a page beside the cards."""

    titles: Sequence[float] = (8, 7, 6, 5, 4.4, 3.8)
    """A text is in the first size in which it has so many lines, or in the last."""
    title_lines: int = 2
    rules: Sequence[float] = (3.8, 3.5, 3.2, 2.9, 2.7)
    rules_lines: int = 1
    name: float = 4
    key: float = 3.3


# In large print words have 18 points and more, and titles up to 40.
_USUAL_LETTERS = _Lettering()
_LARGE_LETTERS = _Lettering((14.2, 12, 10, 8.5, 7, 6, 5, 4.4, 3.8), 2, (7.1, 6.4), 3, 7.1, 6.4)
# In large print there are so many puzzles on a page; and on paper of fewer square millimetres.
_FEW = 2
_SMALL, _ON_SMALL = 40_000, 6


@dataclass(frozen=True, slots=True)
class Sheet:
    """How puzzles are laid out on paper.

    Raises ValueError, in one sentence, for what is no sheet.
    """

    paper: str = "a4"
    """One of `PAPERS`, or `CARD`."""
    per_page: int | None = None
    """One of `PER_PAGE`; None for the fewest of them that hold all puzzles.

    That is at most 12, on small paper 6, and in large print 2.
    """
    title: str = ""
    """What stands at the head of each page, 200 characters at most."""
    name_line: bool = False
    """Whether there is a line for name and date."""
    cut_lines: bool = False
    """Whether there are lines to cut the cards out by, instead of lines to write on."""
    key: bool = True
    """Whether pages with the answers follow."""
    dots: bool = True
    """Whether dots tell the level of each card."""
    upright: bool = False
    """Whether no number of a round card is turned."""
    large_print: bool = False
    """Whether all is large: two puzzles a page, their figures in 40 points where paper allows."""
    language: str = ENGLISH.name
    """One of `LANGUAGES`."""

    def __post_init__(self) -> None:
        if self.paper not in (*PAPERS, CARD):
            known = ", ".join((*PAPERS, CARD))
            raise RefusedError(message("paper.unknown", text=quoted(self.paper), known=known))
        object.__setattr__(self, "language", parse_language(self.language).name)
        if self.large_print and self.per_page not in (None, _FEW):
            given = Count(self.per_page)
            raise RefusedError(message("paper.large_print", most=_FEW, given=given))
        for name in _OF_PAGES if self.paper == CARD else ():
            if getattr(self, name):
                raise RefusedError(message("paper.card", field=message(f"page.field_{name}")))
        if self.per_page is not None and self.per_page not in PER_PAGE:
            known = ", ".join(map(str, PER_PAGE))
            raise RefusedError(message("paper.per_page", given=Count(self.per_page), known=known))
        if len(self.title) > LONGEST_TITLE:
            reason = message("answer.text_too_long", most=LONGEST_TITLE)
            label = message("page.field_title")
            raise RefusedError(message("list.label", label=label, text=reason))
        object.__setattr__(self, "title", compose_accents(self.title))
        # Refused here, before any work.
        Text(0, 0, self.title, 1)

    @property
    def words(self) -> Language:
        """The language as a record."""
        return LANGUAGES[self.language]

    @property
    def letters(self) -> _Lettering:
        """The sizes of what stands beside the cards."""
        return _LARGE_LETTERS if self.large_print else _USUAL_LETTERS

    def on_page(self, count: int) -> int:
        """Return how many puzzles a page of a sheet of so many has.

        >>> Sheet().on_page(5), Sheet().on_page(13), Sheet(per_page=20).on_page(5)
        (6, 12, 20)
        """
        if self.paper == CARD:
            return 1
        width, height = PAPERS[self.paper]
        usual = _USUAL if width * height > _SMALL else _ON_SMALL
        usual = _FEW if self.large_print else usual
        return self.per_page or next(many for many in PER_PAGE if many >= min(count, usual))

    def pages(self, count: int) -> int:
        """Return how many pages so many puzzles take, without the key.

        >>> Sheet().pages(13), Sheet(per_page=20).pages(13)
        (2, 1)
        """
        return -(-count // self.on_page(count))


# The answers of the puzzles of a sheet, in order, or a function that returns them.
KeyAnswers = Sequence[str] | Callable[[], Sequence[str]]


def pages_of(deal: Deal, sheet: Sheet, answers: KeyAnswers = ()) -> Iterator[Drawing]:
    """Yield the pages of a sheet, those of the puzzles and then, if it has one, of the key.

    A function of `answers` is called when a page first needs them, and not without a key.
    """
    # The impossible has no dots: where one is among them the others have none either.
    graded = sheet.dots and all(each.best == each.target for each in deal)
    if sheet.paper == CARD:
        for puzzle in deal:
            yield _card(None, puzzle, sheet, graded)
        return
    (head, head_height), foot = _head_of(sheet, _rules_of(deal, sheet.words)), _Foot(deal, sheet)
    key = _Key(deal, answers, sheet, foot.height) if sheet.key else None
    puzzles = sheet.pages(len(deal))
    count = puzzles + (key.pages if key else 0)
    many = sheet.on_page(len(deal))
    writing = None if sheet.cut_lines else max(1, len(deal[0].hand) // _NUMBERS)
    grid = grid_for(
        many, _card(1, deal[0], sheet, graded), _body(sheet, head_height, foot.height), writing
    )
    for page in range(count):
        if key and page >= puzzles:
            shapes = key.page(page - puzzles)
        else:
            first = page * many
            of_page = enumerate(deal[first : first + many], first + 1)
            cards = [_card(place, puzzle, sheet, graded) for place, puzzle in of_page]
            shapes = chain(head, grid.laid(cards))
        told = sheet.words.text("sheet.page", page=page + 1, count=count)
        on_page = (*shapes, *foot.shapes(told))
        yield Drawing(*PAPERS[sheet.paper], on_page, told, sheet.language)


def count_pages(deal: Deal, sheet: Sheet, answers: KeyAnswers = ()) -> int:
    """Return the number of pages that `pages_of` yields.

    >>> from crisps24.puzzles.dealing import deal
    >>> few = deal("cards", 5, seed=7)
    >>> count_pages(few, Sheet(), few.answers), count_pages(few, Sheet(key=False))
    (2, 1)
    """
    puzzles = sheet.pages(len(deal))
    if sheet.paper == CARD or not sheet.key:
        return puzzles
    return puzzles + _Key(deal, answers, sheet, _Foot(deal, sheet).height).pages


def _card(number: int | None, puzzle: Puzzle, sheet: Sheet, graded: bool) -> Drawing:
    level = puzzle.level if graded else None
    return card_of(
        puzzle.hand, puzzle.target, level, number, upright=sheet.upright, language=sheet.words
    )


def _body(sheet: Sheet, head: float, foot: float) -> Box:
    """Return what is left of a page between its head and its foot."""
    width, height = PAPERS[sheet.paper]
    return Box(_MARGIN, _MARGIN + head, width - 2 * _MARGIN, height - 2 * _MARGIN - head - foot)


def _rules_of(deal: Deal, language: Language) -> str:
    """Return the task of the cards."""
    game, style = deal[0].game, deal[0].style
    targets = {puzzle.target for puzzle in deal}
    target = targets.pop() if len(targets) == 1 else None
    counted = len({len(puzzle.hand) for puzzle in deal}) == 1
    task = task_text(game, target, counted=counted, language=language, style=style)
    far = any(puzzle.best != puzzle.target for puzzle in deal)
    return language.text("list.sentences").join([task, language.text("task.near")][: 1 + far])


def _head_of(sheet: Sheet, rules: str) -> tuple[list[Shape], float]:
    """Return the shapes above the cards, and their height."""
    width, y = PAPERS[sheet.paper][0], float(_MARGIN)
    text_width = width - 2 * _MARGIN
    letters = sheet.letters
    lines, size = _fitted(sheet.title, text_width, letters.titles, letters.title_lines, bold=True)
    shapes: list[Shape] = []
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle", bold=True))
        y += size * _LEADING
    if sheet.name_line:
        size = letters.name
        y += 7 * size / 4
        date = width - _MARGIN - min(45 * size / 4, text_width * 0.4)
        for name, begin, end in (("name", _MARGIN, date - 6), ("date", date, width - _MARGIN)):
            text = sheet.words.text(f"sheet.{name}")
            shapes.append(Text(begin, y - 0.35 * size, text, size))
            start = begin + max(3.25 * size, width_of(text, size) + 0.7)
            shapes.append(Line(start, y, end, y, line=0.25))
    if shapes:
        y += 0.75 * letters.name
    # What is said in English in one line takes more words in other languages.
    most = letters.rules_lines + (sheet.language != ENGLISH.name)
    lines, size = _fitted(rules, text_width, letters.rules, most)
    if len(lines) > most:
        # As many lines in letters as large as these lines allow.
        most = len(lines)
        lines, size = _fitted(rules, text_width, letters.rules, most)
    lines = _balanced(rules, size, text_width, len(lines)) if most > 1 else lines
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle"))
        y += size * _LEADING
    return shapes, y + 3 - _MARGIN


def _fitted(
    text: str, width: float, sizes: Sequence[float], most: int, *, bold: bool = False
) -> tuple[list[str], float]:
    """Return the lines of a text, and the first size with at most `most` lines, or the last."""
    for size in sizes:
        lines = wrapped(text, size, width, bold=bold)
        if len(lines) <= most:
            break
    return lines, size


def _balanced(text: str, size: float, width: float, most: int) -> list[str]:
    """Return a text in at most `most` lines, as short as possible."""
    while len(wrapped(text, size, 0.95 * width)) <= most and width > size:
        width *= 0.95
    return wrapped(text, size, width)


class _Foot:
    """The foot of each page: the command of the deal, and the page number."""

    def __init__(self, deal: Deal, sheet: Sheet) -> None:
        self._width, self._bottom = PAPERS[sheet.paper]
        again = {"command": deal.command, "version": deal.version, "release": __version__}
        told = sheet.words.text("sheet.foot", **again)
        self._lines = wrapped(told, _FOOT, self._width - 2 * _MARGIN - 30)
        if len(self._lines) > _FOOT_LINES:
            # A game can have a thousand numbers.
            self._lines = [*self._lines[: _FOOT_LINES - 1], f"{self._lines[_FOOT_LINES - 1]}…"]
        self.height = len(self._lines) * _FOOT * _LEADING + 2

    def shapes(self, page: str) -> Iterator[Shape]:
        y = self._bottom - _MARGIN - _FOOT / 2 - (len(self._lines) - 1) * _FOOT * _LEADING
        for place, line in enumerate(self._lines):
            yield Text(_MARGIN, y + place * _FOOT * _LEADING, line, _FOOT)
        yield Text(self._width - _MARGIN, y, page, _FOOT, "end")


class _KeyLayout(NamedTuple):
    """The columns of a key."""

    size: float
    """The size of its letters."""
    starts: tuple[float, float, float]
    """Where the parts of an entry start in a column."""
    rows: int
    on_page: int
    """Entries on a page."""


class _Key:
    """The pages of answers: number, hand and answer, in two columns where these fit."""

    def __init__(self, deal: Deal, answers: KeyAnswers, sheet: Sheet, foot: float) -> None:
        self._deal, self._answers = deal, answers
        self._words, self._letters = sheet.words, sheet.letters
        title = self._words.text("sheet.key")
        if sheet.title:
            title = self._words.text("sheet.key_of", title=sheet.title)
        width, (sizes, most, *_) = PAPERS[sheet.paper][0] - 2 * _MARGIN, _USUAL_LETTERS
        # Teachers need no large print.
        lines, size = _fitted(title, width, sizes, most, bold=True)
        self._head = [
            Text(_MARGIN, _MARGIN + (place + 0.5) * size * _LEADING, line, size, bold=True)
            for place, line in enumerate(lines)
        ]
        self._body = _body(sheet, len(lines) * size * _LEADING + 3, foot)

    @cached_property
    def pages(self) -> int:
        """The number of pages; entries that fit into one column need no answers to be counted."""
        rows = int(self._body.height / (self._letters.key * _SPACED))
        return 1 if len(self._deal) <= rows else -(-len(self._entries) // self._layout.on_page)

    @cached_property
    def _entries(self) -> list[tuple[str, str, str]]:
        answers = self._answers() if callable(self._answers) else self._answers
        return [
            (str(number), format_hand(puzzle.hand), _told(puzzle, answer, self._words))
            for number, (puzzle, answer) in enumerate(zip(self._deal, answers, strict=True), 1)
        ]

    @cached_property
    def _layout(self) -> "_KeyLayout":
        """The columns, and where in each of them the parts of an entry begin."""
        size = self._letters.key
        numbers, hands, told = (
            max(width_of(entry[part], size) for entry in self._entries) for part in range(3)
        )
        wide = numbers + hands + told + 2 * _BETWEEN
        columns = 2 if 2 * wide + _BETWEEN <= self._body.width else 1
        shrunk = min(1.0, self._body.width / wide)
        at = (numbers * shrunk, (numbers + _BETWEEN) * shrunk, (wide - told) * shrunk)
        rows = int(self._body.height / (size * shrunk * _SPACED))
        return _KeyLayout(size * shrunk, at, rows, rows * columns)

    def page(self, page: int) -> Iterator[Shape]:
        """Yield what is on a page of the key, counted from 0."""
        yield from self._head
        size, starts, rows, on_page = self._layout
        first = page * on_page
        for place, entry in enumerate(self._entries[first : first + on_page]):
            column, row = divmod(place, rows)
            x = self._body.x + column * (self._body.width + _BETWEEN) / 2
            y = self._body.y + (row + 0.5) * size * _SPACED
            for at, anchor, text in zip(starts, _ANCHORS, entry, strict=True):
                yield Text(x + at, y, text, size, anchor)


def _told(puzzle: Puzzle, answer: str, words: Language) -> str:
    """Return an answer with its value."""
    if puzzle.best == puzzle.target:
        return f"{answer} = {puzzle.target}"
    told = {"answer": answer, "value": puzzle.best, "target": puzzle.target}
    return words.text("sheet.nearest", **told)
