"""Who does the work of a command: as many processes as are asked for, or as it is worth."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path

import pytest

from crisps24.cli.options import executor_of
from crisps24.cli.program import main
from crisps24.outside import executors

# The processes asked for, whether the work is worth them, the cores there are, and what comes.
ASKED: list[tuple[int | None, bool, int | None, int]] = [
    (1, False, 4, 0),
    (1, True, 4, 0),
    (2, False, 1, 2),
    (2, True, 4, 2),
    (3, False, 4, 3),
    (None, False, 4, 0),
    (None, True, 2, 2),
    (None, True, 3, 3),
    (None, True, 1, 0),
    (None, True, None, 0),
]


@pytest.mark.parametrize(("workers", "worth_it", "cores", "processes"), ASKED)
def test_as_many_processes_are_there_as_are_asked_for_or_as_it_is_worth(
    workers: int | None,
    worth_it: bool,
    cores: int | None,
    processes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    with executor_of(workers, worth_it=worth_it) as executor:
        assert len(active_children()) == processes
        assert (executor is None) == (processes == 0)
    assert not active_children()


@pytest.mark.parametrize("words", ["results 143", "143", "survey cards --targets 24..25"])
@pytest.mark.parametrize("workers", [None, 1, 2, 3])
def test_a_command_asks_for_as_many_as_it_was_told(
    words: str, workers: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int | None] = []
    given = executors.processes

    @contextmanager
    def counted(number: int | None = None) -> Iterator[object]:
        asked.append(number)
        with given(1) as executor:
            yield executor

    monkeypatch.setattr(executors, "processes", counted)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.chdir(tmp_path)
    more = [] if workers is None else ["--workers", str(workers)]
    assert main([*words.split(), *more]) == 0
    assert asked == ([workers] if workers in (2, 3) else [])
