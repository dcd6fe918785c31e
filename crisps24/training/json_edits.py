"""Changes of single values in the text of a JSON object: all other characters stay."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from crisps24.errors import RefusedError
from crisps24.judging.columns import PUZZLE_OBJECTS
from crisps24.judging.records import column_name

# The number of a row, and its fields, or why it cannot be read.
DataRow = tuple[int, dict[str, Any] | RefusedError]
# New values of a row, by field; None leaves the row out.
RowChange = Mapping[str, str | list[str]] | None
# Words for true and false in columns.
_TRUTH_WORDS = (("true", "false"), ("yes", "no"), ("1", "0"))
_JSON_SPACE = " \t\r\n"
_PLAIN_JSON = json.JSONDecoder()
_Spans = dict[str, tuple[int, int]]


def changed_object(text: str, change: RowChange, columns: Collection[str] = ()) -> str:
    """Return the text of a JSON object with other values of some fields.

    A field can also be in one of `columns.PUZZLE_OBJECTS`. All other characters are kept; with None
    as the change, the result is empty.

    >>> changed_object('{"nums": [3,8],  "answer": "3+8" }', {"answer": "3*8"})
    '{"nums": [3,8],  "answer": "3*8" }'

    Args:
        text: the text of the object; white space around it is kept.
        change: the new values; a value that replaces a number, true or false is written like it.
        columns: names of columns that can also be in upper case in the text.
    """
    if change is None:
        return ""
    spans = _field_spans(text, columns)
    for name, value in sorted(change.items(), key=lambda item: spans[item[0]], reverse=True):
        start, end = spans[name]
        new = _like_json(text[start:end], value)
        text = text[:start] + _dump(new, is_ascii=text.isascii()) + text[end:]
    return text


def _dump(value: Any, *, is_ascii: bool) -> str:
    """Return a value as JSON, with escapes if the file has only ASCII or UTF-8 lacks a sign."""
    text = json.dumps(value, ensure_ascii=is_ascii)
    is_utf_8 = not any("\ud800" <= sign <= "\udfff" for sign in text)
    return text if is_utf_8 else json.dumps(value)


def _like_json(old: str, value: str | list[str]) -> Any:
    """Return a new value of the kind of an old one, which is given as JSON."""
    if old.startswith("["):
        return value if isinstance(value, list) else [value]
    if isinstance(value, list):
        return value
    if old.startswith('"'):
        return with_words_of(json.loads(old), value)
    return plain_value(with_words_of(old, value))


def plain_value(text: str) -> Any:
    """Return a whole number, true or false for a text that is one; other texts are unchanged."""
    truths = {"true": True, "false": False}
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else truths.get(text, text)


def with_words_of(old: str, new: str) -> str:
    """Return `true` or `false` in the words of an old value; other new values are unchanged.

    >>> with_words_of("No", "true"), with_words_of("0", "true"), with_words_of("1", "24")
    ('Yes', '1', '24')
    """
    truths = _TRUTH_WORDS[0]
    words = next((words for words in _TRUTH_WORDS if old.casefold() in words), truths)
    if new not in truths:
        return new
    word = words[truths.index(new)]
    return word.upper() if old.isupper() else word.capitalize() if old[:1].isupper() else word


def _field_spans(text: str, columns: Collection[str]) -> _Spans:
    """Return where the value of each field starts and ends; a field of the row itself is first."""
    own_spans = {
        column_name(name, columns): span
        for name, span in _value_spans(text, text.index("{")).items()
    }
    spans = dict(own_spans)
    for path in PUZZLE_OBJECTS:
        inner_spans = own_spans
        for name in path:
            start = inner_spans[name][0] if name in inner_spans else None
            is_object = start is not None and text[start] == "{"
            inner_spans = _value_spans(text, start) if start is not None and is_object else {}
        spans = inner_spans | spans
    return spans


def _value_spans(text: str, start: int) -> _Spans:
    """Return where the value of each field of the object at `start` starts and ends."""
    spans: _Spans = {}
    position = start + 1
    while True:
        position = _skip(text, position, _JSON_SPACE + ",")
        if text[position] == "}":
            return spans
        name, position = _PLAIN_JSON.raw_decode(text, position)
        value_start = _skip(text, position, _JSON_SPACE + ":")
        _, position = _PLAIN_JSON.raw_decode(text, value_start)
        spans[name] = value_start, position


def _skip(text: str, position: int, characters: str) -> int:
    while text[position] in characters:
        position += 1
    return position
