"""Equations as data: number of characters, kinds of sides, and the game of their rules.

They have no parentheses: precedence decides, and each step obeys the rules of the game.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.rules.games import FREE_GAME, GROUPINGS, Game, find_game
from crisps24.rules.operators import Operator

# Between the two sides; and for a character, or a sign, that is not known.
EQUALS = "="
GAP = "_"
DIGITS = "0123456789"
# What may stand on a side, by name: numbers alone, formulas of one operator and more, or either.
NUMBER, FORMULA = "number", "formula"
SIDE_KINDS = {NUMBER: (NUMBER,), FORMULA: (FORMULA,), "either": (NUMBER, FORMULA)}
# What equations are called where games are, to be found.
EQUATION = "equation"
# The rules of a game that steps of an equation obey.
STEP_RULE_FIELDS = ("operators", "fractions", "negatives", "zero", "most")
# Characters: a formula has three at least, and there is another side; of ten there are up to 25
# million, and with leading zeros half as many again.
MIN_CHARACTERS, MAX_CHARACTERS = 5, 10
# Pairs of a guess and an equation that a search for the best guess compares: one to two seconds.
MAX_GUESS_PAIRS = 50_000_000


@dataclass(frozen=True, slots=True)
class Equation:
    """The rules for the equations of a daily puzzle.

    Without arguments it is the daily puzzle of eight characters: operators on the left alone, a
    number on the right, which may be 0.

    >>> Equation(length=6).sides, Equation(game="crisps").game.fractions
    ([('formula', 'number')], False)

    Raises ValueError, in one sentence, for fields that make no equation.
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
            raise KindError(f"{quoted(self.length)} is no length of equations: a whole number is")
        longest = MAX_CHARACTERS - self.leading_zeros
        if not MIN_CHARACTERS <= self.length <= longest:
            why = ": of more there are too many to be held" if self.length > longest else ""
            zeros = " where numbers may begin with 0" if self.leading_zeros else ""
            raise RefusedError(
                f"equations have {MIN_CHARACTERS} to {longest} characters{zeros}, "
                f"not {quoted(self.length)}{why}"
            )
        for side in (self.left, self.right):
            if not isinstance(side, str) or side not in SIDE_KINDS:
                raise RefusedError(
                    f"there is no side {quoted(side)}; there are {', '.join(SIDE_KINDS)}"
                )
        if not self.sides:
            raise RefusedError("an equation has an operator: one side has to be no number alone")
        object.__setattr__(self, "game", _played(find_game(self.game)))

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The allowed pairs of kinds of left and right side."""
        pairs = [
            (left, right) for left in SIDE_KINDS[self.left] for right in SIDE_KINDS[self.right]
        ]
        return [pair for pair in pairs if pair != (NUMBER, NUMBER)]

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators, in the order of results files."""
        return self.game.row_operators

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of an equation in order: digits, names of operators, and `=`."""
        return (*DIGITS, *(operator.name for operator in self.operators), EQUALS)


def _played(game: Game) -> Game:
    """Return the rules of a game for numbers of any digits, joined as numbers are."""
    if game.grouping != GROUPINGS[0]:
        raise RefusedError(f"{game.name} groups in a way of its own: it has no equations")
    digits = tuple(map(int, DIGITS))
    changes: dict[str, Any] = {"parentheses": False, "join": False, "letters": (), "target": None}
    played = replace(game, numbers=digits, length=1, repeats=True, all_numbers=True, **changes)
    for operator in played.row_operators:
        if not operator.inverse or operator.max_growth != 1:
            told = "is undone by no other, so that equations cannot be found"
            raise RefusedError(f"{operator.name} {told}")
    return played


def symbol_spellings(equation: Equation) -> Iterator[tuple[str, str]]:
    """Yield each character that may be typed, with the symbol that it stands for.

    >>> dict(symbol_spellings(Equation()))["*"]
    'x'
    """
    yield from ((digit, digit) for digit in (*DIGITS, EQUALS))
    for operator in equation.operators:
        for spelling in operator.spellings:
            if len(spelling) == 1:
                yield spelling, operator.name
