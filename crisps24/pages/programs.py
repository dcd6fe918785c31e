"""Reply to programs with JSON: the rows that the commands print with `--format json`."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from crisps24.errors import RefusedError
from crisps24.output.tables import Row, render
from crisps24.pages import check, puzzles, solve
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES, Field, Parameters
from crisps24.pages.negotiation import quality_of
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.puzzles.daily import daily, parse_day
from crisps24.puzzles.dealing import to_seed
from crisps24.rules.characters import escape_json

JSON = "application/json"
SUFFIX = ".json"

SOLVE_NAMES = (*solve.NAMES, "style")
CHECK_NAMES = (*check.NAMES, "style")
DEAL_NAMES = ("game", "seed", "count", "rising", "style", *CHOOSING_NAMES, *RULE_NAMES)
DAY_NAMES = ("game", "date")
DAY_FIELDS = (Field("date", str),)


def solve_rows(params: Parameters) -> PageReply:
    puzzle = params.puzzle("hand")
    all_solutions = bool(params.value("every"))
    count = len(puzzle.solutions()) if all_solutions else 0
    if count > solve.MAX_SOLUTIONS:
        limit = solve.MAX_SOLUTIONS
        raise RefusedError(f"every: too many solutions: {count:,} (at most {limit})")
    return _rows_reply(puzzle.rows(all_solutions=all_solutions, closest=True))


def check_rows(params: Parameters) -> PageReply:
    if "formula" not in params:
        raise RefusedError("a formula is missing: add formula=4+%2B+3+x+8+-+4")
    return _rows_reply(result.row() for _, result in check.check_lines(params).lines)


def deal_rows(params: Parameters) -> PageReply:
    """Return a JSON reply with puzzles that fit the parameters of an address, by default one."""
    if "seed" not in params:
        # Refuse an invalid game here, before the redirect.
        params.game()
        return redirect_to(params.address("/deal.json", seed=to_seed()))
    style = params.value("style")
    dealt = puzzles.deal_puzzles(params, default_count=1)
    return _rows_reply(dealt.with_style(style.name if style else "").rows())


def day_rows(params: Parameters) -> PageReply:
    today, game = datetime.now(UTC).date(), params.game()
    if "date" not in params:
        return redirect_to(params.address("/daily.json", game=game.name, date=today))
    return _rows_reply(daily(game, parse_day(params["date"], today)).rows())


def _rows_reply(rows: Iterable[Row]) -> PageReply:
    text = render(list(rows), "json")
    return PageReply(200, f"{escape_json(text)}\n".encode(), JSON)


def error_reply(status: int, problem: str) -> PageReply:
    return PageReply(status, f"{json.dumps({'error': problem})}\n".encode(), JSON)


def wants_rows(path: str, accept: str) -> bool:
    return path.endswith(SUFFIX) or quality_of(JSON, accept) > quality_of("text/html", accept)
