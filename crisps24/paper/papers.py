"""Render a sheet as the bytes of a file in each format, and check first that this is possible."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from crisps24.drawing.drawings import Drawing, html_of, svg_of
from crisps24.drawing.pdfs import check_letters, pdf_of
from crisps24.drawing.pictures import check_picture, png_of
from crisps24.errors import RefusedError
from crisps24.messages.message import ENGLISH, Count, message
from crisps24.notation.styles import typeable_style
from crisps24.output.workbooks import workbook_of
from crisps24.paper.marks import Marks, marks_pages, marks_sheets, marks_title
from crisps24.paper.sheets import CARD, PUZZLES_PER_PAGE, Answers, Sheet, sheet_pages
from crisps24.puzzles.dealing import Deal


class SheetFormat(NamedTuple):
    paint: Callable[[Iterator[Drawing], str], Iterator[bytes]]
    """Render pages with their title as the bytes of a file, in chunks."""
    check: Callable[[Sheet, int], object]
    """Raise RefusedError if a sheet with this number of puzzles does not fit the format."""
    with_key: bool = True
    """Whether a file of this format has a key."""


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode() for line in lines)


def _check_png(sheet: Sheet, count: int) -> None:
    # The font must have the letters of the language. A single card has no text but its numbers.
    texts = {} if sheet.paper == CARD else ENGLISH.texts | sheet.words.texts
    shown = [str(text) for key, text in texts.items() if key.split(".")[0] in _TEXT_SECTIONS]
    check_picture("".join([sheet.title, *shown]))
    _check_one_page(sheet, count, "a .png")


def _check_one_page(sheet: Sheet, count: int, file_type: str = "an .svg") -> None:
    if sheet.backs:
        raise RefusedError(f"{file_type} has one page, and backs need two: write .pdf or .html")
    pages = sheet.puzzle_pages(count)
    if pages > 1:
        largest = max(PUZZLES_PER_PAGE)
        problem = f"{count:,} puzzles take {pages:,} pages, and {file_type} has one"
        advice = f"put up to {largest} on a page" if count <= largest else "ask for fewer"
        raise RefusedError(f"{problem}: {advice}, or write .pdf or .html")


# Sections of the message files with texts that sheets show.
_TEXT_SECTIONS = {"list", "line", "player", "task", "sheet"}

SHEET_FORMATS = {
    "pdf": SheetFormat(
        lambda *sheet: iter([pdf_of(*sheet)]), lambda sheet, _: check_letters(sheet.title)
    ),
    "svg": SheetFormat(lambda pages, _: _encoded(map(svg_of, pages)), _check_one_page, False),
    "png": SheetFormat(lambda pages, _: map(png_of, pages), _check_png, with_key=False),
    "html": SheetFormat(lambda *sheet: _encoded(html_of(*sheet)), lambda *_: None),
}


def check_sheet(form: str, sheet: Sheet, count: int) -> None:
    """Raise RefusedError if a sheet has too many pages, or letters or a package are missing."""
    if sheet.paper == CARD and count > 1:
        raise RefusedError(message("paper.card_one", given=Count(count)))
    SHEET_FORMATS[form].check(sheet, count)


def sheet_style(sheet: Sheet, style: str = "") -> str:
    """Return the name of the style of formulas on a sheet: by default that of its language."""
    return typeable_style(style).name if style else sheet.words.style


def has_key(form: str, sheet: Sheet) -> bool:
    """Return whether a file has a key: never an .svg or .png file, or a single card."""
    return sheet.key and sheet.paper != CARD and SHEET_FORMATS[form].with_key


class Version(NamedTuple):
    """A version of a test: its puzzles, its layout, and a function that returns its answers."""

    deal: Deal
    sheet: Sheet
    answers: Answers | None = None


def render_versions(
    form: str, versions: Sequence[Version], pupils: Sequence[tuple[str, Version]] = ()
) -> Iterator[bytes]:
    """Yield the bytes of a file: the sheet of each version, or of each pupil; then all keys."""
    copies = [(each, replace(each.sheet, pupil=name)) for name, each in pupils]
    copies = copies or [(each, each.sheet) for each in versions]
    if len(copies) > 1 and not SHEET_FORMATS[form].with_key:
        raise RefusedError(f"a .{form} has one page, not {len(copies)} sheets: write .pdf or .html")
    first, sheet, _ = versions[0]
    check_sheet(form, sheet, len(first))

    def pages_of(version: Version, sheet: Sheet) -> tuple[Iterator[Drawing], int]:
        sheet = replace(sheet, key=has_key(form, sheet))
        page_count = sheet.puzzle_pages(len(version.deal)) * (2 if sheet.backs else 1)
        return sheet_pages(version.deal, sheet, version.answers), page_count

    def pages() -> Iterator[Drawing]:
        for each, own_sheet in copies:
            drawn, page_count = pages_of(each, own_sheet)
            yield from islice(drawn, page_count)
        for each in versions:
            drawn, page_count = pages_of(each, each.sheet)
            yield from islice(drawn, page_count, None)

    yield from SHEET_FORMATS[form].paint(pages(), sheet.title or first.command or "crisps24")


def marks_bytes(marks: Marks, form: str, sheet: Sheet) -> Iterator[bytes]:
    """Yield the bytes of the marks of a class: a workbook, or pages in a format of sheets."""
    if form == "xlsx":
        return iter([workbook_of(*marks_sheets(marks, sheet))])
    return SHEET_FORMATS[form].paint(marks_pages(marks, sheet), marks_title(sheet))
