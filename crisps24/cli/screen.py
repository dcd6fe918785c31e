"""What commands share to tell what they found: rows, progress, complaints, files, how they end."""

import re
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.output import executors, tables
from crisps24.output.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.characters import escaped, shown

if TYPE_CHECKING:
    from concurrent.futures import Executor

# A progress bar has as many columns at least.
_SHORTEST_BAR = 8
# A table of formulas has no more rows, and no more characters in its column of them.
_ROWS, _CHARACTERS = 1_000, 2_000_000
# Where a call keeps whether its output names the columns.
HEADED = "crisps24.headed"


def width_of_terminal() -> int | None:
    """Return how many columns the terminal has that results go to, None where they go elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(rows: Sequence[Row], form: str, keys: Sequence[str] = (), *, aside: bool = False) -> None:
    """Print rows in a format, on stderr where they stand `aside` from the results.

    A table has some keys alone, and nothing that a terminal obeys.
    """
    if form not in STREAMS:
        rows = [{key: _cell(value) for key, value in row.items()} for row in rows]
    text = tables.render(rows, form, keys, width_of_terminal(), _is_headed())
    click.echo(safe(text, form), err=aside)


def streamed(
    rows: Iterable[Row], form: str, keys: Sequence[str], *, begun: bool = False
) -> Iterator[str]:
    """Yield the lines of rows in a format of `STREAMS`, as they may be printed.

    Where others of the same output have `begun`, nothing names the columns again.
    """
    headed = _is_headed() and not begun
    return (safe(line, form) for line in tables.stream(rows, keys, form, headed))


def tell_rows(
    rows: Iterable[Row],
    form: str,
    keys: Sequence[str],
    told: Callable[[list[Row]], tuple[list[Row], Sequence[str]]] | None = None,
    *,
    text: str = "",
) -> None:
    """Print rows as they come: as lines of a stream, else as tables of so many.

    `told` gives what a table shows of some rows, by keys; in the format `text` a line has one key
    alone.
    """
    if form == "text":
        print_lines(row[text] for row in rows)
    elif form in STREAMS:
        print_lines(streamed(rows, form, keys))
    else:
        between = ""
        for block in _in_blocks(rows):
            click.echo(between, nl=False)
            told_rows, told_keys = (block, keys) if told is None else told(block)
            show(told_rows, form, told_keys)
            between = "\n"


def print_lines(lines: Iterable[str]) -> None:
    """Print lines as they come."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def tell_after(text: str, form: str) -> None:
    """Print what people are told after the rows: on stderr where these are for programs."""
    # Who reads no more is not told either.
    sys.stdout.flush()
    click.echo(text, err=form != DEFAULT_FORMAT)


def _in_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows of formulas in blocks that are tables of a size to be held and read."""
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
    """Return lines of a format as they may be printed.

    What json can escape is escaped; csv and tsv are given on as they are, but to a terminal.
    """
    if form.startswith("json"):
        return escaped(text)
    if form in STREAMS and sys.stdout.isatty():
        return re.sub(r"[^\t\n]+", lambda found: shown(found[0]), text)
    return text


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_cell(each) for each in value]
    return shown(value) if isinstance(value, str) else value


def complain(*lines: str) -> None:
    """Print lines on stderr, each of them one, whatever is in it."""
    click.echo("\n".join(map(shown, lines)), err=True)


def exit_with(well: bool, *, unread: bool = False) -> None:
    """End with status 2 where something could not be read, 1 where something was not right."""
    if unread or not well:
        sys.stdout.flush()
        click.get_current_context().exit(2 if unread else 1)


def executor_of(
    workers: int | None, pieces: int, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Give an executor of so many processes for some pieces of work, or None where one will do.

    Where their number is not given, all cores are used if the work is `worth_it`.
    """
    if (workers is None and not worth_it) or executors.workers_for(workers, pieces) == 1:
        return nullcontext()
    return executors.processes(workers, pieces)


@contextmanager
def overwriting(path: Path | None) -> Iterator[None]:
    """Say in a line on stderr, once a file is written, that there was one before."""
    there = path is not None and path.exists()
    yield
    if there:
        complain(f"{path} was there before: it is overwritten")


def form_of(out: Path, option: str, forms: Collection[str]) -> str:
    """Return the format that the end of a name tells; refuse a name that tells none of some."""
    form = out.suffix.removeprefix(".").lower()
    if form not in forms:
        known = ", ".join(f".{each}" for each in forms)
        raise click.UsageError(f"{option} {out}: the end of the name tells what it is: {known}")
    return form


def encoded(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines as a file has them."""
    return (f"{line}\n".encode() for line in lines)


def write_files(files: Mapping[Path, Iterable[bytes]]) -> None:
    """Write files and print their names; an error while writing leaves all of them as before."""
    from crisps24.output.atomic_files import remove_left, replacing

    remove_left(files)
    with ExitStack() as stack:
        for out, pieces in files.items():
            stack.enter_context(overwriting(out))
            stack.enter_context(replacing(out)).writelines(pieces)
    for out in files:
        click.echo(shown(str(out)))


@contextmanager
def progress_bar(
    what: str, total: int, *, shown: bool = True
) -> Iterator[Callable[[int], object] | None]:
    """Give a function to be told of progress, with a bar on stderr if that is a terminal."""
    if not (shown and sys.stderr.isatty()):
        yield None
        return
    # The position, the time, the brackets and the spaces between; the bar takes what is left.
    beside = 2 * len(str(total)) + len("/  [] 00:00:00  ") + _SHORTEST_BAR
    room = shutil.get_terminal_size().columns - beside
    what = what if len(what) <= room else f"{what[: max(0, room - 1)]}…"
    bar: Any = click.progressbar(length=total, label=what, file=sys.stderr, show_pos=True, width=0)
    began, done_before = 0.0, 0

    def advance(done: int) -> None:
        nonlocal began, done_before
        bar.update(done)
        if not began:
            # What the first call tells may have been done by an earlier run: it has no rate.
            began, done_before = time.monotonic(), bar.pos
        elif (passed := time.monotonic() - began) > 1:
            rate = f"{what}, {(bar.pos - done_before) / passed:,.0f} a second"
            bar.label = rate if len(rate) <= room else what

    with bar:
        yield advance
