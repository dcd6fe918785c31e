"""Daily puzzles: one puzzle of each game for every date, the same for everyone.

The puzzle of 22 November 2026 is the first puzzle dealt with seed 20261122, so `draws.VERSION`
covers daily puzzles too. Dates are in UTC; the caller passes the current date.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, message
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.parameters import LEVELS
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import Game, plain_name
from crisps24.rules.words import format_time

# The date of the first daily puzzle.
FIRST_DAY = date(2026, 1, 1)
_FULL_DOT = "●"
_EMPTY_DOT = "○"
# Results that count as solved: the target, or a value close enough for points.
_SOLVED = ("right", "closest")
# Results after which the solution is known.
_DECIDED = (*_SOLVED, "shown", "over")


def daily(game: Game | str, day: date) -> Deal:
    """Return a deal with one puzzle: the puzzle of a date, even if it is before `FIRST_DAY`.

    >>> daily("cards", date(2026, 11, 22))[0].id
    'cards:2.6.6.9=24'
    """
    return deal(game, 1, seed=int(f"{day:%Y%m%d}"))


def parse_day(text: str, today: date) -> date:
    """Return the date in a text such as `2026-11-22`."""
    try:
        if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        day = date.fromisoformat(text)
    except ValueError:
        reason = message("day.invalid", text=quoted(text), today=today)
        raise RefusedError(reason) from None
    if day < FIRST_DAY:
        raise RefusedError(message("day.first", day=day, first=FIRST_DAY))
    if day > today:
        raise RefusedError(message("day.future", day=day, today=today))
    return day


def format_day(day: date, language: Language = ENGLISH) -> str:
    month = language.text("result.months").split()[day.month - 1]
    return language.text("result.day", count=day.day, month=month, year=day.year)


def format_result(played: Round, day: date) -> str:
    """Return a line that reports the result of a daily puzzle without revealing the puzzle."""
    language, puzzle = played.language, played.puzzle
    level, title, dots = puzzle.level, plain_name(puzzle.game.name).text(language), ""
    if level is not None:
        title = language.text("result.game", game=title, level=level)
        dots = " " + _FULL_DOT * level + _EMPTY_DOT * (len(LEVELS) - level)
    # The time, if a clock was running; time and points only for a solved puzzle.
    clauses = [format_time(played.seconds)] if played.seconds else []
    if played.result not in _SOLVED:
        clauses = [language.text("result.unsolved")]
    elif played.scored:
        clauses.append(language.text("result.points", count=played.points))
    key = "result.hints" if played.hints else "result.no_hints"
    clauses.append(language.text(key, count=played.hints))
    listed = language.text("list.clauses").join(clauses)
    return f"crisps24 · {format_day(day, language)} · {title} · {listed}{dots}"


def count_streak(rows: Iterable[Mapping[str, Any]], game: Game, day: date) -> int:
    """Return on how many days in a row, ending with `day`, the puzzle of a game was solved.

    A puzzle solved after its solution was shown does not count.
    """
    results: dict[str, object] = {}
    for row in rows:
        if str(row.get("id")).startswith(f"{game.name}:") and row.get("result") in _DECIDED:
            results.setdefault(str(row.get("daily")), row["result"])
    # Go back from the day, one day at a time.
    count = 0
    while results.get((day - timedelta(days=count)).isoformat()) in _SOLVED:
        count += 1
    return count


def format_streak(count: int, language: Language = ENGLISH) -> str:
    return language.text("result.streak", count=count)
