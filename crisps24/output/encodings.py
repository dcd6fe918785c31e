"""Encodings of input files: UTF-8, UTF-16 with a byte order mark, and those of spreadsheets."""

import codecs
import re
import unicodedata
from typing import NamedTuple

from crisps24.errors import RefusedError, quoted

# The byte order mark of UTF-8; without it spreadsheets can choose another encoding.
BYTE_ORDER_MARK = codecs.BOM_UTF8
# Letters of Windows-1252 whose Unicode names do not start with LATIN.
_ALSO_LATIN = "ªº"
_EAST_ASIAN = ("gbk", "big5", "euc_kr")
_NAME_IT = "name its encoding, such as --encoding"


class Decoded(NamedTuple):
    """The text of a file, and the encoding that it was read in."""

    text: str
    encoding: str


def encoding_of(data: bytes) -> str:
    """Return `utf-16` if the bytes of a file start with a byte order mark of it, else `utf-8-sig`.

    >>> encoding_of("3 x 8".encode("utf-16")), encoding_of(b"3 x 8")
    ('utf-16', 'utf-8-sig')
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if is_wide else "utf-8-sig"


def check_encoding(name: str) -> str:
    """Return the name of an encoding unchanged.

    Raises RefusedError for an unknown name, or a codec that does not encode text.

    >>> check_encoding("gbk")
    'gbk'
    """
    try:
        b"a".decode(name)
    except UnicodeError:
        return name
    except (LookupError, ValueError):
        problem = f"{quoted(name)} is not an encoding"
        raise RefusedError(f"{problem} (expected utf-8, windows-1252, gbk, …)") from None
    return name


def decode_file(data: bytes, encoding: str | None = None, *, of_class: bool = False) -> Decoded:
    """Decode the bytes of a file; return its text and the name of the encoding that fits.

    Args:
        data: The bytes of the file.
        encoding: A name that `check_encoding` accepts (default: UTF-8, or UTF-16 with a byte order
            mark).
        of_class: Whether the file can also be in Windows-1252, as Excel writes plain CSV. Such a
            file only has Latin letters and no control characters, and cannot be Chinese or Korean.

    Raises:
        RefusedError: If the bytes are not in the encoding; the message suggests another one if the
            file has zero bytes or old line ends, or can be East Asian.

    >>> decode_file("Zoé,8 × 3".encode("windows-1252"), of_class=True)
    Decoded(text='Zoé,8 × 3', encoding='windows-1252')
    """
    name = encoding or encoding_of(data)
    can_be_windows_1252 = of_class and encoding is None and name != "utf-16"
    try:
        text = data.decode(name)
    except UnicodeError:
        if not can_be_windows_1252:
            expected = "" if encoding else " (expected UTF-8, or UTF-16 with a byte order mark)"
            shown_name = name.removesuffix("-sig").upper() if encoding is None else name
            problem = f"the file is not in the encoding {shown_name}"
            raise RefusedError(f"{problem}{expected}") from None
    else:
        if "\0" in text and encoding is None:
            raise RefusedError(f"the file has zero bytes: {_NAME_IT} utf-16-le")
        return Decoded(text, name)
    return Decoded(_decode_windows_1252(data), "windows-1252")


def _decode_windows_1252(data: bytes) -> str:
    """Return the text of a file in Windows-1252, the encoding of plain CSV from Excel.

    Nearly any bytes can be read in it, so a file in another encoding would give wrong letters.
    Raises RefusedError for signs of that: the line ends of old Macs, pairs of bytes that can be
    Chinese or Korean, letters that are not Latin, zero bytes, and bytes that it does not use.
    """
    if b"\r" in data and b"\n" not in data:
        raise RefusedError(f"the file has the line ends of old Macs: {_NAME_IT} mac-roman")
    other_encoding = _possible_east_asian_encoding(data)
    if other_encoding is not None:
        raise RefusedError(f"the file can be Chinese or Korean: {_NAME_IT} {other_encoding}")
    text = data.decode("windows-1252", errors="replace")
    if not all(map(_is_western, text)):
        problem = "the file is in neither of the encodings UTF-8 and Windows-1252"
        raise RefusedError(f"{problem}: {_NAME_IT} gbk")
    return text


def _possible_east_asian_encoding(data: bytes) -> str | None:
    """Return the Chinese or Korean encoding that a file can have, such as `gbk`, or None.

    In these encodings two bytes are one letter. In Windows-1252 they are two letters with accents,
    which is rare. A × or ÷ of Windows-1252 before a digit, a space or a bracket is never such a
    letter.
    """
    has_byte_pair = re.search(rb"[\xa1-\xfe]{2}", data)
    if not has_byte_pair:
        return None
    return next((name for name in _EAST_ASIAN if _is_text(data, name)), None)


def _is_text(data: bytes, encoding: str) -> bool:
    """Return whether all bytes of a file can be decoded in an encoding."""
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _is_western(character: str) -> bool:
    """Return whether a character is not a sign of a wrong encoding, as other alphabets are."""
    if character.isalpha():
        return character in _ALSO_LATIN or unicodedata.name(character, "").startswith("LATIN")
    return character not in "\0\ufffd" and not "\x80" <= character <= "\x9f"
