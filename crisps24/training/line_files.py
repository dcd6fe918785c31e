"""Files of puzzles with lines: JSON Lines and tables, read and copied."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import BufferedIOBase
from itertools import chain
from typing import BinaryIO

from crisps24.errors import RefusedError
from crisps24.judging.records import (
    column_name,
    parse_record,
    read_records,
    read_table_line,
    table_separator,
)
from crisps24.judging.table_rows import TableLine, table_rows
from crisps24.output.tables import plain_cell, safe_cell
from crisps24.training.json_edits import DataRow, RowChange, changed_object, with_words_of


def read_line_file(source: BufferedIOBase, columns: Collection[str]) -> Iterator[DataRow]:
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


def copy_lines(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    columns: Collection[str],
) -> None:
    """Copy JSON Lines; bytes that are not UTF-8 stay."""
    for number, line in enumerate(source, 1):
        if number in changes:
            text = line.decode(errors="surrogateescape")
            line = changed_object(text, changes[number], columns).encode(errors="surrogateescape")
        out.write(line)


def copy_table(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    columns: Collection[str],
) -> None:
    """Copy a table; a changed row gets the quotation marks that its cells need."""
    # The lines of the current row, with their numbers, as they are in the file.
    pending: deque[tuple[int, bytes]] = deque()

    def lines() -> Iterator[TableLine]:
        for number, line in enumerate(source, 1):
            pending.append((number, line))
            yield read_table_line(number, line)

    table_lines = lines()
    first = next(line for line in table_lines if isinstance(line[1], str) and line[1].strip())
    separator = table_separator(str(first[1]), columns)
    assert separator is not None, "the file has been read"
    header: list[str] = []
    for number, cells in table_rows(chain([first], table_lines), separator):
        row = b""
        while pending and pending[0][0] <= number:
            row += pending.popleft()[1]
        if not header and not isinstance(cells, RefusedError):
            header = [column_name(plain_cell(cell), columns) for cell in cells]
        elif number in changes:
            row = _changed_row(row, cells, header, separator, changes[number])
        out.write(row)


def _changed_row(
    row: bytes,
    cells: Sequence[str] | RefusedError,
    header: Sequence[str],
    separator: str,
    change: RowChange,
) -> bytes:
    """Return a row of a table with the values of `change` in the cells of their columns."""
    if change is None or isinstance(cells, RefusedError):
        return b""
    text = row.decode(errors="surrogateescape")
    line = text.strip(" \r\n\v\f")
    before, _, after = text.partition(line)
    raw_cells = _raw_cells(line, separator)
    # The reader removes white space at the ends of lines.
    if [_plain_text(cell).split() for cell in raw_cells] != [cell.split() for cell in cells]:
        # The quotation marks of the row are unusual: write others.
        raw_cells = [_quoted_cell(cell, separator, always=False) for cell in cells]
    raw_cells += [""] * (len(header) - len(cells))
    for name, value in change.items():
        index = header.index(name)
        old = raw_cells[index]
        new = safe_cell(with_words_of(_plain_text(old), str(value)))
        raw_cells[index] = _quoted_cell(new, separator, always=old.startswith('"'))
    changed = before + separator.join(raw_cells) + after
    return changed.encode(errors="surrogateescape")


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


def _plain_text(raw_cell: str) -> str:
    """Return the text of a cell without its quotation marks."""
    if not (len(raw_cell) > 1 and raw_cell.startswith('"') and raw_cell.endswith('"')):
        return raw_cell
    return raw_cell[1:-1].replace('""', '"')


def _quoted_cell(cell: str, separator: str, *, always: bool) -> str:
    needs_quotes = always or any(sign in cell for sign in (separator, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell
