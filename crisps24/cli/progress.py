"""Progress of long commands on stderr, on a terminal only: a bar, or a line for other work."""

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

# Seconds of work after which the line is drawn, and between two looks at the processor.
SECONDS_UNTIL_DRAWN = 2.0
_LOOK_SECONDS = 0.5
# Seconds of the processor between two looks above which the command is at work.
_MIN_CPU_SECONDS = 0.05
# Key in `click.Context.meta`: the `Language` of --language.
LANGUAGE_KEY = "crisps24.spoken"


def current_language() -> Language:
    context = click.get_current_context(silent=True)
    language: Language = context.meta.get(LANGUAGE_KEY, ENGLISH) if context else ENGLISH
    return language


class WorkLine(threading.Thread):
    """A line on the terminal with the time and the pairs of values that a search has computed.

    A command that waits, for input or for another program, is not at work: it has no line.
    """

    def __init__(self, command: Callable[[], str], meta: dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self._command, self._meta = command, meta
        self.budget: Budget | None = None
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._columns = 0

    def run(self) -> None:
        busy_seconds, cpu_seconds = 0.0, time.process_time()
        while not self._ended.wait(_LOOK_SECONDS):
            before, cpu_seconds = cpu_seconds, time.process_time()
            is_at_work = cpu_seconds - before > _MIN_CPU_SECONDS
            busy_seconds = busy_seconds + _LOOK_SECONDS if is_at_work else 0
            if busy_seconds >= SECONDS_UNTIL_DRAWN:
                self._draw(self.describe(busy_seconds))
            else:
                self.clear()

    def describe(self, seconds: float) -> str:
        clauses = [message("progress.work", command=self._command(), seconds=round(seconds))]
        if (budget := self.budget) is not None and budget.pairs:
            key = "progress.pairs_of" if budget.expected else "progress.pairs"
            expected = {"expected": Count(budget.expected)} if budget.expected else {}
            clauses.append(message(key, pairs=Count(budget.pairs), **expected))
        return join_clauses(clauses, self._meta.get(LANGUAGE_KEY, ENGLISH))

    def _draw(self, line: str) -> None:
        with self._lock:
            line = line[: shutil.get_terminal_size().columns - 1]
            # Spaces after a shorter line remove the rest of the previous one.
            sys.stderr.write(f"\r{line:{self._columns}}" if line else f"\r{'':{self._columns}}\r")
            sys.stderr.flush()
            self._columns = len(line)

    def clear(self) -> None:
        if self._columns:
            self._draw("")

    def end(self) -> None:
        self._ended.set()
        # Python aborts if a thread writes at exit. A stopped terminal blocks the thread.
        self.join(1)
        self.clear()


_line: WorkLine | None = None


@contextmanager
def reporting_work(command: Callable[[], str]) -> Iterator[None]:
    """Draw a line on the terminal when the command in the block has worked for some seconds."""
    global _line
    if sys.stderr.isatty():
        line = _line = WorkLine(command, click.get_current_context().meta)
        Budget.on_create = lambda budget: setattr(line, "budget", budget)
        line.start()
    try:
        yield
    finally:
        stop_reporting()


def stop_reporting() -> None:
    """Draw no line for this command any more, for example since it waits for a person."""
    global _line
    Budget.on_create = None
    if _line is not None:
        _line.end()
        _line = None


def clear_progress() -> None:
    """Remove the line, before another one is printed."""
    if _line is not None:
        _line.clear()


@contextmanager
def progress_bar(
    label: Message | str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Show a bar on a terminal during the block; give a function of the newly finished items."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    stop_reporting()
    text = as_message(label).text(current_language())
    # The label gets the columns that the position, the time and a bar of 8 columns leave.
    other_columns = 2 * len(str(total)) + len("/  [########] 00:00:00  ")
    label_columns = max(1, shutil.get_terminal_size().columns - other_columns)
    if len(text) > label_columns:
        text = f"{text[: label_columns - 1]}…"
    with click.progressbar(
        length=total, label=text, file=sys.stderr, show_pos=True, width=0
    ) as bar:
        yield bar.update


def report_each(
    items: Iterable[_Item], progress: Callable[[int], object] | None
) -> Iterator[_Item]:
    """Yield items unchanged; call `progress(1)`, if it is not None, after each was used."""
    for item in items:
        yield item
        if progress is not None:
            progress(1)
