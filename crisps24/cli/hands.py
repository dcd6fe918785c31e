"""The commands about games and what hands reach: games, reach."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from crisps24.cli.options import (
    OF_HANDS,
    RANGE,
    format_option,
    game_options,
    show,
    width_of_terminal,
    work_option,
)
from crisps24.cli.solving import NEGATIVE_NUMBERS, hand_of, tell_if_not_dealt
from crisps24.notation.trees import text_of
from crisps24.outside.tables import DEFAULT_FORMAT
from crisps24.rules.games import GAMES, PLAYED, Game
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


@click.command(context_settings=NEGATIVE_NUMBERS)
@click.argument("words", metavar="NUMBERS...", nargs=-1, required=True)
@click.option(
    "--ways",
    "with_ways",
    is_flag=True,
    help="Count the distinct solutions of each, and say how hard it is.",
)
@click.option("--forms", "with_forms", is_flag=True, help="Show a form of each.")
@click.option("--targets", type=RANGE, help="Which targets; the game's own range.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@work_option
@game_options(OF_HANDS, offered=PLAYED)
@format_option
def reach(
    words: Sequence[str],
    with_ways: bool,
    with_forms: bool,
    targets: range | None,
    in_order: bool,
    work: int | None,
    game: Game,
    form: str,
) -> None:
    """Show which targets a hand reaches, and which it misses.

    Example: crisps24 reach 2 5 8 10 25 75 --game numble --ways

    With --forms a form of each is shown, the plainest: 1 2 3 4 5 6 7 8 9 --in-order --join --signed
    --operators "+-x:^" --game cards --targets 0..11111 takes a minute or two and 1.3 GB, and misses
    10,958 alone.

    With --in-order --parentheses --ways are counted twice: written forms, every way to write it, of
    which (1 + 2) + 3 and 1 + (2 + 3) are two, and distinct solutions, of which they are one.
    """
    hand = hand_of(words, game)
    wanted = targets or range(game.targets[0], game.targets[1] + 1)
    from crisps24.solving.solver import plainest, reachable, ways

    within, found = (wanted[0], wanted[-1]), dict[Any, int]()
    reached_ones: Any
    if with_ways and with_forms:
        raise click.UsageError("--ways counts forms, and --forms shows one: give one of the two")
    if with_forms:
        reached_ones = plainest(hand, game, in_order=in_order, only=wanted, work=work)
    elif with_ways:
        reached_ones = found = ways(
            hand, game, in_order=in_order, within=within, only=wanted, work=work
        )
    else:
        reached_ones = reachable(hand, game, in_order, only=wanted, work=work)
    tell_if_not_dealt(hand, game)
    rows: list[dict[str, Any]] = [
        {"target": target, "reached": target in reached_ones} for target in wanted
    ]
    if with_ways:
        from crisps24.solving.effort import difficulties
        from crisps24.solving.written import count_written

        hard = difficulties(hand, game, in_order=in_order, within=within, only=wanted, work=work)
        forms = in_order and game.parentheses
        written = count_written(hand, wanted, game, work=work) if forms else {}
        for row in rows:
            known = hard.get(row["target"])
            row["ways"] = found.get(row["target"], 0)
            if forms:
                row["written"], row["distinct"] = written[row["target"]], row["ways"]
            row["bits"], row["level"] = (known.bits, known.level) if known else (None, None)
    if with_forms:
        for row in rows:
            made = reached_ones.get(row["target"])
            row["form"] = None if made is None else text_of(made, game.signs)
    if form != "table":
        show(rows, form)
        return
    reached = [row["target"] for row in rows if row["reached"]]
    missed = [row["target"] for row in rows if not row["reached"]]
    if with_ways and reached:
        told = ["written", "distinct"] if "written" in rows[0] else ["ways"]
        show([row for row in rows if row["reached"]], form, ["target", *told, "level"])
        click.echo()
    if with_forms and reached:
        show([row for row in rows if row["reached"]], form, ["target", "form"])
        click.echo()
    click.echo(f"reached  {len(reached)} of {len(wanted)}: {format_numbers(reached) or 'none'}")
    click.echo(f"missed   {len(missed)} of {len(wanted)}: {format_numbers(missed) or 'none'}")
    # What is missed within a limit is not shown to be out of reach.
    if missed and (limit := RULES["bits"].sentence(game)):
        click.echo(limit)
