"""Rows as integer keys; ascending keys are rows in the order of a results file.

A key has a bit field for each number, then one for each operator, the first in the highest bits.
A field holds a *code*: the index of a number in `Game.numbers`, or of an operator in
`Game.row_operators`. With the numbers 1 to 9 and the operators - + x :, each number takes 4 bits,
each operator 2, so that 2 x 3 - 1 is 0001 0010 0000 10 00. Fields do not overlap: the key of a row
is the sum of the keys of its parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crisps24.rules.ratios import Ints

# Bits of a key in int64, without the sign and one spare bit.
_INT64_BITS = 62


class Layout:
    """The bit fields of the keys of rows, which can leave out `fixed` shared first numbers."""

    def __init__(self, length: int, numbers: int, operators: int, fixed: int = 0) -> None:
        self.length = length
        self.fixed = fixed
        self.number_bits = max(1, (numbers - 1).bit_length())
        self.operator_bits = max(1, (operators - 1).bit_length())
        self.pattern_bits = self.operator_bits * (length - 1)
        self.row_bits = self.number_bits * length + self.pattern_bits
        bits = self.row_bits - self.number_bits * fixed
        # Keys that do not fit in 64 bits are Python integers, which are slower.
        self.dtype = np.int64 if bits <= _INT64_BITS else object

    def fixed_for_int64(self) -> int:
        """Return how many first numbers keys must leave out to fit in 64 bits."""
        excess_numbers = -((_INT64_BITS - self.row_bits) // self.number_bits)
        return min(self.length, max(0, excess_numbers))

    def fits_int64(self) -> bool:
        return self.row_bits <= _INT64_BITS

    def key_of(self, number: int, operator: int, numbers_after: int) -> int:
        """Return the bits of one number and of the operator before it."""
        number_key = number << (self.pattern_bits + self.number_bits * numbers_after)
        return number_key | operator << self.operator_bits * numbers_after

    def numbers_of(self, keys: Ints, count: int) -> list[Ints]:
        """Return the codes of the last `count` numbers, left to right: an array per number."""
        bits, first = self.number_bits, self.pattern_bits
        return [bit_field(keys, first + bits * after, bits) for after in reversed(range(count))]

    def operators_of(self, keys: Ints) -> list[Ints]:
        """Return the codes of the operators, left to right: an array per operator."""
        bits = self.operator_bits
        return [bit_field(keys, bits * after, bits) for after in reversed(range(self.length - 1))]

    def patterns_of(self, keys: Ints) -> Ints:
        """Return all operators of each row as one integer."""
        bits = self.pattern_bits
        dtype: Any = np.uint16 if bits <= 16 else np.int64 if bits <= _INT64_BITS else object
        return bit_field(keys, 0, bits).astype(dtype)

    def keys_of(self, numbers: Sequence[Ints], operators: Sequence[Ints]) -> Ints:
        """Return the keys of rows, given by an array of codes per number and per operator."""
        keys = np.zeros(len(numbers[0]), self.dtype)
        for after, codes in enumerate(reversed(numbers)):
            shift = self.pattern_bits + self.number_bits * after
            keys |= codes.astype(self.dtype, copy=False) << shift
        for after, codes in enumerate(reversed(operators)):
            keys |= codes.astype(self.dtype, copy=False) << self.operator_bits * after
        return keys


def bit_field(keys: Ints, shift: int, bits: int) -> Ints:
    """Return the `bits` bits above the lowest `shift` bits of each key."""
    field: Ints = (keys >> shift if shift else keys) & ((1 << bits) - 1)
    return field.astype(np.int64, copy=False) if bits <= _INT64_BITS else field


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows in file order, as keys; these leave out the first numbers, whose codes are `prefix`."""

    layout: Layout
    prefix: tuple[int, ...]
    keys: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, rows: slice) -> "Block":
        return Block(self.layout, self.prefix, self.keys[rows])

    def numbers(self) -> list[Ints]:
        """Return the codes of the numbers: an array per number, of length 1 if shared."""
        prefix = [np.array([code], np.int64) for code in self.prefix]
        return prefix + self.layout.numbers_of(self.keys, self.layout.length - len(prefix))

    def operators(self) -> list[Ints]:
        return self.layout.operators_of(self.keys)

    def with_full_keys(self, layout: Layout) -> "Block":
        """Return the same rows in a layout whose keys leave no number out."""
        keys = self.keys.astype(layout.dtype, copy=False)
        after = layout.length - 1
        prefix_key = sum(layout.key_of(code, 0, after - i) for i, code in enumerate(self.prefix))
        return Block(layout, (), keys + prefix_key if prefix_key else keys)


def join_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks to one; blocks with a prefix are returned unchanged."""
    if any(block.prefix for block in blocks):
        return list(blocks)
    return [Block(blocks[0].layout, (), np.concatenate([block.keys for block in blocks]))]
