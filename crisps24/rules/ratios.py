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

from crisps24.rules.exact import DividesExactly, Exact
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
        above, below = a * d, b * c
        return Ratios(np.where(below < 0, -above, above), abs(below))

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
        """Return the arrays in a type that holds their products with each of the factors."""
        largest = max((_largest_magnitude(part) for part in self._pair()), default=1)
        fits = largest * max(map(_largest_magnitude, factors)) < 2**62
        dtype: Any = np.int64 if fits and self.numerators.dtype != object else object
        return self.numerators.astype(dtype), self.denominators.astype(dtype)

    def reduced(self) -> "Ratios":
        """Return the same fractions in lowest terms."""
        divisors = np.gcd(self.numerators, self.denominators)
        return Ratios(self.numerators // divisors, self.denominators // divisors)


Column = Ints | Ratios


def _pair(other: Any) -> tuple[Any, Any]:
    """Return the numerators and denominators of a column, or of one number."""
    if isinstance(other, Ratios):
        return other._pair()
    if isinstance(other, Fraction):
        return other.numerator, other.denominator
    return other, 1


def largest_integer(column: Column) -> int:
    """Return the largest magnitude of the integers of a column, or 1 if that is larger."""
    return max(1, *map(_largest_magnitude, integer_columns(column)))


def equal_mask(values: Column, others: Column) -> Any:
    """Return a mask of the rows in which two columns are equal; fractions are in lowest terms."""
    if isinstance(values, Ratios) and isinstance(others, Ratios):
        mask = values.numerators == others.numerators
        return mask & (values.denominators == others.denominators)
    return values == others


def value_at(column: Column, row: int) -> Exact:
    """Return the value of one row as an int, or as a Fraction if it is not whole."""
    if not isinstance(column, Ratios):
        return int(column[row])
    above, below = int(column.numerators[row]), int(column.denominators[row])
    return above // below if above % below == 0 else Fraction(above, below)


def _largest_magnitude(part: Any) -> int:
    """Return the largest absolute value of an array, 1 if it is empty."""
    if isinstance(part, int):
        return abs(part)
    return max(int(part.max()), -int(part.min())) if len(part) else 1


def integer_bound(numbers: Sequence[int], game: Game) -> int | None:
    """Return a number that no numerator and no denominator exceeds when a hand is played.

    The bound also holds for intermediate results, and for fractions that are not in lowest terms.
    It is the product of the numbers, each counted as at least 2. If an operator has a `max_growth`
    above 1, the bound is multiplied by it once for each step. In games with fractions each number
    is doubled, since 1/2 + 1/3 = 5/6 has a larger numerator than the product 1/6. If the game
    limits the bits of results, the bound is twice the square of the largest possible operand.

    Returns None if no bound is known: an operator has no `max_growth`, and the game has no limit
    for the bits of results.

    >>> from crisps24 import GAMES
    >>> integer_bound((4, 3, 8, 4), GAMES["crisps"]), integer_bound((3, 3, 8, 8), GAMES["cards"])
    (384, 9216)
    """
    operators = game.row_operators
    if game.max_bits is not None and all(each.scalar_only or each.max_growth for each in operators):
        # Both operands have at most max_bits bits; the result is not reduced yet.
        sizes = [max(abs(number), 1) for number in numbers]
        return max(*sizes, 1 << game.max_bits) ** 2 * 2
    growths = [operator.max_growth for operator in operators if operator.max_growth is not None]
    if len(growths) < len(operators):
        return None
    sizes = [abs(number) for number in numbers]
    sizes = [2 * max(size, 1) if game.fractions else max(size, 2) for size in sizes]
    return prod([*sizes, *[max(growths)] * (len(numbers) - 1)])


def integer_dtype(numbers: Sequence[int], game: Game) -> Any:
    """Return the smallest numpy type that holds every integer when a hand is played.

    The integers are the values, or their numerators and denominators, of all steps. The type is
    int32 or int64; it is object (Python's own ints) if 64 bits are not enough, or if the size of
    the integers is not known.

    >>> from crisps24 import GAMES
    >>> integer_dtype((3, 3, 8, 8), GAMES["cards"]), integer_dtype((10**9,) * 4, GAMES["cards"])
    (<class 'numpy.int32'>, <class 'object'>)
    """
    if game.max_bits is not None:
        # Numerators of at most 31 bits: 64 bits hold their products, and sums of two products.
        bounded = all(
            each.scalar_only or each.max_growth is not None for each in game.row_operators
        )
        short = game.max_bits <= 31 and all(abs(number) < 1 << 31 for number in numbers)
        return np.int64 if bounded and short else object
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
    parts = integer_columns(column)
    return sum(
        part.nbytes + len(part) * _PYTHON_INT_BYTES * (part.dtype == object) for part in parts
    )


def join_columns(columns: Sequence[Column]) -> Column:
    """Return the rows of columns of one kind (ints or fractions) as one column, in order.

    There must be at least one column.
    """
    if not isinstance(columns[0], Ratios):
        return np.concatenate(cast("Sequence[Ints]", columns))
    pairs = [column._pair() for column in cast("Sequence[Ratios]", columns)]
    return Ratios(*(np.concatenate(parts) for parts in zip(*pairs, strict=True)))


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
    """Return a hash of each value: the bits of the nearest 64-bit float, as an unsigned integer.

    Equal values have equal hashes, also if their fractions are not in lowest terms. Two different
    values rarely have the same hash. Returns None if an integer exceeds 2^53, since floats do not
    hold all larger integers.

    1/2 and 3/6 have the same hash:

    >>> float_bits(Ratios(np.array([1, 3]), np.array([2, 6]))).tolist() == 2 * [0x3FE << 52]
    True
    """
    parts = integer_columns(column)
    for part in parts:
        if part.dtype == object or (part.dtype != np.int32 and _largest_magnitude(part) > 1 << 53):
            return None
    quotients: Ints = parts[0] / (parts[1] if parts[1:] else 1)
    return quotients.view(np.uint64)


def group_rows(*columns: Column) -> tuple[Ints, Ints]:
    """Sort the rows of a table so that equal rows are adjacent; return (order, starts).

    Each argument is one column of the table. `order` has the indices of the rows in sorted order,
    and `starts` has the positions in `order` at which a new group of equal rows starts. Rows of
    ints ascend by the first column, then by the second, and so on. Rows of fractions must be in
    lowest terms, and their groups are in no particular order. Equal rows keep their order.

    The rows below are (2, 5), (1, 7), (2, 5), (1, 6). Row 3 is the least, and rows 0 and 2 are one
    group:

    >>> order, starts = group_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> order.tolist(), starts.tolist()
    ([3, 1, 0, 2], [0, 1, 2])
    """
    parts = [part for column in columns for part in integer_columns(column)]
    if len(parts) == 1 and len(parts[0]) < _ARGSORT_ROWS:
        order = np.argsort(parts[0], kind="stable")
        return order, run_start_mask(parts[0][order]).nonzero()[0]
    packed = _pack_keys(parts)
    if packed is not None:
        keys, order = _sort_keys(packed[0])
        return order, run_start_mask(keys).nonzero()[0]
    order = _lexicographic_order(parts)
    new = run_start_mask(parts[0][order])
    for part in parts[1:]:
        new |= run_start_mask(part[order])
    return order, new.nonzero()[0]


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
    parts = [part for column in columns for part in integer_columns(column)]
    packed = _pack_keys(parts)
    if packed is None or len(parts) > len(columns) or object in [part.dtype for part in parts]:
        order, starts = group_rows(*columns)
        return [column[order[starts]] for column in columns]
    keys, ranges = packed
    return _unpack_keys(_distinct_keys(keys, prod(map(len, ranges))), parts, ranges)


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
    parts = [part for column in columns for part in integer_columns(column)]
    packed = None if len(parts) > len(columns) else _pack_keys(parts)
    if packed is not None:
        keys, ranges = packed
        end = prod(map(len, ranges))
        if end < _SUMS_PER_ROW * len(keys):
            unique = _distinct_keys(keys, end)
            sums = cast("Floats", np.bincount(keys, weights))
            return _unpack_keys(unique, parts, ranges), sums[unique]
    order, starts = group_rows(*columns)
    weights = weights[order]
    if len(starts):
        weights = np.add.reduceat(weights, starts)
    return [column[order[starts]] for column in columns], weights


def _unpack_keys(keys: Ints, parts: Sequence[Ints], ranges: Sequence[range]) -> list[Any]:
    """Return the columns that `_pack_keys` packed into keys: one integer for each row.

    `parts` are the packed columns, which give the integer types; `ranges` are their ranges.

    >>> columns = [np.array([2, 1]), np.array([5, 7])]
    >>> keys, ranges = np.array([3, 2]), [range(1, 3), range(5, 8)]
    >>> [column.tolist() for column in _unpack_keys(keys, columns, ranges)]
    [[2, 1], [5, 7]]
    """
    columns: list[Ints] = []
    for part, values in zip(parts[::-1], ranges[::-1], strict=True):
        keys, offsets = np.divmod(keys, len(values))
        columns.insert(0, offsets.astype(part.dtype) + values[0])
    return columns


def _distinct_keys(keys: Ints, end: int) -> Ints:
    """Return an array of integers sorted and without duplicates.

    All integers are at least 0 and below `end`. The function takes at most 64 bytes of memory for
    each integer.

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


def _pack_keys(parts: Sequence[Ints]) -> tuple[Ints, list[range]] | None:
    """Pack each row of a table of integers into one integer, its key; return (keys, ranges).

    `parts` are the columns of the table, and `ranges` are the ranges of their values. Keys sort
    like the rows, and only equal rows have equal keys. A key has one digit for each column, as in a
    number whose digits have different bases: the value minus the least of its column.

    The second column below has 3 possible values, so (2, 5) is packed as 1 * 3 + 0, and (1, 7) as
    0 * 3 + 2:

    >>> _pack_keys([np.array([2, 1]), np.array([5, 7])])
    (array([3, 2]), [range(1, 3), range(5, 8)])

    Returns None if 63 bits are not enough for a key, or if a column has the type uint64.
    """
    keys = np.zeros(len(parts[0]), np.int64)
    if any(part.dtype == np.uint64 for part in parts):
        # Fingerprints use all bits.
        return None
    ranges = [
        range(int(part.min()), int(part.max()) + 1) if len(part) else range(1) for part in parts
    ]
    if prod(values.stop - values.start for values in ranges) >= 2**63:
        return None
    for part, values in zip(parts, ranges, strict=True):
        keys *= len(values)
        if part.dtype == object:
            keys += (part - values.start).astype(np.int64)
        else:
            keys += part
            keys -= values.start
    return keys, ranges


def _sort_keys(keys: Ints) -> tuple[Ints, Ints]:
    """Sort an array of integers from 0; return (sorted keys, index of each before the sort).

    Equal integers keep their order.

    >>> keys, rows = _sort_keys(np.array([7, 4, 7]))
    >>> keys.tolist(), rows.tolist()
    ([4, 7, 7], [1, 0, 2])
    """
    row_bits = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + row_bits > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # Sorting numbers is faster than sorting indices, so the lowest bits of each are its row.
    keys_with_rows = keys << row_bits | np.arange(len(keys))
    keys_with_rows.sort()
    return keys_with_rows >> row_bits, keys_with_rows & ((1 << row_bits) - 1)


def _lexicographic_order(parts: Sequence[Ints]) -> Ints:
    """Return the indices of the rows of a table in sorted order.

    `parts` are the columns. Rows are sorted by the first column, then by the second, and so on.
    Equal rows keep their order.

    >>> _lexicographic_order([np.array([2, 1, 2]), np.array([5, 7, 4])]).tolist()
    [1, 2, 0]
    """
    *others, last = parts
    # A large table that ends with 64-bit hashes has a faster sort than np.lexsort.
    large = others and last.dtype == np.uint64 and len(last) > _LEXSORT_ROWS
    first = _pack_keys(others) if large else None
    if first is None:
        return np.lexsort(parts[::-1])
    # Sort by the other columns and the highest bits of the last one, packed into one integer.
    row_bits = len(last).bit_length()
    last_bits = int(last.max()).bit_length()
    prefix_bits = 62 - row_bits - int(first[0].max()).bit_length()
    if prefix_bits < row_bits:
        return np.lexsort(parts[::-1])
    prefixes = (last >> np.uint64(max(last_bits - prefix_bits, 0))).astype(np.int64)
    keys, order = _sort_keys(first[0] << prefix_bits | prefixes)
    # Few rows agree in these bits and differ in the rest of the last column: sort those again.
    starts = run_start_mask(keys)
    mixed = run_start_mask(last[order]) & ~starts
    if mixed.any():
        runs = starts.cumsum()
        positions = np.isin(runs, runs[mixed]).nonzero()[0]
        rows = order[positions]
        order[positions] = rows[np.lexsort((last[rows], runs[positions]))]
    return order


def run_start_mask(column: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows of an array that start a run of equal values.

    These are row 0, and each row that differs from the row before.
    """
    mask = np.ones(len(column), bool)
    np.not_equal(column[1:], column[:-1], out=mask[1:])
    return mask


def whole_values(column: Column) -> tuple[Ints, Ints]:
    """Return (values, rows): the whole values as an array of ints, and their row indices."""
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
    return [a // b if a % b == 0 else Fraction(a, b) for a, b in pairs]
