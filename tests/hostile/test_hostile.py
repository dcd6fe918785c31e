"""A short run of hostile inputs: all answers are results or documented errors, in time."""

from pathlib import Path

from tests.hostile.commands import calls
from tests.hostile.readers import READERS, campaign
from tests.sampling import EVERY

CALLS = 100 if EVERY else 4


def test_readers_answer_or_raise_one_line() -> None:
    report = campaign(40_000 if EVERY else 800, seed=24)
    assert report.wrong == []
    assert {kind.partition(":")[0] for kind in report.kinds} == set(READERS)


def test_calls_end_with_a_documented_status(tmp_path: Path) -> None:
    report = calls(CALLS, seed=24, folder=tmp_path)
    assert report.wrong == []
    assert report.kinds.total() == CALLS
