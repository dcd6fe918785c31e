"""Levels: which results may stand on the left and on the right of an operator.

What a sub-hand makes is told apart by the operator of its last step: level 0 are the numbers as
they are dealt, and each further level the results of operators of one precedence, the tightest
first; digits that are joined are the first of these. Owns what may stand where, with parentheses
and without, for `pools` and `reach` alike: the normal form is written here and nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from crisps24.rules.games import Game
from crisps24.rules.operators import Operator, regroups


@dataclass(frozen=True, slots=True)
class Level:
    """The results whose last step is by one of some operators of one precedence."""

    operators: tuple[Operator, ...]
    """Which operators; none for the numbers dealt."""
    lefts: range
    """The levels that may stand on the left of them."""
    rights: tuple[range, ...]
    """The levels that may stand on the right of them, in runs."""
    swaps: bool
    """Whether a commuting operator makes nothing more where its operands change places, or
    nothing that others of the level do not make."""


def levels_for(game: Game, in_order: bool = False) -> tuple[Level, ...]:
    """Return the levels of the results of a game, from the numbers dealt upwards.

    With parentheses anything may stand anywhere. But where terms may change places, nothing of
    its own level has to stand on the right of an operator: a - (b - c) is a + c - b and
    a : (b : c) is a x c : b, which are legal where the first are; brute force agrees in the
    tests. Without parentheses what stands on the left binds at least as tightly as the operator,
    and what stands on the right binds tighter.

    >>> from crisps24 import GAMES
    >>> [list(level.rights) for level in levels_for(GAMES["digits"])]
    [[], [range(0, 1), range(2, 3)], [range(0, 2)]]
    >>> [list(level.rights) for level in levels_for(GAMES["crisps"])]
    [[], [range(0, 1)], [range(0, 2)]]
    """
    every = range(len(game.levels) + 1)
    levels = [Level((), range(0), (), False)]
    for own, operators in enumerate(game.levels, 1):
        moves = _moves(operators, game, in_order)
        if not game.parentheses or operators[0].joins:
            # A number is written from left to right; nothing in parentheses is a digit.
            level = Level(operators, range(own + 1), (range(own),), moves)
        elif moves:
            rights = tuple(run for run in (every[:own], every[own + 1 :]) if run)
            level = Level(operators, every, rights, swaps=True)
        else:
            level = Level(operators, every, (every,), swaps=not in_order)
        levels.append(level)
    return tuple(levels)


def _moves(operators: Sequence[Operator], game: Game, in_order: bool) -> bool:
    """Return whether the terms that operators of one level chain may be put in another order.

    Not where the numbers keep theirs, nor where an operator lacks its inverse, nor where a rule
    of the game says otherwise.
    """
    return not in_order and regroups(operators) and game.moves
