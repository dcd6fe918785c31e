"""The slow, obvious reader of results files: line by line, every row looked at, all kept.

It is the specification that `verify_results` is held to. Each line is taken by itself, its row is
worked out by the slow program of `tests.oracle`, and what is there is kept in a dict.
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
    """The file cannot be read any further."""


class SlowReader:
    """One reading of a file, with what is wrong with it in `problems`, a sentence each."""

    def __init__(self, content: bytes, target: int, game: Game) -> None:
        self.target = target
        self.game = game
        self.format = Format.of_game(game)
        self.problems: list[str] = []
        self.only_layout = True
        self.combinations = 0
        self.seen: dict[Row, int] = {}
        try:
            lacking = self._read(content)
        except NotTextError:
            self.only_layout = False
            return
        if lacking:
            lines = "two header lines are" if lacking == 2 else "second header line is"
            self.note(f"the {lines} missing")
        for row in expected(target, game):
            if row not in self.seen:
                self.note(f"missing: {Formula(*row)}")

    @property
    def verdict(self) -> str:
        if not self.problems:
            return "right"
        return "right, but laid out otherwise" if self.only_layout else "wrong"

    def note(self, problem: str, layout: bool = False) -> None:
        self.problems.append(problem)
        self.only_layout = self.only_layout and layout

    def _read(self, content: bytes) -> int:
        """Read all lines; return how many of the header are missing."""
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
                    self._of_header(header)
            if in_rows:
                self._of_row(number, text)
            else:
                header.append(text)
                if len(header) == 2:
                    self._of_header(header)
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

    def _of_header(self, header: list[str]) -> None:
        if tuple(header) == self.format.old_header[: len(header)]:
            return
        told = Format.of_header(*header) if len(header) == 2 else None
        if told is not None and told.length != self.game.length:
            numbers = f"{told.length} numbers, not {self.game.length}"
            self.note(f"line 1: wrong header: it is for {numbers}")
            return
        for number, text in enumerate(header, 1):
            wanted = self.format.header[number - 1]
            if text != wanted:
                same = text.split() == wanted.split()
                self.note(f"line {number}: wrong header: it should be {wanted!r}", layout=same)

    def _of_row(self, number: int, text: str) -> None:
        row = row_of(text, self.game.length)
        blank = not text.strip()
        self.combinations += not blank
        if row is None:
            shown = f"{text[:60]}…" if len(text) > 60 else text
            numbers = f"{self.game.length} numbers and {self.game.length - 1} operators"
            self.note(f"line {number}: {shown!r} is not a row of {numbers}", layout=blank)
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
    """Return the row of so many numbers in a line, however it is spaced."""
    found = re.fullmatch(
        rf"((?:[ \t]+-?[0-9]{{1,30}}){{{length}}})"
        rf"((?:[ \t]+[{re.escape(FILE_ORDER)}]){{{length - 1}}})[ \t]*",
        text,
    )
    return found and (tuple(map(int, found[1].split())), tuple(found[2].split()))


@cache
def laid_out(row: Row, game: Game) -> str:
    """Return a row as it should stand in a file."""
    return Format.of_game(game).format_row(Formula(*row))


@cache
def objection_to(formula: Formula, target: int, game: Game) -> str:
    """Return what is wrong with a row, or nothing."""
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
    """Return lines with their ends; a carriage return alone ends none."""
    lines = content.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole
