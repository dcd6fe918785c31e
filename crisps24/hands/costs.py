"""What a step costs a person: the one table of the model, and the same on columns.

Costs are in bits: a step of one bit more is found half as often. They were fitted to people's
mean times on 1,000 hands of four cards (1 to 13) at 24, from the statistics of the 24 game at
4nums.com as kept in princeton-nlp/tree-of-thought-llm (MIT), and then rounded;
`tests/difficulty/fit.py` fits them again. No people were measured at other games: there the costs
are carried over. Owns the table and knows no operator by its name: what adds 0 or multiplies by 1
is seen from the arithmetic, so that an operator which somebody adds costs what can be said of any
(equal operands, a fraction, the size), a division where it divides, and nothing else.
"""

from functools import cache
from math import log2
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Floats, Ints, Ratios, equal_mask

Flags = npt.NDArray[np.uint8]
Mask = Any


class Cost(NamedTuple):
    """What one feature costs, in bits, and why; below zero for what is seen at once."""

    bits: float
    why: str


# The first six are features of a step, of which it may have several. Where an operand is
# neutral nothing else is counted; nor is anything for x - x and x : x but that they are equal,
# nor for a product with 0 or a quotient of it. The size is counted for all of them. Who changes
# what is here raises `COSTS_VERSION`, and `draws.VERSION`.
COSTS = {
    "neutral": Cost(-2, "x 1, : 1, + 0, - 0: nothing has to be worked out"),
    "one": Cost(-2, "1 is added or taken: a number becomes the next one"),
    "equal": Cost(-1, "two equal operands are seen together"),
    "division": Cost(1, "a division, which people try last"),
    "carry": Cost(0.5, "a sum of whole numbers that carries in the units"),
    "fraction": Cost(1.5, "an operand or the result is not whole"),
    # Times log2(1 + v), for each result v on the way, the last one left out.
    "size": Cost(0.5, "a result on the way has to be kept in mind"),
}
# Bits that were told by other costs are no bits of these.
COSTS_VERSION = 2

STEP_FEATURES = tuple(COSTS)[:6]
_FLAG = {name: np.uint8(1 << place) for place, name in enumerate(STEP_FEATURES)}


def _bits_by_flags() -> Floats:
    """Return the bits of every set of features, the size left out."""
    flags = np.arange(1 << len(STEP_FEATURES))
    return sum(
        (COSTS[name].bits * (flags & _FLAG[name] != 0) for name in STEP_FEATURES), np.zeros(1)
    )


_BITS = _bits_by_flags()
_WEIGHTS = np.exp2(-_BITS)


def step_bits(
    operator: Operator, left: Column, right: Column, result: Column, last: bool = False
) -> Floats:
    """Return what steps by one operator cost in bits, a column; `last` where they end a route.

    >>> from crisps24.rules.operators import OPERATORS
    >>> step_bits(OPERATORS["x"], np.array([3, 6, 6]), np.array([8, 4, 1]), np.array([24, 24, 6]),
    ...     last=True).tolist()
    [0.0, 0.0, -2.0]
    """
    bits = _BITS[step_features(operator, left, right, result)]
    return bits if last or operator.joins else bits + size_bits(result)


def step_weights(flags: Flags) -> Floats:
    """Return 2 to the minus bits of steps by their features, the size left out."""
    return _WEIGHTS[flags]


def size_bits(results: Column) -> Floats:
    """Return what it costs to keep results on the way in mind."""
    return COSTS["size"].bits * log2_size(results)


def log2_size(values: Column) -> Floats:
    """Return log2(1 + v) of values.

    >>> log2_size(np.array([0, 3, 7])).tolist()
    [0.0, 2.0, 3.0]
    """
    if isinstance(values, Ratios):
        return _log2(values.numerators + values.denominators) - _log2(values.denominators)
    return _log2(1 + values)


def _log2(column: Ints) -> Floats:
    # Python's own integers may be larger than any float.
    wide = column.dtype == object
    return np.array(list(map(log2, column))) if wide else np.log2(column.astype(float))


def step_features(
    operator: Operator,
    left: Column,
    right: Column,
    result: Column,
    kinds: tuple[Flags, Flags] | None = None,
) -> Flags:
    """Return the features of steps by one operator, a column of flags in the order of `COSTS`.

    Fractions are in lowest terms; `kinds` are those of left and right, where they are known. What
    joins digits is no step, and has none.
    """
    if operator.joins:
        return np.zeros(len(result), np.uint8)
    one, other = kinds or (operand_kinds(left), operand_kinds(right))
    flags: Flags = _of_kinds(operator)[one * _KINDS + other]
    alike = equal_mask(left, right)
    more = np.zeros(len(result), np.uint8)
    if operator.commutes:
        _mark(more, "equal", alike)
        if neutral_element(operator) == 0:
            wholes = (one < _FRACTION) & (other < _FRACTION)
            _mark(more, "carry", wholes & _carries(left, right))
    if isinstance(result, Ratios):
        _mark(more, "fraction", result.denominators != 1)
    counted = flags < _ALONE
    flags |= more * counted
    if not operator.commutes:
        flags[alike & counted] = _FLAG["equal"]
    return flags & ~_ALONE


# What can be said of an operand by itself: it is 0, 1, another whole number or a fraction.
_OTHER, _FRACTION, _KINDS = 2, 3, 4
# A feature beside which no other is counted; it is none itself.
_ALONE = np.uint8(1 << len(STEP_FEATURES))


def operand_kinds(column: Column) -> Flags:
    """Return of what kind values are, as `step_features` takes them; fractions in lowest terms.

    >>> operand_kinds(np.array([0, 1, 2, 3, 24])).tolist()
    [0, 1, 2, 2, 2]
    """
    values = _numerators(column)
    kinds = np.where((values >= 0) & (values < _OTHER), values, _OTHER).astype(np.uint8)
    if isinstance(column, Ratios):
        kinds[column.denominators != 1] = _FRACTION
    return kinds


@cache
def _of_kinds(operator: Operator) -> Flags:
    """Return the features of steps by what their operands are, each by itself."""
    kinds = range(_KINDS)
    return np.array([_flags_of(operator, a, b) for a in kinds for b in kinds], np.uint8)


def _flags_of(operator: Operator, left: int, right: int) -> int:
    """Return the features of a step on operands of two kinds."""
    neutral = neutral_element(operator)
    either = {left, right} if operator.commutes else {right}
    if neutral in either:
        return int(_FLAG["neutral"] | _ALONE)
    if neutral == 1 and 0 in (left, right):
        return int(_ALONE)
    features = {
        "one": neutral == 0 and 1 in either,
        "division": operator.divides,
        "fraction": _FRACTION in (left, right),
    }
    return sum(int(_FLAG[name]) for name, has in features.items() if has)


def _mark(flags: Flags, name: str, where: Mask) -> None:
    flags |= _FLAG[name] * where


def _carries(left: Column, right: Column) -> Mask:
    """Return which sums of whole numbers carry in the units."""
    return _numerators(left) % 10 + _numerators(right) % 10 >= 10


def _numerators(column: Column) -> Ints:
    """Return the values themselves where they are whole."""
    return column.numerators if isinstance(column, Ratios) else column


@cache
def neutral_element(operator: Operator) -> int | None:
    """Return the number that leaves what it is added to, or what it multiplies, as it is.

    >>> from crisps24.rules.operators import OPERATORS
    >>> {sign: neutral_element(operator) for sign, operator in OPERATORS.items()}
    {'-': 0, '+': 0, 'x': 1, ':': 1, '|': None}
    """
    for number in (0, 1):
        if not (operator.divides and number == 0) and all(
            operator.arithmetic(other, number) == other for other in (2, 3, 5, 7)
        ):
            return number
    return None
