"""Read rows of results files in other layouts, as spreadsheets, mail and old systems save them.

A line is a row if it has the numbers and operators of one in any spacing, or as a formula. Else the
changes of `_CHANGES` are made in order, until it is one; so each row counts only the differences
that it has. A line with less or more than a row goes on in the next ones: wrapped rows. Headers,
titles, dates and page numbers are counted; all other lines are unread. The rows are compared with
those of the game, so that no wrong guess is silent.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator

from crisps24.enumeration.format import (
    HEADER_LINES,
    MAX_LINE_BYTES,
    Format,
    ResultsError,
    decode_line,
)
from crisps24.notation.trees import Formula
from crisps24.rules.operators import OPERATORS

_OTHER_SIGNS = [
    (
        name,
        "".join(re.escape(sign) for sign in operator.spellings if len(sign) == 1 and sign != name),
    )
    for name, operator in OPERATORS.items()
]
_CHANGES = tuple(
    (f"rows with {name}", re.compile(pattern), replacement)
    for name, pattern, replacement in (
        ("a form feed", r"[\f\v]", " "),
        ("0x1a", "\x1a", " "),
        ("no-break or other blanks", r"[^\S ]|[\u200b\u2060\ufeff]", " "),
        ("HTML tags", "<[^<>]*>", " "),
        ("quotes or commas, as in CSV", "=?\"|[;,']", " "),
        ("lines of a table", "[|│║]", " "),
        ("decimals", r"(?<=[0-9])\.0+(?![0-9])", ""),
        ("a number or bullet", r"^ *(?:>+|[0-9]{1,9}[.):] |[-*•] (?= *[0-9]))", " "),
        *(
            (f"another sign for {name}", f"[{signs}]", name)
            for name, signs in _OTHER_SIGNS
            if signs
        ),
    )
)
# The encodings of a line that is not UTF-8: the first in which it has no letter with an accent.
_ENCODINGS = ("windows-1252", "cp850")
_ACCENT = re.compile(r"[^\W\d_a-zA-Z]|\ufffd")
_RULE = re.compile("[-=_+─═ ]+")
_DATE_OR_PAGE = re.compile(r"\W*[0-9]{1,4}\W*|[0-9]{1,4}[-./:][-0-9./: ]*[0-9]")
_PROSE = re.compile(r"[a-zA-Z]{2}|\b[A-Z]\.")
_FRAGMENT = re.compile(f"[{re.escape(''.join(OPERATORS))}0-9 ]+")
_WORD = re.compile("[0-9]+|[^0-9 ]")
_OTHER_TEXT = "lines of other text"


class LayoutReader:
    """Reads lines that are not exact into `rows` and `unread` lines, and counts differences."""

    def __init__(self, row_format: Format, target: object) -> None:
        self.rows: list[tuple[int, Formula]] = []
        self.unread: list[tuple[int, str]] = []
        self.counts = Counter[str]()
        self.header_lines = 0
        self._format = row_format
        self._header_words = {name for line in row_format.header for name in line.split()}
        self._value = f"= {target}"
        self._row_words = 2 * row_format.length - 1
        # The last lines, if they can be those of a wrapped row, and the number of the next line.
        self._fragments: list[tuple[int, str]] = []
        self._next_line = 0

    def read(self, number: int, line: bytes) -> None:
        """Read a line; raise ResultsError if it is too long or not text."""
        if number != self._next_line:
            self.end_fragments()
        self._next_line = number + 1
        if not line.strip(b" \t\n"):
            self.counts["lines blank"] += 1
            return
        text, encoding = _decoded(number, line)
        text = html.unescape(text.removesuffix("\n"))
        plain, names, has_columns = text, {encoding}, True
        formula = self._formula_of(text)
        for name, pattern, new in _CHANGES:
            if formula is None and pattern.search(plain):
                plain = pattern.sub(new, plain)
                names.add(name)
                has_columns = has_columns and new != " "
                formula = self._formula_of(plain)
        if formula is not None:
            self.end_fragments()
            names.add(self._spacing_of(plain, formula) if has_columns else "")
        elif plain.strip() and self._take_wrapped(number, plain):
            return
        if formula is None:
            self._read_other(number, text, plain)
        else:
            self.rows.append((number, formula))
            self.counts.update(names - {""})

    def _take_wrapped(self, number: int, text: str) -> bool:
        """Read rows that do not end where lines do; return whether the line goes on with them."""
        joined = " ".join([*(part for _, part in self._fragments), text])
        words = _WORD.findall(joined) if _FRAGMENT.fullmatch(joined) else []
        found, size = 0, self._row_words
        while len(words) >= size and (row := self._formula_of(" ".join(words[:size]))):
            self.rows.append((self._fragments[0][0] if self._fragments else number, row))
            self._fragments, words, found = [], words[size:], found + 1
        self.counts["rows wrapped"] += found
        if found:
            self._fragments = [(number, " ".join(words))] if words else []
        elif self._fragments and 0 < len(words) < size:
            self._fragments.append((number, text))
            return True
        return found > 0

    def _formula_of(self, text: str) -> Formula | None:
        if (formula := self._format.parse_row(f" {text}")) is not None:
            return formula
        words = _WORD.findall(text.rstrip().removesuffix(self._value))
        if len(words) != self._row_words:
            return None
        orders = (words, words[::2] + words[1::2])
        formulas = (self._format.parse_row(f" {' '.join(order)}") for order in orders)
        return next(filter(None, formulas), None)

    def _spacing_of(self, text: str, formula: Formula) -> str:
        right = self._format.format_row(formula)
        names = {
            " ".join(right.split()): "rows with single blanks",
            right.lstrip(): "rows without the blanks at the start",
            right: "rows with blanks at the end" if text != right else "",
        }
        other = "rows with tabs" if "\t" in text else "rows in other columns"
        return names.get(text.rstrip(), other)

    def _read_other(self, number: int, text: str, plain: str) -> None:
        """Read a line that is no row: blank, a header, other text, part of a row, or unread."""
        words = plain.casefold().split()
        row_words = sum(_FRAGMENT.fullmatch(word) is not None for word in words)
        self.counts["lines with 0x1a"] += "\x1a" in text
        self.counts["lines with a form feed"] += "\f" in text
        if not words:
            return
        if _RULE.fullmatch(plain) or self._header_words.issuperset(words):
            self.header_lines += 1
        elif _PROSE.search(plain) and row_words < self._row_words - 1:
            self.counts[_OTHER_TEXT] += 1
        elif _FRAGMENT.fullmatch(plain) and len(_WORD.findall(plain)) < self._row_words:
            self.end_fragments()
            self._fragments = [(number, plain)]
        else:
            self._read_unread(number, text)

    def _read_unread(self, number: int, text: str) -> None:
        if _DATE_OR_PAGE.fullmatch(text.strip()):
            self.counts[_OTHER_TEXT] += 1
        else:
            self.unread.append((number, text))

    def end_fragments(self) -> None:
        """Read the last lines as they are: they are no wrapped row."""
        for number, text in self._fragments:
            self._read_unread(number, text)
        self._fragments = []

    def differences(self) -> Iterator[str]:
        """Yield each difference with its count."""
        self.counts["lines of a header again"] = self.header_lines - HEADER_LINES
        for name, count in (+self.counts).items():
            yield f"{count:,} {name if count > 1 else name.replace('s ', ' ', 1)}"


def _decoded(number: int, line: bytes) -> tuple[str, str]:
    """Return the text of a line, and the name of the difference if it is not UTF-8."""
    try:
        return decode_line(number, line), ""
    except ResultsError:
        if b"\0" in line or len(line) > MAX_LINE_BYTES:
            raise
        texts = {name: line.decode(name, "replace") for name in _ENCODINGS}
        for name, text in texts.items():
            if not _ACCENT.search(text):
                return text, f"rows in the encoding {name}"
        if not _PROSE.search(text):
            raise
    return text, ""
