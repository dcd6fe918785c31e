"""The sheet page: a form with the options of the command `sheet`, a preview, and the files.

Names of a class come in a form with a body, so that no address has them.
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from io import BytesIO
from typing import Any

from crisps24.drawing.drawings import svg_of
from crisps24.errors import RefusedError
from crisps24.judging.sources import open_text
from crisps24.messages.message import message
from crisps24.pages.addresses import Field, Parameters, flags, number, one_of
from crisps24.pages.puzzles import (
    PUZZLE_FIELDS,
    PUZZLE_NAMES,
    command_line,
    count_of,
    deal_new,
    deal_puzzles,
    require_seed,
    with_seed,
)
from crisps24.pages.replies import PageReply, download, table_reply
from crisps24.paper.class_sheets import (
    Named,
    check_versions,
    class_table,
    named_sheets,
    versions_of,
)
from crisps24.paper.papers import Version, check_sheet, render_versions
from crisps24.paper.sheets import BACKS, PUZZLES_PER_PAGE, Sheet, count_pages, sheet_pages
from crisps24.puzzles.versions import MAX_VERSIONS, deal_versions
from crisps24.rules.games import faces_of

_FORM = "pdf"

_LAYOUT = (
    Field("paper", str),
    number("per_page", 1, max(PUZZLES_PER_PAGE)),
    Field("title", str),
    one_of("backs", BACKS),
    *flags("name_line", "cut_lines", "upright", "faces", "large_print"),
)
FIELDS = (
    *PUZZLE_FIELDS,
    *flags("no_key", "no_dots"),
    *_LAYOUT,
    number("versions", 1, MAX_VERSIONS),
    Field("names", str),
)
NAMES = (*PUZZLE_NAMES, *(field.name for field in FIELDS[len(PUZZLE_FIELDS) : -1]))
# Those of files, which can have the names of a class.
FILE_NAMES = (*NAMES, "names")


def page(params: Parameters) -> dict[str, Any] | PageReply:
    sheet = _sheet(params)
    if redirect := with_seed(params, "/sheet"):
        return redirect
    versions = _versions(params, sheet)
    options = _options(sheet, params.get("style", ""))
    return {
        "command": command_line("sheet", versions[0].deal, options),
        "preview": svg_of(next(sheet_pages(*versions[0]))),
        "pages": sum(count_pages(*version) for version in versions),
        "kept": dict(params),
        "other": None if "own" in params else params.address("/sheet", without=("seed",)),
    }


def paper(params: Parameters) -> PageReply:
    """Return a reply with the worksheet of an address as a PDF file, which browsers download."""
    versions, named = _class(params)
    first = versions[0].deal
    pdf = b"".join(render_versions(_FORM, versions, named))
    return download(pdf, f"crisps24-{first.game.name}-{first.seed}.{_FORM}", "application/pdf")


def table(params: Parameters, form: str) -> PageReply:
    """Return the empty table of a class as a file, csv or xlsx."""
    rows, columns = class_table(*_class(params))
    return table_reply(f"class.{form}", rows, columns, params.language)


def _class(params: Parameters) -> tuple[list[Version], Named]:
    """Return the versions of the sheet, and that of each pupil."""
    sheet = _sheet(params)
    check_sheet(_FORM, sheet, count_of(params))
    require_seed(params)
    pupils = _pupils(params)
    check_versions(pupils, params.value("versions", 1))
    versions = _versions(params, sheet)
    return versions, named_sheets(pupils, versions)


def _pupils(params: Parameters) -> list[tuple[str, str]]:
    upload = params.files.get("names_file")
    if upload and "names" in params:
        labels = {"one": params.label("names"), "other": params.label("names_file")}
        raise RefusedError(message("deal.one_of", **labels))
    if not (data := upload.data if upload else params.get("names", "").encode()):
        return []
    from crisps24.judging.class_tables import read_names

    return read_names(open_text(BytesIO(data), None, None, lambda _: None))


def _sheet(params: Parameters) -> Sheet:
    layout = {field.name: params.value(field.name) for field in _LAYOUT if field.name in params}
    has_key = not params.value("no_key", False)
    has_dots = not params.value("no_dots", False)
    return Sheet(key=has_key, dots=has_dots, language=params.language.name, **layout)


def _options(sheet: Sheet, style: str) -> Iterator[str]:
    if style:
        yield from ("--style", style)
    yield from ("--out", f"sheet.{_FORM}")
    for field in fields(sheet):
        value = getattr(sheet, field.name)
        option = field.name.replace("_", "-")
        if value == field.default:
            continue
        if isinstance(value, bool):
            yield f"--{option}" if value else f"--no-{option}"
        else:
            yield from (f"--{option}", str(value))


def _versions(params: Parameters, sheet: Sheet) -> list[Version]:
    count = params.value("versions", 1)
    first = deal_puzzles(params)
    if sheet.faces:
        faces_of(first.game)
    if count > 1 and "own" in params:
        labels = {"one": params.label("own"), "other": params.label("versions")}
        raise RefusedError(message("deal.one_of", **labels))

    deal_all = partial(deal_new, params, seed=first.seed)
    deals = deal_versions(first, deal_all, count) if count > 1 else [first]
    return versions_of(deals, sheet, params.get("style", ""))
