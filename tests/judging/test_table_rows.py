"""Lines of files and records of tables, and the errors of those that cannot be read."""

import io
import re
import tracemalloc

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from crisps24.errors import RefusedError
from crisps24.judging import table_rows
from crisps24.judging.records import parse_record
from crisps24.output.encodings import encoding_of
from crisps24.output.tables import TABLE_FORMATS
from tests.sampling import EVERY, in_one_test


class Pieces:
    """A file that returns one piece per read."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = [piece for piece in pieces if piece]

    def read1(self, size: int, /) -> bytes:
        if not self.pieces:
            return b""
        first = self.pieces.pop(0)
        if len(first) > size:
            self.pieces.insert(0, first[size:])
        return first[:size]


class Endless:
    """A file with one line of 20 MB, or 200, which are created when they are read."""

    size = 200_000_000 if EVERY else 20_000_000

    def read1(self, size: int, /) -> bytes:
        self.size -= size
        return b"x" * size if self.size > 0 else b"\n1 + 1\n" if self.size > -size else b""


@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"\n", b"\r", b"\r\n", b"1 + 1\n"])))
@example([b"\r", b"\r\n"])
@example([b"1\r2", b"\n"])
def test_lines_do_not_depend_on_the_pieces_that_are_read(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    # Other files are refused by their first bytes.
    assume(encoding_of(data) == "utf-8-sig" and not data.startswith((b"\0", b"%P", b"\x1f")))
    # Lines end as the first one does.
    end = b"\r" if re.match(rb"[^\r\n]*\r(?!\n)", data) else b"\n"
    found = re.findall(b"[^%b]*%b|[^%b]+" % (end, end, end), data)
    lines = [line.decode(errors="replace") for line in found]
    # Only the first line can start with a byte order mark.
    expected = [line[at == 0 and line[:1] == "\ufeff" :].strip() for at, line in enumerate(lines)]
    assert list(table_rows.read_text_lines(Pieces(*pieces))) == list(enumerate(expected, 1))


def test_every_line_end_of_unicode_ends_a_line_of_a_plain_file() -> None:
    parts = ["3 3 8 8", "1 5 5 5", "2", "3", "", "# 4", "5", "6", '{"id": "a\u2028\x85b"}']
    ends = ["\u2028", "\v", "\f", "\x85", "\u2029", "\n", "\x1c", "\r\n", ""]
    data = "".join(map("".join, zip(parts, ends, strict=True))).encode()
    records = table_rows.read_records(io.BytesIO(data), ["target"], plain=True)
    assert list(records) == list(enumerate(parts, 1))


def test_utf_16_that_ends_inside_a_character_is_refused() -> None:
    lines = table_rows.numbered_lines(io.BytesIO("1\n2".encode("utf-16")[:-1]))
    assert next(lines) == (1, b"1\n")
    with pytest.raises(RefusedError, match="ends in the middle of a character of UTF-16"):
        list(lines)


LONGEST = "x" * table_rows.MAX_INPUT_LINE_BYTES


@in_one_test(
    ("text", "lines"),
    (f"\ufeff1\n\ufeff2\n{LONGEST}\n3", ["1", "\ufeff2", LONGEST, "3"]),
    (f"1\n{LONGEST}x", ["1", None]),
    (LONGEST * 3, [None]),
)
def test_a_line_that_is_too_long_is_none(text: str, lines: list[str | None]) -> None:
    assert list(table_rows.read_text_lines(io.BytesIO(text.encode()))) == [*enumerate(lines, 1)]


def test_a_table_row_that_is_not_utf_8_is_an_error() -> None:
    data = "name,answer\nAnn,3 × 8\nBob,3 x 8\n".encode("windows-1252")
    (_, first), (_, second) = table_rows.read_records(io.BytesIO(data), ["answer"])
    assert str(first) == "it is not UTF-8: save the file as UTF-8"
    assert second == {"name": "Bob", "answer": "3 x 8"}


def test_a_table_header_that_is_not_utf_8_is_refused() -> None:
    for header in ("prénom,answer".encode("latin-1"), "answer".encode("utf-16-le")):
        with pytest.raises(RefusedError, match="line 1 is not UTF-8"):
            list(table_rows.read_records(io.BytesIO(header + b"\n"), ["answer"]))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_file_in_utf_16_is_decoded_by_its_byte_order_mark(encoding: str, size: int) -> None:
    data = "Zoë,8 × 3\r\n李\n".encode(encoding)
    data = data if encoding == "utf-16" else "\ufeff".encode(encoding) + data
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(table_rows.read_text_lines(Pieces(*pieces))) == [(1, "Zoë,8 × 3"), (2, "李")]


def test_a_line_of_many_megabytes_takes_less_than_one_megabyte() -> None:
    tracemalloc.start()
    result = list(table_rows.read_text_lines(Endless()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (result, peak < 1_000_000) == ([(1, None), (2, "1 + 1")], True)


def rows_in(text: str) -> list[table_rows.RecordLine]:
    return list(table_rows.read_records(io.BytesIO(text.encode()), ["answer"]))


def test_each_answer_of_a_pupil_is_a_record_with_the_cells_of_the_row() -> None:
    pupil = {"Pupil": "Ann", "name": "Ann"}
    assert rows_in("Pupil,1 cards:3.8=24,2 cards:4.6=24\nAnn,3 x 8\n") == [
        (2, pupil | {"id": "cards:3.8=24", "completion": "3 x 8"}),
        (2, pupil | {"id": "cards:4.6=24", "completion": ""}),
    ]


def test_a_table_row_with_more_cells_than_columns_is_an_error() -> None:
    first, second = rows_in("name,answer\nann,3*8, or so\nbob,3*8\n")
    assert (first[0], second) == (2, (3, {"name": "bob", "answer": "3*8"}))
    with pytest.raises(RefusedError, match="it has 3 cells, and the first line names 2"):
        parse_record(first[1])


def test_a_table_line_that_is_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "MAX_RECORD_BYTES", 20)
    first, *others = rows_in(f"name,answer\nann,{'8' * 30}\nbob,8\ncleo,8\n")
    assert [line for line, _ in (first, *others)] == [2, 3, 4]
    with pytest.raises(RefusedError, match="it is longer than 20 bytes"):
        parse_record(first[1])


def test_a_record_can_have_a_text_of_the_maximum_length() -> None:
    [(_, line)] = rows_in(f'{{"answer": "{"8" * 1_000_000}"}}')
    assert parse_record(line) == {"answer": "8" * 1_000_000}


@pytest.mark.parametrize("separator", ["csv", "tsv"])
def test_a_table_escaped_for_spreadsheets_is_read_unescaped(separator: str) -> None:
    record = {"=name": "@ann", "target": "-5", "answer": "-4 + 3 x 8 + 4", "note": "'tis"}
    text = "\n".join(TABLE_FORMATS[separator].lines([record], list(record)))
    assert "'-4 +" in text
    assert list(table_rows.read_records(io.BytesIO(text.encode()), ["answer"])) == [(2, record)]


def test_a_table_row_can_have_several_lines_and_a_column_no_name() -> None:
    assert rows_in('answer\n"3\n\n8"\n5\n') == [(4, {"answer": "3\n\n8"}), (5, {"answer": "5"})]
    assert rows_in("answer,,\n3*8,,\n") == [(2, {"answer": "3*8", "": ""})]


@in_one_test(
    ("head", "named"),
    ("Hand,HAND,answer", "hand"),
    ('answer;"Operators";operators', "operators"),
    ("cards:3.8=24\tname\tcards:3.8=24", "cards:3.8=24"),
    ("note,answer,note", "note"),
)
def test_a_table_with_a_repeated_column_is_refused(head: str, named: str) -> None:
    with pytest.raises(RefusedError, match=f"line 2 names the column '{named}' twice"):
        rows_in(f"\n{head}\n3 8,24,1,2\n")


@pytest.mark.parametrize("text", ["", "\n\n", "name,hand\nann,3 8\n"])
def test_an_empty_file_and_a_table_without_answers_are_refused(text: str) -> None:
    with pytest.raises(RefusedError, match=r"no line|names no column of answer"):
        rows_in(text)
