"""One way to print rows: as a table (tabulate), as csv, json or jsonl.

Owns how values are written in each; knows no game and prints nothing itself.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, Any]

DEFAULT_FORMAT = "table"
# What is not one of tabulate's own names.
OWN_FORMATS = (DEFAULT_FORMAT, "csv", "json", "jsonl")


def check_format(name: str) -> str:
    """Return the name of a format if there is one.

    >>> check_format("github")
    'github'

    Raises ValueError for another name, listing the known ones.
    """
    if name not in OWN_FORMATS:
        from tabulate import tabulate_formats

        if name not in tabulate_formats:
            known = ", ".join((*OWN_FORMATS, *tabulate_formats))
            raise ValueError(f"there is no format {name!r}; the formats are {known}")
    return name


def render(rows: Sequence[Row], name: str = DEFAULT_FORMAT, shown: Sequence[str] = ()) -> str:
    """Return rows, which share their keys, as text in a format.

    `shown` are the keys that a person wants to see in a table; json, jsonl and csv have all. In a
    table, a float whose key ends with `share` is shown in percent.

    >>> print(render([{"target": 143, "combinations": 48}]))
      target    combinations
    --------  --------------
         143              48
    >>> render([{"value": None}], "json")
    '[{"value": null}]'
    """
    keys = list(rows[0]) if rows else list(shown)
    if name in STREAMS:
        return "\n".join(STREAMS[name](rows, keys))
    from tabulate import multiline_formats, tabulate

    keys = [key for key in shown or keys if key in keys]
    between = "\n" if name in (DEFAULT_FORMAT, *multiline_formats) else "; "
    cells = [[_cell(key, row[key], between) for key in keys] for row in rows]
    return tabulate(
        cells,
        headers=keys,
        tablefmt="simple" if name == DEFAULT_FORMAT else name,
        disable_numparse=True,
        colalign=[_alignment(key, [row[key] for row in rows]) for key in keys] if rows else None,
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


def _jsonl_lines(rows: Iterable[Row], _: Sequence[str]) -> Iterator[str]:
    """Yield an object a line."""
    for row in rows:
        yield _encoded(row)


def _plain(value: Any) -> str:
    """Return what json knows nothing of: a fraction is a string such as 3/4."""
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
    csv.writer(out, lineterminator="").writerow(fields)
    return out.getvalue()


# Formats whose lines can be told as the rows come, each from rows and their keys.
STREAMS: dict[str, Callable[[Iterable[Row], Sequence[str]], Iterator[str]]] = {
    "csv": _csv_lines,
    "json": _json_lines,
    "jsonl": _jsonl_lines,
}


def _field(value: Any) -> str:
    """Return a value as a field of csv, for other programs to read."""
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
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
        return between.join(map(str, value))
    return "" if value is None else str(value)
