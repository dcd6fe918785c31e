"""Numbers in words, as screen readers read them, in all languages."""

from fractions import Fraction

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.messages.numbers import number_in_words

IN_ALL_LANGUAGES = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
# 1/2, 3/4, -2/3, 12/5, 3/17 and 13/4 in words.
WORDS = {
    "en": "one half, three quarters, minus two thirds, twelve fifths, 3 over 17, 13 over 4",
    "nl": "een half, drie kwart, min twee derde, twaalf vijfde, 3 gedeeld door 17, "
    "13 gedeeld door 4",
    "es": "un medio, tres cuartos, menos dos tercios, doce quintos, 3 sobre 17, 13 sobre 4",
    "de": "ein halb, drei Viertel, minus zwei Drittel, zwölf Fünftel, 3 durch 17, 13 durch 4",
    "fr": "un demi, trois quarts, moins deux tiers, douze cinquièmes, 3 sur 17, 13 sur 4",
    "zh-Hans": "二分之一, 四分之三, 负三分之二, 五分之十二, 17 分之 3, 4 分之 13",
}


@IN_ALL_LANGUAGES
def test_fraction_is_in_words_of_the_language(language: Language) -> None:
    values = ["1/2", "3/4", "-2/3", "12/5", "3/17", "13/4"]
    words = [number_in_words(Fraction(value), language) for value in values]
    assert ", ".join(words) == WORDS[language.name]


@IN_ALL_LANGUAGES
def test_words_of_all_fractions_differ(language: Language) -> None:
    values = {Fraction(top, bottom) for top in range(-20, 21) for bottom in range(1, 21)}
    words = {number_in_words(value, language) for value in values}
    assert len(words) == len(values)
    assert not any(character in word for word in words for character in "{}/-")
    assert len(language.text("fraction.numerators").split()) == 12


@IN_ALL_LANGUAGES
def test_whole_numbers_are_digits(language: Language) -> None:
    assert number_in_words(24, language) == number_in_words(Fraction(24), language) == "24"
    assert number_in_words(1234, language) == "1234"
    assert number_in_words(-2, language).endswith("2")
    assert number_in_words(10**100, language) == language.text("list.digits", count=101)


def test_language_without_words_has_those_of_english() -> None:
    language = Language("xx", "None")
    vars(language)["texts"] = {}
    assert number_in_words(Fraction(3, 4), language) == number_in_words(Fraction(3, 4), ENGLISH)
