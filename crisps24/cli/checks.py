"""The command that checks formulas: a few, or a file of them."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli.screen import complain, exit_with, print_rows
from crisps24.notation.styles import STYLES
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.characters import plain
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import is_id
from crisps24.rules.operators import BELOW_ZERO, OPERATORS
from crisps24.rules.rules import RULES

if TYPE_CHECKING:
    from crisps24.judging.records import Attempt, ByteStream
    from crisps24.notation.checking import Check

# What a row has, what that of a line has before it, and formats with room for what it came with.
_KEYS, _OF_LINES, _ROOMY = (
    ("formula", "value", "verdict", "reason", "position"),
    ("line", "id"),
    ("json", "jsonl"),
)
# Words of a formula that are shown together.
_LONGEST_SHOWN = 60
_STYLES = [name for name, style in STYLES.items() if style.readable or style.prefix]


@opt.command(
    opt.requires("length", "strict", "{}: formulas of any length are checked, but with --strict")
)
def check(
    formulas: Sequence[str] = opt.argument("FORMULA..."),
    target: Exact | None = opt.puzzle("Target that each formula must make.", opt.VALUE),
    card: str | None = opt.puzzle(
        'The numbers that must be used, such as "4 3 8 4", or the id of a puzzle.',
        str,
        metavar="NUMBERS",
    ),
    strict: bool = opt.puzzle("Check too that the game can deal these numbers."),
    source: "ByteStream | None" = opt.LINES,
    steps: bool = opt.STEPS,
    style: str | None = opt.display(
        "Operator signs: {}; with polish, formulas are also read that way.",
        click.Choice(_STYLES),
    ),
    form: str = opt.FORMAT,
    game: Game = opt.game_options(opt.OF_FORMULAS),
    work: int | None = opt.MOST_PAIRS,
) -> None:
    """Check that formulas are legal and make their target.

    A formula is right when it obeys the rules of the game, makes its target and uses the numbers of
    the card. The target is the one stated in the formula or by --target, else that of the game, if
    there is a card; without any target a formula is only legal or illegal. Exit status: 0 if all
    are right or legal, 1 if one is not, 2 if a line of --file is not readable.

    Examples:
      crisps24 check "4 + 3 x 8 - 4 = 24"
      crisps24 check "4 + 3 x 8 - 4" --card "4 3 8 4" --target 24
      crisps24 check "8 / (3 - 8 / 3)" --card cards:3.3.8.8=24 --steps
      crisps24 check "75 + 50 = 125, 125 x 6 = 750" --game countdown
      crisps24 check --file formulas.jsonl --format jsonl

    A line of --file is a formula, or JSON: {"formula": "4 + 3 x 8 - 4", "card": [4, 3, 8, 4],
    "target": 24, "game": "crisps"}. What the line says comes before what the call says; an "id"
    says card, target and game, so that the output of crisps24 deal can be completed with formulas
    and checked.

    Each line gets a row, with its number and id, and in json and jsonl all its other fields. Lines
    that are not readable (no such JSON, contradictory, longer than 100,000 bytes) are also reported
    on standard error. With jsonl and csv each verdict is printed before the next line is read; a
    table comes 1,000 rows at a time.
    """
    from crisps24.judging.records import Attempt

    _refuse_torn(formulas)
    if opt.was_given("all_numbers") and not (card or source or strict):
        option = RULES["all_numbers"].option_for(game.all_numbers)
        raise click.UsageError(f"{option} says how the numbers of a --card are used: give one")
    hand: Hand | None = None
    posed = card is not None and is_id(card)
    if card is not None and posed:
        game, hand, target = opt.read_id(card, ("game", "target", *opt.OF_HANDS))
    elif card is not None:
        hand = opt.read_card(card, game)
    asked, judge = Attempt("", target, hand, game, posed), _Judge(form, steps, strict, style, work)
    rows: Iterator[Row] = (judge.row(asked._replace(formula=formula)) for formula in formulas)
    if source is not None:
        without = dict.fromkeys(_OF_LINES)
        rows = chain((without | row for row in rows), judge.rows_of_lines(source, asked))
    first = list(islice(rows, 1))
    if not first:
        raise click.UsageError('give a FORMULA such as "4 + 3 x 8 - 4", or a --file with some')
    judge.tell(chain(first, rows), of_lines=source is not None)
    exit_with(judge.all_right, unreadable=judge.unread)


def _refuse_torn(words: Sequence[str]) -> None:
    """Refuse words that a shell made of one formula."""
    if len(words) < 2:
        return
    if any(re.search("[a-z.]", word) and os.path.exists(word) for word in words):  # noqa: PTH110 - what is no name of a file is none
        raise click.UsageError(
            'put the formula in quotes, such as "4 * 3": the shell put file names where * stood'
        )
    if any(map(_is_piece, words)):
        formula = " ".join(words)
        shown = formula if len(formula) <= _LONGEST_SHOWN else "4 + 3 x 8"
        raise click.UsageError(f'put the formula in quotes: crisps24 check "{shown}"')


def _is_piece(word: str) -> bool:
    """Return whether a word is no formula but a piece of one: a sign, or one at an end."""
    signs = (*(each for one in OPERATORS.values() for each in one.spellings), "=", "^")
    word = plain(word)
    if re.search(r"\s", word):
        return False
    if word.count("(") != word.count(")") or word.endswith(signs):
        return True
    return word.startswith(signs) and not re.match(f"{BELOW_ZERO}[0-9]", word)


class _Judge:
    """One call of `check`: what it has been told, and what came of it."""

    def __init__(
        self, form: str, steps: bool, strict: bool, style: str | None, work: int | None
    ) -> None:
        self.form = form
        self.work = work
        self.steps = steps
        self.strict = strict
        self.style = style
        self.all_right = True
        self.unread = False

    def rows_of_lines(self, source: "ByteStream", asked: "Attempt") -> Iterator[Row]:
        """Yield a row for each line of a file; what cannot be read is told on stderr too."""
        from crisps24.judging.records import attempt_of, lines_of, told_in

        # Who writes the lines may want to know of one before the next.
        for number, line in lines_of(source, waiting=sys.stdout.flush):
            told: Row | None = {}
            try:
                told = told_in(line)
                if told is None:
                    continue
                attempt = attempt_of(told, asked, partial(opt.read_id, others=()))
            except ValueError as error:
                self.unread = True
                complain(f"crisps24: line {number}: {error}")
                yield self._of_line(number, told or {}, self._unreadable(told or {}, str(error)))
            else:
                yield self._of_line(number, told, self.row(attempt))

    def _of_line(self, number: int, told: Row, row: Row) -> Row:
        """Return a row with its line, and with what that came with where there is room for it."""
        from crisps24.judging.records import written

        came_with = written(told if self.form in _ROOMY else {"id": told.get("id")})
        # What is ours comes before what is called the same.
        ours = {"line": number, "id": came_with.get("id")} | row
        return ours | {name: came_with[name] for name in came_with if name not in ours}

    def _unreadable(self, told: Row, why: str) -> Row:
        """Return the row of a line that cannot be read."""
        formula = told.get("formula")
        row: Row = dict.fromkeys(_KEYS) | {"verdict": "unreadable", "reason": why}
        if isinstance(formula, str):
            row["formula"] = formula
        return row | ({"steps": []} if self.steps else {})

    def row(self, attempt: "Attempt") -> Row:
        """Return the row of an attempt."""
        found = self._judged(attempt)
        self.all_right &= found.verdict in ("right", "legal")
        if found.error and self.form == DEFAULT_FORMAT:
            complain(*found.error.marked().split("\n"), str(found.error), "")
        row = found.row()
        if self.steps:
            row["steps"] = self._steps(attempt, found.reason if found.error else None)
        return row

    def _judged(self, attempt: "Attempt") -> "Check":
        """Say whether an attempt is right, of a puzzle as puzzles have it."""
        formula, target, card, game, posed = attempt
        how: Any = {"strict": self.strict, "style": self.style}
        if posed and card is not None and target is not None:
            from crisps24.puzzle import Puzzle

            return Puzzle(card, target, game, work=self.work).check(formula, **how)
        from crisps24.notation.checking import check

        return check(formula, target, card, game, **how)

    def _steps(self, attempt: "Attempt", objection: str | None) -> list[str]:
        """Return the working of a formula, nothing where it is refused before its first step."""
        from crisps24.notation import checking
        from crisps24.notation.errors import FormulaError

        try:
            lines = checking.working(attempt.formula, attempt.game, attempt.card, self.style)
        except FormulaError:
            return []
        return lines if objection is None or objection in lines else []

    def tell(self, rows: Iterable[Row], *, of_lines: bool) -> None:
        """Print rows: as they come, or as tables of so many."""
        keys = [*(_OF_LINES if of_lines else ()), *_KEYS, *(["steps"] if self.steps else [])]

        def told(block: list[Row]) -> tuple[list[Row], list[str]]:
            # Steps that were written in lines are in one.
            lines = [{**row, "formula": re.sub(r"\s", " ", row["formula"] or "")} for row in block]
            named = ["id"] if any(row.get("id") is not None for row in block) else []
            return lines, ["line", *named, "formula", "value", "verdict", "reason", "steps"]

        print_rows(rows, self.form, keys, told)
