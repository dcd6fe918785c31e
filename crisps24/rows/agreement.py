"""Rows as columns, and what the grammar makes of them, many at a time.

Owns `Block` and the agreement of the grammar: rows are worked out through the tree that it makes
of their operators, all rows of one pattern at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crisps24.notation.evaluation import steps
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula
from crisps24.rows.integers import Column
from crisps24.rows.keys import Stretch
from crisps24.rules.games import Game
from crisps24.rules.ratios import Column as Values
from crisps24.rules.ratios import column_of, ints_for


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows in file order, as columns.

    `numbers` holds, for each place of the row, the places in `game.numbers`; `operators` holds
    codes, the places in `game.row_operators`. Both are arrays of small integers, one line a place.
    The numbers of a card are those of its `game`.
    """

    game: Game
    numbers: Column
    operators: Column

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    def formulas(self) -> Iterator[Formula]:
        """Yield the rows as formulas."""
        names = [operator.name for operator in self.game.row_operators]
        values = np.array(self.game.numbers, object)[self.numbers].T.tolist()
        for numbers, codes in zip(values, self.operators.T.tolist(), strict=True):
            yield Formula(tuple(numbers), tuple(names[code] for code in codes))


def block_of(stretch: Stretch, game: Game) -> Block:
    """Take the keys of a stretch apart."""
    layout, first, keys = stretch
    small = np.min_scalar_type(len(game.numbers))
    numbers = np.empty((game.length, len(keys)), small)
    for place, number in enumerate(first):
        numbers[place] = number
    free = game.length - len(first)
    for place, column in enumerate(layout.numbers_of(keys, free), len(first)):
        numbers[place] = column
    operators = np.empty((game.length - 1, len(keys)), np.uint8)
    for place, column in enumerate(layout.operators_of(keys)):
        operators[place] = column
    return Block(game, numbers, operators)


def agreed(numbers: Column, operators: Column, wanted: Values, game: Game) -> Column:
    """Return which rows the grammar agrees to: legal, and making what is wanted of each.

    `numbers` and `operators` are those of a `Block`, `wanted` has a value a row.
    """
    found = np.zeros(numbers.shape[1], bool)
    patterns = _patterns_of(operators, len(game.row_operators))
    order = np.argsort(patterns, kind="stable")
    numbers, wanted, patterns = numbers[:, order], wanted[order], patterns[order]
    values = column_of(game.numbers, game.fractions, ints_of(game))
    columns = [values[column] for column in numbers]
    starts = np.flatnonzero(np.concatenate(([True], patterns[1:] != patterns[:-1])))
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        codes = operators[:, order[start]].tolist()
        value, legal = work_out_rows(codes, [column[start:end] for column in columns], game)
        found[order[start:end]] = legal & (value == wanted[start:end])
    return found


def _patterns_of(operators: Column, choices: int) -> Column:
    """Return each row's operators as one number, in as few bits as hold it."""
    most = choices ** len(operators)
    dtype: Any = np.uint16 if most <= 1 << 16 else np.int64 if most <= 1 << 62 else object
    patterns = np.zeros(operators.shape[1], dtype)
    for column in operators:
        patterns = patterns * choices + column
    return patterns


def work_out_rows(codes: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Work rows of one operator pattern out through the grammar's tree, all at once."""
    operators = game.row_operators
    tree = parse_pattern(tuple(operators[code].name for code in codes), game)
    value, legal = columns[0], np.True_
    for step in steps(tree, game, lambda number: columns[number.value]):
        value, legal = step.result, legal & step.legal
    return value, legal


def ints_of(game: Game) -> Any:
    """Return what holds any value that a row of the game makes on the way."""
    return ints_for([max(game.numbers, key=abs)] * game.length, game)
