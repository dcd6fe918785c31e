"""Options and arguments: the shared ones, how a command is made of its function, and its help.

A command is a function. The default of each parameter declares its option or argument, or an
`OptionGroup`: several options whose values make one argument. Help shows options under headings.
A table of `ConflictRule` refuses options that another option of the call would ignore.
"""

import inspect
import os
import re
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from crisps24.cli.progress import set_progress_language
from crisps24.cli.screen import HEADER_KEY, LANGUAGE_KEY, current_language
from crisps24.errors import (
    ConflictRule,
    CrispsError,
    RefusedError,
    parse_language,
    refuse_conflicts,
)
from crisps24.notation.styles import STYLES
from crisps24.output.encodings import check_encoding
from crisps24.output.executors import MAX_WORKERS
from crisps24.output.tables import (
    DEFAULT_FORMAT,
    TABLE_FORMATS,
    check_format,
    format_names,
    own_formats,
)
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, Hand, find_game
from crisps24.rules.ids import parse_id
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.rules import FLAG, RULES, rules_with_options, target_problem
from crisps24.rules.words import (
    format_limit,
    parse_limit,
    parse_range,
    parse_value,
    suggest_range,
)
from crisps24.rules.work import DEFAULT_WORK

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Targets in one call; each target is a file, or a row of a table.
MAX_TARGETS = 1_000_000
# A file name that stands for standard input or output.
STANDARD = "-"
# Seconds to wait for a program that writes to a named pipe.
_PIPE_TIMEOUT = 1
# Key in `click.Context.meta`: the call starts with a target, not with a command.
SHORT_FORM_KEY = "crisps24.short"
# Names of the rules that options can change, by the kind of search that obeys them.
ROW_RULES = rules_with_options("rows")
HAND_RULES = rules_with_options("hands")
ROW_AND_HAND_RULES, VALUE_RULES = (
    rules_with_options("rows", "hands"),
    rules_with_options("hands", "values"),
)
ALL_RULES = rules_with_options("rows", "hands", "values")
# Settings of a command whose arguments can be negative numbers.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}
# The headings of help, in order.
_HEADINGS = (
    *("Puzzle", "Input", "Display", "Output", "Paper"),
    *("Behind a proxy", "Rules of the game", "Limits", "Help"),
)
_GAME = "Rules of the game"
_HELP = "Help"


class ParsedType(click.ParamType[Any]):
    """A parameter type: `parse` returns the value of a text or raises `CrispsError`.

    `suggest` returns the values that tab completion offers.
    """

    def __init__(
        self, name: str, parse: Callable[[str], Any], suggest: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self.name = name
        self.parse = parse
        self.suggest = suggest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the parsed value, or fail with the message of the error."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except CrispsError as error:
            self.fail(error.sentence(current_language()), param, ctx)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Return the suggestions that start with the incomplete word."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.suggest() if name.startswith(incomplete)]


class InputFile(click.File):
    """A binary input file, or `-` for stdin; a named pipe needs a program that writes to it."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> IO[Any]:
        """Return the open file, or fail with a message."""
        file: IO[Any]
        if isinstance(value, str) and _is_pipe(value):
            descriptor = _open_pipe(value)
            if descriptor is None:
                self.fail(f"no program writes to the pipe {value!r}", param, ctx)
            file = os.fdopen(descriptor, "rb")
        else:
            file = super().convert(value, param, ctx)
        if ctx is not None and file is not getattr(sys.stdin, "buffer", None):
            # The context of the command never closes if click refuses another option.
            ctx.find_root().call_on_close(file.close)
        return file


class OutputPath(click.Path):
    """A file or folder to write; refuses -, since the command cannot write to standard output."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or fail with a message."""
        if value == STANDARD:
            self.fail("- is not a name (expected a file or folder; ./- has the name -)", param, ctx)
        return super().convert(value, param, ctx)


def _is_pipe(name: str) -> bool:
    try:
        return Path(name).is_fifo()
    except (OSError, ValueError):
        return False


def _open_pipe(name: str) -> int | None:
    """Open a named pipe; return its file descriptor, or None if no program writes to it.

    Opening waits until a program writes; after `_PIPE_TIMEOUT` seconds the result is None.
    """
    opened: list[int] = []

    def wait() -> None:
        with suppress(OSError):
            opened.append(os.open(name, os.O_RDONLY))

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(_PIPE_TIMEOUT)
    return opened[0] if opened else None


VALUE = ParsedType("number", parse_value)
RANGE = ParsedType("range", parse_range)
WORK = ParsedType("pairs", parse_limit)
SOURCE = InputFile()
ENCODING = ParsedType("encoding", check_encoding)
FILE = OutputPath(path_type=Path)
FOLDER = OutputPath(file_okay=False)
POSITIVE = click.IntRange(1)
WORKER_COUNT = click.IntRange(1, MAX_WORKERS)

# A function from the name of a parameter to its click parameter.
MakeParameter = Callable[[str], click.Parameter]


class OptionGroup(NamedTuple):
    """Several options, by name, and the function that combines their values into one argument."""

    members: dict[str, MakeParameter]
    combine: Callable[..., Any]


class SectionOption(click.Option):
    """An option with the heading under which help shows it."""

    def __init__(self, *declarations: Any, heading: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.heading = heading

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the two columns of help; write a rule and its opposite as --[no-]join."""
        record = super().get_help_record(ctx)
        return record and (re.sub(r"--(\S+) / --no-\1", r"--[no-]\1", record[0]), record[1])

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the text in square brackets, without the range of a number."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def option(heading: str, text: str, kind: Any = None, *declarations: str, **attributes: Any) -> Any:
    """Return a function that makes an option of a command from the name of a parameter.

    Args:
        heading: The section of the help that shows the option.
        text: The help text; {} stands for the choices.
        kind: The click type of its value; None for a flag.
        declarations: Its spellings, such as `--out`; by default -- and the name of the parameter.
        attributes: Other arguments of `click.Option`.
    """

    def make(name: str) -> click.Parameter:
        spellings = declarations or (f"--{name.replace('_', '-')}",)
        settings: dict[str, Any] = {"is_flag": True} if kind is None else {"type": kind}
        if kind is int or isinstance(kind, click.IntRange):
            settings["metavar"] = "N"
        elif isinstance(kind, click.Path | click.File):
            settings["metavar"] = "FILE"
        elif isinstance(kind, click.Choice):
            settings["metavar"] = "NAME"
        if attributes.get("default") not in (None, ""):
            settings["show_default"] = True
        settings["help"] = text.replace("{}", ", ".join(getattr(kind, "choices", ())))
        return SectionOption([*spellings, name], heading=heading, **settings | attributes)

    return make


# One function per heading, with the other arguments of `option`.
(puzzle, input, display, output, paper, proxy, rule, limit, _help_option) = (
    partial(option, heading) for heading in _HEADINGS
)


def argument(metavar: str, **attributes: Any) -> Any:
    """Return a function that makes an argument: many words if `metavar` ends with `...`."""
    arity = {"nargs": -1} if metavar.endswith("...") else {}
    return lambda name: click.Argument([name], metavar=metavar, **arity | attributes)


def game_type(offered: Iterable[str] = GAMES) -> ParsedType:
    """Return the type of a parameter that names one of the offered games."""
    names = tuple(offered)
    return ParsedType("game", lambda name: find_game(name, names), lambda: names)


def rule_options(names: Sequence[str]) -> dict[str, MakeParameter]:
    """Return an option for each rule by name; its default None keeps the rule of the game."""
    declared: dict[str, MakeParameter] = {}
    for name in names:
        record, kind = RULES[name], RULES[name].kind
        parsed = click.IntRange(*kind.bounds) if kind.bounds else ParsedType(kind.name, kind.read)
        option_type = None if kind is FLAG else parsed
        declared[name] = rule(record.help, option_type, record.option, default=None)
    return declared


def game_options(
    names: Sequence[str], default: Game = GAMES["crisps"], offered: Iterable[str] = GAMES
) -> Any:
    """Return `--game` and the options that change its rules, as a group that makes one `Game`."""
    text = "Play by the rules of this game; crisps24 games lists them."
    game_option = rule(
        text, game_type(offered), default=default.name, metavar="GAME", show_default=True
    )
    members = {"game": game_option} | rule_options(names)
    return OptionGroup(members, lambda game, **changes: changed_game(game, changes))


def format_options(*extra_formats: str, text: str = "") -> Any:
    """Return `--format` and `--no-header` as a group of options that gives the name of a format.

    Args:
        extra_formats: Names of formats that only this command has.
        text: A description of the lines of the format `text`, for commands that print such lines by
            default and no tables.
    """
    default = "text" if text else DEFAULT_FORMAT
    names_in_help = ", ".join((*own_formats(), *extra_formats))
    help_text = (
        f"text: {text}; or {', '.join(TABLE_FORMATS)}."
        if text
        else f"{names_in_help}, or any format of tabulate, such as github."
    )

    def names() -> tuple[str, ...]:
        return ("text", *TABLE_FORMATS) if default == "text" else (*extra_formats, *format_names())

    def parse(name: str) -> str:
        if default == "text" and name not in names():
            raise RefusedError(f"no format {name!r} here (expected {', '.join(names())})")
        return name if name in (*extra_formats, "text") else check_format(name)

    kind = ParsedType("format", parse, names)
    members = {
        "form": output(help_text, kind, "--format", default=default),
        "no_header": output("Leave out the line of column names."),
    }

    def combine(form: str, no_header: bool) -> str:
        click.get_current_context().meta[HEADER_KEY] = not no_header
        return form

    return OptionGroup(members, combine)


def _language_name(text: str) -> str:
    language = parse_language(text)
    click.get_current_context().meta[LANGUAGE_KEY] = language
    set_progress_language(language)
    return language.name


def _language_names() -> Iterable[str]:
    from crisps24.messages.languages import LANGUAGES

    return LANGUAGES


# Options that several commands share.
TARGET = puzzle("Target to make [default: the game's own].", VALUE)
CARD = puzzle('Use only these numbers, each once: "4 3 8 4".', str, metavar="NUMBERS")
IN_ORDER = puzzle("Keep the numbers in the order given.")
LINES = input("Read from FILE, one per line; - is standard input.", SOURCE, "--file")
STEPS = display("Show the calculation step by step.")
STYLE = display("Operator signs: {} [default: as the game has them].", click.Choice(STYLES))
ROW_LIMIT = display("Stop after N.", POSITIVE)
LANGUAGE, LANGUAGE_OF_REASONS, FIRST_LANGUAGE = (
    display(
        text,
        ParsedType("name", _language_name, _language_names),
        default=default,
        # Errors in other options are also in this language.
        is_eager=True,
    )
    for text, default in (
        ("Language: en, nl, es, de, fr or zh-Hans.", "en"),
        ("Reasons in en, nl, es, de, fr or zh-Hans.", "en"),
        ("Language: en, nl, es, de, fr or zh-Hans [default: that of the browser].", None),
    )
)
PLOT = output("Draw a chart: .png, .svg or .pdf.", FILE)
WORKERS = limit(
    f"Processes to use, at most {MAX_WORKERS} [default: all cores for long jobs].", POSITIVE
)
WORK_LIMIT = limit(
    "Largest search to attempt, in pairs of values; none for no limit.",
    WORK,
    default=format_limit(DEFAULT_WORK),
)
FORMAT = format_options()


class CommandWithExamples(click.Command):
    """A command whose help shows examples after the purpose, and notes at the end.

    Its docstring has the purpose, a block that starts with `Examples:`, and the notes.
    """

    def _parts(self) -> tuple[str, str, str]:
        purpose, _, rest = inspect.cleandoc(self.help or "").partition("\nExamples:\n")
        examples, _, notes = rest.partition("\n\n")
        return purpose, examples, notes

    def format_help_text(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the purpose and the examples."""
        purpose, examples, _notes = self._parts()
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(purpose)
        if examples:
            with formatter.section("Examples"):
                for line in examples.splitlines():
                    formatter.write(f"{line}\n")

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the notes."""
        if notes := self._parts()[2]:
            with formatter.section("Notes"):
                formatter.write_text(notes)


class SectionedCommand(CommandWithExamples):
    """A command whose help shows options under headings, and explains rules with --help-rules."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line: arguments before options."""
        return super().collect_usage_pieces(ctx)[::-1]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings.

        Of the options that change rules, only the names are written: --help-rules explains them.
        """
        for heading, records in self._records(ctx).items():
            explained_rows = [row for row in records if heading != _GAME or row[0] == "--game GAME"]
            names = [row[0].split()[0] for row in records if row not in explained_rows]
            with formatter.section(heading):
                if explained_rows:
                    formatter.write_dl(explained_rows)
                if names:
                    advice = f"see {ctx.command_path} --help-rules."
                    formatter.write_text(f"Also {', '.join(names)}: {advice}")

    def format_rules(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that change rules."""
        with formatter.section(f"{_GAME}, changed by options for one call"):
            formatter.write_dl(self._records(ctx)[_GAME])

    def _records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the two columns of each option, by heading."""
        records: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                records[getattr(param, "heading", _HELP)].append(record)
        return {heading: rows for heading, rows in records.items() if rows}


def _show_rules(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given and isinstance(ctx.command, SectionedCommand):
        formatter = ctx.make_formatter()
        ctx.command.format_rules(ctx, formatter)
        click.echo(formatter.getvalue().rstrip())
        ctx.exit()


_HELP_RULES = _help_option(
    "Explain the rules that can be changed.",
    is_eager=True,
    expose_value=False,
    callback=_show_rules,
)


def command(
    *rules: Iterable[ConflictRule], settings: dict[str, Any] | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a click command of a function.

    The defaults of its parameters declare its options and arguments. The command refuses the
    conflicting options of `rules` before it calls the function. `settings` are those of
    `click.Command(context_settings=...)`.
    """
    table = [rule for group in rules for rule in group]

    def decorate(function: Callable[..., Any]) -> click.Command:
        parameters = inspect.signature(function).parameters.values()
        groups = {
            param.name: param.default
            if isinstance(param.default, OptionGroup)
            else OptionGroup(
                {param.name: param.default}, lambda **value: next(iter(value.values()))
            )
            for param in parameters
        }

        def callback(**values: Any) -> Any:
            _refuse_conflicts(table)
            arguments = {
                name: group.combine(**{member: values[member] for member in group.members})
                for name, group in groups.items()
            }
            return function(**arguments)

        params = [make(name) for group in groups.values() for name, make in group.members.items()]
        if any(getattr(param, "heading", "") == _GAME for param in params):
            params.append(_HELP_RULES("help_rules"))
        return SectionedCommand(
            function.__name__,
            callback=callback,
            params=params,
            help=inspect.getdoc(function),
            context_settings=settings or {},
        )

    return decorate


def excludes(option: str, excluded_names: str, message: str) -> Iterator[ConflictRule]:
    """Yield a rule for each excluded option; {} in the message stands for it.

    `option` is one name, or several that only together exclude the others.
    """
    for excluded in excluded_names.split():
        yield ConflictRule((*option.split(), excluded), message.replace("{}", f"{{{excluded}}}"))


def requires(options: str, required: str, message: str) -> Iterator[ConflictRule]:
    """Yield a rule for each option that needs one of `required`; {} stands for the option."""
    for name in options.split():
        yield ConflictRule((name,), message.replace("{}", f"{{{name}}}"), tuple(required.split()))


def _refuse_conflicts(table: Iterable[ConflictRule]) -> None:
    """Refuse conflicting options of the call; a rule can name an option or `option value`."""
    ctx = click.get_current_context()
    names = [param.name or "" for param in ctx.command.params if was_given(param.name or "")]
    values = [
        f"{name} {ctx.params[name]}" for name in names if isinstance(ctx.params.get(name), str)
    ]
    with usage_errors():
        refuse_conflicts(table, [*names, *values], option_name)


def was_given(parameter: str) -> bool:
    """Return whether the words of the call set a parameter, so that it is not the default."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def option_name(parameter: str) -> str:
    """Return the spelling of a parameter, such as --join, or --no-join if the call negates it."""
    ctx = click.get_current_context()
    param = next(member for member in ctx.command.params if member.name == parameter)
    if not isinstance(param, click.Option):
        return param.make_metavar(ctx).strip("[].")
    negative_spellings = ctx.params.get(parameter) is False and param.secondary_opts
    return (negative_spellings or param.opts)[0]


def refuse_given(names: Iterable[str], message: str) -> None:
    """Raise `click.UsageError` if the call sets one of the parameters; {} stands for it."""
    for name in filter(was_given, names):
        raise click.UsageError(message.replace("{}", option_name(name)))


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn a `CrispsError` of the block into a usage error, which also shows how to get help."""
    try:
        yield
    except CrispsError as error:
        raise click.UsageError(error.sentence(current_language())) from None


def changed_game(game: Game, changes: dict[str, Any]) -> Game:
    """Return a game with changed fields; None leaves a field unchanged.

    Raises `click.UsageError` for an invalid field.
    """
    with usage_errors():
        return replace(
            game, **{name: value for name, value in changes.items() if value is not None}
        )


def read_card(card: str, game: Game) -> Hand:
    """Parse the numbers of a card.

    Raises `click.UsageError` if it is empty, and RefusedError as `parse_hand` does.
    """
    hand = parse_hand(split_words(card), game)
    if not hand:
        raise click.UsageError('--card is empty (expected numbers, such as "4 3 8 4")')
    return hand


def read_id(text: str, excluded: Iterable[str]) -> tuple[Game, Hand, Exact]:
    """Parse the id of a puzzle; refuse a call that also sets one of the `excluded` parameters.

    Raises:
        RefusedError: The id is invalid.
        click.UsageError: The call sets an excluded parameter.
    """
    parsed = parse_id(text.strip())
    refuse_given(excluded, f"{text} sets game, rules and target: it takes no {{}}")
    return parsed


def require_rational_operators(hand: Hand, game: Game, option: str, *, in_order: bool) -> None:
    """Refuse an option that counts solutions if the game has operators other than + - x :."""
    from crisps24.solving.work import is_rational

    if not is_rational(game):
        line = reach_line(hand, game, None, in_order=in_order)
        problem = f"{option} needs + - x : and no minus before anything"
        raise RefusedError(f"{problem}: use {line}")


def reach_line(hand: Hand, game: Game, target: Exact | None, *, in_order: bool = False) -> str:
    """Return a call of the command reach that shows whether a hand makes a target.

    Its words are quoted for a shell.

    Args:
        hand: The numbers.
        game: The game; options for its changed rules are included.
        target: The target; None for all targets of the game.
        in_order: Whether the numbers keep their order.
    """
    from crisps24.puzzles.conditions import rule_options

    words = ["crisps24", "reach", *map(str, hand), "--game", game.name, *rule_options(game)]
    if game.signed and not game.parentheses:
        words.remove("--no-parentheses") if "--no-parentheses" in words else None
        words.append("--parentheses")
    words += ["--in-order"] * in_order
    words += [] if target is None else [f"--targets={target}..{target}"]
    return shlex.join([*words, "--forms"])


def target_of(target: Exact | None, game: Game) -> Exact:
    """Return the target of the call or else of the game; refuse a game without a fixed target."""
    result = game.target if target is None else target
    if result is None:
        raise click.UsageError(f"{game.name} has no fixed target: add --target")
    return result


def targets_of(
    words: Sequence[str], game: Game, list_all: Callable[[], Iterable[Exact]] | None = None
) -> list[Exact]:
    """Parse the words of TARGET: numbers, ranges and `all`; return distinct targets in order.

    `list_all` returns the targets of the word `all` [default: all targets that the game makes].
    Raises `click.UsageError` for an invalid word, or more than `MAX_TARGETS` targets.
    """
    targets: dict[Exact, None] = {}
    for word in words:
        if word == "all":
            from crisps24.enumeration.enumeration import RowQuery, count_all_targets

            targets.update(
                dict.fromkeys(list_all() if list_all else count_all_targets(RowQuery(game)))
            )
        else:
            targets.update(dict.fromkeys(_parse_targets(word, game)))
        if len(targets) > MAX_TARGETS:
            raise click.UsageError(f"{word}: at most {MAX_TARGETS:,} targets in one call")
    return list(targets)


def _parse_targets(word: str, game: Game) -> Sequence[Exact]:
    """Return the targets of a number or a range; refuse other words and impossible targets."""
    try:
        targets = parse_range(word) if ".." in word else [parse_value(word)]
    except CrispsError as error:
        expected = "expected a number, a range such as 0..100, or all"
        if meant := suggest_range(word):
            expected = f"did you mean {meant}?"
        problem = str(error) if ".." in word else f"invalid target {word!r}"
        raise click.UsageError(f"{problem} ({expected})") from None
    for target in (targets[0], targets[-1]):
        if reason := target_problem(target, game):
            raise click.UsageError(f"{target}: {reason}")
    return targets


def is_target(word: str) -> bool:
    """Return whether a word that is not a command can be a TARGET."""
    return word == "all" or re.match(rf"({MINUS_PATTERN}|\.)?[0-9]", normalise(word)) is not None
