"""Every hand of a game with its first solution, in a file of the kind that its name says."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

from crisps24.hands.effort import difficulty_of_each
from crisps24.hands.solver import solve_many
from crisps24.notation.trees import text_of
from crisps24.outside.tables import STREAMS, Row
from crisps24.outside.whole_files import remove_left, replacing
from crisps24.rules.deals import hands_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.surveys.chunks import in_chunks

NO_ANSWER = "No answer"
# How names end; tsv where they end otherwise.
_KINDS = (".tsv", ".csv", ".jsonl")


class Answered(NamedTuple):
    """What is known of a hand: the text of its first solution, None where there is none."""

    expression: str | None
    share: float | None
    solutions: int
    bits: float | None
    level: int | None


def write_answers(
    path: Path,
    target: Exact,
    game: Game,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a line for each hand with its numbers and its first solution.

    A name that ends in .csv or .tsv has a column a number and one for the answer, one in .jsonl
    the keys of `solve --format jsonl`; any other is tsv. Returns how many hands have a solution.

    Raises ValueError for a game with too many hands or too many numbers, OSError where the file
    cannot be written; it is then as it was before.
    """
    kind = path.suffix.lower() if path.suffix.lower() in _KINDS else ".tsv"
    answers = _Answers(target, game, executor, progress)
    as_row = _object_of if kind == ".jsonl" else _cells_of
    names = [f"Num{place}" for place in range(1, game.length + 1)]
    remove_left([path])
    with replacing(path) as file:
        rows = (as_row(hand, target, answer) for hand, answer in answers)
        for line in STREAMS[kind[1:]](rows, [*names, "Answer"]):
            file.write(f"{line}\n".encode())
    return answers.solved


class _Answers:
    """The hands of a game with their answers, and how many have one."""

    def __init__(
        self,
        target: Exact,
        game: Game,
        executor: Executor | None,
        progress: Callable[[int], object] | None,
    ) -> None:
        self.target = target
        self.game = game
        self.executor = executor
        self.progress = progress
        self.solved = 0

    def __iter__(self) -> Iterator[tuple[Hand, Answered]]:
        asked, hands = (self.target, self.game), hands_of(self.game)
        for chunk, answers in in_chunks(answers_of, asked, hands, self.executor, self.progress):
            yield from zip(chunk, answers, strict=True)
            self.solved += sum(answer.expression is not None for answer in answers)


def _cells_of(hand: Hand, _: Exact, answer: Answered) -> Row:
    numbers: Row = {f"Num{place}": number for place, number in enumerate(hand, 1)}
    return numbers | {"Answer": answer.expression or NO_ANSWER}


def _object_of(hand: Hand, target: Exact, answer: Answered) -> Row:
    return {"numbers": list(hand), "target": target, **answer._asdict()}


def answers_of(target: Exact, game: Game, hands: Sequence[Hand]) -> list[Answered]:
    """Return what is known of each of some hands, which share what they have in common.

    >>> from crisps24 import GAMES
    >>> found = answers_of(24, GAMES["cards"], [(3, 3, 8, 8), (1, 1, 1, 1)])
    >>> [(each.expression, each.level) for each in found]
    [('8 / (3 - 8 / 3)', 5), (None, None)]
    """
    puzzles = [(hand, target) for hand in hands]
    graded = difficulty_of_each(puzzles, game)
    found = []
    for ways, hard in zip(solve_many(puzzles, game), graded, strict=True):
        first = ways[0] if ways else None
        found.append(
            Answered(
                text_of(first.expression, game.signs) if first else None,
                round(first.share, 6) if first else None,
                len(ways),
                hard.bits if hard else None,
                hard.level if hard else None,
            )
        )
    return found
