"""The commands judge and mark: answers in free text, from the call or a file."""

import io
import re
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.errors import CrispsError, RefusedError, parse_language
from crisps24.judging import records
from crisps24.judging.records import (
    ANSWER_COLUMNS,
    ANSWER_FIELDS,
    TEXT_FIELDS,
    Attempt,
    apply_record,
    parse_record,
)
from crisps24.messages.message import reason_row
from crisps24.output.encodings import decode_file
from crisps24.output.executors import MAX_WORKERS, workers_for
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game, Hand
from crisps24.rules.ids import format_id, is_id, parse_id

if TYPE_CHECKING:
    from crisps24.judging.judge import JudgingContext
    from crisps24.judging.records import ByteStream, RecordLine
    from crisps24.paper.sheets import Sheet

# Formats of marks on paper, the only ones that `_PAPER_OPTIONS` are for.
_PAPERS = ("pdf", "html")
MARK_FORMATS = (*_PAPERS, *TABLE_FORMATS)
_PAPER_OPTIONS = ("title", "paper", "language")
# Columns of a verdict.
_KEYS = ("verdict", "code", "score", "value", "formula", "reason")
_LINES_PER_TASK = 500
_TASKS_PER_PROCESS = 4
# Puzzles whose answers are cached.
_CACHED_PUZZLES = 10_000
# Options that judge and mark share.
_CARD = opt.puzzle('The numbers, such as "3 3 8 8", or the id of a puzzle.', str, metavar="NUMBERS")
_GAME = opt.game_options(opt.VALUE_RULES, default=FREE_GAME, offered=HAND_GAMES)
_WORKERS = opt.limit(f"Processes to use, at most {MAX_WORKERS} [default: 1].", opt.WORKER_COUNT)


@opt.command(opt.requires("workers", "source", "{} share the lines of a file: add --file"))
def judge(
    texts: Sequence[str] = opt.argument("TEXT..."),
    card: str | None = _CARD,
    target: Exact | None = opt.TARGET,
    source: "ByteStream | None" = opt.input(
        "Judge the answers in FILE: JSON lines, or csv; - is standard input.", opt.SOURCE, "--file"
    ),
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
    puzzle; and with `completion`, `response` or `text` (the first counts). Or FILE is a
    table whose first line names the columns: name,hand,target,answer. A table of a class has a
    column name and a column per puzzle, headed by its id. Fields such as "operators": "+-" or
    "zero": false change rules of the game. Other fields are copied to the output
    (csv and tsv: those of the first line). A summary follows: the number of answers with each
    verdict, and of each name.
    """
    default = _default_attempt(card, target, game)
    if bool(texts) is (source is not None):
        raise click.UsageError('give TEXT, such as "8 / (3 - 8 / 3)", or --file, not both')
    lines: Iterable[RecordLine] = ((0, {"text": text}) for text in texts)
    if source is not None:
        lines = records.read_records(source, ANSWER_COLUMNS, waiting=sys.stdout.flush)
    else:
        with opt.usage_errors():
            _context_of(default)
    report = _Report(form, source is not None)
    with _open_rows(lines, Task(default, language), workers) as rows:
        report.print_rows(rows)
    report.end()


@opt.command()
def mark(
    source: "ByteStream" = opt.argument("FILE", type=opt.SOURCE),
    out: Path = opt.output(
        f"Write the marks: {screen.suffixes(MARK_FORMATS)}.", opt.FILE, required=True
    ),
    card: str | None = _CARD,
    target: Exact | None = opt.TARGET,
    encoding: str | None = opt.input(
        "Encoding of FILE, such as gbk [default: UTF-8, or Windows-1252 if it is not].",
        opt.ENCODING,
        metavar="NAME",
    ),
    form: str = opt.FORMAT,
    title: str = opt.paper("Title above the marks.", str, default=""),
    paper: str = opt.paper("a4 or letter.", str, default="a4"),
    language: str = opt.LANGUAGE,
    game: Game = _GAME,
    workers: int | None = _WORKERS,
) -> None:
    """Mark the answers of a class.

    The marks have names down and puzzles across, then the key and the mistakes.
    FILE is a table with a column name and a column per puzzle, headed by its id, such as crisps24
    sheet --class writes. Exit status: 0 if all answers are right, 1 if not, 2 if a line of FILE is
    not readable.

    Examples:
      crisps24 mark class.csv --out marks.pdf
      crisps24 mark class.csv --out marks.html --title "Class 5b" --language nl
      crisps24 mark class.csv --out marks.csv

    FILE can have any of the forms that crisps24 judge --file reads; --card and --target are for
    lines without numbers or a target. The summary on screen is that of crisps24 judge.
    """
    default = _default_attempt(card, target, game)
    sheet = _make_marks_sheet(out, title, paper, language)
    lines = records.read_records(_read_class_file(source, encoding), ANSWER_COLUMNS)
    report = _Report(form, of_lines=True)
    with _open_rows(lines, Task(default, language, named=True), workers) as rows:
        _write_marks(report.readable(rows), out, sheet)
    report.end()


def _read_class_file(source: "ByteStream", encoding: str | None) -> "ByteStream":
    r"""Return the file of a class in UTF-8 with \n; report on stderr if it was Windows-1252."""
    data = b"".join(iter(lambda: source.read1(1 << 20), b""))
    decoded = decode_file(data, encoding, of_class=True)
    if encoding is None and decoded.encoding == "windows-1252":
        screen.print_to_stderr(
            "warning: the file is not UTF-8: read as Windows-1252 (--encoding: another)"
        )
    return io.BytesIO(re.sub("\r\n?", "\n", decoded.text).encode())


def _default_attempt(card: str | None, target: Exact | None, game: Game) -> Attempt:
    """Return the puzzle of the call, for answers without a puzzle of their own."""
    hand: Hand | None = None
    if card is not None and is_id(card):
        game, hand, target = opt.read_id(card, ("game", "target", *opt.VALUE_RULES))
    elif card is not None:
        hand = opt.read_card(card, game)
    return Attempt("", game.target if target is None else target, hand, game)


class Task(NamedTuple):
    """How to judge the lines of a file, and the contents of their rows."""

    default: Attempt
    """The puzzle of answers without a puzzle of their own."""
    language: str
    """The language of reasons."""
    named: bool = False
    """Whether a row also has the id of its `puzzle` and the `text` that was judged."""


@contextmanager
def _open_rows(
    lines: "Iterable[RecordLine]", task: Task, workers: int | None
) -> Iterator[Iterator[Row]]:
    """Give the rows of lines; worker processes judge them if the call sets --workers."""
    with screen.open_executor(workers, MAX_WORKERS, worth_it=False) as executor:
        waiting = _TASKS_PER_PROCESS * workers_for(workers)
        yield _judge_lines(iter(lines), task, executor, waiting)


def _judge_lines(
    lines: "Iterator[RecordLine]", task: Task, executor: Executor | None, max_waiting: int
) -> Iterator[Row]:
    """Yield the row of each line that is not blank, in order.

    An executor judges batches of lines, at most `max_waiting` at once.
    """
    if executor is None:
        yield from _judge_each(lines, task)
        return
    futures: deque[Future[list[Row]]] = deque()
    while batch := list(islice(lines, _LINES_PER_TASK)):
        futures.append(executor.submit(judge_batch, batch, task))
        if len(futures) == max_waiting:
            yield from futures.popleft().result()
    for task_result in futures:
        yield from task_result.result()


def judge_batch(lines: "Sequence[RecordLine]", task: Task) -> list[Row]:
    """Return the rows of lines, without blank lines. Worker processes call this."""
    return list(_judge_each(lines, task))


def _judge_each(lines: "Iterable[RecordLine]", task: Task) -> Iterator[Row]:
    """Yield the row of each line that is not blank."""
    from crisps24.judging.judge import judge_text

    for number, line in lines:
        record: Row | None = {}
        try:
            record = parse_record(line)
            if record is None:
                continue
            context = _context_of(apply_record(record, task.default, parse_id))
            answer = _answer_in(record, tabled=isinstance(line, dict))
            judgement = judge_text(answer, context)
        except CrispsError as error:
            record = record or {}
            row = dict.fromkeys(_KEYS) | {"verdict": "unreadable"}
            row |= reason_row(error.message, parse_language(task.language))
        else:
            row = judgement.row(task.language)
            if task.named:
                puzzle = format_id(context.game, context.hand, context.target)
                row |= {"puzzle": puzzle, "text": judgement.answer or answer}
        # A field of the line must not replace a column of the same name.
        fields = {
            name: value for name, value in records.to_json_value(record).items() if name not in row
        }
        yield fields | ({"line": number} if number else {}) | row


def _answer_in(record: Row, *, tabled: bool) -> object:
    """Return the answer of a record, None if all its fields for answers are None.

    Refuse a record without such a field. In JSON, the field `answer` is the key of the puzzle.
    """
    names = [name for name in (ANSWER_COLUMNS if tabled else ANSWER_FIELDS) if name in record]
    if not names:
        key = '; "answer" is the key of a puzzle' if "answer" in record else ""
        raise RefusedError(f"missing answer (expected {', '.join(TEXT_FIELDS)}){key}")
    return next((record[name] for name in names if record[name] is not None), None)


def _context_of(attempt: Attempt) -> "JudgingContext":
    """Return the context of judging answers to a puzzle; refuse one without card or target."""
    from crisps24.judging.judge import JudgingContext

    card, target, game = attempt.card, attempt.target, attempt.game
    if card is None or target is None:
        raise RefusedError(
            "missing hand: add --card, or a column hand or id"
            if card is None
            else "missing target: add --target, or a column target or id"
        )
    puzzle = card, target, game
    return JudgingContext(
        *puzzle, partial(_can_make, *puzzle), right_values=partial(_right_values, *puzzle)
    )


@lru_cache(_CACHED_PUZZLES)
def _right_values(card: Hand, target: Exact, game: Game) -> tuple[Exact, ...]:
    """Return the values that are right for a puzzle; cached, since many answers share a puzzle."""
    from crisps24.judging.judge import right_values
    from crisps24.rules.queries import HandQuery
    from crisps24.rules.work import QUICK_WORK

    return right_values(HandQuery(card, game, work=QUICK_WORK), target)


@lru_cache(_CACHED_PUZZLES)
def _can_make(card: Hand, target: Exact, game: Game) -> bool:
    """Return whether a hand can make a target; cached, since many answers share a puzzle."""
    from crisps24.judging.judge import can_make
    from crisps24.rules.queries import HandQuery
    from crisps24.rules.work import QUICK_WORK

    return can_make(HandQuery(card, game, work=QUICK_WORK), target)


class _Report:
    """The output of one call, and the counts for its summary and exit status."""

    def __init__(self, form: str, of_lines: bool) -> None:
        self.form = form
        self.of_lines = of_lines
        self.verdicts: Counter[str] = Counter()
        self.codes: Counter[tuple[str, str]] = Counter()
        self.names: dict[str, Counter[str]] = {}

    def print_rows(self, rows: Iterable[Row]) -> None:
        """Print and count rows, each as soon as it is judged."""
        rows = map(self._count_row, rows)
        keys: Sequence[str] = _KEYS
        form = TABLE_FORMATS.get(self.form)
        if form and (first := next(rows, None)) is not None:
            # The values of a reason are an object, which needs a nested format.
            keys = [key for key in first if form.nested or key != "values"]
            rows = chain([first], rows)
        if form and not form.nested:
            rows = ({key: row.get(key) for key in keys} for row in rows)

        def tabulated(block: list[Row]) -> tuple[list[Row], list[str]]:
            line_column = ["line"] if self.of_lines else []
            name_column = ["name"] if any("name" in row for row in block) else []
            columns = [*line_column, *name_column, "formula", "value", "verdict", "code", "reason"]
            return [{key: row.get(key) for key in columns} for row in block], columns

        screen.print_rows(rows, self.form, keys, tabulated)

    def readable(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Return the rows of readable lines; count all rows."""
        return (row for row in map(self._count_row, rows) if "puzzle" in row)

    def _count_row(self, row: Row) -> Row:
        """Count a row for the summary; report an unreadable line on stderr; return the row."""
        verdict = row["verdict"]
        self.verdicts[verdict] += 1
        if verdict == "unreadable":
            screen.print_to_stderr(f"crisps24: line {row['line']}: {row['reason']}")
        else:
            self.codes[verdict, row["code"]] += 1
        if isinstance(row.get("name"), str):
            self.names.setdefault(row["name"], Counter())[verdict] += 1
        return row

    def end(self) -> None:
        """Print the summary of a file, and end with the exit status."""
        if self.of_lines:
            self._summary()
        unread = self.verdicts["unreadable"] > 0
        screen.exit_with(self.verdicts.keys() <= {"right"}, unreadable=unread)

    def _summary(self) -> None:
        table: list[Row] = [
            {"verdict": verdict, "code": code, "answers": count}
            for (verdict, code), count in sorted(self.codes.items(), key=lambda item: -item[1])
        ]
        names: list[Row] = [
            {"name": name, "answers": counts.total(), "right": counts["right"]}
            for name, counts in self.names.items()
        ]
        to_stderr = self.form in TABLE_FORMATS
        for rows in filter(None, (table, names)):
            screen.echo(err=to_stderr)
            screen.show(rows, DEFAULT_FORMAT if to_stderr else self.form, to_stderr=to_stderr)


def _make_marks_sheet(out: Path, title: str, paper: str, language: str) -> "Sheet":
    """Return the layout of marks; refuse a layout or a file that cannot be written."""
    from crisps24.output.atomic_files import check_place
    from crisps24.paper.papers import check_sheet
    from crisps24.paper.sheets import Sheet

    form = _form_of(out)
    if form not in _PAPERS:
        opt.refuse_given(_PAPER_OPTIONS, f"{{}} is for paper: leave it out for a .{form}")
    with opt.usage_errors():
        sheet = Sheet(title=title, paper=paper, language=language)
        if form in _PAPERS:
            check_sheet(form, sheet, 1)
    check_place(out)
    return sheet


def _write_marks(rows: Iterable[Row], out: Path, sheet: "Sheet") -> None:
    from crisps24.paper.marks import collect_marks, marks_pages, marks_title
    from crisps24.paper.papers import SHEET_FORMATS, sheet_style

    form = _form_of(out)
    marks = collect_marks(rows, sheet_style(sheet) if form in _PAPERS else "", sheet.words)
    if form in _PAPERS:
        pages = marks_pages(marks, sheet)
        screen.write_files({out: SHEET_FORMATS[form].paint(pages, marks_title(sheet))})
    else:
        table = list(marks.rows())
        screen.write_files(
            {out: screen.encode_lines(screen.stream_lines(table, form, list(table[0])))}
        )


def _form_of(out: Path) -> str:
    return screen.format_from_suffix(out, "--out", MARK_FORMATS)
