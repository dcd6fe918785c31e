"""The command page: the file that it writes, and the calls that it refuses."""

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from crisps24.cli.program import main
from crisps24.puzzles.daily import daily
from crisps24.puzzles.dealing import deal
from tests.cli.calls import NAMES


def page(out: Path, words: str) -> Any:
    assert main(["page", *words.split(), "--out", str(out)]) == 0
    match = re.search(r'id="data">(.*?)</script>', out.read_text("utf-8"), re.DOTALL)
    assert match
    return json.loads(match[1])


def test_file_has_the_puzzles_of_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "puzzles.html"
    data = page(out, "cards --count 3 --seed 7 --level 2..4 --title Friday")
    conditions_deal = "crisps24 deal cards --count 3 --seed 7 --level 2..4"
    shown = capsys.readouterr().out
    assert shown.splitlines() == [str(out), f"drawing 2: {conditions_deal}"]
    assert main(conditions_deal.removeprefix("crisps24 ").split()) == 0
    dealt = capsys.readouterr().out
    assert len(data["puzzles"]) == 3
    assert all(puzzle["id"] in dealt for puzzle in data["puzzles"])
    assert (data["title"], data["key"]) == ("Friday", f"crisps24 2 {conditions_deal}")


def test_language_is_that_of_the_browser_unless_it_is_given(tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    languages = [page(out, f"--count 1 {words}")["language"] for words in ("", "--language en")]
    assert languages == ["", "en"]
    assert '<html lang="nl">' in (page(out, "--count 1 --language nl") and out.read_text("utf-8"))


def test_time_limit_is_in_the_file(tmp_path: Path) -> None:
    limits = [
        page(tmp_path / "a.html", f"countdown --count 1 {words}")["limit"]
        for words in ("", "--seconds 30")
    ]
    assert limits == [0, 30]


def test_solutions_can_be_left_out(tmp_path: Path) -> None:
    [puzzle] = page(tmp_path / "a.html", "cards --count 1 --seed 7 --no-solutions")["puzzles"]
    assert set(puzzle) == {"id", "hand", "target", "level"}
    [answer] = deal("cards", 1, seed=7).answers()
    assert answer not in (tmp_path / "a.html").read_text("utf-8")


def test_missing_signs_are_those_of_deal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ("--count 2 --seed 7 --signs", "cards --count 2 --seed 7 --signs --equals"):
        data = page(tmp_path / "a.html", words)
        capsys.readouterr()
        assert main(["deal", *words.split(), "--format", "json"]) == 0
        dealt = json.loads(capsys.readouterr().out)
        rows = [" ".join(word or "_" for word in puzzle["row"]) for puzzle in data["puzzles"]]
        assert rows == [row["puzzle"] for row in dealt]
        assert not data["game"]["parentheses"]
        without = page(tmp_path / "a.html", f"{words} --no-solutions")
        assert not any("answer" in puzzle for puzzle in without["puzzles"])


def test_daily_file_has_the_puzzles_of_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisps24.cli.puzzles._DAYS", 40)
    data = page(tmp_path / "a.html", "crisps --daily --date 2026-01-20")
    assert data["first"] == "2026-01-20"
    days = [date(2026, 1, 20) + timedelta(days=index) for index in range(40)]
    assert [puzzle["id"] for puzzle in data["puzzles"]] == [
        daily("crisps", day)[0].id for day in days
    ]
    other = page(tmp_path / "a.html", "crisps --daily --date 2026-01-21")
    assert data["key"] == other["key"]


def test_page_is_a_command() -> None:
    assert NAMES.index("page") == NAMES.index("sheet") + 1
