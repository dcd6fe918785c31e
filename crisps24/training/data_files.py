"""Files of puzzles in five formats: read row by row, and copied with changed or left-out rows.

A format is a record in `DATA_FORMATS`. Rows are read as a stream, so memory does not grow with the
file. A copy has the same bytes as the file except for the changed values; in Parquet, which is
compressed, the same values, types and columns.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from io import SEEK_END, BufferedIOBase, BufferedReader, RawIOBase
from itertools import islice
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple, cast

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.records import column_name
from crisps24.output.encodings import BYTE_ORDER_MARK, encoding_of
from crisps24.training.json_arrays import copy_array, read_array
from crisps24.training.json_edits import DataRow, RowChange
from crisps24.training.line_files import copy_lines, copy_table, read_line_file
from crisps24.training.parquet_files import copy_parquet, count_parquet_rows, read_parquet

# The bytes of a file that show its format, and the first bytes of two formats.
_FIRST_BYTES = 1 << 16
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
# Rows that show the columns of a file, and whether it is long.
MAX_FIRST_ROWS = 5_000


class DataFormat(NamedTuple):
    """A format of files of puzzles."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[BufferedIOBase, Collection[str]], Iterator[DataRow]]
    """Yields the rows of a file, from the names of columns that it can also have in upper case."""
    copy: Callable[[BufferedIOBase, BinaryIO, Mapping[int, RowChange], Collection[str]], None]
    """Copies a file with changes by the numbers of rows; the names of columns are as for `read`."""
    count_rows: Callable[[BufferedIOBase], int] | None = None
    """Returns the number of rows, if the file has it."""


JSON_LINES = DataFormat("jsonl", (".jsonl", ".ndjson"), read_line_file, copy_lines)
TABLE = DataFormat("table", (".csv", ".tsv"), read_line_file, copy_table)
JSON = DataFormat("json", (".json",), read_array, copy_array)
PARQUET = DataFormat("parquet", (".parquet", ".pq"), read_parquet, copy_parquet, count_parquet_rows)
DATA_FORMATS = (JSON_LINES, TABLE, JSON, PARQUET)


def find_format(name: str, start: bytes) -> DataFormat:
    """Return the format of a file, by its first bytes; if these do not show it, by its suffix.

    >>> [find_format(*file).name for file in (("a.csv", b"{"), ("-", b" ["), ("a.json", b""))]
    ['jsonl', 'json', 'json']

    Raises RefusedError for a compressed file.
    """
    if start.startswith(_GZIP):
        raise RefusedError("it is compressed with gzip: unpack it first")
    suffix = PurePath(name).suffix.lower()
    if start.startswith(_PARQUET) or suffix in PARQUET.suffixes:
        return PARQUET
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip()
    if text.startswith(b"["):
        return JSON
    if text.startswith((b"{", b"#")):
        return JSON_LINES
    return JSON if suffix in JSON.suffixes else TABLE


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
            columns: names of columns; a table or a Parquet file needs at least one.

        Raises RefusedError for a file that is not in its format.
        """
        # A pipe cannot go back to its start: show its first bytes without reading them.
        buffered = source if hasattr(source, "peek") else BufferedReader(cast(RawIOBase, source))
        self.name, self.source, self._columns = name, buffered, columns
        start = buffered.peek(_FIRST_BYTES)
        self.form = find_format(name, start)
        self._is_utf_16 = encoding_of(start) == "utf-16"
        self._known_names: dict[str, str] = {}
        self._rows = map(self._with_known_names, self.form.read(buffered, columns))
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

    def _with_known_names(self, row: DataRow) -> DataRow:
        """Return a row with known names of columns in lower case."""
        number, record = row
        if not isinstance(record, dict):
            return row
        for name in record:
            if name not in self._known_names:
                self._known_names[name] = column_name(name, self._columns)
        known = {self._known_names[name]: value for name, value in record.items()}
        if len(known) < len(record):
            return number, RefusedError("two of its names differ only in upper and lower case")
        return number, known

    def check_copy(self) -> None:
        """Raise RefusedError if the file cannot be copied: it is a pipe, or in UTF-16."""
        if not self.source.seekable():
            raise RefusedError("a pipe cannot be copied: give the name of a file")
        if self._is_utf_16:
            raise RefusedError("it is UTF-16: save it as UTF-8 first")

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

        Raises RefusedError for a value that does not fit its column, and as `check_copy`.
        """
        self.check_copy()
        self.source.seek(0)
        self.form.copy(self.source, out, changes, self._columns)
