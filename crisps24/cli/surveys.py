"""The command about all hands of a game: survey."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crisps24.cli.options import (
    OF_FORMULAS,
    RANGE,
    WORKERS,
    Reading,
    complain,
    executor_of,
    format_option,
    overwriting,
    progress_bar,
    rule_options,
    show,
    work_option,
)
from crisps24.cli.survey_options import (
    SurveyOptions,
    check_places,
    games_of,
    has_large,
    refuse_best_of_one,
    refuse_target_outside,
    refuse_without_large,
    target_of_answers,
    targets_for,
)
from crisps24.outside.tables import DEFAULT_FORMAT
from crisps24.rules.deals import format_hand, hands_of
from crisps24.rules.games import Game, find_game
from crisps24.rules.words import format_range
from crisps24.surveys.titles import name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from crisps24.surveys.difficulties import Difficulties
    from crisps24.surveys.surveys import Survey

_Found = TypeVar("_Found")

# Hands of so few numbers are surveyed sooner than other processes are started.
_SMALL_HAND = 4

# Hardest targets that are named.
_HARDEST = 5

_FILE = click.Path(dir_okay=False, path_type=Path)
_BY = ("target", "hand", "large", "share")


@click.command()
@click.argument("games", metavar="[GAME]...", nargs=-1, type=Reading("game", find_game))
@click.option("--targets", type=RANGE, help="Which targets; the game's own range.")
@click.option("--distinct-digits", is_flag=True, help="Hands without equal numbers only.")
@click.option(
    "--best", is_flag=True, help="The targets that most hands of the (first) game make first."
)
@click.option("--target", type=int, help="One target alone.")
@click.option("--unsolvable", is_flag=True, help="List the hands that do not make --target.")
@click.option("--difficulty", is_flag=True, help="How hard hands and targets are for people.")
@click.option("--by", type=click.Choice(_BY), help="What a row is about.")
@click.option("--out", type=_FILE, help="Keep what is found in a SQLite file, and go on with it.")
@click.option("--from", "source", type=_FILE, help="Show such a file, without computing.")
@click.option("--plot", type=_FILE, help="Draw what is found (.png, .svg, .pdf).")
@click.option("--answers", type=_FILE, help="Each hand's first solution (.tsv, .csv, .jsonl).")
@click.option("--workers", type=click.IntRange(1), help=WORKERS)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster: tcp://host:8786.")
@work_option
@rule_options(OF_FORMULAS)
@format_option
def survey(form: str, **words: Any) -> None:
    """Survey every hand of a game against every target.

    Several games are put side by side. With --difficulty it is about one target if the game has
    one, else about its range; --by share says which bits so many of the puzzles do not exceed.

    Example: crisps24 survey crisps digits --targets 0..30

    The file of --out is SQLite. Table survey has one row: game (its fields, as JSON), version,
    first_target, last_target. Table hands has a row a hand: hand (its place, from 1), numbers
    ("1 2 5 8"), reached (how many targets it makes) and targets (a bit a target, the first in the
    highest bit of the first byte). So SELECT numbers, reached FROM hands ORDER BY reached DESC,
    hand LIMIT 1 is the hand that makes most.

    With --difficulty there is one table more, difficulties: hand (as in hands), least (bits of the
    easiest target, in thousandths; 0 if there is none) and above (what each target has above
    these, two bytes each, the high one first; four where two hold too little; all bits set where
    people cannot make it). Bits are those of the version in survey.
    """
    rules = {name: words.pop(name) for name in OF_FORMULAS}
    options = SurveyOptions(
        rules={name: value for name, value in rules.items() if value is not None}, **words
    )
    games = games_of(options)
    check_places(options)
    with overwriting(options.plot), overwriting(options.answers):
        if options.difficulty:
            _survey_difficulty(games[0], options, form)
            return
        surveys = _loaded(options) if options.source else _worked_out(games, options)
        _show(surveys, options, form)
        if options.plot:
            _plot(surveys, options.plot)


def _executor(
    options: SurveyOptions, games: Sequence[Game]
) -> AbstractContextManager["Executor | None"]:
    if options.scheduler is not None:
        from crisps24.outside.executors import cluster

        return cluster(options.scheduler)
    from crisps24.surveys.chunks import count_chunks

    large = max(game.length for game in games) > _SMALL_HAND
    return executor_of(options.workers, max(map(count_chunks, games)), worth_it=large)


def _survey_difficulty(game: Game, options: SurveyOptions, form: str) -> None:
    """Show how hard it is to make targets of the hands of a game."""
    found = _graded_before(options) if options.source else _graded(game, options)
    rows = _DIFFICULTIES[options.by](found)
    if form == DEFAULT_FORMAT and options.by is None and rows[-1].get("least bits") is None:
        rows[-1]["level"] = "nobody"
    show(rows, form, () if rows else ("bits", "level"))
    if options.plot:
        _plot_difficulty(found, options.plot, by_target=options.by == "target")


_DIFFICULTIES: dict[str | None, Callable[["Difficulties"], list[dict[str, Any]]]] = {
    None: lambda found: found.by_level(),
    "target": lambda found: found.by_target(),
    "hand": lambda found: found.by_hand(),
    "share": lambda found: found.by_share(),
}


def _graded_before(options: SurveyOptions) -> "Difficulties":
    """Return the difficulties in a file, or those of the one target that is asked for."""
    from crisps24.surveys.difficulties import Difficulties

    assert options.source is not None
    found = Difficulties.load(options.source)
    refuse_target_outside(options.target, found.targets)
    return found if options.target is None else found.only(options.target)


def _graded(game: Game, options: SurveyOptions) -> "Difficulties":
    from crisps24.surveys.difficulties import survey_difficulty

    with _executor(options, [game]) as executor:
        if options.out is not None:
            _surveyed(game, options, executor)
        return _run(survey_difficulty, "difficulty", game, options, executor)


def _plot_difficulty(found: "Difficulties", path: Path, *, by_target: bool) -> None:
    """Draw how hard each target is, or how many puzzles are how hard."""
    from crisps24.outside.plots import plot_bits, plot_levels

    what = f"{name_of(found.game)}: how hard it is to make"
    targets, many = format_range(found.targets), len(found.targets) > 1
    title = f"{what} {targets} of {len(found.hands):,} hands"
    if by_target and many:
        plot_bits(found.targets, found.bits_by_target(), path, title, found.game.target)
        return
    levels = found.bits_by_level()
    if not many:
        title = f"{what} {targets} of {sum(map(len, levels.values())):,} hands"
    bits = {f"level {level}" if level else "all": each for level, each in levels.items()}
    plot_levels(bits, path, title, "puzzles" if many else "hands")


def _loaded(options: SurveyOptions) -> "list[Survey]":
    """Return the survey in a file, or the one target of it that is asked for."""
    from crisps24.surveys.surveys import Survey

    assert options.source is not None
    found = Survey.load(options.source)
    if options.by == "large":
        refuse_without_large(found.game)
    refuse_target_outside(options.target, found.targets)
    if options.target is not None:
        found = found.only(options.target)
    refuse_best_of_one(options, found.targets)
    return [found]


def _worked_out(games: Sequence[Game], options: SurveyOptions) -> "list[Survey]":
    with _executor(options, games) as executor:
        surveys = [_surveyed(game, options, executor) for game in games]
        if options.answers:
            _write_answers(games[0], options, options.answers, executor)
    return surveys


def _plot(surveys: "Sequence[Survey]", path: Path) -> None:
    """Draw the share of hands that make each target, a line a game."""
    from crisps24.outside.plots import Curve, plot_shares

    names = [name_of(one.game) for one in surveys]
    lines = [
        Curve(f"{name}, {len(one.hands):,} hands", one.targets, one.solvable.mean(axis=0).tolist())
        for name, one in zip(names, surveys, strict=True)
    ]
    own = {one.game.target for one in surveys}
    mark = own.pop() if len(own) == 1 else None
    title = f"{' and '.join(names)}: hands that make {format_range(surveys[0].targets)}"
    plot_shares(lines, path, title, mark)


def _surveyed(game: Game, options: SurveyOptions, executor: "Executor | None") -> "Survey":
    from crisps24.surveys.surveys import survey as survey_hands

    return _run(survey_hands, "hands", game, options, executor)


def _run(
    run: Callable[..., _Found],
    what: str,
    game: Game,
    options: SurveyOptions,
    executor: "Executor | None",
) -> _Found:
    """Have a survey run on all hands of a game, with a bar of progress, as the options say."""
    targets, count = targets_for(game, options), len(hands_of(game))
    with _going_on_with(options.out), progress_bar(f"{game.name} {what}", count) as progress:
        return run(
            game,
            targets,
            executor=executor,
            progress=progress,
            store=options.out,
            work=options.work,
        )


@contextmanager
def _going_on_with(out: Path | None) -> Iterator[None]:
    """Say of an interruption how to go on, where what was found is kept."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if out is not None:
            stop.args = (f"the same command goes on with {out}",)
        raise


def _write_answers(
    game: Game, options: SurveyOptions, path: Path, executor: "Executor | None"
) -> None:
    from crisps24.rules.deals import hands_of
    from crisps24.surveys.answers import write_answers

    target = target_of_answers(game, options)
    assert target is not None
    count = len(hands_of(game))
    with progress_bar("answers", count) as progress:
        solved = write_answers(path, target, game, executor=executor, progress=progress)
    complain(f"{path}: {solved:,} of {count:,} hands make {target}")


def _show(surveys: "Sequence[Survey]", options: SurveyOptions, form: str) -> None:
    first = surveys[0]
    if options.unsolvable and options.target is not None:
        hands = first.unsolvable(options.target)
        show([{"unsolvable": format_hand(hand)} for hand in hands], form, ["unsolvable"])
        return
    large = has_large(first.game) and len(surveys) == 1 and not options.best
    by = options.by or ("large" if large else "target")
    rows = _ROWS[by](first) if len(surveys) == 1 else _side_by_side(surveys)
    if options.best:
        made = next(key for key in rows[0] if key == "reached" or key.endswith("solvable"))
        rows = sorted(rows, key=lambda row: -row[made])
    show(rows, form)
    if by == "large" and form == "table":
        hardest = (f"{row['target']} ({row['share']:.2%})" for row in first.hardest(_HARDEST))
        click.echo(f"\nhardest targets: {', '.join(hardest)}")


_ROWS: dict[str, Callable[["Survey"], list[dict[str, Any]]]] = {
    "target": lambda survey: survey.by_target(),
    "hand": lambda survey: survey.by_hand(),
    "large": lambda survey: survey.by_large(),
}


def _side_by_side(surveys: "Sequence[Survey]") -> list[dict[str, Any]]:
    """Return the tables by target of several games as one."""
    tables = [[(one.game.name, row) for row in one.by_target()] for one in surveys]
    return [
        {"target": rows[0][1]["target"]}
        | {f"{name} {key}": row[key] for name, row in rows for key in ("solvable", "share", "fail")}
        for rows in zip(*tables, strict=True)
    ]
