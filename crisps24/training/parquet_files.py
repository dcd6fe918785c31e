"""Files of puzzles in Parquet, read and copied with pyarrow, which is the extra `data`."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from io import BufferedIOBase
from typing import Any, BinaryIO

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import column_name, is_known_column
from crisps24.training.row_changes import DataRow, RowChange, change_fields

# Rows that are in memory at once as Python values, and as columns.
_ROWS_PER_BATCH = 4_096
_ROWS_PER_COPY = 65_536


@contextmanager
def _open_parquet(source: BufferedIOBase) -> Iterator[Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise RefusedError('Parquet needs pyarrow: pip install "crisps24[data]"') from None
    if not source.seekable():
        raise RefusedError("Parquet cannot be read from a pipe: give the name of a file")
    source.seek(0)
    try:
        # Without this, pyarrow keeps bytes that it has read until the file is closed.
        yield pq.ParquetFile(source, pre_buffer=False)
    except pa.ArrowException as error:
        raise RefusedError(f"it is not a readable Parquet file: {error}".split("\n")[0]) from None


def read_parquet(source: BufferedIOBase, columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of a Parquet file: their known columns, with exact numbers."""
    with _open_parquet(source) as file:
        names = file.schema_arrow.names
        if repeated := next((name for name in names if names.count(name) > 1), None):
            raise RefusedError(f"it has two columns {quoted(repeated)}")
        # Other columns can have values that Python has no type for.
        known = [name for name in names if is_known_column(column_name(name, columns), columns)]
        if not known:
            raise RefusedError(f"it has no column of {', '.join(columns)}")
        number = 0
        for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH, columns=known):
            for row in batch.to_pylist():
                number += 1
                yield number, {name: _exact(value) for name, value in row.items()}


def count_parquet_rows(source: BufferedIOBase) -> int:
    """Return the number of rows of a Parquet file; the position in the file stays."""
    position = source.tell()
    with _open_parquet(source) as file:
        count: int = file.metadata.num_rows
    source.seek(position)
    return count


def _exact(value: Any) -> Any:
    """Return a value without floats: 24.0 is 24, 0.1 is the text "0.1", and NaN is None."""
    if isinstance(value, float | Decimal):
        if value != value:
            return None
        return int(value) if value == value // 1 else str(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list):
        return [_exact(item) for item in value]
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return value


def copy_parquet(
    source: BufferedIOBase,
    out: BinaryIO,
    changes: Mapping[int, RowChange],
    columns: Collection[str],
) -> None:
    """Copy a Parquet file, with the same types and compression."""
    with _open_parquet(source) as file:
        import pyarrow.parquet as pq

        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
        compression = "NONE" if codec == "UNCOMPRESSED" else codec
        with pq.ParquetWriter(out, file.schema_arrow, compression=compression) as writer:
            first = 1
            for batch in file.iter_batches(batch_size=_ROWS_PER_COPY):
                batch_changes = {
                    number - first: changes[number]
                    for number in range(first, first + len(batch))
                    if number in changes
                }
                first += len(batch)
                writer.write_batch(_changed_batch(batch, batch_changes, columns))


def _changed_batch(batch: Any, changes: Mapping[int, RowChange], columns: Collection[str]) -> Any:
    """Return rows of a Parquet file with changes, given by the index of a row."""
    if not changes:
        return batch
    import pyarrow as pa

    names = {
        column_name(name, columns): index
        for index, name in enumerate(batch.schema.names)
        if is_known_column(column_name(name, columns), columns)
    }
    values = {name: batch.columns[index].to_pylist() for name, index in names.items()}
    for row_index, change in changes.items():
        row = {name: column[row_index] for name, column in values.items()}
        change_fields(row, change or {}, columns)
        for name, value in row.items():
            values[name][row_index] = value
    arrays = list(batch.columns)
    try:
        for name, index in names.items():
            arrays[index] = pa.array(values[name], type=arrays[index].type)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise RefusedError(f"a new value does not fit its column: {error}") from None
    is_kept = [changes.get(index, {}) is not None for index in range(len(batch))]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema).filter(pa.array(is_kept))
