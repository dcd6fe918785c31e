"""Audits: the flaws and the statistics of a file of puzzles.

A row is a puzzle, with its key (`answer`) if it has one. Rows with the same numbers, target and
game are one puzzle.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
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
from crisps24.solving.effort import Difficulty, grade_many
from crisps24.solving.solver import find_many, find_reachable
from crisps24.training.rewards import puzzle_from_row

# What may be said of a row. The first two kinds make a file a wrong one.
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
# Puzzles that are looked at together, in one process.
PUZZLES_PER_CHUNK = 500
# How many solutions puzzles have, as it is told: up to so many each.
_PARTS = {"1 solution": 1, "2 to 5 solutions": 5, "6 to 20 solutions": 20}
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
    """What was found in a file of puzzles."""

    rows: int = 0
    puzzles: int = 0
    """How many different ones there are, the order of the numbers aside."""
    keys: int = 0
    """How many rows have a key."""
    flaws: list[Flaw] = field(default_factory=list)
    bits: dict[int | None, list[float]] = field(default_factory=dict)
    """The bits of the puzzles that people can solve, by level; by None where there are none."""
    solutions: Counter[str] = field(default_factory=Counter)
    """How many puzzles have how many solutions, where that was asked for."""

    @property
    def has_errors(self) -> bool:
        """Whether a puzzle has no solution, or a key is wrong."""
        return any(flaw.kind in ERROR_KINDS for flaw in self.flaws)

    def summary(self) -> list[Row]:
        """Return what was found: what, and how many."""
        kinds = Counter(flaw.kind for flaw in self.flaws)
        told: dict[str, Any] = {
            "rows": self.rows,
            "different puzzles": self.puzzles,
            "rows with a key": self.keys,
            **{kind: kinds[kind] for kind in KINDS},
        }
        levels = sorted(filter(None, self.bits))
        told |= {f"level {level}": len(self.bits[level]) for level in levels}
        every = sorted(bits for some in self.bits.values() for bits in some)
        if len(every) > 1:
            ends = (every[0], *quantiles(every, n=5, method="inclusive"), every[-1])
            told["bits"] = " ".join(f"{bits:.1f}" for bits in ends)
        told |= {name: self.solutions[name] for name in (*_PARTS, _MORE) if self.solutions}
        return [{"what": name, "count": count} for name, count in told.items()]


class _Asked(NamedTuple):
    puzzle: Puzzle
    line: int
    keys: list[tuple[int, Any]]
    """The keys of the puzzle, with their lines."""


class _Found(NamedTuple):
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
    """Return the flaws and the statistics of the puzzles of some lines.

    Lines are those of `notation.lines.rows_of_file`; `game` is the default of a row. `solutions`
    also counts the distinct solutions, which is slow. `progress` is called with the lines done.

    >>> found = audit([(1, {"nums": [3, 8], "target": 24}), (2, {"nums": [8, 3], "target": 23})])
    >>> found.puzzles, found.flaws
    (2, [Flaw(line=2, kind='unsolvable', message='there is no solution', code='')])
    """
    found = Audit()
    lines = list(lines)
    asked = _read(lines, find_game(game), found)
    found.puzzles = len(asked)
    if progress is not None:
        # What has no puzzle of its own is done.
        progress(len(lines) - len(asked))
    # Hands that share their first numbers share most of their parts.
    asked.sort(key=lambda each: (each.puzzle.game.name, len(each.puzzle.hand), each.puzzle.hand))
    small = [each for each in asked if each.puzzle.is_small]
    chunks = [small[at : at + PUZZLES_PER_CHUNK] for at in range(0, len(small), PUZZLES_PER_CHUNK)]
    results = (executor.map if executor else map)(_looked_at, chunks, [solutions] * len(chunks))
    # A large hand can take all the memory that a call may use: one after another, in this process.
    large = (_looked_at([each], solutions) for each in asked if not each.puzzle.is_small)
    for some in chain(results, large):
        for each in some:
            _add(found, each)
        if progress is not None:
            progress(len(some))
    found.flaws.sort()
    return found


def _read(lines: Iterable[RecordLine], game: Game, found: Audit) -> list[_Asked]:
    """Return the distinct puzzles of some lines; add the unreadable lines to `found`."""
    asked: dict[tuple[Hand, Exact, Game], _Asked] = {}
    for number, line in lines:
        try:
            told = parse_record(line)
            if told is None:
                continue
            puzzle = puzzle_from_row(told, game)
        except CrispsError as error:
            found.rows += 1
            found.flaws.append(_flaw(number, "unreadable", reason=str(error)))
            continue
        found.rows += 1
        hand = tuple(sorted(puzzle.hand))
        new = _Asked(Puzzle(hand, puzzle.target, puzzle.game), number, [])
        known = asked.setdefault((hand, puzzle.target, puzzle.game), new)
        if known is not new:
            found.flaws.append(_flaw(number, "duplicate", first=known.line))
        # An empty cell of a table is no key.
        if (key := told.get("answer")) not in (None, ""):
            found.keys += 1
            known.keys.append((number, key))
    return list(asked.values())


def _add(found: Audit, each: _Found) -> None:
    found.flaws += each.flaws
    if each.difficulty is not None:
        found.bits.setdefault(each.difficulty.level, []).append(each.difficulty.bits)
    if each.solutions:
        parts = (name for name, most in _PARTS.items() if each.solutions <= most)
        found.solutions[next(parts, _MORE)] += 1


def _flaw(line: int, kind: str, code: str = "", **told: Any) -> Flaw:
    return Flaw(line, kind, KINDS[kind].format(code=code, **told), code)


def _looked_at(asked: Sequence[_Asked], solutions: bool) -> list[_Found]:
    return [
        _Found(
            list(_flaws_of(each, puzzle)),
            puzzle.difficulty if isinstance(puzzle, Puzzle) and puzzle.solvable else None,
            len(puzzle.exact_solutions) if isinstance(puzzle, Puzzle) and solutions else None,
        )
        for each, puzzle in zip(asked, _known(asked, solutions), strict=True)
    ]


def _known(asked: Sequence[_Asked], solutions: bool) -> Iterator[Puzzle | str]:
    """Yield each puzzle with its cached results, or the reason why it cannot be solved."""
    refused: dict[int, str] = {}
    for place, each in enumerate(asked):
        try:
            _ = each.puzzle.query
            if not each.puzzle.is_small:
                # Too much work is an error of this puzzle only.
                _ = each.puzzle.solvable
        except RefusedError as error:
            refused[place] = str(error)
    rest = [each.puzzle for place, each in enumerate(asked) if place not in refused]
    known = iter(solve_puzzles(rest) if solutions else _graded(rest))
    for place in range(len(asked)):
        yield refused[place] if place in refused else next(known)


def _graded(puzzles: Sequence[Puzzle]) -> list[Puzzle]:
    """Return puzzles with their difficulty, and whether they can be solved."""
    of_game: dict[Game, list[int]] = {}
    for place, puzzle in enumerate(puzzles):
        of_game.setdefault(puzzle.game, []).append(place)
    known = list(puzzles)
    for places in of_game.values():
        asked = [(puzzles[place].query, puzzles[place].target) for place in places]
        graded = dict(zip(places, grade_many(asked), strict=True))
        # Some can be solved by results below zero alone, where people do not go.
        rest = [place for place in places if graded[place] is None]
        ways = find_many((puzzles[place].query, puzzles[place].target) for place in rest)
        exactly = dict(zip(rest, ways, strict=True))
        for place in places:
            facts = {"solvable": graded[place] is not None or bool(exactly[place])}
            known[place] = puzzles[place].with_cached(difficulty=graded[place], **facts)
    return known


def _flaws_of(asked: _Asked, puzzle: Puzzle | str) -> Iterator[Flaw]:
    if isinstance(puzzle, str):
        yield _flaw(asked.line, "undecided", reason=puzzle)
    elif not puzzle.solvable:
        yield _flaw(asked.line, "unsolvable")
    elif puzzle.target in puzzle.hand and (len(puzzle.hand) == 1 or not puzzle.game.all_numbers):
        yield _flaw(asked.line, "dealt")
    elif sums_suffice(puzzle.hand, puzzle.target, puzzle.game):
        yield _flaw(asked.line, "sums")
    for line, key in asked.keys:
        found = (asked.puzzle if isinstance(puzzle, str) else puzzle).judge(key)
        if not found:
            yield _flaw(line, "key", found.code, reason=found.reason)


def sums_suffice(hand: Hand, target: Exact, game: Game) -> bool:
    """Return whether a target is made by + and - alone.

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
    # Who adds first and takes away then is never below what is left in the end; to begin with,
    # something is added.
    sums: set[tuple[Exact, bool]] = {(0, False)}
    for number in hand:
        more = {(made + number, True) for made, _ in sums}
        more |= {(made - number, begun) for made, begun in sums}
        sums = more if game.all_numbers else sums | more
    return (target, True) in sums


def _adds_first(game: Game, target: Exact) -> bool:
    """Return whether the sums of a game may all add first and then subtract.

    Such a sum is never below its target on the way. Any rule but those about zero is looked at
    step by step instead.
    """
    if game.operand_rules or not {NOT_BELOW_ZERO, NOT_ZERO}.issuperset(game.result_rules):
        return False
    above = target > 0 or NOT_ZERO not in game.result_rules
    return (
        above
        and obeys_result_rules(target, game)
        and not game.signed
        and len(game.row_operators) == 2
    )
