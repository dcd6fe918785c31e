"""Rows as integers, their keys: ascending keys are the order of a results file.

A key has the numbers first, by their places in a list, then the operators, each in as many bits
as a choice among those of the game takes; so the keys of two pieces of a row are added to join
them. Owns how keys are laid out; knows nothing of how they are found.
"""

from typing import NamedTuple

import numpy as np

from crisps24.rows.integers import Column


class Layout:
    """Where the numbers and operators of a row are in its key.

    The last number is counted as having 0 numbers after it. Where the first numbers of some rows
    are the same they are left out of the key; `fixed` says how many they are at least.
    """

    def __init__(self, length: int, numbers: int, operators: int, fixed: int = 0) -> None:
        """Lay out rows of so many places, for so many numbers and operators to choose from."""
        self.length = length
        self.number_bits = max(1, (numbers - 1).bit_length())
        self.bits = max(1, (operators - 1).bit_length())
        self.operator_bits = self.bits * (length - 1)
        bits = self.number_bits * (length - fixed) + self.operator_bits
        # Python's integers, slower, where 64 bits are too few.
        self.dtype = np.int64 if bits < 63 else object

    def fixed_for_speed(self) -> int:
        """Return how many numbers have to be fixed for keys of 64 bits, at most all."""
        excess = self.number_bits * self.length + self.operator_bits - 62
        return min(self.length, max(0, -(-excess // self.number_bits)))

    def key_of(self, number: int, operator: int, after: int) -> int:
        """Return the key of one number and the operator before it, so many numbers after it."""
        number_key = number << (self.operator_bits + self.number_bits * after)
        return number_key | operator << self.bits * after

    def numbers_of(self, keys: Column, free: int) -> list[Column]:
        """Return a column of places in the list of numbers for each of the last `free` ones."""
        mask = (1 << self.number_bits) - 1
        shifts = (self.operator_bits + self.number_bits * after for after in range(free))
        return [(keys >> shift) & mask for shift in shifts][::-1]

    def operators_of(self, keys: Column) -> list[Column]:
        """Return a column of codes, places in `Game.row_operators`, for each operator."""
        mask = (1 << self.bits) - 1
        return [(keys >> self.bits * after) & mask for after in range(self.length - 1)][::-1]

    def keys_of(self, numbers: Column, operators: Column) -> Column:
        """Return the keys of rows, from a line of places a number and one of codes an operator."""
        keys = np.zeros(numbers.shape[1], self.dtype)
        for after, column in enumerate(numbers[::-1]):
            keys |= column.astype(self.dtype) << (self.operator_bits + self.number_bits * after)
        for after, column in enumerate(operators[::-1]):
            keys |= column.astype(self.dtype) << self.bits * after
        return keys


class Stretch(NamedTuple):
    """Rows in file order that begin with the same numbers: the places of these, and the keys."""

    layout: Layout
    first: tuple[int, ...]
    keys: Column

    def whole_keys(self, layout: Layout) -> Column:
        """Return the keys in a layout that leaves no number out."""
        after = self.layout.length - 1
        first = sum(layout.key_of(place, 0, after - at) for at, place in enumerate(self.first))
        return self.keys.astype(layout.dtype) + first
