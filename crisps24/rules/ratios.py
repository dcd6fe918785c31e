"""Columns of exact values: numpy arrays of ints, and fractions as two such arrays.

1/2 and 3/4 are `Ratios([1, 3], [2, 4])`: numerators and positive denominators, not always in lowest
terms. `Ratios` has the operators of numbers, so the evaluator treats columns like single values. An
array has a numpy integer type, or the type `object` with Python ints, if 64 bits are not enough.
Operations do not check for overflow: the caller chooses a type by `integer_dtype`, which bounds all
values of a hand.

Columns of equal length are a table, and rows are grouped by one sort of packed *keys*, in time
n log n. A key is one 64-bit integer for a row, with one digit for each column, like a number whose
digits have different bases: the value minus the smallest value of its column. If the first column
has the values 1 and 2, and the second 5, 6 and 7, then the row (2, 5) has the key 1 * 3 + 0, and
(1, 7) has 0 * 3 + 2. Keys sort like rows. Columns of fractions count as two arrays, so equal rows
must be in lowest terms, and their order has no meaning.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from crisps24.rules.exact import DividesExactly, Exact, size_of
from crisps24.rules.games import Game
from crisps24.rules.widths import int_range, repeat_rows, running_sums, sum_by_index

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

# With at most this many possible keys per row, an array of flags is faster than a sort.
_FLAGS_PER_ROW = 64
# With at most this many possible keys per row, an array of sums is faster than a sort.
_SUMS_PER_ROW = 8
# Up to this number of rows, np.lexsort is faster than a sort by packed prefixes.
_LEXSORT_ROWS = 1 << 14
# The mean length of runs of sorted keys from which argsort is faster than a sort of packed keys.
_MIN_RUN_LENGTH = 64
# Rows of a single column that argsort orders faster than packing does: 41 against 61 us for 1,000.
_ARGSORT_ROWS = 2_000
# Bytes of a Python int in an array of objects, in addition to its pointer.
_PYTHON_INT_BYTES = 32


class Ratios(DividesExactly):
    """A column of fractions; its arithmetic takes columns, arrays of ints and numbers."""

    __slots__ = ("denominators", "numerators")

    def __init__(self, numerators: Ints, denominators: Ints) -> None:
        self.numerators = numerators
        self.denominators = denominators

    def __len__(self) -> int:
        return len(self.numerators)

    def __getitem__(self, rows: Any) -> "Ratios":
        return Ratios(self.numerators[rows], self.denominators[rows])

    def __add__(self, other: "Ratios | Ints | int") -> "Ratios":
        a, b, c, d = *self._pair(), *_pair(other)
        return Ratios(a * d + c * b, b * d)

    __radd__ = __add__

    def __sub__(self, other: "Ratios | Ints | int") -> "Ratios":
        a, b, c, d = *self._pair(), *_pair(other)
        return Ratios(a * d - c * b, b * d)

    def __mul__(self, other: "Ratios | Ints | int") -> "Ratios":
        a, b, c, d = *self._pair(), *_pair(other)
        return Ratios(a * c, b * d)

    __rmul__ = __mul__

    def __truediv__(self, other: "Ratios | Ints | int") -> "Ratios":
        a, b, c, d = *self._pair(), *_pair(other)
        numerators, denominators = a * d, b * c
        return Ratios(np.where(denominators < 0, -numerators, numerators), abs(denominators))

    def __abs__(self) -> "Ratios":
        return Ratios(abs(self.numerators), self.denominators)

    def __eq__(self, other: object) -> Any:
        left, right = self._crossed(other)
        return left == right

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def __ge__(self, other: Any) -> Any:
        left, right = self._crossed(other)
        return left >= right

    def __le__(self, other: Any) -> Any:
        left, right = self._crossed(other)
        return left <= right

    def __gt__(self, other: Any) -> Any:
        return ~(self <= other)

    def __lt__(self, other: Any) -> Any:
        return ~(self >= other)

    def _pair(self) -> tuple[Ints, Ints]:
        return self.numerators, self.denominators

    def _crossed(self, other: Any) -> tuple[Any, Any]:
        """Return integers that compare like these fractions and the other ones."""
        if isinstance(other, int) and other == 0:
            return self.numerators, 0
        c, d = _pair(other)
        magnitude = max(map(_largest_magnitude, self._pair()))
        fits_64_bits = magnitude * max(_largest_magnitude(c), _largest_magnitude(d)) < 2**62
        dtype: Any = np.int64 if fits_64_bits and self.numerators.dtype != object else object
        return self.numerators.astype(dtype) * d, c * self.denominators.astype(dtype)

    def repeat(self, times: Ints) -> "Ratios":
        return Ratios(*(repeat_rows(part, times) for part in self._pair()))

    def reduced(self) -> "Ratios":
        """Return the same fractions in lowest terms."""
        divisors = np.gcd(self.numerators, self.denominators)
        return Ratios(self.numerators // divisors, self.denominators // divisors)


Column = Ints | Ratios


def _pair(other: Any) -> tuple[Any, Any]:
    """Return the numerators and the denominators of a column, or those of one number."""
    if isinstance(other, Ratios):
        return other._pair()
    if isinstance(other, Fraction):
        return other.numerator, other.denominator
    return other, 1


def largest_integer(column: Column) -> int:
    """Return the largest magnitude of the integers of a column, at least 1."""
    return max(1, *map(_largest_magnitude, integer_columns(column)))


def equal_mask(values: Column, others: Column) -> Any:
    """Return a mask of the rows in which two columns of one type, in lowest terms, are equal."""
    if isinstance(values, Ratios) and isinstance(others, Ratios):
        mask = values.numerators == others.numerators
        return mask & (values.denominators == others.denominators)
    return values == others


def value_at(column: Column, row: int) -> Exact:
    if not isinstance(column, Ratios):
        return int(column[row])
    numerator, denominator = int(column.numerators[row]), int(column.denominators[row])
    is_whole = numerator % denominator == 0
    return numerator // denominator if is_whole else Fraction(numerator, denominator)


def _largest_magnitude(integers: Any) -> int:
    """Return the largest absolute value; 1 for an empty array."""
    if isinstance(integers, int):
        return abs(integers)
    return max(int(integers.max()), -int(integers.min())) if len(integers) else 1


def integer_bound(numbers: Sequence[Exact], game: Game) -> int | None:
    """Return a limit for all integers that occur when a hand is combined, or None if unknown.

    No numerator and no denominator of a result is larger, in lowest terms or not:

    - It is the product of the numbers, each counted as at least 2: 4 x 3 x 8 x 4 = 384 for crisps.
    - In games with fractions each number is doubled, since 1/2 + 1/3 = 5/6 has a larger numerator
      than the product 1/6: 6 x 6 x 16 x 16 = 9216 for 3 3 8 8. A fraction counts as its `size_of`.
    - An operator with a `max_growth` above 1 multiplies the limit by it, once for each step.
    - If the game limits the bits of results, it is twice the square of the largest operand.

    >>> from crisps24 import GAMES
    >>> integer_bound((4, 3, 8, 4), GAMES["crisps"]), integer_bound((3, 3, 8, 8), GAMES["cards"])
    (384, 9216)
    """
    operators = game.row_operators
    # An operator without `takes_columns`, such as √, computes one result at a time, none of them
    # longer than `max_bits`. So the limit of bits is enough for it, also without `max_growth`.
    if game.max_bits is not None and all(
        not operator.takes_columns or operator.max_growth for operator in operators
    ):
        # An operand is a number of the hand, or a result of at most max_bits bits. A sum of two
        # fractions is computed as (a * d + c * b) / (b * d), before it is reduced.
        largest_operand = max(*map(size_of, numbers), 1 << game.max_bits)
        return largest_operand**2 * 2
    growths = [operator.max_growth for operator in operators if operator.max_growth is not None]
    if len(growths) < len(operators):
        return None
    sizes = [size_of(number) for number in numbers]
    factors = [2 * size for size in sizes] if game.fractions else [max(size, 2) for size in sizes]
    growth_of_steps = [max(growths)] * (len(numbers) - 1)
    return prod([*factors, *growth_of_steps])


def integer_dtype(numbers: Sequence[Exact], game: Game) -> Any:
    """Return int32, int64 or object for all integers that occur when a hand is solved."""
    if game.max_bits is not None:
        # With at most 31 bits, 64 bits hold the product of two integers, or a sum of two products.
        has_limits = all(
            not operator.takes_columns or operator.max_growth is not None
            for operator in game.row_operators
        )
        is_short = game.max_bits <= 31 and all(size_of(number) < 1 << 31 for number in numbers)
        return np.int64 if has_limits and is_short else object
    bound = integer_bound(numbers, game)
    if bound is None or bound >= 2**62:
        return object
    return np.int32 if bound < 2**31 else np.int64


def integer_columns(column: Column) -> tuple[Ints, ...]:
    """Return the arrays of a column: one, or (numerators, denominators)."""
    return column._pair() if isinstance(column, Ratios) else (column,)


def make_column(values: Sequence[Exact], fractions: bool, dtype: Any) -> Column:
    """Return values as a column; without `fractions`, denominators are ignored."""
    numerators = np.array([value.numerator for value in values], dtype)
    if not fractions:
        return numerators
    return Ratios(numerators, np.array([value.denominator for value in values], dtype))


def column_bytes(column: Column) -> int:
    size = 0
    for array in integer_columns(column):
        size += array.nbytes
        if array.dtype == object:
            size += len(array) * _PYTHON_INT_BYTES
    return size


def join_columns(columns: Sequence[Column]) -> Column:
    """Return the rows of all columns, which have one type, as one column."""
    if not isinstance(columns[0], Ratios):
        return np.concatenate(cast("Sequence[Ints]", columns))
    fractions = cast("Sequence[Ratios]", columns)
    return Ratios(
        np.concatenate([column.numerators for column in fractions]),
        np.concatenate([column.denominators for column in fractions]),
    )


def mask_indices(mask: Any, count: int) -> Ints:
    """Return the indices of the true rows of a mask of `count` rows; one bool stands for all."""
    return int_range(count if mask else 0) if isinstance(mask, bool) else mask.nonzero()[0]


def reduce_column(column: Column) -> Column:
    """Return a column in lowest terms."""
    return column.reduced() if isinstance(column, Ratios) else column


def float_bits(column: Column) -> Ints | None:
    """Return a hash of each value, the bits of its nearest float; None if an integer exceeds 2^53.

    Equal values have equal hashes, in lowest terms or not; different values rarely have.
    """
    arrays = integer_columns(column)
    for array in arrays:
        # Each int32 is below 2^53.
        if array.dtype == object or (
            array.dtype != np.int32 and _largest_magnitude(array) > 1 << 53
        ):
            return None
    floats: Ints = arrays[0] / (arrays[1] if isinstance(column, Ratios) else 1)
    # Read the bytes of the same memory as integers.
    return floats.view(np.uint64)


def group_rows(*columns: Column) -> tuple[Ints, Ints]:
    """Sort the rows of a table so that equal rows are adjacent; return (order, starts).

    `order` has the indices of the rows in sorted order, and `starts` the positions in `order` at
    which a group of equal rows starts. Equal rows keep their order.

    >>> order, starts = group_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> order.tolist(), starts.tolist()
    ([3, 1, 0, 2], [0, 1, 2])
    """
    arrays = [array for column in columns for array in integer_columns(column)]
    if len(arrays) == 1 and _is_fast_to_argsort(arrays[0]):
        order = np.argsort(arrays[0], kind="stable")
        return order, run_start_mask(arrays[0][order]).nonzero()[0]
    # If each row can be packed into one integer, its key, it is enough to sort the keys.
    packed = _pack_keys(arrays)
    if packed is not None:
        keys, order = _sort_keys(packed[0])
        return order, run_start_mask(keys).nonzero()[0]
    order = _lexicographic_order(arrays)
    is_start = run_start_mask(arrays[0][order])
    for array in arrays[1:]:
        is_start |= run_start_mask(array[order])
    return order, is_start.nonzero()[0]


def _is_fast_to_argsort(column: Ints) -> bool:
    # The tables that `count` merges have long runs that are sorted already: for a million values in
    # 8 runs, argsort takes 21 ms, and packed keys 83; for half a million random ones 63 and 19.
    run_count = 1 + int(np.count_nonzero(column[1:] < column[:-1]))
    return len(column) < _ARGSORT_ROWS or len(column) > run_count * _MIN_RUN_LENGTH


def distinct_rows(*columns: Column) -> list[Any]:
    """Return the columns of a table, sorted and without duplicate rows."""
    arrays = [array for column in columns for array in integer_columns(column)]
    has_fractions = len(arrays) > len(columns)
    has_python_ints = object in [array.dtype for array in arrays]
    packed = _pack_keys(arrays)
    if packed is None or has_fractions or has_python_ints:
        order, starts = group_rows(*columns)
        return [column[order[starts]] for column in columns]
    keys, ranges = packed
    possible_keys = prod(map(_size, ranges))
    return _unpack_keys(_distinct_keys(keys, possible_keys), arrays, ranges)


def sum_weights(weights: Floats, *columns: Column) -> tuple[list[Any], Floats]:
    """Merge equal rows of a table, sorted, and add up their weights; return (columns, sums)."""
    arrays = [array for column in columns for array in integer_columns(column)]
    has_fractions = len(arrays) > len(columns)
    packed = None if has_fractions else _pack_keys(arrays)
    if packed is not None:
        keys, ranges = packed
        possible_keys = prod(map(_size, ranges))
        # If few keys are possible, it is fastest to compute a sum for each of them.
        if possible_keys < _SUMS_PER_ROW * len(keys):
            distinct_keys = _distinct_keys(keys, possible_keys)
            sums_by_key = sum_by_index(keys, weights)
            return _unpack_keys(distinct_keys, arrays, ranges), sums_by_key[distinct_keys]
    order, starts = group_rows(*columns)
    sums = weights[order]
    # `reduceat` adds up each group of equal rows; it does not take a table without rows.
    if len(starts):
        sums = np.add.reduceat(sums, starts)
    return [column[order[starts]] for column in columns], sums


def _unpack_keys(keys: Ints, columns: Sequence[Ints], ranges: Sequence[range]) -> list[Any]:
    """Return the rows of keys as columns of the integer types of `columns`."""
    unpacked: list[Ints] = []
    for column, values in zip(columns[::-1], ranges[::-1], strict=True):
        keys, digits = np.divmod(keys, _size(values))
        unpacked.insert(0, digits.astype(column.dtype) + values[0])
    return unpacked


def _distinct_keys(keys: Ints, end: int) -> Ints:
    """Sort keys below `end` without duplicates, in at most 64 bytes of memory for each key."""
    if end < _FLAGS_PER_ROW * len(keys):
        # The integers are small: one flag for each possible integer is faster than a sort.
        flags = np.zeros(end, bool)
        flags[keys] = True
        return flags.nonzero()[0]
    # numpy sorts 32-bit integers faster.
    keys = np.sort(keys.astype(np.int32) if end < 2**31 else keys)
    return keys[run_start_mask(keys)].astype(np.int64)


def _pack_keys(columns: Sequence[Ints]) -> tuple[Ints, list[range]] | None:
    """Return the keys of rows and the ranges of the columns; None if 63 bits are not enough."""
    keys = np.zeros(len(columns[0]), np.int64)
    if any(column.dtype == np.uint64 for column in columns):
        # Columns of this type have hashes that use all 64 bits.
        return None
    ranges = [
        range(int(column.min()), int(column.max()) + 1) if len(column) else range(1)
        for column in columns
    ]
    if prod(map(_size, ranges)) >= 2**63:
        return None
    for column, values in zip(columns, ranges, strict=True):
        keys *= _size(values)
        if column.dtype == object:
            keys += (column - values.start).astype(np.int64)
        else:
            # Two additions in place need no temporary array.
            keys += column
            keys -= values.start
    return keys, ranges


def _size(values: range) -> int:
    """Return the length of a range: in a browser, `len` fails from 2^31 on."""
    return values.stop - values.start


def _sort_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Return sorted keys, and the index of each before the sort; equal keys keep their order."""
    index_bits = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + index_bits > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # To sort integers is faster than argsort, so append the index of each key as its lowest bits.
    keys_with_indices = keys << index_bits | int_range(len(keys))
    keys_with_indices.sort()
    index_mask = (1 << index_bits) - 1
    return keys_with_indices >> index_bits, keys_with_indices & index_mask


def _lexicographic_order(columns: Sequence[Ints]) -> Ints:
    """Return the indices of the rows of a table in sorted order; equal rows keep their order."""
    *first_columns, last_column = columns
    # A large table that ends with 64-bit hashes has a faster sort than np.lexsort.
    is_large = len(last_column) > _LEXSORT_ROWS
    ends_with_hashes = bool(first_columns) and last_column.dtype == np.uint64
    packed = _pack_keys(first_columns) if is_large and ends_with_hashes else None
    if packed is None:
        return np.lexsort(columns[::-1])
    # Sort by the first columns and the highest bits of the last one, packed into one integer. The
    # bits for the index of a row in `_sort_keys` must be free.
    first_keys, _ = packed
    index_bits = len(last_column).bit_length()
    prefix_bits = 62 - index_bits - int(first_keys.max()).bit_length()
    if prefix_bits < index_bits:
        return np.lexsort(columns[::-1])
    dropped_bits = max(int(last_column.max()).bit_length() - prefix_bits, 0)
    prefixes = (last_column >> np.uint64(dropped_bits)).astype(np.int64)
    keys, order = _sort_keys(first_keys << prefix_bits | prefixes)
    # In a few runs of equal keys the last column differs in its lowest bits: sort these runs again.
    starts_run = run_start_mask(keys)
    differs = run_start_mask(last_column[order]) & ~starts_run
    if differs.any():
        run_numbers = running_sums(starts_run)
        positions = np.isin(run_numbers, run_numbers[differs]).nonzero()[0]
        rows = order[positions]
        order[positions] = rows[np.lexsort((last_column[rows], run_numbers[positions]))]
    return order


def run_start_mask(column: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of row 0 and each row that differs from the row before."""
    mask = np.ones(len(column), bool)
    np.not_equal(column[1:], column[:-1], out=mask[1:])
    return mask


def whole_values(column: Column) -> tuple[Ints, Any]:
    """Return (values, rows): the whole numbers of a column, and an index, or slice, of rows."""
    if not isinstance(column, Ratios):
        return column, slice(None)
    quotients = column.numerators // column.denominators
    rows = np.flatnonzero(quotients * column.denominators == column.numerators)
    return quotients[rows], rows


def exact_values(column: Column) -> list[Exact]:
    """Return a column as a list of ints, with a Fraction for each value that is not whole."""
    if not isinstance(column, Ratios):
        return list(column.tolist())
    pairs = zip(column.numerators.tolist(), column.denominators.tolist(), strict=True)
    return [a // b if a % b == 0 else Fraction(a, b) for a, b in pairs]
