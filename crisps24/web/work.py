"""Compute replies in worker processes; one that takes too long is killed and replaced."""

import asyncio
import multiprocessing
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pkgutil import resolve_name

from pebble import ProcessExpired, ProcessPool

from crisps24.errors import CrispsError
from crisps24.output.executors import delayed_signals, exit_with_parent
from crisps24.pages.replies import PageReply

# Time limit of one reply, and of waiting for a free process, in seconds.
REPLY_TIMEOUT = 5
QUEUE_TIMEOUT = 5
# Requests that run or wait at once.
MAX_REQUESTS = 100
# Replies in the cache, and the size in bytes of the largest.
_MAX_CACHED_REPLIES = 256
_MAX_CACHED_BYTES = 100_000

# The arguments of the reply function: a path, a query string, and optionally a language.
Address = tuple[str, ...]


class BusyError(CrispsError, RuntimeError):
    """There are too many requests."""


class TooLongError(CrispsError, TimeoutError):
    """A reply exceeded its time limit, and its process was killed."""


class LostError(CrispsError, RuntimeError):
    """The process of a request ended before it replied, usually for lack of memory."""


class WorkerPool:
    """Processes that compute replies with a function given as `package.module:name`.

    Replies that never change are cached.
    """

    def __init__(self, function: str, workers: int) -> None:
        self._function, self._workers = function, workers
        self._request_count = 0
        self._cache: OrderedDict[Address, PageReply] = OrderedDict()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start the processes, run the block when they are ready, and kill them at its end."""
        self._pool = self._new_pool()
        try:
            with delayed_signals():
                ready = [self._pool.submit(_wait, None) for _ in range(self._workers)]
            await asyncio.wait([asyncio.wrap_future(future) for future in ready])
            yield
        finally:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()

    def _new_pool(self) -> ProcessPool:
        context = multiprocessing.get_context("spawn")
        return ProcessPool(
            self._workers, context=context, initializer=_start_worker, initargs=[self._function]
        )

    async def reply_to(
        self, path: str, query: str, timeout: float = REPLY_TIMEOUT, *language: str
    ) -> PageReply:
        """Return the reply to an address, from the cache or from a process."""
        address = path, query, *language
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
        if reply.cacheable and len(reply.body) <= _MAX_CACHED_BYTES:
            self._cache[address] = reply
            if len(self._cache) > _MAX_CACHED_REPLIES:
                self._cache.popitem(last=False)
        return reply

    async def _compute(self, address: Address, timeout: float) -> PageReply:
        try:
            task = self._pool.submit(_reply, timeout, self._function, address)
        except RuntimeError:
            # A pool fails if one of its processes is killed while it is idle.
            self._pool = self._new_pool()
            task = self._pool.submit(_reply, timeout, self._function, address)
        try:
            async with asyncio.timeout(QUEUE_TIMEOUT + timeout + 1):
                return await asyncio.wrap_future(task)
        except ProcessExpired:
            raise LostError from None
        except TimeoutError:
            # A task that waits for a free process has no time limit of its own.
            raise (TooLongError if task.done() and not task.cancelled() else BusyError) from None


def _start_worker(function: str) -> None:
    exit_with_parent()
    resolve_name(function)


def _wait() -> None:
    """Keep a process busy, so that the next one starts too."""
    time.sleep(0.1)


def _reply(function: str, address: Address) -> PageReply:
    compute: Callable[..., PageReply] = resolve_name(function)
    return compute(*address)
