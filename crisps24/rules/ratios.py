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
    """Return a bound for every numerator and denominator that a hand can have in a game.

    The bound also holds for intermediate results and before fractions are reduced. It follows by
    induction over sub-hands: an integer of a sub-hand is at most the product of its numbers, each
    counted as at least 2, times the largest `max_growth` for each step; in games with fractions,
    each number counts twice, since a sum of two fractions can be twice as large as their product.

    Returns None if an operator has no `max_growth`, unless the game limits the bits of results.
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
    """Return the smallest numpy type for all integers of a hand: int32, int64 or object.

    The type is object (Python ints) if 64 bits are not enough or no bound is known.
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
    """Return a hash of each value: the bits of its 64-bit float, as an unsigned integer.

    Equal values have equal bits, in lowest terms or not; different values can also have. Returns
    None if an integer can exceed 2^53, since floats are not exact above it.

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
    """Return (order, starts): row indices with equal rows adjacent, and the start of each group.

    Ints are in ascending order, the first column being the most significant. Fractions must be in
    lowest terms; their groups are in no particular order. Equal rows keep their order.

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
    """Return columns with each distinct row once, in the order of `group_rows`.

    Fractions must be in lowest terms. An array keeps its integer type.

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
    """Return columns with each distinct row once, and the sum of the weights of each row.

    The rows are in the order of `group_rows`: ints ascending, fractions in no order. Fractions must
    be in lowest terms.

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
    """Return the columns that were packed into keys; the inverse of `_pack_keys`."""
    columns: list[Ints] = []
    for part, values in zip(parts[::-1], ranges[::-1], strict=True):
        keys, offsets = np.divmod(keys, len(values))
        columns.insert(0, offsets.astype(part.dtype) + values[0])
    return columns


def _distinct_keys(keys: Ints, end: int) -> Ints:
    """Return the distinct keys, ascending; keys are from 0 and below `end`.

    Takes at most 64 bytes of memory per key.
    """
    if end < _FLAGS_PER_ROW * len(keys):
        flags = np.zeros(end, bool)
        flags[keys] = True
        return flags.nonzero()[0]
    # numpy sorts 32-bit integers faster.
    keys = np.sort(keys.astype(np.int32) if end < 2**31 else keys)
    return keys[run_start_mask(keys)].astype(np.int64)


def _pack_keys(parts: Sequence[Ints]) -> tuple[Ints, list[range]] | None:
    """Return (keys, ranges): one key from 0 for each row, and the range of each column.

    Keys have the order of the rows, and only equal rows have equal keys. Returns None if 63 bits
    are not enough, or if a column has the type uint64.
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
    """Return (sorted keys, row of each); keys are not negative, and equal ones keep their order."""
    row_bits = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + row_bits > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # Sorting numbers is faster than sorting indices, so the lowest bits of each are its row.
    keys_with_rows = keys << row_bits | np.arange(len(keys))
    keys_with_rows.sort()
    return keys_with_rows >> row_bits, keys_with_rows & ((1 << row_bits) - 1)


def _lexicographic_order(parts: Sequence[Ints]) -> Ints:
    """Return the row indices that sort the rows by several columns, the first one foremost.

    The sort is stable.
    """
    *others, last = parts
    large = others and last.dtype == np.uint64 and len(last) > _LEXSORT_ROWS
    first = _pack_keys(others) if large else None
    if first is None:
        return np.lexsort(parts[::-1])
    # Sort by a prefix of the last column that fits into the key. Few rows agree in the prefix and
    # differ in the column; those are sorted after it.
    row_bits = len(last).bit_length()
    last_bits = int(last.max()).bit_length()
    prefix_bits = 62 - row_bits - int(first[0].max()).bit_length()
    if prefix_bits < row_bits:
        return np.lexsort(parts[::-1])
    prefixes = (last >> np.uint64(max(last_bits - prefix_bits, 0))).astype(np.int64)
    keys, order = _sort_keys(first[0] << prefix_bits | prefixes)
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
