"""Files as they come, as one stream of UTF-8: text in some encoding, Excel or Parquet, compressed.

The rows of Parquet, and of one value of JSON if `rows` are wanted, become JSON Lines.

The encoding is UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as spreadsheets write.
The first line with other bytes than ASCII decides between UTF-8 and Windows-1252, so that a line
of a pipe can be answered before the next one is written. JSON is UTF-8; comments decide nothing.
"""

import codecs
import re
import zlib
from collections.abc import Callable, Iterator
from gzip import GzipFile
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain
from typing import Any, cast

from crisps24.errors import RefusedError
from crisps24.judging import json_arrays
from crisps24.judging.table_rows import MAX_INPUT_LINE_BYTES, ByteStream
from crisps24.output.encodings import (
    BYTE_ORDER_MARK,
    GZIP_START,
    PARQUET_START,
    ZIP_START,
    check_text,
    check_windows_1252,
    decode_windows_1252,
    encoding_of,
    refuse_zero_bytes,
)

_CHUNK_BYTES = 1 << 16
# The start of a file that is looked at for signs of other encodings than Windows-1252.
_BYTES_WITH_SIGNS = 1 << 20
# First bytes that need the next ones to be understood.
_PARTS_OF_STARTS = (b"", b"\xff", b"\xfe", ZIP_START[:1], ZIP_START[:2], ZIP_START[:3])
# A file of JSON Lines can start with comments.
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|#[^\r\n]*+)*+\{")
# A line that is no comment and no JSON, with other bytes than ASCII.
_DECIDING = re.compile(rb"(?<![^\r\n])(?![ \t]*[#{])[^\r\n]*[\x80-\xff][^\r\n]*")

# A function that is called with a sentence about a choice that the user can make otherwise.
Note = Callable[[str], object]


class TextStream:
    """A stream of UTF-8; whether it can be rewound, and its position, are those of its file."""

    def __init__(self, source: Any, pieces: Iterator[bytes]) -> None:
        self._source, self._pieces = source, filter(None, pieces)

    def read1(self, _size: int, /) -> bytes:
        return next(self._pieces, b"")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


class _Unzipped(GzipFile):
    """A compressed file as a stream that does not go back."""

    def seekable(self) -> bool:
        return False

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(size)
        except (EOFError, OSError, zlib.error):
            raise RefusedError("the compressed file is not whole") from None


def unzipped(source: Any) -> Any:
    """Return a stream of what is in a file of gzip; any other stream unchanged."""
    if hasattr(source, "peek") and source.peek(2).startswith(GZIP_START):
        return BufferedReader(cast(RawIOBase, _Unzipped(fileobj=source)))
    return source


def open_text(
    source: ByteStream,
    encoding: str | None,
    sheet_name: str | None,
    note: Note,
    *,
    all_sheets: bool = False,
    rows: bool = False,
) -> TextStream:
    """Return a file as a stream of UTF-8; nothing is read before the stream is.

    `sheet_name` names a sheet of a workbook; without it, `all_sheets` gives all sheets.
    """
    return TextStream(source, _text_pieces(source, encoding, sheet_name, note, all_sheets, rows))


def _text_pieces(
    source: Any,
    encoding: str | None,
    sheet_name: str | None,
    note: Note,
    all_sheets: bool,
    rows: bool,
) -> Iterator[bytes]:
    source = unzipped(source)
    rest = iter(lambda: source.read1(_CHUNK_BYTES), b"")
    start = b""
    while start in _PARTS_OF_STARTS and (piece := next(rest, b"")):
        start += piece
    pieces = chain([start], rest)
    if start.startswith(ZIP_START):
        if encoding is not None:
            raise RefusedError("the file is an archive, which has no --encoding")
        from crisps24.output.workbooks import workbook_as_csv

        yield workbook_as_csv(pieces, sheet_name, note, all_sheets=all_sheets)
        return
    if sheet_name is not None:
        raise RefusedError("the file is no Excel workbook, which --sheet-name is for")
    if start.startswith(PARQUET_START):
        from crisps24.judging.parquet_rows import parquet_as_json

        yield from parquet_as_json(source)
        return
    check_text(start)
    if rows and (json_arrays.is_array_of_rows(start) or json_arrays.is_object_of_rows(start)):
        yield from _rows_of_value(source, pieces)
        return
    if encoding is not None:
        yield from _decoded(pieces, encoding)
    elif start.startswith(codecs.BOM_UTF32_LE):
        refuse_zero_bytes(start)
    elif start.startswith(BYTE_ORDER_MARK) or encoding_of(start) == "utf-16" or _JSON.match(start):
        # A reader of lines decodes UTF-16.
        yield from pieces
    else:
        refuse_zero_bytes(start.lstrip().partition(b"\n")[0])
        can_wait = getattr(source, "seekable", lambda: False)()
        yield from _as_utf_8(pieces, note, _BYTES_WITH_SIGNS if can_wait else 0)


def _rows_of_value(source: Any, pieces: Iterator[bytes]) -> Iterator[bytes]:
    collected = bytearray()
    for piece in pieces:
        collected += piece
        if len(collected) > json_arrays.MAX_ARRAY_BYTES:
            raise json_arrays.too_large(str(getattr(source, "name", "a.json")))
    data = json_arrays.bytes_of(BytesIO(collected))
    columns = json_arrays.columns_of(data)
    for start, end in json_arrays.rows_of(data):
        yield json_arrays.row_text(data, start, end, columns) + b"\n"


def _decoded(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except (UnicodeError, LookupError):
        raise RefusedError(f"the file is not in the encoding {encoding}") from None


def _as_utf_8(pieces: Iterator[bytes], note: Note, bytes_ahead: int) -> Iterator[bytes]:
    """Yield whole lines; `bytes_ahead` are read to find signs of other encodings."""
    pending = b""
    for piece in chain(pieces, [b""]):
        pending += piece
        end = max(pending.rfind(b"\n"), pending.rfind(b"\r")) + 1
        if not piece or len(pending) > MAX_INPUT_LINE_BYTES:
            end = len(pending)
        lines, pending = pending[:end], pending[end:]
        if not lines.isascii() and (deciding := _DECIDING.search(lines)):
            yield lines[: deciding.start()]
            start, rest = lines[deciding.start() :] + pending, pieces
            if not _is_utf_8(deciding[0]):
                while len(start) < bytes_ahead and (piece := next(pieces, b"")):
                    start += piece
                check_windows_1252(start)
                start = decode_windows_1252(start).encode()
                note("warning: the file is not UTF-8: read as Windows-1252 (--encoding: another)")
                rest = (decode_windows_1252(piece).encode() for piece in pieces)
            yield start
            yield from rest
            return
        yield lines


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        # A long line can end in the middle of a character.
        return len(line) > MAX_INPUT_LINE_BYTES and error.start > len(line) - 4
    return True
