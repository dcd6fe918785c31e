"""Languages: every file has every text, in its own plurals and numbers, and one is found."""

import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pkgutil import get_data
from string import Formatter
from typing import Any

import pytest

from crisps24.errors import RefusedError, parse_language
from crisps24.messages.languages import LANGUAGES, find_language
from crisps24.messages.message import ENGLISH, Language, Message, Template, Tenths, as_message
from crisps24.notation.styles import STYLES
from crisps24.rules.games import GAMES, Game
from crisps24.rules.rules import FLAG, RULES, Rule, format_rules, format_task
from tests.languages import IN_SOME_LANGUAGES

IN_ALL_LANGUAGES = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))


def forms(text: Template) -> dict[str, str]:
    return {"other": text} if isinstance(text, str) else dict(text)


@IN_ALL_LANGUAGES
def test_file_has_the_keys_of_english(language: Language) -> None:
    assert language.texts.keys() == ENGLISH.texts.keys()
    for key, text in language.texts.items():
        assert all(form.strip() for form in forms(text).values()) or key == "list.sentences"


def places(text: str) -> set[str]:
    """Return the placeholders of a text; fail if one has a format."""
    parsed = [part for part in Formatter().parse(text) if part[1] is not None]
    assert all(not form and not convert for _, _, form, convert in parsed)
    return {str(name) for _, name, _, _ in parsed}


@IN_ALL_LANGUAGES
def test_text_has_the_placeholders_of_english(language: Language) -> None:
    categories = {language.plural(count) for count in range(200)}
    for key, english in ENGLISH.texts.items():
        texts, expected = forms(language.texts[key]), places(forms(english)["other"])
        assert places(texts["other"]) == expected, key
        # The form for one thing can leave out the count.
        assert all(places(text) <= expected | {"count"} for text in texts.values()), key
        # A count can have forms where the English text needs none.
        if not (isinstance(english, str) and isinstance(language.texts[key], str)):
            assert set(texts) == categories, key
            assert "count" in expected or not isinstance(english, str), key


# More values of each kind of rule than the games have.
SAMPLES: dict[str, tuple[Any, ...]] = {
    **{"flag": (False, True), "integer": (3,), "spec": ((0, 1, 2),), "depth": (1, 3)},
    **{"signs": (("-", "+"), ("+", "x", "^")), "bits": (None, 31), "limit": (None, 99)},
}


def values_of(rule: Rule) -> set[Any]:
    return {*(rule.value_in(game) for game in GAMES.values()), *SAMPLES[rule.kind.name]}


def games_with_rules() -> Iterable[Game]:
    flags = [name for name, rule in RULES.items() if rule.kind is FLAG and name != "repeats"]
    for values in product((False, True), repeat=len(flags)):
        changes: dict[str, Any] = dict(zip(flags, values, strict=True))
        for most in (None, 99):
            with suppress(RefusedError):
                yield replace(GAMES["digits"], most=most, **changes)
    for name, rule in RULES.items():
        for value in values_of(rule):
            for game in GAMES.values():
                with suppress(ValueError):
                    yield replace(game, **{name: value})


def test_titles_differ_by_value() -> None:
    for rule in RULES.values():
        titles = [rule.title(value) for value in values_of(rule)]
        assert all(titles)
        assert len({*titles}) == len(titles), titles


def test_descriptions_of_games_and_rules_are_translated() -> None:
    labels: list[Message | str] = [rule.label for rule in RULES.values()]
    abouts: list[Message | str] = [game.about for game in GAMES.values()]
    both = ((rule, game) for game in games_with_rules() for rule in RULES.values())
    lines = (text for rule, game in both for text in (rule.line(game), rule.sentence(game)))
    messages = map(as_message, (*labels, *abouts, *lines))
    assert {str(text) for text in messages if not text.key} <= {""}


@IN_ALL_LANGUAGES
def test_language_has_an_existing_style_and_is_found_by_its_name(language: Language) -> None:
    assert STYLES[language.style].is_typeable
    assert LANGUAGES[language.name] is language
    assert find_language(language.name.upper()) is language
    assert find_language(f"{language.name}-XX") is language


@IN_SOME_LANGUAGES
def test_game_is_described_in_one_language(language: Language) -> None:
    if language is ENGLISH:
        return
    for game in games_with_rules():
        text = f"{format_rules(game, language)} {format_task(game, '+-', language=language)}"
        for english in ("Use", "Every", "once each", "numbers", "whole", "brackets"):
            assert english not in text.split(), text


# The words for 0, 1, 2 and 1234 solutions, and for 12.5 percent.
COUNTS = {
    "en": ("0 solutions, 1 solution, 2 solutions, 1,234 solutions", "12.5%"),
    "nl": ("0 oplossingen, 1 oplossing, 2 oplossingen, 1.234 oplossingen", "12,5%"),
    "es": ("0 soluciones, 1 solución, 2 soluciones, 1.234 soluciones", "12,5\u00a0%"),
    "de": ("0 Lösungen, 1 Lösung, 2 Lösungen, 1.234 Lösungen", "12,5\u00a0%"),
    "fr": ("0 solution, 1 solution, 2 solutions, 1\u202f234 solutions", "12,5\u00a0%"),
    "zh-Hans": ("0 种解法, 1 种解法, 2 种解法, 1,234 种解法", "12.5%"),
}


@IN_ALL_LANGUAGES
def test_count_chooses_the_plural_form_of_the_language(language: Language) -> None:
    assert {*COUNTS} == {*LANGUAGES}
    counts = [language.text("page.solve_count", count=count) for count in (0, 1, 2, 1234)]
    percent = language.text("page.percent", value=Tenths(12.5))
    assert (", ".join(counts), percent) == COUNTS[language.name]
    # Numbers of a puzzle have no separators.
    assert "1234" in language.text("answer.makes", value=1234, target="3/4")
    # Without a count, the place stays visible, since an error page must not fail.
    assert language.text("page.solve_count") == counts[0].replace("0", "{count}")


def test_unknown_language_is_refused_with_the_known_ones() -> None:
    assert find_language("xx") is None
    with pytest.raises(ValueError, match=r"unknown language 'xx' \(expected en \(English\), nl"):
        parse_language("xx")


@pytest.mark.parametrize("name", ["vocabulary", "words"])
def test_the_judge_has_words_of_each_kind_in_each_language(name: str) -> None:
    words = tomllib.loads((get_data("crisps24.judging", f"{name}.toml") or b"").decode())
    for code in LANGUAGES:
        assert words["en"].keys() <= words[code.partition("-")[0]].keys(), code
