"""Verifying results files.

A file is right when every row is legal and makes the target, none is there twice, none is
missing, they are in order, and all is laid out as the format has it. Owns what is asked of a file,
what can be wrong with it and how that is said, in which order; `reading` makes rows of its bytes,
and `ledger` holds them against those that the game gives.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from crisps24.errors import RefusedError
from crisps24.notation.evaluation import Objection, work_out
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula, Number
from crisps24.rows.enumeration import (
    agreed,
    blocks,
    count,
    formulas_of,
    ints_of,
    keys_in_order,
    layout_of,
)
from crisps24.rows.format import (
    HEADER_LINES,
    Format,
    LineReader,
    Lines,
    ResultsError,
    RowReader,
    decoded,
)
from crisps24.rows.integers import Column
from crisps24.rows.keys import Block
from crisps24.rows.ledger import Ledger, Settled
from crisps24.rows.results import target_of_name
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import GAMES, Game, find_game, why_no_rows, why_no_target
from crisps24.rules.ratios import column_of

# Problems, and missing rows, that are listed before the rest is only counted.
MOST_PROBLEMS = 100_000
MOST_MISSING = 1000

# Formulas that are made of keys at once.
_AT_ONCE = 1 << 12

_BYTE_ORDER_MARK = "\ufeff"
_CRLF = r"the line ends are CRLF (\r\n), not \n alone"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: the line counted from 1, or None where it is in no line.

    `layout` says that it is about line ends and spacing alone.
    """

    line: int | None
    problem: str
    layout: bool = False

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of verifying a file.

    `combinations` counts the rows that the file has; `found` are the problems in it, and
    `missing` the combinations that are not there; `more_found` and `more_missing` count those
    that are not listed, where they are too many. `layout_only` says that all that was found is
    about line ends and spacing.
    """

    file: Path
    target: Exact
    combinations: int
    found: tuple[Problem, ...] = ()
    missing: tuple[Problem, ...] = ()
    more_found: int = 0
    more_missing: int = 0
    layout_only: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, in the order of the file, then what is missing."""
        more = [Problem(None, f"{self.more_found:,} problems more")] if self.more_found else []
        lacking = f"missing: {self.more_missing:,} combinations more"
        rest = [Problem(None, lacking)] if self.more_missing else []
        return (*self.found, *more, *self.missing, *rest)

    @property
    def verdict(self) -> str:
        """`right`, `right, but laid out otherwise`, or `wrong`."""
        if not self.problems:
            return "right"
        return "right, but laid out otherwise" if self.layout_only else "wrong"


class Opening:
    """The first lines of a file, as they are and without their ends and marks."""

    def __init__(self, reader: LineReader) -> None:
        self.problems: list[Problem] = []
        self.texts: list[str] = []
        self.error: ResultsError | None = None
        self.crlf = False
        self.cut_off = False
        try:
            for number, line in reader.take(HEADER_LINES):
                self._take(number, decoded(number, line))
        except ResultsError as error:
            self.error = error
        whole = len(self.texts) == HEADER_LINES
        self.format = Format.of_header(*self.texts) if whole else None

    def _take(self, number: int, line: str) -> None:
        text = line.removesuffix("\n")
        self.cut_off = not line.endswith("\n")
        if text.endswith("\r"):
            text = text.removesuffix("\r")
            if not self.crlf:
                self.problems.append(Problem(number, _CRLF, layout=True))
            self.crlf = True
        if number == 1 and text.startswith(_BYTE_ORDER_MARK):
            text = text.removeprefix(_BYTE_ORDER_MARK)
            mark = "the file begins with a byte order mark"
            self.problems.append(Problem(1, mark, layout=True))
        self.texts.append(text)


def _first_crlf(first: int, block: bytes) -> int | None:
    """Return the number of the first line that ends in CRLF, or in the CR that a cut left."""
    at = block.find(b"\r\n")
    if at < 0 and block.endswith(b"\r"):
        at = len(block) - 1
    return None if at < 0 else first + block.count(b"\n", 0, at)


class Inspection:
    """One reading of a file."""

    def __init__(
        self,
        reader: LineReader,
        opening: Opening,
        target: Exact,
        game: Game,
        progress: Callable[[int], object] | None,
    ) -> None:
        self.reader = reader
        self.opening = opening
        self.target = target
        self.game = game
        self.progress = progress
        self.layout = layout_of(game)
        self.rows = RowReader(game, self.layout)
        self.format = self.rows.format
        self.total = count(target, game)
        expected = keys_in_order(target, game, checked=True)
        self.ledger = Ledger(expected, self.total, self._legal, MOST_MISSING)
        self.combinations = 0
        self.crlf = opening.crlf
        self.error = opening.error
        # The first problems of the file. What is found in a block may be before what was found in
        # it earlier, so they are cut to the first when the block is taken; later blocks hold
        # nothing that is before them.
        self.found = [_Found(each.line or 0, 0, each) for each in opening.problems]
        self.more_found = 0
        # How many of the next block may be among them.
        self.left = MOST_PROBLEMS
        self.wrong = False

    def _legal(self, keys: Column) -> Column:
        """Return which keys are of rows that are legal and make the target."""
        if not self.total:
            return np.zeros(len(keys), bool)
        wanted = column_of([self.target], self.game.fractions, ints_of(self.game))
        return agreed(Block(self.layout, (), keys), wanted, self.game)

    def verification(self) -> Verification:
        """Read the file, and say what is wrong with it and what is missing."""
        lacking = self._of_opening()
        if self.error is None:
            try:
                for first, block in self.reader.blocks():
                    self._take(first, block)
                    if self.error is not None:
                        break
            except ResultsError as error:
                self.error = error
        settled = self.ledger.settle(partial(keys_in_order, self.target, self.game, checked=False))
        found = list(self._listed(settled))
        late = len(settled.wrong) + len(settled.twice) + len(settled.behind)
        more_found = max(0, len(self.found) + self.more_found + late - MOST_PROBLEMS)
        if self.error is not None:
            found.append(Problem(self.error.line, self.error.problem))
            return Verification(
                Path(), self.target, self.combinations, tuple(found), more_found=more_found
            )
        if lacking:
            lines = "two header lines are" if lacking == HEADER_LINES else "second header line is"
            found.append(Problem(None, f"the {lines} missing"))
        missing = [
            Problem(None, f"missing: {formula}") for formula in self._formulas(settled.missing)
        ]
        return Verification(
            Path(),
            self.target,
            self.combinations,
            tuple(found),
            tuple(missing),
            more_found,
            settled.lacking - len(missing),
            not (self.wrong or lacking or late or settled.lacking),
        )

    def _of_opening(self) -> int:
        """Look at the header, take rows in its place as rows; return how many of its lines lack."""
        texts = self.opening.texts
        rows = next((at for at, text in enumerate(texts) if self.format.formula(text)), len(texts))
        if len(texts) == HEADER_LINES or rows < len(texts):
            self._of_header(texts[:rows])
        odd = [(at + 1, f"{texts[at]}\n".encode()) for at in range(rows, len(texts))]
        self._add(np.empty(0, self.layout.dtype), np.empty(0, np.int64), odd)
        if self.opening.cut_off and self.error is None:
            self._cut_off(len(texts))
        return HEADER_LINES - rows

    def _of_header(self, texts: list[str]) -> None:
        """Say what is wrong with the lines of a header; it is told behind the last of them."""
        if tuple(texts) == self.format.old_header[: len(texts)]:
            return
        told = self.opening.format
        if told is not None and told.length != self.format.length:
            numbers = f"{told.length} numbers, not {self.format.length}"
            self._find(1, 1, f"wrong header: it is for {numbers}", told_at=HEADER_LINES)
            return
        for line, (text, right) in enumerate(zip(texts, self.format.header, strict=False), 1):
            if text != right:
                spaced = text.split() == right.split()
                problem = f"wrong header: it should be {right!r}"
                self._find(line, 1, problem, layout=spaced, told_at=HEADER_LINES)

    def _take(self, first: int, block: bytes) -> None:
        """Take a block of whole lines; `first` is the number of its first."""
        size, cut_off = len(block), not block.endswith(b"\n")
        crlf = None
        if b"\r" in block:
            crlf = None if self.crlf else _first_crlf(first, block)
            block = block.replace(b"\r\n", b"\n")
            block = block.removesuffix(b"\r") if cut_off else block
        keys, lines, odd = self.rows.piece(first, block)
        self._add(keys, lines, odd)
        if crlf is not None and (self.error is None or crlf < self.error.line):
            self.crlf = True
            self._find(crlf, 0, _CRLF, layout=True)
        if cut_off and self.error is None:
            self._cut_off(first + block.count(b"\n"))
        self._keep_first()
        if self.progress is not None:
            self.progress(size)

    def _add(self, keys: Column, lines: Column, odd: list[tuple[int, bytes]]) -> None:
        """Take some rows, as keys with their lines, and lines that are no exact rows."""
        spaced_keys, spaced_lines = [], []
        for line, raw in odd:
            try:
                key = self._key_of_odd(line, raw)
            except ResultsError as error:
                # Nothing behind it is read.
                self.error = error
                before = lines < line
                keys, lines = keys[before], lines[before]
                break
            if key is not None:
                spaced_keys.append(key)
                spaced_lines.append(line)
        self.combinations += len(keys)
        if spaced_keys:
            keys = np.concatenate((keys, np.array(spaced_keys, keys.dtype)))
            lines = np.concatenate((lines, np.array(spaced_lines, lines.dtype)))
            order = np.argsort(lines, kind="stable")
            keys, lines = keys[order], lines[order]
        wrong = np.flatnonzero(~self.ledger.add(keys, lines))
        self._find_wrong(keys[wrong], lines[wrong])

    def _key_of_odd(self, line: int, raw: bytes) -> int | None:
        """Say what is odd about a line; return the key of its row, if it is one of the game's."""
        text = decoded(line, raw).removesuffix("\n")
        formula = self.format.formula(text)
        blank = not text.strip()
        self.combinations += not blank
        if formula is None:
            shown = f"{text[:60]}…" if len(text) > 60 else text
            self._find(line, 1, f"{shown!r} is not {self.format.describe_row()}", layout=blank)
            return None
        if text != self.format.row(formula):
            right = self.format.row(formula)
            self._find(line, 1, f"the columns are off, it should be {right!r}", layout=True)
        key = self.rows.key_of(formula)
        if key is None:
            self._find(line, 2, self._wrong(formula))
        return key

    def _find_wrong(self, keys: Column, lines: Column) -> None:
        """Say what is wrong with rows that are not legal or make something else."""
        formulas = self._formulas(keys[: self.left].tolist())
        for line, formula in zip(lines[: self.left].tolist(), formulas, strict=True):
            self._find(line, 2, self._wrong(formula))
        if len(keys) > self.left:
            self.wrong = True
            self.more_found += len(keys) - self.left

    def _cut_off(self, line: int) -> None:
        self._find(line, 3, r"the last line is cut off: it does not end with \n", layout=True)

    def _find(
        self, line: int, phase: int, problem: str, *, layout: bool = False, told_at: int = 0
    ) -> None:
        """Note a problem; those of one line are told by their phases, some with a later line."""
        self.wrong = self.wrong or not layout
        if self.left:
            self.found.append(_Found(told_at or line, phase, Problem(line, problem, layout)))
        else:
            self.more_found += 1

    def _keep_first(self) -> None:
        """Keep as many of the problems as are listed, and count those behind them."""
        if len(self.found) > MOST_PROBLEMS:
            self.found.sort(key=_place)
            self.more_found += len(self.found) - MOST_PROBLEMS
            del self.found[MOST_PROBLEMS:]
        self.left = MOST_PROBLEMS - len(self.found)

    def _listed(self, settled: Settled) -> Iterator[Problem]:
        """Return the first problems in the order of the file, those of late rows among them."""
        first = iter(settled.first.tolist())
        late = (
            self._late(settled.wrong, settled.wrong_keys, self._wrong),
            self._late(
                settled.twice, settled.twice_keys, lambda f: f"{f} is in line {next(first)} already"
            ),
            self._late(
                settled.behind,
                settled.behind_keys,
                lambda f: f"out of order: {f} belongs further up",
            ),
        )
        found = sorted(self.found, key=_place)
        for each in islice(merge(found, *late, key=_place), MOST_PROBLEMS):
            yield each.problem

    def _late(
        self, lines: Column, keys: Column, say: Callable[[Formula], str]
    ) -> Iterator["_Found"]:
        """Yield what is said of late rows, one after the other."""
        formulas = self._formulas(keys[:MOST_PROBLEMS].tolist())
        for line, formula in zip(lines[:MOST_PROBLEMS].tolist(), formulas, strict=True):
            yield _Found(line, 2, Problem(line, say(formula)))

    def _wrong(self, formula: Formula) -> str:
        return f"{formula}: {_objection(formula, self.target, self.game)}"

    def _formulas(self, keys: list[int]) -> Iterator[Formula]:
        """Return the formulas of keys."""
        for start in range(0, len(keys), _AT_ONCE):
            some = np.array(keys[start : start + _AT_ONCE], self.layout.dtype)
            yield from formulas_of(Block(self.layout, (), some), self.game)


class _Found(NamedTuple):
    """A problem, where it is told: by lines, and within one by what is looked at first."""

    line: int
    phase: int
    problem: Problem


def _place(found: _Found) -> tuple[int, int]:
    return found.line, found.phase


def _objection(formula: Formula, target: Exact, game: Game) -> str:
    """Say what is wrong with a row by the rules of the game, or nothing."""
    tree = parse_pattern(formula.operators, game)
    found = work_out(tree, game, lambda place: formula.numbers[place.value])
    if isinstance(found, Objection):
        step = "" if isinstance(found.part, Number) else "illegal: "
        return f"{step}{found.reason}"
    return "" if found == target else f"it makes {found}, not {target}"


# A header that tells of more numbers is not believed without `length`: a few bytes would ask
# for hours of counting.
LONGEST_HEADER = 10


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
    if isinstance(path, str | os.PathLike):
        named = Path(path)
        opened: AbstractContextManager[BinaryIO] = named.open("rb")
    else:
        named, opened = Path(str(getattr(path, "name", "stream"))), nullcontext(path)
    with opened as file:
        wanted = target_of_name(named) if target is None else exact(target)
        if wanted is None:
            name = f"the name {named.name!r} has none: results.24 has"
            raise RefusedError(f"no target is given, and {name}")
        found = _verify(LineReader(file), wanted, game, length, progress)
    return replace(found, file=named)


def _verify(
    reader: LineReader,
    target: Exact,
    game: Game,
    length: int | None,
    progress: Callable[[int], object] | None,
) -> Verification:
    nowhere = Verification(Path(), target, 0)
    if why := why_no_target(target, game):
        return replace(nowhere, found=(Problem(None, f"{target}: {why}"),))
    opening = Opening(reader)
    told = opening.format.length if opening.format else None
    if length is None and told is not None and told > LONGEST_HEADER:
        problem = f"the header is for {told} numbers: a length of {told} has to be asked for"
        return replace(nowhere, found=(Problem(1, problem),))
    game = _with_length(game, length or told or game.length)
    found = Inspection(reader, opening, target, game, progress).verification()
    if found.found or found.missing:
        for other in GAMES.values():
            alike = other.length == game.length and other.name != game.name
            if alike and not why_no_rows(other) and _is_exactly(reader.content, target, other):
                rule = f"wrong by {game.name}, but exactly what the game {other.name} gives"
                found = replace(found, found=(Problem(None, rule), *found.found), layout_only=False)
    return found


def _with_length(game: Game, length: int) -> Game:
    try:
        return replace(game, length=length)
    except ValueError:
        return game


def _is_exactly(content: bytes | None, target: Exact, game: Game) -> bool:
    """Return whether a small file is, byte by byte, what a game gives."""
    if content is None:
        return False
    lines = Lines(game)
    for header in (lines.format.header, lines.format.old_header):
        opening = "".join(f"{line}\n" for line in header).encode()
        size = len(opening) + lines.format.row_bytes * count(target, game)
        if len(content) == size and content.startswith(opening):
            rows = (text for block in blocks(target, game) for text in lines.of(block))
            return content[len(opening) :] == b"".join(rows)
    return False
