"""The daily page: a round of the puzzle of a date, and a line with its result to share.

The address has the date and the whole state: the server stores no rounds.
"""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from crisps24.pages.addresses import DISPLAY_NAMES, Field, Parameters
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.pages.table import LIMIT_FIELD, ROUND_FIELDS, ROUND_NAMES, player_data, round_values
from crisps24.player.files import daily_key
from crisps24.puzzle import Puzzle
from crisps24.puzzles.daily import FIRST_DAY, daily, format_day, format_result, parse_day
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import Game

FIELDS = (Field("date", str), LIMIT_FIELD, *ROUND_FIELDS)
_PUZZLE_PARAMETERS = (*DISPLAY_NAMES, "game", "date", "limit")
NAMES = (*_PUZZLE_PARAMETERS, *ROUND_NAMES)


def page(params: Parameters) -> dict[str, Any] | PageReply:
    today = datetime.now(UTC).date()
    game = params.game()
    if "date" not in params:
        return redirect_to(params.address("/daily", game=game.name, date=today))
    day = parse_day(params["date"], today)
    puzzle = _daily_puzzle(game, day)
    table = round_values(params, puzzle, "/daily", _PUZZLE_PARAMETERS)
    played: Round = table["played"]

    day_before = _address(game.name, day - timedelta(days=1)) if day > FIRST_DAY else ""
    day_after = _address(game.name, day + timedelta(days=1)) if day < today else ""
    this_day = _address(game.name, day)
    # The addresses for the script. The link to share has no language and no style.
    links = {
        "next": params.with_display_settings(day_after) if day_after else "",
        "previous": params.with_display_settings(day_before) if day_before else "",
        "link": this_day,
        "solution": params.address("/daily", ROUND_NAMES, key=table["keys"]["shown"]),
    }
    return table | {
        "day": format_day(day, params.language),
        "first": FIRST_DAY,
        "today": today,
        "result": format_result(played, day) if played.result else "",
        "before": day_before,
        "after": day_after,
        "others": [(name, _address(name, day)) for name in params.site.games if name != game.name],
        "fresh": this_day,
        "data": player_data(params, puzzle, {"day": day.isoformat()}, links, key=daily_key(game)),
    }


def _address(game_name: str, day: date) -> str:
    return Parameters({}).address("/daily", game=game_name, date=day)


@lru_cache(64)
def _daily_puzzle(game: Game, day: date) -> Puzzle:
    [puzzle] = daily(game, day)
    return puzzle.without_solutions()
