"""The command play: puzzles in a terminal, line by line, or from a pipe."""

import io
import json
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from crisps24.cli import options as opt
from crisps24.cli.choosing import CHOICE_OPTIONS, Choice, choice_options
from crisps24.cli.progress import end_watching
from crisps24.cli.screen import complain, show, width_of_terminal
from crisps24.errors import ConflictRule
from crisps24.judging.records import MAX_INPUT_LINE_BYTES, read_text_lines
from crisps24.messages.message import Count, Language, Message, Spaced, message
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.exact import Exact
from crisps24.rules.words import format_time

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.notation.errors import FormulaError
    from crisps24.puzzles.dealing import Deal
    from crisps24.puzzles.rounds import BaseRound, Reply, Round

_PROMPT = "> "
# Indent of a reply, so that it starts below the typed text.
_INDENT = " " * len(_PROMPT)
_NARROWEST = 20


@opt.command([ConflictRule(("day",), message("play.day", option="day"), ("daily",))])
def play(
    choice: Choice = choice_options(count=5, ids=True),
    seconds: int | None = opt.puzzle("Time limit for each puzzle.", click.IntRange(1, 86_400)),
    daily: bool = opt.puzzle("Today's puzzle of the game, the same for everyone."),
    day: str | None = opt.puzzle(
        "With --daily: the puzzle of a past day.", str, "--date", metavar="DATE"
    ),
    log: Path | None = opt.output(
        "Append a line of JSON per puzzle to this .jsonl file.", opt.FILE
    ),
    no_card: bool = opt.output("Do not draw the card."),
    language: str = opt.LANGUAGE,
) -> None:
    """Play puzzles in the terminal.

    Type a formula, or a step such as 75 + 50. Other keys: ? hint, ! solution, u undo a step, r undo
    all steps, Enter next puzzle, q or Ctrl-D quit, help these keys.

    Examples:
      crisps24 play cards --level 1..3 --log times.jsonl
      crisps24 play countdown --seconds 30
      crisps24 play cards:3.3.8.8=24
      crisps24 play 4 3 8 4                    your own numbers
      crisps24 play crisps --daily
      crisps24 play equation                   find an equation in six guesses

    In games such as countdown the closest value scores: 10 points for the target, 7 within 5,
    5 within 10. play equation marks each character of a guess like crisps24 equations.

    --daily: one puzzle per day (UTC) and game, and a line to share at the end that does not show
    the answer; with --log also the days in a row that you solved. --log: id, bits, level, seconds,
    hints, wrong tries, result, time and date of each puzzle. Exit status: 0, or 130 after Ctrl-C.
    """
    from crisps24.messages.languages import LANGUAGES
    from crisps24.output.atomic_files import append_lines
    from crisps24.puzzles.rounds import Round, is_scored

    spoken = LANGUAGES[language]
    date = _day_of(day, choice, spoken) if daily else None
    if log is not None:
        if log.suffix.lower() != ".jsonl":
            raise click.UsageError(spoken.text("play.log", file=str(log)))
        append_lines(log)
    if choice.equation is not None:
        from crisps24.equation_puzzles.rounds import EquationRound

        drawn = choice.deal_equations()
        rounds = [
            partial(EquationRound, secret, drawn.equation, seconds, language=spoken)
            for secret in drawn.secrets
        ]
        _play(_Session(rounds, log, spoken), _drawing(drawn.version, drawn.command))
        return
    found = choice.deal() if date is None else _of_day(choice, date)
    # With --closest a missing level would show that the target cannot be made.
    hidden = is_scored(found.game) and choice.conditions["closest"]
    again = found.command.replace("crisps24 deal", "crisps24 play", 1)
    for puzzle in found if choice.hand else ():
        if not (puzzle.solvable or is_scored(found.game)):
            reason = message("round.none", target=puzzle.target, hand=Spaced(puzzle.hand))
            complain(spoken.text("play.warning", reason=reason))
    last = None if choice.hand else _drawing(found.version, again)
    puzzles = [partial(Round, puzzle, seconds, language=spoken) for puzzle in found]
    _play(_Session(puzzles, log, spoken, drawn=not no_card, graded=not hidden, day=date), last)


def _drawing(version: int, command: str) -> Message:
    """Return the message with the command that plays the same puzzles again."""
    return message("play.drawing", version=version, command=command)


def _play(session: "_Session", last: Message | None) -> None:
    """Play to the end and show the results; the last line is the command for the same puzzles."""
    end_watching()
    try:
        session.play()
    finally:
        session.show_results()
        if last:
            click.echo(last.text(session.language))


def _day_of(text: str | None, choice: Choice, language: Language) -> date:
    """Return the date of --date, or today; refuse options that choose other puzzles."""
    from crisps24.puzzles.daily import parse_day

    if choice.hand is not None or choice.equation is not None:
        raise click.UsageError(language.text("play.daily_game"))
    opt.refuse_given(CHOICE_OPTIONS, language.text("play.daily_one", option="{}"))
    today = datetime.now(UTC).date()
    with opt.usage_errors():
        return today if text is None else parse_day(text, today)


def _of_day(choice: Choice, day: date) -> "Deal":
    from crisps24.puzzles.daily import daily

    return daily(choice.game, day)


class _Session:
    """One call of `play`: the input, and the rounds played so far."""

    def __init__(
        self,
        rounds: "Sequence[Callable[[], BaseRound]]",
        log: Path | None,
        language: Language,
        *,
        drawn: bool = True,
        graded: bool = True,
        day: date | None = None,
    ) -> None:
        self.rounds = rounds
        self.log = log
        self.language = language
        on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.player = (_Terminal if on_terminal else _PipeInput)(language)
        self.drawn = drawn
        self.graded = graded
        self.day = day
        self.played: list[BaseRound] = []

    def play(self) -> None:
        """Play all puzzles, or until the player quits."""
        from crisps24.puzzles.daily import format_day

        for number, start in enumerate(self.rounds, 1):
            played = start()
            if self.day is None:
                which = self.language.text("play.number", number=number, puzzles=len(self.rounds))
            else:
                which = format_day(self.day, self.language)
            told: dict[str, Any] = {"number": which, "puzzle": played.heading}
            if played.level and self.graded:
                level = message("page.level", level=played.level)
                heading = message("play.heading_level", level=level, **told)
            else:
                heading = message("play.heading", **told)
            click.echo(f"\n{heading.text(self.language)}")
            if not self.play_one(played):
                break
            late = self.played[-1].is_time_up(self.played[-1].seconds)
            if late and number < len(self.rounds) and not self.player.wants_next():
                break

    def play_one(self, played: "BaseRound") -> bool:
        """Play a round; return whether the player wants another."""
        from crisps24.puzzles.rounds import parse_key

        if self.drawn:
            self.player.draw(played)
        self.player.say(_clocked(played.task, played))
        started = time.monotonic()
        try:
            while not played.result:
                limit = played.limit
                left = None if limit is None else limit - (time.monotonic() - started)
                text = self.player.line(left)
                played, reply = played.play(text, time.monotonic() - started)
                self.player.answer(text, reply, played)
            return parse_key(text) != "left"
        except KeyboardInterrupt:
            played, _ = played.play("q", time.monotonic() - started)
            raise
        finally:
            self.keep(played)

    def keep(self, played: "BaseRound") -> None:
        """Add a finished round to the results and to the log."""
        from crisps24.output.atomic_files import append_lines

        self.played.append(played)
        if self.log is not None:
            row = played.row() | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
            if self.day is not None:
                row["daily"] = self.day.isoformat()
            append_lines(self.log, f"{json.dumps(row, ensure_ascii=False)}\n")

    def show_results(self) -> None:
        """Show a table of the rounds."""
        if not self.played:
            return
        click.echo()
        show([_row(played) for played in self.played], DEFAULT_FORMAT)
        told: dict[str, Any] = {
            "right": sum(played.result == "right" for played in self.played),
            "puzzles": len(self.played),
            "time": format_time(sum(played.seconds for played in self.played)),
        }
        summary = [self.language.text("play.summary", **told)]
        if self.played[0].scored:
            points = sum(played.points for played in self.played)
            summary.append(self.language.text("result.points", count=points))
        click.echo(f"\n{self.language.text('list.clauses').join(summary)}")
        if self.day is not None:
            self.show_day(self.day)

    def show_day(self, day: date) -> None:
        """Show the result of a daily puzzle, and from the log the days solved in a row."""
        from crisps24.puzzles.daily import count_streak, format_result, format_streak

        played = cast("Round", self.played[0])
        click.echo(format_result(played, day))
        if self.log is not None:
            days = count_streak(_rows_of(self.log), played.puzzle.game, day)
            click.echo(format_streak(days, self.language))


def _rows_of(log: Path) -> Iterator[Row]:
    """Yield the rows of a log, without incomplete lines."""
    with log.open("rb") as file:
        for _, text in read_text_lines(file):
            with suppress(ValueError, RecursionError):
                row = json.loads(text or "")
                if isinstance(row, dict):
                    yield row


def _row(played: "BaseRound") -> Row:
    columns = {
        "page.field_puzzle": played.name,
        "page.field_level": played.level,
        "page.play_clock": format_time(played.seconds),
        "play.hints": played.hints,
        "play.result": played.outcome,
    }
    return {played.language.text(key): value for key, value in columns.items()}


class _PipeInput:
    """Input from a pipe or a file: each line gets its reply in lines."""

    def __init__(self, language: Language) -> None:
        """Start at the first line."""
        self.language = language
        self.lines = read_text_lines(cast("ByteStream", sys.stdin.buffer), waiting=sys.stdout.flush)

    def draw(self, played: "BaseRound") -> None:
        """Draw nothing."""

    def line(self, _: float | None) -> str:
        """Return the next line, and q at the end."""
        for _, text in self.lines:
            if text is not None:
                return text
            self.say(self.language.text("play.too_long", most=Count(MAX_INPUT_LINE_BYTES)))
        return "q"

    def wants_next(self) -> bool:
        """Return whether to play the next puzzle after the time was over."""
        return True

    def say(self, text: str) -> None:
        """Print a line with control characters escaped."""
        click.echo(escape_unprintable(text))

    def answer(self, text: str, reply: "Reply", played: "BaseRound") -> None:
        """Print the reply to a line."""
        if reply.error is not None:
            self.mark(text, reply.error)
        self.say(_clocked(_counted(reply, played), played))

    def mark(self, _: str, error: "FormulaError") -> None:
        """Print the typed text, with carets below the error."""
        for line in error.marked().split("\n"):
            self.say(line)


class _Terminal(_PipeInput):
    """Input from a terminal."""

    def __init__(self, language: Language) -> None:
        """Enable line editing, accept any bytes, and print the keys."""
        self.language = language
        with suppress(ImportError):
            import readline  # noqa: F401 - input() uses it if it is installed
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self.say(language.text("round.help"))

    def draw(self, played: "BaseRound") -> None:
        """Draw the card of a hand."""
        from crisps24.puzzles.rounds import Round

        if isinstance(played, Round):
            for line in draw_hand(played.puzzle.hand, played.puzzle.target, self.width):
                click.echo(f"{_INDENT}{line}")

    def line(self, left: float | None) -> str:
        """Return the typed line, or nothing if the time is over first."""
        try:
            with _time_limit(left):
                return input(_PROMPT)
        except EOFError:
            click.echo()
            return "q"
        except _TimeUpError:
            click.echo()
            return ""
        except KeyboardInterrupt:
            click.echo()
            raise

    def wants_next(self) -> bool:
        """Wait for a line, so that a half-typed one does not go to the next puzzle."""
        from crisps24.puzzles.rounds import parse_key

        self.say(self.language.text("play.next"))
        return parse_key(self.line(None)) != "left"

    def say(self, text: str) -> None:
        """Print a sentence below the typed text, wrapped to the width of the terminal."""
        for line in textwrap.wrap(escape_unprintable(text), self.width):
            click.echo(f"{_INDENT}{line}")

    def mark(self, text: str, error: "FormulaError") -> None:
        """Print carets below the typed text; repeat the text if the terminal shows it otherwise."""
        line, carets = error.marked(self.width).split("\n")
        for each in [carets] if line == text else [line, carets]:
            click.echo(f"{_INDENT}{each}")

    @property
    def width(self) -> int:
        """Columns of a reply."""
        return max(_NARROWEST, (width_of_terminal() or 0) - len(_INDENT))


def _counted(reply: "Reply", played: "BaseRound") -> str:
    """Return the text of a reply, with the number of the guess if it is one at an equation."""
    from crisps24.equation_puzzles.rounds import MAX_GUESSES, EquationRound

    if not isinstance(played, EquationRound) or reply.kind != "wrong" or reply.error is not None:
        return reply.text
    told = {"number": len(played.guesses), "guesses": MAX_GUESSES}
    return played.language.text("guess.number", text=reply.text, **told)


def _clocked(text: str, played: "BaseRound") -> str:
    """Return a text with the time that a finished round took, or with the time left."""
    if played.result and played.result != "left":
        return played.language.text("play.time", text=text, time=format_time(played.seconds))
    if played.result or played.limit is None:
        return text
    return played.language.text("play.clock", text=text, clock=played.clock)


class _TimeUpError(Exception):
    """The time was over before a line was typed."""


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `_TimeUpError` after some seconds, if the system has timers."""
    if (
        seconds is None
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(_: int, __: object) -> None:
        raise _TimeUpError

    before = signal.signal(signal.SIGALRM, stop)
    # 0.05 seconds later, so that the time is over by every clock.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0) + 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# A round card: four numbers and the target, of at most `_WIDEST` characters.
_CARD = """\
     ╭───────────╮
  ╭──╯{0:^11}╰──╮
 ╭╯                 ╰╮
 │      ╭─────╮      │
 │ {3:^4} │{4:^5}│ {1:^4} │
 │      ╰─────╯      │
 ╰╮                 ╭╯
  ╰──╮{2:^11}╭──╯
     ╰───────────╯"""
_ROUND, _WIDEST = 4, 4


def draw_hand(hand: Sequence[int], target: Exact, width: int) -> list[str]:
    r"""Return the lines of a drawing of a hand and its target; none if it is too wide.

    >>> print("\n".join(draw_hand((75, 6, 3), 225, 60)))
        ╭─────╮
        │ 225 │
        ╰─────╯
    ╭────┬────┬────╮
    │ 75 │  6 │  3 │
    ╰────┴────┴────╯
    """
    numbers, middle = list(map(str, hand)), str(target)
    if len(numbers) == _ROUND and max(map(len, (*numbers, middle))) <= _WIDEST:
        lines = _CARD.format(*numbers, middle).split("\n")
    else:
        cells = max(map(len, numbers))
        tiles = _tiles([f"{number:>{cells}}" for number in numbers])
        above = _tiles([middle])
        widest = max(len(above[0]), len(tiles[0]))
        lines = [line.center(widest).rstrip() for line in (*above, *tiles)]
    return lines if max(map(len, lines)) <= width else []


def _tiles(texts: Sequence[str]) -> list[str]:
    edges = ["─" * (len(text) + 2) for text in texts]
    return [
        f"╭{'┬'.join(edges)}╮",
        f"│{'│'.join(f' {text} ' for text in texts)}│",
        f"╰{'┴'.join(edges)}╯",
    ]
