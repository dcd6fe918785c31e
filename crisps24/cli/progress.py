"""Progress of commands on stderr: a bar or a line on a terminal, one line elsewhere."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from crisps24.rules.work import Budget

_Item = TypeVar("_Item")

# Seconds of work after which a terminal shows a line of progress, and after which one line is
# printed elsewhere; seconds between two looks, and those of them that make a command busy.
DRAWN_AFTER, PRINTED_AFTER = 2.0, 5.0
_INTERVAL, _BUSY = 0.5, 0.05
# Without a terminal the line waits so many times as long for an estimate.
_PATIENCE = 3
# Columns of the shortest progress bar.
_SHORTEST_BAR = 8


class Watch(threading.Thread):
    """Reports on stderr that a command is at work, in whatever module it spends its time.

    On a terminal that is a line with the time and the work done, unless a bar is drawn. Elsewhere
    it is printed once, with an estimate of the time left if the total is known. A command that
    waits, for input or for another program, is not at work.
    """

    def __init__(self, command: Callable[[], str]) -> None:
        super().__init__(daemon=True)
        self.command = command
        self.on_terminal = sys.stderr.isatty()
        # The bar of this moment: what it counts, how many of them, how many are done.
        self.what, self.total, self.done = "", 0, 0
        self.budget: Budget | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._drawn = 0

    def run(self) -> None:
        """Look every half second whether the command is at work."""
        busy, before, printed = 0.0, time.process_time(), False
        while not self._ended.wait(_INTERVAL):
            now = time.process_time()
            busy = busy + _INTERVAL if self.total or now - before > _BUSY else 0.0
            before = now
            if not busy:
                self.clear()
            elif self.on_terminal:
                if busy >= DRAWN_AFTER and not self.total:
                    self._draw(busy)
            elif not printed and busy >= PRINTED_AFTER * (_PATIENCE if self.is_unknown() else 1):
                printed = True
                click.echo(f"crisps24: {self.describe(busy)}", err=True)

    def is_unknown(self) -> bool:
        """Return whether nothing is done yet of a known total, so that no estimate is possible."""
        return self.total > 0 and not self.done

    def describe(self, seconds: float) -> str:
        """Return what the command has done after so many seconds."""
        parts = [f"{self.command()}: at work for {seconds:.0f} s"]
        # Another thread changes these.
        total, done = self.total, self.done
        if total:
            parts.append(f"{done:,} of {total:,} {self.what}")
            if done:
                parts.append(f"about {seconds * (total - done) / done:,.0f} s left")
        elif self.budget is not None and self.budget.pairs:
            expected = f" of about {self.budget.expected:,.0f}" if self.budget.expected else ""
            parts.append(f"{self.budget.pairs:,.0f}{expected} pairs of values")
        return ", ".join(parts)

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
        self.clear()


# Of the command that runs.
_watch: Watch | None = None


@contextmanager
def watching(command: Callable[[], str]) -> Iterator[None]:
    """Report on stderr that a command is at work, if it takes more than a few seconds.

    `command` returns its name, which is not known before it is called.
    """
    global _watch

    def use(budget: Budget) -> None:
        watch.budget = budget

    watch = _watch = Watch(command)
    Budget.on_create = use
    watch.start()
    try:
        yield
    finally:
        end_watching()


def end_watching() -> None:
    """Report nothing from now on: the command waits for people."""
    global _watch
    Budget.on_create = None
    if _watch is not None:
        _watch.end()
        _watch = None


def clear_progress() -> None:
    """Remove the line of progress before a line is printed."""
    if _watch is not None:
        _watch.clear()


@contextmanager
def progress_bar(
    what: str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function that reports progress in a bar on stderr, or None if nothing is shown.

    Without a terminal one line is printed after some seconds.
    """
    watch = _watch
    if watch is not None and shown:
        watch.clear()
        watch.what, watch.total, watch.done = what, total, 0
    try:
        with _bar(what, total, shown=shown) as advance:
            if watch is None or not shown:
                yield advance
                return

            def both(done: int) -> None:
                watch.done += done
                if advance is not None:
                    advance(done)

            yield both
    finally:
        if watch is not None:
            watch.total = 0


def counted(rows: Iterable[_Item], progress: Callable[[int], object] | None) -> Iterator[_Item]:
    """Yield items, and report each as progress."""
    for row in rows:
        yield row
        if progress is not None:
            progress(1)


@contextmanager
def _bar(what: str, total: int, *, shown: bool = True) -> Iterator[Callable[[int], object] | None]:
    """Give a function that draws a bar on a terminal, None elsewhere."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    # Position, time, brackets and spaces come first; the label gets the other columns.
    fixed = 2 * len(str(total)) + len("/  [] 00:00:00  ") + _SHORTEST_BAR
    width = shutil.get_terminal_size().columns - fixed
    what = what if len(what) <= width else f"{what[: max(0, width - 1)]}…"
    bar: Any = click.progressbar(length=total, label=what, file=sys.stderr, show_pos=True, width=0)
    started, done_before = 0.0, 0

    def advance(done: int) -> None:
        nonlocal started, done_before
        bar.update(done)
        if not started:
            # The first call can report work of an earlier run, which says nothing about the rate.
            started, done_before = time.monotonic(), bar.pos
        elif (passed := time.monotonic() - started) > 1:
            rate = f"{what}, {(bar.pos - done_before) / passed:,.0f} a second"
            bar.label = rate if len(rate) <= width else what

    with bar:
        yield advance
