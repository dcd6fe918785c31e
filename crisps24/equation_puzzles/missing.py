"""Fill in missing signs: all ways to make both sides of `=` equal.

Each side is a row with given numbers and some given operators. The tables of `counting` count the
values of both sides, the values that both sides have are matched, and `finding` lists the rows of
each value. For 4 _ 3 _ 8 _ 4 = 24, the left side has the value 24 three times, as in 4 + 3 x 8 - 4.
The grammar confirms all rows before they are returned.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from crisps24.enumeration.counting import Tables, count_by_target, count_formulas
from crisps24.enumeration.enumeration import (
    DisagreementError,
    confirmed_rows,
    formulas_of,
    value_dtype,
)
from crisps24.enumeration.finding import find_blocks
from crisps24.enumeration.places import MAX_CARD_NUMBERS_IN_ORDER, InOrder, Place
from crisps24.equation_puzzles.gaps import Gaps
from crisps24.equation_puzzles.records import EQUALS
from crisps24.errors import RefusedError
from crisps24.notation.trees import Formula
from crisps24.rules.exact import Exact, whole_numbers
from crisps24.rules.games import Game
from crisps24.rules.machines import MISSING_SIGNS
from crisps24.rules.ratios import make_column

# Fillings that are listed; more are refused.
_MAX_FILLINGS = 1_000_000

Sides = tuple[Formula, Formula]


def count_fillings(gaps: Gaps, game: Game) -> int:
    """Return the number of ways to fill in the missing signs, so that both sides are equal."""
    return sum(
        count for left, right in _sides(gaps, game) for _, count in _common_values(left, right)
    )


def fill_gaps(gaps: Gaps, game: Game) -> list[Sides]:
    """Return all ways to fill in the missing signs of a row, as (left formula, right formula)."""
    # For each place of the equals sign: the sides, and the values that both sides can have.
    matched = [
        (left, right, list(_common_values(left, right))) for left, right in _sides(gaps, game)
    ]
    ways = sum(count for *_, values in matched for _, count in values)
    if ways > _MAX_FILLINGS:
        raise RefusedError(f"there are {ways:,} ways: more than {_MAX_FILLINGS:,} are not listed")
    fillings = [
        sides
        for left, right, values in matched
        for value, _ in values
        for sides in product(_formulas(left, value), _formulas(right, value))
    ]
    names = (operator.name for operator in game.row_operators)
    order = {name: index for index, name in enumerate((*names, EQUALS))}

    def signs(sides: Sides) -> list[int]:
        left, right = sides
        return [order[name] for name in (*left.operators, EQUALS, *right.operators)]

    return sorted(fillings, key=signs)


def _sides(gaps: Gaps, game: Game) -> Iterator[tuple[Tables, Tables]]:
    """Yield a pair of the left and the right side of a row for each possible place of `=`."""
    MISSING_SIGNS.check(game)
    if game.once:
        raise RefusedError("a row with missing signs can have each operator any number of times")
    # None is a missing sign.
    sign_to_split_at = EQUALS if EQUALS in gaps.signs else None
    for index, sign in enumerate(gaps.signs):
        if sign == sign_to_split_at:
            left = _tables(gaps.numbers[: index + 1], gaps.signs[:index], game)
            right = _tables(gaps.numbers[index + 1 :], gaps.signs[index + 1 :], game)
            yield left, right


def _tables(numbers: tuple[int, ...], signs: tuple[str | None, ...], game: Game) -> Tables:
    """Return the tables from which the formulas of one side are counted and listed."""
    if len(numbers) > MAX_CARD_NUMBERS_IN_ORDER:
        raise RefusedError(
            f"a side has at most {MAX_CARD_NUMBERS_IN_ORDER} numbers, not {len(numbers)}"
        )
    game = replace(
        game,
        numbers=numbers,
        length=len(numbers),
        repeats=True,
        dice=(),
        parentheses=False,
        all_numbers=True,
        letters=(),
        # A single number has no other to be joined with.
        join=game.join and len(numbers) > 1,
    )
    places = tuple(map(Place, numbers, (None, *signs)))
    return Tables(game, InOrder(whole_numbers(game.numbers), places))


def _common_values(left: Tables, right: Tables) -> Iterator[tuple[Exact, int]]:
    """Yield (value, count) for each value that both sides can have, smallest value first."""
    # A side of a single number has only one value, which is counted directly on the other side.
    for side, other_side in ((left, right), (right, left)):
        if side.game.length == 1:
            [number] = side.game.numbers
            if count := count_formulas(number, other_side):
                yield number, count
            return
    right_counts = count_by_target(right)
    for value, count in count_by_target(left).items():
        if value in right_counts:
            yield value, count * right_counts[value]


def _formulas(tables: Tables, value: Exact) -> Iterator[Formula]:
    """Yield the formulas of one side that have a value, confirmed by the grammar."""
    game = tables.game
    targets = make_column([value], game.fractions, value_dtype(game))
    for block in find_blocks(tables, value):
        if not confirmed_rows(block, targets, game).all():
            raise DisagreementError(f"internal error: not all rows found make {value}")
        yield from formulas_of(block, game)
