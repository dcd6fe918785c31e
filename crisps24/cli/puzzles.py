"""The commands that deal puzzles: deal (rows), sheet (paper), quiz (questions), page (to play)."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import IO, Any

import click

from crisps24.about import __version__
from crisps24.cli import choosing, screen
from crisps24.cli import options as opt
from crisps24.cli.choosing import Choice, choice_options
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import progress_bar, report_each
from crisps24.drawing.drawings import PAPERS
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import message
from crisps24.notation.styles import STYLES
from crisps24.output.encodings import decode_file
from crisps24.output.tables import DEFAULT_FORMAT, TABLE_FORMATS, Row, render
from crisps24.puzzles.parameters import ANSWER_FORMS, PARAMETERS
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact, has_fractions
from crisps24.rules.games import Game, faces_of

with opt.lazy_imports(globals()):
    from crisps24 import puzzle as one_puzzle
    from crisps24.cli import solving
    from crisps24.equation_puzzles import deals as gap_deals
    from crisps24.judging import class_tables, parquet_rows, sources
    from crisps24.output import atomic_files, workbooks
    from crisps24.paper import class_sheets, marks, papers, quiz_files, quizzes, sheets
    from crisps24.player import files as player_files
    from crisps24.puzzles import conditions, daily, dealing
    from crisps24.puzzles import files as own_files
    from crisps24.puzzles import rows as puzzle_rows
    from crisps24.training import overlaps, parquet_files


# Estimated work above which the command uses all cores: 100 hands of six numbers.
_MIN_WORK_FOR_ALL_CORES = 100 * 6**6
_MAX_PROMPT_CHARACTERS = 100_000
_CLASS_FORMATS = (*(name for name, form in TABLE_FORMATS.items() if form.readable), "xlsx")
# Options that --signs excludes, since it would ignore them.
_EXCLUDED_BY_SIGNS = " ".join(
    [
        f"dealt_{each.name}"
        for each in PARAMETERS
        if each.name not in ("target", "targets", "length")
    ]
    + ["rising source unsolvable_too mix parentheses all_numbers"]
)
_NO_OPERATORS = "--signs deals numbers without operators"
_NEEDS_SIGNS = "{} also leaves out the =: add --signs"
_SIGNS = opt.puzzle("Leave out the operators instead: 4 _ 3 _ 8 _ 4 = 24.")
_FACES_HELP = "Show A, J, Q and K for 1, 11, 12 and 13."
_EQUALS = opt.puzzle("With --signs: leave out the = too.", word="more")


# Files of rows are lines of text, or Parquet.
_ROW_FORMATS = (*TABLE_FORMATS, "parquet")
_PARTS = ("train", "validation", "test")
PAGE_FORMATS = ("html", "htm")
_DAYS = 365
_STYLE = opt.display(
    "Operator signs: {} [default: those of the language].", click.Choice(STYLES), word="more"
)


@opt.command(
    opt.excludes("signs", f"{_EXCLUDED_BY_SIGNS} fields prompt chat out style work", _NO_OPERATORS),
    opt.requires("equals", "signs", _NEEDS_SIGNS),
    opt.excludes("out", "answers form", "{} is for the screen: the name of --out sets the format"),
    opt.excludes("fields", "answers", "{} is for tables: add answer to --fields"),
    opt.excludes("prompt", "answers", "{} is for tables: add answer to --fields"),
    opt.excludes("chat", "answers fields", "{} is for other rows: leave it out with --chat"),
    opt.requires("split", "out", "{} writes files: add --out"),
)
def deal(
    choice: Choice = choice_options(data=True),
    signs: bool = _SIGNS,
    equals: bool = _EQUALS,
    answers: bool = opt.output("Show the easiest solution of each."),
    out: Path | None = opt.output(f"Write the rows: {screen.suffixes(_ROW_FORMATS)}.", opt.FILE),
    split: "tuple[Exact, ...] | None" = opt.output(
        "With --out: training, validation and test, as 90,5,5 or 500,20.",
        ParsedType("shares", lambda text: conditions.parse_split(text)),
        word="more",
    ),
    form: str = opt.FORMAT,
    fields: tuple[str, ...] | None = opt.output(
        "Columns, such as nums,target or question,answer.",
        ParsedType("names", lambda text: puzzle_rows.parse_fields(text)),
    ),
    prompt: IO[bytes] | None = opt.output(
        "Template of prompts: {numbers}, {target}, {rules}, {format}.", opt.SOURCE, word="more"
    ),
    chat: bool = opt.output("Rows with prompt (messages) and reward_model.", word="more"),
    answer: str = opt.output(
        "How prompts ask for an answer: {}.",
        click.Choice([*ANSWER_FORMS]),
        default="tags",
        word="more",
    ),
    style: str | None = opt.STYLE,
    language: str = opt.LANGUAGE,
) -> None:
    """Deal puzzles as rows: on screen or in a file.

    GAME is crisps (default), cards or another name that crisps24 games lists; or ids of puzzles.
    The same seed deals the same puzzles on every machine. Without --seed the program draws a seed
    and shows it.

    Examples:
      crisps24 deal cards --count 5 --answers
      crisps24 deal cards --count 20 --seed 7 --level 2..4
      crisps24 deal countdown --count 100 --out puzzles.jsonl
      crisps24 deal cards --fields nums,target --format csv

    --repeat: a game without tiles or dice deals all hands before one comes again; a puzzle comes
    again after all others. --signs: standard precedence decides; each puzzle has just one answer.
    """
    if signs:
        _deal_gaps(choice, form, answers, equals=equals)
        return
    columns = _column_arguments(puzzle_rows.CHAT_FIELDS if chat else fields, prompt)
    if {*puzzle_rows.PROMPT_FIELDS}.isdisjoint(columns.get("fields", ())):
        opt.refuse_given(["answer"], "{} is for prompts: add --chat, or prompt to --fields")
    else:
        columns |= {"answer": answer, "language": language}
    if "{format}" not in columns.get("template", "{format}"):
        opt.refuse_given(["answer"], "{} is for the {{format}} of a prompt: write it there")
    # What the rows depend on, next to the deal.
    words = " --chat" if chat else f" --fields {','.join(fields)}" if fields else ""
    words += f" --prompt {shlex.quote(prompt.name)}" if prompt else ""
    words += f" --answer {answer}" if opt.was_given("answer") else ""
    words += f" --style {style}" if style else ""
    words += f" --language {language}" if opt.was_given("language") else ""
    if split and out:
        words += f" --split {conditions.format_split(split)} --out {out.name}"
    if out is not None:
        file_form = screen.format_from_suffix(out, "--out", _ROW_FORMATS)
        if file_form not in TABLE_FORMATS:
            parquet_rows.import_pyarrow()
        if split:
            with opt.usage_errors("--split"):
                is_exact = conditions.check_split(split, choice.count)
        parts = [part for part, size in zip(_PARTS, split or (), strict=False) if size]
        names = [out.with_stem(f"{out.stem}-{part}") for part in parts] or [out]
        for name in names:
            atomic_files.check_place(name)
        puzzles = choice.deal().with_style(style or "")
        deals = [puzzles]
        if split:
            divided = filter(None, overlaps.split_puzzles(puzzles, split, is_exact=is_exact))
            deals = [replace(puzzles, puzzles=part) for part in divided]
        pieces = (_row_bytes(file_form, each, columns) for each in deals)
        files = dict(zip(names, pieces, strict=True))
        if split:
            card = _data_card(out.stem, dict(zip(parts, deals, strict=True)), words, columns)
            files[out.with_name(f"{out.stem}-README.md")] = [card.encode()]
        screen.write_files(files)
        _print_reproduction(puzzles, words=words)
        return
    if form not in TABLE_FORMATS and not (answers or columns):
        opt.refuse_given(["style"], "{} sets the signs of solutions: add --answers")
    _show_deal(choice.deal().with_style(style or ""), form, answers, columns, words)


def _data_card(
    name: str, deals: "dict[str, dealing.Deal]", words: str, columns: dict[str, Any]
) -> str:
    rows = []
    for part, puzzles in deals.items():
        counts = Counter(puzzle.level for puzzle in puzzles)
        levels = {f"level {level}": counts[level] for level in range(1, 6)}
        rows.append({"part": part, "rows": len(puzzles), **levels, "no level": counts[None]})
    if " --chat" not in words and " --fields" not in words:
        words += f" --fields {','.join(columns.get('fields', one_puzzle.PUZZLE_FIELDS))}"
    return f"""# {name}

Number puzzles, dealt by crisps24 {__version__} (drawing {puzzles.version}, seed {puzzles.seed}):

    {puzzles.command}{words}

{render(rows, "github")}

No two parts have a puzzle with the same numbers, or with all numbers times a factor.
"""


def _column_arguments(fields: tuple[str, ...] | None, prompt: IO[bytes] | None) -> dict[str, Any]:
    """Return which columns the rows of puzzles have, as keyword arguments of `Deal.rows`."""
    if prompt is None:
        return {} if fields is None else {"fields": fields}
    fields = (*one_puzzle.PUZZLE_FIELDS, "prompt") if fields is None else fields
    if set(fields).isdisjoint(puzzle_rows.PROMPT_FIELDS):
        names = " or ".join(puzzle_rows.PROMPT_FIELDS)
        raise click.UsageError(f"--prompt fills the field {names}: add it to --fields")
    # A character has at most four bytes. One byte more shows that the file is too long.
    data = prompt.read(4 * _MAX_PROMPT_CHARACTERS + 1)
    try:
        template = decode_file(data).removesuffix("\n")
    except ValueError as error:
        raise click.UsageError(f"--prompt: {error}") from None
    if len(template) > _MAX_PROMPT_CHARACTERS:
        limit = f"{_MAX_PROMPT_CHARACTERS:,} characters"
        raise click.UsageError(f"--prompt: a prompt has at most {limit}")
    with opt.usage_errors():
        puzzle_rows.check_template(template)
    return {"fields": fields, "template": template}


def _show_deal(
    puzzles: "dealing.Deal", form: str, answers: bool, columns: dict[str, Any], words: str
) -> None:
    if form in TABLE_FORMATS:
        screen.print_lines(_puzzle_lines(form, puzzles, columns))
    elif columns:
        screen.show(list(_puzzle_rows(puzzles, columns)), form)
    else:
        rows: list[Row] = [
            {
                "number": number,
                "hand": format_hand(puzzle.hand),
                "target": puzzle.target,
                "level": puzzle.level,
                "id": puzzle.id,
            }
            for number, puzzle in enumerate(puzzles, 1)
        ]
        if answers:
            for row, puzzle, answer in zip(rows, puzzles, _answers(puzzles), strict=True):
                # If the target can only be approached, show the value of the answer.
                is_exact = answer == one_puzzle.NO_SOLUTION or puzzle.best == puzzle.target
                value = "" if is_exact else f" = {puzzle.best}"
                row["answer"] = answer + value
        screen.show(rows, form)
    _print_reproduction(puzzles, form, words)


def _print_reproduction(puzzles: Any, form: str = DEFAULT_FORMAT, words: str = "") -> None:
    """Print the command that deals the same puzzles; none deals those that the user brought."""
    if puzzles.command:
        screen.print_summary(f"drawing {puzzles.version}: {puzzles.command}{words}", form)


def _puzzle_lines(form: str, puzzles: "dealing.Deal", columns: dict[str, Any]) -> Iterator[str]:
    keys = columns.get("fields", one_puzzle.PUZZLE_FIELDS)
    # A bar would be drawn between the lines.
    shows_progress = not sys.stdout.isatty()
    rows = _puzzle_rows(puzzles, columns, shows_progress=shows_progress)
    yield from screen.stream_lines(rows, form, keys)


def _row_bytes(form: str, puzzles: "dealing.Deal", columns: dict[str, Any]) -> Iterable[bytes]:
    if form in TABLE_FORMATS:
        return screen.encode_lines(_puzzle_lines(form, puzzles, columns))
    fractions = has_fractions(puzzles.game.numbers)
    return parquet_files.parquet_bytes(_puzzle_rows(puzzles, columns), fractions=fractions)


def _puzzle_rows(
    puzzles: "dealing.Deal", columns: dict[str, Any], *, shows_progress: bool = True
) -> Iterator[Row]:
    """Solve puzzles if needed, and yield a row for each, with a progress bar if they are many."""
    has_bar = shows_progress and len(puzzles) >= choosing.MANY_PUZZLES
    fields = columns.get("fields", one_puzzle.PUZZLE_FIELDS)
    is_long = puzzle_rows.estimate_work(puzzles, fields) > _MIN_WORK_FOR_ALL_CORES
    chunk_count = puzzle_rows.count_puzzle_chunks(puzzles)
    with (
        screen.open_executor(None, chunk_count, worth_it=is_long) as executor,
        progress_bar("puzzles solved", len(puzzles), shown=has_bar) as progress,
    ):
        yield from report_each(puzzles.rows(executor, **columns), progress)


def _answers(puzzles: "dealing.Deal") -> list[str]:
    return [row["answer"] for row in _puzzle_rows(puzzles, {"fields": ["answer"]})]


def _deal_gaps(choice: Choice, form: str, answers: bool, *, equals: bool) -> None:
    gap_deal = choice.deal_gaps(equals=equals)
    rows: list[Row] = []
    for number, puzzle in enumerate(gap_deal.puzzles, 1):
        row = {"number": number, "puzzle": str(puzzle.gaps)}
        if answers or form in TABLE_FORMATS:
            row["answer"] = solving.format_sides(choice.game.style, puzzle.sides, choice.game)
        rows.append(row)
    screen.show(rows, form)
    _print_reproduction(gap_deal, form)


_LAYOUT: Any = OptionGroup(
    {
        "paper": opt.paper(f"{', '.join(PAPERS)} (A1) or card.", str, default="a4"),
        "per_page": opt.paper("1, 2, 4, 6, 8, 9, 12 or 20 puzzles [default: as they fit].", int),
        "title": opt.paper("Title above the puzzles.", str, default=""),
        "name_line": opt.paper("Add a line for name and date."),
        "cut_lines": opt.paper("Add lines to cut along; no lines to write on.", word="more"),
        "backs": opt.paper(
            "Add backs, for printing on both sides: answer or target.",
            str,
            default="",
            metavar="NAME",
            word="more",
        ),
        "no_key": opt.paper("Leave out the answer pages."),
        "no_dots": opt.paper("Leave out the dots that show difficulty.", word="more"),
        "upright": opt.paper("Print all numbers of a round card upright.", word="more"),
        "faces": opt.paper(_FACES_HELP, word="more"),
        "large_print": opt.paper("Two puzzles per page, upright, in the largest type."),
        "language": opt.LANGUAGE,
    },
    lambda **layout: layout,
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
    version_count: int = opt.output(
        "Write 2 to 4 sheets of the same levels: A, B.",
        click.IntRange(1, 4),
        "--versions",
        default=1,
    ),
    names: Any = opt.output(
        "Write a sheet for each pupil in a table, with the name.", opt.SOURCE, word="more"
    ),
    layout: dict[str, Any] = _LAYOUT,
    style: str | None = _STYLE,
) -> None:
    """Print puzzles on paper, with a key.

    GAME is crisps (default), cards or another name that crisps24 games lists; or ids of puzzles.

    Examples:
      crisps24 sheet cards --count 12 --out cards.pdf
      crisps24 sheet cards --mix 3,3,3,2,1 --rising --out cards.pdf
      crisps24 sheet --count 12 --out sheet.html --title "Class 5b" --name-line
      crisps24 sheet cards --count 6 --versions 2 --out test.pdf --class class.csv

    --class: a column for names and one per puzzle. Fill in the answers, then use crisps24 mark.
    """
    form, table_form = _check_sheet_files(out, table, choice.count * version_count)
    sheet = sheets.Sheet(key=not layout.pop("no_key"), dots=not layout.pop("no_dots"), **layout)
    if sheet.faces:
        with opt.usage_errors("--faces"):
            faces_of(choice.game)
    own_files.check_one_game(choice.own)
    papers.check_sheet(form, sheet, choice.count)
    pupils = [] if names is None else _read_pupils(names, version_count)
    dealt = choice.deal_versions(version_count)
    versions = class_sheets.versions_of(dealt, sheet, style or "", _answers)
    named = class_sheets.named_sheets(pupils, versions)
    files: dict[Path, Iterable[bytes]] = {out: papers.render_versions(form, versions, named)}
    if table is not None:
        rows, keys = class_sheets.class_table(versions, named)
        files[table] = screen.spreadsheet(rows, table_form, keys, sheet.words)
    screen.write_files(files)
    _print_reproduction(versions[0].deal)
    if sheet.key and not papers.has_key(form, sheet):
        formats_with_key = [name for name, kind in papers.SHEET_FORMATS.items() if kind.with_key]
        advice = f" (these formats have one: {screen.suffixes(formats_with_key)})"
        advice = "" if form in formats_with_key else advice
        screen.print_to_stderr(f"{out} has no key{advice}")


def _check_sheet_files(out: Path, table: Path | None, count: int) -> tuple[str, str]:
    """Return the formats of a sheet and of the table of its class; refuse other files."""
    form, table_form = screen.format_from_suffix(out, "--out", papers.SHEET_FORMATS), ""
    places = {"--out": out} if table is None else {"--out": out, "--class": table}
    if table is not None:
        if count > marks.MAX_MARKED_PUZZLES:
            limit = f"mark takes at most {marks.MAX_MARKED_PUZZLES} puzzles"
            raise click.UsageError(f"--class: {limit}, not {count:,}")
        table_form = screen.format_from_suffix(table, "--class", _CLASS_FORMATS)
        if table_form == "xlsx":
            workbooks.check_workbook()
    for place in places.values():
        atomic_files.check_place(place)
    screen.refuse_same_file(places.items())
    return form, table_form


def _read_pupils(names: Any, version_count: int) -> list[tuple[str, str]]:
    with opt.usage_errors("--names"):
        text = sources.open_text(names, None, None, screen.print_to_stderr)
        pupils = class_tables.read_names(text)
        class_sheets.check_versions(pupils, version_count)
        return pupils


@opt.command()
def quiz(
    choice: Choice = choice_options(),
    out: Path = opt.output(
        f"Write the quiz: {screen.suffixes(screen.WRITTEN_FORMATS['quiz'])}.",
        opt.FILE,
        required=True,
    ),
    program: str | None = opt.output(
        "Program that reads it: moodle, canvas, blackboard, kahoot, blooket, gimkit, wayground or "
        "anki [default: by the suffix].",
        ParsedType(
            "name", lambda text: quiz_files.find_program(text), lambda: quiz_files.QUIZ_FORMATS
        ),
        "--for",
    ),
    seconds: int | None = opt.output(
        "Time for each question, for kahoot, blooket and wayground [default: 60].", int
    ),
    kinds: tuple[str, ...] | None = opt.display(
        "Kinds of question, in turn: hand,sign,step,value [default: all].",
        ParsedType("names", lambda text: quizzes.check_kinds([*map(str.strip, text.split(","))])),
        "--ask",
    ),
    style: str | None = _STYLE,
    language: str = opt.LANGUAGE,
) -> None:
    """Write a quiz for Moodle, Kahoot and others: one question per puzzle.

    GAME is crisps (default), cards, countdown or another name that crisps24 games lists. .gift and
    .txt are for Moodle, .zip is for Canvas; other files need --for.

    Examples:
      crisps24 quiz cards --count 10 --out quiz.gift
      crisps24 quiz cards --count 10 --ask sign,value --language nl --out quiz.gift
      crisps24 quiz cards --count 10 --for kahoot --out quiz.xlsx
    """
    program = _quiz_program(out, program)
    with opt.usage_errors(f"--out {out}" if seconds is None else "--seconds"):
        quiz_files.check_quiz(program, seconds)
    form = quiz_files.QUIZ_FORMATS[program]
    atomic_files.check_place(out)
    quiz_language = LANGUAGES[language]
    puzzles = choice.deal().with_style(style or quiz_language.style)
    limits = {"max_text": form.max_text, "max_answer": form.max_answer}
    quiz_questions = quizzes.questions(puzzles, kinds or (), quiz_language, **limits)
    # A file with comments starts with the command that makes the same quiz again.
    comment = f"{puzzles.command} (drawing {puzzles.version})" if puzzles.command else "crisps24"
    written = quiz_files.Quiz(
        quiz_questions, escape_unprintable(out.stem), comment, seconds or quiz_files.DEFAULT_SECONDS
    )
    screen.write_files({out: form.write(written)})
    _print_reproduction(puzzles)


def _quiz_program(out: Path, program: str | None) -> str:
    """Return the program of a quiz, which its file name sets if the user does not."""
    suffix = screen.format_from_suffix(out, "--out", screen.WRITTEN_FORMATS["quiz"])
    programs = quiz_files.programs_for(suffix)
    if program is None and len(programs) > 1:
        raise click.UsageError(f"--out {out}: add --for (expected {' or '.join(programs)})")
    form = quiz_files.QUIZ_FORMATS[program or programs[0]]
    if suffix not in form.suffixes:
        known = screen.suffixes(form.suffixes)
        raise click.UsageError(f"--out {out}: {program} reads another file (expected {known})")
    return program or programs[0]


@opt.command(
    opt.excludes("signs", f"{_EXCLUDED_BY_SIGNS} work", _NO_OPERATORS),
    opt.requires("equals", "signs", _NEEDS_SIGNS),
    opt.excludes("signs", "faces", "--signs has no cards: leave out {}"),
    opt.excludes("daily", "signs", "--daily has no puzzles with missing signs: leave out {}"),
    choosing.DAY_NEEDS_DAILY,
)
def page(
    choice: Choice = choice_options(count=10, rules=choosing.SCRIPT_RULES),
    signs: bool = _SIGNS,
    equals: bool = _EQUALS,
    daily: bool = opt.puzzle("A puzzle for each day of a year, as in play --daily."),
    day: str | None = opt.puzzle(
        "With --daily: the first day [default: today].", str, "--date", metavar="DATE"
    ),
    seconds: int | None = opt.SECONDS,
    out: Path = opt.output("Write the .html file.", opt.FILE, required=True),
    no_solutions: bool = opt.output("Leave out the solutions; hints stay."),
    title: str = opt.display("Title above the puzzles.", str, default=""),
    faces: bool = opt.display(_FACES_HELP, word="more"),
    style: str | None = _STYLE,
    language: str | None = opt.FIRST_LANGUAGE,
) -> None:
    """Write a file that plays puzzles in a browser, also offline.

    Send the file to phones, put it on a learning platform or a USB stick, or open it: it needs no
    server and no connection. GAME is crisps (default), cards or another name that crisps24 games
    lists.

    Examples:
      crisps24 page cards --count 30 --level 1..4 --out puzzles.html
      crisps24 page --title "Class 5b" --no-solutions --out homework.html
      crisps24 page --signs --out signs.html
      crisps24 page countdown --seconds 30 --out quick.html
      crisps24 page cards --daily --out today.html

    The file has all six languages. Results stay in the browser; a line to copy reports them.
    Without --no-solutions, the source shows the solutions. --daily: 365 puzzles, of which the date
    (UTC) chooses one.
    """
    screen.format_from_suffix(out, "--out", PAGE_FORMATS)
    atomic_files.check_place(out)
    if daily and choice.own:
        raise click.UsageError("--daily has its own puzzles: leave out yours")
    first = choosing.read_day(day) if daily else None
    own_files.check_one_game(choice.own)
    count = _DAYS if daily else choice.count
    player_files.check_file(choice.game, count, title, style or "", faces=faces)
    if signs:
        dealt: Any = choice.deal_gaps(equals=equals)
        game, records = _row_records(choice, dealt, solutions=not no_solutions)
    else:
        dealt = choice.deal() if first is None else _year_of_puzzles(choice.game, first)
        game, records = dealt.game, player_files.puzzle_records(dealt, solutions=not no_solutions)
    # The browser stores results under this key. Daily puzzles of a date are the same in all files
    # of the game, and so are their results.
    own_ids = (puzzle.id for puzzle, _ in choice.own)
    key = player_files.file_key(dealt.version, dealt.command, own_ids)
    key = player_files.daily_key(game) if daily else key
    record = player_files.file_record(
        game,
        records,
        key=key,
        title=title,
        style=style or "",
        language=language or "",
        limit=seconds or 0,
        first=first,
        faces=faces,
    )
    screen.write_files({out: [player_files.render_file(record)]})
    _print_reproduction(dealt)


def _year_of_puzzles(game: Game, first: date) -> "dealing.Deal":
    """Return the daily puzzles of a game for 365 days, and the command that writes them again."""
    with progress_bar(message("progress.dealt"), _DAYS) as progress:
        days = (daily.daily(game, first + timedelta(days=index))[0] for index in range(_DAYS))
        puzzles = tuple(report_each(days, progress))
    return dealing.Deal(puzzles, game, 0, f"crisps24 page {game.name} --daily --date {first}")


def _row_records(
    choice: Choice, dealt: "gap_deals.GapDeal", *, solutions: bool
) -> tuple[Game, list[dict[str, Any]]]:
    """Return the game of puzzles with missing signs, and a dict for each puzzle, for a web page."""
    # In a row, all numbers are used, and the precedence of the signs decides the order of steps.
    game = replace(choice.game, parentheses=False, all_numbers=True)
    return game, [
        player_files.row_record(
            puzzle.gaps.numbers,
            puzzle.gaps.signs,
            f"{puzzle.sides[0]} = {puzzle.sides[1]}" if solutions else "",
        )
        for puzzle in dealt.puzzles
    ]
