"""Who does the work of a survey: this process, processes on this machine, or a Dask cluster."""

import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

# Seconds that a scheduler has to answer in.
PATIENCE = 10


@contextmanager
def processes(workers: int | None = None) -> Iterator[Executor]:
    """Give an executor of processes on this machine, all its cores where no number is given.

    What is not begun when it is left is not begun any more.
    """
    # Started afresh on every system alike; forks would share locks with threads.
    pool = ProcessPoolExecutor(
        workers or os.cpu_count(), mp_context=get_context("spawn"), initializer=_ignore_interrupt
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the process that asks, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Give an executor that hands work to the Dask scheduler at an address.

    Raises ValueError where Dask is missing or the address is none, OSError where no scheduler
    answers within 10 seconds.
    """
    try:
        from distributed import Client
    except ImportError:
        install = 'pip install "crisps24[cluster]"'
        raise ValueError(f"a cluster needs Dask, which is missing: {install}") from None
    # What matters of its warnings reaches the user as an error.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError):
        raise OSError(f"no scheduler answers at {address} within {PATIENCE} seconds") from None
    with client:
        yield client.get_executor()
