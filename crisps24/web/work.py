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
from crisps24.pages.answering import Address
from crisps24.pages.replies import PageReply
from crisps24.pages.requests import REPLY_TIMEOUT

# Time limit of waiting for a free process, and of its start, in seconds.
QUEUE_TIMEOUT = 5
_START_TIMEOUT = 60
# Seconds without a request after which a process computes a warm-up address.
_IDLE_SECONDS = 0.25
MAX_REQUESTS = 100
# Replies in the cache, and the size in bytes of the largest.
_MAX_CACHED_REPLIES = 256
_MAX_CACHED_BYTES = 100_000
# An address without a form has a path, a query, and at most a language.
_FORM_WORDS = 3
# Errors of a process that has ended, or that cannot start for lack of files, processes or memory.
_PROCESS_ERRORS = (EOFError, OSError, MemoryError)


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

    def __init__(self, function: str, workers: int, warm_up: Sequence[Address] = ()) -> None:
        self._workers = [_Worker(function, warm_up) for _ in range(workers)]
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(workers)
        self._request_count = 0
        self._cache: OrderedDict[Address, PageReply] = OrderedDict()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the processes, run the block when they are ready, and kill them at its end.

        The block also runs if one cannot start: `reply_to` then tries again.
        """
        with delayed_signals():
            # This starts the resource tracker of multiprocessing, whose start unblocks Ctrl-C.
            multiprocessing.get_context("spawn").Event()
        try:
            loop = asyncio.get_running_loop()
            # All at once: this also creates one thread per worker, which could fail later.
            starts = [loop.run_in_executor(self._threads, each.start) for each in self._workers]
            await asyncio.gather(*starts, return_exceptions=True)
            for worker in self._workers:
                self._free.put_nowait(worker)
            yield
        finally:
            for worker in self._workers:
                worker.close()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def reply_to(self, address: Address, timeout: float = REPLY_TIMEOUT) -> PageReply:
        if address in self._cache:
            self._cache.move_to_end(address)
            return self._cache[address]
        if self._request_count >= MAX_REQUESTS:
            raise BusyError
        self._request_count += 1
        try:
            reply = await self._compute(address, timeout)
        finally:
            self._request_count -= 1
        # A form can have megabytes, and is hardly sent twice.
        is_form = len(address) > _FORM_WORDS
        if reply.cacheable and not is_form and len(reply.body) <= _MAX_CACHED_BYTES:
            self._cache[address] = reply
            if len(self._cache) > _MAX_CACHED_REPLIES:
                self._cache.popitem(last=False)
        return reply

    async def _compute(self, address: Address, timeout: float) -> PageReply:
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
        self._arguments = function, warm_up
        # A cancelled request leaves its thread running, and the next request must wait for it.
        self._lock = threading.Lock()
        self._is_closed = self._is_ready = False
        self._process: BaseProcess | None = None

    def start(self) -> None:
        if self._process is None or not self._process.is_alive():
            self._launch()
        if not self._is_ready:
            self._receive(_START_TIMEOUT)
            self._is_ready = True

    def _launch(self) -> None:
        self._stop()
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        process = context.Process(
            target=_serve_pipe, args=(child_pipe, *self._arguments), daemon=True
        )
        with child_pipe, delayed_signals():
            process.start()
        self._process, self._is_ready = process, False
        # `close` can have been called before, or while the process was starting.
        if self._is_closed:
            self._stop()
            raise EOFError

    def reply_to(self, address: Address, timeout: float) -> PageReply:
        with self._lock:
            try:
                self.start()
            except _PROCESS_ERRORS:
                self._stop()
                raise BusyError from None
            try:
                self._pipe.send(address)
                reply = self._receive(timeout)
            # TooLongError is an OSError.
            except (EOFError, OSError) as error:
                # If no process can start now, the next request starts it.
                with suppress(*_PROCESS_ERRORS):
                    self._launch()
                raise (error if isinstance(error, TooLongError) else LostError()) from None
        # Anything else is a traceback, as text, which the server logs.
        if not isinstance(reply, PageReply):
            raise RuntimeError(reply)
        return reply

    def _receive(self, timeout: float) -> object:
        if not self._pipe.poll(timeout):
            raise TooLongError
        return self._pipe.recv()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
            self._pipe.close()

    def close(self) -> None:
        """Kill the process for good. A thread that waits for it gets EOFError."""
        self._is_closed = True
        if process := self._process:
            process.kill()
            process.join()


def _serve_pipe(pipe: Connection, function: str, warm_up: Sequence[Address]) -> None:
    """Send None when ready, and then for each address the reply, or the traceback of an error."""
    exit_with_parent()
    reply_to: Callable[..., PageReply] = resolve_name(function)
    warm_up_addresses = list(warm_up)
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            while warm_up_addresses and not pipe.poll(_IDLE_SECONDS):
                reply_to(*warm_up_addresses.pop(0))
            address = pipe.recv()
            try:
                pipe.send(reply_to(*address))
            except Exception:
                pipe.send(traceback.format_exc())
