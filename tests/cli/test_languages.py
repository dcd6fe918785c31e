"""The option --language: all sentences of play, and the reasons of check, judge, solve and mark.

A made-up language has all texts: «key» with the placeholders of the English text. Output outside
« » is not from a message.
"""

import json
import re
from pathlib import Path

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from tests.cli.scripted import scripted
from tests.commands import Run

MADE_UP = "qps"


def made_up_text(key: str) -> str:
    text = ENGLISH.texts[key]
    places = re.findall(r"{\w+}", text if isinstance(text, str) else text["other"])
    return "«m» " * 12 if key == "result.months" else f"«{' '.join([key, *places])}»"


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    language = Language(MADE_UP, "Made up")
    vars(language)["texts"] = {key: made_up_text(key) for key in ENGLISH.texts}
    monkeypatch.setitem(LANGUAGES, MADE_UP, language)


def outside(text: str) -> set[str]:
    """Return the words that are not from a message, and the values in messages."""
    return {*re.findall(r"[^\W\d_]{2,}", re.sub(r"«[a-z_]+\.[^ »]+|«m|»", "", text))}


def test_day_and_streak_are_from_messages(tmp_path: Path) -> None:
    log = tmp_path / "days.jsonl"
    words = ("cards", "--daily", "--date", "2026-11-22", "--log", str(log))
    said = scripted("(9 - 6) x (6 + 2)\n", *words, "--language", MADE_UP).stdout.decode()
    assert outside(said) == {"cards", "crisps", "play", "count", "seed"}
    assert "«result.streak 1»" in said
    # Rows of a log are the same in all languages.
    assert json.loads(log.read_text())["result"] == "right"


FAULTY = ["4 + 3", "9 : 7 + 1 + 2", "4 + + 3", "(4 + 3) x 8 : 4", "4 + 3 + 8 + 4", "4 - 8 + 3 + 4"]


def test_check_gives_reasons_and_steps_in_the_language(run: Run) -> None:
    # tests/messages/test_surfaces.py has the reasons of all commands.
    words = (*FAULTY, "--card", "4 3 8 4", "--steps", "--language", MADE_UP, "--format")
    for row in run("check", *words, "json").rows:
        assert (row["reason"][0], outside(row["reason"])) == ("«", set())
        # The last step of an illegal formula is the reason.
        assert all("«" not in line or line == row["reason"] for line in row["steps"])
    # A table also marks each formula with its error.
    ran = run("check", *words, "table")
    assert "«" in ran.out
    # The call in which it is right is in English.
    said = "".join(line for line in ran.err.splitlines(True) if not line.startswith("this is"))
    assert outside(said) == {"illegal", "malformed"}


def test_workers_give_reasons_in_the_language(run: Run) -> None:
    Path("answers").write_text('{"text": "4 + 3", "nums": [3, 4], "target": 24}\n' * 1001)
    rows = run("judge --file answers --language nl --format jsonl --workers 2").rows
    reason = LANGUAGES["nl"].text("answer.makes", value=7, target=24)
    assert [row["reason"] for row in rows] == [reason] * 1001
