"""The command survey: all hands of a game."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.progress import progress_bar
from crisps24.errors import ConflictRule, RefusedError, quoted
from crisps24.output.atomic_files import check_place
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.deals import MAX_SURVEYED_HANDS, count_hands, format_hand
from crisps24.rules.games import GAMES, Game
from crisps24.rules.rules import RULES, rules_with_options
from crisps24.rules.words import format_range
from crisps24.surveys.titles import game_title

with opt.lazy_imports(globals()):
    from concurrent import futures

    from crisps24.output import executors, plots
    from crisps24.surveys import answers, chunks, deals, difficulties, distances, surveys


# The rules with an option, also those of values: a survey needs no solutions.
_RULES = rules_with_options("rows", "hands", "values")
_Result = TypeVar("_Result")
_MAX_SMALL_HAND = 4
_HARDEST_TARGETS = 5
_GROUPINGS = ("target", "hand", "large", "share")
# The largest distance that --distances counts on its own if it has no value.
_DEFAULT_DISTANCE = 10


def _read_distance(text: str) -> int:
    """Return the value of --distances; `check_distances` checks its size."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise RefusedError(
            f"{quoted(text)} is not a whole number: name the game before --distances"
        )
    return int(text)


@dataclass(frozen=True)
class SurveyOptions:
    """The options of a survey; the default of each field declares its option."""

    rules: dict[str, Any]
    games: Sequence[Game] = opt.argument("[GAME]...", type=opt.game_type())
    targets: range | None = opt.puzzle("Targets [default: the game's own range].", opt.RANGE)
    target: int | None = opt.puzzle("Survey a single target.", int)
    distinct_digits: bool = opt.puzzle("Only hands without equal numbers.")
    difficulty: bool = opt.display("Show how hard hands and targets are for people.")
    distances: int | None = opt.display(
        "Show how far the closest values are, at most MOST (10).",
        opt.ParsedType("distance", _read_distance),
        is_flag=False,
        flag_value=_DEFAULT_DISTANCE,
        metavar="[MOST]",
    )
    by: str | None = opt.display("Rows of the table: {}.", click.Choice(_GROUPINGS))
    best: bool = opt.display("Sort: targets that most hands (of the first game) make first.")
    sort: str | None = opt.display("Sort: largest values of COLUMN first.", str, metavar="COLUMN")
    top: int | None = opt.display("Show only the first N rows.", opt.POSITIVE)
    solvable: str | None = opt.display(
        "Only hands or targets that can be made, or not: {}.", click.Choice(["yes", "no"])
    )
    unsolvable: bool = opt.display("List the hands that cannot make --target.")
    out: Path | None = opt.output(
        "Save to a SQLite file; if it is there, go on from it.", opt.OUTPUT_FILE
    )
    source: Path | None = opt.output(
        "Show such a file without computing.", opt.OUTPUT_FILE, "--from"
    )
    plot: Path | None = opt.output("Draw a chart: .png, .svg or .pdf.", opt.OUTPUT_FILE)
    answers: Path | None = opt.output(
        f"Write a solution per hand: {screen.suffixes(TABLE_FORMATS)}.", opt.OUTPUT_FILE
    )
    workers: int | None = opt.WORKERS
    scheduler: str | None = opt.limit("Use a Dask cluster: tcp://host:8786.", str, metavar="URL")
    work: int | None = opt.WORK_LIMIT


_OWN_OPTIONS: dict[str, Any] = {field.name: field.default for field in fields(SurveyOptions)[1:]}
_OPTIONS: Any = opt.OptionGroup(
    _OWN_OPTIONS | opt.rule_options(_RULES),
    lambda **values: SurveyOptions({name: values.pop(name) for name in _RULES}, **values),
)
_COMPUTING_OPTIONS = "targets distinct_digits out answers workers scheduler"
CONFLICTS: tuple[ConflictRule, ...] = (
    ConflictRule(("workers", "scheduler"), "--workers and --scheduler exclude each other"),
    *opt.excludes(
        "source", f"games {' '.join(_RULES)} {_COMPUTING_OPTIONS}", "--from shows a finished survey"
    ),
    *opt.excludes(
        "difficulty", "best unsolvable answers by=large solvable", "--difficulty shows difficulties"
    ),
    *opt.excludes(
        "distances",
        "difficulty best unsolvable by=target by=hand by=share sort top solvable",
        "--distances shows pairs by number of large tiles",
    ),
    *opt.excludes("unsolvable", "best by sort solvable", "--unsolvable lists hands"),
    *opt.excludes("solvable", "by=large", "--solvable is for hands and targets"),
    *opt.excludes("target", "targets", "--target sets one target"),
    ConflictRule(("by share",), "--by share needs difficulties: add --difficulty", ("difficulty",)),
    *opt.requires("unsolvable", "target", "--unsolvable lists the hands that fail: add --target"),
    *opt.excludes("best", "by=large sort", "--best sorts targets or hands"),
)
_SINGLE_GAME_OPTIONS = ("out", "answers", "unsolvable", "difficulty", "distances")


def resolve_games(options: SurveyOptions) -> list[Game]:
    named_games = list(dict.fromkeys(options.games)) or [GAMES["crisps"]]
    games = [opt.changed_game(game, options.rules) for game in named_games]
    if options.distinct_digits:
        games = [replace(game, repeats=False, numbers=tuple(set(game.numbers))) for game in games]
    if len(games) > 1:
        by_option = () if options.by in (None, "target") else ("by",)
        opt.refuse_given((*_SINGLE_GAME_OPTIONS, *by_option), "{} takes one GAME")
    if options.answers:
        opt.target_of(options.target, games[0])
    target_ranges = {targets_for(game, options) for game in games}
    if len(target_ranges) > 1:
        raise click.UsageError("the games have different ranges of targets: add --targets")
    # A survey that is read from a file has its own games and targets.
    if options.source:
        return games
    if options.by == "large":
        refuse_without_large(games[0])
    refuse_best_of_one(options, *target_ranges)
    if options.answers and options.targets:
        refuse_target_outside(answers_target(games[0], options), options.targets)
    for game in games:
        if options.distances is not None:
            deals.check_distances(game, options.distances)
        targets = computed_targets(game, options)
        deals.check_survey(game, targets, graded=options.difficulty, work=options.work)
    return games


def refuse_best_of_one(options: SurveyOptions, targets: range) -> None:
    if options.best and options.by != "hand" and len(targets) == 1:
        raise click.UsageError(f"--best sorts targets, and {targets[0]} is the only one")


def refuse_without_large(game: Game) -> None:
    if not has_large(game):
        raise click.UsageError(f"--by large: {game_title(game)} has no large numbers")


def has_large(game: Game) -> bool:
    """Return whether a game deals numbers that its players call large, such as 25 in countdown."""
    return not set(game.large).isdisjoint(game.numbers)


def check_places(options: SurveyOptions) -> None:
    """Refuse the files of a call if two options name the same file, or one cannot be written."""
    files = [("--from", options.source), ("--out", options.out)]
    # SQLite also writes a journal next to its file.
    files += [(option, path and Path(f"{path}-journal")) for option, path in files]
    files += [("--answers", options.answers), ("--plot", options.plot)]
    used_files = [(option, path) for option, path in files if path]
    screen.refuse_same_file(used_files)
    if options.plot:
        plots.check_plot(options.plot)
    if options.answers:
        if options.answers.suffix:
            screen.format_from_suffix(options.answers, "--answers", TABLE_FORMATS)
        check_place(options.answers)


def refuse_target_outside(target: int | None, targets: range) -> None:
    if target is not None and target not in targets:
        span = format_range(targets)
        raise click.UsageError(f"--target {target} is not among the targets {span}")


def answers_target(game: Game, options: SurveyOptions) -> int | None:
    return game.target if options.target is None else options.target


def targets_for(game: Game, options: SurveyOptions) -> range:
    """Return the range of targets that a survey tries to make with each hand of a game."""
    if options.targets:
        return options.targets
    target = answers_target(game, options) if options.difficulty else options.target
    if target is not None:
        return range(target, target + 1)
    return range(game.targets[0], game.targets[1] + 1)


def computed_targets(game: Game, options: SurveyOptions) -> range:
    """Return the targets to compute; --distances needs more on both sides."""
    targets = targets_for(game, options)
    if options.distances is None:
        return targets
    return deals.with_neighbours(targets, options.distances, game)


@opt.command(CONFLICTS)
def survey(options: SurveyOptions = _OPTIONS, form: str = opt.FORMAT) -> None:
    """Survey every hand of a game against every target.

    The table shows several games in columns. With --difficulty the default is the target of the
    game, or its range.

    Examples:
      crisps24 survey                          how many hands make each target
      crisps24 survey crisps digits --targets 0..30
      crisps24 survey cards --target 24 --unsolvable
      crisps24 survey cards --difficulty --by target
      crisps24 survey cards --by hand --out cards.sqlite
      crisps24 survey countdown --length 5 --distances --plot distances.png

    The file of --out is SQLite. Table survey has one row: game (its fields, as JSON), version,
    first_target, last_target. Table hands has a row per hand: hand (its number, from 1), numbers
    ("1 2 5 8"), reached (number of targets it makes) and targets (a bit per target, from the
    highest bit of the first byte). To find the hand that makes most targets: SELECT numbers,
    reached FROM hands ORDER BY reached DESC, hand LIMIT 1.

    --difficulty adds a table difficulties: hand, least (bits of the easiest target, in thousandths,
    or 0) and above (bits of each target minus least: two bytes each, high byte first, or four if
    two are not enough; all bits set if people cannot make it). --by share: quantiles, in bits.
    --by hand: a hand makes all of 1 to run.
    """
    games = resolve_games(options)
    check_places(options)
    with screen.report_replaced(options.plot), screen.report_replaced(options.answers):
        if options.difficulty:
            _survey_difficulty(games[0], options, form)
            return
        found = _surveys_of(games, options)
        if options.distances is not None:
            _show_distances(found[0], options, form)
        else:
            _print_surveys(found, options, form)
        for survey in found:
            if limit := _limit_of(survey.game):
                text = f"{survey.game.name}: not solvable means not found within {limit}"
                (screen.echo if form == DEFAULT_FORMAT else screen.print_to_stderr)(text)
        if options.distances is not None:
            return
        if options.plot:
            _plot_surveys(found, options.plot)


def _limit_of(game: Game) -> str:
    """Return the rules that a survey needs for finite values: "numbers of 31 bits", or ""."""
    names = ["bits"] * (game.max_bits is not None)
    names += ["nesting"] * any(each.arity == 1 and not each.joins for each in game.row_operators)
    game = replace(game, bits=game.max_bits)
    return " and ".join(RULES[name].title(getattr(game, name)) for name in names)


def _open_executor(
    options: SurveyOptions, games: Sequence[Game]
) -> AbstractContextManager["futures.Executor | None"]:
    if options.scheduler is not None:
        return executors.cluster(options.scheduler)
    has_large_hands = max(game.length for game in games) > _MAX_SMALL_HAND
    chunk_count = max(map(chunks.count_chunks, games))
    return screen.open_executor(options.workers, chunk_count, worth_it=has_large_hands)


def _survey_difficulty(game: Game, options: SurveyOptions, form: str) -> None:
    if options.source:
        graded = difficulties.Difficulties.load(options.source)
        refuse_target_outside(options.target, graded.targets)
        if options.target is not None:
            graded = graded.only(options.target)
    else:
        with _open_executor(options, [game]) as executor:
            if options.out is not None:
                _run_survey(surveys.survey, "hands", game, options, executor)
            graded = _run_survey(
                difficulties.survey_difficulty, "difficulty", game, options, executor
            )
    rows = getattr(graded, f"by_{options.by or 'level'}")()
    # The last row by level counts the puzzles that people cannot solve: it has no difficulty.
    if form == DEFAULT_FORMAT and options.by is None and rows[-1].get("least bits") is None:
        rows[-1]["level"] = "nobody"
    rows = _arranged(rows, options.sort, options)
    # A table without rows needs the names of its columns.
    screen.show(rows, form, () if rows else ("bits", "level"))
    if options.plot:
        _plot_difficulty(graded, options.plot, by_target=options.by == "target")


def _plot_difficulty(graded: "difficulties.Difficulties", path: Path, *, by_target: bool) -> None:
    game, targets = graded.game, graded.targets
    has_many_targets = len(targets) > 1
    bits_by_level = graded.bits_by_level()
    # With a single target, count only the hands that people can solve.
    hand_count = len(graded.hands) if has_many_targets else sum(map(len, bits_by_level.values()))
    title = f"{game_title(game)}: how hard it is to make {format_range(targets)}"
    title += f" of {hand_count:,} hands"
    if by_target and has_many_targets:
        plots.plot_bits(targets, graded.bits_by_target(), path, title, game.target)
    else:
        plots.plot_levels(
            screen.level_labels(bits_by_level),
            path,
            title,
            "puzzles" if has_many_targets else "hands",
        )


def _surveys_of(games: Sequence[Game], options: SurveyOptions) -> "list[surveys.Survey]":
    """Load the survey of --from, or survey each game; write the file of --answers, if any."""
    if options.source:
        survey = surveys.Survey.load(options.source)
        if options.by == "large":
            refuse_without_large(survey.game)
        refuse_target_outside(options.target, survey.targets)
        if options.target is not None and options.distances is None:
            survey = survey.only(options.target)
        refuse_best_of_one(options, survey.targets)
        return [survey]
    with _open_executor(options, games) as executor:
        found = [_run_survey(surveys.survey, "hands", game, options, executor) for game in games]
        target = answers_target(games[0], options)
        if options.answers and target is not None:
            count = count_hands(games[0], MAX_SURVEYED_HANDS)
            with progress_bar("answers", count) as progress:
                solved_count = answers.write_answers(
                    options.answers, target, games[0], executor=executor, progress=progress
                )
            screen.print_to_stderr(
                f"{options.answers}: {solved_count:,} of {count:,} hands make {target}"
            )
    return found


def _plot_surveys(found: "Sequence[surveys.Survey]", path: Path) -> None:
    names = [game_title(survey.game) for survey in found]
    # `solvable` has a row for each hand and a column for each target: True if it is possible.
    curves = [
        plots.Curve(
            f"{name}, {len(survey.hands):,} hands",
            survey.targets,
            survey.solvable.mean(axis=0).tolist(),
        )
        for name, survey in zip(names, found, strict=True)
    ]
    fixed_targets = {survey.game.target for survey in found}
    marked_target = fixed_targets.pop() if len(fixed_targets) == 1 else None
    title = f"{' and '.join(names)}: hands that make {format_range(found[0].targets)}"
    plots.plot_shares(curves, path, title, marked_target)


def _run_survey(
    run_survey: Callable[..., _Result],
    label: str,
    game: Game,
    options: SurveyOptions,
    executor: "futures.Executor | None",
) -> _Result:
    count = count_hands(game, MAX_SURVEYED_HANDS)
    with progress_bar(f"{game.name} {label}", count) as progress:
        try:
            return run_survey(
                game,
                computed_targets(game, options),
                executor=executor,
                store=options.out,
                work=options.work,
                progress=progress,
            )
        except KeyboardInterrupt as stop:
            if options.out is not None:
                stop.args = (f"the same command continues {options.out}",)
            raise


def _print_surveys(found: "Sequence[surveys.Survey]", options: SurveyOptions, form: str) -> None:
    first_survey = found[0]
    if options.unsolvable and options.target is not None:
        hands = map(format_hand, first_survey.unsolvable(options.target)[: options.top])
        screen.show([{"unsolvable": hand} for hand in hands], form, ["unsolvable"])
        return
    is_single_game = len(found) == 1
    # By default, a game with large numbers has a row for each number of large numbers in a hand.
    is_arranged = options.best or options.solvable
    by_large = has_large(first_survey.game) and is_single_game and not is_arranged
    grouping = options.by or ("large" if by_large else "target")
    rows = getattr(found[0], f"by_{grouping}")() if is_single_game else _join_tables(found)
    columns = [*rows[0]]
    count = next((name for name in columns if name == "reached" or name.endswith("solvable")), "")
    if options.solvable:
        rows = [row for row in rows if bool(row[count]) == (options.solvable == "yes")]
    screen.show(_arranged(rows, count if options.best else options.sort, options), form, columns)
    if grouping == "large" and form == "table":
        hardest = first_survey.hardest(_HARDEST_TARGETS)
        texts = [f"{row['target']} ({row['share']:.2%})" for row in hardest]
        screen.echo(f"\nhardest targets: {', '.join(texts)}")


def _arranged(rows: list[Row], column: str | None, options: SurveyOptions) -> list[Row]:
    """Return the first rows, largest values of a column first and rows without one last."""

    def key(row: Row, column: str) -> tuple[bool, float]:
        has_number = isinstance(row[column], int | float)
        return not has_number, -row[column] if has_number else 0

    if column and rows:
        columns = [name for name in rows[0] if not min(key(row, name)[0] for row in rows)]
        if column not in columns:
            known = ", ".join(columns)
            raise click.UsageError(f"--sort: no numbers {quoted(column)} (only {known})")
        rows = sorted(rows, key=lambda row: key(row, column))
    return rows[: options.top]


def _show_distances(survey: "surveys.Survey", options: SurveyOptions, form: str) -> None:
    assert options.distances is not None
    shown_targets = None
    if options.target is not None or not options.source:
        shown_targets = targets_for(survey.game, options)
    found = survey.distances(options.distances, shown_targets)
    rows = _distance_rows(found)
    if form in TABLE_FORMATS:
        screen.show(rows, form)
    else:
        screen.show(_pivot(rows, "pairs", "large"), form)
        screen.echo()
        screen.show(_pivot(rows, "share", "share"), form)
    if options.plot:
        _plot_distances(found, options.plot)


def _distance_rows(found: "distances.Distances") -> list[Row]:
    rows = found.by_large()
    has_groups = has_large(found.game)
    return rows if has_groups else [row for row in rows if row["large"] == "all"]


def _pivot(rows: Sequence[Row], value: str, label: str) -> list[Row]:
    """Return a row for each distance, with a column for each number of large numbers."""
    row_by_distance: dict[str, Row] = {}
    for row in rows:
        new_row = row_by_distance.setdefault(row["away"], {"away": row["away"]})
        name = f"{row['large']} {label}"
        new_row[name.replace("all large", "all")] = row[value]
    return list(row_by_distance.values())


def _plot_distances(found: "distances.Distances", path: Path) -> None:
    rows = _distance_rows(found)
    if len({row["large"] for row in rows}) > 1:
        # The curve of all hands would be close to that of the largest group.
        rows = [row for row in rows if row["large"] != "all"]
    shares_by_label: dict[str, list[float]] = {}
    for row in rows:
        name = "all" if row["large"] == "all" else f"{row['large']} large"
        shares_by_label.setdefault(f"{name}: {row['hands']:,} hands", []).append(row["share"])
    target_range = format_range(found.targets)
    title = f"{game_title(found.game)}: distance of the closest value from {target_range}"
    plots.plot_distances(shares_by_label, path, title)


def _join_tables(found: "Sequence[surveys.Survey]") -> list[dict[str, Any]]:
    names = [survey.game.name for survey in found]
    return [
        {"target": rows[0]["target"]}
        | {
            f"{name} {column}": row[column]
            for name, row in zip(names, rows, strict=True)
            for column in ("solvable", "share", "fail")
        }
        for rows in zip(*(survey.by_target() for survey in found), strict=True)
    ]
