"""Worker processes that answer addresses, one at a time each.

A process that takes too long is killed and replaced. A library's pool with time limits breaks for
good if a process is killed while idle or cannot start.
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

# Seconds that one answer may take, and that one may wait for it to be begun.
SECONDS = 5
QUEUE_TIMEOUT = 5
# Seconds that a process may take to begin.
_TO_BEGIN = 60
# Seconds without a question after which something usual is worked out.
_QUIET = 0.25
# Questions that are answered or wait at once, and answers that are kept.
MOST_ASKED = 100
_MOST_KEPT = 256
# In bytes: what is longer is not kept.
_LONGEST_KEPT = 100_000
# What comes of a process that is gone, or for which there are no files, processes or memory now.
_NOT_THERE = (EOFError, OSError, MemoryError)

# A path, what is behind its question mark, and what else an answer depends on.
Address = tuple[str, ...]


class BusyError(CrispsError, RuntimeError):
    """More is asked than can be answered."""


class TooLongError(CrispsError, TimeoutError):
    """An answer took longer than it may, and was stopped."""


class LostError(CrispsError, RuntimeError):
    """The process that was asked ended, for want of memory as a rule."""


class Work:
    """Processes that answer addresses with a function, `package.module:name`.

    Each answers the `usual` addresses while it is idle, to fill its caches.
    """

    def __init__(
        self,
        answers: str,
        workers: int,
        *,
        usual: Sequence[Address] = (),
        most: int = MOST_ASKED,
    ) -> None:
        """Prepare the work; no process starts before `begun`."""
        self._answers = answers
        self._usual = usual
        self._count = workers
        self._most = most
        self._asked = 0
        self._kept: OrderedDict[Address, PageReply] = OrderedDict()
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(workers)

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[None]:
        """Run the processes until the block ends; it starts when all of them are there."""
        with delayed_signals():
            # With it comes a process that looks after the others; its start lets Ctrl-C through.
            multiprocessing.get_context("spawn").Event()
        workers = [_Worker(self._answers, self._usual) for _ in range(self._count)]
        try:
            loop = asyncio.get_running_loop()
            # All at once, so that each has its thread, which later there might be none for.
            waiting = (loop.run_in_executor(self._threads, worker.wait) for worker in workers)
            await asyncio.gather(*waiting)
            for worker in workers:
                self._free.put_nowait(worker)
            yield
        finally:
            for worker in workers:
                worker.end()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def ask(self, path: str, query: str, seconds: float = SECONDS, *more: str) -> PageReply:
        """Return the answer to an address, which may take so many seconds; `more` it is asked by.

        Raises `BusyError` where too many are asked at once or no process can be begun now,
        `TooLongError` where it takes too long, `LostError` where its process was killed over it,
        and RuntimeError where it went wrong.
        """
        address = path, query, *more
        if address in self._kept:
            self._kept.move_to_end(address)
            return self._kept[address]
        if self._asked >= self._most:
            raise BusyError
        self._asked += 1
        try:
            reply = await self._answered(address, seconds)
        finally:
            self._asked -= 1
        if reply.lasting and len(reply.body) <= _LONGEST_KEPT:
            self._kept[address] = reply
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return reply

    async def _answered(self, address: Address, seconds: float) -> PageReply:
        try:
            async with asyncio.timeout(QUEUE_TIMEOUT):
                worker = await self._free.get()
        except TimeoutError:
            raise BusyError from None
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, worker.ask, address, seconds)
        finally:
            self._free.put_nowait(worker)


class _Worker:
    """A process that answers one thread at a time, and its successor once it is killed."""

    def __init__(self, answers: str, usual: Sequence[Address]) -> None:
        self._answers = answers
        self._usual = usual
        # Who asks may be gone before the answer comes, and another ask meanwhile.
        self._lock = threading.Lock()
        self._over = False
        self._process: BaseProcess | None = None

    def _begin(self) -> None:
        if self._over:
            raise EOFError
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(
            target=_answer_all, args=(theirs, self._answers, self._usual), daemon=True
        )
        with theirs, delayed_signals():
            process.start()
        self._process, self._ready = process, False
        # It may have been ended meanwhile, by another thread.
        if self._over:
            self._stop()

    def ask(self, address: Address, seconds: float) -> PageReply:
        """Return the answer to an address, or kill the process if it takes too long."""
        with self._lock:
            self._hand_over(address)
            try:
                found = self._received(seconds)
            except (EOFError, OSError) as error:
                self._stop()
                # Where there cannot be another one now, the next question begins it.
                with suppress(*_NOT_THERE):
                    self._begin()
                if isinstance(error, TooLongError):
                    raise
                raise LostError from None
        if not isinstance(found, PageReply):
            raise RuntimeError(found)
        return found

    def _hand_over(self, address: Address) -> None:
        """Send an address to the process, or to a new one if it was killed while idle."""
        for last in (False, True):
            try:
                self._wait()
                self._pipe.send(address)
                self._received(QUEUE_TIMEOUT)
                return
            except _NOT_THERE as error:
                self._stop()
                if last or isinstance(error, TooLongError):
                    raise BusyError from None

    def wait(self) -> None:
        """Wait until the process is there; if it never is, `ask` raises an error."""
        with self._lock, suppress(*_NOT_THERE):
            self._wait()

    def _wait(self) -> None:
        if self._process is None:
            self._begin()
        if not self._ready:
            self._received(_TO_BEGIN)
            self._ready = True

    def _received(self, seconds: float) -> object:
        if not self._pipe.poll(seconds):
            raise TooLongError
        return self._pipe.recv()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
            self._pipe.close()

    def end(self) -> None:
        """Kill the process for good."""
        self._over = True
        if process := self._process:
            process.kill()
            process.join()


def _answer_all(pipe: Connection, answers: str, usual: Sequence[Address]) -> None:
    exit_with_parent()
    answer: Callable[[str, str], PageReply] = resolve_name(answers)
    left = list(usual)
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            while left and not pipe.poll(_QUIET):
                answer(*left.pop(0))
            address = pipe.recv()
            # Taken: what ends this process from now on is this question.
            pipe.send(None)
            try:
                pipe.send(answer(*address))
            except Exception:
                # The server logs what is wrong, and continues.
                pipe.send(traceback.format_exc())
