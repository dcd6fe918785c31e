"""Workers: processes on this machine, or a Dask cluster.

`processes` and `cluster` yield an executor of `concurrent.futures`; work left at the end is lost.

*Processes* are spawned, all at once: each waits in its initializer for the event `started`, so that
none is idle and the pool starts all of them. At the end they are killed. Signals to stop (Ctrl-C,
SIGTERM, SIGHUP) are delayed at both; processes ignore Ctrl-C, and end with their parent.

A *cluster* can be lost, or lack workers for ever: Dask would wait. A thread watches it each second
and cancels all work, so that the block raises OSError.
"""

import os
import signal
import sys
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

# Worker processes on one machine. In a survey each takes up to 200 MB; the limit is 2 GB in total.
MAX_WORKERS = 8
# Number of worker processes; 1 in the main process. Set when a worker process starts.
_process_count = 1
# Seconds until a scheduler has to answer.
SCHEDULER_TIMEOUT = 10
# Seconds for which a cluster can lack workers: restarting a worker takes two or three.
MAX_SECONDS_WITHOUT_WORKERS = 6


class VersionError(CrispsError, RuntimeError):
    """A worker of a cluster has another version of this package, or does not have it."""


def check_version(version: object, where: str, wanted: str = __version__) -> None:
    """Raise VersionError if the version of a worker, named by `where`, is not the wanted one."""
    if version != wanted:
        installed = f"crisps24 {version}" if isinstance(version, str) else "no crisps24"
        advice = f"and this is {wanted}: install the same version on both"
        raise VersionError(f"the worker {where} has {installed}, {advice}")


def check_executor(executor: object) -> None:
    """Raise KindError unless an argument is None or has a method `submit`."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise KindError(f"invalid executor {quoted(executor)} (expected one of concurrent.futures)")


@contextmanager
def version_errors() -> Iterator[None]:
    """Run a block in which ImportError, of a worker without this version, is VersionError."""
    try:
        yield
    except ImportError as error:
        raise VersionError(f"a worker has no crisps24 {__version__}: {error}") from None


@contextmanager
def cancel_at_end(futures: "Collection[Future[Any]]") -> Iterator[None]:
    """Run a block, cancel the futures of its work, and wait for running work, but after Ctrl-C."""
    from concurrent.futures import wait

    try:
        yield
    finally:
        for future in futures:
            future.cancel()
        if not isinstance(sys.exception(), KeyboardInterrupt):
            wait(futures)


def workers_for(asked: int | None = None, pieces: int = MAX_WORKERS) -> int:
    """Return how many worker processes to start for some pieces of work, from 1 to 8."""
    return max(1, min(asked or os.cpu_count() or 1, pieces, MAX_WORKERS))


def process_count() -> int:
    """Return the number of processes that share the memory of the machine: of workers, or 1."""
    return _process_count


@contextmanager
def processes(workers: int | None = None, pieces: int = MAX_WORKERS) -> Iterator["Executor"]:
    """Start `workers_for` processes; yield their executor, or raise OSError if one is killed."""
    try:
        import multiprocessing
        from concurrent.futures import Future, ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool
    except ImportError:
        raise RefusedError("worker processes cannot be started in a browser") from None

    # New processes on every system: forks would copy locks that threads hold.
    context = multiprocessing.get_context("spawn")
    count = workers_for(workers, pieces)
    with delayed_signals():
        # This also starts the resource tracker of multiprocessing, which has to ignore Ctrl-C.
        started = context.Event()
        pool: Any = ProcessPoolExecutor(
            count, mp_context=context, initializer=_start_process, initargs=(started, count)
        )
    try:
        with delayed_signals():
            try:
                # Each call starts a process as long as none is idle: all wait for `started`.
                for _ in range(count):
                    pool.submit(int)
            finally:
                started.set()
        yield pool
    except BrokenProcessPool:
        raise OSError("a worker process was killed, perhaps for want of memory") from None
    finally:
        with delayed_signals():
            # The thread of the pool fails on cancelled futures, and waits for results cut off.
            for item in list(pool._pending_work_items.values()):
                item.future = Future()
            for process in list(pool._processes.values()):
                process.kill()
            pool._result_queue._writer.close()
            pool.shutdown()


@contextmanager
def delayed_signals() -> Iterator[None]:
    """Delay the signals that stop this process until the end of a block that starts processes.

    Then their handlers run, so that the block can raise KeyboardInterrupt. SIGTERM without a Python
    handler is not delayed; outside the main thread, only SIGINT and SIGHUP to that thread are.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread handles signals; processes inherit the signals blocked here.
        with _blocking_terminal():
            yield
        return
    # Until the end of the block, signals are only recorded. Windows lacks SIGHUP.
    delayed_numbers: list[int] = []
    numbers = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    old_handlers = {
        number: signal.signal(number, lambda number, _: delayed_numbers.append(number))
        for number in numbers
        if number and callable(signal.getsignal(number))
    }
    try:
        with _blocking_terminal():
            yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(delayed_numbers):
            signal.raise_signal(number)


@contextmanager
def _blocking_terminal() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def _start_process(started: "Event", count: int) -> None:
    """Prepare a new worker process, and wait until the parent process has started all of them."""
    global _process_count
    _process_count = count
    exit_with_parent()
    started.wait()


def exit_with_parent() -> None:
    """Ignore Ctrl-C in this process, and end it with its parent; call this in the main thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator["Executor"]:
    """Yield an executor that sends work to the Dask scheduler at an address such as "host:8786".

    Raises RefusedError if Dask is missing or the address is invalid, OSError if the scheduler and a
    worker do not answer in time or are lost, and VersionError for a worker of another version.
    """
    import asyncio
    import logging
    from concurrent.futures import CancelledError

    try:
        from distributed import Client, KilledWorker
    except ImportError:
        install = 'pip install "crisps24[cluster]"'
        raise RefusedError(f"a cluster needs Dask, which is missing: {install}") from None
    # Users get the errors below instead of the warnings of Dask.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if "://" not in address:
        address = f"tcp://{address}"
    try:
        # A client would wait forever for a server that does not answer.
        asyncio.run(asyncio.wait_for(_identify(address), SCHEDULER_TIMEOUT))
    except ValueError as error:
        raise RefusedError(
            f"invalid address {address!r} (expected one such as tcp://host:8786): {error}"
        ) from None
    except (OSError, TimeoutError, MemoryError):
        # Other servers can answer with bytes that mean a size above the memory.
        problem = f"no scheduler answers at {address} within {SCHEDULER_TIMEOUT} seconds"
        raise OSError(problem) from None
    with Client(address, timeout=SCHEDULER_TIMEOUT) as client:
        try:
            client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT)
        except TimeoutError:
            raise OSError(f"the scheduler at {address} has no workers") from None
        # A function of the standard library, since a worker can lack this package.
        versions = client.run(resolve_name, "crisps24.about:__version__", on_error="return")
        for worker, version in versions.items():
            check_version(version, f"at {worker}")
        ended, without_workers = threading.Event(), threading.Event()
        # A thread watches the cluster while the block runs, since Dask would wait without end.
        executor = _recording(client.get_executor())
        arguments = client, executor.pending, ended, without_workers
        watch = threading.Thread(target=_watch_workers, args=arguments, daemon=True)
        watch.start()
        try:
            yield executor
        except (CancelledError, KilledWorker):
            reason = "has no workers any more" if without_workers.is_set() else "was lost"
            raise OSError(f"the cluster at {address} {reason}; what is stored is kept") from None
        finally:
            ended.set()
            watch.join(SCHEDULER_TIMEOUT)


def _recording(executor: "Executor") -> Any:
    """Return an executor that passes work to another one; `pending` has the futures not done."""
    from concurrent.futures import Executor

    class Recording(Executor):
        def __init__(self) -> None:
            self.pending: set[Future[Any]] = set()

        def submit(self, *arguments: Any, **named: Any) -> "Future[Any]":
            future = executor.submit(*arguments, **named)
            self.pending.add(future)
            future.add_done_callback(self.pending.discard)
            return future

    return Recording()


def _watch_workers(
    client: Any,
    pending: "set[Future[Any]]",
    ended: threading.Event,
    without_workers: threading.Event,
) -> None:
    """Cancel all work of a cluster if it is lost or lacks workers for too long, until `ended`."""
    from concurrent.futures import CancelledError, InvalidStateError

    seconds_last_seen, has_cancelled = time.monotonic(), False
    while not ended.wait(1):
        try:
            workers = client.nthreads()
        except Exception:
            # The scheduler is lost, or too busy to answer.
            if client.status == "running":
                continue
        else:
            if workers:
                seconds_last_seen = time.monotonic()
            if time.monotonic() - seconds_last_seen <= MAX_SECONDS_WITHOUT_WORKERS:
                continue
            without_workers.set()
        # Cancel each second, since more work can be submitted. Dask gets a second to do it; what
        # is then still pending fails here.
        client.loop.add_callback(
            lambda: [state.cancel() for state in list(client.futures.values())]
        )
        for future in list(pending) if has_cancelled else ():
            with suppress(InvalidStateError):
                future.set_exception(CancelledError())
        has_cancelled = True


async def _identify(address: str) -> None:
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()
