"""The command about what hands reach: reach."""

from collections.abc import Sequence
from typing import Any

import click

from crisps24.cli.options import (
    OF_HANDS,
    RANGE,
    format_option,
    game_options,
    show,
)
from crisps24.cli.solving import NEGATIVE_NUMBERS, hand_of, tell_if_not_dealt
from crisps24.hands.effort import difficulties
from crisps24.hands.solver import reachable, ways
from crisps24.rules.games import PLAYED, Game
from crisps24.rules.words import format_numbers


@click.command(context_settings=NEGATIVE_NUMBERS)
@click.argument("words", metavar="NUMBERS...", nargs=-1, required=True)
@click.option(
    "--ways",
    "with_ways",
    is_flag=True,
    help="Count the distinct solutions of each, and say how hard it is.",
)
@click.option("--targets", type=RANGE, help="Which targets; the game's own range.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@game_options(OF_HANDS, offered=PLAYED)
@format_option
def reach(
    words: Sequence[str],
    with_ways: bool,
    targets: range | None,
    in_order: bool,
    game: Game,
    form: str,
) -> None:
    """Show which targets a hand reaches, and which it misses.

    Example: crisps24 reach 2 5 8 10 25 75 --game numble --ways
    """
    hand = hand_of(words, game)
    wanted = targets or range(game.targets[0], game.targets[1] + 1)

    found: Any
    if with_ways:
        found = ways(hand, game, in_order=in_order, within=(wanted[0], wanted[-1]))
    else:
        found = reachable(hand, game, in_order=in_order)
    tell_if_not_dealt(hand, game)
    rows: list[dict[str, Any]] = [
        {"target": target, "reached": target in found} for target in wanted
    ]
    if with_ways:
        hard = difficulties(hand, game, in_order=in_order, within=(wanted[0], wanted[-1]))
        for row in rows:
            known = hard.get(row["target"])
            row["ways"] = found.get(row["target"], 0)
            row["bits"], row["level"] = (known.bits, known.level) if known else (None, None)
    if form != "table":
        show(rows, form)
        return
    reached = [row["target"] for row in rows if row["reached"]]
    missed = [row["target"] for row in rows if not row["reached"]]
    if with_ways and reached:
        show([row for row in rows if row["reached"]], form, ["target", "ways", "level"])
        click.echo()
    click.echo(f"reached  {len(reached)} of {len(wanted)}: {format_numbers(reached) or 'none'}")
    click.echo(f"missed   {len(missed)} of {len(wanted)}: {format_numbers(missed) or 'none'}")
