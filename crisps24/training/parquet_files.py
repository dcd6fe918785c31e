"""Files of puzzles in Parquet, read and copied with pyarrow, which is the extra `data`."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedIOBase
from typing import Any, BinaryIO

from crisps24.errors import RefusedError
from crisps24.judging.records import column_name
from crisps24.training.json_edits import DataRow, RowChange, plain_value

# Rows that are in memory at once.
_ROWS_PER_BATCH = 4_096


@contextmanager
def _open_parquet(source: BufferedIOBase) -> Iterator[Any]:
    """Open a Parquet file with pyarrow, which is the extra `data`."""
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
    """Yield the rows of a Parquet file, with floats as whole numbers or exact text."""
    with _open_parquet(source) as file:
        number = 0
        for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield (
                    number,
                    {column_name(name, columns): _exact(value) for name, value in row.items()},
                )


def count_parquet_rows(source: BufferedIOBase) -> int:
    """Return the number of rows of a Parquet file; the position in the file stays."""
    position = source.tell()
    with _open_parquet(source) as file:
        count: int = file.metadata.num_rows
    source.seek(position)
    return count


def _exact(value: Any) -> Any:
    """Return a value without floats: 24.0 is 24, 0.1 is the text "0.1", and NaN is None.

    >>> _exact([24.0, 0.1, float("nan"), "x"])
    [24, '0.1', None, 'x']
    """
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() else repr(value)
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

        schema = file.schema_arrow
        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
        compression = "NONE" if codec == "UNCOMPRESSED" else codec
        with pq.ParquetWriter(out, schema, compression=compression) as writer:
            first = 1
            for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
                numbers = range(first, first + len(batch))
                first += len(batch)
                if any(number in changes for number in numbers):
                    batch = _changed_batch(batch, numbers, changes, columns)
                writer.write_batch(batch)


def _changed_batch(
    batch: Any, numbers: range, changes: Mapping[int, RowChange], columns: Collection[str]
) -> Any:
    """Return some rows of a Parquet file with the changes of the rows with these numbers."""
    import pyarrow as pa

    rows = batch.to_pylist()
    for row, number in zip(rows, numbers, strict=True):
        names = {column_name(name, columns): name for name in row}
        for name, value in (changes.get(number) or {}).items():
            # A field that the row lacks is one of its metadata.
            fields = row if name in names else row["metadata"]
            _set_value(fields, names.get(name, name), value)
    kept = [
        row
        for row, number in zip(rows, numbers, strict=True)
        if changes.get(number, {}) is not None
    ]
    try:
        return pa.RecordBatch.from_pylist(kept, schema=batch.schema)
    except pa.ArrowException as error:
        raise RefusedError(f"a new value does not fit its column: {error}") from None


def _set_value(fields: dict[str, Any], name: str, value: Any) -> None:
    """Set a field to a value with the type of its old value: text, a number or a list."""
    old = fields[name]
    if isinstance(old, list):
        fields[name] = value if isinstance(value, list) else [value]
    else:
        is_plain = isinstance(old, bool | int | float) and isinstance(value, str)
        fields[name] = plain_value(value) if is_plain else value
