"""Papers: a sheet as the bytes of a file, in each format that there is.

Owns these formats, and what is asked of a sheet by them before any work for it is done.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from crisps24.drawing.drawings import Drawing, html_of, svg_of
from crisps24.drawing.pdfs import check_letters, pdf_of
from crisps24.drawing.pictures import check_picture, png_of
from crisps24.errors import RefusedError
from crisps24.notation.styles import plain_style
from crisps24.paper.sheets import CARD, PER_PAGE, Sheet, pages_of
from crisps24.puzzles.dealing import Deal


class SheetFormat(NamedTuple):
    """A format of sheets."""

    paint: Callable[[Iterator[Drawing], str], Iterator[bytes]]
    """From pages and their title to the bytes of a file, in pieces."""
    check: Callable[[Sheet, int], object]
    """Raises ValueError for a sheet of so many puzzles that cannot be painted."""
    with_key: bool = True
    """Whether a file of this format has a key."""


def _svg(pages: Iterator[Drawing], _: str) -> Iterator[bytes]:
    yield from (f"{svg_of(page)}\n".encode() for page in pages)


def _html(pages: Iterator[Drawing], title: str) -> Iterator[bytes]:
    yield from (f"{line}\n".encode() for line in html_of(pages, title))


def _pdf(pages: Iterator[Drawing], title: str) -> Iterator[bytes]:
    yield pdf_of(pages, title)


def _png(pages: Iterator[Drawing], _: str) -> Iterator[bytes]:
    yield from map(png_of, pages)


def _check_png(sheet: Sheet, count: int) -> None:
    # What is on a page besides its title, as far as there is a page.
    said = "" if sheet.paper == CARD else "".join(map(str, sheet.words.sheets.values()))
    check_picture(sheet.title + said)
    _check_one_page(sheet, count, "a .png")


def _check_one_page(sheet: Sheet, count: int, what: str = "an .svg") -> None:
    pages = sheet.pages(count)
    if pages > 1:
        most = max(PER_PAGE)
        told = f"{count:,} puzzles take {pages:,} pages, and {what} has one"
        fewer = f"put up to {most} on a page" if count <= most else "ask for fewer"
        raise RefusedError(f"{told}: {fewer}, or write .pdf or .html")


SHEET_FORMATS = {
    "pdf": SheetFormat(_pdf, lambda sheet, _: check_letters(sheet.title)),
    "svg": SheetFormat(_svg, _check_one_page, with_key=False),
    "png": SheetFormat(_png, _check_png, with_key=False),
    "html": SheetFormat(_html, lambda *_: None),
}


def check_sheet(form: str, sheet: Sheet, count: int) -> None:
    """Raise ValueError, in one sentence, where such a sheet cannot be painted in a format.

    That is where an .svg or a .png would have more than one page, where reportlab or matplotlib is
    missing, and where a font lacks a letter.
    """
    if sheet.paper == CARD and count > 1:
        raise RefusedError(f"a card alone is one puzzle, not {count:,}")
    SHEET_FORMATS[form].check(sheet, count)


def signs_of(sheet: Sheet, style: str = "") -> str:
    """Return the style of what is on a sheet: the one that is asked for, or that of its language.

    >>> signs_of(Sheet(language="de")), signs_of(Sheet(language="de"), "unicode")
    ('dot', 'unicode')

    Raises what `plain_style` raises.
    """
    return plain_style(style).name if style else sheet.words.style


def has_key(form: str, sheet: Sheet) -> bool:
    """Return whether a sheet has a key in a format: an .svg has one page, and none, as a card."""
    return sheet.key and sheet.paper != CARD and SHEET_FORMATS[form].with_key


def painted(form: str, deal: Deal, sheet: Sheet, answers: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield a sheet as the bytes of a file of a format, in pieces.

    `answers` are those of the puzzles, in order; where it has no key they are not needed.

    >>> from crisps24.puzzles.dealing import deal
    >>> b"".join(painted("svg", deal("cards", 2, seed=7), Sheet()))[:4]
    b'<svg'

    Raises what `check_sheet` raises.
    """
    check_sheet(form, sheet, len(deal))
    pages = pages_of(deal, replace(sheet, key=has_key(form, sheet)), answers)
    yield from SHEET_FORMATS[form].paint(pages, sheet.title or deal.command)
