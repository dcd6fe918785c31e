"""Who does the work of a survey: this process, processes on this machine, or a Dask cluster."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from crisps24.about import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Seconds that a scheduler has to answer in.
PATIENCE = 10


class VersionError(RuntimeError):
    """A worker has another version of this package, or none."""


def refuse_another_version(version: object, where: str, wanted: str = __version__) -> None:
    """Raise `VersionError` where a worker has another version than the one that asks."""
    if version != wanted:
        has = f"crisps24 {version}" if isinstance(version, str) else "no crisps24"
        both = f"and this is {wanted}: install the same version on both"
        raise VersionError(f"the worker {where} has {has}, {both}")


@contextmanager
def taking_results() -> Iterator[None]:
    """Tell as `VersionError` what a worker cannot import, where its results are taken."""
    try:
        yield
    except ImportError as error:
        raise VersionError(f"a worker has no crisps24 {__version__}: {error}") from None


@contextmanager
def processes(workers: int | None = None) -> Iterator["Executor"]:
    """Give an executor of processes on this machine, all its cores where no number is given.

    What is not begun when it is left is not begun any more.

    Raises OSError, from the block, where a process is killed on the way.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Started afresh on every system alike; forks would share locks with threads.
    count = workers or os.cpu_count() or 1
    pool = ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin_process,
    )
    try:
        with _ignoring_interrupts():
            # Each call starts a process while none is idle: all inherit that they ignore Ctrl-C.
            for _ in range(count):
                pool.submit(int)
        yield pool
    except BrokenProcessPool:
        raise OSError("a worker process was killed, perhaps for want of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Leave Ctrl-C to the process that asks, for as long as the block takes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin_process() -> None:
    """End when the process that asks ends, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator["Executor"]:
    """Give an executor that hands work to the Dask scheduler at an address.

    Raises ValueError where Dask is missing or the address is none, OSError where no scheduler
    answers within 10 seconds or none of its workers does, `VersionError` where a worker has
    another version of this package, or none; OSError, from the block, where the cluster is
    lost on the way.
    """
    import asyncio
    import logging
    from concurrent.futures import CancelledError

    try:
        from distributed import Client, KilledWorker
    except ImportError:
        install = 'pip install "crisps24[cluster]"'
        raise ValueError(f"a cluster needs Dask, which is missing: {install}") from None
    # What matters of its warnings reaches the user as an error.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if "://" not in address:
        address = f"tcp://{address}"
    try:
        # A client would wait for ever for one that is there and says nothing.
        asyncio.run(asyncio.wait_for(_ask(address), PATIENCE))
    except ValueError as error:
        raise ValueError(f"{address!r} is no address: {error}; tcp://host:8786 is one") from None
    except (OSError, TimeoutError, MemoryError):
        # What is no scheduler may answer with what reads as a size beyond all memory.
        raise OSError(f"no scheduler answers at {address} within {PATIENCE} seconds") from None
    with Client(address, timeout=PATIENCE) as client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise OSError(f"the scheduler at {address} has no workers") from None
        # A function of the standard library, which a worker without this package has too.
        found = client.run(resolve_name, "crisps24.about:__version__", on_error="return")
        for worker, version in found.items():
            refuse_another_version(version, f"at {worker}")
        try:
            yield client.get_executor()
        except (CancelledError, KilledWorker):
            raise OSError(f"the cluster at {address} was lost; what is stored is kept") from None


async def _ask(address: str) -> None:
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()
