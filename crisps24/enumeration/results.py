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
    """A results file that has been written; `combinations` is its number of rows."""

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
    """Return the target in the name of a results file, or None for any other name.

    >>> target_of_name(Path("results.143")), target_of_name(Path("results.3_4"))
    (143, Fraction(3, 4))
    """
    match = re.fullmatch(r"results\.(-?[0-9]{1,100})(?:_(0*[1-9][0-9]{0,99}))?", path.name)
    if match is None:
        return None
    numerator, denominator = int(match[1]), int(match[2] or 1)
    return int_if_whole(Fraction(numerator, denominator))


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
        executor: runs the workers that write a file of over 4 million rows together; they must
            share the file system (default: this process writes all files).
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
    """Write a results file for each target, in order, and yield a record of each finished file.

    A results file has all formulas that make the target, in a row each. A repeated target is
    written once. All targets are counted before the first file is written. Files that were finished
    before an error are kept.

    Args:
        targets: The targets, such as 24 and 143; their files are results.24 and results.143.
        directory: The folder of the files; created if it is missing.
        query: The game, and the limit of the search.
        executor: Writes with several workers, which must share the file system (None: no workers).
        progress: Called with the number of rows just written.

    Raises:
        OSError: A file cannot be written or does not fit on the disk.
        RefusedError: The game has no results files, or a count exceeds the limit of the query.
        VersionError: A worker lacks this package.

    All errors are raised while iterating.
    """
    row_counts = count_targets(list(dict.fromkeys(targets)), query)
    directory = to_path(directory)
    check_executor(executor)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(directory)) from None
    remove_abandoned(directory / file_name_of(target) for target in row_counts)
    if executor is None:
        yield from _write(row_counts, directory, query, progress)
        return
    for is_large, files in _group_by_size(row_counts, query.game):
        write = _write_large if is_large else _write_small
        yield from write(files, directory, query, executor, progress)


def count_write_tasks(combinations: Mapping[Exact, int], game: Game) -> int:
    """Return the largest number of workers that can write at the same time, at least 1.

    Several workers can share a large file, and each of several workers can write small files. Two
    small files are written by one worker; a file of 10 million rows is shared by three:

    >>> from crisps24 import GAMES
    >>> count_write_tasks({24: 2374, 143: 48}, GAMES["crisps"])
    1
    >>> count_write_tasks({24: 10_000_000}, GAMES["crisps"])
    3

    Args:
        combinations: The targets of the files, each with its number of rows.
        game: The game of the files.
    """
    task_counts = [1]
    for is_large, files in _group_by_size(combinations, game):
        if is_large:
            # Large files are written one after the other: the largest has the most sections.
            task_counts.append(_count_sections(max(files.values())))
        else:
            task_counts.append(sum(1 for _ in _file_batches(files)))
    return max(task_counts)


def _count_sections(row_count: int) -> int:
    """Return how many workers can share a file: one for each 4,194,304 rows or less."""
    return -(-row_count // SECTION_ROWS)


def _group_by_size(
    row_counts: Mapping[Exact, int], game: Game
) -> Iterator[tuple[bool, dict[Exact, int]]]:
    """Divide the files to write into groups of neighbours that are all large or all small.

    A large file has over 4 million rows, in a game that groups by precedence (x before +).
    Several workers share one large file, but a small file has one worker.

    >>> from crisps24 import GAMES
    >>> list(_group_by_size({24: 2374, 36: 5_000_000, 143: 48}, GAMES["crisps"]))
    [(False, {24: 2374}), (True, {36: 5000000}), (False, {143: 48})]

    Args:
        row_counts: The targets of the files, each with its number of rows.
        game: The game of the files.

    Yields:
        (is_large, files): whether the files of the group are large, and their part of `row_counts`.
    """
    is_large_file = {
        target: row_count > SECTION_ROWS and game.grouping == "standard"
        for target, row_count in row_counts.items()
    }
    for is_large, targets in groupby(row_counts, key=is_large_file.__getitem__):
        yield is_large, {target: row_counts[target] for target in targets}


def _write(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    progress: Callable[[int], object] | None = None,
) -> Iterator[WrittenFile]:
    """Write results files in this process, one after the other, and yield each when it is done.

    Args:
        row_counts: The targets of the files, each with its number of rows.
        directory: The folder of the files.
        query: The game, and the limit of the search.
        progress: Called with the number of rows just written.

    Raises:
        OSError: A file cannot be written, or does not fit on the disk.
        RefusedError: The search exceeds the limit of the query.
        DisagreementError: A row that was found is illegal or does not make its target.
    """
    writer = LineWriter(query.game)
    # Each target has at least one block of rows, which can be empty, so each file is written.
    blocks = blocks_for_targets(row_counts, query)
    for target, target_blocks in groupby(blocks, key=itemgetter(0)):
        path = directory / file_name_of(target)
        _check_disk_space(path, writer.format.file_bytes(row_counts[target]))
        with replace_file(path) as file:
            file.write(writer.header)
            for _, block in target_blocks:
                file.writelines(writer.lines(block))
                if progress is not None:
                    progress(len(block))
        yield WrittenFile(target, row_counts[target], path)


def _write_large(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write large files one after the other, each by all workers, and yield each when it is done.

    Args:
        row_counts: The targets of the files, each with its number of rows.
        directory: The folder of the files.
        query: The game, and the limit of the search.
        executor: The workers.
        progress: Called with the number of rows just written.

    Raises:
        OSError: A file cannot be written, or does not fit on the disk.
        VersionError: A worker lacks this package. Other errors of the workers are raised too.
    """
    writer = LineWriter(query.game)
    for target, row_count in row_counts.items():
        path = directory / file_name_of(target)
        _check_disk_space(path, writer.format.file_bytes(row_count))
        with replace_file(path) as file:
            file.write(writer.header)
            # The workers open the file by its name, so that the header must be in it.
            file.flush()
            write_sections(file.name, target, query, executor, progress)
        yield WrittenFile(target, row_count, path)


def _write_small(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write small files, several files per task of a worker, and yield them in order.

    Args:
        row_counts: The targets of the files, each with its number of rows.
        directory: The folder of the files.
        query: The game, and the limit of the search.
        executor: The workers.
        progress: Called with the number of rows just written.

    Raises:
        VersionError: A worker lacks this package.

    The first error of a task is raised too; the tasks that wait are then cancelled.
    """
    futures = [
        executor.submit(_write_batch, batch, directory, query)
        for batch in _file_batches(row_counts)
    ]
    with cancel_at_end(futures):
        for future in futures:
            with version_errors():
                files = future.result()
            if progress is not None:
                progress(sum(file.combinations for file in files))
            yield from files


def _file_batches(row_counts: Mapping[Exact, int]) -> Iterator[dict[Exact, int]]:
    """Divide the files to write into batches of at most 4,194,304 rows, in order.

    Each batch is written by one worker. A file with more rows is a batch of its own. Without files,
    the result is one empty batch.

    >>> list(_file_batches({24: 3_000_000, 36: 1_000_000, 143: 1_000_000}))
    [{24: 3000000, 36: 1000000}, {143: 1000000}]

    Args:
        row_counts: The targets of the files, each with its number of rows.
    """
    batch: dict[Exact, int] = {}
    batch_rows = 0
    for target, row_count in row_counts.items():
        if batch and batch_rows + row_count > SECTION_ROWS:
            yield batch
            batch, batch_rows = {}, 0
        batch[target] = row_count
        batch_rows += row_count
    yield batch


def _write_batch(
    row_counts: Mapping[Exact, int], directory: Path, query: RowQuery
) -> list[WrittenFile]:
    """Write some results files as one task of a worker process, and return a list of them.

    Args:
        row_counts: The targets of the files, each with its number of rows.
        directory: Where the files are written.
        query: The game, and the limit of the search.
    """
    return list(_write(row_counts, directory, query))


def _check_disk_space(path: Path, file_bytes: int) -> None:
    """Raise OSError if a file of `file_bytes` bytes does not fit on the disk of a path."""
    free_bytes = shutil.disk_usage(path.parent).free
    if file_bytes > free_bytes:
        reason = f"it would be {file_bytes:,} bytes, and {free_bytes:,} are free on the disk"
        raise OSError(errno.ENOSPC, reason, str(path))


def read_results(path: str | os.PathLike[str]) -> Iterator[Formula]:
    """Yield the formulas of a results file, of any length and with either header.

    Lines are read one at a time. Formulas are not evaluated: `verify_results` does that. Raises
    OSError if the file cannot be read, and ResultsError at the first line that is not a row of a
    results file, both while iterating.
    """
    lines = read_lines(to_path(path))
    file_format = read_header(lines)
    if file_format is None:
        raise ResultsError(1, "this is not the header of a results file")
    for line_number, line in lines:
        formula = file_format.parse_row(line.rstrip("\r\n"))
        if formula is None:
            raise ResultsError(line_number, f"this is not {file_format.describe_row()}")
        yield formula


class Section(NamedTuple):
    """Neighbouring rows of a file, written by one worker.

    `parts` describe the rows: a part is all rows with the same first numbers. `row_count` is how
    many rows they are, and `rows_before` is the number of rows of the file before them.
    """

    parts: tuple[Part, ...]
    row_count: int
    rows_before: int


def file_sections(target: Exact, query: RowQuery) -> Iterator[Section]:
    """Divide the rows of a target's file into sections that workers can write at the same time.

    A row is a formula that makes the target. A section has up to about 4 million neighbouring rows,
    so that several workers share a large file. A file of 10 million rows has 3 sections
    of nearly the same size; a file without rows has none. Sections are made of smaller parts, of at
    most a million rows with the same first numbers; all parts are counted before the first section
    is yielded.

    Raises RefusedError, while iterating, for games such as game24, which do not compute x before +,
    and if counting the rows takes more work or memory than allowed.
    """
    parts = list(parts_for(target, query, SECTION_ROWS // 4))
    part_ends = list(accumulate(part.row_count for part in parts))
    total_rows = part_ends[-1] if parts else 0
    section_count = _count_sections(total_rows)
    # A part belongs to the section that has its middle row. Twice the middle is a whole number.
    double_middles = (2 * end - part.row_count for end, part in zip(part_ends, parts, strict=True))
    section_indices = [
        double_middle * section_count // (2 * total_rows) for double_middle in double_middles
    ]
    rows_before = 0
    parts_by_section = groupby(zip(section_indices, parts, strict=True), key=itemgetter(0))
    for _, indexed_parts in parts_by_section:
        section_parts = tuple(part for _, part in indexed_parts)
        row_count = sum(part.row_count for part in section_parts)
        yield Section(section_parts, row_count, rows_before)
        rows_before += row_count


def write_section(path: str, target: Exact, query: RowQuery, section: Section) -> None:
    """Find the rows of a section, and write them at their place in an existing file.

    A row is a formula that makes the target, and a section is neighbouring rows of the file. Their
    place is known because all lines have the same length: a section with 1,000 rows before it
    starts after the header and 1,000 lines.

    Args:
        path: The file, which has its header.
        target: The number that the formulas make.
        query: The game of the formulas, and the limit of the search.
        section: The rows to write.

    Raises:
        OSError: The rows cannot be written.
        RefusedError: The search takes more work or memory than allowed.
        DisagreementError: The grammar does not confirm a row, or not as many rows were found as
            were counted.
    """
    writer, row_count = LineWriter(query.game), 0
    with Path(path).open("r+b") as file:
        file.seek(len(writer.header) + section.rows_before * writer.format.row_bytes)
        for block in blocks_for_parts(target, query, section.parts):
            row_count += len(block)
            file.writelines(writer.lines(block))
    if row_count != section.row_count:
        raise DisagreementError(
            f"internal error: {row_count:,} rows found of {section.row_count:,} counted"
        )


def write_sections(
    path: str,
    target: Exact,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None = None,
) -> None:
    """Write all formulas of a target into its file, by all workers of an executor.

    Each row of the file is one formula, such as 4 x 3 + 8 + 4 for the target 24. The file must have
    its header already. Each task of a worker writes one section: about 4 million neighbouring rows.
    All tasks have ended when this returns or raises; after an error, waiting tasks are cancelled.

    Args:
        path: The file.
        target: The number that the formulas make.
        query: The game of the formulas, and the limit of the search.
        executor: The workers; they must be able to open the file.
        progress: Called in this process with the number of rows of each finished section.

    Raises:
        RefusedError: The game does not compute x before +, such as game24, or counting the rows
            takes more work or memory than allowed.
        VersionError: A worker lacks this package. The first other error of a task is raised too.
    """
    # The task of each section, with its number of rows for the progress.
    row_counts = {
        executor.submit(write_section, path, target, query, section): section.row_count
        for section in file_sections(target, query)
    }
    with cancel_at_end(row_counts):
        for future, row_count in row_counts.items():
            with version_errors():
                future.result()
            if progress is not None:
                progress(row_count)
