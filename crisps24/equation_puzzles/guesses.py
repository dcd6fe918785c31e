"""Guesses at an equation: what one is told, which equations are left after some, which is best.

Of a guess each character is marked: `g` where it stands in its place, `y` where the equation has
it elsewhere, `b` where it has no more of it. One that a guess has more often than the equation is
marked as often as that has it: first those in their places, then others from the left.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from crisps24.rules.work import check_work_limit, too_many_pairs

# What marks are as digits, the first character the highest: black, yellow and green.
MARKS = "byg"


class Guess(NamedTuple):
    """The best guess at some equations, and what is left after it."""

    text: str
    expected: Fraction
    """How many equations are left after it, on average; it is one of them where it is right."""
    worst: int
    """How many, at most."""


# The first guesses of the usual records, by their length and game, with the sums of squares that
# they are best by: what `crisps24 equations --length 8 --best --work none` finds, and so on.
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
    """Equations of which one is to be found, a row of places in `Equation.symbols` each."""

    codes: Ints
    equation: Equation

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def _columns(self) -> Ints:
        return np.ascontiguousarray(self.codes.T)

    @cached_property
    def _counts(self) -> Ints:
        """How often each symbol is in each equation."""
        symbols = range(len(self.equation.symbols))
        return np.array([(self._columns == code).sum(0, dtype=np.uint8) for code in symbols])

    @property
    def texts(self) -> list[str]:
        """The equations as players type them."""
        return format_equations(self.codes, self.equation)

    def select(self, rows: Ints) -> "Candidates":
        """Return some of them, as a mask has them."""
        return Candidates(self.codes[rows], self.equation)

    def marks(self, guess: Sequence[int]) -> Ints:
        """Return what a guess is told by each equation, as a number of digits to the base of 3."""
        found = np.zeros(len(self), np.uint16)
        green = self._columns == np.array(guess, np.uint8)[:, None]
        left = {code: self._counts[code] for code in guess}
        for code in left:
            places = [place for place, each in enumerate(guess) if each == code]
            rest = self._counts[code] - green[places].sum(0, dtype=np.uint8)
            for place in places:
                weight = 3 ** (len(guess) - 1 - place)
                yellow = ~green[place] & (rest > 0)
                found += green[place] * np.uint16(2 * weight) + yellow * np.uint16(weight)
                if len(places) > 1:
                    rest = rest - yellow
        return found

    def matching(self, guess: Sequence[int], marks: str) -> "Candidates":
        """Return those that would have marked a guess so."""
        wanted = 0
        for mark in marks:
            wanted = 3 * wanted + MARKS.index(mark)
        return self.select(self.marks(guess) == wanted)


def read_marks(text: str, equation: Equation) -> str:
    """Return the marks of a guess, `g`, `y` and `b`, a character each.

    >>> read_marks("GYybb", Equation(5))
    'gyybb'

    Raises ValueError for other marks, and for more or fewer than there are characters.
    """
    marks = "".join(text.lower().split())
    if not set(marks) <= set(MARKS):
        strange = next(mark for mark in marks if mark not in MARKS)
        raise RefusedError(f"{quoted(strange)} is no mark: g, y and b are, green, yellow, black")
    if len(marks) != equation.length:
        told = f"{quoted(text)} has {len(marks)} marks"
        raise RefusedError(f"{told}, and these equations have {equation.length} characters")
    return marks


def marks_for(guess: Sequence[int], code: Sequence[int], equation: Equation) -> str:
    """Return how one equation marks a guess.

    >>> from crisps24.equation_puzzles.reading import read_equation
    >>> equation = Equation(5)
    >>> marks_for(*(read_equation(text, equation) for text in ("3+3=6", "2+1=3")), equation)
    'ygbgb'
    """
    [found] = Candidates(np.array([code], np.uint8), equation).marks(guess).tolist()
    return "".join(MARKS[found // 3**after % 3] for after in reversed(range(len(guess))))


def remaining_equations(
    equation: Equation,
    guesses: Sequence[tuple[str, str]] = (),
    *,
    known: str = "",
    having: str = "",
    lacking: str = "",
) -> Candidates:
    """Return the equations that are left after guesses and their marks.

    `known` is a pattern, in which `_` is a place of which nothing is known; those left have the
    characters of `having`, as often as they are there, and none of `lacking`.

    >>> remaining_equations(Equation(5), [("1+2=3", "bgbgy")], known="_+3=_").texts
    ['3+3=6', '4+3=7', '5+3=8', '6+3=9']

    Raises ValueError, in one sentence, for what cannot be read as such.
    """
    asked = [
        (_given(read_line(guess, equation)), read_marks(marks, equation))
        for guess, marks in guesses
    ]
    pattern = read_line(known, equation, pattern=True) if known else ()
    wanted, without = (_given(read_symbols(text, equation)) for text in (having, lacking))
    left = Candidates(symbol_codes(equation_keys(equation), equation), equation)
    for place, code in enumerate(pattern):
        if code is not None:
            left = left.select(left.codes[:, place] == code)
    for code, times in Counter(wanted).items():
        left = left.select((left.codes == code).sum(1) >= times)
    for code in without:
        left = left.select((left.codes != code).all(1))
    for guess, marks in asked:
        left = left.matching(guess, marks)
    return left


def _given(symbols: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(code for code in symbols if code is not None)


def best_guess(
    left: Candidates,
    *,
    work: int | None = MAX_GUESS_PAIRS,
    progress: Callable[[int], object] | None = None,
) -> Guess:
    """Return the equation of those left after which the fewest are left, on average.

    Of two that are as good the one after which fewer are left at worst, then the first. The first
    guess of the usual records is known. `work` is how many pairs of a guess and an equation may be
    looked at, None for any; `progress` is called with the number just looked at.

    >>> best_guess(remaining_equations(Equation(5)))
    Guess(text='4-1=3', expected=Fraction(1149, 127), worst=19)

    Raises ValueError where none is left, and for more work than is allowed.
    """
    equation, many = left.equation, len(left)
    if not many:
        raise RefusedError("no equation is left: see whether the marks are right")
    name = equation.game.name
    stored = OPENINGS.get((equation.length, name))
    # Of the record as it is, and of all its equations.
    usual = stored and equation == Equation(equation.length, game=find_game(name))
    if stored and usual and work is not None and many == len(equation_keys(equation)):
        text, squares, worst = stored
        return Guess(text, Fraction(squares, many), worst)
    check_work_limit(work)
    if work is not None and many**2 > work:
        fits = f"{isqrt(max(int(work), 1)):,} equations"
        doing = f"finding the best of {many:,} guesses"
        raise too_many_pairs(doing, many**2, work, fits)
    best = (many**2 + 1, 0, 0)
    for place, guess in enumerate(left.codes.tolist()):
        sizes = np.bincount(left.marks(guess))
        best = min(best, (int(sizes @ sizes), int(sizes.max()), place))
        if progress is not None:
            progress(many)
    squares, worst, found = best
    [text] = left.select(np.array([found])).texts
    return Guess(text, Fraction(squares, many), worst)
