"""The command audit: the defects and the difficulty of a file of puzzles."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli import options as opt
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import echo, executor_of, exit_with, overwriting, show
from crisps24.output.tables import TABLE_FORMATS, Row
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.training.audits import Audit

# Columns by which a table of puzzles is recognised.
_COLUMNS = ("id", "nums", "numbers", "hand", "card")
# Lines above which all cores are used.
_LINES_FOR_ALL_CORES = 5_000
# Findings in a table; the formats for programs list all.
_LISTED = 20
# What the row of bits means.
_BITS = """\
bits: one more is a puzzle that half as many tries solve;
easiest, ends of the first four fifths, hardest"""


@opt.command()
def audit(
    source: "ByteStream" = opt.argument("FILE", type=opt.SOURCE),
    solutions: bool = opt.display("Count the solutions of each puzzle, which takes longer."),
    form: str = opt.FORMAT,
    plot: Path | None = opt.PLOT,
    game: Game = opt.game_options(opt.OF_HANDS, default=FREE_GAME, offered=HAND_GAMES),
    workers: int | None = opt.limit(
        "Processes to use [default: all cores for long files].", opt.SOME_WORKERS
    ),
) -> None:
    """Audit a file of puzzles: unsolvable, duplicates, wrong keys.

    It also reports puzzles that are too simple: + and - are enough, or the target is one of the
    numbers (reported only in games that allow unused numbers). The default game is free: any whole
    numbers, each used once, with fractions and negative numbers as intermediate results. Exit
    status: 1 if a puzzle has no solution or a key is wrong, 2 if a line is not readable.

    Examples:
      crisps24 audit puzzles.jsonl
      crisps24 audit puzzles.csv --solutions --format jsonl
      crisps24 audit puzzles.jsonl --plot difficulty.png

    A line is JSON with `nums`, `numbers` or `hand`, and a `target`, or the `id` of a puzzle; its
    key, if any, is its `answer`. Or FILE is a table, and its first line names the columns. The
    format table shows the first findings and the difficulty of the puzzles, by level or by fifths
    of their bits; csv, tsv, json and jsonl list every finding.
    """
    from crisps24.judging.records import read_records
    from crisps24.output.plots import check_plot
    from crisps24.training.audits import PUZZLES_PER_CHUNK
    from crisps24.training.audits import audit as audited

    if plot is not None:
        check_plot(plot)
    lines = list(read_records(source, _COLUMNS))
    pieces = -(-len(lines) // PUZZLES_PER_CHUNK)
    with (
        executor_of(workers, pieces, worth_it=len(lines) > _LINES_FOR_ALL_CORES) as executor,
        progress_bar("puzzles", len(lines)) as progress,
    ):
        found = audited(lines, game, solutions=solutions, executor=executor, progress=progress)
    _show(found, form)
    if plot is not None:
        _plot(found, plot)
    unread = any(flaw.kind == "unreadable" for flaw in found.flaws)
    exit_with(not found.has_errors, unreadable=unread)


def _show(found: "Audit", form: str) -> None:
    flaws: list[Row] = [flaw.row() for flaw in found.flaws]
    if form in TABLE_FORMATS:
        show(flaws, form, ["line", "kind", "told", "code"])
        return
    if flaws:
        show(flaws[:_LISTED], form, ["line", "kind", "told"])
        if len(flaws) > _LISTED:
            echo(f"and {len(flaws) - _LISTED:,} more: --format jsonl has all")
        echo()
    summary = found.summary()
    show(summary, form)
    if any(row["what"] == "bits" for row in summary):
        echo(_BITS)


def _plot(found: "Audit", path: Path) -> None:
    from crisps24.output.plots import plot_levels

    bits = {
        f"level {level}" if level else "all": found.bits[level]
        for level in sorted(found.bits, key=lambda each: each or 0)
    }
    if not bits:
        raise click.UsageError("--plot: no puzzle has a difficulty to draw")
    with overwriting(path):
        title = f"How hard {found.puzzles:,} puzzles are"
        plot_levels(bits, path, title, "puzzles")
