"""Puzzles: a hand, a target, a game, and what is known of them."""

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.hands.effort import Difficulty, approached, difficulty
from crisps24.rules.deals import dealt
from crisps24.rules.exact import Exact, exact, simplest
from crisps24.rules.games import Game, Hand, changes_of, find_game
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.rules import RULES
from crisps24.rules.words import (
    format_value,
)

if TYPE_CHECKING:
    from crisps24.hands.forms import Solution
    from crisps24.notation.checking import Check
    from crisps24.notation.trees import Expression, Formula


@dataclass(frozen=True, slots=True, repr=False)
class Puzzle:
    """A hand from which a target is to be made in a game.

    >>> puzzle = puzzle_of("cards:3.3.8.8=24")
    >>> puzzle.hand, puzzle.target, puzzle.difficulty.level
    ((3, 3, 8, 8), 24, 5)
    >>> puzzle.check("8 / (3 - 8 / 3)").verdict
    'right'
    """

    game: Game
    hand: Hand
    """The numbers, in the order in which they are dealt."""
    target: Exact
    best: Exact
    """What can be made: the target, or the value nearest to it."""
    difficulty: Difficulty | None = field(compare=False)
    """How hard it is to make the best, without a level where that is not the target; None where
    people cannot."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", find_game(self.game))
        object.__setattr__(self, "hand", dealt(self.hand, self.game))
        object.__setattr__(self, "target", exact(self.target))
        object.__setattr__(self, "best", exact(self.best))
        if not isinstance(self.difficulty, Difficulty | None):
            raise KindError(f"{quoted(self.difficulty)} is no Difficulty, and not None")

    def __repr__(self) -> str:
        changes = changes_of(self.game)
        if changes is not None and changes.keys() <= RULES.keys():
            return f"puzzle_of({self.id!r})"
        told = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
        return f"Puzzle({', '.join(told)})"

    @property
    def id(self) -> str:
        """The text from which `puzzle_of` makes the puzzle again, in one of the games there are."""
        return format_id(self.game, self.hand, self.target)

    @property
    def level(self) -> int | None:
        """From 1, easy, to 5; None for what cannot be made, and for games without levels."""
        return None if self.difficulty is None else self.difficulty.level

    @property
    def nearest(self) -> tuple[Exact, ...]:
        """What solves it: the target, or the value nearest to it and the one as far beyond."""
        return tuple(dict.fromkeys((self.best, simplest(2 * self.target - self.best))))

    def solutions(self) -> "list[Solution]":
        """Return every distinct solution, the likeliest first."""
        from crisps24.hands.solver import solutions

        return solutions(self.hand, self.best, self.game)

    def check(
        self, text: "str | Formula | Expression", *, strict: bool = False, style: str | None = None
    ) -> "Check":
        """Say whether a formula solves it, and if not, why; see `checking.check`.

        Where the target cannot be made, what is as near to it as can be solves it.
        """
        from crisps24.notation.checking import check

        found = [
            check(text, value, self.hand, self.game, strict=strict, style=style)
            for value in self.nearest
        ]
        return next((each for each in found if each.verdict == "right"), found[0])

    def hint(self) -> str:
        """Return the first step of the likeliest way: `13 - 7 = 6`."""
        from crisps24.hands.likeliest import hints

        return hints(self.solutions()[0].expression, self.game)[0]

    def _repr_svg_(self) -> str:
        """Return the picture of it that a notebook shows."""
        from crisps24.outside.cards import card_of
        from crisps24.outside.drawings import svg_of

        return svg_of(card_of(self.hand, self.target, self.level))


def puzzle_of(text: str) -> Puzzle:
    """Return the puzzle of an id.

    Raises ValueError, in one sentence, for what is no id, and for a puzzle that cannot be solved.
    """
    game, hand, target = parse_id(text)
    return posed(game, hand, target)


def posed(game: Game, hand: Hand, target: Exact) -> Puzzle:
    """Return a puzzle with how hard it is.

    Raises ValueError for one that cannot be solved, or not by a game.
    """
    found = difficulty(hand, target, game)
    best = target
    if found is None:
        from crisps24.hands.solver import closest

        near = closest(hand, target, game)
        if not near:
            raise RefusedError("of these numbers nothing can be made by these rules")
        best = target if target in near else min(near)
        found = difficulty(hand, best, game)
        found = approached(found) if found and best != target else found
    return Puzzle(game, hand, target, best, found)


def check_posed(formula: str, target: Exact, hand: Hand, game: Game, **how: Any) -> "Check":
    """Say whether a formula solves a puzzle, and if not, why; `how` is as in `checking.check`.

    Where the target cannot be made, what is as near to it as can be is right, and that is said. A
    puzzle is solved for that only where a formula makes something else.

    >>> from crisps24 import GAMES
    >>> check_posed("1 + 1 + 1 + 1", 24, (1, 1, 1, 1), GAMES["cards"]).reason
    'as near to 24 as can be'
    """
    from crisps24.notation.checking import check

    found = check(formula, target, hand, game, **how)
    if found.verdict != "wrong" or found.value is None:
        return found
    try:
        nearest = posed(game, hand, target).check(formula, **how)
    except RefusedError:
        # More numbers than can be solved can be checked all the same.
        return found
    if nearest.verdict != "right":
        return found
    return replace(nearest, reason=f"as near to {format_value(target)} as can be")
