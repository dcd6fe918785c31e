"""The command check: formulas from the call or a file."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import cast

import click

from crisps24.cli import options as opt
from crisps24.cli import screen
from crisps24.errors import CrispsError, RefusedError, parse_language
from crisps24.judging.records import Attempt, parse_attempt, parse_filled, to_json_value
from crisps24.judging.table_rows import ByteStream, read_records
from crisps24.messages.message import Language, reason_row
from crisps24.notation.styles import STYLES
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game
from crisps24.rules.ids import is_id
from crisps24.rules.rules import RULES
from crisps24.rules.words import NUMBER_WORD

with opt.lazy_imports(globals()):
    from crisps24 import puzzle
    from crisps24.cli import meanings
    from crisps24.notation import checking, errors

# Columns of a formula; with --file, those of its line come first.
_KEYS = ("formula", "value", "verdict", "reason", "position")
_LINE_KEYS = ("line", "id")
# A table has this column.
_COLUMNS = ("formula",)
# Two or more numbers with blanks between them, then : or ; and a formula.
_CARD_AND_FORMULA = re.compile(
    rf"((?:{NUMBER_WORD}|[AJQK])(?:[ \t]+(?:{NUMBER_WORD}|[AJQK]))+)[ \t]*[:;](.+)"
)
# Length of the longest formula that a message repeats.
_MAX_EXAMPLE_CHARACTERS = 60
_CARD_TEXT = 'The numbers that must be used, such as "4 3 8 4", or the id of a puzzle.'
_STYLE_TEXT = "Operator signs: {}; with polish, formulas are also read that way."
_STYLES = [name for name, style in STYLES.items() if style.readable or style.prefix]


@opt.command(opt.requires("length", "strict", "{} limits formulas only with --strict: add it"))
def check(
    formulas: Sequence[str] = opt.argument("FORMULA..."),
    target: Exact | None = opt.puzzle("Target that each formula must make.", opt.VALUE),
    card: str | None = opt.puzzle(_CARD_TEXT, str, metavar="NUMBERS"),
    strict: bool = opt.puzzle("Also check that the game can deal these numbers."),
    source: ByteStream | None = opt.LINES,
    steps: bool = opt.STEPS,
    style: str | None = opt.display(_STYLE_TEXT, click.Choice(_STYLES)),
    language: str = opt.LANGUAGE_OF_REASONS,
    form: str = opt.FORMAT,
    game: Game = opt.game_options(opt.ALL_RULES),
    work: int | None = opt.WORK_LIMIT,
) -> None:
    """Check that formulas are legal and make their target.

    A formula is right when it obeys the rules of the game, makes its target and uses the numbers of
    the card. The formula or --target sets the target; with a card, the default is the target of
    the game. Without a target a formula is only legal or illegal. Exit status: 0 if all formulas
    are right or legal, 1 if not, 2 if a line of --file is not readable.

    Examples:
      crisps24 check "4 + 3 x 8 - 4 = 24"
      crisps24 check "4 + 3 x 8 - 4" --card "4 3 8 4" --target 24
      crisps24 check "8 / (3 - 8 / 3)" --card cards:3.3.8.8=24 --steps
      crisps24 check "75 + 50 = 125, 125 x 6 = 750" --game countdown
      crisps24 check --file formulas.jsonl --format jsonl

    A line of --file is a formula, a card and its formula (4 3 8 4: 4 + 3 x 8 - 4), a row of a
    table with columns card and formula, or JSON: {"formula": "4 + 3 x 8 - 4", "card": [4, 3, 8, 4],
    "target": 24, "game": "crisps"}. These fields replace the options of the call, and so do rules:
    "operators": "+-", "zero": false. An "id" sets card, target and game: add a formula to each line
    of crisps24 deal --format jsonl to check it.

    Each line has a row with its number and id; json and jsonl copy its other fields.
    The first 20 unreadable lines are also reported on standard error. With jsonl and csv a verdict
    is printed before the next line is read.
    """
    _refuse_id_or_unquoted(formulas, game)
    if opt.was_given("all_numbers") and not (card or source or strict):
        option = RULES["all_numbers"].option_for(game.all_numbers)
        raise click.UsageError(f"{option} is about the numbers of a card: add --card")
    # The puzzle of formulas without their own.
    game, hand, target = opt.read_card_or_id(card, target, game)
    default = Attempt("", hand, target, game)
    formula_rows = _FormulaRows(form, game, steps, strict, style, work, parse_language(language))
    rows = formula_rows.rows_of_call(formulas, source, default)
    # Refuse a call without any formula before a table is started.
    first_row = list(islice(rows, 1))
    if not first_row:
        raise click.UsageError(
            'give a FORMULA, such as "4 + 3 x 8 - 4", or --file'
            if source is None
            else "--file has no formula (expected one on each line)"
        )
    formula_rows.print(chain(first_row, rows), of_lines=source is not None)
    if formula_rows.needs_parentheses and not opt.chooses_parentheses():
        # Brackets in a game without them: the call with the game in which the formula is right.
        root = click.get_current_context().find_root()
        line, _ = meanings.meant_call(root.obj, cast(click.Group, root.command))
        advice = f": {line}" if "--game" in line else ""
        screen.print_to_stderr(f"this is the game {game.name}, without brackets{advice}")
    screen.exit_by(formula_rows.verdicts)


def _record_of(line: str | Row | RefusedError) -> Row | None:
    if isinstance(line, str) and (match := _CARD_AND_FORMULA.fullmatch(line)):
        return {"card": match[1], "formula": match[2].strip()}
    return parse_filled(line)


def _refuse_id_or_unquoted(words: Sequence[str], game: Game) -> None:
    """Refuse the words of a call that are an id, or one formula without quotes: 4 + 3 x 8."""
    if words and is_id(words[0]):
        raise click.UsageError(f"{words[0]} is a puzzle: use crisps24 solve {words[0]}")
    opt.refuse_file(words)
    if len(words) < 2:
        return
    if any(re.search("[a-z.]", word) and os.path.exists(word) for word in words):  # noqa: PTH110 - Path.exists raises for an invalid name
        raise click.UsageError(
            'put the formula in quotes, such as "4 * 3": the shell replaces * by file names'
        )
    formula = " ".join(words)
    if _is_accepted(formula, game) and not any(_is_accepted(word, game) for word in words):
        example = formula if len(formula) <= _MAX_EXAMPLE_CHARACTERS else "4 + 3 x 8"
        raise click.UsageError(f'put the formula in quotes: use crisps24 check "{example}"')
    is_game = any(word.casefold() in GAMES for word in words)
    is_hand = len(words) > sum(map(str.isdigit, words)) > 2
    if is_game or is_hand:
        beside = "the name of a game is" if is_game else "the numbers of a card are"
        raise click.UsageError(f"{beside} no formula")
    if any(map(re.compile(r"[^\W\d_]{2,}").fullmatch, words)) and re.search(r"\d", formula):
        raise click.UsageError("a word is no formula")


def _is_accepted(text: str, game: Game) -> bool:
    """Return whether a text is a right or legal formula with at least one operator."""
    if not re.search(r"\D", text.strip()):
        return False
    return bool(checking.check_against_target(text, None, None, game))


@dataclass
class _FormulaRows:
    """Makes a row of each formula by the options of one call; keeps what sets its exit status."""

    form: str
    game: Game
    steps: bool
    strict: bool
    style: str | None
    work: int | None
    language: Language
    verdicts: set[str] = field(default_factory=set)
    needs_parentheses: bool = False

    def rows_of_call(
        self, formulas: Sequence[str], source: ByteStream | None, default: Attempt
    ) -> Iterator[Row]:
        """Check the formulas of the call, and then those of the file, each when it is needed."""
        line_fields = {} if source is None else dict.fromkeys(_LINE_KEYS)
        for formula in formulas:
            yield line_fields | self.row_of(default._replace(formula=formula))
        if source is not None:
            yield from self.rows_of_lines(source, default)

    def rows_of_lines(self, source: ByteStream, default: Attempt) -> Iterator[Row]:
        parse_id = partial(opt.read_id, excluded=())
        # Print before each wait, since the writer of a pipe can need the verdict.
        for number, line in read_records(source, _COLUMNS, sys.stdout.flush, plain=True):
            record: Row | None = {}
            try:
                record = _record_of(line)
                if record is None:
                    continue
                attempt = parse_attempt(record, default, parse_id)
            except CrispsError as error:
                self.verdicts.add("unreadable")
                screen.print_line_error(number, error.sentence(self.language))
                record = record or {}
                formula = record.get("formula")
                row: Row = {"formula": formula if isinstance(formula, str) else None, "value": None}
                row |= {"verdict": "unreadable"} | reason_row(error.message, self.language)
                row |= {"position": None} | ({"steps": []} if self.steps else {})
            else:
                row = self.row_of(attempt)
            fields = to_json_value(
                record if screen.is_nested(self.form) else {"id": record.get("id")}
            )
            columns = {"line": number, "id": fields.get("id")} | row
            # The other fields come after the columns, and do not replace any.
            kept = [name for name in columns if name not in ("id", "formula")]
            fields = {f"input_{n}" if n in kept else n: value for n, value in fields.items()}
            if number == 1 and (names := [n for n in kept if f"input_{n}" in fields]):
                screen.say_kept(names)
            yield columns | fields | columns

    def row_of(self, attempt: Attempt) -> Row:
        verdict = self._verdict_on(attempt)
        self.verdicts.add(verdict.verdict)
        # A line can have a game of its own.
        self.needs_parentheses |= "(" in attempt.formula and not attempt.game.parentheses
        if verdict.error and self.form == DEFAULT_FORMAT:
            marked_lines = verdict.error.marked().split("\n")
            screen.complain(*marked_lines, verdict.error.sentence(self.language), "")
        row = verdict.row(self.language.name)
        if self.steps:
            row["steps"] = self._steps(attempt, row["reason"] if verdict.error else None)
            if verdict and not row["steps"]:
                # A formula among words.
                row["steps"] = self._steps(attempt._replace(formula=verdict.formula), None)
        return row

    def _verdict_on(self, attempt: Attempt) -> "checking.Check":
        if attempt.card is None or not attempt.game.accepts_closest:
            verdict = checking.check_against_target(*attempt, strict=self.strict, style=self.style)
            # Words around a formula are only read for a card.
            if attempt.card is None or verdict.verdict != "malformed":
                return verdict
        return puzzle.check(*attempt, strict=self.strict, style=self.style, work=self.work)

    def _steps(self, attempt: Attempt, error_text: str | None) -> list[str]:
        formula, card, _, game = attempt
        try:
            lines = checking.working_lines(formula, game, card, self.style, self.language)
        except errors.FormulaError:
            return []
        is_error_elsewhere = error_text is not None and error_text not in lines
        return [] if is_error_elsewhere else lines

    def print(self, rows: Iterable[Row], *, of_lines: bool) -> None:
        line_columns = _LINE_KEYS if of_lines else ()
        points_column = screen.points_column(self.game)
        columns = [*line_columns, *_KEYS, *points_column, *(["steps"] if self.steps else [])]

        def table_of(rows: list[Row]) -> list[Row]:
            # A formula can have several lines, one per step; the table has one line.
            formulas = (re.sub(r"\s", " ", row["formula"] or "") for row in rows)
            id_column = ["id"] if any(row.get("id") is not None for row in rows) else []
            columns = ["line", *id_column, "formula", "value", *points_column]
            columns += ["verdict", "reason", "steps"]
            rows = [row | {"formula": text} for row, text in zip(rows, formulas, strict=True)]
            return screen.in_language(rows, columns, self.language)

        screen.print_rows(rows, self.form, columns, table_of)
