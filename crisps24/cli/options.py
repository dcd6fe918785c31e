"""What can be asked: one table of options, how a command is made of them, and how words are read.

A command is a function. In the place of a default each of its parameters has how it is asked for:
an option, an argument, or a `Composed` that several options make together. Help has options under
headings; what would be ignored is refused by a table of `Clash`.
"""

import inspect
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

from crisps24.cli.screen import HEADED
from crisps24.errors import Clash, refuse_clashes
from crisps24.notation.styles import STYLES
from crisps24.output.executors import MOST_WORKERS
from crisps24.output.tables import DEFAULT_FORMAT, STREAMS, check_format
from crisps24.rules.characters import plain, words_of
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, Hand, find_game
from crisps24.rules.ids import parse_id
from crisps24.rules.operators import BELOW_ZERO
from crisps24.rules.rules import FLAG, RULES, rules_asked, why_no_target
from crisps24.rules.words import (
    format_limit,
    parse_language,
    parse_limit,
    parse_range,
    parse_value,
)
from crisps24.rules.work import MOST_WORK

# As many files, or rows of a table, as one call may ask for.
MOST_TARGETS = 1_000_000
# Seconds that a named pipe has to be opened by who writes to it.
_PATIENCE = 1
# Where a call keeps whether it names no command.
SHORT = "crisps24.short"
# The rules that options change for one call: of rows, of hands, and of single formulas.
OF_ROWS, OF_HANDS = rules_asked("rows"), rules_asked("hands")
OF_FORMULAS = rules_asked("rows", "hands")
# A word such as -3 is a number where options do not know it.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}
# The headings of help, in order.
PUZZLE, INPUT, SHOWN, OUTPUT = "Puzzle", "Input", "What is shown", "Output"
PROXY = "Behind a proxy"
PAPER, GAME, LIMITS, HELP = "Paper", "Rules of the game", "Limits", "Help"
_HEADINGS = (PUZZLE, INPUT, SHOWN, OUTPUT, PAPER, PROXY, GAME, LIMITS, HELP)


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


VALUE, RANGE = Reading("number", parse_value), Reading("range", parse_range)
WORK, SOURCE = Reading("pairs", parse_limit), Source()
FILE = click.Path(path_type=Path)
FROM_ONE, SOME_WORKERS = click.IntRange(1), click.IntRange(1, MOST_WORKERS)

# What a parameter is made of, by its name; and what several options make together.
Making = Callable[[str], click.Parameter]


class Composed(NamedTuple):
    """What several options make together: how each is made, and what is made of their values."""

    makings: dict[str, Making]
    build: Callable[..., Any]


class Grouped(click.Option):
    """An option that stands under a heading of help."""

    def __init__(self, *words: Any, group: str, **more: Any) -> None:
        super().__init__(*words, **more)
        self.group = group

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return what help says of it: a rule that can be switched stands in one word."""
        record = super().get_help_record(ctx)
        return record and (re.sub(r"--(\S+) / --no-\1", r"--[no-]\1", record[0]), record[1])

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return what stands in brackets: limits are told where they are crossed."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def option(group: str, told: str, kind: Any = None, *words: str, **more: Any) -> Any:
    """Return how an option is made: a flag where it has no kind; `words` are how it is written.

    In the help of a choice {} are the names there are.
    """

    def make(name: str) -> click.Parameter:
        spelt_so = words or (f"--{name.replace('_', '-')}",)
        own: dict[str, Any] = {"is_flag": True} if kind is None else {"type": kind}
        if kind is int or isinstance(kind, click.IntRange):
            own["metavar"] = "N"
        elif isinstance(kind, click.Path | click.File):
            own["metavar"] = "FILE"
        elif isinstance(kind, click.Choice):
            own["metavar"] = "NAME"
        if more.get("default") not in (None, ""):
            own["show_default"] = True
        said = told.replace("{}", ", ".join(getattr(kind, "choices", ())))
        return Grouped([*spelt_so, name], group=group, help=said, **own | more)

    return make


(puzzle, given, shown, output, paper, proxy, of_game, limits, helping) = (
    partial(option, heading) for heading in _HEADINGS
)


def argument(metavar: str, **more: Any) -> Any:
    """Return how an argument is made: one or any number of words."""
    words = {"nargs": -1} if metavar.endswith("...") else {}
    return lambda name: click.Argument([name], metavar=metavar, **words | more)


def game_type(offered: Iterable[str] = GAMES) -> Reading:
    """Return the type of a parameter that names a game, of which these are offered."""
    names = tuple(offered)
    return Reading("game", lambda name: find_game(name, names))


def rule_options(names: Sequence[str]) -> dict[str, Making]:
    """Return how the options are made that change rules of a game: None for no change."""
    found: dict[str, Making] = {}
    for name in names:
        rule, kind = RULES[name], RULES[name].kind
        read = click.IntRange(*kind.limits) if kind.limits else Reading(kind.name, kind.read)
        read_as = None if kind is FLAG else read
        found[name] = of_game(rule.help, read_as, rule.option, default=None)
    return found


def game_part(
    names: Sequence[str], default: Game = GAMES["crisps"], offered: Iterable[str] = GAMES
) -> Any:
    """Return the options that choose a game and change it."""
    told = "Play by the rules of this game; crisps24 games lists them."
    chosen = of_game(
        told, game_type(offered), default=default.name, metavar="GAME", show_default=True
    )
    return Composed({"game": chosen} | rule_options(names), lambda game, **new: changed(game, new))


def format_part(*others: str, text: str = "") -> Any:
    """Return `--format`, of which a command has others of its own, and `--no-header`.

    With `text`, which says what a line is, there are lines and streams, and no tables.
    """
    if text:
        told, read = text, click.Choice(["text", *STREAMS])
    else:
        known = ", ".join(("table, csv, tsv, json, jsonl", *others))
        told = f"{known}, or any format of tabulate, such as github."
        read = Reading("format", lambda name: name if name in others else check_format(name))  # type: ignore[assignment]
    formed = output(told, read, "--format", default="text" if text else DEFAULT_FORMAT)
    header = output("Leave out the line of column names.")

    def build(form: str, no_header: bool) -> str:
        click.get_current_context().meta[HEADED] = not no_header
        return form

    return Composed({"form": formed, "no_header": header}, build)


def _language(text: str) -> str:
    return parse_language(text).name


# What commands share.
TARGET = puzzle("Target to make [default: the game's own].", VALUE)
TARGETS = puzzle("Range of targets, such as 100..999.", RANGE)
CARD = puzzle('Use only these numbers, each once: "4 3 8 4".', str, metavar="NUMBERS")
IN_ORDER = puzzle("Keep the numbers in the order given.")
LINES = given("Read from FILE, one per line; - is standard input.", SOURCE, "--file")
STEPS = shown("Show the calculation step by step.")
STYLE = shown("Operator signs: {} [default: as the game has them].", click.Choice(STYLES))
MOST_SHOWN = shown("Stop after N.", FROM_ONE)
LANGUAGE = shown(
    "Language of the words: en, nl, es, de, fr, zh-Hans.", Reading("name", _language), default="en"
)
PLOT = output("Draw a chart: .png, .svg or .pdf.", FILE)
WORKERS = limits(
    f"Processes to use, at most {MOST_WORKERS} [default: all cores for long jobs].",
    FROM_ONE,
)
MOST_PAIRS = limits(
    "Largest search to attempt, in pairs of values; none for no limit.",
    WORK,
    default=format_limit(MOST_WORK),
)
FORMAT = format_part()


class WithExamples(click.Command):
    """A command whose help has examples after what it does, and notes at the end."""

    def _told(self) -> tuple[str, str]:
        about, _, rest = inspect.cleandoc(self.help or "").partition("\nExamples:\n")
        return about, rest

    def format_help_text(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Tell what it does, with examples; notes are for the end."""
        about, rest = self._told()
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(about)
        if rest:
            with formatter.section("Examples"):
                for line in rest.partition("\n\n")[0].splitlines():
                    formatter.write(f"{line}\n")

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Tell what few have to know."""
        rest = self._told()[1]
        if notes := rest.partition("\n\n")[2]:
            with formatter.section("Notes"):
                formatter.write_text(notes)


class Told(WithExamples):
    """A command whose help has options under headings, and its rules where they are asked for."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of its usage: what it is about comes before options."""
        return super().collect_usage_pieces(ctx)[::-1]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Tell the options under their headings, and of single rules the names alone."""
        rules: list[str] = []
        for heading, records in self._records(ctx).items():
            if heading == GAME:
                rules = [words.split()[0] for words, _ in records if words != "--game GAME"]
                records = [each for each in records if each[0] == "--game GAME"]
            with formatter.section(heading):
                formatter.write_dl(records) if records else None
                if heading == GAME:
                    told = f"Also {', '.join(rules)}: see {ctx.command_path} --help-rules."
                    formatter.write_text(told)

    def format_rules(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Tell the rules that options change."""
        with formatter.section(f"{GAME}, each of which an option changes for one call"):
            formatter.write_dl(self._records(ctx)[GAME])

    def _records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _HEADINGS}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx)):
                found[getattr(each, "group", HELP)].append(record)
        return {heading: records for heading, records in found.items() if records}


def _tell_rules(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and isinstance(ctx.command, Told):
        formatter = ctx.make_formatter()
        ctx.command.format_rules(ctx, formatter)
        click.echo(formatter.getvalue().rstrip())
        ctx.exit()


_HELP_RULES = helping(
    "Explain the rules that can be changed.",
    is_eager=True,
    expose_value=False,
    callback=_tell_rules,
)


def command(
    *clashes: Iterable[Clash], settings: dict[str, Any] | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function: a parameter has in the place of a default how it is asked for.

    What clashes is refused before it is called.
    """
    table = [clash for some in clashes for clash in some]

    def decorate(function: Callable[..., Any]) -> click.Command:
        parameters = inspect.signature(function).parameters.values()
        asked: dict[str, Making | Composed] = {each.name: each.default for each in parameters}

        def called(**words: Any) -> Any:
            _refuse_together(table)
            built = {
                name: made.build(**{each: words.pop(each) for each in made.makings})
                if isinstance(made, Composed)
                else words.pop(name)
                for name, made in asked.items()
            }
            return function(**built)

        params = []
        for name, made in asked.items():
            makings = made.makings if isinstance(made, Composed) else {name: made}
            params += [make(each) for each, make in makings.items()]
        if any(getattr(each, "group", "") == GAME for each in params):
            params.append(_HELP_RULES("help_rules"))
        return Told(
            function.__name__,
            callback=called,
            params=params,
            help=inspect.getdoc(function),
            context_settings=settings or {},
        )

    return decorate


def alone(one: str, others: str, told: str) -> Iterator[Clash]:
    """Yield that others would be ignored beside one; `told` says it, with {} for the other."""
    for other in others.split():
        yield Clash((*one.split(), other), told.replace("{}", f"{{{other}}}"))


def needs(some: str, one: str, told: str) -> Iterator[Clash]:
    """Yield that some would be ignored without one of others."""
    for each in some.split():
        yield Clash((each,), told.replace("{}", f"{{{each}}}"), tuple(one.split()))


def _refuse_together(table: Iterable[Clash]) -> None:
    """Refuse what does not go together; of a word that is chosen `name word` stands for it too."""
    ctx = click.get_current_context()
    names = [each.name or "" for each in ctx.command.params if was_given(each.name or "")]
    words = [
        f"{name} {ctx.params[name]}" for name in names if isinstance(ctx.params.get(name), str)
    ]
    with as_wrong_call():
        refuse_clashes(table, [*names, *words], spelt)


def was_given(parameter: str) -> bool:
    """Return whether a parameter of the command was given in the call."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def spelt(parameter: str) -> str:
    """Return how a parameter of the command is written: a rule that is switched, as it is."""
    ctx = click.get_current_context()
    found = next(each for each in ctx.command.params if each.name == parameter)
    if not isinstance(found, click.Option):
        return found.make_metavar(ctx).strip("[].")
    off = ctx.params.get(parameter) is False and found.secondary_opts
    return (off or found.opts)[0]


def refuse_given(names: Iterable[str], told: str) -> None:
    """Refuse a call that gives one of some parameters; `told` says it, with {} for the option."""
    for name in filter(was_given, names):
        raise click.UsageError(told.replace("{}", spelt(name)))


@contextmanager
def as_wrong_call() -> Iterator[None]:
    """Tell what is refused within as a wrong call, with what may be meant."""
    try:
        yield
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def changed(game: Game, changes: dict[str, Any]) -> Game:
    """Return a game with the fields changed that are not None, or say why that is no game."""
    with as_wrong_call():
        return replace(game, **{name: new for name, new in changes.items() if new is not None})


def read_card(card: str, game: Game) -> Hand:
    """Read the numbers of a card."""
    hand = parse_hand(words_of(card), game)
    if not hand:
        raise click.UsageError('the card is empty: give its numbers, such as --card "4 3 8 4"')
    return hand


def read_id(text: str, beside: Iterable[str]) -> tuple[Game, Hand, Exact]:
    """Return what an id says; refuse parameters beside it, which it says as well.

    Raises ValueError, in one sentence, for what is no id.
    """
    said = parse_id(text.strip())
    refuse_given(beside, f"{text} says its game, its rules and its target: no {{}}")
    return said


def target_of(target: Exact | None, game: Game) -> Exact:
    """Return the target that is asked for, else the game's own."""
    wanted = game.target if target is None else target
    if wanted is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    return wanted


def targets_of(
    words: Sequence[str], game: Game, reached: Callable[[], Iterable[Exact]] | None = None
) -> list[Exact]:
    """Read TARGETs: numbers, inclusive ranges and `all`, each target once, in their order.

    `reached` gives all that there are, where they are not those of the game.
    """
    targets: dict[Exact, None] = {}
    for word in words:
        if word == "all":
            from crisps24.enumeration.enumeration import counts

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
