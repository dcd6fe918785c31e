"""Read rows of results files in other layouts, as spreadsheets, mail and old systems save them.

A line is a row if it has the numbers and operators of one in any spacing, or as a formula. Else the
changes of `_CHANGES` are made in order, until it is one; so each row counts only the differences
that it has. A line with less than a row is joined with the next lines: a wrapped row. Headers,
titles, dates and page numbers are counted; all other lines are unread. The rows are compared with
those of the game, so that no wrong guess is silent.
"""

import html
import re
from collections import Counter

from crisps24.enumeration.format import (
    HEADER_LINES,
    MAX_LINE_BYTES,
    Format,
    ResultsError,
    decode_line,
)
from crisps24.notation.trees import Formula

_CHANGES = tuple(
    (f"{{rows}} with {name}", re.compile(pattern), replacement)
    for name, pattern, replacement in (
        ("a form feed", r"[\f\v]", " "),
        ("0x1a", "\x1a", " "),
        ("no-break or other blanks", r"[^\S ]|[\u200b\u2060\ufeff]", " "),
        ("HTML tags", "<[^<>]*>", " "),
        ("quotes or commas, as in CSV", "=?\"|[;,']", " "),
        ("lines of a table", "[|│║]", " "),
        ("decimals", r"(?<=[0-9])\.0+(?![0-9])", ""),
        ("a row number or bullet", r"^ *(?:>+|[0-9]{1,9}[.):] |[-*•] (?= *[0-9]))", " "),
        ("another sign for x", "[*×·∙•✕X]", "x"),
        ("another sign for :", "[/÷∕]", ":"),
        ("another sign for -", "[−–—‐‑]", "-"),
    )
)
# The encodings of a line that is not UTF-8: the first in which it is a row is that of the line.
_ENCODINGS = ("windows-1252", "cp437", "cp850")
_RULE = re.compile("[-=_+─═ ]+")
_DATE_OR_PAGE = re.compile(r"\W*[0-9]{1,4}\W*|[0-9]{1,4}[-./:][-0-9./: ]*[0-9]")
_PROSE = re.compile(r"[^\W\d_]{2}")
_FRAGMENT = re.compile("[-+x:|0-9 ]+")
_TOKEN = re.compile("[0-9]+|[^0-9 ]")


class LayoutReader:
    """Reads lines that are not exact into `rows` and `unread` lines, and counts differences.

    The name of a difference has {rows} or {lines} for its count.
    """

    def __init__(self, row_format: Format, target: object) -> None:
        self.rows: list[tuple[int, Formula]] = []
        self.unread: list[tuple[int, str]] = []
        self.counts = Counter[str]()
        self.header_lines = 0
        self.has_header = True
        self._format = row_format
        self._header_words = {name for line in row_format.header for name in line.split()}
        self._value = f"= {target}"
        self._row_words = 2 * row_format.length - 1
        # The last lines, if they can be those of a wrapped row, and the number of the next line.
        self._fragments: list[tuple[int, str]] = []
        self._next_line = 0

    def read(self, number: int, line: bytes) -> None:
        """Read a line; raise ResultsError if it is too long, or neither text nor a row."""
        if number != self._next_line:
            self.end_fragments()
        self._next_line, error = number + 1, None
        try:
            texts = {"": decode_line(number, line)}
        except ResultsError as not_text:
            if len(line) > MAX_LINE_BYTES or b"\0" in line:
                raise
            texts = {name: line.decode(name, "replace") for name in _ENCODINGS}
            error = not_text
        plains = []
        for encoding, text in texts.items():
            plain, is_row = self._read_row(number, html.unescape(text.removesuffix("\n")))
            if is_row:
                self.counts.update([f"{{rows}} in the encoding {encoding}"] * bool(encoding))
                return
            plains.append(plain)
        self._read_other(number, next(iter(texts.values())), plains[0], error)

    def _read_row(self, number: int, text: str) -> tuple[str, bool]:
        """Add the row of a line, or of the lines that it ends; return the changed line too."""
        plain, changes = text, [("", "")]
        formula = self._formula_of(plain)
        for name, pattern, new in _CHANGES:
            if formula is None and pattern.search(plain):
                plain = pattern.sub(new, plain)
                changes.append((name, new))
                formula = self._formula_of(plain)
        names = {name for name, _ in changes}
        if formula is not None and all(new != " " for _, new in changes):
            names.add(self._spacing_of(plain, formula))
        if formula is None and self._fragments and plain.strip():
            joined = " ".join([*(text for _, text in self._fragments), plain])
            formula = self._formula_of(joined)
            if formula is None and self._is_fragment(joined):
                self._fragments.append((number, plain))
                return plain, True
            if formula is not None:
                number, names = self._fragments[0][0], {"{rows} wrapped"}
                self._fragments = []
        if formula is not None:
            self.end_fragments()
            self.rows.append((number, formula))
            self.counts.update(names - {""})
        return plain, formula is not None

    def _formula_of(self, text: str) -> Formula | None:
        if (formula := self._format.parse_row(f" {text}")) is not None:
            return formula
        words = _TOKEN.findall(text.rstrip().removesuffix(self._value))
        for order in (words, words[::2] + words[1::2]) if len(words) == self._row_words else ():
            if (formula := self._format.parse_row(" " + " ".join(order))) is not None:
                return formula
        return None

    def _spacing_of(self, text: str, formula: Formula) -> str:
        right = self._format.format_row(formula)
        names = {
            " ".join(right.split()): "{rows} with single blanks",
            right.lstrip(): "{rows} without the blanks at the start",
            right: "{rows} with blanks at the end" if text != right else "",
        }
        other = "{rows} with tabs" if "\t" in text else "{rows} in other columns"
        return names.get(text.rstrip(), other)

    def _is_fragment(self, text: str) -> bool:
        is_plain = _FRAGMENT.fullmatch(text) is not None
        return is_plain and len(_TOKEN.findall(text)) < self._row_words

    def _read_other(self, number: int, text: str, plain: str, error: ResultsError | None) -> None:
        """Read a line that is no row: blank, a header, other text, part of a row, or unread."""
        words = plain.casefold().split()
        row_words = sum(_FRAGMENT.fullmatch(word) is not None for word in words)
        marks = ("{lines} with 0x1a", "\x1a"), ("{lines} with a form feed", "\f")
        self.counts.update(name for name, mark in marks if mark in text)
        if not words:
            self.counts.update(["{lines} blank"] * (not text.strip(" \t\n")))
        elif _RULE.fullmatch(plain) or self._header_words.issuperset(words):
            self.header_lines += 1
        elif _PROSE.search(plain) and row_words < self._row_words - 1:
            self.counts["{lines} of other text"] += 1
        elif self._is_fragment(plain):
            self.end_fragments()
            self._fragments = [(number, plain)]
        elif _DATE_OR_PAGE.fullmatch(text.strip()):
            self.counts["{lines} of other text"] += 1
        elif error is not None:
            raise error
        else:
            self.unread.append((number, text.removesuffix("\n")))

    def end_fragments(self) -> None:
        """Read the last lines as they are: they are no wrapped row."""
        for number, text in self._fragments:
            if _DATE_OR_PAGE.fullmatch(text.strip()):
                self.counts["{lines} of other text"] += 1
            else:
                self.unread.append((number, text))
        self._fragments = []

    def differences(self) -> list[str]:
        """Return each difference with its count."""
        if not self.has_header:
            state = "laid out otherwise" if self.header_lines else "missing"
            self.counts[f"the header is {state}"] = 1
        self.counts["{lines} of a header again"] = max(0, self.header_lines - HEADER_LINES)
        texts = []
        for name, count in (+self.counts).items():
            end = "" if count == 1 else "s"
            texts.append(name.format(rows=f"{count:,} row{end}", lines=f"{count:,} line{end}"))
        return texts
