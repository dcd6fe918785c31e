"""Sheet: the options of the command `sheet` as a form, its first page, and a PDF of all."""

import shlex
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from crisps24.drawing.drawings import svg_of
from crisps24.errors import RefusedError
from crisps24.messages.message import message
from crisps24.pages.asking import CHOOSING_NAMES, RULE_NAMES, Asked, Field, flags, number
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.paper.papers import check_sheet, render_sheet, sheet_style
from crisps24.paper.sheets import PUZZLES_PER_PAGE, Sheet, count_pages, sheet_pages
from crisps24.puzzles.dealing import Deal, deal, to_seed
from crisps24.rules.work import QUICK_WORK

MOST_PUZZLES = 100
USUAL_COUNT = 12
_FORM = "pdf"

# How a sheet is laid out: the fields of `Sheet` by their names on this page.
_LAYOUT = (
    Field("paper", str),
    number("per_page", 1, max(PUZZLES_PER_PAGE)),
    Field("title", str),
    *flags("name_line", "cut_lines", "upright", "large_print"),
)
FIELDS = (number("count", 1, MOST_PUZZLES), *flags("rising", "no_key", "no_dots"), *_LAYOUT)
NAMES = ("game", "seed", *CHOOSING_NAMES, *RULE_NAMES, *(field.name for field in FIELDS))


def page(asked: Asked) -> dict[str, Any] | PageReply:
    """Return what the page shows; without a seed, the address with one."""
    sheet = _sheet(asked)
    if "seed" not in asked:
        asked.game()
        return redirect_to(asked.address("/sheet", seed=to_seed()))
    found = _deal(asked, sheet)
    # Only long keys need them, and both calls then need the same.
    answers = cache(found.answers)
    first = next(sheet_pages(found, sheet, answers))
    command = found.command.replace("crisps24 deal", "crisps24 sheet", 1)
    return {
        "command": f"{command} {shlex.join(_options(sheet, asked.get('style', '')))}",
        "preview": svg_of(first),
        "pages": count_pages(found, sheet, answers),
        "other": asked.address("/sheet", without=("seed",)),
    }


def paper(asked: Asked) -> PageReply:
    """Return the PDF of a sheet."""
    sheet = _sheet(asked)
    check_sheet(_FORM, sheet, asked.value("count", USUAL_COUNT))
    if "seed" not in asked:
        raise RefusedError(message("refused.seed_missing"))
    found = _deal(asked, sheet)
    body = b"".join(render_sheet(_FORM, found, sheet, found.answers() if sheet.key else ()))
    named = f"crisps24-{found.game.name}-{found.seed}.{_FORM}"
    disposition = ("content-disposition", f'attachment; filename="{named}"')
    return PageReply(200, body, "application/pdf", (disposition,))


def _sheet(asked: Asked) -> Sheet:
    layout = {field.name: asked.value(field.name) for field in _LAYOUT if field.name in asked}
    key, dots = not asked.value("no_key", False), not asked.value("no_dots", False)
    return Sheet(key=key, dots=dots, language=asked.language.name, **layout)


def _options(sheet: Sheet, style: str) -> Iterator[str]:
    """Yield the options of the command `sheet` that print this sheet in a style."""
    if style:
        yield from ("--style", style)
    yield from ("--out", f"sheet.{_FORM}")
    for field in fields(sheet):
        is_ = getattr(sheet, field.name)
        option = field.name.replace("_", "-")
        if is_ == field.default:
            continue
        if isinstance(is_, bool):
            yield f"--{option}" if is_ else f"--no-{option}"
        else:
            yield from (f"--{option}", str(is_))


def _deal(asked: Asked, sheet: Sheet) -> Deal:
    return deal_asked(asked).with_style(sheet_style(sheet, asked.get("style", "")))


def deal_asked(asked: Asked, usual: int = USUAL_COUNT) -> Deal:
    """Deal the puzzles that are asked for, as many as are usual where nothing is said.

    Raises ValueError as `deal` does.
    """
    game = asked.game()
    return deal(
        game,
        asked.value("count", usual),
        seed=asked.value("seed"),
        target=asked.value("target"),
        targets=asked.value("targets"),
        conditions=asked.conditions(game),
        rising=bool(asked.value("rising")),
        work=QUICK_WORK,
    )
