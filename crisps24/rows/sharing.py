"""One results file written by many: each worker finds, checks and writes its own stretch of it.

How many rows each part of a file has is known beforehand, and with it where its bytes begin, so
that nobody has to wait for anybody. Owns what is shared out and how; whose the file is, and that
it is whole or not there, is for `results` to say.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crisps24.outside.executors import all_ended, taking_results
from crisps24.rows.enumeration import DisagreementError, blocks_of_parts, parts
from crisps24.rows.finding import Part
from crisps24.rows.lines import Lines
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Rows of a share: enough that the work a pattern of operators takes is shared by many, and few
# enough that a handful of workers end together.
SHARE_ROWS = 1 << 22


class Share(NamedTuple):
    """Neighbouring parts of the rows of a file, how many rows they have and how many are before."""

    parts: tuple[Part, ...]
    rows: int
    before: int


def shares_of(target: Exact, game: Game) -> Iterator[Share]:
    """Yield the shares of a target's rows, in file order, as even as parts can be put together."""
    every = list(parts(target, game, SHARE_ROWS // 4))
    ends = list(accumulate(part.rows for part in every))
    shares = -(-ends[-1] // SHARE_ROWS) if ends else 0
    before = 0
    # A part belongs to the share that its middle is in.
    middles = (2 * end - part.rows for end, part in zip(ends, every, strict=True))
    places = [middle * shares // (2 * ends[-1]) for middle in middles]
    for _, some in groupby(zip(places, every, strict=True), key=itemgetter(0)):
        own = tuple(part for _, part in some)
        rows = sum(part.rows for part in own)
        yield Share(own, rows, before)
        before += rows


def write_share(path: str, target: Exact, game: Game, share: Share) -> None:
    """Write a share into its place in a file that is there.

    Raises `DisagreementError` where it has not as many rows as were counted, OSError where it
    cannot be written.
    """
    lines, rows = Lines(game), 0
    with Path(path).open("r+b") as file:
        file.seek(len(lines.header) + share.before * lines.format.row_bytes)
        for block in blocks_of_parts(target, game, share.parts):
            rows += len(block)
            file.writelines(lines.of(block))
    if rows != share.rows:
        raise DisagreementError(f"internal error: {rows:,} rows found of {share.rows:,} counted")


def write_shares(
    path: str,
    target: Exact,
    game: Game,
    executor: "Executor",
    progress: Callable[[int], object] | None = None,
) -> None:
    """Have the rows of a target written into a file that has its header, by many at a time.

    The workers of the executor have to see the same files. When this returns, or raises, nobody
    writes any more.
    """
    futures = {
        executor.submit(write_share, path, target, game, share): share.rows
        for share in shares_of(target, game)
    }
    with all_ended(futures):
        for future, rows in futures.items():
            with taking_results():
                future.result()
            if progress is not None:
                progress(rows)
