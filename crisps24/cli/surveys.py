"""The command survey: all hands of a game."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crisps24.cli import options as opt
from crisps24.cli.options import excludes, requires
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import (
    echo,
    format_from_suffix,
    open_executor,
    print_to_stderr,
    show,
    suffixes,
    warn_if_overwritten,
)
from crisps24.errors import ConflictRule
from crisps24.output.atomic_files import check_place, same_place
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS
from crisps24.rules.deals import format_hand, list_hands
from crisps24.rules.games import GAMES, Game
from crisps24.rules.words import format_range
from crisps24.surveys.titles import game_title

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from crisps24.surveys.difficulties import Difficulties
    from crisps24.surveys.surveys import Survey


_OUTPUT_FILE = opt.OutputPath(dir_okay=False, path_type=Path)
_GROUPINGS = ("target", "hand", "large", "share")


@dataclass(frozen=True)
class SurveyOptions:
    """The options of a survey; the default of each field declares its option."""

    rules: dict[str, Any]
    games: Sequence[Game] = opt.argument("[GAME]...", type=opt.game_type())
    targets: range | None = opt.puzzle("Targets [default: the game's own range].", opt.RANGE)
    target: int | None = opt.puzzle("Survey a single target.", int)
    distinct_digits: bool = opt.puzzle("Only hands without equal numbers.")
    difficulty: bool = opt.display("Show how hard hands and targets are for people.")
    by: str | None = opt.display("Rows of the table: {}.", click.Choice(_GROUPINGS))
    best: bool = opt.display("Sort: targets that most hands (of the first game) make first.")
    unsolvable: bool = opt.display("List the hands that cannot make --target.")
    out: Path | None = opt.output(
        "Save to a SQLite file; if it is there, go on from it.", _OUTPUT_FILE
    )
    source: Path | None = opt.output("Show such a file without computing.", _OUTPUT_FILE, "--from")
    plot: Path | None = opt.output("Draw a chart: .png, .svg or .pdf.", _OUTPUT_FILE)
    answers: Path | None = opt.output(
        f"Write a solution per hand: {suffixes(TABLE_FORMATS)}.", _OUTPUT_FILE
    )
    workers: int | None = opt.WORKERS
    scheduler: str | None = opt.limit("Use a Dask cluster: tcp://host:8786.", str, metavar="URL")
    work: int | None = opt.WORK_LIMIT


def _combine(**values: Any) -> SurveyOptions:
    rules = {name: values.pop(name) for name in opt.ROW_AND_HAND_RULES}
    changes = {name: value for name, value in rules.items() if value is not None}
    return SurveyOptions(changes, **values)


_OWN_OPTIONS: dict[str, Any] = {field.name: field.default for field in fields(SurveyOptions)[1:]}
_OPTIONS: Any = opt.OptionGroup(_OWN_OPTIONS | opt.rule_options(opt.ROW_AND_HAND_RULES), _combine)
# Options that exclude or require each other.
_DIFFICULTY_ERROR = "--difficulty shows difficulties"
_COMPUTING_OPTIONS = "targets distinct_digits out answers workers scheduler"
CONFLICTS: tuple[ConflictRule, ...] = (
    ConflictRule(("workers", "scheduler"), "--workers and --scheduler exclude each other"),
    *excludes(
        "source",
        f"games {' '.join(opt.ROW_AND_HAND_RULES)} {_COMPUTING_OPTIONS}",
        "--from shows a finished survey: it takes no {}",
    ),
    *excludes("difficulty", "best unsolvable answers", f"{_DIFFICULTY_ERROR}: it takes no {{}}"),
    *excludes("unsolvable", "best by", "--unsolvable lists hands: it takes no {}"),
    *excludes("target", "targets", "--target sets one target: it takes no {}"),
    ConflictRule(("difficulty", "by large"), f"{_DIFFICULTY_ERROR}: it takes no --by large"),
    ConflictRule(("by share",), "--by share needs difficulties: add --difficulty", ("difficulty",)),
    *requires("unsolvable", "target", "--unsolvable lists the hands that fail: add --target"),
    ConflictRule(("best", "by large"), "--best sorts targets or hands: it takes no --by large"),
)
# Options for a single game.
_SINGLE_GAME_OPTIONS = ("out", "answers", "unsolvable", "difficulty")


def resolve_games(options: SurveyOptions) -> list[Game]:
    """Return the games to survey, with the rules that options change.

    Raises UsageError for options that do not apply to the games, and RefusedError for a survey
    that is too large.
    """
    games = [opt.changed_game(game, options.rules) for game in dict.fromkeys(options.games)]
    games = games or [opt.changed_game(GAMES["crisps"], options.rules)]
    if options.distinct_digits:
        games = [replace(game, repeats=False, numbers=tuple(set(game.numbers))) for game in games]
    _refuse_for_games(games, options)
    ranges = {targets_for(game, options) for game in games}
    if len(ranges) > 1:
        raise click.UsageError("the games have different ranges of targets: add --targets")
    if not options.source:
        refuse_best_of_one(options, ranges.pop())
    if options.answers and options.targets:
        refuse_target_outside(answers_target(games[0], options), options.targets)
    if not options.source:
        from crisps24.surveys.deals import check_survey

        for game in games:
            check_survey(
                game, targets_for(game, options), graded=options.difficulty, work=options.work
            )
    return games


def refuse_best_of_one(options: SurveyOptions, targets: range) -> None:
    """Refuse --best if the only row would be a single target."""
    if options.best and options.by != "hand" and len(targets) == 1:
        raise click.UsageError(f"--best sorts targets, and {targets[0]} is the only one")


def _refuse_for_games(games: Sequence[Game], options: SurveyOptions) -> None:
    """Refuse options that need one game, a fixed target or large numbers."""
    if len(games) > 1:
        by = () if options.by in (None, "target") else ("by",)
        opt.refuse_given((*_SINGLE_GAME_OPTIONS, *by), "{} takes one GAME")
    game = games[0]
    if options.answers and answers_target(game, options) is None:
        raise click.UsageError(f"{game.name} has no fixed target: add --target")
    if options.by == "large" and not options.source:
        refuse_without_large(game)


def refuse_without_large(game: Game) -> None:
    """Refuse --by large for a game without large numbers."""
    if not has_large(game):
        raise click.UsageError(f"--by large: {game_title(game)} has no large numbers")


def has_large(game: Game) -> bool:
    """Return whether a game has large numbers."""
    return not set(game.large).isdisjoint(game.numbers)


def check_places(options: SurveyOptions) -> None:
    """Refuse output files that are equal or cannot be written."""
    places = [
        (option, Path(f"{path}{suffix}"))
        for option, path in (("--from", options.source), ("--out", options.out))
        if path
        # SQLite writes a journal next to its file.
        for suffix in ("", "-journal")
    ]
    outputs = (("--answers", options.answers), ("--plot", options.plot))
    places += [(option, path) for option, path in outputs if path]
    for (option, path), (other_option, other_path) in combinations(places, 2):
        if option != other_option and same_place(path, other_path):
            raise click.UsageError(
                f"{option} and {other_option} are the same file: give each its own"
            )
    if options.plot:
        from crisps24.output.plots import check_plot

        check_plot(options.plot)
    if options.answers:
        if options.answers.suffix:
            format_from_suffix(options.answers, "--answers", TABLE_FORMATS)
        check_place(options.answers)


def refuse_target_outside(target: int | None, targets: range) -> None:
    """Refuse a --target outside a range of targets."""
    if target is not None and target not in targets:
        span = format_range(targets)
        raise click.UsageError(f"--target {target} is not among the targets {span}")


def answers_target(game: Game, options: SurveyOptions) -> int | None:
    """Return the target of the call or of the game; None if neither has one."""
    return game.target if options.target is None else options.target


def targets_for(game: Game, options: SurveyOptions) -> range:
    """Return the targets of the call, or else the targets of the game.

    With --difficulty the default is the target of the game, if it has one.
    """
    if options.targets:
        return options.targets
    target = answers_target(game, options) if options.difficulty else options.target
    if target is not None:
        return range(target, target + 1)
    return range(game.targets[0], game.targets[1] + 1)


_Result = TypeVar("_Result")

# Length of hands up to which one process is faster than a pool of processes.
_MAX_SMALL_HAND = 4

# Number of hardest targets in the last line of a table.
_HARDEST_TARGETS = 5


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

    --by share: quantiles of difficulty, in bits.

    The file of --out is SQLite. Table survey has one row: game (its fields, as JSON), version,
    first_target, last_target. Table hands has a row per hand: hand (its number, from 1), numbers
    ("1 2 5 8"), reached (number of targets it makes) and targets (a bit per target, from the
    highest bit of the first byte). To find the hand that makes most targets: SELECT numbers,
    reached FROM hands ORDER BY reached DESC, hand LIMIT 1.

    --difficulty adds a table difficulties: hand, least (bits of the easiest target, in thousandths,
    or 0) and above (bits of each target minus least: two bytes each, high byte first, or four if
    two are not enough; all bits set if people cannot make it).
    """
    games = resolve_games(options)
    check_places(options)
    with warn_if_overwritten(options.plot), warn_if_overwritten(options.answers):
        if options.difficulty:
            _survey_difficulty(games[0], options, form)
            return
        surveys = _load_survey(options) if options.source else _compute_surveys(games, options)
        _show(surveys, options, form)
        if options.plot:
            _plot(surveys, options.plot)


def _executor(
    options: SurveyOptions, games: Sequence[Game]
) -> AbstractContextManager["Executor | None"]:
    if options.scheduler is not None:
        from crisps24.output.executors import cluster

        return cluster(options.scheduler)
    from crisps24.surveys.chunks import count_chunks

    large = max(game.length for game in games) > _MAX_SMALL_HAND
    return open_executor(options.workers, max(map(count_chunks, games)), worth_it=large)


def _survey_difficulty(game: Game, options: SurveyOptions, form: str) -> None:
    """Show and plot the difficulty of the targets of all hands."""
    difficulties = (
        _load_difficulties(options) if options.source else _compute_difficulties(game, options)
    )
    rows = _DIFFICULTIES[options.by](difficulties)
    if form == DEFAULT_FORMAT and options.by is None and rows[-1].get("least bits") is None:
        rows[-1]["level"] = "nobody"
    show(rows, form, () if rows else ("bits", "level"))
    if options.plot:
        _plot_difficulty(difficulties, options.plot, by_target=options.by == "target")


_DIFFICULTIES: dict[str | None, Callable[["Difficulties"], list[dict[str, Any]]]] = {
    None: lambda found: found.by_level(),
    "target": lambda found: found.by_target(),
    "hand": lambda found: found.by_hand(),
    "share": lambda found: found.by_share(),
}


def _load_difficulties(options: SurveyOptions) -> "Difficulties":
    """Return the difficulties of a file, for all its targets or only --target."""
    from crisps24.surveys.difficulties import Difficulties

    assert options.source is not None
    difficulties = Difficulties.load(options.source)
    refuse_target_outside(options.target, difficulties.targets)
    return difficulties if options.target is None else difficulties.only(options.target)


def _compute_difficulties(game: Game, options: SurveyOptions) -> "Difficulties":
    from crisps24.surveys.difficulties import survey_difficulty

    with _executor(options, [game]) as executor:
        if options.out is not None:
            _survey_game(game, options, executor)
        return _run_survey(survey_difficulty, "difficulty", game, options, executor)


def _plot_difficulty(difficulties: "Difficulties", path: Path, *, by_target: bool) -> None:
    """Draw the difficulty of each target, or the number of puzzles by difficulty."""
    from crisps24.output.plots import plot_bits, plot_levels

    subject = f"{game_title(difficulties.game)}: how hard it is to make"
    targets, has_many = format_range(difficulties.targets), len(difficulties.targets) > 1
    title = f"{subject} {targets} of {len(difficulties.hands):,} hands"
    if by_target and has_many:
        plot_bits(
            difficulties.targets,
            difficulties.bits_by_target(),
            path,
            title,
            difficulties.game.target,
        )
        return
    levels = difficulties.bits_by_level()
    if not has_many:
        title = f"{subject} {targets} of {sum(map(len, levels.values())):,} hands"
    bits = {f"level {level}" if level else "all": bits for level, bits in levels.items()}
    plot_levels(bits, path, title, "puzzles" if has_many else "hands")


def _load_survey(options: SurveyOptions) -> "list[Survey]":
    """Return the survey of a file, with all its targets or only --target."""
    from crisps24.surveys.surveys import Survey

    assert options.source is not None
    loaded = Survey.load(options.source)
    if options.by == "large":
        refuse_without_large(loaded.game)
    refuse_target_outside(options.target, loaded.targets)
    if options.target is not None:
        loaded = loaded.only(options.target)
    refuse_best_of_one(options, loaded.targets)
    return [loaded]


def _compute_surveys(games: Sequence[Game], options: SurveyOptions) -> "list[Survey]":
    with _executor(options, games) as executor:
        surveys = [_survey_game(game, options, executor) for game in games]
        if options.answers:
            _write_answers(games[0], options, options.answers, executor)
    return surveys


def _plot(surveys: "Sequence[Survey]", path: Path) -> None:
    """Draw the share of hands that make each target, one line per game."""
    from crisps24.output.plots import Curve, plot_shares

    names = [game_title(survey.game) for survey in surveys]
    lines = [
        Curve(
            f"{name}, {len(survey.hands):,} hands",
            survey.targets,
            survey.solvable.mean(axis=0).tolist(),
        )
        for name, survey in zip(names, surveys, strict=True)
    ]
    game_targets = {survey.game.target for survey in surveys}
    mark = game_targets.pop() if len(game_targets) == 1 else None
    title = f"{' and '.join(names)}: hands that make {format_range(surveys[0].targets)}"
    plot_shares(lines, path, title, mark)


def _survey_game(game: Game, options: SurveyOptions, executor: "Executor | None") -> "Survey":
    from crisps24.surveys.surveys import survey as survey_hands

    return _run_survey(survey_hands, "hands", game, options, executor)


def _run_survey(
    run_survey: Callable[..., _Result],
    label: str,
    game: Game,
    options: SurveyOptions,
    executor: "Executor | None",
) -> _Result:
    """Run a survey on all hands of a game, with a progress bar."""
    targets, count = targets_for(game, options), len(list_hands(game))
    with _resumable(options.out), progress_bar(f"{game.name} {label}", count) as progress:
        return run_survey(
            game,
            targets,
            executor=executor,
            progress=progress,
            store=options.out,
            work=options.work,
        )


@contextmanager
def _resumable(out: Path | None) -> Iterator[None]:
    """If Ctrl-C stops the block and --out has the results, say how to continue."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if out is not None:
            stop.args = (f"the same command continues {out}",)
        raise


def _write_answers(
    game: Game, options: SurveyOptions, path: Path, executor: "Executor | None"
) -> None:
    from crisps24.rules.deals import list_hands
    from crisps24.surveys.answers import write_answers

    target = answers_target(game, options)
    assert target is not None
    count = len(list_hands(game))
    with progress_bar("answers", count) as progress:
        solved = write_answers(path, target, game, executor=executor, progress=progress)
    print_to_stderr(f"{path}: {solved:,} of {count:,} hands make {target}")


def _show(surveys: "Sequence[Survey]", options: SurveyOptions, form: str) -> None:
    first = surveys[0]
    if options.unsolvable and options.target is not None:
        hands = first.unsolvable(options.target)
        show([{"unsolvable": format_hand(hand)} for hand in hands], form, ["unsolvable"])
        return
    large = has_large(first.game) and len(surveys) == 1 and not options.best
    by = options.by or ("large" if large else "target")
    rows = _ROWS[by](first) if len(surveys) == 1 else _join_tables(surveys)
    if options.best:
        column = next(key for key in rows[0] if key == "reached" or key.endswith("solvable"))
        rows = sorted(rows, key=lambda row: -row[column])
    show(rows, form)
    if by == "large" and form == "table":
        hardest = (
            f"{row['target']} ({row['share']:.2%})" for row in first.hardest(_HARDEST_TARGETS)
        )
        echo(f"\nhardest targets: {', '.join(hardest)}")


_ROWS: dict[str, Callable[["Survey"], list[dict[str, Any]]]] = {
    "target": lambda survey: survey.by_target(),
    "hand": lambda survey: survey.by_hand(),
    "large": lambda survey: survey.by_large(),
}


def _join_tables(surveys: "Sequence[Survey]") -> list[dict[str, Any]]:
    """Return the tables by target of several games as one table, with columns per game."""
    tables = [[(survey.game.name, row) for row in survey.by_target()] for survey in surveys]
    return [
        {"target": rows[0][1]["target"]}
        | {f"{name} {key}": row[key] for name, row in rows for key in ("solvable", "share", "fail")}
        for rows in zip(*tables, strict=True)
    ]
