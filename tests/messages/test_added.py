"""Added texts: of an operator, and of a language with a few texts."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest

from crisps24 import GAMES, check
from crisps24.messages.message import Message, english
from crisps24.notation.parser import parse_pattern
from crisps24.rules.operators import OPERATORS, StepRule
from tests.hands.dealing import MEAN

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.answering import answer


def page_of(language: str, **words: str) -> str:
    return answer("/check", urlencode(words), language).body.decode()


def play_mean(text: Message | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the operator ~ with a message for a result that is not whole."""
    rule = StepRule(
        lambda left, right, result, game: game.fractions or result * 2 == left + right,
        lambda _left, _right, _result: text,
        reads_operands=True,
    )
    monkeypatch.setitem(OPERATORS, "~", replace(MEAN, rules=(rule,)))
    game = GAMES["crisps"]
    monkeypatch.setitem(GAMES, "mean", replace(game, name="mean", operators=(*game.operators, "~")))
    parse_pattern.cache_clear()


@pytest.mark.parametrize("text", ["{step} is a half", english("{step} is a half")])
def test_an_added_message_is_english(text: Message | str, monkeypatch: pytest.MonkeyPatch) -> None:
    play_mean(text, monkeypatch)
    result = check("1 ~ 2", game="mean")
    assert result.reason == result.reason_in("nl") == "1 ~ 2 is a half"
    assert '<span lang="en">1 ~ 2 is a half</span>' in page_of("nl", game="mean", formula="1 ~ 2")
    page = page_of("en", game="mean", formula="1 ~ 2")
    assert "1 ~ 2 is a half" in page
    assert "<span lang" not in page
