"""The command about games: games."""

import textwrap
from collections import Counter
from typing import Any

import click

from crisps24.cli.options import format_option, show, width_of_terminal
from crisps24.outside.tables import DEFAULT_FORMAT
from crisps24.rules.games import GAMES, Game
from crisps24.rules.rules import RULES, format_rules
from crisps24.rules.words import format_numbers

# Sentences are told in lines of so many columns at most.
_WIDEST = 80
_NARROWEST = 20
_TIMES_EACH = {1: "once each", 2: "twice each"}


@click.command()
@format_option
def games(form: str) -> None:
    """Show the games and their rules.

    Example: crisps24 games
    """
    rows = [_row_of(game) for game in GAMES.values()]
    if form != DEFAULT_FORMAT:
        show(rows, form)
        return
    told = ("name", "numbers", "hand", "target")
    show(
        [
            {key: row[key] for key in told} | {"rules": format_rules(game)}
            for row, game in zip(rows, GAMES.values(), strict=True)
        ],
        form,
    )
    width = min(_WIDEST, width_of_terminal() or _WIDEST)
    names = max(map(len, GAMES))
    for game in GAMES.values():
        first, *others = textwrap.wrap(game.about, max(_NARROWEST, width - names - 2))
        click.echo(f"\n{game.name:{names}}  {first}")
        for line in others:
            click.echo(f"{'':{names}}  {line}")


def _row_of(game: Game) -> dict[str, Any]:
    return (
        {"name": game.name}
        | {rule.column: rule.of_game(game) for rule in RULES.values() if rule.field != "repeats"}
        | {"numbers": _numbers_of(game)}
        | {"target": game.target or "..".join(map(str, game.targets)), "about": game.about}
    )


def _numbers_of(game: Game) -> str:
    """Return the numbers of a game, with how often each can come where that is limited."""
    if game.repeats:
        return format_numbers(game.numbers)
    times = Counter(game.numbers)
    groups = {many: [n for n, count in times.items() if count == many] for many in times.values()}
    return "; ".join(
        f"{format_numbers(numbers)} {_TIMES_EACH.get(many, f'{many} times each')}"
        for many, numbers in sorted(groups.items(), reverse=True)
    )
