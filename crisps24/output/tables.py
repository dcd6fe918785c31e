"""Rows as text: as a table (tabulate), csv, tsv, json or jsonl.

A spreadsheet runs some cells of csv and tsv as formulas: see `safe_cell`.
"""

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from crisps24.errors import RefusedError

Row = dict[str, Any]

DEFAULT_FORMAT = "table"
# Between two columns; and what text is not made narrower than.
_GAP, _NARROW = 2, 12
# Formats of tabulate that do not escape the text of cells, and those in which | ends a cell.
_UNESCAPED, _BARRED = ("unsafehtml", "latex_raw"), ("github", "pipe")


class TableFormat(NamedTuple):
    """A format of rows for programs; `TABLE_FORMATS` has them by name."""

    lines: Callable[[Iterable[Row], Sequence[str]], Iterator[str]]
    """Return the lines of rows and their keys, each as soon as its row comes."""
    headed: bool = False
    """Whether the first line has the names of the columns."""
    nested: bool = False
    """Whether a row keeps lists, objects and keys that other rows lack, as in JSON."""
    readable: bool = False
    """Whether a file of answers can have this format: `judging.records` reads it."""
    one_document: bool = False
    """Whether lines of more rows cannot follow the last line."""


def check_format(name: str) -> str:
    """Return the name of a format if there is one.

    >>> check_format("github")
    'github'

    Raises ValueError for another name, listing the known ones.
    """
    if name not in own_formats():
        known = format_names()
        if name not in known:
            raise RefusedError(f"there is no format {name!r}; the formats are {', '.join(known)}")
    return name


def own_formats() -> tuple[str, ...]:
    """Return the names of the formats that are not those of tabulate."""
    return DEFAULT_FORMAT, *TABLE_FORMATS


def format_names() -> tuple[str, ...]:
    """Return the names of all formats, those of tabulate last.

    >>> "github" in format_names(), "unsafehtml" in format_names()
    (True, False)
    """
    from tabulate import tabulate_formats

    return *own_formats(), *(name for name in tabulate_formats if name not in _UNESCAPED)


def render(
    rows: Sequence[Row],
    name: str = DEFAULT_FORMAT,
    shown: Sequence[str] = (),
    width: int | None = None,
    headed: bool = True,
) -> str:
    """Return rows, which share their keys, as text in a format.

    `shown` are the keys that a table shows; json, jsonl and csv have all. In a table, a float whose
    key ends with `share` is a percentage. `width` is the largest width of a table: text is wrapped
    in its cells, or each row is a paragraph. `headed` adds a first line with the column names.

    >>> print(render([{"target": 143, "combinations": 48}]))
      target    combinations
    --------  --------------
         143              48
    >>> render([{"value": None}], "json")
    '[{"value": null}]'
    """
    keys = list(rows[0]) if rows else list(shown)
    if name in TABLE_FORMATS:
        return "\n".join(stream(rows, keys, name, headed))
    from tabulate import multiline_formats, tabulate

    keys = [key for key in shown or keys if key in keys]
    between = "\n" if name in (DEFAULT_FORMAT, *multiline_formats) else "; "
    cells = [[_cell(key, row[key], between) for key in keys] for row in rows]
    aligned = [_alignment(key, [row[key] for row in rows]) for key in keys]
    if name in _BARRED:
        cells, keys = [list(map(_barred, row)) for row in cells], list(map(_barred, keys))

    def table(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
        return tabulate(
            cells,
            headers=headers if headed else (),
            tablefmt="simple" if name == DEFAULT_FORMAT else name,
            disable_numparse=True,
            colalign=aligned if rows else None,
        )

    text = table(keys, cells)
    if name != DEFAULT_FORMAT or width is None or _width_of(text) <= width:
        return text
    widths = _fitting(keys if headed else [""] * len(keys), cells, aligned, width)
    if widths is None:
        return _paragraphs(keys, cells, width)
    wrapped = [[_wrapped(*pair) for pair in zip(row, widths, strict=True)] for row in cells]
    heads = [_wrapped(key, width - _GAP) for key, width in zip(keys, widths, strict=True)]
    return table(heads, wrapped)


def _barred(cell: str) -> str:
    return cell.replace("|", r"\|")


def _width_of(text: str) -> int:
    return max(map(len, text.split("\n")))


def _fitting(
    keys: Sequence[str], cells: Sequence[Sequence[str]], aligned: Sequence[str], width: int
) -> list[int] | None:
    """Return widths of columns that fit, narrower for text, or None if none do."""
    columns = [[key, *column] for key, *column in zip(keys, *cells, strict=True)]
    # The head of a column gets two spaces more.
    widths = [max(_width_of(key) + _GAP, *map(_width_of, column)) for key, *column in columns]
    # No narrower than the longest word, text no narrower than is read easily, and numbers whole.
    least = [
        min(natural, max(_longest_word(column), _longest_word(column[:1]) + _GAP, _NARROW))
        if side == "left"
        else max(_longest_word(column[:1]) + _GAP, *map(_width_of, column[1:]))
        for natural, column, side in zip(widths, columns, aligned, strict=True)
    ]
    while (excess := sum(widths) + _GAP * (len(widths) - 1) - width) > 0:
        place = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[place] == least[place]:
            return None
        widths[place] = max(least[place], widths[place] - max(1, excess // len(widths)))
    return widths


def _longest_word(cells: Sequence[str]) -> int:
    return max(len(word) for cell in cells for word in cell.split() or [""])


def _wrapped(cell: str, width: int) -> str:
    # tabulate's own wrapping reads text such as 12,345 as a number, and fails.
    lines = (textwrap.wrap(line, width) or [""] for line in cell.split("\n"))
    return "\n".join(part for line in lines for part in line)


def _paragraphs(keys: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> str:
    """Return each row as lines of a key and its value."""
    indent = max(map(len, keys)) + _GAP
    return "\n\n".join(
        "\n".join(
            f"{key:{indent}}"
            + _wrapped(cell, max(_NARROW, width - indent)).replace("\n", "\n" + " " * indent)
            for key, cell in zip(keys, row, strict=True)
        )
        for row in cells
    )


def _alignment(key: str, values: Sequence[Any]) -> str:
    numbers = [value for value in values if value is not None]
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        return "left"
    decimal = any(isinstance(each, float) for each in numbers) and not _is_share(key)
    return "decimal" if decimal else "right"


def _is_share(key: str) -> bool:
    return key.endswith("share")


def _json_lines(rows: Iterable[Row], _: Sequence[str]) -> Iterator[str]:
    """Yield a row a line, so that a person can read it too."""
    line = "["
    for row in rows:
        if line != "[":
            yield f"{line},"
            line = " "
        line += _encoded(row)
    yield f"{line}]"


def _plain(value: Any) -> str:
    """Return a value that json lacks: a fraction as a string such as 3/4."""
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{value!r} cannot be written as json")


_encoded = json.JSONEncoder(ensure_ascii=False, default=_plain).encode


def _csv_lines(rows: Iterable[Row], keys: Sequence[str]) -> Iterator[str]:
    yield _csv_line(keys)
    for row in rows:
        yield _csv_line([_field(row[key]) for key in keys])


def _csv_line(fields: Sequence[str]) -> str:
    out = io.StringIO()
    # What is in the line end is what makes csv put a field in quotes.
    csv.writer(out, lineterminator="\r\n").writerow(map(safe_cell, fields))
    return out.getvalue().removesuffix("\r\n")


def _tsv_lines(rows: Iterable[Row], keys: Sequence[str]) -> Iterator[str]:
    """Yield fields with a tab between them; a tab within a field becomes a space."""
    yield _tsv_line(keys)
    for row in rows:
        yield _tsv_line([_field(row[key]) for key in keys])


def _tsv_line(fields: Sequence[str]) -> str:
    return "\t".join(safe_cell(re.sub(r"[\t\r\n]", " ", field)) for field in fields)


def safe_cell(cell: str) -> str:
    """Return a cell with a ' before it if a spreadsheet would run it as a formula.

    A spreadsheet runs a cell that starts with a sign of `_FORMULA`, and drops white space before
    it. After + or - only a whole number, a decimal or a fraction is safe. A spreadsheet whose
    language has the decimal comma splits csv at each ; and line end, in quotes too, so that the
    text behind these gets a ' in the same way. Text that starts with ' gets another, so that
    `plain_cell` can undo this.

    Source: https://owasp.org/www-community/attacks/CSV_Injection

    >>> [safe_cell(cell) for cell in ("=A1", "-5", "+3/4", "-2+A1", "'x", "4 + 3", "1; =A1; -5")]
    ["'=A1", '-5', '+3/4', "'-2+A1", "''x", '4 + 3', "1;' =A1; -5"]
    """
    # Few cells can be split, and looking for that takes longer than all else.
    if ";" in cell or "\n" in cell or "\r" in cell:
        cell = _UNSAFE_PART.sub(r"\g<0>'", cell)
    return f"'{cell}" if _UNSAFE_START.match(cell) else cell


def plain_cell(cell: str) -> str:
    """Return the text of a cell before `safe_cell`; any other cell stays as it is.

    >>> plain_cell("'=A1"), plain_cell("-5"), plain_cell("'tis")
    ('=A1', '-5', "'tis")
    """
    if cell.startswith("'") and _UNSAFE_START.match(cell, 1):
        cell = cell[1:]
    return _SAFE_PART.sub(r"\1", cell)


# White space except line ends, characters that nobody sees, and quotes, which tsv does not escape.
_DROPPED = (
    r"(?:[^\S\r\n]|[\"\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\ufeff]"
    r"|[\u200b-\u200f\u202a-\u202e\u2060-\u206f])*+"
)
_NUMBER = r"\ ?(?:[0-9]+(?:[./][0-9]+)?|\.[0-9]+)"
# Excel also runs formulas with full-width signs (Japanese, Chinese).
_FORMULA = rf"{_DROPPED}(?:[=@＝＠]|[-+−－＋](?!{_NUMBER}"
_UNSAFE_START = re.compile(rf"['\t\r\n]|{_FORMULA}\Z))")
# A sign alone is no formula: operators are listed as "- ; +".
_PART = rf"(?='|{_FORMULA}[^\S\r\n]*(?:[;\r\n]|\Z)|[^\S\r\n]*(?:[;\r\n]|\Z))))"
_UNSAFE_PART, _SAFE_PART = re.compile(rf"[;\r\n]{_PART}"), re.compile(rf"([;\r\n])'{_PART}")


def stream(
    rows: Iterable[Row], keys: Sequence[str], name: str, headed: bool = True
) -> Iterator[str]:
    """Yield the lines of rows in one of `TABLE_FORMATS` as they come; see `render`.

    >>> list(stream([{"target": 143}], ["target"], "csv", headed=False))
    ['143']
    """
    form = TABLE_FORMATS[name]
    lines = form.lines(rows, keys)
    if form.headed and not headed:
        next(lines, None)
    return lines


TABLE_FORMATS: dict[str, TableFormat] = {
    "csv": TableFormat(_csv_lines, headed=True, readable=True),
    "tsv": TableFormat(_tsv_lines, headed=True, readable=True),
    "json": TableFormat(_json_lines, nested=True, one_document=True),
    "jsonl": TableFormat(lambda rows, _: map(_encoded, rows), nested=True),
}


def _field(value: Any) -> str:
    """Return a value as a field of csv, for other programs to read."""
    if isinstance(value, dict):
        return _encoded(value)
    if isinstance(value, list | tuple):
        return "; ".join(map(_field, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _cell(key: str, value: Any, between: str) -> str:
    """Return a value as a cell of a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and _is_share(key):
        return f"{value:.2%}"
    if isinstance(value, list | tuple):
        return between.join(_cell(key, each, "; ") for each in value)
    return _field(value)
