"""Output of commands: rows, messages, files, exit status."""

import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.progress import clear_progress
from crisps24.messages.message import ENGLISH, Language
from crisps24.output import executors, tables
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.characters import escape_json, escape_unprintable

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Size of one table of formulas: rows, and characters in the column of formulas.
_MAX_TABLE_ROWS = 1_000
_MAX_TABLE_CHARACTERS = 2_000_000
# Key in `click.Context.meta`: whether the output starts with the names of its columns.
HEADER_KEY = "crisps24.headed"
# Key in `click.Context.meta`: the `Language` of --language.
LANGUAGE_KEY = "crisps24.spoken"


def current_language() -> Language:
    """Return the language of --language, or English."""
    context = click.get_current_context(silent=True)
    language: Language = context.meta.get(LANGUAGE_KEY, ENGLISH) if context else ENGLISH
    return language


def terminal_width() -> int | None:
    """Return the width of the terminal in columns, None if stdout is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(
    rows: Sequence[Row], form: str, keys: Sequence[str] = (), *, to_stderr: bool = False
) -> None:
    """Print rows in a format, with control characters escaped.

    If `keys` are given, a table shows only these columns.
    """
    if form not in TABLE_FORMATS:
        rows = [{key: _cell(value) for key, value in row.items()} for row in rows]
    text = tables.render(rows, form, keys, terminal_width(), _is_headed())
    echo(escape_output(text, form), err=to_stderr)


def stream_lines(
    rows: Iterable[Row], form: str, keys: Sequence[str], *, started: bool = False
) -> Iterator[str]:
    """Yield rows as printable lines, without line ends, of a format of `TABLE_FORMATS`.

    `started` leaves out the names of the columns, since other rows came before. Errors are those of
    `tables.stream`.
    """
    headed = _is_headed() and not started
    return (escape_output(line, form) for line in tables.stream(rows, keys, form, headed))


def print_rows(
    rows: Iterable[Row],
    form: str,
    keys: Sequence[str],
    tabulated: Callable[[list[Row]], tuple[list[Row], Sequence[str]]] | None = None,
    *,
    text: str = "",
) -> None:
    """Print rows as they come: as lines, or in tables of at most 1,000 rows.

    `tabulated` changes the rows and keys of a table. In the format `text`, a line is the value of
    the key `text`. Rows of a table need the key `formula`, which limits the size of the table.
    """
    if form == "text":
        print_lines(row[text] for row in rows)
    elif form in TABLE_FORMATS:
        print_lines(stream_lines(rows, form, keys))
    else:
        separator = ""
        for block in _table_blocks(rows):
            echo(separator, nl=False)
            rows_shown, keys_shown = (block, keys) if tabulated is None else tabulated(block)
            show(rows_shown, form, keys_shown)
            separator = "\n"


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, each as soon as it is known."""
    for line in lines:
        clear_progress()
        sys.stdout.write(f"{line}\n")


def print_summary(text: str, form: str) -> None:
    """Print a line after the rows: on stdout after a table, on stderr after other formats."""
    # Raises BrokenPipeError before the line if stdout is closed.
    sys.stdout.flush()
    echo(text, err=form != DEFAULT_FORMAT)


def _table_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Divide rows into lists that are small enough for one table each, and yield these lists.

    Each row needs the key `formula`, whose longest text sets the width of a table.
    """
    block: list[Row] = []
    widest = 0
    for row in rows:
        block.append(row)
        widest = max(widest, len(row["formula"] or ""))
        if len(block) == _MAX_TABLE_ROWS or len(block) * widest > _MAX_TABLE_CHARACTERS:
            yield block
            block, widest = [], 0
    if block:
        yield block


def _is_headed() -> bool:
    return bool(click.get_current_context().meta.get(HEADER_KEY, True))


def escape_output(text: str, form: str) -> str:
    """Return lines of a format with control characters escaped.

    Formats without nesting, such as csv, have no escapes: their lines change only on a terminal.
    """
    if form in TABLE_FORMATS and TABLE_FORMATS[form].nested:
        return escape_json(text)
    if form in TABLE_FORMATS and sys.stdout.isatty():
        return re.sub(r"[^\t\n]+", lambda match: escape_unprintable(match[0]), text)
    return text


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_cell(item) for item in value]
    return escape_unprintable(value) if isinstance(value, str) else value


def print_to_stderr(*lines: str) -> None:
    """Print lines on stderr, with the control characters in them escaped."""
    echo("\n".join(map(escape_unprintable, lines)), err=True)


def exit_with(all_right: bool, *, unreadable: bool = False) -> None:
    """End with status 2 for unreadable input, or with 1 if an answer is not right; else return."""
    if unreadable or not all_right:
        sys.stdout.flush()
        click.get_current_context().exit(2 if unreadable else 1)


def open_executor(
    workers: int | None, tasks: int, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Return a context that gives an executor with processes, or None to work in this process.

    The number of processes is `workers`, or all cores for None, but at most 8 and at most one per
    task. The context gives None if that number is 1, and if `workers` is None and not `worth_it`.
    """
    if (workers is None and not worth_it) or executors.workers_for(workers, tasks) == 1:
        return nullcontext()
    return executors.processes(workers, tasks)


@contextmanager
def warn_if_overwritten(path: Path | None) -> Iterator[None]:
    """Warn on stderr, after the block has written a file, if it replaced an older file."""
    existed = path is not None and path.exists()
    yield
    if existed:
        print_to_stderr(f"warning: {path} existed and is overwritten")


def format_from_suffix(out: Path, option: str, forms: Collection[str]) -> str:
    """Return the format that the suffix of a file name sets; refuse other suffixes."""
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


def encode_lines(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield each line and its line end as UTF-8."""
    return (f"{line}\n".encode() for line in lines)


def write_files(files: Mapping[Path, Iterable[bytes]]) -> None:
    """Write files and print their names; after an error, no file has changed."""
    from crisps24.output.atomic_files import remove_abandoned, replace_file

    remove_abandoned(files)
    with ExitStack() as stack:
        for out, pieces in files.items():
            stack.enter_context(warn_if_overwritten(out))
            stack.enter_context(replace_file(out)).writelines(_warn_about_fonts(out, pieces))
    for out in files:
        echo(escape_unprintable(str(out)))


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text on stdout or stderr."""
    clear_progress()
    click.echo(text, nl=nl, err=err)


def _warn_about_fonts(out: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a file; report on stderr if readers of a PDF need their own font."""
    for piece in pieces:
        yield piece
        if piece.startswith(b"%PDF"):
            from crisps24.drawing.pdfs import needs_reader_font

            if needs_reader_font(piece):
                print_to_stderr(
                    f"warning: {out} has no font for Chinese (none found): readers use their own"
                )
