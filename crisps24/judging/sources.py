"""Files as they come, as one stream of UTF-8: text in some encoding, or an Excel workbook.

The encoding is UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as spreadsheets write.
The first line with other bytes than ASCII decides between UTF-8 and Windows-1252, so that a line
of a pipe can be answered before the next one is written. JSON is UTF-8; comments decide nothing.
"""

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from crisps24.errors import RefusedError
from crisps24.judging.table_rows import MAX_RECORD_BYTES, ByteStream
from crisps24.output.encodings import (
    BYTE_ORDER_MARK,
    check_text,
    check_windows_1252,
    decode_windows_1252,
    encoding_of,
    refuse_zero_bytes,
)
from crisps24.output.workbooks import MAX_WORKBOOK_BYTES, ZIP_START, workbook_as_csv

_CHUNK_BYTES = 1 << 16
# The start of a file that is looked at for signs of other encodings than Windows-1252.
_BYTES_WITH_SIGNS = 1 << 20
# First bytes that need the next ones to be understood.
_STARTS = (ZIP_START, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TextStream:
    """A stream of UTF-8; whether it can be rewound, and its position, are those of its file."""

    def __init__(self, source: Any, pieces: Iterator[bytes]) -> None:
        self._source, self._pieces = source, pieces

    def read1(self, _size: int, /) -> bytes:
        return next(self._pieces, b"")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def open_text(
    source: ByteStream,
    encoding: str | None = None,
    sheet_name: str | None = None,
    note: Callable[[str], object] = lambda _: None,
) -> TextStream:
    """Return a file as a stream of UTF-8; nothing is read before the stream is.

    `encoding` is a name that `check_encoding` accepts; `sheet_name` names a sheet of a workbook.
    `note` is called with a sentence about a choice that the caller can make otherwise. Reading
    raises RefusedError for a file that is no text, or not in the encoding.
    """
    return TextStream(source, _text_pieces(source, encoding, sheet_name, note))


def _text_pieces(
    source: ByteStream,
    encoding: str | None,
    sheet_name: str | None,
    note: Callable[[str], object],
) -> Iterator[bytes]:
    pieces = iter(lambda: source.read1(_CHUNK_BYTES), b"")
    start = b""
    while any(known.startswith(start) and known != start for known in _STARTS):
        piece = next(pieces, b"")
        start += piece
        if not piece:
            break
    if start.startswith(ZIP_START):
        if encoding is not None:
            raise RefusedError("the file is an archive, which has no --encoding")
        yield from read_workbook(chain([start], pieces), sheet_name, note)
        return
    if sheet_name is not None:
        raise RefusedError("the file is no Excel workbook, which --sheet-name is for")
    if not start:
        return
    check_text(start)
    pieces = chain([start], pieces)
    if encoding is not None:
        yield from _decoded(pieces, encoding)
    elif encoding_of(start) == "utf-16" or start.startswith(BYTE_ORDER_MARK):
        # A reader of lines decodes UTF-16.
        yield from pieces
    else:
        can_wait = getattr(source, "seekable", lambda: False)()
        yield from _as_utf_8(pieces, note, _BYTES_WITH_SIGNS if can_wait else 0)


def read_workbook(
    pieces: Iterable[bytes],
    sheet_name: str | None,
    note: Callable[[str], object] = lambda _: None,
) -> Iterator[bytes]:
    """Yield the pieces of a workbook as csv, all at once."""
    data = io.BytesIO()
    for piece in pieces:
        if data.tell() + len(piece) > MAX_WORKBOOK_BYTES:
            raise RefusedError(f"the file has more than {MAX_WORKBOOK_BYTES // 10**6} MB")
        data.write(piece)
    text, names = workbook_as_csv(data, sheet_name)
    if names[1:] and sheet_name is None:
        others = ", ".join(names[1:])
        note(f"the first sheet, {names[0]}, is read (--sheet-name: another of {others})")
    yield from filter(None, [text])


def _decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        for piece in chain(pieces, [b""]):
            yield from filter(None, [decoder.decode(piece, final=not piece).encode()])
    except (UnicodeError, LookupError):
        raise RefusedError(f"the file is not in the encoding {encoding}") from None


def _as_utf_8(
    pieces: Iterator[bytes], note: Callable[[str], object], bytes_ahead: int
) -> Iterator[bytes]:
    """Yield whole lines, as they are up to the one that decides on the encoding.

    Up to `bytes_ahead` after it are read to find signs of other encodings.
    """
    pending, has_text = b"", False
    for piece in chain(pieces, [b""]):
        pending += piece
        end = max(pending.rfind(b"\n"), pending.rfind(b"\r")) + 1
        if not piece or len(pending) > MAX_RECORD_BYTES:
            end = len(pending)
        lines, pending = pending[:end], pending[end:]
        if not has_text or not lines.isascii():
            position = 0
            for line in lines.splitlines(keepends=True):
                text = line.strip()
                if text and not text.startswith(b"#"):
                    is_json = text.startswith(b"{")
                    if is_json and not has_text:
                        yield from chain([lines + pending], pieces)
                        return
                    if not has_text:
                        refuse_zero_bytes(line)
                    has_text = True
                    if not (line.isascii() or is_json):
                        yield from filter(None, [lines[:position]])
                        rest = chain([lines[position:] + pending], pieces)
                        is_utf_8 = _is_utf_8(line)
                        yield from rest if is_utf_8 else _western(rest, note, bytes_ahead)
                        return
                position += len(line)
        if lines:
            yield lines


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeError:
        return False
    return True


def _western(
    pieces: Iterator[bytes], note: Callable[[str], object], bytes_ahead: int
) -> Iterator[bytes]:
    start = next(pieces)
    while len(start) < bytes_ahead and (piece := next(pieces, b"")):
        start += piece
    check_windows_1252(start)
    note("warning: the file is not UTF-8: read as Windows-1252 (--encoding: another)")
    for piece in chain([start], pieces):
        yield decode_windows_1252(piece).encode()
