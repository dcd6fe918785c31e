"""Marks: the judged answers of a class, as a table and on paper.

The table has a row for each name and a column for each puzzle. Then come a key, with the likeliest
answer to each puzzle, and the mistakes, in a sentence each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from crisps24.drawing.drawings import GREY, PALE, PAPERS, Drawing, Line, Shape, Text
from crisps24.drawing.lettering import fitting, width_of, wrapped
from crisps24.errors import RefusedError
from crisps24.judging.records import puzzle_column
from crisps24.messages.message import ENGLISH, Language
from crisps24.output.tables import Row
from crisps24.paper.sheets import Sheet
from crisps24.puzzle import puzzle_of
from crisps24.rules.characters import compose_accents, escape_unprintable
from crisps24.rules.deals import format_hand
from crisps24.rules.ids import parse_id
from crisps24.rules.words import format_value

MOST_NAMES, MOST_COLUMNS = 1_000, 100
# Of a name, and of an answer and what is wrong with it, so many characters are told.
_LONGEST_NAME, _LONGEST_TOLD = 60, 160
# What joins letters or keeps them apart is seen in these alone.
_JOINERS = dict.fromkeys((0x200C, 0x200D))

# Millimetres: around a page, a line of the table and of what follows, the columns.
_MARGIN, _ROW, _LINE = 12.0, 7.0, 5.2
_NAMES, _COLUMN, _SUM = 52.0, (9.0, 14.0), 18.0
_TITLE, _HEADING, _SIZE, _SMALL = 6.0, 4.4, 3.6, 3.0

# How high something in a list is, and its texts as from the top of a page.
_Listed = tuple[float, list[Text]]


class Answered(NamedTuple):
    """What came of one answer."""

    verdict: str
    made: str
    """What it makes, where it is of the right numbers and that is what is wrong; else nothing."""
    told: str
    """The answer, and what is wrong with it; nothing where nothing was written."""

    @property
    def blank(self) -> bool:
        """Whether nothing was written."""
        return not self.told


@dataclass(frozen=True, slots=True)
class Marks:
    """The answers of a class, by name and then by puzzle."""

    puzzles: tuple[str, ...]
    """Their ids, in the order in which they were asked first."""
    names: tuple[tuple[str, Mapping[str, Answered]], ...]
    """Each with what came of the answers; two may be the same."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """The likeliest answer to each puzzle; nothing where it has no solution."""

    def right(self, puzzle: str) -> int:
        """Return how many answered a puzzle rightly."""
        return sum(_is_right(found.get(puzzle)) for _, found in self.names)

    def rows(self) -> Iterator[Row]:
        """Yield a row a name, then one of the likeliest answers, for a table.

        >>> row = {"name": "Ann", "puzzle": "cards:3.8=24", "verdict": "right", "code": "ok"}
        >>> [*marks_of([row | {"value": 24, "reason": "", "text": "3 x 8"}]).rows()][0]
        {'name': 'Ann', 'right': 1, 'answers': 1, '1 cards:3.8=24': 'right'}
        """
        columns = [puzzle_column(*each) for each in enumerate(self.puzzles, 1)]
        for name, found in self.names:
            told = [_cell(found.get(puzzle)) for puzzle in self.puzzles]
            given = sum(not each.blank for each in found.values())
            right = sum(map(_is_right, found.values()))
            row = {"name": name, "right": right, "answers": given}
            yield row | dict(zip(columns, told, strict=True))
        key = [self.answers[puzzle] or "no solution" for puzzle in self.puzzles]
        last = {"name": "likeliest answer", "right": None, "answers": None}
        yield last | dict(zip(columns, key, strict=True))


def marks_of(rows: Iterable[Row], style: str = "", language: Language = ENGLISH) -> Marks:
    """Return the marks of answers that were judged, each with its `name` and its `puzzle`, an id.

    Who has two answers to a puzzle is two people of one name; a row without name and answers is
    nobody's. The likeliest answers are written in a style, in that of each game where none is
    named. The `language` is that of sentences; the reasons of the rows have theirs.

    Raises ValueError, in one sentence, for more than 1,000 names and for more than 100 puzzles,
    and for a file in which nobody answers.
    """
    puzzles: dict[str, None] = {}
    names: list[tuple[str, dict[str, Answered]]] = []
    latest: dict[str, dict[str, Answered]] = {}
    for row in rows:
        name, puzzle = _name_of(row.get("name")), row["puzzle"]
        puzzles[puzzle] = None
        if name not in latest or puzzle in latest[name]:
            latest[name] = {}
            names.append((name, latest[name]))
        latest[name][puzzle] = _answered(row, language)
        if len(puzzles) > MOST_COLUMNS or len(names) > MOST_NAMES:
            raise RefusedError(
                f"marks have at most {MOST_NAMES:,} names and {MOST_COLUMNS} puzzles: "
                "give the file in parts"
            )
    named = [each for each in names if each[0] or not all(one.blank for one in each[1].values())]
    if not named:
        raise RefusedError("there is nobody to mark: the file has no answers")
    answers = {puzzle: _likeliest(puzzle, style, language) for puzzle in puzzles}
    return Marks(tuple(puzzles), tuple(named), answers)


def _is_right(found: Answered | None) -> bool:
    return found is not None and found.verdict == "right"


def _name_of(name: Any) -> str:
    text = compose_accents(" ".join(str("" if name is None else name).split())).translate(_JOINERS)
    return _cut(escape_unprintable(text), _LONGEST_NAME)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _answered(row: Row, language: Language) -> Answered:
    made = format_value(row["value"]) if row["code"] == "value" else ""
    said = escape_unprintable(" ".join(str(row["text"] or "").split()))
    reason = _cut(escape_unprintable(row["reason"] or ""), _LONGEST_TOLD)
    told = language.text("list.label", label=_cut(said, _LONGEST_TOLD), text=reason)
    return Answered(row["verdict"], made, told if said else "")


def _cell(found: Answered | None) -> str:
    if found is None or found.blank:
        return ""
    return "right" if _is_right(found) else found.told


def _likeliest(named: str, style: str, language: Language) -> str:
    try:
        puzzle = puzzle_of(named)
        if style:
            puzzle = puzzle.with_style(style)
        return puzzle.answer() if puzzle.solvable else ""
    except RefusedError as error:
        return error.sentence(language)


def title_of_marks(sheet: Sheet) -> str:
    """Return what stands above the marks that are laid out on a sheet.

    >>> title_of_marks(Sheet(language="de")), title_of_marks(Sheet(title="Class 5b"))
    ('Auswertung', 'Class 5b')
    """
    return sheet.title or sheet.words.text("marks.title")


def pages_of_marks(marks: Marks, sheet: Sheet) -> Iterator[Drawing]:
    """Yield the pages of marks: the table, then the key and what was wrong.

    Of the sheet its paper, its title and its language count.
    """
    layout = _Layout(marks, sheet)
    pages: list[Sequence[Shape]] = [*layout.tables(), *layout.lists()]
    for number, shapes in enumerate(pages, 1):
        told = layout.words.text("sheet.page", page=number, count=len(pages))
        foot = Text(layout.right, layout.bottom + 3, told, 2.4, "end")
        shown = (*layout.head(), *shapes, foot)
        yield Drawing(layout.width, layout.height, shown, told, sheet.language)


class _Layout:
    """The layout of marks on pages of a size."""

    def __init__(self, marks: Marks, sheet: Sheet) -> None:
        self.marks, self.title, self.words = marks, title_of_marks(sheet), sheet.words
        self.width, self.height = PAPERS[sheet.paper]
        self.right, self.bottom = self.width - _MARGIN, self.height - _MARGIN - 4
        self.top = _MARGIN + 1.6 * _TITLE
        # As many columns as fit, none narrower than can be read.
        width = self.right - _MARGIN - _NAMES - _SUM
        self.across = max(1, min(len(marks.puzzles), int(width / _COLUMN[0])))
        self.column = min(width / self.across, _COLUMN[1])
        self.names = self.right - _MARGIN - _SUM - self.across * self.column

    def head(self) -> Iterator[Shape]:
        """Yield what stands above every page."""
        size = fitting(self.title, _TITLE, self.right - _MARGIN, bold=True)
        yield Text(_MARGIN, _MARGIN + _TITLE / 2, self.title, size, bold=True)

    def tables(self) -> Iterator[list[Shape]]:
        """Yield the pages of the table: names down, and as many puzzles across as fit."""
        # A line is for the numbers of the puzzles, and one for how many were right.
        down = int((self.bottom - self.top) / _ROW) - 2
        numbered = list(enumerate(self.marks.puzzles, 1))
        for first in range(0, len(self.marks.names), down):
            names = self.marks.names[first : first + down]
            for begin in range(0, len(numbered), self.across):
                some = numbered[begin : begin + self.across]
                last = first + down >= len(self.marks.names)
                yield [*self._table(names, some, summed=last), self._legend()]

    def _legend(self) -> Text:
        """Return the meaning of the cells, at the foot of a page of the table."""
        told = self.words.text("marks.legend")
        size = fitting(told, _SMALL, self.right - _MARGIN - 24)
        return Text(_MARGIN, self.bottom + 3, told, size)

    def _table(
        self,
        names: Sequence[tuple[str, Mapping[str, Answered]]],
        numbered: Sequence[tuple[int, str]],
        *,
        summed: bool,
    ) -> Iterator[Shape]:
        begin = _MARGIN + self.names
        middles = [begin + self.column * (at + 0.5) for at in range(len(numbered))]
        end = begin + self.column * len(numbered) + _SUM
        y = self.top + _ROW / 2
        for x, (number, _) in zip(middles, numbered, strict=True):
            yield Text(x, y, str(number), _SIZE, "middle", bold=True)
        yield Text(end, y, self.words.text("marks.right"), _SMALL, "end")
        yield Line(_MARGIN, y + _ROW / 2, end, y + _ROW / 2, colour=GREY)
        for name, found in names:
            y += _ROW
            yield from self._name(name or self.words.text("marks.nobody"), y)
            for x, (_, puzzle) in zip(middles, numbered, strict=True):
                yield from _mark(x, y, found.get(puzzle), self.column)
            right = sum(map(_is_right, found.values()))
            told = self.words.text("marks.of", right=right, count=len(self.marks.puzzles))
            yield Text(end, y, told, fitting(told, _SMALL, _SUM - 1), "end")
            yield Line(_MARGIN, y + _ROW / 2, end, y + _ROW / 2, line=0.2, colour=PALE)
        if summed:
            y += _ROW
            yield Text(_MARGIN, y, self.words.text("marks.right"), _SMALL)
            for x, (_, puzzle) in zip(middles, numbered, strict=True):
                yield Text(x, y, str(self.marks.right(puzzle)), _SMALL, "middle")

    def _name(self, name: str, y: float) -> Iterator[Shape]:
        """Yield a name in its column, in small letters and cut if the column is too narrow."""
        width = self.names - 3
        while width_of(name, _SMALL) > width:
            name = f"{name[:-2]}…"
        yield Text(_MARGIN, y, name, fitting(name, _SIZE, width))

    def lists(self) -> Iterator[list[Text]]:
        """Yield the pages of the key, and of what was wrong."""
        page: list[Text] = []
        y = self.top
        for high, texts in self._listed():
            if page and y + high > self.bottom:
                yield page
                page, y = [], self.top
            page += (_moved(text, y) for text in texts)
            y += high
        yield page

    def _listed(self) -> Iterator[_Listed]:
        """Yield the entries of the key and the mistakes, each from the top of a page."""
        yield self._heading("marks.key")
        hands = {puzzle: self._puzzle(puzzle) for puzzle in self.marks.puzzles}
        at = _MARGIN + 10
        width = min(70.0, max(width_of(told, _SIZE) for told in hands.values()) + 5)
        many = len(self.marks.names)
        for number, (puzzle, told) in enumerate(hands.items(), 1):
            answer = self.marks.answers[puzzle] or self.words.text("marks.unsolvable")
            right = self.words.text("marks.of", right=self.marks.right(puzzle), count=many)
            y, left = _LINE / 2, self.right - at - width - 24
            yield (
                _LINE,
                [
                    Text(at - 3, y, str(number), _SIZE, "end", bold=True),
                    Text(at, y, told, fitting(told, _SIZE, width - 3)),
                    Text(at + width, y, answer, fitting(answer, _SIZE, left)),
                    Text(self.right, y, right, _SMALL, "end"),
                ],
            )
        yield from self._mistakes()

    def _mistakes(self) -> Iterator[_Listed]:
        """Yield the mistakes by name, under a heading."""
        headed = False
        for name, found in self.marks.names:
            cells = enumerate((_cell(found.get(puzzle)) for puzzle in self.marks.puzzles), 1)
            wrong = [(number, told) for number, told in cells if told not in ("", "right")]
            if wrong and not headed:
                yield self._heading("marks.wrong", _HEADING)
                headed = True
            for place, mistake in enumerate(wrong):
                high, texts = self._mistake(*mistake)
                if place == 0:
                    # Beside its first mistake no name is left at the foot of a page.
                    above = Text(
                        _MARGIN, 0.8 * _LINE, name or self.words.text("marks.nobody"), _SIZE
                    )
                    high += 1.3 * _LINE
                    texts = [above, *(_moved(text, 1.3 * _LINE) for text in texts)]
                yield high, texts

    def _mistake(self, number: int, told: str) -> _Listed:
        at, high = _MARGIN + 10, 0.85 * _LINE
        texts = [Text(at - 3, high / 2, str(number), _SMALL, "end", bold=True)]
        for line in wrapped(told, _SMALL, self.right - at):
            texts.append(Text(at, (len(texts) - 0.5) * high, line, _SMALL))
        return (len(texts) - 1) * high, texts

    def _heading(self, name: str, above: float = 0) -> _Listed:
        text = self.words.text(name)
        size = fitting(text, _HEADING, self.right - _MARGIN, bold=True)
        return above + 2 * _HEADING, [Text(_MARGIN, above + _HEADING, text, size, bold=True)]

    def _puzzle(self, named: str) -> str:
        """Return the hand and the target of a puzzle."""
        _, hand, target = parse_id(named)
        return self.words.text("marks.puzzle", target=format_value(target), hand=format_hand(hand))


def _moved(text: Text, down: float) -> Text:
    return replace(text, y=text.y + down)


def _mark(x: float, y: float, found: Answered | None, width: float) -> Iterator[Shape]:
    """Yield the mark of an answer: a tick, its value, a cross, or a dash if it is blank."""
    if found is None or found.blank:
        yield Line(x - 1, y, x + 1, y, colour=GREY)
    elif _is_right(found):
        yield Line(x - 1.6, y + 0.2, x - 0.5, y + 1.4, line=0.5)
        yield Line(x - 0.5, y + 1.4, x + 1.7, y - 1.6, line=0.5)
    elif found.made:
        yield Text(x, y, found.made, fitting(found.made, _SMALL, width - 1), "middle")
    else:
        yield Line(x - 1.1, y - 1.1, x + 1.1, y + 1.1)
        yield Line(x - 1.1, y + 1.1, x + 1.1, y - 1.1)
