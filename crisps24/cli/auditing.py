"""The command that looks at a file of puzzles: what is wrong with it, and what is in it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli import options as ask
from crisps24.cli.screen import executor_of, exit_with, overwriting, progress_bar, show
from crisps24.output.tables import STREAMS, Row
from crisps24.rules.games import FREE, PLAYED, Game

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.training.audits import Audit

# The names that the numbers of a puzzle go by in a table.
_COLUMNS = ("id", "nums", "numbers", "hand", "card")
# More lines than these are shared by all cores.
_SHARED = 5_000
# So many flaws are listed; programs get all.
_LISTED = 20


@ask.command()
def audit(
    source: "ByteStream" = ask.argument("FILE", type=ask.SOURCE),
    solutions: bool = ask.shown("Count the solutions of each puzzle, which takes longer."),
    form: str = ask.FORMAT,
    plot: Path | None = ask.PLOT,
    game: Game = ask.game_part(ask.OF_HANDS, default=FREE, offered=PLAYED),
    workers: int | None = ask.limits(
        "Processes to use [default: all cores for long files].",
        ask.SOME_WORKERS,
    ),
) -> None:
    """Audit a file of puzzles: unsolvable, duplicates, wrong keys.

    Puzzles that are hardly puzzles are reported too: the target is among the numbers, or + and -
    suffice. Unless a row says otherwise any whole numbers may be used, each once, and fractions and
    negative numbers on the way. Exit status: 1 if a puzzle has no solution or a key is wrong, 2 if
    a line is not readable.

    Examples:
      crisps24 audit puzzles.jsonl
      crisps24 audit puzzles.csv --solutions --format jsonl
      crisps24 audit puzzles.jsonl --plot difficulty.png

    A line is JSON with `nums`, `numbers` or `hand`, and a `target`, or the `id` of a puzzle; its
    key, if it has one, is its `answer`. Or the first line names the columns of a table. A table
    shows the first findings and how hard the puzzles are, in levels or in fifths of their bits;
    csv, tsv, json and jsonl have every finding.
    """
    from crisps24.judging.records import rows_of_file
    from crisps24.output.plots import check_plot
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
    unread = any(flaw.kind == "unreadable" for flaw in found.flaws)
    exit_with(not found.is_wrong, unread=unread)


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
    from crisps24.output.plots import plot_levels

    bits = {
        f"level {level}" if level else "all": found.bits[level]
        for level in sorted(found.bits, key=lambda each: each or 0)
    }
    if not bits:
        raise click.UsageError("there is nothing to draw: no puzzle can be solved by people")
    with overwriting(path):
        title = f"How hard {found.puzzles:,} puzzles are"
        plot_levels(bits, path, title, "puzzles")
