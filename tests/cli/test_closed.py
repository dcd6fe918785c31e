"""A reader who is gone before anything is printed: no complaint, whatever there was to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The words of a call, and what it says on stderr all the same.
CALLS: list[tuple[list[str], str]] = [
    (["count", "24"], ""),
    (["games"], ""),
    (["check", "1 + 1 = 2"], ""),
    (["check", "1 + 1 = 2", "--format", "jsonl"], ""),
    (["formulas", "6561"], ""),
    (["equations"], ""),
    (["equations", "--count"], ""),
    (["solve", "4 _ 3 _ 8 _ 4 = 24", "--format", "jsonl"], ""),
    (["check", "1 + 1 = 3"], ""),
    (["check", "1 + 1 = 3", "--format", "jsonl"], ""),
    (["check", "--file", "lines", "--format", "csv"], "crisps24: line 2: "),
    (["check", "--file", "lines"], "crisps24: line 2: "),
    (["verify", "results.1"], ""),
    (["judge", "3 x 8", "--card", "cards:3.8=24"], ""),
    (["judge", "--file", "said", "--format", "csv", "--game", "cards"], ""),
    (["audit", "said", "--game", "cards"], ""),
]


@pytest.mark.parametrize(("words", "told"), CALLS)
def test_a_pipe_that_is_closed_beforehand_ends_a_command_quietly(
    words: list[str], told: str, tmp_path: Path
) -> None:
    (tmp_path / "lines").write_text('1 + 1 = 2\n{"formula": 5}\n')
    (tmp_path / "results.1").write_text("")
    (tmp_path / "said").write_text("hand,answer\n3 8,3 x 8\n")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "crisps24", *words],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    assert ran.returncode == 141
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == bool(told)
