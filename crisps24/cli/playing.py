"""The command play: play puzzles in a terminal, or with lines from a pipe or a file."""

import io
import json
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import click

from crisps24.cli import options as opt
from crisps24.cli.choosing import DAY_NEEDS_DAILY, Choice, choice_options, read_day
from crisps24.cli.progress import stop_reporting
from crisps24.cli.screen import print_to_stderr, show, terminal_width
from crisps24.judging.table_rows import MAX_INPUT_LINE_BYTES, ByteStream, read_text_lines
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Count, Language, Spaced, join_clauses, message
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.exact import Exact
from crisps24.rules.words import format_time

with opt.lazy_imports(globals()):
    from crisps24.equation_puzzles import rounds as equation_rounds
    from crisps24.notation import errors
    from crisps24.output import atomic_files
    from crisps24.puzzles import daily, rounds

_PROMPT = "> "
# A reply starts below the typed text.
_INDENT = " " * len(_PROMPT)
_MIN_COLUMNS = 20


@opt.command(DAY_NEEDS_DAILY)
def play(
    choice: Choice = choice_options(count=5, plays=True),
    seconds: int | None = opt.SECONDS,
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
    play_language = LANGUAGES[language]
    if daily and (choice.own or choice.equation is not None):
        raise click.UsageError(play_language.text("play.daily_game"))
    date = read_day(day) if daily else None
    # Refuse a log that cannot be written before the first puzzle: append nothing.
    if log is not None:
        if log.suffix.lower() != ".jsonl":
            raise click.UsageError(play_language.text("play.log", file=str(log)))
        atomic_files.append_lines(log)
    dealt, starts = _deal_rounds(choice, date, seconds, play_language, log)
    # With --closest a missing level would show that the target cannot be made.
    hides_level = choice.conditions.get("closest") and dealt.game.accepts_closest
    session = _Session(starts, log, play_language, not no_card, not hides_level, date)
    stop_reporting()
    try:
        session.play()
    finally:
        session.show_results()
        if not choice.own:
            command = dealt.command.replace("crisps24 deal", "crisps24 play", 1)
            replay = message("play.drawing", version=dealt.version, command=command)
            click.echo(replay.text(play_language))


def _deal_rounds(
    choice: Choice, day: date | None, seconds: int | None, language: Language, log: Path | None
) -> "tuple[Any, list[Callable[[], rounds.BaseRound]]]":
    if choice.equation is not None:
        deal_secrets = equation_rounds.deal_equations
        equations = deal_secrets(choice.equation, choice.count, **choice.arguments)
        start = partial(equation_rounds.EquationRound, limit=seconds, language=language)
        return equations, [partial(start, secret, choice.equation) for secret in equations.secrets]
    deal = choice.deal() if day is None else daily.daily(choice.game, day)
    for puzzle in deal if choice.own else ():
        if not (puzzle.solvable or puzzle.game.accepts_closest):
            reason = message("round.none", target=puzzle.target, hand=Spaced(puzzle.hand))
            print_to_stderr(language.text("play.warning", reason=reason))
    # Somebody who has seen a solution, by the log, does not solve the puzzle.
    rows = () if log is None else _log_rows(log)
    seen = {str(row.get("id")) for row in rows if row.get("result") in ("shown", "over")}
    start_round = partial(rounds.Round, limit=seconds, language=language)
    return deal, [partial(start_round, puzzle, seen=puzzle.id in seen) for puzzle in deal]


@dataclass
class _Session:
    """One call of `play`: the puzzles, the input, and the finished rounds."""

    starts: "Sequence[Callable[[], rounds.BaseRound]]"
    log: Path | None
    language: Language
    draws_cards: bool
    shows_level: bool
    day: date | None

    def __post_init__(self) -> None:
        # Without a terminal, the input is a pipe or a file, and no card is drawn.
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self.player = (_Terminal if is_terminal else _PipeInput)(self.language)
        self.finished_rounds: list[rounds.BaseRound] = []

    def play(self) -> None:
        for number, start_round in enumerate(self.starts, 1):
            game_round = start_round()
            if self.day is None:
                values = {"number": number, "puzzles": len(self.starts)}
                place = self.language.text("play.number", **values)
            else:
                place = daily.format_day(self.day, self.language)
            heading = message("play.heading", number=place, puzzle=game_round.heading)
            if game_round.level and self.shows_level:
                level = message("page.level", level=game_round.level)
                heading = message("play.heading_level", level=level, **heading.values)
            click.echo(f"\n{heading.text(self.language)}")
            if not self.play_one(game_round):
                break
            finished_round = self.finished_rounds[-1]
            is_time_up = finished_round.is_time_up(finished_round.seconds)
            if is_time_up and number < len(self.starts) and not self.player.wants_next():
                break

    def play_one(self, game_round: "rounds.BaseRound") -> bool:
        if self.draws_cards:
            self.player.draw(game_round)
        self.player.say(_with_time(game_round.task, game_round))
        start_seconds = time.monotonic()
        try:
            while not game_round.result:
                seconds_left = None
                if game_round.limit is not None:
                    seconds_left = game_round.limit - (time.monotonic() - start_seconds)
                text = self.player.line(seconds_left)
                game_round, reply = game_round.play(text, time.monotonic() - start_seconds)
                self.player.answer(text, reply, game_round)
            return rounds.parse_key(text) != "left"
        except KeyboardInterrupt:
            # Ctrl-C ends the round as the key to quit does.
            game_round, _ = game_round.play("q", time.monotonic() - start_seconds)
            raise
        finally:
            self.keep(game_round)

    def keep(self, game_round: "rounds.BaseRound") -> None:
        self.finished_rounds.append(game_round)
        if self.log is not None:
            row = game_round.row() | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
            if self.day is not None:
                row["daily"] = self.day.isoformat()
            atomic_files.append_lines(self.log, f"{json.dumps(row, ensure_ascii=False)}\n")

    def show_results(self) -> None:
        if not self.finished_rounds:
            return
        click.echo()
        show([_result_row(game_round) for game_round in self.finished_rounds], DEFAULT_FORMAT)
        finished = self.finished_rounds
        right_count = sum(game_round.result == "right" for game_round in finished)
        time_text = format_time(sum(game_round.seconds for game_round in finished))
        values: Any = {"right": right_count, "puzzles": len(finished), "time": time_text}
        clauses = [message("play.summary", **values)]
        if finished[0].scored:
            points = sum(game_round.points for game_round in finished)
            clauses.append(message("result.points", count=points))
        click.echo(f"\n{join_clauses(clauses, self.language)}")
        if self.day is not None:
            game_round = cast("rounds.Round", finished[0])
            click.echo(daily.format_result(game_round, self.day))
            if self.log is not None:
                days = daily.count_streak(_log_rows(self.log), game_round.puzzle.game, self.day)
                click.echo(daily.format_streak(days, self.language))


def _log_rows(log: Path) -> Iterator[Row]:
    with log.open("rb") as file:
        for _line_number, text in read_text_lines(file):
            # A text of None is a line that is too long; an empty text is not JSON.
            with suppress(ValueError, RecursionError):
                row = json.loads(text or "")
                if isinstance(row, dict):
                    yield row


def _result_row(game_round: "rounds.BaseRound") -> Row:
    columns = {
        "play.puzzle": game_round.name,
        "page.field_level": game_round.level,
        "page.play_clock": format_time(game_round.seconds),
        "play.hints": game_round.hints,
        "play.result": game_round.outcome,
    }
    return {game_round.language.text(key): value for key, value in columns.items()}


class _PipeInput:
    """Input from a pipe or a file: print the reply to each line."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.lines = read_text_lines(cast(ByteStream, sys.stdin.buffer), waiting=sys.stdout.flush)

    def draw(self, game_round: "rounds.BaseRound") -> None:
        """Draw nothing: only a terminal shows the card."""

    def line(self, _: float | None) -> str:
        for _, text in self.lines:
            if text is not None:
                return text
            self.say(self.language.text("play.too_long", most=Count(MAX_INPUT_LINE_BYTES)))
        return "q"

    def wants_next(self) -> bool:
        return True

    def say(self, text: str) -> None:
        click.echo(escape_unprintable(text))

    def answer(self, text: str, reply: "rounds.Reply", game_round: "rounds.BaseRound") -> None:
        if reply.error is not None:
            self.mark(text, reply.error)
        self.say(_with_time(_reply_text(reply, game_round), game_round))

    def mark(self, _: str, error: "errors.FormulaError") -> None:
        for line in error.marked().split("\n"):
            self.say(line)


class _Terminal(_PipeInput):
    def __init__(self, language: Language) -> None:
        self.language = language
        with suppress(ImportError):
            import readline  # noqa: F401 - input() uses it if it is installed
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self.say(language.text("round.help"))

    def draw(self, game_round: "rounds.BaseRound") -> None:
        if isinstance(game_round, rounds.Round):
            for line in draw_hand(game_round.puzzle.hand, game_round.puzzle.target, self.width):
                click.echo(f"{_INDENT}{line}")

    def line(self, seconds_left: float | None) -> str:
        try:
            with _time_limit(seconds_left):
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
        self.say(self.language.text("play.next"))
        return rounds.parse_key(self.line(None)) != "left"

    def say(self, text: str) -> None:
        for line in textwrap.wrap(escape_unprintable(text), self.width):
            click.echo(f"{_INDENT}{line}")

    def mark(self, text: str, error: "errors.FormulaError") -> None:
        line, carets = error.marked(self.width).split("\n")
        for part in [carets] if line == text else [line, carets]:
            click.echo(f"{_INDENT}{part}")

    @property
    def width(self) -> int:
        return max(_MIN_COLUMNS, (terminal_width() or 0) - len(_INDENT))


def _reply_text(reply: "rounds.Reply", game_round: "rounds.BaseRound") -> str:
    is_wrong_guess = reply.kind == "wrong" and reply.error is None
    if isinstance(game_round, equation_rounds.EquationRound) and is_wrong_guess:
        values = {"number": len(game_round.guesses), "guesses": equation_rounds.MAX_GUESSES}
        return game_round.language.text("guess.number", text=reply.text, **values)
    return reply.text


def _with_time(text: str, game_round: "rounds.BaseRound") -> str:
    """Return a text with the time of a finished round, or with the time left if it has a limit."""
    if game_round.result and game_round.result != "left":
        time_text = format_time(game_round.seconds)
        return game_round.language.text("play.time", text=text, time=time_text)
    if game_round.result or game_round.limit is None:
        return text
    return game_round.language.text("play.clock", text=text, clock=game_round.clock)


class _TimeUpError(Exception):
    """The time limit passed before a line was typed."""


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `_TimeUpError` in the block if it takes longer than some seconds."""
    has_timers = hasattr(signal, "setitimer")
    is_main_thread = threading.current_thread() is threading.main_thread()
    if seconds is None or not has_timers or not is_main_thread:
        yield
        return

    def raise_time_up(_signal_number: int, _frame: object) -> None:
        raise _TimeUpError

    old_handler = signal.signal(signal.SIGALRM, raise_time_up)
    # 0.05 seconds more, so that the round also measures that its time is over.
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0) + 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old_handler)


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
_ROUND_CARD_NUMBERS = 4
_MAX_ROUND_CARD_CHARACTERS = 4


def draw_hand(hand: Sequence[Exact], target: Exact, width: int) -> list[str]:
    """Draw a card with the numbers of a hand and their target; return its lines of text."""
    number_texts, target_text = list(map(str, hand)), str(target)
    max_characters = max(map(len, (*number_texts, target_text)))
    if len(number_texts) == _ROUND_CARD_NUMBERS and max_characters <= _MAX_ROUND_CARD_CHARACTERS:
        lines = _CARD.format(*number_texts, target_text).split("\n")
    else:
        number_width = max(map(len, number_texts))
        number_lines = _draw_boxes([f"{number:>{number_width}}" for number in number_texts])
        target_lines = _draw_boxes([target_text])
        drawing_width = max(len(target_lines[0]), len(number_lines[0]))
        lines = [line.center(drawing_width).rstrip() for line in (*target_lines, *number_lines)]
    return lines if max(map(len, lines)) <= width else []


def _draw_boxes(texts: Sequence[str]) -> list[str]:
    """Return the three lines of a row of boxes with a text in each; texts have equal lengths."""
    edges = ["─" * (len(text) + 2) for text in texts]
    return [
        f"╭{'┬'.join(edges)}╮",
        f"│{'│'.join(f' {text} ' for text in texts)}│",
        f"╰{'┴'.join(edges)}╯",
    ]
