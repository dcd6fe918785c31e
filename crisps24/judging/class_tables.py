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
from contextlib import suppress
from functools import reduce
from io import BytesIO
from itertools import chain, starmap, zip_longest
from pkgutil import get_data
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging import table_rows
from crisps24.judging.columns import (
    ANSWER_COLUMNS,
    ANSWER_FIELDS,
    PLACE_FIELD,
    column_name,
    id_of_column,
    versions_of_column,
)
from crisps24.messages.message import Message, message
from crisps24.output.encodings import SHEET_START, encoding_of
from crisps24.output.tables import plain_cell
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand
from crisps24.rules.ids import format_id

_MAX_BYTES = 100_000_000
# Pupils who get a sheet with their name.
_MAX_NAMES = 1_000
_SEPARATORS = ";\t,|"
_WORDS = tomllib.loads((get_data(__package__, "class_tables.toml") or b"").decode())
_BETWEEN = {"", *",;/-–—|，、", *_WORDS["between"].split("|")}
_IS_NAME, _IS_FIRST, _IS_LAST = (
    re.compile(rf"\W*+(?:[0-9]++\W++)?+(?:{_WORDS[kind]})\W*+", re.IGNORECASE)
    for kind in ("names", "first", "last")
)
_IS_VERSION = re.compile(rf"\W*(?:{_WORDS['versions']})\W*", re.IGNORECASE)
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
_EXPECTED = (
    "expected headers such as 3 3 8 8; for headers 1, 2, 3 add --file cards.txt, with a puzzle on "
    'each line, or --sheet "crisps24 sheet cards --count 12 --seed 7", the line of the sheet'
)


# Told what was taken as what.
Tell = Callable[[Message | str], object]


class HeaderError(RefusedError):
    """No column of a table is headed by a puzzle."""


class _Row(NamedTuple):
    """A row of a table, whose number is that of its last line; without cells if unreadable."""

    line: int
    cells: list[str]
    error: RefusedError | None = None


class ClassPuzzles(NamedTuple):
    """Which puzzles the headers of a table can name."""

    game: Game
    target: Exact | None
    listed: Sequence[str] = ()
    """The ids of the puzzles that headers such as 1, 2, 3 count."""

    def id_in(self, text: str) -> str | None:
        """Return the id of the puzzle that a header or a question names, or None."""
        if versions := versions_of_column(text):
            return next(iter(versions.values()))
        if (known := id_of_column(text)) or _IS_NOTE.match(text):
            return known
        hands = {hand for written in _lists_in(text) if (hand := self._hand(written))}
        stated = _TARGET.search(text)
        target = int(stated[1]) if stated else self.target
        if len(hands) != 1 or target is None:
            return None
        return format_id(self.game, hands.pop(), target)

    def _hand(self, written: list[str]) -> Hand | None:
        """Return a list of numbers as a hand, without the target at an end."""
        if len(written) > self.game.length and str(self.target) in (written[0], written[-1]):
            written = written[:-1] if written[-1] == str(self.target) else written[1:]
        if len(written) == self.game.length:
            with suppress(CrispsError):
                hand = parse_hand(written, self.game)
                return tuple(sorted(hand)) if {*hand} <= {*self.game.numbers} else None
        return None


def _lists_in(text: str) -> list[list[str]]:
    lists, end = list[list[str]](), 0
    for match in _HAND_NUMBER.finditer(text):
        is_next = text[end : match.start()].strip().casefold() in _BETWEEN
        lists += [] if lists and is_next else [[]]
        lists[-1].append(match[0])
        end = match.end()
    return lists


def read_all(source: table_rows.ByteStream) -> bytes:
    """Return the bytes of a file; raise RefusedError for a large one."""
    data = b""
    while piece := source.read1(1 << 20):
        data += piece
        if len(data) > _MAX_BYTES:
            raise RefusedError(f"the file has more than {_MAX_BYTES // 10**6} MB: give it in parts")
    return data


def decode_all(data: bytes) -> str:
    """Return the text of a file in UTF-8 or UTF-16; other bytes are replaced."""
    return data.decode(encoding_of(data), "replace")


def read_class(data: bytes, known: ClassPuzzles, note: Tell) -> Iterator[table_rows.RecordLine]:
    """Yield a record for each answer in the table of a class; other files as `read_records` does.

    A record has `name`, `id` and the answer. `note` is told what was taken as what. In a workbook,
    one sheet has to be a class.
    """
    start, *sheets = re.split(f"^{SHEET_START}(.*)\n".encode(), data, flags=re.MULTILINE)
    classes = dict[str, _ClassTable]()
    names = [name.decode() for name in sheets[::2]]
    for name, text in zip(names or [""], sheets[1::2] or [start], strict=True):
        lines = _lines_of(text)
        header = re.split("[,;\t]", str(lines[0][1])) if lines else []
        # A table with a row for each answer, or no table.
        has_answers = any(column_name(cell, ANSWER_COLUMNS) in ANSWER_COLUMNS for cell in header)
        if has_answers or not (lines or sheets):
            yield from table_rows.read_records(BytesIO(text), ANSWER_COLUMNS)
            return
        if table := _class_table(lines, known):
            classes[name] = table
    if len(classes) > 1:
        both = " and ".join([*classes][:2])
        raise RefusedError(f"the sheets {both} have a class (expected --sheet-name with one)")
    if not classes:
        hint = "" if known.game.target else "; for hands, add --game cards"
        raise HeaderError(f"no column names a puzzle ({_EXPECTED}{hint})")
    if others := [name for name in names if name not in classes]:
        note(f"the sheet {next(iter(classes))} is read, not {', '.join(others)}")
    for table in classes.values():
        yield from table.records(note)


def read_names(source: table_rows.ByteStream) -> list[tuple[str, str]]:
    """Return the names of a class in a table or a list, each with its version of a test or ""."""
    lines = _lines_of(read_all(source))
    separator = max(_SEPARATORS, key="".join(str(line) for _, line in lines).count)
    rows = [row for row in starmap(_row_of, table_rows.table_rows(lines, separator)) if row.cells]
    width = max((len(row.cells) for row in rows), default=0)
    rows = [_fitted(row, width) for row in rows]
    heads = rows[0].cells if rows else []
    has_header = any(
        kind.fullmatch(cell) for cell in heads for kind in (_IS_NAME, _IS_FIRST, _IS_LAST)
    )
    table = _ClassTable(
        heads if has_header else [""] * width, {}, rows, ClassPuzzles(FREE_GAME, None)
    )
    columns = table._name_columns()
    versions = [i for i, head in enumerate(table.header) if _IS_VERSION.fullmatch(head)][:1]
    found = []
    for row in rows[has_header:]:
        name, letter = (
            " ".join(filter(None, map(row.cells.__getitem__, i))) for i in (columns, versions)
        )
        if name and not _IS_SUMMARY.fullmatch(name):
            found.append((name, letter.strip().upper()))
    if len(found) not in range(1, _MAX_NAMES + 1):
        raise RefusedError(f"the table has {len(found):,} names (expected 1 to {_MAX_NAMES:,})")
    return found


def _lines_of(data: bytes) -> list[table_rows.TableLine]:
    """Return the lines of a table from the first with text; none if it is long, or no table."""
    lines: list[table_rows.TableLine] = []
    if len(data) <= table_rows.MAX_RECORD_BYTES:
        for number, line in table_rows.read_text_lines(BytesIO(data), stripped="\n\r\v\f"):
            lines += [(number, line or "")] if lines or line is None or line.strip() else []
    return [] if lines and table_rows.starts_json_lines(lines[0][1]) else lines


class _ClassTable(NamedTuple):
    """A table with its header; `ids` has the puzzles by column, or None where cells name them."""

    header: Sequence[str]
    ids: Mapping[int, str | None]
    rows: Sequence[_Row]
    known: ClassPuzzles
    problem: str = ""
    """Why it cannot be read."""

    def records(self, note: Tell) -> Iterator[table_rows.RecordLine]:
        names = self._name_columns()
        left_out = {row.line: text for row in self.rows if (text := self._heading_of(row, names))}
        versions = [versions_of_column(self.header[i]) for i in self.ids]
        chosen = [i for i, head in enumerate(self.header) if _IS_VERSION.fullmatch(head)]
        chosen = chosen[:1] if any(versions) else []
        if any(versions) and not chosen:
            raise RefusedError("no column has the versions (expected a header such as Version)")
        used = {*names, *chosen, *self.ids, *(i - 1 for i, id_ in self.ids.items() if id_ is None)}
        unused = [cell for i, cell in enumerate(self.header) if cell and i not in used]
        is_written = chosen or all(id_of_column(self.header[i]) for i in self.ids)
        if unused or left_out or not is_written:
            note(self._said(names, unused, [*left_out.values()]))
        for line, row, error in self.rows:
            if error:
                yield line, error
            elif line not in left_out:
                name = " ".join(filter(None, (row[i] for i in names)))
                letter = row[chosen[0]].strip().upper() if chosen else ""
                known = dict.fromkeys(chain(*versions))
                if chosen and letter not in known:
                    yield (
                        line,
                        RefusedError(f"no version {letter!r} (expected {' or '.join(known)})"),
                    )
                    continue
                for (column, id_), ids in zip(self.ids.items(), versions, strict=True):
                    record = {"name": name} | ({PLACE_FIELD: letter} if letter else {})
                    if ids:
                        record[PLACE_FIELD] += self.header[column].split()[0]
                        id_ = ids.get(letter)
                    elif not id_:
                        id_ = self.known.id_in(row[column - 1])
                    if id_:
                        yield line, record | {"id": id_, ANSWER_FIELDS[0]: row[column]}

    def _said(
        self, names: Sequence[int], unused: Sequence[str], left_out: Sequence[str]
    ) -> Message:
        """Return what was taken as what."""
        heads = (self.header[i] or f"column {i + 1}" for i in names)
        parts = [
            message("marks.names", names=" ".join(heads)),
            message("marks.puzzles", count=len(self.ids)),
            *([message("marks.not_used", columns=", ".join(unused))] if unused else []),
            *([message("marks.left_out", rows=", ".join(left_out))] if left_out else []),
        ]
        return reduce(lambda first, then: message("list.then", first=first, then=then), parts)

    def size(self) -> tuple[bool, int, int]:
        """Return whether puzzles have versions, and the numbers of puzzles and of answers."""
        has_versions = any(versions_of_column(self.header[i]) for i in self.ids)
        answer_count = sum(bool(row.cells[i]) for row in self.rows for i in self.ids)
        return has_versions, len(self.ids), answer_count

    def _name_columns(self) -> Sequence[int]:
        free = [i for i, _ in enumerate(self.header) if i not in self.ids]
        names, first, last = (
            [i for i in free if matches(self.header[i])]
            for matches in (_IS_NAME.fullmatch, _IS_FIRST.fullmatch, _IS_LAST.fullmatch)
        )
        if first and last and first[0] != last[0]:
            return first[0], last[0]
        if found := names or last or first or list(filter(self._has_names, free)):
            return found[:1]
        raise RefusedError("no column has names (expected a header such as Name or Vorname)")

    def _has_names(self, column: int) -> bool:
        cells = [row.cells[column] for row in self.rows if row.cells[column]]
        is_note = _IS_NOTE.match(self.header[column]) or _IS_GROUP.search(self.header[column])
        return not is_note and len({*filter(_NAME.fullmatch, cells)}) > len(cells) / 2

    def _heading_of(self, row: _Row, names: Sequence[int]) -> str:
        """Return the first text of a row that is not one of a pupil, "" for one of a pupil."""
        cells = row.cells
        written = [*filter(None, cells)]
        heads = [*filter(None, cells[: min(self.ids)])]
        has_name, has_answer = any(cells[i] for i in names), any(cells[i] for i in self.ids)
        is_formula = any(_has_formula(cells[i]) for i in self.ids)
        is_summary = any(map(_IS_SUMMARY.search, heads)) and not is_formula
        is_alone = len(written) == 1 and not _NAME.fullmatch(written[0])
        is_group = not has_answer and (is_alone or any(map(_IS_GROUP.search, heads)))
        is_other = is_summary or is_group or cells == self.header
        is_person = row.error or ((has_name or has_answer) and not is_other)
        return "" if is_person else (heads or written)[0]


def _has_formula(cell: str) -> bool:
    return len(_HAND_NUMBER.findall(cell)) > 2


def _class_table(lines: list[table_rows.TableLine], known: ClassPuzzles) -> _ClassTable | None:
    """Return the table in some lines, or None; puzzles can also be down, and pupils across."""
    given = table_rows.given_separator(lines[0][1]) if lines else None
    lines = lines[1:] if given else lines
    head = "".join(str(line) for _, line in lines[:1])
    separators = sorted(given or _SEPARATORS, key=head.count, reverse=True)
    tried = [[*starmap(_row_of, table_rows.table_rows(lines, sign))] for sign in separators]
    tables = [table for rows in tried if (table := _table_of(rows, known))]
    clear = [table for table in tables if not table.problem]
    if not clear:
        turned = [table for rows in tried if (table := _table_of(_turned(rows), known))]
        # Puzzles down the side are in adjacent rows.
        clear = [t for t in turned if 1 < len(t.ids) == max(t.ids) - min(t.ids) + 1]
        clear = [table for table in clear if not table.problem]
    if tables and not clear:
        raise RefusedError(tables[0].problem)
    return max(clear, key=_ClassTable.size, default=None)


def _row_of(line: int, cells: list[str] | RefusedError) -> _Row:
    if isinstance(cells, RefusedError):
        return _Row(line, [], cells)
    return _Row(line, [plain_cell(cell).strip() for cell in cells])


def _turned(rows: Sequence[_Row]) -> list[_Row]:
    """Return the columns of a table as rows."""
    columns = zip_longest(*(row.cells for row in rows if not row.error), fillvalue="")
    return [_Row(number, list(column)) for number, column in enumerate(columns, 1)]


def _table_of(rows: Sequence[_Row], known: ClassPuzzles) -> _ClassTable | None:
    """Return the table of some rows, or None if it names no puzzles."""
    headers = list[tuple[int, list[str], dict[int, str | None]]]()
    is_top = True
    for at, row in enumerate(rows):
        header = [" ".join(cell.split()) for cell in _divided(row.cells)]
        if sum(map(bool, header)) < 2:
            continue
        named = {i: id_ for i, cell in enumerate(header) if (id_ := known.id_in(cell))}
        ids = (_listed(header, known) if is_top else {}) or named
        is_dashed = all(_IS_DASHED.fullmatch(header[i]) for i in ids)
        if ids and (is_top or len(ids) > 1 or not is_dashed):
            headers.append((at, header, {**ids}))
        if is_top and not ids and (asked := _questions(rows[at + 1 :], known, len(header))):
            headers.append((at, header, dict.fromkeys(asked)))
            break
        is_top = False
    if not headers:
        return None
    (at, header, columns), *others = headers
    problem = ""
    for other, _, other_ids in others:
        if {*other_ids} >= {*columns} and {*other_ids.values()} != {*columns.values()}:
            lines = f"lines {rows[at].line} and {rows[other].line}"
            problem = f"{lines} both name puzzles (expected one class, below one header)"
    body = [_fitted(row, len(header)) for row in rows[at + 1 :] if row.error or any(row.cells)]
    # A puzzle can have more columns, for points or remarks, but only one with formulas.
    counts = Counter(filter(None, columns.values()))
    kept = {
        i: id_
        for i, id_ in columns.items()
        if not (id_ and counts[id_] > 1) or any(_has_formula(row.cells[i]) for row in body)
    }
    if max(Counter(filter(None, kept.values())).values(), default=0) > 1:
        problem = "two columns name the same puzzle (expected one for each)"
    return _ClassTable(header, kept, body, known, problem)


def _divided(cells: list[str]) -> list[str]:
    """Return a header, divided if it is all in the first cell: `name,1 cards:3.3.8.8=24`."""
    for separator in ",;\t" if cells and not any(cells[1:]) else "":
        divided = next(csv.reader([cells[0]], delimiter=separator), [])
        if any(map(id_of_column, divided[1:])):
            return divided
    return cells


def _listed(header: list[str], known: ClassPuzzles) -> dict[int, str]:
    """Return the listed puzzles by the columns with their numbers, if each has one at most."""
    numbers = {i: _HAND_NUMBER.findall(cell) for i, cell in enumerate(header)}
    counted = {i: int(n[0]) for i, n in numbers.items() if len(n) == 1 and n[0].isdigit()}
    counted = {i: n for i, n in counted.items() if 0 < n <= len(known.listed)}
    is_clear = len({*counted.values()}) == len(counted)
    return {i: known.listed[n - 1] for i, n in counted.items()} if is_clear else {}


def _questions(rows: Sequence[_Row], known: ClassPuzzles, width: int) -> list[int]:
    """Return the columns behind those whose cells name puzzles."""
    columns = [[*filter(None, column.cells)] for column in _turned(rows)]
    return [
        i
        for i, cells in enumerate(columns[:-1][: width - 1], 1)
        if cells and all(known.id_in(cell) and not _IS_DASHED.fullmatch(cell) for cell in cells)
    ]


def _fitted(row: _Row, width: int) -> _Row:
    """Return a row with a cell for each column of the header."""
    line, cells, error = row
    if any(cells[width:]):
        error = RefusedError(f"it has {len(cells)} cells, and the header names {width}")
        cells = []
    return _Row(line, [*cells, *[""] * width][:width], error)
