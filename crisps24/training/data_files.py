"""Files of puzzles in five formats: read row by row, and copied with changed or left-out rows.

A format is a record in `DATA_FORMATS`. Rows are read as a stream, so memory does not grow with the
file. A copy has the same bytes as the file except for the changed values; in Parquet, which is
compressed, the same values, types and columns.
"""

import codecs
import csv
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from io import SEEK_END, BufferedIOBase, BufferedReader, RawIOBase
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, cast

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.records import (
    MAX_RECORD_BYTES,
    column_name,
    parse_record,
    read_records,
    table_separator,
)
from crisps24.output.encodings import BYTE_ORDER_MARK, encoding_of
from crisps24.output.tables import plain_cell, safe_cell

# The number of a row, and its fields, or why it cannot be read.
DataRow = tuple[int, dict[str, Any] | RefusedError]
# New values of a row, by field; None leaves the row out.
RowChange = Mapping[str, Any] | None
# Bytes that are read at once from an array of JSON.
_CHUNK_BYTES = 1 << 16
# Rows that show the columns of a file, and whether it is long.
MAX_FIRST_ROWS = 5_000
# Rows of a Parquet file that are in memory at once.
_ROWS_PER_BATCH = 4_096
_JSON_SPACE = " \t\r\n"
_PLAIN_JSON = json.JSONDecoder()


class DataFormat(NamedTuple):
    """A format of files of puzzles."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[BufferedIOBase, Collection[str]], Iterator[DataRow]]
    copy: Callable[[BufferedIOBase, BinaryIO, Mapping[int, RowChange]], None]
    count_rows: Callable[[BufferedIOBase], int] | None = None
    """Returns the number of rows, if the file tells it."""


def find_format(name: str, start: bytes) -> DataFormat:
    """Return the format of a file, by the suffix of its name, or else by its first bytes.

    A file of JSON that starts with an object, and not with an array, is read as JSON Lines.

    >>> [find_format(name, b"{").name for name in ("a.csv", "a.json", "-")]
    ['table', 'jsonl', 'jsonl']
    """
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip()
    suffix = PurePath(name).suffix.lower()
    by_suffix = next((form for form in DATA_FORMATS if suffix in form.suffixes), None)
    if by_suffix is JSON and text.startswith(b"{"):
        return JSON_LINES
    if by_suffix is not None:
        return by_suffix
    if text.startswith(b"PAR1"):
        return PARQUET
    if text.startswith(b"["):
        return JSON
    return JSON_LINES if text.startswith((b"{", b"#")) else TABLE


# JSON Lines and tables.


def _read_records(source: BufferedIOBase, columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of JSON Lines or of a table; blank lines and comments are left out."""
    for number, line in read_records(source, columns):
        try:
            record = parse_record(line)
        except RefusedError as error:
            yield number, error
            continue
        # Spreadsheets write rows of empty cells.
        is_blank = bool(record) and all(value == "" for value in (record or {}).values())
        if record is not None and not is_blank:
            yield number, record


def _lines_to_copy(source: BufferedIOBase) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers and line ends; other bytes than UTF-8 stay."""
    for number, line in enumerate(source, 1):
        if number == 1 and encoding_of(line[:4]) == "utf-16":
            raise RefusedError("it is UTF-16: save it as UTF-8 first")
        yield number, line.decode(errors="surrogateescape")


def _copy_lines(source: BufferedIOBase, out: BinaryIO, changes: Mapping[int, RowChange]) -> None:
    """Copy JSON Lines."""
    for number, line in _lines_to_copy(source):
        text = line if number not in changes else _changed_object(line, changes[number])
        out.write(text.encode(errors="surrogateescape"))


def _copy_table(source: BufferedIOBase, out: BinaryIO, changes: Mapping[int, RowChange]) -> None:
    """Copy a table; a changed row gets the quotation marks that its cells need."""
    pending: list[str] = []

    def keep_lines() -> Iterator[str]:
        for _, line in _lines_to_copy(source):
            pending.append(line)
            yield line

    lines = keep_lines()
    header: list[str] = []
    first = next((line for line in lines if line.strip().strip("\ufeff")), "")
    separator = table_separator(first.removeprefix("\ufeff"), ()) or ","
    skipped = len(pending) - 1
    rows = csv.reader(chain([first], lines), delimiter=separator)
    for cells in rows:
        raw, number = "".join(pending), skipped + rows.line_num
        pending.clear()
        if not header:
            header = [column_name(plain_cell(cell.removeprefix("\ufeff")), ()) for cell in cells]
        elif number in changes:
            raw = _changed_row(raw, cells, header, separator, changes[number])
        out.write(raw.encode(errors="surrogateescape"))


def _changed_row(
    raw: str, cells: list[str], header: list[str], separator: str, change: RowChange
) -> str:
    """Return a row of a table with the values of `change` in the cells of their columns."""
    if change is None:
        return ""
    row = raw.rstrip("\r\n")
    raw_cells = _raw_cells(row, separator)
    raw_cells += [""] * (len(header) - len(cells))
    for name, value in change.items():
        index = header.index(name)
        old = raw_cells[index]
        # Some programs write True and False.
        text = value.capitalize() if old in ("True", "False") else str(value)
        raw_cells[index] = _quoted_cell(safe_cell(text), separator, always=old.startswith('"'))
    return separator.join(raw_cells) + raw[len(row) :]


def _raw_cells(row: str, separator: str) -> list[str]:
    """Split a row of a table into its cells, with their quotation marks.

    >>> _raw_cells('"3, 8",24,"3*8"', ",")
    ['"3, 8"', '24', '"3*8"']
    """
    cells = [""]
    for piece in row.split(separator):
        # A cell is complete if it has an even number of quotation marks.
        if cells[-1].startswith('"') and cells[-1].count('"') % 2:
            cells[-1] += separator + piece
        else:
            cells.append(piece)
    return cells[1:]


def _quoted_cell(cell: str, separator: str, *, always: bool) -> str:
    needs_quotes = always or any(sign in cell for sign in (separator, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell


# Objects of JSON.


def _changed_object(text: str, change: RowChange) -> str:
    """Return the text of a JSON object with other values of some fields.

    A field can be in an object in `metadata`. All other characters are kept; with None as the
    change, the result is empty.

    >>> _changed_object('{"nums": [3,8],  "answer": "3+8" }', {"answer": "3*8"})
    '{"nums": [3,8],  "answer": "3*8" }'
    """
    if change is None:
        return ""
    spans = _value_spans(text, text.index("{"))
    metadata = spans.get("metadata")
    if metadata is not None and text[metadata[0]] == "{":
        # A field of the row itself comes before that of the metadata.
        spans = _value_spans(text, metadata[0]) | spans
    for name, value in sorted(change.items(), key=lambda item: spans[item[0]], reverse=True):
        start, end = spans[name]
        # Text stays text; numbers, true and false stay plain.
        new = value if text[start] in '"[' or not isinstance(value, str) else _plain_value(value)
        new = [value] if text[start] == "[" and not isinstance(value, list) else new
        text = text[:start] + json.dumps(new, ensure_ascii=text.isascii()) + text[end:]
    return text


def _plain_value(text: str) -> Any:
    """Return a whole number, true or false for a text that is one; other texts are unchanged."""
    truths = {"true": True, "false": False}
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else truths.get(text, text)


def _value_spans(text: str, start: int) -> dict[str, tuple[int, int]]:
    """Return where the value of each field of the object at `start` starts and ends."""
    spans: dict[str, tuple[int, int]] = {}
    position = start + 1
    while True:
        position = _skip(text, position, _JSON_SPACE + ",")
        if text[position] == "}":
            return spans
        name, position = _PLAIN_JSON.raw_decode(text, position)
        value_start = _skip(text, position, _JSON_SPACE + ":")
        _, position = _PLAIN_JSON.raw_decode(text, value_start)
        spans[name] = value_start, position


def _skip(text: str, position: int, characters: str) -> int:
    while text[position] in characters:
        position += 1
    return position


class _Element(NamedTuple):
    """An element of an array of JSON."""

    lead: str
    """The text before it: the opening bracket or a comma, and white space."""
    text: str
    """Its own text; empty after the last element, where `lead` is the end of the file."""


def _elements(source: BufferedIOBase) -> Iterator[_Element]:
    """Yield the elements of an array of JSON; raise RefusedError if it is not one."""
    reader = _ArrayText(source)
    count = 0
    while True:
        lead = reader.take_space()
        sign = reader.take_sign()
        if not sign and count == 0:
            raise RefusedError("the file has no row")
        if sign == "]":
            yield _Element(lead + sign + reader.take_rest(), "")
            return
        if sign != ("," if count else "["):
            problem = f'after row {count}, "," or "]" is missing' if count else "it has no array"
            raise RefusedError(f"it is not JSON: {problem}")
        lead += sign + reader.take_space()
        if count == 0 and reader.peek() == "]":
            # An empty array.
            yield _Element(lead + reader.take_sign() + reader.take_rest(), "")
            return
        count += 1
        yield _Element(lead, reader.take_value(count))


class _ArrayText:
    """The text of a file of JSON, which is read in pieces."""

    def __init__(self, source: BufferedIOBase) -> None:
        self._chunks = iter(lambda: source.read(_CHUNK_BYTES), b"")
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text, self._position, self._ended = "", 0, False

    def _read_more(self) -> None:
        chunk = next(self._chunks, b"")
        if not self._text and encoding_of(chunk[:4]) == "utf-16":
            raise RefusedError("it is UTF-16: save it as UTF-8 first")
        self._ended = not chunk
        self._text = self._text[self._position :] + self._decoder.decode(chunk, not chunk)
        self._position = 0

    def peek(self) -> str:
        """Return the next character, or an empty text at the end of the file."""
        while self._position == len(self._text) and not self._ended:
            self._read_more()
        return self._text[self._position : self._position + 1]

    def take_sign(self) -> str:
        """Return the next character and go on after it."""
        sign = self.peek()
        self._position += len(sign)
        return sign

    def take_space(self) -> str:
        """Return the white space at the current position, and a byte order mark."""
        space = ""
        while (sign := self.peek()) and sign in _JSON_SPACE + "\ufeff":
            space += self.take_sign()
        return space

    def take_rest(self) -> str:
        """Return the text up to the end of the file: white space, or RefusedError is raised."""
        rest = self.take_space()
        if self.peek():
            raise RefusedError("it is not JSON: it goes on after its array")
        return rest

    def take_value(self, number: int) -> str:
        """Return the text of the value at the current position, which is row `number`."""
        while True:
            try:
                _, end = _PLAIN_JSON.raw_decode(self._text, self._position)
            except (json.JSONDecodeError, RecursionError) as error:
                end, problem = None, error
            # A number at the end of the text can have more digits.
            if end is not None and (end < len(self._text) or self._ended):
                text = self._text[self._position : end]
                self._position = end
                return text
            if self._ended:
                reason = getattr(problem, "msg", "it is nested too deeply")
                raise RefusedError(f"row {number} is not JSON: {reason}")
            if len(self._text) - self._position > MAX_RECORD_BYTES:
                raise RefusedError(f"row {number} is longer than {MAX_RECORD_BYTES:,} bytes")
            self._read_more()


def _read_array(source: BufferedIOBase, _columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the objects of an array of JSON."""
    for number, element in enumerate(_elements(source), 1):
        if not element.text:
            return
        try:
            if not element.text.startswith("{"):
                raise RefusedError("it is not an object")
            record = parse_record(element.text)
        except RefusedError as error:
            yield number, error
        else:
            yield number, record or {}


def _copy_array(source: BufferedIOBase, out: BinaryIO, changes: Mapping[int, RowChange]) -> None:
    """Copy an array of JSON."""
    first_lead, has_row = "", False
    for number, element in enumerate(_elements(source), 1):
        first_lead = first_lead or element.lead
        if not element.text:
            # The end. If no row is left, the opening bracket is not written yet.
            has_bracket = has_row or element.lead is first_lead
            text = ("" if has_bracket else first_lead.partition("[")[0] + "[") + element.lead
        elif number in changes and changes[number] is None:
            continue
        else:
            text = (element.lead if has_row else first_lead) + (
                _changed_object(element.text, changes[number])
                if number in changes
                else element.text
            )
            has_row = True
        out.write(text.encode(errors="surrogateescape"))


# Parquet.


@contextmanager
def _open_parquet(source: BufferedIOBase) -> Iterator[Any]:
    """Open a Parquet file with pyarrow, which is the extra `data`."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise RefusedError('Parquet needs pyarrow: pip install "crisps24[data]"') from None
    if not source.seekable():
        raise RefusedError("Parquet cannot be read from a pipe: give the name of a file")
    source.seek(0)
    try:
        # Without this, pyarrow keeps bytes that it has read until the file is closed.
        yield pq.ParquetFile(source, pre_buffer=False)
    except pa.ArrowException as error:
        raise RefusedError(f"it is not a readable Parquet file: {error}".split("\n")[0]) from None


def _read_parquet(source: BufferedIOBase, _columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of a Parquet file, with floats as whole numbers or exact text."""
    with _open_parquet(source) as file:
        number = 0
        for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield number, {column_name(name, ()): _exact(value) for name, value in row.items()}


def _count_parquet_rows(source: BufferedIOBase) -> int:
    position = source.tell()
    with _open_parquet(source) as file:
        count: int = file.metadata.num_rows
    source.seek(position)
    return count


def _exact(value: Any) -> Any:
    """Return a value without floats: 24.0 is 24, 0.1 is the text "0.1", and NaN is None.

    >>> _exact([24.0, 0.1, float("nan"), "x"])
    [24, '0.1', None, 'x']
    """
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() else repr(value)
    if isinstance(value, list):
        return [_exact(item) for item in value]
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return value


def _copy_parquet(source: BufferedIOBase, out: BinaryIO, changes: Mapping[int, RowChange]) -> None:
    """Copy a Parquet file, with the same types and compression."""
    with _open_parquet(source) as file:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = file.schema_arrow
        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
        compression = "NONE" if codec == "UNCOMPRESSED" else codec
        with pq.ParquetWriter(out, schema, compression=compression) as writer:
            first = 1
            for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
                numbers = range(first, first + len(batch))
                first += len(batch)
                if any(number in changes for number in numbers):
                    batch = _changed_batch(batch, numbers, changes, pa)
                writer.write_batch(batch)


def _changed_batch(batch: Any, numbers: range, changes: Mapping[int, RowChange], pa: Any) -> Any:
    """Return some rows of a Parquet file with the changes of the rows with these numbers."""
    rows = batch.to_pylist()
    for row, number in zip(rows, numbers, strict=True):
        names = {column_name(name, ()): name for name in row}
        for name, value in (changes.get(number) or {}).items():
            # A field that the row lacks is one of its metadata.
            fields = row if name in names else row["metadata"]
            _set_value(fields, names.get(name, name), value)
    kept = [
        row
        for row, number in zip(rows, numbers, strict=True)
        if changes.get(number, {}) is not None
    ]
    try:
        return pa.RecordBatch.from_pylist(kept, schema=batch.schema)
    except pa.ArrowException as error:
        raise RefusedError(f"a new value does not fit its column: {error}") from None


def _set_value(fields: dict[str, Any], name: str, value: Any) -> None:
    """Set a field to a value with the type of its old value: text, a number or a list."""
    old = fields[name]
    if isinstance(old, list):
        fields[name] = value if isinstance(value, list) else [value]
    else:
        is_plain = isinstance(old, bool | int | float) and isinstance(value, str)
        fields[name] = _plain_value(value) if is_plain else value


JSON_LINES = DataFormat("jsonl", (".jsonl", ".ndjson"), _read_records, _copy_lines)
TABLE = DataFormat("table", (".csv", ".tsv"), _read_records, _copy_table)
JSON = DataFormat("json", (".json",), _read_array, _copy_array)
PARQUET = DataFormat(
    "parquet", (".parquet", ".pq"), _read_parquet, _copy_parquet, _count_parquet_rows
)
DATA_FORMATS = (JSON_LINES, TABLE, JSON, PARQUET)


class DataFile:
    """An open file of puzzles, whose first rows have been read.

    >>> from io import BytesIO
    >>> file = DataFile(BytesIO(b'{"nums": [3, 8], "target": 24}'), "a.jsonl")
    >>> file.form.name, file.first_records, list(file.rows())
    ('jsonl', [{'nums': [3, 8], 'target': 24}], [(1, {'nums': [3, 8], 'target': 24})])
    """

    def __init__(self, source: BufferedIOBase, name: str, columns: Collection[str] = ()) -> None:
        """Read the first rows.

        Args:
            source: the file, open for reading bytes.
            name: its name, whose suffix gives the format.
            columns: names of columns; a table needs at least one of them.

        Raises RefusedError for a file that is not in its format.
        """
        # A pipe has no position to return to: look at its first bytes without reading them.
        buffered = source if hasattr(source, "peek") else BufferedReader(cast(RawIOBase, source))
        self.name, self.source = name, buffered
        self.form = find_format(name, buffered.peek(_CHUNK_BYTES))
        self._rows = self.form.read(buffered, columns)
        self._first_rows = list(islice(self._rows, MAX_FIRST_ROWS))

    @property
    def first_records(self) -> list[dict[str, Any]]:
        """The readable ones of the first rows, before `rows` is called."""
        return [record for _, record in self._first_rows if not isinstance(record, CrispsError)]

    def rows(self) -> Iterator[DataRow]:
        """Yield all rows; they can be read once."""
        yield from self._first_rows
        self._first_rows = []
        yield from self._rows

    def estimate_rows(self) -> int | None:
        """Return about how many rows the file has, before they are read; None for a long pipe."""
        row_count = len(self._first_rows)
        if row_count < MAX_FIRST_ROWS:
            return row_count
        if not self.source.seekable():
            return None
        if self.form.count_rows is not None:
            return self.form.count_rows(self.source)
        position = self.source.tell()
        size = self.source.seek(0, SEEK_END)
        self.source.seek(position)
        return row_count * size // position

    def copy(self, out: BinaryIO, changes: Mapping[int, RowChange]) -> None:
        """Copy the file with changed rows, after its rows have been read.

        Raises RefusedError for a value that does not fit its column, and for a file in UTF-16.
        """
        self.source.seek(0)
        self.form.copy(self.source, out, changes)
