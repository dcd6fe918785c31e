"""The format of results files: rows as lines of bytes, and back.

To write rows, the text of neighbouring columns is looked up at once by their bits in the keys
(`LineWriter`). Lines of the exact layout are read as keys, all others one by one (`RowReader`). A
file is read once from start to end, so that a pipe can be read too (`LineReader`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from crisps24.enumeration.keys import Block, Layout, field
from crisps24.errors import CrispsError
from crisps24.notation.trees import Formula
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Ints

HEADER_LINES = 2
# No line of a results file comes near this; what is longer is no results file.
LONGEST_RESULTS_LINE = 10_000

_LETTERS = "ijklmnopqrstuvwxyz"


class ResultsError(CrispsError, ValueError):
    """A results file cannot be read; `line` counts from 1, and `problem` is the reason."""

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


def line_count(combinations: int) -> int:
    """Return how many lines a file of so many combinations has.

    >>> line_count(48)
    50
    """
    return combinations + HEADER_LINES


def decoded(number: int, line: bytes) -> str:
    """Return a line of a file, line end and all, as text.

    Raises `ResultsError` where it is none of a results file.
    """
    if len(line) > LONGEST_RESULTS_LINE:
        raise ResultsError(number, f"not a results file: over {LONGEST_RESULTS_LINE:,} bytes long")
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
        for number, line in enumerate(
            iter(lambda: file.readline(LONGEST_RESULTS_LINE + 1), b""), 1
        ):
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
    texts: Ints


class LineWriter:
    """The lines of the rows of one game."""

    def __init__(self, game: Game) -> None:
        """Lay rows out as the files of the game are."""
        self.format = Format.of_game(game)
        self.header = "".join(f"{line}\n" for line in self.format.header).encode()
        self._length = game.length
        self._numbers = [self.format.number(number).encode() for number in game.numbers]
        self._signs = [self.format.sign(operator.name).encode() for operator in game.row_operators]
        self._groups: dict[int, list[_Group]] = {}

    def lines(self, block: Block) -> Iterator[memoryview]:
        """Yield the lines of a block as bytes, some thousand lines at a time."""
        given = len(block.first)
        if given not in self._groups:
            layout, free = block.layout, self._length - given
            numbers = _groups(self._numbers, layout.number_bits, free, layout.operator_bits)
            signs = _groups(self._signs, layout.bits, layout.length - 1, 0)
            self._groups[given] = [*numbers, *signs]
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
# Bytes of a line that is too long, even without what may be half of its end.
_TOO_LONG = LONGEST_RESULTS_LINE + 2
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Of an end in CRLF, or of one that is cut off in the middle.
_CR = re.compile(rb"\r(?=\n|\Z)")


class LineReader:
    """The lines of a file, read once, without a mark at its beginning and without CR at their ends.

    `progress` is called with the number of bytes just read, the first lines aside.
    """

    def __init__(self, file: BinaryIO, progress: Callable[[int], object] | None = None) -> None:
        self.file = file
        self.progress = progress
        self.content: bytes | None = b""
        """All that was read, as it is; None where it is no small file."""
        # Which line, if any, has the mark, is the first in CRLF, and has no end.
        self.marked: int | None = None
        self.crlf: int | None = None
        self.cut_off: int | None = None
        self._number = 1

    def take(self, count: int) -> Iterator[tuple[int, bytes]]:
        """Yield the next lines, with their numbers from 1 and their ends, at most so many.

        One that is too long is cut.
        """
        for _ in range(count):
            if line := self.file.readline(_TOO_LONG):
                number, text = self._numbered(line)
                # Whether one is too long is said of it as it is.
                yield number, line if len(line) > LONGEST_RESULTS_LINE else text

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the rest in blocks of whole lines, each with the number of its first line.

        The very last line, which may lack its end, is alone then; one that is too long is cut.
        """
        while block := self.file.read(_BLOCK):
            block += self.file.readline(_TOO_LONG)
            end = block.rfind(b"\n") + 1
            for lines in filter(None, (block[:end], block[end:])):
                if self.progress is not None:
                    self.progress(len(lines))
                yield self._numbered(lines)

    def _numbered(self, lines: bytes) -> tuple[int, bytes]:
        first = self._number
        self._number += lines.count(b"\n")
        if self.content is not None:
            self.content += lines
            if len(self.content) > _SMALL:
                self.content = None
        if first == 1 and lines.startswith(_BYTE_ORDER_MARK):
            self.marked, lines = 1, lines.removeprefix(_BYTE_ORDER_MARK)
        if not lines.endswith(b"\n"):
            self.cut_off = self._number
        if b"\r" in lines and (found := _CR.search(lines)):
            self.crlf = self.crlf or first + lines.count(b"\n", 0, found.start())
            lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
        return first, lines


class Piece(NamedTuple):
    """Some lines of a file: the keys of rows with their lines, and what is no exact row."""

    keys: Ints
    lines: Ints
    odd: list[tuple[int, bytes]]


class RowReader:
    """Takes lines of the exact layout apart, as columns of bytes."""

    def __init__(self, game: Game, layout: Layout) -> None:
        self.layout = layout
        self.lines = LineWriter(game)
        self.format = self.lines.format
        self.numbers = {number: place for place, number in enumerate(game.numbers)}
        self.operators = {each.name: code for code, each in enumerate(game.row_operators)}
        self._number = _Lookup([self.format.number(number) for number in game.numbers])
        self._sign = _Lookup([self.format.sign(name) for name in self.operators])

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
        if len(data) and not len(data) % size:
            # As a rule they are rows, one like the other.
            keys, exact = self._keys_of(data.reshape(-1, size))
            if exact.all():
                return Piece(keys, first + np.arange(len(keys)), [])
        ends = np.flatnonzero(data == ord("\n")) + 1
        if not block.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.concatenate(([0], ends[:-1]))
        of_size = np.flatnonzero(ends - starts == size)
        keys, exact = self._keys_of(data[starts[of_size, None] + np.arange(size)])
        odd = np.ones(len(ends), bool)
        odd[of_size[exact]] = False
        others = [(first + at, block[starts[at] : ends[at]]) for at in np.flatnonzero(odd).tolist()]
        return Piece(keys[exact], first + of_size[exact], others)

    def _keys_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the keys of lines of the right length, and which are written as these are."""
        length, width = self.layout.length, self.format.width
        numbers, signs = rows[:, : width * length], rows[:, width * length : -1]
        keys = self.layout.keys_of(
            [self._number.places(column) for column in np.split(numbers, length, axis=1)],
            [self._sign.places(signs[:, at : at + 5]) for at in range(0, 5 * (length - 1), 5)],
        )
        written = b"".join(self.lines.lines(Block(self.layout, (), keys)))
        same = np.frombuffer(written, np.uint8).reshape(rows.shape) == rows
        return keys, np.ones(len(keys), bool) if same.all() else same.all(axis=1)


class _Lookup:
    """The places of names in a list, by the bytes that tell them apart."""

    def __init__(self, names: Sequence[str]) -> None:
        text = np.array([list(name.encode()) for name in names], np.uint8)
        # As many as an integer holds; where that is too few, what is found is another name.
        self._telling = np.flatnonzero((text != text[0]).any(axis=0))[-8:].tolist()
        codes = self._codes(text)
        self._table: Ints | None = None
        if len(self._telling) <= 2:
            self._table = np.zeros(256 ** len(self._telling), np.int64)
            self._table[codes] = np.arange(len(names))
        # In ascending order, where a table of all there could be were too long.
        self._order = np.argsort(codes)
        self._known = codes[self._order]

    def places(self, text: Ints) -> Ints:
        """Return the place of the name in each row of bytes; any place where there is none."""
        codes = self._codes(text)
        if self._table is not None:
            return np.asarray(self._table[codes])
        return self._order[np.searchsorted(self._known[1:], codes, side="right")]

    def _codes(self, text: Ints) -> Ints:
        if len(self._telling) == 1:
            return text[:, self._telling[0]]
        codes = np.zeros(len(text), np.uint64)
        for column in self._telling:
            codes = (codes << np.uint64(8)) | text[:, column]
        return codes
