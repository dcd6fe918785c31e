"""Grade hands with the arguments of the public functions."""

from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import Difficulty, grade_targets


def difficulties(
    numbers: HandLike, game: Game | str = "crisps", within: tuple[Exact, Exact] | None = None
) -> dict[Exact, Difficulty]:
    return grade_targets(HandQuery.from_arguments(numbers, game), within)
