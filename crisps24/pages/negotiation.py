"""Parse the headers `Accept` and `Accept-Language`: values with a quality from 0 to 1."""

import re

from crisps24.messages.languages import first_known_language
from crisps24.messages.message import Language

# Only this many characters of a header are parsed; browsers send fewer.
_MAX_LENGTH = 1_000
_QUALITY = re.compile(r"q=[01](\.[0-9]{0,3})?")


def preferred_language(header: str) -> Language:
    """Return the language that a reader prefers, from the header `Accept-Language` of a request."""
    return first_known_language(name for name, quality in _qualities(header).items() if quality)


def quality_of(media_type: str, header: str) -> float:
    """Return how much a client prefers a media type, from 0 to 1, by the header `Accept`."""
    qualities = _qualities(header)
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    return next((qualities[name] for name in ranges if name in qualities), 0.0)


def _qualities(header: str) -> dict[str, float]:
    """Return the names in a header with their qualities, in lower case, highest quality first."""
    qualities: dict[str, float] = {}
    for part in header[:_MAX_LENGTH].split(","):
        name, *parameters = (text.strip().lower() for text in part.split(";"))
        quality_texts = [text for text in parameters if text.startswith("q=")]
        if name and all(map(_QUALITY.fullmatch, quality_texts)):
            quality = min([1.0, *(float(text.removeprefix("q=")) for text in quality_texts)])
            qualities[name] = max(qualities.get(name, 0.0), quality)
    return dict(sorted(qualities.items(), key=lambda item: -item[1]))
