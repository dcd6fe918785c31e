"""What the tables find, agreed to by the grammar: counts, formulas and blocks of rows.

Owns the public questions about all the formulas of a game, or of a card, and the agreement of the
grammar: rows are worked out through the tree that it makes of their operators, all rows of one
pattern at once. Rows come from `finding` (or, for a game that does not group by precedence, from
looking at every row there is), and every row is evaluated with that tree before it is returned.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise, permutations, product
from operator import itemgetter
from shlex import quote
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from crisps24.enumeration.counting import Tables, count_by_target, count_formulas, tables_of
from crisps24.enumeration.finding import Part, find_blocks, find_parts
from crisps24.enumeration.keys import Block, Layout, joined_blocks
from crisps24.enumeration.places import MAX_CARD_NUMBERS, MAX_CARD_NUMBERS_IN_ORDER, MAX_ROW_NUMBERS
from crisps24.enumeration.work import budget_of, expected_pairs
from crisps24.errors import CrispsError, RefusedError
from crisps24.notation.evaluation import evaluation_steps
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula
from crisps24.rules.deals import HandLike, to_hand
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game, Hand, find_game, listing_problem
from crisps24.rules.ids import changed_rules
from crisps24.rules.ratios import Column as Values
from crisps24.rules.ratios import (
    Ints,
    exact_values,
    group_rows,
    integer_dtype,
    join_columns,
    make_column,
    reduce_column,
)
from crisps24.rules.work import DEFAULT_WORK, MAX_TABLE_BYTES, Budget, check_work_limit

# Rows that are checked together, so that the work a pattern takes is shared by many rows; who
# wants the first rows soon begins with few.
_BATCH_ROWS = 1 << 22
_FIRST_ROWS = 1 << 8
# Rows that a game without tables may have: all of them are looked at.
_MOST_ROWS = 1 << 24
# From so many targets of four numbers on, all counts at once are less work than each alone; with
# every number more, the one grows about three times, the other twice.
_MANY_TARGETS = 16
_MANY_MORE = 1.5

# Most numbers of a hand in a line to copy.
_EXAMPLE = 6

# Told how much has just been done.
Progress = Callable[[int], object]


class DisagreementError(CrispsError, RuntimeError):
    """The grammar and the enumerator do not agree on a row: an error of this program."""


def _call_for(game: Game, card: Hand | None, in_order: bool) -> str:
    """Return the call that answers for a hand, as a line to copy."""
    alone = game.signed or any(operator.arity == 1 for operator in game.row_operators)
    hand = " ".join(map(str, card or game.numbers[: min(game.length, _EXAMPLE)]))
    changed = [each for each in changed_rules(game) if each[0].field not in ("length", "numbers")]
    rules = " ".join(quote(rule.option_for(value)) for rule, value in changed)
    rules += " --in-order" * in_order
    rules += " --parentheses" * (game.signed and not game.parentheses)
    words = f"{hand} --game {game.name} {rules}".rstrip()
    if alone:
        return f"for a hand use crisps24 reach {words} --forms"
    target = f" --target {game.targets[0]}" * (game.target is None)
    return f"for a hand use crisps24 solve {words}{target}"


@dataclass(frozen=True, slots=True)
class RowQuery:
    """The rows to count or find: those of a game, or of a card; validated when it is made.

    Raises ValueError, in one sentence, for a game whose formulas are not all rows, for too many
    numbers, and for an order without a card.
    """

    game: Game
    """The game; of a card, with the numbers of the card."""
    card: Hand | None = None
    in_order: bool = False
    """Whether rows must keep the order of the card."""
    work: int | None = field(default=DEFAULT_WORK, compare=False)
    """Largest search to attempt, in pairs of values (None: no limit)."""

    def __post_init__(self) -> None:
        game, card, in_order = self.game, self.card, self.in_order
        if why := listing_problem(game if card is None else replace(game, repeats=True)):
            files = "counts and results files are for games such as crisps"
            raise RefusedError(f"{game.name} {why}: {files}; {_call_for(game, card, in_order)}")
        check_work_limit(self.work)
        if card is None:
            if in_order:
                raise RefusedError("in_order keeps the order of a card: give one")
            if game.length > MAX_ROW_NUMBERS:
                raise RefusedError(
                    f"rows have at most {MAX_ROW_NUMBERS} numbers, not {game.length}"
                )
            return
        most = MAX_CARD_NUMBERS_IN_ORDER if in_order else MAX_CARD_NUMBERS
        if len(card) > most:
            order = "in order" if in_order else f"({MAX_CARD_NUMBERS_IN_ORDER} in order)"
            raise RefusedError(f"a card has at most {most} numbers {order}, not {len(card)}")
        game = replace(game, numbers=card, length=len(card), repeats=True)
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "card", card if in_order else tuple(sorted(card)))

    @classmethod
    def of(
        cls,
        game: Game | str,
        card: HandLike | None = None,
        in_order: bool = False,
        work: int | None = DEFAULT_WORK,
    ) -> Self:
        """Return the query of arguments as callers give them."""
        game = find_game(game)
        return cls(game, None if card is None else to_hand(card, game), in_order, work)

    @property
    def grouped_by_precedence(self) -> bool:
        """Whether rows group by precedence, so that tables count them."""
        return self.game.grouping == "standard"

    def tables(self) -> Tables:
        """Return the tables that count the rows."""
        return tables_of(self.game, self.card, self.in_order)


def count(
    target: Exact,
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
    progress: Progress | None = None,
) -> int:
    """Return the number of formulas of the game that make a target.

    Equal to `sum(1 for _ in formulas(target, game))`, without looking at any of them. With a
    `card`, formulas that use each of its numbers once: in any order, up to 7, or `in_order`, as
    they are given, up to 12. `work` is how many pairs of values may be looked at, None for any;
    `progress` is called with the number just looked at.

    >>> count(143), count(24), count(24, "game24")
    (48, 2374, 2374)
    >>> count(24, card=(4, 3, 8, 4)), count(24, card=(4, 3, 8, 4), in_order=True)
    (36, 3)

    Raises ValueError for a game that has parentheses or does not use all numbers, for a card that
    cannot be played, and for more work than is allowed, which is estimated before it is begun.
    """
    query, target = RowQuery.of(game, card, in_order, work), to_exact(target)
    return count_rows(query, target, progress)


def count_rows(query: RowQuery, target: Exact, progress: Progress | None = None) -> int:
    """Return the number of rows of a query that make a target, as `count` does."""
    if query.grouped_by_precedence:
        tables = query.tables()
        with tables.using(budget_of(tables, query.work, every=False, progress=progress)):
            return count_formulas(target, tables)
    return len(_enumerate_rows(query)[1].get(target, ()))


def counts(
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
    progress: Progress | None = None,
) -> dict[Exact, int]:
    """Return every target that the game can make, ascending, with its number of formulas.

    `card`, `in_order`, `work` and `progress` are those of `count`.

    >>> reached = counts()
    >>> len(reached), max(reached), sum(reached.values())
    (671, 6561, 164130)

    Raises ValueError as `count` does.
    """
    return count_all_targets(RowQuery.of(game, card, in_order, work), progress)


def count_all_targets(query: RowQuery, progress: Progress | None = None) -> dict[Exact, int]:
    """Return every target of a query with its number of rows, as `counts` does."""
    if query.grouped_by_precedence:
        tables = query.tables()
        with tables.using(budget_of(tables, query.work, every=True, progress=progress)):
            return count_by_target(tables)
    return {target: len(keys) for target, keys in _enumerate_rows(query)[1].items()}


def formulas(
    target: Exact,
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
) -> Iterator[Formula]:
    """Yield the formulas of the game that make a target, in the order of a results file.

    The order is by numbers, then by operators in the order `-`, `+`, `x`, `:`. Formulas are
    found as they are asked for, so that stopping early costs little. `card` and `in_order` are
    those of `count`.

    >>> print(*formulas(6561), sep=", ")
    9 x 9 x 9 x 9
    >>> print(*formulas(24, card=(4, 3, 8, 4), in_order=True), sep=", ")
    4 + 3 x 8 - 4, 4 x 3 + 8 + 4, 4 x 3 x 8 : 4

    Raises ValueError as `count` does.
    """
    yield from find_formulas(RowQuery.of(game, card, in_order), to_exact(target))


def find_formulas(query: RowQuery, target: Exact) -> Iterator[Formula]:
    """Yield the formulas of a query that make a target, as `formulas` does."""
    for block in blocks(target, query):
        yield from formulas_of(block, query.game)


def blocks(target: Exact, query: RowQuery) -> Iterator[Block]:
    """Yield the formulas that make a target in blocks of rows, checked by the grammar.

    The first blocks are small, so that the first rows are there at once.
    """
    return (block for _, block in blocks_for_targets([target], query, _FIRST_ROWS))


def blocks_for_targets(
    targets: Iterable[Exact], query: RowQuery, batch: int = _BATCH_ROWS
) -> Iterator[tuple[Exact, Block]]:
    """Yield (target, block) for each target in turn, at least one block a target.

    Some `batch` rows, of one target or of many, are checked together before they are yielded,
    then four times as many, and so on up to some millions.

    Raises ValueError for too much work, and `DisagreementError` where the grammar does not agree
    to a row.
    """
    if query.grouped_by_precedence:
        budget_of(query.tables(), query.work, every=False)
    nothing = Block(layout_of(query.game), (), np.empty(0, np.int64))
    found = (
        (target, block) for target in targets for block in chain([nothing], _found(target, query))
    )
    return _batched(found, query.game, batch)


def blocks_for_parts(target: Exact, query: RowQuery, parts: Sequence[Part]) -> Iterator[Block]:
    """Yield some parts of the rows that make a target, checked by the grammar; see `parts`."""
    found = find_blocks(query.tables(), target, parts)
    batches = _batched(((target, block) for block in found), query.game, _BATCH_ROWS)
    return (block for _, block in batches)


def parts(target: Exact, query: RowQuery, most: int) -> Iterator[Part]:
    """Yield the parts of the rows that make a target, in file order, of so many rows at most.

    Raises ValueError for a game that groups otherwise than by precedence.
    """
    if not query.grouped_by_precedence:
        raise RefusedError(f"{query.game.name} looks at every row: it has no parts")
    return find_parts(query.tables(), target, most)


def _batched(
    found: Iterable[tuple[Exact, Block]], game: Game, batch: int
) -> Iterator[tuple[Exact, Block]]:
    """Yield what is found when the grammar has agreed to it, some `batch` rows at a time."""
    waiting: list[tuple[Exact, Block]] = []
    size = 0
    for target, block in found:
        while True:
            some, block = block[: batch - size], block[batch - size :]
            waiting.append((target, some))
            size += len(some)
            if size >= batch:
                yield from _checked(waiting, game)
                waiting, size, batch = [], 0, min(4 * batch, _BATCH_ROWS)
            if not len(block):
                break
    yield from _checked(waiting, game)


def keys_in_order(target: Exact, query: RowQuery) -> Iterator[Ints]:
    """Yield the keys of the rows that make a target, ascending, in the layout of the game.

    The grammar has not agreed to them: whoever holds rows against them has had it agree to those.
    """
    layout = layout_of(query.game)
    return (block.whole(layout).keys for block in _found(target, query))


def layout_of(game: Game) -> Layout:
    """Return the layout of the keys of a game's rows, no number left out."""
    return Layout(game.length, len(game.numbers), len(game.row_operators))


def count_targets(
    targets: Sequence[Exact], query: RowQuery, progress: Progress | None = None
) -> dict[Exact, int]:
    """Return the number of rows for each target, by whichever way is less work."""
    if _all_at_once(len(targets), query.game.length):
        reached = count_all_targets(query, progress)
        return {target: reached.get(target, 0) for target in targets}
    return {target: count_rows(query, target, progress) for target in targets}


def estimate_pairs(targets: int | None, query: RowQuery) -> int:
    """Return about how many pairs of values are looked at to count so many targets, None for all.

    0 where they are few.
    """
    if not query.grouped_by_precedence:
        return 0
    every = targets is None or _all_at_once(targets, query.game.length)
    return expected_pairs(query.tables(), None if every else targets)


def _all_at_once(targets: int, length: int) -> bool:
    return targets > _MANY_TARGETS * _MANY_MORE ** (length - 4)


def _found(target: Exact, query: RowQuery) -> Iterator[Block]:
    if query.grouped_by_precedence:
        memory = None if query.work is None else MAX_TABLE_BYTES
        query.tables().use(Budget("finding formulas", work=query.work, memory=memory))
        return find_blocks(query.tables(), target)
    layout, keys = _enumerate_rows(query)
    return iter([Block(layout, (), keys[target])] if target in keys else [])


def _checked(batch: list[tuple[Exact, Block]], game: Game) -> Iterator[tuple[Exact, Block]]:
    """Yield the blocks after the grammar has agreed to every row of them."""
    some = [(target, block) for target, block in batch if len(block)]
    if some:
        _check(some, game)
    yield from batch


def _check(batch: list[tuple[Exact, Block]], game: Game) -> None:
    """Have the grammar agree to all rows of some blocks, or name the first that it does not."""
    targets = make_column([target for target, _ in batch], game.fractions, value_dtype(game))
    if all(target == batch[0][0] for target, _ in batch):
        wanted = targets[:1]
    else:
        wanted = targets[np.repeat(np.arange(len(batch)), [len(block) for _, block in batch])]
    start = 0
    for block in joined_blocks([block for _, block in batch]):
        end = start + len(block)
        values = wanted[start:end] if len(wanted) > 1 else wanted
        if not all_confirmed(block, values, game):
            row = start + int(np.argmin(agreed(block, values, game)))
            raise DisagreementError(_name_row(batch, row, game))
        start = end


def _name_row(batch: list[tuple[Exact, Block]], row: int, game: Game) -> str:
    for target, block in batch:
        if row < len(block):
            [formula] = formulas_of(block[row : row + 1], game)
            return f"internal error: the grammar does not agree that {formula} makes {target}"
        row -= len(block)
    raise IndexError(row)


@lru_cache(maxsize=4)
def _enumerate_rows(rows: RowQuery) -> tuple[Layout, dict[Exact, Ints]]:
    """Look at every row there is: the keys of the legal ones by target, both ascending."""
    game, choices = rows.game, len(rows.game.row_operators)
    size = len(game.numbers)
    if size**game.length * choices ** (game.length - 1) > _MOST_ROWS:
        raise RefusedError(f"{game.name} looks at every row: {size} numbers are too many for that")
    layout = Layout(game.length, size, choices)
    places = _places_of(rows)
    values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [values[column] for column in places]
    number_keys = sum(
        column.astype(np.int64) << (layout.operator_bits + layout.number_bits * after)
        for after, column in enumerate(places[::-1])
    )
    found_values, found_keys = [], []
    for codes in product(range(choices), repeat=game.length - 1):
        value, legal = evaluate_rows(list(codes), columns, game)
        legal_rows = np.flatnonzero(np.broadcast_to(legal, len(value)))
        found_values.append(value[legal_rows])
        sign_keys = (layout.key_of(0, code, after) for after, code in enumerate(codes[::-1]))
        found_keys.append((number_keys + sum(sign_keys))[legal_rows])
    made = reduce_column(join_columns(found_values))
    order, starts = group_rows(made)
    groups = map(np.sort, np.split(np.concatenate(found_keys)[order], starts[1:]))
    targets = exact_values(made[order[starts]])
    return layout, dict(sorted(zip(targets, groups, strict=True), key=itemgetter(0)))


def _places_of(rows: RowQuery) -> Ints:
    """Return the numbers of every row there may be, as places in the list of the game."""
    numbers, length = rows.game.numbers, rows.game.length
    if rows.card is None:
        return np.indices([len(numbers)] * length).reshape(length, -1)
    card = [numbers.index(number) for number in rows.card]
    orders = [card] if rows.in_order else sorted(set(permutations(card)))
    return np.array(orders).T


# Rows that are taken apart together: their columns stay in the processor's cache.
_PIECE = 1 << 16


def formulas_of(block: Block, game: Game) -> Iterator[Formula]:
    """Yield the rows of a block as formulas; the numbers of a card are those of its game."""
    names = np.array([operator.name for operator in game.row_operators], object)
    known = np.array(game.numbers, object)
    numbers = [np.broadcast_to(known[column], len(block)) for column in block.numbers()]
    codes = np.array(block.operators(), np.intp).reshape(block.layout.length - 1, len(block))
    rows, signs = np.array(numbers).T.tolist(), names[codes].T.tolist()
    yield from map(Formula, map(tuple, rows), map(tuple, signs))


def agreed(block: Block, wanted: Values, game: Game) -> Ints:
    """Return which rows the grammar agrees to: legal, and making what is wanted.

    `wanted` has a value a row, or one for all of them.
    """
    found = np.zeros(len(block), bool)
    for rows, agrees in _agreed_pieces(block, wanted, game):
        found[rows] = agrees
    return found


def all_confirmed(block: Block, wanted: Values, game: Game) -> bool:
    """Return whether the grammar agrees to every row; see `agreed`, which is more work."""
    return all(bool(agrees.all()) for _, agrees in _agreed_pieces(block, wanted, game))


def _agreed_pieces(
    block: Block, wanted: Values, game: Game
) -> Iterator[tuple[Ints, npt.NDArray[np.bool_]]]:
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
    values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [values[places] for places in block.numbers()]
    found = np.empty(len(block), bool)
    for start, end in pairwise(bounds):
        codes = [int(column[0]) for column in block[start : start + 1].operators()]
        some = [column[start:end] if len(column) > 1 else column for column in columns]
        value, legal = evaluate_rows(codes, some, game)
        made = value == (wanted[start:end] if len(wanted) > 1 else wanted)
        found[start:end] = legal & made
    return found


def evaluate_rows(codes: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Work rows of one operator pattern out through the grammar's tree, all at once."""
    operators = game.row_operators
    tree = parse_pattern(tuple(operators[code].name for code in codes), game)
    value, legal = columns[0], np.True_
    for step in evaluation_steps(tree, game, lambda number: columns[number.value]):
        value = step.result
        if step.legal is not True:
            legal = legal & step.legal
    return value, legal


def value_dtype(game: Game) -> Any:
    """Return what holds any value that a row of the game makes on the way."""
    return integer_dtype([max(game.numbers, key=abs)] * game.length, game)
