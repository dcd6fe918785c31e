"""Files that people have: tables with odd quotation marks, nested objects, types of Parquet."""

import gzip
import io
import json
from contextlib import nullcontext
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisps24.cli.program import main
from crisps24.errors import RefusedError
from crisps24.training.audits import Auditor
from crisps24.training.data_files import DataFile
from crisps24.training.row_checks import Flaw
from crisps24.training.row_claims import ClaimReader
from tests.sampling import in_one_test
from tests.training.test_data_files import as_parquet, parquet_table

COLUMNS = ["id", "nums"]
# A version of pyarrow with all that the tests know of.
NEW_PYARROW = 26


def flaws_of(data: bytes, game: str | None = None, name: str = "a") -> list[Flaw]:
    return list(Auditor(ClaimReader(game)).check(DataFile(io.BytesIO(data), name, COLUMNS).rows()))


def fix(data: bytes, folder: Path, *words: str, suffix: str = "csv") -> tuple[int, bytes]:
    """Return the status of a call that corrects a file, and the corrected file."""
    path, out = folder / f"a.{suffix}", folder / f"b.{suffix}"
    path.write_bytes(data)
    status = main(["audit", str(path), "--fix", str(out), *words])
    return status, out.read_bytes() if out.exists() else b""


HEADER = b"nums,target,note,answer\n"


# A table with a wrong key, and the corrected table. The odd are: a space before a mark, a mark in a
# cell, an open mark in an earlier row, also in another encoding, a cell of several lines, a list as
# pandas writes it, a long cell, and a carriage return.
@in_one_test(
    ("before", "after"),
    (b' "3,8",24,x,3+8\n', b' "3,8",24,x,8*3\n'),
    (b'3 8,24,"a"b",3+8\n', b'3 8,24,"ab""",8*3\n'),
    (b'3 8,24,"bla,3*8\n5 5,25,q,5+5\n4 6,24,"q",4+6\n', b'5 5,25,q,5*5\n4 6,24,"q",6*4\n'),
    (b'3 8,24,"\xff,3+8\n5 5,25,q,5+5\n4 6,24,q,4*6\n', b"5 5,25,q,5*5\n4 6,24,q,4*6\n"),
    (b'"3 8",24,"a\r\n b,""c""",3+8\r\n', b'"3 8",24,"a\r\n b,""c""",8*3\r\n'),
    (b'"[3, 8]",24,x,3+8\n', b'"[3, 8]",24,x,8*3\n'),
    (b"3 8,24," + b"x" * 140_000 + b",3*8\n5 5,25,q,5+5\n", b"5 5,25,q,5*5\n"),
    (b"3 8,24,c\rd,3*8\n5 5,25,q,5+5\n", b"5 5,25,q,5*5\n"),
)
def test_a_table_is_copied_as_it_is_read(before: bytes, after: bytes, tmp_path: Path) -> None:
    assert fix(HEADER + before, tmp_path) == (0, HEADER + after)
    assert flaws_of(HEADER + after) == []


def test_a_duplicate_names_its_file_after_an_empty_one() -> None:
    auditor = Auditor(ClaimReader())
    row = {"nums": [3, 8], "target": 24}
    assert list(auditor.check([], "z.json")) == []
    [flaw] = auditor.check([(1, row), (2, row)], "a.jsonl")
    assert flaw.message == "the same puzzle as line 1"


# A row of JSON, and the kinds of the findings.
@in_one_test(
    ("row", "kinds"),
    # Columns with a known name and other contents.
    ({"nums": [3, 8], "target": 24, "best": "yes", "distance": "5 km", "digits": 2}, []),
    ({"nums": [3, 8], "target": 24, "cards": 2, "closest": "-", "score": float("nan")}, []),
    ({"nums": [3, 8], "target": 24, "cards": [3, 9]}, ["unreadable"]),
    ({"reward_model": {"ground_truth": {"target": 24, "numbers": [3, 8]}}, "key": "1"}, []),
    # Upper case, as in tables.
    ({"Nums": [3, 8], "TARGET": 24, "Answer": "3+8"}, ["key"]),
    ({"nums": [3, 8], "Nums": [3, 8], "target": 24}, ["unreadable"]),
    # The target in the place of the key.
    ({"nums": [3, 8], "target": 24, "answer": 24, "solution": "3+8"}, ["key"]),
    ({"nums": [3, 8], "target": 24, "answer": 24}, ["key"]),
    ({"nums": [3, 8], "target": 24, "answer": ["3*8", None]}, []),
    # A distance without a closest value: the key makes one of two values.
    ({"nums": [3, 8], "target": 28, "distance": 4, "answer": "3*8"}, []),
    ({"nums": [3, 8], "target": 28, "distance": 3, "answer": "3*8"}, ["key"]),
    # The float nearest to a fraction is that fraction.
    ({"nums": [3, 10], "target": 3, "game": "cards", "closest": 10 / 3, "delta": 1 / 3}, []),
    ({"nums": [3, 10], "target": 3, "game": "cards", "closest": 3.33, "delta": 1 / 3}, ["closest"]),
)
def test_a_row_of_json_has_these_findings(row: dict[str, Any], kinds: list[str]) -> None:
    assert [flaw.kind for flaw in flaws_of(json.dumps(row).encode())] == kinds


def test_a_row_without_the_named_column_has_a_common_one() -> None:
    reader = ClaimReader(columns={"hand": "Zahlen"})
    rows = [{"Zahlen": [3, 8], "nums": [3, 9], "target": 24}, {"nums": [8, 3], "target": 24}]
    assert [reader.read(1, row).hand for row in rows] == [(3, 8), (8, 3)]


def test_a_named_column_can_be_in_any_case(tmp_path: Path) -> None:
    table = b"nums,target,Answer,FORMULA\n3 8,24,3*8,3+8\n"
    assert fix(table, tmp_path, "--key-column", "Answer")[1] == table
    assert fix(table, tmp_path, "--key-column", "formula")[1] == table.replace(b"3+8", b"8*3")


def test_changes_of_json_keep_objects_words_and_encoding(tmp_path: Path) -> None:
    line = b'{"reward_model": {"ground_truth": {"target": 24, "nums": [3, 8], "answer": "3+8"}}}\n'
    assert fix(line, tmp_path, suffix="jsonl") == (0, line.replace(b"3+8", b"8*3"))
    line = b'{"nums": [3, 8], "target": 24, "solvable": 0}\n{"nums": [5], "target": 5}\n'
    assert fix(line, tmp_path, suffix="jsonl")[1] == line.replace(b": 0}", b": 1}")
    table = b"nums,target,solvable\n3 8,24,No\n3 9,27,FALSE\n"
    assert fix(table, tmp_path)[1] == table.replace(b"No", b"Yes").replace(b"FALSE", b"TRUE")
    surrogate = '{"nums": [3, 8], "target": 24, "n": "é", "answer": "x \\ud800 3+8"}\n'.encode()
    status, data = fix(surrogate, tmp_path, suffix="jsonl")
    assert (status, json.loads(data)["n"]) == (0, "é")
    assert flaws_of(data) == []


def test_an_unsolvable_row_is_corrected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = b"nums,target,closest,delta,answer\n3 8,25,25,0,3*8\n"
    status, fixed = fix(table, tmp_path, "--game", "countdown")
    assert (status, fixed) == (0, table.replace(b"25,25,0", b"25,24,1"))
    assert "the row has the closest value" in capsys.readouterr().out


def test_unreadable_rows_make_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    for suffix, data, reason in (
        ("csv", b'[{"data": [1]}]', "the row has no numbers"),
        ("csv", b"nums,target\nx,24\n", "'x' is not a number"),
        ("json", b"[]", "it has no row"),
        ("parquet", as_parquet({"nums": pa.array([], pa.list_(pa.int8()))}), "it has no row"),
    ):
        assert fix(data, tmp_path, suffix=suffix) == (2, b"")
        assert f"has no readable row to keep: {reason}" in capsys.readouterr().err


def test_a_compressed_file_is_read() -> None:
    data = gzip.compress(b'{"nums": [3, 8], "target": 24, "answer": "3 + 8"}')
    assert [flaw.kind for flaw in flaws_of(data, name="a.jsonl.gz")] == ["key"]
    with pytest.raises(RefusedError, match="the compressed file is not whole"):
        flaws_of(data[:20], name="a.jsonl.gz")


def test_types_of_parquet_are_read_and_kept(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    columns = {
        "nums": pa.array([[2, 7], [3, 8], [4, 4]], pa.list_(pa.int8())),
        "target": pa.array([Decimal("4.00"), Decimal("24.00"), Decimal("8.00")]),
        "closest": pa.array([3.0, None, None], pa.float64()),
        "answer": pa.array([b"7/2", b"3+8", b"4+4"], pa.binary()),
        "time": pa.array([datetime(2026, 1, 1)] * 3, pa.timestamp("ns")),
        "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
    }
    data = as_parquet(columns)
    status, fixed = fix(data, tmp_path, "--game", "cards", suffix="parquet")
    assert status == 0
    old, new = parquet_table(data), parquet_table(fixed)
    assert new.schema == old.schema
    assert new["closest"].to_pylist() == [3.5, None, None]
    assert new["answer"].to_pylist() == [b"7/2", b"8*3", b"4+4"]
    assert new.drop(["closest", "answer"]) == old.drop(["closest", "answer"])
    assert {flaw.kind for flaw in flaws_of(fixed, "cards")} <= {"sums"}


def test_objects_of_parquet_are_changed(tmp_path: Path) -> None:
    rows = [
        {"ground_truth": {"numbers": [3, 8], "target": 24, "answer": "3+8"}},
        {"ground_truth": {"numbers": [3, 9], "target": 27, "answer": "3*9"}},
    ]
    status, fixed = fix(as_parquet({"reward_model": rows, "n": [1, 2]}), tmp_path, suffix="parquet")
    rows[0]["ground_truth"]["answer"] = "8*3"
    assert (status, parquet_table(fixed)["reward_model"].to_pylist()) == (0, rows)


def test_a_parquet_file_needs_known_columns_with_different_names() -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    with pytest.raises(RefusedError, match="it has no column of id, nums"):
        flaws_of(as_parquet({"a": [1]}))
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["nums", "nums"])
    with pytest.raises(RefusedError, match="it has two columns 'nums'"):
        flaws_of(as_parquet(table))


ROW = b'{"nums":[3,8],"target":24,"answer":"3+8"}\n'
FIXED = b'{"nums": [3, 8], "target": 24, "answer": "8*3"}\n'
TABLE, FIXED_TABLE = HEADER + b"3 8,24,q,3+8\n", HEADER + b"3 8,24,q,8*3\n"


@in_one_test(
    ("data", "fixed"),
    (b"\n" * 9_000 + ROW, b"\n" * 9_000 + FIXED),
    (b"\n" * 70_000 + TABLE, b"\n" * 70_000 + FIXED_TABLE),
    (b"\xc2\xa0\x1c" + ROW, b"\xc2\xa0\x1c" + FIXED),
    (b"\xef\xbb\xbf" + ROW, b"\xef\xbb\xbf" + FIXED),
    (b'{"x":"' + b"a" * 8_000_000 + b'"}\n' + ROW, FIXED),
    (ROW + b"#" * 8_000_001 + b"\n" + ROW, FIXED),
    (TABLE.replace(b"\n", b"\r"), FIXED_TABLE.replace(b"\n", b"\r")),
)
def test_first_line_with_text_gives_the_format(data: bytes, fixed: bytes, tmp_path: Path) -> None:
    assert fix(data, tmp_path, suffix="csv") == (0, fixed)


def test_values_that_python_does_not_have_make_only_their_row_unreadable(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    times = pa.array([1, 2, 3]).cast(pa.timestamp("ns"))
    columns = [
        pa.array([Decimal(3)] * 3, pa.decimal256(70, 40)),
        times,
        pa.array([10**9 + 1] * 3).cast(pa.duration("ns")),
        pa.array([2**31 - 1] * 3, pa.int32()).cast(pa.date32()),
        pa.StructArray.from_arrays([times], names=["nums"]),
        pa.StructArray.from_arrays([times, times], names=["a", "a"]),
        pa.array([b"3*8", b"\xff", b"3*8"]).cast(pa.binary()).view(pa.string()),
    ]
    for column in columns:
        for name in ("answer", "note"):
            data = as_parquet({"nums": [[3, 8]] * 3, "target": [24] * 3, name: column})
            kinds = {flaw.kind for flaw in flaws_of(data, name="a.parquet")}
            assert kinds <= {"unreadable", "key", "duplicate"}
            assert name == "answer" or "unreadable" not in kinds
            assert fix(data, tmp_path, suffix="parquet")[0] in (0, 1, 2)


def test_a_row_of_parquet_over_the_limit_is_unreadable(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    items = pa.DictionaryArray.from_arrays([0] * 210, ["y" * 1_000_000])
    # Row 2 has 200 MB of text, which the file has once.
    long_row = pa.ListArray.from_arrays([0, 5, 205, 210], items)
    rows = {"nums": pa.array([[3, 8]] * 3), "target": pa.array([24, 25, 26])}
    data = as_parquet(rows | {"answer": long_row})
    message = "it is longer than 8,000,000 bytes"
    assert [flaw.line for flaw in flaws_of(data) if flaw.message == message] == [2]
    _, fixed = fix(data, tmp_path, suffix="parquet")
    assert [number for number, _ in DataFile(io.BytesIO(fixed), "a", COLUMNS).rows()] == [1]
    assert fix(as_parquet(rows | {"note": ["x" * 900_000] * 3}), tmp_path, suffix="parquet")[1]


def test_pages_of_parquet_that_are_too_long_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("crisps24.judging.parquet_rows._MAX_PAGE_BYTES", 50_000)
    row = {"nums": [3, 8], "target": 24}
    long = [f"{number:01000}" for number in range(90)]
    message = "column '{}' has texts that are too long"
    for name, texts, refused in (
        ("answer", ["x" * 1_000] * 90, False),
        ("answer", long, True),
        # A column that no check needs is copied, but not read.
        ("note", long, False),
    ):
        data = as_parquet([row | {name: text} for text in texts])
        with pytest.raises(RefusedError, match=message.format(name)) if refused else nullcontext():
            flaws_of(data)
    (tmp_path / "a.parquet").write_bytes(data)
    assert main(["audit", str(tmp_path / "a.parquet"), "--fix", str(tmp_path / "b.parquet")]) == 2
    assert message.format("note") in capsys.readouterr().err


def test_hostile_parquet_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    row = {"nums": pa.array([[3, 8]]), "target": pa.array([24])}
    nested = pa.array([1])
    for _ in range(120):
        nested = pa.StructArray.from_arrays([nested], ["a"])
    bad = b"ABC\xff\xfeFGH"
    columns: list[Any] = [{"ABCDEFGH": [1]}, {"a": [{"ABCDEFGH": 1}]}]
    others = [as_parquet(row | column, store_schema=False) for column in columns]
    sevens = pa.ListArray.from_arrays([0, 33_000_000], np.full(33_000_000, 7, np.int8))
    for data, said in (
        (as_parquet(row | {"nums": sevens}), "too long"),
        # Older versions read any schema.
        *(
            [(as_parquet(row | {"a": nested}), "it is not a readable Parquet file: Parquet schema")]
            if int(pa.__version__.partition(".")[0]) >= NEW_PYARROW
            else []
        ),
        *((named.replace(b"ABCDEFGH", bad), "not UTF-8") for named in others),
    ):
        with pytest.raises(RefusedError, match=said):
            flaws_of(data, name="a.parquet")
        assert fix(data, tmp_path, suffix="parquet") == (2, b"")


def test_types_that_only_copies_meet_are_copied(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    row = {"nums": [[3, 8]] * 2, "target": [24, 11], "answer": ["3+8"] * 2}
    # Older versions write no views.
    is_new = int(pa.__version__.partition(".")[0]) >= NEW_PYARROW
    views = pa.array(["a"] * 2, pa.string_view() if is_new else None)
    others = {"view": views, "nothing": pa.array([[None]] * 2), "texts": pa.array([[*"aa"], None])}
    status, fixed = fix(as_parquet(row | others), tmp_path, suffix="parquet")
    table = parquet_table(fixed)
    assert (status, table["answer"].to_pylist()) == (0, ["8*3", "3+8"])
    assert table.schema.equals(parquet_table(as_parquet(row | others)).schema)
    assert table["texts"].to_pylist() == [["a", "a"], None]
