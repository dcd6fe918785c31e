"""Negotiation: what a header such as `Accept` or `Accept-Language` says is wanted, and how much."""

import re

from crisps24.messages.languages import preferred
from crisps24.messages.message import Language

# A header of more characters is no browser's.
_LONGEST = 1_000
_QUALITY = re.compile(r"q=[01](\.[0-9]{0,3})?")


def reader_of(header: str) -> Language:
    """Return the language that a browser asks for by `Accept-Language`; English for none there is.

    >>> reader_of("fr-CH, fr;q=0.9, en;q=0.8").name, reader_of("de;q=0.3, es;q=0.7").name
    ('fr', 'es')
    >>> reader_of("it, *;q=0.5").name, reader_of("nl;q=0").name
    ('en', 'en')
    """
    return preferred(name for name, quality in _qualities(header).items() if quality)


def liking(kind: str, header: str) -> float:
    """Return how much a kind of answer is liked by `Accept`: by the most particular range it is in.

    >>> liking("application/json", "text/html, application/json;q=0.9, */*;q=0.1")
    0.9
    """
    found = _qualities(header)
    ranges = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    return next((found[name] for name in ranges if name in found), 0.0)


def _qualities(header: str) -> dict[str, float]:
    """Return the readable names of a header in lower case, with qualities, best first."""
    found: dict[str, float] = {}
    for part in header[:_LONGEST].split(","):
        name, *words = (word.strip().lower() for word in part.split(";"))
        told = [word for word in words if word.startswith("q=")]
        if name and all(map(_QUALITY.fullmatch, told)):
            quality = min([1.0, *(float(word[2:]) for word in told)])
            found[name] = max(found.get(name, 0.0), quality)
    return dict(sorted(found.items(), key=lambda each: -each[1]))
