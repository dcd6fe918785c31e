"""What a survey is called: its game, and the rules of it that were changed."""

from crisps24.rules.games import Game, changes_of
from crisps24.rules.rules import RULES

# A picture is no wider.
_LONGEST = 60


def name_of(game: Game) -> str:
    """Return the name of a game, with the rules that are not those of the game of that name.

    >>> from dataclasses import replace
    >>> name_of(GAMES["crisps"])
    'crisps'
    >>> name_of(replace(GAMES["crisps"], length=3, fractions=True))
    'crisps (3 numbers, fractions)'
    """
    changes = changes_of(game) or {}
    said = ", ".join(
        rule.title(changes[rule.field]) for rule in RULES.values() if rule.field in changes
    )
    if len(said) > _LONGEST:
        said = "other rules"
    return f"{game.name} ({said})" if said else game.name
