"""What a solution comes down to when the steps are left out in which nothing is worked out.

These are the steps by an operand that leaves the other as it is: by 1 in products and quotients,
by 0 in sums and differences, dealt or made. What remains without them, and what they took, are
compared as functions: where both are the same, two solutions are one idea. Owns this; which
number is neutral for an operator `costs` says.
"""

from typing import NamedTuple

from crisps24.hands.costs import neutral_of
from crisps24.hands.fingerprints import Residue, stand_in
from crisps24.notation.evaluation import exact_value
from crisps24.notation.trees import Expression, Operation
from crisps24.rules.games import Game
from crisps24.rules.operators import Operator, Value


class Essence(NamedTuple):
    """An expression without the steps in which nothing is worked out."""

    value: Value
    remains: Residue
    """What remains of it."""
    taken: tuple[int, ...]
    """What these steps took, as fingerprints in ascending order."""

    @property
    def idea(self) -> tuple[int, ...]:
        """What two solutions have in common that come down to the same."""
        return self.remains.number, *self.taken


class Essences:
    """The essences of expressions of one game; what they have in common is looked at once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        # By identity, since expressions are compared by how they are written. Each is kept, so
        # that no other takes its place.
        self._known: dict[int, tuple[Expression, Essence]] = {}

    def of(self, expression: Expression) -> Essence:
        """Return the essence of an expression that is legal."""
        if not isinstance(expression, Operation):
            number = expression.value
            return Essence(exact_value(number, self.game), Residue(stand_in(number)), ())
        left, right = self._part(expression.left), self._part(expression.right)
        return self._joined(expression.operator, left, right)

    def _part(self, expression: Expression) -> Essence:
        known = self._known.get(id(expression))
        if known is None:
            known = expression, self.of(expression)
            self._known[id(expression)] = known
        return known[1]

    def _joined(self, operator: Operator, left: Essence, right: Essence) -> Essence:
        value = operator.arithmetic(left.value, right.value)
        if operator.joins:
            # A joined number is a number of its own.
            return Essence(value, Residue(stand_in(int(value))), ())
        neutral = neutral_of(operator)
        taken = left.taken + right.taken
        if right.value == neutral:
            return _taking(left, right, value, taken)
        if left.value == neutral and operator.commutes:
            return _taking(right, left, value, taken)
        remains: Residue = operator.arithmetic(left.remains, right.remains)
        return Essence(value, remains, tuple(sorted(taken)))


def _taking(one: Essence, other: Essence, value: Value, taken: tuple[int, ...]) -> Essence:
    return Essence(value, one.remains, tuple(sorted((*taken, other.remains.number))))
