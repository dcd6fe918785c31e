"""Numbers and lines of text in which fractions are stacked: a hand, or a formula of a key.

A fraction is 3/4 as a word of its own, or in parentheses in a formula. Lines without a fraction are
drawn as one text.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from crisps24.drawing.drawings import PART_BEFORE_ANCHOR, Anchor, StackedFraction, Text
from crisps24.drawing.lettering import fitting, width_of
from crisps24.messages.message import ENGLISH, Language
from crisps24.messages.numbers import number_in_words

NumberShape = Text | StackedFraction
_NUMBER = re.compile(r"([-−]?)(\d+)/(\d+)")
# A fraction in a line. The parentheses around a fraction are not needed if it is stacked, but they
# stay before another sign, such as in (3/4)^2.
_IN_LINE = re.compile(
    r"(?<![^\s(])\((?P<inner>\d+/\d+)\)(?![^\s),:;。，、；])"
    r"|(?<![\w/.,])(?P<bare>(?:(?<![^\s(])[-−])?\d+/\d+)(?![\w/]|[.,]\d)"
)
# The letters of words; a single letter can be a sign.
_LETTERS = re.compile(r"[^\W\d_]{2}|[\u2e80-\u9fff]")
_NUMBER_WORD = re.compile(r"[-−]?\d+(?:/\d+)?")
# Widths in sizes of the font: of a space, of a space between numbers, and beside a fraction.
_SPACE = 0.3
_NUMBER_SPACE = 0.55
_SIDE = 0.04
# The size of a fraction in a line, in sizes of the font, so that small letters stay legible.
_FRACTION_SIZE = 1.12
# Widths of signs. `width_of` has larger ones for signs that are not in every font.
_SIGN_WIDTHS = dict.fromkeys("+-−×÷*=x", 0.84) | {"·": 0.4}


def number_shape(
    text: str,
    x: float,
    y: float,
    size: float,
    anchor: Anchor = "start",
    *,
    bold: bool = False,
    turn: float = 0,
) -> NumberShape:
    """Return the shape of a number: a stacked fraction for a text such as 3/4, else a text."""
    fraction = _NUMBER.fullmatch(text)
    if fraction is None:
        return Text(x, y, text, size, anchor, bold, turn)
    sign, numerator, denominator = fraction.groups()
    return StackedFraction(x, y, numerator, denominator, size, anchor, bold, turn, minus=sign != "")


def fitting_number(
    text: str, size: float, width: float, fraction: tuple[float, float], *, bold: bool = False
) -> float:
    """Return the largest size at which a number is at most `width` wide, but at most `size`.

    `fraction` has both limits for a fraction.
    """
    shape = number_shape(text, 0, 0, 1, bold=bold)
    if isinstance(shape, Text):
        return fitting(text, size, width, bold=bold)
    fraction_size, fraction_width = fraction
    return min(fraction_size, fraction_width / shape.width)


class _Piece(NamedTuple):
    """A part of a line: a shape at x = 0, and its place in the line."""

    shape: NumberShape
    x: float
    """The start of its place."""
    width: float


def line_width(text: str, size: float) -> float:
    """Return the width of a line of text in which fractions are stacked."""
    if not _IN_LINE.search(text):
        return width_of(text, size)
    *_, (_, x, width) = _pieces(text, size)
    return x + width


def line_shapes(
    text: str, x: float, y: float, size: float, anchor: Anchor = "start"
) -> list[NumberShape]:
    """Return the shapes of a line of text in which fractions are stacked."""
    if not _IN_LINE.search(text):
        return [Text(x, y, text, size, anchor)]
    start = x - line_width(text, size) * PART_BEFORE_ANCHOR[anchor]
    return [
        moved(shape, start + place + width * PART_BEFORE_ANCHOR[shape.anchor], y)
        for shape, place, width in _pieces(text, size)
    ]


def moved(shape: NumberShape, x: float, y: float) -> NumberShape:
    return replace(shape, x=shape.x + x, y=shape.y + y)


def line_in_words(text: str, language: Language = ENGLISH) -> str:
    """Return a line of text with its fractions in words, for screen readers."""

    def in_words(match: re.Match[str]) -> str:
        number = match["inner"] or match["bare"].replace("−", "-")
        return number_in_words(Fraction(number), language)

    return _IN_LINE.sub(in_words, text)


def _pieces(text: str, size: float) -> Iterator[_Piece]:
    """Yield the parts of a line, from left to right, with the bars of fractions at y = 0."""
    x, was_number = 0.0, False
    for index, word in enumerate(_words(text)):
        is_number = _NUMBER_WORD.fullmatch(word) is not None
        if index:
            x += (_NUMBER_SPACE if was_number and is_number else _SPACE) * size
        was_number = is_number
        for piece in _word_pieces(word, size):
            yield piece._replace(x=x)
            x += piece.width


def _word_pieces(word: str, size: float) -> Iterator[_Piece]:
    """Yield the parts of a word, each with x = 0: fractions, and the texts around them."""
    start = 0
    for match in _IN_LINE.finditer(word):
        if match.start() > start:
            yield _text_piece(word[start : match.start()], size, "end")
        fraction_size = _FRACTION_SIZE * size
        shape = number_shape(match["inner"] or match["bare"], 0, 0, fraction_size, "middle")
        width = shape.width if isinstance(shape, StackedFraction) else 0
        yield _Piece(shape, 0, width + 2 * _SIDE * size)
        start = match.end()
    if start < len(word):
        # Words are at the start of their place, and numbers and signs are in the middle.
        is_middle = not start and not _LETTERS.search(word)
        yield _text_piece(word[start:], size, "middle" if is_middle else "start")


def _text_piece(text: str, size: float, anchor: Anchor) -> _Piece:
    width = _SIGN_WIDTHS[text] * size if text in _SIGN_WIDTHS else width_of(text, size)
    return _Piece(Text(0, 0, text, size, anchor), 0, width)


def _words(text: str) -> list[str]:
    """Split a line at spaces, but not between words of a language."""
    words: list[str] = []
    for word in text.split():
        if words and _LETTERS.search(word) and _LETTERS.search(words[-1]):
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words
