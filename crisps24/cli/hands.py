"""The commands about hands: games, solve, reach."""

import shutil
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from crisps24.cli.options import (
    OF_HANDS,
    RANGE,
    VALUE,
    complain,
    exit_with,
    format_option,
    game_options,
    show,
)
from crisps24.notation.styles import STYLES
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game
from crisps24.rules.words import format_numbers, parse_hand

# A word such as -3 is a number where options do not know it.
_NEGATIVE_NUMBERS = {"ignore_unknown_options": True}
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
    show(rows, form, [key for key in rows[0] if key not in ("operators", "join", "about")])
    if form == "table":
        width = min(_WIDEST, shutil.get_terminal_size().columns)
        names = max(map(len, GAMES))
        for game in GAMES.values():
            first, *others = textwrap.wrap(game.about, max(_NARROWEST, width - names - 2))
            click.echo(f"\n{game.name:{names}}  {first}")
            for line in others:
                click.echo(f"{'':{names}}  {line}")


def _row_of(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "numbers": _numbers_of(game),
        "hand": game.length,
        "parentheses": game.parentheses,
        "fractions": game.fractions,
        "negatives": game.negatives,
        "zero": game.zero,
        "all numbers used": game.all_numbers,
        "target": game.target or "..".join(map(str, game.targets)),
        "operators": game.operators,
        "join": game.join,
        "about": game.about,
    }


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


@click.command(context_settings=_NEGATIVE_NUMBERS)
@click.argument("words", metavar="NUMBERS...", nargs=-1, required=True)
@click.option("--target", type=VALUE, help="What to make; the game's own where it has one.")
@click.option("--all", "every", is_flag=True, help="Show every solution, not the plainest alone.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@click.option("--steps", is_flag=True, help="Show the working.")
@click.option("--style", type=click.Choice(list(STYLES)), help="The signs; the game's own.")
@game_options(OF_HANDS)
@format_option
def solve(
    words: Sequence[str],
    target: Exact | None,
    every: bool,
    in_order: bool,
    steps: bool,
    style: str | None,
    game: Game,
    form: str,
) -> None:
    """Solve a hand: ways to make the target.

    Where there is none, the closest values are shown, and the status is 1.

    Example: crisps24 solve 3 3 8 8 --game cards
    """
    hand = _hand_of(words, game)
    wanted = game.target if target is None else target
    if wanted is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    from crisps24.hands.solver import closest
    from crisps24.hands.solver import solve as solutions_of

    solutions = list(solutions_of(hand, wanted, game, in_order=in_order))
    count = len(solutions)
    if not every:
        solutions = solutions[:1]
    found = [(wanted, solution) for solution in solutions]
    if not found:
        found = list(closest(hand, wanted, game, in_order=in_order).items())
        near = "the closest that can be made:" if found else "nothing can be made by these rules"
        complain(f"no solution for {wanted}; {near}")
    show(
        [
            _solution_row(hand, wanted, value, expression, game, style or game.signs, steps)
            for value, expression in found
        ],
        form,
        ["expression", "value", "steps"],
    )
    if count:
        told = "1 solution" if count == 1 else f"{count} solutions"
        click.echo(f"\n{told}", err=form != "table")
    exit_with(count > 0)


def _solution_row(
    hand: Sequence[int],
    target: Exact,
    value: Exact,
    expression: Any,
    game: Game,
    style: str,
    steps: bool,
) -> dict[str, Any]:
    from crisps24.notation.checking import working
    from crisps24.notation.trees import text_of

    row: dict[str, Any] = {
        "numbers": list(hand),
        "target": target,
        "expression": text_of(expression, style),
        "value": value,
        "exact": value == target,
    }
    if steps:
        row["steps"] = working(expression, replace(game, signs=style))
    return row


def _hand_of(words: Sequence[str], game: Game) -> tuple[int, ...]:
    """Read the numbers of a hand, apart or in one word with spaces or commas."""
    numbers = " ".join(words).replace(",", " ").split()
    for word in numbers:
        if word.startswith("-") and not word[1:].isdecimal():
            raise click.NoSuchOption(word)
    try:
        return parse_hand(numbers, game)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@click.command(context_settings=_NEGATIVE_NUMBERS)
@click.argument("words", metavar="NUMBERS...", nargs=-1, required=True)
@click.option("--ways", "with_ways", is_flag=True, help="Count the distinct solutions of each.")
@click.option("--targets", type=RANGE, help="Which targets; the game's own range.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@game_options(OF_HANDS, default="numble")
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

    Example: crisps24 reach 2 5 8 10 25 75 --ways
    """
    hand = _hand_of(words, game)
    wanted = targets or range(game.targets[0], game.targets[1] + 1)
    from crisps24.hands.reach import reachable
    from crisps24.hands.solver import ways

    found: Any
    if with_ways:
        found = ways(hand, game, in_order=in_order, within=(wanted[0], wanted[-1]))
    else:
        found = reachable(hand, game, in_order=in_order)
    rows = [{"target": target, "reached": target in found} for target in wanted]
    if with_ways:
        rows = [{**row, "ways": found.get(row["target"], 0)} for row in rows]
    if form != "table":
        show(rows, form)
        return
    reached = [row["target"] for row in rows if row["reached"]]
    missed = [row["target"] for row in rows if not row["reached"]]
    if with_ways and reached:
        show([row for row in rows if row["reached"]], form, ["target", "ways"])
        click.echo()
    click.echo(f"reached  {len(reached)} of {len(wanted)}: {format_numbers(reached) or 'none'}")
    click.echo(f"missed   {len(missed)} of {len(wanted)}: {format_numbers(missed) or 'none'}")
