"""What the solving of hands shares: what is asked, what is known of it, the rows that tell it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from crisps24.outside.tables import Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand

if TYPE_CHECKING:
    from crisps24.hands.effort import Difficulty
    from crisps24.hands.forms import Solution


class Puzzle(NamedTuple):
    """What is asked: a hand as it was given, a target, and a game."""

    hand: Hand
    target: Exact
    game: Game


class Answer(NamedTuple):
    """What is known of a puzzle."""

    puzzle: Puzzle
    solutions: "list[Solution]"
    difficulty: "Difficulty | None"


class Wishes(NamedTuple):
    """How hands are to be solved, and their solutions shown."""

    every: bool
    essential: bool
    in_order: bool
    steps: bool
    style: str | None
    form: str

    def shown(self, solutions: "Sequence[Solution]") -> "Sequence[Solution]":
        """Return those solutions that are to be shown."""
        return solutions if self.every else solutions[:1]

    def signed(self, game: Game) -> Game:
        """Return a game that is written in the style that is wished for."""
        return game if self.style is None else replace(game, signs=self.style)


def answers(puzzles: Sequence[Puzzle], wishes: Wishes) -> Iterator[Answer]:
    """Yield what is known of puzzles; those of one game that follow one another, together."""
    for game, together in groupby(puzzles, key=lambda puzzle: puzzle.game):
        yield from _answers_of(game, list(together), wishes)


def _answers_of(game: Game, puzzles: Sequence[Puzzle], wishes: Wishes) -> Iterator[Answer]:
    from crisps24.hands.effort import difficulty_of_each
    from crisps24.hands.solver import solve_many

    in_order = wishes.in_order
    asked = [(puzzle.hand, puzzle.target) for puzzle in puzzles]
    found = list(solve_many(asked, game, in_order=in_order))
    hands = [
        (hand if in_order else tuple(sorted(hand)), target)
        for (hand, target), solutions in zip(asked, found, strict=True)
        if solutions
    ]
    levels = iter(difficulty_of_each(hands, game, in_order=in_order))
    for puzzle, solutions in zip(puzzles, found, strict=True):
        shown = _ideas(solutions) if wishes.essential else solutions
        yield Answer(puzzle, shown, next(levels) if solutions else None)


def _ideas(solutions: "Sequence[Solution]") -> "list[Solution]":
    """Return one solution for each idea, with the share of all that are the same idea."""
    from crisps24.hands.forms import essential

    shares: dict[int, float] = {}
    for each in solutions:
        shares[each.essential] = shares.get(each.essential, 0) + each.share
    return [replace(each, share=shares[each.essential]) for each in essential(solutions)]


def rows_of(answer: Answer, wishes: Wishes) -> list[Row]:
    """Return a row for each solution that is to be shown."""
    return [
        row_of(answer, wishes, solution.expression, solution.value, round(solution.share, 6))
        for solution in wishes.shown(answer.solutions)
    ]


def row_of(
    answer: Answer, wishes: Wishes, expression: Any, value: Exact | None, share: float | None
) -> Row:
    """Return what is told of a puzzle and one expression, None where nothing was found."""
    from crisps24.notation.checking import working
    from crisps24.notation.trees import text_of

    game = wishes.signed(answer.puzzle.game)
    row: Row = {
        "numbers": list(answer.puzzle.hand),
        "target": answer.puzzle.target,
        "expression": None if expression is None else text_of(expression, game.signs),
        "value": value,
        "exact": value == answer.puzzle.target,
        "share": share,
        "solutions": len(answer.solutions),
        "bits": answer.difficulty and answer.difficulty.bits,
        "level": answer.difficulty and answer.difficulty.level,
    }
    if wishes.steps:
        row["steps"] = working(expression, game)
    return row
