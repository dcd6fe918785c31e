"""Spreadsheets of LibreOffice (.ods) as csv.

`class.ods` was saved by LibreOffice 7.4, without its styles and pictures: a title, a comment, a
formula of numbers, an error, a date, a text of two lines, a hidden sheet, a row far below.
"""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from crisps24.errors import RefusedError
from crisps24.output import workbooks
from crisps24.output.workbooks import workbook_as_csv
from tests.sampling import in_one_test
from tests.workbooks import archive

CLASS = (Path(__file__).parents[1] / "data" / "class.ods").read_bytes()
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
_URN = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(f'xmlns:{n}="{_URN}:{n}:1.0"' for n in ("office", "style", "table", "text"))

# A text that stands for a thousand million letters.
ENTITIES = "<!DOCTYPE x [<!ENTITY a '{}'>{}]>".format("x" * 10**5, f"<!ENTITY b '{'&a;' * 10**4}'>")


def spreadsheet(rows: str, before: str = "") -> bytes:
    table = f'<table:table table:name="A">{rows}</table:table>'
    content = f"{before}<office:document-content {SPACES}>{table}</office:document-content>"
    return archive({"mimetype": MIMETYPE, "content.xml": content})


def text_cell(text: str, attributes: str = "") -> str:
    kind = 'office:value-type="string"'
    return f"<table:table-cell {kind} {attributes}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def csv_of(data: bytes, sheet_name: str | None = None) -> str:
    return workbook_as_csv([data], sheet_name).decode()


def test_a_file_of_libreoffice_is_read() -> None:
    notes: list[str] = []
    lines = workbook_as_csv([CLASS], None, notes.append).decode().splitlines()
    assert notes == ["the sheet Klasse 5b is read (--sheet-name: another of Tabelle2, Versteckt)"]
    assert lines[:9] == [
        *("Klassenliste 5b", "", "Name,3 3 8 8,Karte 2: 4 7 8 8,1 5 5 5"),
        *("Jürgen,8/(3-8/3),(7-8/8)*4,?", "Anna  B.,'=8/(3-8/3),24,'=(5-1/5)*5"),
        "Emil,cell B6 is a date or a time: format it as text,'=1/0,5*(5-1/5)",
        *('Zoë,"line 1', 'line 2",0.75,1', ""),
    ]
    assert lines[300:] == ["Ende"]
    assert csv_of(CLASS, "Versteckt") == "x\n"
    sheets = workbook_as_csv([CLASS], all_sheets=True)
    assert (b"Tabelle2" in sheets, b"Versteckt" in sheets) == (True, False)


def test_texts_are_those_of_another_reader() -> None:
    calamine = pytest.importorskip("python_calamine", reason="it reads the same file")
    with calamine.load_workbook(BytesIO(CLASS)) as book:
        rows = book.get_sheet_by_name("Klasse 5b").to_python(skip_empty_area=False)
    lines = csv_of(CLASS).splitlines()
    for index in (0, 2, 3):
        assert ",".join(map(str, rows[index])).rstrip(",") == lines[index]


def test_blanks_comments_and_repeated_cells() -> None:
    comment = "<office:annotation><text:p>good</text:p></office:annotation>"
    said = f"<table:table-cell>{comment}<text:p>a<text:s text:c='2'/>b</text:p></table:table-cell>"
    far = '<table:table-cell table:number-columns-repeated="16000"/>'
    many = 'table:number-rows-repeated="1048000"'
    rows = row(said, text_cell("c", 'table:number-columns-repeated="2"'), far)
    assert csv_of(spreadsheet(rows + row(far, attributes=many))) == "a  b,c,c\n"
    twice = row(text_cell("x"), attributes='table:number-rows-repeated="2"')
    assert csv_of(spreadsheet(rows + twice)) == "a  b,c,c\nx,,\nx,,\n"
    error = "<table:table-cell xmlns:c='urn:org:documentfoundation:names:experimental:calc:"
    error += "xmlns:calcext:1.0' c:value-type='error'><text:p>#N/A</text:p></table:table-cell>"
    assert csv_of(spreadsheet(row(error))) == "cell A1 has an error\n"


CELLS, UNREADABLE = "a sheet has more than 2,000,000 cells", "the workbook cannot be read"
REPEATED = 'table:number-{}-repeated="900000000"'.format


@in_one_test(
    ("data", "said"),
    (spreadsheet(row(text_cell("x", REPEATED("columns")))), CELLS),
    (spreadsheet(row(text_cell("x"), attributes=REPEATED("rows"))), CELLS),
    (spreadsheet(row(f"<table:table-cell {REPEATED('columns')}/>", text_cell("x"))), CELLS),
    (archive({"mimetype": MIMETYPE, "content.xml": "<x"}), UNREADABLE),
    (archive({"mimetype": MIMETYPE}), UNREADABLE),
    (spreadsheet(row(text_cell("&b;")), ENTITIES), UNREADABLE),
    (archive({"mimetype": f"{MIMETYPE}-x", "content.xml": "x"}), "the file is a document of"),
)
def test_other_spreadsheets_are_refused_in_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(RefusedError, match=rf"\A{said}[^\n]*\Z"):
        csv_of(data)


def test_a_large_part_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MAX_WORKBOOK_BYTES", 10**5)
    content = spreadsheet(row(text_cell("x" * 10**6)))
    with pytest.raises(RefusedError, match="the workbook has more than"):
        workbook_as_csv([content])
    assert zipfile.is_zipfile(BytesIO(content))
