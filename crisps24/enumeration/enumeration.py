"""Count and list all formulas of a game or of a card, confirmed by the grammar.

`RowQuery` has the checked arguments of a search. Rows come from `finding`; for a game such as
game24, which does not compute x before +, all possible rows are evaluated once. The grammar
confirms rows before they are returned: rows are sorted by operator pattern, the grammar parses each
pattern once, and its tree is evaluated on columns: all rows a - b x c share the tree a - (b x c).
A row that is illegal or does not make the target is an internal error (`DisagreementError`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise, permutations, product
from operator import itemgetter
from shlex import quote
from typing import Any, Self

import numpy as np

from crisps24.enumeration.counting import Tables, count_by_target, count_formulas, tables_of
from crisps24.enumeration.finding import Part, find_blocks, find_parts
from crisps24.enumeration.keys import Block, Layout, join_blocks
from crisps24.enumeration.places import MAX_CARD_NUMBERS, MAX_CARD_NUMBERS_IN_ORDER, MAX_ROW_NUMBERS
from crisps24.enumeration.work import budget_for_count, expected_pairs
from crisps24.errors import CrispsError, RefusedError
from crisps24.notation.checking import evaluate
from crisps24.notation.errors import FormulaError
from crisps24.notation.evaluation import evaluation_steps
from crisps24.notation.parser import parse_pattern
from crisps24.notation.trees import Formula, leaf_index
from crisps24.rules.deals import HandLike, list_hands, to_hand
from crisps24.rules.exact import Exact, has_fractions, size_of, to_exact
from crisps24.rules.games import GAMES, Game, Hand, find_game
from crisps24.rules.ids import changed_rules
from crisps24.rules.machines import ROW_PARTS, ROWS
from crisps24.rules.ratios import Column as Values
from crisps24.rules.ratios import (
    Ints,
    exact_values,
    group_rows,
    integer_dtype,
    join_columns,
    make_column,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.widths import int_range, repeat_rows
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
# Rows that are sorted by card.
_MAX_ROWS_BY_CARD = 50_000_000
# Numbers of the example hand in an error.
_EXAMPLE_NUMBERS = 6

# Called with the amount of work just done.
Progress = Callable[[int], object]


class DisagreementError(CrispsError, RuntimeError):
    """The search found a row that the grammar refuses, or the reverse: an internal error."""


def _advice_for_hand(game: Game, card: Hand | None) -> str:
    """Return the end of an error: the command that solves one hand of the game."""
    has_unary = game.signed or any(operator.arity == 1 for operator in game.row_operators)
    example_numbers = game.numbers[: min(game.length, _EXAMPLE_NUMBERS)]
    hand = " ".join(map(str, card or example_numbers))
    options = [
        quote(rule.option_for(value))
        for rule, value in changed_rules(game)
        if rule.field not in ("length", "numbers", "large")
    ]
    if game.in_order:
        options.append("--in-order")
    if game.signed and not game.parentheses:
        options.append("--parentheses")
    arguments = " ".join([hand, "--game", game.name, *options])
    if has_unary:
        return f"for a hand use crisps24 reach {arguments} --forms"
    if game.name in GAMES and (size := len(hand.split())) > GAMES[game.name].length:
        arguments += f" --length {size}"
    target_option = f" --target {game.targets[0]}" if game.target is None else ""
    return f"for a hand use crisps24 solve {arguments}{target_option}"


@dataclass(frozen=True, slots=True)
class RowQuery:
    """The rows to count or find: those of a game, or those that use each number of a card once.

    A row is a formula without parentheses.
    """

    game: Game
    """The game; for a card, it has the numbers and the length of the card."""
    card: Hand | None = None
    work: int | None = field(default=DEFAULT_WORK, compare=False)
    """Largest search to attempt, in pairs of values (None: no limit)."""

    def __post_init__(self) -> None:
        game, card = self.game, self.card
        # Some games have no counts at all, such as those with parentheses.
        problem = ROWS.obstacle_in(game if card is None else replace(game, repeats=True, dice=()))
        if card is not None and has_fractions(card):
            problem = problem or "lists formulas of whole numbers only"
        if problem:
            advice = _advice_for_hand(game, card)
            refusal = ROWS.refusal.format(game=game.name, sign=problem)
            raise RefusedError(f"{refusal}; {advice}")
        check_work_limit(self.work)
        if card is None:
            if game.in_order:
                raise RefusedError("in_order keeps the order of a card: give one")
            if game.length > MAX_ROW_NUMBERS:
                raise RefusedError(
                    f"rows have at most {MAX_ROW_NUMBERS} numbers, not {game.length}"
                )
            return
        limit = MAX_CARD_NUMBERS_IN_ORDER if game.in_order else MAX_CARD_NUMBERS
        if len(card) > limit:
            order = "in order" if game.in_order else f"({MAX_CARD_NUMBERS_IN_ORDER} in order)"
            raise RefusedError(f"a card has at most {limit} numbers {order}, not {len(card)}")
        game = replace(game, numbers=card, length=len(card), repeats=True, dice=())
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "card", card if game.in_order else tuple(sorted(card)))

    @classmethod
    def of(
        cls,
        game: Game | str,
        card: HandLike | None = None,
        in_order: bool = False,
        work: int | None = DEFAULT_WORK,
    ) -> Self:
        found_game = find_game(game, in_order=in_order)
        hand = None if card is None else to_hand(card, found_game)
        return cls(found_game, hand, work)

    @property
    def grouped_by_precedence(self) -> bool:
        """Whether rows can be counted from tables of values; False for games such as game24."""
        return self.game.grouping == "standard"

    def tables(self) -> Tables:
        """Return the object that counts the rows, the same one for the same query."""
        return tables_of(self.game, self.card)


def count(
    target: Exact,
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
    progress: Progress | None = None,
) -> int:
    """Count the formulas of a game that make a target.

    The formulas are not listed: four numbers take milliseconds, 12 about a second.

    Args:
        target: A target that cannot be made has 0 formulas.
        game: A game whose formulas have no parentheses and use all numbers, or its name.
        card: The numbers of a hand, up to 7: only formulas that use each of them once are counted.
        in_order: Keep the order of the card, which can then have up to 12 numbers.
        work: The largest search to attempt, in pairs of values that are combined (None: no limit).
        progress: Called with the number of pairs just computed.

    Raises:
        KindError: The target is not exact.
        RefusedError: The game or the card is not allowed, or the search exceeds its limit.

    >>> count(143), count(24), count(24, "game24")
    (48, 2374, 2374)
    >>> count(24, card=(4, 3, 8, 4)), count(24, card=(4, 3, 8, 4), in_order=True)
    (36, 3)
    """
    query, target = RowQuery.of(game, card, in_order, work), to_exact(target)
    return count_rows(query, target, progress)


def count_rows(query: RowQuery, target: Exact, progress: Progress | None = None) -> int:
    """Return the number of rows of a query that make a target."""
    if query.grouped_by_precedence:
        tables = query.tables()
        budget = budget_for_count(tables, query.work, all_targets=False, progress=progress)
        with tables.using_budget(budget):
            found = count_formulas(target, tables)
        return found - (query.game.nontrivial and found and _count_trivial(query, target))
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

    The arguments and errors are those of `count`.

    >>> by_target = counts()
    >>> len(by_target), max(by_target), sum(by_target.values())
    (671, 6561, 164130)
    """
    return count_all_targets(RowQuery.of(game, card, in_order, work), progress)


def count_all_targets(query: RowQuery, progress: Progress | None = None) -> dict[Exact, int]:
    """Return every target of a query, ascending, with its number of rows."""
    if query.grouped_by_precedence:
        tables = query.tables()
        budget = budget_for_count(tables, query.work, all_targets=True, progress=progress)
        with tables.using_budget(budget):
            by_target = count_by_target(tables)
        for target in [*by_target] if query.game.nontrivial else ():
            if left := by_target.pop(target) - _count_trivial(query, target):
                by_target[target] = left
        return by_target
    _, keys_by_target = _enumerate_rows(query)
    return {target: len(keys) for target, keys in keys_by_target.items()}


def count_cards(query: RowQuery, target: Exact) -> dict[Hand, int]:
    """Return for each card of a game how many rows with its numbers make a target, fewest first."""
    if (total := count_rows(query, target)) > _MAX_ROWS_BY_CARD:
        raise RefusedError(f"{total:,} formulas are too many to sort (limit {_MAX_ROWS_BY_CARD:,})")
    found = Counter(dict.fromkeys(list_hands(query.game), 0))
    for block in _find_blocks(target, query):
        codes = [np.broadcast_to(column, len(block)) for column in block.numbers()]
        rows, counts = np.unique(np.sort(codes, axis=0), axis=1, return_counts=True)
        cards = (tuple(query.game.numbers[code] for code in row) for row in rows.T.tolist())
        found.update(dict(zip(cards, counts.tolist(), strict=True)))
    return dict(sorted(found.items(), key=itemgetter(1)))


def formulas(
    target: Exact,
    game: Game | str = "crisps",
    *,
    card: HandLike | None = None,
    in_order: bool = False,
) -> Iterator[Formula]:
    """Yield the formulas of the game that make a target, in the order of a results file.

    The order is by numbers, then by operators in the order `-`, `+`, `x`, `:`. Formulas are found
    as they are needed. The arguments are those of `count`; its errors are raised at the first
    formula.

    >>> print(*formulas(6561), sep=", ")
    9 x 9 x 9 x 9
    >>> print(*formulas(24, card=(4, 3, 8, 4), in_order=True), sep=", ")
    4 + 3 x 8 - 4, 4 x 3 + 8 + 4, 4 x 3 x 8 : 4
    """
    yield from find_formulas(RowQuery.of(game, card, in_order), to_exact(target))


def find_formulas(query: RowQuery, target: Exact) -> Iterator[Formula]:
    """Yield the formulas of a query that make a target, in the order of a results file."""
    for block in blocks_for(target, query):
        yield from formulas_of(block, query.game)


def blocks_for(target: Exact, query: RowQuery) -> Iterator[Block]:
    """Yield the rows that make a target, in file order, confirmed; the first blocks are small."""
    return (block for _, block in blocks_for_targets([target], query, _FIRST_BATCH_ROWS))


def blocks_for_targets(
    targets: Iterable[Exact], query: RowQuery, batch_rows: int = _BATCH_ROWS
) -> Iterator[tuple[Exact, Block]]:
    """Yield (target, block) for one target after the other: rows in file order, confirmed.

    Each target has at least one block, which can be empty. After `batch_rows` rows, four times as
    many are confirmed together, and so on up to 2^22.
    """
    if query.grouped_by_precedence:
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
    """Yield the rows of some parts of `parts_for`, confirmed."""
    found = _without_trivial(find_blocks(query.tables(), target, parts), target, query)
    blocks = ((target, block) for block in found)
    return (block for _, block in _confirm_in_batches(blocks, query.game, _BATCH_ROWS))


def parts_for(target: Exact, query: RowQuery, max_rows: int) -> Iterator[Part]:
    """Divide the rows that make a target into parts of at most `max_rows` rows, in file order."""
    ROW_PARTS.check(query.game)
    return find_parts(query.tables(), target, max_rows)


def _confirm_in_batches(
    blocks: Iterable[tuple[Exact, Block]], game: Game, batch_rows: int
) -> Iterator[tuple[Exact, Block]]:
    """Yield the same rows once the grammar has confirmed them; batches split blocks."""
    batch: list[tuple[Exact, Block]] = []
    batch_size = 0
    for target, block in blocks:
        rest = block
        while True:
            room = batch_rows - batch_size
            head, rest = rest[:room], rest[room:]
            batch.append((target, head))
            batch_size += len(head)
            if batch_size >= batch_rows:
                _check_rows(batch, game)
                yield from batch
                batch, batch_size = [], 0
                # A small first batch is quick, but larger batches take less time per row.
                batch_rows = min(4 * batch_rows, _BATCH_ROWS)
            if not len(rest):
                break
    _check_rows(batch, game)
    yield from batch


def unconfirmed_keys(target: Exact, query: RowQuery) -> Iterator[Ints]:
    """Yield the rows that make a target as ascending keys, only to compare them with others."""
    layout = layout_of(query.game)
    return (block.with_full_keys(layout).keys for block in _find_blocks(target, query))


def layout_of(game: Game) -> Layout:
    """Return where the bits of each number and operator are in the keys of a game's rows."""
    return Layout(game.length, len(game.numbers), len(game.row_operators))


def count_targets(
    targets: Sequence[Exact], query: RowQuery, progress: Progress | None = None
) -> dict[Exact, int]:
    """Return {target: number of rows}, in the order given; many targets share one count."""
    if _is_cheaper_for_all_targets(len(targets), query.game.length):
        by_target = count_all_targets(query, progress)
        return {target: by_target.get(target, 0) for target in targets}
    return {target: count_rows(query, target, progress) for target in targets}


def estimate_pairs(target_count: int | None, query: RowQuery) -> int:
    """Estimate the pairs of values of a count of some targets, or of all; 0 if it is small."""
    if not query.grouped_by_precedence:
        return 0
    if target_count is not None and _is_cheaper_for_all_targets(target_count, query.game.length):
        target_count = None
    return expected_pairs(query.tables(), target_count)


def _is_cheaper_for_all_targets(target_count: int, length: int) -> bool:
    return target_count > _MAX_SINGLE_TARGETS * _SINGLE_TARGETS_GROWTH ** (length - 4)


def _find_blocks(target: Exact, query: RowQuery) -> Iterator[Block]:
    """Return an iterator over the rows that make a target, in file order, not confirmed."""
    if query.grouped_by_precedence:
        memory = None if query.work is None else MAX_TABLE_BYTES
        query.tables().set_budget(Budget("finding formulas", work=query.work, memory=memory))
        return _without_trivial(find_blocks(query.tables(), target), target, query)
    layout, keys_by_target = _enumerate_rows(query)
    return iter([Block(layout, (), keys_by_target[target])] if target in keys_by_target else [])


def _without_trivial(blocks: Iterator[Block], target: Exact, query: RowQuery) -> Iterator[Block]:
    if not (query.game.nontrivial and _count_trivial(query, target)):
        return blocks
    joins = np.array([operator.joins for operator in query.game.row_operators], bool)
    return (
        Block(block.layout, block.prefix, block.keys[is_formula])
        for block in blocks
        for is_formula in [~np.all([joins[codes] for codes in block.operators()], axis=0)]
    )


def _count_trivial(query: RowQuery, target: Exact) -> int:
    """Return 1 if the digits of a target, all joined, are a row of a nontrivial game, else 0."""
    game = replace(query.game, nontrivial=False)
    digits = tuple(map(int, re.findall("[0-9]", str(target))))
    dealt = digits if game.in_order else tuple(sorted(digits))
    joins = [operator.name for operator in game.row_operators if operator.joins]
    if len(digits) != game.length or not joins or query.card not in (None, dealt):
        return 0
    with suppress(FormulaError):
        return int(evaluate(Formula(digits, tuple(joins * (game.length - 1))), game) == target)
    return 0


def _check_rows(batch: list[tuple[Exact, Block]], game: Game) -> None:
    """Raise DisagreementError for the first row that is illegal or does not make its target."""
    batch = [(target, block) for target, block in batch if len(block)]
    if not batch:
        return
    # An array with the target of each row, or with one target for all rows.
    targets = make_column([target for target, _ in batch], game.fractions, value_dtype(game))
    if len({target for target, _ in batch}) == 1:
        targets = targets[:1]
    else:
        block_sizes = np.array([len(block) for _, block in batch], np.int64)
        targets = targets[repeat_rows(int_range(len(batch)), block_sizes)]
    # Check the blocks, each with the targets of its rows. Joined blocks share work.
    start = 0
    for block in join_blocks([block for _, block in batch]):
        end = start + len(block)
        block_targets = targets[start:end] if len(targets) > 1 else targets
        confirmed = confirmed_rows(block, block_targets, game)
        if not confirmed.all():
            row = int(np.argmin(confirmed))
            [formula] = formulas_of(block[row : row + 1], game)
            [target] = exact_values(block_targets[row:][:1] if len(targets) > 1 else targets)
            text = f"the grammar does not agree that {formula} makes {target}"
            raise DisagreementError(f"internal error: {text}")
        start = end


@lru_cache(maxsize=4)
def _enumerate_rows(query: RowQuery) -> tuple[Layout, dict[Exact, Ints]]:
    """Evaluate all possible rows, for game24; return the layout of keys, and the keys by value."""
    game = query.game
    number_count, operator_count = len(game.numbers), len(game.row_operators)
    max_rows = number_count**game.length * operator_count ** (game.length - 1)
    if max_rows > _MAX_EVALUATED_ROWS:
        raise RefusedError(f"{game.name} evaluates all rows: {number_count} numbers are too many")
    layout = Layout(game.length, number_count, operator_count)
    # The codes of the numbers of all possible rows, a column for each row.
    if query.card is None:
        number_codes = np.indices([number_count] * game.length, np.int64).reshape(game.length, -1)
    else:
        card = [game.numbers.index(number) for number in query.card]
        orders = [card] if game.in_order else sorted(set(permutations(card)))
        number_codes = np.array(orders, np.int64).T
    game_values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [game_values[codes] for codes in number_codes]
    # For each row, the bits of its numbers: the first number has the highest bits.
    number_keys = sum(
        codes.astype(np.int64) << (layout.pattern_bits + layout.number_bits * numbers_after)
        for numbers_after, codes in enumerate(number_codes[::-1])
    )
    # Evaluate all rows with the same operators at once, such as all rows a + b x c - d.
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
    all_results = reduce_column(join_columns(results_by_pattern))
    order, starts = group_rows(all_results)
    key_groups = np.split(np.concatenate(keys_by_pattern)[order], starts[1:])
    sorted_groups = map(np.sort, key_groups)
    values = exact_values(all_results[order[starts]])
    return layout, dict(sorted(zip(values, sorted_groups, strict=True), key=itemgetter(0)))


def formulas_of(block: Block, game: Game) -> Iterator[Formula]:
    """Yield the rows of a block as formulas, in order."""
    game_numbers = np.array(game.numbers, object)
    operator_names = np.array([operator.name for operator in game.row_operators], object)
    numbers = [np.broadcast_to(game_numbers[codes], len(block)) for codes in block.numbers()]
    operator_codes = np.array(block.operators(), np.int64)
    operators = operator_names[operator_codes.reshape(block.layout.length - 1, len(block))]
    numbers_of_rows, operators_of_rows = np.array(numbers, object).T.tolist(), operators.T.tolist()
    yield from map(Formula, map(tuple, numbers_of_rows), map(tuple, operators_of_rows))


def confirmed_rows(block: Block, targets: Values, game: Game) -> Ints:
    """Return a mask of the legal rows that make their target; `targets` has one, or one per row."""
    mask = np.zeros(len(block), bool)
    # Rows with the same operators share a tree.
    patterns = block.layout.patterns_of(block.keys)
    order = np.argsort(patterns, kind="stable")
    changes = run_start_mask(patterns[order]).nonzero()[0]
    for start in range(0, len(block), _ROWS_PER_EVALUATION):
        end = min(start + _ROWS_PER_EVALUATION, len(block))
        rows = order[start:end]
        # `changes` are the indices at which the operators change; take those of this batch.
        first_change, last_change = np.searchsorted(changes, [start + 1, end])
        batch_changes = (changes[first_change:last_change] - start).tolist()
        bounds = [0, *batch_changes, end - start]
        batch = Block(block.layout, block.prefix, block.keys[rows])
        batch_targets = targets[rows] if len(targets) > 1 else targets
        mask[rows] = _confirm_sorted(batch, bounds, batch_targets, game)
    return mask


def _confirm_sorted(block: Block, bounds: Sequence[int], targets: Values, game: Game) -> Ints:
    """Return a mask of the confirmed rows; those with the same operators start at the `bounds`."""
    game_values = make_column(game.numbers, game.fractions, value_dtype(game))
    columns = [game_values[codes] for codes in block.numbers()]
    mask = np.empty(len(block), bool)
    for start, end in pairwise(bounds):
        pattern = [int(codes[0]) for codes in block[start : start + 1].operators()]
        group = [column[start:end] if len(column) > 1 else column for column in columns]
        results, legal = evaluate_rows(pattern, group, game)
        matches = results == (targets[start:end] if len(targets) > 1 else targets)
        mask[start:end] = legal & matches
    return mask


def evaluate_rows(pattern: list[int], columns: list[Values], game: Game) -> tuple[Values, Any]:
    """Evaluate rows with the same operators, in columns; return values, and a mask or True."""
    operators = game.row_operators
    tree = parse_pattern(tuple(operators[code].name for code in pattern), game)
    values, legal = columns[0], np.True_
    for step in evaluation_steps(tree, game, lambda number: columns[leaf_index(number)]):
        values = step.result
        if step.legal is not True:
            legal = legal & step.legal
    return values, legal


def value_dtype(game: Game) -> Any:
    """Return a dtype that holds all intermediate values of a game's rows: int64 or object."""
    return integer_dtype([max(game.numbers, key=size_of)] * game.length, game)
