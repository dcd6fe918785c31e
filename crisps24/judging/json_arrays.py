"""Rows in one value of JSON: an array of rows, or an object with one, as tools write results.

The rows are found as parts of the bytes, without parsing them. `{"results": [row, …]}` has the
array under one of the names of `_LISTS`; in a table of wandb, `{"columns": […], "data": [[…], …]}`,
each row is an array too. An object over several lines without such a list is one row.
"""

import json
import re
import shlex
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import PurePath

from crisps24.errors import RefusedError

# The size of a file with an array of JSON, which is read into memory as a whole.
MAX_ARRAY_BYTES = 100_000_000
_TO_LINES = (
    "python -c 'import json, sys; [print(json.dumps(row)) for row in json.load(sys.stdin)]' < "
)
# The names of the array of rows in an object; the first one counts.
_LISTS = ("results", "predictions", "samples", "rows", "records", "data", "generations", "items")
_MARK = re.compile(rb"(?:\xef\xbb\xbf)?\s*+")
_ARRAY_OF_OBJECTS = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\[\s*+\{")
_LIST_START = re.compile(rb'"(?:%s)"\s*+:\s*+\[\s*+[{[]' % "|".join(_LISTS).encode())
_AFTER_VALUE, _COLON = re.compile(rb"\s*([],}])\s*"), re.compile(rb"\s*:\s*")
# What can be before the next bracket: of a value, and in brackets.
_UP_TO_BRACKET = tuple(
    re.compile(rb'(?:[^][{}"%s]++|"(?:[^"\\]++|\\.)*+")*+' % others, re.DOTALL)
    for others in (rb",:\s", b"")
)


def is_array_of_rows(start: bytes) -> bool:
    """Return whether the first bytes of a file are those of an array of objects."""
    return _ARRAY_OF_OBJECTS.match(start) is not None


def is_object_of_rows(start: bytes) -> bool:
    """Return whether a file is one object, with a list of rows or over several lines.

    In JSON Lines, the first object ends before the second one starts, in another line.
    """
    text = start[_MARK.match(start).end() :]  # type: ignore[union-attr]
    if not text.startswith(b"{"):
        return False
    try:
        members, end = _members(text)
    except RefusedError:
        # The object is longer than these bytes, or no JSON: then it is read as lines.
        return bool(_LIST_START.search(text)) or bool(re.match(rb"\{[ \t\r]*+\n", text))
    has_list = bool(_LIST_START.search(text)) and not members.keys().isdisjoint(_LISTS)
    return not text[end:].strip() and (has_list or b"\n" in text[:end].strip())


def bytes_of(source: BufferedIOBase) -> bytes:
    data = source.read(MAX_ARRAY_BYTES + 1)
    if len(data) > MAX_ARRAY_BYTES:
        raise too_large(str(getattr(source, "name", "a.json")))
    encoding = json.detect_encoding(data).removesuffix("-sig")
    return data if encoding == "utf-8" else data.decode(encoding, "replace").encode()


def too_large(name: str) -> RefusedError:
    names = f"{shlex.quote(name)} > {shlex.quote(str(PurePath(name).with_suffix('.jsonl')))}"
    limit = MAX_ARRAY_BYTES // 10**6
    return RefusedError(f"it has more than {limit} MB: make it JSON Lines, by {_TO_LINES}{names}")


def rows_of(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each row starts and ends."""
    start = _MARK.match(data).end()  # type: ignore[union-attr]
    if data[start : start + 1] != b"{":
        yield from _items(data, start, len(data))
        return
    members, end = _members(data, start)
    if data[end:].strip():
        raise RefusedError("after the first object, there is another: make it JSON Lines")
    lists = (members[name] for name in _LISTS if name in members)
    at, to = next((span for span in lists if data[span[0] : span[0] + 1] == b"["), (0, 0))
    yield from _items(data, at, to) if to else [(start, end)]


def columns_of(data: bytes) -> list[str]:
    """Return the names of the columns of a table of wandb; none for another file."""
    start = _MARK.match(data).end()  # type: ignore[union-attr]
    members = _members(data, start)[0] if data[start : start + 1] == b"{" else {}
    names = json.loads(data[slice(*members["columns"])]) if "columns" in members else []
    return [*map(str, names)] if isinstance(names, list) else []


def row_text(data: bytes, start: int, end: int, columns: list[str]) -> bytes:
    """Return the text of a row, in one line; of a row of a table, with the names of columns."""
    row = data[start:end].replace(b"\r", b" ").replace(b"\n", b" ")
    if not (columns and row.startswith(b"[")):
        return row
    cells = (row[at:to] for at, to in _items(row, 0, len(row)))
    pairs = zip(columns, cells, strict=False)
    named = (json.dumps(name).encode() + b": " + cell for name, cell in pairs)
    return b"{" + b", ".join(named) + b"}"


def _members(data: bytes, start: int = 0) -> tuple[dict[str, tuple[int, int]], int]:
    """Return where each value of an object starts and ends, by its name, and where it ends."""
    members = dict[str, tuple[int, int]]()
    at, sign = _MARK.match(data, start + 1).end(), b","  # type: ignore[union-attr]
    if data[at : at + 1] == b"}":
        return members, at + 1
    while sign == b",":
        end = _value_end(data, at)
        colon = _COLON.match(data, end)
        value = colon.end() if colon else end
        value_end = _value_end(data, value)
        after = _AFTER_VALUE.match(data, value_end)
        if not colon or value_end == value or not after:
            raise RefusedError("it is not JSON")
        members[data[at:end].decode(errors="replace").strip('"')] = value, value_end
        at, sign = after.end(), after[1]
    return members, at


def _items(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where each element of an array of JSON starts and ends, without parsing it."""
    if data[start : start + 1] != b"[":
        raise RefusedError("the file has no row")
    number, start, sign = 0, _MARK.match(data, start + 1).end(), b","  # type: ignore[union-attr]
    if data[start : start + 1] == b"]":
        start, sign = start + 1, b"]"
    while sign == b",":
        number += 1
        end = _value_end(data, start)
        if end == start:
            raise RefusedError(f"row {number} is not JSON")
        after = _AFTER_VALUE.match(data, end, stop)
        if not after or after[1] == b"}":
            break
        yield start, end
        start, sign = after.end(), after[1]
    if sign == b"," or data[start:stop].strip():
        raise RefusedError(f'after row {number}, "," or "]" is missing')


def _value_end(data: bytes, start: int) -> int:
    depth, end = 0, start
    while True:
        end = _UP_TO_BRACKET[depth > 0].match(data, end).end()  # type: ignore[union-attr]
        bracket = data[end : end + 1]
        if bracket and bracket in b"[{":
            depth += 1
        elif bracket and bracket in b"]}" and depth:
            depth -= 1
        else:
            return end
        end += 1
        if not depth:
            return end
