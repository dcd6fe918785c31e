"""Every hand of a game with its first solution, or `No answer`."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from crisps24.hands.solver import solve_many
from crisps24.notation.trees import text_of
from crisps24.outside.executors import taking_results
from crisps24.outside.whole_files import remove_left, replacing
from crisps24.rules.deals import hands_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.surveys.deals import chunks_of

NO_ANSWER = "No answer"


def write_answers(
    path: Path,
    target: Exact,
    game: Game,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a line for each hand, tab-separated: its numbers, and its first solution.

    Returns how many hands have one. Raises ValueError for a game with too many hands or too
    many numbers, OSError where the file cannot be written; it is then as it was before.
    """
    hands = hands_of(game)
    chunks = chunks_of(hands)
    count = len(chunks)
    each = map if executor is None else executor.map
    solved = 0
    remove_left([path])
    with replacing(path) as file, taking_results():
        names = [f"Num{place}" for place in range(1, game.length + 1)]
        file.write("\t".join([*names, "Answer\n"]).encode())
        for chunk, answers in zip(
            chunks, each(answers_of, chunks, [target] * count, [game] * count), strict=True
        ):
            for hand, answer in zip(chunk, answers, strict=True):
                file.write("\t".join([*map(str, hand), f"{answer}\n"]).encode())
                solved += answer != NO_ANSWER
            if progress is not None:
                progress(len(chunk))
    return solved


def answers_of(hands: Sequence[tuple[int, ...]], target: Exact, game: Game) -> list[str]:
    """Return the first solution of each hand as text, or `No answer`.

    >>> from crisps24 import GAMES
    >>> answers_of([(3, 3, 8, 8), (1, 1, 1, 1)], 24, GAMES["cards"])
    ['8 / (3 - 8 / 3)', 'No answer']
    """
    found = solve_many([(hand, target) for hand in hands], game)
    return [text_of(each[0].expression, game.signs) if each else NO_ANSWER for each in found]
