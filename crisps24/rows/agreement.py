"""What the grammar makes of rows, many at a time.

Owns the agreement of the grammar: rows are worked out through the tree that it makes of their
operators, all rows of one pattern at once.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.notation.evaluation import steps
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula
from crisps24.rows.integers import Column
from crisps24.rows.keys import Block
from crisps24.rules.games import Game
from crisps24.rules.ratios import Column as Values
from crisps24.rules.ratios import column_of, ints_for

# Rows that are taken apart together: their columns stay in the processor's cache.
_PIECE = 1 << 16


def formulas_of(block: Block, game: Game) -> Iterator[Formula]:
    """Yield the rows of a block as formulas; the numbers of a card are those of its game."""
    names = [operator.name for operator in game.row_operators]
    known = np.array(game.numbers, object)
    numbers = [np.broadcast_to(known[column], len(block)) for column in block.numbers()]
    codes = np.array(block.operators(), np.intp).reshape(block.layout.length - 1, len(block))
    for row, signs in zip(np.array(numbers).T.tolist(), codes.T.tolist(), strict=True):
        yield Formula(tuple(row), tuple(names[code] for code in signs))


def agreed(block: Block, wanted: Values, game: Game) -> Column:
    """Return which rows the grammar agrees to: legal, and making what is wanted.

    `wanted` has a value a row, or one for all of them.
    """
    found = np.zeros(len(block), bool)
    for rows, agrees in _agreed_pieces(block, wanted, game):
        found[rows] = agrees
    return found


def all_agreed(block: Block, wanted: Values, game: Game) -> bool:
    """Return whether the grammar agrees to every row; see `agreed`, which is more work."""
    return all(bool(agrees.all()) for _, agrees in _agreed_pieces(block, wanted, game))


def _agreed_pieces(
    block: Block, wanted: Values, game: Game
) -> Iterator[tuple[Column, npt.NDArray[np.bool_]]]:
    """Yield which rows are looked at together, and which of them the grammar agrees to."""
    patterns = block.layout.patterns_of(block.keys)
    # Rows of one pattern are brought together before they are taken apart.
    order = np.argsort(patterns, kind="stable")
    patterns = patterns[order]
    changes = np.flatnonzero(patterns[1:] != patterns[:-1]) + 1
    for start in range(0, len(block), _PIECE):
        end = min(start + _PIECE, len(block))
        rows = order[start:end]
        first, last = np.searchsorted(changes, [start + 1, end])
        bounds = [0, *(changes[first:last] - start).tolist(), end - start]
        piece = Block(block.layout, block.first, block.keys[rows])
        values = wanted[rows] if len(wanted) > 1 else wanted
        yield rows, _agreed_piece(piece, bounds, values, game)


def _agreed_piece(
    block: Block, bounds: Sequence[int], wanted: Values, game: Game
) -> npt.NDArray[np.bool_]:
    """Return which rows of a block the grammar agrees to, of one pattern between two bounds."""
    values = column_of(game.numbers, game.fractions, ints_of(game))
    columns = [values[places] for places in block.numbers()]
    found = np.empty(len(block), bool)
    for start, end in pairwise(bounds):
        codes = [int(column[0]) for column in block[start : start + 1].operators()]
        some = [column[start:end] if len(column) > 1 else column for column in columns]
        value, legal = work_out_rows(codes, some, game)
        made = value == (wanted[start:end] if len(wanted) > 1 else wanted)
        found[start:end] = legal & made
    return found


def work_out_rows(codes: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Work rows of one operator pattern out through the grammar's tree, all at once."""
    operators = game.row_operators
    tree = parse_pattern(tuple(operators[code].name for code in codes), game)
    value, legal = columns[0], np.True_
    for step in steps(tree, game, lambda number: columns[number.value]):
        value = step.result
        if step.legal is not True:
            legal = legal & step.legal
    return value, legal


def ints_of(game: Game) -> Any:
    """Return what holds any value that a row of the game makes on the way."""
    return ints_for([max(game.numbers, key=abs)] * game.length, game)
