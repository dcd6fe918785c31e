"""Files of puzzles in Parquet, written and copied with pyarrow, the extra `data`."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from io import BufferedIOBase, BytesIO
from itertools import chain
from typing import Any, BinaryIO

from crisps24.errors import RefusedError
from crisps24.judging.batches import batches
from crisps24.judging.columns import column_name, is_known_column
from crisps24.judging.parquet_rows import (
    ROWS_PER_BATCH,
    check_pages,
    import_pyarrow,
    open_parquet,
    pieces_of,
)
from crisps24.output.tables import Row
from crisps24.training.row_changes import Changes, RowChange, change_fields

# Rows and bytes of a group of rows in a copy.
_ROWS_PER_GROUP, _BYTES_PER_GROUP = 65_536, 32_000_000


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


def copy_parquet(
    source: BufferedIOBase, out: BinaryIO, changes: Changes, columns: Collection[str]
) -> None:
    """Copy a Parquet file, with the same types and compression.

    Texts stay in dictionaries; the metadata of the original tell readers the types.
    """
    with open_parquet(source) as (file, schema):
        import pyarrow as pa
        import pyarrow.parquet as pq

        check_pages(file, schema.names)
        groups = file.metadata.num_row_groups
        codec = file.metadata.row_group(0).column(0).compression if groups else "SNAPPY"
        compression = "NONE" if codec == "UNCOMPRESSED" else codec
        batches = file.iter_batches(batch_size=ROWS_PER_BATCH)
        number = 1
        schema = file.schema_arrow.remove_metadata()
        with pq.ParquetWriter(out, schema, compression=compression, store_schema=False) as writer:
            writer.add_key_value_metadata(file.metadata.metadata or {})
            group: list[Any] = []
            size = 0
            for piece in chain.from_iterable(map(pieces_of, batches)):
                row_changes = [changes.get(number + index, {}) for index in range(len(piece))]
                number += len(piece)
                group.append(_changed_piece(piece, row_changes, columns))
                size += group[-1].nbytes
                if size > _BYTES_PER_GROUP or len(group) * ROWS_PER_BATCH >= _ROWS_PER_GROUP:
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
