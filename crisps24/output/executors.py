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
    """Raise VersionError if the version of a worker differs from the wanted one.

    `where` names the worker in the message. A `version` that is not a str means that the worker
    does not have the package.
    """
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
    """Run a block in which ImportError becomes VersionError.

    A worker raises ImportError if it has another version of this package, or lacks it.
    """
    try:
        yield
    except ImportError as error:
        raise VersionError(f"a worker has no crisps24 {__version__}: {error}") from None


@contextmanager
def cancel_at_end(futures: "Collection[Future[Any]]") -> Iterator[None]:
    """Run a block, and cancel the futures of submitted work at its end.

    Work that is running cannot be cancelled: wait for it. Errors of the work are ignored.
    """
    from concurrent.futures import wait

    try:
        yield
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


def workers_for(asked: int | None = None, pieces: int = MAX_WORKERS) -> int:
    """Return how many worker processes to start, from 1 to 8.

    Args:
        asked: The number that the user wants (default: the number of cores).
        pieces: The number of pieces of work; more processes than pieces would be idle.

    >>> workers_for(1000), workers_for(1000, pieces=3), workers_for(2, pieces=3)
    (8, 3, 2)
    """
    return max(1, min(asked or os.cpu_count() or 1, pieces, MAX_WORKERS))


def process_count() -> int:
    """Return the number of processes that share the memory of the machine.

    In a worker process it is the number of all workers, otherwise 1.
    """
    return _process_count


@contextmanager
def processes(workers: int | None = None, pieces: int = MAX_WORKERS) -> Iterator["Executor"]:
    """Start worker processes on this machine, and yield an executor that runs work in them.

    There are as many processes as `workers`, or as the machine has cores, but at most 8 and at most
    `pieces`, the number of pieces of work. When the block ends, work that has not started is
    cancelled, and the block waits for running work.

    Raises:
        OSError: If a process is killed, for example because memory is short.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # New processes on every system: forks would copy locks that threads hold.
    context = multiprocessing.get_context("spawn")
    count = workers_for(workers, pieces)
    with delayed_signals():
        # This also starts the resource tracker of multiprocessing, which has to ignore Ctrl-C.
        started = context.Event()
        pool = ProcessPoolExecutor(
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
        pool.shutdown(cancel_futures=True)


@contextmanager
def delayed_signals() -> Iterator[None]:
    """Delay the signals that stop this process until the end of a block that starts processes.

    These signals are SIGINT (Ctrl-C), SIGTERM and SIGHUP. Without a delay, a process that is
    stopped while it starts prints a traceback. Processes started in the block ignore Ctrl-C.

    The handlers of delayed signals run when the block ends, so that it can raise KeyboardInterrupt.
    SIGTERM without a Python handler is not delayed. Outside the main thread, only SIGINT and SIGHUP
    to that thread are delayed.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread handles signals; processes inherit the signals blocked here.
        with _blocking_terminal():
            yield
        return
    # Until the end of the block, signals are only recorded.
    delayed_numbers: list[int] = []
    old_handlers = {
        number: signal.signal(number, lambda number, _: delayed_numbers.append(number))
        for number in _stopping_signals()
    }
    try:
        with _blocking_terminal():
            yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(delayed_numbers):
            signal.raise_signal(number)


def _stopping_signals() -> list[int]:
    """Return the numbers of the signals SIGINT, SIGTERM and SIGHUP that have a handler in Python.

    Windows does not have SIGHUP.
    """
    numbers = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return [number for number in numbers if number and callable(signal.getsignal(number))]


@contextmanager
def _blocking_terminal() -> Iterator[None]:
    """Run a block in which this thread gets no SIGINT (Ctrl-C) or SIGHUP (closed terminal).

    This thread gets them at the end of the block; processes that are started in the block never
    get them. Windows has no such blocking: there the block just runs.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def _start_process(started: "Event", count: int) -> None:
    """Prepare a new worker process, and wait until the parent process sets `started`.

    The parent sets it when it has started all `count` processes. Until then no process is idle, so
    the pool starts all of them.
    """
    global _process_count
    _process_count = count
    exit_with_parent()
    started.wait()


def exit_with_parent() -> None:
    """Ignore Ctrl-C in this worker process, and end it when its parent process ends.

    Call this in the main thread: other threads cannot set the handler of a signal.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent process ends, and then end this process at once."""
    import multiprocessing

    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator["Executor"]:
    """Yield an executor that sends work to the Dask scheduler at an address.

    Args:
        address: The address, such as "tcp://host:8786"; "tcp://" can be omitted.

    Raises:
        RefusedError: If Dask is missing or the address is invalid.
        OSError: If the scheduler and a worker do not answer within 10 seconds; in the block, if the
            scheduler is lost, or if the cluster lacks workers for more than 6 seconds.
        VersionError: If a worker has another version of this package, or lacks it.
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
    # Connect, and check that there are workers with this version of the package.
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
    """Return an executor that passes all work to another one, and records what is not done yet.

    Its attribute `pending` is the set of futures of the work that is waiting or running.
    """
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
    """Watch a cluster, and cancel all its work if it is lost or has no workers for too long.

    Check the cluster each second until `ended` is set. Dask itself would wait for new workers
    forever, so that the program would never end.

    Args:
        client: The Dask client of the cluster.
        pending: The futures of work that is not done yet.
        ended: Stops this function when it is set.
        without_workers: Set here if the cluster has had no workers for more than 6 seconds.
    """
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
        client.loop.add_callback(_cancel_all, client)
        if has_cancelled:
            _fail_all(pending)
        has_cancelled = True


def _cancel_all(client: Any) -> None:
    """Cancel all work that a Dask client has submitted; call this in the thread of the client."""
    for state in list(client.futures.values()):
        state.cancel()


def _fail_all(pending: "set[Future[Any]]") -> None:
    """Set CancelledError in futures that are not done, since Dask has failed to cancel them.

    Their results were lost with a worker.
    """
    from concurrent.futures import CancelledError, InvalidStateError

    for future in list(pending):
        with suppress(InvalidStateError):
            future.set_exception(CancelledError())


async def _identify(address: str) -> None:
    """Connect to a Dask scheduler, and return when it has answered.

    Raises ValueError for an invalid address, and OSError if no scheduler answers.
    """
    from distributed.core import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()
