"""The commands: read options, call one library function, print. Nobody imports this room."""

import io
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from crisps24.games import Exact, Game, parse_hand
from crisps24.options import (
    VALUE,
    complain,
    format_option,
    game_options,
    is_target,
    on_terminal,
    show,
    targets_of,
)

# Problems of a file that are listed before the rest is only counted.
_LISTED = 20
# Rows of one file that take long enough for a progress bar.
_LONG = 1_000_000


class _Commands(click.Group):
    """The commands, where a TARGET in the place of one is short for `results TARGET`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and is_target(args[0]):
            args = ["results", *(["--"] if args[0].startswith("-") else []), *args]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what a person did wrong, or the disk, is told in one line."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # Nobody reads any more; what is still buffered must not complain at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(128 + signal.SIGPIPE)
        except KeyboardInterrupt:
            complain("\ncrisps24: stopped; every file is whole, or as it was before")
            ctx.exit(128 + signal.SIGINT)
        except (ValueError, RuntimeError, OSError) as error:
            complain(f"crisps24: {_sentence(error)}")
            ctx.exit(1 if isinstance(error, RuntimeError) else 2)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


_HELP = """Find, count and check formulas that make a target.

\b
crisps24 143                 writes results/results.143
crisps24 count 24            counts the combinations
crisps24 check "4 + 3 x 8 - 4 = 24"
"""


@click.group(cls=_Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="crisps24", message="%(prog)s %(version)s")
def cli() -> None:
    """Hold the commands."""


@cli.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--dir", "directory", default="results", help="Where to.", show_default=True)
@game_options()
@format_option
def results(targets: Sequence[str], directory: str, game: Game, style: str) -> None:
    """Write the results file of each TARGET.

    A TARGET is a number, a range such as 0..100, or all that the game reaches.

    Example: crisps24 results 143 24 --dir results
    """
    wanted = targets_of(targets, game)
    from crisps24.results import counts_of, write_all

    combinations = counts_of(wanted, game)
    with _progress(sum(combinations.values()), len(wanted)) as progress:
        rows = [
            {
                "target": written.target,
                "combinations": written.combinations,
                "lines": written.lines,
                "file": str(written.path),
            }
            for written in write_all(wanted, directory, game, progress=progress)
        ]
    show(rows, style)


def _progress(rows: int, files: int) -> Any:
    """Return a context that gives a function to be told of rows, with a bar on a terminal."""
    if not on_terminal() or (files == 1 and rows < _LONG):
        return nullcontext()
    bar: Any = click.progressbar(length=rows, label="rows", file=sys.stderr, show_pos=True)
    return _Updating(bar)


class _Updating:
    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def __enter__(self) -> Any:
        return self.bar.__enter__().update

    def __exit__(self, *error: object) -> None:
        self.bar.__exit__(*error)


@cli.command()
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option("--top", type=click.IntRange(1), help="Only the targets with the most combinations.")
@game_options()
@format_option
def count(targets: Sequence[str], top: int | None, game: Game, style: str) -> None:
    """Count the combinations of each TARGET.

    Example: crisps24 count 24 --length 10
    """
    if not targets and top is None:
        raise click.UsageError("give a TARGET: a number, a range such as 0..100, or all")
    wanted = targets_of(targets or ["all"], game)
    from crisps24.results import counts_of, lines_of

    found = list(counts_of(wanted, game).items())
    if top is not None:
        found = sorted(found, key=lambda pair: -pair[1])[:top]
    show(
        [
            {"target": target, "combinations": ways, "lines": lines_of(ways)}
            for target, ways in found
        ],
        style,
    )


@cli.command()
@click.argument("formulas", metavar="FORMULA...", nargs=-1)
@click.option("--target", type=VALUE, help="What each formula has to make.")
@click.option("--card", help='The numbers that each has to use, such as "4 3 8 4".')
@click.option("--file", "source", type=click.File("rb"), help="A formula a line; - is stdin.")
@click.option("--steps", is_flag=True, help="Show the working.")
@game_options()
@format_option
def check(
    formulas: Sequence[str],
    target: Exact | None,
    card: str | None,
    source: Iterable[bytes] | None,
    steps: bool,
    game: Game,
    style: str,
) -> None:
    """Check formulas, and the target they state.

    A formula is right when it is legal, makes its target and uses the card's numbers.

    Example: crisps24 check "4 + 3 x 8 - 4 = 24" --card "4 3 8 4"
    """
    from crisps24 import grammar

    hand = None if card is None else parse_hand(card.replace(",", " ").split(), game)
    texts = [*formulas, *_lines(source or ())]
    if not texts:
        raise click.UsageError('give a FORMULA such as "4 + 3 x 8 - 4", or a --file with some')
    rows = []
    for text in texts:
        found = grammar.check(text, target, hand, game)
        if found.error and style == "table":
            complain(f"{found.error.marked()}\n{found.error}\n")
        row: dict[str, Any] = {
            "formula": found.formula,
            "value": found.value,
            "verdict": found.verdict,
            "reason": found.reason,
            "position": found.error.position if found.error else None,
        }
        if steps:
            row["steps"] = [] if found.verdict == "malformed" else _steps(text, game)
        rows.append(row)
    show(rows, style, ["formula", "value", "verdict", "reason", "steps"])
    _exit_with(all(row["verdict"] == "right" for row in rows))


def _steps(text: str, game: Game) -> list[str]:
    from crisps24 import grammar
    from crisps24.expressions import FormulaError

    try:
        return grammar.working(text, game)
    except FormulaError:
        return []


def _lines(source: Iterable[bytes]) -> list[str]:
    """Return the formulas in a file: a line each, without blank lines and # comments."""
    lines = (line.decode(errors="replace").strip() for line in source)
    return [line for line in lines if line and not line.startswith("#")]


def _exit_with(well: bool) -> None:
    """End with status 1 where something was not right."""
    if not well:
        sys.stdout.flush()
        click.get_current_context().exit(1)


@cli.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--target", type=VALUE, help="The target, where the name of the file has none.")
@game_options()
@format_option
def verify(files: Sequence[Path], target: Exact | None, game: Game, style: str) -> None:
    """Verify results files.

    A file is right when every row is, none is there twice, none is missing, all in order.

    Example: crisps24 verify results/results.143
    """
    from crisps24.verification import verify_results

    given = click.get_current_context().get_parameter_source("length")
    length = game.length if given is click.core.ParameterSource.COMMANDLINE else None
    found = [verify_results(file, game, target=target, length=length) for file in files]
    rows = [
        {
            "file": str(one.file),
            "target": one.target,
            "combinations": one.combinations,
            "verdict": one.verdict,
            "problems": [{"line": each.line, "problem": each.problem} for each in one.problems]
            if style == "json"
            else _listed(one.problems),
        }
        for one in found
    ]
    if style == "table":
        show(rows, style, ["file", "target", "combinations", "verdict"])
        for one in found:
            for line in ["", f"{one.file}:", *_listed(one.problems)] if one.problems else []:
                click.echo(line)
    else:
        show(rows, style)
    _exit_with(all(one.verdict == "right" for one in found))


def _listed(problems: Sequence[object]) -> list[str]:
    """Return the first problems, and how many more there are."""
    lines = [str(problem) for problem in problems[:_LISTED]]
    more = len(problems) - len(lines)
    return [*lines, f"… and {more:,} more"] if more else lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 is all well, 1 a formula or file that is not right, 2 a wrong call; 130 after Ctrl-C and
    141 after a closed pipe, as shells have it.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # A formula is short enough for all its digits to be printed.
    sys.set_int_max_str_digits(0)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        status = cli.main(args=argv, prog_name="crisps24", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        hint = f" ({path} --help shows how)" if path else ""
        complain(f"crisps24: {error.format_message()}{hint}")
        return 2
    except click.Abort:
        return 128 + signal.SIGINT
