"""Normalise typed characters to one spelling, and escape characters that cannot be seen.

People type `（３＋５）×8` on a Chinese keyboard and paste spaces of every width. `normalise` maps
such variants to ASCII, one character for one, so columns of the result are columns of the text.
Each function takes time proportional to the length of the text.
"""

import re
import unicodedata

# Spaces that `str.isprintable` rejects, like control characters, direction marks and lone
# surrogates. Unlike those, they are harmless.
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
_SPACE_TO_ASCII = dict.fromkeys(map(ord, _SPACES), " ")
# Full-width forms (U+FF01 to U+FF5E) are the printable ASCII characters, shifted by 0xFEE0.
_TO_ASCII = _SPACE_TO_ASCII | {
    ord("!") + shift + 0xFEE0: chr(ord("!") + shift) for shift in range(94)
}
_DIGITS_TO_ONE = bytes.maketrans(b"23456789", b"11111111")

# Rare ends of lines (see `str.splitlines`) separate lists, and no numbers of one.
_NUMBER_SEPARATORS = re.compile(r"(?:[,;、]|(?![\v\f\x1c-\x1e\x85\u2028\u2029])\s)+")


def normalise(text: str) -> str:
    """Return a text of the same length with full-width characters and all spaces as ASCII."""
    return text if text.isascii() else text.translate(_TO_ASCII)


def mask_digits(text: str) -> str:
    """Return a text of the same length with a 1 for each of the digits 2 to 9."""
    return (
        text.encode(errors="surrogatepass").translate(_DIGITS_TO_ONE).decode(errors="surrogatepass")
    )


def compose_accents(text: str) -> str:
    """Return a text in Unicode NFC, with all spaces as ASCII: macOS has é as two characters."""
    return unicodedata.normalize("NFC", text).translate(_SPACE_TO_ASCII)


def split_words(text: str) -> list[str]:
    """Return the normalised words of a typed list, separated by spaces, commas or semicolons."""
    return [word for word in _NUMBER_SEPARATORS.split(normalise(text.strip())) if word]


def escape_unprintable(text: str) -> str:
    """Return a text with characters that could control a terminal written as in Python strings."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or character in _SPACES
        else character.encode("unicode_escape").decode()
        for character in text
    )


def escape_json(text: str) -> str:
    """Return a JSON text with unprintable characters, except line feeds, as JSON escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\n" else _json_escape(character)
        for character in text
    )


def _json_escape(character: str) -> str:
    """Return a character as JSON escapes, one for each UTF-16 code unit."""
    encoded = character.encode("utf-16-be", "surrogatepass")
    return "".join(rf"\u{encoded[i]:02x}{encoded[i + 1]:02x}" for i in range(0, len(encoded), 2))
