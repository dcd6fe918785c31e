"""Guesses at an equation: their marks, the remaining equations, and the best next guess.

Each character of a guess is marked: `g` (green) if it is in its place, `y` (yellow) if the equation
has it in another place, else `b` (black). A character that the guess has more often than the
equation is marked as often as the equation has it: greens first, then yellows from the left. For
the equation 2+1=3, the guess 3+3=6 is marked ygbgb: the second 3 is black.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import NamedTuple

import numpy as np

from crisps24.equation_puzzles.reading import read_line, read_symbols
from crisps24.equation_puzzles.records import MAX_GUESS_PAIRS, Equation
from crisps24.equation_puzzles.search import equation_keys, format_equations, symbol_codes
from crisps24.errors import RefusedError, quoted
from crisps24.rules.games import find_game
from crisps24.rules.ratios import Ints
from crisps24.rules.widths import sum_by_index
from crisps24.rules.work import check_work_limit, too_many_pairs

# The marks in the order of their values as digits to base 3: black, yellow, green.
MARKS = "byg"


class Guess(NamedTuple):
    """A guess, and the number of equations that remain after its marks."""

    text: str
    expected: Fraction
    """The mean number of remaining equations; a right guess counts as one."""
    worst: int
    """The largest number of remaining equations."""


# The best first guesses of standard records, by length and game: the text, the sum of the squares
# of the numbers of remaining equations, and the largest of these numbers. Computed by
# `crisps24 equations --length 8 --best --work none`, and for other lengths and games.
OPENINGS = {
    (5, "free"): ("4-1=3", 1149, 19),
    (5, "crisps"): ("4-1=3", 1149, 19),
    (6, "free"): ("28/7=4", 970, 12),
    (6, "crisps"): ("28/7=4", 970, 12),
    (7, "free"): ("6+18=24", 227_597, 134),
    (7, "crisps"): ("6+18=24", 208_291, 126),
    (8, "free"): ("48-32=16", 551_363, 111),
    (8, "crisps"): ("48-32=16", 506_364, 110),
    (9, "free"): ("6+37-41=2", 53_385_640, 821),
}


@dataclass(frozen=True, eq=False)
class Candidates:
    """Equations, each a row of `codes`: indices in `Equation.symbols`, as uint8."""

    codes: Ints
    equation: Equation

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def _columns(self) -> Ints:
        return np.ascontiguousarray(self.codes.T)

    @cached_property
    def _counts(self) -> Ints:
        """The number of times that each symbol is in each equation: symbols by equations."""
        symbols = range(len(self.equation.symbols))
        return np.array([(self._columns == code).sum(0) for code in symbols], np.uint8)

    @property
    def texts(self) -> list[str]:
        """The equations as players type them, such as `48-32=16`."""
        return format_equations(self.codes, self.equation)

    def select(self, rows: Ints) -> "Candidates":
        """Return some of these equations; `rows` is a mask, or the indices of the equations."""
        return Candidates(self.codes[rows], self.equation)

    def marks(self, guess: Sequence[int]) -> Ints:
        """Return the marks that a guess gets from each of these equations, as uint16 numbers."""
        marks = np.zeros(len(self), np.uint16)
        green = self._columns == np.array(guess, np.uint8)[:, None]
        for code in dict.fromkeys(guess):
            places = [place for place, symbol in enumerate(guess) if symbol == code]
            # The number of this character in each equation that is not green, so can be yellow.
            unmarked = self._counts[code] - green[places].sum(0, dtype=np.uint8)
            for place in places:
                weight = 3 ** (len(guess) - 1 - place)
                yellow = ~green[place] & (unmarked > 0)
                marks += green[place] * np.uint16(2 * weight) + yellow * np.uint16(weight)
                if len(places) > 1:
                    unmarked = unmarked - yellow
        return marks

    def matching(self, guess: Sequence[int], marks: str) -> "Candidates":
        """Return the equations for which a guess gets the given marks, such as `gyybb`."""
        value = 0
        for mark in marks:
            value = 3 * value + MARKS.index(mark)
        return self.select(self.marks(guess) == value)


def read_marks(text: str, equation: Equation) -> str:
    """Return the marks of a guess in lower case, without spaces."""
    marks = "".join(text.lower().split())
    if not set(marks) <= set(MARKS):
        mark = next(mark for mark in marks if mark not in MARKS)
        expected = "(expected g, y or b: green, yellow, black)"
        raise RefusedError(f"invalid mark {quoted(mark)} {expected}")
    if len(marks) != equation.length:
        count = f"{quoted(text)} has {len(marks)} marks"
        raise RefusedError(f"{count}, and these equations have {equation.length} characters")
    return marks


def marks_for(guess: Sequence[int], code: Sequence[int], equation: Equation) -> str:
    """Return the marks of a guess for one equation: a letter for each character of the guess."""
    [marks] = Candidates(np.array([code], np.uint8), equation).marks(guess).tolist()
    # The marks are digits to base 3, the first character the highest.
    return "".join(MARKS[marks // 3**place % 3] for place in reversed(range(len(guess))))


def remaining_equations(
    equation: Equation,
    guesses: Sequence[tuple[str, str]] = (),
    *,
    known: str = "",
    having: str = "",
    lacking: str = "",
) -> Candidates:
    """Return the equations that agree with all guesses and hints, in the order of all equations.

    >>> remaining_equations(Equation(5), [("1+2=3", "bgbgy")], known="_+3=_").texts
    ['3+3=6', '4+3=7', '5+3=8', '6+3=9']
    """
    marked = [
        (_known(read_line(guess, equation)), read_marks(marks, equation))
        for guess, marks in guesses
    ]
    pattern = read_line(known, equation, pattern=True) if known else ()
    present, absent = (_known(read_symbols(text, equation)) for text in (having, lacking))
    remaining = Candidates(symbol_codes(equation_keys(equation), equation), equation)
    for place, code in enumerate(pattern):
        if code is not None:
            remaining = remaining.select(remaining.codes[:, place] == code)
    for code, times in Counter(present).items():
        remaining = remaining.select((remaining.codes == code).sum(1) >= times)
    for code in absent:
        remaining = remaining.select((remaining.codes != code).all(1))
    for guess, marks in marked:
        remaining = remaining.matching(guess, marks)
    return remaining


def _known(symbols: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(code for code in symbols if code is not None)


def best_guess(
    left: Candidates,
    *,
    work: int | None = MAX_GUESS_PAIRS,
    progress: Callable[[int], object] | None = None,
) -> Guess:
    """Return the candidate after which the fewest candidates remain on average."""
    equation, count = left.equation, len(left)
    if not count:
        raise RefusedError("no equation is left: check the marks")
    # A stored guess is only the best of all equations of a record with the default rules.
    if work is not None and count == len(equation_keys(equation)):
        for (length, name), (text, squares, worst) in OPENINGS.items():
            renamed = replace(equation, game=replace(equation.game, name=name))
            if renamed == Equation(length, game=find_game(name)):
                return Guess(text, Fraction(squares, count), worst)
    check_work_limit(work)
    if work is not None and count**2 > work:
        fits = f"{isqrt(max(int(work), 1)):,} equations"
        search = f"finding the best of {count:,} guesses"
        raise too_many_pairs(search, count**2, work, fits)
    # The mean number of remaining equations is the sum of squares of the group sizes, over `count`:
    # equations with equal marks for a guess are a group, and only one group remains.
    # For each guess: this sum, the size of the largest group, and the row. The smallest is best.
    best = (count**2 + 1, 0, 0)
    for row, guess in enumerate(left.codes.tolist()):
        group_sizes = sum_by_index(left.marks(guess))
        best = min(best, (int(group_sizes @ group_sizes), int(group_sizes.max()), row))
        if progress is not None:
            progress(count)
    squares, worst, row = best
    [text] = left.select(np.array([row], np.int64)).texts
    return Guess(text, Fraction(squares, count), worst)
