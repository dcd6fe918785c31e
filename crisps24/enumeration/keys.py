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
    """The bit fields of the keys of rows of one length.

    A key is a row packed into one integer. If all rows start with the same numbers, keys can leave
    these out; `fixed` is how many first numbers they leave out at least.
    """

    def __init__(self, length: int, numbers: int, operators: int, fixed: int = 0) -> None:
        """Compute how many bits of a key each number and each operator of a row needs.

        A key is a row packed into one integer. For four of 9 different numbers, with three of 4
        different operators between them, it has 4 x 4 + 3 x 2 bits:

        >>> layout = Layout(length=4, numbers=9, operators=4)
        >>> layout.number_bits, layout.operator_bits, layout.row_bits
        (4, 2, 22)

        Args:
            length: The number of numbers of a row.
            numbers: How many different numbers there are to choose from.
            operators: How many different operators there are to choose from.
            fixed: How many first numbers of a row its key leaves out.
        """
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
        """Return how many first numbers of a row its key must leave out to fit in 64 bits.

        A key is a row packed into one integer. The result is 0 if keys fit with all numbers.
        """
        excess_bits = self.row_bits - _INT64_BITS
        # Rounded up to whole numbers.
        excess_numbers = -(-excess_bits // self.number_bits)
        return min(self.length, max(0, excess_numbers))

    def fits_int64(self) -> bool:
        """Return whether rows with all their numbers, packed into integers, fit in 64 bits."""
        return self.row_bits <= _INT64_BITS

    def key_of(self, number: int, operator: int, numbers_after: int) -> int:
        """Return the bits of one number of a row and of the operator before it, as one integer.

        The key of a row is the sum of these integers. In rows of two numbers with 4 bits per number
        and 2 per operator, the last number with code 7 after the operator with code 2 gives
        7 << 2 | 2, which is 30.

        Args:
            number: The code of the number: its index in the game's numbers.
            operator: The code of the operator: its index in the game's operators.
            numbers_after: How many numbers of the row come after this number.
        """
        number_key = number << (self.pattern_bits + self.number_bits * numbers_after)
        return number_key | operator << self.operator_bits * numbers_after

    def numbers_of(self, keys: Ints, count: int) -> list[Ints]:
        """Return the codes of the last `count` numbers of many rows, as one array per number.

        A key is a row packed into one integer; the code of a number is its index in the game's
        numbers. The arrays are in the order of the numbers, left to right; each has one code per
        row. For the key of a row with the number codes 1 7, the result is [[1], [7]].
        """
        # The last number has the lowest bits above those of the operators.
        shifts = [
            self.pattern_bits + self.number_bits * numbers_after for numbers_after in range(count)
        ]
        return [bit_field(keys, shift, self.number_bits) for shift in reversed(shifts)]

    def operators_of(self, keys: Ints) -> list[Ints]:
        """Return the codes of the operators of many rows, as one array per operator.

        A key is a row packed into one integer; the code of an operator is its index in the game's
        operators. The arrays are in the order of the operators, left to right; each has one code
        per row.
        """
        shifts = [
            self.operator_bits * operators_after for operators_after in range(self.length - 1)
        ]
        return [bit_field(keys, shift, self.operator_bits) for shift in reversed(shifts)]

    def patterns_of(self, keys: Ints) -> Ints:
        """Return the operators of each row, packed into one integer per row.

        `keys` are the rows, each packed into one integer with its numbers. Rows with the same
        operators, such as 2 x 3 - 1 and 5 x 4 - 7, have equal integers. Their dtype is the smallest
        that fits.
        """
        bits = self.pattern_bits
        dtype: Any = np.uint16 if bits <= 16 else np.int64 if bits <= _INT64_BITS else object
        return bit_field(keys, 0, bits).astype(dtype)

    def keys_of(self, numbers: Sequence[Ints], operators: Sequence[Ints]) -> Ints:
        """Pack each row of numbers and operators into one integer, its key.

        Numbers and operators are given by their codes, which count from 0. One row with the number
        codes 1 7 and the operator code 2 gives the key 1 << 6 | 7 << 2 | 2:

        >>> layout = Layout(length=2, numbers=9, operators=4)
        >>> layout.keys_of([np.array([1]), np.array([7])], [np.array([2])]).tolist()
        [94]

        Args:
            numbers: For each number of the rows, left to right, an array with its code in each row.
                The first arrays can be missing, if the keys leave these numbers out.
            operators: For each operator, left to right, an array with its code in each row.
        """
        keys = np.zeros(len(numbers[0]), self.dtype)
        for numbers_after, codes in enumerate(reversed(numbers)):
            keys |= codes.astype(self.dtype, copy=False) << (
                self.pattern_bits + self.number_bits * numbers_after
            )
        for operators_after, codes in enumerate(reversed(operators)):
            keys |= codes.astype(self.dtype, copy=False) << self.operator_bits * operators_after
        return keys


def bit_field(keys: Ints, shift: int, bits: int) -> Ints:
    """Return some bits of each key: skip the lowest `shift` bits and take the next `bits` bits.

    A key is a formula packed into one integer; these bits are one of its numbers, for example.

    >>> bit_field(np.array([0b1101]), shift=1, bits=2).tolist()
    [2]
    """
    field: Ints = (keys >> shift if shift else keys) & ((1 << bits) - 1)
    return field.astype(np.int64, copy=False) if bits <= _INT64_BITS else field


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Rows in the order of a results file, as keys.

    A row is a formula without parentheses; its key is the row packed into one integer. A number or
    operator is stored as its code: its index among those of the game. `layout` defines which bits
    of a key are which number or operator. `prefix` has the codes of the first numbers, if all rows
    share them and the keys leave them out.
    """

    layout: Layout
    prefix: tuple[int, ...]
    keys: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, rows: slice) -> "Block":
        return Block(self.layout, self.prefix, self.keys[rows])

    def numbers(self) -> list[Ints]:
        """Return the codes of the numbers of the rows: one array per number, left to right.

        A code is the index of a number in the game's numbers. Each array has one code per row; if
        all rows share a first number, which their keys leave out, its array has only one code.
        """
        prefix = [np.array([code]) for code in self.prefix]
        return prefix + self.layout.numbers_of(self.keys, self.layout.length - len(prefix))

    def operators(self) -> list[Ints]:
        """Return the operators of the rows: one array per operator, left to right.

        Each array has one code per row: the index of the operator in the game's operators.
        """
        return self.layout.operators_of(self.keys)

    def with_full_keys(self, layout: Layout) -> "Block":
        """Return the same rows in a layout whose keys leave no number out.

        A key is a row packed into one integer. The keys of this block can leave out the first
        numbers, which all rows share; their bits are added to each key.
        """
        keys = self.keys.astype(layout.dtype, copy=False)
        last_index = layout.length - 1
        prefix_key = sum(
            layout.key_of(code, 0, numbers_after=last_index - index)
            for index, code in enumerate(self.prefix)
        )
        return Block(layout, (), keys + prefix_key if prefix_key else keys)


def join_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Join blocks of rows into one block; return the same blocks if one of them has a prefix.

    A block is an array of rows, each packed into one integer; its prefix is the first numbers, if
    all its rows share them and the integers leave them out. Blocks with different prefixes cannot
    be joined. At least one block must be given.
    """
    if any(block.prefix for block in blocks):
        return list(blocks)
    return [Block(blocks[0].layout, (), np.concatenate([block.keys for block in blocks]))]
