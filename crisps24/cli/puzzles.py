"""The command that makes puzzles: deal, on the screen, in files, on paper and as a quiz."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crisps24.cli.choosing import Choice, choosing_options
from crisps24.cli.options import (
    SOURCE,
    Reading,
    as_wrong_call,
    encoded,
    executor_of,
    form_of,
    format_option,
    language_option,
    refuse_given,
    show,
    streamed,
    write_file,
)
from crisps24.cli.signs import deal_signs_of
from crisps24.notation.styles import STYLES
from crisps24.outside.drawings import PAPERS
from crisps24.outside.tables import DEFAULT_FORMAT, HEADED, STREAMS, Row
from crisps24.rules.deals import format_hand

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from crisps24.puzzles.dealing import Deal
    from crisps24.solving.puzzle import Puzzle

# More work than to solve so many hands of six is shared by all cores.
_SHARED = 100 * 6**6
# What only a sheet has, and what only the screen has.
_OF_SHEETS = (
    *("per_page", "paper", "title", "name_line", "cut_lines", "no_key"),
    *("no_dots", "upright", "large_print", "language"),
)
_OF_SCREEN = ("answers", "form")
# What only rows have.
_OF_ROWS = ("no_header", "fields", "prompt")
# A prompt of more characters is none that anybody wrote.
_LONGEST_PROMPT = 100_000


def _fields(text: str) -> tuple[str, ...]:
    from crisps24.puzzles.telling import parse_fields

    return parse_fields(text)


def _kinds(text: str) -> tuple[str, ...]:
    from crisps24.puzzles.quizzes import check_kinds

    return check_kinds([name.strip() for name in text.split(",")])


@click.command()
@click.option("--count", default=1, help="How many puzzles.", show_default=True)
@choosing_options
@click.option("--answers", is_flag=True, help="With the likeliest solution.")
@click.option("--signs", is_flag=True, help="Numbers in order, and the signs are missing: one way.")
@click.option("--equals", is_flag=True, help="With --signs, and = is missing as well.")
@click.option(
    "--style",
    type=click.Choice(list(STYLES)),
    help="The signs; those of the language, or the game's own.",
)
@click.option(
    "--fields",
    type=Reading("names", _fields),
    help="What is told of each: nums,target, or question,answer,metadata, and others.",
)
@click.option(
    "--prompt",
    type=SOURCE,
    help="A file: the text of the field prompt, with {numbers}, {target}, {rules} and others.",
)
@format_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="A file: .pdf, .html, .svg or .png (one page, no key); .csv, .tsv, .json or .jsonl.",
)
@language_option
@click.option("--blank", is_flag=True, help="A table to fill in: name, and a column a puzzle.")
@click.option(
    "--quiz",
    type=click.Path(path_type=Path),
    help="A file for Moodle (GIFT): a question about each, right by construction.",
)
@click.option(
    "--ask",
    "kinds",
    type=Reading("names", _kinds),
    help="What a quiz asks in turn, of hand,sign,step,value; all where nothing is said.",
)
@click.option("--per-page", type=int, help="1, 2, 4, 6, 9, 12 or 20 puzzles; up to 12 as they fit.")
@click.option(
    "--paper",
    default="a4",
    help=f"{', '.join(PAPERS)}, or card: one card alone, in an .svg or a .png.",
    show_default=True,
)
@click.option("--title", default="", help="What stands above the puzzles.")
@click.option("--name-line", is_flag=True, help="With a line for name and date.")
@click.option("--cut-lines", is_flag=True, help="To be cut out: with no lines to write on.")
@click.option("--no-key", is_flag=True, help="Without the pages of answers.")
@click.option("--no-dots", is_flag=True, help="Without the dots of levels.")
@click.option("--upright", is_flag=True, help="With every number of a round card upright.")
@click.option("--large-print", is_flag=True, help="Two a page, in letters as large as may be.")
def deal(
    count: int,
    choice: Choice,
    answers: bool,
    signs: bool,
    equals: bool,
    style: str | None,
    fields: tuple[str, ...] | None,
    prompt: IO[bytes] | None,
    form: str,
    out: Path | None,
    blank: bool,
    quiz: Path | None,
    kinds: tuple[str, ...] | None,
    **sheet: Any,
) -> None:
    """Deal puzzles that have a solution.

    The same seed deals the same puzzles on every machine; without one it is drawn and told.

    Example: crisps24 deal cards --count 20 --seed 7 --level 2..4

    With --signs precedence alone decides, and there is one way to put them: 4 _ 3 _ 8 _ 4 = 24.
    """
    if signs:
        refuse_given(["blank", "quiz", "kinds"], "{} is for puzzles, and --signs has none")
        deal_signs_of(count, choice, form, equals=equals, answers=answers)
        return
    refuse_given(["equals"], "{} is one of the --signs that are missing")
    if quiz is not None:
        others = ("out", "blank", *_OF_SHEETS, *_OF_SCREEN, *_OF_ROWS)
        refuse_given(
            (name for name in others if name != "language"), "a --quiz has questions alone: no {}"
        )
        _write(quiz, partial(_quiz, count, choice, kinds or (), style or "", sheet["language"]))
        return
    refuse_given(["kinds"], "{} says what a --quiz asks: give one")
    asked = _asked(fields, prompt)
    if out is not None:
        file_form = _form_of(out)
        refuse_given(_OF_SCREEN, "{} is for the screen: the end of its name tells what a file has")
        if blank:
            _write(out, partial(_blank, file_form, count, choice))
        elif file_form in STREAMS:
            _write(out, partial(_rows, file_form, count, choice, asked, style or ""))
        else:
            _write(out, partial(_sheet, file_form, count, choice, sheet | {"style": style or ""}))
        return
    refuse_given((*_OF_SHEETS, "blank"), "{} is for sheets: say with --out where to")
    if form not in STREAMS and not (answers or asked):
        refuse_given(["style"], "{} is of formulas: ask for --answers")
    if asked:
        refuse_given(["answers"], "{} is for people: answer is one of the --fields")
    _show(choice.deal(count).written_in(style or ""), form, answers, asked)


def _asked(fields: tuple[str, ...] | None, prompt: IO[bytes] | None) -> dict[str, Any]:
    """Return what rows tell, where that is asked: their fields, and the template of prompts."""
    if prompt is None:
        return {} if fields is None else {"fields": fields}
    from crisps24.puzzles.telling import PROMPTS, check_template
    from crisps24.solving.puzzle import KEYS

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
    with as_wrong_call():
        check_template(template)
    return {"fields": fields, "template": template}


def _show(found: "Deal", form: str, answers: bool, asked: dict[str, Any]) -> None:
    if form in STREAMS:
        for line in _lines(found, form, asked):
            sys.stdout.write(f"{line}\n")
    elif asked:
        with _executor(found, asked) as executor:
            show(list(found.rows(executor, **asked)), form)
    else:
        rows = [_row_for_people(*numbered) for numbered in enumerate(found, 1)]
        if answers:
            with _executor(found) as executor:
                for row, puzzle, answer in zip(rows, found, found.answers(executor), strict=True):
                    near = "" if puzzle.best == puzzle.target else f" = {puzzle.best}"
                    row["answer"] = answer + near
        show(rows, form)
    _tell(found, err=form != DEFAULT_FORMAT)


def _tell(found: "Deal", *, err: bool = False) -> None:
    """Say how to deal the same again."""
    click.echo(f"drawing {found.version}: {found.command}", err=err)


def _executor(
    found: "Deal", asked: dict[str, Any] | None = None
) -> "AbstractContextManager[Executor | None]":
    """Return what solves puzzles, if they have to be: all cores where that is worth it."""
    from crisps24.solving.puzzle import KEYS, is_solving, shares_of, work_of

    much = is_solving((asked or {}).get("fields", KEYS)) and work_of(found) > _SHARED
    return executor_of(None, shares_of(found), worth_it=much)


def _lines(found: "Deal", form: str, asked: dict[str, Any]) -> Iterator[str]:
    """Yield puzzles, with what is asked of them or all that is known, as the lines of a format."""
    from crisps24.solving.puzzle import KEYS

    with _executor(found, asked) as executor:
        yield from streamed(found.rows(executor, **asked), form, asked.get("fields", KEYS))


def _row_for_people(number: int, puzzle: "Puzzle") -> Row:
    return {
        "number": number,
        "hand": format_hand(puzzle.hand),
        "target": puzzle.target,
        "level": puzzle.level,
        "id": puzzle.id,
    }


def _write(out: Path, made: "Callable[[], tuple[Deal, Iterator[bytes]]]") -> None:
    """Write what is made into a file, and tell how the same is dealt again."""
    from crisps24.outside.whole_files import check_place

    check_place(out)
    found, pieces = made()
    write_file(out, pieces)
    _tell(found)


def _form_of(out: Path) -> str:
    """Return the format that the end of a name tells."""
    from crisps24.puzzles.papers import SHEET_FORMATS

    return form_of(out, "--out", (*SHEET_FORMATS, *STREAMS))


def _rows(
    form: str, count: int, choice: Choice, asked: dict[str, Any], style: str
) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give them as the lines of a file."""
    refuse_given(_OF_SHEETS, f"{{}} is for sheets, and a .{form} is none")
    found = choice.deal(count).written_in(style)
    return found, encoded(_lines(found, form, asked))


def _blank(form: str, count: int, choice: Choice) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give the table in which a class's answers are filled in."""
    from crisps24.notation.lines import column_for

    others = (*_OF_SHEETS, *_OF_ROWS, "style")
    refuse_given(others, "a --blank table has names and answers alone: no {}")
    if form not in HEADED:
        raise click.UsageError(f"--blank is a table: .{' or .'.join(HEADED)}, and no .{form}")
    found = choice.deal(count)
    columns = [column_for(number, puzzle.id) for number, puzzle in enumerate(found, 1)]
    return found, encoded(streamed([], form, ["name", *columns]))


def _quiz(
    count: int, choice: Choice, kinds: Sequence[str], style: str, language: str
) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give questions about them as Moodle reads them."""
    from crisps24.languages.choosing import find_language
    from crisps24.outside.gift import gift_of
    from crisps24.puzzles.quizzes import questions

    asked_in = find_language(language)
    found = choice.deal(count).written_in(style or asked_in.style)
    told = f"{found.command} (drawing {found.version})"
    return found, encoded(gift_of(questions(found, kinds, asked_in), told))


def _sheet(
    form: str, count: int, choice: Choice, options: dict[str, Any]
) -> "tuple[Deal, Iterator[bytes]]":
    """Deal puzzles, and give them as a sheet of paper."""
    from crisps24.puzzles.papers import check_sheet, has_key, painted, signs_of
    from crisps24.puzzles.sheets import Sheet

    refuse_given(_OF_ROWS, f"{{}} is for rows, and a .{form} has none")
    key, dots = not options.pop("no_key"), not options.pop("no_dots")
    style = options.pop("style")
    sheet = Sheet(key=key, dots=dots, **options)
    check_sheet(form, sheet, count)
    found = choice.deal(count).written_in(signs_of(sheet, style))
    every: list[str] = []
    if has_key(form, sheet):
        with _executor(found) as executor:
            every = found.answers(executor)
    return found, painted(form, found, sheet, every)
