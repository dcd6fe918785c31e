"""Workbooks: .xlsx is read as csv by python-calamine and written by XlsxWriter; .ods is read.

Both packages are the extra `excel`; `open_documents` reads an .ods. A text that is written is never
a formula. `spreadsheet_file` also writes the tables of text that a double click opens.

calamine holds every cell of a rectangle in memory, each with its text, and gives an error, or a
formula that was never computed, as an empty cell. So all XML is looked through first, which needs
no memory: a sheet can have any name, in any folder. A formula of numbers alone, as pupils type it,
is the text of its cell; an error or a date becomes a text that says so, which nothing reads.
"""

import csv
import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from functools import partial, reduce
from itertools import zip_longest
from operator import sub
from typing import Any, BinaryIO, NamedTuple
from xml.etree import ElementTree

from crisps24.errors import RefusedError, quoted
from crisps24.output import open_documents
from crisps24.output.encodings import BYTE_ORDER_MARK, SHEET_START, encoding_of
from crisps24.output.open_documents import ARITHMETIC, IS_A_DATE, Fault, ReadableSheet
from crisps24.output.tables import Row, plain_cell, safe_cell, spreadsheet

# Bytes of a workbook, unpacked; and cells of the rectangle around those that are not empty.
MAX_WORKBOOK_BYTES = 100_000_000
_MAX_CELLS = 2_000_000
# The date in each workbook that is written.
_CREATED = datetime(2000, 1, 1)
# The width of a column in which people type, and the largest of others, in characters.
_TYPED_WIDTH = 24
_MAX_WIDTH = 70
_TOO_LARGE = f"the workbook has more than {MAX_WORKBOOK_BYTES // 10**6} MB: save it as CSV"
_SAVE_AGAIN = "open the workbook in Excel, and save it"
# Which archive has a file of this name, or of a name that starts so; the first one counts.
_KINDS = {
    "xl/workbook.xml": "",
    "xl/": "an .xlsb workbook of Excel: save it as .xlsx",
    "word/": "a document of Word: save it as text",
    "content.xml": "a document of LibreOffice: save it as .ods or CSV",
    "": "a zip archive: unpack it first",
}
# A row, or a cell with its formula and whether that has no value. Drawings have rows of digits.
_TAG = re.compile(
    rb"<(?:\w+:)?(?:row|c)\b([^<>]*)>(?![0-9])"
    rb"(?:<(?:\w+:)?f\b[^<>]*(?:/>|>([^<]*)</(?:\w+:)?f>)\s*"
    rb"(</(?:\w+:)?c>|<(?:\w+:)?v\s*/>|<(?:\w+:)?v></)?)?"
)
_ARITHMETIC = re.compile(ARITHMETIC.encode())
_PLACE = re.compile(rb"\sr\s*=\s*[\"']([A-Z]*)([0-9]+)")
_TYPE = re.compile(rb"\st\s*=\s*[\"'](\w+)")
# The start of a text that cells share, and a cell with the number of such a text.
_SHARED_TEXT = re.compile(rb"<(?:\w+:)?si\b|$")
_SHARED_CELL = re.compile(rb"\st\s*=\s*[\"']s[\"'][^<>]*>\s*<(?:\w+:)?v\b[^<>]*>\s*([0-9]+)")


def workbook_as_csv(
    pieces: Iterable[bytes],
    sheet_name: str | None = None,
    note: Callable[[str], object] = lambda _: None,
    *,
    all_sheets: bool = False,
) -> bytes:
    """Return the rows of a sheet of a workbook as csv; RefusedError for another archive.

    The first sheet that is not hidden is read, unless `sheet_name` names one; `note` is called with
    a sentence if there are others. Otherwise `all_sheets` reads all that are not hidden, each below
    a line with `SHEET_START` and its name.
    """
    file = io.BytesIO()
    for piece in pieces:
        _check_byte_count(file.tell() + len(piece))
        file.write(piece)
    all_sheets = all_sheets and sheet_name is None
    try:
        with _open_workbook(file) as sheets:
            shown = [sheet.name for sheet in sheets if sheet.is_shown]
            names = shown + [sheet.name for sheet in sheets if not sheet.is_shown]
            if sheet_name not in (None, *names):
                known = f"(it has {', '.join(map(quoted, names))})"
                raise RefusedError(f"the workbook has no sheet {quoted(sheet_name)} {known}")
            if not names:
                raise RefusedError("the workbook has no sheet of cells")
            chosen = shown if all_sheets and shown else [sheet_name or names[0]]
            read = {sheet.name: sheet.read for sheet in sheets}
            rows_of = {name: read[name]() for name in chosen}
    except RefusedError:
        raise
    except BaseException as error:
        # For a date such as -1e300, calamine raises a PanicException, which is no Exception.
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            problem = "the workbook cannot be read: open it in Excel, and save it again or as CSV"
            raise RefusedError(problem) from None
        raise
    if names[1:] and sheet_name is None and not all_sheets:
        note(f"the sheet {names[0]} is read (--sheet-name: another of {', '.join(names[1:])})")
    text = io.StringIO()
    for name, rows in rows_of.items():
        text.write(f"{SHEET_START}{name}\n" if all_sheets else "")
        csv.writer(text, lineterminator="\n").writerows(_rows_of_text(rows))
    return text.getvalue().encode(errors="replace")


@contextmanager
def _open_workbook(file: BinaryIO) -> Iterator[list[ReadableSheet]]:
    """Yield the sheets of cells of a workbook, which can be read until it is closed."""
    if open_documents.is_spreadsheet(file):
        yield open_documents.read_sheets(file, _check_byte_count, _check_cell_count)
        return
    texts = _check_archive(file)
    file.seek(0)
    try:
        import python_calamine as calamine
    except ImportError:
        advice = "save it as CSV, or install crisps24[excel]"
        raise RefusedError(f"the file is an Excel workbook: {advice}") from None

    def read(name: str) -> list[list[Any]]:
        rows: list[list[Any]] = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        for (row, column), cell in texts[_part_of(file, name)].items() if texts else ():
            rows += [[] for _ in range(row - len(rows))]
            rows[row - 1] += [""] * (column - len(rows[row - 1]))
            rows[row - 1][column - 1] = cell
        return rows

    with calamine.load_workbook(file) as book:
        worksheet, visible = calamine.SheetTypeEnum.WorkSheet, calamine.SheetVisibleEnum.Visible
        yield [
            ReadableSheet(sheet.name, sheet.visible == visible, partial(read, sheet.name))
            for sheet in book.sheets_metadata
            if sheet.typ == worksheet
        ]


def _check_byte_count(count: int) -> None:
    if count > MAX_WORKBOOK_BYTES:
        raise RefusedError(_TOO_LARGE)


def _check_cell_count(count: int) -> None:
    if count > _MAX_CELLS:
        raise RefusedError(f"a sheet has more than {_MAX_CELLS:,} cells: save it as CSV")


def _part_of(file: BinaryIO, sheet_name: str) -> str:
    """Return the name of the part of an archive that has a sheet."""
    with zipfile.ZipFile(file) as archive:
        sheets = ElementTree.fromstring(archive.read("xl/workbook.xml")).iterfind("{*}sheets/*")
        found = next(sheet for sheet in sheets if sheet.get("name") == sheet_name)
        ids = [value for name, value in found.items() if name.endswith("}id")]
        parts = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        target = next(part.attrib["Target"] for part in parts if part.get("Id") in ids)
        return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")


def _check_archive(file: BinaryIO) -> dict[str, dict[tuple[int, int], str]]:
    """Return the texts of cells that calamine does not give, by part, row and column."""
    texts: dict[str, dict[tuple[int, int], str]] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            names = "\n".join(["", *(part.filename for part in parts)])
            if kind := next(kind for start, kind in _KINDS.items() if f"\n{start}" in names):
                raise RefusedError(f"the file is {kind}")
            _check_byte_count(sum(part.file_size for part in parts))
            # The largest size of each text that cells share, and how many cells have it.
            sizes, shared = Counter[int](), Counter[int]()
            for part in parts:
                # The size in the list of parts can be wrong: reading all of a part compares it.
                xml = archive.read(part)
                if encoding_of(xml) == "utf-16":
                    raise RefusedError(f"a sheet is in UTF-16: {_SAVE_AGAIN}")
                texts[part.filename] = _check_cells(xml)
                starts = [match.start() for match in _SHARED_TEXT.finditer(xml)]
                sizes |= Counter(dict(enumerate(map(sub, starts[1:], starts))))
                shared.update(int(match[1][:9]) for match in _SHARED_CELL.finditer(xml))
            _check_byte_count(sum(sizes[index] * times for index, times in shared.items()))
    except RefusedError:
        raise
    except Exception as error:
        kind = "protected" if "encrypted" in str(error) else "damaged"
        raise RefusedError(f"the file is a {kind} zip archive: save it as CSV") from None
    return texts if any(texts.values()) else {}


def _check_cells(xml: bytes) -> dict[tuple[int, int], str]:
    row_count, column_count, unnamed_count = 0, 0, 0
    texts: dict[tuple[int, int], str] = {}
    for match in _TAG.finditer(xml):
        attributes, formula, is_empty = match.groups()
        place, kind = _PLACE.search(attributes), _TYPE.search(attributes)
        letters, digits = place.groups() if place else (b"", b"0")
        row = int(digits[:9])
        # The letters are the digits of the number of a column: A is 1, and AA 27.
        column = reduce(lambda number, letter: number * 26 + letter - 64, letters[:9], 0)
        text = ""
        if formula and _ARITHMETIC.fullmatch(formula):
            text = f"={formula.decode()}"
        elif kind and kind[1] == b"e":
            text = f"cell {(letters + digits).decode()} has an error"
        # The value of a formula that is text can be empty.
        elif is_empty and not (kind and kind[1] == b"str"):
            text = f"cell {(letters + digits).decode()} has a formula without a value"
        if text and not place:
            raise RefusedError(f"a cell has no place: {_SAVE_AGAIN}")
        if text:
            texts[row, column] = text
        unnamed_count += not place
        row_count, column_count = max(row_count, row), max(column_count, column)
    _check_cell_count((row_count + unnamed_count) * (column_count + unnamed_count))
    return texts


def check_workbook() -> None:
    """Raise RefusedError if no workbook can be written here."""
    try:
        import xlsxwriter  # noqa: F401
    except ImportError:
        install = 'pip install "crisps24[excel]"'
        raise RefusedError(f"an .xlsx needs XlsxWriter, which is missing: {install}") from None


class Cell(NamedTuple):
    """A cell with a background, such as `#f4c7c3`, or with a sum."""

    value: str | int
    colour: str = ""
    summed: int = 0
    """How many cells on its left the formula of the cell adds up; `value` is their sum."""


class Worksheet(NamedTuple):
    """A sheet to write."""

    rows: Iterable[Sequence[Cell | str | int]]
    name: str | None = None
    headed: bool = False
    """Whether the first row is a header, and the first column has names: both stay visible."""
    typed: int = 0
    """The number of columns in which people type: Excel keeps a text such as 3/4 as it is."""


def workbook_of(*sheets: Worksheet) -> bytes:
    """Return the bytes of a workbook; the same rows give the same bytes."""
    check_workbook()
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"created": _CREATED})
        formats: dict[str, Any] = {"": None, "text": book.add_format({"num_format": "@"})}
        for written in sheets:
            sheet = book.add_worksheet(written.name)
            # On paper, a sheet is as wide as a page.
            sheet.set_landscape()
            sheet.fit_to_pages(1, 0)
            if written.headed:
                sheet.freeze_panes(1, 1)
            rows = [*written.rows]
            for column, cells in enumerate(zip_longest(*rows, fillvalue="")):
                texts = (cell.value if isinstance(cell, Cell) else cell for cell in cells)
                width = min(_MAX_WIDTH, 2 + max(len(str(text)) for text in texts))
                sheet.set_column(column, column, width)
            if written.typed:
                sheet.set_column(0, written.typed - 1, _TYPED_WIDTH, formats["text"])
            for number, row in enumerate(rows):
                for column, cell in enumerate(row):
                    value, colour, summed = cell if isinstance(cell, Cell) else Cell(cell)
                    if colour not in formats:
                        formats[colour] = book.add_format({"bg_color": colour})
                    style = formats["text" if written.typed else colour]
                    if summed:
                        ends = _column_letters(column - summed + 1), _column_letters(column)
                        formula = f"=SUM({ends[0]}{number + 1}:{ends[1]}{number + 1})"
                        sheet.write_formula(number, column, formula, style, value)
                    elif value != "" or colour:
                        # A text such as =A1 stays a text.
                        is_text = isinstance(value, str)
                        write = sheet.write_string if is_text else sheet.write_number
                        write(number, column, value, style)
    return file.getvalue()


def spreadsheet_file(
    rows: Iterable[Row], form: str, keys: Sequence[str], decimal: str
) -> Iterator[bytes]:
    """Yield the bytes of a file that spreadsheets open where decimals are written with `decimal`.

    All cells of an .xlsx are texts, also those that people fill in.
    """
    if form == "xlsx":
        cells = [[*keys], *([str(row.get(key) or "") for key in keys] for row in rows)]
        yield workbook_of(Worksheet(cells, headed=True, typed=len(keys)))
        return
    # Excel reads UTF-8 only with this mark.
    yield BYTE_ORDER_MARK
    yield from (f"{line}\n".encode() for line in spreadsheet(rows, keys, form, decimal))


def _column_letters(number: int) -> str:
    """Return the name of a column: A for 1, AA for 27."""
    return _column_letters((number - 1) // 26) + chr(65 + (number - 1) % 26) if number else ""


def _rows_of_text(rows: list[list[Any]]) -> Iterator[list[str]]:
    """Yield rows without their empty last cells, but not shorter than the first one with text."""
    width, empty_count = 0, 0
    for number, row in enumerate(rows, 1):
        cells = [_text_of(value, number, column) for column, value in enumerate(row, 1)]
        while cells and not cells[-1]:
            cells.pop()
        empty_count += not cells
        if cells:
            # Empty rows count as lines, except the last ones.
            yield from [[]] * empty_count
            width, empty_count = width or len(cells), 0
            yield cells + [""] * (width - len(cells))


def _text_of(value: Any, row: int, column: int) -> str:
    if isinstance(value, str):
        return safe_cell(plain_cell(value)) if value else ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        # Excel computes and shows 15 digits.
        return f"{Decimal(f'{value + 0:.15g}'):f}"
    fault = value.text if isinstance(value, Fault) else IS_A_DATE
    return f"cell {_column_letters(column)}{row} {fault}"
