"""Audits: flaws and statistics of files of puzzles.

Each row has a puzzle, and can have an answer key, a closest value and other claims about it. Rows
with the same numbers in any order, the same target and the same game are one puzzle. Files are read
in pieces, so that the memory of an `Auditor` grows only with the number of puzzles: a piece is
grouped by puzzle, `first_rows` finds the puzzles of earlier pieces and files, and hands sorted by
their numbers are solved in chunks.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, groupby, repeat
from typing import TypeVar

import numpy as np

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.batches import batches
from crisps24.judging.table_rows import RecordLine
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.solving.effort import Difficulty, DifficultyModel, grade_many
from crisps24.solving.solver import find_many
from crisps24.training.first_rows import FirstRows, puzzle_hash, rules_text
from crisps24.training.key_notation import KeyNotation, notation_of
from crisps24.training.row_checks import KINDS, Flaw, PuzzleTask, check_rows, make_flaw
from crisps24.training.row_claims import OPTIONAL_CLAIMS, ClaimReader, RowClaims

_Claims = TypeVar("_Claims")
# Rows that are in memory at once, unless they are long.
ROWS_PER_PIECE, _BYTES_PER_PIECE = 20_000, 32_000_000
# Puzzles in a chunk of work for one process.
PUZZLES_PER_CHUNK = 500
# Ranges of the number of solutions, by label, each with its largest number.
_SOLUTION_RANGES = {"1 solution": 1, "2 to 5 solutions": 5, "6 to 20 solutions": 20}
_MORE = "more solutions"


@dataclass
class Audit:
    """The findings and the statistics of an audit."""

    rows: int = 0
    puzzles: int = 0
    """Number of distinct puzzles, whatever the order of their numbers."""
    keys: int = 0
    claims: Counter[str] = field(default_factory=Counter)
    """Number of rows with a claim of each kind in `OPTIONAL_CLAIMS` that was checked."""
    kinds: Counter[str] = field(default_factory=Counter)
    flaws: list[Flaw] = field(default_factory=list)
    """All flaws, sorted by line; empty in the report of an `Auditor`, which yields them."""
    bits: "dict[int | None, array[float]]" = field(default_factory=dict)
    """Difficulties in bits of the puzzles that people can solve, by level; None: no levels."""
    solutions: Counter[str] = field(default_factory=Counter)
    """Number of puzzles for each range of solutions; empty if solutions were not counted."""

    @property
    def has_errors(self) -> bool:
        return any(kind.is_error and self.kinds[name] for name, kind in KINDS.items())

    def summary(self) -> list[Row]:
        """Return the totals of the audit as rows, each a dict with `what`, `count` and `meaning`.

        Counts are ints; only that of `bits` is a text of six numbers: the easiest, four numbers
        that divide the puzzles into fifths, and the hardest.
        """
        columns = ("what", "count", "meaning")
        return [dict(zip(columns, total, strict=True)) for total in self._totals()]

    def _totals(self) -> Iterator[tuple[str, int | str, str]]:
        yield ("rows", self.rows, "rows that were read")
        yield ("different puzzles", self.puzzles, "in any order of their numbers")
        yield ("rows with a key", self.keys, "rows with an answer key")
        for name, kind in KINDS.items():
            if name not in OPTIONAL_CLAIMS or self.claims[name]:
                yield (name, self.kinds[name], kind.meaning)
        for level in sorted(filter(None, self.bits)):
            meaning = "puzzles of this level, from 1 (easy) to 5 (hard)"
            yield (f"level {level}", len(self.bits[level]), meaning)
        if sum(map(len, self.bits.values())) > 1:
            parts = map(np.frombuffer, self.bits.values(), repeat(np.float32))
            bounds = np.quantile(np.concatenate([*parts]), np.linspace(0, 1, 6))
            quantiles = " ".join(f"{bound:.1f}" for bound in bounds)
            yield ("bits", quantiles, "difficulty: easiest, ends of the first four fifths, hardest")
        if self.solutions:
            for name in (*_SOLUTION_RANGES, _MORE):
                yield (name, self.solutions[name], "puzzles with as many solutions")


def audit(
    lines: Iterable[RecordLine],
    game: Game | str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    solutions: bool = False,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> Audit:
    """Return the flaws and the statistics of a file of puzzles.

    A row that cannot be read, or a puzzle too hard to solve, is a flaw and does not stop the audit.
    A puzzle of 4 numbers takes about 1 ms, one of 5 takes 5 ms, one of 6 takes 80 ms, and one of
    8 takes 20 s. All flaws are kept in memory; an `Auditor` yields them instead.

    Args:
        lines: line numbers with rows, as from `data_files`.
        game: the game of rows that do not name one. None is the free game: any whole numbers, each
            used once, with fractions and negative numbers as intermediate results. Then the closest
            values of these rows are not checked, since their rules are unknown.
        columns: names of columns, by their kind: a key of `columns.COLUMN_NAMES`.
        solutions: whether to count the distinct solutions of each puzzle too, which takes up to
            three times as long.
        executor: audits puzzles in other processes; large hands stay in this process.
        progress: called with the number of rows just audited.

    >>> report = audit([(1, {"nums": [3, 8], "target": 24}), (2, {"nums": [8, 3], "target": 23})])
    >>> report.puzzles, [(flaw.line, flaw.message) for flaw in report.flaws]
    (2, [(2, 'there is no solution')])

    In games with operators such as ^, and for a large hand whose solutions or difficulty need too
    much memory, difficulties and solutions are not counted.

    Raises RefusedError for an unknown `game`.
    """
    reader = ClaimReader(game, columns)
    auditor = Auditor(reader, solutions=solutions, executor=executor, progress=progress)
    auditor.report.flaws = list(auditor.check(lines))
    return auditor.report


class Auditor:
    """Audits files, one after the other; puzzles of one that are in another are duplicates."""

    def __init__(
        self,
        reader: ClaimReader,
        *,
        solutions: bool = False,
        correct: bool = False,
        executor: Executor | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Prepare an audit; `correct` also finds the right key for each wrong one, by a search."""
        self.reader = reader
        self.report = Audit()
        self._solutions, self._correct = solutions, correct
        self._executor = executor
        self._progress = progress or (lambda _: None)
        self._first_rows = FirstRows()
        # Rows of all files are numbered: of each file, the number before its line 1, and its name.
        self._file_starts: list[tuple[int, str]] = []
        self._last_number = 0

    def check(self, rows: Iterable[RecordLine], file: str = "") -> Iterator[Flaw]:
        """Yield the flaws of the rows of a file, sorted by line, and count them in the report.

        `file` is the name of the file; it is only needed if several files are audited.
        """
        notation, start = None, self._last_number
        self._file_starts.append((start, file))
        for claims in batched_claims(self._read(rows)):
            self._last_number = start + claims[-1].line
            readable = [row for row in claims if isinstance(row, RowClaims)]
            flaws = [row for row in claims if isinstance(row, Flaw)]
            if self._correct and notation is None and readable:
                # The first rows show the notation of the file.
                notation = notation_of(chain.from_iterable(row.keys for row in readable))
            tasks = list(self._find_duplicates(_group(readable), flaws))
            self._progress(len(claims) - len(tasks))
            self._solve(tasks, notation, flaws)
            self.report.kinds.update(flaw.kind for flaw in flaws)
            yield from sorted(flaw._replace(file=file) for flaw in flaws)

    def _read(self, rows: Iterable[RecordLine]) -> Iterator[RowClaims | Flaw]:
        for line, claims in self.reader.read_all(rows):
            self.report.rows += 1
            if isinstance(claims, CrispsError):
                yield make_flaw(line, "unreadable", reason=str(claims))
            else:
                self.report.keys += bool(claims.keys)
                self.report.claims.update(claims.checked_claims)
                yield claims

    def _find_duplicates(
        self, tasks: Sequence[PuzzleTask], flaws: list[Flaw]
    ) -> Iterator[PuzzleTask]:
        """Yield the tasks that need work, after adding the flaws of repeated puzzles."""
        start, _ = self._file_starts[-1]
        puzzles = [task.puzzle for task in tasks]
        hashes = [puzzle_hash(puzzle.hand, puzzle.target, puzzle.game) for puzzle in puzzles]
        numbers = [start + task.rows[0].line for task in tasks]
        firsts = self._first_rows.add(hashes, numbers)
        self.report.puzzles = len(self._first_rows)
        for task, number, first in zip(tasks, numbers, firsts, strict=True):
            is_first = first == number
            # A file without rows starts at the same number as the next one.
            first_start, file = [each for each in self._file_starts if each[0] < first][-1]
            where = f"line {first - first_start}" + (f" of {file}" if first_start < start else "")
            flaws += [make_flaw(row.line, "duplicate", first=where) for row in task.rows[is_first:]]
            if is_first or any(row.keys or row.checked_claims for row in task.rows):
                yield task._replace(is_first=is_first)

    def _solve(
        self, tasks: list[PuzzleTask], notation: KeyNotation | None, flaws: list[Flaw]
    ) -> None:

        def order(task: PuzzleTask) -> tuple[str, int, Hand]:
            # Hands with the same first numbers share most of their sub-hands.
            return rules_text(task.puzzle.game), len(task.puzzle.hand), task.puzzle.hand

        tasks.sort(key=order)
        small = [task for task in tasks if task.puzzle.is_small]
        chunks = [small[i : i + PUZZLES_PER_CHUNK] for i in range(0, len(small), PUZZLES_PER_CHUNK)]
        run = self._executor.map if self._executor else map
        count = len(chunks)
        small_results = run(_audit_chunk, chunks, [self._solutions] * count, [notation] * count)
        # One large hand can use all the allowed memory: solve one at a time, in this process.
        large_results = (
            _audit_chunk([task], self._solutions, notation)
            for task in tasks
            if not task.puzzle.is_small
        )
        for results in chain(small_results, large_results):
            for found, difficulty, solution_count in results:
                flaws += found
                # Only puzzles that people can solve have a difficulty.
                if difficulty is not None:
                    bits = self.report.bits.setdefault(difficulty.level, array("f"))
                    bits.append(difficulty.bits)
                if solution_count:
                    fits = (n for n, most in _SOLUTION_RANGES.items() if solution_count <= most)
                    self.report.solutions[next(fits, _MORE)] += 1
            self._progress(len(results))


def batched_claims(claims: Iterable[_Claims]) -> Iterator[list[_Claims]]:
    """Yield the claims of rows, or what is wrong with the rows, in lists that fit in memory."""

    def size_of(row: _Claims) -> int:
        # The numbers of a hand are few and short.
        return sum(map(len, row.keys)) if isinstance(row, RowClaims) else 0

    return batches(claims, ROWS_PER_PIECE, size_of, _BYTES_PER_PIECE)


def _group(rows: Iterable[RowClaims]) -> list[PuzzleTask]:
    tasks: dict[tuple[Hand, Exact, Game], PuzzleTask] = {}
    for row in rows:
        puzzle = row.puzzle
        key = puzzle.hand, puzzle.target, puzzle.game
        tasks.setdefault(key, PuzzleTask(puzzle, [])).rows.append(row)
    return list(tasks.values())


def _audit_chunk(
    tasks: Sequence[PuzzleTask], with_solutions: bool, notation: KeyNotation | None
) -> list[tuple[list[Flaw], Difficulty | None, int | None]]:
    """Return the flaws, the difficulty and the number of solutions of puzzles solved together."""
    results = []
    for task, puzzle in zip(tasks, _solved_puzzles(tasks, with_solutions), strict=True):
        flaws = list(check_rows(task, puzzle, notation))
        difficulty, solution_count = None, None
        # A text in place of the puzzle is the reason why it was not solved.
        if isinstance(puzzle, Puzzle) and task.is_first:
            difficulty = puzzle.difficulty if puzzle.solvable else None
            if with_solutions and puzzle.is_solved:
                solution_count = len(puzzle.solutions())
        results.append((flaws, difficulty, solution_count))
    return results


def _solved_puzzles(tasks: Sequence[PuzzleTask], with_solutions: bool) -> Iterator[Puzzle | str]:
    singles = [_solve_alone(task.puzzle) for task in tasks]
    others = [task.puzzle for task, single in zip(tasks, singles, strict=True) if single is None]
    solved = iter(_solve_together(others, with_solutions))
    for single in singles:
        yield next(solved) if single is None else single


def _solve_alone(puzzle: Puzzle) -> Puzzle | str | None:
    """Solve a puzzle that cannot be solved together with others; return None for other puzzles."""
    try:
        # This raises RefusedError for a puzzle that cannot be solved at all.
        _ = puzzle.query
        if not _has_difficulty(puzzle.game):
            return puzzle.with_cached(solvable=puzzle.solvable, difficulty=None)
        # Too much work refuses only this puzzle.
        _ = puzzle.is_small or puzzle.solvable
    except RefusedError as error:
        return str(error)
    return None


def _solve_together(puzzles: Sequence[Puzzle], with_solutions: bool) -> list[Puzzle]:
    """Compute the difficulty of puzzles in one search; return copies that store it."""
    try:
        return list(solve_puzzles(puzzles) if with_solutions else _graded(puzzles))
    except RefusedError:
        # A puzzle is too much work, but the error does not say which: solve each separately.
        if len(puzzles) > 1:
            solved = (_solve_together([puzzle], with_solutions) for puzzle in puzzles)
            return list(chain.from_iterable(solved))
        [puzzle] = puzzles
        return [puzzle.with_cached(solvable=puzzle.solvable, difficulty=None)]


@lru_cache(256)
def _has_difficulty(game: Game) -> bool:
    try:
        DifficultyModel(game, game.numbers[:1])
    except RefusedError:
        return False
    return True


def _graded(puzzles: Sequence[Puzzle]) -> Iterator[Puzzle]:
    """Yield puzzles with their difficulty, and whether they can be solved."""
    for _, group in groupby(puzzles, lambda puzzle: puzzle.game):
        same_rules = list(group)
        queries = [(puzzle.query, puzzle.target) for puzzle in same_rules]
        difficulties = grade_many(queries)
        # A puzzle without difficulty can still have a solution with results below zero.
        graded = [*zip(queries, difficulties, strict=True)]
        others = find_many(query for query, difficulty in graded if difficulty is None)
        for puzzle, difficulty in zip(same_rules, difficulties, strict=True):
            solvable = difficulty is not None or bool(next(others))
            yield puzzle.with_cached(difficulty=difficulty, solvable=solvable)
