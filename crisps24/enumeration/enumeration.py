"""Count and list all formulas of a game or of a card, confirmed by the grammar.

`RowQuery` has the checked arguments of a search. Rows come from `finding`; for a game such as
game24, which does not compute x before +, all possible rows are evaluated once. The grammar
confirms rows before they are returned: rows are sorted by operator pattern, the grammar parses each
pattern once, and its tree is evaluated on columns: all rows a - b x c share the tree a - (b x c).
A row that is illegal or does not make the target is an internal error (`DisagreementError`).
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
from crisps24.enumeration.keys import Block, Layout, join_blocks
from crisps24.enumeration.places import MAX_CARD_NUMBERS, MAX_CARD_NUMBERS_IN_ORDER, MAX_ROW_NUMBERS
from crisps24.enumeration.work import budget_for_count, expected_pairs
from crisps24.errors import CrispsError, RefusedError
from crisps24.notation.evaluation import evaluation_steps
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula, leaf_index
from crisps24.rules.deals import HandLike, to_hand
from crisps24.rules.exact import Exact, has_fractions, size_of, to_exact
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

# Rows confirmed together, so that many rows share the work for an operator pattern; the first
# batch is small, so that the first rows come at once.
_BATCH_ROWS = 1 << 22
_FIRST_BATCH_ROWS = 1 << 8
# Rows of one operator pattern evaluated together: their columns stay in the CPU cache.
_ROWS_PER_EVALUATION = 1 << 16
# Possible rows of a game without tables: all are evaluated.
_MAX_EVALUATED_ROWS = 1 << 24
# For more targets of four numbers than this, one count of all targets is cheaper. With each
# number more, that takes three times as long, one target twice as long: 1.5 times the targets.
_MAX_SINGLE_TARGETS = 16
_SINGLE_TARGETS_GROWTH = 1.5
# Numbers of the example hand in an error.
_EXAMPLE_NUMBERS = 6

# Called with the amount of work just done.
Progress = Callable[[int], object]


class DisagreementError(CrispsError, RuntimeError):
    """The search found a row that the grammar refuses, or the reverse: an internal error."""


def _advice_for_hand(game: Game, card: Hand | None, in_order: bool) -> str:
    """Return the end of an error message: the command line that solves one hand instead.

    It is, for example, 'for a hand use crisps24 solve 1 2 3 --game cards'. The command
    is `reach` if the game has operators of one number, such as a minus sign.

    Args:
        game: The game; the command has options for the rules that were changed.
        card: The numbers of the hand. Without it, the first 6 numbers of the game are an example.
        in_order: Whether the hand must keep its order.
    """
    # The hand, and the options that repeat the rules of the game.
    has_unary = game.signed or any(operator.arity == 1 for operator in game.row_operators)
    example_numbers = game.numbers[: min(game.length, _EXAMPLE_NUMBERS)]
    hand = " ".join(map(str, card or example_numbers))
    options = [
        quote(rule.option_for(value))
        for rule, value in changed_rules(game)
        if rule.field not in ("length", "numbers", "large")
    ]
    if in_order:
        options.append("--in-order")
    if game.signed and not game.parentheses:
        options.append("--parentheses")
    # The command, `reach` or `solve`, with these arguments.
    arguments = " ".join([hand, "--game", game.name, *options])
    if has_unary:
        return f"for a hand use crisps24 reach {arguments} --forms"
    target_option = f" --target {game.targets[0]}" if game.target is None else ""
    return f"for a hand use crisps24 solve {arguments}{target_option}"


@dataclass(frozen=True, slots=True)
class RowQuery:
    """The rows to count or find: those of a game, or of a card.

    A row is a formula without parentheses, such as 4 + 3 x 8 - 4. A card is the numbers of one
    hand: its rows use each of them once.

    Raises RefusedError for a game with parentheses or one that need not use all numbers, for too
    many numbers, and for `in_order` without a card.
    """

    game: Game
    """The game; for a card, it has the numbers and the length of the card."""
    card: Hand | None = None
    in_order: bool = False
    """Whether rows must keep the order of the card."""
    work: int | None = field(default=DEFAULT_WORK, compare=False)
    """Largest search to attempt, in pairs of values (None: no limit)."""

    def __post_init__(self) -> None:
        game, card, in_order = self.game, self.card, self.in_order
        # Some games have no counts at all, such as those with parentheses.
        problem = listing_problem(game if card is None else replace(game, repeats=True))
        if card is not None and has_fractions(card):
            problem = problem or "lists formulas of whole numbers only"
        if problem:
            files = "counts and results files are for games such as crisps"
            advice = _advice_for_hand(game, card, in_order)
            raise RefusedError(f"{game.name} {problem}: {files}; {advice}")
        check_work_limit(self.work)
        if card is None:
            if in_order:
                raise RefusedError("in_order keeps the order of a card: give one")
            if game.length > MAX_ROW_NUMBERS:
                raise RefusedError(
                    f"rows have at most {MAX_ROW_NUMBERS} numbers, not {game.length}"
                )
            return
        # A card: check how many numbers it has, and make a game of only these numbers.
        limit = MAX_CARD_NUMBERS_IN_ORDER if in_order else MAX_CARD_NUMBERS
        if len(card) > limit:
            order = "in order" if in_order else f"({MAX_CARD_NUMBERS_IN_ORDER} in order)"
            raise RefusedError(f"a card has at most {limit} numbers {order}, not {len(card)}")
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
        """Check the arguments of a search for rows, and return them as one object.

        A row is a formula without parentheses, such as 4 + 3 x 8 - 4. A search finds all rows of a
        game, or only those with the numbers of one hand, the card:

        >>> RowQuery.of("crisps", [4, 3, 8, 4]).card
        (3, 4, 4, 8)

        Args:
            game: A game or its name.
            card: The numbers of the card, as a list, a tuple or a text such as "4 3 8 4".
            in_order: Whether rows must keep the order of the card. If not, its numbers are sorted.
            work: Largest search to attempt, in pairs of values (None: no limit).

        Raises:
            RefusedError: The game is unknown or cannot be counted, or it does not allow the card.
            KindError: An argument has a wrong type.
        """
        found_game = find_game(game)
        hand = None if card is None else to_hand(card, found_game)
        return cls(found_game, hand, in_order, work)

    @property
    def grouped_by_precedence(self) -> bool:
        """Whether x is computed before +, so that rows can be counted from tables of values.

        For example, 1 + 2 x 3 is then 1 + (2 x 3). It is False for games such as game24, which have
        another rule.
        """
        return self.game.grouping == "standard"

    def tables(self) -> Tables:
        """Return the object that counts the rows, the same one for the same query.

        Its tables have the values that each part of a row can make.
        """
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
    """Count the formulas of a game that make a target; return their number.

    The count is exact and equals `sum(1 for _ in formulas(target, game))`, but the formulas are not
    listed, which saves time: four numbers take milliseconds, 12 about a second.

    Args:
        target: an int or a Fraction; a target that cannot be made has 0 formulas.
        game: a game whose formulas have no parentheses and use all numbers, or its name.
        card: the numbers of a hand, up to 7. Only formulas that use each of them once are counted.
            Without a card, formulas can have any numbers of the game.
        in_order: keep the order of the card, which can then have up to 12 numbers.
        work: the largest search to attempt, in pairs of values that are combined (None: no limit).
        progress: called with the number of pairs just computed.

    Raises TypeError for a target that is not exact, and RefusedError for a game or card that is
    not allowed, or if the search is estimated or found to exceed its limit.

    >>> count(143), count(24), count(24, "game24")
    (48, 2374, 2374)
    >>> count(24, card=(4, 3, 8, 4)), count(24, card=(4, 3, 8, 4), in_order=True)
    (36, 3)
    """
    query, target = RowQuery.of(game, card, in_order, work), to_exact(target)
    return count_rows(query, target, progress)


def count_rows(query: RowQuery, target: Exact, progress: Progress | None = None) -> int:
    """Return the number of rows of a query that make a target, 0 if none do.

    A row is a formula without parentheses, such as 4 + 3 x 8 - 4. The query has the game, and maybe
    a card: then only rows with the numbers of this card count.

    `progress` is called with the number of pairs of values just computed. Raises RefusedError if
    the search exceeds the limit of the query.

    >>> count_rows(RowQuery.of("crisps"), 143)
    48
    """
    if query.grouped_by_precedence:
        tables = query.tables()
        budget = budget_for_count(tables, query.work, all_targets=False, progress=progress)
        with tables.using_budget(budget):
            return count_formulas(target, tables)
    # Games such as game24 evaluate all rows.
    _, keys_by_target = _enumerate_rows(query)
    return len(keys_by_target.get(target, ()))


def counts(
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
    progress: Progress | None = None,
) -> dict[Exact, int]:
    """Count the formulas of every target that a game can make; return {target: count}, ascending.

    Args:
        game: a game whose formulas have no parentheses and use all numbers, or its name.
        card: the numbers of a hand, up to 7. Only formulas that use each of them once are counted.
            Without a card, formulas can have any numbers of the game.
        in_order: keep the order of the card, which can then have up to 12 numbers.
        work: the largest search to attempt, in pairs of values that are combined (None: no limit).
        progress: called with the number of pairs just computed.

    Raises RefusedError for a game or card that is not allowed, or if the search is estimated or
    found to exceed its limit.

    >>> by_target = counts()
    >>> len(by_target), max(by_target), sum(by_target.values())
    (671, 6561, 164130)
    """
    return count_all_targets(RowQuery.of(game, card, in_order, work), progress)


def count_all_targets(query: RowQuery, progress: Progress | None = None) -> dict[Exact, int]:
    """Return every target of a query, ascending, with its number of rows.

    A row is a formula without parentheses, such as 4 + 3 x 8 - 4. The query has the game, and maybe
    a card: then only rows with the numbers of this card count.

    `progress` is called with the number of pairs of values just computed. Raises RefusedError if
    the search exceeds the limit of the query.

    >>> count_all_targets(RowQuery.of("crisps", card=(2, 3)))
    {1: 1, 5: 2, 6: 2}
    """
    if query.grouped_by_precedence:
        tables = query.tables()
        budget = budget_for_count(tables, query.work, all_targets=True, progress=progress)
        with tables.using_budget(budget):
            return count_by_target(tables)
    _, keys_by_target = _enumerate_rows(query)
    return {target: len(keys) for target, keys in keys_by_target.items()}


def formulas(
    target: Exact,
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
) -> Iterator[Formula]:
    """Yield the formulas of the game that make a target, in the order of a results file.

    The order is by numbers, then by operators in the order `-`, `+`, `x`, `:`. Formulas are
    found as they are needed, so that the first ones come at once.

    Args:
        target: an int or a Fraction; a target that cannot be made has no formulas.
        game: a game whose formulas have no parentheses and use all numbers, or its name.
        card: the numbers of a hand, up to 7. Only formulas that use each of them once are yielded.
            Without a card, formulas can have any numbers of the game.
        in_order: keep the order of the card, which can then have up to 12 numbers.

    Raises, at the first formula, TypeError for a target that is not exact, and RefusedError for a
    game or card that is not allowed, or if the search exceeds the default limit.

    >>> print(*formulas(6561), sep=", ")
    9 x 9 x 9 x 9
    >>> print(*formulas(24, card=(4, 3, 8, 4), in_order=True), sep=", ")
    4 + 3 x 8 - 4, 4 x 3 + 8 + 4, 4 x 3 x 8 : 4
    """
    yield from find_formulas(RowQuery.of(game, card, in_order), to_exact(target))


def find_formulas(query: RowQuery, target: Exact) -> Iterator[Formula]:
    """Yield the formulas of a query that make a target, in the order of a results file.

    The order is by numbers, then by operators. Raises RefusedError, while iterating, if the search
    exceeds the limit of the query.

    >>> print(*find_formulas(RowQuery.of("crisps", card=(2, 3)), 6), sep=", ")
    2 x 3, 3 x 2
    """
    for block in blocks_for(target, query):
        yield from formulas_of(block, query.game)


def blocks_for(target: Exact, query: RowQuery) -> Iterator[Block]:
    """Yield the rows that make a target, in file order, as blocks of many rows.

    A row is a formula without parentheses. A block is an array of rows, each packed into one
    integer. The grammar, which parses and evaluates formulas, has confirmed each row. The first
    blocks are small, so that the first rows come at once. Raises RefusedError if the search exceeds
    the limit of the query.
    """
    return (block for _, block in blocks_for_targets([target], query, _FIRST_BATCH_ROWS))


def blocks_for_targets(
    targets: Iterable[Exact], query: RowQuery, batch_rows: int = _BATCH_ROWS
) -> Iterator[tuple[Exact, Block]]:
    """Yield the rows that make each target, in file order, for one target after the other.

    A row is a formula without parentheses. A block is an array of rows, each packed into one
    integer. Each row was checked by the grammar, which parses formulas and evaluates them without
    the tables of the search.

    Args:
        targets: The targets, such as 24 and 143.
        query: The game or the card, and the limit of the search.
        batch_rows: How many rows are checked together at first, of one target or of many; then
            four times as many, and so on up to 2^22.

    Yields:
        (target, block): a target with some of its rows. Each target has at least one block, which
            can be empty.

    Raises:
        RefusedError: The search is estimated (in this call) or found (while iterating) to exceed
            the limit of the query.
        DisagreementError: A row that was found is illegal or does not make its target.
    """
    if query.grouped_by_precedence:
        # Raises RefusedError for too large a search.
        budget_for_count(query.tables(), query.work, all_targets=False)
    empty = Block(layout_of(query.game), (), np.empty(0, np.int64))
    blocks = (
        (target, block)
        for target in targets
        # An empty block first, so that a target without rows is yielded too.
        for block in chain([empty], _find_blocks(target, query))
    )
    return _confirm_in_batches(blocks, query.game, batch_rows)


def blocks_for_parts(target: Exact, query: RowQuery, parts: Sequence[Part]) -> Iterator[Block]:
    """Yield some of the rows that make a target, in file order, as blocks of many rows.

    A row is a formula without parentheses. A block is an array of rows, each packed into one
    integer. The grammar, which parses and evaluates formulas, has confirmed each row.

    Args:
        target: The value that the rows make.
        query: The game or the card, and the limit of the search.
        parts: The rows to yield: some of the parts that `parts_for` yields, such as all rows that
            start with 2, and all that start with 3.

    Raises:
        DisagreementError: A row that was found is illegal or does not make its target.
        RefusedError: The search takes more work or memory than allowed.
    """
    blocks = ((target, block) for block in find_blocks(query.tables(), target, parts))
    return (block for _, block in _confirm_in_batches(blocks, query.game, _BATCH_ROWS))


def parts_for(target: Exact, query: RowQuery, max_rows: int) -> Iterator[Part]:
    """Divide the rows that make a target into parts of at most `max_rows` rows, in file order.

    A row is a formula without parentheses; the rows of a part start with the same numbers, or have
    the same numbers and first operators. They are counted, not found, while iterating. For 143 in
    crisps, the first parts are the 2 rows that start with 2, and the 11 rows that start with 3:

    >>> parts = parts_for(143, RowQuery.of("crisps"), max_rows=20)
    >>> [part.row_count for part in parts]
    [2, 11, 5, 6, 5, 4, 10, 5]

    The query must not be for a card in any order. Raises RefusedError for games such as game24,
    which do not compute x before +, and while iterating if the counting takes more work or memory
    than allowed.
    """
    if not query.grouped_by_precedence:
        raise RefusedError(f"{query.game.name} does not group by precedence: no parts")
    return find_parts(query.tables(), target, max_rows)


def _confirm_in_batches(
    blocks: Iterable[tuple[Exact, Block]], game: Game, batch_rows: int
) -> Iterator[tuple[Exact, Block]]:
    """Check rows in batches by the grammar, which parses and evaluates formulas; yield all of them.

    A batch is the rows that are checked together: the first one has `batch_rows` rows, the next one
    4 times as many, and so on up to 2^22. A block is an array of rows, each packed into one
    integer. It is split where a batch ends: with `batch_rows` 256, one block of 1,000 rows is
    yielded as two blocks, of 256 and of 744 rows. The order stays; empty blocks are yielded too.

    Args:
        blocks: Pairs (target, block of rows that should make it).
        game: The game of the rows.
        batch_rows: The number of rows of the first batch.

    Raises:
        DisagreementError: A row is illegal or does not make its target.
    """
    batch: list[tuple[Exact, Block]] = []
    batch_size = 0
    for target, block in blocks:
        rest = block
        while True:
            # Move as many rows of the block as the batch has room for.
            room = batch_rows - batch_size
            head, rest = rest[:room], rest[room:]
            batch.append((target, head))
            batch_size += len(head)
            if batch_size >= batch_rows:
                yield from _confirm(batch, game)
                batch, batch_size = [], 0
                # A small first batch is quick, but larger batches take less time per row.
                batch_rows = min(4 * batch_rows, _BATCH_ROWS)
            if not len(rest):
                break
    yield from _confirm(batch, game)


def unconfirmed_keys(target: Exact, query: RowQuery) -> Iterator[Ints]:
    """Yield the rows that make a target as ascending keys, in arrays of many keys.

    A row is a formula without parentheses; its key is the row packed into one integer, with some
    bits for each number and operator. The grammar has not parsed and evaluated these rows: only
    compare them with rows that it has confirmed. Raises RefusedError if the search exceeds the
    limit of the query.
    """
    layout = layout_of(query.game)
    return (block.with_full_keys(layout).keys for block in _find_blocks(target, query))


def layout_of(game: Game) -> Layout:
    """Return where the bits of each number and operator are in the keys of a game's rows.

    A key is a row packed into one integer; the keys of this layout leave no number out.
    """
    return Layout(game.length, len(game.numbers), len(game.row_operators))


def count_targets(
    targets: Sequence[Exact], query: RowQuery, progress: Progress | None = None
) -> dict[Exact, int]:
    """Return {target: number of rows that make it}, in the order given; 0 for a target without any.

    A row is a formula without parentheses. Many targets are looked up in one count of all targets.
    `progress` is called with the number of pairs of values just computed. Raises RefusedError if
    the search exceeds the limit of the query.

    >>> count_targets([143, 24, 6000], RowQuery.of("crisps"))
    {143: 48, 24: 2374, 6000: 0}
    """
    if _is_cheaper_for_all_targets(len(targets), query.game.length):
        by_target = count_all_targets(query, progress)
        return {target: by_target.get(target, 0) for target in targets}
    return {target: count_rows(query, target, progress) for target in targets}


def estimate_pairs(target_count: int | None, query: RowQuery) -> int:
    """Estimate how many pairs of values are combined to count the rows that make some targets.

    A row is a formula without parentheses. To count rows, each value of one part of a row is
    combined with each value of another part: 2 x 3 = 6 with 4 + 1 = 5, for example. The result is 0
    if little is counted, such as rows of four numbers, and for games such as game24, which evaluate
    all rows. The estimate makes tables of short parts of a row, which the count needs too.

    Args:
        target_count: The number of targets whose rows are counted (None: all targets).
        query: The game or the card.

    Raises:
        RefusedError: The tables take more work or memory than allowed, or the game cannot have
            tables.
    """
    if not query.grouped_by_precedence:
        return 0
    if target_count is not None and _is_cheaper_for_all_targets(target_count, query.game.length):
        target_count = None
    return expected_pairs(query.tables(), target_count)


def _is_cheaper_for_all_targets(target_count: int, length: int) -> bool:
    """Return whether one count of all targets is cheaper than one count for each target.

    For rows of four numbers, it is cheaper for more than 16 targets; `length` is how many numbers
    a row has, and each number more multiplies the 16 by 1.5.
    """
    return target_count > _MAX_SINGLE_TARGETS * _SINGLE_TARGETS_GROWTH ** (length - 4)


def _find_blocks(target: Exact, query: RowQuery) -> Iterator[Block]:
    """Return an iterator over the rows that make a target, in file order, as blocks of many rows.

    A row is a formula without parentheses. A block is an array of rows, each packed into one
    integer. The rows are not checked: use `_confirm_in_batches` for that.

    Blocks are found while iterating, which raises RefusedError if the search exceeds the limit of
    the query. Only in game24, in which 9 - 2 x 3 - 4 is 7, all rows are found by this call.
    """
    if query.grouped_by_precedence:
        memory = None if query.work is None else MAX_TABLE_BYTES
        query.tables().set_budget(Budget("finding formulas", work=query.work, memory=memory))
        return find_blocks(query.tables(), target)
    layout, keys_by_target = _enumerate_rows(query)
    if target not in keys_by_target:
        return iter(())
    return iter([Block(layout, (), keys_by_target[target])])


def _confirm(batch: list[tuple[Exact, Block]], game: Game) -> Iterator[tuple[Exact, Block]]:
    """Yield the same pairs (target, block of rows) after the grammar has confirmed all rows.

    A block is an array of rows, each packed into one integer. The grammar parses and evaluates
    formulas without the tables that found the rows.

    Raises DisagreementError for the first row that is illegal or does not make its target.
    """
    non_empty = [(target, block) for target, block in batch if len(block)]
    if non_empty:
        _check_rows(non_empty, game)
    yield from batch


def _check_rows(batch: list[tuple[Exact, Block]], game: Game) -> None:
    """Raise an error unless the grammar confirms that each row makes the target of its block.

    The grammar parses and evaluates formulas without the tables that found the rows. If `batch` has
    the target 24 with the rows 4 x 6 and 3 x 9, the error names 3 x 9.

    Args:
        batch: One or more pairs (target, block); a block is an array of rows, each packed into one
            integer.
        game: The game of the rows.

    Raises:
        DisagreementError: A row is illegal or does not make its target; the first one is named.
    """
    # An array with the target of each row, or with one target for all rows.
    targets = make_column([target for target, _ in batch], game.fractions, value_dtype(game))
    first_target = batch[0][0]
    if all(target == first_target for target, _ in batch):
        targets = targets[:1]
    else:
        block_sizes = [len(block) for _, block in batch]
        targets = targets[np.repeat(np.arange(len(batch)), block_sizes)]
    # Check the blocks, each with the targets of its rows. Joined blocks share work.
    start = 0
    for block in join_blocks([block for _, block in batch]):
        end = start + len(block)
        block_targets = targets[start:end] if len(targets) > 1 else targets
        if not all_confirmed(block, block_targets, game):
            # The first row that is not confirmed: argmin returns the first False of the mask.
            wrong_row = start + int(np.argmin(confirmed_rows(block, block_targets, game)))
            raise DisagreementError(_disagreement_message(batch, wrong_row, game))
        start = end


def _disagreement_message(batch: list[tuple[Exact, Block]], row: int, game: Game) -> str:
    """Return the error message for a row that is illegal or does not make its target.

    A row is a formula without parentheses. The message names it and its target.

    Args:
        batch: Pairs (target, block); a block is an array of rows that should make the target.
        row: The index of the row among the rows of all blocks: with two blocks of 5 rows, row 7 is
            in the second block.
        game: The game of the rows.
    """
    for target, block in batch:
        if row < len(block):
            [formula] = formulas_of(block[row : row + 1], game)
            return f"internal error: the grammar does not agree that {formula} makes {target}"
        row -= len(block)
    raise IndexError(row)


@lru_cache(maxsize=4)
def _enumerate_rows(query: RowQuery) -> tuple[Layout, dict[Exact, Ints]]:
    """Evaluate all possible rows of a game, and group the legal ones by their value.

    A row is a formula without parentheses. This is for the game game24, which has its own rule for
    the order of operations: it computes 9 - 2 x 3 - 4 as 9 - (2 x 3 - 4), which is 7. Games with
    the usual rule count rows from tables, which is faster. A row is returned as its key: its
    numbers and operators, packed into one integer.

    Returns:
        (layout, keys): where the bits of each number and operator are in a key; and for each value,
            ascending, the keys of the rows that make it, ascending.

    Raises:
        RefusedError: There are more than 2^24 possible rows.
    """
    game = query.game
    number_count, operator_count = len(game.numbers), len(game.row_operators)
    max_rows = number_count**game.length * operator_count ** (game.length - 1)
    if max_rows > _MAX_EVALUATED_ROWS:
        raise RefusedError(f"{game.name} evaluates all rows: {number_count} numbers are too many")
    layout = Layout(game.length, number_count, operator_count)
    number_codes = _all_number_codes(query)
    # For each number of a row, an array with its value in each possible row.
    game_values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [game_values[codes] for codes in number_codes]
    # For each row, the bits of its numbers: the first number has the highest bits.
    number_keys = sum(
        codes.astype(np.int64) << (layout.pattern_bits + layout.number_bits * numbers_after)
        for numbers_after, codes in enumerate(number_codes[::-1])
    )
    # Evaluate all rows with the same operators at once, such as all rows a + b x c - d. The key of
    # a row is the sum of the bits of its numbers and of its operators.
    results_by_pattern, keys_by_pattern = [], []
    for pattern in product(range(operator_count), repeat=game.length - 1):
        results, legal = evaluate_rows(list(pattern), columns, game)
        legal_rows = np.flatnonzero(np.broadcast_to(legal, len(results)))
        results_by_pattern.append(results[legal_rows])
        pattern_key = sum(
            layout.key_of(0, code, operators_after)
            for operators_after, code in enumerate(pattern[::-1])
        )
        keys_by_pattern.append((number_keys + pattern_key)[legal_rows])
    # Group the keys by value: `order` sorts the rows by value, `starts` is where groups start.
    all_results = reduce_column(join_columns(results_by_pattern))
    order, starts = group_rows(all_results)
    key_groups = np.split(np.concatenate(keys_by_pattern)[order], starts[1:])
    sorted_groups = map(np.sort, key_groups)
    values = exact_values(all_results[order[starts]])
    return layout, dict(sorted(zip(values, sorted_groups, strict=True), key=itemgetter(0)))


def _all_number_codes(query: RowQuery) -> Ints:
    """Return the numbers of all possible rows, as indices into the numbers of the game.

    The result is a matrix: each column has the numbers of one row. For a card, these are its
    distinct orders, or only the given one; for a game, all choices of numbers. The orders of the
    card 3 3 8 are 3 3 8, 3 8 3 and 8 3 3; the index of 3 is 0, and the index of 8 is 1:

    >>> _all_number_codes(RowQuery.of("crisps", card=(3, 3, 8))).T.tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    game_numbers, length = query.game.numbers, query.game.length
    # Without a card, each number can be any of the game's numbers.
    if query.card is None:
        return np.indices([len(game_numbers)] * length).reshape(length, -1)
    card = [game_numbers.index(number) for number in query.card]
    orders = [card] if query.in_order else sorted(set(permutations(card)))
    return np.array(orders).T


def formulas_of(block: Block, game: Game) -> Iterator[Formula]:
    """Yield the rows of a block as formulas, in order.

    Each row of the block is packed into one integer: for each number its index in `game.numbers`,
    and for each operator its index in `game.row_operators`. So `game` must be the game that the
    block was made for.
    """
    game_numbers = np.array(game.numbers, object)
    operator_names = np.array([operator.name for operator in game.row_operators], object)
    # Matrices of numbers and operators: line i has the i-th number or operator of all rows.
    numbers = [np.broadcast_to(game_numbers[codes], len(block)) for codes in block.numbers()]
    operator_codes = np.array(block.operators(), np.intp)
    operators = operator_names[operator_codes.reshape(block.layout.length - 1, len(block))]
    # Transpose them, so that line i has all numbers or operators of row i.
    numbers_of_rows, operators_of_rows = np.array(numbers).T.tolist(), operators.T.tolist()
    yield from map(Formula, map(tuple, numbers_of_rows), map(tuple, operators_of_rows))


def confirmed_rows(block: Block, targets: Values, game: Game) -> Ints:
    """Return a mask of the rows that the grammar confirms: they are legal and make their target.

    A row is a formula without parentheses; the grammar parses and evaluates it. For the rows 4 x 6
    and 3 x 9 with the target 24, the mask is [True, False].

    Args:
        block: The rows, each packed into one integer.
        targets: An array with the target of each row, or with one target for all rows.
        game: The game of the rows.
    """
    mask = np.zeros(len(block), bool)
    for rows, confirmed in _confirm_batches(block, targets, game):
        mask[rows] = confirmed
    return mask


def all_confirmed(block: Block, targets: Values, game: Game) -> bool:
    """Return whether all rows of a block are legal and make their target.

    A block is an array of rows, each packed into one integer; each row is parsed and evaluated.
    `targets` is an array with the target of each row, or with one target for all rows. This stops
    at the first wrong batch of rows, while `confirmed_rows` checks all.
    """
    return all(bool(confirmed.all()) for _, confirmed in _confirm_batches(block, targets, game))


def _confirm_batches(
    block: Block, targets: Values, game: Game
) -> Iterator[tuple[Ints, npt.NDArray[np.bool_]]]:
    """Check that the rows of a block are legal and make their target, at most 2^16 rows at a time.

    A row is a formula without parentheses, packed into one integer in the block. Rows with the same
    operators are checked together, because they share one parse tree. So the three rows 1 + 5,
    2 x 3 and 4 + 2 are checked in the order 0, 2, 1 or in the order 1, 0, 2.

    Args:
        block: The rows, as an array of integers.
        targets: An array with the expected value of each row, or with one value for all rows.
        game: The game of the rows.

    Yields:
        (indices, confirmed): the indices of the checked rows in the block; and for each of them
            whether it is legal and makes its target.
    """
    # A pattern is all operators of a row, packed into one integer.
    patterns = block.layout.patterns_of(block.keys)
    order = np.argsort(patterns, kind="stable")
    sorted_patterns = patterns[order]
    changes = np.flatnonzero(sorted_patterns[1:] != sorted_patterns[:-1]) + 1
    for start in range(0, len(block), _ROWS_PER_EVALUATION):
        end = min(start + _ROWS_PER_EVALUATION, len(block))
        rows = order[start:end]
        # `changes` are the indices at which the operators change; take those of this batch.
        first_change, last_change = np.searchsorted(changes, [start + 1, end])
        batch_changes = (changes[first_change:last_change] - start).tolist()
        bounds = [0, *batch_changes, end - start]
        batch = Block(block.layout, block.prefix, block.keys[rows])
        batch_targets = targets[rows] if len(targets) > 1 else targets
        yield rows, _confirm_sorted(batch, bounds, batch_targets, game)


def _confirm_sorted(
    block: Block, bounds: Sequence[int], targets: Values, game: Game
) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows of a block that are legal and make their target.

    Args:
        block: The rows, each packed into one integer, sorted so that rows with the same operators
            are neighbours.
        bounds: Where groups of rows with the same operators start, and the number of rows. The
            rows 1 + 2, 5 + 3, 4 x 2 have the bounds 0 2 3.
        targets: An array with the expected value of each row, or with one value for all rows.
        game: The game of the rows.
    """
    # For each number of a row, an array of its value in each row, or one value for all rows.
    game_values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [game_values[codes] for codes in block.numbers()]
    mask = np.empty(len(block), bool)
    for start, end in pairwise(bounds):
        # All rows of the group have the operators of its first row.
        pattern = [int(codes[0]) for codes in block[start : start + 1].operators()]
        group = [column[start:end] if len(column) > 1 else column for column in columns]
        results, legal = evaluate_rows(pattern, group, game)
        matches = results == (targets[start:end] if len(targets) > 1 else targets)
        mask[start:end] = legal & matches
    return mask


def evaluate_rows(pattern: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Evaluate many rows with the same operators at once.

    With the operators of crisps, - + x :, the pattern [2, 0] means a x b - c. For the rows
    2 x 3 - 1 and 5 x 3 - 9:

    >>> from crisps24 import GAMES
    >>> columns = [np.array([2, 5]), np.array([3, 3]), np.array([1, 9])]
    >>> evaluate_rows([2, 0], columns, GAMES["crisps"])[0].tolist()
    [5, 6]

    Args:
        pattern: The operators, as indices into the operators of the game.
        columns: For each number of a row, left to right, an array with its value in each row. An
            array of length 1 has the same value for all rows.
        game: The game, which defines precedence and legal results.

    Returns:
        (values, legal): the value of each row, which means nothing for an illegal row; and a mask
            of the legal rows, or just True if all are legal.
    """
    operators = game.row_operators
    tree = parse_pattern(tuple(operators[code].name for code in pattern), game)
    values, legal = columns[0], np.True_
    # The last step is the operation that is done last, so that its result is the value of the row.
    for step in evaluation_steps(tree, game, lambda number: columns[leaf_index(number)]):
        values = step.result
        if step.legal is not True:
            legal = legal & step.legal
    return values, legal


def value_dtype(game: Game) -> Any:
    """Return a dtype that holds all intermediate values of a game's rows: int64 or object."""
    return integer_dtype([max(game.numbers, key=size_of)] * game.length, game)
