"""Which games a machine can do: a table of the searches and lists that cannot do every game.

A *machine* refuses a game with the first of its obstacles, in one sentence. An *obstacle* is in
words, such as the name of an operator; "" means that there is none. To let a machine do more games,
change its row. What the offline player can do is in `player.records`.
"""

from collections.abc import Callable
from typing import NamedTuple

from crisps24.errors import RefusedError
from crisps24.messages.message import Message, message
from crisps24.rules.exact import has_fractions
from crisps24.rules.games import GROUPINGS, HAND_GAMES, Game
from crisps24.rules.operators import OPERATORS, Operator

Obstacle = Callable[[Game], Message | str]


class Machine(NamedTuple):
    refusal: str
    """The key of the message for a game with an obstacle, or its English text."""
    obstacles: tuple[Obstacle, ...]

    def obstacle_in(self, game: Game) -> Message | str:
        return next((found for find in self.obstacles if (found := find(game))), "")

    def can_do(self, game: Game) -> bool:
        return not self.obstacle_in(game)

    def check(self, game: Game) -> None:
        """Raise RefusedError for a game with an obstacle."""
        if obstacle := self.obstacle_in(game):
            values = {"game": game.name, "sign": obstacle, "known": ", ".join(HAND_GAMES)}
            raise RefusedError(Message(self.refusal, values, self.refusal))


def _game(has: Callable[[Game], bool], obstacle: Message | str) -> Obstacle:
    return lambda game: obstacle if has(game) else ""


def _operator(has: Callable[[Operator], bool]) -> Obstacle:
    return lambda game: next((each.name for each in game.row_operators if has(each)), "")


_TAIL = _game(lambda game: game.grouping != GROUPINGS[0], "does not group by precedence")
_ONCE = _game(lambda game: game.once, "has each operator at most once")
_NONTRIVIAL = _game(lambda game: game.nontrivial, message("line.nontrivial"))
_NO_PARENTHESES = _game(lambda game: not game.parentheses, "has no parentheses")
_SIGNED = _game(lambda game: game.signed, message("line.signed"))
_IRRATIONAL = _operator(lambda operator: not operator.rational)
_TAKES_NO_COLUMNS = _operator(lambda operator: not operator.takes_columns)
_UNARY = _operator(lambda operator: operator.arity == 1)
_NO_INVERSE = _operator(lambda operator: not operator.inverse)

HANDS = Machine("rules.no_hands", (_TAIL,))
# All solutions, which are equal if they are the same rational function of the numbers.
SOLUTIONS = Machine("rules.no_solutions", (_IRRATIONAL, _SIGNED))
# Of the optional operators, such as !, no step is tried.
STEPS = Machine(
    "rules.no_solutions",
    (lambda game: next((name for name in game.operators if name not in OPERATORS), ""),),
)
VALUES = Machine("rules.no_results", (_UNARY, _SIGNED))
ROUTES = Machine("rules.no_results", (_TAKES_NO_COLUMNS, _UNARY, _SIGNED))
DIFFICULTY = Machine("rules.no_difficulty", (_TAKES_NO_COLUMNS, _UNARY, _SIGNED))
SHORTEST_FORMS = Machine(
    "rules.signed_brackets",
    (_game(lambda game: game.signed and not game.parentheses, "has no parentheses"),),
)
BACKWARD_SEARCH = Machine("{game} {sign}", (_NO_PARENTHESES, _ONCE, _NONTRIVIAL, _NO_INVERSE))
EPISODES = Machine(
    "{game} has no episodes by its rules",
    (
        _game(lambda game: not (game.parentheses or game.reorders_chains), "has fixed orders"),
        _game(lambda game: game.join, "joins digits"),
        _game(lambda game: bool(game.extra_operators), "has operators that no step tries"),
        _SIGNED,
        _NONTRIVIAL,
    ),
)
ROWS = Machine(
    "{game} {sign}: counts and results files are for games such as crisps",
    (
        _game(lambda game: game.parentheses, "has parentheses"),
        _game(lambda game: has_fractions(game.numbers), "lists formulas of whole numbers only"),
        lambda game: (name := _UNARY(game)) and f"has an operator of one number, {name}",
        _game(lambda game: game.signed, "has a minus before anything"),
        _ONCE,
        _game(lambda game: bool(game.dice) or not game.all_numbers, "deals hands of its own"),
        _game(lambda game: not game.repeats, "deals hands of its own"),
    ),
)
ROW_PARTS = Machine("{game} {sign}: no parts", (_TAIL,))
EQUATIONS = Machine("{game} {sign}: it has no equations", (_TAIL,))
MISSING_SIGNS = Machine("{game} {sign}: it has no missing signs", (_TAIL, _NONTRIVIAL))
