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
    ("fields", "name", "value"),
    ({"ground_truth": "3*8"}, "keys", ("3*8",)),
    ({"ground_truth": ["3*8", "8*3"]}, "keys", ("3*8", "8*3")),
    ({"ground_truth": 24}, "keys", ("24",)),
    ({"ground_truth": []}, "keys", ()),
    *(({"ground_truth": no_key}, "keys", ()) for no_key in ("", float("nan"), {"numbers": [3, 8]})),
    # Another column has the key only if the first is the target.
    ({"answer": "3*8", "solution": "8*3"}, "keys", ("3*8",)),
    ({"answer": 25, "solution": "8*3"}, "keys", ("25",)),
    ({"answer": "24", "solution": "8*3"}, "keys", ("8*3",)),
    ({"best": [24]}, "closest", None),
    *(({"solvable": text}, "solvable", True) for text in (True, "yes", "1")),
    *(({"solvable": text}, "solvable", False) for text in ("False", 0)),
    ({"solvable": "perhaps"}, "solvable", None),
    # A level counts only beside an id.
    ({"id": "cards:3.8=24", "level": 3}, "level", 3),
    ({"id": "q7", "level": "hard"}, "level", None),
)
def test_what_a_row_claims(fields: dict[str, Any], name: str, value: Any) -> None:
    claims = ClaimReader().read(1, ROW | fields)
    assert repr(getattr(claims, name)) == repr(value)
    assert claims.has_key_list == isinstance(fields.get("ground_truth"), list)


def test_numbers_are_exact() -> None:
    record = parse_record('{"nums": [3, 8], "target": 2.5, "closest": 0.1, "answer": 2.50}')
    assert record is not None
    claims = ClaimReader().read(1, record)
    assert (claims.closest, claims.puzzle.target) == (Fraction(1, 10), Fraction(5, 2))
    assert claims.keys == ("2.50",)


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
