"""The options of a survey: which go together, which games they are about, and where it is put.

Owns what is refused before any work; `surveys` does the work and shows it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from crisps24.cli.options import as_wrong_call, changed
from crisps24.errors import Clash, refuse_clashes
from crisps24.outside.whole_files import check_place, same_place
from crisps24.rules.games import GAMES, Game
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_range
from crisps24.surveys.titles import name_of


@dataclass(frozen=True)
class SurveyOptions:
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
    work: int | None

    def written(self, name: str) -> str:
        """Return how the option of a wish is written."""
        if name == "rules":
            return _option_of(self.rules)
        return _WRITTEN.get(name, f"--{name.replace('_', '-')}")

    def given(self, names: Sequence[str]) -> list[str]:
        """Return which of some options are given, as they are written."""
        return [self.written(name) for name in names if _is_given(getattr(self, name))]


def _option_of(rules: dict[str, Any]) -> str:
    """Return how the first of some changed rules is written, its value left out."""
    name, value = next(iter(rules.items()))
    return RULES[name].option_for(value).partition("=")[0]


def _is_given(value: object) -> bool:
    # Neither no word nor no rule nor no flag is one; a target of 0 is.
    return value not in (None, (), {}) and value is not False


# What is not written as it is called here.
_WRITTEN = {"games": "GAME", "source": "--from"}


def _alone(option: str, told: str, others: str) -> Iterator[Clash]:
    """Yield that an option would have others ignored."""
    for other in others.split():
        yield Clash((option, other), f"{told}: it takes no {{{other}}}")


# What does not go together.
_GRADED = "--difficulty shows how hard hands and targets are"
_CLASHES = (
    Clash(("workers", "scheduler"), "use just one of --workers and --scheduler"),
    *_alone(
        "source",
        "--from shows a file as it is",
        "games rules targets distinct_digits out answers workers scheduler",
    ),
    *_alone("difficulty", _GRADED, "best unsolvable answers"),
    *_alone("unsolvable", "--unsolvable lists hands", "best by"),
    *_alone("target", "--target is one target alone", "targets"),
    Clash(("difficulty", "by large"), f"{_GRADED}: it takes no --by large"),
    Clash(("by share",), "--by share parts what --difficulty finds: give both", ("difficulty",)),
    Clash(
        ("unsolvable",), "--unsolvable lists the hands that fail: give the --target", ("target",)
    ),
    Clash(("best", "by large"), "--best is of targets or hands: it takes no --by large"),
)
# What is about one game.
_OF_ONE_GAME = ("out", "answers", "unsolvable", "difficulty")


def games_of(options: SurveyOptions) -> list[Game]:
    """Return the games to survey, and refuse options that do not go together."""
    _refuse_together(options)
    games = [changed(game, options.rules) for game in dict.fromkeys(options.games)]
    games = games or [changed(GAMES["crisps"], options.rules)]
    if options.distinct_digits:
        games = [replace(game, repeats=False, numbers=tuple(set(game.numbers))) for game in games]
    _refuse_for_games(games, options)
    ranges = {targets_for(game, options) for game in games}
    if len(ranges) > 1:
        raise click.UsageError("the games have other ranges: give the --targets")
    if not options.source:
        refuse_best_of_one(options, ranges.pop())
    if options.answers and options.targets:
        refuse_target_outside(target_of_answers(games[0], options), options.targets)
    if not options.source:
        from crisps24.surveys.deals import check_asked

        for game in games:
            check_asked(
                game, targets_for(game, options), graded=options.difficulty, work=options.work
            )
    return games


def _refuse_together(options: SurveyOptions) -> None:
    given = [field.name for field in fields(options) if _is_given(getattr(options, field.name))]
    with as_wrong_call():
        refuse_clashes(_CLASHES, [*given, f"by {options.by}"], options.written)


def refuse_best_of_one(options: SurveyOptions, targets: range) -> None:
    """Refuse to put targets in order where there is one."""
    if options.best and options.by != "hand" and len(targets) == 1:
        raise click.UsageError(f"--best puts targets in order, and there is one: {targets[0]}")


def _refuse_for_games(games: Sequence[Game], options: SurveyOptions) -> None:
    """Refuse what is asked of several games and is for one, or of one that has none of it."""
    if len(games) > 1:
        given = options.given(_OF_ONE_GAME)
        if options.by not in (None, "target"):
            given.append("--by")
        if given:
            raise click.UsageError(f"{given[0]} is for one GAME")
    game = games[0]
    if options.answers and target_of_answers(game, options) is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    if options.by == "large" and not options.source:
        refuse_without_large(game)


def refuse_without_large(game: Game) -> None:
    """Refuse groups by large numbers of a game that has none."""
    if not has_large(game):
        raise click.UsageError(f"--by large: {name_of(game)} has no large numbers")


def has_large(game: Game) -> bool:
    """Return whether a game has large numbers."""
    return not set(game.large).isdisjoint(game.numbers)


def check_places(options: SurveyOptions) -> None:
    """Refuse files that would overwrite one another, and places that cannot be written."""
    places = [
        (option, Path(f"{path}{more}"))
        for option, path in (("--from", options.source), ("--out", options.out))
        if path
        # Where SQLite keeps what it would take back.
        for more in ("", "-journal")
    ]
    outputs = (("--answers", options.answers), ("--plot", options.plot))
    places += [(option, path) for option, path in outputs if path]
    for (one, first), (other, second) in combinations(places, 2):
        if one != other and same_place(first, second):
            raise click.UsageError(f"{one} and {other} are the same file: give each its own")
    if options.plot:
        from crisps24.outside.plots import check_plot

        check_plot(options.plot)
    if options.answers:
        check_place(options.answers)


def refuse_target_outside(target: int | None, targets: range) -> None:
    """Refuse the target that is asked for where it is not among those there are."""
    if target is not None and target not in targets:
        span = format_range(targets)
        raise click.UsageError(f"--target {target} is not among the targets {span}")


def target_of_answers(game: Game, options: SurveyOptions) -> int | None:
    """Return the target that is asked for, or the game's own; None where it deals them."""
    return game.target if options.target is None else options.target


def targets_for(game: Game, options: SurveyOptions) -> range:
    """Return the targets that are asked for, or the game's own.

    Of difficulty that is the target of the game, where it has one.
    """
    if options.targets:
        return options.targets
    target = target_of_answers(game, options) if options.difficulty else options.target
    if target is not None:
        return range(target, target + 1)
    return range(game.targets[0], game.targets[1] + 1)
