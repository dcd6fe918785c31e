"""Tables of rows: selected, joined, and merged while they are collected."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from crisps24.errors import RefusedError
from crisps24.hands import rows
from crisps24.hands.rows import RowBuffer, join, select
from crisps24.rules.ratios import Ratios, exact_values
from crisps24.rules.work import Budget


class Values(NamedTuple):
    values: Any
    fractions: Any
    weights: Any = None
    sign: str = "+"


def values(*numbers: int) -> Values:
    column = np.array(numbers, np.int64)
    return Values(column, Ratios(column, column * 2))


def distinct(table: Values) -> Values:
    return select(table, np.unique(table.values, return_index=True)[1])


def test_rows_are_selected_and_joined_in_columns_only() -> None:
    chosen = select(join([values(), values(5, 6), values(), values(7)]), [2, 0])
    assert chosen.values.tolist() == [7, 5]
    assert exact_values(chosen.fractions * 2) == [1, 1]
    assert (chosen.weights, chosen.sign) == (None, "+")
    only = values(1)
    assert join([values(), only]) is only
    assert len(join([values(), values()]).values) == 0


def test_a_buffer_merges_equal_rows_and_counts_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MIN_ROWS_TO_MERGE", 4)
    budget = Budget(memory=100)
    buffer = RowBuffer(values(), distinct, budget, row_bytes=10)
    for number in (1, 2, 1, 2, 1, 3, 4, 5, 6):
        buffer.add(values(number))
    assert budget.kept_bytes == 60
    assert buffer.pop_all().values.tolist() == [1, 2, 3, 4, 5, 6]
    assert budget.kept_bytes == len(buffer.pop_all().values) == 0
    with pytest.raises(RefusedError, match="memory"):
        buffer.add(values(*range(11)))
