"""The marks of a class, in a file: what `judge --sheet` writes."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from crisps24.cli.options import (
    as_wrong_call,
    encoded,
    form_of,
    refuse_given,
    streamed,
    write_file,
)
from crisps24.outside.tables import STREAMS, Row

if TYPE_CHECKING:
    from crisps24.puzzles.sheets import Sheet

# Sheets of more than one page.
_PAPERS = ("pdf", "html")


def sheet_of_marks(out: Path, title: str, paper: str, language: str) -> "Sheet":
    """Return the sheet that marks are laid out on, in the format of a name, or refuse it."""
    from crisps24.outside.whole_files import check_place
    from crisps24.puzzles.papers import check_sheet
    from crisps24.puzzles.sheets import Sheet

    form = _form_of(out)
    if form not in _PAPERS:
        refuse_given(["title", "paper", "language"], f"{{}} is for paper: no .{form} has it")
    with as_wrong_call():
        sheet = Sheet(title=title, paper=paper, language=language)
        if form in _PAPERS:
            check_sheet(form, sheet, 1)
    check_place(out)
    return sheet


def write_marks(rows: Iterable[Row], out: Path, sheet: "Sheet") -> None:
    """Write the marks of answers that were judged; see `marks_of`."""
    from crisps24.puzzles.marks import marks_of, pages_of_marks, title_of_marks
    from crisps24.puzzles.papers import SHEET_FORMATS, signs_of

    marks, form = marks_of(rows, signs_of(sheet)), _form_of(out)
    if form in _PAPERS:
        pages = pages_of_marks(marks, sheet)
        write_file(out, SHEET_FORMATS[form].paint(pages, title_of_marks(sheet)))
    else:
        told = list(marks.rows())
        write_file(out, encoded(streamed(told, form, list(told[0]))))


def _form_of(out: Path) -> str:
    return form_of(out, "--sheet", (*_PAPERS, *STREAMS))
