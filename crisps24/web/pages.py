"""Pages: an address in, what is replied out, the same for the same address.

Owns which pages there are and how they are put into words; the room of each says what it shows.
This is what the processes beside the server do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from crisps24.about import __version__
from crisps24.errors import CrispsError
from crisps24.puzzles.sheets import PAPERS, PER_PAGE
from crisps24.rules.characters import shown
from crisps24.rules.games import GAMES, PLAYED
from crisps24.web import asking, check, daily, play, sheet, solve, start, table
from crisps24.web.asking import AddressError, Asked, Field, read_address
from crisps24.web.sentences import say
from crisps24.web.work import PageReply

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: what it shows of the words that it knows."""

    name: str
    names: tuple[str, ...]
    show: Callable[[Asked], dict[str, Any] | PageReply]
    fields: tuple[Field, ...] = ()
    patience: int = 1
    """How many times as long as others it may take."""
    lasting: bool = True
    """Whether the same address has the same answer for ever."""


PAGES = {
    "/": Page("start", start.NAMES, start.page),
    # The last puzzle of a seed is dealt with all before it, on a machine that is busy too.
    "/play": Page("play", play.NAMES, play.page, play.FIELDS, patience=2),
    "/daily": Page("daily", daily.NAMES, daily.page, daily.FIELDS, lasting=False),
    "/solve": Page("solve", solve.NAMES, solve.page),
    "/check": Page("check", check.NAMES, check.page),
    "/sheet": Page("sheet", sheet.NAMES, sheet.page, sheet.FIELDS),
    "/sheet.pdf": Page("sheet", sheet.NAMES, sheet.paper, sheet.FIELDS, patience=4),
}


# What is asked most: of each game a puzzle, and a hint.
USUAL = tuple(("/play", f"game={name}&seed=0&key=?") for name in PLAYED)


def answer(path: str, query: str) -> PageReply:
    """Return what is replied to the address of a page."""
    page = PAGES[path]
    try:
        asked = read_address(query, page.names, page.fields)
    except AddressError as error:
        return refused(400, shown(str(error)))
    status, values = 200, {}
    try:
        found = page.show(asked)
        if isinstance(found, PageReply):
            return found
        values = found
    except CrispsError as error:
        status, values = 422, {"wrong": shown(str(error))}
    except MemoryError:
        status, values = 422, {"wrong": say("status_422_memory")}
    body = rendered(page.name, **{"asked": asked} | values)
    return PageReply(status, body, lasting=page.lasting)


def refused(status: int, told: str = "") -> PageReply:
    """Return the page of a status that is no answer."""
    told = told or say(f"status_{status}")
    return PageReply(status, rendered("refused", asked=Asked({}), status=status, told=told))


def rendered(name: str, **values: Any) -> bytes:
    """Return a page of a template."""
    return _environment().get_template(f"{name}.html").render(page=name, **values).encode()


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        say=say,
        games=GAMES,
        asking=asking,
        version=__version__,
        most_lines=check.MOST_LINES,
        papers=tuple(PAPERS),
        grids=tuple(map(str, PER_PAGE)),
        usual_count=sheet.USUAL_COUNT,
        clocked=" or ".join(table.clocked()),
        half_a_minute=table.HALF_A_MINUTE,
    )
    return made
