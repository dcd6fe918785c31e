"""Lay out puzzles and their key on paper.

Each page shows the task above a grid of numbered cards, with lines to write on or to cut along.
The foot of each page has the command that deals the same puzzles again. Pages of answers, the
key, can follow. All lengths are in millimetres.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from crisps24.about import __version__
from crisps24.drawing.cards import card_back, card_of, describe_card, level_legend
from crisps24.drawing.drawings import PAPERS, Anchor, Drawing, Group, Line, Shape, Text
from crisps24.drawing.fractions import line_in_words, line_shapes, line_width
from crisps24.drawing.lettering import fitting, width_of, wrapped
from crisps24.errors import RefusedError, parse_language, quoted
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Count, Language, message
from crisps24.notation.styles import STYLES
from crisps24.paper.grids import Box, grid_for
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.rows import task_text
from crisps24.rules.characters import compose_accents
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact, has_fractions
from crisps24.rules.games import Hand, faces_of, faces_text
from crisps24.rules.words import format_value

# The paper of a single card, which has the size of the card.
CARD = "card"
# Options that a single card cannot have.
_PAGE_OPTIONS = ("per_page", "title", "name_line", "cut_lines", "large_print", "backs")
# What backs of cards can show: the answer, or the target and the level.
BACKS = ("answer", "target")
# The numbers of puzzles that a page can have.
PUZZLES_PER_PAGE = (1, 2, 4, 6, 8, 9, 12, 20)
# The most puzzles per page by default: on usual paper, on small paper, and in large print.
_DEFAULT_PER_PAGE = 12
_SMALL_PAPER_PER_PAGE = 6
_LARGE_PRINT_PER_PAGE = 2
# Paper of a smaller area, in square millimetres, is small.
_SMALL_PAPER_AREA = 40_000
# Wider pages are enlarged.
_MAX_WIDTH = 250.0
MAX_TITLE_LENGTH = 200

# The margin of a page.
_MARGIN = 12
# Each card has one line to write on per three numbers.
_NUMBERS_PER_LINE = 3
# The size of letters in the foot.
_FOOT_SIZE = 2.4
_MAX_FOOT_LINES = 4
_LEGEND_HEIGHT = 2.6
# Space between the columns of the key.
_KEY_GAP = 5
# The alignment of number, hand and answer in the key.
_KEY_ANCHORS: tuple[Anchor, ...] = ("end", "start", "start")
# The height of a line as a multiple of the size of its letters; lines of the key are further apart.
_LINE_FACTOR = 1.35
_KEY_LINE_FACTOR = 1.9


class _LetterSizes(NamedTuple):
    """The sizes of the texts on a page, except those of the cards."""

    titles: Sequence[float] = (8, 7, 6, 5, 4.4, 3.8)
    """A title has the first size at which it fits into `title_lines`, else the last size."""
    title_lines: int = 2
    task: Sequence[float] = (3.8, 3.5, 3.2, 2.9, 2.7)
    task_lines: int = 1
    name: float = 4
    key: float = 3.3


_DEFAULT_SIZES = _LetterSizes()
# In large print, texts have at least 18 points, and titles up to 40 points.
_LARGE_SIZES = _LetterSizes((14.2, 12, 10, 8.5, 7, 6, 5, 4.4, 3.8), 2, (7.1, 6.4), 3, 7.1, 6.4)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The layout of puzzles on paper."""

    paper: str = "a4"
    """One of `PAPERS`, or `CARD`."""
    per_page: int | None = None
    """One of `PUZZLES_PER_PAGE`; None for the smallest that holds all puzzles.

    The default is at most 12, at most 6 on small paper, and 2 in large print.
    """
    title: str = ""
    """The title at the head of each page, at most 200 characters."""
    name_line: bool = False
    """Whether each page has a line for name and date."""
    cut_lines: bool = False
    """Whether pages have lines to cut the cards out, instead of lines to write on."""
    backs: str = ""
    """What the backs of the cards to cut out show, on a page after each page: one of `BACKS`."""
    key: bool = True
    """Whether pages with the answers follow."""
    dots: bool = True
    """Whether dots show the level of each card."""
    upright: bool = False
    """Whether all numbers of a round card are upright."""
    faces: bool = False
    """Whether numbers with a letter in the game are shown by it, as on playing cards: K for 13."""
    large_print: bool = False
    """Whether to print two puzzles per page, upright, in 40 points if the paper allows."""
    language: str = ENGLISH.name
    """One of `LANGUAGES`."""
    version: str = ""
    """The letter of the version of a test, which is next to the title."""
    pupil: str = ""
    """The name on the line for it."""

    def __post_init__(self) -> None:
        if self.paper not in (*PAPERS, CARD):
            known = ", ".join((*PAPERS, CARD))
            raise RefusedError(message("paper.unknown", text=quoted(self.paper), known=known))
        object.__setattr__(self, "language", parse_language(self.language).name)
        if self.large_print and self.per_page not in (None, _LARGE_PRINT_PER_PAGE):
            given = Count(self.per_page)
            raise RefusedError(
                message("paper.large_print", most=_LARGE_PRINT_PER_PAGE, given=given)
            )
        for name in _PAGE_OPTIONS if self.paper == CARD else ():
            if getattr(self, name):
                raise RefusedError(message("paper.card", field=message(f"page.field_{name}")))
        if self.paper == CARD and (self.version or self.pupil):
            raise RefusedError("a single card has no version or name: choose another paper")
        if self.per_page is not None and self.per_page not in PUZZLES_PER_PAGE:
            known = ", ".join(map(str, PUZZLES_PER_PAGE))
            raise RefusedError(message("paper.per_page", given=Count(self.per_page), known=known))
        if self.backs and self.backs not in BACKS:
            known = ", ".join(BACKS)
            raise RefusedError(message("refused.one_of", text=quoted(self.backs), known=known))
        if len(self.title) > MAX_TITLE_LENGTH:
            reason = message("answer.text_too_long", most=MAX_TITLE_LENGTH)
            label = message("page.field_title")
            raise RefusedError(message("list.label", label=label, text=reason))
        object.__setattr__(self, "title", compose_accents(self.title))
        # A Text refuses characters that cannot be printed.
        Text(0, 0, self.title, 1)

    @property
    def words(self) -> Language:
        return LANGUAGES[self.language]

    @property
    def scale(self) -> float:
        """How much a page is enlarged: one wider than A4 has the layout of A4 in larger letters."""
        width = PAPERS[self.paper][0]
        return width / PAPERS["a4"][0] if width > _MAX_WIDTH else 1.0

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height of a page before it is enlarged."""
        width, height = PAPERS[self.paper]
        return width / self.scale, height / self.scale

    def page(self, shapes: tuple[Shape, ...], about: str) -> Drawing:
        if self.scale > 1:
            shapes = (Group(0, 0, self.scale, shapes),)
        return Drawing(*PAPERS[self.paper], shapes, about, self.language)

    @property
    def heading(self) -> str:
        if not self.version:
            return self.title
        version = self.words.text("sheet.version", version=self.version)
        return " · ".join(filter(None, (self.title, version)))

    @property
    def letter_sizes(self) -> _LetterSizes:
        return _LARGE_SIZES if self.large_print else _DEFAULT_SIZES

    def puzzles_on_page(self, count: int) -> int:
        """Return the number of puzzles that a page has room for, on a sheet of `count` puzzles."""
        if self.paper == CARD:
            return 1
        if self.per_page is not None:
            return self.per_page
        width, height = self.size
        is_small = width * height <= _SMALL_PAPER_AREA
        most = _SMALL_PAPER_PER_PAGE if is_small else _DEFAULT_PER_PAGE
        needed = min(count, _LARGE_PRINT_PER_PAGE if self.large_print else most)
        return next(size for size in PUZZLES_PER_PAGE if size >= needed)

    def puzzle_pages(self, count: int) -> int:
        """Return the number of pages of `count` puzzles, without the key."""
        return -(-count // self.puzzles_on_page(count))


# Returns the answers of the puzzles of a sheet, in order; by default `Deal.answers`.
Answers = Callable[[], Sequence[str]]


def sheet_pages(deal: Deal, sheet: Sheet, answers: Answers | None = None) -> Iterator[Drawing]:
    """Draw puzzles as cards on pages, then pages with the answers if the sheet has a key.

    `answers` is called only for backs and for the key: before the first page if the key is longer
    than one column, else after the puzzles.
    """
    answers = cache(answers or deal.answers)
    with_levels = _with_levels(deal, sheet)
    if sheet.paper == CARD:
        for puzzle in deal:
            yield _card(None, puzzle, sheet, with_levels)
        return
    head, head_height = _head_of(sheet, _task_of(deal, sheet))
    foot = _Foot(deal, sheet, with_levels=with_levels)
    key = _Key(deal, answers, sheet, foot.height) if sheet.key else None
    puzzle_pages = sheet.puzzle_pages(len(deal))
    page_count = puzzle_pages + (key.page_count if key else 0)
    cards_per_page = sheet.puzzles_on_page(len(deal))
    # All pages have the same grid. Long solutions need several lines to write on; cards to cut out
    # have none.
    writing_lines = max(1, len(deal[0].hand) // _NUMBERS_PER_LINE)
    with_fractions = _have_fractions(deal)
    grid = grid_for(
        cards_per_page,
        _card(1, deal[0], sheet, with_levels),
        _body(sheet, head_height, foot.height),
        None if sheet.cut_lines or sheet.backs else writing_lines,
    )
    back_texts = _back_texts(deal, answers, sheet) if sheet.backs else []
    for page in range(page_count):
        page_number = sheet.words.text("sheet.page", page=page + 1, count=page_count)
        shapes: Iterable[Shape]
        labels: Iterable[str]
        # The pages of the key follow those of the puzzles.
        if key and page >= puzzle_pages:
            shapes, labels = key.shapes(page - puzzle_pages), key.labels(page - puzzle_pages)
        else:
            start = page * cards_per_page
            numbered = list(enumerate(deal[start : start + cards_per_page], start + 1))
            cards = [_card(number, puzzle, sheet, with_levels) for number, puzzle in numbered]
            shapes = [*head, *grid.shapes(cards), *foot.legend]
            labels = (
                sheet.words.text("list.label", label=number, text=card.about)
                for (number, _), card in zip(numbered, cards, strict=True)
            )
        # Screen readers cannot read stacked fractions, so the label has them in words.
        about = page_number
        if with_fractions:
            about = sheet.words.text("list.stop").join([page_number, *labels])
        all_shapes = (*shapes, *foot.shapes(page_number))
        yield sheet.page(all_shapes, about)
        if sheet.backs and page < puzzle_pages:
            backs = [
                card_back(
                    card, back_texts[number - 1], puzzle.level if with_levels else None, number
                )
                for card, (number, puzzle) in zip(cards, numbered, strict=True)
            ]
            about = sheet.words.text("sheet.backs", page=page + 1)
            yield sheet.page(tuple(grid.backs(backs)), about)


def _back_texts(deal: Deal, answers: Answers, sheet: Sheet) -> list[str]:
    if sheet.backs == "answer":
        pairs = zip(deal, answers(), strict=True)
        return [_key_text(puzzle, answer, sheet.words) for puzzle, answer in pairs]
    return [format_value(puzzle.target) for puzzle in deal]


def _have_fractions(puzzles: Iterable[Puzzle]) -> bool:
    return any(has_fractions((*puzzle.hand, puzzle.target)) for puzzle in puzzles)


def count_pages(deal: Deal, sheet: Sheet, answers: Answers | None = None) -> int:
    """Return the number of pages that `sheet_pages` yields, without drawing them."""
    puzzle_pages = sheet.puzzle_pages(len(deal)) * (2 if sheet.backs else 1)
    if sheet.paper == CARD or not sheet.key:
        return puzzle_pages
    foot = _Foot(deal, sheet, with_levels=_with_levels(deal, sheet))
    return puzzle_pages + _Key(deal, answers or deal.answers, sheet, foot.height).page_count


def _with_levels(deal: Deal, sheet: Sheet) -> bool:
    """Return whether cards have dots; if one puzzle is unsolvable, a lack of dots would show it."""
    return sheet.dots and all(puzzle.best == puzzle.target for puzzle in deal)


def _card(number: int | None, puzzle: Puzzle, sheet: Sheet, with_level: bool) -> Drawing:
    level = puzzle.level if with_level else None
    return card_of(
        puzzle.hand,
        puzzle.target,
        level,
        number,
        upright=sheet.upright or sheet.large_print,
        language=sheet.words,
        faces=faces_of(puzzle.game) if sheet.faces else {},
    )


def _body(sheet: Sheet, head: float, foot: float) -> Box:
    width, height = sheet.size
    return Box(_MARGIN, _MARGIN + head, width - 2 * _MARGIN, height - 2 * _MARGIN - head - foot)


def _task_of(deal: Deal, sheet: Sheet) -> str:
    """Return the text above the puzzles of a sheet, which says what to do and with which rules."""
    game, style, language = deal[0].game, deal[0].style, sheet.words
    targets = {puzzle.target for puzzle in deal}
    common_target = targets.pop() if len(targets) == 1 else None
    has_one_length = len({len(puzzle.hand) for puzzle in deal}) == 1
    task = task_text(game, common_target, counted=has_one_length, language=language, style=style)
    sentences = [task]
    if not all(puzzle.has_answer for puzzle in deal):
        sentences.append(language.text("task.unsolvable"))
    elif not all(puzzle.best == puzzle.target for puzzle in deal):
        sentences.append(language.text("task.near"))
    if sheet.faces:
        sentences.append(faces_text(game, {number for puzzle in deal for number in puzzle.hand}))
    return language.text("list.sentences").join(filter(None, sentences))


def _head_of(sheet: Sheet, task: str) -> tuple[list[Shape], float]:
    """Return the shapes at the top of a page, and their height in millimetres, with a gap below."""
    width, y = sheet.size[0], float(_MARGIN)
    text_width = width - 2 * _MARGIN
    sizes = sheet.letter_sizes
    # The title, in the middle of the page.
    lines, size = _fitted(sheet.heading, text_width, sizes.titles, sizes.title_lines, bold=True)
    shapes: list[Shape] = []
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle", bold=True))
        y += size * _LINE_FACTOR
    if sheet.name_line or sheet.pupil:
        y += 7 * sizes.name / 4
        shapes += _name_and_date(sheet, y)
    if shapes:
        y += (1.6 if sheet.name_line or sheet.pupil else 0.75) * sizes.name
    # The task is longer in other languages than in English: allow one more line.
    max_lines = sizes.task_lines + (sheet.language != ENGLISH.name)
    lines, size = _fitted(task, text_width, sizes.task, max_lines)
    if len(lines) > max_lines:
        # Even the smallest letters need more lines: use the largest letters for these lines.
        max_lines = len(lines)
        lines, size = _fitted(task, text_width, sizes.task, max_lines)
    # A task of several lines looks better if they are equally long.
    lines = _balanced(task, size, text_width, len(lines)) if max_lines > 1 else lines
    for line in lines:
        shapes.append(Text(width / 2, y + size / 2, line, size, "middle"))
        y += size * _LINE_FACTOR
    return shapes, y + 3 - _MARGIN


def _name_and_date(sheet: Sheet, y: float) -> Iterator[Shape]:
    size = sheet.letter_sizes.name
    width = sheet.size[0]
    date_width = min(45 * size / 4, (width - 2 * _MARGIN) * 0.4)
    date_left = width - _MARGIN - date_width
    fields = (("name", _MARGIN, date_left - 6), ("date", date_left, width - _MARGIN))
    for field, left, right in fields:
        text = sheet.words.text(f"sheet.{field}")
        yield Text(left, y - 0.35 * size, text, size)
        line_start = left + max(3.25 * size, width_of(text, size) + 0.7)
        yield Line(line_start, y, right, y, line=0.25)
        if field == "name" and sheet.pupil:
            width = right - line_start - 1
            fitted = fitting(sheet.pupil, size, width)
            yield Text(line_start + 1, y - 0.55 * size, sheet.pupil, fitted)


def _fitted(
    text: str, width: float, sizes: Sequence[float], max_lines: int, *, bold: bool = False
) -> tuple[list[str], float]:
    """Wrap a text into lines, and choose the size of its letters; return the lines and the size."""
    for size in sizes:
        lines = wrapped(text, size, width, bold=bold)
        if len(lines) <= max_lines:
            break
    return lines, size


def _balanced(text: str, size: float, width: float, max_lines: int) -> list[str]:
    while len(wrapped(text, size, 0.95 * width)) <= max_lines and width > size:
        width *= 0.95
    return wrapped(text, size, width)


class _Foot:
    """The foot of each page: the command of the deal, and the page number."""

    def __init__(self, deal: Deal, sheet: Sheet, *, with_levels: bool) -> None:
        self._width, self._bottom = sheet.size
        values = {"command": deal.command, "version": deal.version, "release": __version__}
        # Own puzzles have no command.
        text = (
            sheet.words.text("sheet.foot", **values) if deal.command else f"crisps24 {__version__}"
        )
        self._lines = wrapped(text, _FOOT_SIZE, self._width - 2 * _MARGIN - 30)
        if len(self._lines) > _MAX_FOOT_LINES:
            # The command is this long if a game lists a thousand numbers.
            *lines, last = self._lines[:_MAX_FOOT_LINES]
            self._lines = [*lines, f"{last}…"]
        self.height = len(self._lines) * _FOOT_SIZE * _LINE_FACTOR + 2
        # What the dots of the levels mean, in a line above the text.
        self.legend: list[Shape] = []
        if with_levels and any(puzzle.level for puzzle in deal):
            legend = level_legend(sheet.words)
            scale = _LEGEND_HEIGHT / legend.height
            x = self._width - _MARGIN - scale * legend.width
            y = self._bottom - _MARGIN - self.height - _LEGEND_HEIGHT
            self.legend.append(legend.placed(x, y, scale))
            self.height += _LEGEND_HEIGHT + 2

    def shapes(self, page_number: str) -> Iterator[Shape]:
        """Yield the lines of the command, and the number of the page at the right of the first."""
        above_last = (len(self._lines) - 1) * _FOOT_SIZE * _LINE_FACTOR
        y = self._bottom - _MARGIN - _FOOT_SIZE / 2 - above_last
        for index, line in enumerate(self._lines):
            yield Text(_MARGIN, y + index * _FOOT_SIZE * _LINE_FACTOR, line, _FOOT_SIZE)
        yield Text(self._width - _MARGIN, y, page_number, _FOOT_SIZE, "end")


class _KeyLayout(NamedTuple):
    """The columns of a page of the key."""

    size: float
    """The size of the letters."""
    positions: tuple[float, float, float]
    """The x of number, hand and answer from the left of a column."""
    rows: int
    """The number of answers in a full column."""
    entries_per_page: int


class _Key:
    """The pages of answers: number, hand and answer, in two columns if these fit."""

    def __init__(self, deal: Deal, answers: Answers, sheet: Sheet, foot: float) -> None:
        self._deal, self._answers = deal, answers
        # Without fractions in the puzzles, a value close to a target can still be 47/2.
        self._has_fractions = _have_fractions(deal)
        self._words, self._size = sheet.words, sheet.letter_sizes.key
        faces = faces_of(deal[0].game) if sheet.faces else {}
        self._hands = [
            " ".join(faces.get(number, format_hand([number])) for number in puzzle.hand)
            for puzzle in deal
        ]
        title = self._words.text("sheet.key")
        if sheet.heading:
            title = self._words.text("sheet.key_of", title=sheet.heading)
        # The key is for teachers: its title is not in large print.
        width, (sizes, max_lines, *_) = sheet.size[0] - 2 * _MARGIN, _DEFAULT_SIZES
        lines, size = _fitted(title, width, sizes, max_lines, bold=True)
        self._head = [
            Text(_MARGIN, _MARGIN + (index + 0.5) * size * _LINE_FACTOR, line, size, bold=True)
            for index, line in enumerate(lines)
        ]
        self._body = _body(sheet, len(lines) * size * _LINE_FACTOR + 3, foot)

    @cached_property
    def page_count(self) -> int:
        """The number of pages; computed without the answers if one column is enough."""
        rows = int(self._body.height / (self._size * _KEY_LINE_FACTOR))
        if len(self._deal) <= rows:
            return 1
        return -(-len(self._entries) // self._layout.entries_per_page)

    @cached_property
    def _entries(self) -> list[tuple[str, str, str]]:
        """The number, the hand and the answer of each puzzle, as texts."""
        rows = zip(self._deal, self._hands, self._answers(), strict=True)
        return [
            (str(number), hand, _key_text(puzzle, answer, self._words))
            for number, (puzzle, hand, answer) in enumerate(rows, 1)
        ]

    @cached_property
    def _layout(self) -> "_KeyLayout":
        """The columns: two if the longest entries fit, else one, in smaller letters if needed."""
        size = self._size
        numbers, hands, answers = (
            max(self._width(entry[part], size) for entry in self._entries) for part in range(3)
        )
        width = numbers + hands + answers + 2 * _KEY_GAP
        columns = 2 if 2 * width + _KEY_GAP <= self._body.width else 1
        scale = min(1.0, self._body.width / width)
        positions = (numbers * scale, (numbers + _KEY_GAP) * scale, (width - answers) * scale)
        rows = int(self._body.height / (size * scale * _KEY_LINE_FACTOR))
        return _KeyLayout(size * scale, positions, rows, rows * columns)

    def shapes(self, page: int) -> Iterator[Shape]:
        """Yield the shapes of a page with answers; the first page is 0."""
        yield from self._head
        size, positions, rows, entries_per_page = self._layout
        start = page * entries_per_page
        for index, entry in enumerate(self._entries[start : start + entries_per_page]):
            column, row = divmod(index, rows)
            x = self._body.x + column * (self._body.width + _KEY_GAP) / 2
            y = self._body.y + (row + 0.5) * size * _KEY_LINE_FACTOR
            for position, anchor, text in zip(positions, _KEY_ANCHORS, entry, strict=True):
                if self._has_fractions:
                    yield from line_shapes(text, x + position, y, size, anchor)
                else:
                    yield Text(x + position, y, text, size, anchor)

    def labels(self, page: int) -> Iterator[str]:
        """Yield the number, hand and answer of each puzzle of a page, for screen readers."""
        start = page * self._layout.entries_per_page
        entries = self._entries[start : start + self._layout.entries_per_page]
        for puzzle, (number, _, answer) in zip(self._deal[start:], entries, strict=False):
            yield entry_in_words(number, puzzle.hand, puzzle.target, answer, self._words)

    def _width(self, text: str, size: float) -> float:
        return line_width(text, size) if self._has_fractions else width_of(text, size)


def entry_in_words(number: str, hand: Hand, target: Exact, answer: str, language: Language) -> str:
    """Return a puzzle and its answer as text for screen readers, with fractions in words."""
    label = language.text("list.label", label=number, text=describe_card(hand, target, language))
    return language.text("list.label", label=label, text=line_in_words(answer, language))


def _key_text(puzzle: Puzzle, answer: str, words: Language) -> str:
    """Return an answer with its value, the target if the value is only close to it, and points."""
    if not puzzle.has_answer:
        return words.text("marks.unsolvable")
    value = STYLES[puzzle.style].format_value(puzzle.best)
    if puzzle.best == puzzle.target:
        text = f"{answer} = {value}"
        if not puzzle.game.operator_points:
            return text
        points = words.text("result.points", count=puzzle.most_points or 0)
        return words.text("list.label", label=text, text=points)
    values = {"answer": answer, "value": value, "target": puzzle.target}
    return words.text("sheet.nearest", **values)
