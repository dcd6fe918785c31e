"""What the tables find, agreed to by the grammar: counts, formulas and blocks of rows.

Owns the public questions about all the formulas of a game. Rows come from `rows` (or, for a
game that does not group by precedence, from looking at every row there is), and no row leaves
this room before the tree that the grammar makes of its operators has given the target.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np

from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import OPERATORS, Formula, steps
from crisps24.rows.counting import (
    Column,
    count_terms_and_sums,
    counts_of_terms_and_sums,
)
from crisps24.rows.finding import Layout, Part, parts
from crisps24.rules.games import Exact, Game, exact, find_game
from crisps24.rules.ratios import Column as Values
from crisps24.rules.ratios import column_of, exact_values, grouped, ints_for, joined, reduced

# Rows that are checked together, so that the work a pattern takes is shared by many rows; who
# wants the first rows soon begins with few.
_BATCH_ROWS = 1 << 20
_FIRST_ROWS = 1 << 8
# Numbers in a row, at most.
LONGEST_ROW = 99
# Rows that a game without tables may have: all of them are looked at.
_MOST_ROWS = 1 << 24


class DisagreementError(RuntimeError):
    """The grammar and the enumerator do not agree on a row: an error of this program."""


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows in file order, as columns.

    `numbers` holds, for each place of the row, the places in `game.numbers`; `operators` holds
    codes, the places in `OPERATORS`. Both are arrays of small integers, one line a place.
    """

    game: Game
    numbers: Column
    operators: Column

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    def formulas(self) -> Iterator[Formula]:
        """Yield the rows as formulas."""
        names = [operator.name for operator in OPERATORS]
        values = np.array(self.game.numbers, object)[self.numbers].T.tolist()
        for numbers, codes in zip(values, self.operators.T.tolist(), strict=True):
            yield Formula(tuple(numbers), tuple(names[code] for code in codes))


def count(target: Exact, game: Game | str = "crisps") -> int:
    """Return how many formulas of the game make the target.

    Equal to `sum(1 for _ in formulas(target, game))`, without looking at any of them.

    >>> count(143), count(24), count(24, "game24")
    (48, 2374, 2374)

    Raises ValueError for a game that has parentheses or does not use all numbers.
    """
    game, target = _game_of_rows(game), exact(target)
    if game.grouping == "standard":
        return count_terms_and_sums(target, game)
    return len(_all_rows(game)[1].get(target, ()))


def counts(game: Game | str = "crisps") -> dict[Exact, int]:
    """Return every target that the game reaches, ascending, with its number of formulas.

    >>> reached = counts()
    >>> len(reached), max(reached), sum(reached.values())
    (671, 6561, 164130)

    Raises ValueError as `count` does.
    """
    game = _game_of_rows(game)
    if game.grouping == "standard":
        return counts_of_terms_and_sums(game)
    return {target: len(keys) for target, keys in _all_rows(game)[1].items()}


def formulas(target: Exact, game: Game | str = "crisps") -> Iterator[Formula]:
    """Yield the formulas of the game that make the target, in the order of a results file.

    The order is by numbers, then by operators in the order `-`, `+`, `x`, `:`. Formulas are
    found as they are asked for, so that stopping early costs little.

    >>> print(*formulas(6561), sep=", ")
    9 x 9 x 9 x 9

    Raises ValueError as `count` does.
    """
    for block in blocks(target, game):
        yield from block.formulas()


def blocks(target: Exact, game: Game | str = "crisps") -> Iterator[Block]:
    """Yield the formulas that make a target in blocks of rows, checked by the grammar.

    The first blocks are small, so that the first rows are there at once.
    """
    return (block for _, block in blocks_of([target], game, _FIRST_ROWS))


def blocks_of(
    targets: Iterable[Exact], game: Game | str = "crisps", batch: int = _BATCH_ROWS
) -> Iterator[tuple[Exact, Block]]:
    """Yield (target, block) for each target in turn, at least one block a target.

    Some `batch` rows, of one target or of many, are checked together before they are yielded,
    then four times as many, and so on up to about a million.

    Raises ValueError as `count` does, and `DisagreementError` where the grammar does not agree
    to a row.
    """
    game = _game_of_rows(game)
    waiting: list[tuple[Exact, Block]] = []
    rows = 0
    for target in map(exact, targets):
        waiting.append(
            (target, _block(Part(Layout(game.length, 1), (), np.empty(0, np.int64)), game))
        )
        for part in _parts(target, game):
            keys = part.keys
            while len(keys):
                piece, keys = keys[:batch], keys[batch:]
                waiting.append((target, _block(part._replace(keys=piece), game)))
                rows += len(piece)
                if rows >= batch:
                    yield from _checked(waiting, game)
                    waiting, rows, batch = [], 0, min(4 * batch, _BATCH_ROWS)
    yield from _checked(waiting, game)


def has_rows(game: Game) -> bool:
    """Return whether all the formulas of a game are rows of numbers and operators.

    They are where there are no parentheses, any number can come any number of times, and all
    numbers are used.
    """
    return game.repeats and game.all_numbers and not game.parentheses


def _game_of_rows(game: Game | str) -> Game:
    game = find_game(game)
    if not has_rows(game):
        why = "has parentheses" if game.parentheses else "deals hands of its own"
        files = "counts and results files are for games such as crisps"
        raise ValueError(f"{game.name} {why}: {files}")
    if game.length > LONGEST_ROW:
        raise ValueError(f"rows have at most {LONGEST_ROW} numbers, not {game.length}")
    return game


def _parts(target: Exact, game: Game) -> Iterator[Part]:
    if game.grouping == "standard":
        return parts(game, target)
    layout, keys = _all_rows(game)
    return iter([Part(layout, (), keys[target])] if target in keys else [])


def _block(part: Part, game: Game) -> Block:
    """Take the keys of a part apart."""
    rows = len(part.keys)
    small = np.min_scalar_type(len(game.numbers))
    numbers = np.empty((game.length, rows), small)
    for place, first in enumerate(part.first):
        numbers[place] = first
    free = game.length - len(part.first)
    for place, column in enumerate(part.layout.numbers_of(part.keys, free), len(part.first)):
        numbers[place] = column
    operators = np.empty((game.length - 1, rows), np.uint8)
    for place, column in enumerate(part.layout.operators_of(part.keys)):
        operators[place] = column
    return Block(game, numbers, operators)


def _checked(batch: list[tuple[Exact, Block]], game: Game) -> Iterator[tuple[Exact, Block]]:
    """Yield the blocks after the grammar has agreed to every row of them."""
    some = [(target, block) for target, block in batch if len(block)]
    if some:
        _check(some, game)
    yield from batch


def _check(batch: list[tuple[Exact, Block]], game: Game) -> None:
    """Work all rows out through the grammar's trees, pattern by pattern."""
    numbers = np.concatenate([block.numbers for _, block in batch], axis=1)
    operators = np.concatenate([block.operators for _, block in batch], axis=1)
    dtype = _ints_of(game)
    sizes = [len(block) for _, block in batch]
    targets = column_of([target for target, _ in batch], game.fractions, dtype)
    wanted = targets[np.repeat(np.arange(len(batch)), sizes)]
    patterns = _patterns_of(operators)
    order = np.argsort(patterns, kind="stable")
    numbers, wanted, patterns = numbers[:, order], wanted[order], patterns[order]
    values = column_of(game.numbers, game.fractions, dtype)
    columns = [values[column] for column in numbers]
    starts = np.flatnonzero(np.concatenate(([True], patterns[1:] != patterns[:-1])))
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        codes = operators[:, order[start]].tolist()
        value, legal = _work_out(codes, [column[start:end] for column in columns], game)
        agreed = legal & (value == wanted[start:end])
        if not np.all(agreed):
            row = order[start + int(np.argmin(agreed))]
            raise DisagreementError(_name_row(batch, int(row)))


def _name_row(batch: list[tuple[Exact, Block]], row: int) -> str:
    for target, block in batch:
        if row < len(block):
            formula = list(block.formulas())[row]
            return f"internal error: the grammar does not agree that {formula} makes {target}"
        row -= len(block)
    raise IndexError(row)


def _patterns_of(operators: Column) -> Column:
    """Return each row's operators as one number, in as few bits as hold it."""
    dtype: Any = np.uint16 if len(operators) <= 8 else np.int64 if len(operators) <= 31 else object
    patterns = np.zeros(operators.shape[1], dtype)
    for column in operators:
        patterns = patterns * 4 + column
    return patterns


def _work_out(codes: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Work rows of one operator pattern out through the grammar's tree, all at once."""
    tree = parse_pattern(tuple(OPERATORS[code].name for code in codes), game)
    value, legal = columns[0], np.True_
    for step in steps(tree, game, lambda number: columns[number.value]):
        value, legal = step.result, legal & step.legal
    return value, legal


def _ints_of(game: Game) -> Any:
    """Return what holds any value that a row of the game makes on the way."""
    return ints_for([max(game.numbers, key=abs)] * game.length, game.fractions)


@lru_cache(maxsize=4)
def _all_rows(game: Game) -> tuple[Layout, dict[Exact, Column]]:
    """Look at every row of a game: the keys of the legal ones by target, both ascending."""
    size = len(game.numbers)
    if size**game.length * 4 ** (game.length - 1) > _MOST_ROWS:
        raise ValueError(f"{game.name} looks at every row: {size} numbers are too many for that")
    layout = Layout(game.length, size)
    places = np.indices([size] * game.length).reshape(game.length, -1)
    values = column_of(game.numbers, game.fractions, _ints_of(game))
    columns = [values[column] for column in places]
    number_keys = sum(
        column.astype(np.int64) << (layout.operator_bits + layout.number_bits * after)
        for after, column in enumerate(places[::-1])
    )
    found_values, found_keys = [], []
    for pattern, codes in enumerate(product(range(4), repeat=game.length - 1)):
        value, legal = _work_out(list(codes), columns, game)
        rows = np.flatnonzero(np.broadcast_to(legal, len(value)))
        found_values.append(value[rows])
        found_keys.append((number_keys + pattern)[rows])
    made = reduced(joined(found_values))
    order, starts = grouped(made)
    groups = map(np.sort, np.split(np.concatenate(found_keys)[order], starts[1:]))
    targets = exact_values(made[order[starts]])
    return layout, dict(sorted(zip(targets, groups, strict=True), key=itemgetter(0)))
