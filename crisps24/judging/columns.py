"""The common names of columns in files of puzzles, and of fields in their records.

Data sets have different names for the same columns: the hand can be `nums`, `numbers` or
`starting`. To add a name, add a word to `COLUMN_NAMES`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from crisps24.errors import RefusedError, quoted

# The names of each kind of column; the first one in a record counts.
COLUMN_NAMES = {
    "hand": ("card", "hand", "numbers", "nums", "starting", "cards", "digits"),
    "target": ("target", "goal"),
    "key": ("answer", "solution", "expression", "gold", "ground_truth"),
    "closest": ("closest", "best"),
    "distance": ("delta", "distance"),
    "solvable": ("solvable",),
}
# Names of fields for the numbers of a puzzle.
CARD_FIELDS = COLUMN_NAMES["hand"]
# The places of objects with fields of the puzzle in a row; verl has one inside another.
PUZZLE_OBJECTS = (("metadata",), ("ground_truth",), ("reward_model", "ground_truth"))
# A file of puzzles has at least one such column.
PUZZLE_COLUMNS = ("id", *CARD_FIELDS)


def find_column(kind: str, names: Iterable[str]) -> str | None:
    """Return the first known name for a kind of column among some names; None without one."""
    present = set(names)
    return next((name for name in COLUMN_NAMES[kind] if name in present), None)


def puzzle_objects(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a row that can have fields of its puzzle, the first ones first."""
    for path in PUZZLE_OBJECTS:
        # Most rows have no such field.
        if path[0] not in record:
            continue
        value: Any = record
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            yield value


def with_standard_target(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record whose target is in the field `target`, whatever its name was."""
    renamed = dict(record)
    standard, *synonyms = COLUMN_NAMES["target"]
    for name in synonyms:
        if name in renamed:
            value = renamed.pop(name)
            if str(renamed.setdefault(standard, value)) != str(value):
                raise RefusedError(f"{quoted(standard)} and {quoted(name)} differ")
    return renamed


def check_columns(names: Iterable[str]) -> None:
    """Raise RefusedError if none of some columns can hold the numbers of a puzzle."""
    known = (*PUZZLE_COLUMNS, *(path[0] for path in PUZZLE_OBJECTS))
    if set(known).isdisjoint(names):
        expected = ", ".join(known)
        raise RefusedError(f"no column has the numbers of a puzzle (expected {expected})")
