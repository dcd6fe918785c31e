"""Changes of single values in the text of a JSON object: all other characters stay."""

import json
import re
from collections.abc import Mapping
from typing import Any

from crisps24.errors import RefusedError

# The number of a row, and its fields, or why it cannot be read.
DataRow = tuple[int, dict[str, Any] | RefusedError]
# New values of a row, by field; None leaves the row out.
RowChange = Mapping[str, Any] | None
_JSON_SPACE = " \t\r\n"
_PLAIN_JSON = json.JSONDecoder()


def changed_object(text: str, change: RowChange) -> str:
    """Return the text of a JSON object with other values of some fields.

    A field can be in an object in `metadata`. All other characters are kept; with None as the
    change, the result is empty.

    >>> changed_object('{"nums": [3,8],  "answer": "3+8" }', {"answer": "3*8"})
    '{"nums": [3,8],  "answer": "3*8" }'
    """
    if change is None:
        return ""
    spans = _value_spans(text, text.index("{"))
    metadata = spans.get("metadata")
    if metadata is not None and text[metadata[0]] == "{":
        # A field of the row itself comes before that of the metadata.
        spans = _value_spans(text, metadata[0]) | spans
    for name, value in sorted(change.items(), key=lambda item: spans[item[0]], reverse=True):
        start, end = spans[name]
        # Text stays text; numbers, true and false stay plain.
        new = value if text[start] in '"[' or not isinstance(value, str) else plain_value(value)
        new = [value] if text[start] == "[" and not isinstance(value, list) else new
        text = text[:start] + json.dumps(new, ensure_ascii=text.isascii()) + text[end:]
    return text


def plain_value(text: str) -> Any:
    """Return a whole number, true or false for a text that is one; other texts are unchanged."""
    truths = {"true": True, "false": False}
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else truths.get(text, text)


def _value_spans(text: str, start: int) -> dict[str, tuple[int, int]]:
    """Return where the value of each field of the object at `start` starts and ends."""
    spans: dict[str, tuple[int, int]] = {}
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
