"""The languages, and how one is found by name or from a list of preferred names."""

from collections.abc import Iterable

from crisps24.messages.chinese import CHINESE
from crisps24.messages.dutch import DUTCH
from crisps24.messages.english import ENGLISH
from crisps24.messages.french import FRENCH
from crisps24.messages.german import GERMAN
from crisps24.messages.records import Language
from crisps24.messages.spanish import SPANISH

# The first is the default. Tests add languages of their own.
LANGUAGES: dict[str, Language] = {
    each.name: each for each in (ENGLISH, DUTCH, SPANISH, GERMAN, FRENCH, CHINESE)
}


def find_language(name: str) -> Language | None:
    """Return a language by its tag, such as `nl` or `nl-BE`, in any case; None if it is unknown.

    >>> language = find_language("NL-be")
    >>> language and language.own
    'Nederlands'
    """
    by_name = {tag.casefold(): language for tag, language in LANGUAGES.items()}
    # A language with several scripts is also found without its script.
    by_name = {tag.partition("-")[0]: language for tag, language in by_name.items()} | by_name
    parts = name[:40].casefold().split("-")
    prefixes = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((by_name[prefix] for prefix in prefixes if prefix in by_name), None)


def preferred(names: Iterable[str]) -> Language:
    """Return the first known language of several names, or English.

    >>> preferred(["it", "es-MX", "nl"]).name, preferred([]).name
    ('es', 'en')
    """
    languages = map(find_language, names)
    return next(filter(None, languages), next(iter(LANGUAGES.values())))
