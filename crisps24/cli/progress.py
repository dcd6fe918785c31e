"""Progress of commands on stderr: a bar or a line on a terminal, one line elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from crisps24.messages.message import (
    ENGLISH,
    Count,
    Language,
    Message,
    as_message,
    join_clauses,
    message,
)
from crisps24.rules.work import Budget

_Item = TypeVar("_Item")

# Seconds of work after which a terminal shows a line of progress.
SECONDS_UNTIL_DRAWN = 2.0
# Seconds of work after which one line is printed if stderr is not a terminal.
SECONDS_UNTIL_PRINTED = 5.0
# Without an estimate, the line is printed after this many times as long.
_UNKNOWN_WAIT_FACTOR = 3
# Seconds between two checks whether the command is at work.
_CHECK_SECONDS = 0.5
# Seconds to wait for the thread at the end.
_MAX_END_SECONDS = 1.0
# CPU time between two checks above which the command is at work.
_MIN_CPU_SECONDS = 0.05
# Columns of the # and - of the shortest progress bar.
_MIN_BAR_COLUMNS = 8


class ActivityReporter(threading.Thread):
    """A thread that reports on stderr that a command is at work.

    On a terminal it draws a line with the time and the work done, unless a progress bar is shown.
    Elsewhere it prints this line once, with an estimate of the time left if the total is known. A
    command that waits, for input or for another program, is not at work.
    """

    def __init__(self, command: Callable[[], str]) -> None:
        super().__init__(daemon=True)
        self.command = command
        self.is_terminal = sys.stderr.isatty()
        self.language: Language = ENGLISH
        # The label, the total and the finished part of the current progress bar.
        self.label, self.total, self.done = as_message(""), 0, 0
        self.budget: Budget | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._drawn = 0

    def run(self) -> None:
        """Check every half second whether the command is at work, and report it."""
        busy_seconds, cpu_seconds_before, is_printed = 0.0, time.process_time(), False
        while not self._ended.wait(_CHECK_SECONDS):
            cpu_seconds = time.process_time()
            busy_seconds = (
                busy_seconds + _CHECK_SECONDS
                if self.total or cpu_seconds - cpu_seconds_before > _MIN_CPU_SECONDS
                else 0.0
            )
            cpu_seconds_before = cpu_seconds
            if not busy_seconds:
                self.clear()
            elif self.is_terminal:
                if busy_seconds >= SECONDS_UNTIL_DRAWN and not self.total:
                    self._draw(busy_seconds)
            elif not is_printed and busy_seconds >= SECONDS_UNTIL_PRINTED * (
                _UNKNOWN_WAIT_FACTOR if self.is_unknown() else 1
            ):
                is_printed = True
                click.echo(f"crisps24: {self.describe(busy_seconds)}", err=True)

    def is_unknown(self) -> bool:
        """Return whether the total is known but no part is done, so that there is no estimate."""
        return self.total > 0 and not self.done

    def describe(self, seconds: float) -> str:
        """Return the line of progress after some seconds of work."""
        parts = [message("progress.work", command=self.command(), seconds=round(seconds))]
        # The main thread changes these.
        total, done = self.total, self.done
        if total:
            counts = {"done": Count(done), "total": Count(total)}
            parts.append(message("progress.done", **counts, items=self.label))
            if done:
                left = Count(round(seconds * (total - done) / done))
                parts.append(message("progress.left", seconds=left))
        elif self.budget is not None and self.budget.pairs:
            pairs, expected = Count(self.budget.pairs), Count(self.budget.expected or 0)
            key = "progress.pairs_of" if expected else "progress.pairs"
            values = {"expected": expected} if expected else {}
            parts.append(message(key, pairs=pairs, **values))
        return join_clauses(parts, self.language)

    def _draw(self, seconds: float) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            line = self.describe(seconds)[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write(f"\r{line:{self._drawn}}")
            sys.stderr.flush()
            self._drawn = len(line)

    def clear(self) -> None:
        """Remove the line from the terminal."""
        if self._drawn:
            with self._lock:
                sys.stderr.write(f"\r{'':{self._drawn}}\r")
                sys.stderr.flush()
                self._drawn = 0

    def end(self) -> None:
        """Stop, and remove the line."""
        self._ended.set()
        # Python aborts if a thread writes to stderr at exit. A stopped terminal blocks the thread.
        if self.is_alive():
            self.join(_MAX_END_SECONDS)
        self.clear()


# The reporter of the current command.
_reporter: ActivityReporter | None = None


@contextmanager
def reporting_work(command: Callable[[], str]) -> Iterator[None]:
    """Report on stderr that the command of the block is at work, if it takes a few seconds.

    `command` returns its name, which is known only after the block has started.
    """
    global _reporter

    def set_budget(budget: Budget) -> None:
        reporter.budget = budget

    reporter = _reporter = ActivityReporter(command)
    Budget.on_create = set_budget
    reporter.start()
    try:
        yield
    finally:
        stop_reporting()


def stop_reporting() -> None:
    """Report no more work, for a command that waits for people."""
    global _reporter
    Budget.on_create = None
    if _reporter is not None:
        _reporter.end()
        _reporter = None


def set_progress_language(language: Language) -> None:
    """Report progress in a language from now on."""
    if _reporter is not None:
        _reporter.language = language


def clear_progress() -> None:
    """Remove the line of progress before a line is printed."""
    if _reporter is not None:
        _reporter.clear()


@contextmanager
def progress_bar(
    label: Message | str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function that adds finished items to a bar on stderr, or None if none is shown.

    If stderr is not a terminal, one line is printed after `SECONDS_UNTIL_PRINTED`.
    """
    reporter = _reporter
    label = as_message(label)
    if reporter is not None and shown:
        reporter.clear()
        reporter.label, reporter.total, reporter.done = label, total, 0
    language = reporter.language if reporter is not None else ENGLISH
    try:
        with _bar(label, total, language, shown=shown) as advance:
            if reporter is None or not shown:
                yield advance
                return

            def advance_both(done: int) -> None:
                reporter.done += done
                if advance is not None:
                    advance(done)

            yield advance_both
    finally:
        if reporter is not None:
            reporter.total = 0


def report_each(rows: Iterable[_Item], progress: Callable[[int], object] | None) -> Iterator[_Item]:
    """Yield items; report each as progress after it was used."""
    for row in rows:
        yield row
        if progress is not None:
            progress(1)


@contextmanager
def _bar(
    items: Message, total: int, language: Language, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function that advances a bar on a terminal, or None elsewhere."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    # The label gets the columns that position, time, brackets and bar leave.
    other_columns = 2 * len(str(total)) + len("/  [] 00:00:00  ") + _MIN_BAR_COLUMNS
    width = shutil.get_terminal_size().columns - other_columns
    label = items.text(language)
    label = label if len(label) <= width else f"{label[: max(0, width - 1)]}…"
    bar: Any = click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True, width=0)
    started, done_before = 0.0, 0

    def advance(done: int) -> None:
        nonlocal started, done_before
        bar.update(done)
        if not started:
            # The first call can report work of an earlier run: measure the rate after it.
            started, done_before = time.monotonic(), bar.pos
        elif (elapsed := time.monotonic() - started) > 1:
            per_second = Count(round((bar.pos - done_before) / elapsed))
            rate = language.text("progress.rate", items=label, rate=per_second)
            bar.label = rate if len(rate) <= width else label

    with bar:
        yield advance
