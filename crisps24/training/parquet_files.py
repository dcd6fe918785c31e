"""Files of puzzles in Parquet, read, written and copied with pyarrow, the extra `data`."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from io import BufferedIOBase, BytesIO
from itertools import chain
from math import isfinite
from typing import Any, BinaryIO

from crisps24.errors import RefusedError, quoted
from crisps24.judging.batches import batches
from crisps24.judging.columns import column_name, is_known_column
from crisps24.judging.table_rows import MAX_RECORD_BYTES, too_long
from crisps24.output.tables import Row
from crisps24.training.row_changes import Changes, DataRow, RowChange, change_fields

# Rows that are in memory at once as columns: each can have `MAX_RECORD_BYTES`.
_ROWS_PER_BATCH = 64
# Bytes of a decoded page or column of lists, and of an item of a list, at most.
_MAX_PAGE_BYTES, _LIST_ITEM_BYTES = 256_000_000, 8
# Rows and bytes of a group of rows in a copy.
_ROWS_PER_GROUP, _BYTES_PER_GROUP = 65_536, 32_000_000


def import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise RefusedError('Parquet needs pyarrow: pip install "crisps24[data]"') from None
    return pa, pq


def parquet_bytes(rows: Iterable[Row], *, fractions: bool) -> Iterator[bytes]:
    """Yield the bytes of a Parquet file of dealt rows; with `fractions`, hands are texts.

    The first group of rows shows the types. The best value, which can be a fraction, is text, and
    rules, whose names differ from row to row, are JSON.
    """
    pa, pq = import_pyarrow()

    def stored(value: Any, name: str = "") -> Any:
        if name == "rules":
            return json.dumps(value, default=str)
        if isinstance(value, dict):
            return {name: stored(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [str(item) if fractions and name != "prompt" else stored(item) for item in value]
        return str(value) if isinstance(value, Fraction) or name == "best" else value

    out, writer = BytesIO(), None
    for group in batches(map(stored, rows), _ROWS_PER_GROUP, most_bytes=_BYTES_PER_GROUP):
        try:
            table = pa.Table.from_pylist(group, writer and writer.schema)
        except (pa.ArrowException, OverflowError) as error:
            raise RefusedError(f"rows do not fit Parquet: {error}".split("\n")[0]) from None
        writer = writer or pq.ParquetWriter(out, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    yield out.getvalue()


@contextmanager
def _open_parquet(source: BufferedIOBase) -> Iterator[tuple[Any, Any]]:
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


def _check_pages(file: Any, names: Collection[str]) -> None:
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


def read_parquet(source: BufferedIOBase, columns: Collection[str]) -> Iterator[DataRow]:
    """Yield the rows of a Parquet file: their known columns, with exact numbers."""
    with _open_parquet(source) as (file, schema):
        names = schema.names
        [(repeated, count), *_] = Counter(names).most_common(1) or [("", 0)]
        if count > 1:
            raise RefusedError(f"it has two columns {quoted(repeated)}")
        # Other columns can have values that Python has no type for.
        known = [name for name in names if is_known_column(column_name(name, columns), columns)]
        if not known:
            raise RefusedError(f"it has no column of {', '.join(columns)}")
        _check_pages(file, known)
        batches = file.iter_batches(batch_size=_ROWS_PER_BATCH, columns=known)
        pieces = chain.from_iterable(map(_pieces, batches))
        yield from enumerate(chain.from_iterable(map(_rows_of, pieces)), 1)


def _pieces(batch: Any) -> Iterator[Any]:
    """Divide a batch into parts of at most `MAX_RECORD_BYTES`, or of one row."""
    if len(batch) > 1 and _decoded_bytes(batch) > MAX_RECORD_BYTES:
        middle = len(batch) // 2
        yield from chain(_pieces(batch.slice(0, middle)), _pieces(batch.slice(middle)))
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
    with _open_parquet(source) as (file, _):
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


def copy_parquet(
    source: BufferedIOBase, out: BinaryIO, changes: Changes, columns: Collection[str]
) -> None:
    """Copy a Parquet file, with the same types and compression.

    Texts stay in dictionaries; the metadata of the original tell readers the types.
    """
    with _open_parquet(source) as (file, schema):
        import pyarrow as pa
        import pyarrow.parquet as pq

        _check_pages(file, schema.names)
        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
        compression = "NONE" if codec == "UNCOMPRESSED" else codec
        batches = file.iter_batches(batch_size=_ROWS_PER_BATCH)
        number = 1
        schema = file.schema_arrow.remove_metadata()
        with pq.ParquetWriter(out, schema, compression=compression, store_schema=False) as writer:
            writer.add_key_value_metadata(file.metadata.metadata or {})
            group: list[Any] = []
            size = 0
            for piece in chain.from_iterable(map(_pieces, batches)):
                row_changes = [changes.get(number + index, {}) for index in range(len(piece))]
                number += len(piece)
                group.append(_changed_piece(piece, row_changes, columns))
                size += group[-1].nbytes
                if size > _BYTES_PER_GROUP or len(group) * _ROWS_PER_BATCH >= _ROWS_PER_GROUP:
                    writer.write_table(pa.Table.from_batches(group, schema))
                    group, size = [], 0
            writer.write_table(pa.Table.from_batches(group, schema))


def _changed_piece(piece: Any, changes: Sequence[RowChange], columns: Collection[str]) -> Any:
    """Return rows of a Parquet file with their changes; only changed rows become objects."""
    import pyarrow as pa

    known_names = {column_name(name, columns): name for name in piece.schema.names}
    names = {known: name for known, name in known_names.items() if is_known_column(known, columns)}
    arrays = dict(zip(piece.schema.names, piece.columns, strict=True))
    for index, change in enumerate(changes):
        if not change:
            continue
        row = {known: arrays[name][index].as_py() for known, name in names.items()}
        changed = deepcopy(row)
        change_fields(changed, change, columns)
        for known, value in changed.items():
            if value != row[known]:
                old = arrays[names[known]]
                try:
                    new = pa.array([value], type=old.type)
                except (pa.ArrowException, TypeError, OverflowError) as error:
                    raise RefusedError(f"a new value does not fit its column: {error}") from None
                parts = [old.slice(0, index), new, old.slice(index + 1)]
                arrays[names[known]] = pa.concat_arrays(parts)
    piece = pa.RecordBatch.from_arrays(list(arrays.values()), schema=piece.schema)
    is_kept = [change is not None for change in changes]
    return piece if all(is_kept) else piece.filter(pa.array(is_kept))
