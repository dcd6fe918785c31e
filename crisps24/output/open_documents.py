"""Spreadsheets of LibreOffice (.ods): the rows of their sheets, as `workbooks` reads them.

The XML is read row by row, since a row or a cell can stand for a million like it: these count only
if they have a value. A formula of numbers alone, as pupils type it, is the text of its cell.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import IO, Any, BinaryIO, NamedTuple
from xml.etree import ElementTree

_CONTENT = "content.xml"
_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
_NAMES = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}%s"
_TABLE, _ROW = _NAMES % ("table", "table"), _NAMES % ("table", "table-row")
_NAME, _STYLE_OF = _NAMES % ("table", "name"), _NAMES % ("table", "style-name")
_FORMULA, _DISPLAY = _NAMES % ("table", "formula"), _NAMES % ("table", "display")
_ROWS, _COLUMNS = (_NAMES % ("table", f"number-{each}-repeated") for each in ("rows", "columns"))
_STYLE, _STYLE_NAME = _NAMES % ("style", "style"), _NAMES % ("style", "name")
_KIND, _VALUE = _NAMES % ("office", "value-type"), _NAMES % ("office", "value")
_TRUTH = _NAMES % ("office", "boolean-value")
_PARAGRAPH, _BLANKS = _NAMES % ("text", "p"), _NAMES % ("text", "s")
_COUNT = _NAMES % ("text", "c")
_IS_ERROR = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
# A formula of numbers alone.
ARITHMETIC = r"\s*+[0-9+(-][0-9.,() ]*+[+*/^-][0-9.,()^*/+ -]*+"
_ARITHMETIC = re.compile(f"of:=({ARITHMETIC})")
_MAX_BLANKS = 1_000
IS_A_DATE = "is a date or a time: format it as text"


Limit = Callable[[int], object]
"""Raises RefusedError for a number that is too large."""


class Fault(NamedTuple):
    """What is wrong with a cell that has no value to read."""

    text: str


class ReadableSheet(NamedTuple):
    """A sheet of cells of a workbook."""

    name: str
    is_shown: bool
    read: Callable[[], list[list[Any]]]


def is_spreadsheet(file: BinaryIO) -> bool:
    """Return whether a file is a zip archive with a spreadsheet of this kind."""
    with suppress(Exception), zipfile.ZipFile(file) as archive, archive.open("mimetype") as part:
        return part.read(2 * len(_MIMETYPE)).strip() == _MIMETYPE
    return False


def read_sheets(file: BinaryIO, check_bytes: Limit, check_cells: Limit) -> list[ReadableSheet]:
    """Return the sheets of a spreadsheet; the checks refuse too many bytes or cells."""
    with zipfile.ZipFile(file) as archive:
        check_bytes(archive.getinfo(_CONTENT).file_size)
        with archive.open(_CONTENT) as content:
            return [*_sheets_in(content, check_cells)]


def _sheets_in(content: IO[bytes], check_cells: Limit) -> Iterator[ReadableSheet]:
    hidden = set[str | None]()
    sheet, is_shown, cell_count = "", True, 0
    rows: list[list[Any]] = []
    empty_rows = 0
    for event, element in ElementTree.iterparse(content, ("start", "end")):
        if event == "start":
            if element.tag == _TABLE:
                sheet, rows, empty_rows = element.get(_NAME, ""), [], 0
                is_shown = element.get(_STYLE_OF) not in hidden
            continue
        if element.tag == _STYLE:
            if any(each.get(_DISPLAY) == "false" for each in element):
                hidden.add(element.get(_STYLE_NAME))
        elif element.tag == _ROW:
            cells = _cells_of(element, check_cells)
            times = _repeats(element, _ROWS)
            if cells:
                cell_count += (empty_rows + times) * len(cells)
                check_cells(cell_count)
                rows += [[] for _ in range(empty_rows)]
                rows += [cells[:] for _ in range(times)]
            empty_rows = 0 if cells else empty_rows + times
            element.clear()
        elif element.tag == _TABLE:
            yield ReadableSheet(sheet, is_shown, partial(list, rows))
            element.clear()


def _cells_of(row: ElementTree.Element, check_cells: Limit) -> list[Any]:
    """Return the values of a row, up to the last that is not empty."""
    cells: list[Any] = []
    empty_count = 0
    for cell in row:
        value, times = _value_of(cell), _repeats(cell, _COLUMNS)
        if value == "":
            empty_count += times
            continue
        check_cells(len(cells) + empty_count + times)
        cells += [""] * empty_count + [value] * times
        empty_count = 0
    return cells


def _repeats(element: ElementTree.Element, name: str) -> int:
    text = element.get(name, "1")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 1


def _value_of(cell: ElementTree.Element) -> Any:
    """Return the value of a cell: a text, a number, True or False, or a fault."""
    kind = cell.get(_KIND)
    if formula := _ARITHMETIC.fullmatch(cell.get(_FORMULA, "")):
        return f"={formula[1]}"
    if cell.get(_IS_ERROR) == "error":
        return Fault("has an error")
    if kind in ("date", "time"):
        return Fault(IS_A_DATE)
    if kind == "boolean":
        return cell.get(_TRUTH) == "true"
    if kind in ("float", "currency", "percentage"):
        return float(cell.get(_VALUE, "0"))
    # Comments are in elements of their own.
    return "\n".join(_text_of(each) for each in cell if each.tag == _PARAGRAPH)


def _text_of(paragraph: ElementTree.Element) -> str:
    for blanks in paragraph.iter(_BLANKS):
        blanks.text = " " * min(_repeats(blanks, _COUNT), _MAX_BLANKS)
    return "".join(paragraph.itertext())
