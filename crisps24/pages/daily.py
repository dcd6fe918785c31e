"""The daily page: a round of the puzzle of a date, and a line with its result to share.

Nothing is stored: the date is in the address.
"""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from crisps24.pages.asking import DISPLAY_NAMES, Asked, Field
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.pages.table import (
    LIMIT_FIELD,
    ROUND_FIELDS,
    ROUND_NAMES,
    redirect_to_start,
    round_values,
)
from crisps24.puzzle import Puzzle
from crisps24.puzzles.daily import FIRST_DAY, daily, format_day, format_result, parse_day
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import HAND_GAMES, Game

FIELDS = (Field("date", str), LIMIT_FIELD, *ROUND_FIELDS)
_PUZZLE_PARAMETERS = (*DISPLAY_NAMES, "game", "date", "limit")
NAMES = (*_PUZZLE_PARAMETERS, *ROUND_NAMES)


def page(asked: Asked) -> dict[str, Any] | PageReply:
    """Return the values of the template; without a date, a redirect to today's puzzle."""
    today = datetime.now(UTC).date()
    game = asked.game()
    if "date" not in asked:
        return redirect_to(asked.address("/daily", game=game.name, date=today))
    day = parse_day(asked["date"], today)
    if "start" in asked:
        return redirect_to_start(asked, "/daily")
    table = round_values(asked, _daily_puzzle(game, day), "/daily", _PUZZLE_PARAMETERS)
    played: Round = table["played"]

    def address(name: str, day: date) -> str:
        return Asked({}).address("/daily", game=name, date=day)

    return table | {
        "day": format_day(day, asked.language),
        "first": FIRST_DAY,
        "today": today,
        "result": format_result(played, day) if played.result else "",
        "before": address(game.name, day - timedelta(days=1)) if day > FIRST_DAY else "",
        "after": address(game.name, day + timedelta(days=1)) if day < today else "",
        "others": [(name, address(name, day)) for name in HAND_GAMES if name != game.name],
        "fresh": address(game.name, day),
    }


@lru_cache(64)
def _daily_puzzle(game: Game, day: date) -> Puzzle:
    [puzzle] = daily(game, day)
    return puzzle.without_solutions()
