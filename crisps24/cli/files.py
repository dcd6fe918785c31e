"""The commands about rows and files: results, count, check, verify."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_FORMULAS,
    OF_ROWS,
    VALUE,
    complain,
    exit_with,
    format_option,
    game_options,
    progress_bar,
    show,
    targets_of,
)
from crisps24.rules.games import Exact, Game, parse_hand

if TYPE_CHECKING:
    from crisps24.rows.verification import Verification

# Problems of a file that are listed before the rest is only counted.
_LISTED = 20
# Rows of one file that take long enough for a progress bar.
_LONG = 1_000_000


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--dir", "directory", default="results", help="Where to.", show_default=True)
@game_options(OF_ROWS)
@format_option
def results(targets: Sequence[str], directory: str, game: Game, form: str) -> None:
    """Write the results file of each TARGET.

    A TARGET is a number, a range such as 0..100, or all that the game reaches.

    Example: crisps24 results 143 24 --dir results
    """
    wanted = targets_of(targets, game)
    from crisps24.rows.results import counts_of, write_all

    combinations = counts_of(wanted, game)
    total = sum(combinations.values())
    with progress_bar("rows", total, shown=len(wanted) > 1 or total >= _LONG) as progress:
        rows = [
            {
                "target": written.target,
                "combinations": written.combinations,
                "lines": written.lines,
                "file": str(written.path),
            }
            for written in write_all(wanted, directory, game, progress=progress)
        ]
    show(rows, form)


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option("--top", type=click.IntRange(1), help="Only the targets with the most combinations.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw combinations by target (.png, .svg, .pdf).",
)
@game_options(OF_ROWS)
@format_option
def count(
    targets: Sequence[str], top: int | None, plot: Path | None, game: Game, form: str
) -> None:
    """Count the combinations of each TARGET.

    Example: crisps24 count 24 --length 10
    """
    if not targets and top is None and plot is None:
        raise click.UsageError("give a TARGET: a number, a range such as 0..100, or all")
    if plot:
        from crisps24.outside.plots import check_plot, plot_counts

        check_plot(plot)
    wanted = targets_of(targets or ["all"], game)
    from crisps24.rows.results import counts_of, lines_of

    counted = counts_of(wanted, game)
    found = list(counted.items())
    if top is not None:
        found = sorted(found, key=lambda pair: -pair[1])[:top]
    show(
        [
            {"target": target, "combinations": ways, "lines": lines_of(ways)}
            for target, ways in found
        ],
        form,
    )
    if plot:
        plot_counts(counted, plot, f"{game.name}: combinations of {game.length} numbers")


@click.command()
@click.argument("formulas", metavar="FORMULA...", nargs=-1)
@click.option("--target", type=VALUE, help="What each formula has to make.")
@click.option("--card", help='The numbers that each has to use, such as "4 3 8 4".')
@click.option("--file", "source", type=click.File("rb"), help="A formula a line; - is stdin.")
@click.option("--steps", is_flag=True, help="Show the working.")
@game_options(OF_FORMULAS)
@format_option
def check(
    formulas: Sequence[str],
    target: Exact | None,
    card: str | None,
    source: Iterable[bytes] | None,
    steps: bool,
    game: Game,
    form: str,
) -> None:
    """Check formulas, and the target they state.

    A formula is right when it is legal, makes its target and uses the card's numbers.

    Example: crisps24 check "4 + 3 x 8 - 4 = 24" --card "4 3 8 4"
    """
    from crisps24.notation import grammar

    hand = None if card is None else parse_hand(card.replace(",", " ").split(), game)
    if hand == ():
        raise click.UsageError('the card is empty: give its numbers, such as --card "4 3 8 4"')
    texts = [*formulas, *_lines(source or ())]
    if not texts:
        raise click.UsageError('give a FORMULA such as "4 + 3 x 8 - 4", or a --file with some')
    rows = []
    for text in texts:
        found = grammar.check(text, target, hand, game)
        if found.error and form == "table":
            complain(f"{found.error.marked()}\n{found.error}\n")
        row: dict[str, Any] = {
            "formula": found.formula,
            "value": found.value,
            "verdict": found.verdict,
            "reason": found.reason,
            "position": found.error.position if found.error else None,
        }
        if steps:
            row["steps"] = _steps(text, found.reason if found.error else None, game)
        rows.append(row)
    show(rows, form, ["formula", "value", "verdict", "reason", "steps"])
    exit_with(all(row["verdict"] == "right" for row in rows))


def _steps(text: str, objection: str | None, game: Game) -> list[str]:
    """Return the working of a formula, nothing where it is refused before its first step."""
    from crisps24.notation import grammar
    from crisps24.notation.trees import FormulaError

    try:
        lines = grammar.working(text, game)
    except FormulaError:
        return []
    return lines if objection is None or objection in lines else []


def _lines(source: Iterable[bytes]) -> list[str]:
    """Return the formulas in a file: a line each, without blank lines and # comments."""
    lines = (line.decode(errors="replace").strip() for line in source)
    return [line for line in lines if line and not line.startswith("#")]


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--target", type=VALUE, help="The target, where the name of the file has none.")
@game_options(OF_ROWS)
@format_option
def verify(files: Sequence[Path], target: Exact | None, game: Game, form: str) -> None:
    """Verify results files.

    A file is right when every row is, none is there twice, none is missing, all in order.

    Example: crisps24 verify results/results.143
    """
    from crisps24.rows.verification import verify_results

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
    exit_with(all(one.verdict == "right" for one in found))


def _listing(one: "Verification") -> list[str]:
    """Return the first problems of a file and how many more there are, then what is missing."""
    return [*_listed(one.found, one.more_found), *_listed(one.missing, one.more_missing)]


def _listed(problems: Sequence[object], unlisted: int) -> list[str]:
    lines = [str(problem) for problem in problems[:_LISTED]]
    more = len(problems) - len(lines) + unlisted
    return [*lines, f"… and {more:,} more"] if more else lines
