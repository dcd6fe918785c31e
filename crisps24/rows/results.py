"""Results files: their format, byte by byte, and how they are written and read.

Owns the files of results: a file is written beside its place and renamed over it, so that
nobody ever sees half of one. Whether a file is right is for `verification` to say.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np

from crisps24.notation.trees import OPERATORS, Formula
from crisps24.outside.whole_files import replacing
from crisps24.rows.enumeration import Block, blocks_of, count, counts
from crisps24.rules.games import Exact, Game, exact, find_game

HEADER_LINES = 2
# No line of a results file comes near this; what is longer is no results file.
LONGEST_LINE = 10_000
# From so many targets of four numbers on, all counts at once are less work than each alone; with
# every number more, the one grows about three times, the other twice.
_MANY_TARGETS = 16
_MANY_MORE = 1.5

_LETTERS = "ijklmnopqrstuvwxyz"
_SIGNS = np.frombuffer("".join(operator.name for operator in OPERATORS).encode(), np.uint8)


class ResultsError(ValueError):
    """A results file cannot be read: `line`, counted from 1, and `problem` say where and why."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns of a results file: how many numbers, and how wide each of their columns is."""

    length: int
    width: int = 4

    @property
    def header(self) -> tuple[str, str]:
        """The two header lines, as the published file has them."""
        return self._header(3)

    @property
    def old_header(self) -> tuple[str, str]:
        """The two header lines as the original's own source prints them."""
        return self._header(2)

    def _header(self, gap: int) -> tuple[str, str]:
        names = [_LETTERS[n] if n < len(_LETTERS) else f"n{n + 1}" for n in range(self.length)]
        operators = [f"op{n}" for n in range(1, self.length)]
        first = "".join(f"{name:>{self.width}}" for name in names)
        second = " " + (" " + "-" * (self.width - 1)) * self.length
        if operators:
            first += " " * gap + operators[0] + "".join(f"{name:>5}" for name in operators[1:])
            second += " " * gap + "-" + "    -" * (len(operators) - 1)
        return first, second

    def row(self, formula: Formula) -> str:
        """Return the line of a formula, without its line end."""
        numbers = "".join(f"{number:>{self.width}}" for number in formula.numbers)
        return numbers + "".join(f"    {operator}" for operator in formula.operators)

    def size(self, combinations: int) -> int:
        """Return the bytes that a file of so many combinations takes."""
        row = self.width * self.length + 5 * (self.length - 1) + 1
        return sum(len(line) + 1 for line in self.header) + combinations * row


@dataclass(frozen=True, slots=True)
class Written:
    """A results file that has been written."""

    target: Exact
    combinations: int
    path: Path

    @property
    def lines(self) -> int:
        """The lines of the file: the combinations and the two of the header."""
        return lines_of(self.combinations)


def lines_of(combinations: int) -> int:
    """Return how many lines a file of so many combinations has.

    >>> lines_of(48)
    50
    """
    return combinations + HEADER_LINES


def shape_of(game: Game) -> Shape:
    """Return the shape of a game's files: columns of 4, wider where a number needs it."""
    return Shape(game.length, max(4, 1 + max(len(str(number)) for number in game.numbers)))


def name_of(target: Exact) -> str:
    """Return the name of the file for a target.

    >>> name_of(143), name_of(-5), name_of(Fraction(3, 4))
    ('results.143', 'results.-5', 'results.3_4')
    """
    return "results." + str(target).replace("/", "_")


def target_of_name(path: Path) -> Exact | None:
    """Return the target in the name of a file, or None where there is none; see `name_of`."""
    found = re.fullmatch(r"results\.(-?[0-9]{1,100})(?:_(0*[1-9][0-9]{0,99}))?", path.name)
    if found is None:
        return None
    return exact(Fraction(int(found[1]), int(found[2] or 1)))


def write_results(
    target: Exact,
    directory: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    progress: Callable[[int], object] | None = None,
) -> Path:
    """Write the results file for a target into a directory and return its path.

    The directory is made if it is missing. `progress` is called with the number of rows just
    written.

    Raises OSError where the file cannot be written or will not fit on the disk, ValueError for
    a game that has no results files. Whatever fails, the file is as it was before.
    """
    [written] = write_all([target], directory, game, progress=progress)
    return written.path


def write_all(
    targets: Iterable[Exact],
    directory: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Written]:
    """Write the files for many targets, yielding each as it is done, once; see `write_results`."""
    game = find_game(game)
    targets = list(dict.fromkeys(map(exact, targets)))
    combinations = counts_of(targets, game)
    shape = shape_of(game)
    directory = Path(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder", str(directory)) from None
    for target, group in groupby(blocks_of(targets, game), key=lambda pair: pair[0]):
        path = directory / name_of(target)
        _refuse_what_will_not_fit(path, shape.size(combinations[target]))
        with replacing(path) as file:
            file.write("".join(f"{line}\n" for line in shape.header).encode())
            for _, block in group:
                file.write(text_of_block(block, shape.width))
                if progress is not None:
                    progress(len(block))
        yield Written(target, combinations[target], path)


def counts_of(targets: Iterable[Exact], game: Game | str = "crisps") -> dict[Exact, int]:
    """Return the number of combinations for each target, by whichever way is less work."""
    game, targets = find_game(game), list(targets)
    if len(targets) > _MANY_TARGETS * _MANY_MORE ** (game.length - 4):
        reached = counts(game)
        return {target: reached.get(target, 0) for target in targets}
    return {target: count(target, game) for target in targets}


def text_of_block(block: Block, width: int) -> bytes:
    """Return the lines of a block of rows."""
    length, rows = block.numbers.shape
    names = "".join(f"{number:>{width}}" for number in block.game.numbers).encode()
    names_of = np.frombuffer(names, np.uint8).reshape(-1, width)
    text = np.full((rows, width * length + 5 * (length - 1) + 1), ord(" "), np.uint8)
    text[:, -1] = ord("\n")
    for place, numbers in enumerate(block.numbers):
        for column in range(width):
            if np.any(names_of[:, column] != ord(" ")):
                text[:, width * place + column] = names_of[:, column][numbers]
    for place, operators in enumerate(block.operators):
        text[:, width * length + 5 * place + 4] = _SIGNS[operators]
    return text.tobytes()


def _refuse_what_will_not_fit(path: Path, size: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if size > free:
        reason = f"it would be {size:,} bytes, and {free:,} are free on the disk"
        raise OSError(errno.ENOSPC, reason, str(path))


def read_results(path: str | os.PathLike[str]) -> Iterator[Formula]:
    """Yield the formulas of a results file, of any length and with either header.

    Raises `ResultsError` at the first line that is none of a results file, and OSError where
    the file cannot be read. Whether the formulas are right is for `verify_results` to say.
    """
    shape: Shape | None = None
    first = ""
    for number, line in read_lines(Path(path)):
        text = line.rstrip("\r\n")
        if number == 1:
            first = text
        elif number == 2:
            shape = shape_of_header(first, text)
            if shape is None:
                raise ResultsError(1, "this is not the header of a results file")
        elif shape is not None:
            formula = formula_of_row(text, shape.length)
            if formula is None:
                raise ResultsError(number, f"this is not {describe_row(shape.length)}")
            yield formula
    if shape is None:
        raise ResultsError(1, "this is not the header of a results file")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers from 1, line ends and all.

    Raises `ResultsError` where the file is not text.
    """
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
            if len(line) > LONGEST_LINE:
                raise ResultsError(number, f"not a results file: over {LONGEST_LINE:,} bytes long")
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                byte = line[error.start]
                raise ResultsError(number, f"not a text file: byte {byte:#04x} in it") from None
            if "\0" in text:
                raise ResultsError(number, "not a text file: byte 0x00 in it")
            yield number, text


def shape_of_header(first: str, second: str) -> Shape | None:
    """Return the shape that the two header lines tell, or None where they are not a header."""
    dashes = re.findall("-{3,}", second)
    if not dashes:
        return None
    shape = Shape(len(dashes), len(dashes[0]) + 1)
    return shape if (first, second) in (shape.header, shape.old_header) else None


def describe_row(length: int) -> str:
    """Return what a row is, for a complaint: `a row of 4 numbers and 3 operators`."""
    numbers = "1 number" if length == 1 else f"{length} numbers"
    operators = "1 operator" if length == 2 else f"{length - 1} operators"
    return f"a row of {numbers} and {operators}"


@lru_cache(maxsize=8)
def _row_pattern(length: int) -> re.Pattern[str]:
    signs = re.escape("".join(operator.name for operator in OPERATORS))
    return re.compile(rf"((?: +-?[0-9]{{1,30}}){{{length}}})((?: +[{signs}]){{{length - 1}}})")


def formula_of_row(text: str, length: int) -> Formula | None:
    """Return the formula in a line of a results file, or None where there is none."""
    found = _row_pattern(length).fullmatch(text)
    if found is None:
        return None
    return Formula(tuple(map(int, found[1].split())), tuple(found[2].split()))
