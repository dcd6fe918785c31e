"""Reading a results file in blocks: lines of the exact layout as keys, all others one by one.

Owns how bytes become lines and rows; reads a file once, from its beginning to its end, so that a
pipe does as well. What the rows are worth is for `ledger` and `verification` to say.
"""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from crisps24.notation.trees import Formula
from crisps24.rows.format import LONGEST_LINE, Format, decoded
from crisps24.rows.integers import Column
from crisps24.rows.keys import Layout
from crisps24.rules.games import Game

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
        telling = np.flatnonzero((columns != columns[0]).any(axis=0)).tolist()[:_WIDEST]
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
