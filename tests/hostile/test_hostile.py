"""A short run of hostile inputs: all answers are results or documented errors, in time."""

import os
from pathlib import Path

from tests.hostile.commands import calls
from tests.hostile.readers import READERS, campaign

EVERY = "CRISPS24_EVERY" in os.environ


def test_readers_answer_or_raise_one_line() -> None:
    report = campaign(40_000 if EVERY else 2_000, seed=24)
    assert report.wrong == []
    assert {kind.partition(":")[0] for kind in report.kinds} == set(READERS)


def test_calls_end_with_a_documented_status(tmp_path: Path) -> None:
    report = calls(10, seed=24, folder=tmp_path)
    assert report.wrong == []
    assert report.kinds.total() == 10
