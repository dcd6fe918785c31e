"""From an address to a reply, the same for the same address.

`PAGES` lists the pages; the module of each page computes what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from crisps24.about import __version__
from crisps24.drawing.drawings import PAPERS
from crisps24.errors import CrispsError, parse_language
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language, Message, Tenths, as_message, message
from crisps24.notation.styles import STYLES
from crisps24.pages import asking, check, daily, play, programs, sheet, solve, start, table
from crisps24.pages.asking import (
    CHOOSING_NAMES,
    DISPLAY_NAMES,
    RULE_NAMES,
    AddressError,
    Asked,
    Field,
    read_address,
)
from crisps24.pages.replies import PageReply
from crisps24.paper.sheets import PUZZLES_PER_PAGE
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import GAMES, HAND_GAMES
from crisps24.rules.operators import OPERATORS

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: what it shows of the words that it knows."""

    name: str
    names: tuple[str, ...]
    show: Callable[[Asked], dict[str, Any] | PageReply]
    fields: tuple[Field, ...] = ()
    timeout_factor: int = 1
    """How many times as long as others it may take."""
    cacheable: bool = True
    """Whether the same address has the same answer for ever."""


PAGES = {
    "/": Page("start", start.NAMES, start.page),
    # The last puzzle of a seed is dealt with all before it, on a machine that is busy too.
    "/play": Page("play", play.NAMES, play.page, play.FIELDS, timeout_factor=2),
    "/daily": Page("daily", daily.NAMES, daily.page, daily.FIELDS, cacheable=False),
    "/solve": Page("solve", solve.NAMES, solve.page),
    "/check": Page("check", check.NAMES, check.page),
    "/sheet": Page("sheet", sheet.NAMES, sheet.page, sheet.FIELDS),
    "/sheet.pdf": Page("sheet", sheet.NAMES, sheet.paper, sheet.FIELDS, timeout_factor=4),
    "/deal": Page("sheet", programs.DEAL_NAMES, programs.to_sheet, sheet.FIELDS),
    "/solve.json": Page("solve", programs.SOLVE_NAMES, programs.solve_rows),
    "/check.json": Page("check", programs.CHECK_NAMES, programs.check_rows),
    "/deal.json": Page(
        "sheet", programs.DEAL_NAMES, programs.deal_rows, sheet.FIELDS, timeout_factor=2
    ),
    "/daily.json": Page("daily", programs.DAY_NAMES, programs.day_rows, programs.DAY_FIELDS),
}


# The styles that are offered, each as its signs.
_SIGNS = {
    name: " ".join(style.sign(OPERATORS[sign]) for sign in GAMES[asking.DEFAULT_GAME].operators)
    for name, style in STYLES.items()
    if style.is_typeable
}
# What is asked most: of each game a puzzle, and a hint.
WARM_UP = tuple(("/play", f"game={name}&seed=0&key=?") for name in HAND_GAMES)


def answer(path: str, query: str, reader: str = ENGLISH.name) -> PageReply:
    """Return what is replied to the address of a page.

    `reader` is the language of who asks, which counts where the address says none.
    """
    page, language = PAGES[path], parse_language(reader)
    is_data = path.endswith(programs.SUFFIX)
    try:
        names = page.names if is_data else (*page.names, *DISPLAY_NAMES)
        asked = read_address(query, names, page.fields, language, labels=not is_data)
    except AddressError as error:
        if is_data:
            return programs.error_reply(400, escape_unprintable(error.reason))
        return refusal_page(400, error.message, language)
    status, values = 200, {}
    try:
        # Whether it shows a formula or not.
        _ = [asked.value(name) for name in DISPLAY_NAMES]
        found = page.show(asked)
        if isinstance(found, PageReply):
            return found
        values = found
    except CrispsError as error:
        status, values = 422, {"wrong": error.message}
    except MemoryError:
        status, values = 422, {"wrong": message("page.status_422_memory")}
    if is_data:
        return programs.error_reply(status, escape_unprintable(str(values["wrong"])))
    body = render_page(page.name, path, **{"asked": asked} | values)
    return PageReply(status, body, cacheable=page.cacheable)


def refusal_page(status: int, reason: Message, reader: Language = ENGLISH) -> PageReply:
    """Return the page of a status that is no answer, with the reason."""
    values = {"asked": Asked({}, reader=reader), "status": status, "reason": reason}
    return PageReply(status, render_page("refused", "/", **values))


def render_page(name: str, path: str, /, **values: Any) -> bytes:
    """Return a page of a template, at a path, in the language that is asked for."""
    asked: Asked = values["asked"]
    template = _environment().get_template(f"{name}.html")
    said = {
        "say": asked.say,
        "localized": partial(_localized, asked.language),
        "language": asked.language,
        "part": partial(_part, asked),
    }
    return template.render(page=name, path=path, **said, **values).encode()


def _localized(language: Language, message: Message) -> Markup:
    """Return the text of a message, marked as English where the page is in another language."""
    text, spoken = message.spoken(language)
    escaped = escape(escape_unprintable(text))
    if spoken.name == language.name:
        return escaped
    return Markup('<span lang="{}">{}</span>').format(spoken.name, escaped)


def _part(asked: Asked, name: str) -> str:
    """Return a part of a page that shows nothing but words of an address that are seldom there."""
    words = tuple((word, asked[word]) for word in (*CHOOSING_NAMES, *RULE_NAMES) if word in asked)
    return _part_of(words, asked.language.name, name)


@lru_cache(64)
def _part_of(words: tuple[tuple[str, str], ...], language: str, name: str) -> str:
    asked = Asked(dict(words), reader=LANGUAGES[language])
    said = {"say": asked.say, "part": partial(_part, asked), "language": asked.language}
    return _environment().get_template("part.html").render(asked=asked, name=name, **said)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["zip"] = zip
    made.globals.update(
        games=GAMES,
        languages=LANGUAGES,
        as_message=as_message,
        tenths=Tenths,
        styles=_SIGNS,
        asking=asking,
        version=__version__,
        most_lines=check.MOST_LINES,
        papers=tuple(PAPERS),
        grids=tuple(map(str, PUZZLES_PER_PAGE)),
        usual_count=sheet.USUAL_COUNT,
        clocked=table.clocked(),
        half_a_minute=table.HALF_A_MINUTE,
    )
    return made
