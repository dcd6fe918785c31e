"""Files of puzzles that are an array of JSON objects, read and copied in pieces."""

import codecs
import json
from collections.abc import Collection, Iterator, Mapping
from io import BufferedIOBase
from typing import BinaryIO, NamedTuple

from crisps24.errors import RefusedError
from crisps24.judging.records import MAX_RECORD_BYTES, parse_record
from crisps24.output.encodings import encoding_of
from crisps24.training.json_edits import DataRow, RowChange, changed_object

# Bytes that are read at once.
_CHUNK_BYTES = 1 << 16
_JSON_SPACE = " \t\r\n"
_PLAIN_JSON = json.JSONDecoder()


class _Element(NamedTuple):
    """An element of an array of JSON."""

    lead: str
    """The text before it: the opening bracket or a comma, and white space."""
    text: str
    """Its own text; empty after the last element: then `lead` is the end of the file."""


def _elements(source: BufferedIOBase) -> Iterator[_Element]:
    """Yield the elements of an array of JSON; raise RefusedError if it is not one."""
    reader = _ArrayText(source)
    count = 0
    while True:
        lead = reader.take_space()
        sign = reader.take_sign()
        if not sign and count == 0:
            raise RefusedError("the file has no row")
        if sign == "]":
            yield _Element(lead + sign + reader.take_rest(), "")
            return
        if sign != ("," if count else "["):
            problem = f'after row {count}, "," or "]" is missing' if count else "it has no array"
            raise RefusedError(f"it is not JSON: {problem}")
        lead += sign + reader.take_space()
        if count == 0 and reader.peek() == "]":
            # An empty array.
            yield _Element(lead + reader.take_sign() + reader.take_rest(), "")
            return
        count += 1
        yield _Element(lead, reader.take_value(count))


class _ArrayText:
    """The text of a file of JSON, which is read in pieces."""

    def __init__(self, source: BufferedIOBase) -> None:
        self._chunks = iter(lambda: source.read(_CHUNK_BYTES), b"")
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text, self._position, self._ended = "", 0, False

    def _read_more(self) -> None:
        chunk = next(self._chunks, b"")
        if not self._text and encoding_of(chunk[:4]) == "utf-16":
            raise RefusedError("it is UTF-16: save it as UTF-8 first")
        self._ended = not chunk
        self._text = self._text[self._position :] + self._decoder.decode(chunk, not chunk)
        self._position = 0

    def peek(self) -> str:
        """Return the next character, or an empty text at the end of the file."""
        while self._position == len(self._text) and not self._ended:
            self._read_more()
        return self._text[self._position : self._position + 1]

    def take_sign(self) -> str:
        """Return the next character and go on after it."""
        sign = self.peek()
        self._position += len(sign)
        return sign

    def take_space(self) -> str:
        """Return the white space at the current position, and a byte order mark."""
        space = ""
        while (sign := self.peek()) and sign in _JSON_SPACE + "\ufeff":
            space += self.take_sign()
        return space

    def take_rest(self) -> str:
        """Return the text up to the end of the file: white space, or RefusedError is raised."""
        rest = self.take_space()
        if self.peek():
            raise RefusedError("it is not JSON: it goes on after its array")
        return rest

    def take_value(self, number: int) -> str:
        """Return the text of the value at the current position, which is row `number`."""
        while True:
            try:
                _, end = _PLAIN_JSON.raw_decode(self._text, self._position)
            except (json.JSONDecodeError, RecursionError) as error:
                end, problem = None, error
            # A number at the end of the text can have more digits.
            if end is not None and (end < len(self._text) or self._ended):
                text = self._text[self._position : end]
                self._position = end
                return text
            if self._ended:
                reason = getattr(problem, "msg", "it is nested too deeply")
                raise RefusedError(f"row {number} is not JSON: {reason}")
            if len(self._text) - self._position > MAX_RECORD_BYTES:
                raise RefusedError(f"row {number} is longer than {MAX_RECORD_BYTES:,} bytes")
            self._read_more()


def read_array(source: BufferedIOBase, _columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the objects of an array of JSON."""
    for number, element in enumerate(_elements(source), 1):
        if not element.text:
            return
        try:
            if not element.text.startswith("{"):
                raise RefusedError("it is not an object")
            record = parse_record(element.text)
        except RefusedError as error:
            yield number, error
        else:
            yield number, record or {}


def copy_array(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    columns: Collection[str],
) -> None:
    """Copy an array of JSON."""
    first_lead, has_row = "", False
    for number, element in enumerate(_elements(source), 1):
        first_lead = first_lead or element.lead
        if not element.text:
            # The end. If no row is left, the opening bracket is not written yet.
            has_bracket = has_row or element.lead is first_lead
            text = ("" if has_bracket else first_lead.partition("[")[0] + "[") + element.lead
        elif number in changes and changes[number] is None:
            continue
        else:
            row = element.text
            if number in changes:
                row = changed_object(row, changes[number], columns)
            text = (element.lead if has_row else first_lead) + row
            has_row = True
        out.write(text.encode(errors="surrogateescape"))
