"""Answers: what is known of puzzles once they are solved, of many at a time, on all cores if given.

Owns the rows that programs get, from the command line and from files alike.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from crisps24.hands.puzzle import Puzzle
from crisps24.hands.solver import solve_many
from crisps24.notation.trees import text_of
from crisps24.outside.tables import Row
from crisps24.puzzles.dealing import Deal
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import rules_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

# What a row has, in this order.
KEYS = ("id", "game", "rules", "hand", "target", "best", "bits", "level", "solutions", "answer")
# So many puzzles are handed to a process at once.
_SHARE = 20


class Answer(NamedTuple):
    """What is known of a puzzle once it is solved."""

    text: str
    """The likeliest solution; without parentheses where these were asked for."""
    solutions: int
    """How many distinct ones there are."""


def answers(puzzles: Sequence[Puzzle], executor: "Executor | None" = None) -> Iterator[Answer]:
    """Yield the answer of each of some puzzles of one game, as the executor has it, in order.

    >>> from crisps24.hands.puzzle import puzzle_of
    >>> next(answers([puzzle_of("cards:3.3.8.8=24")]))
    Answer(text='8 / (3 - 8 / 3)', solutions=1)
    """
    if not puzzles:
        return
    plain = isinstance(puzzles, Deal) and puzzles.plain
    solved = partial(_solved, puzzles[0].game, plain)
    asked = [(puzzle.hand, puzzle.best) for puzzle in puzzles]
    if executor is None:
        yield from solved(asked)
        return
    shares = [asked[at : at + _SHARE] for at in range(0, len(asked), _SHARE)]
    for found in executor.map(partial(_listed, puzzles[0].game, plain), shares):
        yield from found


def _listed(game: Game, plain: bool, asked: Sequence[tuple[Hand, Exact]]) -> list[Answer]:
    """Return the answers of a share, in another process perhaps."""
    return list(_solved(game, plain, asked))


def _solved(game: Game, plain: bool, asked: Sequence[tuple[Hand, Exact]]) -> Iterator[Answer]:
    for found in solve_many(asked, game):
        texts = [text_of(each.expression, game.signs) for each in (found if plain else found[:1])]
        yield Answer(next((text for text in texts if "(" not in text), texts[0]), len(found))


def effort_of(puzzles: Sequence[Puzzle]) -> int:
    """Return how much work it is to solve puzzles: hands of six are far more than hands of four."""
    return sum(len(puzzle.hand) ** len(puzzle.hand) for puzzle in puzzles)


def shares_of(puzzles: Sequence[Puzzle]) -> int:
    """Return in how many shares puzzles are solved by an executor."""
    return -(-len(puzzles) // _SHARE)


def rows_of(puzzles: Sequence[Puzzle], answered: Iterator[Answer]) -> Iterator[Row]:
    """Yield all that is known of each of some puzzles and its answer, by `KEYS`."""
    for puzzle, answer in zip(puzzles, answered, strict=True):
        graded = puzzle.difficulty
        yield {
            "id": puzzle.id,
            "game": puzzle.game.name,
            "rules": rules_of(puzzle.game),
            "hand": list(puzzle.hand),
            "target": puzzle.target,
            "best": puzzle.best,
            "bits": graded and graded.bits,
            "level": graded and graded.level,
            "solutions": answer.solutions,
            "answer": answer.text,
        }
