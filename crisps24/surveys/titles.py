"""What a survey is called: its game, and the rules of it that were changed."""

from collections.abc import Callable

from crisps24.rules.games import GAMES, Game
from crisps24.rules.words import format_numbers, format_operators

# What is said of a field that is not as the game of that name has it.
_SAID: dict[str, Callable[[Game], str]] = {
    "numbers": lambda game: f"numbers {format_numbers(game.numbers)}",
    "length": lambda game: "1 number" if game.length == 1 else f"{game.length} numbers",
    "repeats": lambda game: f"numbers {'more than' if game.repeats else 'at most'} once",
    "parentheses": lambda game: _with("parentheses", game.parentheses),
    "fractions": lambda game: _with("fractions", game.fractions),
    "negatives": lambda game: _with("negatives", game.negatives),
    "all_numbers": lambda game: "every number used" if game.all_numbers else "any subset",
    "operators": lambda game: f"operators {format_operators(game.operators)}",
    "zero": lambda game: _with("zero", game.zero),
    "join": lambda game: _with("joined digits", game.join),
}
# A picture is no wider.
_LONGEST = 60


def _with(what: str, there: bool) -> str:
    return what if there else f"no {what}"


def name_of(game: Game) -> str:
    """Return the name of a game, with the rules that are not those of the game of that name.

    >>> from dataclasses import replace
    >>> name_of(GAMES["crisps"])
    'crisps'
    >>> name_of(replace(GAMES["crisps"], length=3, fractions=True))
    'crisps (3 numbers, fractions)'
    """
    usual = GAMES.get(game.name, game)
    said = ", ".join(
        say(game) for name, say in _SAID.items() if getattr(game, name) != getattr(usual, name)
    )
    if len(said) > _LONGEST:
        said = "other rules"
    return f"{game.name} ({said})" if said else game.name
