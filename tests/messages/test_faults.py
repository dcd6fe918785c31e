"""The reason of every fault is shown in the language of the reader, on every surface."""

import re
from functools import cache
from html import unescape
from itertools import islice

import pytest

from crisps24 import judge
from crisps24.messages.message import ENGLISH, Language, Message
from tests.judging.mutants import mutants
from tests.judging.table import Row

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from tests.messages.faults import FAULTS, keys_of

# Sections of other texts than reasons.
NO_REASONS = {
    "list",
    "name",
    "game",
    "rule",
    "line",
    "player",
    "task",
    "page",
    "sheet",
    "marks",
    "quiz",
}
NO_REASONS |= {
    *("name", "fraction", "result", "round", "guess", "play", "advice", "progress", "file"),
    "script",
}
REASONS = sorted(key for key in ENGLISH.texts if key.partition(".")[0] not in NO_REASONS)
WORDS = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")


def pseudo() -> Language:
    """Return a language in which each text is its key and its placeholders."""
    language = Language("xx", "Pseudo", plural=lambda _: "other")
    texts = vars(language).setdefault("texts", {})
    for key, text in ENGLISH.texts.items():
        places = re.findall(r"{\w+}", text if isinstance(text, str) else text["other"])
        texts[key] = f"«{key}» {' | '.join(places)}"
    return language


@cache
def damaged_answers(count: int) -> tuple[tuple[Row, str, Message], ...]:
    judged = (
        (row, text, judge(text, row.hand, row.target, row.game).message)
        for row, text in mutants(4 * count, 33)
    )
    return tuple(islice(((row, text, message) for row, text, message in judged if message), count))


@cache
def messages() -> tuple[tuple[str, Message], ...]:
    expected = [(key, fault()) for key, faults in FAULTS.items() for fault in faults]
    return (*expected, *((message.key, message) for _, _, message in damaged_answers(300)))


def pattern_of(text: str) -> str:
    """Return a regular expression for a text with any values."""
    return ".*".join(map(re.escape, re.split(r"{\w+}", text)))


def shows(page: str, key: str, language: Language) -> bool:
    text = language.texts.get(key, "no text")
    forms = [text] if isinstance(text, str) else text.values()
    bare = unescape(re.sub(r"<[^>]*>", "", page))
    return any(re.search(pattern_of(form), bare) for form in forms)


def test_every_key_of_a_reason_has_a_fault() -> None:
    assert sorted(FAULTS) == REASONS


def test_every_fault_has_a_message_with_its_key() -> None:
    assert len(messages()) > 400
    for key, message in messages():
        assert key in keys_of(message), (key, str(message))


def test_every_word_of_a_message_comes_from_a_file_of_texts() -> None:
    language = pseudo()
    for key, message in messages():
        text, spoken = message.translate(language)
        assert spoken is language, key
        assert not WORDS.search(re.sub(r"«[^»]*»|'.*'", " | ", text)), text
