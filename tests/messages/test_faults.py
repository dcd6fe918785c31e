"""The reason of every fault is in the language of the reader, wherever it is shown."""

import re
from functools import cache
from html import unescape
from itertools import islice
from urllib.parse import urlencode

import pytest

from crisps24 import judge
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language, Message
from tests.judging.mutants import mutants
from tests.judging.table import Row
from tests.messages.faults import FAULTS, keys_of

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.answering import answer, refusal_page

EACH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
# Sections of other texts than reasons.
NO_REASONS = {"list", "game", "rule", "line", "player", "task", "page", "sheet", "marks", "quiz"}
NO_REASONS |= {"result", "round", "guess", "play", "advice"}
REASONS = sorted(key for key in ENGLISH.texts if key.partition(".")[0] not in NO_REASONS)
WORDS = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")


def pseudo() -> Language:
    """Return a language in which each text is its key and its places."""
    language = Language("xx", "Pseudo", plural=lambda _: "other")
    texts = vars(language).setdefault("texts", {})
    for key, text in ENGLISH.texts.items():
        places = re.findall(r"{\w+}", text if isinstance(text, str) else text["other"])
        texts[key] = f"«{key}» {' | '.join(places)}"
    return language


@cache
def damaged_answers(count: int) -> tuple[tuple[Row, str, Message], ...]:
    """Return answers that were damaged by chance, with the messages about them."""
    judged = (
        (row, text, judge(text, row.hand, row.target, row.game).message)
        for row, text in mutants(4 * count, 33)
    )
    return tuple(islice(((row, text, said) for row, text, said in judged if said), count))


@cache
def messages() -> tuple[tuple[str, Message], ...]:
    """Return messages, each with a key that it has."""
    listed = [(key, fault()) for key, faults in FAULTS.items() for fault in faults]
    return (*listed, *((each.key, each) for _, _, each in damaged_answers(300)))


def pattern_of(text: str) -> str:
    """Return a regular expression for a text with any values."""
    return ".*".join(map(re.escape, re.split(r"{\w+}", text)))


def shows(page: str, key: str, language: Language) -> bool:
    """Return whether a page shows the text of a key in a language."""
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


def test_no_page_marks_a_message_as_english_where_all_texts_are_there() -> None:
    language = pseudo()
    for key, message in messages():
        page = refusal_page(422, message, language).body.decode()
        assert f"«{key}»" in page
        assert '<span lang="en"' not in page, key


@EACH
def test_every_message_is_in_the_language_of_a_page(language: Language) -> None:
    for key, message in dict(messages()).items():
        page = refusal_page(422, message, language).body.decode()
        assert shows(page, key, language), (key, str(message))
        assert language is ENGLISH or '<span lang="en"' not in page, key


PUZZLE = {"game": "cards", "puzzle": "cards:4.6.8.10=24"}
# What is asked of a page, and the key of what it says about it.
ASKED = [
    ("/check", {"formula": "9 : 7"}, "step.remainder"),
    ("/check", {"formula": "3 - 4"}, "step.below_zero"),
    ("/check", {"formula": "(4 + 3) x 2"}, "formula.no_parentheses"),
    ("/check", {"formula": "4 +"}, "formula.number_missing_after"),
    ("/check", {"formula": "4 + y"}, "formula.not_part"),
    ("/check", {"formula": "1 + 12"}, "formula.no_number"),
    ("/check", {"formula": "1 + 2", "target": "24"}, "answer.makes"),
    ("/check", {"formula": "3 x 3 x 8", "card": "3 3 8 8"}, "answer.used_not"),
    ("/check", {"formula": "1 + 2 = 4, 4 + 4 = 8"}, "working.stated"),
    ("/check", {"formula": "1 + 2 = 3, 9 + 4 = 13", "card": "1 2 4 3"}, "working.not_left"),
    ("/play", PUZZLE | {"typed": "4 + 6 + 8 + 10"}, "answer.makes"),
    ("/play", PUZZLE | {"typed": "10 +"}, "formula.number_missing_after"),
    ("/play", PUZZLE | {"typed": "10 : (4 - 4)"}, "step.division_by_zero"),
    ("/play", PUZZLE | {"typed": "4 + 9"}, "answer.numbers"),
]


def says_what_is_wrong(language: Language) -> None:
    for path, words, key in ASKED:
        page = answer(path, urlencode(words), language.name).body.decode()
        assert shows(page, key, language), (words, key)
        assert language is ENGLISH or '<span lang="en"' not in page, (words, key)


@EACH
def test_a_page_says_what_is_wrong_in_its_language(language: Language) -> None:
    says_what_is_wrong(language)


def test_a_page_says_what_is_wrong_in_a_language_that_is_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(LANGUAGES, "xx", pseudo())
    says_what_is_wrong(LANGUAGES["xx"])
