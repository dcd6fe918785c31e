"""Changes of single values in a row, which keep the types of the values."""

import json
import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, Protocol, cast

from crisps24.errors import RefusedError
from crisps24.judging.columns import PUZZLE_OBJECTS, column_name
from crisps24.judging.records import as_object, puzzle_objects

# The number of a row, and its fields, or why it cannot be read.
DataRow = tuple[int, dict[str, Any] | RefusedError]
_TRUTH_WORDS = (("true", "false"), ("yes", "no"), ("1", "0"))
# New values of a row, by field; None leaves the row out.
RowChange = Mapping[str, str | list[str]] | None


class Changes(Protocol):
    """The changes of rows; the numbers of rows that are asked for ascend."""

    def get(self, number: int, default: RowChange, /) -> RowChange:
        """Return the change of a row, or the default."""


def changed_object(
    text: str, change: Mapping[str, str | list[str]], columns: Collection[str] = ()
) -> str:
    """Return the text of a JSON object with other values of some fields.

    >>> changed_object('{"nums": [3, 8], "answer": "3+8"}', {"answer": "3*8"})
    '{"nums": [3, 8], "answer": "3*8"}'
    """
    record = json.loads(text)
    change_fields(record, change, columns)
    has_surrogate = re.search(r"\\u[dD][89a-fA-F]", text) is not None
    return json.dumps(record, ensure_ascii=text.isascii() or has_surrogate)


def change_fields(
    record: dict[str, Any], change: Mapping[str, str | list[str]], columns: Collection[str]
) -> None:
    """Change values of a row; a field that the row itself lacks is in an object in it."""
    texts = []
    for *names, last in PUZZLE_OBJECTS:
        holder: Any = record
        for name in names:
            holder = holder.get(name) if isinstance(holder, dict) else None
        text = holder.get(last) if isinstance(holder, dict) else None
        if isinstance(text, str) and as_object(text) is not None:
            holder[last] = json.loads(text)
            texts.append((holder, last, text, json.dumps(holder[last])))
    for name, value in change.items():
        for fields in cast("list[dict[str, Any]]", [record, *puzzle_objects(record)]):
            own_names = {column_name(key, columns): key for key in fields}
            if name in own_names and fields[own_names[name]] is not None:
                fields[own_names[name]] = like(fields[own_names[name]], value)
                break
    for holder, last, text, before in texts:
        after = json.dumps(holder[last])
        holder[last] = text if after == before else after


def like(old: Any, value: str | list[str]) -> Any:
    """Return a new value with the type of an old one.

    >>> like(["3+8"], "3*8"), like(1.0, "7/2"), like(True, "false"), like("No", "true")
    (['3*8'], 3.5, False, 'Yes')
    """
    if isinstance(value, list) or isinstance(old, list):
        return value if isinstance(value, list) else [value]
    if isinstance(old, bytes):
        return value.encode()
    if isinstance(old, str):
        return with_words_of(old, value)
    if value in ("true", "false"):
        return type(old)(value == "true")
    kind = type(old)
    try:
        number = Fraction(value)
    except ValueError:
        return value
    if kind is int:
        return int(number) if number.denominator == 1 else value
    return kind(number.numerator) / kind(number.denominator)


def with_words_of(old: str, new: str) -> str:
    """Return `true` or `false` in the words of an old value; other new values are unchanged.

    >>> with_words_of("No", "true"), with_words_of("0", "true"), with_words_of("1", "24")
    ('Yes', '1', '24')
    """
    truths = _TRUTH_WORDS[0]
    if new not in truths:
        return new
    words = next((words for words in _TRUTH_WORDS if old.casefold() in words), truths)
    word = words[truths.index(new)]
    return word.upper() if old.isupper() else word.capitalize() if old[:1].isupper() else word
