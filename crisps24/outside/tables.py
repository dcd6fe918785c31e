"""One way to print rows: as a table (tabulate), as csv or as json.

Owns how values are written in each; knows no game and prints nothing itself.
"""

import csv
import io
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, Any]

DEFAULT_FORMAT = "table"
# What is not one of tabulate's own names.
OWN_FORMATS = (DEFAULT_FORMAT, "csv", "json")


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

    `shown` are the keys that a person wants to see in a table; json and csv have all of them.

    >>> print(render([{"target": 143, "combinations": 48}]))
      target    combinations
    --------  --------------
         143              48
    >>> render([{"value": None}], "json")
    '[{"value": null}]'
    """
    if name == "json":
        # A row a line, so that a person can read it too.
        lines = ",\n ".join(json.dumps(_plain(row), ensure_ascii=False) for row in rows)
        return f"[{lines}]"
    keys = list(rows[0]) if rows else list(shown)
    if name == "csv":
        return _csv(rows, keys)
    from tabulate import multiline_formats, tabulate

    keys = [key for key in shown or keys if key in keys]
    between = "\n" if name in (DEFAULT_FORMAT, *multiline_formats) else "; "
    cells = [[_cell(row[key], between) for key in keys] for row in rows]
    numeric = [all(_is_numeric(row[key]) for row in rows) for key in keys]
    return tabulate(
        cells,
        headers=keys,
        tablefmt="simple" if name == DEFAULT_FORMAT else name,
        disable_numparse=True,
        colalign=["right" if number else "left" for number in numeric] if rows else None,
    )


def _is_numeric(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _csv(rows: Sequence[Row], keys: Sequence[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(keys)
    writer.writerows([_field(row[key]) for key in keys] for row in rows)
    return out.getvalue().removesuffix("\n")


def _field(value: Any) -> str:
    """Return a value as a field of csv, for other programs to read."""
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _plain(value: Any) -> Any:
    """Return a value as json has it; a fraction is a string such as 3/4."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value


def _cell(value: Any, between: str) -> str:
    """Return a value as a cell of a table; a float is a share."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2%}"
    if isinstance(value, list | tuple):
        return between.join(map(str, value))
    return "" if value is None else str(value)
