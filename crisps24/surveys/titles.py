"""What a survey is called: its game, and the rules of it that were changed."""

from crisps24.rules.games import Game
from crisps24.rules.ids import changed_rules

# A picture is no wider.
_LONGEST = 60


def name_of(game: Game) -> str:
    """Return the name of a game, with the rules that are not those of the game of that name.

    >>> from dataclasses import replace
    >>> from crisps24 import GAMES
    >>> name_of(GAMES["crisps"])
    'crisps'
    >>> name_of(replace(GAMES["crisps"], length=3, fractions=True))
    'crisps (3 numbers, fractions)'
    """
    said = ", ".join(rule.title(value) for rule, value in changed_rules(game))
    if len(said) > _LONGEST:
        said = "other rules"
    return f"{game.name} ({said})" if said else game.name
