"""Files of puzzles in five formats: read row by row, and copied with changed or left-out rows.

A format is a record in `DATA_FORMATS`. In a copy, rows without a change keep their bytes; in
Parquet, which is compressed, their values, types and columns. Changed rows are written anew.
"""

import csv
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import SEEK_END, BufferedIOBase, BufferedReader, BytesIO, RawIOBase, StringIO
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, cast

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging import table_rows
from crisps24.judging.batches import batches
from crisps24.judging.columns import column_name, is_known_column, table_separator
from crisps24.judging.json_arrays import bytes_of, columns_of, is_object_of_rows, row_text, rows_of
from crisps24.judging.parquet_rows import count_parquet_rows, read_parquet
from crisps24.judging.records import parse_record
from crisps24.judging.sources import unzipped
from crisps24.output.encodings import BYTE_ORDER_MARK, ZIP_START, check_text, encoding_of
from crisps24.output.tables import plain_cell, safe_cell
from crisps24.training.parquet_files import copy_parquet
from crisps24.training.row_changes import Changes, DataRow, change_fields, changed_object

# The bytes of a file that show its format, and the first bytes of Parquet.
_FIRST_BYTES = 1 << 16
_PARQUET = b"PAR1"
# Rows that show the columns of a file, and whether it is long.
MAX_FIRST_ROWS, _MAX_FIRST_BYTES = 5_000, 16_000_000
_MAX_KNOWN_COLUMNS = 1_000


def read_line_file(source: BufferedIOBase, columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of JSON Lines or of a table; blank lines and comments are left out."""
    for number, line in table_rows.read_records(source, columns):
        try:
            record = parse_record(line)
        except RefusedError as error:
            yield number, error
            continue
        # Spreadsheets write rows of empty cells.
        if record is not None and (not record or any(cell != "" for cell in record.values())):
            yield number, record


def copy_line_file(
    source: BufferedIOBase, out: BinaryIO, changes: Changes, columns: Collection[str]
) -> None:
    """Copy JSON Lines or a table; lines that are too long are left out."""
    lines = table_rows.numbered_lines(source)
    for number, line in lines:
        _, text = table_rows.read_table_line(number, line)
        given = table_rows.given_separator(text)
        if given is not None and line is not None:
            out.write(line)
            _copy_table(lines, out, changes, columns, given)
        elif not isinstance(text, str) or text.strip():
            copy = _copy_lines if table_rows.starts_json_lines(text) else _copy_table
            copy(chain([(number, line)], lines), out, changes, columns)
        elif line is not None:
            out.write(line)


def _copy_lines(
    lines: Iterable[tuple[int, bytes | None]],
    out: BinaryIO,
    changes: Changes,
    columns: Collection[str],
) -> None:
    """Copy JSON Lines; bytes that are not UTF-8 stay."""
    for number, line in lines:
        change = changes.get(number, {})
        if line is None or change is None:
            continue
        if change:
            text = line.decode(errors="surrogateescape")
            row = text.removeprefix("\ufeff").strip()
            before, _, after = text.partition(row)
            text = before + changed_object(row, change, columns) + after
            line = text.encode(errors="surrogateescape")
        out.write(line)


def _copy_table(
    lines: Iterable[tuple[int, bytes | None]],
    out: BinaryIO,
    changes: Changes,
    columns: Collection[str],
    given: str | None = None,
) -> None:
    # The lines of the current row, with their numbers, as they are in the file.
    pending: deque[tuple[int, bytes]] = deque()

    def table_lines() -> Iterator[table_rows.TableLine]:
        for number, line in lines:
            pending.append((number, line or b""))
            yield table_rows.read_table_line(number, line)

    texts = table_lines()
    first = next(texts)
    separator = table_separator(str(first[1]), columns, given)
    assert separator is not None, "the file has been read"
    header: list[str] = []
    for number, cells in table_rows.table_rows(chain([first], texts), separator):
        row = b""
        while pending and pending[0][0] <= number:
            row += pending.popleft()[1]
        change = changes.get(number, {})
        if not header and not isinstance(cells, RefusedError):
            header = [column_name(plain_cell(cell), columns) for cell in cells]
        elif change is None or isinstance(cells, RefusedError):
            row = b""
        elif change:
            row = _changed_row(row.decode(), header, separator, change).encode()
        out.write(row)


def _changed_row(
    row: str, header: Sequence[str], separator: str, change: Mapping[str, str | list[str]]
) -> str:
    """Return a row with other values of some cells, which keep their quotation marks."""
    line = row.strip(" \r\n\v\f")
    before, _, after = row.partition(line)
    cells = next(csv.reader(StringIO(line, newline=""), delimiter=separator), [])
    sign = re.escape(separator)
    raw_cell = rf'(?:^|{sign})("(?:[^"]|"")*"|[^"{sign}][^{sign}]*|)(?={sign}|\Z)'
    raw_cells = re.findall(raw_cell, line)
    if separator.join(raw_cells) != line:
        # The quotation marks of the row are unusual: write others.
        raw_cells = [_quoted(cell, separator) for cell in cells]
    raw_cells += [""] * (len(header) - len(cells))
    cells += [""] * (len(header) - len(cells))
    record: dict[str, Any] = dict(zip(header, cells, strict=False))
    change_fields(record, change, header)
    for index, (name, old) in enumerate(zip(header, cells, strict=False)):
        if record[name] != old:
            new = safe_cell(str(record[name]))
            raw_cells[index] = _quoted(new, separator, always=raw_cells[index].startswith('"'))
    return before + separator.join(raw_cells) + after


def _quoted(cell: str, separator: str, *, always: bool = False) -> str:
    needs_marks = always or any(sign in cell for sign in (separator, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if needs_marks else cell


def read_array(source: BufferedIOBase, _columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of a value of JSON; the bytes of the whole file are in memory."""
    data = bytes_of(source)
    columns = columns_of(data)
    for number, (start, end) in enumerate(rows_of(data), 1):
        try:
            if end - start > table_rows.MAX_RECORD_BYTES:
                raise table_rows.too_long()
            row = row_text(data, start, end, columns)
            if not row.startswith(b"{"):
                raise RefusedError("it is not an object")
            yield number, parse_record(row.decode(errors="surrogateescape")) or {}
        except RefusedError as error:
            yield number, error


def count_elements(source: BufferedIOBase) -> int:
    """Return the number of elements of an array of JSON; the position in the file stays."""
    position = source.tell()
    source.seek(0)
    count = sum(1 for _ in rows_of(bytes_of(source)))
    source.seek(position)
    return count


def copy_array(
    source: BufferedIOBase, out: BinaryIO, changes: Changes, columns: Collection[str]
) -> None:
    """Copy an array of JSON; the text between its first two elements separates all of them."""
    data = bytes_of(source)
    spans = rows_of(data)
    first_spans = list(islice(spans, 2))
    separator = data[first_spans[0][1] : first_spans[1][0]] if first_spans[1:] else b""
    out.write(data[: first_spans[0][0]] if first_spans else data)
    is_first, end = True, len(data)
    for number, (start, end) in enumerate(chain(first_spans, spans), 1):
        change = changes.get(number, {})
        if change is None:
            continue
        row = data[start:end]
        if change:
            text = changed_object(row.decode(errors="surrogateescape"), change, columns)
            row = text.encode(errors="surrogateescape")
        out.write(row if is_first else separator + row)
        is_first = False
    out.write(data[end:])


class DataFormat(NamedTuple):
    name: str
    suffixes: tuple[str, ...]
    read: Callable[[BufferedIOBase, Collection[str]], Iterator[DataRow]]
    """Yields the rows of a file, from the names of columns that it can also have in upper case."""
    copy: Callable[[BufferedIOBase, BinaryIO, Changes, Collection[str]], None]
    """Copies a file with changes by the numbers of rows; the names of columns are as for `read`."""
    count_rows: Callable[[BufferedIOBase], int] | None = None


# Both are read by their first line with text, which can be after any number of blank ones.
JSON_LINES = DataFormat("jsonl", (".jsonl", ".ndjson"), read_line_file, copy_line_file)
TABLE = DataFormat("table", (".csv", ".tsv"), read_line_file, copy_line_file)
JSON = DataFormat("json", (".json",), read_array, copy_array, count_elements)
PARQUET = DataFormat("parquet", (".parquet", ".pq"), read_parquet, copy_parquet, count_parquet_rows)
DATA_FORMATS = (JSON_LINES, TABLE, JSON, PARQUET)


def find_format(name: str, start: bytes) -> DataFormat:
    """Return the format of a file, by its first bytes; if these do not show it, by its suffix."""
    suffix = PurePath(name).suffix.lower()
    if start.startswith(_PARQUET) or suffix in PARQUET.suffixes:
        return PARQUET
    check_text(start)
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip()
    if text.startswith(b"["):
        return JSON
    if text.startswith((b"{", b"#")):
        return JSON if is_object_of_rows(start) else JSON_LINES
    return JSON if suffix in JSON.suffixes else TABLE


class DataFile:
    """An open file of puzzles, whose first rows have been read."""

    def __init__(
        self,
        source: BufferedIOBase,
        name: str,
        columns: Collection[str] = (),
        sheet_name: str | None = None,
    ) -> None:
        # A pipe cannot go back to its start: show its first bytes without reading them.
        buffered = source if hasattr(source, "peek") else BufferedReader(cast(RawIOBase, source))
        source, buffered = buffered, unzipped(buffered)
        self._is_compressed = buffered is not source
        start = buffered.peek(_FIRST_BYTES)
        self.is_workbook = start.startswith(ZIP_START)
        if self.is_workbook:
            from crisps24.output.workbooks import workbook_as_csv

            pieces = iter(lambda: source.read(_FIRST_BYTES), b"")
            buffered = BufferedReader(BytesIO(workbook_as_csv(pieces, sheet_name)))
            start = buffered.peek(_FIRST_BYTES)
        elif sheet_name is not None:
            raise RefusedError("the file is no Excel workbook, which --sheet-name is for")
        self.name, self.source, self._columns = name, buffered, columns

        @lru_cache(_MAX_KNOWN_COLUMNS)
        def column_of(name: str) -> tuple[str, bool]:
            column = column_name(name, columns)
            return column, is_known_column(column, columns)

        self._column_of = column_of
        self.form = TABLE if self.is_workbook else find_format(name.removesuffix(".gz"), start)
        self._is_utf_16 = encoding_of(start) == "utf-16"
        self._rows = map(self._with_known_names, self.form.read(buffered, columns))
        self._first_rows = next(
            batches(self._rows, MAX_FIRST_ROWS, most_bytes=_MAX_FIRST_BYTES), []
        )
        next_row = list(islice(self._rows, 1))
        self._is_whole = not next_row
        self._first_rows += next_row

    @property
    def first_records(self) -> list[dict[str, Any]]:
        """The readable ones of the first rows, before `rows` is called."""
        return [record for _, record in self._first_rows if not isinstance(record, CrispsError)]

    def rows(self) -> Iterator[DataRow]:
        """Yield all rows; they can be read once."""
        yield from self._first_rows
        self._first_rows = []
        yield from self._rows

    def _with_known_names(self, row: DataRow) -> DataRow:
        number, record = row
        if not isinstance(record, dict):
            return row
        known = {}
        for name, value in record.items():
            column, is_needed = self._column_of(name)
            # What no check needs is only known to be there: it can be long.
            known[column] = value if is_needed or not value else "…"
        if len(known) < len(record):
            return number, RefusedError("two of its names differ only in upper and lower case")
        return number, known

    def check_copy(self) -> None:
        """Raise RefusedError if the file cannot be copied: it is a pipe, or in UTF-16."""
        if not self.source.seekable():
            kind = "compressed file" if self._is_compressed else "pipe"
            raise RefusedError(f"a {kind} cannot be copied: give the name of a file")
        if self._is_utf_16:
            raise RefusedError("it is UTF-16: save it as UTF-8 first")

    def estimate_rows(self) -> int | None:
        """Return about how many rows the file has, before they are read; None for a long pipe."""
        row_count = len(self._first_rows)
        if self._is_whole:
            return row_count
        if not self.source.seekable():
            return None
        if self.form.count_rows is not None:
            return self.form.count_rows(self.source)
        position = self.source.tell()
        size = self.source.seek(0, SEEK_END)
        self.source.seek(position)
        return row_count * size // position

    def copy(self, out: BinaryIO, changes: Changes) -> None:
        self.check_copy()
        self.source.seek(0)
        self.form.copy(self.source, out, changes, self._columns)
