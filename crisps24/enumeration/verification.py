"""Verify results files.

A file is right if every row is legal and makes the target, no row is missing or repeated, the rows
are in order, and the layout is that of `format`. Exact lines are read as keys and compared by
`comparison`; all other lines are checked separately. A file is read once. A right file of 48
million rows (2.8 GB) takes about 230 MB of memory, since runs of rows are stored as one entry.
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

from crisps24.enumeration.comparison import NumberedRows, RowComparison
from crisps24.enumeration.enumeration import (
    RowQuery,
    blocks_for,
    confirmed_rows,
    count_rows,
    formulas_of,
    layout_of,
    unconfirmed_keys,
    value_dtype,
)
from crisps24.enumeration.format import (
    HEADER_LINES,
    Format,
    LineReader,
    LineWriter,
    ResultsError,
    RowParser,
    decode_line,
)
from crisps24.enumeration.keys import Block
from crisps24.enumeration.places import MAX_ROW_NUMBERS
from crisps24.enumeration.results import target_of_name
from crisps24.errors import KindError, RefusedError, quoted
from crisps24.notation.evaluation import Violation, evaluate_tree
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.trees import Formula, Number, leaf_index
from crisps24.output.atomic_files import to_path
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game, change_rules, find_game, listing_problem
from crisps24.rules.ratios import Ints, make_column
from crisps24.rules.rules import target_problem

# Problems and missing rows that are listed; more are only counted.
MAX_LISTED_PROBLEMS = 100_000
MAX_LISTED_MISSING = 1000
# A header for more numbers needs `length`: a file of a few bytes could cause hours of counting.
MAX_HEADER_NUMBERS = 10

# Keys converted to formulas at once.
_KEYS_PER_BATCH = 1 << 12

_MARKED = "the file begins with a byte order mark"
_CRLF = r"the line ends are CRLF (\r\n), not \n alone"
_CR = r"the line ends are CR (\r), not \n"
_CUT_OFF = r"the last line is cut off: it does not end with \n"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a results file.

    `line` is the number of the line, from 1, or None for a problem of no single line, such as a
    missing row. `layout` is True if only line ends or spacing are wrong.
    """

    line: int | None
    problem: str
    layout: bool = False

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a file.

    A row is a formula without parentheses, such as 2 x 9 x 8 - 1. `combinations` is the number of
    rows in the file. `errors` are the problems of its header and rows, `missing` has a problem for
    each row that it lacks. At most 100,000 errors and 1,000 missing rows are listed:
    `unlisted_errors` and `unlisted_missing` count the rest. `layout_only` is True if all problems
    are about line ends and spacing.
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
        errors, missing = [*self.errors], [*self.missing]
        if self.unlisted_errors:
            errors.append(Problem(None, f"{self.unlisted_errors:,} problems more"))
        if self.unlisted_missing:
            missing.append(Problem(None, f"missing: {self.unlisted_missing:,} combinations more"))
        return (*errors, *missing)

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, or `right, but laid out otherwise`: only line ends or spaces differ."""
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
    """Check each row of a results file by the rules of a game; return a report of all problems.

    A wrong row does not make the target, or breaks a rule. The report also lists duplicate rows,
    rows out of order and missing rows. Bytes that are not text are a problem, not an error.

    Args:
        path: A path, or a file that is open for reading bytes, such as a pipe.
        game: The game, or its name; its length is replaced by `length`.
        target: By default the one in the file name, such as `results.24`.
        length: The number of numbers of a row, 1 to 99; by default that of the header, up to 10.
        progress: Called with the number of bytes just read.

    Raises:
        OSError: The file cannot be read.
        RefusedError: There is no target, the length is invalid, the game has no results files, or
            the count is too large.
        KindError: `path` is neither a path nor a binary file.
    """
    game = find_game(game)
    if length is not None and (type(length) is not int or not 1 <= length <= MAX_ROW_NUMBERS):
        raise RefusedError(f"invalid length {quoted(length)} (expected 1 to {MAX_ROW_NUMBERS})")
    if isinstance(path, str | os.PathLike):
        file_path = to_path(path)
        opened: AbstractContextManager[BinaryIO] = file_path.open("rb")
    elif not hasattr(path, "read") or isinstance(path, io.TextIOBase):
        raise KindError(f"{quoted(path)} is not a path or a file that is open for reading bytes")
    else:
        file_path, opened = Path(str(getattr(path, "name", "stream"))), nullcontext(path)
    with opened as file:
        target = target_of_name(file_path) if target is None else to_exact(target)
        if target is None:
            reason = f"the name {file_path.name!r} does not contain the target"
            raise RefusedError(f"{reason}: give one, or a name such as results.24")
        verification = _verify(LineReader(file, progress), target, game, length)
    return replace(verification, file=file_path)


def _verify(reader: LineReader, target: Exact, game: Game, length: int | None) -> Verification:
    """Read all lines, and return all problems; the path of the report is still empty.

    If a small wrong file is exactly that of another game, a problem names this game.
    """
    # If the target or the length of the header is not allowed, this is the only problem.
    empty = Verification(Path(), target, 0)
    if problem := target_problem(target, game):
        return replace(empty, errors=(Problem(None, f"{target}: {problem}"),))
    header = _Header(reader)
    header_length = header.format.length if header.format else None
    if length is None and header_length is not None and header_length > MAX_HEADER_NUMBERS:
        numbers = f"{header_length} numbers: a length of {header_length}"
        error = Problem(1, f"the header is for {numbers} has to be asked for")
        return replace(empty, errors=(error,))
    # A game that cannot have this length is verified with its own length.
    with suppress(ValueError):
        game = change_rules(game, {"length": length or header_length or game.length})
    verifier = _Verifier(header, target, game)
    # `error` is set at a line that cannot be read: the verification stops there.
    if verifier.error is None:
        for first_line, block in reader.blocks():
            verifier.add_block(first_line, block)
            if verifier.error is not None:
                break
    verifier.add_byte_problems(reader)
    verification = verifier.finish()
    if verification.errors or verification.missing:
        for other_game in GAMES.values():
            if other_game.length != game.length or other_game.name == game.name:
                continue
            if listing_problem(other_game) or not _is_exact(reader.content, target, other_game):
                continue
            text = f"wrong by {game.name}, but exactly what the game {other_game.name} gives"
            errors = (Problem(None, text), *verification.errors)
            verification = replace(verification, errors=errors, layout_only=False)
    return verification


def _is_exact(content: bytes | None, target: Exact, game: Game) -> bool:
    """Return whether some bytes are exactly the results file of a game; False for None."""
    if content is None:
        return False
    writer, query = LineWriter(game), RowQuery(game)
    for header in (writer.format.header, writer.format.old_header):
        header_bytes = "".join(f"{line}\n" for line in header).encode()
        rows_bytes = writer.format.row_bytes * count_rows(query, target)
        has_right_size = len(content) == len(header_bytes) + rows_bytes
        if has_right_size and content.startswith(header_bytes):
            rows = (text for block in blocks_for(target, query) for text in writer.lines(block))
            return content[len(header_bytes) :] == b"".join(rows)
    return False


class _PlacedProblem(NamedTuple):
    """A problem and its place in the report, which is sorted by line, then by phase."""

    line: int
    phase: int
    problem: Problem


# The order of the problems of one line.
_LINE_PHASE = 0
_TEXT_PHASE = 1
_ROW_PHASE = 2
_END_PHASE = 3
_report_order = itemgetter(0, 1)


class _Header:
    """The first two lines of a file, or those before a line that cannot be read."""

    def __init__(self, reader: LineReader) -> None:
        self.texts: list[str] = []
        self.error: ResultsError | None = None
        try:
            for number, line in reader.take(HEADER_LINES):
                self.texts.append(decode_line(number, line).removesuffix("\n"))
        except ResultsError as error:
            self.error = error
        complete = len(self.texts) == HEADER_LINES
        self.format = Format.of_header(*self.texts) if complete else None


class _Verifier:
    """Collects the problems of one results file."""

    def __init__(self, header: _Header, target: Exact, game: Game) -> None:
        self.target = target
        self.game = game
        self.layout = layout_of(game)
        self.parser = RowParser(game, self.layout)
        self.format = self.parser.format
        query = RowQuery(game)
        self.total = count_rows(query, target)
        self.comparison = RowComparison(
            self._confirmed,
            partial(unconfirmed_keys, target, query),
            self.total,
            MAX_LISTED_PROBLEMS,
            MAX_LISTED_MISSING,
        )
        self.row_count = self.blank_count = 0
        self.blank_line: int | None = None
        # The first line that cannot be read: the verification stops there.
        self.error = header.error
        # The first problems, without those that `comparison` finds, and how many more there are.
        self.problems: list[_PlacedProblem] = []
        self.unlisted = 0
        self.layout_only = True
        self.missing_header_lines = self._add_header(header)

    def _confirmed(self, keys: Ints) -> Ints:
        if not self.total:
            return np.zeros(len(keys), bool)
        targets = make_column([self.target], self.game.fractions, value_dtype(self.game))
        return confirmed_rows(Block(self.layout, (), keys), targets, self.game)

    def _add_header(self, header: _Header) -> int:
        """Check the lines before the first row; return how many header lines are missing."""
        texts = header.texts
        row_indices = (i for i, text in enumerate(texts) if self.format.parse_row(text))
        # The lines before the first row are header lines.
        header_count = next(row_indices, len(texts))
        if len(texts) == HEADER_LINES or header_count < len(texts):
            self._check_header(texts[:header_count], header.format)
        no_rows = np.empty(0, np.int64)
        rows = [(i + 1, f"{texts[i]}\n".encode()) for i in range(header_count, len(texts))]
        self._add_rows(no_rows, no_rows, rows)
        return HEADER_LINES - header_count

    def _check_header(self, texts: list[str], header_format: Format | None) -> None:
        if tuple(texts) == self.format.old_header[: len(texts)]:
            return
        if header_format is not None and header_format.length != self.format.length:
            numbers = f"{header_format.length} numbers, not {self.format.length}"
            problem = f"wrong header: it is for {numbers}"
            self._add_problem(1, _TEXT_PHASE, problem, reported_at=HEADER_LINES)
            return
        for line, (text, right_text) in enumerate(zip(texts, self.format.header, strict=False), 1):
            if text != right_text:
                spacing_only = text.split() == right_text.split()
                problem = f"wrong header: it should be {right_text!r}"
                self._add_problem(
                    line, _TEXT_PHASE, problem, layout=spacing_only, reported_at=HEADER_LINES
                )

    def add_block(self, first_line: int, block: bytes) -> None:
        """Check the next lines; at a line that cannot be read, set `error`."""
        self._add_rows(*self.parser.parse(first_line, block))

    def add_byte_problems(self, reader: LineReader) -> None:
        """Add the problems of line ends, blank lines and a byte order mark, after the last line."""
        count = self.blank_count
        blank = "a blank line" if count == 1 else f"the first of {count:,} blank lines"
        problems = (
            (reader.crlf_line, _LINE_PHASE, _CRLF),
            (reader.cr_line, _LINE_PHASE, _CR),
            (reader.marked_line, _LINE_PHASE, _MARKED),
            (self.blank_line, _LINE_PHASE, blank),
            (reader.cut_off_line, _END_PHASE, _CUT_OFF),
        )
        for line, phase, problem in problems:
            if line is not None and (self.error is None or line < self.error.line):
                self._add_problem(line, phase, problem, layout=True)

    def _add_rows(self, keys: Ints, lines: Ints, others: list[tuple[int, bytes]]) -> None:
        """Add exact rows and other lines to the comparison."""
        other_keys, other_lines = [], []
        for line, content in others:
            try:
                key = self._check_line(line, content)
            except ResultsError as error:
                self.error = error
                before_error = lines < line
                keys, lines = keys[before_error], lines[before_error]
                break
            if key is not None:
                other_keys.append(key)
                other_lines.append(line)
        # `_check_line` has counted the other lines.
        self.row_count += len(keys)
        if other_keys:
            keys = np.concatenate((keys, np.array(other_keys, self.layout.dtype)))
            lines = np.concatenate((lines, np.array(other_lines)))
            line_order = np.argsort(lines, kind="stable")
            keys, lines = keys[line_order], lines[line_order]
        self.comparison.add(NumberedRows(keys, lines))

    def _check_line(self, line: int, content: bytes) -> int | None:
        """Add the problems of a line that is not exact; return its key, None if it has none."""
        text = decode_line(line, content).removesuffix("\n")
        formula = self.format.parse_row(text)
        if not text.strip():
            self.blank_count += 1
            self.blank_line = self.blank_line or line
            return None
        self.row_count += 1
        if formula is None:
            shortened = f"{text[:60]}…" if len(text) > 60 else text
            problem = f"{shortened!r} is not {self.format.describe_row()}"
            self._add_problem(line, _TEXT_PHASE, problem)
            return None
        right_text = self.format.format_row(formula)
        if text != right_text:
            problem = f"the columns are off, it should be {right_text!r}"
            self._add_problem(line, _TEXT_PHASE, problem, layout=True)
        key = self.parser.key_of(formula)
        if key is None:
            self._add_problem(line, _ROW_PHASE, self._describe_wrong(formula))
        return key

    def _add_problem(
        self, line: int, phase: int, problem: str, *, layout: bool = False, reported_at: int = 0
    ) -> None:
        """Add a problem to the list, or count it if the list is full."""
        self.layout_only = self.layout_only and layout
        # Problems of whole lines are added last, and can precede those that are listed.
        if len(self.problems) < MAX_LISTED_PROBLEMS or phase == _LINE_PHASE:
            placed = _PlacedProblem(reported_at or line, phase, Problem(line, problem, layout))
            self.problems.append(placed)
        else:
            self.unlisted += 1

    def finish(self) -> Verification:
        """Return the report after the last line: problems by line, then what is missing."""
        differences = self.comparison.finish()
        duplicates, out_of_order = differences.duplicates, differences.out_of_order
        # List the problems of all kinds by line; `first_lines` has for each duplicate row the line
        # of its first copy.
        first_lines = iter(differences.first_lines.tolist())
        problems_by_kind = (
            sorted(self.problems, key=_report_order),
            self._row_problems(differences.wrong, self._describe_wrong),
            self._row_problems(
                duplicates, lambda row: f"{row} is in line {next(first_lines)} already"
            ),
            self._row_problems(out_of_order, "out of order: {} belongs further up".format),
        )
        listed = islice(merge(*problems_by_kind, key=_report_order), MAX_LISTED_PROBLEMS)
        errors = [placed.problem for placed in listed]
        row_problems = differences.wrong_count + len(duplicates.keys) + len(out_of_order.keys)
        unlisted_errors = len(self.problems) + self.unlisted + row_problems - len(errors)
        # After a line that cannot be read, the file has an unknown rest: no rows are missing.
        if self.error is not None:
            errors.append(Problem(self.error.line, self.error.problem))
            return Verification(
                Path(),
                self.target,
                self.row_count,
                tuple(errors),
                unlisted_errors=unlisted_errors,
            )
        if self.missing_header_lines == HEADER_LINES:
            errors.append(Problem(None, "the two header lines are missing"))
        elif self.missing_header_lines:
            errors.append(Problem(None, "the second header line is missing"))
        missing = [Problem(None, f"missing: {row}") for row in self._formulas(differences.missing)]
        lines_differ = self.missing_header_lines or row_problems or differences.missing_count
        return Verification(
            Path(),
            self.target,
            self.row_count,
            tuple(errors),
            tuple(missing),
            unlisted_errors,
            differences.missing_count - len(missing),
            self.layout_only and not lines_differ,
        )

    def _row_problems(
        self, rows: NumberedRows, describe: Callable[[Formula], str]
    ) -> Iterator[_PlacedProblem]:
        listed_rows = rows.select(slice(MAX_LISTED_PROBLEMS))
        formulas = self._formulas(listed_rows.keys)
        for line, formula in zip(listed_rows.lines.tolist(), formulas, strict=True):
            yield _PlacedProblem(line, _ROW_PHASE, Problem(line, describe(formula)))

    def _describe_wrong(self, formula: Formula) -> str:
        """Return why a formula is wrong, such as `2 x 8 x 9 - 2: it makes 142, not 143`."""
        tree = parse_pattern(formula.operators, self.game)
        value = evaluate_tree(tree, self.game, lambda place: formula.numbers[leaf_index(place)])
        if not isinstance(value, Violation):
            return f"{formula}: it makes {value}, not {self.target}"
        illegal = "" if isinstance(value.part, Number) else "illegal: "
        return f"{formula}: {illegal}{value.message}"

    def _formulas(self, keys: Ints) -> Iterator[Formula]:
        for start in range(0, len(keys), _KEYS_PER_BATCH):
            block = Block(self.layout, (), keys[start : start + _KEYS_PER_BATCH])
            yield from formulas_of(block, self.game)
