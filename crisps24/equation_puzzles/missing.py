"""Missing signs: every way to put them between numbers so that both sides of `=` are equal.

A side is a row whose numbers are given and of whose operators some are: its values are those of
the tables of `counting`, the two sides are matched by value, and `finding` has the rows, to each
of which the grammar agrees.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from crisps24.enumeration.counting import Tables, count_by_target, count_formulas
from crisps24.enumeration.enumeration import (
    DisagreementError,
    all_confirmed,
    formulas_of,
    value_dtype,
)
from crisps24.enumeration.finding import find_blocks
from crisps24.enumeration.places import MAX_CARD_NUMBERS_IN_ORDER, InOrder, Place
from crisps24.equation_puzzles.gaps import Gaps
from crisps24.equation_puzzles.records import EQUALS
from crisps24.errors import RefusedError
from crisps24.notation.trees import Formula
from crisps24.rules.exact import Exact
from crisps24.rules.games import GROUPINGS, Game
from crisps24.rules.ratios import make_column

# So many ways are listed, at most.
_MOST_WAYS = 1_000_000

Sides = tuple[Formula, Formula]


def count_fillings(gaps: Gaps, game: Game) -> int:
    """Return in how many ways the missing signs can be put, by the precedence alone.

    >>> from crisps24 import GAMES
    >>> from crisps24.equation_puzzles.gaps import read_gaps
    >>> crisps = GAMES["crisps"]
    >>> texts = "4 _ 3 _ 8 _ 4 = 24", "4 _ 3 _ 8 _ 4 _ 24"
    >>> [count_fillings(read_gaps(text, crisps), crisps) for text in texts]
    [3, 7]

    Raises ValueError for more numbers than there are tables for.
    """
    return sum(ways for left, right in _sides(gaps, game) for _, ways in _matched(left, right))


def fill_gaps(gaps: Gaps, game: Game) -> list[Sides]:
    """Return every way to put the missing signs, as the formulas on both sides of `=`.

    They are in order of their signs, from the left: those of results files, then `=`.

    >>> from crisps24 import GAMES
    >>> from crisps24.equation_puzzles.gaps import read_gaps
    >>> crisps = GAMES["crisps"]
    >>> for left, right in fill_gaps(read_gaps("4 _ 3 _ 8 _ 4 = 24", crisps), crisps):
    ...     print(left, "=", right)
    4 + 3 x 8 - 4 = 24
    4 x 3 + 8 + 4 = 24
    4 x 3 x 8 : 4 = 24

    Raises ValueError as `count_fillings` does, and for more than a million ways.
    """
    matched = [(*sides, [*_matched(*sides)]) for sides in _sides(gaps, game)]
    if (ways := sum(many for *_, values in matched for _, many in values)) > _MOST_WAYS:
        raise RefusedError(f"there are {ways:,} ways: more than {_MOST_WAYS:,} are not listed")
    found = [
        sides
        for left, right, values in matched
        for value, _ in values
        for sides in product(_formulas(left, value), _formulas(right, value))
    ]
    names = (operator.name for operator in game.row_operators)
    order = {name: place for place, name in enumerate((*names, EQUALS))}

    def signs(sides: Sides) -> list[int]:
        left, right = sides
        return [order[name] for name in (*left.operators, EQUALS, *right.operators)]

    return sorted(found, key=signs)


def _sides(gaps: Gaps, game: Game) -> Iterator[tuple[Tables, Tables]]:
    """Yield the tables of both sides, for each place where `=` may stand."""
    if game.grouping != GROUPINGS[0]:
        raise RefusedError(f"{game.name} groups in a way of its own: no signs are put there")
    wanted = EQUALS if EQUALS in gaps.signs else None
    for at, sign in enumerate(gaps.signs):
        if sign == wanted:
            left = _tables(gaps.numbers[: at + 1], gaps.signs[:at], game)
            yield left, _tables(gaps.numbers[at + 1 :], gaps.signs[at + 1 :], game)


def _tables(numbers: tuple[int, ...], signs: tuple[str | None, ...], game: Game) -> Tables:
    """Return the tables of a row of numbers with some signs given."""
    if len(numbers) > MAX_CARD_NUMBERS_IN_ORDER:
        raise RefusedError(
            f"a side has at most {MAX_CARD_NUMBERS_IN_ORDER} numbers, not {len(numbers)}"
        )
    game = replace(
        game,
        numbers=numbers,
        length=len(numbers),
        repeats=True,
        parentheses=False,
        all_numbers=True,
        letters=(),
        # One number alone is joined with nothing.
        join=game.join and len(numbers) > 1,
    )
    whole = tuple(map(Place, numbers, (None, *signs)))
    return Tables(game, InOrder(game.numbers, whole))


def _matched(left: Tables, right: Tables) -> Iterator[tuple[Exact, int]]:
    """Yield the values that both sides can have, ascending, each with its number of ways."""
    for one, other in ((left, right), (right, left)):
        if one.game.length == 1:
            [number] = one.game.numbers
            if ways := count_formulas(number, other):
                yield number, ways
            return
    others = count_by_target(right)
    for value, ways in count_by_target(left).items():
        if value in others:
            yield value, ways * others[value]


def _formulas(tables: Tables, value: Exact) -> Iterator[Formula]:
    """Yield the rows of a side that make a value, to which the grammar has agreed."""
    game = tables.game
    wanted = make_column([value], game.fractions, value_dtype(game))
    for block in find_blocks(tables, value):
        if not all_confirmed(block, wanted, game):
            raise DisagreementError(f"internal error: not all rows found make {value}")
        yield from formulas_of(block, game)
