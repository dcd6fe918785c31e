"""A slow and simple reader of results files, the specification of `verify_results`.

It reads line by line, evaluates each row with `tests.oracle`, and keeps all rows in a dict.
"""

import re
from fractions import Fraction
from functools import cache

from crisps24 import Formula, Game, evaluate
from crisps24.enumeration.format import Format
from crisps24.notation.errors import IllegalFormulaError
from crisps24.rules.words import format_numbers
from tests.oracle import FILE_ORDER, Row, rows, signs_of, value_of


class NotTextError(Exception):
    """The rest of the file cannot be read."""


class SlowReader:
    """One reading of a file; `problems` has a sentence for each problem."""

    def __init__(self, content: bytes, target: int, game: Game) -> None:
        self.target = target
        self.game = game
        self.format = Format.of_game(game)
        self.problems: list[str] = []
        self.layout_only = True
        self.combinations = 0
        self.blank_lines: list[int] = []
        self.seen: dict[Row, int] = {}
        try:
            missing_lines = self._read(content)
        except NotTextError:
            self.layout_only = False
            return
        finally:
            count = len(self.blank_lines)
            said = "a blank line" if count == 1 else f"the first of {count} blank lines"
            self.problems = [problem.replace("BLANK", said) for problem in self.problems]
        if missing_lines:
            lines = "two header lines are" if missing_lines == 2 else "second header line is"
            self.note(f"the {lines} missing")
        for row in expected(target, game):
            if row not in self.seen:
                self.note(f"missing: {Formula(*row)}")

    @property
    def verdict(self) -> str:
        if not self.problems:
            return "right"
        return "right, but laid out otherwise" if self.layout_only else "wrong"

    def note(self, problem: str, layout: bool = False) -> None:
        self.problems.append(problem)
        self.layout_only = self.layout_only and layout

    def _read(self, content: bytes) -> int:
        """Read all lines; return how many header lines are missing."""
        header: list[str] = []
        in_rows = crlf = False
        for number, raw in enumerate(split(content), 1):
            text = self._text(number, raw)
            if text.endswith("\r"):
                text = text.removesuffix("\r")
                if not crlf:
                    self.note(
                        rf"line {number}: the line ends are CRLF (\r\n), not \n alone", layout=True
                    )
                crlf = True
            if number == 1 and text.startswith("\ufeff"):
                text = text.removeprefix("\ufeff")
                self.note("line 1: the file begins with a byte order mark", layout=True)
            if not in_rows and (len(header) == 2 or row_of(text, self.game.length) is not None):
                in_rows = True
                if len(header) == 1:
                    self._check_header(header)
            if in_rows:
                self._check_row(number, text)
            else:
                header.append(text)
                if len(header) == 2:
                    self._check_header(header)
            if not raw.endswith(b"\n"):
                cut_off = r"the last line is cut off: it does not end with \n"
                self.note(f"line {number}: {cut_off}", layout=True)
        return 2 - len(header)

    def _text(self, number: int, raw: bytes) -> str:
        if len(raw) > 10_000:
            self.problems.append(f"line {number}: not a results file: over 10,000 bytes long")
            raise NotTextError
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            byte = raw[error.start]
            self.problems.append(f"line {number}: not a text file: byte {byte:#04x} in it")
            raise NotTextError from None
        if "\0" in text:
            self.problems.append(f"line {number}: not a text file: byte 0x00 in it")
            raise NotTextError
        return text.removesuffix("\n")

    def _check_header(self, header: list[str]) -> None:
        if tuple(header) == self.format.old_header[: len(header)]:
            return
        layout = Format.of_header(*header) if len(header) == 2 else None
        if layout is not None and layout.length != self.game.length:
            numbers = f"{layout.length} numbers, not {self.game.length}"
            self.note(f"line 1: wrong header: it is for {numbers}")
            return
        for number, text in enumerate(header, 1):
            right = self.format.header[number - 1]
            if text != right:
                same = text.split() == right.split()
                self.note(f"line {number}: wrong header: it should be {right!r}", layout=same)

    def _check_row(self, number: int, text: str) -> None:
        row = row_of(text, self.game.length)
        blank = not text.strip()
        self.combinations += not blank
        if blank:
            self.blank_lines.append(number)
            if len(self.blank_lines) == 1:
                self.note(f"line {number}: BLANK", layout=True)
            return
        if row is None:
            start = f"{text[:60]}…" if len(text) > 60 else text
            numbers = f"{self.game.length} numbers and {self.game.length - 1} operators"
            self.note(f"line {number}: {start!r} is not a row of {numbers}")
            return
        formula, right = Formula(*row), laid_out(row, self.game)
        if text != right:
            self.note(f"line {number}: the columns are off, it should be {right!r}", layout=True)
        objection = objection_to(formula, self.target, self.game)
        if objection:
            self.note(f"line {number}: {formula}: {objection}")
        elif row in self.seen:
            self.note(f"line {number}: {formula} is in line {self.seen[row]} already")
        else:
            if self.seen and order(row) < order(next(reversed(self.seen))):
                self.note(f"line {number}: out of order: {formula} belongs further up")
            self.seen[row] = number


@cache
def row_of(text: str, length: int) -> Row | None:
    """Return the row of `length` numbers in a line with any spacing, None if it is not a row."""
    match = re.fullmatch(
        rf"((?:[ \t]+-?[0-9]{{1,30}}){{{length}}})"
        rf"((?:[ \t]+[{re.escape(FILE_ORDER)}]){{{length - 1}}})[ \t]*",
        text,
    )
    return match and (tuple(map(int, match[1].split())), tuple(match[2].split()))


@cache
def laid_out(row: Row, game: Game) -> str:
    return Format.of_game(game).format_row(Formula(*row))


@cache
def objection_to(formula: Formula, target: int, game: Game) -> str:
    for number in formula.numbers:
        if number not in game.numbers:
            known = format_numbers(sorted(game.numbers))
            return f"{number} is not in this game (only {known})"
    foreign = [sign for sign in formula.operators if sign not in signs_of(game)]
    if foreign:
        known = " ".join(game.operators)
        return f"illegal: {foreign[0]} is not in this game (only {known})"
    value = value_of(formula.numbers, formula.operators, game)
    if value is None:
        try:
            evaluate(formula, game)
        except IllegalFormulaError as error:
            return f"illegal: {error.reason}"
    return "" if value in (None, Fraction(target)) else f"it makes {value}, not {target}"


@cache
def expected(target: int, game: Game) -> list[Row]:
    return [row for row in rows(game) if value_of(*row, game) == target]


@cache
def order(row: Row) -> tuple[tuple[int, ...], list[int]]:
    return row[0], [FILE_ORDER.index(sign) for sign in row[1]]


def split(content: bytes) -> list[bytes]:
    """Return lines with their ends; a carriage return without a line feed does not end a line."""
    lines = content.split(b"\n")
    complete = [line + b"\n" for line in lines[:-1]]
    return [*complete, lines[-1]] if lines[-1] else complete
