"""Points of a round: what an answer earns, by its distance from the target and its operators.

Countdown gives 10, 7 or 5 points for an answer at most 0, 5 or 10 away from the target. Mathador
gives points for each operator of an exact answer, and 6 more if the formula uses all numbers and
each operator once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from crisps24.messages.message import Message, message
from crisps24.rules.exact import Exact
from crisps24.rules.operators import AnyGame

# Numbers of a hand whose solutions are ordered by points: formulas of 6 numbers have 126 different
# multisets of operators, those of 7 have 210.
_MAX_SCORED_NUMBERS = 6


class Points(NamedTuple):
    """The points of a game."""

    by_distance: tuple[tuple[int, int], ...]
    """Pairs of a distance from the target and the points up to it, ascending."""
    by_operator: tuple[tuple[str, int], ...] = ()
    """Pairs of an operator and the points for each use of it."""
    bonus: int = 0
    """More points for a formula with all numbers, and with each of these operators once."""
    sentence: Message | str = ""
    """What players are told about the points of operators."""

    def of(self, distance: Exact, operators: Sequence[str] = (), *, uses_all: bool = False) -> int:
        """Return the points of an answer; 0 if it is too far from the target.

        >>> DISTANCE_POINTS.of(3), MATHADOR_POINTS.of(0, "-+", uses_all=False)
        (7, 3)
        >>> MATHADOR_POINTS.of(0, ":+-x", uses_all=True), MATHADOR_POINTS.of(0, ":+-x")
        (13, 7)
        >>> MATHADOR_POINTS.of(1, ":+-x", uses_all=True)
        0
        """
        earned = next((points for most, points in self.by_distance if distance <= most), None)
        if earned is None:
            return 0
        points_of = dict(self.by_operator)
        earned += sum(points_of.get(name, 0) for name in operators)
        is_complete = uses_all and sorted(operators) == sorted(points_of)
        return earned + self.bonus * is_complete


def scores_operators(game: AnyGame, count: int) -> bool:
    """Return whether a game gives points for the operators of formulas of `count` numbers."""
    return game.operator_points is not None and count <= _MAX_SCORED_NUMBERS


# The points of the television game.
DISTANCE_POINTS = Points(((0, 10), (5, 7), (10, 5)))
MATHADOR_POINTS = Points(
    ((0, 0),),
    (("+", 1), ("x", 1), ("-", 2), (":", 3)),
    6,
    message("player.points_by_operator"),
)
