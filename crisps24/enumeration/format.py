"""The format of results files: rows as lines of bytes, and back.

A file has two header lines, then one line per row, all of the same length: numbers in columns of at
least 4 characters, operators in columns of 5. The row 2 x 8 x 9 - 1 is

       2   8   9   1    x    x    -

`LineWriter` looks up the text of several neighbouring columns at once, by their bits in a key.
`RowParser` parses lines of the exact layout as matrices of bytes; all other lines are left to the
caller. `LineReader` reads a file once from start to end, so that pipes can be read too. About ten
million rows per second are formatted, and as many are parsed.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from crisps24.enumeration.keys import Block, Layout, bit_field
from crisps24.errors import CrispsError
from crisps24.notation.trees import Formula
from crisps24.output.encodings import BYTE_ORDER_MARK
from crisps24.rules.exact import whole_numbers
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Ints
from crisps24.rules.widths import int_range

HEADER_LINES = 2
# Lines of results files are far shorter; a longer line is not part of one.
MAX_LINE_BYTES = 10_000
OPERATOR_WIDTH = 5

_COLUMN_NAMES = "ijklmnopqrstuvwxyz"


class ResultsError(CrispsError, ValueError):
    """A results file cannot be read.

    `line` is the line number, from 1, and `problem` the reason.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.line, self.problem)


@dataclass(frozen=True, slots=True)
class Format:
    """The layout of a results file: `length` numbers, in columns of `width` characters.

    >>> Format(4).format_row(Formula((2, 8, 9, 1), ("x", "x", "-")))
    '   2   8   9   1    x    x    -'
    """

    length: int
    width: int = 4

    @classmethod
    def of_game(cls, game: Game) -> "Format":
        """Return the format of a game's files: columns of 4, wider if a number needs it."""
        return cls(game.length, max(4, 1 + max(len(str(number)) for number in game.numbers)))

    @classmethod
    def of_header(cls, first: str, second: str) -> "Format | None":
        """Return the format that the two header lines of a file describe, None for other lines."""
        number_dashes = re.findall("-{3,}", second)
        if not number_dashes:
            return None
        file_format = cls(len(number_dashes), len(number_dashes[0]) + 1)
        right_headers = (file_format.header, file_format.old_header)
        return file_format if (first, second) in right_headers else None

    @property
    def header(self) -> tuple[str, str]:
        """The two header lines of a file, as in the published results files."""
        return self._header(3)

    @property
    def old_header(self) -> tuple[str, str]:
        """The two header lines that the original program prints: one space less before `op1`."""
        return self._header(2)

    def _header(self, gap: int) -> tuple[str, str]:
        # The numbers are named i to z, then n19, n20 and so on.
        letters = len(_COLUMN_NAMES)
        names = [_COLUMN_NAMES[n] if n < letters else f"n{n + 1}" for n in range(self.length)]
        operators = [f"op{n}" for n in range(1, self.length)]
        name_line = "".join(f"{name:>{self.width}}" for name in names)
        dash_line = " " + (" " + "-" * (self.width - 1)) * self.length
        if operators:
            name_line += " " * gap + operators[0] + "".join(f"{name:>5}" for name in operators[1:])
            dash_line += " " * gap + "-" + "    -" * (len(operators) - 1)
        return name_line, dash_line

    @property
    def row_bytes(self) -> int:
        """The bytes of a row, with its line end."""
        return self.width * self.length + OPERATOR_WIDTH * (self.length - 1) + 1

    def file_bytes(self, row_count: int) -> int:
        """Return the size in bytes of a file with `row_count` rows and a header."""
        return sum(len(line) + 1 for line in self.header) + row_count * self.row_bytes

    def format_row(self, formula: Formula) -> str:
        """Return the line of a formula, without its line end."""
        numbers = map(self.format_number, formula.numbers)
        return "".join([*numbers, *map(self.format_operator, formula.operators)])

    def format_number(self, number: int) -> str:
        return f"{number:>{self.width}}"

    @staticmethod
    def format_operator(operator: str) -> str:
        return f"{operator:>{OPERATOR_WIDTH}}"

    def parse_row(self, line: str) -> Formula | None:
        """Return the formula of a line with any spacing, None if the line is not a row."""
        match = _row_pattern(self.length, "".join(OPERATORS)).fullmatch(line)
        if match is None:
            return None
        return Formula(tuple(map(int, match[1].split())), tuple(match[2].split()))

    def describe_row(self) -> str:
        """Return `a row of 4 numbers and 3 operators`."""
        numbers = "1 number" if self.length == 1 else f"{self.length} numbers"
        operators = "1 operator" if self.length == 2 else f"{self.length - 1} operators"
        return f"a row of {numbers} and {operators}"


@lru_cache(maxsize=8)
def _row_pattern(length: int, signs: str) -> re.Pattern[str]:
    """Return a pattern of a line: group 1 has the numbers, group 2 the operators."""
    sign = f"[{re.escape(signs)}]"
    number, space = "-?[0-9]{1,30}", r"[ \t]"
    return re.compile(
        rf"((?:{space}+{number}){{{length}}})((?:{space}+{sign}){{{length - 1}}}){space}*"
    )


def line_count(row_count: int) -> int:
    """Return the number of lines of a file with `row_count` rows and a header."""
    return row_count + HEADER_LINES


def decode_line(number: int, line: bytes) -> str:
    """Return a line as text; raise ResultsError if it is too long or not text."""
    if len(line) > MAX_LINE_BYTES:
        raise ResultsError(number, f"not a results file: over {MAX_LINE_BYTES:,} bytes long")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        wrong_byte = line[error.start]
        raise ResultsError(number, f"not a text file: byte {wrong_byte:#04x} in it") from None
    if "\0" in text:
        raise ResultsError(number, "not a text file: byte 0x00 in it")
    return text


# Rows formatted together: their text stays in the CPU cache.
_ROWS_PER_BATCH = 1 << 14
# Bits of a key that are looked up together, unless one column has more: some MB of text.
_BITS_PER_LOOKUP = 16


class _ColumnGroup(NamedTuple):
    """Neighbouring columns: their bits in a key, and their text by the value of these bits."""

    shift: int
    bits: int
    texts: Ints


class LineWriter:
    """Formats the rows of one game as lines of bytes."""

    def __init__(self, game: Game) -> None:
        self.format = Format.of_game(game)
        self.header = "".join(f"{line}\n" for line in self.format.header).encode()
        self._length = game.length
        numbers = whole_numbers(game.numbers)
        self._numbers = [self.format.format_number(number).encode() for number in numbers]
        self._operators = [
            self.format.format_operator(operator.name).encode() for operator in game.row_operators
        ]
        self._groups: dict[int, list[_ColumnGroup]] = {}

    def lines(self, block: Block) -> Iterator[memoryview]:
        """Yield the lines of a block as bytes, at most 2^14 lines at a time."""
        # All rows of a block can share their first numbers, which their keys leave out.
        shared_numbers = len(block.prefix)
        if shared_numbers not in self._groups:
            layout, own_numbers = block.layout, self._length - shared_numbers
            self._groups[shared_numbers] = [
                *_column_groups(
                    self._numbers, layout.number_bits, own_numbers, layout.pattern_bits
                ),
                *_column_groups(self._operators, layout.operator_bits, layout.length - 1, 0),
            ]
        groups = {str(index): group for index, group in enumerate(self._groups[shared_numbers])}
        prefix = b"".join(self._numbers[code] for code in block.prefix)
        # A line is a record of numpy: the shared numbers, a field for each group of columns of the
        # file, and the line end.
        fields: list[tuple[str, Any]] = [("prefix", f"V{len(prefix)}")] if prefix else []
        fields += [(name, group.texts.dtype) for name, group in groups.items()]
        fields.append(("end", "S1"))
        for start in range(0, len(block), _ROWS_PER_BATCH):
            keys = block.keys[start : start + _ROWS_PER_BATCH]
            records = np.empty(len(keys), fields)
            if prefix:
                records["prefix"] = np.void(prefix)
            for name, group in groups.items():
                records[name] = group.texts[bit_field(keys, group.shift, group.bits)]
            records["end"] = b"\n"
            yield records.view(np.uint8).data


def _column_groups(
    texts: Sequence[bytes], column_bits: int, column_count: int, shift: int
) -> Iterator[_ColumnGroup]:
    """Divide columns with the same possible texts into groups; yield the texts of each group."""
    column_width = len(texts[0])
    column_texts = np.array([text.ljust(column_width) for text in texts], f"V{column_width}")
    # Unused codes get a text too, so that bits can be looked up without a check.
    code_count = 1 << column_bits
    unused_texts = np.full(code_count - len(texts), column_texts[0], column_texts.dtype)
    column_texts = np.concatenate([column_texts, unused_texts])
    columns_per_group = max(1, _BITS_PER_LOOKUP // column_bits)
    columns_left = column_count
    while columns_left:
        size = min(columns_per_group, columns_left)
        columns_left -= size
        # An array with an axis for each column: at [code1, code2], the texts of both codes.
        fields = [(str(index), column_texts.dtype) for index in range(size)]
        group_texts = np.empty((code_count,) * size, fields)
        for index in range(size):
            group_texts[str(index)] = column_texts.reshape((-1,) + (1,) * (size - 1 - index))
        texts_by_bits = group_texts.reshape(-1).view(f"V{size * column_width}")
        group_shift = shift + column_bits * columns_left
        yield _ColumnGroup(group_shift, column_bits * size, texts_by_bits)


# Bytes read at once.
_BLOCK_BYTES = 1 << 22
# The content of files of at most this many bytes is kept.
_MAX_KEPT_BYTES = 1 << 20
# A line is cut after this many bytes: it is too long even if the last two are its line end.
_MAX_READ_BYTES = MAX_LINE_BYTES + 2
# The first bytes of UTF-16, with a byte order mark or with ASCII.
_WIDE = {
    "utf-16": re.compile(rb"\xff\xfe|\xfe\xff"),
    "utf-16-le": re.compile(rb"[^\0]\0[^\0]\0"),
    "utf-16-be": re.compile(rb"\0[^\0]\0[^\0]"),
}
# The CR of a CRLF line end, or of one that is cut off after the CR.
_CR = re.compile(rb"\r(?=\n|\Z)")


class _Recoded(io.RawIOBase):
    """A file, each part of which is changed by a function as it is read."""

    def __init__(self, start: bytes, file: BinaryIO, recode: Callable[[bytes], bytes]) -> None:
        self._start, self._file, self._recode, self._rest = start, file, recode, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and (data := self._start or self._file.read(len(buffer))):
            self._start, self._rest = b"", self._recode(data)
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _recoding_of(line: bytes) -> tuple[str, Callable[[bytes], bytes]] | None:
    """Return how a file with this first line differs, and a function that changes its bytes."""
    name = next((name for name, start in _WIDE.items() if start.match(line)), "")
    if name:
        decoder = codecs.getincrementaldecoder(name)("replace")
        return "the file is in UTF-16", lambda data: decoder.decode(data).encode()
    if re.match(rb"(?:\xef\xbb\xbf)?\s*<[a-zA-Z!?]", line):
        # Each tag ends its line, so that no line has two rows.
        return "the file is HTML: each tag ends a line", lambda data: data.replace(b">", b">\n")
    if b"\r" in line[:-1] and not line.endswith(b"\n"):
        return r"the line ends are CR (\r), not \n", lambda data: data.replace(b"\r", b"\n")
    return None


class LineReader:
    """Reads a file once, without a byte order mark and without CR at line ends, and notes these."""

    def __init__(self, file: BinaryIO, progress: Callable[[int], object] | None = None) -> None:
        self.file = file
        self.progress = progress
        self.content: bytes | None = b""
        """All bytes read so far, unchanged; None for more than 1 MB, and if they were recoded."""
        self.differences: dict[str, None] = {}
        """How line ends and encoding differ, in the order of the file."""
        self._number = 1

    def take(self, count: int) -> Iterator[tuple[int, bytes]]:
        """Yield the next lines, at most `count`: (line number from 1, line)."""
        for _ in range(count):
            line = self.file.readline(_MAX_READ_BYTES)
            # A file in UTF-16 can have line ends of CR too.
            while self._number == 1 and (recoding := _recoding_of(line)):
                name, recode = recoding
                if name in self.differences:
                    break
                self.differences[name] = self.content = None
                self.file = io.BufferedReader(_Recoded(line, self.file, recode))
                line = self.file.readline(_MAX_READ_BYTES)
            if line:
                number, cleaned_line = self._clean(line)
                # A line that is too long is yielded unchanged, so that its length is reported.
                yield number, line if len(line) > MAX_LINE_BYTES else cleaned_line

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the rest in blocks of about 4 MB, each with the number of its first line.

        A last line without a line end is a block of its own; one that is too long can be divided.
        """
        while block := self.file.read(_BLOCK_BYTES):
            block += self.file.readline(_MAX_READ_BYTES)
            end = block.rfind(b"\n") + 1
            complete_lines, rest = block[:end], block[end:]
            for lines in filter(None, (complete_lines, rest)):
                if self.progress is not None:
                    self.progress(len(lines))
                yield self._clean(lines)

    def _clean(self, lines: bytes) -> tuple[int, bytes]:
        first_number = self._number
        self._number += lines.count(b"\n")
        if self.content is not None:
            self.content += lines
            if len(self.content) > _MAX_KEPT_BYTES:
                self.content = None
        if first_number == 1 and lines.startswith(BYTE_ORDER_MARK):
            self.differences["the file begins with a byte order mark"] = None
            lines = lines.removeprefix(BYTE_ORDER_MARK)
        if b"\r" in lines and _CR.search(lines):
            self.differences[r"the line ends are CRLF (\r\n), not \n alone"] = None
            lines = lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if not lines.endswith(b"\n"):
            self.differences[r"the last line is cut off: it does not end with \n"] = None
        return first_number, lines


class ParsedLines(NamedTuple):
    """The keys and line numbers of lines with the exact columns, and (number, line) of others."""

    keys: Ints
    lines: Ints
    others: list[tuple[int, bytes]]


class RowParser:
    """Parses the rows of one game from lines."""

    def __init__(self, game: Game, layout: Layout) -> None:
        self.layout = layout
        self.writer = LineWriter(game)
        self.format = self.writer.format
        self.number_codes = {number: code for code, number in enumerate(game.numbers)}
        operator_names = [operator.name for operator in game.row_operators]
        self.operator_codes = {name: code for code, name in enumerate(operator_names)}
        numbers = map(self.format.format_number, whole_numbers(game.numbers))
        operators = map(self.format.format_operator, self.operator_codes)
        self._number_index, self._operator_index = _TextIndex([*numbers]), _TextIndex([*operators])

    def key_of(self, formula: Formula) -> int | None:
        """Return the key of a formula, None if the game lacks one of its numbers or operators."""
        key, numbers_after = 0, len(formula.numbers)
        # Pair each number with the operator before it; the first number has none.
        for number, operator in zip(formula.numbers, ("", *formula.operators), strict=True):
            numbers_after -= 1
            number_code = self.number_codes.get(number)
            operator_code = self.operator_codes.get(operator)
            if number_code is None or (operator and operator_code is None):
                return None
            key |= self.layout.key_of(number_code, operator_code or 0, numbers_after)
        return key

    def parse(self, first: int, block: bytes) -> ParsedLines:
        """Divide a block of lines into those with exactly the columns of the format, and others."""
        row_bytes = self.format.row_bytes
        data = np.frombuffer(block, np.uint8)
        if len(data) and not len(data) % row_bytes:
            # The usual case: all lines are rows of the same length.
            keys, exact = self._keys_of(data.reshape(-1, row_bytes))
            if exact.all():
                return ParsedLines(keys, first + int_range(len(keys)), [])
        ends = np.flatnonzero(data == ord("\n")) + 1
        if not block.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.concatenate(([0], ends[:-1]))
        # Parse the lines of the right length; all other lines cannot be exact.
        row_lines = np.flatnonzero(ends - starts == row_bytes)
        keys, exact = self._keys_of(data[starts[row_lines, None] + int_range(row_bytes)])
        exact_lines = row_lines[exact]
        is_other = np.ones(len(ends), bool)
        is_other[exact_lines] = False
        other_lines = np.flatnonzero(is_other).tolist()
        others = [(first + i, block[starts[i] : ends[i]]) for i in other_lines]
        return ParsedLines(keys[exact], first + exact_lines.astype(np.int64), others)

    def _keys_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the keys of lines, and a mask of those whose key gives the same bytes again."""
        length, numbers_end = self.layout.length, self.format.width * self.layout.length
        number_texts = np.split(rows[:, :numbers_end], length, axis=1)
        operators_end = numbers_end + OPERATOR_WIDTH * (length - 1)
        starts = range(numbers_end, operators_end, OPERATOR_WIDTH)
        operator_texts = [rows[:, start : start + OPERATOR_WIDTH] for start in starts]
        keys = self.layout.keys_of(
            [self._number_index.look_up(text) for text in number_texts],
            [self._operator_index.look_up(text) for text in operator_texts],
        )
        formatted = b"".join(self.writer.lines(Block(self.layout, (), keys)))
        same_bytes = np.frombuffer(formatted, np.uint8).reshape(rows.shape) == rows
        # The mask by row takes five times as long, and nearly all lines are exact.
        exact = np.ones(len(keys), bool) if same_bytes.all() else same_bytes.all(axis=1)
        return keys, exact


class _TextIndex:
    """An index of texts of equal length, by at most 8 bytes in which they differ."""

    def __init__(self, texts: Sequence[str]) -> None:
        rows = np.array([list(text.encode()) for text in texts], np.uint8)
        # One integer holds at most 8 bytes; the caller checks what is looked up.
        self._positions = np.flatnonzero((rows != rows[0]).any(axis=0))[-8:].tolist()
        codes = self._codes_of(rows)
        self._table: Ints | None = None
        if len(self._positions) <= 2:
            self._table = np.zeros(256 ** len(self._positions), np.int64)
            self._table[codes] = int_range(len(texts))
        # Sorted, for a binary search if a table of all codes would be too long.
        self._order = np.argsort(codes)
        self._sorted_codes = codes[self._order]

    def look_up(self, rows: Ints) -> Ints:
        """Return the index of the text in each row; any index for another text."""
        codes = self._codes_of(rows)
        if self._table is not None:
            return np.asarray(self._table[codes])
        return self._order[np.searchsorted(self._sorted_codes[1:], codes, side="right")]

    def _codes_of(self, rows: Ints) -> Ints:
        if len(self._positions) == 1:
            return rows[:, self._positions[0]]
        codes = np.zeros(len(rows), np.uint64)
        for position in self._positions:
            codes = (codes << np.uint64(8)) | rows[:, position]
        return codes
