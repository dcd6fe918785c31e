"""Workers: processes on this machine, or a Dask cluster."""

import os
import signal
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from crisps24.about import __version__
from crisps24.errors import CrispsError, KindError, RefusedError, quoted

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.synchronize import Event

# Processes on one machine: of a survey each takes up to 200 MB, and all together at most 2 GB.
MAX_WORKERS = 8
# Set in each worker process when it begins.
_sharing = 1
# Seconds that a scheduler has to answer in.
SCHEDULER_TIMEOUT = 10
# Seconds that a cluster may be without workers: one that is started again takes two or three.
MAX_SECONDS_WITHOUT_WORKERS = 6


class VersionError(CrispsError, RuntimeError):
    """A worker of a cluster has another version of this package, or does not have it."""


def check_version(version: object, where: str, wanted: str = __version__) -> None:
    """Raise `VersionError` where a worker has another version than the one that asks."""
    if version != wanted:
        has = f"crisps24 {version}" if isinstance(version, str) else "no crisps24"
        both = f"and this is {wanted}: install the same version on both"
        raise VersionError(f"the worker {where} has {has}, {both}")


def check_executor(executor: object) -> None:
    """Raise TypeError for what can do no work, and is not None."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise KindError(f"{quoted(executor)} is no executor: one of concurrent.futures is")


@contextmanager
def version_errors() -> Iterator[None]:
    """Raise `VersionError` if a result is something that a worker could not import."""
    try:
        yield
    except ImportError as error:
        raise VersionError(f"a worker has no crisps24 {__version__}: {error}") from None


@contextmanager
def cancel_at_end(futures: "Collection[Future[Any]]") -> Iterator[None]:
    """Cancel futures when the block ends, and wait for those that run."""
    from concurrent.futures import wait

    try:
        yield
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


def workers_for(asked: int | None = None, pieces: int = MAX_WORKERS) -> int:
    """Return the number of worker processes (default: all cores), at most 8 or one per piece.

    >>> workers_for(1000), workers_for(1000, pieces=3), workers_for(2, pieces=3)
    (8, 3, 2)
    """
    return max(1, min(asked or os.cpu_count() or 1, pieces, MAX_WORKERS))


def process_count() -> int:
    """Return how many processes share the memory that this one can use: 1, or all workers."""
    return _sharing


@contextmanager
def processes(workers: int | None = None, pieces: int = MAX_WORKERS) -> Iterator["Executor"]:
    """Give an executor of processes on this machine; see `workers_for` for their number.

    Work that has not started when the block ends is cancelled. The block raises OSError if a
    process is killed.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Started afresh on every system alike; forks would share locks with threads.
    context = multiprocessing.get_context("spawn")
    count = workers_for(workers, pieces)
    with delayed_signals():
        # With them comes a process that looks after them, and minds no Ctrl-C.
        begun = context.Event()
        pool = ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin_process, initargs=(begun, count)
        )
    try:
        with delayed_signals():
            try:
                # Each call starts a process while none is idle, and none is before all are there.
                for _ in range(count):
                    pool.submit(int)
            finally:
                begun.set()
        yield pool
    except BrokenProcessPool:
        raise OSError("a worker process was killed, perhaps for want of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def delayed_signals() -> Iterator[None]:
    """Delay signals that stop this process until the block ends; its children ignore Ctrl-C.

    Otherwise a process that is only half started prints a traceback when it is stopped.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread handles signals; processes inherit the signals blocked here.
        with _blocking_terminal():
            yield
        return
    held: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: held.append(number))
        for number in _stopping_signals()
    }
    try:
        with _blocking_terminal():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)


def _stopping_signals() -> list[int]:
    """Return the signals that have a handler in Python."""
    found = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in found if number and callable(signal.getsignal(number))]


@contextmanager
def _blocking_terminal() -> Iterator[None]:
    """Block a terminal's signals in this thread, and for good in processes that start meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_process(begun: "Event", count: int) -> None:
    global _sharing
    _sharing = count
    exit_with_parent()
    begun.wait()


def exit_with_parent() -> None:
    """Ignore Ctrl-C in this process, and end it when its parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator["Executor"]:
    """Give an executor that hands work to the Dask scheduler at an address.

    Raises ValueError if Dask is missing or the address is invalid, OSError if no scheduler or none
    of its workers answers within 10 seconds, `VersionError` if a worker has another version of
    this package, or none. The block raises OSError if the cluster or its last worker is lost.
    """
    import asyncio
    import logging
    from concurrent.futures import CancelledError

    try:
        from distributed import Client, KilledWorker
    except ImportError:
        install = 'pip install "crisps24[cluster]"'
        raise RefusedError(f"a cluster needs Dask, which is missing: {install}") from None
    # What matters of its warnings reaches the user as an error.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if "://" not in address:
        address = f"tcp://{address}"
    try:
        # A client would wait for ever for one that is there and says nothing.
        asyncio.run(asyncio.wait_for(_ask(address), SCHEDULER_TIMEOUT))
    except ValueError as error:
        raise RefusedError(f"{address!r} is no address: {error}; tcp://host:8786 is one") from None
    except (OSError, TimeoutError, MemoryError):
        # What is no scheduler may answer with what reads as a size beyond all memory.
        told = f"no scheduler answers at {address} within {SCHEDULER_TIMEOUT} seconds"
        raise OSError(told) from None
    with Client(address, timeout=SCHEDULER_TIMEOUT) as client:
        try:
            client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT)
        except TimeoutError:
            raise OSError(f"the scheduler at {address} has no workers") from None
        # A function of the standard library, which a worker without this package has too.
        found = client.run(resolve_name, "crisps24.about:__version__", on_error="return")
        for worker, version in found.items():
            check_version(version, f"at {worker}")
        ended, alone = threading.Event(), threading.Event()
        executor = _noting(client.get_executor())
        asked = client, executor.waiting, ended, alone
        watch = threading.Thread(target=_watch_workers, args=asked, daemon=True)
        watch.start()
        try:
            yield executor
        except (CancelledError, KilledWorker):
            lost = "has no workers any more" if alone.is_set() else "was lost"
            raise OSError(f"the cluster at {address} {lost}; what is stored is kept") from None
        finally:
            ended.set()
            watch.join(SCHEDULER_TIMEOUT)


def _noting(executor: "Executor") -> Any:
    """Return an executor that notes which of its futures are waited for."""
    from concurrent.futures import Executor

    class Noting(Executor):
        def __init__(self) -> None:
            self.waiting: set[Future[Any]] = set()

        def submit(self, *asked: Any, **named: Any) -> "Future[Any]":
            future = executor.submit(*asked, **named)
            self.waiting.add(future)
            future.add_done_callback(self.waiting.discard)
            return future

    return Noting()


def _watch_workers(
    client: Any, waiting: "set[Future[Any]]", ended: threading.Event, alone: threading.Event
) -> None:
    """Cancel all work of a cluster once it is lost, or without workers for too long.

    Dask would wait for other workers forever, and loses results in transit with the scheduler.
    """
    from concurrent.futures import CancelledError, InvalidStateError

    seen, lost = time.monotonic(), False
    while not ended.wait(1):
        try:
            there = client.nthreads()
        except Exception:
            # The scheduler is lost, or so busy that it is asked again.
            if client.status == "running":
                continue
            client.loop.add_callback(_cancel_all, client)
            # What Dask has not told by the next time it never will.
            for future in list(waiting) if lost else ():
                with suppress(InvalidStateError):
                    future.set_exception(CancelledError())
            lost = True
            continue
        if there:
            seen = time.monotonic()
        elif time.monotonic() - seen > MAX_SECONDS_WITHOUT_WORKERS:
            alone.set()
            # Again and again, since more may be asked of it meanwhile.
            client.loop.add_callback(_cancel_all, client)


def _cancel_all(client: Any) -> None:
    for state in list(client.futures.values()):
        state.cancel()


async def _ask(address: str) -> None:
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()
