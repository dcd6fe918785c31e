"""The commands that deal puzzles: deal writes rows, sheet prints them, quiz makes questions."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.cli.choosing import MANY_PUZZLES, Choice, choice_options
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import counted, progress_bar
from crisps24.drawing.drawings import PAPERS
from crisps24.notation.styles import STYLES
from crisps24.output.encodings import BYTE_ORDER_MARK, decode_file
from crisps24.output.tables import TABLE_FORMATS, Row
from crisps24.rules.deals import format_hand

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from crisps24.paper.sheets import Sheet
    from crisps24.puzzles.dealing import Deal

# Work above which puzzles are solved on all cores: a hundred hands of six numbers.
_WORK_FOR_ALL_CORES = 100 * 6**6
# Characters of a prompt template.
_LONGEST_PROMPT = 100_000
# Formats of a quiz: Moodle reads GIFT from both.
QUIZ_FORMATS = ("gift", "txt")
# Formats of an empty table, which a person fills in and mark reads.
_CLASS_FORMATS = tuple(name for name, form in TABLE_FORMATS.items() if form.readable)
# Options that --signs would ignore.
_NOT_WITH_SIGNS = """levels solutions essential plain large closest repeat trivial rising
    parentheses all_numbers fields prompt out style work"""
_STYLE = opt.display("Operator signs: {} [default: those of the language].", click.Choice(STYLES))


def _parse_fields(text: str) -> tuple[str, ...]:
    from crisps24.puzzles.rows import parse_fields

    return parse_fields(text)


@opt.command(
    opt.excludes(
        "signs", _NOT_WITH_SIGNS, "--signs deals numbers without operators: it takes no {}"
    ),
    opt.requires("equals", "signs", "{} also leaves out the =: add --signs"),
    opt.excludes("out", "answers form", "{} is for the screen: the name of --out sets the format"),
    opt.excludes("fields", "answers", "{} is for tables: add answer to --fields"),
    opt.excludes("prompt", "answers", "{} is for tables: add answer to --fields"),
)
def deal(
    choice: Choice = choice_options(),
    signs: bool = opt.puzzle("Leave out the operators instead: 4 _ 3 _ 8 _ 4 = 24."),
    equals: bool = opt.puzzle("With --signs: leave out the = too."),
    answers: bool = opt.output("Show the easiest solution of each."),
    out: Path | None = opt.output(f"Write the rows: {screen.suffixes(TABLE_FORMATS)}.", opt.FILE),
    form: str = opt.FORMAT,
    fields: tuple[str, ...] | None = opt.output(
        "Columns, such as nums,target or question,answer.", ParsedType("names", _parse_fields)
    ),
    prompt: IO[bytes] | None = opt.output(
        "Template of the field prompt: {numbers}, {target}, {rules}.", opt.SOURCE
    ),
    style: str | None = opt.STYLE,
) -> None:
    """Deal puzzles as rows: on screen or in a file.

    GAME is crisps (default), cards or another name that crisps24 games lists. The same
    seed deals the same puzzles on every machine. Without --seed the program draws a seed and shows
    it. crisps24 sheet prints puzzles on paper, and crisps24 quiz writes a quiz.

    Examples:
      crisps24 deal cards --count 5 --answers
      crisps24 deal cards --count 20 --seed 7 --level 2..4
      crisps24 deal countdown --count 100 --out puzzles.jsonl
      crisps24 deal cards --fields nums,target --format csv

    --repeat: a game of at most 5,000 hands deals all of them before one comes again; others draw
    each hand anew. --signs: standard precedence decides, and each puzzle has exactly one answer.
    """
    if signs:
        _deal_signs(choice, form, answers, equals=equals)
        return
    columns = _columns(fields, prompt)
    if out is not None:
        file_form = screen.form_of(out, "--out", TABLE_FORMATS)
        _check_places({"--out": out})
        found = choice.deal().with_style(style or "")
        _write({out: screen.encoded(_lines(found, file_form, columns))}, found)
        return
    if form not in TABLE_FORMATS and not (answers or columns):
        opt.refuse_given(["style"], "{} sets the signs of solutions: add --answers")
    _show(choice.deal().with_style(style or ""), form, answers, columns)


def _columns(fields: tuple[str, ...] | None, prompt: IO[bytes] | None) -> dict[str, Any]:
    """Return the fields of the rows and the template of their prompts, if the call gives any."""
    if prompt is None:
        return {} if fields is None else {"fields": fields}
    from crisps24.puzzle import PUZZLE_FIELDS
    from crisps24.puzzles.rows import PROMPT_FIELDS, check_template

    fields = (*PUZZLE_FIELDS, "prompt") if fields is None else fields
    if set(fields).isdisjoint(PROMPT_FIELDS):
        raise click.UsageError(
            f"--prompt fills the field {' or '.join(PROMPT_FIELDS)}: add it to --fields"
        )
    try:
        template = decode_file(prompt.read(4 * _LONGEST_PROMPT + 1)).text.removesuffix("\n")
    except ValueError as error:
        raise click.UsageError(f"--prompt: {error}") from None
    if len(template) > _LONGEST_PROMPT:
        raise click.UsageError(f"--prompt: a prompt has at most {_LONGEST_PROMPT:,} characters")
    with opt.usage_errors():
        check_template(template)
    return {"fields": fields, "template": template}


def _show(found: "Deal", form: str, answers: bool, columns: dict[str, Any]) -> None:
    if form in TABLE_FORMATS:
        screen.print_lines(_lines(found, form, columns))
    elif columns:
        screen.show(list(_rows(found, columns)), form)
    else:
        rows: list[Row] = [
            {
                "number": number,
                "hand": format_hand(puzzle.hand),
                "target": puzzle.target,
                "level": puzzle.level,
                "id": puzzle.id,
            }
            for number, puzzle in enumerate(found, 1)
        ]
        if answers:
            for row, puzzle, answer in zip(rows, found, _answers(found), strict=True):
                near = "" if puzzle.best == puzzle.target else f" = {puzzle.best}"
                row["answer"] = answer + near
        screen.show(rows, form)
    screen.print_summary(_reproduction(found), form)


def _reproduction(found: Any) -> str:
    """Return the line under a deal: the command that deals the same puzzles again."""
    return f"drawing {found.version}: {found.command}"


def _executor(
    found: "Deal", columns: dict[str, Any] | None = None
) -> "AbstractContextManager[Executor | None]":
    """Return an executor that solves puzzles on all cores, or None if that would not be faster."""
    from crisps24.puzzle import PUZZLE_FIELDS, count_puzzle_chunks, estimate_work, needs_solutions

    fields = (columns or {}).get("fields", PUZZLE_FIELDS)
    much = needs_solutions(fields) and estimate_work(found) > _WORK_FOR_ALL_CORES
    return screen.executor_of(None, count_puzzle_chunks(found), worth_it=much)


def _lines(found: "Deal", form: str, columns: dict[str, Any]) -> Iterator[str]:
    """Yield puzzles as the lines of a format: the fields that the call names, else all."""
    from crisps24.puzzle import PUZZLE_FIELDS

    keys = columns.get("fields", PUZZLE_FIELDS)
    # A bar would be drawn between the lines.
    shown = not sys.stdout.isatty()
    yield from screen.stream_lines(_rows(found, columns, shown=shown), form, keys)


def _rows(found: "Deal", columns: dict[str, Any], *, shown: bool = True) -> Iterator[Row]:
    """Yield the rows of puzzles, with a progress bar if they are many."""
    many = len(found) >= MANY_PUZZLES
    with (
        _executor(found, columns) as executor,
        progress_bar("puzzles solved", len(found), shown=shown and many) as progress,
    ):
        yield from counted(found.rows(executor, **columns), progress)


def _answers(found: "Deal") -> list[str]:
    """Return the answer of each puzzle."""
    return [row["answer"] for row in _rows(found, {"fields": ["answer"]})]


def _check_places(files: "dict[str, Path]") -> None:
    """Refuse files that cannot be written, by option, before any work is done for them."""
    from crisps24.output.atomic_files import check_place, same_place

    for out in files.values():
        check_place(out)
    if len(files) == 2 and same_place(*files.values()):
        raise click.UsageError(f"{' and '.join(files)} are the same file: give each its own")


def _write(files: dict[Path, Iterable[bytes]], found: "Deal") -> None:
    """Write files, then show the command that deals the same puzzles again."""
    screen.write_files(files)
    screen.echo(_reproduction(found))


def _deal_signs(choice: Choice, form: str, answers: bool, *, equals: bool) -> None:
    """Show puzzles with missing signs, and how to deal the same again."""
    from crisps24.cli.solving import sides_in
    from crisps24.equation_puzzles.deals import deal_gaps

    game = choice.game
    if choice.conditions.get("lengths"):
        raise click.UsageError("--signs takes one --length, not a range")
    chosen: dict[str, Any] = {"target": choice.target, "targets": choice.targets}
    with progress_bar("puzzles dealt", choice.count, shown=choice.count > 1) as progress:
        found = deal_gaps(
            game, choice.count, seed=choice.seed, equals=equals, progress=progress, **chosen
        )
    rows: list[Row] = []
    for number, puzzle in enumerate(found.puzzles, 1):
        answer = {"answer": sides_in(game.style, puzzle.sides, game)}
        shown = answer if answers or form in TABLE_FORMATS else {}
        rows.append({"number": number, "puzzle": str(puzzle.gaps)} | shown)
    screen.show(rows, form)
    screen.print_summary(_reproduction(found), form)


def _make_sheet(no_key: bool, no_dots: bool, **layout: Any) -> "Callable[[], Sheet]":
    """Return a function that makes the sheet: only `sheet` has to import sheets."""

    def make() -> "Sheet":
        from crisps24.paper.sheets import Sheet

        return Sheet(key=not no_key, dots=not no_dots, **layout)

    return make


_LAYOUT: Any = OptionGroup(
    {
        "paper": opt.paper(
            f"{', '.join(PAPERS)}; or card: a single card, in an .svg or a .png.", str, default="a4"
        ),
        "per_page": opt.paper("1, 2, 4, 6, 9, 12 or 20 puzzles [default: as they fit].", int),
        "title": opt.paper("Title above the puzzles.", str, default=""),
        "name_line": opt.paper("Add a line for name and date."),
        "cut_lines": opt.paper("Add lines to cut along; no lines to write on."),
        "no_key": opt.paper("Leave out the answer pages."),
        "no_dots": opt.paper("Leave out the dots that show difficulty."),
        "upright": opt.paper("Print all numbers of a round card upright."),
        "large_print": opt.paper("Two puzzles per page, in the largest type that fits."),
        "language": opt.LANGUAGE,
    },
    _make_sheet,
)


@opt.command()
def sheet(
    choice: Choice = choice_options(),
    out: Path = opt.output(
        "Write .pdf or .html; or one page: .svg or .png.", opt.FILE, required=True
    ),
    table: Path | None = opt.output(
        f"Also write an empty table ({screen.suffixes(_CLASS_FORMATS)}) for a class.",
        opt.FILE,
        "--class",
    ),
    make_sheet: "Callable[[], Sheet]" = _LAYOUT,
    style: str | None = _STYLE,
) -> None:
    """Print puzzles on paper, with a key.

    GAME is crisps (default), cards or another name that crisps24 games lists.

    Examples:
      crisps24 sheet cards --count 12 --out cards.pdf
      crisps24 sheet --count 12 --out sheet.html --title "Class 5b" --name-line
      crisps24 sheet cards --count 6 --out test.pdf --class class.csv

    --class: a column for names and one per puzzle. Fill in the answers, then use crisps24 mark.
    """
    from crisps24.judging.records import puzzle_column
    from crisps24.paper.papers import SHEET_FORMATS, check_sheet, has_key, render_sheet, sheet_style

    form = screen.form_of(out, "--out", SHEET_FORMATS)
    table_form = "" if table is None else _check_table(table, choice.count)
    _check_places({"--out": out} | ({} if table is None else {"--class": table}))
    sheet = make_sheet()
    check_sheet(form, sheet, choice.count)
    found = choice.deal().with_style(sheet_style(sheet, style or ""))
    answers: list[str] = []
    if has_key(form, sheet):
        answers = _answers(found)
    files: dict[Path, Iterable[bytes]] = {out: render_sheet(form, found, sheet, answers)}
    if table is not None:
        columns = [puzzle_column(number, puzzle.id) for number, puzzle in enumerate(found, 1)]
        lines = screen.stream_lines([], table_form, ["name", *columns])
        # With this mark Excel keeps UTF-8.
        files[table] = chain([BYTE_ORDER_MARK], screen.encoded(lines))
    _write(files, found)
    if sheet.key and not has_key(form, sheet):
        with_key = [name for name, each in SHEET_FORMATS.items() if each.with_key]
        other = (
            "" if form in with_key else f" (these formats have one: {screen.suffixes(with_key)})"
        )
        screen.complain(f"{out} has no key{other}")


def _check_table(table: Path, count: int) -> str:
    """Return the format of a table of answers; refuse more puzzles than mark takes."""
    from crisps24.paper.marks import MAX_MARKED_PUZZLES

    if count > MAX_MARKED_PUZZLES:
        limit = f"mark takes at most {MAX_MARKED_PUZZLES} puzzles"
        raise click.UsageError(f"--class: {limit}, not {count:,}")
    return screen.form_of(table, "--class", _CLASS_FORMATS)


def _parse_kinds(text: str) -> tuple[str, ...]:
    from crisps24.paper.quizzes import check_kinds

    return check_kinds([name.strip() for name in text.split(",")])


@opt.command()
def quiz(
    choice: Choice = choice_options(),
    out: Path = opt.output(
        f"Write the quiz: {screen.suffixes(QUIZ_FORMATS)}.", opt.FILE, required=True
    ),
    kinds: tuple[str, ...] | None = opt.display(
        "Kinds of question, in turn: hand,sign,step,value [default: all].",
        ParsedType("names", _parse_kinds),
        "--ask",
    ),
    style: str | None = _STYLE,
    language: str = opt.LANGUAGE,
) -> None:
    """Write a quiz for Moodle: one question per puzzle.

    The file has the format GIFT, which Moodle imports. GAME is crisps (default), cards, countdown
    or another name that crisps24 games lists.

    Examples:
      crisps24 quiz cards --count 10 --out quiz.gift
      crisps24 quiz cards --count 10 --ask sign,value --language nl --out quiz.gift
    """
    screen.form_of(out, "--out", QUIZ_FORMATS)
    _check_places({"--out": out})
    from crisps24.drawing.gift import gift_of
    from crisps24.messages.languages import LANGUAGES
    from crisps24.paper.quizzes import questions

    spoken = LANGUAGES[language]
    found = choice.deal().with_style(style or spoken.style)
    about = f"{found.command} (drawing {found.version})"
    _write({out: screen.encoded(gift_of(questions(found, kinds or (), spoken), about))}, found)
