"""Rows as integers, their keys: ascending keys are the order of a results file.

A key has the numbers first, by their places in a list, then the operators, each in as many bits
as a choice among those of the game takes; so the keys of two pieces of a row are added to join
them. Owns how keys are laid out; knows nothing of how they are found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crisps24.rules.ratios import Ints

# Bits of a key of 64, the sign and one to spare left out.
_MOST_BITS = 62


class Layout:
    """Where the numbers and operators of a row are in its key.

    The last number is counted as having 0 numbers after it. Where the first numbers of some rows
    are the same they are left out of the key; `fixed` says how many they are at least.
    """

    def __init__(self, length: int, numbers: int, operators: int, fixed: int = 0) -> None:
        """Lay out rows of so many places, for so many numbers and operators to choose from."""
        self.length = length
        self.fixed = fixed
        self.number_bits = max(1, (numbers - 1).bit_length())
        self.bits = max(1, (operators - 1).bit_length())
        self.operator_bits = self.bits * (length - 1)
        self.bits_of_row = self.number_bits * length + self.operator_bits
        bits = self.bits_of_row - self.number_bits * fixed
        # Python's integers, slower, where 64 bits are too few.
        self.dtype = np.int64 if bits <= _MOST_BITS else object

    def fixed_for_speed(self) -> int:
        """Return how many numbers have to be fixed for keys of 64 bits, at most all."""
        excess = self.bits_of_row - _MOST_BITS
        return min(self.length, max(0, -(-excess // self.number_bits)))

    def leaves_none_out(self) -> bool:
        """Return whether the keys of whole rows fit into 64 bits."""
        return self.bits_of_row <= _MOST_BITS

    def key_of(self, number: int, operator: int, after: int) -> int:
        """Return the key of one number and the operator before it, so many numbers after it."""
        number_key = number << (self.operator_bits + self.number_bits * after)
        return number_key | operator << self.bits * after

    def numbers_of(self, keys: Ints, free: int) -> list[Ints]:
        """Return a column of places in the list of numbers for each of the last `free` ones."""
        shifts = (self.operator_bits + self.number_bits * after for after in range(free))
        return [field(keys, shift, self.number_bits) for shift in shifts][::-1]

    def operators_of(self, keys: Ints) -> list[Ints]:
        """Return a column of codes, places in `Game.row_operators`, for each operator."""
        afters = range(self.length - 1)
        return [field(keys, self.bits * after, self.bits) for after in afters][::-1]

    def patterns_of(self, keys: Ints) -> Ints:
        """Return all operators of each row as one number, in as few bits as hold it."""
        bits = self.operator_bits
        dtype: Any = np.uint16 if bits <= 16 else np.int64 if bits <= _MOST_BITS else object
        return field(keys, 0, bits).astype(dtype)

    def keys_of(self, numbers: Sequence[Ints], operators: Sequence[Ints]) -> Ints:
        """Return the keys of rows, a column of places a number and one of codes an operator."""
        keys = np.zeros(len(numbers[0]), self.dtype)
        for after, column in enumerate(reversed(numbers)):
            keys |= column.astype(self.dtype, copy=False) << (
                self.operator_bits + self.number_bits * after
            )
        for after, column in enumerate(reversed(operators)):
            keys |= column.astype(self.dtype, copy=False) << self.bits * after
        return keys


def field(keys: Ints, shift: int, bits: int) -> Ints:
    """Return some neighbouring bits of keys, as integers of 64 bits where they are few enough."""
    found: Ints = (keys >> shift if shift else keys) & ((1 << bits) - 1)
    return found.astype(np.int64, copy=False) if bits <= _MOST_BITS else found


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows in file order, as keys.

    What numbers all of them begin with may be left out of the keys: `first` are their places.
    """

    layout: Layout
    first: tuple[int, ...]
    keys: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, rows: slice) -> "Block":
        return Block(self.layout, self.first, self.keys[rows])

    def numbers(self) -> list[Ints]:
        """Return a column of places in the list of numbers for each place of the row.

        A number that all rows have in common is a column of one.
        """
        first = [np.array([place]) for place in self.first]
        return first + self.layout.numbers_of(self.keys, self.layout.length - len(first))

    def operators(self) -> list[Ints]:
        """Return a column of codes, places in `Game.row_operators`, for each operator."""
        return self.layout.operators_of(self.keys)

    def whole(self, layout: Layout) -> "Block":
        """Return the same rows in a layout that leaves no number out."""
        keys = self.keys.astype(layout.dtype, copy=False)
        after = layout.length - 1
        first = sum(layout.key_of(place, 0, after - at) for at, place in enumerate(self.first))
        return Block(layout, (), keys + first if first else keys)


def joined_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks one after the other: as one, where they leave no number out."""
    if any(block.first for block in blocks):
        return list(blocks)
    return [Block(blocks[0].layout, (), np.concatenate([block.keys for block in blocks]))]
