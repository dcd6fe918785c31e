"""What the commands share: the options that choose a game and a format, and how words are read.

Owns the reading of the command line's words and what is printed beside results; imported by
the commands alone.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from crisps24.outside.tables import DEFAULT_FORMAT, Row, check_format, render
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, why_no_target
from crisps24.rules.words import (
    parse_limit,
    parse_numbers,
    parse_operators,
    parse_range,
    parse_value,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

# As many files, or rows of a table, as one call may ask for.
MOST_TARGETS = 1_000_000

_Command = Callable[..., Any]


class Reading(click.ParamType[Any]):
    """A parameter read by a function that raises ValueError with a sentence."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what the text means, or fail with the sentence."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


VALUE = Reading("number", parse_value)
RANGE = Reading("range", parse_range)
NUMBERS = Reading("spec", parse_numbers)
SIGNS = Reading("signs", parse_operators)
WORK = Reading("pairs", parse_limit)
FORMAT = Reading("format", check_format)
WORKERS = "Processes on this machine; all cores where the work is long."

# The fields of a game that an option changes for one call: the option of each and its help.
_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "length": ("--length", {"type": click.IntRange(1, 99), "help": "Numbers in a formula."}),
    "numbers": ("--numbers", {"type": NUMBERS, "help": "Numbers there are: 1..10,25,50."}),
    "parentheses": ("--parentheses/--no-parentheses", {"help": "Parentheses may be used."}),
    "fractions": ("--fractions/--no-fractions", {"help": "A division may leave a remainder."}),
    "negatives": ("--negatives/--no-negatives", {"help": "A result may go below zero."}),
    "all_numbers": ("--all-numbers/--any-subset", {"help": "Every number has to be used."}),
    "operators": ("--operators", {"type": SIGNS, "help": 'Operators there are, such as "+-".'}),
    "zero": ("--zero/--no-zero", {"help": "A result may be zero."}),
    "join": ("--join/--no-join", {"help": "Digits may be joined: 1 and 2 to 12."}),
}
# Those that make sense for rows, for single formulas, and for hands.
_OF_ALL = ("fractions", "negatives", "operators", "zero", "join")
OF_ROWS = ("length", "numbers", *_OF_ALL)
OF_FORMULAS = ("numbers", "parentheses", *_OF_ALL)
OF_HANDS = ("numbers", "parentheses", "all_numbers", *_OF_ALL)


def game_options(names: Sequence[str], default: str = "crisps") -> Callable[[_Command], _Command]:
    """Add the options that choose a game and change it; the command is given `game`."""

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_game(**words: Any) -> Any:
            changes = {name: words.pop(name) for name in names}
            game = changed(GAMES[words.pop("game")], changes)
            return command(game=game, **words)

        decorated: _Command = with_game
        for name in reversed(names):
            option, more = _CHANGES[name]
            decorated = click.option(option, name, default=None, **more)(decorated)
        games = click.Choice(list(GAMES))
        return click.option(
            "--game",
            type=games,
            default=default,
            metavar="GAME",
            help="The rules: see crisps24 games.",
            show_default=True,
        )(decorated)

    return decorate


def changed(game: Game, changes: dict[str, Any]) -> Game:
    """Return a game with the fields changed that are not None, or say why that is no game."""
    try:
        return replace(game, **{name: new for name, new in changes.items() if new is not None})
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def format_option(command: _Command) -> _Command:
    """Add `--format`."""
    text = "table, csv, json, jsonl, or a format of tabulate such as github."
    return click.option(
        "--format", "form", type=FORMAT, default=DEFAULT_FORMAT, help=text, show_default=True
    )(command)


def show(rows: Sequence[Row], form: str, shown: Sequence[str] = ()) -> None:
    """Print rows in a format."""
    click.echo(render(rows, form, shown))


def executor_of(
    workers: int | None, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Give an executor of so many processes, or None where one does as well.

    Where their number is not given, all cores are used if the work is `worth_it`.
    """
    if workers == 1 or (workers is None and not (worth_it and (os.cpu_count() or 1) > 1)):
        return nullcontext()
    from crisps24.outside.executors import processes

    return processes(workers)


def complain(text: str) -> None:
    """Print a line on stderr."""
    click.echo(text, err=True)


def targets_of(
    words: Sequence[str], game: Game, reached: Callable[[], Iterable[Exact]] | None = None
) -> list[Exact]:
    """Read TARGETs: numbers, inclusive ranges and `all`, each target once, in their order.

    `reached` gives all that there are, where they are not those of the game.
    """
    targets: dict[Exact, None] = {}
    for word in words:
        if word == "all":
            from crisps24.rows.enumeration import counts

            targets.update(dict.fromkeys(reached() if reached else counts(game)))
        else:
            targets.update(dict.fromkeys(_targets_of_word(word, game)))
        if len(targets) > MOST_TARGETS:
            raise click.UsageError(f"{word}: more than {MOST_TARGETS:,} targets at once")
    return list(targets)


def _targets_of_word(word: str, game: Game) -> Sequence[Exact]:
    try:
        found = parse_range(word) if ".." in word else [parse_value(word)]
    except ValueError as error:
        wanted = "a TARGET is a number, a range such as 0..100, or all"
        raise click.UsageError(
            f"{error}; {wanted}" if ".." in word else f"{word!r}: {wanted}"
        ) from None
    for target in (found[0], found[-1]):
        if why := why_no_target(target, game):
            raise click.UsageError(f"{target}: {why}")
    return found


def is_target(word: str) -> bool:
    """Return whether a word that is no command can be a TARGET."""
    return word == "all" or re.match(r"[-−.]?[0-9]", word) is not None


@contextmanager
def progress_bar(
    what: str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function to be told of progress, with a bar on stderr if that is a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    bar: Any = click.progressbar(length=total, label=what, file=sys.stderr, show_pos=True)
    began, done_before = 0.0, 0

    def advance(done: int) -> None:
        nonlocal began, done_before
        bar.update(done)
        if not began:
            # What the first call tells may have been done by an earlier run: it has no rate.
            began, done_before = time.monotonic(), bar.pos
        elif (passed := time.monotonic() - began) > 1:
            bar.label = f"{what}, {(bar.pos - done_before) / passed:,.0f} a second"

    with bar:
        yield advance


def was_given(parameter: str) -> bool:
    """Return whether a parameter of the command was given in the call."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def exit_with(well: bool) -> None:
    """End with status 1 where something was not right."""
    if not well:
        sys.stdout.flush()
        click.get_current_context().exit(1)
