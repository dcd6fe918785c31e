"""Worker processes: they stop with their parent at any moment, without output."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from random import Random
from typing import Any

import pytest

from crisps24.output.executors import process_count, processes

# Resets signals to the state of a shell, also if the tests run with some ignored. The printed line
# shows that Python has started: before, Python itself would print a traceback.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from crisps24.cli.program import main
import crisps24.cli.surveys, crisps24.output.executors, crisps24.surveys.surveys
print("started", flush=True)
sys.exit(main(sys.argv[1:]))
"""
# Seconds in which a survey starts its processes and they import all modules.
START = 1.0


def stopped_after(seconds: float, number: signal.Signals) -> tuple[int, str]:
    """Signal the process group of a survey, as a terminal does; return exit status and stderr."""
    call = [sys.executable, "-c", PROGRAM, "survey", "countdown", "--workers", "2"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, **pipes, start_new_session=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "started\n"
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(seconds)
        os.killpg(running.pid, number)
        _, err = running.communicate(timeout=30)
    return running.returncode, err


def test_all_processes_start_before_any_work_and_know_their_number() -> None:
    assert process_count() == 1
    with processes(3) as pool:
        assert len(active_children()) == 3
        assert [*pool.map(abs, [-1, 2, -3])] == [1, 2, 3]
        assert pool.submit(process_count).result() == 3
        assert len(active_children()) == 3
    assert not active_children()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system lacks process groups")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_survey_that_is_stopped_at_the_start_prints_one_line(number: signal.Signals) -> None:
    dice = Random(13)
    moments = [dice.uniform(0, START) for _ in range(2)]
    results = {moment: stopped_after(moment, number) for moment in moments}
    said = "crisps24: stopped; no file is half-written\n"
    assert results == dict.fromkeys(moments, (128 + number, said))


@pytest.mark.filterwarnings("error")
def test_block_ends_at_once_whatever_its_processes_do() -> None:
    dice = Random(5)
    for _ in range(4):
        with processes(2) as pool:
            pool.submit(int).result()
            began = time.monotonic()
            # A result that is being sent, running work, and cancelled futures.
            pool.submit(bytes, 10**8)
            futures = [pool.submit(time.sleep, 60) for _ in range(9)]
            time.sleep(dice.uniform(0, 0.1))
            for future in futures:
                future.cancel()
        assert not active_children()
        assert time.monotonic() - began < 30


def test_worker_ignores_interrupts() -> None:
    with processes(2) as executor:
        for child in active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGINT)
        assert list(executor.map(abs, [-1, -2])) == [1, 2]


def test_killed_worker_is_an_error() -> None:
    said = "a worker process was killed, perhaps for want of memory"
    with pytest.raises(OSError, match=said), processes(1) as executor:
        executor.submit(os._exit, 1).result()


def test_signal_handlers_are_restored() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with processes(1):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    if hasattr(signal, "pthread_sigmask"):
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_interrupt_while_processes_start_is_delayed(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_processes_can_start_from_another_thread() -> None:
    def work() -> list[int]:
        with processes(2) as executor:
            return list(executor.map(abs, [-1, -2]))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(work).result() == [1, 2]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill")
def test_worker_ends_with_a_killed_parent() -> None:
    program = """
import os
from crisps24.output.executors import processes
with processes(1) as executor:
    print(executor.submit(abs, -1).result(), flush=True)
    os.kill(os.getpid(), 9)
"""
    # The worker keeps the pipe open: only at its end does the call return.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30)
    assert (done.returncode, done.stdout) == (-9, b"1\n")
