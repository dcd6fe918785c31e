"""Choosing a language: by its name, or by what a browser says that a person reads."""

import re

from crisps24.errors import RefusedError, quoted
from crisps24.languages.chinese import CHINESE
from crisps24.languages.dutch import DUTCH
from crisps24.languages.english import ENGLISH
from crisps24.languages.french import FRENCH
from crisps24.languages.german import GERMAN
from crisps24.languages.records import Language
from crisps24.languages.spanish import SPANISH

# A maintainer, or a test, may add to it; the first is that of who says nothing.
LANGUAGES: dict[str, Language] = {
    each.name: each for each in (ENGLISH, DUTCH, SPANISH, GERMAN, FRENCH, CHINESE)
}
# A header of more characters is no browser's.
_LONGEST = 1_000
_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?"
)


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


def preferred(accepted: str) -> Language:
    """Return the language that a browser asks for by `Accept-Language`; English for none there is.

    >>> preferred("fr-CH, fr;q=0.9, en;q=0.8").name, preferred("de;q=0.3, es;q=0.7").name
    ('fr', 'es')
    >>> preferred("it, *;q=0.5").name, preferred("nl;q=0").name
    ('en', 'en')

    What cannot be read is left out; nothing is raised.
    """
    best, much = next(iter(LANGUAGES.values())), 0.0
    for part in accepted[:_LONGEST].split(","):
        asked = _RANGE.fullmatch(part)
        found = asked and _known(asked[1])
        quality = min(float(asked[2] or 1), 1.0) if asked else 0.0
        if found and quality > much:
            best, much = found, quality
    return best


def _known(name: str) -> Language | None:
    """Return the language of a name, which may say more than is known: the country, the script."""
    by_name = {each.casefold(): found for each, found in LANGUAGES.items()}
    # Of a language in several scripts one may be all there is.
    by_name = {each.partition("-")[0]: found for each, found in by_name.items()} | by_name
    parts = name[:40].casefold().split("-")
    asked = ("-".join(parts[:many]) for many in range(len(parts), 0, -1))
    return next((by_name[each] for each in asked if each in by_name), None)
