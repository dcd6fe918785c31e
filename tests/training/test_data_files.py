"""Files of puzzles in five formats: what is read, and what stays the same in a copy."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.errors import RefusedError
from crisps24.training.data_files import DataFile, find_format
from crisps24.training.row_changes import RowChange
from tests.hands.dealing import HALF
from tests.sampling import in_one_test

Fields = dict[str, Any]
COLUMNS = ["nums", "id", "note", "none"]
ROWS: list[Fields] = [
    {"note": "a", "nums": [3, 8], "target": 24, "answer": "3 * 8"},
    {"note": 'b, "c"\nd', "nums": [4, 4, 8], "target": 24, "answer": "4 + 8"},
    {"note": "é 無", "nums": [1, 2], "target": 9, "answer": "no solution"},
    {"note": "", "nums": [5, 5], "target": 25, "answer": "5 x 5"},
]


def as_table(rows: list[Fields], separator: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([cell("csv", row[name]) for name in rows[0]] for row in rows)
    return out.getvalue().encode()


def as_parquet(rows: Any, **options: Any) -> bytes:
    """Return a Parquet file of rows, of columns by their names, or of a table of pyarrow."""
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    table, out = pa.Table.from_pylist(rows) if isinstance(rows, list) else rows, io.BytesIO()
    table = pa.table(rows) if isinstance(rows, dict) else table
    pytest.importorskip("pyarrow.parquet").write_table(table, out, **options)
    return out.getvalue()


def parquet_table(data: bytes) -> Any:
    return pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(data))


# A function that writes rows as a file, by the suffix of the file.
WRITERS: dict[str, Callable[[list[Fields]], bytes]] = {
    "jsonl": lambda rows: "".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in rows).encode(),
    "json": lambda rows: json.dumps(rows, indent=2).encode(),
    "csv": as_table,
    "tsv": partial(as_table, separator="\t"),
    "parquet": partial(as_parquet, row_group_size=2),
}


def read(name: str, data: bytes) -> list[tuple[int, Any]]:
    """Return the rows of a file; an error as text."""
    rows = find_format(name, data[:100]).read(io.BytesIO(data), COLUMNS)
    return [(number, str(row) if isinstance(row, RefusedError) else row) for number, row in rows]


def copy(name: str, data: bytes, changes: dict[int, RowChange]) -> bytes:
    out = io.BytesIO()
    find_format(name, data[:100]).copy(io.BytesIO(data), out, changes, COLUMNS)
    return out.getvalue()


def numbers_of(suffix: str, rows: list[Fields]) -> list[int]:
    """Return the number of each row: its last line in a file of lines."""
    if suffix in ("json", "parquet"):
        return list(range(1, len(rows) + 1))
    is_table = suffix != "jsonl"
    ends = (sum(str(value).count("\n") for value in row.values()) for row in rows)
    return [line + is_table for line in accumulate(1 + is_table * each for each in ends)]


def cell(suffix: str, value: Any) -> Any:
    """Return a value as a file with this suffix has it."""
    if suffix not in ("csv", "tsv"):
        return value
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_same_rows_in_every_format(suffix: str) -> None:
    rows = read(f"a.{suffix}", WRITERS[suffix](ROWS))
    assert [number for number, _ in rows] == numbers_of(suffix, ROWS)
    cells = [{name: cell(suffix, value) for name, value in row.items()} for row in ROWS]
    assert [row for _, row in rows] == cells


TEXTS = st.text(st.sampled_from("ab,;\t\"'\\ é無\n{}[]=+"), max_size=6)
_NUMS = st.lists(st.integers(1, 9), min_size=1, max_size=3)
_ROW = st.fixed_dictionaries({"note": TEXTS, "nums": _NUMS, "answer": TEXTS})
FILES = st.lists(_ROW, min_size=1, max_size=5)
CHANGES = st.dictionaries(st.integers(0, 4), st.none() | TEXTS, max_size=3)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv"])
@HALF
@given(FILES, CHANGES)
def test_changed_rows_are_changed_and_others_keep_their_bytes(
    suffix: str, rows: list[Fields], changes: dict[int, str | None]
) -> None:
    rows = [{name: row[name] for name in ("note", "nums", "answer")} for row in rows]
    if suffix in ("csv", "tsv"):
        # A row of a table has spaces around it removed.
        rows = [{**row, "note": f"n{row['note']}", "answer": f"{row['answer']}a"} for row in rows]
        # An apostrophe in front is the guard of a cell.
        changes = {index: text and f"{text}a".lstrip("'") for index, text in changes.items()}
    name, write, numbers = f"a.{suffix}", WRITERS[suffix], numbers_of(suffix, rows)
    applied: dict[int, RowChange] = {
        numbers[index]: None if text is None else {"answer": text}
        for index, text in changes.items()
        if index < len(rows)
    }
    result = copy(name, write(rows), applied)
    expected = [
        row if index not in changes else row | {"answer": changes[index]}
        for index, row in enumerate(rows)
        if changes.get(index, "") is not None
    ]
    if not expected:
        assert suffix != "json" or json.loads(result) == []
        return
    assert [row for _, row in read(name, result)] == [row for _, row in read(name, write(expected))]
    if all(text is None for text in applied.values()) and suffix != "json":
        # Only whole rows are gone.
        assert result == write(expected)


def test_a_changed_row_is_written_anew_and_others_stay() -> None:
    data = b'\xef\xbb\xbf[ {"nums":[3,8],\n  "answer" : "3+8"},\n{"nums":[1],"x":1.50} ]\n'
    changed = b'\xef\xbb\xbf[ {"nums": [3, 8], "answer": "3*8"},\n{"nums":[1],"x":1.50} ]\n'
    assert copy("a.json", data, {1: {"answer": "3*8"}}) == changed
    assert copy("a.json", data, {1: None}) == b'\xef\xbb\xbf[ {"nums":[1],"x":1.50} ]\n'
    assert copy("a.json", data, {1: None, 2: None}) == b"\xef\xbb\xbf[  ]\n"
    line = b'{"answer": ["3+8"], "metadata": {"closest": 12, "answer": "no"}}\r\n'
    changed = b'{"answer": ["3*8"], "metadata": {"closest": 11, "answer": "no"}}\r\n'
    assert copy("a.jsonl", line, {1: {"answer": "3*8", "closest": "11"}}) == changed
    line = b'{"solvable": false, "answer": ["a", "b"]}'
    changed = b'{"solvable": true, "answer": ["a", "c"]}'
    assert copy("a.jsonl", line, {1: {"solvable": "true", "answer": ["a", "c"]}}) == changed
    table = b'\xef\xbb\xbf"Nums";"Answer";"x"\r\n"3 8";"3+8";"a;b"\r\n\r\n3 8;;\r\n'
    changed = b'\xef\xbb\xbf"Nums";"Answer";"x"\r\n"3 8";"3*8";"a;b"\r\n\r\n3 8;a;\r\n'
    assert copy("a.csv", table, {2: {"answer": "3*8"}, 4: {"answer": "a"}}) == changed


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv"])
def test_a_value_in_json_text_is_changed(suffix: str) -> None:
    row = {"note": "a", "ground_truth": '{"nums": [3, 8], "answer": "3+8"}'}
    data = WRITERS[suffix]([row])
    result = copy(f"a.{suffix}", data, {numbers_of(suffix, [row])[0]: {"answer": "3*8"}})
    changed = row | {"ground_truth": row["ground_truth"].replace("+", "*")}
    assert [fields for _, fields in read(f"a.{suffix}", result)] == [changed]


def test_a_table_cell_that_a_spreadsheet_would_run_is_escaped() -> None:
    data = b"nums,answer\n3 8,no\n"
    assert copy("a.csv", data, {2: {"answer": "-3+8"}}) == b"nums,answer\n3 8,'-3+8\n"
    assert read("a.csv", b"nums,answer\n3 8,'-3+8\n")[0][1]["answer"] == "-3+8"


def test_parquet_keeps_types_columns_and_compression() -> None:
    data = as_parquet([{**row, "level": 1.0, "id": index} for index, row in enumerate(ROWS)])
    pq = pytest.importorskip("pyarrow.parquet")
    result = copy("a.parquet", data, {1: {"answer": "8*3"}, 2: None, 4: {"level": "2"}})
    old, new = parquet_table(data), parquet_table(result)
    assert new.schema == old.schema
    cells = [(row["id"], row["answer"], row["level"]) for row in new.to_pylist()]
    assert cells == [(0, "8*3", 1.0), (2, "no solution", 1.0), (3, "5 x 5", 2.0)]
    groups = (pq.ParquetFile(io.BytesIO(each)).metadata.row_group(0) for each in (data, result))
    codecs = [group.column(0).compression for group in groups]
    assert codecs[0] == codecs[1]
    with pytest.raises(RefusedError, match="a new value does not fit its column"):
        copy("a.parquet", data, {1: {"id": "text"}})


def test_parquet_has_no_floats() -> None:
    rows = [{"nums": [3.0, 0.1], "target": 24.0, "none": None}, {"nums": None, "target": None}]
    assert [row for _, row in read("a.parquet", as_parquet(rows))] == [
        {"nums": [3, "0.1"], "target": 24, "none": None},
        {"nums": None, "target": None, "none": None},
    ]


# A file that cannot be read, or only in part, and the reason.
@in_one_test(
    ("name", "data", "reason"),
    ("a.json", b" \n", "the file has no row"),
    ("a.json", b"[1", 'after row 1, "," or "]" is missing'),
    ("a.json", b"[{},]", "row 2 is not JSON"),
    ("a.json", b"[" * 100_000, 'after row 1, "," or "]" is missing'),
    ("a.json", b"[{}] 1", 'after row 1, "," or "]" is missing'),
    ("a.csv", b"a,b\n", "names no column of nums"),
    ("a.jsonl", b"\n", "the file has no line"),
)
def test_a_file_that_cannot_be_read_is_refused(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read(name, data)
    assert reason in str(caught.value)


@in_one_test("data", b"", b"PAR1 and so on PAR1")
def test_a_file_that_is_not_parquet_is_refused(data: bytes) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    with pytest.raises(RefusedError, match="it is not a readable Parquet file"):
        read("a.parquet", data)


def test_an_element_that_is_not_a_row_does_not_stop_the_file() -> None:
    rows = [b"1", b'{"nums": [3]}', b'{"a": 1, "a": 2}', b"NaN", b'{"x": 0.5}', b'{"a": }']
    rows += [b'{"a": %s}' % (b"7" * 5_000), b'{"a": %s}' % (b"[" * 20_000 + b"]" * 20_000)]
    assert read("a.json", b"[" + b", ".join(rows) + b"]") == [
        (1, "it is not an object"),
        (2, {"nums": [3]}),
        (3, "one of its names is there twice"),
        (4, "it is not an object"),
        (5, {"x": ("0.5",)}),
        (6, "it is not JSON: Expecting value (column 7)"),
        (7, "7777777777… has more than 100 digits"),
        (8, "it is nested too deeply"),
    ]
    assert read("a.json", b"[]") == []


# The first bytes decide; the suffix, if there are none.
@in_one_test(
    ("form", "files"),
    ("json", [("a.jsonl", "["), ("-", " ["), ("a.JSON", "")]),
    ("jsonl", [("a.json", "{"), ("a.csv", "{"), ("-", "\ufeff{"), ("-", "# a")]),
    ("table", [("a.jsonl", "nums"), ("-", "nums"), ("a.tsv", ""), ("a", "")]),
    ("parquet", [("a.txt", "PAR1"), ("a.parquet", "")]),
)
def test_the_format_of_a_file(form: str, files: list[tuple[str, str]]) -> None:
    for name, start in files:
        assert find_format(name, start.encode()).name == form, name


def test_a_long_array_gets_a_dividing_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a b.json"
    path.write_text('[{"nums": [3, 8]},\n {"nums": ["é"]}]')
    monkeypatch.setattr("crisps24.judging.json_arrays.MAX_ARRAY_BYTES", 30)
    with path.open("rb") as source, pytest.raises(RefusedError, match="make it JSON Lines") as why:
        DataFile(source, str(path))
    line = str(why.value).partition("by ")[2]
    subprocess.run(["sh", "-c", line.replace("python", sys.executable, 1)], check=True)
    lines = path.with_suffix(".jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"nums": [3, 8]}, {"nums": ["é"]}]
