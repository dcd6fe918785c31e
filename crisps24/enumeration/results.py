"""Results files: their names, writing and reading.

A file is written under a temporary name and renamed at the end, so that a partial file is never
seen. Several workers can write one large file: its rows are split into sections of about 4 million
rows, and since the rows of a section are counted before they are found, its offset is known. Small
files are written one per worker.
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
    parts_for,
)
from crisps24.enumeration.finding import Part
from crisps24.enumeration.format import (
    LineWriter,
    ResultsError,
    line_count,
    read_header,
    read_lines,
)
from crisps24.notation.trees import Formula
from crisps24.output.atomic_files import remove_abandoned, replace_file, to_path
from crisps24.output.executors import cancel_at_end, check_executor, version_errors
from crisps24.rules.exact import Exact, int_if_whole, to_exact
from crisps24.rules.games import Game

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Rows of a section: many rows share the work for an operator pattern, and sections are small
# enough that a few workers finish at about the same time.
SECTION_ROWS = 1 << 22


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A results file that has been written."""

    target: Exact
    combinations: int
    path: Path

    @property
    def lines(self) -> int:
        """The number of lines of the file, with the two header lines."""
        return line_count(self.combinations)


def file_name_of(target: Exact) -> str:
    """Return the name of the file for a target.

    >>> file_name_of(143), file_name_of(-5), file_name_of(Fraction(3, 4))
    ('results.143', 'results.-5', 'results.3_4')
    """
    return "results." + str(target).replace("/", "_")


def target_of_name(path: Path) -> Exact | None:
    """Return the target in the name of a file, None for another name; see `file_name_of`."""
    match = re.fullmatch(r"results\.(-?[0-9]{1,100})(?:_(0*[1-9][0-9]{0,99}))?", path.name)
    if match is None:
        return None
    return int_if_whole(Fraction(int(match[1]), int(match[2] or 1)))


def write_results(
    target: Exact,
    directory: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Path:
    """Write the results file of a target into a directory, and return its path.

    Args:
        target: an int or a Fraction; a target that cannot be made has a file without rows.
        directory: created if it is missing.
        game: a game whose formulas have no parentheses and use all numbers, or its name.
        executor: writes a file of over 4 million rows; its workers must share the file system.
        progress: called with the number of rows just written.

    Raises OSError if the file cannot be written or does not fit on the disk, RefusedError for a
    game without results files or a search over the default limit, KindError for an argument of a
    wrong type, and VersionError if a worker lacks this package. After an error, an older file is
    unchanged.
    """
    options: Any = {"executor": executor, "progress": progress}
    [written] = write_results_files([to_exact(target)], directory, RowQuery.of(game), **options)
    return written.path


def write_results_files(
    targets: Iterable[Exact],
    directory: str | os.PathLike[str],
    query: RowQuery,
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[WrittenFile]:
    """Write the files of several targets in order, and yield each when it is done.

    A repeated target is written once. All targets are counted before the first file is written.
    Files that were written before an error stay. The arguments and errors are those of
    `write_results`, raised while iterating; also RefusedError if a count exceeds the limit of the
    query.
    """
    combinations = count_targets(list(dict.fromkeys(targets)), query)
    directory = to_path(directory)
    check_executor(executor)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(directory)) from None
    remove_abandoned(directory / file_name_of(target) for target in combinations)
    if executor is None:
        yield from _write(combinations, directory, query, progress)
        return
    for large, run in _runs_by_size(combinations, query.game):
        write = _write_large if large else _write_small
        yield from write(run, directory, query, executor, progress)


def count_write_tasks(combinations: Mapping[Exact, int], game: Game) -> int:
    """Return the largest number of workers that can write at the same time, at least 1.

    `combinations` are the targets of the files, each with its number of rows.

    >>> from crisps24 import GAMES
    >>> count_write_tasks({24: 2374, 143: 48}, GAMES["crisps"])
    1
    """
    tasks = [
        -(-max(run.values()) // SECTION_ROWS) if large else sum(1 for _ in _batches(run))
        for large, run in _runs_by_size(combinations, game)
    ]
    return max(tasks, default=1)


def _runs_by_size(
    combinations: Mapping[Exact, int], game: Game
) -> Iterator[tuple[bool, dict[Exact, int]]]:
    """Divide the files to write into runs of neighbours that are all large or all small.

    A large file has over 4 million rows, in a game that groups by precedence (x before +).
    Several workers share one large file, but a small file has one worker.

    >>> from crisps24 import GAMES
    >>> list(_runs_by_size({24: 2374, 36: 5_000_000, 143: 48}, GAMES["crisps"]))
    [(False, {24: 2374}), (True, {36: 5000000}), (False, {143: 48})]

    Args:
        combinations: The targets of the files, each with its number of rows.
        game: The game of the files.

    Yields:
        (large, files): whether the files of the run are large, and their part of `combinations`.
    """
    large_targets = {
        target: count > SECTION_ROWS and game.grouping == "standard"
        for target, count in combinations.items()
    }
    for large, group in groupby(combinations, key=large_targets.__getitem__):
        yield large, {target: combinations[target] for target in group}


def _write(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    progress: Callable[[int], object] | None = None,
) -> Iterator[WrittenFile]:
    """Write files in this process, in order, and yield each when it is done.

    `combinations`: the targets of the files, each with its number of rows. Raises OSError, and the
    errors of `blocks_for_targets`.
    """
    writer = LineWriter(query.game)
    for target, group in groupby(blocks_for_targets(combinations, query), key=itemgetter(0)):
        path = directory / file_name_of(target)
        _check_disk_space(path, writer.format.file_bytes(combinations[target]))
        with replace_file(path) as file:
            file.write(writer.header)
            for _, block in group:
                file.writelines(writer.lines(block))
                if progress is not None:
                    progress(len(block))
        yield WrittenFile(target, combinations[target], path)


def _write_large(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write large files one after the other, each by all workers, and yield each when it is done.

    Raises OSError, and the errors of `write_sections`.
    """
    writer = LineWriter(query.game)
    for target, count in combinations.items():
        path = directory / file_name_of(target)
        _check_disk_space(path, writer.format.file_bytes(count))
        with replace_file(path) as file:
            file.write(writer.header)
            file.flush()
            write_sections(file.name, target, query, executor, progress)
        yield WrittenFile(target, count, path)


def _write_small(
    combinations: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write small files, a batch per task of a worker, and yield them in order.

    Raises the first error of a task, or VersionError if a worker lacks this package; waiting tasks
    are cancelled.
    """
    futures = [
        executor.submit(_write_batch, batch, directory, query) for batch in _batches(combinations)
    ]
    with cancel_at_end(futures):
        for future in futures:
            with version_errors():
                files = future.result()
            if progress is not None:
                progress(sum(file.combinations for file in files))
            yield from files


def _batches(combinations: Mapping[Exact, int]) -> Iterator[dict[Exact, int]]:
    """Divide the files to write into batches of at most 4,194,304 rows, in order.

    Each batch is written by one worker. A file with more rows is a batch of its own. Without files,
    there is one empty batch.

    >>> list(_batches({24: 3_000_000, 36: 1_000_000, 143: 1_000_000}))
    [{24: 3000000, 36: 1000000}, {143: 1000000}]

    Args:
        combinations: The targets of the files, each with its number of rows.
    """
    batch: dict[Exact, int] = {}
    rows = 0
    for target, count in combinations.items():
        if batch and rows + count > SECTION_ROWS:
            yield batch
            batch, rows = {}, 0
        batch[target] = count
        rows += count
    yield batch


def _write_batch(
    combinations: Mapping[Exact, int], directory: Path, query: RowQuery
) -> list[WrittenFile]:
    return list(_write(combinations, directory, query))


def _check_disk_space(path: Path, size: int) -> None:
    """Raise OSError if a file of `size` bytes does not fit on the disk of a path."""
    free = shutil.disk_usage(path.parent).free
    if size > free:
        reason = f"it would be {size:,} bytes, and {free:,} are free on the disk"
        raise OSError(errno.ENOSPC, reason, str(path))


def read_results(path: str | os.PathLike[str]) -> Iterator[Formula]:
    """Yield the formulas of a results file, of any length and with either header.

    Lines are read one at a time. Formulas are not evaluated: `verify_results` does that. Raises
    OSError if the file cannot be read, and ResultsError at the first line that is not a row of a
    results file, both while iterating.
    """
    lines = read_lines(to_path(path))
    layout = read_header(lines)
    if layout is None:
        raise ResultsError(1, "this is not the header of a results file")
    for number, line in lines:
        formula = layout.parse_row(line.rstrip("\r\n"))
        if formula is None:
            raise ResultsError(number, f"this is not {layout.describe_row()}")
        yield formula


class Section(NamedTuple):
    """Neighbouring parts of the rows of a file, written by one worker."""

    parts: tuple[Part, ...]
    row_count: int
    rows_before: int


def file_sections(target: Exact, query: RowQuery) -> Iterator[Section]:
    """Divide the rows of a target's file into sections that workers can write at the same time.

    There is one section for each 4 million rows or less, in file order, and none without rows.
    A file of 10 million rows has 3 sections of nearly the same size. They are made of smaller
    parts, of at most a million rows; all parts are counted before the first section is yielded.

    Raises RefusedError, while iterating, for a game that does not group by precedence, and if a
    count exceeds its limit.
    """
    parts = list(parts_for(target, query, SECTION_ROWS // 4))
    ends = list(accumulate(part.row_count for part in parts))
    # The number of sections is the number of rows / SECTION_ROWS, rounded up.
    sections = -(-ends[-1] // SECTION_ROWS) if ends else 0
    rows_before = 0
    # A part belongs to the section that has its middle.
    middles = (2 * end - part.row_count for end, part in zip(ends, parts, strict=True))
    indices = [middle * sections // (2 * ends[-1]) for middle in middles]
    for _, group in groupby(zip(indices, parts, strict=True), key=itemgetter(0)):
        section_parts = tuple(part for _, part in group)
        row_count = sum(part.row_count for part in section_parts)
        yield Section(section_parts, row_count, rows_before)
        rows_before += row_count


def write_section(path: str, target: Exact, query: RowQuery, section: Section) -> None:
    """Write the rows of a section at their offset in an existing file.

    Raises OSError if they cannot be written, RefusedError if the search exceeds the budget of the
    tables, and DisagreementError if the grammar does not confirm a row, or if there are not as many
    rows as were counted.
    """
    writer, rows = LineWriter(query.game), 0
    with Path(path).open("r+b") as file:
        file.seek(len(writer.header) + section.rows_before * writer.format.row_bytes)
        for block in blocks_for_parts(target, query, section.parts):
            rows += len(block)
            file.writelines(writer.lines(block))
    if rows != section.row_count:
        raise DisagreementError(
            f"internal error: {rows:,} rows found of {section.row_count:,} counted"
        )


def write_sections(
    path: str,
    target: Exact,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None = None,
) -> None:
    """Write the rows of a target into a file that has its header, by all workers of an executor.

    All tasks have ended when this returns or raises; after an error, waiting tasks are cancelled.
    `progress` is called with the rows of each finished section. Raises the first error of a task,
    as `write_section` does, VersionError if a worker lacks this package, and RefusedError as
    `file_sections` does.
    """
    futures = {
        executor.submit(write_section, path, target, query, section): section.row_count
        for section in file_sections(target, query)
    }
    with cancel_at_end(futures):
        for future, rows in futures.items():
            with version_errors():
                future.result()
            if progress is not None:
                progress(rows)
