"""The command that plays puzzles: play, line by line in a terminal, or from a pipe."""

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
from typing import TYPE_CHECKING, cast

import click

from crisps24.cli import options as ask
from crisps24.cli.choosing import THAT_CHOOSE, Choice, choice_part
from crisps24.cli.screen import show, width_of_terminal
from crisps24.judging.records import LONGEST_LINE, lines_of
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.characters import shown
from crisps24.rules.exact import Exact
from crisps24.rules.words import format_time

if TYPE_CHECKING:
    from crisps24.judging.records import ByteStream
    from crisps24.notation.errors import FormulaError
    from crisps24.puzzles.dealing import Deal
    from crisps24.puzzles.rounds import Played, Reply, Round

_PROMPT = "> "
# What is said stands below what is typed.
_INDENT = " " * len(_PROMPT)
_NARROWEST = 20
_GO_ON = "Enter goes on to the next"


@ask.command(ask.needs("day", "daily", "{} is for the puzzle of a day: give --daily"))
def play(
    choice: Choice = choice_part(count=5, ids=True),
    seconds: int | None = ask.puzzle("Time limit for each puzzle.", click.IntRange(1, 86_400)),
    daily: bool = ask.puzzle("Today's puzzle of the game, the same for everyone."),
    day: str | None = ask.puzzle(
        "With --daily: the puzzle of a past day.", str, "--date", metavar="DATE"
    ),
    log: Path | None = ask.output(
        "Append a line of JSON per puzzle to this .jsonl file.", ask.FILE
    ),
    no_card: bool = ask.output("Do not draw the card."),
) -> None:
    """Play puzzles in the terminal.

    Type a formula, or a step such as 75 + 50. Other keys: ? hint, ! solution, u undo a step, r undo
    all steps, Enter next puzzle, q quit (as Ctrl-D and Ctrl-C do).

    Examples:
      crisps24 play cards --level 1..3 --log times.jsonl
      crisps24 play countdown --seconds 30
      crisps24 play cards:3.3.8.8=24
      crisps24 play crisps --daily
      crisps24 play equation                   find an equation in six guesses

    Where targets are dealt and not all numbers need be used the closest counts: 10 points for the
    target, 7 within 5, 5 within 10; with --seconds 30 it is as on television. In play equation each
    character of a guess is marked as crisps24 equations has it.

    --daily: one puzzle a day in each game, by UTC, and a line at the end to share that gives
    nothing away; with --log also how many days in a row were solved. A line of --log has the id of
    the puzzle, its bits and level, the seconds taken, hints and wrong tries, the result (right,
    closest, over, shown, skipped or left), when it ended, and for a daily puzzle its date.

    If input is not a terminal it is read line by line, and nothing is drawn. Exit status: 0, or 130
    after Ctrl-C.
    """
    from crisps24.output.atomic_files import append
    from crisps24.puzzles.rounds import Round, is_scored

    date = _day_of(day, choice) if daily else None
    if log is not None:
        if log.suffix.lower() != ".jsonl":
            raise click.UsageError(f"--log {log}: it is made of lines of JSON: name it .jsonl")
        append(log)
    if choice.equation is not None:
        from crisps24.equation_puzzles.rounds import EquationRound

        drawn = choice.deal_equations()
        begun = [partial(EquationRound, each, drawn.equation, seconds) for each in drawn.secrets]
        _play(_Session(begun, log), f"drawing {drawn.version}: {drawn.command}")
        return
    found = choice.deal() if date is None else _of_day(choice, date)
    # Where nobody tells whether a target can be made, no level does, which the impossible lacks.
    hidden = is_scored(found.game) and choice.conditions["closest"]
    again = found.command.replace("crisps24 deal", "crisps24 play", 1)
    last = "" if choice.hand else f"drawing {found.version}: {again}"
    rounds = [partial(Round, puzzle, seconds) for puzzle in found]
    _play(_Session(rounds, log, drawn=not no_card, graded=not hidden, day=date), last)


def _play(session: "_Session", last: str) -> None:
    """Play to the end, and show what was played; a last line says how to play the same again."""
    try:
        session.play()
    finally:
        session.tell()
        if last:
            click.echo(last)


def _day_of(text: str | None, choice: Choice) -> date:
    """Return the date that is asked for, today's where none is; refuse what chooses others."""
    from crisps24.puzzles.daily import parse_day

    if choice.hand is not None:
        raise click.UsageError("--daily plays the puzzle of a game: name the game, and no id")
    if choice.equation is not None:
        raise click.UsageError("there is no equation a day: --daily plays a game")
    ask.refuse_given(THAT_CHOOSE, "{} chooses puzzles: --daily has one, the same for all")
    today = datetime.now(UTC).date()
    with ask.as_wrong_call():
        return today if text is None else parse_day(text, today)


def _of_day(choice: Choice, day: date) -> "Deal":
    from crisps24.puzzles.daily import daily

    return daily(choice.game, day)


class _Session:
    """One call of `play`: who plays, and what has been played."""

    def __init__(
        self,
        rounds: "Sequence[Callable[[], Played]]",
        log: Path | None,
        *,
        drawn: bool = True,
        graded: bool = True,
        day: date | None = None,
    ) -> None:
        self.rounds = rounds
        self.log = log
        self.player = _Typist() if sys.stdin.isatty() and sys.stdout.isatty() else _Script()
        self.drawn = drawn
        self.graded = graded
        self.day = day
        self.played: list[Played] = []

    def play(self) -> None:
        """Play puzzle after puzzle, until there is none left or the player ends it."""
        from crisps24.puzzles.daily import format_day

        for number, begin in enumerate(self.rounds, 1):
            played = begin()
            graded = f" · level {played.level}" if played.level and self.graded else ""
            which = f"{number} of {len(self.rounds)}" if self.day is None else format_day(self.day)
            click.echo(f"\n{which} · {played.heading}{graded}")
            if not self.play_one(played):
                break
            late = self.played[-1].is_over(self.played[-1].seconds)
            if late and number < len(self.rounds) and not self.player.goes_on():
                break

    def play_one(self, played: "Played") -> bool:
        """Play a round; return whether the player goes on to the next."""
        from crisps24.puzzles.rounds import key_of

        if self.drawn:
            self.player.draw(played)
        self.player.say(f"{played.task}{_clock(played)}")
        began = time.monotonic()
        try:
            while not played.result:
                limit = played.limit
                left = None if limit is None else limit - (time.monotonic() - began)
                text = self.player.line(left)
                played, reply = played.typed(text, time.monotonic() - began)
                self.player.answer(text, reply, played)
            return key_of(text) != "left"
        except KeyboardInterrupt:
            played, _ = played.typed("q", time.monotonic() - began)
            raise
        finally:
            self.keep(played)

    def keep(self, played: "Played") -> None:
        """Keep a round that has ended for the table, and in the log."""
        from crisps24.output.atomic_files import append

        self.played.append(played)
        if self.log is not None:
            row = played.row() | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
            if self.day is not None:
                row["daily"] = self.day.isoformat()
            append(self.log, f"{json.dumps(row, ensure_ascii=False)}\n")

    def tell(self) -> None:
        """Show the table of what was played."""
        if not self.played:
            return
        click.echo()
        show([_row(played) for played in self.played], DEFAULT_FORMAT)
        right = sum(played.result == "right" for played in self.played)
        time_taken = format_time(sum(played.seconds for played in self.played))
        points = sum(played.points for played in self.played)
        scored = f", {points} points" if self.played[0].scored else ""
        click.echo(f"\n{right} of {len(self.played)} right in {time_taken}{scored}")
        if self.day is not None:
            self.tell_day(self.day)

    def tell_day(self, day: date) -> None:
        """Say how the puzzle of a day went, and on how many days in a row one was solved."""
        from crisps24.puzzles.daily import result_of, say_streak, streak_of

        played = cast("Round", self.played[0])
        click.echo(result_of(played, day))
        if self.log is not None:
            click.echo(say_streak(streak_of(_rows_of(self.log), played.puzzle.game, day)))


def _rows_of(log: Path) -> Iterator[Row]:
    """Yield the rows of a log; what is none, as a line that was torn, is left out."""
    with log.open("rb") as file:
        for _, text in lines_of(file):
            with suppress(ValueError, RecursionError):
                row = json.loads(text or "")
                if isinstance(row, dict):
                    yield row


def _row(played: "Played") -> Row:
    return {
        "puzzle": played.name,
        "level": played.level,
        "time": format_time(played.seconds),
        "hints": played.hints,
        "result": played.outcome,
    }


class _Script:
    """Who plays from a pipe or a file: reads lines, and is answered in lines."""

    def __init__(self) -> None:
        """Begin at the first line."""
        self.lines = lines_of(cast("ByteStream", sys.stdin.buffer), waiting=sys.stdout.flush)

    def draw(self, played: "Played") -> None:
        """Draw nothing."""

    def line(self, _: float | None) -> str:
        """Return the next line; at the end, and as the end, what ends the session."""
        for _, text in self.lines:
            if text is not None:
                return text
            self.say(f"a line has at most {LONGEST_LINE:,} bytes")
        return "q"

    def goes_on(self) -> bool:
        """Return whether the next puzzle is wanted after time was over."""
        return True

    def say(self, text: str) -> None:
        """Print a line, whatever is in it."""
        click.echo(shown(text))

    def answer(self, text: str, reply: "Reply", played: "Played") -> None:
        """Say what came of a line."""
        if reply.error is not None:
            self.mark(text, reply.error)
        self.say(f"{reply.text}{_clock(played)}")

    def mark(self, _: str, error: "FormulaError") -> None:
        """Show what was typed, with carets."""
        for line in error.marked().split("\n"):
            self.say(line)


class _Typist(_Script):
    """Who plays at a terminal."""

    def __init__(self) -> None:
        """Be ready for any line, and for the keys that change it."""
        with suppress(ImportError):
            import readline  # noqa: F401 - input() is edited by it where it is there
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        from crisps24.puzzles.rounds import HELP

        self.say(HELP)

    def draw(self, played: "Played") -> None:
        """Draw the card, where there is one."""
        from crisps24.puzzles.rounds import Round

        if isinstance(played, Round):
            for line in face_of(played.puzzle.hand, played.puzzle.target, self.width):
                click.echo(f"{_INDENT}{line}")

    def line(self, left: float | None) -> str:
        """Return what is typed, nothing where time is over before that."""
        try:
            with _patience(left):
                return input(_PROMPT)
        except EOFError:
            click.echo()
            return "q"
        except _LateError:
            click.echo()
            return ""
        except KeyboardInterrupt:
            click.echo()
            raise

    def goes_on(self) -> bool:
        """Wait for a line: the one that was being typed is not meant for the next puzzle."""
        from crisps24.puzzles.rounds import key_of

        self.say(_GO_ON)
        return key_of(self.line(None)) != "left"

    def say(self, text: str) -> None:
        """Print a sentence in lines that the terminal has room for, below what was typed."""
        for line in textwrap.wrap(shown(text), self.width):
            click.echo(f"{_INDENT}{line}")

    def mark(self, text: str, error: "FormulaError") -> None:
        """Show carets below what was typed, where it is in one line as it was typed."""
        line, carets = error.marked(self.width).split("\n")
        for each in [carets] if line == text else [line, carets]:
            click.echo(f"{_INDENT}{each}")

    @property
    def width(self) -> int:
        """How many columns a line of it has."""
        return max(_NARROWEST, (width_of_terminal() or 0) - len(_INDENT))


def _clock(played: "Played") -> str:
    """Return what is said of the time: what a round took, or how much is left."""
    if played.result:
        return "" if played.result == "left" else f" ({format_time(played.seconds)})"
    return "" if played.limit is None else f" · {played.clock}"


class _LateError(Exception):
    """Time was over before a line was typed."""


@contextmanager
def _patience(seconds: float | None) -> Iterator[None]:
    """Raise `_LateError` after so many seconds, where the system can; else a line is waited for."""
    if (
        seconds is None
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(_: int, __: object) -> None:
        raise _LateError

    before = signal.signal(signal.SIGALRM, stop)
    # A little later, so that time is over by every clock.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0) + 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# A round card, of numbers of at most so many characters: four places, and the middle.
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


def face_of(hand: Sequence[int], target: Exact, width: int) -> list[str]:
    r"""Return the lines of a puzzle's drawing, none where it is wider than so many columns.

    >>> print("\n".join(face_of((75, 6, 3), 225, 60)))
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
        whole = max(len(above[0]), len(tiles[0]))
        lines = [line.center(whole).rstrip() for line in (*above, *tiles)]
    return lines if max(map(len, lines)) <= width else []


def _tiles(texts: Sequence[str]) -> list[str]:
    """Return tiles side by side."""
    edges = ["─" * (len(text) + 2) for text in texts]
    return [
        f"╭{'┬'.join(edges)}╮",
        f"│{'│'.join(f' {text} ' for text in texts)}│",
        f"╰{'┴'.join(edges)}╯",
    ]
