"""Rows as the lines of a results file, many at a time.

The text of neighbouring columns is looked up at once by the bits that they have in the keys, a
table for each group of columns. Owns these tables; `format` says what they hold.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from crisps24.rows.format import Format
from crisps24.rows.integers import Column
from crisps24.rows.keys import Block, Layout, field
from crisps24.rules.games import Game

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
