"""Choosing a language: by its name, or the first that there is of several."""

from collections.abc import Iterable

from crisps24.errors import RefusedError, quoted
from crisps24.messages.chinese import CHINESE
from crisps24.messages.dutch import DUTCH
from crisps24.messages.english import ENGLISH
from crisps24.messages.french import FRENCH
from crisps24.messages.german import GERMAN
from crisps24.messages.records import Language
from crisps24.messages.spanish import SPANISH

# A maintainer, or a test, may add to it; the first is that of who says nothing.
LANGUAGES: dict[str, Language] = {
    each.name: each for each in (ENGLISH, DUTCH, SPANISH, GERMAN, FRENCH, CHINESE)
}


def find_language(name: str) -> Language:
    """Return the language of a name, in letters of any size: `nl`, or `nl-BE` where it is known so.

    >>> find_language("nl-BE").own
    'Nederlands'

    Raises ValueError for another name, listing those there are.
    """
    found = _known(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(f"{each.name} ({each.own})" for each in LANGUAGES.values())
        raise RefusedError(f"there is no language {quoted(name)}; the languages are {known}")
    return found


def preferred(names: Iterable[str]) -> Language:
    """Return the first language that there is of some names; English where there is none of them.

    >>> preferred(["it", "es-MX", "nl"]).name, preferred([]).name
    ('es', 'en')
    """
    found = (_known(name) for name in names)
    return next(filter(None, found), next(iter(LANGUAGES.values())))


def _known(name: str) -> Language | None:
    """Return the language of a name, which may say more than is known: the country, the script."""
    by_name = {each.casefold(): found for each, found in LANGUAGES.items()}
    # Of a language in several scripts one may be all there is.
    by_name = {each.partition("-")[0]: found for each, found in by_name.items()} | by_name
    parts = name[:40].casefold().split("-")
    asked = ("-".join(parts[:many]) for many in range(len(parts), 0, -1))
    return next((by_name[each] for each in asked if each in by_name), None)
