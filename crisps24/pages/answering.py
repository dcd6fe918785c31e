"""Compute the reply to an address.

`PAGES` lists the pages. The module of each page computes the values of its template.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from crisps24.about import __version__
from crisps24.drawing.drawings import PAPERS
from crisps24.errors import CrispsError, parse_language
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language, Message, Tenths, as_message, message
from crisps24.notation.styles import STYLES
from crisps24.pages import (
    addresses,
    check,
    daily,
    mark,
    phones,
    play,
    programs,
    puzzles,
    quiz,
    results,
    sheet,
    solve,
    start,
    table,
)
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.paper.quiz_files import QUIZ_FORMATS
from crisps24.paper.quizzes import QUESTION_KINDS
from crisps24.paper.sheets import BACKS, PUZZLES_PER_PAGE
from crisps24.player.files import PAGE_SCRIPTS
from crisps24.puzzles.versions import MAX_VERSIONS
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import GAMES, HAND_GAMES, plain_name
from crisps24.rules.operators import OPERATORS


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its template, its parameters, and the function that computes its values."""

    name: str
    names: tuple[str, ...]
    show: Callable[[addresses.Parameters], dict[str, Any] | PageReply]
    """Returns the values of the template, or a reply such as a redirect."""
    fields: tuple[addresses.Field, ...] = ()
    timeout_factor: int = 1
    """The time limit, as a multiple of the usual one."""
    cacheable: bool = True
    takes_files: bool = False
    """Whether it also takes forms with files, by POST."""


# Pages for a class, besides the sheet.
CLASS_PAGES = ("quiz", "phones", "mark", "results")
# The arguments of `answer`, but for the site: path, query, and what is not usual of the others.
Address = tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, str, bytes]

PAGES = {
    "/": Page("start", start.NAMES, start.page),
    # Dealing the last puzzle of a seed also deals all earlier ones.
    "/play": Page("play", play.NAMES, play.page, play.FIELDS, timeout_factor=2),
    "/daily": Page("daily", daily.NAMES, daily.page, daily.FIELDS, cacheable=False),
    "/solve": Page("solve", solve.NAMES, solve.page),
    "/check": Page("check", check.NAMES, check.page),
    "/sheet": Page("sheet", sheet.NAMES, sheet.page, sheet.FIELDS, timeout_factor=2),
    "/sheet.pdf": Page(
        "sheet", sheet.FILE_NAMES, sheet.paper, sheet.FIELDS, timeout_factor=4, takes_files=True
    ),
    **{
        f"/sheet.{form}": Page(
            *("sheet", sheet.FILE_NAMES, partial(sheet.table, form=form), sheet.FIELDS, 4),
            takes_files=True,
        )
        for form in ("csv", "xlsx")
    },
    "/deal": Page(
        "sheet",
        programs.DEAL_NAMES,
        lambda params: redirect_to(params.address("/sheet")),
        sheet.FIELDS,
    ),
    "/quiz": Page("quiz", quiz.NAMES, quiz.page, quiz.FIELDS, timeout_factor=2),
    "/quiz.download": Page("quiz", quiz.NAMES, quiz.file, quiz.FIELDS, timeout_factor=4),
    "/phones": Page("phones", phones.NAMES, phones.page, phones.FIELDS, timeout_factor=2),
    "/phones.html": Page("phones", phones.NAMES, phones.tried, phones.FIELDS, timeout_factor=4),
    "/phones.download": Page("phones", phones.NAMES, phones.file, phones.FIELDS, timeout_factor=4),
    "/mark": Page("mark", mark.NAMES, mark.page, mark.FIELDS, 4, False, takes_files=True),
    **{
        f"/mark.{form}": Page(
            *("mark", mark.NAMES, partial(mark.file, form=form), mark.FIELDS, 4, False),
            takes_files=True,
        )
        for form in ("csv", "xlsx", "pdf")
    },
    "/results": Page("results", results.NAMES, results.page, (), 2, takes_files=True),
    "/results.download": Page("results", results.NAMES, results.file, (), 2),
    "/solve.json": Page("solve", programs.SOLVE_NAMES, programs.solve_rows),
    "/check.json": Page("check", programs.CHECK_NAMES, programs.check_rows),
    "/deal.json": Page(
        "sheet", programs.DEAL_NAMES, programs.deal_rows, sheet.FIELDS, timeout_factor=2
    ),
    "/daily.json": Page("daily", programs.DAY_NAMES, programs.day_rows, programs.DAY_FIELDS),
}


_SIGNS = {
    name: " ".join(style.sign(OPERATORS[sign]) for sign in GAMES[addresses.DEFAULT_GAME].operators)
    for name, style in STYLES.items()
    if style.is_typeable
}
# Addresses that a new process computes first: a puzzle of each game, with a hint.
WARM_UP = tuple(("/play", f"game={name}&seed=0&key=?") for name in HAND_GAMES)


def answer(
    path: str,
    query: str,
    reader: str = ENGLISH.name,
    content_type: str = "",
    body: bytes = b"",
    *,
    site: addresses.Site = addresses.SITE,
) -> PageReply:
    """Return the reply to the address of a page, such as `/play` with `game=cards&seed=7`.

    A form with files has a body, whose fields count as those of the address.
    """
    page, language = PAGES[path], parse_language(reader)
    # Programs get rows as JSON, with errors in English, and cannot choose a language.
    is_data = path.endswith(programs.SUFFIX)
    try:
        names = page.names if is_data else (*page.names, *addresses.DISPLAY_NAMES)
        settings: dict[str, Any] = {"labels": not is_data, "site": site}
        form: Any = None
        if content_type:
            # The library of mails takes long to import.
            from crisps24.pages.uploads import read_form

            form = read_form(content_type, body)
        params = addresses.read_address(query, names, page.fields, language, form, **settings)
    except addresses.AddressError as error:
        if is_data:
            return programs.error_reply(400, escape_unprintable(error.reason))
        return refusal_page(400, error.message, language, site)
    status, values = 200, {}
    try:
        # Refuse an invalid language or style on every page, even if it shows no formula.
        _ = [params.value(name) for name in addresses.DISPLAY_NAMES]
        result = page.show(params)
        if isinstance(result, PageReply):
            return result
        values = result
    except CrispsError as error:
        status, values = 422, {"wrong": error.message}
    except MemoryError:
        status, values = 422, {"wrong": message("page.status_422_memory")}
    if is_data:
        return programs.error_reply(status, escape_unprintable(str(values["wrong"])))
    body = render_page(page.name, path, **{"params": params} | values)
    return PageReply(status, body, cacheable=page.cacheable)


def refusal_page(
    status: int, reason: Message, reader: Language = ENGLISH, site: addresses.Site = addresses.SITE
) -> PageReply:
    """Return the page that shows why a request is refused, with this HTTP status."""
    params = addresses.Parameters({}, reader=reader, site=site)
    body = render_page("refused", "/", params=params, status=status, reason=reason)
    return PageReply(status, body)


def render_page(name: str, path: str, /, **values: Any) -> bytes:
    params: addresses.Parameters = values["params"]
    template = _environment().get_template(f"{name}.html")

    def title_of(game_name: str) -> str:
        return plain_name(game_name).text(params.language)

    functions = {
        "say": params.say,
        "localized": partial(_localized, params.language),
        "language": params.language,
        "part": partial(_part, params),
        "title_of": title_of,
        "kind_of": lambda kind: params.say(f"quiz_{kind}"),
        "back_of": lambda back: params.say(f"backs_{back}"),
        "site": params.site,
        # Those whose rounds have a clock.
        "clocked": [title_of(name) for name in HAND_GAMES if GAMES[name].accepts_closest],
    }
    return template.render(page=name, path=path, **functions, **values).encode()


def _localized(language: Language, message: Message) -> Markup:
    """Return the text of a message as HTML, in English if `language` lacks it."""
    text, spoken = message.translate(language)
    escaped = escape(escape_unprintable(text))
    if spoken.name == language.name:
        return escaped
    return Markup('<span lang="{}">{}</span>').format(spoken.name, escaped)


def _part(params: addresses.Parameters, name: str) -> str:
    """Return the HTML of a part of forms: the macro `name` of the template `parts.html`."""
    names = (*addresses.CHOOSING_NAMES, *addresses.RULE_NAMES)
    pairs = tuple((name, params[name]) for name in names if name in params)
    return _cached_part(pairs, params.language.name, name)


@lru_cache(64)
def _cached_part(pairs: tuple[tuple[str, str], ...], language: str, name: str) -> str:
    params = addresses.Parameters(dict(pairs), reader=LANGUAGES[language])
    functions = {"say": params.say, "part": partial(_part, params), "language": params.language}
    return _environment().get_template("part.html").render(params=params, name=name, **functions)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("crisps24.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["zip"] = zip
    environment.globals.update(
        games=GAMES,
        languages=LANGUAGES,
        as_message=as_message,
        tenths=Tenths,
        styles=_SIGNS,
        addresses=addresses,
        version=__version__,
        most_lines=check.MAX_LINES,
        papers=tuple(PAPERS),
        grids=tuple(map(str, PUZZLES_PER_PAGE)),
        usual_count=puzzles.DEFAULT_COUNT,
        player_scripts=PAGE_SCRIPTS,
        class_pages=CLASS_PAGES,
        plain=str.capitalize,
        programs=tuple(QUIZ_FORMATS),
        kinds=tuple(QUESTION_KINDS),
        backs=BACKS,
        version_counts=tuple(map(str, range(1, MAX_VERSIONS + 1))),
        half_a_minute=table.DEFAULT_LIMIT,
    )
    return environment
