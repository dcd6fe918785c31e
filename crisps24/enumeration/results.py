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
from itertools import accumulate, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

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
    HEADER_LINES,
    MAX_LINE_BYTES,
    Format,
    LineWriter,
    ResultsError,
    decode_line,
    line_count,
)
from crisps24.errors import RefusedError
from crisps24.notation.trees import Formula
from crisps24.output.atomic_files import remove_abandoned, replace_file, to_path
from crisps24.output.executors import cancel_at_end, check_executor, version_errors
from crisps24.rules.exact import Exact, int_if_whole, to_exact
from crisps24.rules.games import Game
from crisps24.rules.ids import changed_rule_texts, with_rules
from crisps24.rules.machines import ROW_PARTS

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Rows of a section: many rows share the work for an operator pattern, and sections are small
# enough that a few workers finish at about the same time.
SECTION_ROWS = 1 << 22
# Signs that Windows does not allow in names, and those that stand for them.
_UNSAFE_SIGNS, _SAFE_SIGNS = ":/|", "÷∕¦"
_MAX_FOLDER_NAME = 80


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A results file that has been written."""

    target: Exact
    row_count: int
    path: Path

    @property
    def lines(self) -> int:
        """The number of lines of the file, with the two header lines."""
        return line_count(self.row_count)


def file_name_of(target: Exact) -> str:
    """Return the name of the file for a target: results.143, results.-5 or results.3_4."""
    return "results." + str(target).replace("/", "_")


def target_of_name(path: Path) -> Exact | None:
    """Return the target in the name of a file, such as results.24 or OLD.24.txt, or None."""
    number = r"(-?[0-9]{1,100})(?:_(0*[1-9][0-9]{0,99}))?"
    match = re.fullmatch(rf".+\.{number}(?:\.txt)?", path.name, re.IGNORECASE | re.DOTALL)
    if match is None:
        return None
    numerator, denominator = int(match[1]), int(match[2] or 1)
    return int_if_whole(Fraction(numerator, denominator))


def folder_name_of(game: Game) -> str:
    """Return the name of a folder for results of changed rules, such as length=3,zero=no; or ""."""
    name = ",".join(f"{word}={text}" for word, text in changed_rule_texts(game).items())
    # Systems have names of at most 255 bytes; the rules of a longer one are not found in it.
    is_long = len(name) > _MAX_FOLDER_NAME
    name = f"{name[:_MAX_FOLDER_NAME]}…{crc32(name.encode()):08x}" if is_long else name
    return name.translate(str.maketrans(_UNSAFE_SIGNS, _SAFE_SIGNS))


def game_of_folder(name: str, game: Game) -> Game:
    """Return a game with the rules in the name of a folder; unchanged for any other name."""
    words = name.translate(str.maketrans(_SAFE_SIGNS, _UNSAFE_SIGNS)).split(",")
    try:
        return with_rules(game, dict(word.split("=", 1) for word in words))
    except ValueError:
        return game


def check_replaceable(paths: Iterable[Path]) -> None:
    """Raise RefusedError for a file that does not begin with the header of a results file."""
    for path in filter(Path.is_file, paths):
        with path.open("rb") as file:
            start = file.read(HEADER_LINES * MAX_LINE_BYTES).decode(errors="replace")
        header = start.splitlines()[:HEADER_LINES]
        if len(header) < HEADER_LINES or Format.of_header(*header) is None:
            raise RefusedError(f"{path} is no results file: move it, or give another --dir")


def write_results(
    target: Exact,
    directory: str | os.PathLike[str],
    game: Game | str = "crisps",
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Path:
    """Write the results file of a target into a directory, and return its path.

    After an error, an older file is unchanged.

    Args:
        target: A target that cannot be made has a file without rows.
        directory: Created if it is missing.
        game: A game whose formulas have no parentheses and use all numbers, or its name.
        executor: Runs the workers that share a file of over 4 million rows, in one file system.
        progress: Called with the number of rows just written.

    Raises:
        OSError: The file cannot be written or does not fit on the disk.
        RefusedError: The game has no results files, or the search exceeds the default limit.
        KindError: An argument has a wrong type.
        VersionError: A worker lacks this package.
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
    """Write a results file for each target; yield a record of each when it is finished.

    All targets are counted before the first file is written. The arguments and errors are those of
    `write_results`; errors are raised while iterating.
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
        yield from _files_in_this_process(row_counts, directory, query, progress)
        return
    for is_large, files in _group_by_size(row_counts, query.game):
        write_files = _files_by_section if is_large else _files_by_batch
        yield from write_files(files, directory, query, executor, progress)


def count_tasks(row_counts: Mapping[Exact, int], game: Game) -> int:
    """Return the largest number of workers that can write at the same time."""
    # Large files are written one after the other: the largest has the most sections.
    return max(
        -(-max(files.values()) // SECTION_ROWS) if is_large else len([*_file_batches(files)])
        for is_large, files in _group_by_size(row_counts or {0: 0}, game)
    )


def _group_by_size(
    row_counts: Mapping[Exact, int], game: Game
) -> Iterator[tuple[bool, dict[Exact, int]]]:
    """Divide files into groups of neighbours that are all large or all small."""
    can_divide = ROW_PARTS.can_do(game)
    groups = groupby(row_counts.items(), lambda item: can_divide and item[1] > SECTION_ROWS)
    return ((is_large, dict(files)) for is_large, files in groups)


def _files_in_this_process(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    progress: Callable[[int], object] | None = None,
) -> Iterator[WrittenFile]:
    """Write results files in this process; yield each when it is done."""
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


def _files_by_section(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write large files one after the other, each by all workers."""
    writer = LineWriter(query.game)
    for target, row_count in row_counts.items():
        path = directory / file_name_of(target)
        _check_disk_space(path, writer.format.file_bytes(row_count))
        with replace_file(path) as file:
            file.write(writer.header)
            # The workers open the file by its name, so that the header must be in it.
            file.flush()
            tasks = {
                executor.submit(_fill_section, file.name, target, query, section): section.row_count
                for section in file_sections(target, query)
            }
            with cancel_at_end(tasks):
                for future, section_rows in tasks.items():
                    with version_errors():
                        future.result()
                    if progress is not None:
                        progress(section_rows)
        yield WrittenFile(target, row_count, path)


def _files_by_batch(
    row_counts: Mapping[Exact, int],
    directory: Path,
    query: RowQuery,
    executor: "Executor",
    progress: Callable[[int], object] | None,
) -> Iterator[WrittenFile]:
    """Write small files, several per task of a worker; yield them in order."""
    futures = [
        executor.submit(_batch_of_files, batch, directory, query)
        for batch in _file_batches(row_counts)
    ]
    with cancel_at_end(futures):
        for future in futures:
            with version_errors():
                files = future.result()
            if progress is not None:
                progress(sum(file.row_count for file in files))
            yield from files


def _file_batches(row_counts: Mapping[Exact, int]) -> Iterator[dict[Exact, int]]:
    """Divide the files into batches of at most 4,194,304 rows, or of one larger file."""
    batch: dict[Exact, int] = {}
    for target, row_count in row_counts.items():
        if batch and sum(batch.values()) + row_count > SECTION_ROWS:
            yield batch
            batch = {}
        batch[target] = row_count
    yield batch


def _batch_of_files(*arguments: Any) -> list[WrittenFile]:
    """Write some files as one task of a worker, which cannot return an iterator."""
    return list(_files_in_this_process(*arguments))


def _check_disk_space(path: Path, file_bytes: int) -> None:
    """Raise OSError if a file of `file_bytes` bytes does not fit on the disk of a path."""
    free_bytes = shutil.disk_usage(path.parent).free
    if file_bytes > free_bytes:
        reason = f"it would be {file_bytes:,} bytes, and {free_bytes:,} are free on the disk"
        raise OSError(errno.ENOSPC, reason, str(path))


def read_results(path: str | os.PathLike[str]) -> Iterator[Formula]:
    """Yield the formulas of a results file, of any length and with either header.

    Lines are read one at a time, and not evaluated: `verify_results` does that. OSError, and
    ResultsError for a line that is not a row, are raised while iterating.
    """
    with to_path(path).open("rb") as file:
        # One byte more than allowed is read, so that too long a line is noticed.
        raw_lines = iter(lambda: file.readline(MAX_LINE_BYTES + 1), b"")
        lines = (decode_line(*line).rstrip("\r\n") for line in enumerate(raw_lines, 1))
        header = list(islice(lines, HEADER_LINES))
        file_format = Format.of_header(*header) if len(header) == HEADER_LINES else None
        if file_format is None:
            raise ResultsError(1, "this is not the header of a results file")
        for number, line in enumerate(lines, HEADER_LINES + 1):
            formula = file_format.parse_row(line)
            if formula is None:
                raise ResultsError(number, f"this is not {file_format.describe_row()}")
            yield formula


class Section(NamedTuple):
    """Neighbouring rows of a file, written by one worker."""

    parts: tuple[Part, ...]
    row_count: int
    rows_before: int


def file_sections(target: Exact, query: RowQuery) -> Iterator[Section]:
    """Divide the rows of a target into sections of nearly equal size, about 4 million rows."""
    parts = list(parts_for(target, query, SECTION_ROWS // 4))
    part_ends = list(accumulate(part.row_count for part in parts))
    total_rows = part_ends[-1] if parts else 0
    section_count = -(-total_rows // SECTION_ROWS)
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


def _fill_section(path: str, target: Exact, query: RowQuery, section: Section) -> None:
    """Find the rows of a section, and write them at their place in an existing file."""
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
