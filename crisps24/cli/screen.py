"""Output of commands: rows, messages, files, exit status."""

import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.progress import clear_progress, current_language
from crisps24.errors import MAX_COMPLAINTS
from crisps24.messages.message import ENGLISH, Language, Message, message
from crisps24.output import executors, tables
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.characters import escape_json, escape_unprintable
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Size of one table: rows, and characters.
MAX_TABLE_ROWS = 10_000
_MAX_TABLE_CHARACTERS = 2_000_000
# The formats that a single command writes.
WRITTEN_FORMATS = {
    "sheet": ("pdf", "svg", "png", "html"),
    "deal": tuple(TABLE_FORMATS),
    "quiz": ("gift", "txt", "zip", "csv", "xlsx"),
}
# Keys in `click.Context.meta`: whether names of columns come first, and the number of complaints.
HEADER_KEY, _COMPLAINTS_KEY = "crisps24.headed", "crisps24.complaints"
# Makes the rows of a table.
Tabulated = Callable[[list[Row]], list[Row]] | None


def terminal_width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    clear_progress()
    click.echo(text, nl=nl, err=err)


def show(
    rows: Sequence[Row], form: str, keys: Sequence[str] = (), *, to_stderr: bool = False
) -> None:
    echo(_text_of(rows, form, keys), err=to_stderr)


def _text_of(rows: Sequence[Row], form: str, keys: Sequence[str] = (), rule: str = "") -> str:
    if form not in TABLE_FORMATS:
        rows = [{key: _cell(value) for key, value in row.items()} for row in rows]
    text = tables.render(rows, form, keys, terminal_width(), _is_headed(), rule)
    return escape_output(text, form)


def stream_lines(
    rows: Iterable[Row], form: str, keys: Sequence[str], tabulated: Tabulated = None
) -> Iterator[str]:
    """Yield the lines of rows in a format while they are computed; a table comes in large parts.

    The parts have the widths of the first, if they fit together; else each is a table.
    """
    if form in TABLE_FORMATS:
        lines = tables.stream(rows, keys, form, _is_headed())
        yield from (escape_output(line, form) for line in lines)
        return
    rule, heads = "", list[str]()
    for part in _table_blocks(rows):
        shown_keys = keys if tabulated is None else ()
        shown_rows = part if tabulated is None else tabulated(part)
        if heads != list(shown_rows[0]):
            rule = ""
        # An empty line between two tables.
        separator = "\n" if heads and not rule else ""
        yield separator + (text := _text_of(shown_rows, form, shown_keys, rule))
        heads = list(shown_rows[0])
        is_whole = terminal_width() is None and _is_headed() and len(part) == MAX_TABLE_ROWS
        if form == DEFAULT_FORMAT and is_whole:
            rule = rule or text.split("\n", 2)[1]


def print_rows(
    rows: Iterable[Row], form: str, keys: Sequence[str], tabulated: Tabulated = None, text: str = ""
) -> None:
    """Print rows while they are computed: each as a line, or in tables of at most 10,000 rows."""
    if form == "text":
        print_lines(row[text] for row in rows)
    else:
        print_lines(stream_lines(rows, form, keys, tabulated))


def in_language(rows: Iterable[Row], keys: Collection[str], language: Language) -> list[Row]:
    """Return rows for people: the names of their columns, and the verdicts, in a language."""
    if language is ENGLISH:
        # Their keys and verdicts are English: do not load its texts at each start.
        return [{key: row[key] for key in keys if key in row} for row in rows]
    names = {key: language.text(f"column.{key}") for key in keys}
    return [
        {
            name: language.text(f"verdict.{row[key]}") if key == "verdict" else row[key]
            for key, name in names.items()
            if key in row
        }
        for row in rows
    ]


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        clear_progress()
        sys.stdout.write(f"{line}\n")


def points_column(game: Game) -> list[str]:
    return ["points"] if game.operator_points else []


def print_summary(text: str, form: str) -> None:
    """Print a line after the rows: on stdout after a table, on stderr after other formats."""
    # Raises BrokenPipeError before the line if stdout is closed.
    sys.stdout.flush()
    echo(text, err=form != DEFAULT_FORMAT)


def _table_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Divide rows into lists that are small enough for one table each, and yield these lists."""
    table_rows: list[Row] = []
    width = 0
    for row in rows:
        row_width = sum(len(cell) for cell in row.values() if isinstance(cell, str))
        width = max(width, row_width)
        is_large = len(table_rows) * width > _MAX_TABLE_CHARACTERS
        if len(table_rows) == MAX_TABLE_ROWS or is_large:
            yield table_rows
            table_rows, width = [], row_width
        table_rows.append(row)
    if table_rows:
        yield table_rows


def _is_headed() -> bool:
    return bool(click.get_current_context().meta.get(HEADER_KEY, True))


def escape_output(text: str, form: str) -> str:
    if is_nested(form):
        return escape_json(text)
    if form in TABLE_FORMATS and sys.stdout.isatty():
        return re.sub(r"[^\t\n]+", lambda match: escape_unprintable(match[0]), text)
    return text


def is_nested(form: str) -> bool:
    """Return whether rows in a format can have lists, objects and different keys."""
    return form in TABLE_FORMATS and TABLE_FORMATS[form].nested


def _cell(value: Any) -> Any:
    """Return a value of a table with control characters escaped, also in the items of a list."""
    if isinstance(value, list | tuple):
        return [_cell(item) for item in value]
    return escape_unprintable(value) if isinstance(value, str) else value


def print_to_stderr(*lines: Message | str) -> None:
    language = current_language()
    texts = (x if isinstance(x, str) else f"crisps24: {x.text(language)}" for x in lines)
    echo("\n".join(map(escape_unprintable, texts)), err=True)


def complain(*lines: Message | str) -> None:
    """Print on stderr what is wrong with a line of a file; the command ends with the rest."""
    context, key = click.get_current_context(), _COMPLAINTS_KEY
    meta = context.meta
    meta[key] = count = meta.get(key, 0) + 1
    if count <= MAX_COMPLAINTS:
        print_to_stderr(*lines)
    elif count == MAX_COMPLAINTS + 1:
        context.call_on_close(
            lambda: print_to_stderr(message("refused.more", count=meta[key] - MAX_COMPLAINTS))
        )


def print_line_error(number: int, sentence: str) -> None:
    complain(message("refused.line", number=number, reason=sentence))


def exit_with(all_right: bool, *, unreadable: bool = False) -> None:
    """End the program with status 2 for unreadable input, or 1 if not all is right; else return."""
    if unreadable or not all_right:
        sys.stdout.flush()
        click.get_current_context().exit(2 if unreadable else 1)


def exit_by(verdicts: Iterable[str]) -> None:
    """End the program with the status that the verdicts of rows set."""
    others = {*verdicts} - {"right", "legal", "solved"}
    exit_with(not others, unreadable="unreadable" in others)


def open_executor(
    workers: int | None, tasks: int, *, worth_it: bool
) -> AbstractContextManager["Executor | None"]:
    """Return a context that gives an executor with worker processes, or None without them."""
    is_default = workers is None
    process_count = executors.workers_for(workers, tasks)
    if (is_default and not worth_it) or process_count == 1:
        return nullcontext()
    return executors.processes(workers, tasks)


@contextmanager
def report_replaced(path: Path | None) -> Iterator[None]:
    """Say on stderr, after the block has written a file, if an older one had other contents."""
    old_digest = _digest(path)
    yield
    if old_digest and old_digest != _digest(path):
        print_to_stderr(f"replaced {path}")


def _digest(path: Path | None) -> str:
    """Return a text that tells the contents of files apart; "" without a file."""
    if path is None or not path.is_file():
        return ""
    import hashlib

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unknown"


def format_from_suffix(out: Path, option: str, forms: Collection[str]) -> str:
    """Return the format that the suffix of a file name sets, such as csv for `a.CSV`."""
    form = out.suffix.removeprefix(".").lower()
    if form not in forms:
        problem = f"{option} {out}: the suffix sets the format"
        other = next((name for name, others in WRITTEN_FORMATS.items() if form in others), "")
        advice = f"; crisps24 {other} writes .{form}" if other else ""
        if form in ("xlsx", "xls", "ods"):
            # The workbooks of a quiz are for other programs.
            advice = "; Excel opens .csv" if "csv" in forms else ""
        raise click.UsageError(f"{problem} (expected {suffixes(forms)}{advice})")
    return form


def suffixes(forms: Iterable[str]) -> str:
    return ", ".join(f".{name}" for name in forms)


def level_labels(bits_by_level: Mapping[int | None, Any]) -> dict[str, Any]:
    """Return the same values with labels of a chart; None stands for a game without levels."""
    return {f"level {level}" if level else "all": bits for level, bits in bits_by_level.items()}


def spreadsheet(
    rows: Iterable[Row], form: str, keys: Sequence[str], language: Language
) -> Iterator[bytes]:
    """Return the bytes of a file that spreadsheets in a language open; json is as always."""
    if is_nested(form):
        return encode_lines(map(escape_json, tables.stream(rows, keys, form)))
    from crisps24.output.workbooks import spreadsheet_file

    return spreadsheet_file(rows, form, keys, language.decimal)


def say_kept(names: Sequence[str]) -> None:
    """Say which fields of the input have other names, since results have theirs."""
    print_to_stderr(f"kept as input_{', input_'.join(names)}: {', '.join(names)}")


def encode_lines(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode() for line in lines)


def write_files(files: Mapping[Path, Iterable[bytes]]) -> None:
    from crisps24.output.atomic_files import remove_abandoned, replace_file

    # Remove the temporary files that a killed process has left next to these files.
    remove_abandoned(files)
    with ExitStack() as stack:
        for path, pieces in files.items():
            stack.enter_context(report_replaced(path))
            new_file = stack.enter_context(replace_file(path))
            new_file.writelines(_warn_about_fonts(path, pieces))
    for path in files:
        echo(escape_unprintable(str(path)))


def refuse_same_file(files: Iterable[tuple[str, Path]]) -> None:
    """Raise `click.UsageError` if the files of two options are the same."""
    from crisps24.output.atomic_files import same_place

    for (option, path), (other, other_path) in combinations(files, 2):
        if option != other and same_place(path, other_path):
            raise click.UsageError(f"{option} and {other} are the same file: give each its own")


def _warn_about_fonts(path: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a file unchanged; warn on stderr about a PDF without a Chinese font."""
    for piece in pieces:
        yield piece
        if piece.startswith(b"%PDF"):
            from crisps24.drawing.pdfs import needs_reader_font

            if needs_reader_font(piece):
                print_to_stderr(
                    f"warning: {path} has no font for Chinese (none found): readers use their own"
                )
