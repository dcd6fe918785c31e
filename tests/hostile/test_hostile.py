"""A short run of hostile inputs: all answers are results or documented errors, in time."""

from pathlib import Path

import pytest

from tests.hostile.commands import calls
from tests.hostile.files import FILES, measures
from tests.hostile.readers import READERS, campaign
from tests.sampling import EVERY

CALLS = 40 if EVERY else 4


def test_readers_answer_or_raise_one_line() -> None:
    report = campaign(20_000 if EVERY else 800, seed=24)
    assert report.wrong == []
    assert {kind.partition(":")[0] for kind in report.kinds} == set(READERS)


def test_calls_end_with_a_documented_status(tmp_path: Path) -> None:
    report = calls(CALLS, seed=5, folder=tmp_path)
    assert report.wrong == []
    assert report.kinds.total() == CALLS


# The others take many seconds of the processor.
QUICK = ("blank lines", "array of numbers")


@pytest.mark.parametrize("name", FILES if EVERY else QUICK)
def test_no_file_takes_much_memory(name: str, tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="Windows does not tell the memory of a process")
    if FILES[name].suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra `data`")
    taken = dict(measures(name, tmp_path, 4_000_000_000))
    most = FILES[name].megabytes
    assert all(status in (0, 1, 2) and megabytes < most for status, megabytes in taken.values())
