"""Missing signs, as `solve` fills them in and `deal` leaves them out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from crisps24.cli.choosing import Choice
from crisps24.cli.formulas import text_in
from crisps24.cli.options import (
    complain,
    exit_with,
    refuse_given,
    show,
    show_in_blocks,
    streamed,
)
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.equations import EQUALS
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from crisps24.notation.trees import Formula

_KEYS = ["formula"]
# What is asked of hands, of sheets and of files, and not of signs that are missing.
_OF_OTHERS = (
    *("levels", "solutions", "essential", "plain", "large", "closest", "repeat", "trivial"),
    *("rising", "parentheses", "all_numbers", "fields", "prompt", "out", "style", "language"),
    *("per_page", "paper", "title", "name_line", "cut_lines", "no_key", "upright", "no_dots"),
    *("large_print", "work"),
)


def solve_signs(text: str, game: Game, style: str | None, form: str) -> None:
    """Show every way to put the signs that are missing in a text."""
    from crisps24.notation.gaps import read_gaps
    from crisps24.rows.signs import filled

    found = filled(read_gaps(text, game), game)

    def rows() -> Iterator[Row]:
        for sides in found:
            yield {"formula": _written(sides, style or game.signs, game)}

    if not found:
        complain("no signs make it true")
        exit_with(False)
        return
    if form in STREAMS:
        for line in streamed(rows(), form, _KEYS):
            click.echo(line)
    else:
        show_in_blocks(rows(), form, lambda some: (some, _KEYS))
    ways = f"{len(found):,} way{'' if len(found) == 1 else 's'}"
    click.echo(f"\n{ways}", err=form != DEFAULT_FORMAT)


def deal_signs_of(count: int, choice: Choice, form: str, *, equals: bool, answers: bool) -> None:
    """Show puzzles with missing signs, and how to deal the same again."""
    from crisps24.puzzles.signs import deal_signs

    refuse_given(_OF_OTHERS, "--signs are put between numbers on the screen: no {}")
    game = choice.game
    if choice.conditions.get("lengths"):
        raise click.UsageError("--signs are of one --length")
    found = deal_signs(
        game,
        count,
        seed=choice.seed,
        target=choice.target,
        targets=choice.targets,
        equals=equals,
    )
    rows: list[Row] = []
    for number, puzzle in enumerate(found.puzzles, 1):
        known = {"number": number, "puzzle": str(puzzle.gaps)}
        answer = {"answer": _written(puzzle.sides, game.signs, game)}
        rows.append(known | (answer if answers or form in STREAMS else {}))
    show(rows, form)
    click.echo(f"drawing {found.version}: {found.command}", err=form != DEFAULT_FORMAT)


def _written(sides: "tuple[Formula, Formula]", style: str, game: Game) -> str:
    """Return both sides of an equation in a style."""
    return f" {EQUALS} ".join(text_in(style, side, game) for side in sides)
