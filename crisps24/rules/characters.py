"""Characters: which ones a reader of formulas treats alike, and which are escaped."""

import re
import unicodedata

# Not printable to Python: control characters, marks of direction, halves of pairs, and more.
# Of these, spaces of any width are harmless.
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
_SPACE = dict.fromkeys(map(ord, _SPACES), " ")
# As wide as a Chinese character, U+FF01 to U+FF5E, and spaces, to what they are on other keyboards.
_PLAIN = _SPACE | {ord("!") + shift + 0xFEE0: chr(ord("!") + shift) for shift in range(94)}
_ALIKE = bytes.maketrans(b"23456789", b"11111111")

# What people put between the numbers of a hand.
_BETWEEN_NUMBERS = re.compile(r"[\s,;、]+")


def normalise(text: str) -> str:
    """Return a text with wide characters and spaces as on other keyboards, place by place.

    >>> normalise("（３＋５）×8")
    '(3+5)×8'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def mask_digits(text: str) -> str:
    """Return a text with a 1 for every digit but 0, place by place.

    >>> mask_digits("30 × 8 = 240")
    '10 × 1 = 110'
    """
    return text.encode(errors="surrogatepass").translate(_ALIKE).decode(errors="surrogatepass")


def compose_accents(text: str) -> str:
    r"""Return a text with accents on their letters, from which macOS parts them, and plain spaces.

    >>> compose_accents("Pour l\u2019e\u0301te\u0301\u00a0!")
    'Pour l’été !'
    """
    return unicodedata.normalize("NFC", text).translate(_SPACE)


def split_words(text: str) -> list[str]:
    """Return the words of a list that somebody typed: apart by spaces, commas or semicolons.

    >>> split_words("4,3  8，4、10")
    ['4', '3', '8', '4', '10']
    """
    return [word for word in _BETWEEN_NUMBERS.split(normalise(text)) if word]


def escape_unprintable(text: str) -> str:
    r"""Return a text as it may be shown on a terminal: what would not be seen is written out.

    >>> print(escape_unprintable("a\x1b[2Jb\u202ec\td"))
    a\x1b[2Jb\u202ec\td
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in _SPACES else each.encode("unicode_escape").decode()
        for each in text
    )


def escape_json(text: str) -> str:
    r"""Return JSON in which all that would not be seen is escaped; its lines stay lines.

    >>> print(escape_json('"\u202e"'))
    "\u202e"
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each == "\n" else _in_json(each) for each in text)


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(rf"\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
