"""The command that makes puzzles: deal."""

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_HANDS,
    PLAYED,
    RANGE,
    VALUE,
    Reading,
    changed,
    format_option,
    game_type,
    rule_options,
    show,
    streamed,
)
from crisps24.errors import RefusedError
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.words import format_hand, parse_range

if TYPE_CHECKING:
    from crisps24.puzzles.dealing import Deal
    from crisps24.puzzles.ids import Puzzle

# The rules that an option changes.
_RULES = ("length", *OF_HANDS)
_KEYS = ("id", "game", "rules", "hand", "target", "bits", "level", "solutions", "answer")


def _levels(text: str) -> range:
    levels = parse_range(text)
    if not (levels[0] >= 1 and levels[-1] <= 5):
        raise RefusedError(f"{text} is no level: from 1, easy, to 5, or a range such as 2..4")
    return levels


def _seed(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,30}", text):
        raise RefusedError(f"{text[:40]!r} is no seed: a whole number such as 7 is")
    return int(text)


@click.command()
@click.option("--count", default=1, help="How many puzzles.", show_default=True)
@click.option("--seed", type=Reading("number", _seed), help="The same seed, the same puzzles.")
@click.option("--level", "levels", type=Reading("level", _levels), help="1 to 5, or 2..4.")
@click.option("--rising", is_flag=True, help="From easy to hard.")
@click.option("--target", type=VALUE, help="What to make; the game's own where it has one.")
@click.option("--targets", type=RANGE, help="Targets of a range, each hand one.")
@click.option("--solutions", type=RANGE, help="How many distinct solutions: 1, or 1..3.")
@click.option("--essential", is_flag=True, help="Solutions by 1 and 0 count as one.")
@click.option("--plain", is_flag=True, help="With a solution without parentheses.")
@click.option("--large", type=click.IntRange(0), help="How many large tiles.")
@click.option("--closest", is_flag=True, help="Targets that can only be approached will do.")
@click.option("--repeat", is_flag=True, help="A hand may come again.")
@click.option("--answers", is_flag=True, help="With the likeliest solution.")
@click.argument("game", metavar="[GAME]", type=game_type(PLAYED), default="crisps")
@rule_options(_RULES)
@format_option
def deal(
    count: int,
    target: Exact | None,
    targets: range | None,
    answers: bool,
    game: Game,
    form: str,
    rising: bool,
    seed: int | None,
    **words: Any,
) -> None:
    """Deal puzzles that have a solution.

    The same seed deals the same puzzles on every machine; without one it is drawn and told.

    Example: crisps24 deal cards --count 20 --seed 7 --level 2..4
    """
    from crisps24.puzzles.dealing import Conditions
    from crisps24.puzzles.dealing import deal as dealt

    game = changed(game, {name: words.pop(name) for name in _RULES})
    conditions = words
    if target is not None and targets is not None:
        raise click.UsageError("--target and --targets: give one of them")
    if conditions["large"] is not None and not game.large:
        raise click.UsageError(f"--large: {game.name} has no large tiles")
    if conditions["essential"] and conditions["solutions"] is None:
        raise click.UsageError("--essential says how --solutions are counted: give these")
    levels = conditions.pop("levels") or range(1, 6)
    found = dealt(
        game,
        count,
        seed=seed,
        target=target,
        targets=targets,
        conditions=Conditions(levels=levels, **conditions),
        rising=rising,
    )
    _show(found, form, answers)


def _show(found: "Deal", form: str, answers: bool) -> None:
    if form in STREAMS:
        rows = (_row(puzzle) for puzzle in found)
        for line in streamed(rows, form, _KEYS):
            sys.stdout.write(f"{line}\n")
    else:
        show([_row_for_people(*numbered, answers) for numbered in enumerate(found, 1)], form)
    told = f"seed {found.seed}, drawing {found.version}"
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
