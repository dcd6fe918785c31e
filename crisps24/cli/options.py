"""Options and arguments: the shared ones, how a command is made of its function, and its help.

A command is a function. The default of each parameter declares its option or argument, or an
`OptionGroup`: several options whose values make one argument. Help shows options under headings.
A table of `ConflictRule` refuses options that another option of the call would ignore.
"""

import builtins
import inspect
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from types import ModuleType, SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from crisps24.cli.progress import LANGUAGE_KEY, current_language
from crisps24.cli.screen import HEADER_KEY, print_to_stderr
from crisps24.errors import (
    ConflictRule,
    CrispsError,
    RefusedError,
    parse_language,
    refuse_conflicts,
)
from crisps24.messages.languages import LANGUAGES
from crisps24.notation.styles import STYLES
from crisps24.output import tables
from crisps24.output.encodings import check_encoding
from crisps24.output.executors import MAX_WORKERS
from crisps24.puzzles.parameters import PARAMETERS
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.deals import check_numbers, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, Hand, change_rules, changed_fields, find_game
from crisps24.rules.ids import is_id, parse_id
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.rules import FLAG, RULES, Kind, rules_with_options, target_problem
from crisps24.rules.words import format_limit, parse_limit, parse_range, parse_value, suggest_range
from crisps24.rules.work import DEFAULT_WORK

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Targets in one call; each target is a file, or a row of a table.
MAX_TARGETS = 1_000_000
_EXPECTED_TARGET = "expected a number, a range such as 0..100, or all"
STANDARD = "-"
# Key in `click.Context.meta`: the call starts with a target, not with a command.
SHORT_FORM_KEY = "crisps24.short"
# Key in `click.Context.meta`: the status of the files that the call writes (True) and reads.
_FILES = "crisps24.files"
# Names of the rules that options can change, by the kind of search that obeys them.
ROW_RULES = rules_with_options("rows")
HAND_RULES = rules_with_options("hands")
ROW_AND_HAND_RULES = rules_with_options("rows", "hands")
VALUE_RULES = rules_with_options("hands", "values")
ALL_RULES = rules_with_options("rows", "hands", "values")
# Options whose values the id of a puzzle sets.
SET_BY_ID = ("game", "target", *VALUE_RULES)
# Settings of a command whose arguments can be negative numbers.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}
# What few need stands behind `--help-rules` and `--help-more`, by the heading that names it.
_BEHIND = {"Rules of the game": "rules", "More": "more"}
_HELP_WORDS = {
    "rules": "Explain the rules that can be changed.",
    "more": "Explain the other options, with notes.",
}


class _LazyModule(ModuleType):
    """Stands for a module in the globals of its importer, until a name of the module is used."""

    def __init__(self, name: str, importer: dict[str, Any]) -> None:
        super().__init__(name)
        self._importer = importer

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name__)
        aliases = [alias for alias, value in [*self._importer.items()] if value is self]
        self._importer.update(dict.fromkeys(aliases, module))
        return getattr(module, name)


@contextmanager
def lazy_imports(importer: dict[str, Any]) -> Iterator[None]:
    """Let `from package import module` in the block import the module when it is first used.

    `importer` is `globals()`. In contrast to `importlib.util.LazyLoader`, other modules and threads
    never see a module that is not complete.
    """
    import_now = builtins.__import__

    def bind(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        # Another thread can import something in the meantime.
        if globals is not importer:
            return import_now(name, globals, locals, fromlist, level)
        modules = {each: _LazyModule(f"{name}.{each}", importer) for each in fromlist}
        return SimpleNamespace(**modules)

    builtins.__import__ = bind
    try:
        yield
    finally:
        builtins.__import__ = import_now


class ParsedType(click.ParamType[Any]):
    """A parameter type: `parse` returns the value of a text or raises `CrispsError`."""

    def __init__(
        self, name: str, parse: Callable[[str], Any], suggest: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self.name, self.parse, self.suggest = name, parse, suggest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except CrispsError as error:
            self.fail(error.sentence(current_language()), param, ctx)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.suggest() if name.startswith(incomplete)]


class InputFile(click.File):
    """A binary input file, or `-` for stdin."""

    def __init__(self) -> None:
        super().__init__("rb")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> IO[Any]:
        file: IO[Any] = super().convert(value, param, ctx)
        if ctx is not None and file is not getattr(sys.stdin, "buffer", None):
            # The context of the command never closes if click refuses another option.
            ctx.find_root().call_on_close(file.close)
        _refuse_input_as_output(file.fileno, self, param, ctx)
        return file


class OutputPath(click.Path):
    """A file or folder to write; refuses -, since the command cannot write to standard output."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == STANDARD:
            self.fail("- is not a name (expected a file or folder; ./- has the name -)", param, ctx)
        _refuse_input_as_output(lambda: value, self, param, ctx)
        return super().convert(value, param, ctx)


def _refuse_input_as_output(
    place: Callable[[], Any],
    kind: click.ParamType[Any],
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> None:
    """Refuse a call that reads and writes one file, whatever its names are."""
    if ctx is None:
        return
    files = ctx.meta.setdefault(_FILES, {True: [], False: []})
    # A stream of a test has no descriptor, and a file to write may not exist.
    with suppress(OSError, ValueError):
        files[True] = files[True] or [os.fstat(sys.stdout.fileno())]
    with suppress(OSError, ValueError):
        status = os.stat(place())  # noqa: PTH116 - of a name or a descriptor
        writes = isinstance(kind, OutputPath)
        is_other = any(os.path.samestat(status, other) for other in files[not writes])
        if stat.S_ISREG(status.st_mode) and is_other:
            kind.fail("this file is read and written: name another one", param, ctx)
        files[writes].append(status)


VALUE = ParsedType("number", parse_value)
RANGE = ParsedType("range", parse_range)
WORK = ParsedType("pairs", parse_limit)
SOURCE = InputFile()
ENCODING = ParsedType("encoding", check_encoding)
FILE = OutputPath(path_type=Path)
OUTPUT_FILE = OutputPath(dir_okay=False, path_type=Path)
FOLDER = OutputPath(file_okay=False)
POSITIVE = click.IntRange(1)
WORKER_COUNT = click.IntRange(1, MAX_WORKERS)

# Short spellings, which help does not show.
_SHORT = {"--out": "-o", "--count": "-n", "--limit": "-n"}
MakeParameter = Callable[[str], click.Parameter]


class OptionGroup(NamedTuple):
    """Several options, by name, and the function that combines their values into one argument."""

    members: dict[str, MakeParameter]
    combine: Callable[..., Any]


class SectionOption(click.Option):
    """An option with the heading of help that shows it, or the word that explains it."""

    def __init__(self, *declarations: Any, heading: str, word: str, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.heading, self.word = heading, word

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        if self.opts[0] in _SHORT and not self.is_flag:
            parser.add_option(self, [_SHORT[self.opts[0]]], self.name, nargs=self.nargs)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the two columns of help; write a rule and its opposite as --[no-]join."""
        record = super().get_help_record(ctx)
        return record and (re.sub(r"--(\S+) / --no-\1", r"--[no-]\1", record[0]), record[1])

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the text in square brackets, without the range of a number."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def option(
    heading: str, text: str, kind: Any = None, *declarations: str, word: str = "", **attributes: Any
) -> Any:
    """Return a function from the name of a parameter to its option; {} in the text: the choices.

    Help only names an option with a `word`, which explains it: `rules` or `more`.
    """

    def make_option(name: str) -> click.Parameter:
        spellings = declarations or (f"--{name.replace('_', '-')}",)
        settings: dict[str, Any] = {"is_flag": True} if kind is None else {"type": kind}
        # The metavar is the word that stands for the value in help, as in `--out FILE`.
        if kind is int or isinstance(kind, click.IntRange):
            settings["metavar"] = "N"
        elif isinstance(kind, click.Path | click.File):
            settings["metavar"] = "FILE"
        elif isinstance(kind, click.Choice):
            settings["metavar"] = "NAME"
        if attributes.get("default") not in (None, ""):
            settings["show_default"] = True
        settings["help"] = text.replace("{}", ", ".join(getattr(kind, "choices", ())))
        return SectionOption(
            [*spellings, name], heading=heading, word=word, **settings | attributes
        )

    return make_option


# One function per heading, with the other arguments of `option`.
puzzle = partial(option, "Puzzle")
reading = partial(option, "Input")
display = partial(option, "Display")
output = partial(option, "Output")
paper = partial(option, "Paper")
proxy = partial(option, "Behind a proxy")
rule = partial(option, "Rules of the game")
limit = partial(option, "Limits")
_with_heading = (puzzle, reading, display, output, paper, proxy, rule, limit)
_HEADINGS = (*(str(each.args[0]) for each in _with_heading), "More", "Help")


def argument(metavar: str, **attributes: Any) -> Any:
    """Return a function that takes the name of a parameter and makes an argument of a command."""
    word_count = {"nargs": -1} if metavar.endswith("...") else {}
    return lambda name: click.Argument([name], metavar=metavar, **word_count | attributes)


def game_type(offered: Iterable[str] = GAMES) -> ParsedType:
    names = tuple(offered)
    return ParsedType("game", lambda name: find_game(name, names), lambda: names)


def rule_options(names: Sequence[str]) -> dict[str, MakeParameter]:
    rules = {name: RULES[name] for name in names}
    return {
        name: rule(each.help, type_of(each.kind), each.option, word="rules", default=None)
        for name, each in rules.items()
    }


def type_of(kind: Kind) -> Any:
    """Return the type of the option of a rule or condition; None for a flag."""
    if kind.read is FLAG.read:
        return None
    return click.IntRange(*kind.bounds) if kind.bounds else ParsedType(kind.name, kind.read)


def game_options(
    names: Sequence[str], default: Game = GAMES["crisps"], offered: Iterable[str] = GAMES
) -> Any:
    text = "Play by the rules of this game; crisps24 games lists them."
    game_option = rule(
        text, game_type(offered), default=default.name, metavar="GAME", show_default=True
    )
    members = {"game": game_option} | rule_options(names)
    return OptionGroup(members, lambda game, **changes: changed_game(game, changes))


def format_options(*extra_formats: str, text: str = "") -> Any:
    own_names = ("text", *tables.TABLE_FORMATS) if text else (*tables.own_formats(), *extra_formats)
    help_text = (
        f"text: {text}; or {', '.join(tables.TABLE_FORMATS)}."
        if text
        else f"{', '.join(own_names)}, or any format of tabulate, such as github."
    )

    def list_names() -> tuple[str, ...]:
        return own_names if text else (*extra_formats, *tables.format_names())

    def parse_name(name: str) -> str:
        if text and name not in own_names:
            raise RefusedError(f"no format {name!r} here (expected {', '.join(own_names)})")
        return name if name in own_names else tables.check_format(name)

    def set_header(form: str, no_header: bool) -> str:
        click.get_current_context().meta[HEADER_KEY] = not no_header
        return form

    kind = ParsedType("format", parse_name, list_names)
    default = "text" if text else tables.DEFAULT_FORMAT
    form_option = output(help_text, kind, "--format", default=default)
    no_header = output("Leave out the line of column names.", word="more")
    return OptionGroup({"form": form_option, "no_header": no_header}, set_header)


def text_file(make_source: MakeParameter, **what: bool) -> Any:
    """Return a group of options whose value is a file as a stream of UTF-8, or None.

    `what` are arguments of `sources.open_text`.
    """
    members = {
        "source": make_source,
        "encoding": reading(
            "Encoding of FILE [default: utf-8 or windows-1252].",
            ENCODING,
            metavar="NAME",
            word="more",
        ),
        "sheet_name": SHEET_NAME,
    }

    def open_source(source: Any, encoding: str | None, sheet_name: str | None) -> Any:
        if source is None:
            refuse_given(("encoding", "sheet_name"), "{} is about a file: add --file")
            return None
        from crisps24.judging.sources import open_text

        return open_text(source, encoding, sheet_name, print_to_stderr, **what)

    return OptionGroup(members, open_source)


def _language_name(text: str) -> str:
    """Return the name of a language, and use it for errors and progress from now on."""
    language = parse_language(text)
    click.get_current_context().meta[LANGUAGE_KEY] = language
    return language.name


def _language_option(text: str, default: str | None = "en") -> Any:
    kind = ParsedType("name", _language_name, lambda: LANGUAGES)
    # Errors in other options are also in this language.
    return display(text, kind, default=default, is_eager=True)


SECONDS = puzzle("Time limit for each puzzle.", click.IntRange(1, 86_400))
CONDITIONS = {
    each.name: puzzle(
        each.help,
        type_of(each.kind),
        each.option,
        word="more" if each.rare else "",
        default=False if each.kind is FLAG else None,
    )
    for each in PARAMETERS
}
TARGET = CONDITIONS["target"]
CARD = puzzle('Use only these numbers, each once: "4 3 8 4".', str, metavar="NUMBERS")
SHEET_NAME = reading(
    "Sheet of an Excel workbook [default: the first].", str, metavar="NAME", word="more"
)
IN_ORDER = puzzle("Keep the numbers in the order given.")
LINES = text_file(reading("Read from FILE, one per line; - is standard input.", SOURCE, "--file"))
STEPS = display("Show the calculation step by step.")
STYLE = display("Operator signs: {} [default: as the game has them].", click.Choice(STYLES))
ROW_LIMIT = display("Stop after N.", POSITIVE)
_LANGUAGE_NAMES = " or ".join(", ".join(LANGUAGES).rsplit(", ", 1))
LANGUAGE = _language_option(f"Language: {_LANGUAGE_NAMES}.")
LANGUAGE_OF_REASONS = _language_option(f"Reasons in {_LANGUAGE_NAMES}.")
FIRST_LANGUAGE = _language_option(
    f"Language: {_LANGUAGE_NAMES} [default: that of the browser].", None
)
PLOT = output("Draw a chart: .png, .svg or .pdf.", FILE)
WORKERS = limit(
    f"Processes to use, at most {MAX_WORKERS} [default: all cores for long jobs].", POSITIVE
)
WORK_LIMIT = limit(
    "Largest search to attempt, in pairs of values; none for no limit.",
    WORK,
    word="more",
    default=format_limit(DEFAULT_WORK),
)
FORMAT = format_options()


class CommandWithExamples(click.Command):
    """A command whose help shows examples after the purpose, and notes at the end."""

    def _parts(self) -> tuple[str, str, str]:
        """Return the purpose, the examples and the notes of the help text; a missing part is ''."""
        purpose, _, examples_and_notes = inspect.cleandoc(self.help or "").partition(
            "\nExamples:\n"
        )
        examples, _, notes = examples_and_notes.partition("\n\n")
        return purpose, examples, notes

    def format_help_text(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        purpose, examples, _notes = self._parts()
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(purpose)
        if examples:
            with formatter.section("Examples"):
                for line in examples.splitlines():
                    formatter.write(f"{line}\n")

    def format_notes(self, formatter: click.HelpFormatter) -> None:
        if notes := self._parts()[2]:
            with formatter.section("Notes"):
                formatter.write_text(notes)


class SectionedCommand(CommandWithExamples):
    """A command whose help has headings; --help-rules and --help-more explain what few need."""

    arguments_of: Callable[..., dict[str, Any]]
    """Returns the arguments of the function from the values of the options."""

    def read_arguments(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the arguments that a call with these words has; raise ClickException if wrong."""
        with click.Context(self, info_name=self.name, **self.context_settings) as ctx:
            self.parse_args(ctx, [*words])
            return self.arguments_of(**ctx.params)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return super().collect_usage_pieces(ctx)[::-1]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = self._help_rows(ctx, "")
        for heading in _HEADINGS:
            word = _BEHIND.get(heading, "")
            hidden = [row for rows in self._help_rows(ctx, word).values() for row in rows]
            names = ", ".join(row[0].split()[0] for row in hidden if word)
            if heading not in shown and not names:
                continue
            with formatter.section(heading):
                if heading in shown:
                    formatter.write_dl(shown[heading])
                if names:
                    text = f"Also {names}: see {ctx.command_path} --help-{word}."
                    # `write_text` would break lines at hyphens.
                    lines = wrap(text, formatter.width - 2, break_on_hyphens=False)
                    formatter.write("".join(f"  {line}\n" for line in lines))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self._help_rows(ctx, "more"):
            self.format_notes(formatter)

    def explain(self, ctx: click.Context, param: click.Parameter, is_wanted: bool) -> None:
        """Print what stands behind --help-rules or --help-more, and end, if the call has it."""
        if is_wanted:
            formatter, word = ctx.make_formatter(), str(param.name).removeprefix("help_")
            for heading, rows in self._help_rows(ctx, word).items():
                changed = ", changed by options for one call" if word == "rules" else ""
                with formatter.section(heading + changed):
                    formatter.write_dl(rows)
            if word == "more":
                self.format_notes(formatter)
            click.echo(formatter.getvalue().rstrip())
            ctx.exit()

    def _help_rows(self, ctx: click.Context, word: str) -> dict[str, list[tuple[str, str]]]:
        """Return the spelling and the meaning of the options behind a word of help, by heading."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if getattr(param, "word", "") == word and (row := param.get_help_record(ctx)):
                rows.setdefault(getattr(param, "heading", "Help"), []).append(row)
        return {heading: rows[heading] for heading in _HEADINGS if heading in rows}


def command(
    *rules: Iterable[ConflictRule], settings: dict[str, Any] | None = None
) -> Callable[[Callable[..., Any]], SectionedCommand]:
    conflict_rules = [rule for group in rules for rule in group]

    def make_command(function: Callable[..., Any]) -> SectionedCommand:
        parameters = inspect.signature(function).parameters.values()
        groups = {param.name: _as_group(param.name, param.default) for param in parameters}

        def arguments_of(**values: Any) -> dict[str, Any]:
            _refuse_conflicts(conflict_rules)
            return {
                name: group.combine(**{member: values[member] for member in group.members})
                for name, group in groups.items()
            }

        params = [
            make_param(name)
            for group in groups.values()
            for name, make_param in group.members.items()
        ]
        made = SectionedCommand(
            function.__name__,
            callback=lambda **values: function(**arguments_of(**values)),
            params=params,
            help=inspect.getdoc(function),
            context_settings=settings or {},
        )
        made.arguments_of = arguments_of
        explains: dict[str, Any] = {
            "is_eager": True,
            "expose_value": False,
            "callback": made.explain,
        }
        for word, text in _HELP_WORDS.items():
            if any(getattr(param, "word", "") == word for param in params):
                params.append(option("Help", text, **explains)(f"help_{word}"))
        return made

    return make_command


def _as_group(name: str, default: Any) -> OptionGroup:
    if isinstance(default, OptionGroup):
        return default
    return OptionGroup({name: default}, lambda **values: values[name])


def excludes(option: str, excluded: str, reason: str) -> Iterator[ConflictRule]:
    """Yield a rule for each option, or option with a value, that another option excludes.

    >>> [rule.reason for rule in excludes("best", "limit style=x", "--best shows one")]
    ['--best shows one: it takes no {limit}', '--best shows one: it takes no --style x']
    """
    message = reason if "{}" in reason else f"{reason}: it takes no {{}}"
    for name in excluded.split():
        words = name.replace("=", " ")
        label = f"{{{name}}}" if words == name else f"--{words}"
        yield ConflictRule((option, words), message.replace("{}", label))


def requires(options: str, required: str, message: str) -> Iterator[ConflictRule]:
    """Yield a rule for each option that is refused without another option.

    >>> [(rule.names, rule.reason) for rule in requires("equals", "signs", "{} needs --signs")]
    [(('equals',), '{equals} needs --signs')]
    """
    for name in options.split():
        yield ConflictRule((name,), message.replace("{}", f"{{{name}}}"), tuple(required.split()))


def _refuse_conflicts(conflict_rules: Iterable[ConflictRule]) -> None:
    ctx = click.get_current_context()
    given = [param.name for param in ctx.command.params if param.name and was_given(param.name)]
    values = {name: ctx.params.get(name) for name in given}
    words = [f"{name} {value}" for name, value in values.items() if isinstance(value, str)]
    with usage_errors():
        refuse_conflicts(conflict_rules, [*given, *words], option_name)


def was_given(parameter: str) -> bool:
    """Return whether the call sets a parameter of the current command, even to its default."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def chooses_parentheses() -> bool:
    """Return whether the call says if there are parentheses, by its game or by an option."""
    return was_given("game") or was_given("parentheses")


def option_name(parameter: str) -> str:
    """Return how users spell a parameter of the current command: --per-page for `per_page`."""
    ctx = click.get_current_context()
    param = next(param for param in ctx.command.params if param.name == parameter)
    if not isinstance(param, click.Option):
        return param.make_metavar(ctx).strip("[].")
    # The secondary spellings of a flag negate it, such as --no-join.
    is_negated = ctx.params.get(parameter) is False and bool(param.secondary_opts)
    spellings = param.secondary_opts if is_negated else param.opts
    return spellings[0]


def refuse_file(words: Sequence[str]) -> None:
    """Refuse a text that is the name of a file, or - for standard input."""
    for word in words if len(words) == 1 else ():
        if word == STANDARD or (re.search("[a-z]", word) and Path(word[:250]).is_file()):
            raise click.UsageError(f"{word} is a file")


def refuse_given(names: Iterable[str], message: str) -> None:
    for name in filter(was_given, names):
        raise click.UsageError(message.replace("{}", option_name(name)))


@contextmanager
def usage_errors(option: str = "", kind: type[CrispsError] = CrispsError) -> Iterator[None]:
    """Run a block, and turn its errors of a kind into a `click.UsageError` about an option."""
    try:
        yield
    except kind as error:
        sentence = error.sentence(current_language())
        raise click.UsageError(f"{option}: {sentence}" if option else sentence) from None


def changed_game(game: Game, changes: dict[str, Any]) -> Game:
    new_values = {name: value for name, value in changes.items() if value is not None}
    with usage_errors():
        return change_rules(game, new_values)


def read_card(card: str, game: Game) -> Hand:
    hand = parse_hand(split_words(card), game)
    if not hand:
        raise click.UsageError('--card is empty (expected numbers, such as "4 3 8 4")')
    return hand


def check_numbers_typed(hand: Hand, game: Game) -> None:
    """Refuse a hand that ends with the target of its game; other odd hands get a warning."""
    has_target = len(hand) == game.length + 1 and hand[-1] == game.target
    if has_target and not changed_fields(game):
        with usage_errors():
            check_numbers(hand, game, complete=False, form="{} --target {}")


def read_id(text: str, excluded: Iterable[str]) -> tuple[Game, Hand, Exact]:
    game_hand_target = parse_id(text.strip())
    refuse_given(excluded, f"{text} sets game, rules and target: it takes no {{}}")
    return game_hand_target


def read_card_or_id(
    card: str | None, target: Exact | None, game: Game
) -> tuple[Game, Hand | None, Exact | None]:
    if card is not None and is_id(card):
        return read_id(card, SET_BY_ID)
    return game, None if card is None else read_card(card, game), target


def target_of(target: Exact | None, game: Game, advice: str = "add --target") -> Exact:
    """Return the target of the call, or the target of the game if the call has none (None)."""
    result = game.target if target is None else target
    if result is None:
        raise click.UsageError(f"{game.name} has no fixed target: {advice}")
    return result


def targets_of(
    words: Sequence[str], game: Game, list_all: Callable[[], Iterable[Exact]] | None = None
) -> list[Exact]:
    """Return the targets of the words of a call, each once, in their order; or that of the game."""
    # A dict is used as a set that keeps the order.
    targets: dict[Exact, None] = {}
    for word in words or [str(target_of(None, game, "give a TARGET"))]:
        found: Iterable[Exact]
        if word != "all":
            found = _parse_targets(word, game)
        elif list_all:
            found = list_all()
        else:
            from crisps24.enumeration.enumeration import RowQuery, count_all_targets

            found = count_all_targets(RowQuery(game))
        targets |= dict.fromkeys(found)
        if len(targets) > MAX_TARGETS:
            raise click.UsageError(f"{word}: at most {MAX_TARGETS:,} targets in one call")
    return list(targets)


def _parse_targets(word: str, game: Game) -> Sequence[Exact]:
    try:
        suggested = suggest_range(word)
        if suggested and "," in word:
            raise RefusedError(f"invalid target {word!r}")
        targets = parse_range(word) if ".." in word else [parse_value(word)]
    except CrispsError as error:
        advice = f"did you mean {suggested}?" if suggested else _EXPECTED_TARGET
        problem = str(error) if ".." in word else f"invalid target {word!r}"
        raise click.UsageError(f"{problem} ({advice})") from None
    for target in (targets[0], targets[-1]):
        if reason := target_problem(target, game):
            raise click.UsageError(f"{target}: {reason}")
    return targets


def is_target(word: str) -> bool:
    """Return whether a word can be a TARGET: `all`, or a word that starts like a number."""
    return word == "all" or re.match(rf"{MINUS_PATTERN}?\.?[0-9]", normalise(word)) is not None
