"""Deal rows with missing signs by a seed, each with only one way to reach its target.

Numbers are drawn in order, then a target among those that only one way makes, each as likely. The
tables of counting prove that there is no other way. A change here raises `draws.VERSION`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from crisps24.enumeration.enumeration import RowQuery, count_all_targets
from crisps24.equation_puzzles.gaps import Gaps
from crisps24.equation_puzzles.missing import count_fillings, fill_gaps
from crisps24.equation_puzzles.records import EQUALS
from crisps24.errors import RefusedError
from crisps24.notation.trees import Formula
from crisps24.puzzles.conditions import Conditions, command_of
from crisps24.puzzles.dealing import check_count, seed_from, targets_from
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand

# So many draws in a row may be in vain.
_IN_VAIN = 2_000


@dataclass(frozen=True, slots=True)
class GapPuzzle:
    """A row with missing signs, and the only way to put them."""

    gaps: Gaps
    sides: tuple[Formula, Formula]

    @property
    def target(self) -> int:
        """What is to be made."""
        return self.gaps.numbers[-1]


@dataclass(frozen=True, slots=True)
class GapDeal:
    """A sequence of dealt puzzles, with the seed and the command that deal them again."""

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
    """Deal puzzles with missing signs, each with one answer; `equals` has `=` missing as well.

    `progress` is called with the number of puzzles just dealt.

    >>> from crisps24 import GAMES
    >>> [puzzle] = deal_gaps(GAMES["crisps"], seed=7).puzzles
    >>> str(puzzle.gaps), str(puzzle.sides[0])
    ('6 _ 5 _ 4 _ 5 = 24', '6 x 5 x 4 : 5')

    Raises ValueError for more than 100,000, and where no puzzle, or too few, have one answer.
    """
    check_count(count)
    if game.length < 2:
        raise RefusedError("there is no sign missing where there is one number")
    if game.numbers[0] < 0:
        raise RefusedError("missing signs are put between numbers that are not below zero")
    seed, wanted = seed_from(seed), targets_from(game, target, targets)
    draws = Draws(seed, "signs" if not equals else "signs and =")
    found: dict[str, GapPuzzle] = {}
    in_vain = 0
    while len(found) < count:
        puzzle = _drawn(game, wanted, draws, equals=equals)
        if puzzle is not None and str(puzzle.gaps) not in found:
            found[str(puzzle.gaps)], in_vain = puzzle, 0
            if progress is not None:
                progress(1)
        elif (in_vain := in_vain + 1) == _IN_VAIN:
            many = f"only {len(found):,} puzzles" if found else "no puzzle"
            raise RefusedError(f"{many} found that have one answer, in {_IN_VAIN:,} draws in a row")
    asked = command_of(game, count, seed, Conditions(), target=target, targets=targets)
    command = f"{asked} --signs{' --equals' if equals else ''}"
    return GapDeal(tuple(found.values()), command)


def _drawn(game: Game, wanted: Sequence[Exact], draws: Draws, *, equals: bool) -> GapPuzzle | None:
    """Return what is drawn, None where nothing of it has one answer."""
    if game.repeats:
        hand: Hand = tuple(draws.one_of(game.numbers) for _ in range(game.length))
    else:
        hand = tuple(islice(draws.shuffled(game.numbers), game.length))
    rules = replace(game, parentheses=False, all_numbers=True)
    made = count_all_targets(RowQuery(rules, hand, True))
    once = [each for each in wanted if isinstance(each, int) and made.get(each) == 1 and each >= 0]
    for target in draws.shuffled(once):
        signs = (*(None for _ in hand[1:]), None if equals else EQUALS)
        gaps = Gaps((*hand, target), signs)
        if count_fillings(gaps, rules) == 1:
            [sides] = fill_gaps(gaps, rules)
            return GapPuzzle(gaps, sides)
    return None
