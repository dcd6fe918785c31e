"""Tables of a class as teachers' programs save them: pupils down, puzzles across, answers in cells.

The *header* is the row that names puzzles: ids, or hands in any words (`Card 1: 3 3 8 8`). Without
one, a column can name the puzzle in each row, as `Question 1` does before `Response 1`. The
separator is the one that gives most columns with puzzles. Of the other columns only the names are
used; all is said in one line. `class_tables.toml` has the words that this needs.
"""

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import zip_longest
from pkgutil import get_data
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.columns import ANSWER_COLUMNS, ANSWER_FIELDS, column_name, id_of_column
from crisps24.judging.table_rows import (
    MAX_RECORD_BYTES,
    ByteStream,
    RecordLine,
    TableLine,
    given_separator,
    read_records,
    read_text_lines,
    starts_json_lines,
    table_rows,
)
from crisps24.output.encodings import SHEET_START
from crisps24.output.tables import plain_cell
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import format_id

_MAX_BYTES = 100_000_000
_SEPARATORS = ";\t,|"
_WORDS = tomllib.loads((get_data(__package__, "class_tables.toml") or b"").decode())
_BETWEEN = {"", *",;/-–—|，、", *_WORDS["between"].split("|")}
_IS_NAME, _IS_FIRST, _IS_LAST = (
    re.compile(rf"\W*+(?:[0-9]++\W++)?+(?:{_WORDS[kind]})\W*+", re.IGNORECASE)
    for kind in ("names", "first", "last")
)
_IS_NOTE = re.compile(rf"\W*(?:{_WORDS['notes']})(?![a-z])", re.IGNORECASE)
_IS_GROUP, _IS_SUMMARY = (
    re.compile(rf"(?<![^\W_])(?:{_WORDS[kind]})(?![^\W_])", re.IGNORECASE)
    for kind in ("groups", "summaries")
)
_HAND_NUMBER = re.compile(r"(?<![A-Za-z0-9.])(?:[0-9]{1,9}|[AJQK])(?![A-Za-z0-9])")
_NAME = re.compile(r"(?:[^\w@=*/()]|_)*+[^\W\d_][^\d@=*/()]*+")
# A hand, or an answer such as 9-3-3-8.
_IS_DASHED = re.compile(r"[0-9 ]*+[-–—/][-–—/0-9 ]*+")
_TARGET = re.compile(r"(?:=|->|→)\s*(-?[0-9]{1,9})\W*$")
_EXPECTED = "expected headers such as 3 3 8 8, or 1, 2, 3 with --file PUZZLES"

_Cells = list[str]
# The number of a line, with its cells or its error.
_Row = tuple[int, _Cells | RefusedError]


class ClassPuzzles(NamedTuple):
    """Which puzzles the headers of a table can name."""

    game: Game
    target: Exact | None
    listed: Sequence[str] = ()
    """The ids of the puzzles that headers such as 1, 2, 3 count."""

    def id_in(self, text: str) -> str | None:
        """Return the id of the puzzle that a header or a question names, or None."""
        if (known := id_of_column(text)) or _IS_NOTE.match(text):
            return known
        hands = {hand for written in _lists_in(text) if (hand := self._hand(written))}
        stated = _TARGET.search(text)
        target = int(stated[1]) if stated else self.target
        if len(hands) != 1 or target is None:
            return None
        return format_id(self.game, hands.pop(), target)

    def _hand(self, written: Sequence[str]) -> Hand | None:
        """Return a list of numbers as a hand, without the target at an end."""
        if len(written) > self.game.length and str(self.target) in (written[0], written[-1]):
            written = written[:-1] if written[-1] == str(self.target) else written[1:]
        try:
            is_hand = len(written) == self.game.length
            hand = parse_hand(list(written), self.game) if is_hand else None
        except CrispsError:
            return None
        return tuple(sorted(hand)) if hand and {*hand} <= {*self.game.numbers} else None


def _lists_in(text: str) -> list[list[str]]:
    """Return the lists of numbers in a text."""
    lists, end = list[list[str]](), 0
    for match in _HAND_NUMBER.finditer(text):
        gap = text[end : match.start()].strip().casefold()
        if gap not in _BETWEEN or not lists:
            lists.append([])
        lists[-1].append(match[0])
        end = match.end()
    return lists


def read_class(
    source: ByteStream, known: ClassPuzzles, note: Callable[[str], object]
) -> Iterator[RecordLine]:
    """Yield a record for each answer in the table of a class; other files as `read_records` does.

    A record has `name`, `id` and the answer. `note` is told what was taken as what. In a workbook,
    one sheet has to be a class.
    """
    data = b""
    while piece := source.read1(1 << 20):
        data += piece
        if len(data) > _MAX_BYTES:
            raise RefusedError(f"the file has more than {_MAX_BYTES // 10**6} MB: give it in parts")
    start, *sheets = re.split(f"^{SHEET_START}(.*)\n".encode(), data, flags=re.MULTILINE)
    classes = dict[str, _ClassTable]()
    names = [name.decode() for name in sheets[::2]]
    for name, text in zip(names or [""], sheets[1::2] or [start], strict=True):
        lines = _lines_of(text)
        if _names_answers(str(lines[0][1])) if lines else not sheets:
            yield from read_records(BytesIO(text), ANSWER_COLUMNS)
            return
        if table := _class_table(lines, known):
            classes[name] = table
    if len(classes) > 1:
        both = " and ".join([*classes][:2])
        raise RefusedError(f"the sheets {both} have a class (expected --sheet-name with one)")
    if not classes:
        hint = "" if known.game.target else "; for hands, add --game cards"
        raise RefusedError(f"no column names a puzzle ({_EXPECTED}{hint})")
    if others := [name for name in names if name not in classes]:
        note(f"the sheet {next(iter(classes))} is read, not {', '.join(others)}")
    for table in classes.values():
        yield from table.records(note)


def _lines_of(data: bytes) -> list[TableLine]:
    """Return the lines of a table from the first with text; none if it is long, or no table."""
    lines: list[TableLine] = []
    if len(data) <= MAX_RECORD_BYTES:
        for number, line in read_text_lines(BytesIO(data), stripped="\n\r\v\f"):
            lines += [(number, line or "")] if lines or line is None or line.strip() else []
    return [] if lines and starts_json_lines(lines[0][1]) else lines


def _names_answers(header: str) -> bool:
    """Return whether a table has a row for each answer."""
    names = [column_name(cell, ANSWER_COLUMNS) for cell in re.split("[,;\t]", header)]
    return not {*names}.isdisjoint(ANSWER_COLUMNS)


class _ClassTable(NamedTuple):
    """A table with its header; `ids` has the puzzles by column, or None where cells name them."""

    header: Sequence[str]
    ids: Mapping[int, str | None]
    rows: Sequence[_Row]
    known: ClassPuzzles
    problem: str = ""
    """Why it cannot be read."""

    def records(self, note: Callable[[str], object]) -> Iterator[RecordLine]:
        names, left_out = self._name_columns(), list[str]()
        people = [row for row in self.rows if self._is_person(row[1], names, left_out)]
        questions = {column - 1 for column, id_ in self.ids.items() if id_ is None}
        used = {*names, *self.ids, *questions}
        unused = [cell for i, cell in enumerate(self.header) if cell and i not in used]
        said = f"names: {' '.join(self.header[i] or f'column {i + 1}' for i in names)}"
        said += f"; {len(self.ids)} puzzle{'s' * (len(self.ids) > 1)}"
        said += f"; not used: {', '.join(unused)}" if unused else ""
        said += f"; left out: {', '.join(left_out)}" if left_out else ""
        if unused or left_out or not all(id_of_column(self.header[i]) for i in self.ids):
            note(said)
        for number, row in people:
            if isinstance(row, RefusedError):
                yield number, row
                continue
            name = " ".join(filter(None, (row[i] for i in names)))
            for column, id_ in self.ids.items():
                if asked := id_ or self.known.id_in(row[column - 1]):
                    yield number, {"name": name, "id": asked, ANSWER_FIELDS[0]: row[column]}

    def size(self) -> tuple[int, int]:
        """Return the numbers of puzzles and of answers."""
        bodies = [cells for _, cells in self.rows if isinstance(cells, list)]
        return len(self.ids), sum(bool(cells[i]) for cells in bodies for i in self.ids)

    def _name_columns(self) -> Sequence[int]:
        free = [i for i, _ in enumerate(self.header) if i not in self.ids]
        first = [i for i in free if _IS_FIRST.fullmatch(self.header[i])]
        last = [i for i in free if _IS_LAST.fullmatch(self.header[i])]
        names = [i for i in free if _IS_NAME.fullmatch(self.header[i])]
        if first and last and first[0] != last[0]:
            return first[0], last[0]
        if found := names or last or first or list(filter(self._has_names, free)):
            return found[:1]
        raise RefusedError("no column has names (expected a header such as Name or Vorname)")

    def _has_names(self, column: int) -> bool:
        cells = [row[column] for _, row in self.rows if isinstance(row, list) and row[column]]
        is_note = _IS_NOTE.match(self.header[column]) or _IS_GROUP.search(self.header[column])
        return not is_note and len({*filter(_NAME.fullmatch, cells)}) > len(cells) / 2

    def _is_person(
        self, row: _Cells | RefusedError, names: Sequence[int], left_out: list[str]
    ) -> bool:
        """Return whether a row is one of a pupil; add the text of another one to `left_out`."""
        if isinstance(row, RefusedError):
            return True
        written = [cell for cell in row if cell]
        has_name, has_answer = any(row[i] for i in names), any(row[i] for i in self.ids)
        is_formula = any(len(_HAND_NUMBER.findall(row[i])) > 2 for i in self.ids)
        heads = [*filter(None, row[: min(self.ids)])]
        is_summary = any(map(_IS_SUMMARY.search, heads)) and not is_formula
        is_alone = len(written) == 1 and not _NAME.fullmatch(written[0])
        is_group = not has_answer and (is_alone or any(map(_IS_GROUP.search, heads)))
        is_person = (has_name or has_answer) and not (is_summary or is_group or row == self.header)
        if not is_person:
            left_out += (heads or written)[:1]
        return is_person


def _class_table(lines: Sequence[TableLine], known: ClassPuzzles) -> _ClassTable | None:
    """Return the table in some lines, or None; puzzles can also be down, and pupils across."""
    given = given_separator(lines[0][1]) if lines else None
    lines = lines[1:] if given else lines
    problems = list[str]()
    head = "".join(str(line) for _, line in lines[:1])
    separators = sorted(given or _SEPARATORS, key=head.count, reverse=True)
    as_given = [list(table_rows(lines, sign)) for sign in separators]
    for turned, tried in ((False, as_given), (True, map(_turned, as_given))):
        tables = [table for rows in tried if (table := _table_of(rows, known))]
        if turned:
            # Puzzles down the side are in adjacent rows.
            tables = [t for t in tables if 1 < len(t.ids) == max(t.ids) - min(t.ids) + 1]
        clear = [table for table in tables if not table.problem]
        if clear:
            return max(clear, key=_ClassTable.size)
        problems += [table.problem for table in tables if not turned]
    if problems:
        raise RefusedError(problems[0])
    return None


def _turned(rows: Sequence[_Row]) -> list[tuple[int, _Cells]]:
    """Return the columns of a table as rows."""
    bodies = [cells for _, cells in rows if isinstance(cells, list)]
    columns = zip_longest(*bodies, fillvalue="")
    return [(number, list(column)) for number, column in enumerate(columns, 1)]


def _table_of(given: Sequence[_Row], known: ClassPuzzles) -> _ClassTable | None:
    """Return the table of some rows, or None if it names no puzzles."""
    rows: list[_Row] = [
        (line, cells if isinstance(cells, RefusedError) else [plain_cell(c).strip() for c in cells])
        for line, cells in given
    ]
    headers = list[tuple[int, _Cells, dict[int, str | None]]]()
    is_top = True
    for at, (_, cells) in enumerate(rows):
        if isinstance(cells, RefusedError):
            continue
        header = [" ".join(cell.split()) for cell in _divided(cells)]
        if sum(map(bool, header)) < 2:
            continue
        ids: dict[int, str | None] = _listed(header, known) if is_top else {}
        if not ids:
            named = enumerate(map(known.id_in, header))
            ids = {i: id_ for i, id_ in named if id_}
        is_dashed = all(_IS_DASHED.fullmatch(header[i]) for i in ids)
        if ids and (is_top or len(ids) > 1 or not is_dashed):
            headers.append((at, header, ids))
        if is_top and not ids and (asked := _questions(rows[at + 1 :], known)):
            headers.append((at, header, dict.fromkeys(asked)))
            break
        is_top = False
    if not headers:
        return None
    (at, header, ids), *others = headers
    problem = ""
    for other, _, other_ids in others:
        if {*other_ids} >= {*ids} and {*other_ids.values()} != {*ids.values()}:
            lines = f"lines {rows[at][0]} and {rows[other][0]}"
            problem = f"{lines} both name puzzles (expected one class, below one header)"
    body: list[_Row] = [
        (line, fitted) for line, cells in rows[at + 1 :] if (fitted := _fitted(cells, len(header)))
    ]
    kept = _without_copies(ids, body)
    if len({*filter(None, kept.values())}) < len([*filter(None, kept.values())]):
        problem = "two columns name the same puzzle (expected one for each)"
    return _ClassTable(header, kept, body, known, problem)


def _divided(cells: _Cells) -> _Cells:
    """Return a header, divided if it is all in the first cell: `name,1 cards:3.3.8.8=24`."""
    for separator in ",;\t" if cells and not any(cells[1:]) else "":
        divided = next(csv.reader([cells[0]], delimiter=separator), [])
        if any(map(id_of_column, divided[1:])):
            return divided
    return cells


def _listed(header: _Cells, known: ClassPuzzles) -> dict[int, str | None]:
    """Return the listed puzzles by the columns with their numbers, if each has one at most."""
    numbers = {i: _HAND_NUMBER.findall(cell) for i, cell in enumerate(header)}
    counted = {i: int(n[0]) for i, n in numbers.items() if len(n) == 1 and n[0].isdigit()}
    counted = {i: n for i, n in counted.items() if 0 < n <= len(known.listed)}
    is_clear = len({*counted.values()}) == len(counted)
    return {i: known.listed[n - 1] for i, n in counted.items()} if is_clear else {}


def _questions(rows: Sequence[_Row], known: ClassPuzzles) -> list[int]:
    """Return the columns behind those whose cells name puzzles."""
    named = [[cell for cell in column if cell] for _, column in _turned(rows)]
    return [
        i
        for i, cells in enumerate(named[:-1], 1)
        if cells and all(known.id_in(cell) and not _IS_DASHED.fullmatch(cell) for cell in cells)
    ]


def _fitted(cells: _Cells | RefusedError, width: int) -> _Cells | RefusedError:
    """Return a row with a cell for each column of the header; none if it is empty."""
    if isinstance(cells, RefusedError) or not any(cells):
        return cells if isinstance(cells, RefusedError) else []
    if any(cells[width:]):
        return RefusedError(f"it has {len(cells)} cells, and the header names {width}")
    return [*cells, *[""] * (width - len(cells))][:width]


def _without_copies(
    ids: Mapping[int, str | None], rows: Sequence[_Row]
) -> Mapping[int, str | None]:
    """Return the columns of puzzles, without those that have points or remarks for another one."""
    bodies = [cells for _, cells in rows if isinstance(cells, list)]
    formulas = {i for i in ids if any(len(_HAND_NUMBER.findall(cells[i])) > 2 for cells in bodies)}
    repeated = {id_ for id_, count in Counter(ids.values()).items() if id_ and count > 1}
    return {i: id_ for i, id_ in ids.items() if id_ not in repeated or i in formulas}
