"""Columns of exact values: numpy arrays of ints, and fractions as two such arrays.

1/2 and 3/4 are `Ratios([1, 3], [2, 4])`: numerators and positive denominators, not always in lowest
terms. `Ratios` has the operators of numbers, so the evaluator treats columns like single values. An
array has a numpy integer type, or the type `object` with Python ints, if 64 bits are not enough.
Operations do not check for overflow: the caller chooses a type by `integer_dtype`, which bounds all
values of a hand.

Rows are grouped by one sort of packed keys: several columns become one array of 64-bit integers if
their ranges allow it. Grouping n rows takes time n log n.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from crisps24.rules.exact import DividesExactly, Exact, size_of
from crisps24.rules.games import Game

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

# With at most this many possible keys per row, an array of flags is faster than a sort.
_FLAGS_PER_ROW = 64
# With at most this many possible keys per row, an array of sums is faster than a sort.
_SUMS_PER_ROW = 8
# Up to this number of rows, np.lexsort is faster than a sort by packed prefixes.
_LEXSORT_ROWS = 1 << 14
# Rows of a single column that argsort orders faster than packing does: 41 against 61 us for 1,000.
_ARGSORT_ROWS = 2_000
# Bytes of a Python int in an array of objects, in addition to its pointer.
_PYTHON_INT_BYTES = 32


class Ratios(DividesExactly):
    """A column of fractions: numerators and positive denominators, not always in lowest terms.

    Arithmetic and comparisons work row by row, with another column, an array of ints or a number.

    >>> thirds = Ratios(np.array([1, 2]), np.array([3, 3]))
    >>> exact_values((thirds + thirds) / thirds)
    [2, 2]
    """

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
        if isinstance(other, int) and other == 0:
            return self.numerators == 0
        c, d = _pair(other)
        a, b = self._widened(c, d)
        return (a * d == c * b).astype(bool)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def __ge__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self.numerators >= 0
        c, d = _pair(other)
        a, b = self._widened(c, d)
        return (a * d >= c * b).astype(bool)

    def __le__(self, other: Any) -> Any:
        c, d = _pair(other)
        a, b = self._widened(c, d)
        return (a * d <= c * b).astype(bool)

    def __gt__(self, other: Any) -> Any:
        return ~(self <= other)

    def __lt__(self, other: Any) -> Any:
        return ~(self >= other)

    def _pair(self) -> tuple[Ints, Ints]:
        return self.numerators, self.denominators

    def _widened(self, *factors: Any) -> tuple[Ints, Ints]:
        """Return both arrays in a type that holds their products with each of the factors."""
        magnitude = max(map(_largest_magnitude, self._pair()))
        largest_factor = max(map(_largest_magnitude, factors))
        fits_64_bits = magnitude * largest_factor < 2**62
        dtype: Any = np.int64 if fits_64_bits and self.numerators.dtype != object else object
        return self.numerators.astype(dtype), self.denominators.astype(dtype)

    def reduced(self) -> "Ratios":
        """Return the same fractions in lowest terms."""
        divisors = np.gcd(self.numerators, self.denominators)
        return Ratios(self.numerators // divisors, self.denominators // divisors)


Column = Ints | Ratios


def _pair(other: Any) -> tuple[Any, Any]:
    """Return the numerators and the denominators of a column, or those of one number.

    An int and an array of ints have the denominator 1.
    """
    if isinstance(other, Ratios):
        return other._pair()
    if isinstance(other, Fraction):
        return other.numerator, other.denominator
    return other, 1


def largest_integer(column: Column) -> int:
    """Return the largest magnitude of the integers of a column, or 1 if that is larger."""
    return max(1, *map(_largest_magnitude, integer_columns(column)))


def equal_mask(values: Column, others: Column) -> Any:
    """Return a mask of the rows in which two columns are equal.

    Both are arrays of ints, or both are `Ratios`, whose fractions must be in lowest terms.
    """
    if isinstance(values, Ratios) and isinstance(others, Ratios):
        mask = values.numerators == others.numerators
        return mask & (values.denominators == others.denominators)
    return values == others


def value_at(column: Column, row: int) -> Exact:
    """Return the value of one row as an int, or as a Fraction if it is not whole."""
    if not isinstance(column, Ratios):
        return int(column[row])
    numerator, denominator = int(column.numerators[row]), int(column.denominators[row])
    is_whole = numerator % denominator == 0
    return numerator // denominator if is_whole else Fraction(numerator, denominator)


def _largest_magnitude(integers: Any) -> int:
    """Return the largest absolute value of an array or of one int; 1 for an empty array."""
    if isinstance(integers, int):
        return abs(integers)
    return max(int(integers.max()), -int(integers.min())) if len(integers) else 1


def integer_bound(numbers: Sequence[Exact], game: Game) -> int | None:
    """Return a limit for all integers that occur when the numbers of a hand are combined.

    No intermediate result of a formula is larger, whichever operators of the game the formula has.
    In games with fractions, no numerator and no denominator is larger, in lowest terms or not. The
    limit need not be the best one:

    - It is the product of the numbers, each counted as at least 2: 4 x 3 x 8 x 4 = 384 for crisps.
    - In games with fractions each number is doubled, since 1/2 + 1/3 = 5/6 has a larger numerator
      than the product 1/6: 6 x 6 x 16 x 16 = 9216 for 3 3 8 8. A fraction of the hand counts as the
      larger of its numerator and its denominator: 3/4 as 4.
    - An operator with a `max_growth` above 1 multiplies the limit by it, once for each step.
    - If the game limits the bits of results, the limit is twice the square of the largest operand.

    Returns None if no limit is known: the game does not limit the bits of results, and for some
    operator it is unknown how much its results can exceed the product of the operands (its
    `max_growth` is None).

    >>> from crisps24 import GAMES
    >>> integer_bound((4, 3, 8, 4), GAMES["crisps"]), integer_bound((3, 3, 8, 8), GAMES["cards"])
    (384, 9216)
    """
    operators = game.row_operators
    # An operator with `scalar_only`, such as √, computes one result at a time, and none that is
    # longer than `max_bits`. So the limit of bits is enough for it, also without `max_growth`.
    if game.max_bits is not None and all(
        operator.scalar_only or operator.max_growth for operator in operators
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
    """Return the smallest numpy type for all integers that occur when a hand is solved.

    The integers are the numbers of the hand and the results of all steps; for fractions, their
    numerators and denominators. The type is int32 or int64. It is object (Python's own ints) if 64
    bits are not enough, or if no limit for the integers is known. A limit follows from the sizes of
    the numbers, or from `game.max_bits`, the number of bits that a result can have.

    >>> from crisps24 import GAMES
    >>> integer_dtype((3, 3, 8, 8), GAMES["cards"]), integer_dtype((10**9,) * 4, GAMES["cards"])
    (<class 'numpy.int32'>, <class 'object'>)
    """
    if game.max_bits is not None:
        # With at most 31 bits, 64 bits hold the product of two integers, or a sum of two products.
        has_limits = all(
            operator.scalar_only or operator.max_growth is not None
            for operator in game.row_operators
        )
        is_short = game.max_bits <= 31 and all(size_of(number) < 1 << 31 for number in numbers)
        return np.int64 if has_limits and is_short else object
    bound = integer_bound(numbers, game)
    if bound is None or bound >= 2**62:
        return object
    return np.int32 if bound < 2**31 else np.int64


def integer_columns(column: Column) -> tuple[Ints, ...]:
    """Return the arrays of a column: one, or (numerators, denominators) for fractions."""
    return column._pair() if isinstance(column, Ratios) else (column,)


def make_column(values: Sequence[Exact], fractions: bool, dtype: Any) -> Column:
    """Return values as an array of ints, or as `Ratios` if `fractions`, of an integer type.

    Without `fractions`, all values must be whole: denominators are ignored.
    """
    numerators = np.array([value.numerator for value in values], dtype)
    if not fractions:
        return numerators
    return Ratios(numerators, np.array([value.denominator for value in values], dtype))


def column_bytes(column: Column) -> int:
    """Return the size of a column in bytes, with about 32 bytes for each Python int."""
    size = 0
    for array in integer_columns(column):
        size += array.nbytes
        if array.dtype == object:
            size += len(array) * _PYTHON_INT_BYTES
    return size


def join_columns(columns: Sequence[Column]) -> Column:
    """Return one column with the rows of several columns: all rows of the first, and so on.

    There is at least one column. All are arrays of ints, or all are `Ratios`.
    """
    if not isinstance(columns[0], Ratios):
        return np.concatenate(cast("Sequence[Ints]", columns))
    fractions = cast("Sequence[Ratios]", columns)
    return Ratios(
        np.concatenate([column.numerators for column in fractions]),
        np.concatenate([column.denominators for column in fractions]),
    )


def mask_indices(mask: Any, count: int) -> Ints:
    """Return the indices of the true rows of a mask of `count` rows; one bool means all rows."""
    return np.arange(count if mask else 0) if isinstance(mask, bool) else mask.nonzero()[0]


def repeat_rows(column: Column, times: Ints) -> Column:
    """Return a column with row i repeated `times[i]` times, like `numpy.repeat`."""
    if isinstance(column, Ratios):
        return Ratios(*(part.repeat(times) for part in column._pair()))
    return column.repeat(times)


def reduce_column(column: Column) -> Column:
    """Return a column with fractions in lowest terms; a column of ints is returned unchanged."""
    return column.reduced() if isinstance(column, Ratios) else column


def float_bits(column: Column) -> Ints | None:
    """Return an array with a hash of each value: an unsigned 64-bit integer.

    The hash has the bits of the 64-bit float that is nearest to the value. Equal values have equal
    hashes, also if their fractions are not in lowest terms. Two different values rarely have the
    same hash. Returns None if an integer exceeds 2^53, since floats do not hold all larger
    integers.

    1/2 and 3/6 have the same hash, the bits of 0.5:

    >>> [hex(bits) for bits in float_bits(Ratios(np.array([1, 3]), np.array([2, 6])))]
    ['0x3fe0000000000000', '0x3fe0000000000000']
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

    Each argument is one column of the table. `order` has the indices of the rows in sorted order,
    and `starts` has the positions in `order` at which a new group of equal rows starts. Rows of
    ints ascend by the first column, then by the second, and so on. Rows of fractions must be in
    lowest terms, and their groups are in no particular order. Equal rows keep their order.

    The rows below are (2, 5), (1, 7), (2, 5), (1, 6). Row 3 is the least, then row 1; rows 0 and 2
    are one group:

    >>> order, starts = group_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> order.tolist(), starts.tolist()
    ([3, 1, 0, 2], [0, 1, 2])
    """
    # A column of fractions counts as two arrays of integers.
    arrays = [array for column in columns for array in integer_columns(column)]
    if len(arrays) == 1 and len(arrays[0]) < _ARGSORT_ROWS:
        order = np.argsort(arrays[0], kind="stable")
        return order, run_start_mask(arrays[0][order]).nonzero()[0]
    # If each row can be packed into one integer, its key, it is enough to sort the keys.
    packed = _pack_keys(arrays)
    if packed is not None:
        keys, order = _sort_keys(packed[0])
        return order, run_start_mask(keys).nonzero()[0]
    order = _lexicographic_order(arrays)
    # A group starts at each row that differs from the row before in any column.
    is_start = run_start_mask(arrays[0][order])
    for array in arrays[1:]:
        is_start |= run_start_mask(array[order])
    return order, is_start.nonzero()[0]


def distinct_rows(*columns: Column) -> list[Any]:
    """Return the columns of a table without its duplicate rows.

    Each argument is one column, and so is each entry of the result. Rows of ints ascend by the
    first column, then by the second, and so on. Rows of fractions must be in lowest terms, and are
    in no particular order. An array keeps its integer type.

    Of the rows (2, 5), (1, 7), (2, 5), (1, 6) three are different:

    >>> columns = distinct_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> [column.tolist() for column in columns]
    [[1, 1, 2], [6, 7, 5]]
    """
    arrays = [array for column in columns for array in integer_columns(column)]
    has_fractions = len(arrays) > len(columns)
    has_python_ints = object in [array.dtype for array in arrays]
    # If each row can be packed into one integer, its key, duplicate keys are removed.
    packed = _pack_keys(arrays)
    if packed is None or has_fractions or has_python_ints:
        order, starts = group_rows(*columns)
        return [column[order[starts]] for column in columns]
    keys, ranges = packed
    possible_keys = prod(map(len, ranges))
    return _unpack_keys(_distinct_keys(keys, possible_keys), arrays, ranges)


def sum_weights(weights: Floats, *columns: Column) -> tuple[list[Any], Floats]:
    """Merge equal rows of a table and add up their weights; return (columns, sums).

    `weights` has one weight for each row. The returned columns have each distinct row once, with
    its sum of weights at the same index of `sums`. Rows of ints ascend by the first column, then by
    the second, and so on. Rows of fractions must be in lowest terms, and are in no particular
    order.

    The value 7 occurs twice below, with the weights 0.5 and 2:

    >>> columns, sums = sum_weights(np.array([0.5, 1, 2]), np.array([7, 5, 7]))
    >>> columns[0].tolist(), sums.tolist()
    ([5, 7], [1.0, 2.5])
    """
    arrays = [array for column in columns for array in integer_columns(column)]
    has_fractions = len(arrays) > len(columns)
    packed = None if has_fractions else _pack_keys(arrays)
    if packed is not None:
        keys, ranges = packed
        possible_keys = prod(map(len, ranges))
        # If few keys are possible, it is fastest to compute a sum for each of them.
        if possible_keys < _SUMS_PER_ROW * len(keys):
            distinct_keys = _distinct_keys(keys, possible_keys)
            sums_by_key = cast("Floats", np.bincount(keys, weights))
            return _unpack_keys(distinct_keys, arrays, ranges), sums_by_key[distinct_keys]
    order, starts = group_rows(*columns)
    sums = weights[order]
    # `reduceat` adds up each group of equal rows; it does not take a table without rows.
    if len(starts):
        sums = np.add.reduceat(sums, starts)
    return [column[order[starts]] for column in columns], sums


def _unpack_keys(keys: Ints, columns: Sequence[Ints], ranges: Sequence[range]) -> list[Any]:
    """Return the rows of integers that were packed into keys by `_pack_keys`, as columns.

    A key is one integer for a row of several. It has a digit for each column, like a number whose
    digits have different bases: the value minus the smallest value of its column.

    Args:
        keys: The keys.
        columns: The columns that were packed. Only their integer types are read.
        ranges: The range of the values of each column.

    If the first column has the values 1 and 2, and the second 5, 6 and 7, then the key 3 is 1 * 3 +
    0, which is the row (2, 5), and the key 2 is 0 * 3 + 2, which is the row (1, 7):

    >>> types, ranges = [np.array([2, 1]), np.array([5, 7])], [range(1, 3), range(5, 8)]
    >>> [column.tolist() for column in _unpack_keys(np.array([3, 2]), types, ranges)]
    [[2, 1], [5, 7]]
    """
    unpacked: list[Ints] = []
    # The digit of the last column is the lowest one.
    for column, values in zip(columns[::-1], ranges[::-1], strict=True):
        keys, digits = np.divmod(keys, len(values))
        unpacked.insert(0, digits.astype(column.dtype) + values[0])
    return unpacked


def _distinct_keys(keys: Ints, end: int) -> Ints:
    """Return an array of integers, sorted and without duplicates.

    All integers are from 0 to `end` - 1. The function takes at most 64 bytes of memory for each
    integer of the array.

    >>> _distinct_keys(np.array([5, 2, 5]), 8).tolist()
    [2, 5]
    """
    if end < _FLAGS_PER_ROW * len(keys):
        # The integers are small: one flag for each possible integer is faster than a sort.
        flags = np.zeros(end, bool)
        flags[keys] = True
        return flags.nonzero()[0]
    # numpy sorts 32-bit integers faster.
    keys = np.sort(keys.astype(np.int32) if end < 2**31 else keys)
    return keys[run_start_mask(keys)].astype(np.int64)


def _pack_keys(columns: Sequence[Ints]) -> tuple[Ints, list[range]] | None:
    """Pack each row of a table of integers into one integer, its key; return (keys, ranges).

    `columns` are the columns of the table, and `ranges` are the ranges of their values. Keys sort
    like the rows, and only equal rows have equal keys. A key has one digit for each column, like a
    number whose digits have different bases: the value minus the smallest value of its column.

    The second column below has the range 5 to 7, so its digits have the base 3. The row (2, 5) is
    packed as 1 * 3 + 0, and the row (1, 7) as 0 * 3 + 2:

    >>> _pack_keys([np.array([2, 1]), np.array([5, 7])])
    (array([3, 2]), [range(1, 3), range(5, 8)])

    Returns None if 63 bits are not enough for a key, or if a column has the type uint64.
    """
    keys = np.zeros(len(columns[0]), np.int64)
    if any(column.dtype == np.uint64 for column in columns):
        # Columns of this type have hashes that use all 64 bits.
        return None
    ranges = [
        range(int(column.min()), int(column.max()) + 1) if len(column) else range(1)
        for column in columns
    ]
    # Not `len`, which fails for ranges of 2^63 and more values.
    if prod(values.stop - values.start for values in ranges) >= 2**63:
        return None
    for column, values in zip(columns, ranges, strict=True):
        keys *= len(values)
        if column.dtype == object:
            keys += (column - values.start).astype(np.int64)
        else:
            # Two additions in place need no temporary array.
            keys += column
            keys -= values.start
    return keys, ranges


def _sort_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Sort an array of integers; return (sorted integers, index of each before the sort).

    All integers are at least 0. Equal integers keep their order.

    >>> sorted_keys, indices = _sort_keys(np.array([7, 4, 7]))
    >>> sorted_keys.tolist(), indices.tolist()
    ([4, 7, 7], [1, 0, 2])
    """
    index_bits = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + index_bits > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # To sort integers is faster than argsort, so append the index of each key as its lowest bits.
    keys_with_indices = keys << index_bits | np.arange(len(keys))
    keys_with_indices.sort()
    index_mask = (1 << index_bits) - 1
    return keys_with_indices >> index_bits, keys_with_indices & index_mask


def _lexicographic_order(columns: Sequence[Ints]) -> Ints:
    """Return the indices of the rows of a table in sorted order.

    Rows are sorted by the first column, then by the second, and so on. Equal rows keep their order.
    The rows below are (2, 5), (1, 7) and (2, 4); row 1 is the least, then row 2:

    >>> _lexicographic_order([np.array([2, 1, 2]), np.array([5, 7, 4])]).tolist()
    [1, 2, 0]
    """
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
        run_numbers = starts_run.cumsum()
        positions = np.isin(run_numbers, run_numbers[differs]).nonzero()[0]
        rows = order[positions]
        order[positions] = rows[np.lexsort((last_column[rows], run_numbers[positions]))]
    return order


def run_start_mask(column: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows of an array that start a run of equal values.

    These are row 0, and each row that differs from the row before.

    >>> run_start_mask(np.array([4, 4, 7])).tolist()
    [True, False, True]
    """
    mask = np.ones(len(column), bool)
    np.not_equal(column[1:], column[:-1], out=mask[1:])
    return mask


def whole_values(column: Column) -> tuple[Ints, Ints]:
    """Return (values, rows): the whole numbers of a column as an array, and their row indices."""
    if not isinstance(column, Ratios):
        return column, np.arange(len(column))
    quotients = column.numerators // column.denominators
    rows = np.flatnonzero(quotients * column.denominators == column.numerators)
    return quotients[rows], rows


def exact_values(column: Column) -> list[Exact]:
    """Return a column as a list of ints, with a Fraction for each value that is not whole."""
    if not isinstance(column, Ratios):
        return list(column.tolist())
    pairs = zip(column.numerators.tolist(), column.denominators.tolist(), strict=True)
    # Each pair a, b stands for a/b.
    return [a // b if a % b == 0 else Fraction(a, b) for a, b in pairs]
