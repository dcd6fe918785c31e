"""Threads of a fresh process, each with the first call of its kind, answer as one thread does."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.sampling import EVERY
from tests.thread_calls import CALLS

# Processes of one kind of call, and of all kinds.
_PROCESSES = (50, 50) if EVERY else (1, 3)


def _answers(*arguments: str) -> Any:
    command = [sys.executable, "-m", "tests.thread_calls", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.mark.parametrize("kinds", [*((name,) for name in CALLS), tuple(CALLS)], ids="-".join)
def test_first_calls_in_threads_give_the_answers_of_one_thread(kinds: tuple[str, ...]) -> None:
    count = _PROCESSES[len(kinds) > 1]
    together = [_answers(*kinds, "--together") for _ in range(count)]
    assert together == [_answers(*kinds, "--alone")] * count
