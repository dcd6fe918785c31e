"""Workbooks of Excel that are written, read back with openpyxl and calamine."""

import io
import sys

import pytest

from crisps24.errors import RefusedError
from crisps24.output.workbooks import Worksheet, check_workbook, workbook_as_csv, workbook_of

pytest.importorskip("xlsxwriter", reason="the extra crisps24[excel] is missing")
openpyxl = pytest.importorskip("openpyxl")


def test_cells_are_texts_and_numbers() -> None:
    rows: list[list[str | int]] = [["=1+1", 24, "−"], [], ["", "a <b> & 'c'", "x\ty"]]
    data = workbook_of(Worksheet(rows))
    assert data == workbook_of(Worksheet(rows))
    book = openpyxl.load_workbook(io.BytesIO(data))
    [sheet] = book.worksheets
    shown = {cell.coordinate: cell.value for row in sheet for cell in row if cell.value}
    assert shown == {"A1": "=1+1", "B1": 24, "C1": "−", "B3": "a <b> & 'c'", "C3": "x\ty"}
    assert sheet["A1"].data_type == "s"
    assert workbook_as_csv([data]).decode() == "'=1+1,24,'−\n\n,a <b> & 'c',x\ty\n"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(RefusedError, match=r'needs XlsxWriter.*: pip install "crisps24\[excel\]"'):
        check_workbook()
