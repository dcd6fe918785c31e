"""Verify results files.

A file is right if every row is legal and makes the target, no row is missing or repeated, the rows
are in order, and the layout is that of `format`. Exact lines are read as keys and compared by
`comparison`; all other lines are read by `layouts`. A file is read once. A right file of 48
million rows (2.8 GB) takes about 230 MB of memory, since runs of rows are stored as one entry.
"""

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

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
)
from crisps24.enumeration.keys import Block
from crisps24.enumeration.layouts import LayoutReader
from crisps24.enumeration.places import MAX_ROW_NUMBERS
from crisps24.enumeration.results import target_of_name
from crisps24.errors import KindError, RefusedError, quoted
from crisps24.notation.evaluation import Violation, evaluate_tree
from crisps24.notation.parser import parse_pattern
from crisps24.notation.trees import Formula, Number, leaf_index
from crisps24.output.atomic_files import replace_file, to_path
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game, change_rules, find_game
from crisps24.rules.machines import ROWS
from crisps24.rules.ratios import Ints, make_column
from crisps24.rules.rules import target_problem

# Problems and missing rows that are listed; more are only counted.
MAX_LISTED_PROBLEMS = 100_000
MAX_LISTED_MISSING = 1000
# A header for more numbers needs `length`: a file of a few bytes could cause hours of counting.
MAX_HEADER_NUMBERS = 10

# Keys converted to formulas at once.
_KEYS_PER_BATCH = 1 << 12


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a results file.

    `line` is the number of the line, from 1, or None for a problem of no single line, such as a
    missing row. `layout` is True if only the form differs, not the rows.
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
    are about the layout, and `old_header` if the header is that of the original program. `game` has
    the length of the rows; it is None if none of them is right.
    """

    file: Path
    target: Exact
    combinations: int
    errors: tuple[Problem, ...] = ()
    missing: tuple[Problem, ...] = ()
    unlisted_errors: int = 0
    unlisted_missing: int = 0
    layout_only: bool = False
    game: Game | None = field(default=None, repr=False)
    old_header: bool = field(default=False, repr=False)

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
        """`right`, `wrong`, or `right, but laid out otherwise`: it has all rows in another form."""
        if not self.problems:
            return "right"
        return "right, but laid out otherwise" if self.layout_only else "wrong"

    def write_corrected(self, path: str | os.PathLike[str]) -> None:
        """Write the file as it should be: the exact layout, without wrong rows, with missing ones.

        Raises OSError if it cannot be written, and RefusedError if the file has no right row.
        """
        if self.game is None:
            raise RefusedError(f"{self.file} has no row of {self.target}: write it with results")
        writer = LineWriter(self.game)
        header = writer.format.old_header if self.old_header else writer.format.header
        with replace_file(to_path(path)) as file:
            file.write("".join(f"{line}\n" for line in header).encode())
            for block in blocks_for(self.target, RowQuery(self.game)):
                file.writelines(writer.lines(block))


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
    """Read all lines, and return all problems; the path of the report is still empty."""
    # If the target or the length of the header is not allowed, this is the only problem.
    empty = Verification(Path(), target, 0)
    if problem := target_problem(target, game):
        return replace(empty, errors=(Problem(None, f"{target}: {problem}"),))
    header = list(reader.take(HEADER_LINES))
    texts = [line.decode(errors="replace").removesuffix("\n") for _, line in header]
    header_format = Format.of_header(*texts) if len(texts) == HEADER_LINES else None
    # A header in another layout has the same names.
    names = re.findall("[a-z]+[0-9]*", " ".join(texts).casefold())
    named_format = Format(1 + sum(name.startswith("op") for name in names))
    is_named = named_format.header[0].split() == names
    header_length = named_format.length if is_named else None
    if length is None and header_length is not None and header_length > MAX_HEADER_NUMBERS:
        numbers = f"{header_length} numbers: a length of {header_length}"
        error = Problem(1, f"the header is for {numbers} has to be asked for")
        return replace(empty, errors=(error,))
    # A game that cannot have this length is verified with its own length.
    with suppress(ValueError):
        game = change_rules(game, {"length": length or header_length or game.length})
    verifier = _Verifier(target, game)
    verifier.add_header(header, header_format)
    # `error` is set at a line that cannot be read: the verification stops there.
    blocks = reader.blocks()
    while verifier.error is None and (numbered := next(blocks, None)):
        verifier.add_rows(*verifier.parser.parse(*numbered))
    verification = verifier.finish(reader.differences)
    if verification.errors or verification.missing:
        # A small wrong file can be exactly that of another game.
        for other_game in GAMES.values():
            if other_game.length != game.length or other_game.name == game.name:
                continue
            if not (ROWS.can_do(other_game) and _is_exact(reader.content, target, other_game)):
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


class _Verifier:
    """Collects the problems of one results file."""

    def __init__(self, target: Exact, game: Game) -> None:
        self.target, self.game = target, game
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
        self.row_count = 0
        self.others = LayoutReader(self.format, target)
        self.has_header, self.old_header = True, False
        # The first line that cannot be read: the verification stops there.
        self.error: ResultsError | None = None
        # The first problems, without those that `comparison` finds, and how many more there are.
        self.problems: list[Problem] = []
        self.unlisted = 0
        self.layout_only = True

    def _confirmed(self, keys: Ints) -> Ints:
        if not self.total:
            return np.zeros(len(keys), bool)
        targets = make_column([self.target], self.game.fractions, value_dtype(self.game))
        return confirmed_rows(Block(self.layout, (), keys), targets, self.game)

    def add_header(self, lines: list[tuple[int, bytes]], header_format: Format | None) -> None:
        """Check the first lines; `header_format` is None unless they are an exact header."""
        if header_format is None:
            self.has_header = False
            no_rows = np.empty(0, np.int64)
            self.add_rows(no_rows, no_rows, lines)
        elif header_format.length != self.format.length:
            numbers = f"{header_format.length} numbers, not {self.format.length}"
            self._add_problem(1, f"wrong header: it is for {numbers}")
        else:
            self.others.header_lines += HEADER_LINES
            self.old_header = lines[0][1].decode() != f"{self.format.header[0]}\n"

    def add_rows(self, keys: Ints, lines: Ints, others: list[tuple[int, bytes]]) -> None:
        """Check exact rows and other lines; at a line that cannot be read, set `error`."""
        try:
            for line, content in others:
                self.others.read(line, content)
        except ResultsError as error:
            self.error = error
            before_error = lines < error.line
            keys, lines = keys[before_error], lines[before_error]
        self._add_unread()
        rows, self.others.rows = self.others.rows, []
        self.row_count += len(keys) + len(rows)
        pairs = [(line, self.parser.key_of(row)) for line, row in rows]
        for (line, row), (_, key) in zip(rows, pairs, strict=True):
            if key is None:
                self._add_problem(line, self._describe_wrong(row))
        if known := [(line, key) for line, key in pairs if key is not None]:
            keys = np.concatenate((keys, np.array([key for _, key in known], self.layout.dtype)))
            lines = np.concatenate((lines, np.array([line for line, _ in known], np.int64)))
            line_order = np.argsort(lines, kind="stable")
            keys, lines = keys[line_order], lines[line_order]
        self.comparison.add(NumberedRows(keys, lines))

    def _add_unread(self) -> None:
        for line, text in self.others.unread:
            shortened = f"{text[:60]}…" if len(text) > 60 else text
            self._add_problem(line, f"{shortened!r} is not {self.format.describe_row()}")
        self.others.unread = []

    def _add_problem(self, line: int, problem: str) -> None:
        """Add a problem to the list, or count it if the list is full."""
        self.layout_only = False
        if len(self.problems) < MAX_LISTED_PROBLEMS:
            self.problems.append(Problem(line, problem))
        else:
            self.unlisted += 1

    def finish(self, differences: Iterable[str]) -> Verification:
        """Return the report after the last line: differences of layout, problems, missing rows."""
        self.others.end_fragments()
        self._add_unread()
        compared = self.comparison.finish()
        duplicates = compared.duplicates
        self.others.counts["rows out of order"] = len(compared.out_of_order.keys)
        layout = [*differences, *self.others.differences()]
        if not (self.has_header or self.error):
            state = "laid out otherwise" if self.others.header_lines else "missing"
            layout.append(f"the header is {state}")
        if not (self.row_count or self.others.header_lines):
            self.layout_only = False
        # List the problems of all kinds by line; `first_lines` has for each duplicate row the line
        # of its first copy.
        by_line = attrgetter("line")
        first_lines = iter(compared.first_lines.tolist())
        problems_by_kind = (
            sorted(self.problems, key=by_line),
            self._row_problems(compared.wrong, self._describe_wrong),
            self._row_problems(
                duplicates, lambda row: f"{row} is in line {next(first_lines)} already"
            ),
        )
        problems = [*islice(merge(*problems_by_kind, key=by_line), MAX_LISTED_PROBLEMS)]
        wrong_rows = compared.wrong_count + len(duplicates.keys)
        unlisted_errors = len(self.problems) + self.unlisted + wrong_rows - len(problems)
        missing = [Problem(None, f"missing: {row}") for row in self._formulas(compared.missing)]
        missing_count = compared.missing_count
        has_rows = missing_count < self.total or not (self.total or self.row_count)
        # After a line that cannot be read, the file has an unknown rest: no rows are missing.
        if self.error is not None:
            problems.append(Problem(self.error.line, self.error.problem))
            missing, missing_count = [], 0
        return Verification(
            Path(),
            self.target,
            self.row_count,
            (*(Problem(None, difference, layout=True) for difference in layout), *problems),
            tuple(missing),
            unlisted_errors,
            missing_count - len(missing),
            self.layout_only and not (problems or missing_count),
            self.game if has_rows else None,
            self.old_header,
        )

    def _row_problems(
        self, rows: NumberedRows, describe: Callable[[Formula], str]
    ) -> Iterator[Problem]:
        listed_rows = rows.select(slice(MAX_LISTED_PROBLEMS))
        formulas = self._formulas(listed_rows.keys)
        for line, formula in zip(listed_rows.lines.tolist(), formulas, strict=True):
            yield Problem(line, describe(formula))

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
