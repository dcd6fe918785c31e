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
        # Counts the pairs of values of the current search, if any.
        self.budget: Budget | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        # The width of the line on the terminal; 0 if none is drawn.
        self._drawn_columns = 0

    def run(self) -> None:
        """Check every half second whether the command is at work; report if it is for long.

        On a terminal, the line is drawn again at each check. Elsewhere it is printed once. A
        command is at work if it has a progress bar, or if it has used the processor since the last
        check; a command that waits for input is not at work.
        """
        busy_seconds = 0.0
        has_printed = False
        previous_cpu_seconds = time.process_time()
        while not self._ended.wait(_CHECK_SECONDS):
            cpu_seconds = time.process_time()
            used_processor = cpu_seconds - previous_cpu_seconds > _MIN_CPU_SECONDS
            previous_cpu_seconds = cpu_seconds
            if not (self.total or used_processor):
                busy_seconds = 0.0
                self.clear()
                continue
            busy_seconds += _CHECK_SECONDS
            if self.is_terminal:
                # A progress bar, if any, is already on the terminal.
                if busy_seconds >= SECONDS_UNTIL_DRAWN and not self.total:
                    self._draw(busy_seconds)
            elif not has_printed:
                # The line is printed only once: wait longer for an estimate of the time left.
                wait_factor = _UNKNOWN_WAIT_FACTOR if self.is_unknown() else 1
                if busy_seconds >= SECONDS_UNTIL_PRINTED * wait_factor:
                    has_printed = True
                    click.echo(f"crisps24: {self.describe(busy_seconds)}", err=True)

    def is_unknown(self) -> bool:
        """Return whether the time left is unknown, since no item of the total is done yet."""
        return self.total > 0 and not self.done

    def describe(self, seconds: float) -> str:
        """Return the line of progress of a command that has worked for some seconds.

        While a progress bar sets the total of items, the line has the number that is done and, if
        that is not 0, an estimate of the seconds left. Otherwise, in a search, it has the number of
        pairs of values computed so far, and the expected number if that is known.
        """
        clauses = [message("progress.work", command=self.command(), seconds=round(seconds))]
        # Read these once, since the main thread changes them.
        total, done = self.total, self.done
        if total:
            counts = {"done": Count(done), "total": Count(total)}
            clauses.append(message("progress.done", **counts, items=self.label))
            if done:
                seconds_left = Count(round(seconds * (total - done) / done))
                clauses.append(message("progress.left", seconds=seconds_left))
        elif self.budget is not None and self.budget.pairs:
            pairs, expected_pairs = Count(self.budget.pairs), Count(self.budget.expected)
            if expected_pairs:
                clauses.append(message("progress.pairs_of", pairs=pairs, expected=expected_pairs))
            else:
                clauses.append(message("progress.pairs", pairs=pairs))
        return join_clauses(clauses, self.language)

    def _draw(self, seconds: float) -> None:
        """Draw the line of progress in the current line of the terminal, over the previous one."""
        with self._lock:
            if self._ended.is_set():
                return
            line = self.describe(seconds)[: shutil.get_terminal_size().columns - 1]
            # Spaces after a shorter line remove the rest of the previous one.
            sys.stderr.write(f"\r{line:{self._drawn_columns}}")
            sys.stderr.flush()
            self._drawn_columns = len(line)

    def clear(self) -> None:
        """Remove the line from the terminal."""
        if self._drawn_columns:
            with self._lock:
                sys.stderr.write(f"\r{'':{self._drawn_columns}}\r")
                sys.stderr.flush()
                self._drawn_columns = 0

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
    """Report on stderr that the command in the block is at work, if it takes a few seconds.

    A thread prints the report, such as `crisps24: solve: at work for 5 s`. It also has the number
    of pairs of values that a search has computed, which the newest `Budget` counts.

    Args:
        command: Returns the name of the command, which is known only after the block has started.
    """
    global _reporter

    def report_search_of(budget: Budget) -> None:
        reporter.budget = budget

    reporter = _reporter = ActivityReporter(command)
    Budget.on_create = report_search_of
    reporter.start()
    try:
        yield
    finally:
        stop_reporting()


def stop_reporting() -> None:
    """Stop the report of the current command, for example of one that waits for a person."""
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
    """Show a progress bar on stderr during the block, and give a function that advances it.

    The function takes the number of items that are newly finished. If stderr is not a terminal, a
    single line is printed instead, after about 5 seconds.

        with progress_bar("rows", 1_000_000) as progress:
            progress(500)

    Args:
        label: The name of the items, such as `rows`.
        total: The number of items of the whole work.
        shown: Whether the work is long enough for a bar. Otherwise the block gets None.
    """
    reporter = _reporter
    label = as_message(label)
    if reporter is not None and shown:
        reporter.clear()
        reporter.label, reporter.total, reporter.done = label, total, 0
    language = reporter.language if reporter is not None else ENGLISH
    try:
        with _terminal_bar(label, total, language, shown=shown) as advance_bar:
            if reporter is None or not shown:
                yield advance_bar
                return

            def advance_both(newly_done: int) -> None:
                reporter.done += newly_done
                if advance_bar is not None:
                    advance_bar(newly_done)

            yield advance_both
    finally:
        if reporter is not None:
            reporter.total = 0


def report_each(
    items: Iterable[_Item], progress: Callable[[int], object] | None
) -> Iterator[_Item]:
    """Yield items unchanged; call `progress(1)`, if it is not None, after each was used."""
    for item in items:
        yield item
        if progress is not None:
            progress(1)


@contextmanager
def _terminal_bar(
    items: Message, total: int, language: Language, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Draw a progress bar on the terminal during the block, and give a function that advances it.

    The function takes the number of newly finished items. After a second, the bar also shows how
    many items are finished per second. If stderr is not a terminal, or `shown` is False, there is
    no bar and the block gets None.

    Args:
        items: The name of the items, such as `rows`.
        total: The number of items of the whole work.
        language: The language of the label.
        shown: Whether to draw a bar at all.
    """
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    # The label gets the columns that position, time, brackets and bar leave.
    other_columns = 2 * len(str(total)) + len("/  [] 00:00:00  ") + _MIN_BAR_COLUMNS
    label_columns = shutil.get_terminal_size().columns - other_columns
    label = items.text(language)
    if len(label) > label_columns:
        label = f"{label[: max(0, label_columns - 1)]}…"
    bar: Any = click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True, width=0)
    start_seconds, done_at_start = 0.0, 0

    def advance(newly_done: int) -> None:
        nonlocal start_seconds, done_at_start
        bar.update(newly_done)
        if not start_seconds:
            # The first call can report work of an earlier run: measure the rate after it.
            start_seconds, done_at_start = time.monotonic(), bar.pos
        elif (elapsed_seconds := time.monotonic() - start_seconds) > 1:
            per_second = Count(round((bar.pos - done_at_start) / elapsed_seconds))
            label_with_rate = language.text("progress.rate", items=label, rate=per_second)
            bar.label = label_with_rate if len(label_with_rate) <= label_columns else label

    with bar:
        yield advance
