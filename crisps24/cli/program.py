"""The program: its commands, exit statuses, signals and error messages."""

import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from crisps24.about import __version__
from crisps24.cli.options import SHORT_FORM_KEY, CommandWithExamples, is_target, lazy_imports
from crisps24.cli.progress import current_language, reporting_work
from crisps24.cli.screen import print_to_stderr
from crisps24.errors import CrispsError
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.operators import MINUS_PATTERN

with lazy_imports(globals()):
    from crisps24.cli import meanings, starts
    from crisps24.enumeration import enumeration

_HELP = """Arithmetic card puzzles: make a target such as 24 from a few numbers.

The default game is crisps: four digits, no parentheses. Others: cards (the 24 game), countdown,
numble, make10, krypto, mathador, digits, fractions24.
Completion: eval "$(_CRISPS24_COMPLETE=bash_source crisps24)" in bash.

Examples:
  crisps24 solve 3 3 8 8 --game cards
  crisps24 check "4 + 3 x 8 - 4 = 24"
  crisps24 deal cards --count 5 --answers
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
        "quiz": ("puzzles", "Write a quiz for Moodle, Kahoot and others: one question per puzzle."),
        "play": ("playing", "Play puzzles in the terminal."),
        "serve": ("serving", "Serve the web pages: play, solve, check and print."),
        "site": ("serving", "Write a folder for any web server: the pages run in a tab."),
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
        "audit": ("auditing", "Audit files of puzzles: unsolvable, duplicates, wrong keys."),
    },
}
_MODULES = {
    name: module for commands in _COMMANDS.values() for name, (module, _) in commands.items()
}
# Commands that write files: after Ctrl-C the program says that no file is half-written.
_WRITERS = ("results", "survey", "deal", "sheet", "page", "quiz", "mark", "site")
# The exit status after an error of the program itself: EX_SOFTWARE of sysexits.h.
_INTERNAL_ERROR = 70
# The words of a message before a line to copy.
_COPY = "use crisps24 "


class _Stopped(KeyboardInterrupt):
    """A signal that stops the program as Ctrl-C does; its number sets the exit status."""

    handled_at = -1.0

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def _stop(number: int, _: object) -> None:
    # The program ends within a second: more signals would disturb that.
    before, _Stopped.handled_at = _Stopped.handled_at, time.monotonic()
    if _Stopped.handled_at - before >= 1:
        raise _Stopped(number)


class _Program(CommandWithExamples, click.Group):
    """The group of commands; a TARGET instead of a command is short for `results TARGET`."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
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
        """Return the name, the command and its arguments; `24` is short for `results 24`."""
        if args[0] not in self.commands and is_target(args[0]):
            _refuse_hand(args, ctx)
            ctx.meta[SHORT_FORM_KEY] = True
            args = ["results", *(["--"] if args[0].startswith("-") else []), *args]
        elif args[0] not in self.commands and starts.meant_start(args[0]) == "--help":
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            if not args[2:] and (start := starts.meant_start(args[1], self.commands)):
                args = [start.split()[0], "--help"]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of the call; print an error in one line, and end with its exit status."""
        try:
            with reporting_work(lambda: ctx.invoked_subcommand or "crisps24"):
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.exceptions.Exit, click.Abort, click.ClickException):
            raise
        except BrokenPipeError:
            _discard_output()
            ctx.exit(128 + getattr(signal, "SIGPIPE", 13))
        except KeyboardInterrupt as stop:
            # A terminal shows ^C in the current line: start a new line.
            empty_line = [""] if sys.stderr.isatty() else []
            writes_files = ctx.invoked_subcommand in _WRITERS
            note = str(stop) or ("no file is half-written" if writes_files else "")
            stopped = "stopped"
            if ctx.invoked_subcommand == "play":
                stopped = current_language().text("play.stopped")
            print_to_stderr(*empty_line, f"crisps24: {stopped}{note and f'; {note}'}")
            ctx.exit(128 + (stop.signal if isinstance(stop, _Stopped) else signal.SIGINT))
        except MemoryError:
            print_to_stderr("crisps24: not enough memory")
            ctx.exit(1)
        except Exception as error:
            print_to_stderr(f"crisps24: {_sentence(error)}")
            _flush_or_discard_output()
            if not isinstance(error, CrispsError | OSError):
                ctx.exit(_INTERNAL_ERROR)
            ctx.exit(1 if isinstance(error, RuntimeError) else 2)


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush_or_discard_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _refuse_hand(words: Sequence[str], ctx: click.Context) -> None:
    is_number = re.compile(f"{MINUS_PATTERN}?[0-9]+").fullmatch
    # `all 3 3 8 8` wants all solutions of a hand.
    rest = words[words[0] == "all" :]
    numbers = list(takewhile(lambda word: is_number(normalise(word)), rest))
    is_hand = len(words) == 1 and re.fullmatch("[1-9]{4}", words[0])
    if len(numbers) > 2 or (is_hand and not enumeration.count(int(words[0]))):
        targets = " ".join(dict.fromkeys(numbers))
        hand = meanings.meant_call(words, cli)[0].partition(" (")[0]
        raise click.UsageError(
            f"numbers without a command: for files {_COPY}results {targets}; "
            f"for the hand {hand or f'{_COPY}solve {chr(32).join(numbers)}'}",
            ctx,
        )


def _sentence(error: Exception) -> str:
    if isinstance(error, CrispsError):
        return error.sentence(current_language())
    if isinstance(error, OSError):
        problem = error.strerror or str(error)
        return f"{error.filename}: {problem}" if error.strerror and error.filename else problem
    import traceback

    raising_frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(raising_frame.filename).name}, line {raising_frame.lineno}"
    problem = escape_unprintable(str(error)[:200])
    return f"internal error: {type(error).__name__} in {place}: {problem}"


@click.group(
    cls=_Program,
    commands=dict.fromkeys(_MODULES),
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def cli() -> None:
    """Do nothing before a command: `_Program` finds and runs it."""


def main(argv: Sequence[str] | None = None) -> int:
    with _as_program():
        return _run(argv)


@contextmanager
def _as_program() -> Iterator[None]:
    """Change settings of this Python process for the block, and restore them at its end."""
    old_handlers: dict[int, Any] = {}
    old_digit_limit = sys.get_int_max_str_digits()
    # Only the main thread can handle signals.
    if threading.current_thread() is threading.main_thread():
        for signal_name in ("SIGINT", "SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP.
            signal_number = getattr(signal, signal_name, None)
            # An ignored signal, as after nohup, stays ignored.
            if signal_number and signal.getsignal(signal_number) not in (signal.SIG_IGN, None):
                old_handlers[signal_number] = signal.signal(signal_number, _stop)
    # Other limits, on the length of formulas, bound the number of digits.
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(old_digit_limit)
        for signal_number, old_handler in old_handlers.items():
            signal.signal(signal_number, old_handler)


def _run(argv: Sequence[str] | None) -> int:
    """Run the command line, print the error of a wrong call in one line, and return the status."""
    # Replace streams that were closed before the start; to write to stdout is then an error.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or io.StringIO()
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    words = sys.argv[1:] if argv is None else argv
    try:
        status = cli.main(args=argv, prog_name="crisps24", standalone_mode=False, obj=words)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        unknown = isinstance(error, click.NoSuchOption | click.exceptions.NoSuchCommand)
        # click puts choices on separate lines, and suggests names that are not near.
        message = (error.message if unknown else error.format_message()).replace("\n\t", " ")
        if isinstance(error, click.UsageError) and _COPY not in error.message:
            message = _with_hint(message, error, words)
        print_to_stderr(f"crisps24: {message}")
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    except OSError as error:
        # Output before the command starts: --help on a full disk.
        print_to_stderr(f"crisps24: {_sentence(error)}")
        _flush_or_discard_output()
        return 2


def _with_hint(message: str, error: click.UsageError, words: Sequence[str]) -> str:
    """Return a message with the call that the person meant, or with the help of its command."""
    # Some errors do not know their command: take it from the words of the call.
    command = words[0] if words and words[0] in cli.commands else ""
    if isinstance(error, click.NoSuchOption):
        is_number = re.match("-[0-9.]", error.option_name)
        if command in ("check", "judge"):
            if any(re.match(r"-.*\s|-[(\[]", word) for word in words):
                example = f'{command} -- "-4 + 28"'
                return f"{message} (put -- before a formula that starts with a sign: {example})"
            if is_number:
                return f'{message} (put a formula in quotes: "4 - 3")'
        if is_number:
            return f"{message} (put -- before a negative number)"
    if words and "did you mean" not in message:
        line, meant = meanings.meant_call(words, cli)
        if line:
            return f"{message.removesuffix('.')}: {line}"
        command = command or meant
    return f"{message} ({' '.join(filter(None, ('crisps24', command)))} --help shows how)"
