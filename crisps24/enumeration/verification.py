"""Verify results files.

A file is right if every row is legal and makes the target, no row is there twice or missing, the
rows are in order, and the layout is that of `format`.
"""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from crisps24.enumeration.enumeration import (
    RowQuery,
    agreed,
    blocks,
    count_rows,
    formulas_of,
    keys_in_order,
    layout_of,
    value_dtype,
)
from crisps24.enumeration.format import (
    HEADER_LINES,
    Format,
    LineReader,
    LineWriter,
    ResultsError,
    RowReader,
    decoded,
)
from crisps24.enumeration.keys import Block
from crisps24.enumeration.ledger import Ledger, Lined
from crisps24.enumeration.places import MAX_ROW_NUMBERS
from crisps24.enumeration.results import target_of_name
from crisps24.errors import KindError, RefusedError, quoted
from crisps24.notation.evaluation import Violation, evaluate_tree
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula, Number
from crisps24.output.atomic_files import path_of
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game, find_game, listing_problem
from crisps24.rules.ratios import Ints, make_column
from crisps24.rules.rules import target_problem

# Problems, and missing rows, that are listed before the rest is only counted.
MOST_PROBLEMS = 100_000
MOST_MISSING = 1000
# A header that tells of more numbers is not believed without `length`: a few bytes would ask
# for hours of counting.
LONGEST_HEADER = 10

# Formulas that are made of keys at once.
_AT_ONCE = 1 << 12

_MARKED = "the file begins with a byte order mark"
_CRLF = r"the line ends are CRLF (\r\n), not \n alone"
_CUT_OFF = r"the last line is cut off: it does not end with \n"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file, with its line counted from 1, or None if it has no line.

    `layout` says that it is about line ends and spacing alone.
    """

    line: int | None
    problem: str
    layout: bool = False

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a file.

    `combinations` counts the rows that the file has; `errors` are the problems in it, and
    `missing` the combinations that are not there; `unlisted_errors` and `unlisted_missing` count
    those that are not listed, where they are too many. `layout_only` says that all that was found
    is about line ends and spacing.
    """

    file: Path
    target: Exact
    combinations: int
    errors: tuple[Problem, ...] = ()
    missing: tuple[Problem, ...] = ()
    unlisted_errors: int = 0
    unlisted_missing: int = 0
    layout_only: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems in the order of the file, then the missing rows."""
        more = (
            [Problem(None, f"{self.unlisted_errors:,} problems more")]
            if self.unlisted_errors
            else []
        )
        lacking = f"missing: {self.unlisted_missing:,} combinations more"
        rest = [Problem(None, lacking)] if self.unlisted_missing else []
        return (*self.errors, *more, *self.missing, *rest)

    @property
    def verdict(self) -> str:
        """`right`, `right, but laid out otherwise`, or `wrong`."""
        if not self.problems:
            return "right"
        return "right, but laid out otherwise" if self.layout_only else "wrong"


def verify_results(
    path: str | os.PathLike[str] | BinaryIO,
    game: Game | str = "crisps",
    *,
    target: Exact | None = None,
    length: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Verification:
    """Verify a results file by the rules of a game.

    The file is a path, or is open for reading bytes; it is read once, so that a pipe can be
    verified too. The target is the one in its name, where none is given; the length is the one
    that the header tells, up to 10. `progress` is called with the number of bytes just read.

    Raises OSError where the file cannot be read, ValueError where the name has no target and
    none is given, and for a game that has no results files.
    """
    game = find_game(game)
    if length is not None and (type(length) is not int or not 1 <= length <= MAX_ROW_NUMBERS):
        raise RefusedError(f"{quoted(length)} is no length: from 1 to {MAX_ROW_NUMBERS} is")
    if isinstance(path, str | os.PathLike):
        named = path_of(path)
        opened: AbstractContextManager[BinaryIO] = named.open("rb")
    elif not hasattr(path, "read") or isinstance(path, io.TextIOBase):
        raise KindError(f"{quoted(path)} is no path, and no file that is open for reading bytes")
    else:
        named, opened = Path(str(getattr(path, "name", "stream"))), nullcontext(path)
    with opened as file:
        wanted = target_of_name(named) if target is None else to_exact(target)
        if wanted is None:
            name = f"the name {named.name!r} has none: results.24 has"
            raise RefusedError(f"no target is given, and {name}")
        found = _verify(LineReader(file, progress), wanted, game, length)
    return replace(found, file=named)


def _verify(reader: LineReader, target: Exact, game: Game, length: int | None) -> Verification:
    nowhere = Verification(Path(), target, 0)
    if why := target_problem(target, game):
        return replace(nowhere, errors=(Problem(None, f"{target}: {why}"),))
    opening = _Opening(reader)
    told = opening.format.length if opening.format else None
    if length is None and told is not None and told > LONGEST_HEADER:
        problem = f"the header is for {told} numbers: a length of {told} has to be asked for"
        return replace(nowhere, errors=(Problem(1, problem),))
    with suppress(ValueError):
        game = replace(game, length=length or told or game.length)
    inspection = _Inspection(opening, target, game)
    for first, block in reader.blocks() if inspection.error is None else ():
        inspection.take(first, block)
        if inspection.error is not None:
            break
    inspection.take_bytes(reader)
    found = inspection.verification()
    if found.errors or found.missing:
        for other in GAMES.values():
            alike = other.length == game.length and other.name != game.name
            if alike and not listing_problem(other) and _is_exactly(reader.content, target, other):
                rule = f"wrong by {game.name}, but exactly what the game {other.name} gives"
                found = replace(
                    found, errors=(Problem(None, rule), *found.errors), layout_only=False
                )
    return found


def _is_exactly(content: bytes | None, target: Exact, game: Game) -> bool:
    """Return whether a small file is, byte by byte, what a game gives."""
    if content is None:
        return False
    lines, query = LineWriter(game), RowQuery(game)
    for header in (lines.format.header, lines.format.old_header):
        opening = "".join(f"{line}\n" for line in header).encode()
        size = len(opening) + lines.format.row_bytes * count_rows(query, target)
        if len(content) == size and content.startswith(opening):
            rows = (text for block in blocks(target, query) for text in lines.lines(block))
            return content[len(opening) :] == b"".join(rows)
    return False


class _Found(NamedTuple):
    """A problem, where it is told: by lines, and within one by what is looked at first."""

    line: int
    phase: int
    problem: Problem


# Within a line: what is the whole line's, what its text is, what its row is, what is at its end.
_OF_LINE, _OF_TEXT, _OF_ROW, _OF_END = range(4)
_place = itemgetter(0, 1)


class _Opening:
    """The first lines of a file, up to what cannot be read."""

    def __init__(self, reader: LineReader) -> None:
        self.texts: list[str] = []
        self.error: ResultsError | None = None
        try:
            for number, line in reader.take(HEADER_LINES):
                self.texts.append(decoded(number, line).removesuffix("\n"))
        except ResultsError as error:
            self.error = error
        whole = len(self.texts) == HEADER_LINES
        self.format = Format.of_header(*self.texts) if whole else None


class _Inspection:
    """What one reading of a file finds."""

    def __init__(self, opening: _Opening, target: Exact, game: Game) -> None:
        self.target = target
        self.game = game
        self.layout = layout_of(game)
        self.rows = RowReader(game, self.layout)
        self.format = self.rows.format
        query = RowQuery(game)
        self.total = count_rows(query, target)
        expected = partial(keys_in_order, target, query)
        self.ledger = Ledger(self._legal, expected, self.total, MOST_PROBLEMS, MOST_MISSING)
        self.combinations = 0
        # Nothing behind what cannot be read is looked at.
        self.error = opening.error
        # The first problems but those of legal rows and the like, and how many there are more.
        self.found: list[_Found] = []
        self.unlisted_errors = 0
        self.layout_only = True
        self.lacking = self._take_opening(opening)

    def _legal(self, keys: Ints) -> Ints:
        """Return which keys are of rows that are legal and make the target."""
        if not self.total:
            return np.zeros(len(keys), bool)
        wanted = make_column([self.target], self.game.fractions, value_dtype(self.game))
        return agreed(Block(self.layout, (), keys), wanted, self.game)

    def _take_opening(self, opening: _Opening) -> int:
        """Take the header, and rows in its place as rows; return how many of its lines lack."""
        texts = opening.texts
        rows = next((at for at, text in enumerate(texts) if self.format.formula(text)), len(texts))
        if len(texts) == HEADER_LINES or rows < len(texts):
            self._take_header(texts[:rows], opening.format)
        nothing = np.empty(0, np.int64)
        odd = [(at + 1, f"{texts[at]}\n".encode()) for at in range(rows, len(texts))]
        self._take_rows(nothing, nothing, odd)
        return HEADER_LINES - rows

    def _take_header(self, texts: list[str], told: Format | None) -> None:
        """Say what is wrong with the lines of a header; it is told behind the last of them."""
        if tuple(texts) == self.format.old_header[: len(texts)]:
            return
        if told is not None and told.length != self.format.length:
            numbers = f"{told.length} numbers, not {self.format.length}"
            self._find(1, _OF_TEXT, f"wrong header: it is for {numbers}", told_at=HEADER_LINES)
            return
        for line, (text, right) in enumerate(zip(texts, self.format.header, strict=False), 1):
            if text != right:
                spaced = text.split() == right.split()
                problem = f"wrong header: it should be {right!r}"
                self._find(line, _OF_TEXT, problem, layout=spaced, told_at=HEADER_LINES)

    def take(self, first: int, block: bytes) -> None:
        """Take a block of whole lines; `first` is the number of its first."""
        self._take_rows(*self.rows.piece(first, block))

    def take_bytes(self, reader: LineReader) -> None:
        """Say what was odd about the bytes of lines, when all are read."""
        odd = (
            (reader.crlf, _OF_LINE, _CRLF),
            (reader.marked, _OF_LINE, _MARKED),
            (reader.cut_off, _OF_END, _CUT_OFF),
        )
        for line, phase, problem in odd:
            if line is not None and (self.error is None or line < self.error.line):
                self._find(line, phase, problem, layout=True)

    def _take_rows(self, keys: Ints, lines: Ints, odd: list[tuple[int, bytes]]) -> None:
        """Take some rows, as keys with their lines, and lines that are no exact rows."""
        spaced_keys, spaced_lines = [], []
        for line, raw in odd:
            try:
                key = self._key_of_odd(line, raw)
            except ResultsError as error:
                self.error = error
                before = lines < line
                keys, lines = keys[before], lines[before]
                break
            if key is not None:
                spaced_keys.append(key)
                spaced_lines.append(line)
        self.combinations += len(keys)
        if spaced_keys:
            keys = np.concatenate((keys, np.array(spaced_keys, self.layout.dtype)))
            lines = np.concatenate((lines, np.array(spaced_lines)))
            order = np.argsort(lines, kind="stable")
            keys, lines = keys[order], lines[order]
        self.ledger.add(Lined(keys, lines))

    def _key_of_odd(self, line: int, raw: bytes) -> int | None:
        """Say what is odd about a line; return the key of its row, if it is one of the game's."""
        text = decoded(line, raw).removesuffix("\n")
        formula = self.format.formula(text)
        blank = not text.strip()
        self.combinations += not blank
        if formula is None:
            shown = f"{text[:60]}…" if len(text) > 60 else text
            problem = f"{shown!r} is not {self.format.describe_row()}"
            self._find(line, _OF_TEXT, problem, layout=blank)
            return None
        if text != self.format.row(formula):
            problem = f"the columns are off, it should be {self.format.row(formula)!r}"
            self._find(line, _OF_TEXT, problem, layout=True)
        key = self.rows.key_of(formula)
        if key is None:
            self._find(line, _OF_ROW, self._wrong(formula))
        return key

    def _find(
        self, line: int, phase: int, problem: str, *, layout: bool = False, told_at: int = 0
    ) -> None:
        """Note a problem; those of one line are told by their phases, some with a later line."""
        self.layout_only = self.layout_only and layout
        # What is found of a block as a whole may be before what was found in it earlier.
        if len(self.found) < MOST_PROBLEMS or phase == _OF_LINE:
            self.found.append(_Found(told_at or line, phase, Problem(line, problem, layout)))
        else:
            self.unlisted_errors += 1

    def verification(self) -> Verification:
        """Return what was found and what is missing, when all is read."""
        settled = self.ledger.settle()
        first = iter(settled.first.tolist())
        told = (
            sorted(self.found, key=_place),
            self._told(settled.wrong, self._wrong),
            self._told(settled.twice, lambda row: f"{row} is in line {next(first)} already"),
            self._told(settled.behind, lambda row: f"out of order: {row} belongs further up"),
        )
        found = [each.problem for each in islice(merge(*told, key=_place), MOST_PROBLEMS)]
        of_rows = settled.all_wrong + len(settled.twice.keys) + len(settled.behind.keys)
        unlisted_errors = len(self.found) + self.unlisted_errors + of_rows - len(found)
        if self.error is not None:
            found.append(Problem(self.error.line, self.error.problem))
            read = Path(), self.target, self.combinations, tuple(found)
            return Verification(*read, unlisted_errors=unlisted_errors)
        if self.lacking == HEADER_LINES:
            found.append(Problem(None, "the two header lines are missing"))
        elif self.lacking:
            found.append(Problem(None, "the second header line is missing"))
        missing = [Problem(None, f"missing: {row}") for row in self._formulas(settled.missing)]
        return Verification(
            Path(),
            self.target,
            self.combinations,
            tuple(found),
            tuple(missing),
            unlisted_errors,
            settled.lacking - len(missing),
            self.layout_only and not (self.lacking or of_rows or settled.lacking),
        )

    def _told(self, rows: Lined, say: Callable[[Formula], str]) -> Iterator[_Found]:
        """Yield what is said of some rows, one after the other."""
        rows = rows.those(slice(MOST_PROBLEMS))
        for line, row in zip(rows.lines.tolist(), self._formulas(rows.keys), strict=True):
            yield _Found(line, _OF_ROW, Problem(line, say(row)))

    def _wrong(self, formula: Formula) -> str:
        """Say what is wrong with a row by the rules of the game."""
        tree = parse_pattern(formula.operators, self.game)
        found = evaluate_tree(tree, self.game, lambda place: formula.numbers[place.value])
        if not isinstance(found, Violation):
            return f"{formula}: it makes {found}, not {self.target}"
        illegal = "" if isinstance(found.part, Number) else "illegal: "
        return f"{formula}: {illegal}{found.message}"

    def _formulas(self, keys: Ints) -> Iterator[Formula]:
        """Yield the formulas of keys."""
        for start in range(0, len(keys), _AT_ONCE):
            some = Block(self.layout, (), keys[start : start + _AT_ONCE])
            yield from formulas_of(some, self.game)
