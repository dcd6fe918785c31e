"""Lines of text files, and records and rows of csv tables, each with the number of its line.

`read_records` reads a file of JSON Lines or a table; one wrong row of a table stops no other.
The csv reader of Python reads on after a quotation mark that is not closed, up to the next one:
other rows would vanish without an error. So a row of several lines is checked with the strict rules
of csv. If it breaks them, only its first line is unreadable, and the next row starts after it.
"""

import codecs
import csv
import json
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, dropwhile
from typing import Any, Protocol

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import (
    ANSWER_FIELDS,
    LIST_SEPARATORS,
    column_name,
    id_of_column,
    list_separator,
    table_separator,
)
from crisps24.output.encodings import BYTE_ORDER_MARK, check_text, encoding_of
from crisps24.output.tables import plain_cell
from crisps24.rules.ids import is_id

# The number of a line and its text, or why the line cannot be read.
TableLine = tuple[int, str | RefusedError]
# The number of the last line of a row and its cells, or why the row cannot be read.
TableRow = tuple[int, list[str] | RefusedError]
# A line of a file: its number, from 1; and its text, its record, or its error.
RecordLine = tuple[int, str | dict[str, Any] | RefusedError]
# Bytes of a line of formulas: ten times the longest formula.
MAX_INPUT_LINE_BYTES = 100_000
# Bytes of a record with any text: a million characters, with any escapes of JSON.
MAX_RECORD_BYTES = 8_000_000
# Bytes that are read at once.
_CHUNK_BYTES = 1 << 16
# White space at the ends of a line, except tabs: they separate cells, and the last can be empty.
_SPACE_WITHOUT_TAB = " \n\r\v\f"
# Surrogates, which stand for bytes that are not UTF-8, and the error for them.
_NOT_UTF_8 = re.compile(r"[\udc80-\udcff]")
# A line above a header: words, a comment or no text, but no JSON.
_ABOVE_HEADER = re.compile(r"(?!\s*[{[])(?:[^\w#]*(?:#.*)?|[^#]*[^\W\d_]{2}.*)")
# The first line of an array of JSON, or of an object that has one; a list of JSON with numbers; and
# the start of an item.
_ARRAY_START = re.compile(r"\{\s*|\[\s*(?:[\[{\"].*|-?[0-9]+\s*(?:,.*)?)?")
_NUMBER_LIST = re.compile(r"\[[^][{}\"]*\],?")
_ARRAY_ITEM = re.compile(r"[\s,]*([^\s,\]])")
_OTHER_ENCODING = "is not UTF-8: save the file as UTF-8"


class ByteStream(Protocol):
    """A file that is open for reading bytes."""

    def read1(self, size: int, /) -> bytes:
        """Return 1 to `size` bytes that are available, or none at the end of the file."""


def read_text_lines(
    source: ByteStream,
    waiting: Callable[[], object] = lambda: None,
    max_bytes: int = MAX_INPUT_LINE_BYTES,
    errors: str = "replace",
    stripped: str | None = None,
) -> Iterator[tuple[int, str | None]]:
    """Yield the number and the text of each of the `numbered_lines` of a file.

    `errors` is for invalid UTF-8; invalid UTF-16 always becomes U+FFFD. `stripped` are characters
    to remove around a line, in place of white space.
    """
    for number, line in numbered_lines(source, waiting, max_bytes):
        yield number, line if line is None else _decode(line, number, errors, stripped)


def numbered_lines(
    source: ByteStream,
    waiting: Callable[[], object] = lambda: None,
    max_bytes: int = MAX_RECORD_BYTES,
) -> Iterator[tuple[int, bytes | None]]:
    """Yield the number of each line of a file, and its bytes with their end; None if too many.

    The file is UTF-8, or UTF-16 with a byte order mark, which is yielded as UTF-8. Lines end with a
    line feed; if the first one ends with a carriage return only, with a carriage return. At most
    `max_bytes` and 64 KB are held in memory. `waiting` is called before each read, since a read of
    a pipe can block.
    """
    # The number of the current line, and its bytes so far, at most one more than allowed.
    number, pending = 1, b""
    waiting()
    chunk = source.read1(_CHUNK_BYTES)
    # A pipe can return half of a byte order mark.
    chunk += source.read1(1) if chunk in (b"\xff", b"\xfe") else b""
    check_text(chunk)
    if chunk.startswith(b"\0"):  # As /dev/zero, a line without end.
        raise RefusedError(f"line 1 {_OTHER_ENCODING}")
    is_utf_16 = encoding_of(chunk) == "utf-16"
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    # `held` is the end of the first line, if the next chunk can have the rest of it.
    line_end = held = b""
    while chunk or held:
        text = held + (decoder.decode(chunk).encode() if is_utf_16 else chunk)
        held = b""
        if not line_end and (end := re.search(b"\r?\n|\r", text)):
            if chunk and end[0] == b"\r" == text[end.start() :]:
                text, held = text[:-1], b"\r"
            else:
                line_end = end[0][-1:]
        *lines, rest = text.split(line_end) if line_end else [text]
        for line in lines:
            line = pending + line + line_end
            yield number, line if len(line) <= max_bytes + len(line_end) else None
            number, pending = number + 1, b""
        if len(pending) <= max_bytes:
            pending = (pending + rest)[: max_bytes + 1]
        if chunk:
            waiting()
            chunk = source.read1(_CHUNK_BYTES)
    if is_utf_16 and decoder.decode(b"", final=True):
        raise RefusedError("the file ends in the middle of a character of UTF-16")
    if pending:
        yield number, pending if len(pending) <= max_bytes else None


def _decode(line: bytes, number: int, errors: str, stripped: str | None) -> str:
    line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
    return line.decode(errors=errors).strip(stripped)


def read_records(
    source: ByteStream,
    columns: Collection[str],
    waiting: Callable[[], object] = lambda: None,
    *,
    plain: bool = False,
    hand_length: int = 0,
) -> Iterator[RecordLine]:
    r"""Yield the lines of a file of JSON Lines, or the records of a csv table, with line numbers.

    A file is a table unless its first line with text starts with `{` or `#`. JSON Lines are yielded
    as text, blank lines and comments included: `parse_record` parses them.

    The first line of a table names the columns; it needs one of `columns`. Known names are yielded
    in lower case. Each row is yielded as a dict from names to cells; a short row lacks its last
    columns. If a column is named after a puzzle (see `puzzle_column`), each of its cells gives one
    record: the `id`, the cell as `completion`, and the other cells. A line that cannot be read
    gives its error instead. If `plain`, lines of any other file are yielded as text. A line such as
    `sep=;` before the first one sets the separator, as in Excel.

    With a `hand_length`, the file is a list of hands: its header can be below lines of words, which
    are yielded as text, and have other names (see `list_separator`); or it is an array of JSON.

    >>> from io import BytesIO
    >>> list(read_records(BytesIO(b"name,target\nann,24\n"), ["target"]))
    [(2, {'name': 'ann', 'target': '24'})]
    """
    most = MAX_INPUT_LINE_BYTES if plain else MAX_RECORD_BYTES
    texts = read_text_lines(source, waiting, most, "surrogateescape", _SPACE_WITHOUT_TAB)
    lines: Iterator[TableLine] = (
        (number, too_long(most) if line is None else line) for number, line in texts
    )
    lines = dropwhile(lambda line: isinstance(line[1], str) and not line[1].strip(), lines)
    if (first := next(lines, None)) is None:
        if plain:
            return
        raise RefusedError("the file has no line")
    given = given_separator(first[1])
    first = first if given is None else next(lines, (first[0] + 1, ""))
    separator = table_separator(_header_of(first), columns, given)
    while hand_length and separator is None:
        above = _header_of(first)
        separator = list_separator(above, hand_length, given)
        if separator or is_id(above) or not _ABOVE_HEADER.fullmatch(above):
            break
        yield first
        if (first := next(lines, None)) is None:
            return
        _refuse_other_header(above, first)
    text, lines = _header_of(first), chain([first], lines)
    # The id of a puzzle, alone in a line, is no header.
    is_plain_file = plain and (separator is None or is_id(text.strip()))
    if is_plain_file or starts_json_lines(first[1]):
        is_array = _ARRAY_START.fullmatch(text) and not _NUMBER_LIST.fullmatch(text)
        lines = _array_items(lines) if hand_length and is_array else lines
        for number, line in _plain_lines(lines) if is_plain_file else lines:
            line = _unquoted(line.strip()) if isinstance(line, str) else line
            is_comment = isinstance(line, str) and line.startswith("#")
            yield (number, line) if is_comment else _without_other_bytes((number, line))
        return
    if _NOT_UTF_8.search(text) or "\0" in text:
        raise RefusedError(f"line {first[0]} {_OTHER_ENCODING}")
    if separator is None:
        expected = ", ".join(columns)
        raise RefusedError(f"line {first[0]} is not JSON, and names no column of {expected}")
    yield from _read_table(lines, first[0], columns, separator)


def _header_of(line: TableLine) -> str:
    """Return the text of a line that can be a header; a line that is too long is none."""
    return line[1] if isinstance(line[1], str) else "#"


def _refuse_other_header(header: str, line: TableLine) -> None:
    """Refuse a list of hands if words without digits are the header of a row of numbers."""
    number, row = line[0], _header_of(line)
    is_table = any(0 < header.count(sign) == row.count(sign) for sign in LIST_SEPARATORS)
    is_header = re.search(r"\w", header) and not re.search(r"\d", header)
    if is_table and is_header and re.search(r"\d", row):
        expected = "expected hand, numbers or Zahlen, or n1, n2, …"
        raise RefusedError(f"line {number - 1} names no column of hands ({expected})")


def _array_items(lines: Iterator[TableLine]) -> Iterator[TableLine]:
    """Yield the items of an array of JSON, as text, with their lines; or numbers in one line."""
    number, first = next(lines)
    text = str(first)
    for _, line in lines:
        text += f"\n{line}"
        if len(text) > MAX_RECORD_BYTES:
            raise too_long()
    start, end, is_one_line = 0, text.find("[") + 1 or len(text), "\n" not in text
    while item := _ARRAY_ITEM.match(text, end):
        number += text.count("\n", start, item.start(1)) or (is_one_line and start > 0)
        start = item.start(1)
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            raise RefusedError(f"line {number} is not JSON") from None
        yield number, value if isinstance(value, str) else text[start:end].replace("\n", " ")


def _plain_lines(lines: Iterator[TableLine]) -> Iterator[TableLine]:
    """Divide lines at all line ends that Unicode has, except in JSON, where they can be text."""
    more = 0
    for number, line in lines:
        if not isinstance(line, str) or line.startswith("{"):
            yield number + more, line
            continue
        parts = line.splitlines() or [""]
        yield from enumerate(parts, number + more)
        more += len(parts) - 1


def given_separator(line: str | RefusedError) -> str | None:
    """Return the separator that the first line of a table sets, such as `sep=;`, or None."""
    match = re.fullmatch(r'"?sep=([,;\t|])"?[,;|]*', line) if isinstance(line, str) else None
    return match and match[1]


def _unquoted(line: str) -> str:
    """Return a line without the signs that spreadsheets add to the first cell of a row: `"8",,`."""
    cell = line if line.startswith("{") else line.rstrip(",;")
    is_quoted = cell.count('"') == 2 and cell[0] == cell[-1] == '"'
    return cell[1:-1] if is_quoted else cell


def starts_json_lines(line: str | RefusedError) -> bool:
    """Return whether a file whose first line with text is this one is JSON Lines, and no table."""
    return not isinstance(line, str) or line.lstrip().startswith(("{", "#"))


def _read_table(
    lines: Iterator[TableLine], first: int, columns: Collection[str], separator: str
) -> Iterator[RecordLine]:
    """Yield the records of a csv table, whose header is line `first`."""
    rows = table_rows(map(_without_other_bytes, lines), separator)
    _, header = next(rows)
    if isinstance(header, RefusedError):
        raise RefusedError(f"line {first}: {header}")
    names = [column_name(plain_cell(name), columns) for name in header]
    counts = Counter(filter(None, names))
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise RefusedError(f"line {first} names the column {quoted(repeated[0])} twice")
    # Index of a column to the id of the puzzle that its name has.
    ids = {index: id_ for index, name in enumerate(names) if (id_ := id_of_column(name))}
    for number, cells in rows:
        if isinstance(cells, RefusedError):
            yield number, cells
        elif cells[len(names) :]:
            problem = f"it has {len(cells)} cells, and the first line names {len(names)}"
            yield number, RefusedError(problem)
        elif cells and not ids:
            yield number, dict(zip(names, map(plain_cell, cells), strict=False))
        elif any(row := list(map(plain_cell, cells))):
            yield from ((number, record) for record in _answers_of_row(row, names, ids))


def read_table_line(number: int, line: bytes | None) -> TableLine:
    """Return a line of a table as `read_records` reads it: its text, or its error."""
    if line is None:
        return number, too_long()
    text = _decode(line, number, "surrogateescape", _SPACE_WITHOUT_TAB)
    return _without_other_bytes((number, text))


def too_long(most: int = MAX_RECORD_BYTES) -> RefusedError:
    """Return the error of a line or a row of more than `most` bytes."""
    return RefusedError(f"it is longer than {most:,} bytes")


def _without_other_bytes(line: TableLine) -> TableLine:
    """Return a line of a table, or its error if it is not UTF-8."""
    is_wrong = isinstance(line[1], str) and _NOT_UTF_8.search(line[1])
    return (line[0], RefusedError(f"it {_OTHER_ENCODING}")) if is_wrong else line


def _answers_of_row(
    row: Sequence[str], names: Sequence[str], ids: dict[int, str]
) -> Iterator[dict[str, Any]]:
    """Yield a record for each answer of a pupil; `ids` has puzzles by index of their column."""
    # Spreadsheets leave out the last cells of a row if they are empty.
    cells = [*row, *[""] * (len(names) - len(row))]
    other_cells = {name: cells[index] for index, name in enumerate(names) if index not in ids}
    if other_cells:
        # The first other column has the name of the pupil, in the language of the class.
        other_cells.setdefault("name", next(iter(other_cells.values())))
    for index, id_ in ids.items():
        yield other_cells | {"id": id_, ANSWER_FIELDS[0]: cells[index]}


class _Lines(Iterator[str]):
    """The lines of a table as the csv reader needs them; a row can be read again."""

    def __init__(self, lines: Iterable[TableLine]) -> None:
        self._lines = iter(lines)
        # Lines of an unreadable row that are read again.
        self._again: deque[TableLine] = deque()
        self.start_row()

    def start_row(self) -> None:
        # The lines of the current row, and their characters.
        self.row: list[TableLine] = []
        self._size = 0

    def __next__(self) -> str:
        self.row.append(self._again.popleft() if self._again else next(self._lines))
        text = _text_for_csv(self.row[-1])
        self._size += len(text) - 1
        if self.is_full:
            raise too_long()
        return text

    @property
    def is_full(self) -> bool:
        return self._size > MAX_RECORD_BYTES

    def keep_first(self) -> None:
        """Make the first line of the current row all of it; the other lines are read again."""
        self._again.extendleft(reversed(self.row[1:]))
        del self.row[1:]


def _text_for_csv(line: TableLine) -> str:
    """Return a line for the reader of csv, empty if it cannot be read."""
    return f"{line[1]}\n" if isinstance(line[1], str) else "\n"


def table_rows(lines: Iterable[TableLine], separator: str) -> Iterator[TableRow]:
    r"""Yield the rows of a csv table, with the number of the last line of each.

    An unreadable line makes its row unreadable, and so do more than `MAX_RECORD_BYTES` characters.
    The cost is linear, since a row ends at the second next quotation mark, or after the limit of
    `csv.field_size_limit()` characters.

    >>> for row in table_rows([(1, 'a,"b'), (2, 'c"'), (3, '"d'), (4, "e")], ","):
    ...     print(*row)
    2 ['a', 'b\nc']
    3 a quotation mark is not closed
    4 ['e']
    """
    source = _Lines(lines)
    reader = csv.reader(source, delimiter=separator)
    while True:
        source.start_row()
        cells: list[str] | RefusedError
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells = RefusedError(f"csv cannot read it: {error}")
        except RefusedError as error:
            # Any other error is about the whole file.
            if not source.is_full:
                raise
            yield source.row[-1][0], error
            continue
        if len(source.row) > 1 and not _is_strict(source.row, separator):
            source.keep_first()
            cells = RefusedError("a quotation mark is not closed")
        errors = [line for _, line in source.row if not isinstance(line, str)]
        yield source.row[-1][0], errors[-1] if errors else cells


def _is_strict(row: Iterable[TableLine], separator: str) -> bool:
    """Return whether the lines of a row are one row by the strict rules of csv."""
    try:
        return len(list(csv.reader(map(_text_for_csv, row), delimiter=separator, strict=True))) == 1
    except csv.Error:
        return False
