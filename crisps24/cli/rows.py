"""The commands results, verify, count and formulas: formulas as rows of numbers."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import echo, print_rows, report_replaced, show
from crisps24.errors import RefusedError
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.operators import is_inverse_pair
from crisps24.rules.queries import HandQuery
from crisps24.rules.rules import LENGTH
from crisps24.rules.words import parse_range

with opt.lazy_imports(globals()):
    from crisps24.enumeration import enumeration, verification
    from crisps24.enumeration import results as result_files
    from crisps24.notation import parser, trees
    from crisps24.output import atomic_files, plots
    from crisps24.puzzles import conditions
    from crisps24.solving import solver, values, written
    from crisps24.surveys import titles

_MAX_LISTED_PROBLEMS = 20
# Sizes of files from which on a progress bar is shown: rows to write, bytes to verify.
_MIN_ROWS_FOR_PROGRESS = 1_000_000
_MIN_BYTES_FOR_PROGRESS = 50_000_000
_ROW_GAME = opt.game_options(opt.ROW_RULES)


@opt.command()
def results(
    targets: Sequence[str] = opt.argument("[TARGET]..."),
    directory: str = opt.output(
        "Write the files here.", opt.FOLDER, "--dir", default="results", metavar="FOLDER"
    ),
    form: str = opt.FORMAT,
    game: Game = _ROW_GAME,
    workers: int | None = opt.WORKERS,
) -> None:
    """Write the results file of each target.

    TARGET is a number, a range such as 0..100, or all: every target the game can make; by default
    it is that of the game. Each file is named results.TARGET and lists every formula that makes it.
    If rules are changed, the files are in a folder that is named after them. An older results file
    is replaced; any other file of that name is kept, and the call refused.

    Examples:
      crisps24 results 143                     write results/results.143
      crisps24 results 0..100 --dir out        one file per target, in out/
      crisps24 results all --workers 4         every target of the game
      crisps24 results 24 --length 3           write results/length=3/results.24
    """
    target_values = opt.targets_of(targets, game)
    query = enumeration.RowQuery(game)
    folder = atomic_files.to_path(directory) / result_files.folder_name_of(game)
    result_files.check_replaceable(
        folder / name for name in map(result_files.file_name_of, target_values)
    )
    combinations = enumeration.count_targets(target_values, query)
    row_count = sum(combinations.values())
    task_count = result_files.count_tasks(combinations, game)
    has_sections = row_count > result_files.SECTION_ROWS
    is_long = len(target_values) > 1 or row_count >= _MIN_ROWS_FOR_PROGRESS
    with (
        screen.open_executor(workers, task_count, worth_it=has_sections) as executor,
        progress_bar("rows", row_count, shown=is_long) as progress,
    ):
        files = result_files.write_results_files(
            target_values, folder, query, executor=executor, progress=progress
        )
        columns = ("target", "combinations", "lines", "file")
        values = [(file.target, file.row_count, file.lines, str(file.path)) for file in files]
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    screen.show(rows, form)
    # A call such as `crisps24 24` names no command: say which command it stands for.
    if click.get_current_context().meta.get(opt.SHORT_FORM_KEY):
        subject = f"{rows[0]['file']} is" if len(rows) == 1 else f"{len(rows):,} files are"
        screen.print_to_stderr(
            f"{subject} written: TARGET without a command means crisps24 results; "
            "to play: crisps24 play cards"
        )


@opt.command()
def verify(
    files: Sequence[str] = opt.argument(
        "FILE...", required=True, type=click.Path(exists=True, allow_dash=True)
    ),
    target: Exact | None = opt.reading(
        "Target, if the name of the file does not contain it.", opt.VALUE
    ),
    layout: str = opt.reading(
        "exact, or any: accept all rows in any form and order.",
        click.Choice(["exact", "any"]),
        default="exact",
    ),
    form: str = opt.FORMAT,
    fix: Path | None = opt.output("Write the file as it should be.", opt.FILE),
    game: Game = _ROW_GAME,
) -> None:
    """Verify results files.

    A file is right if it has every row of the target exactly once, correct and in order. A folder
    stands for the results files in it, and its name can give the rules, as crisps24 results names
    it. Exit status: 0 if all files are right, 1 if not.

    A file of other programs, such as CSV, HTML or in another encoding, is right, but laid out
    otherwise: the differences are listed, and --layout any accepts them.

    Examples:
      crisps24 verify results/results.143
      crisps24 verify results --format json
      crisps24 verify theirs.txt --target 143 --layout any
      zcat results.143.gz | crisps24 verify - --target 143
      crisps24 verify theirs.txt --target 143 --fix results.143
    """
    files = [name for file in files for name in _expand_folder(file, target)]
    if fix is not None:
        if len(files) > 1:
            raise click.UsageError(f"--fix corrects one FILE, and the call names {len(files)}")
        source = Path("/dev/stdin" if files[0] == opt.STANDARD else files[0])
        screen.refuse_same_file([("FILE", source), ("--fix", fix)])
    for name in files if target is None else ():
        if name == opt.STANDARD or result_files.target_of_name(Path(name)) is None:
            raise click.UsageError(f"the name {name} is not results.TARGET: add --target")
    verifications = [_verify_file(file, target, game) for file in files]
    rows = [
        {
            "file": str(verified.file),
            "target": verified.target,
            "combinations": verified.combinations,
            "verdict": verified.verdict,
            "problems": _list_problems(verified, form),
        }
        for verified in verifications
    ]
    # Problems are too long for the columns of a table: list them below it.
    keys = ["file", "target", "combinations", "verdict"] if form == "table" else []
    screen.show(rows, form, keys)
    if form == "table":
        for verified in verifications:
            if verified.problems:
                problems = _list_problems(verified, form)
                echo("\n".join(["", f"{verified.file}:", *problems]))
    if fix is not None:
        with report_replaced(fix):
            verifications[0].write_corrected(fix)
        added = len(verifications[0].missing) + verifications[0].unlisted_missing
        screen.print_to_stderr(f"{fix} is written: all problems corrected, {added:,} rows added")
    # With --layout any, a file that differs only in its form is right too.
    is_right = [
        verified.verdict == "right" or (layout == "any" and verified.layout_only)
        for verified in verifications
    ]
    screen.exit_with(all(is_right))


def _expand_folder(name: str, target: Exact | None) -> list[str]:
    if name == opt.STANDARD or not Path(name).is_dir():
        return [name]
    if target is not None:
        raise click.UsageError(f"{name} is a folder, and --target is for one file: leave it out")
    folders = [Path(name), *(path for path in Path(name).glob("*=*") if path.is_dir())]
    paths = [path for folder in folders for path in folder.iterdir() if path.is_file()]
    paths = [path for path in paths if path.name.casefold().startswith("results.")]
    targets = [(result_files.target_of_name(path), str(path)) for path in paths]
    named = sorted((target, file) for target, file in targets if target is not None)
    if not named:
        raise click.UsageError(f"{name} has no results files (expected names such as results.24)")
    return [file for _, file in named]


def _verify_file(file: str, target: Exact | None, game: Game) -> "verification.Verification":
    named_game = game
    if file != opt.STANDARD and not any(map(opt.was_given, opt.ROW_RULES)):
        named_game = result_files.game_of_folder(Path(file).absolute().parent.name, game)
    has_length = opt.was_given("length") or named_game.length != game.length
    game, length = named_game, named_game.length if has_length else None
    verify_results = verification.verify_results
    if file == opt.STANDARD:
        verified = verify_results(sys.stdin.buffer, game, target=target, length=length)
        return replace(verified, file=Path(file))
    byte_count = Path(file).stat().st_size
    is_large = byte_count >= _MIN_BYTES_FOR_PROGRESS
    with progress_bar(f"{file}, bytes", byte_count, shown=is_large) as progress:
        return verify_results(file, game, target=target, length=length, progress=progress)


def _list_problems(verified: "verification.Verification", form: str) -> list[Any]:
    """Return the problems of a file: in json objects with their line, else texts."""
    if screen.is_nested(form):
        return [{"line": problem.line, "problem": problem.problem} for problem in verified.problems]
    lines: list[str] = []
    for problems, uncollected_count in (
        (verified.errors, verified.unlisted_errors),
        (verified.missing, verified.unlisted_missing),
    ):
        lines += map(str, problems[:_MAX_LISTED_PROBLEMS])
        unlisted_count = len(problems[_MAX_LISTED_PROBLEMS:]) + uncollected_count
        if unlisted_count:
            lines.append(f"… and {unlisted_count:,} more")
    return lines


# The format of the On-Line Encyclopedia of Integer Sequences: n and a(n) on each line.
_B_FILE = "bfile"
_B_FILE_ERROR = "a b-file has whole targets in order: it takes no {}"
_MAX_B_FILE_LINES = 1_000_000
# Pairs of values from which on counting takes seconds and shows a progress bar.
_MIN_PAIRS_FOR_PROGRESS = 100_000_000
_FORMULA_GAME = opt.game_options((*opt.ROW_RULES, "parentheses"))


def _read_lengths(text: str) -> Sequence[int]:
    number: Any = click.IntRange(*LENGTH.bounds or ())
    if ".." not in text:
        return [number.convert(text, None, None)]
    lengths = parse_range(text)
    for length in (lengths[0], lengths[-1]):
        number.convert(length, None, None)
    return lengths


_LENGTHS = opt.rule(
    "How many numbers a formula has, or a range such as 1..10: a row for each.",
    opt.ParsedType("integer", _read_lengths),
    default=None,
    metavar="N",
)
_GAMES: Any = opt.OptionGroup(
    _FORMULA_GAME.members | {"length": _LENGTHS},
    lambda game, length, **changes: [
        opt.changed_game(game, changes | {"length": one}) for one in length or (None,)
    ],
)
_CONFLICTS = (
    *opt.requires("in_order", "card", "--in-order keeps the order of a card: add --card"),
    *opt.excludes("card", "length numbers", "--card sets the numbers"),
)


def _hand_and_parentheses(
    card: str | None, game: Game, targets: Sequence[str]
) -> tuple[Hand | None, bool]:
    """Return the numbers of --card, and whether the formulas of the call have parentheses."""
    hand = None if card is None else opt.read_card(card, game)
    if game.parentheses and not (game.in_order and hand):
        command_name = click.get_current_context().command.name
        words = ["crisps24", str(command_name), *(targets or ["24"]), "--card", card or "4 3 8 4"]
        line = shlex.join([*words, "--in-order", "--parentheses"])
        # A game such as cards always has parentheses: only the option itself is refused.
        opt.refuse_given(["parentheses"], f"{{}} needs the order of a card: use {line}")
    if game.parentheses and game.in_order and hand and not SOLUTIONS.can_do(game):
        rules = conditions.rule_options(game)
        words = ["crisps24", "reach", *map(str, hand), "--game", game.name, *rules]
        line = shlex.join([*words, "--in-order", "--forms"])
        problem = "--parentheses needs + - x : and no minus before anything"
        raise RefusedError(f"{problem}: use {line}")
    return hand, game.parentheses and game.in_order


@opt.command(
    _CONFLICTS,
    opt.excludes("exactly", "top plot", "--exactly lists all with N formulas"),
    opt.excludes("by", "card plot signed", "--by card has a row for each card"),
)
def count(
    targets: Sequence[str] = opt.argument("[TARGET]..."),
    card: str | None = opt.CARD,
    in_order: bool = opt.IN_ORDER,
    signed: bool = opt.puzzle("Also count formulas with a minus before the first number."),
    by: str | None = opt.display(
        "Rows of the table: {}, the fewest formulas first.", click.Choice(["card"])
    ),
    exactly: int | None = opt.display(
        "Show only targets, or cards, with exactly N formulas.", click.IntRange(0)
    ),
    top: int | None = opt.display("Show only the N targets with the most formulas.", opt.POSITIVE),
    form: str = opt.format_options(_B_FILE),
    plot: Path | None = opt.output(
        "Draw a chart of counts by target: .png, .svg or .pdf.", opt.OUTPUT_FILE
    ),
    games: Sequence[Game] = _GAMES,
    work: int | None = opt.WORK_LIMIT,
) -> None:
    """Count the formulas that make each target.

    A combination is a formula: numbers and operators that make the target. TARGET is a number, a
    range such as 0..100, or all: every target that the game can make. The default is the target of
    the game, or all with --top and --plot.

    Examples:
      crisps24 count 24                        four digits, the rules of crisps
      crisps24 count 0..100 --format csv
      crisps24 count --top 10                  the ten targets with the most
      crisps24 count 24 --length 10            formulas of ten numbers
      crisps24 count 24 --length 1..8 --format bfile
      crisps24 count 24 --card "4 3 8 4"       only with these numbers
      crisps24 count 24 --by card --exactly 1  cards with a single formula
      crisps24 count 0..999 --exactly 0        targets without any

    With --card, --in-order and --parentheses the table has two counts: written forms, in which
    (1 + 2) + 3 and 1 + (2 + 3) differ, and distinct solutions, in which they are the same. The
    format bfile is that of the Online Encyclopedia of Integer Sequences: a target and its count, or
    a length and its count with a range of lengths.
    """
    game = find_game(games[0], in_order=in_order)
    if len(games) > 1:
        names = ["top", "plot", "exactly", "by"]
        opt.refuse_given(names, "a range of lengths has a row for each: it takes no {}")
        counts_by_length = [
            (game.length, _count_target(targets, game, work, signed)) for game in games
        ]
        _show_counts(counts_by_length, form, "length")
        return
    hand, has_parentheses = _hand_and_parentheses(card, game, targets)
    if plot:
        plots.check_plot(plot)
    # Formulas with parentheses have two counts, which only the solver finds.
    if hand is not None and has_parentheses:
        rows = _count_forms(targets, HandQuery(hand, game, work), form)
        show(rows if top is None else sorted(rows, key=lambda row: -row["written"])[:top], form)
        return
    if form == _B_FILE:
        opt.refuse_given(["top", "by", "exactly"], _B_FILE_ERROR)
    if by:
        if "all" in targets or len(opt.targets_of(targets, game)) > 1:
            raise click.UsageError("--by card takes one TARGET")
        [target] = opt.targets_of(targets, game)
        cards = enumeration.count_cards(enumeration.RowQuery(game, None, work), target)
        rows = [
            {"card": format_hand(card), "combinations": found}
            for card, found in cards.items()
            if (found if exactly is None else found == exactly)
        ]
        show(rows[:top], form, ["card", "combinations"])
        return
    words = targets or (["all"] if top or plot or exactly else [])
    if exactly == 0 and not targets:
        words = ["..".join(map(str, game.targets))]
    counts = _count_targets(words, game, hand, work, signed)
    if form == _B_FILE and counts:
        counts = _without_gaps(counts, "all" in words)
    if exactly is not None:
        counts = {target: found for target, found in counts.items() if found == exactly}
    _show_counts(Counter(counts).most_common(top) if top else counts.items(), form)
    if card is None and all(map(str.isdigit, targets)):
        # 13 is a king.
        is_hand = 4 <= len(targets) <= 6 and {*map(int, targets)} <= {*game.numbers, *range(1, 14)}
        if is_hand or len({*targets}) < len(targets):
            typed = " ".join(targets)
            line = f'crisps24 solve {typed}, or crisps24 count --card "{typed}"'
            screen.print_to_stderr(f"for the hand: {line}")
    if plot:
        numbers = f"{game.length} numbers" if hand is None else f"the card {format_hand(hand)}"
        title = f"{titles.game_title(game)}: combinations of {numbers}"
        with report_replaced(plot):
            plots.plot_counts(counts, plot, title, mark=game.target)


def _count_target(words: Sequence[str], game: Game, work: int | None, signed: bool) -> int:
    if "all" in words or len(opt.targets_of(words, game)) > 1:
        raise click.UsageError("a range of lengths takes one TARGET")
    _hand_and_parentheses(None, game, words)
    [combinations] = _count_targets(words, game, None, work, signed).values()
    return combinations


def _without_gaps(counts: Mapping[Any, int], has_all: bool) -> dict[Exact, int]:
    for target in counts:
        if not isinstance(target, int):
            raise click.UsageError(_B_FILE_ERROR.format(target))
    every = range(min(counts), max(counts) + 1)
    if [*counts] != [*every[: len(counts) + 1]] and not (
        has_all and len(every) <= _MAX_B_FILE_LINES
    ):
        last = min(every[-1], every[0] + _MAX_B_FILE_LINES - 1)
        raise click.UsageError(f"a b-file has no gaps and no other order: use {every[0]}..{last}")
    return {target: counts.get(target, 0) for target in every}


def _show_counts(
    counts: Iterable[tuple[Exact, int]], form: str, first_column: str = "target"
) -> None:
    from crisps24.enumeration.format import line_count

    if form == _B_FILE:
        echo("\n".join(f"{target} {combinations}" for target, combinations in counts))
        return
    columns = (first_column, "combinations", "lines")
    rows = ((first, combinations, line_count(combinations)) for first, combinations in counts)
    show([dict(zip(columns, row, strict=True)) for row in rows], form)


def _count_targets(
    words: Sequence[str], game: Game, hand: Hand | None, work: int | None, signed: bool
) -> dict[Exact, int]:
    # The targets of `all` are known only after counting.
    targets = None if "all" in words else opt.targets_of(words, game)
    query = enumeration.RowQuery(game, hand, work)
    # -a + b makes 1 if and only if a - b makes -1.
    is_symmetric = is_inverse_pair(game.operator_levels[-1]) and query.grouped_by_precedence
    if signed and not (is_symmetric and game.negatives and game.most is None):
        raise click.UsageError("--signed needs + and -, --negatives and results of any size")
    pairs = enumeration.estimate_pairs(None if targets is None else len(targets), query)
    # A count beyond the limit on work is refused at once: it needs no bar.
    is_long = pairs >= _MIN_PAIRS_FOR_PROGRESS and (work is None or pairs <= work)
    with progress_bar("pairs of values", pairs, shown=is_long) as progress:
        if targets is None:
            count_all = enumeration.count_all_targets
            found = [*count_all(query, progress)]
            every = sorted({*found, *(-target for target in found if signed)})
            targets = opt.targets_of(words, game, lambda: every)
        counts = enumeration.count_targets(targets, query, progress)
        if signed:
            opposite = enumeration.count_targets([-target for target in targets], query)
            counts = {target: counts[target] + opposite[-target] for target in targets}
        return counts


def _count_forms(words: Sequence[str], query: HandQuery, form: str) -> list[dict[str, Any]]:
    if form == _B_FILE:
        raise click.UsageError("a b-file has one count per target; --parentheses gives two")
    names = ["plot", "signed", "exactly"]
    opt.refuse_given(names, "--parentheses counts in a table: it takes no {}")
    if "all" in words:
        raise click.UsageError("--parentheses needs a TARGET: a number or a range such as 0..100")
    target_values = opt.targets_of(words, query.game)
    written_counts = written.find_written_counts(query, target_values)
    distinct = values.find_solution_counts(query, None, target_values)
    return [
        {"target": target, "written": written_counts[target], "distinct": distinct.get(target, 0)}
        for target in target_values
    ]


@opt.command(_CONFLICTS)
def formulas(
    target: str | None = opt.argument("[TARGET]", required=False),
    card: str | None = opt.CARD,
    in_order: bool = opt.IN_ORDER,
    limit: int | None = opt.ROW_LIMIT,
    distinct: bool = opt.display(
        "With --parentheses: one formula per distinct solution, not every form."
    ),
    style: str | None = opt.STYLE,
    form: str = opt.format_options(text="one formula per line"),
    game: Game = _FORMULA_GAME,
    work: int | None = opt.WORK_LIMIT,
) -> None:
    """Print every formula that makes a target.

    The default TARGET is that of the game.

    Examples:
      crisps24 formulas 24 --limit 10
      crisps24 formulas 24 --card "4 3 8 4"
      crisps24 formulas 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join
      crisps24 formulas 24 --format jsonl      with its numbers and operators

    With --card, --in-order and --parentheses it prints every written form. Forms such as
    (1 + 2) + 3 and 1 + (2 + 3) are one solution: --distinct prints only the plainest form.
    """
    words = [] if target is None else [target]
    game = find_game(game, in_order=in_order)
    hand, has_parentheses = _hand_and_parentheses(card, game, words)
    if target and (".." in target or target == "all"):
        raise click.UsageError(f"{target}: formulas takes one TARGET, a number")
    [target_value] = opt.targets_of(words, game)
    style = style or game.style
    keys = ["formula"]
    if has_parentheses or distinct:
        if hand is None or not game.parentheses:
            raise click.UsageError("--distinct needs --parentheses, --card and --in-order")
        query = HandQuery(hand, game, work)
        if distinct:
            found: Iterable[Any] = solver.find_first(query, target_value, limit)
        else:
            found = islice(written.find_written_forms(query, target_value), limit)
        rows: Iterable[dict[str, Any]] = ({"formula": trees.text_of(tree, style)} for tree in found)
    else:
        keys += ["numbers", "operators"]
        row_query = enumeration.RowQuery(game, hand, work)
        found = islice(enumeration.find_formulas(row_query, target_value), limit)
        rows = (
            {
                "formula": format_formula(style, formula, game),
                "numbers": formula.numbers,
                "operators": formula.operators,
            }
            for formula in found
        )
    print_rows(rows, form, keys, text="formula")


def format_formula(style: str, formula: "trees.Formula", game: Game) -> str:
    if style == "crisps":
        return str(formula)
    tree = parser.parse_pattern(formula.operators, game)
    return trees.text_of(tree, style, lambda leaf: str(formula.numbers[trees.leaf_index(leaf)]))
