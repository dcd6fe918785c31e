"""A brute force for formulas: evaluates every formula of a game and groups them by value.

It is the specification of counting and listing and shares no code with them. Operators of higher
precedence come first, equal ones from left to right. Every value is exact: an int, or a `Fraction`
after a division with a remainder.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from itertools import permutations, product
from typing import Any

from hypothesis import strategies as st

from crisps24 import GAMES, Game
from crisps24.rules.exact import whole_numbers

Exact = int | Fraction
Row = tuple[tuple[int, ...], tuple[str, ...]]
BinaryFunction = Callable[[Exact, Exact], Exact | None]
# The precedence and the function of each added operator.
Added = Mapping[str, tuple[int, BinaryFunction]]
RowsOfValue = dict[Exact, list[Row]]


@lru_cache(maxsize=1 << 16)
def divided(left: Exact, right: Exact) -> Exact:
    """Return a quotient, as an int if possible: ints sort faster than fractions."""
    exact = Fraction(left) / right
    return exact if exact.denominator != 1 else exact.numerator


FILE_ORDER = "-+x:|"
PRECEDENCE = {"|": 9, "x": 2, ":": 2, "+": 1, "-": 1}
OPERATIONS: dict[str, BinaryFunction] = {
    "|": lambda a, b: 10 * a + b if a else None,
    "x": lambda a, b: a * b,
    ":": lambda a, b: divided(a, b) if b else None,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
}


def signs_of(game: Game) -> str:
    known = FILE_ORDER + "".join(name for name in game.operators if name not in FILE_ORDER)
    return "".join(sign for sign in known if sign in game.operators or (sign == "|" and game.join))


def rows(game: Game) -> Iterator[Row]:
    """Yield every row of a game in file order: by numbers, then by operators."""
    for numbers in product(sorted(set(whole_numbers(game.numbers))), repeat=game.length):
        for operators in product(signs_of(game), repeat=game.length - 1):
            yield numbers, operators


def rows_of_card(card: tuple[int, ...], game: Game, in_order: bool) -> Iterator[Row]:
    for numbers in [card] if in_order else sorted(set(permutations(card))):
        for operators in product(signs_of(game), repeat=len(card) - 1):
            yield numbers, operators


def value_of(
    numbers: tuple[int, ...], operators: tuple[str, ...], game: Game, more: Added | None = None
) -> Exact | None:
    """Return the value of a row, or None if it is illegal."""
    if game.grouping == "tail" and [sign in "+-" for sign in operators] == [True, False, True]:
        # A bug of the original game: it evaluates a + b x c - d as a + (b x c - d).
        tail = value_of(numbers[1:], operators[1:], game)
        return None if tail is None else step(operators[0], numbers[0], tail, game, {})
    values: list[Exact] = list(numbers)
    more = more or {}
    added = tuple((sign, more[sign][0]) for sign in more)
    for index, sign in steps_of_row(operators, added):
        result = step(sign, values[index], values.pop(index + 1), game, more)
        if result is None:
            return None
        values[index] = result
    return values[0]


@cache
def steps_of_row(
    operators: tuple[str, ...], more: tuple[tuple[str, int], ...]
) -> list[tuple[int, str]]:
    """Return the steps of a row in order: the index of the left operand then, and the sign."""
    precedence, signs, steps = PRECEDENCE | dict(more), list(operators), []
    while signs:
        # The first operator with the highest precedence.
        index = max(range(len(signs)), key=lambda index: precedence[signs[index]])
        steps.append((index, signs.pop(index)))
    return steps


def step(sign: str, left: Exact, right: Exact, game: Game, more: Added) -> Exact | None:
    """Return the result of an operation, or None if it is illegal."""
    result = more[sign][1](left, right) if sign in more else OPERATIONS[sign](left, right)
    if result is None or sign == "|":
        return result
    forbidden_fraction = not game.fractions and result.denominator != 1
    forbidden = forbidden_fraction or (not game.negatives and result < 0)
    return None if forbidden or (not game.zero and result == 0) else result


@lru_cache(maxsize=4)
def solutions(game: Game) -> RowsOfValue:
    """Return the rows of every target that a game reaches, in file order."""
    return sorted_by_value(rows(game), game)


def sorted_by_value(rows: Iterator[Row], game: Game, more: Added | None = None) -> RowsOfValue:
    rows_of_value: RowsOfValue = {}
    for numbers, operators in rows:
        value = value_of(numbers, operators, game, more)
        if value is not None:
            rows_of_value.setdefault(value, []).append((numbers, operators))
    return rows_of_value


@cache
def all_solutions(name: str) -> RowsOfValue:
    return solutions(GAMES[name])


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    operators = draw(st.lists(st.sampled_from("-+x:"), min_size=1, max_size=4, unique=True))
    flags = {name: draw(st.booleans()) for name in ("fractions", "negatives", "zero")}
    return {"operators": tuple(operators), **flags}


@st.composite
def small_games(draw: st.DrawFn) -> Game:
    changes = draw(rules())
    length = draw(st.integers(1, 4))
    join = draw(st.booleans())
    number = st.integers(0 if join or not changes["negatives"] else -4, 9 if join else 12)
    numbers = draw(st.lists(number, min_size=1, max_size=6 - length, unique=True))
    return Game("small", tuple(numbers), length, join=join, **changes)
