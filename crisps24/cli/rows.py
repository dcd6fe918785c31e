"""The commands results, verify, count and formulas: formulas as rows of numbers."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import echo, overwriting, print_rows, show
from crisps24.output.tables import TABLE_FORMATS
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import HandQuery

if TYPE_CHECKING:
    from crisps24.enumeration.verification import Verification
    from crisps24.notation.trees import Formula

# Problems listed per file; the others are counted.
_LISTED = 20
# Rows of a file to write, and bytes of a file to verify, above which a progress bar is shown.
_LONG_FILE, _LARGE = 1_000_000, 50_000_000
_OF_ROWS = opt.game_options(opt.OF_ROWS)


@opt.command()
def results(
    targets: Sequence[str] = opt.argument("TARGET...", required=True),
    directory: str = opt.output(
        "Write the files here.", opt.FOLDER, "--dir", default="results", metavar="FOLDER"
    ),
    form: str = opt.FORMAT,
    game: Game = _OF_ROWS,
    workers: int | None = opt.WORKERS,
) -> None:
    """Write the results file of each target.

    TARGET is a number, a range such as 0..100, or all: every target the game can make.
    Each file is named results.TARGET and lists every formula that makes it.

    Examples:
      crisps24 results 143                     write results/results.143
      crisps24 results 0..100 --dir out        one file per target, in out/
      crisps24 results all --workers 4         every target of the game
      crisps24 results 24 --length 3           formulas of three numbers
    """
    wanted = opt.targets_of(targets, game)
    from crisps24.enumeration.enumeration import RowQuery, count_targets
    from crisps24.enumeration.results import SECTION_ROWS, count_write_tasks, write_results_files

    query = RowQuery(game)
    combinations = count_targets(wanted, query)
    total, pieces = sum(combinations.values()), count_write_tasks(combinations, game)
    shown = len(wanted) > 1 or total >= _LONG_FILE
    with (
        screen.executor_of(workers, pieces, worth_it=total > SECTION_ROWS) as executor,
        progress_bar("rows", total, shown=shown) as progress,
    ):
        rows = [
            {
                "target": each.target,
                "combinations": each.combinations,
                "lines": each.lines,
                "file": str(each.path),
            }
            for each in write_results_files(
                wanted, directory, query, executor=executor, progress=progress
            )
        ]
    screen.show(rows, form)
    if click.get_current_context().meta.get(opt.SHORT):
        written = f"{rows[0]['file']} is" if len(rows) == 1 else f"{len(rows):,} files are"
        screen.complain(f"{written} written: TARGET without a command means crisps24 results")


@opt.command()
def verify(
    files: Sequence[str] = opt.argument(
        "FILE...", required=True, type=click.Path(exists=True, allow_dash=True)
    ),
    target: Exact | None = opt.input(
        "Target, if the name of the file does not contain it.", opt.VALUE
    ),
    layout: str = opt.input(
        "exact, or any: accept other line ends and spacing.",
        click.Choice(["exact", "any"]),
        default="exact",
    ),
    form: str = opt.FORMAT,
    game: Game = _OF_ROWS,
) -> None:
    """Verify results files.

    A file is right if it has every row of the target exactly once, correct and in order. A folder
    stands for the results files in it. Exit status: 0 if all files are right, 1 if not.

    Examples:
      crisps24 verify results/results.143
      crisps24 verify results --format json
      crisps24 verify theirs.txt --target 143 --layout any
      zcat results.143.gz | crisps24 verify - --target 143
    """
    files = [name for file in files for name in _files_of(file, target)]
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
            if form in TABLE_FORMATS and TABLE_FORMATS[form].nested
            else _listing(one),
        }
        for one in found
    ]
    keys = ["file", "target", "combinations", "verdict"] if form == "table" else []
    screen.show(rows, form, keys)
    if form == "table":
        for one in found:
            for line in ["", f"{one.file}:", *_listing(one)] if one.problems else []:
                echo(line)
    right = [one.verdict == "right" or (layout == "any" and one.layout_only) for one in found]
    screen.exit_with(all(right))


def _files_of(name: str, target: Exact | None) -> list[str]:
    """Return the file of a name, or the results files in a folder by target."""
    from crisps24.enumeration.results import target_of_name

    if name == opt.STANDARD or not Path(name).is_dir():
        return [name]
    if target is not None:
        raise click.UsageError(f"{name} is a folder, and --target is for one file: leave it out")
    named = ((target_of_name(file), str(file)) for file in Path(name).iterdir() if file.is_file())
    found = sorted((target, file) for target, file in named if target is not None)
    if not found:
        raise click.UsageError(f"{name} has no results files (expected names such as results.24)")
    return [file for _, file in found]


def _refuse_nameless(files: Sequence[str]) -> None:
    """Refuse files whose names do not contain the target."""
    from crisps24.enumeration.results import target_of_name

    for file in files:
        if file == opt.STANDARD or target_of_name(Path(file)) is None:
            raise click.UsageError(f"the name {file} does not contain the target: add --target")


def _verified(file: str, target: Exact | None, game: Game) -> "Verification":
    from crisps24.enumeration.verification import verify_results

    length = game.length if opt.was_given("length") else None
    if file == opt.STANDARD:
        found = verify_results(sys.stdin.buffer, game, target=target, length=length)
        return replace(found, file=Path(file))
    size = Path(file).stat().st_size
    with progress_bar(f"{file}, bytes", size, shown=size >= _LARGE) as progress:
        return verify_results(file, game, target=target, length=length, progress=progress)


def _listing(one: "Verification") -> list[str]:
    """Return the first problems and the number of others, then the same for missing rows."""
    lines: list[str] = []
    for problems, unlisted in (
        (one.errors, one.unlisted_errors),
        (one.missing, one.unlisted_missing),
    ):
        more = len(problems[_LISTED:]) + unlisted
        lines += [str(problem) for problem in problems[:_LISTED]]
        lines += [f"… and {more:,} more"] if more else []
    return lines


# The table format of the On-Line Encyclopedia of Integer Sequences: n and a(n) on each line.
_B_FILE = "bfile"
_OF_B_FILES = "a b-file has whole targets in order: it takes no {}"
# Pairs of values above which a progress bar is shown: some seconds.
_LONG = 100_000_000
_GAME = opt.game_options((*opt.OF_ROWS, "parentheses"))
_CONFLICTS = (
    *opt.requires("in_order", "card", "--in-order keeps the order of a card: add --card"),
    *opt.excludes("card", "length numbers", "--card sets the numbers: it takes no {}"),
)


def _forms_of(
    card: str | None, in_order: bool, game: Game, targets: Sequence[str]
) -> tuple[Hand | None, bool]:
    """Return the hand of a card, and whether formulas have parentheses: only with --in-order."""
    hand = None if card is None else opt.read_card(card, game)
    if game.parentheses and not (in_order and hand):
        name = click.get_current_context().command.name
        words = ["crisps24", str(name), *(targets or ["24"]), "--card", card or "4 3 8 4"]
        line = shlex.join([*words, "--in-order", "--parentheses"])
        opt.refuse_given(["parentheses"], f"{{}} needs the order of a card: use {line}")
    if game.parentheses and in_order and hand:
        opt.refuse_not_told_apart(hand, game, "--parentheses", in_order=True)
    return hand, game.parentheses and in_order


@opt.command(_CONFLICTS)
def count(
    targets: Sequence[str] = opt.argument("TARGET..."),
    card: str | None = opt.CARD,
    in_order: bool = opt.IN_ORDER,
    top: int | None = opt.display("Show only the N targets with the most formulas.", opt.FROM_ONE),
    form: str = opt.format_options(_B_FILE),
    plot: Path | None = opt.output(
        "Draw a chart of counts by target: .png, .svg or .pdf.",
        opt.OutputPath(dir_okay=False, path_type=Path),
    ),
    game: Game = _GAME,
    work: int | None = opt.MOST_PAIRS,
) -> None:
    """Count the formulas that make each target.

    A combination is a formula: numbers and operators that make the target. TARGET is a number, a
    range such as 0..100, or all: every target that the game can make.

    Examples:
      crisps24 count 24                        four digits, the rules of crisps
      crisps24 count 0..100 --format csv
      crisps24 count --top 10                  the ten targets with the most
      crisps24 count 24 --length 10            formulas of ten numbers
      crisps24 count 24 --card "4 3 8 4"       only with these numbers

    With --card, --in-order and --parentheses the table has two counts: written forms, in which
    (1 + 2) + 3 and 1 + (2 + 3) differ, and distinct solutions, in which they are the same. The
    format bfile is that of the Online Encyclopedia of Integer Sequences: a target and its count.
    """
    hand, forms = _forms_of(card, in_order, game, targets)
    if not targets and top is None and plot is None:
        raise click.UsageError("give a TARGET: a number, a range such as 0..100, or all")
    if plot:
        from crisps24.output.plots import check_plot, plot_counts

        check_plot(plot)
    if hand is not None and forms:
        rows = _count_forms(targets, HandQuery(hand, game, True, work), form)
        show(rows if top is None else sorted(rows, key=lambda row: -row["written"])[:top], form)
        return
    from crisps24.enumeration.enumeration import (
        RowQuery,
        count_all_targets,
        count_targets,
        estimate_pairs,
    )
    from crisps24.enumeration.format import line_count

    words = targets or ["all"]
    if form == _B_FILE:
        opt.refuse_given(["top"], _OF_B_FILES)
    # The targets of `all` are known only after counting.
    wanted = None if "all" in words else opt.targets_of(words, game)
    _refuse_fractions(wanted or (), form)
    query = RowQuery(game, hand, in_order, work)
    pairs = estimate_pairs(None if wanted is None else len(wanted), query)
    shown = pairs >= _LONG and (work is None or pairs <= work)
    with progress_bar("pairs of values", pairs, shown=shown) as progress:
        if wanted is None:
            wanted = opt.targets_of(words, game, lambda: count_all_targets(query, progress))
            _refuse_fractions(wanted, form)
        counted = count_targets(wanted, query, progress)
    found = sorted(counted.items(), key=lambda pair: -pair[1])[:top] if top else counted.items()
    if form == _B_FILE:
        echo("\n".join(f"{target} {ways}" for target, ways in found))
    else:
        keys = ("target", "combinations", "lines")
        show([dict(zip(keys, (*pair, line_count(pair[1])), strict=True)) for pair in found], form)
    if plot:
        from crisps24.surveys.titles import game_title

        numbers = f"{game.length} numbers" if hand is None else f"the card {format_hand(hand)}"
        with overwriting(plot):
            title = f"{game_title(game)}: combinations of {numbers}"
            plot_counts(counted, plot, title, mark=game.target)


def _count_forms(words: Sequence[str], query: HandQuery, form: str) -> list[dict[str, Any]]:
    """Count the written forms of each target, and the distinct solutions."""
    from crisps24.solving.solver import find_solution_counts, find_written_counts

    if form == _B_FILE:
        raise click.UsageError("a b-file has one count per target; --parentheses gives two")
    opt.refuse_given(["plot"], "--parentheses counts in a table: it takes no {}")
    if not words or "all" in words:
        raise click.UsageError("--parentheses needs a TARGET: a number or a range such as 0..100")
    wanted = opt.targets_of(words, query.game)
    written, distinct = (
        find_written_counts(query, wanted),
        find_solution_counts(query, None, wanted),
    )
    return [
        {"target": each, "written": written[each], "distinct": distinct.get(each, 0)}
        for each in wanted
    ]


def _refuse_fractions(targets: Iterable[Exact], form: str) -> None:
    """Refuse a b-file of targets that are not whole."""
    fraction = next((target for target in targets if not isinstance(target, int)), None)
    if form == _B_FILE and fraction is not None:
        raise click.UsageError(_OF_B_FILES.format(fraction))


@opt.command(_CONFLICTS)
def formulas(
    target: str = opt.argument("TARGET"),
    card: str | None = opt.CARD,
    in_order: bool = opt.IN_ORDER,
    limit: int | None = opt.MOST_SHOWN,
    distinct: bool = opt.display(
        "With --parentheses: one formula per distinct solution, not every form."
    ),
    style: str | None = opt.STYLE,
    form: str = opt.format_options(text="one formula per line"),
    game: Game = _GAME,
    work: int | None = opt.MOST_PAIRS,
) -> None:
    """Print every formula that makes a target.

    Examples:
      crisps24 formulas 24 --limit 10
      crisps24 formulas 24 --card "4 3 8 4"
      crisps24 formulas 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join
      crisps24 formulas 24 --format jsonl      with its numbers and operators

    With --card, --in-order and --parentheses it prints every written form. Forms such as
    (1 + 2) + 3 and 1 + (2 + 3) are one solution: --distinct prints only the plainest form.
    """
    hand, forms = _forms_of(card, in_order, game, [target])
    if ".." in target or target == "all":
        raise click.UsageError(f"{target}: formulas takes one TARGET, a number")
    [wanted] = opt.targets_of([target], game)
    style = style or game.style
    keys = ["formula"]
    if forms or distinct:
        if hand is None or not game.parentheses:
            raise click.UsageError("--distinct needs --parentheses, --card and --in-order")
        query = HandQuery(hand, game, True, work)
        rows = _forms(query, wanted, limit, style, distinct=distinct)
    else:
        from crisps24.enumeration.enumeration import RowQuery, find_formulas

        keys += ["numbers", "operators"]
        rows = (
            {
                "formula": text_in(style, each, game),
                "numbers": each.numbers,
                "operators": each.operators,
            }
            for each in islice(find_formulas(RowQuery(game, hand, in_order, work), wanted), limit)
        )
    print_rows(rows, form, keys, text="formula")


def _forms(
    query: HandQuery, target: Exact, limit: int | None, style: str, *, distinct: bool
) -> Iterable[dict[str, Any]]:
    """Return the written forms of a card in its order, or its distinct solutions."""
    from crisps24.notation.trees import text_of
    from crisps24.solving.solver import find_first, find_written_forms

    found: Iterable[Any] = (
        find_first(query, target, limit)
        if distinct
        else islice(find_written_forms(query, target), limit)
    )
    return ({"formula": text_of(each, style)} for each in found)


def text_in(style: str, formula: "Formula", game: Game) -> str:
    """Return a formula in a style."""
    if style == "crisps":
        return str(formula)
    from crisps24.notation.grammar import parse_pattern
    from crisps24.notation.trees import text_of

    tree = parse_pattern(formula.operators, game)
    return text_of(tree, style, lambda place: str(formula.numbers[place.value]))
