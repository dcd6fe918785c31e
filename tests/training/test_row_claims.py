"""What rows say about their puzzles, in columns of any name."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from crisps24 import GAMES, RefusedError
from crisps24.judging.columns import COLUMN_NAMES
from crisps24.judging.records import parse_record
from crisps24.training.row_claims import ClaimReader, describe_columns, fields_of_row
from tests.sampling import in_one_test

ROW: dict[str, Any] = {"nums": [8, 3], "target": 24}


@in_one_test(
    ("key", "closest", "distance"),
    *product(*(COLUMN_NAMES[kind] for kind in ("key", "closest", "distance"))),
)
def test_each_common_name_is_found(key: str, closest: str, distance: str) -> None:
    row = ROW | {key: "3*8", closest: "24", distance: 0}
    for record in (row, {"metadata": row}, {"metadata": {**row, key: "?"}, key: "3*8"}):
        claims = ClaimReader().read(7, record)
        assert (claims.line, claims.puzzle.hand, claims.hand) == (7, (3, 8), (8, 3))
        assert (claims.keys, claims.closest, claims.distance) == (("3*8",), 24, 0)


def test_columns_that_the_user_names_replace_common_ones() -> None:
    names = {"hand": "a", "target": "b", "key": "c", "closest": "d", "distance": "target"}
    row = {"a": "4 6", "b": 25, "c": "4*6", "d": 24, "nums": [1], "answer": "1", "target": 1}
    claims = ClaimReader("countdown", names).read(1, row)
    assert (claims.puzzle.hand, claims.puzzle.target) == ((4, 6), 25)
    assert (claims.keys, claims.closest, claims.distance) == (("4*6",), 24, 1)
    assert claims.columns == names


def test_a_column_that_is_missing_is_refused() -> None:
    reader = ClaimReader(columns={"key": "formula"})
    reader.check_given_columns(["formula", "nums"])
    with pytest.raises(RefusedError, match="--key-column: the file has no column 'formula'"):
        reader.check_given_columns(["nums", "target"])
    assert reader.read(1, ROW).keys == ()


@in_one_test(
    ("value", "keys"),
    ("3*8", ("3*8",)),
    (["3*8", "8*3"], ("3*8", "8*3")),
    (24, ("24",)),
    *[([], ()), ("", ()), (float("nan"), ()), ({"numbers": [3, 8]}, ())],
)
def test_a_key_is_text_or_a_list(value: Any, keys: tuple[str, ...]) -> None:
    claims = ClaimReader().read(1, ROW | {"ground_truth": value})
    assert (claims.keys, claims.has_key_list) == (keys, isinstance(value, list))


def test_another_column_has_the_key_only_if_the_first_is_the_target() -> None:
    others = {"solution": "8*3"}
    assert ClaimReader().read(1, ROW | {"answer": "3*8"} | others).keys == ("3*8",)
    assert ClaimReader().read(1, ROW | {"answer": 25} | others).keys == ("25",)
    assert ClaimReader().read(1, ROW | {"answer": "24"} | others).keys == ("8*3",)


def test_numbers_are_exact() -> None:
    record = parse_record('{"nums": [3, 8], "target": 2.5, "closest": 0.1, "answer": 2.50}')
    assert record is not None
    claims = ClaimReader().read(1, record)
    assert (claims.closest, claims.puzzle.target) == (Fraction(1, 10), Fraction(5, 2))
    assert claims.keys == ("2.50",)
    assert ClaimReader().read(1, ROW | {"best": [24]}).closest is None


@in_one_test(
    ("row", "game", "is_named"),
    (ROW, None, False),
    (ROW, "countdown", True),
    (ROW | {"game": "cards"}, None, True),
    (ROW | {"game": ""}, None, False),
    ({"id": "cards:3.8=24"}, None, True),
    (ROW | {"id": "q1"}, None, False),
)
def test_who_names_the_game(row: dict[str, Any], game: str | None, is_named: bool) -> None:
    claims = ClaimReader(game).read(1, row | {"closest": 24})
    assert claims.names_game == is_named
    assert claims.checked_claims == (["closest"] if is_named else [])


@in_one_test(
    ("text", "truth"),
    *((True, True), ("False", False), ("yes", True), (0, False), ("1", True), ("perhaps", None)),
)
def test_whether_a_row_is_said_to_be_solvable(text: Any, truth: bool | None) -> None:
    assert ClaimReader().read(1, ROW | {"solvable": text}).solvable is truth


def test_a_level_counts_only_beside_an_id() -> None:
    assert ClaimReader().read(1, {"id": "cards:3.8=24", "level": 3}).level == 3
    assert ClaimReader().read(1, ROW | {"id": "q7", "level": "hard"}).level is None


def test_the_columns_are_described_in_one_line() -> None:
    rows = [ROW | {"answer": "a", "note": 1}, {"id": "cards:3.8=24", "level": 1, "gold": "b"}]
    line = "hand = nums, target = target, key = answer or gold, puzzle = id, level = level"
    assert describe_columns(ClaimReader(), rows) == f"columns read: {line}"
    assert describe_columns(ClaimReader(), [{"note": 1}]) == "columns read: none"
    assert fields_of_row({"metadata": "text", "a": 1}) == {"a": 1}


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(RefusedError, match="unknown game"):
        ClaimReader("chess")
    assert ClaimReader(GAMES["cards"]).game is GAMES["cards"]


def test_a_row_has_at_most_a_thousand_keys() -> None:
    assert len(ClaimReader().read(1, ROW | {"answer": ["3*8"] * 1_000}).keys) == 1_000
    with pytest.raises(RefusedError, match="more than 1,000 keys"):
        ClaimReader().read(1, ROW | {"answer": ["3*8"] * 1_001})
