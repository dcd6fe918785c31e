"""The hands of a survey in chunks of work, and the results in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from crisps24.output.executors import check_executor, version_errors
from crisps24.rules.deals import count_hands
from crisps24.rules.games import Game, Hand

ChunkResult = TypeVar("ChunkResult")

# Hands of a chunk: some tenths of a second of work, in lexicographic order, so that hands which
# share their first numbers, and so most of their parts, are together.
CHUNK_HANDS = 130


def count_chunks(game: Game) -> int:
    """Return into how many chunks the hands of a game are shared out.

    Raises ValueError where they are too many.
    """
    return -(-count_hands(game) // CHUNK_HANDS)


def in_chunks(
    work: Callable[..., ChunkResult],
    asked: tuple[Any, ...],
    hands: Sequence[Hand],
    executor: Executor | None,
    progress: Callable[[int], object] | None,
) -> Iterator[tuple[Sequence[Hand], ChunkResult]]:
    """Yield each chunk of hands, in order, with what `work` finds for it.

    `work` is called with the arguments `asked` and the hands of a chunk. An `executor` gets all
    chunks at once; those not started are cancelled at the end. Without one the work is done here.
    `progress` is called with the number of hands of a chunk once the caller is done with it.

    Raises `executors.VersionError` if a worker lacks the package, and what `work` raises.
    """
    check_executor(executor)
    chunks = [hands[at : at + CHUNK_HANDS] for at in range(0, len(hands), CHUNK_HANDS)]
    # A chunk is forgotten once it is taken: what is found may be kept elsewhere.
    futures: deque[Future[ChunkResult]] = deque()
    try:
        if executor is not None:
            futures.extend(executor.submit(work, *asked, chunk) for chunk in chunks)
        for chunk in chunks:
            if executor is None:
                found = work(*asked, chunk)
            else:
                with version_errors():
                    found = futures[0].result()
                futures.popleft()
            yield chunk, found
            if progress is not None:
                progress(len(chunk))
    finally:
        for future in futures:
            future.cancel()
