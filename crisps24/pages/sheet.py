"""The sheet page: a form with the options of the command `sheet`, a preview, and the PDF."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache, reduce
from io import BytesIO
from typing import Any

from crisps24.drawing.drawings import svg_of
from crisps24.errors import MAX_COMPLAINTS, RefusedError
from crisps24.messages.message import Message, message
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES, Field, Parameters, flags, number
from crisps24.pages.replies import PageReply, download, redirect_to
from crisps24.paper.papers import check_sheet, render_sheet, sheet_style
from crisps24.paper.sheets import PUZZLES_PER_PAGE, Sheet, count_pages, sheet_pages
from crisps24.puzzles.dealing import Deal, deal, own_deal, to_seed
from crisps24.puzzles.files import LineParser, check_one_game, complain_of_unsolvable, read_own
from crisps24.rules.work import QUICK_WORK

MAX_PUZZLES = 100
DEFAULT_COUNT = 12
_FORM = "pdf"

_LAYOUT = (
    Field("paper", str),
    number("per_page", 1, max(PUZZLES_PER_PAGE)),
    Field("title", str),
    *flags("name_line", "cut_lines", "upright", "large_print"),
)
# The puzzles of a page that makes something of them: see `deal_puzzles`.
PUZZLE_FIELDS = (number("count", 1, MAX_PUZZLES), Field("own", str), *flags("rising"))
PUZZLE_NAMES = (
    *("game", "seed", *CHOOSING_NAMES, *RULE_NAMES),
    *(field.name for field in PUZZLE_FIELDS),
)
FIELDS = (*PUZZLE_FIELDS, *flags("no_key", "no_dots"), *_LAYOUT)
NAMES = (*PUZZLE_NAMES, *(field.name for field in FIELDS[len(PUZZLE_FIELDS) :]))


def page(params: Parameters) -> dict[str, Any] | PageReply:
    sheet = _sheet(params)
    if redirect := with_seed(params, "/sheet"):
        return redirect
    puzzles = _deal(params, sheet)
    # Answers take long to compute, and the layout needs them only for a long answer key. The cache
    # lets both calls below share them.
    answers = cache(puzzles.answers)
    first_page = next(sheet_pages(puzzles, sheet, answers))
    return {
        "command": command_line("sheet", puzzles, _options(sheet, params.get("style", ""))),
        "preview": svg_of(first_page),
        "pages": count_pages(puzzles, sheet, answers),
        "other": None if "own" in params else params.address("/sheet", without=("seed",)),
    }


def with_seed(params: Parameters, path: str) -> PageReply | None:
    """Return a redirect to the address with a seed, unless it has one or puzzles of its own."""
    if params.has_any(("seed", "own")):
        return None
    # Refuse an invalid game here, before the redirect.
    params.game()
    return redirect_to(params.address(path, seed=to_seed()))


def require_seed(params: Parameters) -> None:
    """Refuse an address of a file that has neither a seed nor puzzles of its own."""
    if not params.has_any(("seed", "own")):
        raise RefusedError(message("refused.seed_missing"))


def command_line(name: str, puzzles: Deal, options: Iterable[str]) -> str:
    """Return the command that makes the same of these puzzles."""
    own = shlex.join(["crisps24", name, *(puzzle.id for puzzle in puzzles)])
    command = puzzles.command.replace("crisps24 deal", f"crisps24 {name}", 1) or own
    return f"{command} {shlex.join(options)}"


def paper(params: Parameters) -> PageReply:
    """Return a reply with the worksheet of an address as a PDF file, which browsers download."""
    sheet = _sheet(params)
    check_sheet(_FORM, sheet, params.value("count", DEFAULT_COUNT))
    require_seed(params)
    puzzles = _deal(params, sheet)
    answers = puzzles.answers() if sheet.key else ()
    pdf = b"".join(render_sheet(_FORM, puzzles, sheet, answers))
    file_name = f"crisps24-{puzzles.game.name}-{puzzles.seed}.{_FORM}"
    return download(pdf, file_name, "application/pdf")


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


def _deal(params: Parameters, sheet: Sheet) -> Deal:
    return deal_puzzles(params).with_style(sheet_style(sheet, params.get("style", "")))


def deal_puzzles(params: Parameters, default_count: int = DEFAULT_COUNT) -> Deal:
    if "own" in params:
        return _own_puzzles(params)
    game = params.game()
    drawn = {name: params.value(name) for name in ("seed", "target", "targets")}
    settings: Any = {"rising": bool(params.value("rising")), "work": QUICK_WORK}
    conditions, count = params.conditions(game), params.value("count", default_count)
    return deal(game, count, conditions=conditions, **drawn, **settings)


def _own_puzzles(params: Parameters) -> Deal:
    for name in CHOOSING_NAMES:
        if name != "target" and name in params:
            labels = {"one": params.label("own"), "other": params.label(name)}
            raise RefusedError(message("deal.one_of", **labels))
    parser = LineParser(params.game(), params.value("target"), work=QUICK_WORK)
    problems: list[Message] = []
    own = read_own(BytesIO(params["own"].encode()), parser, MAX_PUZZLES, problems.append)
    if own:
        check_one_game(own)
        dealt = own_deal([puzzle for puzzle, _ in own], rising=bool(params.value("rising")))
        complain_of_unsolvable(own, dealt, problems.append)
    if others := len(problems[MAX_COMPLAINTS:]):
        problems[MAX_COMPLAINTS:] = [message("refused.more", count=others)]
    if problems:
        raise RefusedError(reduce(lambda a, b: message("list.then", first=a, then=b), problems))
    return dealt
