"""What might be a cost beside those that are shipped: features of steps and of hands.

They were thought of with the timed hands in view, so that what one gains is told by nested
cross-validation alone, and by hands that nobody has looked at; `fit` offers them there.
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
    """Return which sums carry in the units."""
    over: Mask = left.numerators % 10 + right.numerators % 10 >= 10
    return over & _whole(left, right)


def _whole(left: Ratios, right: Ratios) -> Mask:
    """Return where both operands are whole, and not 0."""
    found: Mask = (left.numerators != 0) & (right.numerators != 0)
    for each in (left, right):
        found &= each.denominators == 1
    return found


def _is_sum(operator: Operator) -> bool:
    return operator.commutes and neutral_element(operator) == 0


def _doubles(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    if neutral_element(operator) == 1:
        return np.asarray((right == 2) | (operator.commutes & (left == 2)))
    return np.asarray(_is_sum(operator) & (left == right) & (left != 0))


def _is_just_over_a_card(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    made = left.numerators + right.numerators
    over = (made > _HIGHEST_CARD) & (made < 20)
    return _is_sum(operator) & over & _whole(left, right) & ~carries(left, right)


def _carries(operator: Operator, left: Ratios, right: Ratios) -> Mask:
    return _is_sum(operator) & carries(left, right)


# Of a step, and whether it has it on the way, at the end, or anywhere.
OF_STEPS: dict[str, tuple[Callable[[Operator, Ratios, Ratios], Mask], tuple[bool, ...]]] = {
    # x + x, x times 2 or x : 2.
    "double": (_doubles, (False, True)),
    # A sum on the way that does not carry, and is more than any card.
    "14 to 19": (_is_just_over_a_card, (False,)),
    # Below zero it takes the carry away where the target is known: it counts on the way alone.
    "carry at the end": (_carries, (True,)),
}
# Of the numbers dealt.
OF_HANDS: dict[str, Callable[[Ints], Ints]] = {
    # Numbers above 1 that go into half the target: they tempt to multiply.
    "lure": lambda dealt: ((dealt > 1) & (TARGET % (2 * dealt) == 0)).sum(axis=1),
    "sum of the hand": lambda dealt: dealt.sum(axis=1),
}
