"""Lettering: the width of text in any sans-serif font, and its lines.

The font of a drawing is not known, so nothing is measured: each character is taken to be at least
as wide as in Vera, the widest of the common fonts.
"""

import re
import unicodedata
from functools import cache

# Parts of the size of the font; in bold letters all are wider.
_NARROW, _SMALL, _CAPITAL, _WIDE, _UNKNOWN = 0.42, 0.64, 0.79, 1.0, 1.35
_BOLD = 1.15
_NARROW_ONES = frozenset(" \u00a0!'(),-./:;I[]\\fijlt|")
_WIDE_ONES = frozenset("#%&+<=>@MW^mw~…ÆæĦŉΜωМФЦЪЫжфшщюљњΆΈΉΊΌΎΏ")
# Small letters that are as wide as capitals, and letters that are wider than all of these.
_CAPITAL_ONES = frozenset("ħαπσφψдимнпцъыћџ")
_UNKNOWN_ONES = frozenset("ŒœЉЊЖШЩЮ")
# Letters that are known: of Latin, Greek and Cyrillic alphabets.
_KNOWN = re.compile(r"[!-~À-ÖØ-öø-žΑ-Ωα-ωЀ-џ]")
# Spaces at which a line may be broken: all but one.
_KEPT = "\u00a0"
_SPACES = re.compile(rf"[^\S{_KEPT}]+")
# Chinese may be broken after any character, but not before what ends a phrase.
_HAN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_UNIT = re.compile(rf"[（《]?[{_HAN}][，。、；：！？）》]*|[^{_HAN}]+[，。、；：！？）》]*")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text of a size may be, in the unit of the size: never less than it is.

    >>> width_of("24", 10)
    12.8
    """
    return round(sum(map(_wide, text)) * size * (_BOLD if bold else 1), 3)


@cache
def _wide(character: str) -> float:
    """Return the width of a character; of letters with an accent, that of the letter."""
    if unicodedata.east_asian_width(character) in "WF":
        # Those of Chinese are squares in every font.
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]
    if base in _NARROW_ONES:
        return _NARROW
    if character in _WIDE_ONES or base in _WIDE_ONES:
        return _WIDE
    if base in _UNKNOWN_ONES or not _KNOWN.fullmatch(base):
        return _UNKNOWN
    return _CAPITAL if base.isupper() or base in _CAPITAL_ONES else _SMALL


def wrapped(text: str, size: float, width: float, *, bold: bool = False) -> list[str]:
    """Return a text in lines that are no wider than `width`, broken at spaces where it has them.

    What no-break spaces hold together stays together, and they are spaces then.

    >>> wrapped("numbers for the whole class", 5, 60)
    ['numbers for the', 'whole class']
    """
    lines = [""]
    for word in _SPACES.split(text.strip()):
        space = " "
        for unit in _UNIT.findall(word):
            for piece in _pieces(unit, size, width, bold):
                longer = f"{lines[-1]}{space}{piece}".lstrip()
                if width_of(longer, size, bold=bold) <= width:
                    lines[-1] = longer
                else:
                    lines.append(piece)
            space = ""
    return [line.replace(_KEPT, " ") for line in lines if line]


def _pieces(word: str, size: float, width: float, bold: bool) -> list[str]:
    """Return a word in pieces that fit into a line, of a character at least."""
    pieces = [""]
    for character in word:
        if pieces[-1] and width_of(pieces[-1] + character, size, bold=bold) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def fitting(text: str, size: float, width: float, *, bold: bool = False) -> float:
    """Return the largest size up to `size` at which a text is no wider than `width`.

    >>> fitting("24", 10, 64), fitting("1000", 10, 16)
    (10, 6.25)
    """
    own_width = width_of(text, size, bold=bold)
    return size if own_width <= width else size * width / own_width
