"""Replies of pages, which the server turns into HTTP responses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crisps24.messages.message import Language
from crisps24.output.tables import Row
from crisps24.output.workbooks import spreadsheet_file

# The media types of tables, by the suffixes of their files.
TABLE_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@dataclass(frozen=True, slots=True)
class PageReply:
    status: int
    body: bytes
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    cacheable: bool = True
    """Whether the same address always has the same reply."""


def redirect_to(address: str) -> PageReply:
    return PageReply(303, b"", headers=(("location", address),), cacheable=False)


def download(body: bytes, name: str, media_type: str) -> PageReply:
    """Return a reply that browsers save as a file."""
    disposition = f'attachment; filename="{name}"'
    return PageReply(200, body, media_type, (("content-disposition", disposition),))


def table_reply(
    name: str, rows: Iterable[Row], keys: Sequence[str], language: Language
) -> PageReply:
    """Return the file of a table, as spreadsheets in a language open it."""
    form = name.rpartition(".")[2]
    body = b"".join(spreadsheet_file(rows, form, keys, language.decimal))
    return download(body, name, TABLE_TYPES[form])
