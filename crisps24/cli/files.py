"""The commands about results files: results, verify."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli.options import (
    OF_ROWS,
    SHORT,
    VALUE,
    WORKERS,
    complain,
    executor_of,
    exit_with,
    format_option,
    game_options,
    progress_bar,
    show,
    targets_of,
    was_given,
)
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from crisps24.rows.verification import Verification

# Problems of a file that are listed before the rest is only counted.
_LISTED = 20
# Rows of one file that take long enough for a progress bar.
_LONG = 1_000_000
# Bytes of one file that take long enough for one.
_LARGE = 50_000_000
_STDIN = "-"


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--dir", "directory", default="results", help="Where to.", show_default=True)
@click.option("--workers", type=click.IntRange(1), help=WORKERS)
@game_options(OF_ROWS)
@format_option
def results(
    targets: Sequence[str], directory: str, workers: int | None, game: Game, form: str
) -> None:
    """Write the results file of each TARGET.

    A TARGET is a number, a range such as 0..100, or all that the game reaches.

    Example: crisps24 results 143 24 --dir results
    """
    wanted = targets_of(targets, game)
    from crisps24.rows.enumeration import counts_by_target
    from crisps24.rows.results import SHARE_ROWS, count_pieces, write_all

    combinations = counts_by_target(wanted, game)
    total = sum(combinations.values())
    shown = len(wanted) > 1 or total >= _LONG
    with (
        executor_of(
            workers, count_pieces(combinations, game), worth_it=total > SHARE_ROWS
        ) as executor,
        progress_bar("rows", total, shown=shown) as progress,
    ):
        rows = [
            {
                "target": written.target,
                "combinations": written.combinations,
                "lines": written.lines,
                "file": str(written.path),
            }
            for written in write_all(wanted, directory, game, executor=executor, progress=progress)
        ]
    show(rows, form)
    if click.get_current_context().meta.get(SHORT):
        told = f"{rows[0]['file']} is" if len(rows) == 1 else f"{len(rows):,} files are"
        complain(f"{told} written: a TARGET without a command is short for crisps24 results")


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
)
@click.option("--target", type=VALUE, help="The target, where the name of the file has none.")
@click.option(
    "--layout",
    type=click.Choice(["exact", "any"]),
    default="exact",
    help="Whether line ends and spacing have to be those of the format.",
    show_default=True,
)
@game_options(OF_ROWS)
@format_option
def verify(files: Sequence[str], target: Exact | None, layout: str, game: Game, form: str) -> None:
    """Verify results files; - is stdin.

    A file is right when every row is, none is there twice, none is missing, all in order.

    Example: crisps24 verify results/results.143
    """
    if target is None:
        _refuse_nameless(files)
    found = [_verified(file, target, game) for file in files]
    rows = [
        {
            "file": str(one.file),
            "target": one.target,
            "combinations": one.combinations,
            "verdict": one.verdict,
            "problems": [{"line": each.line, "problem": each.problem} for each in one.problems]
            if form == "json"
            else _listing(one),
        }
        for one in found
    ]
    if form == "table":
        show(rows, form, ["file", "target", "combinations", "verdict"])
        for one in found:
            for line in ["", f"{one.file}:", *_listing(one)] if one.problems else []:
                click.echo(line)
    else:
        show(rows, form)
    right = [one.verdict == "right" or (layout == "any" and one.layout_only) for one in found]
    exit_with(all(right))


def _refuse_nameless(files: Sequence[str]) -> None:
    """Refuse files of which no name tells the target."""
    from crisps24.rows.results import target_of_name

    for file in files:
        if file == _STDIN or target_of_name(Path(file)) is None:
            raise click.UsageError(
                f"{file} has no name that tells its target: give it with --target"
            )


def _verified(file: str, target: Exact | None, game: Game) -> "Verification":
    from crisps24.rows.verification import verify_results

    length = game.length if was_given("length") else None
    if file == _STDIN:
        found = verify_results(sys.stdin.buffer, game, target=target, length=length)
        return replace(found, file=Path(file))
    size = Path(file).stat().st_size
    with progress_bar(f"{file}, bytes", size, shown=size >= _LARGE) as progress:
        return verify_results(file, game, target=target, length=length, progress=progress)


def _listing(one: "Verification") -> list[str]:
    """Return the first problems of a file and how many more there are, then what is missing."""
    return [*_listed(one.found, one.more_found), *_listed(one.missing, one.more_missing)]


def _listed(problems: Sequence[object], unlisted: int) -> list[str]:
    lines = [str(problem) for problem in problems[:_LISTED]]
    more = len(problems) - len(lines) + unlisted
    return [*lines, f"… and {more:,} more"] if more else lines
