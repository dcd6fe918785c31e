"""The command about all hands of a game: survey."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_HANDS,
    RANGE,
    RULES,
    WORKERS,
    Reading,
    changed,
    complain,
    executor_of,
    format_option,
    progress_bar,
    rule_options,
    show,
)
from crisps24.outside.whole_files import check_place, same_place
from crisps24.rules.games import GAMES, Game, find_game
from crisps24.rules.words import format_hand, format_range
from crisps24.surveys.titles import name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from crisps24.surveys.surveys import Survey

# Hands of so few numbers are surveyed sooner than other processes are started.
_SMALL_HAND = 4

# Hardest targets that are named.
_HARDEST = 5

_FILE = click.Path(dir_okay=False, path_type=Path)
# The rules that an option changes.
_RULES = ("length", *OF_HANDS)


@dataclass(frozen=True)
class _Wishes:
    """The options of one survey."""

    games: Sequence[Game]
    rules: dict[str, Any]
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

    def given(self, names: Sequence[str]) -> list[str]:
        """Return which of some options are given, as they are written."""
        found = [name for name in names if _is_given(getattr(self, name))]
        written = [_WRITTEN.get(name, f"--{name.replace('_', '-')}") for name in found]
        if "--rules" in written:
            written[written.index("--rules")] = _option_of(*next(iter(self.rules.items())))
        return written


def _is_given(value: object) -> bool:
    # Neither no word nor no rule nor no flag is one; a target of 0 is.
    return value not in (None, (), {}) and value is not False


# What is not written as it is called here.
_WRITTEN = {"games": "GAME", "source": "--from"}
# What an option is about, and those that would be ignored beside it.
_ALONE: dict[str, tuple[str, tuple[str, ...]]] = {
    "source": (
        "--from shows a file as it is",
        (
            *("games", "rules", "targets", "distinct_digits", "difficulty", "out", "answers"),
            *("workers", "scheduler"),
        ),
    ),
    "difficulty": (
        "--difficulty is about one --target, by hand if you like",
        ("targets", "best", "unsolvable", "out", "answers"),
    ),
    "unsolvable": ("--unsolvable lists hands", ("best", "by")),
    "target": ("--target is one target alone", ("targets",)),
}
# What is about one game.
_OF_ONE_GAME = ("out", "answers", "unsolvable", "difficulty")


def _option_of(name: str, value: object) -> str:
    """Return how a changed rule is written."""
    yes, _, no = RULES[name][0].partition("/")
    return no if value is False else yes


@click.command()
@click.argument("games", metavar="[GAME]...", nargs=-1, type=Reading("game", find_game))
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
@click.option("--answers", type=_FILE, help="Each hand's first solution (.tsv, .csv, .jsonl).")
@click.option("--workers", type=click.IntRange(1), help=WORKERS)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster: tcp://host:8786.")
@rule_options(_RULES)
@format_option
def survey(form: str, **words: Any) -> None:
    """Survey every hand of a game against every target.

    Several games are put side by side.

    Example: crisps24 survey crisps digits --targets 0..30

    The file of --out is SQLite. Table survey has one row: game (its fields, as JSON), version,
    first_target, last_target. Table hands has a row a hand: hand (its place, from 1), numbers
    ("1 2 5 8"), reached (how many targets it makes) and targets (a bit a target, the first in the
    highest bit of the first byte). So SELECT numbers, reached FROM hands ORDER BY reached DESC,
    hand LIMIT 1 is the hand that makes most.
    """
    rules = {name: words.pop(name) for name in _RULES}
    wishes = _Wishes(
        rules={name: value for name, value in rules.items() if value is not None}, **words
    )
    games = _games_of(wishes)
    _check_places(wishes)
    if wishes.difficulty:
        _survey_difficulty(games[0], wishes, form)
        return
    surveys = _loaded(wishes) if wishes.source else _worked_out(games, wishes)
    _show(surveys, wishes, form)
    if wishes.plot:
        _plot(surveys, wishes.plot)


def _games_of(wishes: _Wishes) -> list[Game]:
    """Return the games to survey, and refuse wishes that do not go together."""
    _refuse_together(wishes)
    games = [changed(game, wishes.rules) for game in dict.fromkeys(wishes.games)]
    games = games or [changed(GAMES["crisps"], wishes.rules)]
    if wishes.distinct_digits:
        games = [replace(game, repeats=False, numbers=tuple(set(game.numbers))) for game in games]
    _refuse_for_games(games, wishes)
    ranges = {_targets_of(game, wishes) for game in games}
    if len(ranges) > 1:
        raise click.UsageError("the games have other ranges: give the --targets")
    if not wishes.source:
        _refuse_best_of_one(wishes, ranges.pop())
    if wishes.answers and wishes.targets:
        _refuse_target_outside(_target_of_answers(games[0], wishes), wishes.targets)
    if not wishes.source:
        from crisps24.surveys.deals import check_size

        for game in games:
            check_size(game, _targets_of(game, wishes))
    return games


def _refuse_together(wishes: _Wishes) -> None:
    if wishes.workers and wishes.scheduler is not None:
        raise click.UsageError("use just one of --workers and --scheduler")
    for option, (rule, others) in _ALONE.items():
        if wishes.given([option]) and (given := wishes.given(others)):
            raise click.UsageError(f"{rule}: it takes no {given[0]}")
    if wishes.difficulty and wishes.by not in (None, "hand"):
        rule = _ALONE["difficulty"][0]
        raise click.UsageError(f"{rule}: it takes no --by {wishes.by}")
    if wishes.unsolvable and wishes.target is None:
        raise click.UsageError("--unsolvable lists the hands that fail: give the --target")
    if wishes.best and wishes.by == "large":
        raise click.UsageError("--best is of targets or hands: it takes no --by large")


def _refuse_best_of_one(wishes: _Wishes, targets: range) -> None:
    if wishes.best and wishes.by != "hand" and len(targets) == 1:
        raise click.UsageError(f"--best puts targets in order, and there is one: {targets[0]}")


def _refuse_for_games(games: Sequence[Game], wishes: _Wishes) -> None:
    """Refuse what is asked of several games and is for one, or of one that has none of it."""
    if len(games) > 1:
        given = wishes.given(_OF_ONE_GAME)
        if wishes.by not in (None, "target"):
            given.append("--by")
        if given:
            raise click.UsageError(f"{given[0]} is for one GAME")
    game = games[0]
    if (wishes.answers or wishes.difficulty) and _target_of_answers(game, wishes) is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    if wishes.by == "large" and not wishes.source:
        _refuse_without_large(game)


def _refuse_without_large(game: Game) -> None:
    if not _has_large(game):
        raise click.UsageError(f"--by large: {name_of(game)} has no large numbers")


def _has_large(game: Game) -> bool:
    return not set(game.large).isdisjoint(game.numbers)


def _check_places(wishes: _Wishes) -> None:
    """Refuse files that would overwrite one another, and places that cannot be written."""
    places = [
        (option, Path(f"{path}{more}"))
        for option, path in (("--from", wishes.source), ("--out", wishes.out))
        if path
        # Where SQLite keeps what it would take back.
        for more in ("", "-journal")
    ]
    outputs = (("--answers", wishes.answers), ("--plot", wishes.plot))
    places += [(option, path) for option, path in outputs if path]
    for (one, first), (other, second) in combinations(places, 2):
        if one != other and same_place(first, second):
            raise click.UsageError(f"{one} and {other} are the same file: give each its own")
    if wishes.plot:
        from crisps24.outside.plots import check_plot

        check_plot(wishes.plot)
    if wishes.answers:
        check_place(wishes.answers)


def _refuse_target_outside(target: int | None, targets: range) -> None:
    if target is not None and target not in targets:
        span = format_range(targets)
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
    from crisps24.rules.deals import hands_of
    from crisps24.surveys.difficulties import difficulties_of_hands

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
        hands = f"{len(found.graded):,} hands"
        title = f"{name_of(game)}: how hard it is to make {found.target} of {hands}"
        plot_levels(bits, wishes.plot, title)


def _loaded(wishes: _Wishes) -> "list[Survey]":
    """Return the survey in a file, or the one target of it that is asked for."""
    from crisps24.surveys.surveys import Survey

    assert wishes.source is not None
    found = Survey.load(wishes.source)
    if wishes.by == "large":
        _refuse_without_large(found.game)
    _refuse_target_outside(wishes.target, found.targets)
    if wishes.target is not None:
        found = found.only(wishes.target)
    _refuse_best_of_one(wishes, found.targets)
    return [found]


def _worked_out(games: Sequence[Game], wishes: _Wishes) -> "list[Survey]":
    with _executor(wishes, games) as executor:
        surveys = [_surveyed(game, wishes, executor) for game in games]
        if wishes.answers:
            _write_answers(games[0], wishes, wishes.answers, executor)
    return surveys


def _plot(surveys: "Sequence[Survey]", path: Path) -> None:
    """Draw the share of hands that make each target, a line a game."""
    from crisps24.outside.plots import Line, plot_shares

    names = [name_of(one.game) for one in surveys]
    lines = [
        Line(f"{name}, {len(one.hands):,} hands", one.targets, one.solvable.mean(axis=0).tolist())
        for name, one in zip(names, surveys, strict=True)
    ]
    own = {one.game.target for one in surveys}
    mark = own.pop() if len(own) == 1 else None
    title = f"{' and '.join(names)}: hands that make {format_range(surveys[0].targets)}"
    plot_shares(lines, path, title, mark)


def _surveyed(game: Game, wishes: _Wishes, executor: "Executor | None") -> "Survey":
    from crisps24.rules.deals import hands_of
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
    from crisps24.rules.deals import hands_of
    from crisps24.surveys.answers import write_answers

    target = _target_of_answers(game, wishes)
    assert target is not None
    count = len(hands_of(game))
    with progress_bar("answers", count) as progress:
        solved = write_answers(path, target, game, executor=executor, progress=progress)
    complain(f"{path}: {solved:,} of {count:,} hands make {target}")


def _show(surveys: "Sequence[Survey]", wishes: _Wishes, form: str) -> None:
    first = surveys[0]
    if wishes.unsolvable and wishes.target is not None:
        hands = first.unsolvable(wishes.target)
        show([{"unsolvable": format_hand(hand)} for hand in hands], form, ["unsolvable"])
        return
    large = _has_large(first.game) and len(surveys) == 1 and not wishes.best
    by = wishes.by or ("large" if large else "target")
    rows = _ROWS[by](first) if len(surveys) == 1 else _side_by_side(surveys)
    if wishes.best:
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
