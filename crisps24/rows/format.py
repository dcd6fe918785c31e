"""The format of results files, byte by byte, as one record: header, rows, sizes, and reading.

Owns how a file is laid out, whoever writes or reads it; whether its rows are right is for
`verification` to say.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from crisps24.errors import CrispsError
from crisps24.notation.trees import Formula
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS

HEADER_LINES = 2
# No line of a results file comes near this; what is longer is no results file.
LONGEST_LINE = 10_000

_LETTERS = "ijklmnopqrstuvwxyz"


class ResultsError(CrispsError, ValueError):
    """A results file cannot be read: `line`, counted from 1, and `problem` say where and why."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.line, self.problem)


@dataclass(frozen=True, slots=True)
class Format:
    """How a results file is laid out: how many numbers, and how wide each of their columns is.

    >>> Format(4).row(Formula((2, 8, 9, 1), ("x", "x", "-")))
    '   2   8   9   1    x    x    -'
    """

    length: int
    width: int = 4

    @classmethod
    def of_game(cls, game: Game) -> "Format":
        """Return the format of a game's files: columns of 4, wider where a number needs it."""
        return cls(game.length, max(4, 1 + max(len(str(number)) for number in game.numbers)))

    @classmethod
    def of_header(cls, first: str, second: str) -> "Format | None":
        """Return the format that two header lines tell, None where they are no header."""
        dashes = re.findall("-{3,}", second)
        if not dashes:
            return None
        told = cls(len(dashes), len(dashes[0]) + 1)
        return told if (first, second) in (told.header, told.old_header) else None

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

    @property
    def row_bytes(self) -> int:
        """The bytes of a row, its line end among them."""
        return self.width * self.length + 5 * (self.length - 1) + 1

    def size(self, combinations: int) -> int:
        """Return the bytes that a file of so many combinations takes."""
        return sum(len(line) + 1 for line in self.header) + combinations * self.row_bytes

    def row(self, formula: Formula) -> str:
        """Return the line of a formula, without its line end."""
        return "".join([*map(self.number, formula.numbers), *map(self.sign, formula.operators)])

    def number(self, number: int) -> str:
        """Return a number in the width of its column."""
        return f"{number:>{self.width}}"

    @staticmethod
    def sign(operator: str) -> str:
        """Return an operator in the width of its column."""
        return f"    {operator}"

    def formula(self, line: str) -> Formula | None:
        """Return the formula in a line, however it is spaced, or None where there is none."""
        found = _row_pattern(self.length, "".join(OPERATORS)).fullmatch(line)
        if found is None:
            return None
        return Formula(tuple(map(int, found[1].split())), tuple(found[2].split()))

    def describe_row(self) -> str:
        """Return what a row is, for a complaint: `a row of 4 numbers and 3 operators`."""
        numbers = "1 number" if self.length == 1 else f"{self.length} numbers"
        operators = "1 operator" if self.length == 2 else f"{self.length - 1} operators"
        return f"a row of {numbers} and {operators}"


@lru_cache(maxsize=8)
def _row_pattern(length: int, signs: str) -> re.Pattern[str]:
    sign = f"[{re.escape(signs)}]"
    number, space = "-?[0-9]{1,30}", r"[ \t]"
    return re.compile(
        rf"((?:{space}+{number}){{{length}}})((?:{space}+{sign}){{{length - 1}}}){space}*"
    )


def lines_of(combinations: int) -> int:
    """Return how many lines a file of so many combinations has.

    >>> lines_of(48)
    50
    """
    return combinations + HEADER_LINES


def decoded(number: int, line: bytes) -> str:
    """Return a line of a file, line end and all, as text.

    Raises `ResultsError` where it is none of a results file.
    """
    if len(line) > LONGEST_LINE:
        raise ResultsError(number, f"not a results file: over {LONGEST_LINE:,} bytes long")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        byte = line[error.start]
        raise ResultsError(number, f"not a text file: byte {byte:#04x} in it") from None
    if "\0" in text:
        raise ResultsError(number, "not a text file: byte 0x00 in it")
    return text


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers from 1, line ends and all.

    Raises `ResultsError` where the file is not text.
    """
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
            yield number, decoded(number, line)


def read_opening(lines: Iterator[tuple[int, str]]) -> Format | None:
    """Take the header from the lines of a file; return the format it tells, or None."""
    header = [line.rstrip("\r\n") for _, line in islice(lines, HEADER_LINES)]
    return Format.of_header(*header) if len(header) == HEADER_LINES else None
