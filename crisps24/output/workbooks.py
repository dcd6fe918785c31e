"""Workbooks of Excel (.xlsx) as csv, read with python-calamine, which is the extra `excel`.

calamine holds every cell of a rectangle in memory, and gives an error, or a formula that was never
computed, as an empty cell. So the XML of the sheets is looked through first: that needs no memory.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, BinaryIO

from crisps24.errors import RefusedError, quoted
from crisps24.output.tables import plain_cell, safe_cell

# First bytes of a zip archive, which a workbook is.
ZIP_START = b"PK\x03\x04"
# Bytes of a workbook, unpacked; and cells of the rectangle around those that are not empty.
MAX_WORKBOOK_BYTES = 100_000_000
_MAX_CELLS = 2_000_000
# Which archive has a file of this name, or of a name that starts so; the first one counts.
_KINDS = {
    "xl/workbook.xml": "",
    "xl/": "an .xlsb workbook of Excel: save it as .xlsx",
    "word/": "a document of Word: save it as text",
    "content.xml": "a document of LibreOffice: save it as CSV",
    "": "a zip archive: unpack it first",
}
# A row, or a cell with the formula without a value that it can have.
_TAG = re.compile(
    rb"<(?:\w+:)?(?:row|c)\b([^>]*)>"
    rb"(<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:</(?:\w+:)?c>|<(?:\w+:)?v\s*/>|<(?:\w+:)?v></))?"
)
_PLACE = re.compile(rb"\sr\s*=\s*[\"']([A-Z]*)([0-9]+)")
_TYPE = re.compile(rb"\st\s*=\s*[\"'](\w+)")


def workbook_as_csv(file: BinaryIO, sheet_name: str | None = None) -> tuple[bytes, list[str]]:
    """Return the rows of a sheet as csv, and the names of the sheets, with the chosen one first.

    The first sheet that is not hidden is read, unless `sheet_name` names one. Raises RefusedError
    for another archive, a workbook that is too large, a cell that is an error, a date or a time,
    and a formula without a value.
    """
    _check_archive(file)
    file.seek(0)
    try:
        import python_calamine as calamine
    except ImportError:
        advice = "save it as CSV, or install crisps24[excel]"
        raise RefusedError(f"the file is an Excel workbook: {advice}") from None
    try:
        with calamine.load_workbook(file) as book:
            kinds = calamine.SheetTypeEnum, calamine.SheetVisibleEnum
            sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == kinds[0].WorkSheet]
            shown = [sheet.name for sheet in sheets if sheet.visible == kinds[1].Visible]
            names = shown or [sheet.name for sheet in sheets]
            chosen = sheet_name if sheet_name is not None else names[0] if names else ""
            if chosen not in (sheet.name for sheet in sheets):
                known = ", ".join(map(quoted, names))
                raise RefusedError(f"the workbook has no sheet {quoted(chosen)} (expected {known})")
            rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except RefusedError:
        raise
    except BaseException as error:
        # For a date such as 99999999999, calamine raises a PanicException, which is no Exception.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise RefusedError(f"the workbook cannot be read: {quoted(str(error))}") from None
        raise
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows_of_text(rows))
    return text.getvalue().encode(errors="replace"), sorted(names, key=lambda name: name != chosen)


def _check_archive(file: BinaryIO) -> None:
    """Raise RefusedError for an archive that is no workbook, or whose cells are not read safely."""
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            start = next(
                kind for kind in _KINDS if any(part.filename.startswith(kind) for part in parts)
            )
            if _KINDS[start]:
                raise RefusedError(f"the file is {_KINDS[start]}")
            if sum(part.file_size for part in parts) > MAX_WORKBOOK_BYTES:
                limit = MAX_WORKBOOK_BYTES // 10**6
                raise RefusedError(f"the workbook has more than {limit} MB: save it as CSV")
            for part in parts:
                # The size in the list of parts can be wrong: reading all of a part compares it.
                xml = archive.read(part)
                if part.filename.startswith("xl/worksheets/"):
                    _check_cells(xml)
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"the file is a damaged zip archive: {quoted(str(error))}") from None


def _check_cells(xml: bytes) -> None:
    row_count, column_count, unnamed_count = 0, 0, 0
    for match in _TAG.finditer(xml):
        attributes, formula = match.groups()
        place, kind = _PLACE.search(attributes), _TYPE.search(attributes)
        letters, digits = place.groups() if place else (b"", b"0")
        name = f"cell {(letters + digits).decode()}"
        if kind and kind[1] == b"e":
            raise RefusedError(f"{name} has an error")
        # The value of a formula that is text can be empty.
        if formula and not (kind and kind[1] == b"str"):
            raise RefusedError(f"{name} has a formula without a value: open and save it in Excel")
        unnamed_count += not place
        row_count = max(row_count, int(digits[:9]))
        column_count = max(column_count, _column_number(letters[:9]))
    if (row_count + unnamed_count) * (column_count + unnamed_count) > _MAX_CELLS:
        raise RefusedError(f"a sheet has more than {_MAX_CELLS:,} cells: save it as CSV")


def _column_number(letters: bytes) -> int:
    """Return the number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _column_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _rows_of_text(rows: list[list[Any]]) -> Iterator[list[str]]:
    """Yield rows without their empty last cells, but not shorter than the first one with text."""
    width, empty = 0, 0
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            if not isinstance(value, str | int | float):
                cell = f"cell {_column_letters(column)}{number}"
                advice = "format it as text, and type it again"
                raise RefusedError(f"{cell} is a date or a time: {advice}")
        cells = list(map(_text_of, row))
        filled = len(cells) - next((i for i, cell in enumerate(cells[::-1]) if cell), len(cells))
        if not filled:
            empty += 1
            continue
        # Empty rows count as lines, except the last ones.
        yield from [[]] * empty
        width, empty = width or filled, 0
        yield cells[: max(width, filled)]


def _text_of(value: str | float) -> str:
    if isinstance(value, str):
        return safe_cell(plain_cell(value)) if value else ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    # Excel computes and shows 15 digits.
    return f"{Decimal(f'{value + 0:.15g}'):f}"
