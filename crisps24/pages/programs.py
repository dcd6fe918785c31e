"""Reply to programs with JSON: the rows that the commands print with `--format json`."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from crisps24.errors import RefusedError
from crisps24.output.tables import Row, render
from crisps24.pages import check, sheet, solve
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES, Field, Parameters
from crisps24.pages.negotiation import quality_of
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.puzzles.daily import daily, parse_day
from crisps24.puzzles.dealing import to_seed
from crisps24.rules.characters import escape_json

JSON = "application/json"
# The end of a path whose reply is JSON.
SUFFIX = ".json"

SOLVE_NAMES = (*solve.NAMES, "style")
CHECK_NAMES = (*check.NAMES, "style")
DEAL_NAMES = ("game", "seed", "count", "rising", "style", *CHOOSING_NAMES, *RULE_NAMES)
DAY_NAMES = ("game", "date")
DAY_FIELDS = (Field("date", str),)


def solve_rows(params: Parameters) -> PageReply:
    """Return the rows of `solve`: the likeliest solution, or with `every` all, up to 500.

    A hand without solutions has the rows of its closest values. Raises RefusedError as `solve.page`
    does, also if the hand is missing, and with `every` for more than 500 solutions.
    """
    puzzle = solve.parse_puzzle(params)
    count = len(puzzle.exact_solutions) if params.value("every") else 0
    if count > solve.MAX_SOLUTIONS:
        limit = solve.MAX_SOLUTIONS
        raise RefusedError(f"every: too many solutions: {count:,} (at most {limit})")
    return _rows(puzzle.rows(all_solutions=bool(params.value("every")), closest=True))


def check_rows(params: Parameters) -> PageReply:
    """Return the rows of `check`: one per line of `formula`.

    If the lines together are one right working, it has a single row. Raises
    RefusedError without a formula, and as `check.check_lines` does.
    """
    if "formula" not in params:
        raise RefusedError("a formula is missing: add formula=4+%2B+3+x+8+-+4")
    return _rows(result.row() for _, result in check.check_lines(params).lines)


def deal_rows(params: Parameters) -> PageReply:
    """Return the rows of `deal`, by default one; without a seed, a redirect to a new seed.

    Raises RefusedError for invalid parameters, and if there are too few such puzzles.
    """
    if "seed" not in params:
        params.game()
        return redirect_to(params.address("/deal.json", seed=to_seed()))
    style = params.value("style")
    return _rows(sheet.deal_puzzles(params, 1).with_style(style.name if style else "").rows())


def day_rows(params: Parameters) -> PageReply:
    """Return the row of the puzzle of a date; without a date, a redirect to today's (UTC).

    Raises RefusedError for an invalid game or date, and for a date before 2026 or after today.
    """
    today, game = datetime.now(UTC).date(), params.game()
    if "date" not in params:
        return redirect_to(params.address("/daily.json", game=game.name, date=today))
    return _rows(daily(game, parse_day(params["date"], today)).rows())


def to_sheet(params: Parameters) -> PageReply:
    """Return a redirect to the sheet page, which shows a deal."""
    return redirect_to(params.address("/sheet"))


def _rows(rows: Iterable[Row]) -> PageReply:
    text = render(list(rows), "json")
    return PageReply(200, f"{escape_json(text)}\n".encode(), JSON)


def error_reply(status: int, problem: str) -> PageReply:
    """Return a JSON object with an error instead of rows."""
    return PageReply(status, f"{json.dumps({'error': problem})}\n".encode(), JSON)


def wants_rows(path: str, accept: str) -> bool:
    """Return whether a client wants JSON and not a page, by the path or the header `Accept`.

    >>> wants_rows("/solve.json", "*/*"), wants_rows("/solve", "text/html, application/json;q=0.9")
    (True, False)
    """
    return path.endswith(SUFFIX) or quality_of(JSON, accept) > quality_of("text/html", accept)
