"""Verifying results files.

A file is right when every row is legal and makes the target, none is there twice, none is
missing, they are in order, and all is laid out as the format has it. This room owns what can
be wrong with a file and how it is said; the format itself is `results`'.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile

from crisps24.notation.evaluation import Objection, work_out
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula, Number
from crisps24.rows.enumeration import blocks, count, formulas
from crisps24.rows.format import (
    HEADER_LINES,
    LONGEST_LINE,
    Format,
    ResultsError,
    read_lines,
    read_opening,
)
from crisps24.rows.results import target_of_name
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import GAMES, Game, find_game, why_no_rows, why_no_target
from crisps24.rules.operators import OPERATORS

# Problems, and missing rows, that are listed before the rest is only counted.
MOST_PROBLEMS = 100_000
MOST_MISSING = 1000
# A header that tells of more numbers is not believed without `length`: a few bytes would ask
# for hours of counting.
LONGEST_HEADER = 10


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: the line counted from 1, or None where it is in no line."""

    line: int | None
    problem: str

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of verifying a file.

    `combinations` counts the rows that the file has; `found` are the problems in it, and
    `missing` the combinations that are not there; `more_found` and `more_missing` count those
    that are not listed, where they are too many.
    """

    file: Path
    target: Exact
    combinations: int
    found: tuple[Problem, ...] = ()
    missing: tuple[Problem, ...] = ()
    more_found: int = 0
    more_missing: int = 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, in the order of the file, then what is missing."""
        more = [Problem(None, f"{self.more_found:,} problems more")] if self.more_found else []
        lacking = f"missing: {self.more_missing:,} combinations more"
        rest = [Problem(None, lacking)] if self.more_missing else []
        return (*self.found, *more, *self.missing, *rest)

    @property
    def verdict(self) -> str:
        """`right` or `wrong`."""
        return "wrong" if self.problems else "right"


def verify_results(
    path: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    target: Exact | None = None,
    length: int | None = None,
) -> Verification:
    """Verify a results file by the rules of a game.

    The target is the one in the name of the file, where none is given; the length is the one
    that the header tells, up to 10. A pipe can be verified too.

    Raises OSError where the file cannot be read, ValueError where the name has no target and
    none is given, and for a game that has no results files.
    """
    path, game = Path(path), find_game(game)
    with _regular(path) as file:
        wanted = target_of_name(path) if target is None else exact(target)
        if wanted is None:
            name = f"the name {path.name!r} has none: results.24 has"
            raise ValueError(f"no target is given, and {name}")
        found = _verify(file, wanted, game, length)
    return replace(found, file=path)


def _verify(path: Path, target: Exact, game: Game, length: int | None) -> Verification:
    told = _length_of(path)
    why = why_no_target(target, game)
    if why:
        return Verification(path, target, 0, (Problem(None, f"{target}: {why}"),))
    if length is None and told is not None and told > LONGEST_HEADER:
        problem = f"the header is for {told} numbers: a length of {told} has to be asked for"
        return Verification(path, target, 0, (Problem(1, problem),))
    game = _with_length(game, length or told or game.length)
    rows = _rows_where_exact(path, target, game)
    if rows is not None:
        return Verification(path, target, rows)
    found = _Inspection(path, target, game).verification()
    for other in GAMES.values():
        related = not why_no_rows(other) and other.length == game.length and other.name != game.name
        if related and _rows_where_exact(path, target, other) is not None:
            rule = f"wrong by {game.name}, but exactly what the game {other.name} gives"
            found = replace(found, found=(Problem(None, rule), *found.found))
    return found


@contextmanager
def _regular(path: Path) -> Iterator[Path]:
    """Give a file that can be read more than once: itself, or a copy of a pipe."""
    with path.open("rb") as source:
        if path.is_file():
            yield path
            return
        with NamedTemporaryFile() as copy:
            shutil.copyfileobj(source, copy)
            copy.flush()
            yield Path(copy.name)


def _length_of(path: Path) -> int | None:
    """Return the number of numbers that the header of a file tells, if it is one."""
    try:
        told = read_opening(read_lines(path))
    except ResultsError:
        return None
    return told.length if told else None


def _with_length(game: Game, length: int) -> Game:
    try:
        return replace(game, length=length)
    except ValueError:
        return game


def _rows_where_exact(path: Path, target: Exact, game: Game) -> int | None:
    """Return the number of rows of a file that is, byte by byte, what the game gives."""
    layout = Format.of_game(game)
    # The two headers differ by the spaces before op1 and its dash.
    size, expected_size = path.stat().st_size, layout.size(count(target, game))
    if path.is_file() and size not in (expected_size, expected_size - HEADER_LINES):
        return None
    with path.open("rb") as file:
        lines = [file.readline(LONGEST_LINE) for _ in range(HEADER_LINES)]
        headers = (layout.header, layout.old_header)
        if lines not in [[f"{line}\n".encode() for line in header] for header in headers]:
            return None
        rows = 0
        for block in blocks(target, game):
            expected = layout.rows(block)
            if file.read(len(expected)) != expected:
                return None
            rows += len(block)
        return None if file.read(1) else rows


class _Inspection:
    """One reading of a file that is not what it should be."""

    def __init__(self, path: Path, target: Exact, game: Game) -> None:
        self.path = path
        self.target = target
        self.game = game
        self.format = Format.of_game(game)
        self.codes = {each.name: code for code, each in enumerate(OPERATORS.values())}
        self.rows = 0
        self.readable = True
        self.seen: dict[Formula, int] = {}

    def verification(self) -> Verification:
        """Read the file, and say what is wrong with it and what is missing."""
        problems = self._problems()
        found = tuple(islice(problems, MOST_PROBLEMS))
        more = sum(1 for _ in problems)
        if not self.readable:
            return Verification(self.path, self.target, self.rows, found)
        lacking = count(self.target, self.game) - len(self.seen)
        every = formulas(self.target, self.game) if lacking else iter(())
        absent = (formula for formula in every if formula not in self.seen)
        missing = tuple(
            Problem(None, f"missing: {formula}")
            for formula in islice(absent, min(lacking, MOST_MISSING))
        )
        rest = lacking - len(missing)
        return Verification(self.path, self.target, self.rows, found, missing, more, rest)

    def _problems(self) -> Iterator[Problem]:
        """Yield what is wrong, line by line."""
        header: list[str] = []
        number, line, crlf = 0, "\n", False
        try:
            for number, line in read_lines(self.path):
                text = line.removesuffix("\n")
                if text.endswith("\r"):
                    text = text.removesuffix("\r")
                    if not crlf:
                        yield Problem(number, r"the line ends are CRLF (\r\n), not \n alone")
                    crlf = True
                if number == 1 and text.startswith("\ufeff"):
                    text = text.removeprefix("\ufeff")
                    yield Problem(1, "the file begins with a byte order mark")
                if number <= HEADER_LINES:
                    header.append(text)
                    if number == HEADER_LINES:
                        yield from self._of_header(header)
                else:
                    self.rows += 1
                    yield from self._of_row(number, text)
        except ResultsError as error:
            self.readable = False
            yield Problem(error.line, error.problem)
            return
        if not line.endswith("\n"):
            yield Problem(number, r"the last line is cut off: it does not end with \n")
        if len(header) < HEADER_LINES:
            lines = "second header line is" if header else "two header lines are"
            yield Problem(None, f"the {lines} missing")

    def _of_header(self, header: list[str]) -> Iterator[Problem]:
        if tuple(header) == self.format.old_header:
            return
        found = Format.of_header(*header)
        if found is not None and found.length != self.game.length:
            numbers = f"{found.length} numbers, not {self.game.length}"
            yield Problem(1, f"wrong header: it is for {numbers}")
            return
        for number, (text, wanted) in enumerate(zip(header, self.format.header, strict=True), 1):
            if text != wanted:
                yield Problem(number, f"wrong header: it should be {wanted!r}")

    def _of_row(self, number: int, text: str) -> Iterator[Problem]:
        formula = self.format.formula(text)
        if formula is None:
            shown = f"{text[:60]}…" if len(text) > 60 else text
            yield Problem(number, f"{shown!r} is not {self.format.describe_row()}")
            return
        if text != self.format.row(formula):
            yield Problem(number, f"the columns are off, it should be {self.format.row(formula)!r}")
        objection = _objection(formula, self.target, self.game)
        if objection:
            yield Problem(number, f"{formula}: {objection}")
        elif formula in self.seen:
            yield Problem(number, f"{formula} is in line {self.seen[formula]} already")
        else:
            if self.seen and self._order(formula) < self._order(next(reversed(self.seen))):
                yield Problem(number, f"out of order: {formula} belongs further up")
            self.seen[formula] = number

    def _order(self, formula: Formula) -> tuple[tuple[int, ...], list[int]]:
        return formula.numbers, [self.codes[operator] for operator in formula.operators]


def _objection(formula: Formula, target: Exact, game: Game) -> str:
    """Say what is wrong with a row by the rules of the game, or nothing."""
    tree = parse_pattern(formula.operators, game)
    found = work_out(tree, game, lambda place: formula.numbers[place.value])
    if isinstance(found, Objection):
        step = "" if isinstance(found.part, Number) else "illegal: "
        return f"{step}{found.reason}"
    return "" if found == target else f"it makes {found}, not {target}"
