"""Languages: every table says everything, in its own plurals and numbers, and one is found."""

import pytest

from crisps24.languages.choosing import LANGUAGES, find_language, preferred
from crisps24.languages.english import ENGLISH
from crisps24.languages.records import Language, Words

SECTIONS = ("pages", "sheets", "rounds")
EACH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))


def forms(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else words


@EACH
@pytest.mark.parametrize("section", SECTIONS)
def test_no_word_is_missing_and_none_is_left_over(language: Language, section: str) -> None:
    assert getattr(language, section).keys() == getattr(ENGLISH, section).keys()
    for name, words in getattr(language, section).items():
        assert all(each.strip() for each in forms(words)) or name == "space"


@pytest.mark.parametrize("accepted", ["", ";", "it", "*", "\x00", "q=1", ",,,", "e" * 10_000])
def test_what_names_no_language_there_is_gets_english(accepted: str) -> None:
    assert preferred(accepted) is ENGLISH


def test_another_language_is_refused_and_those_there_are_told() -> None:
    with pytest.raises(ValueError, match=r"there is no language 'xx'; the languages are en"):
        find_language("xx")
