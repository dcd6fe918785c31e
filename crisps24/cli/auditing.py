"""The command audit: the defects and the difficulty of a file of puzzles."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli import options as opt
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import echo, exit_with, open_executor, show, warn_if_overwritten
from crisps24.output.tables import TABLE_FORMATS, Row
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.training.audits import Audit

# Number of lines above which the command uses all cores.
_MIN_LINES_FOR_ALL_CORES = 5_000
# Findings in a table; csv, tsv, json and jsonl list all.
_MAX_LISTED_FINDINGS = 20
# Explains the row of bits.
_BITS_LEGEND = """\
bits: one more is a puzzle that half as many tries solve;
easiest, ends of the first four fifths, hardest"""


@opt.command()
def audit(
    source: "ByteStream" = opt.argument("FILE", type=opt.SOURCE),
    solutions: bool = opt.display("Count the solutions of each puzzle, which takes longer."),
    form: str = opt.FORMAT,
    plot: Path | None = opt.PLOT,
    game: Game = opt.game_options(opt.HAND_RULES, default=FREE_GAME, offered=HAND_GAMES),
    workers: int | None = opt.limit(
        "Processes to use [default: all cores for long files].", opt.WORKER_COUNT
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
    from crisps24.judging.columns import PUZZLE_COLUMNS
    from crisps24.judging.records import read_records
    from crisps24.output.plots import check_plot
    from crisps24.training.audits import PUZZLES_PER_CHUNK
    from crisps24.training.audits import audit as audit_records

    if plot is not None:
        check_plot(plot)
    lines = list(read_records(source, PUZZLE_COLUMNS))
    chunk_count = -(-len(lines) // PUZZLES_PER_CHUNK)
    with (
        open_executor(
            workers, chunk_count, worth_it=len(lines) > _MIN_LINES_FOR_ALL_CORES
        ) as executor,
        progress_bar("puzzles", len(lines)) as progress,
    ):
        result = audit_records(
            lines, game, solutions=solutions, executor=executor, progress=progress
        )
    _print_audit(result, form)
    if plot is not None:
        _plot_difficulty(result, plot)
    has_unreadable_lines = any(flaw.kind == "unreadable" for flaw in result.flaws)
    exit_with(not result.has_errors, unreadable=has_unreadable_lines)


def _print_audit(result: "Audit", form: str) -> None:
    """Print the result of an audit: the flaws of a file of puzzles, such as unsolvable puzzles.

    A table for people has the first 20 flaws, and below them the summary: counts of puzzles, and
    how hard they are. A format for data, such as csv, has all flaws and no summary.
    """
    flaw_rows: list[Row] = [flaw.row() for flaw in result.flaws]
    if form in TABLE_FORMATS:
        show(flaw_rows, form, ["line", "kind", "told", "code"])
        return
    if flaw_rows:
        show(flaw_rows[:_MAX_LISTED_FINDINGS], form, ["line", "kind", "told"])
        unlisted_count = len(flaw_rows) - _MAX_LISTED_FINDINGS
        if unlisted_count > 0:
            echo(f"and {unlisted_count:,} more: --format jsonl has all")
        echo()
    summary_rows = result.summary()
    show(summary_rows, form)
    if any(row["what"] == "bits" for row in summary_rows):
        echo(_BITS_LEGEND)


def _plot_difficulty(result: "Audit", path: Path) -> None:
    """Draw a histogram of how hard the puzzles of a file are, and write it to `path`.

    The suffix of the path sets the format of the image. Each level of difficulty, from 1 (easy) to
    5, has its own grey; the puzzles of a game without levels are one group.

    Raises:
        click.UsageError: No puzzle has a difficulty, for example since none has a solution.
    """
    from crisps24.output.plots import plot_levels

    # The key None stands for the puzzles of a game without levels.
    sorted_levels = sorted(result.bits, key=lambda level: level or 0)
    bits_by_label = {
        f"level {level}" if level else "all": result.bits[level] for level in sorted_levels
    }
    if not bits_by_label:
        raise click.UsageError("--plot: no puzzle has a difficulty to draw")
    with warn_if_overwritten(path):
        title = f"How hard {result.puzzles:,} puzzles are"
        plot_levels(bits_by_label, path, title, "puzzles")
