"""Every hand of a game with its first solution, as a tsv, csv or jsonl file."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from crisps24.output.atomic_files import remove_abandoned, replace_file
from crisps24.output.tables import TABLE_FORMATS, Row, stream
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.rules.deals import list_hands
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.surveys.chunks import in_chunks

NO_ANSWER = "No answer"
# The format of a file whose name ends with no other.
_USUAL = "tsv"
# The keys of a line of a nested format such as .jsonl, in order.
_KEYS = ("numbers", "target", "expression", "share", "solutions", "bits", "level")


def write_answers(
    path: Path,
    target: Exact,
    game: Game,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a line for each hand with its numbers and its first solution.

    A .csv or .tsv has a column for each number and one for the answer, a .json or .jsonl the keys
    of `solve --format jsonl`; any other name is tsv. Returns how many hands have a solution.

    Raises ValueError for a game with too many hands or too many numbers, OSError if the file
    cannot be written; it is then unchanged.
    """
    suffix = path.suffix.removeprefix(".").lower()
    form = suffix if suffix in TABLE_FORMATS else _USUAL
    count = 0

    def answers() -> Iterator[Row]:
        nonlocal count
        for _, rows in in_chunks(answers_of, (target, game), list_hands(game), executor, progress):
            yield from rows
            count += sum(row["expression"] is not None for row in rows)

    names = [f"Num{place}" for place in range(1, game.length + 1)]
    remove_abandoned([path])
    with replace_file(path) as file:
        rows = answers() if TABLE_FORMATS[form].nested else map(_cells_of, answers())
        for line in stream(rows, [*names, "Answer"], form):
            file.write(f"{line}\n".encode())
    return count


def _cells_of(row: Row) -> Row:
    numbers: Row = {f"Num{place}": number for place, number in enumerate(row["numbers"], 1)}
    return numbers | {"Answer": row["expression"] or NO_ANSWER}


def answers_of(target: Exact, game: Game, hands: Sequence[Hand]) -> list[Row]:
    """Return the row of each of some hands, which share their work; see `Puzzle.rows`.

    >>> from crisps24 import GAMES
    >>> found = answers_of(24, GAMES["cards"], [(3, 3, 8, 8), (1, 1, 1, 1)])
    >>> [(row["expression"], row["level"]) for row in found]
    [('8 / (3 - 8 / 3)', 5), (None, None)]
    """
    rows = (
        puzzle.rows()[0] for puzzle in solve_puzzles([Puzzle(hand, target, game) for hand in hands])
    )
    return [{key: row[key] for key in _KEYS} for row in rows]
