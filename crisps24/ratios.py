"""Columns of exact fractions, so that the one evaluator works on them as on columns of ints.

Owns fractions as pairs of integer columns; knows no game. Whoever makes a column sees to it that
its integers hold what comes of them: 64 bits, or Python's own integers (`object`).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.games import Exact, simplest

Ints = npt.NDArray[Any]


class Ratios:
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

    def __add__(self, other: "Ratios | Ints") -> "Ratios":
        a, b, c, d = *self._pair(), *_pair(other)
        return Ratios(a * d + c * b, b * d)

    def __sub__(self, other: "Ratios") -> "Ratios":
        a, b, c, d = *self._pair(), *other._pair()
        return Ratios(a * d - c * b, b * d)

    def __mul__(self, other: "Ratios") -> "Ratios":
        a, b, c, d = *self._pair(), *other._pair()
        return Ratios(a * c, b * d)

    def __truediv__(self, other: "Ratios") -> "Ratios":
        a, b, c, d = *self._pair(), *other._pair()
        below = b * c
        return Ratios(np.where(below < 0, -(a * d), a * d), abs(below))

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

    def _pair(self) -> tuple[Ints, Ints]:
        return self.numerators, self.denominators

    def _wide(self, *others: Any) -> tuple[Ints, Ints]:
        """Return the pair as integers that hold their products with the others."""
        widest = max((_widest(part) for part in self._pair()), default=1)
        if widest * max(map(_widest, others)) < 2**62:
            return self._pair()
        return self.numerators.astype(object), self.denominators.astype(object)

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


def _widest(part: Any) -> int:
    if isinstance(part, int):
        return abs(part)
    return max(int(part.max()), -int(part.min())) if len(part) else 1


def column_of(numbers: Sequence[int], fractions: bool, dtype: Any) -> Column:
    """Return whole numbers as a column of ints, or of fractions."""
    ints = np.array(numbers, dtype)
    return Ratios(ints, np.ones_like(ints)) if fractions else ints


def joined(columns: Sequence[Column]) -> Column:
    """Return columns of one kind one after the other."""
    if not isinstance(columns[0], Ratios):
        return np.concatenate([column for column in columns if not isinstance(column, Ratios)])
    pairs = [column._pair() for column in columns if isinstance(column, Ratios)]
    return Ratios(*(np.concatenate(parts) for parts in zip(*pairs, strict=True)))


def reduced(column: Column) -> Column:
    """Return a column with its fractions in lowest terms, ints as they are."""
    return column.reduced() if isinstance(column, Ratios) else column


def exact_values(column: Column) -> list[Exact]:
    """Return a column as a list of ints, and of Fractions where they are not whole."""
    if not isinstance(column, Ratios):
        return list(column.tolist())
    pairs = zip(column.numerators.tolist(), column.denominators.tolist(), strict=True)
    return [simplest(Fraction(*pair)) for pair in pairs]
