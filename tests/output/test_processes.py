"""Processes that work for one: stopped with it, at any moment, and never heard of."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import active_children
from random import Random

import pytest

from crisps24.output.executors import process_count, processes

# Signals as a shell leaves them, also where the tests themselves are run with some ignored; what is
# printed says when the program is past its own start, where Python itself would complain.
PROGRAM = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
    "from crisps24.cli.program import main\n"
    "from crisps24.cli import surveys\n"
    "from crisps24.output import executors\n"
    "import crisps24.surveys.surveys\n"
    "print('begun', flush=True)\n"
    "sys.exit(main(sys.argv[1:]))"
)
# Seconds in which a survey has started its processes, and they have imported all they need.
START = 1.0


def stopped_after(seconds: float, number: signal.Signals, workers: int) -> tuple[int, str]:
    """Stop a survey as a terminal does, with all it started; return its status and complaints."""
    command = ["survey", "countdown", "--workers", str(workers)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(seconds)
        os.killpg(running.pid, number)
        _, err = running.communicate(timeout=30)
    return running.returncode, err


def campaign(times: int, seed: int, workers: int = 2) -> list[tuple[float, str]]:
    """Interrupt so many surveys at any moment of their start; return what was said, and when."""
    dice = Random(seed)
    moments = [dice.uniform(0, START) for _ in range(times)]
    said = [(moment, stopped_after(moment, signal.SIGINT, workers)) for moment in moments]
    silent = (130, "crisps24: stopped; no file is half-written\n")
    return [
        (moment, f"{status}: {err}") for moment, (status, err) in said if (status, err) != silent
    ]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_workers_know_how_many_share_the_memory() -> None:
    assert process_count() == 1
    with processes(3) as pool:
        assert pool.submit(process_count).result() == 3


def test_ctrl_c_at_the_start_of_a_survey_is_told_in_one_line() -> None:
    assert campaign(2, seed=13, workers=2) == []


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_a_terminal_that_is_closed_at_the_start_ends_all() -> None:
    for moment in (0.1, 0.3):
        told = stopped_after(moment, signal.SIGHUP, 2)
        assert told == (128 + signal.SIGHUP, "crisps24: stopped; no file is half-written\n")


def test_all_processes_are_there_before_any_work() -> None:
    with processes(3) as executor:
        assert len(active_children()) == 3
        assert sorted(executor.map(abs, [-1, 2, -3])) == [1, 2, 3]
        assert len(active_children()) == 3
    assert not active_children()


def test_a_process_minds_no_interrupt() -> None:
    with processes(2) as executor:
        for child in active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGINT)
        assert list(executor.map(abs, [-1, -2])) == [1, 2]


def test_a_process_that_is_killed_is_told() -> None:
    def killed() -> None:
        with processes(1) as executor:
            executor.submit(os._exit, 1).result()

    with pytest.raises(OSError, match="a worker process was killed, perhaps for want of memory"):
        killed()


def test_what_handled_signals_handles_them_again() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with processes(1):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    if hasattr(signal, "pthread_sigmask"):
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_interrupt_while_processes_start_is_held_back_and_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from concurrent.futures import ProcessPoolExecutor

    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    submit: Callable[..., object] = ProcessPoolExecutor.submit

    def interrupted(self: ProcessPoolExecutor, *words: object) -> object:
        signal.raise_signal(signal.SIGINT)
        assert came == []
        return submit(self, *words)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(ProcessPoolExecutor, "submit", interrupted)
            with processes(2):
                assert came == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_processes_start_from_another_thread_too() -> None:
    found: list[int] = []

    def work() -> None:
        with processes(2) as executor:
            found.extend(executor.map(abs, [-1, -2]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [1, 2]
