"""The common names of columns in files of puzzles."""

from typing import Any

import pytest

from crisps24 import GAMES, RefusedError
from crisps24.judging import columns
from crisps24.judging.records import Attempt, apply_record
from crisps24.training.rewards import puzzle_from_row
from tests.sampling import in_one_test

# The names in public data sets for each kind of column.
NAMES = {
    "hand": "card hand numbers nums starting cards digits",
    "target": "target goal",
    "key": "answer solution expression gold ground_truth",
    "closest": "closest best",
    "distance": "delta distance",
    "solvable": "solvable",
}


def test_names_are_those_of_the_field() -> None:
    assert {kind: " ".join(names) for kind, names in columns.COLUMN_NAMES.items()} == NAMES


@in_one_test("hand", *columns.CARD_FIELDS)
def test_each_name_is_read(hand: str) -> None:
    default = Attempt("", None, None, GAMES["cards"])
    for target in columns.COLUMN_NAMES["target"]:
        attempt = apply_record({hand: [4, 3, 8, 4], target: 24}, default)
        assert (attempt.card, attempt.target) == ((4, 3, 8, 4), 24)
        assert puzzle_from_row({"metadata": {hand: [3, 8]}, target: 24}).judge("3 x 8")


@in_one_test(
    "record",
    {"nums": [3, 8], "target": 24, "goal": 25},
    {"nums": [3, 8], "starting": [3, 9], "target": 24},
    {"id": "cards:3.8=24", "goal": 25},
    {"id": "cards:3.8=24", "starting": [3, 9]},
)
def test_fields_that_differ_are_refused(record: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        puzzle_from_row(record)
    assert puzzle_from_row({**record, "starting": [8, 3], "goal": "24"}).target == 24


def test_first_known_name_counts() -> None:
    assert columns.find_column("key", ["gold", "expression", "nums"]) == "expression"
    assert columns.find_column("closest", ["nums", "target"]) is None
    record = {"nums": [3, 8], "goal": 24}
    assert columns.with_standard_target(record) == {"nums": [3, 8], "target": 24}
    assert record == {"nums": [3, 8], "goal": 24}
