"""Files in any encoding, and workbooks, as one stream of UTF-8."""

import io

import pytest

from crisps24.errors import RefusedError
from crisps24.judging.records import parse_record
from crisps24.judging.sources import open_text
from crisps24.judging.table_rows import read_records, read_text_lines
from tests.judging.test_table_rows import Pieces
from tests.sampling import in_one_test

GUESSED = ["warning: the file is not UTF-8: read as Windows-1252 (--encoding: another)"]


def read(*pieces: bytes, encoding: str | None = None) -> tuple[str, list[str]]:
    """Return the text of a pipe that gives these pieces, and the notes about it."""
    notes: list[str] = []
    source = open_text(Pieces(*pieces), encoding, None, notes.append)
    return "\n".join(str(line) for _, line in read_text_lines(source)), notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_each_encoding_gives_the_same_lines_in_any_pieces(encoding: str) -> None:
    text = "name,3\nZoé,½\n# é\nBö × ÷\n"
    data = text.encode(encoding)
    notes = GUESSED if encoding == "windows-1252" else []
    for size in (1, 2, 5, 100):
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
        assert read(*pieces) == (text.strip(), notes)
        assert read(*pieces, encoding=encoding) == (text.strip(), [])


def test_the_first_line_with_other_bytes_decides_unless_it_is_a_comment_or_json() -> None:
    western, utf_8 = "é".encode("windows-1252"), "é".encode()
    for data, expected, notes in (
        (b"1\n" + utf_8 + b"\n" + western, "1\né\n\ufffd", []),
        (b"1\n" + western + b"\n" + utf_8, "1\né\nÃ©", GUESSED),
        (b"# " + western + b"\n" + utf_8, "# \ufffd\né", []),
        (b'1\n{"' + western + b'"}\n' + utf_8, '1\n{"\ufffd"}\né', []),
        (b"# 1\n{}\n" + western + b"\n" + utf_8, "# 1\n{}\n\ufffd\né", []),
        (b"Zo" + western, "Zoé", GUESSED),
        (utf_8 * 100_000 + b"\n1", "None\n1", []),
        (b"x" + utf_8 * 100_000 + b"\n1", "None\n1", []),
    ):
        assert read(data) == (expected, notes)


def test_a_row_of_json_lines_that_is_not_utf_8_is_unreadable() -> None:
    source = open_text(Pieces(b'{"text": "\xe9"}\n{"text": "3"}\n'), None, None, print)
    first, second = (line for _, line in read_records(source, ["text"]))
    assert parse_record(second) == {"text": "3"}
    assert str(first) == "it is not UTF-8: save the file as UTF-8"


def test_a_line_is_read_before_the_next_one_is_written() -> None:
    events: list[str] = []
    pieces = (b"1\n", "é\n".encode("windows-1252"), b"2\n")
    source = open_text(Pieces(*pieces), None, None, print)
    for _, line in read_text_lines(source, lambda: events.append("waits")):
        events.append(str(line))
    assert events == ["waits", "1", "waits", "é", "waits", "2", "waits"]


@in_one_test(
    ("data", "encoding", "said"),
    (b"%PDF-1.7", None, "the file is a PDF"),
    (b"%PDF-1.7", "gbk", "the file is a PDF"),
    (b"\xd0\xcf\x11\xe0", None, "the file is an old or protected file of Excel: save"),
    (b"PK\3\4", None, "the file is a damaged zip archive"),
    (b"PK\3\4", "gbk", "the file is an archive, which has no --encoding"),
    ("a\n".encode("utf-16-le"), None, "the file has zero bytes: name its encoding"),
    ("a\n".encode("utf-32"), None, "the file has zero bytes: name its encoding"),
    ("李明\n".encode("gbk"), None, "the file can be Chinese or Korean: name its encoding"),
    (b"\xe9\r1\r", None, "the file has the line ends of old Macs: name its encoding"),
    (b"\xe9\n\x81\n", None, "the file is in neither of the encodings UTF-8 and Windows-1252"),
    (b"1\n\xe9", "utf-8", "the file is not in the encoding utf-8"),
)
def test_other_files_are_refused(data: bytes, encoding: str | None, said: str) -> None:
    for source in (io.BytesIO(data), Pieces(data)):
        with pytest.raises(RefusedError, match=said):
            list(read_text_lines(open_text(source, encoding, None, print)))


def test_an_empty_file_is_empty_and_has_no_sheet() -> None:
    assert read() == ("", [])
    with pytest.raises(RefusedError, match="the file is no Excel workbook"):
        open_text(Pieces(), None, "A", print).read1(1)


def test_the_first_line_can_set_the_separator() -> None:
    for sign, name in ((";", "a,b"), (",", "a;b"), ("\t", "a,b"), ("|", "a,b;c")):
        text = f"sep={sign}\n{name}{sign}answer\n7{sign}3,5;1\n".replace("3,5;1", "x")
        records = [*read_records(io.BytesIO(text.encode()), ["answer"])]
        assert records == [(3, {name: "7", "answer": "x"})]
    # A list of hands, as spreadsheets write it.
    lines = b'sep=;\n3 3 8 8\n"3, 3, 8, 8";;\n3,3,8,8,,\n'
    plain = [line for _, line in read_records(io.BytesIO(lines), ["hand"], plain=True)]
    assert plain == ["3 3 8 8", "3, 3, 8, 8", "3,3,8,8"]
    with pytest.raises(RefusedError, match="line 2 is not JSON, and names no column"):
        list(read_records(io.BytesIO(b"sep=;\n"), ["answer"]))
