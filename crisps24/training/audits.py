"""Audits: flaws and statistics of a file of puzzles.

Each row has a puzzle, and can have an answer key in `answer`. Rows with the same numbers in any
order, the same target and the same game are one puzzle, which is solved once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from statistics import quantiles
from typing import Any, NamedTuple

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.records import RecordLine, parse_record
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand, find_game
from crisps24.rules.operators import MINUS, NOT_BELOW_ZERO, NOT_ZERO, obeys_result_rules
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import Difficulty, DifficultyModel, grade_many
from crisps24.solving.solver import find_many, find_reachable
from crisps24.training.rewards import puzzle_from_row

# The kinds of flaws, with their messages. The kinds in `ERROR_KINDS` make a file incorrect.
KINDS = {
    "unsolvable": "there is no solution",
    "key": "the key is {code}: {reason}",
    "undecided": "whether it can be solved cannot be told: {reason}",
    "duplicate": "the puzzle of line {first} again",
    "dealt": "the target is dealt",
    "sums": "+ and - suffice",
    "unreadable": "{reason}",
}
ERROR_KINDS = ("unsolvable", "key")
# Puzzles in a chunk of work for one process.
PUZZLES_PER_CHUNK = 500
# Ranges of the number of solutions, by label, each with its largest number.
_SOLUTION_RANGES = {"1 solution": 1, "2 to 5 solutions": 5, "6 to 20 solutions": 20}
_MORE = "more solutions"


class Flaw(NamedTuple):
    """A finding about one line of a file; tuples sort by line, then by kind."""

    line: int
    """The number of the line, from 1."""
    kind: str
    """One of `KINDS`."""
    message: str
    """The finding in one sentence."""
    code: str = ""
    """For a wrong key, the code of its judgement; see `judge.CODES`."""

    def row(self) -> Row:
        """Return the finding as a row with `line`, `kind`, `told` (the message) and `code`."""
        return {"line": self.line, "kind": self.kind, "told": self.message, "code": self.code}


@dataclass
class Audit:
    """The flaws and the statistics of a file of puzzles."""

    rows: int = 0
    """Number of rows, without empty lines."""
    puzzles: int = 0
    """Number of distinct puzzles, whatever the order of their numbers."""
    keys: int = 0
    """Number of rows with an answer key."""
    flaws: list[Flaw] = field(default_factory=list)
    """All flaws, sorted by line."""
    bits: dict[int | None, list[float]] = field(default_factory=dict)
    """Difficulties in bits of the puzzles that people can solve, by level; None: no levels."""
    solutions: Counter[str] = field(default_factory=Counter)
    """Number of puzzles for each range of solutions; empty if solutions were not counted."""

    @property
    def has_errors(self) -> bool:
        """Whether a puzzle is unsolvable or a key is wrong."""
        return any(flaw.kind in ERROR_KINDS for flaw in self.flaws)

    def summary(self) -> list[Row]:
        """Return the totals of the audit as rows, each a dict with `what` is counted and `count`.

        The rows are totals, flaws by kind, puzzles by level, difficulties (`bits`) and puzzles by
        number of solutions. Counts are ints, and can be 0; only that of `bits` is a text of six
        numbers: the easiest, four numbers that divide the puzzles into fifths, and the hardest.
        These rows are left out: levels without puzzles, `bits` for fewer than two puzzles with a
        difficulty, and numbers of solutions if they were not counted.

        >>> audit([(1, {"nums": [3, 8], "target": 24})]).summary()[0]
        {'what': 'rows', 'count': 1}
        """
        kinds = Counter(flaw.kind for flaw in self.flaws)
        counts: dict[str, Any] = {
            "rows": self.rows,
            "different puzzles": self.puzzles,
            "rows with a key": self.keys,
            **{kind: kinds[kind] for kind in KINDS},
        }
        levels = sorted(filter(None, self.bits))
        counts |= {f"level {level}": len(self.bits[level]) for level in levels}
        difficulties = sorted(chain.from_iterable(self.bits.values()))
        if len(difficulties) > 1:
            fifths = quantiles(difficulties, n=5, method="inclusive")
            bounds = (difficulties[0], *fifths, difficulties[-1])
            counts["bits"] = " ".join(f"{bound:.1f}" for bound in bounds)
        if self.solutions:
            counts |= {name: self.solutions[name] for name in (*_SOLUTION_RANGES, _MORE)}
        return [{"what": name, "count": count} for name, count in counts.items()]


class _AuditTask(NamedTuple):
    puzzle: Puzzle
    line: int
    keys: list[tuple[int, Any]]
    """The answer keys of the puzzle, each after its line number."""


class _AuditResult(NamedTuple):
    flaws: list[Flaw]
    difficulty: Difficulty | None
    solutions: int | None


def audit(
    lines: Iterable[RecordLine],
    game: Game | str = FREE_GAME,
    *,
    solutions: bool = False,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
) -> Audit:
    """Return the flaws and the statistics of a file of puzzles.

    A row that cannot be read, or a puzzle too hard to solve, is a flaw and does not stop the audit.
    A puzzle of 4 numbers takes about 1 ms, one of 5 takes 5 ms, one of 6 takes 80 ms, and one of
    8 takes 20 s. All lines are kept in memory.

    Args:
        lines: line numbers with rows, as from `judging.records.read_records`.
        game: the game of rows that do not name one.
        solutions: whether to count the distinct solutions of each puzzle too, which takes up to
            three times as long.
        executor: audits puzzles in other processes; large hands stay in this process.
        progress: called with the number of lines just audited.

    >>> report = audit([(1, {"nums": [3, 8], "target": 24}), (2, {"nums": [8, 3], "target": 23})])
    >>> report.puzzles, report.flaws
    (2, [Flaw(line=2, kind='unsolvable', message='there is no solution', code='')])

    In games with operators such as ^, and for a large hand whose solutions or difficulty need too
    much memory, difficulties and solutions are not counted.

    Raises RefusedError for an unknown `game`.
    """
    report = Audit()
    lines = list(lines)
    tasks = _read_tasks(lines, find_game(game), report)
    report.puzzles = len(tasks)
    if progress is not None:
        # Unreadable lines and duplicates need no more work.
        progress(len(lines) - len(tasks))
    # Hands with the same first numbers share most of their sub-hands.
    tasks.sort(key=lambda task: (task.puzzle.game.name, len(task.puzzle.hand), task.puzzle.hand))
    small = [task for task in tasks if task.puzzle.is_small]
    chunks = [small[i : i + PUZZLES_PER_CHUNK] for i in range(0, len(small), PUZZLES_PER_CHUNK)]
    run = executor.map if executor else map
    small_results = run(_audit_chunk, chunks, [solutions] * len(chunks))
    # One large hand can use all the allowed memory, so they run one at a time, in this process.
    large_results = (_audit_chunk([task], solutions) for task in tasks if not task.puzzle.is_small)
    for results in chain(small_results, large_results):
        for result in results:
            _add_result(report, result)
        if progress is not None:
            progress(len(results))
    report.flaws.sort()
    return report


def _read_tasks(lines: Iterable[RecordLine], game: Game, report: Audit) -> list[_AuditTask]:
    """Parse the rows of a file; return a task for each distinct puzzle, with its answer keys.

    An answer key is the answer of a row to its puzzle; a task has the keys of all rows with it.
    Rows with the same numbers, in any order, the same target and the same game are one puzzle.
    Unreadable rows and repeated puzzles are added to `report` as flaws; rows and keys are counted
    there. `game` is the game of rows that do not name one.
    """
    tasks: dict[tuple[Hand, Exact, Game], _AuditTask] = {}
    for number, line in lines:
        try:
            record = parse_record(line)
            if record is None:
                continue
            puzzle = puzzle_from_row(record, game)
        except CrispsError as error:
            report.rows += 1
            report.flaws.append(_flaw(number, "unreadable", reason=str(error)))
            continue
        report.rows += 1
        hand = tuple(sorted(puzzle.hand))
        new_task = _AuditTask(Puzzle(hand, puzzle.target, puzzle.game), number, [])
        task = tasks.setdefault((hand, puzzle.target, puzzle.game), new_task)
        if task is not new_task:
            report.flaws.append(_flaw(number, "duplicate", first=task.line))
        # An empty cell of a table does not count as a key.
        if (key := record.get("answer")) not in (None, ""):
            report.keys += 1
            task.keys.append((number, key))
    return list(tasks.values())


def _add_result(report: Audit, result: _AuditResult) -> None:
    """Add a puzzle to a report: its flaws, its difficulty, and one in the count of its solutions.

    A puzzle without a difficulty or without solutions is not counted there.
    """
    report.flaws += result.flaws
    # Only puzzles that people can solve have a difficulty.
    if result.difficulty is not None:
        report.bits.setdefault(result.difficulty.level, []).append(result.difficulty.bits)
    if result.solutions:
        labels = (name for name, most in _SOLUTION_RANGES.items() if result.solutions <= most)
        report.solutions[next(labels, _MORE)] += 1


def _flaw(line: int, kind: str, code: str = "", **values: Any) -> Flaw:
    return Flaw(line, kind, KINDS[kind].format(code=code, **values), code)


def _audit_chunk(tasks: Sequence[_AuditTask], with_solutions: bool) -> list[_AuditResult]:
    """Solve the puzzles of some tasks together; return a result for each, in order.

    A result has the flaws of the puzzle, its difficulty and, if `with_solutions`, the number of its
    solutions (None if they were not counted). The difficulty is None if the puzzle has no solution,
    and also if all its solutions have results below zero. A puzzle that is too much work to solve
    has a flaw; if only its solutions or its difficulty are, these are None.
    """
    results = []
    for task, puzzle in zip(tasks, _solve(tasks, with_solutions), strict=True):
        flaws = list(_flaws_of(task, puzzle))
        difficulty, solution_count = None, None
        # A text in place of the puzzle is the reason why it was not solved.
        if isinstance(puzzle, Puzzle):
            difficulty = puzzle.difficulty if puzzle.solvable else None
            if with_solutions and puzzle.is_solved:
                solution_count = len(puzzle.exact_solutions)
        results.append(_AuditResult(flaws, difficulty, solution_count))
    return results


def _solve(tasks: Sequence[_AuditTask], with_solutions: bool) -> Iterator[Puzzle | str]:
    """Solve the puzzle of each task; yield the solved puzzle, or a text if it is too much work.

    The text is the reason. A solved puzzle stores whether it has a solution and how difficult it
    is; if `with_solutions`, also its solutions. It only stores whether it has a solution in games
    with operators such as ^, or if the rest is too much work.
    """
    # The results of puzzles that cannot be solved together with others, by index.
    single_results: dict[int, Puzzle | str] = {}
    for index, task in enumerate(tasks):
        puzzle = task.puzzle
        try:
            # This raises RefusedError for a puzzle that cannot be solved at all.
            _ = puzzle.query
            if not _has_difficulty(puzzle.game):
                single_results[index] = puzzle.with_cached(
                    solvable=puzzle.solvable, difficulty=None
                )
            elif not puzzle.is_small:
                # Too much work refuses only this puzzle.
                _ = puzzle.solvable
        except RefusedError as error:
            single_results[index] = str(error)
    others = [task.puzzle for index, task in enumerate(tasks) if index not in single_results]
    solved = iter(_solve_together(others, with_solutions))
    for index in range(len(tasks)):
        yield single_results[index] if index in single_results else next(solved)


def _solve_together(puzzles: Sequence[Puzzle], with_solutions: bool) -> list[Puzzle]:
    """Compute the difficulty of puzzles in one search; return copies that store it.

    If a puzzle takes more work or memory than allowed, its copy stores None as the difficulty, and
    only whether it has a solution. To find one solution takes less work: the caller has tried this
    before for large hands.

    Args:
        puzzles: The puzzles. If their common search is refused, each has its own search.
        with_solutions: Whether the copies also store all solutions.
    """
    try:
        return list(solve_puzzles(puzzles)) if with_solutions else _graded(puzzles)
    except RefusedError:
        # A puzzle is too much work, but the error does not say which: solve each separately.
        if len(puzzles) > 1:
            solved = (_solve_together([puzzle], with_solutions) for puzzle in puzzles)
            return list(chain.from_iterable(solved))
        [puzzle] = puzzles
        return [puzzle.with_cached(solvable=puzzle.solvable, difficulty=None)]


@lru_cache(256)
def _has_difficulty(game: Game) -> bool:
    """Return whether difficulties and all solutions can be computed in a game.

    They cannot with powers, roots and factorials.
    """
    try:
        DifficultyModel(game, game.numbers[:1])
    except RefusedError:
        return False
    return True


def _graded(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """Compute the difficulty of puzzles, and whether they can be solved; return them in order.

    The returned puzzles are copies that store both. The difficulty is None if a puzzle cannot be
    solved, or only with results below zero, which people avoid. Raises RefusedError for too much
    work.
    """
    indices_by_game: dict[Game, list[int]] = {}
    for index, puzzle in enumerate(puzzles):
        indices_by_game.setdefault(puzzle.game, []).append(index)
    graded = list(puzzles)
    for indices in indices_by_game.values():
        queries = [(puzzles[index].query, puzzles[index].target) for index in indices]
        difficulties = dict(zip(indices, grade_many(queries), strict=True))
        # A puzzle without difficulty can still have a solution with results below zero.
        ungraded = [index for index in indices if difficulties[index] is None]
        ungraded_queries = ((puzzles[index].query, puzzles[index].target) for index in ungraded)
        solutions_by_index = dict(zip(ungraded, find_many(ungraded_queries), strict=True))
        for index in indices:
            solvable = difficulties[index] is not None or bool(solutions_by_index[index])
            graded[index] = puzzles[index].with_cached(
                difficulty=difficulties[index], solvable=solvable
            )
    return graded


def _flaws_of(task: _AuditTask, puzzle: Puzzle | str) -> Iterator[Flaw]:
    """Yield the flaws of a solved puzzle: at most one of the puzzle, and one for each wrong key.

    `puzzle` is a text if solving it was refused: the reason, which is then the flaw. Otherwise a
    puzzle is flawed if it cannot be solved, if one dealt number is already an answer, or if + and -
    are enough to solve it; only the first flaw is yielded. The answer keys, the answers that the
    file gives, are always judged. Raises RefusedError if `sums_suffice` does.
    """
    if isinstance(puzzle, str):
        yield _flaw(task.line, "undecided", reason=puzzle)
    elif not puzzle.solvable:
        yield _flaw(task.line, "unsolvable")
    elif puzzle.target in puzzle.hand and (len(puzzle.hand) == 1 or not puzzle.game.all_numbers):
        yield _flaw(task.line, "dealt")
    elif sums_suffice(puzzle.hand, puzzle.target, puzzle.game):
        yield _flaw(task.line, "sums")
    for line, key in task.keys:
        judgement = (task.puzzle if isinstance(puzzle, str) else puzzle).judge(key)
        if not judgement:
            yield _flaw(line, "key", judgement.code, reason=judgement.reason)


def sums_suffice(hand: Hand, target: Exact, game: Game) -> bool:
    """Return whether a hand makes a target with only + and -, by the rules of a game.

    False if the game has neither operator. Raises RefusedError if a search is needed and is more
    work than the default limit. Most games need no search, and then no limit holds: all sums are
    computed, which are up to 2^n for n numbers, or 3^n if numbers can be left over.

    >>> from crisps24 import GAMES
    >>> [sums_suffice(hand, 24, GAMES["cards"]) for hand in ((11, 10, 8, 5), (3, 3, 8, 8))]
    [True, False]
    """
    names = tuple(name for name in game.operators if name in (MINUS.name, MINUS.inverse))
    if not names:
        return False
    sums_only = replace(game, operators=names)
    if not _adds_first(sums_only, target):
        return bool(find_reachable(HandQuery(hand, sums_only), [target]))
    # Adding first keeps every partial sum at or above the target, so the order of the numbers does
    # not matter. A sum starts with an added number, so the flag says whether any was added.
    sums: set[tuple[Exact, bool]] = {(0, False)}
    for number in hand:
        longer_sums = {(total + number, True) for total, _ in sums}
        longer_sums |= {(total - number, has_added) for total, has_added in sums}
        # If numbers can be left over, sums without this number count too.
        sums = longer_sums if game.all_numbers else sums | longer_sums
    return (target, True) in sums


def _adds_first(game: Game, target: Exact) -> bool:
    """Return whether it is enough to look for sums that add first and subtract afterwards.

    24 = 10 - 5 + 11 + 8 is also 10 + 11 + 8 - 5, whose partial sums are never below the target 24.
    So they obey the rules that forbid zero and results below zero. False if the target itself
    breaks these rules, and for a game with other rules about steps, with a unary minus, or with
    other operators than both + and -: then a search is needed.
    """
    if game.operand_rules or not {NOT_BELOW_ZERO, NOT_ZERO}.issuperset(game.result_rules):
        return False
    stays_positive = target > 0 or NOT_ZERO not in game.result_rules
    return (
        stays_positive
        and obeys_result_rules(target, game)
        and not game.signed
        and len(game.row_operators) == 2
    )
