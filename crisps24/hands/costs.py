"""The cost of a step for people: a table of features, and functions that apply it to columns.

Costs are in bits: people find a step half as often if it has one more bit. So the weight of a
step is 2 to the minus bits. In 8 / (3 - 8 / 3), the steps 8 / 3 = 8/3 and
3 - 8/3 = 1/3 cost 1 + 1.5 and 1.5 bits, and for the size of their results
0.5 log2(1 + 8/3) and 0.5 log2(1 + 1/3); the last step, 8 : 1/3, costs 1 + 1.5.

The costs were fitted to people's mean times on 1,000 hands of four cards (1 to 13) with target
24, from the statistics of the 24 game at 4nums.com as kept in princeton-nlp/tree-of-thought-llm
(MIT), and then rounded; `tests/difficulty/fit.py` repeats the fit. For other games no times
were measured: they use the same costs.

No operator is named here. Features are derived from the arithmetic, such as the number that
leaves another unchanged (0 or 1). So a new operator only has the features of any operator: equal
operands, a fraction, the size, and a division if its record says so. All functions take time
proportional to the number of rows.
"""

from functools import cache
from math import log2
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Column, Floats, Ints, Ratios, equal_mask
from crisps24.rules.widths import int_range

Flags = npt.NDArray[np.uint8]


class Cost(NamedTuple):
    """The cost of one feature in bits, and the reason; below zero if people see it at once."""

    bits: float
    reason: str


# All but the last are features of a step, which can have several. A neutral operand excludes
# all other features; x - x and x : x are only "equal"; a product with 0, and 0 divided, have
# none. The size of its result is added to each step except the last. If you change a cost,
# increase `COSTS_VERSION` and `draws.VERSION`.
COSTS = {
    "neutral": Cost(-2, "x 1, : 1, + 0, - 0: nothing to compute"),
    "one": Cost(-2, "1 is added or subtracted: a number becomes its neighbour"),
    "equal": Cost(-1, "two equal operands are seen together"),
    "division": Cost(1, "people try a division last"),
    "carry": Cost(0.5, "a sum of whole numbers that carries in the units"),
    "fraction": Cost(1.5, "an operand or the result is not whole"),
    # Multiplied by log2(1 + v) for each intermediate result v.
    "size": Cost(0.5, "an intermediate result has to be kept in mind"),
}
# Bits computed with different versions cannot be compared.
COSTS_VERSION = 2

STEP_FEATURES = tuple(COSTS)[:6]
_FLAGS = {name: np.uint8(1 << bit) for bit, name in enumerate(STEP_FEATURES)}


_ALL_FLAGS = int_range(1 << len(STEP_FEATURES))
# The bits of each set of features: entry i is for the set whose flags are i.
_BITS: Floats = sum(
    (COSTS[name].bits * (_ALL_FLAGS & flag != 0) for name, flag in _FLAGS.items()), np.zeros(1)
)
_WEIGHTS = np.exp2(-_BITS)


def step_bits(
    operator: Operator, left: Column, right: Column, result: Column, last: bool = False
) -> Floats:
    """Return how difficult steps by one operator, not below zero, are for people, in bits."""
    bits = _BITS[step_features(operator, left, right, result)]
    # Steps other than the last also cost the size of their result.
    return bits if last or operator.joins else bits + size_bits(result)


def step_weights(flags: Flags) -> Floats:
    return _WEIGHTS[flags]


def size_bits(results: Column) -> Floats:
    """Return the cost of the size of each intermediate result in bits; none can be below zero."""
    return COSTS["size"].bits * log2_size(results)


def log2_size(values: Column) -> Floats:
    """Return log2(1 + v) of each value v, which must be above -1."""
    if isinstance(values, Ratios):
        return _log2(values.numerators + values.denominators) - _log2(values.denominators)
    return _log2(1 + values)


def _log2(column: Ints) -> Floats:
    if column.dtype == object:
        # Python's own integers can be larger than any float.
        return np.array(list(map(log2, column)), float)
    logarithms: Floats = np.log2(column.astype(float))
    return logarithms


def step_features(
    operator: Operator,
    left: Column,
    right: Column,
    result: Column,
    kinds: tuple[Flags, Flags] | None = None,
) -> Flags:
    """Return the features of each step, as flags; fractions are in lowest terms.

    8 + 4 carries (flag 16), 1 + 3 has an operand 1 (flag 2), 3 + 3 has equal operands (flag 4).
    """
    if operator.joins:
        return np.zeros(len(result), np.uint8)
    left_kinds, right_kinds = kinds or (operand_kinds(left), operand_kinds(right))
    flags: Flags = _flags_by_kinds(operator)[left_kinds * _KIND_COUNT + right_kinds]
    is_equal = equal_mask(left, right)
    more_flags = np.zeros(len(result), np.uint8)
    if operator.commutes:
        more_flags |= _FLAGS["equal"] * is_equal
        if neutral_element(operator) == 0:
            is_whole = (left_kinds < _FRACTION) & (right_kinds < _FRACTION)
            carries = _numerators(left) % 10 + _numerators(right) % 10 >= 10
            more_flags |= _FLAGS["carry"] * (is_whole & carries)
    if isinstance(result, Ratios):
        more_flags |= _FLAGS["fraction"] * (result.denominators != 1)
    # Steps such as 3 x 1 and 3 x 0 have no further features.
    allows_more = flags < _NO_MORE
    flags |= more_flags * allows_more
    if not operator.commutes:
        # The steps x - x and x : x have this feature only.
        flags[is_equal & allows_more] = _FLAGS["equal"]
    return flags & ~_NO_MORE


# Kinds of operands: 0, 1, another whole number, or a fraction.
_OTHER, _FRACTION, _KIND_COUNT = 2, 3, 4
# A flag that excludes further features.
_NO_MORE = np.uint8(1 << len(STEP_FEATURES))


def operand_kinds(column: Column) -> Flags:
    """Return the kind of each value: 0, 1, 2 (any other integer) or 3 (a fraction)."""
    integers = _numerators(column)
    is_own_kind = (integers >= 0) & (integers < _OTHER)
    kinds = np.where(is_own_kind, integers, _OTHER).astype(np.uint8)
    if isinstance(column, Ratios):
        kinds[column.denominators != 1] = _FRACTION
    return kinds


# Without this cache and that of `neutral_element`, a hand of four takes 1.5 times as long.
@cache
def _flags_by_kinds(operator: Operator) -> Flags:
    """Return the flags of all pairs of kinds: that of (left, right) at 4 x left + right."""
    kinds = range(_KIND_COUNT)
    return np.array(
        [_flags_of(operator, left, right) for left in kinds for right in kinds], np.uint8
    )


def _flags_of(operator: Operator, left_kind: int, right_kind: int) -> int:
    """Return the flags of the features that follow from the kinds of the two operands."""
    neutral = neutral_element(operator)
    # The numbers 0 and 1 are their own kinds. On the left of - or :, they are not special.
    special_kinds = {left_kind, right_kind} if operator.commutes else {right_kind}
    if neutral in special_kinds:
        return int(_FLAGS["neutral"] | _NO_MORE)
    if neutral == 1 and 0 in (left_kind, right_kind):
        return int(_NO_MORE)
    has_feature = {
        "one": neutral == 0 and 1 in special_kinds,
        "division": operator.divides,
        "fraction": _FRACTION in (left_kind, right_kind),
    }
    return sum(int(_FLAGS[name]) for name, present in has_feature.items() if present)


def _numerators(column: Column) -> Ints:
    return column.numerators if isinstance(column, Ratios) else column


@cache
def neutral_element(operator: Operator) -> int | None:
    """Return the right operand, 0 or 1, that leaves any left operand unchanged; None for none."""
    for number in (0, 1):
        if not (operator.divides and number == 0) and all(
            operator.arithmetic(left, number) == left for left in (2, 3, 5, 7)
        ):
            return number
    return None
