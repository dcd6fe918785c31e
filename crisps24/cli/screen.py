"""Output of commands: rows, messages, progress bars, files, exit status."""

import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crisps24.output import executors, tables
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.characters import escaped, shown
from crisps24.rules.work import Budget

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Item = TypeVar("_Item")

# Seconds of work after which a terminal shows a line of progress, and after which one line is
# printed elsewhere; seconds between two looks, and those of them that make a command busy.
DRAWN_AFTER, PRINTED_AFTER = 2.0, 5.0
_INTERVAL, _BUSY = 0.5, 0.05
# Columns of the shortest progress bar.
_SHORTEST_BAR = 8
# Limits of one table of formulas: rows, and characters in the column of formulas.
_ROWS, _CHARACTERS = 1_000, 2_000_000
# Key in `click.Context.meta`: the output starts with the names of its columns.
HEADED = "crisps24.headed"


def width_of_terminal() -> int | None:
    """Return the number of columns of the terminal, None if stdout is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(
    rows: Sequence[Row], form: str, keys: Sequence[str] = (), *, to_stderr: bool = False
) -> None:
    """Print rows in a format.

    A table shows only the given keys, if any, and escapes control characters.
    """
    if form not in TABLE_FORMATS:
        rows = [{key: _cell(value) for key, value in row.items()} for row in rows]
    text = tables.render(rows, form, keys, width_of_terminal(), _is_headed())
    echo(safe(text, form), err=to_stderr)


def stream_lines(
    rows: Iterable[Row], form: str, keys: Sequence[str], *, started: bool = False
) -> Iterator[str]:
    """Yield rows as printable lines of a format of `TABLE_FORMATS`.

    The names of the columns are left out if the output has `started` with other rows.
    """
    headed = _is_headed() and not started
    return (safe(line, form) for line in tables.stream(rows, keys, form, headed))


def print_rows(
    rows: Iterable[Row],
    form: str,
    keys: Sequence[str],
    tabulated: Callable[[list[Row]], tuple[list[Row], Sequence[str]]] | None = None,
    *,
    text: str = "",
) -> None:
    """Print rows immediately: as lines of a stream, or else in tables of up to 1,000 rows.

    `tabulated` returns the rows and keys of a table. In the format `text`, a line is the value of
    the key `text`.
    """
    if form == "text":
        print_lines(row[text] for row in rows)
    elif form in TABLE_FORMATS:
        print_lines(stream_lines(rows, form, keys))
    else:
        between = ""
        for block in _in_blocks(rows):
            echo(between, nl=False)
            rows_shown, keys_shown = (block, keys) if tabulated is None else tabulated(block)
            show(rows_shown, form, keys_shown)
            between = "\n"


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they come."""
    for line in lines:
        clear_progress()
        sys.stdout.write(f"{line}\n")


def print_summary(text: str, form: str) -> None:
    """Print a line for people after the rows: on stderr if the rows are for programs."""
    # Raises BrokenPipeError before the line if stdout is closed.
    sys.stdout.flush()
    echo(text, err=form != DEFAULT_FORMAT)


def _in_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows of formulas in blocks, each small enough for one table."""
    block: list[Row] = []
    widest = 0
    for row in rows:
        block.append(row)
        widest = max(widest, len(row["formula"] or ""))
        if len(block) == _ROWS or len(block) * widest > _CHARACTERS:
            yield block
            block, widest = [], 0
    if block:
        yield block


def _is_headed() -> bool:
    return bool(click.get_current_context().meta.get(HEADED, True))


def safe(text: str, form: str) -> str:
    """Return lines of a format with control characters escaped.

    csv, tsv and other formats without nesting cannot escape them, and change only on a terminal.
    """
    if form in TABLE_FORMATS and TABLE_FORMATS[form].nested:
        return escaped(text)
    if form in TABLE_FORMATS and sys.stdout.isatty():
        return re.sub(r"[^\t\n]+", lambda found: shown(found[0]), text)
    return text


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_cell(each) for each in value]
    return shown(value) if isinstance(value, str) else value


def complain(*lines: str) -> None:
    """Print lines on stderr, with control characters and line ends escaped."""
    echo("\n".join(map(shown, lines)), err=True)


def exit_with(all_right: bool, *, unreadable: bool = False) -> None:
    """End with status 2 if some input was not readable, or 1 if an answer is not right."""
    if unreadable or not all_right:
        sys.stdout.flush()
        click.get_current_context().exit(2 if unreadable else 1)


def executor_of(
    workers: int | None, pieces: int, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Give an executor for some pieces of work, or None if one process is enough.

    Without a number of workers it uses all cores, if the work is `worth_it`.
    """
    if (workers is None and not worth_it) or executors.workers_for(workers, pieces) == 1:
        return nullcontext()
    return executors.processes(workers, pieces)


@contextmanager
def overwriting(path: Path | None) -> Iterator[None]:
    """Report on stderr, after a file is written, that it replaced an older one."""
    existed = path is not None and path.exists()
    yield
    if existed:
        complain(f"warning: {path} existed and is overwritten")


def form_of(out: Path, option: str, forms: Collection[str]) -> str:
    """Return the format that the suffix of a name sets; refuse a suffix of other formats."""
    form = out.suffix.removeprefix(".").lower()
    if form not in forms:
        problem = f"{option} {out}: the suffix sets the format"
        raise click.UsageError(f"{problem} (expected {suffixes(forms)})")
    return form


def suffixes(forms: Iterable[str]) -> str:
    """Return formats as the suffixes of file names, for help and messages.

    >>> suffixes(["csv", "json"])
    '.csv, .json'
    """
    return ", ".join(f".{name}" for name in forms)


def encoded(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines as UTF-8, each with its line end."""
    return (f"{line}\n".encode() for line in lines)


def write_files(files: Mapping[Path, Iterable[bytes]]) -> None:
    """Write files and print their names; an error while writing leaves all files as before."""
    from crisps24.output.atomic_files import remove_left, replacing

    remove_left(files)
    with ExitStack() as stack:
        for out, pieces in files.items():
            stack.enter_context(overwriting(out))
            stack.enter_context(replacing(out)).writelines(_telling_fonts(out, pieces))
    for out in files:
        echo(shown(str(out)))


class _Watch(threading.Thread):
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
        busy, before, printed = 0.0, _cpu(), False
        while not self._ended.wait(_INTERVAL):
            now = _cpu()
            busy = busy + _INTERVAL if self.total or now - before > _BUSY else 0.0
            before = now
            if not busy:
                self.clear()
            elif self.on_terminal:
                if busy >= DRAWN_AFTER and not self.total:
                    self._draw(busy)
            elif not printed and (busy >= PRINTED_AFTER and (self.done or not self.total)):
                printed = True
                click.echo(f"crisps24: {self.describe(busy)}", err=True)

    def describe(self, seconds: float) -> str:
        """Return what the command has done after so many seconds."""
        parts = [f"{self.command()}: at work for {seconds:.0f} s"]
        if self.total:
            parts.append(f"{self.done:,} of {self.total:,} {self.what}")
            left = seconds * (self.total - self.done) / max(self.done, 1)
            parts.append(f"about {left:,.0f} s left")
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


def _cpu() -> float:
    return time.process_time()


# Of the command that runs.
_watch: _Watch | None = None


@contextmanager
def watching(command: Callable[[], str]) -> Iterator[None]:
    """Report on stderr that a command is at work, if it takes more than a few seconds.

    `command` returns its name, which is not known before it is called.
    """
    global _watch

    def use(budget: Budget) -> None:
        watch.budget = budget

    watch = _watch = _Watch(command)
    Budget.watch = use
    watch.start()
    try:
        yield
    finally:
        end_watching()


def end_watching() -> None:
    """Report nothing from now on: the command waits for people."""
    global _watch
    Budget.watch = None
    if _watch is not None:
        _watch.end()
        _watch = None


def clear_progress() -> None:
    """Remove the line of progress before a line is printed."""
    if _watch is not None:
        _watch.clear()


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text on stdout or stderr."""
    clear_progress()
    click.echo(text, nl=nl, err=err)


def _telling_fonts(out: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a file; report on stderr if readers of a PDF need their own font."""
    for piece in pieces:
        yield piece
        if piece.startswith(b"%PDF"):
            from crisps24.drawing.pdfs import needs_reader_font

            if needs_reader_font(piece):
                complain(
                    f"warning: {out} has no font for Chinese (none found): readers use their own"
                )


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
