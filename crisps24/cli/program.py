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
        "audit": ("auditing", "Audit files of puzzles: unsolvable, duplicates, wrong keys."),
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
    """A signal that stops the program as Ctrl-C does; its number sets the exit status."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def _stop(number: int, _: object) -> None:
    """Handle a signal: raise `_Stopped` with its number."""
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
        """Return the name, the command and its arguments; `24` is short for `results 24`."""
        if args[0] not in self.commands and is_target(args[0]):
            _refuse_hand(args, ctx)
            ctx.meta[SHORT_FORM_KEY] = True
            args = ["results", *(["--"] if args[0].startswith("-") else []), *args]
        _refuse_other_product(args, ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of the call; print an error in one line, and end with its exit status.

        While the command runs, its progress is reported on stderr. The status is 1 for a failure
        such as a lack of memory, 2 for a wrong call or file, 70 for an internal error, and 128 plus
        the number of the signal after Ctrl-C and other signals. Exceptions of click pass through:
        the caller reports them.
        """
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
        except (CrispsError, OSError) as error:
            print_to_stderr(f"crisps24: {_sentence(error)}")
            _flush_or_discard_output()
            ctx.exit(1 if isinstance(error, RuntimeError) else 2)
        except Exception as error:
            print_to_stderr(f"crisps24: {_internal_error(error)}")
            _flush_or_discard_output()
            ctx.exit(_INTERNAL_ERROR)


def _discard_output() -> None:
    """Drop buffered output that cannot be printed, so that Python does not report it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush_or_discard_output() -> None:
    """Print buffered output, or drop it if the disk is full."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _refuse_hand(words: Sequence[str], ctx: click.Context) -> None:
    """Raise `click.UsageError` for three or more numbers without a command: `crisps24 3 3 8 8`.

    They can be targets, for the command results, or a hand, for solve: the error shows both calls.
    """
    numbers = list(takewhile(_is_number, words))
    if len(numbers) > 2:
        targets = " ".join(dict.fromkeys(numbers))
        raise click.UsageError(
            f"numbers without a command: for files {_COPY}results {targets}; "
            f"for the hand {_COPY}solve {' '.join(numbers)}",
            ctx,
        )


def _refuse_other_product(words: Sequence[str], ctx: click.Context) -> None:
    """Refuse a call with an output file that only another command writes, and show the right call.

    For example, `deal` writes rows, and `sheet` writes a .pdf. For `deal cards --out a.pdf` the
    error ends with `use crisps24 sheet cards --out a.pdf`.

    Args:
        words: The words of the call: a command and its arguments.
        ctx: The context of the program.

    Raises:
        click.UsageError: The call has such a file.
    """
    command, *arguments = words
    for name, option, purpose, other_command, product in _OTHER_PRODUCTS:
        if name != command:
            continue
        file_name = _value_of(option, arguments)
        if not file_name:
            continue
        # Advise the other command, with a file name that it can write.
        other_suffixes = _suffixes_of(other_command)
        has_other_suffix = _suffix(file_name) in other_suffixes
        # --out belongs to both commands: its suffix shows which one is meant.
        if option == "--out" and not has_other_suffix:
            continue
        if not has_other_suffix:
            file_name = f"{file_name.rpartition('.')[0] or file_name}.{other_suffixes[0]}"
        other_arguments = shlex.join(_words_for(ctx, name, other_command, arguments, option))
        other_call = f"crisps24 {other_command} {other_arguments}".rstrip()
        advice = f"use {other_call} --out {shlex.quote(file_name)}"
        raise click.UsageError(f"{purpose}, and {other_command} {product}: {advice}", ctx)


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
    if command is None:
        return {}
    options = [param for param in command.params if isinstance(param, click.Option)]
    return {
        spelling: option
        for option in options
        for spelling in (*option.opts, *option.secondary_opts)
    }


def _words_for(
    ctx: click.Context, command: str, other_command: str, words: Sequence[str], file_option: str
) -> list[str]:
    """Return the words of a call to one command that can be used in a call to another command.

    For example, `deal cards --seed 7 --answers --out a.pdf` gives `cards --seed 7` for the command
    sheet, which has no option --answers. Arguments are kept, and options that the other command
    lacks are left out with their values. The value of --file becomes an argument.

    Args:
        ctx: The context of the program.
        command: The command of the call.
        other_command: The command that gets the words.
        words: The words of the call after the name of the command.
        file_option: An option whose value is a file name; it is left out, and so is --out.
    """
    options = _options_of(ctx, command)
    other_options = _options_of(ctx, other_command)
    accepted_words: list[str] = []
    remaining_words = iter(words)
    for word in remaining_words:
        if not word.startswith("--"):
            accepted_words.append(word)
            continue
        # An option: its value follows an equals sign, or is the next word.
        spelling, equals_sign, value = word.partition("=")
        option = options.get(spelling) or other_options.get(spelling)
        needs_value = spelling == file_option or (option is not None and not option.is_flag)
        values: list[str] = []
        if equals_sign:
            values = [value]
        elif needs_value:
            values = [next(remaining_words, "")]
        if spelling == "--file":
            # The other command takes the file as an argument.
            accepted_words += values
        elif spelling in other_options and spelling not in (file_option, "--out"):
            accepted_words += [spelling, *values]
    return accepted_words


def _value_of(option: str, words: Sequence[str]) -> str | None:
    """Return the value of an option in the words of a call; None without the option.

    The value is "" if no word follows the option. Words after -- are arguments, not options.

    >>> _value_of("--out", ["cards", "--out", "a.pdf"]), _value_of("--out", ["--out=a.pdf"])
    ('a.pdf', 'a.pdf')
    """
    for word, next_word in pairwise([*words, ""]):
        if word == "--":
            break
        if word.partition("=")[0] == option:
            return word.partition("=")[2] or next_word
    return None


def _suffix(name: str) -> str:
    """Return the suffix of a file name without its dot, in lower case: `pdf` for `Sheet.PDF`."""
    return Path(name).suffix.removeprefix(".").lower()


def _is_number(word: str) -> bool:
    """Return whether a word is a whole number, with or without a minus sign."""
    return re.fullmatch(f"{MINUS_PATTERN}?[0-9]+", normalise(word)) is not None


def _internal_error(error: Exception) -> str:
    """Return a message with the type, place and text of an error that a bug raised."""
    raising_frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(raising_frame.filename).name}, line {raising_frame.lineno}"
    return (
        f"internal error: {type(error).__name__} in {place}: {escape_unprintable(str(error)[:200])}"
    )


def _sentence(error: Exception) -> str:
    """Return the text of an error for users, in the language of the call."""
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
    """Do nothing before a command: `_Program` finds and runs it."""


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
    """Change settings of this Python process for the block, and restore them at its end.

    A request to end the program (SIGTERM), and a closed terminal (SIGHUP), raise `_Stopped` in the
    block. Python converts texts to numbers of any length; by default it refuses more than 4300
    digits.
    """
    old_handlers: dict[int, Any] = {}
    old_digit_limit = sys.get_int_max_str_digits()
    # Only the main thread can handle signals.
    if threading.current_thread() is threading.main_thread():
        for signal_name in ("SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP.
            signal_number = getattr(signal, signal_name, None)
            # An ignored signal, as after nohup, stays ignored.
            if signal_number is not None and signal.getsignal(signal_number) is signal.SIG_DFL:
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
    """Run the command line, print the error of a wrong call in one line, and return the status.

    `argv` has the words of the call without the name of the program; None stands for those of the
    current process.
    """
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
            f"crisps24: {_one_line(error.format_message())} ({_unknown_option_hint(error, words)})"
        )
        return 2
    except click.ClickException as error:
        hint = ""
        if isinstance(error, click.UsageError) and _COPY not in error.message:
            hint = f" ({_help_hint(error, words)})"
        print_to_stderr(f"crisps24: {_one_line(error.format_message())}{hint}")
        return 2
    except click.Abort:
        return 128 + signal.SIGINT
    except OSError as error:
        # Output before the command starts: --help on a full disk.
        print_to_stderr(f"crisps24: {_sentence(error)}")
        _flush_or_discard_output()
        return 2


def _one_line(message: str) -> str:
    """Return a message of click in one line, since click puts choices on separate lines."""
    return re.sub(r"\n\t", " ", message)


def _unknown_option_hint(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Return advice for a call with an unknown option, such as `put -- before a negative number`.

    The option can be a formula or number that starts with a minus sign.
    """
    if error.ctx is not None and (name := error.ctx.command.name) in ("check", "judge"):
        if any(re.match(r"-.*\s|-[(\[]", word) for word in words):
            return f'put -- before a formula that starts with a sign: {name} -- "-4 + 28"'
        if re.match("-[0-9.]", error.option_name):
            return 'put a formula in quotes: "4 - 3"'
    if re.match("-[0-9.]", error.option_name):
        return "put -- before a negative number"
    return _help_hint(error, words)


def _help_hint(error: click.UsageError, words: Sequence[str]) -> str:
    """Return advice to use the help of the command, such as `crisps24 solve --help shows how`."""
    if error.ctx:
        command = error.ctx.command_path
    else:
        # The error does not know its command: take it from the words of the call.
        command = " ".join(["crisps24", *(word for word in words[:1] if word in cli.commands)])
    return f"{command} --help shows how"
