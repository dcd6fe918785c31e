"""Papers: a sheet as the bytes of a file in each format, and the checks before that work."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from crisps24.drawing.drawings import Drawing, html_of, svg_of
from crisps24.drawing.pdfs import check_letters, pdf_of
from crisps24.drawing.pictures import check_picture, png_of
from crisps24.errors import RefusedError
from crisps24.messages.message import Count, message
from crisps24.notation.styles import typeable_style
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


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode() for line in lines)


def _pdf(pages: Iterator[Drawing], title: str) -> Iterator[bytes]:
    yield pdf_of(pages, title)


def _check_png(sheet: Sheet, count: int) -> None:
    # The other words on a page; a card has none.
    texts = () if sheet.paper == CARD else sheet.words.texts.items()
    said = "".join(str(text) for key, text in texts if key.split(".")[0] in _ON_PAPER)
    check_picture(sheet.title + said)
    _check_one_page(sheet, count, "a .png")


def _check_one_page(sheet: Sheet, count: int, what: str = "an .svg") -> None:
    pages = sheet.pages(count)
    if pages > 1:
        most = max(PER_PAGE)
        told = f"{count:,} puzzles take {pages:,} pages, and {what} has one"
        fewer = f"put up to {most} on a page" if count <= most else "ask for fewer"
        raise RefusedError(f"{told}: {fewer}, or write .pdf or .html")


# Sections of the texts on sheets.
_ON_PAPER = {"list", "line", "player", "task", "sheet"}
# The style on paper of a language that elsewhere keeps the signs of each game.
_SIGNS = "unicode"

SHEET_FORMATS = {
    "pdf": SheetFormat(_pdf, lambda sheet, _: check_letters(sheet.title)),
    "svg": SheetFormat(lambda pages, _: _encoded(map(svg_of, pages)), _check_one_page, False),
    "png": SheetFormat(lambda pages, _: map(png_of, pages), _check_png, with_key=False),
    "html": SheetFormat(lambda *sheet: _encoded(html_of(*sheet)), lambda *_: None),
}


def check_sheet(form: str, sheet: Sheet, count: int) -> None:
    """Raise ValueError if a sheet cannot be painted in a format.

    An .svg or .png has one page; reportlab or matplotlib, or a letter of a font, can be missing.
    """
    if sheet.paper == CARD and count > 1:
        raise RefusedError(message("paper.card_one", given=Count(count)))
    SHEET_FORMATS[form].check(sheet, count)


def signs_of(sheet: Sheet, style: str = "") -> str:
    """Return the style of what is on a sheet: the one that is asked for, or that of its language.

    >>> signs_of(Sheet(language="de")), signs_of(Sheet(language="de"), "cards"), signs_of(Sheet())
    ('dot', 'cards', 'unicode')

    Raises what `typeable_style` raises.
    """
    return typeable_style(style).name if style else sheet.words.style or _SIGNS


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
