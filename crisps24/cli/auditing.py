"""The command that looks at a file of puzzles: what is wrong with it, and what is in it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli.options import (
    OF_HANDS,
    SOURCE,
    WORKERS,
    executor_of,
    exit_with,
    format_option,
    game_options,
    overwriting,
    progress_bar,
    show,
)
from crisps24.outside.executors import MOST_WORKERS
from crisps24.outside.tables import STREAMS, Row
from crisps24.rules.games import FREE, PLAYED, Game

if TYPE_CHECKING:
    from crisps24.notation.lines import ByteStream
    from crisps24.training.audits import Audit

# The names that the numbers of a puzzle go by in a table.
_COLUMNS = ("id", "nums", "numbers", "hand", "card")
# More lines than these are shared by all cores.
_SHARED = 5_000
# So many flaws are listed; programs get all.
_LISTED = 20


@click.command()
@click.argument("source", metavar="FILE", type=SOURCE)
@click.option("--solutions", is_flag=True, help="Ask how many solutions each has, which costs.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the bits: .png, .svg or .pdf.")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help=WORKERS)
@game_options(OF_HANDS, default=FREE, offered=PLAYED)
@format_option
def audit(
    source: "ByteStream",
    solutions: bool,
    plot: Path | None,
    workers: int | None,
    game: Game,
    form: str,
) -> None:
    """Look at a file of puzzles: what cannot be solved, what is there twice, which keys are wrong.

    A line is JSON with `nums`, `numbers` or `hand`, and a `target`, or the `id` of a puzzle; its
    key, if it has one, is its `answer`. Or the first line names the columns of a table. Of a row
    without a game any whole numbers may be used, each once, and fractions and numbers below zero.

    A puzzle is as good as none where its target is dealt, or where + and - suffice: that is told.
    csv, tsv, json and jsonl have all that was found, a row each; a table the first of it, and how
    hard the puzzles are, in levels or in fifths of their bits.

    Example: crisps24 audit puzzles.jsonl --solutions

    The status is 1 where a puzzle has no solution or a key is wrong, 2 where a line could not be
    read.
    """
    from crisps24.notation.lines import rows_of_file
    from crisps24.outside.plots import check_plot
    from crisps24.training.audits import CHUNK
    from crisps24.training.audits import audit as audited

    if plot is not None:
        check_plot(plot)
    lines = list(rows_of_file(source, _COLUMNS))
    pieces = -(-len(lines) // CHUNK)
    with (
        executor_of(workers, pieces, worth_it=len(lines) > _SHARED) as executor,
        progress_bar("puzzles", len(lines)) as progress,
    ):
        found = audited(lines, game, solutions=solutions, executor=executor, progress=progress)
    _show(found, form)
    if plot is not None:
        _plot(found, plot)
    if any(flaw.kind == "unreadable" for flaw in found.flaws):
        click.get_current_context().exit(2)
    exit_with(not found.is_wrong)


def _show(found: "Audit", form: str) -> None:
    flaws: list[Row] = [flaw._asdict() for flaw in found.flaws]
    if form in STREAMS:
        show(flaws, form, ["line", "kind", "told", "code"])
        return
    if flaws:
        show(flaws[:_LISTED], form, ["line", "kind", "told"])
        if len(flaws) > _LISTED:
            click.echo(f"and {len(flaws) - _LISTED:,} more: --format jsonl has all")
        click.echo()
    show(found.summary(), form)


def _plot(found: "Audit", path: Path) -> None:
    from crisps24.outside.plots import plot_levels

    bits = {
        f"level {level}" if level else "all": found.bits[level]
        for level in sorted(found.bits, key=lambda each: each or 0)
    }
    if not bits:
        raise click.UsageError("there is nothing to draw: no puzzle can be solved by people")
    with overwriting(path):
        title = f"How hard {found.puzzles:,} puzzles are"
        plot_levels(bits, path, title, "puzzles")
