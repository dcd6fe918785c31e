"""The command about equations: those there are, those that are left, and the best guess."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    WORK,
    as_wrong_call,
    complain,
    exit_with,
    game_options,
    header_option,
    progress_bar,
    refuse_given,
    show,
    streamed,
)
from crisps24.notation.styles import COMPACT
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS
from crisps24.rows.places import MOST_PAIRS
from crisps24.rules.equations import (
    EQUALS,
    LONGEST_EQUATION,
    OF_STEPS,
    SHORTEST_EQUATION,
    SIDES,
    Equation,
)
from crisps24.rules.games import FREE, PLAYED, Game
from crisps24.rules.words import format_limit

if TYPE_CHECKING:
    from crisps24.rows.guesses import Candidates

_Command = Callable[..., Any]
# Pairs of a guess and an equation that take long enough for a progress bar.
_LONG = 10_000_000
# So many lines are written together.
_LINES = 1 << 16


def record_options(command: _Command) -> _Command:
    """Add the options that are the fields of an equation, its game apart."""
    for option in (
        click.option("--leading-zeros", is_flag=True, help="Numbers may begin with 0."),
        click.option("--lone-zeros", is_flag=True, help="0 may be a number of a formula."),
        click.option(
            "--right",
            type=click.Choice([*SIDES]),
            default=Equation().right,
            help="What may stand on the other side.",
            show_default=True,
        ),
        click.option(
            "--left",
            type=click.Choice([*SIDES]),
            default=Equation().left,
            help="What may stand on that side of =.",
            show_default=True,
        ),
        click.option(
            "--length",
            default=Equation().length,
            help=f"How many characters, {SHORTEST_EQUATION} to {LONGEST_EQUATION}.",
            show_default=True,
        ),
    ):
        command = option(command)
    return command


@click.command()
@record_options
@click.option("--known", default="", help="What is in its place, such as __*8____: _ is any.")
@click.option("--with", "having", default="", help="Characters that are there, as often.")
@click.option("--without", "lacking", default="", help="Characters that are not there.")
@click.option("--guess", "guesses", multiple=True, help="What was guessed; once a guess.")
@click.option("--seen", multiple=True, help="How that was marked: g green, y yellow, b black.")
@click.option("--count", "counted", is_flag=True, help="Only how many there are.")
@click.option("--best", is_flag=True, help="The best next guess: the fewest are left after it.")
@click.option(
    "--work",
    type=WORK,
    default=format_limit(MOST_PAIRS),
    help="How many pairs of a guess and an equation --best may look at, or none for any.",
    show_default=True,
)
@click.option("--limit", type=click.IntRange(1), help="So many at most.")
@click.option(
    "--style", type=click.Choice(COMPACT), default="ascii", help="The signs.", show_default=True
)
@game_options(OF_STEPS, FREE, PLAYED)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *STREAMS]),
    default="text",
    help="An equation a line, or for programs.",
    show_default=True,
)
@header_option
def equations(
    length: int,
    left: str,
    right: str,
    lone_zeros: bool,
    leading_zeros: bool,
    guesses: Sequence[str],
    seen: Sequence[str],
    known: str,
    having: str,
    lacking: str,
    counted: bool,
    best: bool,
    limit: int | None,
    style: str,
    game: Game,
    form: str,
    work: int | None,
) -> None:
    """List the equations of so many characters, or those left after guesses, or the best guess.

    Without options they are those of the daily puzzle: operators on the left, a number on the
    right, fractions and numbers below zero on the way; no number begins with 0 or is 0 alone, but
    the one on the right. `--game crisps` has the rules of the cards, and so on.

    Example: crisps24 equations --guess 9*8-7=65 --seen gyybbgyb --best

    Of a guess each character is marked g where it stands in its place, y where the equation has it
    elsewhere, b where it has no more of it: as often as it is there, first those in their places,
    then others from the left. The --best guess is one of those left; after it the fewest are left
    on average, of two as good the fewest at worst. Nothing left is status 1.
    """
    if len(guesses) != len(seen):
        raise click.UsageError("give a --seen for each --guess, in the same order")
    if best:
        refuse_given(["counted", "limit"], "--best is one guess: it takes no {}")
    else:
        refuse_given(["work"], "{} is for --best")
    if counted:
        refuse_given(["limit", "style"], "--count is a number: it takes no {}")
    with as_wrong_call():
        equation = Equation(length, left, right, lone_zeros, leading_zeros, game)
        from crisps24.rows.guesses import equations_left

        found = equations_left(
            equation,
            list(zip(guesses, seen, strict=True)),
            known=known,
            having=having,
            lacking=lacking,
        )
    table = DEFAULT_FORMAT if form == "text" else form
    if counted:
        show([{"length": length, "equations": len(found)}], table)
        return
    if not len(found):
        complain("no equation is left" if guesses else "there is no such equation")
        exit_with(False)
    elif best:
        show([_best(found, style, work)], table)
    else:
        _list(found, style, limit, form)


def _best(left: "Candidates", style: str, work: int | None) -> dict[str, Any]:
    """Return the best guess as a row."""
    from crisps24.notation.equations import signs_of_symbols
    from crisps24.rows.guesses import best_guess

    pairs = len(left) ** 2
    shown = pairs >= _LONG and (work is None or pairs <= work)
    with progress_bar("pairs", pairs, shown=shown) as progress:
        guess, expected, worst = best_guess(left, work=work, progress=progress)
    signs = [signs_of_symbols(left.equation, each) for each in ("ascii", style)]
    return {
        "guess": guess.translate(str.maketrans(*signs)),
        "left": len(left),
        "expected": round(float(expected), 2),
        "worst": worst,
    }


def _list(found: "Candidates", style: str, limit: int | None, form: str) -> None:
    """Print equations, one a line or as rows."""
    from crisps24.rows.equations import texts_of

    codes = found.codes[:limit]
    texts = (
        text
        for start in range(0, len(codes), _LINES)
        for text in texts_of(codes[start : start + _LINES], found.equation, style)
    )
    if form == "text":
        lines: Iterable[str] = texts
    else:
        parts = ((text, *text.split(EQUALS)) for text in texts)
        keys = ("equation", "left", "right")
        lines = streamed((dict(zip(keys, each, strict=True)) for each in parts), form, keys)
    sys.stdout.writelines(f"{line}\n" for line in lines)
