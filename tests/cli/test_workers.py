"""Worker processes: the number of the call, or as many as the work needs."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from crisps24.cli.program import main
from crisps24.cli.screen import open_executor
from crisps24.output import executors
from tests.sampling import in_one_test, some

# The number in the call, the pieces of work, whether they are worth it, the cores, and the number
# of processes.
ASKED: list[tuple[int | None, int, bool, int | None, int]] = [
    *((1, 9, False, 4, 0), (1, 9, True, 4, 0), (2, 9, False, 1, 2), (2, 9, True, 4, 2)),
    *((3, 9, False, 4, 3), (None, 9, False, 4, 0), (None, 9, True, 2, 2), (None, 9, True, 3, 3)),
    *((None, 9, True, 1, 0), (None, 9, True, None, 0), (1000, 2, True, 1, 2)),
    *((1000, 1, True, 4, 0), (1000, 0, False, 4, 0), (None, 2, True, 128, 2)),
]


def test_at_most_8_workers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    pool = MagicMock()
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", pool)
    for workers in (1000, 9, 8, None):
        with executors.processes(workers):
            pass
        with open_executor(workers, 10**6, worth_it=True):
            pass
    assert [call.args[0] for call in pool.call_args_list] == [8] * 8


@in_one_test("case", *ASKED)
def test_workers_follow_the_request_or_the_work(case: Any) -> None:
    workers, pieces, worth_it, cores, processes = case

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: cores)
        with open_executor(workers, pieces, worth_it=worth_it) as executor:
            assert len(active_children()) == processes
            assert (executor is None) == (processes == 0)
    assert not active_children()


# Calls and their numbers of tasks, if a section has 100 rows.
PIECES: list[tuple[str, int]] = [
    *(("results 143", 1), ("143", 1), ("results 41", 8), ("results 100..110", 4)),
    *(("survey cards --targets 24..25", 8), ("survey crisps digits --targets 24..25", 4)),
    ("survey cards --length 3 --target 24 --difficulty", 4),
    ("survey crisps --length 2 --targets 0..9", 1),
]

# With one process the number of tasks does not matter.
CALLS = [
    *((workers, *each) for workers in (2, 1000) for each in PIECES),
    *((workers, *each) for workers in (None, 1) for each in PIECES[3::2]),
]


@pytest.mark.parametrize(("workers", "words", "pieces"), some(CALLS, 10))
def test_command_passes_on_the_number_of_workers(
    workers: int | None, words: str, pieces: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []

    @contextmanager
    def make_executor(*words: Any) -> Iterator[object]:
        counts.append(executors.workers_for(*words))
        # Only the number of workers matters: threads start faster than processes.
        with ThreadPoolExecutor(1) as executor:
            yield executor

    monkeypatch.setattr("crisps24.enumeration.results.SECTION_ROWS", 100)
    monkeypatch.setattr(executors, "processes", make_executor)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.chdir(tmp_path)
    options = [] if workers is None else ["--workers", str(workers)]
    assert main([*words.split(), *options]) == 0
    assert counts == [count for count in [min(workers or 1, pieces)] if count > 1]
