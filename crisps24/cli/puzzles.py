"""The command that makes puzzles: deal, on the screen, in files, on paper and as a quiz."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crisps24.cli import options as ask
from crisps24.cli import screen
from crisps24.cli.choosing import Choice, choice_part
from crisps24.cli.options import Composed, Reading
from crisps24.drawing.drawings import PAPERS
from crisps24.output.tables import HEADED, STREAMS, Row
from crisps24.rules.deals import format_hand

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from crisps24.paper.sheets import Sheet
    from crisps24.puzzles.dealing import Deal

# More work than to solve so many hands of six is shared by all cores.
_SHARED = 100 * 6**6
# A prompt of more characters is none that anybody wrote.
_LONGEST_PROMPT = 100_000
# How a sheet is laid out.
_SHEET = {
    "paper": ask.paper(
        f"{', '.join(PAPERS)}; or card: a single card, in an .svg or a .png.",
        str,
        default="a4",
    ),
    "per_page": ask.paper(
        "Puzzles per page: 1, 2, 4, 6, 9, 12 or 20 [default: up to 12, as they fit].", int
    ),
    "title": ask.paper("Title above the puzzles.", str, default=""),
    "name_line": ask.paper("Add a line for name and date."),
    "cut_lines": ask.paper("Add lines to cut along; no lines to write on."),
    "no_key": ask.paper("Leave out the answer pages."),
    "no_dots": ask.paper("Leave out the dots that show difficulty."),
    "upright": ask.paper("Print all numbers of a round card upright."),
    "large_print": ask.paper("Two puzzles per page, in the largest type that fits."),
    "language": ask.LANGUAGE,
}
_OF_SHEETS = " ".join(_SHEET)
_LAYOUT = _OF_SHEETS.removesuffix(" language")
_OF_ROWS, _OF_SCREEN = "no_header fields prompt", "answers form"
# What is asked of hands, of sheets and of files, and not of signs that are missing.
_NOT_OF_SIGNS = f"""levels solutions essential plain large closest repeat trivial rising parentheses
    all_numbers fields prompt out style work {_OF_SHEETS}"""


def _sheet_of(no_key: bool, no_dots: bool, **layout: Any) -> "Callable[[], Sheet]":
    def sheet() -> "Sheet":
        from crisps24.paper.sheets import Sheet

        return Sheet(key=not no_key, dots=not no_dots, **layout)

    return sheet


_LAID_OUT: Any = Composed(_SHEET, _sheet_of)


def _fields(text: str) -> tuple[str, ...]:
    from crisps24.puzzles.telling import parse_fields

    return parse_fields(text)


def _kinds(text: str) -> tuple[str, ...]:
    from crisps24.paper.quizzes import check_kinds

    return check_kinds([name.strip() for name in text.split(",")])


@ask.command(
    ask.alone("signs", "blank quiz kinds", "{} is for puzzles, and --signs has none"),
    ask.alone("signs", _NOT_OF_SIGNS, "--signs are put between numbers on the screen: no {}"),
    ask.needs("equals", "signs", "{} is one of the --signs that are missing"),
    ask.alone(
        "quiz",
        f"out blank {_LAYOUT} {_OF_SCREEN} {_OF_ROWS}",
        "a --quiz has questions alone: no {}",
    ),
    ask.needs("kinds", "quiz", "{} says what a --quiz asks: give one"),
    ask.alone("out", _OF_SCREEN, "{} is for the screen: the end of its name tells what a file has"),
    ask.needs(_LAYOUT, "out", "{} is for sheets: say with --out where to"),
    ask.needs("blank language", "out quiz", "{} is for sheets: say with --out where to"),
    ask.alone(
        "blank",
        f"{_OF_SHEETS} {_OF_ROWS} style",
        "a --blank table has names and answers alone: no {}",
    ),
    ask.alone("fields", "answers", "{} is for people: answer is one of the --fields"),
    ask.alone("prompt", "answers", "{} is for people: answer is one of the --fields"),
)
def deal(
    count: int = ask.puzzle("How many puzzles.", int, default=1),
    choice: Choice = choice_part(),
    signs: bool = ask.puzzle("Leave out the operators instead: 4 _ 3 _ 8 _ 4 = 24."),
    equals: bool = ask.puzzle("With --signs: leave out the = too."),
    answers: bool = ask.output("Show the easiest solution of each."),
    out: Path | None = ask.output(
        "Write FILE: a sheet (.pdf, .html; .svg, .png: one page, no answers) or rows (.csv, .tsv, "
        ".json, .jsonl).",
        ask.FILE,
    ),
    form: str = ask.FORMAT,
    style: str | None = ask.STYLE,
    fields: tuple[str, ...] | None = ask.output(
        "Columns: nums,target, or question,answer,metadata, and others.",
        Reading("names", _fields),
    ),
    prompt: IO[bytes] | None = ask.output(
        "Template of the field prompt, with {numbers}, {target}, {rules}.", ask.SOURCE
    ),
    blank: bool = ask.output("Write an empty table for answers: name, and a column per puzzle."),
    sheet: "Callable[[], Sheet]" = _LAID_OUT,
    quiz: Path | None = ask.quiz(
        "Write a quiz for Moodle (GIFT), one question per puzzle.", ask.FILE
    ),
    kinds: tuple[str, ...] | None = ask.quiz(
        "Kinds of question, in turn: hand,sign,step,value [default: all].",
        Reading("names", _kinds),
        "--ask",
    ),
) -> None:
    """Deal puzzles: on screen, to a file, on paper or as a quiz.

    They are shown, written to a file, printed as a sheet, or made into a quiz. GAME is crisps
    (default), cards, countdown or another of crisps24 games. The same seed deals the same puzzles
    on every machine; without --seed one is drawn and told.

    Examples:
      crisps24 deal cards --count 5 --answers
      crisps24 deal cards --count 20 --seed 7 --level 2..4
      crisps24 deal --count 12 --out sheet.pdf --title "Class 5b" --name-line
      crisps24 deal countdown --count 100 --out puzzles.jsonl
      crisps24 deal cards --count 10 --quiz moodle.gift

    --repeat: a game of at most 5,000 hands deals all of them before one comes again; others draw
    each hand anew. --signs: standard precedence decides, and each puzzle has exactly one answer.
    """
    shown = (form, answers)
    if signs:
        _deal_signs(count, choice, *shown, equals=equals)
        return
    style = style or ""
    if quiz is not None:
        _write(quiz, lambda: _quiz(count, choice, kinds or (), style, sheet().language))
        return
    asked = _asked(fields, prompt)
    if out is None:
        if form not in STREAMS and not (answers or asked):
            ask.refuse_given(["style"], "{} is of formulas: ask for --answers")
        _show(choice.deal(count).written_in(style), *shown, asked)
        return
    from crisps24.paper.papers import SHEET_FORMATS

    file_form = screen.form_of(out, "--out", (*SHEET_FORMATS, *STREAMS))
    if blank and file_form not in HEADED:
        told = f"--blank is a table: .{' or .'.join(HEADED)}, and no .{file_form}"
        raise click.UsageError(told)
    if not blank:
        others, kind = (_OF_SHEETS, "sheets") if file_form in STREAMS else (_OF_ROWS, "rows")
        none = "is none" if file_form in STREAMS else "has none"
        ask.refuse_given(others.split(), f"{{}} is for {kind}, and a .{file_form} {none}")

    def made() -> "tuple[Deal, Iterable[bytes]]":
        if file_form not in STREAMS:
            return _sheet(file_form, count, choice, sheet(), style)
        found = choice.deal(count).written_in(style)
        lines = _blank(found, file_form) if blank else _lines(found, file_form, asked)
        return found, screen.encoded(lines)

    _write(out, made)


def _asked(fields: tuple[str, ...] | None, prompt: IO[bytes] | None) -> dict[str, Any]:
    """Return what rows tell, where that is asked: their fields, and the template of prompts."""
    if prompt is None:
        return {} if fields is None else {"fields": fields}
    from crisps24.puzzle import KEYS
    from crisps24.puzzles.telling import PROMPTS, check_template

    fields = (*KEYS, "prompt") if fields is None else fields
    if set(fields).isdisjoint(PROMPTS):
        names = " and ".join(PROMPTS)
        raise click.UsageError(f"--prompt is for the fields {names}: ask for one of them")
    try:
        template = prompt.read(4 * _LONGEST_PROMPT + 1).decode("utf-8-sig").removesuffix("\n")
    except ValueError:
        raise click.UsageError("--prompt: this file is no UTF-8 text") from None
    if len(template) > _LONGEST_PROMPT:
        raise click.UsageError(f"--prompt: a prompt has at most {_LONGEST_PROMPT:,} characters")
    with ask.as_wrong_call():
        check_template(template)
    return {"fields": fields, "template": template}


def _show(found: "Deal", form: str, answers: bool, asked: dict[str, Any]) -> None:
    if form in STREAMS:
        screen.print_lines(_lines(found, form, asked))
    elif asked:
        with _executor(found, asked) as executor:
            screen.show(list(found.rows(executor, **asked)), form)
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
            with _executor(found) as executor:
                for row, puzzle, answer in zip(rows, found, found.answers(executor), strict=True):
                    near = "" if puzzle.best == puzzle.target else f" = {puzzle.best}"
                    row["answer"] = answer + near
        screen.show(rows, form)
    screen.tell_after(_again(found), form)


def _again(found: Any) -> str:
    """Say how to deal the same again."""
    return f"drawing {found.version}: {found.command}"


def _executor(
    found: "Deal", asked: dict[str, Any] | None = None
) -> "AbstractContextManager[Executor | None]":
    """Return what solves puzzles, if they have to be: all cores where that is worth it."""
    from crisps24.puzzle import KEYS, is_solving, shares_of, work_of

    much = is_solving((asked or {}).get("fields", KEYS)) and work_of(found) > _SHARED
    return screen.executor_of(None, shares_of(found), worth_it=much)


def _lines(found: "Deal", form: str, asked: dict[str, Any]) -> Iterator[str]:
    """Yield puzzles, with what is asked of them or all that is known, as the lines of a format."""
    from crisps24.puzzle import KEYS

    with _executor(found, asked) as executor:
        keys = asked.get("fields", KEYS)
        yield from screen.streamed(found.rows(executor, **asked), form, keys)


def _blank(found: "Deal", form: str) -> Iterator[str]:
    """Yield the table in which a class's answers are filled in."""
    from crisps24.judging.records import column_for

    columns = [column_for(number, puzzle.id) for number, puzzle in enumerate(found, 1)]
    return screen.streamed([], form, ["name", *columns])


def _write(out: Path, made: "Callable[[], tuple[Deal, Iterable[bytes]]]") -> None:
    """Write what is made into a file, and tell how the same is dealt again."""
    from crisps24.output.atomic_files import check_place

    check_place(out)
    found, pieces = made()
    screen.write_file(out, pieces)
    click.echo(_again(found))


def _quiz(
    count: int, choice: Choice, kinds: Sequence[str], style: str, language: str
) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give questions about them as Moodle reads them."""
    from crisps24.drawing.gift import gift_of
    from crisps24.messages.choosing import LANGUAGES
    from crisps24.paper.quizzes import questions

    asked_in = LANGUAGES[language]
    found = choice.deal(count).written_in(style or asked_in.style)
    told = f"{found.command} (drawing {found.version})"
    return found, screen.encoded(gift_of(questions(found, kinds, asked_in), told))


def _sheet(
    form: str, count: int, choice: Choice, sheet: "Sheet", style: str
) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give them as a sheet of paper."""
    from crisps24.paper.papers import check_sheet, has_key, painted, signs_of

    check_sheet(form, sheet, count)
    found = choice.deal(count).written_in(signs_of(sheet, style))
    every: list[str] = []
    if has_key(form, sheet):
        with _executor(found) as executor:
            every = found.answers(executor)
    return found, painted(form, found, sheet, every)


def _deal_signs(count: int, choice: Choice, form: str, answers: bool, *, equals: bool) -> None:
    """Show puzzles with missing signs, and how to deal the same again."""
    from crisps24.cli.solving import sides_in
    from crisps24.equation_puzzles.deals import deal_signs

    game = choice.game
    if choice.conditions.get("lengths"):
        raise click.UsageError("--signs are of one --length")
    chosen: dict[str, Any] = {"target": choice.target, "targets": choice.targets}
    found = deal_signs(game, count, seed=choice.seed, equals=equals, **chosen)
    rows: list[Row] = []
    for number, puzzle in enumerate(found.puzzles, 1):
        answer = {"answer": sides_in(game.signs, puzzle.sides, game)}
        shown = answer if answers or form in STREAMS else {}
        rows.append({"number": number, "puzzle": str(puzzle.gaps)} | shown)
    screen.show(rows, form)
    screen.tell_after(_again(found), form)
