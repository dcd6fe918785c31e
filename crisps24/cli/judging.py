"""The command that judges answers as people and models write them: a few, or a file of them."""

import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisps24.cli.options import (
    OF_HANDS,
    SOURCE,
    VALUE,
    WORKERS,
    as_wrong_call,
    complain,
    encoded,
    executor_of,
    exit_with,
    form_of,
    format_option,
    game_options,
    language_option,
    read_card,
    read_id,
    refuse_given,
    show,
    show_in_blocks,
    streamed,
    write_file,
)
from crisps24.errors import RefusedError
from crisps24.notation.lines import (
    ANSWERS,
    SPOKEN,
    TABLED_ANSWERS,
    Attempt,
    asked_of,
    rows_of_file,
    told_in,
    written,
)
from crisps24.outside.executors import MOST_WORKERS, workers_for
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.deals import dealt
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE, PLAYED, Game, Hand
from crisps24.rules.ids import format_id, is_id, parse_id

if TYPE_CHECKING:
    from crisps24.notation.lines import ByteStream, Line
    from crisps24.puzzles.sheets import Sheet
    from crisps24.solving.judge import Posed

# Sheets of more than one page.
_PAPERS = ("pdf", "html")
# What a row has.
_KEYS = ("verdict", "code", "score", "value", "formula", "reason")
# Lines that are judged together, and how many such a process has at once.
_TOGETHER = 500
_WAITING = 4
_KEPT_PUZZLES = 10_000


@click.command()
@click.argument("texts", metavar="TEXT...", nargs=-1)
@click.option("--card", help='The numbers to use, such as "3 3 8 8", or the id of a puzzle.')
@click.option("--target", type=VALUE, help="What to make; the game's own where it has one.")
@click.option("--file", "source", type=SOURCE, help="JSON a line, or csv; - is stdin.")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help=WORKERS)
@click.option(
    "--sheet",
    type=click.Path(path_type=Path),
    help="The marks of a class, in a file: .pdf or .html; .csv, .tsv, .json or .jsonl.",
)
@click.option("--title", default="", help="What stands above the marks.")
@click.option("--paper", default="a4", help="That of the --sheet: a4 or letter.", show_default=True)
@language_option
@game_options(OF_HANDS, default=FREE, offered=PLAYED)
@format_option
def judge(
    texts: Sequence[str],
    card: str | None,
    target: Exact | None,
    source: "ByteStream | None",
    workers: int | None,
    sheet: Path | None,
    title: str,
    paper: str,
    language: str,
    game: Game,
    form: str,
) -> None:
    r"""Judge answers as people and models write them: tags, boxes, LaTeX, a sentence around.

    Which part of a text is the answer is decided without a look at the puzzle; that there is no
    solution is an answer too. Where nothing is said of the game any whole numbers are used, all of
    them and each once, with fractions and numbers below zero on the way.

    Example: crisps24 judge "So \boxed{8 / (3 - 8 / 3)}." --card "3 3 8 8" --target 24

    A line of the --file is JSON with `nums`, `numbers` or `hand`, and a `target`, or the `id` of a
    puzzle; and with `completion`, `response` or `text`, of which the first counts. Or the first
    line of the file names the columns of a table: name,hand,target,answer. All that came along is
    told again, in csv and tsv what came with the first line; and at the end how many there were of
    each verdict, and of each name.

    The columns of a class are names, and a puzzle each, by its id: `deal --blank` makes such a
    table. A --sheet has names down and puzzles across, a key, and what was wrong; then no rows are
    printed.

    The status is 0 where all are right, 1 where one is not, 2 where a line could not be read.
    """
    hand: Hand | None = None
    if card is not None and is_id(card):
        game, hand, target = read_id(card, ("game", "target", *OF_HANDS))
    elif card is not None:
        hand = read_card(card, game)
    asked = Attempt("", game.target if target is None else target, hand, game)
    if bool(texts) is (source is not None):
        raise click.UsageError('give TEXTs such as "8 / (3 - 8 / 3)", or a --file of them')
    lines: Iterable[Line] = ((0, {"text": text}) for text in texts)
    if source is not None:
        lines = rows_of_file(source, TABLED_ANSWERS, waiting=sys.stdout.flush)
    else:
        refuse_given(["workers"], "{} share the lines of a --file: give one")
        refuse_given(["sheet"], "{} is for the answers of a --file: give one")
        with as_wrong_call():
            _posed(asked)
    if sheet is None:
        refuse_given(["title", "paper", "language"], "{} is for a --sheet: say where to")
    layout = None if sheet is None else _sheet_of_marks(sheet, title, paper, language)
    with executor_of(workers, MOST_WORKERS, worth_it=False) as executor:
        told = _Told(form, source is not None)
        waiting = _WAITING * workers_for(workers)
        rows = _judged(iter(lines), asked, executor, waiting, named=sheet is not None)
        if sheet is None or layout is None:
            told.tell(rows)
        else:
            _write_marks(told.of_puzzles(rows), sheet, layout)
    told.end()


def _judged(
    lines: "Iterator[Line]",
    asked: Attempt,
    executor: Executor | None,
    waiting: int,
    *,
    named: bool,
) -> Iterator[Row]:
    """Yield the row of each line, in order: at once, or as the executor has some, of many."""
    if executor is None:
        yield from _rows_of(lines, asked, named)
        return
    waits: deque[Future[list[Row]]] = deque()
    while some := list(islice(lines, _TOGETHER)):
        waits.append(executor.submit(rows_of_lines, some, asked, named))
        if len(waits) == waiting:
            yield from waits.popleft().result()
    for each in waits:
        yield from each.result()


def rows_of_lines(lines: "Sequence[Line]", asked: Attempt, named: bool) -> list[Row]:
    """Return the rows of some lines, in another process perhaps; blank ones have none.

    Where puzzles are `named`, each has the id of its `puzzle`, and the `text` that was judged.
    """
    return list(_rows_of(lines, asked, named))


def _rows_of(lines: "Iterable[Line]", asked: Attempt, named: bool) -> Iterator[Row]:
    from crisps24.solving.judge import judgement_of

    for number, line in lines:
        told: Row | None = {}
        try:
            told = told_in(line)
            if told is None:
                continue
            posed = _posed(asked_of(told, asked, parse_id))
            said = _answer_in(told, tabled=isinstance(line, dict))
            found = judgement_of(said, posed)
        except ValueError as error:
            told = told or {}
            row = dict.fromkeys(_KEYS) | {"verdict": "unreadable", "reason": str(error)}
        else:
            row = {key: getattr(found, key) for key in _KEYS}
            if named:
                puzzle = format_id(posed.game, posed.hand, posed.target)
                row |= {"puzzle": puzzle, "text": found.answer or said}
        # What is ours comes before what is called the same.
        came_with = {name: value for name, value in written(told).items() if name not in row}
        yield came_with | ({"line": number} if number else {}) | row


def _answer_in(told: Row, *, tabled: bool) -> object:
    """Return what is to be judged of a line; in JSON an `answer` is the key of a puzzle."""
    there = [name for name in (TABLED_ANSWERS if tabled else ANSWERS) if name in told]
    if not there:
        known = ", ".join(SPOKEN)
        key = '; its "answer" is the key' if "answer" in told else ""
        raise RefusedError(f"it has none of {known}{key}")
    return next((told[name] for name in there if told[name] is not None), None)


def _posed(attempt: Attempt) -> "Posed":
    """Return what an answer is held to."""
    from crisps24.solving.judge import Posed

    card, target, game = attempt.card, attempt.target, attempt.game
    if card is None or target is None:
        missing = "are no numbers" if card is None else "is no target"
        raise RefusedError(f"there {missing} to hold the answer to")
    return Posed(dealt(card, game), target, game, partial(_is_made, card, target, game))


@lru_cache(_KEPT_PUZZLES)
def _is_made(card: Hand, target: Exact, game: Game) -> bool:
    """Return whether a target can be made: of many answers to a puzzle it is found once."""
    from crisps24.solving.judge import is_made

    return is_made(card, target, game)


class _Told:
    """What is told of the answers of one call, and what came of them."""

    def __init__(self, form: str, of_lines: bool) -> None:
        self.form = form
        self.of_lines = of_lines
        self.verdicts: Counter[str] = Counter()
        self.codes: Counter[tuple[str, str]] = Counter()
        self.names: dict[str, Counter[str]] = {}

    def tell(self, rows: Iterable[Row]) -> None:
        """Print rows as they come, or as tables of so many."""
        rows = map(self._counted, rows)
        if self.form in STREAMS:
            first = next(rows, {})
            keys = list(first or _KEYS)
            rows = chain([first] if first else [], rows)
            if not self.form.startswith("json"):
                rows = ({key: row.get(key) for key in keys} for row in rows)
            for line in streamed(rows, self.form, keys):
                sys.stdout.write(f"{line}\n")
            return

        def told(block: list[Row]) -> tuple[list[Row], list[str]]:
            named = ["name"] if any("name" in row for row in block) else []
            keys = ["line", *named, "formula", "value", "verdict", "code", "reason"]
            keys = keys if self.of_lines else keys[1:]
            return [{key: row.get(key) for key in keys} for row in block], keys

        show_in_blocks(rows, self.form, told)

    def of_puzzles(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows of lines that could be read."""
        return (row for row in map(self._counted, rows) if "puzzle" in row)

    def _counted(self, row: Row) -> Row:
        verdict = row["verdict"]
        self.verdicts[verdict] += 1
        if verdict == "unreadable":
            complain(f"crisps24: line {row['line']}: {row['reason']}")
        else:
            self.codes[verdict, row["code"]] += 1
        if isinstance(row.get("name"), str):
            self.names.setdefault(row["name"], Counter())[verdict] += 1
        return row

    def end(self) -> None:
        """Tell how many there were of each verdict and code, and by name, and end."""
        if self.of_lines:
            self._summary()
        if self.verdicts["unreadable"]:
            sys.stdout.flush()
            click.get_current_context().exit(2)
        exit_with(self.verdicts.keys() <= {"right"})

    def _summary(self) -> None:
        table: list[Row] = [
            {"verdict": verdict, "code": code, "answers": many}
            for (verdict, code), many in sorted(self.codes.items(), key=lambda each: -each[1])
        ]
        names: list[Row] = [
            {"name": name, "answers": found.total(), "right": found["right"]}
            for name, found in self.names.items()
        ]
        aside = self.form in STREAMS
        for rows in filter(None, (table, names)):
            click.echo(err=aside)
            show(rows, DEFAULT_FORMAT if aside else self.form, aside=aside)


def _sheet_of_marks(out: Path, title: str, paper: str, language: str) -> "Sheet":
    """Return the sheet that marks are laid out on, in the format of a name, or refuse it."""
    from crisps24.outside.whole_files import check_place
    from crisps24.puzzles.papers import check_sheet
    from crisps24.puzzles.sheets import Sheet

    form = _form_of(out)
    if form not in _PAPERS:
        refuse_given(["title", "paper", "language"], f"{{}} is for paper: no .{form} has it")
    with as_wrong_call():
        sheet = Sheet(title=title, paper=paper, language=language)
        if form in _PAPERS:
            check_sheet(form, sheet, 1)
    check_place(out)
    return sheet


def _write_marks(rows: Iterable[Row], out: Path, sheet: "Sheet") -> None:
    """Write the marks of answers that were judged; see `marks_of`."""
    from crisps24.puzzles.marks import marks_of, pages_of_marks, title_of_marks
    from crisps24.puzzles.papers import SHEET_FORMATS, signs_of

    marks, form = marks_of(rows, signs_of(sheet)), _form_of(out)
    if form in _PAPERS:
        pages = pages_of_marks(marks, sheet)
        write_file(out, SHEET_FORMATS[form].paint(pages, title_of_marks(sheet)))
    else:
        told = list(marks.rows())
        write_file(out, encoded(streamed(told, form, list(told[0]))))


def _form_of(out: Path) -> str:
    return form_of(out, "--sheet", (*_PAPERS, *STREAMS))
