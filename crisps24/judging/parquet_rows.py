"""The rows of Parquet files, read with pyarrow, the extra `data`."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from decimal import Decimal
from io import BufferedIOBase
from itertools import chain
from math import isfinite
from typing import Any

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import column_name, is_known_column
from crisps24.judging.table_rows import MAX_RECORD_BYTES, too_long

# Rows that are in memory at once as columns: each can have `MAX_RECORD_BYTES`.
ROWS_PER_BATCH = 64
# Bytes of a decoded page or column of lists, and of an item of a list, at most.
_MAX_PAGE_BYTES, _LIST_ITEM_BYTES = 256_000_000, 8


def import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise RefusedError('Parquet needs pyarrow: pip install "crisps24[data]"') from None
    return pa, pq


@contextmanager
def open_parquet(source: BufferedIOBase) -> Iterator[tuple[Any, Any]]:
    """Open a file, with its schema; in a batch, a text that many rows have is in memory once."""
    pa, pq = import_pyarrow()
    if not source.seekable():
        raise RefusedError("Parquet cannot be read from a pipe: give the name of a file")
    source.seek(0)
    try:
        # Without this, pyarrow keeps bytes that it has read until the file is closed.
        file = pq.ParquetFile(source, pre_buffer=False)
        schema, leaves = file.schema_arrow, map(file.schema.column, range(len(file.schema)))
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        source.seek(0)
        yield pq.ParquetFile(source, pre_buffer=False, read_dictionary=texts), schema
    except UnicodeDecodeError:
        raise RefusedError("it has a column with a name that is not UTF-8") from None
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise RefusedError(f"it is not a readable Parquet file: {error}".split("\n")[0]) from None


def check_pages(file: Any, names: Collection[str]) -> None:
    """Refuse columns of values that can take all the memory when they are decoded.

    Programs look at the size of a page after each 1,024 values, and a page is read as a whole. All
    values of a list can be in one row, and some bytes can stand for millions of them.
    """
    names, leaves = set(names), [*map(file.schema.column, range(len(file.schema)))]
    known = [index for index, leaf in enumerate(leaves) if leaf.path.partition(".")[0] in names]
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        for index in known:
            column = group.column(index)
            page_size = column.total_uncompressed_size * min(1, 1_024 / max(column.num_values, 1))
            list_size = column.num_values * _LIST_ITEM_BYTES * leaves[index].max_repetition_level
            if max(page_size, list_size) > _MAX_PAGE_BYTES:
                kind = "texts" if page_size > list_size else "lists"
                problem = f"column {quoted(column.path_in_schema)} has {kind} that are too long"
                raise RefusedError(f"{problem}: use JSON Lines")


def parquet_as_json(source: BufferedIOBase) -> Iterator[bytes]:
    """Yield the rows of a Parquet file as JSON Lines."""
    for number, row in read_parquet(source, None):
        if isinstance(row, RefusedError):
            raise RefusedError(f"row {number}: {row}")
        yield json.dumps(row, default=str).encode() + b"\n"


def read_parquet(
    source: BufferedIOBase, columns: Collection[str] | None
) -> Iterator[tuple[int, dict[str, Any] | RefusedError]]:
    """Yield the rows of a Parquet file: their known columns, or all, with exact numbers."""
    with open_parquet(source) as (file, schema):
        names = schema.names
        [(repeated, count), *_] = Counter(names).most_common(1) or [("", 0)]
        if count > 1:
            raise RefusedError(f"it has two columns {quoted(repeated)}")
        # Other columns can have values that Python has no type for.
        known = [
            name
            for name in names
            if columns is None or is_known_column(column_name(name, columns), columns)
        ]
        if not known:
            raise RefusedError(f"it has no column of {', '.join(columns or ())}")
        check_pages(file, known)
        batches = file.iter_batches(batch_size=ROWS_PER_BATCH, columns=known)
        pieces = chain.from_iterable(map(pieces_of, batches))
        yield from enumerate(chain.from_iterable(map(_rows_of, pieces)), 1)


def pieces_of(batch: Any) -> Iterator[Any]:
    """Divide a batch into parts of at most `MAX_RECORD_BYTES`, or of one row."""
    if len(batch) > 1 and _decoded_bytes(batch) > MAX_RECORD_BYTES:
        middle = len(batch) // 2
        yield from chain(pieces_of(batch.slice(0, middle)), pieces_of(batch.slice(middle)))
    else:
        yield batch


def _rows_of(piece: Any) -> Iterator[dict[str, Any] | RefusedError]:
    import pyarrow as pa

    try:
        if len(piece) == 1 and _decoded_bytes(piece) > MAX_RECORD_BYTES:
            raise too_long()
        rows = piece.to_pylist()
    except RefusedError as error:
        yield error
    except (ValueError, OverflowError, KeyError, pa.ArrowException):
        # Python has no such value: a time of nanoseconds, a year 10,000, text that is not UTF-8.
        if len(piece) == 1:
            yield RefusedError("it has a value that cannot be read")
        else:
            for index in range(len(piece)):
                yield from _rows_of(piece.slice(index, 1))
    else:
        yield from ({name: _exact(value) for name, value in row.items()} for row in rows)


def _decoded_bytes(data: Any) -> int:
    """Return how many bytes the values of a batch or an array take, each repeated one included."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(data, pa.RecordBatch):
        return sum(map(_decoded_bytes, data.columns))
    if isinstance(data, pa.DictionaryArray):
        lengths = pc.binary_length(data.dictionary)
        return int(pc.sum(lengths.take(data.indices)).as_py() or 0)
    if isinstance(data, pa.StructArray):
        return sum(map(_decoded_bytes, data.flatten()))
    if hasattr(data, "flatten"):
        return int(data.nbytes if pa.types.is_map(data.type) else _decoded_bytes(data.flatten()))
    return int(data.nbytes)


def count_parquet_rows(source: BufferedIOBase) -> int:
    """Return the number of rows of a Parquet file; the position in the file stays."""
    position = source.tell()
    with open_parquet(source) as (file, _):
        count: int = file.metadata.num_rows
    source.seek(position)
    return count


def _exact(value: Any) -> Any:
    """Return a value without floats: 24.0 is 24, 0.1 is the text "0.1", and NaN is None."""
    if isinstance(value, float | Decimal):
        if value != value:
            return None
        return int(value) if isfinite(value) and value == int(value) else str(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list):
        return [_exact(item) for item in value]
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return value
