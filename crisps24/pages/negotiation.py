"""Parse the headers `Accept` and `Accept-Language`: values with a quality from 0 to 1."""

import re

from crisps24.messages.languages import first_known_language
from crisps24.messages.message import Language

# Only this many characters of a header are parsed; browsers send fewer.
_MAX_LENGTH = 1_000
_QUALITY = re.compile(r"q=[01](\.[0-9]{0,3})?")


def preferred_language(header: str) -> Language:
    """Return the available language with the highest quality in `Accept-Language`, else English.

    >>> preferred_language("fr-CH, fr;q=0.9, en;q=0.8").name
    'fr'
    >>> preferred_language("de;q=0.3, es;q=0.7").name, preferred_language("it, *;q=0.5").name
    ('es', 'en')
    >>> preferred_language("nl;q=0").name
    'en'
    """
    return first_known_language(name for name, quality in _qualities(header).items() if quality)


def quality_of(media_type: str, header: str) -> float:
    """Return the quality of a media type in `Accept`, from its most specific range; 0 if none.

    >>> quality_of("application/json", "text/html, application/json;q=0.9, */*;q=0.1")
    0.9
    """
    qualities = _qualities(header)
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    return next((qualities[name] for name in ranges if name in qualities), 0.0)


def _qualities(header: str) -> dict[str, float]:
    """Return the names of a header in lower case with their qualities, best first.

    Parts that cannot be parsed are skipped; names with quality 0, which means refused, are kept.
    """
    qualities: dict[str, float] = {}
    for part in header[:_MAX_LENGTH].split(","):
        name, *parameters = (word.strip().lower() for word in part.split(";"))
        factors = [text for text in parameters if text.startswith("q=")]
        if name and all(map(_QUALITY.fullmatch, factors)):
            quality = min([1.0, *(float(factor[2:]) for factor in factors)])
            qualities[name] = max(qualities.get(name, 0.0), quality)
    return dict(sorted(qualities.items(), key=lambda item: -item[1]))
