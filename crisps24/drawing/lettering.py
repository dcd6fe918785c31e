"""The width of text in any sans-serif font, and its division into lines.

The font of a drawing is not known, so widths are upper bounds: a table has each character at least
as wide as in Vera, the widest of the common fonts. "24" of size 10 is at most 12.8 wide. Each
function takes time proportional to the length of the text.
"""

import re
import unicodedata
from functools import cache

# Widths of characters, as multiples of the font size.
_NARROW = 0.42
_SMALL = 0.64
_CAPITAL = 0.79
_WIDE = 1.0
_UNKNOWN = 1.35
# Bold characters are wider by this factor.
_BOLD = 1.15
_NARROW_CHARACTERS = frozenset(" \u00a0!'(),-./:;I[]\\fijlt|")
_WIDE_CHARACTERS = frozenset("#%&+<=>@MW^mw~…ÆæĦŉΜωМФЦЪЫжфшщюљњΆΈΉΊΌΎΏ")
# Small letters that are as wide as capitals, and letters that are wider than all others.
_CAPITAL_WIDE_LETTERS = frozenset("ħαπσφψдимнпцъыћџ")
_VERY_WIDE_LETTERS = frozenset("ŒœЉЊЖШЩЮ")
# Latin, Greek and Cyrillic letters, whose widths are known.
_KNOWN = re.compile(r"[!-~À-ÖØ-öø-žΑ-Ωα-ωЀ-џ]")
# A line can be broken at each space but this one.
_NO_BREAK_SPACE = "\u00a0"
_SPACES = re.compile(rf"[^\S{_NO_BREAK_SPACE}]+")
# Chinese can be broken after any character, but not before punctuation that ends a phrase.
_HAN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_UNIT = re.compile(rf"[（《]?[{_HAN}][，。、；：！？）》]*|[^{_HAN}]+[，。、；：！？）》]*")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return the largest width that a text can have, in the unit of its font size."""
    return round(sum(map(_relative_width, text)) * size * (_BOLD if bold else 1), 3)


def is_wide(character: str) -> bool:
    """Return whether a character is a square in every font, as Chinese ones are."""
    return unicodedata.east_asian_width(character) in "WF"


# A line of 20 letters takes 4 us, and 17 without this cache.
@cache
def _relative_width(character: str) -> float:
    """Return the largest width that a character can have, as a multiple of the font size."""
    if is_wide(character):
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]
    if base in _NARROW_CHARACTERS:
        return _NARROW
    if character in _WIDE_CHARACTERS or base in _WIDE_CHARACTERS:
        return _WIDE
    if base in _VERY_WIDE_LETTERS or not _KNOWN.fullmatch(base):
        return _UNKNOWN
    return _CAPITAL if base.isupper() or base in _CAPITAL_WIDE_LETTERS else _SMALL


def wrapped(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    lines = [""]
    for word in _SPACES.split(text.strip()):
        # A Chinese word can be broken after each character, a Latin word only at its end. The parts
        # between such places are joined without a space.
        space = " "
        for unit in _UNIT.findall(word):
            for piece in _pieces(unit, size, width, bold):
                longer_line = f"{lines[-1]}{space}{piece}".lstrip()
                if width_of(longer_line, size, bold=bold) <= width:
                    lines[-1] = longer_line
                else:
                    lines.append(piece)
            space = ""
    return [line.replace(_NO_BREAK_SPACE, " ") for line in lines if line]


def _pieces(word: str, size: float, width: float, bold: bool) -> list[str]:
    pieces = [""]
    for character in word:
        if pieces[-1] and width_of(pieces[-1] + character, size, bold=bold) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def fitting(text: str, size: float, width: float, *, bold: bool = False) -> float:
    """Return the largest font size at which a text is at most `width` wide, but at most `size`."""
    own_width = width_of(text, size, bold=bold)
    return size if own_width <= width else size * width / own_width
