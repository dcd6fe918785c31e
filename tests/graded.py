"""How hard hands are, for tests: queries of arguments as callers give them."""

from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import Difficulty, grade_targets


def difficulties(
    numbers: HandLike, game: Game | str = "crisps", within: tuple[Exact, Exact] | None = None
) -> dict[Exact, Difficulty]:
    """Return every target that people can make of a hand, with how hard it is."""
    return grade_targets(HandQuery.from_arguments(numbers, game), within)
