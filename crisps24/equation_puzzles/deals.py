"""Deal rows with missing signs from a seed, each with exactly one answer.

Numbers are drawn in order, then a target, with equal probability among those that exactly one
formula of the numbers makes; `count_fillings` proves that no other filling exists. A change of the
draws needs a new `draws.VERSION`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from crisps24.enumeration.enumeration import RowQuery, count_all_targets
from crisps24.equation_puzzles.gaps import Gaps
from crisps24.equation_puzzles.missing import count_fillings, fill_gaps
from crisps24.equation_puzzles.records import EQUALS
from crisps24.errors import RefusedError
from crisps24.notation.trees import Formula
from crisps24.puzzles.conditions import Conditions, deal_command
from crisps24.puzzles.dealing import candidate_targets, check_count, to_seed
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.rules.exact import Exact, whole_numbers
from crisps24.rules.games import Game

# Draws in a row without a new puzzle, before the deal is refused.
_MAX_FAILED_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class GapPuzzle:
    """A row with missing signs, and its only answer: the formulas on both sides of `=`."""

    gaps: Gaps
    sides: tuple[Formula, Formula]

    @property
    def target(self) -> int:
        """The target, which is the last number of the row."""
        return self.gaps.numbers[-1]


@dataclass(frozen=True, slots=True)
class GapDeal:
    """Dealt puzzles, with the command that deals them again."""

    puzzles: tuple[GapPuzzle, ...]
    command: str
    version: int = VERSION


def deal_gaps(
    game: Game,
    count: int = 1,
    *,
    seed: int | None = None,
    target: Exact | None = None,
    targets: range | None = None,
    equals: bool = False,
    progress: Callable[[int], object] | None = None,
) -> GapDeal:
    """Deal different puzzles with missing signs, each with exactly one answer."""
    check_count(count)
    if game.length < 2:
        raise RefusedError("a row with missing signs needs at least two numbers")
    if game.numbers[0] < 0:
        raise RefusedError("a row with missing signs cannot have numbers below zero")
    whole_numbers(game.numbers)
    seed, allowed = to_seed(seed), candidate_targets(game, target, targets)
    draws = Draws(seed, "signs" if not equals else "signs and =")
    puzzles: dict[str, GapPuzzle] = {}
    failed_draws = 0
    while len(puzzles) < count:
        puzzle = _draw_puzzle(game, allowed, draws, equals=equals)
        if puzzle is not None and str(puzzle.gaps) not in puzzles:
            puzzles[str(puzzle.gaps)], failed_draws = puzzle, 0
            if progress is not None:
                progress(1)
        elif (failed_draws := failed_draws + 1) == _MAX_FAILED_DRAWS:
            found = f"only {len(puzzles):,} puzzles" if puzzles else "no puzzle"
            draws_made = f"{_MAX_FAILED_DRAWS:,} draws in a row without a new one"
            raise RefusedError(f"{found} with one answer: {draws_made}")
    command = deal_command(game, count, seed, Conditions(), target=target, targets=targets)
    command += f" --signs{' --equals' if equals else ''}"
    return GapDeal(tuple(puzzles.values()), command)


def _draw_puzzle(
    game: Game, allowed: Sequence[Exact], draws: Draws, *, equals: bool
) -> GapPuzzle | None:
    """Draw the numbers of a row, then its target; return the puzzle of that row."""
    if game.dice and game.repeats:
        drawn: Iterable[Exact] = draws.shuffled(draws.throw(game.dice))
    elif game.repeats:
        drawn = (draws.choose(game.numbers) for _ in range(game.length))
    else:
        drawn = islice(draws.shuffled(game.numbers), game.length)
    hand = whole_numbers(drawn)
    rules = replace(game, parentheses=False, all_numbers=True, in_order=True)
    formula_counts = count_all_targets(RowQuery(rules, hand))
    unique_targets = [
        target
        for target in allowed
        if isinstance(target, int) and target >= 0 and formula_counts.get(target) == 1
    ]
    for target in draws.shuffled(unique_targets):
        # With the equals sign missing too, other places of it can give more answers.
        signs = (*(None for _ in hand[1:]), None if equals else EQUALS)
        gaps = Gaps((*hand, target), signs)
        if count_fillings(gaps, rules) == 1:
            [sides] = fill_gaps(gaps, rules)
            return GapPuzzle(gaps, sides)
    return None
