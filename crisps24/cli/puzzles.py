"""The command that makes puzzles: deal."""

import sys
from typing import TYPE_CHECKING

import click

from crisps24.cli.choosing import Choice, choosing_options
from crisps24.cli.options import format_option, show, streamed
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.words import format_hand

if TYPE_CHECKING:
    from crisps24.puzzles.dealing import Deal
    from crisps24.puzzles.ids import Puzzle

_KEYS = ("id", "game", "rules", "hand", "target", "bits", "level", "solutions", "answer")


@click.command()
@click.option("--count", default=1, help="How many puzzles.", show_default=True)
@choosing_options
@click.option("--answers", is_flag=True, help="With the likeliest solution.")
@format_option
def deal(count: int, choice: Choice, answers: bool, form: str) -> None:
    """Deal puzzles that have a solution.

    The same seed deals the same puzzles on every machine; without one it is drawn and told.

    Example: crisps24 deal cards --count 20 --seed 7 --level 2..4
    """
    _show(choice.deal(count), form, answers)


def _show(found: "Deal", form: str, answers: bool) -> None:
    if form in STREAMS:
        rows = (_row(puzzle) for puzzle in found)
        for line in streamed(rows, form, _KEYS):
            sys.stdout.write(f"{line}\n")
    else:
        show([_row_for_people(*numbered, answers) for numbered in enumerate(found, 1)], form)
    told = f"{found.command} (drawing {found.version})"
    click.echo(told, err=form != DEFAULT_FORMAT)


def _row(puzzle: "Puzzle") -> Row:
    from crisps24.notation.trees import text_of
    from crisps24.puzzles.ids import rules_of

    ways = puzzle.solutions()
    return {
        "id": puzzle.id,
        "game": puzzle.game.name,
        "rules": rules_of(puzzle.game),
        "hand": list(puzzle.hand),
        "target": puzzle.target,
        "bits": puzzle.difficulty and puzzle.difficulty.bits,
        "level": puzzle.difficulty and puzzle.difficulty.level,
        "solutions": len(ways),
        "answer": text_of(ways[0].expression, puzzle.game.signs),
    }


def _row_for_people(number: int, puzzle: "Puzzle", answers: bool) -> Row:
    row: Row = {
        "number": number,
        "hand": format_hand(puzzle.hand),
        "target": puzzle.target,
        "level": puzzle.difficulty and puzzle.difficulty.level,
    }
    if answers:
        told = _row(puzzle)
        row["answer"] = told["answer"]
        if puzzle.best != puzzle.target:
            row["answer"] += f" = {puzzle.best}"
    return row
