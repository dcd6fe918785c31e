"""The format of results files: how rows are laid out as lines, and read of them again.

Owns the format, byte by byte, as one record: header, rows, sizes, and reading (`Format`). Of many
rows the text of neighbouring columns is looked up at once by the bits that they have in the keys
(`Lines`), and lines of the exact layout are read as keys, all others one by one (`RowReader`); a
file is read once, from its beginning to its end, so that a pipe does as well (`LineReader`).
Whether rows are right is for `ledger` and `verification` to say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from crisps24.errors import CrispsError
from crisps24.notation.trees import Formula
from crisps24.rows.integers import Column
from crisps24.rows.keys import Block, Layout, field
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


# Rows that are laid out together: their text stays in the processor's cache.
_PIECE = 1 << 14
# Bits of a key that are looked up together, unless one column has more: some MB of text.
_BITS = 16


class _Group(NamedTuple):
    """Some neighbouring columns: which bits of a key tell them, and their text by these."""

    shift: int
    bits: int
    texts: Column


class Lines:
    """The lines of the rows of one game."""

    def __init__(self, game: Game) -> None:
        """Lay rows out as the files of the game are."""
        self.format = Format.of_game(game)
        self.header = "".join(f"{line}\n" for line in self.format.header).encode()
        self._length = game.length
        self._numbers = [self.format.number(number).encode() for number in game.numbers]
        self._signs = [self.format.sign(operator.name).encode() for operator in game.row_operators]
        self._groups: dict[int, list[_Group]] = {}

    def of(self, block: Block) -> Iterator[memoryview]:
        """Yield the lines of a block as bytes, some thousand lines at a time."""
        given = len(block.first)
        if given not in self._groups:
            self._groups[given] = self._groups_of(block.layout, self._length - given)
        groups = {str(at): group for at, group in enumerate(self._groups[given])}
        first = b"".join(self._numbers[place] for place in block.first)
        columns: list[tuple[str, Any]] = [("first", f"V{len(first)}")] if first else []
        columns += [(name, group.texts.dtype) for name, group in groups.items()]
        for start in range(0, len(block), _PIECE):
            keys = block.keys[start : start + _PIECE]
            text = np.empty(len(keys), [*columns, ("end", "S1")])
            if first:
                text["first"] = np.void(first)
            for name, group in groups.items():
                text[name] = group.texts[field(keys, group.shift, group.bits)]
            text["end"] = b"\n"
            yield text.view(np.uint8).data

    def _groups_of(self, layout: Layout, free: int) -> list[_Group]:
        """Return the groups of the last so many numbers and of all operators, from the left."""
        numbers = _groups(self._numbers, layout.number_bits, free, layout.operator_bits)
        return [*numbers, *_groups(self._signs, layout.bits, layout.length - 1, 0)]


def _groups(texts: Sequence[bytes], bits: int, columns: int, shift: int) -> Iterator[_Group]:
    """Yield groups of so many columns, each of so many bits, the last one at a shift."""
    alone = np.array([text.ljust(len(texts[0])) for text in texts], f"V{len(texts[0])}")
    # Codes that no row has get a text as well, so that bits can be looked up as they are.
    alone = np.concatenate([alone, np.repeat(alone[:1], (1 << bits) - len(alone))])
    together = max(1, _BITS // bits)
    while columns:
        size = min(together, columns)
        columns -= size
        rows = np.empty((1 << bits,) * size, [(str(at), alone.dtype) for at in range(size)])
        for at in range(size):
            rows[str(at)] = alone.reshape((-1,) + (1,) * (size - 1 - at))
        width = size * alone.dtype.itemsize
        yield _Group(shift + bits * columns, bits * size, rows.reshape(-1).view(f"V{width}"))


# Bytes that are read at once.
_BLOCK = 1 << 22
# Bytes of a small file, which is kept to be looked at again.
_SMALL = 1 << 20
# Columns of numbers of more bytes than fit one integer are read one by one.
_WIDEST = 8


class LineReader:
    """The lines of a file, read once."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.content: bytes | None = b""
        """All that was read, None where it is no small file."""
        self._buffer = b""
        self._number = 1

    def take(self, count: int) -> Iterator[tuple[int, bytes]]:
        """Yield the next lines, with their numbers from 1 and their ends, at most so many.

        Raises `ResultsError` at one that is too long.
        """
        for _ in range(count):
            while b"\n" not in self._buffer and len(self._buffer) <= LONGEST_LINE:
                if not self._fill():
                    break
            end = self._buffer.find(b"\n") + 1 or len(self._buffer)
            if end > LONGEST_LINE:
                decoded(self._number, self._buffer[: LONGEST_LINE + 1])
            line, self._buffer = self._buffer[:end], self._buffer[end:]
            if line:
                yield self._number, line
                self._number += 1

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the rest in blocks of whole lines, each with the number of its first line.

        The very last line may lack its end. Raises `ResultsError` at a line too long to end.
        """
        while self._buffer or self._fill():
            end = self._buffer.rfind(b"\n") + 1
            if not end and self._fill():
                if len(self._buffer) > LONGEST_LINE and b"\n" not in self._buffer:
                    decoded(self._number, self._buffer[: LONGEST_LINE + 1])
                continue
            end = end or len(self._buffer)
            block, self._buffer = self._buffer[:end], self._buffer[end:]
            yield self._number, block
            self._number += block.count(b"\n")

    def _fill(self) -> bool:
        """Read some more; return whether there was more."""
        more = self.file.read(_BLOCK)
        self._buffer += more
        if self.content is not None:
            self.content += more
            if len(self.content) > _SMALL:
                self.content = None
        return bool(more)


class Piece(NamedTuple):
    """Some lines of a file: the keys of rows with their lines, and what is no exact row."""

    keys: Column
    lines: Column
    odd: list[tuple[int, bytes]]


class RowReader:
    """Takes lines of the exact layout apart, as columns of bytes."""

    def __init__(self, game: Game, layout: Layout) -> None:
        self.format = Format.of_game(game)
        self.layout = layout
        self.numbers = {number: place for place, number in enumerate(game.numbers)}
        self.operators = {each.name: code for code, each in enumerate(game.row_operators)}
        names = [f"{number:>{self.format.width}}".encode() for number in game.numbers]
        columns = np.array([list(name) for name in names], np.uint8)
        # The bytes of a number that say which it is; all others are the same in all.
        telling = np.flatnonzero((columns != columns[0]).any(axis=0)).tolist()
        self._number = _Lookup([bytes(name[column] for column in telling) for name in names])
        self._sign = _Lookup([name.encode() for name in self.operators])
        width, length = self.format.width, game.length
        self._numbers_at = [[width * at + column for column in telling] for at in range(length)]
        self._signs_at = [[width * length + 5 * at + 4] for at in range(length - 1)]
        sample = Formula((game.numbers[0],) * length, tuple(self.operators)[:1] * (length - 1))
        self._sample = np.frombuffer(f"{self.format.row(sample)}\n".encode(), np.uint8)
        self._same = np.full(len(self._sample), 255, np.uint8)
        self._same[[at for some in (*self._numbers_at, *self._signs_at) for at in some]] = 0

    def key_of(self, formula: Formula) -> int | None:
        """Return the key of a formula, None where the game lacks a number or an operator of it."""
        key, after = 0, len(formula.numbers)
        for number, operator in zip(formula.numbers, ("", *formula.operators), strict=True):
            after -= 1
            place, code = self.numbers.get(number), self.operators.get(operator)
            if place is None or (operator and code is None):
                return None
            key |= self.layout.key_of(place, code or 0, after)
        return key

    def piece(self, first: int, block: bytes) -> Piece:
        """Take a block of lines apart; `first` is the number of its first line."""
        size = self.format.row_bytes
        data = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(data == ord("\n")) + 1
        if not block.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.concatenate(([0], ends[:-1]))
        of_size = np.flatnonzero(ends - starts == size)
        if self.format.width > _WIDEST:
            of_size = of_size[:0]
        if len(of_size) * size == len(data):
            rows = data.reshape(-1, size)
        else:
            rows = data[starts[of_size, None] + np.arange(size)]
        keys, exact = self._keys_of(rows)
        odd = np.ones(len(ends), bool)
        odd[of_size[exact]] = False
        others = [(first + at, block[starts[at] : ends[at]]) for at in np.flatnonzero(odd).tolist()]
        return Piece(keys[exact], first + of_size[exact], others)

    def _keys_of(self, rows: Column) -> tuple[Column, Column]:
        """Return the keys of lines of the right length, and which of them have the layout."""
        differ = (rows ^ self._sample) & self._same
        exact = np.ones(len(rows), bool)
        if differ.any():
            exact &= ~differ.any(axis=1)
        numbers = np.array([self._number.places(rows, at) for at in self._numbers_at])
        operators = np.array([self._sign.places(rows, at) for at in self._signs_at])
        for places in (*numbers, *operators):
            exact &= places >= 0
        return self.layout.keys_of(numbers, operators), exact


class _Lookup:
    """The places of names in a list, by their bytes."""

    def __init__(self, names: list[bytes]) -> None:
        spelled = [int.from_bytes(name) for name in names]
        self.width = len(names[0])
        self._table: Column | None = None
        if self.width <= 2:
            self._table = np.full(256**self.width, -1, np.int16)
            self._table[spelled] = np.arange(len(names))
        # In ascending order, where a table of all there could be were too long.
        self._order = np.argsort(np.array(spelled, np.uint64))
        self._spelled = np.array(spelled, np.uint64)[self._order]

    def places(self, rows: Column, columns: list[int]) -> Column:
        """Return the place of what is in some columns of each row, -1 where it is no name."""
        if self.width == 1 and self._table is not None:
            return np.asarray(self._table[rows[:, columns[0]]])
        codes = np.zeros(len(rows), np.uint64)
        for column in columns:
            codes = (codes << np.uint64(8)) | rows[:, column]
        if self._table is not None:
            return np.asarray(self._table[codes])
        at = np.searchsorted(self._spelled, codes)
        at[at == len(self._spelled)] = 0
        return np.where(self._spelled[at] == codes, self._order[at], -1)
