"""Daily puzzles are the same for everyone, and the result line does not reveal the puzzle."""

import re
from datetime import date
from typing import Any

import pytest

from crisps24.messages.message import Language
from crisps24.puzzle import puzzle_of
from crisps24.puzzles import daily
from crisps24.puzzles.draws import VERSION
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import HAND_GAMES, find_game
from tests.languages import IN_SOME_LANGUAGES
from tests.sampling import in_one_test
from tests.tables import cells_of

DAY = date(2026, 11, 22)

# Ids of drawing version 5. A change that alters an id must raise the version.
DEALT_IDS = {
    date(2026, 1, 1): (
        "crisps:1.8.8.8=24 digits:1.8.8.8=24 cards:3.6.6.11=24 numble:10.9.8.5.4.2=325 "
        "countdown:9.8.7.6.4.2=600 make10:2.6.7.9=10 fractions24:2/5.1.7.9=24 "
        "krypto:4.12.14.17.19=6 mathador:3.6.6.7.13=56"
    ),
    DAY: (
        "crisps:1.3.6.7=24 digits:3.7.8.8=24 cards:2.6.6.9=24 numble:100.10.9.4.3.2=715 "
        "countdown:100.7.6.5.4.3=847 make10:1.3.3.9=10 fractions24:1/6.2.4.4=24 "
        "krypto:5.12.18.23.24=6 mathador:1.2.4.4.10=5"
    ),
}


@pytest.mark.parametrize("day", DEALT_IDS)
def test_puzzles_of_a_date_never_change(day: date) -> None:
    assert VERSION == 5
    assert {daily.daily(name, day)[0].id for name in HAND_GAMES} == {*DEALT_IDS[day].split()}


@in_one_test(
    ("text", "expected"),
    ("2026-11-22", DAY),
    ("2026-01-01", daily.FIRST_DAY),
    ("2026-11-23", "the puzzle for 2026-11-23 comes later (today is 2026-11-22 in UTC)"),
    ("9999-12-31", "comes later (today is"),
    ("2025-12-31", "2025-12-31 is too early (the first puzzle is for 2026-01-01)"),
    ("0001-01-01", "the first puzzle is for"),
    *((text, "such as 2026-11-22)") for text in ("", "today", "2026-02-30", "20261122")),
    *((text, "invalid date") for text in ("2026-1-1", "2026-W47-7", "0000-01-01")),
    *((text, "invalid date") for text in ("２０２６-11-22", "2026-11-22T00:00")),
)
def test_only_dates_from_the_first_day_to_today_are_parsed(text: str, expected: date | str) -> None:
    if isinstance(expected, date):
        assert daily.parse_day(text, DAY) == expected
        return
    with pytest.raises(ValueError, match=re.escape(expected)):
        daily.parse_day(text, DAY)


@in_one_test(("puzzle", "lines", "seconds", "result"), *cells_of("daily-results.txt"))
def test_result_is_one_line(puzzle: str, lines: str, seconds: str, result: str) -> None:
    played = Round(puzzle_of(puzzle))
    for line in lines.split("|"):
        played, _ = played.play(line, float(seconds))
    assert daily.format_result(played, DAY) == f"crisps24 · 22 Nov 2026 · {result}"


DAYS = {"en": "2 Mar 2026", "nl": "2 mrt 2026", "es": "2 mar 2026", "de": "2. März 2026"}
DAYS |= {"fr": "2 mars 2026", "zh-Hans": "2026年3月2日"}


@IN_SOME_LANGUAGES
def test_result_is_translated(language: Language) -> None:
    assert daily.format_day(date(2026, 3, 2), language) == DAYS[language.name]
    assert len({daily.format_day(date(2026, month, 1), language) for month in range(1, 13)}) == 12
    played, _ = Round(puzzle_of("cards:4.6.8.10=24"), language=language).play("(10 - 6) x 4 + 8")
    assert "4" in daily.format_result(played, DAY)
    assert "12" in daily.format_streak(12, language)


CARDS = "cards:4.6.8.10=24"


@in_one_test(
    ("played", "count"),
    ((), 0),
    ((("22", CARDS, "right"),), 1),
    ((("22", CARDS, "shown"), ("22", CARDS, "right"), ("22", CARDS, "left")), 0),
    ((("21", CARDS, "closest"), ("22", CARDS, "right")), 2),
)
def test_streak_counts_back_from_date(played: tuple[tuple[str, str, str], ...], count: int) -> None:
    days = [{"daily": f"2026-11-{day}", "id": id_, "result": result} for day, id_, result in played]
    others: Any = [{}, {"daily": [], "id": None}, {"id": CARDS, "result": "right"}]
    assert daily.count_streak([*days, *others], find_game("cards"), DAY) == count
