"""The hands of a survey in chunks of work, and the results in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from crisps24.output.executors import check_executor, version_errors
from crisps24.rules.deals import MAX_SURVEYED_HANDS, count_hands
from crisps24.rules.games import Game, Hand

ChunkResult = TypeVar("ChunkResult")

# Hands per chunk, some tenths of a second of work. They are in lexicographic order, so that the
# hands of a chunk share their first numbers, and so most of their sub-hands.
CHUNK_HANDS = 130


def count_chunks(game: Game) -> int:
    """Return the number of chunks of all hands of a game; RefusedError for too many hands."""
    return -(-count_hands(game, MAX_SURVEYED_HANDS) // CHUNK_HANDS)


def run_chunks(
    work: Callable[..., ChunkResult],
    arguments: tuple[Any, ...],
    hands: Sequence[Hand],
    executor: Executor | None,
    progress: Callable[[int], object] | None,
) -> Iterator[tuple[Sequence[Hand], ChunkResult]]:
    """Divide hands into chunks, call a function for each chunk, and yield its results in order."""
    check_executor(executor)
    chunks = [hands[first : first + CHUNK_HANDS] for first in range(0, len(hands), CHUNK_HANDS)]
    # Results are removed once they are yielded, so that they do not fill the memory.
    futures: deque[Future[ChunkResult]] = deque()
    try:
        if executor is not None:
            futures.extend(executor.submit(work, *arguments, chunk) for chunk in chunks)
        for chunk in chunks:
            if executor is None:
                result = work(*arguments, chunk)
            else:
                with version_errors():
                    result = futures[0].result()
                futures.popleft()
            yield chunk, result
            if progress is not None:
                progress(len(chunk))
    finally:
        for future in futures:
            future.cancel()
