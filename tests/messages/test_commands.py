"""Refusals and warnings of commands are in the language of --language."""

import re

import pytest

from crisps24.cli.program import main
from crisps24.messages.message import Language, as_message, message
from crisps24.rules.deals import deal_problem
from crisps24.rules.games import GAMES
from tests.languages import IN_SOME_LANGUAGES
from tests.sampling import EVERY

WRONG = [
    ("cards --date 2026-11-20", "play.day"),
    ("cards:3.3.8.8=24 --daily", "play.daily_game"),
    ("cards --daily --seed 7", "play.daily_one"),
    ("cards --log times.csv", "play.log"),
    ("cards:1.2.3.4.5.6.7.8.9.10.11.12=24", "advice.work"),
    ("cards --solutions 9999", "advice.option"),
]


def shows(output: str, key: str, language: Language) -> bool:
    text = language.texts[key]
    patterns = (
        ".*".join(map(re.escape, re.split(r"{\w+}", form)))
        for form in ([text] if isinstance(text, str) else text.values())
    )
    return any(re.search(pattern, output) for pattern in patterns)


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
