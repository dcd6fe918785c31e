"""The command audit: the defects and the difficulty of files of puzzles."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, TypeAlias

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.progress import progress_bar, report_each
from crisps24.errors import CrispsError, RefusedError
from crisps24.output.tables import TABLE_FORMATS, Row
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game

with opt.lazy_imports(globals()):
    from crisps24.judging import columns as answer_columns
    from crisps24.judging import forms
    from crisps24.output import atomic_files, plots
    from crisps24.training import audits, corrections, data_files, overlaps, row_checks, row_claims

_File: TypeAlias = "data_files.DataFile"
_Reader: TypeAlias = "row_claims.ClaimReader"
_MIN_ROWS_FOR_ALL_CORES = 4_999
# Findings in a table; csv, tsv, json and jsonl list all.
_MAX_LISTED_FINDINGS = 20

_DATA_ONLY = ("code", "right")
_BITS_LEGEND = "bits: one more is a puzzle that half as many tries solve"
_AGAINST_TEXT = "Only report puzzles that are also in FILE."
_WORKERS_TEXT = "Processes to use [default: all cores for long files]."
_AGAINST_ONLY = "--against compares files"
_COLUMNS = {
    "hand": "Column with the numbers.",
    "target": "Column with the target.",
    "key": "Column with the answer key.",
    "closest": "Column with the closest value.",
    "distance": "Column with its distance to the target.",
}
_COLUMN_OPTIONS: Any = opt.OptionGroup(
    {f"{kind}_column": opt.reading(text, str, metavar="NAME") for kind, text in _COLUMNS.items()},
    lambda **names: {kind: name for kind in _COLUMNS if (name := names[f"{kind}_column"])},
)


@opt.command(
    opt.excludes("against", "fix solutions plot workers key_column", _AGAINST_ONLY),
    opt.excludes("fail_on", "against fix", "{} has its own exit status: leave out --fail-on"),
    opt.excludes("against", "closest_column distance_column", _AGAINST_ONLY),
)
def audit(
    sources: Sequence[IO[bytes]] = opt.argument("FILE...", type=opt.SOURCE, required=True),
    against: IO[bytes] | None = opt.reading(_AGAINST_TEXT, opt.SOURCE),
    target: Exact | None = opt.reading("Target of rows without one.", opt.VALUE),
    columns: dict[str, str] = _COLUMN_OPTIONS,
    sheet_name: str | None = opt.SHEET_NAME,
    solutions: bool = opt.display("Count the solutions of each puzzle, which takes longer."),
    fail_on: tuple[str, ...] = opt.reading(
        "Kinds of findings that also set the exit status, such as duplicate,sums.",
        opt.ParsedType("names", lambda text: row_checks.parse_kinds(text)),
        default="",
        word="more",
    ),
    form: str = opt.FORMAT,
    plot: Path | None = opt.PLOT,
    fix: Path | None = opt.output("Write the corrected file.", opt.FILE),
    game: Game = opt.game_options(opt.HAND_RULES, default=FREE_GAME, offered=HAND_GAMES),
    workers: int | None = opt.limit(_WORKERS_TEXT, opt.WORKER_COUNT),
) -> None:
    """Audit files of puzzles: unsolvable, duplicates, wrong keys.

    It also reports wrong closest values, distances and levels, and puzzles that are too simple: +
    and - are enough, or the target is one of the numbers (reported only in games that allow unused
    numbers). The default game is free: any whole numbers, each used once, with fractions and
    negative numbers as intermediate results; its closest values are not checked. Exit status: 1 if
    a puzzle has no solution or a row is wrong, 2 if a row is not readable; --fail-on adds kinds.

    Examples:
      crisps24 audit puzzles.jsonl
      crisps24 audit puzzles.csv --solutions --format jsonl
      crisps24 audit puzzles.jsonl --plot difficulty.png
      crisps24 audit train.jsonl --fix corrected.jsonl
      crisps24 audit train.jsonl --against test.jsonl

    A FILE is .jsonl, .json (a list, or an object with results), .csv, .tsv, .parquet (with the
    extra data) or .xlsx (extra excel; --fix writes .csv), also as .gz. Its prompts are compared
    with its puzzles, or have the puzzles. Its columns are the id of a puzzle, or: hand (card, hand,
    numbers, nums, starting, cards, digits), target (target, goal), key (answer, solution,
    expression, gold, ground_truth), closest (closest, best), distance (delta, distance), solvable;
    in upper or lower case; also in an object metadata, ground_truth or reward_model.ground_truth.
    The first line of the report names the columns that are read. A table shows 20 findings, jsonl
    all. In .json and .parquet, line is the row.

    --fix replaces wrong values and leaves out rows that are repeated, not readable, or without a
    solution and a closest value. Then the exit status is 1 only if a wrong value is left.
    """
    is_game_named = any(map(opt.was_given, ("game", *opt.HAND_RULES)))
    reader = row_claims.ClaimReader(game if is_game_named else None, columns, target)
    if plot is not None:
        plots.check_plot(plot)
    if fix is not None and len(sources) > 1:
        raise click.UsageError(f"--fix corrects one FILE, and the call names {len(sources)}")
    files = [_open(source, reader, sheet_name) for source in sources]
    if fix is not None:
        _check_fix(files[0], fix)
    other = None if against is None else _open(against, reader, sheet_name)
    all_files = files if other is None else [*files, other]
    for file in all_files:
        _report_columns(file, reader, form, is_named=len(all_files) > 1)
    if other is not None:
        _compare(files, other, reader, form)
    else:
        _audit(
            files,
            reader,
            form,
            solutions=solutions,
            plot=plot,
            fix=fix,
            fail_on=fail_on,
            workers=workers,
        )


def _open(source: Any, reader: _Reader, sheet_name: str | None) -> _File:
    name = str(getattr(source, "name", opt.STANDARD))
    with _named_errors(name):
        columns = (*answer_columns.PUZZLE_COLUMNS, *reader.given_columns.values())
        file = data_files.DataFile(source, name, columns, sheet_name)
        fields = [row_claims.fields_of_row(record) for record in file.first_records]
        if fields:
            reader.check_given_columns(dict.fromkeys(chain.from_iterable(fields)))
    return file


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    try:
        yield
    except RefusedError as error:
        raise RefusedError(f"{name}: {error}") from None


def _report_columns(file: _File, reader: _Reader, form: str, *, is_named: bool) -> None:
    """Print which columns of a file are read as what; on stderr for the formats for data."""
    records = file.first_records
    line = row_claims.describe_columns(reader, records)
    line = f"{file.name}: {line}" if is_named else line
    if form in TABLE_FORMATS:
        screen.print_to_stderr(line)
    else:
        # Without a terminal, it stays one line.
        width = screen.terminal_width() or len(line)
        screen.echo(textwrap.fill(escape_unprintable(line), max(width, 1), subsequent_indent="  "))
    with suppress(CrispsError, IndexError):
        claims = reader.read(1, records[0])
        if claims.puzzle.game is reader.game and (
            note := forms.describe_rules(claims.hand, reader.game)
        ):
            screen.print_to_stderr(note)
    names = set(chain.from_iterable(map(row_claims.fields_of_row, records)))
    columns = reader.columns_of(sorted(names))
    has_game = reader.names_game or not names.isdisjoint(("id", "game"))
    if not has_game and not {"closest", "distance"}.isdisjoint(columns):
        screen.print_to_stderr("closest values are not checked without --game NAME")


def _check_fix(file: _File, out: Path) -> None:
    suffix = ".csv" if file.is_workbook else Path(file.name).suffix
    expected = (suffix,) if suffix else ("", *file.form.suffixes)
    if out.suffix.lower() not in map(str.lower, expected):
        names = " or ".join(filter(None, expected))
        raise click.UsageError(f"--fix {out}: the format stays the same (expected {names})")
    with _named_errors(file.name):
        file.check_copy()
    atomic_files.check_place(out)


def _audit(
    files: Sequence[_File],
    reader: _Reader,
    form: str,
    *,
    solutions: bool,
    plot: Path | None,
    fix: Path | None,
    fail_on: Sequence[str],
    workers: int | None,
) -> None:
    row_count = _estimate_rows(files)
    is_long = row_count is None or row_count > _MIN_ROWS_FOR_ALL_CORES
    chunk_size = audits.PUZZLES_PER_CHUNK
    chunk_count = opt.MAX_TARGETS if row_count is None else -(-row_count // chunk_size)
    keys = [*(["file"] if len(files) > 1 else []), "line", "kind", "told", "code", "right"]
    with (
        screen.open_executor(workers, chunk_count, worth_it=is_long) as executor,
        _progress_of(row_count) as progress,
        ExitStack() as stack,
    ):
        tools: dict[str, Any] = {"executor": executor, "progress": progress}
        auditor = audits.Auditor(reader, solutions=solutions, correct=fix is not None, **tools)
        if fix is None:
            _print_findings(map(_flaw_row, _check(files, auditor)), form, keys)
            report = auditor.report
            is_right = not (report.has_errors or any(report.kinds[kind] for kind in fail_on))
        else:
            found = corrections.corrections(_check(files, auditor))
            corrected = stack.enter_context(corrections.StoredCorrections(found))
            is_right = not corrected.leaves_error
            # A reader of the findings can stop before the end.
            counts = _write_corrected(files[0], auditor.report, corrected, fix)
            rows = (
                _flaw_row(flaw) | {"change": correction.describe(flaw)}
                for correction in corrected
                for flaw in correction.flaws
            )
            _print_findings(rows, form, [*keys, "change"])
    report = auditor.report
    if form not in TABLE_FORMATS:
        summary_rows = report.summary()
        screen.show(summary_rows, form)
        if any(row["what"] == "bits" for row in summary_rows):
            screen.echo(_BITS_LEGEND)
    if fix is not None:
        print_line = screen.print_to_stderr if form in TABLE_FORMATS else screen.echo
        print_line(escape_unprintable(f"{fix}: {counts}"))
    if plot is not None:
        _plot_difficulty(report, plot)
    screen.exit_with(is_right, unreadable=fix is None and bool(report.kinds["unreadable"]))


def _check(files: Iterable[_File], auditor: "audits.Auditor") -> Iterator["row_checks.Flaw"]:
    several = list(files)
    for file in several:
        with _named_errors(file.name):
            yield from auditor.check(file.rows(), file.name if len(several) > 1 else "")


def _flaw_row(flaw: "row_checks.Flaw") -> Row:
    return ({"file": flaw.file} if flaw.file else {}) | flaw.row()


def _estimate_rows(files: Iterable[_File]) -> int | None:
    counts = [file.estimate_rows() for file in files]
    return None if None in counts else sum(filter(None, counts))


@contextmanager
def _progress_of(row_count: int | None) -> Iterator[Callable[[int], object] | None]:
    """Show a progress bar for about as many rows during the block; it ends full."""
    done = 0
    with progress_bar("puzzles", row_count or 0, shown=row_count is not None) as progress:
        if progress is None or row_count is None:
            yield None
            return

        def advance(newly_done: int) -> None:
            nonlocal done
            newly_done = min(newly_done, row_count - done)
            done += newly_done
            progress(newly_done)

        yield advance
        advance(row_count)


def _print_findings(rows: Iterable[Row], form: str, keys: Sequence[str]) -> None:
    if form in TABLE_FORMATS:
        screen.print_lines(screen.stream_lines(rows, form, keys))
        return
    # They are no fault, and the summary counts them.
    findings = (row for row in rows if row["kind"] != "sums")
    listed = list(islice(findings, _MAX_LISTED_FINDINGS))
    unlisted_count = sum(1 for _ in findings)
    screen.echo()
    if listed:
        screen.show(listed, form, [key for key in keys if key not in _DATA_ONLY])
        if unlisted_count:
            screen.echo(f"and {unlisted_count:,} more: --format jsonl has all")
        screen.echo()


def _write_corrected(
    file: _File, report: "audits.Audit", corrected: "corrections.StoredCorrections", out: Path
) -> str:
    if report.kinds["unreadable"] == report.rows:
        reasons = (flaw.message for correction in corrected for flaw in correction.flaws)
        raise RefusedError(
            f"{file.name} has no readable row to keep: {next(reasons, 'it has no row')}"
        )
    atomic_files.remove_abandoned([out])
    replaced = atomic_files.replace_file(out)
    with screen.report_replaced(out), _named_errors(file.name), replaced as new_file:
        file.copy(new_file, corrected)
    return f"{corrected.changed_count:,} rows changed, {corrected.left_out_count:,} left out"


def _compare(files: Sequence[_File], other: _File, reader: _Reader, form: str) -> None:
    index = overlaps.PuzzleIndex(reader)
    unreadable = False
    with _progress_of(_estimate_rows([other, *files])) as progress:

        def rows() -> Iterator[Row]:
            nonlocal unreadable
            with _named_errors(other.name):
                for overlap in index.add(report_each(other.rows(), progress)):
                    unreadable = True
                    yield {"file": other.name} | overlap.row()
            for file in files:
                with _named_errors(file.name):
                    for overlap in index.find(file.rows(), progress):
                        yield {"file": file.name} | overlap.row()

        _print_findings(rows(), form, ["file", "line", "kind", "other", "told"])
    if form not in TABLE_FORMATS:
        screen.show(index.summary(), form)
        screen.echo(escape_unprintable(f"other: the first such line of {other.name}"))
    screen.exit_with(
        not index.has_overlaps, unreadable=unreadable or index.counts["unreadable"] > 0
    )


def _plot_difficulty(result: "audits.Audit", path: Path) -> None:
    sorted_levels = sorted(result.bits, key=lambda level: level or 0)
    bits_by_label = screen.level_labels({level: result.bits[level] for level in sorted_levels})
    if not bits_by_label:
        raise click.UsageError("--plot: no puzzle has a difficulty to draw")
    with screen.report_replaced(path):
        title = f"How hard {result.puzzles:,} puzzles are"
        plots.plot_levels(bits_by_label, path, title, "puzzles")
