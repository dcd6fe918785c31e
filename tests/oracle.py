"""The slow, obvious program: look at every formula of a game, work it out, sort by value.

It is the specification that the tables are held to, and shares no code with them: a formula is
split into its terms by hand, and every value is a `Fraction`.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product

from hypothesis import strategies as st

from crisps24 import GAMES, Game

Row = tuple[tuple[int, ...], tuple[str, ...]]


def rows(game: Game) -> Iterator[Row]:
    """Yield every row of a game in file order: by numbers, then by operators as in `-+x:`."""
    for numbers in product(sorted(set(game.numbers)), repeat=game.length):
        for operators in product("-+x:", repeat=game.length - 1):
            yield numbers, operators


def value_of(numbers: tuple[int, ...], operators: tuple[str, ...], game: Game) -> Fraction | None:
    """Return what a row makes, or None where it is illegal."""
    first, *others = map(Fraction, numbers)
    terms = [("+", first)]
    for operator, number in zip(operators, others, strict=True):
        sign, term = terms[-1]
        if operator in "-+":
            terms.append((operator, number))
        elif operator == "x":
            terms[-1] = (sign, term * number)
        elif number == 0 or (not game.fractions and (term / number).denominator != 1):
            return None
        else:
            terms[-1] = (sign, term / number)
    shape = [operator in "+-" for operator in operators]
    if game.grouping == "tail" and shape == [True, False, True]:
        # The original's slip: it takes a + (b x c - d) for a + b x c - d.
        [a, (op1, product_), (op3, d)] = terms
        tail = product_ + (d if op3 == "+" else -d)
        if tail < 0 and not game.negatives:
            return None
        terms = [a, (op1, tail)]
    total = Fraction(0)
    for sign, term in terms:
        total += term if sign == "+" else -term
        if min(total, term) < 0 and not game.negatives:
            return None
    return total


@lru_cache(maxsize=4)
def solutions(game: Game) -> dict[Fraction, list[Row]]:
    """Return every target that a game reaches, with its rows in file order."""
    found: dict[Fraction, list[Row]] = {}
    for numbers, operators in rows(game):
        value = value_of(numbers, operators, game)
        if value is not None:
            found.setdefault(value, []).append((numbers, operators))
    return found


@cache
def all_solutions(name: str) -> dict[Fraction, list[Row]]:
    """Return the solutions of a named game, worked out once for all the tests."""
    return solutions(GAMES[name])


@st.composite
def small_games(draw: st.DrawFn) -> Game:
    """Draw a game that is small enough to look at every formula of it."""
    length = draw(st.integers(1, 4))
    negatives = draw(st.booleans())
    number = st.integers(-4 if negatives else 0, 12)
    numbers = draw(st.lists(number, min_size=1, max_size=6 - length, unique=True))
    return Game("small", tuple(numbers), length, fractions=draw(st.booleans()), negatives=negatives)
