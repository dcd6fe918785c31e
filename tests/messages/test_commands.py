"""The reasons that commands show are in the language of --language, in all languages."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from crisps24.cli.program import main
from crisps24.messages.message import ENGLISH, Language, as_message, message
from crisps24.rules.deals import deal_problem
from crisps24.rules.games import GAMES
from tests.cli.test_playing import scripted
from tests.languages import IN_SOME_LANGUAGES
from tests.messages.test_faults import REQUESTS, damaged_answers, shows

EVERY = "CRISPS24_EVERY" in os.environ

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Return a function that runs a command on lines of JSON and returns its output."""

    def ran(command: str, language: Language, rows: list[dict[str, object]]) -> str:
        path = tmp_path / "lines.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        words = ("--format", "json", "--language", language.name)
        main([command, "--file", str(path), *words])
        return capsys.readouterr().out

    return ran


@IN_SOME_LANGUAGES
def test_check_shows_reasons_in_its_language(language: Language, run: Run) -> None:
    requests = [(words, key) for path, words, key in REQUESTS if path == "/check"]
    rows = json.loads(run("check", language, [dict(words) for words, _ in requests]))
    for row, (_, key) in zip(rows, requests, strict=True):
        assert shows(row["reason"], key, language), row


@IN_SOME_LANGUAGES
def test_judge_shows_reasons_in_its_language(language: Language, run: Run) -> None:
    answers = damaged_answers(300)
    rows = [
        {"text": text, "nums": row.hand, "target": str(row.target), "game": row.game}
        for row, text, _ in answers
    ]
    results = json.loads(run("judge", language, rows))
    for result, (_, _, reason) in zip(results, answers, strict=True):
        assert result["reason"] == reason.text(language)
        assert shows(result["reason"], reason.key, language), result


@IN_SOME_LANGUAGES
def test_marks_show_reasons_in_their_language(language: Language, tmp_path: Path) -> None:
    path, out = tmp_path / "class.csv", tmp_path / "marks.html"
    faults = {"3 x 3 x 8": "answer.used_not", "8 +": "formula.number_missing_after"}
    rows = "".join(f"{name},{text}\n" for name, text in enumerate(faults))
    path.write_text(f"name,1 cards:3.3.8.8=24\n{rows}")
    assert main(["mark", str(path), "--out", str(out), "--language", language.name]) == 1
    page = out.read_text()
    for key in faults.values():
        assert shows(page.replace("\u00a0", " "), key, language), key


@IN_SOME_LANGUAGES
def test_play_shows_errors_in_its_language(language: Language) -> None:
    requests = [(words["typed"], key) for path, words, key in REQUESTS if path == "/play"]
    lines = "".join(f"{typed}\n" for typed, _ in requests)
    words = ("cards:4.6.8.10=24", "--seconds", "600", "--language", language.name)
    process = scripted(lines, *words)
    output = (process.stdout + process.stderr).decode()
    for _, key in requests:
        assert shows(output, key, language), key
    assert language is ENGLISH or ENGLISH.text("play.next") not in output


WRONG = [
    ("cards --date 2026-11-20", "play.day"),
    ("cards:3.3.8.8=24 --daily", "play.daily_game"),
    ("cards --daily --seed 7", "play.daily_one"),
    ("cards --log times.csv", "play.log"),
    ("cards:1.2.3.4.5.6.7.8.9.10.11.12=24", "advice.work"),
    ("cards --solutions 9999", "advice.option"),
]


@IN_SOME_LANGUAGES
def test_play_refuses_a_wrong_call_in_its_language(
    language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    # The last call deals for some seconds.
    calls = WRONG if EVERY else WRONG[:-1]
    for words, key in calls:
        assert main(["play", *words.split(), "--language", language.name]) == 2
        assert shows(capsys.readouterr().err, key, language), (words, key)


@IN_SOME_LANGUAGES
def test_warning_about_a_hand_is_in_the_language(
    language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["solve", "10", "3", "3", "3", "--game", "crisps", "--language", language.name]
    main(words)
    reason = as_message(deal_problem((10, 3, 3, 3), GAMES["crisps"]) or "")
    warning = message("page.solve_odd", reason=reason)
    assert capsys.readouterr().err.startswith(language.text("play.warning", reason=warning))
