"""The program: its commands, exit statuses, signals and error messages."""

import io
import os
import re
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import click

from crisps24.about import __version__
from crisps24.cli.options import SHORT_FORM_KEY, CommandWithExamples, is_target
from crisps24.cli.progress import reporting_work
from crisps24.cli.screen import current_language, print_to_stderr
from crisps24.errors import CrispsError
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.operators import MINUS_PATTERN

_HELP = """Arithmetic card puzzles: make a target such as 24 from a few numbers.

Solve, check, deal and play puzzles, and list all formulas of a game. The default game is crisps:
four digits, three operators, no parentheses.

Examples:
  crisps24 solve 3 3 8 8 --game cards
  crisps24 check "4 + 3 x 8 - 4 = 24"
  crisps24 deal cards --count 5 --answers
  crisps24 count 24
  crisps24 143                             short for: crisps24 results 143
"""

# The commands under the headings of help, with their modules and the first sentences of help.
_COMMANDS = {
    "Puzzles": {
        "solve": ("solving", "Solve a hand: show the ways to make its target."),
        "check": ("checks", "Check that formulas are legal and make their target."),
        "deal": ("puzzles", "Deal puzzles as rows: on screen or in a file."),
        "sheet": ("puzzles", "Print puzzles on paper, with a key."),
        "page": ("puzzles", "Write a file that plays puzzles in a browser, also offline."),
        "quiz": ("puzzles", "Write a quiz for Moodle: one question per puzzle."),
        "play": ("playing", "Play puzzles in the terminal."),
        "serve": ("serving", "Serve the web pages: play, solve, check and print."),
    },
    "Games and their hands": {
        "games": ("solving", "List the games and their rules."),
        "reach": ("solving", "Show which targets a hand can make, and which it cannot."),
        "survey": ("surveys", "Survey every hand of a game against every target."),
    },
    "Formulas and results files": {
        "results": ("rows", "Write the results file of each target."),
        "verify": ("rows", "Verify results files."),
        "count": ("rows", "Count the formulas that make each target."),
        "formulas": ("rows", "Print every formula that makes a target."),
        "equations": ("equations", "List equations of the daily puzzle, or find the best guess."),
    },
    "Answers and data sets": {
        "judge": ("judging", "Judge answers in free text, as people and models write them."),
        "mark": ("judging", "Mark the answers of a class."),
        "audit": ("auditing", "Audit a file of puzzles: unsolvable, duplicates, wrong keys."),
    },
}
_MODULES = {
    name: module for commands in _COMMANDS.values() for name, (module, _) in commands.items()
}
# Commands that write files: after Ctrl-C the program says that no file is half-written.
_WRITERS = ("results", "survey", "deal", "sheet", "page", "quiz", "mark")
# The exit status after an error of the program itself: EX_SOFTWARE of sysexits.h.
_INTERNAL_ERROR = 70
# Options whose product another command makes: command, option, purpose of the command, other
# command, its product.
_OTHER_PRODUCTS = (
    ("deal", "--out", "deal writes rows", "sheet", "prints puzzles"),
    ("deal", "--out", "deal writes rows", "quiz", "writes a quiz"),
    ("deal", "--quiz", "deal writes rows", "quiz", "writes a quiz"),
    ("sheet", "--out", "sheet prints puzzles", "deal", "writes rows"),
    ("sheet", "--out", "sheet prints puzzles", "quiz", "writes a quiz"),
    ("quiz", "--out", "quiz writes a quiz", "deal", "writes rows"),
    ("quiz", "--out", "quiz writes a quiz", "sheet", "prints puzzles"),
    ("judge", "--sheet", "judge shows verdicts", "mark", "writes the marks of a class"),
)
# The words of a message before a line to copy.
_COPY = "use crisps24 "


class _Stopped(KeyboardInterrupt):
    """A signal that stops the program as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def _stop(number: int, _: object) -> None:
    raise _Stopped(number)


class _Program(CommandWithExamples, click.Group):
    """The group of commands; a TARGET instead of a command is short for `results TARGET`."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the commands in the order of help, not in alphabetical order."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command; its module is imported when the command is called."""
        if name not in _MODULES:
            return super().get_command(ctx, name)
        command: click.Command = getattr(import_module(f"crisps24.cli.{_MODULES[name]}"), name)
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing their modules."""
        for heading, commands in _COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, purpose) for name, (_, purpose) in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and is_target(args[0]):
            _refuse_hand(args, ctx)
            ctx.meta[SHORT_FORM_KEY] = True
            args = ["results", *(["--"] if args[0].startswith("-") else []), *args]
        _refuse_other_product(args, ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; report an error of the user or of the disk in one line."""
        try:
            with reporting_work(lambda: ctx.invoked_subcommand or "crisps24"):
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except BrokenPipeError:
            # The reader closed the pipe.
            _discard_output()
            ctx.exit(128 + signal.SIGPIPE)
        except KeyboardInterrupt as stop:
            # A terminal shows ^C in the current line.
            first = [""] if sys.stderr.isatty() else []
            writes = ctx.invoked_subcommand in _WRITERS
            note = str(stop) or ("no file is half-written" if writes else "")
            stopped = "stopped"
            if ctx.invoked_subcommand == "play":
                stopped = current_language().text("play.stopped")
            print_to_stderr(*first, f"crisps24: {stopped}{note and f'; {note}'}")
            ctx.exit(128 + (stop.signal if isinstance(stop, _Stopped) else signal.SIGINT))
        except MemoryError:
            print_to_stderr("crisps24: not enough memory")
            ctx.exit(1)
        except (CrispsError, OSError) as error:
            print_to_stderr(f"crisps24: {_sentence(error)}")
            _settle_output()
            ctx.exit(1 if isinstance(error, RuntimeError) else 2)
        except Exception as error:
            print_to_stderr(f"crisps24: {_internal_error(error)}")
            _settle_output()
            ctx.exit(_INTERNAL_ERROR)


def _discard_output() -> None:
    """Drop buffered output that cannot be printed, so that Python does not report it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _settle_output() -> None:
    """Print buffered output, or drop it if the disk is full."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _refuse_hand(words: Sequence[str], ctx: click.Context) -> None:
    """Refuse three or more numbers without a command, since they can be a hand or targets."""
    numbers = list(takewhile(_is_number, words))
    if len(numbers) > 2:
        targets = " ".join(dict.fromkeys(numbers))
        raise click.UsageError(
            f"numbers without a command: for files {_COPY}results {targets}; "
            f"for the hand {_COPY}solve {' '.join(numbers)}",
            ctx,
        )


def _refuse_other_product(words: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError for an option that asks for the product of another command.

    For example, `deal --out a.pdf` asks for a sheet. The error shows the call of that command.
    """
    command, *rest = words
    for name, option, purpose, other_command, product in _OTHER_PRODUCTS:
        value = _value_of(option, rest) if command == name else None
        suffixes = _suffixes_of(other_command) if value else ()
        if value and (option != "--out" or _suffix(value) in suffixes):
            if _suffix(value) not in suffixes:
                value = f"{value.rpartition('.')[0] or value}.{suffixes[0]}"
            line = shlex.join(_words_for(ctx, name, other_command, rest, option))
            called = f"crisps24 {other_command} {line}".rstrip()
            message = (
                f"{purpose}, and {other_command} {product}: use {called} --out {shlex.quote(value)}"
            )
            raise click.UsageError(message, ctx)


def _suffixes_of(command: str) -> tuple[str, ...]:
    """Return the suffixes of the files that a command writes, the default first."""
    from crisps24.cli.judging import MARK_FORMATS
    from crisps24.cli.puzzles import QUIZ_FORMATS
    from crisps24.output.tables import TABLE_FORMATS
    from crisps24.paper.papers import SHEET_FORMATS

    formats = {"sheet": SHEET_FORMATS, "quiz": QUIZ_FORMATS, "mark": MARK_FORMATS}
    return tuple(formats.get(command, TABLE_FORMATS))


def _options_of(ctx: click.Context, name: str) -> dict[str, click.Option]:
    """Return the options of a command by their spellings; empty for an unknown command."""
    command = cli.get_command(ctx, name)
    options = (
        [option for option in command.params if isinstance(option, click.Option)] if command else []
    )
    return {key: option for option in options for key in (*option.opts, *option.secondary_opts)}


def _words_for(
    ctx: click.Context, name: str, other: str, words: Sequence[str], option: str
) -> list[str]:
    """Return the words of a call of command `name` that the command `other` accepts too.

    Left out are --out, the option `option`, and options that `other` does not have. For example,
    with `deal cards --seed 7 --answers --out a.pdf`, the command sheet gets `cards --seed 7`.
    """
    own_options, other_options = _options_of(ctx, name), _options_of(ctx, other)
    accepted: list[str] = []
    remaining = iter(words)
    for word in remaining:
        key, equals, value = word.partition("=")
        if not key.startswith("--"):
            accepted.append(word)
            continue
        option_record = own_options.get(key) or other_options.get(key)
        has_value = key == option or (option_record is not None and not option_record.is_flag)
        values = [value] if equals else [next(remaining, "")] if has_value else []
        if key == "--file":
            accepted += values
        elif key in other_options and key not in (option, "--out"):
            accepted += [key, *values]
    return accepted


def _value_of(option: str, words: Sequence[str]) -> str | None:
    """Return the value of an option in the words of a call, or None."""
    for word, next_word in pairwise([*words, ""]):
        if word == "--":
            break
        if word.partition("=")[0] == option:
            return word.partition("=")[2] or next_word
    return None


def _suffix(name: str) -> str:
    return Path(name).suffix.removeprefix(".").lower()


def _is_number(word: str) -> bool:
    return re.fullmatch(f"{MINUS_PATTERN}?[0-9]+", normalise(word)) is not None


def _internal_error(error: Exception) -> str:
    """Return a message with the type, place and text of an error that a bug raised."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return (
        f"internal error: {type(error).__name__} in {where}: {escape_unprintable(str(error)[:200])}"
    )


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return error.sentence(current_language()) if isinstance(error, CrispsError) else str(error)


@click.group(
    cls=_Program,
    commands=dict.fromkeys(_MODULES),
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Group the commands."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    The status is 0 for success, 1 for a formula or file that is not right and for lack of memory,
    2 for a wrong call, and 70 for an internal error. After a signal it is 128 and the number of the
    signal: 130 after Ctrl-C, and 141 after a closed pipe.
    """
    with _as_program():
        return _run(argv)


@contextmanager
def _as_program() -> Iterator[None]:
    """Set signal handlers and allow numbers of any length; restore both at the end."""
    old_handlers: dict[int, Any] = {}
    old_digit_limit = sys.get_int_max_str_digits()
    # Only the main thread can handle signals.
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # An ignored signal, as after nohup, stays ignored.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                old_handlers[number] = signal.signal(number, _stop)
    # Other limits, on the length of formulas, bound the number of digits.
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(old_digit_limit)
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def _run(argv: Sequence[str] | None) -> int:
    # Replace streams that were closed before the start.
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    words = sys.argv[1:] if argv is None else argv
    try:
        status = cli.main(args=argv, prog_name="crisps24", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.NoSuchOption as error:
        print_to_stderr(
            f"crisps24: {_one_line(error.format_message())} ({_hint_for(error, words)})"
        )
        return 2
    except click.ClickException as error:
        hint = ""
        if isinstance(error, click.UsageError) and _COPY not in error.message:
            hint = f" ({_hint(error, words)})"
        print_to_stderr(f"crisps24: {_one_line(error.format_message())}{hint}")
        return 2
    except click.Abort:
        return 128 + signal.SIGINT
    except OSError as error:
        # Output before the command starts: --help on a full disk.
        print_to_stderr(f"crisps24: {_sentence(error)}")
        _settle_output()
        return 2


def _one_line(message: str) -> str:
    """Return a message of click in one line, since click puts choices on separate lines."""
    return re.sub(r"\n\t", " ", message)


def _hint_for(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Return advice about a word that looks like an option."""
    if error.ctx is not None and (name := error.ctx.command.name) in ("check", "judge"):
        if any(re.match(r"-.*\s|-[(\[]", word) for word in words):
            return f'put -- before a formula that starts with a sign: {name} -- "-4 + 28"'
        if re.match("-[0-9.]", error.option_name):
            return 'put a formula in quotes: "4 - 3"'
    if re.match("-[0-9.]", error.option_name):
        return "put -- before a negative number"
    return _hint(error, words)


def _hint(error: click.UsageError, words: Sequence[str]) -> str:
    """Return advice to use --help; the error does not always know the command."""
    called = ["crisps24", *(word for word in words[:1] if word in cli.commands)]
    return f"{error.ctx.command_path if error.ctx else ' '.join(called)} --help shows how"
