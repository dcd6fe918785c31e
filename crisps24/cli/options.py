"""What the commands share: the options that choose a game and a format, and how words are read.

Owns the reading of the command line's words and what is printed beside results; imported by
the commands alone.
"""

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crisps24.outside import executors
from crisps24.outside.executors import MOST_WORKERS
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row, check_format, render, stream
from crisps24.rules.characters import escaped, plain, shown, words_of
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, Hand, find_game
from crisps24.rules.operators import BELOW_ZERO
from crisps24.rules.rules import FLAG, RULES, Kind, rules_asked, why_no_target
from crisps24.rules.words import (
    format_limit,
    parse_limit,
    parse_range,
    parse_value,
)
from crisps24.rules.work import MOST_WORK

if TYPE_CHECKING:
    from concurrent.futures import Executor

# A progress bar has as many columns at least.
_SHORTEST_BAR = 8
# As many files, or rows of a table, as one call may ask for.
MOST_TARGETS = 1_000_000
# A table of formulas has no more rows, and no more characters in its column of them.
_ROWS = 1_000
_CHARACTERS = 2_000_000
# Seconds that a named pipe has to be opened by who writes to it.
_PATIENCE = 1

# Where a call keeps whether its output names the columns, and whether it names no command.
_HEADED = "crisps24.headed"
SHORT = "crisps24.short"
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
WORK = Reading("pairs", parse_limit)


def work_option(command: _Command) -> _Command:
    """Add `--work`; the command is given `work`, None for any."""
    return click.option(
        "--work",
        type=WORK,
        default=format_limit(MOST_WORK),
        help="How many pairs of values may be looked at, or none for any.",
        show_default=True,
    )(command)


class Source(click.File):
    """A file to be read as bytes, or `-` for stdin; a named pipe is one that somebody writes to."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> IO[Any]:
        """Return the open file, or fail with a sentence."""
        found: IO[Any]
        if isinstance(value, str) and _is_pipe(value):
            number = _opened(value)
            if number is None:
                self.fail(f"{value!r}: nobody writes to this pipe", param, ctx)
            found = os.fdopen(number, "rb")
        else:
            found = super().convert(value, param, ctx)
        if ctx is not None and found is not getattr(sys.stdin, "buffer", None):
            # Where another option is refused, what is asked for by this one is never begun.
            ctx.find_root().call_on_close(found.close)
        return found


def _is_pipe(name: str) -> bool:
    try:
        return Path(name).is_fifo()
    except (OSError, ValueError):
        return False


def _opened(name: str) -> int | None:
    """Open a pipe once somebody writes to it; return None where nobody does in time.

    The system waits for as long as it takes, so that a thread has to do it.
    """
    opened: list[int] = []

    def wait() -> None:
        with suppress(OSError):
            opened.append(os.open(name, os.O_RDONLY))

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(_PATIENCE)
    return opened[0] if opened else None


SOURCE = Source()
WORKERS = (
    f"Processes on this machine, up to {MOST_WORKERS}, as there is work for; "
    "all cores where it is long."
)

# The rules that options change for one call: of rows, of hands, and of single formulas.
OF_ROWS, OF_HANDS = rules_asked("rows"), rules_asked("hands")
OF_FORMULAS = rules_asked("rows", "hands")


def _type_of(kind: Kind) -> click.ParamType[Any]:
    return click.IntRange(*kind.limits) if kind.limits else Reading(kind.name, kind.read)


def game_type(offered: Iterable[str] = GAMES) -> Reading:
    """Return the type of a parameter that names a game, of which these are offered."""
    names = tuple(offered)
    return Reading("game", lambda name: find_game(name, names))


def rule_options(names: Sequence[str]) -> Callable[[_Command], _Command]:
    """Add the options that change rules of a game; the command is given None for no change."""

    def decorate(command: _Command) -> _Command:
        for name in reversed(names):
            rule = RULES[name]
            kind = None if rule.kind is FLAG else _type_of(rule.kind)
            option = click.option(rule.option, name, type=kind, default=None, help=rule.help)
            command = option(command)
        return command

    return decorate


def game_options(
    names: Sequence[str], default: Game = GAMES["crisps"], offered: Iterable[str] = GAMES
) -> Callable[[_Command], _Command]:
    """Add the options that choose a game and change it; the command is given `game`."""

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_game(**words: Any) -> Any:
            changes = {name: words.pop(name) for name in names}
            game = changed(words.pop("game"), changes)
            return command(game=game, **words)

        decorated: _Command = rule_options(names)(with_game)
        return click.option(
            "--game",
            type=game_type(offered),
            default=default.name,
            metavar="GAME",
            help="The rules: see crisps24 games.",
            show_default=True,
        )(decorated)

    return decorate


def changed(game: Game, changes: dict[str, Any]) -> Game:
    """Return a game with the fields changed that are not None, or say why that is no game."""
    with as_wrong_call():
        return replace(game, **{name: new for name, new in changes.items() if new is not None})


def language_option(command: _Command) -> _Command:
    """Add `--language`."""
    # Most commands speak English alone.
    from crisps24.languages.choosing import LANGUAGES, find_language

    return click.option(
        "--language",
        type=Reading("name", lambda text: find_language(text).name),
        default="en",
        help=f"Of the words on paper: {', '.join(LANGUAGES)}.",
        show_default=True,
    )(command)


def format_option_with(*others: str) -> Callable[[_Command], _Command]:
    """Add `--format`, of which a command has some formats of its own, and `--no-header`."""
    known = ", ".join(("table, csv, tsv, json, jsonl", *others))
    return lambda command: header_option(
        click.option(
            "--format",
            "form",
            type=Reading("format", lambda name: name if name in others else check_format(name)),
            default=DEFAULT_FORMAT,
            help=f"{known}, or a format of tabulate such as github.",
            show_default=True,
        )(command)
    )


format_option = format_option_with()


def header_option(command: _Command) -> _Command:
    """Add `--no-header`, which `show` and `streamed` heed."""
    return click.option(
        "--no-header",
        is_flag=True,
        expose_value=False,
        callback=lambda ctx, _, given: ctx.meta.update({_HEADED: not given}),
        help="Leave out the names of the columns.",
    )(command)


def show(rows: Sequence[Row], form: str, keys: Sequence[str] = (), *, aside: bool = False) -> None:
    """Print rows in a format, on stderr where they stand `aside` from the results.

    A table has some keys alone, and nothing that a terminal obeys.
    """
    if form not in STREAMS:
        rows = [{key: _cell(value) for key, value in row.items()} for row in rows]
    text = render(rows, form, keys, width_of_terminal(), _is_headed())
    click.echo(safe(text, form), err=aside)


def streamed(
    rows: Iterable[Row], form: str, keys: Sequence[str], *, begun: bool = False
) -> Iterator[str]:
    """Yield the lines of rows in a format of `STREAMS`, as they may be printed.

    Where others of the same output have `begun`, nothing names the columns again.
    """
    return (safe(line, form) for line in stream(rows, keys, form, _is_headed() and not begun))


def show_in_blocks(
    rows: Iterable[Row], form: str, told: Callable[[list[Row]], tuple[list[Row], list[str]]]
) -> None:
    """Print rows of formulas as tables of so many; `told` gives what of some is shown, by keys."""
    between = ""
    for block in _in_blocks(rows):
        click.echo(between, nl=False)
        shown_rows, keys = told(block)
        show(shown_rows, form, keys)
        between = "\n"


def _in_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows of formulas in blocks that are tables of a size to be held and read."""
    block: list[Row] = []
    widest = 0
    for row in rows:
        block.append(row)
        widest = max(widest, len(row["formula"] or ""))
        if len(block) == _ROWS or len(block) * widest > _CHARACTERS:
            yield block
            block, widest = [], 0
    if block:
        yield block


def _is_headed() -> bool:
    return bool(click.get_current_context().meta.get(_HEADED, True))


def safe(text: str, form: str) -> str:
    """Return lines of a format as they may be printed.

    What json can escape is escaped; csv and tsv are given on as they are, but to a terminal.
    """
    if form.startswith("json"):
        return escaped(text)
    if form in STREAMS and sys.stdout.isatty():
        return re.sub(r"[^\t\n]+", lambda found: shown(found[0]), text)
    return text


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_cell(each) for each in value]
    return shown(value) if isinstance(value, str) else value


def executor_of(
    workers: int | None, pieces: int, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Give an executor of so many processes for some pieces of work, or None where one will do.

    Where their number is not given, all cores are used if the work is `worth_it`.
    """
    if (workers is None and not worth_it) or executors.workers_for(workers, pieces) == 1:
        return nullcontext()
    return executors.processes(workers, pieces)


def width_of_terminal() -> int | None:
    """Return how many columns the terminal has that results go to, None where they go elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def read_card(card: str, game: Game) -> Hand:
    """Read the numbers of a card."""
    hand = parse_hand(words_of(card), game)
    if not hand:
        raise click.UsageError('the card is empty: give its numbers, such as --card "4 3 8 4"')
    return hand


@contextmanager
def overwriting(path: Path | None) -> Iterator[None]:
    """Say in a line on stderr, once a file is written, that there was one before."""
    there = path is not None and path.exists()
    yield
    if there:
        complain(f"{path} was there before: it is overwritten")


def form_of(out: Path, option: str, forms: Collection[str]) -> str:
    """Return the format that the end of a name tells; refuse a name that tells none of some."""
    form = out.suffix.removeprefix(".").lower()
    if form not in forms:
        known = ", ".join(f".{each}" for each in forms)
        raise click.UsageError(f"{option} {out}: the end of the name tells what it is: {known}")
    return form


def encoded(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines as a file has them."""
    return (f"{line}\n".encode() for line in lines)


def write_file(out: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, which is whole or not there, and tell its name."""
    from crisps24.outside.whole_files import remove_left, replacing

    remove_left([out])
    with overwriting(out), replacing(out) as file:
        file.writelines(pieces)
    click.echo(shown(str(out)))


def complain(*lines: str) -> None:
    """Print lines on stderr, each of them one, whatever is in it."""
    click.echo("\n".join(map(shown, lines)), err=True)


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
    return word == "all" or re.match(rf"({BELOW_ZERO}|\.)?[0-9]", plain(word)) is not None


@contextmanager
def progress_bar(
    what: str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function to be told of progress, with a bar on stderr if that is a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    # The position, the time, the brackets and the spaces between; the bar takes what is left.
    beside = 2 * len(str(total)) + len("/  [] 00:00:00  ") + _SHORTEST_BAR
    room = shutil.get_terminal_size().columns - beside
    what = what if len(what) <= room else f"{what[: max(0, room - 1)]}…"
    bar: Any = click.progressbar(length=total, label=what, file=sys.stderr, show_pos=True, width=0)
    began, done_before = 0.0, 0

    def advance(done: int) -> None:
        nonlocal began, done_before
        bar.update(done)
        if not began:
            # What the first call tells may have been done by an earlier run: it has no rate.
            began, done_before = time.monotonic(), bar.pos
        elif (passed := time.monotonic() - began) > 1:
            rate = f"{what}, {(bar.pos - done_before) / passed:,.0f} a second"
            bar.label = rate if len(rate) <= room else what

    with bar:
        yield advance


def was_given(parameter: str) -> bool:
    """Return whether a parameter of the command was given in the call."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def refuse_given(names: Iterable[str], told: str) -> None:
    """Refuse a call that gives one of some parameters; `told` says it, with {} for the option."""
    for name in filter(was_given, names):
        parameters = click.get_current_context().command.params
        option = next(each.opts[0] for each in parameters if each.name == name)
        raise click.UsageError(told.replace("{}", option))


@contextmanager
def as_wrong_call() -> Iterator[None]:
    """Tell what is refused within as a wrong call, with what may be meant."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def exit_with(well: bool) -> None:
    """End with status 1 where something was not right."""
    if not well:
        sys.stdout.flush()
        click.get_current_context().exit(1)
