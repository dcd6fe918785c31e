"""Columns of exact fractions, so that the one evaluator works on them as on columns of ints.

Owns fractions as pairs of integer columns, and how large they can get in a game. Whoever makes a
column sees to it that its integers hold what comes of them: 64 bits, or Python's own integers
(`object`).
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

# Where there are at most so many flags to a key, or sums, they are quicker than a sort.
_FLAGS, _SUMS = 64, 8
# So few rows are sorted by one column after the other.
_FEW = 1 << 14
# Rows of a single column that argsort orders faster than packing does: 41 against 61 us for 1,000.
_ARGSORT_ROWS = 2_000


class Ratios(DividesExactly):
    """A column of fractions: numerators over positive denominators, not always reduced.

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
        a, b = self._wide(c, d)
        return (a * d == c * b).astype(bool)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def __ge__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self.numerators >= 0
        c, d = _pair(other)
        a, b = self._wide(c, d)
        return (a * d >= c * b).astype(bool)

    def __le__(self, other: Any) -> Any:
        c, d = _pair(other)
        a, b = self._wide(c, d)
        return (a * d <= c * b).astype(bool)

    def __gt__(self, other: Any) -> Any:
        return ~(self <= other)

    def __lt__(self, other: Any) -> Any:
        return ~(self >= other)

    def _pair(self) -> tuple[Ints, Ints]:
        return self.numerators, self.denominators

    def _wide(self, *others: Any) -> tuple[Ints, Ints]:
        """Return the pair as integers that hold their products with the others."""
        widest = max((_widest(part) for part in self._pair()), default=1)
        wide: Any = np.int64 if widest * max(map(_widest, others)) < 2**62 else object
        wide = object if self.numerators.dtype == object else wide
        return self.numerators.astype(wide), self.denominators.astype(wide)

    def reduced(self) -> "Ratios":
        """Return the same fractions in lowest terms."""
        shared = np.gcd(self.numerators, self.denominators)
        return Ratios(self.numerators // shared, self.denominators // shared)


Column = Ints | Ratios


def _pair(other: Any) -> tuple[Any, Any]:
    if isinstance(other, Ratios):
        return other._pair()
    if isinstance(other, Fraction):
        return other.numerator, other.denominator
    return other, 1


def largest_integer(column: Column) -> int:
    """Return a bound of the integers of a column, at least 1."""
    return max(1, *map(_widest, integer_columns(column)))


def equal_mask(values: Column, others: Column) -> Any:
    """Return where values are equal; fractions are in lowest terms."""
    if isinstance(values, Ratios) and isinstance(others, Ratios):
        alike = values.numerators == others.numerators
        return alike & (values.denominators == others.denominators)
    return values == others


def value_at(column: Column, row: int) -> Exact:
    """Return one value of a column in lowest terms."""
    if not isinstance(column, Ratios):
        return int(column[row])
    above, below = int(column.numerators[row]), int(column.denominators[row])
    return above // below if above % below == 0 else Fraction(above, below)


def _widest(part: Any) -> int:
    if isinstance(part, int):
        return abs(part)
    return max(int(part.max()), -int(part.min())) if len(part) else 1


def integer_bound(numbers: Sequence[int], game: Game) -> int | None:
    """Return what no numerator or denominator that numbers of a game make on the way is above.

    By induction over the sub-hands: each is at most the product of the numbers, times the
    `growth` of an operator for each step, where a sum of fractions may double it each time, and
    a sum of small whole numbers may take each for a 2. None where an operator tells no growth.
    """
    operators = game.row_operators
    if game.max_bits is not None and all(each.scalar_only or each.max_growth for each in operators):
        # Of two that are short enough, before what they make is in lowest terms.
        sizes = [max(abs(number), 1) for number in numbers]
        return max(*sizes, 1 << game.max_bits) ** 2 * 2
    growths = [operator.max_growth for operator in operators if operator.max_growth is not None]
    if len(growths) < len(operators):
        return None
    sizes = [abs(number) for number in numbers]
    sizes = [2 * max(size, 1) if game.fractions else max(size, 2) for size in sizes]
    return prod([*sizes, *[max(growths)] * (len(numbers) - 1)])


def integer_dtype(numbers: Sequence[int], game: Game) -> Any:
    """Return the smallest integers for all that a hand or a row of numbers can make on the way.

    Beyond 64 bits, and where no bound is known, they are Python's own.
    """
    if game.max_bits is not None:
        # Products of two numerators that are short enough, and sums of two products.
        known = all(each.scalar_only or each.max_growth is not None for each in game.row_operators)
        short = game.max_bits <= 31 and all(abs(number) < 1 << 31 for number in numbers)
        return np.int64 if known and short else object
    bound = integer_bound(numbers, game)
    if bound is None or bound >= 2**62:
        return object
    return np.int32 if bound < 2**31 else np.int64


def integer_columns(column: Column) -> tuple[Ints, ...]:
    """Return the columns of integers that a column is made of: one, or two of fractions."""
    return column._pair() if isinstance(column, Ratios) else (column,)


def make_column(values: Sequence[Exact], fractions: bool, dtype: Any) -> Column:
    """Return values as a column of ints, or of fractions."""
    numerators = np.array([value.numerator for value in values], dtype)
    if not fractions:
        return numerators
    return Ratios(numerators, np.array([value.denominator for value in values], dtype))


# What Python keeps of an integer, beside its place in a column.
_LONG_BYTES = 32


def column_bytes(column: Column) -> int:
    """Return the bytes of a column, with those of Python's own integers."""
    parts = integer_columns(column)
    return sum(part.nbytes + len(part) * _LONG_BYTES * (part.dtype == object) for part in parts)


def join_columns(columns: Sequence[Column]) -> Column:
    """Return columns of one kind one after the other."""
    if not isinstance(columns[0], Ratios):
        return np.concatenate(cast("Sequence[Ints]", columns))
    pairs = [column._pair() for column in cast("Sequence[Ratios]", columns)]
    return Ratios(*(np.concatenate(parts) for parts in zip(*pairs, strict=True)))


def mask_indices(mask: Any, count: int) -> Ints:
    """Return the places among so many where a mask holds; a bool is said of all of them."""
    return np.arange(count if mask else 0) if isinstance(mask, bool) else mask.nonzero()[0]


def repeat_rows(column: Column, times: Ints) -> Column:
    """Return a column with each value so many times."""
    if isinstance(column, Ratios):
        return Ratios(*(part.repeat(times) for part in column._pair()))
    return column.repeat(times)


def reduce_column(column: Column) -> Column:
    """Return a column with its fractions in lowest terms, ints as they are."""
    return column.reduced() if isinstance(column, Ratios) else column


def float_bits(column: Column) -> Ints | None:
    """Return the bits of values as floats: the same for equal ones, in lowest terms or not.

    None where integers may have more bits than floats hold.

    >>> float_bits(Ratios(np.array([1, 3]), np.array([2, 6]))).tolist() == 2 * [0x3FE << 52]
    True
    """
    parts = integer_columns(column)
    for part in parts:
        if part.dtype == object or (part.dtype != np.int32 and _widest(part) > 1 << 53):
            return None
    quotients: Ints = parts[0] / (parts[1] if parts[1:] else 1)
    return quotients.view(np.uint64)


def group_rows(*columns: Column) -> tuple[Ints, Ints]:
    """Return (order, starts): an order that brings equal rows together, and where each begins.

    The order is ascending, by the first column first, for ints; fractions, in lowest terms, are
    in some order. Equal rows stay in the order that they are in.

    >>> [each.tolist() for each in group_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))]
    [[3, 1, 0, 2], [0, 1, 2]]
    """
    parts = [part for column in columns for part in integer_columns(column)]
    if len(parts) == 1 and len(parts[0]) < _ARGSORT_ROWS:
        order = np.argsort(parts[0], kind="stable")
        return order, run_start_mask(parts[0][order]).nonzero()[0]
    packed = _packed(parts)
    if packed is not None:
        keys, order = _sorted(packed[0])
        return order, run_start_mask(keys).nonzero()[0]
    order = _lexsorted(parts)
    new = run_start_mask(parts[0][order])
    for part in parts[1:]:
        new |= run_start_mask(part[order])
    return order, new.nonzero()[0]


def distinct_rows(*columns: Column) -> list[Any]:
    """Return each row of columns once, in the order of `group_rows`.

    >>> [each.tolist() for each in distinct_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))]
    [[1, 1, 2], [6, 7, 5]]
    """
    parts = [part for column in columns for part in integer_columns(column)]
    packed = _packed(parts)
    if packed is None or len(parts) > len(columns) or object in [part.dtype for part in parts]:
        order, starts = group_rows(*columns)
        return [column[order[starts]] for column in columns]
    keys, ranges = packed
    return _unpacked(_once(keys, prod(map(len, ranges))), parts, ranges)


def sum_weights(weights: Floats, *columns: Column) -> tuple[list[Any], Floats]:
    """Return each row of columns once, in the order of `group_rows`, and its weights added up.

    >>> columns, sums = sum_weights(np.array([0.5, 1, 2]), np.array([7, 5, 7]))
    >>> columns[0].tolist(), sums.tolist()
    ([5, 7], [1.0, 2.5])
    """
    parts = [part for column in columns for part in integer_columns(column)]
    packed = None if len(parts) > len(columns) else _packed(parts)
    if packed is not None:
        keys, ranges = packed
        end = prod(map(len, ranges))
        if end < _SUMS * len(keys):
            # No two rows that lie so close have to be sorted.
            once = _once(keys, end)
            sums = cast("Floats", np.bincount(keys, weights))
            return _unpacked(once, parts, ranges), sums[once]
    order, starts = group_rows(*columns)
    weights = weights[order]
    if len(starts):
        weights = np.add.reduceat(weights, starts)
    return [column[order[starts]] for column in columns], weights


def _unpacked(keys: Ints, parts: Sequence[Ints], ranges: Sequence[range]) -> list[Any]:
    """Return the columns of which keys were packed."""
    found: list[Ints] = []
    for part, values in zip(parts[::-1], ranges[::-1], strict=True):
        keys, at = np.divmod(keys, len(values))
        found.insert(0, at.astype(part.dtype) + values[0])
    return found


def _once(keys: Ints, end: int) -> Ints:
    """Return each of some keys below an end once, in ascending order."""
    if end < _FLAGS * len(keys):
        flags = np.zeros(end, bool)
        flags[keys] = True
        return flags.nonzero()[0]
    # Small keys are sorted sooner.
    keys = np.sort(keys.astype(np.int32) if end < 2**31 else keys)
    return keys[run_start_mask(keys)].astype(np.int64)


def _packed(parts: Sequence[Ints]) -> tuple[Ints, list[range]] | None:
    """Return one column of integers that is ordered as some columns together are, if it can be.

    With it come the values that each of the columns is within.
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


def _sorted(keys: Ints) -> tuple[Ints, Ints]:
    """Return keys from 0 in ascending order, and where each was."""
    places = len(keys).bit_length()
    if len(keys) and int(keys.max()).bit_length() + places > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # To sort numbers is quicker than to sort their places, so each takes its own with it.
    together = keys << places | np.arange(len(keys))
    together.sort()
    return together >> places, together & ((1 << places) - 1)


def _lexsorted(parts: Sequence[Ints]) -> Ints:
    """Return the order of rows by several columns, equal ones as they are."""
    *others, last = parts
    many = others and last.dtype == np.uint64 and len(last) > _FEW
    first = _packed(others) if many else None
    if first is None:
        return np.lexsort(parts[::-1])
    # One sort by as many bits as fit, each key with its place; few agree in these
    # and not in all, and are put in order after it.
    places = len(last).bit_length()
    bits = int(last.max()).bit_length()
    spare_bits = 62 - places - int(first[0].max()).bit_length()
    if spare_bits < places:
        return np.lexsort(parts[::-1])
    keys = first[0] << spare_bits | (last >> np.uint64(max(bits - spare_bits, 0))).astype(np.int64)
    keys, order = _sorted(keys)
    starts = run_start_mask(keys)
    mixed = run_start_mask(last[order]) & ~starts
    if mixed.any():
        runs = starts.cumsum()
        rows = np.isin(runs, runs[mixed]).nonzero()[0]
        some = order[rows]
        order[rows] = some[np.lexsort((last[some], runs[rows]))]
    return order


def run_start_mask(column: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the entries that differ from the one before, the first always."""
    mask = np.ones(len(column), bool)
    np.not_equal(column[1:], column[:-1], out=mask[1:])
    return mask


def whole_values(column: Column) -> tuple[Ints, Ints]:
    """Return (values, rows): the values that are whole, as ints, and where they are."""
    if not isinstance(column, Ratios):
        return column, np.arange(len(column))
    quotients = column.numerators // column.denominators
    rows = np.flatnonzero(quotients * column.denominators == column.numerators)
    return quotients[rows], rows


def exact_values(column: Column) -> list[Exact]:
    """Return a column as a list of ints, and of Fractions where they are not whole."""
    if not isinstance(column, Ratios):
        return list(column.tolist())
    pairs = zip(column.numerators.tolist(), column.denominators.tolist(), strict=True)
    return [a // b if a % b == 0 else Fraction(a, b) for a, b in pairs]
