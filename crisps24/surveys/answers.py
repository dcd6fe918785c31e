"""A file with the first solution of each hand of a game, as TSV, CSV or JSON lines."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from crisps24.output.atomic_files import remove_abandoned, replace_file
from crisps24.output.tables import TABLE_FORMATS, Row, stream
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.rules.deals import MAX_SURVEYED_HANDS, list_hands
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.surveys.chunks import run_chunks

NO_ANSWER = "No answer"
# The format of a file with an unknown suffix.
_DEFAULT_FORMAT = "tsv"
# The keys of a row of a nested format such as .jsonl, in order.
_KEYS = ("numbers", "target", "expression", "share", "solutions", "bits", "level")


def write_answers(
    path: Path,
    target: Exact,
    game: Game,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> int:
    """Write a file with the likeliest solution of each hand; return how many hands have one.

    The suffix chooses the format: a .csv or .tsv file has a column for each number of the hand and
    one for the answer, a .json or .jsonl file the keys of `solve --format jsonl`; any other suffix
    means TSV. An older file is unchanged after an error.
    """
    suffix = path.suffix.removeprefix(".").lower()
    format_name = suffix if suffix in TABLE_FORMATS else _DEFAULT_FORMAT
    solvable_count = 0

    def answers() -> Iterator[Row]:
        nonlocal solvable_count
        arguments = target, game
        hands = list_hands(game, MAX_SURVEYED_HANDS)
        for _, rows in run_chunks(answer_rows, arguments, hands, executor, progress):
            yield from rows
            solvable_count += sum(row["expression"] is not None for row in rows)

    number_columns = [f"Num{number}" for number in range(1, game.length + 1)]
    remove_abandoned([path])
    with replace_file(path) as file:
        rows = answers() if TABLE_FORMATS[format_name].nested else map(_flatten, answers())
        for line in stream(rows, [*number_columns, "Answer"], format_name):
            file.write(f"{line}\n".encode())
    return solvable_count


def _flatten(row: Row) -> Row:
    numbers: Row = {f"Num{place}": number for place, number in enumerate(row["numbers"], 1)}
    return numbers | {"Answer": row["expression"] or NO_ANSWER}


def answer_rows(target: Exact, game: Game, hands: Sequence[Hand]) -> list[Row]:
    """Return a row for each hand: its numbers, the likeliest solution (or None), its level."""
    puzzles = solve_puzzles([Puzzle(hand, target, game) for hand in hands])
    rows = (puzzle.rows()[0] for puzzle in puzzles)
    return [{key: row[key] for key in _KEYS} for row in rows]
