"""Files of puzzles with lines: JSON Lines and tables, read and copied."""

import csv
from collections.abc import Collection, Iterator, Mapping
from io import BufferedIOBase
from itertools import chain
from typing import BinaryIO

from crisps24.errors import RefusedError
from crisps24.judging.records import column_name, parse_record, read_records, table_separator
from crisps24.output.encodings import encoding_of
from crisps24.output.tables import plain_cell, safe_cell
from crisps24.training.json_edits import DataRow, RowChange, changed_object


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


def _lines_to_copy(source: BufferedIOBase) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers and line ends; other bytes than UTF-8 stay."""
    for number, line in enumerate(source, 1):
        if number == 1 and encoding_of(line[:4]) == "utf-16":
            raise RefusedError("it is UTF-16: save it as UTF-8 first")
        yield number, line.decode(errors="surrogateescape")


def copy_lines(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    _columns: Collection[str],
) -> None:
    """Copy JSON Lines."""
    for number, line in _lines_to_copy(source):
        text = line if number not in changes else changed_object(line, changes[number])
        out.write(text.encode(errors="surrogateescape"))


def copy_table(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    columns: Collection[str],
) -> None:
    """Copy a table; a changed row gets the quotation marks that its cells need."""
    pending: list[str] = []

    def keep_lines() -> Iterator[str]:
        for _, line in _lines_to_copy(source):
            pending.append(line)
            yield line

    lines = keep_lines()
    header: list[str] = []
    first = next((line for line in lines if line.strip().strip("\ufeff")), "")
    separator = table_separator(first.removeprefix("\ufeff"), columns) or ","
    skipped = len(pending) - 1
    rows = csv.reader(chain([first], lines), delimiter=separator)
    for cells in rows:
        raw, number = "".join(pending), skipped + rows.line_num
        pending.clear()
        if not header:
            header = [
                column_name(plain_cell(cell.removeprefix("\ufeff")), columns) for cell in cells
            ]
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
