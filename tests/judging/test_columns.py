"""The common names of columns in files of puzzles."""

from typing import Any

import pytest

from crisps24 import GAMES, RefusedError
from crisps24.judging import columns
from crisps24.judging.records import Attempt, apply_record
from crisps24.training.rewards import puzzle_from_row

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


@pytest.mark.parametrize("hand", columns.CARD_FIELDS)
@pytest.mark.parametrize("target", columns.COLUMN_NAMES["target"])
def test_each_name_is_read(hand: str, target: str) -> None:
    default = Attempt("", None, None, GAMES["cards"])
    for numbers in ([4, 3, 8, 4], "4 3 8 4"):
        attempt = apply_record({hand: numbers, target: 24}, default)
        assert (attempt.card, attempt.target) == ((4, 3, 8, 4), 24)
    assert puzzle_from_row({"metadata": {hand: [3, 8]}, target: 24}).judge("3 x 8")


def test_digits_can_be_one_word() -> None:
    default = Attempt("", 24, None, GAMES["crisps"])
    for digits in ("4384", 4384, "4 3 8 4", [4, 3, 8, 4]):
        assert apply_record({"digits": digits}, default).card == (4, 3, 8, 4)


@pytest.mark.parametrize(
    "record",
    [
        {"nums": [3, 8], "target": 24, "goal": 25},
        {"nums": [3, 8], "starting": [3, 9], "target": 24},
        {"id": "cards:3.8=24", "goal": 25},
        {"id": "cards:3.8=24", "starting": [3, 9]},
    ],
)
def test_fields_that_differ_are_refused(record: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        puzzle_from_row(record)
    same = {**record, "starting": [8, 3], "goal": "24"}
    assert puzzle_from_row(same).target == 24


def test_first_known_name_counts() -> None:
    assert columns.find_column("key", ["gold", "expression", "nums"]) == "expression"
    assert columns.find_column("closest", ["nums", "target"]) is None
    record = {"nums": [3, 8], "goal": 24}
    assert (columns.with_standard_target(record), record["goal"]) == (
        {"nums": [3, 8], "target": 24},
        24,
    )


def test_columns_without_numbers_are_refused() -> None:
    columns.check_columns(["metadata"])
    with pytest.raises(RefusedError, match="expected id, card, hand"):
        columns.check_columns(["prompt", "target"])
