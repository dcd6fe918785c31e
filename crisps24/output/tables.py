"""Rows as text: a table (by tabulate), csv, tsv, json or jsonl.

A row is a dict. In a table, a float whose key ends with `share` is a percentage. Lines are without
their line ends.

Spreadsheets run some cells of csv and tsv as formulas; `safe_cell` prevents that with a ' before
them, as https://owasp.org/www-community/attacks/CSV_Injection says:

- They run cells that start with =, @, + or - (or a full-width form), also after white space. A
  number, such as -5, -0.5 or +3/4, is safe. A cell that starts with a tab or a line end is not.
- If a language writes decimals with a comma, its spreadsheets split csv at each ; and line end,
  even inside quotes. Each part after these is treated as a cell, but a + or - alone is safe.
- Text that starts with ' gets a second one, so that `plain_cell` can undo this.
"""

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from crisps24.errors import RefusedError

Row = dict[str, Any]

DEFAULT_FORMAT = "table"
_GAP = 2
# Smallest width to which text is wrapped, in characters.
_MIN_TEXT_WIDTH = 12
# Formats of tabulate that do not escape the text of cells.
_UNESCAPED = ("unsafehtml", "latex_raw")
# Formats in which | ends a cell.
_BAR_FORMATS = ("github", "pipe")


class TableFormat(NamedTuple):
    """A format of rows for programs; `TABLE_FORMATS` has them by name."""

    lines: Callable[[Iterable[Row], Sequence[str]], Iterator[str]]
    """The lines of rows with some keys, each as soon as its row is known."""
    headed: bool = False
    """Whether the first line contains the names of the columns."""
    nested: bool = False
    """Whether rows can have lists, objects and different keys, as in JSON."""
    readable: bool = False
    """Whether a file of answers can have this format: `judging.records` reads it."""
    one_document: bool = False
    """Whether no rows can be added after the last line."""


def check_format(name: str) -> str:
    """Return the name of a format unchanged; raise RefusedError for an unknown one."""
    if name not in own_formats():
        # Only now, since this imports tabulate.
        known_names = format_names()
        if name not in known_names:
            raise RefusedError(f"unknown format {name!r} (expected {', '.join(known_names)})")
    return name


def own_formats() -> tuple[str, ...]:
    """Return the names of the formats that this package defines."""
    return DEFAULT_FORMAT, *TABLE_FORMATS


def format_names() -> tuple[str, ...]:
    """Return the names of all formats; the formats of tabulate come last."""
    from tabulate import tabulate_formats

    return *own_formats(), *(name for name in tabulate_formats if name not in _UNESCAPED)


def render(
    rows: Sequence[Row],
    name: str = DEFAULT_FORMAT,
    shown: Sequence[str] = (),
    width: int | None = None,
    headed: bool = True,
    rule: str = "",
) -> str:
    """Return rows with the same keys as text in a format; json and jsonl accept different keys.

    `shown` are the keys that a table shows (default: all); without rows, csv and tsv have these. A
    table wider than `width` gets its text wrapped; if that is not enough, each row becomes a
    paragraph. `headed` says whether the first line has the names of the columns. With a `rule`, the
    line below these names in an earlier table, the rows are more lines of that table.

    >>> print(render([{"target": 143, "combinations": 48}]))
      target    combinations
    --------  --------------
         143              48
    """
    keys = list(rows[0]) if rows else list(shown)
    if name in TABLE_FORMATS:
        return "\n".join(stream(rows, keys, name, headed))
    from tabulate import multiline_formats, tabulate

    keys = [key for key in shown or keys if key in keys]
    separator = "\n" if name in (DEFAULT_FORMAT, *multiline_formats) else "; "
    cells = [[_cell(key, row[key], separator) for key in keys] for row in rows]
    alignments = [_alignment(key, [row[key] for row in rows]) for key in keys]
    if rule:
        signs = ["<" if alignment == "left" else ">" for alignment in alignments]
        columns = [f"{sign}{len(dashes)}" for sign, dashes in zip(signs, rule.split(), strict=True)]
        split = ([cell.split("\n") for cell in row] for row in cells)
        lines = chain.from_iterable(zip_longest(*row, fillvalue="") for row in split)
        return "\n".join((" " * _GAP).join(map(format, line, columns)).rstrip() for line in lines)
    if name in _BAR_FORMATS:
        *cells, keys = [[cell.replace("|", r"\|") for cell in row] for row in (*cells, keys)]

    def table(headers: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
        return tabulate(
            cells,
            headers=headers if headed else (),
            tablefmt="simple" if name == DEFAULT_FORMAT else name,
            disable_numparse=True,
            colalign=alignments if rows else None,
        )

    # If the table is too wide, wrap its text; if it still is, write paragraphs instead.
    text = table(keys, cells)
    if name != DEFAULT_FORMAT or width is None or _width_of(text) <= width:
        return text
    widths = _fitting_widths(keys if headed else [""] * len(keys), cells, alignments, width)
    if widths is None:
        return _paragraphs(keys, cells, width)
    wrapped = [[_wrap(*pair) for pair in zip(row, widths, strict=True)] for row in cells]
    heads = [_wrap(key, width - _GAP) for key, width in zip(keys, widths, strict=True)]
    return table(heads, wrapped)


def _width_of(text: str) -> int:
    return max(map(len, text.split("\n")))


def _fitting_widths(
    keys: Sequence[str], cells: Sequence[Sequence[str]], alignments: Sequence[str], width: int
) -> list[int] | None:
    """Return widths of columns with which a table is at most `width` wide, or None."""
    columns = [[key, *column] for key, *column in zip(keys, *cells, strict=True)]
    # tabulate adds two spaces to the heading of a column, and puts two between columns.
    widths = [max(_width_of(key) + _GAP, *map(_width_of, column)) for key, *column in columns]
    # Text is not wrapped within words or below `_MIN_TEXT_WIDTH`; numbers are not wrapped.
    min_widths = []
    for full_width, column, alignment in zip(widths, columns, alignments, strict=True):
        key, *values = column
        head_width = _longest_word([key]) + _GAP
        if alignment == "left":
            text_width = max(_longest_word(column), head_width, _MIN_TEXT_WIDTH)
            min_widths.append(min(full_width, text_width))
        else:
            min_widths.append(max([head_width, *map(_width_of, values)]))
    # Make the column with the most room narrower, until the table fits.
    while (excess := sum(widths) + _GAP * (len(widths) - 1) - width) > 0:
        widest = max(range(len(widths)), key=lambda i: widths[i] - min_widths[i])
        if widths[widest] == min_widths[widest]:
            return None
        # A share of the excess, so that several columns become narrower.
        narrower = widths[widest] - max(1, excess // len(widths))
        widths[widest] = max(min_widths[widest], narrower)
    return widths


def _longest_word(cells: Sequence[str]) -> int:
    return max(len(word) for cell in cells for word in cell.split() or [""])


def _wrap(cell: str, width: int) -> str:
    # The wrapping of tabulate fails for text such as 12,345, which it reads as a number.
    lines = (textwrap.wrap(line, width) or [""] for line in cell.split("\n"))
    return "\n".join(part for line in lines for part in line)


def _paragraphs(keys: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> str:
    """Return each row as a paragraph, with one line for each key and its value."""
    indent = max(map(len, keys)) + _GAP
    value_width = max(_MIN_TEXT_WIDTH, width - indent)

    def line(key: str, cell: str) -> str:
        value = _wrap(cell, value_width).replace("\n", "\n" + " " * indent)
        return f"{key:{indent}}{value}"

    paragraphs = (map(line, keys, row) for row in cells)
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _alignment(key: str, values: Sequence[Any]) -> str:
    present_values = [value for value in values if value is not None]
    for value in present_values:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return "left"
    has_floats = any(isinstance(value, float) for value in present_values)
    return "decimal" if has_floats and not _is_share(key) else "right"


def _is_share(key: str) -> bool:
    return key.endswith("share")


def _json_lines(rows: Iterable[Row], _: Sequence[str]) -> Iterator[str]:
    line = "["
    for row in rows:
        if line != "[":
            yield f"{line},"
            line = " "
        line += _encode_json(row)
    yield f"{line}]"


def _encode_fraction(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{value!r} cannot be written as json")


_encode_json = json.JSONEncoder(ensure_ascii=False, default=_encode_fraction).encode


def _delimited_lines(
    line: Callable[[Sequence[str]], str], rows: Iterable[Row], keys: Sequence[str]
) -> Iterator[str]:
    yield line(keys)
    for row in rows:
        yield line([_field(row[key]) for key in keys])


def _csv_line(fields: Sequence[str], separator: str = ",") -> str:
    buffer = io.StringIO()
    # The csv module quotes fields that contain a character of the line terminator.
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\r\n")
    writer.writerow(map(safe_cell, fields))
    return buffer.getvalue().removesuffix("\r\n")


def _tsv_line(fields: Sequence[str]) -> str:
    return "\t".join(safe_cell(re.sub(r"[\t\r\n]", " ", field)) for field in fields)


def safe_cell(cell: str) -> str:
    """Return a cell with a ' before each text that a spreadsheet would run as a formula.

    >>> [safe_cell(cell) for cell in ("=A1", "-5", "+3/4", "-2+A1", "'x", "4 + 3", "1; =A1; -5")]
    ["'=A1", '-5', '+3/4', "'-2+A1", "''x", '4 + 3', "1;' =A1; -5"]
    """
    # The search for parts is slow, and few cells have any.
    if ";" in cell or "\n" in cell or "\r" in cell:
        cell = re.sub(_UNSAFE_PART, r"\g<0>'", cell)
    return f"'{cell}" if re.match(_UNSAFE_START, cell) else cell


def plain_cell(cell: str) -> str:
    """Return the text that `safe_cell` made a cell from; a cell without its ' is unchanged."""
    if cell.startswith("'") and re.match(_UNSAFE_START, cell[1:]):
        cell = cell[1:]
    return re.sub(_SAFE_PART, r"\1", cell)


# These patterns are text: they are compiled where cells are written, not at each start.

# White space except line ends, invisible characters, and quotes, which tsv does not escape.
_DROPPED = (
    r"(?:[^\S\r\n]|[\"\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\ufeff]"
    r"|[\u200b-\u200f\u202a-\u202e\u2060-\u206f])*+"
)
_NUMBER = r"\ ?(?:[0-9]+(?:[./][0-9]+)?|\.[0-9]+)"
# Excel also runs formulas with full-width signs (Japanese, Chinese).
_FORMULA = rf"{_DROPPED}(?:[=@＝＠]|[-+−－＋](?!{_NUMBER}"
_UNSAFE_START = rf"['\t\r\n]|{_FORMULA}\Z))"
# A single sign after ; is not a formula: the + in "1; +" is not changed.
_PART = rf"(?='|{_FORMULA}[^\S\r\n]*(?:[;\r\n]|\Z)|[^\S\r\n]*(?:[;\r\n]|\Z))))"
_UNSAFE_PART = rf"[;\r\n]{_PART}"
_SAFE_PART = rf"([;\r\n])'{_PART}"


def spreadsheet(rows: Iterable[Row], keys: Sequence[str], name: str, decimal: str) -> Iterator[str]:
    """Return lines that a double click opens where decimals are written with `decimal`."""
    if name != "csv" or decimal != ",":
        return stream(rows, keys, name)
    return _delimited_lines(partial(_csv_line, separator=";"), rows, keys)


def stream(
    rows: Iterable[Row], keys: Sequence[str], name: str, headed: bool = True
) -> Iterator[str]:
    """Return an iterator over the lines of rows in one of `TABLE_FORMATS`.

    csv and tsv have the columns `keys`; json and jsonl have all keys of a row. A quoted cell of csv
    can contain line ends.
    """
    form = TABLE_FORMATS[name]
    lines = form.lines(rows, keys)
    if form.headed and not headed:
        next(lines, None)
    return lines


TABLE_FORMATS: dict[str, TableFormat] = {
    "csv": TableFormat(partial(_delimited_lines, _csv_line), headed=True, readable=True),
    "tsv": TableFormat(partial(_delimited_lines, _tsv_line), headed=True, readable=True),
    "json": TableFormat(_json_lines, nested=True, one_document=True),
    "jsonl": TableFormat(lambda rows, _: map(_encode_json, rows), nested=True),
}


def _field(value: Any) -> str:
    """Return a value as the text of a cell in a csv or tsv file."""
    if isinstance(value, dict):
        return _encode_json(value)
    if isinstance(value, list | tuple):
        return "; ".join(map(_field, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _cell(key: str, value: Any, separator: str) -> str:
    """Return a value as the text of a cell in a table; `separator` is between items of a list."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and _is_share(key):
        return f"{value:.2%}"
    if isinstance(value, list | tuple):
        return separator.join(_cell(key, item, "; ") for item in value)
    return _field(value)
