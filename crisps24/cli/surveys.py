"""The command about all hands of a game: survey."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    RANGE,
    WORKERS,
    complain,
    executor_of,
    format_option,
    progress_bar,
    show,
)
from crisps24.outside.whole_files import check_place
from crisps24.rules.games import GAMES, Game
from crisps24.rules.words import format_hand

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from crisps24.surveys.surveys import Survey

# Hands of so few numbers are surveyed sooner than other processes are started.
_SMALL_HAND = 4

# Hardest targets that are named.
_HARDEST = 5

_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class _Wishes:
    """The options of one survey."""

    names: Sequence[str]
    targets: range | None
    distinct_digits: bool
    best: bool
    target: int | None
    unsolvable: bool
    difficulty: bool
    by: str | None
    out: Path | None
    source: Path | None
    plot: Path | None
    answers: Path | None
    workers: int | None
    scheduler: str | None


@click.command()
@click.argument("names", metavar="[GAME]...", nargs=-1, type=click.Choice(list(GAMES)))
@click.option("--targets", type=RANGE, help="Which targets; the game's own range.")
@click.option("--distinct-digits", is_flag=True, help="Hands without equal numbers only.")
@click.option(
    "--best", is_flag=True, help="The targets that most hands of the (first) game make first."
)
@click.option("--target", type=int, help="One target alone.")
@click.option("--unsolvable", is_flag=True, help="List the hands that do not make --target.")
@click.option("--difficulty", is_flag=True, help="How hard it is for people to make --target.")
@click.option("--by", type=click.Choice(["target", "hand", "large"]), help="What a row is about.")
@click.option("--out", type=_FILE, help="Keep what is found in a SQLite file, and go on with it.")
@click.option("--from", "source", type=_FILE, help="Show such a file, without computing.")
@click.option("--plot", type=_FILE, help="Draw the share of hands (.png, .svg, .pdf).")
@click.option("--answers", type=_FILE, help="Write each hand's plainest solution.")
@click.option("--workers", type=click.IntRange(1), help=WORKERS)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster: tcp://host:8786.")
@format_option
def survey(form: str, **words: Any) -> None:
    """Survey every hand of a game against every target.

    Several games are put side by side.

    Example: crisps24 survey crisps digits --targets 0..30
    """
    wishes = _Wishes(**words)
    games = _games_of(wishes)
    if wishes.plot:
        from crisps24.outside.plots import check_plot

        check_plot(wishes.plot)
    if wishes.difficulty:
        _survey_difficulty(games[0], wishes, form)
        return
    if wishes.source:
        from crisps24.surveys.surveys import Survey

        surveys = [Survey.load(wishes.source)]
    else:
        with _executor(wishes, games) as executor:
            surveys = [_surveyed(game, wishes, executor) for game in games]
            if wishes.answers:
                _write_answers(games[0], wishes, wishes.answers, executor)
    _show(surveys, wishes, form)
    if wishes.plot:
        from crisps24.outside.plots import Line, plot_shares

        labels = [f"{one.game.name}, {len(one.hands):,} hands" for one in surveys]
        shares = [one.solvable.mean(axis=0).tolist() for one in surveys]
        targets = [one.targets for one in surveys]
        plot_shares(list(map(Line, labels, targets, shares)), wishes.plot)


def _games_of(wishes: _Wishes) -> list[Game]:
    """Return the games to survey, and refuse wishes that do not go together."""
    _refuse_together(wishes)
    games = [GAMES[name] for name in dict.fromkeys(wishes.names or ["crisps"])]
    for option in ("out", "answers", "unsolvable", "difficulty", "by"):
        if len(games) > 1 and getattr(wishes, option):
            raise click.UsageError(f"--{option} is for one GAME")
    if wishes.answers and _target_of_answers(games[0], wishes) is None:
        raise click.UsageError(f"{games[0].name} deals its targets: give one with --target")
    if wishes.distinct_digits:
        games = [replace(game, repeats=False, numbers=tuple(set(game.numbers))) for game in games]
    ranges = {_targets_of(game, wishes) for game in games}
    if len(ranges) > 1:
        raise click.UsageError("the games have other ranges: give the --targets")
    _refuse_target_outside(wishes.target, ranges.pop())
    if wishes.answers:
        check_place(wishes.answers)
        if wishes.targets:
            _refuse_target_outside(_target_of_answers(games[0], wishes), wishes.targets)
    if wishes.by == "large" and not games[0].large and not wishes.source:
        raise click.UsageError(f"--by large: {games[0].name} has no large numbers")
    return games


def _refuse_beside_difficulty(wishes: _Wishes) -> None:
    others = ("targets", "best", "unsolvable", "out", "source", "answers")
    given = [option for option in others if getattr(wishes, option)]
    if given or wishes.by not in (None, "hand"):
        told = given[0].replace("source", "from") if given else f"by {wishes.by}"
        rule = "--difficulty is about one --target, by hand if you like"
        raise click.UsageError(f"{rule}: it takes no --{told}")


def _refuse_together(wishes: _Wishes) -> None:
    work = ("names", "targets", "distinct_digits", "out", "answers", "workers", "scheduler")
    if wishes.source and any(getattr(wishes, option) for option in work):
        others = ", ".join(f"--{option.replace('_', '-')}" for option in work[1:])
        raise click.UsageError(f"--from shows a file as it is: it takes no GAME, {others}")
    if wishes.difficulty:
        _refuse_beside_difficulty(wishes)
    if wishes.unsolvable and (wishes.best or wishes.by):
        raise click.UsageError("--unsolvable lists hands: it takes no --best and no --by")
    if wishes.unsolvable and wishes.target is None:
        raise click.UsageError("--unsolvable lists the hands that fail: give the --target")
    if wishes.workers and wishes.scheduler is not None:
        raise click.UsageError("use just one of --workers and --scheduler")


def _refuse_target_outside(target: int | None, targets: range) -> None:
    if target is not None and target not in targets:
        span = f"{targets[0]}..{targets[-1]}"
        raise click.UsageError(f"--target {target} is not among the targets {span}")


def _target_of_answers(game: Game, wishes: _Wishes) -> int | None:
    return game.target if wishes.target is None else wishes.target


def _targets_of(game: Game, wishes: _Wishes) -> range:
    if wishes.targets:
        return wishes.targets
    if wishes.target is not None:
        return range(wishes.target, wishes.target + 1)
    return range(game.targets[0], game.targets[1] + 1)


def _executor(wishes: _Wishes, games: Sequence[Game]) -> AbstractContextManager["Executor | None"]:
    if wishes.scheduler is not None:
        from crisps24.outside.executors import cluster

        return cluster(wishes.scheduler)
    large = max(game.length for game in games) > _SMALL_HAND
    return executor_of(wishes.workers, worth_it=large)


def _survey_difficulty(game: Game, wishes: _Wishes, form: str) -> None:
    """Show how hard it is to make a target of the hands of a game."""
    if wishes.target is None and game.target is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    from crisps24.surveys.difficulties import difficulties_of_hands
    from crisps24.surveys.surveys import hands_of

    with (
        _executor(wishes, [game]) as executor,
        progress_bar(f"{game.name} hands", len(hands_of(game))) as progress,
    ):
        found = difficulties_of_hands(game, wishes.target, executor=executor, progress=progress)
    show(found.by_hand() if wishes.by == "hand" else found.by_level(), form)
    if wishes.plot:
        from crisps24.outside.plots import plot_levels

        bits: dict[str, list[float]] = {}
        for _, each in found.graded:
            bits.setdefault(f"level {each.level}" if each.level else "all", []).append(each.bits)
        title = f"{game.name}: how hard it is to make {found.target} of {len(found.graded):,} hands"
        plot_levels(bits, wishes.plot, title)


def _surveyed(game: Game, wishes: _Wishes, executor: "Executor | None") -> "Survey":
    from crisps24.surveys.surveys import hands_of
    from crisps24.surveys.surveys import survey as run

    targets = _targets_of(game, wishes)
    try:
        with progress_bar(f"{game.name} hands", len(hands_of(game))) as progress:
            return run(game, targets, executor=executor, progress=progress, store=wishes.out)
    except KeyboardInterrupt as stop:
        if wishes.out is not None:
            stop.args = (f"the same command goes on with {wishes.out}",)
        raise


def _write_answers(game: Game, wishes: _Wishes, path: Path, executor: "Executor | None") -> None:
    from crisps24.surveys.answers import write_answers
    from crisps24.surveys.surveys import hands_of

    target = _target_of_answers(game, wishes)
    assert target is not None
    count = len(hands_of(game))
    with progress_bar("answers", count) as progress:
        solved = write_answers(path, target, game, executor=executor, progress=progress)
    complain(f"{path}: {solved:,} of {count:,} hands make {target}")


def _show(surveys: "Sequence[Survey]", wishes: _Wishes, form: str) -> None:
    first = surveys[0]
    _refuse_target_outside(wishes.target, first.targets)
    if wishes.unsolvable and wishes.target is not None:
        hands = first.unsolvable(wishes.target)
        show([{"unsolvable": format_hand(hand)} for hand in hands], form, ["unsolvable"])
        return
    by = wishes.by or ("large" if first.game.large and len(surveys) == 1 else "target")
    rows = _ROWS[by](first) if len(surveys) == 1 else _side_by_side(surveys)
    if by == "target" and wishes.target is not None:
        rows = [row for row in rows if row["target"] == wishes.target]
    if wishes.best:
        made = next((key for key in rows[0] if key in _BEST or key.endswith("solvable")), "")
        rows = sorted(rows, key=lambda row: -row.get(made, 0))
    show(rows, form)
    if by == "large" and form == "table":
        hardest = (f"{row['target']} ({row['share']:.2%})" for row in first.hardest(_HARDEST))
        click.echo(f"\nhardest targets: {', '.join(hardest)}")


_ROWS: dict[str, Callable[["Survey"], list[dict[str, Any]]]] = {
    "target": lambda survey: survey.by_target(),
    "hand": lambda survey: survey.by_hand(),
    "large": lambda survey: survey.by_large(),
}
# What --best sorts by.
_BEST = ("solvable", "reached", "share")


def _side_by_side(surveys: "Sequence[Survey]") -> list[dict[str, Any]]:
    """Return the tables by target of several games as one."""
    tables = [[(one.game.name, row) for row in one.by_target()] for one in surveys]
    return [
        {"target": rows[0][1]["target"]}
        | {f"{name} {key}": row[key] for name, row in rows for key in ("solvable", "share", "fail")}
        for rows in zip(*tables, strict=True)
    ]
