"""Threads of a fresh process, each with the first call of its kind, answer as one thread does.

It takes 3 seconds: threads that switch all the time, and a process with one thread.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.sampling import EVERY, some
from tests.thread_calls import CALLS

# Processes of each kind of call.
_PROCESSES = 50 if EVERY else 1


def _answers(*arguments: str) -> Any:
    command = [sys.executable, "-m", "tests.thread_calls", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.mark.parametrize(
    "kinds", some([tuple(CALLS), *((name,) for name in CALLS)], 1), ids="-".join
)
def test_first_calls_in_threads_give_the_answers_of_one_thread(kinds: tuple[str, ...]) -> None:
    together = [_answers(*kinds, "--together") for _ in range(_PROCESSES)]
    assert together == [_answers(*kinds, "--alone")] * _PROCESSES
