"""Features of steps and of hands that are candidates for further costs.

They were invented with the timed hands in view. So only nested cross-validation, and hands outside
the file, can measure a gain; `fit` does the former.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from crisps24.hands.costs import neutral_element
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import Ints, Ratios

Mask = npt.NDArray[np.bool_]
TARGET = 24
_HIGHEST_CARD = 13


def carries(left: Ratios, right: Ratios) -> Mask:
    """Return a mask of the operands whose last digits add up to 10 or more."""
    over: Mask = left.numerators % 10 + right.numerators % 10 >= 10
    return over & _are_nonzero_integers(left, right)


def _are_nonzero_integers(left: Ratios, right: Ratios) -> Mask:
    mask: Mask = (left.numerators != 0) & (right.numerators != 0)
    for operand in (left, right):
        mask &= operand.denominators == 1
    return mask


def _is_sum(operator: Operator) -> bool:
    return operator.commutes and neutral_element(operator) == 0


def _doubles(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    if neutral_element(operator) == 1:
        return np.asarray((right == 2) | (operator.commutes & (left == 2)))
    return np.asarray(_is_sum(operator) & (left == right) & (left != 0))


def _is_just_over_a_card(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    sums = left.numerators + right.numerators
    over = (sums > _HIGHEST_CARD) & (sums < 20)
    return _is_sum(operator) & over & _are_nonzero_integers(left, right) & ~carries(left, right)


def _carries(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    return _is_sum(operator) & carries(left, right)


# Features of a step: a function, and the values of "is the last step" for which it counts.
STEP_CANDIDATES: dict[str, tuple[Callable[[Operator, Ratios, Ratios], Mask], tuple[bool, ...]]] = {
    # x + x, x times 2 or x : 2.
    "double": (_doubles, (False, True)),
    # A sum before the last step that does not carry and is larger than any card.
    "14 to 19": (_is_just_over_a_card, (False,)),
    # A negative cost cancels the carry of the last step: its result, the target, is known.
    "carry at the end": (_carries, (True,)),
}
# Features of the numbers dealt.
HAND_CANDIDATES: dict[str, Callable[[Ints], Ints]] = {
    # The count of numbers above 1 that divide half the target: they tempt people to multiply.
    "lure": lambda dealt: ((dealt > 1) & (TARGET % (2 * dealt) == 0)).sum(axis=1),
    "sum of the hand": lambda dealt: dealt.sum(axis=1),
}
