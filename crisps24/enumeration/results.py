"""Results files: names, writing and reading.

A file is written next to its place and renamed, so that nobody sees half of one. Several workers
can write a large file: the number of rows of each part is known beforehand, and so is its offset.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crisps24.enumeration.enumeration import (
    DisagreementError,
    RowQuery,
    blocks_for_parts,
    blocks_for_targets,
    count_targets,
    parts,
)
from crisps24.enumeration.finding import Part
from crisps24.enumeration.format import (
    LineWriter,
    ResultsError,
    line_count,
    read_lines,
    read_opening,
)
from crisps24.notation.trees import Formula
from crisps24.output.atomic_files import path_of, remove_left, replacing
from crisps24.output.executors import all_ended, refuse_no_executor, taking_results
from crisps24.rules.exact import Exact, int_if_whole, to_exact
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Rows of a share: enough that the work a pattern of operators takes is shared by many, and few
# enough that a handful of workers end together.
SECTION_ROWS = 1 << 22


@dataclass(frozen=True, slots=True)
class Written:
    """A results file that has been written."""

    target: Exact
    combinations: int
    path: Path

    @property
    def lines(self) -> int:
        """The lines of the file: the combinations and the two of the header."""
        return line_count(self.combinations)


def file_name_of(target: Exact) -> str:
    """Return the name of the file for a target.

    >>> file_name_of(143), file_name_of(-5), file_name_of(Fraction(3, 4))
    ('results.143', 'results.-5', 'results.3_4')
    """
    return "results." + str(target).replace("/", "_")


def target_of_name(path: Path) -> Exact | None:
    """Return the target in the name of a file, or None where there is none; see `file_name_of`."""
    found = re.fullmatch(r"results\.(-?[0-9]{1,100})(?:_(0*[1-9][0-9]{0,99}))?", path.name)
    if found is None:
        return None
    return int_if_whole(Fraction(int(found[1]), int(found[2] or 1)))


def write_results(
    target: Exact,
    directory: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Path:
    """Write the results file of a target into a directory, and return its path.

    The directory is made if it is missing. A large file is written by the workers of `executor`,
    which have to see the same files, or here where there is none. `progress` is called with the
    number of rows just written.

    Raises OSError where the file cannot be written or will not fit on the disk, ValueError for
    a game that has no results files. Whatever fails, the file is as it was before.
    """
    how: Any = {"executor": executor, "progress": progress}
    [written] = write_results_files([to_exact(target)], directory, RowQuery.of(game), **how)
    return written.path


def write_results_files(
    targets: Iterable[Exact],
    directory: str | os.PathLike[str],
    query: RowQuery,
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Written]:
    """Write the files for many targets, yielding each as it is done, once; see `write_results`."""
    combinations = count_targets(list(dict.fromkeys(targets)), query)
    directory = path_of(directory)
    refuse_no_executor(executor)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder", str(directory)) from None
    remove_left(directory / file_name_of(target) for target in combinations)
    if executor is None:
        yield from _write(combinations, directory, query, progress)
        return
    for large, some in _by_size(combinations, query.game):
        write = _write_shared if large else _hand_out
        yield from write(some, directory, query, executor, progress)


def count_write_tasks(combinations: Mapping[Exact, int], game: Game) -> int:
    """Return how many can write at once, at most, files of so many combinations by their targets.

    >>> from crisps24 import GAMES
    >>> count_write_tasks({24: 2374, 143: 48}, GAMES["crisps"])
    1
    """
    pieces = [
        -(-max(some.values()) // SECTION_ROWS) if large else sum(1 for _ in _neighbours(some))
        for large, some in _by_size(combinations, game)
    ]
    return max(pieces, default=1)


def _by_size(
    combinations: Mapping[Exact, int], game: Game
) -> Iterator[tuple[bool, dict[Exact, int]]]:
    """Yield runs of large files, for all workers together, and of small ones, in order."""
    shared = {
        target: count > SECTION_ROWS and game.grouping == "standard"
        for target, count in combinations.items()
    }
    for large, group in groupby(combinations, key=shared.__getitem__):
        yield large, {target: combinations[target] for target in group}


def _write(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Written]:
    """Write the files for targets with so many combinations each."""
    lines = LineWriter(query.game)
    for target, group in groupby(blocks_for_targets(combinations, query), key=lambda pair: pair[0]):
        path = directory / file_name_of(target)
        _refuse_what_will_not_fit(path, lines.format.size(combinations[target]))
        with replacing(path) as file:
            file.write(lines.header)
            for _, block in group:
                file.writelines(lines.lines(block))
                if progress is not None:
                    progress(len(block))
        yield Written(target, combinations[target], path)


def _write_shared(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[Written]:
    """Write large files one after the other, each by all workers together."""
    lines = LineWriter(query.game)
    for target, count in combinations.items():
        path = directory / file_name_of(target)
        _refuse_what_will_not_fit(path, lines.format.size(count))
        with replacing(path) as file:
            file.write(lines.header)
            file.flush()
            write_shares(file.name, target, query, executor, progress)
        yield Written(target, count, path)


def _hand_out(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[Written]:
    """Have small files written by the workers, some neighbours by one at a time."""
    futures = [
        executor.submit(_written, some, directory, query) for some in _neighbours(combinations)
    ]
    with all_ended(futures):
        for future in futures:
            with taking_results():
                done = future.result()
            if progress is not None:
                progress(sum(written.combinations for written in done))
            yield from done


def _neighbours(combinations: Mapping[Exact, int]) -> Iterator[dict[Exact, int]]:
    """Yield small files, as many together as are worth a worker's while."""
    some: dict[Exact, int] = {}
    rows = 0
    for target, count in combinations.items():
        if some and rows + count > SECTION_ROWS:
            yield some
            some, rows = {}, 0
        some[target] = count
        rows += count
    yield some


def _written(combinations: Mapping[Exact, int], directory: Path, query: RowQuery) -> list[Written]:
    return list(_write(combinations, directory, query))


def _refuse_what_will_not_fit(path: Path, size: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if size > free:
        reason = f"it would be {size:,} bytes, and {free:,} are free on the disk"
        raise OSError(errno.ENOSPC, reason, str(path))


def read_results(path: str | os.PathLike[str]) -> Iterator[Formula]:
    """Yield the formulas of a results file, of any length and with either header.

    Raises `ResultsError` at the first line that is none of a results file, and OSError where
    the file cannot be read. Whether the formulas are right is for `verify_results` to say.
    """
    lines = read_lines(path_of(path))
    layout = read_opening(lines)
    if layout is None:
        raise ResultsError(1, "this is not the header of a results file")
    for number, line in lines:
        formula = layout.formula(line.rstrip("\r\n"))
        if formula is None:
            raise ResultsError(number, f"this is not {layout.describe_row()}")
        yield formula


class Share(NamedTuple):
    """Neighbouring parts of the rows of a file, how many rows they have and how many are before."""

    parts: tuple[Part, ...]
    rows: int
    before: int


def file_shares(target: Exact, query: RowQuery) -> Iterator[Share]:
    """Yield the shares of a target's rows, in file order, as even as parts can be put together."""
    every = list(parts(target, query, SECTION_ROWS // 4))
    ends = list(accumulate(part.rows for part in every))
    shares = -(-ends[-1] // SECTION_ROWS) if ends else 0
    before = 0
    # A part belongs to the share that its middle is in.
    middles = (2 * end - part.rows for end, part in zip(ends, every, strict=True))
    places = [middle * shares // (2 * ends[-1]) for middle in middles]
    for _, some in groupby(zip(places, every, strict=True), key=itemgetter(0)):
        own = tuple(part for _, part in some)
        rows = sum(part.rows for part in own)
        yield Share(own, rows, before)
        before += rows


def write_share(path: str, target: Exact, query: RowQuery, share: Share) -> None:
    """Write a share into its place in a file that is there.

    Raises `DisagreementError` where it has not as many rows as were counted, OSError where it
    cannot be written.
    """
    lines, rows = LineWriter(query.game), 0
    with Path(path).open("r+b") as file:
        file.seek(len(lines.header) + share.before * lines.format.row_bytes)
        for block in blocks_for_parts(target, query, share.parts):
            rows += len(block)
            file.writelines(lines.lines(block))
    if rows != share.rows:
        raise DisagreementError(f"internal error: {rows:,} rows found of {share.rows:,} counted")


def write_shares(
    path: str,
    target: Exact,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None = None,
) -> None:
    """Have the rows of a target written into a file that has its header, by many at a time.

    The workers of the executor have to see the same files. When this returns, or raises, nobody
    writes any more.
    """
    futures = {
        executor.submit(write_share, path, target, query, share): share.rows
        for share in file_shares(target, query)
    }
    with all_ended(futures):
        for future, rows in futures.items():
            with taking_results():
                future.result()
            if progress is not None:
                progress(rows)
