"""A short run of the hostile campaign: nothing but documented errors, and soon."""

import os
from pathlib import Path

from tests.hostile.commands import calls
from tests.hostile.readers import READERS, campaign

EVERY = "CRISPS24_EVERY" in os.environ


def test_readers_answer_or_refuse_in_a_sentence() -> None:
    report = campaign(40_000 if EVERY else 2_000, seed=24)
    assert report.wrong == []
    assert {kind.partition(":")[0] for kind in report.kinds} == set(READERS)


def test_calls_end_as_they_should(tmp_path: Path) -> None:
    report = calls(10, seed=24, folder=tmp_path)
    assert report.wrong == []
    assert report.kinds.total() == 10
