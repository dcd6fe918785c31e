"""The title of a survey: its game, with the changed rules."""

from crisps24.rules.games import Game
from crisps24.rules.ids import changed_rules

# Characters of the changed rules that fit above a picture.
_MAX_CHARACTERS = 60


def game_title(game: Game) -> str:
    """Return the name of a game, with those of its rules that a caller has changed in brackets."""
    changes = ", ".join(rule.title(value) for rule, value in changed_rules(game))
    if len(changes) > _MAX_CHARACTERS:
        changes = "other rules"
    return f"{game.name} ({changes})" if changes else game.name
