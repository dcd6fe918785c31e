"""Added texts: of an operator, and of a language with a few texts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from crisps24 import GAMES, check
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language, Message, add_texts, english, message
from crisps24.notation.parser import parse_pattern
from crisps24.rules.operators import OPERATORS, StepRule
from tests.hands.dealing import MEAN

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.answering import answer

ADDED = {"en": {"added.half": "{step} is a half"}, "nl": {"added.half": "{step} is een half"}}


@pytest.fixture
def _texts() -> Iterator[None]:
    for name, texts in ADDED.items():
        add_texts(LANGUAGES[name], texts)
    yield
    for name, texts in ADDED.items():
        for key in texts:
            del LANGUAGES[name].texts[key]


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
def test_message_of_an_added_operator_is_marked_as_english(
    text: Message | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_mean(text, monkeypatch)
    result = check("1 ~ 2", game="mean")
    assert result.reason == result.reason_in("nl") == "1 ~ 2 is a half"
    assert '<span lang="en">1 ~ 2 is a half</span>' in page_of("nl", game="mean", formula="1 ~ 2")
    page = page_of("en", game="mean", formula="1 ~ 2")
    assert "1 ~ 2 is a half" in page
    assert "<span lang" not in page


@pytest.mark.usefixtures("_texts")
def test_message_of_an_added_operator_can_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    play_mean(message("added.half"), monkeypatch)
    result = check("1 ~ 2", game="mean")
    assert (result.reason, result.reason_in("nl")) == ("1 ~ 2 is a half", "1 ~ 2 is een half")
    page = page_of("nl", game="mean", formula="1 ~ 2")
    assert "1 ~ 2 is een half" in page
    assert "<span lang" not in page
    assert '<span lang="en">1 ~ 2 is a half</span>' in page_of("de", game="mean", formula="1 ~ 2")


ITALIAN = """
[page]
solve_count = {one = "1 soluzione", other = "{count} soluzioni"}

[list]
last = "{some} e {last}"

[step]
remainder = "{step} non dà un numero intero: il resto è {rest}"

[answer]
not_used = {one = "{numbers} non è usato", other = "{numbers} non sono usati"}
"""


def test_language_is_added_by_a_file_and_an_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "it.toml").write_text(ITALIAN, encoding="utf-8")
    italian = Language("it", "Italiano", decimal=",", thousands=".", folder=tmp_path)
    monkeypatch.setitem(LANGUAGES, "it", italian)
    assert check("9 : 7").reason_in("it") == "9 : 7 non dà un numero intero: il resto è 2"
    assert check("1 + 2", hand=(1, 2, 3, 4)).reason_in("it") == "3 e 4 non sono usati"
    assert italian.text("page.solve_count", count=1234) == "1.234 soluzioni"
    page = page_of("it", formula="9 : 7")
    assert '<html lang="it"' in page
    assert "non dà un numero intero: il resto è 2" in page
    # A text that it lacks is in English: a reason is marked so.
    assert ENGLISH.text("page.footer") in page
    assert "<span lang" not in page
    page = page_of("it", formula="4 +")
    assert '<span lang="en">a number is missing after +</span>' in page
    assert check("4 +").reason_in("it") == "a number is missing after +"
