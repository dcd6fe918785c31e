"""Workbooks of Excel as csv."""

import io
import random
import sys
import zipfile
from contextlib import suppress

import pytest

from crisps24.errors import RefusedError
from crisps24.output import workbooks
from crisps24.output.workbooks import workbook_as_csv
from tests.sampling import in_one_test
from tests.workbooks import archive, workbook

pytest.importorskip("python_calamine", reason="the extra crisps24[excel] is missing")


def csv_of(*rows: list[object]) -> str:
    return workbook_as_csv([workbook({"A": rows})]).decode()


def refusal(data: bytes, sheet_name: str | None = None) -> str:
    with pytest.raises(RefusedError) as error:
        workbook_as_csv([data], sheet_name)
    assert "\n" not in str(error.value)
    return str(error.value)


TRUE = '<c r="@" t="b"><v>1</v></c>'
VALUE = '<c r="@" t="str"><f>A1</f><v>Zoë</v></c>'
EMPTY = '<c r="@" t="str"><f>""</f><v></v></c>'
DATE = "cell B2 is a date or a time: format it as text"
TOO_LARGE = "the workbook has more than 100 MB: save it as CSV"


def test_cells_are_as_excel_shows_them() -> None:
    assert csv_of(["name", "x"], ["Zoë, 3", 3.0]) == 'name,x\n"Zoë, 3",3\n'
    assert csv_of([0.75, 1e22, 0.30000000000000004, -0.0]) == f"0.75,1{'0' * 22},0.3,0\n"
    assert csv_of([TRUE, VALUE, EMPTY, "=1+1", "'=1+1"]) == "TRUE,Zoë,,'=1+1,'=1+1\n"


def test_empty_rows_are_lines_except_the_last_and_rows_have_the_width_of_the_first() -> None:
    rows: list[list[object]] = [["a", "b", None], [], ["c"], ["d", "e", "f"], ["", None], [EMPTY]]
    assert csv_of([], *rows) == "\na,b\n\nc,\nd,e,f\n"
    assert csv_of() == csv_of([]) == ""


def test_a_sheet_has_a_name() -> None:
    data = workbook({"A": [["x"]], "Klas 2": [["y"]]})
    notes: list[str] = []
    assert workbook_as_csv([data], None, notes.append) == b"x\n"
    assert notes == ["the sheet A is read (--sheet-name: another of Klas 2)"]
    assert workbook_as_csv([data], "Klas 2", notes.append) == b"y\n"
    assert len(notes) == 1
    assert refusal(data, "B") == "the workbook has no sheet 'B' (it has 'A', 'Klas 2')"


@in_one_test(
    ("value", "text"),
    ('<c r="@" s="1"><v>45000</v></c>', DATE),
    ('<c r="@" t="d"><v>2024-01-01T00:00:00</v></c>', DATE),
    ('<c r="@" t="e"><v>#N/A</v></c>', "cell B2 has an error"),
    ('<c r="@"><f>A1</f><v/></c>', "cell B2 has a formula without a value"),
    ('<c r="@"><f t="shared" si="0"/><v></v></c>', "cell B2 has a formula without a value"),
    ('<c r="@"><f>(8-4)*3*2</f><v>24</v></c>', "'=(8-4)*3*2"),
    ('<c r="@" t="e"><f>8/(3-3)</f><v>#DIV/0!</v></c>', "'=8/(3-3)"),
    ('<c r="@"><f>A1+8</f><v>24</v></c>', "24"),
)
def test_cells_have_formulas_of_numbers_or_say_what_is_wrong(value: str, text: str) -> None:
    assert csv_of(["x", "z"], ["y", value]) == f"x,z\ny,{text}\n"
    data = workbook({"A": [["other"]], "B": [["x"], ["y", value, 3]]})
    assert workbook_as_csv([data], "B").decode() == f"x\ny,{text},3\n"
    both = workbook_as_csv([data], all_sheets=True).decode()
    assert both == f"\x1cA\nother\n\x1cB\nx\ny,{text},3\n"


@in_one_test(
    ("value", "said"),
    ('<c t="e"><v>#N/A</v></c>', "a cell has no place: open the workbook"),
    ('<c r="@" t="s"><v>99</v></c>', "the workbook cannot be read"),
    ('<c r="@" s="1"><v>-1e300</v></c>', "the workbook cannot be read"),
    ('<c r="XFD1048576"><v>1</v></c>', "a sheet has more than 2,000,000 cells"),
    ('<row r="9999999999999"><c><v>1</v></c></row>', "a sheet has more than 2,000,000 cells"),
)
def test_cells_that_cannot_be_read_safely_are_refused(value: str, said: str) -> None:
    assert refusal(workbook({"A": [["x"], ["y", value]]})).startswith(said)


@in_one_test(
    ("data", "said"),
    (archive({"xl/workbook.bin": "x"}), "the file is an .xlsb workbook of Excel: save it as"),
    (archive({"mimetype": "", "content.xml": "x"}), "the file is a document of LibreOffice: "),
    (archive({"a.txt": "x"}), "the file is a zip archive: unpack it first"),
    (archive({"xl/workbook.xml": "x"}), "the workbook cannot be read: "),
    (b"PK\3\4", "the file is a damaged zip archive: "),
)
def test_other_archives_are_named(data: bytes, said: str) -> None:
    assert refusal(data).startswith(said)


def test_large_workbook_is_refused_before_it_takes_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = workbook({"A": []}, {"xl/bomb.xml": bytes(10**6)})
    monkeypatch.setattr(workbooks, "MAX_WORKBOOK_BYTES", 10**6)
    assert refusal(bomb) == TOO_LARGE
    # The archive says a smaller size.
    hidden = bomb.replace((10**6).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert refusal(hidden).startswith("the file is a damaged zip archive: ")


def test_sheets_are_checked_in_any_folder_and_texts_as_often_as_cells_have_them() -> None:
    data = workbook({"A": [["x"], ['<c r="XFD1048576"><v>1</v></c>']]})
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        texts = {name: parts.read(name).decode() for name in parts.namelist()}
    for old, new in (("worksheets/1.xml", "sheets/one.xml"), ("xl/worksheets/", "XL/Worksheets/")):
        files = {name.replace(old, new): text.replace(old, new) for name, text in texts.items()}
        assert refusal(archive(files)).startswith("a sheet has more than 2,000,000 cells")
    long = {"xl/sharedStrings.xml": f"<sst><si><t>{'x' * 10**6}</t></si></sst>".encode()}
    rows = [['<c r="@" t="s"><v>0</v></c>'] * 20 for _ in range(10)]
    assert refusal(workbook({"A": rows}, long)) == TOO_LARGE
    assert refusal(workbook({})) == "the workbook has no sheet of cells"
    wide = {"xl/worksheets/1.xml": '<?xml version="1.0"?><worksheet/>'.encode("utf-16")}
    assert refusal(workbook({"A": []}, wide)).startswith("a sheet is in UTF-16: open the workbook")


def test_damaged_workbooks_are_read_or_refused() -> None:
    data = workbook({"A": [["name", "answer"], ["Zoë", 3]]})
    chance = random.Random(8)
    for _ in range(200):
        size = chance.randrange(4, len(data)) if chance.random() < 0.2 else len(data)
        damaged = bytearray(data[:size])
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(4, len(damaged))] = chance.randrange(256)
        with suppress(RefusedError):
            assert len(workbook_as_csv([bytes(damaged)])) < 100


def test_without_the_extra_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    said = "the file is an Excel workbook: save it as CSV, or install crisps24[excel]"
    assert refusal(workbook({"A": []})) == said
