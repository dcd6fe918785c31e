"""Encodings of input files: UTF-8, UTF-16 with a byte order mark, and those of spreadsheets.

Excel writes plain CSV in Windows-1252, in which nearly any bytes can be read: signs of another
encoding are the line ends of old Macs, letters that are not Latin, zero bytes, bytes that it does
not use, and pairs of bytes that are one Chinese or Korean letter. In Windows-1252 such a pair is
two letters with accents, which is rare; × or ÷ before a digit, space or bracket is not such a pair.
"""

import codecs
import re
import unicodedata
from contextlib import suppress

from crisps24.errors import RefusedError, quoted

# The byte order mark of UTF-8; without it spreadsheets can choose another encoding.
BYTE_ORDER_MARK = codecs.BOM_UTF8
# Stands before the name of a sheet where all sheets of a workbook are one text.
SHEET_START = "\x1c"
# Letters of Windows-1252 whose Unicode names do not start with LATIN.
_ALSO_LATIN = "ªº"
_EAST_ASIAN = ("gbk", "big5", "euc_kr")
# First bytes of a zip archive, which a workbook of Excel is.
ZIP_START = b"PK\x03\x04"
GZIP_START, PARQUET_START = b"\x1f\x8b", b"PAR1"
# First bytes of files that are not text, and what such a file is.
_BINARY = {
    ZIP_START: "a zip archive, as of Excel: save it as csv",
    b"\xd0\xcf\x11\xe0": "an old or protected file of Excel: save it as csv",
    GZIP_START: "compressed with gzip: unpack it first",
    PARQUET_START: "a Parquet file",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"SQLite format 3": "a database of SQLite",
}
_NAME_IT = "name its encoding, such as --encoding"


def encoding_of(data: bytes) -> str:
    """Return `utf-16` if bytes start with a byte order mark of it, else `utf-8-sig`."""
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if is_wide else "utf-8-sig"


def check_text(start: bytes) -> None:
    """Raise RefusedError, which names the format, for the first bytes of a file that is no text."""
    for magic, kind in _BINARY.items():
        if start.startswith(magic):
            raise RefusedError(f"the file is {kind}")


def check_encoding(name: str) -> str:
    """Return the name of an encoding of text unchanged; raise RefusedError for any other name."""
    try:
        b"a".decode(name)
    except UnicodeError:
        return name
    except (LookupError, ValueError):
        problem = f"{quoted(name)} is not an encoding"
        raise RefusedError(f"{problem} (expected utf-8, windows-1252, gbk, …)") from None
    return name


def decode_file(data: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a byte order mark."""
    name = encoding_of(data)
    try:
        text = data.decode(name)
    except UnicodeError:
        expected = "expected UTF-8, or UTF-16 with a byte order mark"
        shown_name = name.removesuffix("-sig").upper()
        raise RefusedError(f"the file is not in the encoding {shown_name} ({expected})") from None
    refuse_zero_bytes(data if name != "utf-16" else b"")
    return text


def refuse_zero_bytes(data: bytes) -> None:
    if b"\0" in data:
        raise RefusedError(f"the file has zero bytes: {_NAME_IT} utf-16-le")


def check_windows_1252(data: bytes) -> None:
    """Raise RefusedError for signs that bytes which are not UTF-8 are not Windows-1252 either."""
    if b"\r" in data and b"\n" not in data:
        raise RefusedError(f"the file has the line ends of old Macs: {_NAME_IT} mac-roman")
    if re.search(rb"[\xa1-\xfe]{2}", data):
        for name in _EAST_ASIAN:
            with suppress(UnicodeError):
                data.decode(name)
                raise RefusedError(f"the file can be Chinese or Korean: {_NAME_IT} {name}")


def decode_windows_1252(data: bytes) -> str:
    """Return the text of bytes; raise RefusedError for letters that are not Latin."""
    text = data.decode("windows-1252", errors="replace")
    if not all(map(_is_western, text)):
        problem = "the file is in neither of the encodings UTF-8 and Windows-1252"
        raise RefusedError(f"{problem}: {_NAME_IT} gbk")
    return text


def _is_western(character: str) -> bool:
    """Return whether a character is not a sign of a wrong encoding, as other alphabets are."""
    if character.isalpha():
        return character in _ALSO_LATIN or unicodedata.name(character, "").startswith("LATIN")
    return character not in "\0\ufffd" and not "\x80" <= character <= "\x9f"
