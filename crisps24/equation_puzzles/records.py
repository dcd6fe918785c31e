"""The rules of equations as records: number of characters, kinds of sides, and a game.

Equations have no parentheses: operators group by precedence, and each step obeys the rules of the
game. The daily puzzle has equations such as 48-32=16: 8 characters, operators only on the left.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.rules.games import FREE_GAME, Game, find_game
from crisps24.rules.machines import EQUATIONS
from crisps24.rules.operators import Operator

EQUALS = "="
# An unknown character, or a missing sign.
GAP = "_"
DIGITS = "0123456789"
# The kinds of a side: a single number, or a formula with at least one operator.
NUMBER = "number"
FORMULA = "formula"
# The kinds that each setting of a side allows.
SIDE_KINDS = {NUMBER: (NUMBER,), FORMULA: (FORMULA,), "either": (NUMBER, FORMULA)}
# The name of the guessing game, where the name of a game is expected.
EQUATION = "equation"
# The fields of a game that its equations use.
STEP_RULE_FIELDS = ("operators", "fractions", "negatives", "zero", "most")
# A formula has at least 3 characters, and = and another side follow. With 10 characters there are
# up to 25 million equations; with leading zeros half as many more, so that 9 are the limit.
MIN_CHARACTERS = 5
MAX_CHARACTERS = 10
# Pairs of a guess and an equation that a search for the best guess compares: one to two seconds.
MAX_GUESS_PAIRS = 50_000_000


@dataclass(frozen=True, slots=True)
class Equation:
    """The rules for the equations of a daily puzzle.

    The default is the daily puzzle of 8 characters: operators only on the left, and on the right
    a number, which can be 0. Raises KindError for a length that is not an int, and RefusedError
    for other invalid fields, and for a game that does not group by precedence or has an operator
    without an inverse.

    >>> Equation(length=6).sides, Equation(game="crisps").game.fractions
    ([('formula', 'number')], False)
    """

    length: int = 8
    """How many characters an equation has, `=` included."""
    left: str = FORMULA
    """The left side: `number`, `formula` (at least one operator) or `either`."""
    right: str = NUMBER
    """The right side, like `left`; both sides cannot be `number`."""
    lone_zeros: bool = False
    """Whether a number of a formula can be 0; a whole side always can."""
    leading_zeros: bool = False
    """Whether a number of several digits can start with 0."""
    game: Game = FREE_GAME
    """The game whose rules every step obeys: operators, fractions, negative numbers."""

    def __post_init__(self) -> None:
        if type(self.length) is not int:
            raise KindError(f"invalid length {quoted(self.length)} (expected a whole number)")
        longest = MAX_CHARACTERS - self.leading_zeros
        if not MIN_CHARACTERS <= self.length <= longest:
            reason = ": there are too many longer ones" if self.length > longest else ""
            zeros = " if numbers can start with 0" if self.leading_zeros else ""
            raise RefusedError(
                f"equations have {MIN_CHARACTERS} to {longest} characters{zeros}, "
                f"not {quoted(self.length)}{reason}"
            )
        for side in (self.left, self.right):
            if not isinstance(side, str) or side not in SIDE_KINDS:
                kinds = ", ".join(SIDE_KINDS)
                raise RefusedError(f"invalid side {quoted(side)} (expected one of: {kinds})")
        if not self.sides:
            raise RefusedError("an equation needs an operator: not both sides can be number")
        object.__setattr__(self, "game", _equation_game(find_game(self.game)))

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The allowed pairs of kinds of left and right side."""
        pairs = product(SIDE_KINDS[self.left], SIDE_KINDS[self.right])
        return [pair for pair in pairs if pair != (NUMBER, NUMBER)]

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators, in the order of results files."""
        return self.game.row_operators

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of an equation in order: digits, names of operators, and `=`."""
        return (*DIGITS, *(operator.name for operator in self.operators), EQUALS)


def _equation_game(game: Game) -> Game:
    """Return a game with the same operators and rules whose formulas can be sides of equations."""
    EQUATIONS.check(game)
    digits = tuple(map(int, DIGITS))
    changes: dict[str, Any] = {"parentheses": False, "join": False, "letters": (), "target": None}
    changes |= {"numbers": digits, "length": 1, "repeats": True, "all_numbers": True, "dice": ()}
    game = replace(game, **changes)
    for operator in game.row_operators:
        if not operator.inverse or operator.max_growth != 1:
            raise RefusedError(f"equations cannot use {operator.name}: it has no inverse operator")
    return game


def symbol_spellings(equation: Equation) -> Iterator[tuple[str, str]]:
    """Yield (character, symbol) for each character that a player can type: `*` is x."""
    yield from ((digit, digit) for digit in (*DIGITS, EQUALS))
    for operator in equation.operators:
        for spelling in operator.spellings:
            if len(spelling) == 1:
                yield spelling, operator.name
