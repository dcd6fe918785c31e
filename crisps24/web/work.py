"""Compute replies in worker processes, each of which handles one address at a time.

A process that exceeds the time limit is killed and replaced. The pools of libraries are not used:
they stop working when a process is killed while idle or cannot start.
"""

import asyncio
import multiprocessing
import threading
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pkgutil import resolve_name

from crisps24.errors import CrispsError
from crisps24.output.executors import delayed_signals, exit_with_parent
from crisps24.pages.replies import PageReply

# Time limit of one reply, in seconds.
REPLY_TIMEOUT = 5
# Seconds that a request can wait for a free process.
QUEUE_TIMEOUT = 5
# Seconds that a new process can take to start.
_START_TIMEOUT = 60
# Seconds without a request after which a process computes a warm-up address.
_IDLE_SECONDS = 0.25
# Requests that run or wait at once.
MAX_REQUESTS = 100
# Replies in the cache, and the size in bytes of the largest.
_MAX_CACHED_REPLIES = 256
_MAX_CACHED_BYTES = 100_000
# Errors of a process that has ended, or that cannot start for lack of files, processes or memory.
_PROCESS_ERRORS = (EOFError, OSError, MemoryError)

# The arguments of the reply function: a path, a query string, and optionally a language.
Address = tuple[str, ...]


class BusyError(CrispsError, RuntimeError):
    """There are too many requests, or no process can start now."""


class TooLongError(CrispsError, TimeoutError):
    """A reply exceeded its time limit, and its process was killed."""


class LostError(CrispsError, RuntimeError):
    """The process of a request ended before it replied, usually for lack of memory."""


class WorkerPool:
    """Processes that compute replies with a function given as `package.module:name`.

    Each process computes the `warm_up` addresses while it is idle, to fill its caches. Replies
    that never change are cached.
    """

    def __init__(
        self,
        function: str,
        workers: int,
        *,
        warm_up: Sequence[Address] = (),
        max_requests: int = MAX_REQUESTS,
    ) -> None:
        """Prepare a pool of processes, which `running` starts.

        Args:
            function: The function that computes replies, as `package.module:name`.
            workers: The number of processes.
            warm_up: Addresses whose replies a new process computes, and drops, while it has nothing
                else to do.
            max_requests: The most requests that run or wait at the same time.
        """
        self._function = function
        self._warm_up = warm_up
        self._worker_count = workers
        self._max_requests = max_requests
        self._request_count = 0
        self._cache: OrderedDict[Address, PageReply] = OrderedDict()
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(workers)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the processes, run the block when all are ready, and kill them at its end.

        The block also runs if a process cannot start, or is not ready after 60 seconds: `reply_to`
        then tries again, and raises BusyError if that fails. A pool can run only once: a second run
        raises RuntimeError.
        """
        with delayed_signals():
            # This starts the resource tracker of multiprocessing, whose start unblocks Ctrl-C.
            multiprocessing.get_context("spawn").Event()
        workers = [_Worker(self._function, self._warm_up) for _ in range(self._worker_count)]
        try:
            loop = asyncio.get_running_loop()
            # All at once: this also creates one thread per worker, which could fail later.
            waits = (loop.run_in_executor(self._threads, worker.wait) for worker in workers)
            await asyncio.gather(*waits)
            for worker in workers:
                self._free.put_nowait(worker)
            yield
        finally:
            for worker in workers:
                worker.close()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def reply_to(
        self, path: str, query: str, timeout: float = REPLY_TIMEOUT, *language: str
    ) -> PageReply:
        """Return the reply to an address, from the cache or from a process.

        Args:
            path: the path of a page.
            query: the query string, without the question mark.
            timeout: the time limit in seconds, after up to 5 seconds of waiting for a free process,
                and up to 60 seconds if that has to start.
            language: at most one name of a language, an argument of the reply function.

        Raises:
            BusyError: too many requests run or wait, or no process can start.
            TooLongError: the time limit was exceeded.
            LostError: the process ended before it replied.
            RuntimeError: the reply function raised an exception; the message is its traceback.
        """
        address = path, query, *language
        if address in self._cache:
            self._cache.move_to_end(address)
            return self._cache[address]
        if self._request_count >= self._max_requests:
            raise BusyError
        self._request_count += 1
        try:
            reply = await self._computed_reply(address, timeout)
        finally:
            self._request_count -= 1
        if reply.cacheable and len(reply.body) <= _MAX_CACHED_BYTES:
            self._cache[address] = reply
            if len(self._cache) > _MAX_CACHED_REPLIES:
                self._cache.popitem(last=False)
        return reply

    async def _computed_reply(self, address: Address, timeout: float) -> PageReply:
        """Return the reply of a process to a path, a query string and possibly a language.

        Raises BusyError if no process is free within 5 seconds, and the errors of `reply_to`.
        """
        try:
            async with asyncio.timeout(QUEUE_TIMEOUT):
                worker = await self._free.get()
        except TimeoutError:
            raise BusyError from None
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, worker.reply_to, address, timeout)
        finally:
            self._free.put_nowait(worker)


class _Worker:
    """A process that computes one reply at a time; a new process replaces a killed one."""

    def __init__(self, function: str, warm_up: Sequence[Address]) -> None:
        self._function = function
        self._warm_up = warm_up
        # A cancelled request leaves its thread running, and the next request must wait for it.
        self._lock = threading.Lock()
        self._is_closed = False
        self._process: BaseProcess | None = None

    def _start(self) -> None:
        """Start a process, connected by a pipe, without waiting until it is ready.

        Raises EOFError if the worker has been closed, and OSError or MemoryError if no process can
        start.
        """
        if self._is_closed:
            raise EOFError
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        process = context.Process(
            target=_serve_pipe, args=(child_pipe, self._function, self._warm_up), daemon=True
        )
        with child_pipe, delayed_signals():
            process.start()
        self._process, self._is_ready = process, False
        # Another thread can have called `close` while the process was starting.
        if self._is_closed:
            self._stop()

    def reply_to(self, address: Address, timeout: float) -> PageReply:
        """Return the reply of the process to an address: path, query string and possibly language.

        The calling thread waits for the reply. If the process takes longer than `timeout` seconds,
        or ends, it is replaced by a new one. The seconds count from when the process confirms the
        address; the start of a process can take 60 seconds more.

        Raises:
            BusyError: No process can start, or none confirms the address within 5 seconds.
            TooLongError: The process took longer than `timeout` seconds.
            LostError: The process ended before it replied.
            RuntimeError: The reply function raised an exception; the message is its traceback.
        """
        with self._lock:
            self._send(address)
            try:
                reply = self._receive(timeout)
            # TooLongError is an OSError.
            except (EOFError, OSError) as error:
                self._stop()
                # If no process can start now, the next request starts it.
                with suppress(*_PROCESS_ERRORS):
                    self._start()
                if isinstance(error, TooLongError):
                    raise
                raise LostError from None
        # Anything else is a traceback, as text.
        if not isinstance(reply, PageReply):
            raise RuntimeError(reply)
        return reply

    def _send(self, address: Address) -> None:
        """Send an address to the process, or to a new one if it was killed while idle.

        Raises BusyError if no process can start, or none confirms the address within 5 seconds.
        """
        for is_last_try in (False, True):
            try:
                self._wait_until_ready()
                self._pipe.send(address)
                self._receive(QUEUE_TIMEOUT)
                return
            except _PROCESS_ERRORS as error:
                self._stop()
                # A slow process is not tried again, since the client has waited long enough.
                if is_last_try or isinstance(error, TooLongError):
                    raise BusyError from None

    def wait(self) -> None:
        """Wait until the process is ready; if it cannot start, `reply_to` raises an error."""
        with self._lock, suppress(*_PROCESS_ERRORS):
            self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Start the process if it is not running, and wait until it is ready.

        Raises TooLongError after 60 seconds, and EOFError, OSError or MemoryError if the process
        cannot start.
        """
        if self._process is None:
            self._start()
        if not self._is_ready:
            self._receive(_START_TIMEOUT)
            self._is_ready = True

    def _receive(self, timeout: float) -> object:
        """Return the next object that the process sends.

        Raises TooLongError if that takes more than `timeout` seconds, and EOFError or OSError if
        the process has ended.
        """
        if not self._pipe.poll(timeout):
            raise TooLongError
        return self._pipe.recv()

    def _stop(self) -> None:
        """Kill the process, if it is running; the next request starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
            self._pipe.close()

    def close(self) -> None:
        """Kill the process for good: no other is started in its place."""
        self._is_closed = True
        if process := self._process:
            process.kill()
            process.join()


def _serve_pipe(pipe: Connection, function: str, warm_up: Sequence[Address]) -> None:
    """Reply to the addresses that arrive on a pipe, until the server closes the pipe.

    This is the main function of a worker process. It first sends None, which means that it is
    ready. For each address it sends None when it starts, and then the reply, or the traceback of an
    exception as text.

    Args:
        pipe: The connection to the server.
        function: The reply function, as `package.module:name`.
        warm_up: Addresses whose replies are computed, and dropped, while no request arrives.
    """
    exit_with_parent()
    reply_to: Callable[[str, str], PageReply] = resolve_name(function)
    warm_up_addresses = list(warm_up)
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            while warm_up_addresses and not pipe.poll(_IDLE_SECONDS):
                reply_to(*warm_up_addresses.pop(0))
            address = pipe.recv()
            # Confirm the request: if this process ends from now on, the request is the cause.
            pipe.send(None)
            try:
                pipe.send(reply_to(*address))
            except Exception:
                # The server logs the traceback, and the process continues.
                pipe.send(traceback.format_exc())
