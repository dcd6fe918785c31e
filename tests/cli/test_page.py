"""The command page: the file that it writes, and the calls that it refuses."""

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from crisps24.player.files import daily_key
from crisps24.puzzles.daily import daily
from crisps24.rules.games import GAMES
from tests.commands import Run

Page = Callable[[str], Any]


@pytest.fixture
def page(run: Run) -> Page:
    """Return a function that calls page and returns the data of its file, a.html."""

    def page(words: str) -> Any:
        assert run(f"page {words} --out a.html").status == 0
        match = re.search(r'id="data">(.*?)</script>', Path("a.html").read_text("utf-8"), re.DOTALL)
        assert match
        return json.loads(match[1])

    return page


def test_file_has_the_puzzles_of_deal(run: Run, page: Page) -> None:
    line = "cards --count 3 --seed 7 --level 2..4"
    data = page(f"{line} --title Friday")
    dealt = run(f"deal {line}").out
    assert len(data["puzzles"]) == 3
    assert all(puzzle["id"] in dealt for puzzle in data["puzzles"])
    assert (data["title"], data["key"]) == ("Friday", f"crisps24 5 crisps24 deal {line}")
    shown = run(f"page {line} --out b.html").out
    assert shown.splitlines() == ["b.html", f"drawing 5: crisps24 deal {line}"]


def test_language_and_limit_are_in_the_file(page: Page) -> None:
    assert [page(f"--count 1 {each}")["language"] for each in ("", "--language en")] == ["", "en"]
    page("--count 1 --language nl")
    assert '<html lang="nl">' in Path("a.html").read_text("utf-8")
    limits = [page(f"countdown --count 1 {each}")["limit"] for each in ("", "--seconds 30")]
    assert limits == [0, 30]


def test_missing_signs_are_those_of_deal(run: Run, page: Page) -> None:
    for words in ("--count 2 --seed 7 --signs", "cards --count 2 --seed 7 --signs --equals"):
        data = page(words)
        dealt = run(f"deal {words} --format json").rows
        rows = [" ".join(word or "_" for word in puzzle["row"]) for puzzle in data["puzzles"]]
        assert rows == [row["puzzle"] for row in dealt]
        assert not data["game"]["parentheses"]
        without = page(f"{words} --no-solutions")
        assert not any("answer" in puzzle for puzzle in without["puzzles"])


def test_daily_file_has_the_puzzles_of_play(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.cli.puzzles._DAYS", 40)
    data = page("crisps --daily --date 2026-01-20")
    assert data["first"] == "2026-01-20"
    days = [date(2026, 1, 20) + timedelta(days=index) for index in range(40)]
    expected = [daily("crisps", day)[0].id for day in days]
    assert [puzzle["id"] for puzzle in data["puzzles"]] == expected
    # The pages of the days have the same key.
    other = page("crisps --daily --date 2026-01-21")
    assert data["key"] == other["key"] == daily_key(GAMES["crisps"])
