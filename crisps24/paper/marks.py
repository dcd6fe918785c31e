"""Collect the judged answers of a class, and lay them out as a table and on paper.

The table has a row per name and a column per puzzle. Below it are a key, with the likeliest
answer to each puzzle, and a list of mistakes, one sentence each.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from crisps24.drawing.drawings import GREY, PALE, PAPERS, Drawing, Line, Shape, Text
from crisps24.drawing.fractions import NumberShape, line_shapes, line_width, moved
from crisps24.drawing.lettering import fitting, width_of, wrapped
from crisps24.errors import RefusedError
from crisps24.judging.columns import PLACE_FIELD, puzzle_column
from crisps24.messages.message import ENGLISH, Language
from crisps24.output.tables import Row
from crisps24.output.workbooks import Cell, Worksheet
from crisps24.paper.sheets import Sheet, entry_in_words
from crisps24.puzzle import puzzle_of
from crisps24.rules.characters import compose_accents, escape_unprintable
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import has_fractions
from crisps24.rules.ids import is_id, parse_id
from crisps24.rules.words import format_value

MAX_NAMES = 1_000
MAX_MARKED_PUZZLES = 100
# Characters of a name that are shown, and of an answer or its reason.
_MAX_NAME_LENGTH = 60
_MAX_TEXT_LENGTH = 160
# Zero-width joiners: invisible characters that are removed from names.
_JOINERS = dict.fromkeys((0x200C, 0x200D))

# Lengths in millimetres.
_MARGIN = 12.0
_ROW_HEIGHT = 7.0
_LINE_HEIGHT = 5.2
_FRACTION_LINE_HEIGHT = 6.5
_MIN_NAME_WIDTH = 52.0
_MIN_COLUMN_WIDTH = 9.0
_MAX_COLUMN_WIDTH = 14.0
_SUM_WIDTH = 18.0
# Sizes of letters in millimetres.
_TITLE_SIZE = 6.0
_HEADING_SIZE = 4.4
_TEXT_SIZE = 3.6
_SMALL_SIZE = 3.0
_BELOW_SIZE = 2.2

# The colours of answers in a workbook.
_WRONG_COLOUR, _UNREAD_COLOUR = "#f4c7c3", "#fff2b3"

# An entry of a list: its height, and its texts and fractions with y from the top of the entry.
_Entry = tuple[float, list[NumberShape]]


class MarkedAnswer(NamedTuple):
    verdict: str
    value: str
    """The value of the answer if only the value is wrong; otherwise empty."""
    text: str
    """The answer and the reason of the verdict; empty without an answer, as for a ? alone."""
    points: int = 0
    below: str = ""
    """A short text below the tick of a right answer."""

    @property
    def is_blank(self) -> bool:
        return not self.text

    @property
    def is_unread(self) -> bool:
        """Whether a person has to look at it."""
        return self.verdict in ("unread", "malformed")


_Answers = Mapping[str, MarkedAnswer]


@dataclass(frozen=True, slots=True)
class Marks:
    """The answers of a class, by name and puzzle."""

    # The keys of the text below the table, and of the heading of the solutions.
    legend: ClassVar = "marks.legend"
    heading: ClassVar = "marks.key"
    has_reasons: ClassVar = True
    puzzles: tuple[str, ...]
    """The ids of the puzzles, in order of first appearance."""
    names: tuple[tuple[str, _Answers], ...]
    """Each name with its answers by puzzle id; the name can repeat or be empty."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """The likeliest answer to each puzzle, by its id: empty for a puzzle without a solution, and a
    sentence with the reason for a puzzle that cannot be solved, such as one that is too hard."""
    most_points: Mapping[str, int] = field(default_factory=dict)
    """The most points of each puzzle in a game that gives points for operators, by its id."""

    places: Mapping[str, str] = field(default_factory=dict)
    """The version and the number of each puzzle by its id, such as B3, in a test with versions."""

    def numbered(self) -> list[tuple[str, str]]:
        """Return the puzzles with their numbers on paper."""
        return [(self.places.get(id_, str(i)), id_) for i, id_ in enumerate(self.puzzles, 1)]

    def is_asked(self, puzzle: str, answers: _Answers) -> bool:
        """Return whether a person had a puzzle, which can be in another version of the test."""
        return not self.places or puzzle in answers

    def total(self, answers: _Answers) -> tuple[int, int]:
        """Return what a person has and can have: points if there are any, else right answers."""
        asked = [puzzle for puzzle in self.puzzles if self.is_asked(puzzle, answers)]
        if self.most_points:
            most = sum(self.most_points[puzzle] for puzzle in asked if puzzle in self.most_points)
            return sum(answer.points for answer in answers.values()), most
        return sum(map(_is_right, answers.values())), len(asked)

    def count_asked(self, puzzle: str) -> int:
        return sum(self.is_asked(puzzle, answers) for _, answers in self.names)

    def listed(self) -> Sequence[int]:
        """Return the indexes of the puzzles in the order of the list of solutions."""
        return range(len(self.puzzles))

    def count_right(self, puzzle: str) -> int:
        return sum(_is_right(answers.get(puzzle)) for _, answers in self.names)

    def rows(self) -> Iterator[Row]:
        """Yield a row for each person, then a row with the likeliest answer to each puzzle."""
        columns = [puzzle_column(*numbered) for numbered in self.numbered()]
        for name, answers in self.names:
            cells = [self._cell(puzzle, answers) for puzzle in self.puzzles]
            answer_count = sum(not answer.is_blank for answer in answers.values())
            right_count = sum(map(_is_right, answers.values()))
            row: Row = {"name": name, "right": right_count, "answers": answer_count}
            row["unread"] = sum(answer.is_unread for answer in answers.values())
            if self.most_points:
                row |= dict(zip(("points", "most"), self.total(answers), strict=True))
            yield row | dict(zip(columns, cells, strict=True))
        solutions = [self.answers[puzzle] or "no solution" for puzzle in self.puzzles]
        last_row = {**dict.fromkeys(row), "name": "likeliest answer"}
        yield last_row | dict(zip(columns, solutions, strict=True))

    def _cell(self, puzzle: str, answers: _Answers) -> str:
        answer = answers.get(puzzle)
        if answer and not answer.is_blank:
            return "right" if _is_right(answer) else answer.text
        return "no answer" if self.is_asked(puzzle, answers) else ""


def collect_marks(rows: Iterable[Row], style: str = "", language: Language = ENGLISH) -> Marks:
    """Collect the judged answers of a class by person and puzzle, and solve the puzzles."""
    puzzles: dict[str, None] = {}
    places: dict[str, str] = {}
    # Each person, as a name and the answers by puzzle; several people can have one name.
    people: list[tuple[str, dict[str, MarkedAnswer]]] = []
    # The answers of the last person of each name and version of a test.
    last_answers: dict[tuple[str, str], dict[str, MarkedAnswer]] = {}
    for row in rows:
        name, puzzle, place = clean_name(row.get("name")), row["puzzle"], _place_of(row)
        puzzles[puzzle] = None
        person = name, place[:1]
        is_new_person = person not in last_answers or puzzle in last_answers[person]
        if is_new_person:
            last_answers[person] = {}
            people.append((name, last_answers[person]))
        last_answers[person][puzzle] = _marked_answer(row, language)
        if place[1:]:
            places[puzzle] = place
        if len(puzzles) > MAX_MARKED_PUZZLES or len(people) > MAX_NAMES:
            raise RefusedError(
                f"marks have at most {MAX_NAMES:,} names and {MAX_MARKED_PUZZLES} puzzles: "
                "give the file in parts"
            )
    people = [
        (name, answers)
        for name, answers in people
        if name or not all(answer.is_blank for answer in answers.values())
    ]
    if not people:
        raise RefusedError("there is nobody to mark: the file has no answers")
    keys = {puzzle: likeliest_answer(puzzle, style, language) for puzzle in puzzles}
    answers = {puzzle: answer for puzzle, (answer, _) in keys.items()}
    most_points = {puzzle: most for puzzle, (_, most) in keys.items() if most is not None}
    # The versions of a test one after the other, whoever comes first.
    in_order = sorted(
        puzzles, key=lambda id_: (places.get(id_, "")[:1], places.get(id_, "")[1:].zfill(3))
    )
    return Marks(tuple(in_order), tuple(people), answers, most_points, places)


def _is_right(answer: MarkedAnswer | None) -> bool:
    return answer is not None and answer.verdict == "right"


def clean_name(name: Any) -> str:
    text = compose_accents(" ".join(str("" if name is None else name).split())).translate(_JOINERS)
    return _shorten(escape_unprintable(text), _MAX_NAME_LENGTH)


def _place_of(row: Row) -> str:
    """Return the version and the number of a puzzle, such as B3, or B without a number."""
    place = str(row.get(PLACE_FIELD))
    return place if re.fullmatch("[A-Z][0-9]{0,3}", place) else ""


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _marked_answer(row: Row, language: Language) -> MarkedAnswer:
    # A fraction is a text here, as in JSON.
    number = row["value"] if row["code"] == "value" else ""
    value = format_value(number) if isinstance(number, int) else str(number)
    answer = escape_unprintable(" ".join(str(row["text"] or "").split()))
    reason = _shorten(escape_unprintable(row["reason"] or ""), _MAX_TEXT_LENGTH)
    text = language.text("list.label", label=_shorten(answer, _MAX_TEXT_LENGTH), text=reason)
    # A cell such as ? or - says that there is no answer.
    is_blank = row["code"] == "no-answer" and not any(map(str.isalnum, answer))
    return MarkedAnswer(row["verdict"], value, "" if is_blank else text, row.get("points") or 0)


def likeliest_answer(puzzle_id: str, style: str, language: Language) -> tuple[str, int | None]:
    """Return the likeliest answer, "" or an error, and the most points if operators give some."""
    try:
        puzzle = puzzle_of(puzzle_id)
        if style:
            puzzle = puzzle.with_style(style)
        most_points = puzzle.most_points if puzzle.game.operator_points else None
        return puzzle.answer() if puzzle.solvable else "", most_points
    except RefusedError as error:
        return error.sentence(language), None


def marks_sheets(marks: Marks, sheet: Sheet) -> list[Worksheet]:
    """Return the sheets of a workbook: points by name, the mistakes with reasons, the key.

    A wrong answer is red and an unread one yellow. The sum follows if a point is changed, and the
    column of grades is empty.
    """
    words, puzzles = sheet.words, marks.puzzles
    name, reason = (words.text(f"column.{key}") for key in ("name", "reason"))
    numbered = [(int(at) if at.isdigit() else at, puzzle) for at, puzzle in marks.numbered()]
    columns = [puzzle_column(*each) for each in numbered]
    total = words.text("marks.points" if marks.most_points else "marks.right")
    points: list[list[Cell | str | int]] = [[name, *columns, total, words.text("marks.grade")]]
    mistakes: list[list[Cell | str | int]] = [[name, words.text("marks.number"), reason]]
    unread: list[list[Cell | str | int]] = []
    for person, answers in marks.names:
        cells = [_points_cell(answers.get(puzzle), marks) for puzzle in puzzles]
        points.append([person, *cells, Cell(marks.total(answers)[0], summed=len(cells))])
        for (number, puzzle), cell in zip(numbered, cells, strict=True):
            if cell.colour:
                entry = [person, number, Cell(answers[puzzle].text, cell.colour)]
                (unread if answers[puzzle].is_unread else mistakes).append(entry)
    # What a person has to look at comes first.
    mistakes[1:1] = unread
    points.append([words.text("marks.right"), *map(marks.count_right, puzzles)])
    key: list[list[Cell | str | int]] = [
        [number, puzzle, marks.answers[puzzle] or words.text("marks.unsolvable")]
        for number, puzzle in numbered
    ]
    return [
        Worksheet(points, words.text("marks.title"), headed=True),
        Worksheet(mistakes, words.text("marks.wrong"), headed=True),
        Worksheet(key, words.text("sheet.key")),
    ]


def _points_cell(answer: MarkedAnswer | None, marks: Marks) -> Cell:
    if answer is None or answer.is_blank:
        return Cell("")
    if _is_right(answer):
        return Cell(answer.points if marks.most_points else 1)
    return Cell("?", _UNREAD_COLOUR) if answer.is_unread else Cell(0, _WRONG_COLOUR)


def marks_title(sheet: Sheet) -> str:
    return sheet.title or sheet.words.text("marks.title")


def marks_pages(marks: Marks, sheet: Sheet) -> Iterator[Drawing]:
    """Yield the pages that show the marks of a class: a table."""
    layout = _Layout(marks, sheet)
    pages: list[Sequence[Shape]] = [*layout.tables()]
    table_count = len(pages)
    pages += layout.lists()
    for number, shapes in enumerate(pages, 1):
        page_number = layout.words.text("sheet.page", page=number, count=len(pages))
        foot = Text(layout.right, layout.bottom + 3, page_number, 2.4, "end")
        all_shapes = (*layout.head(), *shapes, foot)
        about = page_number
        if number == table_count + 1:
            # The solutions start on this page. Screen readers cannot read stacked fractions.
            about = layout.words.text("list.stop").join([page_number, *layout.labels()])
        yield Drawing(layout.width, layout.height, all_shapes, about, sheet.language)


class _Layout:
    def __init__(self, marks: Marks, sheet: Sheet) -> None:
        self.marks, self.title, self.words = marks, marks_title(sheet), sheet.words
        self.width, self.height = PAPERS[sheet.paper]
        self.right, self.bottom = self.width - _MARGIN, self.height - _MARGIN - 4
        self.top = _MARGIN + 1.6 * _TITLE_SIZE
        width = self.right - _MARGIN - _MIN_NAME_WIDTH - _SUM_WIDTH
        self.columns = max(1, min(len(marks.puzzles), int(width / _MIN_COLUMN_WIDTH)))
        self.column_width = min(width / self.columns, _MAX_COLUMN_WIDTH)
        self.name_width = self.right - _MARGIN - _SUM_WIDTH - self.columns * self.column_width

    def head(self) -> Iterator[Shape]:
        """Yield the title at the top of every page, in smaller letters if it is too wide."""
        size = fitting(self.title, _TITLE_SIZE, self.right - _MARGIN, bold=True)
        yield Text(_MARGIN, _MARGIN + _TITLE_SIZE / 2, self.title, size, bold=True)

    def tables(self) -> Iterator[list[Shape]]:
        """Yield the pages of the table, with a row for each name and a column for each puzzle."""
        text = self.words.text(self.marks.legend)
        size = fitting(text, _SMALL_SIZE, self.right - _MARGIN - 24)
        legend = Text(_MARGIN, self.bottom + 3, text, size)
        # One row has the numbers of the puzzles, and one the counts of right answers.
        names_per_page = int((self.bottom - self.top) / _ROW_HEIGHT) - 2
        numbered = self.marks.numbered()
        for first_name in range(0, len(self.marks.names), names_per_page):
            end = first_name + names_per_page
            names = self.marks.names[first_name:end]
            has_last_name = end >= len(self.marks.names)
            for first_column in range(0, len(numbered), self.columns):
                puzzles = numbered[first_column : first_column + self.columns]
                yield [*self._table(names, puzzles, with_counts=has_last_name), legend]

    def _table(
        self,
        names: Sequence[tuple[str, _Answers]],
        numbered: Sequence[tuple[str, str]],
        *,
        with_counts: bool,
    ) -> Iterator[Shape]:
        names_right = _MARGIN + self.name_width
        # The x of the middle of each column, and of the right edge of the table.
        middles = [names_right + self.column_width * (i + 0.5) for i in range(len(numbered))]
        end = names_right + self.column_width * len(numbered) + _SUM_WIDTH
        # The head of the table: the number of each puzzle.
        y = self.top + _ROW_HEIGHT / 2
        for x, (number, _) in zip(middles, numbered, strict=True):
            yield Text(x, y, number, _TEXT_SIZE, "middle", bold=True)
        head = "marks.points" if self.marks.most_points else "marks.right"
        yield Text(end, y, self.words.text(head), _SMALL_SIZE, "end")
        yield Line(_MARGIN, y + _ROW_HEIGHT / 2, end, y + _ROW_HEIGHT / 2, colour=GREY)
        # A row per person: the name, a mark for each puzzle, and the number of right answers.
        for name, answers in names:
            y += _ROW_HEIGHT
            yield from self._name(name or self.words.text("marks.nobody"), y)
            for x, (_, puzzle) in zip(middles, numbered, strict=True):
                if self.marks.is_asked(puzzle, answers):
                    yield from _mark(x, y, answers.get(puzzle), self.column_width)
            count, most = self.marks.total(answers)
            score = self.words.text("marks.of", right=count, count=most)
            yield Text(end, y, score, fitting(score, _SMALL_SIZE, _SUM_WIDTH - 1), "end")
            yield Line(
                _MARGIN, y + _ROW_HEIGHT / 2, end, y + _ROW_HEIGHT / 2, line=0.2, colour=PALE
            )
        if with_counts:
            y += _ROW_HEIGHT
            yield Text(_MARGIN, y, self.words.text("marks.right"), _SMALL_SIZE)
            for x, (_, puzzle) in zip(middles, numbered, strict=True):
                yield Text(x, y, str(self.marks.count_right(puzzle)), _SMALL_SIZE, "middle")

    def _name(self, name: str, y: float) -> Iterator[Shape]:
        """Yield a name in its column, in smaller letters or shortened if it is too long."""
        width = self.name_width - 3
        while width_of(name, _SMALL_SIZE) > width:
            name = f"{name[:-2]}…"
        yield Text(_MARGIN, y, name, fitting(name, _TEXT_SIZE, width))

    def lists(self) -> Iterator[list[NumberShape]]:
        """Yield the pages after the table: the solutions, then the mistakes."""
        page: list[NumberShape] = []
        y = self.top
        for height, texts in self._entries():
            if page and y + height > self.bottom:
                yield page
                page, y = [], self.top
            page += (moved(text, 0, y) for text in texts)
            y += height
        yield page

    def labels(self) -> Iterator[str]:
        """Yield the solution of each puzzle with a fraction as text for screen readers."""
        for number, puzzle in self.marks.numbered():
            if _has_fraction(puzzle):
                _, hand, target = parse_id(puzzle)
                solution = self.marks.answers[puzzle] or self.words.text("marks.unsolvable")
                yield entry_in_words(number, hand, target, solution, self.words)

    def _entries(self) -> Iterator[_Entry]:
        yield self._heading(self.marks.heading)
        hands = {puzzle: self._hand_text(puzzle) for puzzle in self.marks.puzzles}
        widest_hand = max(
            line_width(hand, _TEXT_SIZE) if _has_fraction(puzzle) else width_of(hand, _TEXT_SIZE)
            for puzzle, hand in hands.items()
        )
        hand_width = min(70.0, widest_hand + 5)
        numbered = self.marks.numbered()
        for index in self.marks.listed():
            number, puzzle = numbered[index]
            height = _FRACTION_LINE_HEIGHT if _has_fraction(puzzle) else _LINE_HEIGHT
            yield height, self._solution_line(number, puzzle, hands[puzzle], hand_width)
        if not self.marks.has_reasons:
            return
        yield from self._mistakes("marks.look", is_unread=True)
        yield from self._mistakes("marks.wrong", is_unread=False)

    def _solution_line(
        self, number: str, puzzle: str, hand: str, hand_width: float
    ) -> list[NumberShape]:
        """Return the texts of the line with the solution of a puzzle, from left to right."""
        solution = self.marks.answers[puzzle] or self.words.text("marks.unsolvable")
        right_count, name_count = self.marks.count_right(puzzle), self.marks.count_asked(puzzle)
        score = self.words.text("marks.of", right=right_count, count=name_count)
        stacked = _has_fraction(puzzle)
        y = (_FRACTION_LINE_HEIGHT if stacked else _LINE_HEIGHT) / 2
        hand_x = _MARGIN + 10
        solution_x = hand_x + hand_width
        solution_width = self.right - solution_x - 24
        return [
            Text(hand_x - 3, y, number, _TEXT_SIZE, "end", bold=True),
            *_fitting_line(hand, hand_x, y, hand_width - 3, stacked=stacked),
            *_fitting_line(solution, solution_x, y, solution_width, stacked=stacked),
            Text(self.right, y, score, _SMALL_SIZE, "end"),
        ]

    def _mistakes(self, heading: str, *, is_unread: bool) -> Iterator[_Entry]:
        """Yield a heading, then each person's name with the mistakes, in the order of the table."""
        has_heading, totals = False, Counter(name for name, _ in self.marks.names)
        seen = Counter[str]()
        for name, answers in self.marks.names:
            seen[name] += 1
            cells = [(number, answers.get(puzzle)) for number, puzzle in self.marks.numbered()]
            mistakes = [
                (number, answer.text)
                for number, answer in cells
                if answer and not answer.is_blank and not _is_right(answer)
                if answer.is_unread is is_unread
            ]
            if mistakes and not has_heading:
                yield self._heading(heading, _HEADING_SIZE)
                has_heading = True
            for index, mistake in enumerate(mistakes):
                height, texts = self._mistake(*mistake)
                if index == 0:
                    # The name and the first mistake are one entry, which no page break divides.
                    label = name or self.words.text("marks.nobody")
                    label += f" ({seen[name]})" if totals[name] > 1 else ""
                    above = Text(_MARGIN, 0.8 * _LINE_HEIGHT, label, _TEXT_SIZE)
                    height += 1.3 * _LINE_HEIGHT
                    texts = [above, *(moved(text, 0, 1.3 * _LINE_HEIGHT) for text in texts)]
                yield height, texts

    def _mistake(self, number: str, mistake: str) -> _Entry:
        x, line_height = _MARGIN + 10, 0.85 * _LINE_HEIGHT
        number_text = Text(x - 3, line_height / 2, number, _SMALL_SIZE, "end", bold=True)
        lines = wrapped(mistake, _SMALL_SIZE, self.right - x)
        line_texts = [
            Text(x, (index + 0.5) * line_height, line, _SMALL_SIZE)
            for index, line in enumerate(lines)
        ]
        return len(lines) * line_height, [number_text, *line_texts]

    def _heading(self, name: str, above: float = 0) -> _Entry:
        text = self.words.text(name)
        size = fitting(text, _HEADING_SIZE, self.right - _MARGIN, bold=True)
        return above + 2 * _HEADING_SIZE, [
            Text(_MARGIN, above + _HEADING_SIZE, text, size, bold=True)
        ]

    def _hand_text(self, puzzle_id: str) -> str:
        if not is_id(puzzle_id):
            return "" if puzzle_id.isdigit() else puzzle_id
        _, hand, target = parse_id(puzzle_id)
        return self.words.text("marks.puzzle", target=format_value(target), hand=format_hand(hand))


def _has_fraction(puzzle_id: str) -> bool:
    if not is_id(puzzle_id):
        return False
    _, hand, target = parse_id(puzzle_id)
    return has_fractions((*hand, target))


def _fitting_line(
    text: str, x: float, y: float, width: float, *, stacked: bool
) -> Sequence[NumberShape]:
    """Return the shapes of a line of a list, in smaller letters if it is too wide."""
    if stacked:
        own_width = line_width(text, _TEXT_SIZE)
        return line_shapes(text, x, y, _TEXT_SIZE * min(1, width / own_width))
    return [Text(x, y, text, fitting(text, _TEXT_SIZE, width))]


def _mark(x: float, y: float, answer: MarkedAnswer | None, width: float) -> Iterator[Shape]:
    """Yield the shapes that show in the table whether an answer is right."""
    if answer is None or answer.is_blank:
        yield Line(x - 1, y, x + 1, y, colour=GREY)
    elif _is_right(answer):
        if answer.below:
            size = fitting(answer.below, _BELOW_SIZE, width - 1)
            yield Text(x, y + 2.1, answer.below, size, "middle")
            y -= 1.1
        yield Line(x - 1.6, y + 0.2, x - 0.5, y + 1.4, line=0.5)
        yield Line(x - 0.5, y + 1.4, x + 1.7, y - 1.6, line=0.5)
    elif answer.value or answer.is_unread:
        text = answer.value or "?"
        yield Text(x, y, text, fitting(text, _SMALL_SIZE, width - 1), "middle")
    else:
        yield Line(x - 1.1, y - 1.1, x + 1.1, y + 1.1)
        yield Line(x - 1.1, y + 1.1, x + 1.1, y - 1.1)
