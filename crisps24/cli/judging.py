"""The commands judge and mark: answers in free text, from the call or a file."""

import re
import shlex
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.errors import parse_language
from crisps24.judging.batches import batches, memory_of
from crisps24.judging.columns import ANSWER_COLUMNS
from crisps24.judging.records import Attempt
from crisps24.judging.rows import KEPT, ROW_KEYS, Task, judge_batch, judge_lines, judging_context
from crisps24.judging.table_rows import ByteStream, RecordLine, read_records
from crisps24.messages.message import Language, Message, as_message
from crisps24.output.executors import MAX_WORKERS, workers_for
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game

with opt.lazy_imports(globals()):
    from crisps24.cli import choosing, puzzles
    from crisps24.judging import class_tables, forms, phone_lines
    from crisps24.output import atomic_files, workbooks
    from crisps24.paper import marks, papers, phone_marks, sheets
    from crisps24.puzzles import draws
    from crisps24.puzzles import files as own_files

_PAPERS = ("pdf", "html")
MARK_FORMATS = (*_PAPERS, "xlsx", *TABLE_FORMATS)
# The columns of a table for people; rows have only some of the first ones.
_SHOWN = ("line", "sample", "name", "formula", "value", "points", "verdict", "code", "reason")
_FOUND = ("give", "ask", "none")
_LINES_PER_TASK = 500
_TASKS_PER_PROCESS = 4
# Less than the limit of one row, whose objects can take thirty times as much.
_MAX_WAITING_BYTES = 6_000_000
# Names in the summary; the others are counted together.
_MAX_NAMES, _MAX_NAME_LENGTH = 10_000, 1_000
_OTHER_NAMES = "…"
_CARD = opt.puzzle('The numbers, such as "3 3 8 8", or the id of a puzzle.', str, metavar="NUMBERS")
_GAME = opt.game_options(opt.VALUE_RULES, default=FREE_GAME, offered=HAND_GAMES)
_STRICT = opt.reading("Refuse 8 - 4 = 4 x 3 = 12, where = means then.", None, "--strict-equals")
# What results of phones do not need: nothing is judged, and the page has the puzzles.
_NOT_FOR_PHONES = ("own", "sheet_line", "card", "target", "found", "strict_equals", "workers")
# As `sheet` prints it on the screen or below its puzzles, with the drawing in any language.
_SHEET_LINE = re.compile(
    r"(?:\D*(\d+)\s*[:：] ?)?crisps24 (?:sheet|deal)( .*?) ?(?:[(（]\D*(\d+)[,，] ?crisps24 \S*)?"
)
_SHEET_EXAMPLE = "crisps24 sheet cards --count 12 --seed 7"
_WORKERS = opt.limit(f"Processes to use, at most {MAX_WORKERS} [default: 1].", opt.WORKER_COUNT)


@opt.command(opt.requires("workers", "source", "{} share the lines of a file: add --file"))
def judge(
    texts: Sequence[str] = opt.argument("TEXT..."),
    card: str | None = _CARD,
    target: Exact | None = opt.TARGET,
    source: ByteStream | None = opt.text_file(
        opt.reading(
            "Judge the answers in FILE: JSON, csv, .xlsx or .parquet; - is standard input.",
            opt.SOURCE,
            "--file",
        ),
        rows=True,
    ),
    strict_equals: bool = _STRICT,
    language: str = opt.LANGUAGE_OF_REASONS,
    form: str = opt.FORMAT,
    game: Game = _GAME,
    workers: int | None = _WORKERS,
) -> None:
    r"""Judge answers in free text, as people and models write them.

    First the formula is found in TEXT, without regard to the puzzle; then it is checked against the
    puzzle. "There is no solution" is an answer too. Unless --game says otherwise, every number must
    be used once, and intermediate results can be fractions or negative. Exit status: 0 if all
    answers are right, 1 if not, 2 if a line of --file is not readable.

    Examples:
      crisps24 judge "So \boxed{8 / (3 - 8 / 3)}." --card "3 3 8 8" --target 24
      crisps24 judge "<answer>3 x 8</answer>" --card cards:3.8=24
      crisps24 judge --file answers.jsonl --format jsonl --workers 4
      crisps24 judge --file class.csv

    A line of --file is JSON with `nums`, `numbers` or `hand`, and a `target`, or with the `id` of a
    puzzle; and with `completion`, `response`, `generation` or `text` (the first counts). Files of
    lm-evaluation-harness, vLLM, verl, TRL, reasoning-gym, wandb and OpenAI, chats, arrays of JSON
    and .gz are read too. Without its numbers, a row has the puzzle in its prompt; a list of answers
    gives a row for each. Or FILE is a
    table whose first line names the columns: name,hand,target,answer. A table of a class has a
    column name and a column per puzzle, headed by its id. Fields such as "operators": "+-" or
    "zero": false change rules of the game. Other fields are copied to the output
    (csv and tsv: those of the first line). A summary follows: the number of answers with each
    verdict, and of each name.
    """
    default_puzzle = _default_puzzle(card, target, game)
    opt.refuse_file(texts)
    if bool(texts) is (source is not None):
        raise click.UsageError('give TEXT, such as "8 / (3 - 8 / 3)", or --file, not both')
    lines: Iterable[RecordLine] = ((0, {"text": text}) for text in texts)
    if source is not None:
        lines = _with_form(
            read_records(source, ANSWER_COLUMNS, waiting=sys.stdout.flush), default_puzzle
        )
    else:
        # Refuse a call without numbers or a target before the first text is judged.
        with opt.usage_errors():
            judging_context(default_puzzle, strict_equals)
    report = _Report(form, source is not None, parse_language(language))
    with _open_rows(lines, Task(default_puzzle, language, strict_equals), workers) as rows:
        report.print_rows(rows)
    report.end()


@opt.command(opt.excludes("sheet_line", "own", "--sheet has the puzzles: leave out {}"))
def mark(
    source: ByteStream = opt.text_file(opt.argument("FILE", type=opt.SOURCE), all_sheets=True),
    own: ByteStream | None = opt.puzzle(
        "Puzzles of columns headed 1, 2, 3, one per line.", opt.SOURCE, "--file", metavar="PUZZLES"
    ),
    sheet_line: str | None = opt.puzzle(
        "Or the line that crisps24 sheet printed, in quotes.", str, "--sheet", metavar="LINE"
    ),
    page: ByteStream | None = opt.puzzle(
        "Or the file of crisps24 page, for results from phones.",
        opt.SOURCE,
        "--page",
        metavar="PAGE",
    ),
    out: Path = opt.output(
        f"Write the marks: {screen.suffixes(MARK_FORMATS)}.", opt.FILE, required=True
    ),
    card: str | None = _CARD,
    target: Exact | None = opt.TARGET,
    found: str = opt.reading(
        "Points for what is right by itself in an answer that is unread: give, ask or none "
        "[default: ask].",
        click.Choice(_FOUND),
        "--found",
        default="ask",
    ),
    strict_equals: bool = _STRICT,
    form: str = opt.FORMAT,
    title: str = opt.paper("Title above the marks.", str, default=""),
    paper: str = opt.paper("a4 or letter.", str, default="a4"),
    language: str = opt.LANGUAGE,
    game: Game = _GAME,
    workers: int | None = _WORKERS,
) -> None:
    """Mark the answers of a class.

    The marks have names down and puzzles across, then the key and the mistakes. FILE is a table,
    csv or an Excel workbook, with names and a column per puzzle, headed by its id, as crisps24
    sheet --class writes, or by its numbers in any words. Exit status: 0 if all answers are right,
    1 if not, 2 if a line of FILE is not readable.

    Examples:
      crisps24 mark class.csv --out marks.pdf
      crisps24 mark class.csv --out marks.html --title "Class 5b" --language nl
      crisps24 mark class.csv --out marks.csv
      crisps24 mark chat.txt --page puzzles.html --out marks.html

    FILE can have any of the forms that crisps24 judge --file reads; --card and --target are for
    lines without numbers or a target. An empty cell and ? are no answer. Pupils with the same name
    stay two.

    FILE can also be a chat or mails with lines that pupils send from a file of crisps24 page:
    crisps24 Class 5b · Emil · 7 of 10 solved · 3K7… Then the best attempts of a name count, and the
    key starts with what was hardest for the class. --page says which puzzles they are.
    """
    default_puzzle = _default_puzzle(card, target, game)
    file_form = screen.format_from_suffix(out, "--out", MARK_FORMATS)
    sheet = _make_marks_sheet(out, file_form, title=title, paper=paper, language=language)
    data = class_tables.read_all(source)
    text = class_tables.decode_all(data)
    if page or phone_lines.has_phone_results(text):
        _mark_phones(text, page, out, file_form, sheet, form)
        return
    listed = _listed_puzzles(own, game, target) if sheet_line is None else _dealt_ids(sheet_line)
    known = class_tables.ClassPuzzles(game, default_puzzle.target, listed)
    words = parse_language(language)

    def tell(said: Message | str) -> None:
        screen.print_to_stderr(as_message(said).text(words))

    lines = class_tables.read_class(data, known, tell)
    report = _Report(form, True, words)
    task = Task(default_puzzle, language, strict_equals, found)
    # The error of a call can name the game that hands as headers need.
    no_puzzles = opt.usage_errors(kind=class_tables.HeaderError)
    with _open_rows(lines, task, workers) as rows, no_puzzles:
        style = papers.sheet_style(sheet) if file_form in _PAPERS else ""
        collected = marks.collect_marks(report.readable(rows), style, sheet.words)
        _write_marks(collected, out, file_form, sheet)
        # The last row has the likeliest answers.
        *people, _ = collected.rows()
        shown = ("name", "answers", "right", "unread", "points", "most")
        report.people = [{key: row[key] for key in shown if key in row} for row in people]
    report.end()


def _mark_phones(
    text: str, page: ByteStream | None, out: Path, file_form: str, sheet: "sheets.Sheet", form: str
) -> None:
    opt.refuse_given(_NOT_FOR_PHONES, "results from phones need only --page: leave out {}")
    with opt.usage_errors("--page"):
        known = phone_lines.read_phone_page(class_tables.read_all(page)) if page else None
    results = phone_lines.read_phone_results(text, known)
    for each in results.damaged:
        screen.complain(each)
    if results.notes:
        screen.print_to_stderr(*results.notes)
    if known and file_form in _PAPERS:
        sheet = replace(sheet, title=sheet.title or known.title)
    style, has_key = papers.sheet_style(sheet), file_form in (*_PAPERS, "xlsx")
    collected = phone_marks.phone_marks(results, style, sheet.words, solutions=has_key)
    _write_marks(collected, out, file_form, sheet)
    _show_below([collected.pupil_rows(), collected.puzzle_rows()], form, sheet.words)
    all_right = all(pupil.solved == len(results.puzzles) for pupil in results.pupils)
    screen.exit_with(all_right, unreadable=bool(results.damaged))


def _listed_puzzles(own: ByteStream | None, game: Game, target: Exact | None) -> Sequence[str]:
    if own is None:
        return ()
    parser = own_files.LineParser(game, target)
    with opt.usage_errors("--file"):
        read = own_files.read_own(own, parser, marks.MAX_MARKED_PUZZLES, screen.complain)
    if not read:
        screen.exit_with(False, unreadable=True)
    return [puzzle.id for puzzle, _ in read]


def _dealt_ids(sheet_line: str) -> Sequence[str]:
    """Return the ids of the puzzles of a sheet, from the line that `sheet` printed."""
    match = _SHEET_LINE.fullmatch(" ".join(sheet_line.split()))
    if not match:
        note = "for a sheet of a workbook: --sheet-name"
        raise click.UsageError(f"--sheet: expected a line such as {_SHEET_EXAMPLE} ({note})")
    drawing = match[1] or match[3] or draws.VERSION
    if int(drawing) != draws.VERSION:
        problem = f"drawing {drawing} dealt other puzzles than drawing {draws.VERSION}"
        raise click.UsageError(f"--sheet: {problem}: give them with --file PUZZLES")
    try:
        # The line below the puzzles has no --out.
        arguments = puzzles.sheet.read_arguments(["--out", "sheet.html", *shlex.split(match[2])])
    except (click.UsageError, ValueError) as error:
        message = error.message if isinstance(error, click.UsageError) else error
        raise click.UsageError(f"--sheet: {message}") from None
    choice: choosing.Choice = arguments["choice"]
    if not choice.own and choice.arguments["seed"] is None:
        raise click.UsageError("--sheet: the line has no --seed: copy what crisps24 sheet printed")
    if arguments["version_count"] > 1:
        raise click.UsageError("--sheet: a test with versions is marked with its table of --class")
    if choice.count > marks.MAX_MARKED_PUZZLES:
        raise click.UsageError(f"--sheet: mark takes at most {marks.MAX_MARKED_PUZZLES} puzzles")
    with opt.usage_errors("--sheet"):
        return [puzzle.id for puzzle in choice.deal()]


def _with_form(lines: Iterable[RecordLine], default: Attempt) -> Iterator[RecordLine]:
    """Yield lines, after saying how the first one is read, if it is not a plain row."""
    is_said = False
    for line in lines:
        if not is_said and not (isinstance(line[1], str) and line[1].startswith("#")):
            is_said = True
            for said in forms.describe(line, default):
                screen.print_to_stderr(said)
        yield line


def _default_puzzle(card: str | None, target: Exact | None, game: Game) -> Attempt:
    game, hand, target = opt.read_card_or_id(card, target, game)
    return Attempt("", hand, game.target if target is None else target, game)


@contextmanager
def _open_rows(
    lines: Iterable[RecordLine], task: Task, workers: int | None
) -> Iterator[Iterator[Row]]:
    with screen.open_executor(workers, MAX_WORKERS, worth_it=False) as executor:
        most = _TASKS_PER_PROCESS * workers_for(workers)
        yield _judge_in(executor, lines, task, most) if executor else judge_lines(lines, task)


def _judge_in(
    executor: Executor, lines: Iterable[RecordLine], task: Task, max_waiting: int
) -> Iterator[Row]:
    """Judge the answers in the lines of a file; yield a row per line, in the order of the file."""
    # The batches that are being judged, each with its bytes.
    waiting: deque[tuple[Future[list[Row]], int]] = deque()
    for batch in batches(lines, _LINES_PER_TASK):
        waiting.append((executor.submit(judge_batch, batch, task), memory_of(batch)))
        while len(waiting) == max_waiting or sum(size for _, size in waiting) > _MAX_WAITING_BYTES:
            yield from waiting.popleft()[0].result()
    for judged, _ in waiting:
        yield from judged.result()


class _Report:
    """The output of one call, and the counts for its summary and exit status."""

    def __init__(self, form: str, of_lines: bool, language: Language) -> None:
        self.form, self.language = form, language
        # Whether the answers come from the lines of a file, and not from the words of the call.
        self.of_lines = of_lines
        self.codes: Counter[tuple[str, str | None]] = Counter()
        self.names: dict[str, Counter[str]] = {}
        # The counts of each person of a class, in which two people can have one name.
        self.people: list[Row] = []

    def print_rows(self, rows: Iterable[Row]) -> None:
        rows = map(self._count_row, rows)
        columns: Sequence[str] = ROW_KEYS
        if self.form not in TABLE_FORMATS:
            # A row can have other fields, of any length.
            rows = ({name: row[name] for name in _SHOWN if name in row} for row in rows)
        elif (first_row := next(rows, None)) is not None:
            # Later rows are not judged yet, so the first row sets the columns of csv and tsv, which
            # cannot have an object such as the values of a reason. In json each has its own.
            columns = [*first_row]
            rows = chain([first_row], rows)
            if not screen.is_nested(self.form):
                new = KEPT.keys() - {"line", *ROW_KEYS}
                columns = [name for name in columns if name not in new]
                rows = ({name: row.get(name) for name in columns} for row in rows)

        def table_of(rows: list[Row]) -> list[Row]:
            columns = [name for name in _SHOWN if any(name in row for row in rows)]
            rows = [{name: row.get(name) for name in columns} for row in rows]
            return screen.in_language(rows, columns, self.language)

        screen.print_rows(rows, self.form, columns, table_of)

    def readable(self, rows: Iterable[Row]) -> Iterator[Row]:
        return (row for row in map(self._count_row, rows) if "puzzle" in row)

    def _count_row(self, row: Row) -> Row:
        if not self.codes and (kept := [name for name, new in KEPT.items() if new in row]):
            screen.say_kept(kept)
        self.codes[row["verdict"], row["code"]] += 1
        if row["verdict"] == "unreadable":
            screen.print_line_error(row["line"], row["reason"])
        if isinstance(name := row.get("name"), str):
            is_full = len(self.names) >= _MAX_NAMES or len(name) > _MAX_NAME_LENGTH
            name = _OTHER_NAMES if is_full and name not in self.names else name
            self.names.setdefault(name, Counter())[row["verdict"]] += 1
        return row

    def end(self) -> None:
        if self.of_lines:
            self._print_summary()
        screen.exit_by(verdict for verdict, _ in self.codes)

    def _print_summary(self) -> None:
        rows_by_verdict: list[Row] = [
            {"verdict": verdict, "code": code, "answers": count}
            for (verdict, code), count in self.codes.most_common()
            if verdict != "unreadable" or len(self.codes) > 1
        ]
        rows_by_name: list[Row] = self.people or [
            {"name": name, "answers": counts.total(), "right": counts["right"]}
            for name, counts in self.names.items()
        ]
        tables = filter(None, (rows_by_verdict, rows_by_name))
        _show_below(tables, self.form, self.language)
        if count := sum(row["unread"] for row in self.people):
            to_stderr = self.form in TABLE_FORMATS
            screen.echo(err=to_stderr)
            screen.echo(self.language.text("marks.to_look", count=count), err=to_stderr)


def _show_below(tables: Iterable[list[Row]], form: str, language: Language) -> None:
    """Show tables below the rows of a call; on stderr if these are for programs."""
    to_stderr = form in TABLE_FORMATS
    for rows in tables:
        screen.echo(err=to_stderr)
        rows = screen.in_language(rows, rows[0] if rows else (), language)
        screen.show(rows, DEFAULT_FORMAT if to_stderr else form, to_stderr=to_stderr)


def _make_marks_sheet(out: Path, form: str, **settings: Any) -> "sheets.Sheet":
    if form not in _PAPERS:
        opt.refuse_given(
            {*settings} - {"language"}, f"{{}} is for paper: leave it out for a .{form}"
        )
    if form == "xlsx":
        workbooks.check_workbook()
    with opt.usage_errors():
        sheet = sheets.Sheet(**settings)
        if form in _PAPERS:
            papers.check_sheet(form, sheet, 1)
    atomic_files.check_place(out)
    return sheet


def _write_marks(marked: "marks.Marks", out: Path, form: str, sheet: "sheets.Sheet") -> None:
    if form in (*_PAPERS, "xlsx"):
        written = papers.marks_bytes(marked, form, sheet)
    else:
        rows = list(marked.rows())
        written = screen.spreadsheet(rows, form, list(rows[0]), sheet.words)
    screen.write_files({out: written})
