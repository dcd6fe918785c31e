"""Small Excel workbooks, made without a library."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_PARTS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# The styles of cells: 0 for numbers, 1 for dates.
_STYLES = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'


def cell(value: object, place: str) -> str:
    """Return the XML of a cell: a text or a number; a text that starts with < is XML itself."""
    if isinstance(value, str) and value.startswith("<"):
        return value.replace("@", place)
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return "" if value is None else f'<c r="{place}"><v>{value}</v></c>'


def workbook(sheets: Mapping[str, Any], more: Mapping[str, bytes] | None = None) -> bytes:
    """Return a workbook with rows of cells by the names of its sheets, and more files in it."""
    names = list(enumerate(sheets, 1))
    link = f'<Relationship Id="{{}}" Type="{_KIND}/{{}}" Target="{{}}.xml"/>'
    links = [link.format(f"r{i}", "worksheet", f"worksheets/{i}") for i, _ in names]
    links.append(link.format("s", "styles", "styles"))
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f'<Relationships {_PARTS}><Relationship Id="r0" Target="xl/workbook.xml" '
        f'Type="{_KIND}/officeDocument"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_KIND}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in names)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships {_PARTS}>{''.join(links)}</Relationships>",
        "xl/styles.xml": f"<styleSheet {_MAIN}>{_STYLES}</styleSheet>",
    }
    for index, name in names:
        cells = (
            "".join(cell(value, f"{chr(64 + j)}{i}") for j, value in enumerate(row, 1))
            for i, row in enumerate(sheets[name], 1)
        )
        rows = (f'<row r="{i}">{row}</row>' for i, row in enumerate(cells, 1))
        data = f"<sheetData>{''.join(rows)}</sheetData>"
        files[f"xl/worksheets/{index}.xml"] = f"<worksheet {_MAIN}>{data}</worksheet>"
    return archive(files | dict(more or {}))


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive with some files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return data.getvalue()
